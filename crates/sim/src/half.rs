//! Half-duplex links: one message at a time, whichever way, until it is delivered.

use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;

use ringleader_model::{Place, Port};

/// Something that waits at its sender until a link is free.
pub(crate) struct Waiting<M, D> {
    pub(crate) from: Place,
    pub(crate) port: Port,
    pub(crate) message: M,
    pub(crate) depth: D,
}

/// The state of all links that were ever used.
pub(crate) struct HalfLinks<M, D, T> {
    /// Those numbered without gaps.
    links: Vec<HalfLink<M, D>>,
    /// Those of a complete network, where there may be too many to keep data for each.
    others: BTreeMap<u64, HalfLink<M, D>>,
    /// By place, timers that are due but whose step was not taken because a link was not free.
    held: Vec<Vec<T>>,
    /// What a place's untaken step drew: it draws the same when it is tried again.
    coins: Vec<(Place, u32, u32)>,
}

struct HalfLink<M, D> {
    busy: bool,
    waiting: VecDeque<Waiting<M, D>>,
}

impl<M, D> HalfLink<M, D> {
    const FREE: Self = Self { busy: false, waiting: VecDeque::new() };
}

impl<M, D, T: PartialEq> HalfLinks<M, D, T> {
    /// With so many links that are numbered without gaps.
    pub(crate) fn new(links: usize) -> Self {
        let links = (0..links).map(|_| HalfLink::FREE).collect();
        Self { links, others: BTreeMap::new(), held: Vec::new(), coins: Vec::new() }
    }

    fn link(&mut self, link: u64) -> &mut HalfLink<M, D> {
        match self.links.get_mut(link as usize) {
            Some(state) => state,
            None => self.others.entry(link).or_insert(HalfLink::FREE),
        }
    }

    /// Takes the link if it is free, else lets the message wait behind those already waiting; the message if it may go.
    pub(crate) fn offer(&mut self, link: u64, item: Waiting<M, D>) -> Option<Waiting<M, D>> {
        let state = self.link(link);
        if state.busy {
            state.waiting.push_back(item);
            return None;
        }
        state.busy = true;
        Some(item)
    }

    /// A message was delivered: the next one that waits, from whichever end, takes the link.
    pub(crate) fn delivered(&mut self, link: u64) -> Option<Waiting<M, D>> {
        let state = self.link(link);
        let next = state.waiting.pop_front();
        state.busy = next.is_some();
        next
    }

    /// Whether a timeout step may send on the link. What waits at either end waits because something is on it.
    pub(crate) fn is_free(&self, link: u64) -> bool {
        self.links.get(link as usize).or_else(|| self.others.get(&link)).is_none_or(|state| !state.busy)
    }

    /// Holds a timer back whose step was not taken, with what it drew.
    pub(crate) fn hold(&mut self, place: Place, timer: T, coins: impl Iterator<Item = (u32, u32)>) {
        if self.held.len() <= place as usize {
            self.held.resize_with(place as usize + 1, Vec::new);
        }
        let held = &mut self.held[place as usize];
        if !held.contains(&timer) {
            held.push(timer);
        }
        self.coins.extend(coins.map(|(bound, chosen)| (place, bound, chosen)));
    }

    /// Takes what the untaken step of a place drew, the first last.
    pub(crate) fn take_coins(&mut self, place: Place, into: &mut Vec<(u32, u32)>) {
        into.clear();
        into.extend(self.coins.extract_if(.., |coin| coin.0 == place).map(|(_, bound, chosen)| (bound, chosen)));
        into.reverse();
    }

    /// The timers that wait at one of two places, which are tried again.
    pub(crate) fn release(&mut self, one: Place, other: Place, into: &mut Vec<(Place, T)>) {
        for place in [one, other] {
            if let Some(held) = self.held.get_mut(place as usize) {
                into.extend(held.drain(..).map(|timer| (place, timer)));
            }
        }
    }
}
