//! A sweep that makes sense: its cells, columns and runs.

use ringleader_model::{BadSetting, Quantity};
use ringleader_sim::Summary;

use super::breakdown::MessageBreakdown;
use super::cell::{SweepCell, is_task, parameters, with_parameters};
use super::quantity::{MeasuredValue, Metric, RunRecord, leaders, metrics};
use super::report::{CellReport, ColumnRole, ColumnType, SweepColumn};
use super::run_distribution::RunDistribution;
use super::spec::{SpecPlace, SweepAxis, SweepError, SweepSpec};
use crate::catalogue::Catalogue;
use crate::error::Error;
use crate::execution::{EvaluatedBound, Execution, RunEnd};
use crate::options::values::BadOption;
use crate::options::{Options, quoted};
use crate::report::{Number, grouped, rules_of};
use crate::setup::Setup;
use crate::watch::Watch;

/// The most cells of a sweep.
pub const MOST_CELLS: u64 = 10_000;
/// The most runs of a sweep.
pub const MOST_RUNS: u64 = 1_000_000_000;
/// The most errors that are told at once.
const MOST_ERRORS: usize = 20;

/// A sweep that makes sense.
#[derive(Clone, Debug)]
pub struct SweepPlan {
    /// What was asked for.
    pub spec: SweepSpec,
    /// Its cells: protocols, then the values of each axis in turn.
    pub cells: Vec<SweepCell>,
    /// The columns of `runs.csv`.
    pub columns: Vec<SweepColumn>,
    /// The cells as they are reported.
    pub(crate) reports: Vec<CellReport>,
    pub(crate) quantities: Vec<NamedMetric>,
    pub(crate) bounds: Vec<PlannedBound>,
    /// Whether lean instrumentation measures all that is asked for.
    pub(crate) lean: bool,
}

/// A quantity with its name, which depends on what the protocol's messages are for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NamedMetric {
    pub(crate) name: String,
    pub(crate) metric: Metric,
}

/// A bound that has a value in some cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PlannedBound {
    /// The name of the quantity.
    pub(crate) quantity: String,
    pub(crate) kind: &'static str,
    pub(crate) formula: &'static str,
    pub(crate) source: &'static str,
}

impl PlannedBound {
    fn new(bound: &EvaluatedBound, work: &str) -> Self {
        let path = bound.path(work);
        let quantity = if path == "messages.total" { super::quantity::TOTAL.to_string() } else { path };
        Self { quantity, kind: bound.kind.name(), formula: bound.formula, source: bound.source }
    }
}

