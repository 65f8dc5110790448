use serde::{Serialize, Serializer};

/// The engine's clock, in abstract units. Invisible to processors.
pub type Time = u64;

/// A duration on a processor's own clock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ticks(u64);

impl Ticks {
    /// Zero ticks: such a timer fires at the end of the pass in which it was set.
    pub const ZERO: Self = Self(0);
    /// One tick.
    pub const ONE: Self = Self(1);
    /// Longer than any run: the value of a duration that does not fit 64 bits.
    pub const NEVER: Self = Self(u64::MAX);

    /// `count` ticks.
    pub const fn new(count: u64) -> Self {
        Self(count)
    }

    /// `count` ticks, or [`Ticks::NEVER`] where the count did not fit.
    pub const fn or_never(count: Option<u64>) -> Self {
        match count {
            Some(count) => Self(count),
            None => Self::NEVER,
        }
    }

    /// The number of ticks, `None` for [`Ticks::NEVER`].
    pub const fn get(self) -> Option<u64> {
        if self.0 == u64::MAX { None } else { Some(self.0) }
    }
}

/// As a number; [`Ticks::NEVER`] as nothing.
impl Serialize for Ticks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.get().serialize(serializer)
    }
}
