//! `ringleader check`: every schedule of small instances.

mod checkpoints;
mod extremes;
mod lock_step;
mod text;

use std::io::Write;
use std::path::{Path, PathBuf};

use ringleader::check::{
    CheckOptions, CheckReport, CheckSetup, CheckVerdict, ProbabilityReport, ProbabilityRow, RandomSchedules, Row,
    SizeCheck, SizeReport, Total, Violated, grow, simulate, survey,
};
use ringleader::picture::Theme;
use ringleader::{Catalogue, CommandLine, Entry, StepReport, TraceFile, Watch, picture, program, quoted};
use ringleader_model::{Numbering, Topology};
use ringleader_sim::Step;

use crate::arguments::{CheckArguments, CheckOutput, check_of};
use crate::commands::after_trouble;
use crate::error::{Error, Exit};
use crate::export::Export;
use crate::files::{Content, Output, RunFiles, is_same_file, is_standard};
use crate::json::print_json;
use crate::lab::{self, LabRun, lab_line};
use crate::partial;
use crate::signals::exhaustion_is_inconclusive;
use crate::watch::Terminal;

use self::checkpoints::{Asked, resume_line};
use self::extremes::ExtremeFiles;

/// Advice for a check that takes long.
const SMALLER: &str = "fewer processors (-n), one order (--ids), fewer --entries or faults are checked faster; --timeout \
                       SECONDS, --max-states or Ctrl-C end a check with partial results";

/// The same for one without a number of processors.
const GROWING: &str = "the number of processors grows for a minute; -n N checks one number, --timeout SECONDS sets another \
                       time, Ctrl-C ends a check with partial results";
/// The time for growing numbers of processors.
const GROWING_SECONDS: u64 = 60;
/// The seed of random schedules unless told otherwise.
const FIRST_SEED: u64 = 1;

/// Checks, shows what was found and writes a counterexample down where that is asked for.
pub(crate) fn check(
    arguments: CheckArguments,
    catalogue: &Catalogue,
    watch: &Terminal,
    out: &mut impl Write,
) -> Result<Exit, Error> {
    exhaustion_is_inconclusive();
    let given = (arguments.protocol, arguments.options, arguments.extremes.is_some());
    let force = (catalogue, arguments.output.force);
    let Asked { protocol, mut options, directory } = Asked::new(given, &arguments.checkpoints, force, watch)?;
    let (protocol, of_run) = std::mem::take(&mut options.options).with_election(&protocol);
    options.options = of_run;
    let entry = catalogue.find(&protocol)?;
    let grows = !options.has_size()
        && arguments.probability.is_none()
        && !arguments.anonymous
        && arguments.simulate.is_none()
        && arguments.output.dot.is_none();
    watch.hint(if grows { GROWING } else { SMALLER });
    if let Some(seconds) = arguments.timeout.or(grows.then_some(GROWING_SECONDS)) {
        watch.stop_after(seconds);
    }
    let output = &arguments.output;
    if output.open {
        lab::validate(entry, 0)?;
    }
    if arguments.anonymous {
        return lock_step::show(entry, &options, output, watch, out);
    }
    if let Some(phases) = arguments.probability {
        // Probabilities are those of one numbering of ports.
        if entry.description().assumptions.topology == Topology::Complete {
            options.options.ports.get_or_insert(Numbering::Plain);
        }
        let check = CheckSetup::new(entry, &options)?;
        let line = options.command_line(entry.name(), check.family.n);
        let export = arguments.export.as_deref().map(|path| Export::new(path, output.force)).transpose()?;
        return probabilities(&check, (phases, export), line, output.json, watch, out);
    }
    let CheckFiles { run: files, extreme, graph, aside } = CheckFiles::new(entry, &options, output)?;
    if let Some(schedules) = arguments.simulate {
        let seed = arguments.seed.unwrap_or(FIRST_SEED);
        let found = simulate(entry, &options, schedules, seed, watch)?;
        let mut line = options.command_line(entry.name(), found.setup.family.n);
        line.value("--simulate", Some(schedules));
        line.value("--seed", Some(seed));
        return show_schedules(&found, line.into_text(), (files, catalogue), (output, aside), watch, out);
    }
    let sizes = if grows { grow(entry, &options, watch)? } else { vec![SizeCheck::new(entry, &options, watch)?] };
    watch.clear();
    let SizeCheck { setup: check, survey } = SizeCheck::decided(&sizes);
    let total = Total::new(check, survey);
    let rerun = options.command_line(entry.name(), check.family.n).into_text();
    let mut shown = Shown::of_total(files, &total, catalogue, &rerun, output.theme)?;
    if let Some(GraphFile { file, text }) = graph {
        let path = file.path.clone();
        shown.keep(path, file.write(&text));
    }
    let mut report = CheckReport::new(check, survey, &total, None, rerun);
    if grows {
        report.sizes = sizes.iter().map(|size| size_report(size, watch)).collect();
    }
    report.resume =
        directory.filter(|_| report.is_incomplete() || grows && watch.stopped()).map(|path| resume_line(&path));
    let exit = match total.verdict() {
        // The time for growing sizes is always used up, unless they are interrupted.
        CheckVerdict::Holds if grows && !watch.is_late() && !total.is_exceeded() => watch.exit().unwrap_or(Exit::Held),
        _ => verdict_exit(&total, watch),
    };
    let rerun = report.rerun.clone();
    let shown = show(report, check, shown, (output, aside), watch, out)?;
    let written = extreme.map(|extreme| {
        let mut stderr = anstream::AutoStream::auto(std::io::stderr());
        let mut out: &mut dyn Write = if aside { &mut stderr } else { out };
        extreme.write(check, &total, catalogue, &rerun, (output, watch), &mut out)
    });
    let opened = shown.open(output, out);
    let trouble = shown.trouble.or(written.and_then(Result::err)).or_else(|| watch.checkpoint_trouble()).or(opened);
    after_trouble(exit, trouble, out)
}

