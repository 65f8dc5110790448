//! Growth of a cost with N: which of N, N log N and N² fits, and with which exponent.
//!
//! Everything is least squares on logarithms, so that residuals are relative errors and small sizes count as much as large
//! ones. A model a·f(N) has one coefficient; the free exponent b of a·N^b has Student's interval. That interval knows the
//! scatter of the points about a straight line only: a cost that is no power of N, such as N log N, has a local exponent
//! that depends on the sizes measured, and it is a description of these sizes.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::percent;

/// A model of growth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GrowthModel {
    /// a N
    Linear,
    /// a N log2 N
    Linearithmic,
    /// a N²
    Quadratic,
}

impl GrowthModel {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Linear, Self::Linearithmic, Self::Quadratic];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linear => "N",
            Self::Linearithmic => "N log N",
            Self::Quadratic => "N²",
        }
    }

    fn log(self, n: f64) -> f64 {
        match self {
            Self::Linear => n.ln(),
            Self::Linearithmic => n.ln() + n.log2().ln(),
            Self::Quadratic => 2.0 * n.ln(),
        }
    }
}

/// A model fitted to data.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FittedModel {
    /// The model.
    pub model: GrowthModel,
    /// Its coefficient a.
    pub coefficient: f64,
    /// The root mean square of the relative residuals.
    pub error: f64,
}

/// An exponent fitted to data.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FittedExponent {
    /// b of a·N^b.
    pub exponent: f64,
    /// Half the width of its confidence interval.
    pub half_width: f64,
    /// a.
    pub coefficient: f64,
    /// The level of the interval.
    pub level: f64,
}

/// The growth of a cost.
#[derive(Clone, PartialEq, Debug)]
pub struct Growth {
    /// The models, the best first.
    pub models: Vec<FittedModel>,
    /// The free exponent.
    pub free: FittedExponent,
    /// The least and the greatest size.
    pub sizes: (f64, f64),
}

/// A model is told apart from the next best if its error is at most this share of the other's.
const CLEARLY: f64 = 0.5;
/// A model that is farther off than this does not fit.
const FITS: f64 = 0.25;
/// Errors below this are rounding.
const ROUNDING: f64 = 1e-9;

impl Growth {
    /// Fits sizes above 1 and their costs; `None` for fewer than three sizes, or where a cost is not positive.
    pub fn fit(points: &[(f64, f64)], level: f64) -> Option<Self> {
        let points: Vec<_> = points.iter().copied().filter(|&(n, _)| n > 1.0).collect();
        let mut sizes: Vec<f64> = points.iter().map(|&(n, _)| n).collect();
        sizes.sort_unstable_by(f64::total_cmp);
        sizes.dedup();
        if sizes.len() < 3 || points.iter().any(|&(_, cost)| cost <= 0.0 || !cost.is_finite()) {
            return None;
        }
        let mut models = GrowthModel::ALL.map(|model| fit_model(model, &points)).to_vec();
        models.sort_by(|one, other| one.error.total_cmp(&other.error));
        Some(Self { models, free: fit_exponent(&points, level), sizes: (sizes[0], sizes[sizes.len() - 1]) })
    }

    /// The best model, if the sizes tell it from the next best.
    pub fn clear(&self) -> Option<FittedModel> {
        let [best, next, ..] = self.models.as_slice() else { return None };
        (best.error <= CLEARLY * next.error || best.error < ROUNDING && next.error > ROUNDING).then_some(*best)
    }

    /// The finding, in one sentence.
    pub fn sentence(&self) -> String {
        let FittedExponent { exponent, half_width, level, .. } = self.free;
        let free = format!("as a power, N^({exponent:.3} ± {half_width:.3}) ({} % interval)", percent(level));
        let [best, next, ..] = self.models.as_slice() else { return free };
        let of = |fitted: &FittedModel| {
            let FittedModel { model, coefficient, error } = fitted;
            format!("{} {} (off by {:.2} %)", significant(*coefficient), model.name(), error * 100.0)
        };
        let (low, high) = self.sizes;
        let models = match self.clear() {
            _ if best.error > FITS => {
                format!("none of N, N log N and N² fits (the nearest is off by {:.0} %)", best.error * 100.0)
            }
            Some(best) => format!("{} fits best, then {}", of(&best), of(next)),
            None => format!("{} and {} cannot be told apart on sizes from {low} to {high}", of(best), of(next)),
        };
        format!("{models}; {free}")
    }
}

/// Three significant digits.
fn significant(value: f64) -> String {
    let digits = (2 - value.abs().log10().floor() as i32).clamp(0, 6) as usize;
    format!("{value:.digits$}")
}

/// The coefficient is the geometric mean of cost/f(N).
fn fit_model(model: GrowthModel, points: &[(f64, f64)]) -> FittedModel {
    let ratios: Vec<f64> = points.iter().map(|&(n, cost)| cost.ln() - model.log(n)).collect();
    let count = ratios.len() as f64;
    let mean = ratios.iter().sum::<f64>() / count;
    let squares: f64 = ratios.iter().map(|ratio| (ratio - mean).powi(2)).sum();
    FittedModel { model, coefficient: mean.exp(), error: (squares / count).sqrt() }
}

