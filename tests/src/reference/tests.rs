//! The references held against figures worked out by hand, and against what is known exactly.

use super::*;
use crate::{Draw, orders};

fn together(n: usize) -> Vec<Option<u64>> {
    vec![Some(0); n]
}

/// Messages of the election, the leader's place, the identity it holds, and the phases.
fn brief(account: &Account) -> (u64, usize, u64, Option<u64>) {
    (account.election(), account.place, account.id, account.phases)
}

fn silent(ids: &[u64], hop_test: HopTest) -> Account {
    hirschberg_sinclair(ids, Blocked::Silent, hop_test)
}

/// The costs of these identities are worked out by hand in `tests/worked_example.rs`.
#[test]
fn the_rounds_of_3_1_4_2() {
    let active = |rounds: Vec<Vec<Active>>| {
        rounds[1..].iter().map(|round| round.iter().map(|a| (a.place, a.value)).collect()).collect::<Vec<Vec<_>>>()
    };
    assert_eq!(active(peterson_rounds(&[3, 1, 4, 2])), [vec![(1, 3), (3, 4)], vec![(1, 4)]]);
    assert_eq!(active(alternating_phases(&[3, 1, 4, 2])), [vec![(0, 3), (2, 4)], vec![(0, 4)]]);
}

#[test]
fn one_alone() {
    for account in [peterson_holder, peterson_owner, peterson_alternating, dolev_klawe_rodeh_a].map(|of| of(&[7])) {
        assert_eq!(brief(&account), (1, 0, 7, Some(1)));
        assert_eq!((account.time_elected, account.time), (1, 2));
    }
    assert_eq!(brief(&dolev_klawe_rodeh_b(&[7])), (1, 0, 7, Some(0)));
    for account in [silent(&[7], HopTest::Repaired), silent(&[7], HopTest::Printed), franklin(&[7])] {
        assert_eq!(brief(&account), (2, 0, 7, Some(1)));
    }
    assert_eq!(brief(&all_to_all(&[7])), (0, 0, 7, None));
    assert_eq!((brief(&time_slice(&[7])), time_slice(&[7]).time), ((1, 0, 7, None), 7));
    let speeds = frederickson_lynch(&[7]);
    assert_eq!((brief(&speeds), speeds.time_elected, speeds.time), ((1, 0, 7, None), 128, 129));
    let captures = afek_gafni_sync(&[7], &[Some(3)], &plain_links(1));
    assert_eq!((brief(&captures), captures.time_elected), ((0, 0, 7, None), 3));
}

#[test]
fn two_by_hand() {
    let ids = &[1, 2];
    // 1 and 2 cross, max(1, 2) crosses itself; place 0 goes on with 2, which it hears again after two more passes.
    assert_eq!(brief(&peterson_holder(ids)), (6, 0, 2, Some(2)));
    // Place 1 hears 2 as a second message; the 2 of the next round finds it elected.
    assert_eq!(brief(&peterson_owner(ids)), (5, 1, 2, Some(2)));
    // Place 1 survives, and hears itself.
    assert_eq!(brief(&peterson_alternating(ids)), (4, 1, 2, Some(2)));
    // M1(1), M1(2), then M2(2) from place 1 for place 0, which sends M1(2, 1, 2) home.
    assert_eq!(brief(&dolev_klawe_rodeh_b(ids)), (4, 1, 2, Some(1)));
    // Four tokens and two consents; then around the ring in both directions. One hop more: 2 receives its own.
    assert_eq!(brief(&silent(ids, HopTest::Repaired)), (10, 1, 2, Some(2)));
    assert_eq!(brief(&silent(ids, HopTest::Printed)), (6, 1, 2, Some(1)));
    assert_eq!(brief(&hirschberg_sinclair(ids, Blocked::Echo, HopTest::Repaired)), (12, 1, 2, Some(2)));
    assert_eq!(brief(&franklin(ids)), (8, 1, 2, Some(2)));
    // 1 makes one hop, 2 a full turn.
    assert_eq!(chang_roberts(ids, &[true, true]).of_kind("candidate"), 3);
    // Each asks the other, the smaller acknowledges.
    let captures = afek_gafni_sync(ids, &together(2), &plain_links(2));
    assert_eq!((captures.of_kind("candidate"), captures.of_kind("ack"), captures.time_elected), (2, 1, 2));
}

