//! The functions behind the Python package: options come in as texts, results go out as the JSON of the command line.

mod check;
mod errors;
mod watched;

use pyo3::prelude::*;
use ringleader::exact::{ExactOptions, ExactReport, ExactSetup};
use ringleader::model::word;
use ringleader::picture::{self, Recording, Theme};
use ringleader::sweep::{Provenance, RunRows, SweepAxis, SweepPlan, SweepSamples, SweepSpec};
use ringleader::values::number;
use ringleader::{Catalogue, Error, Execution, Options, RunReport, Setup, find, listed};

use crate::errors::{json, refused, refused_spec};
use crate::watched::watched;

/// Names and values of options, as on the command line.
type Texts = Vec<(String, String)>;

/// Options of a run; the seed is one of them.
fn options(texts: &Texts) -> PyResult<Options> {
    let mut options = Options::default();
    for (name, text) in texts {
        match name.as_str() {
            "seed" => options.seed = Some(number(text).map_err(|bad| refused(&Error::option(name, bad)))?),
            _ => options.assign(name, text).map_err(|bad| refused(&bad.named(name)))?,
        }
    }
    Ok(options)
}

fn set_up(protocol: &str, texts: &Texts) -> PyResult<Setup> {
    let (protocol, options) = options(texts)?.with_election(protocol);
    let entry = find(&protocol).map_err(|unknown| refused(&unknown.into()))?;
    Setup::new(entry, options).map_err(|bad| refused(&bad.into()))
}

/// The report of a run, its picture if a theme is given, and what was raised meanwhile.
#[pyfunction]
fn run(
    py: Python<'_>,
    protocol: &str,
    texts: Texts,
    theme: Option<&str>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, Option<String>, Option<PyErr>)> {
    let setup = set_up(protocol, &texts)?;
    let theme = theme.map(|theme| word(theme, &Theme::ALL, Theme::name)).transpose();
    let theme = theme.map_err(|bad| refused(&Error::option("theme", bad)))?;
    let (ran, raised) = watched(py, progress, |watch| -> Result<_, Error> {
        let mut execution = Execution::new(&setup, setup.choices())?;
        let mut recording = theme.map(|_| Recording::new(&setup.scenario));
        let end = match &mut recording {
            Some(recording) => {
                execution.run.log();
                execution.finish_logged(watch, &mut |step| recording.extend([step]))
            }
            None => execution.finish(watch),
        };
        setup.check_choices(execution.run.as_ref(), end)?;
        let summary = execution.run.summary();
        let report = RunReport::new(&setup, &summary);
        let drawn = recording
            .zip(theme)
            .map(|(mut recording, theme)| recording.draw(&picture::run_info(&setup, &summary, &report.rerun), theme));
        Ok((report, drawn))
    })?;
    let (report, drawn) = ran.map_err(|error| refused(&error))?;
    Ok((json(&report)?, drawn, raised))
}

/// The report of a sweep, its runs as CSV, and what was raised meanwhile.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
fn sweep(
    py: Python<'_>,
    protocols: Vec<String>,
    texts: Texts,
    vary: Vec<(String, Vec<String>)>,
    runs: u64,
    seed: u64,
    level: f64,
    quantities: Vec<String>,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, String, Option<PyErr>)> {
    let vary = vary.into_iter().map(|(name, values)| SweepAxis { name, values }).collect();
    let spec = SweepSpec { protocols, options: texts, vary, runs, seed, level, quantities };
    let plan = SweepPlan::new(&Catalogue::default(), spec).map_err(|errors| refused_spec(&errors))?;
    let provenance = Provenance {
        program: ringleader::program().to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        commit: None,
        command: plan.spec.command_line(),
    };
    let rows = RunRows::new(&plan, &provenance);
    let (mut samples, mut csv) = (SweepSamples::new(&plan), rows.header());
    let (end, raised) = watched(py, progress, |watch| {
        plan.execute([], threads, watch, &mut |record| {
            csv.push('\n');
            csv.push_str(&rows.row(record));
            samples.add(&plan, record);
            true
        })
    })?;
    match end.error {
        Some(error) => Err(refused(&error)),
        None => Ok((json(&samples.report(&plan, &provenance))?, csv, raised)),
    }
}

/// The distributions over all orders of identities, and what was raised meanwhile. `all`: wake sets, orientations.
#[pyfunction]
fn exact(
    py: Python<'_>,
    protocol: &str,
    sizes: Vec<u64>,
    set: Texts,
    all: (bool, bool),
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, Option<PyErr>)> {
    let entry = find(protocol).map_err(|unknown| refused(&unknown.into()))?;
    let (all_wakes, all_orientations) = all;
    let options = ExactOptions { set, all_wakes, all_orientations, threads, ..ExactOptions::default() };
    let setups = sizes.iter().map(|&n| ExactSetup::new(entry, n, &options)).collect::<Result<Vec<_>, _>>();
    let setups = setups.map_err(|error| refused(&error))?;
    let text = sizes.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    let rerun = setups.first().map_or_else(String::new, |setup| setup.command_line(&text));
    let mut report = ExactReport { rows: Vec::new(), missing: sizes, rerun };
    let (computed, raised) = watched(py, progress, |watch| -> Result<(), Error> {
        for setup in &setups {
            let Some(row) = setup.compute(watch)? else { break };
            report.missing.retain(|&n| n != row.n);
            report.rows.push(row);
        }
        Ok(())
    })?;
    computed.map_err(|error| refused(&error))?;
    Ok((json(&report)?, raised))
}

/// All protocols of the catalogue.
#[pyfunction]
fn protocols() -> PyResult<String> {
    json(&listed(&Catalogue::default(), None).map_err(|bad| refused(&bad.into()))?)
}

#[pymodule]
fn _ringleader(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(run, module)?)?;
    module.add_function(wrap_pyfunction!(check::check, module)?)?;
    module.add_function(wrap_pyfunction!(sweep, module)?)?;
    module.add_function(wrap_pyfunction!(exact, module)?)?;
    module.add_function(wrap_pyfunction!(protocols, module)?)
}
