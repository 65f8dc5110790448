//! An event queue: a timing wheel for the near future, a binary heap for the far future.
//!
//! Elections begin with as many events as processors at one instant and end with one event per instant. So buckets are
//! chains of fixed-size chunks from a pool (a growing vector would double the memory, a calendar queue would keep
//! resizing), and a bitmap of occupied buckets finds the next instant in a few words.

use alloc::collections::BinaryHeap;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::mem;
use core::ops::Range;

use ringleader_model::Time;

use crate::fast_path::prefetch;
use crate::sorted_order::in_order;

/// Events per chunk. Not a power of two: buckets fill at about the same rate, and their ends would map to the same few
/// cache sets.
const CHUNK: usize = 124;
const NONE: u32 = u32::MAX;

/// Events of type `T` by time. Events of the same time come out in the order of insertion.
///
/// Events are plain data: they are cloned out, and the stale copies are overwritten later.
#[derive(Clone)]
pub(crate) struct TimingWheel<T> {
    /// Per near instant, the index of its last event; just before the start of a chunk if its last chunk is full. An
    /// insertion reads only these four bytes.
    last: Vec<u32>,
    /// Per near instant, its first chunk.
    first: Vec<u32>,
    /// Bitmap of the near instants that have events.
    occupied: Vec<u64>,
    /// Bitmap of the non-zero words of `occupied`.
    summary: Vec<u64>,
    /// All chunks.
    arena: Vec<T>,
    /// Per chunk, its successor in its chain.
    next: Vec<u32>,
    /// The chain of free chunks.
    free: u32,
    /// Fills new chunks.
    sample: Option<T>,
    /// The expected number of events.
    expected: usize,
    /// The present: no event is earlier; near events are less than the number of slots later.
    now: Time,
    /// The number of near events.
    near: usize,
    far: BinaryHeap<FarEvent<T>>,
    /// The number of events ever pushed to `far`: their order among equals.
    far_count: u64,
}

/// The events of one instant that are being taken.
pub(crate) struct Bucket {
    chunk: u32,
    /// One past the last event.
    end: usize,
}

/// The events of one chunk of a bucket: their indices, and where the next chunk begins.
pub(crate) struct ChunkRange {
    pub(crate) range: Range<usize>,
    following: usize,
}

impl ChunkRange {
    /// The index of the event `ahead` events after the one at `index`, or of another event: good enough for a prefetch.
    #[inline(always)]
    pub(crate) fn ahead(&self, index: usize, ahead: usize) -> usize {
        let place = index + ahead;
        if place < self.range.end { place } else { self.following + (place - self.range.end) }
    }
}

impl<T: Clone> TimingWheel<T> {
    /// For delays up to about `reach` and about `expected` events at a time; more of both is possible and slower.
    pub(crate) fn new(reach: u64, expected: usize) -> Self {
        let slots = reach.saturating_add(1).clamp(64, 1 << 16).next_power_of_two() as usize;
        Self {
            last: vec![NONE; slots],
            first: vec![NONE; slots],
            occupied: vec![0; slots / 64],
            summary: vec![0; slots.div_ceil(64 * 64)],
            arena: Vec::new(),
            next: Vec::new(),
            free: NONE,
            sample: None,
            expected,
            now: 0,
            near: 0,
            far: BinaryHeap::new(),
            far_count: 0,
        }
    }

    /// Inserts an event, not earlier than the present.
    #[inline]
    pub(crate) fn push(&mut self, at: Time, item: T) {
        if at - self.now >= self.last.len() as u64 {
            self.far_count += 1;
            self.far.push(FarEvent { at, count: self.far_count, item });
        } else {
            self.push_near(at, item);
        }
    }

    /// Inserts an event that is known to be near.
    #[inline(always)]
    pub(crate) fn push_near(&mut self, at: Time, item: T) {
        debug_assert!(at >= self.now && at - self.now < self.last.len() as u64, "a near event is near, and not past");
        self.near += 1;
        let index = at as usize & (self.last.len() - 1);
        let mut place = self.last[index].wrapping_add(1);
        if (place as usize).is_multiple_of(CHUNK) {
            if self.sample.is_none() {
                self.sample = Some(item.clone());
            }
            place = self.make_room(index);
        }
        self.last[index] = place;
        self.arena[place as usize] = item;
        // The next event for this instant comes much later: prefetch its cache line.
        prefetch(self.arena.as_ptr().wrapping_add(place as usize + (64 / size_of::<T>().max(1)).max(1)));
    }

    /// Whether an event `later` units after the present is near.
    pub(crate) fn reaches(&self, later: u64) -> bool {
        later < self.last.len() as u64
    }

