//! Many runs, and what they say about a claim.

use crate::evidence::{Evidence, LedgerVerdict};
use crate::trial::{LEVEL, TrialResult, decimal, no_bound, size_range};
use ringleader::plot::fit::{FittedExponent, Growth};
use ringleader::report::grouped;
use ringleader::statistics::{Distribution, float};
use ringleader::sweep::{
    ColumnRole, Comparator, MeasuredValue, RunRecord, SweepColumn, SweepPlan, SweepReport, SweepRow,
};
use ringleader::{Error, Options, Setup};
use ringleader_sim::Verdict;

/// The runs of a sweep.
pub(crate) struct RunsMade {
    pub(crate) plan: SweepPlan,
    pub(crate) records: Vec<RunRecord>,
    pub(crate) report: SweepReport,
}

/// One of them.
#[derive(Clone, Copy)]
pub(crate) struct SampledRun<'a> {
    plan: &'a SweepPlan,
    pub(crate) record: &'a RunRecord,
}

impl SampledRun<'_> {
    /// What was measured of a quantity, by its name in a sweep.
    pub(crate) fn value(&self, quantity: &str) -> Option<f64> {
        match self.measured(quantity)? {
            MeasuredValue::Number(number) => Some(number.to_f64()),
            _ => None,
        }
    }

    /// What was measured of a quantity that is a list.
    pub(crate) fn list(&self, quantity: &str) -> Option<&[u64]> {
        match self.measured(quantity)? {
            MeasuredValue::List(list) => Some(list),
            _ => None,
        }
    }

    fn measured(&self, quantity: &str) -> Option<&MeasuredValue> {
        let index = self.plan.quantity_names().position(|name| name == quantity)?;
        self.record.values.get(index)
    }

    /// Its scenario, parameters and figures.
    pub(crate) fn setup(&self) -> Setup {
        let (cell, _) = self.plan.cell_of(self.record.index);
        self.plan.cells[cell].setup(self.record.seed).expect("it was run")
    }

    /// The number of processors.
    pub(crate) fn n(&self) -> u64 {
        self.plan.cells[self.plan.cell_of(self.record.index).0].options.size()
    }

    fn command(&self) -> String {
        self.plan.run_command(self.record.index)
    }
}

/// A figure of a set-up, by its symbol: u, m, l and so on.
pub(crate) fn figure(setup: &Setup, symbol: &str) -> Option<f64> {
    setup.facts.figures.iter().find(|figure| figure.symbol == symbol).map(|figure| float(figure.value))
}

