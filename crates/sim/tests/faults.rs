//! Crashes, loss and duplication: what each does, and that nothing fails unless the scenario says so.

use crate::common::Do::{Follow, Lead, Send, Set};
use crate::common::Took::{Receive, Timeout, Wake};
use crate::common::*;
use ringleader_model::{AtMost, Faults, Links, Place, Reading, Scenario, Share, Time};
use ringleader_sim::{StopReason, Verdict};

fn crashing(mut scenario: Scenario, place: Place, time: Time) -> Scenario {
    scenario.faults.crashes.push((place, time));
    scenario
}

fn losing(mut scenario: Scenario, part: u32, whole: u32) -> Scenario {
    scenario.faults.loss = Some(Share::new(part, whole).expect("it is a share"));
    scenario
}

fn doubling(mut scenario: Scenario, part: u32, whole: u32) -> Scenario {
    scenario.faults.duplicate = Some(Share::new(part, whole).expect("it is a share"));
    scenario
}

/// Messages that arrive of 2 * `count` sent on the one link of a ring of one.
fn arrive(scenario: &Scenario, count: u32) -> Vec<u64> {
    stream::<OnRing>(scenario, count).remove(0)
}

// ---------------------------------------------------------------------------------------------------------------------
// Crashes.

#[test]
fn a_crashed_processor_takes_no_further_steps() {
    // Ticks of 5: timers at 5, 10 and 15, a message at 12; the crash is at 7.
    for reading in Reading::ALL {
        let scenario = crashing(scenario(2, 5, 12, reading), 1, 7);
        let rules =
            table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)]), (1, On::Wake, &[Set('a', 1), Set('b', 2), Set('c', 3)])]);
        assert_eq!(play(&scenario, rules).steps, [(0, 0, Wake), (0, 1, Wake), (5, 1, Timeout('a'))]);
    }
}

#[test]
fn what_waits_to_be_read_is_not_read_after_the_crash() {
    // Arrives at 3, would be read at 5; the crash is at 4.
    for reading in [Reading::PerTick, Reading::PerStep] {
        let scenario = crashing(scenario(2, 5, 3, reading), 1, 4);
        assert_eq!(play(&scenario, table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)])])).receipts(1), [0u64; 0]);
    }
}

#[test]
fn what_was_sent_before_the_crash_still_arrives() {
    let scenario = crashing(scenario(2, 5, 12, Reading::Immediate), 0, 7);
    assert_eq!(play(&scenario, table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)])])).receipts(1), [12]);
}

#[test]
fn a_processor_that_crashed_in_its_sleep_does_not_wake() {
    let scenario = crashing(waking(scenario(2, 5, 3, Reading::Immediate), &[(0, 0), (1, 9)]), 1, 2);
    let played = play(&scenario, table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)])]));
    assert_eq!(played.steps, [(0, 0, Wake)]);
}

#[test]
fn only_the_crashed_is_hit() {
    let scenario = crashing(scenario(3, 5, 3, Reading::Immediate), 1, 1);
    let send: &[Do] = &[Send(0, 1)];
    let rules = table::<OnRing>(&[(0, On::Wake, send), (1, On::Wake, send), (2, On::Wake, send)]);
    assert_eq!(play(&scenario, rules).after_waking(), [(3, 0, Receive(0, 1)), (3, 2, Receive(0, 1))]);
}

#[test]
fn nothing_is_expected_of_the_crashed() {
    let rules = table::<OnRing>(&[(0, On::Wake, &[Lead]), (2, On::Wake, &[Follow(0)])]);
    let up = scenario(3, 5, 3, Reading::Immediate);
    assert_eq!(play(&up, rules.clone()).summary.verdict, Verdict::Violated, "without the crash one is missing");
    let summary = play(&crashing(up, 1, 4), rules).summary;
    assert!(summary.finished);
    assert_eq!(summary.verdict, Verdict::Held);
}

#[test]
fn a_never_timer_of_the_crashed_is_not_waited_for() {
    // Place 0 is silent without a result, and place 1, whose timer never comes, is no more: nothing can go on.
    for reading in Reading::ALL {
        let scenario = crashing(scenario(2, 5, 3, reading), 1, 4);
        let summary = play(&scenario, table::<OnRing>(&[(1, On::Wake, &[Set('a', NEVER)])])).summary;
        assert_eq!((summary.verdict, summary.reason), (Verdict::Violated, Some(StopReason::Silent)));
    }
}

#[test]
fn a_half_duplex_link_to_the_crashed_falls_free_again() {
    // Three messages to place 1, one after the other, the last by a timer: all pass the link and vanish.
    let mut scenario = crashing(scenario(3, 1, 4, Reading::Immediate), 1, 2);
    scenario.links = Links::Half;
    let rules = table::<OnBidirectional>(&[
        (0, On::Wake, &[Send(RIGHT, 1), Send(RIGHT, 2), Set('a', 1)]),
        (0, On::Timeout('a'), &[Send(RIGHT, 3)]),
    ]);
    let played = play(&scenario, rules);
    assert_eq!(played.after_waking(), [(8, 0, Timeout('a'))]);
    assert_eq!(played.summary.cost.messages(), 3);
}

// ---------------------------------------------------------------------------------------------------------------------
// Loss and duplication.

#[test]
fn nothing_fails_by_default() {
    assert!(Scenario::default().faults.is_empty());
    let at_most = AtMost { crashes: 0, losses: 0, duplicates: 0 };
    assert_eq!(Faults::default(), Faults { crashes: vec![], loss: None, duplicate: None, until: None, at_most });
    assert_eq!(arrive(&scenario(1, 1, 1, Reading::Immediate), 500), (0..1000).collect::<Vec<_>>());
}

