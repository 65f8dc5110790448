//! Half-duplex links: one message at a time, whichever way, until it is delivered.

use alloc::collections::{BTreeMap, BTreeSet, VecDeque};

use ringleader_model::{Place, Port};

/// Something that waits at its sender until a link is free.
pub(crate) struct Waiting<M, D> {
    pub(crate) from: Place,
    pub(crate) port: Port,
    pub(crate) message: M,
    pub(crate) depth: D,
}

/// The state of all links on which there is anything.
pub(crate) struct HalfLinks<M, D, T> {
    links: BTreeMap<u64, HalfLink<M, D>>,
    /// Timers that are due but whose step was not taken because a link was not free.
    pub(crate) held: BTreeSet<(Place, T)>,
}

struct HalfLink<M, D> {
    busy: bool,
    waiting: VecDeque<Waiting<M, D>>,
}

impl<M, D, T: Ord> HalfLinks<M, D, T> {
    pub(crate) fn new() -> Self {
        Self { links: BTreeMap::new(), held: BTreeSet::new() }
    }

    /// Takes the link if it is free, else lets the message wait behind those already waiting; the message if it may go.
    pub(crate) fn offer(&mut self, link: u64, item: Waiting<M, D>) -> Option<Waiting<M, D>> {
        let state = self.links.entry(link).or_insert_with(|| HalfLink { busy: false, waiting: VecDeque::new() });
        if state.busy {
            state.waiting.push_back(item);
            return None;
        }
        state.busy = true;
        Some(item)
    }

    /// A message was delivered: the next one that waits, from whichever end, takes the link.
    pub(crate) fn delivered(&mut self, link: u64) -> Option<Waiting<M, D>> {
        let state = self.links.get_mut(&link).expect("a delivered message was on a link");
        let next = state.waiting.pop_front();
        state.busy = next.is_some();
        if next.is_none() {
            self.links.remove(&link);
        }
        next
    }

    /// Whether a timeout step of this place may send on the link: nothing on it, nothing waiting at this end.
    pub(crate) fn free(&self, link: u64) -> bool {
        // What waits at either end waits because something is on the link.
        self.links.get(&link).is_none_or(|state| !state.busy)
    }
}
