//! Extremes of costs: the table of a check, and the files of a schedule that reaches one.

use std::io::{self, Write};
use std::path::Path;

use ringleader::check::{
    CheckReport, CheckSetup, ExtremeReport, ExtremumReport, PortCoverage, ProvedBoundReport, Total,
};
use ringleader::report::grouped;
use ringleader::{Catalogue, program, quoted};

use super::Shown;
use crate::arguments::CheckOutput;
use crate::error::Error;
use crate::files::RunFiles;
use crate::presentation::Presentation;
use crate::text::{BAD, Column, TextTable, labelled, mark, styled};
use crate::watch::Terminal;

/// The files of the schedule that reaches an extremum.
pub(super) struct ExtremeFiles {
    name: String,
    pub(super) files: RunFiles,
}

impl ExtremeFiles {
    /// Those that were asked for.
    pub(super) fn new(output: &CheckOutput) -> Result<Option<Self>, Error> {
        let Some([name, path]) = output.save_extreme.as_deref() else { return Ok(None) };
        let files = RunFiles::new(Some(("--save-extreme", Path::new(path))), output.picture.as_deref(), output.force)?;
        Ok(Some(Self { name: name.clone(), files }))
    }

    /// Refuses a name that is none, before anything is explored.
    pub(super) fn validate(&self, check: &CheckSetup) -> Result<(), Error> {
        Ok(check.validate_extreme(&self.name)?)
    }

    /// Finds the schedule, writes it and draws it.
    pub(super) fn write(
        self,
        check: &CheckSetup,
        total: &Total<'_>,
        catalogue: &Catalogue,
        rerun: &str,
        (output, watch): (&CheckOutput, &Terminal),
        out: &mut impl Write,
    ) -> Result<(), Error> {
        let run = check.extreme_run(total, &self.name, watch);
        watch.clear();
        let shown = Shown::write(self.files, &run?, catalogue, rerun, output.theme)?;
        if !output.json && !Presentation::settled().quiet {
            for (what, file) in [("written", &shown.file), ("picture", &shown.picture)] {
                let Some(file) = file else { continue };
                let name = quoted(&file.display().to_string());
                let replay = if what == "written" { format!("  ({} replay {name})", program()) } else { String::new() };
                writeln!(out, "  {what}    {}{replay}", file.display())?;
            }
        }
        shown.trouble.map_or(Ok(()), Err)
    }
}

/// The least and the greatest values of all quantities, and who can be elected.
pub(super) fn write_extremes(report: &CheckReport, out: &mut impl Write) -> io::Result<()> {
    let mut rows: Vec<&ExtremeReport> = Vec::new();
    for row in &report.extremes {
        let known = |extremum: &ExtremumReport| extremum.known != "unknown";
        // A row that says the same as one above it.
        let same = |other: &&ExtremeReport| {
            (other.least.value, other.greatest.value) == (row.least.value, row.greatest.value)
                && other.greatest.known == row.greatest.known
        };
        let told = row.bounds.is_empty() && rows.iter().any(same) && !Presentation::settled().verbose;
        if (known(&row.least) || known(&row.greatest)) && !told {
            rows.push(row);
        }
    }
    if rows.is_empty() {
        return Ok(());
    }
    let cut_off = rows.iter().any(|row| row.greatest.known == "up-to-violation");
    let title = match (cut_off, report.most_messages.numberings) {
        (true, _) => "extremes up to a violation",
        (false, Some(PortCoverage::One)) => "extremes (this port numbering)",
        _ => "extremes",
    };
    let columns = [
        Column::new(title),
        Column::new("least").right(),
        Column::new("greatest").right(),
        Column::new("in every schedule").rank(1),
    ];
    let mut table = TextTable::new(columns);
    for row in rows {
        let bounds: Vec<_> = sharpest(&row.bounds).map(bound).collect();
        table.row([row.name.clone(), end(&row.least), end(&row.greatest), bounds.join(", ")]);
    }
    writeln!(out)?;
    table.write(out)?;
    writeln!(out)?;
    write_violated(report, out)?;
    write_leaders(report, out)
}

