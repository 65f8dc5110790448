//! What each command does.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use ringleader::picture::{Recording, Theme};
use ringleader::{Catalogue, Entry, Execution, Options, RunReport, Setup, StepReport, TraceFile, Watch};
use ringleader::{about, claim, league, listed, picture, quoted, shrink};
use ringleader_model::{BadSetting, MutualExclusion, Problem, ReadersWriters, Violation};
use ringleader_sim::{Choices, FINISHES, Step, Summary, Verdict};
use schemars::JsonSchema;
use serde::Serialize;

use crate::arguments::{Arguments, Command, Competition, LeagueArguments, RunArguments, TableArguments};
use crate::bench::Benchmark;
use crate::error::{Error, Exit};
use crate::files::{Output, read_trace};
use crate::json::{print_json, print_rows};
use crate::schema::print_schema;
use crate::watch::{Terminal, catch_interrupts};
use crate::{check, doctor, memory, shell, text};

/// Runs the program on the arguments it was called with, for these protocols and all that come along.
pub fn main_with(own: &[&'static dyn Entry]) -> ExitCode {
    ExitCode::from(run_program(&Catalogue::with(own)) as u8)
}

fn run_program(catalogue: &Catalogue) -> Exit {
    let mut arguments = match Arguments::try_parse().map_err(Error::from) {
        Ok(arguments) => arguments,
        Err(Error::Arguments(error)) => {
            // Help and version are not errors; a reader that has gone is no reason to complain.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage } else { Exit::Held };
        }
        Err(error) => return complain(&error),
    };
    arguments.presentation.settle();
    if let Err(error) = arguments.complete(catalogue) {
        return complain(&error);
    }
    catch_interrupts();
    // A report of a million processors has millions of small pieces; a line at a time would take seconds.
    let mut out = io::BufWriter::new(anstream::AutoStream::auto(io::stdout().lock()));
    let gone = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    let ended = dispatch(arguments, catalogue, &mut out).and_then(|exit| match out.flush() {
        // What was found is so, whether or not anybody reads it.
        Err(error) if !gone(&error) => Err(error.into()),
        _ => Ok(exit),
    });
    match ended {
        Ok(exit) => exit,
        // Whoever read our output has read enough.
        Err(Error::Io(error)) if gone(&error) => Exit::Held,
        Err(error) => complain(&error),
    }
}

fn complain(error: &Error) -> Exit {
    let mut stderr = anstream::AutoStream::auto(io::stderr().lock());
    let _ = writeln!(stderr, "{}error:{} {error}", text::BAD.render(), text::BAD.render_reset());
    error.exit()
}

fn dispatch(arguments: Arguments, catalogue: &Catalogue, out: &mut impl Write) -> Result<Exit, Error> {
    let watch = &Terminal::default();
    match arguments.command {
        None => show_league(&arguments.league, catalogue, watch, out),
        Some(Command::League { problem: Competition::Election, league }) => show_league(&league, catalogue, watch, out),
        Some(Command::League { problem: Competition::MutualExclusion, league }) => {
            show_sharing(MutualExclusion::NAME, &league, catalogue, watch, out)
        }
        Some(Command::League { problem: Competition::ReadersWriters, league }) => {
            show_sharing(ReadersWriters::NAME, &league, catalogue, watch, out)
        }
        Some(Command::Table(arguments)) => show_table(*arguments, watch, out),
        Some(Command::List { problem, json }) => {
            let unknown = |bad: BadSetting| Error::Usage(format!("problem {}\nallowed: {}", bad.wrong, bad.allowed));
            let listed = listed(catalogue, problem.as_deref()).map_err(unknown)?;
            if json { print_rows(&listed, out) } else { ok(text::list(&listed, out)) }
        }
        Some(Command::Info { protocol, json }) => {
            let about = about(catalogue, &protocol)?;
            if json { print_json(&about, out) } else { ok(text::info(&about, out)) }
        }
        Some(Command::Run(arguments)) => run(*arguments, catalogue, watch, out),
        Some(Command::Replay { file, shrink: true, output, json, .. }) => {
            shorten(&file, output, json, catalogue, watch, out)
        }
        Some(Command::Replay { file, picture, theme, all, json, .. }) => {
            let picture = picture.as_deref().map(|path| (path, theme));
            replay(&file, picture, (all, json), catalogue, watch, out)
        }
        Some(Command::Bench { workload, n, json }) => bench(workload, n, json, out),
        Some(Command::Check(arguments)) => check::check(*arguments, catalogue, watch, out),
        Some(Command::Schema { shape }) => print_schema(shape, out),
        Some(Command::Completions { shell }) => ok(shell::completions(shell, catalogue, out)),
        Some(Command::Man { command, dir }) => shell::manual(command.as_deref(), dir.as_deref(), out),
        Some(Command::Doctor { json }) => show_doctor(json, out),
    }
}

/// How a command ends that shows a run.
fn exit_of(setup: &Setup, summary: &Summary, watch: &dyn Watch) -> Exit {
    match summary.verdict {
        Verdict::Violated => Exit::Violated,
        _ if setup.is_exceeded(summary) => Exit::Violated,
        _ if watch.stopped() => Exit::Interrupted,
        Verdict::Unknown => Exit::Inconclusive,
        Verdict::Held => Exit::Held,
    }
}

fn ok(written: io::Result<()>) -> Result<Exit, Error> {
    written?;
    Ok(Exit::Held)
}

/// How a command ends that shows a league, some lines of which may have failed.
fn exit_of_league(mut failed: impl Iterator<Item = bool>, watch: &dyn Watch) -> Exit {
    match failed.any(|failed| failed) {
        true => Exit::Violated,
        false if watch.stopped() => Exit::Interrupted,
        false => Exit::Held,
    }
}

fn show_league(
    league: &LeagueArguments,
    catalogue: &Catalogue,
    watch: &Terminal,
    out: &mut impl Write,
) -> Result<Exit, Error> {
    let (n, seed) = (league.n.unwrap_or(league::SIZE), league.seed.unwrap_or(1));
    let entries = league::table(catalogue, n, seed, watch)?;
    watch.clear();
    if league.json {
        print_rows(&entries, out)?;
    } else {
        text::league(&entries, n, seed, out)?;
    }
    Ok(exit_of_league(entries.iter().map(|entry| entry.failed), watch))
}

fn show_sharing(
    problem: &str,
    league: &LeagueArguments,
    catalogue: &Catalogue,
    watch: &Terminal,
    out: &mut impl Write,
) -> Result<Exit, Error> {
    let (sites, seed) = (league.n.unwrap_or(league::sharing::SITES), league.seed.unwrap_or(1));
    let entries = league::sharing::table(catalogue, problem, sites, seed, watch)?;
    watch.clear();
    if league.json {
        print_rows(&entries, out)?;
    } else {
        text::sharing(problem, &entries, (sites, seed), out)?;
    }
    Ok(exit_of_league(entries.iter().map(|entry| entry.failed), watch))
}

fn show_table(arguments: TableArguments, watch: &Terminal, out: &mut impl Write) -> Result<Exit, Error> {
    let verified = claim::verify(arguments.claim, &arguments.options.into(), arguments.runs, watch)?;
    watch.clear();
    if arguments.json {
        print_json(&verified, out)?;
    } else {
        text::claim(&verified, out)?;
    }
    Ok(match verified.violated {
        _ if watch.stopped() => Exit::Interrupted,
        // Where a claim says nothing, or no run came to an end, nothing holds.
        _ if verified.rows.is_empty() => Exit::Inconclusive,
        true => Exit::Violated,
        false => Exit::Held,
    })
}

/// How many steps are shown at either end of a long run.
const SHOWN: usize = 30;

fn run(arguments: RunArguments, catalogue: &Catalogue, watch: &Terminal, out: &mut impl Write) -> Result<Exit, Error> {
    let (protocol, options) = Options::from(arguments.options).with_election(&arguments.protocol);
    let entry = catalogue.find(&protocol)?;
    memory::check(options.size())?;
    let setup = Setup::new(entry, options)?;
    let mut execution = Execution::new(&setup, Choices::Drawn)?;
    let canvas = arguments.picture.as_deref().map(Output::new).transpose()?;
    let output = arguments.trace.as_deref().map(Output::new).transpose()?;
    if output.is_some() {
        execution.run.record();
    }
    if arguments.steps || canvas.is_some() {
        execution.run.log();
    }
    let mut steps = Vec::new();
    let mut recording = canvas.is_some().then(|| Recording::new(&setup.scenario));
    let ended = match &mut recording {
        Some(recording) => record(&mut execution, recording, arguments.steps.then_some(&mut steps), watch),
        None => execution.finish(watch),
    };
    watch.clear();
    let summary = execution.run.summary();
    steps.extend(execution.run.take_log());
    let report = RunReport::new(&setup, &summary);
    if let (Some(canvas), Some(mut recording)) = (canvas, recording) {
        canvas.write(&recording.draw(&picture::scene(&setup, &summary, &report.rerun), arguments.theme))?;
    }
    if let Some(output) = output {
        let mut trace = TraceFile::new(&setup, execution.run.as_ref(), &summary);
        trace.position = (!ended).then(|| execution.run.position());
        output.write(&trace.to_text()?)?;
    }
    if arguments.json {
        let steps = arguments.steps.then(|| StepReport::all(&steps, &setup.scenario.ids));
        print_json(&Stepped { report: &report, steps }, out)?;
    } else {
        if arguments.steps {
            text::steps(&steps, &setup, usize::MAX, out)?;
        }
        text::report(&report, &setup, arguments.trace.as_deref(), out)?;
        drawn(arguments.picture.as_deref(), out)?;
    }
    Ok(exit_of(&setup, &summary, watch))
}

/// Runs to the end, or until it is stopped, and hands on the steps as they are taken: those of a large run do not fit into
/// memory. True if it came to its end.
fn record(
    execution: &mut Execution,
    recording: &mut Recording,
    mut steps: Option<&mut Vec<Step>>,
    watch: &dyn Watch,
) -> bool {
    loop {
        let over = execution.advance(1 << 12);
        let taken = execution.run.take_log();
        if let Some(steps) = &mut steps {
            steps.extend(taken.iter().cloned());
        }
        recording.extend(taken);
        if over || watch.stopped() {
            return over;
        }
        watch.running(execution.run.as_ref());
    }
}

/// Says where the picture is.
fn drawn(picture: Option<&Path>, out: &mut impl Write) -> io::Result<()> {
    picture.map_or(Ok(()), |path| writeln!(out, "  picture    {}", path.display()))
}

/// A run, with its steps where they are asked for.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Report")]
pub(crate) struct Stepped<'a> {
    #[serde(flatten)]
    report: &'a RunReport,
    /// Every step, with --steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<Vec<StepReport>>,
}

