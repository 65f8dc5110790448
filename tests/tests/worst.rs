//! Searches for worst cases, held against exact distributions and proved bounds.

use conformance::{asked, entry};
use ringleader::exact::{ExactOptions, ExactSetup};
use ringleader::worst::{Dimension, SearchMethod, WorstOptions, WorstReport, worst};
use ringleader::{Effort, Options, TraceFile};

use crate::exact::RINGS;

#[track_caller]
fn search(line: &str, change: impl FnOnce(&mut WorstOptions)) -> (WorstReport, TraceFile) {
    let (protocol, options) = asked(line);
    let mut asked = WorstOptions {
        options,
        quantity: "election".to_string(),
        least: false,
        over: Vec::new(),
        method: SearchMethod::Auto,
        budget: 200_000,
        effort: Effort { threads: 2, ..Effort::default() },
    };
    change(&mut asked);
    let found = worst(entry(&protocol), &asked, &()).unwrap_or_else(|error| panic!("{line}: {error}"));
    found.expect("nobody stops it")
}

/// The least and greatest values over all orders.
fn extremes(line: &str, n: u64, quantity: &str) -> Option<[u64; 2]> {
    let (protocol, Options { set, .. }) = asked(line);
    let setup = ExactSetup::new(entry(&protocol), n, &ExactOptions { set, ..ExactOptions::default() }).unwrap();
    let row = setup.compute(&()).unwrap().expect("nobody stops it");
    row.of(quantity).map(|of| [of.min, of.max])
}

/// Demands that local search alone finds the extremes of all orders.
fn reaches(lines: &[&str], sizes: std::ops::RangeInclusive<u64>, budget: u64) {
    for line in lines {
        for n in sizes.clone() {
            for quantity in ["messages", "election", "bits", "time", "phases"] {
                let Some([min, max]) = extremes(line, n, quantity) else { continue };
                for (least, extreme) in [(true, min), (false, max)] {
                    let (report, _) = search(&format!("{line} -n {n}"), |asked| {
                        (asked.quantity, asked.least) = (quantity.to_string(), least);
                        (asked.method, asked.budget) = (SearchMethod::Local, budget);
                    });
                    assert_eq!(report.value, extreme, "{line} -n {n} --quantity {quantity}, least: {least}");
                    assert!(!report.exhaustive && report.method == "local-search");
                }
            }
        }
    }
}

#[test]
fn local_search_reaches_the_extremes_of_all_orders() {
    reaches(RINGS, 2..=7, 20_000);
    reaches(&["vitanyi", "frederickson-lynch"], 2..=5, 2_000);
}

/// Up to n = 10, with a fifth of the usual budget.
#[test]
#[ignore = "minutes; run with `cargo test -p conformance --test all worst -- --ignored`"]
fn local_search_reaches_the_extremes_of_all_orders_up_to_ten() {
    reaches(RINGS, 8..=10, WorstOptions::BUDGET / 5);
}

/// N(N+1)/2 = 136, 2·16·4 + 16 = 144 and 2·16·5 = 160.
#[test]
fn at_sixteen_local_search_reaches_the_proved_worst_case() {
    for (line, worst) in [("chang-roberts", 136), ("peterson --set elected=holder", 144), ("franklin", 160)] {
        let (report, run) = search(&format!("{line} -n 16"), |asked| asked.method = SearchMethod::Local);
        assert_eq!(report.value, worst, "{line}");
        assert!(report.is_tight() && !report.is_exceeded() && report.order.len() == 16);
        // The recorded run is that run.
        let summary = run.setup(&ringleader::Catalogue::default()).unwrap().run().unwrap();
        assert_eq!(summary.cost.split(false), worst, "{line}");
    }
}

#[test]
fn where_there_are_few_orders_all_are_evaluated() {
    for line in RINGS {
        for (least, at) in [(true, 0), (false, 1)] {
            let (report, _) = search(&format!("{line} -n 6"), |asked| asked.least = least);
            assert_eq!(report.value, extremes(line, 6, "election").unwrap()[at], "{line}");
            assert!(report.exhaustive && report.evaluated == 120 && report.space.as_deref() == Some("120"));
        }
    }
}

