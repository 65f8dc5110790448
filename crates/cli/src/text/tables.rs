//! Tables of many runs.

use std::io::{self, Write};

use ringleader::claim::Verified;
use ringleader::league::sharing::SharingRow;
use ringleader::league::{Comparison, LeagueRow};
use ringleader::program;
use ringleader::report::{Number, grouped};
use ringleader::statistics::Relation;

use super::grid::{Column, TextTable};
use super::{BAD, BOLD, DIM, GOOD, fitted, mark, styled};
use crate::presentation::Presentation;

/// The league table with all its columns and full names.
const FULL_WIDTH: usize = 170;

pub(crate) fn league(entries: &[LeagueRow], n: u64, seed: u64, out: &mut impl Write) -> io::Result<()> {
    let presentation = Presentation::settled();
    let (quiet, narrow) = (presentation.quiet, presentation.table_width().is_some_and(|width| width < FULL_WIDTH));
    if !quiet {
        let title = styled(BOLD, "Elections");
        writeln!(out, "{title} among {} processors, identities in random order (seed {seed})\n", grouped(n))?;
    }
    let columns = [
        Column::new("protocol"),
        Column::new("network").rank(1),
        Column::new("messages").right(),
        Column::new("counted").right(),
        Column::new(""),
        Column::new("bound").right(),
        Column::new("formula").rank(6),
        Column::new("mean").right().rank(4),
        Column::new("bits").right().rank(3),
        Column::new("time").right().rank(2),
        Column::new("leader").right().rank(5),
    ];
    let mut rows = TextTable::new(columns);
    for entry in entries {
        let proved =
            |bound: &Option<Comparison>, text: fn(&Comparison) -> String| bound.as_ref().map_or(String::new(), text);
        rows.row([
            entry.protocol.to_string(),
            if narrow {
                entry.topology.replace("bidirectional-ring", "2-way ring")
            } else {
                entry.topology.to_string()
            },
            grouped(entry.messages),
            proved(&entry.proved, |p| grouped(&p.counted)),
            proved(&entry.proved, |p| format!("{} {}", mark(p.holds), if p.kind == "exact" { "=" } else { "≤" })),
            entry.proved.as_ref().map_or(String::new(), |p| {
                // A figure that does not count all messages must not look exceeded.
                format!(
                    "{}{}",
                    grouped(&p.shown),
                    if p.measured == Number::Integer(entry.messages) { " " } else { "°" }
                )
            }),
            proved(&entry.proved, |p| p.formula.to_string()),
            proved(&entry.mean, |p| grouped(&p.shown)),
            grouped(entry.bits),
            grouped(entry.time),
            match (entry.leader, entry.leader_place) {
                (Some(id), _) => id.to_string(),
                (None, Some(place)) => format!("place {place}"),
                (None, None) => "none".to_string(),
            },
        ]);
    }
    rows.write(out)?;
    if quiet {
        return Ok(());
    }
    let mean = if rows.shows("mean") { " mean: the proved mean." } else { "" };
    let legend = "messages: passes over a link. bound: the sharpest proved bound on messages, ° on those before the \
                  announcement (counted). ✓: it holds.";
    writeln!(out)?;
    fitted(&format!("{legend}{mean}"), "  ", "  ", out)?;
    fitted(&format!("Repeat a line: {} run NAME -n {n} --seed {seed}", program()), "  ", "  ", out)?;
    fitted(&format!("More: {} info NAME", program()), "  ", "  ", out)
}

fn shown(number: Option<Number>) -> String {
    number.map_or(String::new(), grouped)
}

