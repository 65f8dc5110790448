//! Archimedean time, case by case: clocks, phases, delays, readings, timers, and the order inside an instant.
//!
//! Every expected value is worked out from the section "Timing" of the design, never from what the engine says.

use std::collections::BTreeSet;

use crate::common::Do::{Send, Set};
use crate::common::Took::{Receive, Timeout, Wake};
use crate::common::*;
use ringleader_model::{Clocks, Delays, Links, Offsets, Reading, Scenario, Time};
use ringleader_sim::{Choices, Resolved, Simulation};

const SEEDS: u64 = 60;

fn clocked(mut scenario: Scenario, clocks: Clocks) -> Scenario {
    scenario.timing.clocks = clocks;
    scenario
}

fn delayed(mut scenario: Scenario, delays: Delays) -> Scenario {
    scenario.timing.delays = delays;
    scenario
}

fn phased(mut scenario: Scenario, phases: Offsets) -> Scenario {
    scenario.timing.offsets = phases;
    scenario
}

fn seeded(scenario: &Scenario, seed: u64) -> Scenario {
    Scenario { seed, ..scenario.clone() }
}

/// Sets a timer of `ticks` on waking, at each of three places.
fn timer_on_waking(ticks: u64) -> RuleTable<OnRing> {
    let set: &[Do] = &[Set('a', ticks)];
    table(&[(0, On::Wake, set), (1, On::Wake, set), (2, On::Wake, set)])
}

