//! Message passes by kind, packed into one number, and the costs of runs that are linear in them.
//!
//! A transition carries its [`Passes`]; those of a run are their sum, which is one addition of 128 bits.

use core::ops::{Add, AddAssign};
use std::sync::Arc;

use ringleader_model::{Kind, Part, Quantity};

/// Lanes of 16 bits for counts: all passes first, then up to five groups of kinds.
const LANES: usize = 6;
const LANE_BITS: usize = 16;
/// The groups of kinds that are counted separately.
const GROUPS: usize = LANES - 1;

/// Message passes: all of them, by group of kinds, and their bits. The highest bit of each lane shows that it overflows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Passes(pub(crate) u128);

impl Passes {
    pub(crate) const NONE: Self = Self(0);
    /// The highest bit of each lane; the bits of messages have 32.
    const OVERFLOW: u128 = 0x8000_0000_8000_8000_8000_8000_8000_8000;

    /// One message of a group and a length; lengths beyond a lane overflow.
    pub(crate) fn one(group: usize, bits: u64) -> Self {
        let lane = |index: usize| 1 << (index * LANE_BITS);
        Self(lane(0) | lane(1 + group) | u128::from(bits.min(1 << 31)) << (LANES * LANE_BITS))
    }

    /// All passes.
    #[inline]
    pub(crate) const fn total(self) -> u32 {
        self.0 as u16 as u32
    }

    /// True if some lane is too narrow.
    #[inline]
    pub(crate) const fn overflows(self) -> bool {
        self.0 & Self::OVERFLOW != 0
    }

    /// A hash of some bits, at most 32: multiplicative hashing of both halves.
    #[inline]
    pub(crate) const fn hash(self, bits: u32) -> u32 {
        let low = (self.0 as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let high = ((self.0 >> 64) as u64).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        (low.wrapping_add(high) >> (64 - bits)) as u32
    }

    fn lane(self, index: usize) -> i64 {
        (self.0 >> (index * LANE_BITS)) as u16 as i64
    }

    fn bits(self) -> i64 {
        (self.0 >> (LANES * LANE_BITS)) as i64
    }
}

impl Add for Passes {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }
}

impl AddAssign for Passes {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl From<u32> for Passes {
    /// Passes of no kind in particular.
    fn from(count: u32) -> Self {
        Self(count.into())
    }
}

/// A cost of a run that is a linear function of its message passes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct LinearCost {
    pub(crate) quantity: Quantity,
    coefficients: [i64; LANES],
    /// Of the bits.
    bits: i64,
    /// A run may cost more than its passes say, once phases go beyond the first.
    pub(crate) understated: bool,
}

impl LinearCost {
    /// All message passes.
    pub(crate) const fn messages() -> Self {
        Self::of_lane(Quantity::Messages, 0)
    }

    const fn of_lane(quantity: Quantity, lane: usize) -> Self {
        let mut coefficients = [0; LANES];
        coefficients[lane] = 1;
        Self { quantity, coefficients, bits: 0, understated: false }
    }

    pub(crate) fn of(&self, passes: Passes) -> i64 {
        let counts: i64 = self.coefficients.iter().enumerate().map(|(lane, by)| by * passes.lane(lane)).sum();
        counts + self.bits * passes.bits()
    }

    /// True if no message makes it less.
    pub(crate) fn grows(&self) -> bool {
        self.coefficients.iter().all(|&by| by >= 0)
    }
}

/// The groups into which the kinds of a protocol's messages fall: one for each kind, or, where there are too many, one
/// for each part of a run.
#[derive(Clone, Debug)]
pub(crate) struct KindGroups {
    kinds: Arc<[Kind]>,
}

impl KindGroups {
    pub(crate) fn new(kinds: Vec<Kind>) -> Self {
        Self { kinds: kinds.into() }
    }

    /// The group of a kind.
    pub(crate) fn group(&self, kind: usize) -> usize {
        match self.kinds[kind].part {
            _ if self.kinds.len() <= GROUPS => kind,
            Part::Work => 0,
            Part::Announcement => 1,
            Part::Task => 2,
            Part::Link => 3,
        }
    }

