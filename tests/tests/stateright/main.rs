//! The explorer against stateright: protocols written down once more, from their papers alone and in another form, have as many
//! configurations there as the catalogue's own code has here, and fare alike.

mod complete;
mod lock;
mod network;
mod rings;

use conformance::{orders, orders_up_to_rotation, ring};
use ringleader::model::{Links, Preset, Protocol, Range, Reading, Scenario, Settings, Workload};
use ringleader::protocols::election;
use ringleader::protocols::mutual_exclusion::ricart_agrawala::RicartAgrawala;
use ringleader::sim::Resolved;
use ringleader_check::{CheckVerdict, Effort, Wakers};

use network::{NetworkModel, Rules, Shape};

/// States and whether all is well, by the explorer.
fn checked<P: Protocol>(settings: &[(&str, &str)], scenario: &Scenario) -> (u64, bool) {
    let settings: Vec<_> = settings.iter().map(|(key, value)| ((*key).to_string(), (*value).to_string())).collect();
    let settings = Settings::new(P::DESCRIPTION.parameters, &settings).expect("the settings are allowed");
    let protocol = P::configure(&settings, &Resolved::new(scenario).instance(scenario)).expect("they suit it");
    let effort = Effort { states: 10_000_000, bytes: 1 << 32, threads: 1, reduce: false };
    let answer = ringleader_check::check(protocol, scenario, &Wakers::Anybody, &effort, &mut |_| true);
    let answer = answer.expect("it can be explored");
    assert_eq!(answer.ran_out, None);
    (answer.progress.states, answer.verdict() == CheckVerdict::Holds)
}

fn untimed(ids: &[u64], links: Links) -> Scenario {
    Scenario { links, untimed: true, ..ring(ids, Preset::Unit.timing(Reading::Immediate)) }
}

/// Demands that both count and say the same of a ring or network of these identities.
#[track_caller]
fn same<P: Protocol, R: Rules + 'static>(ids: &[u64], shape: Shape, links: Links, rules: fn(Vec<u64>) -> R) {
    let instance = NetworkModel { rules: rules(ids.to_vec()), n: ids.len(), shape, any: links == Links::Any };
    let (found, theirs) = (checked::<P>(&[], &untimed(ids, links)), instance.explore());
    assert_eq!(found, theirs, "{} of {ids:?} over links {}", P::DESCRIPTION.name, links.name());
    assert!(theirs.1, "{ids:?}");
}

#[test]
fn le_lann() {
    for ids in orders_up_to_rotation(3).iter().chain(&orders_up_to_rotation(4)) {
        same::<election::lelann::LeLann, _>(ids, Shape::OneWay, Links::Fifo, rings::LeLann);
    }
}

#[test]
fn chang_and_roberts() {
    for ids in orders_up_to_rotation(4).iter().chain(&orders_up_to_rotation(5)) {
        same::<election::chang_roberts::ChangRoberts, _>(ids, Shape::OneWay, Links::Fifo, rings::ChangRoberts);
    }
    for ids in orders_up_to_rotation(4) {
        same::<election::chang_roberts::ChangRoberts, _>(&ids, Shape::OneWay, Links::Any, rings::ChangRoberts);
    }
}

#[test]
fn peterson() {
    for ids in orders_up_to_rotation(3).iter().chain(&orders_up_to_rotation(4)) {
        same::<election::peterson::Peterson, _>(ids, Shape::OneWay, Links::Fifo, rings::Peterson);
    }
}

#[test]
fn franklin() {
    for ids in orders(2).iter().chain(&orders_up_to_rotation(3)).chain(&[vec![4, 1, 3, 2]]) {
        same::<election::franklin::Franklin, _>(ids, Shape::TwoWays, Links::Fifo, rings::Franklin);
    }
}

#[test]
fn hirschberg_and_sinclair() {
    for ids in orders(2).iter().chain(&orders_up_to_rotation(3)).chain(&[vec![4, 1, 3, 2]]) {
        same::<election::hirschberg_sinclair::HirschbergSinclair, _>(
            ids,
            Shape::TwoWays,
            Links::Fifo,
            rings::HirschbergSinclair,
        );
    }
}

#[test]
fn vitanyi_whenever_timers_run_off() {
    for ids in orders_up_to_rotation(3).iter().chain(&orders_up_to_rotation(4)) {
        same::<election::vitanyi::Vitanyi, _>(ids, Shape::OneWay, Links::Fifo, rings::Vitanyi);
    }
}

#[test]
fn all_to_all() {
    for ids in orders(3) {
        same::<election::all_to_all::AllToAll, _>(&ids, Shape::Complete, Links::Fifo, complete::AllToAll);
    }
}

#[test]
fn afek_and_gafni() {
    for ids in orders(2).iter().chain(&orders(3)) {
        same::<election::afek_gafni_async::AfekGafniAsync, _>(
            ids,
            Shape::Complete,
            Links::Fifo,
            complete::AfekGafni::repaired,
        );
    }
}

/// As printed, the ordinary process beside a candidate belongs to nobody: both find that two are elected.
#[test]
fn afek_and_gafni_as_printed() {
    let ids = [1, 2];
    let rules = complete::AfekGafni { ids: ids.to_vec(), unowned: true };
    let theirs = NetworkModel { rules, n: 2, shape: Shape::Complete, any: false }.explore();
    type Here = election::afek_gafni_async::AfekGafniAsync;
    let found = checked::<Here>(&[("printed", "owner")], &untimed(&ids, Links::Fifo));
    assert_eq!((found.1, theirs.1), (false, false));
}

/// Users ask and leave at any moment.
#[test]
fn ricart_and_agrawala() {
    for (n, entries) in [(2, 1), (2, 2), (2, 3), (3, 1)] {
        let ids: Vec<u64> = (1..=n as u64).collect();
        let workload = Workload { entries, hold: Range::new(1, 1), ..Workload::new(n) };
        let scenario = Scenario { workload: Some(workload), ..untimed(&ids, Links::Any) };
        let (found, theirs) =
            (checked::<RicartAgrawala>(&[], &scenario), lock::RicartAgrawala { n, entries }.explore());
        assert_eq!(found, theirs, "{n} sites, {entries} entries each");
        assert!(theirs.1);
    }
}
