//! The common parts of the protocols in tests.

use ringleader_model::{Assumptions, Description, Message};
use serde::Serialize;

pub(crate) const ASSUMPTIONS: Assumptions =
    Assumptions { identities: false, timed: true, ports_alike: false, ..Assumptions::RING };

pub(crate) const DESCRIPTION: Description = Description { name: "toy", assumptions: ASSUMPTIONS, ..Description::NEW };

/// A message with a number.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
pub(crate) struct ToyMessage(pub(crate) u32);
