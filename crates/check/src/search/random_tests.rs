//! Random spaces: searched, and worked out plainly, set by set.

use ringleader_model::mix;

use super::tests::{Event, Graph, Node, effort};
use super::*;
use crate::space::{Standing, Ways, fingerprint};

/// Numbers that look random.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u32) -> u32 {
        self.0 += 1;
        (mix(self.0.wrapping_mul(0x9E37_79B9_7F4A_7C15)) >> 32) as u32 % sides
    }

    fn one_in(&mut self, sides: u32) -> bool {
        self.roll(sides) == 0
    }
}

fn random(dice: &mut Dice) -> Graph {
    let count = 2 + dice.roll(6);
    // Some lead only forward, so that not everything goes round.
    let forward = dice.one_in(3);
    let coins = dice.one_in(2);
    let node = |from: u32, dice: &mut Dice| {
        let event = |dice: &mut Dice| {
            let outcomes = if coins && dice.one_in(2) { 2 + dice.roll(2) } else { 1 };
            let outcome = |dice: &mut Dice| {
                let to = if forward { (from + 1 + dice.roll(2)).min(count - 1) } else { dice.roll(count) };
                let takes = (0..2).filter(|_| dice.one_in(3)).collect();
                (to, dice.roll(8) / 5, takes)
            };
            Event { free: dice.one_in(4), outcomes: (0..outcomes).map(|_| outcome(dice)).collect() }
        };
        let events = if forward && from + 1 == count { 0 } else { dice.roll(4) };
        Node {
            violated: dice.one_in(12),
            waiting: dice.one_in(2),
            owed: (0..2).filter(|_| dice.one_in(2)).collect(),
            events: (0..events).map(|_| event(dice)).collect(),
            enough: 0..0,
        }
    };
    let nodes = (0..count).map(|from| node(from, dice)).collect();
    Graph { beginnings: (0..=dice.roll(2)).map(|_| dice.roll(count)).collect(), nodes }
}

/// What there is to know about a graph.
#[derive(Debug, PartialEq)]
struct Plain {
    states: u64,
    transitions: u64,
    depth: u64,
    quiet: u64,
    most: Most,
    /// Steps to the nearest violation, standstill, and bad set.
    violated: Option<u32>,
    stuck: Option<u32>,
    bad: Option<u32>,
}

/// Worked out plainly.
fn plain(graph: &Graph) -> Plain {
    let count = graph.nodes.len();
    let events = |node: usize| if graph.nodes[node].violated { &[][..] } else { &graph.nodes[node].events[..] };
    let outcomes = |node: usize| events(node).iter().flat_map(|event| &event.outcomes);
    let mut steps = vec![None; count];
    graph.beginnings.iter().for_each(|&node| steps[node as usize] = Some(0));
    for far in 0..count as u32 {
        for node in (0..count).filter(|&node| steps[node] == Some(far)).collect::<Vec<_>>() {
            outcomes(node).for_each(|(to, ..)| steps[*to as usize] = steps[*to as usize].or(Some(far + 1)));
        }
    }
    let reached: Vec<usize> = (0..count).filter(|&node| steps[node].is_some()).collect();
    let nearest = |wanted: &dyn Fn(usize) -> bool| {
        reached.iter().filter(|&&node| wanted(node)).map(|&node| steps[node]).min().flatten()
    };
    let quiet = |node: usize| {
        steps[node] != Some(0) && !graph.nodes[node].violated && events(node).iter().all(|event| event.free)
    };
    // The most message passes of so many steps: with more steps than nodes something goes round.
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
    let bad = (1u32..1 << count).filter(|&set| is_bad(graph, set)).filter_map(|set| {
        reached.iter().filter(|&&node| set >> node & 1 == 1).map(|&node| steps[node]).min().flatten()
    });
    Plain {
        states: reached.len() as u64,
        transitions: reached.iter().map(|&node| outcomes(node).count() as u64).sum(),
        depth: reached.iter().filter_map(|&node| steps[node]).max().unwrap_or(0).into(),
        quiet: reached.iter().filter(|&&node| quiet(node)).count() as u64,
        most: if most == more { Most::Exactly(most) } else { Most::Unlimited },
        violated: nearest(&|node| graph.nodes[node].violated),
        stuck: nearest(&|node| quiet(node) && graph.nodes[node].waiting),
        bad: bad.min(),
    }
}

