//! What the sources claim about costs, decided by the references over all orders of small rings.

use super::*;
use crate::{Draw, orders};

/// All orders of 1..=n but for rotation: the greatest is at place 0.
fn necklaces(n: u64) -> impl Iterator<Item = Vec<u64>> {
    orders(n - 1).into_iter().map(move |rest| [vec![n], rest].concat())
}

/// Whether count ≤ factor·n·log2(n), without rounding: 2^count ≤ n^(factor·n).
fn within_n_log_n(count: u64, factor: u64, n: u64) -> bool {
    let right = u128::from(n).checked_pow((factor * n) as u32).expect("it is small enough");
    1u128.checked_shl(count as u32).is_some_and(|left| left <= right)
}

fn floor_log2(n: u64) -> u64 {
    n.ilog2().into()
}

fn ceiling_log2(n: u64) -> u64 {
    n.next_power_of_two().ilog2().into()
}

/// The greatest of some figure over all orders of n.
fn worst(n: u64, figure: impl Fn(&[u64]) -> u64) -> u64 {
    necklaces(n).map(|ids| figure(&ids)).max().expect("there is an order")
}

fn bit_reversal(n: u64) -> Vec<u64> {
    let mut places: Vec<u64> = (0..n).collect();
    places.sort_by_key(|place| place.reverse_bits());
    let mut ids = vec![0; n as usize];
    for (rank, place) in places.into_iter().enumerate() {
        ids[place as usize] = rank as u64 + 1;
    }
    ids
}

#[test]
fn petersons_worst_is_2n_floor_log_n_plus_n_and_not_2n_log_n() {
    for n in 1..=9 {
        let bound = 2 * n * floor_log2(n) + n;
        assert_eq!(worst(n, |ids| peterson_holder(ids).election()), bound, "n = {n}");
        assert!(worst(n, |ids| peterson_owner(ids).election()) <= bound, "n = {n}");
        assert_eq!(worst(n, |ids| dolev_klawe_rodeh_a(ids).election()), bound, "n = {n}");
    }
    // E13's 2n log n without a linear term fails at once: 1 > 0, and beyond that for two, 6 > 4 and 5 > 4.
    for election in [peterson_holder, peterson_owner] {
        assert!(!within_n_log_n(election(&[1]).election(), 2, 1));
        assert!(!within_n_log_n(election(&[2, 1]).election(), 2, 2));
    }
}

#[test]
fn petersons_time_of_2n_minus_1_is_true_of_the_owner_and_false_of_the_holder() {
    for n in 1..=9 {
        assert!(worst(n, |ids| peterson_owner(ids).depth_elected) < 2 * n, "n = {n}");
    }
    let mut draw = Draw::new(1);
    for _ in 0..300 {
        let n = draw.between(1, 200);
        let ids = draw.ids(n as usize, n);
        assert!(peterson_owner(&ids).depth_elected < 2 * n, "{ids:?}");
    }
    assert_eq!(peterson_holder(&[2, 1]).depth_elected, 4, "more than 3 already where there are two");
}

#[test]
fn petersons_questions() {
    // Increasing or decreasing: one round, after which one is left, who hears itself in the next.
    for n in 2..40 {
        let ascending: Vec<u64> = (1..=n).collect();
        let descending: Vec<u64> = (1..=n).rev().collect();
        assert_eq!(peterson_holder(&ascending).phases, Some(2));
        assert_eq!(peterson_holder(&descending).phases, Some(2));
    }
    assert_eq!(peterson_holder(&[4, 1, 2, 3]).phases, Some(2), "1, 2, 3, 4 and its rotations");
    // There is an order of 2^k that needs k rounds: every second one survives if ranks are bits read backwards.
    for k in 0..=8 {
        assert_eq!(peterson_holder(&bit_reversal(1 << k)).phases, Some(k + 1), "2^{k}");
    }
}

#[test]
fn alternating_phases_grow_with_fibonacci_numbers() {
    // r phases need F(r+1) processors, where F(1) = F(2) = 1, and no more than that.
    let (mut least, mut next, mut phases) = (1, 2, 1);
    for n in 1..=9 {
        if n == next {
            (least, next, phases) = (next, least + next, phases + 1);
        }
        assert_eq!(worst(n, |ids| peterson_alternating(ids).phases.expect("it has")), phases, "n = {n}");
        assert_eq!(worst(n, |ids| peterson_alternating(ids).election()), n * phases, "n = {n}");
        // F(r+1) ≥ φ^(r-1) makes that at most n·log2(n)/log2(φ) + n.
        let growth = ((1.0 + 5f64.sqrt()) / 2.0).log2();
        let claimed = (n as f64).log2() / growth + 1.0;
        assert!(phases as f64 <= claimed + 1e-9, "n = {n}");
    }
}

