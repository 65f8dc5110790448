//! Options by name: parsers of their values, in the notation of the command line.

use ringleader_model::{
    BadText, ChangingRange, Range, Scenario, Task, Timing, Workload, integer, integers, place_at, word,
};

use super::{FOREVER, Options, setting};
use crate::error::Error;

/// Any number.
pub fn number(text: &str) -> Result<u64, BadText> {
    integer(text, 0, u64::MAX)
}

/// A number of processors.
pub fn size(text: &str) -> Result<u64, BadText> {
    integer(text, 1, Scenario::MOST as u64)
}

/// A number of processors, on a ring that is divided among processes.
pub fn divided_size(text: &str) -> Result<u64, BadText> {
    integer(text, 1, Scenario::MOST_DIVIDED)
}

/// A number of sites.
pub fn count(text: &str) -> Result<u64, BadText> {
    integer(text, 0, Scenario::MOST as u64)
}

/// A number of users of each site.
pub fn users(text: &str) -> Result<u64, BadText> {
    integer(text, 1, Workload::MOST_USERS as u64)
}

/// The own ticks after which a message is sent again.
pub fn retransmission_time(text: &str) -> Result<u64, BadText> {
    integer(text, 1, Timing::MOST)
}

/// A number of entries, or `forever`.
pub fn entries(text: &str) -> Result<u64, BadText> {
    match text.trim() {
        FOREVER => Ok(Workload::FOREVER),
        text => integer(text, 1, Workload::MOST),
    }
}

/// Identities.
pub fn identities(text: &str) -> Result<Vec<u64>, BadText> {
    integers(text, 1, u64::MAX)
}

/// Lengths of a tick.
pub fn tick(text: &str) -> Result<ChangingRange, BadText> {
    ChangingRange::parse(text, 1, Timing::MOST)
}

/// Delays of a message.
pub fn delay(text: &str) -> Result<ChangingRange, BadText> {
    ChangingRange::parse(text, 0, Timing::MOST)
}

/// Numbers of own steps.
pub fn steps(text: &str) -> Result<Range, BadText> {
    Range::parse(text, 0, Workload::MOST)
}

/// Numbers of own steps inside.
pub fn stay(text: &str) -> Result<Range, BadText> {
    Range::parse(text, 1, Workload::MOST)
}

/// A task of a leader.
pub fn task(text: &str) -> Result<Task, BadText> {
    word(text, &Task::ALL, Task::name)
}

/// The input of a task, by place.
pub fn task_values(text: &str) -> Result<Vec<u64>, BadText> {
    integers(text, 0, u64::MAX)
}

/// The first choices of a run.
pub fn choices(text: &str) -> Result<Vec<u64>, BadText> {
    integers(text, 0, u64::MAX)
}

/// The options of a run by name, but for the seed and the parameters of protocols, which are `set.NAME`.
pub const NAMES: [&str; 38] = [
    "n",
    "ids",
    "order",
    "changes",
    "topology",
    "orientation",
    "ports",
    "wake",
    "wake-at",
    "again",
    "timing",
    "r",
    "d",
    "assume",
    "clocks",
    "delays",
    "reading",
    "offsets",
    "ties",
    "links",
    "faults",
    "intervene",
    "retransmit",
    "entries",
    "users",
    "compete",
    "first",
    "think",
    "hold",
    "readers",
    "writers",
    "then",
    "values",
    "max-messages",
    "max-steps",
    "max-time",
    "engine",
    "choices",
];

/// Why an option cannot have a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BadOption {
    /// There is no option of this name.
    Unknown,
    /// The value is none.
    Value(BadText),
}

impl BadOption {
    /// The error of the option of this name.
    pub fn named(self, name: &str) -> Error {
        match self {
            Self::Value(bad) => Error::option(name, bad),
            Self::Unknown => {
                let allowed = format!("{}, set.NAME", NAMES.join(", "));
                Error::Named { name: name.to_string(), wrong: "is no option of a run".to_string(), allowed }
            }
        }
    }
}

impl From<BadText> for BadOption {
    fn from(bad: BadText) -> Self {
        Self::Value(bad)
    }
}

