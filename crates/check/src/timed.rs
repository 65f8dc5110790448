//! The timed semantics, with digital clocks \[HenzingerMannaPnueli1992\]: one transition is one unit of time.
//!
//! A state holds no absolute time, only durations, which are bounded, so that the state space is finite: the age of
//! messages, the time since a processor's last tick, the ticks that timers have left. In a transition all of them grow
//! by one unit; then the scheduler decides which processors wake up, which messages arrive, which clocks tick, the
//! order of a message and a tick of its receiver, and the requests of users; then random choices are made. The
//! decisions of the scheduler are one action, whose transitions differ in the random choices. Inside the instant,
//! events have the order of the simulator ([`InstantStage`]).
//!
//! # Digital clocks
//! Take a run in real time, and a threshold between 0 and 1. Round the time of every event down if its fractional part
//! is at most the threshold, up if it is greater. Two events that were at least a and at most b apart, for integers a
//! and b, still are, and no event overtakes an earlier one, though both may now fall on the same instant. So a search
//! over integral times finds every violation that a real-time run has, under three conditions:
//!
//! 1. *Bounds are integers, and closed.* A step takes r_min to r_max, a message d_min to d_max, both included. The
//!    first tick of a clock with ticks of length L comes 0 to L - 1 after its start, both included. In real time it may
//!    come at any moment before L, which is rounded to L at most. A clock whose first tick comes at L is one that ticks at
//!    its start as well, if ties are open: that tick reads nothing, since what has started the clock arrives after it, its
//!    user declines to make a request, and a timer that is set at its instant does not count it.
//! 2. *Events that are rounded to one instant are explored in the order that they had.* Where ties are open
//!    ([`Ties::Either`]), both orders of a message and a tick of its receiver are. All other orders of an instant are
//!    fixed: wake-ups come before arrivals, messages that arrive together through different ports are handled in the
//!    order of the ports, those of one link in the order of sending (and the answer says so where another order
//!    [has other effects](send_order)), and reports of different places are observed in
//!    the order of the places. Every order is explored for events at different instants, but a real-time run may need
//!    several events in one instant and in another order: such runs are not covered. A protocol that reacts to the
//!    order of such events is decided for the integral-time runs of the model, as the simulator defines them.
//! 3. *Properties speak of order, never of durations.* Monitors know no time.
//!
//! With delays of 0 ([`zero_delay`]) neither ties nor faults are explored, and a clock that nobody observes yet is
//! [open](open_clocks).
//!
//! # Transitions
//! Where every message takes at least one unit, processors do not affect each other within an instant. The options of a
//! processor depend on its local state and the messages in flight to it. They are computed once, and the transitions of
//! a state are all combinations of options ([`product`]). Otherwise see [`rounds`] and [`zero_delay`]. With per-step
//! reading, arrivals can be [`deferred`] to the tick that reads them, and some messages are read [`early`].
//!
//! Faults ([`faults`]) of processors and links happen at the beginning of an instant, those of messages when they are sent.
//!
//! A pause begins when a tick is due, which then comes at any later instant, as if it were longer than r_max; messages wait
//! meanwhile. Under per-step reading, where nothing is handled between ticks, a pause that begins earlier within the tick has no
//! other effect. (A message that is urgent would wait from the beginning of the pause on.)
//!
//! # Fairness
//! Bounds on delays and ticks enforce most progress. Obligations remain where a scheduler may defer without bound: a
//! user leaves the critical region, a fixed initiator wakes up, a pause ends. A cut need not end, and who is down
//! need not restart. Time passes in every state, so that none is quiescent.

mod cases;
mod deferred;
mod early;
#[cfg(test)]
mod early_tests;
mod faults;
mod in_flight;
mod local;
mod numbering;
mod open_clocks;
mod options;
#[cfg(test)]
mod order_tests;
mod product;
mod random_walk;
mod reconstruct;
#[cfg(test)]
mod reduction_tests;
mod rounds;
mod scenarios;
mod schedule;
mod send_order;
#[cfg(test)]
mod tests;
mod zero_delay;

use std::sync::Arc;

use ringleader_model::{AtMost, BadSetting, Delays, InstantStage, Links, Place, Ports, Reading, Scenario, Ties};

