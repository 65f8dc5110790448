use core::iter::FusedIterator;

use crate::mix;

/// A permutation of `0..n` that is keyed by a seed and computed place by place, without a list: the order of identities on
/// rings for which a list is too long.
///
/// The least number of bits that holds all values is scrambled by rounds of an addition, a multiplication by an odd number and
/// an exclusive or of the lower half with the upper one, which are bijections; a result that is not below `n` is scrambled
/// again, until it is (cycle walking), less than once on average. It is frozen, as random streams are: it is the same in every
/// release. Like them, it is not cryptography.
///
/// ```
/// use ringleader_model::Permutation;
///
/// let permutation = Permutation::new(10, 1);
/// let mut values: Vec<u64> = permutation.clone().values_from(0).collect();
/// assert_eq!(values[7], permutation.at(7));
/// values.sort_unstable();
/// assert_eq!(values, (0..10).collect::<Vec<u64>>());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Permutation {
    n: u64,
    mask: u64,
    half: u32,
    rounds: [Round; ROUNDS_OF_FEW],
    /// The number of rounds that are made.
    count: usize,
}

/// What is added, and the odd number by which is multiplied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Round {
    added: u64,
    factor: u64,
}

/// The number of the random stream that its key comes from: those of a run have other ones.
pub const PERMUTATION_STREAM: u64 = 10;

/// Enough for neighbours, maxima and records to be as in a permutation drawn from all.
const ROUNDS: usize = 5;
/// Few bits are mixed by few bits, and need more rounds.
const ROUNDS_OF_FEW: usize = 24;
const FEW: u64 = 1 << 16;
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

impl Permutation {
    /// The permutation of `0..n` that belongs to a seed; `n` is at least 1.
    pub fn new(n: u64, seed: u64) -> Self {
        let bits = u64::BITS - n.saturating_sub(1).leading_zeros();
        // Rings of other sizes with the same seed have nothing in common.
        let key = mix(mix(seed.wrapping_add(PERMUTATION_STREAM.wrapping_mul(GOLDEN))) ^ n);
        let drawn = |index: usize| mix(key.wrapping_add((index as u64 + 1).wrapping_mul(GOLDEN)));
        let round = |index| Round { added: drawn(2 * index), factor: drawn(2 * index + 1) | 1 };
        Self {
            n,
            mask: u64::MAX.checked_shr(u64::BITS - bits).unwrap_or(0),
            half: bits.div_ceil(2).max(1),
            rounds: core::array::from_fn(round),
            count: if n <= FEW { ROUNDS_OF_FEW } else { ROUNDS },
        }
    }

    /// The value at an index below `n`.
    pub fn at(&self, index: u64) -> u64 {
        let mut value = [index];
        self.apply(&mut value);
        value[0]
    }

    /// The values from an index on, in the order of their indices.
    pub fn values_from(self, first: u64) -> PermutedValues {
        PermutedValues { next: first, block: [0; BLOCK], taken: 0, filled: 0, permutation: self }
    }

    /// Replaces at most a block of indices, which are below `n`, by their values.
    fn apply(&self, values: &mut [u64]) {
        self.scramble(values);
        // Those that have to be scrambled again, and where they belong. They are gathered without branches, which nothing
        // could predict.
        let (mut outside, mut places, mut count) = ([0; BLOCK], [0u8; BLOCK], 0);
        for (place, &value) in (0..).zip(&*values) {
            (outside[count], places[count]) = (value, place);
            count += usize::from(value >= self.n);
        }
        while count > 0 {
            self.scramble(&mut outside[..count]);
            let mut left = 0;
            for index in 0..count {
                let (value, place) = (outside[index], places[index]);
                values[usize::from(place)] = value;
                (outside[left], places[left]) = (value, place);
                left += usize::from(value >= self.n);
            }
            count = left;
        }
    }

    /// Scrambles several numbers at once: the rounds of one have to wait for each other, those of different ones do not.
    fn scramble(&self, values: &mut [u64]) {
        for Round { added, factor } in &self.rounds[..self.count] {
            for value in &mut *values {
                *value = value.wrapping_add(*added).wrapping_mul(*factor) & self.mask;
                *value ^= *value >> self.half;
            }
        }
    }
}

/// Values are computed in blocks of this number.
const BLOCK: usize = 128;

/// The values of a permutation from an index on.
#[derive(Clone, Debug)]
pub struct PermutedValues {
    permutation: Permutation,
    /// The index of the first value behind the block.
    next: u64,
    block: [u64; BLOCK],
    /// The number of values in the block that were taken, and in all.
    taken: usize,
    filled: usize,
}

impl PermutedValues {
    /// Computes the next block; false if there is none.
    fn fill(&mut self) -> bool {
        let left = self.permutation.n.saturating_sub(self.next);
        let length = left.min(BLOCK as u64);
        (self.taken, self.filled) = (0, length as usize);
        let block = &mut self.block[..self.filled];
        (self.next..).zip(&mut *block).for_each(|(index, value)| *value = index);
        self.permutation.apply(block);
        self.next += length;
        length > 0
    }
}

impl Iterator for PermutedValues {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        if self.taken == self.filled && !self.fill() {
            return None;
        }
        self.taken += 1;
        Some(self.block[self.taken - 1])
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.permutation.n.saturating_sub(self.next).saturating_add((self.filled - self.taken) as u64);
        let left = usize::try_from(left);
        (left.unwrap_or(usize::MAX), left.ok())
    }
}

