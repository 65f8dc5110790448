//! The visited set: a concurrent hash table of 64-bit fingerprints, each with a mark (hash compaction). The meaning of
//! marks belongs to the search: depth and message passes in [`bfs`](mod@super::bfs), a position on the stack or the
//! longest path in [`scc_search`](mod@super::scc_search).
//!
//! Open addressing in 16 shards, by the high bits of the fingerprint. A shard that is full grows by half, so that
//! little additional memory is needed for that and little is ever unused. All are full at about the same time, and then
//! all threads grow some of them. A fingerprint and its mark share a cache line.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use super::memory_budget::MemoryBudget;
use crate::framing::FrameError;

/// Shards, which grow independently.
const SHARDS: usize = 16;
/// Fingerprints in a cache line, with their marks.
const SLOTS: usize = 5;
/// The load factor of a full shard, in tenths.
const FULL: usize = 8;
/// Not a fingerprint.
const EMPTY: u64 = 0;
/// Not a mark: the fingerprint has just been inserted, and its mark follows.
const UNMARKED: u32 = 0;
/// A shard with this many lines is large.
const MANY: usize = 1 << 12;
/// In a large shard one in 16 lines is counted, since all threads write the counter.
const COUNTED: usize = 16;

#[derive(Default)]
#[repr(align(64))]
struct CacheLine {
    fingerprints: [AtomicU64; SLOTS],
    marks: [AtomicU32; SLOTS],
}

#[derive(Default)]
struct Shard {
    lines: Vec<CacheLine>,
    taken: Occupancy,
}

/// The number of occupied slots in the lines that are counted, in a cache line of its own (false sharing).
#[derive(Default)]
#[repr(align(128))]
struct Occupancy(AtomicUsize);

/// The result of an insertion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Insertion {
    /// The fingerprint was new.
    New,
    /// It was in the set, with this mark.
    Visited(u32),
    /// It was new and there is no room: its shard must grow first.
    Full,
}

/// Fingerprints, each with a mark other than 0. Aligned so that a lock around it does not share its cache line.
#[repr(align(128))]
pub(crate) struct VisitedSet {
    shards: Vec<Shard>,
}

/// A shard as a checkpoint keeps it.
pub(super) struct SavedShard<I> {
    pub(super) lines: usize,
    pub(super) taken: usize,
    /// Fingerprints and marks, in the order of lines.
    pub(super) entries: I,
}

impl VisitedSet {
    pub(super) const SHARDS: usize = SHARDS;

    pub(crate) fn new() -> Self {
        Self { shards: (0..SHARDS).map(|_| Shard::default()).collect() }
    }

    /// The shards that [were restored](Self::restored_shard), in order.
    pub(super) fn restored(shards: Vec<RestoredShard>) -> Self {
        Self { shards: shards.into_iter().map(|RestoredShard(shard)| shard).collect() }
    }

    /// A shard as it was saved; `None` if there is no memory for it.
    pub(super) fn restored_shard(
        saved: SavedShard<impl Iterator<Item = Result<(u64, u32), FrameError>>>,
        memory: &MemoryBudget,
    ) -> Result<Option<RestoredShard>, FrameError> {
        if saved.taken > saved.lines.saturating_mul(SLOTS) {
            return Err(FrameError::Damaged);
        }
        if !memory.take(saved.lines.saturating_mul(size_of::<CacheLine>())) {
            return Ok(None);
        }
        let mut lines: Vec<CacheLine> = std::iter::repeat_with(CacheLine::default).take(saved.lines).collect();
        for entry in saved.entries {
            let (fingerprint, mark) = entry?;
            put(&mut lines, fingerprint, mark);
        }
        let taken = Occupancy(AtomicUsize::new(occupancy(&lines)));
        Ok(Some(RestoredShard(Shard { lines, taken })))
    }

