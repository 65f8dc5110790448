//! Random transition systems: searched, and compared with brute force over all sets of states.

use ringleader_model::{Promises, mix};

use super::tests::{Graph, GraphNode, TestAction, effort};
use super::*;
use crate::choices::ChoiceProbability;
use crate::transition_system::{MonitorStatus, Monitored, Successors, fingerprint};

/// A random number generator.
pub(crate) struct TestRng(pub(crate) u64);

impl TestRng {
    pub(crate) fn roll(&mut self, sides: u32) -> u32 {
        self.0 += 1;
        (mix(self.0.wrapping_mul(0x9E37_79B9_7F4A_7C15)) >> 32) as u32 % sides
    }

    pub(crate) fn one_in(&mut self, sides: u32) -> bool {
        self.roll(sides) == 0
    }
}

pub(crate) fn random(rng: &mut TestRng) -> Graph {
    let count = 2 + rng.roll(6);
    // Some have only forward edges, so that not all have cycles.
    let forward = rng.one_in(3);
    let coins = rng.one_in(2);
    let node = |from: u32, rng: &mut TestRng| {
        let action = |rng: &mut TestRng| {
            let outcomes = if coins && rng.one_in(2) { 2 + rng.roll(2) } else { 1 };
            let outcome = |rng: &mut TestRng| {
                let to = if forward { (from + 1 + rng.roll(2)).min(count - 1) } else { rng.roll(count) };
                let discharges = (0..2).filter(|_| rng.one_in(3)).collect();
                (to, rng.roll(8) / 5, discharges)
            };
            TestAction { optional: rng.one_in(4), outcomes: (0..outcomes).map(|_| outcome(rng)).collect() }
        };
        let actions = if forward && from + 1 == count { 0 } else { rng.roll(4) };
        GraphNode {
            violated: rng.one_in(12),
            waiting: rng.one_in(2),
            pending: (0..2).filter(|_| rng.one_in(2)).collect(),
            actions: (0..actions).map(|_| action(rng)).collect(),
            ample: 0..0,
        }
    };
    let nodes = (0..count).map(|from| node(from, rng)).collect();
    Graph { initial_states: (0..=rng.roll(2)).map(|_| rng.roll(count)).collect(), nodes }
}

/// The result that a search must have.
#[derive(Debug, PartialEq)]
struct BruteForce {
    states: u64,
    transitions: u64,
    depth: u64,
    quiescent: u64,
    most: MaxMessages,
    /// The distance of the nearest safety violation, deadlock and livelock.
    violated: Option<u32>,
    deadlock: Option<u32>,
    livelock: Option<u32>,
}

/// By definition.
fn brute_force(graph: &Graph) -> BruteForce {
    let count = graph.nodes.len();
    let actions = |node: usize| if graph.nodes[node].violated { &[][..] } else { &graph.nodes[node].actions[..] };
    let outcomes = |node: usize| actions(node).iter().flat_map(|action| &action.outcomes);
    let mut steps = vec![None; count];
    graph.initial_states.iter().for_each(|&node| steps[node as usize] = Some(0));
    for far in 0..count as u32 {
        for node in (0..count).filter(|&node| steps[node] == Some(far)).collect::<Vec<_>>() {
            outcomes(node).for_each(|(to, ..)| steps[*to as usize] = steps[*to as usize].or(Some(far + 1)));
        }
    }
    let reached: Vec<usize> = (0..count).filter(|&node| steps[node].is_some()).collect();
    let nearest = |target: &dyn Fn(usize) -> bool| {
        reached.iter().filter(|&&node| target(node)).map(|&node| steps[node]).min().flatten()
    };
    let quiescent = |node: usize| {
        steps[node] != Some(0) && !graph.nodes[node].violated && actions(node).iter().all(|action| action.optional)
    };
    // The most message passes of runs of a length: with more steps than nodes a cycle is repeated.
    let most_of = |length: usize| {
        let mut most = vec![0u64; count];
        for _ in 0..length {
            most = (0..count)
                .map(|node| {
                    let on = outcomes(node).map(|(to, sent, _)| u64::from(*sent) + most[*to as usize]);
                    on.max().unwrap_or(0).max(most[node])
                })
                .collect();
        }
        reached.iter().map(|&node| most[node]).max().unwrap_or(0)
    };
    let (most, more) = (most_of(count), most_of(2 * count + 1));
    let livelock = (1u32..1 << count).filter(|&set| is_livelock(graph, set)).filter_map(|set| {
        reached.iter().filter(|&&node| set >> node & 1 == 1).map(|&node| steps[node]).min().flatten()
    });
    BruteForce {
        states: reached.len() as u64,
        transitions: reached.iter().map(|&node| outcomes(node).count() as u64).sum(),
        depth: reached.iter().filter_map(|&node| steps[node]).max().unwrap_or(0).into(),
        quiescent: reached.iter().filter(|&&node| quiescent(node)).count() as u64,
        most: match nearest(&|node| graph.nodes[node].violated) {
            _ if most < more => MaxMessages::Unbounded,
            Some(_) => MaxMessages::UpToViolation(most),
            None => MaxMessages::Exactly(most),
        },
        violated: nearest(&|node| graph.nodes[node].violated),
        deadlock: nearest(&|node| quiescent(node) && graph.nodes[node].waiting),
        livelock: livelock.min(),
    }
}

