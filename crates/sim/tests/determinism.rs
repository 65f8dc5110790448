//! The same scenario and seed are the same run: again, from its recording, in slices, and without full detail.

use std::collections::BTreeSet;
use std::fmt::Debug;

use crate::common::Do::{Cancel, Lead, Send, Set, Toss};
use crate::common::*;
use ringleader_model::{Links, Network, Outcome, Place, Ports, Reading, Scenario, Topology};
use ringleader_sim::{BadChoice, Choices, Full, Lean, Random, Run, Simulation, StopReason, Summary};

const SEEDS: u64 = 300;

/// What must be true on every network, each with tests of its own.
macro_rules! on {
    ($network:ident, $shape:ident) => {
        mod $network {
            #[test]
            fn the_same_scenario_and_seed_give_the_same_run() {
                super::same::<super::$shape>();
            }

            #[test]
            fn different_seeds_give_different_runs() {
                super::different::<super::$shape>();
            }

            #[test]
            fn a_recorded_run_replays() {
                super::replayed::<super::$shape>();
            }

            #[test]
            fn slices_of_any_budget_give_the_same_run() {
                super::sliced::<super::$shape>();
            }

            #[test]
            fn lean_gives_the_same_as_full() {
                super::lean_small::<super::$shape>();
            }

            #[test]
            fn lean_gives_the_same_as_full_where_things_fail() {
                super::lean_faulty::<super::$shape>();
            }

            #[test]
            fn lean_gives_the_same_as_full_on_half_duplex_links() {
                super::lean_half::<super::$shape>();
            }

            #[test]
            fn lean_gives_the_same_as_full_in_a_crowd() {
                super::lean_crowded::<super::$shape>();
            }
        }
    };
}

on!(a_ring, OnRing);
on!(a_bidirectional_ring, OnBidirectional);
on!(a_complete_network, OnComplete);

fn scenarios<S: Shape>() -> impl Iterator<Item = Scenario> {
    (0..SEEDS).map(any_scenario::<S>).chain((0..SEEDS).map(any_changing_scenario::<S>))
}

fn same<S: Shape>() {
    let mut messages = 0;
    for scenario in scenarios::<S>() {
        let first = chatter::<S, Full>(&scenario, Chatter::new(&scenario)).summary();
        let second = chatter::<S, Full>(&scenario, Chatter::new(&scenario)).summary();
        assert_eq!(first, second, "{scenario:?}");
        messages += first.cost.messages();
    }
    assert!(messages > 5000, "only {messages} messages in all: the scenarios test little");
}

fn different<S: Shape>() {
    let scenario = ranged(5, (1, 4), (0, 10), Reading::PerStep);
    let trace = |seed| {
        let scenario = Scenario { seed, ..scenario.clone() };
        chatter::<S, Full>(&scenario, Chatter::new(&scenario)).summary().trace
    };
    assert_eq!((0..100).map(trace).collect::<BTreeSet<_>>().len(), 100);
}

#[test]
fn a_seed_without_anything_left_to_chance_changes_nothing() {
    let rules = || table::<OnRing>(&[(0, On::Wake, &[Send(0, 1), Set('a', 2)]), (1, On::Receive(1), &[Send(0, 1)])]);
    let trace = |seed| play(&Scenario { seed, ..scenario(3, 2, 3, Reading::PerTick) }, rules()).summary.trace;
    assert!((1..20).all(|seed| trace(seed) == trace(0)));
}

#[test]
fn the_trace_tells_time_place_event_and_order_apart() {
    let trace = |n, d, words: &[Do]| {
        play(&scenario(n, 1, d, Reading::Immediate), table::<OnRing>(&[(0, On::Wake, words)])).summary.trace
    };
    let traces = [
        trace(2, 1, &[Send(0, 1), Send(0, 2)]),
        trace(2, 1, &[Send(0, 2), Send(0, 1)]),
        trace(2, 2, &[Send(0, 1), Send(0, 2)]),
        trace(3, 1, &[Send(0, 1), Send(0, 2)]),
        trace(2, 1, &[Send(0, 1), Send(0, 3)]),
        trace(2, 1, &[Send(0, 1), Set('a', 1)]),
    ];
    assert_eq!(BTreeSet::from(traces).len(), traces.len());
}

// ---------------------------------------------------------------------------------------------------------------------
// Recorded choices.

