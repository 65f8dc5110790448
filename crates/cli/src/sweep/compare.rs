//! `ringleader compare`: protocols, settings or recorded runs side by side.

use std::io::Write;
use std::path::Path;

use clap::{Args, ValueHint};
use ringleader::sweep::{Compared, Comparisons, SweepSpec};
use ringleader::values::number;
use ringleader::{Catalogue, Options, program, quoted};
use schemars::JsonSchema;
use serde::Serialize;

use super::{check_memory, level, measure, options_of, plan_of, provenance};
use crate::commands::after_trouble;
use crate::error::{Error, Exit};
use crate::files::read_trace;
use crate::json::print_json;
use crate::options::{RunOptions, threads, workers};
use crate::watch::Terminal;
use crate::{memory, text};

#[derive(Args)]
pub(crate) struct CompareArguments {
    /// Protocols, NAME or NAME:KEY=VALUE,KEY=VALUE, and recorded runs, FILE.json; the first is the reference
    #[arg(required = true, num_args = 2.., value_name = "A B", value_hint = ValueHint::FilePath)]
    targets: Vec<String>,
    /// Runs of each protocol [default: 100]
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true)]
    runs: Option<u64>,
    /// Only these quantities, each with all below it: messages, bits, time, …; may be repeated
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    quantity: Vec<String>,
    /// Level of confidence intervals [default: 0.95]
    #[arg(long, value_name = "LEVEL", value_parser = level, allow_negative_numbers = true)]
    level: Option<f64>,
    /// Worker threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = threads, allow_negative_numbers = true)]
    threads: Option<u64>,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    #[command(flatten)]
    options: RunOptions,
}

/// A comparison.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Comparison")]
pub(crate) struct ComparisonReport {
    #[serde(flatten)]
    pub(crate) compared: Comparisons,
    /// The level of intervals.
    pub(crate) level: f64,
    /// The command that repeats it.
    pub(crate) rerun: String,
}

/// Whether an argument is a recorded run.
fn is_recorded(target: &str) -> bool {
    target.ends_with(".json")
}

pub(crate) fn compare(
    arguments: CompareArguments,
    catalogue: &Catalogue,
    watch: &Terminal,
    out: &mut impl Write,
) -> Result<Exit, Error> {
    let workers = workers(arguments.threads)?;
    let options = Options::from(arguments.options.clone());
    let defaults = SweepSpec::default();
    let spec = SweepSpec {
        protocols: arguments.targets.iter().filter(|target| !is_recorded(target)).cloned().collect(),
        runs: arguments.runs.unwrap_or(defaults.runs),
        seed: options.seed.unwrap_or(defaults.seed),
        level: arguments.level.unwrap_or(defaults.level),
        quantities: arguments.quantity,
        options: options_of(&options),
        ..defaults
    };
    let rerun = command_line(&arguments.targets, &spec);
    let level = spec.level;
    let recorded = arguments.targets.iter().filter(|target| is_recorded(target));
    let recorded = recorded.map(|target| replayed(target, catalogue, watch)).collect::<Result<Vec<_>, _>>()?;
    let (mut measured, mut trouble, mut complete) = (Vec::new(), None, true);
    let quantities = spec.quantities.clone();
    if !spec.protocols.is_empty() {
        let plan = plan_of(catalogue, spec)?;
        check_memory(&plan, workers)?;
        let (report, failed) = measure(&plan, workers, &provenance(rerun.clone()), None, watch)?;
        (measured, trouble, complete) = (Compared::of_sweep(&report), failed, report.complete);
    }
    let (mut measured, mut recorded) = (measured.into_iter(), recorded.into_iter());
    let order = arguments.targets.iter();
    let order = order.filter_map(|target| if is_recorded(target) { recorded.next() } else { measured.next() });
    let mut compared = Comparisons::new(order.collect(), level);
    if !quantities.is_empty() {
        let asked = |name: &str| quantities.iter().any(|asked| ringleader::sweep::is_below(name, asked));
        compared.quantities.retain(|quantity| asked(&quantity.quantity));
    }
    let violated = compared.compared.iter().any(|one| one.held < one.runs);
    let report = ComparisonReport { compared, level, rerun };
    if arguments.json {
        print_json(&report, out)?;
    } else {
        text::comparison(&report, !quantities.is_empty(), out)?;
        if !complete {
            writeln!(out, "  Stopped: not all runs are done.")?;
        }
    }
    let exit = if violated { Exit::Violated } else { watch.exit().unwrap_or(Exit::Held) };
    after_trouble(exit, trouble, out)
}

/// A recorded run, replayed.
fn replayed(target: &str, catalogue: &Catalogue, watch: &Terminal) -> Result<Compared, Error> {
    let path = Path::new(target);
    let trace = read_trace(path)?;
    memory::check(trace.size())?;
    let blame = |error: ringleader::Error| Error::from(error).in_trace(path);
    let (setup, _, summary) = trace.replay(catalogue, watch, |_| {}).map_err(blame)?;
    Ok(Compared::of_run(target.to_string(), &setup, &summary))
}

/// The command that repeats a comparison.
fn command_line(targets: &[String], spec: &SweepSpec) -> String {
    let targets: Vec<_> = targets.iter().map(|target| quoted(target)).collect();
    let all = SweepSpec { protocols: Vec::new(), ..spec.clone() }.command_line();
    let rest = all.strip_prefix(&format!("{} sweep ", program())).unwrap_or_default();
    format!("{} compare {}{rest}", program(), targets.join(" "))
}
