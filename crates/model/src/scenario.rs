use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{
    Assumptions, AtMost, BadSetting, Faults, Identities, Intervention, MessageAction, Place, Ports, Starts, Ticks,
    Time, TimingChange, Topology, Workload,
};

/// Everything that the environment chooses: processors, wake times, clocks, delays, faults.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The number of processors.
    pub n: usize,
    /// Their identities, clockwise by place; empty where they have none, or where they are computed.
    pub ids: Vec<u64>,
    /// Identities are 1 to n in an [order](crate::Permutation) that is computed from the seed, place by place: large rings then
    /// need no list of them.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub computed: bool,
    /// By place, the input of a leader's task: the value of each processor, or its number of old tokens; empty if none
    /// is given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<u64>,
    /// Identities may repeat, which no protocol assumes: for runs that show why none can do without distinct ones.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub equal_ids: bool,
    /// The processors that wake spontaneously, and their wake times.
    pub wakes: Wakes,
    /// Requests for a further election.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<(Place, Time)>,
    /// The workload, where users make requests repeatedly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<Workload>,
    /// Clocks, delays and reading.
    pub timing: Timing,
    /// The order that links keep.
    pub links: Links,
    /// On a bidirectional ring: the processors whose left and right are exchanged; empty if none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub orientation: Vec<bool>,
    /// On a complete network: the numbering of ports.
    #[serde(default, skip_serializing_if = "Ports::is_plain")]
    pub ports: Ports,
    /// The faults.
    #[serde(default, skip_serializing_if = "Faults::is_empty")]
    pub faults: Faults,
    /// What is done to single messages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interventions: Vec<Intervention>,
    /// The own ticks after which a message that is not acknowledged is sent again; `None` without acknowledgements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retransmit: Option<u64>,
    /// No clocks: any enabled action may happen next, one at a time, and the time is the number of the step. Timing has
    /// no meaning then.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub untimed: bool,
    /// The order of a message and a step of its receiver at one instant.
    #[serde(default, skip_serializing_if = "Ties::is_ruled")]
    pub ties: Ties,
    /// The random seed.
    pub seed: u64,
}

impl Wakes {
    /// Whether all wake at the same time.
    pub fn are_together(&self) -> bool {
        match self {
            Self::All => true,
            Self::At(at) => at.iter().all(|&time| time.is_some() && time == at[0]),
        }
    }
}

impl Default for Scenario {
    /// One processor, awake at 0, unit time, seed 1.
    fn default() -> Self {
        Self {
            n: 1,
            ids: Vec::new(),
            computed: false,
            values: Vec::new(),
            equal_ids: false,
            wakes: Wakes::All,
            again: Vec::new(),
            workload: None,
            timing: Preset::Unit.timing(Reading::Immediate),
            links: Links::Fifo,
            orientation: Vec::new(),
            ports: Ports::Plain,
            faults: Faults::default(),
            interventions: Vec::new(),
            retransmit: None,
            untimed: false,
            ties: Ties::Ruled,
            seed: 1,
        }
    }
}

impl Scenario {
    /// Checks that it is consistent and satisfies the assumptions of a protocol.
    pub fn check(&self, assumptions: &Assumptions) -> Result<(), BadSetting> {
        self.check_up_to(Self::MOST as u64, assumptions)
    }

    /// The same for a run in causal order that is divided among processes: places may be more than 32 bits wide.
    pub fn check_divided(&self, assumptions: &Assumptions) -> Result<(), BadSetting> {
        self.check_up_to(Self::MOST_DIVIDED, assumptions)?;
        let Timing { r, clocks, delays, offsets, .. } = &self.timing;
        let lists = [
            ("ids", assumptions.identities && !self.computed, "computed ones: --order computed"),
            ("wake", self.wakes != Wakes::All, "all"),
            ("r", *clocks == Clocks::Fixed && r.min < r.max, "one length"),
            ("clocks", matches!(clocks, Clocks::List(_)), "no list"),
            ("delays", matches!(delays, Delays::List(_)), "no list"),
            ("offsets", *offsets != Offsets::Zero, "zero"),
        ];
        match lists.into_iter().find(|(_, listed, _)| *listed) {
            Some((field, _, allowed)) if self.n > Self::MOST => {
                Err(BadSetting::new(field, format!("has a list of {}", self.n), allowed))
            }
            _ => Ok(()),
        }
    }

