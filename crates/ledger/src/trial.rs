//! Trials: the experiments that put a claim to the test, each an ordinary command whose line is kept.

use ringleader_check::{BigRational, Effort};
use ringleader_model::BadSetting;

use crate::command::CommandWords;
use crate::evidence::{Evidence, LedgerVerdict};
use crate::runs::RunsMade;
use ringleader::check::{CheckReport, CheckSetup, CheckVerdict, LockStepReport, ProbabilityReport, Total, survey};
use ringleader::claim::{Claim, ClaimRow, Verified, verify};
use ringleader::exact::{DistributionReport, ExactRow, ExactSetup};
use ringleader::report::{ResultReport, grouped};
use ringleader::statistics::Relation;
use ringleader::sweep::{Provenance, SweepError, SweepPlan, SweepSamples};
use ringleader::worst::{SearchMethod, WorstOptions, WorstReport, worst};
use ringleader::{Catalogue, Error, RunReport, Setup, UnknownProtocol, Watch, find, program};

/// The level of confidence intervals: a claim is not refuted by one line of a hundred that errs.
pub(crate) const LEVEL: f64 = 0.999;

/// How much is tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LedgerEffort {
    /// Half a minute for everything, instead of some minutes.
    pub quick: bool,
    /// The seed of all runs.
    pub seed: u64,
    /// Threads and memory.
    pub effort: Effort,
}

impl Default for LedgerEffort {
    fn default() -> Self {
        Self { quick: false, seed: 1, effort: Effort::default() }
    }
}

/// Why a trial did not come to its end.
pub(crate) enum Interruption {
    /// It was told to stop.
    Stopped,
    /// It could not be made.
    Failed(Error),
}

/// The result of an experiment, unless it was interrupted.
pub(crate) type TrialResult<T> = Result<T, Interruption>;

impl From<Error> for Interruption {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<BadSetting> for Interruption {
    fn from(bad: BadSetting) -> Self {
        Self::Failed(bad.into())
    }
}

impl From<UnknownProtocol> for Interruption {
    fn from(unknown: UnknownProtocol) -> Self {
        Self::Failed(unknown.into())
    }
}

impl From<Vec<SweepError>> for Interruption {
    fn from(errors: Vec<SweepError>) -> Self {
        let wrong = errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        Self::Failed(Error::Refused { wrong, allowed: None })
    }
}

/// The experiments on one claim.
pub(crate) struct Trial<'a> {
    effort: LedgerEffort,
    watch: &'a dyn Watch,
    /// The commands of all experiments so far.
    pub(crate) commands: Vec<String>,
}

impl<'a> Trial<'a> {
    pub(crate) fn new(effort: LedgerEffort, watch: &'a dyn Watch) -> Self {
        Self { effort, watch, commands: Vec::new() }
    }

    /// One of two values: for a quick trial, or for a thorough one.
    pub(crate) fn pick<T>(&self, quick: T, thorough: T) -> T {
        if self.effort.quick { quick } else { thorough }
    }

    fn begin(&mut self, command: &str) {
        self.watch.measuring(command);
        if !self.commands.iter().any(|known| known == command) {
            self.commands.push(command.to_string());
        }
    }

    /// One run, with the options of `ringleader run`.
    pub(crate) fn run(&mut self, command: &str) -> TrialResult<RunMade> {
        let words = CommandWords::parse(command)?;
        let (protocol, mut options) = words.run()?.with_election(words.protocol());
        options.seed = options.seed.or(Some(self.effort.seed));
        let setup = Setup::new(find(&protocol)?, options)?;
        self.begin(&setup.command_line());
        let (summary, _) = setup.run_watched(self.watch)?;
        if self.watch.stopped() {
            return Err(Interruption::Stopped);
        }
        Ok(RunMade { report: RunReport::new(&setup, &summary), setup })
    }

    /// Many runs, with the options of `ringleader sweep`: so many a cell in a quick trial, and in a thorough one.
    pub(crate) fn runs(&mut self, command: &str, runs: (u64, u64)) -> TrialResult<RunsMade> {
        let runs = self.pick(runs.0, runs.1);
        let spec = CommandWords::parse(command)?.sweep(runs, self.effort.seed, LEVEL)?;
        let line = spec.command_line();
        self.begin(&line);
        let plan = SweepPlan::new(&Catalogue::default(), spec)?;
        let (mut samples, mut records) = (SweepSamples::new(&plan), Vec::new());
        let end = plan.execute([], self.effort.effort.threads, self.watch, &mut |record| {
            samples.add(&plan, record);
            records.push(record.clone());
            true
        });
        if let Some(error) = end.error {
            return Err(error.into());
        }
        if !end.complete {
            return Err(Interruption::Stopped);
        }
        let provenance =
            Provenance { program: String::new(), version: String::new(), commit: None, command: line.clone() };
        Ok(RunsMade { report: samples.report(&plan, &provenance), plan, records })
    }

