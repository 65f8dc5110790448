//! What is expected of a sweep, and whether it came so.

use std::fmt;

use ringleader_model::BadText;
use schemars::JsonSchema;
use serde::Serialize;

use super::plan::SweepPlan;
use super::report::{SweepReport, SweepRow};
use crate::statistics::Distribution;

/// Something that is expected of every cell of a sweep.
#[derive(Clone, PartialEq, Debug)]
pub struct ScenarioExpectation {
    /// As it is written: `messages.mean`, `verdict`, `leader`.
    pub name: String,
    about: JudgedSubject,
    comparison: Comparator,
    value: ExpectedValue,
}

#[derive(Clone, PartialEq, Debug)]
enum JudgedSubject {
    /// The verdict of every run.
    Verdict,
    /// The leader of every run.
    Leader,
    /// The number of leaders of every run.
    Leaders,
    /// A statistic of a quantity.
    Statistic(String, Statistic),
    /// A quantity in every run.
    Every(String),
    /// The share of runs in which every property held.
    HeldShare,
    /// The number of runs that contradict a bound.
    Exceeded,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Statistic {
    Mean,
    Median,
    P95,
    Min,
    Max,
    Variance,
}

/// A relation between a measured and an expected value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparator {
    /// ≤
    AtMost,
    /// ≥
    AtLeast,
    /// <
    Less,
    /// >
    Greater,
    /// =
    Equal,
    /// ≠
    Unequal,
}

#[derive(Clone, PartialEq, Debug)]
enum ExpectedValue {
    Number(f64),
    Word(String),
}

/// What was expected of a cell, and what was measured.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Judged {
    /// The cell: the protocol and what varies.
    pub cell: String,
    /// What is expected, by name.
    pub name: String,
    /// The expectation.
    pub expected: String,
    /// What was measured; null where there is no such thing.
    pub measured: Option<String>,
    /// Whether they agree.
    pub holds: bool,
}

const STATISTICS: [(&str, Statistic); 6] = [
    ("mean", Statistic::Mean),
    ("median", Statistic::Median),
    ("p95", Statistic::P95),
    ("min", Statistic::Min),
    ("max", Statistic::Max),
    ("variance", Statistic::Variance),
];

const COMPARATORS: [(&str, Comparator); 7] = [
    ("<=", Comparator::AtMost),
    (">=", Comparator::AtLeast),
    ("!=", Comparator::Unequal),
    ("==", Comparator::Equal),
    ("<", Comparator::Less),
    (">", Comparator::Greater),
    ("=", Comparator::Equal),
];

impl Comparator {
    const fn symbol(self) -> &'static str {
        match self {
            Self::AtMost => "<=",
            Self::AtLeast => ">=",
            Self::Less => "<",
            Self::Greater => ">",
            Self::Equal => "=",
            Self::Unequal => "!=",
        }
    }

    /// Whether the measured value stands in this relation to the expected one.
    pub fn holds(self, measured: f64, expected: f64) -> bool {
        // A decimal fraction is no binary one: equal is what differs in the last digits only.
        let near = (measured - expected).abs() <= 1e-9 * expected.abs().max(1.0);
        match self {
            Self::AtMost => measured <= expected || near,
            Self::AtLeast => measured >= expected || near,
            Self::Less => measured < expected && !near,
            Self::Greater => measured > expected && !near,
            Self::Equal => near,
            Self::Unequal => !near,
        }
    }
}

impl ScenarioExpectation {
    /// `name = "<= 100"`.
    pub fn new(name: &str, text: &str) -> Result<Self, BadText> {
        let text = text.trim();
        let sign = COMPARATORS.into_iter().find_map(|(sign, comparison)| Some((comparison, text.strip_prefix(sign)?)));
        let (comparison, rest) = sign.unwrap_or((Comparator::Equal, text));
        let rest = rest.trim();
        let statistic = name.rsplit_once('.').and_then(|(quantity, last)| {
            let (_, statistic) = STATISTICS.into_iter().find(|(known, _)| *known == last)?;
            Some(JudgedSubject::Statistic(quantity.to_string(), statistic))
        });
        let about = match name {
            "verdict" => JudgedSubject::Verdict,
            "leader" => JudgedSubject::Leader,
            "leaders" => JudgedSubject::Leaders,
            "held" => JudgedSubject::HeldShare,
            "exceeded" => JudgedSubject::Exceeded,
            _ => statistic.unwrap_or_else(|| JudgedSubject::Every(name.to_string())),
        };
        let value = match (&about, rest.replace('_', "").parse::<f64>()) {
            (JudgedSubject::Verdict, _) if ["held", "violated", "unknown"].contains(&rest) => {
                ExpectedValue::Word(rest.to_string())
            }
            (JudgedSubject::Verdict, _) => {
                return Err(BadText::new(format!("is '{text}'"), "held, violated or unknown"));
            }
            (_, Ok(number)) if number.is_finite() => ExpectedValue::Number(number),
            _ => return Err(BadText::new(format!("is '{text}'"), "a number, or <=, >=, <, >, = or != and a number")),
        };
        if about == JudgedSubject::Verdict && !matches!(comparison, Comparator::Equal | Comparator::Unequal) {
            return Err(BadText::new(format!("is '{text}'"), "a verdict, or != and a verdict"));
        }
        Ok(Self { name: name.to_string(), about, comparison, value })
    }

