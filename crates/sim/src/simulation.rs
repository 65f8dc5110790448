//! The engine: one instant after the other, one pass after the other inside an instant.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::any::TypeId;
use core::cmp::Reverse;
use core::mem;

use ringleader_model::{
    BadSetting, Effects, Event, Inspect, Links, Message, Meter, Monitor, Network, NoTimer, Place, Problem, Processor,
    Protocol, Reading, Request, Scenario, Ties, Time, TraceHash, Violation, Wakes, run_digest,
};

use crate::chance::{BadChoice, Chance, Choices};
use crate::clock::{ASLEEP, Grid, Resolved};
use crate::detail::{Detail, Full};
use crate::half::HalfLinks;
use crate::line::{Flights, Line};
use crate::link::Roads;
use crate::queue::Queues;
use crate::race::{Clashes, Sorter};
use crate::random::Lane;
use crate::run::{Cost, Effect, FINISHES, Record, Run, Silence, Step, Summary, Verdict};
use crate::timer::{Timers, When};
use crate::untimed::Untimed;
use crate::visits::Visits;
use crate::wheel::Wheel;
use crate::world::{
    Alarm, Arrival, Due, Held, HeldBack, History, MessageOf, MeterOf, MonitorOf, Slot, SlotOf, TimerOf, Walk, World,
};

/// The processors of one protocol in one scenario.
pub struct Simulation<P: Protocol, D: Detail = Full> {
    pub(crate) protocol: P,
    pub(crate) states: Vec<P::Processor>,
    pub(crate) world: World<P, D>,
    /// What is fixed beforehand: crashes, wakes and requests, by time, the latest first.
    agenda: Vec<Entry<Request<P::Processor>>>,
    /// Everybody wakes at 0 and has not done so yet: no need to write it down a hundred million times.
    pub(crate) all_wake: bool,
    /// After this nothing is done any more.
    horizon: Option<Time>,
    /// Nor after this, where somebody said so.
    pub(crate) limit: Time,
    /// The monitor is told when this has come.
    deadline: Option<Time>,
    /// Whether the present instant has begun, and how many passes of it are done.
    pass: Option<u32>,
    /// Events of the present pass, in order.
    pub(crate) batch: Vec<Arrival<P, D>>,
    due: Vec<Alarm<SlotOf<P>>>,
    due_timers: Vec<SlotOf<P>>,
    zero: Vec<(Place, SlotOf<P>)>,
    effects: Vec<Effect<P::Processor>>,
    coins: Vec<(u32, u32)>,
    sorter: Sorter,
    pub(crate) clashes: Clashes<P, D>,
    /// Whether a message may come before or after its receiver's tick of the same instant.
    either: bool,
    /// What comes after the ticks of this instant.
    late: Vec<Arrival<P, D>>,
    /// Whether no message overtakes another of its link.
    in_order: bool,
    /// What can happen next, where there are no clocks.
    pub(crate) untimed: Option<Untimed<P, D>>,
    /// The protocol's own invariants that were violated.
    broken: Vec<Violation>,
}

/// Nothing happens later: what is longer than this, added up, no clock of ours can tell.
pub(crate) const END_OF_TIME: Time = 1 << 63;

/// Something that is fixed beforehand.
struct Entry<R> {
    time: Time,
    place: Place,
    planned: Planned<R>,
}

/// What is fixed beforehand, in the order in which it is done at one instant.
enum Planned<R> {
    Crash,
    Wake,
    Call(R),
}

impl<R> Planned<R> {
    fn rank(&self) -> u8 {
        match self {
            Self::Crash => 0,
            Self::Wake => 1,
            Self::Call(_) => 2,
        }
    }
}

impl<P: Protocol, D: Detail> Simulation<P, D> {
    /// The run of a protocol in a scenario, at its very beginning.
    pub fn new(protocol: P, scenario: &Scenario, choices: Choices) -> Result<Self, BadSetting> {
        Self::prepare(protocol, scenario, Resolved::new(scenario), choices)
    }

