//! Exact probabilities, held against recurrences and tables that are worked out without configurations, and against many
//! runs.

use conformance::anonymous_rounds::Rounds;
use conformance::vitanyi_bounds::Fraction;
use ringleader::model::{Links, Protocol, Scenario, Settings};
use ringleader::protocols::election::itai_rodeh::ItaiRodeh;
use ringleader::sim::Resolved;
use ringleader_check::{BigRational, Chance, Chances, Effort, Wakers, probabilities};

const PLENTY: Effort = Effort { states: 5_000_000, bytes: 1 << 32, threads: 1, reduce: false };

/// The chances of a protocol in a scenario, followed for so many phases.
fn chances<P: Protocol>(settings: &[(&str, &str)], scenario: &Scenario, phases: Option<u32>) -> Chances {
    let settings: Vec<_> = settings.iter().map(|(key, value)| ((*key).to_string(), (*value).to_string())).collect();
    let settings = Settings::new(P::DESCRIPTION.parameters, &settings).expect("the settings are allowed");
    let protocol = P::configure(&settings, &Resolved::new(scenario).instance(scenario)).expect("they suit it");
    let found = probabilities(protocol, scenario, &Wakers::Anybody, phases, &PLENTY, &mut |_| true);
    let found = found.expect("it can be explored");
    assert_eq!(found.ran_out, None);
    found
}

fn ratio(fraction: Fraction) -> BigRational {
    BigRational::new(fraction.numerator.into(), fraction.denominator.into())
}

fn certain(fraction: Fraction) -> Chance {
    Chance { least: ratio(fraction), greatest: ratio(fraction) }
}

/// The probability that so many rounds are enough for a candidates.
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

/// On links that keep order it is the draws alone that decide how many rounds there are.
#[test]
fn whatever_the_schedule_itai_and_rodehs_election_takes_as_many_rounds_as_the_draws_say() {
    for (n, ids, limit) in [(2, 2, 4), (2, 3, 3), (3, 2, 3), (3, 3, 2)] {
        let rounds = Rounds::of_the_greatest(n, ids);
        let scenario = Scenario { n, untimed: true, links: Links::Fifo, ..Scenario::default() };
        let start = std::time::Instant::now();
        let found = chances::<ItaiRodeh>(&[("ids", &ids.to_string())], &scenario, Some(limit));
        eprintln!("{n} {ids} {limit}: {:?} {:?} {:?}", found.endings, found.progress, start.elapsed());
        let one_leader = found.endings.iter().find(|ending| ending.name == "1 leader").expect("there can be one");
        assert_eq!(one_leader.chance, certain(enough(&rounds, n, limit)), "n = {n}, {ids} identities, {limit} rounds");
        assert_eq!(found.endings.len(), 2);
    }
}
