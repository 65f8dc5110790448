//! Ringleader: leader election, mutual exclusion and readers-writers protocols, written once, simulated at up to a hundred
//! million processors, model-checked over every schedule of small instances, and measured against what is proved about them.
//!
//! An [`Entry`] is a protocol of the [`catalogue`], its type erased. Set up with a scenario it is a [`Setup`], validated once,
//! which is run and checked:
//!
//! ```
//! use ringleader::{Effort, check::CheckVerdict, find, ring};
//!
//! let setup = find("peterson")?.set_up(ring([3, 1, 4, 2]), &[])?;
//! let run = setup.run()?;
//! println!("{} messages", run.cost.messages());
//! let answer = setup.check(&Effort::default())?;
//! assert_eq!(answer.verdict(), CheckVerdict::Holds);
//! # assert_eq!(run.verdict, ringleader::sim::Verdict::Held);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A protocol of one's own, a type that implements [`model::Protocol`], has the entry [`Of`].
//!
//! There is no terminal, file, signal or clock in here. Time and cancellation are handed in as a [`Watch`]; whoever reads and
//! writes files hands in and takes out text. Threads are used only where an [`Effort`] asks for more than one.

pub use ringleader_check as checker;
pub use ringleader_model as model;
pub use ringleader_protocols as protocols;
pub use ringleader_sim as sim;

mod about;
pub mod benchmark;
pub mod bibliography;
mod catalogue;
mod causal_run;
pub mod check;
pub mod claim;
mod counterexample;
pub mod document;
mod entry;
mod error;
pub mod exact;
mod execution;
mod gamma;
mod guarded_run;
pub mod league;
mod options;
pub mod picture;
pub mod plot;
pub mod prelude;
pub mod report;
mod setup;
mod shrink;
mod shrink_lasso;
pub mod statistics;
mod step_report;
mod step_text;
pub mod sweep;
mod trace_file;
mod watch;
pub mod worst;

pub use about::{
    About, AboutBound, AboutErratum, AboutParameter, AboutPromise, Listed, about, about_parameters, listed,
};
pub use catalogue::{Catalogue, UnknownProtocol, catalogue, find};
pub use causal_run::advance_each_on_a_thread;
pub use counterexample::recorded;
pub use entry::{Case, Entry, ErasedKernel, Facts, Implied, Of};
pub use error::{Error, flag};
pub use execution::{EvaluatedBound, EvaluatedIdentityBound, EvaluatedPhaseBound, Execution, MESSAGES, RunEnd};
pub use gamma::Gamma;
pub use options::values;
pub use options::{
    CommandLine, Engine, FOREVER, OptionKind, Options, Order, RUN_OPTIONS, RunOption, TimingName, processors, program,
    quoted, ring, run_line, set_program, setting, words,
};
pub use report::RunReport;
pub use ringleader_check::Effort;
pub use setup::{RingHistory, Setup};
pub use shrink::shrink;
pub use step_report::StepReport;
pub use step_text::StepText;
pub use trace_file::{Recorded, RecordedResult, RecordedScenario, TRACE_FORMAT, TraceFile, trace_schema};
pub use watch::Watch;
