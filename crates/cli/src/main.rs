//! The `ringleader` command.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: ringleader::HugePages = ringleader::HugePages;

fn main() -> ExitCode {
    ExitCode::from(ringleader::main() as u8)
}
