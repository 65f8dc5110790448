//! Numbers as reports have them: integers where they are integers.

use ringleader_model::Value;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A number: an integer where it is one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Number {
    /// A whole number.
    Integer(u64),
    /// Any other.
    Fraction(f64),
}

impl Number {
    /// Of a number that is not negative.
    pub(crate) fn from_f64(number: f64) -> Self {
        if number.fract() == 0.0 { Self::Integer(number as u64) } else { Self::Fraction(number) }
    }

    /// As a float: exact up to 2^53.
    pub const fn to_f64(self) -> f64 {
        match self {
            Self::Integer(whole) => whole as f64,
            Self::Fraction(number) => number,
        }
    }
}

impl std::fmt::Display for Number {
    /// Fractions with two decimals where they are small, with one otherwise.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Integer(number) => write!(f, "{number}"),
            Self::Fraction(number) if *number < 10.0 => write!(f, "{number:.2}"),
            Self::Fraction(number) => write!(f, "{number:.1}"),
        }
    }
}

/// An integer with its thousands apart.
pub fn grouped(number: impl std::fmt::Display) -> String {
    let text = number.to_string();
    let (whole, rest) = text.split_once('.').map_or((text.as_str(), None), |(whole, rest)| (whole, Some(rest)));
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if let Some(rest) = rest {
        grouped.push('.');
        grouped.push_str(rest);
    }
    grouped
}

impl From<Value> for Number {
    fn from(value: Value) -> Self {
        match value.parts() {
            (whole, 0) if whole <= u128::from(u64::MAX) => Self::Integer(whole as u64),
            // A value has 32 binary places; more decimals than these say nothing.
            (whole, fraction) => {
                let exact = whole as f64 + f64::from(fraction) / 4_294_967_296.0;
                Self::Fraction((exact * 1e9).floor() / 1e9)
            }
        }
    }
}
