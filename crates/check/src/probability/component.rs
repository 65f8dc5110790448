//! One component of a graph of decisions, with everything that leads out of it at its known value.

use std::collections::{BTreeMap, BTreeSet};

use num_rational::BigRational;
use num_traits::Zero;

use super::decisions::Components;
use super::equations::Equations;
use super::values::{merge, reduce};
use crate::interner::Number;

/// Nodes by index, each with its events; what they lead to outside, and what they cost, is a constant of each event.
#[derive(Default)]
pub(super) struct Component {
    nodes: Vec<Vec<Event>>,
}

/// What comes of an event: a constant, and so many parts of each of some nodes, of `scale` parts in all.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Event {
    /// Its number.
    constant: Number,
    scale: u64,
    /// In the order of nodes, each once.
    parts: Vec<(u32, u64)>,
}

impl Event {
    /// The same, reduced, where nodes go by other names.
    fn renamed(&self, name: impl Fn(u32) -> u32) -> Self {
        let mut renamed = Self { parts: self.parts.iter().map(|&(node, part)| (name(node), part)).collect(), ..*self };
        merge(&mut renamed.parts);
        reduce(&mut renamed.parts, &mut renamed.scale);
        renamed
    }

    fn value(&self, constants: &[BigRational], values: &[BigRational]) -> BigRational {
        let weighted = |&(node, part): &(u32, u64)| &values[node as usize] * BigRational::from_integer(part.into());
        let sum = self.parts.iter().map(weighted).fold(BigRational::zero(), |sum, part| sum + part);
        sum / BigRational::from_integer(self.scale.into()) + &constants[self.constant as usize]
    }
}

/// The greatest common one.
pub(super) const fn divisor(mut one: u64, mut other: u64) -> u64 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

impl Component {
    /// Begins another node.
    pub(super) fn node(&mut self) {
        self.nodes.push(Vec::new());
    }

    /// Adds an event of the last node; `parts` are of `scale` in all.
    pub(super) fn event(&mut self, constant: Number, scale: u64, parts: Vec<(u32, u64)>) {
        let event = Event { constant, scale, parts }.renamed(|node| node);
        self.nodes.last_mut().expect("it was begun").push(event);
    }

    /// By node, what the best schedule gets; the constants are numbers of `values`.
    pub(super) fn best(
        &self,
        values: &[BigRational],
        better: impl Fn(&BigRational, &BigRational) -> bool,
    ) -> Vec<BigRational> {
        if self.nodes.len() == 1 {
            return self.improved(values, better);
        }
        let classes = self.classes();
        let best = self.lumped(&classes).improved(values, better);
        classes.into_iter().map(|class| best[class as usize].clone()).collect()
    }

    /// By node, its class: nodes of one class can do the same things with the same prospects, up to classes.
    fn classes(&self) -> Vec<u32> {
        let mut before = vec![Vec::new(); self.nodes.len()];
        for (node, events) in self.nodes.iter().enumerate() {
            for &(to, _) in events.iter().flat_map(|event| &event.parts) {
                before[to as usize].push(node as u32);
            }
        }
        let mut class = vec![0; self.nodes.len()];
        let mut sizes = vec![self.nodes.len()];
        // Those that may have to leave their class, because something that they lead to has.
        let mut doubtful: BTreeSet<u32> = (0..self.nodes.len() as u32).collect();
        while !doubtful.is_empty() {
            let mut groups: BTreeMap<(u32, Vec<Event>), Vec<u32>> = BTreeMap::new();
            for &node in &doubtful {
                groups.entry((class[node as usize], self.prospects(node, &class))).or_default().push(node);
            }
            let mut groups: Vec<(u32, Vec<u32>)> =
                groups.into_iter().map(|((class, _), group)| (class, group)).collect();
            // If none of a class is beyond doubt, its largest group keeps the name.
            groups.sort_by_key(|(class, group)| (*class, core::cmp::Reverse(group.len())));
            doubtful.clear();
            for groups in groups.chunk_by(|(one, _), (other, _)| one == other) {
                let old = groups[0].0 as usize;
                let all = groups.iter().map(|(_, group)| group.len()).sum::<usize>() == sizes[old];
                for (_, group) in &groups[usize::from(all)..] {
                    sizes[old] -= group.len();
                    for &node in group {
                        class[node as usize] = sizes.len() as u32;
                        doubtful.extend(&before[node as usize]);
                    }
                    sizes.push(group.len());
                }
            }
        }
        class
    }

