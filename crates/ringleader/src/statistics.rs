//! Statistics of independent runs: everything that `reproduce`, `league`, `sweep` and `compare` say about many runs.
//!
//! Means have Student's interval, rates have Wilson's, which is right for rare events too. Percentiles are those of the
//! nearest rank, as in [`Lengths`](ringleader_model::Lengths). Sums are taken in the order of the runs, so that equal runs
//! have equal statistics, bit by bit.

use ringleader_model::Value;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use crate::report::Number;

/// The level of `ci95`.
pub const USUAL_LEVEL: f64 = 0.95;

/// The distribution of a quantity over runs.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Distribution {
    /// The number of runs that have the quantity.
    pub runs: u64,
    /// The mean.
    pub mean: f64,
    /// The variance of the sample, with n - 1; null for one run.
    pub variance: Option<f64>,
    /// Half the width of Student's 95 % confidence interval of the mean; null for one run.
    pub ci95: Option<f64>,
    /// The confidence interval of the mean at the chosen level; null for one run.
    pub ci: Option<ConfidenceInterval>,
    /// The median: the mean of the two in the middle, where their number is even.
    pub median: f64,
    /// The 95th percentile, by nearest rank.
    pub p95: f64,
    /// The least.
    pub min: f64,
    /// The greatest.
    pub max: f64,
}

/// A confidence interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ConfidenceInterval {
    /// The probability with which such an interval contains the true value.
    pub level: f64,
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// A mean with its 95 % interval, as claims are compared with it.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Measured {
    /// The mean.
    pub mean: f64,
    /// Half the width of the interval that has the true mean in 95 of 100 cases.
    pub ci95: f64,
    /// The lower end of that interval.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// The least.
    pub min: f64,
    /// The greatest.
    pub max: f64,
}

/// The position of an interval relative to a claimed value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// It lies below.
    Below,
    /// It lies around.
    Around,
    /// It lies above.
    Above,
}

impl Relation {
    /// Its name in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Below => "below",
            Self::Around => "around",
            Self::Above => "above",
        }
    }
}

impl Distribution {
    /// Of a sample in the order of its runs; `None` if it is empty.
    pub fn of(sample: &[f64], level: f64) -> Option<Self> {
        let mut sorted = sample.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let (mean, variance) = moments(sample)?;
        let count = sample.len();
        let half = |level| variance.map(|variance| half_width(count as f64, variance, level));
        let middle = sorted[count / 2];
        Some(Self {
            runs: count as u64,
            mean,
            variance,
            ci95: half(USUAL_LEVEL),
            ci: half(level).map(|half| ConfidenceInterval { level, low: mean - half, high: mean + half }),
            median: if count.is_multiple_of(2) { f64::midpoint(sorted[count / 2 - 1], middle) } else { middle },
            p95: sorted[(count * 19).div_ceil(20) - 1],
            min,
            max,
        })
    }
}

/// The mean of a sample and its variance, which one value does not have; `None` if it is empty.
fn moments(sample: &[f64]) -> Option<(f64, Option<f64>)> {
    let count = sample.len() as f64;
    let mean = (!sample.is_empty()).then(|| sample.iter().sum::<f64>() / count)?;
    let squares = || sample.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    Some((mean, (sample.len() > 1).then(|| squares() / (count - 1.0))))
}

impl Measured {
    /// The mean of independent runs, with Student's interval; `None` without at least two.
    pub fn mean(sample: &[f64]) -> Option<Self> {
        let Distribution { mean, ci95, min, max, .. } = Distribution::of(sample, USUAL_LEVEL)?;
        let half = ci95?;
        Some(Self { mean, ci95: half, low: mean - half, high: mean + half, min, max })
    }

    /// A rate with Wilson's interval.
    pub fn rate(hits: u64, runs: u64) -> Self {
        let ConfidenceInterval { low, high, .. } = wilson(hits, runs, USUAL_LEVEL);
        let rate = hits as f64 / runs as f64;
        Self { mean: rate, ci95: (high - low) / 2.0, low, high, min: rate, max: rate }
    }

    /// The greatest of all, which has no interval.
    pub const fn greatest(self) -> Self {
        Self { mean: self.max, ci95: 0.0, low: self.max, high: self.max, ..self }
    }

    /// Where the interval lies.
    pub fn relation(self, claimed: f64) -> Relation {
        if self.high < claimed {
            Relation::Below
        } else if self.low > claimed {
            Relation::Above
        } else {
            Relation::Around
        }
    }
}

/// A bucket of a histogram.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HistogramBucket {
    /// The least value in it.
    pub low: u64,
    /// The greatest value in it.
    pub high: u64,
    /// The number of values.
    pub count: u64,
}

/// A histogram with at most this many buckets of equal width, from the least to the greatest value; empty ones included.
pub fn histogram(values: &[u64], most: usize) -> Vec<HistogramBucket> {
    let (Some(&least), Some(&greatest)) = (values.iter().min(), values.iter().max()) else { return Vec::new() };
    let width = ((greatest - least) / most.max(1) as u64).saturating_add(1);
    let starts = (0..).map(|index| least + index * width).take_while(|&low| low <= greatest && low >= least);
    let mut buckets: Vec<HistogramBucket> =
        starts.map(|low| HistogramBucket { low, high: low.saturating_add(width - 1), count: 0 }).take(most).collect();
    for value in values {
        buckets[((value - least) / width) as usize].count += 1;
    }
    buckets
}