/// Whether a fair schedule can stay in a set for ever, whatever coins do, and meet all of it, with something left to do.
fn is_bad(graph: &Graph, set: u32) -> bool {
    let is_in = |node: u32| set >> node & 1 == 1;
    let members: Vec<u32> = (0..graph.nodes.len() as u32).filter(|&node| is_in(node)).collect();
    let usable = |node: u32| {
        let node = &graph.nodes[node as usize];
        let events = if node.violated { &[][..] } else { &node.events[..] };
        events.iter().filter(|event| event.outcomes.iter().all(|(to, ..)| is_in(*to))).flat_map(|event| &event.outcomes)
    };
    // All lead to each other, by a step at least.
    let connected = members.iter().all(|&from| {
        let mut met = 0u32;
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            for (to, ..) in usable(node) {
                if met >> to & 1 == 0 {
                    met |= 1 << to;
                    open.push(*to);
                }
            }
        }
        met == set
    });
    let fair = |owed: u32| {
        members.iter().any(|&node| {
            !graph.nodes[node as usize].owed.contains(&owed) || usable(node).any(|(_, _, takes)| takes.contains(&owed))
        })
    };
    connected && (0..2).all(fair) && members.iter().any(|&node| graph.nodes[node as usize].waiting)
}

/// Demands that every step of a way is one that can be gone, and that what repeats is fair.
#[track_caller]
fn must_be_a_way(graph: &mut Graph, wrong: &Wrong) {
    assert!(graph.beginnings().contains(&wrong.path[0]));
    assert_eq!(wrong.ways.len() + 1, wrong.path.len());
    let mut ways = Ways::default();
    let (mut waits, mut starved) = (false, vec![0, 1]);
    for (step, (&way, pair)) in wrong.ways.iter().zip(wrong.path.windows(2)).enumerate() {
        let mut row = pair[0].clone();
        graph.ways(&pair[0], fingerprint(&pair[0]), &mut ways);
        ways.go(way, &mut row);
        assert_eq!(row, pair[1]);
        if wrong.repeats_from.is_some_and(|from| from <= step) {
            let node = &graph.nodes[pair[0][1] as usize];
            waits |= node.waiting;
            starved.retain(|owed| node.owed.contains(owed) && !ways.takes(way).contains(owed));
        }
    }
    if let Some(from) = wrong.repeats_from {
        assert!(wrong.path.len() > from + 1 && wrong.path.last() == Some(&wrong.path[from]));
        assert!(waits && starved.is_empty(), "{graph:?} {:?}", wrong.path);
    }
}

#[test]
fn what_is_found_is_what_is_there() {
    let dice = &mut Dice(0);
    let mut kinds = [0; 5];
    for round in 0..20_000 {
        let mut graph = random(dice);
        let there = plain(&graph);
        let found = search(&mut graph, &effort(1 + round % 3, false), &mut |_| true);
        let steps = |property| found.wrong.iter().find(|wrong| wrong.property == property);
        let stem = |wrong: &Wrong| wrong.repeats_from.unwrap_or(wrong.ways.len()) as u32;
        let finishes = steps(Property::Finishes);
        let seen = Plain {
            states: found.progress.states,
            transitions: found.progress.transitions,
            depth: found.progress.depth,
            quiet: found.quiet,
            most: found.most_messages,
            violated: steps(Property::Safe).map(stem),
            stuck: finishes.filter(|wrong| wrong.repeats_from.is_none()).map(stem),
            bad: finishes.filter(|wrong| wrong.repeats_from.is_some()).map(stem),
        };
        // A standstill is shown rather than what goes round.
        let shown = Plain { bad: if there.stuck.is_some() { None } else { there.bad }, ..there };
        assert_eq!(seen, shown, "{graph:?}");
        assert!(found.unknown.is_empty() && found.ran_out.is_none());
        found.wrong.iter().for_each(|wrong| must_be_a_way(&mut graph, wrong));
        let kind = [
            seen.violated.is_some(),
            seen.stuck.is_some(),
            seen.bad.is_some(),
            seen.most == Most::Unlimited,
            found.wrong.is_empty() && seen.states > 3,
        ];
        kinds.iter_mut().zip(kind).for_each(|(count, is)| *count += usize::from(is));
    }
    assert!(kinds.iter().all(|&count| count > 500), "{kinds:?}");
}

