//! The quantities that a sweep measures, and what it keeps of a run.

use ringleader_model::{MutualExclusion, OneToken, Outcome, Part, Problem, Quantity, ReadersWriters};
use ringleader_sim::{StopReason, Summary, Verdict};

use super::breakdown::MessageBreakdown;
use crate::report::{Number, quantity_name};
use crate::setup::Setup;

/// A quantity, as the summary of a run has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Metric {
    /// One that bounds are stated for.
    Of(Quantity),
    /// The same over the whole run, where others are about the window in which all sites compete.
    OverWholeRun(Quantity),
    /// The 95th percentile of granting delays.
    DelayP95,
    /// The greatest granting delay of the window.
    DelayMax,
    /// The 95th percentile of all granting delays.
    WholeRunDelayP95,
    /// The mean time that users wait for others of their site.
    LocalWait,
    /// The greatest.
    LocalWaitMax,
    /// Steps taken.
    Steps,
    /// The maximum length of an input queue.
    LongestQueue,
    /// Entries, or reads and writes.
    Entries,
    /// The most conflicting sites inside together.
    OverlapMax,
    /// The share of overlapping entries.
    Overlapping,
    /// Jain's index.
    Fairness,
    /// Sites that starved.
    Starved,
    /// Tokens at the end.
    Tokens,
    /// Message passes by phase.
    ByPhase,
    /// Message passes by the identity that they carry.
    ByIdentity,
    /// Candidates left in each phase.
    Candidates,
}

impl Metric {
    /// Whether only full instrumentation measures it.
    pub(crate) const fn needs_full(self) -> bool {
        matches!(self, Self::Of(Quantity::Bits | Quantity::Depth | Quantity::DepthElected) | Self::LongestQueue)
            || self.is_list()
    }

    /// Whether it is a list.
    pub(crate) const fn is_list(self) -> bool {
        matches!(self, Self::ByPhase | Self::ByIdentity | Self::Candidates)
    }

    pub(crate) fn name(self, work: &str) -> String {
        match self {
            Self::Of(Quantity::Messages) => TOTAL.to_string(),
            Self::Of(quantity) => quantity_name(quantity, work),
            Self::OverWholeRun(quantity) => format!("whole_run.{}", quantity_name(quantity, work)),
            Self::DelayP95 => "granting_delay.p95".to_string(),
            Self::DelayMax => "granting_delay.max".to_string(),
            Self::WholeRunDelayP95 => "whole_run.granting_delay.p95".to_string(),
            Self::LocalWait => "local_wait".to_string(),
            Self::LocalWaitMax => "local_wait.max".to_string(),
            Self::Steps => "steps".to_string(),
            Self::LongestQueue => "longest_queue".to_string(),
            Self::Entries => "entries_made".to_string(),
            Self::OverlapMax => "overlap_max".to_string(),
            Self::Overlapping => "overlapping".to_string(),
            Self::Fairness => "fairness".to_string(),
            Self::Starved => "starved".to_string(),
            Self::Tokens => "tokens".to_string(),
            Self::ByPhase => "messages.by_phase".to_string(),
            Self::ByIdentity => "messages.by_identity".to_string(),
            Self::Candidates => "candidates".to_string(),
        }
    }

