//! Timers, and how a run ends.
//!
//! Every expected value is worked out from the section "Timing" of the design, never from what the engine says.

use crate::common::Do::{Cancel, Follow, Lead, Send, Set};
use crate::common::Took::{Receive, Timeout};
use crate::common::*;
use ringleader_model::{Clocks, Reading, Scenario};
use ringleader_sim::{Choices, Run, Simulation, StopReason, Summary, Verdict};

fn clocked(mut scenario: Scenario, clocks: Clocks) -> Scenario {
    scenario.timing.clocks = clocks;
    scenario
}

// ---------------------------------------------------------------------------------------------------------------------
// Timers.

#[test]
fn a_timer_set_at_a_tick_is_due_so_many_ticks_later() {
    // Ticks of 5. Set at tick 5 (a timer fires there) for 3 ticks: 20.
    for reading in Reading::ALL {
        let rules = table::<OnRing>(&[(0, On::Wake, &[Set('a', 1)]), (0, On::Timeout('a'), &[Set('b', 3)])]);
        assert_eq!(play(&scenario(1, 5, 1, reading), rules).timeouts(0), [5, 20]);
    }
    // Also when what sets it is a message that arrives at the very tick: at 5, for 1 tick, due at 10.
    let rules = table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)]), (1, On::Receive(1), &[Set('a', 1)])]);
    assert_eq!(play(&scenario(2, 5, 5, Reading::Immediate), rules).timeouts(1), [10]);
}

#[test]
fn a_timer_set_between_ticks_is_due_at_the_kth_tick_after() {
    // Handled at 3, between the ticks at 0 and 5: one tick is at 5, two are at 10.
    for (ticks, due) in [(1, 5), (2, 10)] {
        let set: &[Do] = &[Set('a', ticks)];
        let rules = table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)]), (1, On::Receive(1), set)]);
        assert_eq!(play(&scenario(2, 5, 3, Reading::Immediate), rules).timeouts(1), [due]);
        // An urgent message is handled between ticks under the other readings.
        for reading in [Reading::PerTick, Reading::PerStep] {
            let rules = table::<OnRing>(&[(0, On::Wake, &[Send(0, URGENT)]), (1, On::Receive(URGENT), set)]);
            assert_eq!(play(&scenario(2, 5, 3, reading), rules).timeouts(1), [due]);
        }
    }
}

#[test]
fn a_timer_set_between_varying_steps_counts_those_after_it() {
    // Least choices: steps of 2. An urgent message comes at 3, between steps 2 and 4.
    let scenario = clocked(ranged(2, (2, 5), (3, 3), Reading::PerStep), Clocks::Varying);
    for (ticks, due) in [(1, 4), (2, 6)] {
        let set: &[Do] = &[Set('a', ticks)];
        let rules = table::<OnRing>(&[(0, On::Wake, &[Send(0, URGENT)]), (1, On::Receive(URGENT), set)]);
        assert_eq!(play_by(&scenario, rules, Choices::Recorded(vec![])).timeouts(1), [due]);
    }
}

#[test]
fn a_timer_set_at_a_varying_step_by_what_arrives_there_does_not_count_that_step() {
    // Least choices: steps of 2. An urgent message comes at 4, which is a step (and place 1 has a timer for it); one
    // tick later is 6.
    let scenario = clocked(ranged(2, (2, 5), (4, 4), Reading::PerStep), Clocks::Varying);
    let rules: &[(u32, On, &[Do])] =
        &[(0, On::Wake, &[Send(0, URGENT)]), (1, On::Wake, &[Set('b', 2)]), (1, On::Receive(URGENT), &[Set('a', 1)])];
    let steps = play_by(&scenario, table::<OnRing>(rules), Choices::Recorded(vec![])).after_waking();
    assert_eq!(steps, [(4, 1, Receive(0, URGENT)), (4, 1, Timeout('b')), (6, 1, Timeout('a'))]);
}

