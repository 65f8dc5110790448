//! Requests as JSON, answered by sessions.

use std::collections::BTreeMap;

use ringleader::picture::Theme;
use ringleader::{Catalogue, Error};
use ringleader_model::{MessageAction, Place};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::session::{CatalogueView, Change, CheckRun, CursorTarget, ProcessorAction, RunSource, Session, Stride};

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

/// A request, by its field `op`.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
enum LabRequest {
    Catalogue,
    Open(Box<OpenFields>),
    Close {
        session: u32,
    },
    Ahead {
        session: u32,
        budget: u64,
        #[serde(default)]
        since: usize,
    },
    Go {
        session: u32,
        to: Option<CursorTarget>,
        by: Option<Stride>,
    },
    Window {
        session: u32,
        from: u64,
        to: u64,
    },
    Cone {
        session: u32,
        #[serde(rename = "move")]
        moves: u64,
    },
    Inspect {
        session: u32,
        place: Place,
    },
    Messages {
        session: u32,
    },
    Rail {
        session: u32,
    },
    Run {
        session: u32,
    },
    Position {
        session: u32,
    },
    Enabled {
        session: u32,
    },
    Take {
        session: u32,
        index: usize,
    },
    Intervene {
        session: u32,
        message: Option<u64>,
        place: Option<Place>,
        action: Option<String>,
        #[serde(default)]
        clear: bool,
    },
    Link {
        session: u32,
        selection: Option<Value>,
    },
    Command {
        session: u32,
    },
    Report {
        session: u32,
    },
    Trace {
        session: u32,
    },
    Rust {
        session: u32,
    },
    Svg {
        session: u32,
        #[serde(default)]
        theme: Option<String>,
        #[serde(default)]
        moment: bool,
    },
    Check {
        line: String,
    },
    CheckStep {
        check: u32,
        seconds: f64,
    },
}

/// What is opened: one of these.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct OpenFields {
    line: Option<String>,
    options: Option<Map<String, Value>>,
    trace: Option<String>,
    link: Option<String>,
}

/// Every answer.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
enum LabAnswer {
    Ok(Value),
    Error(LabRefusal),
}

/// Why a request is refused, and what is allowed.
#[derive(Serialize)]
struct LabRefusal {
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed: Option<String>,
}

impl From<Error> for LabRefusal {
    fn from(error: Error) -> Self {
        Self { message: error.wrong(), allowed: error.allowed() }
    }
}

fn refusal(message: impl Into<String>, allowed: impl Into<String>) -> LabRefusal {
    LabRefusal { message: message.into(), allowed: Some(allowed.into()) }
}

/// An answer of one field.
fn only(name: &str, value: impl Serialize) -> Value {
    let value = serde_json::to_value(value).expect("an answer is JSON");
    Value::Object([(name.to_string(), value)].into_iter().collect())
}

fn json(value: impl Serialize) -> Value {
    serde_json::to_value(value).expect("an answer is JSON")
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
        let answer = answer.map_or_else(LabAnswer::Error, LabAnswer::Ok);
        serde_json::to_string(&answer).expect("an answer is JSON")
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

    fn answer(&mut self, request: LabRequest) -> Result<Value, LabRefusal> {
        Ok(match request {
            LabRequest::Catalogue => json(CatalogueView::new(&self.catalogue)),
            LabRequest::Open(fields) => return self.open(*fields),
            LabRequest::Close { session } => {
                self.of(session)?;
                self.sessions.remove(&session);
                json(Map::new())
            }
            LabRequest::Ahead { session, budget, since } => {
                let session = self.of(session)?;
                session.go_ahead(budget)?;
                json(session.ahead_view(since))
            }
            LabRequest::Go { session, to, by } => {
                let session = self.of(session)?;
                match (to, by) {
                    (Some(target), None) => session.go_to(target)?,
                    (None, Some(stride)) => session.go_by(stride)?,
                    _ => return Err(refusal("go has neither to nor by, or both", "one of the two")),
                }
                json(session.position())
            }
            LabRequest::Window { session, from, to } => json(self.of(session)?.window(from, to)),
            LabRequest::Cone { session, moves } => json(self.of(session)?.cone(moves)?),
            LabRequest::Inspect { session, place } => json(self.of(session)?.inspect(place)?),
            LabRequest::Messages { session } => json(self.of(session)?.messages()),
            LabRequest::Rail { session } => json(self.of(session)?.rail()),
            LabRequest::Run { session } => json(self.of(session)?.run_view()),
            LabRequest::Position { session } => json(self.of(session)?.position()),
            LabRequest::Enabled { session } => only("enabled", self.of(session)?.enabled()),
            LabRequest::Take { session, index } => {
                let session = self.of(session)?;
                session.take(index)?;
                changed(session)
            }
            LabRequest::Intervene { session, message, place, action, clear } => {
                let session = self.of(session)?;
                session.change(change(message, place, action.as_deref(), clear)?)?;
                changed(session)
            }
            LabRequest::Link { session, selection } => only("fragment", self.of(session)?.link(selection)?),
            LabRequest::Command { session } => only("line", self.of(session)?.command_line()),
            LabRequest::Report { session } => json(self.of(session)?.report()?),
            LabRequest::Trace { session } => only("text", self.of(session)?.trace()?),
            LabRequest::Rust { session } => only("text", self.of(session)?.rust_test()?),
            LabRequest::Svg { session, theme, moment } => {
                let theme = theme_of(theme.as_deref())?;
                let session = self.of(session)?;
                only("svg", if moment { session.moment(theme)? } else { session.svg(theme) })
            }
            LabRequest::Check { line } => {
                let check = CheckRun::new(&line, &self.catalogue, self.now)?;
                self.last += 1;
                self.checks.insert(self.last, check);
                only("check", self.last)
            }
            LabRequest::CheckStep { check, seconds } => {
                let run = self.checks.get_mut(&check);
                let run = run.ok_or_else(|| refusal(format!("there is no check {check}"), "start one first"))?;
                let step = run.go_on(seconds)?;
                if step.is_done() {
                    self.checks.remove(&check);
                }
                json(step)
            }
        })
    }

    fn open(&mut self, fields: OpenFields) -> Result<Value, LabRefusal> {
        let OpenFields { line, options, trace, link } = fields;
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
        let view = opened.view(self.last);
        self.sessions.insert(self.last, opened.session);
        Ok(view)
    }
}

/// The answer to a change.
fn changed(session: &Session) -> Value {
    let run = json(session.run_view());
    let notes = run["notes"].clone();
    let position = json(session.position());
    [("run", run), ("position", position), ("notes", notes)]
        .into_iter()
        .map(|(name, value)| (name.to_string(), value))
        .collect()
}

/// What a request to intervene means.
fn change(message: Option<u64>, place: Option<Place>, action: Option<&str>, clear: bool) -> Result<Change, LabRefusal> {
    match (message, place, clear) {
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
