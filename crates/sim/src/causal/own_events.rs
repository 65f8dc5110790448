//! The events of places that no message brings, in a segment: late wakes, timers, and ticks at which messages are read.
//!
//! A place may execute such an event as soon as nothing that arrives can come before it. So every stream of messages ends with a
//! *promise*: nothing that follows arrives before a time. It is the null message of Chandy, Misra and Bryant
//! \[ChandyMisra1979\]. A promise grows from place to place: by the least delay, and by a tick where messages are sent only at
//! ticks. Where that is not enough, a lap raises it to the next event of the whole ring, so that no run stands still.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use ringleader_model::{Message, Place, Port, Processor, Profile, Protocol, Reading, Scenario, Ticks, Time, Wakes};

use super::account::OwnSums;
use super::segment::{BLOCK, TransitOf};
use crate::clock::{ASLEEP, Resolved, TickGrid};
use crate::engine_state::{MessageOf, QueuedMessage, TimerOf};
use crate::input_queue::InputQueues;
use crate::instrumentation::{CausalDepth, Instrumentation, MessageTag};
use crate::phase_begins::PhaseBegins;
use crate::simulation::END_OF_TIME;
use crate::step::MessageNumber;

/// A processor has at most so many pending timers; a run in which one has more is repeated in time order.
const TIMERS: usize = 2;

/// The events of the places of a segment that no message brings.
pub(super) struct OwnEvents<P: Protocol, D: Instrumentation> {
    /// By place: its next event is executed before all that arrives from this time on; [`ASLEEP`] if there is none.
    pub(super) due: Vec<Time>,
    /// By place, the wake to come; [`ASLEEP`] if there is none.
    wakes: Vec<Time>,
    /// Whether a wake without any effect is void: where not all wake together.
    pub(super) voids: bool,
    ticks: Option<Ticking<P, D>>,
    /// Nothing that follows the batch arrives earlier.
    pub(super) promise: Time,
    /// Nothing happens by itself earlier, as far as the places have been visited in this lap.
    pub(super) next: Time,
    /// By block.
    pub(super) quiet: Vec<QuietBlock>,
    /// The number of visits of places; looking at a block that is skipped counts as one.
    pub(super) visits: u64,
    /// Whether wakes lie beyond the limit of time.
    pub(super) wakes_beyond: bool,
    /// The messages that are taken through a block, and those that a place sends.
    pub(super) flow: [Vec<TransitOf<P, D>>; 2],
    /// Something has happened that only time order gets right.
    pub(super) disputed: bool,
    /// The number of pending timers that never expire.
    pub(super) never: u64,
    pub(super) longest_queue: u32,
    /// When phases begin, where the protocol asks for it.
    pub(super) phase_begins: PhaseBegins,
}

/// Before which times nothing happens in a block but what messages bring.
#[derive(Clone, Copy, Default)]
pub(super) struct QuietBlock {
    /// No event is executed before all that arrives from an earlier time on.
    pub(super) due: Time,
    /// No event is earlier.
    pub(super) own: Time,
    /// What comes in at a time goes on this much later at the earliest, through all of its places.
    pub(super) passage: u64,
}

/// The ticks of places.
struct Ticking<P: Protocol, D: Instrumentation> {
    grid: TickGrid,
    reading: Reading,
    /// Whether a processor that is awake sends nothing between ticks.
    only_at_ticks: bool,
    /// Messages that have arrived but not been read, unless reading is immediate.
    queues: Option<InputQueues<QueuedMessage<P, D>>>,
    places: Vec<PlaceTicks<TimerOf<P>>>,
    /// No link is faster.
    shortest: u64,
}

/// What happens at the ticks of a place.
#[derive(Clone)]
struct PlaceTicks<T> {
    /// When it reads; [`ASLEEP`] if nothing has arrived.
    read: Time,
    /// When timers of zero ticks expire; [`ASLEEP`] if there are none.
    zero: Time,
    timers: [Option<PendingTimer<T>>; TIMERS],
}

#[derive(Clone)]
struct PendingTimer<T> {
    timer: T,
    /// [`ASLEEP`] if never.
    at: Time,
    /// At the end of the instant.
    zero: bool,
}

/// An event that no message brings.
pub(super) enum OwnEvent<T> {
    Wake,
    Read,
    Timeout(T),
}

impl<T> PlaceTicks<T> {
    const NEW: Self = Self { read: ASLEEP, zero: ASLEEP, timers: [const { None }; TIMERS] };

