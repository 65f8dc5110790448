//! `check --probability`: exact probabilities.

use std::collections::BTreeMap;

use ringleader_check::{
    BigRational, ExpectedCost, ExplicitModel, Measure, Probabilities, ProbabilityRange, Progress, Wakers,
};
use ringleader_model::{BadSetting, Settings, Value};
use schemars::JsonSchema;
use serde::Serialize;

use super::checked::{MeanBounds, Proved};
use super::report::{CheckScenario, ProvedReport, ran_out_name};
use super::setup::CheckSetup;
use crate::entry::Case;
use crate::report::rules_of;
use crate::watch::Watch;

/// The probabilities of all outcomes, over all fair schedulers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProbabilityReport {
    /// The protocol.
    pub protocol: String,
    /// Whether the printed or the repaired rules were followed.
    pub rules: String,
    /// The protocol's parameters.
    pub parameters: BTreeMap<String, String>,
    /// The world.
    pub scenario: CheckScenario,
    /// Whether a scheduler has choices; if not, least and greatest are the same.
    pub scheduled: bool,
    /// Every possible outcome.
    pub endings: Vec<EndingReport>,
    /// Termination; null where the state space was not explored.
    pub over: Option<RangeReport>,
    /// That it has probability 1, where a proved bound on an expected cost implies it; null elsewhere.
    pub over_proved: Option<ProvedReport>,
    /// More than one leader; null where none is possible and nothing is proved, or the state space was not explored.
    pub error: Option<ErrorReport>,
    /// Expected costs, where every fair schedule terminates with probability 1.
    pub means: Vec<MeanReport>,
    /// Distinct states.
    pub states: u64,
    /// Transitions between them.
    pub transitions: u64,
    /// The limit that was reached before there was an answer; null if there is one.
    pub ran_out: Option<String>,
    /// The line that repeats it.
    pub rerun: String,
    /// The Markov decision process, to be exported; `None` if it was not explored.
    #[serde(skip)]
    pub model: Option<ExplicitModel>,
}

/// An outcome.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EndingReport {
    /// In words.
    pub name: String,
    /// Its probability.
    #[serde(flatten)]
    pub probability: RangeReport,
}

/// The probability of error: of more than one leader.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ErrorReport {
    /// Its probability.
    #[serde(flatten)]
    pub probability: RangeReport,
    /// The proved bound, which the maximum must not exceed; null if there is none.
    pub proved: Option<ProvedReport>,
}

/// An expected cost.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MeanReport {
    /// phases, messages or time.
    pub of: String,
    /// Its value.
    #[serde(flatten)]
    pub mean: RangeReport,
    /// Its variance, over all schedulers; null where the mean depends on the scheduler.
    pub variance: Option<RangeReport>,
    /// The proved bound, which the maximum must not exceed; null if there is none.
    pub proved: Option<ProvedReport>,
}

/// Minimum and maximum over all schedulers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RangeReport {
    /// The minimum.
    pub least: FractionReport,
    /// The maximum; null if it is unbounded.
    pub greatest: Option<FractionReport>,
}

/// A fraction.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FractionReport {
    /// The fraction, such as 3/4.
    pub exact: String,
    /// Its decimal approximation.
    pub decimal: f64,
}

impl FractionReport {
    fn new(fraction: &BigRational) -> Self {
        Self { exact: fraction.to_string(), decimal: decimal(fraction) }
    }

    /// As people read it.
    pub fn text(&self) -> String {
        if self.exact.contains('/') && self.exact.len() > MOST_DIGITS {
            return format!("≈ {:.9}", self.decimal);
        }
        if self.exact.contains('/') { format!("{} ≈ {:.6}", self.exact, self.decimal) } else { self.exact.clone() }
    }
}

/// A fraction with more digits than this is not shown in full to people.
const MOST_DIGITS: usize = 40;

/// A fraction of large numbers, near enough: both are divided by the same power of ten first.
pub fn decimal(fraction: &BigRational) -> f64 {
    let [mut over, mut under] = [fraction.numer(), fraction.denom()].map(ToString::to_string);
    let surplus = over.len().min(under.len()).saturating_sub(18);
    over.truncate(over.len() - surplus);
    under.truncate(under.len() - surplus);
    over.parse::<f64>().unwrap_or(f64::NAN) / under.parse::<f64>().unwrap_or(f64::NAN)
}

impl RangeReport {
    fn of_probability(range: &ProbabilityRange) -> Self {
        Self { least: FractionReport::new(&range.least), greatest: Some(FractionReport::new(&range.greatest)) }
    }

    fn of_mean(mean: &ExpectedCost) -> Self {
        Self { least: FractionReport::new(&mean.least), greatest: mean.greatest.as_ref().map(FractionReport::new) }
    }

    /// As people read it.
    pub fn text(&self) -> String {
        match &self.greatest {
            Some(greatest) if greatest.exact == self.least.exact => self.least.text(),
            Some(greatest) => format!("{} to {}", self.least.text(), greatest.text()),
            None => format!("{} or more, unbounded", self.least.text()),
        }
    }
}

