//! Afek and Gafni's asynchronous election, held against the lecture.

use conformance::interleavings::explore;
use conformance::{
    Draw, LINKS, assert_bounds, assert_elected, finished, leaders, orders, passes, prepared, ring, samples, wake_sets,
};
use ringleader::model::{
    Clocks, Delays, Id, Links, Offsets, Place, Ports, Preset, Range, Reading, Scenario, Timing, Wakes,
};
use ringleader::protocols::election::afek_gafni_async::AfekGafniAsync;
use ringleader::sim::{Run, Summary, Verdict};

fn unit() -> Timing {
    Preset::Unit.timing(Reading::Immediate)
}

/// Who wakes, and when.
fn starters(scenario: &Scenario) -> impl Iterator<Item = (u64, u64)> {
    (0..scenario.n).filter_map(|place| Some((scenario.wake_at(place as Place)?, scenario.ids[place])))
}

/// Runs it, and checks what is true of every run: one of the starters is elected, all agree, nothing goes on, and the
/// claims of the lecture, with constants.
fn run(scenario: &Scenario) -> Summary {
    let mut run = prepared::<AfekGafniAsync>(&[], scenario).expect("the scenario suits it");
    let summary = finished(&mut run);
    let elected = leaders(&summary).first().and_then(|leader| leader.id).map(Id::get);
    assert_elected(&summary, scenario, elected);
    assert!(starters(scenario).any(|(_, id)| elected == Some(id)), "{elected:?} in {scenario:?}");
    assert_bounds(&run, scenario);
    // At most n/k candidates ever have k processors, themselves included.
    let mut captured: Vec<u64> =
        (0..scenario.n as Place).filter_map(|place| run.processor(place).captured().map(u64::from)).collect();
    captured.sort_unstable_by_key(|level| std::cmp::Reverse(*level));
    for (others, level) in (1..).zip(&captured) {
        assert!(others * (level + 1) <= scenario.n as u64, "{captured:?} in {scenario:?}");
    }
    summary
}

fn schedule(draw: &mut Draw) -> Timing {
    if draw.once_in(4) {
        return draw.one_of(&Preset::ALL).timing(Reading::Immediate);
    }
    let longest = draw.one_of(&[1, 3, 30, 1000]);
    Timing {
        r: Range::new(1, draw.one_of(&[1, 1, 9])),
        d: Range::new(draw.between(0, 1), longest),
        reading: draw.one_of(&[Reading::Immediate, Reading::Immediate, Reading::PerTick, Reading::PerStep]),
        clocks: draw.one_of(&[Clocks::Fixed, Clocks::Varying, Clocks::Slowest]),
        delays: draw.one_of(&Delays::NAMED),
        offsets: draw.one_of(&[Offsets::Zero, Offsets::Random]),
        changes: Vec::new(),
    }
}

fn scenario(draw: &mut Draw, n: usize, seed: u64) -> Scenario {
    let ids = draw.ids(n, n as u64 + 3);
    let timing = schedule(draw);
    let latest = draw.one_of(&[0, 1, 10, timing.d.max * n as u64]);
    let (links, ports) = (draw.one_of(LINKS), draw.one_of(&[Ports::Plain, Ports::Shuffled(seed)]));
    Scenario { wakes: draw.wakes(n, latest), links, ports, seed, ..ring(&ids, timing) }
}

/// Sizes whose logarithm is uniform, up to 2^(most/8).
fn size(draw: &mut Draw, most: u64) -> usize {
    let eighths = draw.between(0, most);
    let (whole, rest) = (eighths / 8, eighths % 8);
    let least = 1u64 << whole;
    (least + least * rest / 8 + draw.below(least.div_ceil(8))) as usize
}

#[test]
fn random_runs_elect_one_initiator() {
    let mut draw = Draw::new(70);
    for seed in 0..samples(100_000) {
        let n = size(&mut draw, if seed % 4 == 0 { 79 } else { 55 }).min(1000);
        run(&scenario(&mut draw, n, seed));
    }
}

#[test]
fn every_wake_set_of_every_order_up_to_five_elects_one_initiator() {
    let mut draw = Draw::new(71);
    for n in 1..=5 {
        for ids in orders(n) {
            for wakes in wake_sets(n as usize) {
                let scenario = scenario(&mut draw, n as usize, n);
                run(&Scenario { ids: ids.clone(), wakes, ..scenario });
            }
        }
    }
}

/// Whoever wakes when, and whatever overtakes what: the links need no order.
#[test]
fn every_interleaving_of_every_order_up_to_four_elects_one() {
    for n in 1..=4 {
        for ids in orders(n) {
            for (links, ports) in
                [(Links::Fifo, Ports::Plain), (Links::Any, Ports::Plain), (Links::Any, Ports::Shuffled(n))]
            {
                let found = explore::<AfekGafniAsync>(&[], &Scenario { links, ports, ..ring(&ids, unit()) });
                assert!(found.quiescent >= (1 << n) - 1, "at least a result for every set of starters: {found:?}");
                assert_eq!((found.violated.as_slice(), found.deadlocks), (&[][..], 0), "{ids:?}");
            }
        }
    }
}