fn gaps(times: &[Time]) -> Vec<Time> {
    times.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

// ---------------------------------------------------------------------------------------------------------------------
// Clocks.

#[test]
fn slowest_clocks_tick_at_r_max_and_fastest_at_r_min() {
    // r = 2..5 and a timer of 3 ticks: 3 * 5 = 15 and 3 * 2 = 6.
    for reading in Reading::ALL {
        let both = ranged(3, (2, 5), (1, 1), reading);
        for (clocks, due) in [(Clocks::Slowest, 15), (Clocks::Fastest, 6)] {
            let played = play(&clocked(both.clone(), clocks), timer_on_waking(3));
            for place in 0..3 {
                assert_eq!(played.timeouts(place), [due]);
            }
        }
    }
}

#[test]
fn listed_clocks_tick_as_listed() {
    // A timer of 3 ticks lasts 3 * 2, 3 * 3 and 3 * 5.
    for reading in Reading::ALL {
        let scenario = clocked(ranged(3, (2, 5), (1, 1), reading), Clocks::List(vec![2, 3, 5]));
        let played = play(&scenario, timer_on_waking(3));
        assert_eq!([0, 1, 2].map(|place| played.timeouts(place)), [[6], [9], [15]]);
    }
}

#[test]
fn fixed_clocks_are_drawn_once_per_processor() {
    for reading in Reading::ALL {
        let scenario = ranged(1, (2, 5), (1, 1), reading);
        let mut lengths = BTreeSet::new();
        for seed in 0..SEEDS {
            let times = play(&seeded(&scenario, seed), metronome(8)).timeouts(0);
            let length = times[0];
            assert_eq!(
                times,
                (1..=8).map(|tick| tick * length).collect::<Vec<_>>(),
                "all ticks are as long as the first"
            );
            lengths.insert(length);
        }
        assert_eq!(lengths, BTreeSet::from([2, 3, 4, 5]), "both ends of the range and all between");
    }
}

#[test]
fn fixed_clocks_differ_between_processors_and_are_those_that_are_told_beforehand() {
    let mut differ = false;
    for seed in 0..SEEDS {
        let scenario = seeded(&ranged(3, (2, 5), (1, 1), Reading::Immediate), seed);
        let lengths = Resolved::new(&scenario).tick_lengths(3).expect("they are fixed");
        let played = play(&scenario, timer_on_waking(1));
        assert_eq!([0, 1, 2].map(|place| played.timeouts(place)[0]).to_vec(), lengths);
        differ |= lengths[0] != lengths[1] && lengths[1] != lengths[2];
    }
    assert!(differ);
}

#[test]
fn varying_clocks_draw_every_step_afresh_under_per_step_reading() {
    // A timer of one tick, set again at each tick, measures the steps themselves: each within r = 2..5.
    let scenario = clocked(ranged(1, (2, 5), (1, 1), Reading::PerStep), Clocks::Varying);
    let mut seen = BTreeSet::new();
    for seed in 0..SEEDS {
        let mut times = vec![0];
        times.extend(play(&seeded(&scenario, seed), metronome(12)).timeouts(0));
        assert_eq!(times.len(), 13);
        let steps = gaps(&times);
        assert!(steps.iter().all(|step| (2..=5).contains(step)), "{steps:?}");
        assert!(steps.iter().any(|step| *step != steps[0]), "twelve steps of one length: 4^-11, not with this seed");
        seen.extend(steps);
    }
    assert_eq!(seen, BTreeSet::from([2, 3, 4, 5]));
}

#[test]
fn steps_of_varying_length_add_up() {
    // Choices 3, 0 and 1 from r = 2..5 are steps of 5, 2 and 3: they fall at 5, 7 and 10.
    let scenario = clocked(ranged(1, (2, 5), (1, 1), Reading::PerStep), Clocks::Varying);
    let choices = Choices::Recorded(vec![3, 0, 1]);
    assert_eq!(play_by(&scenario, metronome(3), choices.clone()).timeouts(0), [5, 7, 10]);
    // And a timer of three ticks counts the same three steps.
    let three = table::<OnRing>(&[(0, On::Wake, &[Set('a', 3)])]);
    assert_eq!(play_by(&scenario, three, choices).timeouts(0), [10]);
}

#[test]
fn a_timer_of_k_varying_ticks_takes_k_draws_under_per_step_reading() {
    // Four steps take 8 to 20; were they all of one draw, the sum would be a multiple of 4.
    let scenario = clocked(ranged(3, (2, 5), (1, 1), Reading::PerStep), Clocks::Varying);
    let mut uneven = false;
    for seed in 0..SEEDS {
        let due = play(&seeded(&scenario, seed), timer_on_waking(4)).timeouts(0)[0];
        assert!((8..=20).contains(&due), "{due}");
        uneven |= !due.is_multiple_of(4);
    }
    assert!(uneven);
}

#[test]
fn a_timer_of_k_varying_ticks_lasts_k_times_one_draw_under_the_other_readings() {
    for reading in [Reading::Immediate, Reading::PerTick] {
        let scenario = clocked(ranged(3, (2, 5), (1, 1), reading), Clocks::Varying);
        let mut seen = BTreeSet::new();
        for seed in 0..SEEDS {
            let played = play(&seeded(&scenario, seed), timer_on_waking(4));
            seen.extend((0..3).map(|place| played.timeouts(place)[0]));
        }
        assert_eq!(seen, BTreeSet::from([8, 12, 16, 20]));
    }
}

#[test]
fn every_timer_has_a_fresh_draw_where_clocks_vary_and_there_is_no_grid() {
    for reading in [Reading::Immediate, Reading::PerTick] {
        let scenario = clocked(ranged(1, (2, 5), (1, 1), reading), Clocks::Varying);
        // Choices 3, 0 and 1 are durations of 5, 2 and 3.
        let choices = Choices::Recorded(vec![3, 0, 1]);
        assert_eq!(play_by(&scenario, metronome(3), choices).timeouts(0), [5, 7, 10]);
    }
}

#[test]
fn a_varying_step_reads_at_or_after_the_arrival_and_within_a_step_of_it() {
    // Sent at 0, d = 13. Steps are at most 5 apart and go on whether or not there is something to do, so the first
    // one at or after 13 is at 13, 14, 15, 16 or 17.
    let scenario = clocked(ranged(2, (2, 5), (13, 13), Reading::PerStep), Clocks::Varying);
    let mut seen = BTreeSet::new();
    for seed in 0..SEEDS {
        let played = play(&seeded(&scenario, seed), table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)])]));
        seen.extend(played.receipts(1));
    }
    assert_eq!(seen, BTreeSet::from([13, 14, 15, 16, 17]));
}

#[test]
fn a_varying_step_that_falls_on_the_arrival_reads_it() {
    // Choices 1, 1, 1, 1 are steps of 3: place 1 steps at 3, 6, 9, 12, and the message arrives at 12.
    let scenario = clocked(ranged(2, (2, 5), (12, 12), Reading::PerStep), Clocks::Varying);
    let rules = table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)])]);
    assert_eq!(play_by(&scenario, rules, Choices::Recorded(vec![1; 4])).receipts(1), [12]);
}

#[test]
fn a_varying_per_tick_reading_comes_one_draw_after_the_arrival_or_the_previous_reading() {
    // Two messages arrive at 13: the first is read 2..5 later, the second 2..5 after the first.
    let scenario = clocked(ranged(2, (2, 5), (13, 13), Reading::PerTick), Clocks::Varying);
    let rules = table::<OnRing>(&[(0, On::Wake, &[Send(0, 1), Send(0, 2)])]);
    let mut seen = BTreeSet::new();
    for seed in 0..SEEDS {
        let read = play(&seeded(&scenario, seed), rules.clone()).receipts(1);
        seen.extend([read[0] - 13, read[1] - read[0]]);
    }
    assert_eq!(seen, BTreeSet::from([2, 3, 4, 5]));
    // Choices 3 and 0: read at 13 + 5 and 18 + 2.
    assert_eq!(play_by(&scenario, rules, Choices::Recorded(vec![3, 0])).receipts(1), [18, 20]);
}