    /// Whether a sweep measures what is expected.
    pub(crate) fn check(&self, plan: &SweepPlan) -> Result<(), BadText> {
        let (JudgedSubject::Statistic(quantity, _) | JudgedSubject::Every(quantity)) = &self.about else {
            return Ok(());
        };
        let stem =
            |name: &str| *quantity == name || quantity.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        let lists = plan.quantities.iter().filter(|known| known.is_list());
        if plan.quantity_names().any(|name| name == quantity) || lists.into_iter().any(|list| stem(&list.name)) {
            return Ok(());
        }
        let names = plan.quantity_names().collect::<Vec<_>>().join(", ");
        let statistics = STATISTICS.map(|(name, _)| name).join(", ");
        let allowed = format!(
            "verdict, leader, leaders, held (share of runs), exceeded (runs), or a quantity in every run, or its {statistics}: {names}"
        );
        Err(BadText::new(format!("{} is no such thing", self.name), allowed))
    }

    /// Judges every cell.
    pub fn judge(&self, report: &SweepReport) -> Vec<Judged> {
        report.rows.iter().map(|row| self.judge_row(row, report)).collect()
    }

    fn judge_row(&self, row: &SweepRow, report: &SweepReport) -> Judged {
        let (measured, holds) = match &self.about {
            JudgedSubject::Verdict => self.judge_verdict(row),
            JudgedSubject::Leader => self.judge_all(row.leader.map(|leader| [leader as f64; 2]), row.leader_varies),
            JudgedSubject::Leaders => self.judge_all(row.leaders.map(|range| range.map(|count| count as f64)), false),
            JudgedSubject::HeldShare => self.judge_number(Some(row.held as f64 / row.runs.max(1) as f64)),
            JudgedSubject::Exceeded => self.judge_number(Some(row.exceeded as f64)),
            JudgedSubject::Statistic(quantity, statistic) => {
                self.judge_number(row.quantity(quantity).and_then(|found| statistic.of(found)))
            }
            JudgedSubject::Every(quantity) => {
                self.judge_all(row.quantity(quantity).map(|found| [found.min, found.max]), false)
            }
        };
        let varying = report
            .spec
            .vary
            .iter()
            .filter_map(|axis| Some(format!("{} {}", axis.name, row.parameters.get(&axis.name)?)));
        let cell = std::iter::once(row.protocol.clone()).chain(varying).collect::<Vec<_>>().join(", ");
        Judged { cell, name: self.name.clone(), expected: self.to_string(), measured, holds }
    }

    fn judge_verdict(&self, row: &SweepRow) -> (Option<String>, bool) {
        let ExpectedValue::Word(word) = &self.value else { return (None, false) };
        let counts = [("held", row.held), ("violated", row.violated), ("unknown", row.unknown)];
        let told: Vec<_> =
            counts.iter().filter(|(_, runs)| *runs > 0).map(|(verdict, runs)| format!("{verdict} in {runs}")).collect();
        let of = counts.iter().find(|(verdict, _)| verdict == word).map_or(0, |(_, runs)| *runs);
        let holds = if self.comparison == Comparator::Equal { of == row.runs } else { of == 0 };
        (Some(told.join(", ")), holds && row.runs > 0)
    }

    fn judge_number(&self, measured: Option<f64>) -> (Option<String>, bool) {
        self.judge_all(measured.map(|number| [number; 2]), false)
    }

    /// Judges the least and the greatest of all runs.
    fn judge_all(&self, measured: Option<[f64; 2]>, differs: bool) -> (Option<String>, bool) {
        let (Some([least, greatest]), ExpectedValue::Number(expected)) = (measured, &self.value) else {
            let told = differs.then(|| "not the same in all runs".to_string());
            return (told, differs && self.comparison == Comparator::Unequal);
        };
        let told = if least == greatest { least.to_string() } else { format!("{least} to {greatest}") };
        let between = self.comparison == Comparator::Unequal && least < *expected && *expected < greatest;
        let holds = self.comparison.holds(least, *expected) && self.comparison.holds(greatest, *expected) && !between;
        (Some(told), holds)
    }
}

impl Statistic {
    const fn of(self, found: &Distribution) -> Option<f64> {
        Some(match self {
            Self::Mean => found.mean,
            Self::Median => found.median,
            Self::P95 => found.p95,
            Self::Min => found.min,
            Self::Max => found.max,
            Self::Variance => return found.variance,
        })
    }
}

impl fmt::Display for ScenarioExpectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            ExpectedValue::Number(number) => write!(f, "{} {number}", self.comparison.symbol()),
            ExpectedValue::Word(word) if self.comparison == Comparator::Equal => f.write_str(word),
            ExpectedValue::Word(word) => write!(f, "{} {word}", self.comparison.symbol()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expects(name: &str, text: &str) -> ScenarioExpectation {
        ScenarioExpectation::new(name, text).expect("it is one")
    }

    #[test]
    fn comparisons_are_as_they_are_written() {
        let holds = |text: &str, measured| expects("time", text).judge_number(Some(measured)).1;
        assert!(holds("<= 100", 100.0) && !holds("<= 100", 101.0) && holds("100", 100.0) && !holds("!= 100", 100.0));
        assert!(holds("> 99.5", 100.0) && !holds("<100", 100.0) && holds(">= 1_00", 100.0) && holds("= 8.4", 8.4));
        assert!(!expects("time", "< 5").judge_number(None).1, "what was not measured is not as expected");
    }

    #[test]
    fn every_run_is_meant_unless_a_statistic_is_named() {
        let judge = |text: &str| expects("messages", text).judge_all(Some([7.0, 9.0]), false).1;
        assert!(judge("<= 9") && !judge("<= 8") && judge(">= 7") && !judge("8") && !judge("!= 8") && judge("!= 10"));
    }

    #[test]
    fn nonsense_is_refused() {
        for (name, text) in
            [("verdict", "good"), ("verdict", "< held"), ("messages", "many"), ("leader", ""), ("time", "inf")]
        {
            assert!(ScenarioExpectation::new(name, text).is_err(), "{name} = {text}");
        }
    }
}
