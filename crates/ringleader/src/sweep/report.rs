//! The table of a sweep, as data.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::plan::{PlannedBound, SweepPlan};
use super::quantity::{MeasuredValue, RunRecord};
use super::spec::SweepSpec;
use crate::report::Number;
use crate::statistics::{ConfidenceInterval, Distribution, Measured, Relation};
use ringleader_sim::Verdict;

/// The version of the data folder's format.
pub const SWEEP_FORMAT: u32 = 1;

/// A sweep: what was asked, by which program, and what was measured; the content of `sweep.json`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SweepReport {
    /// The version of the format: 1.
    pub format: u32,
    /// Who made it.
    #[serde(flatten)]
    pub provenance: Provenance,
    /// Whether all runs are done.
    pub complete: bool,
    /// The number of runs that are done.
    pub runs_done: u64,
    /// All that is needed to repeat it.
    pub spec: SweepSpec,
    /// What varies: `protocol`, if there are several, and the names of options.
    pub varies: Vec<String>,
    /// The columns of `runs.csv`, in order.
    pub columns: Vec<SweepColumn>,
    /// The cells, in order.
    pub cells: Vec<CellReport>,
    /// The table: one row for each cell that has runs.
    pub rows: Vec<SweepRow>,
}

/// The program that made a sweep, and the command.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Provenance {
    /// The program.
    pub program: String,
    /// Its version.
    pub version: String,
    /// The commit that it was built from, if that is known.
    pub commit: Option<String>,
    /// The command that made the sweep.
    pub command: String,
}

/// A column of `runs.csv`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SweepColumn {
    /// Its name, in the header.
    pub name: String,
    /// What it says.
    pub role: ColumnRole,
    /// The type of its values.
    pub r#type: ColumnType,
    /// What is measured, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Of a bound: the column that is bounded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantity: Option<String>,
    /// Of a bound: worst, mean, exact or best.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Of a bound: as people write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// Of a bound: the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

impl SweepColumn {
    pub(crate) fn new(name: &str, role: ColumnRole, r#type: ColumnType) -> Self {
        let (quantity, kind, formula, source, description) = (None, None, None, None, None);
        Self { name: name.to_string(), role, r#type, description, quantity, kind, formula, source }
    }
}

/// What a column says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ColumnRole {
    /// Which run.
    Index,
    /// A parameter of the run.
    Parameter,
    /// Its seed.
    Seed,
    /// What came of it.
    Outcome,
    /// A measured quantity.
    Quantity,
    /// The value of a bound.
    Bound,
    /// The program.
    Provenance,
}

/// The type of a column's values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ColumnType {
    /// A non-negative integer.
    Integer,
    /// A number.
    Number,
    /// A text.
    Text,
    /// Integers separated by spaces.
    List,
}

/// A cell.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CellReport {
    /// The protocol, with its parameters where they were given with it.
    pub protocol: String,
    /// Whether the printed or the repaired rules were followed.
    pub rules: String,
    /// Every parameter, defaults written out: name and value.
    pub parameters: Vec<(String, String)>,
    /// The command that repeats a run, but for its seed.
    pub command: String,
}

/// The runs of a cell.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SweepRow {
    /// The index of the cell.
    pub cell: u64,
    /// The protocol, with its parameters where they were given with it.
    pub protocol: String,
    /// The value of everything that varies, the protocol excepted.
    pub parameters: BTreeMap<String, String>,
    /// The number of runs.
    pub runs: u64,
    /// Runs in which every property held.
    pub held: u64,
    /// Runs in which a property was violated.
    pub violated: u64,
    /// Runs without an answer.
    pub unknown: u64,
    /// Runs that contradict a bound that holds for every run.
    pub exceeded: u64,
    /// The least and the greatest number of leaders; null where none is to be elected.
    pub leaders: Option<[u64; 2]>,
    /// The leader, if it is the same in all runs: its identity, or its place where there are no identities.
    pub leader: Option<u64>,
    /// Whether leaders differ between runs.
    pub leader_varies: bool,
    /// What was measured, in the order of the columns; a list has one entry for each of its places, `NAME.1`, `NAME.2`, ….
    pub quantities: Vec<(String, Distribution)>,
    /// The bounds beside it.
    pub bounds: Vec<SweepBound>,
}

