//! The reachable states and transitions as an explicit graph, recorded by the depth-first search where the state space is
//! not graded.

use std::ops::Range;
use std::sync::atomic::Ordering;

use super::memory_budget::MemoryBudget;
use super::visited_set::VisitedSet;
use crate::interner::Map;
use crate::passes::Passes;
use crate::phases::PhaseGrowth;
use crate::transition_system::{StateFeatures, Successors};

/// No edge.
pub(super) const NO_EDGE: u32 = u32::MAX;
/// Bytes that shortest paths take for each state, and for each edge.
const PATH_BYTES: [usize; 2] = [64, 8];

/// The recorded graph.
pub(crate) struct RecordedGraph {
    pub(super) states: Vec<StateFeatures>,
    fingerprints: Vec<u64>,
    /// By state: the end of its edges, and the index of its first explored transition.
    ends: Vec<u32>,
    first: Vec<u32>,
    /// By edge: the fingerprint of its target, later the number of that state; and the number of its message passes.
    pub(super) targets: Vec<u64>,
    pub(super) weights: Vec<u32>,
    pub(super) passes: Vec<Passes>,
    numbers: Map<Passes, u32>,
    /// The edges in which some phase grows, in order; true if each becomes the first. Empty unless that was to be recorded.
    growth: Vec<(u32, bool)>,
    /// The initial states, in order.
    pub(super) initial: Vec<u32>,
    /// The greatest number of bytes that it may hold.
    limit: usize,
}

impl RecordedGraph {
    /// An empty graph, which may hold half of what is left of the budget.
    pub(crate) fn new(memory: &MemoryBudget) -> Self {
        Self {
            states: Vec::new(),
            fingerprints: Vec::new(),
            ends: Vec::new(),
            first: Vec::new(),
            targets: Vec::new(),
            weights: Vec::new(),
            passes: Vec::new(),
            numbers: Map::default(),
            growth: Vec::new(),
            initial: Vec::new(),
            limit: memory.left() / 2,
        }
    }

    /// Adds a state with its explored transitions; `false` if there is no memory for it.
    #[must_use]
    pub(crate) fn add(
        &mut self,
        (features, fingerprint, is_initial): (StateFeatures, u64, bool),
        successors: &Successors,
        explored: Range<usize>,
        memory: &MemoryBudget,
    ) -> bool {
        let edges = explored.len();
        let room = memory.reserve(&mut self.states, 1)
            && memory.reserve(&mut self.fingerprints, 1)
            && memory.reserve(&mut self.ends, 1)
            && memory.reserve(&mut self.first, 1)
            && memory.reserve(&mut self.targets, edges)
            && memory.reserve(&mut self.weights, edges)
            && self.bytes() <= self.limit
            && self.targets.len() + edges < NO_EDGE as usize;
        if !room {
            return false;
        }
        if is_initial {
            self.initial.push(self.states.len() as u32);
        }
        // Nothing has been requested before a run begins.
        self.states.push(StateFeatures { complete: features.complete && !is_initial, ..features });
        self.fingerprints.push(fingerprint);
        self.first.push(explored.start as u32);
        for transition in &successors.transitions[explored] {
            let next = self.passes.len() as u32;
            let number = *self.numbers.entry(transition.passes).or_insert(next);
            if number == next {
                self.passes.push(transition.passes);
            }
            self.targets.push(transition.fingerprint);
            self.weights.push(number);
        }
        self.ends.push(self.targets.len() as u32);
        true
    }

    /// Records the growth of phases in the explored transitions of the last state.
    pub(crate) fn add_growth(&mut self, explored: Range<usize>, growth: &[PhaseGrowth]) {
        let first_edge = self.targets.len() - explored.len();
        for &PhaseGrowth { transition, first } in growth.iter().filter(|growth| explored.contains(&growth.transition)) {
            let edge = (first_edge + transition - explored.start) as u32;
            match self.growth.last_mut() {
                Some((last, both)) if *last == edge => *both &= first,
                _ => self.growth.push((edge, first)),
            }
        }
    }

    /// The edges in which some phase grows.
    pub(super) fn growing(&self) -> impl Iterator<Item = u32> {
        self.growth.iter().map(|&(edge, _)| edge)
    }

    /// Whether in an edge phases grow to the first; `None` if none grows.
    pub(super) fn grows_to_first(&self, edge: usize) -> Option<bool> {
        let at = self.growth.binary_search_by_key(&(edge as u32), |&(edge, _)| edge).ok()?;
        Some(self.growth[at].1)
    }

    /// Returns its memory to the budget.
    pub(crate) fn free(&mut self, memory: &MemoryBudget) {
        memory.drop(&mut self.states);
        memory.drop(&mut self.fingerprints);
        memory.drop(&mut self.ends);
        memory.drop(&mut self.first);
        memory.drop(&mut self.targets);
        memory.drop(&mut self.weights);
    }

    fn bytes(&self) -> usize {
        let state = size_of::<StateFeatures>() + size_of::<u64>() + 2 * size_of::<u32>() + PATH_BYTES[0];
        let edge = size_of::<u64>() + size_of::<u32>() + PATH_BYTES[1];
        let growth = self.growth.capacity() * size_of::<(u32, bool)>();
        self.states.capacity() * state + self.targets.capacity() * edge + growth
    }

    /// Numbers the targets of all edges. The marks of the visited set, which contains all states, are overwritten.
    pub(crate) fn resolve(&mut self, visited: &VisitedSet) {
        for (number, &fingerprint) in (1..).zip(&self.fingerprints) {
            visited.mark(fingerprint).expect("it was visited").store(number, Ordering::Relaxed);
        }
        for target in &mut self.targets {
            let mark = visited.mark(*target).expect("it was visited").load(Ordering::Relaxed);
            *target = u64::from(mark) - 1;
        }
        self.fingerprints = Vec::new();
    }

    /// The state of an edge, and its transition.
    pub(super) fn origin(&self, edge: u32) -> (u32, usize) {
        let state = self.ends.partition_point(|&end| end <= edge);
        (state as u32, self.first[state] as usize + edge as usize - self.edges(state).start)
    }

    /// The edge of a transition of a state.
    pub(super) fn edge(&self, state: usize, transition: usize) -> usize {
        self.edges(state).start + transition - self.first[state] as usize
    }

    pub(super) fn edges(&self, state: usize) -> Range<usize> {
        let from = if state == 0 { 0 } else { self.ends[state - 1] };
        from as usize..self.ends[state] as usize
    }
}
