//! Elections on many small rings: every order of the identities, one run each, counted exactly.
//!
//! With unit delays a run is a FIFO queue: take a message out, take a step, put the messages that it sends in. A [`Kernel`]
//! does nothing else. It is generic over [`Protocol`](ringleader_model::Protocol), allocates nothing in a run and has no clock,
//! thread or float, so that it compiles for a GPU as well. An [`IdentityOrder`] is one order of the identities, found by its
//! rank; [`SmallInstances`] numbers orders, wake sets and orientations; an [`ExactDistribution`] adds up what runs cost, in integers, so that results do not depend on who adds what first.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod distribution;
mod grid;
mod identity_order;
mod instances;
mod kernel;
mod run_values;

pub use distribution::{Attained, ExactDistribution};
pub use grid::{GridResult, Launch, Tallies, run_thread};
pub use identity_order::{IdentityOrder, Rotations};
pub use instances::SmallInstances;
pub use kernel::{KINDS, Kernel, KernelRun, RingKernel, RunCounts, Unsuited};
pub use run_values::{COMMON, QUANTITIES, RunValues};

/// The most processors of a ring.
pub const MOST: usize = 16;
