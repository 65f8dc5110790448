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
/// What is checked with `--probability`: with schedulers and without, with clocks and without, with and without error.
const CHECKS: &[&str] = &[
    "itai-rodeh-sync -n 4",
    "itai-rodeh-sync -n 5",
    "itai-rodeh -n 3",
    "itai-rodeh -n 2 --links any --set ids=3 --set rounds=off",
    "spirakis-tampakas-symmetry -n 2 --wake together --r 1 --d 1 --set k=1",
    "chang-roberts --ids 3,2,1",
];

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
    for (number, check) in CHECKS.iter().enumerate() {
        let export = directory.join(format!("model-{}", number + 1));
        let mut arguments =
            vec!["run", "--release", "--quiet", "--package", "ringleader-cli", "--", "--quiet", "check"];
        arguments.extend(check.split(' '));
        arguments.push("--probability");
        must(cargo(root, &arguments).arg("--export").arg(&export), "look at the message of the check")?;
        compare.arg(export);
    }
    must(&mut compare, "look at the figures marked WRONG: ringleader or Storm errs")
}
