//! The report of a run: the object that `--json` prints and `ringleader schema` describes.

use std::collections::BTreeMap;

use ringleader_model::{
    Delays, Leader, Lengths, Offsets, Outcome, Part, Quantity, TaskResult, Ties, Topology, Wakes, WholeRun, digits,
};
use ringleader_sim::{ExecutionOrder, PhaseBegin, Resolved, Summary};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::by_place::{ByPlace, IdentityList};
pub use self::changes::{ChangeReport, ChangesReport};
pub use self::number::{Number, grouped};
pub use self::phase_begins::PhaseBeginReport;
use crate::execution::EvaluatedBound;
use crate::options::Order;
use crate::setup::Setup;

mod by_place;
mod changes;
mod interventions;
mod number;
mod phase_begins;

/// A run: what was asked, what came of it, what it cost, and what is proved about that.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Report")]
pub struct RunReport {
    /// The protocol.
    pub protocol: String,
    /// Whether the printed or the repaired rules were followed.
    pub rules: String,
    /// The protocol's parameters.
    pub parameters: BTreeMap<String, String>,
    /// The leader's task after the election.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub then: Option<String>,
    /// The scenario.
    pub scenario: ScenarioReport,
    /// The outcome.
    pub outcome: OutcomeReport,
    /// The cost.
    pub cost: CostReport,
    /// Notes on the scenario, such as settings without effect.
    pub notes: Vec<String>,
    /// Numbers of the instance that the protocol's paper speaks of.
    pub figures: BTreeMap<String, Number>,
    /// Bounds beside the measured values.
    pub bounds: Vec<BoundReport>,
    /// The order in which it was executed, time or causal: nothing else depends on it.
    pub engine: String,
    /// The digest of every step: the same scenario and seed have the same.
    pub trace: String,
    /// The line that repeats it.
    pub rerun: String,
}

/// The scenario of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ScenarioReport {
    /// The number of processors.
    pub n: usize,
    /// Their identities, clockwise; null where they have none.
    #[schemars(with = "Option<Vec<u64>>")]
    pub ids: Option<IdentityList>,
    /// The order in which identities were arranged, if it is computed from the seed and n; left out where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
    /// How processors joined and left before the election; left out where none did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<ChangesReport>,
    /// The input of the leader's task, by place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<u64>>,
    /// The network.
    pub topology: String,
    /// The order that links keep.
    pub links: String,
    /// The random seed.
    pub seed: u64,
    /// Whether there were no clocks: any enabled step may be next, and time is the number of the step. Timing then is what the
    /// protocol believed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untimed: bool,
    /// Clocks, delays and reading.
    pub timing: TimingReport,
    /// When each woke spontaneously; null for those that did not.
    #[schemars(with = "Vec<Option<u64>>")]
    pub wake_at: ByPlace<Option<u64>>,
    /// On a complete network, how ports are numbered: plain, shuffled:SEED, or by place and port where they lead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ports: Option<String>,
    /// On a bidirectional ring, whose left and right are exchanged: a digit per place; left out where nobody's are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orientation: Option<String>,
    /// Faults, as --faults takes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faults: Option<String>,
    /// What was done to single messages, one by one, as --intervene takes it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interventions: Vec<String>,
    /// Own ticks after which a message that is not acknowledged was sent again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retransmit: Option<u64>,
    /// Requests for a further election.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<RequestReport>,
    /// After how many messages to stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_messages: Option<u64>,
    /// After which time to stop; without clocks, after how many steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_time: Option<u64>,
    /// The workload, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workload: Option<WorkloadReport>,
}

/// A request for a further election.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct RequestReport {
    /// Where.
    pub place: u32,
    /// When.
    pub time: u64,
}

/// A workload.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WorkloadReport {
    /// Entries, reads or writes per competing site.
    pub entries: u64,
    /// The number of users of each site, who make as many entries each, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub users: Option<usize>,
    /// The number of competing sites; the greatest, where the load changes.
    pub compete: usize,
    /// Where the load changes: how many compete from when on, as S@TIME,S@TIME.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<String>,
    /// Own steps before asking for the first time, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// Own steps from leaving to asking again.
    pub think: String,
    /// Own steps from entering to leaving, where somebody stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold: Option<String>,
    /// The number of readers, where there are readers and writers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub readers: Option<usize>,
    /// The number of writers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writers: Option<usize>,
    /// The number of shared cells, besides the n sites.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<usize>,
}