fn replayed<S: Shape>() {
    let mut choices = 0;
    for scenario in scenarios::<S>() {
        let rules = Chatter::<S>::new(&scenario);
        let mut run: Simulation<_, Full> =
            Simulation::new(rules.clone(), &scenario, Choices::Drawn).expect("it makes sense");
        run.record();
        to_the_end(&mut run);
        let recorded = run.choices().expect("they are recorded").to_vec();
        choices += recorded.len();
        let mut again: Simulation<_, Full> =
            Simulation::new(rules, &scenario, Choices::Recorded(recorded.clone())).expect("it makes sense");
        again.record();
        to_the_end(&mut again);
        assert_eq!(again.summary(), run.summary(), "{scenario:?}");
        assert_eq!(again.choices(), Some(recorded.as_slice()), "and it is recorded as it was");
        assert_eq!(again.bad_choice(), None);
    }
    assert!(choices > 5000, "only {choices} choices in all: the scenarios test little");
}

#[test]
fn recorded_choices_are_followed_whatever_the_seed() {
    // d = 3..8: choices 5 and 0 are delays of 8 and 3. FIFO lets the second not arrive before the first.
    for seed in 0..20 {
        let rules = || table::<OnRing>(&[(0, On::Wake, &[Send(0, 1), Send(0, 2)])]);
        let scenario = Scenario { seed, ..ranged(2, (1, 1), (3, 8), Reading::Immediate) };
        assert_eq!(play_by(&scenario, rules(), Choices::Recorded(vec![5, 0])).receipts(1), [8, 8]);
        assert_eq!(play_by(&scenario, rules(), Choices::Recorded(vec![0, 5])).receipts(1), [3, 8]);
        let any = Scenario { links: Links::Any, ..scenario };
        assert_eq!(play_by(&any, rules(), Choices::Recorded(vec![5, 0])).receipts(1), [3, 8]);
    }
}

#[test]
fn when_the_list_is_used_up_every_choice_is_the_least() {
    let rules = table::<OnRing>(&[(0, On::Wake, &[Toss(0, 10), Toss(0, 10), Toss(0, 10)])]);
    let played = play_by(&scenario(2, 1, 1, Reading::Immediate), rules, Choices::Recorded(vec![7]));
    let words: Vec<_> = played.after_waking().iter().map(|(_, _, took)| *took).collect();
    assert_eq!(words, [Took::Receive(0, 7), Took::Receive(0, 0), Took::Receive(0, 0)]);
}

#[test]
fn a_choice_that_does_not_exist_is_reported() {
    let run_of = |list: &[u64]| {
        let rules = table::<OnRing>(&[(0, On::Wake, &[Toss(0, 10), Toss(0, 4), Toss(0, 4)])]);
        let scenario = scenario(2, 1, 1, Reading::Immediate);
        let mut run: Simulation<_> =
            Simulation::new(rules, &scenario, Choices::Recorded(list.to_vec())).expect("it makes sense");
        to_the_end(&mut run);
        run.bad_choice()
    };
    assert_eq!(run_of(&[9, 3, 3]), None);
    assert_eq!(run_of(&[]), None);
    assert_eq!(run_of(&[10]), Some(BadChoice { index: 0, choice: 10, bound: 10 }));
    assert_eq!(run_of(&[9, 5, 6]), Some(BadChoice { index: 1, choice: 5, bound: 4 }), "the first one");
}

// ---------------------------------------------------------------------------------------------------------------------
// Slices.

fn sliced<S: Shape>() {
    for (index, scenario) in scenarios::<S>().enumerate().step_by(3) {
        let rules = Chatter::<S>::new(&scenario);
        let whole = chatter::<S, Full>(&scenario, rules.clone()).summary();
        for most in [1, 2, 7, 64] {
            let mut random = Random::new(index as u64);
            let mut run: Simulation<_, Full> =
                Simulation::new(rules.clone(), &scenario, Choices::Drawn).expect("it makes sense");
            let ended = (0..100_000).any(|_| {
                // Looking at it changes nothing.
                run.summary();
                run.advance(1 + random.below(most))
            });
            assert!(ended);
            assert_eq!(run.summary(), whole, "slices of up to {most}, {scenario:?}");
            assert!(run.advance(10), "what is over stays over");
            assert_eq!(run.summary(), whole);
        }
    }
}

