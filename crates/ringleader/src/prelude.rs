//! All that a protocol of one's own needs: `use ringleader::prelude::*;`.
//!
//! ```
//! use ringleader::prelude::*;
//!
//! #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
//! enum Ballot {
//!     Candidate(Id),
//!     #[message(announcement)]
//!     Elected(Id),
//! }
//!
//! assert_eq!(Ballot::Candidate(Id::new(7)).to_string(), "candidate 7");
//! ```
//!
//! `#[derive(Serialize)]` needs serde among the dependencies, with its feature `derive`.

pub use ringleader_model::LibraryMessage as Message;
pub use ringleader_model::{
    Assumptions, BadSetting, BidirectionalRing, Bound, BoundKind, Complete, Description, Display, Effects, Election,
    ElectionReport, EntryReport, EntryRequest, Event, Id, Inspect, Instance, Invariant, Links, MutualExclusion,
    NoTimer, Parameter, Port, Processor, Protocol, Quantity, Ring, Scenario, Seat, Settings, Starts, Ticks, Topology,
    Value, Values,
};
pub use serde::Serialize;

pub use crate::entry::{Entry, Of, find};
pub use crate::options::{processors, ring};
