use alloc::string::String;
use core::fmt;

use crate::{Protocol, Violation};

/// Something that must be true of all processors together, in every state: a property of one's own beside those of the problem.
///
/// A run judges it after every step, a check in every state.
pub struct Invariant<P: Protocol> {
    /// As users read it, such as "at most one processor is active".
    pub name: &'static str,
    /// Whether it is true of the processors, by place; if not, what contradicts it.
    pub holds: fn(&[P::Processor]) -> Result<(), String>,
}

impl<P: Protocol> Invariant<P> {
    /// What these processors violate of it.
    pub fn violation(&self, processors: &[P::Processor]) -> Option<Violation> {
        (self.holds)(processors).err().map(|detail| Violation { property: self.name, detail })
    }
}

impl<P: Protocol> fmt::Debug for Invariant<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
