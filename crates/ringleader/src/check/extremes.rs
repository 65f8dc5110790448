//! The least and the greatest costs of all schedules of all instances, beside what is proved.

use std::cmp::Reverse;

use ringleader_check::{CostRange, Effort, ExtremeEnd, Extremes, ExtremesQuery, Extremum, Progress};
use ringleader_model::{BadSetting, BoundKind, Leader, Quantity, Scenario, Value, Workload};
use schemars::JsonSchema;
use serde::Serialize;

use super::checked::Checked;
use super::instances::Arrangement;
use super::report::Total;
use super::setup::CheckSetup;
use super::survey::Survey;
use crate::error::Error;
use crate::execution::EvaluatedBound;
use crate::report::{Number, quantity_name};
use crate::trace_file::TraceFile;
use crate::watch::Watch;

/// A bound that is proved for all schedules, and whether it holds in all of them; `None` if that is not known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JudgedBound {
    /// The bound.
    pub bound: EvaluatedBound,
    /// Whether no schedule exceeds or undercuts it.
    pub holds: Option<bool>,
}

/// Judges the bounds on quantities whose extremes are known. A response time is not judged: its bound assumes that users stay
/// inside for a limited time. Nor is any bound where requests never end.
pub fn judge_bounds(bounds: Vec<EvaluatedBound>, extremes: &Extremes, scenario: &Scenario) -> Vec<JudgedBound> {
    if scenario.workload.as_ref().is_some_and(Workload::is_unbounded) {
        return Vec::new();
    }
    let holds = |bound: &EvaluatedBound| match bound.quantity {
        Quantity::LongestDelay => Some(None),
        Quantity::MessagesPerEntry => {
            // In a complete run all entries are made.
            let entries: u64 = scenario.asks().iter().sum();
            let all = (0..entries).fold(Value::ZERO, |sum, _| sum + bound.value);
            Some(verdict(bound.kind, all, *extremes.of(Quantity::Messages)?))
        }
        quantity => Some(verdict(bound.kind, bound.value, *extremes.of(quantity)?)),
    };
    bounds.into_iter().filter_map(|bound| Some(JudgedBound { holds: holds(&bound)?, bound })).collect()
}

/// Whether a bound holds for a range; `None` if that is not known.
fn verdict(kind: BoundKind, bound: Value, range: CostRange) -> Option<bool> {
    let upper = || match range.greatest {
        Extremum::Unbounded => Some(false),
        Extremum::Exactly(greatest) => Some(magnitude(range.least.value(), greatest) <= bound),
        // Beyond the violation it may be more.
        Extremum::UpToViolation(greatest) => (magnitude(range.least.value(), greatest) > bound).then_some(false),
        Extremum::NoRun | Extremum::Unknown => None,
    };
    let lower = || match range.least {
        Extremum::Exactly(least) if least >= 0 => Some(Value::int(least.unsigned_abs().into()) >= bound),
        Extremum::Exactly(_) if bound == Value::ZERO => Some(true),
        _ => None,
    };
    match kind {
        BoundKind::Worst => upper(),
        BoundKind::Best => lower(),
        BoundKind::Exact => match (upper(), lower()) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        BoundKind::Mean => None,
    }
}

/// The greatest absolute value of a range: a difference of two kinds has a sign.
fn magnitude(least: Option<i64>, greatest: i64) -> Value {
    Value::int(least.unwrap_or(0).min(0).unsigned_abs().max(greatest.max(0).unsigned_abs()).into())
}

/// The range of a quantity over all instances, with the instances that have its ends.
#[derive(Clone, Copy, Debug)]
pub struct TotalRange<'a> {
    /// The quantity.
    pub quantity: Quantity,
    /// The least value, and an instance that has it.
    pub least: (Extremum, Option<&'a Arrangement>),
    /// The greatest value, and an instance that has it.
    pub greatest: (Extremum, Option<&'a Arrangement>),
}

/// The extremes of all instances together.
#[derive(Clone, Debug, Default)]
pub struct TotalExtremes<'a> {
    /// By quantity.
    pub ranges: Vec<TotalRange<'a>>,
    /// Each bound once, as judged in the instance in which it is worst off.
    pub bounds: Vec<(&'a Arrangement, &'a JudgedBound)>,
    /// The identities of the leaders, or their places where there are no identities: each possible set once. `None` if they are
    /// not known, or none is to be elected.
    pub leaders: Option<Vec<Vec<u64>>>,
}

