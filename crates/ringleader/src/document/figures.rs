//! The figures of a sweep.

use std::collections::BTreeMap;

use ringleader_model::BoundKind;

use super::SweepData;
use crate::plot::fit::Growth;
use crate::plot::{
    BoundCurve, BoxPlot, BoxSummary, Chart, ChartAxis, ChartBody, DataPoint, DataSeries, HeatMap, HistogramChart,
    LineChart, Origin, Spacing, VerticalMark, percent,
};
use crate::statistics::Distribution;
use crate::sweep::{SweepAxis, SweepReport, SweepRow};

/// The most series of one chart: more cannot be told apart.
const MOST_SERIES: usize = 16;
/// The most boxes of one chart.
const MOST_BOXES: usize = 48;
/// The most sentences about growth below a chart.
const MOST_FITS: usize = 6;

/// What varies, and how a chart shows it.
struct Layout<'a> {
    /// The axis that goes across, if one has numbers.
    across: Option<&'a SweepAxis>,
    /// The others that have several values.
    others: Vec<&'a SweepAxis>,
}

impl<'a> Layout<'a> {
    fn new(report: &'a SweepReport) -> Self {
        let several: Vec<_> = report.spec.vary.iter().filter(|axis| axis.values.len() > 1).collect();
        let numeric = |axis: &&&SweepAxis| axis.values.iter().all(|value| value.parse::<f64>().is_ok());
        let sizes = several.iter().find(|axis| axis.name == "n");
        let across = sizes.or_else(|| several.iter().find(numeric)).copied();
        let others = several.into_iter().filter(|axis| across.is_none_or(|across| across.name != axis.name)).collect();
        Self { across, others }
    }

    /// The name of the series of a row: all that differs between series.
    fn series(&self, report: &SweepReport, row: &SweepRow) -> String {
        named(&self.others, report.spec.protocols.len() > 1 || self.others.is_empty(), row)
    }
}

/// The values of these axes in a row, after the protocol where that differs.
fn named(axes: &[&SweepAxis], protocol: bool, row: &SweepRow) -> String {
    let values = axes.iter().map(|axis| {
        let value = row.parameters.get(&axis.name).map_or("", String::as_str);
        let short = gamma_of(&axis.name, value);
        let alike = axis.values.iter().filter(|other| gamma_of(&axis.name, other) == short).count();
        let text = short.filter(|_| alike == 1).unwrap_or_else(|| value_text(&axis.name, value));
        // No line ends between a name and its value.
        format!("{}\u{a0}=\u{a0}{text}", axis_name(&axis.name))
    });
    protocol.then(|| row.protocol.clone()).into_iter().chain(values).collect::<Vec<_>>().join(", ")
}

/// An option as a chart names it: as the papers do, where they have a name for it.
pub(super) fn axis_name(option: &str) -> String {
    match option {
        "n" => "N".to_string(),
        "compete" => "s".to_string(),
        "r" => "γ".to_string(),
        _ => option.trim_start_matches("set.").to_string(),
    }
}

/// The value of an option; for the lengths of steps, γ beside it.
pub(super) fn value_text(option: &str, value: &str) -> String {
    gamma_of(option, value).map_or_else(|| value.to_string(), |gamma| format!("{gamma} (r {value})"))
}

/// γ = r_min/r_max, of lengths of steps.
fn gamma_of(option: &str, value: &str) -> Option<String> {
    let (min, max) = value.split_once("..").unwrap_or((value, value));
    match (option, min.parse::<u64>(), max.parse::<u64>()) {
        ("r", Ok(min), Ok(max)) if min > 0 && max > 0 => {
            let (mut a, mut b) = (min, max);
            while b > 0 {
                (a, b) = (b, a % b);
            }
            Some(if min == max { "1".to_string() } else { format!("{}/{}", min / a, max / a) })
        }
        _ => None,
    }
}