    fn check_up_to(&self, most: u64, assumptions: &Assumptions) -> Result<(), BadSetting> {
        let n = self.n;
        if n == 0 {
            return Err(BadSetting::new("n", "is 0", "at least one processor"));
        }
        if n as u64 > most {
            return Err(BadSetting::new("n", format!("is {n}"), format!("at most {most}")));
        }
        self.check_ids(assumptions)?;
        if !self.values.is_empty() {
            length("values", self.values.len(), n, "values", "processor")?;
        }
        if let Wakes::At(at) = &self.wakes {
            length("wake-at", at.len(), n, "times", "place")?;
            if at.iter().all(Option::is_none) {
                return Err(BadSetting::new("wake-at", "wakes nobody", "a time for at least one place"));
            }
            for time in at.iter().flatten() {
                check_time("wake-at", *time)?;
            }
            if assumptions.starts == Starts::Together && at.iter().any(|&time| time != at[0]) {
                return Err(BadSetting::new(
                    "wake",
                    "does not wake everybody in the same round",
                    "all, as this protocol assumes",
                ));
            }
        }
        if !assumptions.again && !self.again.is_empty() {
            return Err(BadSetting::new(
                "again",
                "is given",
                "only protocols that know further elections, such as vitanyi",
            ));
        }
        for &(place, time) in &self.again {
            check_place("again", place, n)?;
            check_time("again", time)?;
        }
        if let Some(workload) = &self.workload {
            workload.check(n)?;
            let mut places = 0..n as Place;
            if let Some(place) = places.find(|&place| workload.asks(place) > 0 && self.wake_at(place).is_none()) {
                let wrong = format!("does not wake place {place}, which competes");
                return Err(BadSetting::new("wake", wrong, "a time for every site that competes"));
            }
        }
        self.timing.check(n, assumptions)?;
        if !self.orientation.is_empty() {
            if assumptions.topology != Topology::BidirectionalRing {
                return Err(not_on("orientation", assumptions.topology, "a bidirectional ring"));
            }
            length("orientation", self.orientation.len(), n, "digits", "place")?;
        }
        if self.ports != Ports::Plain && assumptions.topology != Topology::Complete {
            return Err(not_on("ports", assumptions.topology, "a complete network"));
        }
        if !self.ports.is_for(n) {
            let allowed = "one numbering: plain, shuffled, or for each place a list of all other places, by port";
            return Err(BadSetting::new("ports", format!("is {}", self.ports), allowed));
        }
        self.faults.check(n, assumptions.topology)?;
        Intervention::check(&self.interventions, self.untimed)?;
        self.check_clocks()
    }

    /// Checks that the settings suit a run with clocks, or one without.
    fn check_clocks(&self) -> Result<(), BadSetting> {
        if !self.untimed && !self.faults.at_most.is_nothing() {
            let allowed = format!("{}, or --timing untimed", Faults::PLANNED);
            return Err(BadSetting::new("faults", "say how many, in a run with clocks", allowed));
        }
        if self.untimed && self.faults.is_planned() {
            let allowed = format!("{}: at most K, at any time", Faults::COUNTED);
            return Err(BadSetting::new("faults", "say when or how often, in a run without clocks", allowed));
        }
        if self.untimed && self.workload.as_ref().is_some_and(|load| !load.changes.is_empty()) {
            return Err(BadSetting::new("compete", "changes with time, in a run without clocks", "a number of sites"));
        }
        if self.untimed && !self.timing.changes.is_empty() {
            return Err(BadSetting::new("r", "or d changes with time, in a run without clocks", "no changes"));
        }
        if self.ties == Ties::Either && (self.untimed || self.timing.delay_ranges().hull().min == 0) {
            let wrong = if self.untimed { "are both, in a run without clocks" } else { "are both, with d from 0" };
            return Err(BadSetting::new("ties", wrong, "sim, or clocks and delays of at least 1"));
        }
        if let Some(hurried) = self.interventions.iter().find(|one| one.action == MessageAction::Delay(0))
            && self.ties == Ties::Either
        {
            let wrong = format!("has {hurried}, where ties are both");
            return Err(BadSetting::new("intervene", wrong, "ties sim, or delays of at least 1"));
        }
        Ok(())
    }

    /// The latest time at which anything can be planned.
    pub const LATEST: Time = 1 << 62;

    /// Places are 32 bits wide, and a bidirectional ring numbers its arcs twice over.
    pub const MOST: usize = 1 << 31;

    /// The most places of a ring that is divided among processes. Sums over all messages stay below 2^64.
    pub const MOST_DIVIDED: u64 = 1 << 40;