    /// The next tick at which something happens.
    fn next_tick(&self) -> Time {
        let timers = self.timers.iter().flatten().filter(|pending| !pending.zero);
        timers.map(|pending| pending.at).fold(self.read, Time::min)
    }
}

impl<P: Protocol, D: Instrumentation> OwnEvents<P, D> {
    /// Whether a scenario has such events: otherwise nothing is kept of them.
    pub(super) fn has_any(profile: &Profile, scenario: &Scenario) -> bool {
        let late = matches!(&scenario.wakes, Wakes::At(at) if at.iter().flatten().any(|&time| time > 0));
        late || Self::ticks(profile, scenario)
    }

    fn ticks(profile: &Profile, scenario: &Scenario) -> bool {
        profile.timers || scenario.timing.reading != Reading::Immediate
    }

    /// Those of these places; `None` if there are none. `shortest`: of their delays.
    pub(super) fn new(profile: &Profile, scenario: &Scenario, places: &Range<u64>, shortest: u64) -> Option<Self> {
        if !Self::has_any(profile, scenario) {
            return None;
        }
        let (places, reading) = (places.start as usize..places.end as usize, scenario.timing.reading);
        let length = places.len();
        let wakes = match &scenario.wakes {
            Wakes::All => vec![0; length],
            Wakes::At(at) => at[places.clone()].iter().map(|time| time.unwrap_or(ASLEEP)).collect(),
        };
        let ticks = Self::ticks(profile, scenario).then(|| Ticking {
            grid: TickGrid::of_places(Resolved::new(scenario), places).expect("tick lengths are fixed"),
            reading,
            only_at_ticks: reading != Reading::Immediate || P::Processor::SENDS_BY_TIMERS,
            queues: (reading != Reading::Immediate).then(|| InputQueues::new(length)),
            places: vec![PlaceTicks::NEW; length],
            shortest,
        });
        Some(Self {
            due: wakes.clone(),
            wakes,
            voids: scenario.wakes != Wakes::All,
            ticks,
            promise: 0,
            next: 0,
            quiet: vec![QuietBlock::default(); length.div_ceil(BLOCK)],
            visits: 0,
            wakes_beyond: false,
            flow: [Vec::new(), Vec::new()],
            disputed: false,
            never: 0,
            longest_queue: 0,
            phase_begins: PhaseBegins::new(if profile.times_phases { length } else { 0 }),
        })
    }

    /// Puts off forever what lies beyond the limit of time, before the first event.
    pub(super) fn begin(&mut self, limit: Time) {
        for (due, &wake) in self.due.iter_mut().zip(&self.wakes) {
            if wake > limit && wake != ASLEEP {
                self.wakes_beyond = true;
                *due = ASLEEP;
            }
        }
    }

    /// Determines when the next event of a place is due. Wakes and timers beyond the limit of time never are.
    fn schedule(&mut self, place: usize, limit: Time) {
        let within = |time: Time| if time > limit { ASLEEP } else { time };
        let mut due = within(self.wakes[place]);
        if let Some(ticks) = &self.ticks {
            let place = &ticks.places[place];
            // Under per-step reading a step reads what arrives at the same instant; timers of zero ticks come last in any case.
            let later = u64::from(ticks.reading == Reading::PerStep);
            due = due.min(within(place.next_tick()).saturating_add(later)).min(within(place.zero).saturating_add(1));
        }
        self.due[place] = due;
    }

    /// Takes the next event of a place, which is due, and its time.
    pub(super) fn take(&mut self, place: usize, limit: Time) -> (Time, OwnEvent<TimerOf<P>>) {
        let wake = self.wakes[place];
        let Some(ticks) = &mut self.ticks else {
            (self.wakes[place], self.due[place]) = (ASLEEP, ASLEEP);
            return (wake, OwnEvent::Wake);
        };
        let own = &mut ticks.places[place];
        let (tick, zero) = (own.next_tick(), own.zero);
        if wake <= tick && wake <= zero {
            self.wakes[place] = ASLEEP;
            self.schedule(place, limit);
            return (wake, OwnEvent::Wake);
        }
        if own.read == tick && tick <= zero {
            own.read = ASLEEP;
            return (tick, OwnEvent::Read);
        }
        let (now, last) = (tick.min(zero), tick > zero);
        let due = |pending: &&mut Option<PendingTimer<_>>| {
            pending.as_ref().is_some_and(|pending| pending.at == now && pending.zero == last)
        };
        let first = own.timers.iter_mut().filter(due).min_by(|one, other| {
            let timer =
                |pending: &Option<PendingTimer<TimerOf<P>>>| pending.as_ref().map(|pending| pending.timer.clone());
            timer(one).cmp(&timer(other))
        });
        let pending = first.and_then(Option::take).expect("a timer is due");
        own.forget_zero();
        (now, OwnEvent::Timeout(pending.timer))
    }

