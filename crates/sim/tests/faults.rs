//! Crashes, restarts, pauses, cuts, loss and duplication: what each does, and that nothing fails unless the scenario says so.

use crate::common::Do::{BeTold, Follow, Lead, Send, SendUnlessTold, Set};
use crate::common::Took::{Receive, Timeout, Wake};
use crate::common::*;
use ringleader_model::{
    AtMost, ChoicePoint, Clocks, Faults, Links, Place, Range, Reading, Scenario, ScheduledChoices, Share, Time,
};
use ringleader_sim::{Choices, Full, Run, Simulation, StopReason, Verdict};

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

/// A caller that waits for a number of messages waits for those that are lost as well, whatever the slices that it asks for.
#[test]
fn messages_that_are_lost_are_waited_for() {
    let again: &[Do] = &[Send(0, 1), Set('a', 1)];
    let rules = || table::<OnRing>(&[(0, On::Wake, again), (0, On::Timeout('a'), again)]);
    let cut = "cut:0-1@0..1000000".parse().expect("they are faults");
    for scenario in [
        losing(scenario(2, 5, 3, Reading::Immediate), 1, 1),
        Scenario { faults: cut, ..scenario(2, 5, 3, Reading::Immediate) },
    ] {
        for slice in [1, 7, 20] {
            let mut run: Simulation<_, Full> =
                Simulation::new(rules(), &scenario, Choices::Drawn).expect("it makes sense");
            while run.deliveries() < 20 {
                assert!(!run.advance((20 - run.deliveries()).min(slice)), "it never ends");
            }
            let cost = run.summary().cost;
            assert_eq!((cost.deliveries, cost.lost, cost.time), (0, 20, 95), "{slice} {:?}", scenario.faults);
        }
    }
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
// Restarts.

fn with(scenario: Scenario, faults: &str) -> Scenario {
    Scenario { faults: faults.parse().expect("they are faults"), ..scenario }
}

/// Ticks of 5, a message that takes 12. Down from 7 to 13: the message at 12 and timer b, due at 15, are lost. The new clock
/// ticks at 13, 18, 23, 28.
#[test]
fn a_processor_that_restarts_wakes_and_has_forgotten_everything() {
    for reading in Reading::ALL {
        let scenario = with(scenario(2, 5, 12, reading), "crash:1@7,restart:1@13");
        let rules = table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)]), (1, On::Wake, &[Set('a', 1), Set('b', 3)])]);
        let steps = [
            (0, 0, Wake),
            (0, 1, Wake),
            (5, 1, Timeout('a')),
            (13, 1, Wake),
            (18, 1, Timeout('a')),
            (28, 1, Timeout('b')),
        ];
        assert_eq!(play(&scenario, rules).steps, steps, "{reading:?}");
    }
}

#[test]
fn a_message_in_flight_is_received_after_a_restart() {
    // It arrives at 12, at a processor whose new clock ticks at 4, 9, 14.
    for (reading, at) in [(Reading::Immediate, 12), (Reading::PerTick, 14), (Reading::PerStep, 14)] {
        let scenario = with(scenario(2, 5, 12, reading), "restart:1@4");
        assert_eq!(play(&scenario, table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)])])).receipts(1), [at], "{reading:?}");
    }
}

#[test]
fn what_waits_to_be_read_is_lost_by_a_restart() {
    // Arrives at 3, would be read at 5.
    for reading in [Reading::PerTick, Reading::PerStep] {
        for varying in [false, true] {
            let mut scenario = with(scenario(2, 5, 3, reading), "restart:1@4");
            if varying {
                (scenario.timing.r, scenario.timing.clocks) = (Range::new(5, 6), Clocks::Varying);
            }
            let played = play(&scenario, table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)])]));
            assert_eq!((played.receipts(1), played.steps.len()), (vec![], 3), "the third is the second waking");
        }
    }
}

/// Place 1 sends 7 on waking, unless it was told; what it is told, at 3, survives.
#[test]
fn what_the_protocol_keeps_survives_a_restart() {
    let rules = || {
        table::<OnRing>(&[
            (0, On::Wake, &[Send(0, 1)]),
            (1, On::Receive(1), &[BeTold]),
            (1, On::Wake, &[SendUnlessTold(0, 7)]),
        ])
    };
    let quiet = || scenario(2, 1, 3, Reading::Immediate);
    assert_eq!(play(&with(quiet(), "restart:1@5"), rules()).receipts(0), [3]);
    assert_eq!(play(&with(quiet(), "restart:1@2"), rules()).receipts(0), [3, 5]);
}

