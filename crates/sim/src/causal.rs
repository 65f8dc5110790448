//! Execution in causal order, on unidirectional rings whose links keep the order of messages.
//!
//! There a place receives exactly what its predecessor has sent, in that order. So a run is a Kahn process network, whose
//! outcome does not depend on the order in which places take their steps \[Kahn1974\]: instead of one instant after another,
//! each message is followed from place to place until it is discarded. States stay in the cache, the message stays in
//! registers, no event queue is needed, and times are computed with the same draws as in time order. A ring is a cycle of
//! [segments](Segment), which share nothing but the batches of messages between them, so that each can have a thread.
//!
//! In time order a violation is the first one, and its text says what came before. A run that finds one, or in which the first
//! election depends on the order inside an instant, is [disputed](CausalSimulation::is_disputed): it has to be repeated in time
//! order.

mod links;
mod segment;

use alloc::string::String;
use alloc::vec::Vec;

use ringleader_model::{
    BadSetting, Delays, Kind, Links, Message, Monitor, Network, Place, Problem, Profile, Protocol, Reading, Scenario,
    Ties, Time, Topology, Violation, Wakes,
};

pub use segment::Segment;
use segment::{Batch, FirstElection, KINDS};

use crate::choice_source::BadChoice;
use crate::clock::Resolved;
use crate::engine_state::{MessageOf, MonitorOf, ProblemOf, TimerOf};
use crate::instrumentation::{Full, Instrumentation};
use crate::run::{Cost, ExecutionOrder, Run, StopReason, Summary, TERMINATION};
use crate::simulation::{END_OF_TIME, MOST_WITH_HISTORIES, tasks_last, why_unfinished};
use crate::step::Step;

/// A run of one protocol in one scenario, in causal order.
///
/// ```
/// use ringleader_model::{BadSetting, Protocol, Scenario};
/// use ringleader_sim::{CausalSimulation, Full, Run, Summary};
///
/// fn simulate<P: Protocol>(protocol: P, scenario: &Scenario) -> Result<Summary, BadSetting> {
///     let mut run = CausalSimulation::<P, Full>::new(protocol, scenario, 1)?;
///     while !run.advance(1 << 16) {}
///     Ok(run.summary())
/// }
/// ```
pub struct CausalSimulation<P: Protocol, D: Instrumentation = Full> {
    protocol: P,
    profile: Profile,
    segments: Vec<Segment<P, D>>,
    advance_all: AdvanceAll<P, D>,
    /// Nothing is in flight any more.
    over: bool,
    /// The caller's limit, after which the run stops.
    limit: Time,
}

/// Advances each segment for about so many deliveries; true when all batches have come through.
pub type AdvanceAll<P, D> = fn(&mut [Segment<P, D>], u64) -> bool;

/// One segment after the other.
fn advance_each<P: Protocol, D: Instrumentation>(segments: &mut [Segment<P, D>], budget: u64) -> bool {
    let mut through = true;
    for segment in segments {
        through &= segment.advance(budget);
    }
    through
}

/// Why a run cannot be executed in causal order.
pub type NotCausal = &'static str;

impl<P: Protocol, D: Instrumentation> CausalSimulation<P, D> {
    /// Whether there are scenarios of this protocol that can be executed in causal order. Where there are none, nothing of it
    /// has to be compiled.
    pub const POSSIBLE: bool = matches!(P::Network::TOPOLOGY, Topology::Ring)
        && ProblemOf::<P>::ANY_ORDER
        && MessageOf::<P>::KINDS.len() <= KINDS
        // Messages that cannot be told apart may overtake each other.
        && size_of::<MessageOf<P>>() > 0
        // Of a type that has no values.
        && size_of::<Option<TimerOf<P>>>() == 0;

    /// Whether a scenario can be executed in causal order.
    pub fn check(protocol: &P, scenario: &Scenario) -> Result<(), NotCausal> {
        if !Self::POSSIBLE {
            return Err("it is not message passing alone on a unidirectional ring");
        }
        check_scenario(scenario)?;
        if D::FULL && !P::INVARIANTS.is_empty() {
            return Err("it has invariants, which are judged after each step");
        }
        if D::FULL && scenario.n <= MOST_WITH_HISTORIES && !protocol.lemmas(scenario).is_empty() {
            return Err("it has lemmas, which are judged in runs of this size");
        }
        let resolved = Resolved::new(scenario);
        let instance = resolved.instance(scenario);
        if protocol.horizon(&instance).is_some() || protocol.deadline(&instance).is_some() {
            return Err("it has a deadline");
        }
        Ok(())
    }

