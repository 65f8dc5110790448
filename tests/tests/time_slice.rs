//! Election by time slices beyond the battery: silence excludes all smaller identities.

use conformance::reference::{Account, time_slice};
use conformance::{Played, list};
use ringleader::sim::{StopReason, Summary, Verdict};
use ringleader_cli::Exit;

fn run(ids: &[u64]) -> Summary {
    Played::of(&format!("time-slice --ids {}", list(ids))).summary
}

/// Election 3/3 claims time O(n).
#[test]
fn no_function_of_n_bounds_the_time() {
    for least in [1, 10, 1_000_000, 1 << 60] {
        assert_eq!(run(&[least + 1, least]).cost.time, 2 * least);
    }
}

#[test]
fn timers_beyond_64_bits_never_expire_and_only_the_least_identity_matters() {
    let most = u64::MAX;
    for ids in [vec![most], vec![most, most - 1], vec![1 << 63, most, 1 << 62 | 1]] {
        let summary = run(&ids);
        assert_eq!((summary.verdict, summary.reason), (Verdict::Unknown, Some(StopReason::NeverTimer)), "{ids:?}");
        assert!(!summary.finished && summary.cost.messages() == 0);
    }
    let played = Played::of("time-slice --ids 18446744073709551615,18446744073709551614");
    assert_eq!(played.exit(), Exit::Inconclusive);
    // 2^63 rounds are as long as time is.
    for ids in [&[most, 1 << 62][..], &[most, 64, 65]] {
        assert_eq!(Account::of(&run(ids)), time_slice(ids));
    }
}
