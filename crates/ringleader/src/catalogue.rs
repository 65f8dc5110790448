//! The protocols to choose from, by name.

use std::fmt;

use ringleader_model::Task;

use crate::entry::{Entry, Of};

macro_rules! entries {
    (elections: [$($election:ty),* $(,)?], anonymous: [$($anonymous:ty),* $(,)?], locks: [$($lock:ty),* $(,)?],
     others: [$($other:ty),* $(,)?] $(,)?) => {
        // A static and not a constant: a crate that uses a constant of references compiles every protocol again.
        static ENTRIES: &[&dyn Entry] = &[
            $(&Of::<$election>::ELECTION,)*
            $(&Of::<$anonymous>::NEW,)*
            $(&Of::<$lock>::ABOVE_LINKS,)*
            $(&Of::<$other>::NEW,)*
        ];
    };
}

ringleader_protocols::each_protocol!(entries);

/// Every protocol there is.
pub fn catalogue() -> &'static [&'static dyn Entry] {
    ENTRIES
}

/// The protocol of this name.
pub fn find(name: &str) -> Result<&'static dyn Entry, UnknownProtocol> {
    Catalogue::default().find(name)
}

/// Protocols to choose from: those that come along, and one's own.
#[derive(Clone, Debug)]
pub struct Catalogue {
    entries: Vec<&'static dyn Entry>,
}

impl Default for Catalogue {
    fn default() -> Self {
        Self::with(&[])
    }
}

impl Catalogue {
    /// With these before those that come along.
    pub fn with(own: &[&'static dyn Entry]) -> Self {
        Self { entries: own.iter().chain(ENTRIES).copied().collect() }
    }

    /// In order.
    pub fn iter(&self) -> impl Iterator<Item = &'static dyn Entry> + '_ {
        self.entries.iter().copied()
    }

    /// The protocol of this name.
    pub fn find(&self, name: &str) -> Result<&'static dyn Entry, UnknownProtocol> {
        self.iter().find(|entry| entry.name() == name).ok_or_else(|| self.unknown(name))
    }

    /// The full name that is meant by a name or a unique prefix of one: of a protocol, or of a leader's task.
    pub fn complete(&self, name: &str) -> Result<String, UnknownProtocol> {
        let known = || self.iter().map(<dyn Entry>::name).chain(Task::ALL.map(Task::name));
        if known().any(|known| known == name) {
            return Ok(name.to_string());
        }
        let meant: Vec<_> = known().filter(|known| !name.is_empty() && known.starts_with(name)).collect();
        match meant.as_slice() {
            [one] => Ok((*one).to_string()),
            [] => Err(self.unknown(name)),
            _ => Err(UnknownProtocol { name: name.to_string(), nearest: None, known: meant, ambiguous: true }),
        }
    }

    fn unknown(&self, name: &str) -> UnknownProtocol {
        let known: Vec<_> = self.iter().map(<dyn Entry>::name).collect();
        let likeness = |known: &&'static str| strsim::jaro_winkler(name, known);
        let best = known.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b))).copied();
        UnknownProtocol {
            name: name.to_string(),
            nearest: best.filter(|best| likeness(best) > 0.7),
            known,
            ambiguous: false,
        }
    }
}

/// There is no protocol of this name, or more than one that begins with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownProtocol {
    /// What was asked for.
    pub name: String,
    /// What was meant, probably.
    pub nearest: Option<&'static str>,
    /// The protocols to choose from.
    pub known: Vec<&'static str>,
    /// Whether it is a prefix of all of these.
    pub ambiguous: bool,
}

impl UnknownProtocol {
    pub(crate) fn wrong(&self) -> String {
        if self.ambiguous {
            return format!("ambiguous protocol '{}'", self.name);
        }
        let nearest = self.nearest.map_or(String::new(), |nearest| format!("; did you mean '{nearest}'?"));
        format!("unknown protocol '{}'{nearest}", self.name)
    }

    pub(crate) fn allowed(&self) -> String {
        self.known.join(", ")
    }
}

impl fmt::Display for UnknownProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\nallowed: {}", self.wrong(), self.allowed())
    }
}

impl std::error::Error for UnknownProtocol {}