    /// After an event of a place, or a message to it.
    #[inline]
    pub(super) fn settle(&mut self, place: usize, limit: Time) {
        if self.ticks.is_some() {
            self.schedule(place, limit);
        }
    }

    /// Starts a place's clock, if there are clocks; true if it was running.
    #[inline]
    pub(super) fn start_clock(&mut self, place: usize, now: Time) -> bool {
        self.ticks.as_mut().is_none_or(|ticks| !ticks.grid.start(place as Place, now))
    }

    /// Queues a message that waits for a tick to be read; gives it back if it is handled on arrival. `beyond`: is told of a tick
    /// beyond the limit.
    #[inline]
    pub(super) fn enqueue(
        &mut self,
        place: usize,
        transit: TransitOf<P, D>,
        urgent: impl FnOnce(&MessageOf<P>) -> bool,
        mut beyond: impl FnMut(Time),
    ) -> Option<TransitOf<P, D>> {
        let Some(ticks) = &mut self.ticks else { return Some(transit) };
        let Some(queues) = &mut ticks.queues else { return Some(transit) };
        if queues.len(place as Place) == 0 && urgent(&transit.message) {
            return Some(transit);
        }
        ticks.grid.start(place as Place, transit.at);
        let (port, now) = (Port(0), transit.at);
        let tag = D::Tag::new(transit.depth.get(), MessageNumber(0));
        let length = queues.push(place as Place, QueuedMessage { port, tag, message: transit.message });
        self.longest_queue = self.longest_queue.max(length);
        if length == 1 {
            ticks.schedule_read(place, now, ticks.reading == Reading::PerStep, &mut beyond);
        }
        None
    }

    /// The messages that a place reads now: one, or all of them.
    pub(super) fn to_read(&self, place: usize) -> u32 {
        let ticks = self.ticks.as_ref().expect("reading takes ticks");
        let waiting = ticks.queues.as_ref().map_or(0, |queues| queues.len(place as Place));
        if ticks.reading == Reading::PerStep { waiting } else { waiting.min(1) }
    }

    pub(super) fn read_next(&mut self, place: usize) -> QueuedMessage<P, D> {
        let queues = self.ticks.as_mut().and_then(|ticks| ticks.queues.as_mut());
        queues.and_then(|queues| queues.pop(place as Place)).expect("it was counted")
    }

    /// Schedules the next tick at which a place reads, if a message is waiting.
    pub(super) fn read_on(&mut self, place: usize, now: Time, mut beyond: impl FnMut(Time)) {
        let ticks = self.ticks.as_mut().expect("reading takes ticks");
        if ticks.queues.as_ref().is_some_and(|queues| queues.len(place as Place) > 0) {
            ticks.schedule_read(place, now, false, &mut beyond);
        }
    }

    /// Sets a timer of a place. The time at which it expires, if that is a tick.
    pub(super) fn set_timer(&mut self, place: usize, now: Time, timer: TimerOf<P>, after: Ticks) -> Option<Time> {
        self.cancel_timer(place, &timer);
        let ticks = self.ticks.as_mut().expect("there are timers");
        let zero = after == Ticks::ZERO;
        let at = if zero { Some(now) } else { ticks.grid.after(place as Place, now, after) };
        let at = at.filter(|&at| at <= END_OF_TIME);
        self.never += u64::from(at.is_none());
        let own = &mut ticks.places[place];
        // Which of several passes of an instant it belongs to is known only in time order.
        self.disputed |= zero && (ticks.shortest == 0 || own.zero != ASLEEP);
        let pending = PendingTimer { timer, at: at.unwrap_or(ASLEEP), zero };
        match own.timers.iter_mut().find(|free| free.is_none()) {
            Some(free) => *free = Some(pending),
            None => self.disputed = true,
        }
        if zero {
            own.zero = now;
        }
        at.filter(|_| !zero)
    }

