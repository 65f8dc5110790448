//! Election by time slices: silence excludes all smaller identities.

use conformance::{Draw, Played, assert_elected, assert_refused, finished, orders, prepared, ring};
use ringleader::model::{Preset, Reading, Scenario, Wakes};
use ringleader::protocols::election::time_slice::TimeSlice;
use ringleader::sim::{StopReason, Summary, Verdict};
use ringleader_cli::Exit;

fn in_rounds(ids: &[u64]) -> Scenario {
    ring(ids, Preset::Rounds.timing(Reading::Immediate))
}

fn run(scenario: &Scenario) -> Summary {
    finished(&mut prepared::<TimeSlice>(&[], scenario).expect("the scenario suits the protocol"))
}

/// From the definition: the smallest identity makes one turn, in its own slice.
fn demand_one_turn_of_the_smallest(scenario: &Scenario) {
    let summary = run(scenario);
    let (n, least) = (scenario.n as u64, *scenario.ids.iter().min().expect("there is somebody"));
    assert_elected(&summary, scenario, Some(least));
    assert_eq!((summary.cost.split(false), summary.cost.split(true)), (n, 0), "{scenario:?}");
    let woken = scenario.wake_at(0).expect("all wake");
    assert_eq!((summary.cost.time_elected, summary.cost.time), (Some(woken + n * least), woken + n * least));
}

#[test]
fn n_messages_and_n_times_the_smallest_identity_rounds_for_every_order_up_to_six() {
    for n in 1..=6 {
        for ids in orders(n) {
            for (factor, more) in [(1, 0), (1, 4), (3, 0), (7, 100)] {
                demand_one_turn_of_the_smallest(&in_rounds(
                    &ids.iter().map(|id| id * factor + more).collect::<Vec<_>>(),
                ));
            }
        }
    }
}

#[test]
fn random_rings_up_to_ten_thousand_whenever_they_wake() {
    let mut draw = Draw::new(110);
    for n in [1, 2, 3, 10, 31, 100, 316, 1000, 10_000] {
        for _ in 0..20 {
            let ids = draw.ids(n, 3 * n as u64);
            let wakes = Wakes::At(vec![Some(draw.below(1000)); n]);
            demand_one_turn_of_the_smallest(&Scenario { wakes, ..in_rounds(&ids) });
        }
    }
}

/// Election 3/3 claims time O(n).
#[test]
fn no_function_of_n_bounds_the_time() {
    for least in [1, 10, 1_000_000, 1 << 60] {
        assert_eq!(run(&in_rounds(&[least + 1, least])).cost.time, 2 * least);
    }
}

#[test]
fn what_no_clock_can_wait_for_is_never_and_only_the_smallest_matters() {
    let most = u64::MAX;
    for ids in [vec![most], vec![most, most - 1], vec![1 << 63, most, 1 << 62 | 1]] {
        let summary = run(&in_rounds(&ids));
        assert_eq!((summary.verdict, summary.reason), (Verdict::Unknown, Some(StopReason::NeverTimer)), "{ids:?}");
        assert!(!summary.finished && summary.cost.messages() == 0);
    }
    let played = Played::of("time-slice --ids 18446744073709551615,18446744073709551614");
    assert_eq!(played.exit(), Exit::Inconclusive);
    // 2^63 rounds are as long as time is.
    demand_one_turn_of_the_smallest(&in_rounds(&[most, 1 << 62]));
    demand_one_turn_of_the_smallest(&in_rounds(&[most, 64, 65]));
}

#[test]
fn other_timings_and_wake_sets_are_refused() {
    for timing in ["--timing unit", "--timing lockstep", "--d 1", "--r 1..2", "--clocks slowest", "--reading per-tick"]
    {
        assert_refused(&format!("time-slice -n 4 {timing}"), "timing");
    }
    for wakes in ["--wake one", "--wake 0,1,2", "--wake-at 0,0,1,0", "--wake-at 0,0,-,0"] {
        assert_refused(&format!("time-slice -n 4 {wakes}"), "wake");
    }
}
