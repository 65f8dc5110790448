//! The fast path: delivers the messages of one instant after another under lean instrumentation, as long as there are
//! only message deliveries.
//!
//! Steps of different places at one instant are independent, so only arrivals at the same place need an order, and on a
//! unidirectional ring the queue has it already.

use alloc::vec::Vec;
use core::mem;

use ringleader_model::{
    Effects, Event, Inspect, Message, Network, Place, Port, Processor, Protocol, Report, Ticks, Time, Topology,
};

use crate::bucket_lists::BucketLists;
use crate::choice_source::{ChoiceSource, DrawCount};
use crate::delay_model::{DelayModel, DelayVisitor, DrawnDelays};
use crate::engine_state::{Arrival, EngineState, MessageOf, TimerOf};
use crate::in_flight::MessagesInFlight;
use crate::instrumentation::Instrumentation;
use crate::place_states::StateCell;
use crate::random_stream::RandomStream;
use crate::simulation::{END_OF_TIME, Simulation};
use crate::timing_wheel::TimingWheel;

/// The prefetch distance, in arrivals.
pub(crate) const AHEAD: usize = 16;
/// With fewer messages in flight, the states ahead of each stay in the cache.
const FEW: usize = 4096;
/// Protocols with more kinds of messages do not use the fast path.
const KINDS: usize = 16;

impl<P: Protocol, D: Instrumentation> Simulation<P, D> {
    /// Delivers messages until `enough` were delivered in all, if the scenario allows the fast path.
    pub(crate) fn run_fast_path(&mut self, enough: u64) {
        let engine = &self.engine;
        let deliveries_only =
            engine.single_pass && engine.reliable && engine.crashed.is_empty() && engine.grid.is_none();
        if !deliveries_only
            || self.limit != END_OF_TIME
            || !self.agenda_is_empty()
            || MessageOf::<P>::KINDS.len() > KINDS
        {
            return;
        }
        match &engine.arrivals {
            MessagesInFlight::Fifo(_) if P::Network::TOPOLOGY == Topology::Ring => self.fast_path_fifo(enough),
            MessagesInFlight::Wheel(wheel) if wheel.reaches(engine.delay_model.longest()) => {
                let mut delay_model = mem::replace(&mut self.engine.delay_model, DelayModel::Constant(0));
                let (network, longest) = (self.engine.network.clone(), delay_model.longest());
                delay_model.visit(&network, WheelFastPath { simulation: self, enough, longest });
                self.engine.delay_model = delay_model;
            }
            MessagesInFlight::Fifo(_) | MessagesInFlight::Wheel(_) => {}
        }
    }

    /// All delays are equal and all messages in flight arrive at one instant: the messages of the next instant
    /// overwrite those of this one.
    fn fast_path_fifo(&mut self, enough: u64) {
        let MessagesInFlight::Fifo(queue) = &mut self.engine.arrivals else { return };
        let Some((mut next, mut items)) = queue.take_instant() else { return };
        let delay = self.engine.delay_model.longest();
        let waking = mem::take(&mut self.all_wake);
        let states = self.states.plain(&mut self.engine.choices);
        let mut fast = FastEngine::new(&self.protocol, states, &mut self.engine);
        if waking {
            fast.wake(&mut items);
            next += delay;
        }
        let mut queue = SameInstant { items, spill: Vec::new(), next, delay };
        while fast.goes_on(&queue, enough) {
            if queue.items.len() < FEW {
                fast.deliver::<false>(&mut queue, enough);
            } else {
                fast.deliver::<true>(&mut queue, enough);
            }
        }
        let SameInstant { items, next, .. } = queue;
        fast.end();
        let MessagesInFlight::Fifo(queue) = &mut self.engine.arrivals else { return };
        queue.put_instant(next, items);
    }
}

/// Messages that all arrive at one instant.
struct SameInstant<P: Protocol, D: Instrumentation> {
    items: Vec<Arrival<P, D>>,
    /// Messages that found no room because more were sent than read.
    spill: Vec<Arrival<P, D>>,
    /// The instant of their arrival.
    next: Time,
    /// The delay of every message.
    delay: Time,
}