    pub(super) fn cancel_timer(&mut self, place: usize, timer: &TimerOf<P>) {
        let ticks = self.ticks.as_mut().expect("there are timers");
        let own = &mut ticks.places[place];
        let pending =
            |pending: &&mut Option<PendingTimer<_>>| pending.as_ref().is_some_and(|other| other.timer == *timer);
        if let Some(cancelled) = own.timers.iter_mut().find(pending).and_then(Option::take) {
            self.never -= u64::from(cancelled.at == ASLEEP);
            own.forget_zero();
        }
    }

    /// The own ticks of a place since its first event.
    pub(super) fn elapsed(&self, place: usize, now: Time) -> Option<Ticks> {
        self.ticks.as_ref()?.grid.elapsed(place as Place, now)
    }

    /// A message on arrival has made a processor send that was awake: that is too early where it was promised not to.
    pub(super) fn sends_on_arrival(&mut self) {
        assert!(!P::Processor::SENDS_BY_TIMERS, "it has promised to send only when timers expire");
        self.disputed |= self.ticks.as_ref().is_some_and(|ticks| ticks.only_at_ticks);
    }

    /// A place has executed all that comes before what arrives from `promise` on: before which time nothing happens there by
    /// itself, and before which it sends nothing.
    #[inline]
    pub(super) fn silent_until(&self, place: usize, promise: Time) -> (Time, Time) {
        let due = self.due[place];
        let Some(ticks) = &self.ticks else { return (due, due.min(promise)) };
        let own = if due == ASLEEP { ASLEEP } else { due.min(ticks.places[place].zero) };
        let own = if ticks.reading == Reading::PerStep && own == due && own != ASLEEP { own - 1 } else { own };
        (own, own.min(ticks.reaction(place as Place, promise)))
    }

    /// How much later than what arrives a place sends something at the earliest, if these places are awake.
    pub(super) fn least_reaction(&self, places: Range<usize>) -> u64 {
        let Some(ticks) = self.ticks.as_ref().filter(|ticks| ticks.only_at_ticks) else { return 0 };
        // Under per-step reading a message may arrive at the tick that reads it.
        let awake = places.into_iter().all(|place| ticks.grid.first(place as Place) != ASLEEP);
        u64::from(awake && ticks.reading != Reading::PerStep)
    }

    /// What they add up to.
    pub(super) fn sums(&self) -> OwnSums {
        let started = self.ticks.as_ref().and_then(|ticks| ticks.grid.all_started());
        OwnSums {
            last_start: started,
            unstarted: started.is_none(),
            longest_queue: self.longest_queue,
            wakes_beyond: self.wakes_beyond,
            never: self.never,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let ticks = self.ticks.as_ref().map_or(0, |ticks| {
            ticks.grid.bytes()
                + ticks.queues.as_ref().map_or(0, InputQueues::bytes)
                + ticks.places.capacity() * size_of::<PlaceTicks<TimerOf<P>>>()
        });
        let flow: usize = self.flow.iter().map(Vec::capacity).sum();
        (self.due.capacity() + self.wakes.capacity()) * 8 + flow * size_of::<TransitOf<P, D>>() + ticks
    }
}

impl<T> PlaceTicks<T> {
    /// After a timer was taken or cancelled.
    fn forget_zero(&mut self) {
        if self.zero != ASLEEP && self.timers.iter().flatten().all(|pending| !pending.zero) {
            self.zero = ASLEEP;
        }
    }
}

impl<P: Protocol, D: Instrumentation> Ticking<P, D> {
    fn schedule_read(&mut self, place: usize, now: Time, tick_ahead: bool, beyond: &mut impl FnMut(Time)) {
        let first = self.queues.as_ref().and_then(|queues| queues.first(place as Place));
        let ticks = self.reading.ticks(|| first.map_or(1, |queued| queued.message.bits()));
        let (grid, number) = (&self.grid, place as Place);
        let at = if tick_ahead { grid.from(number, now, ticks) } else { grid.after(number, now, ticks) };
        // A clock beyond the end of time reads no more.
        if let Some(at) = at {
            self.places[place].read = at;
            beyond(at);
        }
    }

    /// The earliest time at which a place sends something because of what arrives from a time on.
    #[inline]
    fn reaction(&self, place: Place, from: Time) -> Time {
        if !self.only_at_ticks || self.grid.first(place) == ASLEEP {
            return from;
        }
        let tick = match self.reading {
            Reading::PerStep => self.grid.at_or_after(place, from),
            _ => self.grid.after(place, from, Ticks::ONE),
        };
        tick.unwrap_or(ASLEEP)
    }
}
