//! One processor during one instant: scheduler decisions, then events in the order of the simulator.

use ringleader_model::{InstantStage, Port, Reading, WorkloadEvent};

use crate::choices::ChoicePath;
use crate::interner::Interned;
use crate::port_numbering::PartialNumbering;
use crate::program::{Observation, Program, ProgramEffect, StepResult, Trigger, UserRequest};
use crate::step::{UserRegion, UserState};
use crate::step_memo::{RandomOutcome, random_step};

/// The local state of a place at the end of an instant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct TimedLocalState {
    pub(crate) processor: Interned,
    /// It may still wake up.
    pub(crate) asleep: bool,
    /// The shortest and the longest of its ticks.
    pub(crate) tick_length: (u64, u64),
    pub(crate) clock: ClockState,
    /// The timers that run, in the order in which they fire, with the ticks left.
    pub(crate) timers: Vec<(Interned, u64)>,
    /// The messages that have arrived and not been read, in order.
    pub(crate) unread: Vec<(Port, Interned)>,
    /// The ticks in which the first of them has been read so far, where a message takes several.
    pub(crate) reading_for: u64,
    pub(crate) user: UserState,
    /// The numberings of its ports under which it is as it is.
    pub(crate) numbering: PartialNumbering,
}

/// A processor's clock, which starts when it wakes up or the first message arrives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ClockState {
    Stopped,
    /// Units since the start, without a tick.
    First(u64),
    /// Units since the last tick.
    Since(u64),
    /// The processor pauses: a tick that was due has not come.
    Late,
    /// The processor has crashed for good.
    Crashed,
    /// It has crashed, and may restart.
    Down,
    /// It restarts at the instant that begins.
    Restarting,
    /// [Open](super::open_clocks): units since the start, up to the greatest phase; `None` if it is stopped. The tick
    /// length is that of the shortest and that of the longest clock that it may be.
    Open(Option<u64>),
}

/// The timing model, common to all processors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimingModel {
    pub(crate) reading: Reading,
    /// The stages of one pass of an instant, in order.
    pub(crate) stages: &'static [InstantStage],
    /// Links keep the order of messages.
    pub(crate) in_order: bool,
    /// Users enter, and leave when they like.
    pub(crate) has_users: bool,
    pub(crate) releases: bool,
    /// All processors wake up at the first instant.
    pub(crate) together: bool,
    /// Eager ticks: see [`SchedulerDecision::new`].
    pub(crate) eager: bool,
    /// A processor may pause now.
    pub(crate) may_pause: bool,
}

impl TimingModel {
    /// True if a message that arrives at a tick of its receiver may come before it or after it.
    pub(crate) fn has_open_ties(&self) -> bool {
        self.stages.contains(&InstantStage::LateArrivals)
    }

    /// True if a message that arrives at an instant may start a clock that ticks at this instant.
    pub(crate) fn arrivals_precede_ticks(&self) -> bool {
        let first = self.stages.iter().find(|stage| matches!(stage, InstantStage::Arrivals | InstantStage::Ticks));
        first == Some(&InstantStage::Arrivals)
    }
}

/// An event of a user in an instant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum UserEvent {
    Requested,
    Released,
    Entered,
    Left,
}

/// The decisions of the scheduler about a processor at the beginning of an instant.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct SchedulerDecision {
    pub(crate) wakes: bool,
    /// It wakes because it restarts.
    pub(crate) restarts: bool,
    /// Requests for a further election.
    pub(crate) again: u32,
    pub(crate) ticks: bool,
    /// A tick is due and does not come: a pause begins.
    pub(crate) pauses: bool,
    /// By arrival: it comes after the tick. Empty if the order of the stages decides.
    pub(crate) late: Vec<bool>,
    releases: bool,
    acquires: bool,
}

impl SchedulerDecision {
    /// Decides about the wake-up and the requests for a further election.
    pub(crate) fn wake_ups(local: &TimedLocalState, model: TimingModel, choices: &mut ChoicePath) -> Self {
        let wakes = local.asleep && (model.together || choices.scheduler_bool());
        let again = if local.is_down() { 0 } else { local.user.again };
        let restarts = local.clock == ClockState::Restarting;
        Self { wakes, restarts, again: choices.scheduler_choice(again + 1), ..Self::default() }
    }

    /// True if its own events start the clock of a processor, before any message arrives.
    fn is_called(&self) -> bool {
        self.wakes || self.restarts || self.again > 0
    }