    /// What it is, in words.
    pub(crate) fn description(self) -> &'static str {
        match self {
            Self::Of(Quantity::Messages) => "message passes",
            Self::Of(Quantity::Work) => "message passes that are neither announcements nor part of a task",
            Self::Of(Quantity::Announcement) => "message passes of the announcement",
            Self::Of(Quantity::Task) => "message passes of the leader's task",
            Self::Of(Quantity::Kind(_)) => "message passes of this kind",
            Self::Of(Quantity::Difference(..)) => "difference of the passes of two kinds",
            Self::Of(Quantity::Bits) => "bits passed",
            Self::Of(Quantity::Time) => "clock at the end; without clocks, steps",
            Self::Of(Quantity::TimeElected) => "clock at the election",
            Self::Of(Quantity::TimeAwake) => "clock when the last processor is awake",
            Self::Of(Quantity::Campaign) => "time from the last waking to the election",
            Self::Of(Quantity::AnnouncementTime) => "time from the election to the end",
            Self::Of(Quantity::Depth) => "longest causal chain of messages",
            Self::Of(Quantity::DepthElected) => "longest causal chain that led to the election",
            Self::Of(Quantity::Phases) => "highest phase",
            Self::Of(Quantity::PhaseSpread) => "longest time from the call for a phase to its last beginning",
            Self::Of(Quantity::MessagesPerEntry) => "message passes per entry, while all sites compete",
            Self::Of(Quantity::Negatives) => "negative replies per entry, while all sites compete",
            Self::Of(Quantity::FoundActive) => {
                "share of the other competing sites with a number in use when a site draws its own, while all sites compete"
            }
            Self::Of(Quantity::NumberSpread) => "greatest difference of two numbers in use, in the whole run",
            Self::Of(Quantity::OvertakenSinceRequest) => {
                "greatest number of entries of one site while another waits, in the whole run"
            }
            Self::Of(Quantity::Overtaken) => {
                "greatest number of entries of one site while another waits with its number, in the whole run"
            }
            Self::Of(Quantity::PredictionError) => {
                "difference between the negative replies of an entry and of the site's entry before, in the whole run"
            }
            Self::Of(Quantity::GrantingDelay) => "mean time from asking to entering, while all sites compete",
            Self::Of(Quantity::LongestDelay) => "greatest time from asking to entering, in the whole run",
            Self::Of(Quantity::Attempts) => "attempts per read, while all sites compete",
            Self::Of(Quantity::Laps) => "turns of the ring until there was one token for good",
            Self::Of(Quantity::Error) => "1 if more than one leader was elected, else 0",
            Self::OverWholeRun(_) => "the same over the whole run",
            Self::DelayP95 => "95th percentile of the time from asking to entering, while all sites compete",
            Self::DelayMax => "greatest time from asking to entering, while all sites compete",
            Self::WholeRunDelayP95 => "95th percentile of the time from asking to entering, in the whole run",
            Self::LocalWait => "mean time that users wait for others of their site, in the whole run",
            Self::LocalWaitMax => "greatest time that a user waits for others of the site, in the whole run",
            Self::Steps => "steps taken",
            Self::LongestQueue => "most messages that waited at one place to be read",
            Self::Entries => "entries, or reads and writes",
            Self::OverlapMax => "most conflicting sites inside together; readers together are one",
            Self::Overlapping => "share of all entries during which a conflicting site was inside, too",
            Self::Fairness => "Jain's index of the sites' entries, while all sites compete",
            Self::Starved => "sites that asked and got nothing, while all sites compete",
            Self::Tokens => "tokens at the end",
            Self::ByPhase => "message passes by phase, from the first one on; announcements belong to none",
            Self::ByIdentity => "message passes by the identity that they carry, in increasing order of identities",
            Self::Candidates => "processors that reach each phase, from the first one on",
        }
    }

    /// Its value in a run.
    pub(crate) fn of(self, summary: &Summary) -> Option<Number> {
        let (cost, tally) = (&summary.cost, &summary.cost.tally);
        let count = match self {
            Self::Of(quantity) => return cost.of(quantity).map(Number::from),
            Self::OverWholeRun(quantity) => return cost.over_whole_run(quantity).map(Number::from),
            Self::Overlapping => return tally.overlapping.map(Number::from),
            Self::Fairness => return tally.fairness.map(Number::from),
            Self::DelayP95 => tally.granting_delay?.p95,
            Self::DelayMax => tally.granting_delay?.max,
            Self::WholeRunDelayP95 => tally.whole_run.granting_delay?.p95,
            Self::LocalWait => return tally.local_wait.map(|waits| Number::from(waits.mean)),
            Self::LocalWaitMax => tally.local_wait?.max,
            Self::Steps => cost.steps,
            Self::LongestQueue => u64::from(cost.longest_queue),
            Self::Starved => tally.starved?,
            Self::Entries => match summary.outcome {
                Outcome::Entries { entries, .. } => entries,
                Outcome::Data { reads, writes, .. } => reads + writes,
                _ => return None,
            },
            Self::OverlapMax => match summary.outcome {
                Outcome::Entries { overlap_max, .. } => overlap_max,
                _ => return None,
            },
            Self::Tokens => match summary.outcome {
                Outcome::Tokens { tokens } => tokens,
                _ => return None,
            },
            Self::ByPhase | Self::ByIdentity | Self::Candidates => return None,
        };
        Some(Number::Integer(count))
    }
}

impl Metric {
    /// Its value in a run; lists come from the breakdown of its steps.
    pub(crate) fn value(self, summary: &Summary, breakdown: Option<&MessageBreakdown>) -> MeasuredValue {
        let list = |of: fn(&MessageBreakdown) -> Vec<u64>| {
            breakdown.map(of).filter(|list| !list.is_empty()).map_or(MeasuredValue::Missing, MeasuredValue::List)
        };
        match self {
            Self::ByPhase => list(|breakdown| breakdown.by_phase().to_vec()),
            Self::ByIdentity => list(|breakdown| breakdown.by_identity().to_vec()),
            Self::Candidates => list(MessageBreakdown::candidates),
            number => number.of(summary).into(),
        }
    }
}

/// The name of all message passes.
pub(crate) const TOTAL: &str = "messages";

