//! Maximal end components \[DeAlfaro1997\]: the sets of states in which a scheduler can stay forever, whatever the
//! random choices are.
//!
//! An end component is a set of states, each with a non-empty set of its actions, which is closed under every outcome
//! of those actions and strongly connected by them. But for probability 0, an infinite run of a Markov decision process
//! stays in one from some point on. Where nothing is random, the end components are the sub-graphs of the strongly
//! connected components with a cycle.

use core::ops::Range;

use super::{NO_COMPONENT, Sccs};

/// A graph in which an edge has several targets: the scheduler chooses an action, a random choice one of its targets.
pub(crate) trait ActionGraph {
    /// The number of vertices.
    fn vertices(&self) -> usize;

    /// The actions of a vertex. Numbers of actions ascend with their vertices, without gaps.
    fn actions(&self, vertex: usize) -> Range<usize>;

    /// The targets of an action; `None` where it leaves the graph.
    fn targets(&self, action: usize) -> impl Iterator<Item = Option<u32>>;
}

/// The maximal end components of a graph.
pub(crate) struct EndComponents {
    /// By vertex: the component that it is in; [`NO_COMPONENT`] if in none.
    pub(crate) of: Vec<u32>,
    /// By action: whether its component is closed under it.
    pub(crate) inside: Vec<bool>,
    pub(crate) count: usize,
}

impl EndComponents {
    /// The maximal end components of the sub-graph of allowed actions. An action with a target outside the strongly
    /// connected component of its vertex belongs to no end component; without it components may fall apart; and so on
    /// until no such action is left.
    pub(crate) fn maximal(graph: &impl ActionGraph, allowed: impl Fn(usize, usize) -> bool) -> Self {
        let vertices = graph.vertices();
        let actions = (0..vertices).flat_map(|vertex| graph.actions(vertex).map(move |action| (vertex, action)));
        let mut inside: Vec<bool> = actions.map(|(vertex, action)| allowed(vertex, action)).collect();
        loop {
            let sccs = Sccs::new(vertices, |vertex, found| {
                for action in graph.actions(vertex as usize).filter(|&action| inside[action]) {
                    found.extend(graph.targets(action).flatten());
                }
            });
            let mut changed = false;
            for vertex in 0..vertices {
                let stays = |to: Option<u32>| to.is_some_and(|to| sccs.of[to as usize] == sccs.of[vertex]);
                for action in graph.actions(vertex) {
                    if inside[action] && !graph.targets(action).all(stays) {
                        inside[action] = false;
                        changed = true;
                    }
                }
            }
            if !changed {
                return Self::numbered(graph, &sccs, inside);
            }
        }
    }

    /// Components in the order of their first vertices; a vertex without an action inside is in none.
    fn numbered(graph: &impl ActionGraph, sccs: &Sccs, inside: Vec<bool>) -> Self {
        let mut numbers = vec![NO_COMPONENT; sccs.count];
        let mut count = 0;
        let mut of = vec![NO_COMPONENT; graph.vertices()];
        for (vertex, component) in of.iter_mut().enumerate() {
            if graph.actions(vertex).any(|action| inside[action]) {
                let number = &mut numbers[sccs.of[vertex] as usize];
                if *number == NO_COMPONENT {
                    *number = count;
                    count += 1;
                }
                *component = *number;
            }
        }
        Self { of, inside, count: count as usize }
    }

    /// By component, its vertices.
    pub(crate) fn members(&self) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); self.count];
        for (vertex, &component) in self.of.iter().enumerate().filter(|(_, component)| **component != NO_COMPONENT) {
            members[component as usize].push(vertex);
        }
        members
    }

    /// Bytes that finding the components of a graph of this size takes, at most.
    pub(crate) fn search_bytes(vertices: usize, actions: usize, edges: usize) -> usize {
        2 * vertices * size_of::<u32>() + actions * size_of::<bool>() + Sccs::search_bytes(vertices, edges)
    }
}
