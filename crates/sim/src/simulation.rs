//! The engine: one instant after the other, one pass after the other inside an instant.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::any::TypeId;
use core::mem;

use ringleader_model::{
    BadSetting, Effects, Event, Id, Links, Message, Monitor, Network, NoTimer, Place, Port, Problem, Processor,
    Protocol, Reading, Report, Request, Scenario, Seat, Ticks, Time, Topology, TraceHash, Violation, Wakes,
};

use crate::chance::{BadChoice, Chance, Choices};
use crate::clock::{ASLEEP, Grid, Resolved};
use crate::detail::{Depth, Detail, Full};
use crate::half::{HalfLinks, Waiting};
use crate::line::{Flights, Line};
use crate::link::Roads;
use crate::queue::Queues;
use crate::random::Lane;
use crate::run::{Cost, Effect, Record, Run, Silence, Step, Summary, Verdict};
use crate::wheel::Wheel;

type MessageOf<P> = <<P as Protocol>::Processor as Processor>::Message;
type TimerOf<P> = <<P as Protocol>::Processor as Processor>::Timer;
type MonitorOf<P> = <<<P as Protocol>::Processor as Processor>::Problem as Problem>::Monitor;
type EntryOf<P> = <<P as Protocol>::Network as Network>::Entry;

/// How sending works while a step is taken. Knowing it beforehand keeps a message in registers from the step that
/// sends it to the bucket it waits in: twice the speed.
mod mode {
    /// Whatever the world is like.
    pub(super) const ANY: u8 = 0;
    /// No detail, no faults; all delays equal.
    pub(super) const LINE: u8 = 1;
    /// No detail, no faults; all delays within reach of the wheel.
    pub(super) const WHEEL: u8 = 2;
}

/// The processors of one protocol in one scenario.
pub struct Simulation<P: Protocol, D: Detail = Full> {
    protocol: P,
    states: Vec<P::Processor>,
    world: World<P, D>,
    /// What is fixed beforehand: crashes, wakes and requests, by time, the latest first.
    agenda: Vec<(Time, Place, Planned<Request<P::Processor>>)>,
    /// Everybody wakes at 0 and has not done so yet: no need to write it down a hundred million times.
    all_wake: bool,
    /// Whether the present instant has begun, and how many passes of it are done.
    pass: Option<u32>,
    /// Events of the present pass, in order.
    batch: Vec<Arrival<P, D>>,
    due: Vec<Alarm<TimerOf<P>>>,
    clashes: Clashes,
}

/// Everything but the processors: what their effects act upon.
struct World<P: Protocol, D: Detail> {
    network: P::Network,
    now: Time,
    reading: Reading,
    roads: Roads,
    arrivals: Flights<Arrival<P, D>>,
    alarms: Wheel<Alarm<TimerOf<P>>>,
    /// Timers of zero ticks and timers held back by a half-duplex link: tried at the end of the pass.
    zero: Vec<(Place, TimerOf<P>)>,
    /// Messages that wait to be read, unless reading is immediate.
    queues: Option<Queues<Held<P, D>>>,
    /// Clocks, unless nothing asks for them.
    grid: Option<Grid>,
    /// Timers pending at each place; made when the first is set.
    pending: Vec<Pending<TimerOf<P>>>,
    /// Pending timers that never run off.
    never: u64,
    /// Under per-step reading with varying clocks: each place's last and next step.
    walks: Vec<Walk>,
    half: Option<HalfLinks<MessageOf<P>, D::Depth, TimerOf<P>>>,
    faults: ringleader_model::Faults,
    /// Neither faults nor half-duplex links: sending is just sending.
    plain: bool,
    /// Every message is handled on arrival, and none arrives in the instant in which it was sent.
    swift: bool,
    crashed: Vec<bool>,
    chance: Chance,
    monitor: MonitorOf<P>,
    depths: Vec<D::Depth>,
    cost: Cost,
    passes: Vec<u64>,
    trace: TraceHash,
    log: Option<Vec<Record<P::Processor>>>,
}

/// A message in flight.
struct Arrival<P: Protocol, D: Detail> {
    to: Place,
    entry: EntryOf<P>,
    depth: D::Depth,
    message: MessageOf<P>,
}

impl<P: Protocol, D: Detail> Arrival<P, D> {
    /// The order of arrivals in one pass: by receiving place and port; those of one link keep their order.
    #[inline]
    fn rank(&self) -> (Place, Port) {
        (self.to, P::Network::port(self.entry))
    }
}

/// Finds the places that more than one message reaches at an instant. In a large network they are few.
#[derive(Default)]
struct Clashes {
    /// Places, hashed, that a message goes to, and those that may be reached twice.
    once: Vec<u64>,
    twice: Vec<u64>,
}

