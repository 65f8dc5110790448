//! Everything but the processors: what their effects act upon.

use alloc::string::String;
use alloc::vec::Vec;

use ringleader_model::{
    Effects, Event, Faults, Message, Meter, Moment, Monitor, Network, Place, Port, Problem, Processor, Protocol,
    Reading, Report, Request, Ticks, Time, TraceHash,
};

use crate::chance::Chance;
use crate::clock::{ASLEEP, Grid};
use crate::detail::{Depth, Detail};
use crate::half::{HalfLinks, Waiting};
use crate::line::Flights;
use crate::link::Roads;
use crate::queue::Queues;
use crate::random::Lane;
use crate::run::{Cost, Effect, Record, Step};
use crate::simulation::END_OF_TIME;
use crate::timer::{Timers, When};
use crate::visits::Visits;
use crate::wheel::Wheel;

pub(crate) type MessageOf<P> = <<P as Protocol>::Processor as Processor>::Message;
pub(crate) type TimerOf<P> = <<P as Protocol>::Processor as Processor>::Timer;
pub(crate) type ProblemOf<P> = <<P as Protocol>::Processor as Processor>::Problem;
pub(crate) type MonitorOf<P> = <<<P as Protocol>::Processor as Processor>::Problem as Problem>::Monitor;
pub(crate) type MeterOf<P> = <<<P as Protocol>::Processor as Processor>::Problem as Problem>::Meter;
/// What waits for own ticks of a place.
pub(crate) type SlotOf<P> = Slot<TimerOf<P>, Request<<P as Protocol>::Processor>>;
type EntryOf<P> = <<P as Protocol>::Network as Network>::Entry;

/// From so many steps on, a rest is long.
const LONG_REST: u64 = 256;
/// From so many steps on, they are not taken one by one: all have the same length, drawn once.
const MANY_STEPS: u64 = 1 << 16;

pub(crate) struct World<P: Protocol, D: Detail> {
    pub(crate) network: P::Network,
    pub(crate) now: Time,
    pub(crate) reading: Reading,
    /// Whether this instant's ticks are still to come.
    pub(crate) ticks_ahead: bool,
    /// Whether what happens now comes before the ticks of this instant, where either may come first: they count for timers
    /// that are set now.
    pub(crate) before_tick: bool,
    pub(crate) roads: Roads,
    pub(crate) arrivals: Flights<Arrival<P, D>>,
    pub(crate) alarms: Wheel<Alarm<SlotOf<P>>>,
    /// Timers of zero ticks and timers held back by a half-duplex link: tried at the end of the pass.
    pub(crate) zero: Vec<(Place, SlotOf<P>)>,
    /// Messages that wait to be read, unless reading is immediate.
    pub(crate) queues: Option<Queues<Held<P, D>>>,
    /// Clocks, unless nothing asks for them.
    pub(crate) grid: Option<Grid>,
    pub(crate) timers: Timers<SlotOf<P>>,
    /// Under per-step reading with varying clocks: each place's last and next step.
    pub(crate) walks: Vec<Walk>,
    pub(crate) half: Option<HalfLinks<MessageOf<P>, D::Depth, SlotOf<P>>>,
    pub(crate) faults: Faults,
    /// Neither faults nor half-duplex links: sending is just sending.
    pub(crate) plain: bool,
    /// Every message is handled on arrival, and none arrives in the instant in which it was sent.
    pub(crate) swift: bool,
    /// Who has crashed; empty if nobody ever does.
    pub(crate) crashed: Vec<bool>,
    pub(crate) chance: Chance,
    pub(crate) monitor: MonitorOf<P>,
    pub(crate) meter: MeterOf<P>,
    /// What users ask over and over, if they do.
    pub(crate) visits: Option<Visits>,
    /// By place; empty without full detail.
    pub(crate) histories: Vec<History<D::Depth>>,
    pub(crate) cost: Cost,
    pub(crate) passes: Vec<u64>,
    /// Effects so far.
    pub(crate) acts: u64,
    pub(crate) log: Option<Vec<Record<P::Processor>>>,
    /// What failed in a run whose steps are logged.
    pub(crate) failures: Vec<Step>,
}