    fn check_ids(&self, assumptions: &Assumptions) -> Result<(), BadSetting> {
        if !assumptions.identities {
            return if self.identities().is_empty() {
                Ok(())
            } else {
                Err(BadSetting::new("ids", "are given", "none: processors of this protocol are anonymous"))
            };
        }
        if self.computed {
            let wrong = BadSetting::new("ids", "are given beside computed ones", "none");
            return if self.ids.is_empty() { Ok(()) } else { Err(wrong) };
        }
        length("ids", self.ids.len(), self.n, "identities", "processor")?;
        if let Some(place) = self.ids.iter().position(|&id| id == 0) {
            return Err(BadSetting::new(
                "ids",
                format!("has 0 at place {place}"),
                "integers from 1 to 18446744073709551615",
            ));
        }
        if self.equal_ids {
            return Ok(());
        }
        match repeated(&self.ids) {
            Some(twice) => Err(BadSetting::new("ids", format!("has {twice} twice"), "distinct identities")),
            None => Ok(()),
        }
    }

    /// The identities of the processors, listed or computed.
    pub fn identities(&self) -> Identities<'_> {
        if self.computed { Identities::computed(self.n as u64, self.seed) } else { Identities::listed(&self.ids) }
    }

    /// Lists identities that are computed.
    pub fn list_identities(&mut self) {
        self.ids = self.identities().list().into_owned();
        self.computed = false;
    }

    /// The number of requests of the user of each place.
    pub fn asks(&self) -> Vec<u64> {
        let asks = |place| self.workload.as_ref().map_or(0, |load| load.asks(place));
        (0..self.n as Place).map(asks).collect()
    }

    /// The wake time of a place; `None` if it does not wake spontaneously.
    pub fn wake_at(&self, place: Place) -> Option<Time> {
        match &self.wakes {
            Wakes::All => Some(0),
            Wakes::At(at) => at[place as usize],
        }
    }

    /// Whether links hold no two equal messages: without clocks, where messages are sent again until they are acknowledged. A
    /// timer may expire at any moment, and a link would fill with copies. What is sent while an equal message is in flight on
    /// its link is lost; a timer that would send only such messages, or over a link that is cut, or to a processor that is down,
    /// does not expire; and a cut ends. Nothing that a protocol above sees is left out: the receiver drops a second copy, and a
    /// second acknowledgement is ignored, or was needed because the first one was lost, and then a later copy brings it.
    pub fn merges_copies(&self) -> bool {
        let AtMost { crashes, restarts, cuts, .. } = self.faults.at_most;
        self.untimed && self.retransmit.is_some() && crashes + restarts + cuts > 0
    }

    /// Whether no processor or link fails, and clocks and delays are at all times as a protocol with these assumptions takes for
    /// granted.
    pub fn is_undisturbed(&self, assumptions: &Assumptions) -> bool {
        let d = Some(self.timing.d).filter(|_| assumptions.timed && !self.untimed);
        let keeps_timing = !assumptions.timed || self.timing.exceeded().is_none();
        self.faults.is_empty() && keeps_timing && self.interventions.iter().all(|one| one.is_within(d))
    }

    /// Whether no message is lost or duplicated, and no processor fails.
    pub(crate) fn nothing_fails(&self) -> bool {
        self.faults.is_empty() && self.interventions.iter().all(|one| one.is_within(None))
    }

    /// The time of the last event that the scenario fixes: wakes, crashes and restarts, the ends of pauses, of cuts, and of
    /// losses and duplications, messages that are held, changes of load, and the end of timing that is outside of what is assumed;
    /// and then the delays of messages that are delayed.
    pub fn settled(&self) -> Time {
        let wakes = match &self.wakes {
            Wakes::All => &[][..],
            Wakes::At(at) => at,
        };
        let load = self.workload.as_ref().map(Workload::settled);
        let within = self.timing.exceeded().and_then(|exceeded| exceeded.until);
        let mut settled = self.faults.settled().max(load.unwrap_or(0)).max(within.unwrap_or(0));
        settled = wakes.iter().flatten().copied().fold(settled, u64::max);
        let mut delays: Time = 0;
        for intervention in &self.interventions {
            match intervention.action {
                MessageAction::Until(time) => settled = settled.max(time),
                MessageAction::Delay(length) => delays = delays.saturating_add(length),
                MessageAction::Drop | MessageAction::Duplicate => {}
            }
        }
        settled.saturating_add(delays).min(Self::LATEST)
    }
}