/// Shows what random schedules have found.
fn show_schedules(
    found: &RandomSchedules,
    rerun: String,
    (files, catalogue): (RunFiles, &Catalogue),
    (output, aside): (&CheckOutput, bool),
    watch: &Terminal,
    out: &mut impl Write,
) -> Result<Exit, Error> {
    watch.clear();
    let total = Total::new(&found.setup, &found.survey);
    let shown = Shown::of_total(files, &total, catalogue, &rerun, output.theme)?;
    let report = found.report(&total, rerun);
    let exit = verdict_exit(&total, watch);
    let shown = show(report, &found.setup, shown, (output, aside), watch, out)?;
    let opened = shown.open(output, out);
    after_trouble(exit, shown.trouble.or(opened), out)
}

/// The exit code of a verdict.
fn verdict_exit(total: &Total<'_>, watch: &Terminal) -> Exit {
    match total.verdict() {
        CheckVerdict::Violated => Exit::Violated,
        _ if total.is_exceeded() => Exit::Violated,
        CheckVerdict::Unknown => watch.exit().unwrap_or(Exit::Inconclusive),
        CheckVerdict::Holds => Exit::Held,
    }
}

/// Shows a report. `aside`: standard output has a file.
fn show(
    mut report: CheckReport,
    check: &CheckSetup,
    mut shown: Shown,
    (output, aside): (&CheckOutput, bool),
    watch: &Terminal,
    out: &mut impl Write,
) -> Result<Shown, Error> {
    if let Some(counterexample) = &mut report.counterexample {
        shown.lab = lab_line(check.entry, check.family.n as u64, shown.file.as_deref(), &report.rerun);
        counterexample.file.clone_from(&shown.file);
        counterexample.trace = StepReport::all(&shown.steps, counterexample.ids.as_deref().unwrap_or_default());
    }
    if watch.is_late() && report.ran_out.is_some() {
        report.ran_out = Some("time".to_string());
    }
    let mut stderr = anstream::AutoStream::auto(std::io::stderr());
    let mut out: &mut dyn Write = if aside { &mut stderr } else { out };
    let out = &mut out;
    if output.json {
        print_json(&report, out)?;
    } else {
        text::report(&report, check, &shown, output.all, out)?;
    }
    Ok(shown)
}

