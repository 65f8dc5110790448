//! Messages of one link that arrive at one instant, where links do not keep the order: they are handled in the order of
//! sending, as by the simulator, though another order is as possible.
//!
//! # Theorem
//! Let every order of these messages lead to an option of the place that is explored anyway: the same local state, the
//! same messages in flight, sent and reported. Then nothing is lost: the runs with all orders have the same states.
//!
//! *Proof.* The transitions of a state are the products of the options of its places. By assumption the options are the
//! same with all orders, in every state that is explored, and so, by induction over the length of a run, in every state
//! that is reachable with all orders. ∎
//!
//! The assumption is examined in every state, when the options of a place are computed. If it does not hold, the verdict
//! is about the order of sending only, and the answer says so.

use core::ops::Range;
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use ringleader_model::Port;

use super::faults::PlaceOrigin;
use super::{LocalCase, TimedSystem};
use crate::interner::{Interned, Map, note_discovery};

/// More messages are not examined in all orders.
const MAX_TOGETHER: usize = 5;

/// What all workers have found about the orders of messages.
#[derive(Clone, Default)]
pub(super) struct SendOrder {
    matters: Arc<AtomicBool>,
}

impl SendOrder {
    pub(super) const CAVEAT: &'static str = "messages of one link that arrive at one instant in the order of sending only; \
                                             another order has other effects";

    /// True if another order of messages has other effects.
    pub(super) fn matters(&self) -> bool {
        self.matters.load(Ordering::Relaxed)
    }

    pub(super) fn note(&self) {
        if !self.matters.swap(true, Ordering::Relaxed) {
            note_discovery();
        }
    }
}

impl TimedSystem {
    /// Examines whether another order of messages has other effects than the [order of sending](self).
    pub(super) fn examine_orders(
        &mut self,
        state: &[Interned],
        place: usize,
        (origin, cases): (&PlaceOrigin, Vec<LocalCase>),
        seen: &mut Map<Vec<Interned>, ()>,
    ) -> Option<()> {
        let examined = |send_order: &SendOrder| self.reexamines || !send_order.matters();
        let Some(send_order) = self.send_order.clone().filter(examined) else { return Some(()) };
        let before = self.options.len();
        for mut case in cases {
            let Some(orders) = other_orders(&case) else {
                send_order.note();
                continue;
            };
            for order in orders {
                case.messages = order;
                case.postponable = false;
                self.add_case(state, place, (origin, &case), seen)?;
            }
        }
        if self.options.len() > before {
            send_order.note();
            self.remove_options(before);
        }
        Some(())
    }
}

/// The messages of a case in all other orders; `None` if there are too many.
fn other_orders(case: &LocalCase) -> Option<Vec<Vec<(Port, Interned)>>> {
    let mut orders = vec![case.messages.clone()];
    for together in &case.together {
        if together.len() > MAX_TOGETHER {
            return None;
        }
        orders = orders.iter().flat_map(|order| permutations(order, together.clone())).collect();
    }
    orders.retain(|order| *order != case.messages);
    Some(orders)
}

/// All lists that differ in the order of a range.
fn permutations(list: &[(Port, Interned)], range: Range<usize>) -> Vec<Vec<(Port, Interned)>> {
    let mut found = vec![list.to_vec()];
    for at in range.clone() {
        let swapped = |list: &Vec<(Port, Interned)>| {
            let list = list.clone();
            (at..range.end).map(move |other| {
                let mut list = list.clone();
                list.swap(at, other);
                list
            })
        };
        found = found.iter().flat_map(swapped).collect();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_permutations_of_a_range() {
        let list: Vec<_> = (0..5).map(|message| (Port(0), message)).collect();
        let mut found: Vec<Vec<u32>> =
            permutations(&list, 1..4).iter().map(|list| list.iter().map(|&(_, message)| message).collect()).collect();
        found.sort();
        let expected = [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]];
        assert_eq!(found, expected.map(|[a, b, c]| vec![0, a, b, c, 4]));
    }
}
