//! `check --anonymous`: what the lock-step run of a symmetric network shows.

use std::io::{self, Write};

use ringleader::check::{CheckOptions, CoveredRing, LockStepReport};
use ringleader::report::grouped;
use ringleader::{Entry, StepReport};

use crate::arguments::CheckOutput;
use crate::error::{Error, Exit};
use crate::json::print_json;
use crate::presentation::Presentation;
use crate::text::{BAD, BOLD, DIM, DOUBT, GOOD, counted, fitted, labelled, mark, styled};
use crate::watch::Terminal;

/// The number of steps shown unless all are asked for.
const SHOWN: usize = 24;

/// Follows the run and shows it.
pub(super) fn show(
    entry: &'static dyn Entry,
    options: &CheckOptions,
    output: &CheckOutput,
    watch: &Terminal,
    out: &mut impl Write,
) -> Result<Exit, Error> {
    let report = LockStepReport::new(entry, options, watch)?;
    watch.clear();
    if output.json {
        print_json(&report, out)?;
    } else {
        write_report(&report, output.all, out)?;
    }
    Ok(match report.verdict.as_str() {
        "holds" => Exit::Held,
        "violated" => Exit::Violated,
        _ => watch.exit().unwrap_or(Exit::Inconclusive),
    })
}

fn write_report(report: &LockStepReport, all: bool, out: &mut impl Write) -> io::Result<()> {
    let (style, word, holds) = match report.verdict.as_str() {
        "holds" => (GOOD, "symmetric", Some(true)),
        "violated" => (BAD, "symmetry broken", Some(false)),
        _ => (DOUBT, "symmetric so far", None),
    };
    let parameters: String = report.parameters.iter().map(|(key, value)| format!(", {key}={value}")).collect();
    let protocol = styled(BOLD, &report.protocol);
    let title = format!(
        "{}: {protocol} on a {} of {}, {}{parameters}",
        styled(style, word),
        network(report),
        report.n,
        ids(&report.ids)
    );
    fitted(&title, "", "    ", out)?;
    fitted(&symmetry(report), &format!("  {} symmetry    ", mark(holds)), "      ", out)?;
    fitted(&elected(report), &format!("  {} elected     ", mark(None)), "      ", out)?;
    if Presentation::settled().quiet {
        return Ok(());
    }
    writeln!(out)?;
    labelled("schedule", "lock step: all wake at 0, all ticks and delays are the same", out)?;
    labelled("theorem", &theorem(report), out)?;
    if let Some(covered) = &report.covered {
        labelled("covering", &covering(covered, report), out)?;
    }
    if let Some(broken) = &report.broken {
        for step in &broken.steps {
            labelled(&format!("at {}", broken.time), step, out)?;
        }
    }
    if report.broken.is_none() {
        write_trace(&report.trace, report.period, all, out)?;
    }
    writeln!(out, "  repeat     {}", report.rerun)
}

fn network(report: &LockStepReport) -> String {
    if report.topology == "complete" { "complete network".to_string() } else { report.topology.clone() }
}

fn ids(ids: &Option<Vec<u64>>) -> String {
    let listed = |ids: &Vec<u64>| ids.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
    ids.as_ref().map_or("without identities".to_string(), |ids| format!("identities {}", listed(ids)))
}

fn symmetry(report: &LockStepReport) -> String {
    if let Some(broken) = &report.broken {
        let [one, other] = broken.places;
        let why = if broken.random { ", by a random choice" } else { "" };
        return format!("broken at {}: places {one} and {other} differ{why}", broken.time);
    }
    let (steps, instants) = (counted(report.steps, "step"), counted(report.instants, "instant"));
    let end = match report.ended.as_str() {
        "quiescent" => "to the end of the run".to_string(),
        "repeats" => "until a global state repeats, and so forever".to_string(),
        "horizon" => "to the protocol's horizon".to_string(),
        "limit" => "and the run goes on".to_string(),
        why => format!("and then {why}"),
    };
    format!(
        "rotation by {} maps every instant to itself: {steps} in {instants} compared, {end}",
        counted(report.period, "place")
    )
}

fn elected(report: &LockStepReport) -> String {
    let places = report.elected.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    match report.elected.len() {
        0 => "nobody".to_string(),
        all if all == report.n => format!("all {all}, at once"),
        1 => format!("place {places}"),
        some => format!("{some} of {}: places {places}", report.n),
    }
}

/// What the run is an example of.
fn theorem(report: &LockStepReport) -> String {
    let copies = report.n / report.period;
    if report.broken.as_ref().is_some_and(|broken| broken.random) {
        return "only a deterministic protocol stays symmetric (Angluin1980); random choices break the symmetry"
            .to_string();
    }
    if report.broken.is_some() {
        return "equal processors that see the same events take the same steps (Angluin1980); here they see different events: \
                the links treat them differently"
            .to_string();
    }
    format!(
        "equal processors that see the same events take the same steps (Angluin1980), so that the number of leaders is always \
         a multiple of {copies}, and never 1: this schedule defeats the protocol, as it defeats every deterministic one"
    )
}

fn covering(covered: &CoveredRing, report: &LockStepReport) -> String {
    let ring = format!("the {} of {}, {}", network(report), covered.n, ids(&covered.ids));
    if !covered.same {
        return format!("{ring}, is told apart");
    }
    let leaders = match covered.elected.len() {
        0 => "nobody is elected".to_string(),
        1 => format!("place {} is elected, rightly", covered.elected[0]),
        some => format!("{} are elected", grouped(some as u64)),
    };
    format!("{ring}, looks the same to each processor at every instant; there {leaders}")
}

/// The steps of one period.
fn write_trace(trace: &[StepReport], period: usize, all: bool, out: &mut impl Write) -> io::Result<()> {
    let places = if period == 1 { "place 0".to_string() } else { format!("places 0 to {}", period - 1) };
    writeln!(out, "\n  {}", styled(BOLD, format!("steps of {places}; all others take the same")))?;
    let shown = if all { trace.len() } else { trace.len().min(SHOWN) };
    for step in &trace[..shown] {
        fitted(&step.text, "    ", "        ", out)?;
    }
    if shown < trace.len() {
        let left = counted(trace.len() - shown, "step");
        writeln!(out, "    {}", styled(DIM, format!("… {left} not shown; --all shows them")))?;
    }
    writeln!(out)
}
