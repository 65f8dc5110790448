//! Checks every row of the record again, or the rows of the protocols or the row of the command that are named, or with
//! `--new` those without figures, or with `--old N` those of at most N states that lack a column; writes the record and the
//! document that is made of it. `cargo xtask checked` calls it.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it talks to the person who runs it")]

use std::fmt::Debug;
use std::path::Path;
use std::process::ExitCode;

use ringleader::check::{Figures, ProbabilityFigures, ProbabilityRow, Row, document};
use ringleader::find;
use ringleader_cli::{recheck, recheck_probability};

fn main() -> ExitCode {
    match repeat(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Repeats the chosen rows. The record is written after each, so that nothing is lost when it is stopped.
fn repeat(chosen: &[String]) -> Result<(), String> {
    let old = chosen.iter().position(|word| word == "--old").and_then(|at| chosen.get(at + 1)?.parse::<u64>().ok());
    let is_chosen = |protocol: &str, command: &str, is_new: bool, lacks: bool| {
        let named = |name: &String| match name.as_str() {
            "--new" => is_new,
            "--old" => lacks,
            name => name == protocol || name == command,
        };
        chosen.is_empty() || chosen.iter().any(named)
    };
    let (mut rows, mut probabilities) = (Row::all(), ProbabilityRow::all());
    for index in 0..rows.len() {
        let row = &rows[index];
        let lemmas = find(row.protocol()).is_ok_and(|entry| !entry.about().lemmas.is_empty());
        let lacks = |figures: &Figures| {
            let lacks = figures.promises.is_none() || lemmas && figures.lemmas.is_none();
            lacks && old.is_some_and(|most| figures.states <= most)
        };
        let lacks = row.figures.as_ref().is_some_and(lacks);
        if is_chosen(row.protocol(), &row.command, row.figures.is_none(), lacks) {
            let report = recheck(row).map_err(|error| format!("{}: {error}", row.command))?;
            let figures = Figures::new(&report);
            let result = format!("{}, {} states in {:.1} s", figures.verdict, figures.states, report.seconds);
            show(&row.command, &result, row.figures.as_ref(), &figures);
            rows[index].figures = Some(figures);
            write(&rows, &probabilities)?;
        }
    }
    for index in 0..probabilities.len() {
        let row = &probabilities[index];
        if is_chosen(row.protocol(), &row.command, row.figures.is_none(), false) {
            let report = recheck_probability(row).map_err(|error| format!("{}: {error}", row.command))?;
            let figures = ProbabilityFigures::new(&report);
            let result = format!("terminates with probability {}, {} states", figures.termination, figures.states);
            show(&row.command, &result, row.figures.as_ref(), &figures);
            probabilities[index].figures = Some(figures);
            write(&rows, &probabilities)?;
        }
    }
    write(&rows, &probabilities)
}

fn show<F: PartialEq + Debug>(command: &str, result: &str, before: Option<&F>, now: &F) {
    println!("{command}\n    {result}");
    if before.is_some_and(|before| before != now) {
        println!("    it was {before:?}");
    }
}

/// Writes the record and the document.
fn write(rows: &[Row], probabilities: &[ProbabilityRow]) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let record = root.join("crates/ringleader/src/check");
    let files = [
        (record.join("checked.jsonl"), Row::to_text(rows)),
        (record.join("probabilities.jsonl"), ProbabilityRow::to_text(probabilities)),
        (root.join("docs/CHECKED.md"), document(rows, probabilities)),
    ];
    for (path, text) in files {
        std::fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    Ok(())
}
