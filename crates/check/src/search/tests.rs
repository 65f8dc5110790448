//! Searches of small explicit graphs.

use super::*;
use crate::choices::ChoiceProbability;
use crate::reductions::Reductions;
use crate::transition_system::{MonitorStatus, Monitored, Successors, fingerprint};

/// An action: its outcomes, each with its target, message passes and discharged obligations.
#[derive(Clone, Debug)]
pub(crate) struct TestAction {
    pub(crate) optional: bool,
    pub(crate) outcomes: Vec<(u32, u32, Vec<u32>)>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct GraphNode {
    pub(crate) violated: bool,
    pub(crate) waiting: bool,
    pub(crate) pending: Vec<u32>,
    pub(crate) actions: Vec<TestAction>,
    /// The actions of an ample set.
    pub(crate) ample: Range<usize>,
}

/// An explicit transition system: a state is the number of a node, and a constant.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub(crate) initial_states: Vec<u32>,
    pub(crate) nodes: Vec<GraphNode>,
}

impl TransitionSystem for Graph {
    fn fork(&self) -> Box<dyn TransitionSystem> {
        Box::new(self.clone())
    }

    fn initial_states(&self) -> Vec<Vec<u32>> {
        self.initial_states.iter().map(|&node| vec![7, node]).collect()
    }

    fn successors(&mut self, state: &[u32], own: u64, successors: &mut Successors) {
        assert_eq!(own, fingerprint(state));
        successors.clear();
        let node = &self.nodes[state[1] as usize];
        for (number, action) in node.actions.iter().enumerate() {
            if number == node.ample.start {
                successors.ample.start = successors.transitions.len();
            }
            for (to, sent, discharges) in &action.outcomes {
                successors.write(1, *to);
                discharges.iter().for_each(|&pending| successors.discharge(pending));
                successors.finish(
                    state,
                    own,
                    (number as u32, ChoiceProbability::one_of(action.outcomes.len() as u32)),
                    *sent,
                    action.optional,
                );
            }
            if number + 1 == node.ample.end {
                successors.ample.end = successors.transitions.len();
            }
        }
        if node.ample.is_empty() {
            successors.ample = 0..0;
        }
    }

    fn pending(&mut self, state: &[u32], pending: &mut Vec<u32>) {
        pending.clone_from(&self.nodes[state[1] as usize].pending);
    }
}

impl Monitored for Graph {
    fn monitor_status(&mut self, state: &[u32]) -> MonitorStatus {
        let GraphNode { violated, waiting, .. } = self.nodes[state[1] as usize];
        MonitorStatus { violated, cut_off: violated, waiting, fulfilled: Promises::default() }
    }

    fn diagnosis(&mut self, state: &[u32]) -> String {
        format!("{}", state[1])
    }
}

/// An action that must happen.
fn step(to: u32) -> TestAction {
    sending(to, 0)
}

/// An action with message passes.
fn sending(to: u32, sent: u32) -> TestAction {
    TestAction { optional: false, outcomes: vec![(to, sent, Vec::new())] }
}

/// An action that discharges an obligation.
fn discharging(to: u32, discharges: u32) -> TestAction {
    TestAction { optional: false, outcomes: vec![(to, 0, vec![discharges])] }
}

/// An action that need not happen.
fn optional(to: u32) -> TestAction {
    TestAction { optional: true, ..step(to) }
}

/// A random choice.
fn coin(to: &[u32]) -> TestAction {
    TestAction { optional: false, outcomes: to.iter().map(|&to| (to, 0, Vec::new())).collect() }
}

fn node(actions: &[TestAction]) -> GraphNode {
    GraphNode { actions: actions.to_vec(), ..GraphNode::default() }
}

/// A request is outstanding.
fn waiting(actions: &[TestAction]) -> GraphNode {
    GraphNode { waiting: true, ..node(actions) }
}

/// A request is outstanding, and these obligations are pending.
fn pending_at(pending: &[u32], actions: &[TestAction]) -> GraphNode {
    GraphNode { pending: pending.to_vec(), ..waiting(actions) }
}

fn violated() -> GraphNode {
    GraphNode { violated: true, ..GraphNode::default() }
}

fn graph(nodes: &[GraphNode]) -> Graph {
    Graph { initial_states: vec![0], nodes: nodes.to_vec() }
}

