//! Identities that are computed instead of listed, and that are kept in fewer bits, change nothing about a run.

use conformance::{Draw, entry, ring};
use ringleader::model::{Id, Protocol, Range, Scenario, ShortId, Wakes};
use ringleader::protocols::election::chang_roberts::{ChangRoberts, ChangRobertsWith};
use ringleader::protocols::election::peterson::Peterson;
use ringleader::sim::{CausalSimulation, Choices, ExecutionOrder, Full, Lean, Run, Simulation, Summary};
use ringleader::{Engine, Execution, Options, Order, RunReport, Setup};

fn finished(mut run: impl Run) -> Summary {
    while !run.advance(1 << 12) {}
    Summary { order: ExecutionOrder::Time, ..run.summary() }
}

fn in_causal_order<P: Protocol>(protocol: P, scenario: &Scenario, segments: usize) -> Summary {
    finished(CausalSimulation::<P, Full>::new(protocol, scenario, segments).expect("it suits the protocol"))
}

fn in_time_order<P: Protocol>(protocol: P, scenario: &Scenario) -> Summary {
    finished(Simulation::<P, Full>::new(protocol, scenario, Choices::Drawn).expect("it suits the protocol"))
}

fn drawn(draw: &mut Draw) -> Scenario {
    let n = if draw.once_in(20) { draw.between(1000, 3000) } else { draw.between(1, 40) } as usize;
    let timing = Scenario::default().timing;
    let d = Range::new(draw.between(0, 2), draw.between(2, 9));
    let mut at: Vec<_> = (0..n).map(|_| draw.once_in(2).then_some(0)).collect();
    at[draw.below(n as u64) as usize] = Some(0);
    let wakes = if draw.once_in(2) { Wakes::All } else { Wakes::At(at) };
    let mut scenario = Scenario { wakes, seed: draw.below(1 << 40), ..ring(&draw.ids(n, n as u64 + 3), timing) };
    scenario.timing.d = d;
    scenario
}

/// Up to the greatest identity that is short.
#[test]
fn short_identities_have_the_runs_of_long_ones() {
    let mut draw = Draw::new(32);
    for _ in 0..300 {
        let mut scenario = drawn(&mut draw);
        if draw.once_in(3) {
            scenario.ids.iter_mut().for_each(|id| *id += u64::from(u32::MAX) - 4000);
        }
        let segments = draw.between(1, 4) as usize;
        let expected = in_causal_order(ChangRoberts, &scenario, segments);
        let short = in_causal_order(ChangRobertsWith::<ShortId>::NEW, &scenario, segments);
        assert_eq!(short, expected, "{scenario:?}");
    }
}

/// In lean runs as users make them: identities that fit, and those that do not.
#[test]
fn lean_runs_have_the_results_of_full_ones_whatever_the_identities() {
    let mut draw = Draw::new(33);
    for round in 0..200 {
        let mut scenario = drawn(&mut draw);
        scenario.ids.iter_mut().for_each(|id| *id += [0, u64::from(u32::MAX) - 20, 1 << 40][round % 3]);
        let setup = Setup::of_scenario(entry("chang-roberts"), scenario, Vec::new(), None, [None; 2]).unwrap();
        let of = |mut execution: Execution| {
            execution.finish(&());
            execution.run.summary()
        };
        let full = of(Execution::new(&setup, Choices::Drawn).unwrap());
        let lean = of(Execution::lean(&setup).unwrap());
        assert_eq!(lean.outcome, full.outcome);
        let counts = |summary: &Summary| (summary.cost.kinds.clone(), summary.cost.time, summary.cost.time_elected);
        assert_eq!(counts(&lean), counts(&full), "{:?}", setup.scenario);
    }
}

#[test]
fn a_short_processor_takes_8_bytes() {
    let bytes = CausalSimulation::<ChangRobertsWith<ShortId>, Lean>::bytes_per_processor;
    let unit = Scenario { n: 1000, computed: true, ..Scenario::default() };
    let mut random = unit.clone();
    random.timing.d = Range::new(1, 9);
    assert_eq!([bytes(&unit), bytes(&random)], [8, 20]);
    for scenario in [unit, random] {
        let run =
            CausalSimulation::<ChangRobertsWith<ShortId>, Lean>::new(ChangRobertsWith::NEW, &scenario, 3).unwrap();
        assert_eq!(run.bytes(), bytes(&scenario) * scenario.n);
    }
}