    /// A run of a protocol in a scenario that has been [checked](Self::check), in this number of segments.
    pub fn new(protocol: P, scenario: &Scenario, segments: usize) -> Result<Self, BadSetting> {
        let profile = protocol.profile();
        scenario.check(&profile.assumptions)?;
        let (network, n) = (protocol.network(scenario), scenario.n as u64);
        let count = (segments as u64).clamp(1, n);
        let border = |index: u64| (u128::from(n) * u128::from(index) / u128::from(count)) as Place;
        let segment = |index| Segment::new(&protocol, scenario, &network, border(index), border(index + 1));
        let segments = (0..count).map(segment).collect();
        Ok(Self { protocol, profile, segments, advance_all: advance_each, over: false, limit: END_OF_TIME })
    }

    /// The same, its segments advanced by `advance_all`: on threads, for example.
    pub fn advanced_by(self, advance_all: AdvanceAll<P, D>) -> Self {
        Self { advance_all, ..self }
    }

    /// Hands the batch that has come through each segment on to the next one.
    fn exchange(&mut self) {
        let mut batches: Vec<_> = self.segments.iter_mut().map(Segment::leave).collect();
        batches.rotate_right(1);
        self.over = batches.iter().all(Batch::is_empty);
        self.segments.iter_mut().zip(batches).for_each(|(segment, batch)| segment.enter(batch));
    }

    /// Whether it has to be repeated in time order: something was violated, or the first election depends on the order inside
    /// an instant.
    pub fn is_disputed(&self) -> bool {
        let tied = self.elected().is_some_and(|election| election.tied);
        tied || self.with_monitor(|monitor| !monitor.violations().is_empty())
    }

    fn why_unfinished(&self, time: Time, missing: &str) -> String {
        why_unfinished(None, time, missing, self.segments.iter().find_map(Segment::stuck))
    }

    fn sum(&self, part: impl Fn(&Segment<P, D>) -> u64) -> u64 {
        self.segments.iter().map(part).sum()
    }

    fn elected(&self) -> Option<FirstElection> {
        self.segments.iter().filter_map(|segment| segment.account.elected).reduce(FirstElection::first)
    }

    /// Calls with a monitor that has observed the reports of all segments.
    fn with_monitor<T>(&self, judge: impl FnOnce(&MonitorOf<P>) -> T) -> T {
        let (first, others) = self.segments.split_first().expect("there is a segment");
        if others.is_empty() {
            return judge(&first.account.monitor);
        }
        let mut monitor = first.account.monitor.clone();
        others.iter().for_each(|other| monitor.merge(&other.account.monitor));
        judge(&monitor)
    }

    fn cost(&self) -> Cost {
        let elected = self.elected();
        let accounts = || self.segments.iter().map(|segment| &segment.account);
        let mut kinds: Vec<(Kind, u64)> = Vec::new();
        for (index, &kind) in self.profile.kinds.iter().enumerate() {
            if self.protocol.sends(kind) {
                kinds.push((kind, accounts().map(|account| account.passes[index]).sum()));
            }
        }
        tasks_last(&mut kinds);
        Cost {
            kinds,
            bits: accounts().map(|account| account.bits).sum(),
            time: self.now(),
            time_elected: elected.map(|election| election.time),
            depth: accounts().map(|account| account.depth).max().unwrap_or(0),
            depth_elected: elected.and_then(|election| election.depth),
            phases: accounts().filter_map(|account| account.phases).max(),
            steps: self.steps(),
            deliveries: self.deliveries(),
            ..Cost::default()
        }
    }
}

