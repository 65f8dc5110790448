//! `ringleader lab`, `--open` and `export`: runs in the page of the lab.

mod browser;
mod request;
mod server;
mod site;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use ringleader::report::grouped;
use ringleader::{Catalogue, Entry, Setup, TraceFile, program, quoted, run_line, words};
use ringleader_lab::{Embedded, MOST_PROCESSORS, Opened, PAGE};
use ringleader_model::BadText;

use crate::error::{Error, Exit};
use crate::files::{Content, Output, is_standard, parse_trace, read_trace_text};
use crate::memory;
use crate::presentation::Presentation;
use crate::signals;
use crate::text::labelled;
use crate::watch::Terminal;

use self::server::{ServerLimits, listen, serve};
pub use self::site::{LabReply, LabSite};

/// The port, unless it is taken.
const PORT: u16 = 4173;
/// The largest trace file of a run in the page.
const MOST_BYTES: usize = 64 << 20;

/// What can be shown.
const SHOWN: &str = "a file written by `run --trace` or `check --save`, or a run such as run chang-roberts -n 8";

#[derive(Args)]
pub(crate) struct LabArguments {
    /// What the page opens with: a trace file (- is standard input), or the line of a run, such as run chang-roberts -n 8
    #[arg(allow_hyphen_values = true, value_hint = ValueHint::AnyPath)]
    what: Vec<OsString>,
    /// Port; 0 is any free one [default: 4173, or a free one if that is taken]
    #[arg(long, value_name = "P", value_parser = port, allow_negative_numbers = true)]
    port: Option<u16>,
    /// Print the address only, and leave it to you to open it
    #[arg(long)]
    no_open: bool,
}

#[derive(Args)]
pub(crate) struct ExportArguments {
    /// Trace file (- is standard input), or the line of a run, such as run chang-roberts -n 8
    #[arg(value_name = "TRACE", required = true, allow_hyphen_values = true, value_hint = ValueHint::AnyPath)]
    what: Vec<OsString>,
    /// Write the lab with this run to one file, which works offline in every browser; - is standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    html: Option<PathBuf>,
    /// Overwrite a file that ringleader did not write
    #[arg(long)]
    force: bool,
}

fn port(text: &str) -> Result<u16, BadText> {
    text.parse().map_err(|_| BadText::new(format!("is {text}"), "a port: 0 to 65535"))
}

/// The words that are none of these options, which may stand behind the words of a run, too: clap would take them for its words.
/// `take` gets the name of each option found, and its value if it has one.
fn without_options(
    what: Vec<OsString>,
    options: &[(&'static str, bool)],
    mut take: impl FnMut(&str, OsString) -> Result<(), Error>,
) -> Result<Vec<OsString>, Error> {
    let (mut rest, mut words) = (Vec::new(), what.into_iter());
    while let Some(word) = words.next() {
        let text = word.to_str().unwrap_or_default();
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value.into())));
        match options.iter().find(|(option, _)| *option == name) {
            Some((name, true)) => {
                let missing = || Error::Usage(format!("{name} has no value\nallowed: {name} VALUE"));
                take(name, value.or_else(|| words.next()).ok_or_else(missing)?)?;
            }
            Some((name, false)) if value.is_none() => take(name, OsString::new())?,
            _ => rest.push(word),
        }
    }
    Ok(rest)
}

impl LabArguments {
    /// With the options that stand behind the words of a run.
    fn complete(mut self) -> Result<Self, Error> {
        let (mut port, mut no_open) = (self.port, self.no_open);
        self.what = without_options(self.what, &[("--port", true), ("--no-open", false)], |name, value| {
            match name {
                "--no-open" => no_open = true,
                _ => {
                    let read = self::port(&value.to_string_lossy());
                    port = Some(read.map_err(|bad| Error::Value { field: "port".to_string(), bad })?);
                }
            }
            Ok(())
        })?;
        Ok(Self { port, no_open, ..self })
    }
}

impl ExportArguments {
    /// With the options that stand behind the words of a run.
    fn complete(mut self) -> Result<Self, Error> {
        let (mut html, mut force) = (self.html.take(), self.force);
        self.what = without_options(self.what, &[("--html", true), ("--force", false)], |name, value| {
            match name {
                "--force" => force = true,
                _ => html = Some(value.into()),
            }
            Ok(())
        })?;
        Ok(Self { html, force, ..self })
    }
}

/// Serves the page until it is interrupted.
pub(crate) fn lab(arguments: LabArguments, catalogue: &Catalogue, out: &mut impl Write) -> Result<Exit, Error> {
    let arguments = arguments.complete()?;
    let shown = LabRun::read(&arguments.what, catalogue)?;
    serve_until_interrupted(shown.as_ref(), arguments.port, !arguments.no_open, out)?;
    Ok(Exit::Held)
}

