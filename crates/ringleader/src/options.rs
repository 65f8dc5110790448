//! The options of a run, typed. Options that are left out have the protocol's defaults.

use ringleader_model::{
    Assumed, BadText, ChangingRange, Clocks, Delays, Faults, Identities, Interventions, Links, Numbering, Offsets,
    Orientation, Place, Ports, Preset, Range, Reading, Restart, RingChanges, Scenario, SiteLoad, Task, Ties, Time,
    Topology, WakeSet, Wakes, Workload, integers, place_at, word,
};
use ringleader_sim::{Random, Resolved};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

mod line;
mod table;
pub mod values;

pub use line::{run_line, words};
pub use table::{OptionKind, RUN_OPTIONS, RunOption};

/// The options of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Options {
    /// The number of processors.
    pub n: Option<u64>,
    /// Identities, clockwise.
    #[serde(deserialize_with = "ids")]
    pub ids: Option<Vec<u64>>,
    /// The order of the identities 1..N.
    #[serde(deserialize_with = "parsed")]
    pub order: Option<Order>,
    /// Processors that join and leave the ring before the election.
    #[serde(deserialize_with = "parsed")]
    pub changes: Option<RingChanges>,
    /// The network; a protocol runs on one only.
    #[serde(deserialize_with = "parsed")]
    pub topology: Option<Topology>,
    /// On a bidirectional ring, whose left and right are exchanged.
    #[serde(deserialize_with = "parsed")]
    pub orientation: Option<Orientation>,
    /// On a complete network, how ports are numbered.
    #[serde(deserialize_with = "parsed")]
    pub ports: Option<Numbering>,
    /// Initiators: who wakes spontaneously at 0.
    #[serde(deserialize_with = "parsed")]
    pub wake: Option<WakeSet>,
    /// When each wakes spontaneously.
    #[serde(deserialize_with = "parsed")]
    pub wake_at: Option<Wakes>,
    /// Requests for a further election.
    #[serde(deserialize_with = "requests")]
    pub again: Vec<(Place, Time)>,
    /// A timing by name.
    #[serde(deserialize_with = "parsed")]
    pub timing: Option<TimingName>,
    /// The length of a tick.
    #[serde(deserialize_with = "parsed")]
    pub r: Option<ChangingRange>,
    /// The delay of a message.
    #[serde(deserialize_with = "parsed")]
    pub d: Option<ChangingRange>,
    /// Where they change: what protocols and bounds assume.
    #[serde(deserialize_with = "parsed")]
    pub assume: Option<Assumed>,
    /// Tick lengths within r.
    #[serde(deserialize_with = "parsed")]
    pub clocks: Option<Clocks>,
    /// Delays within d.
    #[serde(deserialize_with = "parsed")]
    pub delays: Option<Delays>,
    /// When an arrived message is handled.
    #[serde(deserialize_with = "parsed")]
    pub reading: Option<Reading>,
    /// The offset of each first tick.
    #[serde(deserialize_with = "parsed", rename = "phases")]
    pub offsets: Option<Offsets>,
    /// The order of a message and a step of its receiver at the same instant.
    #[serde(deserialize_with = "parsed")]
    pub ties: Option<Ties>,
    /// The order that links keep.
    #[serde(deserialize_with = "parsed")]
    pub links: Option<Links>,
    /// Faults.
    #[serde(deserialize_with = "parsed")]
    pub faults: Option<Faults>,
    /// What is done to single messages.
    #[serde(deserialize_with = "parsed")]
    pub intervene: Option<Interventions>,
    /// Own ticks after which a message that is not acknowledged is sent again.
    pub retransmit: Option<u64>,
    /// Entries, reads or writes per competing site.
    pub entries: Option<u64>,
    /// The number of users of each site.
    pub users: Option<u64>,
    /// The number of competing sites.
    #[serde(deserialize_with = "load")]
    pub compete: Option<SiteLoad>,
    /// Own steps before asking for the first time.
    #[serde(deserialize_with = "parsed")]
    pub first: Option<Range>,
    /// Own steps from leaving to asking again.
    #[serde(deserialize_with = "parsed")]
    pub think: Option<Range>,
    /// Own steps from entering to leaving.
    #[serde(deserialize_with = "parsed")]
    pub hold: Option<Range>,
    /// The number of readers.
    pub readers: Option<u64>,
    /// The number of writers.
    pub writers: Option<u64>,
    /// Parameters of the protocol.
    #[serde(deserialize_with = "pairs")]
    pub set: Vec<(String, String)>,
    /// The task of the leader of a ring.
    #[serde(deserialize_with = "task")]
    pub then: Option<Task>,
    /// The input of the task, by place.
    #[serde(deserialize_with = "values")]
    pub values: Option<Vec<u64>>,
    /// After how many messages to stop.
    pub max_messages: Option<u64>,
    /// Without clocks: after how many steps to stop.
    pub max_steps: Option<u64>,
    /// After which time to stop.
    pub max_time: Option<u64>,
    /// The order in which the run is executed.
    #[serde(deserialize_with = "parsed")]
    pub engine: Option<Engine>,
    /// The random seed.
    pub seed: Option<u64>,
    /// The first choices of the run; all others are drawn.
    #[serde(deserialize_with = "values")]
    pub choices: Option<Vec<u64>>,
}

