//! The instances of one size, and their numbers.

use core::ops::Range;

use crate::{IdentityOrder, Rotations};

/// The instances of one size: orders, wake sets and orientations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SmallInstances {
    /// The number of processors.
    pub n: usize,
    /// Whether rotations of an order are counted once.
    pub rotations: Rotations,
    /// The number of orders.
    pub orders: u64,
    /// The number of wake sets: 1, or all.
    pub wake_sets: u64,
    /// The number of orientations: 1, or all.
    pub orientations: u64,
}

impl SmallInstances {
    /// All orders of `n` identities, 1 to [`MOST`](crate::MOST), with all awake or all wake sets, and with one or all orientations.
    pub const fn new(n: usize, rotations: Rotations, all_wakes: bool, all_orientations: bool) -> Self {
        let all = 1 << n;
        Self {
            n,
            rotations,
            orders: rotations.orders(n),
            wake_sets: if all_wakes { all - 1 } else { 1 },
            orientations: if all_orientations { all } else { 1 },
        }
    }

    /// How many there are.
    pub fn count(&self) -> u128 {
        u128::from(self.orders) * u128::from(self.wake_sets) * u128::from(self.orientations)
    }

    /// The instance of this number: its order, and as sets of places, a bit each, who wakes and whose left and right are
    /// exchanged. All are awake in the first ones, and nobody's are exchanged.
    pub fn get(&self, index: u64) -> (IdentityOrder, u32, u32) {
        let order = IdentityOrder::unrank(self.n, self.rotations, index % self.orders);
        let (wakes, exchanged) = self.sets(index);
        (order, wakes, exchanged)
    }

    fn sets(&self, index: u64) -> (u32, u32) {
        let all = (1u32 << self.n) - 1;
        let rest = index / self.orders;
        (all - (rest % self.wake_sets) as u32, (rest / self.wake_sets) as u32)
    }

    /// Calls a function for each instance of a range, until it fails.
    ///
    /// # Errors
    /// That of the function.
    #[inline(always)]
    pub fn each<E>(
        &self,
        range: Range<u64>,
        mut take: impl FnMut(u64, &IdentityOrder, u32, u32) -> Result<(), E>,
    ) -> Result<(), E> {
        let (mut order, mut wakes, mut exchanged) = self.get(range.start);
        for index in range.clone() {
            take(index, &order, wakes, exchanged)?;
            if !order.advance() && index + 1 < range.end {
                (order, wakes, exchanged) = self.get(index + 1);
            }
        }
        Ok(())
    }
}
