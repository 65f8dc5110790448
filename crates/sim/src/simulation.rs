//! A simulation: its set-up, its steps and its result.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::iter::from_fn;
use core::mem;

use ringleader_model::{
    BadSetting, Cut, Effects, Event, Faults, Inspect, InstantStage, Kind, LemmaMonitor, Meter, Monitor, Network, Part,
    Pause, Place, Problem, Processor, Protocol, Restart, Scenario, Ties, Time, Violation, Wakes,
};

use crate::choice_source::{BadChoice, Choices};
use crate::clock::{Resolved, TickGrid};
use crate::effects::TentativeEffects;
use crate::engine_state::{Alarm, Arrival, EngineState, History, TimerOf, TimerOrCall, TimerOrCallOf};
use crate::fast_path::{ArrivalSorter, ReceiverConflicts};
use crate::faults::may_restart;
use crate::fields::FieldValue;
use crate::input_queue::InputQueues;
use crate::instant::StageList;
use crate::instrumentation::{Full, Instrumentation};
use crate::moves::Moves;
use crate::place_states::PlaceStates;
use crate::run::{Run, StopReason, Summary, TERMINATION};
use crate::step::{Effect, Record, Step};
use crate::timers::Expiry;
use crate::untimed::UntimedState;

/// A run of one protocol in one scenario.
///
/// A clone is a fork: both go on from the same state, with the same random streams.
///
/// ```
/// use ringleader_model::{BadSetting, Protocol, Scenario};
/// use ringleader_sim::{Choices, Run, Simulation, Summary};
///
/// fn simulate<P: Protocol>(protocol: P, scenario: &Scenario) -> Result<Summary, BadSetting> {
///     let mut run = Simulation::<P>::new(protocol, scenario, Choices::Drawn)?;
///     while !run.advance(1 << 16) {}
///     Ok(run.summary())
/// }
/// ```
#[derive(Clone)]
pub struct Simulation<P: Protocol, D: Instrumentation = Full> {
    pub(crate) protocol: P,
    pub(crate) states: PlaceStates<P::Processor, D::FastPath>,
    pub(crate) engine: EngineState<P, D>,
    /// By place, the initial states; empty if nobody ever restarts.
    pub(crate) newborn: Vec<P::Processor>,
    /// Faults, wakes and requests that the scenario fixes, the latest first.
    pub(crate) agenda: Vec<AgendaEntry>,
    /// All processors wake at 0 and have not done so yet: not listed in the agenda, which could be very long.
    pub(crate) all_wake: bool,
    /// The protocol's horizon, after which the run stops.
    pub(crate) horizon: Option<Time>,
    /// The caller's limit, after which the run stops.
    pub(crate) limit: Time,
    /// The protocol's deadline, until the monitor has been told.
    pub(crate) deadline: Option<Time>,
    /// The number of processors that have been woken at 0, if all wake then.
    pub(crate) woken: usize,
    /// The number of passes done at the present instant, if it is not over.
    pub(crate) pass: Option<u32>,
    /// The stages of an instant.
    pub(crate) stages: &'static [InstantStage],
    /// The number of stages of the present pass that are over.
    pub(crate) stage: usize,
    /// The number of items of stages taken so far.
    pub(crate) items: u64,
    /// The work after which the present slice ends.
    pub(crate) slice_end: u64,
    /// The number of slices executed.
    pub(crate) position: u64,
    /// The arrivals of the present pass, in order.
    pub(crate) batch: StageList<Arrival<P, D>>,
    pub(crate) due: StageList<Alarm<TimerOrCallOf<P>>>,
    pub(crate) due_timers: Vec<TimerOrCallOf<P>>,
    pub(crate) zero: StageList<(Place, TimerOrCallOf<P>)>,
    effects: Vec<Effect<P::Processor>>,
    coins: Vec<(u32, u32)>,
    pub(crate) sorter: ArrivalSorter,
    pub(crate) conflicts: ReceiverConflicts<P, D>,
    /// Whether a message may come before or after its receiver's tick at the same instant.
    pub(crate) open_ties: bool,
    /// The messages that come after the ticks of this instant.
    pub(crate) late: StageList<Arrival<P, D>>,
    /// Whether links are FIFO.
    pub(crate) fifo: bool,
    pub(crate) untimed: Option<UntimedState<P, D>>,
    /// The number of steps logged and taken.
    logged: u64,
    /// The protocol's own invariants that were violated.
    pub(crate) broken: Vec<Violation>,
    /// The moves made, if it is driven by moves.
    pub(crate) moves: Moves,
}

