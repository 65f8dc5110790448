//! The worst schedule: the extremes over all schedules of all orders, computed by the model checker.

use ringleader_check::Extremum;
use ringleader_model::BadSetting;

use super::{WorstOptions, WorstReport, command_line, sense};
use crate::check::{CheckOptions, CheckReport, CheckSetup, JudgedBound, Total, extreme_name, survey};
use crate::entry::Entry;
use crate::error::Error;
use crate::options::Options;
use crate::report::{BoundReport, Number, quantity_name};
use crate::trace_file::TraceFile;
use crate::watch::Watch;

/// The number of processors unless told otherwise: few enough to explore all schedules of all orders.
const DEFAULT_N: u64 = 4;

/// Searches all schedules without clocks; `None` if it was stopped, or there was too little memory.
pub(super) fn worst_schedule(
    entry: &'static dyn Entry,
    asked: &WorstOptions,
    watch: &dyn Watch,
) -> Result<Option<(WorstReport, TraceFile)>, Error> {
    let mut options = asked.options.clone();
    if options.ids.is_none() {
        options.n.get_or_insert(DEFAULT_N);
    }
    let seedless = Options { seed: None, ..options.clone() };
    let asked = &WorstOptions { options, ..asked.clone() };
    let given = CheckOptions { options: seedless, timed: Some(false), effort: asked.effort, ..CheckOptions::default() };
    let check = CheckSetup::new(entry, &given)?;
    let name = if asked.least { format!("least-{}", asked.quantity) } else { asked.quantity.clone() };
    check.validate_extreme(&name).map_err(|bad| {
        let allowed = bad.allowed.split(", or ").next().unwrap_or_default().to_string();
        BadSetting::new("quantity", format!("is '{}'", asked.quantity), allowed)
    })?;
    let survey = survey(&check, watch)?;
    let total = Total::new(&check, &survey);
    let work = entry.work();
    let range = total.extremes.ranges.iter().find(|range| extreme_name(range.quantity, work) == asked.quantity);
    let Some(range) = range else { return Ok(None) };
    let (extremum, instance) = if asked.least { range.least } else { range.greatest };
    let (value, order) = match (extremum, instance) {
        (Extremum::Exactly(value), Some(instance)) => (value.unsigned_abs(), instance.ids.clone()),
        (Extremum::Unknown, _) => return Ok(None),
        (Extremum::Unbounded, _) => return Err(unknown("is unbounded: schedules cost as much as one likes")),
        _ => return Err(unknown("cannot be told: a schedule violates a property (`ringleader check` shows it)")),
    };
    let trace = check.extreme_run(&total, &name, watch)?;
    let judged = |judged: &JudgedBound| {
        let bound = &judged.bound;
        BoundReport::new(bound, quantity_name(bound.quantity, work), Some(Number::Integer(value)), judged.holds)
    };
    let own = total.extremes.bounds.iter().filter(|(_, judged)| judged.bound.quantity == range.quantity);
    let bounds = own.map(|(_, bound)| judged(bound)).collect();
    let rerun = command_line(entry, asked);
    let report = CheckReport::new(&check, &survey, &total, None, String::new());
    let report = WorstReport {
        protocol: report.protocol,
        rules: report.rules,
        parameters: report.parameters,
        n: check.family.n as u64,
        quantity: asked.quantity.clone(),
        sense: sense(asked).to_string(),
        value,
        exhaustive: true,
        method: "model-checking".to_string(),
        over: vec!["orders".to_string(), "schedules".to_string()],
        evaluated: report.states,
        space: None,
        interrupted: false,
        order,
        bounds,
        run: None,
        rerun,
    };
    Ok(Some((report, trace)))
}

fn unknown(why: &str) -> Error {
    Error::Refused { wrong: format!("the extreme {why}"), allowed: Some("another quantity, or --least") }
}
