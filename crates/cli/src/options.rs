//! Typed option groups of the command line, shared by `run`, `check` and `reproduce`.

use std::str::FromStr;

use clap::Args;
use ringleader::check::{CheckOptions, CheckWake, Fairness, Formula, Orientations, Specification};
use ringleader::values::{
    choices, count, delay, entries, identities, number, retransmission_time, size, stay, steps, task, task_values,
    tick, users,
};
use ringleader::{Effort, Engine, Options, Order, TimingName, setting};
use ringleader_check::{ExtremesQuery, Reductions};
use ringleader_model::{
    Assumed, BadSetting, BadText, ChangingRange, Clocks, Delays, Faults, Interventions, Links, Numbering, Offsets,
    Orientation, Place, Range, Reading, RingChanges, SiteLoad, Task, Ties, Time, Topology, WakeSet, Wakes, integer,
    place_at,
};

use crate::memory;

/// Identities, or values by place: one value of one option.
type Ids = Vec<u64>;

const PROCESSORS: &str = "Processors";
const TIME: &str = "Time";
const LINKS: &str = "Links and faults";
const WORKLOAD: &str = "Workload";
const PROTOCOL: &str = "Protocol and seed";
const EFFORT: &str = "Search";
const FORMULAS: &str = "Properties of one's own";

/// A number of schedules.
pub(crate) fn schedules(text: &str) -> Result<u64, BadText> {
    integer(text, 1, u64::MAX)
}

/// The number of processors, in a run and in a check.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Size {
    /// Number of processors; `check` takes all orders of their identities up to symmetry [default: 16; `check` takes 2, 3, 4 and so on, for a minute]
    #[arg(short, long, value_name = "N", value_parser = size, allow_negative_numbers = true, help_heading = PROCESSORS)]
    n: Option<u64>,
}

/// Processors, in a run and in a check.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Processors {
    /// Identities, clockwise: 3,1,4,2
    #[arg(long, value_name = "LIST", value_parser = identities, allow_negative_numbers = true, help_heading = PROCESSORS)]
    ids: Option<Ids>,
    /// Processors that join and leave the ring before the election, one after the other: join:NAME@PLACE, leave:PLACE (a
    /// neighbour whose name is greater takes the name of who leaves) or drop:PLACE (the name goes, too)
    #[arg(long, value_name = "CHANGES", help_heading = PROCESSORS)]
    changes: Option<RingChanges>,
    /// Request a further election: PLACE@TIME, in `check` at any time; may be repeated
    #[arg(long, value_name = "PLACE@TIME", value_parser = place_at, help_heading = PROCESSORS)]
    again: Vec<(Place, Time)>,
}

/// Clocks, in a run and in a check.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Clockwork {
    /// Tick length: A or A..B [default in check: 1..2 where the protocol is Archimedean]; in a run also as it changes with time,
    /// 1..4@0,1..9@500: ticks that begin at 500 or later have other lengths
    #[arg(long, value_name = "RANGE", value_parser = tick, allow_negative_numbers = true, help_heading = TIME)]
    r: Option<ChangingRange>,
    /// Message delay: A or A..B [default in check: 1..2 where the protocol is Archimedean]; in a run also as it changes with time,
    /// 0..3@0,0..40@500: messages sent at 500 or later have other delays
    #[arg(long, value_name = "RANGE", value_parser = delay, allow_negative_numbers = true, help_heading = TIME)]
    d: Option<ChangingRange>,
    /// Tick lengths within r: fixed, varying, slowest, fastest or list:4,8,12; in `check` fixed or varying
    #[arg(long, value_name = "POLICY", help_heading = TIME)]
    clocks: Option<Clocks>,
    /// When an arrived message is handled: immediate, per-tick (one a tick), per-step (all at a step) or bit-serial (a bit a tick)
    #[arg(long, value_name = "READING", help_heading = TIME)]
    reading: Option<Reading>,
    /// Order of a message and a step of its receiver at the same instant: sim (as the reading says) or both (either order)
    /// [default: sim; in check both, unless the least delay is 0]
    #[arg(long, value_name = "TIES", help_heading = TIME)]
    ties: Option<Ties>,
}

