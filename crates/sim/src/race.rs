//! The fast lane: arrivals of one instant after the other, without full detail, while nothing else happens.
//!
//! Steps of different places at one instant do not influence each other, so only arrivals at one place need an order,
//! and on a unidirectional ring they have it.

use alloc::vec::Vec;
use core::mem;

use ringleader_model::{Effects, Event, Message, Network, Place, Port, Processor, Protocol, Report, Ticks, Topology};

use crate::detail::Detail;
use crate::line::Flights;
use crate::simulation::Simulation;
use crate::world::{Arrival, MessageOf, TimerOf, World, mode};

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
        if !alone || !self.nothing_planned() || MessageOf::<P>::KINDS.len() > KINDS {
            return;
        }
        match &world.arrivals {
            Flights::Line(_) if P::Network::TOPOLOGY == Topology::Ring => self.race_in_line(enough),
            Flights::Wheel(wheel) if wheel.reaches(world.roads.longest()) => self.race_on_wheel(enough),
            Flights::Line(_) | Flights::Wheel(_) => {}
        }
    }

    /// All delays are equal and everything in flight arrives at one instant: the messages of the next instant take the
    /// room of those of this one.
    fn race_in_line(&mut self, enough: u64) {
        let Flights::Line(line) = &mut self.world.arrivals else { return };
        let Some((mut next, items)) = line.take_instant() else { return };
        let delay = self.world.roads.longest();
        let mut lane = Lane { items, read: 0, write: 0, spill: Vec::new(), passes: [0; KINDS] };
        while !lane.items.is_empty() && self.world.cost.deliveries < enough {
            (self.world.now, self.world.cost.time) = (next, next);
            next += delay;
            self.world.cost.deliveries += lane.items.len() as u64;
            let few = lane.items.len() < FEW;
            while lane.read < lane.items.len() {
                let arrival = lane.items[lane.read].clone();
                lane.read += 1;
                // Few messages: what each will meet. Many: what those behind this one meet now.
                let ahead = if few {
                    arrival.to as usize + AHEAD
                } else {
                    lane.items.get(lane.read + AHEAD).map_or(usize::MAX, |ahead| ahead.to as usize)
                };
                if let Some(soon) = self.states.get(ahead) {
                    prefetch(soon);
                }
                let port = arrival.port();
                let mut fx = InLane { world: &mut self.world, lane: &mut lane, place: arrival.to };
                self.states[arrival.to as usize].step(&self.protocol, Event::Receive(port, arrival.message), &mut fx);
                self.note_phase(arrival.to);
            }
            lane.next_instant();
        }
        for (total, passes) in self.world.passes.iter_mut().zip(lane.passes) {
            *total += passes;
        }
        let Flights::Line(line) = &mut self.world.arrivals else { return };
        line.put_instant(next, lane.items);
    }

    fn race_on_wheel(&mut self, enough: u64) {
        while self.world.cost.deliveries < enough {
            let Flights::Wheel(wheel) = &mut self.world.arrivals else { return };
            let Some(now) = wheel.next_time() else { return };
            wheel.advance(now);
            (self.world.now, self.world.cost.time) = (now, now);
            self.fetch_next();
            if P::Network::TOPOLOGY != Topology::Ring {
                let mut batch = mem::take(&mut self.batch);
                self.world.arrivals.take_into(&mut batch);
                self.clashes.order(&mut batch);
                self.take_all(&mut batch);
                self.batch = batch;
                continue;
            }
            while let Flights::Wheel(wheel) = &mut self.world.arrivals
                && let Some(mut chunk) = wheel.pop()
            {
                self.take_all(&mut chunk);
                if let Flights::Wheel(wheel) = &mut self.world.arrivals {
                    wheel.recycle(chunk);
                }
            }
        }
    }

    /// Asks for what the first arrivals of the instant after this one will need.
    #[inline]
    fn fetch_next(&self) {
        let Flights::Wheel(wheel) = &self.world.arrivals else { return };
        for arrival in wheel.peek_next().iter().take(AHEAD) {
            self.fetch(arrival.to);
        }
    }

    fn take_all(&mut self, arrivals: &mut Vec<Arrival<P, D>>) {
        self.world.cost.deliveries += arrivals.len() as u64;
        let mut rest = arrivals.drain(..);
        while let Some(arrival) = rest.next() {
            if let Some(ahead) = rest.as_slice().get(AHEAD) {
                self.fetch(ahead.to);
            }
            let port = arrival.port();
            let mut fx = self.world.fx::<{ mode::WHEEL }>(arrival.to);
            self.states[arrival.to as usize].step(&self.protocol, Event::Receive(port, arrival.message), &mut fx);
            self.note_phase(arrival.to);
        }
    }

    /// Asks for all that a step of a place will need.
    #[inline]
    fn fetch(&self, place: Place) {
        prefetch(&self.states[place as usize]);
        if let Some(count) = self.world.chance.coin_count(place) {
            prefetch(count);
        }
        self.world.roads.fetch(&self.world.network, place);
    }
}

/// The messages of one instant, and, from the start over, those of the next.
struct Lane<P: Protocol, D: Detail> {
    items: Vec<Arrival<P, D>>,
    read: usize,
    write: usize,
    /// What found no room because more was sent than read.
    spill: Vec<Arrival<P, D>>,
    passes: [u64; KINDS],
}

impl<P: Protocol, D: Detail> Lane<P, D> {
    #[inline(always)]
    fn push(&mut self, arrival: Arrival<P, D>) {
        if self.write < self.read {
            self.items[self.write] = arrival;
            self.write += 1;
        } else {
            self.spill.push(arrival);
        }
    }

    fn next_instant(&mut self) {
        self.items.truncate(self.write);
        self.items.append(&mut self.spill);
        (self.read, self.write) = (0, 0);
    }
}

/// The effects of a step in the lane. Nothing but sending and telling the user is left; what sending needs is in
/// registers.
struct InLane<'a, P: Protocol, D: Detail> {
    world: &'a mut World<P, D>,
    lane: &'a mut Lane<P, D>,
    place: Place,
}

impl<P: Protocol, D: Detail> Effects<P::Processor> for InLane<'_, P, D> {
    #[inline(always)]
    fn send(&mut self, port: Port, message: MessageOf<P>) {
        self.lane.passes[message.kind()] += 1;
        let (to, entry) = self.world.network.route(self.place, port);
        self.lane.push(Arrival { to, entry, depth: D::Depth::default(), message });
    }

    fn set_timer(&mut self, _: TimerOf<P>, _: Ticks) {
        unreachable!("who has timers does not race")
    }

    fn cancel_timer(&mut self, _: TimerOf<P>) {
        unreachable!("who has timers does not race")
    }

    fn choose(&mut self, bound: u32) -> u32 {
        self.world.fx::<{ mode::ANY }>(self.place).choose(bound)
    }

    fn report(&mut self, report: Report<P::Processor>) {
        self.world.fx::<{ mode::ANY }>(self.place).report(report);
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
pub(crate) fn prefetch<T>(soon: &T) {
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code, reason = "doubles the speed of large networks")]
    // SAFETY: a prefetch is a hint and reads nothing as far as the program can tell; the address is that of a reference.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(core::ptr::from_ref(soon).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = soon;
}