#[test]
fn a_timer_set_by_a_varying_step_counts_from_the_next() {
    // Least choices: steps of 2. A message that arrived at 3 is read at 4 and sets a timer: one tick later is 6.
    let scenario = clocked(ranged(2, (2, 5), (3, 3), Reading::PerStep), Clocks::Varying);
    let rules = table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)]), (1, On::Receive(1), &[Set('a', 1)])]);
    let steps = play_by(&scenario, rules, Choices::Recorded(vec![])).after_waking();
    assert_eq!(steps, [(4, 1, Receive(0, 1)), (6, 1, Timeout('a'))]);
}

/// Place 1 has a timer due at its tick, and reads at that tick a message that replaces or cancels it.
fn read_against_timer(reply: &[Do], ticks: u64) -> RuleTable<OnRing> {
    table(&[(0, On::Wake, &[Send(0, 1)]), (1, On::Wake, &[Set('a', ticks)]), (1, On::Receive(1), reply)])
}

#[test]
fn a_timer_replaced_by_what_is_read_at_the_same_tick_does_not_fire() {
    // Due at 5, where the message that came at 3 is read and sets it anew for 2 ticks: 15.
    for reading in [Reading::PerTick, Reading::PerStep] {
        let played = play(&scenario(2, 5, 3, reading), read_against_timer(&[Set('a', 2)], 1));
        assert_eq!(played.after_waking(), [(5, 1, Receive(0, 1)), (15, 1, Timeout('a'))]);
        let played = play(&scenario(2, 5, 3, reading), read_against_timer(&[Cancel('a')], 1));
        assert_eq!(played.after_waking(), [(5, 1, Receive(0, 1))]);
    }
}

#[test]
fn a_timer_replaced_by_what_is_read_at_the_same_varying_step_does_not_fire() {
    // Least choices: steps of 2. Due at 4, where the message that came at 3 is read; two steps later is 8.
    let scenario = clocked(ranged(2, (2, 5), (3, 3), Reading::PerStep), Clocks::Varying);
    let least = || Choices::Recorded(vec![]);
    let played = play_by(&scenario, read_against_timer(&[Set('a', 2)], 2), least());
    assert_eq!(played.after_waking(), [(4, 1, Receive(0, 1)), (8, 1, Timeout('a'))]);
    let played = play_by(&scenario, read_against_timer(&[Cancel('a')], 2), least());
    assert_eq!(played.after_waking(), [(4, 1, Receive(0, 1))]);
}

#[test]
fn a_timer_of_0_ticks_replaces_one_that_is_due_at_this_tick() {
    // It fires once, at the end of the instant.
    for reading in [Reading::PerTick, Reading::PerStep] {
        let played = play(&scenario(2, 5, 3, reading), read_against_timer(&[Set('a', 0)], 1));
        assert_eq!(played.after_waking(), [(5, 1, Receive(0, 1)), (5, 1, Timeout('a'))]);
    }
}

#[test]
fn there_is_one_timer_per_tag_and_the_last_setting_counts() {
    for reading in Reading::ALL {
        let once = |sets: &[Do]| play(&scenario(1, 5, 1, reading), table::<OnRing>(&[(0, On::Wake, sets)])).timeouts(0);
        assert_eq!(once(&[Set('a', 1), Set('a', 3)]), [15], "later");
        assert_eq!(once(&[Set('a', 3), Set('a', 1)]), [5], "earlier");
        assert_eq!(once(&[Set('a', 2), Set('a', 2)]), [10], "the same");
        assert_eq!(once(&[Set('a', 2), Cancel('a'), Set('a', 2)]), [10], "the same, after it was cancelled");
        assert_eq!(once(&[Set('a', 0), Set('a', 2)]), [10], "not now but later");
        assert_eq!(once(&[Set('a', 2), Set('a', 0)]), [0], "not later but now");
        assert_eq!(once(&[Set('a', 0), Set('a', 0)]), [0], "now, once");
        assert_eq!(once(&[Set('a', 1), Set('b', 1), Set('c', 2)]), [5, 5, 10], "tags do not meet");
    }
}

