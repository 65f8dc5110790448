//! How long messages take, and that none overtakes another where links are first in, first out.

use alloc::vec;
use alloc::vec::Vec;

use ringleader_model::{Delays, Links, Network, Place, Port, Scenario, Time};

use crate::chance::Chance;
use crate::race::prefetch;
use crate::random::{Lane, below, draw, key};

const NONE: u32 = u32::MAX;

/// The delays of all links, and what must be remembered of each.
pub(crate) enum Roads {
    /// All messages take this long, so none overtakes another.
    Constant(u64),
    /// By link: likewise.
    List(Vec<u64>),
    /// Drawn for every message, from the least, so many values.
    Drawn { least: u64, span: u64, fifo: bool, seed: u64, memory: Memory },
}

/// What is remembered of links whose delays are drawn.
pub(crate) enum Memory {
    /// Of each link direction.
    Dense(Vec<Road>),
    /// A complete network has too many links for that: of each sender, what it has in flight.
    Sparse { senders: Vec<Sender>, more: Vec<Flight>, free: u32 },
}

#[derive(Clone, Copy)]
#[repr(Rust, packed(4))]
pub(crate) struct Road {
    last_arrival: Time,
    sent: u32,
}

/// Two messages in flight are kept here, further ones in a chain.
#[derive(Clone, Copy)]
pub(crate) struct Sender {
    sent: u32,
    more: u32,
    flights: [Flight; 2],
}

#[derive(Clone, Copy)]
#[repr(Rust, packed(4))]
pub(crate) struct Flight {
    arrives: Time,
    to: Place,
    next: u32,
}

impl Roads {
    pub(crate) fn new(scenario: &Scenario, network: &impl Network) -> Self {
        let d = scenario.timing.d;
        match &scenario.timing.delays {
            Delays::List(list) => return Self::List(list.clone()),
            Delays::Max => return Self::Constant(d.max),
            Delays::Uniform if d.min < d.max => {}
            Delays::Uniform | Delays::Min => return Self::Constant(d.min),
        }
        let last = network.arc(scenario.n as Place - 1, Port(network.ports().max(1) - 1));
        let unused = Flight { arrives: 0, to: 0, next: NONE };
        let memory = match last {
            Some(last) => Memory::Dense(vec![Road { last_arrival: 0, sent: 0 }; last + 1]),
            None => Memory::Sparse {
                senders: vec![Sender { sent: 0, more: NONE, flights: [unused; 2] }; scenario.n],
                more: Vec::new(),
                free: NONE,
            },
        };
        let fifo = scenario.links == Links::Fifo;
        Self::Drawn { least: d.min, span: d.max - d.min + 1, fifo, seed: scenario.seed, memory }
    }

    pub(crate) fn shortest(&self) -> u64 {
        match self {
            Self::Constant(least) | Self::Drawn { least, .. } => *least,
            Self::List(list) => list.iter().copied().min().unwrap_or(0),
        }
    }

    pub(crate) fn longest(&self) -> u64 {
        match self {
            Self::Constant(delay) => *delay,
            Self::Drawn { least, span, .. } => least + span,
            Self::List(list) => list.iter().copied().max().unwrap_or(0),
        }
    }

    /// When a message arrives that is sent now. `LISTED`: choices may be listed or recorded.
    #[inline(always)]
    pub(crate) fn arrival<const LISTED: bool>(
        &mut self,
        now: Time,
        network: &impl Network,
        (from, port, to): (Place, Port, Place),
        chance: &mut Chance,
    ) -> Time {
        match self {
            Self::Constant(delay) => now + *delay,
            Self::List(list) => now + list[network.link(from, port) as usize],
            Self::Drawn { least, span, fifo, seed, memory } => {
                let mut delay = |lane_place, sent: &mut u32| {
                    let drawn = below(draw(key(*seed, Lane::Delay, lane_place), *sent), *span);
                    *sent = sent.wrapping_add(1);
                    now + *least + if LISTED { chance.settle(drawn, *span) } else { drawn }
                };
                match memory {
                    Memory::Dense(roads) => {
                        let arc = network.arc(from, port).expect("few enough links to number");
                        let road = &mut roads[arc];
                        let mut sent = road.sent;
                        let at = delay(arc as u32, &mut sent);
                        road.sent = sent;
                        if !*fifo {
                            return at;
                        }
                        road.last_arrival = at.max(road.last_arrival);
                        road.last_arrival
                    }
                    Memory::Sparse { senders, more, free } => {
                        let sender = &mut senders[from as usize];
                        let at = delay(from, &mut sender.sent);
                        if *fifo { sender.arrange(now, at, to, more, free) } else { at }
                    }
                }
            }
        }
    }

