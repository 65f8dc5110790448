//! Exact distributions, held against runs made one by one and against the references.

use std::collections::BTreeMap;

use conformance::reference::Account;
use conformance::{asked, entry, orders, orders_up_to_rotation, set_up_scenario, wake_sets};
use ringleader::Setup;
use ringleader::exact::{DistributionReport, ExactOptions, ExactRow, ExactSetup};
use ringleader::model::{Part, Quantity, Scenario, Topology, Wakes};
use ringleader::sim::{Summary, Verdict};

use crate::battery::ELECTIONS;

/// The distribution of what is written after `ringleader run`.
fn exact(line: &str, n: u64, options: &ExactOptions) -> ExactRow {
    let (protocol, asked) = asked(line);
    let options = ExactOptions { set: asked.set, ..options.clone() };
    let setup = ExactSetup::new(entry(&protocol), n, &options).unwrap_or_else(|error| panic!("{line}: {error}"));
    setup.compute(&()).unwrap().expect("nobody stops it")
}

/// The values of all runs in the order of their orders, which is lexicographic.
fn brute_force(line: &str, scenarios: &[Scenario]) -> Vec<(Vec<u64>, Summary)> {
    let (protocol, options) = asked(line);
    let setup = Setup::new(entry(&protocol), options).unwrap();
    let run = |scenario: &Scenario| {
        let scenario =
            Scenario { timing: setup.scenario.timing.clone(), links: setup.scenario.links, ..scenario.clone() };
        (scenario.ids.clone(), set_up_scenario(&setup, &scenario).run().unwrap())
    };
    scenarios.iter().map(run).collect()
}

/// Demands that a distribution is that of a list of values.
fn compare(what: &str, found: &DistributionReport, runs: &[(Vec<u64>, u64)]) {
    let mut histogram = BTreeMap::new();
    runs.iter().for_each(|(_, value)| *histogram.entry(*value).or_insert(0u64) += 1);
    assert_eq!(found.histogram, histogram.into_iter().collect::<Vec<_>>(), "{what}");
    let count = runs.len() as u128;
    let (sum, squares) = runs.iter().fold((0u128, 0u128), |(sum, squares), (_, value)| {
        (sum + u128::from(*value), squares + u128::from(*value) * u128::from(*value))
    });
    let number = |text: &str| text.parse::<u128>().unwrap();
    let (over, under) = (number(&found.mean.numerator), number(&found.mean.denominator));
    assert_eq!(over * count, sum * under, "mean of {what}");
    let (over, under) = (number(&found.variance.numerator), number(&found.variance.denominator));
    assert_eq!(over * count * count, (squares * count - sum * sum) * under, "variance of {what}");
    let least = runs.iter().map(|(_, value)| *value).min().unwrap();
    let greatest = runs.iter().map(|(_, value)| *value).max().unwrap();
    assert_eq!((found.min, found.max), (least, greatest), "{what}");
    let first = |sought: u64| runs.iter().find(|(_, value)| *value == sought).unwrap().0.clone();
    assert_eq!(found.min_order, first(least), "first order with the least {what}");
    assert_eq!(found.max_order, first(greatest), "first order with the greatest {what}");
}

/// Demands that all distributions are those of runs that were made one by one.
fn compare_all(line: &str, row: &ExactRow, runs: &[(Vec<u64>, Summary)]) {
    assert_eq!(row.runs, runs.len() as u64, "{line}");
    let of = |quantity: Quantity| -> Vec<(Vec<u64>, u64)> {
        let value = |summary: &Summary| summary.cost.of(quantity).map_or(0, |value| value.parts().0 as u64);
        runs.iter().map(|(order, summary)| (order.clone(), value(summary))).collect()
    };
    for (name, quantity) in [
        ("messages", Quantity::Messages),
        ("election", Quantity::Work),
        ("announcement", Quantity::Announcement),
        ("bits", Quantity::Bits),
        ("time", Quantity::Time),
    ] {
        compare(&format!("{name} of {line}"), row.of(name).unwrap(), &of(quantity));
    }
    if let Some(phases) = &row.phases {
        compare(&format!("phases of {line}"), phases, &of(Quantity::Phases));
    }
    for (kind, found) in &row.by_kind {
        // A kind that is not sent under these rules is counted by no run.
        let value = |summary: &Summary| summary.cost.passes_of(kind).unwrap_or(0);
        let values: Vec<_> = runs.iter().map(|(order, summary)| (order.clone(), value(summary))).collect();
        compare(&format!("{kind} of {line}"), found, &values);
    }
    let bad = runs.iter().filter(|(_, summary)| summary.verdict != Verdict::Held).count() as u64;
    assert_eq!(row.unsound.as_ref().map_or(0, |unsound| unsound.runs), bad, "{line}");
    if bad == 0 && runs.iter().all(|(_, summary)| summary.cost.time_elected.is_some()) {
        compare(&format!("time of the election of {line}"), &row.time_elected, &of(Quantity::TimeElected));
    }
}

