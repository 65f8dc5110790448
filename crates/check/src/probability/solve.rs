//! The best that a schedule can make of its decisions, exactly.
//!
//! Components go one after the other, so that what leads out of one has its value. Inside, policies are improved until none
//! is better (R. Howard, "Dynamic programming and Markov processes", 1960), each evaluated by eliminating one node after
//! the other.

use std::collections::{BTreeMap, BTreeSet};

use num_rational::BigRational;
use num_traits::{One, Zero};

use super::decisions::{Branch, Components, Decisions, NONE, To};

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
        match self.the_same_everywhere(nodes) {
            Some(value) => {
                for &node in nodes {
                    self.values[node as usize] = value.clone();
                }
            }
            None => self.improve(nodes),
        }
        for &node in nodes {
            self.local[node as usize] = NONE;
        }
    }

    /// Where nothing costs anything and all ways out of a component are worth the same, so is everything in it.
    fn the_same_everywhere(&self, nodes: &[u32]) -> Option<BigRational> {
        let Goal::End(_) = self.goal else { return None };
        let mut common = None;
        for &node in nodes {
            for branch in self.decisions.events(node as usize).flat_map(|event| self.decisions.branches(event)) {
                let Some(value) = self.outside(branch) else { continue };
                match &common {
                    None => common = Some(value),
                    Some(common) if *common == value => {}
                    Some(_) => return None,
                }
            }
        }
        Some(common.unwrap_or_else(BigRational::zero))
    }

    /// What a branch that leaves the component is worth.
    fn outside(&self, branch: &Branch) -> Option<BigRational> {
        match branch.to {
            To::Ending(ending) if self.goal.of_ending(ending) => Some(BigRational::one()),
            To::Ending(_) => Some(BigRational::zero()),
            To::Node(node) => (self.local[node as usize] == NONE).then(|| self.values[node as usize].clone()),
        }
    }

    fn improve(&mut self, nodes: &[u32]) {
        let mut policy = self.first_policy(nodes);
        loop {
            self.evaluate(nodes, &policy);
            let mut better = false;
            for (chosen, &node) in policy.iter_mut().zip(nodes) {
                let mut best: Option<(usize, BigRational)> = None;
                for event in self.decisions.events(node as usize).filter(|event| event != chosen) {
                    let value = self.value(event);
                    let least = best.as_ref().map_or(&self.values[node as usize], |(_, value)| value);
                    if self.goal.better(&value, least) {
                        best = Some((event, value));
                    }
                }
                if let Some((event, _)) = best {
                    *chosen = event;
                    better = true;
                }
            }
            if !better {
                return;
            }
        }
    }

    /// A policy that leaves the component for certain: everywhere an event that may lead nearer to a way out.
    fn first_policy(&self, nodes: &[u32]) -> Vec<usize> {
        let mut before = vec![Vec::new(); nodes.len()];
        let mut policy = vec![None; nodes.len()];
        let mut near = Vec::new();
        for (index, &node) in nodes.iter().enumerate() {
            for event in self.decisions.events(node as usize) {
                for branch in self.decisions.branches(event) {
                    match branch.to {
                        To::Node(to) if self.local[to as usize] != NONE => {
                            before[self.local[to as usize] as usize].push((index, event));
                        }
                        _ if policy[index].is_none() => {
                            policy[index] = Some(event);
                            near.push(index);
                        }
                        _ => {}
                    }
                }
            }
        }
        let mut next = 0;
        while let Some(&to) = near.get(next) {
            next += 1;
            for &(from, event) in &before[to] {
                if policy[from].is_none() {
                    policy[from] = Some(event);
                    near.push(from);
                }
            }
        }
        policy.into_iter().map(|event| event.expect("there is a way out")).collect()
    }

    /// What an event is worth, given what its branches lead to is.
    fn value(&self, event: usize) -> BigRational {
        let branches = self.decisions.branches(event);
        let mut sum = BigRational::zero();
        for group in branches.chunk_by(|one, other| one.odds == other.odds) {
            let mut part = BigRational::zero();
            for branch in group {
                match branch.to {
                    To::Node(node) => part += &self.values[node as usize],
                    To::Ending(ending) if self.goal.of_ending(ending) => part += BigRational::one(),
                    To::Ending(_) => {}
                }
            }
            let cost: u64 = group.iter().map(|branch| u64::from(self.goal.cost(branch))).sum();
            sum += (part + BigRational::from_integer(cost.into())) / BigRational::from_integer(group[0].odds.into());
        }
        sum
    }

    /// Sets the values of a component to what a policy gets.
    fn evaluate(&mut self, nodes: &[u32], policy: &[usize]) {
        let decisions = self.decisions;
        let inner = |branch: &Branch| match branch.to {
            To::Node(node) => Some(self.local[node as usize]).filter(|&local| local != NONE),
            To::Ending(_) => None,
        };
        let chain = Components::new(nodes.len(), |index, found| {
            found.extend(decisions.branches(policy[index as usize]).iter().filter_map(inner));
        });
        for members in chain.members() {
            self.evaluate_chain(nodes, policy, &members);
        }
    }

    /// The same for members that, under the policy, all lead to each other.
    fn evaluate_chain(&mut self, nodes: &[u32], policy: &[usize], members: &[u32]) {
        let place: BTreeMap<u32, u32> = members.iter().enumerate().map(|(at, &member)| (member, at as u32)).collect();
        let mut equations = Equations::new(members.len());
        for (at, &member) in members.iter().enumerate() {
            for branch in self.decisions.branches(policy[member as usize]) {
                let weight = BigRational::new(1.into(), branch.odds.into());
                let cost = self.goal.cost(branch);
                if cost > 0 {
                    equations.add(at, &weight * BigRational::from_integer(cost.into()));
                }
                match branch.to {
                    To::Ending(ending) if self.goal.of_ending(ending) => equations.add(at, weight),
                    To::Ending(_) => {}
                    To::Node(node) => match place.get(&self.local[node as usize]) {
                        Some(&to) => equations.lead(at, to, weight),
                        None => equations.add(at, weight * &self.values[node as usize]),
                    },
                }
            }
        }
        for (&member, value) in members.iter().zip(equations.solved()) {
            self.values[nodes[member as usize] as usize] = value;
        }
    }
}

