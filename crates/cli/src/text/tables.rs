//! Tables of many runs.

use std::io::{self, Write};

use ringleader::claim::{Relation, Verified};
use ringleader::league::sharing::{SITES, SharingEntry};
use ringleader::league::{Comparison, LeagueRow, SIZE};
use ringleader::report::{Number, grouped};

use super::{BAD, BOLD, DIM, GOOD, mark, styled, table, write_table};

pub(crate) fn league(entries: &[LeagueRow], seed: u64, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "{} among {} processors, identities in random order (seed {seed})\n",
        styled(BOLD, "Elections"),
        grouped(SIZE)
    )?;
    let mut rows = table(
        &["protocol", "network", "messages", "measured", "", "proved", "", "mean", "bits", "time", "leader"],
        &[2, 3, 5, 7, 8, 9, 10],
    );
    for entry in entries {
        let proved =
            |bound: &Option<Comparison>, text: fn(&Comparison) -> String| bound.as_ref().map_or(String::new(), text);
        rows.add_row([
            entry.protocol.to_string(),
            entry.topology.to_string(),
            grouped(entry.messages),
            proved(&entry.proved, |p| grouped(&p.counted)),
            proved(&entry.proved, |p| format!("{} {}", mark(p.holds), if p.kind == "exact" { "=" } else { "≤" })),
            proved(&entry.proved, |p| grouped(&p.shown)),
            proved(&entry.proved, |p| p.formula.to_string()),
            proved(&entry.mean, |p| grouped(&p.shown)),
            grouped(entry.bits),
            grouped(entry.time),
            entry.leader.map_or("none".to_string(), |id| id.to_string()),
        ]);
    }
    write_table(&rows, out)?;
    writeln!(out, "\n  messages: passes over a link, the announcement included; measured: what the bound counts.")?;
    writeln!(out, "  Repeat a line: ringleader run NAME -n {SIZE} --seed {seed}    More: ringleader info NAME")
}

fn shown(number: Option<Number>) -> String {
    number.map_or(String::new(), grouped)
}

/// A league table over contention and γ.
pub(crate) fn sharing(problem: &str, entries: &[SharingEntry], seed: u64, out: &mut impl Write) -> io::Result<()> {
    let shared = problem == "readers-writers";
    let who = if shared { "one writer, the others read".to_string() } else { format!("s of {SITES} sites compete") };
    writeln!(out, "{}: {who}; γ = r_min/r_max, d 20..100 (seed {seed})\n", styled(BOLD, problem))?;
    let contention = if shared { "sites" } else { "s" };
    let titles = [
        "γ",
        contention,
        "protocol",
        "messages/entry",
        "",
        "proved",
        "",
        if shared { "attempts" } else { "mean" },
        "delay",
        "p95",
        "max",
        "fairness",
        "verdict",
    ];
    let mut rows = table(&titles, &[0, 1, 3, 5, 7, 8, 9, 10, 11]);
    for entry in entries {
        let bound = entry.proved.as_ref();
        let delay = entry.granting_delay.as_ref();
        rows.add_row([
            entry.ratio.to_string(),
            entry.contention.to_string(),
            entry.protocol.to_string(),
            shown(entry.messages_per_entry),
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
    write_table(&rows, out)?;
    let last = if shared { "attempts: per read" } else { "mean: messages per entry that the paper claims in the mean" };
    writeln!(out, "\n  delay: time from asking to entering, in the mean; {last}.")?;
    writeln!(
        out,
        "  Fairness: Jain's index while all still have entries left. Tables with intervals: ringleader table --help"
    )
}

/// A claim beside what was measured.
pub(crate) fn claim(verified: &Verified, out: &mut impl Write) -> io::Result<()> {
    let Some(runs) = verified.rows.first().map(|row| row.runs) else {
        writeln!(
            out,
            "Nothing was measured: the claim says nothing about these scenarios, or no run came to its end."
        )?;
        return writeln!(out, "  Repeat: {}", verified.rerun);
    };
    writeln!(
        out,
        "{} of {}, {} runs a line, 95% intervals\n",
        styled(BOLD, &verified.claim),
        verified.protocol,
        grouped(runs)
    )?;
    let titles = ["γ", verified.axis, "quantity", "measured", "±", "", "claimed", "", "source", "violated"];
    let mut rows = table(&titles, &[0, 1, 3, 4, 6, 9]);
    for row in &verified.rows {
        let relation = match row.relation {
            _ if row.violated > 0 => format!("{} ", mark(None)),
            Relation::Below => format!("{} <", mark(Some(true))),
            Relation::Around => format!("{} ≈", mark(Some(true))),
            Relation::Above => format!("{} >", mark(Some(false))),
        };
        rows.add_row([
            row.ratio.to_string(),
            row.value.clone(),
            row.quantity.clone(),
            decimal(row.measured.mean),
            decimal(row.measured.ci95),
            relation,
            shown(Some(row.claimed)),
            row.formula.to_string(),
            row.source.to_string(),
            if row.violated > 0 { styled(BAD, row.violated) } else { styled(DIM, "0") },
        ]);
    }
    write_table(&rows, out)?;
    let sound = || verified.rows.iter().filter(|row| row.violated == 0);
    let count = |relation| sound().filter(|row| row.relation == relation).count();
    let [below, around, above] = [Relation::Below, Relation::Around, Relation::Above].map(count);
    writeln!(
        out,
        "\n  As an upper bound the claim holds in {} of {} lines ({below} clearly), as an equation in {around}; in {above} it is exceeded.\n  <, ≈, >: the interval lies below what is claimed, around it, above it. violated: runs that went wrong.",
        below + around,
        sound().count()
    )?;
    writeln!(out, "  Repeat: {}", verified.rerun)
}

/// With as many decimals as tell something.
fn decimal(number: f64) -> String {
    match number.abs() {
        small if small < 0.1 => format!("{number:.4}"),
        small if small < 10.0 => format!("{number:.2}"),
        _ => grouped(format!("{number:.1}")),
    }
}