/// Elections that the kernel of small rings runs.
pub(crate) const RINGS: &[&str] = &[
    "lelann",
    "chang-roberts",
    "peterson",
    "peterson --set elected=holder",
    "peterson-alternating",
    "dolev-klawe-rodeh --set variant=a",
    "dolev-klawe-rodeh --set variant=b",
    "hirschberg-sinclair",
    "franklin",
    "van-leeuwen-tan",
];

/// Further variants, and elections that the simulator runs.
const OTHERS: &[&str] = &[
    "hirschberg-sinclair --set blocked=echo",
    "hirschberg-sinclair --set rules=printed",
    "van-leeuwen-tan --set printed=heads",
    "van-leeuwen-tan --set duplex=half",
    "vitanyi",
    "time-slice",
    "frederickson-lynch",
    "all-to-all",
    "afek-gafni-sync",
    "afek-gafni-async",
];

/// Every election with identities, in its variants.
fn lines() -> impl Iterator<Item = &'static str> {
    RINGS.iter().chain(OTHERS).copied()
}

fn topology(line: &str) -> Topology {
    entry(&asked(line).0).description().assumptions.topology
}

/// All orders in lexicographic order: on rings up to rotation.
fn sorted_orders(line: &str, n: u64) -> Vec<Vec<u64>> {
    let mut orders = if topology(line).is_ring() { orders_up_to_rotation(n) } else { orders(n) };
    orders.sort_unstable();
    orders
}

fn awake(ids: Vec<u64>) -> Scenario {
    Scenario { n: ids.len(), ids, ..Scenario::default() }
}

#[test]
fn distributions_are_those_of_runs_made_one_by_one() {
    for line in lines() {
        let most = if topology(line).is_ring() { 6 } else { 5 };
        for n in 1..=most {
            let scenarios: Vec<_> = sorted_orders(line, n).into_iter().map(awake).collect();
            compare_all(line, &exact(line, n, &ExactOptions::default()), &brute_force(line, &scenarios));
        }
    }
}

/// The same at n = 8: some 5,000 runs of each.
#[test]
#[ignore = "half a minute; run with `cargo test -p conformance --test all exact -- --ignored`"]
fn distributions_of_eight_are_those_of_runs_made_one_by_one() {
    for line in lines().filter(|line| topology(line).is_ring()) {
        for n in 7..=8 {
            let scenarios: Vec<_> = sorted_orders(line, n).into_iter().map(awake).collect();
            compare_all(line, &exact(line, n, &ExactOptions::default()), &brute_force(line, &scenarios));
        }
    }
}

/// All are awake in the first ones, and nobody's left and right are exchanged.
#[test]
fn wake_sets_and_orientations_are_those_of_runs_made_one_by_one() {
    for line in
        ["chang-roberts", "dolev-klawe-rodeh --set variant=b", "hirschberg-sinclair", "franklin", "van-leeuwen-tan"]
    {
        let two_ways = topology(line) == Topology::BidirectionalRing;
        for n in 1..=4usize {
            let mut sets: Vec<Wakes> = wake_sets(n).collect();
            sets.reverse();
            let orientations = if two_ways { 1u32 << n } else { 1 };
            let mut scenarios = Vec::new();
            for exchanged in 0..orientations {
                for wakes in &sets {
                    for ids in sorted_orders(line, n as u64) {
                        let orientation = (0..n).filter(|_| exchanged > 0).map(|place| exchanged >> place & 1 == 1);
                        let orientation = orientation.collect();
                        scenarios.push(Scenario { wakes: wakes.clone(), orientation, ..awake(ids) });
                    }
                }
            }
            let options = ExactOptions { all_wakes: true, all_orientations: two_ways, ..ExactOptions::default() };
            let row = exact(line, n as u64, &options);
            assert_eq!((row.wake_sets, row.orientations), ((1 << n) - 1, orientations.into()));
            compare_all(line, &row, &brute_force(line, &scenarios));
        }
    }
}

