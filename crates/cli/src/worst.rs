//! `ringleader worst`: the order, wake set, orientation, ports, clocks, delays or schedule at which an election costs most.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueHint};
use ringleader::picture::Theme;
use ringleader::report::{BoundReport, grouped};
use ringleader::worst::{Dimension, SearchMethod, WorstOptions, WorstReport, worst as search};
use ringleader::{Catalogue, Effort, Options, program, quoted};
use ringleader_model::BadText;

use crate::arguments::theme;
use crate::check::Shown;
use crate::commands::after_trouble;
use crate::error::{Error, Exit};
use crate::files::RunFiles;
use crate::json::print_json;
use crate::lab::{self, LabRun, lab_line};
use crate::options::{RunOptions, free_bytes, schedules, threads, workers};
use crate::presentation::Presentation;
use crate::text::{BOLD, fitted, labelled, mark, styled, write_lab};
use crate::watch::Terminal;

/// Everything that is searched: one value of one option.
type Dimensions = Vec<Dimension>;

fn dimensions(text: &str) -> Result<Dimensions, BadText> {
    text.split(',').map(str::parse).collect()
}

#[derive(Args)]
pub(crate) struct WorstArguments {
    /// Election, or a unique prefix of its name; see `ringleader list election`
    pub(crate) protocol: String,
    /// Quantity: messages, election, announcement, bits, time, time_elected, phases or a kind of message
    #[arg(long, value_name = "QUANTITY", default_value = WorstOptions::QUANTITY, help_heading = SEARCH)]
    quantity: String,
    /// Search for the least value
    #[arg(long, help_heading = SEARCH)]
    least: bool,
    /// What is searched: orders, wakes, orientations, ports, clocks (within --r), delays (within --d), separated by commas, or
    /// schedules (all of them, without clocks, by model checking) [default: orders; clocks and delays where --r and --d are ranges]
    #[arg(long, value_name = "LIST", value_parser = dimensions, help_heading = SEARCH)]
    over: Option<Dimensions>,
    /// Search: auto (exhaustive if the budget allows it, else local), exhaustive, or local (hill climbing with restarts)
    #[arg(long, value_name = "METHOD", default_value_t, help_heading = SEARCH)]
    search: SearchMethod,
    /// Runs to evaluate, at most about
    #[arg(long, value_name = "RUNS", value_parser = schedules, default_value_t = WorstOptions::BUDGET,
          allow_negative_numbers = true, help_heading = SEARCH)]
    budget: u64,
    /// Threads [default: one per core]
    #[arg(long, value_name = "K", value_parser = threads, allow_negative_numbers = true, help_heading = SEARCH)]
    threads: Option<u64>,
    #[command(flatten)]
    options: RunOptions,
    /// Record the run that was found in a trace file, for `replay`; - is standard output
    #[arg(long, value_name = "FILE", help_heading = "Output", value_hint = ValueHint::FilePath)]
    trace: Option<PathBuf>,
    /// Draw the run that was found as a space-time diagram (SVG)
    #[arg(long, value_name = "FILE", help_heading = "Output", value_hint = ValueHint::FilePath)]
    picture: Option<PathBuf>,
    /// The colours of the picture; auto: as the viewer prefers
    #[arg(long, value_parser = theme(), default_value = Theme::Light.name(), requires = "picture", help_heading = "Output")]
    theme: Theme,
    /// Open the run that was found in the lab: a page on this machine that plays it, until Ctrl-C
    #[arg(long, help_heading = "Output")]
    open: bool,
    /// Overwrite files that ringleader did not write
    #[arg(long, help_heading = "Output")]
    force: bool,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
}

const SEARCH: &str = "Search";

