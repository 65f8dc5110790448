//! Exact probabilities, held against recurrences and tables that are worked out without states, and against many
//! runs.

use conformance::anonymous_rounds::{Rounds, mean_passes};
use conformance::naive_symmetry::{self, Rules};
use conformance::vitanyi_bounds::Fraction;
use conformance::{entry, finished, leaders, owned, prepared_in};
use ringleader::Case;
use ringleader::model::{Clocks, Links, Preset, Range, Reading, Scenario, Ties, Timing};
use ringleader::protocols::election::itai_rodeh::ItaiRodeh;
use ringleader::protocols::election::itai_rodeh_sync::ItaiRodehSync;
use ringleader::protocols::election::spirakis_tampakas::SpirakisTampakas;
use ringleader::sim::{Lean, Run, Summary};
use ringleader_check::{BigRational, Effort, Measure, Probabilities, ProbabilityRange, Reductions, Wakers};

const PLENTY: Effort = Effort { states: 5_000_000, bytes: 1 << 32, threads: 1, reductions: Reductions::ALL };

/// The probabilities of the endings of a protocol in a scenario, followed for this number of phases.
fn chances(
    protocol: &str,
    settings: &[(&str, &str)],
    scenario: &Scenario,
    wakers: &Wakers,
    phases: Option<u32>,
) -> Probabilities {
    let settings = &owned(settings);
    let case = Case { entry: entry(protocol), scenario, settings, task: None };
    let found = case.entry.probabilities(&case, wakers, phases, &PLENTY, &mut |_| true).expect("it can be explored");
    assert_eq!(found.ran_out, None);
    found
}

/// How likely an ending is; 0 if it is not there.
fn chance(found: &Probabilities, name: &str) -> ProbabilityRange {
    let ending = found.endings.iter().find(|ending| ending.name == name);
    ending.map_or_else(|| certain(Fraction::new(0, 1)), |ending| ending.probability.clone())
}

/// The least and the greatest mean.
fn mean(found: &Probabilities, measure: Measure) -> (BigRational, BigRational) {
    let mean = found.expected_costs.iter().find(|mean| mean.measure == measure).expect("it has a mean");
    (mean.least.clone(), mean.greatest.clone().expect("it has a limit"))
}

fn ratio(fraction: Fraction) -> BigRational {
    BigRational::new(fraction.numerator.into(), fraction.denominator.into())
}

fn certain(fraction: Fraction) -> ProbabilityRange {
    ProbabilityRange { least: ratio(fraction), greatest: ratio(fraction) }
}

fn both(fraction: Fraction) -> (BigRational, BigRational) {
    (ratio(fraction), ratio(fraction))
}

fn in_rounds(n: usize) -> Scenario {
    Scenario { n, timing: Preset::Rounds.timing(Reading::Immediate), ..Scenario::default() }
}

fn without_clocks(n: usize, links: Links) -> Scenario {
    Scenario { n, untimed: true, links, ..Scenario::default() }
}

fn in_lock_step(n: usize) -> Scenario {
    let timing = Timing { r: Range::new(1, 1), d: Range::new(1, 1), ..Preset::Archimedean.timing(Reading::PerStep) };
    Scenario { n, timing, ..Scenario::default() }
}

/// The probability that `limit` rounds are enough for `a` candidates.
fn enough(rounds: &Rounds, a: usize, limit: u32) -> Fraction {
    match (a, limit) {
        (1, _) => Fraction::new(1, 1),
        (_, 0) => Fraction::new(0, 1),
        _ => (1..=a).fold(Fraction::new(0, 1), |sum, left| {
            let (chance, then) = (rounds.chance(a, left), enough(rounds, left, limit - 1));
            sum.plus(Fraction::new(chance.numerator * then.numerator, chance.denominator * then.denominator))
        }),
    }
}