/// It can be neither recorded nor logged, and has no positions: only time order has those.
impl<P: Protocol, D: Instrumentation> Run for CausalSimulation<P, D> {
    fn advance(&mut self, budget: u64) -> bool {
        let enough = self.deliveries().saturating_add(budget.max(1));
        while !self.over {
            let left = enough.saturating_sub(self.deliveries());
            if left == 0 || !(self.advance_all)(&mut self.segments, left) {
                return false;
            }
            self.exchange();
        }
        true
    }

    fn stop_after(&mut self, last: Time) {
        self.limit = last.min(END_OF_TIME);
        self.segments.iter_mut().for_each(|segment| segment.account.limit = self.limit);
    }

    fn deliveries(&self) -> u64 {
        self.sum(|segment| segment.account.deliveries)
    }

    fn steps(&self) -> u64 {
        self.sum(|segment| segment.account.steps)
    }

    fn now(&self) -> Time {
        self.segments.iter().map(|segment| segment.account.time).max().unwrap_or(0)
    }

    fn bytes(&self) -> usize {
        self.segments.iter().map(Segment::bytes).sum()
    }

    fn summary(&self) -> Summary {
        let cost = self.cost();
        let digest = self.segments.iter().map(Segment::digest).fold(0, u64::wrapping_add);
        self.with_monitor(|monitor| {
            let finished = monitor.finished();
            let next = self.segments.iter().filter_map(|segment| segment.account.beyond).min();
            let reason = match next {
                _ if !self.over => Some(StopReason::Interrupted),
                None if finished => None,
                None => Some(StopReason::Silent),
                Some(next) if next > END_OF_TIME => Some(StopReason::EndOfTime).filter(|_| !finished),
                Some(_) => Some(StopReason::Interrupted),
            };
            let mut violations = monitor.violations().to_vec();
            if reason == Some(StopReason::Silent) {
                let detail = self.why_unfinished(cost.time, &monitor.missing());
                violations.push(Violation { property: TERMINATION, detail });
            }
            let order = ExecutionOrder::Causal { cut: !self.over };
            Summary { order, ..Summary::new(monitor.outcome(), finished, reason, violations, cost, digest, Vec::new()) }
        })
    }

    fn record(&mut self) {
        unreachable!("a run in causal order is not recorded");
    }

    fn log(&mut self) {
        unreachable!("a run in causal order is not logged");
    }

    fn last_place(&self) -> Place {
        0
    }

    fn position(&self) -> u64 {
        0
    }

    fn advance_to(&mut self, _: u64) -> bool {
        unreachable!("a run in causal order has no positions");
    }

    fn choices(&self) -> Option<&[u64]> {
        None
    }

    fn take_log(&mut self) -> Vec<Step> {
        Vec::new()
    }

    fn unused_choices(&self) -> usize {
        0
    }

    fn unanswered(&self) -> usize {
        0
    }

    fn bad_choice(&self) -> Option<BadChoice> {
        None
    }
}

/// Whether a scenario is one of message passing alone, in which nothing depends on the order of events at different places.
fn check_scenario(scenario: &Scenario) -> Result<(), NotCausal> {
    let Scenario { timing, faults, .. } = scenario;
    let late = |wakes: &Wakes| matches!(wakes, Wakes::At(at) if at.iter().flatten().any(|&time| time > 0));
    let reasons = [
        (scenario.untimed, "it has no clocks"),
        (scenario.links != Links::Fifo, "it runs on links that may change the order of messages"),
        (timing.reading != Reading::Immediate, "it reads messages at ticks"),
        (!timing.changes.is_empty(), "it runs under timing that changes"),
        (
            !matches!(timing.delays, Delays::Uniform | Delays::Min | Delays::Max | Delays::List(_)),
            "it has delays that an adversary chooses",
        ),
        (late(&scenario.wakes), "it wakes processors after time 0"),
        (!faults.is_empty(), "it has faults"),
        (!scenario.interventions.is_empty(), "it has interventions"),
        (!scenario.again.is_empty(), "it has further elections"),
        (scenario.workload.is_some(), "it has users"),
        (scenario.retransmit.is_some(), "it sends messages again"),
        (scenario.ties != Ties::Ruled, "it has open ties"),
    ];
    match reasons.into_iter().find(|(applies, _)| *applies) {
        Some((_, reason)) => Err(reason),
        None => Ok(()),
    }
}