/// The processors and the engine state, as the fast path uses them.
struct FastEngine<'a, P: Protocol, D: Instrumentation, C> {
    protocol: &'a P,
    states: &'a mut [C],
    engine: &'a mut EngineState<P, D>,
    network: P::Network,
    passes: [u64; KINDS],
}

impl<'a, P: Protocol, D: Instrumentation, C: StateCell<P::Processor>> FastEngine<'a, P, D, C> {
    fn new(protocol: &'a P, states: &'a mut [C], engine: &'a mut EngineState<P, D>) -> Self {
        let network = engine.network.clone();
        Self { protocol, states, engine, network, passes: [0; KINDS] }
    }

    /// Wakes all processors, at time 0.
    fn wake(&mut self, sink: &mut impl MessageSink<P, D>) {
        for place in 0..self.states.len() as Place {
            self.step(place, Event::Wake, sink);
        }
    }

    /// Whether there is more to deliver in queue.
    #[inline(always)]
    fn goes_on(&self, queue: &SameInstant<P, D>, enough: u64) -> bool {
        !queue.items.is_empty() && self.engine.cost.deliveries < enough && queue.next <= END_OF_TIME
    }

    /// Delivers the messages of one instant after another while there are many (or few) of them; the messages of the
    /// next instant overwrite them, as far as there is room. Not inlined: the inner loop is so short that registers
    /// count.
    #[inline(never)]
    fn deliver<const MANY: bool>(&mut self, queue: &mut SameInstant<P, D>, enough: u64) {
        while self.goes_on(queue, enough) && (queue.items.len() >= FEW) == MANY {
            self.begin(queue.next);
            queue.next += queue.delay;
            let SameInstant { items, spill, .. } = queue;
            self.engine.cost.deliveries += items.len() as u64;
            let (mut read, mut write) = (0, 0);
            while let Some(arrival) = items.get(read) {
                let arrival = arrival.clone();
                // Few messages: prefetch the states ahead of each. Many: those of the messages behind this one.
                let soon = if MANY {
                    items.get(read + AHEAD).map_or(0, |ahead| ahead.to)
                } else {
                    arrival.to + AHEAD as Place
                };
                prefetch(self.states.as_ptr().wrapping_add(soon as usize));
                self.receive(arrival, &mut InPlace { items, read, write: &mut write, spill });
                read += 1;
            }
            items.truncate(write);
            if !spill.is_empty() {
                items.append(spill);
            }
        }
    }

    #[inline(always)]
    fn begin(&mut self, now: Time) {
        (self.engine.now, self.engine.cost.time) = (now, now);
    }

    #[inline(always)]
    fn receive(&mut self, arrival: Arrival<P, D>, sink: &mut impl MessageSink<P, D>) {
        let port = arrival.port();
        self.step(arrival.to, Event::Receive(port, arrival.message), sink);
    }

    #[inline(always)]
    fn step(&mut self, place: Place, event: Event<P::Processor>, sink: &mut impl MessageSink<P, D>) {
        let Self { protocol, states, engine, network, passes } = self;
        let cell = &mut states[place as usize];
        let (state, draws) = cell.parts();
        state.step(protocol, event, &mut FastEffects { sink, passes, network, engine, place, draws });
        let state = cell.state();
        if P::Processor::PHASED {
            engine.cost.phases = engine.cost.phases.max(Some(state.phase()));
        }
        if P::Processor::TIMES_PHASES && engine.phase_begins.are_asked_for() {
            engine.phase_begins.note(place, state, engine.now);
        }
    }

    /// Prefetches the data that a step of a place needs.
    #[inline(always)]
    fn prefetch(&self, delays: &impl DrawnDelays, place: Place) {
        prefetch(self.states.as_ptr().wrapping_add(place as usize));
        delays.prefetch(place);
        self.engine.choices.prefetch(place);
    }

    fn end(self) {
        let Self { engine, passes, .. } = self;
        engine.add_passes(&passes);
    }
}

/// The fast path on a timing wheel, for any kind of drawn delays.
struct WheelFastPath<'a, P: Protocol, D: Instrumentation> {
    simulation: &'a mut Simulation<P, D>,
    enough: u64,
    /// The longest delay.
    longest: Time,
}

