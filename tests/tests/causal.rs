//! Runs in causal order, in any number of segments, are those in time order.

use conformance::{Draw, configured, ring};
use ringleader::model::{
    Assumptions, Clocks, Delays, Protocol, Range, Reading, Scenario, Starts, Topology, Values, Wakes,
};
use ringleader::sim::{
    CausalSimulation, Choices, ExecutionOrder, Full, Run, Simulation, StopReason, Summary, TERMINATION,
};

/// Rings that are divided into blocks are longer.
const SEVERAL_BLOCKS: u64 = 3000;
/// A run that sends more may never end.
const MOST_DELIVERIES: u64 = 1 << 17;

fn drawn(draw: &mut Draw, assumptions: &Assumptions) -> Scenario {
    let n = if draw.once_in(60) { draw.between(1000, SEVERAL_BLOCKS) } else { draw.between(1, 50) } as usize;
    let mut timing = draw.timing_up_to(&[0, 1, 7, 300, 1 << 33]);
    if assumptions.compulsory || draw.once_in(4) {
        timing = assumptions.preset.timing(assumptions.readings[0]);
    } else if draw.once_in(2) {
        timing.reading = Reading::Immediate;
    }
    if timing.clocks == Clocks::Varying {
        timing.clocks = Clocks::Fixed;
    }
    timing.delays = match draw.below(if timing.d.max == 0 { 2 } else { 5 }) {
        0 => Delays::Min,
        1 => Delays::Max,
        2 => Delays::List(draw.list(n, timing.d)),
        _ => Delays::Uniform,
    };
    if let Delays::List(list) = &timing.delays {
        timing.d = Range::around(list).expect("there are links");
    }
    let wakes = match draw.below(4) {
        _ if assumptions.starts == Starts::Together => Wakes::All,
        0 => Wakes::All,
        1 => {
            let mut at: Vec<_> = (0..n).map(|_| draw.once_in(3).then_some(0)).collect();
            at[draw.below(n as u64) as usize] = Some(0);
            Wakes::At(at)
        }
        _ => {
            let latest = draw.one_of(&[1, 9, 500, 100_000, 1 << 40]);
            draw.wakes(n, latest)
        }
    };
    let ids = draw.ids(n, n as u64 + 3);
    Scenario { wakes, seed: draw.below(1 << 40), ..ring(&ids, timing) }
}

/// The run in time order; `None` if it may never end.
fn in_time_order<P: Protocol>(protocol: P, scenario: &Scenario, last: Option<u64>) -> Option<Summary> {
    let mut run = Simulation::<P, Full>::new(protocol, scenario, Choices::Drawn).expect("it suits the protocol");
    last.into_iter().for_each(|last| run.stop_after(last));
    while !run.advance(1 << 12) {
        if run.deliveries() > MOST_DELIVERIES {
            return None;
        }
    }
    Some(run.summary())
}

/// The run in causal order, and whether it is disputed.
fn in_causal_order<P: Protocol>(
    protocol: P,
    scenario: &Scenario,
    (segments, budget): (usize, u64),
    last: Option<u64>,
) -> (Summary, bool) {
    let mut run = CausalSimulation::<P, Full>::new(protocol, scenario, segments).expect("it suits the protocol");
    last.into_iter().for_each(|last| run.stop_after(last));
    while !run.advance(budget) {
        assert_eq!(run.summary().reason, Some(StopReason::Interrupted));
    }
    (run.summary(), run.is_disputed())
}

/// The number of runs that were compared, and of those that were disputed.
fn compare<P: Protocol>(compared: &mut (u32, u32)) {
    if !CausalSimulation::<P, Full>::POSSIBLE {
        return;
    }
    let description = P::DESCRIPTION;
    let mut draw = Draw::new(description.name.len() as u64);
    let mut runs = 0;
    for _ in 0..400 {
        let mut scenario = drawn(&mut draw, &description.assumptions);
        if !description.assumptions.identities {
            scenario.ids = Vec::new();
        }
        let mut set = Vec::new();
        for parameter in description.parameters {
            if let Values::Choice(words) = parameter.values {
                set.push((parameter.name, draw.one_of(words)));
            }
        }
        let Ok(protocol) = configured::<P>(&set, &scenario) else { continue };
        // Lemmas are judged in time order. They hold, and say nothing about the rest.
        if CausalSimulation::<P, Full>::check(&protocol, &scenario).is_err_and(|why| !why.contains("lemmas")) {
            continue;
        }
        if scenario.check(&description.assumptions).is_err() {
            continue;
        }
        runs += 1;
        let last = draw.once_in(4).then(|| draw.below(2000));
        let Some(expected) = in_time_order(protocol.clone(), &scenario, last) else { continue };
        for segments in [1, 2, 3, 7] {
            let budget = draw.between(1, 5000);
            let (summary, disputed) = in_causal_order(protocol.clone(), &scenario, (segments, budget), last);
            let context = format!("{} {set:?}, {segments} segments, until {last:?}, in {scenario:?}", description.name);
            let unsafe_ = expected.violations.iter().any(|violation| violation.property != TERMINATION);
            assert!(disputed || !unsafe_, "{context}: {:?}", expected.violations);
            compared.1 += u32::from(disputed);
            if !disputed {
                compared.0 += 1;
                assert_eq!(Summary { order: ExecutionOrder::Time, ..summary }, expected, "{context}");
            }
        }
    }
    assert!(runs > 100, "{} has {runs} runs to compare", description.name);
}

macro_rules! compare_each {
    ($($list:ident: [$($protocol:ty),* $(,)?]),* $(,)?) => {
        #[test]
        fn causal_order_has_the_results_of_time_order() {
            let mut compared = (0, 0);
            $($(compare::<$protocol>(&mut compared);)*)*
            assert!(compared.0 > 5000, "{compared:?}");
        }

        #[test]
        fn elections_on_unidirectional_rings_are_executed_in_causal_order() {
            let mut names = Vec::new();
            $($(if CausalSimulation::<$protocol, Full>::POSSIBLE {
                let name = <$protocol as Protocol>::DESCRIPTION.name;
                assert_eq!(<$protocol as Protocol>::DESCRIPTION.assumptions.topology, Topology::Ring);
                names.push(name);
            })*)*
            let expected = [
                "lelann",
                "chang-roberts",
                "peterson",
                "peterson-alternating",
                "dolev-klawe-rodeh",
                "vitanyi",
                "time-slice",
                "frederickson-lynch",
                "itai-rodeh",
                "itai-rodeh-sync",
                "spirakis-tampakas-symmetry",
            ];
            assert_eq!(names, expected);
        }
    };
}

ringleader::protocols::each_protocol!(compare_each);

#[test]
fn what_depends_on_the_order_of_events_is_refused() {
    use ringleader::protocols::election::chang_roberts::ChangRoberts;
    let refused = |scenario: &Scenario| CausalSimulation::<ChangRoberts, Full>::check(&ChangRoberts, scenario).is_err();
    let plain = Scenario { n: 4, ids: vec![3, 1, 4, 2], ..Scenario::default() };
    assert!(!refused(&plain));
    let mut faulty = plain.clone();
    faulty.faults.crashes.push((1, 2));
    let again = Scenario { again: vec![(0, 9)], ..plain.clone() };
    let any = Scenario { links: ringleader::model::Links::Any, ..plain.clone() };
    for scenario in [faulty, again, any, Scenario { untimed: true, ..plain }] {
        assert!(refused(&scenario), "{scenario:?}");
    }
}
