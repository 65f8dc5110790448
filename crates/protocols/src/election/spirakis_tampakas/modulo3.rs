use core::fmt;

use ringleader_model::{Field, int_bits};
use serde::Serialize;

/// A number modulo 3.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Modulo3 {
    Zero,
    One,
    Two,
}

impl Modulo3 {
    pub(super) const fn of(number: u32) -> Self {
        match number % 3 {
            0 => Self::Zero,
            1 => Self::One,
            _ => Self::Two,
        }
    }
}

impl Field for Modulo3 {
    fn bits(&self) -> u64 {
        int_bits(*self as u64)
    }

    fn show(&self, _: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " phase {} modulo 3", *self as u8)
    }
}