#[test]
fn there_is_one_timer_per_tag_where_clocks_vary() {
    for reading in Reading::ALL {
        let scenario = clocked(ranged(1, (2, 5), (1, 1), reading), Clocks::Varying);
        let once = |sets: &[Do]| {
            play_by(&scenario, table::<OnRing>(&[(0, On::Wake, sets)]), Choices::Recorded(vec![])).timeouts(0)
        };
        assert_eq!(once(&[Set('a', 1), Set('a', 3)]), [6]);
        assert_eq!(once(&[Set('a', 3), Set('a', 1)]), [2]);
        assert_eq!(once(&[Set('a', 0), Set('a', 2)]), [4]);
        assert_eq!(once(&[Set('a', 2), Set('a', 0)]), [0]);
    }
}

#[test]
fn a_timer_may_be_set_again_when_it_fires() {
    for reading in Reading::ALL {
        assert_eq!(play(&scenario(1, 5, 1, reading), metronome(4)).timeouts(0), [5, 10, 15, 20]);
    }
}

#[test]
fn a_cancelled_timer_does_not_fire_and_others_do() {
    for reading in Reading::ALL {
        let rules = table::<OnRing>(&[
            (0, On::Wake, &[Set('a', 2), Set('b', 3), Set('z', 0), Cancel('z'), Cancel('x')]),
            (0, On::Timeout('b'), &[Set('c', 1)]),
            (0, On::Timeout('c'), &[Cancel('c')]),
        ]);
        let played = play(&scenario(1, 5, 1, reading), rules);
        assert_eq!(played.after_waking(), [(10, 0, Timeout('a')), (15, 0, Timeout('b')), (20, 0, Timeout('c'))]);
        let rules =
            table::<OnRing>(&[(0, On::Wake, &[Set('a', 1), Set('b', 3)]), (0, On::Timeout('a'), &[Cancel('b')])]);
        assert_eq!(play(&scenario(1, 5, 1, reading), rules).timeouts(0), [5]);
    }
}

#[test]
fn a_timer_of_0_ticks_may_be_cancelled_or_put_off_by_what_arrives_later_in_the_pass() {
    // At place 0, place 1's message comes in by port 0, before place 2's by port 1. Ticks of 5, arrivals at 3.
    for (reply, fired) in [(Cancel('z'), vec![]), (Set('z', 2), vec![10])] {
        let rules: &[(u32, On, &[Do])] = &[
            (1, On::Wake, &[Send(0, 1)]),
            (2, On::Wake, &[Send(0, 2)]),
            (0, On::Receive(1), &[Set('z', 0)]),
            (0, On::Receive(2), &[reply]),
        ];
        let played = play(&scenario(3, 5, 3, Reading::Immediate), table::<OnComplete>(rules));
        assert_eq!(played.timeouts(0), fired);
    }
}

