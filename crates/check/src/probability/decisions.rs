//! Decisions in a graph: a schedule chooses an event, chance chooses what comes of it.

use core::ops::Range;
use std::collections::{BTreeMap, BTreeSet};

/// A thing that can come of an event: where it leads, once in how many times, and what it costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Branch {
    /// A node, or an ending.
    pub(super) to: To,
    /// Once in so many times.
    pub(super) odds: u32,
    /// By measure.
    pub(super) costs: Costs,
}

/// What a branch costs, by measure.
pub(super) type Costs = [u32; 3];

/// Where a branch leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum To {
    Node(u32),
    Ending(u32),
}

/// Nodes by number, each with the events that a schedule chooses from.
pub(super) struct Decisions {
    /// By node, where its events begin; and where the last one's end.
    nodes: Vec<u32>,
    /// By event, where its branches begin; and where the last one's end.
    events: Vec<u32>,
    branches: Vec<Branch>,
}

/// The number of no component.
pub(super) const NONE: u32 = u32::MAX;

/// The greatest sets of nodes in which a schedule can stay for ever, whatever chance does.
pub(super) struct EndComponents {
    /// By node, which one it is in; [`NONE`] if in none.
    pub(super) of: Vec<u32>,
    /// By event, whether all that can come of it stays inside.
    pub(super) inside: Vec<bool>,
    /// How many there are.
    pub(super) count: usize,
}

impl Decisions {
    pub(super) fn new() -> Self {
        Self { nodes: vec![0], events: vec![0], branches: Vec::new() }
    }

    /// Adds a branch to the event that has not ended yet.
    pub(super) fn branch(&mut self, branch: Branch) {
        self.branches.push(branch);
    }

    /// Ends an event of the node that has not ended yet.
    pub(super) fn end_event(&mut self) {
        self.events.push(self.branches.len() as u32);
    }

    pub(super) fn end_node(&mut self) {
        self.nodes.push(self.events.len() as u32 - 1);
    }

    /// Adds an event that leads to an ending, for certain and at no cost.
    pub(super) fn end_with(&mut self, ending: u32) {
        self.branch(Branch { to: To::Ending(ending), odds: 1, costs: [0; 3] });
        self.end_event();
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len() - 1
    }

    pub(super) fn event_count(&self) -> usize {
        self.events.len() - 1
    }

    /// The events of a node.
    pub(super) fn events(&self, node: usize) -> Range<usize> {
        self.nodes[node] as usize..self.nodes[node + 1] as usize
    }

    pub(super) fn branches(&self, event: usize) -> &[Branch] {
        &self.branches[self.events[event] as usize..self.events[event + 1] as usize]
    }

    /// Memory held.
    pub(super) fn bytes(&self) -> usize {
        (self.nodes.len() + self.events.len()) * size_of::<u32>() + self.branches.len() * size_of::<Branch>()
    }

    /// The nodes that some events lead to from a node.
    fn successors(&self, node: usize, events: impl Fn(usize) -> bool, found: &mut Vec<u32>) {
        for event in self.events(node).filter(|&event| events(event)) {
            found.extend(self.branches(event).iter().filter_map(|branch| match branch.to {
                To::Node(node) => Some(node),
                To::Ending(_) => None,
            }));
        }
    }

    /// By node, its strongly connected component, numbered so that what leads elsewhere leads to a lower number.
    pub(super) fn components(&self) -> Components {
        Components::new(self.len(), |node, found| self.successors(node as usize, |_| true, found))
    }

    /// The end components that allowed events make: what leaves the component it begins in cannot be part of one, until
    /// nothing leaves.
    pub(super) fn end_components(&self, allowed: impl Fn(usize, usize) -> bool) -> EndComponents {
        let mut inside = vec![false; self.event_count()];
        for node in 0..self.len() {
            for event in self.events(node) {
                inside[event] = allowed(node, event);
            }
        }
        loop {
            let components =
                Components::new(self.len(), |node, found| self.successors(node as usize, |event| inside[event], found));
            let mut leaves = false;
            for node in 0..self.len() {
                let stays = |branch: &Branch| match branch.to {
                    To::Node(to) => components.of[to as usize] == components.of[node],
                    To::Ending(_) => false,
                };
                for event in self.events(node) {
                    if inside[event] && !self.branches(event).iter().all(stays) {
                        inside[event] = false;
                        leaves = true;
                    }
                }
            }
            if !leaves {
                return self.numbered(&components, inside);
            }
        }
    }

