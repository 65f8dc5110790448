//! Random streams: ours, frozen and versioned, so that a seed means the same run in every later release.

use alloc::vec::Vec;

use ringleader_model::{ChoicePoint, mix};

/// The version of everything derived from a seed; recorded with every run. A new stream does not change it, since the
/// existing streams stay as they are.
pub const STREAMS_VERSION: u32 = 2;

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The purpose of a draw. Every purpose has a stream of its own at every place. There is no stream 0: it would begin
/// with the seed of [`Random`], and stream 10 keys the [permutation](ringleader_model::Permutation) of identities.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RandomStream {
    /// The delay of the next message sent from a place.
    Delay = 1,
    /// The random choices of a processor.
    Coin = 2,
    /// Whether a message sent from a place is lost or duplicated.
    Fault = 3,
    /// The tick length of a place, drawn once.
    Clock = 4,
    /// The next step's or timer's tick length at a place.
    StepLength = 5,
    /// The offset of a place's first tick.
    Offset = 6,
    /// How long a user stays inside, and outside.
    Workload = 7,
    /// In an untimed run, the next transition: one stream for the whole run, that of place 0.
    Scheduler = 8,
    /// Whether a message comes before or after its receiver's step at the same instant.
    Tie = 9,
}

impl RandomStream {
    /// The choice point of a schedule, if there is one.
    pub(crate) const fn choice_point(self) -> Option<ChoicePoint> {
        match self {
            Self::Delay => Some(ChoicePoint::Delay),
            Self::Coin => Some(ChoicePoint::Coin),
            Self::StepLength => Some(ChoicePoint::StepLength),
            Self::Workload => Some(ChoicePoint::Workload),
            Self::Tie => Some(ChoicePoint::Tie),
            Self::Fault => Some(ChoicePoint::Fault),
            Self::Clock | Self::Offset | Self::Scheduler => None,
        }
    }
}

/// The key of a random stream.
#[inline]
pub(crate) const fn key(seed: u64, stream: RandomStream) -> u64 {
    mix(seed.wrapping_add((stream as u64).wrapping_mul(GOLDEN)))
}

/// The key of the places from `high` · 2^32 on, which [`draw`] numbers from 0. There are that many in causal order only.
#[inline]
pub(crate) const fn key_of_places(key: u64, high: u32) -> u64 {
    if high == 0 { key } else { mix(key ^ mix(high as u64)) }
}

/// The `count`-th draw of a place: output number place · 2^32 + `count` of SplitMix64 seeded with the key. So every
/// place has 2^32 numbers of its own, each computed by one mix from nothing but the count.
#[inline]
pub(crate) const fn draw(key: u64, place: u32, count: u32) -> u64 {
    let index = ((place as u64) << 32 | count as u64).wrapping_add(1);
    mix(key.wrapping_add(index.wrapping_mul(GOLDEN)))
}

/// Maps 64 random bits to `0..bound`.
#[inline]
pub(crate) const fn below(bits: u64, bound: u64) -> u64 {
    ((bits as u128 * bound as u128) >> 64) as u64
}

/// A sequential generator for draws before a run begins (orders, wake sets): xoshiro256++.
#[derive(Clone, Debug)]
pub struct Random([u64; 4]);

impl Random {
    /// Seeds it through SplitMix64, as its authors recommend.
    pub fn new(seed: u64) -> Self {
        Self(core::array::from_fn(|i| draw(seed, 0, i as u32)))
    }

    /// The next 64 bits.
    pub const fn bits(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let shifted = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= shifted;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Uniform in `0..bound`.
    pub const fn below(&mut self, bound: u64) -> u64 {
        below(self.bits(), bound)
    }

    /// Puts a list in random order.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last as u64 + 1) as usize);
        }
    }

    /// `count` different members of `0..n`, in increasing order.
    pub fn sample(&mut self, n: usize, count: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..n).collect();
        self.shuffle(&mut all);
        all.truncate(count);
        all.sort_unstable();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::{RngCore, SeedableRng};
    use ringleader_model::PERMUTATION_STREAM;

    #[test]
    fn the_generators_are_those_of_their_authors() {
        for seed in [0, 1, 42, u64::MAX] {
            let mut theirs = rand_xoshiro::SplitMix64::seed_from_u64(seed);
            for count in 0..100 {
                assert_eq!(draw(seed, 0, count), theirs.next_u64());
            }
            let mut ours = Random::new(seed);
            let mut theirs = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(seed);
            for _ in 0..100 {
                assert_eq!(ours.bits(), theirs.next_u64());
            }
        }
    }

    #[test]
    fn the_mapping_to_a_range_is_frozen() {
        assert_eq!(below(0, 10), 0);
        assert_eq!(below(u64::MAX, 10), 9);
        assert_eq!(below(1 << 63, 10), 5);
        assert_eq!(below((1 << 63) - 1, 10), 4);
    }

    #[test]
    fn every_purpose_and_place_has_a_stream_of_its_own() {
        let mut draws = Vec::new();
        let streams = [
            RandomStream::Delay,
            RandomStream::Coin,
            RandomStream::Fault,
            RandomStream::Clock,
            RandomStream::StepLength,
            RandomStream::Offset,
            RandomStream::Workload,
            RandomStream::Scheduler,
            RandomStream::Tie,
        ];
        for stream in streams {
            assert_ne!(stream as u64, PERMUTATION_STREAM);
            let draw = |index: u32| draw(key(7, stream), index % 100, index / 100);
            draws.extend((0..1000).map(draw));
        }
        draws.sort_unstable();
        draws.dedup();
        assert_eq!(draws.len(), 9000);
    }

    #[test]
    fn places_beyond_32_bits_have_streams_of_their_own() {
        let key = key(7, RandomStream::Delay);
        assert_eq!(key_of_places(key, 0), key);
        let mut draws: Vec<u64> =
            (0..10).flat_map(|high| (0..100).map(move |place| draw(key_of_places(key, high), place, 0))).collect();
        draws.sort_unstable();
        draws.dedup();
        assert_eq!(draws.len(), 1000);
        assert_eq!(key_of_places(1, 1), 0x83EC_686C_1600_460A, "frozen");
    }

    #[test]
    fn every_order_of_three_is_about_equally_likely() {
        let mut random = Random::new(3);
        let mut seen = [0; 6];
        for _ in 0..6000 {
            let mut list = [0, 1, 2];
            random.shuffle(&mut list);
            let index = match list {
                [0, 1, 2] => 0,
                [0, 2, 1] => 1,
                [1, 0, 2] => 2,
                [1, 2, 0] => 3,
                [2, 0, 1] => 4,
                _ => 5,
            };
            seen[index] += 1;
        }
        // 1000 expected, standard deviation 29.
        assert!(seen.iter().all(|count| (880..1120).contains(count)), "{seen:?}");
    }
}
