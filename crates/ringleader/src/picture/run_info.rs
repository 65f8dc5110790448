//! The information on a run that a picture takes from its set-up and its summary.

use ringleader_model::{BoundKind, Leader, Outcome, Quantity, Reading, Topology, Value};
use ringleader_sim::{Resolved, StopReason, Summary};

use super::{RunInfo, Subject, grouped};
use crate::execution::MESSAGES;
use crate::setup::Setup;

/// Everything that a picture shows of a run besides its steps. `rerun` is the command that repeats it.
pub fn run_info<'a>(setup: &'a Setup, summary: &'a Summary, rerun: &str) -> RunInfo<'a> {
    let scenario = &setup.scenario;
    let topology = setup.description().assumptions.topology;
    let load = scenario.workload.as_ref();
    let cells = load.map_or(0, |load| load.cells);
    let network = match topology {
        Topology::Ring => "ring",
        Topology::BidirectionalRing => "bidirectional ring",
        Topology::Complete => "complete network",
    };
    let and_cells = if cells > 0 { format!(" and {}", counted(cells as u64, "cell")) } else { String::new() };
    let sites = scenario.n - cells;
    RunInfo {
        n: scenario.n,
        ids: &scenario.ids,
        topology,
        kinds: summary.cost.kinds.iter().map(|&(kind, _)| kind).collect(),
        subject: match summary.outcome {
            Outcome::Election { .. } | Outcome::Work => Subject::Messages,
            Outcome::Entries { .. } => Subject::Sharing,
            Outcome::Data { .. } => Subject::Data,
            Outcome::Tokens { .. } => Subject::Tokens,
        },
        readers: load.map_or(0, |load| load.readers),
        writers: load.map_or(0, |load| load.writers),
        cells,
        untimed: scenario.untimed,
        changes: &scenario.timing.changes,
        ticks: ticks(setup),
        title: format!(
            "{} on a {network} of {}{and_cells}{}",
            setup.entry.name(),
            grouped(sites),
            outcome(&summary.outcome, summary.reason == Some(StopReason::Interrupted))
        ),
        subtitle: measured(setup, summary),
        rerun: rerun.to_string(),
        violations: &summary.violations,
    }
}

/// The length of each processor's ticks, where anything depends on them and they are fixed.
fn ticks(setup: &Setup) -> Vec<u64> {
    let scenario = &setup.scenario;
    let clocks = scenario.timing.reading != Reading::Immediate || setup.entry.profile().timers;
    let fixed = !scenario.untimed && clocks && scenario.timing.changes.is_empty();
    if fixed { Resolved::new(scenario).tick_lengths(scenario.n).unwrap_or_default() } else { Vec::new() }
}

/// The outcome of a run, in a few words. `open`: the run may go on.
fn outcome(outcome: &Outcome, open: bool) -> String {
    match outcome {
        Outcome::Election { leaders, ring_size, .. } => {
            let elected = match leaders.as_slice() {
                [] if open => "nobody is elected yet".to_string(),
                [] => "nobody is elected".to_string(),
                [Leader { id: Some(id), .. }] => format!("id {id} is elected"),
                [Leader { place, id: None }] => format!("place {place} is elected"),
                many => format!("{} leaders", many.len()),
            };
            let size = ring_size.map_or(String::new(), |size| format!(", ring size {}", grouped(size)));
            format!(": {elected}{size}")
        }
        Outcome::Entries { entries, overlap_max } => {
            let together = if *overlap_max > 1 { format!(", {overlap_max} at once") } else { String::new() };
            format!(": {}{together}", counted(*entries, "entry"))
        }
        Outcome::Data { reads, writes, attempts, .. } => {
            format!(": {} in {}, {}", counted(*reads, "read"), counted(*attempts, "attempt"), counted(*writes, "write"))
        }
        Outcome::Tokens { tokens } if open => format!(": {} now", counted(*tokens, "token")),
        Outcome::Tokens { tokens } => format!(": {} at the end", counted(*tokens, "token")),
        Outcome::Work => String::new(),
    }
}

/// A number of things.
fn counted(count: u64, thing: &str) -> String {
    match (count, thing) {
        (1, _) => format!("1 {thing}"),
        (_, "entry") => format!("{} entries", grouped(count)),
        _ => format!("{} {thing}s", grouped(count)),
    }
}

/// The messages of a run beside the sharpest bound on them.
fn measured(setup: &Setup, summary: &Summary) -> String {
    let total = summary.cost.messages();
    let plain = counted(total, "message");
    if summary.is_tampered() {
        return plain;
    }
    let Some(bound) = setup.sharpest(&MESSAGES, &[BoundKind::Worst, BoundKind::Exact]) else { return plain };
    let (Some(measured), holds) = bound.judge(summary) else { return plain };
    let relation = match (bound.kind, holds) {
        (_, None) => "so far; proved:",
        (BoundKind::Exact, Some(true)) => "=",
        (BoundKind::Exact, Some(false)) => "≠",
        (_, Some(true)) => "≤",
        (_, Some(false)) => ">",
    };
    let work = if bound.quantity == Quantity::Work { format!("{} ", setup.facts.work) } else { String::new() };
    let value = if relation == "=" { String::new() } else { format!("{} = ", grouped(bound.value)) };
    let all =
        if measured == Value::int(u128::from(total)) { String::new() } else { format!("; {} in all", grouped(total)) };
    let source = if bound.source.is_empty() { String::new() } else { format!(" [{}]", bound.source) };
    format!("{} {work}messages {relation} {value}{}{source}{all}", grouped(measured), bound.formula)
}
