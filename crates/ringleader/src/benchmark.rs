//! The workloads that simulators are measured on, under [lean](Lean) instrumentation.

use ringleader_model::{
    Assumptions, BadSetting, Bound, Complete, Delays, Description, Effects, Event, Inspect, Instance, Message, Monitor,
    NoReport, NoRequest, NoTimer, Outcome, Place, Port, PortBlind, Preset, Problem, Processor, Protocol, Range,
    Reading, Scenario, Seat, Settings, ShortId, Starts, Topology, Violation,
};
use ringleader_protocols::election::chang_roberts::{ChangRoberts, ChangRobertsWith};
use ringleader_sim::{Choices, Lean, Random, Run, Simulation};
use serde::Serialize;

use crate::causal_run::on_threads;

const SEED: u64 = 1;

/// Chang-Roberts on a ring in random order, in causal order on this number of threads. `computed`: identities are not listed, but
/// [computed](Scenario::computed).
pub fn ring(n: usize, d: Range, threads: usize, computed: bool) -> Result<Box<dyn Run>, BadSetting> {
    let scenario = if computed { computed_ring(n, d) } else { ring_scenario(n, d) };
    Ok(Box::new(on_threads::<_, Lean>(ChangRobertsWith::<ShortId>::NEW, &scenario, threads)?))
}

/// The memory that it takes by processor, in bytes.
pub const fn ring_bytes(d: Range, computed: bool) -> u64 {
    let link = if d.min == d.max { 0 } else { 12 };
    8 + link + if computed { 0 } else { 8 }
}

/// The same, in time order.
pub fn ring_in_time_order(n: usize, d: Range) -> Result<Box<dyn Run>, BadSetting> {
    lean(ChangRoberts, &ring_scenario(n, d))
}

/// `n` events in flight, each at a random processor after a delay uniform in 1..1000; it never ends.
pub fn phold(n: usize) -> Result<Box<dyn Run>, BadSetting> {
    lean(Phold { others: n as u32 - 1 }, &phold_scenario(n))
}

fn lean<P: Protocol>(protocol: P, scenario: &Scenario) -> Result<Box<dyn Run>, BadSetting> {
    Ok(Box::new(Simulation::<P, Lean>::new(protocol, scenario, Choices::Drawn)?))
}

fn ring_scenario(n: usize, d: Range) -> Scenario {
    let mut ids: Vec<u64> = (1..=n as u64).collect();
    Random::new(SEED).shuffle(&mut ids);
    Scenario { ids, computed: false, ..computed_ring(n, d) }
}

fn computed_ring(n: usize, d: Range) -> Scenario {
    let mut timing = Preset::Unit.timing(Reading::Immediate);
    timing.d = d;
    Scenario { n, computed: true, timing, seed: SEED, ..Scenario::default() }
}

fn phold_scenario(n: usize) -> Scenario {
    let mut timing = Preset::Unit.timing(Reading::Immediate);
    (timing.d, timing.delays) = (Range::new(1, 1000), Delays::Uniform);
    Scenario { n, timing, seed: SEED, ..Scenario::default() }
}

/// The classic load of parallel simulators: every event causes one other, somewhere, later.
#[derive(Clone)]
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
    type Network = PortBlind<Complete>;

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