/// A chain: nothing is left to a schedule. Each phase costs n messages on average and takes n rounds; the result is known one round later.
#[test]
fn the_synchronous_election_takes_as_many_phases_as_the_recurrence_says() {
    for n in 2..=7 {
        let found = chances("itai-rodeh-sync", &[], &in_rounds(n), &Wakers::Together, None);
        let right = Rounds::of_the_marked(n).mean_rounds();
        let messages = right.times(n as u128);
        assert!(!found.nondeterministic);
        assert_eq!(chance(&found, "1 leader"), certain(Fraction::new(1, 1)));
        assert_eq!((found.endings.len(), &found.termination), (1, &certain(Fraction::new(1, 1))));
        assert_eq!(mean(&found, Measure::Phases), both(right), "n = {n}");
        assert_eq!(mean(&found, Measure::Messages), both(messages), "n = {n}");
        assert_eq!(mean(&found, Measure::Time), both(messages.plus(Fraction::new(1, 1))), "n = {n}");
    }
}

#[test]
fn termination_within_a_limit_of_phases_is_as_likely_as_the_recurrence_says() {
    for (n, limit) in [(2, 5), (3, 3), (4, 3), (5, 1)] {
        let found = chances("itai-rodeh-sync", &[], &in_rounds(n), &Wakers::Together, Some(limit));
        let right = enough(&Rounds::of_the_marked(n), n, limit);
        assert_eq!(chance(&found, "1 leader"), certain(right), "n = {n}, {limit} phases");
        assert!(found.expected_costs.is_empty());
    }
}

/// On links that keep order it is the draws alone that decide how many rounds there are and how many messages, whatever a
/// schedule does that sees all of them.
#[test]
fn the_asynchronous_election_takes_the_mean_of_the_recurrence_under_every_schedule() {
    for (n, ids) in [(2, 2), (2, 3), (3, 2), (3, 3)] {
        let rounds = Rounds::of_the_greatest(n, ids);
        let set = [("ids", &*ids.to_string())];
        let found = chances("itai-rodeh", &set, &without_clocks(n, Links::Fifo), &Wakers::Anybody, None);
        assert!(found.nondeterministic);
        assert_eq!(chance(&found, "1 leader"), certain(Fraction::new(1, 1)));
        assert_eq!(mean(&found, Measure::Phases), both(rounds.mean_rounds()), "n = {n}, {ids} identities");
        let tokens = rounds.mean(|a| mean_passes(n, a, ids));
        let messages = tokens.plus(Fraction::new(n as u128, 1));
        assert_eq!(mean(&found, Measure::Messages), both(messages), "n = {n}, {ids} identities");
        let limited = chances("itai-rodeh", &set, &without_clocks(n, Links::Fifo), &Wakers::Anybody, Some(2));
        assert_eq!(chance(&limited, "1 leader"), certain(enough(&rounds, n, 2)), "n = {n}, {ids} identities");
    }
}

/// Worked out by hand for two: where both have drawn the same, the token of whoever goes on first may overtake its older one;
/// who meets it there has not drawn again and gives up, so that two rounds are enough. No schedule needs more than 2 on
/// average, since every round is the last every other time.
#[test]
fn on_links_that_reorder_a_schedule_can_save_rounds() {
    let found = chances("itai-rodeh", &[("ids", "2")], &without_clocks(2, Links::Any), &Wakers::Anybody, None);
    assert_eq!(chance(&found, "1 leader"), certain(Fraction::new(1, 1)));
    assert_eq!(mean(&found, Measure::Phases), (ratio(Fraction::new(3, 2)), ratio(Fraction::new(2, 1))));
}