    /// All schedules, with the options of `ringleader check`.
    pub(crate) fn check(&mut self, command: &str) -> TrialResult<CheckMade> {
        let words = CommandWords::parse(command)?;
        let mut options = words.check()?;
        let states = options.effort.states;
        options.effort = Effort { states, ..self.effort.effort };
        let entry = find(words.protocol())?;
        let check = CheckSetup::new(entry, &options)?;
        let rerun = options.command_line(entry.name(), check.family.n).into_text();
        self.begin(&rerun);
        let survey = survey(&check, self.watch)?;
        if self.watch.stopped() {
            return Err(Interruption::Stopped);
        }
        let total = Total::new(&check, &survey);
        let (verdict, exceeded) = (total.verdict(), total.is_exceeded());
        Ok(CheckMade { report: CheckReport::new(&check, &survey, &total, None, rerun), verdict, exceeded })
    }

    /// All schedules of several sizes: everything that is promised must hold in each.
    pub(crate) fn check_sizes(&mut self, command: &str, sizes: std::ops::RangeInclusive<u64>) -> TrialResult<Evidence> {
        let mut each = Vec::new();
        for n in sizes {
            each.push(self.check(&format!("{command} -n {n}"))?.all());
        }
        Ok(crate::evidence::all(each))
    }

    /// The lock-step run of a symmetric network, with the options of `ringleader check --anonymous`.
    pub(crate) fn lock_step(&mut self, command: &str) -> TrialResult<LockStepReport> {
        let words = CommandWords::parse(command)?;
        let report = LockStepReport::new(find(words.protocol())?, &words.check()?, self.watch)?;
        self.begin(&report.rerun);
        if self.watch.stopped() { Err(Interruption::Stopped) } else { Ok(report) }
    }

    /// Exact probabilities, with the options of `ringleader check --probability`; of so many phases, if that is said.
    pub(crate) fn probability(&mut self, command: &str, phases: Option<u32>) -> TrialResult<ProbabilityReport> {
        let words = CommandWords::parse(command)?;
        let mut options = words.check()?;
        options.effort = self.effort.effort;
        let entry = find(words.protocol())?;
        let check = CheckSetup::new(entry, &options)?;
        let mut line = options.command_line(entry.name(), check.family.n);
        line.flag(&phases.map_or("--probability".to_string(), |phases| format!("--probability={phases}")), true);
        let line = line.into_text();
        self.begin(&line);
        let report = ProbabilityReport::new(&check, phases, line, self.watch)?;
        if self.watch.stopped() { Err(Interruption::Stopped) } else { Ok(report) }
    }

    /// The exact distribution over all orders, with the options of `ringleader exact`.
    pub(crate) fn exact(&mut self, command: &str) -> TrialResult<ExactMade> {
        let words = CommandWords::parse(command)?;
        let (sizes, options) = words.exact(self.effort.effort.threads)?;
        let entry = find(words.protocol())?;
        let mut rows = Vec::new();
        for (index, &n) in sizes.iter().enumerate() {
            let setup = ExactSetup::new(entry, n, &options)?;
            if index == 0 {
                self.begin(&setup.command_line(words.value("n").unwrap_or_default()));
            }
            rows.push(setup.compute(self.watch)?.ok_or(Interruption::Stopped)?);
        }
        Ok(ExactMade { rows })
    }

    /// The worst case that a search finds, with the options of `ringleader worst`.
    pub(crate) fn worst(&mut self, command: &str, quantity: &str) -> TrialResult<WorstReport> {
        let words = CommandWords::parse(command)?;
        let mut options = words.run()?;
        options.seed = options.seed.or(Some(self.effort.seed));
        let asked = WorstOptions {
            options,
            quantity: quantity.to_string(),
            least: false,
            over: Vec::new(),
            method: SearchMethod::Auto,
            budget: WorstOptions::BUDGET,
            effort: self.effort.effort,
        };
        self.watch.measuring(command);
        let (report, _) = worst(find(words.protocol())?, &asked, self.watch)?.ok_or(Interruption::Stopped)?;
        self.begin(&report.rerun);
        Ok(report)
    }

