//! Frederickson and Lynch's election: the greater an identity, the slower it travels.

use conformance::{Draw, Played, assert_elected, assert_refused, orders, ring, run_of};
use ringleader::model::{Preset, Reading, Scenario, Wakes};
use ringleader::protocols::election::frederickson_lynch::FredericksonLynch;
use ringleader::sim::{StopReason, Verdict};
use ringleader_cli::Exit;

fn in_rounds(ids: &[u64]) -> Scenario {
    ring(ids, Preset::Rounds.timing(Reading::Immediate))
}

/// From the definition, round by round: passes of tokens, and the round in which the winner's is back.
fn round_by_round(ids: &[u64]) -> (u64, u64) {
    let n = ids.len();
    let mut least = ids.to_vec();
    // The token that waits at each place, and since when.
    let mut waits: Vec<Option<(u64, u64)>> = ids.iter().map(|&id| Some((id, 0))).collect();
    let mut passes = 0;
    for round in 1.. {
        let leaves = |wait: &mut Option<(u64, u64)>| wait.take_if(|(v, since)| round == *since + (1 << *v));
        let sent: Vec<_> = waits.iter_mut().map(leaves).collect();
        for (from, token) in sent.into_iter().enumerate() {
            let Some((v, _)) = token else { continue };
            passes += 1;
            let to = (from + 1) % n;
            if v == ids[to] {
                return (passes, round);
            }
            if v < least[to] {
                least[to] = v;
                waits[to] = Some((v, round));
            }
        }
    }
    unreachable!("the smallest comes back")
}

fn demand_what_the_rounds_say(scenario: &Scenario) {
    let (ids, n) = (&scenario.ids, scenario.n as u64);
    let summary = run_of::<FredericksonLynch>(scenario);
    let least = *ids.iter().min().expect("there is somebody");
    let woken = scenario.wake_at(0).expect("all wake");
    assert_elected(&summary, scenario, Some(least));
    let (passes, back) = round_by_round(ids);
    assert_eq!(back, n << least, "{ids:?}");
    assert!(passes < 2 * n, "{ids:?}");
    assert_eq!((summary.cost.split(false), summary.cost.split(true)), (passes, n), "{scenario:?}");
    assert_eq!(summary.cost.time_elected, Some(woken + back), "{scenario:?}");
    assert_eq!(summary.cost.time, woken + back + n, "the announcement takes a round for each hop: {scenario:?}");
}

#[test]
fn for_every_order_up_to_seven_the_passes_are_those_of_the_definition_and_fewer_than_2n() {
    assert_eq!(round_by_round(&[3, 1, 4, 2]), (5, 8), "worked out by hand");
    for n in 1..=7 {
        for ids in orders(n) {
            demand_what_the_rounds_say(&in_rounds(&ids));
        }
    }
}

#[test]
fn random_identities_and_wake_times() {
    let mut draw = Draw::new(120);
    for _ in 0..3000 {
        let n = draw.between(1, 12) as usize;
        let ids = draw.ids(n, 14);
        let wakes = Wakes::At(vec![Some(draw.below(1000)); n]);
        if ids.iter().min() < Some(&7) {
            demand_what_the_rounds_say(&Scenario { wakes, ..in_rounds(&ids) });
        }
    }
}

/// The sum N + N/2 + N/4 + … is nearly reached: i = 1, 2, 3, … placed so that each just escapes the next smaller one.
#[test]
fn fewer_than_2n_is_close_to_the_truth() {
    let n = 1 << 10;
    let mut ids: Vec<u64> = (100..100 + n).collect();
    // While 1 makes d hops, i makes d/2^(i-1): 1 catches it where it has gone that far.
    for i in 1..=9u64 {
        let ahead = n - (n >> (i - 1));
        ids[ahead as usize % n as usize] = i;
    }
    ids[0] = 1;
    let summary = run_of::<FredericksonLynch>(&in_rounds(&ids));
    let tokens = summary.cost.split(false);
    assert!(tokens < 2 * n && tokens > 19 * n / 10, "{tokens} of {}", 2 * n);
}

#[test]
fn large_rings_obey_the_bounds() {
    let mut draw = Draw::new(121);
    for n in [50, 500, 5000] {
        for _ in 0..20 {
            let scenario = in_rounds(&draw.ids(n, n as u64 + 5));
            let least = *scenario.ids.iter().min().expect("there is somebody");
            let summary = run_of::<FredericksonLynch>(&scenario);
            assert_elected(&summary, &scenario, Some(least));
            assert!(summary.cost.split(false) < 2 * n as u64);
            assert_eq!(summary.cost.time_elected, Some((n as u64) << least));
        }
    }
}

#[test]
fn what_no_clock_can_wait_for_is_never() {
    // 63: one hop takes 2^63 rounds, which is as long as time is; the second never comes.
    for (ids, passes) in [
        (vec![64], 0),
        (vec![64, 65, 66], 0),
        (vec![u64::MAX, u64::MAX - 1], 0),
        (vec![63, 64, 65], 1),
        (vec![62, 90, u64::MAX], 2),
    ] {
        let summary = run_of::<FredericksonLynch>(&in_rounds(&ids));
        assert_eq!((summary.verdict, summary.reason), (Verdict::Unknown, Some(StopReason::NeverTimer)), "{ids:?}");
        assert_eq!((summary.finished, summary.cost.messages()), (false, passes), "{ids:?}");
    }
    let played = Played::of("frederickson-lynch --ids 64,18446744073709551615");
    assert_eq!(played.exit(), Exit::Inconclusive);
    // A loser that would never move harms nobody.
    let summary = run_of::<FredericksonLynch>(&in_rounds(&[u64::MAX, 60, 64]));
    assert_eq!((summary.verdict, summary.cost.time_elected), (Verdict::Held, Some(3 << 60)));
}

#[test]
fn other_timings_and_wake_sets_are_refused() {
    for timing in ["--timing unit", "--timing lockstep", "--d 1", "--r 1..2", "--clocks slowest", "--reading per-tick"]
    {
        assert_refused(&format!("frederickson-lynch -n 4 {timing}"), "timing");
    }
    for wakes in ["--wake one", "--wake 0,1,2", "--wake-at 0,0,1,0", "--wake-at 0,0,-,0"] {
        assert_refused(&format!("frederickson-lynch -n 4 {wakes}"), "wake");
    }
}
