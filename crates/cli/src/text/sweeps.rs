//! Tables of sweeps and comparisons.

use std::io::{self, Write};
use std::path::Path;

use ringleader::report::grouped;
use ringleader::statistics::{ConfidenceInterval, Distribution, Relation};
use ringleader::sweep::{SweepBound, SweepReport, SweepRow};

use super::grid::{Column, TextTable};
use super::tables::decimal;
use super::{BAD, BOLD, GOOD, counted, fitted, labelled, mark, styled};
use crate::presentation::Presentation;
use crate::sweep::{ComparisonReport, TestedFile};

/// Quantities that are shown unless others are asked for, besides those that something is proved about.
const USUAL: [&str; 10] = [
    "messages",
    "bits",
    "time",
    "phases",
    "messages_per_entry",
    "negatives_per_entry",
    "granting_delay.mean",
    "attempts_per_read",
    "fairness",
    "laps",
];

/// The number of columns for what varies; further ones share the last.
const AXES: usize = 3;

pub(crate) fn sweep(report: &SweepReport, directory: Option<&Path>, out: &mut impl Write) -> io::Result<()> {
    let quiet = Presentation::settled().quiet;
    let spec = &report.spec;
    if !quiet {
        let each = if spec.runs == 1 { "1 run".to_string() } else { format!("{} runs", grouped(spec.runs)) };
        let level = spec.level * 100.0;
        let title = format!(
            "{}: {each} of each line, {level}% confidence intervals (seed {})",
            styled(BOLD, spec.protocols.join(", ")),
            spec.seed
        );
        fitted(&title, "", "    ", out)?;
        for (name, value) in &spec.options {
            labelled(name, value, out)?;
        }
        writeln!(out)?;
    }
    let [first, second, third] = axes(report);
    let columns = [
        Column::new("protocol"),
        Column::new(&first).right(),
        Column::new(&second).right(),
        Column::new(&third).right(),
        Column::new("quantity"),
        Column::new("mean").right(),
        Column::new("±").right(),
        Column::new("median").right().rank(4),
        Column::new("p95").right().rank(5),
        Column::new("min").right().rank(6),
        Column::new("max").right().rank(3),
        Column::new("").rank(1),
        Column::new("bound").right().rank(1),
        Column::new("ratio").right().rank(1),
        Column::new("formula").rank(2),
        Column::new("source").rank(7),
    ];
    let mut rows = TextTable::new(columns);
    for row in &report.rows {
        add_cell(&mut rows, report, row);
    }
    rows.write(out)?;
    if quiet {
        return Ok(());
    }
    writeln!(out)?;
    fitted(&verdicts(report), "  ", "  ", out)?;
    let legend = "±: half the width of the confidence interval of the mean. ratio: measured to bound, on average. ✓: the bound \
                  holds in every run; of a mean: <, ≈, >, where the interval lies.";
    fitted(legend, "  ", "  ", out)?;
    if let Some(directory) = directory {
        writeln!(out, "  Data: {}", directory.display())?;
    }
    writeln!(out, "  Repeat: {}", report.provenance.command)
}

/// The names of what varies, for the columns.
fn axes(report: &SweepReport) -> [String; AXES] {
    spread(report.spec.vary.iter().map(|axis| axis.name.as_str()))
}

fn spread<'a>(texts: impl Iterator<Item = &'a str>) -> [String; AXES] {
    let mut columns: [String; AXES] = Default::default();
    for (index, text) in texts.enumerate() {
        let column = &mut columns[index.min(AXES - 1)];
        if !column.is_empty() {
            column.push_str(", ");
        }
        column.push_str(text);
    }
    columns
}

/// Whether a quantity is shown.
fn is_shown(report: &SweepReport, row: &SweepRow, name: &str) -> bool {
    Presentation::settled().verbose
        || !report.spec.quantities.is_empty()
        || USUAL.contains(&name)
        || row.bounds.iter().any(|bound| bound.quantity == name)
}

fn add_cell(rows: &mut TextTable<'_, 16>, report: &SweepReport, row: &SweepRow) {
    let values = report.spec.vary.iter().map(|axis| row.parameters.get(&axis.name).map_or("", String::as_str));
    let several = report.spec.protocols.len() > 1;
    for (name, found) in row.quantities.iter().filter(|(name, _)| is_shown(report, row, name)) {
        let [first, second, third] = spread(values.clone());
        let protocol = if several { row.protocol.clone() } else { String::new() };
        let mut bounds = row.bounds.iter().filter(|bound| bound.quantity == *name);
        let [sign, bound, ratio, formula, source] = bounds.next().map_or_else(Default::default, against);
        let half = found.ci.map_or(String::new(), |ci| decimal((ci.high - ci.low) / 2.0));
        let Distribution { mean, median, p95, min, max, .. } = *found;
        let [mean, median, p95, min, max] = [mean, median, p95, min, max].map(number);
        rows.row([
            protocol,
            first,
            second,
            third,
            name.clone(),
            mean,
            half,
            median,
            p95,
            min,
            max,
            sign,
            bound,
            ratio,
            formula,
            source,
        ]);
        for more in bounds {
            let mut cells: [String; 16] = Default::default();
            for (cell, text) in cells[11..].iter_mut().zip(against(more)) {
                *cell = text;
            }
            rows.row(cells);
        }
    }
}

