//! A grid of many threads, as a GPU has them: each runs a share of the instances, and all add to the same tallies.
//!
//! Tallies are words that only grow: by addition, or to a maximum. So they may begin as zeros, be split among launches, and be
//! read in the end, and nothing depends on the order of threads. A test runs the same function, thread by thread, on a CPU.

use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering};

use ringleader_model::{Inspect, Message, Processor, Protocol};

use crate::distribution::{Attained, ExactDistribution};
use crate::kernel::{KernelRun, RingKernel};
use crate::run_values::{COMMON, QUANTITIES, RunValues};
use crate::{KINDS, SmallInstances};

/// Messages in flight towards ports of one number. A run with more is counted as one that does not suit the grid.
const ROOM: usize = 32;
/// A run with a greater value does not suit the grid.
pub const BINS: usize = 1 << 14;
/// Consecutive instances of a thread.
const BLOCK: u64 = 32;
/// Threads with consecutive numbers that share a copy of the histograms, before the next copy follows.
const SHARING: u64 = 128;

/// Indices have this many bits where they share a word with a value.
const INDEX_BITS: u32 = 48;
const INDICES: u64 = (1 << INDEX_BITS) - 1;

/// The words before the histograms: runs, then by [`Flaw`] how many and the first, then extremes.
const RUNS: usize = 0;
const FLAWS: usize = 1;
const EXTREMES: usize = 5;
const HEAD: usize = EXTREMES + 2 * QUANTITIES;
/// The words of one copy of all histograms.
const COPY: usize = QUANTITIES * BINS;

/// What may be wrong with a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flaw {
    /// The kernel cannot run it, or has no room for its figures.
    Unsuited,
    /// It does not elect one leader on whom all agree.
    Unsound,
}

/// A share of the instances of one size, for all threads together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// All instances.
    pub instances: SmallInstances,
    /// Those of this launch.
    pub range: Range<u64>,
}

/// Sums that threads share.
#[derive(Clone, Copy, Debug)]
pub struct Tallies<'a> {
    words: &'a [AtomicU64],
    /// A power of two.
    copies: usize,
}

impl<'a> Tallies<'a> {
    /// The number of words with this many copies of the histograms. Threads that add to the same word wait for each other.
    pub const fn words(copies: usize) -> usize {
        HEAD + copies * COPY
    }

    /// In these words, zeros at first.
    pub fn new(words: &'a [AtomicU64]) -> Self {
        let copies = words.len().saturating_sub(HEAD) / COPY;
        assert!(copies.is_power_of_two(), "there is room for a power of two of copies");
        Self { words, copies }
    }

    #[inline(always)]
    fn grow(&self, at: usize, by: u64) {
        self.words[at].fetch_add(by, Ordering::Relaxed);
    }

    #[inline(always)]
    fn raise(&self, at: usize, to: u64) {
        // Most of the time another thread has raised it higher.
        if self.words[at].load(Ordering::Relaxed) < to {
            self.words[at].fetch_max(to, Ordering::Relaxed);
        }
    }

    #[cold]
    fn flaw(&self, flaw: Flaw, index: u64) {
        let at = FLAWS + 2 * flaw as usize;
        self.grow(at, 1);
        self.raise(at + 1, u64::MAX - index);
    }
}

/// Runs the share of one thread of `threads`.
#[inline(always)]
pub fn run_thread<P: Protocol>(protocol: P, launch: &Launch, thread: u64, threads: u64, tallies: Tallies<'_>) {
    let Launch { instances, range } = launch;
    let Ok(mut kernel) = RingKernel::<P, ROOM>::new(protocol, instances.n) else {
        return tallies.flaw(Flaw::Unsuited, range.start);
    };
    let mut share = ThreadShare {
        tallies,
        histograms: HEAD + (thread / SHARING) as usize % tallies.copies * COPY,
        runs: 0,
        ranges: [EMPTY; QUANTITIES],
    };
    let mut oriented = 0;
    let mut from = range.start + thread * BLOCK;
    while from < range.end {
        let to = range.end.min(from + BLOCK);
        let _ = instances.each(from..to, |index, order, wakes, exchanged| {
            if exchanged != oriented {
                kernel.orient(exchanged);
                oriented = exchanged;
            }
            match kernel.run(order.ids(), wakes) {
                Ok(counts) => share.add::<P>(&RunValues::new(&counts, kinds::<P>()), index),
                Err(_) => tallies.flaw(Flaw::Unsuited, index),
            }
            Ok::<_, ()>(())
        });
        from += threads * BLOCK;
    }
    tallies.grow(RUNS, share.runs);
}

fn kinds<P: Protocol>() -> &'static [ringleader_model::Kind] {
    <<P as Protocol>::Processor as Processor>::Message::KINDS
}

