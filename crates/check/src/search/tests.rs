//! Searches in small spaces that are written down, and in many random ones beside a plain one that tries every set.

use super::*;
use crate::space::{Standing, Ways, fingerprint};

/// Something that can happen: its outcomes, each with where it leads, message passes, and what it takes.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) free: bool,
    pub(super) outcomes: Vec<(u32, u32, Vec<u32>)>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub(super) violated: bool,
    pub(super) waiting: bool,
    pub(super) owed: Vec<u32>,
    pub(super) events: Vec<Event>,
    /// Which events are enough.
    pub(super) enough: std::ops::Range<usize>,
}

/// A space that is written down: a configuration is the number of a node, and something that never changes.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    pub(super) beginnings: Vec<u32>,
    pub(super) nodes: Vec<Node>,
}

impl Space for Graph {
    fn another(&self) -> Box<dyn Space> {
        Box::new(self.clone())
    }

    fn beginnings(&self) -> Vec<Vec<u32>> {
        self.beginnings.iter().map(|&node| vec![7, node]).collect()
    }

    fn ways(&mut self, row: &[u32], own: u64, ways: &mut Ways) {
        assert_eq!(own, fingerprint(row));
        ways.clear();
        let node = &self.nodes[row[1] as usize];
        for (number, event) in node.events.iter().enumerate() {
            if number == node.enough.start {
                ways.enough.start = ways.list.len();
            }
            for (to, sent, takes) in &event.outcomes {
                ways.change(1, *to);
                takes.iter().for_each(|&owed| ways.take(owed));
                ways.end(row, own, (number as u32, event.outcomes.len() as u32), *sent, event.free);
            }
            if number + 1 == node.enough.end {
                ways.enough.end = ways.list.len();
            }
        }
        if node.enough.is_empty() {
            ways.enough = 0..0;
        }
    }

    fn standing(&mut self, row: &[u32]) -> Standing {
        let Node { violated, waiting, .. } = self.nodes[row[1] as usize];
        Standing { violated, waiting }
    }

    fn owed(&mut self, row: &[u32], owed: &mut Vec<u32>) {
        owed.clone_from(&self.nodes[row[1] as usize].owed);
    }

    fn complaint(&mut self, row: &[u32]) -> String {
        format!("{}", row[1])
    }
}

/// A step that must happen.
fn step(to: u32) -> Event {
    sending(to, 0)
}

/// A step with message passes.
fn sending(to: u32, sent: u32) -> Event {
    Event { free: false, outcomes: vec![(to, sent, Vec::new())] }
}

/// A step that takes care of something.
fn taking(to: u32, takes: u32) -> Event {
    Event { free: false, outcomes: vec![(to, 0, vec![takes])] }
}

/// A step that need not happen.
fn free(to: u32) -> Event {
    Event { free: true, ..step(to) }
}

/// A toss.
fn coin(to: &[u32]) -> Event {
    Event { free: false, outcomes: to.iter().map(|&to| (to, 0, Vec::new())).collect() }
}

fn node(events: &[Event]) -> Node {
    Node { events: events.to_vec(), ..Node::default() }
}

/// Something is left to do there.
fn waiting(events: &[Event]) -> Node {
    Node { waiting: true, ..node(events) }
}

/// Something is left to do there, and this is owed.
fn owing(owed: &[u32], events: &[Event]) -> Node {
    Node { owed: owed.to_vec(), ..waiting(events) }
}

fn violated() -> Node {
    Node { violated: true, ..Node::default() }
}

fn graph(nodes: &[Node]) -> Graph {
    Graph { beginnings: vec![0], nodes: nodes.to_vec() }
}

pub(super) fn effort(threads: usize, reduce: bool) -> Effort {
    Effort { states: 1 << 20, bytes: 1 << 30, threads, reduce }
}

fn found(graph: &Graph) -> Found {
    search(&mut graph.clone(), &effort(1, false), &mut |_| true)
}