/// Writes the page with a run to one file.
pub(crate) fn export(
    arguments: ExportArguments,
    catalogue: &Catalogue,
    watch: &Terminal,
    out: &mut impl Write,
) -> Result<Exit, Error> {
    let ExportArguments { what, html, force } = arguments.complete()?;
    let html = html.ok_or_else(|| {
        Error::Usage(
            "it is not said what is to be written\nallowed: --html FILE, or --html - for standard output".to_string(),
        )
    })?;
    let output = Output::new("--html", &html, Content::Page, force)?;
    let Some(shown) = LabRun::read(&what, catalogue)? else {
        return Err(Error::Usage(format!("there is nothing to export\nallowed: {SHOWN}")));
    };
    shown.replay(catalogue, watch)?;
    if let Some(stopped) = watch.exit() {
        return Ok(stopped);
    }
    output.write(&ringleader_lab::single_page(&shown.embedded))?;
    if !is_standard(&html) && !Presentation::settled().quiet {
        writeln!(out, "written: {}", html.display())?;
    }
    Ok(Exit::Held)
}

/// A run that the page opens with.
pub(crate) struct LabRun {
    embedded: Embedded,
    /// How it is told what that is.
    told: String,
}

impl LabRun {
    /// The run of a command line.
    pub(crate) fn of_line(line: &str, at_violation: bool) -> Self {
        // A program of one's own has another name.
        let run = line.strip_prefix(program()).map_or(line, str::trim_start);
        Self { embedded: Embedded { opened: Opened::Line(run.to_string()), at_violation }, told: line.to_string() }
    }

    /// A recorded run.
    pub(crate) fn of_trace(text: String, at_violation: bool, told: String) -> Result<Self, Error> {
        if text.len() > MOST_BYTES {
            let [most, bytes] = [MOST_BYTES, text.len()].map(|bytes| grouped(bytes >> 20));
            return Err(Error::Usage(format!(
                "the recorded run is {bytes} MB long, too long for a browser\nallowed: up to {most} MB here; replay shows any"
            )));
        }
        Ok(Self { embedded: Embedded { opened: Opened::Trace(text), at_violation }, told })
    }

    /// A run that was found.
    pub(crate) fn of_schedule(run: &TraceFile, at_violation: bool) -> Result<Self, Error> {
        let told = if at_violation { "the counterexample" } else { "the run that was found" };
        Self::of_trace(run.to_text()?, at_violation, told.to_string())
    }

    /// The run that arguments name; none if there are none.
    fn read(what: &[OsString], catalogue: &Catalogue) -> Result<Option<Self>, Error> {
        let [first, others @ ..] = what else { return Ok(None) };
        let path = Path::new(first);
        if others.is_empty() && (is_standard(path) || path.exists()) {
            return Self::of_file(path, catalogue).map(Some);
        }
        let unknown = || Error::Usage(format!("'{}' is no run and no file\nallowed: {SHOWN}", first.display()));
        let given = what.iter().map(|word| word.to_str()).collect::<Option<Vec<_>>>().ok_or_else(unknown)?;
        let mut line = match given.as_slice() {
            [line] => words(line)?,
            several => several.iter().map(ToString::to_string).collect(),
        };
        if line.first().is_some_and(|word| *word == program() || word == "ringleader") {
            line.remove(0);
        }
        match line.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            ["run", ..] => {}
            ["replay", file] => return Self::of_file(Path::new(file), catalogue).map(Some),
            [command @ ("check" | "worst"), ..] => {
                let wrong = format!("the lab shows runs, and a {command} is many");
                return Err(Error::Usage(format!("{wrong}\nallowed: {SHOWN}; {} {command} … --open", program())));
            }
            [protocol, ..] if catalogue.complete(protocol).is_ok() => line.insert(0, "run".to_string()),
            // A file that is not there.
            [name] if name.contains(['.', '/', std::path::MAIN_SEPARATOR]) => {
                return Self::of_file(path, catalogue).map(Some);
            }
            _ => return Err(unknown()),
        }
        let line = line.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
        let (protocol, options) = run_line(&line, catalogue)?;
        let entry = catalogue.find(&protocol)?;
        validate(entry, options.size())?;
        memory::check(options.size())?;
        Ok(Some(Self::of_line(&Setup::new(entry, options)?.command_line(), false)))
    }

    fn of_file(path: &Path, catalogue: &Catalogue) -> Result<Self, Error> {
        let text = read_trace_text(path)?;
        let trace = parse_trace(&text, path)?;
        let in_trace = |error: Error| error.in_trace(path);
        validate(catalogue.find(&trace.protocol).map_err(|error| in_trace(error.into()))?, trace.size())?;
        memory::check(trace.size())?;
        trace.setup(catalogue).map_err(|error| in_trace(error.into()))?;
        let violated = trace.result.as_ref().is_some_and(|result| result.verdict == "violated")
            || trace.repeats_from.is_some()
            || trace.formula().is_some();
        let told = if is_standard(path) { "standard input".to_string() } else { path.display().to_string() };
        Self::of_trace(text, violated, told)
    }

    /// Replays a recorded run, so that a file that cannot be followed is found out here.
    fn replay(&self, catalogue: &Catalogue, watch: &Terminal) -> Result<(), Error> {
        let Opened::Trace(text) = &self.embedded.opened else { return Ok(()) };
        let path = Path::new(&self.told);
        let trace = parse_trace(text, path)?;
        let replayed = trace.replay(catalogue, watch, |_| ());
        watch.clear();
        replayed.map(drop).map_err(|error| Error::from(error).in_trace(path))
    }
}

