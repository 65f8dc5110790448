//! Ticks and delays whose ranges change within a run: a tick has the length that is in force when it begins, a message the
//! delay that is in force when it is sent. Expected values are worked out by hand, or tick by tick.

use std::collections::BTreeSet;

use crate::common::Do::{Send, Set};
use crate::common::*;
use ringleader_model::{Clocks, Delays, Links, Offsets, Pause, Range, Reading, Restart, Scenario, Time};
use ringleader_sim::{Choices, Full, Random, Resolved};

/// Ticks of 5, and of 2 from a time on.
fn faster(from: Time, reading: Reading) -> Scenario {
    changing(scenario(1, 5, 1, reading), &[(0, (5, 5), (1, 1)), (from, (2, 2), (1, 1))])
}

#[test]
fn a_tick_that_has_begun_ends_as_it_began() {
    for reading in Reading::ALL {
        // The tick that begins at 10 ends at 15; from 12 on ticks that begin are 2 long.
        assert_eq!(play(&faster(12, reading), metronome(6)).timeouts(0), [5, 10, 15, 17, 19, 21]);
        // One that begins at the change is the first of the new length.
        assert_eq!(play(&faster(10, reading), metronome(5)).timeouts(0), [5, 10, 12, 14, 16]);
        // From the first on: ticks of 2.
        assert_eq!(play(&faster(1, reading), metronome(3)).timeouts(0), [5, 7, 9]);
    }
}

#[test]
fn a_running_timer_counts_own_ticks() {
    for reading in Reading::ALL {
        // 5, 10, 15, 17, 19, 21: the sixth tick.
        let six = table::<OnRing>(&[(0, On::Wake, &[Set('a', 6)])]);
        assert_eq!(play(&faster(12, reading), six).timeouts(0), [21]);
    }
}

#[test]
fn slowest_and_fastest_clocks_follow_the_range_in_force() {
    let change = [(0, (2, 5), (1, 1)), (6, (3, 7), (1, 1))];
    for (clocks, due) in [(Clocks::Slowest, [5, 10, 17, 24]), (Clocks::Fastest, [2, 4, 6, 9])] {
        let mut scenario = changing(ranged(1, (2, 5), (1, 1), Reading::PerTick), &change);
        scenario.timing.clocks = clocks;
        assert_eq!(play(&scenario, metronome(4)).timeouts(0), due);
    }
}

#[test]
fn a_fixed_clock_keeps_its_place_within_the_range() {
    // What is drawn once decides both lengths: of 1..4 the length L, of 1..8 then 2L - 1 or 2L, and of 1..4 again L.
    let change = [(0, (1, 4), (1, 1)), (40, (1, 8), (1, 1)), (80, (1, 4), (1, 1))];
    let mut seen = BTreeSet::new();
    for seed in 0..200 {
        let scenario = Scenario { seed, ..changing(ranged(1, (1, 4), (1, 1), Reading::Immediate), &change) };
        let before = play(&scenario, metronome(1)).timeouts(0)[0];
        let at = |ticks| play(&scenario, table::<OnRing>(&[(0, On::Wake, &[Set('a', ticks)])])).timeouts(0)[0];
        let begun = 40u64.div_ceil(before);
        let during = at(begun + 1) - at(begun);
        assert_eq!(at(200) - at(199), before, "the old range has the old length");
        assert!(during == 2 * before - 1 || during == 2 * before, "{before}, then {during}");
        seen.insert((before, during));
    }
    assert_eq!(seen.len(), 8, "both for each of four lengths");
}

#[test]
fn steps_of_varying_length_are_of_the_range_in_force_when_they_begin() {
    let change = [(0, (2, 5), (1, 1)), (20, (8, 9), (1, 1)), (50, (1, 1), (1, 1))];
    let mut seen = BTreeSet::new();
    for seed in 0..60 {
        let mut scenario = Scenario { seed, ..changing(ranged(1, (2, 5), (1, 1), Reading::PerStep), &change) };
        scenario.timing.clocks = Clocks::Varying;
        let mut times = vec![0];
        times.extend(play(&scenario, metronome(25)).timeouts(0));
        for pair in times.windows(2) {
            let (begins, length) = (pair[0], pair[1] - pair[0]);
            let range = if begins < 20 {
                2..=5
            } else if begins < 50 {
                8..=9
            } else {
                1..=1
            };
            assert!(range.contains(&length), "{length} at {begins}");
            seen.insert(length);
        }
    }
    assert_eq!(seen, BTreeSet::from([1, 2, 3, 4, 5, 8, 9]));
}