/// Links and what fails.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct LinksAndFaults {
    /// Links: fifo, any (messages may overtake), half (half-duplex) or half-phase (half-duplex for messages of one phase)
    /// [default: the protocol's]
    #[arg(long, value_name = "ORDER", help_heading = LINKS)]
    links: Option<Links>,
    /// Faults, separated by commas: crash:PLACE@TIME, restart:PLACE@TIME[+OFFSET] (of its clock), pause:PLACE@TIME+LENGTH,
    /// cut:PLACE-PLACE@TIME..TIME (the link between two neighbours), loss:P/Q, duplicate:P/Q, until:TIME (no message is lost or
    /// duplicated from then on); in `check` and without clocks crash:K, restart:K, pause:K, cut:K, loss:K, duplicate:K (at most K, at any time)
    #[arg(long, value_name = "FAULTS", help_heading = LINKS)]
    faults: Option<Faults>,
    /// Acknowledge every message, and send it again if its acknowledgement does not come within so many own ticks: elections,
    /// locks, readers and writers survive loss:P/Q, duplicate:P/Q and cut: (in `check` loss:K, duplicate:K, cut:K); those that
    /// rest on d_max are given the longest delay of messages that are sent again, and need until:TIME beside loss:P/Q
    #[arg(long, value_name = "TICKS", value_parser = retransmission_time, allow_negative_numbers = true, help_heading = LINKS)]
    retransmit: Option<u64>,
}

/// Options of the workload, for runs and checks.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Users {
    /// Entries (or reads, or writes) of each competing site; in `check` also forever: no starvation instead of termination
    /// [default: 20, in check 1]
    #[arg(long, value_name = "E", allow_negative_numbers = true, help_heading = WORKLOAD, value_parser = entries)]
    entries: Option<u64>,
    /// Number of users of each site, who compete locally, first come, first served, and make E entries each; in `check` as one
    /// user who makes them all, which has the same schedules [default: 1]
    #[arg(long, value_name = "U", allow_negative_numbers = true, help_heading = WORKLOAD, value_parser = users)]
    users: Option<u64>,
    /// Number of competing sites: places 0 to S-1; in a run also as it changes with time: 4@0,16@500 (S@TIME, the last S the
    /// greatest) [default: all]
    #[arg(long, value_name = "S", allow_negative_numbers = true, help_heading = WORKLOAD)]
    compete: Option<SiteLoad>,
    /// Number of readers: places 0 to R-1 [default: all but the writers]
    #[arg(long, value_name = "R", allow_negative_numbers = true, help_heading = WORKLOAD, value_parser = count)]
    readers: Option<u64>,
    /// Number of writers: the places after the readers [default: 1]
    #[arg(long, value_name = "W", allow_negative_numbers = true, help_heading = WORKLOAD, value_parser = count)]
    writers: Option<u64>,
}

/// The parameters of a protocol.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ProtocolSettings {
    /// Set a parameter of the protocol (see `info`): KEY=VALUE; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting, help_heading = PROTOCOL)]
    pub(crate) set: Vec<(String, String)>,
}

/// All that is said about a run.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RunOptions {
    #[command(flatten)]
    size: Size,
    #[command(flatten)]
    others: OtherOptions,
}