impl SweepRow {
    /// The distribution of a quantity.
    pub fn quantity(&self, name: &str) -> Option<&Distribution> {
        self.quantities.iter().find(|(known, _)| known == name).map(|(_, distribution)| distribution)
    }
}

/// A bound beside what the runs of a cell measured.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SweepBound {
    /// The column of its values.
    pub column: String,
    /// The bounded quantity.
    pub quantity: String,
    /// worst, mean, exact or best.
    pub kind: String,
    /// As people write it.
    pub formula: String,
    /// The source.
    pub source: String,
    /// Its mean over the runs; most bounds are the same for all runs of a cell.
    pub value: f64,
    /// The mean over the runs of the measured value divided by the bound; null where that is 0.
    pub ratio: Option<f64>,
    /// Of a bound on every run: the number of runs that contradict it.
    pub exceeded: Option<u64>,
    /// Of a bound on the mean: where the confidence interval lies.
    pub relation: Option<Relation>,
}

/// The samples of all cells, run by run.
#[derive(Clone, Debug)]
pub struct SweepSamples {
    cells: Vec<CellSamples>,
}

#[derive(Clone, Debug, Default)]
struct CellSamples {
    runs: u64,
    held: u64,
    violated: u64,
    exceeded: u64,
    leaders: Option<[u64; 2]>,
    leader: Option<u64>,
    leader_varies: bool,
    /// By quantity, and by place where it is a list.
    values: Vec<Vec<Vec<f64>>>,
    bounds: Vec<BoundSamples>,
}

#[derive(Clone, Debug, Default)]
struct BoundSamples {
    values: Vec<f64>,
    ratios: Vec<f64>,
    exceeded: u64,
}

impl SweepSamples {
    /// No runs yet.
    pub fn new(plan: &SweepPlan) -> Self {
        let cell = CellSamples {
            values: vec![Vec::new(); plan.quantities.len()],
            bounds: vec![BoundSamples::default(); plan.bounds.len()],
            ..CellSamples::default()
        };
        Self { cells: vec![cell; plan.cells.len()] }
    }

    /// Adds a run. Runs come in the order of their numbers.
    pub fn add(&mut self, plan: &SweepPlan, record: &RunRecord) {
        let cell = &mut self.cells[plan.cell_of(record.index).0];
        cell.runs += 1;
        cell.held += u64::from(record.verdict == Verdict::Held);
        cell.violated += u64::from(record.verdict == Verdict::Violated);
        cell.exceeded += u64::from(record.exceeded);
        if let Some(count) = record.leaders {
            let [least, greatest] = cell.leaders.unwrap_or([count; 2]);
            cell.leaders = Some([least.min(count), greatest.max(count)]);
            cell.leader_varies |= cell.runs > 1 && cell.leader != record.leader;
            cell.leader = record.leader;
        }
        for (samples, value) in cell.values.iter_mut().zip(&record.values) {
            let numbers: Vec<f64> = match value {
                MeasuredValue::Missing => continue,
                MeasuredValue::Number(number) => vec![number.to_f64()],
                MeasuredValue::List(list) => list.iter().map(|&item| item as f64).collect(),
            };
            if samples.len() < numbers.len() {
                samples.resize(numbers.len(), Vec::new());
            }
            for (sample, number) in samples.iter_mut().zip(numbers) {
                sample.push(number);
            }
        }
        for ((samples, planned), value) in cell.bounds.iter_mut().zip(&plan.bounds).zip(&record.bounds) {
            let measured = plan.quantities.iter().position(|quantity| quantity.name == planned.quantity);
            let measured = measured.map(|index| &record.values[index]);
            if let (Some(value), Some(MeasuredValue::Number(measured))) = (value, measured) {
                samples.add(planned, *measured, *value, record.finished);
            }
        }
    }

