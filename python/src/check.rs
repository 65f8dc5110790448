//! `ringleader.check`.

use std::str::FromStr;

use pyo3::prelude::*;
use ringleader::check::{CheckOptions, CheckReport, CheckSetup, Formula, Total, survey};
use ringleader::checker::Reductions;
use ringleader::model::BadText;
use ringleader::values::number;
use ringleader::{Error, find};

use crate::Texts;
use crate::errors::{json, refused};
use crate::watched::watched;

/// The report of a check, and what was raised meanwhile.
#[pyfunction]
pub(crate) fn check(
    py: Python<'_>,
    protocol: &str,
    texts: Texts,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, Option<PyErr>)> {
    let options = check_options(&texts)?;
    let entry = find(protocol).map_err(|unknown| refused(&unknown.into()))?;
    let setup = CheckSetup::new(entry, &options).map_err(|bad| refused(&bad.into()))?;
    let (found, raised) = watched(py, progress, |watch| survey(&setup, watch))?;
    let survey = found.map_err(|bad| refused(&bad.into()))?;
    let rerun = options.command_line(entry.name(), setup.family.n).into_text();
    Ok((json(&CheckReport::new(&setup, &survey, &Total::new(&setup, &survey), None, rerun))?, raised))
}

/// Options of a check: its own, or those of a run.
fn check_options(texts: &Texts) -> PyResult<CheckOptions> {
    let mut options = CheckOptions::default();
    for (name, text) in texts {
        assign(&mut options, name, text)?;
    }
    Ok(options)
}

fn assign(options: &mut CheckOptions, name: &str, text: &str) -> PyResult<()> {
    fn parsed<T: FromStr<Err = BadText>>(name: &str, text: &str) -> PyResult<T> {
        text.parse().map_err(|bad| refused(&Error::option(name, bad)))
    }
    let count = || number(text).map_err(|bad| refused(&Error::option(name, bad)));
    let (effort, specification) = (&mut options.effort, &mut options.specification);
    match name {
        "timed" | "untimed" => options.timed = Some((name == "timed") == (text == "true")),
        "orientation" => options.orientation = Some(parsed(name, text)?),
        "wake" => options.wake = Some(parsed(name, text)?),
        "ltl" => specification.formulas.push(parsed(name, text)?),
        "always" => specification.formulas.push(Formula::always(parsed(name, text)?)),
        "eventually" => specification.formulas.push(Formula::eventually(parsed(name, text)?)),
        "fairness" => specification.fairness = parsed(name, text)?,
        "threads" => effort.threads = usize::try_from(count()?.max(1)).unwrap_or(1),
        "max-states" => effort.states = count()?.max(1),
        "max-memory" => effort.bytes = count()?,
        "no-reduce" => effort.reductions = parsed::<Reductions>(name, text)?.complement(),
        _ => options.options.assign(name, text).map_err(|bad| refused(&bad.named(name)))?,
    }
    Ok(())
}
