//! `cargo xtask wasm`: the library that a web page needs builds for wasm32.
//!
//! Where the toolchain has no wasm32 target and cannot download one, Debian's packaged compiler and the sources of its
//! standard library do.

use std::path::Path;
use std::process::Command;

use crate::command::{cargo, installed_targets, must, works};
use crate::debian;

pub(crate) const TARGET: &str = "wasm32-unknown-unknown";
/// Libraries that must build for wasm32, the lab with its sessions.
const LIBRARIES: [&str; 2] = ["ringleader", "ringleader-lab"];
const SESSIONS: &str = "ringleader-lab/session";
/// The directory of the build.
const BUILT: &str = "target/wasm32";
/// The features that became stable between Debian's 1.85 and our `rust-version`, as far as they are used.
const FEATURES: &str = "let_chains,extract_if,unsigned_is_multiple_of";
const ADVICE: &str = "keep terminals, files, threads and clocks out of what the page needs; a feature that Debian's compiler \
                      calls unstable goes into FEATURES of xtask/src/wasm.rs";

/// Checks the build, and gets what it needs first.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    check_if_possible(root, true)
}

/// Checks the build if a compiler for wasm32 is there. If not, either gets one or prints a skip.
pub(crate) fn check_if_possible(root: &Path, get: bool) -> Result<(), String> {
    match adapt(root, check(root), get)? {
        Some(mut check) => must(&mut check, ADVICE),
        None => {
            println!(
                "    skipped: no compiler for wasm32 is installed (`rustup target add {TARGET}`, or `cargo xtask wasm`)"
            );
            Ok(())
        }
    }
}

/// A cargo command for wasm32, for the compiler that there is. If there is none, either gets one or returns `None`.
pub(crate) fn adapt(root: &Path, command: Command, get: bool) -> Result<Option<Command>, String> {
    if has_target(root) || (get && works(Command::new("rustup").current_dir(root).args(["target", "add", TARGET]))) {
        return Ok(Some(command));
    }
    if !debian::is_unpacked(root) {
        if !get {
            return Ok(None);
        }
        let failed = |why| format!("cannot get a compiler for {TARGET}: `rustup target add` failed, and {why}");
        debian::get(root).map_err(failed)?;
    }
    with_debian(root, command).map(Some)
}

fn has_target(root: &Path) -> bool {
    installed_targets(root).iter().any(|target| target == TARGET)
}

fn check(root: &Path) -> Command {
    let mut command = cargo(root, &["check", "--locked", "--lib", "--target", TARGET, "--target-dir", BUILT]);
    command.args(LIBRARIES.iter().flat_map(|library| ["--package", *library])).args(["--features", SESSIONS]);
    command
}

/// A command for Debian's compiler, which builds the standard library, too, and is older than our `rust-version`.
fn with_debian(root: &Path, mut command: Command) -> Result<Command, String> {
    command.args(["--ignore-rust-version", "-Zbuild-std=std,panic_abort", "-Zprofile-rustflags"]);
    let release = command.get_args().any(|argument| argument == "--release");
    let profile = if release { "release" } else { "dev" };
    for package in packages(root)? {
        let flags = format!("profile.{profile}.package.{package}.rustflags=['-Zcrate-attr=feature({FEATURES})']");
        command.args(["--config", &flags]);
    }
    debian::compile_with(&mut command, root);
    Ok(command)
}

/// The names of the packages under `crates`.
fn packages(root: &Path) -> Result<Vec<String>, String> {
    let cannot = |error: std::io::Error| format!("cannot read the manifests: {error}");
    let mut names = Vec::new();
    for entry in root.join("crates").read_dir().map_err(cannot)? {
        let manifest = std::fs::read_to_string(entry.map_err(cannot)?.path().join("Cargo.toml")).map_err(cannot)?;
        names.extend(manifest.lines().find_map(|line| line.strip_prefix("name = ")).map(|name| name.replace('"', "")));
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_library_is_a_package_of_the_workspace() {
        let packages = packages(&crate::root()).unwrap();
        assert!(LIBRARIES.iter().all(|library| packages.iter().any(|package| package == library)), "{packages:?}");
    }
}
