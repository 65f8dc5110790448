//! `cargo xtask test`: everything a fresh machine needs to pass the tests, set-up included.

use std::path::Path;
use std::process::Command;

use crate::command::{cargo, heading, must, must_reading, works};
use crate::tidy;

/// What must build without a standard library.
const WITHOUT_STD: [&str; 3] = ["ringleader-model", "ringleader-protocols", "ringleader-sim"];

/// Runs all checks in order of how fast they fail; the tests come last, so that their results are what is read last.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    heading("set-up");
    component(root, "fmt", "rustfmt")?;
    component(root, "clippy", "clippy")?;

    heading("format");
    must(&mut cargo(root, &["fmt", "--all", "--check"]), "cargo fmt --all")?;

    heading("tidy");
    tidy::run(root)?;

    heading("lints");
    let arguments = ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
    must(&mut cargo(root, &arguments), "put right what clippy names, or allow it with a reason")?;

    heading("documentation");
    let mut doc = cargo(root, &["doc", "--workspace", "--no-deps", "--locked"]);
    must(doc.env("RUSTDOCFLAGS", "-D warnings"), "put right the links and markup that rustdoc names")?;

    heading("without a standard library");
    without_std(root)?;

    heading("tests");
    let mut tally = Tally::default();
    let mut test = cargo(root, &["test", "--workspace", "--locked", "--no-fail-fast"]);
    let tested = must_reading(
        &mut test,
        "the failures are listed above; a changed snapshot is looked at and accepted with \
                                          `cargo insta review`",
        |line| tally.read(line),
    );
    // CI reads the last of these lines, and the last crate's doctests may be none.
    println!("\ntotal: {} passed, {} failed, {} skipped", tally.passed, tally.failed, tally.ignored);
    tested?;
    if tally.passed == 0 { Err("no test was run".to_string()) } else { Ok(()) }
}

/// Makes sure that a component of the toolchain is there.
fn component(root: &Path, subcommand: &str, name: &str) -> Result<(), String> {
    if works(&mut cargo(root, &[subcommand, "--version"])) {
        println!("    {name} is there");
        return Ok(());
    }
    must(Command::new("rustup").args(["component", "add", name]), &format!("install {name} for this toolchain by hand"))
}

/// Builds what must not need a standard library for a target that has none, if there is such a target.
fn without_std(root: &Path) -> Result<(), String> {
    let Some(target) = bare_target(root) else {
        println!(
            "    skipped: no target without a standard library is installed; `rustup target add x86_64-unknown-none` is one.\n    \
             Until then only `#![no_std]` forbids it, which `cargo xtask tidy` insists on"
        );
        return Ok(());
    };
    let mut arguments = vec!["build", "--locked", "--target", &target];
    arguments.extend(WITHOUT_STD.iter().flat_map(|package| ["--package", *package]));
    must(&mut cargo(root, &arguments), "take the use of `std` out, or the dependency that needs it")
}

/// A target that is installed and has no standard library.
fn bare_target(root: &Path) -> Option<String> {
    let sysroot = Command::new("rustc").current_dir(root).args(["--print", "sysroot"]).output().ok()?;
    let libraries = Path::new(String::from_utf8_lossy(&sysroot.stdout).trim()).join("lib/rustlib");
    let mut targets: Vec<String> =
        libraries.read_dir().ok()?.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    targets.sort();
    targets.into_iter().find(|target| is_bare(target) && libraries.join(target).join("lib").is_dir())
}

/// Targets without an operating system say `none` where others name it.
fn is_bare(target: &str) -> bool {
    target.split('-').any(|part| part == "none")
}

/// The results of all test binaries together.
#[derive(Default, PartialEq, Eq, Debug)]
struct Tally {
    passed: u64,
    failed: u64,
    ignored: u64,
}

impl Tally {
    /// Takes in `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
    fn read(&mut self, line: &str) {
        let Some(result) = line.strip_prefix("test result: ") else { return };
        let counts = result.split_once(". ").map_or("", |(_, counts)| counts);
        for count in counts.split("; ") {
            let Some((number, what)) = count.split_once(' ') else { continue };
            let number: u64 = number.parse().unwrap_or(0);
            match what {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.ignored += number,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_several_binaries_are_added_up() {
        let mut tally = Tally::default();
        tally.read("running 4 tests");
        tally.read("test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s");
        tally
            .read("test result: FAILED. 20 passed; 2 failed; 0 ignored; 0 measured; 7 filtered out; finished in 1.00s");
        assert_eq!(tally, Tally { passed: 23, failed: 2, ignored: 1 });
    }

    #[test]
    fn targets_without_an_operating_system_are_bare() {
        assert!(
            is_bare("x86_64-unknown-none")
                && is_bare("thumbv7em-none-eabihf")
                && is_bare("riscv32imac-unknown-none-elf")
        );
        assert!(!is_bare("x86_64-unknown-linux-gnu") && !is_bare("wasm32-unknown-unknown"));
    }
}