/// All that is said about a run but the number of processors, of which a sweep has several.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct OtherOptions {
    #[command(flatten)]
    processors: Processors,
    /// Arrangement of the identities 1..N: random, ascending, descending, bit-reversal or computed (like random, without a
    /// list of them: for the largest rings) [default: random]
    #[arg(long, value_name = "ORDER", help_heading = PROCESSORS)]
    order: Option<Order>,
    /// Network: ring, bidirectional-ring or complete [default: the protocol's]
    #[arg(long, value_name = "SHAPE", help_heading = PROCESSORS)]
    topology: Option<Topology>,
    /// Orientation of a bidirectional ring: same, random or 0110 (1: left and right exchanged)
    #[arg(long, value_name = "WAYS", help_heading = PROCESSORS)]
    orientation: Option<Orientation>,
    /// Port numbering of a complete network: plain, shuffled, or by place and port where they lead: 1,2/2,0/0,1
    /// [default: plain]
    #[arg(long, value_name = "PORTS", help_heading = PROCESSORS)]
    ports: Option<Numbering>,
    /// Initiators, which wake spontaneously at time 0: all, one, 0,3,5 or random:K [default: all]
    #[arg(long, value_name = "SET", allow_negative_numbers = true, help_heading = PROCESSORS)]
    wake: Option<WakeSet>,
    /// Time of each spontaneous wake-up: 0,4,-,4 (- does not wake spontaneously)
    #[arg(long, value_name = "TIMES", allow_hyphen_values = true, help_heading = PROCESSORS)]
    wake_at: Option<Wakes>,
    /// Timing: unit, lockstep, rounds, archimedean, uniform or memory, or untimed (asynchronous, without clocks) [default: the
    /// protocol's]
    #[arg(long, value_name = "PRESET", help_heading = TIME)]
    timing: Option<TimingName>,
    #[command(flatten)]
    clockwork: Clockwork,
    /// Where r or d changes with time, what processors and bounds assume: all (the range around all of them) or first (the ranges at
    /// time 0, outside of which nothing that rests on them is promised or judged) [default: all]
    #[arg(long, value_name = "RANGES", help_heading = TIME)]
    assume: Option<Assumed>,
    /// Delays within d: uniform, min, max, list:1,1,1 (per link, i to i+1), or an adversary: newest-first, slowest-high,
    /// slowest-low (by the sender's identity), one-way (clockwise first)
    #[arg(long, value_name = "POLICY", help_heading = TIME)]
    delays: Option<Delays>,
    /// Clock offsets, the time of each first tick: zero, random or list:0,1,2 [default: zero]
    #[arg(long, value_name = "OFFSETS", alias = "phases", help_heading = TIME)]
    offsets: Option<Offsets>,
    #[command(flatten)]
    links: LinksAndFaults,
    /// What is done to single messages, by number, separated by commas: 17:drop (it is lost), 23:delay:40 (it arrives 40 after it
    /// was sent), 31:until:900 (it arrives at 900, or later by itself; without clocks, after 900 steps), 40:duplicate (a copy arrives
    /// with it). Messages are numbered from 1 in the order of sending; a copy has its own number. On FIFO links messages keep
    /// their order: those behind one that is held wait for it
    #[arg(long, value_name = "LIST", help_heading = LINKS)]
    intervene: Option<Interventions>,
    #[command(flatten)]
    users: Users,
    /// Own steps before the first request: A or A..B [default: 0]
    #[arg(long, value_name = "STEPS", value_parser = steps, allow_negative_numbers = true, help_heading = WORKLOAD)]
    first: Option<Range>,
    /// Own steps from leaving to the next request (remainder): A or A..B [default: 0]
    #[arg(long, value_name = "STEPS", value_parser = steps, allow_negative_numbers = true, help_heading = WORKLOAD)]
    think: Option<Range>,
    /// Own steps inside the critical section: A or A..B [default: 10]
    #[arg(long, value_name = "STEPS", value_parser = stay, allow_negative_numbers = true, help_heading = WORKLOAD)]
    hold: Option<Range>,
    #[command(flatten)]
    settings: ProtocolSettings,
    /// Task of the leader of a ring after the election: ring-size, ring-sort, broadcast, transfer or token
    #[arg(long, value_name = "TASK", value_parser = task, help_heading = PROTOCOL)]
    then: Option<Task>,
    /// Input of the task, by place: 5,3,3,1: values for ring-sort and broadcast [default: the identities], numbers of old tokens
    /// for token [default: none]
    #[arg(long, value_name = "LIST", value_parser = task_values, allow_negative_numbers = true, help_heading = PROTOCOL)]
    values: Option<Ids>,
    /// Stop after N messages have arrived or been lost: for runs that do not terminate
    #[arg(long, value_name = "N", help_heading = PROTOCOL, value_parser = number, allow_negative_numbers = true)]
    max_messages: Option<u64>,
    /// Without clocks: stop after N steps
    #[arg(long, value_name = "N", help_heading = PROTOCOL, value_parser = number, allow_negative_numbers = true)]
    max_steps: Option<u64>,
    /// Stop after this time
    #[arg(long, value_name = "TIME", help_heading = PROTOCOL, value_parser = number, allow_negative_numbers = true)]
    max_time: Option<u64>,
    /// Execute in time order, or in causal order, which is faster and possible on many rings; the results are the same [default:
    /// auto]
    #[arg(long, value_name = "ORDER", help_heading = PROTOCOL)]
    engine: Option<Engine>,
    /// Random seed [default: 1]
    #[arg(long, value_name = "S", help_heading = PROTOCOL, value_parser = number, allow_negative_numbers = true)]
    seed: Option<u64>,
    /// First choices of the run, in the order in which it makes them: 0,3,1; all others are drawn from the seed. Without clocks the
    /// choice of the next step is one of them
    #[arg(long, value_name = "LIST", value_parser = choices, allow_negative_numbers = true, help_heading = PROTOCOL)]
    choices: Option<Ids>,
}