fn fit_exponent(points: &[(f64, f64)], level: f64) -> FittedExponent {
    let logs: Vec<_> = points.iter().map(|&(n, cost)| (n.ln(), cost.ln())).collect();
    let count = logs.len() as f64;
    let (x, y) = logs.iter().fold((0.0, 0.0), |(x, y), log| (x + log.0 / count, y + log.1 / count));
    let spread: f64 = logs.iter().map(|log| (log.0 - x).powi(2)).sum();
    let exponent = logs.iter().map(|log| (log.0 - x) * (log.1 - y)).sum::<f64>() / spread;
    let coefficient = y - exponent * x;
    let squares: f64 = logs.iter().map(|log| (log.1 - coefficient - exponent * log.0).powi(2)).sum();
    let degrees = count - 2.0;
    let student = StudentsT::new(0.0, 1.0, degrees).expect("there are at least three points");
    let half_width = student.inverse_cdf(0.5 + level / 2.0) * (squares / degrees / spread).sqrt();
    FittedExponent { exponent, half_width, coefficient: coefficient.exp(), level }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(points: &[(f64, f64)]) -> Growth {
        Growth::fit(points, 0.95).expect("there are enough points")
    }

    /// By hand, in binary logarithms: x = 1, 2, 3 and y = 0, 1, 3. The slope is 3/2, the residuals are 1/6, -1/3, 1/6, so that
    /// its standard error is sqrt(1/6 / 1 / 2); Student's 97.5 % quantile with one degree of freedom is 12.706.
    #[test]
    fn the_exponent_and_its_interval_are_those_worked_by_hand() {
        let FittedExponent { exponent, half_width, .. } = of(&[(2.0, 1.0), (4.0, 2.0), (8.0, 8.0)]).free;
        assert!((exponent - 1.5).abs() < 1e-12);
        assert!((half_width - 12.706 * (1.0f64 / 12.0).sqrt()).abs() < 1e-3, "{half_width}");
    }

    /// By hand: cost/N is 2, 2, 4, whose geometric mean is 16^(1/3), and whose binary logarithms 1, 1, 2 lie 1/3, 1/3, 2/3 off
    /// their mean: sqrt(6/9/3) doublings.
    #[test]
    fn coefficients_and_errors_are_those_worked_by_hand() {
        let growth = of(&[(2.0, 4.0), (4.0, 8.0), (8.0, 32.0)]);
        let linear = growth.models.iter().find(|fitted| fitted.model == GrowthModel::Linear).expect("it is one");
        assert!((linear.coefficient - 16f64.cbrt()).abs() < 1e-12);
        assert!((linear.error - (2.0f64 / 9.0).sqrt() * 2f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn exact_data_have_their_model_and_no_interval() {
        let exact = |cost: fn(f64) -> f64, model: GrowthModel, coefficient: f64| {
            let growth = of(&(1..=6).map(|k| f64::from(1 << k)).map(|n| (n, cost(n))).collect::<Vec<_>>());
            let best = growth.clear().expect("it is clear");
            assert_eq!(best.model, model);
            assert!((best.coefficient - coefficient).abs() < 1e-9 && best.error < 1e-9);
            growth.free
        };
        assert!(exact(|n| 3.0 * n, GrowthModel::Linear, 3.0).half_width < 1e-6);
        assert!((exact(|n| 0.5 * n * n, GrowthModel::Quadratic, 0.5).exponent - 2.0).abs() < 1e-9);
        exact(|n| 2.0 * n * n.log2(), GrowthModel::Linearithmic, 2.0);
    }

    /// Near 9 the local exponent of N log N is 1 + 1/ln 9 = 1.46: halfway to that of N, sizes from 8 to 10 decide nothing.
    #[test]
    fn what_cannot_be_told_apart_is_not() {
        let growth = of(&[8.0f64, 9.0, 10.0].map(|n| (n, n.powf(1.23))));
        assert_eq!(growth.clear(), None, "{:?}", growth.models);
        assert!(growth.sentence().contains("cannot be told apart on sizes from 8 to 10"), "{}", growth.sentence());
    }

    #[test]
    fn a_logarithm_is_none_of_the_models() {
        let growth = of(&(1..=8).map(|k| (f64::from(1 << k), f64::from(k))).collect::<Vec<_>>());
        assert!(growth.sentence().starts_with("none of N, N log N and N² fits"), "{}", growth.sentence());
    }

    #[test]
    fn too_little_is_not_fitted() {
        assert!(Growth::fit(&[(1.0, 1.0), (2.0, 4.0), (4.0, 8.0)], 0.95).is_none(), "log 1 is 0");
        assert!(Growth::fit(&[(2.0, 4.0), (2.0, 5.0), (4.0, 8.0)], 0.95).is_none(), "two sizes");
        assert!(Growth::fit(&[(2.0, 0.0), (4.0, 5.0), (8.0, 8.0)], 0.95).is_none(), "no logarithm");
    }
}