impl FusedIterator for PermutedValues {}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    /// The same by its definition, in numbers that do not overflow.
    fn defined(n: u64, seed: u64, index: u64) -> u64 {
        let modulus = 1u128 << (0..).find(|bits| 1u128 << bits >= u128::from(n)).unwrap();
        let bits = modulus.trailing_zeros();
        let finalised = |z: u128| {
            let word = 1u128 << 64;
            let z = (z ^ (z >> 30)) * 0xBF58_476D_1CE4_E5B9 % word;
            let z = (z ^ (z >> 27)) * 0x94D0_49BB_1331_11EB % word;
            z ^ (z >> 31)
        };
        let golden = 0x9E37_79B9_7F4A_7C15u128;
        let word = 1u128 << 64;
        let key = finalised(finalised((u128::from(seed) + 10 * golden) % word) ^ u128::from(n));
        let draws: Vec<u128> = (1..=48).map(|count| finalised((key + count * golden) % word)).collect();
        let rounds = if n <= 65_536 { 24 } else { 5 };
        let mut value = u128::from(index);
        loop {
            for round in 0..rounds {
                let sum = (value + draws[2 * round]) % modulus;
                value = sum * ((draws[2 * round + 1] | 1) % modulus) % modulus;
                value ^= value >> bits.div_ceil(2).max(1);
            }
            if value < u128::from(n) {
                return value as u64;
            }
        }
    }

    fn values(n: u64, seed: u64) -> Vec<u64> {
        Permutation::new(n, seed).values_from(0).collect()
    }

    #[test]
    fn it_is_frozen() {
        assert_eq!(values(10, 1), [4, 9, 7, 6, 3, 8, 5, 0, 1, 2]);
        assert_eq!(values(10, 2), [6, 2, 4, 1, 5, 7, 3, 8, 9, 0]);
        let at = |n, index| Permutation::new(n, 1).at(index);
        assert_eq!([0, 1, 999_999].map(|index| at(1_000_000, index)), [447_217, 698_567, 895_331]);
        let far = (1 << 32) - 1;
        assert_eq!(
            [0, far, far + 1, 9_999_999_999].map(|index| at(10_000_000_000, index)),
            [4_054_990_308, 3_517_039_947, 6_019_237_613, 1_990_053_462]
        );
        assert_eq!(
            [0, 1 << 63, u64::MAX - 1].map(|index| at(u64::MAX, index)),
            [7_998_343_434_402_091_313, 337_760_722_324_247_268, 10_720_021_573_644_064_392]
        );
    }

    #[test]
    fn every_value_appears_once() {
        let sizes = (1..300).chain([1000, 1023, 1024, 1025, 65_535, 65_536, 65_537, 100_000, 131_073]);
        for (n, seed) in sizes.flat_map(|n| [0, 1, u64::MAX - n].map(|seed| (n, seed))) {
            let mut seen = vec![false; n as usize];
            for value in values(n, seed) {
                assert!(!core::mem::replace(&mut seen[value as usize], true), "{value} twice: n {n}, seed {seed}");
            }
            assert!(seen.into_iter().all(|seen| seen), "n {n}, seed {seed}");
        }
    }

    proptest! {
        #[test]
        fn it_is_as_defined(n in 1u64.., small in 1u64..3000, seed: u64, share: u64) {
            for n in [n, n >> (share % 64), small] {
                let n = n.max(1);
                let first = ((u128::from(share) * u128::from(n)) >> 64) as u64;
                let permutation = Permutation::new(n, seed);
                let expected: Vec<u64> = (first..n).take(300).map(|index| defined(n, seed, index)).collect();
                prop_assert_eq!(permutation.at(first), expected[0]);
                let found: Vec<u64> = permutation.values_from(first).take(300).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn every_order_of_four_is_about_equally_likely() {
        let mut counts = [0u32; 256];
        for seed in 0..24_000 {
            counts[values(4, seed).into_iter().fold(0, |code, value| code << 2 | value as usize)] += 1;
        }
        let counts: Vec<u32> = counts.into_iter().filter(|&count| count > 0).collect();
        // 1000 expected, standard deviation 31.
        assert!(counts.len() == 24 && counts.iter().all(|count| (870..1130).contains(count)), "{counts:?}");
    }

    /// Local maxima, and ascents of four, are as frequent as in a random permutation: a third and 1/24.
    #[test]
    fn neighbours_are_independent() {
        for n in [100, 65_536, 65_537, 200_000u64] {
            let (mut maxima, mut ascents) = (0, 0);
            let seeds = 2_000_000 / n;
            for seed in 0..seeds {
                let values = values(n, seed);
                maxima += values.windows(3).filter(|three| three[1] > three[0].max(three[2])).count() as u64;
                ascents += values.windows(4).filter(|four| four.is_sorted()).count() as u64;
            }
            let (triples, quadruples) = (seeds * (n - 2), seeds * (n - 3));
            // Standard deviations: 0.21 and 0.23 times the root of the number of places, about 300 and 320.
            assert!(maxima.abs_diff(triples / 3) < 1200, "{maxima} of {triples}");
            assert!(ascents.abs_diff(quadruples / 24) < 1300, "{ascents} of {quadruples}");
        }
    }
}
