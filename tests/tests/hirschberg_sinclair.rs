//! Hirschberg and Sinclair's election beyond the battery.

use conformance::bidirectional_rings::any_size;
use conformance::reference::Account;
use conformance::{Draw, Played, list, orders};

const FORMS: [(&str, &str); 4] =
    [("silent", "repaired"), ("echo", "repaired"), ("silent", "printed"), ("echo", "printed")];

#[test]
fn the_bounds_hold_and_the_phases_are_those_of_the_hop_counts() {
    let mut draw = Draw::new(52);
    let check = |ids: &[u64], (blocked, rules): (&str, &str)| {
        let line = format!("hirschberg-sinclair --ids {} --set blocked={blocked} --set rules={rules}", list(ids));
        let played = Played::of(&line);
        for formula in ["2N + 4 sum r_k c_k", "N"] {
            assert_eq!(played.held(formula), Some(true), "{formula}: {line}");
        }
        for formula in ["8N + 8 ceil(N log2 N)", "1 + ceil(log2 N)"] {
            assert_eq!(played.held(formula), (rules == "repaired").then_some(true), "{formula}: {line}");
        }
        let n = ids.len() as u64;
        let account = Account::of(&played.summary);
        let phases = account.phases.expect("there are phases");
        assert!(account.election() <= 8 * n * u64::from(1 + n.next_power_of_two().ilog2()), "{line}");
        assert!(rules == "printed" || 1 << (phases - 1) >= n && 1 << phases < 4 * n, "{line}");
    };
    for n in 1..=6 {
        for ids in orders(n) {
            check(&ids, draw.one_of(&FORMS));
        }
    }
    for _ in 0..300 {
        let n = any_size(&mut draw, 1000);
        check(&draw.ids(n, n as u64), draw.one_of(&FORMS));
    }
}

#[test]
fn the_printed_hop_test_reaches_one_processor_too_far() {
    // Epema2013, solution 1: segments of size 2^k + 1. In phase 1 a token meets its neighbours, as printed one more.
    let reached = |rules| {
        let played = Played::of(&format!("hirschberg-sinclair --ids 5,1,2,3,4 --set rules={rules}"));
        played.passes("token")
    };
    // 5 meets 1 and 4 in phase 1, two each way in phase 2, four in phase 3, and comes home in phase 4: 2 + 4 + 8 + 10.
    // 1 and 4 pass 2 each; 2 and 3, stopped by a greater neighbour clockwise, the same.
    assert_eq!(reached("repaired"), 24 + 4 * 2);
    // As printed: two each way, three, and home in phase 3: 4 + 6 + 10. 1 is stopped at once on either side; 2, 3 and 4
    // go one farther anticlockwise, over 1, 2 and 3: 4 more for 2 (home is beyond 1: 5), 3 and 4.
    assert_eq!(reached("printed"), 20 + 2 + 3 + 3 + 3);
}
