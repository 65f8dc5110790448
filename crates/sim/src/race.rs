//! The fast lane: arrivals of one instant after the other, without full detail, while nothing else happens.
//!
//! Steps of different places at one instant do not influence each other, so only arrivals at one place need an order,
//! and on a unidirectional ring they have it.

use alloc::vec::Vec;
use core::mem;

use ringleader_model::{
    Effects, Event, Message, Network, Place, Port, Processor, Protocol, Report, Ticks, Time, Topology,
};

use crate::detail::Detail;
use crate::line::Flights;
use crate::link::{Roads, Traveller, Way};
use crate::simulation::{END_OF_TIME, Simulation};
use crate::wheel::Wheel;
use crate::world::{Arrival, MessageOf, TimerOf, World};

/// How many arrivals ahead memory is fetched.
const AHEAD: usize = 16;
/// With fewer messages in flight, each one's way ahead stays in the cache.
const FEW: usize = 16384;
/// Protocols with more kinds of messages do not race.
const KINDS: usize = 16;

impl<P: Protocol, D: Detail> Simulation<P, D> {
    /// Goes on until `enough` messages were delivered or something else happens.
    pub(crate) fn race(&mut self, enough: u64) {
        let world = &self.world;
        let alone = world.swift && world.plain && world.crashed.is_empty() && world.grid.is_none();
        if !alone || !self.nothing_planned() || MessageOf::<P>::KINDS.len() > KINDS {
            return;
        }
        match &world.arrivals {
            Flights::Line(_) if P::Network::TOPOLOGY == Topology::Ring => self.race_in_line(enough),
            Flights::Wheel(wheel) if wheel.reaches(world.roads.longest()) => {
                let mut roads = mem::replace(&mut self.world.roads, Roads::Constant(0));
                let network = self.world.network.clone();
                roads.lead(&network, OnWheel { simulation: self, enough });
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
        let network = self.world.network.clone();
        let (mut spill, mut passes) = (Vec::new(), [0; KINDS]);
        while !items.is_empty() && self.world.cost.deliveries < enough && next <= END_OF_TIME {
            (self.world.now, self.world.cost.time) = (next, next);
            next += delay;
            let count = items.len();
            self.world.cost.deliveries += count as u64;
            let mut write = 0;
            for read in 0..count {
                let arrival = items[read].clone();
                // Whoever passes this on makes the next ones needed, one instant after the other. Where there are many
                // messages, they are next to each other anyway.
                if count < FEW {
                    prefetch(self.states.as_ptr().wrapping_add(arrival.to as usize + AHEAD));
                }
                let lane = Lane { items: &mut items, read, write: &mut write, spill: &mut spill };
                let mut fx = Swift {
                    road: lane,
                    passes: &mut passes,
                    network: &network,
                    world: &mut self.world,
                    place: arrival.to,
                };
                let event = Event::Receive(arrival.port(), arrival.message);
                self.states[arrival.to as usize].step(&self.protocol, event, &mut fx);
                self.note_phase(arrival.to);
            }
            items.truncate(write);
            items.append(&mut spill);
        }
        self.world.add_passes(&passes);
        let Flights::Line(line) = &mut self.world.arrivals else { return };
        line.put_instant(next, items);
    }
}

/// A race on a wheel, on roads of any kind.
struct OnWheel<'a, P: Protocol, D: Detail> {
    simulation: &'a mut Simulation<P, D>,
    enough: u64,
}

impl<P: Protocol, D: Detail> Traveller for OnWheel<'_, P, D> {
    fn travel(self, way: &mut impl Way) {
        let Simulation { protocol, states, world, batch, clashes, .. } = self.simulation;
        let Flights::Wheel(mut wheel) = mem::replace(&mut world.arrivals, Flights::Wheel(Wheel::new(0, 0))) else {
            return;
        };
        let network = world.network.clone();
        let mut passes = [0; KINDS];
        while world.cost.deliveries < self.enough {
            let Some(now) = wheel.next_time().filter(|&now| now <= END_OF_TIME) else { break };
            wheel.advance(now);
            way.begin(now);
            (world.now, world.cost.time) = (now, now);
            let fetch = |states: &[P::Processor], way: &_, world: &World<P, D>, place: Place| {
                prefetch(states.as_ptr().wrapping_add(place as usize));
                Way::fetch(way, place);
                world.chance.fetch_coin(place);
            };
            let few = wheel.near() < FEW;
            if !few {
                for place in wheel.peek_next().take(AHEAD) {
                    if let Some(arrival) = wheel.get(place) {
                        fetch(states, way, world, arrival.to);
                    }
                }
            }
            let mut take =
                |arrival: Arrival<P, D>, wheel: &mut _, way: &mut _, states: &mut [P::Processor], world: &mut _| {
                    let road = Bucketed { wheel, way, now };
                    let mut fx = Swift { road, passes: &mut passes, network: &network, world, place: arrival.to };
                    let state = &mut states[arrival.to as usize];
                    state.step(protocol, Event::Receive(P::Network::port(arrival.entry), arrival.message), &mut fx);
                    if P::Processor::PHASED {
                        fx.world.cost.phases = fx.world.cost.phases.max(Some(state.phase()));
                    }
                };
            if P::Network::TOPOLOGY == Topology::Ring {
                let mut bucket = wheel.take();
                while let Some(stretch) = wheel.stretch(&mut bucket) {
                    world.cost.deliveries += stretch.range.len() as u64;
                    for index in stretch.range.clone() {
                        let arrival = wheel.get(index).expect("it lies there").clone();
                        // Few messages: what each will meet. Many: what those behind this one meet now.
                        if few {
                            fetch(states, way, world, arrival.to.saturating_add(AHEAD as Place));
                        } else if let Some(ahead) = wheel.get(stretch.ahead(index, AHEAD)) {
                            fetch(states, way, world, ahead.to);
                        }
                        take(arrival, &mut wheel, way, states, world);
                    }
                    wheel.recycle(&stretch);
                }
            } else {
                wheel.take_into(batch);
                clashes.order(batch);
                world.cost.deliveries += batch.len() as u64;
                for (index, arrival) in batch.iter().enumerate() {
                    if let Some(ahead) = batch.get(index + AHEAD) {
                        fetch(states, way, world, ahead.to);
                    }
                    take(arrival.clone(), &mut wheel, way, states, world);
                }
                batch.clear();
            }
        }
        world.add_passes(&passes);
        world.arrivals = Flights::Wheel(wheel);
    }
}

