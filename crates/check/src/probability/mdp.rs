//! An explicit Markov decision process: in every state the scheduler chooses an action, and a random choice selects one
//! of its branches.
//!
//! Stored as three flat arrays (compressed sparse rows): states, their actions, the branches of those. A branch leads
//! to a state or to an *ending*, an absorbing state without a number of its own.

use core::ops::Range;
use std::collections::{BTreeMap, BTreeSet};

use crate::choices::ChoiceProbability;
use crate::graph::{ActionGraph, EndComponents, NO_COMPONENT, Sccs};

/// One outcome of an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MdpBranch {
    pub(super) to: BranchTarget,
    pub(super) probability: ChoiceProbability,
    pub(super) costs: Costs,
}

/// The costs of a branch, by [`Measure`](super::Measure).
pub(super) type Costs = [u32; 3];

/// The target of a branch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BranchTarget {
    State(u32),
    Ending(u32),
}

/// A Markov decision process with costs. It is built state by state, action by action, branch by branch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Mdp {
    /// By state: its first action; one entry more than there are states.
    states: Vec<u32>,
    /// By action: its first branch; one entry more than there are actions.
    actions: Vec<u32>,
    branches: Vec<MdpBranch>,
}

impl Mdp {
    pub(super) fn new() -> Self {
        Self { states: vec![0], actions: vec![0], branches: Vec::new() }
    }

    /// Adds a branch to the action being built.
    pub(super) fn branch(&mut self, branch: MdpBranch) {
        self.branches.push(branch);
    }

    /// Completes an action of the state being built.
    pub(super) fn end_action(&mut self) {
        self.actions.push(self.branches.len() as u32);
    }

    /// Completes a state.
    pub(super) fn end_state(&mut self) {
        self.states.push(self.actions.len() as u32 - 1);
    }

    /// Adds an action that leads to an ending with probability 1, at no cost.
    pub(super) fn end_with(&mut self, ending: u32) {
        self.branch(MdpBranch {
            to: BranchTarget::Ending(ending),
            probability: ChoiceProbability::CERTAIN,
            costs: [0; 3],
        });
        self.end_action();
    }

    /// The number of states.
    pub(super) fn len(&self) -> usize {
        self.states.len() - 1
    }

    pub(super) fn branches(&self, action: usize) -> &[MdpBranch] {
        &self.branches[self.actions[action] as usize..self.actions[action + 1] as usize]
    }

    /// Memory held.
    pub(super) fn bytes(&self) -> usize {
        (self.states.len() + self.actions.len()) * size_of::<u32>() + self.branches.len() * size_of::<MdpBranch>()
    }

    /// The strongly connected components, in reverse topological order.
    pub(super) fn sccs(&self) -> Sccs {
        Sccs::new(self.len(), |state, found| {
            let targets = self.actions(state as usize).flat_map(|action| self.targets(action).flatten());
            found.extend(targets);
        })
    }

    /// Merges each end component into one state, which has the actions that may leave the component and one action for
    /// each ending that a state of the component is given in `endings`. Also returns, by old state, the new one.
    ///
    /// Inside an end component a scheduler reaches every state from every other with probability 1, so that all of them
    /// have the same optimal probabilities \[DeAlfaro1997\]; without end components the fixpoint of the optimality
    /// equations is unique.
    pub(super) fn quotient(&self, mecs: &EndComponents, endings: &BTreeMap<u32, Vec<u32>>) -> (Self, Vec<u32>) {
        let mut numbers = vec![NO_COMPONENT; self.len()];
        let mut classes = Vec::new();
        for state in (0..self.len()).filter(|&state| mecs.of[state] == NO_COMPONENT) {
            numbers[state] = classes.len() as u32;
            classes.push(vec![state]);
        }
        for class in mecs.members() {
            for &state in &class {
                numbers[state] = classes.len() as u32;
            }
            classes.push(class);
        }
        let mut quotient = Self::new();
        for class in classes {
            let further = class.iter().filter_map(|&state| endings.get(&(state as u32))).flatten();
            for &ending in further.collect::<BTreeSet<_>>() {
                quotient.end_with(ending);
            }
            let actions = class.into_iter().flat_map(|state| self.actions(state));
            for action in actions.filter(|&action| !mecs.inside[action]) {
                for &branch in self.branches(action) {
                    let to = match branch.to {
                        BranchTarget::State(state) => BranchTarget::State(numbers[state as usize]),
                        ending @ BranchTarget::Ending(_) => ending,
                    };
                    quotient.branch(MdpBranch { to, ..branch });
                }
                quotient.end_action();
            }
            quotient.end_state();
        }
        (quotient, numbers)
    }
}

impl ActionGraph for Mdp {
    fn vertices(&self) -> usize {
        self.len()
    }

    fn actions(&self, state: usize) -> Range<usize> {
        self.states[state] as usize..self.states[state + 1] as usize
    }

    fn targets(&self, action: usize) -> impl Iterator<Item = Option<u32>> {
        self.branches(action).iter().map(|branch| match branch.to {
            BranchTarget::State(state) => Some(state),
            BranchTarget::Ending(_) => None,
        })
    }
}