impl<'a> TotalExtremes<'a> {
    /// Of a survey. `complete`: everything was explored.
    pub(super) fn new(check: &'a CheckSetup, survey: &'a Survey, complete: bool) -> Self {
        let each = || check.instances.iter().zip(&survey.found);
        let mut total = Self::default();
        for quantity in each().flat_map(|(_, found)| &found.extremes.ranges).map(|range| range.quantity) {
            if total.ranges.iter().all(|range| range.quantity != quantity) {
                let end = |end| extreme_of(each(), quantity, end, complete);
                let (least, greatest) = (end(ExtremeEnd::Least), end(ExtremeEnd::Greatest));
                total.ranges.push(TotalRange { quantity, least, greatest });
            }
        }
        for (instance, judged) in each().flat_map(|(instance, found)| found.bounds.iter().map(move |j| (instance, j))) {
            let EvaluatedBound { quantity, kind, formula, .. } = judged.bound;
            let same = |(_, other): &&mut (&Arrangement, &JudgedBound)| {
                (other.bound.quantity, other.bound.kind, other.bound.formula) == (quantity, kind, formula)
            };
            match total.bounds.iter_mut().find(same) {
                Some(kept) if rank(judged.holds) > rank(kept.1.holds) => *kept = (instance, judged),
                Some(_) => {}
                None => total.bounds.push((instance, judged)),
            }
        }
        total.leaders = if complete { leaders(each()) } else { None };
        total
    }

    /// Whether some schedule exceeds or undercuts a proved bound.
    pub fn is_exceeded(&self) -> bool {
        self.bounds.iter().any(|(_, judged)| judged.holds == Some(false))
    }
}

/// The worse, the greater.
const fn rank(holds: Option<bool>) -> u8 {
    match holds {
        Some(true) => 0,
        None => 1,
        Some(false) => 2,
    }
}

/// The extremum over all instances.
fn extreme_of<'a>(
    each: impl Iterator<Item = (&'a Arrangement, &'a Checked)>,
    quantity: Quantity,
    end: ExtremeEnd,
    complete: bool,
) -> (Extremum, Option<&'a Arrangement>) {
    let mut best: (Extremum, Option<&Arrangement>) = (Extremum::NoRun, None);
    let (mut known, mut cut_off) = (complete, false);
    for (instance, found) in each {
        let range = found.extremes.of(quantity);
        let own = range
            .map_or(Extremum::Unknown, |range| if end == ExtremeEnd::Least { range.least } else { range.greatest });
        cut_off |= matches!(own, Extremum::UpToViolation(_));
        match (own, best.0.value()) {
            (Extremum::Unbounded, _) => return (own, Some(instance)),
            (Extremum::Unknown, _) => known = false,
            (Extremum::NoRun, _) => {}
            (Extremum::Exactly(value) | Extremum::UpToViolation(value), before) => {
                let better = match end {
                    ExtremeEnd::Least => before.is_none_or(|before| value < before),
                    ExtremeEnd::Greatest => before.is_none_or(|before| value > before),
                };
                if better {
                    best = (Extremum::Exactly(value), Some(instance));
                }
            }
        }
    }
    match best {
        _ if !known => (Extremum::Unknown, None),
        (Extremum::Exactly(value), instance) if cut_off => (Extremum::UpToViolation(value), instance),
        best => best,
    }
}

/// The possible sets of leaders over all instances.
fn leaders<'a>(each: impl Iterator<Item = (&'a Arrangement, &'a Checked)>) -> Option<Vec<Vec<u64>>> {
    let mut all: Vec<Vec<u64>> = Vec::new();
    for (instance, found) in each {
        let name = |leader: &Leader| match leader.id {
            Some(id) if !instance.ids.is_empty() => id.get(),
            _ => instance.ids.get(leader.place as usize).copied().unwrap_or(leader.place),
        };
        for leaders in found.extremes.leaders.as_ref()? {
            let mut named: Vec<u64> = leaders.iter().map(name).collect();
            named.sort_unstable();
            named.dedup();
            all.push(named);
        }
    }
    all.sort_unstable();
    all.dedup();
    Some(all)
}

