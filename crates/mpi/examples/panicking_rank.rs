//! A job whose last rank panics while the others wait for it: `cargo xtask mpi` sees that all of them end.

use std::process::ExitCode;

use ringleader_cli::Exit;

fn main() -> ExitCode {
    ringleader_mpi::start(|ranks| {
        assert!(ranks.rank() + 1 < ranks.size(), "this is the panic of a test");
        ranks.any(false);
        Exit::Held
    })
}
