//! `cargo xtask lab`: compiles the page's engine to WebAssembly and writes what is generated for the page.
//!
//! The module is committed compressed, so that nobody needs a compiler for wasm32 to build or run the lab. Its bytes do not
//! depend on where it was compiled: paths are left out of it. It is stale when it behaves differently, which a test of
//! `crates/lab` finds out by running it.

mod function_order;

use std::path::Path;
use std::process::Command;

use crate::command::{cargo, gzip, must};
use crate::wasm::{TARGET, adapt};

/// The directory of the build.
const BUILT: &str = "target/wasm32";
const MODULE: &str = "crates/lab/lab.wasm.gz";
/// A module that is larger takes too long to load.
const MOST_BYTES: usize = 1000 << 10;
const ADVICE: &str = "`cargo xtask wasm` says what does not compile for wasm32";

pub(crate) fn run(root: &Path) -> Result<(), String> {
    write_theme(root)?;
    let mut command = adapt(root, module(root), true)?.ok_or("there is no compiler for wasm32")?;
    must(&mut command, ADVICE)?;
    let built = root.join(BUILT).join(TARGET).join("release");
    let module =
        std::fs::read(built.join("ringleader_lab.wasm")).map_err(|error| format!("cannot read the module: {error}"))?;
    let sorted = built.join("lab.wasm");
    write(&sorted, &function_order::sorted(&module)?)?;
    let packed = gzip(&sorted)?;
    write(&root.join(MODULE), &packed)?;
    println!("    {MODULE}: {} KB", packed.len() >> 10);
    if packed.len() > MOST_BYTES {
        return Err(format!("the module has {} KB; allowed: {} KB", packed.len() >> 10, MOST_BYTES >> 10));
    }
    must(&mut stale(root), "the module must behave as the library does: look at what the test says")
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// The build of the module. Small rather than fast: it is loaded more often than it runs for long.
fn module(root: &Path) -> Command {
    let mut command = cargo(root, &["rustc", "--locked", "--release", "--package", "ringleader-lab"]);
    command.args(["--features", "session", "--crate-type", "cdylib", "--target", TARGET, "--target-dir", BUILT]);
    for setting in ["opt-level='z'", "lto='fat'", "codegen-units=1", "panic='abort'"] {
        command.args(["--config", &format!("profile.release.{setting}")]);
    }
    command.args(["--config", "profile.release.package.ringleader-check.codegen-units=1"]);
    command.env("RUSTFLAGS", flags(root));
    command
}

/// Flags that leave the paths of this machine, and all padding, out of what is compiled.
fn flags(root: &Path) -> String {
    let home =
        std::env::var("CARGO_HOME").unwrap_or_else(|_| format!("{}/.cargo", std::env::var("HOME").unwrap_or_default()));
    let sysroot = crate::command::sysroot(root).unwrap_or_default();
    let pairs =
        [(root.display().to_string(), "/ringleader"), (home, "/cargo"), (sysroot.display().to_string(), "/rust")];
    let mut flags = vec!["-Clink-arg=--compress-relocations".to_string(), "-Clink-arg=--strip-all".to_string()];
    flags.extend(pairs.iter().map(|(from, to)| format!("--remap-path-prefix={from}={to}")));
    flags.join(" ")
}

/// Writes the colours of pictures as a style sheet of the page.
fn write_theme(root: &Path) -> Result<(), String> {
    let mut test = tests(root, "theme");
    must(test.env("WRITE_THEME", "1"), "look at crates/lab/tests/theme.rs")
}

fn stale(root: &Path) -> Command {
    tests(root, "module")
}

fn tests(root: &Path, name: &str) -> Command {
    cargo(root, &["test", "--quiet", "--package", "ringleader-lab", "--features", "session", "--test", name])
}
