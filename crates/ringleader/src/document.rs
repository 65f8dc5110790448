//! Reports of sweeps: one self-contained page, Markdown, LaTeX, and figures.
//!
//! [`SweepData`] is what a data folder holds (see [`crate::sweep`]), a [`Document`] what a report says: facts, figures, tables
//! and sources. Its writers are pure functions to text.

use std::collections::BTreeMap;
use std::path::Path;

use crate::bibliography::{self, Source, key_of};
use crate::catalogue::Catalogue;
use crate::plot::{Chart, Origin, number_text, percent};
use crate::report::grouped;
use crate::statistics::ConfidenceInterval;
use crate::sweep::{BadData, ColumnRole, ColumnType, SWEEP_FORMAT, SweepReport, SweepRow, csv_fields};

mod figures;
mod html;
mod latex;
mod markdown;
#[cfg(test)]
mod tests;

pub use figures::{line_chart, main_chart, quantities, quantity_words};

use figures::{axis_name, entries, origin, place_name, value_text};

/// The data of a sweep: its report, and the runs.
#[derive(Clone, Debug)]
pub struct SweepData {
    /// The report.
    pub report: SweepReport,
    /// By cell and quantity, the values in the order of the runs; only of quantities that figures show.
    samples: BTreeMap<(u64, String), Vec<f64>>,
    /// By column of the rows, the quantity that is kept.
    kept: Vec<Option<String>>,
    /// The column of the cell.
    cell: usize,
}

impl SweepData {
    /// The data of `sweep.json`, without runs.
    pub fn parse(text: &str) -> Result<Self, BadData> {
        let bad = |wrong: String| BadData { wrong };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let report: SweepReport = serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(text))
            .map_err(|error| {
                let path = error.path().to_string();
                bad(if path == "." { error.inner().to_string() } else { format!("{path}: {}", error.inner()) })
            })?;
        if report.format != SWEEP_FORMAT {
            return Err(bad(format!("has the format {}, not {SWEEP_FORMAT}", report.format)));
        }
        Ok(Self { report, samples: BTreeMap::new(), kept: Vec::new(), cell: 0 })
    }

    /// Begins with the header of `runs.csv`.
    pub fn add_header(&mut self, line: &str) -> Result<(), BadData> {
        let names = csv_fields(line).unwrap_or_default();
        let expected: Vec<&String> = self.report.columns.iter().map(|column| &column.name).collect();
        if names.iter().ne(expected) {
            return Err(BadData { wrong: "is not the header that sweep.json describes".to_string() });
        }
        let quantities = quantities(&self.report);
        self.cell = names.iter().position(|name| name == "cell").unwrap_or_default();
        let columns = self.report.columns.iter();
        let kept = columns.map(|column| {
            Some(&column.name).filter(|_| column.role == ColumnRole::Quantity && column.r#type != ColumnType::List)
        });
        self.kept = kept.map(|name| name.filter(|name| quantities.contains(name)).cloned()).collect();
        Ok(())
    }

    /// Adds a row of `runs.csv`.
    pub fn add_row(&mut self, line: &str) -> Result<(), BadData> {
        let bad = |wrong: &str| BadData { wrong: wrong.to_string() };
        let fields = csv_fields(line).ok_or_else(|| bad("has a quote that is not closed"))?;
        if fields.len() != self.kept.len() {
            return Err(BadData { wrong: format!("has {} fields instead of {}", fields.len(), self.kept.len()) });
        }
        let cell = fields[self.cell].parse().map_err(|_| bad("has a cell that is no number"))?;
        for (field, quantity) in fields.iter().zip(&self.kept) {
            if let Some(quantity) = quantity.as_ref().filter(|_| !field.is_empty()) {
                let value: f64 = field.parse().map_err(|_| bad(&format!("has a {quantity} that is no number")))?;
                self.samples.entry((cell, quantity.clone())).or_default().push(value);
            }
        }
        Ok(())
    }

    /// The values of a quantity in the runs of a cell.
    pub fn sample(&self, cell: u64, quantity: &str) -> Option<&[f64]> {
        self.samples.get(&(cell, quantity.to_string())).map(Vec::as_slice)
    }
}

