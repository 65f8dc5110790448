//! `cargo xtask test`: everything that must pass, set-up included.

use std::path::Path;
use std::process::Command;

use crate::command::{cargo, heading, in_ci, installed_targets, must, must_reading, works};
use crate::suites::Suites;
use crate::{example, mpi, python, tidy, wasm};

/// Crates that must build without the standard library.
const WITHOUT_STD: [&str; 4] = ["ringleader-model", "ringleader-protocols", "ringleader-sim", "ringleader-exact"];

/// Runs all suites, the quickest to fail first; prints how long each took, also if one failed. `thorough`: with all random runs.
pub(crate) fn run(root: &Path, thorough: bool) -> Result<(), String> {
    let mut suites = Suites::default();
    let mut counts = TestCounts::default();
    let result = run_suites(root, thorough, &mut suites, &mut counts);
    heading("time of each suite");
    print!("{suites}");
    // CI reads the last of these lines, and the last crate's doctests may be none.
    println!("\ntotal: {} passed, {} failed, {} skipped", counts.passed, counts.failed, counts.ignored);
    result?;
    if counts.passed == 0 { Err("no test was run".to_string()) } else { Ok(()) }
}

fn run_suites(root: &Path, thorough: bool, suites: &mut Suites, counts: &mut TestCounts) -> Result<(), String> {
    suites.time("set-up", || {
        component(root, "fmt", "rustfmt")?;
        component(root, "clippy", "clippy")
    })?;
    suites.time("format", || must(&mut cargo(root, &["fmt", "--all", "--check"]), "cargo fmt --all"))?;
    suites.time("tidy", || tidy::run(root))?;
    suites.time("lints", || {
        let arguments = ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
        must(&mut cargo(root, &arguments), "fix what clippy names, or allow it with a reason")
    })?;
    suites.time("documentation", || {
        let mut doc = cargo(root, &["doc", "--workspace", "--no-deps", "--locked"]);
        must(doc.env("RUSTDOCFLAGS", "-D warnings"), "fix the links and markup that rustdoc names")
    })?;
    suites.time("build without std", || without_std(root))?;
    suites.time("build for wasm32", || wasm::check_if_possible(root, in_ci()))?;
    suites.time("licences, bans and sources", || dependencies(root))?;
    suites.time("build of the tests", || {
        must(&mut cargo(root, &["test", "--workspace", "--locked", "--no-run"]), "fix what the compiler names")
    })?;
    suites.time("a protocol of one's own", || example::run(root))?;
    suites.time("the Python package", || python::test_if_possible(root, in_ci()))?;
    suites.time("the program for MPI", mpi::skip);
    tests(root, thorough, suites, counts)
}

fn tests(root: &Path, thorough: bool, suites: &mut Suites, counts: &mut TestCounts) -> Result<(), String> {
    heading("tests");
    let mut test = cargo(root, &["test", "--workspace", "--locked", "--no-fail-fast"]);
    if thorough {
        test.env("RINGLEADER_THOROUGH", "1");
    }
    let advice = "the failures are listed above; read a changed snapshot and accept it with `cargo insta review`";
    let tested = must_reading(&mut test, advice, |line| {
        if let Some(name) = test_binary(line) {
            suites.begin(name);
        }
        counts.read(line);
    });
    suites.end();
    tested
}

/// The test binary that cargo says it runs: `Running tests/main.rs (target/debug/deps/all-0123)`, `Doc-tests NAME`.
fn test_binary(line: &str) -> Option<String> {
    let line = line.trim_start();
    if let Some(name) = line.strip_prefix("Doc-tests ") {
        return Some(format!("{name}, doctests"));
    }
    let (source, path) = line.strip_prefix("Running ")?.split_once(" (")?;
    let file = path.trim_end_matches(')').rsplit(['/', '\\']).next()?;
    let name = file.rsplit_once('-').map_or(file, |(name, _hash)| name);
    let kind = if source.starts_with("unittests") { "unit tests" } else { source };
    Some(format!("{name}, {kind}"))
}

/// Makes sure that a component of the toolchain is installed.
fn component(root: &Path, subcommand: &str, name: &str) -> Result<(), String> {
    if works(&mut cargo(root, &[subcommand, "--version"])) {
        println!("    {name} is installed");
        return Ok(());
    }
    must(Command::new("rustup").args(["component", "add", name]), &format!("install {name} for this toolchain by hand"))
}

/// Builds the `no_std` crates for a target that has no standard library, where one is installed.
fn without_std(root: &Path) -> Result<(), String> {
    let Some(target) = installed_targets(root).into_iter().find(|target| is_bare(target)) else {
        println!(
            "    skipped: no target without a standard library is installed (`rustup target add x86_64-unknown-none`);\n    \
             `cargo xtask tidy` sees to it that the crates say `#![no_std]`"
        );
        return Ok(());
    };
    let mut arguments = vec!["build", "--locked", "--target", &target];
    arguments.extend(WITHOUT_STD.iter().flat_map(|package| ["--package", *package]));
    must(&mut cargo(root, &arguments), "remove the use of `std`, or the dependency that needs it")
}

/// Targets without an operating system say `none` where others name it.
fn is_bare(target: &str) -> bool {
    target.split('-').any(|part| part == "none")
}

/// Checks the dependencies against `deny.toml`, where cargo-deny is installed.
fn dependencies(root: &Path) -> Result<(), String> {
    if !works(&mut cargo(root, &["deny", "--version"])) {
        println!("    skipped: cargo-deny is not installed (`cargo install cargo-deny --locked`)");
        return Ok(());
    }
    must(
        &mut cargo(root, &["deny", "check", "licenses", "bans", "sources"]),
        "choose another dependency, or allow it in deny.toml with a reason",
    )
}

/// The results of all test binaries together.
#[derive(Default, PartialEq, Eq, Debug)]
struct TestCounts {
    passed: u64,
    failed: u64,
    ignored: u64,
}

impl TestCounts {
    /// Adds `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
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
        let mut counts = TestCounts::default();
        counts.read("running 4 tests");
        counts.read("test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s");
        counts
            .read("test result: FAILED. 20 passed; 2 failed; 0 ignored; 0 measured; 7 filtered out; finished in 1.00s");
        assert_eq!(counts, TestCounts { passed: 23, failed: 2, ignored: 1 });
    }

    #[test]
    fn test_binaries_are_named_after_their_crate_and_file() {
        let named = |line| test_binary(line).unwrap_or_default();
        assert_eq!(
            named("     Running unittests src/lib.rs (target/debug/deps/ringleader_sim-01ab)"),
            "ringleader_sim, unit tests"
        );
        assert_eq!(named("     Running tests/main.rs (target/debug/deps/all-01ab)"), "all, tests/main.rs");
        assert_eq!(named(r"     Running tests\main.rs (target\debug\deps\all-01ab.exe)"), r"all, tests\main.rs");
        assert_eq!(named("   Doc-tests ringleader_model"), "ringleader_model, doctests");
        assert_eq!(named("test a ... ok"), "");
        assert_eq!(named("running 4 tests"), "");
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
