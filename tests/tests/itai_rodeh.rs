//! Itai and Rodeh's election in an anonymous asynchronous ring: what is determined by the draws, what is left to chance.

use conformance::anonymous_rounds::{Rounds, Sample, draws, mean_passes, passes, real};
use conformance::naive_itai_rodeh::Question;
use conformance::vitanyi_bounds::Fraction;
use conformance::{Draw, Played, assert_elected, finished, leaders, place_of, prepared, samples, wake_sets};
use ringleader::model::{Links, Preset, Protocol, Range, Reading, Scenario, Settings, Timing};
use ringleader::protocols::election::itai_rodeh::ItaiRodeh;
use ringleader::sim::{Choices, Effect, Lean, Resolved, Run, Simulation, StopReason, Summary, Verdict};

/// What everybody drew, in order, from 1.
type Drawn = Vec<Vec<u64>>;

/// A run, and what everybody drew in it.
fn drawn(settings: &[(&str, &str)], scenario: &Scenario) -> (Summary, Drawn) {
    let mut run = prepared::<ItaiRodeh>(settings, scenario).expect("the scenario suits the protocol");
    run.log();
    let summary = finished(&mut run);
    let mut all = vec![Vec::new(); scenario.n];
    for record in run.records() {
        for effect in &record.effects {
            if let Effect::Choose(_, chosen) = effect {
                all[record.place as usize].push(u64::from(*chosen) + 1);
            }
        }
    }
    (summary, all)
}

/// What must come of these draws where links are first in, first out: passes of tokens, rounds and the leader's place.
fn determined(drawn: &Drawn) -> (u64, u32, u32) {
    let mut left: Vec<usize> = (0..drawn.len()).collect();
    let mut tokens = 0;
    for round in 0.. {
        let ring: Vec<_> = (0..drawn.len()).map(|place| left.contains(&place).then(|| drawn[place][round])).collect();
        tokens += passes(&ring);
        let greatest = ring.iter().flatten().max().copied();
        left.retain(|&place| ring[place] == greatest);
        if let [leader] = left[..] {
            return (tokens, round as u32 + 1, leader as u32);
        }
    }
    unreachable!("rounds go on until one is left")
}

fn anonymous(n: usize, timing: Timing) -> Scenario {
    Scenario { n, timing, ..Scenario::default() }
}

fn unit(n: usize) -> Scenario {
    anonymous(n, Preset::Unit.timing(Reading::Immediate))
}

fn any_timing(draw: &mut Draw) -> Timing {
    draw.timing_up_to(&[0, 1, 7, 60, 1000])
}

#[test]
fn on_fifo_links_the_draws_decide_everything() {
    let mut draw = Draw::new(100);
    for seed in 0..6000 {
        let n = draw.between(2, 30) as usize;
        let ids = draw.one_of(&["n", "2", "3", "1000"]);
        let rounds = draw.one_of(&["on", "off"]);
        let timing = any_timing(&mut draw);
        let scenario = Scenario { wakes: draw.wakes(n, 200), seed, ..anonymous(n, timing) };
        let (summary, drawn) = drawn(&[("ids", ids), ("rounds", rounds)], &scenario);
        assert_elected(&summary, &scenario, None);
        let cost = &summary.cost;
        let found = (cost.split(false), cost.phases.expect("it has rounds"), place_of(&leaders(&summary)[0]));
        assert_eq!(found, determined(&drawn), "{scenario:?}, ids={ids}, rounds={rounds}");
        assert_eq!(cost.split(true), n as u64, "the announcement makes one full turn");
    }
}

#[test]
fn on_fifo_links_rounds_off_is_the_same_run() {
    let mut draw = Draw::new(101);
    for seed in 0..1000 {
        let n = draw.between(1, 30) as usize;
        let mut timing = any_timing(&mut draw);
        if timing.reading == Reading::BitSerial {
            // Rounds make messages longer, which takes time there.
            timing.reading = Reading::PerTick;
        }
        let scenario = Scenario { wakes: draw.wakes(n, 200), seed, ..anonymous(n, timing) };
        let [on, off] = ["on", "off"].map(|rounds| {
            finished(&mut prepared::<ItaiRodeh>(&[("ids", "n"), ("rounds", rounds)], &scenario).expect("it suits"))
        });
        assert_eq!((&on.cost.kinds, on.cost.time, on.cost.phases), (&off.cost.kinds, off.cost.time, off.cost.phases));
        assert_eq!(on.outcome, off.outcome, "{scenario:?}");
        assert!(off.cost.bits < on.cost.bits, "rounds cost bits");
    }
}

#[test]
fn every_wake_set_up_to_six_elects_one() {
    let mut draw = Draw::new(102);
    for n in 1..=6 {
        for wakes in wake_sets(n) {
            for seed in 0..20 {
                let timing = any_timing(&mut draw);
                let scenario = Scenario { wakes: wakes.clone(), seed, ..anonymous(n, timing) };
                assert_elected(&drawn(&[], &scenario).0, &scenario, None);
            }
        }
    }
}

