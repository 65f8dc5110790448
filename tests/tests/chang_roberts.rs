//! Chang and Roberts's election, held against their paper.

use conformance::{Draw, assert_elected, orders, ring, run_of, wake_sets};
use ringleader::model::{Clocks, Delays, Links, Offsets, Preset, Range, Reading, Scenario, Timing, Wakes};
use ringleader::protocols::election::chang_roberts::ChangRoberts;
use ringleader::sim::Summary;

/// From the definition: the message of an identity goes as far as the next greater one clockwise, that of the greatest
/// all the way round. One walk over two turns of the ring, with those whose end is not yet found on a stack.
fn candidates_when_all_start(ids: &[u64]) -> u64 {
    let n = ids.len();
    let mut passes = 0;
    let mut open: Vec<usize> = Vec::new();
    for step in 0..2 * n {
        let id = ids[step % n];
        while let Some(&from) = open.last()
            && ids[from % n] < id
        {
            passes += step - from;
            open.pop();
        }
        if step < n {
            open.push(step);
        }
    }
    assert_eq!(open.len(), 1, "only the greatest meets no greater one");
    (passes + n) as u64
}

/// The same where some start, at time 0: whoever swallows a smaller identity starts too.
fn candidates_when_some_start(ids: &[u64], wakes: &Wakes) -> u64 {
    let n = ids.len();
    let Wakes::At(at) = wakes else { return candidates_when_all_start(ids) };
    let mut started: Vec<bool> = at.iter().map(Option::is_some).collect();
    let mut to_do: Vec<usize> = (0..n).filter(|&place| started[place]).collect();
    let mut passes = 0;
    while let Some(from) = to_do.pop() {
        let distance = (1..n).find(|distance| ids[(from + distance) % n] > ids[from]).unwrap_or(n);
        passes += distance as u64;
        let swallower = (from + distance) % n;
        if !started[swallower] {
            started[swallower] = true;
            to_do.push(swallower);
        }
    }
    passes
}

fn schedules() -> Vec<Timing> {
    let wild = Timing {
        r: Range::new(1, 9),
        d: Range::new(0, 1000),
        reading: Reading::PerTick,
        clocks: Clocks::Varying,
        delays: Delays::Uniform,
        offsets: Offsets::Zero,
    };
    let mut schedules = vec![
        Timing { reading: Reading::Immediate, ..wild.clone() },
        Timing { reading: Reading::PerStep, ..wild.clone() },
        Timing { clocks: Clocks::Fixed, offsets: Offsets::Random, ..wild.clone() },
        wild,
    ];
    schedules.extend(Preset::ALL.map(|preset| preset.timing(Reading::Immediate)));
    schedules
}

fn run(scenario: &Scenario) -> Summary {
    let summary = run_of::<ChangRoberts>(scenario);
    assert_elected(&summary, scenario, scenario.ids.iter().copied().max());
    assert_eq!(summary.cost.split(true), scenario.n as u64, "the announcement makes one full turn");
    summary
}

fn candidates(scenario: &Scenario) -> u64 {
    run(scenario).cost.split(false)
}

fn unit() -> Timing {
    Preset::Unit.timing(Reading::Immediate)
}

#[test]
fn the_two_brute_forces_agree() {
    for n in 1..=6 {
        for ids in orders(n) {
            let all = Wakes::At(vec![Some(0); n as usize]);
            assert_eq!(candidates_when_some_start(&ids, &all), candidates_when_all_start(&ids), "{ids:?}");
        }
    }
    assert_eq!(candidates_when_all_start(&[3, 1, 4, 2]), 2 + 1 + 4 + 1, "counted by hand");
}

#[test]
fn over_all_orders_up_to_eight_the_count_is_the_brute_force_and_the_mean_is_n_h_n() {
    for n in 1..=8 {
        let orders = orders(n);
        let factorial: u64 = (1..=n).product();
        assert_eq!(orders.len() as u64, factorial);
        let mut sum = 0;
        for ids in &orders {
            let count = candidates(&ring(ids, unit()));
            assert_eq!(count, candidates_when_all_start(ids), "{ids:?}");
            sum += count;
        }
        // n!·N·H_N = N·Σ n!/k, and k divides n!.
        assert_eq!(sum, n * (1..=n).map(|k| factorial / k).sum::<u64>(), "the mean over all orders of {n}");
    }
}