#[test]
fn a_long_rest_ends_within_the_range_in_force() {
    // Place 1 rests until a message arrives at 100,000: then its steps are 8 or 9 long, since 99,990 or since 50.
    for since in [50, 99_990] {
        let mut steps = BTreeSet::new();
        for seed in 0..60 {
            let change = [(0, (2, 5), (100_000, 100_000)), (since, (8, 9), (100_000, 100_000))];
            let mut scenario = Scenario { seed, ..changing(ranged(2, (2, 5), (1, 1), Reading::PerStep), &change) };
            scenario.timing.clocks = Clocks::Varying;
            let rules = table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)]), (1, On::Receive(1), &[Set('a', 1)])]);
            let played = play(&scenario, rules);
            let (read, next) = (played.receipts(1)[0], played.timeouts(1)[0]);
            assert!((100_000..100_009).contains(&read), "read at {read}");
            steps.insert(next - read);
        }
        assert_eq!(steps, BTreeSet::from([8, 9]));
    }
}

#[test]
fn a_timer_of_varying_ticks_draws_a_length_for_each_range_that_it_meets() {
    // Of 2..5 choice 1 is 3: ticks begin at 0 and 3, and the next at 6, where of 7..9 choice 2 is 9: 6 + 9 + 9.
    let mut scenario =
        changing(ranged(1, (2, 5), (1, 1), Reading::Immediate), &[(0, (2, 5), (1, 1)), (6, (7, 9), (1, 1))]);
    scenario.timing.clocks = Clocks::Varying;
    let four = table::<OnRing>(&[(0, On::Wake, &[Set('a', 4)])]);
    assert_eq!(play_by(&scenario, four, Choices::Recorded(vec![1, 2])).timeouts(0), [24]);
}

#[test]
fn a_message_takes_the_delay_in_force_when_it_is_sent_and_links_keep_their_order() {
    // Sent at 4, 5, 7, 8 and 9 with delays of 3, 10, 10, 1 and 1: due at 7, 15, 17, 9 and 10.
    let change = [(0, (1, 1), (3, 3)), (5, (1, 1), (10, 10)), (8, (1, 1), (1, 1))];
    let scenario = changing(scenario(2, 1, 3, Reading::Immediate), &change);
    let rules = || {
        table::<OnRing>(&[
            (0, On::Wake, &[Set('a', 4), Set('b', 5), Set('c', 7), Set('d', 8), Set('e', 9)]),
            (0, On::Timeout('a'), &[Send(0, 1)]),
            (0, On::Timeout('b'), &[Send(0, 2)]),
            (0, On::Timeout('c'), &[Send(0, 3)]),
            (0, On::Timeout('d'), &[Send(0, 4)]),
            (0, On::Timeout('e'), &[Send(0, 5)]),
        ])
    };
    assert_eq!(play(&scenario, rules()).receipts(1), [7, 15, 17, 17, 17], "first in, first out");
    let any = Scenario { links: Links::Any, ..scenario };
    assert_eq!(play(&any, rules()).receipts(1), [7, 9, 10, 15, 17]);
}

#[test]
fn delay_policies_follow_the_range_in_force() {
    let change = [(0, (1, 1), (2, 4)), (10, (1, 1), (6, 9))];
    let rules = || {
        table::<OnRing>(&[
            (0, On::Wake, &[Set('a', 9), Set('b', 10)]),
            (0, On::Timeout('a'), &[Send(0, 1)]),
            (0, On::Timeout('b'), &[Send(0, 2)]),
        ])
    };
    for (delays, due) in [(Delays::Min, [11, 16]), (Delays::Max, [13, 19]), (Delays::SlowestHigh, [11, 16])] {
        let mut scenario = changing(ranged(2, (1, 1), (2, 4), Reading::Immediate), &change);
        scenario.timing.delays = delays;
        assert_eq!(play(&scenario, rules()).receipts(1), due);
    }
}

#[test]
fn a_pause_makes_a_tick_longer_and_later_ticks_begin_when_they_begin() {
    for reading in Reading::ALL {
        // The tick of 10 comes at 14, when ticks are 2 long: 5, 14, 16, 18.
        let mut scenario = faster(12, reading);
        scenario.faults.pauses = vec![Pause { place: 0, from: 7, length: 4 }];
        assert_eq!(play(&scenario, metronome(4)).timeouts(0), [5, 14, 16, 18]);
        let four = table::<OnRing>(&[(0, On::Wake, &[Set('a', 4)])]);
        assert_eq!(play(&scenario, four).timeouts(0), [18], "a timer counts the same ticks");
    }
}

