//! Ringleader: leader election, mutual exclusion and readers-writers protocols, written once, simulated at up to a hundred
//! million processors and measured against what is proved about them.
//!
//! This is the library behind the `ringleader` command: [`Options`] are what the command line says, a [`Plan`] is what
//! that means, an [`Execution`] is a run of it, and a [`Report`] is what came of it. The parts underneath can be used on
//! their own: [`model`], [`protocols`], [`sim`].

pub use ringleader_model as model;
pub use ringleader_protocols as protocols;
pub use ringleader_sim as sim;

mod arguments;
mod bench;
mod check;
mod claim;
mod commands;
mod counterexample;
mod doctor;
mod error;
mod execution;
mod gamma;
mod huge_pages;
mod league;
mod memory;
mod options;
mod picture;
mod plan;
mod report;
mod shrink;
mod text;
mod trace_file;

pub use arguments::command_line;
pub use bench::{Measurement, Stopwatch, Workload};
pub use check::{ChancesReport, CheckReport, Figures, Row, document};
pub use commands::main;
pub use counterexample::recorded;
pub use error::{Error, Exit};
pub use execution::{EvaluatedBound, Execution};
pub use huge_pages::HugePages;
pub use options::Options;
pub use plan::Plan;
pub use report::Report;
pub use shrink::shrink;
pub use trace_file::TraceFile;