/// The timing of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TimingReport {
    /// The shortest tick.
    pub r_min: u64,
    /// The longest tick.
    pub r_max: u64,
    /// The shortest delay.
    pub d_min: u64,
    /// The longest delay.
    pub d_max: u64,
    /// Where timing changes: the range of ticks from when on, as --r takes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r: Option<String>,
    /// Where timing changes: the range of delays from when on, as --d takes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub d: Option<String>,
    /// Where timing changes: whether what is above is the range around all ranges, or the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumed: Option<String>,
    /// When an arrived message is handled.
    pub reading: String,
    /// The policy for tick lengths.
    pub clocks: String,
    /// The tick length of each place, where it is fixed.
    #[schemars(with = "Option<Vec<u64>>")]
    pub ticks: Option<ByPlace<u64>>,
    /// The policy for delays.
    pub delays: String,
    /// The delay of each link, i to i+1, where delays are a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_delays: Option<Vec<u64>>,
    /// The policy for clock offsets.
    pub phases: String,
    /// The clock offset of each place, where they are not all 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offsets: Option<Vec<u64>>,
    /// The order of a message and a step of its receiver at the same instant, unless the reading fixes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ties: Option<String>,
}

/// The outcome of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OutcomeReport {
    /// By problem.
    #[serde(flatten)]
    pub result: ResultReport,
    /// Whether all that was asked for was done.
    pub finished: bool,
    /// held, violated or unknown.
    pub verdict: String,
    /// Why it did not finish.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The properties that do not hold.
    pub violations: Vec<ViolationReport>,
}

/// Tokens before and after an election.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct TokensReport {
    /// Before the election.
    pub old: u64,
    /// How many were removed.
    pub removed: u64,
    /// How many the leader inserted.
    pub inserted: u64,
}

/// The result of a run, by problem.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ResultReport {
    /// Of an election.
    Election {
        /// The processors that declared themselves leaders.
        leaders: Vec<LeaderReport>,
        /// The identity that was declared leader, if there is just one.
        elected_id: Option<u64>,
        /// The identity that everybody holds at the end; null if they do not agree.
        agreed: Option<u64>,
        /// The size of the ring, where the leader derived it from its clock or counted it.
        #[serde(skip_serializing_if = "Option::is_none")]
        ring_size: Option<u64>,
        /// By place, what each got when values were put in order.
        #[serde(skip_serializing_if = "Option::is_none")]
        sorted: Option<Vec<Option<u64>>>,
        /// The leader's value, if everybody has it.
        #[serde(skip_serializing_if = "Option::is_none")]
        value: Option<u64>,
        /// The identity to which leadership was transferred, if everybody knows it.
        #[serde(skip_serializing_if = "Option::is_none")]
        successor: Option<u64>,
        /// Tokens, where the leader inserts one.
        #[serde(skip_serializing_if = "Option::is_none")]
        tokens: Option<TokensReport>,
    },
    /// Of mutual exclusion, and of readers and writers kept apart by a lock.
    Entries {
        /// Entries to the critical section.
        entries: u64,
        /// The most conflicting sites that were ever inside together; readers together are one.
        overlap_max: u64,
        /// Jain's index of the sites' entries while all still had some left; null where each makes fewer than 10.
        fairness: Option<Number>,
        /// Sites that requested and never entered while all had entries left and one had entered three times or more.
        starved: Option<u64>,
    },
    /// Of readers and writers of shared data.
    Data {
        /// Reads and writes.
        entries: u64,
        /// Reads returned.
        reads: u64,
        /// Writes completed.
        writes: u64,
        /// Attempts to read, successful or not.
        attempts: u64,
        /// Reads returned whose words come from different writes.
        torn: u64,
        /// Reads returned that are older than the last write completed when the attempt began.
        stale: u64,
        /// Jain's index of the sites' reads and writes while all still had some left; null where each makes fewer than 10.
        fairness: Option<Number>,
        /// Sites that requested and never got access while all had some left and one had got it three times or more.
        starved: Option<u64>,
    },
    /// Of a token ring.
    Tokens {
        /// Tokens at the end.
        tokens: u64,
    },
    /// Of a problem without a result.
    Work {},
}

/// A leader.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LeaderReport {
    /// Its place.
    pub place: u64,
    /// Under which identity; null where there are none.
    pub id: Option<u64>,
}

/// A property that does not hold.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ViolationReport {
    /// The property.
    pub property: String,
    /// The contradiction.
    pub detail: String,
}