    /// The same, where the clocks are already known.
    pub fn prepare(protocol: P, scenario: &Scenario, resolved: Resolved, choices: Choices) -> Result<Self, BadSetting> {
        let assumptions = P::DESCRIPTION.assumptions;
        scenario.check(&assumptions)?;
        assert!(D::FULL || choices == Choices::Drawn, "only a full run can follow recorded choices");
        let n = scenario.n;
        let network = P::Network::new(scenario);
        let seats = (0..n as Place).map(|place| protocol.seat(scenario, &network, place));
        let states = seats.map(|seat| protocol.processor(seat)).collect();
        let timed = !scenario.untimed;
        let instance = resolved.instance(scenario);
        let horizon = protocol.horizon(&instance).filter(|_| timed);
        let deadline = protocol.deadline(&instance).filter(|_| timed);
        let mut chance = Chance::new(scenario.seed, n);
        chance.follow(choices);
        let mut faults = scenario.faults.clone();
        let crashes = mem::take(&mut faults.crashes);
        let at_most = faults.at_most;
        let gapless = if P::Network::TOPOLOGY.is_ring() { n } else { 0 };
        let half = (scenario.links == Links::Half).then(|| HalfLinks::new(gapless));
        let ticks = TypeId::of::<TimerOf<P>>() != TypeId::of::<NoTimer>() || scenario.workload.is_some();
        let reading = if timed { scenario.timing.reading } else { Reading::Immediate };
        let grid = (timed && (ticks || reading != Reading::Immediate)).then(|| Grid::new(resolved, n));
        let stepwise = reading == Reading::PerStep && grid.as_ref().is_some_and(|grid| grid.varying().is_some());
        // Without clocks messages wait in line at the present until they are chosen.
        let alike = size_of::<MessageOf<P>>() == 0;
        let roads = if timed { Roads::new(scenario, &network, alike) } else { Roads::Constant(0) };
        let world = World {
            network,
            now: 0,
            reading,
            ticks_ahead: true,
            before_tick: false,
            swift: reading == Reading::Immediate && roads.shortest() > 0,
            arrivals: match roads {
                Roads::Constant(_) => Flights::Line(Line::new(n)),
                _ => Flights::Wheel(Wheel::new(roads.longest(), n)),
            },
            roads,
            alarms: Wheel::new(if grid.is_some() { 255 } else { 1 }, 0),
            zero: Vec::new(),
            queues: (reading != Reading::Immediate).then(|| Queues::new(n)),
            grid,
            timers: Timers::new(n),
            walks: if stepwise { vec![Walk::NEW; n] } else { Vec::new() },
            plain: half.is_none() && faults.loss.is_none() && faults.duplicate.is_none(),
            half,
            faults,
            crashed: if crashes.is_empty() && at_most.crashes == 0 { Vec::new() } else { vec![false; n] },
            chance,
            monitor: MonitorOf::<P>::new(scenario),
            meter: MeterOf::<P>::new(scenario),
            visits: Visits::new(scenario),
            histories: vec![
                History { depth: D::Depth::default(), chain: TraceHash::new() };
                if D::FULL { n } else { 0 }
            ],
            cost: Cost::default(),
            passes: vec![0; MessageOf::<P>::KINDS.len()],
            acts: 0,
            log: None,
            failures: Vec::new(),
        };
        let mut simulation = Self {
            protocol,
            states,
            world,
            agenda: if timed { agenda::<P>(scenario, &crashes) } else { Vec::new() },
            all_wake: timed && scenario.wakes == Wakes::All,
            horizon,
            limit: END_OF_TIME,
            deadline,
            pass: None,
            batch: Vec::new(),
            due: Vec::new(),
            due_timers: Vec::new(),
            zero: Vec::new(),
            effects: Vec::new(),
            coins: Vec::new(),
            sorter: Sorter::new(),
            clashes: Clashes::new(),
            either: scenario.ties == Ties::Either,
            late: Vec::new(),
            in_order: scenario.links == Links::Fifo,
            untimed: None,
            broken: Vec::new(),
        };
        if !timed {
            simulation.begin_untimed(scenario);
        }
        Ok(simulation)
    }