#[test]
fn a_slice_is_about_as_long_as_its_budget() {
    // One message circulates forever: every budget returns, after about that number of deliveries.
    let rules = table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)]), (0, On::Receive(1), &[Send(0, 1)])]);
    let mut run: Simulation<_> =
        Simulation::new(rules, &scenario(1, 1, 1, Reading::Immediate), Choices::Drawn).expect("it makes sense");
    for slice in 1..=10 {
        assert!(!run.advance(100));
        let deliveries = run.summary().cost.deliveries;
        assert!((100 * slice - 10..=100 * slice + 10).contains(&deliveries), "{deliveries}");
    }
}

#[test]
fn a_slice_ends_also_where_nothing_is_delivered() {
    // Two timers that set each other, forever.
    let rules = table::<OnRing>(&[
        (0, On::Wake, &[Set('a', 1)]),
        (0, On::Timeout('a'), &[Set('b', 0)]),
        (0, On::Timeout('b'), &[Set('a', 0)]),
    ]);
    let mut run: Simulation<_> =
        Simulation::new(rules, &scenario(1, 1, 1, Reading::Immediate), Choices::Drawn).expect("it makes sense");
    assert!(!run.advance(1000));
}

/// All wake at time 0, and a timer of each expires there; all messages arrive at time 1, and a timer of each expires there.
#[test]
fn a_long_instant_is_divided_into_slices() {
    const N: usize = 100_000;
    let rules = table::<OnRing>(&[
        (EVERYWHERE, On::Wake, &[Send(0, 1), Set('a', 0)]),
        (EVERYWHERE, On::Timeout('a'), &[Set('b', 1)]),
    ]);
    for reading in [Reading::Immediate, Reading::PerTick, Reading::PerStep] {
        let scenario = scenario(N, 1, 1, reading);
        let start = |choices| -> Simulation<_, Full> {
            Simulation::new(rules.clone(), &scenario, choices).expect("it makes sense")
        };
        let whole = {
            let mut run = start(Choices::Drawn);
            to_the_end(&mut run);
            run.summary()
        };
        assert_eq!((whole.cost.messages(), whole.cost.deliveries), (N as u64, N as u64));
        let mut run = start(Choices::Drawn);
        run.record();
        let mut looks = Vec::new();
        while !run.advance(1) {
            looks.push((run.position(), run.now(), run.summary()));
        }
        let (_, before) = looks.split_last().expect("there are many");
        assert!(before.iter().all(|(_, _, summary)| summary.reason == Some(StopReason::Interrupted)));
        assert_eq!(run.summary(), whole, "{reading:?}");
        for time in [0, 1] {
            let slices = looks.iter().filter(|(_, now, _)| *now == time).count();
            assert!(slices >= 4, "{reading:?}: {slices} slices at time {time}");
        }
        assert!(looks.windows(2).all(|two| two[0].2.cost.steps <= two[1].2.cost.steps));
        let (position, now, stopped) = &looks[looks.len() / 2];
        let mut again = start(Choices::Recorded(run.choices().expect("it is recorded").to_vec()));
        assert!(!again.advance_to(*position));
        assert_eq!((again.now(), &again.summary()), (*now, stopped));
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Without full detail.

/// All that a lean run has to say too.
fn essence(summary: &Summary) -> impl PartialEq + Debug + use<> {
    let cost = &summary.cost;
    let passes: Vec<_> = cost.kinds.iter().map(|(kind, passes)| (kind.name, *passes)).collect();
    let result = (summary.outcome.clone(), summary.finished, summary.verdict, summary.reason);
    (result, passes, cost.time, cost.time_elected, cost.deliveries, cost.phases)
}

/// Result, passes, times, and what became of every processor.
fn lean_is_full<S: Shape>(scenario: &Scenario) -> Summary {
    let rules = Chatter::<S>::new(scenario);
    let full = chatter::<S, Full>(scenario, rules.clone());
    let lean = chatter::<S, Lean>(scenario, rules);
    for place in 0..scenario.n as Place {
        assert_eq!(lean.processor(place), full.processor(place), "place {place}, {scenario:?}");
    }
    assert_eq!(essence(&lean.summary()), essence(&full.summary()), "{scenario:?}");
    full.summary()
}

fn lean_small<S: Shape>() {
    for scenario in scenarios::<S>().filter(|scenario| scenario.links != Links::Half && scenario.faults.is_empty()) {
        lean_is_full::<S>(&scenario);
    }
}

fn lean_faulty<S: Shape>() {
    for scenario in scenarios::<S>().filter(|scenario| scenario.links != Links::Half && !scenario.faults.is_empty()) {
        lean_is_full::<S>(&scenario);
    }
}

fn lean_half<S: Shape>() {
    for scenario in scenarios::<S>().filter(|scenario| scenario.links == Links::Half && scenario.faults.is_empty()) {
        lean_is_full::<S>(&scenario);
    }
}

/// Hundreds of processors that all wake at once: hundreds of messages arrive at every instant, many at the same place.
fn lean_crowded<S: Shape>() {
    for reading in Reading::ALL {
        for d in [(0, 0), (1, 1), (0, 2), (1, 3)] {
            for (seed, n) in [(1, 65), (2, 150), (3, 400)] {
                for links in [Links::Fifo, Links::Any] {
                    let mut crowd = Scenario { seed, links, ..ranged(n, (1, 1), d, reading) };
                    if n == 150 && S::Network::TOPOLOGY == Topology::Complete {
                        crowd.ports = Ports::Shuffled(seed);
                    }
                    let summary = lean_is_full::<S>(&crowd);
                    assert!(summary.cost.deliveries > 10 * n as u64, "{} is no crowd", summary.cost.deliveries);
                }
            }
        }
    }
}

#[test]
fn lean_gives_the_same_as_full_in_a_crowd_on_half_duplex_links() {
    // Who takes a link first, of two that want it at one instant, must not depend on the detail.
    for seed in 0..5 {
        let crowd = Scenario { seed, links: Links::Half, ..scenario(200, 1, 2, Reading::Immediate) };
        lean_is_full::<OnBidirectional>(&crowd);
        lean_is_full::<OnComplete>(&crowd);
    }
}

#[test]
fn lean_gives_the_same_as_full_when_relays_crowd_on_half_duplex_links() {
    // The same without timers: neighbours that receive at one instant answer over the link between them.
    let crowd = Scenario { ids: Vec::new(), links: Links::Half, ..ranged(200, (1, 1), (1, 2), Reading::Immediate) };
    let mut full: Simulation<_, Full> =
        Simulation::new(Relay::<OnBidirectional>::new(&crowd, 1), &crowd, Choices::Drawn).expect("it makes sense");
    let mut lean: Simulation<_, Lean> =
        Simulation::new(Relay::<OnBidirectional>::new(&crowd, 1), &crowd, Choices::Drawn).expect("it makes sense");
    // The run is endless; passes and deliveries are looked at after every instant.
    for _ in 0..200 {
        full.advance(1);
        lean.advance(1);
        let (full, lean) = (full.summary().cost, lean.summary().cost);
        assert_eq!((lean.time, lean.deliveries, lean.messages()), (full.time, full.deliveries, full.messages()));
    }
}

#[test]
fn lean_and_full_end_at_the_same_time_also_where_the_last_event_is_no_step() {
    // The last step is at 1; what was cancelled would have come at 9.
    let rules =
        || table::<OnRing>(&[(0, On::Wake, &[Set('a', 1), Set('b', 9)]), (0, On::Timeout('a'), &[Cancel('b')])]);
    let alone = scenario(1, 1, 1, Reading::Immediate);
    let mut lean: Simulation<_, Lean> = Simulation::new(rules(), &alone, Choices::Drawn).expect("it makes sense");
    to_the_end(&mut lean);
    let full = play(&alone, rules()).summary.cost;
    assert_eq!((lean.summary().cost.time, full.time), (1, 1));
}

#[test]
fn lean_lists_leaders_in_the_order_of_full() {
    // A hundred rivals that declare themselves at one instant: they are listed in the order in which they did, and
    // arrivals go by place.
    let places: Vec<Place> = (0..100).collect();
    let rules: Vec<(Place, On, &[Do])> = places
        .iter()
        .flat_map(|place| [(*place, On::Wake, &[Send(0, 1)] as &[Do]), (*place, On::Receive(1), &[Lead])])
        .collect();
    let rivals = scenario(100, 1, 1, Reading::Immediate);
    let mut lean: Simulation<_, Lean> =
        Simulation::new(table::<OnRing>(&rules), &rivals, Choices::Drawn).expect("it makes sense");
    to_the_end(&mut lean);
    for summary in [play(&rivals, table::<OnRing>(&rules)).summary, lean.summary()] {
        let Outcome::Election { leaders, .. } = summary.outcome else { panic!("it is an election") };
        assert_eq!(leaders.iter().map(|leader| leader.place as Place).collect::<Vec<_>>(), places);
    }
}
