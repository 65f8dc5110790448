//! Events by time: a wheel of buckets for the near future, a heap for the far one.
//!
//! Elections begin with as many events as processors at one instant and end with one event an instant, so buckets are
//! chains of fixed chunks from a pool (a growing vector would double the memory, a calendar queue would keep resizing),
//! and a bitmap of occupied buckets finds the next instant in a few words.

use alloc::collections::BinaryHeap;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::mem;

use ringleader_model::Time;

/// Events in a chunk.
const CHUNK: usize = 128;
const NONE: u32 = u32::MAX;

/// Events of type `T`, each at a time. Those of the same time come out in the order in which they were put in.
pub(crate) struct Wheel<T> {
    /// The events of each near instant.
    slots: Vec<Slot<T>>,
    /// One bit per slot: whether it holds anything.
    occupied: Vec<u64>,
    /// Full chunks, in chains.
    full: Vec<Full<T>>,
    unused_full: u32,
    /// Chunks that are not in use.
    free: Vec<Vec<T>>,
    /// How many chunks there are.
    chunks: usize,
    /// No event is earlier; near events are less than the number of slots later.
    now: Time,
    near: usize,
    far: BinaryHeap<Far<T>>,
    /// How many events were ever put far: their order among equals.
    far_count: u64,
}

/// The chunk that is being filled, and the chain of those that are full.
struct Slot<T> {
    last: Vec<T>,
    first_full: u32,
    last_full: u32,
}

/// A full chunk in a chain, or an unused link of one.
struct Full<T> {
    items: Vec<T>,
    next: u32,
}

impl<T> Wheel<T> {
    /// For delays up to about `reach`; longer ones are possible and slower.
    pub(crate) fn new(reach: u64) -> Self {
        let slots = reach.saturating_add(1).clamp(64, 1 << 16).next_power_of_two() as usize;
        Self {
            slots: (0..slots).map(|_| Slot { last: Vec::new(), first_full: NONE, last_full: NONE }).collect(),
            occupied: vec![0; slots / 64],
            full: Vec::new(),
            unused_full: NONE,
            free: Vec::new(),
            chunks: 0,
            now: 0,
            near: 0,
            far: BinaryHeap::new(),
            far_count: 0,
        }
    }

    /// Puts in an event, not earlier than the present.
    #[inline]
    pub(crate) fn push(&mut self, at: Time, item: T) {
        if at - self.now >= self.slots.len() as u64 {
            self.far_count += 1;
            self.far.push(Far { at, count: self.far_count, item });
        } else {
            self.push_near(at, item);
        }
    }

    /// Puts in an event that is known to be within reach.
    #[inline(always)]
    pub(crate) fn push_near(&mut self, at: Time, item: T) {
        debug_assert!(at >= self.now && at - self.now < self.slots.len() as u64, "a near event is near, and not past");
        self.near += 1;
        let index = at as usize & (self.slots.len() - 1);
        if self.slots[index].last.len() == self.slots[index].last.capacity() {
            self.make_room(index);
        }
        self.slots[index].last.push(item);
    }

    /// Whether an event so much later is near.
    pub(crate) fn reaches(&self, later: u64) -> bool {
        later < self.slots.len() as u64
    }

    /// Begins a new chunk. It is not given the event: one that is passed by reference must be built in memory first.
    #[inline(never)]
    fn make_room(&mut self, index: usize) {
        let new = self.free.pop().unwrap_or_else(|| {
            self.chunks += 1;
            Vec::with_capacity(CHUNK)
        });
        let items = mem::replace(&mut self.slots[index].last, new);
        if items.capacity() == 0 {
            self.occupied[index / 64] |= 1 << (index % 64);
            return;
        }
        let full = Full { items, next: NONE };
        let link = self.unused_full;
        let link = if let Some(unused) = self.full.get_mut(link as usize) {
            self.unused_full = unused.next;
            *unused = full;
            link
        } else {
            self.full.push(full);
            self.full.len() as u32 - 1
        };
        let slot = &mut self.slots[index];
        let before = mem::replace(&mut slot.last_full, link);
        match self.full.get_mut(before as usize) {
            Some(before) => before.next = link,
            None => slot.first_full = link,
        }
    }

    /// When the next event is.
    #[inline]
    pub(crate) fn next_time(&self) -> Option<Time> {
        if self.near == 0 {
            return self.far.peek().map(|far| far.at);
        }
        let later = self.slot_from(self.now).expect("a near event has a slot");
        Some(self.now + later)
    }

    /// Some of the events of the next instant after the present that has any near ones.
    #[inline]
    pub(crate) fn peek_next(&self) -> &[T] {
        let Some(later) = self.slot_from(self.now + 1) else { return &[] };
        let slot = &self.slots[(self.now + 1 + later) as usize & (self.slots.len() - 1)];
        self.full.get(slot.first_full as usize).map_or(&slot.last, |full| &full.items)
    }