#[test]
fn a_restart_wakes_once_whatever_was_planned() {
    let wakes = |scenario: Scenario, faults: &str| {
        // Without an effect, a waking would be no step.
        let steps = play(&with(scenario, faults), table::<OnRing>(&[(1, On::Wake, &[Set('a', 1)])])).steps;
        let woken = |(time, place, took)| (place == 1 && took == Wake).then_some(time);
        steps.into_iter().filter_map(woken).collect::<Vec<Time>>()
    };
    let late = waking(scenario(2, 5, 3, Reading::Immediate), &[(0, 0), (1, 9)]);
    assert_eq!(wakes(late.clone(), "none"), [9]);
    assert_eq!(wakes(late.clone(), "restart:1@4"), [4]);
    assert_eq!(wakes(late.clone(), "restart:1@9"), [9]);
    assert_eq!(wakes(late, "crash:1@2,restart:1@12"), [12]);
    let all = scenario(2, 5, 3, Reading::Immediate);
    assert_eq!(wakes(all.clone(), "restart:1@0"), [0]);
    assert_eq!(wakes(all, "restart:1@3,crash:1@4,restart:1@6,restart:1@6"), [0, 3, 6, 6]);
}

#[test]
fn one_that_has_forgotten_its_leader_is_expected_to_know_one_again() {
    let rules = || table::<OnRing>(&[(0, On::Wake, &[Lead, Send(0, 1)]), (1, On::Receive(1), &[Follow(0)])]);
    let verdict = |faults| play(&with(scenario(2, 1, 3, Reading::Immediate), faults), rules()).summary.verdict;
    assert_eq!(verdict("crash:1@1"), Verdict::Held, "nothing is expected of it");
    assert_eq!(verdict("restart:1@2"), Verdict::Held, "it is told at 3");
    assert_eq!(verdict("restart:1@4"), Verdict::Violated, "nobody tells it again");
    assert_eq!(verdict("restart:0@4"), Verdict::Held, "the leader says it again");
}

// ---------------------------------------------------------------------------------------------------------------------
// Pauses.

/// Ticks at 0, 5, 10, 15. A pause of 6 that begins after 5 and not after 10 makes the second tick 11 long.
#[test]
fn a_pause_makes_one_tick_longer() {
    let rules = || table::<OnRing>(&[(0, On::Wake, &[Set('a', 1), Set('b', 2), Set('c', 3)])]);
    for reading in Reading::ALL {
        let timeouts = |faults: &str| play(&with(scenario(1, 5, 3, reading), faults), rules()).timeouts(0);
        for from in 6..=10 {
            assert_eq!(timeouts(&format!("pause:0@{from}+6")), [5, 16, 21], "{from}");
        }
        assert_eq!(timeouts("pause:0@5+6"), [11, 16, 21]);
        assert_eq!(timeouts("pause:0@11+6"), [5, 10, 21]);
        assert_eq!(timeouts("pause:0@6+6,pause:0@17+2"), [5, 16, 23]);
        assert_eq!(timeouts("pause:0@6+4,pause:0@10+2,pause:0@7+2"), [5, 16, 21], "to 12 in all");
        assert_eq!(timeouts("pause:0@0+3"), [8, 13, 18], "it wakes at 3");
    }
}

/// No processor can tell a pause from a slow clock: the same steps at the same times, and so the same digest, as where the tick
/// in which the pause begins takes that much longer.
#[test]
fn a_pause_is_a_long_tick() {
    let rules = || {
        table::<OnRing>(&[
            (0, On::Wake, &[Set('a', 1)]),
            (0, On::Timeout('a'), &[Send(0, 1), Set('b', 1)]),
            (0, On::Timeout('b'), &[Send(0, 2), Set('c', 4)]),
            (0, On::Timeout('c'), &[Send(0, 1), Send(0, 2)]),
            (1, On::Wake, &[Set('x', 3)]),
            (1, On::Receive(1), &[Send(0, 9), Set('y', 2)]),
            (1, On::Timeout('x'), &[Send(0, 5), Set('z', 4)]),
            (0, On::Receive(9), &[Send(0, 2)]),
        ])
    };
    for (from, length) in (1..24u64).flat_map(|from| (1..7).map(move |length| (from, length))) {
        let paused = with(scenario(2, 2, 3, Reading::PerStep), &format!("pause:1@{from}+{length}"));
        // Steps at 2, 4, 6, …: the first at or after the beginning of the pause comes later.
        let mut slow = ranged(2, (2, 2 + length), (3, 3), Reading::PerStep);
        slow.timing.clocks = Clocks::Varying;
        let mut lengths = ScheduledChoices::default();
        for _ in 1..from.div_ceil(2) {
            lengths.add(ChoicePoint::StepLength, 1, 0);
        }
        lengths.add(ChoicePoint::StepLength, 1, length);
        let (paused, slow) = (play(&paused, rules()), play_by(&slow, rules(), Choices::Scheduled(lengths)));
        assert_eq!(paused.steps, slow.steps, "{from}+{length}");
        assert_eq!(paused.summary, slow.summary, "{from}+{length}");
        assert!(paused.steps.len() > 12);
    }
}