/// No event is later: beyond this, sums of times could overflow.
pub(crate) const END_OF_TIME: Time = 1 << 63;

/// Few steps are more work than this.
const STEP_WORK: u64 = 8;
/// Facts are kept, and lemmas judged, in runs of at most this number of processors.
pub(crate) const MOST_WITH_HISTORIES: usize = 4096;
/// An invariant is judged on this number of states in about the time of one step.
const INVARIANT_STATES: usize = 16;

/// An event that the scenario fixes.
#[derive(Clone, Hash)]
pub(crate) struct AgendaEntry {
    pub(crate) time: Time,
    pub(crate) place: Place,
    pub(crate) planned: Planned,
}

impl AgendaEntry {
    /// The order in which events are executed.
    pub(crate) fn order(&self) -> (Time, Planned, Place) {
        (self.time, self.planned, self.place)
    }
}

/// In the order of execution at one instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Planned {
    Crash,
    /// The cut between it and another place ends.
    Heal(Place),
    Cut(Place),
    Restart,
    /// For this length of time.
    Pause(u64),
    /// A pause is over.
    Resume,
    Wake,
    /// The problem's [request](Problem::AGAIN) for another result.
    Again,
}

impl<P: Protocol, D: Instrumentation> Simulation<P, D> {
    /// A run of a protocol in a scenario, before its first step.
    pub fn new(protocol: P, scenario: &Scenario, choices: Choices) -> Result<Self, BadSetting> {
        Self::prepare(protocol, scenario, Resolved::new(scenario), choices)
    }

    /// The same, with clocks that are already resolved.
    pub fn prepare(protocol: P, scenario: &Scenario, resolved: Resolved, choices: Choices) -> Result<Self, BadSetting> {
        scenario.check(&protocol.profile().assumptions)?;
        assert!(D::FULL || choices == Choices::Drawn, "only a full run can follow recorded choices");
        assert!(D::FULL || scenario.interventions.is_empty(), "only the messages of a full run have numbers");
        let timed = !scenario.untimed;
        let instance = resolved.instance(scenario);
        let horizon = protocol.horizon(&instance).filter(|_| timed);
        let within = scenario.timing.exceeded().is_none_or(|exceeded| exceeded.until.is_some());
        let deadline = protocol.deadline(&instance).filter(|_| timed && within);
        let mut engine = EngineState::<P, D>::new(scenario, &protocol, resolved, choices);
        let portless = engine.single_pass && engine.reliable && timed && scenario.ties != Ties::Either;
        assert!(D::FULL || !P::Network::PORT_BLIND || portless, "links matter: only a full run knows them");
        engine.monitor.promise(protocol.promises(scenario), scenario);
        if D::FULL && scenario.n <= MOST_WITH_HISTORIES {
            engine.lemmas = LemmaMonitor::new(protocol.lemmas(scenario), scenario);
        }
        let seats = protocol.seats(scenario, &engine.network, 0..scenario.n as Place);
        let states: Vec<_> = seats.map(|seat| protocol.processor(seat)).collect();
        let mut simulation = Self {
            protocol,
            newborn: if may_restart(&scenario.faults) { states.clone() } else { Vec::new() },
            states: PlaceStates::new(states),
            agenda: if timed { agenda(scenario) } else { Vec::new() },
            all_wake: timed && scenario.wakes == Wakes::All,
            horizon,
            limit: END_OF_TIME,
            deadline,
            woken: 0,
            pass: None,
            stages: InstantStage::order(engine.reading, scenario.ties),
            stage: 0,
            items: 0,
            slice_end: 0,
            position: 0,
            engine,
            batch: StageList::new(),
            due: StageList::new(),
            due_timers: Vec::new(),
            zero: StageList::new(),
            effects: Vec::new(),
            coins: Vec::new(),
            sorter: ArrivalSorter::new(),
            conflicts: ReceiverConflicts::new(),
            open_ties: scenario.ties == Ties::Either,
            late: StageList::new(),
            fifo: scenario.links.is_fifo(),
            untimed: None,
            logged: 0,
            broken: Vec::new(),
            moves: Moves::default(),
        };
        if !timed {
            simulation.begin_untimed(scenario);
        }
        simulation.judge_invariants();
        Ok(simulation)
    }