fn end(extremum: &ExtremumReport) -> String {
    match (extremum.value, extremum.known.as_str()) {
        (Some(value), _) if value < 0 => format!("-{}", grouped(value.unsigned_abs())),
        (Some(value), _) => grouped(value.unsigned_abs()),
        (None, "unbounded") => "unbounded".to_string(),
        (None, "no-run") => "none".to_string(),
        _ => "unknown".to_string(),
    }
}

/// The first of the bounds of each kind: the sharpest, or one that is violated.
fn sharpest(bounds: &[ProvedBoundReport]) -> impl Iterator<Item = &ProvedBoundReport> {
    ["exact", "worst", "best"].into_iter().filter_map(|kind| bounds.iter().find(|bound| bound.kind == kind))
}

/// A bound in few words.
fn bound(bound: &ProvedBoundReport) -> String {
    let sign = match bound.kind.as_str() {
        "worst" => "\u{2264}",
        "best" => "\u{2265}",
        _ => "=",
    };
    let value = grouped(bound.value);
    let formula = if bound.formula == value { value } else { format!("{} = {value}", bound.formula) };
    let per_entry = if bound.quantity == "messages_per_entry" { " per entry" } else { "" };
    format!("{} {sign} {formula}{per_entry}", mark(bound.holds))
}

/// The bounds that some schedule violates, in full.
fn write_violated(report: &CheckReport, out: &mut impl Write) -> io::Result<()> {
    for row in &report.extremes {
        for broken in row.bounds.iter().filter(|bound| bound.holds == Some(false)) {
            let (what, sign) = if broken.kind == "best" || broken.kind == "exact" && row.greatest.value <= Some(0) {
                (&row.least, "undercut")
            } else {
                (&row.greatest, "exceeded")
            };
            let sign = if broken.kind == "exact" { "not met" } else { sign };
            let ids = what.ids.as_ref().filter(|_| report.instances > 1).map_or(String::new(), |ids| {
                format!(", with identities {}", ids.iter().map(u64::to_string).collect::<Vec<_>>().join(" "))
            });
            let source = if broken.source.is_empty() { String::new() } else { format!(" ({})", broken.source) };
            let text = format!(
                "{} proved bound {sign}: {} is {} to {}{ids}; {}{source}",
                styled(BAD, "✗"),
                row.name,
                end(&row.least),
                end(&row.greatest),
                bound(broken).trim_start_matches(&mark(Some(false))).trim_start(),
            );
            labelled("bound", &text, out)?;
        }
    }
    Ok(())
}

/// No more possible leaders than this are listed.
const FEW: usize = 8;

/// Who can be elected.
fn write_leaders(report: &CheckReport, out: &mut impl Write) -> io::Result<()> {
    let Some(outcomes) = report.leaders.as_ref().filter(|outcomes| !outcomes.is_empty()) else { return Ok(()) };
    let named = report.extremes.iter().any(|row| row.greatest.ids.is_some());
    let (one, many) = if named { ("identity", "identities") } else { ("place", "places") };
    let list = |leaders: &[u64], and: &str| {
        let numbers: Vec<_> = leaders.iter().map(u64::to_string).collect();
        numbers.join(and)
    };
    let single: Vec<u64> = outcomes.iter().filter(|leaders| leaders.len() == 1).flatten().copied().collect();
    let mut parts = Vec::new();
    match single.as_slice() {
        [] => {}
        [leader] => parts.push(format!("{one} {leader}")),
        leaders if leaders.len() <= FEW => parts.push(format!("one of the {many} {}", list(leaders, ", "))),
        leaders => parts.push(format!("one of {} {many}", grouped(leaders.len()))),
    }
    let several: Vec<_> = outcomes.iter().filter(|leaders| leaders.len() > 1).collect();
    match several.len() {
        0 => {}
        count if count <= FEW => {
            parts.extend(several.iter().map(|leaders| format!("{many} {}", list(leaders, " and "))));
        }
        count => parts.push(format!("{} sets of several", grouped(count))),
    }
    parts.extend(outcomes.iter().any(Vec::is_empty).then(|| "nobody".to_string()));
    let every = if outcomes.len() == 1 { ", in every complete schedule" } else { "" };
    labelled("elected", &format!("{}{every}", parts.join(", or ")), out)
}
