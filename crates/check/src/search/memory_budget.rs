//! Memory accounting, so that a search ends with an answer and not with a failed allocation.

use std::sync::atomic::{AtomicU64, Ordering};

/// A budget of memory: everything large is charged to it before it is allocated.
pub(crate) struct MemoryBudget {
    limit: u64,
    held: AtomicU64,
    peak: AtomicU64,
}

impl MemoryBudget {
    pub(crate) fn new(limit: u64) -> Self {
        Self { limit, held: AtomicU64::new(0), peak: AtomicU64::new(0) }
    }

    /// Charges memory; `false` if the rest of the budget is smaller, and then nothing is charged.
    #[must_use]
    pub(crate) fn take(&self, bytes: usize) -> bool {
        let held = self.held.fetch_add(bytes as u64, Ordering::Relaxed) + bytes as u64;
        if held > self.limit {
            self.give(bytes);
            return false;
        }
        self.peak.fetch_max(held, Ordering::Relaxed);
        true
    }

    /// Returns memory.
    pub(crate) fn give(&self, bytes: usize) {
        self.held.fetch_sub(bytes as u64, Ordering::Relaxed);
    }

    /// Corrects a charge.
    pub(crate) fn correct(&self, before: usize, after: usize) {
        let held = self.held.fetch_add(after as u64, Ordering::Relaxed) + after as u64 - before as u64;
        self.peak.fetch_max(held, Ordering::Relaxed);
        self.give(before);
    }

    /// Reserves room in a list; `false` if there is not enough memory.
    #[must_use]
    pub(crate) fn reserve<T>(&self, list: &mut Vec<T>, more: usize) -> bool {
        let before = list.capacity();
        if list.len() + more <= before {
            return true;
        }
        let after = (before + before / 2).max(before + more).max(64);
        if !self.take(after * size_of::<T>()) {
            return false;
        }
        list.reserve_exact(after - list.len());
        self.give(before * size_of::<T>());
        true
    }

    /// Frees a list.
    pub(crate) fn drop<T>(&self, list: &mut Vec<T>) {
        self.give(list.capacity() * size_of::<T>());
        *list = Vec::new();
    }

    /// Voids all charges but `bytes`.
    pub(crate) fn keep(&self, bytes: usize) {
        self.held.store(bytes as u64, Ordering::Relaxed);
    }

    /// At least this much was held at some time.
    pub(crate) fn raise_peak(&self, peak: u64) {
        self.peak.fetch_max(peak, Ordering::Relaxed);
    }

    /// What is left of the budget.
    pub(crate) fn left(&self) -> usize {
        usize::try_from(self.limit.saturating_sub(self.held.load(Ordering::Relaxed))).unwrap_or(usize::MAX)
    }

    /// True if a correction has exceeded the limit.
    pub(crate) fn is_exceeded(&self) -> bool {
        self.held.load(Ordering::Relaxed) > self.limit
    }

    /// The most that was ever charged.
    pub(crate) fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }
}
