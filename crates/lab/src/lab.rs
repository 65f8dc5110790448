//! Requests as JSON, answered by sessions.

use std::collections::BTreeMap;

use ringleader::picture::Theme;
use ringleader::{Catalogue, Error};
use ringleader_model::{MessageAction, Place};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::session::{CatalogueView, Change, CheckRun, Position, ProcessorAction, RunSource, RunView, Session, Stride};

/// All runs that a page shows, and the checks that it makes.
///
/// ```
/// let mut lab = ringleader_lab::Lab::default();
/// let opened = lab.request(r#"{"op": "open", "line": "run peterson --ids 3,1,4,2"}"#);
/// assert!(opened.starts_with(r#"{"ok":{"#) && opened.contains(r#""session":1"#), "{opened}");
/// let wrong = lab.request(r#"{"op": "go", "session": 7, "to": "end"}"#);
/// assert!(wrong.starts_with(r#"{"error":{"message":"#), "{wrong}");
/// ```
pub struct Lab {
    catalogue: Catalogue,
    sessions: BTreeMap<u32, Session>,
    checks: BTreeMap<u32, CheckRun>,
    /// The number of the last session or check.
    last: u32,
    /// Seconds since some moment, for the limits of checks.
    now: fn() -> f64,
}

impl Default for Lab {
    /// With a clock that stands still.
    fn default() -> Self {
        Self::new(|| 0.0)
    }
}

/// The fields of all requests, by name: each needs some of them.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
struct LabRequest {
    op: String,
    session: Option<u32>,
    check: Option<u32>,
    line: Option<String>,
    options: Option<Map<String, Value>>,
    trace: Option<String>,
    link: Option<String>,
    budget: Option<u64>,
    since: Option<usize>,
    from: Option<u64>,
    to: Option<Value>,
    by: Option<Stride>,
    #[serde(rename = "move")]
    moves: Option<u64>,
    place: Option<Place>,
    message: Option<u64>,
    action: Option<String>,
    clear: bool,
    index: Option<usize>,
    selection: Option<Value>,
    theme: Option<String>,
    moment: bool,
    seconds: Option<f64>,
}

/// The fields of requests that are no options of a command line.
const FIELDS: [&str; 8] = ["place", "message", "mark", "move", "index", "count", "action", "seconds"];

/// Why a request is refused, and what is allowed.
#[derive(Serialize)]
struct LabRefusal {
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed: Option<String>,
}

impl From<Error> for LabRefusal {
    fn from(error: Error) -> Self {
        let message = match &error {
            // A number says which one it is.
            Error::Named { name, wrong, .. } if FIELDS.contains(&name.as_str()) => {
                match wrong.starts_with(char::is_numeric) {
                    true => format!("{name} {wrong}"),
                    false => format!("the {name} {wrong}"),
                }
            }
            _ => error.wrong(),
        };
        Self { message, allowed: error.allowed() }
    }
}

fn refusal(message: impl Into<String>, allowed: impl Into<String>) -> LabRefusal {
    LabRefusal { message: message.into(), allowed: Some(allowed.into()) }
}

/// JSON as text.
type Json = String;

/// An answer of one field.
fn only(name: &str, value: &impl Serialize) -> Json {
    format!("{{\"{name}\":{}}}", json(value))
}

fn json(value: &impl Serialize) -> Json {
    serde_json::to_string(value).expect("an answer is JSON")
}

impl Lab {
    /// With a clock: seconds since some moment.
    pub fn new(now: fn() -> f64) -> Self {
        Self { catalogue: Catalogue::default(), sessions: BTreeMap::new(), checks: BTreeMap::new(), last: 0, now }
    }

    /// Answers a request: JSON for JSON. Nothing panics: what cannot be done is answered with why.
    pub fn request(&mut self, text: &str) -> String {
        let answer = match serde_json::from_str(text) {
            Ok(request) => self.answer(request),
            Err(error) => Err(refusal(format!("the request cannot be read: {error}"), "an object with a known op")),
        };
        match answer {
            Ok(answer) => format!("{{\"ok\":{answer}}}"),
            Err(refusal) => only("error", &refusal),
        }
    }

    /// The stage of a session as packed bytes; empty if there is no such session.
    pub fn frame(&self, session: u32) -> Vec<u8> {
        self.sessions.get(&session).map_or_else(Vec::new, Session::frame)
    }

    /// A session by its number.
    pub fn session(&self, number: u32) -> Option<&Session> {
        self.sessions.get(&number)
    }

    fn of(&mut self, number: u32) -> Result<&mut Session, LabRefusal> {
        let known: Vec<String> = self.sessions.keys().map(u32::to_string).collect();
        let allowed = if known.is_empty() { "open a run first".to_string() } else { known.join(", ") };
        self.sessions.get_mut(&number).ok_or_else(|| refusal(format!("there is no session {number}"), allowed))
    }

    fn answer(&mut self, request: LabRequest) -> Result<Json, LabRefusal> {
        match request.op.as_str() {
            "catalogue" => Ok(json(&CatalogueView::new(&self.catalogue))),
            "open" => self.open(request),
            "close" => {
                let session = need(request.session, "session")?;
                self.of(session)?;
                self.sessions.remove(&session);
                Ok("{}".to_string())
            }
            "check" => self.start_check(&need(request.line, "line")?),
            "check-step" => self.go_on_checking(need(request.check, "check")?, need(request.seconds, "seconds")?),
            _ => of_session(self.of(need(request.session, "session")?)?, request),
        }
    }