    /// Makes all decisions. `ports`: of the messages that arrive, in order.
    ///
    /// *Eager ticks.* A processor whose ticks may take one unit, and that has no message to read, no timer and no
    /// arrival, ticks whenever it can. No behaviour is lost: take any run, and add ticks wherever such a processor has
    /// none. They have no effect, since a tick reads messages, counts timers down and lets users make requests, each of
    /// which the scheduler may decline. No tick gets longer by it, and none shorter than one unit, so that all other
    /// ticks can stay: the result is a run with eager ticks, with the same events and reports at the same instants. It
    /// discharges the same obligations, since a request to leave stays a decision of the scheduler, so that fairness is
    /// preserved. Such a processor does not begin to pause either: the pause might as well begin when the tick is due that
    /// reads the next message.
    ///
    /// *Pauses.* A processor that pauses takes no step: it does not wake up, and its user makes no request. Both can as well
    /// come when the pause is over.
    pub(crate) fn new(local: &TimedLocalState, ports: &[Port], model: TimingModel, choices: &mut ChoicePath) -> Self {
        let mut decision = Self::wake_ups(local, model, choices);
        let called = decision.is_called();
        let touched = called || !ports.is_empty();
        let idle =
            model.eager && local.tick_length.0 == 1 && local.timers.is_empty() && local.unread.is_empty() && !touched;
        let due = matches!(local.clock, ClockState::First(_) | ClockState::Since(_)) && local.tick_bounds(touched).1;
        decision.pauses = due && model.may_pause && !called && !idle && choices.scheduler_bool();
        let goes_on = local.clock == ClockState::Late && called;
        decision.ticks = !decision.pauses && (goes_on || local.ticks(touched, idle, choices));
        decision.order_arrivals(ports, model, choices);
        decision.choose_requests(local, model, choices);
        decision
    }

    /// Chooses the arrivals that come after the tick, if there is a tick and ties are open.
    fn order_arrivals(&mut self, ports: &[Port], model: TimingModel, choices: &mut ChoicePath) {
        if !self.ticks || !model.has_open_ties() {
            return;
        }
        for (index, port) in ports.iter().enumerate() {
            // If links keep the order, no message overtakes the one before it on its link.
            let overtakes = model.in_order && index > 0 && ports[index - 1] == *port && self.late[index - 1];
            self.late.push(overtakes || choices.scheduler_bool());
        }
    }

    /// Decides about the requests of the user at the tick, if there is one.
    pub(crate) fn choose_requests(&mut self, local: &TimedLocalState, model: TimingModel, choices: &mut ChoicePath) {
        if !self.ticks || !model.has_users {
            return;
        }
        let inside = local.user.region == UserRegion::Critical;
        self.releases = inside && model.releases && choices.scheduler_bool();
        let may_acquire = match local.user.region {
            UserRegion::Remainder => true,
            // Without a request to leave, as for reads and writes, a user that waits may be served at this tick and
            // then request again.
            UserRegion::Waiting => !model.releases,
            UserRegion::Critical => self.releases,
        };
        self.acquires = may_acquire && local.user.entries > 0 && choices.scheduler_bool();
    }
}

impl TimedLocalState {
    /// The local state of a crashed processor.
    pub(crate) fn crashed() -> Self {
        Self {
            processor: 0,
            asleep: false,
            tick_length: (1, 1),
            clock: ClockState::Crashed,
            timers: Vec::new(),
            unread: Vec::new(),
            reading_for: 0,
            user: UserState { entries: 0, again: 0, region: UserRegion::Remainder },
            numbering: PartialNumbering::default(),
        }
    }

    /// True if it has crashed, and has not restarted.
    pub(crate) fn is_down(&self) -> bool {
        matches!(self.clock, ClockState::Crashed | ClockState::Down)
    }

    /// True if it does nothing but tick.
    pub(crate) fn is_idle(&self) -> bool {
        self.timers.is_empty() && self.unread.is_empty() && self.user.region != UserRegion::Critical
    }

    /// True if the clock ticks at the next instant. `touched`: an event starts the clock, if it is stopped; `idle`: the
    /// clock ticks as soon as it can.
    pub(crate) fn ticks(&self, touched: bool, idle: bool, choices: &mut ChoicePath) -> bool {
        let (may, must) = self.tick_bounds(touched);
        must || may && (idle || choices.scheduler_bool())
    }