    /// Appends a chunk to a bucket and returns its first index. It does not take the event: an event passed by
    /// reference would have to be built in memory first.
    #[inline(never)]
    fn make_room(&mut self, index: usize) -> u32 {
        let chunk = if self.free == NONE { self.new_chunk() } else { self.free };
        self.free = mem::replace(&mut self.next[chunk as usize], NONE);
        if self.first[index] == NONE {
            self.first[index] = chunk;
            self.occupied[index / 64] |= 1 << (index % 64);
            self.summary[index / 4096] |= 1 << (index / 64 % 64);
        } else {
            self.next[self.last[index] as usize / CHUNK] = chunk;
        }
        chunk * CHUNK as u32
    }

    fn new_chunk(&mut self) -> u32 {
        let sample = self.sample.clone().expect("there was a first event");
        let length = self.arena.len();
        if self.arena.capacity() - length < CHUNK {
            // Reserve the expected size at once: memory that moves as it grows comes in small pages. A fourteenth more,
            // because the last chunk of every bucket is half empty. Later grow by a sixteenth instead of doubling: in
            // large networks this is most of the memory.
            let more = if length == 0 { self.expected + self.expected / 14 } else { length / 16 };
            self.arena.reserve_exact(more.max(8 * CHUNK).next_multiple_of(CHUNK));
        }
        self.arena.resize(length + CHUNK, sample);
        self.next.push(NONE);
        self.next.len() as u32 - 1
    }

    /// Expiry the next event is.
    #[inline]
    pub(crate) fn next_time(&self) -> Option<Time> {
        if self.near == 0 {
            return self.far.peek().map(|far| far.at);
        }
        let later = self.slot_from(self.now).expect("a near event has a slot");
        Some(self.now + later)
    }

    /// The indices of the first events of the next instant after the present that has near events.
    #[inline]
    pub(crate) fn peek_next(&self) -> Range<usize> {
        let Some(later) = self.slot_from(self.now + 1) else { return 0..0 };
        let index = (self.now + 1 + later) as usize & (self.last.len() - 1);
        let start = self.first[index] as usize * CHUNK;
        start..self.last[index] as usize + 1
    }

    /// The distance from `time` to the first occupied slot, cyclically.
    #[inline(always)]
    fn slot_from(&self, time: Time) -> Option<u64> {
        let size = self.last.len();
        let start = time as usize & (size - 1);
        let bits = self.occupied[start / 64] >> (start % 64);
        if bits != 0 {
            return Some(u64::from(bits.trailing_zeros()));
        }
        let found =
            self.word_from(start / 64 + 1, self.occupied.len()).or_else(|| self.word_from(0, start / 64 + 1))?;
        let slot = found * 64 + self.occupied[found].trailing_zeros() as usize;
        Some((slot.wrapping_sub(start) & (size - 1)) as u64)
    }

    /// The first non-zero word in `from..to`.
    #[inline]
    fn word_from(&self, from: usize, to: usize) -> Option<usize> {
        let mut bits = self.summary.get(from / 64)? & (u64::MAX << (from % 64));
        let mut group = from / 64;
        while bits == 0 {
            group += 1;
            bits = *self.summary.get(group)?;
        }
        Some(group * 64 + bits.trailing_zeros() as usize).filter(|&word| word < to)
    }

    /// Makes `now` the present; no event may be earlier.
    #[inline]
    pub(crate) fn advance(&mut self, now: Time) {
        self.now = now;
        if !self.far.is_empty() {
            self.refill();
        }
    }

    /// Moves far events that have become near into the wheel.
    fn refill(&mut self) {
        let now = self.now;
        while self.far.peek().is_some_and(|far| far.at - now < self.last.len() as u64) {
            let far = self.far.pop().expect("it was just seen");
            // All later insertions for that instant come after it, so the order is kept.
            self.push_near(far.at, far.item);
        }
    }

    /// Starts taking the events of the present.
    #[inline(always)]
    pub(crate) fn take(&mut self) -> Bucket {
        let index = self.now as usize & (self.last.len() - 1);
        self.occupied[index / 64] &= !(1 << (index % 64));
        if self.occupied[index / 64] == 0 {
            self.summary[index / 4096] &= !(1 << (index / 64 % 64));
        }
        let chunk = mem::replace(&mut self.first[index], NONE);
        let last = mem::replace(&mut self.last[index], NONE);
        Bucket { chunk, end: last.wrapping_add(1) as usize }
    }

    /// The next chunk of a bucket, readable until it is [recycled](Self::recycle); `None` at the end.
    #[inline(always)]
    pub(crate) fn next_chunk(&mut self, bucket: &mut Bucket) -> Option<ChunkRange> {
        let chunk = bucket.chunk;
        let next = self.next.get_mut(chunk as usize)?;
        let start = chunk as usize * CHUNK;
        bucket.chunk = mem::replace(next, NONE);
        let end = if bucket.chunk == NONE { bucket.end } else { start + CHUNK };
        self.near -= end - start;
        let following = if bucket.chunk == NONE { usize::MAX / 2 } else { bucket.chunk as usize * CHUNK };
        Some(ChunkRange { range: start..end, following })
    }

    /// Frees a chunk whose events were taken.
    #[inline]
    pub(crate) fn recycle(&mut self, taken: &ChunkRange) {
        let chunk = taken.range.start / CHUNK;
        self.next[chunk] = mem::replace(&mut self.free, chunk as u32);
    }