#[test]
fn clocks_start_when_a_processor_wakes() {
    // Ticks of 5. Place 0 wakes at 7 and ticks at 7, 12, 17; place 1 wakes at 2 and ticks at 2, 7, 12.
    for reading in Reading::ALL {
        let scenario = waking(scenario(3, 5, 1, reading), &[(0, 7), (1, 2)]);
        let played = play(&scenario, timer_on_waking(2));
        assert_eq!(played.timeouts(0), [17]);
        assert_eq!(played.timeouts(1), [12]);
        assert_eq!(played.timeouts(2), [0u64; 0], "it never wakes");
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Phases.

#[test]
fn a_phase_moves_the_first_tick() {
    // Ticks of 5, all wake at 0. First ticks at 0, 3 and 12: the first after waking are at 5, 3 and 12.
    for reading in Reading::ALL {
        let scenario = phased(scenario(3, 5, 1, reading), Offsets::List(vec![0, 3, 12]));
        let played = play(&scenario, timer_on_waking(1));
        assert_eq!([0, 1, 2].map(|place| played.timeouts(place)), [[5], [3], [12]]);
        let played = play(&scenario, timer_on_waking(2));
        assert_eq!([0, 1, 2].map(|place| played.timeouts(place)), [[10], [8], [17]]);
    }
}

#[test]
fn a_phase_is_counted_from_waking() {
    // Woken at 7, offset 3, ticks of 5: 10, 15, 20.
    let scenario = phased(waking(scenario(1, 5, 1, Reading::PerStep), &[(0, 7)]), Offsets::List(vec![3]));
    assert_eq!(play(&scenario, metronome(3)).timeouts(0), [10, 15, 20]);
}

#[test]
fn a_phase_moves_the_first_step_where_steps_vary() {
    // Offset 4, then choices 0 and 3 from r = 2..5: steps at 4, 6 and 11.
    let scenario = clocked(ranged(1, (2, 5), (1, 1), Reading::PerStep), Clocks::Varying);
    let scenario = phased(scenario, Offsets::List(vec![4]));
    assert_eq!(play_by(&scenario, metronome(3), Choices::Recorded(vec![0, 3])).timeouts(0), [4, 6, 11]);
}

#[test]
fn random_phases_are_any_offset_below_a_tick() {
    // Ticks of 5: offset 0 gives the first tick after waking at 5, offsets 1 to 4 at 1 to 4.
    let mut seen = BTreeSet::new();
    let mut differ = false;
    for seed in 0..SEEDS {
        let scenario = phased(seeded(&scenario(3, 5, 1, Reading::Immediate), seed), Offsets::Random);
        let played = play(&scenario, timer_on_waking(1));
        let first = [0, 1, 2].map(|place| played.timeouts(place)[0]);
        differ |= first[0] != first[1] && first[1] != first[2];
        seen.extend(first);
        // Whatever the offset, further ticks are 5 apart.
        let second = play(&scenario, timer_on_waking(2));
        assert_eq!([0, 1, 2].map(|place| second.timeouts(place)[0]), first.map(|time| time + 5));
    }
    assert_eq!(seen, BTreeSet::from([1, 2, 3, 4, 5]));
    assert!(differ, "each place has its own");
}

#[test]
fn phases_move_readings_too() {
    // Ticks of 5 with offset 2: 2, 7, 12. The message arrives at 4.
    for reading in [Reading::PerTick, Reading::PerStep] {
        let scenario = phased(scenario(2, 5, 4, reading), Offsets::List(vec![0, 2]));
        let played = play(&scenario, table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)])]));
        assert_eq!(played.receipts(1), [7]);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Delays.

/// Ten numbered messages, one at each tick from 0 on.
fn ten_messages() -> RuleTable<OnRing> {
    let mut rules: Vec<(u32, On, Vec<Do>)> = vec![(0, On::Wake, vec![Send(0, 0), Set('0', 1)])];
    for (next, digit) in ('0'..='8').enumerate() {
        let following = char::from(digit as u8 + 1);
        rules.push((0, On::Timeout(digit), vec![Send(0, next as u64 + 1), Set(following, 1)]));
    }
    table(&rules.iter().map(|(place, on, what)| (*place, *on, what.as_slice())).collect::<Vec<_>>())
}