    /// The state of the processor at a place.
    pub fn processor(&self, place: Place) -> &P::Processor {
        &self.states[place as usize]
    }

    /// The protocol.
    pub fn protocol(&self) -> &P {
        &self.protocol
    }

    /// The steps logged so far.
    pub fn records(&self) -> &[Record<P::Processor>] {
        self.engine.log.as_deref().unwrap_or(&[])
    }

    /// Whether no planned event is left.
    fn nothing_planned(&self) -> bool {
        self.agenda.is_empty() && !self.all_wake
    }

    /// Whether all requests are served, of a protocol that goes on forever although its problem demands quiescence.
    #[inline]
    fn is_served(&self) -> bool {
        let goes_on = !P::QUIESCENT && <P::Processor as Processor>::Problem::QUIESCENT;
        goes_on && self.nothing_planned() && self.engine.monitor.finished()
    }

    /// Whether it stops since all requests are served; with a limit of the caller's it runs up to that.
    #[inline]
    pub(crate) fn stops_served(&self) -> bool {
        self.is_served() && self.limit == END_OF_TIME
    }

    /// Whether no planned event is left but the waking of all processors.
    pub(crate) fn agenda_is_empty(&self) -> bool {
        self.agenda.is_empty()
    }

    /// Takes the step of an expired timer, or of a request. False if the step was blocked, and the timer is still
    /// pending.
    pub(crate) fn timeout(&mut self, place: Place, due: TimerOrCallOf<P>) -> bool {
        if self.resends_in_vain(place, &due) {
            return true;
        }
        if let Some(ticks) = self.engine.deferred(place, &due) {
            self.engine.set_timer(place, due, ticks);
            return true;
        }
        let event = match (due, &self.engine.half_duplex) {
            (TimerOrCall::Timer(timer), Some(_)) => return self.timeout_if_free(place, timer),
            (TimerOrCall::Timer(timer), None) => Event::Timeout(timer),
            (TimerOrCall::Queue(user), _) => {
                self.engine.queue_user(place, user);
                return true;
            }
            (TimerOrCall::Call(request), _) => Event::Call(request),
        };
        self.step(place, event, D::Tag::default());
        true
    }

    /// Tries a timeout on a clone of the processor: the step is blocked if it sends on a busy half-duplex link. True if
    /// the step was taken.
    fn timeout_if_free(&mut self, place: Place, timer: TimerOf<P>) -> bool {
        let mut trial = self.states[place as usize].clone();
        let (mut before, effects) = (mem::take(&mut self.coins), mem::take(&mut self.effects));
        if let Some(links) = &mut self.engine.half_duplex {
            links.take_coins(place, &mut before);
        }
        let (comparisons, rules, facts) = (Vec::new(), Vec::new(), Vec::new());
        let mut tentative =
            TentativeEffects { engine: &mut self.engine, place, effects, comparisons, rules, facts, before };
        trial.step(&self.protocol, Event::Timeout(timer.clone()), &mut tentative);
        let TentativeEffects { mut effects, comparisons, rules, facts, before, .. } = tentative;
        self.coins = before;
        let blocked = |effect: &Effect<_>| match effect {
            Effect::Send(port, message) => !self.engine.is_free(place, *port, message),
            _ => false,
        };
        let free = !effects.iter().any(blocked);
        let links = self.engine.half_duplex.as_mut().expect("links are half-duplex");
        if !free {
            let coins = effects.iter().filter_map(|effect| match effect {
                Effect::Choose(bound, chosen) => Some((*bound, *chosen)),
                _ => None,
            });
            links.block(place, TimerOrCall::Timer(timer.clone()), coins);
            self.engine.timers.set(place, TimerOrCall::Timer(timer), Expiry::EndOfPass);
            effects.clear();
        } else {
            self.engine.begin_step(place, &Event::Timeout(timer), D::Tag::default());
            let before = self.logged_fields(place);
            self.states[place as usize] = trial;
            let mut fx = self.engine.effects(place);
            comparisons.into_iter().for_each(|comparison| fx.compare(comparison.left, comparison.right));
            rules.into_iter().for_each(|rule| fx.rule(rule));
            facts.into_iter().for_each(|fact| fx.note(fact));
            for effect in effects.drain(..) {
                match effect {
                    Effect::Send(port, message) => fx.send(port, message),
                    Effect::SetTimer(timer, after) => fx.set_timer(timer, after),
                    Effect::CancelTimer(timer) => fx.cancel_timer(timer),
                    Effect::Report(report) => fx.report(report),
                    Effect::Choose(bound, chosen) => fx.engine.log_effect(|| Effect::Choose(bound, chosen)),
                }
            }
            self.end_step(place, before);
        }
        self.effects = effects;
        free
    }

