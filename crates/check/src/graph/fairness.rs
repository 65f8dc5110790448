//! Weak fairness (justice, Baier and Katoen, definition 3.43): an obligation that is pending forever from some point on
//! is discharged infinitely often.
//!
//! Obligations are messages at the head of a link, running timers, users in the critical region, initiators that must
//! wake up ([`TransitionSystem::pending`]).
//!
//! *Theorem.* A weakly fair scheduler can stay in an end component if and only if every obligation either is not
//! pending in some state of the component or is discharged by a transition inside it. *Proof.* If so, a scheduler that
//! visits all states and transitions of the component again and again is fair. If not, some obligation is pending in
//! every state and never discharged: it is *starved*, and every run that stays is unfair.
//!
//! A sub-component has fewer states and transitions, and so starves at least as much: if any part of a maximal end
//! component is fair, so is the maximal one, and only these need be examined.
//!
//! Strong fairness (compassion): an obligation that is pending infinitely often is discharged infinitely often. A strongly
//! fair scheduler can stay in an end component if every obligation that is pending in one of its states is discharged by
//! a transition inside it. A part of an end component may be fair where the whole is not: without the states in which an
//! obligation is pending that is not discharged inside, the rest is examined again, until nothing changes (the algorithm of
//! Emerson and Lei 1987 for Streett conditions).

use crate::interner::Interned;
use crate::transition_system::{Successors, TransitionSystem};

/// By end component, which obligations are starved in the states visited so far.
pub(crate) struct WeakFairness {
    /// `None`: no state of the component was visited.
    starved: Vec<Option<Vec<u32>>>,
    successors: Successors,
    pending: Vec<u32>,
}

impl WeakFairness {
    /// Starts with no state visited. `components`: the number of end components.
    pub(crate) fn new(components: usize) -> Self {
        Self { starved: vec![None; components], successors: Successors::default(), pending: Vec::new() }
    }

    /// Visits a state of a component. `inside`: the indices of the transitions that stay in the component.
    pub(crate) fn visit(
        &mut self,
        system: &mut dyn TransitionSystem,
        component: u32,
        (state, fingerprint): (&[Interned], u64),
        inside: impl Iterator<Item = usize>,
    ) {
        let starved = &mut self.starved[component as usize];
        if starved.as_ref().is_some_and(Vec::is_empty) {
            return;
        }
        system.pending(state, &mut self.pending);
        match starved {
            Some(starved) => starved.retain(|obligation| self.pending.contains(obligation)),
            None => *starved = Some(self.pending.clone()),
        }
        let Some(starved) = starved.as_mut().filter(|starved| !starved.is_empty()) else { return };
        system.successors(state, fingerprint, &mut self.successors);
        for transition in inside {
            starved.retain(|obligation| !self.successors.discharged(transition).contains(obligation));
        }
    }

    /// True if a weakly fair scheduler can stay in a component, all of whose states were visited.
    pub(crate) fn is_fair(&self, component: u32) -> bool {
        self.starved[component as usize].as_ref().is_some_and(Vec::is_empty)
    }
}

/// By end component, the obligations that are pending in some state, and those that are discharged by some transition.
pub(crate) struct StrongFairness {
    pending: Vec<Vec<u32>>,
    discharged: Vec<Vec<u32>>,
    successors: Successors,
    buffer: Vec<u32>,
}

impl StrongFairness {
    /// Starts with no state visited. `components`: the number of end components.
    pub(crate) fn new(components: usize) -> Self {
        let none = || vec![Vec::new(); components];
        Self { pending: none(), discharged: none(), successors: Successors::default(), buffer: Vec::new() }
    }

    /// Visits a state of a component. `inside`: the indices of the transitions that stay in the component.
    pub(crate) fn visit(
        &mut self,
        system: &mut dyn TransitionSystem,
        component: u32,
        (state, fingerprint): (&[Interned], u64),
        inside: impl Iterator<Item = usize>,
    ) {
        system.pending(state, &mut self.buffer);
        add_new(&self.buffer, &mut self.pending[component as usize]);
        system.successors(state, fingerprint, &mut self.successors);
        for transition in inside {
            add_new(self.successors.discharged(transition), &mut self.discharged[component as usize]);
        }
    }

    /// True if an obligation of a component, all of whose states were visited, is never discharged and pending in this
    /// state.
    pub(crate) fn is_unfair(&mut self, system: &mut dyn TransitionSystem, component: u32, state: &[Interned]) -> bool {
        let [pending, discharged] = [&self.pending, &self.discharged].map(|sets| &sets[component as usize]);
        let starved = |obligation: &u32| pending.contains(obligation) && !discharged.contains(obligation);
        if !pending.iter().any(starved) {
            return false;
        }
        system.pending(state, &mut self.buffer);
        self.buffer.iter().any(starved)
    }
}

/// Adds those that are missing.
fn add_new(some: &[u32], all: &mut Vec<u32>) {
    for one in some {
        if !all.contains(one) {
            all.push(*one);
        }
    }
}
