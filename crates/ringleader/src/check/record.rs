//! The record of checks: the rows of `checked.jsonl`, and the document that is generated from them.

use std::collections::BTreeMap;
use std::fmt::Write;

use ringleader_protocols::catalogue::DESCRIPTIONS;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::probability_record::{ProbabilityRow, section};
use super::report::{CheckReport, CoverageReport};
use crate::options::program;
use crate::report::grouped;

/// The rows as they are kept: one object a line.
const RECORD: &str = include_str!("checked.jsonl");

/// A check and what came of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The line that repeats it.
    pub command: String,
    /// The result; missing in a row that is to be filled in.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub figures: Option<Figures>,
}

/// The result of a check: the same on every machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Figures {
    /// The number of processors.
    pub n: usize,
    /// The order that links keep.
    pub links: String,
    /// The number of orders and orientations.
    pub instances: usize,
    /// holds, violated or unknown.
    pub verdict: String,
    /// States.
    pub states: u64,
    /// Transitions between them.
    pub transitions: u64,
    /// The greatest distance of a state from the initial one.
    pub depth: u64,
    /// The most message passes of any schedule, where there is a limit and it is known.
    pub most_messages: Option<u64>,
    /// The length of the shortest counterexample.
    pub counterexample: Option<usize>,
    /// The verdict on each promise of the protocol's paper; missing in a row of before they were judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promises: Option<BTreeMap<String, String>>,
    /// The verdict on each lemma of the protocol's paper; missing in a row of before they were judged, or if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lemmas: Option<BTreeMap<String, String>>,
    /// Which rules fired; missing in a row of before that was recorded, or if the protocol has no numbered rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<CoverageReport>,
}

impl Row {
    /// The line that repeats it, by the program that shows it.
    pub fn command_line(&self) -> String {
        self.command.replacen("ringleader", program(), 1)
    }

    /// All that are kept, in order.
    pub fn all() -> Vec<Self> {
        Self::parse(RECORD).expect("the record is as it was written")
    }

    /// Reads rows, one object a line.
    pub fn parse(text: &str) -> Result<Vec<Self>, serde_json::Error> {
        parse_rows(text)
    }

    /// Rows as they are kept.
    pub fn to_text(rows: &[Self]) -> String {
        rows_text(rows)
    }

    /// The protocol that it is about.
    pub fn protocol(&self) -> &str {
        self.command.split_whitespace().nth(2).unwrap_or("")
    }

    /// Whether it is about the protocol as it should be, in a world as it should be.
    fn is_plain(&self) -> bool {
        !["printed", "--faults", "--ids", "--wake", "--again"].iter().any(|option| self.command.contains(option))
    }
}

/// Reads rows, one object a line.
pub(super) fn parse_rows<R: DeserializeOwned>(text: &str) -> Result<Vec<R>, serde_json::Error> {
    text.lines().filter(|line| !line.trim().is_empty()).map(serde_json::from_str).collect()
}

/// Rows, one object a line.
pub(super) fn rows_text<R: Serialize>(rows: &[R]) -> String {
    let line = |row: &R| serde_json::to_string(row).expect("a row has nothing that JSON lacks") + "\n";
    rows.iter().map(line).collect()
}

impl Figures {
    /// The figures of a check.
    pub fn new(report: &CheckReport) -> Self {
        let verdicts = |kind: &str| -> BTreeMap<String, String> {
            let properties = report.properties.iter().filter(|property| property.kind == kind);
            properties.map(|property| (property.name.clone(), property.verdict.clone())).collect()
        };
        Self {
            n: report.scenario.n,
            links: report.scenario.links.clone(),
            instances: report.instances,
            verdict: report.verdict.clone(),
            states: report.states,
            transitions: report.transitions,
            depth: report.depth,
            most_messages: report.most_messages.passes,
            counterexample: report.counterexample.as_ref().map(|found| found.steps),
            promises: Some(verdicts("promise")),
            lemmas: Some(verdicts("lemma")).filter(|lemmas| !lemmas.is_empty()),
            coverage: report.coverage.clone(),
        }
    }