/// All orders of up to seven, and random rings of up to 300.
fn rings() -> Vec<Vec<u64>> {
    let mut rings: Vec<_> = (1..=7).flat_map(orders).collect();
    let mut draw = Draw::new(1);
    for _ in 0..100 {
        let n = draw.between(8, 300) as usize;
        rings.push(draw.wide_ids(n));
    }
    rings
}

#[test]
fn passes_follow_from_rounds() {
    for ids in &rings() {
        let n = ids.len() as u64;
        let rounds = |account: &Account| account.phases.expect("it has rounds");
        let holder = peterson_holder(ids);
        assert_eq!(holder.election(), 2 * n * (rounds(&holder) - 1) + n, "{ids:?}");
        let variant_a = dolev_klawe_rodeh_a(ids);
        assert_eq!((variant_a.passes, variant_a.place), (holder.passes.clone(), holder.place), "{ids:?}");
        let franklin = franklin(ids);
        assert_eq!(franklin.election(), 2 * n * rounds(&franklin), "{ids:?}");
        assert_eq!(rounds(&franklin), rounds(&holder), "E13: Peterson's simulates Franklin's, {ids:?}");
        let alternating = peterson_alternating(ids);
        assert_eq!(alternating.election(), n * rounds(&alternating), "{ids:?}");
        assert_eq!(time_slice(&[&[3], &ids[1..]].concat()).election(), n);
    }
}

#[test]
fn the_greatest_leads_or_is_held() {
    for ids in &rings() {
        let greatest = greatest(ids);
        for account in [peterson_owner(ids), dolev_klawe_rodeh_b(ids), franklin(ids), all_to_all(ids)] {
            assert_eq!((account.place, account.id), greatest, "{ids:?}");
        }
        for account in [peterson_holder(ids), peterson_alternating(ids), dolev_klawe_rodeh_a(ids)] {
            assert_eq!(account.id, greatest.1, "{ids:?}");
        }
        for hop_test in [HopTest::Repaired, HopTest::Printed] {
            let silent = silent(ids, hop_test);
            assert_eq!((silent.place, silent.id), greatest, "{ids:?}");
            let mut echo = hirschberg_sinclair(ids, Blocked::Echo, hop_test);
            echo.passes.remove("no");
            echo.bits = silent.bits;
            assert_eq!(echo, silent, "a no changes nothing but the count, {ids:?}");
        }
    }
}

#[test]
fn variable_speeds_take_fewer_than_two_turns() {
    for mut ids in rings() {
        let n = ids.len() as u64;
        ids[0] = ids[0] % 13 + 1;
        if ids[1..].contains(&ids[0]) {
            continue;
        }
        let account = frederickson_lynch(&ids);
        assert!(account.election() < 2 * n, "{ids:?}");
        assert_eq!(account.time_elected, n << account.id, "{ids:?}");
    }
}

#[test]
fn the_earliest_of_the_greatest_rank_captures_all() {
    let mut draw = Draw::new(2);
    for _ in 0..2000 {
        let n = draw.between(1, 40) as usize;
        let ids = draw.wide_ids(n);
        let mut wake_at: Vec<_> = (0..n).map(|_| Some(draw.below(12)).filter(|_| draw.below(2) == 0)).collect();
        wake_at[draw.below(n as u64) as usize] = Some(draw.below(12));
        let account = afek_gafni_sync(&ids, &wake_at, &plain_links(n));
        let first = wake_at.iter().flatten().min().copied().expect("somebody wakes");
        let leader = (0..n).filter(|&place| wake_at[place] == Some(first)).max_by_key(|&place| ids[place]);
        assert_eq!(Some(account.place), leader, "{ids:?}, {wake_at:?}");
        let levels = 2 * u64::from(n.next_power_of_two().ilog2());
        assert_eq!(account.time_elected, first + levels, "elected at level 2⌈log2 n⌉");
    }
}
