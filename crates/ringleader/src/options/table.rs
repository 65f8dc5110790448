//! The options of a run as data: for forms, completions and help besides those of the command line.

use ringleader_model::{
    Election, Links, MutualExclusion, Preset, Problem, ReadersWriters, Reading, Task, Ties, Topology,
};

use super::{Engine, Order, UNTIMED};

/// An option of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunOption {
    /// Its name without dashes, as [`Options::assign`](super::Options::assign) takes it.
    pub name: &'static str,
    /// Its one-letter form.
    pub short: Option<char>,
    /// What it is about.
    pub group: &'static str,
    /// What stands for its value in a help text.
    pub value_name: &'static str,
    /// The kind of its value.
    pub kind: OptionKind,
    /// Words that are values of it: all that there are for a choice, usual ones for other kinds.
    pub choices: &'static [&'static str],
    /// The problems for which it makes sense; empty for all.
    pub problems: &'static [&'static str],
    /// Its effect.
    pub help: &'static str,
}

/// The kind of an option's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// A whole number.
    Number,
    /// A text in a notation of its own.
    Text,
    /// One of a few words.
    Choice,
    /// Any number of texts: the option may be repeated.
    List,
}

impl OptionKind {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Text => "text",
            Self::Choice => "choice",
            Self::List => "list",
        }
    }
}

const PROCESSORS: &str = "Processors";
const TIME: &str = "Time";
const LINKS: &str = "Links and faults";
const WORKLOAD: &str = "Workload";
const PROTOCOL: &str = "Protocol and seed";

const ELECTIONS: &[&str] = &[Election::NAME];
const VISITED: &[&str] = &[MutualExclusion::NAME, ReadersWriters::NAME];
const STAYING: &[&str] = &[MutualExclusion::NAME];
const SHARED: &[&str] = &[ReadersWriters::NAME, MutualExclusion::NAME];

const fn number(group: &'static str, name: &'static str, value_name: &'static str, help: &'static str) -> RunOption {
    RunOption { kind: OptionKind::Number, ..text(group, name, value_name, help) }
}

const fn text(group: &'static str, name: &'static str, value_name: &'static str, help: &'static str) -> RunOption {
    RunOption { name, short: None, group, value_name, kind: OptionKind::Text, choices: &[], problems: &[], help }
}

impl RunOption {
    const fn short(self, short: char) -> Self {
        Self { short: Some(short), ..self }
    }

    const fn list(self) -> Self {
        Self { kind: OptionKind::List, ..self }
    }

    /// These words and no others.
    const fn of(self, choices: &'static [&'static str]) -> Self {
        Self { kind: OptionKind::Choice, choices, ..self }
    }

    /// These words, among other values.
    const fn such_as(self, choices: &'static [&'static str]) -> Self {
        Self { choices, ..self }
    }

    const fn only_for(self, problems: &'static [&'static str]) -> Self {
        Self { problems, ..self }
    }
}

const ORDERS: [&str; 5] = [
    Order::Random.name(),
    Order::Ascending.name(),
    Order::Descending.name(),
    Order::BitReversal.name(),
    Order::Computed.name(),
];
const TOPOLOGIES: [&str; 3] = [Topology::Ring.name(), Topology::BidirectionalRing.name(), Topology::Complete.name()];
const TIMINGS: [&str; 7] = [
    Preset::Unit.name(),
    Preset::Lockstep.name(),
    Preset::Rounds.name(),
    Preset::Archimedean.name(),
    Preset::Uniform.name(),
    Preset::Memory.name(),
    UNTIMED,
];
const READINGS: [&str; 4] =
    [Reading::Immediate.name(), Reading::PerTick.name(), Reading::PerStep.name(), Reading::BitSerial.name()];
const TIES: [&str; 2] = [Ties::Ruled.name(), Ties::Either.name()];
const LINK_ORDERS: [&str; 4] = [Links::Fifo.name(), Links::Any.name(), Links::Half.name(), Links::HalfPhase.name()];
const ENGINES: [&str; 3] = [Engine::Auto.name(), Engine::Time.name(), Engine::Causal.name()];
const TASKS: [&str; 5] =
    [Task::Size.name(), Task::Sort.name(), Task::Broadcast.name(), Task::Transfer.name(), Task::Token.name()];

