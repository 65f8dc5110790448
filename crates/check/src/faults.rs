//! The faults that may still occur, and the links that are cut, as one entry of the state vector.

use ringleader_model::{AtMost, BadSetting, Place};

use crate::interner::Interned;
use crate::links::LinkTable;

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

/// The pairs of neighbours.
#[derive(Clone, Debug)]
pub(crate) struct NeighbourPairs {
    pub(crate) pairs: Vec<(Place, Place)>,
    /// By link, in the order of the state vector: its pair.
    of_link: Vec<u32>,
    n: usize,
}

impl NeighbourPairs {
    pub(crate) fn new(links: &LinkTable) -> Self {
        let (mut pairs, mut of_link) = (Vec::new(), vec![0; links.count]);
        for (from, out) in links.out_ports() {
            let pair = (from.min(out.to), from.max(out.to));
            let index = pairs.iter().position(|&other| other == pair).unwrap_or_else(|| {
                pairs.push(pair);
                pairs.len() - 1
            });
            of_link[out.at as usize - links.n] = index as u32;
        }
        Self { pairs, of_link, n: links.n }
    }

    /// The pair that the link at an index of the state vector joins.
    pub(crate) fn of_link(&self, at: u32) -> u32 {
        self.of_link[at as usize - self.n]
    }
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

    /// The most faults of each kind.
    pub(crate) fn most(&self) -> AtMost {
        self.most
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

    /// One bit for each pair of neighbours whose link is cut.
    pub(crate) fn cuts(&self, left: Interned) -> u32 {
        if self.may_cut() { self.decode(left).cut } else { 0 }
    }

    /// The budgets after any number of cuts begin and end, for this number of pairs of neighbours. The first is the same.
    pub(crate) fn after_cuts(&self, left: Interned, pairs: usize) -> Vec<Interned> {
        let mut budgets = vec![left];
        for pair in 0..if self.may_cut() { pairs as u32 } else { 0 } {
            let changed = |&left: &Interned| self.heal(left, pair).or_else(|| self.cut(left, pair));
            let after: Vec<_> = budgets.iter().filter_map(changed).collect();
            budgets.extend(after);
        }
        budgets
    }

    /// The faults that are left, but for cuts in force.
    pub(crate) fn counts(&self, left: Interned) -> AtMost {
        self.decode(left).counts
    }

    /// The number of these faults, to be [paid](Self::pay).
    pub(crate) fn price(&self, counts: AtMost) -> Interned {
        self.encode(FaultsLeft { counts, cut: 0 })
    }

    /// The price of as many faults of each kind as the dearer one has.
    pub(crate) fn dearer(&self, price: Interned, other: Interned) -> Interned {
        let (one, other) = (self.decode(price).counts, self.decode(other).counts);
        self.price(AtMost {
            crashes: one.crashes.max(other.crashes),
            losses: one.losses.max(other.losses),
            duplicates: one.duplicates.max(other.duplicates),
            restarts: one.restarts.max(other.restarts),
            cuts: 0,
            pauses: one.pauses.max(other.pauses),
        })
    }

    /// The budget after some faults, given by their price, if all of them are possible.
    pub(crate) fn pay(&self, left: Interned, price: Interned) -> Option<Interned> {
        let (left, price) = (self.decode(left), self.decode(price).counts);
        let counts = AtMost {
            crashes: left.counts.crashes.checked_sub(price.crashes)?,
            losses: left.counts.losses.checked_sub(price.losses)?,
            duplicates: left.counts.duplicates.checked_sub(price.duplicates)?,
            restarts: left.counts.restarts.checked_sub(price.restarts)?,
            cuts: left.counts.cuts,
            pauses: left.counts.pauses.checked_sub(price.pauses)?,
        };
        Some(self.encode(FaultsLeft { counts, ..left }))
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
        let kinds = [FaultBudget::loss, FaultBudget::crash, FaultBudget::duplicate, FaultBudget::restart];
        for spend in [kinds[0], kinds[1], kinds[0], kinds[3], kinds[2]] {
            left = spend(&budget, left).expect("something is left");
        }
        let pause = budget.price(AtMost { pauses: 1, ..AtMost::default() });
        left = budget.pay(left, pause).expect("a pause is left");
        assert_eq!(left, 0);
        assert_eq!(kinds.map(|spend| spend(&budget, left)), [None; 4]);
        assert_eq!(budget.pay(left, pause), None);
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

    /// Prices are paid kind by kind, whatever links are cut; the dearer of two has the more of each kind.
    #[test]
    fn several_faults_are_paid_together() {
        let most = AtMost { crashes: 1, losses: 2, restarts: 1, cuts: 1, ..AtMost::default() };
        let budget = budget(most, 2);
        let of = |crashes, losses| budget.price(AtMost { crashes, losses, ..AtMost::default() });
        let cut = budget.cut(budget.full(), 1).expect("it is possible");
        let left = budget.pay(cut, of(1, 1)).expect("they are possible");
        assert_eq!((budget.pay(left, of(1, 0)), budget.pay(left, of(0, 2))), (None, None));
        assert_eq!(budget.counts(left), AtMost { losses: 1, restarts: 1, ..AtMost::default() });
        assert_eq!((budget.cuts(left), budget.cuts(budget.full())), (0b10, 0));
        assert_eq!(budget.dearer(of(1, 0), of(0, 2)), of(1, 2));
    }

    /// Of two pairs: nothing, one of them or the other; both are one more cut than there are. From one that is cut: it ends, or
    /// does not.
    #[test]
    fn any_cuts_begin_and_end_at_an_instant() {
        let budget = budget(AtMost { cuts: 1, ..AtMost::default() }, 2);
        let cuts = |left| budget.after_cuts(left, 2).into_iter().map(|left| budget.cuts(left)).collect::<Vec<_>>();
        assert_eq!(cuts(budget.full()), [0b00, 0b01, 0b10]);
        let one = budget.cut(budget.full(), 0).expect("it is possible");
        assert_eq!(cuts(one), [0b01, 0b00]);
    }
}
