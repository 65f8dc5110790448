//! The best that a schedule can make of its decisions, exactly.
//!
//! Components go one after the other, so that what leads out of one has its value. Inside, nodes that cannot be told apart are
//! taken together \[LarsenSkou1991\], and policies are improved until none is better \[Howard1960\], each evaluated by
//! eliminating one node after the other.

use num_rational::BigRational;

use super::component::{Component, divisor};
use super::decisions::{Branch, Decisions, NONE, To};
use super::values::{ONE, Sum, Values, ZERO};
use crate::interner::Number;

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
    fn of_ending(&self, ending: u32) -> Number {
        match self {
            Self::End(wanted) if wanted[ending as usize] => ONE,
            Self::End(_) | Self::Least(_) | Self::Greatest(_) => ZERO,
        }
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

/// What the best schedule gets.
pub(super) struct Best {
    pub(super) value: BigRational,
    /// Every other schedule gets the same.
    pub(super) always: bool,
}

/// What the best schedule gets that begins at a node. Whoever goes on and on must end: where a schedule can stay among some
/// nodes for ever, that must cost something, and less must be better. `patient` says whether to go on.
pub(super) fn best(
    decisions: &Decisions,
    from: u32,
    goal: &Goal<'_>,
    patient: &mut dyn FnMut() -> bool,
) -> Option<Best> {
    let components = decisions.components();
    let mut solver = Solver {
        decisions,
        goal,
        values: Values::default(),
        of: vec![ZERO; decisions.len()],
        local: vec![NONE; decisions.len()],
    };
    for nodes in components.members() {
        if !patient() {
            return None;
        }
        solver.solve(&nodes);
    }
    let always = solver.nothing_to_choose();
    Some(Best { value: solver.values.get(solver.of[from as usize]).clone(), always })
}

struct Solver<'a> {
    decisions: &'a Decisions,
    goal: &'a Goal<'a>,
    values: Values,
    /// By node, the number of its value; of no meaning until its component is solved.
    of: Vec<Number>,
    /// By node of the component at hand, its index in it.
    local: Vec<u32>,
}

impl Solver<'_> {
    fn solve(&mut self, nodes: &[u32]) {
        for (index, &node) in nodes.iter().enumerate() {
            self.local[node as usize] = index as u32;
        }
        match self.the_same_everywhere(nodes) {
            Some(value) => nodes.iter().for_each(|&node| self.of[node as usize] = value),
            None => {
                let component = self.component(nodes);
                let best = component.best(self.values.all(), |one, other| self.goal.better(one, other));
                for (&node, value) in nodes.iter().zip(best) {
                    self.of[node as usize] = self.values.number(value);
                }
            }
        }
        for &node in nodes {
            self.local[node as usize] = NONE;
        }
    }

    /// Where nothing costs anything and all ways out of a component are worth the same, so is everything in it.
    fn the_same_everywhere(&self, nodes: &[u32]) -> Option<Number> {
        let Goal::End(_) = self.goal else { return None };
        let mut common = None;
        for &node in nodes {
            for branch in self.decisions.events(node as usize).flat_map(|event| self.decisions.branches(event)) {
                let Err(value) = self.leads(branch) else { continue };
                if *common.get_or_insert(value) != value {
                    return None;
                }
            }
        }
        Some(common.unwrap_or(ZERO))
    }

    /// Where in the component a branch leads, or what it is worth that it leaves it.
    fn leads(&self, branch: &Branch) -> Result<u32, Number> {
        match branch.to {
            To::Ending(ending) => Err(self.goal.of_ending(ending)),
            To::Node(node) => match self.local[node as usize] {
                NONE => Err(self.of[node as usize]),
                local => Ok(local),
            },
        }
    }

    fn component(&mut self, nodes: &[u32]) -> Component {
        let mut component = Component::default();
        for &node in nodes {
            component.node();
            for event in self.decisions.events(node as usize) {
                let (constant, scale, parts) = self.event(event);
                component.event(constant, scale, parts);
            }
        }
        component
    }

    /// What an event is worth outside the component and costs, as a number, and which parts of so many in all lead inside.
    fn event(&mut self, event: usize) -> (Number, u64, Vec<(u32, u64)>) {
        let branches = self.decisions.branches(event);
        let scale = branches.iter().fold(1, |scale: u64, branch| {
            let odds = u64::from(branch.odds);
            scale.checked_mul(odds / divisor(scale, odds)).expect("what has so many branches does not fit memory")
        });
        let mut sum = Sum::default();
        let mut parts = Vec::new();
        let mut rest = scale;
        for branch in branches {
            let part = scale / u64::from(branch.odds);
            rest -= part;
            sum.cost += u128::from(self.goal.cost(branch)) * u128::from(part);
            match self.leads(branch) {
                Ok(local) => parts.push((local, part)),
                Err(value) => sum.parts.push((value, part)),
            }
        }
        assert_eq!(rest, 0, "one of an event's branches comes of it for certain");
        (self.values.sum(sum, scale), scale, parts)
    }

    /// Whether every event of every node is worth the same as all others of that node.
    fn nothing_to_choose(&mut self) -> bool {
        (0..self.decisions.len()).all(|node| {
            let value = self.of[node];
            self.decisions.events(node).all(|event| self.event(event).0 == value)
        })
    }
}
