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
    Assumptions, BadSetting, BidirectionalRing, Bound, BoundKind, Complete, DataReport, DataRequest, Departure,
    Description, Display, Effects, Election, ElectionReport, ElectionRequest, EntryReport, EntryRequest, Erratum,
    Event, Figure, Id, Inspect, Instance, Invariant, Kind, Links, MutualExclusion, NoRequest, NoTimer, OneToken,
    Parameter, Place, Port, Preset, Processor, Protocol, Quantity, ReadersWriters, Reading, Ring, Scenario, Seat,
    Settings, SharedData, Starts, SymmetryBreaking, Ticks, Time, TokenReport, Topology, Value, Values,
};
pub use serde::Serialize;

pub use crate::catalogue::find;
pub use crate::entry::{Entry, Of};
pub use crate::options::{processors, ring};