#[test]
fn one_is_its_own_leader_and_two_draw_until_they_differ() {
    let alone = Played::of("itai-rodeh -n 1");
    assert_eq!((alone.passes("token"), alone.passes("announcement")), (1, 1));
    for choices in [vec![0, 1], vec![1, 0], vec![0, 0, 1, 0], vec![1, 1, 0, 0, 0, 1]] {
        let rounds = choices.len() as u64 / 2;
        let winner = u64::from(choices[choices.len() - 1] > choices[choices.len() - 2]);
        let summary = Played::drawing("itai-rodeh -n 2", &choices, |_| {}).summary;
        assert_eq!((summary.verdict, leaders(&summary)[0].place), (Verdict::Held, winner));
        // Two turns in each round in which they draw the same; then the smaller goes one hop and the greater round.
        assert_eq!(summary.cost.split(false), 4 * (rounds - 1) + 3);
        assert_eq!(summary.cost.time_elected, Some(2 * rounds));
    }
}

/// Closed formula: C(a,m) / k^a · sum of j^(a-m) over j from 0 to k-1.
fn closed_formula(a: u32, left: u32, ids: u128) -> Fraction {
    let choose = (0..left).fold(1u128, |c, i| c * u128::from(a - i) / u128::from(i + 1));
    let smaller: u128 = (0..ids).map(|j| j.pow(a - left)).sum();
    Fraction::new(choose * smaller, ids.pow(a))
}

#[test]
fn the_enumeration_agrees_with_the_closed_formula_and_with_hand_worked_cases() {
    for n in 2..=6 {
        let rounds = Rounds::of_the_greatest(n, n);
        for a in 2..=n {
            for left in 1..=a {
                assert_eq!(rounds.chance(a, left), closed_formula(a as u32, left as u32, n as u128), "{a} of {n}");
            }
        }
    }
    // Two who draw 1 or 2 differ every other time: 2 rounds; a round costs 4 if they agree and 3 if not.
    let two = Rounds::of_the_greatest(2, 2);
    assert_eq!(two.mean_rounds(), Fraction::new(2, 1));
    assert_eq!(two.mean(|_| mean_passes(2, 2, 2)), Fraction::new(7, 1));
    // Three of three: 1/3 leave two, 1/9 leave three; two of three leave two every third time.
    let three = Rounds::of_the_greatest(3, 3);
    assert_eq!(three.mean_rounds(), Fraction::new(27, 16));
    assert_eq!(draws(3, 3).len(), 27);
}

#[test]
fn the_claimed_means_are_bounds_up_to_six() {
    for n in 2..=6usize {
        for ids in [n, n + 1, 2 * n] {
            let rounds = Rounds::of_the_greatest(n, ids);
            let e_n = std::f64::consts::E * n as f64 / (n as f64 - 1.0);
            assert!(real(rounds.mean_rounds()) <= e_n, "{n} of {ids}");
            let tokens = rounds.mean(|a| mean_passes(n, a, ids));
            // N (H_N + 2), exactly.
            let bound =
                (1..=n as u128).fold(Fraction::new(2 * n as u128, 1), |sum, k| sum.plus(Fraction::new(n as u128, k)));
            let over = |fraction: Fraction, other: Fraction| fraction.numerator * other.denominator;
            assert!(over(tokens, bound) <= over(bound, tokens), "{n} of {ids}: {tokens:?} and {bound:?}");
            // (1-1/ids)^N and more: from which the claim on rounds follows.
            let least = (1.0 - 1.0 / ids as f64).powi(n as i32);
            assert!((2..=n).all(|a| real(rounds.chance(a, 1)) >= least - 1e-12), "{n} of {ids}");
        }
    }
}

/// Sample size of the statistical test, for each n.
const RUNS: u64 = 20_000;

#[test]
fn success_of_a_round_number_of_rounds_and_messages_are_as_enumerated() {
    for n in 2..=6 {
        let rounds = Rounds::of_the_greatest(n, n);
        let mut sample = Sample::new(n);
        for seed in 0..RUNS {
            let (summary, drawn) = drawn(&[], &Scenario { seed, ..unit(n) });
            assert_eq!(summary.verdict, Verdict::Held);
            let candidates = |round| drawn.iter().filter(|draws| draws.len() > round as usize).count();
            let last = summary.cost.phases.expect("it has rounds");
            let candidates: Vec<_> = (0..last).map(candidates).chain([1]).collect();
            sample.add(&candidates, summary.cost.split(false));
        }
        sample.demand(&rounds, real(rounds.mean(|a| mean_passes(n, a, n))));
    }
}

/// Any size up to 1000, small ones as often as large ones.
fn any_size(draw: &mut Draw) -> usize {
    let most = 1 << draw.between(0, 9);
    (most + draw.below(most)).min(1000) as usize
}

