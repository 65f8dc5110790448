//! The `ringleader-mpi` command.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: ringleader_cli::HugePages = ringleader_cli::HugePages;

fn main() -> ExitCode {
    ringleader_mpi::start(ringleader_mpi::run)
}