/// The cost of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CostReport {
    /// Message passes: total, what they were for, and by kind.
    pub messages: MessagesReport,
    /// Bits passed.
    pub bits: u64,
    /// The clock at the end.
    pub time: u64,
    /// The clock at the election.
    pub time_elected: Option<u64>,
    /// The clock when the last processor had its first event; left out where there are no clocks, or one never wakes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_awake: Option<u64>,
    /// The longest causal chain of messages.
    pub depth: u64,
    /// The longest causal chain that led to the election.
    pub depth_elected: Option<u64>,
    /// The highest phase; null where there are none.
    pub phases: Option<u32>,
    /// The longest time until everybody who begins a phase has begun it; left out where nothing is claimed about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase_spread: Option<u64>,
    /// When each phase begins, from phase 1 on; left out likewise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phase_begins: Vec<PhaseBeginReport>,
    /// The most messages that waited at one place to be read.
    pub longest_queue: u32,
    /// Message passes per entry, in the window in which all competing sites have entries left: from its first to its last
    /// entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages_per_entry: Option<Number>,
    /// The time from asking to entering, in the same window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub granting_delay: Option<DelayReport>,
    /// Where sites have several users: from the request of a user to that of its site for it, over the whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_wait: Option<DelayReport>,
    /// Negative replies per entry on average, in the same window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub negatives_per_entry: Option<Number>,
    /// How far the negative replies of an entry lie from those of the site's entry before, on average over the whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prediction_error: Option<Number>,
    /// The share of the other competing sites that have a number in use when a site draws its own, in the same window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found_active: Option<Number>,
    /// The greatest difference of two numbers that were in use together, over the whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number_spread: Option<u64>,
    /// The greatest number of entries of one site while another waits, over the whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overtaken: Option<OvertakenReport>,
    /// Attempts per read on average, in the same window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts_per_read: Option<Number>,
    /// Attempts of readers that failed, over the whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_attempts: Option<FailedAttempts>,
    /// The number of entries in that window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_entries: Option<u64>,
    /// The same figures over the whole run, its end included, at which some sites have no entries left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole_run: Option<WholeRunReport>,
    /// The share of all entries during which a conflicting site was inside, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlapping: Option<Number>,
    /// Turns of the ring, of n (d_max + r_max), until there was one token for good.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub laps: Option<Number>,
    /// 1 if more than one leader was elected, 0 otherwise; only where the probability of that is bounded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<u64>,
}

/// Entries of one site while another waits.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct OvertakenReport {
    /// Since it asked.
    pub since_request: u32,
    /// Since it drew its number.
    pub since_number: u32,
}

/// Attempts that failed, by the number of overlapping writes that the reader found.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct FailedAttempts {
    /// It found one.
    pub one: u64,
    /// It found two or more.
    pub several: u64,
}

/// Figures over the whole run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WholeRunReport {
    /// Message passes per entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages_per_entry: Option<Number>,
    /// The time from asking to entering.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub granting_delay: Option<DelayReport>,
    /// Negative replies per entry on average.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub negatives_per_entry: Option<Number>,
    /// Attempts per read on average.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts_per_read: Option<Number>,
}

impl WholeRunReport {
    /// `None` where there are no entries.
    fn new(whole: &WholeRun) -> Option<Self> {
        whole.messages_per_entry.map(|messages| Self {
            messages_per_entry: Some(messages.into()),
            granting_delay: whole.granting_delay.map(DelayReport::from),
            negatives_per_entry: whole.negatives.map(Number::from),
            attempts_per_read: whole.attempts.map(Number::from),
        })
    }
}

impl From<Lengths> for DelayReport {
    fn from(delay: Lengths) -> Self {
        Self { mean: delay.mean.into(), p95: delay.p95, max: delay.max }
    }
}

/// Lengths of time.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DelayReport {
    /// The mean.
    pub mean: Number,
    /// No more than one in twenty is longer.
    pub p95: u64,
    /// The longest.
    pub max: u64,
}

/// Message passes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MessagesReport {
    /// All of them.
    pub total: u64,
    /// By part of the run: `election`, `announcement` and, if there is one, `task`, and `link` for acknowledgements and
    /// retransmissions; elsewhere the name of the problem's work.
    #[serde(flatten)]
    pub split: BTreeMap<String, u64>,
    /// By kind of message.
    pub by_kind: BTreeMap<String, u64>,
}

