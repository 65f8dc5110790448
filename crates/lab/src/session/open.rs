//! What a session is opened from.

use ringleader::{Catalogue, Error, Options, Recorded, Setup, TraceFile, Watch, run_line};
use ringleader_sim::Choices;
use serde_json::{Map, Value};

use super::Session;
use super::inspection::OpenedView;
use super::limit::Patience;
use super::marks::MarkKind;
use super::share::SharedRun;
use crate::MOST_PROCESSORS;

/// What a session is opened from.
#[derive(Clone, Debug)]
pub(crate) enum RunSource {
    /// A command line.
    Line(String),
    /// A protocol and options by name.
    Options(Map<String, Value>),
    /// The text of a trace file.
    Trace(String),
    /// The fragment of an address.
    Link(String),
}

/// A session with where it was left.
pub(crate) struct OpenedSession {
    pub(crate) session: Session,
    /// The processor or message that was selected, as the page wrote it.
    pub(crate) selection: Option<Value>,
}

/// A recorded run is executed this far when it is opened, to stand at its violation.
const EXECUTED: u64 = 1_000_000;

impl OpenedSession {
    /// What a page is told of it.
    pub(crate) fn view(&self, number: u32) -> OpenedView {
        self.session.opened_view(number, self.selection.clone())
    }
}

impl RunSource {
    /// Opens it.
    pub(crate) fn open(self, catalogue: &Catalogue) -> Result<OpenedSession, Error> {
        let session = match self {
            Self::Line(line) => of_line(&line, catalogue)?,
            Self::Options(map) => of_options(map, catalogue)?,
            Self::Trace(text) => of_trace(&text, catalogue)?,
            Self::Link(fragment) => return of_link(&fragment, catalogue),
        };
        Ok(OpenedSession { session, selection: None })
    }
}

/// A run of this protocol with these options.
pub(super) fn of_protocol(protocol: &str, options: Options, catalogue: &Catalogue) -> Result<Session, Error> {
    let entry = catalogue.find(protocol)?;
    check_size(options.size(), || options.command_line(&format!("run {protocol}")))?;
    let setup = Setup::new(entry, options)?;
    let choices = setup.choices();
    Session::new(setup, choices)
}

fn of_line(line: &str, catalogue: &Catalogue) -> Result<Session, Error> {
    let (protocol, options) = run_line(line, catalogue)?;
    of_protocol(&protocol, options, catalogue)
}

/// Refuses what does not fit into a page.
fn check_size(n: u64, line: impl FnOnce() -> String) -> Result<(), Error> {
    if n <= MOST_PROCESSORS {
        return Ok(());
    }
    let allowed = format!("at most {MOST_PROCESSORS} in a page; in a terminal: {}", line());
    Err(Error::Named { name: "n".to_string(), wrong: format!("is {n}"), allowed })
}

/// Options as a form has them: texts, numbers, and lists of texts.
fn of_options(mut map: Map<String, Value>, catalogue: &Catalogue) -> Result<Session, Error> {
    let missing = || Error::Named {
        name: "protocol".to_string(),
        wrong: "is not given".to_string(),
        allowed: "the name of a protocol".to_string(),
    };
    let protocol = map.remove("protocol").and_then(|name| name.as_str().map(str::to_string)).ok_or_else(missing)?;
    let mut options = Options::default();
    for (name, value) in map {
        for text in texts(&name, value)? {
            options.give(&name, &text)?;
        }
    }
    let (protocol, options) = options.with_election(&catalogue.complete(&protocol)?);
    of_protocol(&protocol, options, catalogue)
}

/// The texts of an option's value.
fn texts(name: &str, value: Value) -> Result<Vec<String>, Error> {
    Ok(match value {
        Value::Null => Vec::new(),
        Value::String(text) => vec![text],
        Value::Number(number) => vec![number.to_string()],
        Value::Array(values) => {
            let texts: Result<Vec<_>, _> = values.into_iter().map(|value| texts(name, value)).collect();
            texts?.concat()
        }
        Value::Bool(_) | Value::Object(_) => {
            let allowed = "a text, a number, or a list of texts".to_string();
            return Err(Error::Named { name: name.to_string(), wrong: format!("is {value}"), allowed });
        }
    })
}

/// A recorded run, which must come out as it was recorded, at its first violation.
fn of_trace(text: &str, catalogue: &Catalogue) -> Result<Session, Error> {
    let refused = |wrong: String| Error::Refused { wrong, allowed: Some("a trace file of ringleader") };
    let trace = TraceFile::parse(text).map_err(|wrong| refused(format!("this is no trace: {wrong}")))?;
    check_size(trace.size(), || "ringleader replay FILE".to_string())?;
    let patience = Patience::default();
    let (mut setup, _, recorded) = trace.replay(catalogue, &patience, |_| ())?;
    patience.check()?;
    let mut notes: Vec<String> = trace.note().map(str::to_string).into_iter().collect();
    if let Some(formula) = trace.formula() {
        notes.push(format!("a counterexample to {formula}"));
    }
    if let Some(step) = trace.repeats_from {
        notes.push(format!("from step {step} on, the run repeats itself forever"));
    }
    if trace.position.is_some() {
        notes.push("the run was interrupted when it was recorded; here it goes on".to_string());
    }
    // Options that say all of it, so that a command line repeats the run.
    if matches!(trace.recorded, Recorded::Scenario(_)) {
        setup.given = setup.to_options();
    }
    // A run that its seed decides is repeated without a list of its choices.
    let is_drawn = trace.position.is_none() && drawn_digest(&setup)? == Some(recorded.trace);
    let choices = if is_drawn { Choices::Drawn } else { Choices::Recorded(trace.choices.clone()) };
    setup.given.choices = Some(trace.choices).filter(|_| !is_drawn);
    let mut session = Session::new(setup, choices)?;
    session.notes = notes;
    session.go_ahead(EXECUTED)?;
    let violation = session.marks.all().iter().find(|mark| mark.kind == MarkKind::Violation).map(|mark| mark.moves);
    session.go(violation.unwrap_or(0))?;
    Ok(session)
}

/// The digest of the run that the seed of a set-up decides; `None` if it goes on for too long.
fn drawn_digest(setup: &Setup) -> Result<Option<u64>, Error> {
    let patience = Patience::default();
    let drawn = Setup { given: Options { choices: None, ..setup.given.clone() }, ..setup.clone() };
    let (summary, _) = drawn.run_watched(&patience)?;
    Ok(Some(summary.trace).filter(|_| !patience.stopped()))
}

/// A shared run, where it was left.
fn of_link(fragment: &str, catalogue: &Catalogue) -> Result<OpenedSession, Error> {
    let shared = SharedRun::read(fragment)?;
    let mut session = match (shared.line, shared.trace) {
        (Some(line), _) => of_line(&line, catalogue)?,
        (None, Some(trace)) => of_trace(&trace, catalogue)?,
        (None, None) => {
            let wrong = "the link holds no run".to_string();
            return Err(Error::Refused { wrong, allowed: Some("a link that was copied from this page") });
        }
    };
    if shared.version != crate::VERSION {
        session.notes.push(format!(
            "the link was made by version {}, this is {}: where a protocol has changed since, the run differs",
            shared.version,
            crate::VERSION
        ));
    }
    session.go(shared.moves)?;
    Ok(OpenedSession { session, selection: shared.selection })
}