/// What a full run keeps of the steps of one place, side by side in memory: every step needs both.
#[derive(Clone, Copy)]
pub(crate) struct History<N> {
    /// The longest causal chain of messages that led here.
    pub(crate) depth: N,
    /// The hash chain of its steps.
    pub(crate) chain: TraceHash,
}

/// How things were before a step.
pub(crate) struct Mark {
    acts: u64,
    time: Time,
    steps: u64,
    place: Place,
    chain: Option<TraceHash>,
}

/// A message in flight.
pub(crate) struct Arrival<P: Protocol, D: Detail> {
    pub(crate) to: Place,
    pub(crate) entry: EntryOf<P>,
    pub(crate) depth: D::Depth,
    pub(crate) message: MessageOf<P>,
}

impl<P: Protocol, D: Detail> Clone for Arrival<P, D> {
    #[inline(always)]
    fn clone(&self) -> Self {
        Self { to: self.to, entry: self.entry, depth: self.depth, message: self.message.clone() }
    }
}

impl<P: Protocol, D: Detail> Arrival<P, D> {
    /// The order of arrivals in one pass: by receiving place and port; those of one link keep their order.
    #[inline]
    pub(crate) fn rank(&self) -> (Place, Port) {
        (self.to, self.port())
    }

    #[inline]
    pub(crate) fn port(&self) -> Port {
        P::Network::port(self.entry)
    }
}

/// A message that waits to be read.
pub(crate) struct Held<P: Protocol, D: Detail> {
    pub(crate) port: Port,
    pub(crate) depth: D::Depth,
    pub(crate) message: MessageOf<P>,
}

/// Something a place must do at a tick.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Alarm<T> {
    pub(crate) place: Place,
    pub(crate) what: Due<T>,
}

/// What waits for own ticks: a timer of the processor's, or a request of its user. At one tick timers come first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Slot<T, R> {
    Timer(T),
    Call(R),
}

/// In the order in which they are done at one tick.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Due<T> {
    Read,
    /// A step of varying length: read all, then count the timers down.
    Step,
    Timer(T),
}

/// A place whose every step has a length of its own.
#[derive(Clone, Copy)]
pub(crate) struct Walk {
    /// [`ASLEEP`] before the first step.
    pub(crate) last: Time,
    /// [`ASLEEP`] while there is nothing to do.
    pub(crate) next: Time,
}

impl Walk {
    pub(crate) const NEW: Self = Self { last: ASLEEP, next: ASLEEP };
}