/// Identities on a ring, clockwise; all else is the protocol's default.
pub fn ring(ids: impl Into<Vec<u64>>) -> Options {
    Options { ids: Some(ids.into()), ..Options::default() }
}

/// This number of processors; all else is the protocol's default.
pub fn processors(n: u64) -> Options {
    Options { n: Some(n), ..Options::default() }
}

/// A named timing, or no clocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimingName {
    /// Clocks as a preset has them.
    Preset(Preset),
    /// No clocks: any enabled step may be next.
    Untimed,
}

const UNTIMED: &str = "untimed";

impl FromStr for TimingName {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        if text.trim() == UNTIMED {
            return Ok(Self::Untimed);
        }
        let bad = |bad: BadText| BadText { allowed: format!("{}, {UNTIMED}", bad.allowed), ..bad };
        text.parse().map(Self::Preset).map_err(bad)
    }
}

impl fmt::Display for TimingName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Preset(preset) => preset.fmt(f),
            Self::Untimed => f.write_str(UNTIMED),
        }
    }
}

/// The order of the identities 1..N.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Shuffled.
    Random,
    /// 1, 2, 3, …
    Ascending,
    /// N, N-1, …
    Descending,
    /// Place i gets the rank of i read backwards: neighbours differ as much as they can.
    BitReversal,
    /// As if shuffled, but computed from the seed place by place: for rings for which a list is too long.
    Computed,
}

impl Order {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Random, Self::Ascending, Self::Descending, Self::BitReversal, Self::Computed];

    /// As users write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Ascending => "ascending",
            Self::Descending => "descending",
            Self::BitReversal => "bit-reversal",
            Self::Computed => "computed",
        }
    }

    pub(crate) fn arrange(self, n: usize, seed: u64, random: &mut Random) -> Vec<u64> {
        if self == Self::Computed {
            return Identities::computed(n as u64, seed).list().into_owned();
        }
        let mut ids: Vec<u64> = (1..=n as u64).collect();
        match self {
            Self::Random => random.shuffle(&mut ids),
            Self::Ascending | Self::Computed => {}
            Self::Descending => ids.reverse(),
            Self::BitReversal => {
                let mut places: Vec<usize> = (0..n).collect();
                places.sort_by_key(|place| place.reverse_bits());
                for (rank, place) in places.into_iter().enumerate() {
                    ids[place] = rank as u64 + 1;
                }
            }
        }
        ids
    }
}

impl FromStr for Order {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        word(text, &Self::ALL, Self::name)
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The order in which a run is executed, as users ask for it. What comes of a run is the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Engine {
    /// Causal order where it is possible and faster.
    #[default]
    Auto,
    /// One instant after another.
    Time,
    /// One message after another, from place to place.
    Causal,
}

impl Engine {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Time, Self::Causal];

    /// As users write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Time => "time",
            Self::Causal => "causal",
        }
    }
}

impl FromStr for Engine {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        word(text, &Self::ALL, Self::name)
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// `KEY=VALUE`, a parameter of a protocol.
pub fn setting(text: &str) -> Result<(String, String), BadText> {
    let (key, value) = text.split_once('=').ok_or_else(|| BadText::new(format!("is '{text}'"), "KEY=VALUE"))?;
    Ok((key.to_string(), value.to_string()))
}

impl Options {
    /// The protocol that is meant where a leader's task is named instead: `ring-sort` with `--set election=NAME` is NAME
    /// with `--then ring-sort`.
    pub fn with_election(mut self, protocol: &str) -> (String, Self) {
        let task = Task::ALL.into_iter().find(|task| task.name() == protocol);
        let Some(task) = task.filter(|_| self.then.is_none()) else {
            return (protocol.to_string(), self);
        };
        self.then = Some(task);
        let election = self.set.iter().position(|(key, _)| key == "election");
        let election = election.map(|index| self.set.remove(index).1);
        (election.unwrap_or_else(|| "vitanyi".to_string()), self)
    }

