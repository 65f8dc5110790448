//! Frederickson and Lynch's election beyond the battery: the greater an identity, the slower it travels.

use conformance::reference::frederickson_lynch;
use conformance::{Played, list};
use ringleader::sim::{StopReason, Summary, Verdict};
use ringleader_cli::Exit;

fn run(ids: &[u64]) -> Summary {
    Played::of(&format!("frederickson-lynch --ids {}", list(ids))).summary
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
    let tokens = frederickson_lynch(&ids).of_kind("token");
    assert!(tokens < 2 * n && tokens > 19 * n / 10, "{tokens} of {}", 2 * n);
}

#[test]
fn timers_beyond_64_bits_never_expire() {
    // 63: one hop takes 2^63 rounds, which is as long as time is; the second never comes.
    for (ids, passes) in [
        (vec![64], 0),
        (vec![64, 65, 66], 0),
        (vec![u64::MAX, u64::MAX - 1], 0),
        (vec![63, 64, 65], 1),
        (vec![62, 90, u64::MAX], 2),
    ] {
        let summary = run(&ids);
        assert_eq!((summary.verdict, summary.reason), (Verdict::Unknown, Some(StopReason::NeverTimer)), "{ids:?}");
        assert_eq!((summary.finished, summary.cost.messages()), (false, passes), "{ids:?}");
    }
    let played = Played::of("frederickson-lynch --ids 64,18446744073709551615");
    assert_eq!(played.exit(), Exit::Inconclusive);
    // A loser that would never move harms nobody.
    let summary = run(&[u64::MAX, 60, 64]);
    assert_eq!((summary.verdict, summary.cost.time_elected), (Verdict::Held, Some(3 << 60)));
}
