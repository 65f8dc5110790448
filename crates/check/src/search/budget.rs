//! How much memory may be held, and how much is.

use std::sync::atomic::{AtomicU64, Ordering};

/// An account of memory: everything large is asked for here before it is allocated.
pub(crate) struct Budget {
    limit: u64,
    held: AtomicU64,
    peak: AtomicU64,
}

impl Budget {
    pub(crate) fn new(limit: u64) -> Self {
        Self { limit, held: AtomicU64::new(0), peak: AtomicU64::new(0) }
    }

    /// Asks for memory; `false` if there is not so much, and then nothing is taken.
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

    /// Gives memory back.
    pub(crate) fn give(&self, bytes: usize) {
        self.held.fetch_sub(bytes as u64, Ordering::Relaxed);
    }

    /// Corrects what something was charged, once it is known.
    pub(crate) fn correct(&self, before: usize, after: usize) {
        let held = self.held.fetch_add(after as u64, Ordering::Relaxed) + after as u64 - before as u64;
        self.peak.fetch_max(held, Ordering::Relaxed);
        self.give(before);
    }

    /// The most that was held at any moment.
    pub(crate) fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }
}
