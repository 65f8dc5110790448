//! What each command does.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Parser;
use ringleader_model::{MutualExclusion, Problem, ReadersWriters, Violation};
use ringleader_sim::{Choices, FINISHES, Step, Verdict};
use serde::Serialize;

use crate::arguments::{Arguments, Command, Competition, Described, LeagueArguments, RunArguments, command_line};
use crate::bench::Workload;
use crate::check::{ChancesReport, CheckReport};
use crate::error::{Error, Exit};
use crate::execution::{Execution, catch_interrupts, interrupted};
use crate::options::quoted;
use crate::plan::Plan;
use crate::report::Report;
use crate::shrink::shrink;
use crate::trace_file::{Output, TraceFile};
use crate::{check, claim, doctor, league, picture, text};

/// Runs the program on the arguments it was called with.
pub fn main() -> Exit {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are not errors; a reader that has gone is no reason to complain.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage } else { Exit::Held };
        }
    };
    catch_interrupts();
    // A report of a million processors has millions of small pieces; a line at a time would take seconds.
    let mut out = io::BufWriter::new(anstream::AutoStream::auto(io::stdout().lock()));
    let gone = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    let ended = dispatch(arguments, &mut out).and_then(|exit| match out.flush() {
        // What was found is so, whether or not anybody reads it.
        Err(error) if !gone(&error) => Err(error.into()),
        _ => Ok(exit),
    });
    match ended {
        Ok(exit) => exit,
        // Whoever read our output has read enough.
        Err(Error::Io(error)) if gone(&error) => Exit::Held,
        Err(error) => {
            let mut stderr = anstream::AutoStream::auto(io::stderr().lock());
            let _ = writeln!(stderr, "{}error:{} {error}", text::BAD.render(), text::BAD.render_reset());
            error.exit()
        }
    }
}

fn dispatch(arguments: Arguments, out: &mut impl Write) -> Result<Exit, Error> {
    match arguments.command {
        None => show_league(&arguments.league, out),
        Some(Command::League { problem: Competition::Election, league }) => show_league(&league, out),
        Some(Command::League { problem: Competition::MutualExclusion, league }) => {
            show_sharing(MutualExclusion::NAME, &league, out)
        }
        Some(Command::League { problem: Competition::ReadersWriters, league }) => {
            show_sharing(ReadersWriters::NAME, &league, out)
        }
        Some(Command::Table(arguments)) => {
            let verified = claim::verify(arguments.claim, &arguments.options, arguments.runs)?;
            if arguments.json {
                print_json(&verified, out)?;
            } else {
                text::claim(&verified, out)?;
            }
            Ok(verified.exit)
        }
        Some(Command::List { json: true }) => print_json(&text::listed(), out),
        Some(Command::List { json: false }) => ok(text::list(out)),
        Some(Command::Info { protocol, json }) => {
            let about = text::about(&protocol)?;
            if json { print_json(&about, out) } else { ok(text::info(&about, out)) }
        }
        Some(Command::Run(mut arguments)) => {
            (arguments.protocol, arguments.options) = arguments.options.with_election(&arguments.protocol);
            run(&arguments, out)
        }
        Some(Command::Replay { file, shrink: true, output, json, .. }) => shorten(&file, output, json, out),
        Some(Command::Replay { file, picture, all, json, .. }) => replay(&file, picture.as_deref(), all, json, out),
        Some(Command::Bench { workload, n, json }) => bench(workload, n, json, out),
        Some(Command::Check(arguments)) => check::check(&arguments, out),
        Some(Command::Schema { command: Described::Run }) => print_json(&schemars::schema_for!(Report), out),
        Some(Command::Schema { command: Described::Check }) => print_json(&schemars::schema_for!(CheckReport), out),
        Some(Command::Schema { command: Described::Probability }) => {
            print_json(&schemars::schema_for!(ChancesReport), out)
        }
        Some(Command::Completions { shell }) => {
            clap_complete::generate(shell, &mut command_line(), "ringleader", out);
            Ok(Exit::Held)
        }
        Some(Command::Man) => ok(clap_mangen::Man::new(command_line()).render(out)),
        Some(Command::Doctor { json }) => show_doctor(json, out),
    }
}

fn ok(written: io::Result<()>) -> Result<Exit, Error> {
    written?;
    Ok(Exit::Held)
}

pub(crate) fn print_json(value: &impl Serialize, out: &mut impl Write) -> Result<Exit, Error> {
    serde_json::to_writer_pretty(&mut *out, value).map_err(io::Error::from)?;
    ok(writeln!(out))
}

fn show_league(league: &LeagueArguments, out: &mut impl Write) -> Result<Exit, Error> {
    let entries = league::table(league.seed)?;
    if league.json {
        print_json(&entries, out)?;
    } else {
        text::league(&entries, league.seed, out)?;
    }
    Ok(entries.iter().map(|entry| entry.exit).max().unwrap_or(Exit::Held))
}

fn show_sharing(problem: &str, league: &LeagueArguments, out: &mut impl Write) -> Result<Exit, Error> {
    let entries = league::sharing::table(problem, league.seed)?;
    if league.json {
        print_json(&entries, out)?;
    } else {
        text::sharing(problem, &entries, league.seed, out)?;
    }
    Ok(entries.iter().map(|entry| entry.exit).max().unwrap_or(Exit::Held))
}

/// How many steps are shown at either end of a long run.
const SHOWN: usize = 30;