    /// Everybody wakes at 0, after the crashes of that instant and before its requests.
    fn wake_all(&mut self) {
        self.all_wake = false;
        while self.agenda.last().is_some_and(|entry| entry.time == 0 && entry.planned.rank() == 0) {
            self.take_planned();
        }
        for place in 0..self.states.len() as Place {
            if self.world.is_up(place) {
                self.touch(place);
                self.step(place, Event::Wake, D::Depth::default());
            }
        }
    }

    /// The state of the processor at a place.
    pub fn processor(&self, place: Place) -> &P::Processor {
        &self.states[place as usize]
    }

    /// The rules in force.
    pub fn protocol(&self) -> &P {
        &self.protocol
    }

    /// The steps logged so far.
    pub fn records(&self) -> &[Record<P::Processor>] {
        self.world.log.as_deref().unwrap_or(&[])
    }

    /// Goes to the next instant at which anything happens, and does what is planned for it.
    fn next_instant(&mut self) -> bool {
        self.world.ticks_ahead = true;
        if self.all_wake {
            self.wake_all();
            return true;
        }
        let planned = self.agenda.last().map(|entry| entry.time);
        let next = [planned, self.world.arrivals.next_time(), self.world.alarms.next_time()];
        let last = self.horizon.unwrap_or(END_OF_TIME).min(self.limit);
        let next = next.into_iter().flatten().min().filter(|&next| next <= last);
        let Some(next) = next else { return !self.world.zero.is_empty() };
        // What was set to zero ticks on waking comes before any later instant.
        let next = if self.world.zero.is_empty() { next } else { self.world.now };
        self.world.now = next;
        if self.deadline.is_some_and(|deadline| deadline <= next) {
            self.deadline = None;
            self.world.monitor.deadline();
        }
        self.world.arrivals.advance(next);
        self.world.alarms.advance(next);
        while self.agenda.last().is_some_and(|entry| entry.time == next) {
            self.take_planned();
        }
        true
    }

    fn take_planned(&mut self) {
        let Entry { place, planned, .. } = self.agenda.pop().expect("there is something planned");
        if !self.world.is_up(place) {
            return;
        }
        let event = match planned {
            Planned::Crash => {
                self.world.note_failure(place, String::from("crashes"));
                return self.world.crash(place);
            }
            Planned::Wake => Event::Wake,
            Planned::Call(request) => Event::Call(request),
        };
        self.touch(place);
        // A wake or a request that changes nothing is void: it is no step, and takes no time.
        let before = (self.states[place as usize].clone(), self.world.mark(place));
        self.step(place, event, D::Depth::default());
        if self.states[place as usize] == before.0 {
            self.world.undo_if_idle(&before.1);
        }
    }

    /// Whether nothing is fixed beforehand that has not happened yet.
    fn nothing_planned(&self) -> bool {
        self.agenda.is_empty() && !self.all_wake
    }

    /// Whether at most that everybody wakes is fixed beforehand.
    pub(crate) fn agenda_is_empty(&self) -> bool {
        self.agenda.is_empty()
    }

    /// One pass of the present instant; what is sent with delay 0 arrives in the next one.
    fn one_pass(&mut self, pass: u32) {
        if self.world.reading == Reading::PerStep || self.either {
            self.take_arrivals(pass);
            self.take_ticks();
        } else {
            self.take_ticks();
            self.take_arrivals(pass);
        }
        if !self.late.is_empty() {
            self.take_late();
        }
        if !self.world.zero.is_empty() {
            self.take_zero_timers();
        }
    }