/// The least number that a list contains twice.
fn repeated(list: &[u64]) -> Option<u64> {
    let greatest = list.iter().copied().max()?;
    // A set of bits, where it is not larger than a part of the list.
    if greatest / 64 <= list.len() as u64 / 8 {
        let mut seen = vec![0u64; (greatest / 64) as usize + 1];
        let mut twice = None;
        for &number in list {
            let (word, bit) = (&mut seen[(number / 64) as usize], 1 << (number % 64));
            if *word & bit != 0 {
                twice = twice.into_iter().chain([number]).min();
            }
            *word |= bit;
        }
        return twice;
    }
    let mut sorted = list.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

pub(crate) fn check_place(field: &'static str, place: Place, n: usize) -> Result<(), BadSetting> {
    if (place as usize) < n {
        return Ok(());
    }
    Err(BadSetting::new(field, format!("names place {place}"), format!("places 0 to {}", n - 1)))
}

pub(crate) fn check_time(field: &'static str, time: Time) -> Result<(), BadSetting> {
    if time <= Scenario::LATEST {
        return Ok(());
    }
    Err(BadSetting::new(field, format!("has the time {time}"), format!("times from 0 to {}", Scenario::LATEST)))
}

fn length(field: &'static str, found: usize, n: usize, things: &str, each: &str) -> Result<(), BadSetting> {
    if found == n {
        return Ok(());
    }
    Err(BadSetting::new(field, format!("has {found} {things}"), format!("{n}, one per {each}")))
}

fn not_on(field: &'static str, found: Topology, needs: &'static str) -> BadSetting {
    BadSetting::new(field, format!("is given for topology {found}"), format!("only on {needs}"))
}

/// The processors that wake spontaneously, and their wake times.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wakes {
    /// All at time 0.
    All,
    /// Per place; `None` does not wake spontaneously.
    At(Vec<Option<Time>>),
}

/// The processors that wake spontaneously at time 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WakeSet {
    /// All.
    All,
    /// Place 0.
    One,
    /// These.
    Places(Vec<u64>),
    /// This number, drawn from the seed.
    Random(u64),
}

/// A range of integers, both ends included.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// The least.
    pub min: u64,
    /// The greatest.
    pub max: u64,
}

impl Range {
    /// From `min` to `max`.
    pub const fn new(min: u64, max: u64) -> Self {
        Self { min, max }
    }

    /// The range from the least to the greatest of a list; `None` if it is empty.
    pub fn around(list: &[u64]) -> Option<Self> {
        Some(Self::new(*list.iter().min()?, *list.iter().max()?))
    }

    /// Whether `value` lies in it.
    pub const fn contains(self, value: u64) -> bool {
        self.min <= value && value <= self.max
    }
}

/// Archimedean time: how long steps and messages may take.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// The length of a processor's tick: r_min to r_max.
    pub r: Range,
    /// The delay of a message: d_min to d_max.
    pub d: Range,
    /// The time at which an arrived message is handled.
    pub reading: Reading,
    /// The choice of tick lengths from `r`.
    pub clocks: Clocks,
    /// The choice of delays from `d`.
    pub delays: Delays,
    /// The time of the first tick, counted from waking.
    pub offsets: Offsets,
    /// Ranges that change: those in force from time 0 on, and then all later ones; empty if none changes. `r` and `d` are what
    /// protocols and bounds [assume](crate::Assumed) then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<TimingChange>,
}

impl Timing {
    /// Longest tick and delay: sums of a few of them stay far from overflowing 64 bits.
    pub const MOST: u64 = 1 << 48;

