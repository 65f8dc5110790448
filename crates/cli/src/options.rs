//! What the command line says about a run, as it was said. A trace file holds the same.

use ringleader_model::{BadSetting, Faults, Links, Phases, Place, Range, Scenario, Share, Task, Time, Timing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The options of a run. What is left out has the protocol's default.
#[derive(Clone, PartialEq, Eq, Debug, Default, clap::Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Options {
    /// How many processors [default: 16]
    #[arg(short, long, value_name = "N", value_parser = plain_number, allow_negative_numbers = true, help_heading = "Who is there")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n: Option<u64>,
    /// Identities, clockwise: 3,1,4,2
    #[arg(long, value_name = "LIST", allow_negative_numbers = true, help_heading = "Who is there")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ids: Option<String>,
    /// How the identities 1..N are arranged: random, ascending, descending or bit-reversal [default: random]
    #[arg(long, value_name = "ORDER", help_heading = "Who is there")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
    /// The network: ring, bidirectional-ring or complete [default: the protocol's]
    #[arg(long, value_name = "SHAPE", help_heading = "Who is there")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology: Option<String>,
    /// On a bidirectional ring, whose left and right are exchanged: same, random or 0110
    #[arg(long, value_name = "WAYS", help_heading = "Who is there")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orientation: Option<String>,
    /// On a complete network, how ports are numbered: plain or shuffled
    #[arg(long, value_name = "PORTS", help_heading = "Who is there")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ports: Option<String>,
    /// Who wakes by itself at 0: all, one, 0,3,5 or random:K [default: all]
    #[arg(long, value_name = "SET", allow_negative_numbers = true, help_heading = "Who is there")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wake: Option<String>,
    /// When each wakes by itself: 0,4,-,4 (- does not)
    #[arg(long, value_name = "TIMES", allow_hyphen_values = true, help_heading = "Who is there")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wake_at: Option<String>,
    /// Ask a processor for a further election: PLACE@TIME; may be repeated
    #[arg(long, value_name = "PLACE@TIME", help_heading = "Who is there")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<String>,
    /// A timing by name: unit, lockstep, rounds, archimedean, uniform or memory, or untimed: no clocks, whatever can happen
    /// may happen next [default: the protocol's]
    #[arg(long, value_name = "PRESET", help_heading = "Time")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timing: Option<String>,
    /// The length of a tick: A or A..B
    #[arg(long, value_name = "RANGE", allow_negative_numbers = true, help_heading = "Time")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r: Option<String>,
    /// The delay of a message: A or A..B
    #[arg(long, value_name = "RANGE", allow_negative_numbers = true, help_heading = "Time")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub d: Option<String>,
    /// Tick lengths within r: fixed, varying, slowest, fastest or list:4,8,12
    #[arg(long, value_name = "POLICY", help_heading = "Time")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clocks: Option<String>,
    /// Delays within d: uniform, min, max, list:1,1,1 (per link, i to i+1), or an adversary: newest-first, slowest-high,
    /// slowest-low (by the sender's identity) or one-way (clockwise first)
    #[arg(long, value_name = "POLICY", help_heading = "Time")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delays: Option<String>,
    /// When an arrived message is handled: immediate, per-tick or per-step
    #[arg(long, value_name = "READING", help_heading = "Time")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reading: Option<String>,
    /// The offset of each first tick: zero, random or list:0,1,2 [default: zero]
    #[arg(long, value_name = "OFFSETS", help_heading = "Time")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phases: Option<String>,
    /// What comes first of a message and a step of its receiver at one instant: sim (what the reading says) or both
    /// (drawn for each message) [default: sim]
    #[arg(long, value_name = "TIES", help_heading = "Time")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ties: Option<String>,
    /// The order that links keep: fifo, any or half (one message at a time) [default: the protocol's]
    #[arg(long, value_name = "ORDER", help_heading = "Links and faults")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<String>,
    /// What fails: crash:PLACE@TIME, loss:P/Q, duplicate:P/Q, until:TIME (from when on no message does), separated by commas;
    /// without clocks crash:K, loss:K, duplicate:K (at most so many, at any moment)
    #[arg(long, value_name = "FAULTS", help_heading = "Links and faults")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faults: Option<String>,
    /// How often each site that competes enters, reads or writes [default: 20]
    #[arg(long, value_name = "E", allow_negative_numbers = true, help_heading = "The workload", value_parser = plain_number)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<u64>,
    /// How many sites compete: places 0 to S-1 [default: all]
    #[arg(long, value_name = "S", allow_negative_numbers = true, help_heading = "The workload", value_parser = plain_number)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compete: Option<u64>,
    /// Own steps before asking for the first time: A or A..B [default: 0]
    #[arg(long, value_name = "STEPS", allow_negative_numbers = true, help_heading = "The workload")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// Own steps from leaving to asking again: A or A..B [default: 0]
    #[arg(long, value_name = "STEPS", allow_negative_numbers = true, help_heading = "The workload")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub think: Option<String>,
    /// Own steps from entering to leaving: A or A..B [default: 10]
    #[arg(long, value_name = "STEPS", allow_negative_numbers = true, help_heading = "The workload")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold: Option<String>,
    /// How many read: places 0 to R-1 [default: all but the writers]
    #[arg(long, value_name = "R", allow_negative_numbers = true, help_heading = "The workload", value_parser = plain_number)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub readers: Option<u64>,
    /// How many write: the places after the readers [default: 1]
    #[arg(long, value_name = "W", allow_negative_numbers = true, help_heading = "The workload", value_parser = plain_number)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writers: Option<u64>,
    /// A parameter of the protocol: KEY=VALUE; may be repeated
    #[arg(long, value_name = "KEY=VALUE", help_heading = "The protocol")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<String>,
    /// What the leader of a ring does once it is elected: ring-size or ring-sort
    #[arg(long, value_name = "TASK", help_heading = "The protocol")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub then: Option<String>,
    /// Stop once so many messages have arrived: for runs that never end by themselves
    #[arg(long, value_name = "N", help_heading = "The protocol", value_parser = plain_number, allow_negative_numbers = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_messages: Option<u64>,
    /// Without clocks: stop after so many steps
    #[arg(long, value_name = "N", help_heading = "The protocol", value_parser = plain_number, allow_negative_numbers = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<u64>,
    /// Stop after this time
    #[arg(long, value_name = "TIME", help_heading = "The protocol", value_parser = plain_number, allow_negative_numbers = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_time: Option<u64>,
    /// From which everything is drawn that is left to chance [default: 1]
    #[arg(long, value_name = "S", help_heading = "The protocol", value_parser = plain_number, allow_negative_numbers = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

impl Options {
    /// The protocol that is meant where a leader's task is named instead: `ring-sort` with `--set election=NAME` is NAME
    /// with `--then ring-sort`.
    pub fn with_election(mut self, protocol: &str) -> (String, Self) {
        if !Task::ALL.iter().any(|task| task.name() == protocol) || self.then.is_some() {
            return (protocol.to_string(), self);
        }
        self.then = Some(protocol.to_string());
        let election = self.set.iter().position(|setting| setting.starts_with("election="));
        let election = election.map(|index| self.set.remove(index));
        let named = election.as_deref().and_then(|setting| setting.split_once('='));
        (named.map_or("vitanyi", |(_, name)| name).to_string(), self)
    }

    /// The line that repeats a run of this protocol with these options, its seed written out.
    pub fn rerun(&self, protocol: &str) -> String {
        let mut line = format!("ringleader run {protocol}");
        let mut add = |flag: &str, value: &str| {
            line.push(' ');
            line.push_str(flag);
            // A value that starts with a dash would be taken for an option.
            line.push_str(if value.starts_with('-') { "=" } else { " " });
            line.push_str(&quoted(value));
        };
        let numbers = [
            ("-n", self.n),
            ("--entries", self.entries),
            ("--compete", self.compete),
            ("--readers", self.readers),
            ("--writers", self.writers),
        ];
        for (flag, value) in numbers {
            if let Some(value) = value {
                add(flag, &value.to_string());
            }
        }
        let texts = [
            ("--ids", &self.ids),
            ("--order", &self.order),
            ("--topology", &self.topology),
            ("--orientation", &self.orientation),
            ("--ports", &self.ports),
            ("--wake", &self.wake),
            ("--wake-at", &self.wake_at),
            ("--timing", &self.timing),
            ("--r", &self.r),
            ("--d", &self.d),
            ("--clocks", &self.clocks),
            ("--delays", &self.delays),
            ("--reading", &self.reading),
            ("--phases", &self.phases),
            ("--ties", &self.ties),
            ("--links", &self.links),
            ("--faults", &self.faults),
            ("--first", &self.first),
            ("--think", &self.think),
            ("--hold", &self.hold),
            ("--then", &self.then),
        ];
        for (flag, value) in texts {
            if let Some(value) = value {
                add(flag, value);
            }
        }
        for again in &self.again {
            add("--again", again);
        }
        for set in &self.set {
            add("--set", set);
        }
        let limits =
            [("--max-messages", self.max_messages), ("--max-steps", self.max_steps), ("--max-time", self.max_time)];
        for (flag, limit) in limits {
            if let Some(limit) = limit {
                add(flag, &limit.to_string());
            }
        }
        add("--seed", &self.seed.unwrap_or(1).to_string());
        line
    }

    /// The protocol's own parameters, taken apart.
    pub fn settings(&self) -> Result<Vec<(String, String)>, BadSetting> {
        let pair = |text: &String| {
            let (key, value) = text.split_once('=')?;
            Some((key.to_string(), value.to_string()))
        };
        let bad = |text: &String| BadSetting::new("set", format!("is '{text}'"), "KEY=VALUE");
        self.set.iter().map(|text| pair(text).ok_or_else(|| bad(text))).collect()
    }
}

/// What a POSIX shell takes for one word with this value.
pub(crate) fn quoted(value: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.,:/@=+^%".contains(c);
    if !value.is_empty() && value.chars().all(plain) {
        return value.to_string();
    }
    format!("'{}'", value.replace('\'', r"'\''"))
}

/// A non-negative integer, written with digits only.
pub(crate) fn number<T: std::str::FromStr>(field: &'static str, text: &str) -> Result<T, BadSetting> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let parsed = if digits { text.parse().ok() } else { None };
    parsed.ok_or_else(|| {
        let widest = match field {
            "r" | "d" | "clocks" | "delays" | "phases" => Timing::MOST,
            _ if size_of::<T>() == 4 => u64::from(u32::MAX),
            "wake-at" | "again" => Scenario::LATEST,
            _ => u64::MAX,
        };
        let least = u64::from(matches!(field, "ids" | "r" | "clocks"));
        BadSetting::new(field, format!("has '{text}'"), format!("integers from {least} to {widest}"))
    })
}

/// A number on the command line that is taken as it is.
pub(crate) fn plain_number(text: &str) -> Result<u64, String> {
    number("", text).map_err(|_| format!("not a number that fits\nallowed: integers from 0 to {}", u64::MAX))
}

/// Integers separated by commas.
pub(crate) fn numbers(field: &'static str, text: &str) -> Result<Vec<u64>, BadSetting> {
    text.split(',').map(|part| number(field, part)).collect()
}

/// `A` or `A..B`.
pub(crate) fn range(field: &'static str, text: &str) -> Result<Range, BadSetting> {
    match text.split_once("..") {
        Some((min, max)) => Ok(Range::new(number(field, min)?, number(field, max)?)),
        None => number(field, text).map(|both| Range::new(both, both)),
    }
}

/// `PLACE@TIME`.
pub(crate) fn place_at(field: &'static str, text: &str) -> Result<(Place, Time), BadSetting> {
    let (place, time) =
        text.split_once('@').ok_or_else(|| BadSetting::new(field, format!("has '{text}'"), "PLACE@TIME"))?;
    Ok((number(field, place)?, number(field, time)?))
}

/// One of a few words.
pub(crate) fn word<T: Copy>(
    field: &'static str,
    text: &str,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> Result<T, BadSetting> {
    all.iter().copied().find(|&one| name(one) == text).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|&one| name(one)).collect();
        BadSetting::new(field, format!("is '{text}'"), names.join(", "))
    })
}

