//! Exact rational numbers, interned, and weighted sums of them.

use std::collections::BTreeMap;

use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::choices::gcd;
use crate::interner::{Interned, Map};

/// The number of 0.
pub(super) const ZERO: Interned = 0;
/// The number of 1.
pub(super) const ONE: Interned = 1;

/// Interned rationals. Most states share their values with many others, so that most sums have been computed before.
pub(super) struct InternedRationals {
    all: Vec<BigRational>,
    indices: BTreeMap<BigRational, Interned>,
    sums: Map<(WeightedSum, u64), Interned>,
}

/// A cost, and values by number with their weights.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct WeightedSum {
    pub(super) parts: Vec<(Interned, u64)>,
    pub(super) cost: u128,
}

impl Default for InternedRationals {
    fn default() -> Self {
        let mut values = Self { all: Vec::new(), indices: BTreeMap::new(), sums: Map::default() };
        assert_eq!((values.intern(BigRational::zero()), values.intern(BigRational::one())), (ZERO, ONE));
        values
    }
}

impl InternedRationals {
    pub(super) fn intern(&mut self, value: BigRational) -> Interned {
        let all = &mut self.all;
        *self.indices.entry(value).or_insert_with_key(|value| {
            all.push(value.clone());
            all.len() as Interned - 1
        })
    }

    pub(super) fn get(&self, number: Interned) -> &BigRational {
        &self.all[number as usize]
    }

    /// By number.
    pub(super) fn all(&self) -> &[BigRational] {
        &self.all
    }

    /// The number of a sum, divided by `scale`.
    pub(super) fn sum(&mut self, mut sum: WeightedSum, scale: u64) -> Interned {
        sum.parts.retain(|&(value, _)| value != ZERO);
        merge(&mut sum.parts);
        match (&sum.parts[..], sum.cost) {
            ([], 0) => return ZERO,
            (&[(value, weight)], 0) if weight == scale => return value,
            _ => {}
        }
        let key = (sum, scale);
        if let Some(&known) = self.sums.get(&key) {
            return known;
        }
        let mut value = BigRational::from_integer(key.0.cost.into());
        for &(number, weight) in &key.0.parts {
            value += self.get(number) * BigRational::from_integer(weight.into());
        }
        let number = self.intern(value / BigRational::from_integer(scale.into()));
        self.sums.insert(key, number);
        number
    }
}

/// Adds up the weights of equal numbers, and sorts by number.
pub(super) fn merge(parts: &mut Vec<(u32, u64)>) {
    parts.sort_unstable();
    parts.dedup_by(|(later, weight), (earlier, sum)| {
        let same = later == earlier;
        *sum += if same { *weight } else { 0 };
        same
    });
}

/// Divides by the greatest common divisor of all weights and the scale.
pub(super) fn reduce(parts: &mut [(u32, u64)], scale: &mut u64) {
    let common = parts.iter().fold(*scale, |common, &(_, weight)| gcd(common, weight));
    parts.iter_mut().for_each(|(_, weight)| *weight /= common);
    *scale /= common;
}