use self::cases::LocalCase;
use self::deferred::{DeferredArrival, DeferredLimits};
use self::early::EarlyReading;
use self::faults::{Breakdown, MessageFate};
use self::in_flight::{EMPTY, InFlight};
use self::local::{ClockState, LocalInstant, SchedulerDecision, TimedLocalState, TimingModel, UserEvent};
use self::product::{OptionProduct, ReportSets};
use self::rounds::StageCache;
use self::scenarios::{refuse, tick_lengths};
use self::send_order::SendOrder;
use crate::answer::Wakers;
use crate::choices::{ChoiceLeaf, ChoiceProbability};
use crate::faults::{FaultBudget, NeighbourPairs};
use crate::interner::{Interned, Interner, Map, ValueTable};
use crate::links::LinkTable;
use crate::passes::Passes;
use crate::phases::PhaseGrowth;
use crate::port_numbering::{FullNumbering, PartialNumbering};
use crate::probability::{PhaseAdvance, ProbabilisticSystem};
use crate::program::{InitialState, Observation, Program, UserRequest};
use crate::reductions::{Reduction, Reductions};
use crate::step::{UserRegion, UserState};
use crate::transition_system::{
    MonitorStatus, Monitored, ProtocolSystem, StateFeatures, Successors, TimedCosts, TransitionSystem,
};

pub use self::random_walk::{RandomWalk, random_walk};
pub(crate) use self::schedule::timed_schedule;

/// The number of no reports.
const NO_REPORTS: Interned = 0;

/// The local state of a crashed processor.
const CRASHED: Interned = 0;

/// Bytes that a key of a map takes beside its numbers, about.
const KEY: usize = 64;

/// A run of one instant at one place.
type LocalRun = ChoiceLeaf<(SchedulerDecision, LocalInstant)>;

/// The actions of one instant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct InstantActions {
    /// By place.
    places: Vec<LocalActions>,
    /// By link: the indices of the messages in flight that arrive, or are lost on arrival.
    arrived: Vec<Vec<usize>>,
    /// The links over which they are lost: a link is cut, or its receiver is down.
    lossy: Vec<usize>,
    /// The pairs of neighbours whose link is cut.
    cut: Vec<(Place, Place)>,
    /// With [deferred arrivals](deferred): the arrivals of the messages that are read.
    deferred: Vec<DeferredArrival>,
    /// The messages put in flight, in order: the link, and whether the message arrives at the same instant.
    sent: Vec<(usize, bool)>,
    /// The indices of those that are [read early](early).
    early: Vec<usize>,
}

/// The actions of one place in an instant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct LocalActions {
    fault: Option<Breakdown>,
    wakes: bool,
    again: u32,
    /// An [open clock](open_clocks) becomes one with ticks of this length, before the instant.
    closes: Option<(u64, ClockState)>,
    ticks: bool,
    /// By arrival, in the order of ports and links: it comes after the tick of this instant. Empty where there is no
    /// choice.
    ties: Vec<bool>,
    user_events: Vec<UserEvent>,
    random_values: Vec<u32>,
    /// Of the messages that it sends over links that are not cut, if some may be lost or duplicated.
    fates: Vec<MessageFate>,
}

/// A scheduler decision for one place and one instant, with its outcomes.
#[derive(Clone, Copy)]
struct LocalOption {
    /// The first of the remaining contents of its in-links in `rest`.
    rest: u32,
    /// The range of its outcomes, one for each combination of random choices.
    outcomes: (u32, u32),
    optional: bool,
    fault: Option<Breakdown>,
    /// The price of its faults; of several outcomes the dearest.
    price: Interned,
}

/// An outcome of random choices.
#[derive(Clone, Copy)]
struct LocalOutcome {
    local: Interned,
    /// The range of its messages in `sends`: links and batches.
    sends: (u32, u32),
    reports: Interned,
    probability: ChoiceProbability,
    sent: Passes,
    /// By how much the processor's phase grows.
    advance: u32,
    /// Its user leaves the critical region.
    releases: bool,
    /// The processor wakes up.
    wakes: bool,
    /// Its pause ends.
    resumes: bool,
    /// The price of its faults.
    price: Interned,
}

