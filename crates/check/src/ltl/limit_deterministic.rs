//! Limit-deterministic automata, for systems with random choices \[CourcoubetisYannakakis1995\].
//!
//! From an accepting state q the automaton may continue in a deterministic part, where none but its states (R, B) with R = B
//! are accepting. R is the set of states that q reaches by the word read since, and B is the set of those that are reached
//! through an accepting state since R = B was last the case (a *breakpoint*). Both automata accept the same words:
//!
//! - If R = B infinitely often, every state of R at a breakpoint is reached from a state of R at the one before through an
//!   accepting state, and by König's lemma some run visits accepting states infinitely often.
//! - An accepting run visits some accepting state q at infinitely many moments such that, by Ramsey's theorem, q reaches the
//!   same set of states R* between any two of them. Continue from q at the first of them. R* contains q itself, and is
//!   reached from q by the word between two later moments; so every state of R* is reached through the accepting state
//!   q, and there is a breakpoint between any three of these moments.

use std::sync::Arc;

use super::automaton::Automaton;
use crate::interner::{Interned, Interner, Map, ValueTable};

/// A state of the deterministic part: R and B, sorted.
type Breakpoint = (Vec<u32>, Vec<u32>);

/// The deterministic part. A clone is for another worker, in which the same numbers stand for the same states.
pub(super) struct DeterministicPart {
    automaton: Arc<Automaton>,
    states: Interner<Breakpoint>,
    /// By state and letter.
    known: Map<(Interned, u64), Option<Interned>>,
}

impl Clone for DeterministicPart {
    fn clone(&self) -> Self {
        Self { automaton: Arc::clone(&self.automaton), states: self.states.clone(), known: Map::default() }
    }
}

impl DeterministicPart {
    pub(super) fn new(automaton: Arc<Automaton>) -> Self {
        Self { automaton, states: Interner::new(), known: Map::default() }
    }

    /// The state in which only this state of the automaton is followed.
    pub(super) fn entry(&mut self, state: u32) -> Interned {
        self.states.intern((vec![state], vec![state]))
    }

    /// Whether a state is accepting.
    pub(super) fn is_accepting(&mut self, state: Interned) -> bool {
        let (reached, seen) = self.states.get(state);
        reached == seen
    }

    /// The state after a letter; `None` if no run goes on.
    pub(super) fn successor(&mut self, state: Interned, letter: u64) -> Option<Interned> {
        if let Some(&known) = self.known.get(&(state, letter)) {
            return known;
        }
        let (reached, seen) = self.states.get(state).clone();
        let after = self.image(&reached, letter);
        let mut through: Vec<u32> =
            after.iter().copied().filter(|&state| self.automaton.states[state as usize].accepting).collect();
        if reached != seen {
            through.extend(self.image(&seen, letter));
            through.sort_unstable();
            through.dedup();
        }
        let found = (!after.is_empty()).then(|| self.states.intern((after, through)));
        self.known.insert((state, letter), found);
        found
    }

    /// The states that a set of states reaches by a letter, sorted.
    fn image(&self, states: &[u32], letter: u64) -> Vec<u32> {
        let edges = states.iter().flat_map(|&state| &self.automaton.states[state as usize].edges);
        let mut image: Vec<u32> = edges.filter(|edge| edge.reads(letter)).map(|edge| edge.to).collect();
        image.sort_unstable();
        image.dedup();
        image
    }

    /// As a checkpoint keeps them.
    pub(super) fn values(&self) -> &dyn ValueTable {
        &self.states
    }

    pub(super) fn bytes(&self) -> usize {
        self.states.bytes() + self.known.len() * size_of::<((Interned, u64), Option<Interned>)>()
    }
}
