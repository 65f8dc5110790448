//! `cargo xtask cross-check`: the model checker SPIN explores the same state spaces, and Storm recomputes exact
//! probabilities and expected costs.
//!
//! stormpy is installed into `target/`. Where it or SPIN cannot be had, the comparison is skipped, except in
//! continuous integration.

use std::path::Path;
use std::process::Command;

use crate::command::{cargo, in_ci, must, skip, works};
use crate::spin;

/// The version of stormpy whose interface `cross_check.py` uses.
const STORMPY: &str = "stormpy==2.0.0";
/// Compares one export after the other with Storm.
const SCRIPT: &str = include_str!("cross_check.py");
/// The probabilistic rows of `docs/CHECKED.md`: with schedulers and without, with clocks and without, with and without
/// error.
const ROWS: &str = include_str!("../../crates/ringleader/src/check/probabilities.jsonl");

pub(crate) fn run(root: &Path) -> Result<(), String> {
    let directory = root.join("target/cross-check");
    std::fs::create_dir_all(&directory).map_err(|error| format!("cannot make {}: {error}", directory.display()))?;
    spin::compare(root, &directory)?;
    storm(root, &directory)
}

fn storm(root: &Path, directory: &Path) -> Result<(), String> {
    let python = directory.join("venv/bin/python");
    let installed = works(Command::new(&python).args(["-c", "import stormpy"])) || {
        works(Command::new("python3").args(["-m", "venv"]).arg(directory.join("venv")))
            && works(Command::new(&python).args(["-m", "pip", "install", "--quiet", STORMPY]))
    };
    if !installed {
        let why = format!("{STORMPY} cannot be installed: python3 with venv and pip, and its packages, are needed");
        return if in_ci() { Err(why) } else { skip(&why) };
    }
    let script = directory.join("cross_check.py");
    std::fs::write(&script, SCRIPT).map_err(|error| format!("cannot write {}: {error}", script.display()))?;
    let mut compare = Command::new(&python);
    compare.arg(&script);
    for (number, check) in commands().enumerate() {
        let export = directory.join(format!("model-{}", number + 1));
        let mut arguments = vec!["run", "--release", "--quiet", "--package", "ringleader-cli", "--", "--quiet"];
        arguments.extend(check.split(' '));
        must(cargo(root, &arguments).arg("--export").arg(&export), "look at the message of the check")?;
        compare.arg(export);
    }
    must(&mut compare, "look at the figures marked WRONG: ringleader or Storm errs")
}

/// The words after `ringleader` of each row.
fn commands() -> impl Iterator<Item = &'static str> {
    let command = |row: &'static str| row.strip_prefix("{\"command\":\"ringleader ")?.split('"').next();
    ROWS.lines().map(move |row| command(row).expect("a row begins with its command"))
}
