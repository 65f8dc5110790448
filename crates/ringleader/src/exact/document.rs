//! `docs/EXACT.md`: what was computed, as a document.

use std::fmt::Write;

use ringleader_model::BoundKind;
use serde::Deserialize;

use super::report::{DistributionReport, ExactRow, RationalReport};
use super::{ExactOptions, ExactSetup};
use crate::catalogue::find;
use crate::error::Error;
use crate::options::comma_separated;
use crate::report::grouped;

/// An election of the document.
#[derive(Clone, Copy, Debug)]
pub struct Documented {
    /// The protocol.
    pub protocol: &'static str,
    /// Its parameters.
    pub set: &'static [(&'static str, &'static str)],
    /// The largest ring that was computed.
    pub largest: u64,
}

/// A small number of processors, whose rows tests compute again.
pub const SMALL: u64 = 7;

const fn documented(protocol: &'static str, set: &'static [(&'static str, &'static str)], largest: u64) -> Documented {
    Documented { protocol, set, largest }
}

impl Documented {
    /// All of them.
    pub const ALL: &'static [Self] = &[
        documented("lelann", &[], 12),
        documented("chang-roberts", &[], 12),
        documented("peterson", &[], 12),
        documented("peterson", &[("elected", "holder")], 12),
        documented("peterson-alternating", &[], 12),
        documented("dolev-klawe-rodeh", &[("variant", "a")], 12),
        documented("dolev-klawe-rodeh", &[("variant", "b")], 12),
        documented("franklin", &[], 12),
        documented("hirschberg-sinclair", &[], 11),
        documented("hirschberg-sinclair", &[("blocked", "echo")], 11),
        documented("van-leeuwen-tan", &[], 11),
        documented("van-leeuwen-tan", &[("duplex", "half")], 9),
        documented("vitanyi", &[], 10),
        documented("frederickson-lynch", &[], 9),
        documented("time-slice", &[], 9),
    ];

    /// Its set-up with `n` processors.
    ///
    /// # Errors
    /// If the protocol has no such parameters.
    pub fn setup(&self, n: u64, threads: usize) -> Result<ExactSetup, Error> {
        let set = self.set.iter().map(|(key, value)| ((*key).to_string(), (*value).to_string())).collect();
        let entry = find(self.protocol)?;
        ExactSetup::new(entry, n, &ExactOptions { set, threads, ..ExactOptions::default() })
    }

    fn title(&self) -> String {
        let set: Vec<String> = self.set.iter().map(|(key, value)| format!("{key}={value}")).collect();
        if set.is_empty() { self.protocol.to_string() } else { format!("{}, {}", self.protocol, set.join(", ")) }
    }
}

/// An election of the document with its rows, and the seconds that each took.
pub struct DocumentedRows<'a> {
    /// The election.
    pub of: &'a Documented,
    /// By number of processors.
    pub rows: Vec<ExactRow>,
    /// Seconds, likewise.
    pub seconds: Vec<f64>,
}

/// A row that was computed on a GPU, as `docs/exact-gpu.jsonl` keeps it.
#[derive(Deserialize)]
pub struct GpuRow {
    /// What `exact --device gpu --json` printed.
    pub row: ExactRow,
    /// The seconds that the command took, if they were measured.
    pub seconds: Option<f64>,
}

impl GpuRow {
    /// Reads rows, one object a line.
    ///
    /// # Errors
    /// If a line is none.
    pub fn read(lines: &str) -> Result<Vec<Self>, serde_json::Error> {
        lines.lines().map(serde_json::from_str).collect()
    }
}

/// The document: what the cores computed, and for larger rings a GPU.
///
/// # Errors
/// If a protocol has no such parameters.
pub fn document(all: &[DocumentedRows<'_>], gpu: &[GpuRow], threads: usize) -> Result<String, Error> {
    let mut text = HEAD.to_string();
    let _ = writeln!(
        text,
        "| election | largest n | orders | seconds on {threads} threads | n = {TIMED} | largest n on a GPU | seconds |\n\
         |---|--:|--:|--:|--:|--:|--:|"
    );
    for one in all {
        let (Some(last), Some(seconds)) = (one.rows.last(), one.seconds.last()) else { continue };
        let timed = one.rows.iter().zip(&one.seconds).find(|(row, _)| row.n == TIMED);
        let timed = timed.map_or(String::new(), |(_, seconds)| format!("{seconds:.1}"));
        let (title, orders) = (one.of.title(), grouped(last.orders));
        let (largest, its_seconds) = match larger(one, gpu).last() {
            Some(last) => {
                (last.row.n.to_string(), last.seconds.map_or(String::new(), |seconds| format!("{seconds:.1}")))
            }
            None => Default::default(),
        };
        let anchor = anchor(&title);
        let _ = writeln!(
            text,
            "| [{title}](#{anchor}) | {} | {orders} | {seconds:.1} | {timed} | {largest} | {its_seconds} |",
            last.n
        );
    }
    for one in all {
        let larger: Vec<_> = larger(one, gpu).collect();
        section(one, &larger, &mut text)?;
    }
    Ok(text)
}

/// The rows of a GPU that are larger than those of the cores.
fn larger<'a>(one: &'a DocumentedRows<'_>, gpu: &'a [GpuRow]) -> impl Iterator<Item = &'a GpuRow> {
    let is_larger = |last: &ExactRow, row: &ExactRow| {
        (&row.protocol, &row.parameters) == (&last.protocol, &last.parameters) && row.n > last.n
    };
    gpu.iter().filter(move |gpu| one.rows.last().is_some_and(|last| is_larger(last, &gpu.row)))
}

