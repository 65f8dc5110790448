//! The commands.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ringleader::league::LeagueRow;
use ringleader::league::sharing::SharingRow;
use ringleader::picture::{Recording, Theme};
use ringleader::report::grouped;
use ringleader::sweep::{MessageBreakdown, RunDistribution};
use ringleader::{
    Catalogue, Engine, Entry, Execution, Options, RunEnd, RunReport, Setup, StepReport, TraceFile, Watch,
};
use ringleader::{about, league, listed, picture, program, quoted, set_program, shrink};
use ringleader_model::{BadSetting, MutualExclusion, Problem, ReadersWriters, Task};
use ringleader_sim::{Summary, Verdict};
use schemars::JsonSchema;
use serde::Serialize;

use crate::arguments::{Arguments, Command, Competition, LeagueArguments, RunArguments};
use crate::bench::Benchmark;
use crate::error::{Error, Exit};
use crate::files::{Content, Output, Printer, RunFiles, is_standard, parse_trace, read_trace, read_trace_text};
use crate::json::{print_json, print_rows};
use crate::lab::{self, LabRun, lab_line};
use crate::partial::InterruptedReport;
use crate::schema::print_schema;
use crate::steps::{StepReports, StepSink};
use crate::text::StepWriter;
use crate::watch::Terminal;
use crate::{check, doctor, exact, memory, report, reproduce, shell, signals, sweep, text, worst};