    fn check(&self, n: usize, assumptions: &Assumptions) -> Result<(), BadSetting> {
        let topology = assumptions.topology;
        // A list may have set the range: then the list is to blame.
        if let Clocks::List(list) = &self.clocks {
            within("clocks", list, Range::new(1, Self::MOST), "")?;
        }
        if let Delays::List(list) = &self.delays {
            within("delays", list, Range::new(0, Self::MOST), "")?;
        }
        let changes = self.changes.iter().flat_map(|change| [("r", change.r, 1), ("d", change.d, 0)]);
        for (field, range, least) in [("r", self.r, 1), ("d", self.d, 0)].into_iter().chain(changes) {
            if range.min > range.max {
                return Err(BadSetting::new(
                    field,
                    format!("is {}..{}", range.min, range.max),
                    format!("{field}_min not above {field}_max"),
                ));
            }
            if range.min < least || range.max > Self::MOST {
                return Err(BadSetting::new(
                    field,
                    format!("is {}..{}", range.min, range.max),
                    format!("values from {least} to {}", Self::MOST),
                ));
            }
        }
        if let Clocks::List(list) = &self.clocks {
            length("clocks", list.len(), n, "tick lengths", "place")?;
            within("clocks", list, self.r, "within r, ")?;
        }
        match &self.delays {
            Delays::List(_) if topology == Topology::Complete => {
                return Err(not_on("delays", topology, "a ring can they be a list"));
            }
            Delays::List(list) => {
                length("delays", list.len(), n, "delays", "link")?;
                within("delays", list, self.d, "within d, ")?;
            }
            Delays::SlowestHigh | Delays::SlowestLow if !assumptions.identities => {
                let wrong = format!("is {}", self.delays.name());
                return Err(BadSetting::new("delays", wrong, "others: processors of this protocol have no identities"));
            }
            Delays::OneWay if topology == Topology::Ring => {
                return Err(not_on("delays", topology, "networks with two directions can they be one-way"));
            }
            _ => {}
        }
        if !assumptions.readings.contains(&self.reading) {
            let names: Vec<_> = assumptions.readings.iter().map(|reading| reading.name()).collect();
            let wrong = format!("is {}", self.reading.name());
            return Err(BadSetting::new("reading", wrong, format!("{}, as this protocol assumes", names.join(", "))));
        }
        if let Offsets::List(list) = &self.offsets {
            length("offsets", list.len(), n, "offsets", "place")?;
            within("offsets", list, Range::new(0, Self::MOST), "")?;
        }
        self.check_changes()
    }
}

fn within(field: &'static str, list: &[u64], range: Range, name: &str) -> Result<(), BadSetting> {
    match list.iter().find(|&&value| !range.contains(value)) {
        None => Ok(()),
        Some(value) => {
            Err(BadSetting::new(field, format!("has {value}"), format!("values {name}{} to {}", range.min, range.max)))
        }
    }
}

/// The time at which an arrived message is handled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reading {
    /// On arrival.
    Immediate,
    /// At most one at each own tick; what arrives at a tick waits for the next one.
    PerTick,
    /// All that has arrived, at the first own tick at or after the arrival.
    PerStep,
    /// One at a time, a bit at each own tick: a message is handled at the tick that reads its last bit, and one without
    /// bits takes a tick. Where clocks vary, a message takes as many times the length of one step.
    BitSerial,
}

impl Reading {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Immediate, Self::PerTick, Self::PerStep, Self::BitSerial];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Immediate => "immediate",
            Self::PerTick => "per-tick",
            Self::PerStep => "per-step",
            Self::BitSerial => "bit-serial",
        }
    }

    /// The ticks that it takes to read a message of this many bits.
    pub fn ticks(self, bits: impl FnOnce() -> u64) -> Ticks {
        if self == Self::BitSerial { Ticks::new(bits().max(1)) } else { Ticks::ONE }
    }
}

/// The choice of tick lengths.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clocks {
    /// Drawn once per processor.
    Fixed,
    /// Drawn again for every step or timer.
    Varying,
    /// r_max everywhere.
    Slowest,
    /// r_min everywhere.
    Fastest,
    /// One per place.
    List(Vec<u64>),
}

impl Clocks {
    /// All that need no list.
    pub const NAMED: [Self; 4] = [Self::Fixed, Self::Varying, Self::Slowest, Self::Fastest];

    /// Its name on the command line; a list is longer than that.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Varying => "varying",
            Self::Slowest => "slowest",
            Self::Fastest => "fastest",
            Self::List(_) => "list",
        }
    }
}

/// The choice of delays.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Delays {
    /// Drawn per message.
    Uniform,
    /// d_min always.
    Min,
    /// d_max always.
    Max,
    /// The later a message is sent the earlier it arrives, as far as d and the order of its link allow.
    NewestFirst,
    /// The greater the identity of the sender, the longer the delay.
    SlowestHigh,
    /// The smaller the identity of the sender, the longer the delay.
    SlowestLow,
    /// d_min clockwise (on a complete network, to later places), d_max in the other direction.
    OneWay,
    /// One per link, i to i + 1, for both directions where there are two.
    List(Vec<u64>),
}

impl Delays {
    /// All that need no list.
    pub const NAMED: [Self; 7] =
        [Self::Uniform, Self::Min, Self::Max, Self::NewestFirst, Self::SlowestHigh, Self::SlowestLow, Self::OneWay];