/// A bound beside what was measured.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BoundReport {
    /// The quantity that is bounded, as a path into `cost`.
    pub quantity: String,
    /// worst, mean, exact or best.
    pub kind: String,
    /// Its value for this scenario.
    pub value: Number,
    /// As people write it.
    pub formula: String,
    /// The source.
    pub source: String,
    /// What is counted.
    pub counts: String,
    /// The measured value.
    pub measured: Option<Number>,
    /// Whether they agree; null where one run cannot tell.
    pub holds: Option<bool>,
}

impl BoundReport {
    /// A bound on the quantity of this name.
    pub(crate) fn new(bound: &EvaluatedBound, quantity: String, measured: Option<Number>, holds: Option<bool>) -> Self {
        Self {
            quantity,
            kind: bound.kind.name().to_string(),
            value: bound.value.into(),
            formula: bound.formula.to_string(),
            source: bound.source.to_string(),
            counts: bound.counts.to_string(),
            measured,
            holds,
        }
    }
}

impl RunReport {
    /// The report of a run of this set-up.
    pub fn new(setup: &Setup, summary: &Summary) -> Self {
        let facts = &setup.facts;
        let settings = &facts.parameters;
        let rules = rules_of(settings.iter().map(|(key, value)| (*key, value.as_str())));
        Self {
            protocol: setup.entry.name().to_string(),
            rules: rules.to_string(),
            parameters: settings.iter().map(|(key, value)| ((*key).to_string(), value.clone())).collect(),
            then: setup.task.map(|task| task.name().to_string()),
            scenario: ScenarioReport::new(setup),
            outcome: OutcomeReport::new(summary),
            cost: CostReport::new(setup, summary),
            notes: facts
                .notes
                .iter()
                .map(ToString::to_string)
                .chain(setup.timing_note())
                .chain(setup.given.without_effect(&setup.scenario))
                .chain(interventions::notes(summary))
                .chain((summary.order == ExecutionOrder::Causal { cut: true }).then(|| CUT.to_string()))
                .collect(),
            figures: facts.figures.iter().map(|f| (f.symbol.to_string(), f.value.into())).collect(),
            bounds: facts
                .bounds
                .iter()
                .map(|bound| {
                    let (measured, holds) = bound.judge(summary);
                    BoundReport::new(bound, bound.path(facts.work), measured.map(Number::from), holds)
                })
                .collect(),
            engine: summary.order.name().to_string(),
            trace: format!("{:016x}", summary.trace),
            rerun: setup.command_line(),
        }
    }
}

/// What is noted of a run in causal order that was stopped.
const CUT: &str =
    "stopped at a consistent cut: in causal order places have come to different times (--engine time stops at one)";

/// Whether rules are printed, as a whole or in one of their flaws, or repaired.
pub(crate) fn rules_of<'a, 'b>(mut settings: impl Iterator<Item = (&'a str, &'b str)>) -> &'static str {
    let as_printed = |(key, value): (&str, &str)| match key {
        "rules" => value == "printed",
        "printed" => value != "none",
        _ => false,
    };
    if settings.any(as_printed) { "printed" } else { "repaired" }
}

/// A quantity as a path into `cost`.
pub(crate) fn quantity_name(quantity: Quantity, work: &str) -> String {
    match quantity {
        Quantity::Messages => "messages.total".to_string(),
        Quantity::Work => format!("messages.{work}"),
        Quantity::Announcement => "messages.announcement".to_string(),
        Quantity::Task => "messages.task".to_string(),
        Quantity::Kind(name) => format!("messages.by_kind.{name}"),
        Quantity::Bits => "bits".to_string(),
        Quantity::Time => "time".to_string(),
        Quantity::TimeElected => "time_elected".to_string(),
        Quantity::TimeAwake => "time_awake".to_string(),
        Quantity::Campaign => "time_elected - time_awake".to_string(),
        Quantity::AnnouncementTime => "time - time_elected".to_string(),
        Quantity::Depth => "depth".to_string(),
        Quantity::DepthElected => "depth_elected".to_string(),
        Quantity::Phases => "phases".to_string(),
        Quantity::PhaseSpread => "phase_spread".to_string(),
        Quantity::Difference(one, other) => format!("messages.by_kind.{one} - {other}"),
        Quantity::MessagesPerEntry => "messages_per_entry".to_string(),
        Quantity::Negatives => "negatives_per_entry".to_string(),
        Quantity::PredictionError => "prediction_error".to_string(),
        Quantity::FoundActive => "found_active".to_string(),
        Quantity::NumberSpread => "number_spread".to_string(),
        Quantity::OvertakenSinceRequest => "overtaken.since_request".to_string(),
        Quantity::Overtaken => "overtaken.since_number".to_string(),
        Quantity::GrantingDelay => "granting_delay.mean".to_string(),
        Quantity::LongestDelay => "whole_run.granting_delay.max".to_string(),
        Quantity::Attempts => "attempts_per_read".to_string(),
        Quantity::Laps => "laps".to_string(),
        Quantity::Error => "error".to_string(),
    }
}