/// A format of reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DocumentFormat {
    /// One page, with everything in it.
    Html,
    /// Markdown, figures as text.
    Markdown,
    /// Tables for LaTeX, with booktabs.
    Latex,
    /// Figures.
    Svg,
}

impl DocumentFormat {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Html, Self::Markdown, Self::Latex, Self::Svg];

    /// The name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Markdown => "md",
            Self::Latex => "latex",
            Self::Svg => "svg",
        }
    }

    /// The format that the name of a file promises.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "html" | "htm" => Some(Self::Html),
            "md" | "markdown" => Some(Self::Markdown),
            "tex" => Some(Self::Latex),
            "svg" => Some(Self::Svg),
            _ => None,
        }
    }
}

/// A report.
#[derive(Clone, Debug)]
pub struct Document {
    /// The subject.
    pub title: String,
    /// What was measured, and how: names and texts.
    pub facts: Vec<(&'static str, String)>,
    /// The figures, each with a name for its file.
    pub figures: Vec<(String, Chart)>,
    /// The tables.
    pub tables: Vec<DocumentTable>,
    /// The sources.
    pub sources: Vec<&'static Source>,
    /// The command and the version that made the data.
    pub origin: Origin,
}

/// A table of a report.
#[derive(Clone, PartialEq, Debug)]
pub struct DocumentTable {
    /// The quantity.
    pub title: String,
    /// Its columns.
    pub header: Vec<String>,
    /// How many of them are names; the others are numbers, but for the last.
    pub names: usize,
    /// Its rows.
    pub rows: Vec<Vec<String>>,
}

impl Document {
    /// The report of a sweep.
    pub fn new(catalogue: &Catalogue, data: &SweepData) -> Self {
        let report = &data.report;
        let tables = quantities(report).iter().map(|quantity| table(report, quantity)).collect();
        Self {
            title: format!("Sweep: {}", report.spec.protocols.join(", ")),
            facts: facts(report),
            figures: figures::all(data),
            tables,
            sources: sources(catalogue, report),
            origin: origin(report),
        }
    }

