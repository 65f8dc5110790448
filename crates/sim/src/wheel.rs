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
    /// The chain of each near instant.
    slots: Vec<Slot>,
    /// One bit per slot: whether it holds anything.
    occupied: Vec<u64>,
    chunks: Vec<Chunk<T>>,
    /// A chain of chunks that are empty.
    free: u32,
    /// No event is earlier; near events are less than the number of slots later.
    now: Time,
    near: usize,
    far: BinaryHeap<Far<T>>,
    /// How many events were ever put far: their order among equals.
    far_count: u64,
}

#[derive(Clone, Copy)]
struct Slot {
    head: u32,
    tail: u32,
}

struct Chunk<T> {
    items: Vec<T>,
    next: u32,
}

impl<T> Wheel<T> {
    /// For delays up to about `reach`; longer ones are possible and slower.
    pub(crate) fn new(reach: u64) -> Self {
        let slots = reach.saturating_add(1).clamp(64, 1 << 16).next_power_of_two() as usize;
        Self {
            slots: vec![Slot { head: NONE, tail: NONE }; slots],
            occupied: vec![0; slots / 64],
            chunks: Vec::new(),
            free: NONE,
            now: 0,
            near: 0,
            far: BinaryHeap::new(),
            far_count: 0,
        }
    }

    /// Puts in an event, not earlier than the present.
    #[inline]
    pub(crate) fn push(&mut self, at: Time, item: T) {
        debug_assert!(at >= self.now, "events are never in the past");
        if at - self.now >= self.slots.len() as u64 {
            return self.push_far(at, item);
        }
        self.near += 1;
        let index = at as usize & (self.slots.len() - 1);
        let tail = self.slots[index].tail as usize;
        match self.chunks.get_mut(tail) {
            Some(chunk) if chunk.items.len() < CHUNK => chunk.items.push(item),
            _ => self.push_chunk(index, item),
        }
    }

    #[cold]
    fn push_far(&mut self, at: Time, item: T) {
        self.far_count += 1;
        self.far.push(Far { at, count: self.far_count, item });
    }

    /// Puts an event into a new chunk at the end of a chain.
    fn push_chunk(&mut self, index: usize, item: T) {
        let new = self.free;
        let new = if let Some(chunk) = self.chunks.get_mut(new as usize) {
            self.free = chunk.next;
            chunk.next = NONE;
            chunk.items.push(item);
            new
        } else {
            let mut items = Vec::with_capacity(CHUNK);
            items.push(item);
            self.chunks.push(Chunk { items, next: NONE });
            self.chunks.len() as u32 - 1
        };
        let slot = &mut self.slots[index];
        if slot.tail == NONE {
            slot.head = new;
            self.occupied[index / 64] |= 1 << (index % 64);
        } else {
            self.chunks[slot.tail as usize].next = new;
        }
        slot.tail = new;
    }

    /// When the next event is.
    #[inline]
    pub(crate) fn next_time(&self) -> Option<Time> {
        if self.near == 0 {
            return self.far.peek().map(|far| far.at);
        }
        let size = self.slots.len();
        let start = self.now as usize & (size - 1);
        let words = self.occupied.len();
        // The word of the present instant is looked at twice: its later bits first, its earlier bits last.
        let mut bits = self.occupied[start / 64] & (u64::MAX << (start % 64));
        let mut word = start / 64;
        for _ in 0..=words {
            if bits != 0 {
                let found = word * 64 + bits.trailing_zeros() as usize;
                return Some(self.now + ((found.wrapping_sub(start)) & (size - 1)) as u64);
            }
            word = if word + 1 == words { 0 } else { word + 1 };
            bits = self.occupied[word];
        }
        unreachable!("a near event has a slot")
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

    /// Takes out a chunk of the events of the present, in order; `None` when there are no more.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Vec<T>> {
        let index = self.now as usize & (self.slots.len() - 1);
        let slot = &mut self.slots[index];
        let chunk = self.chunks.get_mut(slot.head as usize)?;
        let items = mem::take(&mut chunk.items);
        let emptied = slot.head;
        slot.head = chunk.next;
        chunk.next = self.free;
        self.free = emptied;
        if slot.head == NONE {
            slot.tail = NONE;
            self.occupied[index / 64] &= !(1 << (index % 64));
        }
        self.near -= items.len();
        Some(items)
    }

    /// Gives back the memory of a chunk that was taken out.
    #[inline]
    pub(crate) fn recycle(&mut self, mut items: Vec<T>) {
        items.clear();
        // Taking out and giving back alternate, so the chunk without memory is the first free one.
        let mut free = self.free;
        while let Some(chunk) = self.chunks.get_mut(free as usize) {
            if chunk.items.capacity() == 0 {
                chunk.items = items;
                return;
            }
            free = chunk.next;
        }
    }

    /// Whether there is anything at the present instant.
    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        self.slots[self.now as usize & (self.slots.len() - 1)].head != NONE
    }

    /// The memory it holds.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
            + self.occupied.capacity() * 8
            + self.chunks.capacity() * size_of::<Chunk<T>>()
            + self.chunks.len() * CHUNK * size_of::<T>()
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
        assert!(wheel.chunks.len() <= 1000usize.div_ceil(CHUNK));
    }
}
