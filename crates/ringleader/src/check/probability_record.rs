//! The record of exact probabilities: the rows of `probabilities.jsonl`, and their part of the document.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::probabilities::{MeanReport, ProbabilityReport, RangeReport};
use super::record::{parse_rows, rows_text};
use super::report::ProvedReport;
use crate::report::grouped;

/// The rows as they are kept: one object a line.
const RECORD: &str = include_str!("probabilities.jsonl");

/// A check of probabilities.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbabilityRow {
    /// The line that repeats it.
    pub command: String,
    /// The result; missing in a row that is to be filled in.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub figures: Option<ProbabilityFigures>,
}

/// Exact probabilities and expected costs: the same on every machine. Minimum and maximum over all fair schedulers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProbabilityFigures {
    /// States.
    pub states: u64,
    /// Transitions between them.
    pub transitions: u64,
    /// The probability of termination.
    pub termination: String,
    /// The probability of more than one leader, with its bound.
    pub error: String,
    /// By cost: its mean, its variance where that is one number, and its bound.
    pub means: BTreeMap<String, String>,
}

impl ProbabilityRow {
    /// All that are kept, in order.
    pub fn all() -> Vec<Self> {
        parse_rows(RECORD).expect("the record is as it was written")
    }

    /// Rows as they are kept.
    pub fn to_text(rows: &[Self]) -> String {
        rows_text(rows)
    }

    /// The protocol that it is about.
    pub fn protocol(&self) -> &str {
        self.command.split_whitespace().nth(2).unwrap_or("")
    }
}

impl ProbabilityFigures {
    /// The figures of a check.
    pub fn new(report: &ProbabilityReport) -> Self {
        let error = report.error.as_ref();
        Self {
            states: report.states,
            transitions: report.transitions,
            termination: report.over.as_ref().map_or(String::new(), RangeReport::text),
            error: error.map_or(String::new(), |error| error.probability.text() + &beside(error.proved.as_ref())),
            means: report.means.iter().map(|mean| (mean.of.clone(), mean_text(mean))).collect(),
        }
    }
}

fn mean_text(MeanReport { mean, variance, proved, .. }: &MeanReport) -> String {
    let variance = variance.as_ref().map_or(String::new(), |variance| format!(", variance {}", variance.text()));
    format!("{}{variance}{}", mean.text(), beside(proved.as_ref()))
}

/// A proved bound, to stand beside a figure.
fn beside(proved: Option<&ProvedReport>) -> String {
    proved.map_or(String::new(), |proved| {
        let sign = match proved.holds {
            Some(true) => "✓",
            Some(false) => "✗",
            None => "·",
        };
        format!("; {sign} ≤ {}", grouped(proved.value))
    })
}

const HEAD: &str = "
## Probabilities

Exact probabilities and expected costs over all fair schedulers, beside what is proved; a range where they depend on the scheduler.
`cargo xtask cross-check` has Storm recompute every line.

| command | states | terminates | more than one leader | phases | messages | time |
|---|--:|---|---|---|---|---|
";

/// The part of the document that shows the rows.
pub(super) fn section(rows: &[ProbabilityRow]) -> String {
    let mut text = HEAD.to_string();
    for row in rows {
        let Some(figures) = &row.figures else { continue };
        let mean = |of: &str| figures.means.get(of).map_or("", String::as_str);
        writeln!(
            text,
            "| `{}` | {} | {} | {} | {} | {} | {} |",
            row.command,
            grouped(figures.states),
            figures.termination,
            figures.error,
            mean("phases"),
            mean("messages"),
            mean("time"),
        )
        .expect("text grows");
    }
    text
}
