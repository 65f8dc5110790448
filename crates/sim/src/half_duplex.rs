//! Half-duplex links: a link carries one message at a time, in either direction, until it is delivered.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use ringleader_model::{Place, Port};

use crate::compact::IndexMap;

/// A message that waits at its sender until its link is free.
#[derive(Clone)]
pub(crate) struct WaitingSend<M, T> {
    pub(crate) from: Place,
    pub(crate) port: Port,
    pub(crate) message: M,
    pub(crate) tag: T,
}

/// The state of all links used so far.
#[derive(Clone)]
pub(crate) struct HalfDuplexLinks<M, T, S> {
    /// Links with consecutive numbers.
    links: Vec<HalfDuplexLink<M, T>>,
    /// Links of a complete network, which may be too many for a table.
    others: IndexMap<HalfDuplexLink<M, T>>,
    /// By place, timers that have expired but whose step was blocked by a busy link.
    blocked: Vec<Vec<S>>,
    /// The random choices (bound, value) of blocked steps: the step gets the same values when it is retried.
    coins: Vec<(Place, u32, u32)>,
}

#[derive(Clone)]
struct HalfDuplexLink<M, T> {
    busy: bool,
    waiting: VecDeque<WaitingSend<M, T>>,
}

/// A free link.
impl<M, T> Default for HalfDuplexLink<M, T> {
    fn default() -> Self {
        Self { busy: false, waiting: VecDeque::new() }
    }
}

impl<M, T, S: PartialEq> HalfDuplexLinks<M, T, S> {
    /// `links`: the number of links with consecutive numbers.
    pub(crate) fn new(links: usize) -> Self {
        let links = (0..links).map(|_| HalfDuplexLink::default()).collect();
        Self { links, others: IndexMap::new(), blocked: Vec::new(), coins: Vec::new() }
    }

    fn link(&mut self, link: u64) -> &mut HalfDuplexLink<M, T> {
        match self.links.get_mut(link as usize) {
            Some(state) => state,
            None => self.others.get_or_default(link),
        }
    }

    /// Occupies the link if it is free and returns the message; otherwise queues the message.
    pub(crate) fn offer(&mut self, link: u64, item: WaitingSend<M, T>) -> Option<WaitingSend<M, T>> {
        let state = self.link(link);
        if state.busy {
            state.waiting.push_back(item);
            return None;
        }
        state.busy = true;
        Some(item)
    }

    /// A message was delivered: the next waiting one, from either end, occupies the link.
    pub(crate) fn delivered(&mut self, link: u64) -> Option<WaitingSend<M, T>> {
        let state = self.link(link);
        let next = state.waiting.pop_front();
        state.busy = next.is_some();
        next
    }

    /// Whether a timeout step may send on the link. Messages wait only while it is busy.
    pub(crate) fn is_free(&self, link: u64) -> bool {
        self.links.get(link as usize).or_else(|| self.others.get(link)).is_none_or(|state| !state.busy)
    }

    /// Blocks a timer whose step was not taken, and keeps the step's random choices.
    pub(crate) fn block(&mut self, place: Place, timer: S, coins: impl Iterator<Item = (u32, u32)>) {
        if self.blocked.len() <= place as usize {
            self.blocked.resize_with(place as usize + 1, Vec::new);
        }
        let blocked = &mut self.blocked[place as usize];
        if !blocked.contains(&timer) {
            blocked.push(timer);
        }
        self.coins.extend(coins.map(|(bound, chosen)| (place, bound, chosen)));
    }

    /// Forgets the blocked timers of a place that has crashed, and the random choices of their steps.
    pub(crate) fn forget(&mut self, place: Place) {
        if let Some(blocked) = self.blocked.get_mut(place as usize) {
            blocked.clear();
        }
        self.coins.retain(|&(other, ..)| other != place);
    }

    /// Takes the random choices of a place's blocked step, in reverse order.
    pub(crate) fn take_coins(&mut self, place: Place, into: &mut Vec<(u32, u32)>) {
        into.clear();
        into.extend(self.coins.extract_if(.., |coin| coin.0 == place).map(|(_, bound, chosen)| (bound, chosen)));
        into.reverse();
    }

    /// Takes the blocked timers of two places, to be retried.
    pub(crate) fn unblock(&mut self, one: Place, other: Place, into: &mut Vec<(Place, S)>) {
        for place in [one, other] {
            if let Some(blocked) = self.blocked.get_mut(place as usize) {
                into.extend(blocked.drain(..).map(|timer| (place, timer)));
            }
        }
    }
}