/// The least and the greatest value in one word: no value yet.
const EMPTY: u32 = 0xffff_0000;

/// What a thread has done.
struct ThreadShare<'a> {
    tallies: Tallies<'a>,
    /// The first word of its copy of the histograms.
    histograms: usize,
    runs: u64,
    /// By quantity, in the upper half the least value of this thread, in the lower half the greatest. Indices grow, so that
    /// the first run with a value is the one that is noted.
    ranges: [u32; QUANTITIES],
}

impl ThreadShare<'_> {
    #[inline(always)]
    fn add<P: Protocol>(&mut self, run: &RunValues, index: u64) {
        self.runs += 1;
        let measured = COMMON + kinds::<P>().len().min(KINDS);
        let mut fits = true;
        for quantity in 0..QUANTITIES {
            // Phases are the last of the common quantities.
            let absent = quantity >= measured || quantity == COMMON - 1 && !P::Processor::PHASED;
            if absent {
                continue;
            }
            let value = run.values[quantity];
            fits &= value < BINS as u64;
            let value = value as u32 % BINS as u32;
            self.tallies.grow(self.histograms + quantity * BINS + value as usize, 1);
            let (least, greatest) = (self.ranges[quantity] >> 16, self.ranges[quantity] & 0xffff);
            if value < least || value > greatest || least > greatest {
                self.ranges[quantity] = least.min(value) << 16 | greatest.max(value);
                // A range that is empty takes in its first value twice.
                if value < least {
                    self.tallies.raise(EXTREMES + 2 * quantity, u64::MAX - word(value, index));
                }
                if value > greatest || least > greatest {
                    self.tallies.raise(EXTREMES + 2 * quantity + 1, word(value, INDICES - index));
                }
            }
        }
        if !fits {
            self.tallies.flaw(Flaw::Unsuited, index);
        } else if !run.sound {
            self.tallies.flaw(Flaw::Unsound, index);
        }
    }
}

/// A value above an index: words compare by value first. Nonzero even for the value 0 at the last index.
#[inline(always)]
fn word(value: u32, index: u64) -> u64 {
    u64::from(value) << INDEX_BITS | index
}

/// What a grid has computed, read out of its tallies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GridResult {
    /// By quantity, in the order of [`RunValues::values`].
    pub distributions: [ExactDistribution; QUANTITIES],
    /// Runs that did not elect one leader on whom all agree, and the first of them.
    pub unsound: (u64, Option<u64>),
    /// Runs that do not suit the grid, and the first of them.
    pub unsuited: (u64, Option<u64>),
}

impl GridResult {
    /// Of runs with this many kinds of messages, phased or not; `None` if the words cannot be the tallies of `runs` runs.
    pub fn new(words: &[u64], runs: u64, kinds: usize, phased: bool) -> Option<Self> {
        let (head, histograms) = words.split_at_checked(HEAD)?;
        let flaw = |flaw: Flaw| {
            let (count, first) = (head[FLAWS + 2 * flaw as usize], head[FLAWS + 2 * flaw as usize + 1]);
            (count, (count > 0).then(|| u64::MAX - first))
        };
        let (unsuited, unsound) = (flaw(Flaw::Unsuited), flaw(Flaw::Unsound));
        let distribution = |quantity: usize| {
            if quantity >= COMMON + kinds.min(KINDS) || quantity == COMMON - 1 && !phased {
                return Some(ExactDistribution::constant_zero(runs));
            }
            let [least, greatest] = [head[EXTREMES + 2 * quantity], head[EXTREMES + 2 * quantity + 1]];
            let least = u64::MAX - least;
            let min = Attained { value: least >> INDEX_BITS, index: least & INDICES };
            let max = Attained { value: greatest >> INDEX_BITS, index: INDICES - (greatest & INDICES) };
            let count =
                |value: usize| histograms.chunks_exact(COPY).map(|copy| copy[quantity * BINS + value]).sum::<u64>();
            let histogram = (0..BINS).map(|value| (value as u64, count(value))).filter(|(_, count)| *count > 0);
            ExactDistribution::from_histogram(histogram, min, max)
                .filter(|of| of.count == runs && min.index < runs && max.index < runs)
        };
        if unsuited.0 > 0 {
            return Some(Self { distributions: Default::default(), unsound, unsuited });
        }
        let mut distributions: [ExactDistribution; QUANTITIES] = Default::default();
        for (quantity, own) in distributions.iter_mut().enumerate() {
            *own = distribution(quantity)?;
        }
        (head[RUNS] == runs && unsound.0 <= runs).then_some(Self { distributions, unsound, unsuited })
    }
}