impl<P: Protocol, D: Instrumentation> DelayVisitor for WheelFastPath<'_, P, D> {
    fn visit<W: DrawnDelays>(self, delays: &mut W) {
        let Simulation { protocol, states, engine, batch, conflicts, all_wake, .. } = self.simulation;
        let MessagesInFlight::Wheel(mut wheel) =
            mem::replace(&mut engine.arrivals, MessagesInFlight::Wheel(TimingWheel::new(0, 0)))
        else {
            return;
        };
        let batch = &mut batch.items;
        let fast = D::FAST_PATH.expect("this is the fast path");
        let states = W::Cell::all(states, &mut engine.choices, fast);
        let mut fast = FastEngine::new(protocol, states, engine);
        if mem::take(all_wake) {
            fast.wake(&mut Delayed { queue: &mut wheel, delays, now: 0 });
        }
        while fast.engine.cost.deliveries < self.enough {
            let Some(now) = wheel.next_time().filter(|&now| now <= END_OF_TIME) else { break };
            wheel.advance(now);
            let ring = P::Network::TOPOLOGY == Topology::Ring;
            // Switching to bucket lists takes a while and does not pay for a few deliveries.
            let left = self.enough - fast.engine.cost.deliveries;
            if ring && wheel.near() < FEW && wheel.near() as u64 * 16 < left && BucketLists::<()>::reach(self.longest) {
                fast.use_bucket_lists(&mut wheel, delays, self.enough, self.longest);
                continue;
            }
            delays.begin(now);
            fast.begin(now);
            for place in wheel.peek_next().take(AHEAD) {
                if let Some(arrival) = wheel.get(place) {
                    fast.prefetch(delays, arrival.to);
                }
            }
            if ring || Arrival::<P, D>::EQUAL {
                let mut bucket = wheel.take();
                while let Some(chunk) = wheel.next_chunk(&mut bucket) {
                    fast.engine.cost.deliveries += chunk.range.len() as u64;
                    for index in chunk.range.clone() {
                        let arrival = wheel.get(index).expect("the index is in the chunk").clone();
                        if let Some(ahead) = wheel.get(chunk.ahead(index, AHEAD)) {
                            fast.prefetch(delays, ahead.to);
                        }
                        fast.receive(arrival, &mut Delayed { queue: &mut wheel, delays, now });
                    }
                    wheel.recycle(&chunk);
                }
            } else {
                wheel.take_into(batch);
                conflicts.order(batch);
                fast.engine.cost.deliveries += batch.len() as u64;
                for (index, arrival) in batch.iter().enumerate() {
                    if let Some(ahead) = batch.get(index + AHEAD) {
                        fast.prefetch(delays, ahead.to);
                    }
                    fast.receive(arrival.clone(), &mut Delayed { queue: &mut wheel, delays, now });
                }
                batch.clear();
            }
        }
        fast.end();
        engine.arrivals = MessagesInFlight::Wheel(wheel);
    }
}

impl<P: Protocol, D: Instrumentation, C: StateCell<P::Processor>> FastEngine<'_, P, D, C> {
    /// The same with bucket lists instead of the wheel, while there are few messages; at the end they return to the
    /// wheel.
    #[inline(never)]
    fn use_bucket_lists(
        &mut self,
        wheel: &mut TimingWheel<Arrival<P, D>>,
        delays: &mut impl DrawnDelays,
        enough: u64,
        longest: Time,
    ) {
        let mut now = wheel.now();
        let Some(sample) = wheel.peek() else { return };
        let mut lists = BucketLists::new(now, longest, sample.clone());
        while let Some(at) = wheel.next_time() {
            wheel.advance(at);
            wheel.take_each(|arrival| lists.push(at, arrival));
        }
        let mut deliveries = self.engine.cost.deliveries;
        while deliveries < enough && lists.high_water() < 2 * FEW && now < END_OF_TIME - longest {
            let Some(mut list) = lists.next_instant() else { break };
            now = list.at;
            delays.begin(now);
            self.begin(now);
            loop {
                let (arrival, more) = lists.take(&mut list);
                deliveries += 1;
                self.prefetch(delays, arrival.to.wrapping_add(AHEAD as Place));
                self.receive(arrival, &mut Delayed { queue: &mut lists, delays, now });
                if !more {
                    break;
                }
            }
        }
        self.engine.cost.deliveries = deliveries;
        wheel.rewind(now);
        lists.drain(|at, arrival| wheel.push_near(at, arrival));
    }
}