    /// The event at an index.
    #[inline(always)]
    pub(crate) fn get(&self, place: usize) -> Option<&T> {
        self.arena.get(place)
    }

    /// Passes all events of the present to `each`, in order.
    pub(crate) fn take_each(&mut self, mut each: impl FnMut(T)) {
        let mut bucket = self.take();
        while let Some(chunk) = self.next_chunk(&mut bucket) {
            self.arena[chunk.range.clone()].iter().cloned().for_each(&mut each);
            self.recycle(&chunk);
        }
    }

    /// Shows all events, in order of time and then of insertion.
    pub(crate) fn for_each(&self, mut show: impl FnMut(Time, &T)) {
        let mut from = self.now;
        while let Some(at) = self.slot_from(from).map(|distance| from + distance)
            && at - self.now < self.last.len() as u64
        {
            let slot = at as usize & (self.last.len() - 1);
            let mut chunk = self.first[slot];
            while let Some(&next) = self.next.get(chunk as usize) {
                let start = chunk as usize * CHUNK;
                let end = if next == NONE { self.last[slot] as usize + 1 } else { start + CHUNK };
                self.arena[start..end].iter().for_each(|item| show(at, item));
                chunk = next;
            }
            from = at + 1;
        }
        let far = in_order(self.far.iter(), |one, other| other.cmp(one));
        far.into_iter().for_each(|far| show(far.at, &far.item));
    }

    /// The first event of the present, if any.
    pub(crate) fn peek(&self) -> Option<&T> {
        let first = self.first[self.now as usize & (self.last.len() - 1)];
        self.arena.get(first as usize * CHUNK).filter(|_| first != NONE)
    }

    /// The present.
    pub(crate) fn now(&self) -> Time {
        self.now
    }

    /// Makes `now` the present while there are no events.
    pub(crate) fn rewind(&mut self, now: Time) {
        assert!(self.near == 0 && self.far.is_empty(), "no event may be left behind");
        self.now = now;
    }

    /// Moves all events of the present into `batch`, in order.
    pub(crate) fn take_into(&mut self, batch: &mut Vec<T>) {
        let mut bucket = self.take();
        while let Some(chunk) = self.next_chunk(&mut bucket) {
            batch.extend_from_slice(&self.arena[chunk.range.clone()]);
            self.recycle(&chunk);
        }
    }

    /// The number of near events.
    #[inline]
    pub(crate) fn near(&self) -> usize {
        self.near
    }

    /// Whether the present instant has events.
    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        self.first[self.now as usize & (self.last.len() - 1)] != NONE
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        (self.last.capacity() + self.first.capacity() + self.next.capacity()) * 4
            + (self.occupied.capacity() + self.summary.capacity()) * 8
            + self.arena.capacity() * size_of::<T>()
            + self.far.capacity() * size_of::<FarEvent<T>>()
    }
}

#[derive(Clone)]
struct FarEvent<T> {
    at: Time,
    count: u64,
    item: T,
}

impl<T> Ord for FarEvent<T> {
    /// Reversed: the heap pops the greatest first.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.count).cmp(&(self.at, self.count))
    }
}

impl<T> PartialOrd for FarEvent<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for FarEvent<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T> Eq for FarEvent<T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    /// Against a sorted list: any mixture of near and far events comes out by time, then in order of insertion.
    #[test]
    fn agrees_with_a_sorted_list() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let mut wheel = TimingWheel::new(1 + random.below(300), 0);
            let mut list: Vec<(Time, u64)> = Vec::new();
            let (mut now, mut count) = (0, 0);
            for _ in 0..300 {
                for _ in 0..random.below(6) {
                    let spread = [1, 10, 1000, 1 << 40][random.below(4) as usize];
                    let at = now + random.below(spread);
                    wheel.push(at, (at, count));
                    list.push((at, count));
                    count += 1;
                }
                list.sort_unstable();
                let Some(next) = wheel.next_time() else {
                    assert!(list.is_empty());
                    continue;
                };
                now = next;
                wheel.advance(now);
                let mut shown = Vec::new();
                wheel.for_each(|at, event| shown.push((at, *event)));
                assert_eq!(shown, list.iter().map(|&event| (event.0, event)).collect::<Vec<_>>());
                let mut out = Vec::new();
                wheel.take_into(&mut out);
                let expected: Vec<_> = list.iter().copied().take_while(|&(at, _)| at == now).collect();
                assert_eq!(out, expected);
                list.drain(..expected.len());
            }
        }
    }

    #[test]
    fn chunks_are_reused() {
        let mut wheel = TimingWheel::new(1, 0);
        for now in 0..1000 {
            for item in 0..1000 {
                wheel.push(now + 1, item);
            }
            wheel.advance(now + 1);
            wheel.take_into(&mut Vec::new());
        }
        assert!(wheel.next.len() <= 1000usize.div_ceil(CHUNK));
    }
}
