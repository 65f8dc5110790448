//! FIFO order in networks with too many links to keep a record of each: only messages in flight are recorded, by sender.

use alloc::vec;
use alloc::vec::Vec;

use ringleader_model::{Place, Port, Time, mix};

/// The last arrival on every link that has messages in flight.
#[derive(Clone, Hash)]
pub(crate) struct LinksInFlight {
    senders: Vec<SenderRecord>,
    /// The links of senders that have messages in flight on more links than their records hold.
    others: LastArrivals,
}

/// The links of one sender, in one cache line.
#[derive(Clone, Copy, Hash)]
#[repr(align(64))]
struct SenderRecord {
    sent: u32,
    /// The number of entries of `pending` in use.
    used: u32,
    /// No arrival among [the others](LinksInFlight::others) is later.
    latest: Time,
    pending: [PendingArrival; 4],
}

#[derive(Clone, Copy, Hash)]
#[repr(Rust, packed(4))]
struct PendingArrival {
    arrives: Time,
    port: u32,
}

impl LinksInFlight {
    /// For this number of senders.
    pub(crate) fn new(n: usize) -> Self {
        let pending = [PendingArrival { arrives: 0, port: 0 }; 4];
        Self {
            senders: vec![SenderRecord { sent: 0, used: 0, latest: 0, pending }; n],
            others: LastArrivals::default(),
        }
    }

    /// The number of delays that a sender has drawn.
    #[inline(always)]
    pub(crate) fn sent(&mut self, from: Place) -> &mut u32 {
        &mut self.senders[from as usize].sent
    }

    /// The arrival of a message that would arrive at `at`, delayed until its predecessors on the same link have arrived;
    /// records it as in flight.
    #[inline]
    pub(crate) fn keep_order(&mut self, now: Time, mut at: Time, (from, port): (Place, Port)) -> Time {
        let sender = &mut self.senders[from as usize];
        at = sender.forget(now, at, port.0);
        if sender.latest > now {
            at = at.max(self.others.get(link(from, port)));
        }
        if !sender.remember(at, port.0) {
            sender.latest = at.max(sender.latest);
            self.others.insert(link(from, port), at, now);
        }
        at
    }

    /// The last message sent over a link arrives at another time.
    pub(crate) fn hurry(&mut self, (from, port): (Place, Port), at: Time) {
        let sender = &mut self.senders[from as usize];
        for pending in &mut sender.pending[..sender.used as usize] {
            if pending.port == port.0 {
                pending.arrives = at;
            }
        }
        self.others.replace(link(from, port), at);
    }

    /// Prefetches the record of a sender.
    #[inline(always)]
    pub(crate) fn prefetch(&self, from: Place) {
        crate::fast_path::prefetch(self.senders.as_ptr().wrapping_add(from as usize));
    }

    pub(crate) fn bytes(&self) -> usize {
        self.senders.capacity() * size_of::<SenderRecord>() + self.others.slots.capacity() * size_of::<LastArrival>()
    }
}

impl SenderRecord {
    /// Drops messages that have arrived, and the one on the same port; the result is `at` or its arrival, if that is later.
    #[inline(always)]
    fn forget(&mut self, now: Time, mut at: Time, port: u32) -> Time {
        let mut index = 0;
        while index < self.used as usize {
            let arrival = self.pending[index];
            if arrival.arrives > now && arrival.port != port {
                index += 1;
            } else {
                at = at.max(arrival.arrives);
                self.used -= 1;
                self.pending[index] = self.pending[self.used as usize];
            }
        }
        at
    }

    /// Records an arrival; false if there is no room.
    #[inline(always)]
    fn remember(&mut self, arrives: Time, port: u32) -> bool {
        let room = self.pending.get_mut(self.used as usize);
        let found = room.is_some();
        if let Some(room) = room {
            *room = PendingArrival { arrives, port };
            self.used += 1;
        }
        found
    }
}

/// The key of a link direction.
#[inline(always)]
fn link(from: Place, port: Port) -> u64 {
    u64::from(from) << 32 | u64::from(port.0)
}

/// A hash table with linear probing: by link, its last arrival. Entries whose message has arrived mean nothing and are dropped
/// when the table is full, so that an insertion takes constant time on average, and the table is at most four times as large
/// as the largest number of links that had messages in flight.
#[derive(Clone, Hash, Default)]
struct LastArrivals {
    /// A power of two of them, or none.
    slots: Vec<LastArrival>,
    /// The number of slots in use.
    used: usize,
}

