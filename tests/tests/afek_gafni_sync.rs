//! Afek and Gafni's synchronous election, held against the lecture.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use conformance::{
    Draw, Played, asked, assert_bounds, assert_elected, finished, orders, passes, prepared, ring, wake_sets,
};
use ringleader::Setup;
use ringleader::model::{Outcome, Place, Ports, Preset, Reading, Scenario, Timing, Wakes};
use ringleader::protocols::election::afek_gafni_sync::{AfekGafniSync, Call};
use ringleader::sim::{Effect, Run, Summary};

fn rounds() -> Timing {
    Preset::Rounds.timing(Reading::Immediate)
}

/// When the first wakes, and the greatest identity of those that wake then.
fn first_and_greatest(scenario: &Scenario) -> (u64, u64) {
    let wakes = (0..scenario.n).filter_map(|place| Some((scenario.wake_at(place as Place)?, scenario.ids[place])));
    let (time, Reverse(id)) = wakes.map(|(time, id)| (time, Reverse(id))).min().expect("somebody wakes");
    (time, id)
}

/// How many are asked in each double round by who goes on to the end: 1, 2, 4, … and the rest.
fn asked_in_turn(n: u64) -> Vec<u64> {
    let (mut left, mut turns) = (n - 1, Vec::new());
    while left > 0 {
        turns.push(left.min(1 << turns.len()));
        left -= turns[turns.len() - 1];
    }
    turns
}

/// At most so many candidates ask in a double round, the first being 0: those that the winner leaves any to ask share the
/// rest.
fn most_candidates(n: u64, double_round: u32) -> u64 {
    if double_round == 0 { n } else { n / (1 << (double_round - 1)) - 1 }
}

fn n_log_n(n: u64) -> f64 {
    n as f64 * (n as f64).log2()
}

/// Runs it, and checks what is true of every run.
fn run(scenario: &Scenario) -> Summary {
    let mut run = prepared::<AfekGafniSync>(&[], scenario).expect("the scenario suits it");
    run.log();
    let summary = finished(&mut run);
    assert_bounds(&run, scenario);
    let (first, id) = first_and_greatest(scenario);
    assert_elected(&summary, scenario, Some(id));
    let n = scenario.n as u64;
    let turns = asked_in_turn(n);
    assert_eq!(summary.cost.time_elected, Some(first + 2 * turns.len() as u64), "{scenario:?}");
    assert_eq!(summary.cost.split(true), n - 1, "{scenario:?}");
    let (candidates, acks) = (passes(&summary, "candidate"), passes(&summary, "ack"));
    assert!(candidates >= n - 1 && acks >= n - 1, "the winner asks all and is acknowledged by all: {scenario:?}");
    assert!(acks as f64 <= n_log_n(n), "slide 11, acks: {scenario:?}");
    assert!(candidates as f64 <= 2.0 * n_log_n(n), "twice slide 11, candidate messages: {scenario:?}");
    // Slide 11, "at most n/2^(i-1) candidate processes left after (double) round i", one less by the winner's share.
    let mut asking = BTreeMap::new();
    for record in run.records() {
        let level = record.effects.iter().find_map(|effect| match effect {
            Effect::Send(_, Call::Candidate(standing)) => Some(standing.level),
            _ => None,
        });
        if let Some(level) = level {
            *asking.entry(level / 2).or_insert(0u64) += 1;
        }
    }
    for (double_round, count) in asking {
        assert!(count <= most_candidates(n, double_round), "{count} in {double_round}: {scenario:?}");
    }
    summary
}

#[test]
fn every_wake_set_of_every_order_up_to_five_elects_the_greatest_starter() {
    for n in 1..=5 {
        for ids in orders(n) {
            for wakes in wake_sets(n as usize) {
                for ports in [Ports::Plain, Ports::Shuffled(n)] {
                    run(&Scenario { wakes: wakes.clone(), ports, ..ring(&ids, rounds()) });
                }
            }
        }
    }
}

#[test]
fn of_those_that_start_in_different_rounds_the_first_and_greatest_wins() {
    let mut draw = Draw::new(50);
    for seed in 0..6000 {
        let n = draw.between(1, if seed % 10 == 0 { 300 } else { 24 }) as usize;
        let ids = draw.ids(n, 1000);
        let latest = draw.one_of(&[0, 1, 2, 5, 12]);
        let ports = draw.one_of(&[Ports::Plain, Ports::Shuffled(seed)]);
        run(&Scenario { wakes: draw.wakes(n, latest), ports, seed, ..ring(&ids, rounds()) });
    }
}

#[test]
fn with_the_greatest_and_least_identities_there_are_and_at_late_times_it_is_the_same() {
    let wakes = Wakes::At(vec![Some(1 << 62), None, Some((1 << 62) - 1), None, None]);
    let scenario = Scenario { wakes, ..ring(&[u64::MAX, 1, u64::MAX - 1, 2, 3], rounds()) };
    assert_eq!(first_and_greatest(&scenario).1, u64::MAX - 1);
    run(&scenario);
}

#[test]
fn who_starts_alone_asks_everybody_once() {
    for n in 1..=40 {
        for place in [0, n / 2, n - 1] {
            let mut wakes = vec![None; n];
            wakes[place] = Some(3);
            let ids: Vec<u64> = (1..=n as u64).collect();
            let summary = run(&Scenario { wakes: Wakes::At(wakes), ..ring(&ids, rounds()) });
            let others = n as u64 - 1;
            assert_eq!((passes(&summary, "candidate"), passes(&summary, "ack")), (others, others));
        }
    }
}

