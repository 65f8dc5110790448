//! Chang and Roberts's election beyond the battery: late wakes and links that reorder.

use conformance::reference::{Account, chang_roberts};
use conformance::{Draw, run_scenario, set_up};
use ringleader::model::{Clocks, Delays, Offsets, Preset, Range, Reading, Scenario, Timing};

fn any_timing(draw: &mut Draw) -> Timing {
    let wild = Timing {
        r: Range::new(1, 9),
        d: Range::new(0, 1000),
        reading: draw.one_of(&Reading::ALL),
        clocks: draw.one_of(&[Clocks::Fixed, Clocks::Varying]),
        delays: Delays::Uniform,
        offsets: draw.one_of(&[Offsets::Zero, Offsets::Random]),
        changes: Vec::new(),
    };
    if draw.once_in(2) { draw.one_of(&Preset::ALL).timing(Reading::Immediate) } else { wild }
}

/// Who wakes after it has been reached may send no candidate.
#[test]
fn waking_at_any_times_elects_the_greatest_within_the_bound() {
    let mut draw = Draw::new(3);
    let setup = set_up("chang-roberts");
    for seed in 0..3000 {
        let n = draw.between(1, 40) as usize;
        let ids = draw.ids(n, u64::from(u16::MAX));
        let all = chang_roberts(&ids, &vec![true; n]);
        let (wakes, timing) = (draw.wakes(n, 300), any_timing(&mut draw));
        let found =
            Account::of(&run_scenario(&setup, &Scenario { n, ids, wakes, timing, seed, ..Scenario::default() }));
        assert_eq!((found.place, found.id), (all.place, all.id));
        assert_eq!(found.of_kind("elected"), n as u64, "the announcement makes one full turn");
        assert!(found.of_kind("candidate") <= all.of_kind("candidate"));
    }
}

#[test]
fn links_that_reorder_change_no_count_when_all_start_together() {
    let mut draw = Draw::new(4);
    let setup = set_up("chang-roberts --links any --d 0..1000 --r 1..9 --clocks varying");
    for seed in 0..1000 {
        let n = draw.between(1, 40) as usize;
        let ids = draw.ids(n, 1000);
        let expected = chang_roberts(&ids, &vec![true; n]).without_times();
        let scenario = Scenario { n, ids, seed, ..Scenario::clone(&setup.scenario) };
        assert_eq!(Account::of(&run_scenario(&setup, &scenario)).without_times(), expected, "{scenario:?}");
    }
}