#[test]
fn least_and_greatest_delays_are_exact() {
    // d = 3..8, ticks of 100: sent at 0, 100, …, 900.
    for (delays, delay) in [(Delays::Min, 3), (Delays::Max, 8)] {
        let scenario = delayed(ranged(2, (100, 100), (3, 8), Reading::Immediate), delays);
        let expected: Vec<_> = (0..10).map(|sent| sent * 100 + delay).collect();
        assert_eq!(play(&scenario, ten_messages()).receipts(1), expected);
    }
}

#[test]
fn uniform_delays_are_all_there_are_and_no_others() {
    let scenario = ranged(2, (100, 100), (3, 8), Reading::Immediate);
    let mut counts = [0u32; 6];
    for seed in 0..SEEDS {
        for (sent, at) in play(&seeded(&scenario, seed), ten_messages()).receipts(1).into_iter().enumerate() {
            let delay = at - sent as u64 * 100;
            assert!((3..=8).contains(&delay), "{delay}");
            counts[delay as usize - 3] += 1;
        }
    }
    // 600 draws of 6 values: 100 each, standard deviation sqrt(600 * 5 / 36) = 9.1; five of them are 46.
    assert!(counts.iter().all(|count| (54..=146).contains(count)), "{counts:?}");
}

#[test]
fn the_newest_message_comes_first() {
    // Sent at 0, 1, …, 9 with d = 0..9: those of each half of the range arrive in the opposite order.
    let mut scenario = delayed(ranged(2, (1, 1), (0, 9), Reading::Immediate), Delays::NewestFirst);
    scenario.links = Links::Any;
    let received: Vec<_> =
        play(&scenario, ten_messages()).after_waking().into_iter().filter(|(_, place, _)| *place == 1).collect();
    let expected = [4, 3, 2, 1, 0, 9, 8, 7, 6, 5].into_iter().zip(5..).map(|(sent, at)| (at, 1, Receive(0, sent)));
    assert_eq!(received, expected.collect::<Vec<_>>());
    // Where links keep the order, nothing passes the slowest.
    scenario.links = Links::Fifo;
    assert_eq!(play(&scenario, ten_messages()).receipts(1), [9, 9, 9, 9, 9, 14, 14, 14, 14, 14]);
}

#[test]
fn the_greatest_or_the_least_sender_is_the_slowest() {
    let pass: &[Do] = &[Send(0, 1)];
    let rules = || table::<OnRing>(&[(0, On::Wake, pass), (1, On::Wake, pass), (2, On::Wake, pass)]);
    let mut scenario = ranged(3, (1, 1), (4, 8), Reading::Immediate);
    scenario.ids = vec![1, 3, 2];
    let arrivals = |delays| play(&delayed(scenario.clone(), delays), rules()).after_waking();
    let at = |time, place| (time, place, Receive(0, 1));
    assert_eq!(arrivals(Delays::SlowestHigh), [at(4, 1), at(6, 0), at(8, 2)], "from 1, from 2, from 3");
    assert_eq!(arrivals(Delays::SlowestLow), [at(4, 2), at(6, 0), at(8, 1)], "from 3, from 2, from 1");
}

#[test]
fn one_way_is_fast() {
    let scenario = delayed(ranged(3, (1, 1), (4, 6), Reading::Immediate), Delays::OneWay);
    let rules: &[(u32, On, &[Do])] = &[(1, On::Wake, &[Send(LEFT, 1), Send(RIGHT, 2)])];
    let steps = play(&scenario, table::<OnBidirectional>(rules)).after_waking();
    assert_eq!(steps, [(4, 2, Receive(LEFT, 2)), (6, 0, Receive(RIGHT, 1))]);
}

#[test]
fn listed_delays_belong_to_links() {
    // Link i joins i and i + 1. A token from place 0: at 1 after 4, at 2 after 5 more, at 0 after 6 more.
    let scenario = delayed(ranged(3, (1, 1), (4, 6), Reading::Immediate), Delays::List(vec![4, 5, 6]));
    let pass: &[Do] = &[Send(0, 1)];
    let rules = table::<OnRing>(&[(0, On::Wake, pass), (1, On::Receive(1), pass), (2, On::Receive(1), pass)]);
    let steps = play(&scenario, rules).after_waking();
    assert_eq!(steps, [(4, 1, Receive(0, 1)), (9, 2, Receive(0, 1)), (15, 0, Receive(0, 1))]);
}