/// A replayed run.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Replayed<'a> {
    #[serde(flatten)]
    report: &'a RunReport,
    /// From which step on it repeats itself for ever, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    repeats_from: Option<u64>,
    /// Every step.
    steps: Vec<StepReport>,
}

fn replay(
    file: &Path,
    picture: Option<(&Path, Theme)>,
    (all, json): (bool, bool),
    catalogue: &Catalogue,
    watch: &Terminal,
    out: &mut impl Write,
) -> Result<Exit, Error> {
    let trace = read_trace(file)?;
    memory::check(trace.size())?;
    // A file that cannot be replayed is found out before another is written.
    trace.setup(catalogue).map_err(|error| Error::from(error).in_trace(file))?;
    let canvas = picture.map(|(path, _)| Output::new(path)).transpose()?;
    let replayed = trace.replay(catalogue, watch, |run| run.log());
    let (setup, mut execution, mut summary) = replayed.map_err(|error| Error::from(error).in_trace(file))?;
    watch.clear();
    if let Some(detail) = trace.never_ends(&setup).filter(|_| summary.verdict == Verdict::Unknown) {
        summary.violations.push(Violation { property: FINISHES, detail });
        summary.verdict = Verdict::Violated;
    }
    let kept = execution.run.take_log();
    let mut report = RunReport::new(&setup, &summary);
    report.notes.extend(trace.note().map(str::to_string));
    report.rerun = format!("ringleader replay {}", quoted(&file.display().to_string()));
    if let (Some(canvas), Some((_, theme))) = (canvas, picture) {
        canvas.write(&picture::draw(&setup, &summary, &kept, &report.rerun, theme))?;
    }
    if json {
        let steps = StepReport::all(&kept, &setup.scenario.ids);
        print_json(&Replayed { report: &report, repeats_from: trace.repeats_from, steps }, out)?;
    } else {
        text::steps(&kept, &setup, if all { usize::MAX } else { SHOWN }, out)?;
        text::report(&report, &setup, None, out)?;
        drawn(picture.map(|(path, _)| path), out)?;
    }
    Ok(exit_of(&setup, &summary, watch))
}

