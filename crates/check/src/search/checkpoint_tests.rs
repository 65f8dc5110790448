//! Searches of random graphs that are resumed: from every checkpoint, and after every limit.

use self::saved_in_memory::SavedInMemory;
use super::random_tests::{TestRng, random};
use super::tests::{Graph, effort};
use super::*;
use crate::checkpoint::{CheckpointFile, WatchedSearch};

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
    let mut go_on = |_: &Progress| true;
    let mut watch = WatchedSearch::new(&mut go_on).saved(vec![("test", "graph".into())], file);
    assert_eq!(watch.open_search(), Ok(()));
    let result = search_for(&mut graph.clone(), effort, None, &mut watch);
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
