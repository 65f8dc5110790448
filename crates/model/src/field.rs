use core::fmt;

use crate::{Id, int_bits};

/// A field of a message: its length by the counting rule, and its text for people.
///
/// Identities, unsigned integers, booleans and optional fields are fields; a protocol may add types of its own. See
/// [`derive(Message)`](macro@crate::Message), which sums bits up and puts texts together.
pub trait Field {
    /// Its length in bits.
    fn bits(&self) -> u64;

    /// Writes a space, its label (if there is one) and its value.
    fn show(&self, label: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// The identity in it, if there is one.
    fn identity(&self) -> Option<Id> {
        None
    }
}

/// Writes ` label value`, or ` value` where the label is empty.
fn labelled(label: &str, value: impl fmt::Display, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let space = if label.is_empty() { "" } else { " " };
    write!(f, "{space}{label} {value}")
}

impl Field for Id {
    fn bits(&self) -> u64 {
        int_bits(self.get())
    }

    fn show(&self, label: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        labelled(label, self, f)
    }

    fn identity(&self) -> Option<Id> {
        Some(*self)
    }
}

macro_rules! integers {
    ($($integer:ty),*) => {$(
        impl Field for $integer {
            fn bits(&self) -> u64 {
                int_bits(u64::from(*self))
            }

            fn show(&self, label: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                labelled(label, self, f)
            }
        }
    )*};
}
integers![u8, u16, u32, u64];

/// One bit; shown as `label` or `not label`.
impl Field for bool {
    fn bits(&self) -> u64 {
        1
    }

    fn show(&self, label: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (label, self) {
            ("", value) => write!(f, " {value}"),
            (label, true) => write!(f, " {label}"),
            (label, false) => write!(f, " not {label}"),
        }
    }
}

/// No bits, and not shown.
impl Field for () {
    fn bits(&self) -> u64 {
        0
    }

    fn show(&self, _: &str, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

/// `None` costs nothing and is not shown.
impl<T: Field> Field for Option<T> {
    fn bits(&self) -> u64 {
        self.as_ref().map_or(0, Field::bits)
    }

    fn show(&self, label: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_ref().map_or(Ok(()), |value| value.show(label, f))
    }

    fn identity(&self) -> Option<Id> {
        self.as_ref().and_then(Field::identity)
    }
}
