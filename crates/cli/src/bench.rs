//! How fast the simulator is, on the workloads that other simulators are measured on.

use std::time::Instant;

use ringleader::Watch;
use ringleader_model::{
    Assumptions, BadSetting, Bound, Complete, Delays, Description, Effects, Event, Inspect, Instance, Message, Monitor,
    NoReport, NoRequest, NoTimer, Outcome, Place, Port, Preset, Problem, Processor, Protocol, Range, Reading, Scenario,
    Seat, Settings, Starts, Topology, Violation,
};
use ringleader_protocols::election::chang_roberts::ChangRoberts;
use ringleader_sim::{Choices, Lean, Random, Run, Simulation};
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

    /// Runs it once with `n` processors.
    pub fn measure(self, n: u64) -> Result<Measurement, Error> {
        self.measure_watched(n, &())
    }

    /// The same; stopped, it has measured what there was so far.
    pub fn measure_watched(self, n: u64, watch: &dyn Watch) -> Result<Measurement, Error> {
        if n == 0 || n > Scenario::MOST as u64 || self == Self::Phold && n < 2 {
            let least = if self == Self::Phold { 2 } else { 1 };
            return Err(BadSetting::new("n", format!("is {n}"), format!("{least} to {}", Scenario::MOST)).into());
        }
        memory::check(n / 2)?;
        match self {
            Self::RingUnit => self.run(ChangRoberts, &ring(n as usize, Range::new(1, 1)), u64::MAX, watch),
            Self::RingRandom => self.run(ChangRoberts, &ring(n as usize, Range::new(1, 1000)), u64::MAX, watch),
            Self::Phold => self.run(Phold { others: n as u32 - 1 }, &phold(n as usize), self.expected(n), watch),
        }
    }

    fn run<P: Protocol>(
        self,
        protocol: P,
        scenario: &Scenario,
        deliveries: u64,
        watch: &dyn Watch,
    ) -> Result<Measurement, Error> {
        let mut run = Simulation::<P, Lean>::new(protocol, scenario, Choices::Drawn)?;
        let mut bytes = 0;
        let begun = Stopwatch::start();
        loop {
            let done = run.advance(SLICE.min(deliveries));
            bytes = bytes.max(run.bytes());
            if done || run.deliveries() >= deliveries || watch.stopped() {
                break;
            }
            watch.running(&run);
        }
        let seconds = begun.seconds();
        let deliveries = run.deliveries();
        Ok(Measurement {
            workload: self.name(),
            n: scenario.n as u64,
            deliveries,
            seconds,
            end_time: run.now(),
            rate: deliveries as f64 / seconds,
            bytes_per_processor: bytes as f64 / scenario.n as f64,
        })
    }
}

/// Deliveries between looks at the memory.
const SLICE: u64 = 1 << 20;
/// How often every processor of phold is reached, on average.
const PHOLD_DELIVERIES: u64 = 20;
const SEED: u64 = 1;

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

/// What was measured.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Measurement {
    /// Of what.
    pub workload: &'static str,
    /// With how many processors.
    pub n: u64,
    /// Messages delivered.
    pub deliveries: u64,
    /// In how much time at work, without the setting up.
    pub seconds: f64,
    /// The simulator's clock at the end.
    #[serde(skip)]
    pub end_time: u64,
    /// Deliveries a second.
    pub rate: f64,
    /// The most memory that the simulation held, by processor.
    pub bytes_per_processor: f64,
}

fn ring(n: usize, d: Range) -> Scenario {
    let mut ids: Vec<u64> = (1..=n as u64).collect();
    Random::new(SEED).shuffle(&mut ids);
    let mut timing = Preset::Unit.timing(Reading::Immediate);
    timing.d = d;
    Scenario { n, ids, timing, seed: SEED, ..Scenario::default() }
}

fn phold(n: usize) -> Scenario {
    let mut timing = Preset::Unit.timing(Reading::Immediate);
    (timing.d, timing.delays) = (Range::new(1, 1000), Delays::Uniform);
    Scenario { n, timing, seed: SEED, ..Scenario::default() }
}

/// The classic load of parallel simulators: every event causes one other, somewhere, later.
struct Phold {
    others: u32,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
struct PholdProcessor {
    count: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
struct Ball;

impl Protocol for Phold {
    type Processor = PholdProcessor;
    type Network = Complete;

    const DESCRIPTION: Description = Description {
        name: "phold",
        title: "a load, not a protocol",
        assumptions: Assumptions {
            topology: Topology::Complete,
            identities: false,
            known_size: true,
            starts: Starts::Together,
            ..Assumptions::RING
        },
        ..Description::NEW
    };
    const BOUNDS: &'static [Bound<Self>] = &[];

    fn configure(_: &Settings, instance: &Instance<'_>) -> Result<Self, BadSetting> {
        Ok(Self { others: instance.n as u32 - 1 })
    }

    fn processor(&self, _: Seat) -> PholdProcessor {
        PholdProcessor { count: 0 }
    }
}

impl Processor for PholdProcessor {
    type Problem = Load;
    type Message = Ball;
    type Timer = NoTimer;
    type Rules = Phold;

    #[inline(always)]
    fn step(&mut self, rules: &Phold, _: Event<Self>, fx: &mut impl Effects<Self>) {
        self.count += 1;
        let port = Port(fx.choose(rules.others));
        fx.send(port, Ball);
    }
}

impl Inspect for PholdProcessor {}

/// A problem without an end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Load {}

impl Problem for Load {
    const NAME: &'static str = "load";
    const WORK: &'static str = "load";
    type Request = NoRequest;
    type Report = NoReport;
    type Monitor = Watcher;
    type Meter = ();
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Watcher;

impl Monitor for Watcher {
    type Report = NoReport;

    fn new(_: &Scenario) -> Self {
        Self
    }

    fn observe(&mut self, _: Place, report: NoReport) -> bool {
        match report {}
    }

    fn crash(&mut self, _: Place) {}

    fn finished(&self) -> bool {
        true
    }

    fn missing(&self) -> String {
        String::new()
    }

    fn violations(&self) -> &[Violation] {
        &[]
    }

    fn outcome(&self) -> Outcome {
        Outcome::Work
    }
}
