use core::fmt;

use serde::{Serialize, Serializer};

/// The identity of a processor: any positive integer, distinct from all others.
///
/// It is stored with the alignment of a `u32`: an identity and a flag then take 12 bytes and not 16, which is a quarter
/// of the memory of a ring of a hundred million.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(Rust, packed(4))]
pub struct Id(u64);

impl Id {
    /// The identity `value`.
    #[inline]
    pub const fn new(value: u64) -> Self {
        Self(value)
    }

    /// The integer itself.
    #[inline]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&{ self.0 }, f)
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.get())
    }
}
