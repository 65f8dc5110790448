//! Benchmarks: the workloads that other simulators are measured on.

use std::time::Instant;

use ringleader::model::{BadSetting, Range, Scenario};
use ringleader::{Order, Watch, benchmark};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Error;
use crate::memory;

/// Something to be measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Benchmark {
    /// Chang-Roberts on a ring in random order, every delay 1.
    RingUnit,
    /// The same with delays uniform in 1..1000.
    RingRandom,
    /// N events in flight, each at a random processor after a delay uniform in 1..1000.
    Phold,
}

impl Benchmark {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::RingUnit, Self::RingRandom, Self::Phold];

    /// As users write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RingUnit => "ring-unit",
            Self::RingRandom => "ring-random",
            Self::Phold => "phold",
        }
    }

    /// The messages of one run with `n` processors: on average, where that depends on the order of identities.
    pub(crate) fn expected(self, n: u64) -> u64 {
        match self {
            // N·H_N for the election, N for the announcement.
            Self::RingUnit | Self::RingRandom => (n as f64 * ((n as f64).ln() + 1.577)) as u64,
            Self::Phold => n.saturating_mul(PHOLD_DELIVERIES),
        }
    }

    /// Whether it can be run with `n` processors, and fits into memory.
    pub(crate) fn check(self, n: u64) -> Result<(), Error> {
        if n == 0 || n > Scenario::MOST as u64 || self == Self::Phold && n < 2 {
            let least = if self == Self::Phold { 2 } else { 1 };
            return Err(BadSetting::new("n", format!("is {n}"), format!("{least} to {}", Scenario::MOST)).into());
        }
        memory::fits(n, self.bytes_per_processor(self.is_computed(n)), ANOTHER)
    }

    /// Whether identities are computed, and not listed: where a list of them would be long, or does not fit.
    fn is_computed(self, n: u64) -> bool {
        let listed = n.saturating_mul(self.bytes_per_processor(false));
        self != Self::Phold && (n > MOST_LISTED || memory::available().is_some_and(|free| listed > free))
    }

    /// The memory that a processor takes, in bytes.
    fn bytes_per_processor(self, computed: bool) -> u64 {
        match self {
            Self::RingUnit => benchmark::ring_bytes(UNIT, computed),
            Self::RingRandom => benchmark::ring_bytes(RANDOM, computed),
            Self::Phold => PHOLD_BYTES,
        }
    }

    /// Runs it once with `n` processors.
    pub fn measure(self, n: u64) -> Result<Measurement, Error> {
        self.measure_watched(n, 1, &())
    }

    /// The same on this number of threads; stopped, it has measured what there was so far.
    pub fn measure_watched(self, n: u64, threads: usize, watch: &dyn Watch) -> Result<Measurement, Error> {
        self.check(n)?;
        let computed = self.is_computed(n);
        memory::reserve(n, self.bytes_per_processor(computed), ANOTHER)?;
        let (mut run, deliveries) = match self {
            Self::RingUnit => (benchmark::ring(n as usize, UNIT, threads, computed)?, u64::MAX),
            Self::RingRandom => (benchmark::ring(n as usize, RANDOM, threads, computed)?, u64::MAX),
            Self::Phold => (benchmark::phold(n as usize)?, self.expected(n)),
        };
        let mut bytes = 0;
        let begun = if threads > 1 { Stopwatch::of_all_threads() } else { Stopwatch::start() };
        loop {
            let done = run.advance(SLICE.min(deliveries));
            bytes = bytes.max(run.bytes());
            if done || run.deliveries() >= deliveries || watch.stopped() {
                break;
            }
            watch.running(&*run);
        }
        let seconds = begun.seconds();
        let deliveries = run.deliveries();
        Ok(Measurement {
            workload: self.name(),
            n,
            order: (self != Self::Phold).then(|| if computed { Order::Computed } else { Order::Random }.name()),
            deliveries,
            seconds,
            end_time: run.now(),
            rate: deliveries as f64 / seconds,
            bytes_per_processor: bytes as f64 / n as f64,
        })
    }
}

const ANOTHER: &str = "; of the workloads ring-unit needs least";
/// The delays of ring-unit and of ring-random.
const UNIT: Range = Range::new(1, 1);
const RANDOM: Range = Range::new(1, 1000);
/// Identities are computed where a list of them takes more than 1 GB.
const MOST_LISTED: u64 = 1 << 27;
/// What a processor of phold takes at most, with the message that is in flight for it.
const PHOLD_BYTES: u64 = 75;
/// Deliveries between looks at the memory.
const SLICE: u64 = 1 << 20;
/// Deliveries per processor of phold, on average.
const PHOLD_DELIVERIES: u64 = 20;

/// Measures the time that this thread was at work, where the system tells it, so that others on the machine disturb
/// less; the time that has passed elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    begun: Instant,
    worked: Option<u64>,
}

impl Stopwatch {
    /// Starts now.
    pub fn start() -> Self {
        Self { begun: Instant::now(), worked: Self::worked() }
    }

    /// Starts now, for work on several threads: it measures the time that has passed.
    pub fn of_all_threads() -> Self {
        Self { begun: Instant::now(), worked: None }
    }

    /// Seconds since the start.
    pub fn seconds(&self) -> f64 {
        match (self.worked, Self::worked()) {
            (Some(then), Some(now)) if now > then => (now - then) as f64 / 1e9,
            _ => self.begun.elapsed().as_secs_f64(),
        }
    }

    /// Nanoseconds at work so far.
    #[cfg(target_os = "linux")]
    #[allow(unsafe_code, reason = "the standard library does not tell the time at work")]
    fn worked() -> Option<u64> {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `time` is a timespec that lives until the call returns.
        let answer = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
        (answer == 0).then_some(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
    }

    #[cfg(not(target_os = "linux"))]
    fn worked() -> Option<u64> {
        None
    }
}

/// The measured value.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Measurement {
    /// Of what.
    pub workload: &'static str,
    /// With how many processors.
    pub n: u64,
    /// The order of identities, where there are some: random, or computed where a list of them is too long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<&'static str>,
    /// Messages delivered.
    pub deliveries: u64,
    /// CPU time in seconds, without set-up; on several threads, the time that has passed.
    pub seconds: f64,
    /// The simulator's clock at the end.
    #[serde(skip)]
    pub end_time: u64,
    /// Deliveries a second.
    pub rate: f64,
    /// The most memory that the simulation held, by processor.
    pub bytes_per_processor: f64,
}
