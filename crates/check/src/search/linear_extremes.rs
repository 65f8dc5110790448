//! Extremes of all costs of messages at once, where no cycle sends a message: several costs are relaxed together along
//! every edge, in topological order.
//!
//! All states of a component are reached at the same cost then, so that a component is like one state and no queue is
//! needed.

use super::graph_extremes::{Components, FAR};
use super::state_graph::RecordedGraph;
use crate::extremes::{CostRange, ExtremeEnd, Extremum};
use crate::passes::{LinearCost, Passes};

/// The number of costs that are relaxed together: least and greatest values.
const COSTS: usize = 3;

/// The least values, and the greatest ones negated.
type CostVector = [i64; 2 * COSTS];

/// The ranges of costs; `None` if a message is sent on a cycle.
pub(super) fn linear_extremes(
    graph: &RecordedGraph,
    order: &Components,
    costs: &[LinearCost],
) -> Option<Vec<CostRange>> {
    let inside = |state: usize, edge: usize| order.of[state] == order.of[graph.targets[edge] as usize];
    let silent = |edge: usize| graph.passes[graph.weights[edge] as usize] == Passes::NONE;
    let sends_inside = |state: usize| graph.edges(state).any(|edge| inside(state, edge) && !silent(edge));
    if (0..graph.states.len()).any(sends_inside) {
        return None;
    }
    Some(costs.chunks(COSTS).flat_map(|costs| ranges(graph, order, costs)).collect())
}

/// The ranges of a few costs.
fn ranges(graph: &RecordedGraph, order: &Components, costs: &[LinearCost]) -> Vec<CostRange> {
    let weights: Vec<CostVector> = graph.passes.iter().map(|&passes| vector(costs, passes)).collect();
    let mut best: Vec<CostVector> = vec![[FAR; 2 * COSTS]; graph.states.len()];
    graph.initial.iter().for_each(|&state| best[state as usize] = CostVector::default());
    let (mut complete, mut all) = ([FAR; 2 * COSTS], [FAR; 2 * COSTS]);
    for members in order.iter() {
        let mut least = [FAR; 2 * COSTS];
        members.iter().for_each(|&state| lower(&mut least, &best[state as usize]));
        lower(&mut all, &least);
        for &state in members {
            if graph.states[state as usize].complete {
                lower(&mut complete, &least);
            }
            for edge in graph.edges(state as usize) {
                let weight = &weights[graph.weights[edge] as usize];
                let mut next = least;
                next.iter_mut().zip(weight).for_each(|(next, weight)| *next += weight);
                lower(&mut best[graph.targets[edge] as usize], &next);
            }
        }
    }
    let range = |(index, cost): (usize, &LinearCost)| {
        let [least, greatest] = ExtremeEnd::ALL.map(|end| {
            let any = end == ExtremeEnd::Greatest && cost.grows();
            let found = if any { &all } else { &complete }[2 * index + usize::from(end == ExtremeEnd::Greatest)];
            if found == FAR { Extremum::NoRun } else { Extremum::Exactly(end.sign() * found) }
        });
        CostRange { quantity: cost.quantity, least, greatest }
    };
    costs.iter().enumerate().map(range).collect()
}

/// The weights of an edge.
fn vector(costs: &[LinearCost], passes: Passes) -> CostVector {
    let mut vector = CostVector::default();
    for (pair, cost) in vector.chunks_exact_mut(2).zip(costs) {
        let cost = cost.of(passes);
        pair.copy_from_slice(&ExtremeEnd::ALL.map(|end| end.sign() * cost));
    }
    vector
}

/// Replaces each number by a lesser one.
#[inline]
fn lower(numbers: &mut CostVector, others: &CostVector) {
    numbers.iter_mut().zip(others).for_each(|(number, other)| *number = (*number).min(*other));
}