    /// The command line of `command`, a run or a table, with these options, the seed written out.
    pub fn command_line(&self, command: &str) -> String {
        let mut line = CommandLine::new(command);
        line.options(self);
        line.value("--seed", Some(self.seed.unwrap_or(1)));
        line.into_text()
    }

    /// The options that are given, but for the seed: their names, as the command line has them, and values; `set` and `again`
    /// once for each of theirs.
    pub fn named(&self) -> Vec<(String, String)> {
        let mut line = CommandLine::new("");
        line.options(self);
        line.values
    }

    /// Notes on settings that have no effect on this scenario.
    pub(crate) fn without_effect(&self, scenario: &Scenario) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(faults) = &self.faults {
            if let Some(until) = faults.until.filter(|_| faults.loss.is_none() && faults.duplicate.is_none()) {
                notes.push(format!("until:{until} has no effect without loss or duplicate"));
            }
            for (place, time) in faults.crashes.iter().filter(|(place, _)| *place as usize >= scenario.n) {
                notes.push(format!("crash:{place}@{time} has no effect: places are 0 to {}", scenario.n - 1));
            }
            for &Restart { place, time, .. } in &faults.restarts {
                let crash = faults.crashes.iter().find(|crash| crash.0 == place).map(|crash| crash.1);
                if let Some(crash) = crash.filter(|&crash| crash > time) {
                    notes.push(format!(
                        "restart:{place}@{time} comes before crash:{place}@{crash}: place {place} crashes and restarts at {time}"
                    ));
                }
            }
            if scenario.untimed && faults.at_most.pauses > 0 {
                let pauses = faults.at_most.pauses;
                notes.push(format!(
                    "pause:{pauses} changes nothing without clocks: any processor may be slower than all others"
                ));
            }
            let most = u64::from(faults.at_most.crashes);
            if most > scenario.n as u64 && faults.at_most.restarts == 0 {
                notes.push(format!("crash:{most} is the same as crash:{0}: there are {0} processors", scenario.n));
            }
        }
        if let Some(WakeSet::Places(places)) = &self.wake {
            let twice = |(index, place): (usize, &u64)| places[..index].contains(place).then_some(*place);
            if let Some(place) = places.iter().enumerate().find_map(twice) {
                notes.push(format!("--wake names place {place} more than once; it wakes once"));
            }
        }
        for (index, (key, value)) in self.set.iter().enumerate() {
            if self.set[..index].contains(&(key.clone(), value.clone())) {
                notes.push(format!("--set {key}={value} is given more than once"));
            }
        }
        notes
    }

    /// The number of processors asked for, without cells of shared memory.
    pub fn size(&self) -> u64 {
        match (&self.ids, self.n, self.readers) {
            (Some(ids), _, _) => ids.len() as u64,
            (None, Some(n), _) => n,
            (None, None, Some(readers)) => readers.saturating_add(self.writers.unwrap_or(1)),
            (None, None, None) => DEFAULT_N,
        }
    }
}

/// The default number of processors.
const DEFAULT_N: u64 = 16;