    fn start_check(&mut self, line: &str) -> Result<Json, LabRefusal> {
        let check = CheckRun::new(line, &self.catalogue, self.now)?;
        self.last += 1;
        self.checks.insert(self.last, check);
        Ok(only("check", &self.last))
    }

    fn go_on_checking(&mut self, check: u32, seconds: f64) -> Result<Json, LabRefusal> {
        let run = self.checks.get_mut(&check);
        let run = run.ok_or_else(|| refusal(format!("there is no check {check}"), "start one first"))?;
        let step = run.go_on(seconds)?;
        if step.is_done() {
            self.checks.remove(&check);
        }
        Ok(json(&step))
    }

    fn open(&mut self, request: LabRequest) -> Result<Json, LabRefusal> {
        let LabRequest { line, options, trace, link, .. } = request;
        let sources = [
            line.map(RunSource::Line),
            options.map(RunSource::Options),
            trace.map(RunSource::Trace),
            link.map(RunSource::Link),
        ];
        let mut given = sources.into_iter().flatten();
        let (Some(source), None) = (given.next(), given.next()) else {
            return Err(refusal("open has no source, or several", "one of line, options, trace and link"));
        };
        let opened = source.open(&self.catalogue)?;
        self.last += 1;
        let view = json(&opened.view(self.last));
        self.sessions.insert(self.last, opened.session);
        Ok(view)
    }
}

/// A field that a request needs.
fn need<T>(field: Option<T>, name: &str) -> Result<T, LabRefusal> {
    field.ok_or_else(|| refusal(format!("the request has no {name}"), format!("a value of {name}")))
}

/// The operations on a session.
const OPERATIONS: &str = "catalogue, open, close, ahead, go, window, cone, inspect, messages, rail, run, position, enabled, take, \
                          intervene, link, command, report, trace, rust, svg, check, check-step";

/// Answers a request to a session.
fn of_session(session: &mut Session, request: LabRequest) -> Result<Json, LabRefusal> {
    Ok(match request.op.as_str() {
        "ahead" => {
            session.go_ahead(need(request.budget, "budget")?)?;
            json(&session.ahead_view(request.since.unwrap_or(0)))
        }
        "go" => {
            match (request.to, request.by) {
                (Some(target), None) => session.go_to(read("to", target)?)?,
                (None, Some(stride)) => session.go_by(stride)?,
                _ => return Err(refusal("go has neither to nor by, or both", "one of the two")),
            }
            json(&session.position())
        }
        "window" => json(&session.window(need(request.from, "from")?, read("to", need(request.to, "to")?)?)),
        "cone" => json(&session.cone(need(request.moves, "move")?)?),
        "inspect" => json(&session.inspect(need(request.place, "place")?)?),
        "messages" => json(&session.messages()),
        "rail" => json(&session.rail()),
        "run" => json(&session.run_view()),
        "position" => json(&session.position()),
        "enabled" => only("enabled", &session.enabled()),
        "take" => {
            session.take(need(request.index, "index")?)?;
            changed(session)
        }
        "intervene" => {
            session.change(change(&request)?)?;
            changed(session)
        }
        "link" => only("fragment", &session.link(request.selection)?),
        "command" => only("line", &session.command_line()),
        "report" => json(&session.report()?),
        "trace" => only("text", &session.trace()?),
        "rust" => only("text", &session.rust_test()?),
        "svg" => {
            let theme = theme_of(request.theme.as_deref())?;
            only("svg", &if request.moment { session.moment(theme)? } else { session.svg(theme) })
        }
        other => return Err(refusal(format!("there is no operation '{other}'"), OPERATIONS)),
    })
}

/// A field that has several forms.
fn read<T: DeserializeOwned>(name: &str, value: Value) -> Result<T, LabRefusal> {
    serde_json::from_value(value)
        .map_err(|error| refusal(format!("{name} cannot be read: {error}"), format!("a value of {name}")))
}

/// The answer to a change.
#[derive(Serialize)]
struct ChangedView {
    notes: Vec<String>,
    position: Position,
    run: RunView,
}

fn changed(session: &Session) -> Json {
    let run = session.run_view();
    json(&ChangedView { notes: run.notes().to_vec(), position: session.position(), run })
}

/// What a request to intervene means.
fn change(request: &LabRequest) -> Result<Change, LabRefusal> {
    let action = request.action.as_deref();
    match (request.message, request.place, request.clear) {
        (None, None, true) => Ok(Change::Clear),
        (Some(message), None, false) => {
            let action = action.map(|action| message_action(message, action)).transpose()?;
            Ok(Change::Message(message, action))
        }
        (None, Some(place), false) => Ok(Change::Processor(place, action.map(ProcessorAction::parse).transpose()?)),
        _ => Err(refusal("intervene names no object, or several", "one of message, place and clear")),
    }
}

/// An action on a message, in the notation of the command line.
fn message_action(message: u64, action: &str) -> Result<MessageAction, LabRefusal> {
    let parsed = format!("{message}:{action}").parse::<ringleader_model::Intervention>();
    parsed.map(|one| one.action).map_err(|bad| refusal(format!("action {}", bad.wrong), bad.allowed))
}

fn theme_of(name: Option<&str>) -> Result<Theme, LabRefusal> {
    let Some(name) = name else { return Ok(Theme::Auto) };
    Theme::ALL.into_iter().find(|theme| theme.name() == name).ok_or_else(|| {
        let names: Vec<_> = Theme::ALL.into_iter().map(Theme::name).collect();
        refusal(format!("theme is '{name}'"), names.join(", "))
    })
}