/// Two candidates opposite each other, in lock step, by stages: as the table of periods says. As printed nobody is ever
/// elected after that. Repaired, of all later phases those with one candidate elect it, once in (n-1)^(n-1)/n^(n-1) times; and
/// those with more are noticed, because phases then begin one step later from place to place, just as claims arrive.
#[test]
fn two_candidates_in_lock_step_are_both_elected_as_often_as_the_table_of_periods_says() {
    for (n, draw) in [(2, "1,1"), (4, "1,2,1,2")] {
        for k in 1..=10 {
            for (rules, name) in [(Rules::Printed, "printed"), (Rules::Repaired, "repaired")] {
                let context = format!("{name}, n = {n}, k = {k}");
                let (right, _) = naive_symmetry::chances(rules, 2, naive_symmetry::coins(rules, k));
                let right = Fraction::new(right.favourable, 1 << right.bits);
                let other = Fraction::new(right.denominator - right.numerator, right.denominator);
                let set = [("rules", name), ("k", &*k.to_string()), ("draw", draw)];
                let asked =
                    |phases| chances("spirakis-tampakas-symmetry", &set, &in_lock_step(n), &Wakers::Together, phases);
                let first = asked(Some(1));
                assert!(!first.nondeterministic, "{context}");
                assert_eq!(chance(&first, "2 leaders"), certain(right), "{context}");
                assert_eq!(chance(&first, "another phase"), certain(other), "{context}");
                if n == 4 && ![1, 5, 10].contains(&k) {
                    continue;
                }
                let all = asked(None);
                assert_eq!(chance(&all, "2 leaders"), certain(right), "{context}");
                let rest = if rules == Rules::Printed { "no leader: forever" } else { "1 leader" };
                assert_eq!(chance(&all, rest), certain(other), "{context}");
                if rules == Rules::Repaired {
                    let (n, others) = (n as u128, n as u32 - 1);
                    let later = Fraction::new(n.pow(others), (n - 1).pow(others));
                    let phases =
                        Fraction::new(other.numerator * later.numerator, other.denominator * later.denominator);
                    assert_eq!(mean(&all, Measure::Phases), both(phases.plus(Fraction::new(1, 1))), "{context}");
                } else {
                    assert_eq!(all.termination, certain(right), "{context}");
                }
            }
        }
    }
}

/// Lemma 6, over every schedule of two processors: lock step is one of them, and none exceeds (3/4)^k.
#[test]
fn lemma_6_holds_for_two_processors_under_all_clocks() {
    for k in 1..=4u32 {
        let timing = Timing {
            r: Range::new(1, 2),
            d: Range::new(1, 2),
            clocks: Clocks::Varying,
            ..Preset::Archimedean.timing(Reading::PerStep)
        };
        let scenario = Scenario { n: 2, timing, ties: Ties::Either, ..Scenario::default() };
        let set = [("k", &*k.to_string()), ("draw", "1,1")];
        let found = chances("spirakis-tampakas-symmetry", &set, &scenario, &Wakers::Together, Some(1));
        let two = chance(&found, "2 leaders");
        let (lock_step, _) = naive_symmetry::chances(Rules::Repaired, 2, k as usize);
        let lock_step = Fraction::new(lock_step.favourable, 1 << lock_step.bits);
        assert!(two.greatest >= ratio(lock_step), "k = {k}: {two:?}");
        assert!(two.greatest <= ratio(Fraction::new(3u128.pow(k), 4u128.pow(k))), "k = {k}: {two:?}");
        // Clocks that go apart give one of them away, whatever the coins.
        assert_eq!(two.least, ratio(Fraction::new(0, 1)), "k = {k}");
    }
}

#[test]
fn without_coins_probabilities_are_1_and_phases_are_refused() {
    let scenario = Scenario { ids: vec![1, 2, 3], ..without_clocks(3, Links::Fifo) };
    let found = chances("chang-roberts", &[], &scenario, &Wakers::Anybody, None);
    assert_eq!(chance(&found, "1 leader"), certain(Fraction::new(1, 1)));
    // Ascending: everybody's candidate is swallowed by the next but the greatest's. Who is reached before it wakes may never
    // send its own.
    assert_eq!(mean(&found, Measure::Messages).1, ratio(Fraction::new(1 + 1 + 3 + 3, 1)));
    let case = Case { entry: entry("chang-roberts"), scenario: &scenario, settings: &[], task: None };
    let refused = case.entry.probabilities(&case, &Wakers::Anybody, Some(1), &PLENTY, &mut |_| true);
    assert_eq!(refused.expect_err("it has no phases").field, "max-phases");
}