/// The nodes on the way to what is wrong, and from which of them on it repeats.
fn wrong(found: &Found, property: Property) -> Option<(Vec<u32>, Option<usize>)> {
    let wrong = found.wrong.iter().find(|wrong| wrong.property == property)?;
    Some((wrong.path.iter().map(|row| row[1]).collect(), wrong.repeats_from))
}

#[test]
fn a_diamond_has_four_configurations_and_its_longer_side_counts() {
    let found = found(&graph(&[
        node(&[sending(1, 2), sending(2, 1)]),
        node(&[sending(3, 1)]),
        node(&[sending(3, 4)]),
        node(&[]),
    ]));
    let Progress { states, transitions, depth, .. } = found.progress;
    assert_eq!((states, transitions, depth, found.quiet), (4, 4, 2, 1));
    assert_eq!((found.most_messages, found.ran_out, found.wrong.len()), (Most::Exactly(5), None, 0));
}

#[test]
fn sides_of_unequal_length_are_ordered_all_the_same() {
    let found = found(&graph(&[
        node(&[sending(3, 3), sending(1, 1)]),
        node(&[sending(2, 1)]),
        node(&[sending(3, 2)]),
        node(&[sending(4, 10)]),
        node(&[]),
    ]));
    assert_eq!((found.progress.depth, found.most_messages), (2, Most::Exactly(14)));
}

#[test]
fn the_nearest_violation_is_shown_and_not_gone_on_from() {
    let mut end = violated();
    end.events = vec![step(5)];
    let found = found(&graph(&[
        node(&[step(1), step(2)]),
        node(&[step(3)]),
        node(&[step(1), step(4)]),
        node(&[step(4)]),
        end,
        node(&[]),
    ]));
    assert_eq!(wrong(&found, Property::Safe), Some((vec![0, 2, 4], None)));
    assert_eq!((found.progress.states, found.unknown.len()), (5, 0));
    assert!(found.progress.violated);
}

#[test]
fn a_standstill_is_wrong_only_if_something_is_left_to_do_and_something_was_done() {
    assert!(found(&graph(&[waiting(&[])])).wrong.is_empty());
    assert!(found(&graph(&[waiting(&[free(1)]), node(&[])])).wrong.is_empty());
    let stuck = found(&graph(&[waiting(&[free(1)]), waiting(&[free(2)]), node(&[])]));
    assert_eq!(wrong(&stuck, Property::Finishes), Some((vec![0, 1], None)));
    assert_eq!(stuck.quiet, 2);
}

#[test]
fn what_goes_round_with_nothing_left_to_do_is_not_wrong() {
    let round = found(&graph(&[node(&[step(1)]), node(&[step(2)]), node(&[step(1)])]));
    assert!(round.wrong.is_empty() && round.unknown.is_empty());
    assert_eq!(round.most_messages, Most::Exactly(0));
    let sends = found(&graph(&[node(&[sending(1, 1)]), node(&[step(2)]), node(&[sending(1, 1)])]));
    assert_eq!(sends.most_messages, Most::Unlimited);
}

#[test]
fn message_passes_before_and_after_a_round_without_any_are_counted() {
    let found = found(&graph(&[
        node(&[sending(1, 3)]),
        node(&[step(2)]),
        node(&[step(1), sending(3, 4)]),
        node(&[sending(4, 5)]),
        node(&[]),
    ]));
    assert_eq!(found.most_messages, Most::Exactly(12));
}

#[test]
fn a_way_to_itself_is_a_round() {
    let found = found(&graph(&[node(&[step(1)]), waiting(&[step(1)])]));
    assert_eq!(wrong(&found, Property::Finishes), Some((vec![0, 1, 1], Some(1))));
}

#[test]
fn a_round_that_leaves_something_undone_for_ever_is_not_fair() {
    // 5 is owed in both and taken only by the way out.
    let unfair = [node(&[step(1)]), owing(&[5], &[step(2)]), owing(&[5], &[step(1), taking(3, 5)]), node(&[])];
    assert!(found(&graph(&unfair)).wrong.is_empty());
    // Where it is not owed everywhere it need not be taken.
    let mut fair = unfair.clone();
    fair[2].owed.clear();
    assert_eq!(wrong(&found(&graph(&fair)), Property::Finishes), Some((vec![0, 1, 2, 1], Some(1))));
    // Or it is taken on the way.
    let mut fair = unfair;
    fair[1].events.push(taking(2, 5));
    assert_eq!(wrong(&found(&graph(&fair)), Property::Finishes), Some((vec![0, 1, 2, 1], Some(1))));
}