/// The report of one size, with time as its limit if that was it.
fn size_report(size: &SizeCheck, watch: &Terminal) -> SizeReport {
    let total = Total::new(&size.setup, &size.survey);
    let mut report = SizeReport::new(&CheckReport::new(&size.setup, &size.survey, &total, None, String::new()));
    if watch.is_late() {
        report.ran_out = report.ran_out.map(|_| "time".to_string());
    }
    report
}

fn probabilities(
    check: &CheckSetup,
    (phases, export): (Option<u32>, Option<Export>),
    mut line: CommandLine,
    json: bool,
    watch: &Terminal,
    out: &mut impl Write,
) -> Result<Exit, Error> {
    line.flag(&phases.map_or("--probability".to_string(), |phases| format!("--probability={phases}")), true);
    let mut report = ProbabilityReport::new(check, phases, line.into_text(), watch)?;
    watch.clear();
    if watch.is_late() {
        report.ran_out = report.ran_out.map(|_| "time".to_string());
    }
    if json {
        print_json(&report, out)?;
    } else {
        text::probabilities(&report, check, out)?;
    }
    let written = match (&report.model, export) {
        (Some(model), Some(export)) => export.write(model, &report),
        _ => Ok(()),
    };
    let exit = match report.ran_out {
        _ if report.is_exceeded() => Exit::Violated,
        Some(_) => watch.exit().unwrap_or(Exit::Inconclusive),
        None => Exit::Held,
    };
    after_trouble(exit, written.err(), out)
}

/// Checks a row of the record again.
pub fn recheck(row: &Row) -> Result<CheckReport, Error> {
    let (check, line) = recorded_check(row.command.split_whitespace())?;
    let survey = survey(&check, &Terminal::default())?;
    Ok(CheckReport::new(&check, &survey, &Total::new(&check, &survey), None, line.into_text()))
}

/// Computes the probabilities of a row of the record again.
pub fn recheck_probability(row: &ProbabilityRow) -> Result<ProbabilityReport, Error> {
    let words = row.command.split_whitespace().filter(|word| *word != "--probability");
    let (check, mut line) = recorded_check(words)?;
    line.flag("--probability", true);
    Ok(ProbabilityReport::new(&check, None, line.into_text(), &Terminal::default())?)
}

/// The check of a recorded command line, and the line that repeats it.
fn recorded_check<'a>(words: impl Iterator<Item = &'a str>) -> Result<(CheckSetup, CommandLine), Error> {
    let (protocol, options) = check_of(words.skip(2))?;
    let entry = ringleader::find(&protocol)?;
    let check = CheckSetup::new(entry, &options)?;
    let line = options.command_line(entry.name(), check.family.n);
    Ok((check, line))
}

/// The files of a check, opened before it begins.
struct CheckFiles {
    /// Of a counterexample.
    run: RunFiles,
    extreme: Option<ExtremeFiles>,
    graph: Option<GraphFile>,
    /// Standard output has one of them.
    aside: bool,
}

impl CheckFiles {
    fn new(entry: &'static dyn Entry, options: &CheckOptions, output: &CheckOutput) -> Result<Self, Error> {
        let extreme = ExtremeFiles::new(output)?;
        if let Some(extreme) = &extreme {
            extreme.validate(&CheckSetup::new(entry, options)?)?;
        }
        // Of two schedules the one that was asked for is drawn.
        let picture = output.picture.as_deref().filter(|_| extreme.is_none());
        let save = output.save.as_deref().map(|path| ("--save", path));
        let run = RunFiles::new(save, picture, output.force)?;
        let graph = output.dot.as_deref().map(|path| GraphFile::new(path, output, &CheckSetup::new(entry, options)?));
        let graph = graph.transpose()?;
        let aside = run.aside
            || extreme.as_ref().is_some_and(|extreme| extreme.files.aside)
            || graph.as_ref().is_some_and(|graph| is_standard(&graph.file.path));
        Ok(Self { run, extreme, graph, aside })
    }
}