    /// The table so far.
    pub fn report(&self, plan: &SweepPlan, provenance: &Provenance) -> SweepReport {
        let runs_done = self.cells.iter().map(|cell| cell.runs).sum();
        let rows = self.cells.iter().enumerate().filter(|(_, cell)| cell.runs > 0);
        SweepReport {
            format: SWEEP_FORMAT,
            provenance: provenance.clone(),
            complete: runs_done == plan.total(),
            runs_done,
            spec: plan.spec.clone(),
            varies: plan.varies(),
            columns: plan.columns.clone(),
            cells: plan.reports.clone(),
            rows: rows.map(|(index, cell)| cell.row(plan, index)).collect(),
        }
    }
}

impl BoundSamples {
    fn add(&mut self, planned: &PlannedBound, measured: Number, value: Number, finished: bool) {
        let (measured, value) = (measured.to_f64(), value.to_f64());
        self.values.push(value);
        if value > 0.0 {
            self.ratios.push(measured / value);
        }
        let contradicts = match planned.kind {
            "worst" => measured > value,
            "best" => measured < value,
            "exact" => measured != value,
            _ => false,
        };
        self.exceeded += u64::from(finished && contradicts);
    }

    fn report(&self, index: usize, planned: &PlannedBound, measured: Option<&Distribution>) -> Option<SweepBound> {
        let mean = |sample: &[f64]| (!sample.is_empty()).then(|| sample.iter().sum::<f64>() / sample.len() as f64);
        let value = mean(&self.values)?;
        let interval = measured.and_then(|measured| Some((measured, measured.ci?)));
        let relation = interval.map(|(measured, ConfidenceInterval { low, high, .. })| {
            let Distribution { mean, min, max, .. } = *measured;
            Measured { mean, ci95: (high - low) / 2.0, low, high, min, max }.relation(value)
        });
        let on_mean = planned.kind == "mean";
        Some(SweepBound {
            column: format!("bound.{}", index + 1),
            quantity: planned.quantity.clone(),
            kind: planned.kind.to_string(),
            formula: planned.formula.to_string(),
            source: planned.source.to_string(),
            value,
            ratio: mean(&self.ratios),
            exceeded: (!on_mean).then_some(self.exceeded),
            relation: relation.filter(|_| on_mean),
        })
    }
}

impl CellSamples {
    fn row(&self, plan: &SweepPlan, index: usize) -> SweepRow {
        let cell = &plan.cells[index];
        let level = plan.spec.level;
        let mut quantities = Vec::new();
        for (quantity, samples) in plan.quantities.iter().zip(&self.values) {
            let list = quantity.is_list();
            for (place, sample) in samples.iter().enumerate() {
                let name = if list { format!("{}.{}", quantity.name, place + 1) } else { quantity.name.clone() };
                quantities.extend(Distribution::of(sample, level).map(|distribution| (name, distribution)));
            }
        }
        let of = |name: &str| quantities.iter().find(|(known, _)| known == name).map(|(_, found)| found);
        let bounds = self.bounds.iter().zip(&plan.bounds).enumerate();
        let bounds =
            bounds.filter_map(|(index, (samples, planned))| samples.report(index, planned, of(&planned.quantity)));
        let bounds = bounds.collect();
        SweepRow {
            cell: index as u64,
            protocol: cell.label.clone(),
            parameters: plan.spec.vary.iter().map(|axis| axis.name.clone()).zip(cell.values.iter().cloned()).collect(),
            runs: self.runs,
            held: self.held,
            violated: self.violated,
            unknown: self.runs - self.held - self.violated,
            exceeded: self.exceeded,
            leaders: self.leaders,
            leader: self.leader.filter(|_| !self.leader_varies),
            leader_varies: self.leader_varies,
            quantities,
            bounds,
        }
    }
}
