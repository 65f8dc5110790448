//! Protocols, settings and recorded runs side by side.

use schemars::JsonSchema;
use serde::Serialize;

use super::quantity::measured;
use super::report::SweepReport;
use crate::setup::Setup;
use crate::statistics::{ConfidenceInterval, Distribution};
use ringleader_sim::{Summary, Verdict};

/// Something that is compared.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Compared {
    /// The protocol with its settings, or the recorded run.
    pub name: String,
    /// The number of runs.
    pub runs: u64,
    /// Runs in which every property held.
    pub held: u64,
    /// What was measured.
    #[serde(skip)]
    pub quantities: Vec<(String, Distribution)>,
}

/// A quantity of all that is compared.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct ComparedQuantity {
    /// Its name.
    pub quantity: String,
    /// In the order of what is compared; null where it has no such quantity.
    pub values: Vec<Option<ComparedValue>>,
}

/// A quantity of one of them.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct ComparedValue {
    /// Over its runs.
    #[serde(flatten)]
    pub distribution: Distribution,
    /// The mean relative to that of the first; null where that is 0 or not known.
    pub relative: Option<f64>,
    /// Its confidence interval, by propagation of errors; null for one run.
    pub relative_ci: Option<ConfidenceInterval>,
}

/// A comparison.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Comparisons {
    /// What is compared, the reference first.
    pub compared: Vec<Compared>,
    /// By quantity.
    pub quantities: Vec<ComparedQuantity>,
}

impl Compared {
    /// The protocols of a sweep in which nothing else varies.
    pub fn of_sweep(report: &SweepReport) -> Vec<Self> {
        let row = |row: &super::SweepRow| Self {
            name: row.protocol.clone(),
            runs: row.runs,
            held: row.held,
            quantities: row.quantities.clone(),
        };
        report.rows.iter().map(row).collect()
    }

    /// One run.
    pub fn of_run(name: String, setup: &Setup, summary: &Summary) -> Self {
        let one = |(quantity, number): (String, crate::report::Number)| {
            Some((quantity, Distribution::of(&[number.to_f64()], crate::statistics::USUAL_LEVEL)?))
        };
        Self {
            name,
            runs: 1,
            held: u64::from(summary.verdict == Verdict::Held),
            quantities: measured(setup, summary).into_iter().filter_map(one).collect(),
        }
    }
}

impl Comparisons {
    /// All of them relative to the first.
    pub fn new(compared: Vec<Compared>, level: f64) -> Self {
        let mut names: Vec<&String> = Vec::new();
        for (name, _) in compared.iter().flat_map(|one| &one.quantities) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let of = |one: &Compared, name: &str| {
            one.quantities.iter().find(|(known, _)| known == name).map(|(_, found)| *found)
        };
        let quantity = |name: &String| {
            let reference = compared.first().and_then(|first| of(first, name));
            let value =
                |one: &Compared| of(one, name).map(|found| ComparedValue::new(found, reference.as_ref(), level));
            ComparedQuantity { quantity: name.clone(), values: compared.iter().map(value).collect() }
        };
        let quantities = names.into_iter().map(quantity).collect();
        Self { compared, quantities }
    }
}

impl ComparedValue {
    fn new(distribution: Distribution, reference: Option<&Distribution>, level: f64) -> Self {
        let reference = reference.filter(|reference| reference.mean != 0.0);
        let relative = reference.map(|reference| distribution.mean / reference.mean);
        let half = |of: &Distribution| of.ci.map(|ci| (ci.high - ci.low) / 2.0);
        let relative_ci = reference.filter(|&reference| *reference != distribution).and_then(|reference| {
            // The relative errors of independent means add up as squares.
            let ratio = distribution.mean / reference.mean;
            let [own, other] = [half(&distribution)? / reference.mean, half(reference)? / reference.mean * ratio];
            let half = own.hypot(other);
            Some(ConfidenceInterval { level, low: ratio - half, high: ratio + half })
        });
        Self { distribution, relative, relative_ci }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(name: &str, sample: &[f64]) -> Compared {
        let found = Distribution::of(sample, 0.95).expect("there are some");
        Compared {
            name: name.to_string(),
            runs: sample.len() as u64,
            held: 0,
            quantities: vec![("bits".to_string(), found)],
        }
    }

    /// Worked by hand: means 10 and 20, half widths t·s/√n with t = 4.303 for 2 degrees and s = 1 and 2.
    #[test]
    fn the_first_is_the_reference() {
        let all = vec![compared("a", &[9.0, 10.0, 11.0]), compared("b", &[18.0, 20.0, 22.0]), compared("c", &[5.0])];
        let compared = Comparisons::new(all, 0.95);
        let values: Vec<_> = compared.quantities[0].values.iter().flatten().collect();
        assert_eq!(values.iter().map(|value| value.relative).collect::<Vec<_>>(), [Some(1.0), Some(2.0), Some(0.5)]);
        let [a, b] = [1.0, 2.0].map(|deviation: f64| 4.303 * deviation / 3f64.sqrt());
        let half = 2.0 * ((a / 10.0).powi(2) + (b / 20.0).powi(2)).sqrt();
        let ci = values[1].relative_ci.expect("both have an interval");
        assert!((ci.high - 2.0 - half).abs() < 0.001, "{ci:?}");
        assert_eq!((values[0].relative_ci, values[2].relative_ci), (None, None));
    }
}
