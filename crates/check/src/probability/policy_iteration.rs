//! Policy iteration \[Howard1960\] on one strongly connected component of a Markov decision process, up to
//! bisimulation.
//!
//! All values outside the component are known, so that what an action leads to outside, and what it costs, is a
//! constant. Bisimilar states are merged first (lumping \[LarsenSkou1991\]): they have the same values, and on a ring
//! they are often rotations of each other.
//!
//! A policy is *proper* if it leaves the component with probability 1; then its values v are the unique solution of
//! linear equations. The first policy is proper by construction, and so is an improved one (Bertsekas and Tsitsiklis
//! 1991). For a maximum there is no end component, and every policy is proper. For a minimum, suppose that the improved
//! policy stayed in a set of states forever. Its costs c and transition probabilities P satisfy c + Pv <= v. Averaged
//! over the stationary distribution of the set, the terms in v cancel: the average cost is at most 0. But such a set is
//! an end component, and only end components with a positive cost are left. Values improve in every round, so that no
//! policy comes again, and there are finitely many.

use std::collections::{BTreeMap, BTreeSet};

use num_rational::BigRational;
use num_traits::Zero;

use super::linear_equations::LinearEquations;
use super::rationals::{merge, reduce};
use crate::graph::Sccs;
use crate::interner::Interned;

/// A component: its states, each with its actions.
#[derive(Default)]
pub(super) struct SccMdp {
    states: Vec<Vec<SccAction>>,
}

/// An action: a constant, and successors with their weights. The probability of a successor is its weight divided by
/// `scale`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct SccAction {
    /// By number, among the interned rationals.
    constant: Interned,
    scale: u64,
    /// Successors, sorted, each once, with their weights.
    parts: Vec<(u32, u64)>,
}

impl SccAction {
    /// The same action with its successors renamed, merged and reduced.
    fn renamed(&self, name: impl Fn(u32) -> u32) -> Self {
        let mut renamed =
            Self { parts: self.parts.iter().map(|&(state, weight)| (name(state), weight)).collect(), ..*self };
        merge(&mut renamed.parts);
        reduce(&mut renamed.parts, &mut renamed.scale);
        renamed
    }

    fn value(&self, constants: &[BigRational], values: &[BigRational]) -> BigRational {
        let weighted =
            |&(state, weight): &(u32, u64)| &values[state as usize] * BigRational::from_integer(weight.into());
        let sum = self.parts.iter().map(weighted).fold(BigRational::zero(), |sum, term| sum + term);
        sum / BigRational::from_integer(self.scale.into()) + &constants[self.constant as usize]
    }
}

impl SccMdp {
    /// Begins another state.
    pub(super) fn state(&mut self) {
        self.states.push(Vec::new());
    }

    /// Adds an action of the last state.
    pub(super) fn action(&mut self, constant: Interned, scale: u64, parts: Vec<(u32, u64)>) {
        let action = SccAction { constant, scale, parts }.renamed(|state| state);
        self.states.last_mut().expect("it was begun").push(action);
    }

    /// By state, its optimal value. `rationals`: the interned rationals.
    pub(super) fn optimize(
        &self,
        rationals: &[BigRational],
        better: impl Fn(&BigRational, &BigRational) -> bool,
    ) -> Vec<BigRational> {
        if self.states.len() == 1 {
            return self.policy_iteration(rationals, better);
        }
        let classes = self.bisimulation_classes();
        let values = self.quotient(&classes).policy_iteration(rationals, better);
        classes.into_iter().map(|class| values[class as usize].clone()).collect()
    }

    /// By state, its class of bisimilar states: states of one class have the same actions up to classes. Partition
    /// refinement: the signatures of states whose successors have changed their class are computed again, until nothing
    /// changes.
    fn bisimulation_classes(&self) -> Vec<u32> {
        let mut predecessors = vec![Vec::new(); self.states.len()];
        for (state, actions) in self.states.iter().enumerate() {
            for &(to, _) in actions.iter().flat_map(|action| &action.parts) {
                predecessors[to as usize].push(state as u32);
            }
        }
        let mut class = vec![0; self.states.len()];
        let mut sizes = vec![self.states.len()];
        // The states whose signature may have changed.
        let mut outdated: BTreeSet<u32> = (0..self.states.len() as u32).collect();
        while !outdated.is_empty() {
            let mut groups: BTreeMap<(u32, Vec<SccAction>), Vec<u32>> = BTreeMap::new();
            for &state in &outdated {
                groups.entry((class[state as usize], self.signature(state, &class))).or_default().push(state);
            }
            let mut groups: Vec<(u32, Vec<u32>)> =
                groups.into_iter().map(|((class, _), group)| (class, group)).collect();
            // If all states of a class are among them, its largest part keeps the number.
            groups.sort_by_key(|(class, group)| (*class, core::cmp::Reverse(group.len())));
            outdated.clear();
            for groups in groups.chunk_by(|(one, _), (other, _)| one == other) {
                let old = groups[0].0 as usize;
                let whole = groups.iter().map(|(_, group)| group.len()).sum::<usize>() == sizes[old];
                for (_, group) in &groups[usize::from(whole)..] {
                    sizes[old] -= group.len();
                    for &state in group {
                        class[state as usize] = sizes.len() as u32;
                        outdated.extend(&predecessors[state as usize]);
                    }
                    sizes.push(group.len());
                }
            }
        }
        class
    }

