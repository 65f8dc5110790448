//! The recently visited states of a worker.

use super::memory_budget::MemoryBudget;
use super::visited_set::fetch;

/// The greatest number of recently visited states that a worker caches: 8 MB.
const RECENT: usize = 1 << 20;

/// A direct-mapped cache of the states that a worker has visited on this level, with their marks.
pub(super) struct RecentCache(Vec<u64>);

impl RecentCache {
    /// One entry, which is not charged to the budget.
    pub(super) fn new() -> Self {
        Self(vec![0])
    }

    /// Resizes the cache for a level of this number of states, if there is memory for it. Its contents are lost.
    pub(super) fn resize(&mut self, states: u64, memory: &MemoryBudget) {
        let (held, wanted) = (self.0.len(), states.min(RECENT as u64).next_power_of_two() as usize);
        if wanted > held && memory.take((wanted - held) * size_of::<u64>()) {
            self.0 = vec![0; wanted];
        }
    }

    /// Returns its memory to the budget.
    pub(super) fn drop(self, memory: &MemoryBudget) {
        memory.give(size_of_val(&self.0[1..]));
    }

    #[inline]
    pub(super) fn contains(&self, fingerprint: u64, mark: u32) -> bool {
        self.0[self.slot(fingerprint)] == Self::key(fingerprint, mark)
    }

    #[inline]
    pub(super) fn add(&mut self, fingerprint: u64, mark: u32) {
        let slot = self.slot(fingerprint);
        self.0[slot] = Self::key(fingerprint, mark);
    }

    /// Prefetches the entry of a fingerprint.
    #[inline]
    pub(super) fn prefetch(&self, fingerprint: u64) {
        fetch(&raw const self.0[self.slot(fingerprint)]);
    }

    #[inline]
    fn slot(&self, fingerprint: u64) -> usize {
        fingerprint as usize & (self.0.len() - 1)
    }

    /// Fingerprint and mark in one number: the keys of one fingerprint differ.
    fn key(fingerprint: u64, mark: u32) -> u64 {
        fingerprint ^ u64::from(mark) << 32
    }
}
