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

    /// Makes room in a list; `false` if there is no memory for that.
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

    /// Drops what is in a list that is no longer needed.
    pub(crate) fn drop<T>(&self, list: &mut Vec<T>) {
        self.give(list.capacity() * size_of::<T>());
        *list = Vec::new();
    }

    /// Everything was dropped but so much.
    pub(crate) fn keep(&self, bytes: usize) {
        self.held.store(bytes as u64, Ordering::Relaxed);
    }

    /// Whether more is held than may be, which only a correction can bring about.
    pub(crate) fn is_exceeded(&self) -> bool {
        self.held.load(Ordering::Relaxed) > self.limit
    }

    /// The most that was held at any moment.
    pub(crate) fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }
}