    /// A table of means over contention, γ and the like, with the options of `ringleader reproduce --table`.
    pub(crate) fn table(&mut self, claim: Claim, options: &str, runs: (u64, u64)) -> TrialResult<TableMade> {
        let words = CommandWords::parse(&format!("{} {options}", claim.protocol()))?;
        let mut given = words.run()?;
        given.seed = Some(self.effort.seed);
        let verified = verify(claim, &given, Some(self.pick(runs.0, runs.1)), self.watch, &mut |_| {})?;
        self.begin(&verified.rerun);
        if self.watch.stopped() { Err(Interruption::Stopped) } else { Ok(TableMade { verified }) }
    }
}

/// A run that was made.
pub(crate) struct RunMade {
    pub(crate) setup: Setup,
    pub(crate) report: RunReport,
}

impl RunMade {
    /// Whether a bound held in this run; `None` if there is no such bound.
    pub(crate) fn bound(&self, quantity: &str, formula: &str) -> TrialResult<Evidence> {
        let found = self.report.bounds.iter().find(|bound| bound.quantity == quantity && bound.formula == formula);
        let Some(bound) = found else { return Err(no_bound(quantity, formula, &self.setup.command_line())) };
        let measured = bound.measured.map_or("nothing".to_string(), |measured| measured.to_string());
        let text = |relation: &str| format!("{quantity} {measured} {relation} {}", bound.value);
        Ok(match bound.holds {
            Some(true) => Evidence::new(LedgerVerdict::Held, "one run", text("within")),
            Some(false) => Evidence::refuted("one run", text("against"), self.setup.command_line()),
            None => Evidence::new(LedgerVerdict::Undecided, "one run", text("beside")),
        })
    }

    /// Whether what was measured is at most what a bound says that is listed without being judged: a claim of the source.
    pub(crate) fn claim(&self, quantity: &str, formula: &str) -> TrialResult<Evidence> {
        let found = self.report.bounds.iter().find(|bound| bound.quantity == quantity && bound.formula == formula);
        let measured = found.and_then(|bound| Some((bound.measured?.to_f64(), bound.value.to_f64())));
        let Some((measured, claimed)) = measured else {
            return Err(no_bound(quantity, formula, &self.setup.command_line()));
        };
        let text = format!("{quantity} {} against {formula} = {}", decimal(measured), decimal(claimed));
        Ok(self.shows(measured <= claimed, text))
    }

    /// The mean time from asking to entering.
    pub(crate) fn mean_wait(&self) -> f64 {
        self.report.cost.granting_delay.as_ref().map_or(0.0, |delay| delay.mean.to_f64())
    }

    /// The most conflicting sites that were inside together.
    pub(crate) fn inside_together(&self) -> Option<u64> {
        match self.report.outcome.result {
            ResultReport::Entries { overlap_max, .. } => Some(overlap_max),
            _ => None,
        }
    }

    /// A statement about this run; false, it is refuted.
    pub(crate) fn shows(&self, holds: bool, measured: impl Into<String>) -> Evidence {
        if holds {
            Evidence::new(LedgerVerdict::Held, "one run", measured)
        } else {
            Evidence::refuted("one run", measured, self.setup.command_line())
        }
    }
}

pub(crate) fn no_bound(quantity: &str, formula: &str, command: &str) -> Interruption {
    let wrong = format!("{command} has no bound {formula} on {quantity}");
    Interruption::Failed(Error::Refused {
        wrong,
        allowed: Some("nothing: the ledger is out of date, please report it"),
    })
}

/// A check that was made.
pub(crate) struct CheckMade {
    pub(crate) report: CheckReport,
    verdict: CheckVerdict,
    exceeded: bool,
}

impl CheckMade {
    /// How it was tested.
    pub(crate) fn method(&self) -> String {
        let CheckReport { scenario, instances, states, .. } = &self.report;
        let clocks = if scenario.timing.is_some() { "clocks and schedules" } else { "schedules" };
        let orders = if *instances > 1 { format!(" of {} instances", grouped(*instances)) } else { String::new() };
        format!("all {clocks}{orders}, n = {} ({} states)", scenario.n, grouped(*states))
    }