/// Sign, value, ratio, formula and source of a bound.
fn against(bound: &SweepBound) -> [String; 5] {
    let sign = match (bound.kind.as_str(), bound.exceeded, bound.relation) {
        ("exact", exceeded, _) => format!("{} =", mark(exceeded.map(|runs| runs == 0))),
        ("best", exceeded, _) => format!("{} ≥", mark(exceeded.map(|runs| runs == 0))),
        (_, Some(exceeded), _) => format!("{} ≤", mark(Some(exceeded == 0))),
        (_, None, Some(Relation::Below)) => "mean <".to_string(),
        (_, None, Some(Relation::Around)) => "mean ≈".to_string(),
        (_, None, Some(Relation::Above)) => "mean >".to_string(),
        (_, None, None) => "mean".to_string(),
    };
    let ratio = bound.ratio.map_or(String::new(), |ratio| format!("{ratio:.3}"));
    [sign, number(bound.value), ratio, bound.formula.clone(), bound.source.clone()]
}

/// An integer as such.
fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 { grouped(value) } else { decimal(value) }
}

/// How many runs held, in words.
fn verdicts(report: &SweepReport) -> String {
    let sum = |of: fn(&SweepRow) -> u64| report.rows.iter().map(of).sum::<u64>();
    let total = report.rows.iter().map(|row| row.runs).sum::<u64>();
    let mut text = match (sum(|row| row.violated), sum(|row| row.unknown)) {
        (0, 0) => format!("{} in {}", styled(GOOD, "held"), counted(total, "run")),
        (0, unknown) => {
            format!("held in {} of {}; the others have no answer", grouped(total - unknown), counted(total, "run"))
        }
        (violated, _) => format!("{} in {} of {}", styled(BAD, "violated"), grouped(violated), counted(total, "run")),
    };
    match sum(|row| row.exceeded) {
        0 => {}
        exceeded => text.push_str(&format!("; {} contradict a bound", grouped(exceeded))),
    }
    if !report.complete {
        text.push_str(&format!(
            "; stopped, {} of {} runs are done",
            grouped(report.runs_done),
            grouped(runs_of(report))
        ));
    }
    text
}

fn runs_of(report: &SweepReport) -> u64 {
    report.cells.len() as u64 * report.spec.runs
}

/// A comparison: by quantity, everything relative to the first.
pub(crate) fn comparison(report: &ComparisonReport, all: bool, out: &mut impl Write) -> io::Result<()> {
    let quiet = Presentation::settled().quiet;
    let compared = &report.compared.compared;
    if !quiet {
        let names: Vec<_> = compared.iter().map(|one| format!("{} ({})", one.name, counted(one.runs, "run"))).collect();
        let level = report.level * 100.0;
        fitted(&format!("{}; {level}% confidence intervals", styled(BOLD, names.join(", "))), "", "    ", out)?;
        writeln!(out)?;
    }
    let columns = [
        Column::new("quantity"),
        Column::new("protocol or run"),
        Column::new("mean").right(),
        Column::new("±").right(),
        Column::new("min").right().rank(2),
        Column::new("max").right().rank(2),
        Column::new("relative").right(),
        Column::new("±").right(),
        Column::new("").rank(1),
    ];
    let mut rows = TextTable::new(columns);
    for quantity in &report.compared.quantities {
        let usual = all || Presentation::settled().verbose || USUAL.contains(&quantity.quantity.as_str());
        if !usual {
            continue;
        }
        let mut title = quantity.quantity.as_str();
        for (one, value) in compared.iter().zip(&quantity.values) {
            let Some(value) = value else { continue };
            let found = &value.distribution;
            let half =
                |ci: Option<ConfidenceInterval>| ci.map_or(String::new(), |ci| decimal((ci.high - ci.low) / 2.0));
            let word = match (value.relative, value.relative_ci) {
                (_, Some(ci)) if ci.low > 1.0 => "more",
                (_, Some(ci)) if ci.high < 1.0 => "less",
                (_, Some(_)) => "no difference seen",
                _ => "",
            };
            rows.row([
                title.to_string(),
                one.name.clone(),
                number(found.mean),
                half(found.ci),
                number(found.min),
                number(found.max),
                value.relative.map_or(String::new(), |ratio| format!("{ratio:.3}")),
                half(value.relative_ci),
                word.to_string(),
            ]);
            title = "";
        }
    }
    rows.write(out)?;
    if quiet {
        return Ok(());
    }
    writeln!(out)?;
    for one in compared.iter().filter(|one| one.held < one.runs) {
        let failed = grouped(one.runs - one.held);
        writeln!(out, "  {}: not held in {failed} of {}", styled(BAD, &one.name), counted(one.runs, "run"))?;
    }
    let legend =
        "relative: the mean divided by that of the first. more, less: the interval of that ratio does not contain 1.";
    fitted(legend, "  ", "  ", out)?;
    writeln!(out, "  Repeat: {}", report.rerun)
}

/// A scenario file that is a test: what was expected and what was measured.
pub(crate) fn tested(file: &TestedFile, out: &mut impl Write) -> io::Result<()> {
    let word = if file.passed { styled(GOOD, "passed") } else { styled(BAD, "failed") };
    let expectations = counted(file.expectations.len(), "expectation");
    writeln!(out, "{word}  {} ({expectations}, {})", file.file, counted(file.runs, "run"))?;
    let verbose = Presentation::settled().verbose;
    let columns = [
        Column::new(""),
        Column::new("cell"),
        Column::new("quantity"),
        Column::new("expected"),
        Column::new("measured"),
    ];
    let mut rows = TextTable::new(columns);
    for judged in file.expectations.iter().filter(|judged| verbose || !judged.holds) {
        rows.row([
            mark(Some(judged.holds)),
            judged.cell.clone(),
            judged.name.clone(),
            judged.expected.clone(),
            judged.measured.clone().unwrap_or_else(|| "nothing".to_string()),
        ]);
    }
    if file.passed && !verbose {
        return Ok(());
    }
    rows.write(out)?;
    writeln!(out, "  Show it: {}", file.rerun)
}
