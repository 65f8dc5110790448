//! Tasks of the repository: `cargo xtask help`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a task runner talks to the person who runs it")]

mod command;
mod cross_check;
mod debian;
mod example;
mod fuzz;
mod gpu;
mod lab;
mod mpi;
mod python;
mod spin;
mod suites;
mod test;
mod tidy;
mod wasm;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::command::{cargo, must};

const HELP: &str = "\
cargo xtask test [--thorough]         Run everything that must pass: formatting, lints, documentation, builds, tests;
                                      thoroughly, five times as many random runs
cargo xtask tidy                      Check the rules of the architecture on the sources
cargo xtask wasm                      Check that the library builds for wasm32; get a compiler for it if there is none
cargo xtask python                    Build the Python package into target/ and test it; get the tools that it needs
cargo xtask fuzz [TARGET] [--runs N]  Run the fuzz targets, or one of them, on N inputs each
cargo xtask checked [--new|--old N|PROTOCOL|COMMAND]
                                      Repeat the checks of docs/CHECKED.md, those without results, those of at most N states
                                      without all columns, a protocol's or one; write it
cargo xtask ledger [ITEM…]            Test all claims of the ledger, or these; write docs/LEDGER.md, docs/ERRATA.md and the record
cargo xtask gpu                       Compile the kernel of `exact --device gpu` to PTX again; get a compiler for it if there is none
cargo xtask lab                       Compile the page's engine to WebAssembly again; get a compiler for it if there is none
cargo xtask mpi                       Build the program for MPI, and compare its runs on 1, 2 and 3 ranks with those of one process
cargo xtask exact                     Compute the distributions of docs/EXACT.md again; write it
cargo xtask cross-check               Have SPIN count the states of docs/CROSS_CHECKED.md, and Storm recompute probabilities
cargo xtask lab-speed                 Measure how fast the page of the lab is, in Chromium
cargo xtask errata                    Write the errata tables of BIBLIOGRAPHY.md from the protocols' descriptions

`cargo xtask test` skips what needs a tool that is not installed. With CI=true neither the wasm32
build nor the Python package is skipped.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["test"] => test::run(&root(), false),
        ["test", "--thorough"] => test::run(&root(), true),
        ["tidy"] => tidy::run(&root()),
        ["wasm"] => wasm::run(&root()),
        ["python"] => python::run(&root()),
        ["fuzz", rest @ ..] => fuzz::run(&root(), rest),
        ["checked", rest @ ..] => example_of_cli(
            &root(),
            "checked",
            rest,
            "look at the last check printed; the results before it are written",
        ),
        ["ledger", rest @ ..] => example_of_cli(&root(), "ledger", rest, "look at the last item printed"),
        ["exact"] => example_of_cli(&root(), "exact", &[], "look at the last distribution printed"),
        ["gpu"] => gpu::run(&root()),
        ["lab"] => lab::run(&root()),
        ["mpi"] => mpi::run(&root()),
        ["cross-check"] => cross_check::run(&root()),
        ["errata"] => errata(&root()),
        ["lab-speed"] => lab_speed(&root()),
        [] | ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            Ok(())
        }
        other => Err(format!("there is no task '{}'; allowed:\n{HELP}", other.join(" "))),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("\nxtask: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Runs an example of the command line's crate, which writes documents.
fn example_of_cli(root: &Path, name: &str, rest: &[&str], advice: &str) -> Result<(), String> {
    let mut arguments = vec!["run", "--release", "--quiet", "--package", "ringleader-cli", "--example", name, "--"];
    arguments.extend(rest);
    must(&mut cargo(root, &arguments), advice)
}

/// Measures the page of the lab.
fn lab_speed(root: &Path) -> Result<(), String> {
    let arguments = ["run", "--release", "--quiet", "--package", "conformance", "--example", "lab_speed"];
    must(&mut cargo(root, &arguments), "look at the lines with ✗; other programs that run meanwhile count, too")
}

/// Writes what a test of the protocols' crate compares with the committed file.
fn errata(root: &Path) -> Result<(), String> {
    let mut test = cargo(root, &["test", "--quiet", "--package", "ringleader-protocols", "--test", "errata"]);
    must(test.env("WRITE_ERRATA", "1"), "look whether BIBLIOGRAPHY.md has both markers")
}

/// The root of the repository, wherever the command was given.
fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().expect("xtask lies in the root of the repository").to_path_buf()
}
