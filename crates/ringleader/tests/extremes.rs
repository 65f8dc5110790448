//! The least and the greatest costs of all schedules: worked out by hand, and beside simulated runs.
#![allow(missing_docs, reason = "tests")]

use ringleader::check::{CheckOptions, CheckSetup, Total, survey};
use ringleader::{Catalogue, Execution, Options, TimingName, find};
use ringleader_check::{ExtremesQuery, Extremum};
use ringleader_model::Quantity;
use ringleader_sim::Choices;

/// A quantity, its least and its greatest value.
type CostEnds = (Quantity, Extremum, Extremum);

/// By quantity, the least and the greatest of one order of identities; and the possible leaders.
fn extremes(protocol: &str, ids: &[u64], depth: bool) -> (Vec<CostEnds>, Vec<Vec<u64>>) {
    let options = Options { ids: Some(ids.to_vec()), ..Options::default() };
    let extremes = ExtremesQuery { depth, ..ExtremesQuery::default() };
    let options = CheckOptions { options, extremes, ..CheckOptions::default() };
    let check = CheckSetup::new(find(protocol).expect("it is known"), &options).expect("it can be checked");
    let survey = survey(&check, &()).expect("it is explored");
    let total = Total::new(&check, &survey);
    assert!(!total.is_exceeded(), "{protocol}");
    let ranges = total.extremes.ranges.iter().map(|range| (range.quantity, range.least.0, range.greatest.0));
    (ranges.collect(), total.extremes.leaders.clone().expect("it is an election"))
}

/// Descending identities: candidate i travels i hops if it starts; the least has only the greatest start. Everybody hears of
/// the winner. A candidate has a bit for its kind, and 1, 2 or 2 for its identity; an announcement 1 + 2.
#[test]
fn chang_roberts_by_hand() {
    let (ranges, leaders) = extremes("chang-roberts", &[3, 2, 1], true);
    let expected = [
        (Quantity::Messages, 3 + 3, 1 + 2 + 3 + 3),
        (Quantity::Work, 3, 6),
        (Quantity::Announcement, 3, 3),
        (Quantity::Kind("candidate"), 3, 6),
        (Quantity::Kind("elected"), 3, 3),
        (Quantity::Bits, 6 * 3, 2 + 2 * 3 + 3 * 3 + 3 * 3),
        // One turn of the candidate, one of the announcement; at most two hops of losers before that wake somebody.
        (Quantity::DepthElected, 3, 5),
    ];
    for (quantity, least, greatest) in expected {
        let found = ranges.iter().find(|range| range.0 == quantity).map(|range| (range.1, range.2));
        assert_eq!(found, Some((Extremum::Exactly(least), Extremum::Exactly(greatest))), "{quantity:?}");
    }
    assert_eq!(leaders, [[3]]);
}

/// The least time from a request to the entry, with steps and messages of one unit.
fn least_response(protocol: &str, ids: &[u64], d: &str, c1: Option<&str>) -> Extremum {
    let options = Options {
        ids: Some(ids.to_vec()),
        r: Some("1".parse().expect("it is a range")),
        d: Some(d.parse().expect("it is a range")),
        set: c1.map(|c1| ("c1".to_string(), c1.to_string())).into_iter().collect(),
        ..Options::default()
    };
    let options = CheckOptions { options, timed: Some(true), ..CheckOptions::default() };
    let check = CheckSetup::new(find(protocol).expect("it is known"), &options).expect("it can be checked");
    let survey = survey(&check, &()).expect("it is explored");
    let total = Total::new(&check, &survey);
    let range = total.extremes.ranges.iter().find(|range| range.quantity == Quantity::LongestDelay);
    let range = range.expect("it is a lock with clocks");
    // Where nobody ever waits, every run has the greatest.
    let ends = ["least-response-time", "response-time"];
    for name in ends.into_iter().take(if range.greatest.0 == Extremum::Exactly(0) { 1 } else { 2 }) {
        let run = check.extreme_run(&total, name, &()).expect("there is one");
        run.replay(&Catalogue::with(&[]), &(), |_| {}).expect("it replays");
    }
    range.least.0
}