    fn numbered(&self, components: &Components, inside: Vec<bool>) -> EndComponents {
        let mut numbers = vec![NONE; components.count];
        let mut count = 0;
        let mut of = vec![NONE; self.len()];
        for node in 0..self.len() {
            if self.events(node).any(|event| inside[event]) {
                let number = &mut numbers[components.of[node] as usize];
                if *number == NONE {
                    *number = count;
                    count += 1;
                }
                of[node] = *number;
            }
        }
        EndComponents { of, inside, count: count as usize }
    }

    /// Makes one node of each end component, with the events that may leave it and those that lead from its nodes to further
    /// endings; also by old node, its new number.
    pub(super) fn collapsed(&self, ends: &EndComponents, endings: &BTreeMap<u32, Vec<u32>>) -> (Self, Vec<u32>) {
        let mut members = vec![Vec::new(); ends.count];
        let mut numbers = vec![NONE; self.len()];
        let mut groups = Vec::new();
        for (node, &end) in ends.of.iter().enumerate() {
            if end == NONE {
                numbers[node] = groups.len() as u32;
                groups.push(vec![node]);
            } else {
                members[end as usize].push(node);
            }
        }
        for group in members {
            for &node in &group {
                numbers[node] = groups.len() as u32;
            }
            groups.push(group);
        }
        let mut collapsed = Self::new();
        for group in groups {
            let further = group.iter().filter_map(|&node| endings.get(&(node as u32))).flatten();
            for &ending in further.collect::<BTreeSet<_>>() {
                collapsed.end_with(ending);
            }
            for event in group.into_iter().flat_map(|node| self.events(node)).filter(|&event| !ends.inside[event]) {
                for &branch in self.branches(event) {
                    let to = match branch.to {
                        To::Node(node) => To::Node(numbers[node as usize]),
                        ending @ To::Ending(_) => ending,
                    };
                    collapsed.branch(Branch { to, ..branch });
                }
                collapsed.end_event();
            }
            collapsed.end_node();
        }
        (collapsed, numbers)
    }
}

/// Strongly connected components, numbered so that what leads elsewhere leads to a lower number.
pub(super) struct Components {
    /// By node.
    pub(super) of: Vec<u32>,
    pub(super) count: usize,
}

impl Components {
    /// Tarjan's algorithm, with a stack of its own; `successors` adds those of a node to a list.
    pub(super) fn new(nodes: usize, mut successors: impl FnMut(u32, &mut Vec<u32>)) -> Self {
        let mut found = Self { of: vec![NONE; nodes], count: 0 };
        let mut low = vec![0; nodes];
        let mut met = 0;
        let (mut path, mut open, mut pending) = (Vec::new(), Vec::new(), Vec::new());
        for root in 0..nodes as u32 {
            if low[root as usize] != 0 {
                continue;
            }
            pending.push(root);
            path.push((NONE, 0, 0));
            while let Some(&(node, order, from)) = path.last() {
                if pending.len() > from {
                    let next = pending.pop().expect("there are some");
                    if low[next as usize] == 0 {
                        met += 1;
                        low[next as usize] = met;
                        open.push(next);
                        path.push((next, met, pending.len()));
                        successors(next, &mut pending);
                    } else if found.of[next as usize] == NONE && node != NONE {
                        low[node as usize] = low[node as usize].min(low[next as usize]);
                    }
                    continue;
                }
                path.pop();
                if node == NONE {
                    break;
                }
                if low[node as usize] == order {
                    while let Some(member) = open.pop() {
                        found.of[member as usize] = found.count as u32;
                        if member == node {
                            break;
                        }
                    }
                    found.count += 1;
                }
                if let Some(&(parent, ..)) = path.last()
                    && parent != NONE
                    && found.of[node as usize] == NONE
                {
                    low[parent as usize] = low[parent as usize].min(low[node as usize]);
                }
            }
        }
        found
    }

    /// By component, its nodes.
    pub(super) fn members(&self) -> Vec<Vec<u32>> {
        let mut members = vec![Vec::new(); self.count];
        for (node, &component) in self.of.iter().enumerate() {
            members[component as usize].push(node as u32);
        }
        members
    }
}
