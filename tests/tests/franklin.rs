//! Franklin's election, held against the lecture and his paper.

use conformance::both_ways::{any_ring, any_size};
use conformance::{Draw, Played, assert_elected, orders, ring, run_of, wake_sets};
use ringleader::model::{Links, Preset, Reading, Scenario, Wakes};
use ringleader::protocols::election::franklin::Franklin;
use ringleader::sim::Summary;

/// From the definition: who is greater than the nearest active ones on either side stays active, until one is left and
/// meets itself. Each processor is asked by itself who those are.
fn rounds_by_definition(ids: &[u64]) -> u64 {
    let n = ids.len();
    let mut active = vec![true; n];
    let mut rounds = 0;
    loop {
        rounds += 1;
        let nearest = |place: usize, step: usize| {
            let other = (1..=n).map(|distance| (place + step * distance) % n).find(|&other| active[other]);
            ids[other.expect("it is active itself")]
        };
        let met = |place: usize| [nearest(place, 1), nearest(place, n - 1)];
        if (0..n).any(|place| active[place] && met(place) == [ids[place]; 2]) {
            return rounds;
        }
        active = (0..n).map(|place| active[place] && met(place).iter().all(|&other| other < ids[place])).collect();
    }
}

fn run(scenario: &Scenario) -> Summary {
    let summary = run_of::<Franklin>(scenario);
    assert_elected(&summary, scenario, scenario.ids.iter().copied().max());
    assert_eq!(summary.cost.split(true), scenario.n as u64, "the announcement makes one full turn");
    summary
}

/// Runs, demands 2N values in each round, and says how many rounds there were.
fn rounds(scenario: &Scenario) -> u64 {
    let summary = run(scenario);
    let rounds = u64::from(summary.cost.phases.expect("there are rounds"));
    assert_eq!(summary.cost.split(false), 2 * scenario.n as u64 * rounds, "{scenario:?}");
    rounds
}

fn unit(ids: &[u64]) -> Scenario {
    ring(ids, Preset::Unit.timing(Reading::Immediate))
}

#[test]
fn over_all_orders_up_to_eight_the_rounds_are_those_of_the_definition_and_at_most_1_plus_log_n() {
    assert_eq!(rounds_by_definition(&[3, 1, 4, 2]), 3, "worked by hand");
    for n in 1..=8 {
        let (mut least, mut most) = (u64::MAX, 0);
        for ids in orders(n) {
            let rounds = rounds(&unit(&ids));
            assert_eq!(rounds, rounds_by_definition(&ids), "{ids:?}");
            (least, most) = (least.min(rounds), most.max(rounds));
        }
        // Every round at least halves them; the last one finds that nobody is left.
        assert_eq!(most, 1 + u64::from(n.ilog2()), "N = {n}");
        assert_eq!(least, 1 + u64::from(n > 1), "N = {n}: in ascending order one is left at once");
    }
}

#[test]
fn the_lecture_forgets_the_round_in_which_the_last_one_finds_out() {
    // Epema2013, solution 2: 2n log(n). On 4 that is 16.
    let played = Played::of("franklin --ids 3,1,4,2");
    assert_eq!(played.summary.cost.split(false), 24);
    for formula in ["2N(1 + floor(log2 N))", "2N R", "4N, 2 where N = 1", "1 + floor(log2 N)", "N"] {
        assert_eq!(played.held(formula), Some(true), "{formula}");
    }
}

#[test]
fn every_wake_set_and_every_orientation_of_every_order_up_to_five_costs_the_same() {
    for n in 1..=5 {
        for ids in orders(n) {
            let expected = rounds_by_definition(&ids);
            for wakes in wake_sets(n as usize) {
                let scenario = Scenario { wakes, ..unit(&ids) };
                assert_eq!(rounds(&scenario), expected, "{scenario:?}");
            }
            for exchanged in 1..1u32 << n {
                let orientation = (0..n).map(|place| exchanged >> place & 1 == 1).collect();
                let scenario = Scenario { orientation, ..unit(&ids) };
                assert_eq!(rounds(&scenario), expected, "{scenario:?}");
            }
        }
    }
}

#[test]
fn the_schedule_does_not_matter() {
    let mut draw = Draw::new(61);
    for _ in 0..1500 {
        let n = any_size(&mut draw, 100);
        let ids = draw.ids(n, 2 * n as u64);
        let expected = rounds_by_definition(&ids);
        for _ in 0..8 {
            let links = draw.one_of(&[Links::Fifo, Links::Half]);
            let scenario = Scenario { ids: ids.clone(), ..any_ring(&mut draw, n, links) };
            assert_eq!(rounds(&scenario), expected, "{scenario:?}");
        }
    }
}

#[test]
fn links_that_reorder_can_change_the_cost_but_not_the_result() {
    let mut draw = Draw::new(63);
    let mut changed = 0;
    for _ in 0..20_000 {
        let n = any_size(&mut draw, 60);
        let scenario = any_ring(&mut draw, n, Links::Any);
        let count = run(&scenario).cost.split(false);
        changed += u64::from(count != 2 * n as u64 * rounds_by_definition(&scenario.ids));
    }
    assert!(changed > 0, "then the bounds need not demand links that keep order");
    assert_eq!(Played::of("franklin -n 20 --links any").held("2N R"), None);
}

#[test]
fn random_rings_up_to_ten_thousand_obey_the_bounds() {
    let mut draw = Draw::new(62);
    for n in [31, 100, 316, 1000, 3162, 10_000] {
        let ids = draw.ids(n, n as u64);
        let rounds = rounds(&unit(&ids));
        assert_eq!(rounds, rounds_by_definition(&ids), "{n}");
        assert!(rounds <= 1 + u64::from(n.ilog2()), "{n}");
    }
}

#[test]
fn the_smallest_rings() {
    assert_eq!(run(&unit(&[7])).cost.split(false), 2, "both self-loops");
    for ids in [[1, 2], [2, 1]] {
        assert_eq!(run(&unit(&ids)).cost.split(false), 8, "two rounds of four");
    }
}

#[test]
fn identities_may_be_as_large_as_they_come() {
    assert_eq!(rounds(&unit(&[u64::MAX, 1, u64::MAX - 1, 1 << 63])), 3);
}

#[test]
fn who_wakes_after_it_was_reached_does_not_start_again() {
    let wakes = Wakes::At(vec![Some(0), Some(1), Some(2), Some(50)]);
    assert_eq!(rounds(&Scenario { wakes, ..unit(&[3, 1, 4, 2]) }), 3);
}
