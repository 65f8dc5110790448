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

mod account;
mod links;
mod own_events;
mod segment;
mod visits;

use alloc::vec::Vec;
use core::mem;
use core::ops::Range;

use ringleader_model::{
    BadSetting, Delays, Inspect, Links, Message, Monitor, Network, Place, Problem, Protocol, Reading, Scenario, Ties,
    Time, Timing, Topology, Wakes,
};

pub use account::RingAccount;
use own_events::OwnEvents;
use segment::KINDS;
pub use segment::{Batch, Segment};

use crate::choice_source::BadChoice;
use crate::clock::{ASLEEP, Resolved};
use crate::engine_state::{MessageOf, MonitorOf, ProblemOf, TimerOf};
use crate::instrumentation::{Full, Instrumentation};
use crate::phase_begins::PhaseBegin;
use crate::run::{Run, Summary};
use crate::simulation::{END_OF_TIME, MOST_WITH_HISTORIES};
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
    segments: Vec<Segment<P, D>>,
    /// A monitor that has observed nothing.
    nothing: MonitorOf<P>,
    advance_all: AdvanceAll<P, D>,
    /// Nothing is in flight any more.
    over: bool,
    /// Places have been visited in vain too often.
    slow: bool,
    /// The protocol's horizon, after which it stops as well as after the caller's limit.
    horizon: Option<Time>,
}

/// Late wakes that are over after so many laps pay.
const FEW_LAPS: u64 = 32;
/// Each place may be visited so many times in vain, and so many times more for each delivery there.
const VISITS_OF_A_PLACE: u64 = 8;
const VISITS_OF_A_DELIVERY: u64 = 4;

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

/// Why no run of a protocol can.
pub const NEVER_CAUSAL: NotCausal = "it is not an election on a unidirectional ring";

impl<P: Protocol, D: Instrumentation> CausalSimulation<P, D> {
    /// Whether there are scenarios of this protocol that can be executed in causal order. Where there are none, nothing of it
    /// has to be compiled.
    pub const POSSIBLE: bool = matches!(P::Network::TOPOLOGY, Topology::Ring)
        && ProblemOf::<P>::ANY_ORDER
        && MessageOf::<P>::KINDS.len() <= KINDS
        // What happens besides messages is kept of protocols with timers; others time no phases.
        && (!P::Processor::TIMES_PHASES || size_of::<Option<TimerOf<P>>>() > 0);

    /// Whether a scenario can be executed in causal order.
    pub fn check(protocol: &P, scenario: &Scenario) -> Result<(), NotCausal> {
        if !Self::POSSIBLE {
            return Err(NEVER_CAUSAL);
        }
        check_scenario(scenario)?;
        let Scenario { timing, .. } = scenario;
        // Messages that cannot be told apart may overtake each other.
        if size_of::<MessageOf<P>>() == 0 && timing.delays == Delays::Uniform && timing.d.min < timing.d.max {
            return Err("its messages may overtake each other");
        }
        if D::FULL && !P::INVARIANTS.is_empty() {
            return Err("it has invariants, which are judged after each step");
        }
        if D::FULL && scenario.n <= MOST_WITH_HISTORIES && !protocol.lemmas(scenario).is_empty() {
            return Err("it has lemmas, which are judged in runs of this size");
        }
        let resolved = Resolved::new(scenario);
        let instance = resolved.instance(scenario);
        if (protocol.profile().timers || timing.reading != Reading::Immediate) && !resolved.is_fixed() {
            return Err("its clocks vary");
        }
        if protocol.deadline(&instance).is_some() {
            return Err("it has a deadline");
        }
        Ok(())
    }

    /// Whether parts of a run can be executed by several processes, which hand on messages, but no promises.
    pub fn check_divided(protocol: &P, scenario: &Scenario) -> Result<(), NotCausal> {
        Self::check(protocol, scenario)?;
        if OwnEvents::<P, D>::has_any(&protocol.profile(), scenario) {
            return Err("it has late wakes, timers, or ticks at which messages are read");
        }
        Ok(())
    }

    /// The memory that a processor takes in a scenario, in bytes.
    pub fn bytes_per_processor(scenario: &Scenario) -> usize {
        Segment::<P, D>::bytes_per_processor(scenario)
    }

    /// A run of a protocol in a scenario that has been [checked](Self::check), in this number of segments.
    pub fn new(protocol: P, scenario: &Scenario, segments: usize) -> Result<Self, BadSetting> {
        scenario.check(&protocol.profile().assumptions)?;
        Ok(Self::of_places(protocol, scenario, 0..scenario.n as u64, segments))
    }

