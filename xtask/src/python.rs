//! `cargo xtask python`: the Python package is built, installed into a virtual environment in `target/`, and tested.

use std::path::Path;
use std::process::Command;

use crate::command::{must, works};

/// The directory of the package.
const PACKAGE: &str = "python";
/// The virtual environment.
const ENVIRONMENT: &str = "target/python";
/// The build tool, and what the tests need.
const TOOLS: [&str; 5] = ["maturin>=1.9,<2", "pandas", "polars", "nbclient", "ipykernel"];
const ADVICE: &str = "look at what Python says above; python3 needs its venv and pip modules";

/// Builds and tests the package, and gets what it needs first.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    test_if_possible(root, true)
}

/// Builds and tests the package if Python is there. If its tools are not, either gets them or prints a skip.
pub(crate) fn test_if_possible(root: &Path, get: bool) -> Result<(), String> {
    let environment = root.join(ENVIRONMENT);
    let python = environment.join("bin/python");
    let has_tools = || works(Command::new(&python).args(["-c", "import maturin, pandas, polars, nbclient, ipykernel"]));
    if !has_tools() {
        if !get {
            println!("    skipped: {ENVIRONMENT} is no environment with what the tests need (`cargo xtask python`)");
            return Ok(());
        }
        must(Command::new("python3").args(["-m", "venv"]).arg(&environment), ADVICE)?;
        let quiet = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        must(Command::new(&python).args(quiet).args(TOOLS), ADVICE)?;
    }
    let package = root.join(PACKAGE);
    let mut build = Command::new(&python);
    build.current_dir(&package).args(["-m", "maturin", "develop", "--quiet", "--locked"]);
    build.env("VIRTUAL_ENV", &environment).env("CARGO_TARGET_DIR", root.join("target"));
    must(&mut build, "repair what the compiler names in python/src")?;
    let mut test = Command::new(&python);
    test.current_dir(&package).args(["-m", "unittest", "discover", "--start-directory", "tests"]);
    must(&mut test, "repair what the tests name, in python/")
}