/// Some that go on side by side and have nothing to do with each other; what is violated and left to do depends on the
/// first two alone.
#[derive(Clone, Debug)]
struct Several(Vec<Graph>);

impl Several {
    fn random(dice: &mut Dice) -> Self {
        let mut several: Vec<Graph> = (0..2 + dice.roll(3)).map(|_| random(dice)).collect();
        let acyclic = !dice.one_in(4);
        for (index, graph) in several.iter_mut().enumerate() {
            graph.nodes.truncate(3);
            let count = graph.nodes.len() as u32;
            for (at, node) in (0..).zip(&mut graph.nodes) {
                node.violated = index < 2 && dice.one_in(3);
                node.events.truncate(2);
                for outcome in node.events.iter_mut().flat_map(|event| &mut event.outcomes) {
                    outcome.0 = if acyclic { at + 1 + outcome.0 % 2 } else { outcome.0 % count };
                    outcome.2.clear();
                }
                node.events.retain(|event| event.outcomes.iter().all(|(to, ..)| *to < count));
                node.owed.clear();
            }
        }
        Self(several)
    }

    fn node(&self, one: usize, row: &[u32]) -> &Node {
        &self.0[one].nodes[row[one] as usize]
    }
}

impl Space for Several {
    fn another(&self) -> Box<dyn Space> {
        Box::new(self.clone())
    }

    fn beginnings(&self) -> Vec<Vec<u32>> {
        vec![vec![0; self.0.len()]]
    }

    fn ways(&mut self, row: &[u32], own: u64, ways: &mut Ways) {
        ways.clear();
        let mut number = 0;
        for one in 0..self.0.len() {
            let begin = ways.list.len();
            for event in &self.node(one, row).events {
                for (to, sent, _) in &event.outcomes {
                    ways.change(one as u32, *to);
                    ways.take(one as u32);
                    ways.end(row, own, (number, event.outcomes.len() as u32), *sent, event.free);
                }
                number += 1;
            }
            if one >= 2 && begin < ways.list.len() && ways.enough.is_empty() {
                ways.enough = begin..ways.list.len();
            }
        }
    }

    fn standing(&mut self, row: &[u32]) -> Standing {
        let both = [self.node(0, row), self.node(1, row)];
        Standing { violated: both.iter().all(|node| node.violated), waiting: both.iter().any(|node| node.waiting) }
    }

    fn owed(&mut self, row: &[u32], owed: &mut Vec<u32>) {
        owed.clear();
        let must = |one: &u32| self.node(*one as usize, row).events.iter().any(|event| !event.free);
        owed.extend((0..self.0.len() as u32).filter(must));
    }

    fn complaint(&mut self, _: &[u32]) -> String {
        String::new()
    }
}

#[test]
fn what_is_left_out_changes_no_answer() {
    let dice = &mut Dice(1 << 40);
    let (mut fewer, mut shown) = (0, [0; 3]);
    for round in 0..10_000 {
        let mut several = Several::random(dice);
        let all = search(&mut several, &effort(1, false), &mut |_| true);
        let few = search(&mut several, &effort(1 + round % 3, true), &mut |_| true);
        let answer = |found: &Found| {
            let wrong = |property| {
                let wrong = found.wrong.iter().find(|wrong| wrong.property == property)?;
                Some((wrong.repeats_from.unwrap_or(wrong.ways.len()), wrong.repeats_from.is_some()))
            };
            let [safe, finishes] = Property::ALL.map(wrong);
            (safe, finishes, found.quiet, found.most_messages, found.ran_out)
        };
        assert_eq!(answer(&all), answer(&few), "{several:?}");
        fewer += usize::from(few.progress.states < all.progress.states);
        let (safe, finishes, ..) = answer(&all);
        let kind =
            [safe.is_some(), finishes.is_some_and(|(_, round)| !round), finishes.is_some_and(|(_, round)| round)];
        shown.iter_mut().zip(kind).for_each(|(count, is)| *count += usize::from(is));
    }
    assert!(fewer > 500 && shown.iter().all(|&count| count > 300), "{fewer} {shown:?}");
}