impl From<&Scenario> for Options {
    /// Options that say all of a scenario, whatever a protocol's defaults. What the seed decides before a run is written out: a
    /// record does not depend on how it is drawn.
    fn from(scenario: &Scenario) -> Self {
        let scenario = &explicit_clocks(scenario);
        let timing = &scenario.timing;
        let load = scenario.workload.as_ref();
        let sites = scenario.n - load.map_or(0, |load| load.cells);
        let listed = !scenario.ids.is_empty();
        let sharing = load.filter(|load| load.readers + load.writers > 0);
        // Options of clocks are left out for a run without clocks.
        let clocked = !scenario.untimed;
        let with_clocks = |range: Range| clocked.then_some(range);
        Self {
            n: (!listed).then_some(sites as u64),
            ids: listed.then(|| scenario.ids.clone()),
            order: scenario.computed.then_some(Order::Computed),
            values: (!scenario.values.is_empty()).then(|| scenario.values.clone()),
            orientation: (!scenario.orientation.is_empty())
                .then(|| Orientation::Exchanged(scenario.orientation.clone())),
            ports: match &scenario.ports {
                Ports::Plain => None,
                &Ports::Shuffled(seed) => Some(Numbering::Shuffled(Some(seed).filter(|&seed| seed != scenario.seed))),
                ports => Some(ports.clone().into()),
            },
            wake_at: match &scenario.wakes {
                Wakes::All => None,
                Wakes::At(at) => Some(Wakes::At(at[..sites].to_vec())),
            },
            again: scenario.again.clone(),
            timing: scenario.untimed.then_some(TimingName::Untimed),
            r: clocked.then(|| timing.tick_ranges()),
            d: clocked.then(|| timing.delay_ranges()),
            assume: Some(timing.assumed()).filter(|&assumed| assumed != Assumed::default()),
            clocks: clocked.then(|| timing.clocks.clone()),
            delays: clocked.then(|| timing.delays.clone()),
            reading: clocked.then_some(timing.reading),
            offsets: Some(timing.offsets.clone()).filter(|offsets| clocked && *offsets != Offsets::Zero),
            ties: Some(scenario.ties).filter(|ties| *ties != Ties::Ruled),
            links: Some(scenario.links),
            faults: (!scenario.faults.is_empty()).then(|| scenario.faults.clone()),
            intervene: Some(Interventions(scenario.interventions.clone())).filter(|all| !all.0.is_empty()),
            retransmit: scenario.retransmit,
            entries: load.map(|load| load.entries),
            users: load.filter(|load| load.users > 1).map(|load| load.users as u64),
            compete: load.map(Workload::load),
            first: load.filter(|load| load.first != Range::new(0, 0)).and_then(|load| with_clocks(load.first)),
            think: load.and_then(|load| with_clocks(load.think)),
            hold: load.filter(|load| load.cells == 0).and_then(|load| with_clocks(load.hold)),
            readers: sharing.map(|load| load.readers as u64),
            writers: sharing.map(|load| load.writers as u64),
            seed: Some(scenario.seed),
            ..Self::default()
        }
    }
}

impl From<Scenario> for Options {
    fn from(scenario: Scenario) -> Self {
        Self::from(&scenario)
    }
}

/// The same scenario, its tick lengths and offsets as lists where the seed decides them.
pub(crate) fn explicit_clocks(scenario: &Scenario) -> Scenario {
    let mut explicit = scenario.clone();
    if scenario.untimed {
        return explicit;
    }
    let (timing, resolved) = (&scenario.timing, Resolved::new(scenario));
    if timing.clocks == Clocks::Fixed
        && timing.r.min < timing.r.max
        && let Some(lengths) = resolved.tick_lengths(scenario.n)
    {
        explicit.timing.clocks = Clocks::List(lengths);
    }
    if timing.offsets == Offsets::Random {
        explicit.timing.offsets = Offsets::List(resolved.offsets().to_vec());
    }
    explicit
}

static PROGRAM: OnceLock<String> = OnceLock::new();

/// The program that command lines name: `ringleader`, unless set.
pub fn program() -> &'static str {
    PROGRAM.get().map_or("ringleader", String::as_str)
}

/// Sets the program that command lines name; only the first call counts.
pub fn set_program(name: String) {
    let _ = PROGRAM.set(name);
}

/// A command line in the making: one word after the other, quoted where a shell needs it.
pub struct CommandLine {
    text: String,
    /// The options with values, without their dashes.
    values: Vec<(String, String)>,
}

impl CommandLine {
    /// The [`program`] and a command.
    pub fn new(command: &str) -> Self {
        Self { text: format!("{} {command}", program()), values: Vec::new() }
    }

    /// An option without a value, if it is given.
    pub fn flag(&mut self, flag: &str, given: bool) {
        if given {
            self.text.push(' ');
            self.text.push_str(flag);
        }
    }

    /// An option with its value, if there is one.
    pub fn value(&mut self, flag: &str, value: Option<impl fmt::Display>) {
        let Some(value) = value.map(|value| value.to_string()) else { return };
        self.flag(flag, true);
        // A value that starts with a dash would be taken for an option.
        self.text.push(if value.starts_with('-') { '=' } else { ' ' });
        self.text.push_str(&quoted(&value));
        self.values.push((flag.trim_start_matches('-').to_string(), value));
    }

    /// All options of a run but its seed.
    fn options(&mut self, options: &Options) {
        self.value("-n", options.n);
        self.users(options);
        self.world(options, options.orientation.as_ref(), options.wake.as_ref());
        self.value("--first", options.first);
        self.value("--think", options.think);
        self.value("--hold", options.hold);
        self.task(options);
        self.repeated(options);
        self.value("--max-messages", options.max_messages);
        self.value("--max-steps", options.max_steps);
        self.value("--max-time", options.max_time);
        self.value("--engine", options.engine);
        self.value("--choices", options.choices.as_deref().filter(|all| !all.is_empty()).map(comma_separated));
    }