/// A failing run that was shortened.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Shortened<'a> {
    /// Where it is.
    file: &'a Path,
    /// How many processors there were before and after.
    processors: [usize; 2],
    /// How many choices there were before and after.
    choices: [usize; 2],
    /// The line that shows it.
    rerun: String,
}

fn shorten(
    file: &Path,
    output: Option<PathBuf>,
    json: bool,
    catalogue: &Catalogue,
    watch: &Terminal,
    out: &mut impl Write,
) -> Result<Exit, Error> {
    let trace = read_trace(file)?;
    memory::check(trace.size())?;
    let path = output.unwrap_or_else(|| file.with_extension("shrunk.json"));
    let output = Output::new(&path)?;
    let short = shrink(&trace, catalogue, watch).map_err(|error| Error::from(error).in_trace(file))?;
    watch.clear();
    output.write(&short.to_text()?)?;
    let processors = [trace.setup(catalogue)?.scenario.n, short.setup(catalogue)?.scenario.n];
    let choices = [trace.choices.len(), short.choices.len()];
    let rerun = format!("ringleader replay {}", quoted(&path.display().to_string()));
    if json {
        print_json(&Shortened { file: &path, processors, choices, rerun }, out)?;
    } else {
        let [before, after] = processors;
        writeln!(out, "{before} processors and {} choices became {after} and {}", choices[0], choices[1])?;
        writeln!(out, "written to {}\nshow it: {rerun}", path.display())?;
    }
    Ok(Exit::Violated)
}

fn bench(workload: Option<Benchmark>, n: u64, json: bool, out: &mut impl Write) -> Result<Exit, Error> {
    let chosen = workload.map_or(Benchmark::ALL.to_vec(), |one| vec![one]);
    let mut measured = Vec::new();
    for one in chosen {
        measured.push(one.measure(n)?);
        if !json {
            text::measurement(&measured[measured.len() - 1], measured.len() == 1, out)?;
        }
    }
    match (json, workload) {
        (true, Some(_)) => print_json(&measured[0], out),
        (true, None) => print_rows(&measured, out),
        (false, _) => Ok(Exit::Held),
    }
}

fn show_doctor(json: bool, out: &mut impl Write) -> Result<Exit, Error> {
    let findings = doctor::examine()?;
    if json {
        print_rows(&findings, out)?;
    } else {
        text::doctor(&findings, out)?;
    }
    Ok(if findings.iter().all(|finding| finding.good) { Exit::Held } else { Exit::Environment })
}