/// The destination of messages sent on the fast path.
trait MessageSink<P: Protocol, D: Instrumentation> {
    /// `choices` and `draws`: what a random delay is drawn with.
    fn accept(
        &mut self,
        link: (Place, Port),
        arrival: Arrival<P, D>,
        choices: &mut ChoiceSource,
        draws: &mut impl DrawCount,
    );
}

/// Appends the message.
impl<P: Protocol, D: Instrumentation> MessageSink<P, D> for Vec<Arrival<P, D>> {
    #[inline(always)]
    fn accept(&mut self, _: (Place, Port), arrival: Arrival<P, D>, _: &mut ChoiceSource, _: &mut impl DrawCount) {
        self.push(arrival);
    }
}

/// Overwrites messages that were read already, from the start.
struct InPlace<'a, P: Protocol, D: Instrumentation> {
    items: &'a mut [Arrival<P, D>],
    read: usize,
    write: &'a mut usize,
    /// Messages that find no room because more were sent than read, and all later ones: links are FIFO.
    spill: &'a mut Vec<Arrival<P, D>>,
}

impl<P: Protocol, D: Instrumentation> MessageSink<P, D> for InPlace<'_, P, D> {
    #[inline(always)]
    fn accept(&mut self, _: (Place, Port), arrival: Arrival<P, D>, _: &mut ChoiceSource, _: &mut impl DrawCount) {
        if *self.write <= self.read && self.spill.is_empty() {
            self.items[*self.write] = arrival;
            *self.write += 1;
        } else {
            self.spill.push(arrival);
        }
    }
}

/// Inserts the message into an event queue, at its arrival.
struct Delayed<'a, Q, W> {
    queue: &'a mut Q,
    delays: &'a mut W,
    now: Time,
}

impl<P: Protocol, D: Instrumentation, Q: EventQueue<Arrival<P, D>>, W: DrawnDelays> MessageSink<P, D>
    for Delayed<'_, Q, W>
{
    #[inline(always)]
    fn accept(
        &mut self,
        link: (Place, Port),
        arrival: Arrival<P, D>,
        choices: &mut ChoiceSource,
        draws: &mut impl DrawCount,
    ) {
        let at = self.delays.arrival(self.now, link, choices, draws, |drawn, _| drawn);
        self.queue.put(at, arrival);
    }
}

/// A queue of messages ordered by arrival.
trait EventQueue<T> {
    fn put(&mut self, at: Time, item: T);
}

impl<T: Clone> EventQueue<T> for TimingWheel<T> {
    #[inline(always)]
    fn put(&mut self, at: Time, item: T) {
        self.push_near(at, item);
    }
}

impl<T: Clone> EventQueue<T> for BucketLists<T> {
    #[inline(always)]
    fn put(&mut self, at: Time, item: T) {
        self.push(at, item);
    }
}

/// The effects of a step on the fast path. Everything that sending needs is known to the compiler, so that a message
/// stays in registers from the step that sends it to the queue.
struct FastEffects<'a, P: Protocol, D: Instrumentation, R, N> {
    sink: &'a mut R,
    passes: &'a mut [u64; KINDS],
    network: &'a P::Network,
    engine: &'a mut EngineState<P, D>,
    place: Place,
    /// Where the draws of the place are counted.
    draws: N,
}