/// Options that runs and checks share.
fn common(
    processors: Processors,
    clockwork: Clockwork,
    links: LinksAndFaults,
    users: &Users,
    settings: ProtocolSettings,
) -> Options {
    Options {
        ids: processors.ids,
        changes: processors.changes,
        again: processors.again,
        r: clockwork.r,
        d: clockwork.d,
        clocks: clockwork.clocks,
        reading: clockwork.reading,
        ties: clockwork.ties,
        links: links.links,
        faults: links.faults,
        retransmit: links.retransmit,
        entries: users.entries,
        users: users.users,
        compete: users.compete.clone(),
        readers: users.readers,
        writers: users.writers,
        set: settings.set,
        ..Options::default()
    }
}

impl From<RunOptions> for Options {
    fn from(said: RunOptions) -> Self {
        Self { n: said.size.n, ..said.others.into() }
    }
}

impl From<OtherOptions> for Options {
    fn from(said: OtherOptions) -> Self {
        Self {
            order: said.order,
            topology: said.topology,
            orientation: said.orientation,
            ports: said.ports,
            wake: said.wake,
            wake_at: said.wake_at,
            timing: said.timing,
            assume: said.assume,
            delays: said.delays,
            offsets: said.offsets,
            first: said.first,
            think: said.think,
            hold: said.hold,
            then: said.then,
            values: said.values,
            max_messages: said.max_messages,
            max_steps: said.max_steps,
            max_time: said.max_time,
            engine: said.engine,
            seed: said.seed,
            intervene: said.intervene,
            choices: said.choices,
            ..common(said.processors, said.clockwork, said.links, &said.users, said.settings)
        }
    }
}

/// Properties of one's own.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Formulas {
    /// Check that a formula is true in every state of every run: an invariant; may be repeated
    ///
    /// Observations: elected, leader(ID), decided(PLACE), trying(PLACE), critical(PLACE), reading(PLACE), writing(PLACE),
    /// tokens(K), quiescent. Operators: !, &, |, ->, <->, and those of --ltl.
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true, help_heading = FORMULAS)]
    always: Vec<Formula>,
    /// Check that a formula is true in some state of every fair run; may be repeated
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true, help_heading = FORMULAS)]
    eventually: Vec<Formula>,
    /// Check a formula of linear temporal logic, such as 'G(trying(1) -> F critical(1))', in every fair run; may be repeated
    ///
    /// Operators: G (always), F (eventually), U (until), R (release), W (weak until); there is no X (next), which depends on
    /// the order of independent steps. A run that ends stays in its last state. With clocks, observations are made at the end
    /// of an instant. A violated formula has a counterexample: a run to a state, or a lasso.
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true, help_heading = FORMULAS)]
    ltl: Vec<Formula>,
    /// Runs that formulas are about: weak (weakly fair ones), strong (strongly fair ones) or none (all) [default: weak]
    #[arg(long, value_name = "FAIRNESS", help_heading = FORMULAS)]
    fairness: Option<Fairness>,
}

