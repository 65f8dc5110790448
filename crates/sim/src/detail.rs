use core::fmt::Debug;

/// How much a simulation notes down.
pub trait Detail: 'static {
    /// Whether steps are taken in the defined order inside an instant, hashed, and may be recorded. Without it, steps
    /// of different places at one instant, which do not influence each other, are taken in whatever order is fastest.
    const FULL: bool;
    /// What travels with a message and stays with a processor to find the longest causal chain.
    type Depth: Depth;
}

/// Everything: depth, bits, trace hash, recorded choices.
#[derive(Clone, Copy, Debug)]
pub enum Full {}

/// Passes and results only: for benchmarks and very large rings.
#[derive(Clone, Copy, Debug)]
pub enum Lean {}

impl Detail for Full {
    const FULL: bool = true;
    type Depth = u32;
}

impl Detail for Lean {
    const FULL: bool = false;
    type Depth = ();
}

/// The length of a causal chain of messages, or nothing.
pub trait Depth: Copy + Default + Debug {
    /// One message more.
    fn next(self) -> Self;
    /// The longer of two.
    fn longer(self, other: Self) -> Self;
    /// As a number.
    fn get(self) -> u32;
}

impl Depth for u32 {
    fn next(self) -> Self {
        self + 1
    }
    fn longer(self, other: Self) -> Self {
        self.max(other)
    }
    fn get(self) -> u32 {
        self
    }
}

impl Depth for () {
    fn next(self) {}
    fn longer(self, (): Self) {}
    fn get(self) -> u32 {
        0
    }
}
