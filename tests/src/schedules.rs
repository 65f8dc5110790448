//! Elections on unidirectional rings whose processors do the same under every schedule.
//!
//! A processor with one link in and one link out, both first in, first out, that answers what comes in one by one and
//! begins before the first answer, whether it wakes or is reached, sends a sequence that depends on the sequence received
//! and on nothing else. So all sequences, and all counts, are those of any one run.

use ringleader::model::{Faults, Id, Links, Outcome, Place, Preset, Protocol, Reading, Scenario, Share, Timing};
use ringleader::sim::{Run, Summary};

use crate::{Draw, assert_agreed, assert_bounds, orders, prepared, ring, wake_sets};

/// All processors awake at 0, messages take one unit.
pub fn unit() -> Timing {
    Preset::Unit.timing(Reading::Immediate)
}

/// Runs a protocol that elects the greatest identity, demands that it does and that every listed bound holds, and returns
/// what it cost and the place of who was elected.
#[track_caller]
pub fn judged<P: Protocol>(set: &[(&str, &str)], scenario: &Scenario) -> (Summary, Place) {
    let mut run = prepared::<P>(set, scenario).expect("the scenario suits the protocol");
    assert!(run.advance(1 << 24), "it does not come to an end: {scenario:?}");
    let summary = run.summary();
    let place = assert_agreed(&summary, scenario, scenario.ids.iter().copied().max());
    assert_bounds(&run, scenario);
    (summary, place)
}

/// Every wake set of every order of up to five, the presets taking turns.
pub fn for_every_wake_set(each: impl Fn(&Scenario)) {
    let mut presets = Preset::ALL.iter().cycle();
    for n in 1..=5 {
        for ids in orders(n) {
            for wakes in wake_sets(n as usize) {
                let timing = presets.next().expect("it goes on for ever").timing(Reading::Immediate);
                each(&Scenario { wakes, ..ring(&ids, timing) });
            }
        }
    }
}

/// Demands that rings of up to a thousand, of any order, cost what `expected` says by kind and elect the place that it says,
/// each under six schedules with any wake sets, clocks and delays.
pub fn demand_the_same_under_every_schedule<P: Protocol>(
    set: &[(&str, &str)],
    rings: u64,
    expected: impl Fn(&[u64]) -> (Vec<u64>, Place),
) {
    let mut draw = Draw::new(rings);
    for seed in 0..rings {
        let n = draw.size(1000) as usize;
        let ids = draw.ids(n, 2 * n as u64);
        let (passes, leader) = expected(&ids);
        let mut phases = None;
        for schedule in 0..6 {
            let mut scenario = Scenario { seed, ..ring(&ids, unit()) };
            if schedule > 0 {
                scenario.timing = draw.timing(n);
                scenario.wakes = draw.wakes(n, 10 * n as u64);
                scenario.links = draw.one_of(&[Links::Fifo, Links::Fifo, Links::Half]);
            }
            let (summary, place) = judged::<P>(set, &scenario);
            let counted: Vec<u64> = summary.cost.kinds.iter().map(|(_, passes)| *passes).collect();
            assert_eq!((counted, place), (passes.clone(), leader), "{scenario:?}");
            assert_eq!(*phases.get_or_insert(summary.cost.phases), summary.cost.phases, "{scenario:?}");
        }
    }
}

/// Demands that loss, duplication, crashes and links that reorder make no step panic, and that crashes alone, which cut every
/// sequence of messages short and change nothing before, elect nobody but the greatest.
pub fn demand_that_faults_do_no_worse_than_silence<P: Protocol>(set: &[(&str, &str)]) {
    let mut draw = Draw::new(77);
    let (mut silent, mut elected) = (0, 0);
    for seed in 0..2000 {
        let n = draw.between(1, 30) as usize;
        let ids = draw.ids(n, 100);
        let share = |draw: &mut Draw| draw.once_in(2).then(|| Share { part: 1, whole: draw.between(2, 60) as u32 });
        let crashes = vec![(draw.below(n as u64) as Place, draw.below(1000))];
        let faults = Faults { crashes, loss: share(&mut draw), duplicate: share(&mut draw), ..Faults::default() };
        let links = draw.one_of(&[Links::Fifo, Links::Any]);
        let cut_short = links == Links::Fifo && faults.loss.is_none() && faults.duplicate.is_none();
        let wakes = draw.wakes(n, 50);
        let scenario = Scenario { wakes, links, faults, seed, ..ring(&ids, draw.timing(n)) };
        let mut run = prepared::<P>(set, &scenario).expect("the scenario suits the protocol");
        // Where nobody is left to stop a message it goes around for ever.
        run.advance(20_000);
        let summary = run.summary();
        if cut_short {
            let Outcome::Election { leaders, .. } = &summary.outcome else { panic!("it was an election") };
            let greatest = scenario.ids.iter().copied().max();
            assert!(leaders.iter().all(|leader| leader.id.map(Id::get) == greatest), "{leaders:?} in {scenario:?}");
            *if leaders.is_empty() { &mut silent } else { &mut elected } += 1;
        }
    }
    assert!(silent > 30 && elected > 30, "{silent} silent and {elected} elected show both");
}
