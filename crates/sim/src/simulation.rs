//! The engine: one instant after another, and inside an instant one pass after another.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::iter::from_fn;
use core::mem;

use ringleader_model::{
    BadSetting, Effects, Event, Inspect, InstantStage, Kind, Links, Meter, Monitor, Network, Part, Place, Problem,
    Processor, Protocol, Reading, Scenario, Ties, Time, Violation, Wakes, run_digest,
};

use crate::choice_source::{BadChoice, Choices};
use crate::clock::{ASLEEP, Resolved, TickGrid};
use crate::compact;
use crate::engine_state::{
    Alarm, AlarmKind, Arrival, EngineState, History, ProblemOf, QueuedMessage, TentativeEffects, TimerOf, TimerOrCall,
    TimerOrCallOf,
};
use crate::fast_path::{AHEAD, ArrivalSorter, ReceiverConflicts, prefetch};
use crate::fields::FieldValue;
use crate::input_queue::InputQueues;
use crate::instrumentation::{Full, Instrumentation};
use crate::random_stream::RandomStream;
use crate::run::{Cost, Run, StopReason, Summary, TERMINATION, Verdict};
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
    pub(crate) states: Vec<P::Processor>,
    pub(crate) engine: EngineState<P, D>,
    /// Crashes, wakes and requests that the scenario fixes, the latest first.
    agenda: Vec<AgendaEntry>,
    /// All processors wake at 0 and have not done so yet: not listed in the agenda, which could be very long.
    pub(crate) all_wake: bool,
    /// The protocol's horizon, after which the run stops.
    horizon: Option<Time>,
    /// The caller's limit, after which the run stops.
    pub(crate) limit: Time,
    /// The protocol's deadline, until the monitor has been told.
    deadline: Option<Time>,
    /// The number of passes done at the present instant, if it is not over.
    pass: Option<u32>,
    /// The stages of a pass.
    stages: &'static [InstantStage],
    /// The number of slices executed.
    pub(crate) position: u64,
    /// The arrivals of the present pass, in order.
    pub(crate) batch: Vec<Arrival<P, D>>,
    due: Vec<Alarm<TimerOrCallOf<P>>>,
    due_timers: Vec<TimerOrCallOf<P>>,
    zero: Vec<(Place, TimerOrCallOf<P>)>,
    effects: Vec<Effect<P::Processor>>,
    coins: Vec<(u32, u32)>,
    sorter: ArrivalSorter,
    pub(crate) conflicts: ReceiverConflicts<P, D>,
    /// Whether a message may come before or after its receiver's tick at the same instant.
    open_ties: bool,
    /// The messages that come after the ticks of this instant.
    late: Vec<Arrival<P, D>>,
    /// Whether links are FIFO.
    fifo: bool,
    pub(crate) untimed: Option<UntimedState<P, D>>,
    /// The number of steps logged and taken.
    logged: u64,
    /// The protocol's own invariants that were violated.
    broken: Vec<Violation>,
}

/// No event is later: beyond this, sums of times could overflow.
pub(crate) const END_OF_TIME: Time = 1 << 63;

/// An event that the scenario fixes.
#[derive(Clone)]
struct AgendaEntry {
    time: Time,
    place: Place,
    planned: Planned,
}