/// A quantity as `--save-extreme` takes it. `work`: what messages are for that are neither announcements nor part of a
/// task.
pub fn extreme_name(quantity: Quantity, work: &str) -> String {
    match quantity {
        Quantity::Messages => "messages".to_string(),
        // A kind may have the name of another quantity.
        Quantity::Kind(name) if name == work || TAKEN.contains(&name) => format!("kind-{name}"),
        Quantity::Kind(name) => name.to_string(),
        Quantity::Difference(one, other) => format!("{one}-{other}"),
        Quantity::TimeElected => "time-elected".to_string(),
        Quantity::DepthElected => "depth-elected".to_string(),
        Quantity::LongestDelay => "response-time".to_string(),
        other => quantity_name(other, work).trim_start_matches("messages.").to_string(),
    }
}

/// Names of quantities other than kinds of messages.
const TAKEN: [&str; 7] = ["messages", "announcement", "task", "bits", "phases", "time", "depth"];

/// The prefix of a quantity whose least value is meant.
const LEAST: &str = "least-";

impl CheckSetup {
    /// Refuses the name of an extremum that no check of this set-up finds, before anything is explored.
    ///
    /// # Errors
    /// If there is no such quantity.
    pub fn validate_extreme(&self, name: &str) -> Result<(), BadSetting> {
        // A search that ends at once knows its quantities.
        let (first, effort) = (&self.instances[0], Effort { states: 1, ..self.effort });
        let found = self.explore_for(first, (&effort, &self.extremes), None, &mut |_| true)?;
        self.extreme_named(name, found.extremes.ranges.iter().map(|range| range.quantity)).map(|_| ())
    }

    /// The quantity of this name, and the end of its range that is meant.
    fn extreme_named(
        &self,
        name: &str,
        quantities: impl Iterator<Item = Quantity> + Clone,
    ) -> Result<(Quantity, ExtremeEnd), BadSetting> {
        let (end, plain) = match name.strip_prefix(LEAST) {
            Some(plain) => (ExtremeEnd::Least, plain),
            None => (ExtremeEnd::Greatest, name),
        };
        let named = |quantity: Quantity| extreme_name(quantity, self.entry.work());
        quantities.clone().find(|&quantity| named(quantity) == plain).map(|quantity| (quantity, end)).ok_or_else(|| {
            let known: Vec<_> = quantities.map(named).collect();
            let allowed = format!("{}, or {LEAST} before one of these", known.join(", "));
            BadSetting::new("save-extreme", format!("is '{name}'"), allowed)
        })
    }

    /// The schedule that reaches an extremum, as a run: the greatest value of a quantity, or the least after `least-`. The
    /// instance that has it is explored once more.
    ///
    /// # Errors
    /// If there is no such quantity, or no such schedule is known.
    pub fn extreme_run(&self, total: &Total<'_>, name: &str, watch: &dyn Watch) -> Result<TraceFile, Error> {
        let (quantity, end) = self.extreme_named(name, total.extremes.ranges.iter().map(|range| range.quantity))?;
        let range = total.extremes.ranges.iter().find(|range| range.quantity == quantity).expect("it is one of them");
        let (extremum, instance) = if end == ExtremeEnd::Least { range.least } else { range.greatest };
        let without = |wrong: &str| Error::Refused { wrong: format!("--save-extreme {name}: {wrong}"), allowed: None };
        let (Some(_), Some(instance)) = (extremum.value(), instance) else {
            return Err(without(match extremum {
                Extremum::Unbounded => "it is unbounded, so that no schedule reaches it",
                Extremum::NoRun => "no schedule is complete",
                _ => "it is unknown",
            }));
        };
        let query = ExtremesQuery { schedule: Some((range.quantity, end)), ..self.extremes };
        let mut go_on = |progress: &Progress| {
            watch.searching(0, progress);
            !watch.stopped()
        };
        let found = self.explore_for(instance, (&self.effort, &query), None, &mut go_on)?;
        found.extreme.unwrap_or_else(|| Err(without("there was too little memory or time to reconstruct its schedule")))
    }
}

