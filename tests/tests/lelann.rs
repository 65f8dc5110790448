//! Le Lann's election: exactly N² message passes, whoever starts.

use conformance::{Draw, assert_elected, orders, ring, run_of, wake_sets};
use ringleader::model::{Clocks, Delays, Offsets, Preset, Range, Reading, Scenario, Timing};
use ringleader::protocols::election::lelann::LeLann;

fn demand_n_squared(scenario: &Scenario) {
    let summary = run_of::<LeLann>(scenario);
    let n = scenario.n as u64;
    assert_elected(&summary, scenario, scenario.ids.iter().copied().max());
    assert_eq!(summary.cost.messages(), n * n, "{scenario:?}");
    assert_eq!(summary.cost.split(true), 0, "everybody decides for itself, nothing is announced");
}

#[test]
fn every_wake_set_of_every_order_up_to_six_takes_n_squared_passes() {
    let mut presets = Preset::ALL.iter().cycle();
    for n in 1..=6 {
        for ids in orders(n) {
            for wakes in wake_sets(n as usize) {
                let preset = presets.next().expect("it goes on for ever");
                demand_n_squared(&Scenario { wakes, ..ring(&ids, preset.timing(Reading::Immediate)) });
            }
        }
    }
}

#[test]
fn random_wake_times_clocks_and_delays_take_n_squared_passes() {
    let mut draw = Draw::new(5);
    for seed in 0..2000 {
        let n = draw.between(1, 60) as usize;
        let timing = Timing {
            r: Range::new(1, draw.between(1, 16)),
            d: Range::new(0, draw.between(0, 50)),
            reading: draw.one_of(&Reading::ALL),
            clocks: draw.one_of(&[Clocks::Fixed, Clocks::Varying, Clocks::Slowest, Clocks::Fastest]),
            delays: draw.one_of(&[Delays::Uniform, Delays::Min, Delays::Max]),
            offsets: draw.one_of(&[Offsets::Zero, Offsets::Random]),
        };
        let ids = draw.ids(n, 5000);
        let wakes = draw.wakes(n, 400);
        demand_n_squared(&Scenario { wakes, seed, ..ring(&ids, timing) });
    }
}

#[test]
fn a_ring_of_a_thousand_takes_a_million_passes() {
    let ids = Draw::new(6).ids(1000, 1_000_000);
    demand_n_squared(&ring(&ids, Preset::Unit.timing(Reading::Immediate)));
}