#[test]
fn a_fair_round_goes_wherever_it_must() {
    // From 1: 5 is taken from 2 only, 6 is not owed in 3 only, and something is left to do in 4 only.
    let mut nodes = vec![
        node(&[step(1)]),
        node(&[step(2), step(3), step(4)]),
        node(&[taking(1, 5)]),
        node(&[step(1)]),
        node(&[step(1)]),
    ];
    for (member, owed) in [(1, vec![5, 6]), (2, vec![5, 6]), (3, vec![5]), (4, vec![5, 6])] {
        nodes[member].owed = owed;
    }
    nodes[4].waiting = true;
    let (path, from) = wrong(&found(&graph(&nodes)), Property::Finishes).expect("it goes round");
    assert_eq!((from, &path[..2], path.last()), (Some(1), &[0, 1][..], Some(&1)));
    assert!([2, 3, 4].iter().all(|node| path.contains(node)), "{path:?}");
}

#[test]
fn a_coin_that_lets_it_out_stops_it_with_probability_1() {
    let stops = [node(&[step(1)]), waiting(&[coin(&[1, 2])]), node(&[])];
    assert!(found(&graph(&stops)).wrong.is_empty());
    // Whoever may choose not to toss it goes round for ever.
    let chosen = [node(&[step(1)]), waiting(&[coin(&[1, 2]), step(1)]), node(&[])];
    assert_eq!(wrong(&found(&graph(&chosen)), Property::Finishes), Some((vec![0, 1, 1], Some(1))));
    // Or where all that may come of it leads back.
    let back = [node(&[step(1)]), waiting(&[coin(&[1, 2])]), node(&[step(1)])];
    assert_eq!(wrong(&found(&graph(&back)), Property::Finishes), Some((vec![0, 1, 1], Some(1))));
}

#[test]
fn an_end_component_inside_a_component_is_found() {
    // All of 1 to 4 lead to each other; the coin of 2 may lead out, so that only 3 and 4 can be stayed in.
    let mut nodes = vec![
        node(&[step(1)]),
        waiting(&[step(2)]),
        node(&[coin(&[3, 5])]),
        node(&[step(4)]),
        node(&[step(3), step(1)]),
        node(&[]),
    ];
    assert!(found(&graph(&nodes)).wrong.is_empty());
    nodes[4].waiting = true;
    assert_eq!(wrong(&found(&graph(&nodes)), Property::Finishes), Some((vec![0, 1, 2, 3, 4, 3], Some(3))));
}

#[test]
fn every_beginning_is_begun_from_and_the_same_one_once() {
    let nodes = [node(&[step(2)]), node(&[step(3)]), node(&[]), violated()];
    let found = found(&Graph { beginnings: vec![0, 1, 0], nodes: nodes.to_vec() });
    assert_eq!((found.progress.states, found.progress.depth), (4, 1));
    assert_eq!(wrong(&found, Property::Safe), Some((vec![1, 3], None)));
}

/// A row of steps, long enough for many blocks if it is wide.
fn lattice(side: u32) -> Graph {
    let at = |x: u32, y: u32| x * side + y;
    let node_at = |index: u32| {
        let (x, y) = (index / side, index % side);
        let right = (x + 1 < side).then(|| sending(at(x + 1, y), 1));
        let up = (y + 1 < side).then(|| sending(at(x, y + 1), 1));
        node(&right.into_iter().chain(up).collect::<Vec<_>>())
    };
    Graph { beginnings: vec![0], nodes: (0..side * side).map(node_at).collect() }
}

