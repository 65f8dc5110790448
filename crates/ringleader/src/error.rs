//! Errors.

use std::fmt;

use ringleader_model::{BadSetting, BadText};

use crate::catalogue::UnknownProtocol;

/// Why something cannot be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Error {
    /// A setting that cannot be.
    Setting(BadSetting),
    /// An option, by name, that there is not, or that cannot have its value.
    Named {
        /// The name.
        name: String,
        /// What is wrong.
        wrong: String,
        /// What is allowed.
        allowed: String,
    },
    /// There is not enough memory.
    OutOfMemory {
        /// For what.
        wrong: String,
    },
    /// A device that is not there, or fails.
    Device {
        /// What is wrong.
        wrong: String,
        /// What is allowed.
        allowed: String,
    },
    /// There is no such protocol.
    UnknownProtocol(UnknownProtocol),
    /// A recorded run that cannot be read or followed, or a run that cannot be shortened.
    Refused {
        /// What is wrong.
        wrong: String,
        /// What is allowed, if anything is.
        allowed: Option<&'static str>,
    },
}

impl Error {
    pub(crate) fn refused(wrong: impl Into<String>, allowed: &'static str) -> Self {
        Self::Refused { wrong: wrong.into(), allowed: Some(allowed) }
    }

    /// An option, by name, with a text that is no value of it.
    pub fn option(name: &str, bad: BadText) -> Self {
        Self::Named { name: name.to_string(), wrong: bad.wrong, allowed: bad.allowed }
    }

    /// What is wrong.
    pub fn wrong(&self) -> String {
        match self {
            Self::Named { name, wrong, .. } => format!("{} {wrong}", flag(name)),
            Self::OutOfMemory { wrong } | Self::Device { wrong, .. } => wrong.clone(),
            Self::Setting(bad) => format!("{} {}", flag(bad.field), bad.wrong),
            Self::UnknownProtocol(unknown) => unknown.wrong(),
            Self::Refused { wrong, .. } => wrong.clone(),
        }
    }

    /// What is allowed.
    pub fn allowed(&self) -> Option<String> {
        match self {
            Self::Setting(bad) => Some(bad.allowed.clone()),
            Self::Named { allowed, .. } | Self::Device { allowed, .. } => Some(allowed.clone()),
            Self::OutOfMemory { .. } => Some("fewer processors, or more memory".to_string()),
            Self::UnknownProtocol(unknown) => Some(unknown.allowed()),
            Self::Refused { allowed, .. } => allowed.map(str::to_string),
        }
    }
}

/// A field as an option of the command line; neither a port, on which a protocol sends, nor a formula is one.
pub fn flag(field: &str) -> String {
    match field {
        "n" => "-n".to_string(),
        "port" => "the port of a message".to_string(),
        "formula" => "the formula".to_string(),
        option => match option.strip_prefix("set.") {
            Some(parameter) => format!("--set {parameter}"),
            None => format!("--{option}"),
        },
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.wrong())?;
        self.allowed().map_or(Ok(()), |allowed| write!(f, "\nallowed: {allowed}"))
    }
}

impl std::error::Error for Error {}

impl From<BadSetting> for Error {
    fn from(bad: BadSetting) -> Self {
        Self::Setting(bad)
    }
}

impl From<UnknownProtocol> for Error {
    fn from(unknown: UnknownProtocol) -> Self {
        Self::UnknownProtocol(unknown)
    }
}