#[test]
fn random_rings_up_to_ten_thousand_have_the_count_of_the_brute_force() {
    let mut draw = Draw::new(1);
    for n in [1, 2, 3, 10, 31, 100, 316, 1000, 3162, 10_000] {
        for _ in 0..if n < 1000 { 20 } else { 3 } {
            let ids = draw.ids(n, 2 * n as u64);
            assert_eq!(candidates(&ring(&ids, unit())), candidates_when_all_start(&ids), "{ids:?}");
        }
    }
}

#[test]
fn decreasing_clockwise_is_the_worst_order_and_increasing_the_best() {
    for n in [1, 2, 3, 4, 7, 50, 200] {
        let ascending: Vec<u64> = (1..=n).collect();
        let descending: Vec<u64> = (1..=n).rev().collect();
        assert_eq!(candidates(&ring(&descending, unit())), n * (n + 1) / 2);
        assert_eq!(candidates(&ring(&ascending, unit())), 2 * n - 1);
    }
    for n in 1..=7 {
        let counts: Vec<u64> = orders(n).iter().map(|ids| candidates(&ring(ids, unit()))).collect();
        assert_eq!(counts.iter().max(), Some(&(n * (n + 1) / 2)), "no order of {n} costs more");
        assert_eq!(counts.iter().min(), Some(&(2 * n - 1)), "no order of {n} costs less");
    }
}

#[test]
fn when_all_start_together_the_schedule_does_not_matter() {
    let schedules = schedules();
    for ids in orders(6) {
        for timing in &schedules {
            let count = candidates(&ring(&ids, timing.clone()));
            assert_eq!(count, candidates_when_all_start(&ids), "{ids:?}, {timing:?}");
        }
    }
    let mut draw = Draw::new(2);
    for seed in 0..300 {
        let n = draw.between(7, 60) as usize;
        let ids = draw.ids(n, 1000);
        for timing in &schedules {
            let scenario = Scenario { seed, ..ring(&ids, timing.clone()) };
            assert_eq!(candidates(&scenario), candidates_when_all_start(&ids), "{scenario:?}");
        }
    }
}

#[test]
fn every_wake_set_of_every_order_up_to_six_elects_the_greatest() {
    let schedules = schedules();
    let mut turn = schedules.iter().cycle();
    for n in 1..=6 {
        for ids in orders(n) {
            for wakes in wake_sets(n as usize) {
                let timing = turn.next().expect("it goes on for ever").clone();
                let scenario = Scenario { wakes, ..ring(&ids, timing) };
                let count = candidates(&scenario);
                assert!(count <= n * (n + 1) / 2, "{scenario:?}");
                // On links that are first in, first out the announcement overtakes no candidate, so that who swallows
                // one has always time to start.
                assert_eq!(count, candidates_when_some_start(&ids, &scenario.wakes), "{scenario:?}");
            }
        }
    }
}

#[test]
fn waking_at_any_times_elects_the_greatest_within_the_bound() {
    let mut draw = Draw::new(3);
    let schedules = schedules();
    for seed in 0..3000 {
        let n = draw.between(1, 40) as usize;
        let ids = draw.ids(n, u64::from(u16::MAX));
        let wakes = draw.wakes(n, 300);
        let scenario = Scenario { wakes, seed, ..ring(&ids, draw.one_of(&schedules)) };
        let count = candidates(&scenario);
        assert!(count <= candidates_when_all_start(&ids), "{scenario:?}");
    }
}

#[test]
fn links_that_reorder_do_no_harm_when_all_start_together() {
    let mut draw = Draw::new(4);
    let hasty = schedules().swap_remove(0);
    for seed in 0..1000 {
        let n = draw.between(1, 40) as usize;
        let ids = draw.ids(n, 1000);
        let scenario = Scenario { links: Links::Any, seed, ..ring(&ids, hasty.clone()) };
        assert_eq!(candidates(&scenario), candidates_when_all_start(&ids), "{scenario:?}");
    }
}