/// The least and the greatest value of a quantity over all schedules of all instances.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExtremeReport {
    /// The quantity, as `--save-extreme` takes it. A difference of kinds has a sign.
    pub name: String,
    /// The quantity, as a path into the `cost` of a run.
    pub quantity: String,
    /// The least value of a complete run: one in which every request is made and served and nothing more happens. Of a response
    /// time, the least of any entry.
    pub least: ExtremumReport,
    /// The greatest value of any run; of a difference, of any complete run.
    pub greatest: ExtremumReport,
    /// The bounds that are proved for all schedules.
    pub bounds: Vec<ProvedBoundReport>,
}

/// An end of the range of a quantity.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct ExtremumReport {
    /// exactly, up-to-violation (schedules are not explored beyond a violation), unbounded, no-run (no run is complete) or
    /// unknown.
    pub known: String,
    /// The value; null if there is none.
    pub value: Option<i64>,
    /// In this order of identities; null where there are none.
    pub ids: Option<Vec<u64>>,
}

/// A bound that is proved for all schedules.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProvedBoundReport {
    /// The bounded quantity, as a path into the `cost` of a run.
    pub quantity: String,
    /// worst (no run exceeds it), best (no run has less) or exact.
    pub kind: String,
    /// Its value for the instance in which it is worst off.
    pub value: Number,
    /// As people write it.
    pub formula: String,
    /// The source.
    pub source: String,
    /// Whether it holds in every schedule; null if that is not known.
    pub holds: Option<bool>,
}

impl ExtremeReport {
    /// Of all quantities. `work`: what messages are for that are neither announcements nor part of a task.
    pub(super) fn all(total: &TotalExtremes<'_>, work: &str) -> Vec<Self> {
        let of = |range: &TotalRange<'_>| {
            let own = |judged: &&(&Arrangement, &JudgedBound)| {
                let bounded = judged.1.bound.quantity;
                bounded == range.quantity
                    || bounded == Quantity::MessagesPerEntry && range.quantity == Quantity::Messages
            };
            let mut bounds: Vec<&JudgedBound> = total.bounds.iter().filter(own).map(|bound| bound.1).collect();
            // Those that are violated first, then the sharpest.
            bounds.sort_by_key(|JudgedBound { bound, holds }| {
                let value = (bound.kind != BoundKind::Best).then_some(bound.value);
                (*holds != Some(false), value, Reverse(bound.value))
            });
            Self {
                name: extreme_name(range.quantity, work),
                quantity: quantity_name(range.quantity, work),
                least: ExtremumReport::new(range.least),
                greatest: ExtremumReport::new(range.greatest),
                bounds: bounds.into_iter().map(|bound| ProvedBoundReport::new(bound, work)).collect(),
            }
        };
        total.ranges.iter().map(of).collect()
    }
}

impl ExtremumReport {
    fn new((extremum, instance): (Extremum, Option<&Arrangement>)) -> Self {
        let known = match extremum {
            Extremum::Exactly(_) => "exactly",
            Extremum::UpToViolation(_) => "up-to-violation",
            Extremum::Unbounded => "unbounded",
            Extremum::NoRun => "no-run",
            Extremum::Unknown => "unknown",
        };
        let ids = instance.map(|instance| instance.ids.clone()).filter(|ids| !ids.is_empty());
        Self { known: known.to_string(), value: extremum.value(), ids }
    }
}

impl ProvedBoundReport {
    fn new(JudgedBound { bound, holds }: &JudgedBound, work: &str) -> Self {
        Self {
            quantity: quantity_name(bound.quantity, work),
            kind: bound.kind.name().to_string(),
            value: bound.value.into(),
            formula: bound.formula.to_string(),
            source: bound.source.to_string(),
            holds: *holds,
        }
    }
}