    fn take_arrivals(&mut self, pass: u32) {
        if !self.world.arrivals.is_due() {
            return;
        }
        let mut batch = mem::take(&mut self.batch);
        self.world.arrivals.take_into(&mut batch);
        self.sorter.sort(&mut batch);
        if self.either {
            self.divide(&mut batch);
        }
        for arrival in batch.drain(..) {
            match self.world.reading {
                Reading::Immediate => self.receive(arrival),
                Reading::PerTick => self.arrive(arrival, false),
                Reading::PerStep => {
                    let fresh = self.world.grid.as_ref().is_some_and(|grid| grid.first(arrival.to) == ASLEEP);
                    self.arrive(arrival, pass == 0 || fresh);
                }
            }
        }
        self.batch = batch;
    }

    /// Where ties are left open: lets messages come before the ticks of this instant, and keeps those that come after them.
    #[cold]
    fn divide(&mut self, batch: &mut Vec<Arrival<P, D>>) {
        self.world.before_tick = true;
        for arrival in batch.drain(..) {
            let late = self.ticks_now(arrival.to) && self.world.choose(Lane::Tie, arrival.to, 2) == 1;
            let behind = self.in_order && self.late.last().is_some_and(|other| other.rank() == arrival.rank());
            if late || behind {
                self.late.push(arrival);
            } else {
                self.come(arrival, true);
            }
        }
        self.world.before_tick = false;
    }

    /// The messages that come after the ticks of this instant.
    #[cold]
    fn take_late(&mut self) {
        for arrival in mem::take(&mut self.late) {
            self.come(arrival, false);
        }
    }

    /// A message comes in where ties are left open.
    fn come(&mut self, arrival: Arrival<P, D>, tick_ahead: bool) {
        if self.world.reading == Reading::Immediate {
            self.receive(arrival);
        } else {
            self.arrive(arrival, tick_ahead);
        }
    }

    /// Whether a place that something arrives at has a tick at this instant.
    fn ticks_now(&mut self, place: Place) -> bool {
        if !self.world.is_up(place) {
            return false;
        }
        self.touch(place);
        let now = self.world.now;
        if self.world.walks.is_empty() {
            let grid = self.world.grid.as_ref().filter(|grid| grid.varying().is_none());
            return grid.and_then(|grid| grid.at_or_after(place, now)) == Some(now);
        }
        self.world.schedule_step(place, true);
        self.world.walks[place as usize].next == now
    }

    /// A message is handled on arrival.
    #[inline]
    fn receive(&mut self, arrival: Arrival<P, D>) {
        self.world.cost.deliveries += 1;
        let port = arrival.port();
        if !self.world.plain {
            self.world.delivered(arrival.to, port);
        }
        if self.world.is_up(arrival.to) {
            self.touch(arrival.to);
            self.step(arrival.to, Event::Receive(port, arrival.message), arrival.depth);
        } else {
            self.world.lose(1);
        }
    }

    /// A message arrives and waits to be read, unless it is urgent and nothing waits before it. `tick_ahead`: it may be read
    /// at a tick of this very instant.
    #[inline(always)]
    fn arrive(&mut self, arrival: Arrival<P, D>, tick_ahead: bool) {
        let place = arrival.to;
        let empty = self.world.queues.as_ref().is_some_and(|queues| queues.len(place) == 0);
        if !self.world.is_up(place) || empty && self.states[place as usize].urgent(&self.protocol, &arrival.message) {
            return self.receive(arrival);
        }
        self.touch(place);
        self.world.cost.deliveries += 1;
        let port = arrival.port();
        if !self.world.plain {
            self.world.delivered(place, port);
        }
        self.world.wait(place, Held { port, depth: arrival.depth, message: arrival.message }, tick_ahead);
    }

    /// What is due at this instant's ticks: each place reads, then its timers fire.
    fn take_ticks(&mut self) {
        self.world.ticks_ahead = false;
        if !self.world.alarms.is_due() {
            return;
        }
        let mut due = mem::take(&mut self.due);
        self.world.alarms.take_into(&mut due);
        due.sort_unstable();
        for alarm in due.drain(..) {
            if !self.world.is_up(alarm.place) {
                continue;
            }
            match alarm.what {
                Due::Read => self.read(alarm.place),
                Due::Step => self.walk(alarm.place),
                Due::Timer(timer) => {
                    if self.world.timers.take(alarm.place, &timer, |when| when == When::At(self.world.now)) {
                        self.timeout(alarm.place, timer);
                    }
                }
            }
        }
        self.due = due;
    }

