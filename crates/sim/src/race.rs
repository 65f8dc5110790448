//! The fast lane: arrivals of one instant after the other, without full detail, while nothing else happens.
//!
//! Steps of different places at one instant do not influence each other, so only arrivals at one place need an order,
//! and on a unidirectional ring they have it.

use alloc::vec::Vec;
use core::mem;

use ringleader_model::{
    Effects, Event, Inspect, Message, Network, Place, Port, Processor, Protocol, Report, Ticks, Time, Topology,
};

use crate::chance::Chance;
use crate::detail::Detail;
use crate::line::Flights;
use crate::link::{Roads, Traveller, Way};
use crate::lists::Lists;
use crate::simulation::{END_OF_TIME, Simulation};
use crate::wheel::Wheel;
use crate::world::{Arrival, MessageOf, TimerOf, World};

/// How many arrivals ahead memory is fetched.
const AHEAD: usize = 16;
/// With fewer messages in flight, each one's way ahead stays in the cache.
const FEW: usize = 4096;
/// Protocols with more kinds of messages do not race.
const KINDS: usize = 16;

impl<P: Protocol, D: Detail> Simulation<P, D> {
    /// Goes on until `enough` messages were delivered or something else happens.
    pub(crate) fn race(&mut self, enough: u64) {
        let world = &self.world;
        let alone = world.swift && world.plain && world.crashed.is_empty() && world.grid.is_none();
        if !alone || self.limit != END_OF_TIME || !self.agenda_is_empty() || MessageOf::<P>::KINDS.len() > KINDS {
            return;
        }
        match &world.arrivals {
            Flights::Line(_) if P::Network::TOPOLOGY == Topology::Ring => self.race_in_line(enough),
            Flights::Wheel(wheel) if wheel.reaches(world.roads.longest()) => {
                let mut roads = mem::replace(&mut self.world.roads, Roads::Constant(0));
                let (network, longest) = (self.world.network.clone(), roads.longest());
                roads.lead(&network, OnWheel { simulation: self, enough, longest });
                self.world.roads = roads;
            }
            Flights::Line(_) | Flights::Wheel(_) => {}
        }
    }

    /// All delays are equal and everything in flight arrives at one instant: the messages of the next instant take the
    /// room of those of this one.
    fn race_in_line(&mut self, enough: u64) {
        let Flights::Line(line) = &mut self.world.arrivals else { return };
        let Some((mut next, mut items)) = line.take_instant() else { return };
        let delay = self.world.roads.longest();
        let waking = mem::take(&mut self.all_wake);
        let mut racers = Racers::new(&self.protocol, &mut self.states, &mut self.world);
        if waking {
            racers.wake(&mut items);
            next += delay;
        }
        let mut line = InLine { items, spill: Vec::new(), next, delay };
        while racers.goes_on(&line, enough) {
            if line.items.len() < FEW {
                racers.deliver::<false>(&mut line, enough);
            } else {
                racers.deliver::<true>(&mut line, enough);
            }
        }
        let InLine { items, next, .. } = line;
        racers.end();
        let Flights::Line(line) = &mut self.world.arrivals else { return };
        line.put_instant(next, items);
    }
}

/// Messages that all arrive at one instant.
struct InLine<P: Protocol, D: Detail> {
    items: Vec<Arrival<P, D>>,
    /// What found no room because more was sent than read.
    spill: Vec<Arrival<P, D>>,
    /// When they arrive.
    next: Time,
    /// How much later what they cause arrives.
    delay: Time,
}

/// Those who take part in a race, and what they act upon.
struct Racers<'a, P: Protocol, D: Detail> {
    protocol: &'a P,
    states: &'a mut [P::Processor],
    world: &'a mut World<P, D>,
    network: P::Network,
    passes: [u64; KINDS],
}

impl<'a, P: Protocol, D: Detail> Racers<'a, P, D> {
    fn new(protocol: &'a P, states: &'a mut [P::Processor], world: &'a mut World<P, D>) -> Self {
        let network = world.network.clone();
        Self { protocol, states, world, network, passes: [0; KINDS] }
    }

    /// Everybody wakes, at 0.
    fn wake(&mut self, road: &mut impl Road<P, D>) {
        for place in 0..self.states.len() as Place {
            self.step(place, Event::Wake, road);
        }
    }

