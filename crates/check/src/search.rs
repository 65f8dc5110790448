//! Explicit-state search: reachable states, shortest counterexamples, livelocks.
//!
//! 1. [`bfs`](mod@bfs) explores level by level, with several workers. It finds the nearest states that violate safety
//!    or are deadlocked, and counts states and transitions. If all paths to a state have the same length and the same
//!    message passes by kind, the state space is *graded*: it has no cycle, since a cycle would make paths of different
//!    lengths, and the [`extremes`] of costs are known. Then the search is over. (Passes are compared by a hash of 20
//!    bits: that a space with a single pair of paths that differ passes for graded has a probability of 2⁻²⁰.)
//! 2. Otherwise [`scc_search`](mod@scc_search) explores all states again, depth first and sequentially, by Tarjan's
//!    algorithm \[Tarjan1972\]. It finds the most message passes, records the [`state_graph`], from which all extremes are
//!    computed, as long as there is memory for it, and [`liveness`] searches every strongly connected
//!    component for livelocks when it is complete. This takes the place of SPIN's nested depth-first search: fairness
//!    with many obligations needs components, not accepting states (the algorithm of Emerson and Lei 1987 for fair
//!    cycles).
//! 3. If there is a livelock, another breadth-first search finds a shortest prefix to it, and [`fair_cycle`] a cycle
//!    that discharges all obligations, segment by segment.
//!
//! With [`Reduction::PartialOrder`] the searches explore [ample sets](crate::untimed). That preserves safety, deadlocks, the
//! most message passes and the existence of a cycle, but neither fairness nor the length of counterexamples. So if
//! there is a cycle everything is explored without reduction. If a property is violated, a shortest counterexample is
//! searched for without reduction, no deeper than the one that was found; if a limit ends that search, the longer one
//! is kept. If no state has an ample set, as with clocks, nothing is repeated.
//!
//! Searches know states only as vectors and [`TransitionSystem`]s only through a pointer. Everything large is charged
//! to a [`MemoryBudget`], so that a search ends with an answer.

mod bfs;
mod bfs_state;
mod checkpoint;
mod extremes;
mod frontier;
mod graph_extremes;
mod linear_extremes;
mod liveness;
mod memory_budget;
mod recent_cache;
mod report_timer;
mod scc_search;
mod state_graph;
mod visited_set;

use std::ops::Range;

use ringleader_model::Promises;

use self::bfs::{BfsGoal, BfsResult, bfs};
use self::extremes::quantities;
use self::graph_extremes::{GraphExtremes, TransitionPath, WantedPath, graph_extremes};
use self::liveness::{LivelockStates, fair_cycle};
use self::memory_budget::MemoryBudget;
use self::scc_search::{SccQuery, scc_search};
use crate::answer::{Effort, MaxMessages, Progress, Property, SearchLimit};
use crate::checkpoint::SearchWatch;
#[cfg(test)]
use crate::checkpoint::WatchedSearch;
use crate::extremes::Extremes;
use crate::interner::Interned;
use crate::reductions::Reduction;
use crate::transition_system::{Successors, TimedCosts, TransitionSystem, fingerprint};

/// The result of a search.
pub(crate) struct SearchResult {
    pub(crate) progress: Progress,
    /// The number of quiescent states.
    pub(crate) quiescent: u64,
    pub(crate) most_messages: MaxMessages,
    pub(crate) extremes: Extremes,
    /// The run to the extremum that was asked for.
    pub(crate) extreme: Option<StatePath>,
    pub(crate) ran_out: Option<SearchLimit>,
    /// The properties on which the search was incomplete: they are violated or unknown.
    pub(crate) undecided: Vec<Property>,
    /// At most one for each property.
    pub(crate) violations: Vec<PropertyViolation>,
    /// The existential promises that some state fulfils.
    pub(crate) fulfilled: Promises,
}

