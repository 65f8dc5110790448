//! Every schedule of a small instance of a protocol, from the protocol's own code.
//!
//! An [`Explorer`] takes every step that is possible in every order: wakes, arrivals and timers at any moment, every outcome
//! of every choice. Nothing in a configuration knows the time, so what holds here holds whatever clocks and delays do.
//!
//! What makes it fast: processors, queues and monitors are kept once each and named by numbers, so a configuration is a short
//! row of numbers; a step is worked out once for each state of a processor and looked up ever after; and the fingerprint of a
//! configuration changes with the few numbers that a step changes.
#![warn(clippy::float_arithmetic)]

mod explorer;
mod interner;
mod queues;
mod search;
mod step;

pub use explorer::Explorer;
pub use search::{Explored, Move, Property};