    /// Whether there is more to deliver in line.
    #[inline(always)]
    fn goes_on(&self, line: &InLine<P, D>, enough: u64) -> bool {
        !line.items.is_empty() && self.world.cost.deliveries < enough && line.next <= END_OF_TIME
    }

    /// Delivers the messages of one instant after the other, as long as they are many, or few; puts those of the next in
    /// their place, as far as there is room. A function of its own: with so little to do for each, registers count.
    #[inline(never)]
    fn deliver<const MANY: bool>(&mut self, line: &mut InLine<P, D>, enough: u64) {
        while self.goes_on(line, enough) && (line.items.len() >= FEW) == MANY {
            self.begin(line.next);
            line.next += line.delay;
            let InLine { items, spill, .. } = line;
            self.world.cost.deliveries += items.len() as u64;
            let (mut read, mut write) = (0, 0);
            while let Some(arrival) = items.get(read) {
                let arrival = arrival.clone();
                // Few: what each will meet, one instant after the other. Many: what those behind this one meet.
                let soon = if MANY {
                    items.get(read + AHEAD).map_or(0, |ahead| ahead.to)
                } else {
                    arrival.to + AHEAD as Place
                };
                prefetch(self.states.as_ptr().wrapping_add(soon as usize));
                self.receive(arrival, &mut Lane { items, read, write: &mut write, spill });
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
        (self.world.now, self.world.cost.time) = (now, now);
    }

    #[inline(always)]
    fn receive(&mut self, arrival: Arrival<P, D>, road: &mut impl Road<P, D>) {
        let port = arrival.port();
        self.step(arrival.to, Event::Receive(port, arrival.message), road);
    }

    #[inline(always)]
    fn step(&mut self, place: Place, event: Event<P::Processor>, road: &mut impl Road<P, D>) {
        let Self { protocol, states, world, network, passes } = self;
        let state = &mut states[place as usize];
        state.step(protocol, event, &mut Swift { road, passes, network, world, place });
        if P::Processor::PHASED {
            world.cost.phases = world.cost.phases.max(Some(state.phase()));
        }
    }

    /// Asks for the memory that a step of a place will need.
    #[inline(always)]
    fn fetch(&self, way: &impl Way, place: Place) {
        prefetch(self.states.as_ptr().wrapping_add(place as usize));
        way.fetch(place);
        self.world.chance.fetch(place);
    }

    fn end(self) {
        let Self { world, passes, .. } = self;
        world.add_passes(&passes);
    }
}

/// A race on a wheel, on roads of any kind.
struct OnWheel<'a, P: Protocol, D: Detail> {
    simulation: &'a mut Simulation<P, D>,
    enough: u64,
    /// The longest delay.
    longest: Time,
}

impl<P: Protocol, D: Detail> Traveller for OnWheel<'_, P, D> {
    fn travel(self, way: &mut impl Way) {
        let Simulation { protocol, states, world, batch, clashes, all_wake, .. } = self.simulation;
        let Flights::Wheel(mut wheel) = mem::replace(&mut world.arrivals, Flights::Wheel(Wheel::new(0, 0))) else {
            return;
        };
        let mut racers = Racers::new(protocol, states, world);
        if mem::take(all_wake) {
            racers.wake(&mut Timed { queue: &mut wheel, way, now: 0 });
        }
        while racers.world.cost.deliveries < self.enough {
            let Some(now) = wheel.next_time().filter(|&now| now <= END_OF_TIME) else { break };
            wheel.advance(now);
            let ring = P::Network::TOPOLOGY == Topology::Ring;
            // Going over to lists takes a while, which a few deliveries are not worth.
            let left = self.enough - racers.world.cost.deliveries;
            if ring && wheel.near() < FEW && wheel.near() as u64 * 16 < left && Lists::<()>::reach(self.longest) {
                racers.go_by_lists(&mut wheel, way, self.enough, self.longest);
                continue;
            }
            way.begin(now);
            racers.begin(now);
            for place in wheel.peek_next().take(AHEAD) {
                if let Some(arrival) = wheel.get(place) {
                    racers.fetch(way, arrival.to);
                }
            }
            if ring {
                let mut bucket = wheel.take();
                while let Some(stretch) = wheel.stretch(&mut bucket) {
                    racers.world.cost.deliveries += stretch.range.len() as u64;
                    for index in stretch.range.clone() {
                        let arrival = wheel.get(index).expect("it lies there").clone();
                        if let Some(ahead) = wheel.get(stretch.ahead(index, AHEAD)) {
                            racers.fetch(way, ahead.to);
                        }
                        racers.receive(arrival, &mut Timed { queue: &mut wheel, way, now });
                    }
                    wheel.recycle(&stretch);
                }
            } else {
                wheel.take_into(batch);
                clashes.order(batch);
                racers.world.cost.deliveries += batch.len() as u64;
                for (index, arrival) in batch.iter().enumerate() {
                    if let Some(ahead) = batch.get(index + AHEAD) {
                        racers.fetch(way, ahead.to);
                    }
                    racers.receive(arrival.clone(), &mut Timed { queue: &mut wheel, way, now });
                }
                batch.clear();
            }
        }
        racers.end();
        world.arrivals = Flights::Wheel(wheel);
    }
}

