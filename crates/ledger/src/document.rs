//! The ledger as documents: `docs/LEDGER.md`, `docs/ERRATA.md` and a page with figures.

use std::fmt::Write;

use ringleader::bibliography::source;
use ringleader::document::{Document, DocumentFormat, DocumentTable, line_chart};
use ringleader::plot::{Chart, Origin};
use ringleader::report::grouped;
use ringleader::{Error, Watch};
use serde::{Deserialize, Serialize};

use crate::trial::{Interruption, Trial};
use crate::{LedgerEffort, LedgerEntry, LedgerPaper, LedgerVerdict, PAPERS};

/// What is recorded of an item: a thorough trial and a quick one, which a test repeats.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LedgerRecord {
    /// Everything that the documents say.
    pub thorough: LedgerEntry,
    /// What `reproduce --quick` found.
    pub quick: LedgerEntry,
}

/// The recorded trials, a line of JSON each, in the order of the ledger.
pub const RECORD: &str = include_str!("record.jsonl");

/// The records of a text.
///
/// # Errors
/// If a line is none.
pub fn records(text: &str) -> Result<Vec<LedgerRecord>, serde_json::Error> {
    text.lines().map(serde_json::from_str).collect()
}

/// The whole numbers in what was measured: a repetition must have the same.
pub fn whole_numbers(entry: &LedgerEntry) -> Vec<String> {
    let text = entry.measured.as_deref().unwrap_or_default().replace(',', "").replace("..", " ");
    let words = text.split(|letter: char| !letter.is_ascii_digit() && letter != '.');
    let is_whole = |word: &&str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    words.map(|word| word.trim_end_matches('.')).filter(is_whole).map(str::to_string).collect()
}

fn of_paper<'a>(paper: &LedgerPaper, records: &'a [LedgerRecord]) -> Vec<&'a LedgerEntry> {
    records.iter().map(|record| &record.thorough).filter(|entry| entry.source == paper.source).collect()
}

fn counts(entries: &[&LedgerEntry]) -> String {
    let count = |verdict: LedgerVerdict| entries.iter().filter(|entry| entry.verdict == verdict).count();
    let counts = LedgerVerdict::ALL.into_iter().map(|verdict| (count(verdict), verdict.name()));
    counts.filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
}

/// Text in which nothing is markup, in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace('*', "\\*").replace('_', "\\_").replace('<', "&lt;")
}

/// The width of documents.
const COLUMNS: usize = 132;

