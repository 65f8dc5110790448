use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The identity of a processor: any positive integer, distinct from all others.
///
/// It is stored as two halves, with the alignment of a `u32`: an identity and a flag then take 12 bytes and not 16, which is a
/// quarter of the memory of a ring of a hundred million. One integer of that alignment would lie across the words by which
/// small messages are passed on, and would be read back from memory at each step.
#[derive(Clone, Copy)]
pub struct Id {
    low: u32,
    high: u32,
}

impl Id {
    /// The identity `value`.
    #[inline(always)]
    pub const fn new(value: u64) -> Self {
        Self { low: value as u32, high: (value >> 32) as u32 }
    }

    /// The integer itself.
    #[inline(always)]
    pub const fn get(self) -> u64 {
        (self.high as u64) << 32 | self.low as u64
    }
}

impl PartialEq for Id {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Eq for Id {}

impl Ord for Id {
    #[inline(always)]
    fn cmp(&self, other: &Self) -> Ordering {
        self.get().cmp(&other.get())
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::new(self.get().max(other.get()))
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::new(self.get().min(other.get()))
    }
}

impl PartialOrd for Id {
    #[inline(always)]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    #[inline(always)]
    fn lt(&self, other: &Self) -> bool {
        self.get() < other.get()
    }

    #[inline(always)]
    fn le(&self, other: &Self) -> bool {
        self.get() <= other.get()
    }

    #[inline(always)]
    fn gt(&self, other: &Self) -> bool {
        self.get() > other.get()
    }

    #[inline(always)]
    fn ge(&self, other: &Self) -> bool {
        self.get() >= other.get()
    }
}

impl Hash for Id {
    #[inline]
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.get().hash(hasher);
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.get(), f)
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.get())
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u64::deserialize(deserializer).map(Self::new)
    }
}