    /// Starts a processor's clock at its first event, if there are clocks.
    #[inline]
    pub(crate) fn start_clock(&mut self, place: Place) {
        if let Some(grid) = &mut self.engine.grid
            && grid.start(place, self.engine.now)
            && self.engine.workload.is_some()
        {
            self.engine.schedule_first_request(place);
        }
    }

    /// Takes a step. `tag`: of the message that it receives.
    pub(crate) fn step(&mut self, place: Place, event: Event<P::Processor>, tag: D::Tag) {
        self.engine.begin_step(place, &event, tag);
        let before = self.logged_fields(place);
        let mut fx = self.engine.effects(place);
        self.states[place as usize].step(&self.protocol, event, &mut fx);
        self.end_step(place, before);
    }

    /// A pass of the present instant is over, which may be the last one.
    #[inline]
    pub(crate) fn end_pass(&mut self, pass: u32) {
        let engine = &mut self.engine;
        let more = engine.arrivals.is_due() || engine.alarms.is_due() || !engine.zero.is_empty();
        self.pass = more.then_some(pass + 1);
        if !more {
            engine.monitor.settle();
        }
    }

    /// Judges the protocol's own invariants, in a full run; most protocols have none, and it costs nothing.
    #[inline]
    fn judge_invariants(&mut self) {
        if !D::FULL || P::INVARIANTS.is_empty() {
            return;
        }
        self.items += (P::INVARIANTS.len() * self.states.len() / INVARIANT_STATES) as u64;
        for violation in P::INVARIANTS.iter().filter_map(|invariant| invariant.violation(self.states.as_slice())) {
            violation.note(&mut self.broken);
        }
    }

    /// The bookkeeping after a step. `before`: the fields of the processor's state, if steps are logged.
    #[inline]
    fn end_step(&mut self, place: Place, before: Option<FieldValue>) {
        let state = &self.states[place as usize];
        if P::Processor::PHASED && self.engine.phased {
            self.engine.cost.phases = self.engine.cost.phases.max(Some(state.phase()));
        }
        if P::Processor::TIMES_PHASES && self.engine.phase_begins.are_asked_for() {
            self.engine.phase_begins.note(place, state, self.engine.now);
        }
        let phased = P::Processor::PHASED && self.engine.phased;
        if let Some(before) = before
            && let Some(record) = self.engine.present_record()
        {
            record.phase = phased.then(|| state.phase());
            record.changed = before.changes(&FieldValue::of(state));
        }
        self.judge_invariants();
    }

    /// The fields of a processor's state, if steps are logged.
    #[inline]
    pub(crate) fn logged_fields(&self, place: Place) -> Option<FieldValue> {
        (D::FULL && self.engine.log.is_some()).then(|| FieldValue::of(&self.states[place as usize]))
    }
}

impl<P: Protocol, D: Instrumentation> Run for Simulation<P, D> {
    fn advance(&mut self, budget: u64) -> bool {
        if self.untimed.is_some() {
            return self.advance_untimed(budget);
        }
        let enough = self.engine.cost.deliveries.saturating_add(budget);
        let enough_settled = self.deliveries().saturating_add(budget);
        let enough_work = self.work().saturating_add(budget.saturating_mul(STEP_WORK));
        // Slices count too: a clock that only ticks must not keep the caller waiting.
        for _ in 0..budget.max(1) {
            if !D::FULL && self.pass.is_none() {
                D::run_fast_path(self, enough);
                if self.engine.cost.deliveries >= enough {
                    return false;
                }
                self.states.plain(&mut self.engine.choices);
            }
            let pass = if let Some(pass) = self.pass {
                pass
            } else if self.stops_served() {
                return true;
            } else if self.next_instant() {
                0
            } else {
                return true;
            };
            self.pass = Some(pass);
            if self.continue_pass(pass) {
                self.end_pass(pass);
            }
            self.position += 1;
            if self.deliveries() >= enough_settled || self.work() >= enough_work {
                return false;
            }
        }
        false
    }

