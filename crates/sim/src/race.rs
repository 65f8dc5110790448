//! The fast lane: arrivals of one instant after the other, without full detail, while nothing else happens.
//!
//! Steps of different places at one instant do not influence each other, so only arrivals at one place need an order,
//! and on a unidirectional ring they have it.

use alloc::vec::Vec;
use core::mem;

use ringleader_model::{Event, Network, Place, Processor, Protocol, Topology};

use crate::detail::Detail;
use crate::line::Flights;
use crate::simulation::Simulation;
use crate::world::{Arrival, mode};

impl<P: Protocol, D: Detail> Simulation<P, D> {
    /// How many arrivals ahead memory is fetched.
    const AHEAD: usize = 16;

    /// Goes on until `enough` messages were delivered or something else happens.
    pub(crate) fn race(&mut self, enough: u64) {
        let world = &self.world;
        let alone = world.swift && world.plain && world.crashed.is_empty() && world.grid.is_none();
        if !alone || !self.nothing_planned() {
            return;
        }
        match &world.arrivals {
            Flights::Line(_) if P::Network::TOPOLOGY == Topology::Ring => self.race_in_line(enough),
            Flights::Wheel(wheel) if wheel.reaches(world.roads.longest()) => self.race_on_wheel(enough),
            Flights::Line(_) | Flights::Wheel(_) => {}
        }
    }

    fn race_in_line(&mut self, enough: u64) {
        let delay = self.world.roads.longest();
        while self.world.cost.deliveries < enough {
            let Flights::Line(line) = &mut self.world.arrivals else { return };
            let Some(now) = line.next_time() else { return };
            line.advance(now);
            (self.world.now, self.world.cost.time) = (now, now);
            let count = line.take_count();
            let others = line.len() - count;
            self.world.cost.deliveries += count as u64;
            for _ in 0..count {
                let Flights::Line(line) = &mut self.world.arrivals else { return };
                let Some(arrival) = line.take() else { return };
                // Whoever passes this on makes the next ones needed, one instant after the other.
                if let Some(soon) = self.states.get(arrival.to as usize + Self::AHEAD) {
                    prefetch(soon);
                }
                self.take_swiftly::<{ mode::LINE }>(arrival);
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
            (self.world.now, self.world.cost.time) = (now, now);
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

    fn take_all(&mut self, arrivals: &mut Vec<Arrival<P, D>>) {
        self.world.cost.deliveries += arrivals.len() as u64;
        let mut rest = arrivals.drain(..);
        while let Some(arrival) = rest.next() {
            if let Some(ahead) = rest.as_slice().get(Self::AHEAD) {
                self.fetch(ahead.to);
            }
            self.take_swiftly::<{ mode::WHEEL }>(arrival);
        }
    }

    #[inline(always)]
    fn take_swiftly<const MODE: u8>(&mut self, arrival: Arrival<P, D>) {
        let port = arrival.port();
        let mut fx = self.world.fx::<MODE>(arrival.to);
        self.states[arrival.to as usize].step(&self.protocol, Event::Receive(port, arrival.message), &mut fx);
        self.note_phase(arrival.to);
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