fn run(arguments: &RunArguments, out: &mut impl Write) -> Result<Exit, Error> {
    let plan = Plan::new(&arguments.protocol, &arguments.options)?;
    let mut execution = Execution::new(&plan, Choices::Drawn)?;
    let canvas = arguments.picture.as_deref().map(|path| canvas(path, &plan)).transpose()?;
    let output = arguments.trace.as_deref().map(Output::new).transpose()?;
    if output.is_some() {
        execution.run.record();
    }
    if arguments.steps || canvas.is_some() {
        execution.run.log();
    }
    if canvas.is_some() {
        run_small(&mut execution, plan.scenario.n)?;
    }
    execution.finish();
    let summary = execution.run.summary();
    let steps = execution.run.take_log();
    let report = Report::new(&plan, &arguments.options, &execution, &summary);
    if let Some(canvas) = canvas {
        picture::check(plan.scenario.n, summary.cost.messages())?;
        canvas.write(&picture::draw(&plan, &execution, &summary, &steps, &report.rerun))?;
    }
    if let Some(output) = output {
        output.write(&TraceFile::new(&plan, &execution, &summary).to_text())?;
    }
    if arguments.json {
        print_json(&report, out)?;
    } else {
        if arguments.steps {
            text::steps(&steps, usize::MAX, out)?;
        }
        text::report(&report, &plan, &execution, arguments.trace.as_deref(), out)?;
        drawn(arguments.picture.as_deref(), out)?;
    }
    Ok(execution.exit(&summary))
}

/// The file for a picture of a plan that is small enough, as far as can be told before it is run.
fn canvas<'a>(path: &'a Path, plan: &Plan) -> Result<Output<'a>, Error> {
    picture::check(plan.scenario.n, 0)?;
    Output::new(path)
}

/// Runs as long as what happens fits into a picture: a run with faults may never end, and all its steps are kept.
fn run_small(execution: &mut Execution, n: usize) -> Result<(), Error> {
    while !interrupted() && !execution.advance(1 << 10) {
        picture::check(n, execution.run.deliveries())?;
    }
    Ok(())
}

/// Says where the picture is.
fn drawn(picture: Option<&Path>, out: &mut impl Write) -> io::Result<()> {
    picture.map_or(Ok(()), |path| writeln!(out, "  picture    {}", path.display()))
}

#[derive(Serialize)]
struct Replayed<'a> {
    #[serde(flatten)]
    report: &'a Report,
    #[serde(skip_serializing_if = "Option::is_none")]
    repeats_from: Option<u64>,
    steps: Vec<String>,
}

fn replay(file: &Path, picture: Option<&Path>, all: bool, json: bool, out: &mut impl Write) -> Result<Exit, Error> {
    let trace = TraceFile::read(file)?;
    let plan = trace.plan().map_err(|error| error.in_trace(file))?;
    let canvas = picture.map(|path| canvas(path, &plan)).transpose()?;
    let replayed = trace.replay(|execution| execution.run.log()).map_err(|error| error.in_trace(file));
    let (plan, mut execution, mut summary) = replayed?;
    if let Some(detail) = trace.never_ends(&plan).filter(|_| summary.verdict == Verdict::Unknown) {
        summary.violations.push(Violation { property: FINISHES, detail });
        summary.verdict = Verdict::Violated;
    }
    let kept = execution.run.take_log();
    let mut report = Report::new(&plan, &trace.scenario, &execution, &summary);
    report.rerun = format!("ringleader replay {}", quoted(&file.display().to_string()));
    if let Some(canvas) = canvas {
        picture::check(plan.scenario.n, summary.cost.messages())?;
        canvas.write(&picture::draw(&plan, &execution, &summary, &kept, &report.rerun))?;
    }
    if json {
        let steps = kept.iter().map(Step::to_string).collect();
        print_json(&Replayed { report: &report, repeats_from: trace.repeats_from, steps }, out)?;
    } else {
        text::steps(&kept, if all { usize::MAX } else { SHOWN }, out)?;
        text::report(&report, &plan, &execution, None, out)?;
        drawn(picture, out)?;
    }
    Ok(execution.exit(&summary))
}

#[derive(Serialize)]
struct Shortened<'a> {
    file: &'a Path,
    processors: [usize; 2],
    choices: [usize; 2],
    rerun: String,
}

fn shorten(file: &Path, output: Option<PathBuf>, json: bool, out: &mut impl Write) -> Result<Exit, Error> {
    let trace = TraceFile::read(file)?;
    let path = output.unwrap_or_else(|| file.with_extension("shrunk.json"));
    let output = Output::new(&path)?;
    let short = shrink(&trace).map_err(|error| error.in_trace(file))?;
    output.write(&short.to_text())?;
    let processors = [trace.plan()?.scenario.n, short.plan()?.scenario.n];
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

fn bench(workload: Option<Workload>, n: u64, json: bool, out: &mut impl Write) -> Result<Exit, Error> {
    let chosen = workload.map_or(Workload::ALL.to_vec(), |one| vec![one]);
    let mut measured = Vec::new();
    for one in chosen {
        measured.push(one.measure(n)?);
        if !json {
            text::measurement(&measured[measured.len() - 1], measured.len() == 1, out)?;
        }
    }
    match (json, workload) {
        (true, Some(_)) => print_json(&measured[0], out),
        (true, None) => print_json(&measured, out),
        (false, _) => Ok(Exit::Held),
    }
}

fn show_doctor(json: bool, out: &mut impl Write) -> Result<Exit, Error> {
    let findings = doctor::examine()?;
    if json {
        print_json(&findings, out)?;
    } else {
        text::doctor(&findings, out)?;
    }
    Ok(if findings.iter().all(|finding| finding.good) { Exit::Held } else { Exit::Environment })
}