    /// Reads one message, or all of them.
    fn read(&mut self, place: Place) {
        let all = self.world.reading == Reading::PerStep;
        let waiting = self.world.queues.as_ref().expect("what is read was queued").len(place);
        for _ in 0..if all { waiting } else { waiting.min(1) } {
            let held = self.world.queues.as_mut().and_then(|queues| queues.pop(place)).expect("it was counted");
            self.step(place, Event::Receive(held.port, held.message), held.depth);
        }
        if !all && waiting > 1 {
            self.world.schedule_read(place, false);
        }
    }

    /// A step of varying length: reads all, then counts down. What is read may replace what has run off.
    fn walk(&mut self, place: Place) {
        let walk = &mut self.world.walks[place as usize];
        (walk.last, walk.next) = (self.world.now, ASLEEP);
        let mut due = mem::take(&mut self.due_timers);
        self.world.timers.count_down(place, self.world.now, &mut due);
        self.read(place);
        for timer in due.drain(..) {
            if self.world.timers.take(place, &timer, |when| matches!(when, When::Steps { left: 0, .. })) {
                self.timeout(place, timer);
            }
        }
        self.due_timers = due;
        if self.world.timers.counts(place) {
            self.world.schedule_step(place, false);
        }
    }

    fn take_zero_timers(&mut self) {
        let mut zero = mem::take(&mut self.zero);
        zero.append(&mut self.world.zero);
        zero.sort_unstable();
        zero.dedup();
        for (place, timer) in zero.drain(..) {
            if self.world.is_up(place) && self.world.timers.take(place, &timer, |when| when == When::EndOfPass) {
                self.timeout(place, timer);
            }
        }
        self.zero = zero;
    }

    /// A timer has run off, or it is time for a request; it is no longer pending. False if the step was not taken after
    /// all, and the timer is pending still.
    pub(crate) fn timeout(&mut self, place: Place, slot: SlotOf<P>) -> bool {
        let event = match (slot, &self.world.half) {
            (Slot::Timer(timer), Some(_)) => return self.timeout_if_free(place, timer),
            (Slot::Timer(timer), None) => Event::Timeout(timer),
            (Slot::Call(request), _) => Event::Call(request),
        };
        self.step(place, event, D::Depth::default());
        true
    }

    /// Tries a timeout on a clone with its effects held back: it may not send on a half-duplex link that is not free.
    /// Whether the step was taken.
    fn timeout_if_free(&mut self, place: Place, timer: TimerOf<P>) -> bool {
        let mut trial = self.states[place as usize].clone();
        let (mut before, effects) = (mem::take(&mut self.coins), mem::take(&mut self.effects));
        if let Some(half) = &mut self.world.half {
            half.take_coins(place, &mut before);
        }
        let mut held = HeldBack { world: &mut self.world, place, effects, before };
        trial.step(&self.protocol, Event::Timeout(timer.clone()), &mut held);
        let mut effects = held.effects;
        self.coins = held.before;
        let (half, network) = (self.world.half.as_mut().expect("links are half-duplex"), &self.world.network);
        let blocked =
            |effect: &Effect<_>| matches!(effect, Effect::Send(port, _) if !half.is_free(network.link(place, *port)));
        let free = !effects.iter().any(blocked);
        if !free {
            let coins = effects.iter().filter_map(|effect| match effect {
                Effect::Choose(bound, chosen) => Some((*bound, *chosen)),
                _ => None,
            });
            half.hold(place, Slot::Timer(timer.clone()), coins);
            self.world.timers.set(place, Slot::Timer(timer), When::EndOfPass);
            effects.clear();
        } else {
            self.states[place as usize] = trial;
            self.world.note(place, &Event::Timeout(timer), D::Depth::default());
            let mut fx = self.world.fx(place);
            for effect in effects.drain(..) {
                match effect {
                    Effect::Send(port, message) => fx.send(port, message),
                    Effect::SetTimer(timer, after) => fx.set_timer(timer, after),
                    Effect::CancelTimer(timer) => fx.cancel_timer(timer),
                    Effect::Report(report) => fx.report(report),
                    Effect::Choose(bound, chosen) => fx.world.logged(|| Effect::Choose(bound, chosen)),
                }
            }
            self.note_phase(place);
        }
        self.effects = effects;
        free
    }

