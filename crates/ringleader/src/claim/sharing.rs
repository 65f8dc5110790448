//! The tables of locks, readers and writers that go beyond the means of the lemmas.

use ringleader_model::{Load, Quantity};
use ringleader_sim::Summary;

use super::Claim;
use super::planned::{Line, MeasuredCell, PlannedCell, PlannedTable};
use crate::gamma::Gamma;
use crate::league::sharing::SITES;
use crate::options::Options;
use crate::report::Number;
use crate::setup::Setup;
use crate::statistics::float;

const LOCK: &str = "spirakis-tampakas-mutex";

/// The cells of a table.
pub(super) fn plan(claim: Claim, given: &Options) -> PlannedTable {
    match claim {
        Claim::ChangingLoad => changing_load(given),
        Claim::ReadWriteTimes => read_write_times(given),
        _ => unreachable!("the other claims have a grid"),
    }
}

/// The value of a quantity in a run; not a number where it has none.
fn figure(summary: &Summary, quantity: Quantity) -> f64 {
    summary.cost.over_whole_run(quantity).map_or(f64::NAN, float)
}

/// The options with one more parameter.
fn with(options: &Options, key: &str, value: &str) -> Options {
    let mut options = options.clone();
    if options.set.iter().all(|(given, _)| given != key) {
        options.set.push((key.to_string(), value.to_string()));
    }
    options
}

/// A load that does not change, and loads between a quarter of the sites and all of them. Sites wait for some 4000 units of time
/// each time: a slow load grows by one site in five such waits, a fast one alternates every two, a very fast one four times in one.
fn loads(n: u64) -> [(&'static str, String); 4] {
    let few = (n / 4).max(1);
    let slow = (0..=n - few).map(|more| format!("{}@{}", few + more, more * 20_000));
    let alternating = |period: u64| {
        let changes = 400_000 / period / 2 * 2;
        let sites = |change| if change % 2 == 0 { few } else { n };
        (0..changes).map(|change| format!("{}@{}", sites(change), change * period)).collect::<Vec<_>>().join(",")
    };
    [
        ("constant", n.to_string()),
        ("slow", slow.collect::<Vec<_>>().join(",")),
        ("fast", alternating(8_000)),
        ("very fast", alternating(1_000)),
    ]
}

/// 2.2.2 (a): the nnr of the previous invocation is a good estimate only if s changes slowly; otherwise use n.
fn changing_load(given: &Options) -> PlannedTable {
    let n = given.n.unwrap_or(SITES);
    let base = Options { n: Some(n), entries: given.entries.or(Some(60)), ..with(given, "c1", "round") };
    let mut cells = Vec::new();
    for gamma in [Gamma::ALL[0], Gamma::ALL[1]] {
        for (name, load) in loads(n) {
            // With predict=n first: what the other is compared with.
            for predict in ["n", "previous"] {
                let compete: Option<Load> = load.parse().ok();
                let options = Options { compete, r: Some(gamma.ticks()), ..with(&base, "predict", predict) };
                cells.push(PlannedCell { gamma, value: name.to_string(), protocol: LOCK, options });
            }
        }
    }
    PlannedTable { axis: "load", cells, figures: load_figures, lines: load_lines }
}

const LOAD_QUANTITIES: [&str; 3] =
    ["prediction_error / negatives", "whole_run.messages_per_entry", "whole_run.granting_delay.mean"];

fn load_figures(_: &Setup, summary: &Summary) -> Vec<f64> {
    let of = |quantity| figure(summary, quantity);
    let error = of(Quantity::PredictionError) / of(Quantity::Negatives);
    vec![error, of(Quantity::MessagesPerEntry), of(Quantity::GrantingDelay)]
}

fn load_lines(cells: &[MeasuredCell]) -> Vec<Line> {
    // Cells come in pairs: predict=n, then predict=previous.
    let ([.., by_n, previous], true) = (cells, cells.len().is_multiple_of(2)) else { return Vec::new() };
    let steady = cells.iter().rfind(|cell| cell.gamma == previous.gamma && cell.value == "constant");
    let line = |index: usize, reference: Option<&MeasuredCell>, formula| {
        Some(Line {
            quantity: LOAD_QUANTITIES[index].to_string(),
            measured: previous.mean(index)?,
            claimed: reference?.mean(index)?.mean,
            formula,
            source: "SpirakisTampakas1989 2.2.2 (a)",
        })
    };
    let error = line(0, steady.filter(|cell| cell.value != previous.value), "as with a constant load");
    let others = [1, 2].map(|index| line(index, Some(by_n), "as with predict=n"));
    error.into_iter().chain(others.into_iter().flatten()).collect()
}

/// Section 3.2: the probability that an attempt of R steps succeeds beside writes of W steps, and the number of attempts.
fn read_write_times(given: &Options) -> PlannedTable {
    let base = Options { entries: given.entries.or(Some(200)), n: given.n.or(Some(4)), ..given.clone() };
    let base = with(&with(&base, "digits", "1"), "words", "1");
    let mut cells = Vec::new();
    for gamma in [Gamma::ALL[0], Gamma::ALL[1]] {
        for (read, write) in [(10, 90), (10, 10), (20, 10), (30, 10), (90, 10)] {
            let options = with(&with(&base, "read-time", &read.to_string()), "write-time", &write.to_string());
            let options = Options { r: Some(gamma.ticks()), ..options };
            let value = format!("{read}, {write}");
            cells.push(PlannedCell { gamma, value, protocol: "lamport-readers-writers", options });
        }
    }
    PlannedTable { axis: "R, W", cells, figures: attempt_figures, lines: attempt_lines }
}

fn attempt_figures(_: &Setup, summary: &Summary) -> Vec<f64> {
    let attempts = summary.cost.of(Quantity::Attempts).map_or(f64::NAN, float);
    vec![attempts, 1.0 - 1.0 / attempts]
}

fn attempt_lines(cells: &[MeasuredCell]) -> Vec<Line> {
    let Some(cell) = cells.last() else { return Vec::new() };
    let Some(setup) = &cell.setup else { return Vec::new() };
    let steps = |symbol: &str| {
        let figure = setup.facts.figures.iter().find(|figure| [symbol, "R, W"].contains(&figure.symbol));
        figure.map_or(f64::NAN, |figure| float(figure.value))
    };
    let (read, write, gamma) = (steps("R"), steps("W"), Number::from(cell.gamma).to_f64());
    let printed = (2.0 * (read + write) / gamma + write) / (read + write);
    let repaired = (3.0 * (read + write) + 2.0 * gamma * write) / (read + 3.0 * write);
    let [print, repair] = ["SpirakisTampakas1989 section 3.2", "SpirakisTampakas1989 section 3.2, corrected"];
    [
        (0, printed, "(2(R+W)/γ+W)/(R+W)", print),
        (0, repaired, "(3(R+W)+2γW)/(R+3W)", repair),
        (1, 1.0 - 1.0 / printed, "1 - (R+W)/(2(R+W)/γ+W)", print),
        (1, 1.0 - 1.0 / repaired, "(2R+2γW)/(3(R+W)+2γW)", repair),
    ]
    .into_iter()
    .filter_map(|(index, claimed, formula, source)| {
        let quantity = ["attempts_per_read", "attempts that fail"][index].to_string();
        Some(Line { quantity, measured: cell.mean(index)?, claimed, formula, source })
    })
    .collect()
}