    /// Everything that is promised: safety, liveness, promises, invariants and bounds.
    pub(crate) fn all(&self) -> Evidence {
        let broken = self.report.properties.iter().find(|property| property.verdict == CheckVerdict::Violated.name());
        match (self.verdict, broken) {
            (CheckVerdict::Violated, broken) => self.violated(broken.map_or("", |property| property.name.as_str())),
            _ if self.exceeded => self.violated("a proved bound"),
            (CheckVerdict::Holds, _) => {
                let measured = Some(self.messages()).filter(|text| !text.is_empty());
                let measured = measured.unwrap_or_else(|| "every property holds".to_string());
                Evidence::new(LedgerVerdict::Holds, self.method(), measured)
            }
            (CheckVerdict::Unknown, _) => {
                Evidence::new(LedgerVerdict::Undecided, self.method(), "not explored completely")
            }
        }
    }

    /// One property, by the name under which `check` reports it.
    pub(crate) fn property(&self, name: &str) -> TrialResult<Evidence> {
        let Some(property) = self.report.properties.iter().find(|property| property.name == name) else {
            let wrong = format!("{} judges no property '{name}'", self.report.rerun);
            return Err(Error::Refused { wrong, allowed: None }.into());
        };
        Ok(match property.verdict.as_str() {
            "holds" => Evidence::new(LedgerVerdict::Holds, self.method(), format!("{name} holds")),
            "violated" => self.violated(name),
            _ => Evidence::new(LedgerVerdict::Undecided, self.method(), format!("{name} is not decided")),
        })
    }

    /// The claim that something goes wrong: one schedule shows it.
    pub(crate) fn goes_wrong(&self) -> Evidence {
        match (self.verdict, &self.report.counterexample) {
            (CheckVerdict::Violated, Some(found)) => {
                let measured = format!("{} is violated after {} steps", found.property, found.steps);
                Evidence::new(LedgerVerdict::Holds, self.method(), measured)
            }
            (CheckVerdict::Holds, _) => {
                Evidence::refuted(self.method(), "nothing is violated", self.report.rerun.clone())
            }
            _ => Evidence::new(LedgerVerdict::Undecided, self.method(), "not explored completely"),
        }
    }

    /// The greatest value of a quantity over all schedules, where that is known exactly.
    pub(crate) fn greatest(&self, quantity: &str) -> Option<u64> {
        let extreme = self.report.extremes.iter().find(|extreme| extreme.quantity == quantity)?;
        extreme.greatest.value.and_then(|value| u64::try_from(value).ok())
    }

    /// The least value of a quantity over all schedules, where that is known exactly.
    pub(crate) fn least(&self, quantity: &str) -> Option<u64> {
        let extreme = self.report.extremes.iter().find(|extreme| extreme.quantity == quantity)?;
        extreme.least.value.and_then(|value| u64::try_from(value).ok())
    }

    /// A statement about all schedules; false, it is refuted by this check.
    pub(crate) fn shows(&self, holds: bool, measured: impl Into<String>) -> Evidence {
        if holds {
            Evidence::new(LedgerVerdict::Holds, self.method(), measured)
        } else {
            Evidence::refuted(self.method(), measured, self.report.rerun.clone())
        }
    }

    fn messages(&self) -> String {
        let most = &self.report.most_messages;
        match (most.passes, &most.proved) {
            (Some(passes), Some(proved)) => format!("at most {passes} messages, {} proved", proved.value),
            (Some(passes), None) => format!("at most {passes} messages"),
            (None, _) => String::new(),
        }
    }

    fn violated(&self, property: &str) -> Evidence {
        let steps =
            self.report.counterexample.as_ref().map_or(String::new(), |found| format!(" after {} steps", found.steps));
        Evidence::refuted(self.method(), format!("{property} is violated{steps}"), self.report.rerun.clone())
    }
}

/// Exact distributions that were computed, by number of processors.
pub(crate) struct ExactMade {
    pub(crate) rows: Vec<ExactRow>,
}

impl ExactMade {
    fn method(&self) -> String {
        let sizes: Vec<u64> = self.rows.iter().map(|row| row.n).collect();
        let orders: u64 = self.rows.iter().map(|row| row.runs).sum();
        format!("all orders, {} ({} runs)", size_range(&sizes), grouped(orders))
    }

