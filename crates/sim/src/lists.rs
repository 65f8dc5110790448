//! Events by time when there are few of them: a linked list per instant.
//!
//! With about one event an instant, what costs is not memory but branches that cannot be predicted: is there room, is the
//! bucket empty, how far is the next one? So a list has a head that is no event, and appending to it is the same two
//! stores whether it is empty or not; and the instants at hand are the bits of one word.

use alloc::vec;
use alloc::vec::Vec;
use core::mem;

use ringleader_model::Time;

const NONE: u32 = u32::MAX;
const WORDS: usize = 64;

/// Events of type `T`, each at a time. Those of the same time come out in the order in which they were put in.
pub(crate) struct Lists<T> {
    /// The first nodes are the heads of the lists, one per instant; their events are no events.
    nodes: Vec<Node<T>>,
    /// Per instant, the last node of its list: the head, if it is empty.
    tails: Vec<u32>,
    /// The list of nodes that are not in use.
    free: u32,
    /// One bit per instant that has any events, except for the 64 instants from `base` on, which are in `word`. And one
    /// bit per word of those.
    words: [u64; WORDS],
    occupied: u64,
    base: Time,
    word: u64,
}

#[derive(Clone)]
struct Node<T> {
    item: T,
    next: u32,
}

/// The events of an instant, on their way out. There is at least one.
pub(crate) struct List {
    pub(crate) at: Time,
    node: u32,
    last: u32,
}

impl<T: Clone> Lists<T> {
    /// Whether events can be so much later than the present.
    pub(crate) const fn reach(later: u64) -> bool {
        later < 64 * WORDS as u64
    }

    /// For events that are at most `reach` later than the present. `sample`: any event.
    pub(crate) fn new(now: Time, reach: u64, sample: T) -> Self {
        assert!(Self::reach(reach), "lists are for the near future");
        let slots = (reach + 1).next_power_of_two().max(64) as u32;
        Self {
            nodes: vec![Node { item: sample, next: NONE }; slots as usize],
            tails: (0..slots).collect(),
            free: NONE,
            words: [0; WORDS],
            occupied: 0,
            base: now & !63,
            word: 0,
        }
    }

    /// The most events that there were at a time.
    #[inline]
    pub(crate) fn most(&self) -> usize {
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
            self.nodes.push(Node { item, next: NONE });
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

    /// The next instant that has events, which leave one by one by [`take`](Self::take) before anything else happens.
    #[inline(always)]
    pub(crate) fn next_instant(&mut self) -> Option<List> {
        if self.word == 0 {
            if self.occupied == 0 {
                return None;
            }
            // The word after this one first, this one again, a turn later, last.
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
        Some(List { at, node: self.nodes[slot].next, last })
    }

    /// The next event of an instant, and whether there are more. Others may be put in meanwhile, for later.
    #[inline(always)]
    pub(crate) fn take(&mut self, list: &mut List) -> (T, bool) {
        let at = list.node;
        let node = &mut self.nodes[at as usize];
        list.node = mem::replace(&mut node.next, self.free);
        self.free = at;
        (node.item.clone(), at != list.last)
    }

    /// Hands on everything that is left, in order.
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

    /// Against a sorted list, whatever is put in while an instant is taken out.
    #[test]
    fn they_agree_with_a_sorted_list() {
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let reach = [1, 30, 63, 64, 65, 1000, 1023, 1024, 4095][random.below(9) as usize];
            let begin = random.below(10_000);
            let mut lists = Lists::new(begin, reach, (0, 0));
            let mut sorted: Vec<(Time, u64)> = Vec::new();
            let mut count = 0;
            let mut put = |lists: &mut Lists<_>, sorted: &mut Vec<_>, now, random: &mut Random| {
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