/// True if a set of nodes is a weakly fair end component with an outstanding request.
fn is_livelock(graph: &Graph, set: u32) -> bool {
    let is_in = |node: u32| set >> node & 1 == 1;
    let members: Vec<u32> = (0..graph.nodes.len() as u32).filter(|&node| is_in(node)).collect();
    let usable = |node: u32| {
        let node = &graph.nodes[node as usize];
        let actions = if node.violated { &[][..] } else { &node.actions[..] };
        actions
            .iter()
            .filter(|action| action.outcomes.iter().all(|(to, ..)| is_in(*to)))
            .flat_map(|action| &action.outcomes)
    };
    // Strongly connected, by at least one step.
    let connected = members.iter().all(|&from| {
        let mut reached = 0u32;
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            for (to, ..) in usable(node) {
                if reached >> to & 1 == 0 {
                    reached |= 1 << to;
                    open.push(*to);
                }
            }
        }
        reached == set
    });
    let fair = |pending: u32| {
        members.iter().any(|&node| {
            !graph.nodes[node as usize].pending.contains(&pending)
                || usable(node).any(|(_, _, discharges)| discharges.contains(&pending))
        })
    };
    connected && (0..2).all(fair) && members.iter().any(|&node| graph.nodes[node as usize].waiting)
}

/// Asserts that a counterexample is a run, and that its cycle is fair.
#[track_caller]
fn must_be_a_run(graph: &mut Graph, violation: &PropertyViolation) {
    assert!(graph.initial_states().contains(&violation.states[0]));
    assert_eq!(violation.transitions.len() + 1, violation.states.len());
    let mut successors = Successors::default();
    let (mut waits, mut starved) = (false, vec![0, 1]);
    for (step, (&transition, pair)) in violation.transitions.iter().zip(violation.states.windows(2)).enumerate() {
        let mut state = pair[0].clone();
        graph.successors(&pair[0], fingerprint(&pair[0]), &mut successors);
        successors.apply(transition, &mut state);
        assert_eq!(state, pair[1]);
        if violation.cycle_start.is_some_and(|from| from <= step) {
            let node = &graph.nodes[pair[0][1] as usize];
            waits |= node.waiting;
            starved.retain(|pending| {
                node.pending.contains(pending) && !successors.discharged(transition).contains(pending)
            });
        }
    }
    if let Some(from) = violation.cycle_start {
        assert!(violation.states.len() > from + 1 && violation.states.last() == Some(&violation.states[from]));
        assert!(waits && starved.is_empty(), "{graph:?} {:?}", violation.states);
    }
}

#[test]
fn random_systems_have_the_answers_of_brute_force() {
    let rng = &mut TestRng(0);
    let mut kinds = [0; 5];
    for round in 0..20_000 {
        let mut graph = random(rng);
        let expected = brute_force(&graph);
        let found = search(&mut graph, &effort(1 + round % 3, false), &mut |_| true);
        let steps = |property| found.violations.iter().find(|violation| violation.property == property);
        let prefix =
            |violation: &PropertyViolation| violation.cycle_start.unwrap_or(violation.transitions.len()) as u32;
        let termination = steps(Property::Termination);
        let actual = BruteForce {
            states: found.progress.states,
            transitions: found.progress.transitions,
            depth: found.progress.depth,
            quiescent: found.quiescent,
            most: found.most_messages,
            violated: steps(Property::Safety).map(prefix),
            deadlock: termination.filter(|violation| violation.cycle_start.is_none()).map(prefix),
            livelock: termination.filter(|violation| violation.cycle_start.is_some()).map(prefix),
        };
        // A deadlock is shown rather than a livelock.
        let shown =
            BruteForce { livelock: if expected.deadlock.is_some() { None } else { expected.livelock }, ..expected };
        assert_eq!(actual, shown, "{graph:?}");
        assert!(found.undecided.is_empty() && found.ran_out.is_none());
        found.violations.iter().for_each(|violation| must_be_a_run(&mut graph, violation));
        let kind = [
            actual.violated.is_some(),
            actual.deadlock.is_some(),
            actual.livelock.is_some(),
            actual.most == MaxMessages::Unbounded,
            found.violations.is_empty() && actual.states > 3,
        ];
        kinds.iter_mut().zip(kind).for_each(|(count, is)| *count += usize::from(is));
    }
    assert!(kinds.iter().all(|&count| count > 500), "{kinds:?}");
}

