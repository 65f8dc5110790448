//! Peterson's election with alternating directions: Fibonacci numbers of survivors.

use conformance::schedules::{
    demand_that_faults_do_no_worse_than_silence, demand_the_same_under_every_schedule, for_every_wake_set, judged, unit,
};
use conformance::{bit_reversal, orders, orders_up_to_rotation, ring};
use ringleader::model::{Place, Scenario};
use ringleader::protocols::election::peterson_alternating::PetersonAlternating;
use ringleader::sim::Summary;

/// From the definition, all at once: who is active in each phase, with its place and the value it holds.
fn phases(ids: &[u64]) -> Vec<Vec<(usize, u64)>> {
    let mut phases: Vec<Vec<(usize, u64)>> = vec![ids.iter().copied().enumerate().collect()];
    while let Some(active) = phases.last().filter(|active| active.len() > 1) {
        let odd = phases.len() % 2 == 1;
        let survivors = (0..active.len()).filter_map(|index| {
            let (place, value) = active[index];
            let received = active[(index + active.len() - 1) % active.len()].1;
            if odd {
                (value > received).then_some((place, value))
            } else {
                (received > value).then_some((place, received))
            }
        });
        let survivors = survivors.collect();
        phases.push(survivors);
    }
    phases
}

fn expected(ids: &[u64]) -> (Vec<u64>, Place) {
    let (n, phases) = (ids.len() as u64, phases(ids));
    (vec![n * phases.len() as u64, n], phases.last().expect("there is one")[0].0 as Place)
}

fn demand(scenario: &Scenario) -> Summary {
    let (summary, place) = judged::<PetersonAlternating>(&[], scenario);
    let passes: Vec<u64> = summary.cost.kinds.iter().map(|(_, passes)| *passes).collect();
    assert_eq!((passes, place), expected(&scenario.ids), "{scenario:?}");
    assert_eq!(summary.cost.phases, Some(phases(&scenario.ids).len() as u32), "{scenario:?}");
    summary
}

/// F(1) = F(2) = 1.
fn fibonacci(index: u32) -> u64 {
    (1..index).fold((0, 1), |(a, b), _| (b, a + b)).1
}

/// A ring of F(T+1) that takes T phases, built backwards from the one value that is left. Who is to survive two phases needs
/// a loser after it in the first if that is odd, and before it if that is even; a loser smaller than all others does.
fn slowest(t: u32) -> Vec<u64> {
    let mut next = fibonacci(t + 1);
    let (mut ring, mut survivors) = (vec![next], vec![next]);
    for phase in (1..t).rev() {
        let mut earlier = Vec::new();
        for &value in &ring {
            let mut with_loser = vec![value];
            if survivors.contains(&value) {
                next -= 1;
                with_loser.insert(if phase % 2 == 1 { 1 } else { 0 }, next);
            }
            earlier.append(&mut with_loser);
        }
        (ring, survivors) = (earlier, ring);
    }
    ring
}

#[test]
fn the_phases_of_3_1_4_2_are_those_worked_out_by_hand() {
    assert_eq!(phases(&[3, 1, 4, 2])[1..], [vec![(0, 3), (2, 4)], vec![(0, 4)]]);
}

#[test]
fn every_order_up_to_seven_and_up_to_rotation_up_to_nine_costs_n_passes_a_phase() {
    for n in 1..=9 {
        for ids in if n < 8 { orders(n) } else { orders_up_to_rotation(n) } {
            demand(&ring(&ids, unit()));
        }
    }
}

#[test]
fn every_wake_set_of_every_order_up_to_five_costs_the_same() {
    for_every_wake_set(|scenario| {
        demand(scenario);
    });
}

#[test]
fn no_schedule_and_no_wake_set_changes_a_count() {
    demand_the_same_under_every_schedule::<PetersonAlternating>(&[], 3400, expected);
}

#[test]
fn faults_do_no_worse_than_silence() {
    demand_that_faults_do_no_worse_than_silence::<PetersonAlternating>(&[]);
}

#[test]
fn identities_may_be_as_great_as_they_come() {
    demand(&ring(&[u64::MAX - 1, 1, u64::MAX, 1 << 63], unit()));
}

/// Survivors of two phases are no more than losers of the first: what makes them shrink like Fibonacci numbers.
#[test]
fn a_phase_has_at_least_the_survivors_of_the_next_two_together() {
    for n in 1..=8 {
        for ids in orders_up_to_rotation(n) {
            let active: Vec<usize> = phases(&ids).iter().map(Vec::len).collect();
            assert!(active.windows(3).all(|three| three[0] >= three[1] + three[2]), "{ids:?}: {active:?}");
        }
    }
}

#[test]
fn the_bound_on_phases_is_reached_by_every_size_up_to_nine() {
    for n in 1..=9 {
        let most = orders_up_to_rotation(n).iter().map(|ids| phases(ids).len() as u32).max();
        let bound = (1..).take_while(|t| fibonacci(t + 1) <= n).last();
        assert_eq!(most, bound, "of {n}");
    }
}

/// 1.44 N log N is the right factor: F(20) = 6765 processors take 19 phases, and log2 of that is 12.7.
#[test]
fn the_bound_on_phases_is_reached_by_every_fibonacci_number() {
    for t in 1..=19 {
        let ids = slowest(t);
        assert_eq!(ids.len() as u64, fibonacci(t + 1));
        assert_eq!(demand(&ring(&ids, unit())).cost.phases, Some(t));
    }
}

#[test]
fn what_is_slowest_for_petersons_first_protocol_is_not_for_this() {
    for k in 2..=10 {
        assert_eq!(demand(&ring(&bit_reversal(k), unit())).cost.phases, Some(k + 1));
    }
}