/// Ricart and Agrawala's lock: a request and a reply. Spirakis and Tampakas's: a sleep of mindelay = c1 and a window of
/// 2 d_max + c r_max, with c = 2, where nobody competes.
#[test]
fn least_response_times_by_hand() {
    assert_eq!(least_response("ricart-agrawala", &[1, 2], "1", None), Extremum::Exactly(2));
    assert_eq!(least_response("ricart-agrawala", &[1, 2], "2", None), Extremum::Exactly(4));
    assert_eq!(least_response("ricart-agrawala", &[1, 2], "0", None), Extremum::Exactly(0));
    assert_eq!(least_response("ricart-agrawala", &[1], "1", None), Extremum::Exactly(0));
    let mutex = "spirakis-tampakas-mutex";
    assert_eq!(least_response(mutex, &[1, 2], "1", Some("1")), Extremum::Exactly(1 + 2 + 2));
    assert_eq!(least_response(mutex, &[1, 2], "1..2", Some("3")), Extremum::Exactly(3 + 4 + 2));
}

/// Phases of anonymous processors, whose states forget them: a first phase may be the last, and ties may go on forever.
///
/// Itai and Rodeh's two processors draw 2 and 1 then. A token has a bit for its kind, one for round 1, 2 or 1 for its
/// identity, 1 or 2 for its hops and one for whether it is unique; 2 travels around the ring, 1 goes one hop. An
/// announcement has one bit.
#[test]
fn phases_that_states_forget() {
    let k = |k: &str| vec![("k".to_string(), k.to_string())];
    for (protocol, set) in [("itai-rodeh", vec![]), ("itai-rodeh-sync", vec![]), ("spirakis-tampakas-symmetry", k("1"))]
    {
        let range = |range: &str| (!set.is_empty()).then(|| range.parse().expect("it is a range"));
        let options = Options { n: Some(2), r: range("1"), d: range("1"), set: set.clone(), ..Options::default() };
        let options = CheckOptions { options, ..CheckOptions::default() };
        let check = CheckSetup::new(find(protocol).expect("it is known"), &options).expect("it can be checked");
        let survey = survey(&check, &()).expect("it is explored");
        let total = Total::new(&check, &survey);
        let of = |quantity| {
            let range = total.extremes.ranges.iter().find(|range| range.quantity == quantity).expect("it has a range");
            (range.least.0, range.greatest.0)
        };
        assert_eq!(of(Quantity::Phases), (Extremum::Exactly(1), Extremum::Unbounded), "{protocol}");
        if protocol == "itai-rodeh" {
            let bits = (1 + 1 + 2 + 1 + 1) + (1 + 1 + 2 + 2 + 1) + (1 + 1 + 1 + 1 + 1) + 2;
            assert_eq!(of(Quantity::Bits), (Extremum::Exactly(bits), Extremum::Unbounded));
        }
        let run = check.extreme_run(&total, "least-phases", &()).expect("there is one");
        let (_, _, summary) = run.replay(&Catalogue::with(&[]), &(), |_| {}).expect("it replays");
        assert_eq!(summary.cost.phases, Some(1), "{protocol}");
    }
}

/// No run lies outside.
#[test]
fn simulated_runs_lie_within() {
    for (protocol, ids) in [
        ("chang-roberts", vec![2, 4, 1, 3]),
        ("peterson", vec![2, 4, 1, 3]),
        ("dolev-klawe-rodeh", vec![2, 4, 1, 3]),
        ("hirschberg-sinclair", vec![2, 3, 1]),
        ("franklin", vec![2, 3, 1]),
        ("afek-gafni-async", vec![2, 3, 1]),
        ("all-to-all", vec![2, 3, 1]),
    ] {
        let (ranges, _) = extremes(protocol, &ids, true);
        let entry = find(protocol).expect("it is known");
        for seed in 0..40 {
            let options = Options {
                ids: Some(ids.clone()),
                seed: Some(seed),
                timing: Some(TimingName::Untimed),
                ..Options::default()
            };
            let setup = entry.set_up(options, &[]).expect("it can be run");
            let mut execution = Execution::new(&setup, Choices::Drawn).expect("it can be run");
            execution.finish(&());
            let summary = execution.run.summary();
            for &(quantity, least, greatest) in &ranges {
                let Some(measured) = summary.cost.of(quantity) else { continue };
                let measured = i64::try_from(measured.parts().0).expect("it is small");
                let within = least.value() <= Some(measured) && greatest.value() >= Some(measured);
                assert!(within, "{protocol} {quantity:?}: {measured} is not in {least:?} to {greatest:?}, seed {seed}");
            }
        }
    }
}