impl<P: Protocol, D: Detail> Racers<'_, P, D> {
    /// The same with lists instead of a wheel, as long as there are few messages; they return to the wheel in the end.
    #[inline(never)]
    fn go_by_lists(&mut self, wheel: &mut Wheel<Arrival<P, D>>, way: &mut impl Way, enough: u64, longest: Time) {
        let mut now = wheel.now();
        let Some(sample) = wheel.peek() else { return };
        let mut lists = Lists::new(now, longest, sample.clone());
        while let Some(at) = wheel.next_time() {
            wheel.advance(at);
            wheel.take_each(|arrival| lists.push(at, arrival));
        }
        let mut deliveries = self.world.cost.deliveries;
        while deliveries < enough && lists.most() < 2 * FEW && now < END_OF_TIME - longest {
            let Some(mut list) = lists.next_instant() else { break };
            now = list.at;
            way.begin(now);
            self.begin(now);
            loop {
                let (arrival, more) = lists.take(&mut list);
                deliveries += 1;
                self.fetch(way, arrival.to.wrapping_add(AHEAD as Place));
                self.receive(arrival, &mut Timed { queue: &mut lists, way, now });
                if !more {
                    break;
                }
            }
        }
        self.world.cost.deliveries = deliveries;
        wheel.rewind(now);
        lists.drain(|at, arrival| wheel.push_near(at, arrival));
    }
}

/// Where a message goes that is sent in a race.
trait Road<P: Protocol, D: Detail> {
    fn push(&mut self, from: Place, port: Port, arrival: Arrival<P, D>, chance: &mut Chance);
}

/// Behind all others.
impl<P: Protocol, D: Detail> Road<P, D> for Vec<Arrival<P, D>> {
    #[inline(always)]
    fn push(&mut self, _: Place, _: Port, arrival: Arrival<P, D>, _: &mut Chance) {
        self.push(arrival);
    }
}

/// Into the room that was read already, from the start.
struct Lane<'a, P: Protocol, D: Detail> {
    items: &'a mut [Arrival<P, D>],
    read: usize,
    write: &'a mut usize,
    /// What finds no room because more was sent than read, and all that is sent after it: on a link nothing overtakes.
    spill: &'a mut Vec<Arrival<P, D>>,
}

impl<P: Protocol, D: Detail> Road<P, D> for Lane<'_, P, D> {
    #[inline(always)]
    fn push(&mut self, _: Place, _: Port, arrival: Arrival<P, D>, _: &mut Chance) {
        if *self.write <= self.read && self.spill.is_empty() {
            self.items[*self.write] = arrival;
            *self.write += 1;
        } else {
            self.spill.push(arrival);
        }
    }
}

/// Where it waits until it arrives.
struct Timed<'a, Q, W> {
    queue: &'a mut Q,
    way: &'a mut W,
    now: Time,
}

impl<P: Protocol, D: Detail, Q: Queue<Arrival<P, D>>, W: Way> Road<P, D> for Timed<'_, Q, W> {
    #[inline(always)]
    fn push(&mut self, from: Place, port: Port, arrival: Arrival<P, D>, chance: &mut Chance) {
        let at = self.way.arrival(self.now, from, port, chance, |drawn, _| drawn);
        self.queue.put(at, arrival);
    }
}

