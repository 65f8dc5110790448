//! The plain election on a complete network, held against what the lecture says of it.

use conformance::interleavings::explore;
use conformance::{Draw, assert_bounds, assert_elected, finished, orders, prepared, ring, wake_sets};
use ringleader::model::{Clocks, Delays, Links, Offsets, Ports, Preset, Range, Reading, Scenario, Timing, Wakes};
use ringleader::protocols::election::all_to_all::AllToAll;
use ringleader::sim::Summary;

fn schedules() -> Vec<Timing> {
    let wild = Timing {
        r: Range::new(1, 9),
        d: Range::new(0, 1000),
        reading: Reading::Immediate,
        clocks: Clocks::Varying,
        delays: Delays::Uniform,
        offsets: Offsets::Zero,
    };
    let mut schedules: Vec<_> = Delays::NAMED.map(|delays| Timing { delays, ..wild.clone() }).into();
    schedules.push(Timing { reading: Reading::PerStep, ..wild.clone() });
    schedules.push(Timing { reading: Reading::PerTick, clocks: Clocks::Fixed, offsets: Offsets::Random, ..wild });
    schedules.extend(Preset::ALL.map(|preset| preset.timing(Reading::Immediate)));
    schedules
}

/// n(n-1) messages, none of them an announcement, and everybody decides for the greatest.
fn run(scenario: &Scenario) -> Summary {
    let mut run = prepared::<AllToAll>(&[], scenario).expect("the scenario suits it");
    let summary = finished(&mut run);
    assert_bounds(&run, scenario);
    assert_elected(&summary, scenario, scenario.ids.iter().copied().max());
    let n = scenario.n as u64;
    assert_eq!((summary.cost.split(false), summary.cost.split(true)), (n * (n - 1), 0), "{scenario:?}");
    summary
}

#[test]
fn every_order_wake_set_and_schedule_of_up_to_five_costs_n_times_n_minus_one() {
    for n in 1..=5 {
        for ids in orders(n) {
            for wakes in wake_sets(n as usize) {
                for (timing, links) in schedules().into_iter().zip(Links::ALL.into_iter().cycle()) {
                    run(&Scenario { wakes: wakes.clone(), links, ..ring(&ids, timing) });
                }
            }
        }
    }
}

#[test]
fn every_interleaving_of_every_order_of_three_elects_the_greatest() {
    for ids in orders(3) {
        let links = Links::Any;
        let found =
            explore::<AllToAll>(&[], &Scenario { links, ..ring(&ids, Preset::Unit.timing(Reading::Immediate)) });
        // Nothing is in flight only when all is done; who has woken by itself is all that can still differ.
        assert_eq!((found.silent, found.violated.as_slice(), found.unfinished), (7, &[][..], 0), "{ids:?}");
    }
}

#[test]
fn random_networks_of_up_to_two_hundred_do_too() {
    let mut draw = Draw::new(60);
    for seed in 0..600 {
        let n = draw.between(1, if seed % 20 == 0 { 200 } else { 30 }) as usize;
        let ids = draw.ids(n, 1000);
        let (wakes, ports) = (draw.wakes(n, 2000), draw.one_of(&[Ports::Plain, Ports::Shuffled(seed)]));
        let links = draw.one_of(&Links::ALL);
        run(&Scenario { wakes, ports, links, seed, ..ring(&ids, draw.one_of(&schedules())) });
    }
}

#[test]
fn time_is_one_where_all_start_together() {
    for n in 2..=6 {
        for timing in schedules() {
            let cost = run(&ring(&(1..=n).collect::<Vec<_>>(), timing)).cost;
            assert_eq!((cost.depth, cost.depth_elected), (1, Some(1)), "{n}");
        }
    }
    assert_eq!(
        run(&ring(&[7], Preset::Unit.timing(Reading::Immediate))).cost.depth,
        0,
        "alone there is nothing to say"
    );
}

/// The lecture's time 1 takes for granted that all start. Each may be reached first by the one reached before it.
#[test]
fn where_one_starts_the_longest_chain_has_up_to_n_messages() {
    for n in 2..=5 {
        let timing = Timing { d: Range::new(1, 100), ..Preset::Unit.timing(Reading::Immediate) };
        let mut wakes = vec![None; n];
        wakes[0] = Some(0);
        let scenario = Scenario { wakes: Wakes::At(wakes), ..ring(&(1..=n as u64).collect::<Vec<_>>(), timing) };
        let depths = (0..2000).map(|seed| run(&Scenario { seed, ..scenario.clone() }).cost.depth);
        let (least, greatest) = depths.fold((u32::MAX, 0), |(low, high), depth| (low.min(depth), high.max(depth)));
        assert_eq!((least, greatest), (2, n as u32), "{n}");
    }
}