    /// What can come of a node's events, up to classes, each once.
    fn prospects(&self, node: u32, class: &[u32]) -> Vec<Event> {
        let renamed = |event: &Event| event.renamed(|node| class[node as usize]);
        self.nodes[node as usize].iter().map(renamed).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// One node for each class.
    fn lumped(&self, classes: &[u32]) -> Self {
        let count = classes.iter().max().map_or(0, |&last| last as usize + 1);
        let mut nodes = vec![Vec::new(); count];
        for (node, &class) in classes.iter().enumerate() {
            if nodes[class as usize].is_empty() {
                nodes[class as usize] = self.prospects(node as u32, classes);
            }
        }
        Self { nodes }
    }

    /// Improves a policy until none is better.
    fn improved(
        &self,
        constants: &[BigRational],
        better: impl Fn(&BigRational, &BigRational) -> bool,
    ) -> Vec<BigRational> {
        let mut policy = self.first_policy();
        loop {
            let values = self.values_of(constants, &policy);
            let mut improved = false;
            for (node, chosen) in policy.iter_mut().enumerate() {
                let mut best = values[node].clone();
                for (index, event) in self.nodes[node].iter().enumerate() {
                    let value = if index == *chosen { continue } else { event.value(constants, &values) };
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

    /// A policy that leaves for certain: everywhere an event that may lead out, or nearer to where one does.
    fn first_policy(&self) -> Vec<usize> {
        let mut before = vec![Vec::new(); self.nodes.len()];
        let mut policy = vec![None; self.nodes.len()];
        let mut near = Vec::new();
        for (node, events) in self.nodes.iter().enumerate() {
            for (index, event) in events.iter().enumerate() {
                let stays: u64 = event.parts.iter().map(|&(_, part)| part).sum();
                if stays < event.scale && policy[node].is_none() {
                    policy[node] = Some(index);
                    near.push(node);
                }
                for &(to, _) in &event.parts {
                    before[to as usize].push((node, index));
                }
            }
        }
        let mut next = 0;
        while let Some(&to) = near.get(next) {
            next += 1;
            for &(from, index) in &before[to] {
                if policy[from].is_none() {
                    policy[from] = Some(index);
                    near.push(from);
                }
            }
        }
        policy.into_iter().map(|index| index.expect("there is a way out")).collect()
    }

    /// By node, what a policy gets.
    fn values_of(&self, constants: &[BigRational], policy: &[usize]) -> Vec<BigRational> {
        let chosen = |node: u32| &self.nodes[node as usize][policy[node as usize]];
        let chain = Components::new(self.nodes.len(), |node, found| {
            found.extend(chosen(node).parts.iter().map(|&(to, _)| to));
        });
        let mut values = vec![BigRational::zero(); self.nodes.len()];
        let mut place = vec![0; self.nodes.len()];
        for (number, members) in chain.members().into_iter().enumerate() {
            for (at, &member) in members.iter().enumerate() {
                place[member as usize] = at as u32;
            }
            let mut equations = Equations::new(members.len());
            for (at, &member) in members.iter().enumerate() {
                let event = chosen(member);
                equations.add(at, constants[event.constant as usize].clone());
                for &(to, part) in &event.parts {
                    let weight = BigRational::new(part.into(), event.scale.into());
                    if chain.of[to as usize] as usize == number {
                        equations.lead(at, place[to as usize], weight);
                    } else {
                        equations.add(at, weight * &values[to as usize]);
                    }
                }
            }
            for (&member, value) in members.iter().zip(equations.solved()) {
                values[member as usize] = value;
            }
        }
        values
    }
}