impl Formulas {
    fn specification(self) -> Result<Specification, BadSetting> {
        let always = self.always.into_iter().map(Formula::always);
        let formulas: Vec<_> =
            always.chain(self.eventually.into_iter().map(Formula::eventually)).chain(self.ltl).collect();
        match self.fairness {
            Some(fairness) if formulas.is_empty() => {
                let wrong = format!("is {fairness}, but there is no formula");
                Err(BadSetting::new("fairness", wrong, "with --always, --eventually or --ltl"))
            }
            fairness => Ok(Specification { formulas, fairness: fairness.unwrap_or_default() }),
        }
    }
}

/// All that is said about a check.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct CheckedOptions {
    #[command(flatten)]
    size: Size,
    #[command(flatten)]
    processors: Processors,
    /// Orientation of a bidirectional ring: all, same or 0110 (1: left and right exchanged) [default: all up to 4 processors,
    /// and beyond where the protocol does not treat its ports alike]
    #[arg(long, value_name = "WAYS", help_heading = PROCESSORS)]
    orientation: Option<Orientations>,
    /// Port numberings of a complete network: all, or one: plain, shuffled or 1,2/2,0/0,1 (by place and port, where they lead)
    /// [default: all, or plain where the protocol treats its ports alike]
    #[arg(long, value_name = "PORTS", help_heading = PROCESSORS)]
    ports: Option<Numbering>,
    /// Initiators, each at any time, and nobody else: all, one (place 0), 0,3,5, or, with clocks, together (all at the first
    /// instant) [default: any set of processors, at any time]
    #[arg(long, value_name = "SET", allow_negative_numbers = true, help_heading = PROCESSORS)]
    wake: Option<CheckWake>,
    /// With clocks: digital clocks, bounded delays [default: where the protocol assumes timing]
    #[arg(long, conflicts_with = "untimed", help_heading = TIME)]
    timed: bool,
    /// Without clocks: asynchronous, any enabled step may be next [default: where the protocol assumes no timing]
    #[arg(long, help_heading = TIME)]
    untimed: bool,
    #[command(flatten)]
    clockwork: Clockwork,
    #[command(flatten)]
    links: LinksAndFaults,
    /// Only in a run
    #[arg(long, value_name = "LIST", hide = true)]
    intervene: Option<Interventions>,
    #[command(flatten)]
    users: Users,
    #[command(flatten)]
    settings: ProtocolSettings,
    /// Task of the leader of a ring after the election: ring-size, ring-sort, broadcast, transfer or token
    #[arg(long, value_name = "TASK", value_parser = task, help_heading = PROTOCOL,
          conflicts_with_all = ["probability", "simulate", "dot", "always", "eventually", "ltl"])]
    then: Option<Task>,
    /// Input of the task, by place: 5,3,3,1: values for ring-sort and broadcast [default: the identities], numbers of old tokens
    /// for token [default: none]
    #[arg(long, value_name = "LIST", value_parser = task_values, allow_negative_numbers = true, help_heading = PROTOCOL)]
    values: Option<Ids>,
    #[command(flatten)]
    formulas: Formulas,
    /// Disable partial-order and symmetry reduction and those of clocks, or only those named: partial-order, symmetry,
    /// port-renaming, eager-ticks, deferred-arrivals, silent-messages, early-reading, open-clocks
    #[arg(long, value_name = "LIST", num_args = 0..=1, require_equals = true, default_missing_value = "all",
          help_heading = EFFORT)]
    no_reduce: Option<Reductions>,
    /// Worker threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = threads, allow_negative_numbers = true, help_heading = EFFORT)]
    threads: Option<u64>,
    /// Explore at most N states of one instance
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true, help_heading = EFFORT)]
    max_states: Option<u64>,
    /// Memory limit: 800M, 8G [default: three quarters of what is free, half of it without -n]
    #[arg(long, value_name = "SIZE", value_parser = bytes, allow_negative_numbers = true, help_heading = EFFORT)]
    max_memory: Option<u64>,
}

