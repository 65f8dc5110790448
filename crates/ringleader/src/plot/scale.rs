//! The scale of an axis: where values are, and which of them are labelled.

use crate::report::grouped;

/// The spacing of an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Spacing {
    /// Equal differences are equally far apart.
    #[default]
    Linear,
    /// Equal ratios are equally far apart.
    Logarithmic,
}

/// An axis from one value to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlotScale {
    spacing: Spacing,
    /// Whether labels are powers of two.
    binary: bool,
    /// Whether labels are whole numbers.
    whole: bool,
    low: f64,
    high: f64,
}

impl PlotScale {
    /// One that holds these values, with room at both ends; on a logarithmic one values that are not positive have no place.
    pub(super) fn covering(values: impl Iterator<Item = f64>, spacing: Spacing) -> Self {
        let shown = |value: &f64| value.is_finite() && (spacing == Spacing::Linear || *value > 0.0);
        let values: Vec<f64> = values.filter(shown).collect();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if values.is_empty() {
            return Self { spacing: Spacing::Linear, binary: false, whole: false, low: 0.0, high: 1.0 };
        }
        let binary = values.iter().all(|value| value.log2().fract() == 0.0);
        if spacing == Spacing::Logarithmic {
            let room = (most / least).powf(0.05).max(1.25);
            return Self { spacing, binary, whole: false, low: least / room, high: most * room };
        }
        let room = if most > least { (most - least) * 0.04 } else { most.abs().max(1.0) * 0.5 };
        Self { spacing, binary: false, whole: false, low: least - room, high: most + room }
    }

    /// The same with whole numbers as labels.
    pub(super) const fn whole(self) -> Self {
        Self { whole: true, ..self }
    }

    /// A linear one from 0 to a round number that is no less than these values.
    pub(super) fn from_zero(values: impl Iterator<Item = f64>) -> Self {
        let most = values.filter(|value| value.is_finite()).fold(0.0, f64::max);
        let high = if most > 0.0 { most * 1.04 } else { 1.0 };
        Self { spacing: Spacing::Linear, binary: false, whole: false, low: 0.0, high }
    }

    /// The position of a value: 0 at the low end, 1 at the high one.
    pub(super) fn part(&self, value: f64) -> f64 {
        match self.spacing {
            Spacing::Linear => (value - self.low) / (self.high - self.low),
            Spacing::Logarithmic => (value / self.low).ln() / (self.high / self.low).ln(),
        }
    }

    /// Whether a value has a place.
    pub(super) fn shows(&self, value: f64) -> bool {
        value.is_finite() && (self.spacing == Spacing::Linear || value > 0.0)
    }

    /// Round values to label: as many as possible, but no more than this many.
    pub(super) fn ticks(&self, most: usize) -> Vec<f64> {
        let steps: Vec<Vec<f64>> = match (self.spacing, self.binary) {
            (Spacing::Linear, _) => {
                let span = self.high - self.low;
                let power = span.log10().floor() as i32;
                let steps = (power - 3..=power + 1).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * ten(power)));
                let steps = steps.filter(|step| !self.whole || *step >= 1.0);
                return steps.map(|step| self.multiples(step)).find(|ticks| ticks.len() <= most).unwrap_or_default();
            }
            (Spacing::Logarithmic, true) => (1..20).map(|stride| self.powers(2.0, stride, &[1.0])).collect(),
            (Spacing::Logarithmic, false) => [&[1.0, 2.0, 5.0][..], &[1.0, 3.0]]
                .into_iter()
                .map(|digits| self.powers(10.0, 1, digits))
                .chain((1..20).map(|stride| self.powers(10.0, stride, &[1.0])))
                .collect(),
        };
        let fitting = steps.into_iter().find(|ticks| ticks.len() <= most && ticks.len() > 1);
        fitting.unwrap_or_else(|| Self { spacing: Spacing::Linear, ..*self }.ticks(most.min(4)))
    }

    fn multiples(&self, step: f64) -> Vec<f64> {
        let (first, last) = ((self.low / step - 1e-9).ceil() as i64, (self.high / step + 1e-9).floor() as i64);
        (first..=last).map(|factor| factor as f64 * step).collect()
    }

    fn powers(&self, base: f64, stride: i32, digits: &[f64]) -> Vec<f64> {
        let (first, last) = (self.low.log(base).floor() as i32, self.high.log(base).ceil() as i32);
        let exponents = (first..=last).filter(|exponent| exponent.rem_euclid(stride) == 0);
        let ticks = exponents.flat_map(|exponent| digits.iter().map(move |digit| digit * base.powi(exponent)));
        ticks.filter(|&tick| self.low <= tick && tick <= self.high).collect()
    }
}