/// A quantity in words: `messages.by_kind.probe` is messages (by kind, probe).
pub fn quantity_words(name: &str) -> String {
    let name = name.replace('_', " ");
    match name.split_once('.') {
        Some((whole, part)) => format!("{whole} ({})", part.replace('.', ", ")),
        None => name,
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// The quantities that are worth a figure: those asked for, or those with bounds and the usual ones, the main one first.
pub fn quantities(report: &SweepReport) -> Vec<String> {
    const MOST: usize = 6;
    let measured = |name: &str| report.rows.iter().any(|row| !entries(row, name).is_empty());
    let bounded = |name: &str| report.rows.iter().filter(|row| row.bounds.iter().any(|b| b.quantity == name)).count();
    let columns: Vec<&str> =
        (report.columns.iter().map(|column| column.name.as_str())).filter(|c| measured(c)).collect();
    let mut found: Vec<&str> = Vec::new();
    if report.spec.quantities.is_empty() {
        // Of all messages, election messages and so on, those that most is proved about.
        let per_entry = ["messages_per_entry"].into_iter().filter(|name| measured(name));
        let messages = columns.iter().copied().filter(|name| is_total(name));
        found.extend(per_entry.chain(messages.max_by_key(|name| (bounded(name), name.len() < "messages.".len()))));
        found.extend(
            ["whole_run.messages_per_entry", "messages", "granting_delay.mean", "bits", "time", "phases"]
                .into_iter()
                .filter(|name| measured(name)),
        );
    } else {
        found.extend(columns);
    }
    let mut distinct: Vec<String> = Vec::new();
    for name in found {
        if distinct.len() < MOST && !distinct.iter().any(|known| known == name) {
            distinct.push(name.to_string());
        }
    }
    distinct
}

/// The distributions of a quantity in a row: of a list one for each place, from 1.
pub(super) fn entries<'a>(row: &'a SweepRow, quantity: &str) -> Vec<(Option<u32>, &'a Distribution)> {
    if let Some(found) = row.quantity(quantity) {
        return vec![(None, found)];
    }
    let place = |name: &str| name.strip_prefix(quantity)?.strip_prefix('.')?.parse().ok();
    row.quantities.iter().filter_map(|(name, found)| Some((Some(place(name)?), found))).collect()
}

/// What the places of a list are.
pub(super) fn place_name(quantity: &str) -> &'static str {
    if quantity.ends_with("identity") { "rank of the identity" } else { "phase" }
}

/// All messages, or those that do the work: neither of one kind nor the announcement.
fn is_total(name: &str) -> bool {
    name.starts_with("messages") && !name.contains("by_kind") && !name.ends_with("announcement")
}

/// The figure that shows most of a sweep: lines over what has numbers, a heat map over two other things, else boxes.
pub fn main_chart(report: &SweepReport) -> Option<Chart> {
    let quantity = quantities(report).into_iter().next()?;
    list_chart(report, &quantity)
        .or_else(|| line_chart(report, &quantity))
        .or_else(|| heat_maps(report, &quantity).into_iter().next().map(|(_, chart)| chart))
        .or_else(|| interval_chart(report, &quantity))
}

/// Every figure of a report, with a name for its file.
pub(super) fn all(data: &SweepData) -> Vec<(String, Chart)> {
    let report = &data.report;
    let quantities = quantities(report);
    let mut figures = Vec::new();
    for quantity in &quantities {
        let chart = list_chart(report, quantity).or_else(|| line_chart(report, quantity));
        figures.extend(chart.map(|chart| (file_name(quantity), chart)));
    }
    if let Some(main) = quantities.first() {
        figures.extend(heat_maps(report, main));
        let boxes = box_chart(data, main).or_else(|| interval_chart(report, main));
        figures.extend(boxes.map(|chart| (format!("{}-boxes", file_name(main)), chart)));
        figures.extend(histograms(data, main));
    }
    figures
}

fn file_name(quantity: &str) -> String {
    quantity.replace(['.', '_', ' '], "-")
}

fn chart(report: &SweepReport, quantity: &str, shows: &str, body: ChartBody) -> Chart {
    let protocols = match report.spec.protocols.as_slice() {
        [all @ .., last] if !all.is_empty() && all.len() < 4 => format!("{} and {last}", all.join(", ")),
        [one] => one.clone(),
        many => format!("{} protocols", many.len()),
    };
    let fixed =
        report.spec.options.iter().map(|(name, value)| format!("{} = {}", axis_name(name), value_text(name, value)));
    let subtitle = std::iter::once(shows.to_string()).chain(fixed).collect::<Vec<_>>().join("; ");
    let mut notes = Vec::new();
    if !report.complete {
        notes.push(format!("Incomplete: {} runs are done.", report.runs_done));
    }
    Chart {
        title: capitalised(&format!("{} of {protocols}", quantity_words(quantity))),
        subtitle,
        notes,
        origin: origin(report),
        body,
    }
}