    fn record(&mut self) {
        assert!(D::FULL, "only a full run can be recorded");
        self.engine.choices.record();
    }

    fn log(&mut self) {
        assert!(D::FULL, "only a full run can be logged");
        self.engine.log = Some(Vec::new());
    }

    fn stop_after(&mut self, last: Time) {
        self.limit = last.min(END_OF_TIME);
    }

    fn now(&self) -> Time {
        self.engine.now
    }

    fn steps(&self) -> u64 {
        self.engine.cost.steps
    }

    fn last_place(&self) -> Place {
        self.engine.present
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn advance_to(&mut self, position: u64) -> bool {
        assert!(D::FULL, "only a full run counts its slices");
        while self.position < position {
            // Without deliveries to wait for, this is one slice.
            if self.advance(0) {
                return true;
            }
        }
        false
    }

    fn deliveries(&self) -> u64 {
        self.engine.cost.deliveries + self.engine.cost.lost
    }

    fn choices(&self) -> Option<&[u64]> {
        self.engine.choices.recorded()
    }

    fn take_log(&mut self) -> Vec<Step> {
        let records = self.engine.log.as_mut().map(mem::take).unwrap_or_default();
        let mut steps = Vec::with_capacity(records.len());
        for record in records {
            steps.push(Step::erase(record, &self.engine.network));
        }
        let faults = mem::take(&mut self.engine.logged_faults);
        number_steps(steps, faults, &mut self.logged)
    }

    fn summary(&self) -> Summary {
        let engine = &self.engine;
        let monitor = &engine.monitor;
        let finished = monitor.finished();
        let next = [engine.arrivals.next_time(), engine.alarms.next_time()].into_iter().flatten().min();
        let over = self.nothing_planned() && self.pass.is_none() && !self.has_enabled();
        // A wake or a request that never has to come does not keep an unserved request waiting.
        let over = over || self.is_quiescent() && monitor.waiting();
        let reason = match next {
            _ if self.is_served() => None,
            _ if self.has_enabled() && !over => Some(StopReason::Interrupted),
            None if finished => None,
            Some(next) if over && self.horizon.is_some_and(|horizon| next > horizon) => {
                Some(StopReason::Horizon).filter(|_| !finished)
            }
            Some(next) if over && next > END_OF_TIME => Some(StopReason::EndOfTime).filter(|_| !finished),
            None if over && engine.timers.never() > 0 => Some(StopReason::NeverTimer),
            None if over => Some(StopReason::Silent),
            _ => Some(StopReason::Interrupted),
        };
        let mut violations = self.violations_so_far();
        if matches!(reason, Some(StopReason::Silent | StopReason::Horizon)) {
            violations.push(Violation { property: TERMINATION, detail: self.why_unfinished() });
        }
        let mut cost = engine.cost.clone();
        for (&kind, &passes) in engine.kinds.iter().zip(&engine.passes) {
            if self.protocol.sends(kind) {
                cost.kinds.push((kind, passes));
            }
        }
        tasks_last(&mut cost.kinds);
        cost.tally = engine.meter.tally(cost.messages());
        cost.phase_begins.clone_from(&engine.phase_begins.phases);
        cost.time_awake = engine.grid.as_ref().and_then(TickGrid::all_started);
        let trace = History::digest(&engine.histories);
        let interventions = engine.interventions.as_ref().map_or_else(Vec::new, |all| all.applied(engine.messages));
        Summary::new(monitor.outcome(), finished, reason, violations, cost, trace, interventions)
    }

    fn bytes(&self) -> usize {
        let engine = &self.engine;
        self.states.bytes()
            + engine.arrivals.bytes()
            + engine.alarms.bytes()
            + engine.delay_model.bytes()
            + engine.choices.bytes()
            + engine.queues.as_ref().map_or(0, InputQueues::bytes)
            + engine.grid.as_ref().map_or(0, TickGrid::bytes)
            + engine.timers.bytes()
            + engine.histories.capacity() * size_of::<History>()
            + self.batch.items.capacity() * size_of::<Arrival<P, D>>()
    }

    fn unused_choices(&self) -> usize {
        self.engine.choices.unused()
    }

    fn unanswered(&self) -> usize {
        self.engine.choices.unanswered()
    }

    fn bad_choice(&self) -> Option<BadChoice> {
        self.engine.choices.bad()
    }
}

impl<P: Protocol, D: Instrumentation> Simulation<P, D> {
    /// The properties violated so far.
    pub(crate) fn violations_so_far(&self) -> Vec<Violation> {
        let mut violations = self.engine.monitor.violations().to_vec();
        violations.extend_from_slice(&self.broken);
        violations.extend(self.engine.lemmas.iter().flat_map(LemmaMonitor::violations));
        violations
    }