    /// The BibTeX of the sources and of the program.
    pub fn bibtex(&self) -> String {
        let keys: Vec<&str> = self.sources.iter().map(|source| source.key).collect();
        let papers = bibliography::bibtex(&keys);
        [bibliography::program_bibtex(), papers]
            .into_iter()
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// The text in a format; of figures, the first.
    pub fn text(&self, format: DocumentFormat) -> String {
        match format {
            DocumentFormat::Html => html::text(self),
            DocumentFormat::Markdown => markdown::text(self),
            DocumentFormat::Latex => latex::text(self),
            DocumentFormat::Svg => {
                self.figures.first().map_or(String::new(), |(_, chart)| chart.svg(crate::picture::Theme::Auto))
            }
        }
    }
}

/// Whether a text is a report written here.
pub fn is_document(text: &str) -> bool {
    text.contains(html::GENERATOR) || text.contains(MADE) || crate::plot::is_chart(text)
}

/// What Markdown and LaTeX say about where they are from.
const MADE: &str = "Written by `ringleader report`";

fn facts(report: &SweepReport) -> Vec<(&'static str, String)> {
    let total = |of: fn(&SweepRow) -> u64| grouped(report.rows.iter().map(of).sum::<u64>());
    let mut facts = vec![("protocols", report.spec.protocols.join(", "))];
    for axis in &report.spec.vary {
        let values: Vec<_> = axis.values.iter().map(|value| value_text(&axis.name, value)).collect();
        facts.push(("varies", format!("{}: {}", axis_name(&axis.name), values.join(", "))));
    }
    let options: Vec<_> = report.spec.options.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    if !options.is_empty() {
        facts.push(("fixed", options.join(", ")));
    }
    let complete = if report.complete { "" } else { "; incomplete" };
    facts.push(("runs", format!("{} ({} in each cell){complete}", grouped(report.runs_done), report.spec.runs)));
    let outcome = format!(
        "{} held, {} violated, {} without an answer",
        total(|r| r.held),
        total(|r| r.violated),
        total(|r| r.unknown)
    );
    facts.push(("properties", outcome));
    facts.push(("bounds", format!("{} runs contradict a bound on every run", total(|row| row.exceeded))));
    facts.push(("intervals", format!("Student's, {} %, of the mean of independent runs", percent(report.spec.level))));
    facts
}

/// The sources of the protocols and of the bounds.
fn sources(catalogue: &Catalogue, report: &SweepReport) -> Vec<&'static Source> {
    let mut keys: Vec<String> = Vec::new();
    for label in &report.spec.protocols {
        let name = label.split_once(':').map_or(label.as_str(), |(name, _)| name);
        let of = catalogue.find(name).map_or(&[][..], |entry| entry.description().sources);
        keys.extend(of.iter().map(ToString::to_string));
    }
    let bounds = report.rows.iter().flat_map(|row| &row.bounds);
    keys.extend(bounds.map(|bound| key_of(&bound.source).to_string()));
    let mut found: Vec<&'static Source> = Vec::new();
    for source in keys.iter().filter_map(|key| bibliography::source(key)) {
        if !found.contains(&source) {
            found.push(source);
        }
    }
    found
}

/// The table of a quantity; of a list, one row for each of its places.
fn table(report: &SweepReport, quantity: &str) -> DocumentTable {
    let axes: Vec<_> = report.spec.vary.iter().collect();
    let places = report.rows.iter().flat_map(|row| entries(row, quantity)).any(|(place, _)| place.is_some());
    let interval = format!("{} % interval", percent(report.spec.level));
    let mut header = vec!["protocol".to_string()];
    header.extend(axes.iter().map(|axis| axis_name(&axis.name)));
    header.extend(places.then(|| place_name(quantity).to_string()));
    let names = header.len();
    let bounds = "bounds: value, mean ratio";
    header.extend(["runs", "mean", &interval, "median", "p95", "min", "max", bounds].map(String::from));
    let mut rows = Vec::new();
    for row in &report.rows {
        let of = |axis: &&crate::sweep::SweepAxis| {
            value_text(&axis.name, row.parameters.get(&axis.name).map_or("", String::as_str))
        };
        for (place, found) in entries(row, quantity) {
            let mut cells = vec![row.protocol.clone()];
            cells.extend(axes.iter().map(of));
            cells.extend(place.map(|place| place.to_string()));
            let ends = |ci: ConfidenceInterval| format!("{} … {}", number_text(ci.low), number_text(ci.high));
            cells.extend([grouped(found.runs), number_text(found.mean), found.ci.map_or(String::new(), ends)]);
            cells.extend([found.median, found.p95, found.min, found.max].map(number_text));
            cells.push(bounds_text(row, quantity));
            rows.push(cells);
        }
    }
    DocumentTable { title: quantity_words(quantity), header, names, rows }
}

/// The bounds on a quantity, each with its value and how much of it was measured.
fn bounds_text(row: &SweepRow, quantity: &str) -> String {
    let bounds = row.bounds.iter().filter(|bound| bound.quantity == quantity).map(|bound| {
        let ratio = bound.ratio.map(|ratio| format!(", {}", number_text((ratio * 1e3).round() / 1e3)));
        let value = number_text(bound.value);
        format!("{} {} = {value}{}", bound.kind, bound.formula, ratio.unwrap_or_default())
    });
    bounds.collect::<Vec<_>>().join("; ")
}