    /// All shards, for a checkpoint.
    pub(super) fn saved(&self) -> impl Iterator<Item = SavedShard<impl Iterator<Item = (u64, u32)> + '_>> {
        self.shards.iter().map(|shard| SavedShard {
            lines: shard.lines.len(),
            taken: shard.lines.iter().map(CacheLine::taken).sum(),
            entries: shard.lines.iter().flat_map(CacheLine::entries),
        })
    }

    /// Inserts a fingerprint, unless it is there.
    #[inline]
    pub(crate) fn insert(&self, fingerprint: u64, mark: u32) -> Insertion {
        let fingerprint = stored(fingerprint);
        let shard = &self.shards[shard_of(fingerprint)];
        let mut at = line_of(fingerprint, shard.lines.len());
        for _ in 0..shard.lines.len() {
            let line = &shard.lines[at];
            for (slot, mark_there) in line.fingerprints.iter().zip(&line.marks) {
                let mut there = slot.load(Ordering::Relaxed);
                if there == EMPTY {
                    if shard.is_full() {
                        return Insertion::Full;
                    }
                    match slot.compare_exchange(EMPTY, fingerprint, Ordering::Relaxed, Ordering::Relaxed) {
                        Ok(_) => {
                            mark_there.store(mark, Ordering::Relaxed);
                            if at.is_multiple_of(counted(shard.lines.len())) {
                                shard.taken.0.fetch_add(1, Ordering::Relaxed);
                            }
                            return Insertion::New;
                        }
                        Err(other) => there = other,
                    }
                }
                if there == fingerprint {
                    return Insertion::Visited(awaited(mark_there));
                }
            }
            at = following(at, shard.lines.len());
        }
        Insertion::Full
    }

    /// The mark of a fingerprint, if it is there.
    pub(crate) fn mark(&self, fingerprint: u64) -> Option<&AtomicU32> {
        let fingerprint = stored(fingerprint);
        let lines = &self.shards[shard_of(fingerprint)].lines;
        let mut at = line_of(fingerprint, lines.len());
        for _ in 0..lines.len() {
            for (slot, mark) in lines[at].fingerprints.iter().zip(&lines[at].marks) {
                match slot.load(Ordering::Relaxed) {
                    EMPTY => return None,
                    there if there == fingerprint => return Some(mark),
                    _ => {}
                }
            }
            at = following(at, lines.len());
        }
        None
    }

    /// Removes everything and keeps the memory.
    pub(crate) fn clear(&mut self) {
        for shard in &mut self.shards {
            *shard.taken.0.get_mut() = 0;
            shard.lines.iter_mut().for_each(|line| *line = CacheLine::default());
        }
    }

    /// Prefetches the line of a fingerprint.
    #[inline]
    pub(crate) fn prefetch(&self, fingerprint: u64) {
        let fingerprint = stored(fingerprint);
        let lines = &self.shards[shard_of(fingerprint)].lines;
        fetch(lines.as_ptr().wrapping_add(line_of(fingerprint, lines.len())));
    }

    /// Makes room for a fingerprint, on `threads` threads; `false` if there is no memory for that.
    #[must_use]
    pub(crate) fn grow(&mut self, fingerprint: u64, threads: usize, memory: &MemoryBudget) -> bool {
        let shard = &mut self.shards[shard_of(stored(fingerprint))];
        if !shard.is_full() {
            // Another thread was faster.
            return true;
        }
        if shard.lines.len() < MANY || threads < 2 {
            return shard.grow(memory);
        }
        std::thread::scope(|scope| {
            for shards in self.shards.chunks_mut(SHARDS.div_ceil(threads)) {
                scope
                    .spawn(|| shards.iter_mut().filter(|shard| shard.is_nearly_full()).all(|shard| shard.grow(memory)));
            }
        });
        !self.shards[shard_of(stored(fingerprint))].is_full()
    }
}

impl Shard {
    #[inline]
    fn is_full(&self) -> bool {
        self.taken.0.load(Ordering::Relaxed) * 10 >= self.slots() * FULL
    }

    /// True if it will be full soon.
    fn is_nearly_full(&self) -> bool {
        self.taken.0.load(Ordering::Relaxed) * 11 >= self.slots() * FULL
    }

    /// The number of slots in the lines that are counted.
    #[inline]
    fn slots(&self) -> usize {
        let lines = self.lines.len();
        lines.div_ceil(counted(lines)) * SLOTS
    }

    /// Rehashes into half as many lines more; `false` if there is no memory for that.
    fn grow(&mut self, memory: &MemoryBudget) -> bool {
        let before = self.lines.len();
        let after = (before + before / 2).max(before + 2);
        if !memory.take(after * size_of::<CacheLine>()) {
            return false;
        }
        let mut lines: Vec<CacheLine> = std::iter::repeat_with(CacheLine::default).take(after).collect();
        for line in &mut self.lines {
            for (fingerprint, mark) in line.fingerprints.iter_mut().zip(&mut line.marks) {
                if *fingerprint.get_mut() != EMPTY {
                    put(&mut lines, *fingerprint.get_mut(), *mark.get_mut());
                }
            }
        }
        *self.taken.0.get_mut() = occupancy(&lines);
        self.lines = lines;
        memory.give(before * size_of::<CacheLine>());
        true
    }
}

impl CacheLine {
    /// The number of occupied slots.
    fn taken(&self) -> usize {
        self.entries().count()
    }

