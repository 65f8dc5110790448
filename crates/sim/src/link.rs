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
    Drawn {
        least: u64,
        span: u64,
        fifo: bool,
        seed: u64,
        memory: Memory,
        refreshed: Time,
        adversary: Option<Adversary>,
    },
}

/// Who chooses delays in the place of chance.
pub(crate) enum Adversary {
    NewestFirst,
    /// By sender: how many identities are faster.
    Slowest(Vec<u32>),
    OneWay,
}

impl Adversary {
    fn new(scenario: &Scenario) -> Option<Self> {
        let by_rank = |high: bool| {
            let mut places: Vec<Place> = (0..scenario.n as Place).collect();
            places.sort_by_key(|&place| scenario.ids[place as usize]);
            if !high {
                places.reverse();
            }
            let mut ranks = vec![0; scenario.n];
            for (rank, place) in places.into_iter().enumerate() {
                ranks[place as usize] = rank as u32;
            }
            Self::Slowest(ranks)
        };
        match scenario.timing.delays {
            Delays::NewestFirst => Some(Self::NewestFirst),
            Delays::SlowestHigh => Some(by_rank(true)),
            Delays::SlowestLow => Some(by_rank(false)),
            Delays::OneWay => Some(Self::OneWay),
            Delays::Uniform | Delays::Min | Delays::Max | Delays::List(_) => None,
        }
    }

    /// How much longer than the least a message takes; less than `span`.
    fn choice(&self, now: Time, span: u64, network: &impl Network, (from, port): (Place, Port)) -> u64 {
        match self {
            // What is sent in one half of the span arrives in the next half, in the opposite order.
            Self::NewestFirst => span - 1 - 2 * (now % span.div_ceil(2)),
            Self::Slowest(ranks) => {
                let most = (ranks.len() as u64 - 1).max(1);
                (u128::from(span - 1) * u128::from(ranks[from as usize]) / u128::from(most)) as u64
            }
            Self::OneWay if network.is_clockwise(from, port) => 0,
            Self::OneWay => span - 1,
        }
    }
}

/// What is remembered of links whose delays are drawn.
pub(crate) enum Memory {
    /// Of each link direction.
    Dense(Vec<Road>),
    /// Nothing but what [`Chance`] counts of each sender: in a complete network, which has too many links, where order
    /// does not matter.
    None,
    /// Where order matters there: what each sender has in flight.
    Sparse { senders: Vec<Sender>, more: Vec<Link>, free: u32 },
}

/// A link direction. Arrivals are kept modulo 2^32, and forgotten long before that matters.
#[derive(Clone, Copy)]
pub(crate) struct Road {
    last_arrival: u32,
    sent: u32,
}

impl Road {
    /// Not before what was sent before it.
    #[inline(always)]
    fn arrange(&mut self, at: Time) -> Time {
        // All that is remembered lies within half of what 32 bits can tell apart.
        let behind = self.last_arrival.wrapping_sub(at as u32) as i32;
        let at = at + u64::from(behind.max(0) as u32);
        self.last_arrival = at as u32;
        at
    }
}

/// How long arrivals are remembered before all that are past are brought up to date.
const MEMORY: Time = 1 << 30;

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
    port: u32,
}

/// A flight in a chain.
#[derive(Clone, Copy)]
pub(crate) struct Link {
    flight: Flight,
    next: u32,
}

impl Sender {
    const NEW: Self = Self { sent: 0, used: 0, more: NONE, flights: [Flight { arrives: 0, port: 0 }; 4] };
}

