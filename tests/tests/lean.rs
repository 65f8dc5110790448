//! Runs without detail, as benchmarks and very large rings take them, come to the same as those with all of it.

use conformance::{Draw, finished, ring, run_of};
use ringleader::model::{
    Assumptions, Clocks, Delays, Phases, Protocol, Range, Reading, Scenario, Settings, Starts, Timing, Wakes,
};
use ringleader::protocols::election::{
    chang_roberts::ChangRoberts, frederickson_lynch::FredericksonLynch, itai_rodeh::ItaiRodeh,
    itai_rodeh_sync::ItaiRodehSync, lelann::LeLann, time_slice::TimeSlice, vitanyi::Vitanyi,
};
use ringleader::sim::{Choices, Lean, Resolved, Simulation};

fn drawn(draw: &mut Draw) -> Scenario {
    let n = draw.between(1, 50) as usize;
    let longest = draw.one_of(&[0, 1, 7, 300]);
    let timing = Timing {
        r: Range::new(1, draw.between(1, 9)),
        d: Range::new(draw.between(0, longest), longest),
        reading: draw.one_of(&Reading::ALL),
        clocks: draw.one_of(&[Clocks::Fixed, Clocks::Varying, Clocks::Slowest]),
        delays: draw.one_of(&[Delays::Uniform, Delays::Min, Delays::Max]),
        phases: draw.one_of(&[Phases::Zero, Phases::Random]),
    };
    let ids = draw.ids(n, n as u64 + 3);
    Scenario { wakes: draw.wakes(n, 40), seed: draw.below(1 << 40), ..ring(&ids, timing) }
}

/// The scenario, without what the protocol does not allow.
fn suited(scenario: Scenario, assumptions: &Assumptions) -> Scenario {
    let preset = assumptions.preset;
    Scenario {
        ids: if assumptions.identities { scenario.ids } else { Vec::new() },
        wakes: if assumptions.starts == Starts::Together { Wakes::All } else { scenario.wakes },
        timing: if assumptions.compulsory { preset.timing(preset.reading()) } else { scenario.timing },
        ..scenario
    }
}

fn compare<P: Protocol>(seed: u64) {
    let mut draw = Draw::new(seed);
    for _ in 0..2000 {
        let scenario = suited(drawn(&mut draw), &P::DESCRIPTION.assumptions);
        let full = run_of::<P>(&scenario);
        let settings = Settings::new(P::DESCRIPTION.parameters, &[]).expect("defaults are allowed");
        let resolved = Resolved::new(&scenario);
        let protocol = P::configure(&settings, &resolved.instance(&scenario)).expect("they suit the scenario");
        let run = Simulation::<P, Lean>::prepare(protocol, &scenario, resolved, Choices::Drawn);
        let lean = finished(&mut run.expect("it suits the protocol"));
        assert_eq!(lean.outcome, full.outcome, "{scenario:?}");
        assert_eq!((lean.verdict, lean.finished), (full.verdict, full.finished), "{scenario:?}");
        assert_eq!(lean.cost.kinds, full.cost.kinds, "{scenario:?}");
        assert_eq!(lean.cost.deliveries, full.cost.deliveries, "{scenario:?}");
        assert_eq!(lean.cost.phases, full.cost.phases, "{scenario:?}");
        assert_eq!((lean.cost.time, lean.cost.time_elected), (full.cost.time, full.cost.time_elected), "{scenario:?}");
    }
}

#[test]
fn lelann_is_the_same_without_detail() {
    compare::<LeLann>(30);
}

#[test]
fn chang_roberts_is_the_same_without_detail() {
    compare::<ChangRoberts>(31);
}

#[test]
fn vitanyi_is_the_same_without_detail() {
    compare::<Vitanyi>(32);
}

#[test]
fn time_slice_is_the_same_without_detail() {
    compare::<TimeSlice>(33);
}

#[test]
fn frederickson_lynch_is_the_same_without_detail() {
    compare::<FredericksonLynch>(34);
}

#[test]
fn itai_rodeh_is_the_same_without_detail() {
    compare::<ItaiRodeh>(35);
}

#[test]
fn itai_rodeh_sync_is_the_same_without_detail() {
    compare::<ItaiRodehSync>(36);
}
