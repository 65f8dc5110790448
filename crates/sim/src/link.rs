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
    /// Of each sender of a complete network, which has too many links, where order does not matter: how many it sent.
    Counts(Vec<u32>),
    /// Where order matters there: what each sender has in flight.
    Sparse { senders: Vec<Sender>, more: Vec<Link>, free: u32 },
}

#[derive(Clone, Copy)]
#[repr(Rust, packed(4))]
pub(crate) struct Road {
    last_arrival: Time,
    sent: u32,
}

/// Four messages in flight are kept here, further ones in a chain: a cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Sender {
    sent: u32,
    /// How many of `flights` are in use.
    used: u32,
    more: u32,
    flights: [Flight; 4],
}

#[derive(Clone, Copy)]
#[repr(Rust, packed(4))]
pub(crate) struct Flight {
    arrives: Time,
    to: Place,
}

/// A flight in a chain.
#[derive(Clone, Copy)]
pub(crate) struct Link {
    flight: Flight,
    next: u32,
}

impl Sender {
    const NEW: Self = Self { sent: 0, used: 0, more: NONE, flights: [Flight { arrives: 0, to: 0 }; 4] };
}

impl Roads {
    /// `alike`: messages cannot be told apart, so that any order is first in, first out.
    pub(crate) fn new(scenario: &Scenario, network: &impl Network, alike: bool) -> Self {
        let d = scenario.timing.d;
        match &scenario.timing.delays {
            Delays::List(list) => return Self::List(list.clone()),
            Delays::Max => return Self::Constant(d.max),
            Delays::Uniform if d.min < d.max => {}
            Delays::Uniform | Delays::Min => return Self::Constant(d.min),
        }
        let last = network.arc(scenario.n as Place - 1, Port(network.ports().max(1) - 1));
        let fifo = scenario.links == Links::Fifo && !alike;
        let memory = match last {
            Some(last) => Memory::Dense(vec![Road { last_arrival: 0, sent: 0 }; last + 1]),
            None if fifo => Memory::Sparse { senders: vec![Sender::NEW; scenario.n], more: Vec::new(), free: NONE },
            None => Memory::Counts(vec![0; scenario.n]),
        };
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
                        sender.arrange(now, at, to, more, free)
                    }
                    Memory::Counts(sent) => delay(from, &mut sent[from as usize]),
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
            Self::Drawn { memory: Memory::Counts(sent), .. } => prefetch(&sent[from as usize]),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Constant(_) => 0,
            Self::List(list) => list.capacity() * 8,
            Self::Drawn { memory: Memory::Dense(roads), .. } => roads.capacity() * size_of::<Road>(),
            Self::Drawn { memory: Memory::Counts(sent), .. } => sent.capacity() * 4,
            Self::Drawn { memory: Memory::Sparse { senders, more, .. }, .. } => {
                senders.capacity() * size_of::<Sender>() + more.capacity() * size_of::<Link>()
            }
        }
    }
}

impl Sender {
    /// Not before what is already in flight to the same place; remembers it as in flight.
    #[inline]
    fn arrange(&mut self, now: Time, mut at: Time, to: Place, more: &mut Vec<Link>, free: &mut u32) -> Time {
        // What has arrived is forgotten, and what goes to the same place is replaced.
        let mut index = 0;
        while index < self.used as usize {
            let flight = self.flights[index];
            if flight.arrives > now && flight.to != to {
                index += 1;
            } else {
                at = at.max(flight.arrives);
                self.used -= 1;
                self.flights[index] = self.flights[self.used as usize];
            }
        }
        if self.more != NONE {
            at = self.unchain(now, at, to, more, free);
        }
        let flight = Flight { arrives: at, to };
        if let Some(room) = self.flights.get_mut(self.used as usize) {
            *room = flight;
            self.used += 1;
        } else {
            self.chain(flight, more, free);
        }
        at
    }

    #[cold]
    fn chain(&mut self, flight: Flight, more: &mut Vec<Link>, free: &mut u32) {
        let link = Link { flight, next: self.more };
        if let Some(unused) = more.get_mut(*free as usize) {
            self.more = *free;
            *free = unused.next;
            *unused = link;
        } else {
            self.more = more.len() as u32;
            more.push(link);
        }
    }

    /// Takes out of the chain what has arrived, and what goes to the same place.
    #[cold]
    fn unchain(&mut self, now: Time, mut at: Time, to: Place, more: &mut [Link], free: &mut u32) -> Time {
        let (mut index, mut kept) = (self.more, NONE);
        while index != NONE {
            let link = &mut more[index as usize];
            let next = link.next;
            if link.flight.arrives > now && link.flight.to != to {
                link.next = kept;
                kept = index;
            } else {
                at = at.max(link.flight.arrives);
                link.next = *free;
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
            let mut sender = Sender::NEW;
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