#[test]
fn very_long_timers_come_in_their_time() {
    // Far beyond any wheel of buckets, next to a short one. 5 * 2^40 fits 64 bits.
    for reading in Reading::ALL {
        let rules = table::<OnRing>(&[(0, On::Wake, &[Set('a', 1 << 40), Set('b', 1), Set('c', 1 << 40)])]);
        assert_eq!(play(&scenario(1, 5, 1, reading), rules).timeouts(0), [5, 5 << 40, 5 << 40]);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// How a run ends.

fn assert_never(summary: &Summary) {
    assert_eq!(summary.reason, Some(StopReason::NeverTimer));
    assert_eq!(summary.reason.map(StopReason::name), Some("never-timer"));
    assert_eq!(summary.verdict, Verdict::Unknown);
    assert!(!summary.finished);
    assert!(summary.violations.is_empty());
}

fn assert_silent(summary: &Summary) {
    assert_eq!(summary.reason, Some(StopReason::Silent));
    assert_eq!(summary.verdict, Verdict::Violated);
    assert!(!summary.finished);
    let properties: Vec<_> = summary.violations.iter().map(|violation| violation.property).collect();
    assert_eq!(properties, ["termination"]);
}

#[test]
fn a_run_that_could_only_go_on_by_a_never_timer_ends_unknown() {
    for reading in Reading::ALL {
        for clocks in [Clocks::Fixed, Clocks::Varying] {
            let scenario = clocked(ranged(1, (2, 5), (1, 1), reading), clocks);
            let played = play(&scenario, table::<OnRing>(&[(0, On::Wake, &[Set('a', NEVER), Set('b', 1)])]));
            assert_eq!(played.timeouts(0).len(), 1, "the other one fires");
            assert_never(&played.summary);
        }
    }
}

#[test]
fn a_timer_whose_end_does_not_fit_64_bits_never_fires() {
    // 2^63 ticks of at least 2 are 2^64 units or more.
    for reading in Reading::ALL {
        for clocks in [Clocks::Slowest, Clocks::Fixed, Clocks::Varying] {
            let scenario = clocked(ranged(1, (2, 5), (1, 1), reading), clocks.clone());
            let rules = table::<OnRing>(&[(0, On::Wake, &[Set('a', 1 << 63)])]);
            let mut run: Simulation<_> = Simulation::new(rules, &scenario, Choices::Drawn).expect("it makes sense");
            assert!(run.advance(100_000), "{reading:?} {clocks:?}: it waits for something that never comes");
            assert_never(&run.summary());
        }
    }
}

#[test]
fn a_never_timer_that_is_cancelled_or_replaced_is_not_waited_for() {
    for reading in Reading::ALL {
        for away in [Cancel('a'), Set('a', 2), Set('a', 0)] {
            let rules = table::<OnRing>(&[(0, On::Wake, &[Set('a', NEVER), away])]);
            assert_silent(&play(&scenario(1, 5, 1, reading), rules).summary);
        }
        let rules = table::<OnRing>(&[(0, On::Wake, &[Set('a', 1), Set('a', NEVER)])]);
        assert_never(&play(&scenario(1, 5, 1, reading), rules).summary);
    }
}

#[test]
fn a_run_that_falls_silent_without_its_result_is_violated() {
    for reading in Reading::ALL {
        assert_silent(&play(&scenario(2, 5, 3, reading), burst(&[1])).summary);
        // One that has decided is not everybody.
        assert_silent(&play(&scenario(2, 5, 3, reading), table::<OnRing>(&[(0, On::Wake, &[Lead])])).summary);
    }
}

#[test]
fn a_run_that_finishes_is_held_also_with_a_never_timer_pending() {
    let rules = table::<OnRing>(&[(0, On::Wake, &[Lead, Set('a', NEVER)]), (1, On::Wake, &[Follow(0)])]);
    let summary = play(&scenario(2, 5, 3, Reading::Immediate), rules).summary;
    assert!(summary.finished);
    assert_eq!((summary.verdict, summary.reason), (Verdict::Held, None));
}

#[test]
fn a_run_that_is_stopped_halfway_is_unknown() {
    let rules = table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)]), (0, On::Receive(1), &[Send(0, 1)])]);
    let mut run: Simulation<_> =
        Simulation::new(rules, &scenario(1, 1, 1, Reading::Immediate), Choices::Drawn).expect("it makes sense");
    assert!(!run.advance(100));
    let summary = run.summary();
    assert_eq!((summary.verdict, summary.reason), (Verdict::Unknown, Some(StopReason::Interrupted)));
}

#[test]
fn time_is_that_of_the_last_step_and_of_the_declaration() {
    // Place 1 declares itself when it receives at 3; place 0 follows at its timer at 20.
    let rules: &[(u32, On, &[Do])] =
        &[(0, On::Wake, &[Send(0, 1), Set('a', 4)]), (0, On::Timeout('a'), &[Follow(1)]), (1, On::Receive(1), &[Lead])];
    let cost = play(&scenario(2, 5, 3, Reading::Immediate), table::<OnRing>(rules)).summary.cost;
    assert_eq!((cost.time_elected, cost.time), (Some(3), 20));
    assert_eq!((cost.depth_elected, cost.depth, cost.messages()), (Some(1), 1, 1));
}
