//! Canonical states: one for each class of bisimilar states.
//!
//! # Rounds
//! Rounds that are numbered without bound would make the state space infinite. A protocol that has them guarantees:
//!
//! 1. Rules use rounds only to compare them with each other and to count on, and the comparison of a round with one
//!    below [`live_round`](ringleader_model::Inspect::live_round) of the processor has the same result for all rounds
//!    below it.
//! 2. A message of a round below the live rounds of all processors is treated like any other such message. Messages
//!    therefore do not count in the minimum.
//! 3. [`rebase`](ringleader_model::Inspect::rebase) subtracts a number from all rounds of a processor or message, and
//!    maps rounds below 1 to 0. Timers hold no rounds.
//!
//! Let m be the least live round of all processors. The relation between a state and the state with m - 1 subtracted
//! from all rounds is a bisimulation: by 1 and 2 the same rules apply to both, and lead to related states. Monitors see
//! no rounds, except through invariants, which then see rebased processors ([`invariants`](crate::invariants)).
//! Protocols state these guarantees where they implement the two methods; the conformance tests compare the search with
//! one that does not rebase, up to a bound on rounds.
//!
//! # Symmetry reduction by rotation
//! A permutation of places is an automorphism of the transition system if it maps transitions to transitions and
//! preserves the monitor's status (Clarke, Grumberg and Peled, *Model Checking*, chapter 14; Ip and Dill 1996, the
//! scalarsets of Murphi). On a ring rotation is one if all processors have the same initial state and orientation, and
//! if the monitor can be rotated ([`Monitor::rotated`](ringleader_model::Monitor::rotated)). That must commute with all
//! observations and keep violations and outstanding requests, which is the law of this method. Of all rotations of a
//! state the lexicographically least vector is canonical. A state is reachable if and only if its canonical state is
//! reachable in the quotient, by a run of the same length with as many messages. So safety, deadlocks, the most
//! messages and the lengths of paths are preserved.
//!
//! Fairness is not: an obligation of a place corresponds to those of other places in other states. In the quotient,
//! obligations of all places share their numbers ([`FairnessIds::rotation`](crate::local_transitions::FairnessIds)),
//! and count as pending only if they are pending at all places. If such a class is starved in an end component of the
//! quotient, then above it, in every state, the obligation of every place is pending and none is discharged, so that
//! each of them is starved. So every fair run has a fair image: if no livelock is found there is none. A livelock that
//! is found may be spurious, and is searched for again without symmetry reduction.

use ringleader_model::Place;

use super::UntimedSystem;
use crate::interner::Interned;
use crate::local_transitions::NOTHING;
use crate::memo::Memo;
use crate::transition_system::{ProtocolSystem, Successors};

/// Canonical forms computed so far.
pub(crate) struct Canonicalizer {
    /// Rotations are equivalent.
    pub(crate) rotation: bool,
    /// Monitors have rounds: they do where invariants are judged.
    pub(crate) monitored_rounds: bool,
    /// By local state, or by queue, and what is subtracted from rounds.
    locals: Memo,
    queues: Memo,
    /// By monitor and rotation.
    monitors: Memo,
    /// Buffers.
    successors: Successors,
    states: [Vec<Interned>; 2],
}

impl Canonicalizer {
    pub(crate) fn new(rotation: bool, monitored_rounds: bool) -> Self {
        let [locals, queues, monitors] = [(); 3].map(|()| Memo::new());
        let (successors, states) = (Successors::default(), Default::default());
        Self { rotation, monitored_rounds, locals, queues, monitors, successors, states }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.locals.bytes() + self.queues.bytes() + self.monitors.bytes()
    }
}

impl UntimedSystem {
    /// True if a state may have a canonical state other than itself.
    pub(super) fn is_canonicalized(&self) -> bool {
        self.steps.program.has_rounds() || self.canonicalizer.rotation
    }

