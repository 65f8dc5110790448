//! Partial-order reduction by ample sets \[Peled1994\].
//!
//! A state satisfies the premise if all links keep the order of messages and are full-duplex, and if no fault is
//! possible any more. Then take a place p such that every in-link of p has a message and all transitions of p are
//! invisible to the monitor: they report nothing, and send nothing to a crashed processor. The set T of all enabled
//! transitions of p is ample. The conditions, by their names in Baier and Katoen, *Principles of Model Checking*,
//! chapter 8 (A1 to A4), and in Clarke, Grumberg and Peled, *Model Checking* (C0 to C3):
//!
//! - *Non-emptiness* (A1, C0): T is not empty, since p can receive a message. T contains a transition that is not
//!   optional ([`search::ample`](crate::search)).
//! - *Dependency* (A2, C1): no run without a transition of p enables or disables one, or executes a transition that
//!   depends on T. (a) The transitions of p depend on its local state and on the first message of each in-link. Other
//!   places change neither: they only append to queues that are not empty. (b) Transitions of p and of another place
//!   are independent. They have only links in common: one end appends, the other removes a first message that is there
//!   before and after (on an in-link of p by (a); on an out-link of p because its receiver can act without p). At most
//!   one of the two is visible. So both orders lead to the same state, with as many messages.
//! - *Stutter* (A3, C2): T is invisible.
//! - *Cycle* (A4, C3): the searches see to it. Breadth-first search explores all transitions of a state if a transition
//!   of its ample set does not lead to the next level, so that every cycle has a state that is fully expanded: the
//!   level proviso of Alur, Brayton, Henzinger, Qadeer and Rajamani (CAV 1997), used for SPIN by Bošnački and Holzmann
//!   (SPIN 2005).
//!
//! # What is preserved
//! Let w be a run from a state with ample set T. If w contains a transition of p, the first one, t, is in T by (a), and
//! by (b) it can be moved to the front: w becomes tw', with the same reports in the same order, the same final state
//! and as many messages. Otherwise tw, for any t in T, makes the same reports and sends no fewer messages. By induction
//! on the length of runs:
//!
//! - *Safety.* The monitor's verdict after w is also its verdict after a run that begins in T, and a violation stays
//!   one. In the second case the rest of the run does not get shorter; the cycle condition prevents that this case
//!   occurs forever.
//! - *Deadlocks.* In the final state of w only optional transitions are enabled. An in-link of p has a message, which
//!   can be delivered as long as p does nothing, so that w contains a transition of p: the same final state is reached.
//! - *The greatest costs*: in neither case do messages become fewer, of any kind.
//! - *The least costs of complete runs, and their outcomes*: a complete run ends in a quiescent state, so that it contains a
//!   transition of p, and the first case applies: a run that begins in T is a permutation of it, with the same messages, the
//!   same final state and the same observations.
//! - *Phases and causal depth*: a permutation of independent transitions changes neither the local states that a place
//!   goes through nor which message is received before which is sent.
//! - *The existence of a cycle*: the two cases turn an infinite run into an infinite run that begins in T. This needs
//!   no cycle condition, so that [`scc_search`](crate::search) has none.
//!
//! Not preserved: which infinite runs are weakly fair, and the length of counterexamples. [`search`](crate::search)
//! explores without reduction where one of these matters.
//!
//! # Why the premises
//! On half-duplex links both ends append to one queue. On links that do not keep the order, a message that another
//! place sends can be delivered at once. Faults depend on all places. Optional transitions of p (a wake-up, a request)
//! need no premise: all of them are in T. Nor do random choices: T contains all outcomes of every action of p, and each
//! of them is independent of the other places.
//!
//! # Together with canonical states
//! Rebasing of rounds and rotation ([`canonical`](super::canonical)) are quotients by bisimulations that respect places
//! up to rotation, messages sent, visibility and the conditions above. A set is ample in a canonical state if and only
//! if it is in every state that it represents, so that both reductions combine (Emerson, Jha and Peled, *Combining
//! partial order and symmetry reductions*, TACAS 1997).

use core::ops::Range;

use super::UntimedSystem;
use crate::interner::Interned;
use crate::transition_system::ProtocolSystem;

/// The smallest ample set found so far, as a range of transitions.
#[derive(Default)]
pub(super) struct AmpleSet {
    range: Range<usize>,
}

impl AmpleSet {
    /// Offers the transitions of a place whose in-links are not empty and whose transitions are invisible.
    #[inline]
    pub(super) fn offer(&mut self, own: Range<usize>) {
        if !own.is_empty() && (self.range.is_empty() || own.len() < self.range.len()) {
            self.range = own;
        }
    }

    /// The smallest set, among `count` transitions in all; empty if there is none, or if it is not smaller.
    #[inline]
    pub(super) fn range(self, count: usize) -> Range<usize> {
        if self.range.len() < count { self.range } else { 0..0 }
    }
}

impl UntimedSystem {
    /// True if a state satisfies the premise.
    #[inline]
    pub(super) fn has_ample_sets(&self, state: &[Interned]) -> bool {
        !self.fairness.half_duplex
            && !self.fairness.unordered
            && !self.merges
            && (self.fault_budget.is_none() || state[self.monitor_index() + 1] == 0)
    }
}