    /// Its name on the command line; a list is longer than that.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Min => "min",
            Self::Max => "max",
            Self::NewestFirst => "newest-first",
            Self::SlowestHigh => "slowest-high",
            Self::SlowestLow => "slowest-low",
            Self::OneWay => "one-way",
            Self::List(_) => "list",
        }
    }
}

/// The time of a processor's first tick, counted from its waking.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Offsets {
    /// At once.
    Zero,
    /// Drawn per place, less than its tick.
    Random,
    /// One per place.
    List(Vec<u64>),
}

impl Offsets {
    /// All that need no list.
    pub const NAMED: [Self; 2] = [Self::Zero, Self::Random];

    /// Its name on the command line; a list is longer than that.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Zero => "zero",
            Self::Random => "random",
            Self::List(_) => "list",
        }
    }
}

/// The order that links keep.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Links {
    /// First in, first out.
    Fifo,
    /// Messages may overtake each other.
    Any,
    /// Half-duplex: one message at a time, in either direction.
    Half,
    /// Half-duplex for messages of one phase: first in, first out, but two messages of one phase never travel in opposite
    /// directions at a time.
    HalfPhase,
}

impl Links {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Fifo, Self::Any, Self::Half, Self::HalfPhase];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fifo => "fifo",
            Self::Any => "any",
            Self::Half => "half",
            Self::HalfPhase => "half-phase",
        }
    }

    /// Whether a message can have to wait at its sender for one that travels in the other direction.
    pub const fn is_half_duplex(self) -> bool {
        matches!(self, Self::Half | Self::HalfPhase)
    }

    /// Whether a link carries several messages of one sender, in their order.
    pub const fn is_fifo(self) -> bool {
        matches!(self, Self::Fifo | Self::HalfPhase)
    }
}

/// The order of a message and a step of its receiver at one instant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ties {
    /// As the reading says.
    #[default]
    #[serde(rename = "sim")]
    Ruled,
    /// Either: left open for each message.
    #[serde(rename = "both")]
    Either,
}

impl Ties {
    /// Whether the reading says it.
    pub fn is_ruled(&self) -> bool {
        *self == Self::Ruled
    }

    /// Both.
    pub const ALL: [Self; 2] = [Self::Ruled, Self::Either];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ruled => "sim",
            Self::Either => "both",
        }
    }
}

/// A timing with a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Preset {
    /// r = 1, d = 1, immediate: the textbook's synchronous run of a message-driven protocol.
    Unit,
    /// r = 1, d = 0, per tick: a global clock.
    Lockstep,
    /// r = 1, d = 0, immediate: rounds.
    Rounds,
    /// r 10..20, d 20..100, clocks fixed, per step.
    Archimedean,
    /// r 1..4, d 0..10, clocks fixed, the reading of the protocol.
    Uniform,
    /// r 10..20, d = 0, clocks fixed, immediate: shared memory, where an access takes one step.
    Memory,
}

impl Preset {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Unit, Self::Lockstep, Self::Rounds, Self::Archimedean, Self::Uniform, Self::Memory];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unit => "unit",
            Self::Lockstep => "lockstep",
            Self::Rounds => "rounds",
            Self::Archimedean => "archimedean",
            Self::Uniform => "uniform",
            Self::Memory => "memory",
        }
    }

    /// The timing that it stands for; `reading` is the default of the protocol.
    pub const fn timing(self, reading: Reading) -> Timing {
        let (r, d, reading) = match self {
            Self::Unit => (Range::new(1, 1), Range::new(1, 1), Reading::Immediate),
            Self::Lockstep => (Range::new(1, 1), Range::new(0, 0), Reading::PerTick),
            Self::Rounds => (Range::new(1, 1), Range::new(0, 0), Reading::Immediate),
            Self::Archimedean => (Range::new(10, 20), Range::new(20, 100), Reading::PerStep),
            Self::Uniform => (Range::new(1, 4), Range::new(0, 10), reading),
            Self::Memory => (Range::new(10, 20), Range::new(0, 0), Reading::Immediate),
        };
        let (clocks, delays, offsets) = (Clocks::Fixed, Delays::Uniform, Offsets::Zero);
        Timing { r, d, reading, clocks, delays, offsets, changes: Vec::new() }
    }

    /// The reading that this timing brings along.
    pub fn reading(self) -> Reading {
        self.timing(Reading::Immediate).reading
    }
}

impl Ticks {
    /// The product with a tick length, `None` where it overflows or is never.
    pub fn times(self, length: u64) -> Option<Time> {
        self.get()?.checked_mul(length)
    }
}
