//! The faults that may still occur, and the links that are cut, as one entry of the state vector.

use ringleader_model::{AtMost, BadSetting};

use crate::interner::Interned;

/// The faults that a scenario allows. A number encodes how many of each kind are left, and for each pair of neighbours whether
/// their link is cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FaultBudget {
    most: AtMost,
}

/// The faults that are left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct FaultsLeft {
    counts: AtMost,
    /// One bit for each pair of neighbours whose link is cut.
    cut: u32,
}

impl FaultBudget {
    /// `None` if no fault is possible. `pairs`: the number of pairs of neighbours.
    pub(crate) fn new(most: AtMost, pairs: usize) -> Result<Option<Self>, BadSetting> {
        let budget = Self { most };
        let pairs = if most.cuts > 0 { pairs as u32 } else { 0 };
        let numbers = budget.radices().into_iter().try_fold(1u32, |product, radix| product.checked_mul(radix?));
        if numbers.and_then(|numbers| numbers.checked_mul(1u32.checked_shl(pairs)?)).is_none() {
            let kinds = most.kinds().into_iter().filter(|(_, count)| *count > 0);
            let kinds: Vec<_> = kinds.map(|(kind, count)| format!("{kind}:{count}")).collect();
            let wrong = format!("may be {}", kinds.join(", "));
            return Err(BadSetting::new("faults", wrong, "fewer: the state space of this many is too large"));
        }
        Ok((!budget.most.is_nothing()).then_some(budget))
    }

    /// One more than the most of each kind.
    fn radices(&self) -> [Option<u32>; 6] {
        let AtMost { crashes, losses, duplicates, restarts, cuts, pauses } = self.most;
        [crashes, losses, duplicates, restarts, cuts, pauses].map(|most| most.checked_add(1))
    }

    /// All faults are left.
    pub(crate) fn full(&self) -> Interned {
        self.encode(FaultsLeft { counts: self.most, cut: 0 })
    }

    /// Processors may restart, so that one that has crashed is only down.
    pub(crate) fn may_restart(&self) -> bool {
        self.most.restarts > 0
    }

    /// Links may be cut.
    pub(crate) fn may_cut(&self) -> bool {
        self.most.cuts > 0
    }

    /// The budget after a crash, if one is possible.
    pub(crate) fn crash(&self, left: Interned) -> Option<Interned> {
        self.spend(left, |left| &mut left.crashes)
    }

    /// The budget after a message loss, if one is possible.
    pub(crate) fn loss(&self, left: Interned) -> Option<Interned> {
        self.spend(left, |left| &mut left.losses)
    }

    /// The budget after a duplication, if one is possible.
    pub(crate) fn duplicate(&self, left: Interned) -> Option<Interned> {
        self.spend(left, |left| &mut left.duplicates)
    }

    /// The budget after a restart, if one is possible.
    pub(crate) fn restart(&self, left: Interned) -> Option<Interned> {
        self.spend(left, |left| &mut left.restarts)
    }

    /// The budget after a pause, if one is possible.
    pub(crate) fn pause(&self, left: Interned) -> Option<Interned> {
        self.spend(left, |left| &mut left.pauses)
    }

    /// The budget after the link of a pair of neighbours is cut, if that is possible.
    pub(crate) fn cut(&self, left: Interned, pair: u32) -> Option<Interned> {
        let left = self.decode(self.spend(left, |left| &mut left.cuts)?);
        (left.cut >> pair & 1 == 0).then(|| self.encode(FaultsLeft { cut: left.cut | 1 << pair, ..left }))
    }

    /// The budget after the cut of a pair of neighbours ends, if there is one.
    pub(crate) fn heal(&self, left: Interned, pair: u32) -> Option<Interned> {
        let left = self.decode(left);
        (left.cut >> pair & 1 == 1).then(|| self.encode(FaultsLeft { cut: left.cut & !(1 << pair), ..left }))
    }

    /// True if the link of a pair of neighbours is cut.
    pub(crate) fn is_cut(&self, left: Interned, pair: u32) -> bool {
        self.may_cut() && self.decode(left).cut >> pair & 1 == 1
    }

    fn spend(&self, left: Interned, kind: impl Fn(&mut AtMost) -> &mut u32) -> Option<Interned> {
        let mut left = self.decode(left);
        let count = kind(&mut left.counts);
        *count = count.checked_sub(1)?;
        Some(self.encode(left))
    }

    fn encode(&self, FaultsLeft { counts, cut }: FaultsLeft) -> Interned {
        let AtMost { crashes, losses, duplicates, restarts, cuts, pauses } = counts;
        let digits = [crashes, losses, duplicates, restarts, cuts, pauses];
        digits.into_iter().zip(self.radices()).rev().fold(cut, |sum, (digit, radix)| sum * radix.unwrap_or(1) + digit)
    }

    fn decode(&self, left: Interned) -> FaultsLeft {
        let mut rest = left;
        let [crashes, losses, duplicates, restarts, cuts, pauses] = self.radices().map(|radix| {
            let digit = rest % radix.unwrap_or(1);
            rest /= radix.unwrap_or(1);
            digit
        });
        FaultsLeft { counts: AtMost { crashes, losses, duplicates, restarts, cuts, pauses }, cut: rest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(most: AtMost, pairs: usize) -> FaultBudget {
        FaultBudget::new(most, pairs).expect("it is small").expect("it is some")
    }

    #[test]
    fn each_kind_is_spent_by_itself() {
        let budget =
            budget(AtMost { crashes: 1, losses: 2, duplicates: 1, restarts: 1, pauses: 1, ..AtMost::default() }, 9);
        let mut left = budget.full();
        let kinds =
            [FaultBudget::loss, FaultBudget::crash, FaultBudget::duplicate, FaultBudget::restart, FaultBudget::pause];
        for spend in [kinds[0], kinds[1], kinds[4], kinds[0], kinds[3], kinds[2]] {
            left = spend(&budget, left).expect("something is left");
        }
        assert_eq!(left, 0);
        assert_eq!(kinds.map(|spend| spend(&budget, left)), [None; 5]);
        assert_eq!(FaultBudget::new(AtMost::default(), 9), Ok(None));
        let many = AtMost { crashes: 1 << 20, losses: 1 << 20, ..AtMost::default() };
        assert!(FaultBudget::new(many, 0).is_err());
    }

    #[test]
    fn a_link_is_cut_until_its_cut_ends() {
        let budget = budget(AtMost { cuts: 2, losses: 1, ..AtMost::default() }, 3);
        let one = budget.cut(budget.full(), 2).expect("it is possible");
        assert_eq!([0, 1, 2].map(|pair| budget.is_cut(one, pair)), [false, false, true]);
        assert_eq!((budget.cut(one, 2), budget.heal(one, 1)), (None, None));
        let none = budget.heal(one, 2).expect("it is cut");
        assert!(!budget.is_cut(none, 2) && none != budget.full());
        let both = budget.cut(one, 0).and_then(|left| budget.loss(left)).expect("it is possible");
        assert_eq!((budget.cut(both, 1), budget.loss(both)), (None, None));
        assert_eq!(budget.heal(both, 0).and_then(|left| budget.heal(left, 2)), Some(0));
        assert!(FaultBudget::new(AtMost { cuts: 1, ..AtMost::default() }, 31).is_err());
    }
}