impl<P: Protocol, D: Instrumentation, R: MessageSink<P, D>, N: DrawCount> Effects<P::Processor>
    for FastEffects<'_, P, D, R, N>
{
    #[inline(always)]
    fn send(&mut self, port: Port, message: MessageOf<P>) {
        self.passes[message.kind()] += 1;
        let arrival = Arrival::new(self.network.route(self.place, port), D::Tag::default(), message);
        self.sink.accept((self.place, port), arrival, &mut self.engine.choices, &mut self.draws);
    }

    fn set_timer(&mut self, _: TimerOf<P>, _: Ticks) {
        unreachable!("protocols with timers do not use the fast path")
    }

    fn cancel_timer(&mut self, _: TimerOf<P>) {
        unreachable!("protocols with timers do not use the fast path")
    }

    #[inline(always)]
    fn choose(&mut self, bound: u32) -> u32 {
        let Self { engine, place, draws, .. } = self;
        engine.choices.choose_counted::<false>(RandomStream::Coin, *place, u64::from(bound), draws) as u32
    }

    fn report(&mut self, report: Report<P::Processor>) {
        self.engine.report(self.place, report);
    }

    fn elapsed(&mut self) -> Option<Ticks> {
        None
    }
}

/// Finds the places that receive more than one message at an instant. In a large network they are few.
#[derive(Clone)]
pub(crate) struct ReceiverConflicts<P: Protocol, D: Instrumentation> {
    /// Bitmap, by hashed place, of the receivers of a message.
    once: Vec<u64>,
    /// Bitmap, by hashed place, of the receivers of more than one message, and false positives.
    twice: Vec<u64>,
    conflicting: Vec<Arrival<P, D>>,
    sorter: ArrivalSorter,
}

impl<P: Protocol, D: Instrumentation> ReceiverConflicts<P, D> {
    pub(crate) const fn new() -> Self {
        Self { once: Vec::new(), twice: Vec::new(), conflicting: Vec::new(), sorter: ArrivalSorter::new() }
    }

    /// Sorts the arrivals at places with more than one and moves them behind all others, whose order stays.
    fn order(&mut self, batch: &mut Vec<Arrival<P, D>>) {
        if batch.len() < 32 {
            return self.sorter.sort(batch);
        }
        let slots = (batch.len() * 32).next_power_of_two();
        self.once.clear();
        self.once.resize(slots / 64, 0);
        self.twice.clear();
        for arrival in &*batch {
            let slot = arrival.to as usize & (slots - 1);
            let word = &mut self.once[slot / 64];
            let bit = 1 << (slot % 64);
            if *word & bit != 0 {
                self.twice.resize(slots / 64, 0);
                self.twice[slot / 64] |= bit;
            }
            *word |= bit;
        }
        if !self.twice.is_empty() {
            let may_conflict = |arrival: &mut Arrival<P, D>| {
                let slot = arrival.to as usize & (slots - 1);
                self.twice[slot / 64] >> (slot % 64) & 1 == 1
            };
            self.conflicting.extend(batch.extract_if(.., may_conflict));
            self.sorter.sort(&mut self.conflicting);
            batch.append(&mut self.conflicting);
        }
    }
}

/// A stable sort of arrivals by [rank](Arrival::rank) that reuses its memory.
#[derive(Clone)]
pub(crate) struct ArrivalSorter {
    keys: Vec<(Place, u32, u32)>,
}

impl ArrivalSorter {
    pub(crate) const fn new() -> Self {
        Self { keys: Vec::new() }
    }

    pub(crate) fn sort<P: Protocol, D: Instrumentation>(&mut self, batch: &mut [Arrival<P, D>]) {
        if batch.is_sorted_by_key(Arrival::rank) {
            return;
        }
        // On a ring all but the message from the last place to the first is in order.
        if let [first, .., last] = batch
            && last.rank() < first.rank()
            && batch[..batch.len() - 1].is_sorted_by_key(Arrival::rank)
        {
            return batch.rotate_right(1);
        }
        self.keys.clear();
        self.keys.extend(batch.iter().enumerate().map(|(index, arrival)| (arrival.to, arrival.port().0, index as u32)));
        self.keys.sort_unstable();
        for index in 0..batch.len() {
            // The element that belongs here may have been moved by an earlier swap: follow it.
            let mut from = self.keys[index].2 as usize;
            while from < index {
                from = self.keys[from].2 as usize;
            }
            self.keys[index].2 = from as u32;
            batch.swap(index, from);
        }
    }
}

/// Prefetches a cache line.
#[inline(always)]
pub(crate) fn prefetch<T>(soon: *const T) {
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code, reason = "a prefetch instruction has no safe form")]
    // SAFETY: a prefetch is a hint: it has no observable effect and does not fault, whatever the address.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(soon.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = soon;
}
