//! The fingerprints of all configurations that were met, each with a mark.
//!
//! An open-addressing table in parts, each of which grows by half when it is full: so little more memory is needed
//! while it grows, and little of it is ever empty. All are full at about the same time, and then every thread lets some of them
//! grow. A fingerprint and its mark share a cache line.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use super::budget::Budget;

/// Parts that grow alone.
const PARTS: usize = 16;
/// Fingerprints in a line of the cache, with their marks.
const SLOTS: usize = 5;
/// Of ten slots, how many may be taken.
const FULL: usize = 8;
/// Not a fingerprint.
const EMPTY: u64 = 0;
/// No mark: the fingerprint was put in this very moment, and its mark comes.
const UNMARKED: u32 = 0;
/// From here on lines of a part are many.
const MANY: usize = 1 << 12;
/// Of many lines only one of so many is counted: all threads write the sum, and wait for each other.
const COUNTED: usize = 16;

#[derive(Default)]
#[repr(align(64))]
struct Line {
    fingerprints: [AtomicU64; SLOTS],
    marks: [AtomicU32; SLOTS],
}

#[derive(Default)]
struct Part {
    lines: Vec<Line>,
    taken: Taken,
}

/// How many slots are taken in the lines that are counted. All threads write it, and none should wait for that who looks where
/// the lines are.
#[derive(Default)]
#[repr(align(128))]
struct Taken(AtomicUsize);

/// What was known of a fingerprint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Met {
    /// Nothing: now it is there, with its mark.
    New,
    /// It was there, with this mark.
    Before(u32),
    /// Nothing, and there is no room for it: its part must grow first.
    Full,
}

/// Fingerprints, each with a mark other than 0. Who counts its readers beside it does not make them wait.
#[repr(align(128))]
pub(crate) struct Table {
    parts: Vec<Part>,
}

impl Table {
    pub(crate) fn new() -> Self {
        Self { parts: (0..PARTS).map(|_| Part::default()).collect() }
    }

    /// Puts a fingerprint in, unless it is there.
    #[inline]
    pub(crate) fn meet(&self, fingerprint: u64, mark: u32) -> Met {
        let fingerprint = stored(fingerprint);
        let part = &self.parts[part_of(fingerprint)];
        let mut at = line_of(fingerprint, part.lines.len());
        for _ in 0..part.lines.len() {
            let line = &part.lines[at];
            for (slot, mark_there) in line.fingerprints.iter().zip(&line.marks) {
                let mut there = slot.load(Ordering::Relaxed);
                if there == EMPTY {
                    if part.is_full() {
                        return Met::Full;
                    }
                    match slot.compare_exchange(EMPTY, fingerprint, Ordering::Relaxed, Ordering::Relaxed) {
                        Ok(_) => {
                            mark_there.store(mark, Ordering::Relaxed);
                            if at.is_multiple_of(counted(part.lines.len())) {
                                part.taken.0.fetch_add(1, Ordering::Relaxed);
                            }
                            return Met::New;
                        }
                        Err(other) => there = other,
                    }
                }
                if there == fingerprint {
                    return Met::Before(awaited(mark_there));
                }
            }
            at = following(at, part.lines.len());
        }
        Met::Full
    }

    /// The mark of a fingerprint, if it is there.
    pub(crate) fn mark(&self, fingerprint: u64) -> Option<&AtomicU32> {
        let fingerprint = stored(fingerprint);
        let lines = &self.parts[part_of(fingerprint)].lines;
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

    /// Forgets everything, and keeps the room for it.
    pub(crate) fn clear(&mut self) {
        for part in &mut self.parts {
            *part.taken.0.get_mut() = 0;
            part.lines.iter_mut().for_each(|line| *line = Line::default());
        }
    }

    /// Asks for the memory where a fingerprint is or would be.
    #[inline]
    pub(crate) fn prefetch(&self, fingerprint: u64) {
        let fingerprint = stored(fingerprint);
        let lines = &self.parts[part_of(fingerprint)].lines;
        fetch(lines.as_ptr().wrapping_add(line_of(fingerprint, lines.len())));
    }

    /// Makes room for a fingerprint, with so many threads; `false` if there is no memory for that.
    #[must_use]
    pub(crate) fn grow(&mut self, fingerprint: u64, threads: usize, budget: &Budget) -> bool {
        let part = &mut self.parts[part_of(stored(fingerprint))];
        if !part.is_full() {
            // Somebody else was here first.
            return true;
        }
        if part.lines.len() < MANY || threads < 2 {
            return part.grow(budget);
        }
        std::thread::scope(|scope| {
            for parts in self.parts.chunks_mut(PARTS.div_ceil(threads)) {
                scope.spawn(|| parts.iter_mut().filter(|part| part.is_nearly_full()).all(|part| part.grow(budget)));
            }
        });
        !self.parts[part_of(stored(fingerprint))].is_full()
    }
}

impl Part {
    #[inline]
    fn is_full(&self) -> bool {
        self.taken.0.load(Ordering::Relaxed) * 10 >= self.slots() * FULL
    }

