//! Optimal probabilities and expected costs of a Markov decision process, exactly.
//!
//! Strongly connected components are solved in reverse topological order, each by [policy
//! iteration](super::policy_iteration) once the values of all states outside that it leads to are known.

use num_rational::BigRational;

use super::mdp::{BranchTarget, Mdp, MdpBranch};
use super::policy_iteration::SccMdp;
use super::rationals::{InternedRationals, ONE, WeightedSum, ZERO};
use crate::choices::gcd;
use crate::graph::{ActionGraph, NO_COMPONENT};
use crate::interner::Interned;

/// The quantity that a scheduler optimises.
pub(super) enum Objective<'a> {
    /// To end with one of these, by ending, with maximal probability.
    End(&'a [bool]),
    /// The minimal moment of a cost.
    Least(CostMoment<'a>),
    /// The maximal moment of a cost.
    Greatest(CostMoment<'a>),
}

/// A moment of the cost of a run, by measure.
#[derive(Clone, Copy)]
pub(super) enum CostMoment<'a> {
    /// The expected cost.
    First(usize),
    /// The expected square, if the expected cost is the same for all schedulers: by state, its number. A branch of cost
    /// c to a state where the further cost X is expected contributes E((c + X)^2) = c^2 + 2c E(X) + E(X^2).
    Second(usize, &'a [Interned]),
}

impl Objective<'_> {
    fn ending_value(&self, ending: u32) -> Interned {
        match self {
            Self::End(target) if target[ending as usize] => ONE,
            Self::End(_) | Self::Least(_) | Self::Greatest(_) => ZERO,
        }
    }

    /// Adds the cost of a branch to a sum.
    fn add_cost(&self, branch: &MdpBranch, weight: u64, sum: &mut WeightedSum) {
        match *self {
            Self::End(_) => {}
            Self::Least(CostMoment::First(measure)) | Self::Greatest(CostMoment::First(measure)) => {
                sum.cost += u128::from(branch.costs[measure]) * u128::from(weight);
            }
            Self::Least(CostMoment::Second(measure, means)) | Self::Greatest(CostMoment::Second(measure, means)) => {
                let cost = u64::from(branch.costs[measure]);
                sum.cost += u128::from(cost * cost) * u128::from(weight);
                if let BranchTarget::State(state) = branch.to {
                    let weight = weight.checked_mul(2 * cost).expect("a cost of one step is small");
                    sum.parts.push((means[state as usize], weight));
                }
            }
        }
    }

    fn improves(&self, one: &BigRational, other: &BigRational) -> bool {
        match self {
            Self::End(_) | Self::Greatest(_) => one > other,
            Self::Least(_) => one < other,
        }
    }
}

/// The values of an optimal scheduler.
pub(super) struct Optimum {
    pub(super) rationals: InternedRationals,
    /// By state, the number of its value.
    pub(super) values: Vec<Interned>,
    /// All schedulers have these values.
    pub(super) scheduler_independent: bool,
}

impl Optimum {
    /// The value of a state.
    pub(super) fn value(&self, state: u32) -> &BigRational {
        self.rationals.get(self.values[state as usize])
    }
}

/// The optimal values. There must be no end component, unless costs are minimised and it has a cost. Numbers refer to
/// `rationals`. `go_on` is called between components; `None` if it returns false.
pub(super) fn optimize(
    mdp: &Mdp,
    goal: &Objective<'_>,
    rationals: InternedRationals,
    go_on: &mut dyn FnMut() -> bool,
) -> Option<Optimum> {
    let sccs = mdp.sccs();
    let mut solver =
        MdpSolver { mdp, goal, rationals, of: vec![ZERO; mdp.len()], local: vec![NO_COMPONENT; mdp.len()] };
    for states in sccs.members() {
        if !go_on() {
            return None;
        }
        solver.solve(&states);
    }
    let scheduler_independent = solver.is_scheduler_independent();
    Some(Optimum { rationals: solver.rationals, values: solver.of, scheduler_independent })
}

/// The common denominator of the probabilities of an action's branches.
pub(super) fn scale_of(branches: &[MdpBranch]) -> u64 {
    branches.iter().fold(1, |scale: u64, branch| {
        let denominator = u64::from(branch.probability.denominator);
        scale
            .checked_mul(denominator / gcd(scale, denominator))
            .expect("an action with so large a denominator does not fit memory")
    })
}

/// The probability of a branch times the common denominator of its action.
pub(super) fn weight_of(branch: &MdpBranch, scale: u64) -> u64 {
    scale / u64::from(branch.probability.denominator) * u64::from(branch.probability.numerator)
}

struct MdpSolver<'a> {
    mdp: &'a Mdp,
    goal: &'a Objective<'a>,
    rationals: InternedRationals,
    /// By state, the number of its value; of no meaning before its component is solved.
    of: Vec<Interned>,
    /// By state of the present component, its index there.
    local: Vec<u32>,
}