    /// The costs that are linear in the passes of these groups. `understated`: passes have fewer bits than those of a run,
    /// once phases go beyond the first.
    pub(crate) fn costs(&self, differences: &[(&'static str, &'static str)], understated: bool) -> Vec<LinearCost> {
        let mut costs = vec![LinearCost::messages()];
        let parts =
            [(Part::Work, Quantity::Work), (Part::Announcement, Quantity::Announcement), (Part::Task, Quantity::Task)];
        for (part, quantity) in parts {
            let of_part = |kind: &usize| self.kinds[*kind].part == part;
            let groups: Vec<usize> = (0..self.kinds.len()).filter(of_part).map(|kind| self.group(kind)).collect();
            if !groups.is_empty() {
                let mut cost = LinearCost { coefficients: [0; LANES], quantity, bits: 0, understated: false };
                groups.iter().for_each(|group| cost.coefficients[1 + group] = 1);
                costs.push(cost);
            }
        }
        if self.kinds.len() <= GROUPS {
            let named = |name: &str| self.kinds.iter().position(|kind| kind.name == name);
            // A kind without a name is never sent.
            let kinds = self.kinds.iter().enumerate().filter(|(_, kind)| !kind.name.is_empty());
            costs.extend(kinds.map(|(kind, named)| LinearCost::of_lane(Quantity::Kind(named.name), 1 + kind)));
            for &(one, other) in differences {
                if let (Some(plus), Some(minus)) = (named(one), named(other)) {
                    let mut cost = LinearCost::of_lane(Quantity::Difference(one, other), 1 + plus);
                    cost.coefficients[1 + minus] -= 1;
                    costs.push(cost);
                }
            }
        }
        costs.push(LinearCost { quantity: Quantity::Bits, coefficients: [0; LANES], bits: 1, understated });
        costs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: &[Kind] = &[Kind::work("ask"), Kind::work("answer"), Kind::announcement("over")];

    fn value(costs: &[LinearCost], quantity: Quantity, passes: Passes) -> Option<i64> {
        costs.iter().find(|cost| cost.quantity == quantity).map(|cost| cost.of(passes))
    }

    #[test]
    fn passes_add_up_by_kind_and_in_bits() {
        let groups = KindGroups::new(KINDS.to_vec());
        let passes = [(0, 3), (0, 4), (1, 70_000), (2, 1)]
            .iter()
            .fold(Passes::NONE, |sum, &(kind, bits)| sum + Passes::one(groups.group(kind), bits));
        let costs = groups.costs(&[("answer", "ask")], false);
        let of = |quantity| value(&costs, quantity, passes);
        assert_eq!((passes.total(), of(Quantity::Messages)), (4, Some(4)));
        assert_eq!([of(Quantity::Work), of(Quantity::Announcement), of(Quantity::Task)], [Some(3), Some(1), None]);
        assert_eq!(["ask", "answer", "over"].map(|kind| of(Quantity::Kind(kind))), [Some(2), Some(1), Some(1)]);
        assert_eq!(of(Quantity::Difference("answer", "ask")), Some(-1));
        assert_eq!(of(Quantity::Bits), Some(70_008));
        let grows = |quantity| costs.iter().find(|cost| cost.quantity == quantity).map(LinearCost::grows);
        assert_eq!(grows(Quantity::Bits), Some(true));
        assert_eq!(grows(Quantity::Difference("answer", "ask")), Some(false));
    }

    #[test]
    fn more_kinds_than_lanes_are_counted_by_part() {
        const MANY: &[Kind] = &[
            Kind::work("a"),
            Kind::work("b"),
            Kind::work("c"),
            Kind::work("d"),
            Kind::announcement("e"),
            Kind::task("f"),
        ];
        let groups = KindGroups::new(MANY.to_vec());
        let passes = (0..6).fold(Passes::NONE, |sum, kind| sum + Passes::one(groups.group(kind), 1));
        let costs = groups.costs(&[("a", "b")], true);
        let of = |quantity| value(&costs, quantity, passes);
        assert_eq!([of(Quantity::Work), of(Quantity::Announcement), of(Quantity::Task)], [Some(4), Some(1), Some(1)]);
        assert_eq!([of(Quantity::Kind("a")), of(Quantity::Difference("a", "b"))], [None; 2]);
        assert!(costs.iter().all(|cost| cost.understated == (cost.quantity == Quantity::Bits)));
    }

    #[test]
    fn a_lane_that_is_too_narrow_shows() {
        let mut passes = Passes::NONE;
        for count in 0..1 << 15 {
            assert!(!passes.overflows(), "{count}");
            passes += Passes::one(4, 1);
        }
        assert!(passes.overflows() && passes.total() == 1 << 15);
        assert!(Passes::one(0, u64::MAX).overflows() && !Passes::one(0, (1 << 31) - 1).overflows());
    }
}
