//! Discrete-event simulation of protocols in Archimedean time.
//!
//! A [`Simulation`] runs the processors of one protocol through one scenario. It is deterministic: the same scenario and
//! seed give the same run, step by step, on every machine. What is left to chance is drawn from streams keyed by what it
//! is for, so that no order of execution changes it; all of it can be recorded and fed back as a list of choices.
//!
//! There are no threads, clocks or files in here: [`Run::advance`] works in slices, and the caller keeps the time.
#![no_std]
#![warn(clippy::float_arithmetic)]

extern crate alloc;

mod chance;
mod clock;
mod detail;
mod half;
mod line;
mod link;
mod lists;
mod queue;
mod race;
mod random;
mod run;
mod simulation;
mod timer;
mod untimed;
mod visits;
mod wheel;
mod world;

pub use chance::{BadChoice, Choices};
pub use clock::Resolved;
pub use detail::{Detail, Full, Lean};
pub use random::{Random, STREAMS_VERSION};
pub use run::{Cost, Effect, FINISHES, Record, Run, Silence, Step, Summary, Verdict};
pub use simulation::Simulation;
pub use untimed::Impossible;