#[test]
fn threads_change_nothing() {
    for (line, over) in [
        ("van-leeuwen-tan -n 9", vec![Dimension::Orders]),
        ("hirschberg-sinclair -n 7", vec![Dimension::Orders, Dimension::Wakes, Dimension::Orientations]),
        ("vitanyi -n 5 --r 1..2 --d 0..1", Vec::new()),
    ] {
        for method in [SearchMethod::Local, SearchMethod::Auto] {
            let of = |threads: usize| {
                let (report, _) = search(line, |asked| {
                    (asked.over, asked.method, asked.budget) = (over.clone(), method, 4_000);
                    asked.effort.threads = threads;
                });
                format!("{report:?}")
            };
            let one = of(1);
            assert_eq!(of(2), one, "{line}");
            assert_eq!(of(5), one, "{line}");
        }
    }
}

/// Slower clocks and links make an election of Vitányi's last longer, and are said in the line that makes the run.
#[test]
fn clocks_and_delays_are_searched_where_they_are_ranges() {
    let [fixed, open] = ["vitanyi -n 4", "vitanyi -n 4 --r 1..2 --d 0..1"]
        .map(|line| search(line, |asked| asked.quantity = "time".to_string()));
    let (open, run) = open;
    assert!(open.exhaustive && open.evaluated == 6 * 16 * 16 && open.value > fixed.0.value, "{open:?} {fixed:?}");
    assert_eq!(open.over, ["orders", "clocks", "delays"]);
    let line = open.run.unwrap();
    assert!(line.contains("--clocks list:") && line.contains("--delays list:"), "{line}");
    let summary = run.setup(&ringleader::Catalogue::default()).unwrap().run().unwrap();
    assert_eq!(summary.cost.time, open.value);
}

/// Ports of a complete network make a difference that orders alone do not show.
#[test]
fn ports_are_searched_on_complete_networks() {
    let of = |over: Vec<Dimension>| search("afek-gafni-sync -n 3", |asked| asked.over = over).0;
    let (orders, ports) = (of(vec![Dimension::Orders]), of(vec![Dimension::Orders, Dimension::Ports]));
    assert!(ports.exhaustive && ports.evaluated == 6 * 8 && orders.evaluated == 6);
    assert!(ports.value >= orders.value);
}

/// The model checker's extreme is at least that of unit delays, and its run replays.
#[test]
fn schedules_are_left_to_the_model_checker() {
    let (unit, _) = search("van-leeuwen-tan -n 4", |asked| asked.quantity = "messages".to_string());
    let (any, run) = search("van-leeuwen-tan -n 4", |asked| {
        (asked.quantity, asked.over) = ("messages".to_string(), vec![Dimension::Schedules]);
    });
    assert!(any.value >= unit.value && any.exhaustive && any.method == "model-checking" && any.run.is_none());
    let (_, _, summary) = run.replay(&ringleader::Catalogue::default(), &(), |_| {}).unwrap();
    assert_eq!(summary.cost.messages(), any.value);
}

#[test]
fn what_cannot_be_searched_is_refused() {
    use Dimension::{Clocks, Delays, Orientations, Ports, Schedules, Wakes};
    let refused = |line: &str, quantity: &str, over: Vec<Dimension>, method| {
        let (protocol, options) = asked(line);
        let asked = WorstOptions {
            options,
            quantity: quantity.to_string(),
            least: false,
            over,
            method,
            budget: 100,
            effort: Effort::default(),
        };
        worst(entry(&protocol), &asked, &()).expect_err(line).to_string()
    };
    let auto = SearchMethod::Auto;
    for (line, quantity, over, method, words) in [
        ("itai-rodeh -n 3", "messages", vec![], auto, "no identities"),
        ("lelann -n 3", "phases", vec![], auto, "--quantity is 'phases'"),
        ("lelann -n 3", "beauty", vec![], auto, "messages, election"),
        ("lelann -n 3", "messages", vec![Orientations], auto, "bidirectional ring"),
        ("lelann -n 3", "messages", vec![Ports], auto, "complete network"),
        ("lelann -n 3", "messages", vec![Clocks], auto, "--r 1..4"),
        ("lelann -n 3", "messages", vec![Delays], auto, "--d 1..4"),
        ("time-slice -n 3", "messages", vec![Wakes], auto, "same round"),
        ("lelann -n 3", "messages", vec![Wakes, Schedules], auto, "alone"),
        ("lelann -n 3", "messages", vec![Schedules], SearchMethod::Local, "exhaustive or auto"),
        ("lelann -n 3", "time", vec![Schedules], auto, "--quantity is 'time'"),
        ("lelann -n 16", "messages", vec![], SearchMethod::Exhaustive, "1,307,674,368,000"),
    ] {
        let error = refused(line, quantity, over, method);
        assert!(error.contains(words), "{line}: {error}");
    }
}