/// Wilson's interval for a rate, of at least one run.
pub fn wilson(hits: u64, runs: u64, level: f64) -> ConfidenceInterval {
    let (hits, runs) = (hits as f64, runs as f64);
    let normal = quantile(&Normal::standard(), level);
    let squared = normal * normal;
    let middle = (hits + squared / 2.0) / (runs + squared);
    let half = normal / (runs + squared) * (hits * (runs - hits) / runs + squared / 4.0).sqrt();
    ConfidenceInterval { level, low: (middle - half).max(0.0), high: (middle + half).min(1.0) }
}

/// Half the width of Student's interval for the mean of independent draws.
pub(crate) fn half_width(count: f64, variance: f64, level: f64) -> f64 {
    quantile(&student(count - 1.0), level) * (variance / count).sqrt()
}

/// Between this and its negative lies the share `level` of all draws.
fn quantile(distribution: &impl ContinuousCDF<f64, f64>, level: f64) -> f64 {
    distribution.inverse_cdf(0.5 + level / 2.0)
}

fn student(degrees: f64) -> StudentsT {
    StudentsT::new(0.0, 1.0, degrees).expect("there are degrees of freedom")
}

/// A value as a float.
pub fn float(value: Value) -> f64 {
    Number::from(value).to_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of Student's distribution that every textbook has.
    #[test]
    fn the_interval_is_students() {
        let table = [(9.0, 2.262), (19.0, 2.093), (29.0, 2.045), (199.0, 1.972)];
        for (degrees, expected) in table {
            let found = quantile(&student(degrees), 0.95);
            assert!((found - expected).abs() < 0.001, "{degrees}: {found}");
        }
        assert!((quantile(&student(9.0), 0.99) - 3.250).abs() < 0.001);
        // The squares of 1 to 10's distances from 5.5 add up to 82.5.
        let ten: Vec<f64> = (1..=10).map(f64::from).collect();
        let measured = Measured::mean(&ten).expect("there are ten");
        assert!((measured.ci95 - 2.262 * (82.5f64 / 9.0 / 10.0).sqrt()).abs() < 0.001);
        assert_eq!((measured.mean, measured.min, measured.max), (5.5, 1.0, 10.0));
        assert!(Measured::mean(&[1.0]).is_none());
    }

    /// Worked by hand.
    #[test]
    fn a_distribution_has_its_order_statistics() {
        let twenty: Vec<f64> = (1..=20).rev().map(f64::from).collect();
        let found = Distribution::of(&twenty, 0.9).expect("there are twenty");
        // The variance of 1 to n is n(n+1)/12; 1.729 is Student's 95th percentile with 19 degrees.
        assert_eq!((found.runs, found.mean, found.median, found.p95), (20, 10.5, 10.5, 19.0));
        assert_eq!((found.min, found.max, found.variance), (1.0, 20.0, Some(35.0)));
        let ci = found.ci.expect("there are twenty");
        assert!((ci.high - 10.5 - 1.729 * (35.0f64 / 20.0).sqrt()).abs() < 0.001 && ci.level == 0.9);
        let one = Distribution::of(&[7.0], 0.95).expect("there is one");
        assert_eq!((one.mean, one.median, one.p95, one.variance, one.ci95, one.ci), (7.0, 7.0, 7.0, None, None, None));
        assert!(Distribution::of(&[], 0.95).is_none());
        assert_eq!(Distribution::of(&[3.0, 1.0, 2.0], 0.95).map(|three| three.median), Some(2.0));
    }

    #[test]
    fn a_histogram_has_all_values_in_buckets_of_equal_width() {
        assert!(histogram(&[], 3).is_empty());
        let bucket = |low, high, count| HistogramBucket { low, high, count };
        assert_eq!(histogram(&[7, 7], 3), [bucket(7, 7, 2)]);
        // 0 to 9 in three buckets of four values.
        let values = [0, 1, 3, 4, 9, 9];
        assert_eq!(histogram(&values, 3), [bucket(0, 3, 3), bucket(4, 7, 1), bucket(8, 11, 2)]);
        assert_eq!(histogram(&[0, u64::MAX], 2).iter().map(|bucket| bucket.count).sum::<u64>(), 2);
    }

    /// Worked by hand: none of 100 gives [0, 0.037].
    #[test]
    fn a_rate_of_none_has_an_interval_too() {
        let none = Measured::rate(0, 100);
        assert!(none.mean == 0.0 && none.low < 1e-9);
        assert!((none.high - 0.037).abs() < 0.0005);
        assert_eq!((none.relation(0.5), none.relation(0.01)), (Relation::Below, Relation::Around));
        assert_eq!(Measured::rate(100, 100).relation(0.5), Relation::Above);
        // All of 100: the mirror image.
        let all = wilson(100, 100, 0.95);
        assert!((all.low - 0.963).abs() < 0.0005 && all.high <= 1.0);
    }
}