impl ScenarioReport {
    fn new(setup: &Setup) -> Self {
        let scenario = &setup.scenario;
        let timing = &scenario.timing;
        let load = scenario.workload.as_ref();
        let cells = load.map_or(0, |load| load.cells);
        let topology = setup.description().assumptions.topology;
        let (resolved, changes) = (Resolved::new(scenario), !timing.changes.is_empty());
        Self {
            n: scenario.n - cells,
            ids: IdentityList::of(scenario),
            order: setup.given.order.filter(|&order| order == Order::Computed).map(|order| order.name().to_string()),
            changes: ChangesReport::new(setup),
            values: (!scenario.values.is_empty()).then(|| scenario.values.clone()),
            topology: topology.name().to_string(),
            links: scenario.links.name().to_string(),
            seed: scenario.seed,
            untimed: scenario.untimed,
            timing: TimingReport {
                r_min: timing.r.min,
                r_max: timing.r.max,
                d_min: timing.d.min,
                d_max: timing.d.max,
                r: changes.then(|| timing.tick_ranges().to_string()),
                d: changes.then(|| timing.delay_ranges().to_string()),
                assumed: changes.then(|| timing.assumed().to_string()),
                reading: timing.reading.name().to_string(),
                clocks: timing.clocks.name().to_string(),
                ticks: match resolved.common_tick_length() {
                    Some(length) => Some(ByPlace::Same(length, scenario.n)),
                    None => resolved.tick_lengths(scenario.n).map(ByPlace::Each),
                },
                delays: timing.delays.name().to_string(),
                link_delays: match &timing.delays {
                    Delays::List(list) => Some(list.clone()),
                    _ => None,
                },
                phases: timing.offsets.name().to_string(),
                offsets: (timing.offsets != Offsets::Zero).then(|| resolved.offsets().to_vec()),
                ties: (scenario.ties != Ties::Ruled).then(|| scenario.ties.name().to_string()),
            },
            wake_at: match &scenario.wakes {
                Wakes::All => ByPlace::Same(Some(0), scenario.n - cells),
                Wakes::At(at) => ByPlace::Each(at[..scenario.n - cells].to_vec()),
            },
            ports: (topology == Topology::Complete).then(|| scenario.ports.to_string()),
            orientation: scenario.orientation.contains(&true).then(|| digits(&scenario.orientation)),
            faults: (!scenario.faults.is_empty()).then(|| scenario.faults.to_string()),
            interventions: scenario.interventions.iter().map(ToString::to_string).collect(),
            retransmit: scenario.retransmit,
            again: scenario.again.iter().map(|&(place, time)| RequestReport { place, time }).collect(),
            max_messages: setup.max_messages,
            max_time: setup.max_time,
            workload: load.map(|load| {
                let shared = load.readers + load.writers > 0;
                WorkloadReport {
                    entries: load.entries,
                    users: (load.users > 1).then_some(load.users),
                    compete: load.compete,
                    load: (!load.changes.is_empty()).then(|| load.load().to_string()),
                    first: (load.first.max > 0).then(|| load.first.to_string()),
                    think: load.think.to_string(),
                    hold: (cells == 0).then(|| load.hold.to_string()),
                    readers: shared.then_some(load.readers),
                    writers: shared.then_some(load.writers),
                    cells: (cells > 0).then_some(cells),
                }
            }),
        }
    }
}

impl OutcomeReport {
    fn new(summary: &Summary) -> Self {
        Self {
            result: ResultReport::new(summary),
            finished: summary.finished,
            verdict: summary.verdict.name().to_string(),
            reason: summary.reason.map(|reason| reason.name().to_string()),
            violations: summary
                .violations
                .iter()
                .map(|v| ViolationReport { property: v.property.to_string(), detail: v.detail.clone() })
                .collect(),
        }
    }
}

