//! Tables whose cells are listed one by one, and whose lines are compared with formulas or with other cells.

use ringleader_sim::{Summary, Verdict};

use super::{CellLines, Claim, ClaimRow, RunsDone, Verified, sharing};
use crate::error::Error;
use crate::gamma::Gamma;
use crate::options::Options;
use crate::report::Number;
use crate::setup::Setup;
use crate::statistics::Measured;
use crate::watch::Watch;

/// A table, as planned.
pub(super) struct PlannedTable {
    /// The heading of the second column.
    pub axis: &'static str,
    pub cells: Vec<PlannedCell>,
    /// The figures of one run.
    pub figures: fn(&Setup, &Summary) -> Vec<f64>,
    /// The lines of the last of the cells that are measured.
    pub lines: fn(&[MeasuredCell]) -> Vec<ClaimLine>,
}

/// The runs of one cell, as planned.
pub(super) struct PlannedCell {
    pub gamma: Gamma,
    /// The value of the second column.
    pub value: String,
    pub protocol: &'static str,
    pub options: Options,
}

/// The runs of one cell.
pub(super) struct MeasuredCell {
    pub gamma: Gamma,
    pub value: String,
    /// By run.
    pub figures: Vec<Vec<f64>>,
    /// The set-up of the last run.
    pub setup: Option<Setup>,
    violated: u64,
    out_of_memory: Option<String>,
}

/// A line of a table: a measured quantity beside a claimed one.
pub(super) struct ClaimLine {
    pub quantity: String,
    pub measured: Measured,
    pub claimed: f64,
    pub formula: &'static str,
    pub source: &'static str,
}

impl MeasuredCell {
    /// Of each run, one of its figures.
    pub fn column(&self, index: usize) -> Vec<f64> {
        self.figures.iter().filter_map(|run| run.get(index).copied()).filter(|figure| figure.is_finite()).collect()
    }

    /// The mean of one figure over all runs.
    pub fn mean(&self, index: usize) -> Option<Measured> {
        Measured::mean(&self.column(index))
    }

    fn measure(
        planned: &PlannedCell,
        figures: fn(&Setup, &Summary) -> Vec<f64>,
        runs: u64,
        tally: &mut RunsDone,
        watch: &dyn Watch,
    ) -> Result<Self, Error> {
        let mut cell = Self {
            gamma: planned.gamma,
            value: planned.value.clone(),
            figures: Vec::new(),
            setup: None,
            violated: 0,
            out_of_memory: None,
        };
        cell.out_of_memory =
            tally.each_run(planned.protocol, &planned.options, runs, watch, &mut |setup, summary| {
                cell.violated += u64::from(summary.verdict != Verdict::Held);
                cell.figures.push(figures(&setup, summary));
                cell.setup = Some(setup);
            })?;
        Ok(cell)
    }

    fn row(&self, line: ClaimLine) -> ClaimRow {
        ClaimRow {
            gamma: self.gamma.into(),
            ratio: self.gamma,
            value: self.value.clone(),
            quantity: line.quantity,
            runs: self.figures.len() as u64,
            measured: line.measured,
            claimed: Number::from_f64(line.claimed),
            formula: line.formula,
            source: line.source,
            relation: line.measured.relation(line.claimed),
            decided: self.violated == 0,
            violated: self.violated,
        }
    }
}

/// Measures the cells one after the other.
pub(super) fn verify(
    claim: Claim,
    given: &Options,
    runs: u64,
    watch: &dyn Watch,
    keep: &mut dyn FnMut(&Verified),
) -> Result<Verified, Error> {
    let table = sharing::plan(claim, given);
    let mut done = RunsDone { done: 0, of: runs.saturating_mul(table.cells.len() as u64) };
    let mut measured = Vec::new();
    Verified::new(claim, table.axis, given, runs).fill(&table.cells, watch, keep, |planned| {
        let mut cell = MeasuredCell::measure(planned, table.figures, runs, &mut done, watch)?;
        let (violated, out_of_memory) = (cell.violated > 0, cell.out_of_memory.take());
        measured.push(cell);
        let last = measured.last().expect("one was pushed");
        let rows = (table.lines)(&measured).into_iter().map(|line| last.row(line)).collect();
        Ok(CellLines { rows, violated, out_of_memory })
    })
}
