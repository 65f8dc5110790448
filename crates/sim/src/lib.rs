//! Discrete-event simulation of protocols in Archimedean time.
//!
//! A [`Simulation`] runs the processors of one protocol in one scenario. It is deterministic: the same scenario and
//! seed give the same run, step by step, on every machine. Random choices are drawn from streams keyed by their purpose
//! and place, so that the order of execution does not change them; all of them can be recorded and followed again.
//!
//! The crate uses no threads, clocks or files: [`Run::advance`] works in slices, and the caller keeps the time.
#![no_std]
#![warn(clippy::float_arithmetic)]

extern crate alloc;

mod bucket_lists;
mod causal;
mod changing_clock;
mod choice_source;
mod clock;
mod compact;
mod delay_model;
mod effects;
mod engine_state;
mod fast_path;
mod faults;
mod fields;
mod half_duplex;
mod in_flight;
mod input_queue;
mod inspect;
mod instant;
mod instrumentation;
mod interventions;
mod links_in_flight;
mod losing_rules;
mod moves;
mod phase_begins;
mod place_states;
mod random_stream;
mod requests;
mod run;
#[cfg(feature = "schema")]
mod schema;
mod simulation;
mod sorted_order;
mod state_digest;
mod step;
mod timers;
mod timing_wheel;
mod untimed;
mod untimed_views;
mod views;
mod workload;

pub use causal::{AdvanceAll, Batch, CausalSimulation, NEVER_CAUSAL, NotCausal, RingAccount, Segment};
pub use choice_source::{BadChoice, Choices};
pub use clock::Resolved;
pub use fields::{FieldChange, described};
pub use inspect::{
    ClockView, EnabledAction, InspectableRun, MessageStage, MessageView, ProcessorStatus, ProcessorView, RunPosition,
    TimerView,
};
pub use instrumentation::{Full, Instrumentation, Lean};
pub use interventions::{AppliedIntervention, InterventionEffect};
pub use phase_begins::PhaseBegin;
pub use random_stream::{Random, STREAMS_VERSION};
pub use ringleader_model::ProcessorState;
pub use run::{Cost, ExecutionOrder, Run, StopReason, Summary, TERMINATION, Verdict};
pub use simulation::Simulation;
pub use step::{Cause, Effect, MessageContent, MessageNumber, Record, Step, StepEffect};
pub use untimed::ScheduleError;