impl Options {
    /// Gives the option of this name a value; `set` and `again` get one more.
    pub fn assign(&mut self, name: &str, text: &str) -> Result<(), BadOption> {
        match name {
            "n" => self.n = Some(size(text)?),
            "ids" => self.ids = Some(identities(text)?),
            "order" => self.order = Some(text.parse()?),
            "changes" => self.changes = Some(text.parse()?),
            "topology" => self.topology = Some(text.parse()?),
            "orientation" => self.orientation = Some(text.parse()?),
            "ports" => self.ports = Some(text.parse()?),
            "wake" => self.wake = Some(text.parse()?),
            "wake-at" => self.wake_at = Some(text.parse()?),
            "again" => self.again.push(place_at(text)?),
            "timing" => self.timing = Some(text.parse()?),
            "r" => self.r = Some(tick(text)?),
            "d" => self.d = Some(delay(text)?),
            "assume" => self.assume = Some(text.parse()?),
            "clocks" => self.clocks = Some(text.parse()?),
            "delays" => self.delays = Some(text.parse()?),
            "reading" => self.reading = Some(text.parse()?),
            "offsets" => self.offsets = Some(text.parse()?),
            "ties" => self.ties = Some(text.parse()?),
            "links" => self.links = Some(text.parse()?),
            "faults" => self.faults = Some(text.parse()?),
            "intervene" => self.intervene = Some(text.parse()?),
            "retransmit" => self.retransmit = Some(retransmission_time(text)?),
            "entries" => self.entries = Some(entries(text)?),
            "users" => self.users = Some(users(text)?),
            "compete" => self.compete = Some(text.parse()?),
            "first" => self.first = Some(steps(text)?),
            "think" => self.think = Some(steps(text)?),
            "hold" => self.hold = Some(stay(text)?),
            "readers" => self.readers = Some(count(text)?),
            "writers" => self.writers = Some(count(text)?),
            "then" => self.then = Some(task(text)?),
            "values" => self.values = Some(task_values(text)?),
            "max-messages" => self.max_messages = Some(number(text)?),
            "max-steps" => self.max_steps = Some(number(text)?),
            "max-time" => self.max_time = Some(number(text)?),
            "engine" => self.engine = Some(text.parse()?),
            "choices" => self.choices = Some(choices(text)?),
            "set" => self.set.push(setting(text)?),
            _ => match name.strip_prefix("set.") {
                Some(key) => self.set.push((key.to_string(), text.to_string())),
                None => return Err(BadOption::Unknown),
            },
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_options_are_named_assigns_them_again() {
        let mut options = Options::default();
        let values = [
            ("n", "4"),
            ("ids", "3,1,4,2"),
            ("order", "random"),
            ("changes", "leave:1,join:7@0,drop:2"),
            ("wake", "random:2"),
            ("wake-at", "0,4,-,4"),
            ("again", "2@10"),
            ("again", "0@20"),
            ("timing", "untimed"),
            ("r", "1..4"),
            ("d", "0..3@0,0..40@500"),
            ("assume", "first"),
            ("faults", "loss:1/3,until:7"),
            ("intervene", "17:drop,23:delay:40,31:until:900,40:duplicate"),
            ("retransmit", "9"),
            ("entries", "forever"),
            ("users", "3"),
            ("compete", "2@0,4@70"),
            ("hold", "1..2"),
            ("then", "ring-sort"),
            ("values", "5,0,3,3"),
            ("set.law", "2^i"),
            ("max-time", "9"),
            ("engine", "causal"),
            ("choices", "0,3,1"),
        ];
        for (name, value) in values {
            options.assign(name, value).expect("it is a value");
        }
        let mut again = Options::default();
        for (name, value) in options.named() {
            again.assign(&name, &value).expect("it was a value");
        }
        assert_eq!(again, options);
        assert_eq!(options.named().len(), values.len());
    }

    #[test]
    fn each_name_is_an_option() {
        for name in NAMES {
            assert_ne!(Options::default().assign(name, ""), Err(BadOption::Unknown), "{name}");
        }
        assert_eq!(Options::default().assign("seed", "1"), Err(BadOption::Unknown));
    }
}