impl Roads {
    /// `alike`: messages cannot be told apart, so that any order is first in, first out.
    pub(crate) fn new(scenario: &Scenario, network: &impl Network, alike: bool) -> Self {
        let d = scenario.timing.d;
        match &scenario.timing.delays {
            Delays::List(list) => return Self::List(list.clone()),
            Delays::Max => return Self::Constant(d.max),
            Delays::Min => return Self::Constant(d.min),
            _ if d.min == d.max => return Self::Constant(d.min),
            _ => {}
        }
        let last = network.arc(scenario.n as Place - 1, Port(network.ports(scenario.n as Place - 1).max(1) - 1));
        let last = last.filter(|_| d.max < MEMORY);
        let fifo = scenario.links == Links::Fifo && !alike;
        let memory = match last {
            Some(last) => Memory::Dense(vec![Road { last_arrival: 0, sent: 0 }; last + 1]),
            None if fifo => Memory::Sparse { senders: vec![Sender::NEW; scenario.n], more: Vec::new(), free: NONE },
            None => Memory::None,
        };
        let adversary = Adversary::new(scenario);
        Self::Drawn {
            least: d.min,
            span: d.max - d.min + 1,
            fifo,
            seed: scenario.seed,
            memory,
            refreshed: 0,
            adversary,
        }
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
    pub(crate) fn arrival<const LISTED: bool>(
        &mut self,
        now: Time,
        network: &impl Network,
        (from, port): (Place, Port),
        chance: &mut Chance,
    ) -> Time {
        match self {
            Self::Constant(delay) => now + *delay,
            Self::List(list) => now + list[network.link(from, port) as usize],
            Self::Drawn { least, span, fifo, seed, memory, refreshed, adversary } => {
                let drawn = Drawn::new(*least, *span, *seed);
                let settle = |chosen, chance: &mut Chance| {
                    let adversary = adversary.as_ref();
                    let chosen = adversary.map_or(chosen, |a| a.choice(now, drawn.span, network, (from, port)));
                    if LISTED { chance.settle((Lane::Delay, from), chosen, drawn.span) } else { chosen }
                };
                match memory {
                    Memory::Dense(roads) => {
                        let ports = network.ports(from) as usize;
                        let mut way = DenseWay { drawn, fifo: *fifo, ports, roads, refreshed };
                        way.begin(now);
                        way.arrival(now, from, port, chance, settle)
                    }
                    Memory::None => FreeWay { drawn }.arrival(now, from, port, chance, settle),
                    Memory::Sparse { senders, more, free } => {
                        SparseWay { drawn, senders, more, free }.arrival(now, from, port, chance, settle)
                    }
                }
            }
        }
    }

    /// Lets somebody travel who needs not look at each step what kind of roads these are.
    pub(crate) fn lead(&mut self, network: &impl Network, traveller: impl Traveller) {
        let Self::Drawn { least, span, fifo, seed, memory, refreshed, adversary: None } = self else { return };
        let drawn = Drawn::new(*least, *span, *seed);
        match memory {
            Memory::Dense(roads) => {
                let ports = network.ports(0) as usize;
                traveller.travel(&mut DenseWay { drawn, fifo: *fifo, ports, roads, refreshed });
            }
            Memory::None => traveller.travel(&mut FreeWay { drawn }),
            Memory::Sparse { senders, more, free } => traveller.travel(&mut SparseWay { drawn, senders, more, free }),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Constant(_) => 0,
            Self::List(list) => list.capacity() * 8,
            Self::Drawn { memory: Memory::Dense(roads), .. } => roads.capacity() * size_of::<Road>(),
            Self::Drawn { memory: Memory::None, .. } => 0,
            Self::Drawn { memory: Memory::Sparse { senders, more, .. }, .. } => {
                senders.capacity() * size_of::<Sender>() + more.capacity() * size_of::<Link>()
            }
        }
    }
}

/// Drawn delays of a network whose kind of memory is known.
pub(crate) trait Way {
    /// Once at every instant.
    fn begin(&mut self, now: Time);
    /// When a message arrives that is sent now. `settle` may put another choice in the place of the one drawn.
    fn arrival(
        &mut self,
        now: Time,
        from: Place,
        port: Port,
        chance: &mut Chance,
        settle: impl FnOnce(u64, &mut Chance) -> u64,
    ) -> Time;
    /// Asks for the memory that a message sent from a place will need.
    fn fetch(&self, from: Place);
}

/// The range that delays are drawn from.
#[derive(Clone, Copy)]
pub(crate) struct Drawn {
    least: u64,
    span: u64,
    key: u64,
}

impl Drawn {
    fn new(least: u64, span: u64, seed: u64) -> Self {
        Self { least, span, key: key(seed, Lane::Delay) }
    }

    /// The next draw of a stream.
    #[inline(always)]
    fn next(self, stream: u32, sent: &mut u32) -> u64 {
        let drawn = below(draw(self.key, stream, *sent), self.span);
        *sent = sent.wrapping_add(1);
        drawn
    }
}

pub(crate) struct DenseWay<'a> {
    drawn: Drawn,
    fifo: bool,
    ports: usize,
    roads: &'a mut [Road],
    refreshed: &'a mut Time,
}

impl Way for DenseWay<'_> {
    #[inline]
    fn begin(&mut self, now: Time) {
        if now - *self.refreshed >= MEMORY {
            refresh(self.roads, now, *self.refreshed);
            *self.refreshed = now;
        }
    }

    #[inline(always)]
    fn arrival(
        &mut self,
        now: Time,
        from: Place,
        port: Port,
        chance: &mut Chance,
        settle: impl FnOnce(u64, &mut Chance) -> u64,
    ) -> Time {
        let arc = from as usize * self.ports + port.0 as usize;
        let road = &mut self.roads[arc];
        let drawn = self.drawn.next(arc as u32, &mut road.sent);
        let at = now + self.drawn.least + settle(drawn, chance);
        if self.fifo { road.arrange(at) } else { at }
    }

    #[inline(always)]
    fn fetch(&self, from: Place) {
        prefetch(self.roads.as_ptr().wrapping_add(from as usize * self.ports));
    }
}

pub(crate) struct FreeWay {
    drawn: Drawn,
}

impl Way for FreeWay {
    fn begin(&mut self, _: Time) {}

