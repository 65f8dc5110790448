//! Searches of random graphs that are resumed: from every checkpoint, and after every limit.

use self::saved_in_memory::SavedInMemory;
use super::random_tests::{TestRng, random};
use super::tests::{Graph, effort};
use super::*;
use crate::checkpoint::{CheckpointFile, WatchedSearch};
use crate::interner::{Interner, ValueTable};
use crate::transition_system::{MonitorStatus, Monitored};

#[path = "../../tests/common/saved_in_memory.rs"]
mod saved_in_memory;

/// What a search must find again.
type Found = (Progress, u64, MaxMessages, Option<SearchLimit>, Vec<(Property, Vec<Vec<Interned>>, Option<usize>)>);

fn found(result: &SearchResult) -> Found {
    let violation =
        |violation: &PropertyViolation| (violation.property, violation.states.clone(), violation.cycle_start);
    let violations = result.violations.iter().map(violation).collect();
    let progress = Progress { bytes: 0, ..result.progress };
    (progress, result.quiescent, result.most_messages, result.ran_out, violations)
}

fn searched(graph: &Graph, effort: &Effort, file: &mut SavedInMemory) -> Found {
    searched_in(&mut graph.clone(), effort, file)
}

fn searched_in(system: &mut dyn TransitionSystem, effort: &Effort, file: &mut SavedInMemory) -> Found {
    let mut go_on = |_: &Progress| true;
    let mut watch = WatchedSearch::new(&mut go_on).saved(vec![("test", "graph".into())], file);
    assert_eq!(watch.open_search(), Ok(()));
    assert_eq!(watch.expect(system), Ok(()));
    let result = search_for(system, effort, None, &mut watch);
    assert_eq!(watch.refused(), Ok(()));
    found(&result)
}

#[test]
fn random_systems_are_resumed_from_every_checkpoint() {
    let mut rng = TestRng(14);
    for round in 0..200 {
        let graph = random(&mut rng);
        let effort = effort(1, round % 2 == 0);
        let expected = found(&search(&mut graph.clone(), &effort, &mut |_| true));
        let mut file = SavedInMemory::every(1);
        assert_eq!(searched(&graph, &effort, &mut file), expected, "{graph:?}");
        assert!(!file.all.is_empty());
        for saved in &file.all {
            assert_eq!(searched(&graph, &effort, &mut SavedInMemory::holding(saved)), expected, "{graph:?}");
        }
        for states in 1..=expected.0.states {
            let mut file = SavedInMemory::every(usize::MAX);
            searched(&graph, &Effort { states, ..effort }, &mut file);
            assert_eq!(searched(&graph, &effort, &mut file), expected, "{states} of {graph:?}");
        }
    }
}

/// A graph that interns the numbers of the nodes that it expands, perhaps not all.
struct InterningGraph {
    graph: Graph,
    values: Interner<u32>,
    below: u32,
}

impl Monitored for InterningGraph {
    fn monitor_status(&mut self, state: &[u32]) -> MonitorStatus {
        self.graph.monitor_status(state)
    }

    fn diagnosis(&mut self, state: &[u32]) -> String {
        self.graph.diagnosis(state)
    }
}

impl TransitionSystem for InterningGraph {
    fn fork(&self) -> Box<dyn TransitionSystem> {
        Box::new(Self { graph: self.graph.clone(), values: self.values.clone(), below: self.below })
    }

    fn initial_states(&self) -> Vec<Vec<u32>> {
        self.graph.initial_states()
    }

    fn successors(&mut self, state: &[u32], fingerprint: u64, successors: &mut Successors) {
        if state[1] < self.below {
            self.values.intern(state[1]);
        }
        self.graph.successors(state, fingerprint, successors);
    }

    fn pending(&mut self, state: &[u32], pending: &mut Vec<u32>) {
        self.graph.pending(state, pending);
    }

    fn value_tables(&self) -> Vec<&dyn ValueTable> {
        vec![&self.values]
    }
}

/// A value without a use may be missing after a resumption. It is not known that it has none.
#[test]
fn a_search_begins_anew_if_a_value_is_missing() {
    let mut rng = TestRng(15);
    for round in 0..100 {
        let graph = random(&mut rng);
        let effort = effort(1, round % 2 == 0);
        let expected = found(&search(&mut graph.clone(), &effort, &mut |_| true));
        let system = |below| InterningGraph { graph: graph.clone(), values: Interner::new(), below };
        let mut file = SavedInMemory::every(1);
        searched_in(&mut system(u32::MAX), &effort, &mut file);
        let mut anew = 0;
        for saved in &file.all {
            for below in [0, u32::MAX] {
                let mut file = SavedInMemory::holding(saved);
                assert_eq!(searched_in(&mut system(below), &effort, &mut file), expected, "{below} {graph:?}");
                assert!(file.anew == 0 || below == 0);
                anew += file.anew;
            }
        }
        assert!(anew > 0, "{graph:?}");
    }
}
