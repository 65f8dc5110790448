//! Tests all items of the ledger, or those that are named, thoroughly and quickly; writes the record, `docs/LEDGER.md`,
//! `docs/ERRATA.md` with its pictures, and `docs/ledger.html`. `cargo xtask ledger` calls it.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it talks to the person who runs it")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use ringleader::check::{CheckSetup, Total, Violated, survey};
use ringleader::picture::{Theme, draw};
use ringleader::plot::Origin;
use ringleader::sim::Choices;
use ringleader::{Catalogue, Effort, Execution, Setup, find};
use ringleader_cli::{check_of, run_of};
use ringleader_ledger::{
    LedgerEffort, LedgerEntry, LedgerRecord, LedgerVerdict, RECORD, errata, figures, items, ledger, page, records,
    reproduce,
};

fn main() -> ExitCode {
    match write(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn effort(quick: bool) -> LedgerEffort {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    LedgerEffort { quick, seed: 1, effort: Effort { threads, bytes: 8 << 30, ..Effort::default() } }
}

/// Tests the chosen items; the others are taken from the record.
fn write(chosen: &[String]) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let known = records(RECORD).map_err(|error| format!("the record is none: {error}"))?;
    let mut all = Vec::new();
    for (_, item) in items() {
        let old = known.iter().find(|record| record.thorough.item == item.number);
        match old.filter(|_| !chosen.is_empty() && !chosen.iter().any(|number| number == item.number)) {
            Some(old) => all.push(old.clone()),
            None => {
                let begun = Instant::now();
                let of = |quick| {
                    let entry =
                        reproduce(item, effort(quick), &()).map_err(|error| format!("{}: {error}", item.number))?;
                    entry.ok_or_else(|| format!("{}: was stopped", item.number))
                };
                let record = LedgerRecord { quick: of(true)?, thorough: of(false)? };
                let seconds = begun.elapsed().as_secs_f64();
                println!("{} {} ({seconds:.1} s)", item.number, record.thorough.verdict);
                all.push(record);
            }
        }
    }
    let lines = all.iter().map(|record| serde_json::to_string(record).map_err(|error| error.to_string()));
    let lines = lines.collect::<Result<Vec<_>, _>>()?.join("\n") + "\n";
    put(&root.join("crates/ledger/src/record.jsonl"), &lines)?;
    put(&root.join("docs/LEDGER.md"), &ledger(&all))?;
    let pictures = root.join("docs/errata");
    let _ = std::fs::remove_dir_all(&pictures);
    std::fs::create_dir_all(&pictures).map_err(|error| error.to_string())?;
    let refuted = all.iter().map(|record| &record.thorough).filter(|entry| entry.verdict == LedgerVerdict::Refuted);
    for entry in refuted {
        if let Some(picture) = counterexample(entry)? {
            put(&picture_path(&pictures, &entry.item), &picture)?;
        }
    }
    put(&root.join("docs/ERRATA.md"), &errata(&all, &|item| picture_path(&pictures, item).exists()))?;
    let charts = figures(effort(false), &()).map_err(|error| error.to_string())?;
    let version = format!("ringleader {}", env!("CARGO_PKG_VERSION"));
    let origin = Origin { command: "cargo xtask ledger".to_string(), version };
    put(&root.join("docs/ledger.html"), &page(&all, charts, origin))
}

fn picture_path(directory: &Path, item: &str) -> PathBuf {
    directory.join(format!("{item}.svg"))
}

fn put(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// The picture of a counterexample that is a run or a schedule; means over many runs have none.
fn counterexample(entry: &LedgerEntry) -> Result<Option<String>, String> {
    let Some(command) = &entry.counterexample else { return Ok(None) };
    let mut words = command.split_whitespace().skip(1);
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", entry.item);
    match words.next() {
        Some("run") => {
            let (protocol, options) = run_of(words).map_err(|error| failed(&error))?;
            let entry = find(&protocol).map_err(|error| failed(&error))?;
            let setup = Setup::new(entry, options).map_err(|error| failed(&error))?;
            let mut execution = Execution::new(&setup, Choices::Drawn).map_err(|error| failed(&error))?;
            execution.run.log();
            execution.finish(&());
            let steps = execution.run.take_log();
            Ok(Some(draw(&setup, &execution.run.summary(), &steps, command, Theme::Auto)))
        }
        Some("check") => {
            let (protocol, options) = check_of(words).map_err(|error| failed(&error))?;
            let entry = find(&protocol).map_err(|error| failed(&error))?;
            let check = CheckSetup::new(entry, &options).map_err(|error| failed(&error))?;
            let survey = survey(&check, &()).map_err(|error| failed(&error))?;
            let total = Total::new(&check, &survey);
            let Some((_, Violated { run: Ok(run), .. })) = total.shortest else { return Ok(None) };
            let (setup, mut execution, summary) =
                run.replay(&Catalogue::default(), &(), |run| run.log()).map_err(|error| failed(&error))?;
            let steps = execution.run.take_log();
            Ok(Some(draw(&setup, &summary, &steps, command, Theme::Auto)))
        }
        _ => Ok(None),
    }
}