fn ten(power: i32) -> f64 {
    10f64.powi(power)
}

/// A number for people: thousands apart, three significant digits after the point at most, large ones with a power of ten.
pub fn number_text(value: f64) -> String {
    let size = value.abs();
    if size >= 1e7 {
        let power = (size.log10() / 3.0).floor() as i32 * 3;
        return format!("{}·10{}", decimals(value / ten(power), 2), superscript(power));
    }
    let digits = match size {
        _ if value.fract() == 0.0 => 0,
        100.0.. => 1,
        1.0.. => 2,
        0.01.. => 4,
        _ => 6,
    };
    decimals(value, digits)
}

/// A level such as 0.95 in percent.
pub(crate) fn percent(level: f64) -> String {
    number_text((level * 1e6).round() / 1e4)
}

/// With so many decimals at most, and no zeros at the end.
fn decimals(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    match text.strip_prefix('-') {
        Some("0") => "0".to_string(),
        Some(positive) => format!("−{}", grouped(positive)),
        None => grouped(text),
    }
}

fn superscript(number: i32) -> String {
    let raised = |digit: char| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit.to_digit(10).unwrap_or_default() as usize);
    number.to_string().chars().filter_map(raised).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(values: &[f64], spacing: Spacing) -> PlotScale {
        PlotScale::covering(values.iter().copied(), spacing)
    }

    #[test]
    fn ticks_are_round_and_no_more_than_asked_for() {
        assert_eq!(PlotScale::from_zero([47.0].into_iter()).ticks(6), [0.0, 10.0, 20.0, 30.0, 40.0]);
        assert_eq!(PlotScale::from_zero([0.3].into_iter()).ticks(4).len(), 4);
        assert_eq!(PlotScale::from_zero([2.0].into_iter()).whole().ticks(7), [0.0, 1.0, 2.0]);
        assert_eq!(
            scale(&[16.0, 1024.0], Spacing::Logarithmic).ticks(8),
            [16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0]
        );
        assert_eq!(scale(&[16.0, 1024.0], Spacing::Logarithmic).ticks(4), [16.0, 64.0, 256.0, 1024.0]);
        assert_eq!(scale(&[3.0, 5000.0], Spacing::Logarithmic).ticks(5), [10.0, 100.0, 1000.0]);
        assert_eq!(scale(&[3.0, 70.0], Spacing::Logarithmic).ticks(6), [5.0, 10.0, 20.0, 50.0]);
        for spacing in [Spacing::Linear, Spacing::Logarithmic] {
            for values in [&[5.0][..], &[1e-9, 1e12], &[0.0], &[], &[1e18, 1e18 + 1e15], &[7.1, 7.2]] {
                let scale = scale(values, spacing);
                for most in 2..10 {
                    let ticks = scale.ticks(most);
                    assert!(ticks.len() <= most && ticks.iter().all(|tick| tick.is_finite()), "{values:?}: {ticks:?}");
                }
            }
        }
    }

    #[test]
    fn equal_ratios_are_equally_far_apart_on_a_logarithmic_axis() {
        let scale = scale(&[10.0, 1000.0], Spacing::Logarithmic);
        let [one, two, three] = [10.0, 100.0, 1000.0].map(|value| scale.part(value));
        assert!((three - two - (two - one)).abs() < 1e-12 && one > 0.0 && three < 1.0);
        assert!(!scale.shows(0.0) && !scale.shows(f64::NAN));
    }

    #[test]
    fn numbers_are_short() {
        let texts = [0.0, 7.0, 1234.0, 0.25, 12.345, 1234.56, 12_500_000.0, 3e12, -4.5, 0.000_12].map(number_text);
        let expected = ["0", "7", "1,234", "0.25", "12.35", "1,234.6", "12.5·10⁶", "3·10¹²", "−4.5", "0.00012"];
        assert_eq!(texts, expected);
    }
}
