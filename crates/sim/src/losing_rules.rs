//! The rules by which a processor loses: a set that is asked at every rule that a full run applies.

/// A set of numbers of rules: a bit for each.
#[derive(Clone, Copy)]
pub(crate) struct LosingRules([u64; 4]);

impl LosingRules {
    pub(crate) fn new(numbers: &[u8]) -> Self {
        let mut words = [0; 4];
        for &number in numbers {
            words[usize::from(number >> 6)] |= 1 << (number & 63);
        }
        Self(words)
    }

    #[inline]
    pub(crate) fn contains(&self, number: u8) -> bool {
        self.0[usize::from(number >> 6)] >> (number & 63) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::LosingRules;

    #[test]
    fn a_set_has_its_numbers_and_no_others() {
        let set = LosingRules::new(&[1, 63, 64, 127, 128, 255]);
        let contained: alloc::vec::Vec<u8> = (0..=255).filter(|&number| set.contains(number)).collect();
        assert_eq!(contained, [1, 63, 64, 127, 128, 255]);
    }
}