/// The command and the version that made a sweep.
pub(super) fn origin(report: &SweepReport) -> Origin {
    let made = &report.provenance;
    let commit = made.commit.as_ref().map_or(String::new(), |commit| format!(", commit {commit}"));
    Origin {
        command: made.command.clone(),
        version: format!("{} {}{commit}", capitalised(&made.program), made.version),
    }
}

fn means_of(report: &SweepReport) -> String {
    format!("mean of {} runs, {} % confidence intervals", report.spec.runs, percent(report.spec.level))
}

/// The mean of a quantity over the axis that has numbers, with its bounds.
pub fn line_chart(report: &SweepReport, quantity: &str) -> Option<Chart> {
    let layout = Layout::new(report);
    let across = layout.across?;
    let mut series: Vec<DataSeries> = Vec::new();
    let mut curves: Vec<BoundCurve> = Vec::new();
    for row in &report.rows {
        let Some(x) = row.parameters.get(&across.name).and_then(|value| value.parse().ok()) else { continue };
        let Some(measured) = row.quantity(quantity) else { continue };
        let name = layout.series(report, row);
        let number = series.iter().position(|one| one.name == name).unwrap_or_else(|| {
            series.push(DataSeries { name, points: Vec::new() });
            series.len() - 1
        });
        let interval = measured.ci.map(|ci| (ci.low, ci.high));
        series[number].points.push(DataPoint { x, y: measured.mean, interval });
        for bound in row.bounds.iter().filter(|bound| bound.quantity == quantity) {
            let kind = kind(&bound.kind);
            let name = format!("{}, {} ({})", bound.formula, bound.kind, bound.source);
            let known = curves.iter().position(|curve| curve.series == number && curve.name == name);
            let index = known.unwrap_or_else(|| {
                curves.push(BoundCurve { series: number, name, kind, points: Vec::new() });
                curves.len() - 1
            });
            curves[index].points.push((x, bound.value));
        }
    }
    let shortened = series.len() > MOST_SERIES;
    series.truncate(MOST_SERIES);
    for one in &mut series {
        one.points.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
    for curve in &mut curves {
        curve.points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    let curves = distinct(curves, series.len());
    let notes = growth(report, across, &series);
    let xs = || series.iter().flat_map(|one| &one.points).map(|point| point.x);
    let ys = series.iter().flat_map(|one| &one.points).map(|point| point.y);
    let spacing = LineChart::usual_spacing(xs());
    let ys = ys.chain(curves.iter().flat_map(|curve| &curve.points).map(|&(_, y)| y).filter(|&y| y > 0.0));
    let y = ChartAxis::new(&axis_label(report, quantity), LineChart::usual_spacing(ys));
    let x = ChartAxis::new(&axis_name(&across.name), spacing);
    let first = series.first()?;
    if first.points.is_empty() {
        return None;
    }
    let mut chart = chart(report, quantity, &means_of(report), ChartBody::Lines(LineChart { x, y, series, curves }));
    chart.notes.extend(notes);
    if shortened {
        chart.notes.push(format!("The first {MOST_SERIES} series are shown."));
    }
    Some(chart)
}

/// The means of a list, place by place: a series for each cell.
fn list_chart(report: &SweepReport, quantity: &str) -> Option<Chart> {
    let axes: Vec<_> = report.spec.vary.iter().filter(|axis| axis.values.len() > 1).collect();
    let several = report.spec.protocols.len() > 1 || axes.is_empty();
    let mut series = Vec::new();
    for row in &report.rows {
        let point = |(place, found): (Option<u32>, &Distribution)| {
            let interval = found.ci.map(|ci| (ci.low, ci.high));
            Some(DataPoint { x: f64::from(place?), y: found.mean, interval })
        };
        let points: Vec<_> = entries(row, quantity).into_iter().filter_map(point).collect();
        if !points.is_empty() {
            series.push(DataSeries { name: named(&axes, several, row), points });
        }
    }
    if series.is_empty() {
        return None;
    }
    let shown = series.len().saturating_sub(MOST_SERIES);
    // The largest are the last.
    series.drain(..shown);
    let means = series.iter().flat_map(|one| &one.points).map(|point| point.y);
    let y = ChartAxis::new(&axis_label(report, quantity), LineChart::usual_spacing(means));
    let x = ChartAxis::new(place_name(quantity), Spacing::Linear);
    let body = ChartBody::Lines(LineChart { x, y, series, curves: Vec::new() });
    let mut chart = chart(report, quantity, &means_of(report), body);
    if shown > 0 {
        chart.notes.push(format!("The last {MOST_SERIES} cells are shown."));
    }
    Some(chart)
}

/// A quantity in words, as its column has it.
fn axis_label(report: &SweepReport, quantity: &str) -> String {
    let column = report.columns.iter().find(|column| column.name == quantity);
    column.and_then(|column| column.description.clone()).unwrap_or_else(|| quantity_words(quantity))
}

/// The same curve is drawn once, in the colour of the first series that it bounds.
fn distinct(curves: Vec<BoundCurve>, series: usize) -> Vec<BoundCurve> {
    let mut kept: Vec<BoundCurve> = Vec::new();
    for curve in curves.into_iter().filter(|curve| curve.series < series) {
        if !kept.iter().any(|known| known.name == curve.name && known.points == curve.points) {
            kept.push(curve);
        }
    }
    kept
}

fn kind(name: &str) -> BoundKind {
    [BoundKind::Worst, BoundKind::Mean, BoundKind::Exact, BoundKind::Best]
        .into_iter()
        .find(|kind| kind.name() == name)
        .unwrap_or(BoundKind::Worst)
}

/// A sentence about the growth of each series with N.
fn growth(report: &SweepReport, across: &SweepAxis, series: &[DataSeries]) -> Vec<String> {
    if across.name != "n" || series.len() > MOST_FITS {
        return Vec::new();
    }
    let fitted = series.iter().filter_map(|one| {
        let points: Vec<_> = one.points.iter().map(|point| (point.x, point.y)).collect();
        let growth = Growth::fit(&points, report.spec.level)?;
        Some(format!("{}: {}.", one.name, growth.sentence()))
    });
    fitted.collect()
}

/// A heat map for each protocol, over the first two things that vary: γ from the top down, if it is one of them.
fn heat_maps(report: &SweepReport, quantity: &str) -> Vec<(String, Chart)> {
    const MOST: usize = 4;
    let mut axes: Vec<&SweepAxis> = report.spec.vary.iter().filter(|axis| axis.values.len() > 1).take(2).collect();
    axes.sort_by_key(|axis| axis.name != "r");
    let [down, across] = axes.as_slice() else { return Vec::new() };
    let of = |protocol: &String| {
        let cell = |row: &String, column: &String| {
            let is =
                |found: &&SweepRow, axis: &SweepAxis, value: &String| found.parameters.get(&axis.name) == Some(value);
            let rows = report.rows.iter().filter(|row| row.protocol == *protocol);
            let mut cells = rows.filter(|found| is(found, down, row) && is(found, across, column));
            cells.next().and_then(|found| found.quantity(quantity)).map(|measured| measured.mean)
        };
        let texts = |axis: &SweepAxis| axis.values.iter().map(|value| value_text(&axis.name, value)).collect();
        let map = HeatMap {
            label: quantity_words(quantity),
            across: axis_name(&across.name),
            columns: texts(across),
            down: axis_name(&down.name),
            rows: texts(down),
            values: down.values.iter().map(|row| across.values.iter().map(|c| cell(row, c)).collect()).collect(),
        };
        let mut chart = chart(report, quantity, &format!("mean of {} runs", report.spec.runs), ChartBody::Heat(map));
        chart.title = capitalised(&format!("{} of {protocol}", quantity_words(quantity)));
        (format!("{}-{protocol}-heat-map", file_name(quantity)), chart)
    };
    report.spec.protocols.iter().take(MOST).map(of).collect()
}

/// Means with their intervals, and the extremes, of every cell.
fn interval_chart(report: &SweepReport, quantity: &str) -> Option<Chart> {
    let summary = |row: &SweepRow, name, series| {
        let measured = row.quantity(quantity)?;
        let ci = measured.ci.map_or((measured.mean, measured.mean), |ci| (ci.low, ci.high));
        let five = [measured.min, ci.0.max(measured.min), measured.mean, ci.1.min(measured.max), measured.max];
        Some(BoxSummary { name, series, five })
    };
    let legend = format!(
        "Box: {} % confidence interval of the mean; thick line: mean; whiskers: minimum and maximum.",
        percent(report.spec.level)
    );
    boxes(report, quantity, &legend, summary)
}

/// The quartiles of every cell.
fn box_chart(data: &SweepData, quantity: &str) -> Option<Chart> {
    let summary = |row: &SweepRow, name, series| BoxSummary::of(name, series, data.sample(row.cell, quantity)?);
    boxes(&data.report, quantity, BoxPlot::LEGEND, summary)
}

fn boxes(
    report: &SweepReport,
    quantity: &str,
    legend: &str,
    summary: impl Fn(&SweepRow, String, usize) -> Option<BoxSummary>,
) -> Option<Chart> {
    let axes: Vec<_> = report.spec.vary.iter().filter(|axis| axis.values.len() > 1).collect();
    let several = report.spec.protocols.len() > 1 || axes.is_empty();
    let layout = Layout::new(report);
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let summaries: Vec<_> = (report.rows.iter())
        .filter_map(|row| {
            let next = numbers.len();
            let series = *numbers.entry(layout.series(report, row)).or_insert(next);
            summary(row, named(&axes, several, row), series)
        })
        .take(MOST_BOXES)
        .collect();
    if summaries.is_empty() {
        return None;
    }
    let shown = format!("{} runs each", report.spec.runs);
    let body = BoxPlot::new(&quantity_words(quantity), summaries);
    let mut chart = chart(report, quantity, &shown, ChartBody::Boxes(body));
    chart.notes.push(legend.to_string());
    if report.rows.len() > MOST_BOXES {
        chart.notes.push(format!("The first {MOST_BOXES} of {} cells are shown.", report.rows.len()));
    }
    Some(chart)
}

/// The distribution in the last cell of each series, which is the largest where sizes grow.
fn histograms(data: &SweepData, quantity: &str) -> Vec<(String, Chart)> {
    const MOST: usize = 4;
    // Fewer runs show no distribution.
    const LEAST: usize = 10;
    let report = &data.report;
    let layout = Layout::new(report);
    let mut last: Vec<(String, &SweepRow)> = Vec::new();
    for row in &report.rows {
        let name = layout.series(report, row);
        match last.iter_mut().find(|(known, _)| *known == name) {
            Some((_, kept)) => *kept = row,
            None => last.push((name, row)),
        }
    }
    let axes: Vec<_> = report.spec.vary.iter().collect();
    let of = |(number, (_, row)): (usize, &(String, &SweepRow))| {
        let sample = data.sample(row.cell, quantity).filter(|sample| sample.len() >= LEAST)?;
        let mut body = HistogramChart::of(&quantity_words(quantity), sample);
        let measured = row.quantity(quantity)?;
        body.marks.push(VerticalMark { value: measured.mean, name: "measured mean".to_string() });
        let near = |value: f64| value <= measured.max * 1.5 && value >= measured.min / 1.5;
        let bounds = row.bounds.iter().filter(|bound| bound.quantity == quantity);
        let (shown, far): (Vec<_>, Vec<_>) = bounds.partition(|bound| near(bound.value));
        for bound in shown.iter().take(3) {
            let name = format!("{}, {}", bound.formula, bound.kind);
            body.marks.push(VerticalMark { value: bound.value, name });
        }
        let mut chart = chart(report, quantity, &format!("{} runs", sample.len()), ChartBody::Histogram(body));
        chart.title = capitalised(&format!("{}: {}", quantity_words(quantity), named(&axes, true, row)));
        chart.notes.extend(far.iter().map(|bound| {
            let value = crate::plot::number_text(bound.value);
            format!("Outside: {}, {} = {value} ({}).", bound.formula, bound.kind, bound.source)
        }));
        Some((format!("{}-histogram-{}", file_name(quantity), number + 1), chart))
    };
    last.iter().take(MOST).enumerate().filter_map(of).collect()
}