impl Clashes {
    /// Puts arrivals at the same place in order, behind all others, which stay as they are.
    fn order<P: Protocol, D: Detail>(&mut self, batch: &mut Vec<Arrival<P, D>>) {
        if batch.len() < 32 {
            return batch.sort_by_key(Arrival::rank);
        }
        let slots = (batch.len() * 32).next_power_of_two();
        self.once.clear();
        self.once.resize(slots / 64, 0);
        let mut clash = false;
        for arrival in &*batch {
            let slot = arrival.to as usize & (slots - 1);
            let word = &mut self.once[slot / 64];
            let bit = 1 << (slot % 64);
            if *word & bit != 0 {
                if !clash {
                    clash = true;
                    self.twice.clear();
                    self.twice.resize(slots / 64, 0);
                }
                self.twice[slot / 64] |= bit;
            }
            *word |= bit;
        }
        if clash {
            let may_clash = |arrival: &mut Arrival<P, D>| {
                let slot = arrival.to as usize & (slots - 1);
                self.twice[slot / 64] >> (slot % 64) & 1 == 1
            };
            let mut apart: Vec<_> = batch.extract_if(.., may_clash).collect();
            apart.sort_by_key(Arrival::rank);
            batch.append(&mut apart);
        }
    }
}

/// A message that waits to be read.
struct Held<P: Protocol, D: Detail> {
    port: Port,
    depth: D::Depth,
    message: MessageOf<P>,
}

/// Something a place must do at a tick.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Alarm<T> {
    place: Place,
    what: Due<T>,
}

/// In the order in which they are done at one tick.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Due<T> {
    Read,
    /// A step of varying length: read all, then count the timers down.
    Step,
    Timer(T),
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

/// The timers pending at a place. Few protocols have more than one at a time.
#[derive(Clone)]
struct Pending<T> {
    timers: Vec<(T, DueIn)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DueIn {
    At(Time),
    /// After so many more steps of varying length.
    Steps(u64),
    EndOfPass,
    Never,
}

/// A place whose every step has a length of its own.
#[derive(Clone, Copy)]
struct Walk {
    last: Time,
    /// [`ASLEEP`] while there is nothing to do.
    next: Time,
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
        let states = if scenario.ids.is_empty() {
            (0..n).map(|_| protocol.processor(Seat { id: None, role: 0 })).collect()
        } else {
            scenario.ids.iter().map(|&id| protocol.processor(Seat { id: Some(Id::new(id)), role: 0 })).collect()
        };
        let mut chance = Chance::new(scenario.seed, n);
        chance.follow(choices);
        let mut faults = scenario.faults.clone();
        let crashes = mem::take(&mut faults.crashes);
        let half = (scenario.links == Links::Half).then(HalfLinks::new);
        let timed = TypeId::of::<TimerOf<P>>() != TypeId::of::<NoTimer>();
        let reading = scenario.timing.reading;
        let grid = (timed || reading != Reading::Immediate).then(|| Grid::new(resolved, n));
        let stepwise = reading == Reading::PerStep && grid.as_ref().is_some_and(|grid| grid.varying().is_some());
        let roads = Roads::new(scenario, &network);
        let world = World {
            network,
            now: 0,
            reading,
            swift: reading == Reading::Immediate && roads.shortest() > 0,
            arrivals: match roads {
                Roads::Constant(_) => Flights::Line(Line::new(n)),
                _ => Flights::Wheel(Wheel::new(roads.longest())),
            },
            roads,
            alarms: Wheel::new(if grid.is_some() { 255 } else { 1 }),
            zero: Vec::new(),
            queues: (reading != Reading::Immediate).then(|| Queues::new(n)),
            grid,
            pending: Vec::new(),
            never: 0,
            walks: if stepwise { vec![Walk { last: ASLEEP, next: ASLEEP }; n] } else { Vec::new() },
            plain: half.is_none() && faults.loss.is_none() && faults.duplicate.is_none(),
            half,
            faults,
            crashed: if crashes.is_empty() { Vec::new() } else { vec![false; n] },
            chance,
            monitor: MonitorOf::<P>::new(n),
            depths: vec![D::Depth::default(); if D::FULL { n } else { 0 }],
            cost: Cost::default(),
            passes: vec![0; MessageOf::<P>::KINDS.len()],
            trace: TraceHash::new(),
            log: None,
        };
        let mut agenda: Vec<_> = crashes.iter().map(|&(place, time)| (time, place, Planned::Crash)).collect();
        if let Wakes::At(at) = &scenario.wakes {
            let wakes = at.iter().enumerate().filter_map(|(place, time)| Some(((*time)?, place as Place, Planned::Wake)));
            agenda.extend(wakes);
        }
        agenda.extend(scenario.again.iter().filter_map(|&(place, time)| {
            let request = <P::Processor as Processor>::Problem::AGAIN?;
            Some((time, place, Planned::Call(request)))
        }));
        agenda.sort_by_key(|(time, place, planned)| core::cmp::Reverse((*time, planned.rank(), *place)));
        let all_wake = scenario.wakes == Wakes::All;
        Ok(Self {
            protocol,
            states,
            world,
            agenda,
            all_wake,
            pass: None,
            batch: Vec::new(),
            due: Vec::new(),
            clashes: Clashes::default(),
        })
    }