#[test]
fn one_is_elected_at_once_and_of_two_the_greater_after_two_rounds() {
    let alone = run(&ring(&[7], rounds()));
    assert_eq!((alone.cost.messages(), alone.cost.time_elected), (0, Some(0)));
    for ids in [[1, 2], [2, 1]] {
        let two = run(&ring(&ids, rounds()));
        // Each asks the other, the smaller acknowledges.
        assert_eq!((passes(&two, "candidate"), passes(&two, "ack"), two.cost.time_elected), (2, 1, Some(2)));
    }
}

/// (2,5) > (1,3001), as slide 4 has it: who started one round earlier is greater.
#[test]
fn an_earlier_start_counts_for_more_than_a_greater_identity() {
    let scenario = Scenario { wakes: Wakes::At(vec![Some(0), Some(1), None]), ..ring(&[5, 3001, 4], rounds()) };
    // 5 asks place 1 at 0, which is asleep: it is an ordinary process by the time it would wake.
    assert_eq!(passes(&run(&scenario), "candidate"), 2);
    let scenario = Scenario { wakes: Wakes::At(vec![Some(0), None, Some(1)]), ..ring(&[5, 4, 3001], rounds()) };
    // 3001 starts before 5 asks it, asks place 0 and gets no ack; 5 asks both.
    let summary = run(&scenario);
    assert_eq!((passes(&summary, "candidate"), passes(&summary, "ack")), (3, 2));
}

/// Levels of the lecture, counted by hand: 8 processors, the chain in which everybody asks the next smaller one first.
#[test]
fn claims_of_n_log_n_candidate_messages_and_2n_log_n_messages_are_exceeded() {
    // 2 asks 1, 1 asks 2, 3 asks 2; 3 and 2 are acknowledged and both ask the one that is left.
    let three = run(&ring(&[2, 1, 3], rounds()));
    assert_eq!((passes(&three, "candidate"), passes(&three, "ack")), (5, 3));
    assert!(n_log_n(3) < 5.0);
    let ids = [5, 2, 1, 4, 6, 8, 7, 3];
    let eight = run(&Scenario { ports: Ports::Shuffled(3830), ..ring(&ids, rounds()) });
    assert_eq!((passes(&eight, "candidate"), passes(&eight, "ack")), (8 + 7 * 2 + 3 * 4, 7 + 3 * 2 + 4));
    assert!(2.0 * n_log_n(8) < 51.0);
}

fn leaders(settings: &[(&str, &str)], scenario: &Scenario) -> Vec<u64> {
    let summary = finished(&mut prepared::<AfekGafniSync>(settings, scenario).expect("the scenario suits it"));
    let Outcome::Election { leaders, .. } = summary.outcome else { panic!("it was an election") };
    leaders.iter().map(|leader| leader.id.expect("it has a name").get()).collect()
}

#[test]
fn with_the_own_id_everywhere_one_that_starts_alone_is_elected_only_if_all_it_asks_are_smaller() {
    for settings in [&[("rules", "printed")], &[("printed", "own")]] {
        for n in 2..=4 {
            for ids in orders(n) {
                for starter in 0..n as usize {
                    let mut wakes = vec![None; n as usize];
                    wakes[starter] = Some(0);
                    let scenario = Scenario { wakes: Wakes::At(wakes), ..ring(&ids, rounds()) };
                    // Its first message finds a level of 0, all others a smaller one.
                    let expected =
                        if ids[usize::from(starter == 0)] < ids[starter] { vec![ids[starter]] } else { vec![] };
                    assert_eq!(leaders(settings, &scenario), expected, "{scenario:?}");
                    run(&scenario);
                }
            }
        }
    }
}

#[test]
fn with_0_everywhere_two_elect_each_other() {
    let scenario = ring(&[2, 1], rounds());
    assert_eq!(leaders(&[("printed", "zero")], &scenario), [2, 1]);
    let both = prepared::<AfekGafniSync>(&[("rules", "printed"), ("printed", "zero")], &scenario).err();
    assert_eq!(both.map(|bad| bad.field), Some("set"));
    assert_eq!(leaders(&[], &scenario), [2]);
}

#[test]
fn with_the_remaining_links_of_slide_4_two_of_three_are_elected() {
    // 2 asks 1, 1 asks 3, 3 asks 2: nobody has a link left over which no id went.
    let scenario = Scenario { ports: Ports::Shuffled(16), ..ring(&[2, 1, 3], rounds()) };
    assert_eq!(leaders(&[("printed", "slide-4")], &scenario), [2, 3]);
    assert_eq!(leaders(&[], &scenario), [3]);
}

#[test]
fn it_runs_in_rounds_and_not_otherwise() {
    for line in ["--timing unit", "--timing lockstep", "--d 1", "--r 2", "--reading per-step", "--delays max"] {
        let (protocol, options) = asked(&format!("afek-gafni-sync {line}"));
        let error = Setup::new(conformance::entry(&protocol), options).map(|_| ()).expect_err(line).to_string();
        assert!(error.contains("timing") && error.contains("rounds"), "{line}: {error}");
    }
    Played::of("afek-gafni-sync --timing rounds");
}