#[test]
#[should_panic(expected = "4294967296 is too large")]
fn an_identity_that_is_too_large_is_no_short_one() {
    use ringleader::model::AnyId;
    let _ = ShortId::of(Id::new(1 << 32));
}

#[test]
fn computed_identities_have_the_runs_of_their_list() {
    let mut draw = Draw::new(34);
    for _ in 0..200 {
        let computed = Scenario { ids: Vec::new(), computed: true, ..drawn(&mut draw) };
        let mut listed = computed.clone();
        listed.list_identities();
        assert_eq!(listed.ids.len(), listed.n);
        let expected = in_time_order(Peterson::OWNER, &listed);
        assert_eq!(in_time_order(Peterson::OWNER, &computed), expected, "{computed:?}");
        let segments = draw.between(1, 4) as usize;
        assert_eq!(in_causal_order(Peterson::OWNER, &computed, segments), expected, "{computed:?}");
    }
}

/// Where lists are not made any more, reports are those of the list, and of the scenario that is read back.
#[test]
fn reports_of_computed_identities_are_those_of_their_list() {
    for (protocol, n) in [("chang-roberts", 65_537), ("peterson", 70_000), ("franklin", 66_000), ("peterson", 500)] {
        let options = Options { n: Some(n), order: Some(Order::Computed), seed: Some(7), ..Options::default() };
        let setup = Setup::new(entry(protocol), options.clone()).unwrap();
        assert_eq!(setup.scenario.computed, n > 1 << 16, "{n}");
        let mut list = setup.clone();
        list.list_identities();
        let listed = Setup::new(
            entry(protocol),
            Options { ids: Some(list.scenario.ids.clone()), order: None, n: None, ..options },
        );
        let json = |setup: &Setup| {
            let report = RunReport::new(setup, &setup.run().unwrap());
            let mut json = serde_json::to_value(report).unwrap();
            let scenario = json["scenario"].as_object_mut().unwrap();
            let order = scenario.remove("order");
            let rerun = json.as_object_mut().unwrap().remove("rerun").unwrap();
            (json, order, rerun)
        };
        let (expected, order, _) = json(&listed.unwrap());
        assert_eq!(order, None);
        let (found, order, rerun) = json(&setup);
        assert!(found == expected, "{protocol} {n}");
        assert_eq!(order.unwrap(), "computed");
        assert!(rerun.as_str().unwrap().contains(" --order computed "), "{rerun}");
        assert!(json(&list).0 == expected, "{protocol} {n}, listed");
        let read = serde_json::from_str(&serde_json::to_string(&*setup.scenario).unwrap()).unwrap();
        let read = Setup::of_scenario(setup.entry, read, Vec::new(), None, [None; 2]).unwrap();
        assert_eq!(read.given.order, (n > 1 << 16).then_some(Order::Computed));
        assert!(json(&read).0["trace"] == expected["trace"], "{protocol} {n}, read back");
    }
}

/// Bounds that depend on the order are those of the list, too; so are delays that depend on identities.
#[test]
fn what_looks_at_identities_finds_computed_ones() {
    use ringleader::model::Delays;
    for delays in [Delays::SlowestHigh, Delays::SlowestLow] {
        let computed = Scenario { n: 30, computed: true, ..Scenario::default() };
        let mut computed = Scenario { seed: 3, ..computed };
        (computed.timing.d, computed.timing.delays) = (Range::new(1, 50), delays);
        let mut listed = computed.clone();
        listed.list_identities();
        assert_eq!(in_time_order(ChangRoberts, &computed), in_time_order(ChangRoberts, &listed));
    }
    let engine = Some(Engine::Time);
    let options = Options { n: Some(66_000), order: Some(Order::Computed), engine, ..Options::default() };
    let setup = Setup::new(entry("franklin"), options).unwrap();
    let mut listed = setup.clone();
    listed.list_identities();
    let listed = Setup::of_scenario(listed.entry, (*listed.scenario).clone(), Vec::new(), None, [None; 2]).unwrap();
    assert!(!setup.facts.bounds.is_empty());
    assert_eq!(setup.facts.bounds, listed.facts.bounds);
}

#[test]
fn identities_are_listed_or_computed() {
    let scenario = Scenario { n: 2, ids: vec![1, 2], computed: true, ..Scenario::default() };
    assert_eq!(scenario.check(&ChangRoberts::DESCRIPTION.assumptions).unwrap_err().field, "ids");
    let anonymous = Scenario { ids: Vec::new(), ..scenario };
    assert_eq!(anonymous.check(&entry("itai-rodeh").description().assumptions).unwrap_err().field, "ids");
}