    /// Whether the clock may tick at the next instant, and whether it must.
    pub(crate) fn tick_bounds(&self, touched: bool) -> (bool, bool) {
        let (shortest, longest) = self.tick_length;
        match self.clock {
            ClockState::Crashed | ClockState::Down | ClockState::Open(_) => (false, false),
            ClockState::Late => (true, false),
            ClockState::Stopped if !touched => (false, false),
            // The first tick comes 0 to longest - 1 units after the start: at the latest now if longest is 1.
            ClockState::Stopped | ClockState::Restarting => (true, longest == 1),
            // The instant that begins is units + 1 after the start.
            ClockState::First(units) => (true, units + 1 >= longest - 1),
            ClockState::Since(units) => (units + 1 >= shortest, units + 1 >= longest),
        }
    }
}

/// The greatest number of passes of an instant. An instant with more may have no end: a timer of 0 ticks that sets
/// itself, or a message that is forwarded at once forever.
pub(crate) const MAX_PASSES: u32 = 1 << 10;

/// Positions of planned events in an instant; the stages of its passes follow. Reports are observed by position.
pub(crate) mod position {
    pub(crate) const CRASH: u32 = 0;
    pub(crate) const RESTART: u32 = 1;
    pub(crate) const WAKE: u32 = 2;
    pub(crate) const CALL: u32 = 3;
    /// Faults of messages, whose order among the events of an instant nobody observes.
    pub(crate) const LAST: u32 = u32::MAX;
}

/// A processor in the middle of an instant.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct LocalInstant {
    pub(crate) state: TimedLocalState,
    /// Timers of 0 ticks.
    pub(crate) zero: Vec<Interned>,
    /// A tick of this instant is still to come that timers set now do not count.
    pub(crate) tick_ahead: bool,
    pub(crate) sends: Vec<(Port, Interned)>,
    /// Each with its position in the instant.
    pub(crate) reports: Vec<(u32, Observation)>,
    pub(crate) user_events: Vec<UserEvent>,
    position: u32,
    /// By how much the processor's phase has grown.
    pub(crate) advance: u32,
    /// Its random choices.
    pub(crate) random_values: Vec<u32>,
    /// Its user makes a request at the end of the pass.
    acquires_last: bool,
    /// With [deferred arrivals](super::deferred): the messages in flight, and that one of them may arrive and be urgent.
    pub(crate) in_flight: Vec<Interned>,
    pub(crate) urgent: bool,
    /// It pauses at this instant.
    pauses: bool,
    /// A timer was set, but the clock is [open](super::open_clocks).
    pub(crate) needs_clock: bool,
    /// Its last event was a message that had no effect but on the processor's state.
    pub(crate) ends_silently: bool,
    /// With [early reading](super::early): the events but for timeouts, and the states in which they are handled.
    pub(crate) handled: Option<Vec<(Interned, Trigger)>>,
}

impl LocalInstant {
    pub(crate) fn new(state: TimedLocalState) -> Self {
        let (zero, sends, reports, user_events) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self {
            state,
            zero,
            tick_ahead: false,
            sends,
            reports,
            user_events,
            position: 0,
            advance: 0,
            random_values: Vec::new(),
            acquires_last: false,
            in_flight: Vec::new(),
            urgent: false,
            pauses: false,
            needs_clock: false,
            ends_silently: false,
            handled: None,
        }
    }

    /// A whole instant of a processor at which nothing arrives but `arrivals`.
    pub(crate) fn run(
        &mut self,
        program: &mut dyn Program,
        model: TimingModel,
        decision: &SchedulerDecision,
        arrivals: &[(Port, Interned)],
        choices: &mut ChoicePath,
    ) {
        self.tick_ahead = decision.ticks;
        self.pauses = decision.pauses || self.state.clock == ClockState::Late && !decision.ticks;
        self.wake(program, decision, choices);
        self.call(program, decision, choices);
        // If ties are open, a timer set before a tick counts it; otherwise all events of an instant count as
        // simultaneous with its tick.
        self.tick_ahead &= !model.has_open_ties();
        let touched = decision.is_called() || !arrivals.is_empty();
        for stage in model.stages {
            self.position += 1;
            match stage {
                InstantStage::Planned => {}
                InstantStage::Arrivals | InstantStage::LateArrivals => {
                    let late = *stage == InstantStage::LateArrivals;
                    let processor = self.state.processor;
                    self.urgent |= self.in_flight.iter().any(|&message| program.is_urgent(processor, message));
                    for (index, &(port, message)) in arrivals.iter().enumerate() {
                        if decision.late.get(index).is_some_and(|&late| late) == late {
                            self.arrive(program, model.reading, port, message, choices);
                        }
                    }
                }
                InstantStage::Ticks => self.pass_time(program, model.reading, decision, touched, choices),
                InstantStage::ZeroTimers => self.end_pass(program, choices),
            }
        }
        // The other passes have only timers of 0 ticks.
        let last = self.position + MAX_PASSES;
        while !self.is_done() && self.position < last {
            self.position += 1;
            self.end_pass(program, choices);
        }
    }