    /// Everybody wakes at 0, after the crashes of that instant and before its requests.
    fn wake_all(&mut self) {
        self.all_wake = false;
        while self.agenda.last().is_some_and(|(time, _, planned)| *time == 0 && planned.rank() == 0) {
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
        if self.all_wake {
            self.wake_all();
            return true;
        }
        let planned = self.agenda.last().map(|(time, ..)| *time);
        let next = [planned, self.world.arrivals.next_time(), self.world.alarms.next_time()];
        let Some(next) = next.into_iter().flatten().min() else { return !self.world.zero.is_empty() };
        // What was set to zero ticks on waking comes before any later instant.
        let next = if self.world.zero.is_empty() { next } else { self.world.now };
        self.world.now = next;
        self.world.arrivals.advance(next);
        self.world.alarms.advance(next);
        while self.agenda.last().is_some_and(|(time, ..)| *time == next) {
            self.take_planned();
        }
        true
    }

    fn take_planned(&mut self) {
        let (_, place, planned) = self.agenda.pop().expect("there is something planned");
        match planned {
            Planned::Crash => {
                self.world.crashed[place as usize] = true;
                self.world.monitor.crash(place);
            }
            Planned::Wake if self.world.is_up(place) => {
                self.touch(place);
                self.step(place, Event::Wake, D::Depth::default());
            }
            Planned::Call(request) if self.world.is_up(place) => {
                self.touch(place);
                self.step(place, Event::Call(request), D::Depth::default());
            }
            Planned::Wake | Planned::Call(_) => {}
        }
    }

    /// One pass of the present instant; what is sent with delay 0 arrives in the next one.
    fn one_pass(&mut self, pass: u32) {
        if self.world.reading == Reading::PerStep {
            self.take_arrivals(pass);
            self.take_ticks();
        } else {
            self.take_ticks();
            self.take_arrivals(pass);
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
        batch.sort_by_key(Arrival::rank);
        for arrival in batch.drain(..) {
            if self.world.reading == Reading::Immediate {
                self.receive(arrival);
            } else {
                self.arrive(arrival, pass);
            }
        }
        self.batch = batch;
    }

    /// How many arrivals ahead memory is fetched.
    const AHEAD: usize = 16;

    #[inline]
    fn fetch(&self, place: Place) {
        prefetch(&raw const self.states[place as usize]);
        if let Some(count) = self.world.chance.coin_count(place) {
            prefetch(count);
        }
        if let Some(road) = self.world.roads.address(&self.world.network, place) {
            prefetch(road);
        }
    }

    /// Whether only messages on their way to be handled on arrival are left.
    fn can_race(&self) -> bool {
        self.world.swift
            && self.world.plain
            && self.world.crashed.is_empty()
            && self.world.grid.is_none()
            && self.agenda.is_empty()
            && !self.all_wake
    }

    /// Takes the arrivals of one instant after the other as fast as it can, without full detail, while nothing else
    /// happens. Steps of different places at one instant do not influence each other, so only arrivals at one place
    /// need an order, and on a unidirectional ring they have it.
    fn race(&mut self, enough: u64) {
        match &self.world.arrivals {
            Flights::Line(_) if P::Network::TOPOLOGY == Topology::Ring => self.race_in_line(enough),
            Flights::Line(_) => {}
            Flights::Wheel(wheel) if wheel.reaches(self.world.roads.longest()) => self.race_on_wheel(enough),
            Flights::Wheel(_) => {}
        }
    }

    fn race_in_line(&mut self, enough: u64) {
        let delay = self.world.roads.longest();
        while self.world.cost.deliveries < enough {
            let Flights::Line(line) = &mut self.world.arrivals else { return };
            let Some(now) = line.next_time() else { return };
            line.advance(now);
            self.world.now = now;
            let count = line.take_count();
            let others = line.len() - count;
            self.world.cost.deliveries += count as u64;
            for _ in 0..count {
                let Flights::Line(line) = &mut self.world.arrivals else { return };
                let Some(arrival) = line.take() else { return };
                // Whoever passes this on makes the next ones needed, one instant after the other.
                if let Some(soon) = self.states.get(arrival.to as usize + Self::AHEAD) {
                    prefetch(&raw const *soon);
                }
                let port = P::Network::port(arrival.entry);
                self.step_in::<{ mode::LINE }>(arrival.to, Event::Receive(port, arrival.message), arrival.depth);
            }
            let Flights::Line(line) = &mut self.world.arrivals else { return };
            line.count(now + delay, line.len() - others);
        }
    }

    fn race_on_wheel(&mut self, enough: u64) {
        while self.world.cost.deliveries < enough {
            let Flights::Wheel(wheel) = &mut self.world.arrivals else { return };
            let Some(now) = wheel.next_time() else { return };
            wheel.advance(now);
            self.world.now = now;
            if P::Network::TOPOLOGY != Topology::Ring {
                let mut batch = mem::take(&mut self.batch);
                self.world.arrivals.take_into(&mut batch);
                self.world.cost.deliveries += batch.len() as u64;
                self.clashes.order(&mut batch);
                self.take_swiftly(&mut batch);
                self.batch = batch;
                continue;
            }
            while let Flights::Wheel(wheel) = &mut self.world.arrivals
                && let Some(mut chunk) = wheel.pop()
            {
                self.world.cost.deliveries += chunk.len() as u64;
                self.take_swiftly(&mut chunk);
                if let Flights::Wheel(wheel) = &mut self.world.arrivals {
                    wheel.recycle(chunk);
                }
            }
        }
    }

    fn take_swiftly(&mut self, chunk: &mut Vec<Arrival<P, D>>) {
        let mut rest = chunk.drain(..);
        while let Some(arrival) = rest.next() {
            if let Some(ahead) = rest.as_slice().get(Self::AHEAD) {
                self.fetch(ahead.to);
            }
            let port = P::Network::port(arrival.entry);
            self.step_in::<{ mode::WHEEL }>(arrival.to, Event::Receive(port, arrival.message), arrival.depth);
        }
    }

    /// A message is handled on arrival.
    #[inline]
    fn receive(&mut self, arrival: Arrival<P, D>) {
        self.world.cost.deliveries += 1;
        let port = P::Network::port(arrival.entry);
        if !self.world.plain {
            self.world.delivered(arrival.to, port);
        }
        if self.world.is_up(arrival.to) {
            self.touch(arrival.to);
            self.step(arrival.to, Event::Receive(port, arrival.message), arrival.depth);
        }
    }

    /// A message arrives and waits to be read, unless it is urgent and nothing waits before it.
    fn arrive(&mut self, arrival: Arrival<P, D>, pass: u32) {
        let place = arrival.to;
        let empty = self.world.queues.as_ref().is_some_and(|queues| queues.len(place) == 0);
        if !self.world.is_up(place)
            || empty && self.states[place as usize].urgent(&self.protocol, &arrival.message)
        {
            return self.receive(arrival);
        }
        let fresh = self.world.grid.as_ref().is_some_and(|grid| grid.first(place) == ASLEEP);
        self.touch(place);
        self.world.cost.deliveries += 1;
        let port = P::Network::port(arrival.entry);
        if !self.world.plain {
            self.world.delivered(place, port);
        }
        self.world.wait(place, Held { port, depth: arrival.depth, message: arrival.message }, pass == 0 || fresh);
    }

    /// What is due at this instant's ticks: each place reads, then its timers fire.
    fn take_ticks(&mut self) {
        if !self.world.alarms.is_due() {
            return;
        }
        let mut due = mem::take(&mut self.due);
        while let Some(mut chunk) = self.world.alarms.pop() {
            due.append(&mut chunk);
            self.world.alarms.recycle(chunk);
        }
        due.sort_unstable();
        for alarm in due.drain(..) {
            if !self.world.is_up(alarm.place) {
                continue;
            }
            match alarm.what {
                Due::Read => self.read(alarm.place),
                Due::Step => self.walk(alarm.place),
                Due::Timer(timer) => {
                    if self.world.take_timer(alarm.place, &timer, DueIn::At(self.world.now)) {
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

    /// A step of varying length: reads all, then counts down.
    fn walk(&mut self, place: Place) {
        let walk = &mut self.world.walks[place as usize];
        (walk.last, walk.next) = (self.world.now, ASLEEP);
        let set_before = self.world.pending.get(place as usize).map_or(0, |pending| pending.timers.len());
        if self.world.queues.as_ref().is_some_and(|queues| queues.len(place) > 0) {
            // Timers count this step only if they were set before it; what is read may replace them.
            let before = self.world.count_down(place, set_before);
            self.read(place);
            self.fire(place, before);
        } else {
            let due = self.world.count_down(place, set_before);
            self.fire(place, due);
        }
        if self.world.pending.get(place as usize).is_some_and(Pending::counts) {
            self.world.schedule_step(place, false);
        }
    }

    fn fire(&mut self, place: Place, mut due: Vec<TimerOf<P>>) {
        due.sort_unstable();
        for timer in due {
            if self.world.take_timer(place, &timer, DueIn::Steps(0)) {
                self.timeout(place, timer);
            }
        }
    }

    fn take_zero_timers(&mut self) {
        let mut zero = mem::take(&mut self.world.zero);
        zero.sort_unstable();
        zero.dedup();
        for (place, timer) in zero {
            if self.world.is_up(place) && self.world.take_timer(place, &timer, DueIn::EndOfPass) {
                self.timeout(place, timer);
            }
        }
    }

    /// A timer has run off and is no longer pending.
    fn timeout(&mut self, place: Place, timer: TimerOf<P>) {
        if self.world.half.is_none() {
            return self.step(place, Event::Timeout(timer), D::Depth::default());
        }
        // Tried on a clone with its effects held back: it may not send on a link that is not free.
        let mark = self.world.chance.mark(place);
        let mut trial = self.states[place as usize].clone();
        let mut held = HeldBack { world: &mut self.world, place, effects: Vec::new() };
        trial.step(&self.protocol, Event::Timeout(timer.clone()), &mut held);
        let effects = held.effects;
        let world = &mut self.world;
        let free = |port| world.half.as_ref().is_some_and(|half| half.free(world.network.link(place, port)));
        if effects.iter().all(|effect| !matches!(effect, Effect::Send(port, _) if !free(*port))) {
            self.states[place as usize] = trial;
            let event = Event::Timeout(timer);
            self.world.note(place, &event, D::Depth::default());
            let mut fx = Fx::<P, D, { mode::ANY }> { world: &mut self.world, place };
            for effect in effects {
                match effect {
                    Effect::Send(port, message) => fx.send(port, message),
                    Effect::SetTimer(timer, after) => fx.set_timer(timer, after),
                    Effect::CancelTimer(timer) => fx.cancel_timer(timer),
                    Effect::Report(report) => fx.report(report),
                    Effect::Choose(bound, chosen) => fx.world.logged(|| Effect::Choose(bound, chosen)),
                }
            }
            self.note_phase(place);
        } else {
            world.chance.restore(place, &mark);
            world.keep_timer(place, timer.clone(), DueIn::EndOfPass);
            if let Some(half) = &mut world.half {
                half.held.insert((place, timer));
            }
        }
    }

    /// Starts a processor's clock, if there are clocks.
    #[inline]
    fn touch(&mut self, place: Place) {
        if let Some(grid) = &mut self.world.grid {
            grid.touch(place, self.world.now);
        }
    }

    fn step(&mut self, place: Place, event: Event<P::Processor>, depth: D::Depth) {
        self.step_in::<{ mode::ANY }>(place, event, depth);
    }

    #[inline(always)]
    fn step_in<const MODE: u8>(&mut self, place: Place, event: Event<P::Processor>, depth: D::Depth) {
        if D::FULL {
            self.world.note(place, &event, depth);
        }
        let mut fx = Fx::<P, D, MODE> { world: &mut self.world, place };
        self.states[place as usize].step(&self.protocol, event, &mut fx);
        self.note_phase(place);
    }

    #[inline]
    fn note_phase(&mut self, place: Place) {
        if P::Processor::PHASED {
            let phase = self.states[place as usize].phase();
            self.world.cost.phases = self.world.cost.phases.max(Some(phase));
        }
    }
}

impl<P: Protocol, D: Detail> World<P, D> {
    #[inline]
    fn is_up(&self, place: Place) -> bool {
        self.crashed.is_empty() || !self.crashed[place as usize]
    }

    /// Takes note of a step before it is taken.
    fn note(&mut self, place: Place, event: &Event<P::Processor>, depth: D::Depth) {
        self.cost.steps += 1;
        self.cost.time = self.now;
        let own = &mut self.depths[place as usize];
        *own = own.longer(depth);
        self.trace.add(&(self.now, place));
        match event {
            Event::Wake => self.trace.add(&0u8),
            Event::Receive(port, message) => self.trace.add(&(1u8, port, message)),
            Event::Timeout(timer) => self.trace.add(&(2u8, timer)),
            Event::Call(request) => self.trace.add(&(3u8, request)),
        }
        if let Some(log) = &mut self.log {
            log.push(Record { time: self.now, place, event: event.clone(), effects: Vec::new() });
        }
    }

    /// Adds to the step being logged, if steps are logged.
    #[inline]
    fn logged(&mut self, effect: impl FnOnce() -> Effect<P::Processor>) {
        if D::FULL
            && let Some(log) = &mut self.log
            && let Some(record) = log.last_mut()
        {
            record.effects.push(effect());
        }
    }

    /// Sends where something may fail or links carry one message at a time.
    #[cold]
    fn send_with_care(&mut self, from: Place, port: Port, message: MessageOf<P>, depth: D::Depth) {
        let mut copies = 1;
        if let Some(loss) = self.faults.loss
            && self.chance.choose::<true>(Lane::Fault, from, u64::from(loss.whole)) < u64::from(loss.part)
        {
            copies = 0;
        }
        if copies > 0
            && let Some(twice) = self.faults.duplicate
            && self.chance.choose::<true>(Lane::Fault, from, u64::from(twice.whole)) < u64::from(twice.part)
        {
            copies = 2;
            self.passes[message.kind()] += 1;
            self.cost.bits += message.bits();
        }
        for _ in 0..copies {
            let link = self.network.link(from, port);
            let item = Waiting { from, port, message: message.clone(), depth };
            let item = match &mut self.half {
                None => Some(item),
                Some(half) => half.offer(link, item),
            };
            if let Some(item) = item {
                self.transmit(item.from, item.port, item.message, item.depth);
            }
        }
    }

    /// Puts a message on its way.
    fn transmit(&mut self, from: Place, port: Port, message: MessageOf<P>, depth: D::Depth) {
        self.transmit_in::<{ mode::ANY }>(from, port, message, depth);
    }

    #[inline(always)]
    fn transmit_in<const MODE: u8>(&mut self, from: Place, port: Port, message: MessageOf<P>, depth: D::Depth) {
        let (to, entry) = self.network.route(from, port);
        if MODE == mode::LINE {
            let Flights::Line(line) = &mut self.arrivals else { unreachable!("the mode says so") };
            return line.push_uncounted(Arrival { to, entry, depth, message });
        }
        let way = (from, port, to);
        let at = if D::FULL {
            self.roads.arrival::<true>(self.now, &self.network, way, &mut self.chance)
        } else {
            self.roads.arrival::<false>(self.now, &self.network, way, &mut self.chance)
        };
        if MODE == mode::WHEEL {
            let Flights::Wheel(wheel) = &mut self.arrivals else { unreachable!("the mode says so") };
            return wheel.push_near(at, Arrival { to, entry, depth, message });
        }
        self.arrivals.push(at, Arrival { to, entry, depth, message });
    }

    /// A half-duplex link has delivered: the next message takes it, and steps that waited for it are tried again.
    fn delivered(&mut self, to: Place, port: Port) {
        let Some(half) = &mut self.half else { return };
        let next = half.delivered(self.network.link(to, port));
        if let Some(next) = next {
            self.transmit(next.from, next.port, next.message, next.depth);
        }
        let (from, _) = self.network.route(to, port);
        let half = self.half.as_mut().expect("it was there");
        let retried = half.held.extract_if(.., |(place, _)| *place == to || *place == from);
        self.zero.extend(retried);
    }

    /// A message waits to be read. `tick_ahead`: a tick at this very instant is still to come.
    fn wait(&mut self, place: Place, held: Held<P, D>, tick_ahead: bool) {
        let queues = self.queues.as_mut().expect("reading is not immediate");
        let length = queues.push(place, held);
        self.cost.longest_queue = self.cost.longest_queue.max(length);
        if length == 1 {
            self.schedule_read(place, tick_ahead);
        }
    }

    fn schedule_read(&mut self, place: Place, tick_ahead: bool) {
        if !self.walks.is_empty() {
            return self.schedule_step(place, tick_ahead);
        }
        let grid = self.grid.as_ref().expect("reading is not immediate");
        let at = match (self.reading, grid.varying()) {
            (_, Some((least, span))) => {
                Some(self.now + least + choose::<D>(&mut self.chance, Lane::Step, place, span))
            }
            (Reading::PerStep, None) if tick_ahead => grid.at_or_after(place, self.now),
            _ => grid.after(place, self.now, Ticks::ONE),
        };
        // A clock that runs over the end of time reads nothing more.
        if let Some(at) = at {
            self.alarms.push(at, Alarm { place, what: Due::Read });
        }
    }

    /// Makes sure that a place whose steps vary takes its next one.
    fn schedule_step(&mut self, place: Place, tick_ahead: bool) {
        let (least, span) = self.grid.as_ref().and_then(Grid::varying).expect("steps vary");
        let first = self.grid.as_ref().map_or(0, |grid| grid.first(place));
        let mut walk = self.walks[place as usize];
        if walk.next != ASLEEP {
            return;
        }
        let now = self.now;
        let late_enough = |at: Time| if tick_ahead { at >= now } else { at > now };
        let mut next = if walk.last == ASLEEP { first } else { walk.last };
        // Steps without anything to do were not simulated; their lengths are drawn now.
        while !late_enough(next) || next == walk.last {
            walk.last = next;
            next = next.saturating_add(least + choose::<D>(&mut self.chance, Lane::Step, place, span));
        }
        walk.next = next;
        self.walks[place as usize] = walk;
        self.alarms.push(next, Alarm { place, what: Due::Step });
    }

    /// Counts the first `count` timers of a place down by one step; those that are due.
    fn count_down(&mut self, place: Place, count: usize) -> Vec<TimerOf<P>> {
        let mut due = Vec::new();
        if count == 0 {
            return due;
        }
        for (timer, left) in &mut self.pending[place as usize].timers[..count] {
            if let DueIn::Steps(steps) = left {
                *steps = steps.saturating_sub(1);
                if *steps == 0 {
                    due.push(timer.clone());
                }
            }
        }
        due
    }

    fn keep_timer(&mut self, place: Place, timer: TimerOf<P>, due: DueIn) {
        if self.pending.is_empty() {
            self.pending = vec![Pending { timers: Vec::new() }; self.grid_len()];
        }
        self.forget_timer(place, &timer);
        self.never += u64::from(due == DueIn::Never);
        self.pending[place as usize].timers.push((timer, due));
    }

    fn grid_len(&self) -> usize {
        self.grid.as_ref().expect("a protocol that sets timers has clocks").len()
    }

    fn forget_timer(&mut self, place: Place, timer: &TimerOf<P>) {
        if let Some(pending) = self.pending.get_mut(place as usize)
            && let Some(index) = pending.timers.iter().position(|(other, _)| other == timer)
        {
            let (_, due) = pending.timers.swap_remove(index);
            self.never -= u64::from(due == DueIn::Never);
        }
    }

    /// Removes a timer that is pending for just this moment; false if it was replaced or cancelled meanwhile.
    fn take_timer(&mut self, place: Place, timer: &TimerOf<P>, due: DueIn) -> bool {
        let Some(pending) = self.pending.get_mut(place as usize) else { return false };
        let found = pending.timers.iter().position(|(other, when)| other == timer && *when == due);
        if let Some(index) = found {
            pending.timers.swap_remove(index);
        }
        found.is_some()
    }

    fn set_timer(&mut self, place: Place, timer: TimerOf<P>, after: Ticks) {
        if after == Ticks::ZERO {
            self.zero.push((place, timer.clone()));
            return self.keep_timer(place, timer, DueIn::EndOfPass);
        }
        if !self.walks.is_empty() {
            let due = after.get().map_or(DueIn::Never, DueIn::Steps);
            self.keep_timer(place, timer, due);
            if due != DueIn::Never {
                self.schedule_step(place, false);
            }
            return;
        }
        let grid = self.grid.as_ref().expect("a protocol that sets timers has clocks");
        let at = match grid.varying() {
            Some((least, span)) => {
                let length = least + choose::<D>(&mut self.chance, Lane::Step, place, span);
                after.times(length).and_then(|ticks| self.now.checked_add(ticks))
            }
            None => grid.after(place, self.now, after),
        };
        match at {
            Some(at) => {
                self.alarms.push(at, Alarm { place, what: Due::Timer(timer.clone()) });
                self.keep_timer(place, timer, DueIn::At(at));
            }
            None => self.keep_timer(place, timer, DueIn::Never),
        }
    }
}

impl<T> Pending<T> {
    /// Whether some timer waits for steps.
    fn counts(&self) -> bool {
        self.timers.iter().any(|(_, due)| matches!(due, DueIn::Steps(_)))
    }
}

#[inline]
fn choose<D: Detail>(chance: &mut Chance, lane: Lane, place: Place, bound: u64) -> u64 {
    if D::FULL { chance.choose::<true>(lane, place, bound) } else { chance.choose::<false>(lane, place, bound) }
}

/// The effects of a step that is taken.
struct Fx<'a, P: Protocol, D: Detail, const MODE: u8> {
    world: &'a mut World<P, D>,
    place: Place,
}

impl<P: Protocol, D: Detail, const MODE: u8> Effects<P::Processor> for Fx<'_, P, D, MODE> {
    #[inline(always)]
    fn send(&mut self, port: Port, message: MessageOf<P>) {
        let world = &mut *self.world;
        world.passes[message.kind()] += 1;
        let mut depth = D::Depth::default();
        if MODE != mode::ANY {
            return world.transmit_in::<MODE>(self.place, port, message, depth);
        }
        if D::FULL {
            depth = world.depths[self.place as usize].next();
            world.cost.depth = world.cost.depth.max(depth.get());
            world.cost.bits += message.bits();
            world.logged(|| Effect::Send(port, message.clone()));
        }
        if world.plain {
            world.transmit(self.place, port, message, depth);
        } else {
            world.send_with_care(self.place, port, message, depth);
        }
    }

    fn set_timer(&mut self, timer: TimerOf<P>, after: Ticks) {
        self.world.logged(|| Effect::SetTimer(timer.clone(), after));
        self.world.set_timer(self.place, timer, after);
    }

    fn cancel_timer(&mut self, timer: TimerOf<P>) {
        self.world.logged(|| Effect::CancelTimer(timer.clone()));
        self.world.forget_timer(self.place, &timer);
    }

    #[inline]
    fn choose(&mut self, bound: u32) -> u32 {
        let chosen = choose::<D>(&mut self.world.chance, Lane::Coin, self.place, u64::from(bound)) as u32;
        self.world.logged(|| Effect::Choose(bound, chosen));
        chosen
    }

    fn report(&mut self, report: Report<P::Processor>) {
        let world = &mut *self.world;
        world.logged(|| Effect::Report(report.clone()));
        if world.monitor.observe(self.place, report) && world.cost.time_elected.is_none() {
            world.cost.time_elected = Some(world.now);
            world.cost.depth_elected = world.depths.get(self.place as usize).map(|depth| depth.get());
        }
    }

    fn elapsed(&mut self) -> Option<Ticks> {
        self.world.grid.as_ref()?.elapsed(self.place, self.world.now)
    }
}

/// The effects of a step that may not be taken after all.
struct HeldBack<'a, P: Protocol, D: Detail> {
    world: &'a mut World<P, D>,
    place: Place,
    effects: Vec<Effect<P::Processor>>,
}

impl<P: Protocol, D: Detail> Effects<P::Processor> for HeldBack<'_, P, D> {
    fn send(&mut self, port: Port, message: MessageOf<P>) {
        self.effects.push(Effect::Send(port, message));
    }

    fn set_timer(&mut self, timer: TimerOf<P>, after: Ticks) {
        self.effects.push(Effect::SetTimer(timer, after));
    }

    fn cancel_timer(&mut self, timer: TimerOf<P>) {
        self.effects.push(Effect::CancelTimer(timer));
    }

    fn choose(&mut self, bound: u32) -> u32 {
        let chosen = choose::<D>(&mut self.world.chance, Lane::Coin, self.place, u64::from(bound)) as u32;
        self.effects.push(Effect::Choose(bound, chosen));
        chosen
    }

    fn report(&mut self, report: Report<P::Processor>) {
        self.effects.push(Effect::Report(report));
    }

    fn elapsed(&mut self) -> Option<Ticks> {
        self.world.grid.as_ref()?.elapsed(self.place, self.world.now)
    }
}

impl<P: Protocol, D: Detail> Run for Simulation<P, D> {
    fn advance(&mut self, budget: u64) -> bool {
        let enough = self.world.cost.deliveries.saturating_add(budget);
        // Passes count too: a clock that only ticks must not keep the caller waiting for ever.
        for _ in 0..budget.max(1) {
            if !D::FULL && self.pass.is_none() && self.can_race() {
                self.race(enough);
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
        records.into_iter().map(|record| Step::new(record, sender, receiver)).collect()
    }

    fn summary(&self) -> Summary {
        let world = &self.world;
        let monitor = &world.monitor;
        let finished = monitor.finished();
        let silent = !self.all_wake
            && self.agenda.is_empty()
            && self.pass.is_none()
            && world.arrivals.next_time().is_none()
            && world.alarms.next_time().is_none();
        let reason = match (finished, silent, world.never) {
            (true, ..) => None,
            (_, false, _) => Some(Silence::Interrupted),
            (_, _, 0) => Some(Silence::Silent),
            _ => Some(Silence::NeverTimer),
        };
        let mut violations = monitor.violations().to_vec();
        if reason == Some(Silence::Silent) {
            violations.push(Violation { property: "it finishes", detail: self.why_silent() });
        }
        let verdict = match reason {
            _ if !violations.is_empty() => Verdict::Violated,
            None => Verdict::Held,
            _ => Verdict::Unknown,
        };
        let kinds = MessageOf::<P>::KINDS.iter().copied().zip(world.passes.iter().copied()).collect();
        let mut cost = Cost { kinds, ..world.cost.clone() };
        if !D::FULL {
            cost.time = world.now;
        }
        Summary { outcome: monitor.outcome(), finished, verdict, reason, violations, cost, trace: world.trace.get() }
    }

    fn bytes(&self) -> usize {
        let world = &self.world;
        let pending: usize = world.pending.iter().map(|p| p.timers.capacity() * size_of::<(TimerOf<P>, DueIn)>()).sum();
        self.states.capacity() * size_of::<P::Processor>()
            + world.arrivals.bytes()
            + world.alarms.bytes()
            + world.roads.bytes()
            + world.chance.bytes()
            + world.queues.as_ref().map_or(0, Queues::bytes)
            + world.grid.as_ref().map_or(0, Grid::bytes)
            + world.pending.capacity() * size_of::<Pending<TimerOf<P>>>()
            + pending
            + world.depths.capacity() * size_of::<D::Depth>()
            + self.batch.capacity() * size_of::<Arrival<P, D>>()
    }

    fn bad_choice(&self) -> Option<BadChoice> {
        self.world.chance.bad()
    }
}

impl<P: Protocol, D: Detail> Simulation<P, D> {
    fn why_silent(&self) -> String {
        let missing = self.world.monitor.missing();
        let now = self.world.now;
        let stuck = self.states.iter().enumerate().find_map(|(place, state)| Some((place, state.stuck(&self.protocol)?)));
        match stuck {
            Some((place, why)) => format!("silent since time {now}: {missing}; place {place}: {why}"),
            None => format!("silent since time {now}: {missing}"),
        }
    }
}

/// Asks the processor to fetch memory that will be needed soon.
#[inline]
fn prefetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code, reason = "a third of the speed of large networks; a prefetch reads nothing and cannot fault")]
    // SAFETY: the instruction is a hint: whatever the address, no memory is accessed as far as the program can tell.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
