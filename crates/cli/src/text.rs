//! What people read.

use std::io::{self, Write};
use std::path::Path;

use anstyle::{AnsiColor, Style};
use comfy_table::{CellAlignment, Table, presets};
use ringleader::report::{Number, Report, ResultReport, TimingReport, grouped};
use ringleader::{About, Listed, Setup};
use ringleader_model::{Task, Wakes};
use ringleader_sim::Step;

use crate::bench::Measurement;
use crate::doctor::Finding;
use ringleader::StepText;

mod tables;

pub(crate) use tables::{claim, league, sharing};

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const DOUBT: Style = AnsiColor::Yellow.on_default();

pub(crate) fn styled(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

fn table(titles: &[&str], right: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(titles.iter().map(|title| styled(BOLD, title)));
    for &column in right {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

fn write_table(table: &Table, out: &mut impl Write) -> io::Result<()> {
    for line in table.lines() {
        writeln!(out, "  {}", line.trim_end())?;
    }
    Ok(())
}

/// Whether something held: a mark that is not only a colour.
pub(crate) fn mark(holds: Option<bool>) -> String {
    match holds {
        Some(true) => styled(GOOD, "✓"),
        Some(false) => styled(BAD, "✗"),
        None => styled(DIM, "·"),
    }
}

pub(crate) fn list(listed: &[Listed], out: &mut impl Write) -> io::Result<()> {
    let mut rows = table(&["protocol", "problem", "network", "idea", "source"], &[]);
    for one in listed {
        let sources = one.sources.join(", ");
        rows.add_row([one.name, one.problem, one.topology, one.title, &sources]);
    }
    write_table(&rows, out)
}

/// What is known of these, in parentheses; nothing if nothing is.
pub(crate) fn in_parentheses(parts: &[&str]) -> String {
    let known: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    if known.is_empty() { String::new() } else { format!(" ({})", known.join("; ")) }
}

pub(crate) fn info(about: &About, out: &mut impl Write) -> io::Result<()> {
    let heading = |out: &mut dyn Write, text: &str| writeln!(out, "\n{}", styled(BOLD, text));
    let sources = in_parentheses(&[&about.sources.join(", ")]);
    writeln!(out, "{}: {}{sources}", styled(BOLD, about.name), about.title)?;
    if !about.idea.is_empty() {
        heading(out, "Idea")?;
        wrapped(about.idea, "  ", "  ", out)?;
    }
    heading(out, "Rules")?;
    for (index, rule) in about.rules.iter().enumerate() {
        wrapped(rule, &format!("{:3}. ", index + 1), "     ", out)?;
    }
    heading(out, "Assumes")?;
    for assumption in &about.assumptions {
        writeln!(out, "  {assumption}")?;
    }
    writeln!(
        out,
        "  messages: {}; {} bytes of state per processor",
        about.messages.join(", "),
        about.bytes_per_processor
    )?;
    if !about.parameters.is_empty() {
        heading(out, "Parameters (--set key=value)")?;
        for p in &about.parameters {
            wrapped(&format!("{} = {} [default: {}]: {}", p.name, p.values, p.default, p.doc), "  ", "      ", out)?;
        }
    }
    if !about.departures.is_empty() {
        heading(out, "Departures from the paper (--set printed=NAME undoes one, --set rules=printed all)")?;
        for d in about.departures {
            wrapped(&format!("{} ({}): {}. Here: {}.", d.name, d.place, d.printed, d.repaired), "  ", "      ", out)?;
        }
    }
    heading(out, "Proved or claimed")?;
    for b in &about.bounds {
        wrapped(
            &format!("{} {}: {}{}", b.quantity, b.kind, b.formula, in_parentheses(&[b.source, b.counts])),
            "  ",
            "      ",
            out,
        )?;
    }
    if !about.errata.is_empty() {
        heading(out, "Errata")?;
        for e in &about.errata {
            wrapped(&format!("{}: {}. Here: {}.", e.place, e.wrong, e.repair), "  ", "      ", out)?;
        }
    }
    let checked = || about.checked.iter().filter_map(|row| Some((row, row.figures.as_ref()?)));
    if checked().next().is_some() {
        heading(out, "Checked over every schedule")?;
        for (row, figures) in checked() {
            let steps = figures.counterexample.map_or(String::new(), |steps| format!(" after {steps} steps"));
            writeln!(out, "  {}{steps}, {} states: {}", figures.verdict, grouped(figures.states), row.command)?;
        }
    }
    writeln!(out, "\n{}\n  ringleader run {}", styled(BOLD, "Try"), about.name)?;
    if !about.checked.is_empty() {
        writeln!(out, "  ringleader check {}", about.name)?;
    }
    Ok(())
}

/// Breaks a text into lines of about a hundred characters.
fn wrapped(text: &str, first: &str, others: &str, out: &mut impl Write) -> io::Result<()> {
    let mut line = first.to_string();
    let mut empty = true;
    for word in text.split_whitespace() {
        if !empty && line.chars().count() + 1 + word.chars().count() > 100 {
            writeln!(out, "{line}")?;
            line = others.to_string();
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    writeln!(out, "{line}")
}

pub(crate) fn steps(steps: &[Step], ids: &[u64], ends: usize, out: &mut impl Write) -> io::Result<()> {
    let width = steps.len().to_string().len();
    for (index, step) in steps.iter().enumerate() {
        let folded = steps.len().saturating_sub(ends.saturating_mul(2));
        if folded > 0 && index == ends {
            writeln!(
                out,
                "{}",
                styled(DIM, format!("{:width$}  {} steps not shown; --all shows them", "…", grouped(folded)))
            )?;
        }
        if folded == 0 || index < ends || index >= ends + folded {
            writeln!(out, "{:width$}  {}", index + 1, StepText::new(step, ids))?;
        }
    }
    if steps.is_empty() { Ok(()) } else { writeln!(out) }
}

pub(crate) fn report(report: &Report, setup: &Setup, trace: Option<&Path>, out: &mut impl Write) -> io::Result<()> {
    write_scene(report, setup, out)?;
    write_outcome(report, out)?;
    let cost = &report.cost;
    let messages = &cost.messages;
    let kinds: Vec<_> = messages.by_kind.iter().map(|(kind, passes)| format!("{kind} {}", grouped(passes))).collect();
    let split: Vec<_> = messages.split.iter().map(|(part, passes)| format!("{part} {}", grouped(passes))).collect();
    let line = |out: &mut dyn Write, name: &str, text: String| writeln!(out, "  {name:<10} {text}");
    line(
        out,
        "messages",
        format!("{}  ({}; by kind: {})", styled(BOLD, grouped(messages.total)), split.join(", "), kinds.join(", ")),
    )?;
    line(out, "bits", grouped(cost.bits))?;
    write_tally(report, out)?;
    let elected =
        |moment: Option<u64>| moment.map_or(String::new(), |moment| format!("  (elected at {})", grouped(moment)));
    let time = if report.scenario.untimed { "steps" } else { "time" };
    line(out, time, format!("{}{}", grouped(cost.time), elected(cost.time_elected)))?;
    line(out, "depth", format!("{}{}", grouped(cost.depth), elected(cost.depth_elected.map(u64::from))))?;
    if let Some(phases) = cost.phases {
        line(out, "phases", grouped(phases))?;
    }
    if cost.longest_queue > 0 {
        line(out, "queue", format!("{} at most", grouped(cost.longest_queue)))?;
    }
    write_bounds(report, setup, out)?;
    writeln!(out, "\n  trace      {}", report.trace)?;
    if let Some(path) = trace {
        writeln!(out, "  written    {}  (ringleader replay {})", path.display(), path.display())?;
    }
    writeln!(out, "  repeat     {}", report.rerun)
}

/// How many identities are shown before the list is cut.
const IDS_SHOWN: usize = 24;

fn write_scene(report: &Report, setup: &Setup, out: &mut impl Write) -> io::Result<()> {
    let scenario = &report.scenario;
    let parameters: Vec<_> = report.parameters.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let n = grouped(scenario.n);
    let then = report.then.as_ref().map_or(String::new(), |task| format!(", then {}", styled(BOLD, task)));
    let network = match scenario.topology.as_str() {
        "complete" => "complete network",
        ring => ring,
    };
    write!(out, "{} on a {network} of {n}{then}", styled(BOLD, &report.protocol))?;
    if parameters.is_empty() {
        writeln!(out)?;
    } else {
        writeln!(out, ", {}", parameters.join(", "))?;
    }
    if let Some(ids) = &scenario.ids {
        let shown: Vec<_> = ids.iter().take(IDS_SHOWN).map(u64::to_string).collect();
        writeln!(out, "  ids        {}{}", shown.join(" "), if ids.len() > IDS_SHOWN { " …" } else { "" })?;
    }
    let timing = &setup.scenario.timing;
    let wakes = match &setup.scenario.wakes {
        Wakes::All if scenario.untimed => "all wake by themselves".to_string(),
        Wakes::All => "all awake at 0".to_string(),
        Wakes::At(at) => format!("{} of {n} wake by themselves", grouped(at.iter().flatten().count())),
    };
    let clocks = if scenario.untimed {
        "no clocks: whatever can happen may happen next".to_string()
    } else {
        let TimingReport { clocks, delays, reading, ties, .. } = &scenario.timing;
        let ties = ties.as_ref().map_or(String::new(), |ties| format!(", ties {ties}"));
        format!("r {}, d {}, clocks {clocks}, delays {delays}, reading {reading}{ties}", timing.r, timing.d)
    };
    writeln!(out, "  world      {clocks}, links {}; {wakes}", scenario.links)?;
    if let Some(load) = &scenario.workload {
        let who = match (load.readers, load.writers, load.cells) {
            (Some(readers), Some(writers), None) => format!("{readers} read and {writers} write"),
            (Some(readers), Some(writers), Some(cells)) => {
                format!("{readers} read and {writers} write, {cells} cells")
            }
            _ => format!("{} of {n} compete", grouped(load.compete)),
        };
        let entries = grouped(load.entries);
        let hold = load.hold.as_ref().map_or(String::new(), |hold| format!("hold {hold}, "));
        let first = load.first.as_ref().map_or(String::new(), |first| format!("first {first}, "));
        let when = if scenario.untimed {
            "at any moment".to_string()
        } else {
            format!("{first}{hold}think {} steps", load.think)
        };
        writeln!(out, "  workload   {entries} times each, {who}; {when}")?;
    }
    if !setup.facts.figures.is_empty() {
        let figures: Vec<_> =
            setup.facts.figures.iter().map(|f| format!("{} = {}", f.symbol, grouped(f.value))).collect();
        writeln!(out, "  figures    {}", figures.join(", "))?;
    }
    for note in &report.notes {
        writeln!(out, "  note       {note}")?;
    }
    writeln!(out)
}

fn write_outcome(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let outcome = &report.outcome;
    let style = match outcome.verdict.as_str() {
        "held" => GOOD,
        "violated" => BAD,
        _ => DOUBT,
    };
    let verdict = styled(style, &outcome.verdict);
    match &outcome.result {
        ResultReport::Election { .. } => write_election(report, &verdict, out)?,
        ResultReport::Entries { entries, overlap_max, fairness, starved } => {
            writeln!(
                out,
                "  entries    {}, at most {overlap_max} inside together  {verdict}",
                styled(BOLD, grouped(entries))
            )?;
            write_fairness(*fairness, *starved, out)?;
        }
        ResultReport::Data { reads, writes, attempts, torn, stale, fairness, starved, .. } => {
            let told =
                format!("{} reads in {} attempts, {} writes", grouped(reads), grouped(attempts), grouped(writes));
            writeln!(out, "  data       {}; {torn} torn, {stale} stale  {verdict}", styled(BOLD, told))?;
            write_fairness(*fairness, *starved, out)?;
        }
        ResultReport::Tokens { tokens } => {
            writeln!(out, "  tokens     {} at the end  {verdict}", styled(BOLD, grouped(tokens)))?;
        }
        ResultReport::Work {} => writeln!(out, "  verdict    {verdict}")?,
    }
    for violation in &outcome.violations {
        writeln!(out, "  {}  {}: {}", styled(BAD, "violated"), violation.property, violation.detail)?;
    }
    match outcome.reason.as_deref() {
        Some("never-timer") => writeln!(
            out,
            "  {}     it can only go on by a timer longer than any run (2^64 ticks or more): never-timer",
            styled(DOUBT, "reason")
        ),
        Some("end-of-time") => {
            writeln!(
                out,
                "  {}     it can only go on after more than 2^63 units of time: end-of-time",
                styled(DOUBT, "reason")
            )
        }
        Some("horizon") => {
            writeln!(out, "  {}     it goes on for ever; this is how it is at its horizon", styled(DOUBT, "reason"))
        }
        Some("interrupted") => {
            writeln!(out, "  {}     stopped before its end; what there is so far:", styled(DOUBT, "reason"))
        }
        _ => Ok(()),
    }
}

fn write_election(report: &Report, verdict: &str, out: &mut impl Write) -> io::Result<()> {
    let outcome = &report.outcome;
    let ResultReport::Election { leaders, ring_size, sorted, .. } = &outcome.result else { return Ok(()) };
    let named = leaders.iter().map(|l| match l.id {
        Some(id) => format!("id {id} at place {}", l.place),
        None => format!("place {}", l.place),
    });
    let named = if leaders.is_empty() { "none".to_string() } else { named.collect::<Vec<_>>().join(" and ") };
    let agreement = match (outcome.finished && leaders.len() == 1, outcome.violations.is_empty()) {
        (true, true) => format!("; all {} agree", grouped(report.scenario.n)),
        _ => String::new(),
    };
    writeln!(out, "  leader     {}{agreement}  {verdict}", styled(BOLD, named))?;
    if let Some(size) = ring_size {
        let how = if report.then.as_deref() == Some(Task::Size.name()) { "counted" } else { "read off its own clock" };
        writeln!(out, "  size       {}, {how} by the leader", grouped(size))?;
    }
    if let Some(sorted) = sorted {
        let shown = sorted.iter().take(IDS_SHOWN).map(|value| value.map_or("-".to_string(), |value| value.to_string()));
        let more = if sorted.len() > IDS_SHOWN { " …" } else { "" };
        writeln!(out, "  sorted     {}{more}", shown.collect::<Vec<_>>().join(" "))?;
    }
    Ok(())
}

fn write_fairness(fairness: Option<Number>, starved: Option<u64>, out: &mut impl Write) -> io::Result<()> {
    let fairness = fairness.map_or("-".to_string(), |fairness| fairness.to_string());
    writeln!(out, "  fairness   {fairness}, {} sites starved", starved.unwrap_or(0))
}

/// What only some problems cost.
fn write_tally(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let cost = &report.cost;
    if let Some(messages) = cost.messages_per_entry {
        let negatives = cost
            .negatives_per_entry
            .map_or(String::new(), |mean| format!("; {mean} negative replies while all compete"));
        writeln!(out, "  per entry  {messages} messages{negatives}")?;
    }
    if let Some(attempts) = cost.attempts_per_read {
        writeln!(out, "  per read   {attempts} attempts")?;
    }
    if let Some(delay) = &cost.granting_delay {
        let [p95, max] = [delay.p95, delay.max].map(grouped);
        writeln!(out, "  granted    after {} in the mean, {p95} for 95 of 100, {max} at most", grouped(delay.mean))?;
    }
    if let Some(laps) = cost.laps {
        writeln!(out, "  stable     after {laps} laps")?;
    }
    Ok(())
}

fn write_bounds(report: &Report, setup: &Setup, out: &mut impl Write) -> io::Result<()> {
    if report.bounds.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n  {}", styled(BOLD, "measured against proved"))?;
    let mut rows = Table::new();
    rows.load_style(presets::NOTHING);
    for (row, bound) in report.bounds.iter().zip(&setup.facts.bounds) {
        let relation = match (row.kind.as_str(), row.holds) {
            ("exact", Some(false)) => "≠",
            ("exact", _) => "=",
            ("mean", _) => "mean",
            ("best", Some(false)) | ("worst", None | Some(true)) => "≤",
            ("best", _) => "≥",
            _ => ">",
        };
        rows.add_row([
            mark(row.holds),
            row.quantity.clone(),
            row.measured.map_or("-".to_string(), grouped),
            relation.to_string(),
            grouped(bound.value),
            row.formula.clone(),
            row.source.clone(),
        ]);
    }
    for right in [2, 4] {
        if let Some(column) = rows.column_mut(right) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    write_table(&rows, out)
}

pub(crate) fn measurement(m: &Measurement, first: bool, out: &mut impl Write) -> io::Result<()> {
    if first {
        writeln!(
            out,
            "{}",
            styled(BOLD, "workload              n      deliveries    seconds   million/s   bytes/processor")
        )?;
    }
    writeln!(
        out,
        "{:<12} {:>10} {:>15} {:>10.3} {:>11.1} {:>17.1}",
        m.workload,
        grouped(m.n),
        grouped(m.deliveries),
        m.seconds,
        m.rate / 1e6,
        m.bytes_per_processor
    )?;
    out.flush()
}

pub(crate) fn doctor(findings: &[Finding], out: &mut impl Write) -> io::Result<()> {
    for finding in findings {
        writeln!(out, "  {} {:<14} {}", mark(Some(finding.good)), finding.what, finding.found)?;
    }
    Ok(())
}