    fn why_unfinished(&self) -> String {
        let stuck =
            (0..).zip(self.states.iter()).find_map(|(place, state)| Some((place, state.stuck(&self.protocol)?)));
        why_unfinished(self.horizon, self.engine.cost.time, &self.engine.monitor.missing(), stuck)
    }
}

/// Why a run that stopped at a time has not finished. `stuck`: a place and why it cannot go on.
pub(crate) fn why_unfinished(horizon: Option<Time>, time: Time, missing: &str, stuck: Option<(u64, &str)>) -> String {
    let since = match horizon {
        Some(horizon) => format!("at its horizon, time {horizon}"),
        None => format!("quiescent since time {time}"),
    };
    match stuck {
        Some((place, why)) => format!("{since}: {missing}; place {place}: {why}"),
        None => format!("{since}: {missing}"),
    }
}

/// Logged steps and the faults between them, numbered on. Each fault comes with the number of steps before it.
fn number_steps(steps: Vec<Step>, faults: Vec<(usize, Step)>, logged: &mut u64) -> Vec<Step> {
    let mut faults = faults.into_iter().peekable();
    let mut numbered = Vec::with_capacity(steps.len() + faults.len());
    for (index, step) in steps.into_iter().enumerate() {
        numbered.extend(from_fn(|| faults.next_if(|(before, _)| *before <= index)).map(|(_, fault)| fault));
        numbered.push(step);
    }
    numbered.extend(faults.map(|(_, fault)| fault));
    for step in &mut numbered {
        *logged += 1;
        step.number = *logged;
    }
    numbered
}

/// Moves the kinds of a leader's task to the end, and those of the layer below behind them.
pub(crate) fn tasks_last(kinds: &mut [(Kind, u64)]) {
    kinds.sort_by_key(|(kind, _)| (kind.part == Part::Link, kind.part == Part::Task));
}

/// The events that the scenario fixes, the latest first.
fn agenda(scenario: &Scenario) -> Vec<AgendaEntry> {
    let Faults { crashes, restarts, pauses, cuts, .. } = &scenario.faults;
    let mut agenda: Vec<_> =
        crashes.iter().map(|&(place, time)| AgendaEntry { time, place, planned: Planned::Crash }).collect();
    agenda.extend(restarts.iter().map(|&Restart { place, time, .. }| AgendaEntry {
        time,
        place,
        planned: Planned::Restart,
    }));
    for &Pause { place, from, length } in pauses {
        agenda.push(AgendaEntry { time: from, place, planned: Planned::Pause(length) });
    }
    for &Cut { ends: (place, other), from, to } in cuts {
        agenda.push(AgendaEntry { time: from, place, planned: Planned::Cut(other) });
        agenda.push(AgendaEntry { time: to, place, planned: Planned::Heal(other) });
    }
    if let Wakes::At(at) = &scenario.wakes {
        let wakes = at.iter().enumerate().filter_map(|(place, time)| Some((place as Place, (*time)?)));
        agenda.extend(wakes.map(|(place, time)| AgendaEntry { time, place, planned: Planned::Wake }));
    }
    let again = scenario.again.iter().map(|&(place, time)| AgendaEntry { time, place, planned: Planned::Again });
    agenda.extend(again);
    agenda.sort_by_key(|entry| Reverse(entry.order()));
    agenda
}
