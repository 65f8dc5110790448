//! An event queue for few events: one linked list per instant.
//!
//! With about one event per instant, the cost is not memory but mispredicted branches: is there room, is the bucket
//! empty, how far is the next one? So every list has a sentinel head, and appending is the same two stores whether the
//! list is empty or not; the nearest instants are the bits of one word.

use alloc::vec;
use alloc::vec::Vec;
use core::mem;

use ringleader_model::Time;

const NONE: u32 = u32::MAX;
const WORDS: usize = 64;

/// Events of type `T` by time. Events of the same time come out in the order of insertion.
pub(crate) struct BucketLists<T> {
    /// The first nodes are the sentinel heads of the lists, one per instant; their items are not events.
    nodes: Vec<ListNode<T>>,
    /// Per instant, the last node of its list: the head, if the list is empty.
    tails: Vec<u32>,
    /// The free list.
    free: u32,
    /// Bitmap of the instants that have events, except for the 64 instants from `base` on, which are in `word`.
    words: [u64; WORDS],
    /// Bitmap of the non-zero `words`.
    occupied: u64,
    base: Time,
    word: u64,
}

#[derive(Clone)]
struct ListNode<T> {
    item: T,
    next: u32,
}

/// The events of one instant that are being taken; at least one is left.
pub(crate) struct DueList {
    pub(crate) at: Time,
    node: u32,
    last: u32,
}

impl<T: Clone> BucketLists<T> {
    /// Whether events can lie `later` units after the present.
    pub(crate) const fn reach(later: u64) -> bool {
        later < 64 * WORDS as u64
    }

    /// For events at most `reach` later than the present. `sample`: any event.
    pub(crate) fn new(now: Time, reach: u64, sample: T) -> Self {
        assert!(Self::reach(reach), "bucket lists are for the near future");
        let slots = (reach + 1).next_power_of_two().max(64) as u32;
        Self {
            nodes: vec![ListNode { item: sample, next: NONE }; slots as usize],
            tails: (0..slots).collect(),
            free: NONE,
            words: [0; WORDS],
            occupied: 0,
            base: now & !63,
            word: 0,
        }
    }

    /// The highest number of events held so far.
    #[inline]
    pub(crate) fn high_water(&self) -> usize {
        self.nodes.len() - self.tails.len()
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, at: Time, item: T) {
        let node = self.free;
        let node = if let Some(unused) = self.nodes.get_mut(node as usize) {
            self.free = unused.next;
            unused.item = item;
            node
        } else {
            self.nodes.push(ListNode { item, next: NONE });
            self.nodes.len() as u32 - 1
        };
        let slot = at as usize & (self.tails.len() - 1);
        let tail = mem::replace(&mut self.tails[slot], node);
        self.nodes[tail as usize].next = node;
        if at - self.base < 64 {
            self.word |= 1 << (at % 64);
        } else {
            self.words[slot / 64 % WORDS] |= 1 << (slot % 64);
            self.occupied |= 1 << (slot / 64);
        }
    }

    /// The next instant that has events. All of them must be [taken](Self::take) before the next call.
    #[inline(always)]
    pub(crate) fn next_instant(&mut self) -> Option<DueList> {
        if self.word == 0 {
            if self.occupied == 0 {
                return None;
            }
            // Start at the word after this one; this one, a revolution later, comes last.
            let words = self.tails.len() / 64;
            let index = (self.base as usize / 64) & (words - 1);
            let behind = self.occupied >> index >> 1;
            let later = if behind != 0 {
                behind.trailing_zeros() as usize + 1
            } else {
                words - index + self.occupied.trailing_zeros() as usize
            };
            self.base += 64 * later as u64;
            let index = (index + later) & (words - 1);
            self.word = mem::take(&mut self.words[index % WORDS]);
            self.occupied &= !(1 << index);
        }
        let at = self.base + u64::from(self.word.trailing_zeros());
        self.word &= self.word - 1;
        let slot = at as usize & (self.tails.len() - 1);
        let last = mem::replace(&mut self.tails[slot], slot as u32);
        Some(DueList { at, node: self.nodes[slot].next, last })
    }

    /// The next event of an instant, and whether more are left. Events for later instants may be inserted meanwhile.
    #[inline(always)]
    pub(crate) fn take(&mut self, list: &mut DueList) -> (T, bool) {
        let at = list.node;
        let node = &mut self.nodes[at as usize];
        list.node = mem::replace(&mut node.next, self.free);
        self.free = at;
        (node.item.clone(), at != list.last)
    }

    /// Passes all remaining events to `each`, in order.
    pub(crate) fn drain(mut self, mut each: impl FnMut(Time, T)) {
        while let Some(mut list) = self.next_instant() {
            loop {
                let (item, more) = self.take(&mut list);
                each(list.at, item);
                if !more {
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    /// Against a sorted list, with events inserted while an instant is being taken.
    #[test]
    fn agrees_with_a_sorted_list() {
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let reach = [1, 30, 63, 64, 65, 1000, 1023, 1024, 4095][random.below(9) as usize];
            let begin = random.below(10_000);
            let mut lists = BucketLists::new(begin, reach, (0, 0));
            let mut sorted: Vec<(Time, u64)> = Vec::new();
            let mut count = 0;
            let mut put = |lists: &mut BucketLists<_>, sorted: &mut Vec<_>, now, random: &mut Random| {
                let at = now + 1 + random.below(reach);
                lists.push(at, (at, count));
                sorted.push((at, count));
                count += 1;
            };
            for _ in 0..1 + random.below(20) {
                put(&mut lists, &mut sorted, begin, &mut random);
            }
            for _ in 0..500 {
                let Some(mut list) = lists.next_instant() else { break };
                sorted.sort_unstable();
                let due = sorted.iter().filter(|(at, _)| *at == list.at).count();
                let expected: Vec<_> = sorted.drain(..due).collect();
                let mut taken = Vec::new();
                loop {
                    let (item, more) = lists.take(&mut list);
                    taken.push(item);
                    for _ in 0..random.below(3) {
                        put(&mut lists, &mut sorted, list.at, &mut random);
                    }
                    if !more {
                        break;
                    }
                }
                assert_eq!(taken, expected);
            }
            sorted.sort_unstable();
            let mut left = Vec::new();
            lists.drain(|at, item| {
                assert_eq!(at, item.0);
                left.push(item);
            });
            assert_eq!(left, sorted);
        }
    }
}