#[test]
fn a_restarted_clock_ticks_at_the_present_length() {
    let mut scenario = faster(12, Reading::PerTick);
    scenario.faults.restarts = vec![Restart { place: 0, time: 13, offset: None }];
    assert_eq!(play(&scenario, metronome(3)).timeouts(0), [5, 10, 15, 17, 19], "waking at 13: 15, 17, 19");
}

/// The ticks of place 0, one after the other: `lengths` from which times on.
fn ticks(first: Time, lengths: &[(Time, u64)], count: usize) -> Vec<Time> {
    let mut all = vec![first];
    while all.len() < count {
        let now = all[all.len() - 1];
        let length = lengths.iter().rfind(|(from, _)| *from <= now).expect("the first is from 0").1;
        all.push(now + length);
    }
    all
}

/// Timers and readings compared with a list of all ticks.
#[test]
fn ticks_agree_with_a_list_of_them() {
    for seed in 0..500 {
        let mut random = Random::new(seed);
        let mut changes = vec![(0, (1, 9), (4, 4))];
        for _ in 0..random.below(4) {
            let (before, min) = (changes[changes.len() - 1].0, 1 + random.below(6));
            changes.push((before + 1 + random.below(30), (min, min + random.below(9)), (4, 4)));
        }
        let reading = Reading::ALL[random.below(3) as usize];
        let mut scenario = Scenario { seed, ..changing(ranged(2, (1, 9), (4, 4), reading), &changes) };
        let (offset, wakes) = (random.below(12), random.below(20));
        scenario.timing.offsets = Offsets::List(vec![0, offset]);
        let [first, second, third] = [(); 3].map(|()| 1 + random.below(12));
        // Place 0 sends when it wakes, at a time of its own: place 1 sets a timer when it reads that.
        let scenario = waking(scenario, &[(0, 4 + wakes), (1, wakes)]);
        let lengths: Vec<_> = scenario
            .timing
            .tick_ranges()
            .periods()
            .iter()
            .map(|&(from, r)| {
                let mut constant = Scenario { timing: ranged(2, (1, 1), (4, 4), reading).timing, ..scenario.clone() };
                constant.timing.r = r;
                (from, Resolved::new(&constant).tick_lengths(2).expect("they are fixed")[1])
            })
            .collect();
        let grid = ticks(wakes + offset, &lengths, 300);
        let after =
            |time: Time, count: u64| *grid.iter().filter(|&&tick| tick > time).nth(count as usize - 1).expect("far");
        let rules = table::<OnRing>(&[
            (0, On::Wake, &[Send(0, 1)]),
            (1, On::Wake, &[Set('a', first)]),
            (1, On::Timeout('a'), &[Set('b', second)]),
            (1, On::Receive(1), &[Set('c', third)]),
        ]);
        let played = play(&scenario, rules);
        let arrives = 8 + wakes;
        let read = match reading {
            Reading::Immediate => arrives,
            Reading::PerTick => after(arrives, 1),
            _ => after(arrives - 1, 1),
        };
        let mut expected = vec![after(wakes, first), after(after(wakes, first), second), after(read, third)];
        expected.sort_unstable();
        assert_eq!((played.receipts(1), played.timeouts(1)), (vec![read], expected), "{scenario:?}");
    }
}

#[test]
fn a_change_to_the_same_range_or_after_the_end_changes_nothing() {
    let mut messages = 0;
    for seed in 0..300 {
        let mut scenario = any_scenario::<OnBidirectional>(seed);
        // Clocks that vary have no grid, but those of one length have.
        let one_length = scenario.timing.r.min == scenario.timing.r.max;
        if matches!(scenario.timing.clocks, Clocks::List(_)) || scenario.timing.clocks == Clocks::Varying && one_length
        {
            scenario.timing.clocks = if one_length { Clocks::Slowest } else { Clocks::Varying };
        }
        if matches!(scenario.timing.delays, Delays::List(_)) {
            scenario.timing.delays = Delays::Max;
        }
        let summary = |scenario: &Scenario| {
            let run = chatter::<OnBidirectional, Full>(scenario, Chatter::new(scenario));
            ringleader_sim::Run::summary(&run)
        };
        let both = |range: Range| (range.min, range.max);
        let (r, d) = (both(scenario.timing.r), both(scenario.timing.d));
        let usual = summary(&scenario);
        let same = changing(scenario.clone(), &[(0, r, d), (7, r, d)]);
        let late = changing(scenario.clone(), &[(0, r, d), (usual.cost.time + 1000, (50, 99), (0, 50))]);
        assert_eq!((summary(&same), summary(&late)), (usual.clone(), usual.clone()), "{scenario:?}");
        messages += usual.cost.messages();
    }
    assert!(messages > 3000, "only {messages} messages in all: the scenarios test little");
}
