//! The function f: how many units a message waits before it is passed on.

use alloc::format;

use num_bigint::BigUint;
use ringleader_model::{BadSetting, Instance};

/// f, with the numbers of the instance that it speaks of.
#[derive(Clone, Debug)]
pub(super) enum Law {
    /// c
    Constant(Fraction),
    /// i^e
    Power(Fraction),
    /// 2^i
    Two,
    /// (2u/m)^i
    Asynchronicity(Fraction),
    /// (w/w_p)·2^i
    Walk { w: u128, w_p: u128 },
    /// ⌊2^(j-i)⌋
    MinTime,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fraction {
    over: u64,
    under: u64,
}

/// An exact value of f.
pub(super) struct Value {
    /// Rounded up; `None` if it does not fit 64 bits.
    pub(super) ceiling: Option<u64>,
    /// There was nothing to round, and it is not 0.
    pub(super) positive_integer: bool,
}

pub(super) const FORM: &str = "constant:c | power:e | 2^i | u/m | walk | min-time, with c and e like 2 or 3/2";

impl Law {
    pub(super) fn parse(text: &str, instance: &Instance<'_>) -> Result<Self, BadSetting> {
        let bad = |wrong| BadSetting::new("set", format!("law={text}: {wrong}"), FORM);
        match text {
            "2^i" => return Ok(Self::Two),
            "u/m" => {
                let over = instance.u().checked_mul(2).ok_or_else(|| bad("2u overflows"))?;
                return Ok(Self::Asynchronicity(Fraction { over, under: instance.ticks.min }));
            }
            "walk" => {
                let (w_p, w_s) = (instance.ticks.sum, instance.delays.sum);
                return Ok(Self::Walk { w: w_p + w_s, w_p });
            }
            "min-time" => return Ok(Self::MinTime),
            _ => {}
        }
        let (name, number) = text.split_once(':').ok_or_else(|| bad("there is no such law"))?;
        let number = Fraction::parse(number)
            .ok_or_else(|| bad("the number must be a fraction of integers from 1 to 18446744073709551615"))?;
        match name {
            "constant" => Ok(Self::Constant(number)),
            "power" if number.over <= 64 && number.under <= 64 => Ok(Self::Power(number)),
            "power" => Err(bad("an exponent has no number above 64 in it")),
            _ => Err(bad("there is no such law")),
        }
    }

    /// f(j) at processor i.
    pub(super) fn at(&self, i: u64, j: u64) -> Value {
        match self {
            Self::Constant(c) => divide(&c.over.into(), &c.under.into()),
            Self::Power(e) => {
                let power = BigUint::from(j).pow(e.over as u32);
                let root = power.nth_root(e.under as u32);
                let exact = root.pow(e.under as u32) == power;
                Value::new(if exact { root } else { root + 1u32 }, exact)
            }
            // 2u/m and 2w/w_p are at least 2.
            Self::Two | Self::Asynchronicity(_) | Self::Walk { .. } if j >= 64 => {
                Value { ceiling: None, positive_integer: true }
            }
            Self::Two => Value { ceiling: Some(1 << j), positive_integer: true },
            Self::Asynchronicity(base) => {
                divide(&BigUint::from(base.over).pow(j as u32), &BigUint::from(base.under).pow(j as u32))
            }
            Self::Walk { w, w_p } => divide(&(BigUint::from(*w) << j), &BigUint::from(*w_p)),
            Self::MinTime => {
                let power = (j >= i).then(|| u32::try_from(j - i).ok().and_then(|k| 1u64.checked_shl(k)));
                match power {
                    None => Value { ceiling: Some(0), positive_integer: false },
                    Some(ceiling) => Value { ceiling, positive_integer: true },
                }
            }
        }
    }

    /// The exponent of i^e, as a fraction.
    pub(super) fn exponent(&self) -> Option<(u64, u64)> {
        if let Self::Power(e) = self { Some((e.over, e.under)) } else { None }
    }

