//! What `sweep --json` prints.

use std::collections::BTreeMap;

use ringleader::statistics::Distribution;
use ringleader::sweep::{SweepBound, SweepReport, SweepRow};
use schemars::JsonSchema;
use serde::Serialize;

/// A sweep.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Sweep")]
pub(crate) struct SweepRows<'a> {
    /// One for each cell: a protocol with one value of everything that varies.
    rows: Vec<FlatRow<'a>>,
    /// Whether all runs are done.
    complete: bool,
    /// The version of the program.
    program_version: &'a str,
    /// The commit that it was built from, if that is known.
    commit: Option<&'a str>,
    /// The command that repeats it.
    rerun: &'a str,
}

/// A cell: what varies, then everything measured, by name.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Row")]
struct FlatRow<'a> {
    /// The protocol, with its parameters where they were given with it.
    protocol: &'a str,
    /// What varies, by name.
    #[serde(flatten)]
    parameters: BTreeMap<&'a str, VaryingValue<'a>>,
    /// The number of runs.
    runs: u64,
    /// Runs in which every property held.
    held: u64,
    /// Runs in which a property was violated.
    violated: u64,
    /// Runs without an answer.
    unknown: u64,
    /// Runs that contradict a bound that holds for every run.
    exceeded: u64,
    /// What was measured, by name: messages, bits, time, …
    #[serde(flatten)]
    quantities: BTreeMap<&'a str, &'a Distribution>,
    /// The bounds beside it.
    bounds: &'a [SweepBound],
}

/// The value of what varies: a number where it is one.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum VaryingValue<'a> {
    Number(u64),
    Text(&'a str),
}

impl<'a> SweepRows<'a> {
    pub(crate) fn new(report: &'a SweepReport) -> Self {
        Self {
            rows: report.rows.iter().map(FlatRow::new).collect(),
            complete: report.complete,
            program_version: &report.provenance.version,
            commit: report.provenance.commit.as_deref(),
            rerun: &report.provenance.command,
        }
    }
}

impl<'a> FlatRow<'a> {
    fn new(row: &'a SweepRow) -> Self {
        let parameter = |text: &'a str| text.parse().map_or(VaryingValue::Text(text), VaryingValue::Number);
        Self {
            protocol: &row.protocol,
            parameters: row.parameters.iter().map(|(name, value)| (name.as_str(), parameter(value))).collect(),
            runs: row.runs,
            held: row.held,
            violated: row.violated,
            unknown: row.unknown,
            exceeded: row.exceeded,
            quantities: row.quantities.iter().map(|(name, found)| (name.as_str(), found)).collect(),
            bounds: &row.bounds,
        }
    }
}