/// The size that every election but the slowest is timed at.
const TIMED: u64 = 11;

const HEAD: &str = "\
# Exact distributions

Written by `cargo xtask exact`. Every order of the identities 1 to n was run once, up to rotation, with unit delays (or the timing
that is named) and all processors awake: means and variances are fractions, and extremes are those of all orders. Bits, times,
kinds of messages and histograms: `--json`. Proved beside measured: `ringleader exact PROTOCOL -n 2..10`. A worst order is the
first in lexicographic order; `ringleader run PROTOCOL --ids ORDER` makes its run. Seconds are wall-clock time on a machine that did
other work besides.

Rows marked with an asterisk were computed on an NVIDIA H200 by `ringleader exact PROTOCOL -n 13,14 --device gpu --json`, whose
output is kept in [exact-gpu.jsonl](exact-gpu.jsonl); seconds are those of the whole command for one n, where they were measured.
At n = 14 that is 22 G deliveries a second for chang-roberts, 57 for lelann, 15 to 30 for the others that were timed.

";

fn section(one: &DocumentedRows<'_>, larger: &[&GpuRow], text: &mut String) -> Result<(), Error> {
    let Some(last) = one.rows.last() else { return Ok(()) };
    let command = one.of.setup(last.n, 1)?.command_line(&format!("2..{}", last.n));
    let _ = writeln!(text, "\n## {}\n\n`{command}`\n\n{}.\n", one.of.title(), capitalised(&last.schedule));
    for bound in &last.bounds {
        let _ = writeln!(text, "- {} {}: {}", bound.quantity, bound.kind, bound.formula);
    }
    if !last.bounds.is_empty() {
        text.push('\n');
    }
    let _ = writeln!(text, "{}", ExactRow::MARKDOWN_HEAD);
    for row in &one.rows {
        let _ = writeln!(text, "{}", row.markdown());
    }
    for GpuRow { row, .. } in larger {
        let _ = writeln!(text, "{}", row.markdown().replacen(" | ", "* | ", 1));
    }
    let _ = writeln!(text, "\n{}", ExactRow::MARKDOWN_COSTS_HEAD);
    for row in one.rows.iter().chain(larger.iter().map(|gpu| &gpu.row)) {
        let _ = writeln!(text, "{}", row.markdown_costs());
    }
    Ok(())
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// The anchor that a heading has.
fn anchor(title: &str) -> String {
    let kept = |c: char| if c == ' ' { Some('-') } else { (c.is_alphanumeric() || c == '-').then_some(c) };
    title.chars().filter_map(kept).collect()
}

impl ExactRow {
    /// The head of a table of [`markdown`](Self::markdown) rows.
    const MARKDOWN_HEAD: &'static str = "\
| n | mean messages | | variance | | min | max | proved | a worst order |
|--:|--:|--:|--:|--:|--:|--:|--:|---|";
    /// The head of a table of [`markdown_costs`](Self::markdown_costs) rows.
    const MARKDOWN_COSTS_HEAD: &'static str = "\
| n | announcement | mean bits | max bits | mean time | max time | mean phases | max phases |
|--:|--:|--:|--:|--:|--:|--:|--:|";

    /// Messages without the announcement, as a row of a table in Markdown.
    pub fn markdown(&self) -> String {
        let of = &self.election;
        let kinds = [BoundKind::Worst, BoundKind::Exact];
        let proved = self.bound("election", &kinds).map_or(String::new(), |bound| grouped(bound.value));
        let order = comma_separated(&of.max_order);
        let [mean, variance] = [&of.mean, &of.variance].map(cells);
        format!("| {} | {mean} | {variance} | {} | {} | {proved} | {order} |", self.n, of.min, of.max)
    }

    /// Other costs, as a row of a table in Markdown.
    pub fn markdown_costs(&self) -> String {
        let both = |of: &DistributionReport| format!("{} | {}", of.mean.text(), of.max);
        let announcement = match (self.announcement.min, self.announcement.max) {
            (min, max) if min == max => min.to_string(),
            (min, max) => format!("{min} to {max}"),
        };
        let phases = self.phases.as_ref().map_or(" | ".to_string(), both);
        format!("| {} | {announcement} | {} | {} | {phases} |", self.n, both(&self.bits), both(&self.time))
    }
}

/// A fraction and its decimal approximation; an integer once.
fn cells(fraction: &RationalReport) -> String {
    match fraction.denominator.as_str() {
        "1" => format!("{} | ", fraction.numerator),
        _ => format!("{} | {:.4}", fraction.text(), fraction.value),
    }
}