/// The timed transition system of a protocol in a scenario.
///
/// A state vector has an entry for each processor, then one for each direction of each link, then one for the monitor,
/// and, where faults are possible, one for the faults left.
pub(crate) struct TimedSystem {
    program: Box<dyn Program>,
    links: LinkTable,
    timing: TimingModel,
    n: usize,
    delay: (u64, u64),
    fault_budget: Option<FaultBudget>,
    neighbours: NeighbourPairs,
    /// By place: its initial processor.
    newborn: Vec<Interned>,
    /// One bit for each pair of neighbours whose link is cut in the instant that is explored.
    cut: u32,
    /// Arrivals are [deferred].
    deferred: Option<Arc<DeferredLimits>>,
    /// Messages are [read early](early).
    early: Option<EarlyReading>,
    /// [Silent messages](deferred) are read as late as possible.
    postpones: bool,
    /// Whether the [order of sending](send_order) matters, if another one is possible.
    send_order: Option<SendOrder>,
    /// It is examined even if it is known that it does.
    reexamines: bool,
    /// The initiators are fixed, and must wake up, but not at the first instant.
    wakes_are_required: bool,
    locals: Interner<TimedLocalState>,
    in_flight: InFlight,
    statuses: Vec<Option<MonitorStatus>>,
    /// Each with its position in the instant.
    reports: Interner<Vec<(u32, Observation)>>,
    options: Vec<LocalOption>,
    outcomes: Vec<LocalOutcome>,
    rest: Vec<Interned>,
    sends: Vec<(u32, Interned)>,
    /// By local state and the contents of its in-links: the range of its options.
    known: Map<Vec<Interned>, (u32, u32)>,
    report_sets: ReportSets,
    product: OptionProduct,
    initial_states: Vec<Vec<Interned>>,
    /// The initial states without [open clocks](open_clocks), if there are some.
    closed_initial_states: Option<Vec<Vec<Interned>>>,
    /// If it is recorded: by transition and place, the option and the outcome.
    record: Option<Vec<Vec<(u32, u32)>>>,
    /// The network is complete.
    is_complete: bool,
    stages: StageCache,
    reductions: Reductions,
    /// Processors that do not tell their ports apart any more have them renamed.
    renames: bool,
    /// The numbering of ports of the run that is reconstructed, if several are explored.
    numbering: Option<FullNumbering>,
}

/// The interners that all workers share.
struct Interners {
    locals: Interner<TimedLocalState>,
    in_flight: InFlight,
    reports: Interner<Vec<(u32, Observation)>>,
}

impl Interners {
    fn new(in_flight: InFlight) -> Self {
        let (mut locals, mut reports) = (Interner::new(), Interner::new());
        assert_eq!((locals.intern(TimedLocalState::crashed()), reports.intern(Vec::new())), (CRASHED, NO_REPORTS));
        Self { locals, in_flight, reports }
    }
}

impl TimedSystem {
    /// The transition system of a protocol in a scenario.
    pub(crate) fn new(
        initial: InitialState,
        scenario: &Scenario,
        wakers: &Wakers,
        reductions: Reductions,
    ) -> Result<Self, BadSetting> {
        refuse(scenario)?;
        let InitialState { program, links, processors, monitor, is_ring, together } = initial;
        let timing = &scenario.timing;
        let delay = match timing.delays {
            Delays::Min => (timing.d.min, timing.d.min),
            Delays::Max => (timing.d.max, timing.d.max),
            _ => (timing.d.min, timing.d.max),
        };
        // The order of a tick matters only if something can be done at it.
        let ticks_matter = program.has_timers() || scenario.workload.is_some() || timing.reading != Reading::Immediate;
        let ties = if ticks_matter { scenario.ties } else { Ties::Ruled };
        let model = TimingModel {
            reading: timing.reading,
            stages: InstantStage::pass(timing.reading, ties),
            in_order: scenario.links == Links::Fifo,
            has_users: program.accepts(UserRequest::Acquire),
            releases: program.accepts(UserRequest::Release),
            together: *wakers == Wakers::Together || scenario.workload.is_some() || together,
            eager: reductions.contains(Reduction::EagerTicks) && timing.reading == Reading::PerStep,
            may_pause: false,
        };
        let interners = Interners::new(InFlight::new(model.in_order, delay));
        let mut system = Self::with(program, links, model, delay, interners, Vec::new(), scenario.n);
        system.fault_budget = FaultBudget::new(scenario.faults.at_most, system.neighbours.pairs.len())?;
        system.newborn.clone_from(&processors);
        system.wakes_are_required = matches!(wakers, Wakers::These(_));
        system.is_complete = !is_ring;
        system.reductions = reductions;
        system.renames = reductions.contains(Reduction::PortRenaming) && !system.program.tells_ports_apart();
        system.initial_states = system.all_initial_states(scenario, wakers, (&processors, monitor), false);
        let observed_late = delay.0 == 0 && timing.reading == Reading::Immediate && timing.r.max > 1;
        if reductions.contains(Reduction::OpenClocks) && observed_late {
            let open = system.all_initial_states(scenario, wakers, (&processors, monitor), true);
            system.closed_initial_states = Some(core::mem::replace(&mut system.initial_states, open));
        }
        // The order of messages that are read together is that of their ports, which must be known.
        let one_numbering = scenario.ports != Ports::All;
        let unobserved =
            timing.reading == Reading::PerStep && model.together && delay.0 > 0 && scenario.again.is_empty();
        // A tick that reads everything may come at any later time, where processors may pause.
        let AtMost { restarts, cuts, pauses, .. } = scenario.faults.at_most;
        let steady = (restarts, cuts, pauses) == (0, 0, 0);
        let deferred = reductions.contains(Reduction::DeferredArrivals) && unobserved && one_numbering && steady;
        system.deferred = deferred.then(Arc::default);
        let any_order = !model.in_order && scenario.ties == Ties::Either;
        system.send_order = any_order.then(SendOrder::default);
        system.early = system.may_read_early().then(|| EarlyReading::new(&*system.program));
        system.postpones = system.postpones_silent();
        Ok(system)
    }