    /// How much later than `time` the first slot is that holds anything, going round from there.
    #[inline]
    fn slot_from(&self, time: Time) -> Option<u64> {
        let size = self.slots.len();
        let start = time as usize & (size - 1);
        let words = self.occupied.len();
        // The word of the present instant is looked at twice: its later bits first, its earlier bits last.
        let mut bits = self.occupied[start / 64] & (u64::MAX << (start % 64));
        let mut word = start / 64;
        for _ in 0..=words {
            if bits != 0 {
                let found = word * 64 + bits.trailing_zeros() as usize;
                return Some((found.wrapping_sub(start) & (size - 1)) as u64);
            }
            word = if word + 1 == words { 0 } else { word + 1 };
            bits = self.occupied[word];
        }
        None
    }

    /// Makes `now` the present; nothing may be earlier.
    #[inline]
    pub(crate) fn advance(&mut self, now: Time) {
        self.now = now;
        while self.far.peek().is_some_and(|far| far.at - now < self.slots.len() as u64) {
            let far = self.far.pop().expect("it was just seen");
            // Everything that will be put in for that instant comes later, so the order is kept.
            self.push(far.at, far.item);
        }
    }

    /// Takes out some of the events of the present, in order; `None` when there are no more.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Vec<T>> {
        let index = self.now as usize & (self.slots.len() - 1);
        let slot = &mut self.slots[index];
        let items = if let Some(full) = self.full.get_mut(slot.first_full as usize) {
            let items = mem::take(&mut full.items);
            let next = mem::replace(&mut full.next, self.unused_full);
            self.unused_full = mem::replace(&mut slot.first_full, next);
            if next == NONE {
                slot.last_full = NONE;
            }
            items
        } else if slot.last.capacity() > 0 {
            self.occupied[index / 64] &= !(1 << (index % 64));
            mem::take(&mut slot.last)
        } else {
            return None;
        };
        self.near -= items.len();
        Some(items)
    }

    /// Gives back the memory of events that were taken out.
    #[inline]
    pub(crate) fn recycle(&mut self, mut items: Vec<T>) {
        items.clear();
        self.free.push(items);
    }

    /// Whether there is anything at the present instant.
    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        self.slots[self.now as usize & (self.slots.len() - 1)].last.capacity() > 0
    }

    /// The memory it holds.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot<T>>()
            + self.occupied.capacity() * 8
            + self.full.capacity() * size_of::<Full<T>>()
            + self.free.capacity() * size_of::<Vec<T>>()
            + self.chunks * CHUNK * size_of::<T>()
            + self.far.capacity() * size_of::<Far<T>>()
    }
}

struct Far<T> {
    at: Time,
    count: u64,
    item: T,
}

impl<T> Ord for Far<T> {
    /// The heap gives the greatest first, so the earliest is the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.count).cmp(&(self.at, self.count))
    }
}

impl<T> PartialOrd for Far<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for Far<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T> Eq for Far<T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    /// Against a sorted list: any mixture of near and far pushes comes out by time, and by order within a time.
    #[test]
    fn it_agrees_with_a_sorted_list() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let mut wheel = Wheel::new(1 + random.below(300));
            let mut list: Vec<(Time, u64)> = Vec::new();
            let (mut now, mut count) = (0, 0);
            for _ in 0..300 {
                for _ in 0..random.below(6) {
                    let spread = [1, 10, 1000, 1 << 40][random.below(4) as usize];
                    let at = now + random.below(spread);
                    wheel.push(at, (at, count));
                    list.push((at, count));
                    count += 1;
                }
                list.sort_unstable();
                let Some(next) = wheel.next_time() else {
                    assert!(list.is_empty());
                    continue;
                };
                now = next;
                wheel.advance(now);
                let mut out = Vec::new();
                while let Some(chunk) = wheel.pop() {
                    out.extend_from_slice(&chunk);
                    wheel.recycle(chunk);
                }
                let expected: Vec<_> = list.iter().copied().take_while(|&(at, _)| at == now).collect();
                assert_eq!(out, expected);
                list.drain(..expected.len());
            }
        }
    }

    #[test]
    fn chunks_are_used_again() {
        let mut wheel = Wheel::new(1);
        for now in 0..1000 {
            for item in 0..1000 {
                wheel.push(now + 1, item);
            }
            wheel.advance(now + 1);
            while let Some(chunk) = wheel.pop() {
                wheel.recycle(chunk);
            }
        }
        assert!(wheel.chunks <= 1000usize.div_ceil(CHUNK));
    }
}