    /// The part of such a run that these places take, of which there is at least one, in about this number of segments.
    ///
    /// A ring whose parts are executed by several processes, which has to be [checked](Self::check_divided), goes on in rounds:
    /// every part [advances](Self::advance_segments) until its batches have come through, [passes](Self::pass_on) them on, and
    /// lets that of the part before it [enter](Self::enter). The run is over when all parts are [empty](Self::is_empty).
    pub fn of_places(protocol: P, scenario: &Scenario, places: Range<u64>, segments: usize) -> Self {
        // All places of a ring are alike to it.
        let shape = Scenario { n: scenario.n.min(Scenario::MOST), ..Scenario::default() };
        let network = protocol.network(if scenario.n > shape.n { &shape } else { scenario });
        let borders = borders(&places, segments);
        let segment = |pair: &[u64]| Segment::new(&protocol, scenario, &network, pair[0]..pair[1]);
        let segments = borders.windows(2).map(segment).collect();
        let mut nothing = MonitorOf::<P>::of_segment(scenario, 0);
        nothing.promise(protocol.promises(scenario), scenario);
        let horizon = protocol.horizon(&Resolved::new(scenario).instance(scenario));
        let mut run =
            Self { protocol, segments, nothing, advance_all: advance_each, over: false, slow: false, horizon };
        run.stop_after(END_OF_TIME);
        run
    }

    /// The memory that these places will take before the first step, in bytes.
    pub fn bytes_needed(scenario: &Scenario, places: u64) -> u64 {
        // Who has no identity tosses coins, which are counted in a list that grows to twice its length.
        let coins = if scenario.identities().is_empty() { 12 } else { 0 };
        places * (Self::bytes_per_processor(scenario) as u64 + coins) + places / 8
    }

    /// The same, its segments advanced by `advance_all`: on threads, for example.
    pub fn advanced_by(self, advance_all: AdvanceAll<P, D>) -> Self {
        Self { advance_all, ..self }
    }

    /// Advances each segment for about `budget` deliveries; true when all batches have come through.
    pub fn advance_segments(&mut self, budget: u64) -> bool {
        (self.advance_all)(&mut self.segments, budget)
    }

    /// Hands the batch that has come through each segment on to the next one, and returns that of the last one. Another has to
    /// [enter](Self::enter).
    pub fn pass_on(&mut self) -> Batch<P, D> {
        let mut batches: Vec<_> = self.segments.iter_mut().map(Segment::leave).collect();
        let last = batches.pop().expect("there is a segment");
        self.segments.iter_mut().skip(1).zip(batches).for_each(|(segment, batch)| segment.enter(batch));
        last
    }

    /// A batch enters the first segment.
    pub fn enter(&mut self, batch: Batch<P, D>) {
        self.segments[0].enter(batch);
    }

    /// Whether no message is in transit between its segments, or enters the first one.
    pub fn is_empty(&self) -> bool {
        self.segments.iter().all(Segment::is_empty)
    }

    /// Hands the batch that has come through each segment on to the next one, around the ring, and what is promised of all that
    /// follows it.
    fn exchange(&mut self) {
        let mut promises: Vec<Time> = self.segments.iter().map(Segment::promise).collect();
        promises.rotate_right(1);
        let batch = self.pass_on();
        self.enter(batch);
        // Nothing happens earlier, so that nothing else arrives before a delay more.
        let next = self.segments.iter().map(Segment::next_event).min().unwrap_or(ASLEEP);
        let shortest = self.segments.iter().map(|segment| segment.links.shortest()).min().unwrap_or(0);
        self.over = next == ASLEEP || self.segments.iter().any(Segment::is_disputed);
        let places = self.sum(|segment| segment.states.len() as u64);
        let worth = VISITS_OF_A_PLACE * places + VISITS_OF_A_DELIVERY * self.deliveries();
        self.slow |= self.visits() > worth * self.segments.len() as u64;
        for (segment, promise) in self.segments.iter_mut().zip(promises) {
            segment.trust(promise.max(next.saturating_add(shortest)));
        }
    }

    /// Whether a scenario is likely to be executed faster than in time order: where promises grow slowly, late wakes take many
    /// laps.
    pub fn pays(scenario: &Scenario) -> bool {
        let last = match &scenario.wakes {
            Wakes::All => 0,
            Wakes::At(at) => at.iter().flatten().copied().max().unwrap_or(0),
        };
        let (least, d) = (least_delay(&scenario.timing), scenario.timing.d);
        // Messages that arrive after a wake time let it come, too: a lap of theirs takes the mean delay.
        let mean = if scenario.timing.delays == Delays::Uniform { (d.min + d.max) / 2 } else { least };
        u128::from(last) <= scenario.n as u128 * (u128::from(FEW_LAPS) * u128::from(least) + u128::from(mean))
    }

    /// Whether it has turned out to take more time than time order: places are visited, and little happens there. That is judged
    /// between rounds, so that it does not depend on budgets.
    pub const fn is_slow(&self) -> bool {
        self.slow
    }