    /// One that has computed nothing yet.
    fn with(
        program: Box<dyn Program>,
        links: LinkTable,
        model: TimingModel,
        delay: (u64, u64),
        Interners { locals, in_flight, reports }: Interners,
        initial_states: Vec<Vec<Interned>>,
        n: usize,
    ) -> Self {
        Self {
            program,
            neighbours: NeighbourPairs::new(&links),
            newborn: Vec::new(),
            cut: 0,
            links,
            timing: model,
            n,
            delay,
            fault_budget: None,
            deferred: None,
            early: None,
            postpones: false,
            send_order: None,
            reexamines: false,
            wakes_are_required: false,
            locals,
            in_flight,
            statuses: Vec::new(),
            reports,
            options: Vec::new(),
            outcomes: Vec::new(),
            rest: Vec::new(),
            sends: Vec::new(),
            known: Map::default(),
            report_sets: ReportSets::new(),
            product: OptionProduct::default(),
            initial_states,
            closed_initial_states: None,
            record: None,
            is_complete: false,
            stages: StageCache::new(),
            reductions: Reductions::NONE,
            renames: false,
            numbering: None,
        }
    }

    /// One initial state for every combination of tick lengths. `open`: with [open clocks](open_clocks) where nobody
    /// observes them.
    fn all_initial_states(
        &mut self,
        scenario: &Scenario,
        wakers: &Wakers,
        (processors, monitor): (&[Interned], Interned),
        open: bool,
    ) -> Vec<Vec<Interned>> {
        let numbering = match scenario.ports {
            Ports::All => PartialNumbering::all(self.links.ports),
            _ => PartialNumbering::default(),
        };
        let mut initial_states = vec![Vec::new()];
        for (place, &processor) in (0..).zip(processors) {
            let mut user = UserState::new(scenario, place);
            user.again *= u32::from(self.program.accepts(UserRequest::Again));
            let mut numbers = Vec::new();
            let mut lengths = tick_lengths(scenario, place);
            let is_open = open && user.entries == 0;
            let clock = if is_open { ClockState::Open(None) } else { ClockState::Stopped };
            if is_open {
                lengths = vec![(lengths[0].0, lengths[lengths.len() - 1].1)];
            }
            for tick_length in lengths {
                let local = TimedLocalState {
                    processor,
                    asleep: wakers.contains(place) || self.timing.together,
                    tick_length,
                    clock,
                    timers: Vec::new(),
                    unread: Vec::new(),
                    reading_for: 0,
                    user,
                    numbering: numbering.clone(),
                };
                numbers.push(self.locals.intern(local));
            }
            let longer = |state: &Vec<Interned>| {
                numbers.iter().map(|&number| [&state[..], &[number]].concat()).collect::<Vec<_>>()
            };
            initial_states = initial_states.iter().flat_map(longer).collect();
        }
        for state in &mut initial_states {
            state.resize(self.monitor_index(), EMPTY);
            state.push(monitor);
            state.extend(self.fault_budget.as_ref().map(FaultBudget::full));
        }
        initial_states
    }
}