pub(crate) fn effort(threads: usize, reduce: bool) -> Effort {
    Effort {
        states: 1 << 20,
        bytes: 1 << 30,
        threads,
        reductions: if reduce { Reductions::ALL } else { Reductions::NONE },
    }
}

fn found(graph: &Graph) -> SearchResult {
    search(&mut graph.clone(), &effort(1, false), &mut |_| true)
}

/// The nodes of a counterexample, and where its cycle begins.
fn violation(found: &SearchResult, property: Property) -> Option<(Vec<u32>, Option<usize>)> {
    let violation = found.violations.iter().find(|violation| violation.property == property)?;
    Some((violation.states.iter().map(|state| state[1]).collect(), violation.cycle_start))
}

#[test]
fn a_diamond_has_four_states_and_its_longer_side_counts() {
    let found = found(&graph(&[
        node(&[sending(1, 2), sending(2, 1)]),
        node(&[sending(3, 1)]),
        node(&[sending(3, 4)]),
        node(&[]),
    ]));
    let Progress { states, transitions, depth, .. } = found.progress;
    assert_eq!((states, transitions, depth, found.quiescent), (4, 4, 2, 1));
    assert_eq!((found.most_messages, found.ran_out, found.violations.len()), (MaxMessages::Exactly(5), None, 0));
}

#[test]
fn the_longest_run_is_found_where_the_state_space_is_not_graded() {
    let found = found(&graph(&[
        node(&[sending(3, 3), sending(1, 1)]),
        node(&[sending(2, 1)]),
        node(&[sending(3, 2)]),
        node(&[sending(4, 10)]),
        node(&[]),
    ]));
    assert_eq!((found.progress.depth, found.most_messages), (2, MaxMessages::Exactly(14)));
}

#[test]
fn the_nearest_violation_is_shown_and_not_expanded() {
    let mut finish = violated();
    finish.actions = vec![step(5)];
    let found = found(&graph(&[
        node(&[step(1), step(2)]),
        node(&[step(3)]),
        node(&[step(1), step(4)]),
        node(&[step(4)]),
        finish,
        node(&[]),
    ]));
    assert_eq!(violation(&found, Property::Safety), Some((vec![0, 2, 4], None)));
    assert_eq!((found.progress.states, found.undecided.len()), (5, 0));
    assert!(found.progress.violated);
}

#[test]
fn a_quiescent_state_is_a_deadlock_only_with_an_outstanding_request_and_not_at_first() {
    assert!(found(&graph(&[waiting(&[])])).violations.is_empty());
    assert!(found(&graph(&[waiting(&[optional(1)]), node(&[])])).violations.is_empty());
    let deadlock = found(&graph(&[waiting(&[optional(1)]), waiting(&[optional(2)]), node(&[])]));
    assert_eq!(violation(&deadlock, Property::Termination), Some((vec![0, 1], None)));
    assert_eq!(deadlock.quiescent, 2);
}

#[test]
fn a_cycle_without_an_outstanding_request_is_no_livelock() {
    let cycle = found(&graph(&[node(&[step(1)]), node(&[step(2)]), node(&[step(1)])]));
    assert!(cycle.violations.is_empty() && cycle.undecided.is_empty());
    assert_eq!(cycle.most_messages, MaxMessages::Exactly(0));
    let sends = found(&graph(&[node(&[sending(1, 1)]), node(&[step(2)]), node(&[sending(1, 1)])]));
    assert_eq!(sends.most_messages, MaxMessages::Unbounded);
}

#[test]
fn message_passes_before_and_after_a_cycle_without_any_are_counted() {
    let found = found(&graph(&[
        node(&[sending(1, 3)]),
        node(&[step(2)]),
        node(&[step(1), sending(3, 4)]),
        node(&[sending(4, 5)]),
        node(&[]),
    ]));
    assert_eq!(found.most_messages, MaxMessages::Exactly(12));
}

#[test]
fn a_self_loop_is_a_cycle() {
    let found = found(&graph(&[node(&[step(1)]), waiting(&[step(1)])]));
    assert_eq!(violation(&found, Property::Termination), Some((vec![0, 1, 1], Some(1))));
}