/// Searches, shows what was found and writes it down where that is asked for.
pub(crate) fn worst(
    arguments: WorstArguments,
    catalogue: &Catalogue,
    watch: &Terminal,
    out: &mut impl Write,
) -> Result<Exit, Error> {
    let (protocol, options) = Options::from(arguments.options).with_election(&arguments.protocol);
    let entry = catalogue.find(&protocol)?;
    let threads = workers(arguments.threads)?;
    if arguments.open {
        lab::validate(entry, 0)?;
    }
    let asked = WorstOptions {
        options,
        quantity: arguments.quantity,
        least: arguments.least,
        over: arguments.over.unwrap_or_default(),
        method: arguments.search,
        budget: arguments.budget,
        effort: Effort { threads, bytes: free_bytes(threads), ..Effort::default() },
    };
    let trace = arguments.trace.as_deref().map(|path| ("--trace", path));
    let files = RunFiles::new(trace, arguments.picture.as_deref(), arguments.force)?;
    let mut stderr = anstream::AutoStream::auto(io::stderr());
    let mut out: &mut dyn Write = if files.aside { &mut stderr } else { out };
    let out = &mut out;
    watch.begin_runs();
    let found = search(entry, &asked, watch)?;
    watch.clear();
    let Some((report, run)) = found else {
        writeln!(out, "nothing was found: stopped, or out of memory, before the search was complete")?;
        return Ok(watch.exit().unwrap_or(Exit::Inconclusive));
    };
    let mut shown = Shown::write(files, &run, catalogue, &report.rerun, arguments.theme)?;
    if report.is_exceeded() {
        let line = report.run.as_ref().unwrap_or(&report.rerun);
        shown.lab = lab_line(entry, report.n, shown.file.as_deref(), line);
    }
    if arguments.json {
        print_json(&report, out)?;
    } else {
        write_report(&report, &shown, out)?;
    }
    let exit = match watch.exit() {
        _ if report.is_exceeded() => Exit::Violated,
        stopped => stopped.unwrap_or(Exit::Held),
    };
    let opened = || match &report.run {
        Some(line) => Ok(LabRun::of_line(line, false)),
        None => LabRun::of_schedule(&run, false),
    };
    let opened = if arguments.open { lab::open(opened, out) } else { None };
    after_trouble(exit, shown.trouble.or(opened), out)
}

fn write_report(report: &WorstReport, shown: &Shown, out: &mut impl Write) -> io::Result<()> {
    let quiet = Presentation::settled().quiet;
    if !quiet {
        let title = format!(
            "{}: {} {} of n = {}, over {}",
            styled(BOLD, &report.protocol),
            report.sense,
            report.quantity,
            report.n,
            report.over.join(", ")
        );
        fitted(&title, "", "    ", out)?;
    }
    let known = match (report.exhaustive, report.interrupted, report.is_tight()) {
        (true, ..) => "exactly: everything was evaluated",
        (false, _, true) => "exactly: a proved bound is reached",
        (false, true, false) => "found before the search was interrupted; there may be a worse one",
        (false, false, false) => "found by local search; there may be a worse one",
    };
    labelled(&report.quantity, &format!("{} ({known})", styled(BOLD, grouped(report.value))), out)?;
    for bound in &report.bounds {
        labelled("proved", &bound_text(bound), out)?;
    }
    if quiet {
        return Ok(());
    }
    let of = report.space.as_ref().map_or(String::new(), |space| format!(" of {}", grouped(space)));
    let what = if report.method == "model-checking" { "states" } else { "runs" };
    let evaluated = format!("{}{of} {what}, {}", grouped(report.evaluated), report.method.replace('-', " "));
    labelled("searched", &evaluated, out)?;
    let order: Vec<String> = report.order.iter().map(u64::to_string).collect();
    labelled("order", &order.join(","), out)?;
    for (label, path) in [("trace", &shown.file), ("picture", &shown.picture)] {
        if let Some(path) = path {
            labelled(label, &path.display().to_string(), out)?;
        }
    }
    match (&report.run, &shown.file) {
        (Some(run), _) => labelled("run", run, out)?,
        (None, Some(path)) => {
            labelled("run", &format!("{} replay {}", program(), quoted(&path.display().to_string())), out)?;
        }
        (None, None) => labelled("run", "--trace FILE records its schedule", out)?,
    }
    labelled("repeat", &report.rerun, out)?;
    write_lab(shown.lab.as_deref(), out)
}

fn bound_text(bound: &BoundReport) -> String {
    let sign = match bound.kind.as_str() {
        "worst" => "≤",
        "best" => "≥",
        "mean" => "mean",
        _ => "=",
    };
    format!("{} {sign} {} = {} ({})", mark(bound.holds), bound.formula, grouped(bound.value), bound.source)
}