#[test]
fn listed_delays_are_the_same_both_ways() {
    let scenario = delayed(ranged(3, (1, 1), (4, 6), Reading::Immediate), Delays::List(vec![4, 5, 6]));
    // Place 1 sends left over link 0 and right over link 1; place 0 sends left over link 2.
    let rules: &[(u32, On, &[Do])] =
        &[(1, On::Wake, &[Send(LEFT, 1), Send(RIGHT, 2)]), (0, On::Wake, &[Send(LEFT, 3)])];
    let steps = play(&scenario, table::<OnBidirectional>(rules)).after_waking();
    assert_eq!(steps, [(4, 0, Receive(RIGHT, 1)), (5, 2, Receive(LEFT, 2)), (6, 2, Receive(RIGHT, 3))]);
    // With left and right exchanged at place 1, its two messages change links.
    let turned = Scenario { orientation: vec![false, true, false], ..scenario };
    let steps = play(&turned, table::<OnBidirectional>(rules)).after_waking();
    assert_eq!(steps, [(4, 0, Receive(RIGHT, 2)), (5, 2, Receive(LEFT, 1)), (6, 2, Receive(RIGHT, 3))]);
}

#[test]
fn listed_delays_are_refused_on_a_complete_network() {
    let scenario = delayed(ranged(3, (1, 1), (4, 6), Reading::Immediate), Delays::List(vec![4, 5, 6]));
    let refused = Simulation::<_>::new(table::<OnComplete>(&[]), &scenario, Choices::Drawn).err();
    assert_eq!(refused.expect("there is no list of n(n-1)/2 links").field, "delays");
}

// ---------------------------------------------------------------------------------------------------------------------
// Readings.

#[test]
fn under_immediate_reading_a_message_is_handled_on_arrival() {
    let played = play(&scenario(2, 5, 3, Reading::Immediate), burst(&[1, 2]));
    assert_eq!(played.after_waking(), [(3, 1, Receive(0, 1)), (3, 1, Receive(0, 2))]);
}

#[test]
fn under_per_tick_reading_one_message_is_read_at_each_tick() {
    // Three arrive at 3; ticks of 5 fall at 5, 10 and 15.
    let played = play(&scenario(2, 5, 3, Reading::PerTick), burst(&[1, 2, 3]));
    assert_eq!(played.after_waking(), [(5, 1, Receive(0, 1)), (10, 1, Receive(0, 2)), (15, 1, Receive(0, 3))]);
    assert_eq!(played.summary.cost.longest_queue, 3);
}

#[test]
fn a_message_that_arrives_at_a_tick_waits_for_the_next() {
    let played = play(&scenario(2, 5, 5, Reading::PerTick), burst(&[1]));
    assert_eq!(played.after_waking(), [(10, 1, Receive(0, 1))]);
    // Arriving at 0, when everybody wakes, is arriving at a tick as well.
    let played = play(&scenario(2, 5, 0, Reading::PerTick), burst(&[1]));
    assert_eq!(played.after_waking(), [(5, 1, Receive(0, 1))]);
}

#[test]
fn a_message_that_comes_while_others_wait_does_not_shorten_their_ticks() {
    // Two arrive at 3 and are read at 5 and 10; one arrives at 8 (sent at 5) and is read at 15.
    let rules: &[(u32, On, &[Do])] =
        &[(0, On::Wake, &[Send(0, 1), Send(0, 2), Set('a', 1)]), (0, On::Timeout('a'), &[Send(0, 3)])];
    let played = play(&scenario(2, 5, 3, Reading::PerTick), table::<OnRing>(rules));
    assert_eq!(played.receipts(1), [5, 10, 15]);
}

#[test]
fn under_per_step_reading_all_that_has_arrived_is_handled_at_the_next_tick() {
    let played = play(&scenario(2, 5, 3, Reading::PerStep), burst(&[3, 1, 2]));
    assert_eq!(played.after_waking(), [(5, 1, Receive(0, 3)), (5, 1, Receive(0, 1)), (5, 1, Receive(0, 2))]);
}

#[test]
fn a_message_that_arrives_at_a_step_is_handled_by_it() {
    let played = play(&scenario(2, 5, 5, Reading::PerStep), burst(&[1]));
    assert_eq!(played.after_waking(), [(5, 1, Receive(0, 1))]);
}

#[test]
fn what_is_sent_on_waking_with_delay_0_is_handled_by_the_first_step() {
    // Wakes, then arrivals, then ticks: everybody's first tick is at 0.
    let played = play(&scenario(2, 5, 0, Reading::PerStep), burst(&[1]));
    assert_eq!(played.after_waking(), [(0, 1, Receive(0, 1))]);
}

#[test]
fn what_is_sent_on_waking_with_delay_0_is_handled_by_the_first_varying_step_timer_or_not() {
    let scenario = clocked(ranged(2, (2, 5), (0, 0), Reading::PerStep), Clocks::Varying);
    for rules in [
        burst(&[1]),
        // The first tick of place 1 is at 0 also when it waits for a later one.
        table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)]), (1, On::Wake, &[Set('a', 1)])]),
    ] {
        assert_eq!(play(&scenario, rules).receipts(1), [0]);
    }
}