    fn distribution<'a>(row: &'a ExactRow, quantity: &str) -> TrialResult<&'a DistributionReport> {
        row.of(quantity).ok_or_else(|| no_bound(quantity, "", &format!("exact {}", row.protocol)))
    }

    /// Whether the mean is this fraction, for every size.
    pub(crate) fn mean_is(
        &self,
        quantity: &str,
        formula: &str,
        value: impl Fn(u64) -> BigRational,
    ) -> TrialResult<Evidence> {
        let mut shown = Vec::new();
        for row in &self.rows {
            let mean = &Self::distribution(row, quantity)?.mean;
            let claimed = value(row.n);
            if (&mean.numerator, &mean.denominator) != (&claimed.numer().to_string(), &claimed.denom().to_string()) {
                let measured = format!("n = {}: mean {} against {formula} = {claimed}", row.n, mean.text());
                return Ok(Evidence::refuted(self.method(), measured, self.rerun_of(row)));
            }
            shown.push(format!("n = {}: {}", row.n, mean.text()));
        }
        let measured = format!("mean {quantity} is {formula} exactly, {}", shown.last().cloned().unwrap_or_default());
        Ok(Evidence::new(LedgerVerdict::Holds, self.method(), measured))
    }

    /// Whether the greatest value is at most this, for every size; says where it is reached.
    pub(crate) fn at_most(&self, quantity: &str, formula: &str, limit: impl Fn(u64) -> f64) -> TrialResult<Evidence> {
        let mut reached = Vec::new();
        for row in &self.rows {
            let found = Self::distribution(row, quantity)?;
            let claimed = limit(row.n);
            if found.max as f64 > claimed + 1e-9 {
                let measured =
                    format!("n = {}: {quantity} {} against {formula} = {}", row.n, found.max, decimal(claimed));
                return Ok(Evidence::refuted(self.method(), measured, found.max_run.clone()));
            }
            reached.extend((found.max as f64 > claimed - 1e-9).then_some(row.n));
        }
        let tight = match reached.as_slice() {
            [] => String::new(),
            sizes => format!(", reached for {}", size_range(sizes)),
        };
        Ok(Evidence::new(LedgerVerdict::Holds, self.method(), format!("{quantity} ≤ {formula}{tight}")))
    }

    fn rerun_of(&self, row: &ExactRow) -> String {
        let set = row
            .parameters
            .iter()
            .filter(|(key, _)| *key != "printed")
            .map(|(key, value)| format!(" --set {key}={value}"));
        format!("{} exact {} -n {}{}", program(), row.protocol, row.n, set.collect::<String>())
    }
}

/// An interval of 95 % times this is one of [`LEVEL`] at least, for the ten or more runs of a table's line.
pub(crate) const WIDER: f64 = 2.2;

/// A table of means that was measured.
pub(crate) struct TableMade {
    pub(crate) verified: Verified,
}

impl TableMade {
    /// Whether no line is above what is claimed, of those about this quantity and formula.
    pub(crate) fn at_most(&self, of: impl Fn(&ClaimRow) -> bool) -> Evidence {
        let rows: Vec<&ClaimRow> = self.verified.rows.iter().filter(|row| of(row) && row.decided).collect();
        let method = format!("{} lines of runs", rows.len());
        let line = |row: &ClaimRow| {
            let (value, axis) = (&row.value, self.verified.axis);
            format!("γ = {}, {axis} = {value}: {} against {}", row.gamma, decimal(row.measured.mean), row.claimed)
        };
        let is_above = |row: &&&ClaimRow| {
            row.measured.mean - WIDER * row.measured.ci95 > row.claimed.to_f64() && row.relation == Relation::Above
        };
        let above: Vec<_> = rows.iter().filter(is_above).collect();
        match (above.first(), rows.len()) {
            (Some(row), all) => {
                let measured = format!("above the claim in {} of {all} lines; {}", above.len(), line(row));
                Evidence::refuted(method, measured, self.verified.rerun.clone())
            }
            (None, 0) => Evidence::new(LedgerVerdict::Undecided, method, "nothing was decided"),
            (None, all) => Evidence::new(LedgerVerdict::Held, method, format!("not above the claim in {all} lines")),
        }
    }
}

/// `n = 4`, `n = 2..8`, or a list.
pub(crate) fn size_range(sizes: &[u64]) -> String {
    match sizes {
        [] => "no size".to_string(),
        [one] => format!("n = {one}"),
        [first, .., last] if *last == first + sizes.len() as u64 - 1 => format!("n = {first}..{last}"),
        many => format!("n = {}", many.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// A number as people read it: up to three decimals.
pub(crate) fn decimal(value: f64) -> String {
    if value.fract() == 0.0 && (0.0..1e15).contains(&value) {
        return grouped(value as u64);
    }
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}