    /// The promises and lemmas that hold, or those that do not.
    fn promises_text(&self) -> String {
        let all: Vec<_> = [&self.promises, &self.lemmas].into_iter().flatten().flatten().collect();
        let broken: Vec<_> = all.iter().filter(|(_, verdict)| *verdict != "holds").collect();
        match broken.as_slice() {
            [] if all.is_empty() => String::new(),
            [] => format!("{} hold", all.len()),
            broken => broken.iter().map(|(name, verdict)| format!("{name}: {verdict}")).collect::<Vec<_>>().join("; "),
        }
    }

    /// The number of rules that fired, and those that did not.
    fn coverage_text(&self) -> String {
        let Some(CoverageReport { fired, never }) = &self.coverage else { return String::new() };
        let missing: Vec<_> = never.iter().map(u8::to_string).collect();
        let count = format!("{} of {}", fired.len(), fired.len() + never.len());
        if never.is_empty() { count } else { format!("{count}, not {}", missing.join(", ")) }
    }
}

const HEAD: &str = "\
# What was checked

All schedules of these instances, by `ringleader check`. Each line is repeated by its command; `cargo xtask checked` repeats all
lines and writes this document, and the tests repeat the small ones.

*states* are those of all instances together; *instances* are orders of identities and orientations up to symmetry of the network;
*messages* is the maximum over all schedules of all instances; *steps* is the length of the shortest counterexample: steps of
processors, or instants where there are clocks; *promises* are those of the protocol's paper beyond its problem, where they are
made, and its lemmas; *rules* is the number of its rules that fire in some schedule.
On complete networks all numberings of the ports are explored, but for protocols that treat ports alike, as `info` says, and
lines with `--ports`.
";

/// The sizes at which links that reorder were tried.
const REORDERED: [usize; 2] = [3, 4];

/// The document that shows the rows.
pub fn document(rows: &[Row], probabilities: &[ProbabilityRow]) -> String {
    let mut text = HEAD.to_string();
    text.push_str("\n## Which protocols survive links that reorder\n\n");
    text.push_str("| protocol | n = 3 | n = 4 |\n|---|---|---|\n");
    for description in DESCRIPTIONS {
        let verdicts = REORDERED.map(|n| survives(rows, description.name, n).unwrap_or("-"));
        writeln!(text, "| {} | {} | {} |", description.name, verdicts[0], verdicts[1]).expect("text grows");
    }
    for description in DESCRIPTIONS {
        let of = |row: &&Row| row.protocol() == description.name;
        writeln!(text, "\n## {}\n", description.name).expect("text grows");
        text.push_str("| command | verdict | instances | states | messages | steps | promises | rules |\n|---|---|--:|--:|--:|--:|---|---|\n");
        for row in rows.iter().filter(of) {
            let Some(figures) = &row.figures else { continue };
            writeln!(
                text,
                "| `{}` | {} | {} | {} | {} | {} | {} | {} |",
                row.command,
                figures.verdict,
                grouped(figures.instances),
                grouped(figures.states),
                figures.most_messages.map_or(String::new(), grouped),
                figures.counterexample.map_or(String::new(), grouped),
                figures.promises_text(),
                figures.coverage_text(),
            )
            .expect("text grows");
        }
    }
    text + &section(probabilities)
}

/// The result for `n` processors on links that reorder, if there is one, by the first row.
fn survives<'a>(rows: &'a [Row], protocol: &str, n: usize) -> Option<&'a str> {
    let mut tried = rows.iter().filter(|row| row.protocol() == protocol && row.is_plain());
    tried.find_map(|row| {
        let figures = row.figures.as_ref().filter(|figures| figures.links == "any" && figures.n == n)?;
        Some(figures.verdict.as_str())
    })
}
