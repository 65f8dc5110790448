//! Checks every row of the record again, or the rows of the protocols or the row of the command that are named, or with
//! `--new` those without figures, or with `--old N` those of at most N states that lack a column; writes the record and the document that is made of it. `cargo xtask checked` calls it.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it talks to the person who runs it")]

use std::path::Path;
use std::process::ExitCode;

use ringleader::check::{Figures, Row, document};
use ringleader_cli::recheck;

fn main() -> ExitCode {
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    let old = chosen.iter().position(|word| word == "--old").and_then(|at| chosen.get(at + 1)?.parse::<u64>().ok());
    let mut rows = Row::all();
    for index in 0..rows.len() {
        let row = &rows[index];
        let lacks = |figures: &Figures| figures.promises.is_none() && old.is_some_and(|most| figures.states <= most);
        let named = |name: &String| match name.as_str() {
            "--new" => row.figures.is_none(),
            "--old" => row.figures.as_ref().is_some_and(lacks),
            name => name == row.protocol() || name == row.command,
        };
        if !chosen.is_empty() && !chosen.iter().any(named) {
            continue;
        }
        println!("{}", row.command);
        match recheck(row) {
            Ok(report) => {
                let figures = Figures::new(&report);
                println!("    {}, {} states in {:.1} s", figures.verdict, figures.states, report.seconds);
                if row.figures.as_ref().is_some_and(|old| *old != figures) {
                    println!("    it was {:?}", row.figures);
                }
                rows[index].figures = Some(figures);
            }
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::FAILURE;
            }
        }
        // As it goes, so that nothing is lost when it is stopped.
        if !write(&rows) {
            return ExitCode::FAILURE;
        }
    }
    if write(&rows) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Writes the record and the document; whether that was possible.
fn write(rows: &[Row]) -> bool {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (record, shown) = (root.join("crates/ringleader/src/check/checked.jsonl"), root.join("docs/CHECKED.md"));
    let written = std::fs::write(&record, Row::to_text(rows)).and_then(|()| std::fs::write(&shown, document(rows)));
    if let Err(error) = &written {
        eprintln!("cannot write {} and {}: {error}", record.display(), shown.display());
    }
    written.is_ok()
}