/// Every option that describes a run, by group.
pub static RUN_OPTIONS: &[RunOption] = &[
    number(PROCESSORS, "n", "N", "Number of processors [default: 16]").short('n'),
    text(PROCESSORS, "ids", "LIST", "Identities, clockwise: 3,1,4,2"),
    text(PROCESSORS, "order", "ORDER", "Arrangement of the identities 1..N; computed is like random, without a list of them: for the largest rings [default: random]").of(&ORDERS),
    text(
        PROCESSORS,
        "changes",
        "CHANGES",
        "Processors that join and leave the ring before the election, one after the other: join:NAME@PLACE, leave:PLACE or \
         drop:PLACE",
    )
    .only_for(ELECTIONS),
    text(PROCESSORS, "topology", "SHAPE", "Network [default: the protocol's]").of(&TOPOLOGIES),
    text(
        PROCESSORS,
        "orientation",
        "WAYS",
        "Orientation of a bidirectional ring: same, random or 0110 (1: left and right exchanged)",
    )
    .such_as(&["same", "random"]),
    text(
        PROCESSORS,
        "ports",
        "PORTS",
        "Port numbering of a complete network: plain, shuffled, or by place and port where they lead: 1,2/2,0/0,1",
    )
    .such_as(&["plain", "shuffled"]),
    text(
        PROCESSORS,
        "wake",
        "SET",
        "Initiators, which wake spontaneously at time 0: all, one, 0,3,5 or random:K [default: all]",
    )
    .such_as(&["all", "one", "random:3"]),
    text(
        PROCESSORS,
        "wake-at",
        "TIMES",
        "Time of each spontaneous wake-up: 0,4,-,4 (- does not wake spontaneously)",
    ),
    text(PROCESSORS, "again", "PLACE@TIME", "Request a further election: PLACE@TIME").list().only_for(ELECTIONS),
    text(TIME, "timing", "PRESET", "Timing: clocks as one of the presets has them, or untimed [default: the protocol's]")
        .of(&TIMINGS),
    text(TIME, "r", "RANGE", "Tick length: A or A..B, also as it changes with time: 1..4@0,1..9@500"),
    text(TIME, "d", "RANGE", "Message delay: A or A..B, also as it changes with time: 0..3@0,0..40@500"),
    text(
        TIME,
        "assume",
        "RANGES",
        "Where r or d changes with time, what processors and bounds assume: all ranges, or the first [default: all]",
    )
    .of(&["all", "first"]),
    text(TIME, "clocks", "POLICY", "Tick lengths within r: fixed, varying, slowest, fastest or list:4,8,12")
        .such_as(&["fixed", "varying", "slowest", "fastest"]),
    text(
        TIME,
        "delays",
        "POLICY",
        "Delays within d: uniform, min, max, list:1,1,1 (per link), or an adversary: newest-first, slowest-high, slowest-low, \
         one-way",
    )
    .such_as(&["uniform", "min", "max", "newest-first", "slowest-high", "slowest-low", "one-way"]),
    text(
        TIME,
        "reading",
        "READING",
        "When an arrived message is handled: at once, one a tick, all at a step, or a bit a tick",
    )
    .of(&READINGS),
    text(TIME, "offsets", "OFFSETS", "Clock offsets, the time of each first tick: zero, random or list:0,1,2 [default: zero]")
        .such_as(&["zero", "random"]),
    text(TIME, "ties", "TIES", "Order of a message and a step of its receiver at the same instant [default: sim]").of(&TIES),
    text(LINKS, "links", "ORDER", "Links: in order, in any order, or half-duplex [default: the protocol's]").of(&LINK_ORDERS),
    text(
        LINKS,
        "faults",
        "FAULTS",
        "Faults, separated by commas: crash:PLACE@TIME, restart:PLACE@TIME, pause:PLACE@TIME+LENGTH, \
         cut:PLACE-PLACE@TIME..TIME, loss:P/Q, duplicate:P/Q, until:TIME; without clocks crash:K, loss:K and so on",
    ),
    text(
        LINKS,
        "intervene",
        "LIST",
        "What is done to single messages, by number, separated by commas: 17:drop, 23:delay:40, 31:until:900, 40:duplicate",
    ),
    number(
        LINKS,
        "retransmit",
        "TICKS",
        "Acknowledge every message, and send it again if its acknowledgement does not come within so many own ticks",
    ),
    number(WORKLOAD, "entries", "E", "Entries (or reads, or writes) of each competing site [default: 20]").only_for(VISITED),
    number(WORKLOAD, "users", "U", "Number of users of each site, who compete locally, first come, first served, and make E entries each [default: 1]").only_for(STAYING),
    text(
        WORKLOAD,
        "compete",
        "S",
        "Number of competing sites: places 0 to S-1, also as it changes with time: 4@0,16@500 [default: all]",
    )
    .only_for(VISITED),
    number(WORKLOAD, "readers", "R", "Number of readers: places 0 to R-1 [default: all but the writers]").only_for(SHARED),
    number(WORKLOAD, "writers", "W", "Number of writers: the places after the readers [default: 1]").only_for(SHARED),
    text(WORKLOAD, "first", "STEPS", "Own steps before the first request: A or A..B [default: 0]").only_for(VISITED),
    text(WORKLOAD, "think", "STEPS", "Own steps from leaving to the next request (remainder): A or A..B [default: 0]")
        .only_for(VISITED),
    text(WORKLOAD, "hold", "STEPS", "Own steps inside the critical section: A or A..B [default: 10]").only_for(VISITED),
    text(PROTOCOL, "set", "KEY=VALUE", "Set a parameter of the protocol: KEY=VALUE").list(),
    text(PROTOCOL, "then", "TASK", "Task of the leader of a ring after the election").of(&TASKS).only_for(ELECTIONS),
    text(
        PROTOCOL,
        "values",
        "LIST",
        "Input of the task, by place: 5,3,3,1: values for ring-sort and broadcast, numbers of old tokens for token",
    )
    .only_for(ELECTIONS),
    number(PROTOCOL, "max-messages", "N", "Stop after N messages have arrived or been lost: for runs that do not terminate"),
    number(PROTOCOL, "max-steps", "N", "Without clocks: stop after N steps"),
    number(PROTOCOL, "max-time", "TIME", "Stop after this time"),
    text(
        PROTOCOL,
        "engine",
        "ORDER",
        "Execute in time order, or in causal order, which is faster and possible on many rings; the results are the same [default: auto]",
    )
    .of(&ENGINES),
    number(PROTOCOL, "seed", "S", "Random seed [default: 1]"),
    text(
        PROTOCOL,
        "choices",
        "LIST",
        "First choices of the run, in the order in which it makes them: 0,3,1; all others are drawn from the seed",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Options, values::NAMES};

    #[test]
    fn every_option_of_a_run_is_listed_once() {
        let listed: Vec<_> = RUN_OPTIONS.iter().map(|option| option.name).collect();
        let mut expected: Vec<_> = NAMES.into_iter().chain(["set", "seed"]).collect();
        let mut sorted = listed.clone();
        sorted.sort_unstable();
        expected.sort_unstable();
        assert_eq!(sorted, expected);
    }

    #[test]
    fn words_to_choose_from_are_values() {
        for option in RUN_OPTIONS {
            assert!(option.kind != OptionKind::Choice || option.choices.len() > 1, "--{}", option.name);
            for choice in option.choices {
                let assigned = Options::default().assign(option.name, choice);
                assert_eq!(assigned, Ok(()), "--{} {choice}", option.name);
            }
        }
    }

    #[test]
    fn a_number_is_a_value() {
        let numbers = RUN_OPTIONS.iter().filter(|option| option.kind == OptionKind::Number && option.name != "seed");
        for option in numbers {
            let mut options = Options::default();
            assert_eq!(options.assign(option.name, "7"), Ok(()), "--{}", option.name);
            assert_ne!(options, Options::default(), "--{}", option.name);
        }
    }
}