    /// The canonical states of all successors.
    pub(super) fn canonical_successors(&mut self, state: &[Interned], fingerprint: u64, successors: &mut Successors) {
        let mut concrete = core::mem::take(&mut self.canonicalizer.successors);
        let [mut after, room] = core::mem::take(&mut self.canonicalizer.states);
        self.canonicalizer.states[1] = room;
        self.concrete_successors(state, fingerprint, &mut concrete);
        successors.clear();
        for (index, transition) in concrete.transitions.iter().enumerate() {
            after.clear();
            after.extend_from_slice(state);
            concrete.apply(index, &mut after);
            self.canonicalize(&mut after);
            for at in (0..state.len()).filter(|&at| after[at] != state[at]) {
                successors.write_new(at as u32, after[at]);
            }
            for &obligation in concrete.discharged(index) {
                successors.discharge(obligation);
            }
            successors.finish(
                state,
                fingerprint,
                (transition.action, concrete.probability(index)),
                transition.passes,
                transition.optional,
            );
        }
        successors.ample = concrete.ample.clone();
        successors.truncated = concrete.truncated;
        self.canonicalizer.successors = concrete;
        self.canonicalizer.states[0] = after;
    }

    /// Turns a state into its canonical state.
    pub(super) fn canonicalize(&mut self, state: &mut [Interned]) {
        if self.steps.program.has_rounds() {
            self.rebase(state);
        }
        if self.canonicalizer.rotation {
            self.rotate(state);
        }
    }

    /// Subtracts what lies below every live round.
    fn rebase(&mut self, state: &mut [Interned]) {
        let rounds = state[..self.n].iter().map(|&local| self.steps.summary(local).round).min();
        // Round 0 stays older than every live one; where none is live, all are the oldest.
        let by = rounds.map_or(0, |least| if least == NOTHING { NOTHING } else { least.saturating_sub(1) });
        if by == 0 {
            return;
        }
        for local in &mut state[..self.n] {
            let found = self.canonicalizer.locals.get(*local, by);
            *local = found.unwrap_or_else(|| {
                let rebased = self.steps.rebased(*local, by);
                self.canonicalizer.locals.insert(*local, by, rebased);
                rebased
            });
        }
        let links = self.n..self.monitor_index();
        for queue in &mut state[links] {
            let found = self.canonicalizer.queues.get(*queue, by);
            *queue = found.unwrap_or_else(|| {
                let (numbering, steps) = (self.fairness.numbering, &mut self.steps);
                let rebased = self
                    .queues
                    .map(*queue, |item| numbering.map(item, |message| steps.program.rebased_message(message, by)));
                self.canonicalizer.queues.insert(*queue, by, rebased);
                rebased
            });
        }
        if self.canonicalizer.monitored_rounds {
            let at = self.monitor_index();
            state[at] = self.steps.program.rebased_monitor(state[at], by);
        }
    }

    /// Rotates the ring to the least vector; of rotations with the same vector, to that with the least monitor.
    fn rotate(&mut self, state: &mut [Interned]) {
        let (n, ports) = (self.n, self.links.count / self.n);
        let at = |by: usize, index: usize| (by + index) % n;
        let monitor = state[self.monitor_index()];
        let mut least = (0, self.rotated_monitor(monitor, 0));
        for by in 1..n {
            let places = (0..n).map(|index| state[at(by, index)].cmp(&state[at(least.0, index)]));
            let links = (0..n * ports).map(|index| {
                let link = |by| state[n + at(by, index / ports) * ports + index % ports];
                link(by).cmp(&link(least.0))
            });
            let order = places.chain(links).find(|order| order.is_ne());
            let order = order.unwrap_or(core::cmp::Ordering::Equal);
            if order.is_gt() {
                continue;
            }
            let rotated = self.rotated_monitor(monitor, by);
            if order.is_lt() || rotated < least.1 {
                least = (by, rotated);
            }
        }
        state[..n].rotate_left(least.0);
        state[n..n + n * ports].rotate_left(least.0 * ports);
        let at = self.monitor_index();
        state[at] = least.1;
    }

    /// The monitor of the ring rotated back by `back` places.
    fn rotated_monitor(&mut self, monitor: Interned, back: usize) -> Interned {
        if let Some(rotated) = self.canonicalizer.monitors.get(monitor, back as u32) {
            return rotated;
        }
        let rotated = self.steps.program.rotated(monitor, (self.n - back) as Place, self.n as Place);
        let rotated = rotated.expect("symmetry reduction is enabled only where monitors can be rotated");
        self.canonicalizer.monitors.insert(monitor, back as u32, rotated);
        rotated
    }
}
