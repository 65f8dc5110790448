//! Dolev, Klawe and Rodeh's elections, held against their phases worked out on the ring as a whole.

use conformance::schedules::{
    demand_that_faults_do_no_worse_than_silence, demand_the_same_under_every_schedule, for_every_wake_set, judged, unit,
};
use conformance::{bit_reversal, orders, orders_up_to_rotation, ring};
use ringleader::model::{Place, Scenario};
use ringleader::protocols::election::dolev_klawe_rodeh::DolevKlaweRodeh;
use ringleader::protocols::election::peterson::Peterson;
use ringleader::sim::Summary;

const A: &[(&str, &str)] = &[("variant", "a")];
const B: &[(&str, &str)] = &[("variant", "b")];

/// What a run comes to.
#[derive(PartialEq, Eq, Debug)]
struct Expected {
    /// By kind, the announcement last.
    passes: Vec<u64>,
    leader: Place,
    phases: u32,
}

/// From the definition, all at once: left is what the active processor before holds, j what the one before that does.
fn variant_a(ids: &[u64]) -> Expected {
    let n = ids.len() as u64;
    let mut active: Vec<(usize, u64)> = ids.iter().copied().enumerate().collect();
    let mut phases = 1;
    while active.len() > 1 {
        let count = active.len();
        let survivors = (0..count).filter_map(|index| {
            let (place, max) = active[index];
            let (left, j) = (active[(index + count - 1) % count].1, active[(index + count - 2) % count].1);
            (left > j && left > max).then_some((place, left))
        });
        active = survivors.collect();
        phases += 1;
    }
    let rounds = u64::from(phases);
    Expected { passes: vec![n * rounds, n * (rounds - 1), n], leader: active[0].0 as Place, phases }
}

/// From the definition, phase by phase: an M1 goes to the next active processor; it leaves its identity on the places that it
/// counts, up to the first that has a greater one, and in vain beyond. Who has received a smaller one sends an M2 after it,
/// as far as the end of that count.
fn variant_b(ids: &[u64]) -> Expected {
    let n = ids.len();
    let mut max = ids.to_vec();
    let mut active: Vec<(usize, u64)> = ids.iter().copied().enumerate().collect();
    let (mut m1, mut m2, mut phase) = (0, 0, 0);
    while active.len() > 1 {
        let hops = 1usize << phase;
        let before = max.clone();
        let mut survivors = Vec::new();
        for (index, &(place, id)) in active.iter().enumerate() {
            let (previous, next) =
                (active[(index + active.len() - 1) % active.len()], active[(index + 1) % active.len()]);
            assert!(
                (next.0 + n - place) % n >= hops,
                "{ids:?}: active processors of phase {phase} are 2^{phase} apart"
            );
            assert_eq!(ids[(place + n + 1 - hops) % n], id, "{ids:?}: what is left is 2^{phase} - 1 from home");
            let stopped = (1..=hops).find(|hop| before[(place + hop) % n] > id);
            for hop in 1..stopped.unwrap_or(hops + 1) {
                max[(place + hop) % n] = id;
            }
            if previous.1 < id {
                m2 += stopped.unwrap_or(hops) as u64;
                if stopped.is_none() {
                    survivors.push(((place + hops) % n, id));
                }
            }
        }
        m1 += n as u64;
        phase += 1;
        active = survivors;
    }
    let leader = ids.iter().position(|id| *id == active[0].1).expect("it belongs to somebody");
    m1 += n as u64 + 1 - (1 << phase);
    Expected { passes: vec![m1, m2, n as u64], leader: leader as Place, phases: phase }
}

fn expected(set: &[(&str, &str)], ids: &[u64]) -> Expected {
    if set == A { variant_a(ids) } else { variant_b(ids) }
}

fn demand(set: &[(&str, &str)], scenario: &Scenario) -> Summary {
    let (summary, leader) = judged::<DolevKlaweRodeh>(set, scenario);
    let passes = summary.cost.kinds.iter().map(|(_, passes)| *passes).collect();
    let phases = summary.cost.phases.expect("it has phases");
    assert_eq!(Expected { passes, leader, phases }, expected(set, &scenario.ids), "{set:?}, {scenario:?}");
    summary
}

