//! What was worked out once, found again by two numbers.

use crate::interner::Number;

/// Two numbers, and what was worked out for them. Open addressing, at most half full: what is asked for most lies side by
/// side and is found at the first look.
pub(crate) struct Memo {
    slots: Vec<(u64, Number)>,
    /// How many bits of a scrambled key are too many.
    shift: u32,
    held: usize,
}

/// No pair of numbers: [`Number::MAX`] twice is never asked for.
const FREE: u64 = u64::MAX;

impl Memo {
    pub(crate) fn new() -> Self {
        Self { slots: vec![(FREE, 0); 64], shift: 64 - 6, held: 0 }
    }

    /// What was worked out for two numbers, if it was.
    #[inline]
    pub(crate) fn get(&self, one: Number, other: Number) -> Option<Number> {
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

    /// Keeps what was worked out for two numbers, for which there was nothing yet.
    pub(crate) fn insert(&mut self, one: Number, other: Number, value: Number) {
        if 2 * (self.held + 1) > self.slots.len() {
            let longer = vec![(FREE, 0); 2 * self.slots.len()];
            let slots = core::mem::replace(&mut self.slots, longer);
            self.shift -= 1;
            for slot in slots.into_iter().filter(|slot| slot.0 != FREE) {
                self.place(slot);
            }
        }
        self.held += 1;
        self.place((key(one, other), value));
    }

    fn place(&mut self, slot: (u64, Number)) {
        let mut at = self.home(slot.0);
        while self.slots[at].0 != FREE {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.slots[at] = slot;
    }

    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<(u64, Number)>()
    }

    /// Multiplication by the golden ratio spreads small numbers evenly over the highest bits.
    #[inline]
    fn home(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize
    }
}

#[inline]
fn key(one: Number, other: Number) -> u64 {
    u64::from(one) << 32 | u64::from(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_found_and_nothing_else() {
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
        assert_eq!(memo.get(0, Number::MAX), None);
    }
}