    /// Whether f at least doubles from each name to the next, before it is rounded up.
    pub(super) fn is_steep(&self) -> bool {
        matches!(self, Self::Two | Self::Asynchronicity(_) | Self::Walk { .. })
    }

    /// Whether f as it is rounded up does.
    pub(super) fn doubles(&self) -> bool {
        match self {
            Self::Two => true,
            Self::Asynchronicity(base) => base.over.is_multiple_of(base.under),
            Self::Walk { w, w_p } => w.is_multiple_of(*w_p),
            Self::Constant(_) | Self::Power(_) | Self::MinTime => false,
        }
    }
}

impl Value {
    fn new(ceiling: BigUint, exact: bool) -> Self {
        let positive_integer = exact && ceiling > BigUint::ZERO;
        // The greatest u64 is what never is written as.
        Self { ceiling: u64::try_from(ceiling).ok().filter(|&value| value < u64::MAX), positive_integer }
    }
}

fn divide(over: &BigUint, under: &BigUint) -> Value {
    let floor = over / under;
    let exact = &floor * under == *over;
    Value::new(if exact { floor } else { floor + 1u32 }, exact)
}

impl Fraction {
    fn parse(text: &str) -> Option<Self> {
        let (over, under) = text.split_once('/').unwrap_or((text, "1"));
        // "+2" is a number to Rust, but not to us.
        let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
        let fraction = Self { over: number(over)?, under: number(under)? };
        (fraction.over > 0 && fraction.under > 0).then_some(fraction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f(law: &Law, j: u64) -> (Option<u64>, bool) {
        let value = law.at(1, j);
        (value.ceiling, value.positive_integer)
    }

    fn fraction(text: &str) -> Fraction {
        Fraction::parse(text).unwrap()
    }

    #[test]
    fn values_are_exact_and_rounded_up_once() {
        assert_eq!(f(&Law::Constant(fraction("3/2")), 7), (Some(2), false));
        assert_eq!(f(&Law::Constant(fraction("4/2")), 7), (Some(2), true));
        // 4^(3/2) = 8; 5^(3/2) = 11.18…
        assert_eq!(f(&Law::Power(fraction("3/2")), 4), (Some(8), true));
        assert_eq!(f(&Law::Power(fraction("3/2")), 5), (Some(12), false));
        assert_eq!(f(&Law::Power(fraction("2")), 1 << 32), (None, true));
        assert_eq!(f(&Law::Two, 63), (Some(1 << 63), true));
        assert_eq!(f(&Law::Two, 64), (None, true));
        // (2·5/4)^2 = 6.25
        assert_eq!(f(&Law::Asynchronicity(Fraction { over: 10, under: 4 }), 2), (Some(7), false));
        // (30/20)·2^3 = 12
        assert_eq!(f(&Law::Walk { w: 30, w_p: 20 }, 3), (Some(12), true));
    }

    #[test]
    fn rounding_up_can_spoil_doubling() {
        // 2.1: 3, 5; (11/10)·2: 3, 5; 3^2 = 9, 4^2 = 16.
        for (law, doubles) in [
            (Law::Two, true),
            (Law::Asynchronicity(Fraction { over: 6, under: 2 }), true),
            (Law::Asynchronicity(Fraction { over: 21, under: 10 }), false),
            (Law::Walk { w: 20, w_p: 10 }, true),
            (Law::Walk { w: 11, w_p: 10 }, false),
            (Law::Power(Fraction { over: 2, under: 1 }), false),
        ] {
            assert_eq!(law.doubles(), doubles, "{law:?}");
            let twice = (1..10).all(|i| f(&law, i + 1).0.unwrap() >= 2 * f(&law, i).0.unwrap());
            assert_eq!(twice, doubles, "{law:?}");
        }
    }

    #[test]
    fn min_time_depends_on_the_processor_too() {
        assert_eq!(Law::MinTime.at(5, 5).ceiling, Some(1));
        assert_eq!(Law::MinTime.at(5, 3).ceiling, Some(0));
        assert!(!Law::MinTime.at(5, 3).positive_integer);
        assert_eq!(Law::MinTime.at(5, 69).ceiling, None);
    }
}
