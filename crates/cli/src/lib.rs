//! The `ringleader` command: arguments, text, files, progress and Ctrl-C around the library [`ringleader`].
//!
//! A program of one's own has all of its commands for protocols of one's own, too: [`main_with`].

mod arguments;
mod bench;
mod check;
mod commands;
mod divided_run;
mod doctor;
mod error;
mod exact;
mod export;
mod files;
mod gpu;
mod huge_pages;
mod json;
mod lab;
mod memory;
mod options;
mod partial;
mod presentation;
mod report;
mod reproduce;
mod schema;
mod shell;
mod signals;
mod steps;
mod sweep;
mod text;
mod watch;
mod worst;

pub use arguments::{check_of, command_line, run_of};
pub use bench::{Benchmark, Measurement, Stopwatch};
pub use check::{recheck, recheck_probability};
pub use commands::main_with;
pub use divided_run::{DividedRun, complain_of, memory_limits, not_causal};
pub use error::{Error, Exit};
pub use files::read_trace;
pub use huge_pages::HugePages;
pub use lab::{LabReply, LabSite};
pub use watch::Terminal;