#[test]
fn an_urgent_message_is_acted_upon_when_it_arrives() {
    for reading in [Reading::PerTick, Reading::PerStep] {
        let played = play(&scenario(2, 5, 3, reading), burst(&[URGENT]));
        assert_eq!(played.after_waking(), [(3, 1, Receive(0, URGENT))]);
    }
}

#[test]
fn an_urgent_message_waits_behind_what_is_queued() {
    let played = play(&scenario(2, 5, 3, Reading::PerTick), burst(&[1, URGENT]));
    assert_eq!(played.after_waking(), [(5, 1, Receive(0, 1)), (10, 1, Receive(0, URGENT))]);
    let played = play(&scenario(2, 5, 3, Reading::PerStep), burst(&[1, URGENT]));
    assert_eq!(played.after_waking(), [(5, 1, Receive(0, 1)), (5, 1, Receive(0, URGENT))]);
}

#[test]
fn a_message_wakes_nobody() {
    for reading in Reading::ALL {
        let scenario = waking(scenario(2, 5, 3, reading), &[(0, 0)]);
        let steps = play(&scenario, burst(&[1])).steps;
        assert_eq!(steps.len(), 2, "place 0 wakes and place 1 receives: {steps:?}");
    }
}

#[test]
fn a_wake_comes_at_its_time_also_after_a_message() {
    // Whether it means anything then is the protocol's business: here place 1 sends.
    let scenario = waking(scenario(2, 5, 3, Reading::Immediate), &[(0, 0), (1, 9)]);
    let rules = table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)]), (1, On::Wake, &[Send(0, 2)])]);
    let expected = [(0, 0, Wake), (3, 1, Receive(0, 1)), (9, 1, Wake), (12, 0, Receive(0, 2))];
    assert_eq!(play(&scenario, rules).steps, expected);
}

#[test]
fn a_wake_that_changes_nothing_is_void() {
    let scenario = waking(scenario(2, 5, 3, Reading::Immediate), &[(0, 0), (1, 9)]);
    let played = play(&scenario, table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)])]));
    assert_eq!(played.steps, [(0, 0, Wake), (3, 1, Receive(0, 1))]);
    assert_eq!(played.summary.cost.time, 3);
}

// ---------------------------------------------------------------------------------------------------------------------
// The order inside an instant.

/// At 5, place 1 wakes, is reached by a message, and has a timer of 0 ticks from waking and one from that message;
/// at 5 too, a timer of place 0 fires.
fn all_at_five() -> RuleTable<OnRing> {
    table(&[
        (0, On::Wake, &[Send(0, 1), Set('a', 1)]),
        (1, On::Wake, &[Set('z', 0)]),
        (1, On::Receive(1), &[Set('y', 0)]),
    ])
}

#[test]
fn under_immediate_reading_it_is_wakes_ticks_arrivals_and_timers_of_0_ticks() {
    let scenario = waking(scenario(2, 5, 5, Reading::Immediate), &[(0, 0), (1, 5)]);
    let steps = play(&scenario, all_at_five()).steps;
    assert_eq!(steps[..4], [(0, 0, Wake), (5, 1, Wake), (5, 0, Timeout('a')), (5, 1, Receive(0, 1))]);
    let mut zero = steps[4..].to_vec();
    zero.sort_unstable();
    assert_eq!(zero, [(5, 1, Timeout('y')), (5, 1, Timeout('z'))]);
}

#[test]
fn under_per_tick_reading_it_is_wakes_ticks_and_timers_of_0_ticks() {
    // The message arrives at 5, after the tick of 5, and is read at 10.
    let scenario = waking(scenario(2, 5, 5, Reading::PerTick), &[(0, 0), (1, 5)]);
    let steps = play(&scenario, all_at_five()).steps;
    let expected = [
        (0, 0, Wake),
        (5, 1, Wake),
        (5, 0, Timeout('a')),
        (5, 1, Timeout('z')),
        (10, 1, Receive(0, 1)),
        (10, 1, Timeout('y')),
    ];
    assert_eq!(steps, expected);
}

#[test]
fn under_per_step_reading_it_is_wakes_arrivals_ticks_and_timers_of_0_ticks() {
    let scenario = waking(scenario(2, 5, 5, Reading::PerStep), &[(0, 0), (1, 5)]);
    let steps = play(&scenario, all_at_five()).steps;
    assert_eq!(steps[..2], [(0, 0, Wake), (5, 1, Wake)]);
    let sorted = |steps: &[(Time, u32, Took)]| {
        let mut steps = steps.to_vec();
        steps.sort_unstable();
        steps
    };
    // Ticks of different places have no order among themselves.
    assert_eq!(sorted(&steps[2..4]), [(5, 0, Timeout('a')), (5, 1, Receive(0, 1))]);
    assert_eq!(sorted(&steps[4..]), [(5, 1, Timeout('y')), (5, 1, Timeout('z'))]);
}