/// A paragraph in lines of at most [`COLUMNS`].
fn wrapped(paragraph: &str) -> String {
    let (mut text, mut line) = (String::new(), String::new());
    for word in paragraph.split_whitespace() {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > COLUMNS {
            text.push_str(&std::mem::take(&mut line));
            text.push('\n');
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    text + &line + "\n"
}

const HEAD: &str = "\
# The ledger

Every claim of the sources, put to the test: written by `cargo xtask ledger`. `ringleader reproduce ITEM` repeats an item and
shows the commands behind it; `ringleader reproduce --quick` repeats all in half a minute on two cores, with fewer and smaller
experiments. [ERRATA](ERRATA.md) tells of the refuted claims in full.

*As printed* means as in the texts that we read: of Vitányi's paper the report CS-R8416, of all of them scans. A count such as
2n log n, or at most n log n, is taken to claim its leading term, and a plain n log n, or anything in O or Θ, its growth only.

";

/// `docs/LEDGER.md`.
pub fn ledger(records: &[LedgerRecord]) -> String {
    let mut text = HEAD.to_string();
    let all: Vec<&LedgerEntry> = records.iter().map(|record| &record.thorough).collect();
    let _ = writeln!(text, "{} items: {}.\n", all.len(), counts(&all));
    for verdict in LedgerVerdict::ALL {
        let _ = writeln!(text, "- *{verdict}*: {}", verdict.meaning());
    }
    for paper in &PAPERS {
        let entries = of_paper(paper, records);
        let _ = writeln!(text, "\n## {}: {}\n", paper.letter, paper.source);
        if let Some(source) = source(paper.source) {
            text.push_str(&wrapped(&format!("{}, *{}*, {}", source.names(), source.title, source.venue)));
            text.push('\n');
        }
        let _ = writeln!(text, "{} items: {}.\n", entries.len(), counts(&entries));
        text.push_str("| item | where | claim | verdict | how | measured |\n|--:|---|---|---|---|---|\n");
        for entry in entries {
            let number = match entry.verdict {
                LedgerVerdict::Refuted => format!("[{}](ERRATA.md#{})", entry.item, entry.item.to_lowercase()),
                _ => entry.item.clone(),
            };
            let measured = entry.measured.as_deref().map_or(String::new(), cell);
            let (claim, method) = (cell(&entry.claim), cell(&entry.method));
            let _ = writeln!(
                text,
                "| {number} | {} | {claim} | {} | {method} | {measured} |",
                cell(&entry.section),
                entry.verdict
            );
        }
    }
    text
}

/// `docs/ERRATA.md`; `drawn` says which items have a picture, `errata/ITEM.svg`.
pub fn errata(records: &[LedgerRecord], drawn: &dyn Fn(&str) -> bool) -> String {
    let mut text = "\
# Errata

Claims of the sources that do not hold as printed, each with its smallest counterexample and the statement that does hold: written
by `cargo xtask ledger`. `ringleader reproduce ITEM` repeats an item. The [bibliography](../BIBLIOGRAPHY.md#errata) lists all
mistakes and gaps by protocol, with what the protocols do instead.

*As printed* means as in the texts that we read: of Vitányi's paper the report CS-R8416, of all of them scans, whose errors cannot
always be told from slips. A count such as 2n log n, or at most n log n, is taken to claim its leading term, and a plain
n log n, or anything in O or Θ, its growth only.
"
    .to_string();
    for paper in &PAPERS {
        let refuted: Vec<_> =
            of_paper(paper, records).into_iter().filter(|entry| entry.verdict == LedgerVerdict::Refuted).collect();
        if refuted.is_empty() {
            continue;
        }
        let title = source(paper.source).map_or(String::new(), |source| format!(", *{}*", source.title));
        let _ = writeln!(text, "\n## {}{title}", paper.source);
        for entry in refuted {
            let _ = writeln!(text, "\n### {}\n", entry.item);
            let measured = entry.measured.as_deref().unwrap_or_default();
            let claim = format!("**Claim** ({}): {}.", cell(&entry.section), cell(&entry.claim));
            let found = format!("**Measured**: {} ({}).", cell(measured), cell(&entry.method));
            let paragraphs = [Some(claim), entry.explanation.as_deref().map(cell), Some(found)];
            text.push_str(&paragraphs.iter().flatten().map(|text| wrapped(text)).collect::<Vec<_>>().join("\n"));
            if let Some(command) = &entry.counterexample {
                let _ = writeln!(text, "\n```sh\n{command}\n```");
            }
            if drawn(&entry.item) {
                let _ = writeln!(text, "\n![The counterexample to {0}](errata/{0}.svg)", entry.item);
            }
            if let (Some(repaired), Some(verdict)) = (&entry.repaired, entry.repaired_verdict) {
                let sure = match verdict {
                    LedgerVerdict::Holds => "exhaustive within the sizes named, or by the argument given",
                    _ => "no run contradicts it",
                };
                text.push('\n');
                text.push_str(&wrapped(&format!("**Instead**: {}. How sure: {sure}.", cell(repaired))));
            }
        }
    }
    text
}

/// The sweeps whose figures the page shows.
const FIGURES: [(&str, &str, u64); 4] = [
    ("chang-roberts peterson franklin van-leeuwen-tan -n 2^2..2^10", "messages.election", 20),
    ("vitanyi -n 2^2..2^9", "messages", 20),
    ("vitanyi -n 32 --vary r='1 1..2 1..4 1..8 1..16'", "messages", 50),
    ("spirakis-tampakas-mutex -n 16 --vary compete='1 2 4 8 16' --r 10..20", "messages_per_entry", 10),
];

/// The figures of the page.
///
/// # Errors
/// If a run cannot be made.
pub fn figures(effort: LedgerEffort, watch: &dyn Watch) -> Result<Vec<(String, Chart)>, Error> {
    let mut figures = Vec::new();
    for (index, (command, quantity, runs)) in FIGURES.into_iter().enumerate() {
        match Trial::new(effort, watch).runs(command, (runs, runs)) {
            Ok(made) => {
                figures
                    .extend(line_chart(&made.report, quantity).map(|chart| (format!("figure-{}", index + 1), chart)));
            }
            Err(Interruption::Stopped) => break,
            Err(Interruption::Failed(error)) => return Err(error),
        }
    }
    Ok(figures)
}

/// The page: all items, and figures.
pub fn page(records: &[LedgerRecord], figures: Vec<(String, Chart)>, origin: Origin) -> String {
    let all: Vec<&LedgerEntry> = records.iter().map(|record| &record.thorough).collect();
    let table = |paper: &LedgerPaper| {
        let rows = of_paper(paper, records).into_iter().map(|entry| {
            let measured = [entry.measured.clone(), entry.repaired.as_ref().map(|text| format!("instead: {text}"))];
            let measured = measured.into_iter().flatten().collect::<Vec<_>>().join("; ");
            let texts = [&entry.item, &entry.section, &entry.claim];
            let mut row: Vec<String> = texts.into_iter().cloned().collect();
            row.extend([entry.verdict.to_string(), entry.command.clone(), measured]);
            row
        });
        DocumentTable {
            title: paper.source.to_string(),
            header: ["item", "where", "claim", "verdict", "command", "measured"].map(str::to_string).to_vec(),
            names: 5,
            rows: rows.collect(),
        }
    };
    let document = Document {
        title: "The ledger: every claim of the sources, put to the test".to_string(),
        facts: vec![("items", grouped(all.len())), ("verdicts", counts(&all))],
        figures,
        tables: PAPERS.iter().map(table).collect(),
        sources: PAPERS.iter().filter_map(|paper| source(paper.source)).collect(),
        origin,
    };
    document.text(DocumentFormat::Html)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_found_among_decimals() {
        let entry =
            LedgerEntry { measured: Some("7 > 6.81; 1,200 runs, n = 2..8.".to_string()), ..LedgerEntry::default() };
        assert_eq!(whole_numbers(&entry), ["7", "1200", "2", "8"]);
    }
}