/// In the order of execution at one instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Planned {
    Crash,
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
        let profile = protocol.profile();
        scenario.check(&profile.assumptions)?;
        assert!(D::FULL || choices == Choices::Drawn, "only a full run can follow recorded choices");
        let timed = !scenario.untimed;
        let instance = resolved.instance(scenario);
        let horizon = protocol.horizon(&instance).filter(|_| timed);
        let deadline = protocol.deadline(&instance).filter(|_| timed);
        let engine = EngineState::new(scenario, profile, resolved, choices);
        let seats = (0..scenario.n as Place).map(|place| protocol.seat(scenario, &engine.network, place));
        let states = seats.map(|seat| protocol.processor(seat)).collect();
        let mut simulation = Self {
            protocol,
            states,
            agenda: if timed { agenda(scenario) } else { Vec::new() },
            all_wake: timed && scenario.wakes == Wakes::All,
            horizon,
            limit: END_OF_TIME,
            deadline,
            pass: None,
            stages: InstantStage::pass(engine.reading, scenario.ties),
            position: 0,
            engine,
            batch: Vec::new(),
            due: Vec::new(),
            due_timers: Vec::new(),
            zero: Vec::new(),
            effects: Vec::new(),
            coins: Vec::new(),
            sorter: ArrivalSorter::new(),
            conflicts: ReceiverConflicts::new(),
            open_ties: scenario.ties == Ties::Either,
            late: Vec::new(),
            fifo: scenario.links == Links::Fifo,
            untimed: None,
            logged: 0,
            broken: Vec::new(),
        };
        if !timed {
            simulation.begin_untimed(scenario);
        }
        simulation.judge_invariants();
        Ok(simulation)
    }

    /// Wakes all processors at 0, after the crashes of that instant and before its requests.
    fn wake_all(&mut self) {
        self.all_wake = false;
        while self.agenda.last().is_some_and(|entry| entry.time == 0 && entry.planned == Planned::Crash) {
            self.take_planned();
        }
        for place in 0..self.states.len() as Place {
            if self.engine.is_up(place) {
                self.start_clock(place);
                self.step(place, Event::Wake, D::Tag::default());
            }
        }
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

    /// Advances to the next instant that has events, and executes the planned ones; false if there is none.
    fn next_instant(&mut self) -> bool {
        self.engine.ticks_ahead = true;
        if self.all_wake {
            self.wake_all();
            return true;
        }
        let planned = self.agenda.last().map(|entry| entry.time);
        let next = [planned, self.engine.arrivals.next_time(), self.engine.alarms.next_time()];
        let last = self.horizon.unwrap_or(END_OF_TIME).min(self.limit);
        let next = next.into_iter().flatten().min().filter(|&next| next <= last);
        let Some(next) = next else { return !self.engine.zero.is_empty() };
        // Timers of zero ticks that were set on waking come before any later instant.
        let next = if self.engine.zero.is_empty() { next } else { self.engine.now };
        self.engine.now = next;
        if self.deadline.is_some_and(|deadline| deadline <= next) {
            self.deadline = None;
            self.engine.monitor.deadline();
        }
        self.engine.arrivals.advance(next);
        self.engine.alarms.advance(next);
        while self.agenda.last().is_some_and(|entry| entry.time == next) {
            self.take_planned();
        }
        true
    }

    fn take_planned(&mut self) {
        let AgendaEntry { place, planned, .. } = self.agenda.pop().expect("an event is planned");
        if !self.engine.is_up(place) {
            return;
        }
        let event = match planned {
            Planned::Crash => return self.engine.crash(place),
            Planned::Wake => Event::Wake,
            Planned::Again => match ProblemOf::<P>::AGAIN {
                Some(request) => Event::Call(request),
                None => return,
            },
        };
        self.start_clock(place);
        // A wake or a request without any effect is void: it is no step, and takes no time.
        let before = (self.states[place as usize].clone(), self.engine.checkpoint(place));
        self.step(place, event, D::Tag::default());
        if self.states[place as usize] == before.0 {
            self.engine.undo_if_void(&before.1);
        }
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

    /// One pass of the present instant; messages sent with delay 0 arrive in the next one.
    fn one_pass(&mut self, pass: u32) {
        for stage in self.stages {
            match stage {
                InstantStage::Planned => {}
                InstantStage::Arrivals => self.take_arrivals(pass),
                InstantStage::Ticks => self.take_ticks(),
                InstantStage::LateArrivals => self.take_late(),
                InstantStage::ZeroTimers => self.take_zero_timers(),
            }
        }
    }

    fn take_arrivals(&mut self, pass: u32) {
        if !self.engine.arrivals.is_due() {
            return;
        }
        let mut batch = mem::take(&mut self.batch);
        self.engine.arrivals.take_into(&mut batch);
        self.sorter.sort(&mut batch);
        if self.open_ties {
            self.resolve_ties(&mut batch);
        }
        let mut due = batch.drain(..);
        while let Some(arrival) = due.next() {
            if let Some(ahead) = due.as_slice().get(AHEAD) {
                self.prefetch(ahead.to);
            }
            match self.engine.reading {
                Reading::Immediate => self.receive(arrival),
                Reading::PerTick => self.queue_arrival(arrival, false),
                Reading::PerStep => {
                    let fresh = self.engine.grid.as_ref().is_some_and(|grid| grid.first(arrival.to) == ASLEEP);
                    self.queue_arrival(arrival, pass == 0 || fresh);
                }
            }
        }
        drop(due);
        self.batch = batch;
    }

    /// Prefetches what a step of a place needs.
    #[inline]
    fn prefetch(&self, place: Place) {
        prefetch(self.states.as_ptr().wrapping_add(place as usize));
        if D::FULL {
            prefetch(self.engine.histories.as_ptr().wrapping_add(place as usize));
        }
    }

    /// Where ties are open: delivers the messages that come before the ticks of this instant, and keeps the others.
    #[cold]
    fn resolve_ties(&mut self, batch: &mut Vec<Arrival<P, D>>) {
        self.engine.before_tick = true;
        for arrival in batch.drain(..) {
            let late = self.ticks_now(arrival.to) && self.engine.choose(RandomStream::Tie, arrival.to, 2) == 1;
            let behind = self.fifo && self.late.last().is_some_and(|other| other.rank() == arrival.rank());
            if late || behind {
                self.late.push(arrival);
            } else {
                self.deliver(arrival, true);
            }
        }
        self.engine.before_tick = false;
    }

    /// Delivers the messages that come after the ticks of this instant.
    fn take_late(&mut self) {
        for arrival in mem::take(&mut self.late) {
            self.deliver(arrival, false);
        }
    }

    /// Delivers a message where ties are open.
    fn deliver(&mut self, arrival: Arrival<P, D>, tick_ahead: bool) {
        if self.engine.reading == Reading::Immediate {
            self.receive(arrival);
        } else {
            self.queue_arrival(arrival, tick_ahead);
        }
    }

    /// Whether the receiver of a message has a tick at this instant.
    fn ticks_now(&mut self, place: Place) -> bool {
        if !self.engine.is_up(place) {
            return false;
        }
        self.start_clock(place);
        let now = self.engine.now;
        if self.engine.step_clocks.is_empty() {
            let grid = self.engine.grid.as_ref().filter(|grid| grid.varying().is_none());
            return grid.and_then(|grid| grid.at_or_after(place, now)) == Some(now);
        }
        self.engine.schedule_step(place, true);
        self.engine.step_clocks[place as usize].next == now
    }

    /// Handles a message on arrival.
    #[inline]
    fn receive(&mut self, arrival: Arrival<P, D>) {
        self.engine.cost.deliveries += 1;
        let port = arrival.port();
        if !self.engine.reliable {
            self.engine.delivered(arrival.to, port);
        }
        if self.engine.is_up(arrival.to) {
            self.start_clock(arrival.to);
            self.step(arrival.to, Event::Receive(port, arrival.message), arrival.tag);
        } else {
            self.engine.count_lost(1);
        }
    }

    /// Queues a message on arrival, unless it is urgent and its queue empty. `tick_ahead`: it may be read at a tick of
    /// this instant.
    #[inline(always)]
    fn queue_arrival(&mut self, arrival: Arrival<P, D>, tick_ahead: bool) {
        let place = arrival.to;
        let empty = self.engine.queues.as_ref().is_some_and(|queues| queues.len(place) == 0);
        if !self.engine.is_up(place) || empty && self.states[place as usize].urgent(&self.protocol, &arrival.message) {
            return self.receive(arrival);
        }
        self.start_clock(place);
        self.engine.cost.deliveries += 1;
        let port = arrival.port();
        if !self.engine.reliable {
            self.engine.delivered(place, port);
        }
        self.engine.enqueue(place, QueuedMessage { port, tag: arrival.tag, message: arrival.message }, tick_ahead);
    }

    /// The ticks of this instant: each place reads, then its expired timers fire.
    fn take_ticks(&mut self) {
        self.engine.ticks_ahead = false;
        if !self.engine.alarms.is_due() {
            return;
        }
        let mut due = mem::take(&mut self.due);
        self.engine.alarms.take_into(&mut due);
        compact::sort(&mut due);
        for alarm in due.drain(..) {
            if !self.engine.is_up(alarm.place) {
                continue;
            }
            match alarm.kind {
                AlarmKind::Read => self.read(alarm.place),
                AlarmKind::Step => self.variable_step(alarm.place),
                AlarmKind::Timer(timer) => {
                    if self.engine.timers.take(alarm.place, &timer, |when| when == Expiry::At(self.engine.now)) {
                        self.timeout(alarm.place, timer);
                    }
                }
            }
        }
        self.due = due;
    }

    /// Reads one message, or all of them.
    fn read(&mut self, place: Place) {
        let all = self.engine.reading == Reading::PerStep;
        let waiting = self.engine.queues.as_ref().expect("messages are queued").len(place);
        for _ in 0..if all { waiting } else { waiting.min(1) } {
            let queued = self.engine.queues.as_mut().and_then(|queues| queues.pop(place)).expect("it was counted");
            self.step(place, Event::Receive(queued.port, queued.message), queued.tag);
        }
        if !all && waiting > 1 {
            self.engine.schedule_read(place, false);
        }
    }

    /// A step of variable length: reads all messages, then counts the timers down. A message may reset an expired
    /// timer.
    fn variable_step(&mut self, place: Place) {
        let clock = &mut self.engine.step_clocks[place as usize];
        (clock.last, clock.next) = (self.engine.now, ASLEEP);
        let mut due = mem::take(&mut self.due_timers);
        self.engine.timers.count_down(place, self.engine.now, &mut due);
        self.read(place);
        for timer in due.drain(..) {
            if self.engine.timers.take(place, &timer, |when| matches!(when, Expiry::Steps { left: 0, .. })) {
                self.timeout(place, timer);
            }
        }
        self.due_timers = due;
        if self.engine.timers.counts(place) {
            self.engine.schedule_step(place, false);
        }
    }

    fn take_zero_timers(&mut self) {
        if self.engine.zero.is_empty() {
            return;
        }
        let mut zero = mem::take(&mut self.zero);
        zero.append(&mut self.engine.zero);
        compact::sort(&mut zero);
        zero.dedup();
        for (place, timer) in zero.drain(..) {
            if self.engine.is_up(place) && self.engine.timers.take(place, &timer, |when| when == Expiry::EndOfPass) {
                self.timeout(place, timer);
            }
        }
        self.zero = zero;
    }

    /// Takes the step of an expired timer, or of a request. False if the step was blocked, and the timer is still
    /// pending.
    pub(crate) fn timeout(&mut self, place: Place, due: TimerOrCallOf<P>) -> bool {
        let event = match (due, &self.engine.half_duplex) {
            (TimerOrCall::Timer(timer), Some(_)) => return self.timeout_if_free(place, timer),
            (TimerOrCall::Timer(timer), None) => Event::Timeout(timer),
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
        let (comparisons, rules) = (Vec::new(), Vec::new());
        let mut tentative = TentativeEffects { engine: &mut self.engine, place, effects, comparisons, rules, before };
        trial.step(&self.protocol, Event::Timeout(timer.clone()), &mut tentative);
        let TentativeEffects { mut effects, comparisons, rules, before, .. } = tentative;
        self.coins = before;
        let (links, network) = (self.engine.half_duplex.as_mut().expect("links are half-duplex"), &self.engine.network);
        let blocked =
            |effect: &Effect<_>| matches!(effect, Effect::Send(port, _) if !links.is_free(network.link(place, *port)));
        let free = !effects.iter().any(blocked);
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
    fn start_clock(&mut self, place: Place) {
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

    /// Judges the protocol's own invariants, in a full run; most protocols have none, and it costs nothing.
    #[inline]
    fn judge_invariants(&mut self) {
        if !D::FULL || P::INVARIANTS.is_empty() {
            return;
        }
        for violation in P::INVARIANTS.iter().filter_map(|invariant| invariant.violation(&self.states)) {
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
        if let Some(before) = before
            && let Some(record) = self.engine.present_record()
        {
            record.changed = before.changes(&FieldValue::of(state));
        }
        self.judge_invariants();
    }

    /// The fields of a processor's state, if steps are logged.
    #[inline]
    fn logged_fields(&self, place: Place) -> Option<FieldValue> {
        (D::FULL && self.engine.log.is_some()).then(|| FieldValue::of(&self.states[place as usize]))
    }
}

impl<P: Protocol, D: Instrumentation> Run for Simulation<P, D> {
    fn advance(&mut self, budget: u64) -> bool {
        if self.untimed.is_some() {
            return self.advance_untimed(budget);
        }
        let enough = self.engine.cost.deliveries.saturating_add(budget);
        // Passes count too: a clock that only ticks must not keep the caller waiting.
        for _ in 0..budget.max(1) {
            if !D::FULL && self.pass.is_none() {
                D::run_fast_path(self, enough);
                if self.engine.cost.deliveries >= enough {
                    return false;
                }
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
            self.one_pass(pass);
            self.position += 1;
            let engine = &self.engine;
            let more = engine.arrivals.is_due() || engine.alarms.is_due() || !engine.zero.is_empty();
            self.pass = more.then_some(pass + 1);
            if !more {
                self.engine.monitor.settle();
            }
            let engine = &self.engine;
            if engine.cost.deliveries >= enough {
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
            // Without deliveries to wait for, this is one pass.
            if self.advance(0) {
                return true;
            }
        }
        false
    }

    fn deliveries(&self) -> u64 {
        self.engine.cost.deliveries
    }

    fn choices(&self) -> Option<&[u64]> {
        self.engine.choices.recorded()
    }

    fn take_log(&mut self) -> Vec<Step> {
        let records = self.engine.log.as_mut().map(mem::take).unwrap_or_default();
        let mut faults = mem::take(&mut self.engine.logged_faults).into_iter().peekable();
        let mut steps = Vec::with_capacity(records.len() + faults.len());
        for (index, record) in records.into_iter().enumerate() {
            steps.extend(from_fn(|| faults.next_if(|(before, _)| *before <= index)).map(|(_, fault)| fault));
            steps.push(Step::erase(record, &self.engine.network));
        }
        steps.extend(faults.map(|(_, fault)| fault));
        for step in &mut steps {
            self.logged += 1;
            step.number = self.logged;
        }
        steps
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
        let mut violations = [monitor.violations(), &self.broken].concat();
        if matches!(reason, Some(StopReason::Silent | StopReason::Horizon)) {
            violations.push(Violation { property: TERMINATION, detail: self.why_unfinished() });
        }
        let verdict = match reason {
            _ if !violations.is_empty() => Verdict::Violated,
            None => Verdict::Held,
            _ => Verdict::Unknown,
        };
        let kinds = engine.kinds.iter().copied().zip(engine.passes.iter().copied());
        let mut kinds: Vec<_> = kinds.filter(|&(kind, _)| self.protocol.sends(kind)).collect();
        tasks_last(&mut kinds);
        let mut cost = Cost { kinds, ..engine.cost.clone() };
        cost.tally = engine.meter.tally(cost.messages());
        let trace = run_digest(engine.histories.iter().map(|history| history.chain));
        Summary { outcome: monitor.outcome(), finished, verdict, reason, violations, cost, trace }
    }

    fn bytes(&self) -> usize {
        let engine = &self.engine;
        self.states.capacity() * size_of::<P::Processor>()
            + engine.arrivals.bytes()
            + engine.alarms.bytes()
            + engine.delay_model.bytes()
            + engine.choices.bytes()
            + engine.queues.as_ref().map_or(0, InputQueues::bytes)
            + engine.grid.as_ref().map_or(0, TickGrid::bytes)
            + engine.timers.bytes()
            + engine.histories.capacity() * size_of::<History>()
            + self.batch.capacity() * size_of::<Arrival<P, D>>()
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
    fn why_unfinished(&self) -> String {
        let missing = self.engine.monitor.missing();
        let since = match self.horizon {
            Some(horizon) => format!("at its horizon, time {horizon}"),
            None => format!("quiescent since time {}", self.engine.cost.time),
        };
        let stuck =
            self.states.iter().enumerate().find_map(|(place, state)| Some((place, state.stuck(&self.protocol)?)));
        match stuck {
            Some((place, why)) => format!("{since}: {missing}; place {place}: {why}"),
            None => format!("{since}: {missing}"),
        }
    }
}

/// Moves the kinds of a leader's task to the end.
fn tasks_last(kinds: &mut [(Kind, u64)]) {
    kinds.sort_by_key(|(kind, _)| kind.part == Part::Task);
}

/// The events that the scenario fixes, the latest first.
fn agenda(scenario: &Scenario) -> Vec<AgendaEntry> {
    let crashes = &scenario.faults.crashes;
    let mut agenda: Vec<_> =
        crashes.iter().map(|&(place, time)| AgendaEntry { time, place, planned: Planned::Crash }).collect();
    if let Wakes::At(at) = &scenario.wakes {
        let wakes = at.iter().enumerate().filter_map(|(place, time)| Some((place as Place, (*time)?)));
        agenda.extend(wakes.map(|(place, time)| AgendaEntry { time, place, planned: Planned::Wake }));
    }
    let again = scenario.again.iter().map(|&(place, time)| AgendaEntry { time, place, planned: Planned::Again });
    agenda.extend(again);
    agenda.sort_by_key(|entry| Reverse((entry.time, entry.planned, entry.place)));
    agenda
}
