//! `ringleader check`: every schedule of small instances.

mod text;

use std::io::Write;
use std::path::{Path, PathBuf};

use ringleader::check::{
    ChancesReport, CheckOptions, CheckReport, CheckSetup, CheckVerdict, Row, Total, Violated, survey,
};
use ringleader::picture::Theme;
use ringleader::{Catalogue, StepReport, TraceFile, Watch, picture, quoted};
use ringleader_model::Violation;
use ringleader_sim::{FINISHES, Step, Verdict};

use crate::arguments::{CheckArguments, CheckOutput, check_of};
use crate::error::{Error, Exit};
use crate::files::{Output, is_device, read_trace};
use crate::json::print_json;
use crate::watch::Terminal;

/// Checks, shows what was found and writes a counterexample down.
pub(crate) fn check(
    arguments: CheckArguments,
    catalogue: &Catalogue,
    watch: &Terminal,
    out: &mut impl Write,
) -> Result<Exit, Error> {
    let entry = catalogue.find(&arguments.protocol)?;
    let options = arguments.options.check_options()?;
    let check = CheckSetup::new(entry, &options)?;
    let output = &arguments.output;
    if let Some(phases) = arguments.probability {
        let mut line = options.command_line(entry.name(), check.family.n);
        line.flag(&phases.map_or("--probability".to_string(), |phases| format!("--probability={phases}")), true);
        let report = ChancesReport::new(&check, phases, line.into_text(), watch)?;
        watch.clear();
        if output.json {
            print_json(&report, out)?;
        } else {
            text::chances(&report, &check, out)?;
        }
        return Ok(match report.ran_out {
            Some(_) if watch.stopped() => Exit::Interrupted,
            Some(_) => Exit::Inconclusive,
            None => Exit::Held,
        });
    }
    let files = Files::new(&check, output)?;
    let survey = survey(&check, watch)?;
    watch.clear();
    let total = Total::new(&check, &survey);
    let shown = match total.shortest {
        Some((_, Violated { run: Ok(run), .. })) => files.write(run, catalogue, watch)?,
        Some((_, Violated { run: Err(error), .. })) => Shown { trouble: Some(error.to_string()), ..Shown::default() },
        None => Shown::default(),
    };
    let rerun = options.command_line(entry.name(), check.family.n).into_text();
    let mut report = CheckReport::new(&check, &survey, &total, shown.file.clone(), rerun);
    if let Some(counterexample) = &mut report.counterexample {
        counterexample.trace = StepReport::all(&shown.steps, counterexample.ids.as_deref().unwrap_or_default());
    }
    if output.json {
        print_json(&report, out)?;
    } else {
        text::report(&report, &check, &shown, output.all, out)?;
    }
    Ok(match total.verdict() {
        _ if watch.stopped() => Exit::Interrupted,
        CheckVerdict::Violated => Exit::Violated,
        _ if total.is_exceeded() => Exit::Violated,
        CheckVerdict::Unknown => Exit::Inconclusive,
        CheckVerdict::Holds => Exit::Held,
    })
}

/// Checks a row of the record again.
pub fn recheck(row: &Row) -> Result<CheckReport, Error> {
    let (protocol, options): (String, CheckOptions) = check_of(row.command.split_whitespace().skip(2))?;
    let entry = ringleader::find(&protocol)?;
    let check = CheckSetup::new(entry, &options)?;
    let survey = survey(&check, &Terminal::default())?;
    let rerun = options.command_line(entry.name(), check.family.n).into_text();
    Ok(CheckReport::new(&check, &survey, &Total::new(&check, &survey), None, rerun))
}

/// Where a counterexample goes. What is asked for by name and cannot be written is found out before the work.
struct Files<'a> {
    file: PathBuf,
    save: Option<Output<'a>>,
    canvas: Option<Output<'a>>,
    picture: Option<&'a Path>,
    theme: Theme,
}

impl<'a> Files<'a> {
    fn new(check: &CheckSetup, output: &'a CheckOutput) -> Result<Self, Error> {
        let usual = || PathBuf::from(format!("{}.counterexample.json", check.entry.name()));
        let file = output.save.clone().unwrap_or_else(usual);
        spare(&file)?;
        let save = output.save.as_deref().map(Output::new).transpose()?;
        if output.picture.as_ref() == Some(&file) {
            let twice = "--picture and --save name the same file\nallowed: a file for each";
            return Err(Error::Usage(twice.to_string()));
        }
        let canvas = output.picture.as_deref().map(Output::new).transpose()?;
        Ok(Self { file, save, canvas, picture: output.picture.as_deref(), theme: output.theme })
    }

    fn write(self, run: &TraceFile, catalogue: &Catalogue, watch: &dyn Watch) -> Result<Shown, Error> {
        let (setup, mut execution, mut summary) = run.replay(catalogue, watch, |run| run.log())?;
        if let Some(detail) = run.never_ends(&setup).filter(|_| summary.verdict == Verdict::Unknown) {
            summary.violations.push(Violation { property: FINISHES, detail });
        }
        let mut shown = Shown { steps: execution.run.take_log(), ..Shown::default() };
        let text = run.to_text()?;
        let saved = self.save.map_or_else(|| Output::new(&self.file), Ok).and_then(|save| save.write(&text));
        match saved {
            Ok(()) => shown.file = Some(self.file.clone()),
            // The answer is worth more than the file.
            Err(error) => shown.trouble = Some(error.to_string()),
        }
        if let Some(canvas) = self.canvas {
            let rerun = format!("ringleader replay {}", quoted(&self.file.display().to_string()));
            canvas.write(&picture::draw(&setup, &summary, &shown.steps, &rerun, self.theme))?;
            shown.picture = self.picture.map(Path::to_path_buf);
        }
        Ok(shown)
    }
}

/// What there is of a counterexample besides its figures.
#[derive(Default)]
struct Shown {
    steps: Vec<Step>,
    file: Option<PathBuf>,
    picture: Option<PathBuf>,
    /// Why there is no file.
    trouble: Option<String>,
}

/// Refuses to write over what is no recorded run. What goes to a device or a pipe replaces nothing.
fn spare(file: &Path) -> Result<(), Error> {
    if is_device(file) || !file.exists() || read_trace(file).is_ok() {
        return Ok(());
    }
    Err(Error::Usage(format!(
        "--save is {}, which is there and is no recorded run\nallowed: a file that is not there, or one written by \
         `ringleader check` or `ringleader run --trace`",
        file.display()
    )))
}
