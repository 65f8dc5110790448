//! Hand-worked cases, and the table held against the ring it stands for.

use super::*;
use Coin::{Forwarding, Holding};
use Rules::{Printed, Repaired};

fn flips(rows: &[&str]) -> Vec<Vec<Coin>> {
    let coin = |letter| if letter == 'h' { Holding } else { Forwarding };
    rows.iter().map(|row| row.chars().map(coin).collect()).collect()
}

#[test]
fn forwarding_alike_or_holding_alike_nobody_is_detected() {
    for (rows, claims) in [("fff", 8), ("hhh", 2), ("ffh", 6), ("hff", 4), ("hfh", 2)] {
        for rules in [Printed, Repaired] {
            let outcome = outcome(rules, &flips(&[rows, rows]));
            assert_eq!(outcome, NaiveOutcome { ending: Ending::Elected, claims }, "{rows} {rules:?}");
        }
    }
}

#[test]
fn a_holding_period_detects() {
    // Both claim; then the first lets its claim go and the second holds. On a ring of 4 that is at 16 + 2.
    let ending = Ending::Detected { period: 1, by: vec![1] };
    assert_eq!(detected_at(4, 2, 1), 18);
    for rules in [Printed, Repaired] {
        assert_eq!(outcome(rules, &flips(&["f", "h"])), NaiveOutcome { ending: ending.clone(), claims: 3 });
    }
}

#[test]
fn a_full_buffer_detects_when_repaired_only() {
    // Both buffer in period 1. In period 3 the first lets its claim go, to the second, which is full.
    let rows = flips(&["hff", "hhf"]);
    let ending = Ending::Detected { period: 3, by: vec![1] };
    assert_eq!(outcome(Repaired, &rows), NaiveOutcome { ending, claims: 3 });
    assert_eq!(outcome(Printed, &rows), NaiveOutcome { ending: Ending::Elected, claims: 3 });
    assert_eq!((elected_at(Printed, 4, 4), elected_at(Repaired, 4, 3)), (44, 48));
}

#[test]
fn two_leaders_by_hand() {
    // Printed, counted by hand along the tree of 0, 1, 2 and 3 pairs of coins.
    for (k, favourable) in [(1, 1), (2, 2), (3, 6), (4, 18)] {
        assert_eq!(chances(Printed, 2, coins(Printed, k)).0, Chance { favourable, bits: 2 * k as u32 - 2 });
    }
    // Repaired, what the coins do to two classes: both buffered and holding (h), everything else (y).
    let (mut y, mut h) = (1, 0);
    for k in 1..=10 {
        (y, h) = (y + 3 * h, y + h);
        assert_eq!(chances(Repaired, 2, k).0, Chance { favourable: y + h, bits: 2 * k as u32 }, "{k}");
    }
}

#[test]
fn three_quarters_to_the_k() {
    let within = |rules, k| chances(rules, 2, coins(rules, k)).0.within_three_quarters(k as u32);
    assert!((1..=30).all(|k| within(Repaired, k)));
    let printed: Vec<_> = (1..=30).filter(|&k| within(Printed, k)).collect();
    assert_eq!(printed, [2, 3, 4, 5, 6]);
    let ratio = |rules| chances(rules, 2, 40).0.to_f64() / chances(rules, 2, 39).0.to_f64();
    assert!((ratio(Repaired) - (1.0 + 3f64.sqrt()) / 4.0).abs() < 1e-6);
    assert!((ratio(Printed) - (3.0 + 17f64.sqrt()) / 8.0).abs() < 1e-3);
}

#[test]
fn a_lone_candidate_is_always_elected() {
    for rules in [Printed, Repaired] {
        assert_eq!(chances(rules, 1, 10).0.favourable, 1 << 10);
    }
}

/// The ring itself, step by step and link by link, from the appendix: which candidate first detects and when, and how
/// many claims were let go.
fn ring(rules: Rules, n: usize, flips: &[Vec<Coin>]) -> (Option<(usize, u64)>, u64) {
    let (m, last, stage) = (flips.len(), flips[0].len(), 2 * n as u64);
    let (mut buffered, mut received, mut claims) = (vec![false; m], vec![0; m], 0);
    let mut links = vec![false; n]; // whether a claim is on its way to each place
    let end = if rules == Printed { stage * (last as u64 + 2) + n as u64 } else { stage * (last as u64 + 3) };
    for time in stage..=end {
        let period = (time / stage - 1) as usize;
        let mode = |of: usize, period: usize| if period == 0 { Forwarding } else { flips[of][period - 1] };
        let mut sent = vec![false; n];
        for place in 0..n {
            let (of, candidate) = (place * m / n, place % (n / m) == 0);
            if links[place] && !candidate {
                sent[(place + 1) % n] = true;
            } else if links[place] {
                received[of] += 1;
                let full = rules == Repaired && buffered[of];
                if period > last || mode(of, period) == Holding || received[of] > 1 || full {
                    return (Some((of, time)), claims);
                }
            }
            if candidate && time % stage == 0 && period <= last {
                let ended = period > 0 && mode(of, period - 1) == Forwarding;
                let has = ended && (received[of] > 0 || buffered[of]);
                if rules == Repaired && ended && !has {
                    return (Some((of, time)), claims);
                }
                let forwards = has && mode(of, period) == Forwarding;
                if period == 0 || forwards {
                    sent[(place + 1) % n] = true;
                    claims += 1;
                }
                buffered[of] = (buffered[of] || has) && !forwards;
                received[of] = 0;
            }
        }
        links = sent;
    }
    (None, claims)
}

#[test]
fn the_table_is_what_the_ring_does() {
    for (n, m, most) in [(2, 2, 4), (4, 2, 4), (10, 2, 2), (6, 3, 3), (4, 1, 4), (1, 1, 4)] {
        for (length, rules) in (0..=most).flat_map(|length| [(length, Printed), (length, Repaired)]) {
            let (chance, in_period) = chances(rules, m, length);
            let mut elected = 0;
            for rows in all_flips(m, length) {
                let NaiveOutcome { ending, claims } = outcome(rules, &rows);
                let first = match ending {
                    Ending::Elected => None,
                    Ending::Detected { period, by } => Some((by[0], detected_at(n as u64, m as u64, period))),
                };
                assert_eq!(ring(rules, n, &rows), (first, claims), "{rows:?}");
                elected += u128::from(first.is_none());
            }
            assert_eq!(elected, chance.favourable);
            let detected: u128 = in_period.iter().map(|one| one.favourable << (chance.bits - one.bits)).sum();
            assert_eq!(elected + detected, 1 << chance.bits);
        }
    }
}