    /// Asks for the memory that a message sent from a place will need.
    #[inline]
    pub(crate) fn fetch(&self, network: &impl Network, from: Place) {
        match self {
            Self::Constant(_) | Self::List(_) => {}
            Self::Drawn { memory: Memory::Dense(roads), .. } => {
                if let Some(road) = network.arc(from, Port(0)).and_then(|arc| roads.get(arc)) {
                    prefetch(road);
                }
            }
            Self::Drawn { memory: Memory::Sparse { senders, .. }, .. } => prefetch(&senders[from as usize]),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Constant(_) => 0,
            Self::List(list) => list.capacity() * 8,
            Self::Drawn { memory: Memory::Dense(roads), .. } => roads.capacity() * size_of::<Road>(),
            Self::Drawn { memory: Memory::Sparse { senders, more, .. }, .. } => {
                senders.capacity() * size_of::<Sender>() + more.capacity() * size_of::<Flight>()
            }
        }
    }
}

impl Sender {
    /// Not before what is already in flight to the same place; remembers it as in flight.
    #[inline]
    fn arrange(&mut self, now: Time, at: Time, to: Place, more: &mut Vec<Flight>, free: &mut u32) -> Time {
        let mut room = None;
        for (index, flight) in self.flights.iter_mut().enumerate() {
            if flight.arrives <= now {
                room = Some(index);
            } else if flight.to == to {
                flight.arrives = at.max(flight.arrives);
                return flight.arrives;
            }
        }
        let at = if self.more == NONE { at } else { self.unchain(now, at, to, more, free) };
        match room {
            Some(index) => self.flights[index] = Flight { arrives: at, to, next: NONE },
            None => {
                let flight = Flight { arrives: at, to, next: self.more };
                if *free == NONE {
                    self.more = more.len() as u32;
                    more.push(flight);
                } else {
                    self.more = *free;
                    let cell = &mut more[*free as usize];
                    *free = cell.next;
                    *cell = flight;
                }
            }
        }
        at
    }

    /// Takes out of the chain what has arrived, and what goes to the same place.
    fn unchain(&mut self, now: Time, mut at: Time, to: Place, more: &mut [Flight], free: &mut u32) -> Time {
        let (mut index, mut kept) = (self.more, NONE);
        while index != NONE {
            let flight = &mut more[index as usize];
            let next = flight.next;
            if flight.arrives > now && flight.to != to {
                flight.next = kept;
                kept = index;
            } else {
                at = at.max(flight.arrives);
                flight.next = *free;
                *free = index;
            }
            index = next;
        }
        self.more = kept;
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use alloc::collections::BTreeMap;

    /// Whatever is in flight, a sender remembers just what a full table of all links would.
    #[test]
    fn a_sender_agrees_with_a_full_table() {
        for seed in 0..100 {
            let mut random = Random::new(seed);
            let unused = Flight { arrives: 0, to: 0, next: NONE };
            let mut sender = Sender { sent: 0, more: NONE, flights: [unused; 2] };
            let (mut more, mut free) = (Vec::new(), NONE);
            let mut table: BTreeMap<Place, Time> = BTreeMap::new();
            let mut now = 1;
            for _ in 0..1000 {
                now += random.below(3);
                let to = random.below(9) as Place;
                let at = now + random.below(30);
                let last = table.entry(to).or_insert(0);
                *last = at.max(*last);
                assert_eq!(sender.arrange(now, at, to, &mut more, &mut free), *last);
            }
            assert!(more.len() < 40, "cells are used again");
        }
    }
}