#[test]
fn a_tick_first_reads_then_fires() {
    // Place 1 has a timer for its tick at 5, and a message that arrived at 3.
    for reading in [Reading::PerTick, Reading::PerStep] {
        let rules = table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)]), (1, On::Wake, &[Set('a', 1)])]);
        let steps = play(&scenario(2, 5, 3, reading), rules).after_waking();
        assert_eq!(steps, [(5, 1, Receive(0, 1)), (5, 1, Timeout('a'))]);
    }
}

#[test]
fn under_immediate_reading_a_timer_fires_before_what_arrives_at_the_same_time() {
    let rules = table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)]), (1, On::Wake, &[Set('a', 1)])]);
    let steps = play(&scenario(2, 5, 5, Reading::Immediate), rules).after_waking();
    assert_eq!(steps, [(5, 1, Timeout('a')), (5, 1, Receive(0, 1))]);
}

#[test]
fn arrivals_go_by_place_then_port_then_order_on_the_link() {
    // A complete network of 4, plain ports: from 3 the places 0, 1, 2 are ports 0, 1, 2; from 1 place 0 is port 0 and
    // place 2 port 1; from 2 place 0 is port 0, place 1 port 1. At place 0, places 1, 2, 3 come in by ports 0, 1, 2;
    // at place 1, places 0, 2, 3.
    let rules: &[(u32, On, &[Do])] = &[
        (3, On::Wake, &[Send(1, 31), Send(0, 30), Send(1, 32)]),
        (2, On::Wake, &[Send(1, 21), Send(0, 20)]),
        (1, On::Wake, &[Send(0, 10)]),
        (0, On::Wake, &[Send(0, 2), Send(0, 1)]),
    ];
    let expected = [
        (0, Receive(0, 10)),
        (0, Receive(1, 20)),
        (0, Receive(2, 30)),
        (1, Receive(0, 2)),
        (1, Receive(0, 1)),
        (1, Receive(1, 21)),
        (1, Receive(2, 31)),
        (1, Receive(2, 32)),
    ];
    // Sent in the order 3, 2, 0, 1 of the places, and all arrive at 3: with d = 1..3, choice 2 is a delay of 3, choice
    // 1 one of 2, and those not listed are the least, 1.
    let wakes = &[(3, 0), (2, 1), (0, 2), (1, 2)];
    let together = |reading| {
        let scenario = waking(ranged(4, (5, 5), (1, 3), reading), wakes);
        play_by(&scenario, table::<OnComplete>(rules), Choices::Recorded(vec![2, 2, 2, 1, 1]))
    };
    let steps = together(Reading::Immediate).after_waking();
    assert_eq!(steps, expected.map(|(place, took)| (3, place, took)));
    // Under per-step reading each place handles its own in the same order; place 1 at its second tick, 2 + 5.
    let at_one: Vec<_> =
        together(Reading::PerStep).after_waking().into_iter().filter(|(_, place, _)| *place == 1).collect();
    assert_eq!(at_one, [3, 4, 5, 6, 7].map(|index| (7, 1, expected[index].1)));
}

#[test]
fn what_waits_is_read_in_the_order_of_arrival_whatever_the_port() {
    // At place 1, place 2's message comes in by port 1 at 3, place 0's by port 0 at 4 (it wakes at 1).
    let scenario = waking(scenario(3, 5, 3, Reading::PerStep), &[(0, 1), (1, 0), (2, 0)]);
    let rules = table::<OnComplete>(&[(0, On::Wake, &[Send(0, 10)]), (2, On::Wake, &[Send(1, 12)])]);
    assert_eq!(play(&scenario, rules).after_waking(), [(5, 1, Receive(1, 12)), (5, 1, Receive(0, 10))]);
}

#[test]
fn what_is_sent_with_delay_0_arrives_in_the_following_pass() {
    // All three send on waking; each passes one on. First everybody receives the first, then the second.
    let rules: Vec<(u32, On, &[Do])> = (0..3)
        .flat_map(|place| [(place, On::Wake, &[Send(0, 1)] as &[Do]), (place, On::Receive(1), &[Send(0, 2)])])
        .collect();
    let steps = play(&scenario(3, 1, 0, Reading::Immediate), table::<OnRing>(&rules)).after_waking();
    let expected = [(0, 1), (1, 1), (2, 1), (0, 2), (1, 2), (2, 2)];
    assert_eq!(steps, expected.map(|(place, word)| (0, place, Receive(0, word))));
}