impl SweepPlan {
    /// The plan of a spec; all that is wrong with it, as far as that can be told at once.
    pub fn new(catalogue: &Catalogue, spec: SweepSpec) -> Result<Self, Vec<SweepError>> {
        let mut errors = Vec::new();
        check_numbers(&spec, &mut errors);
        let bases = bases(catalogue, &spec, &mut errors);
        check_axes(&spec, &mut errors);
        if errors.is_empty() {
            check_count(&spec, &mut errors);
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut plan = Self {
            cells: Vec::new(),
            columns: Vec::new(),
            reports: Vec::new(),
            quantities: Vec::new(),
            bounds: Vec::new(),
            lean: false,
            spec,
        };
        for (index, (label, name, base)) in bases.into_iter().enumerate() {
            plan.add_cells(catalogue, (index, label, name), &base, &mut errors);
        }
        plan.select(&mut errors);
        if !errors.is_empty() {
            return Err(errors);
        }
        plan.lean = !plan.quantities.iter().any(|quantity| quantity.metric.needs_full());
        plan.describe_columns();
        Ok(plan)
    }

    /// The number of runs.
    pub fn total(&self) -> u64 {
        self.cells.len() as u64 * self.spec.runs
    }

    /// The cell of a run, and its number in it.
    pub fn cell_of(&self, index: u64) -> (usize, u64) {
        ((index / self.spec.runs) as usize, index % self.spec.runs)
    }

    /// The names of all quantities.
    pub fn quantity_names(&self) -> impl Iterator<Item = &str> {
        self.quantities.iter().map(|quantity| quantity.name.as_str())
    }

    /// The names of what varies; the protocol comes first, if there are several.
    pub fn varies(&self) -> Vec<String> {
        let several = self.spec.protocols.len() > 1;
        let protocol = several.then(|| "protocol".to_string());
        protocol.into_iter().chain(self.spec.vary.iter().map(|axis| axis.name.clone())).collect()
    }

    /// The command line of a run.
    pub fn run_command(&self, index: u64) -> String {
        let (cell, run) = self.cell_of(index);
        let cell = &self.cells[cell];
        let seed = Some(cell.seed(self.spec.seed, run));
        Options { seed, ..cell.options.clone() }.command_line(&format!("run {}", cell.entry.name()))
    }

    /// Executes one run; `None` if it was stopped, and an error if there is no memory for it.
    pub fn run(&self, index: u64, watch: &dyn Watch) -> Result<Option<RunRecord>, Error> {
        let (cell, run) = self.cell_of(index);
        let cell = &self.cells[cell];
        let seed = cell.seed(self.spec.seed, run);
        let setup = cell.setup(seed)?;
        let mut execution = if self.lean { Execution::lean(&setup)? } else { Execution::new(&setup, setup.choices())? };
        let mut breakdown = self
            .quantities
            .iter()
            .any(NamedMetric::is_list)
            .then(|| MessageBreakdown::new(&setup.scenario.identities().list()));
        let end = match &mut breakdown {
            Some(breakdown) => {
                execution.run.log();
                execution.finish_logged(watch, &mut |step| breakdown.take(&step))
            }
            None => execution.finish(watch),
        };
        setup.check_choices(execution.run.as_ref(), end)?;
        match end {
            RunEnd::Complete => {
                let measured = (&execution.run.summary(), breakdown.as_ref());
                Ok(Some(self.record(index, seed, &setup, measured)))
            }
            RunEnd::Stopped => Ok(None),
            RunEnd::OutOfMemory => {
                let wrong = format!("there is not enough memory for {}", self.run_command(index));
                Err(Error::OutOfMemory { wrong })
            }
        }
    }

    fn record(
        &self,
        index: u64,
        seed: u64,
        setup: &Setup,
        (summary, breakdown): (&Summary, Option<&MessageBreakdown>),
    ) -> RunRecord {
        let (count, leader) = leaders(summary);
        let work = setup.facts.work;
        let evaluated = |planned: &PlannedBound| {
            let same = |bound: &&EvaluatedBound| {
                bound.formula == planned.formula
                    && bound.source == planned.source
                    && bound.kind.name() == planned.kind
                    && PlannedBound::new(bound, work).quantity == planned.quantity
            };
            let proved = setup.facts.bounds.iter().find(same).filter(|bound| bound.is_proved_of(summary));
            proved.map(|bound| Number::from(bound.value))
        };
        RunRecord {
            index,
            seed,
            verdict: summary.verdict,
            finished: summary.finished,
            reason: summary.reason,
            leaders: count,
            leader,
            exceeded: setup.is_exceeded_by(summary, self.lean) || self.exceeds_by_identity(setup, summary, breakdown),
            values: self.quantities.iter().map(|quantity| quantity.of(summary, breakdown, work)).collect(),
            bounds: self.bounds.iter().map(evaluated).collect(),
        }
    }

    /// Whether an identity has more passes than its bound allows, where passes are counted by identity.
    fn exceeds_by_identity(&self, setup: &Setup, summary: &Summary, breakdown: Option<&MessageBreakdown>) -> bool {
        let counted = self.quantities.iter().any(|quantity| quantity.metric == Metric::ByIdentity);
        let Some(breakdown) = breakdown.filter(|_| counted) else { return false };
        let bound = setup.identity_bound().ok().flatten();
        RunDistribution::new(summary, breakdown, bound.as_ref()).is_exceeded()
    }

    /// Adds the cells of a protocol.
    fn add_cells(
        &mut self,
        catalogue: &Catalogue,
        (index, label, name): (usize, String, String),
        base: &Options,
        errors: &mut Vec<SweepError>,
    ) {
        let axes = self.spec.vary.clone();
        let count: usize = axes.iter().map(|axis| axis.values.len()).product();
        for cell in 0..count {
            let (mut options, mut values, mut rest) = (base.clone(), Vec::new(), cell);
            let mut picked = Vec::new();
            for axis in axes.iter().rev() {
                picked.push(rest % axis.values.len());
                rest /= axis.values.len();
            }
            picked.reverse();
            for (axis, &value) in axes.iter().zip(&picked) {
                // Values were parsed before.
                let _ = options.assign(&axis.name, &axis.values[value]);
                values.push(axis.values[value].clone());
            }
            let (name, options) = options.with_election(&name);
            let Ok(entry) = catalogue.find(&name) else { continue };
            let cell = SweepCell::new(label.clone(), values, entry, options);
            match cell.setup(cell.seed(self.spec.seed, 0)) {
                Ok(setup) => self.add_cell(cell, &setup),
                Err(bad) => {
                    let place = self.spec.place_of(&bad, index, &picked);
                    let error = SweepError { place, error: bad.into() };
                    if errors.len() < MOST_ERRORS && !errors.contains(&error) {
                        errors.push(error);
                    }
                }
            }
        }
    }

    fn add_cell(&mut self, cell: SweepCell, setup: &Setup) {
        let work = setup.facts.work;
        for metric in metrics(setup) {
            let quantity = NamedMetric { name: metric.name(work), metric };
            if self.quantities.iter().all(|known| known.name != quantity.name) {
                self.quantities.push(quantity);
            }
        }
        for bound in &setup.facts.bounds {
            let bound = PlannedBound::new(bound, work);
            if !self.bounds.contains(&bound) {
                self.bounds.push(bound);
            }
        }
        let settings = &setup.facts.parameters;
        self.reports.push(CellReport {
            protocol: cell.label.clone(),
            rules: rules_of(settings.iter().map(|(key, value)| (*key, value.as_str()))).to_string(),
            parameters: parameters(setup),
            command: cell.options.clone().command_line(&format!("run {}", cell.entry.name())),
        });
        if let Some(report) = self.reports.last_mut()
            && let Some((line, _)) = report.command.rsplit_once(" --seed ")
        {
            report.command = format!("{line} --seed SEED");
        }
        self.cells.push(cell);
    }

    /// Keeps the quantities that are asked for, and the bounds on them.
    fn select(&mut self, errors: &mut Vec<SweepError>) {
        if self.cells.is_empty() {
            return;
        }
        let known: Vec<String> = self.quantity_names().map(str::to_string).collect();
        for (index, asked) in self.spec.quantities.iter().enumerate() {
            if !known.iter().any(|name| is_below(name, asked)) {
                let bad = BadSetting::new("quantity", format!("is '{asked}'"), known.join(", "));
                errors.push(SweepError { place: SpecPlace::Quantity(index), error: bad.into() });
            }
        }
        let asked = &self.spec.quantities;
        self.quantities.retain(|quantity| quantity.is_asked_for(asked));
        if asked.is_empty() {
            return;
        }
        let kept = &self.quantities;
        self.bounds.retain(|bound| kept.iter().any(|quantity| quantity.name == bound.quantity));
    }

    fn describe_columns(&mut self) {
        let text = |name: &str, role| SweepColumn::new(name, role, ColumnType::Text);
        let integer = |name: &str, role| SweepColumn::new(name, role, ColumnType::Integer);
        let mut columns = vec![
            integer("run", ColumnRole::Index),
            integer("cell", ColumnRole::Index),
            text("protocol", ColumnRole::Parameter),
            text("rules", ColumnRole::Parameter),
        ];
        for (name, _) in self.reports.iter().flat_map(|report| &report.parameters) {
            if columns.iter().all(|column| column.name != *name) {
                columns.push(text(name, ColumnRole::Parameter));
            }
        }
        columns.extend([
            integer("seed", ColumnRole::Seed),
            text("verdict", ColumnRole::Outcome),
            text("finished", ColumnRole::Outcome),
            text("reason", ColumnRole::Outcome),
            integer("leaders", ColumnRole::Outcome),
            integer("leader", ColumnRole::Outcome),
            text("exceeded", ColumnRole::Outcome),
        ]);
        for NamedMetric { name, metric } in &self.quantities {
            let r#type = if metric.is_list() { ColumnType::List } else { ColumnType::Number };
            let mut column = SweepColumn::new(name, ColumnRole::Quantity, r#type);
            column.description = Some(metric.description().to_string());
            columns.push(column);
        }
        for (index, bound) in self.bounds.iter().enumerate() {
            let name = format!("bound.{}", index + 1);
            let mut column = SweepColumn::new(&name, ColumnRole::Bound, ColumnType::Number);
            column.quantity = Some(bound.quantity.clone());
            column.kind = Some(bound.kind.to_string());
            column.formula = Some(bound.formula.to_string());
            column.source = Some(bound.source.to_string());
            columns.push(column);
        }
        columns.extend(["version", "commit"].map(|name| text(name, ColumnRole::Provenance)));
        self.columns = columns;
    }
}

impl NamedMetric {
    /// Whether it is a list.
    pub(crate) const fn is_list(&self) -> bool {
        self.metric.is_list()
    }

    /// Its value in a run: of a quantity that has this name for the run's protocol.
    fn of(&self, summary: &Summary, breakdown: Option<&MessageBreakdown>, work: &str) -> MeasuredValue {
        let same = !matches!(self.metric, Metric::Of(Quantity::Work)) || self.metric.name(work) == self.name;
        if same { self.metric.value(summary, breakdown) } else { MeasuredValue::Missing }
    }

    /// Whether it is measured: a list only if it is asked for by its name, since it needs every step of a run.
    fn is_asked_for(&self, asked: &[String]) -> bool {
        if self.is_list() {
            return asked.contains(&self.name);
        }
        asked.is_empty() || asked.iter().any(|asked| is_below(&self.name, asked))
    }
}

/// Whether a quantity is the one asked for, or below it.
pub fn is_below(name: &str, asked: &str) -> bool {
    name.strip_prefix(asked).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn check_numbers(spec: &SweepSpec, errors: &mut Vec<SweepError>) {
    let mut refuse = |place, bad: BadSetting| errors.push(SweepError { place, error: bad.into() });
    if spec.protocols.is_empty() {
        refuse(SpecPlace::Whole, BadSetting::new("protocol", "is missing", "one or more; see `ringleader list`"));
    }
    if spec.runs == 0 {
        refuse(SpecPlace::Runs, BadSetting::new("runs", "are 0", format!("1 to {}", grouped(MOST_RUNS))));
    }
    if !(spec.level > 0.0 && spec.level < 1.0) {
        let wrong = format!("is {}", spec.level);
        refuse(SpecPlace::Level, BadSetting::new("level", wrong, "above 0 and below 1, such as 0.95"));
    }
}

/// The protocols with the options that all their runs have.
fn bases(catalogue: &Catalogue, spec: &SweepSpec, errors: &mut Vec<SweepError>) -> Vec<(String, String, Options)> {
    let mut common = Options::default();
    for (index, (name, value)) in spec.options.iter().enumerate() {
        if let Err(bad) = common.assign(name, value) {
            errors.push(SweepError { place: SpecPlace::Option(index), error: bad.named(name) });
        }
    }
    let mut bases = Vec::new();
    for (index, label) in spec.protocols.iter().enumerate() {
        let (name, settings) = with_parameters(label);
        match catalogue.complete(name) {
            Ok(full) if is_task(&full) || catalogue.find(&full).is_ok() => {
                let label = label.replacen(name, &full, 1);
                let mut options = common.clone();
                options.set.extend(settings);
                bases.push((label, full, options));
            }
            Ok(_) => {}
            Err(unknown) => errors.push(SweepError { place: SpecPlace::Protocol(index), error: unknown.into() }),
        }
    }
    bases
}

fn check_axes(spec: &SweepSpec, errors: &mut Vec<SweepError>) {
    let mut refuse = |place, error| errors.push(SweepError { place, error });
    for (index, SweepAxis { name, values }) in spec.vary.iter().enumerate() {
        let named = |wrong: &str, allowed: &str| Error::Named {
            name: name.clone(),
            wrong: wrong.to_string(),
            allowed: allowed.to_string(),
        };
        if spec.vary[..index].iter().any(|other| other.name == *name) {
            refuse(SpecPlace::Axis(index), named("varies twice", "once, with all its values"));
        }
        if spec.options.iter().any(|(other, _)| other == name) {
            refuse(SpecPlace::Axis(index), named("is given and varies", "one of the two"));
        }
        if values.is_empty() {
            refuse(SpecPlace::Axis(index), named("has no values", "values separated by spaces"));
        }
        for (position, value) in values.iter().enumerate() {
            match Options::default().assign(name, value) {
                Ok(()) if values[..position].contains(value) => {
                    let wrong = format!("has {} twice", quoted(value));
                    refuse(SpecPlace::AxisValue(index, position), named(&wrong, "every value once"));
                }
                Ok(()) => {}
                Err(BadOption::Unknown) => {
                    refuse(SpecPlace::Axis(index), BadOption::Unknown.named(name));
                    break;
                }
                Err(bad) => refuse(SpecPlace::AxisValue(index, position), bad.named(name)),
            }
        }
    }
}

/// Whether there are few enough cells and runs.
fn check_count(spec: &SweepSpec, errors: &mut Vec<SweepError>) {
    let sizes = spec.vary.iter().map(|axis| axis.values.len() as u128);
    let cells = sizes.fold(spec.protocols.len() as u128, u128::saturating_mul);
    let runs = cells.saturating_mul(spec.runs.into());
    if cells > MOST_CELLS.into() {
        let wrong = format!("makes {} cells", grouped(cells));
        let bad = BadSetting::new("vary", wrong, format!("at most {}", grouped(MOST_CELLS)));
        errors.push(SweepError { place: SpecPlace::Whole, error: bad.into() });
    } else if runs > MOST_RUNS.into() {
        let wrong = format!("are {}: {} in all", grouped(spec.runs), grouped(runs));
        let bad = BadSetting::new("runs", wrong, format!("at most {} in all", grouped(MOST_RUNS)));
        errors.push(SweepError { place: SpecPlace::Runs, error: bad.into() });
    }
}

impl SweepSpec {
    /// The part that a setting comes from which a set-up refuses.
    fn place_of(&self, bad: &BadSetting, protocol: usize, picked: &[usize]) -> SpecPlace {
        let means = |name: &str| name == bad.field || bad.field == "set" && name.starts_with("set");
        let varies = self.vary.iter().position(|axis| means(&axis.name));
        let given = || self.options.iter().position(|(name, _)| means(name));
        match varies {
            Some(axis) => SpecPlace::AxisValue(axis, picked[axis]),
            None => given().map_or(SpecPlace::Protocol(protocol), SpecPlace::Option),
        }
    }
}
