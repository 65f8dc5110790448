//! The tables of locks, readers and writers that go beyond the means of the lemmas.

use ringleader_model::{Delays, Links, Quantity, Range, SiteLoad};
use ringleader_sim::Summary;

use super::Claim;
use super::planned::{ClaimLine, MeasuredCell, PlannedCell, PlannedTable};
use crate::execution::EvaluatedBound;
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
        Claim::Tails => tails(given),
        Claim::FoundActive => found_active(given),
        Claim::RandomWaits => random_waits(given),
        Claim::RicartAgrawalaDelay => ricart_agrawala_delay(given),
        Claim::Overtaking => overtaking(given),
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
                let compete: Option<SiteLoad> = load.parse().ok();
                let options = Options { compete, r: Some(gamma.ticks().into()), ..with(&base, "predict", predict) };
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

fn load_lines(cells: &[MeasuredCell]) -> Vec<ClaimLine> {
    // Cells come in pairs: predict=n, then predict=previous.
    let ([.., by_n, previous], true) = (cells, cells.len().is_multiple_of(2)) else { return Vec::new() };
    let steady = cells.iter().rfind(|cell| cell.gamma == previous.gamma && cell.value == "constant");
    let line = |index: usize, reference: Option<&MeasuredCell>, formula| {
        Some(ClaimLine {
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
            let options = Options { r: Some(gamma.ticks().into()), ..options };
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

fn attempt_lines(cells: &[MeasuredCell]) -> Vec<ClaimLine> {
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
        Some(ClaimLine { quantity, measured: cell.mean(index)?, claimed, formula, source })
    })
    .collect()
}

/// Numbers of sites, all of which compete.
const SIZES: [u64; 5] = [4, 8, 16, 32, 64];

/// A cell for each γ and number of sites.
fn by_size(protocol: &'static str, base: &Options, sizes: &[u64]) -> Vec<PlannedCell> {
    let cell = |gamma: Gamma, n: u64| {
        let options = Options { n: Some(n), r: Some(gamma.ticks().into()), ..base.clone() };
        PlannedCell { gamma, value: n.to_string(), protocol, options }
    };
    [Gamma::ALL[0], Gamma::ALL[1]].into_iter().flat_map(|gamma| sizes.iter().map(move |&n| cell(gamma, n))).collect()
}

/// Lemmas 1 and 2: the negative replies of an entry, nnr, and its N-1 + 2 nnr messages exceed (1+β) times their means rarely. The
/// claimed value of a line is the share for half as many sites: a tail that vanishes lies below it. Messages spread less.
fn tails(given: &Options) -> PlannedTable {
    let base = with(given, "c1", "round");
    PlannedTable { axis: "n = s", cells: by_size(LOCK, &base, &SIZES), figures: tail_figures, lines: tail_lines }
}

const BETA: [f64; 2] = [0.5, 0.1];

/// The negative replies of a run, and its shares of entries beyond (1+β) times its means.
fn tail_figures(setup: &Setup, summary: &Summary) -> Vec<f64> {
    let each = || summary.cost.tally.negatives_each.iter().map(|&negatives| f64::from(negatives));
    let (count, others) = (each().count() as f64, setup.scenario.n as f64 - 1.0);
    let mean = each().sum::<f64>() / count;
    let beyond = |beta: f64, cost: fn(f64, f64) -> f64| {
        let limit = (1.0 + beta) * cost(others, mean);
        each().filter(|&negatives| cost(others, negatives) > limit).count() as f64 / count
    };
    vec![beyond(BETA[0], |_, negatives| negatives), beyond(BETA[1], |others, negatives| others + 2.0 * negatives)]
}

fn tail_lines(cells: &[MeasuredCell]) -> Vec<ClaimLine> {
    let [.., before, cell] = cells else { return Vec::new() };
    if before.gamma != cell.gamma {
        return Vec::new();
    }
    let names = ["P(nnr > 3/2 mean)", "P(messages > 11/10 mean)"];
    let sources = ["SpirakisTampakas1989 lemma 1", "SpirakisTampakas1989 lemma 2"];
    let line = |index: usize| {
        let (measured, claimed) = (cell.mean(index)?, before.mean(index)?.mean);
        let (quantity, source) = (names[index].to_string(), sources[index]);
        Some(ClaimLine { quantity, measured, claimed, formula: "as with half as many", source })
    };
    [0, 1].into_iter().filter_map(line).collect()
}

/// Lemma 1, proof: the share of the others that are awake, and how many of these go before.
fn found_active(given: &Options) -> PlannedTable {
    let base = Options { n: given.n.or(Some(SITES)), ..with(given, "c1", "round") };
    let mut cells = Vec::new();
    for gamma in Gamma::ALL {
        for sites in [2, 4, 8, 16].into_iter().filter(|&sites| sites <= given.n.unwrap_or(SITES)) {
            let compete = Some(SiteLoad::constant(sites as usize));
            let options = Options { compete, r: Some(gamma.ticks().into()), ..base.clone() };
            cells.push(PlannedCell { gamma, value: sites.to_string(), protocol: LOCK, options });
        }
    }
    PlannedTable { axis: "s", cells, figures: active_figures, lines: active_lines }
}

/// The share of others found awake, and the share of those that reply negatively.
fn active_figures(setup: &Setup, summary: &Summary) -> Vec<f64> {
    let others = setup.scenario.workload.as_ref().map_or(f64::NAN, |load| load.compete as f64 - 1.0);
    let of = |quantity| summary.cost.of(quantity).map_or(f64::NAN, float);
    let active = of(Quantity::FoundActive);
    vec![active, of(Quantity::Negatives) / (active * others)]
}

fn active_lines(cells: &[MeasuredCell]) -> Vec<ClaimLine> {
    let Some(cell) = cells.last() else { return Vec::new() };
    let claimed = 1.0 / (1.0 + Number::from(cell.gamma).to_f64());
    [(0, "found_active", claimed, "1/(1+γ)"), (1, "negatives / found active", 0.5, "1/2")]
        .into_iter()
        .filter_map(|(index, quantity, claimed, formula)| {
            let (quantity, source) = (quantity.to_string(), "SpirakisTampakas1989 lemma 1, proof");
            Some(ClaimLine { quantity, measured: cell.mean(index)?, claimed, formula, source })
        })
        .collect()
}

/// 2.2: random waits "will reduce competition in half".
fn random_waits(given: &Options) -> PlannedTable {
    let base = Options { n: given.n.or(Some(SITES)), ..given.clone() };
    let mut cells = Vec::new();
    for gamma in Gamma::ALL {
        for c1 in ["0", "10", "round"] {
            let options = Options { r: Some(gamma.ticks().into()), ..with(&base, "c1", c1) };
            cells.push(PlannedCell { gamma, value: c1.to_string(), protocol: LOCK, options });
        }
    }
    PlannedTable { axis: "c1", cells, figures: waiting_figures, lines: waiting_lines }
}

fn waiting_figures(_: &Setup, summary: &Summary) -> Vec<f64> {
    let of = |quantity| summary.cost.of(quantity).map_or(f64::NAN, float);
    vec![of(Quantity::Negatives), of(Quantity::FoundActive)]
}

fn waiting_lines(cells: &[MeasuredCell]) -> Vec<ClaimLine> {
    let Some(cell) = cells.last().filter(|cell| cell.value != "0") else { return Vec::new() };
    let without = cells.iter().rfind(|cell| cell.value == "0");
    let line = |index: usize| {
        let quantity = ["negatives_per_entry", "found_active"][index].to_string();
        let (measured, claimed) = (cell.mean(index)?, without?.mean(index)?.mean / 2.0);
        Some(ClaimLine {
            quantity,
            measured,
            claimed,
            formula: "half of that with c1=0",
            source: "SpirakisTampakas1989 2.2",
        })
    };
    [0, 1].into_iter().filter_map(line).collect()
}

/// 2.2.4: the delay of Ricart and Agrawala's lock where replies overtake requests.
fn ricart_agrawala_delay(given: &Options) -> PlannedTable {
    let base = Options {
        hold: given.hold.or(Some(Range::new(1, 1))),
        d: given.d.clone().or_else(|| Some(Range::new(1, 500).into())),
        delays: given.delays.clone().or(Some(Delays::NewestFirst)),
        links: given.links.or(Some(Links::Any)),
        ..given.clone()
    };
    let cells = by_size("ricart-agrawala", &base, &[2, 4, 8, 16]);
    PlannedTable { axis: "n", cells, figures: delay_figures, lines: delay_lines }
}

fn delay_figures(_: &Setup, summary: &Summary) -> Vec<f64> {
    vec![figure(summary, Quantity::LongestDelay)]
}

fn delay_lines(cells: &[MeasuredCell]) -> Vec<ClaimLine> {
    let Some((cell, setup)) = cells.last().and_then(|cell| Some((cell, cell.setup.as_ref()?))) else {
        return Vec::new();
    };
    let bounds = setup.facts.bounds.iter().filter(|bound| bound.quantity == Quantity::LongestDelay);
    let line = |bound: &EvaluatedBound| {
        let (quantity, claimed) = ("whole_run.granting_delay.max".to_string(), float(bound.value));
        let measured = cell.mean(0)?.greatest();
        Some(ClaimLine { quantity, measured, claimed, formula: bound.formula, source: bound.source })
    };
    bounds.filter_map(line).collect()
}

/// 2.2.4 and 2.2.5: how often one site enters while another waits, and how far numbers lie apart.
fn overtaking(given: &Options) -> PlannedTable {
    let cells = by_size(LOCK, given, &[2, 4, 8, 16]);
    PlannedTable { axis: "n = s", cells, figures: overtaking_figures, lines: overtaking_lines }
}

fn overtaking_figures(_: &Setup, summary: &Summary) -> Vec<f64> {
    [Quantity::OvertakenSinceRequest, Quantity::Overtaken, Quantity::NumberSpread]
        .map(|of| figure(summary, of))
        .to_vec()
}

fn overtaking_lines(cells: &[MeasuredCell]) -> Vec<ClaimLine> {
    let Some((cell, setup)) = cells.last().and_then(|cell| Some((cell, cell.setup.as_ref()?))) else {
        return Vec::new();
    };
    let spread = setup.scenario.n as f64 - 1.0;
    [
        (0, "overtaken.since_request", 2.0, "2", "SpirakisTampakas1989 2.2.4"),
        (1, "overtaken.since_number", 2.0, "2", "SpirakisTampakas1989 2.2.4, from the number on"),
        (2, "number_spread", spread, "N-1", "SpirakisTampakas1989 2.2.5"),
    ]
    .into_iter()
    .filter_map(|(index, quantity, claimed, formula, source)| {
        let measured = cell.mean(index)?.greatest();
        Some(ClaimLine { quantity: quantity.to_string(), measured, claimed, formula, source })
    })
    .collect()
}