#[test]
fn a_share_of_none_loses_and_doubles_nothing() {
    let all: Vec<u64> = (0..1000).collect();
    for seed in 0..10 {
        let scenario = Scenario { seed, ..scenario(1, 1, 1, Reading::Immediate) };
        assert_eq!(arrive(&losing(scenario.clone(), 0, 7), 500), all);
        assert_eq!(arrive(&doubling(scenario, 0, 7), 500), all);
    }
}

#[test]
fn a_share_of_all_loses_and_doubles_everything() {
    let twice: Vec<u64> = (0..1000).flat_map(|word| [word, word]).collect();
    for seed in 0..10 {
        let scenario = Scenario { seed, ..scenario(1, 1, 1, Reading::Immediate) };
        for (part, whole) in [(1, 1), (7, 7)] {
            assert_eq!(arrive(&losing(scenario.clone(), part, whole), 500), [0u64; 0]);
            assert_eq!(arrive(&doubling(scenario.clone(), part, whole), 500), twice);
        }
    }
}

#[test]
fn a_quarter_of_the_messages_is_lost() {
    // Of 10,000 sent, 7,500 arrive; standard deviation sqrt(10,000 * 1/4 * 3/4) = 43.3, five of them are 217.
    for seed in 0..5 {
        let scenario = Scenario { seed, ..losing(scenario(1, 1, 1, Reading::Immediate), 1, 4) };
        let came = arrive(&scenario, 5000);
        assert!((7283..=7717).contains(&came.len()), "{}", came.len());
        assert!(came.windows(2).all(|pair| pair[0] < pair[1]), "the others arrive once, in order");
    }
}

#[test]
fn a_third_of_the_messages_arrives_twice() {
    // Of 10,000 sent, 13,333 arrive; standard deviation sqrt(10,000 * 1/3 * 2/3) = 47.1, five of them are 236.
    for seed in 0..5 {
        let scenario = Scenario { seed, ..doubling(scenario(1, 1, 1, Reading::Immediate), 1, 3) };
        let mut came = arrive(&scenario, 5000);
        assert!((13_097..=13_569).contains(&came.len()), "{}", came.len());
        let triple = came.windows(3).any(|three| three[0] == three[2]);
        came.dedup();
        assert!(!triple && came == (0..10_000).collect::<Vec<_>>(), "the others arrive once, and all in order");
    }
}

#[test]
fn losses_are_spread_and_differ_by_seed() {
    let lost = |seed| {
        let scenario = Scenario { seed, ..losing(scenario(1, 1, 1, Reading::Immediate), 1, 2) };
        arrive(&scenario, 500)
    };
    assert_ne!(lost(1), lost(2));
    // In each hundred of one thousand, 50 are lost on average, standard deviation 5; five of them are 25.
    for hundred in 0..10 {
        let came = lost(3).iter().filter(|word| **word / 100 == hundred).count();
        assert!((25..=75).contains(&came), "{came}");
    }
}

#[test]
fn duplicates_on_a_fifo_link_keep_the_order() {
    for seed in 0..20 {
        let scenario = Scenario { seed, ..doubling(ranged(1, (1, 1), (0, 20), Reading::Immediate), 1, 2) };
        let came = arrive(&scenario, 50);
        assert!(came.len() > 100 && came.is_sorted(), "{came:?}");
    }
}

#[test]
fn loss_and_duplication_reach_every_network() {
    let count = |came: Vec<Vec<u64>>| came.iter().map(Vec::len).sum::<usize>();
    let quiet = scenario(4, 1, 1, Reading::PerStep);
    // 6 messages on each link direction: 4 on the ring, 8 on the bidirectional ring, 12 on the complete network.
    let (none, twice) = (losing(quiet.clone(), 1, 1), doubling(quiet, 1, 1));
    assert_eq!([count(stream::<OnRing>(&none, 3)), count(stream::<OnRing>(&twice, 3))], [0, 48]);
    assert_eq!([count(stream::<OnBidirectional>(&none, 3)), count(stream::<OnBidirectional>(&twice, 3))], [0, 96]);
    assert_eq!([count(stream::<OnComplete>(&none, 3)), count(stream::<OnComplete>(&twice, 3))], [0, 144]);
}

#[test]
fn a_lost_message_does_not_block_a_half_duplex_link_for_ever() {
    let mut lossy = losing(scenario(3, 1, 4, Reading::Immediate), 1, 1);
    lossy.links = Links::Half;
    let rules = table::<OnBidirectional>(&[
        (0, On::Wake, &[Send(RIGHT, 1), Send(RIGHT, 2), Set('a', 20)]),
        (0, On::Timeout('a'), &[Send(RIGHT, 3)]),
    ]);
    assert_eq!(play(&lossy, rules).after_waking(), [(20, 0, Timeout('a'))]);
}

#[test]
fn a_doubled_message_takes_a_half_duplex_link_twice() {
    // d = 4: it arrives at 4 and 8, and the timer due at 1 finds the link free at 8; its message arrives at 12 and 16.
    let mut double = doubling(scenario(3, 1, 4, Reading::Immediate), 1, 1);
    double.links = Links::Half;
    let rules = table::<OnBidirectional>(&[
        (0, On::Wake, &[Send(RIGHT, 1), Set('a', 1)]),
        (0, On::Timeout('a'), &[Send(RIGHT, 2)]),
    ]);
    let played = play(&double, rules);
    assert_eq!((played.receipts(1), played.timeouts(0)), (vec![4, 8, 12, 16], vec![8]));
}
