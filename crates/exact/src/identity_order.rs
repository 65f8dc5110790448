//! Orders of identities, and their ranks.

use crate::MOST;

/// Whether orders that a rotation maps to each other are one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rotations {
    /// They are: the greatest identity is at place 0, and there are (n-1)! orders.
    Equal,
    /// They are not: there are n! orders.
    Distinct,
}

impl Rotations {
    /// The number of places whose identity is fixed.
    const fn fixed(self) -> usize {
        match self {
            Self::Equal => 1,
            Self::Distinct => 0,
        }
    }

    /// The number of orders of `n` identities, 1 to [`MOST`].
    pub const fn orders(self, n: usize) -> u64 {
        assert!(1 <= n && n <= MOST, "a ring is small");
        factorial(n - self.fixed())
    }
}

const fn factorial(n: usize) -> u64 {
    // 16! is less than 2^45.
    let (mut product, mut factor) = (1, 2);
    while factor <= n {
        product *= factor as u64;
        factor += 1;
    }
    product
}

/// An order of the identities 1 to n, clockwise from place 0. Ranks follow the lexicographic order.
///
/// ```
/// use ringleader_exact::{IdentityOrder, Rotations};
///
/// let mut order = IdentityOrder::unrank(4, Rotations::Equal, 0);
/// assert_eq!(order.ids(), [4, 1, 2, 3]);
/// assert!(order.advance());
/// assert_eq!((order.ids(), order.rank()), (&[4, 1, 3, 2][..], 1));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IdentityOrder {
    ids: [u8; MOST],
    n: usize,
    rotations: Rotations,
}

impl IdentityOrder {
    /// The order of this rank, less than [`Rotations::orders`], among those of `n` identities.
    pub fn unrank(n: usize, rotations: Rotations, rank: u64) -> Self {
        assert!(rank < rotations.orders(n), "there is no order of rank {rank} of {n} identities");
        let mut order = Self { ids: [0; MOST], n, rotations };
        for (id, place) in (1..).zip(&mut order.ids[..n]) {
            *place = id;
        }
        let fixed = rotations.fixed();
        order.ids[..n].rotate_right(fixed);
        let mut rest = rank;
        for place in fixed..n {
            let others = factorial(n - 1 - place);
            // The rest is sorted: the identity that comes next moves to the front of it.
            let chosen = place + (rest / others) as usize;
            order.ids[place..=chosen].rotate_right(1);
            rest %= others;
        }
        order
    }

    /// Goes on to the order of the next rank; false after the last one, which stays.
    #[inline]
    pub fn advance(&mut self) -> bool {
        let free = &mut self.ids[self.rotations.fixed()..self.n];
        // The longest descending end has no successor: the identity before it is exchanged for the next greater in it.
        let Some(before) = free.windows(2).rposition(|pair| pair[0] < pair[1]) else { return false };
        let next = free.iter().rposition(|id| *id > free[before]).expect("the one behind it is greater");
        free.swap(before, next);
        free[before + 1..].reverse();
        true
    }

    /// Its rank.
    pub fn rank(&self) -> u64 {
        let free = &self.ids[self.rotations.fixed()..self.n];
        let smaller_behind = |place: usize| free[place + 1..].iter().filter(|id| **id < free[place]).count() as u64;
        (0..free.len()).map(|place| smaller_behind(place) * factorial(free.len() - 1 - place)).sum()
    }

    /// The identities, clockwise.
    #[inline]
    pub fn ids(&self) -> &[u8] {
        &self.ids[..self.n]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn ranks_count_the_orders_one_by_one() {
        for rotations in [Rotations::Equal, Rotations::Distinct] {
            for n in 1..=7 {
                let mut order = IdentityOrder::unrank(n, rotations, 0);
                let mut seen = Vec::new();
                loop {
                    assert_eq!(order.rank(), seen.len() as u64);
                    assert_eq!(IdentityOrder::unrank(n, rotations, order.rank()), order);
                    assert!(
                        rotations == Rotations::Distinct || order.ids()[0] == n as u8,
                        "the greatest is at place 0"
                    );
                    seen.push(order.ids().to_vec());
                    if !order.advance() {
                        break;
                    }
                }
                assert_eq!(seen.len() as u64, rotations.orders(n));
                assert!(seen.is_sorted(), "in lexicographic order");
                seen.dedup();
                assert_eq!(seen.len() as u64, rotations.orders(n), "each once");
            }
        }
    }

    #[test]
    fn the_largest_ring_has_ranks_too() {
        let last = Rotations::Equal.orders(MOST) - 1;
        assert_eq!(last + 1, 1_307_674_368_000, "15!");
        let order = IdentityOrder::unrank(MOST, Rotations::Equal, last);
        assert_eq!(order.ids(), [16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
        assert_eq!(order.rank(), last);
        let middle = IdentityOrder::unrank(MOST, Rotations::Distinct, 1_234_567_890_123);
        assert_eq!(middle.rank(), 1_234_567_890_123);
    }
}