    /// Starts a processor's clock, if there are clocks.
    #[inline]
    fn touch(&mut self, place: Place) {
        if let Some(grid) = &mut self.world.grid
            && grid.touch(place, self.world.now)
            && self.world.visits.is_some()
        {
            self.world.begin_visits(place);
        }
    }

    pub(crate) fn step(&mut self, place: Place, event: Event<P::Processor>, depth: D::Depth) {
        self.world.note(place, &event, depth);
        let mut fx = self.world.fx(place);
        self.states[place as usize].step(&self.protocol, event, &mut fx);
        self.note_phase(place);
        self.judge_invariants();
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

    #[inline]
    pub(crate) fn note_phase(&mut self, place: Place) {
        if P::Processor::PHASED {
            let phase = self.states[place as usize].phase();
            self.world.cost.phases = self.world.cost.phases.max(Some(phase));
        }
    }
}

impl<P: Protocol, D: Detail> Run for Simulation<P, D> {
    fn advance(&mut self, budget: u64) -> bool {
        if self.untimed.is_some() {
            return self.advance_untimed(budget);
        }
        let enough = self.world.cost.deliveries.saturating_add(budget);
        // Passes count too: a clock that only ticks must not keep the caller waiting for ever.
        for _ in 0..budget.max(1) {
            if !D::FULL && self.pass.is_none() {
                self.race(enough);
                if self.world.cost.deliveries >= enough {
                    return false;
                }
            }
            let pass = if let Some(pass) = self.pass {
                pass
            } else if self.next_instant() {
                0
            } else {
                return true;
            };
            self.one_pass(pass);
            let world = &self.world;
            let more = world.arrivals.is_due() || world.alarms.is_due() || !world.zero.is_empty();
            self.pass = more.then_some(pass + 1);
            if !more {
                self.world.monitor.settle();
            }
            let world = &self.world;
            if world.cost.deliveries >= enough {
                return false;
            }
        }
        false
    }

    fn record(&mut self) {
        assert!(D::FULL, "only a full run can be recorded");
        self.world.chance.record();
    }

    fn log(&mut self) {
        assert!(D::FULL, "only a full run can be logged");
        self.world.log = Some(Vec::new());
    }

    fn stop_after(&mut self, last: Time) {
        self.limit = last.min(END_OF_TIME);
    }

    fn now(&self) -> Time {
        self.world.now
    }

    fn steps(&self) -> u64 {
        self.world.cost.steps
    }

    fn deliveries(&self) -> u64 {
        self.world.cost.deliveries
    }

    fn choices(&self) -> Option<&[u64]> {
        self.world.chance.recorded()
    }

    fn take_log(&mut self) -> Vec<Step> {
        let records = self.world.log.as_mut().map(mem::take).unwrap_or_default();
        let network = &self.world.network;
        let sender = |place, port| network.origin(place, port);
        let receiver = |place, port| network.route(place, port).0;
        // Who crashes at an instant does so before anything else.
        let mut steps = mem::take(&mut self.world.failures);
        steps.extend(records.into_iter().map(|record| Step::new(record, sender, receiver)));
        steps.sort_by_key(|step| step.time);
        steps
    }

