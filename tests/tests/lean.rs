//! Runs without detail, as benchmarks and very large rings take them, come to the same as those with all of it.

use conformance::{Draw, finished, prepared_in, ring, run_of};
use ringleader::model::{Clocks, Delays, Phases, Protocol, Range, Reading, Scenario, Timing};
use ringleader::protocols::election::{
    chang_roberts::ChangRoberts, franklin::Franklin, hirschberg_sinclair::HirschbergSinclair, lelann::LeLann,
    van_leeuwen_tan::VanLeeuwenTan, vitanyi::Vitanyi,
};
use ringleader::sim::Lean;

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
        let lean = finished(&mut prepared_in::<P, Lean>(&[], &scenario).expect("the scenario suits the protocol"));
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
fn hirschberg_sinclair_is_the_same_without_detail() {
    compare::<HirschbergSinclair>(33);
}

#[test]
fn franklin_is_the_same_without_detail() {
    compare::<Franklin>(34);
}

#[test]
fn van_leeuwen_tan_is_the_same_without_detail() {
    compare::<VanLeeuwenTan>(35);
}