// Many runs.

/// Wilson's interval in which a probability lies with a confidence of 99.9 %, if `hits` of `runs` runs have it.
fn interval(hits: u64, runs: u64) -> (f64, f64) {
    const NORMAL: f64 = 3.290_526_7;
    let (hits, runs, squared) = (hits as f64, runs as f64, NORMAL * NORMAL);
    let middle = (hits + squared / 2.0) / (runs + squared);
    let half = NORMAL / (runs + squared) * (hits * (runs - hits) / runs + squared / 4.0).sqrt();
    (middle - half, middle + half)
}

/// Demands that runs, by seed, have something as often as they should.
#[track_caller]
fn demand_rate(context: &str, right: &ProbabilityRange, runs: u64, has: impl Fn(u64) -> bool) {
    assert_eq!(right.least, right.greatest, "{context}");
    let hits = (0..runs).filter(|&seed| has(seed)).count() as u64;
    let (low, high) = interval(hits, runs);
    // Fractions of at most 64 bits each.
    let parse = |number: String| number.parse::<f64>().expect("it is a number");
    let exact = parse(right.least.numer().to_string()) / parse(right.least.denom().to_string());
    assert!(low <= exact && exact <= high, "{context}: {hits} of {runs} runs, {exact} is right");
}

/// One that lies outside shows that the others could have, too.
#[test]
fn the_confidence_interval_excludes_wrong_probabilities() {
    let (low, high) = interval(500, 1000);
    assert!(low > 0.44 && low < 0.45 && high < 0.56 && high > 0.55);
    assert!(interval(0, 1000).1 < 0.02 && interval(0, 1000).0 < 1e-9);
}

#[test]
fn itai_and_rodehs_elections_terminate_within_a_limit_as_often_as_in_many_runs() {
    const RUNS: u64 = 10_000;
    for limit in 1..=3 {
        let ended =
            |summary: Summary| summary.cost.phases.expect("it has phases") <= limit && leaders(&summary).len() == 1;
        let exact = chances("itai-rodeh-sync", &[], &in_rounds(4), &Wakers::Together, Some(limit));
        demand_rate(&format!("synchronous, {limit} phases"), &chance(&exact, "1 leader"), RUNS, |seed| {
            let scenario = Scenario { seed, ..in_rounds(4) };
            ended(finished(&mut prepared_in::<ItaiRodehSync, Lean>(&[], &scenario).expect("it suits")))
        });
        let exact = chances("itai-rodeh", &[], &without_clocks(3, Links::Fifo), &Wakers::Anybody, Some(limit));
        demand_rate(&format!("asynchronous, {limit} rounds"), &chance(&exact, "1 leader"), RUNS, |seed| {
            let scenario = Scenario { n: 3, seed, ..Scenario::default() };
            ended(finished(&mut prepared_in::<ItaiRodeh, Lean>(&[], &scenario).expect("it suits")))
        });
    }
}

#[test]
fn two_candidates_are_both_elected_as_often_as_in_many_runs() {
    const RUNS: u64 = 2_000;
    for k in 1..=10 {
        for name in ["printed", "repaired"] {
            let set = [("rules", name), ("k", &*k.to_string()), ("draw", "1,2,1,2")];
            let exact = chances("spirakis-tampakas-symmetry", &set, &in_lock_step(4), &Wakers::Together, Some(1));
            demand_rate(&format!("{name}, k = {k}"), &chance(&exact, "2 leaders"), RUNS, |seed| {
                let scenario = Scenario { seed, ..in_lock_step(4) };
                let mut run = prepared_in::<SpirakisTampakas, Lean>(&set, &scenario).expect("it suits");
                // As printed a second phase never ends; repaired, it ends a stage later at the earliest.
                let last = naive_symmetry::elected_at(Rules::Repaired, 4, k) + 4;
                while run.now() <= last && !run.advance(1) {}
                let summary = run.summary();
                summary.cost.phases == Some(1) && leaders(&summary).len() == 2
            });
        }
    }
}
