//! The faults that may still occur, as one entry of the state vector.

use ringleader_model::{AtMost, BadSetting};

use crate::interner::Interned;

/// The faults that a scenario allows. A number encodes how many of each kind are left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FaultBudget {
    most: AtMost,
}

impl FaultBudget {
    /// `None` if no fault is possible.
    pub(crate) fn new(most: AtMost) -> Result<Option<Self>, BadSetting> {
        let AtMost { crashes, losses, duplicates } = most;
        let numbers = [crashes, losses, duplicates]
            .into_iter()
            .try_fold(1u32, |product, most| product.checked_mul(most.checked_add(1)?));
        if numbers.is_none() {
            let wrong = format!("may be {crashes} crashes, {losses} losses and {duplicates} duplicates");
            return Err(BadSetting::new("faults", wrong, "fewer: the state space of this many is too large"));
        }
        Ok((most != AtMost::default()).then_some(Self { most }))
    }

    /// All faults are left.
    pub(crate) fn full(&self) -> Interned {
        self.encode(self.most)
    }

    /// The budget after a crash, if one is possible.
    pub(crate) fn crash(&self, left: Interned) -> Option<Interned> {
        let left = self.decode(left);
        Some(self.encode(AtMost { crashes: left.crashes.checked_sub(1)?, ..left }))
    }

    /// The budget after a message loss, if one is possible.
    pub(crate) fn loss(&self, left: Interned) -> Option<Interned> {
        let left = self.decode(left);
        Some(self.encode(AtMost { losses: left.losses.checked_sub(1)?, ..left }))
    }

    /// The budget after a duplication, if one is possible.
    pub(crate) fn duplicate(&self, left: Interned) -> Option<Interned> {
        let left = self.decode(left);
        Some(self.encode(AtMost { duplicates: left.duplicates.checked_sub(1)?, ..left }))
    }

    fn encode(&self, left: AtMost) -> Interned {
        left.crashes + (self.most.crashes + 1) * (left.losses + (self.most.losses + 1) * left.duplicates)
    }

    fn decode(&self, left: Interned) -> AtMost {
        let (crashes, rest) = (left % (self.most.crashes + 1), left / (self.most.crashes + 1));
        let (losses, duplicates) = (rest % (self.most.losses + 1), rest / (self.most.losses + 1));
        AtMost { crashes, losses, duplicates }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_spent_by_itself() {
        let budget = FaultBudget::new(AtMost { crashes: 1, losses: 2, duplicates: 1 })
            .expect("it is small")
            .expect("it is some");
        let mut left = budget.full();
        for spend in [FaultBudget::loss, FaultBudget::crash, FaultBudget::loss, FaultBudget::duplicate] {
            left = spend(&budget, left).expect("something is left");
        }
        assert_eq!(left, 0);
        assert_eq!(
            [FaultBudget::loss, FaultBudget::crash, FaultBudget::duplicate].map(|spend| spend(&budget, left)),
            [None; 3]
        );
        assert_eq!(FaultBudget::new(AtMost::default()), Ok(None));
        assert!(FaultBudget::new(AtMost { crashes: 1 << 20, losses: 1 << 20, duplicates: 0 }).is_err());
    }
}
