//! Runs without detail, as benchmarks and very large rings take them, come to the same as those with all of it.

use conformance::{Draw, finished, ring, run_of};
use ringleader::model::{Clocks, Delays, Phases, Protocol, Range, Reading, Scenario, Settings, Timing};
use ringleader::protocols::election::{
    afek_gafni_async::AfekGafniAsync, afek_gafni_sync::AfekGafniSync, all_to_all::AllToAll,
    chang_roberts::ChangRoberts, lelann::LeLann, vitanyi::Vitanyi,
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

fn compare<P: Protocol>(seed: u64) {
    let mut draw = Draw::new(seed);
    for _ in 0..2000 {
        let scenario = drawn(&mut draw);
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
fn all_to_all_is_the_same_without_detail() {
    compare::<AllToAll>(33);
}

#[test]
fn afek_gafni_sync_is_the_same_without_detail() {
    compare::<AfekGafniSync>(34);
}

#[test]
fn afek_gafni_async_is_the_same_without_detail() {
    compare::<AfekGafniAsync>(35);
}
