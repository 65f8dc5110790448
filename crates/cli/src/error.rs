//! What can go wrong before a run, and how a command ends.

use std::path::{Path, PathBuf};

use ringleader_model::BadSetting;

/// What a trace file is.
pub(crate) const TRACE: &str = "a file written by `ringleader run --trace`";

/// How a command ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Exit {
    /// All held.
    Held = 0,
    /// A property was violated or a bound exceeded.
    Violated = 1,
    /// The command was misused.
    Usage = 2,
    /// No answer was reached.
    Inconclusive = 3,
    /// Something is wrong with the machine or its files.
    Environment = 4,
    /// Ctrl-C.
    Interrupted = 130,
}

/// An error that is shown to the user.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A setting that cannot be.
    #[error("{}", explain(.0))]
    Setting(#[from] BadSetting),
    /// There is no such protocol.
    #[error("unknown protocol '{name}'{}\nallowed: {}", nearest(.name), names())]
    UnknownProtocol {
        /// What was asked for.
        name: String,
    },
    /// A trace file that cannot be read as one.
    #[error("{}: {why}\nallowed: {allowed}", .path.display())]
    Trace {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
        /// What is allowed.
        allowed: String,
    },
    /// A file that cannot be written.
    #[error("cannot write {}: {source}\nallowed: a path in a directory that exists and can be written to", .path.display())]
    Output {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A request that makes no sense.
    #[error("{0}")]
    Usage(String),
    /// The machine cannot do it.
    #[error("{0}")]
    Environment(String),
    /// The output could not be written; the reader has gone.
    #[error("cannot write the result: {0}")]
    Io(#[from] std::io::Error),
}

impl Error {
    /// The same error, where a trace file is to blame for it.
    pub(crate) fn in_trace(self, path: &Path) -> Self {
        match self {
            Self::Setting(_) | Self::UnknownProtocol { .. } | Self::Usage(_) => {
                let text = self.to_string();
                let (why, allowed) = text.split_once("\nallowed: ").unwrap_or((&text, TRACE));
                Self::Trace { path: path.to_path_buf(), why: why.to_string(), allowed: allowed.to_string() }
            }
            Self::Trace { .. } | Self::Output { .. } | Self::Environment(_) | Self::Io(_) => self,
        }
    }

    /// How the command ends.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Environment(_) | Self::Io(_) => Exit::Environment,
            _ => Exit::Usage,
        }
    }
}

fn explain(bad: &BadSetting) -> String {
    let dashes = if bad.field.len() == 1 && bad.field == "n" { "-" } else { "--" };
    format!("{dashes}{} {}\nallowed: {}", bad.field, bad.wrong, bad.allowed)
}

fn names() -> String {
    let names: Vec<_> = ringleader_protocols::catalogue::DESCRIPTIONS.iter().map(|d| d.name).collect();
    names.join(", ")
}

fn nearest(name: &str) -> String {
    let known = ringleader_protocols::catalogue::DESCRIPTIONS.iter().map(|d| d.name);
    let best = known.map(|known| (strsim::jaro_winkler(name, known), known)).max_by(|a, b| a.0.total_cmp(&b.0));
    match best {
        Some((likeness, known)) if likeness > 0.7 => format!("; did you mean '{known}'?"),
        _ => String::new(),
    }
}
