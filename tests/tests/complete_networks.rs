//! What faults do to the elections on complete networks.

use conformance::{Draw, leaders, links_of, ring, simulated};
use ringleader::model::{Faults, Place, Ports, Preset, Range, Reading, Scenario, Share, Timing};
use ringleader::sim::Summary;

fn drawn(draw: &mut Draw, protocol: &str, seed: u64, preset: Preset) -> Scenario {
    let n = draw.between(1, 12) as usize;
    let usual = preset.timing(Reading::Immediate);
    let slow = Timing { d: Range::new(0, 20), ..usual.clone() };
    let timing = if preset == Preset::Rounds || draw.once_in(3) { usual } else { slow };
    let (links, ports) = (draw.one_of(links_of(protocol)), draw.one_of(&[Ports::Plain, Ports::Shuffled(seed)]));
    Scenario { wakes: draw.wakes(n, 9), links, ports, seed, ..ring(&draw.ids(n, 40), timing) }
}

fn share(draw: &mut Draw) -> Option<Share> {
    Some(Share::new(draw.between(1, 3) as u32, 10).expect("it is a share"))
}

/// Runs until nothing more happens, which must not take long.
fn run(protocol: &str, scenario: &Scenario) -> Summary {
    let mut run = simulated(protocol, &[], scenario);
    assert!((0..100).any(|_| run.advance(1000)), "it does not end: {scenario:?}");
    run.summary()
}

/// At most one leader, and nobody who follows another.
fn lose_and_crash(protocol: &str, seed: u64, preset: Preset) {
    let mut draw = Draw::new(seed);
    let mut elected = 0;
    for seed in 0..3000 {
        let mut scenario = drawn(&mut draw, protocol, seed, preset);
        let crashes = (0..draw.below(3)).map(|_| (draw.below(scenario.n as u64) as Place, draw.below(20))).collect();
        scenario.faults =
            Faults { crashes, loss: draw.once_in(2).then(|| share(&mut draw)).flatten(), ..Faults::default() };
        let summary = run(protocol, &scenario);
        let leaders = leaders(&summary);
        assert!(leaders.len() <= 1, "{leaders:?} in {scenario:?}");
        let split = summary.violations.iter().find(|violation| violation.property != "termination");
        assert_eq!(split, None, "{scenario:?}");
        elected += leaders.len();
    }
    assert!((300..2700).contains(&elected), "both happen: {elected} of 3000 elected one");
}

fn duplicate(protocol: &str, seed: u64, preset: Preset) {
    let mut draw = Draw::new(seed);
    for seed in 0..3000 {
        let mut scenario = drawn(&mut draw, protocol, seed, preset);
        scenario.faults = Faults { duplicate: share(&mut draw), ..Faults::default() };
        run(protocol, &scenario);
    }
}

#[test]
fn loss_and_crashes_never_elect_two() {
    lose_and_crash("all-to-all", 80, Preset::Unit);
    lose_and_crash("afek-gafni-sync", 81, Preset::Rounds);
    lose_and_crash("afek-gafni-async", 82, Preset::Unit);
}

#[test]
fn runs_with_duplicated_messages_terminate() {
    duplicate("all-to-all", 83, Preset::Unit);
    duplicate("afek-gafni-sync", 84, Preset::Rounds);
    duplicate("afek-gafni-async", 85, Preset::Unit);
}