impl ProbabilityReport {
    /// Computes the probabilities of the one instance of a check; of its first phases only, if a number is given.
    pub fn new(check: &CheckSetup, phases: Option<u32>, rerun: String, watch: &dyn Watch) -> Result<Self, BadSetting> {
        let [instance] = check.instances.as_slice() else {
            let wrong = format!("is given for {} orders and orientations", check.instances.len());
            return Err(BadSetting::new("probability", wrong, "one: --ids, and --orientation on a bidirectional ring"));
        };
        if let Some(task) = check.task {
            let wrong = format!("is {} for a check of probabilities", task.name());
            return Err(BadSetting::new("then", wrong, "nothing with --probability: a task draws nothing at random"));
        }
        check.refuse_retransmission("--probability")?;
        let scenario = check.scenario_of(instance);
        let case = Case { entry: check.entry, scenario: &scenario, settings: &check.settings, task: None };
        let mut go_on = |progress: &Progress| {
            watch.searching(0, progress);
            !watch.stopped()
        };
        let found = check.entry.probabilities(&case, &check.wakers, phases, &check.effort, &mut go_on)?;
        let bounds = check.entry.mean_bounds(&case)?;
        let explored = found.ran_out.is_none();
        let settings = Settings::new(check.entry.description().parameters, &check.settings)?;
        Ok(Self {
            protocol: check.entry.name().to_string(),
            rules: rules_of(settings.iter()).to_string(),
            parameters: settings.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect(),
            scenario: CheckScenario::new(check),
            scheduled: found.nondeterministic,
            endings: found
                .endings
                .iter()
                .map(|ending| EndingReport {
                    name: ending.name.clone(),
                    probability: RangeReport::of_probability(&ending.probability),
                })
                .collect(),
            over: explored.then(|| RangeReport::of_probability(&found.termination)),
            over_proved: (explored && phases.is_none()).then(|| termination(&found, &bounds)).flatten(),
            error: explored.then(|| ErrorReport::new(&found.error, &bounds)).flatten(),
            means: found.expected_costs.iter().map(|mean| MeanReport::new(mean, &bounds, &check.wakers)).collect(),
            states: found.progress.states,
            transitions: found.progress.transitions,
            ran_out: found.ran_out.map(|what| ran_out_name(what).to_string()),
            rerun,
            model: found.model,
        })
    }

    /// Whether some scheduler exceeds a proved bound.
    pub fn is_exceeded(&self) -> bool {
        let means = self.means.iter().map(|mean| &mean.proved);
        let others = [&self.over_proved, self.error.as_ref().map_or(&None, |error| &error.proved)];
        means.chain(others).flatten().any(|proved| proved.holds == Some(false))
    }
}

/// Termination with probability 1, which follows from a bound on an expected cost.
fn termination(found: &Probabilities, bounds: &MeanBounds) -> Option<ProvedReport> {
    let Proved { source, .. } = bounds.phases.as_ref().or(bounds.messages.as_ref())?;
    let certain = Proved { value: Value::int(1), formula: "1".to_string(), source: source.clone() };
    Some(ProvedReport::new(&certain, Some(found.termination.least == BigRational::from_integer(1.into()))))
}

impl ErrorReport {
    fn new(error: &ProbabilityRange, bounds: &MeanBounds) -> Option<Self> {
        let proved = judged(bounds.error.as_ref(), Some(&error.greatest));
        let possible = error.greatest > BigRational::default();
        (possible || proved.is_some()).then(|| Self { probability: RangeReport::of_probability(error), proved })
    }
}

impl MeanReport {
    fn new(mean: &ExpectedCost, bounds: &MeanBounds, wakers: &Wakers) -> Self {
        let proved = match mean.measure {
            Measure::Phases => bounds.phases.as_ref(),
            Measure::Messages => bounds.messages.as_ref(),
            // Bounds count from the first waking, which a scheduler may defer.
            Measure::Time => bounds.time.as_ref().filter(|_| *wakers == Wakers::Together),
        };
        let proved = judged(proved, mean.greatest.as_ref());
        let variance = mean.variance.as_ref().map(|variance| RangeReport {
            least: FractionReport::new(&variance.least),
            greatest: Some(FractionReport::new(&variance.greatest)),
        });
        Self { of: mean.measure.name().to_string(), mean: RangeReport::of_mean(mean), variance, proved }
    }
}

/// A bound beside the maximum over all schedulers; `None` is unbounded.
fn judged(proved: Option<&Proved>, greatest: Option<&BigRational>) -> Option<ProvedReport> {
    let proved = proved?;
    let (whole, rest) = proved.value.parts();
    let bound = BigRational::new(((whole << 32) | u128::from(rest)).into(), (1u64 << 32).into());
    Some(ProvedReport::new(proved, Some(greatest.is_some_and(|greatest| *greatest <= bound))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_of_large_numbers_come_near() {
        let third = |digits: usize| -> BigRational {
            format!("1{}/3{}", "0".repeat(digits), "0".repeat(digits)).parse().expect("a fraction")
        };
        for digits in [0, 5, 40, 400] {
            assert!((decimal(&third(digits)) - 1.0 / 3.0).abs() < 1e-15);
        }
        let tiny: BigRational = format!("1/1{}", "0".repeat(30)).parse().expect("a fraction");
        assert!((decimal(&tiny) * 1e30 - 1.0).abs() < 1e-9);
        let large: BigRational = format!("{}1/{}", "7".repeat(60), "9".repeat(60)).parse().expect("a fraction");
        assert!((decimal(&large) - 70.0 / 9.0).abs() < 1e-12);
    }
}