#[test]
fn the_phases_of_3_1_4_2_are_those_worked_out_by_hand() {
    assert_eq!(variant_a(&[3, 1, 4, 2]), Expected { passes: vec![12, 8, 4], leader: 1, phases: 3 });
    // M1: 4 and 4, then 4, which place 1 holds in phase 2, has one hop to go home. M2: 3 and 4 say that they have seen a
    // smaller one, one hop each, then 4 says so again, two hops.
    assert_eq!(variant_b(&[3, 1, 4, 2]), Expected { passes: vec![9, 4, 4], leader: 2, phases: 2 });
}

#[test]
fn every_order_up_to_seven_and_up_to_rotation_up_to_nine_costs_what_its_phases_say() {
    for set in [A, B] {
        for n in 1..=9 {
            for ids in if n < 8 { orders(n) } else { orders_up_to_rotation(n) } {
                demand(set, &ring(&ids, unit()));
            }
        }
    }
}

#[test]
fn every_wake_set_of_every_order_up_to_five_costs_the_same() {
    for_every_wake_set(|scenario| {
        for set in [A, B] {
            demand(set, scenario);
        }
    });
}

#[test]
fn no_schedule_and_no_wake_set_changes_a_count() {
    for set in [A, B] {
        demand_the_same_under_every_schedule::<DolevKlaweRodeh>(set, 3400, |ids| {
            let Expected { passes, leader, .. } = expected(set, ids);
            (passes, leader)
        });
    }
}

#[test]
fn faults_do_no_worse_than_silence() {
    for set in [A, B] {
        demand_that_faults_do_no_worse_than_silence::<DolevKlaweRodeh>(set);
    }
}

#[test]
fn identities_may_be_as_great_as_they_come() {
    for set in [A, B] {
        demand(set, &ring(&[u64::MAX - 1, 1, u64::MAX, 1 << 63], unit()));
    }
}

/// Found independently, variant a elects whom Peterson's protocol elects, at the same cost, if the holder is elected there.
#[test]
fn variant_a_costs_what_petersons_protocol_does() {
    for ids in orders(6) {
        let scenario = ring(&ids, unit());
        let (peterson, place) = judged::<Peterson>(&[("elected", "holder")], &scenario);
        let (summary, leader) = judged::<DolevKlaweRodeh>(A, &scenario);
        assert_eq!((summary.cost.kinds, leader), (peterson.cost.kinds, place), "{ids:?}");
    }
}

/// 2N⌊log N⌋ + N in variant a: no less would do, for any N up to 8 and all powers of two.
#[test]
fn the_bound_of_variant_a_is_reached() {
    for n in 1..=8 {
        let worst = orders_up_to_rotation(n).iter().map(|ids| variant_a(ids).passes[..2].iter().sum()).max();
        assert_eq!(worst, Some(2 * n * u64::from(n.ilog2()) + n), "of {n}");
    }
    for k in 1..=10 {
        let summary = demand(A, &ring(&bit_reversal(k), unit()));
        assert_eq!(summary.cost.split(false), (2 * u64::from(k) + 1) << k);
    }
}

/// 1.5 N log N in variant b needs a term of order N: without it four or eight processors exceed it.
#[test]
fn variant_b_exceeds_one_and_a_half_n_log_n_by_little() {
    for (n, most, worst) in [(2, 3, 4), (4, 12, 13), (8, 36, 38)] {
        let found = orders_up_to_rotation(n).iter().map(|ids| variant_b(ids).passes[..2].iter().sum()).max();
        assert_eq!(found, Some(worst), "of {n}, where 1.5 N log N is {most}");
        assert!(worst > most);
    }
    let ids = [8, 1, 3, 2, 7, 4, 5, 6];
    assert_eq!(demand(B, &ring(&ids, unit())).cost.split(false), 38);
    for k in 1..=10 {
        let summary = demand(B, &ring(&bit_reversal(k), unit()));
        assert_eq!(summary.cost.split(false), ((3 * u64::from(k)) << (k - 1)) + 1);
    }
}
