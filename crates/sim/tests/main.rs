//! One test binary: every file instantiates the same simulations of the same toy protocols.

mod changing_timing;
mod common;
mod determinism;
mod faults;
mod interventions;
mod large;
mod links;
mod moves;
mod steps;
mod ties;
mod timers;
mod timing;
mod untimed;
mod workload;
