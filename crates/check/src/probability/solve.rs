//! The best that a schedule can make of its decisions, exactly.
//!
//! Components go one after the other, so that what leads out of one has its value. Inside, nodes that cannot be told apart are
//! taken together (P. Kanellakis and S. Smolka, "CCS expressions, finite state processes, and three problems of equivalence",
//! 1983; K. Larsen and A. Skou, "Bisimulation through probabilistic testing", 1991), and policies are improved until none is
//! better (R. Howard, "Dynamic programming and Markov processes", 1960), each evaluated by eliminating one node after the
//! other.

use num_rational::BigRational;
use num_traits::{One, Zero};

use super::component::{Component, divisor};
use super::decisions::{Branch, Decisions, NONE, To};

/// What a schedule is after.
pub(super) enum Goal<'a> {
    /// To end with one of these, by ending, with the greatest probability.
    End(&'a [bool]),
    /// The least mean cost of a measure.
    Least(usize),
    /// The greatest mean cost of a measure.
    Greatest(usize),
}

impl Goal<'_> {
    fn of_ending(&self, ending: u32) -> bool {
        matches!(self, Self::End(wanted) if wanted[ending as usize])
    }

    fn cost(&self, branch: &Branch) -> u32 {
        match *self {
            Self::End(_) => 0,
            Self::Least(measure) | Self::Greatest(measure) => branch.costs[measure],
        }
    }

    fn better(&self, one: &BigRational, other: &BigRational) -> bool {
        match self {
            Self::End(_) | Self::Greatest(_) => one > other,
            Self::Least(_) => one < other,
        }
    }
}

/// By node, what the best schedule gets. Whoever goes on and on must end: where a schedule can stay among some nodes for
/// ever, that must cost something, and less must be better. `patient` says whether to go on.
pub(super) fn best(
    decisions: &Decisions,
    goal: &Goal<'_>,
    patient: &mut dyn FnMut() -> bool,
) -> Option<Vec<BigRational>> {
    let components = decisions.components();
    let mut solver = Solver {
        decisions,
        goal,
        values: vec![BigRational::zero(); decisions.len()],
        local: vec![NONE; decisions.len()],
    };
    for nodes in components.members() {
        if !patient() {
            return None;
        }
        solver.solve(&nodes);
    }
    Some(solver.values)
}

struct Solver<'a> {
    decisions: &'a Decisions,
    goal: &'a Goal<'a>,
    /// By node; of no meaning until its component is solved.
    values: Vec<BigRational>,
    /// By node of the component at hand, its index in it.
    local: Vec<u32>,
}

impl Solver<'_> {
    fn solve(&mut self, nodes: &[u32]) {
        for (index, &node) in nodes.iter().enumerate() {
            self.local[node as usize] = index as u32;
        }
        let values = match self.the_same_everywhere(nodes) {
            Some(value) => vec![value; nodes.len()],
            None => self.component(nodes).best(|one, other| self.goal.better(one, other)),
        };
        for (&node, value) in nodes.iter().zip(values) {
            self.values[node as usize] = value;
            self.local[node as usize] = NONE;
        }
    }

    /// Where nothing costs anything and all ways out of a component are worth the same, so is everything in it.
    fn the_same_everywhere(&self, nodes: &[u32]) -> Option<BigRational> {
        let Goal::End(_) = self.goal else { return None };
        let mut common = None;
        for &node in nodes {
            for branch in self.decisions.events(node as usize).flat_map(|event| self.decisions.branches(event)) {
                let Err(value) = self.leads(branch) else { continue };
                match &common {
                    None => common = Some(value),
                    Some(common) if *common == value => {}
                    Some(_) => return None,
                }
            }
        }
        Some(common.unwrap_or_else(BigRational::zero))
    }

    /// Where in the component a branch leads, or what it is worth that it leaves it.
    fn leads(&self, branch: &Branch) -> Result<u32, BigRational> {
        match branch.to {
            To::Ending(ending) if self.goal.of_ending(ending) => Err(BigRational::one()),
            To::Ending(_) => Err(BigRational::zero()),
            To::Node(node) => match self.local[node as usize] {
                NONE => Err(self.values[node as usize].clone()),
                local => Ok(local),
            },
        }
    }

    fn component(&self, nodes: &[u32]) -> Component {
        let mut component = Component::default();
        for &node in nodes {
            component.node();
            for event in self.decisions.events(node as usize) {
                let branches = self.decisions.branches(event);
                let scale = branches.iter().fold(1, |scale: u64, branch| {
                    let odds = u64::from(branch.odds);
                    scale
                        .checked_mul(odds / divisor(scale, odds))
                        .expect("what has so many branches does not fit memory")
                });
                let mut constant = BigRational::zero();
                let mut parts = Vec::new();
                for branch in branches {
                    let part = scale / u64::from(branch.odds);
                    let mut gained = BigRational::from_integer(self.goal.cost(branch).into());
                    match self.leads(branch) {
                        Ok(local) => parts.push((local, part)),
                        Err(value) => gained += value,
                    }
                    if !gained.is_zero() {
                        constant += gained * BigRational::from_integer(part.into());
                    }
                }
                component.event(constant / BigRational::from_integer(scale.into()), scale, parts);
            }
        }
        component
    }
}