/// The graph of all states, and its file.
struct GraphFile {
    file: Output,
    text: String,
}

impl GraphFile {
    /// The graph of a check's one instance. A file that is named for something else, too, is refused.
    fn new(path: &Path, output: &CheckOutput, check: &CheckSetup) -> Result<Self, Error> {
        for (option, other) in [("--save", &output.save), ("--picture", &output.picture)] {
            if other.as_deref().is_some_and(|other| is_same_file(other, path)) {
                let wrong =
                    format!("--dot and {option} name the same file, {}\nallowed: a file for each", path.display());
                return Err(Error::Usage(wrong));
            }
        }
        let text = check.dot()?;
        let file = Output::new("--dot", path, Content::Graph, output.force)?;
        if is_standard(path) {
            partial::set_aside();
        }
        Ok(Self { file, text })
    }
}

/// A counterexample as it is shown and written.
#[derive(Default)]
pub(crate) struct Shown {
    steps: Vec<Step>,
    /// Whether it was written, to a file or to standard output.
    saved: bool,
    pub(crate) file: Option<PathBuf>,
    pub(crate) picture: Option<PathBuf>,
    /// The line that opens it in the lab.
    pub(crate) lab: Option<String>,
    /// The schedule as a run.
    run: Option<TraceFile>,
    /// Why there is no file.
    pub(crate) trouble: Option<Error>,
}

impl Shown {
    /// The counterexample of a check, if there is one.
    fn of_total(
        files: RunFiles,
        total: &Total<'_>,
        catalogue: &Catalogue,
        rerun: &str,
        theme: Theme,
    ) -> Result<Self, Error> {
        match total.shortest {
            Some((_, Violated { run: Ok(run), .. })) => Self::write(files, run, catalogue, rerun, theme),
            Some((_, Violated { run: Err(error), .. })) => {
                Ok(Self { trouble: Some(error.clone().into()), ..Self::default() })
            }
            None => Ok(Self::default()),
        }
    }

    /// Replays a counterexample and writes its files. A file that cannot be written is reported after the verdict.
    pub(crate) fn write(
        files: RunFiles,
        run: &TraceFile,
        catalogue: &Catalogue,
        rerun: &str,
        theme: Theme,
    ) -> Result<Self, Error> {
        let (setup, mut execution, mut summary) = run.replay(catalogue, &(), |run| run.log())?;
        summary.violations.extend(run.recorded_violation(&setup, &summary));
        let mut shown = Self { steps: execution.run.take_log(), run: Some(run.clone()), ..Self::default() };
        let mut rerun = rerun.to_string();
        if let Some(save) = files.trace {
            let path = save.path.clone();
            let saved = run.to_text().map_err(Error::from).and_then(|text| save.write(&text));
            rerun = format!("{} replay {}", program(), quoted(&path.display().to_string()));
            shown.saved = saved.is_ok();
            shown.file = shown.keep(path, saved);
        }
        if let Some(canvas) = files.picture {
            let path = canvas.path.clone();
            let drawn = canvas.write(&picture::draw(&setup, &summary, &shown.steps, &rerun, theme));
            shown.picture = shown.keep(path, drawn);
        }
        Ok(shown)
    }

    /// Opens the counterexample in the lab, where that is asked for; returns why it could not.
    fn open(&self, output: &CheckOutput, out: &mut impl Write) -> Option<Error> {
        match &self.run {
            _ if !output.open => None,
            Some(run) => lab::open(|| LabRun::of_schedule(run, true), out),
            None => {
                let _ = writeln!(std::io::stderr(), "note: there is no counterexample to open");
                None
            }
        }
    }

    /// The file that was written, if it was one; notes the first reason why one was not.
    fn keep(&mut self, path: PathBuf, written: Result<(), Error>) -> Option<PathBuf> {
        match written {
            Ok(()) => Some(path).filter(|path| !is_standard(path)),
            Err(error) => {
                self.trouble.get_or_insert(error);
                None
            }
        }
    }
}