/// Ticks at 0, 2, 4, …, delays of 3. Two messages arrive at 3; the first tick after a pause from 2 to 12 is at 12.
#[test]
fn messages_wait_for_the_end_of_a_pause() {
    let receipts = |reading, faults| play(&with(scenario(2, 2, 3, reading), faults), burst(&[1, 2])).after_waking();
    let both = |time| vec![(time, 1, Receive(0, 1)), (time, 1, Receive(0, 2))];
    assert_eq!(receipts(Reading::Immediate, "pause:1@2+10"), both(12));
    assert_eq!(receipts(Reading::PerStep, "pause:1@2+10"), both(12));
    assert_eq!(receipts(Reading::PerStep, "pause:1@1+10"), both(12), "the tick at 2 comes at 12");
    assert_eq!(receipts(Reading::PerTick, "pause:1@2+10"), [(12, 1, Receive(0, 1)), (14, 1, Receive(0, 2))]);
    assert_eq!(receipts(Reading::Immediate, "pause:1@3+1"), both(4));
    assert_eq!(receipts(Reading::Immediate, "pause:1@4+10"), both(3), "they have been handled before");
    assert_eq!(receipts(Reading::PerStep, "pause:1@4+10"), both(14), "they have arrived but not been read");
}

/// One message arrives at 5, in the pause, the other at 9, at its end: they keep their order.
#[test]
fn links_keep_their_order_at_the_end_of_a_pause() {
    let rules = || table::<OnRing>(&[(0, On::Wake, &[Send(0, 1), Set('a', 4)]), (0, On::Timeout('a'), &[Send(0, 2)])]);
    for reading in [Reading::Immediate, Reading::PerStep] {
        let scenario = with(scenario(2, 1, 5, reading), "pause:1@3+6");
        let steps = [(4, 0, Timeout('a')), (9, 1, Receive(0, 1)), (9, 1, Receive(0, 2))];
        assert_eq!(play(&scenario, rules()).after_waking(), steps, "{reading:?}");
    }
}

#[test]
fn a_crash_ends_a_pause() {
    let rules = || table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)]), (1, On::Wake, &[Set('a', 2)])]);
    let steps = |faults| play(&with(scenario(2, 5, 3, Reading::Immediate), faults), rules()).steps;
    let woken = [(0, 0, Wake), (0, 1, Wake)];
    assert_eq!(steps("pause:1@2+20,crash:1@4"), woken);
    assert_eq!(steps("pause:1@2+20,restart:1@4"), [&woken[..], &[(4, 1, Wake), (14, 1, Timeout('a'))]].concat());
}

// ---------------------------------------------------------------------------------------------------------------------
// Cuts.

/// Place 0 sends at 1, 2, …, 10 by this port.
fn ten<S: Shape>(port: u32) -> RuleTable<S> {
    let letters: Vec<char> = ('a'..='k').collect();
    let mut rules = vec![(0, On::Wake, vec![Set('a', 1)])];
    rules.extend(letters.windows(2).map(|pair| (0, On::Timeout(pair[0]), vec![Send(port, 1), Set(pair[1], 1)])));
    table(&rules.iter().map(|(place, on, what)| (*place, *on, what.as_slice())).collect::<Vec<_>>())
}

#[test]
fn what_is_sent_or_arrives_during_a_cut_is_lost() {
    let receipts = |d, faults| play(&with(scenario(3, 1, d, Reading::Immediate), faults), ten::<OnRing>(0)).receipts(1);
    // What is sent at 5, 6 and 7, and what was sent at 2, 3 and 4 and arrives at 5, 6 and 7.
    for faults in ["cut:0-1@5..8", "cut:1-0@5..8", "cut:0-1@5..6,cut:1-0@6..8", "cut:0-1@5..8,cut:0-1@6..7"] {
        assert_eq!(receipts(3, faults), [4, 11, 12, 13], "{faults}");
    }
    assert_eq!(receipts(10, "cut:0-1@5..8"), [11, 12, 13, 14, 18, 19, 20], "what is on its way all along is not");
    assert_eq!(receipts(3, "cut:1-2@0..99,cut:2-0@0..99"), (4..14).collect::<Vec<_>>(), "other links are not cut");
}

#[test]
fn a_cut_goes_both_ways_and_frees_a_half_duplex_link() {
    for (port, place) in [(RIGHT, 1), (LEFT, 2)] {
        let quiet = Scenario { links: Links::Half, ..scenario(3, 1, 1, Reading::Immediate) };
        let receipts = |faults: &str| play(&with(quiet.clone(), faults), ten::<OnBidirectional>(port)).receipts(place);
        assert_eq!(receipts("none"), (2..12).collect::<Vec<_>>());
        // Sent at 5, 6 and 7, and at 4, which arrives at 5.
        assert_eq!(receipts(&format!("cut:{place}-0@5..8")), [2, 3, 4, 9, 10, 11], "{place}");
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Loss and duplication.

#[test]
fn nothing_fails_by_default() {
    assert!(Scenario::default().faults.is_empty());
    let at_most = AtMost { crashes: 0, losses: 0, duplicates: 0, restarts: 0, cuts: 0, pauses: 0 };
    let (restarts, pauses, cuts) = (vec![], vec![], vec![]);
    let none = Faults { crashes: vec![], restarts, pauses, cuts, loss: None, duplicate: None, until: None, at_most };
    assert_eq!(Faults::default(), none);
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