impl<P: Protocol, D: Detail> World<P, D> {
    /// What a step of a place may do.
    pub(crate) fn fx(&mut self, place: Place) -> Fx<'_, P, D> {
        Fx { world: self, place }
    }

    #[inline]
    pub(crate) fn is_up(&self, place: Place) -> bool {
        self.crashed.is_empty() || !self.crashed[place as usize]
    }

    /// How things are before a step that may turn out to be void.
    pub(crate) fn mark(&self, place: Place) -> Mark {
        let chain = self.histories.get(place as usize).map(|history| history.chain);
        Mark { acts: self.acts, time: self.cost.time, steps: self.cost.steps, place, chain }
    }

    /// Takes back the note of a step if it did nothing.
    pub(crate) fn undo_if_idle(&mut self, mark: &Mark) {
        if self.acts == mark.acts {
            (self.cost.time, self.cost.steps) = (mark.time, mark.steps);
            if let Some(chain) = mark.chain {
                self.histories[mark.place as usize].chain = chain;
            }
            if let Some(log) = &mut self.log {
                log.pop();
            }
        }
    }

    /// Takes note of a step before it is taken.
    #[inline]
    pub(crate) fn note(&mut self, place: Place, event: &Event<P::Processor>, depth: D::Depth) {
        self.cost.time = self.now;
        if !D::FULL {
            return;
        }
        self.cost.steps += 1;
        let History { depth: own, chain } = &mut self.histories[place as usize];
        *own = own.longer(depth);
        chain.add(&self.now);
        match event {
            Event::Wake => chain.add(&0u8),
            Event::Receive(port, message) => chain.add(&(1u8, port, message)),
            Event::Timeout(timer) => chain.add(&(2u8, timer)),
            Event::Call(request) => chain.add(&(3u8, request)),
        }
        if let Some(log) = &mut self.log {
            log.push(Record { time: self.now, place, event: event.clone(), effects: Vec::new() });
        }
    }

    /// Takes note of an effect; it is added to the step being logged, if steps are logged.
    #[inline]
    pub(crate) fn logged(&mut self, effect: impl FnOnce() -> Effect<P::Processor>) {
        self.acts += 1;
        if D::FULL
            && let Some(log) = &mut self.log
            && let Some(record) = log.last_mut()
        {
            record.effects.push(effect());
        }
    }

    pub(crate) fn report(&mut self, place: Place, report: Report<P::Processor>) {
        self.logged(|| Effect::Report(report.clone()));
        self.meter.observe(self.now, place, &report);
        if self.visits.is_some()
            && let Some(moment) = ProblemOf::<P>::moment(&report)
        {
            self.visit(place, moment);
        }
        if self.monitor.observe(place, report) && self.cost.time_elected.is_none() {
            self.cost.time_elected = Some(self.now);
            self.cost.depth_elected = self.histories.get(place as usize).map(|history| history.depth.get());
        }
    }

    /// The user of a place asks for the first time: so many own steps after its first tick, or whenever it likes where there
    /// are no clocks.
    pub(crate) fn begin_visits(&mut self, place: Place) {
        let Some(visit) = ProblemOf::<P>::VISIT.filter(|_| self.asks_again(place)) else { return };
        let slot = Slot::Call(visit.acquire);
        let (Some(grid), Some(visits)) = (&self.grid, &self.visits) else {
            return self.set_timer(place, slot, Ticks::ZERO);
        };
        let (first, range, varying) = (grid.first(place), visits.first, grid.varying());
        let steps = range.min + self.choose(Lane::Load, place, range.max - range.min + 1);
        if first == self.now {
            return self.set_timer(place, slot, Ticks::new(steps));
        }
        let at = match varying {
            _ if steps == 0 => Some(first),
            // The step at the first tick counts as well.
            Some(_) if !self.walks.is_empty() => return self.set_timer(place, slot, Ticks::new(steps + 1)),
            Some((least, span)) => {
                let length = least + self.choose(Lane::Step, place, span);
                steps.checked_mul(length).and_then(|later| first.checked_add(later))
            }
            None => self.grid.as_ref().and_then(|grid| grid.after(place, first, Ticks::new(steps))),
        };
        let at = at.filter(|&at| at <= END_OF_TIME);
        if let Some(at) = at {
            self.alarms.push(at, Alarm { place, what: Due::Timer(slot.clone()) });
        }
        self.timers.set(place, slot, at.map_or(When::Never, When::At));
    }

    fn asks_again(&mut self, place: Place) -> bool {
        self.visits.as_mut().is_some_and(|visits| visits.ask(place))
    }

    /// The user of a place, having got in, will ask to leave; having left, to get in again.
    fn visit(&mut self, place: Place, moment: Moment) {
        let (Some(visit), Some(visits)) = (ProblemOf::<P>::VISIT, &self.visits) else { return };
        let (range, request) = match moment {
            Moment::Entered => (visits.hold, visit.release),
            Moment::Left => (visits.think, Some(visit.acquire).filter(|_| self.asks_again(place))),
        };
        let Some(request) = request else { return };
        let mut steps = Ticks::ZERO;
        // Without clocks a user leaves and asks again whenever it likes.
        if self.grid.is_some() {
            steps = Ticks::new(range.min + self.choose(Lane::Load, place, range.max - range.min + 1));
        }
        self.set_timer(place, Slot::Call(request), steps);
    }

    /// Adds to the passes by kind.
    pub(crate) fn add_passes(&mut self, passes: &[u64]) {
        for (total, more) in self.passes.iter_mut().zip(passes) {
            *total += more;
        }
    }

    /// Keeps what failed, where steps are kept.
    pub(crate) fn note_failure(&mut self, place: Place, event: String) {
        if self.log.is_some() {
            let (effects, sent) = (Vec::new(), Vec::new());
            let step =
                Step { time: self.now, place, event, effects, received: None, sent, reported: false, failed: true };
            self.failures.push(step);
        }
    }

    pub(crate) fn crash(&mut self, place: Place) {
        self.crashed[place as usize] = true;
        self.timers.forget_all(place);
        self.monitor.crash(place);
        let unread = self.queues.as_ref().map_or(0, |queues| queues.len(place));
        self.lose(unread as u64);
    }

    /// So many messages will never be read.
    pub(crate) fn lose(&mut self, messages: u64) {
        for _ in 0..messages {
            self.monitor.lost();
            self.meter.lost(self.now);
        }
    }

    #[inline]
    pub(crate) fn choose(&mut self, lane: Lane, place: Place, bound: u64) -> u64 {
        if D::FULL {
            self.chance.choose::<true>(lane, place, bound)
        } else {
            self.chance.choose::<false>(lane, place, bound)
        }
    }

    /// Sends where something may fail or links carry one message at a time.
    #[cold]
    fn send_with_care(&mut self, from: Place, port: Port, message: &MessageOf<P>, depth: D::Depth) {
        let mut copies = 1;
        let failing = self.faults.until.is_none_or(|until| self.now < until);
        if let Some(loss) = self.faults.loss
            && failing
            && self.choose(Lane::Fault, from, u64::from(loss.whole)) < u64::from(loss.part)
        {
            copies = 0;
            self.lose(1);
        } else if let Some(twice) = self.faults.duplicate
            && failing
            && self.choose(Lane::Fault, from, u64::from(twice.whole)) < u64::from(twice.part)
        {
            copies = 2;
            self.monitor.doubled();
            self.meter.doubled(self.now);
            self.passes[message.kind()] += 1;
            self.cost.bits += message.bits();
        }
        for _ in 0..copies {
            let item = Waiting { from, port, message: message.clone(), depth };
            let item = match &mut self.half {
                None => Some(item),
                Some(half) => half.offer(self.network.link(from, port), item),
            };
            if let Some(item) = item {
                self.transmit(item.from, item.port, item.message, item.depth);
            }
        }
    }

    /// Puts a message on its way.
    fn transmit(&mut self, from: Place, port: Port, message: MessageOf<P>, depth: D::Depth) {
        let (to, entry) = self.network.route(from, port);
        let way = (from, port);
        let at = if D::FULL {
            self.roads.arrival::<true>(self.now, &self.network, way, &mut self.chance)
        } else {
            self.roads.arrival::<false>(self.now, &self.network, way, &mut self.chance)
        };
        self.arrivals.push(at, Arrival { to, entry, depth, message });
    }

    /// A message has come in by a port. A half-duplex link is free now: the next message takes it, and steps that
    /// waited for it are tried again.
    pub(crate) fn delivered(&mut self, to: Place, port: Port) {
        let Some(half) = &mut self.half else { return };
        let next = half.delivered(self.network.inlink(to, port));
        half.release(to, self.network.origin(to, port), &mut self.zero);
        if let Some(next) = next {
            self.transmit(next.from, next.port, next.message, next.depth);
        }
    }

    /// A message waits to be read. `tick_ahead`: a tick at this very instant is still to come.
    pub(crate) fn wait(&mut self, place: Place, held: Held<P, D>, tick_ahead: bool) {
        let queues = self.queues.as_mut().expect("reading is not immediate");
        let length = queues.push(place, held);
        self.cost.longest_queue = self.cost.longest_queue.max(length);
        if length == 1 {
            self.schedule_read(place, tick_ahead);
        }
    }

    pub(crate) fn schedule_read(&mut self, place: Place, tick_ahead: bool) {
        if !self.walks.is_empty() {
            return self.schedule_step(place, tick_ahead);
        }
        let grid = self.grid.as_ref().expect("reading is not immediate");
        let at = match grid.varying() {
            Some((least, span)) => self.now.checked_add(least + self.choose(Lane::Step, place, span)),
            None if tick_ahead => grid.at_or_after(place, self.now),
            None => grid.after(place, self.now, Ticks::ONE),
        };
        // A clock that runs over the end of time reads nothing more.
        if let Some(at) = at {
            self.alarms.push(at, Alarm { place, what: Due::Read });
        }
    }

    /// Makes sure that a place whose steps vary takes its next one.
    pub(crate) fn schedule_step(&mut self, place: Place, tick_ahead: bool) {
        let (least, span) = self.grid.as_ref().and_then(Grid::varying).expect("steps vary");
        let mut walk = self.walks[place as usize];
        if walk.next != ASLEEP {
            return;
        }
        let now = self.now;
        // After a long rest any moment of a step is as likely as any other, and the steps it took cannot be told.
        let from = if walk.last == ASLEEP { self.grid.as_ref().map_or(0, |grid| grid.first(place)) } else { walk.last };
        if now.saturating_sub(from) / LONG_REST > least + span {
            let length = least + self.choose(Lane::Step, place, span);
            walk.last = now - 1;
            walk.next = now + u64::from(!tick_ahead) + self.choose(Lane::Step, place, length);
            self.walks[place as usize] = walk;
            return self.alarms.push(walk.next, Alarm { place, what: Due::Step });
        }
        let mut next = from;
        // Steps without anything to do were not simulated; their lengths are drawn now.
        while next == walk.last || next < now || next == now && !tick_ahead {
            walk.last = next;
            next = next.saturating_add(least + self.choose(Lane::Step, place, span));
        }
        walk.next = next;
        self.walks[place as usize] = walk;
        self.alarms.push(next, Alarm { place, what: Due::Step });
    }

    fn set_timer(&mut self, place: Place, timer: SlotOf<P>, after: Ticks) {
        let Some(grid) = &self.grid else { return self.set_sometime(place, timer, after) };
        // Users count their steps from the next instant on.
        let before_tick = self.before_tick && matches!(timer, Slot::Timer(_));
        let when = match (after, grid.varying()) {
            (Ticks::ZERO, _) => When::EndOfPass,
            // What cannot be over before time is, even if every step is as short as it can be, never is.
            (_, Some((least, _))) if self.until(after, least).is_none() => When::Never,
            (_, Some(_)) if !self.walks.is_empty() && after < Ticks::new(MANY_STEPS) => {
                let set = if before_tick { self.now.saturating_sub(1) } else { self.now };
                When::Steps { left: after.get().expect("it is not never"), set }
            }
            (_, Some((least, span))) => {
                let length = least + self.choose(Lane::Step, place, span);
                self.until(after, length).map_or(When::Never, When::At)
            }
            (_, None) => {
                let at =
                    if before_tick { grid.from(place, self.now, after) } else { grid.after(place, self.now, after) };
                at.filter(|&at| at <= END_OF_TIME).map_or(When::Never, When::At)
            }
        };
        match when {
            When::At(at) => self.alarms.push(at, Alarm { place, what: Due::Timer(timer.clone()) }),
            When::Steps { .. } => self.schedule_step(place, self.ticks_ahead),
            When::EndOfPass => self.zero.push((place, timer.clone())),
            When::Never => {}
        }
        self.timers.set(place, timer, when);
    }

    /// Sets a timer where there are no clocks: it runs off sometime, whatever its length, unless that is never.
    #[cold]
    fn set_sometime(&mut self, place: Place, timer: SlotOf<P>, after: Ticks) {
        let when = if after == Ticks::NEVER { When::Never } else { When::EndOfPass };
        if when != When::Never {
            self.zero.push((place, timer.clone()));
        }
        self.timers.set(place, timer, when);
    }

    fn until(&self, ticks: Ticks, length: u64) -> Option<Time> {
        ticks.times(length)?.checked_add(self.now).filter(|&at| at <= END_OF_TIME)
    }

    fn elapsed(&self, place: Place) -> Option<Ticks> {
        self.grid.as_ref()?.elapsed(place, self.now)
    }
}