/// The same without depth, bits and digest: it takes a third of the time.
fn lean(settings: &[(&str, &str)], scenario: &Scenario) -> Summary {
    let settings: Vec<_> = settings.iter().map(|(key, value)| ((*key).to_string(), (*value).to_string())).collect();
    let settings = Settings::new(ItaiRodeh::DESCRIPTION.parameters, &settings).expect("they are allowed");
    let resolved = Resolved::new(scenario);
    let protocol = ItaiRodeh::configure(&settings, &resolved.instance(scenario)).expect("they suit the scenario");
    let run = Simulation::<_, Lean>::prepare(protocol, scenario, resolved, Choices::Drawn);
    finished(&mut run.expect("it suits the protocol"))
}

#[test]
fn random_rings_of_up_to_a_thousand_each_elect_one() {
    let mut draw = Draw::new(103);
    let (mut tokens, mut proved) = (0.0, 0.0);
    let harmonic: Vec<f64> = (0..=1000).map(|n| (1..=n).map(|k| 1.0 / f64::from(k)).sum()).collect();
    for seed in 0..samples(100_000) {
        let n = any_size(&mut draw);
        // Few identities make many tokens traverse the ring: N² passes a round.
        let ids = draw.one_of(if n > 40 { &["n", "n", "3000"] } else { &["n", "n", "3000", "2", "5"] });
        let (links, rounds) = draw.one_of(&[(Links::Fifo, "on"), (Links::Fifo, "off"), (Links::Any, "on")]);
        let wakes = draw.wakes(n, 300);
        let scenario = Scenario { wakes, seed, links, ..anonymous(n, any_timing(&mut draw)) };
        let ids = if n == 1 { "n" } else { ids };
        let summary = lean(&[("ids", ids), ("rounds", rounds)], &scenario);
        assert_elected(&summary, &scenario, None);
        assert_eq!(summary.cost.split(true), n as u64, "{scenario:?}");
        assert!(summary.cost.split(false) >= 2 * n as u64 - 1, "all send, and one returns: {scenario:?}");
        if links == Links::Fifo && ids == "n" && n > 1 {
            tokens += summary.cost.split(false) as f64 / n as f64;
            proved += harmonic[n] + 2.0;
        }
    }
    assert!(tokens <= proved, "N (H_N + 2) on average: {tokens} and {proved}");
    assert!(tokens >= 0.8 * proved, "and not far from it: {tokens} and {proved}");
}

/// The table in experiments/itai-rodeh-rounds: states, quiescent states without a leader, and states from which no leader can come.
const EXPLORED: [(Question, [usize; 3]); 6] = {
    const fn off(n: u8, ids: u8, fifo: bool) -> Question {
        Question { n, ids, fifo, rounds: None }
    }
    [
        (off(2, 3, false), [87, 2, 4]),
        (off(2, 4, false), [153, 6, 12]),
        (off(3, 3, false), [5612, 19, 673]),
        (off(4, 2, false), [38_751, 0, 0]),
        (off(3, 3, true), [829, 0, 0]),
        (Question { n: 3, ids: 3, fifo: false, rounds: Some(2) }, [5866, 0, 0]),
    ]
};

#[test]
fn without_rounds_links_that_reorder_can_deadlock_but_never_elect_two() {
    for (question, figures) in EXPLORED {
        let found = question.explore();
        assert_eq!([found.states, found.silent, found.doomed], figures, "{question:?}");
        assert_eq!(found.two_leaders, 0, "{question:?}");
    }
}

#[test]
fn with_rounds_or_fifo_links_or_two_identities_a_leader_stays_reachable() {
    for (n, ids, fifo, rounds) in [
        (2, 4, true, None),
        (4, 3, true, None),
        (2, 4, false, Some(3)),
        (3, 2, false, Some(3)),
        (2, 2, false, None),
        (3, 2, false, None),
    ] {
        let question = Question { n, ids, fifo, rounds };
        let found = question.explore();
        assert_eq!((found.doomed, found.two_leaders), (0, 0), "{question:?}: {found:?}");
    }
}

#[test]
fn one_run_in_a_hundred_without_rounds_deadlocks_on_links_that_reorder() {
    let mut silent = 0;
    for seed in 0..10_000 {
        let timing = Timing { d: Range::new(0, 1), ..Preset::Unit.timing(Reading::Immediate) };
        let scenario = Scenario { links: Links::Any, seed, ..anonymous(3, timing) };
        let [off, on] = ["off", "on"]
            .map(|rounds| finished(&mut prepared::<ItaiRodeh>(&[("rounds", rounds)], &scenario).expect("it suits")));
        assert_eq!(on.verdict, Verdict::Held, "{scenario:?}");
        silent += u32::from(off.reason == Some(StopReason::Silent));
        assert!(off.violations.iter().all(|violation| violation.property == "termination"), "{scenario:?}");
    }
    assert!((50..200).contains(&silent), "{silent} of 10,000");
}
