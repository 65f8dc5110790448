use core::hash::{Hash, Hasher};

use crate::mix;

/// The version of recorded runs and of their [digest](run_digest).
pub const TRACE_VERSION: u32 = 2;

/// The digest of a run: the sum of the hash chains of its places, each mixed with its place.
///
/// Steps of one place enter its chain in order; steps of different places commute. The digest therefore depends on what
/// every processor experienced, and not on the order in which an engine executed independent steps.
///
/// ```
/// use ringleader_model::{TraceHash, run_digest};
///
/// let chain = |words: &[u64]| {
///     let mut chain = TraceHash::new();
///     words.iter().for_each(|word| chain.add(word));
///     chain
/// };
/// let [one, other] = [chain(&[1, 2]), chain(&[2, 1])];
/// assert_ne!(run_digest([one, other]), run_digest([other, one]), "who did what matters, and in which order");
/// ```
pub fn run_digest(chains: impl IntoIterator<Item = TraceHash>) -> u64 {
    run_digest_of((0..).zip(chains))
}

/// The part of a run's [digest](run_digest) that these places make up: parts of different places are added, modulo 2^64.
pub fn run_digest_of(chains: impl IntoIterator<Item = (u64, TraceHash)>) -> u64 {
    let mixed = |(place, chain): (u64, TraceHash)| mix(chain.get() ^ mix(place + 1));
    chains.into_iter().map(mixed).fold(0, u64::wrapping_add)
}

/// The hash chain of one processor's steps: every step with its time and its event, in order.
///
/// Frozen: the same on every machine, in debug and release, for 32- and 64-bit targets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TraceHash(u64);

impl TraceHash {
    /// Nothing has happened.
    pub const fn new() -> Self {
        Self(0x52_49_4E_47_4C_45_41_44)
    }

    /// Takes in one thing.
    pub fn add(&mut self, thing: &impl Hash) {
        thing.hash(self);
    }

    /// The digest so far.
    pub const fn get(self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }

    #[inline]
    fn word(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

impl Default for TraceHash {
    fn default() -> Self {
        Self::new()
    }
}

impl Hasher for TraceHash {
    fn finish(&self) -> u64 {
        self.get()
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
        self.word(bytes.len() as u64);
    }

    // Every integer enters as one word of its value, whatever the width and byte order of the machine.
    fn write_u8(&mut self, i: u8) {
        self.word(u64::from(i));
    }
    fn write_u16(&mut self, i: u16) {
        self.word(u64::from(i));
    }
    fn write_u32(&mut self, i: u32) {
        self.word(u64::from(i));
    }
    fn write_u64(&mut self, i: u64) {
        self.word(i);
    }
    fn write_u128(&mut self, i: u128) {
        self.word(i as u64);
        self.word((i >> 64) as u64);
    }
    fn write_usize(&mut self, i: usize) {
        self.word(i as u64);
    }
    fn write_i8(&mut self, i: i8) {
        self.word(i as u64);
    }
    fn write_i16(&mut self, i: i16) {
        self.word(i as u64);
    }
    fn write_i32(&mut self, i: i32) {
        self.word(i as u64);
    }
    fn write_i64(&mut self, i: i64) {
        self.word(i as u64);
    }
    fn write_i128(&mut self, i: i128) {
        self.write_u128(i as u128);
    }
    fn write_isize(&mut self, i: isize) {
        self.word(i as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn width_does_not_matter_but_order_and_value_do() {
        let of = |things: &[&dyn Fn(&mut TraceHash)]| {
            let mut hash = TraceHash::new();
            for thing in things {
                thing(&mut hash);
            }
            hash.get()
        };
        assert_eq!(of(&[&|h| h.add(&5u8)]), of(&[&|h| h.add(&5usize)]));
        assert_ne!(of(&[&|h| h.add(&5u8)]), of(&[&|h| h.add(&6u8)]));
        assert_ne!(of(&[&|h| h.add(&1u8), &|h| h.add(&2u8)]), of(&[&|h| h.add(&2u8), &|h| h.add(&1u8)]));
    }
}