impl MdpSolver<'_> {
    fn solve(&mut self, states: &[u32]) {
        for (index, &state) in states.iter().enumerate() {
            self.local[state as usize] = index as u32;
        }
        match self.common_exit_value(states) {
            Some(value) => states.iter().for_each(|&state| self.of[state as usize] = value),
            None => {
                let scc_mdp = self.scc_mdp(states);
                let optimum = scc_mdp.optimize(self.rationals.all(), |one, other| self.goal.improves(one, other));
                for (&state, value) in states.iter().zip(optimum) {
                    self.of[state as usize] = self.rationals.intern(value);
                }
            }
        }
        for &state in states {
            self.local[state as usize] = NO_COMPONENT;
        }
    }

    /// The common value of all branches that leave a component, if there is one and nothing has a cost: then all states
    /// of the component have this value.
    fn common_exit_value(&self, states: &[u32]) -> Option<Interned> {
        let Objective::End(_) = self.goal else { return None };
        let mut common = None;
        for &state in states {
            for branch in self.mdp.actions(state as usize).flat_map(|action| self.mdp.branches(action)) {
                let Err(value) = self.target_of(branch) else { continue };
                if *common.get_or_insert(value) != value {
                    return None;
                }
            }
        }
        Some(common.unwrap_or(ZERO))
    }

    /// The target of a branch inside the component, or the value of the branch if it leaves the component.
    fn target_of(&self, branch: &MdpBranch) -> Result<u32, Interned> {
        match branch.to {
            BranchTarget::Ending(ending) => Err(self.goal.ending_value(ending)),
            BranchTarget::State(state) => match self.local[state as usize] {
                NO_COMPONENT => Err(self.of[state as usize]),
                local => Ok(local),
            },
        }
    }

    fn scc_mdp(&mut self, states: &[u32]) -> SccMdp {
        let mut scc_mdp = SccMdp::default();
        for &state in states {
            scc_mdp.state();
            for action in self.mdp.actions(state as usize) {
                let (constant, scale, parts) = self.action(action);
                scc_mdp.action(constant, scale, parts);
            }
        }
        scc_mdp
    }

    /// The part of an action's value that is known, by number (its cost, and the values of its targets outside the
    /// component); the common denominator of its probabilities; and its targets inside, with their numerators.
    fn action(&mut self, action: usize) -> (Interned, u64, Vec<(u32, u64)>) {
        let branches = self.mdp.branches(action);
        let scale = scale_of(branches);
        let mut sum = WeightedSum::default();
        let mut parts = Vec::new();
        let mut rest = scale;
        for branch in branches {
            let weight = weight_of(branch, scale);
            rest -= weight;
            self.goal.add_cost(branch, weight, &mut sum);
            match self.target_of(branch) {
                Ok(local) => parts.push((local, weight)),
                Err(value) => sum.parts.push((value, weight)),
            }
        }
        assert_eq!(rest, 0, "the probabilities of an action's branches sum to 1");
        (self.rationals.sum(sum, scale), scale, parts)
    }

    /// True if in every state all actions have the same value.
    fn is_scheduler_independent(&mut self) -> bool {
        (0..self.mdp.len()).all(|state| {
            let value = self.of[state];
            self.mdp.actions(state).all(|action| self.action(action).0 == value)
        })
    }
}
