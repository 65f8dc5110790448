//! First in, first out: a message never arrives before an earlier one on the same link.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use ringleader_model::{Place, Time};

/// The last arrival on every link on which something may still be in flight.
pub(crate) enum Order {
    /// Nothing to keep: delays are the same for all messages of a link, or links may reorder.
    Free,
    /// A time per link direction.
    Dense(Vec<Time>),
    /// A complete network has too many links for that. Per sender, what it has in flight: two messages beside its
    /// data, further ones apart.
    Sparse { senders: Vec<[Flight; 2]>, more: BTreeMap<(Place, Place), Time> },
}

#[derive(Clone, Copy)]
pub(crate) struct Flight {
    to: Place,
    arrives: Time,
}

impl Order {
    pub(crate) fn dense(arcs: usize) -> Self {
        Self::Dense(vec![0; arcs])
    }

    pub(crate) fn sparse(n: usize) -> Self {
        Self::Sparse { senders: vec![[Flight { to: 0, arrives: 0 }; 2]; n], more: BTreeMap::new() }
    }

    /// When a message really arrives that would arrive at `at` if it were alone.
    #[inline]
    pub(crate) fn arrange(&mut self, now: Time, at: Time, arc: Option<usize>, from: Place, to: Place) -> Time {
        match self {
            Self::Free => at,
            Self::Dense(last) => {
                let last = &mut last[arc.expect("few enough links to number")];
                *last = at.max(*last);
                *last
            }
            Self::Sparse { senders, more } => {
                let flights = &mut senders[from as usize];
                for flight in flights.iter_mut() {
                    if flight.to == to && flight.arrives > now {
                        flight.arrives = at.max(flight.arrives);
                        return flight.arrives;
                    }
                }
                let mut at = at;
                if !more.is_empty() {
                    at = at.max(more.remove(&(from, to)).unwrap_or(0));
                }
                match flights.iter_mut().find(|flight| flight.arrives <= now) {
                    Some(flight) => *flight = Flight { to, arrives: at },
                    None => {
                        if more.len() >= 2 * senders.len().max(1024) {
                            more.retain(|_, arrives| *arrives > now);
                        }
                        more.insert((from, to), at);
                    }
                }
                at
            }
        }
    }

    /// Where the data of a sender's links is kept, to fetch it early. `arc` is its first link.
    #[inline]
    pub(crate) fn address(&self, from: Place, arc: Option<usize>) -> *const u8 {
        match self {
            Self::Free => core::ptr::null(),
            Self::Dense(last) => arc.and_then(|arc| last.get(arc)).map_or(core::ptr::null(), |x| core::ptr::from_ref(x).cast()),
            Self::Sparse { senders, .. } => {
                senders.get(from as usize).map_or(core::ptr::null(), |x| core::ptr::from_ref(x).cast())
            }
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Free => 0,
            Self::Dense(last) => last.capacity() * 8,
            Self::Sparse { senders, more } => senders.capacity() * size_of::<[Flight; 2]>() + more.len() * 24,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    /// The sparse order, whatever is in flight, gives the same arrivals as a full table of all links.
    #[test]
    fn sparse_agrees_with_dense() {
        const N: u64 = 5;
        for seed in 0..100 {
            let mut random = Random::new(seed);
            let (mut sparse, mut dense) = (Order::sparse(N as usize), Order::dense((N * N) as usize));
            let mut now = 0;
            for _ in 0..1000 {
                now += random.below(3);
                let (from, to) = (random.below(N), random.below(N));
                let at = now + random.below(30);
                let arc = Some((from * N + to) as usize);
                let expected = dense.arrange(now, at, arc, from as Place, to as Place);
                assert_eq!(sparse.arrange(now, at, None, from as Place, to as Place), expected);
            }
        }
    }
}