impl TimedSystem {
    /// Records the obligations that a transition discharges at a place: by place, that its user leaves the critical
    /// region; then by place, that it wakes up, if it must.
    fn discharge(&self, place: usize, releases: bool, wakes: bool, successors: &mut Successors) {
        if releases {
            successors.discharge(place as u32);
        }
        if wakes && self.wakes_are_required {
            successors.discharge((self.n + place) as u32);
        }
    }
}

impl ProtocolSystem for TimedSystem {
    fn program(&self) -> &dyn Program {
        &*self.program
    }

    fn program_mut(&mut self) -> &mut dyn Program {
        &mut *self.program
    }

    fn links(&self) -> &LinkTable {
        &self.links
    }

    fn statuses(&mut self) -> &mut Vec<Option<MonitorStatus>> {
        &mut self.statuses
    }

    fn system_caveat(&self) -> &'static str {
        match &self.send_order {
            Some(send_order) if send_order.matters() => SendOrder::CAVEAT,
            _ => self.program.caveat(),
        }
    }
}

impl TransitionSystem for TimedSystem {
    fn fork(&self) -> Box<dyn TransitionSystem> {
        let interners =
            Interners { locals: self.locals.clone(), in_flight: self.in_flight.clone(), reports: self.reports.clone() };
        let (program, links, initial_states) = (self.program.fork(), self.links.clone(), self.initial_states.clone());
        let fork = Self::with(program, links, self.timing, self.delay, interners, initial_states, self.n);
        Box::new(Self {
            fault_budget: self.fault_budget,
            newborn: self.newborn.clone(),
            deferred: self.deferred.clone(),
            early: self.early.as_ref().map(EarlyReading::fork),
            postpones: self.postpones,
            send_order: self.send_order.clone(),
            reexamines: self.reexamines,
            wakes_are_required: self.wakes_are_required,
            is_complete: self.is_complete,
            renames: self.renames,
            closed_initial_states: self.closed_initial_states.clone(),
            ..fork
        })
    }

    fn initial_states(&self) -> Vec<Vec<Interned>> {
        self.initial_states.clone()
    }

    fn successors(&mut self, state: &[Interned], fingerprint: u64, successors: &mut Successors) {
        successors.clear();
        if self.delay.0 == 0 {
            if !self.round_successors(state, fingerprint, successors) {
                self.zero_delay_successors(state, fingerprint, successors);
            }
            return;
        }
        self.product_successors(state, fingerprint, successors);
        // A search that will be repeated need not go on.
        successors.truncated |= self.early.as_ref().is_some_and(EarlyReading::is_exceeded);
    }

    /// Bounds of delays and ticks enforce all else: obligations are only that users leave the critical region and that
    /// fixed initiators wake up.
    fn pending(&mut self, state: &[Interned], pending: &mut Vec<u32>) {
        pending.clear();
        let inside = |&place: &usize| self.locals.get(state[place]).user.region == UserRegion::Critical;
        pending.extend((0..self.n).filter(inside).map(|place| place as u32));
        if self.wakes_are_required {
            let asleep = |&place: &usize| self.locals.get(state[place]).asleep;
            pending.extend((0..self.n).filter(asleep).map(|place| (self.n + place) as u32));
        }
        if self.fault_budget.is_some() {
            let late = |&place: &usize| self.locals.get(state[place]).clock == ClockState::Late;
            pending.extend((0..self.n).filter(late).map(|place| (2 * self.n + place) as u32));
        }
    }

    /// A run is complete if no processor does anything but tick, and no user will ask for anything.
    fn features(&mut self, state: &[Interned], _: bool) -> StateFeatures {
        let mut features = StateFeatures { monitor: state[self.monitor_index()], ..StateFeatures::default() };
        let mut asks = false;
        for (place, &number) in state[..self.n].iter().enumerate() {
            let local = self.locals.get(number);
            if local.is_down() {
                continue;
            }
            features.phase = features.phase.max(self.program.phase(local.processor));
            features.depth = features.depth.max(self.program.depth(local.processor).unwrap_or(0));
            asks |= [UserRequest::Acquire, UserRequest::Again].iter().any(|&request| local.user.may(request));
            let bit = |set: bool| u64::from(set) << (place % 64);
            features.trying |= bit(local.user.region == UserRegion::Waiting);
            features.inside |= bit(local.user.region == UserRegion::Critical);
            features.requests |= bit(local.user.entries % 2 == 1);
        }
        let waiting = self.monitor_status(state).waiting;
        features.complete = !asks && !waiting && self.may_end(state, &Successors::default());
        features
    }