/// Runs the program on the arguments it was called with, for these protocols and all that come along.
pub fn main_with(own: &[&'static dyn Entry]) -> ExitCode {
    memory::spare_address_space();
    if !own.is_empty()
        && let Some(name) = std::env::args_os().next().as_ref().and_then(|path| Path::new(path).file_stem())
    {
        set_program(name.to_string_lossy().into_owned());
    }
    let exit = refuse_names(own).map_or_else(|error| complain(&error), |()| run_program(&Catalogue::with(own)));
    ExitCode::from(exit as u8)
}

/// A protocol of one's own needs a name that nothing else has, and that a shell takes for one word.
fn refuse_names(own: &[&'static dyn Entry]) -> Result<(), Error> {
    for (index, entry) in own.iter().enumerate() {
        let name = entry.name();
        let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let others = own[..index].iter().chain(ringleader::catalogue()).map(|other| other.name());
        let allowed = if !name.starts_with(|c: char| c.is_ascii_lowercase()) || !name.chars().all(is_word) {
            "a name of lower-case letters, digits and dashes, such as my-protocol"
        } else if others.chain(Task::ALL.map(Task::name)).any(|other| other == name) {
            "a name that no other protocol has"
        } else {
            continue;
        };
        return Err(Error::Usage(format!("the name of a protocol is '{name}'\nallowed: {allowed}")));
    }
    Ok(())
}

fn run_program(catalogue: &Catalogue) -> Exit {
    let mut parsed = Arguments::read();
    if let Ok(arguments) = &mut parsed {
        // Before anything is printed: it decides about colours.
        arguments.presentation.settle();
    }
    // A report of a million processors has millions of small pieces; a line at a time would take seconds.
    let mut out = io::BufWriter::new(Printer(anstream::AutoStream::auto(io::stdout().lock())));
    let ended = match parsed {
        Ok(mut arguments) => {
            signals::catch();
            arguments.complete(catalogue).and_then(|()| dispatch(arguments, catalogue, &mut out))
        }
        // Help and version are no errors.
        Err(Error::Arguments(help)) if !help.use_stderr() => ok(write!(out, "{}", help.render().ansi())),
        Err(error) => Err(error),
    };
    match ended.and_then(|exit| ok(out.flush()).map(|_| exit)) {
        Ok(exit) => exit,
        Err(error) => complain(&error),
    }
}

pub(crate) fn complain(error: &Error) -> Exit {
    if let Error::Arguments(usage) = error {
        // Nobody can be told where stderr is closed.
        let _ = usage.print();
        return Exit::Usage;
    }
    let mut stderr = anstream::AutoStream::auto(io::stderr().lock());
    let _ = writeln!(stderr, "{}error:{} {error}", text::BAD.render(), text::BAD.render_reset());
    error.exit()
}

fn dispatch(arguments: Arguments, catalogue: &Catalogue, out: &mut impl Write) -> Result<Exit, Error> {
    let watch = &Terminal::default();
    let words: Vec<String> = std::env::args().skip(1).map(|word| quoted(&word)).collect();
    let rerun = format!("{} {}", program(), words.join(" "));
    watch.keep_interrupted(InterruptedReport::new(rerun), arguments.prints_json());
    match arguments.command {
        None => show_league(&arguments.league, catalogue, watch, out),
        Some(Command::League { problem: Competition::Election, league }) => show_league(&league, catalogue, watch, out),
        Some(Command::League { problem: Competition::MutualExclusion, league }) => {
            show_sharing(MutualExclusion::NAME, &league, catalogue, watch, out)
        }
        Some(Command::League { problem: Competition::ReadersWriters, league }) => {
            show_sharing(ReadersWriters::NAME, &league, catalogue, watch, out)
        }
        Some(Command::Reproduce(arguments)) => reproduce::reproduce(*arguments, watch, out),
        Some(Command::Table { words }) => {
            let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            let now = format!("{} reproduce --table {}", program(), words.join(" "));
            Err(Error::Usage(format!("there is no command 'table' any more\nallowed: {}", now.trim_end())))
        }
        Some(Command::List { problem, json }) => {
            let unknown = |bad: BadSetting| Error::Usage(format!("problem {}\nallowed: {}", bad.wrong, bad.allowed));
            let listed = listed(catalogue, problem.as_deref()).map_err(unknown)?;
            if json { print_rows(&listed, out) } else { ok(text::list(&listed, out)) }
        }
        Some(Command::Info { protocol, json }) => {
            let about = about(catalogue, &protocol)?;
            if json { print_json(&about, out) } else { ok(text::info(&about, out)) }
        }
        Some(Command::Run(arguments)) => run(&arguments, catalogue, watch, out),
        Some(Command::Sweep(arguments)) => sweep::sweep(&arguments, catalogue, watch, out),
        Some(Command::Compare(arguments)) => sweep::compare(*arguments, catalogue, watch, out),
        Some(Command::Test(arguments)) => sweep::test(&arguments, catalogue, watch, out),
        Some(Command::Replay { file, shrink: true, output, open, force, json, .. }) => {
            shorten(&file, output, (open, force, json), catalogue, watch, out)
        }
        Some(Command::Replay { file, picture, animate, theme, force, open, all, json, .. }) => {
            let look = PictureLook { animate, theme };
            replay(&file, (picture.as_deref(), look, force), (open, all, json), catalogue, watch, out)
        }
        Some(Command::Lab(arguments)) => lab::lab(arguments, catalogue, out),
        Some(Command::Export(arguments)) => lab::export(arguments, catalogue, watch, out),
        Some(Command::Bench { workload, n, threads, json }) => {
            bench(workload, (n, threads.map_or(1, |threads| threads.of(n))), json, watch, out)
        }
        Some(Command::Check(arguments)) => check::check(*arguments, catalogue, watch, out),
        Some(Command::Exact(arguments)) => exact::exact(*arguments, catalogue, watch, out),
        Some(Command::Worst(arguments)) => worst::worst(*arguments, catalogue, watch, out),
        Some(Command::Report(arguments)) => report::report(&arguments, catalogue, out),
        Some(Command::Cite { protocol, all }) => report::cite(protocol.as_deref(), all, catalogue, out),
        Some(Command::Schema { shape }) => print_schema(shape, out),
        Some(Command::Completions { shell }) => ok(shell::completions(shell, catalogue, out)),
        Some(Command::Man { command, dir }) => shell::manual(command.as_deref(), dir.as_deref(), out),
        Some(Command::Doctor { json }) => show_doctor(json, out),
    }
}

/// The exit code of a command that shows a run.
pub(crate) fn exit_of(setup: &Setup, summary: &Summary, watch: &Terminal) -> Exit {
    match (summary.verdict, watch.exit()) {
        (Verdict::Violated, _) => Exit::Violated,
        _ if setup.is_exceeded(summary) => Exit::Violated,
        (_, Some(stopped)) => stopped,
        (Verdict::Unknown, None) => Exit::Inconclusive,
        (Verdict::Held, None) => Exit::Held,
    }
}

/// The exit code of a command that has shown its result, and then perhaps failed to write a file: a violation counts more.
pub(crate) fn after_trouble(exit: Exit, trouble: Option<Error>, out: &mut impl Write) -> Result<Exit, Error> {
    let Some(error) = trouble else { return Ok(exit) };
    out.flush()?;
    let environment = complain(&error);
    Ok(if exit == Exit::Violated { exit } else { environment })
}

fn ok(written: io::Result<()>) -> Result<Exit, Error> {
    written?;
    Ok(Exit::Held)
}

/// The exit code of a league, some rows of which may have failed, and some be missing.
fn exit_of_league(
    mut failed: impl Iterator<Item = bool>,
    out_of_memory: &[String],
    watch: &Terminal,
    out: &mut impl Write,
) -> Result<Exit, Error> {
    let exit = if failed.any(|failed| failed) { Exit::Violated } else { watch.exit().unwrap_or(Exit::Held) };
    after_trouble(exit, memory::exhausted_in(out_of_memory), out)
}

fn show_league(
    league: &LeagueArguments,
    catalogue: &Catalogue,
    watch: &Terminal,
    out: &mut impl Write,
) -> Result<Exit, Error> {
    let (n, seed) = (league.n.unwrap_or(league::SIZE), league.seed.unwrap_or(1));
    memory::announce(n)?;
    let show = |rows: &[LeagueRow], out: &mut dyn Write| match league.json {
        true => print_rows(rows, &mut &mut *out).map(drop),
        false => Ok(text::league(rows, n, seed, &mut &mut *out)?),
    };
    let table = league::table(catalogue, n, seed, watch, &mut |rows| watch.keep(printed(|out| show(rows, out))))?;
    watch.clear();
    show(&table.rows, out)?;
    exit_of_league(table.rows.iter().map(|row| row.failed), &table.out_of_memory, watch, out)
}

fn show_sharing(
    problem: &str,
    league: &LeagueArguments,
    catalogue: &Catalogue,
    watch: &Terminal,
    out: &mut impl Write,
) -> Result<Exit, Error> {
    let (sites, seed) = (league.n.unwrap_or(league::sharing::SITES), league.seed.unwrap_or(1));
    memory::announce(sites)?;
    let show = |rows: &[SharingRow], out: &mut dyn Write| match league.json {
        true => print_rows(rows, &mut &mut *out).map(drop),
        false => Ok(text::sharing(problem, rows, (sites, seed), &mut &mut *out)?),
    };
    let keep = &mut |rows: &[SharingRow]| watch.keep(printed(|out| show(rows, out)));
    let table = league::sharing::table(catalogue, problem, sites, seed, watch, keep)?;
    watch.clear();
    show(&table.rows, out)?;
    exit_of_league(table.rows.iter().map(|row| row.failed), &table.out_of_memory, watch, out)
}

/// Partial results as text.
pub(crate) fn printed(print: impl FnOnce(&mut dyn Write) -> Result<(), Error>) -> String {
    let mut text = anstream::AutoStream::new(Vec::new(), anstream::ColorChoice::Never);
    // Writing to memory does not fail.
    let _ = print(&mut text);
    String::from_utf8_lossy(&text.into_inner()).into_owned()
}

fn run(arguments: &RunArguments, catalogue: &Catalogue, watch: &Terminal, out: &mut impl Write) -> Result<Exit, Error> {
    let (protocol, options) = Options::from(arguments.options.clone()).with_election(&arguments.protocol);
    let entry = catalogue.find(&protocol)?;
    if arguments.open {
        lab::validate(entry, options.size())?;
    }
    let in_files = arguments.trace.is_some() || arguments.picture.is_some();
    let logged = in_files || arguments.steps || arguments.distribution;
    memory::reserve_for(entry, &options, logged)?;
    let mut setup = Setup::new(entry, options)?;
    check_engine(arguments, &setup)?;
    if logged {
        setup.list_identities();
    }
    setup.threads = arguments.threads.unwrap_or_default().of(setup.scenario.n as u64);
    let look = PictureLook { animate: arguments.animate, theme: arguments.theme };
    look.check(&setup)?;
    let trace = arguments.trace.as_deref().map(|path| ("--trace", path));
    let files = RunFiles::new(trace, arguments.picture.as_deref(), arguments.force)?;
    let mut stderr = anstream::AutoStream::auto(io::stderr());
    let mut out: &mut dyn Write = if files.aside { &mut stderr } else { out };
    let out = &mut out;
    let mut execution = Execution::new(&setup, setup.choices())?;
    if files.trace.is_some() {
        execution.run.record();
    }
    let recording = files.picture.is_some().then(|| Recording::new(&setup.scenario));
    let mut sink = StepSink::new(StepWriter::new(true), arguments.steps, arguments.json, recording);
    sink.breakdown = arguments.distribution.then(|| MessageBreakdown::new(&setup.scenario.identities().list()));
    watch.expect(&setup);
    watch.start();
    if arguments.steps && !arguments.json {
        watch.hide();
    }
    let ended = if sink.needs_steps() {
        execution.run.log();
        execution.finish_logged(watch, &mut |step| sink.take(step, &setup, out))
    } else {
        execution.finish(watch)
    };
    watch.clear();
    setup.check_choices(execution.run.as_ref(), ended)?;
    let summary = execution.run.summary();
    let report = RunReport::new(&setup, &summary);
    let drawing = sink.recording.take().map(|recording| look.draw(recording, &setup, &summary, &report.rerun));
    let trouble = write_run(files, &setup, (&execution, ended), &summary, drawing).err();
    let written = |path: &Option<PathBuf>| path.clone().filter(|path| trouble.is_none() && !is_standard(path));
    let bound = if sink.breakdown.is_some() { setup.identity_bound()? } else { None };
    let distribution =
        sink.breakdown.as_ref().map(|breakdown| RunDistribution::new(&summary, breakdown, bound.as_ref()));
    let exceeded = distribution.as_ref().is_some_and(RunDistribution::is_exceeded);
    let exit = if exceeded { Exit::Violated } else { exit_of(&setup, &summary, watch) };
    if arguments.json {
        print_json(&Stepped { report: &report, steps: sink.reports(&setup), distribution }, out)?;
    } else {
        sink.finish_text(&setup, out)?;
        let file = written(&arguments.trace);
        let lab = lab_line(entry, setup.scenario.n as u64, file.as_deref(), &report.rerun);
        text::report(&report, &setup, file.as_deref(), lab.as_deref().filter(|_| exit == Exit::Violated), out)?;
        distribution.map_or(Ok(()), |found| text::distribution(&found, out))?;
        drawn(written(&arguments.picture).as_deref(), out)?;
    }
    let exhausted = (ended == RunEnd::OutOfMemory).then(|| memory::exhausted(&summary));
    let violated = summary.verdict == Verdict::Violated;
    let opened = if arguments.open { lab::open(|| Ok(LabRun::of_line(&report.rerun, violated)), out) } else { None };
    after_trouble(exit, trouble.or(exhausted).or(opened), out)
}

/// Refuses what only time order can do where causal order is insisted on.
fn check_engine(arguments: &RunArguments, setup: &Setup) -> Result<(), BadSetting> {
    let only_in_time_order = [
        ("--trace", arguments.trace.is_some()),
        ("--picture", arguments.picture.is_some()),
        ("--steps", arguments.steps),
        ("--distribution", arguments.distribution),
    ];
    match only_in_time_order.into_iter().find(|(_, given)| *given) {
        Some((option, _)) if setup.given.engine == Some(Engine::Causal) => Err(BadSetting::new(
            "engine",
            format!("is causal, beside {option}"),
            "time or auto: it shows steps in time order",
        )),
        _ => Ok(()),
    }
}

/// Shows a run of which nothing but the report was asked for.
pub(crate) fn show_run(
    report: &RunReport,
    setup: &Setup,
    exit: Exit,
    json: bool,
    out: &mut impl Write,
) -> Result<(), Error> {
    if json {
        return print_json(&Stepped { report, steps: None, distribution: None }, out).map(drop);
    }
    let lab = lab_line(setup.entry, setup.scenario.n as u64, None, &report.rerun);
    Ok(text::report(report, setup, None, lab.as_deref().filter(|_| exit == Exit::Violated), out)?)
}

/// Writes the trace and the picture that were asked for.
fn write_run(
    files: RunFiles,
    setup: &Setup,
    (execution, ended): (&Execution, RunEnd),
    summary: &Summary,
    drawing: Option<Result<String, Error>>,
) -> Result<(), Error> {
    if let Some(output) = files.trace {
        let mut trace = TraceFile::new(setup, execution.run.as_ref(), summary);
        trace.position = (ended != RunEnd::Complete).then(|| execution.run.position());
        output.write(&trace.to_text()?)?;
    }
    if let (Some(canvas), Some(drawing)) = (files.picture, drawing) {
        canvas.write(&drawing?)?;
    }
    Ok(())
}

/// How a picture is drawn.
#[derive(Clone, Copy)]
struct PictureLook {
    animate: bool,
    theme: Theme,
}

impl PictureLook {
    fn draw(self, mut recording: Recording, setup: &Setup, summary: &Summary, rerun: &str) -> Result<String, Error> {
        let info = picture::run_info(setup, summary, rerun);
        if !self.animate {
            return Ok(recording.draw(&info, self.theme));
        }
        let moving = recording.animate(&info, self.theme);
        moving.ok_or_else(|| Self::too_large(&format!("{} messages", grouped(summary.cost.messages()))))
    }

    /// Refuses what cannot be animated, before it is run.
    fn check(self, setup: &Setup) -> Result<(), Error> {
        let n = setup.scenario.n;
        let fits = !self.animate || n <= Recording::MOST_PLACES;
        if fits { Ok(()) } else { Err(Self::too_large(&format!("{} processors", grouped(n)))) }
    }

    fn too_large(what: &str) -> Error {
        let (places, messages) = (Recording::MOST_PLACES, grouped(Recording::MOST_MOVING));
        let allowed = format!("up to {places} processors and {messages} messages, or --picture alone");
        Error::Usage(format!("--animate is given for {what}\nallowed: {allowed}"))
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
    #[schemars(with = "Option<Vec<StepReport>>")]
    steps: Option<StepReports<'a>>,
    /// Distributions within the run, with --distribution.
    #[serde(skip_serializing_if = "Option::is_none")]
    distribution: Option<RunDistribution>,
}

/// A replayed run.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Replayed<'a> {
    #[serde(flatten)]
    report: &'a RunReport,
    /// The step at which its cycle begins, if it is a lasso.
    #[serde(skip_serializing_if = "Option::is_none")]
    repeats_from: Option<u64>,
    /// Every step.
    #[schemars(with = "Vec<StepReport>")]
    steps: StepReports<'a>,
}

fn replay(
    file: &Path,
    (picture, look, force): (Option<&Path>, PictureLook, bool),
    (open, all, json): (bool, bool, bool),
    catalogue: &Catalogue,
    watch: &Terminal,
    out: &mut impl Write,
) -> Result<Exit, Error> {
    let text = read_trace_text(file)?;
    let trace = parse_trace(&text, file)?;
    memory::check(trace.size())?;
    // A file that cannot be replayed is found out before another is written.
    let setup = trace.setup(catalogue).map_err(|error| Error::from(error).in_trace(file))?;
    if open {
        lab::validate(setup.entry, trace.size())?;
    }
    look.check(&setup)?;
    let files = RunFiles::new(None, picture, force)?;
    let mut stderr = anstream::AutoStream::auto(io::stderr());
    let mut out: &mut dyn Write = if files.aside { &mut stderr } else { out };
    let out = &mut out;
    let recording = files.picture.is_some().then(|| Recording::new(&setup.scenario));
    let mut sink = StepSink::new(StepWriter::new(all), true, json, recording);
    watch.expect(&setup);
    if all && !json {
        watch.hide();
    }
    let replayed = trace.replay_logged(&setup, watch, &mut |step| sink.take(step, &setup, out));
    let (mut summary, ended) = replayed.map_err(|error| Error::from(error).in_trace(file))?;
    watch.clear();
    if let Some(violation) = trace.recorded_violation(&setup, &summary) {
        summary.violations.push(violation);
        summary.verdict = Verdict::Violated;
    }
    let exit = exit_of(&setup, &summary, watch);
    let mut report = RunReport::new(&setup, &summary);
    report.notes.extend(trace.note().map(str::to_string));
    report.rerun = format!("{} replay {}", program(), quoted(&file.display().to_string()));
    let drawing = sink.recording.take().map(|recording| look.draw(recording, &setup, &summary, &report.rerun));
    let trouble = files
        .picture
        .zip(drawing)
        .and_then(|(canvas, drawing)| drawing.and_then(|drawing| canvas.write(&drawing)).err());
    if json {
        let steps = sink.reports(&setup).unwrap_or_default();
        print_json(&Replayed { report: &report, repeats_from: trace.repeats_from, steps }, out)?;
    } else {
        sink.finish_text(&setup, out)?;
        let lab = lab_line(setup.entry, trace.size(), Some(file), &report.rerun).filter(|_| exit == Exit::Violated);
        text::report(&report, &setup, None, lab.as_deref(), out)?;
        drawn(picture.filter(|path| trouble.is_none() && !is_standard(path)), out)?;
    }
    let exhausted = (ended == RunEnd::OutOfMemory).then(|| memory::exhausted(&summary));
    let violated = summary.verdict == Verdict::Violated;
    let opened =
        if open { lab::open(|| LabRun::of_trace(text, violated, file.display().to_string()), out) } else { None };
    after_trouble(exit, trouble.or(exhausted).or(opened), out)
}

/// A failing run that was shortened.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Shortened<'a> {
    /// Its path.
    file: &'a Path,
    /// Processors, before and after.
    processors: [usize; 2],
    /// Choices, before and after.
    choices: [usize; 2],
    /// The line that shows it.
    rerun: String,
}

fn shorten(
    file: &Path,
    output: Option<PathBuf>,
    (open, force, json): (bool, bool, bool),
    catalogue: &Catalogue,
    watch: &Terminal,
    out: &mut impl Write,
) -> Result<Exit, Error> {
    let trace = read_trace(file)?;
    memory::check(trace.size())?;
    let beside = if is_standard(file) { Path::new("run.json") } else { file };
    let path = output.unwrap_or_else(|| beside.with_extension("shrunk.json"));
    let output = Output::new("--output", &path, Content::Trace, force)?;
    if open {
        lab::validate(trace.setup(catalogue).map_err(|error| Error::from(error).in_trace(file))?.entry, trace.size())?;
    }
    let short = shrink(&trace, catalogue, watch).map_err(|error| Error::from(error).in_trace(file))?;
    watch.clear();
    output.write(&short.to_text()?)?;
    if is_standard(&path) {
        let opened = if open { lab::open(|| LabRun::of_schedule(&short, true), out) } else { None };
        return after_trouble(Exit::Violated, opened, out);
    }
    let processors = [trace.setup(catalogue)?.scenario.n, short.setup(catalogue)?.scenario.n];
    let choices = [trace.choices.len(), short.choices.len()];
    let rerun = format!("{} replay {}", program(), quoted(&path.display().to_string()));
    if json {
        print_json(&Shortened { file: &path, processors, choices, rerun }, out)?;
    } else {
        let [before, after] = processors;
        if before == after && choices[0] == choices[1] {
            writeln!(out, "no shorter run was found")?;
        } else {
            writeln!(out, "processors {before} → {after}, recorded choices {} → {}", choices[0], choices[1])?;
        }
        writeln!(out, "written to {}\nshow it: {rerun}", path.display())?;
    }
    let opened = if open { lab::open(|| LabRun::of_schedule(&short, true), out) } else { None };
    after_trouble(Exit::Violated, opened, out)
}

fn bench(
    workload: Option<Benchmark>,
    (n, threads): (u64, usize),
    json: bool,
    watch: &Terminal,
    out: &mut impl Write,
) -> Result<Exit, Error> {
    let chosen = workload.map_or(Benchmark::ALL.to_vec(), |one| vec![one]);
    let mut measured = Vec::new();
    for one in &chosen {
        one.check(n)?;
    }
    for one in chosen {
        watch.expect_messages(one.expected(n));
        measured.push(one.measure_watched(n, threads, watch)?);
        watch.clear();
        if json {
            watch.keep(printed(|out| print_rows(&measured, &mut &mut *out).map(drop)));
        } else {
            text::measurement(&measured[measured.len() - 1], measured.len() == 1, out)?;
            // What was measured is not lost if what follows is ended.
            out.flush()?;
            watch.keep(String::new());
        }
        if watch.stopped() {
            break;
        }
    }
    match (json, workload) {
        (true, Some(_)) => print_json(&measured[0], out)?,
        (true, None) => print_rows(&measured, out)?,
        (false, _) => Exit::Held,
    };
    Ok(watch.exit().unwrap_or(Exit::Held))
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