/// What keeps messages by the time of their arrival.
trait Queue<T> {
    fn put(&mut self, at: Time, item: T);
}

impl<T: Clone> Queue<T> for Wheel<T> {
    #[inline(always)]
    fn put(&mut self, at: Time, item: T) {
        self.push_near(at, item);
    }
}

impl<T: Clone> Queue<T> for Lists<T> {
    #[inline(always)]
    fn put(&mut self, at: Time, item: T) {
        self.push(at, item);
    }
}

/// The effects of a step in a race. What sending needs is known to the compiler, so that a message stays in registers
/// from the step that sends it to the place it waits in.
struct Swift<'a, P: Protocol, D: Detail, R> {
    road: &'a mut R,
    passes: &'a mut [u64; KINDS],
    network: &'a P::Network,
    world: &'a mut World<P, D>,
    place: Place,
}

impl<P: Protocol, D: Detail, R: Road<P, D>> Effects<P::Processor> for Swift<'_, P, D, R> {
    #[inline(always)]
    fn send(&mut self, port: Port, message: MessageOf<P>) {
        self.passes[message.kind()] += 1;
        let (to, entry) = self.network.route(self.place, port);
        let arrival = Arrival { to, entry, depth: D::Depth::default(), message };
        self.road.push(self.place, port, arrival, &mut self.world.chance);
    }

    fn set_timer(&mut self, _: TimerOf<P>, _: Ticks) {
        unreachable!("who has timers does not race")
    }

    fn cancel_timer(&mut self, _: TimerOf<P>) {
        unreachable!("who has timers does not race")
    }

    #[inline(always)]
    fn choose(&mut self, bound: u32) -> u32 {
        self.world.chance.choose::<false>(crate::random::Lane::Coin, self.place, u64::from(bound)) as u32
    }

    fn report(&mut self, report: Report<P::Processor>) {
        self.world.report(self.place, report);
    }

    fn elapsed(&mut self) -> Option<Ticks> {
        None
    }
}

/// Finds the places that more than one message reaches at an instant. In a large network they are few.
pub(crate) struct Clashes<P: Protocol, D: Detail> {
    /// Places, hashed, that a message goes to, and those that may be reached twice.
    once: Vec<u64>,
    twice: Vec<u64>,
    apart: Vec<Arrival<P, D>>,
    sorter: Sorter,
}

impl<P: Protocol, D: Detail> Clashes<P, D> {
    pub(crate) const fn new() -> Self {
        Self { once: Vec::new(), twice: Vec::new(), apart: Vec::new(), sorter: Sorter::new() }
    }

    /// Puts arrivals at the same place in order, behind all others, which stay as they are.
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
            let may_clash = |arrival: &mut Arrival<P, D>| {
                let slot = arrival.to as usize & (slots - 1);
                self.twice[slot / 64] >> (slot % 64) & 1 == 1
            };
            self.apart.extend(batch.extract_if(.., may_clash));
            self.sorter.sort(&mut self.apart);
            batch.append(&mut self.apart);
        }
    }
}

/// Sorts arrivals by [rank](Arrival::rank), those of equal rank as they were, without asking for memory every time.
pub(crate) struct Sorter {
    keys: Vec<(Place, u32, u32)>,
}

impl Sorter {
    pub(crate) const fn new() -> Self {
        Self { keys: Vec::new() }
    }

    pub(crate) fn sort<P: Protocol, D: Detail>(&mut self, batch: &mut [Arrival<P, D>]) {
        if batch.is_sorted_by_key(Arrival::rank) {
            return;
        }
        // On a ring all but what goes from the last place to the first is in order.
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
            // What belongs here may have been moved by an earlier exchange: follow it.
            let mut from = self.keys[index].2 as usize;
            while from < index {
                from = self.keys[from].2 as usize;
            }
            self.keys[index].2 = from as u32;
            batch.swap(index, from);
        }
    }
}

/// Asks the processor to fetch memory that will be needed soon.
#[inline(always)]
pub(crate) fn prefetch<T>(soon: *const T) {
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code, reason = "there is no other way to ask for memory ahead of time")]
    // SAFETY: a prefetch is a hint: whatever the address, it reads nothing as far as the program can tell, and faults on
    // none.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(soon.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = soon;
}