    /// Wakes up, if the scheduler has decided so.
    pub(crate) fn wake(&mut self, program: &mut dyn Program, decision: &SchedulerDecision, choices: &mut ChoicePath) {
        self.position = position::WAKE;
        if decision.wakes {
            self.state.asleep = false;
            self.step(program, Trigger::Wake, choices);
        }
        if decision.restarts {
            self.position = position::RESTART;
            self.step(program, Trigger::Wake, choices);
            // It differs from what was observed last, even if this step has not changed it.
            let changed = program.judges_invariants().then_some(Observation::Changed(self.state.processor));
            self.reports.extend(changed.map(|changed| (position::RESTART, changed)));
        }
    }

    /// Makes the requests for further elections that the scheduler has decided on.
    pub(crate) fn call(&mut self, program: &mut dyn Program, decision: &SchedulerDecision, choices: &mut ChoicePath) {
        self.position = position::CALL;
        for _ in 0..decision.again {
            self.state.user.request(UserRequest::Again);
            self.step(program, Trigger::Call(UserRequest::Again), choices);
        }
    }

    /// A message arrives: it is handled at once, or read later.
    pub(crate) fn arrive(
        &mut self,
        program: &mut dyn Program,
        reading: Reading,
        port: Port,
        message: Interned,
        choices: &mut ChoicePath,
    ) {
        let local = &self.state;
        let mut urgent = || !self.pauses && local.unread.is_empty() && program.is_urgent(local.processor, message);
        if reading == Reading::Immediate || urgent() {
            self.step(program, Trigger::Receive { port: port.0, message }, choices);
        } else {
            self.state.unread.push((port, message));
        }
    }

    /// The clock advances by one unit, and ticks if the scheduler has decided so. `touched`: a stopped clock starts.
    pub(crate) fn pass_time(
        &mut self,
        program: &mut dyn Program,
        reading: Reading,
        decision: &SchedulerDecision,
        touched: bool,
        choices: &mut ChoicePath,
    ) {
        if decision.ticks {
            return self.tick(program, reading, decision, choices);
        }
        self.state.clock = match self.state.clock {
            _ if decision.pauses => ClockState::Late,
            ClockState::Stopped if touched => ClockState::First(0),
            ClockState::Restarting => ClockState::First(0),
            ClockState::Open(None) if touched => ClockState::Open(Some(0)),
            ClockState::Open(None)
            | ClockState::Stopped
            | ClockState::Late
            | ClockState::Crashed
            | ClockState::Down => self.state.clock,
            ClockState::Open(Some(units)) => ClockState::Open(Some((units + 1).min(self.state.tick_length.1 - 1))),
            ClockState::First(units) => ClockState::First(units + 1),
            ClockState::Since(units) => ClockState::Since(units + 1),
        };
    }

    /// Bit-serial: reads a bit of the first message, if there is one; true if it is the last.
    fn reads_last_bit(&mut self, program: &mut dyn Program) -> bool {
        let Some(&(_, message)) = self.state.unread.first() else { return false };
        self.state.reading_for += 1;
        let last = self.state.reading_for >= program.bits(message).max(1);
        if last {
            self.state.reading_for = 0;
        }
        last
    }

    /// Reads messages, then fires the timers that have expired, then lets the user act. A message or a timer may cancel
    /// or set again a timer that has expired.
    pub(crate) fn tick(
        &mut self,
        program: &mut dyn Program,
        reading: Reading,
        decision: &SchedulerDecision,
        choices: &mut ChoicePath,
    ) {
        self.tick_ahead = false;
        let starts = matches!(self.state.clock, ClockState::Stopped | ClockState::Restarting);
        self.state.clock = ClockState::Since(0);
        for (_, left) in &mut self.state.timers {
            *left -= 1;
        }
        let due: Vec<Interned> =
            self.state.timers.iter().filter(|&&(_, left)| left == 0).map(|&(timer, _)| timer).collect();
        let read = match reading {
            Reading::Immediate => 0,
            Reading::PerTick => self.state.unread.len().min(1),
            Reading::PerStep => self.state.unread.len(),
            Reading::BitSerial => usize::from(self.reads_last_bit(program)),
        };
        let read: Vec<_> = self.state.unread.drain(..read).collect();
        for (port, message) in read {
            self.step(program, Trigger::Receive { port: port.0, message }, choices);
        }
        for timer in due {
            if self.state.timers.contains(&(timer, 0)) {
                self.state.timers.retain(|&(own, _)| own != timer);
                self.step(program, Trigger::Timeout(timer), choices);
            }
        }
        if decision.releases && self.state.user.region == UserRegion::Critical {
            self.user_events.push(UserEvent::Released);
            self.state.user.request(UserRequest::Release);
            self.step(program, Trigger::Call(UserRequest::Release), choices);
        }
        if decision.acquires && self.state.user.region == UserRegion::Remainder {
            // At the first tick, and at the tick at which the user has left, the request is made at the end of the
            // pass, like that of the simulator, where it is a timer of 0 ticks.
            self.acquires_last = starts || self.user_events.contains(&UserEvent::Left);
            if !self.acquires_last {
                self.acquire(program, choices);
            }
        }
    }