impl CheckedOptions {
    /// Its meaning.
    pub(crate) fn check_options(self) -> Result<CheckOptions, BadSetting> {
        let (effort, limited) = (self.effort()?, self.max_memory.is_some());
        let mut options = CheckOptions {
            timed: (self.timed || self.untimed).then_some(self.timed),
            orientation: self.orientation,
            wake: self.wake,
            effort,
            options: Options {
                n: self.size.n,
                ports: self.ports,
                then: self.then,
                values: self.values,
                intervene: self.intervene,
                ..common(self.processors, self.clockwork, self.links, &self.users, self.settings)
            },
            extremes: ExtremesQuery::default(),
            specification: self.formulas.specification()?,
        };
        // A check that grows until something runs out leaves more to others.
        if !limited && !options.has_size() {
            options.effort.bytes = effort.bytes / 3 * 2;
        }
        Ok(options)
    }

    /// Limits and threads.
    pub(crate) fn effort(&self) -> Result<Effort, BadSetting> {
        let threads = workers(self.threads)?;
        let states = self.max_states.unwrap_or(u64::MAX);
        if states == 0 {
            return Err(BadSetting::new("max-states", "is 0", "at least 1"));
        }
        let reductions = self.no_reduce.unwrap_or(Reductions::NONE).complement();
        Ok(Effort { states, bytes: self.max_memory.unwrap_or_else(|| free_bytes(threads)), threads, reductions })
    }
}

/// The number of worker threads: one per core, unless a number is given.
pub(crate) fn workers(given: Option<u64>) -> Result<usize, BadSetting> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = given.map_or(cores, |threads| usize::try_from(threads).unwrap_or(usize::MAX));
    if !(1..=MOST_THREADS).contains(&threads) {
        return Err(BadSetting::new("threads", format!("is {threads}"), format!("1 to {MOST_THREADS}")));
    }
    Ok(threads)
}

const MOST_THREADS: usize = 1024;
/// The memory budget where the system does not say what is free.
const UNKNOWN_MEMORY: u64 = 2 << 30;

/// The memory budget of a search with this number of threads, in bytes: what is free, nearly.
pub(crate) fn free_bytes(threads: usize) -> u64 {
    memory::available_to(threads).map_or(UNKNOWN_MEMORY, |free| free / 4 * 3)
}

/// The number of threads of a run in causal order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum RunThreads {
    /// All cores where there are many processors, else one.
    #[default]
    Auto,
    Exactly(usize),
}

impl RunThreads {
    /// The number for this number of processors.
    pub(crate) fn of(self, n: u64) -> usize {
        match self {
            Self::Exactly(threads) => threads,
            Self::Auto if n >= WORTH_THREADS => std::thread::available_parallelism().map_or(1, usize::from),
            Self::Auto => 1,
        }
    }
}

impl FromStr for RunThreads {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        if text.trim() == "auto" {
            return Ok(Self::Auto);
        }
        let bad = |bad: BadText| BadText { allowed: format!("{}, auto", bad.allowed), ..bad };
        let allowed = |threads: &u64| (1..=MOST_THREADS as u64).contains(threads);
        let outside = || BadText::new(format!("is {}", text.trim()), format!("1 to {MOST_THREADS}"));
        let given = threads(text).and_then(|given| Some(given).filter(allowed).ok_or_else(outside));
        given.map(|threads| Self::Exactly(threads as usize)).map_err(bad)
    }
}