/// A property that does not hold, with a shortest run that shows it: a path, or a lasso.
pub(crate) struct PropertyViolation {
    pub(crate) property: Property,
    /// The states of the run, from an initial state on. Empty if memory ran out before it was found.
    pub(crate) states: Vec<Vec<Interned>>,
    /// By state but for the last: the index of the transition to the next one.
    pub(crate) transitions: Vec<usize>,
    /// Of a lasso: where its cycle begins, which ends at the last state.
    pub(crate) cycle_start: Option<usize>,
    /// An infinite run violates it.
    pub(crate) livelock: bool,
}

/// The states of a path, from an initial state on, and the transitions between them.
pub(crate) type StatePath = (Vec<Vec<Interned>>, Vec<usize>);

/// The states of a path that is given by the index of its initial state and its transitions.
pub(crate) fn follow(system: &mut dyn TransitionSystem, (initial_state, transitions): TransitionPath) -> StatePath {
    let mut state = system.initial_states().swap_remove(initial_state);
    let mut fingerprint = fingerprint(&state);
    let mut states = vec![state.clone()];
    let mut successors = Successors::default();
    for &transition in &transitions {
        system.successors(&state, fingerprint, &mut successors);
        successors.apply(transition, &mut state);
        fingerprint = successors.transitions[transition].fingerprint;
        states.push(state.clone());
    }
    (states, transitions)
}