impl ResultReport {
    fn new(summary: &Summary) -> Self {
        let tally = &summary.cost.tally;
        let (fairness, starved) = (tally.fairness.map(Number::from), tally.starved);
        match summary.outcome {
            Outcome::Election { ref leaders, agreed, ring_size, ref sorted, task, .. } => {
                let one = leaders.first().filter(|first| leaders.iter().all(|other| other.id == first.id));
                let told = |l: &Leader| LeaderReport { place: l.place, id: l.id.map(|id| id.get()) };
                Self::Election {
                    elected_id: one.and_then(|leader| leader.id).map(|id| id.get()),
                    agreed: agreed.filter(|_| summary.finished).map(|id| id.get()),
                    leaders: leaders.iter().map(told).collect(),
                    ring_size,
                    sorted: (!sorted.is_empty()).then(|| sorted.iter().map(|value| value.map(|id| id.get())).collect()),
                    value: if let Some(TaskResult::Value(value)) = task { value } else { None },
                    successor: if let Some(TaskResult::Successor(id)) = task { id.map(|id| id.get()) } else { None },
                    tokens: match task {
                        Some(TaskResult::Tokens { old, removed, inserted }) => {
                            Some(TokensReport { old, removed, inserted })
                        }
                        _ => None,
                    },
                }
            }
            Outcome::Entries { entries, overlap_max } => Self::Entries { entries, overlap_max, fairness, starved },
            Outcome::Data { reads, writes, attempts, torn, stale } => {
                Self::Data { entries: reads + writes, reads, writes, attempts, torn, stale, fairness, starved }
            }
            Outcome::Tokens { tokens } => Self::Tokens { tokens },
            Outcome::Work => Self::Work {},
        }
    }
}

impl CostReport {
    fn new(setup: &Setup, summary: &Summary) -> Self {
        let cost = &summary.cost;
        let task = setup.task.map(|_| ("task", cost.part(Part::Task)));
        let elected = matches!(summary.outcome, Outcome::Election { .. });
        let announced = elected.then(|| ("announcement", cost.split(true)));
        let bounded = |quantity: Quantity| setup.facts.bounds.iter().any(|bound| bound.quantity == quantity);
        let link = setup.scenario.retransmit.map(|_| ("link", cost.part(Part::Link)));
        let split = [(setup.facts.work, cost.split(false))].into_iter().chain(announced).chain(task).chain(link);
        Self {
            messages: MessagesReport {
                total: cost.messages(),
                split: split.map(|(name, passes)| (name.to_string(), passes)).collect(),
                by_kind: cost.kinds.iter().map(|(kind, passes)| (kind.name.to_string(), *passes)).collect(),
            },
            bits: cost.bits,
            time: cost.time,
            time_elected: cost.time_elected,
            time_awake: cost.time_awake.filter(|_| elected),
            depth: cost.depth,
            depth_elected: cost.depth_elected,
            phases: cost.phases,
            phase_spread: cost.phase_begins.iter().filter_map(PhaseBegin::spread).max(),
            phase_begins: cost.phase_begins.iter().map(PhaseBeginReport::from).collect(),
            longest_queue: cost.longest_queue,
            messages_per_entry: cost.tally.messages_per_entry.map(Number::from),
            granting_delay: cost.tally.granting_delay.map(DelayReport::from),
            local_wait: cost.tally.local_wait.map(DelayReport::from),
            negatives_per_entry: cost.tally.negatives.map(Number::from),
            prediction_error: cost.tally.prediction_error.map(Number::from),
            found_active: cost.tally.found_active.map(Number::from),
            number_spread: cost.tally.number_spread,
            overtaken: cost
                .tally
                .overtaken
                .map(|[since_request, since_number]| OvertakenReport { since_request, since_number }),
            attempts_per_read: cost.tally.attempts.map(Number::from),
            failed_attempts: cost.tally.failed_attempts.map(|[one, several]| FailedAttempts { one, several }),
            window_entries: cost.tally.whole_run.messages_per_entry.map(|_| cost.tally.sample),
            whole_run: WholeRunReport::new(&cost.tally.whole_run),
            overlapping: cost.tally.overlapping.map(Number::from),
            laps: cost.tally.laps.map(Number::from),
            error: cost.error.filter(|_| bounded(Quantity::Error)).map(u64::from),
        }
    }
}