    #[inline(always)]
    fn arrival(
        &mut self,
        now: Time,
        from: Place,
        _: Port,
        chance: &mut Chance,
        settle: impl FnOnce(u64, &mut Chance) -> u64,
    ) -> Time {
        let drawn = chance.draw(self.drawn.key, from, self.drawn.span);
        now + self.drawn.least + settle(drawn, chance)
    }

    fn fetch(&self, _: Place) {}
}

pub(crate) struct SparseWay<'a> {
    drawn: Drawn,
    senders: &'a mut [Sender],
    more: &'a mut Vec<Link>,
    free: &'a mut u32,
}

impl Way for SparseWay<'_> {
    fn begin(&mut self, _: Time) {}

    #[inline(always)]
    fn arrival(
        &mut self,
        now: Time,
        from: Place,
        port: Port,
        chance: &mut Chance,
        settle: impl FnOnce(u64, &mut Chance) -> u64,
    ) -> Time {
        let sender = &mut self.senders[from as usize];
        let drawn = self.drawn.next(from, &mut sender.sent);
        let at = now + self.drawn.least + settle(drawn, chance);
        sender.arrange(now, at, port.0, self.more, self.free)
    }

    #[inline(always)]
    fn fetch(&self, from: Place) {
        prefetch(self.senders.as_ptr().wrapping_add(from as usize));
    }
}

/// Something to be done with a [`Way`].
pub(crate) trait Traveller {
    fn travel(self, way: &mut impl Way);
}

/// Brings arrivals that lie in the past up to the present. All that is remembered was sent less than [`MEMORY`] after
/// `before`, when this was last done, and took less than that; so if twice that has passed, all of it is past, and if
/// not, 32 bits tell the past from the future.
#[cold]
fn refresh(roads: &mut [Road], now: Time, before: Time) {
    let all_past = now - before >= 2 * MEMORY;
    for road in roads {
        let ahead = road.last_arrival.wrapping_sub(now as u32);
        if all_past || u64::from(ahead) >= MEMORY {
            road.last_arrival = now as u32;
        }
    }
}

impl Sender {
    /// Not before what is already in flight through the same port; remembers it as in flight.
    #[inline]
    fn arrange(&mut self, now: Time, mut at: Time, port: u32, more: &mut Vec<Link>, free: &mut u32) -> Time {
        // What has arrived is forgotten, and what leaves by the same port is replaced.
        let mut index = 0;
        while index < self.used as usize {
            let flight = self.flights[index];
            if flight.arrives > now && flight.port != port {
                index += 1;
            } else {
                at = at.max(flight.arrives);
                self.used -= 1;
                self.flights[index] = self.flights[self.used as usize];
            }
        }
        if self.more != NONE {
            at = self.unchain(now, at, port, more, free);
        }
        let flight = Flight { arrives: at, port };
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

    /// Takes out of the chain what has arrived, and what leaves by the same port.
    #[cold]
    fn unchain(&mut self, now: Time, mut at: Time, port: u32, more: &mut [Link], free: &mut u32) -> Time {
        let (mut index, mut kept) = (self.more, NONE);
        while index != NONE {
            let link = &mut more[index as usize];
            let next = link.next;
            if link.flight.arrives > now && link.flight.port != port {
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

    /// However long nothing is sent, 32 bits of an arrival tell as much as 64.
    #[test]
    fn short_memories_agree_with_long_ones() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let mut roads = [Road { last_arrival: 0, sent: 0 }; 3];
            let mut full = [0; 3];
            let (mut now, mut refreshed) = (0, 0);
            for _ in 0..1000 {
                let leap = [4, 1 << 28, 1 << 30, 1 << 32, 1 << 34][random.below(5) as usize];
                now += random.below(leap);
                if now - refreshed >= MEMORY {
                    refresh(&mut roads, now, refreshed);
                    refreshed = now;
                }
                let arc = random.below(3) as usize;
                let spread = [10, MEMORY][random.below(2) as usize];
                let at = now + random.below(spread);
                full[arc] = at.max(full[arc]);
                assert_eq!(roads[arc].arrange(at), full[arc]);
            }
        }
    }

    /// Whatever is in flight, a sender remembers just what a full table of all links would.
    #[test]
    fn a_sender_agrees_with_a_full_table() {
        for seed in 0..100 {
            let mut random = Random::new(seed);
            let mut sender = Sender::NEW;
            let (mut more, mut free) = (Vec::new(), NONE);
            let mut table: BTreeMap<u32, Time> = BTreeMap::new();
            let mut now = 1;
            for _ in 0..1000 {
                now += random.below(3);
                let port = random.below(9) as u32;
                let at = now + random.below(30);
                let last = table.entry(port).or_insert(0);
                *last = at.max(*last);
                assert_eq!(sender.arrange(now, at, port, &mut more, &mut free), *last);
            }
            assert!(more.len() < 40, "cells are used again");
        }
    }
}