    /// The fingerprints of the occupied slots, and their marks.
    fn entries(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        let slots = self.fingerprints.iter().zip(&self.marks);
        slots
            .map(|(slot, mark)| (slot.load(Ordering::Relaxed), mark.load(Ordering::Relaxed)))
            .filter(|&(fingerprint, _)| fingerprint != EMPTY)
    }
}

/// A shard that was read from a checkpoint.
pub(super) struct RestoredShard(Shard);

/// The number of occupied slots in the lines that are counted.
fn occupancy(lines: &[CacheLine]) -> usize {
    lines.iter().step_by(counted(lines.len())).map(CacheLine::taken).sum()
}

/// The distance between two lines that are counted.
#[inline]
fn counted(lines: usize) -> usize {
    if lines < MANY { 1 } else { COUNTED }
}

/// Inserts a fingerprint that is not there.
fn put(lines: &mut [CacheLine], fingerprint: u64, mark: u32) {
    let mut at = line_of(fingerprint, lines.len());
    loop {
        let line = &mut lines[at];
        for (slot, mark_there) in line.fingerprints.iter_mut().zip(&mut line.marks) {
            if *slot.get_mut() == EMPTY {
                *slot.get_mut() = fingerprint;
                *mark_there.get_mut() = mark;
                return;
            }
        }
        at = following(at, lines.len());
    }
}

/// The mark of a fingerprint that another thread may be inserting.
#[inline]
fn awaited(mark: &AtomicU32) -> u32 {
    loop {
        let now = mark.load(Ordering::Relaxed);
        if now != UNMARKED {
            return now;
        }
        std::hint::spin_loop();
    }
}

/// A fingerprint as it is stored: not [`EMPTY`].
#[inline]
fn stored(fingerprint: u64) -> u64 {
    fingerprint.max(1)
}

#[inline]
fn shard_of(fingerprint: u64) -> usize {
    (fingerprint >> 60) as usize
}

/// The first line of a probe: the bits below those of the shard, scaled.
#[inline]
fn line_of(fingerprint: u64, lines: usize) -> usize {
    ((((fingerprint << 4) >> 32) * lines as u64) >> 32) as usize
}

/// The next line of a probe.
#[inline]
fn following(line: usize, lines: usize) -> usize {
    if line + 1 == lines { 0 } else { line + 1 }
}

/// Prefetches memory into the cache.
#[inline(always)]
pub(crate) fn fetch<T>(soon: *const T) {
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code, reason = "stable Rust has no safe prefetch")]
    // SAFETY: a prefetch is a hint: whatever the address, it has no effect that the program can observe, and never
    // faults.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(soon.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = soon;
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader_model::mix;

    #[test]
    fn fingerprints_are_inserted_once_however_the_set_grows() {
        // Enough for large shards, which grow together.
        let count: u32 = 500_000;
        for threads in 1..=3 {
            let memory = MemoryBudget::new(u64::MAX);
            let mut visited = VisitedSet::new();
            for mark in 1..=count {
                let fingerprint = mix(mark.into());
                while visited.insert(fingerprint, mark) == Insertion::Full {
                    assert!(visited.grow(fingerprint, threads, &memory));
                }
            }
            assert!(visited.shards.iter().all(|shard| shard.lines.len() > MANY));
            for mark in 1..=count {
                let fingerprint = mix(mark.into());
                assert_eq!(visited.insert(fingerprint, count + 1), Insertion::Visited(mark), "{threads}");
                assert_eq!(visited.mark(fingerprint).map(|mark| mark.load(Ordering::Relaxed)), Some(mark));
            }
            assert!(visited.mark(mix(u64::from(count) + 1)).is_none());
            let lines = visited.shards.iter().flat_map(|shard| &shard.lines);
            assert_eq!(lines.map(CacheLine::taken).sum::<usize>(), count as usize);
        }
    }

    #[test]
    fn a_set_without_memory_to_grow_says_so_and_loses_nothing() {
        let memory = MemoryBudget::new(40 << 20);
        let mut visited = VisitedSet::new();
        let full = (1..).find(|&mark| {
            let fingerprint = mix(mark);
            visited.insert(fingerprint, 1) == Insertion::Full && {
                let grown = visited.grow(fingerprint, 2, &memory);
                assert!(!grown || visited.insert(fingerprint, 1) == Insertion::New);
                !grown
            }
        });
        let full = full.expect("it ends");
        assert!(full > 1_000_000, "{full}");
        assert!((1..full).all(|mark| visited.insert(mix(mark), 2) == Insertion::Visited(1)));
    }
}