/// The product of independent transition systems; whether it violates safety or has outstanding requests depends on the
/// first two alone.
#[derive(Clone, Debug)]
struct Product(Vec<Graph>);

impl Product {
    fn random(rng: &mut TestRng) -> Self {
        let mut product: Vec<Graph> = (0..2 + rng.roll(3)).map(|_| random(rng)).collect();
        let acyclic = !rng.one_in(4);
        for (index, graph) in product.iter_mut().enumerate() {
            graph.nodes.truncate(3);
            let count = graph.nodes.len() as u32;
            for (at, node) in (0..).zip(&mut graph.nodes) {
                node.violated = index < 2 && rng.one_in(3);
                node.actions.truncate(2);
                for outcome in node.actions.iter_mut().flat_map(|action| &mut action.outcomes) {
                    outcome.0 = if acyclic { at + 1 + outcome.0 % 2 } else { outcome.0 % count };
                    outcome.2.clear();
                }
                node.actions.retain(|action| action.outcomes.iter().all(|(to, ..)| *to < count));
                node.pending.clear();
            }
        }
        Self(product)
    }

    fn node(&self, one: usize, state: &[u32]) -> &GraphNode {
        &self.0[one].nodes[state[one] as usize]
    }
}

impl TransitionSystem for Product {
    fn fork(&self) -> Box<dyn TransitionSystem> {
        Box::new(self.clone())
    }

    fn initial_states(&self) -> Vec<Vec<u32>> {
        vec![vec![0; self.0.len()]]
    }

    fn successors(&mut self, state: &[u32], own: u64, successors: &mut Successors) {
        successors.clear();
        let mut number = 0;
        for one in 0..self.0.len() {
            let begin = successors.transitions.len();
            for action in &self.node(one, state).actions {
                for (to, sent, _) in &action.outcomes {
                    successors.write(one as u32, *to);
                    successors.discharge(one as u32);
                    successors.finish(
                        state,
                        own,
                        (number, ChoiceProbability::one_of(action.outcomes.len() as u32)),
                        *sent,
                        action.optional,
                    );
                }
                number += 1;
            }
            if one >= 2 && begin < successors.transitions.len() && successors.ample.is_empty() {
                successors.ample = begin..successors.transitions.len();
            }
        }
    }

    fn pending(&mut self, state: &[u32], pending: &mut Vec<u32>) {
        pending.clear();
        let must = |one: &u32| self.node(*one as usize, state).actions.iter().any(|action| !action.optional);
        pending.extend((0..self.0.len() as u32).filter(must));
    }
}

impl Monitored for Product {
    fn monitor_status(&mut self, state: &[u32]) -> MonitorStatus {
        let both = [self.node(0, state), self.node(1, state)];
        let violated = both.iter().all(|node| node.violated);
        MonitorStatus {
            violated,
            cut_off: violated,
            waiting: both.iter().any(|node| node.waiting),
            fulfilled: Promises::default(),
        }
    }

    fn diagnosis(&mut self, _: &[u32]) -> String {
        String::new()
    }
}

#[test]
fn partial_order_reduction_changes_no_answer() {
    let rng = &mut TestRng(1 << 40);
    let (mut fewer, mut shown) = (0, [0; 3]);
    for round in 0..10_000 {
        let mut product = Product::random(rng);
        let full = search(&mut product, &effort(1, false), &mut |_| true);
        let reduced = search(&mut product, &effort(1 + round % 3, true), &mut |_| true);
        let answer = |found: &SearchResult| {
            let violation = |property| {
                let violation = found.violations.iter().find(|violation| violation.property == property)?;
                Some((violation.cycle_start.unwrap_or(violation.transitions.len()), violation.cycle_start.is_some()))
            };
            let [safety, termination] = Property::ALL.map(violation);
            (safety, termination, found.quiescent, found.most_messages, found.ran_out)
        };
        assert_eq!(answer(&full), answer(&reduced), "{product:?}");
        fewer += usize::from(reduced.progress.states < full.progress.states);
        let (safety, termination, ..) = answer(&full);
        let kind = [
            safety.is_some(),
            termination.is_some_and(|(_, livelock)| !livelock),
            termination.is_some_and(|(_, livelock)| livelock),
        ];
        shown.iter_mut().zip(kind).for_each(|(count, is)| *count += usize::from(is));
    }
    assert!(fewer > 500 && shown.iter().all(|&count| count > 300), "{fewer} {shown:?}");
}
