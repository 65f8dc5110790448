//! The model of distributed protocols that every part of Ringleader shares.
//!
//! A protocol is a [`Processor`]: a pure state machine that reacts to one [`Event`] at a time and asks for [`Effects`].
//! It reads no clock, owns no random source and does not know its place, only its ports. Beside it stands a
//! [`Protocol`]: its parameters, its assumptions, its messages and its [bounds](Bound). A [`Problem`] says what it is
//! for, and its [`Monitor`] checks it. A [`Scenario`] fixes everything that the environment chooses: processors, wake
//! times, clocks, delays, faults.
//!
//! Engines implement [`Effects`] and know no protocol; protocols use [`Effects`] and know no engine.
//!
//! ```
//! use ringleader_model::{Assumptions, Scenario};
//!
//! let scenario = Scenario { n: 4, ids: vec![3, 1, 4, 2], ..Scenario::default() };
//! assert!(scenario.check(&Assumptions::RING).is_ok());
//! let twice = Scenario { ids: vec![3, 1, 3, 2], ..scenario };
//! assert_eq!(twice.check(&Assumptions::RING).unwrap_err().field, "ids");
//! ```
//!
//! [`Protocol`], [`Processor`], [`Message`], [`Problem`], [`Bound`] and [`Departures`] have examples of their own.
#![no_std]
#![warn(clippy::float_arithmetic)]

extern crate alloc;
#[cfg(test)]
extern crate self as ringleader_model;

mod any_network;
mod bound;
mod comparison;
mod departure;
mod election;
mod faults;
mod field;
mod identities;
mod identity;
mod instant;
mod intervention;
mod invariant;
mod lemma;
mod load;
mod milestone;
mod mutual_exclusion;
mod network;
mod notation;
mod numbered_sites;
mod permutation;
mod problem;
mod processor;
mod processor_state;
mod promise;
mod proposition;
mod protocol;
mod ring_change;
mod scenario;
mod schedule;
mod service_order;
mod shared_data;
mod symmetry;
mod task;
mod time;
mod timing_change;
mod token;
mod trace;
mod workload;

pub use any_network::AnyNetwork;
pub use bound::{Bound, BoundKind, IdentityBound, PhaseBound, Quantity, Value};
pub use comparison::{Operand, StepComparison};
pub use departure::{Departure, Departures};
pub use election::{Election, ElectionMonitor, ElectionReport, ElectionRequest, Leader};
pub use faults::{AtMost, Cut, Faults, Pause, Restart, Share};
pub use field::Field;
pub use identities::Identities;
pub use identity::{AnyId, Id, ShortId};
pub use instant::InstantStage;
pub use intervention::{Intervention, Interventions, MessageAction};
pub use invariant::Invariant;
pub use lemma::{Fact, Histories, Lemma, LemmaMonitor};
pub use load::{LoadChange, SiteLoad};
pub use milestone::Milestone;
pub use mutual_exclusion::{EntryMeter, EntryMonitor, EntryReport, EntryRequest, MutualExclusion, ReadersWriters};
pub use network::{
    BidirectionalRing, Complete, Network, Numbering, Orientation, PortBlind, Ports, Ring, Topology, mix,
};
pub use notation::{BadText, digits, exchanged, integer, integers, place_at, word};
pub use permutation::{PERMUTATION_STREAM, Permutation, PermutedValues};
pub use problem::{Monitor, Outcome, Problem, Violation};
pub use processor::{
    Effects, Event, Inspect, Kind, Message, Never, NoReport, NoRequest, NoTimer, Part, Port, Processor, Report,
    Request, assert_rule, int_bits, tag_bits,
};
pub use processor_state::ProcessorState;
pub use promise::{Promise, Promised, Promises};
pub use proposition::Proposition;
pub use protocol::{
    Assumptions, BadSetting, Description, Erratum, Figure, Instance, Parameter, PortUse, Profile, Protocol, Seat,
    Settings, Spread, Starts, Values,
};
pub use ring_change::{ChangedRing, RingChange, RingChanges};
#[doc(hidden)]
pub use ringleader_derive::LibraryMessage;
pub use ringleader_derive::{Display, Message};
pub use scenario::{Clocks, Delays, Links, Offsets, Preset, Range, Reading, Scenario, Ties, Timing, WakeSet, Wakes};
pub use schedule::{Action, ChoicePoint, ScheduledChoices};
pub use service_order::SequenceNumber;
pub use shared_data::{DataMeter, DataMonitor, DataReport, DataRequest, SharedData};
pub use symmetry::{SymmetryBreaking, SymmetryMonitor};
pub use task::{Task, TaskMonitor, TaskReport, TaskResult, Tasked};
pub use time::{Ticks, Time};
pub use timing_change::{Assumed, ChangingRange, TimingChange, TimingExceeded};
pub use token::{OneToken, TokenMeter, TokenMonitor, TokenReport};
pub use trace::{TRACE_VERSION, TraceHash, run_digest, run_digest_of};
pub use workload::{Lengths, Meter, Tally, WholeRun, Workload, WorkloadEvent, WorkloadRequests};

/// The engine's index of a processor, clockwise on a ring. A processor never learns its own.
pub type Place = u32;

/// One of several users of a place, from 0.
pub type LocalUser = u16;
