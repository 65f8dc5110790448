//! The one task runner: `cargo xtask help`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a task runner talks to the person who runs it")]

mod command;
mod fuzz;
mod test;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::command::{cargo, must};

const HELP: &str = "\
cargo xtask test                      everything that must pass, set-up included; what .ci/run calls
cargo xtask tidy                      the architecture's invariants, checked on the sources
cargo xtask fuzz [TARGET] [--runs N]  the fuzz targets, or one of them, N inputs each
cargo xtask checked [--new|PROTOCOL]  checks again what docs/CHECKED.md shows, and writes it anew";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["test"] => test::run(&root()),
        ["tidy"] => tidy::run(&root()),
        ["fuzz", rest @ ..] => fuzz::run(&root(), rest),
        ["checked", rest @ ..] => checked(&root(), rest),
        [] | ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            Ok(())
        }
        other => Err(format!("there is no task '{}'\nallowed:\n{HELP}", other.join(" "))),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("\nxtask: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Checks what is kept of checks again, all of it or some.
fn checked(root: &Path, rest: &[&str]) -> Result<(), String> {
    let mut arguments =
        vec!["run", "--release", "--quiet", "--package", "ringleader-cli", "--example", "checked", "--"];
    arguments.extend(rest);
    must(&mut cargo(root, &arguments), "look at the last line that was checked; what came before it is written")
}

/// The root of the repository, wherever the command was given.
fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().expect("xtask lies in the root of the repository").to_path_buf()
}