/// Equations of a chain: each unknown is a sum of parts of unknowns and a constant, and all parts together are less than
/// one somewhere on every way around.
struct Equations {
    constants: Vec<BigRational>,
    /// By unknown, the parts of others in it.
    parts: Vec<BTreeMap<u32, BigRational>>,
    /// By unknown, in which others it has a part.
    users: Vec<BTreeSet<u32>>,
}

impl Equations {
    fn new(count: usize) -> Self {
        Self {
            constants: vec![BigRational::zero(); count],
            parts: vec![BTreeMap::new(); count],
            users: vec![BTreeSet::new(); count],
        }
    }

    fn add(&mut self, at: usize, constant: BigRational) {
        self.constants[at] += constant;
    }

    fn lead(&mut self, at: usize, to: u32, weight: BigRational) {
        *self.parts[at].entry(to).or_default() += weight;
        self.users[to as usize].insert(at as u32);
    }

    /// How many parts come into being at most when an unknown is eliminated.
    fn effort(&self, unknown: u32) -> usize {
        self.parts[unknown as usize].len() * self.users[unknown as usize].len()
    }

    /// Eliminates one unknown after the other, the easiest first, and puts in what each comes to in the opposite order.
    fn solved(mut self) -> Vec<BigRational> {
        let count = self.parts.len() as u32;
        let mut efforts: Vec<usize> = (0..count).map(|unknown| self.effort(unknown)).collect();
        let mut queue: BTreeSet<_> = efforts.iter().copied().zip(0..).collect();
        let mut order = Vec::with_capacity(efforts.len());
        while let Some((_, unknown)) = queue.pop_first() {
            order.push(unknown as usize);
            for other in self.eliminate(unknown) {
                let effort = self.effort(other);
                queue.remove(&(efforts[other as usize], other));
                queue.insert((effort, other));
                efforts[other as usize] = effort;
            }
        }
        for &unknown in order.iter().rev() {
            let mut value = core::mem::take(&mut self.constants[unknown]);
            for (&other, part) in &self.parts[unknown] {
                value += part * &self.constants[other as usize];
            }
            self.constants[unknown] = value;
        }
        self.constants
    }

    /// Puts what an unknown is in its place wherever it has a part; says whose parts and users that changes.
    fn eliminate(&mut self, unknown: u32) -> BTreeSet<u32> {
        let users = core::mem::take(&mut self.users[unknown as usize]);
        let mut parts = core::mem::take(&mut self.parts[unknown as usize]);
        if let Some(own) = parts.remove(&unknown) {
            let rest = BigRational::one() - own;
            for part in parts.values_mut() {
                *part /= &rest;
            }
            self.constants[unknown as usize] /= rest;
        }
        for &to in parts.keys() {
            self.users[to as usize].remove(&unknown);
        }
        let mut touched: BTreeSet<u32> = parts.keys().copied().collect();
        for user in users.into_iter().filter(|&user| user != unknown) {
            touched.insert(user);
            let weight = self.parts[user as usize].remove(&unknown).expect("it uses it");
            for (&to, part) in &parts {
                *self.parts[user as usize].entry(to).or_default() += &weight * part;
                self.users[to as usize].insert(user);
            }
            let constant = weight * &self.constants[unknown as usize];
            self.constants[user as usize] += constant;
        }
        self.parts[unknown as usize] = parts;
        touched
    }
}
