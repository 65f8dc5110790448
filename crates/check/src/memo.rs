//! A hash table from pairs of numbers to numbers, for results that are computed once.

use crate::interner::Interned;

/// An open-addressing hash table with linear probing, at most half full.
pub(crate) struct Memo {
    slots: Vec<(u64, Interned)>,
    /// 64 less the binary logarithm of the number of slots.
    shift: u32,
    len: usize,
}

/// No key: the first number of a pair is that of an interned value, and there are fewer than `u32::MAX` of these.
const FREE: u64 = u64::MAX;

impl Memo {
    pub(crate) fn new() -> Self {
        Self { slots: vec![(FREE, 0); 64], shift: 64 - 6, len: 0 }
    }

    /// The value of a pair.
    #[inline]
    pub(crate) fn get(&self, one: Interned, other: Interned) -> Option<Interned> {
        let key = key(one, other);
        let mut at = self.home(key);
        loop {
            match self.slots[at] {
                (found, value) if found == key => return Some(value),
                (FREE, _) => return None,
                _ => at = (at + 1) & (self.slots.len() - 1),
            }
        }
    }

    /// Inserts a pair that is not in the table.
    pub(crate) fn insert(&mut self, one: Interned, other: Interned, value: Interned) {
        if 2 * (self.len + 1) > self.slots.len() {
            let longer = vec![(FREE, 0); 2 * self.slots.len()];
            let slots = core::mem::replace(&mut self.slots, longer);
            self.shift -= 1;
            for slot in slots.into_iter().filter(|slot| slot.0 != FREE) {
                self.place(slot);
            }
        }
        self.len += 1;
        self.place((key(one, other), value));
    }

    fn place(&mut self, slot: (u64, Interned)) {
        let mut at = self.home(slot.0);
        while self.slots[at].0 != FREE {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.slots[at] = slot;
    }

    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<(u64, Interned)>()
    }

    /// Fibonacci hashing: multiplication by the golden ratio spreads small numbers over the high bits.
    #[inline]
    fn home(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize
    }
}

#[inline]
fn key(one: Interned, other: Interned) -> u64 {
    u64::from(one) << 32 | u64::from(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inserted_pairs_are_found_and_no_others() {
        let mut memo = Memo::new();
        for one in 0..100 {
            for other in 0..100 {
                assert_eq!(memo.get(one, other), None);
                memo.insert(one, other, one * 100 + other);
            }
        }
        for one in 0..100 {
            for other in 0..100 {
                assert_eq!(memo.get(one, other), Some(one * 100 + other));
            }
        }
        assert_eq!(memo.get(100, 0), None);
        assert_eq!(memo.get(0, Interned::MAX), None);
    }
}
