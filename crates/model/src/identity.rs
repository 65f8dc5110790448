use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Field, Operand};

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

/// How processors and messages keep an identity: as an [`Id`], or, where all are below 2^32, as a [`ShortId`]. A protocol for
/// which memory counts is generic over it.
pub trait AnyId:
    Copy + Ord + Hash + fmt::Debug + fmt::Display + Serialize + Field + Into<Operand> + Send + Sync + 'static
{
    /// The form of an identity, which is not too large for it.
    fn of(id: Id) -> Self;
    /// The identity itself.
    fn id(self) -> Id;
}

impl AnyId for Id {
    #[inline(always)]
    fn of(id: Id) -> Self {
        id
    }

    #[inline(always)]
    fn id(self) -> Id {
        self
    }
}

/// An identity below 2^32: four bytes instead of eight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShortId(u32);

impl AnyId for ShortId {
    #[inline(always)]
    fn of(id: Id) -> Self {
        assert!(id.high == 0, "{id} is too large");
        Self(id.low)
    }

    #[inline(always)]
    fn id(self) -> Id {
        Id { low: self.0, high: 0 }
    }
}

/// As of an [`Id`]: digests of runs depend on it.
impl Hash for ShortId {
    #[inline]
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.id().hash(hasher);
    }
}

impl Field for ShortId {
    fn bits(&self) -> u64 {
        self.id().bits()
    }

    fn show(&self, label: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.id().show(label, f)
    }

    fn identity(&self) -> Option<Id> {
        Some(self.id())
    }
}

impl From<ShortId> for Operand {
    fn from(short: ShortId) -> Self {
        short.id().into()
    }
}

impl fmt::Debug for ShortId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for ShortId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.id(), f)
    }
}

impl Serialize for ShortId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.id().serialize(serializer)
    }
}