    fn summary(&self) -> Summary {
        let world = &self.world;
        let monitor = &world.monitor;
        let finished = monitor.finished();
        let next = [world.arrivals.next_time(), world.alarms.next_time()].into_iter().flatten().min();
        let over = self.nothing_planned() && self.pass.is_none() && !self.can_go_on();
        // What nobody must ever do does not end a wait.
        let over = over || self.is_quiet() && monitor.waiting();
        let reason = match next {
            _ if self.can_go_on() && !over => Some(Silence::Interrupted),
            None if finished => None,
            Some(next) if over && self.horizon.is_some_and(|horizon| next > horizon) => {
                Some(Silence::Horizon).filter(|_| !finished)
            }
            Some(next) if over && next > END_OF_TIME => Some(Silence::EndOfTime).filter(|_| !finished),
            None if over && world.timers.never() > 0 => Some(Silence::NeverTimer),
            None if over => Some(Silence::Silent),
            _ => Some(Silence::Interrupted),
        };
        let mut violations = [monitor.violations(), &self.broken].concat();
        if matches!(reason, Some(Silence::Silent | Silence::Horizon)) {
            violations.push(Violation { property: FINISHES, detail: self.why_silent() });
        }
        let verdict = match reason {
            _ if !violations.is_empty() => Verdict::Violated,
            None => Verdict::Held,
            _ => Verdict::Unknown,
        };
        let kinds = MessageOf::<P>::KINDS.iter().copied().zip(world.passes.iter().copied());
        let kinds = kinds.filter(|&(kind, _)| self.protocol.sends(kind)).collect();
        let mut cost = Cost { kinds, ..world.cost.clone() };
        cost.tally = world.meter.tally(cost.messages());
        let trace = run_digest(world.histories.iter().map(|history| history.chain));
        Summary { outcome: monitor.outcome(), finished, verdict, reason, violations, cost, trace }
    }

    fn bytes(&self) -> usize {
        let world = &self.world;
        self.states.capacity() * size_of::<P::Processor>()
            + world.arrivals.bytes()
            + world.alarms.bytes()
            + world.roads.bytes()
            + world.chance.bytes()
            + world.queues.as_ref().map_or(0, Queues::bytes)
            + world.grid.as_ref().map_or(0, Grid::bytes)
            + world.timers.bytes()
            + world.histories.capacity() * size_of::<History<D::Depth>>()
            + self.batch.capacity() * size_of::<Arrival<P, D>>()
    }

    fn unused_choices(&self) -> usize {
        self.world.chance.unused()
    }

    fn unanswered(&self) -> usize {
        self.world.chance.unanswered()
    }

    fn bad_choice(&self) -> Option<BadChoice> {
        self.world.chance.bad()
    }
}

impl<P: Protocol, D: Detail> Simulation<P, D> {
    fn why_silent(&self) -> String {
        let missing = self.world.monitor.missing();
        let since = match self.horizon {
            Some(horizon) => format!("at its horizon, time {horizon}"),
            None => format!("silent since time {}", self.world.cost.time),
        };
        let stuck =
            self.states.iter().enumerate().find_map(|(place, state)| Some((place, state.stuck(&self.protocol)?)));
        match stuck {
            Some((place, why)) => format!("{since}: {missing}; place {place}: {why}"),
            None => format!("{since}: {missing}"),
        }
    }
}

/// What is fixed beforehand, the latest first.
fn agenda<P: Protocol>(scenario: &Scenario, crashes: &[(Place, Time)]) -> Vec<Entry<Request<P::Processor>>> {
    let mut agenda: Vec<_> =
        crashes.iter().map(|&(place, time)| Entry { time, place, planned: Planned::Crash }).collect();
    if let Wakes::At(at) = &scenario.wakes {
        let wakes = at.iter().enumerate().filter_map(|(place, time)| Some((place as Place, (*time)?)));
        agenda.extend(wakes.map(|(place, time)| Entry { time, place, planned: Planned::Wake }));
    }
    agenda.extend(scenario.again.iter().filter_map(|&(place, time)| {
        let request = <P::Processor as Processor>::Problem::AGAIN?;
        Some(Entry { time, place, planned: Planned::Call(request) })
    }));
    agenda.sort_by_key(|entry| Reverse((entry.time, entry.planned.rank(), entry.place)));
    agenda
}