#[test]
fn timers_of_0_ticks_end_a_pass() {
    // Place 1 receives, sends on with delay 0 and sets a timer of 0 ticks, which sends as well: the timer belongs to
    // this pass, both messages to the following one.
    let rules: &[(u32, On, &[Do])] = &[
        (0, On::Wake, &[Send(0, 1)]),
        (1, On::Receive(1), &[Send(0, 2), Set('z', 0)]),
        (1, On::Timeout('z'), &[Send(0, 3)]),
    ];
    let steps = play(&scenario(3, 1, 0, Reading::Immediate), table::<OnRing>(rules)).after_waking();
    assert_eq!(steps, [(0, 1, Receive(0, 1)), (0, 1, Timeout('z')), (0, 2, Receive(0, 2)), (0, 2, Receive(0, 3))]);
}

#[test]
fn a_timer_of_0_ticks_sees_all_that_arrives_together() {
    // Place 0 is reached from 1 and 2 at 4 and looks at both at once.
    let look: &[Do] = &[Set('z', 0)];
    let rules: &[(u32, On, &[Do])] = &[
        (1, On::Wake, &[Send(0, 1)]),
        (2, On::Wake, &[Send(0, 2)]),
        (0, On::Receive(1), look),
        (0, On::Receive(2), look),
    ];
    let steps = play(&scenario(3, 1, 4, Reading::Immediate), table::<OnComplete>(rules)).after_waking();
    assert_eq!(steps, [(4, 0, Receive(0, 1)), (4, 0, Receive(1, 2)), (4, 0, Timeout('z'))]);
}

#[test]
fn a_timer_of_0_ticks_set_on_waking_comes_before_any_later_instant() {
    for reading in Reading::ALL {
        let rules =
            table::<OnRing>(&[(0, On::Wake, &[Set('z', 0), Set('a', 1)]), (0, On::Timeout('z'), &[Set('y', 0)])]);
        let played = play(&scenario(1, 5, 1, reading), rules);
        assert_eq!(played.after_waking(), [(0, 0, Timeout('z')), (0, 0, Timeout('y')), (5, 0, Timeout('a'))]);
    }
}

#[test]
fn under_per_step_reading_what_comes_after_the_step_of_this_instant_waits_for_the_next() {
    // Both have a timer at 5; place 0's sends with delay 0, and it arrives when place 1 has stepped.
    let rules: &[(u32, On, &[Do])] =
        &[(0, On::Wake, &[Set('a', 1)]), (1, On::Wake, &[Set('b', 1)]), (0, On::Timeout('a'), &[Send(0, 1)])];
    let played = play(&scenario(2, 5, 0, Reading::PerStep), table::<OnRing>(rules));
    assert_eq!(played.receipts(1), [10]);
    // Place 1 first: place 0 has stepped too, although its place comes earlier.
    let rules: &[(u32, On, &[Do])] =
        &[(0, On::Wake, &[Set('a', 1)]), (1, On::Wake, &[Set('b', 1)]), (1, On::Timeout('b'), &[Send(0, 1)])];
    let played = play(&scenario(2, 5, 0, Reading::PerStep), table::<OnRing>(rules));
    assert_eq!(played.receipts(0), [10]);
}

#[test]
fn a_step_without_anything_to_do_is_a_step() {
    // As before, but place 1 has no timer: its tick at 5 has passed nevertheless. With an offset of 2 it ticks at 7.
    let rules: &[(u32, On, &[Do])] = &[(0, On::Wake, &[Set('a', 1)]), (0, On::Timeout('a'), &[Send(0, 1)])];
    let together = scenario(2, 5, 0, Reading::PerStep);
    assert_eq!(play(&together, table::<OnRing>(rules)).receipts(1), [10]);
    let apart = phased(together, Offsets::List(vec![0, 2]));
    assert_eq!(play(&apart, table::<OnRing>(rules)).receipts(1), [7]);
}

#[test]
fn rounds_are_timers_then_all_of_their_messages() {
    // r = 1, d = 0, immediate: in round 1 both timers fire and send, then both messages arrive.
    let beat: &[Do] = &[Set('a', 1)];
    let send: &[Do] = &[Send(0, 7)];
    let rules: &[(u32, On, &[Do])] =
        &[(0, On::Wake, beat), (1, On::Wake, beat), (0, On::Timeout('a'), send), (1, On::Timeout('a'), send)];
    let steps = play(&scenario(2, 1, 0, Reading::Immediate), table::<OnRing>(rules)).after_waking();
    assert_eq!(steps, [(1, 0, Timeout('a')), (1, 1, Timeout('a')), (1, 0, Receive(0, 7)), (1, 1, Receive(0, 7))]);
}
