//! The bounds of Vitányi's paper as exact fractions, written from the paper and not from our protocol's file.

use std::cmp::Ordering;

/// A non-negative fraction in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fraction {
    /// Above the line.
    pub numerator: u128,
    /// Below it; never 0.
    pub denominator: u128,
}

impl Fraction {
    /// `numerator / denominator`, in lowest terms.
    pub fn new(numerator: u128, denominator: u128) -> Self {
        assert!(denominator > 0, "a fraction has a denominator");
        let divisor = gcd(numerator, denominator);
        Fraction { numerator: numerator / divisor, denominator: denominator / divisor }
    }

    /// The sum.
    pub fn plus(self, other: Self) -> Self {
        let divisor = gcd(self.denominator, other.denominator);
        let scale = other.denominator / divisor;
        Fraction::new(self.numerator * scale + other.numerator * (self.denominator / divisor), self.denominator * scale)
    }

    /// The product with a whole number.
    pub fn times(self, factor: u128) -> Self {
        let divisor = gcd(factor, self.denominator);
        Fraction::new(self.numerator * (factor / divisor), self.denominator / divisor)
    }

    /// The quotient by a whole number.
    pub fn over(self, divisor: u128) -> Self {
        let common = gcd(self.numerator, divisor);
        Fraction::new(self.numerator / common, self.denominator * (divisor / common))
    }

    /// Whether it is less than a count.
    pub fn below(self, count: u64) -> bool {
        self.numerator.cmp(&(u128::from(count) * self.denominator)) == Ordering::Less
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}

/// u and m of fixed clocks and delays.
pub fn extremes(ticks: &[u64], delays: &[u64]) -> (u64, u64) {
    let u = ticks.iter().max().unwrap_or(&1) + delays.iter().max().unwrap_or(&0);
    (u, *ticks.iter().min().unwrap_or(&1))
}

/// Bound (2): 2N + (N u (f(l)+1) / m) · Σ 1/f(i).
pub fn bound_2(ids: &[u64], u: u64, m: u64, law: impl Fn(u64) -> u64) -> Fraction {
    let n = ids.len() as u128;
    spread(ids, u, m, &law, ids).plus(Fraction::new(2 * n, 1))
}

/// Bound (4): 3N + (N u (f(l)+1) / m) · Σ over i ≠ l of 1/f(i).
pub fn bound_4(ids: &[u64], u: u64, m: u64, law: impl Fn(u64) -> u64) -> Fraction {
    let n = ids.len() as u128;
    let least = ids.iter().min().copied().unwrap_or(1);
    let losers: Vec<u64> = ids.iter().copied().filter(|&id| id != least).collect();
    spread(ids, u, m, &law, &losers).plus(Fraction::new(3 * n, 1))
}

/// The headline 2N + 3Nu/m.
pub fn headline(n: usize, u: u64, m: u64) -> Fraction {
    let n = n as u128;
    Fraction::new(3 * n * u128::from(u), u128::from(m)).plus(Fraction::new(2 * n, 1))
}

fn spread(ids: &[u64], u: u64, m: u64, law: &impl Fn(u64) -> u64, over: &[u64]) -> Fraction {
    let least = ids.iter().min().copied().unwrap_or(1);
    let sum = over.iter().fold(Fraction::new(0, 1), |sum, &id| sum.plus(Fraction::new(1, u128::from(law(id)))));
    sum.times(ids.len() as u128 * u128::from(u)).times(u128::from(law(least)) + 1).over(u128::from(m))
}
