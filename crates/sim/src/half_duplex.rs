//! Half-duplex links: a link carries one message at a time, in either direction, until it is delivered. Or it does so
//! only for messages of one phase: it then carries any number of messages in one direction, in their order, and messages
//! of different phases pass each other.
//!
//! A message that may not enter its link waits at its sender, and what that sends later waits behind it. Messages that
//! exclude each other enter in the order in which they were sent.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use ringleader_model::{Links, Place, Port};

use crate::compact::IndexMap;

/// A message that waits at its sender until its link is free.
#[derive(Clone, Hash)]
pub(crate) struct WaitingSend<M, T> {
    pub(crate) from: Place,
    pub(crate) port: Port,
    pub(crate) passage: Passage,
    pub(crate) message: M,
    pub(crate) tag: T,
}

/// What decides whether a message may enter a link.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Passage {
    pub(crate) clockwise: bool,
    pub(crate) phase: Option<u32>,
}

/// The state of all links used so far.
#[derive(Clone, Hash)]
pub(crate) struct HalfDuplexLinks<M, T, S> {
    /// Links with consecutive numbers.
    links: Vec<HalfDuplexLink<M, T>>,
    /// Links of a complete network, which may be too many for a table.
    others: IndexMap<HalfDuplexLink<M, T>>,
    /// By place, timers that have expired but whose step was blocked by a busy link.
    blocked: Vec<Vec<S>>,
    /// The random choices (bound, value) of blocked steps: the step gets the same values when it is retried.
    coins: Vec<(Place, u32, u32)>,
    /// Only messages of one phase exclude each other.
    by_phase: bool,
}

#[derive(Clone, Hash)]
struct HalfDuplexLink<M, T> {
    /// The messages on the link, in the order in which they entered it.
    carried: VecDeque<Passage>,
    waiting: VecDeque<WaitingSend<M, T>>,
}

/// A free link.
impl<M, T> Default for HalfDuplexLink<M, T> {
    fn default() -> Self {
        Self { carried: VecDeque::new(), waiting: VecDeque::new() }
    }
}

impl<M, T> HalfDuplexLink<M, T> {
    /// Whether a message may enter the link, behind the first `before` of those that wait.
    fn admits(&self, passage: Passage, before: usize, by_phase: bool) -> bool {
        let meets = |other: Passage| {
            other.clockwise != passage.clockwise && passage.phase.is_some() && other.phase == passage.phase
        };
        let mut waiting = self.waiting.iter().take(before).map(|item| item.passage);
        if by_phase {
            !self.carried.iter().any(|&other| meets(other))
                && !waiting.any(|other| other.clockwise == passage.clockwise || meets(other))
        } else {
            self.carried.is_empty() && before == 0
        }
    }
}

impl<M, T, S: PartialEq> HalfDuplexLinks<M, T, S> {
    /// `links`: the number of links with consecutive numbers. `None` if links are not half-duplex.
    pub(crate) fn new(discipline: Links, links: usize) -> Option<Self> {
        let by_phase = match discipline {
            Links::Fifo | Links::Any => return None,
            Links::Half => false,
            Links::HalfPhase => true,
        };
        let links = (0..links).map(|_| HalfDuplexLink::default()).collect();
        Some(Self { links, others: IndexMap::new(), blocked: Vec::new(), coins: Vec::new(), by_phase })
    }

    fn link(&mut self, link: u64) -> &mut HalfDuplexLink<M, T> {
        match self.links.get_mut(link as usize) {
            Some(state) => state,
            None => self.others.get_or_default(link),
        }
    }

    /// Returns the message if it may enter the link; otherwise it waits.
    pub(crate) fn offer(&mut self, link: u64, item: WaitingSend<M, T>) -> Option<WaitingSend<M, T>> {
        let by_phase = self.by_phase;
        let state = self.link(link);
        if !state.admits(item.passage, state.waiting.len(), by_phase) {
            state.waiting.push_back(item);
            return None;
        }
        state.carried.push_back(item.passage);
        Some(item)
    }

    /// The first message that travels in a direction is on the link twice.
    pub(crate) fn duplicated(&mut self, link: u64, clockwise: bool) {
        let carried = &mut self.link(link).carried;
        let original = carried.iter().copied().find(|other| other.clockwise == clockwise);
        carried.extend(original);
    }

    /// A message that travels in a direction has left the link. False if no other message can enter it now.
    pub(crate) fn delivered(&mut self, link: u64, clockwise: bool) -> bool {
        let by_phase = self.by_phase;
        let carried = &mut self.link(link).carried;
        if let Some(first) = carried.iter().position(|other| other.clockwise == clockwise) {
            carried.remove(first);
        }
        by_phase || carried.is_empty()
    }

    /// The next waiting message, from either end, enters the link if one may.
    pub(crate) fn next_to_enter(&mut self, link: u64) -> Option<WaitingSend<M, T>> {
        let by_phase = self.by_phase;
        let state = self.link(link);
        let index =
            (0..state.waiting.len()).find(|&index| state.admits(state.waiting[index].passage, index, by_phase))?;
        let next = state.waiting.remove(index)?;
        state.carried.push_back(next.passage);
        Some(next)
    }

    /// Whether a timeout step may send a message: it enters the link at once.
    pub(crate) fn is_free(&self, link: u64, passage: Passage) -> bool {
        let state = self.links.get(link as usize).or_else(|| self.others.get(link));
        state.is_none_or(|state| state.admits(passage, state.waiting.len(), self.by_phase))
    }

    /// The messages that wait at their senders until a link is free.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &WaitingSend<M, T>> {
        self.links.iter().chain(self.others.values()).flat_map(|link| &link.waiting)
    }

    /// Whether a timer is blocked: its step has to wait for a link.
    pub(crate) fn is_blocked(&self, place: Place, timer: &S) -> bool {
        self.blocked.get(place as usize).is_some_and(|blocked| blocked.contains(timer))
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
