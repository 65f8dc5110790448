//! `ringleader check`: every schedule of small instances.

mod chances;
mod engine;
mod instances;
mod options;
mod question;
mod record;
mod report;
mod survey;
mod text;

use std::io::Write;
use std::path::{Path, PathBuf};

use ringleader_sim::Step;

pub use chances::ChancesReport;
pub(crate) use options::CheckArguments;
pub use record::{Figures, Row, document};
pub use report::CheckReport;

use self::engine::Wrong;
use self::question::Question;
use self::report::Total;
use crate::commands::print_json;
use crate::error::{Error, Exit};
use crate::options::quoted;
use crate::picture;
use crate::trace_file::{Output, TraceFile, is_device};

/// Checks, shows what was found and writes a counterexample down.
pub(crate) fn check(arguments: &CheckArguments, out: &mut impl Write) -> Result<Exit, Error> {
    let question = Question::new(&arguments.protocol, &arguments.options)?;
    let output = &arguments.output;
    let rerun = arguments.rerun(question.plan.description.name, question.family.n);
    if let Some(phases) = arguments.probability {
        let report = chances::chances(&question, phases, rerun)?;
        if output.json {
            print_json(&report, out)?;
        } else {
            report.write(&question, out)?;
        }
        return Ok(report.exit());
    }
    let file = output
        .save
        .clone()
        .unwrap_or_else(|| PathBuf::from(format!("{}.counterexample.json", question.plan.description.name)));
    spare(&file)?;
    // Asked for by name, a file that cannot be written is found out before the work.
    let save = output.save.as_deref().map(Output::new).transpose()?;
    if output.picture.as_ref() == Some(&file) {
        let twice = "--picture and --save name the same file\nallowed: a file for each";
        return Err(Error::Usage(twice.to_string()));
    }
    let canvas = output.picture.as_deref().map(Output::new).transpose()?;
    if output.picture.is_some() {
        picture::check(question.plan.scenario.n, 0)?;
    }
    let survey = survey::survey(&question)?;
    let total = Total::new(&question, &survey);
    let mut shown = Shown::default();
    match total.shortest {
        Some((_, Wrong { run: Ok(run), .. })) => {
            let (plan, mut execution, summary) = run.replay(|execution| execution.run.log())?;
            shown.steps = execution.run.take_log();
            let saved = save.map_or_else(|| Output::new(&file), Ok).and_then(|save| save.write(&run.to_text()));
            match saved {
                Ok(()) => shown.file = Some(file.clone()),
                // The answer is worth more than the file.
                Err(error) => shown.trouble = Some(error.to_string()),
            }
            if let Some(canvas) = canvas {
                picture::check(plan.scenario.n, summary.cost.messages())?;
                let rerun = format!("ringleader replay {}", quoted(&file.display().to_string()));
                canvas.write(&picture::draw(&plan, &execution, &summary, &shown.steps, &rerun))?;
                shown.picture.clone_from(&output.picture);
            }
        }
        Some((_, Wrong { run: Err(error), .. })) => shown.trouble = Some(error.to_string()),
        None => {}
    }
    let report = CheckReport::new(&question, &survey, &total, shown.file.clone(), rerun);
    if output.json {
        print_json(&report, out)?;
    } else {
        text::report(&report, &question, &shown, output.all, out)?;
    }
    Ok(total.exit())
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
    if is_device(file) || !file.exists() || TraceFile::read(file).is_ok() {
        return Ok(());
    }
    Err(Error::Usage(format!(
        "--save is {}, which is there and is no recorded run\nallowed: a file that is not there, or one written by \
         `ringleader check` or `ringleader run --trace`",
        file.display()
    )))
}