#[test]
fn a_single_initiator_captures_all_others_one_by_one() {
    for n in 1..=40u64 {
        for place in [0, n / 2, n - 1] {
            let mut wakes = vec![None; n as usize];
            wakes[place as usize] = Some(3);
            let ids: Vec<u64> = (1..=n).collect();
            let summary = run(&Scenario { wakes: Wakes::At(wakes), ..ring(&ids, unit()) });
            let counts = ["capture", "ack", "kill", "killed"].map(|kind| passes(&summary, kind));
            assert_eq!(counts, [n - 1, n - 1, 0, 0]);
            assert_eq!(summary.cost.time_elected, Some(3 + 2 * (n - 1)), "each takes a capture and an ack");
            assert_eq!(summary.cost.depth_elected, Some(2 * (n - 1)));
        }
    }
}

#[test]
fn one_is_elected_at_once_and_of_two_the_greater_that_starts_in_time() {
    let alone = run(&ring(&[7], unit()));
    assert_eq!((alone.cost.messages(), alone.cost.time_elected), (0, Some(0)));
    let elected = |wakes: [Option<u64>; 2]| {
        let summary = run(&Scenario { wakes: Wakes::At(wakes.into()), ..ring(&[1, 2], unit()) });
        (leaders(&summary)[0].place, summary.cost.split(false))
    };
    // Each wants to capture the other, the smaller gives way.
    assert_eq!(elected([Some(0), Some(0)]), (1, 3));
    assert_eq!(elected([Some(0), Some(1)]), (1, 3), "it wakes before the capture arrives");
    assert_eq!(elected([Some(0), Some(2)]), (0, 2), "it is captured before it wakes, and its wake time is void");
    assert_eq!(elected([Some(0), None]), (0, 2));
}

/// Slide 6: "a candidate who has done more work than another will not be killed by a candidate who has done less work".
#[test]
fn a_greater_identity_that_has_captured_less_does_not_win() {
    let mut wakes = vec![None; 6];
    (wakes[0], wakes[5]) = (Some(0), Some(3));
    let summary = run(&Scenario { wakes: Wakes::At(wakes), ..ring(&[1, 2, 3, 4, 5, 6], unit()) });
    assert_eq!(leaders(&summary)[0].place, 0);
}

#[test]
fn identities_may_have_64_bits() {
    run(&ring(&[u64::MAX, 1, u64::MAX - 1], unit()));
}

#[test]
fn with_unowned_ordinary_processes_two_processors_elect_two_leaders() {
    for settings in [&[("printed", "owner")], &[("rules", "printed")]] {
        let summary = finished(&mut prepared::<AfekGafniAsync>(settings, &ring(&[1, 2], unit())).expect("it suits"));
        assert_eq!(leaders(&summary).len(), 2);
    }
    // A third processor lets only one have it: the other must have been killed before.
    assert!(!explore::<AfekGafniAsync>(&[("printed", "owner")], &ring(&[1, 2], unit())).violated.is_empty());
    for ids in orders(3).into_iter().chain([vec![2, 4, 1, 3]]) {
        let scenario = Scenario { links: Links::Any, ..ring(&ids, unit()) };
        let found = explore::<AfekGafniAsync>(&[("printed", "owner")], &scenario);
        assert_eq!((found.violated.as_slice(), found.deadlocks), (&[][..], 0), "{ids:?}");
    }
    let mut draw = Draw::new(72);
    for seed in 0..3000 {
        let n = draw.between(3, 12) as usize;
        let scenario = scenario(&mut draw, n, seed);
        let summary = finished(&mut prepared::<AfekGafniAsync>(&[("printed", "owner")], &scenario).expect("it suits"));
        assert_eq!(summary.verdict, Verdict::Held, "{:?} in {scenario:?}", summary.violations);
    }
}

/// The number of messages sent when `arrived` have arrived; fewer if it ends.
fn messages(settings: &[(&str, &str)], scenario: &Scenario, arrived: u64) -> u64 {
    let mut run = prepared::<AfekGafniAsync>(settings, scenario).expect("the scenario suits it");
    while run.deliveries() < arrived && !run.advance(arrived - run.deliveries()) {}
    run.summary().cost.messages()
}

#[test]
fn a_killed_candidate_that_sends_its_ack_on_is_a_livelock() {
    // As printed, 3 is elected at 6, and its own ordinary process, which it does not own, is left to the killed 1.
    let scenario = Scenario { wakes: Wakes::At(vec![Some(0), None, Some(0)]), ..ring(&[1, 2, 3], unit()) };
    assert!(messages(&[("rules", "printed")], &scenario, 50_000) >= 50_000);
    assert!(messages(&[("printed", "ack")], &scenario, 50_000) < 30);
    assert!(messages(&[("printed", "owner")], &scenario, 50_000) < 30);
    // With this alone it lasts until another captures the processor, which it does unless messages take no time.
    let timing = Timing { d: Range::new(0, 1), delays: Delays::SlowestHigh, ..unit() };
    let scenario = Scenario { wakes: Wakes::At(vec![Some(3), None, Some(2)]), ..ring(&[1, 2, 3], timing) };
    assert!(messages(&[("printed", "ack")], &scenario, 50_000) >= 50_000);
    run(&scenario);
}