#[derive(Clone, Copy, Hash)]
struct LastArrival {
    link: u64,
    /// 0: the slot is empty. Nothing in flight arrives at time 0.
    at: Time,
}

impl LastArrivals {
    /// The least number of slots, but for none.
    const FEW: usize = 64;

    /// The recorded arrival on a link, or 0.
    fn get(&self, link: u64) -> Time {
        self.slot(link).map_or(0, |slot| self.slots[slot].at)
    }

    /// Changes the recorded arrival on a link, if there is one.
    fn replace(&mut self, link: u64, at: Time) {
        if let Some(slot) = self.slot(link)
            && self.slots[slot].at != 0
        {
            self.slots[slot].at = at.max(1);
        }
    }

    /// Records an arrival.
    fn insert(&mut self, link: u64, at: Time, now: Time) {
        if at <= now {
            return;
        }
        if (self.used + 1) * 4 > self.slots.len() * 3 {
            self.make_room(now);
        }
        let slot = self.slot(link).expect("there is room");
        self.used += usize::from(self.slots[slot].at == 0);
        self.slots[slot] = LastArrival { link, at };
    }

    /// The slot of a link, or an empty one for it; `None` in an empty table.
    #[inline]
    fn slot(&self, link: u64) -> Option<usize> {
        let last = self.slots.len().checked_sub(1)?;
        let mut slot = mix(link) as usize & last;
        while self.slots[slot].at != 0 && self.slots[slot].link != link {
            slot = (slot + 1) & last;
        }
        Some(slot)
    }

    /// Drops entries whose message has arrived, and makes the table twice to four times as large as what is left.
    #[cold]
    fn make_room(&mut self, now: Time) {
        let left = self.slots.iter().filter(|entry| entry.at > now).count();
        let size = ((left + 1) * 2).next_power_of_two().max(Self::FEW);
        let before = core::mem::replace(&mut self.slots, vec![LastArrival { link: 0, at: 0 }; size]);
        self.used = left;
        for entry in before.into_iter().filter(|entry| entry.at > now) {
            let slot = self.slot(entry.link).expect("it is not empty");
            self.slots[slot] = entry;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use alloc::collections::BTreeMap;

    /// The same arrivals as those of a record of every link, whether few or many messages are in flight.
    #[test]
    fn it_agrees_with_a_record_of_every_link() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let senders = 1 + random.below(4);
            let (ports, spread) = (1 + random.below(200), 1 + random.below(300));
            let mut links = LinksInFlight::new(senders as usize);
            let mut records: BTreeMap<(Place, u32), Time> = BTreeMap::new();
            let (mut now, mut most) = (random.below(2), 0);
            for _ in 0..3000 {
                now += [0, 0, 0, 1, random.below(30), random.below(1000)][random.below(6) as usize];
                let (from, port) = (random.below(senders) as Place, random.below(ports) as u32);
                let at = now + random.below(spread);
                let last = records.entry((from, port)).or_insert(0);
                *last = at.max(*last);
                assert_eq!(links.keep_order(now, at, (from, Port(port))), *last);
                if random.below(10) == 0 && *last > now {
                    *last = now + random.below(*last - now);
                    links.hurry((from, Port(port)), *last);
                }
                most = most.max(records.values().filter(|&&last| last > now).count());
            }
            let slots = links.others.slots.len();
            assert!(slots <= (4 * (most + 1)).max(LastArrivals::FEW), "{slots} slots for {most} links");
        }
    }

    /// An announcement: every port at one instant, again and again.
    #[test]
    fn an_announcement_takes_room_once() {
        const PORTS: u32 = 10_000;
        let mut links = LinksInFlight::new(1);
        let mut random = Random::new(1);
        let mut records = vec![0; PORTS as usize];
        for now in 0..20 {
            for port in 0..PORTS {
                let at = now * 100 + 1 + random.below(300);
                let last: &mut Time = &mut records[port as usize];
                *last = at.max(*last);
                assert_eq!(links.keep_order(now * 100, at, (0, Port(port))), *last);
            }
        }
        assert!(links.others.slots.len() <= 4 * (PORTS as usize + 1));
    }
}
