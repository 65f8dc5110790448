//! The plain election on a complete network beyond the battery.

use conformance::interleavings::explore;
use conformance::reference::{Account, all_to_all};
use conformance::{orders, ring, run_scenario, set_up};
use ringleader::Setup;
use ringleader::model::{Clocks, Delays, Links, Offsets, Preset, Range, Reading, Scenario, Timing, Wakes};
use ringleader::protocols::election::all_to_all::AllToAll;

fn schedules() -> Vec<Timing> {
    let wild = Timing {
        r: Range::new(1, 9),
        d: Range::new(0, 1000),
        reading: Reading::Immediate,
        clocks: Clocks::Varying,
        delays: Delays::Uniform,
        offsets: Offsets::Zero,
        changes: Vec::new(),
    };
    let mut schedules: Vec<_> = Delays::NAMED.map(|delays| Timing { delays, ..wild.clone() }).into();
    schedules.push(Timing { reading: Reading::PerStep, ..wild.clone() });
    schedules.push(Timing { reading: Reading::PerTick, clocks: Clocks::Fixed, offsets: Offsets::Random, ..wild });
    schedules.extend(Preset::ALL.map(|preset| preset.timing(Reading::Immediate)));
    schedules
}

/// Runs it and demands the cost of the reference; gives the longest causal chain.
fn depth(setup: &Setup, scenario: &Scenario) -> u64 {
    let account = Account::of(&run_scenario(setup, scenario));
    assert_eq!(account.without_times(), all_to_all(&scenario.ids).without_times(), "{scenario:?}");
    account.depth
}

#[test]
fn every_interleaving_of_every_order_of_three_elects_the_greatest() {
    for ids in orders(3) {
        let links = Links::Any;
        let found =
            explore::<AllToAll>(&[], &Scenario { links, ..ring(&ids, Preset::Unit.timing(Reading::Immediate)) });
        // Nothing is in flight only when all is done; who has woken by itself is all that can still differ.
        assert_eq!((found.quiescent, found.violated.as_slice(), found.deadlocks), (7, &[][..], 0), "{ids:?}");
    }
}

#[test]
fn time_is_one_where_all_start_together() {
    let setup = set_up("all-to-all");
    for n in 2..=6 {
        for timing in schedules() {
            assert_eq!(depth(&setup, &ring(&(1..=n).collect::<Vec<_>>(), timing)), 1, "{n}");
        }
    }
    assert_eq!(depth(&setup, &ring(&[7], Preset::Unit.timing(Reading::Immediate))), 0, "alone there is nothing to say");
}

/// The lecture's time 1 takes for granted that all start. Each may be reached first by the one reached before it.
#[test]
fn where_one_starts_the_longest_chain_has_up_to_n_messages() {
    let setup = set_up("all-to-all");
    for n in 2..=5 {
        let timing = Timing { d: Range::new(1, 100), ..Preset::Unit.timing(Reading::Immediate) };
        let mut wakes = vec![None; n];
        wakes[0] = Some(0);
        let scenario = Scenario { wakes: Wakes::At(wakes), ..ring(&(1..=n as u64).collect::<Vec<_>>(), timing) };
        let depths = (0..2000).map(|seed| depth(&setup, &Scenario { seed, ..scenario.clone() }));
        let (least, greatest) = depths.fold((u64::MAX, 0), |(low, high), depth| (low.min(depth), high.max(depth)));
        assert_eq!((least, greatest), (2, n as u64), "{n}");
    }
}
