//! The catalogue: every protocol in a file of its own, under its authors' names.
//!
//! Each is a pure state machine over [`ringleader_model`]; none knows an engine. [`catalogue`] lists them.
#![no_std]
#![warn(clippy::float_arithmetic)]

extern crate alloc;

pub mod catalogue;
pub mod election;
mod logarithm;
pub mod mutual_exclusion;
pub mod readers_writers;
pub mod retransmission;
pub mod token;