/// A league table over contention and γ.
pub(crate) fn sharing(
    problem: &str,
    entries: &[SharingRow],
    (sites, seed): (u64, u64),
    out: &mut impl Write,
) -> io::Result<()> {
    let quiet = Presentation::settled().quiet;
    let shared = problem == "readers-writers";
    let who = if shared { "one writer, the others read".to_string() } else { format!("s of {sites} sites compete") };
    if !quiet {
        writeln!(out, "{}: {who}; γ = r_min/r_max, d 20..100 (seed {seed})\n", styled(BOLD, problem))?;
    }
    let columns = [
        Column::new("γ").right(),
        Column::new(if shared { "sites" } else { "s" }).right(),
        Column::new("protocol"),
        Column::new("messages/entry").right(),
        Column::new("whole run").right().rank(5),
        Column::new(""),
        Column::new("bound").right(),
        Column::new("formula").rank(7),
        Column::new(if shared { "attempts" } else { "mean" }).right().rank(4),
        Column::new("delay").right().rank(2),
        Column::new("p95").right().rank(6),
        Column::new("max").right().rank(5),
        Column::new("fairness").right().rank(3),
        Column::new("verdict").rank(1),
    ];
    let mut rows = TextTable::new(columns);
    for entry in entries {
        let bound = entry.proved.as_ref();
        let delay = entry.granting_delay.as_ref();
        rows.row([
            entry.ratio.to_string(),
            entry.contention.to_string(),
            // Its protocol stands in the line above.
            if entry.settings.is_empty() {
                entry.protocol.to_string()
            } else {
                format!("  with {}", entry.settings.join(" "))
            },
            shown(entry.messages_per_entry),
            shown(entry.messages_per_entry_whole_run),
            bound.map_or(String::new(), |p| format!("{} {}", mark(p.holds), if p.kind == "exact" { "=" } else { "≤" })),
            bound.map_or(String::new(), |p| grouped(&p.shown)),
            bound.map_or(String::new(), |p| p.formula.to_string()),
            if shared {
                shown(entry.attempts_per_read)
            } else {
                entry.mean.as_ref().map_or(String::new(), |p| grouped(&p.shown))
            },
            shown(delay.map(|delay| delay.mean)),
            delay.map_or(String::new(), |delay| grouped(delay.p95)),
            delay.map_or(String::new(), |delay| grouped(delay.max)),
            shown(entry.fairness),
            styled(if entry.verdict == "held" { GOOD } else { BAD }, &entry.verdict),
        ]);
    }
    rows.write(out)?;
    if quiet {
        return Ok(());
    }
    let last = if shared {
        "attempts: per read, on average"
    } else {
        "mean: the mean of messages per entry that the paper claims"
    };
    writeln!(out)?;
    fitted(
        &format!("delay: granting delay, from request to entry, on average, p95 and max; {last}."),
        "  ",
        "  ",
        out,
    )?;
    fitted(
        "Figures are of the time in which all s sites have entries left; bound: on the messages per entry of the whole run. \
         fairness: Jain's index. Intervals: ringleader reproduce --table S16",
        "  ",
        "  ",
        out,
    )
}

/// A claim beside what was measured.
pub(crate) fn claim(verified: &Verified, out: &mut impl Write) -> io::Result<()> {
    let Some(runs) = verified.rows.first().map(|row| row.runs) else {
        writeln!(out, "Nothing was measured: the claim does not apply to these scenarios, or no run terminated.")?;
        return writeln!(out, "  Repeat: {}", verified.rerun);
    };
    writeln!(
        out,
        "{} of {}, {} runs per line, 95% confidence intervals\n",
        styled(BOLD, &verified.claim),
        verified.protocol,
        grouped(runs)
    )?;
    let columns = [
        Column::new("γ").right(),
        Column::new(verified.axis).right(),
        Column::new("quantity"),
        Column::new("measured").right(),
        Column::new("±").right(),
        Column::new(""),
        Column::new("claimed").right(),
        Column::new("formula").rank(2),
        Column::new("source").rank(3),
        Column::new("violated").right().rank(1),
    ];
    let mut rows = TextTable::new(columns);
    for row in &verified.rows {
        let relation = match row.relation {
            _ if !row.decided => format!("{} ", mark(None)),
            Relation::Below => format!("{} <", mark(Some(true))),
            Relation::Around => format!("{} ≈", mark(Some(true))),
            Relation::Above => format!("{} >", mark(Some(false))),
        };
        rows.row([
            row.ratio.to_string(),
            row.value.clone(),
            row.quantity.clone(),
            decimal(row.measured.mean),
            decimal(row.measured.ci95),
            relation,
            claimed(row.claimed),
            row.formula.to_string(),
            row.source.to_string(),
            if row.violated > 0 { styled(BAD, row.violated) } else { styled(DIM, "0") },
        ]);
    }
    rows.write(out)?;
    let sound = || verified.rows.iter().filter(|row| row.decided);
    let count = |relation| sound().filter(|row| row.relation == relation).count();
    let [below, around, above] = [Relation::Below, Relation::Around, Relation::Above].map(count);
    let verdict = format!(
        "As an upper bound the claim holds in {} of {} lines ({below} clearly), as an equation in {around}; in {above} it is exceeded.",
        below + around,
        sound().count()
    );
    writeln!(out)?;
    fitted(&verdict, "  ", "  ", out)?;
    if !Presentation::settled().quiet {
        let legend = "<, ≈, >: the interval lies below the claimed value, contains it, or lies above it. violated: runs in which \
                      a property was violated.";
        fitted(legend, "  ", "  ", out)?;
    }
    writeln!(out, "  Repeat: {}", verified.rerun)
}

fn claimed(number: Number) -> String {
    match number {
        Number::Integer(integer) => grouped(integer),
        Number::Fraction(fraction) => decimal(fraction),
    }
}

/// With as many decimals as tell something.
pub(super) fn decimal(number: f64) -> String {
    match number.abs() {
        0.0 => "0".to_string(),
        small if small < 0.1 => format!("{number:.4}"),
        small if small < 10.0 => format!("{number:.2}"),
        _ => grouped(format!("{number:.1}")),
    }
}
