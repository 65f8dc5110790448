//! Errors and exit codes.

use std::path::{Path, PathBuf};

use ringleader::flag;
use ringleader_model::{BadSetting, BadText};

/// The description of a trace file.
pub(crate) const TRACE: &str = "a file written by `run --trace` or `check --save`";

/// An exit code.
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
    /// SIGTERM.
    Terminated = 143,
}

/// An error that is shown to the user.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An error of the library.
    #[error("{0}")]
    Refused(#[from] ringleader::Error),
    /// An option whose value is none.
    #[error("{} {}\nallowed: {}", option(.field), .bad.wrong, .bad.allowed)]
    Value {
        /// The option, without its dashes.
        field: String,
        /// The error in its value.
        bad: BadText,
    },
    /// Arguments that are none.
    #[error("{0}")]
    Arguments(clap::Error),
    /// A trace file that cannot be read as one.
    #[error("{}: {why}\nallowed: {allowed}", .path.display())]
    Trace {
        /// Which file.
        path: PathBuf,
        /// The error in it.
        why: String,
        /// What is allowed.
        allowed: String,
    },
    /// A file that cannot be read.
    #[error("{}: cannot be read: {source}\nallowed: {TRACE}, or - for standard input", .path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A scenario file that cannot be read.
    #[error("{}: cannot be read: {source}\nallowed: a scenario file", .path.display())]
    UnreadableScenario {
        /// Which file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A file that was written by something else, and would be lost.
    #[error("{option} is {}, which is there and is no {kind} of ringleader's\nallowed: a file that is not there, one that \
             was written by this option, - for standard output, or --force to overwrite it", .path.display())]
    Foreign {
        /// The option that names it.
        option: &'static str,
        /// The expected content.
        kind: &'static str,
        /// Which file.
        path: PathBuf,
    },
    /// A file that cannot be written.
    #[error("cannot write {}: {source}\nallowed: a path in a directory that exists and can be written to", .path.display())]
    Output {
        /// Which file.
        path: PathBuf,
        /// The system's error.
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

/// An option of the command line, whose port is not one on which a protocol sends.
fn option(name: &str) -> String {
    if name == "port" { "--port".to_string() } else { flag(name) }
}

impl From<BadSetting> for Error {
    fn from(bad: BadSetting) -> Self {
        Self::Refused(bad.into())
    }
}

impl From<ringleader::UnknownProtocol> for Error {
    fn from(unknown: ringleader::UnknownProtocol) -> Self {
        Self::Refused(unknown.into())
    }
}

impl From<clap::Error> for Error {
    /// A value that cannot be read is told as all others are: the option, what is wrong, what is allowed.
    fn from(error: clap::Error) -> Self {
        use clap::error::{ContextKind, ContextValue};
        use std::error::Error as _;
        let bad = error.source().and_then(|source| source.downcast_ref::<BadText>());
        match (bad, error.get(ContextKind::InvalidArg)) {
            (Some(bad), Some(ContextValue::String(argument))) => {
                let option = argument.split_whitespace().next().unwrap_or_default();
                Self::Value { field: option.trim_start_matches('-').to_string(), bad: bad.clone() }
            }
            _ => Self::Arguments(error),
        }
    }
}

impl Error {
    /// The same error, where a trace file is to blame for it.
    pub(crate) fn in_trace(self, path: &Path) -> Self {
        match self {
            Self::Refused(error) => Self::Trace {
                path: path.to_path_buf(),
                why: error.wrong(),
                allowed: error.allowed().unwrap_or_else(|| TRACE.to_string()),
            },
            other => other,
        }
    }

    /// The exit code.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Environment(_)
            | Self::Io(_)
            | Self::Output { .. }
            | Self::Unreadable { .. }
            | Self::UnreadableScenario { .. }
            | Self::Refused(ringleader::Error::OutOfMemory { .. } | ringleader::Error::Device { .. }) => {
                Exit::Environment
            }
            _ => Exit::Usage,
        }
    }
}