/// Explores a transition system, reduced if the effort says so and it is enough.
#[cfg(test)]
pub(crate) fn search(
    system: &mut dyn TransitionSystem,
    effort: &Effort,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> SearchResult {
    search_for(system, effort, None, &mut WatchedSearch::new(watch))
}

/// The same, and finds the run to an extremum if one is wanted.
pub(crate) fn search_for(
    system: &mut dyn TransitionSystem,
    effort: &Effort,
    wanted: WantedPath,
    watch: &mut dyn SearchWatch,
) -> SearchResult {
    let memory = MemoryBudget::new(effort.bytes);
    if !effort.reductions.contains(Reduction::PartialOrder) {
        return explore(system, effort, (false, wanted), &memory, watch).found;
    }
    let mut reduced = explore(system, effort, (true, wanted), &memory, watch);
    if !reduced.reduced {
        return reduced.found;
    }
    if reduced.cyclic {
        // Fairness is not preserved: a fair cycle may be in what was not explored.
        let full = explore(system, effort, (false, wanted), &memory, watch).found;
        return if full.ran_out.is_some() { reduced.found.combined_with_incomplete(full) } else { full };
    }
    // Nor is the length of a shortest counterexample.
    let lengths = reduced.found.violations.iter().map(|violation| violation.transitions.len() as u64);
    if let Some(deepest) = lengths.max() {
        let goal = BfsGoal { reduce: false, deepest, targets: None, first_violation: false };
        let reached = bfs(system, effort, &goal, &memory, watch);
        for shorter in reached.violations(system) {
            reduced.found.violations.retain(|violation| violation.property != shorter.property);
            reduced.found.violations.push(shorter);
        }
        reduced.found.progress.bytes = memory.peak();
    }
    reduced.found
}

impl SearchResult {
    /// Combines a complete search of the reduced state space with an incomplete one of the full state space.
    fn combined_with_incomplete(self, full: Self) -> Self {
        let mut violations = full.violations;
        for reduced in self.violations {
            if violations.iter().all(|violation| violation.property != reduced.property) {
                violations.push(reduced);
            }
        }
        let fulfilled = self.fulfilled.union(full.fulfilled);
        Self { undecided: vec![Property::Termination], quiescent: self.quiescent, violations, fulfilled, ..full }
    }
}

/// The transitions to explore under partial-order reduction: an ample set, or all. An ample set must contain a
/// transition that is not optional: the proof for deadlocks takes a run to a quiescent state, and such a run need not
/// contain an optional transition.
fn ample(successors: &Successors) -> Range<usize> {
    let range = successors.ample.clone();
    let mandatory = successors.transitions[range.clone()].iter().any(|transition| !transition.optional);
    if mandatory && !range.is_empty() { range } else { 0..successors.transitions.len() }
}

/// The result of one exploration.
struct Exploration {
    found: SearchResult,
    /// The reduced state space has a cycle: the full one must be explored.
    cyclic: bool,
    /// Some state had an ample set. If none had, the full state space was explored.
    reduced: bool,
}

fn explore(
    system: &mut dyn TransitionSystem,
    effort: &Effort,
    (reduce, wanted): (bool, WantedPath),
    memory: &MemoryBudget,
    watch: &mut dyn SearchWatch,
) -> Exploration {
    let goal = BfsGoal { reduce, deepest: u64::MAX, targets: None, first_violation: false };
    let reached = bfs(system, effort, &goal, memory, watch);
    let violations = reached.violations(system);
    let BfsResult { mut visited, tree, progress, quiescent, ran_out, deadlock, reduced, fulfilled, .. } = reached;
    memory.give(tree.bytes());
    drop(tree);
    let undecided = if ran_out.is_some() { system.properties() } else { Vec::new() };
    let costs = system.linear_costs();
    let (most_messages, extremes) = (MaxMessages::Unknown, Extremes::unknown(quantities(&costs, system)));
    let mut found = SearchResult {
        extremes,
        extreme: None,
        progress,
        quiescent,
        most_messages,
        ran_out,
        undecided,
        violations,
        fulfilled,
    };
    let mut cyclic = false;
    if reached.graded && ran_out.is_none() {
        found.extremes = reached.ends.extremes(&costs, system);
        found.most_messages = found.extremes.most_messages();
    }
    let needs_graph = wanted.is_some() || system.timed_costs() != TimedCosts::default();
    if (!reached.graded || needs_graph) && ran_out.is_none() {
        let growth = system.phases().is_some_and(|highest| !highest.remembered);
        let query = SccQuery { reduce: reduced, livelocks: deadlock.is_none() && !reached.leveled, growth };
        match scc_search(system, &mut visited, query, (effort, memory), (progress, &mut *watch)) {
            Ok(result) => {
                drop(visited);
                cyclic = reduced && result.cyclic;
                found.most_messages = result.most;
                if let Some(graph) = result.graph {
                    let GraphExtremes { extremes, path } = graph_extremes(&graph, &costs, system, wanted);
                    found.extremes = extremes;
                    found.extreme = path.map(|path| follow(system, path));
                }
                if !result.livelocks.is_empty() {
                    found.violations.push(fair_lasso(system, effort, &result.livelocks, memory, watch));
                }
            }
            // There is no cycle: only the extremes are unknown.
            Err(_) if reached.leveled => {}
            Err(reason) => {
                watch.stop_checkpoints();
                found.ran_out = Some(reason);
                found.undecided = vec![Property::Termination];
            }
        }
    }
    // After a violating state nothing was explored.
    if found.violations.iter().any(|violation| violation.property.cuts_off()) {
        found.extremes.up_to_violation();
        if let MaxMessages::Exactly(most) = found.most_messages {
            found.most_messages = MaxMessages::UpToViolation(most);
        }
    }
    memory.keep(0);
    found.progress.bytes = memory.peak();
    found.progress.violated = !found.violations.is_empty();
    Exploration { found, cyclic, reduced }
}

/// Searches for the nearest states that violate a property of states, and says which limit has stopped the search.
pub(crate) fn search_states(
    system: &mut dyn TransitionSystem,
    effort: &Effort,
    watch: &mut dyn SearchWatch,
) -> (Vec<PropertyViolation>, Option<SearchLimit>) {
    let memory = MemoryBudget::new(effort.bytes);
    let reduce = effort.reductions.contains(Reduction::PartialOrder);
    let goal = BfsGoal { reduce, deepest: u64::MAX, targets: None, first_violation: false };
    let reached = bfs(system, effort, &goal, &memory, watch);
    let (mut violations, reduced, ran_out) = (reached.violations(system), reached.reduced, reached.ran_out);
    drop(reached);
    memory.keep(0);
    // The length of a shortest counterexample is not preserved.
    if reduced && let Some(deepest) = violations.iter().map(|violation| violation.transitions.len() as u64).max() {
        let goal = BfsGoal { reduce: false, deepest, ..goal };
        for shorter in bfs(system, effort, &goal, &memory, watch).violations(system) {
            violations.retain(|violation| violation.property != shorter.property);
            violations.push(shorter);
        }
    }
    violations.retain(|violation| violation.property != Property::Termination);
    (violations, ran_out)
}

/// Searches the product of a transition system and the automaton of a negated formula for a run that violates the formula.
/// `is_invariant`: a state violates it. The violations are of the formula, and none was found if the search is complete.
pub(crate) fn search_formula(
    system: &mut dyn TransitionSystem,
    is_invariant: bool,
    effort: &Effort,
    watch: &mut dyn SearchWatch,
) -> (Option<PropertyViolation>, Option<SearchLimit>) {
    let memory = MemoryBudget::new(effort.bytes);
    let reduce = is_invariant && effort.reductions.contains(Reduction::PartialOrder);
    let goal = BfsGoal { reduce, deepest: u64::MAX, targets: None, first_violation: true };
    let reached = bfs(system, effort, &goal, &memory, watch);
    if let Some(violation) = reached.violations(system).pop() {
        let goal = BfsGoal { reduce: false, deepest: violation.transitions.len() as u64, ..goal };
        let again = reached.reduced.then(|| bfs(system, effort, &goal, &memory, watch));
        return (again.and_then(|again| again.violations(system).pop()).or(Some(violation)), None);
    }
    let BfsResult { mut visited, tree, progress, leveled, ran_out, .. } = reached;
    memory.give(tree.bytes());
    drop(tree);
    if is_invariant || ran_out.is_some() || leveled {
        return (None, ran_out);
    }
    let query = SccQuery { reduce: false, livelocks: true, growth: false };
    match scc_search(system, &mut visited, query, (effort, &memory), (progress, &mut *watch)) {
        Ok(result) if result.livelocks.is_empty() => (None, None),
        Ok(result) => {
            drop(visited);
            (Some(fair_lasso(system, effort, &result.livelocks, &memory, watch)), None)
        }
        Err(reason) => {
            watch.stop_checkpoints();
            (None, Some(reason))
        }
    }
}

/// A shortest prefix to a state of a livelock, and a fair cycle from there.
fn fair_lasso(
    system: &mut dyn TransitionSystem,
    effort: &Effort,
    livelocks: &LivelockStates,
    memory: &MemoryBudget,
    watch: &mut dyn SearchWatch,
) -> PropertyViolation {
    memory.keep(livelocks.bytes());
    let goal = BfsGoal { reduce: false, deepest: u64::MAX, targets: Some(livelocks), first_violation: false };
    let reached = bfs(system, effort, &goal, memory, watch);
    let prefix = reached.target.map(|position| reached.path(system, position));
    drop(reached);
    memory.keep(livelocks.bytes());
    let lasso = prefix.and_then(|(mut states, mut transitions)| {
        let cycle = fair_cycle(system, states.last()?, livelocks, memory)?;
        let cycle_start = states.len() - 1;
        states.extend(cycle.states);
        transitions.extend(cycle.transitions);
        Some((states, transitions, cycle_start))
    });
    let cycle_start = lasso.as_ref().map(|&(_, _, cycle_start)| cycle_start);
    let (states, transitions, _) = lasso.unwrap_or_default();
    PropertyViolation { property: Property::Termination, states, transitions, cycle_start, livelock: true }
}

#[cfg(test)]
mod checkpoint_tests;
#[cfg(test)]
mod extremes_tests;
#[cfg(test)]
pub(crate) mod random_tests;
#[cfg(test)]
pub(crate) mod tests;