#[test]
fn variant_b_stays_within_three_halves_n_log_n_plus_n_and_not_without_the_n() {
    for n in 1..=8 {
        let count = worst(n, |ids| dolev_klawe_rodeh_b(ids).election());
        assert!(within_n_log_n(2 * (count - n), 3, n), "n = {n}: {count}");
        // Without the linear term it is too little for powers of two, and enough for the others up to eight.
        assert_eq!(within_n_log_n(2 * count, 3, n), !n.is_power_of_two(), "n = {n}: {count}");
        assert_eq!(worst(n, |ids| dolev_klawe_rodeh_b(ids).phases.expect("it has")), floor_log2(n), "n = {n}");
    }
}

#[test]
fn hirschberg_and_sinclairs_stays_within_8n_times_1_plus_ceiling_log_n() {
    let within = |ids: &[u64]| {
        let n = ids.len() as u64;
        for hop_test in [HopTest::Repaired, HopTest::Printed] {
            let count = hirschberg_sinclair(ids, Blocked::Echo, hop_test).election();
            assert!(count <= 8 * n * (1 + ceiling_log2(n)), "{ids:?}");
        }
    };
    for n in 1..=8 {
        for ids in necklaces(n) {
            within(&ids);
        }
    }
    let mut draw = Draw::new(2);
    for _ in 0..200 {
        let n = draw.between(1, 300) as usize;
        within(&draw.ids(n, n as u64));
    }
    for k in 0..=8 {
        within(&bit_reversal(1 << k));
    }
}

#[test]
fn franklins_worst_is_2n_times_floor_log_n_plus_1_and_not_2n_log_n() {
    for n in 1..=9 {
        assert_eq!(worst(n, |ids| franklin(ids).election()), 2 * n * (floor_log2(n) + 1), "n = {n}");
    }
    assert!(!within_n_log_n(franklin(&[1]).election(), 2, 1), "2 > 0");
    assert!(!within_n_log_n(franklin(&[2, 1]).election(), 2, 2), "8 > 4");
}

/// Candidate messages and acknowledgements when all start together.
fn captures(ids: &[u64], links: &[Vec<usize>]) -> (u64, u64) {
    let account = afek_gafni_sync(ids, &vec![Some(0); ids.len()], links);
    (account.of_kind("candidate"), account.of_kind("ack"))
}

/// Links that keep as many candidates of 1..=n alive as may be: level by level, the greater ones first, everybody takes
/// those places whose captors are as great as it can still beat, and wastes its messages on others if there are too few.
fn costly_links(n: usize) -> Vec<Vec<usize>> {
    let mut captor: Vec<usize> = (0..n).collect();
    let mut links = vec![Vec::new(); n];
    let mut alive: Vec<usize> = (0..n).rev().collect();
    let mut size = 1;
    while links[n - 1].len() < n - 1 {
        let before = captor.clone();
        alive.retain(|&place| {
            let k = size.min(n - 1 - links[place].len());
            let mut free: Vec<usize> =
                (0..n).filter(|other| *other != place && !links[place].contains(other)).collect();
            free.sort_by_key(|&other| {
                let beaten = before[other] < place && captor[other] == before[other];
                (!beaten, n - before[other], n - other)
            });
            free.truncate(k);
            let wins = free.iter().all(|&other| before[other] < place && captor[other] == before[other]);
            if wins {
                free.iter().for_each(|&other| captor[other] = place);
            }
            links[place].extend(free);
            wins
        });
        size *= 2;
    }
    for (place, links) in links.iter_mut().enumerate() {
        let rest: Vec<usize> = (0..n).filter(|other| *other != place && !links.contains(other)).collect();
        links.extend(rest);
    }
    links
}

#[test]
fn afek_and_gafnis_candidate_messages_are_within_2n_log_n_and_not_within_n_log_n() {
    for n in 1..=7 {
        for ids in orders(n) {
            let (candidates, acknowledgements) = captures(&ids, &plain_links(n as usize));
            assert!(within_n_log_n(candidates, 2, n), "{ids:?}");
            assert!(within_n_log_n(acknowledgements, 1, n), "{ids:?}");
        }
    }
    // The smallest that exceeds n log n: 5 of 4.75.
    assert_eq!(captures(&[2, 1, 3], &plain_links(3)), (5, 3));
    assert!(within_n_log_n(captures(&[2, 1], &plain_links(2)).0, 1, 2));
    assert!(!within_n_log_n(5, 1, 3));
}

#[test]
fn afek_and_gafnis_messages_in_all_are_not_within_2n_log_n() {
    let ascending: Vec<u64> = (1..=8).collect();
    let links = costly_links(8);
    assert_eq!(captures(&ascending, &links), (34, 17), "51 in all, of 48");
    for n in 1..=11 {
        let ascending: Vec<u64> = (1..=n).collect();
        let (candidates, acknowledgements) = captures(&ascending, &costly_links(n as usize));
        assert!(within_n_log_n(candidates, 2, n), "n = {n}");
        assert!(within_n_log_n(candidates + acknowledgements, 3, n), "n = {n}");
    }
}
