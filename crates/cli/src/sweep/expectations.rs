//! `ringleader test`: scenario files with expectations.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use ringleader::Catalogue;
use ringleader::sweep::{Judged, ScenarioExpectation};
use schemars::JsonSchema;
use serde::Serialize;

use super::{check_memory, file, measure, provenance};
use crate::commands::after_trouble;
use crate::error::{Error, Exit};
use crate::json::print_json;
use crate::options::{threads, workers};
use crate::presentation::Presentation;
use crate::text;
use crate::watch::Terminal;

#[derive(Args)]
pub(crate) struct TestArguments {
    /// Scenario files with an [expect] table
    #[arg(required = true, value_name = "FILE.toml", value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// Worker threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = threads, allow_negative_numbers = true)]
    threads: Option<u64>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Scenario files that are tests.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Test")]
pub(crate) struct TestReport {
    /// One for each file.
    pub(crate) files: Vec<TestedFile>,
    /// Whether all that is expected came so.
    pub(crate) passed: bool,
}

/// A scenario file that is a test.
#[derive(Serialize, JsonSchema)]
pub(crate) struct TestedFile {
    /// Its path.
    pub(crate) file: String,
    /// Whether all that is expected came so.
    pub(crate) passed: bool,
    /// The number of runs.
    pub(crate) runs: u64,
    /// What is expected of each cell, and what was measured.
    pub(crate) expectations: Vec<Judged>,
    /// The command that shows the table.
    pub(crate) rerun: String,
}

pub(crate) fn test(
    arguments: &TestArguments,
    catalogue: &Catalogue,
    watch: &Terminal,
    out: &mut impl Write,
) -> Result<Exit, Error> {
    let workers = workers(arguments.threads)?;
    // A file that cannot be read is found out before others are run.
    let files = arguments.files.iter().map(|path| Ok((path, file::read(path, catalogue, |_| {})?)));
    let files: Vec<_> = files.collect::<Result<_, Error>>()?;
    let mut report = TestReport { files: Vec::new(), passed: true };
    let mut trouble = None;
    for (path, scenario) in files {
        let expectations = with_verdict(scenario.expectations, path)?;
        let provenance = provenance(scenario.plan.spec.command_line());
        check_memory(&scenario.plan, workers)?;
        let (measured, failed) = measure(&scenario.plan, workers, &provenance, None, watch)?;
        trouble = failed;
        if !measured.complete {
            break;
        }
        let judged: Vec<Judged> = expectations.iter().flat_map(|expected| expected.judge(&measured)).collect();
        let passed = judged.iter().all(|judged| judged.holds);
        report.passed &= passed;
        let tested = TestedFile {
            file: path.display().to_string(),
            passed,
            runs: measured.runs_done,
            expectations: judged,
            rerun: provenance.command,
        };
        if !arguments.json {
            text::tested(&tested, out)?;
            out.flush()?;
        }
        report.files.push(tested);
    }
    if arguments.json {
        print_json(&report, out)?;
    } else if arguments.files.len() > 1 && !Presentation::settled().quiet {
        let failed = report.files.iter().filter(|file| !file.passed).count();
        writeln!(out, "{} of {} files passed", report.files.len() - failed, arguments.files.len())?;
    }
    let exit = if report.passed { watch.exit().unwrap_or(Exit::Held) } else { Exit::Violated };
    after_trouble(exit, trouble, out)
}

/// What is expected; that every property holds, unless something else is said about it.
fn with_verdict(
    mut expectations: Vec<ScenarioExpectation>,
    path: &std::path::Path,
) -> Result<Vec<ScenarioExpectation>, Error> {
    if expectations.is_empty() {
        let wrong = format!("{} expects nothing", path.display());
        return Err(Error::Usage(format!("{wrong}\nallowed: an [expect] table, such as verdict = \"held\"")));
    }
    if !expectations.iter().any(|expected| ["verdict", "held"].contains(&expected.name.as_str())) {
        let held = ScenarioExpectation::new("verdict", "held").map_err(|bad| Error::Usage(bad.to_string()))?;
        expectations.insert(0, held);
    }
    Ok(expectations)
}