    fn acquire(&mut self, program: &mut dyn Program, choices: &mut ChoicePath) {
        self.user_events.push(UserEvent::Requested);
        self.state.user.request(UserRequest::Acquire);
        self.step(program, Trigger::Call(UserRequest::Acquire), choices);
    }

    /// Fires the timers of 0 ticks, in order; those set meanwhile fire in the next pass. Then the user makes its
    /// request, if it has one.
    pub(crate) fn end_pass(&mut self, program: &mut dyn Program, choices: &mut ChoicePath) {
        let mut due = self.zero.clone();
        due.sort_unstable_by(|&timer, &other| program.timer_order(timer, other));
        for timer in due {
            if let Some(index) = self.zero.iter().position(|own| *own == timer) {
                self.zero.swap_remove(index);
                self.step(program, Trigger::Timeout(timer), choices);
            }
        }
        if core::mem::take(&mut self.acquires_last) {
            self.acquire(program, choices);
        }
    }

    /// True if another pass would have no event. False after [`run`](Self::run) if the instant has too many passes.
    pub(crate) fn is_done(&self) -> bool {
        self.zero.is_empty() && !self.acquires_last
    }

    /// True if the user has made an optional request.
    pub(crate) fn has_requested(&self) -> bool {
        self.user_events.contains(&UserEvent::Requested)
    }

    pub(crate) fn released(&self) -> bool {
        self.user_events.contains(&UserEvent::Released)
    }

    fn step(&mut self, program: &mut dyn Program, trigger: Trigger, choices: &mut ChoicePath) {
        let step = (self.state.processor, trigger);
        if let Some(handled) = self.handled.as_mut().filter(|_| !matches!(trigger, Trigger::Timeout(_))) {
            handled.push(step);
        }
        random_step(program, step, choices, |program, outcome| self.apply(program, trigger, outcome));
    }

    fn apply(&mut self, program: &mut dyn Program, trigger: Trigger, outcome: &RandomOutcome) {
        let StepResult { processor, advance } = outcome.result;
        let received = matches!(trigger, Trigger::Receive { .. });
        self.ends_silently = received && outcome.is_silent();
        self.state.processor = processor;
        self.advance += advance;
        self.random_values.extend_from_slice(&outcome.chosen);
        for &effect in &outcome.effects {
            match effect {
                ProgramEffect::Send(port, message) => self.sends.push((port, message)),
                ProgramEffect::CancelTimer(timer) => self.cancel(timer),
                ProgramEffect::SetTimer(timer, after) => {
                    self.cancel(timer);
                    match after.get() {
                        None => {}
                        Some(0) => self.zero.push(timer),
                        Some(ticks) => {
                            self.needs_clock |= matches!(self.state.clock, ClockState::Open(_));
                            let timers = &mut self.state.timers;
                            let at = timers.partition_point(|&(own, _)| program.timer_order(own, timer).is_lt());
                            timers.insert(at, (timer, ticks + u64::from(self.tick_ahead)));
                        }
                    }
                }
                ProgramEffect::Report(report, event) => {
                    self.reports.push((self.position, Observation::Report(report)));
                    if let Some(event) = event {
                        self.state.user.notify(event);
                        self.user_events.push(match event {
                            WorkloadEvent::Entered => UserEvent::Entered,
                            WorkloadEvent::Left => UserEvent::Left,
                        });
                    }
                }
                ProgramEffect::Changed(processor) => {
                    self.reports.push((self.position, Observation::Changed(processor)));
                }
                ProgramEffect::Noted(fact) => self.reports.push((self.position, Observation::Noted(fact))),
                ProgramEffect::Panicked(panic) => self.reports.push((self.position, Observation::Panicked(panic))),
            }
        }
    }

    fn cancel(&mut self, timer: Interned) {
        self.state.timers.retain(|&(own, _)| own != timer);
        self.zero.retain(|&own| own != timer);
    }
}
