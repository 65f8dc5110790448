//! Exact sums of what runs cost.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// The distribution of a quantity over many runs, in integers.
///
/// ```
/// use ringleader_exact::ExactDistribution;
///
/// let (mut all, mut others) = (ExactDistribution::default(), ExactDistribution::default());
/// all.add(7, 0);
/// all.add(9, 1);
/// others.add(9, 2);
/// all.merge(&others);
/// assert_eq!((all.count, all.sum, all.squares), (3, 25, 211));
/// assert_eq!(all.histogram().collect::<Vec<_>>(), [(7, 1), (9, 2)]);
/// assert_eq!(all.max.map(|max| (max.value, max.index)), Some((9, 1)));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ExactDistribution {
    /// The number of runs.
    pub count: u64,
    /// The sum of their values.
    pub sum: u128,
    /// The sum of the squares of their values.
    pub squares: u128,
    /// The least value, and the first run that has it.
    pub min: Option<Attained>,
    /// The greatest value, and the first run that has it.
    pub max: Option<Attained>,
    /// By value, how many runs have it.
    frequent: Vec<u64>,
    /// The same of values that are too great for a list.
    great: BTreeMap<u64, u64>,
}

/// A value, and the number of the first run that has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attained {
    /// The value.
    pub value: u64,
    /// The number of the run.
    pub index: u64,
}

/// Greater values have no place in a list.
const LISTED: u64 = 1 << 14;

impl ExactDistribution {
    /// Takes in the value of the run of this number.
    #[inline]
    pub fn add(&mut self, value: u64, index: u64) {
        let attained = Attained { value, index };
        self.count += 1;
        self.sum += u128::from(value);
        self.squares += u128::from(value) * u128::from(value);
        match self.frequent.get_mut(value as usize) {
            Some(count) => *count += 1,
            None => self.count_new(value, 1),
        }
        // Most runs are no extremes.
        if self.min.is_none_or(|min| (value, index) < (min.value, min.index)) {
            self.min = Some(attained);
        }
        if self.max.is_none_or(|max| value > max.value || value == max.value && index < max.index) {
            self.max = Some(attained);
        }
    }

    /// Of values and how many runs have each, with the first runs that have the least and the greatest; `None` if these are not
    /// the least and the greatest.
    pub fn from_histogram(histogram: impl Iterator<Item = (u64, u64)>, min: Attained, max: Attained) -> Option<Self> {
        let mut all = Self { min: Some(min), max: Some(max), ..Self::default() };
        for (value, runs) in histogram {
            all.count += runs;
            all.sum += u128::from(value) * u128::from(runs);
            all.squares += u128::from(value) * u128::from(value) * u128::from(runs);
            all.count_new(value, runs);
        }
        let ends =
            all.histogram().next().zip(all.histogram().last()).map(|((least, _), (greatest, _))| (least, greatest));
        (ends == Some((min.value, max.value))).then_some(all)
    }

    /// Of so many runs, at least one, that all have the value 0.
    pub fn constant_zero(runs: u64) -> Self {
        let first = Some(Attained { value: 0, index: 0 });
        let mut all = Self { count: runs, min: first, max: first, ..Self::default() };
        all.count_new(0, runs);
        all
    }

    /// Takes in the runs of another; the result is the same in whatever order they are taken.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
        for (value, runs) in other.histogram() {
            self.count_new(value, runs);
        }
        let least =
            |one: Attained, two: Attained| if (two.value, two.index) < (one.value, one.index) { two } else { one };
        let greatest = |one: Attained, two: Attained| match two.value.cmp(&one.value) {
            core::cmp::Ordering::Less => one,
            core::cmp::Ordering::Equal if one.index <= two.index => one,
            _ => two,
        };
        self.min = self.min.into_iter().chain(other.min).reduce(least);
        self.max = self.max.into_iter().chain(other.max).reduce(greatest);
    }

    /// Each value that some run has, in order, and how many have it.
    pub fn histogram(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let frequent = (0..).zip(self.frequent.iter().copied()).filter(|(_, runs)| *runs > 0);
        frequent.chain(self.great.iter().map(|(value, runs)| (*value, *runs)))
    }

    #[cold]
    fn count_new(&mut self, value: u64, runs: u64) {
        if value >= LISTED {
            *self.great.entry(value).or_default() += runs;
            return;
        }
        let room = value as usize + 1;
        if self.frequent.len() < room {
            self.frequent.resize(room, 0);
        }
        self.frequent[value as usize] += runs;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that are neither sorted nor distinct, some of them beyond the list.
    const VALUES: [u64; 9] = [5, 2, 9, LISTED + 3, 2, 9, LISTED - 1, LISTED + 3, 2];

    fn of(indices: impl Iterator<Item = usize>) -> ExactDistribution {
        let mut distribution = ExactDistribution::default();
        indices.for_each(|index| distribution.add(VALUES[index], index as u64));
        distribution
    }

    #[test]
    fn it_does_not_matter_who_adds_what_first() {
        let all = of(0..9);
        for cut in 0..=9 {
            let (mut low, mut high) = (of(0..cut), of(cut..9));
            let first = low.clone();
            low.merge(&high);
            high.merge(&first);
            assert_eq!(low.histogram().collect::<Vec<_>>(), all.histogram().collect::<Vec<_>>());
            for merged in [&low, &high] {
                assert_eq!((merged.count, merged.sum, merged.squares), (all.count, all.sum, all.squares));
                assert_eq!((merged.min, merged.max), (all.min, all.max));
            }
        }
        let backwards = of((0..9).rev());
        assert_eq!((backwards.min, backwards.max), (all.min, all.max));
        assert_eq!(all.min, Some(Attained { value: 2, index: 1 }), "the first that has it");
        assert_eq!(all.max, Some(Attained { value: LISTED + 3, index: 3 }));
        let histogram: Vec<_> = all.histogram().collect();
        assert_eq!(histogram, [(2, 3), (5, 1), (9, 2), (LISTED - 1, 1), (LISTED + 3, 2)]);
    }
}