impl RunsMade {
    /// All of them.
    pub(crate) fn each(&self) -> impl Iterator<Item = SampledRun<'_>> {
        self.records.iter().map(|record| SampledRun { plan: &self.plan, record })
    }

    /// How it was tested.
    pub(crate) fn method(&self) -> String {
        let mut sizes: Vec<u64> = self.plan.cells.iter().map(|cell| cell.options.size()).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let runs = match self.records.len() {
            1 => "one run".to_string(),
            runs => format!("{} runs", grouped(runs)),
        };
        format!("{runs}, {}", size_range(&sizes))
    }

    /// Whether every property held in every run.
    pub(crate) fn held(&self) -> Evidence {
        let wrong = self.each().filter(|run| run.record.verdict != Verdict::Held).min_by_key(|run| run.n());
        match wrong {
            None => Evidence::new(LedgerVerdict::Held, self.method(), "every property held"),
            Some(run) => Evidence::refuted(self.method(), "a property did not hold", run.command()),
        }
    }

    /// Whether a bound on every run, which the protocol lists, held in all of them.
    pub(crate) fn bound(&self, quantity: &str, formula: &str) -> TrialResult<Evidence> {
        let bounds = || self.plan.columns.iter().filter(|column| column.role == ColumnRole::Bound);
        let is_meant = |column: &SweepColumn| {
            column.quantity.as_deref() == Some(quantity) && column.formula.as_deref() == Some(formula)
        };
        let Some(index) = bounds().position(is_meant) else {
            return Err(no_bound(quantity, formula, &self.report.provenance.command));
        };
        let comparator = match bounds().nth(index).and_then(|column| column.kind.as_deref()) {
            Some("best") => Comparator::AtLeast,
            Some("exact") => Comparator::Equal,
            _ => Comparator::AtMost,
        };
        self.every(quantity, formula, comparator, |run| {
            Some((run.value(quantity)?, run.record.bounds.get(index)?.as_ref()?.to_f64()))
        })
    }

    /// Whether a measured value is at most, at least or exactly another in every run that has both and is finished.
    pub(crate) fn every(
        &self,
        quantity: &str,
        formula: &str,
        comparator: Comparator,
        of: impl Fn(&SampledRun<'_>) -> Option<(f64, f64)>,
    ) -> TrialResult<Evidence> {
        let (mut judged, mut wrong, mut closest) = (0u64, 0u64, f64::INFINITY);
        let mut first: Option<(u64, SampledRun<'_>, f64, f64)> = None;
        for run in self.each().filter(|run| run.record.finished) {
            let Some((measured, claimed)) = of(&run) else { continue };
            judged += 1;
            if !comparator.holds(measured, claimed) {
                wrong += 1;
                if first.as_ref().is_none_or(|(n, ..)| run.n() < *n) {
                    first = Some((run.n(), run, measured, claimed));
                }
            }
            let ratio = if comparator == Comparator::AtLeast { measured / claimed } else { claimed / measured };
            closest = closest.min(ratio);
        }
        if judged == 0 {
            let wrong = format!("{} measures no {quantity} beside {formula}", self.report.provenance.command);
            return Err(Error::Refused { wrong, allowed: None }.into());
        }
        let Some((n, run, measured, claimed)) = first else {
            let how = match comparator {
                Comparator::Equal => format!("{quantity} = {formula}"),
                Comparator::AtLeast => format!("{quantity} ≥ {formula}, at closest {} times", decimal(closest)),
                _ => format!("{quantity} ≤ {formula}, at most {} of it", decimal(1.0 / closest)),
            };
            return Ok(Evidence::new(LedgerVerdict::Held, self.method(), how));
        };
        let often = match judged {
            1 => String::new(),
            _ => format!("; so in {} of {} runs", grouped(wrong), grouped(judged)),
        };
        let (measured, claimed) = (decimal(measured), decimal(claimed));
        let measured = format!("n = {n}: {quantity} {measured} against {formula} = {claimed}{often}");
        Ok(Evidence::refuted(self.method(), measured, run.command()))
    }

    /// The distribution of a quantity in each cell.
    pub(crate) fn rows<'a>(&'a self, quantity: &'a str) -> impl Iterator<Item = (&'a SweepRow, &'a Distribution)> {
        self.report.rows.iter().filter_map(move |row| Some((row, row.quantity(quantity)?)))
    }

    /// Whether the mean of a quantity is at most, at least or equal to a value in every cell, as far as its interval tells.
    pub(crate) fn mean(
        &self,
        quantity: &str,
        formula: &str,
        comparator: Comparator,
        claimed: impl Fn(&Setup) -> Option<f64>,
    ) -> TrialResult<Evidence> {
        let mut judged = 0;
        let mut last = String::new();
        for (row, found) in self.rows(quantity) {
            let setup = self.plan.cells[row.cell as usize].setup(1)?;
            let (Some(claimed), Some(ci)) = (claimed(&setup), found.ci) else { continue };
            judged += 1;
            let wrong = match comparator {
                Comparator::AtLeast => ci.high < claimed,
                Comparator::Equal => ci.high < claimed || ci.low > claimed,
                _ => ci.low > claimed,
            };
            last = format!(
                "n = {}: mean {quantity} {} ± {} against {formula} = {}",
                setup.scenario.n,
                decimal(found.mean),
                decimal((ci.high - ci.low) / 2.0),
                decimal(claimed)
            );
            if wrong {
                return Ok(Evidence::refuted(self.method(), last, self.cell_command(row)));
            }
        }
        if judged == 0 {
            return Err(no_bound(quantity, formula, &self.report.provenance.command));
        }
        let level = decimal(LEVEL * 100.0);
        let measured = format!("{judged} means within their {level} % intervals; {last}");
        Ok(Evidence::new(LedgerVerdict::Held, self.method(), measured))
    }

    /// Whether a bound on the mean, which the protocol lists, is not exceeded in any cell.
    pub(crate) fn mean_bound(&self, quantity: &str, formula: &str) -> TrialResult<Evidence> {
        self.mean(quantity, formula, Comparator::AtMost, |setup| {
            let work = setup.facts.work;
            let listed =
                setup.facts.bounds.iter().find(|bound| bound.formula == formula && bound.path(work) == quantity);
            listed.map(|bound| float(bound.value))
        })
    }

    /// Each cell with the set-up of a run of it.
    pub(crate) fn cells(&self) -> TrialResult<Vec<(Setup, &SweepRow)>> {
        let setup = |row: &SweepRow| self.plan.cells[row.cell as usize].setup(self.plan.spec.seed);
        self.report.rows.iter().map(|row| Ok((setup(row)?, row))).collect()
    }

    /// The mean of a quantity in each cell beside a value of its set-up: a table in one line.
    pub(crate) fn table(&self, quantity: &str, beside: impl Fn(&Setup) -> String) -> TrialResult<String> {
        let line = |(setup, row): (Setup, &SweepRow)| {
            row.quantity(quantity).map(|found| format!("{}: {}", beside(&setup), decimal(found.mean)))
        };
        Ok(self.cells()?.into_iter().filter_map(line).collect::<Vec<_>>().join(", "))
    }

    /// Whether the mean of a quantity never falls from one cell to the next.
    pub(crate) fn rises(&self, quantity: &str, beside: impl Fn(&Setup) -> String) -> TrialResult<Evidence> {
        let measured = format!("{quantity} by {}", self.table(quantity, beside)?);
        let means: Vec<f64> = self.rows(quantity).map(|(_, found)| found.mean).collect();
        Ok(match means.windows(2).all(|pair| pair[0] <= pair[1]) {
            true => Evidence::new(LedgerVerdict::Held, self.method(), measured),
            false => Evidence::refuted(self.method(), measured, self.report.provenance.command.clone()),
        })
    }

    /// The exponent with which the mean of a quantity grows with another value of the set-up.
    pub(crate) fn exponent(
        &self,
        quantity: &str,
        against: impl Fn(&Setup) -> Option<f64>,
    ) -> TrialResult<Option<FittedExponent>> {
        let point = |(setup, row): (Setup, &SweepRow)| Some((against(&setup)?, row.quantity(quantity)?.mean));
        let points: Vec<_> = self.cells()?.into_iter().filter_map(point).collect();
        Ok(Growth::fit(&points, LEVEL).map(|growth| growth.free))
    }

    /// Whether the mean of a quantity grows with this power of a value: the fitted exponent lies within a tolerance of it.
    pub(crate) fn grows_as(
        &self,
        quantity: &str,
        (symbol, power, tolerance): (&str, f64, f64),
        against: impl Fn(&Setup) -> Option<f64>,
    ) -> TrialResult<Evidence> {
        let Some(fitted) = self.exponent(quantity, against)? else {
            return Ok(Evidence::new(LedgerVerdict::Undecided, self.method(), format!("{quantity} cannot be fitted")));
        };
        let near = (fitted.exponent - power).abs() <= tolerance;
        let measured = format!(
            "{quantity} grows as {symbol}^({} ± {}), claimed {}",
            decimal(fitted.exponent),
            decimal(fitted.half_width),
            decimal(power)
        );
        let verdict = if near { LedgerVerdict::Held } else { LedgerVerdict::Undecided };
        Ok(Evidence::new(verdict, self.method(), measured))
    }

    /// The sweep of one cell alone.
    fn cell_command(&self, row: &SweepRow) -> String {
        if self.plan.cells.len() == 1 {
            return self.report.provenance.command.clone();
        }
        let cell = &self.plan.cells[row.cell as usize];
        let options = Options { seed: Some(self.plan.spec.seed), ..cell.options.clone() };
        let runs = format!("--runs {} --level {}", self.plan.spec.runs, self.plan.spec.level);
        options.command_line(&format!("sweep {} {runs}", cell.entry.name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{LedgerEffort, Trial};

    fn runs(command: &str) -> RunsMade {
        let mut trial = Trial::new(LedgerEffort { quick: true, ..LedgerEffort::default() }, &());
        trial.runs(command, (1, 1)).ok().expect("the command is right")
    }

    #[test]
    fn a_table_has_a_mean_for_each_cell_and_rises_or_falls() {
        // Chang-Roberts: N(N+1)/2 in decreasing order, 2N-1 in increasing order.
        let size = |setup: &Setup| format!("n = {}", setup.scenario.n);
        let rising = runs("chang-roberts -n 2..4 --order descending");
        assert_eq!(rising.table("messages.election", size).ok().unwrap(), "n = 2: 3, n = 3: 6, n = 4: 10");
        assert_eq!(rising.rises("messages.election", size).ok().unwrap().verdict, LedgerVerdict::Held);
        let falling = runs("chang-roberts -n 4 --vary order='descending ascending'");
        let fallen = falling.rises("messages.election", size).ok().unwrap();
        assert_eq!(fallen.verdict, LedgerVerdict::Refuted);
        assert_eq!(fallen.measured, ["messages.election by n = 4: 10, n = 4: 7"]);
    }
}