#[test]
fn a_cycle_that_starves_an_obligation_is_not_fair() {
    // 5 is pending in both, and discharged only by leaving the cycle.
    let unfair =
        [node(&[step(1)]), pending_at(&[5], &[step(2)]), pending_at(&[5], &[step(1), discharging(3, 5)]), node(&[])];
    assert!(found(&graph(&unfair)).violations.is_empty());
    // An obligation that is not pending in all states need not be discharged.
    let mut fair = unfair.clone();
    fair[2].pending.clear();
    assert_eq!(violation(&found(&graph(&fair)), Property::Termination), Some((vec![0, 1, 2, 1], Some(1))));
    // Or the cycle discharges it.
    let mut fair = unfair;
    fair[1].actions.push(discharging(2, 5));
    assert_eq!(violation(&found(&graph(&fair)), Property::Termination), Some((vec![0, 1, 2, 1], Some(1))));
}

#[test]
fn a_fair_cycle_discharges_every_obligation() {
    // From 1: 5 is discharged from 2 only, 6 is not pending in 3 only, and a request is outstanding in 4 only.
    let mut nodes = vec![
        node(&[step(1)]),
        node(&[step(2), step(3), step(4)]),
        node(&[discharging(1, 5)]),
        node(&[step(1)]),
        node(&[step(1)]),
    ];
    for (member, pending) in [(1, vec![5, 6]), (2, vec![5, 6]), (3, vec![5]), (4, vec![5, 6])] {
        nodes[member].pending = pending;
    }
    nodes[4].waiting = true;
    let (states, from) = violation(&found(&graph(&nodes)), Property::Termination).expect("there is a livelock");
    assert_eq!((from, &states[..2], states.last()), (Some(1), &[0, 1][..], Some(&1)));
    assert!([2, 3, 4].iter().all(|node| states.contains(node)), "{states:?}");
}

#[test]
fn a_cycle_that_a_random_choice_may_leave_is_left_with_probability_1() {
    let stops = [node(&[step(1)]), waiting(&[coin(&[1, 2])]), node(&[])];
    assert!(found(&graph(&stops)).violations.is_empty());
    // A scheduler that need not toss the coin has a livelock.
    let chosen = [node(&[step(1)]), waiting(&[coin(&[1, 2]), step(1)]), node(&[])];
    assert_eq!(violation(&found(&graph(&chosen)), Property::Termination), Some((vec![0, 1, 1], Some(1))));
    // So has one where all outcomes lead back.
    let back = [node(&[step(1)]), waiting(&[coin(&[1, 2])]), node(&[step(1)])];
    assert_eq!(violation(&found(&graph(&back)), Property::Termination), Some((vec![0, 1, 1], Some(1))));
}

#[test]
fn an_end_component_inside_a_strongly_connected_component_is_found() {
    // 1 to 4 are strongly connected; the coin of 2 may leave, so that only 3 and 4 are an end component.
    let mut nodes = vec![
        node(&[step(1)]),
        waiting(&[step(2)]),
        node(&[coin(&[3, 5])]),
        node(&[step(4)]),
        node(&[step(3), step(1)]),
        node(&[]),
    ];
    assert!(found(&graph(&nodes)).violations.is_empty());
    nodes[4].waiting = true;
    assert_eq!(violation(&found(&graph(&nodes)), Property::Termination), Some((vec![0, 1, 2, 3, 4, 3], Some(3))));
}

#[test]
fn every_initial_state_is_explored_and_equal_ones_once() {
    let nodes = [node(&[step(2)]), node(&[step(3)]), node(&[]), violated()];
    let found = found(&Graph { initial_states: vec![0, 1, 0], nodes: nodes.to_vec() });
    assert_eq!((found.progress.states, found.progress.depth), (4, 1));
    assert_eq!(violation(&found, Property::Safety), Some((vec![1, 3], None)));
}

/// A lattice, with levels of many blocks if it is wide.
fn lattice(side: u32) -> Graph {
    let at = |x: u32, y: u32| x * side + y;
    let node_at = |index: u32| {
        let (x, y) = (index / side, index % side);
        let right = (x + 1 < side).then(|| sending(at(x + 1, y), 1));
        let up = (y + 1 < side).then(|| sending(at(x, y + 1), 1));
        node(&right.into_iter().chain(up).collect::<Vec<_>>())
    };
    Graph { initial_states: vec![0], nodes: (0..side * side).map(node_at).collect() }
}

