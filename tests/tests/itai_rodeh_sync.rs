//! Itai and Rodeh's election in an anonymous synchronous ring: what is determined by the draws, what is left to chance.

use conformance::anonymous_rounds::{Rounds, Sample, real};
use conformance::vitanyi_bounds::Fraction;
use conformance::{Played, assert_elected, assert_refused, finished, leaders, place_of, prepared};
use ringleader::model::{Preset, Reading, Scenario};
use ringleader::protocols::election::itai_rodeh_sync::ItaiRodehSync;
use ringleader::sim::{Effect, Run, Summary, Verdict};

fn in_rounds(n: usize, seed: u64) -> Scenario {
    Scenario { n, seed, timing: Preset::Rounds.timing(Reading::Immediate), ..Scenario::default() }
}

/// Who drew in a phase, and whether it marked itself thereby.
type Phase = Vec<(u32, bool)>;

/// A run, and what was drawn in each of its phases.
fn drawn(n: usize, seed: u64) -> (Summary, Vec<Phase>) {
    let mut run = prepared::<ItaiRodehSync>(&[], &in_rounds(n, seed)).expect("the scenario suits the protocol");
    run.log();
    let summary = finished(&mut run);
    let mut phases = Vec::new();
    for record in run.records() {
        for effect in &record.effects {
            if let Effect::Choose(_, chosen) = effect {
                let phase = (record.time - 1) as usize / n;
                phases.resize(phases.len().max(phase + 1), Vec::new());
                phases[phase].push((record.place, *chosen == 0));
            }
        }
    }
    (summary, phases)
}

fn marked(phase: &Phase) -> Vec<u32> {
    phase.iter().filter(|(_, marked)| *marked).map(|(place, _)| *place).collect()
}

#[test]
fn the_draws_decide_everything() {
    for n in 2..=40 {
        for seed in 0..100 {
            let (summary, phases) = drawn(n, seed);
            assert_elected(&summary, &in_rounds(n, seed), None);
            let mut candidates: Vec<u32> = (0..n as u32).collect();
            let mut pebbles = 0;
            for phase in &phases {
                assert_eq!(phase.iter().map(|(place, _)| *place).collect::<Vec<_>>(), candidates);
                let marked = marked(phase);
                pebbles += marked.len();
                if !marked.is_empty() {
                    candidates = marked;
                }
            }
            assert_eq!(candidates, [place_of(&leaders(&summary)[0])]);
            let cost = &summary.cost;
            assert_eq!(cost.phases, Some(phases.len() as u32));
            assert_eq!((cost.split(false), cost.split(true)), ((n * pebbles) as u64, 0), "each pebble makes one turn");
            assert_eq!(cost.bits, cost.messages(), "one bit a pass");
            // What the last phase has come to is known in the round after it, to everybody.
            assert_eq!(
                (cost.time_elected, cost.time),
                (Some((n * phases.len()) as u64 + 1), cost.time_elected.unwrap())
            );
        }
    }
}

#[test]
fn alone_it_takes_one_pebble_and_one_phase() {
    let played = Played::of("itai-rodeh-sync -n 1");
    let cost = &played.summary.cost;
    assert_eq!((played.summary.verdict, cost.messages(), cost.phases, cost.time), (Verdict::Held, 1, Some(1), 2));
}

/// Closed formula: the number of marked ones is binomial, C(a,m) (a-1)^(a-m) / a^a.
fn closed_formula(a: u32, marked: u32) -> Fraction {
    let choose = (0..marked).fold(1u128, |c, i| c * u128::from(a - i) / u128::from(i + 1));
    Fraction::new(choose * u128::from(a - 1).pow(a - marked), u128::from(a).pow(a))
}

#[test]
fn the_enumeration_agrees_with_the_closed_formula_and_with_hand_worked_cases() {
    let rounds = Rounds::of_the_marked(6);
    for a in 2..=6 {
        for left in 1..a {
            assert_eq!(rounds.chance(a, left), closed_formula(a as u32, left as u32));
        }
        // All marked or nobody: all are left.
        let all = closed_formula(a as u32, a as u32).plus(closed_formula(a as u32, 0));
        assert_eq!(rounds.chance(a, a), all);
    }
    // Two: just one of them every other time. Three: 4/9 leave one, 2/9 leave two, 1/3 all.
    assert_eq!(Rounds::of_the_marked(2).mean_rounds(), Fraction::new(2, 1));
    assert_eq!(Rounds::of_the_marked(3).mean_rounds(), Fraction::new(13, 6));
}

/// 2.442 n bits on average, one for each pass.
#[test]
fn the_mean_number_of_phases_grows_to_2_4417() {
    let mut means = vec![0.0, 1.0];
    for a in 2..=3000usize {
        // Binomial with mean 1: chances of 0, 1, 2, … marked, each from the one before.
        let (count, rate) = (a as f64, 1.0 / a as f64);
        let mut chances = vec![(1.0 - rate).powi(a as i32)];
        for marked in 1..=a.min(60) {
            let more = (count - marked as f64 + 1.0) / marked as f64 * rate / (1.0 - rate);
            chances.push(chances[marked - 1] * more);
        }
        let fewer: f64 = (2..a.min(61)).map(|marked| chances[marked] * means[marked]).sum();
        let stay = chances[0] + chances.get(a).copied().unwrap_or(0.0);
        means.push((1.0 + fewer) / (1.0 - stay));
    }
    assert!(means.windows(2).all(|pair| pair[0] < pair[1]), "it grows with n");
    assert!((means[3000] - 2.441_715_879).abs() < 5e-4, "to the limit of Lavault and Louchard: {}", means[3000]);
    for (n, mean) in means.iter().enumerate().take(7).skip(2) {
        let exact = real(Rounds::of_the_marked(n).mean_rounds());
        assert!((exact - mean).abs() < 1e-12, "and agrees with the enumeration: {exact} {mean}");
    }
}

/// Sample size of the statistical test, for each n.
const RUNS: u64 = 20_000;

#[test]
fn success_of_a_phase_number_of_phases_and_messages_are_as_enumerated() {
    for n in 2..=6 {
        let rounds = Rounds::of_the_marked(n);
        let mut sample = Sample::new(n);
        for seed in 0..RUNS {
            let (summary, phases) = drawn(n, seed);
            assert_eq!(summary.verdict, Verdict::Held);
            let candidates: Vec<_> = phases.iter().map(Vec::len).chain([1]).collect();
            sample.add(&candidates, summary.cost.messages());
        }
        // One mark a phase on average, whatever a is, and n passes a mark.
        sample.demand(&rounds, n as f64 * real(rounds.mean_rounds()));
    }
}

#[test]
fn identities_are_refused() {
    assert_refused("itai-rodeh-sync --ids 3,1,4,2", "ids");
}