    /// It would be full before long.
    fn is_nearly_full(&self) -> bool {
        self.taken.0.load(Ordering::Relaxed) * 11 >= self.slots() * FULL
    }

    /// How many slots are counted.
    #[inline]
    fn slots(&self) -> usize {
        let lines = self.lines.len();
        lines.div_ceil(counted(lines)) * SLOTS
    }

    /// Spreads out over half as many lines more; `false` if there is no memory for that.
    fn grow(&mut self, budget: &Budget) -> bool {
        let before = self.lines.len();
        let after = (before + before / 2).max(before + 2);
        if !budget.take(after * size_of::<Line>()) {
            return false;
        }
        let mut lines: Vec<Line> = std::iter::repeat_with(Line::default).take(after).collect();
        for line in &mut self.lines {
            for (fingerprint, mark) in line.fingerprints.iter_mut().zip(&mut line.marks) {
                if *fingerprint.get_mut() != EMPTY {
                    put(&mut lines, *fingerprint.get_mut(), *mark.get_mut());
                }
            }
        }
        *self.taken.0.get_mut() = lines.iter().step_by(counted(after)).map(Line::taken).sum();
        self.lines = lines;
        budget.give(before * size_of::<Line>());
        true
    }
}

impl Line {
    /// How many slots are taken.
    fn taken(&self) -> usize {
        self.fingerprints.iter().filter(|slot| slot.load(Ordering::Relaxed) != EMPTY).count()
    }
}

/// Of so many lines one of how many is counted.
#[inline]
fn counted(lines: usize) -> usize {
    if lines < MANY { 1 } else { COUNTED }
}

/// Puts in a fingerprint that is not there.
fn put(lines: &mut [Line], fingerprint: u64, mark: u32) {
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

/// The mark of a fingerprint that somebody may be putting in.
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

/// A fingerprint as it is kept: not [`EMPTY`].
#[inline]
fn stored(fingerprint: u64) -> u64 {
    fingerprint.max(1)
}

#[inline]
fn part_of(fingerprint: u64) -> usize {
    (fingerprint >> 60) as usize
}

/// Where to look first among so many lines: the bits below those of the part, scaled.
#[inline]
fn line_of(fingerprint: u64, lines: usize) -> usize {
    ((((fingerprint << 4) >> 32) * lines as u64) >> 32) as usize
}

/// Where to look next.
#[inline]
fn following(line: usize, lines: usize) -> usize {
    if line + 1 == lines { 0 } else { line + 1 }
}

/// Asks the processor to fetch memory that will be needed soon.
#[inline(always)]
pub(crate) fn fetch<T>(soon: *const T) {
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code, reason = "there is no other way to ask for memory ahead of time")]
    // SAFETY: a prefetch is a hint: whatever the address, it reads nothing as far as the program can tell, and faults on
    // none.
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
    fn what_was_put_in_is_there_once_however_it_grew() {
        // Enough for parts of many lines, which grow together.
        let count: u32 = 500_000;
        for threads in 1..=3 {
            let budget = Budget::new(u64::MAX);
            let mut table = Table::new();
            for mark in 1..=count {
                let fingerprint = mix(mark.into());
                while table.meet(fingerprint, mark) == Met::Full {
                    assert!(table.grow(fingerprint, threads, &budget));
                }
            }
            assert!(table.parts.iter().all(|part| part.lines.len() > MANY));
            for mark in 1..=count {
                let fingerprint = mix(mark.into());
                assert_eq!(table.meet(fingerprint, count + 1), Met::Before(mark), "{threads}");
                assert_eq!(table.mark(fingerprint).map(|mark| mark.load(Ordering::Relaxed)), Some(mark));
            }
            assert!(table.mark(mix(u64::from(count) + 1)).is_none());
            let lines = table.parts.iter().flat_map(|part| &part.lines);
            assert_eq!(lines.map(Line::taken).sum::<usize>(), count as usize);
        }
    }

    #[test]
    fn a_table_without_memory_to_grow_says_so_and_loses_nothing() {
        let budget = Budget::new(40 << 20);
        let mut table = Table::new();
        let full = (1..).find(|&mark| {
            let fingerprint = mix(mark);
            table.meet(fingerprint, 1) == Met::Full && {
                let grown = table.grow(fingerprint, 2, &budget);
                assert!(!grown || table.meet(fingerprint, 1) == Met::New);
                !grown
            }
        });
        let full = full.expect("it ends");
        assert!(full > 1_000_000, "{full}");
        assert!((1..full).all(|mark| table.meet(mix(mark), 2) == Met::Before(1)));
    }
}
