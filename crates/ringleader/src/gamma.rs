//! γ = r_min/r_max: how unlike the speeds of clocks may be.

use std::fmt;

use ringleader_model::Range;

use crate::report::Number;

/// A value of γ, as tables go through them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gamma {
    /// 1/γ.
    inverse: u64,
}

/// The longest tick of all of them, that of the timing `archimedean`.
const R_MAX: u64 = 20;

impl Gamma {
    /// From equal clocks to clocks that differ by a factor of ten.
    pub const ALL: [Self; 4] = [Self { inverse: 1 }, Self { inverse: 2 }, Self { inverse: 4 }, Self { inverse: 10 }];

    /// The tick lengths with this ratio.
    pub const fn ticks(self) -> Range {
        Range::new(R_MAX / self.inverse, R_MAX)
    }
}

impl From<Gamma> for Number {
    fn from(gamma: Gamma) -> Self {
        if gamma.inverse == 1 { Self::Integer(1) } else { Self::Fraction(1.0 / gamma.inverse as f64) }
    }
}

impl fmt::Display for Gamma {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.inverse == 1 { f.write_str("1") } else { write!(f, "1/{}", self.inverse) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_have_the_ratio_that_they_stand_for() {
        for gamma in Gamma::ALL {
            let ticks = gamma.ticks();
            assert_eq!(ticks.min * gamma.inverse, ticks.max, "{gamma}");
        }
    }
}