/// With fewer processors a second thread gains little.
const WORTH_THREADS: u64 = 1 << 22;

pub(crate) fn threads(text: &str) -> Result<u64, BadText> {
    integer(text, 1, MOST_THREADS as u64)
}

/// A number of bytes: 8G, 800M, 64K or digits alone.
fn bytes(text: &str) -> Result<u64, BadText> {
    let text = text.trim();
    let bad = || BadText::new(format!("is '{text}'"), "a number of bytes from 1M on, such as 800M or 8G");
    let (digits, shift) = match text.char_indices().next_back() {
        Some((at, 'K' | 'k')) => (&text[..at], 10),
        Some((at, 'M' | 'm')) => (&text[..at], 20),
        Some((at, 'G' | 'g')) => (&text[..at], 30),
        Some((at, 'T' | 't')) => (&text[..at], 40),
        _ => (text, 0),
    };
    let count = number(digits).map_err(|_| bad())?;
    count.checked_mul(1 << shift).filter(|&bytes| bytes >= 1 << 20).ok_or_else(bad)
}

#[cfg(test)]
mod tests {
    use clap::{ArgAction, CommandFactory, FromArgMatches, Parser};
    use ringleader::{OptionKind, RUN_OPTIONS};

    use super::*;

    #[derive(Parser)]
    struct RunLine {
        #[command(flatten)]
        options: RunOptions,
    }

    /// The help up to where it goes into details.
    fn head(help: &str) -> &str {
        let end = [";", ":", " [", " ("].into_iter().filter_map(|mark| help.find(mark)).min();
        &help[..end.unwrap_or(help.len())]
    }

    /// Forms and pages that show the options of a run take them from the table, the command line from its arguments.
    #[test]
    fn the_table_of_options_is_that_of_the_arguments() {
        let command = RunLine::command();
        let arguments: Vec<_> = command.get_arguments().filter(|argument| argument.get_id() != "help").collect();
        assert_eq!(arguments.len(), RUN_OPTIONS.len());
        for argument in arguments {
            let name = argument.get_long().expect("every option has a long name");
            let option = RUN_OPTIONS.iter().find(|option| option.name == name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(argument.get_short(), option.short, "{name}");
            let values: Vec<_> =
                argument.get_value_names().unwrap_or_default().iter().map(ToString::to_string).collect();
            assert_eq!(values, [option.value_name], "{name}");
            let help = argument.get_help().expect("every option has a help text").to_string();
            assert_eq!(head(&help), head(option.help), "{name}");
            assert_eq!(argument.get_help_heading(), Some(option.group), "{name}");
            let repeated = matches!(argument.get_action(), ArgAction::Append);
            assert_eq!(repeated, option.kind == OptionKind::List, "{name}");
        }
    }

    /// What the table calls a value means the same on the command line.
    #[test]
    fn both_read_the_same_values() {
        for option in RUN_OPTIONS.iter().filter(|option| option.name != "seed") {
            let number = if option.kind == OptionKind::Number { &["7"][..] } else { &[] };
            for value in option.choices.iter().chain(number) {
                let line = format!("--{}={value}", option.name);
                let matches =
                    RunLine::command().try_get_matches_from(["run", &line]).unwrap_or_else(|bad| panic!("{bad}"));
                let read = RunLine::from_arg_matches(&matches).expect("it is a value").options;
                let mut assigned = Options::default();
                assigned.assign(option.name, value).expect("it is a value");
                assert_eq!(Options::from(read), assigned, "{line}");
            }
        }
    }

    #[test]
    fn sizes_of_memory_are_read() {
        assert_eq!(
            ["8G", "8g", "800M", "2048K", "1048576", "1e9", "1_048_576"].map(bytes),
            [Ok(8 << 30), Ok(8 << 30), Ok(800 << 20), Ok(2 << 20), Ok(1 << 20), Ok(1_000_000_000), Ok(1 << 20)]
        );
        for wrong in ["", "G", "-1G", "1.5G", "1023K", "99999999T", "8Gé"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }
}
