//! Canonical states: one for each class of equivalent states.
//!
//! *Rounds.* Rounds that are numbered without bound would make the state space infinite. Rules compare rounds only, and
//! only with live ones ([`Processor::live_round`](ringleader_model::Processor::live_round)), so that everything below
//! the least live round is subtracted, and all older rounds become the same
//! ([`Processor::rebase`](ringleader_model::Processor::rebase)).
//!
//! *Symmetry reduction by rotation.* On a ring of identical processors rotation is an automorphism of the transition
//! system: it maps initial states to initial states and transitions to transitions, and the monitor's verdicts do not
//! change. Of all rotations of a state the lexicographically least vector is canonical. A state is reachable if and
//! only if its canonical state is reached from the canonical initial state, by a run of the same length and number of
//! messages. Obligations are numbered as if all places were one
//! ([`FairnessIds::rotation`](crate::local_transitions::FairnessIds::rotation)): one that moves around the ring seems
//! to stay pending only if it is pending at all places, so that more runs are fair, not fewer. What holds so holds; a
//! livelock that was found so is looked for again without symmetry reduction.

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
                (transition.action, transition.denominator),
                transition.sent,
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
                let (directions, steps) = (if self.fairness.half_duplex { 2 } else { 1 }, &mut self.steps);
                let rebased = self.queues.map(*queue, |item| {
                    steps.program.rebased_message(item / directions, by) * directions + item % directions
                });
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
