//! `cargo xtask fuzz`: the targets under `fuzz/`, on a stable toolchain.

use std::path::Path;

use crate::command::{cargo, heading, must, works};

const TARGETS: [&str; 6] = ["scenario", "trace", "formula", "sweep", "request", "lab"];
const USUAL_RUNS: u64 = 1_000_000;

pub(crate) fn run(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let (targets, runs) = parse(arguments)?;
    if !works(cargo(root, &["fuzz", "--version"]).env("RUSTC_BOOTSTRAP", "1")) {
        heading("set-up");
        must(&mut cargo(root, &["install", "cargo-fuzz", "--locked"]), "install cargo-fuzz by hand")?;
    }
    for target in targets {
        heading(&format!("fuzz target {target}"));
        fuzz(root, target, runs)?;
    }
    Ok(())
}

fn parse<'a>(arguments: &[&'a str]) -> Result<(Vec<&'a str>, u64), String> {
    let (mut targets, mut runs) = (Vec::new(), USUAL_RUNS);
    let mut rest = arguments.iter();
    while let Some(&argument) = rest.next() {
        if argument == "--runs" {
            let number = rest.next().copied().unwrap_or("nothing");
            runs = number.parse().map_err(|_| format!("--runs is {number}\nallowed: a number of inputs"))?;
        } else if TARGETS.contains(&argument) {
            targets.push(argument);
        } else {
            return Err(format!("there is no fuzz target '{argument}'\nallowed: {}", TARGETS.join(", ")));
        }
    }
    if targets.is_empty() {
        targets.extend(TARGETS);
    }
    Ok((targets, runs))
}

/// Starts from the seeds and the corpus of earlier runs; inputs that crash are written to `fuzz/artifacts`.
fn fuzz(root: &Path, target: &str, runs: u64) -> Result<(), String> {
    let found = format!("fuzz/corpus/{target}");
    std::fs::create_dir_all(root.join(&found)).map_err(|error| format!("cannot create {found}: {error}"))?;
    let seeds = format!("fuzz/seeds/{target}");
    let runs = format!("-runs={runs}");
    // No sanitizer: it finds memory errors, which safe code does not have, and is ten times slower.
    let arguments = ["fuzz", "run", "--fuzz-dir", "fuzz", "--sanitizer", "none", target, &found, &seeds, "--"];
    let limits = ["-dict=fuzz/seeds/words.dict", "-max_len=1024", "-timeout=10", "-print_final_stats=1", &runs];
    let mut command = cargo(root, &arguments);
    // cargo-fuzz uses flags of the nightly compiler; this allows them on stable.
    command.args(limits).env("RUSTC_BOOTSTRAP", "1");
    must(&mut command, "the input is in fuzz/artifacts; `cargo fuzz run TARGET FILE` shows what it does")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_targets_are_run_unless_one_is_named() {
        assert_eq!(parse(&[]), Ok((TARGETS.to_vec(), USUAL_RUNS)));
        assert_eq!(parse(&["--runs", "7", "trace"]), Ok((vec!["trace"], 7)));
        assert!(parse(&["wire"]).is_err());
        assert!(parse(&["trace", "--runs"]).is_err());
    }

    #[test]
    fn every_target_has_seeds() {
        for target in TARGETS {
            let seeds = crate::root().join("fuzz/seeds").join(target);
            assert!(seeds.read_dir().unwrap().count() > 5, "{}", seeds.display());
        }
    }
}
