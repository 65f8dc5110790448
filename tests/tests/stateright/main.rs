//! The model checker compared with stateright: models written from the papers alone, in another form, have as many states there
//! as the catalogue's protocols have here, and the same verdicts.

mod complete;
mod lock;
mod network;
mod rings;

use conformance::{entry, orders, orders_up_to_rotation, ring};
use ringleader::model::{Links, Preset, Range, Reading, Scenario, Workload};
use ringleader_check::{CheckVerdict, Effort, Reductions};

use network::{NetworkModel, Rules, Shape};

/// States and whether all is well, by the model checker.
fn checked(protocol: &str, settings: &[(&str, &str)], scenario: &Scenario) -> (u64, bool) {
    let effort = Effort { states: 10_000_000, bytes: 1 << 32, threads: 1, reductions: Reductions::NONE };
    let found = conformance::checked(entry(protocol), settings, scenario, &effort);
    assert_eq!(found.ran_out, None);
    (found.progress.states, found.verdict() == CheckVerdict::Holds)
}

fn untimed(ids: &[u64], links: Links) -> Scenario {
    Scenario { links, untimed: true, ..ring(ids, Preset::Unit.timing(Reading::Immediate)) }
}

/// Demands that both count and say the same of a ring or network of these identities.
#[track_caller]
fn same<R: Rules + 'static>(protocol: &str, ids: &[u64], shape: Shape, links: Links, rules: fn(Vec<u64>) -> R) {
    let instance = NetworkModel { rules: rules(ids.to_vec()), n: ids.len(), shape, any: links == Links::Any };
    let (found, theirs) = (checked(protocol, &[], &untimed(ids, links)), instance.explore());
    assert_eq!(found, theirs, "{protocol} of {ids:?} over links {}", links.name());
    assert!(theirs.1, "{ids:?}");
}

#[test]
fn le_lann() {
    for ids in orders_up_to_rotation(3).iter().chain(&orders_up_to_rotation(4)) {
        same("lelann", ids, Shape::OneWay, Links::Fifo, rings::LeLann);
    }
}

#[test]
fn chang_and_roberts() {
    for ids in orders_up_to_rotation(4).iter().chain(&orders_up_to_rotation(5)) {
        same("chang-roberts", ids, Shape::OneWay, Links::Fifo, rings::ChangRoberts);
    }
    for ids in orders_up_to_rotation(4) {
        same("chang-roberts", &ids, Shape::OneWay, Links::Any, rings::ChangRoberts);
    }
}

#[test]
fn peterson() {
    for ids in orders_up_to_rotation(3).iter().chain(&orders_up_to_rotation(4)) {
        same("peterson", ids, Shape::OneWay, Links::Fifo, rings::Peterson);
    }
}

#[test]
fn franklin() {
    for ids in orders(2).iter().chain(&orders_up_to_rotation(3)).chain(&[vec![4, 1, 3, 2]]) {
        same("franklin", ids, Shape::TwoWays, Links::Fifo, rings::Franklin);
    }
}

#[test]
fn hirschberg_and_sinclair() {
    for ids in orders(2).iter().chain(&orders_up_to_rotation(3)).chain(&[vec![4, 1, 3, 2]]) {
        same("hirschberg-sinclair", ids, Shape::TwoWays, Links::Fifo, rings::HirschbergSinclair);
    }
}

#[test]
fn vitanyi_whenever_timers_expire() {
    for ids in orders_up_to_rotation(3).iter().chain(&orders_up_to_rotation(4)) {
        same("vitanyi", ids, Shape::OneWay, Links::Fifo, rings::Vitanyi);
    }
}

#[test]
fn all_to_all() {
    for ids in orders(3) {
        same("all-to-all", &ids, Shape::Complete, Links::Fifo, complete::AllToAll);
    }
}

#[test]
fn afek_and_gafni() {
    for ids in orders(2).iter().chain(&orders(3)) {
        same("afek-gafni-async", ids, Shape::Complete, Links::Fifo, complete::AfekGafni::repaired);
    }
}

/// As printed, the ordinary process beside a candidate belongs to nobody: both find that two are elected.
#[test]
fn afek_and_gafni_as_printed() {
    let ids = [1, 2];
    let rules = complete::AfekGafni { ids: ids.to_vec(), unowned: true };
    let theirs = NetworkModel { rules, n: 2, shape: Shape::Complete, any: false }.explore();
    let found = checked("afek-gafni-async", &[("printed", "owner")], &untimed(&ids, Links::Fifo));
    assert_eq!((found.1, theirs.1), (false, false));
}

/// Users make requests and leave at any time.
#[test]
fn ricart_and_agrawala() {
    for (n, entries) in [(2, 1), (2, 2), (2, 3), (3, 1)] {
        let ids: Vec<u64> = (1..=n as u64).collect();
        let workload = Workload { entries, hold: Range::new(1, 1), ..Workload::new(n) };
        let scenario = Scenario { workload: Some(workload), ..untimed(&ids, Links::Any) };
        let (found, theirs) =
            (checked("ricart-agrawala", &[], &scenario), lock::RicartAgrawala { n, entries }.explore());
        // From three entries on a promise may be broken, and how often a waiting site was overtaken is part of a state.
        let states = if entries < 3 { found.0 } else { found.0.min(theirs.0) };
        assert_eq!((states, found.1), theirs, "{n} sites, {entries} entries each");
        assert!(theirs.1);
    }
}