pub(crate) fn phases(text: &str) -> Result<Phases, BadSetting> {
    match text {
        "zero" => Ok(Phases::Zero),
        "random" => Ok(Phases::Random),
        _ => match text.strip_prefix("list:") {
            Some(list) => Ok(Phases::List(numbers("phases", list)?)),
            None => Err(BadSetting::new("phases", format!("is '{text}'"), "zero, random or list:0,1,2")),
        },
    }
}

pub(crate) fn links(text: &str) -> Result<Links, BadSetting> {
    word("links", text, &Links::ALL, Links::name)
}

pub(crate) fn faults(text: &str) -> Result<Faults, BadSetting> {
    let mut faults = Faults::default();
    for part in text.split(',') {
        let bad = || {
            let allowed = "crash:PLACE@TIME, loss:P/Q, duplicate:P/Q, until:TIME; without clocks crash:K, loss:K, \
                           duplicate:K";
            BadSetting::new("faults", format!("has '{part}'"), allowed)
        };
        let (kind, value) = part.split_once(':').ok_or_else(bad)?;
        let share = || {
            let (part, whole) = value.split_once('/').ok_or_else(bad)?;
            Share::new(number("faults", part)?, number("faults", whole)?)
        };
        let at_most = &mut faults.at_most;
        match kind {
            "crash" if !value.contains('@') => at_most.crashes = number("faults", value)?,
            "loss" if !value.contains('/') => at_most.losses = number("faults", value)?,
            "duplicate" if !value.contains('/') => at_most.duplicates = number("faults", value)?,
            "crash" => faults.crashes.push(place_at("faults", value)?),
            "loss" => faults.loss = Some(share()?),
            "duplicate" => faults.duplicate = Some(share()?),
            "until" => faults.until = Some(number("faults", value)?),
            _ => return Err(bad()),
        }
    }
    Ok(faults)
}
