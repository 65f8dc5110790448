//! What may still fail.

use ringleader_model::{AtMost, BadSetting};

use crate::interner::Number;

/// How much may fail: a number stands for what is left of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Budget {
    most: AtMost,
}

impl Budget {
    /// `None` if nothing may fail.
    pub(crate) fn new(most: AtMost) -> Result<Option<Self>, BadSetting> {
        let AtMost { crashes, losses, duplicates } = most;
        let numbers = [crashes, losses, duplicates]
            .into_iter()
            .try_fold(1u32, |product, most| product.checked_mul(most.checked_add(1)?));
        if numbers.is_none() {
            let wrong = format!("may be {crashes} crashes, {losses} losses and {duplicates} duplicates");
            return Err(BadSetting::new("faults", wrong, "fewer: no space with so many of them ends"));
        }
        Ok((most != AtMost::default()).then_some(Self { most }))
    }

    /// The number for all of it.
    pub(crate) fn whole(&self) -> Number {
        self.number(self.most)
    }

    /// What is left after a crash, if one is.
    pub(crate) fn crash(&self, left: Number) -> Option<Number> {
        let left = self.left(left);
        Some(self.number(AtMost { crashes: left.crashes.checked_sub(1)?, ..left }))
    }

    /// What is left after a loss, if one is.
    pub(crate) fn loss(&self, left: Number) -> Option<Number> {
        let left = self.left(left);
        Some(self.number(AtMost { losses: left.losses.checked_sub(1)?, ..left }))
    }

    /// What is left after a duplicate, if one is.
    pub(crate) fn duplicate(&self, left: Number) -> Option<Number> {
        let left = self.left(left);
        Some(self.number(AtMost { duplicates: left.duplicates.checked_sub(1)?, ..left }))
    }

    fn number(&self, left: AtMost) -> Number {
        left.crashes + (self.most.crashes + 1) * (left.losses + (self.most.losses + 1) * left.duplicates)
    }

    fn left(&self, number: Number) -> AtMost {
        let (crashes, number) = (number % (self.most.crashes + 1), number / (self.most.crashes + 1));
        let (losses, duplicates) = (number % (self.most.losses + 1), number / (self.most.losses + 1));
        AtMost { crashes, losses, duplicates }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_spent_by_itself() {
        let budget =
            Budget::new(AtMost { crashes: 1, losses: 2, duplicates: 1 }).expect("it is small").expect("it is some");
        let mut left = budget.whole();
        for spend in [Budget::loss, Budget::crash, Budget::loss, Budget::duplicate] {
            left = spend(&budget, left).expect("something is left");
        }
        assert_eq!(left, 0);
        assert_eq!([Budget::loss, Budget::crash, Budget::duplicate].map(|spend| spend(&budget, left)), [None; 3]);
        assert_eq!(Budget::new(AtMost::default()), Ok(None));
        assert!(Budget::new(AtMost { crashes: 1 << 20, losses: 1 << 20, duplicates: 0 }).is_err());
    }
}