#[test]
fn a_search_stops_at_its_limits() {
    let mut system = lattice(300);
    let few = Effort { states: 10_000, ..effort(1, false) };
    let found = search(&mut system, &few, &mut |_| true);
    assert_eq!((found.ran_out, found.most_messages), (Some(SearchLimit::States), MaxMessages::Unknown));
    assert!((10_001..10_100).contains(&found.progress.states), "{:?}", found.progress);
    assert_eq!(found.undecided, Property::ALL);

    let exactly = Effort { states: 90_000, ..effort(1, false) };
    let found = search(&mut system, &exactly, &mut |_| true);
    assert_eq!((found.ran_out, found.most_messages), (None, MaxMessages::Exactly(598)));
    let needed = found.progress.bytes;

    let bytes = needed / 2;
    for threads in 1..=3 {
        let found = search(&mut system, &Effort { bytes, ..effort(threads, false) }, &mut |_| true);
        assert_eq!(found.ran_out, Some(SearchLimit::Memory), "{threads}");
        assert!(found.progress.bytes <= bytes && found.progress.states > 20_000, "{:?}", found.progress);
    }
    let found = search(&mut system, &Effort { bytes: 100, ..effort(1, false) }, &mut |_| true);
    assert_eq!((found.ran_out, found.progress.bytes), (Some(SearchLimit::Memory), 0));
}

#[test]
fn safety_holds_where_memory_runs_out_in_the_second_search() {
    let count = 100_000;
    let mut system = graph(&(0..count).map(|from| waiting(&[step((from + 1) % count)])).collect::<Vec<_>>());
    // The visited set fits; a path of all states does not.
    let found = search(&mut system, &Effort { bytes: 9 << 20, ..effort(1, false) }, &mut |_| true);
    assert_eq!((found.ran_out, found.most_messages), (Some(SearchLimit::Memory), MaxMessages::Unknown));
    assert_eq!((found.undecided, found.progress.states), (vec![Property::Termination], u64::from(count)));
    assert!(found.progress.bytes <= 9 << 20);
    let found = search(&mut system, &effort(1, false), &mut |_| true);
    let (states, from) = violation(&found, Property::Termination).expect("there is a livelock");
    assert_eq!((from, states.len()), (Some(0), count as usize + 1));
}

#[test]
fn a_search_is_interrupted_by_its_callback() {
    // An infinite state space.
    #[derive(Clone)]
    struct Endless;
    impl TransitionSystem for Endless {
        fn fork(&self) -> Box<dyn TransitionSystem> {
            Box::new(Self)
        }
        fn initial_states(&self) -> Vec<Vec<u32>> {
            vec![vec![0, 0]]
        }
        fn successors(&mut self, state: &[u32], own: u64, successors: &mut Successors) {
            successors.clear();
            for at in 0..2 {
                successors.write(at, state[at as usize] + 1);
                successors.finish(state, own, (at, ChoiceProbability::CERTAIN), 0, false);
            }
        }
        fn pending(&mut self, _: &[u32], pending: &mut Vec<u32>) {
            pending.clear();
        }
    }
    impl Monitored for Endless {
        fn monitor_status(&mut self, _: &[u32]) -> MonitorStatus {
            MonitorStatus { violated: false, cut_off: false, waiting: false, fulfilled: Promises::default() }
        }
        fn diagnosis(&mut self, _: &[u32]) -> String {
            String::new()
        }
    }
    let mut reported = Vec::new();
    let effort = Effort { states: u64::MAX, ..effort(2, false) };
    let found = search(&mut Endless, &effort, &mut |progress| {
        reported.push(*progress);
        reported.len() < 3
    });
    assert_eq!((found.ran_out, reported.len()), (Some(SearchLimit::Interrupted), 3));
    assert!(
        reported.windows(2).all(|pair| pair[0].states < pair[1].states && pair[0].depth < pair[1].depth),
        "{reported:?}"
    );
    assert!(reported.iter().all(|progress| progress.frontier > 0 && progress.bytes > 0));
}

#[test]
fn values_of_any_size_are_stored() {
    let mut nodes: Vec<GraphNode> = (1..=70_000).map(|to| node(&[step(to)])).collect();
    nodes.push(violated());
    let found = found(&graph(&nodes));
    let (states, _) = violation(&found, Property::Safety).expect("it is reached");
    assert!(states.into_iter().eq(0..=70_000));
    assert_eq!((found.progress.depth, found.progress.states), (70_000, 70_001));
    assert_eq!(found.most_messages, MaxMessages::UpToViolation(0));
}
