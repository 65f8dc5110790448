//! Exact numbers that are kept once each, and sums of parts of them.

use std::collections::BTreeMap;

use num_rational::BigRational;
use num_traits::{One, Zero};

use super::component::divisor;
use crate::interner::{Map, Number};

/// The number of 0.
pub(super) const ZERO: Number = 0;
/// The number of 1.
pub(super) const ONE: Number = 1;

/// Exact numbers, by number. Most nodes of a graph share their values with many others, so that most sums are old ones.
pub(super) struct Values {
    all: Vec<BigRational>,
    numbers: BTreeMap<BigRational, Number>,
    sums: Map<(Sum, u64), Number>,
}

/// So many parts of values, by number, and a cost.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct Sum {
    pub(super) parts: Vec<(Number, u64)>,
    pub(super) cost: u128,
}

impl Default for Values {
    fn default() -> Self {
        let mut values = Self { all: Vec::new(), numbers: BTreeMap::new(), sums: Map::default() };
        assert_eq!((values.number(BigRational::zero()), values.number(BigRational::one())), (ZERO, ONE));
        values
    }
}

impl Values {
    pub(super) fn number(&mut self, value: BigRational) -> Number {
        let all = &mut self.all;
        *self.numbers.entry(value).or_insert_with_key(|value| {
            all.push(value.clone());
            all.len() as Number - 1
        })
    }

    pub(super) fn get(&self, number: Number) -> &BigRational {
        &self.all[number as usize]
    }

    /// By number.
    pub(super) fn all(&self) -> &[BigRational] {
        &self.all
    }

    /// The number of a sum by `scale`.
    pub(super) fn sum(&mut self, mut sum: Sum, scale: u64) -> Number {
        sum.parts.retain(|&(value, _)| value != ZERO);
        merge(&mut sum.parts);
        match (&sum.parts[..], sum.cost) {
            ([], 0) => return ZERO,
            (&[(value, part)], 0) if part == scale => return value,
            _ => {}
        }
        let key = (sum, scale);
        if let Some(&known) = self.sums.get(&key) {
            return known;
        }
        let mut value = BigRational::from_integer(key.0.cost.into());
        for &(number, part) in &key.0.parts {
            value += self.get(number) * BigRational::from_integer(part.into());
        }
        let number = self.number(value / BigRational::from_integer(scale.into()));
        self.sums.insert(key, number);
        number
    }
}

/// Puts parts of the same thing together, in order.
pub(super) fn merge(parts: &mut Vec<(u32, u64)>) {
    parts.sort_unstable();
    parts.dedup_by(|(later, part), (earlier, sum)| {
        let same = later == earlier;
        *sum += if same { *part } else { 0 };
        same
    });
}

/// Divides by what all parts and the scale have in common.
pub(super) fn reduce(parts: &mut [(u32, u64)], scale: &mut u64) {
    let common = parts.iter().fold(*scale, |common, &(_, part)| divisor(common, part));
    parts.iter_mut().for_each(|(_, part)| *part /= common);
    *scale /= common;
}