#[test]
fn distributions_are_those_of_the_references() {
    for battery in ELECTIONS {
        let (protocol, options) = asked(battery.line);
        let setup = Setup::new(entry(&protocol), options).unwrap();
        let kinds = setup.entry.profile().kinds;
        for n in 1..=6 {
            let row = exact(battery.line, n, &ExactOptions::default());
            let account = |ids: Vec<u64>| {
                let scenario = Scenario { n: ids.len(), ids: ids.clone(), ..Scenario::clone(&setup.scenario) };
                (ids, (battery.reference)(&scenario))
            };
            let accounts: Vec<_> = sorted_orders(battery.line, n).into_iter().map(account).collect();
            let values = |of: &dyn Fn(&Account) -> u64| -> Vec<(Vec<u64>, u64)> {
                accounts.iter().map(|(order, account)| (order.clone(), of(account))).collect()
            };
            let line = battery.line;
            compare(&format!("messages of {line}"), &row.messages, &values(&|account| account.passes.values().sum()));
            let announced = |account: &Account| -> u64 {
                let kinds = kinds.iter().filter(|kind| kind.part == Part::Announcement);
                kinds.map(|kind| account.of_kind(kind.name)).sum()
            };
            compare(&format!("announcement of {line}"), &row.announcement, &values(&announced));
            compare(&format!("bits of {line}"), &row.bits, &values(&|account| account.bits));
            compare(&format!("time of {line}"), &row.time, &values(&|account| account.time));
            compare(&format!("election time of {line}"), &row.time_elected, &values(&|account| account.time_elected));
            if let Some(phases) = &row.phases {
                compare(&format!("phases of {line}"), phases, &values(&|account| account.phases.unwrap()));
            }
        }
    }
}

/// Chang and Roberts: N·H_N on average, N more for the announcement; both as fractions.
#[test]
fn the_mean_of_chang_and_roberts_is_n_times_the_harmonic_number() {
    for n in 1..=8u64 {
        let row = exact("chang-roberts", n, &ExactOptions::default());
        let factorial: u128 = (1..=n).map(u128::from).product();
        let harmonic: u128 = (1..=n).map(|k| factorial / u128::from(k)).sum();
        for (distribution, more) in [(&row.election, 0), (&row.messages, factorial)] {
            let [over, under] = [&distribution.mean.numerator, &distribution.mean.denominator]
                .map(|text| text.parse::<u128>().unwrap());
            assert_eq!(over * factorial, u128::from(n) * (harmonic + more) * under, "n = {n}");
        }
        let mean = row.bounds.iter().find(|bound| bound.kind == "mean").expect("it is proved");
        assert_eq!(mean.holds, Some(true), "n = {n}");
    }
}

#[test]
fn threads_change_nothing() {
    for (line, n) in [("chang-roberts", 9), ("van-leeuwen-tan", 8), ("frederickson-lynch", 8)] {
        let of = |threads| format!("{:?}", exact(line, n, &ExactOptions { threads, ..ExactOptions::default() }));
        let one = of(1);
        for threads in [2, 3, 7] {
            assert_eq!(of(threads), one, "{line} with {threads} threads");
        }
    }
}

/// A bound that depends on the order is not judged for all orders at once; the others are.
#[test]
fn bounds_are_judged_for_all_orders() {
    let row = exact("peterson --set elected=holder", 8, &ExactOptions::default());
    let formulas: Vec<&str> = row.bounds.iter().map(|bound| bound.formula.as_str()).collect();
    assert!(formulas.contains(&"2N floor(log2 N) + N") && !formulas.contains(&"2N(R-1) + N"), "{formulas:?}");
    assert!(row.bounds.iter().all(|bound| bound.holds == Some(true)));
    // N = 8 in bit-reversal order: 2·8·3 + 8.
    assert_eq!(row.election.max, 56);
    let printed = exact("van-leeuwen-tan --set printed=one", 1, &ExactOptions::default());
    assert_eq!(printed.unsound.as_ref().map(|unsound| unsound.runs), Some(1), "a ring of one elects nobody");
}

#[test]
fn what_cannot_be_computed_is_refused() {
    let refused = |protocol: &str, n, options: &ExactOptions| {
        ExactSetup::new(entry(protocol), n, options).expect_err("it is refused").to_string()
    };
    let usual = ExactOptions::default();
    for (protocol, n, options, words) in [
        ("itai-rodeh", 3, &usual, "check PROTOCOL --probability"),
        ("spirakis-tampakas-symmetry", 3, &usual, "no identities"),
        ("ricart-agrawala", 3, &usual, "mutual-exclusion"),
        ("lelann", 0, &usual, "-n is 0"),
        ("lelann", 17, &usual, "1 to 16"),
        ("lelann", 16, &usual, "1,307,674,368,000"),
        ("lelann", 3, &ExactOptions { all_orientations: true, ..usual.clone() }, "--orientations is all"),
        ("time-slice", 3, &ExactOptions { all_wakes: true, ..usual.clone() }, "--wakes is all"),
        ("lelann", 3, &ExactOptions { threads: 0, ..usual.clone() }, "--threads"),
        ("lelann", 3, &ExactOptions { set: vec![("x".into(), "1".into())], ..usual.clone() }, "no parameter 'x'"),
    ] {
        let error = refused(protocol, n, options);
        assert!(error.contains(words), "{protocol} {n}: {error}");
    }
}