    /// The leader's task and its input.
    pub(crate) fn task(&mut self, options: &Options) {
        self.value("--values", options.values.as_deref().map(comma_separated));
        self.value("--then", options.then.map(Task::name));
    }

    /// The options of a workload.
    pub(crate) fn users(&mut self, options: &Options) {
        self.value("--entries", options.entries.map(entries_text));
        self.value("--users", options.users);
        self.value("--compete", options.compete.as_ref());
        self.value("--readers", options.readers);
        self.value("--writers", options.writers);
    }

    /// Processors, time, links and faults; orientation and wakes are written differently in a run and in a check.
    pub(crate) fn world(
        &mut self,
        options: &Options,
        orientation: Option<&impl fmt::Display>,
        wake: Option<&impl fmt::Display>,
    ) {
        self.value("--ids", options.ids.as_deref().map(comma_separated));
        self.value("--order", options.order);
        self.value("--changes", options.changes.as_ref());
        self.value("--topology", options.topology);
        self.value("--orientation", orientation);
        self.value("--ports", options.ports.as_ref());
        self.value("--wake", wake);
        self.value("--wake-at", options.wake_at.as_ref());
        self.value("--timing", options.timing);
        self.value("--r", options.r.as_ref());
        self.value("--d", options.d.as_ref());
        self.value("--assume", options.assume);
        self.value("--clocks", options.clocks.as_ref());
        self.value("--delays", options.delays.as_ref());
        self.value("--reading", options.reading);
        self.value("--offsets", options.offsets.as_ref());
        self.value("--ties", options.ties);
        self.value("--links", options.links);
        self.value("--faults", options.faults.as_ref());
        self.value("--intervene", options.intervene.as_ref());
        self.value("--retransmit", options.retransmit);
    }

    /// Requests for further elections and the protocol's parameters.
    pub(crate) fn repeated(&mut self, options: &Options) {
        for (place, time) in &options.again {
            self.value("--again", Some(format!("{place}@{time}")));
        }
        for (key, value) in &options.set {
            self.value("--set", Some(format!("{key}={value}")));
        }
    }

    /// The line.
    pub fn into_text(self) -> String {
        self.text
    }
}

/// A number of entries as users write it.
fn entries_text(entries: u64) -> String {
    if entries == Workload::FOREVER { FOREVER.to_string() } else { entries.to_string() }
}

/// Entries without end, as users write them.
pub const FOREVER: &str = "forever";

pub(crate) fn comma_separated(list: &[u64]) -> String {
    list.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
}

/// A word that a POSIX shell reads as this value.
pub fn quoted(value: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.,:/@=+^%".contains(c);
    if !value.is_empty() && value.chars().all(plain) {
        return value.to_string();
    }
    format!("'{}'", value.replace('\'', r"'\''"))
}

// In trace files of format 1 options are written as on a command line.

fn parsed<'de, D: Deserializer<'de>, T: FromStr<Err = BadText>>(deserializer: D) -> Result<Option<T>, D::Error> {
    let text: String = Deserialize::deserialize(deserializer)?;
    text.parse().map(Some).map_err(D::Error::custom)
}

/// Older files have a number.
fn load<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SiteLoad>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(u64),
        Text(String),
    }
    let text = match Deserialize::deserialize(deserializer)? {
        Written::Number(sites) => sites.to_string(),
        Written::Text(text) => text,
    };
    text.parse().map(Some).map_err(D::Error::custom)
}

fn ids<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<u64>>, D::Error> {
    let text: String = Deserialize::deserialize(deserializer)?;
    integers(&text, 1, u64::MAX).map(Some).map_err(D::Error::custom)
}

fn values<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<u64>>, D::Error> {
    let text: String = Deserialize::deserialize(deserializer)?;
    integers(&text, 0, u64::MAX).map(Some).map_err(D::Error::custom)
}

fn task<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Task>, D::Error> {
    let text: String = Deserialize::deserialize(deserializer)?;
    word(&text, &Task::ALL, Task::name).map(Some).map_err(D::Error::custom)
}

fn requests<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(Place, Time)>, D::Error> {
    let texts: Vec<String> = Deserialize::deserialize(deserializer)?;
    texts.iter().map(|text| place_at(text)).collect::<Result<_, _>>().map_err(D::Error::custom)
}

fn pairs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, String)>, D::Error> {
    let texts: Vec<String> = Deserialize::deserialize(deserializer)?;
    texts.iter().map(|text| setting(text)).collect::<Result<_, _>>().map_err(D::Error::custom)
}