/// The effects of a step that is taken.
pub(crate) struct Fx<'a, P: Protocol, D: Detail> {
    pub(crate) world: &'a mut World<P, D>,
    pub(crate) place: Place,
}

impl<P: Protocol, D: Detail> Effects<P::Processor> for Fx<'_, P, D> {
    fn send(&mut self, port: Port, message: MessageOf<P>) {
        let world = &mut *self.world;
        world.passes[message.kind()] += 1;
        let mut depth = D::Depth::default();
        if D::FULL {
            depth = world.histories[self.place as usize].depth.next();
            world.cost.depth = world.cost.depth.max(depth.get());
            world.cost.bits += message.bits();
        }
        world.logged(|| Effect::Send(port, message.clone()));
        if world.plain {
            world.transmit(self.place, port, message, depth);
        } else {
            world.send_with_care(self.place, port, &message, depth);
        }
    }

    fn set_timer(&mut self, timer: TimerOf<P>, after: Ticks) {
        self.world.logged(|| Effect::SetTimer(timer.clone(), after));
        self.world.set_timer(self.place, Slot::Timer(timer), after);
    }

    fn cancel_timer(&mut self, timer: TimerOf<P>) {
        self.world.logged(|| Effect::CancelTimer(timer.clone()));
        self.world.timers.forget(self.place, &Slot::Timer(timer));
    }

    #[inline]
    fn choose(&mut self, bound: u32) -> u32 {
        let chosen = self.world.choose(Lane::Coin, self.place, u64::from(bound)) as u32;
        self.world.logged(|| Effect::Choose(bound, chosen));
        chosen
    }

    fn report(&mut self, report: Report<P::Processor>) {
        self.world.report(self.place, report);
    }

    fn elapsed(&mut self) -> Option<Ticks> {
        self.world.elapsed(self.place)
    }
}

/// The effects of a step that may not be taken after all: they are held back. Coins are tossed once: when the step is
/// tried again it gets the same, so that a recorded run replays.
pub(crate) struct HeldBack<'a, P: Protocol, D: Detail> {
    pub(crate) world: &'a mut World<P, D>,
    pub(crate) place: Place,
    pub(crate) effects: Vec<Effect<P::Processor>>,
    /// What the step drew when it was last tried, the next last.
    pub(crate) before: Vec<(u32, u32)>,
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
        let chosen = match self.before.pop() {
            Some((same, chosen)) if same == bound => chosen,
            _ => {
                self.before.clear();
                self.world.choose(Lane::Coin, self.place, u64::from(bound)) as u32
            }
        };
        self.effects.push(Effect::Choose(bound, chosen));
        chosen
    }

    fn report(&mut self, report: Report<P::Processor>) {
        self.effects.push(Effect::Report(report));
    }

    fn elapsed(&mut self) -> Option<Ticks> {
        self.world.elapsed(self.place)
    }
}
