use core::convert::Infallible;
use core::fmt::Debug;
use core::hash::{Hash, Hasher};

use ringleader_model::{Network, Port, Protocol};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::simulation::Simulation;
use crate::step::MessageNumber;

/// How much a simulation records.
pub trait Instrumentation: 'static {
    /// Whether steps are taken in the defined order inside an instant, hashed, and can be recorded. Without it, steps
    /// of different places at one instant, which are independent, are taken in whatever order is fastest.
    const FULL: bool;
    /// The data that accompanies a message.
    type Tag: MessageTag;
    /// The part of a message in flight that determines the port it comes in by.
    type Entry<N: Network>: Copy + Debug;
    /// The causal depth of a message in causal order.
    type Depth: CausalDepth;

    /// Has no values where there is no [fast path](Self::run_fast_path): what belongs to it is not compiled then.
    type FastPath: Copy + Send;
    /// Its value, if there is one.
    const FAST_PATH: Option<Self::FastPath>;

    /// What it keeps of an entry.
    fn entry<N: Network>(entry: N::Entry) -> Self::Entry<N>;
    /// The port that it stands for.
    fn port<N: Network>(entry: Self::Entry<N>) -> Port;

    /// Delivers messages on the fast path, where there is one. Under full instrumentation there is none, and none is
    /// compiled.
    fn run_fast_path<P: Protocol>(_simulation: &mut Simulation<P, Self>, _enough: u64)
    where
        Self: Sized,
    {
    }
}

/// Full instrumentation: depth, bits, message numbers, digest, recorded choices, logged steps.
#[derive(Clone, Copy, Debug)]
pub enum Full {}

/// Message passes and results only: for benchmarks and very large rings.
#[derive(Clone, Copy, Debug)]
pub enum Lean {}

impl Instrumentation for Full {
    const FULL: bool = true;
    type Tag = FullTag;
    type Entry<N: Network> = N::Entry;
    type Depth = u64;
    type FastPath = Infallible;
    const FAST_PATH: Option<Infallible> = None;

    #[inline(always)]
    fn entry<N: Network>(entry: N::Entry) -> N::Entry {
        entry
    }

    #[inline(always)]
    fn port<N: Network>(entry: N::Entry) -> Port {
        N::port(entry)
    }
}

impl Instrumentation for Lean {
    const FULL: bool = false;
    type Tag = ();
    type Entry<N: Network> = N::LeanEntry;
    type Depth = ();
    type FastPath = ();
    const FAST_PATH: Option<()> = Some(());

    #[inline(always)]
    fn entry<N: Network>(entry: N::Entry) -> N::LeanEntry {
        N::lean_entry(entry)
    }

    #[inline(always)]
    fn port<N: Network>(entry: N::LeanEntry) -> Port {
        N::lean_port(entry)
    }

    fn run_fast_path<P: Protocol>(simulation: &mut Simulation<P, Self>, enough: u64) {
        simulation.run_fast_path(enough);
    }
}

/// The data that accompanies a message: its causal depth and its number.
pub trait MessageTag: Copy + Default + Debug + Send {
    /// The tag of a message at the end of a causal chain of `depth` messages.
    fn new(depth: u64, number: MessageNumber) -> Self;
    /// The length of the longest causal chain that ends with the message.
    fn depth(self) -> u64;
    /// The number of the message.
    fn number(self) -> MessageNumber;
}

/// The causal depth of a message, where it is recorded. In causal order rings are so large that 32 bits may not hold it.
pub trait CausalDepth: Copy + Default + Debug + Send + Serialize + DeserializeOwned {
    /// That of a message at the end of a causal chain of `depth` messages.
    fn new(depth: u64) -> Self;
    /// The length of the longest causal chain that ends with the message.
    fn get(self) -> u64;
}

impl CausalDepth for u64 {
    #[inline(always)]
    fn new(depth: u64) -> Self {
        depth
    }

    #[inline(always)]
    fn get(self) -> u64 {
        self
    }
}

impl CausalDepth for () {
    #[inline(always)]
    fn new(_: u64) {}

    #[inline(always)]
    fn get(self) -> u64 {
        0
    }
}

/// The tag of a message under [full](Full) instrumentation. Packed: it is part of every message in flight. No run in time order
/// has come to a depth beyond 32 bits.
#[derive(Clone, Copy, Debug, Default)]
#[repr(Rust, packed(4))]
pub struct FullTag {
    depth: u32,
    number: u64,
}

/// By the number: no step depends on the depth.
impl Hash for FullTag {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.number().hash(hasher);
    }
}

impl MessageTag for FullTag {
    #[inline]
    fn new(depth: u64, number: MessageNumber) -> Self {
        Self { depth: depth as u32, number: number.0 }
    }

    #[inline]
    fn depth(self) -> u64 {
        self.depth.into()
    }

    #[inline]
    fn number(self) -> MessageNumber {
        MessageNumber(self.number)
    }
}

impl MessageTag for () {
    #[inline(always)]
    fn new(_: u64, _: MessageNumber) {}

    #[inline(always)]
    fn depth(self) -> u64 {
        0
    }

    #[inline(always)]
    fn number(self) -> MessageNumber {
        MessageNumber(0)
    }
}