/// What can be measured in the runs of a set-up: all that is known before a run.
pub(crate) fn metrics(setup: &Setup) -> Vec<Metric> {
    let facts = &setup.facts;
    let mut all = vec![Metric::Of(Quantity::Messages), Metric::Of(Quantity::Work)];
    let election = facts.kinds.iter().any(|kind| kind.part == Part::Announcement);
    all.extend(election.then_some(Metric::Of(Quantity::Announcement)));
    all.extend(setup.task.map(|_| Metric::Of(Quantity::Task)));
    all.extend(facts.kinds.iter().map(|kind| Metric::Of(Quantity::Kind(kind.name))));
    let costs = [Quantity::Bits, Quantity::Time, Quantity::TimeElected, Quantity::Depth, Quantity::DepthElected];
    let problem = setup.entry.problem();
    let elects = setup.entry.work() == "election";
    let about_election =
        |quantity: &Quantity| elects || !matches!(quantity, Quantity::TimeElected | Quantity::DepthElected);
    all.extend(costs.into_iter().filter(about_election).map(Metric::Of));
    all.extend(facts.phased.then_some(Metric::Of(Quantity::Phases)));
    all.extend([Metric::Steps, Metric::LongestQueue]);
    if elects {
        all.push(Metric::Of(Quantity::Error));
    }
    if problem == OneToken::NAME {
        all.extend([Metric::Tokens, Metric::Of(Quantity::Laps)]);
    }
    if setup.scenario.workload.is_some() {
        let data = setup.scenario.workload.as_ref().is_some_and(|load| load.cells > 0);
        let exclusive = [MutualExclusion::NAME, ReadersWriters::NAME].contains(&problem) && !data;
        all.push(Metric::Entries);
        all.extend(exclusive.then_some([Metric::OverlapMax, Metric::Overlapping]).into_iter().flatten());
        all.extend([Metric::Fairness, Metric::Starved]);
        let negative = facts.kinds.iter().any(|kind| kind.name == "negative").then_some(Quantity::Negatives);
        let attempts = data.then_some(Quantity::Attempts);
        all.extend(negative.map(|_| Metric::Of(Quantity::PredictionError)));
        if exclusive {
            let numbered =
                [Quantity::FoundActive, Quantity::NumberSpread, Quantity::OvertakenSinceRequest, Quantity::Overtaken];
            all.extend(numbered.map(Metric::Of));
        }
        for quantity in
            [Quantity::MessagesPerEntry, Quantity::GrantingDelay].into_iter().chain(negative).chain(attempts)
        {
            all.extend([Metric::Of(quantity), Metric::OverWholeRun(quantity)]);
        }
        all.extend([Metric::DelayP95, Metric::DelayMax, Metric::WholeRunDelayP95, Metric::Of(Quantity::LongestDelay)]);
        let users = setup.scenario.workload.as_ref().map_or(1, |load| load.users);
        all.extend((users > 1).then_some([Metric::LocalWait, Metric::LocalWaitMax]).into_iter().flatten());
    }
    if setup.task.is_none() {
        all.extend(facts.phased.then_some([Metric::ByPhase, Metric::Candidates]).into_iter().flatten());
        all.extend((!setup.scenario.identities().is_empty()).then_some(Metric::ByIdentity));
    }
    for bound in &facts.bounds {
        let metric = Metric::Of(bound.quantity);
        // Measured where something is known about it.
        let bounded_only = matches!(
            bound.quantity,
            Quantity::Difference(..)
                | Quantity::TimeAwake
                | Quantity::Campaign
                | Quantity::AnnouncementTime
                | Quantity::PhaseSpread
        );
        if bounded_only && !all.contains(&metric) {
            all.push(metric);
        }
    }
    all
}

/// What a fully instrumented run measured, by name.
pub(crate) fn measured(setup: &Setup, summary: &Summary) -> Vec<(String, Number)> {
    let value = |metric: Metric| Some((metric.name(setup.facts.work), metric.of(summary)?));
    metrics(setup).into_iter().filter_map(value).collect()
}

/// What a run measured of one quantity.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum MeasuredValue {
    /// It has no such quantity.
    #[default]
    Missing,
    /// A number.
    Number(Number),
    /// Several, by phase, place or identity.
    List(Vec<u64>),
}

impl From<Option<Number>> for MeasuredValue {
    fn from(number: Option<Number>) -> Self {
        number.map_or(Self::Missing, Self::Number)
    }
}

/// What a sweep keeps of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct RunRecord {
    /// Its number in the sweep, from 0.
    pub index: u64,
    /// Its seed.
    pub seed: u64,
    /// The verdict.
    pub verdict: Verdict,
    /// Whether all that was asked for was done.
    pub finished: bool,
    /// Why it stopped without finishing.
    pub reason: Option<StopReason>,
    /// The number of leaders, of an election.
    pub leaders: Option<u64>,
    /// The identity of the only leader, or its place where there are no identities.
    pub leader: Option<u64>,
    /// Whether it contradicts a bound that holds for every run.
    pub exceeded: bool,
    /// By quantity of the plan.
    pub values: Vec<MeasuredValue>,
    /// By bound of the plan, its value for this run.
    pub bounds: Vec<Option<Number>>,
}

/// The number of leaders of a run, and the only one.
pub(crate) fn leaders(summary: &Summary) -> (Option<u64>, Option<u64>) {
    let Outcome::Election { leaders, .. } = &summary.outcome else { return (None, None) };
    let only = if let [one] = leaders.as_slice() { Some(one) } else { None };
    let named = only.map(|leader| leader.id.map_or_else(|| leader.place, |id| id.get()));
    (Some(leaders.len() as u64), named)
}