#[test]
fn limits_stop_where_they_say() {
    let mut space = lattice(300);
    let few = Effort { states: 10_000, ..effort(1, false) };
    let found = search(&mut space, &few, &mut |_| true);
    assert_eq!((found.ran_out, found.most_messages), (Some(RanOut::States), Most::Unknown));
    assert!((10_001..10_100).contains(&found.progress.states), "{:?}", found.progress);
    assert_eq!(found.unknown, Property::ALL);

    let exactly = Effort { states: 90_000, ..effort(1, false) };
    let found = search(&mut space, &exactly, &mut |_| true);
    assert_eq!((found.ran_out, found.most_messages), (None, Most::Exactly(598)));
    let needed = found.progress.bytes;

    let bytes = needed / 2;
    for threads in 1..=3 {
        let found = search(&mut space, &Effort { bytes, ..effort(threads, false) }, &mut |_| true);
        assert_eq!(found.ran_out, Some(RanOut::Memory), "{threads}");
        assert!(found.progress.bytes <= bytes && found.progress.states > 20_000, "{:?}", found.progress);
    }
    let found = search(&mut space, &Effort { bytes: 100, ..effort(1, false) }, &mut |_| true);
    assert_eq!((found.ran_out, found.progress.bytes), (Some(RanOut::Memory), 0));
}

#[test]
fn what_cannot_be_ordered_for_lack_of_memory_is_still_safe() {
    let count = 100_000;
    let mut space = graph(&(0..count).map(|from| waiting(&[step((from + 1) % count)])).collect::<Vec<_>>());
    // What was met fits; all of it on one way does not.
    let found = search(&mut space, &Effort { bytes: 9 << 20, ..effort(1, false) }, &mut |_| true);
    assert_eq!((found.ran_out, found.most_messages), (Some(RanOut::Memory), Most::Unknown));
    assert_eq!((found.unknown, found.progress.states), (vec![Property::Finishes], u64::from(count)));
    assert!(found.progress.bytes <= 9 << 20);
    let found = search(&mut space, &effort(1, false), &mut |_| true);
    let (path, from) = wrong(&found, Property::Finishes).expect("it goes round");
    assert_eq!((from, path.len()), (Some(0), count as usize + 1));
}

#[test]
fn nobody_is_kept_who_has_no_patience() {
    // A space without end.
    #[derive(Clone)]
    struct Endless;
    impl Space for Endless {
        fn another(&self) -> Box<dyn Space> {
            Box::new(Self)
        }
        fn beginnings(&self) -> Vec<Vec<u32>> {
            vec![vec![0, 0]]
        }
        fn ways(&mut self, row: &[u32], own: u64, ways: &mut Ways) {
            ways.clear();
            for at in 0..2 {
                ways.change(at, row[at as usize] + 1);
                ways.end(row, own, (at, 1), 0, false);
            }
        }
        fn standing(&mut self, _: &[u32]) -> Standing {
            Standing { violated: false, waiting: false }
        }
        fn owed(&mut self, _: &[u32], owed: &mut Vec<u32>) {
            owed.clear();
        }
        fn complaint(&mut self, _: &[u32]) -> String {
            String::new()
        }
    }
    let mut told = Vec::new();
    let effort = Effort { states: u64::MAX, ..effort(2, false) };
    let found = search(&mut Endless, &effort, &mut |progress| {
        told.push(*progress);
        told.len() < 3
    });
    assert_eq!((found.ran_out, told.len()), (Some(RanOut::Patience), 3));
    assert!(told.windows(2).all(|pair| pair[0].states < pair[1].states && pair[0].depth < pair[1].depth), "{told:?}");
    assert!(told.iter().all(|progress| progress.frontier > 0 && progress.bytes > 0));
}

#[test]
fn numbers_of_any_size_are_kept() {
    let mut nodes: Vec<Node> = (1..=70_000).map(|to| node(&[step(to)])).collect();
    nodes.push(violated());
    let found = found(&graph(&nodes));
    let (path, _) = wrong(&found, Property::Safe).expect("it is met");
    assert!(path.into_iter().eq(0..=70_000));
    assert_eq!((found.progress.depth, found.progress.states), (70_000, 70_001));
    assert_eq!(found.most_messages, Most::Exactly(0));
}