    fn phase_growth(&mut self, state: &[Interned], growth: &mut Vec<PhaseGrowth>) {
        let begun = self.phases().is_some_and(|highest| highest.begun_remembered);
        let mut advances = Vec::new();
        self.advances(state, &mut advances);
        for PhaseAdvance { transition, place, by } in advances {
            let local = self.locals.get(state[place as usize]);
            let first = by == 1 && self.program.phase(local.processor) == 0 && (local.asleep || begun);
            growth.push(PhaseGrowth { transition, first });
        }
    }

    fn timed_costs(&self) -> TimedCosts {
        let TimingModel { together, has_users, .. } = self.timing;
        TimedCosts { elapsed: together && !has_users, response: has_users }
    }

    fn disable_unfair(&mut self, livelock: bool) -> bool {
        let exceeded = self.deferred.as_ref().is_some_and(|limits| limits.are_exceeded(livelock));
        if exceeded {
            self.deferred = None;
        }
        let early = self.early.take_if(|early| livelock || exceeded || early.is_exceeded());
        let open = self.closed_initial_states.take_if(|_| livelock);
        let disable = exceeded || early.is_some() || livelock && self.postpones || open.is_some();
        if let Some(closed) = open {
            self.initial_states = closed;
        }
        if disable {
            self.postpones = !livelock && self.postpones_silent();
            self.known = Map::default();
        }
        disable
    }

    /// No message is in flight or unread, no timer runs, no user is in the critical region and no processor must wake
    /// up: only clocks go on.
    fn is_quiescent(&mut self, state: &[Interned], _: &Successors) -> bool {
        let required = self.wakes_are_required;
        let mut ends = |&local: &Interned| {
            let local = self.locals.get(local);
            local.is_idle() && !(required && local.asleep)
        };
        state[..self.n].iter().all(&mut ends) && state[self.n..self.monitor_index()].iter().all(|&link| link == EMPTY)
    }

    fn disable_renaming(&mut self) -> bool {
        self.stages = StageCache::new();
        core::mem::take(&mut self.renames)
    }

    fn bytes(&self) -> usize {
        let lists = size_of_val(&*self.options)
            + size_of_val(&*self.outcomes)
            + size_of_val(&*self.rest)
            + size_of_val(&*self.sends)
            + size_of_val(&*self.statuses)
            + self.report_sets.bytes()
            + self.stages.bytes()
            + self.early.as_ref().map_or(0, EarlyReading::bytes);
        let keys = self.known.len() * (KEY + size_of::<Interned>() * (self.n + 2));
        self.program.bytes() + self.locals.bytes() + self.reports.bytes() + self.in_flight.bytes() + lists + keys
    }

    fn reexamine(&mut self, always: bool) {
        self.reexamines = always;
    }

    fn value_tables(&self) -> Vec<&dyn ValueTable> {
        let mut tables = self.program.value_tables();
        tables.extend([&self.locals as &dyn ValueTable, &self.reports]);
        tables.extend(self.in_flight.values());
        tables
    }
}

impl ProbabilisticSystem for TimedSystem {
    fn is_timed(&self) -> bool {
        true
    }

    fn may_end(&mut self, state: &[Interned], successors: &Successors) -> bool {
        self.is_quiescent(state, successors)
    }

    fn advances(&mut self, state: &[Interned], advances: &mut Vec<PhaseAdvance>) {
        advances.clear();
        if self.delay.0 == 0 {
            if !self.round_advances(state, advances) {
                self.zero_delay_advances(state, advances);
            }
            return;
        }
        self.record = Some(Vec::new());
        self.successors(state, 0, &mut Successors::default());
        for (transition, chosen) in self.record.take().expect("recording was enabled").into_iter().enumerate() {
            for (place, (option, outcome)) in chosen.into_iter().enumerate() {
                let first = self.options[option as usize].outcomes.0;
                let by = self.outcomes[(first + outcome) as usize].advance;
                if by > 0 {
                    advances.push(PhaseAdvance { transition, place: place as Place, by });
                }
            }
        }
    }
}