/// Where a message goes that is sent in a race.
trait Road<P: Protocol, D: Detail> {
    fn push(&mut self, from: Place, port: Port, arrival: Arrival<P, D>);
}

/// Into the room that was read already, from the start.
struct Lane<'a, P: Protocol, D: Detail> {
    items: &'a mut [Arrival<P, D>],
    read: usize,
    write: &'a mut usize,
    /// What finds no room because more was sent than read, and all that is sent after it at this instant.
    spill: &'a mut Vec<Arrival<P, D>>,
}

impl<P: Protocol, D: Detail> Road<P, D> for Lane<'_, P, D> {
    #[inline(always)]
    fn push(&mut self, _: Place, _: Port, arrival: Arrival<P, D>) {
        // What is sent after something that found no room must not come before it: a link keeps its order.
        if *self.write <= self.read && self.spill.is_empty() {
            self.items[*self.write] = arrival;
            *self.write += 1;
        } else {
            self.spill.push(arrival);
        }
    }
}

/// Into the bucket of its arrival.
struct Bucketed<'a, P: Protocol, D: Detail, W> {
    wheel: &'a mut Wheel<Arrival<P, D>>,
    way: &'a mut W,
    now: Time,
}

impl<P: Protocol, D: Detail, W: Way> Road<P, D> for Bucketed<'_, P, D, W> {
    #[inline(always)]
    fn push(&mut self, from: Place, port: Port, arrival: Arrival<P, D>) {
        let at = self.way.arrival(self.now, from, port, |drawn| drawn);
        self.wheel.push_near(at, arrival);
    }
}

/// The effects of a step in a race. What sending needs is known to the compiler, so that a message stays in registers
/// from the step that sends it to the place it waits in.
struct Swift<'a, P: Protocol, D: Detail, R> {
    road: R,
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
        self.road.push(self.place, port, Arrival { to, entry, depth: D::Depth::default(), message });
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