    fn own(&self) -> impl Iterator<Item = &OwnEvents<P, D>> {
        self.segments.iter().filter_map(|segment| segment.own.as_deref())
    }

    fn visits(&self) -> u64 {
        self.own().map(|own| own.visits).sum()
    }

    fn phase_begins(&self) -> Vec<PhaseBegin> {
        let begins = self.own().map(|own| own.phase_begins.clone());
        let merged = begins.reduce(|mut begins, more| {
            begins.merge(&more);
            begins
        });
        merged.map_or_else(Vec::new, |begins| begins.phases)
    }

    /// Whether it has to be repeated in time order: something was violated, or the first election depends on the order inside
    /// an instant.
    pub fn is_disputed(&self) -> bool {
        let account = self.account();
        // Only time order tells how a run ends at its horizon.
        let stopped = self.horizon.is_some() && !account.is_finished();
        stopped || account.is_disputed() || self.segments.iter().any(Segment::is_disputed)
    }

    /// What its steps add up to.
    pub fn account(&self) -> RingAccount<MonitorOf<P>> {
        let mut account = RingAccount::new(self.nothing.clone());
        for segment in &self.segments {
            account.add(segment.account.first, &segment.sums(), &segment.account.monitor);
        }
        account
    }

    /// The first place at which nothing more will happen by itself, and why.
    pub fn stuck(&self) -> Option<(u64, &str)> {
        self.segments.iter().find_map(Segment::stuck)
    }

    /// The protocol.
    pub const fn protocol(&self) -> &P {
        &self.protocol
    }

    fn sum(&self, part: impl Fn(&Segment<P, D>) -> u64) -> u64 {
        self.segments.iter().map(part).sum()
    }
}

/// The borders between about so many segments of the same length. The multiples of 2^32 are borders, too: inside a segment the
/// numbers of places differ in 32 bits only.
fn borders(places: &Range<u64>, segments: usize) -> Vec<u64> {
    let length = places.end - places.start;
    let count = (segments as u64).clamp(1, length);
    let border = |index: u64| places.start + (u128::from(length) * u128::from(index) / u128::from(count)) as u64;
    let multiples = (places.start >> 32) + 1..=(places.end - 1) >> 32;
    let mut borders: Vec<u64> = (0..=count).map(border).chain(multiples.map(|high| high << 32)).collect();
    borders.sort_unstable();
    borders.dedup();
    borders
}

/// It can be neither recorded nor logged, and has no positions: only time order has those.
impl<P: Protocol, D: Instrumentation> Run for CausalSimulation<P, D> {
    fn advance(&mut self, budget: u64) -> bool {
        let mut enough = self.deliveries().saturating_add(budget.max(1));
        let mut visits = self.visits();
        while !self.over {
            let left = enough.saturating_sub(self.deliveries());
            if left == 0 || !self.advance_segments(left) {
                return false;
            }
            self.exchange();
            // Laps without deliveries must not keep the caller waiting, either.
            let visited = mem::replace(&mut visits, self.visits());
            enough = enough.saturating_sub((visits - visited).div_ceil(VISITS_OF_A_DELIVERY));
            if self.slow {
                break;
            }
        }
        self.over
    }

    fn stop_after(&mut self, last: Time) {
        let limit = last.min(self.horizon.unwrap_or(END_OF_TIME)).min(END_OF_TIME);
        self.segments.iter_mut().for_each(|segment| segment.account.limit = limit);
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
        let account = self.account();
        let stuck = if self.over && account.is_silent() { self.stuck() } else { None };
        let mut summary = account.summary(&self.protocol, self.over, stuck);
        summary.cost.phase_begins = self.phase_begins();
        summary
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

/// No message is faster. Where it is 0, only time order knows in which of several passes of an instant a message arrives.
fn least_delay(timing: &Timing) -> u64 {
    match &timing.delays {
        Delays::Max => timing.d.max,
        Delays::List(list) => list.iter().copied().min().unwrap_or(0),
        _ => timing.d.min,
    }
}

/// Whether a scenario is one in which nothing depends on the order of events at different places.
fn check_scenario(scenario: &Scenario) -> Result<(), NotCausal> {
    let Scenario { timing, faults, .. } = scenario;
    let reasons = [
        (scenario.untimed, "it has no clocks"),
        (scenario.links != Links::Fifo, "it runs on links that may change the order of messages"),
        (timing.reading == Reading::PerStep && least_delay(timing) == 0, "it reads in the step in which it sends"),
        (!timing.changes.is_empty(), "it runs under timing that changes"),
        (
            !matches!(timing.delays, Delays::Uniform | Delays::Min | Delays::Max | Delays::List(_)),
            "it has delays that an adversary chooses",
        ),
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
