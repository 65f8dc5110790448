//! The `ringleader` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(ringleader::main() as u8)
}
