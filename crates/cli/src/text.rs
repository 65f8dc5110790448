//! Text output.

use std::io::{self, Write};
use std::path::Path;

use anstyle::{AnsiColor, Style};
use ringleader::report::{
    ChangeReport, ChangesReport, CostReport, DelayReport, Number, PhaseBeginReport, ResultReport, RunReport,
    TimingReport, TokensReport, WorkloadReport, grouped,
};
use ringleader::{About, Listed, Setup, program, quoted};
use ringleader_model::{Tally, Task, Wakes};

use crate::bench::Measurement;
use crate::doctor::Finding;
use crate::lab::has_protocol;
use crate::presentation::Presentation;
use crate::signals;

mod distribution;
mod grid;
mod steps;
mod sweeps;
mod tables;

pub(crate) use distribution::distribution;
use grid::visible;
pub(crate) use grid::{Column, TextTable};
pub(crate) use steps::{StepWriter, write_rules};
pub(crate) use sweeps::{comparison, sweep, tested};
pub(crate) use tables::{claim, league, sharing};

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const DOUBT: Style = AnsiColor::Yellow.on_default();

pub(crate) fn styled(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// A number of things: `1 step`, `2 steps`.
pub(crate) fn counted(number: impl std::fmt::Display, one: &str) -> String {
    let number = grouped(number);
    if number == "1" { format!("1 {one}") } else { format!("{number} {one}s") }
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
    let columns = [
        Column::new("protocol"),
        Column::new("problem").rank(2),
        Column::new("network").rank(3),
        Column::new("idea").rank(1),
        Column::new("source").rank(4),
    ];
    let mut rows = TextTable::new(columns);
    for one in listed {
        let sources = one.sources.join(", ");
        rows.row([one.name, one.problem, one.topology, one.title, &sources].map(ToString::to_string));
    }
    rows.write(out)
}

/// The parts that are not empty, in parentheses.
pub(crate) fn in_parentheses(parts: &[&str]) -> String {
    let known: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    if known.is_empty() { String::new() } else { format!(" ({})", known.join("; ")) }
}

pub(crate) fn info(about: &About, out: &mut impl Write) -> io::Result<()> {
    let sources = in_parentheses(&[&about.sources.join(", ")]);
    fitted(&format!("{}: {}{sources}", styled(BOLD, about.name), about.title), "", "    ", out)?;
    if !about.idea.is_empty() {
        heading("Idea", out)?;
        wrapped(about.idea, "  ", "  ", out)?;
    }
    heading("Rules", out)?;
    for (index, rule) in about.rules.iter().enumerate() {
        wrapped(rule, &format!("{:3}. ", index + 1), "     ", out)?;
    }
    heading("Assumes", out)?;
    for assumption in &about.assumptions {
        fitted(assumption, "  ", "      ", out)?;
    }
    let (messages, bytes) = (about.messages.join(", "), about.bytes_per_processor);
    fitted(&format!("messages: {messages}; {bytes} bytes of state per processor"), "  ", "      ", out)?;
    if !about.parameters.is_empty() {
        heading("Parameters (--set key=value)", out)?;
        for p in &about.parameters {
            wrapped(&format!("{} = {} [default: {}]: {}", p.name, p.values, p.default, p.doc), "  ", "      ", out)?;
        }
    }
    if !about.departures.is_empty() {
        heading("Departures from the paper (--set printed=NAME undoes one, --set rules=printed all)", out)?;
        for d in about.departures {
            wrapped(&format!("{} ({}): {}. Here: {}.", d.name, d.place, d.printed, d.repaired), "  ", "      ", out)?;
        }
    }
    if !about.invariants.is_empty() {
        heading("Invariants (judged after every step of a run and in every state of a check)", out)?;
        for invariant in &about.invariants {
            wrapped(invariant, "  ", "      ", out)?;
        }
    }
    if !about.promises.is_empty() {
        heading(
            "Promises (judged beside the properties of the problem, within the assumptions and without faults)",
            out,
        )?;
        for p in &about.promises {
            wrapped(&format!("{}{}", p.name, in_parentheses(&[p.source, p.when])), "  ", "      ", out)?;
        }
    }
    if !about.lemmas.is_empty() {
        heading("Lemmas (judged on what processors have done so far, likewise)", out)?;
        for lemma in &about.lemmas {
            wrapped(&format!("{}{}", lemma.name, in_parentheses(&[lemma.source, lemma.when])), "  ", "      ", out)?;
        }
    }
    if !about.bounds.is_empty() {
        heading("Proved or claimed", out)?;
    }
    for b in &about.bounds {
        wrapped(
            &format!("{} {}: {}{}", b.quantity, b.kind, b.formula, in_parentheses(&[b.source, b.counts])),
            "  ",
            "      ",
            out,
        )?;
    }
    if !about.errata.is_empty() {
        heading("Errata", out)?;
        for e in &about.errata {
            wrapped(&format!("{}: {}. Here: {}.", e.place, e.wrong, e.repair), "  ", "      ", out)?;
        }
    }
    let checked = || about.checked.iter().filter_map(|row| Some((row, row.figures.as_ref()?)));
    if checked().next().is_some() {
        heading("Model-checked over all schedules", out)?;
        for (row, figures) in checked() {
            let steps = figures.counterexample.map_or(String::new(), |steps| format!(" after {steps} steps"));
            let text =
                format!("{}{steps}, {} states: {}", figures.verdict, grouped(figures.states), row.command_line());
            wrapped(&text, "  ", "      ", out)?;
        }
    }
    writeln!(out, "\n{}\n  {} run {}", styled(BOLD, "Try"), program(), about.name)?;
    if has_protocol(about.name) {
        writeln!(out, "  {} lab run {}", program(), about.name)?;
    }
    for check in &about.suggested {
        writeln!(out, "  {check}")?;
    }
    Ok(())
}

/// The heading of a section, after an empty line.
fn heading(text: &str, out: &mut impl Write) -> io::Result<()> {
    writeln!(out)?;
    fitted(&text.split(' ').map(|word| styled(BOLD, word)).collect::<Vec<_>>().join(" "), "", "  ", out)
}

/// Breaks a text into lines that fit the terminal and can be read.
fn wrapped(text: &str, first: &str, others: &str, out: &mut impl Write) -> io::Result<()> {
    broken(text, first, others, Presentation::settled().text_width(), out)
}

/// Breaks a line where the terminal is too narrow for it.
pub(crate) fn fitted(text: &str, first: &str, others: &str, out: &mut impl Write) -> io::Result<()> {
    broken(text, first, others, Presentation::settled().line_width().unwrap_or(usize::MAX), out)
}

fn broken(text: &str, first: &str, others: &str, width: usize, out: &mut impl Write) -> io::Result<()> {
    let mut line = first.to_string();
    let mut empty = true;
    for word in text.split_whitespace() {
        if !empty && visible(&line) + 1 + visible(word) > width {
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

/// `lab`: the line that opens the run in the lab.
pub(crate) fn report(
    report: &RunReport,
    setup: &Setup,
    trace: Option<&Path>,
    lab: Option<&str>,
    out: &mut impl Write,
) -> io::Result<()> {
    if Presentation::settled().quiet {
        return write_outcome(report, out);
    }
    write_scene(report, setup, out)?;
    write_outcome(report, out)?;
    let cost = &report.cost;
    let messages = &cost.messages;
    let kinds: Vec<_> = messages.by_kind.iter().map(|(kind, passes)| format!("{kind} {}", grouped(passes))).collect();
    let split: Vec<_> = messages.split.iter().map(|(part, passes)| format!("{part} {}", grouped(passes))).collect();
    let total = styled(BOLD, grouped(messages.total));
    labelled("messages", &format!("{total} ({}; by kind: {})", split.join(", "), kinds.join(", ")), out)?;
    labelled("bits", &grouped(cost.bits), out)?;
    write_tally(report, out)?;
    let elected =
        |moment: Option<u64>| moment.map_or(String::new(), |moment| format!(" (elected at {})", grouped(moment)));
    let time = if report.scenario.untimed { "steps" } else { "time" };
    labelled(time, &format!("{}{}", grouped(cost.time), elected(cost.time_elected)), out)?;
    if let Some(awake) = cost.time_awake.filter(|&awake| awake > 0) {
        labelled("awake", &format!("all at {}", grouped(awake)), out)?;
    }
    labelled("depth", &format!("{}{}", grouped(cost.depth), elected(cost.depth_elected)), out)?;
    if let Some(phases) = cost.phases {
        labelled("phases", &format!("{}{}", grouped(phases), phase_begins(cost)), out)?;
    }
    if cost.longest_queue > 0 {
        labelled("queue", &format!("max {}", grouped(cost.longest_queue)), out)?;
    }
    write_bounds(report, setup, out)?;
    let asked = setup.given.engine.is_some() || setup.threads > 1;
    let engine = if asked { format!("  (executed in {} order)", report.engine) } else { String::new() };
    writeln!(out, "\n  trace      {}{engine}", report.trace)?;
    if let Some(path) = trace {
        let name = quoted(&path.display().to_string());
        writeln!(out, "  written    {}  ({} replay {name})", path.display(), program())?;
    }
    writeln!(out, "  repeat     {}", report.rerun)?;
    write_lab(lab, out)
}

/// Says how a run is opened in the lab.
pub(crate) fn write_lab(line: Option<&str>, out: &mut impl Write) -> io::Result<()> {
    line.map_or(Ok(()), |line| writeln!(out, "  lab        {line}"))
}

/// The number of phases whose beginnings are shown.
const PHASES_SHOWN: usize = 4;

/// When phases begin, at the first processor and at the last.
fn phase_begins(cost: &CostReport) -> String {
    let interval = |begin: &PhaseBeginReport| {
        let last = begin.last.map_or("nowhere".to_string(), grouped);
        format!("{} to {last}", grouped(begin.called))
    };
    let mut shown: Vec<_> = cost.phase_begins.iter().take(PHASES_SHOWN).map(interval).collect();
    if cost.phase_begins.len() > PHASES_SHOWN {
        shown.push("…".to_string());
    }
    if shown.is_empty() { String::new() } else { format!(" (begun from {})", shown.join(", ")) }
}

/// The number of identities shown before the list is cut.
const IDS_SHOWN: usize = 24;

/// How processors joined and left before the election.
fn write_changes(changes: &ChangesReport, out: &mut impl Write) -> io::Result<()> {
    let ring = |names: &[u64], least| {
        format!("{}; least name {}", abridged(names.iter().map(u64::to_string), names.len()), grouped(least))
    };
    labelled("before", &ring(&changes.before, changes.least_before), out)?;
    for ChangeReport { change, interchanged, names, least } in &changes.after {
        let renamed = match interchanged {
            Some([stays, goes]) => format!(" ({goes} is renamed {stays})"),
            None => String::new(),
        };
        labelled("changes", &format!("{change}{renamed}: {}", ring(names, *least)), out)?;
    }
    Ok(())
}

fn write_scene(report: &RunReport, setup: &Setup, out: &mut impl Write) -> io::Result<()> {
    let scenario = &report.scenario;
    let parameters: Vec<_> = report.parameters.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let n = grouped(scenario.n);
    let then = report.then.as_ref().map_or(String::new(), |task| format!(", then {}", styled(BOLD, task)));
    let network = match scenario.topology.as_str() {
        "complete" => "complete network",
        ring => ring,
    };
    let parameters: String = parameters.iter().map(|parameter| format!(", {parameter}")).collect();
    let title = format!("{} on a {network} of {n}{then}{parameters}", styled(BOLD, &report.protocol));
    fitted(&title, "", "    ", out)?;
    if let Some(ids) = &scenario.ids {
        let ids = ids.identities();
        labelled("ids", &abridged(ids.iter().map(|id| id.to_string()), ids.len() as usize), out)?;
    }
    if let Some(changes) = &scenario.changes {
        write_changes(changes, out)?;
    }
    write_world(report, setup, out)?;
    if let Some(load) = &scenario.workload {
        let who = competitors(load, &n);
        let times = if load.entries == 1 { "once".to_string() } else { format!("{} times", grouped(load.entries)) };
        let users = load.users.map_or(String::new(), |users| format!(", {users} users a site"));
        let hold = load.hold.as_ref().map_or(String::new(), |hold| format!("hold {hold}, "));
        let first = load.first.as_ref().map_or(String::new(), |first| format!("first {first}, "));
        let when = if scenario.untimed {
            "at any time".to_string()
        } else {
            format!("{first}{hold}think {} steps", load.think)
        };
        labelled("workload", &format!("{times} each{users}, {who}; {when}"), out)?;
    }
    if !setup.facts.figures.is_empty() {
        let figures: Vec<_> =
            setup.facts.figures.iter().map(|f| format!("{} = {}", f.symbol, grouped(f.value))).collect();
        labelled("figures", &figures.join(", "), out)?;
    }
    for note in &report.notes {
        labelled("note", note, out)?;
    }
    writeln!(out)
}

/// A line with a label in front, broken where the terminal is too narrow.
pub(crate) fn labelled(label: &str, text: &str, out: &mut impl Write) -> io::Result<()> {
    fitted(text, &format!("  {label:<10} "), "             ", out)
}

/// A list, cut where it is long unless all of it is asked for.
fn abridged(items: impl Iterator<Item = String>, count: usize) -> String {
    let shown = if Presentation::settled().verbose { usize::MAX } else { IDS_SHOWN };
    let items: Vec<_> = items.take(shown).collect();
    format!("{}{}", items.join(" "), if count > shown { " …" } else { "" })
}

/// Clocks, links, wake-ups and faults: all of the scenario that is not in another line.
fn write_world(report: &RunReport, setup: &Setup, out: &mut impl Write) -> io::Result<()> {
    let (scenario, given) = (&report.scenario, &setup.scenario);
    let n = grouped(scenario.n);
    let wakes = match &given.wakes {
        Wakes::All if scenario.untimed => "all wake spontaneously".to_string(),
        Wakes::All => "all awake at 0".to_string(),
        Wakes::At(at) => {
            let woken = at.iter().enumerate().filter_map(|(place, at)| Some((place, (*at)?)));
            let count = at.iter().flatten().count();
            let told = woken.map(|(place, at)| if at == 0 { place.to_string() } else { format!("{place}@{at}") });
            format!("{} of {n} wake spontaneously: {}", grouped(count), abridged(told, count))
        }
    };
    let clocks = if scenario.untimed {
        "no clocks (asynchronous: any enabled step may be next)".to_string()
    } else {
        let TimingReport { clocks, reading, ties, offsets, .. } = &scenario.timing;
        let ties = ties.as_ref().map_or(String::new(), |ties| format!(", ties {ties}"));
        let offsets = offsets.as_ref().map_or(String::new(), |offsets| {
            format!(", offsets {}", abridged(offsets.iter().map(u64::to_string), offsets.len()))
        });
        let (r, d, delays) = (given.timing.tick_ranges(), given.timing.delay_ranges(), &given.timing.delays);
        let assumed =
            scenario.timing.assumed.as_ref().map_or(String::new(), |assumed| format!(" (assumed: {assumed})"));
        format!("r {r}, d {d}{assumed}, clocks {clocks}{offsets}, delays {delays}, reading {reading}{ties}")
    };
    let ports = scenario.ports.as_ref().filter(|ports| *ports != "plain");
    let ports = ports.map_or(String::new(), |ports| format!(", ports {ports}"));
    let orientation = scenario.orientation.as_ref().map_or(String::new(), |digits| format!(", orientation {digits}"));
    labelled("world", &format!("{clocks}, links {}{ports}{orientation}; {wakes}", scenario.links), out)?;
    if let Some(faults) = &scenario.faults {
        labelled("faults", faults, out)?;
    }
    if !scenario.interventions.is_empty() {
        labelled("intervene", &scenario.interventions.join(", "), out)?;
    }
    if let Some(ticks) = scenario.retransmit {
        let when = if scenario.untimed { "at any time".to_string() } else { format!("after {ticks} own ticks") };
        labelled("links", &format!("acknowledged; a message is sent again {when}"), out)?;
    }
    if !scenario.again.is_empty() {
        let again: Vec<_> = scenario.again.iter().map(|ask| format!("place {} at {}", ask.place, ask.time)).collect();
        labelled("again", &again.join(", "), out)?;
    }
    let limits = [("messages", scenario.max_messages), ("time", scenario.max_time)];
    let limits: Vec<_> =
        limits.iter().filter_map(|(what, limit)| Some(format!("{what} {}", grouped((*limit)?)))).collect();
    if limits.is_empty() { Ok(()) } else { labelled("stops at", &limits.join(", "), out) }
}

fn write_outcome(report: &RunReport, out: &mut impl Write) -> io::Result<()> {
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
            let shared = report.scenario.workload.as_ref().is_some_and(|load| load.readers.is_some());
            let together = if shared { " (readers together are one)" } else { "" };
            writeln!(
                out,
                "  entries    {}, max {overlap_max} inside at once{together}  {verdict}",
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
        let start = format!("  {}   ", styled(BAD, "violated"));
        fitted(&format!("{}: {}", violation.property, violation.detail), &start, "             ", out)?;
    }
    match outcome.reason.as_deref() {
        Some("never-timer") => writeln!(
            out,
            "  {}     only a timer of 2^64 ticks or more is pending, longer than any run: never-timer",
            styled(DOUBT, "reason")
        ),
        Some("end-of-time") => {
            writeln!(
                out,
                "  {}     its next event is more than 2^63 units of time away: end-of-time",
                styled(DOUBT, "reason")
            )
        }
        Some("horizon") => {
            writeln!(out, "  {}     it does not terminate; this is its state at the horizon", styled(DOUBT, "reason"))
        }
        Some("interrupted") => {
            let scenario = &report.scenario;
            let is_at = |limit: Option<u64>, now: u64| limit.is_some_and(|limit| now >= limit);
            let why = if is_at(scenario.max_messages, report.cost.messages.total) {
                "stopped at the limit on messages (--max-messages)"
            } else if scenario.max_time.is_some() && signals::received().is_none() {
                "stopped at the limit on time (--max-time, --max-steps)"
            } else {
                "interrupted"
            };
            writeln!(out, "  {}     {why}; results so far:", styled(DOUBT, "reason"))
        }
        _ => Ok(()),
    }
}

fn write_election(report: &RunReport, verdict: &str, out: &mut impl Write) -> io::Result<()> {
    let outcome = &report.outcome;
    let ResultReport::Election { leaders, ring_size, sorted, value, successor, tokens, .. } = &outcome.result else {
        return Ok(());
    };
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
        let values = sorted.iter().map(|value| value.map_or("-".to_string(), |value| value.to_string()));
        labelled("sorted", &abridged(values, sorted.len()), out)?;
    }
    if let Some(value) = value {
        writeln!(out, "  value      {value}, the leader's, known to all")?;
    }
    if let Some(successor) = successor {
        writeln!(out, "  successor  id {successor}, to which leadership is transferred; all know it")?;
    }
    if let Some(TokensReport { old, removed, inserted }) = tokens {
        writeln!(out, "  tokens     {old} before the election, {removed} removed, {inserted} inserted by the leader")?;
    }
    Ok(())
}

fn write_fairness(fairness: Option<Number>, starved: Option<u64>, out: &mut impl Write) -> io::Result<()> {
    let fairness = match fairness {
        Some(fairness) => fairness.to_string(),
        None => format!("not from fewer than {} entries a site", Tally::LEAST_ENTRIES),
    };
    writeln!(out, "  fairness   {fairness}; {} sites starved", starved.unwrap_or(0))
}

/// The sites that compete, out of `n`, and their roles.
fn competitors(load: &WorkloadReport, n: &str) -> String {
    let compete = match &load.load {
        Some(load) => format!("{load} of {n} compete"),
        None => format!("{} of {n} compete", grouped(load.compete)),
    };
    let (Some(readers), Some(writers)) = (load.readers, load.writers) else { return compete };
    let cells = load.cells.map_or(String::new(), |cells| format!(", {cells} cells"));
    let some = load.load.is_some() || load.compete < readers + writers;
    let compete = if some { format!(", {compete}") } else { String::new() };
    format!("{readers} read and {writers} write{compete}{cells}")
}

/// Costs that only some problems have: in the window in which all compete, then over the whole run.
fn write_tally(report: &RunReport, out: &mut impl Write) -> io::Result<()> {
    let cost = &report.cost;
    if let (Some(entries), Some(whole)) = (cost.window_entries, &cost.whole_run) {
        let window = [
            cost.messages_per_entry.map(|messages| format!("{messages} messages")),
            cost.negatives_per_entry.map(|negatives| format!("{negatives} negative replies")),
            cost.attempts_per_read.map(|attempts| format!("{attempts} attempts a read")),
            cost.granting_delay.as_ref().map(delays),
        ];
        let all = [
            whole.messages_per_entry.map(|messages| format!("{messages} messages")),
            whole.negatives_per_entry.map(|negatives| format!("{negatives} negative replies")),
            whole.attempts_per_read.map(|attempts| format!("{attempts} attempts a read")),
            whole.granting_delay.as_ref().map(delays),
        ];
        let list = |parts: [Option<String>; 4]| parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let [window, all] = [list(window), list(all)];
        let colon = if window.is_empty() { "" } else { ": " };
        let competing = format!("while all compete ({}){colon}{window}", counted_entries(entries));
        labelled("per entry", &competing, out)?;
        labelled("", &format!("over the whole run: {all}"), out)?;
    }
    if let Some(wait) = &cost.local_wait {
        let [mean, p95, max] = [grouped(wait.mean), grouped(wait.p95), grouped(wait.max)];
        labelled("users", &format!("waited {mean} on average for others of their site, p95 {p95}, max {max}"), out)?;
    }
    if let Some(failed) = cost.failed_attempts.filter(|failed| failed.one + failed.several > 0) {
        let [one, several] = [failed.one, failed.several].map(grouped);
        labelled("failed", &format!("attempts that found one overlapping write: {one}; two or more: {several}"), out)?;
    }
    if let Some(laps) = cost.laps {
        writeln!(out, "  stable     after {laps} laps")?;
    }
    Ok(())
}

fn counted_entries(entries: u64) -> String {
    if entries == 1 { "1 entry".to_string() } else { format!("{} entries", grouped(entries)) }
}

fn delays(delay: &DelayReport) -> String {
    let [p95, max] = [delay.p95, delay.max].map(grouped);
    format!("granted after {} on average, p95 {p95}, max {max}", grouped(delay.mean))
}

fn write_bounds(report: &RunReport, setup: &Setup, out: &mut impl Write) -> io::Result<()> {
    if report.bounds.is_empty() {
        return Ok(());
    }
    let word = if report.bounds.iter().all(|bound| bound.source.is_empty()) { "claimed" } else { "proved" };
    writeln!(out, "\n  {}", styled(BOLD, format!("measured against {word}")))?;
    let columns = [
        Column::new(""),
        Column::new("quantity"),
        Column::new("measured").right(),
        Column::new(""),
        Column::new(word).right(),
        Column::new("formula").rank(1),
        Column::new("source").rank(2),
        Column::new("what is counted").rank(3),
    ];
    let mut rows = TextTable::new(columns).without_titles();
    for (row, bound) in report.bounds.iter().zip(&setup.facts.bounds) {
        // Where a bound is not judged since timing is outside of what it assumes, how the numbers compare.
        let above = bound.before.and(row.measured).map(|measured| measured.to_f64() - row.value.to_f64());
        let relation = match (row.kind.as_str(), row.holds) {
            ("exact", None) if above.is_some_and(|above| above != 0.0) => "≠",
            ("worst", None) if above.is_some_and(|above| above > 0.0) => ">",
            ("best", None) if above.is_some_and(|above| above < 0.0) => "<",
            ("exact", Some(false)) => "≠",
            ("exact", _) => "=",
            ("mean", _) => "mean",
            ("best", Some(false)) | ("worst", None | Some(true)) => "≤",
            ("best", _) => "≥",
            _ => ">",
        };
        rows.row([
            mark(row.holds),
            row.quantity.clone(),
            row.measured.map_or("-".to_string(), grouped),
            relation.to_string(),
            grouped(bound.value),
            row.formula.clone(),
            row.source.clone(),
            if Presentation::settled().verbose { row.counts.clone() } else { String::new() },
        ]);
    }
    rows.write(out)
}

pub(crate) fn measurement(m: &Measurement, first: bool, out: &mut impl Write) -> io::Result<()> {
    if first {
        writeln!(
            out,
            "{}",
            styled(BOLD, "workload              n      deliveries    seconds   million/s   bytes/processor  order")
        )?;
    }
    writeln!(
        out,
        "{:<12} {:>10} {:>15} {:>10.3} {:>11.1} {:>17.1}  {}",
        m.workload,
        grouped(m.n),
        grouped(m.deliveries),
        m.seconds,
        m.rate / 1e6,
        m.bytes_per_processor,
        m.order.unwrap_or("-")
    )?;
    out.flush()
}

pub(crate) fn doctor(findings: &[Finding], out: &mut impl Write) -> io::Result<()> {
    for finding in findings {
        writeln!(out, "  {} {:<14} {}", mark(Some(finding.good)), finding.what, finding.found)?;
    }
    Ok(())
}