    /// The actions of a state up to classes, each once.
    fn signature(&self, state: u32, class: &[u32]) -> Vec<SccAction> {
        let renamed = |action: &SccAction| action.renamed(|state| class[state as usize]);
        self.states[state as usize].iter().map(renamed).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// One state for each class.
    fn quotient(&self, classes: &[u32]) -> Self {
        let count = classes.iter().max().map_or(0, |&last| last as usize + 1);
        let mut states = vec![Vec::new(); count];
        for (state, &class) in classes.iter().enumerate() {
            if states[class as usize].is_empty() {
                states[class as usize] = self.signature(state as u32, classes);
            }
        }
        Self { states }
    }

    /// Improves a policy until no action is better than the chosen one.
    fn policy_iteration(
        &self,
        constants: &[BigRational],
        better: impl Fn(&BigRational, &BigRational) -> bool,
    ) -> Vec<BigRational> {
        let mut policy = self.proper_policy();
        loop {
            let values = self.evaluate(constants, &policy);
            let mut improved = false;
            for (state, chosen) in policy.iter_mut().enumerate() {
                let mut best = values[state].clone();
                for (index, action) in self.states[state].iter().enumerate() {
                    let value = if index == *chosen { continue } else { action.value(constants, &values) };
                    if better(&value, &best) {
                        (best, *chosen, improved) = (value, index, true);
                    }
                }
            }
            if !improved {
                return values;
            }
        }
    }

    /// A policy that leaves the component with probability 1: in every state an action that may leave it, or that may
    /// lead nearer to such a state.
    fn proper_policy(&self) -> Vec<usize> {
        let mut predecessors = vec![Vec::new(); self.states.len()];
        let mut policy = vec![None; self.states.len()];
        let mut near = Vec::new();
        for (state, actions) in self.states.iter().enumerate() {
            for (index, action) in actions.iter().enumerate() {
                let stays: u64 = action.parts.iter().map(|&(_, weight)| weight).sum();
                if stays < action.scale && policy[state].is_none() {
                    policy[state] = Some(index);
                    near.push(state);
                }
                for &(to, _) in &action.parts {
                    predecessors[to as usize].push((state, index));
                }
            }
        }
        let mut next = 0;
        while let Some(&to) = near.get(next) {
            next += 1;
            for &(from, index) in &predecessors[to] {
                if policy[from].is_none() {
                    policy[from] = Some(index);
                    near.push(from);
                }
            }
        }
        policy.into_iter().map(|index| index.expect("some action leaves the component")).collect()
    }

    /// By state, the value of a policy: the linear equations of a Markov chain, solved component by component.
    fn evaluate(&self, constants: &[BigRational], policy: &[usize]) -> Vec<BigRational> {
        let chosen = |state: u32| &self.states[state as usize][policy[state as usize]];
        let chain = Sccs::new(self.states.len(), |state, found| {
            found.extend(chosen(state).parts.iter().map(|&(to, _)| to));
        });
        let mut values = vec![BigRational::zero(); self.states.len()];
        let mut index = vec![0; self.states.len()];
        for (number, members) in chain.members().into_iter().enumerate() {
            for (at, &member) in members.iter().enumerate() {
                index[member as usize] = at as u32;
            }
            let mut equations = LinearEquations::new(members.len());
            for (at, &member) in members.iter().enumerate() {
                let action = chosen(member);
                equations.add(at, constants[action.constant as usize].clone());
                for &(to, weight) in &action.parts {
                    let probability = BigRational::new(weight.into(), action.scale.into());
                    if chain.of[to as usize] as usize == number {
                        equations.add_term(at, index[to as usize], probability);
                    } else {
                        equations.add(at, probability * &values[to as usize]);
                    }
                }
            }
            for (&member, value) in members.iter().zip(equations.solve()) {
                values[member as usize] = value;
            }
        }
        values
    }
}