/// Whether the page has this protocol.
pub(crate) fn has_protocol(name: &str) -> bool {
    ringleader::catalogue().iter().any(|entry| entry.name() == name)
}

/// Refuses what the page cannot show.
pub(crate) fn validate(entry: &dyn Entry, n: u64) -> Result<(), Error> {
    if !has_protocol(entry.name()) {
        let wrong = format!("{} is a protocol of your own, which the lab does not have", entry.name());
        return Err(Error::Usage(format!("{wrong}\nallowed: the protocols of ringleader; run and check have yours")));
    }
    if n > MOST_PROCESSORS {
        let [n, most] = [n, MOST_PROCESSORS].map(grouped);
        let wrong = format!("n is {n}, too many for a browser");
        return Err(Error::Usage(format!("{wrong}\nallowed: up to {most} in the lab; run has no such limit")));
    }
    Ok(())
}

/// The line that opens a run in the lab, if the lab has its protocol: of the file that it is recorded in, of the line that makes
/// it, or else the command that found it once more.
pub(crate) fn lab_line(entry: &dyn Entry, n: u64, file: Option<&Path>, line: &str) -> Option<String> {
    validate(entry, n).ok()?;
    // A device keeps nothing.
    if let Some(path) = file.filter(|path| path.is_file()) {
        return Some(format!("{} lab {}", program(), quoted(&path.display().to_string())));
    }
    match line.strip_prefix(&format!("{} run ", program())) {
        Some(rest) => Some(format!("{} lab run {rest}", program())),
        None => Some(format!("{line} --open")),
    }
}

/// Shows a run in the lab until that is interrupted, as `--open` asks for, after what is printed; returns why it could not. After
/// Ctrl-C nothing is opened.
pub(crate) fn open(shown: impl FnOnce() -> Result<LabRun, Error>, out: &mut impl Write) -> Option<Error> {
    if signals::received().is_some() {
        return None;
    }
    let opened = out.flush().map_err(Error::from).and_then(|()| shown());
    opened.and_then(|shown| serve_until_interrupted(Some(&shown), None, true, &mut io::stderr())).err()
}

fn serve_until_interrupted(
    shown: Option<&LabRun>,
    port: Option<u16>,
    opens: bool,
    out: &mut impl Write,
) -> Result<(), Error> {
    let taken = port.is_none();
    let bound = match listen(port.unwrap_or(PORT)) {
        Err(_) if taken => listen(0),
        bound => bound,
    };
    let (listener, port) = bound.map_err(|error| unavailable(port, &error))?;
    let site = LabSite::new(port, PAGE, ringleader_lab::index(shown.map(|shown| &shown.embedded)));
    serve(listener, site, ServerLimits::USUAL)
        .map_err(|error| Error::Environment(format!("the lab cannot be served: {error}\nallowed: more threads")))?;
    let address = format!("http://127.0.0.1:{port}/");
    tell(&address, shown, out)?;
    if opens {
        browser::open(&address, |why| {
            let _ = writeln!(
                io::stderr(),
                "note: no browser was opened ({why}); the address above is to be opened by hand"
            );
        });
    }
    signals::wait();
    Ok(())
}

/// Says where the lab is.
fn tell(address: &str, shown: Option<&LabRun>, out: &mut impl Write) -> io::Result<()> {
    if !Presentation::settled().quiet {
        if let Some(shown) = shown {
            labelled("shows", &shown.told, out)?;
        }
        labelled("stop", "Ctrl-C", out)?;
    }
    labelled("lab", address, out)?;
    out.flush()
}

fn unavailable(port: Option<u16>, error: &io::Error) -> Error {
    let allowed = "a free port above 1023, or no --port";
    let wrong = match (port, error.kind()) {
        (Some(port), io::ErrorKind::AddrInUse) => format!("--port is {port}, which another program uses"),
        (Some(port), io::ErrorKind::PermissionDenied) => format!("--port is {port}, which is for the administrator"),
        (Some(port), _) => format!("--port is {port}, which cannot be used: {error}"),
        (None, _) => return Error::Environment(format!("no port of this machine can be used: {error}")),
    };
    Error::Environment(format!("{wrong}\nallowed: {allowed}"))
}
