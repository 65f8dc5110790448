//! Claims about means, put to the test: many runs over contention, γ and whatever else a claim speaks of, each mean with
//! its interval beside the formula.

use ringleader_model::{BadSetting, BoundKind, ChangingRange, Outcome, Quantity, Range, Reading, SiteLoad};
use ringleader_sim::{Summary, Verdict};
use schemars::JsonSchema;
use serde::Serialize;

use crate::catalogue::find;
use crate::error::Error;
use crate::execution::{EvaluatedBound, RunEnd};
use crate::gamma::Gamma;
use crate::league::sharing::SITES;
use crate::options::Options;
use crate::report::{Number, quantity_name};
use crate::setup::Setup;
use crate::statistics::{Measured, Relation, float};
use crate::sweep::SweepCell;
use crate::watch::Watch;

mod planned;
mod sharing;

/// A claim of a paper that speaks of means or of probabilities.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// Negative replies of a lock.
    Lemma1,
    /// Messages per entry of a lock.
    Lemma2,
    /// The granting delay of a lock.
    GrantingDelay,
    /// Attempts of readers.
    Attempts,
    /// Phases, bits and time of breaking symmetry.
    Theorem1,
    /// The probability of two leaders.
    TwoLeaders,
    /// Predictions under a load that changes.
    ChangingLoad,
    /// Attempts of readers where a read takes longer than a write, or less long.
    ReadWriteTimes,
    /// The tails of negative replies and of messages.
    Tails,
    /// Competitors that are found awake.
    FoundActive,
    /// Negative replies with random waits, beside those without.
    RandomWaits,
    /// The granting delay of Ricart and Agrawala's lock.
    RicartAgrawalaDelay,
    /// Entries of one site while another waits, and the spread of numbers.
    Overtaking,
}

impl Claim {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Lemma1,
        Self::Lemma2,
        Self::GrantingDelay,
        Self::Attempts,
        Self::Theorem1,
        Self::TwoLeaders,
        Self::ChangingLoad,
        Self::ReadWriteTimes,
        Self::Tails,
        Self::FoundActive,
        Self::RandomWaits,
        Self::RicartAgrawalaDelay,
        Self::Overtaking,
    ];

    /// As users write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lemma1 => "lemma-1",
            Self::Lemma2 => "lemma-2",
            Self::GrantingDelay => "granting-delay",
            Self::Attempts => "attempts",
            Self::Theorem1 => "theorem-1",
            Self::TwoLeaders => "two-leaders",
            Self::ChangingLoad => "changing-load",
            Self::ReadWriteTimes => "read-write-times",
            Self::Tails => "tails",
            Self::FoundActive => "found-active",
            Self::RandomWaits => "random-waits",
            Self::RicartAgrawalaDelay => "ricart-agrawala-delay",
            Self::Overtaking => "overtaking",
        }
    }

    /// The items of the ledger that it is about.
    pub const fn items(self) -> &'static [&'static str] {
        match self {
            Self::Lemma1 => &["S16"],
            Self::Lemma2 => &["S19"],
            Self::GrantingDelay => &["S23", "S24"],
            Self::Attempts => &["S40"],
            Self::Theorem1 => &["S59", "S60", "S61"],
            Self::TwoLeaders => &["S52", "S57"],
            Self::ChangingLoad => &["S15"],
            Self::ReadWriteTimes => &["S38", "S39"],
            Self::Tails => &["S17", "S20"],
            Self::FoundActive => &["S18"],
            Self::RandomWaits => &["S8"],
            Self::RicartAgrawalaDelay => &["S22"],
            Self::Overtaking => &["S25"],
        }
    }

    /// The claim.
    pub const fn statement(self) -> &'static str {
        match self {
            Self::Lemma1 => {
                "Spirakis and Tampakas's lock: a competing site gets s/(2(1+γ)) negative replies on average"
            }
            Self::Lemma2 => "Their lock: an entry costs n-1 + s/(2(1+γ)) messages on average",
            Self::GrantingDelay => "Their lock: granting delay, mean and max",
            Self::Attempts => "Readers with random waits need at most 2/γ + 1 attempts on average",
            Self::Theorem1 => {
                "Breaking symmetry takes less than e phases on average, and bits and time proportional to n"
            }
            Self::TwoLeaders => {
                "Breaking symmetry elects two leaders with probability at most (3/4)^k; with γ = 1 of two candidates in lock \
                 step"
            }
            Self::ChangingLoad => {
                "Their lock: expecting as many negative replies as the last time is as good as under a constant load, and no \
                 worse than expecting n, where the load changes slowly"
            }
            Self::ReadWriteTimes => {
                "Readers with random waits: an attempt of R steps succeeds with probability (R+W)/(2(R+W)/γ+W) or more beside \
                 writes of W steps"
            }
            Self::Tails => {
                "Their lock: negative replies and messages of an entry exceed (1+β) times their means with a probability that \
                 vanishes as n grows"
            }
            Self::FoundActive => {
                "Their lock: a site that asks finds another awake with probability 1/(1+γ) or less, half of them before it"
            }
            Self::RandomWaits => "Their lock: random waits halve the competition",
            Self::RicartAgrawalaDelay => "Ricart and Agrawala's lock: a site waits for (n(n+1)/2-1) r_max at most",
            Self::Overtaking => {
                "Their lock: no site enters more than twice while another waits, and numbers differ by n-1 at most"
            }
        }
    }
}

/// The grid of a table, besides γ.
struct Grid {
    /// The heading of the second column.
    axis: &'static str,
    values: Vec<Range>,
    gammas: &'static [Gamma],
}

impl Claim {
    /// The protocol that it is about.
    pub const fn protocol(self) -> &'static str {
        match self {
            Self::Lemma1 | Self::Lemma2 | Self::GrantingDelay | Self::ChangingLoad => "spirakis-tampakas-mutex",
            Self::Tails | Self::FoundActive | Self::RandomWaits | Self::Overtaking => "spirakis-tampakas-mutex",
            Self::RicartAgrawalaDelay => "ricart-agrawala",
            Self::Attempts | Self::ReadWriteTimes => "lamport-readers-writers",
            Self::Theorem1 | Self::TwoLeaders => "spirakis-tampakas-symmetry",
        }
    }

    /// The measured quantities; of two leaders, the rate.
    const fn quantities(self) -> &'static [Quantity] {
        match self {
            Self::Lemma1 => &[Quantity::Negatives],
            Self::Lemma2 => &[Quantity::MessagesPerEntry],
            Self::GrantingDelay => &[Quantity::GrantingDelay, Quantity::LongestDelay],
            Self::Attempts => &[Quantity::Attempts],
            Self::Theorem1 => &[Quantity::Phases, Quantity::Bits, Quantity::Time],
            _ => &[],
        }
    }

    /// Whether its cells are listed one by one.
    const fn is_planned(self) -> bool {
        matches!(
            self,
            Self::ChangingLoad
                | Self::ReadWriteTimes
                | Self::Tails
                | Self::FoundActive
                | Self::RandomWaits
                | Self::RicartAgrawalaDelay
                | Self::Overtaking
        )
    }

    fn grid(self) -> Grid {
        let each = |values: &[u64]| values.iter().map(|&value| Range::new(value, value)).collect::<Vec<_>>();
        match self {
            Self::Lemma1 | Self::Lemma2 | Self::GrantingDelay => {
                Grid { axis: "s", values: each(&[1, 2, 4, 8, 16]), gammas: &Gamma::ALL }
            }
            Self::Attempts => {
                let values = [each(&[0, 1, 10]), vec![Range::new(0, 10), Range::new(20, 100)]].concat();
                Grid { axis: "d", values, gammas: &Gamma::ALL }
            }
            Self::Theorem1 => Grid { axis: "n", values: each(&[2, 4, 8, 16, 32]), gammas: &Gamma::ALL },
            Self::TwoLeaders => {
                // As far as the default number of runs tells (3/4)^k from 0.
                let values = each(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20]);
                Grid { axis: "k", values, gammas: &[Gamma::ALL[0], Gamma::ALL[1]] }
            }
            _ => unreachable!("it is planned"),
        }
    }

    /// The default number of runs per mean.
    const fn usual_runs(self) -> u64 {
        match self {
            Self::TwoLeaders => 2000,
            Self::Theorem1 => 200,
            _ => 30,
        }
    }

    /// Whether a value makes sense: not more sites can compete than there are.
    fn allows(self, given: &Options, value: Range) -> bool {
        let locks = matches!(self, Self::Lemma1 | Self::Lemma2 | Self::GrantingDelay);
        !locks || value.max <= given.n.unwrap_or(SITES)
    }

    /// The options of the runs of one cell.
    fn options(self, given: &Options, value: Range, gamma: Gamma) -> Options {
        let number = Some(value.max);
        let mut options = Options { r: Some(gamma.ticks().into()), ..given.clone() };
        match self {
            Self::Lemma1 | Self::Lemma2 | Self::GrantingDelay => {
                (options.n, options.compete) =
                    (options.n.or(Some(SITES)), Some(SiteLoad::constant(value.max as usize)));
            }
            Self::Attempts => {
                options.d = Some(value.into());
                options.n = options.n.or(Some(4));
                // Where a message takes time it is the next step that reads it, as everywhere in the paper.
                if value.max > 0 {
                    options.reading = options.reading.or(Some(Reading::PerStep));
                }
            }
            Self::Theorem1 => options.n = number,
            Self::TwoLeaders => {
                // With equal clocks the worst there is: two candidates at opposite ends, in lock step.
                if options.n.is_none() && gamma == Gamma::ALL[0] && options.d.is_none() {
                    options.d = Some(gamma.ticks().into());
                    options.set.push(("draw".to_string(), "1,2,1,2".to_string()));
                }
                options.n = options.n.or(Some(4));
                options.set.push(("k".to_string(), value.to_string()));
            }
            _ => unreachable!("it is planned"),
        }
        options
    }

    /// The options that this table sets itself.
    fn varied(self, given: &Options) -> Option<&'static str> {
        let by_claim = match self {
            Self::Lemma1 | Self::Lemma2 | Self::GrantingDelay | Self::ChangingLoad => {
                ("compete", given.compete.is_some())
            }
            Self::Attempts => ("d", given.d.is_some()),
            Self::Theorem1 => ("n", given.n.is_some()),
            Self::TwoLeaders => ("set", given.set.iter().any(|(key, _)| key == "k")),
            Self::Tails | Self::RicartAgrawalaDelay | Self::Overtaking => ("n", given.n.is_some()),
            Self::FoundActive => ("compete", given.compete.is_some()),
            Self::RandomWaits => ("set", given.set.iter().any(|(key, _)| key == "c1")),
            Self::ReadWriteTimes => ("set", given.set.iter().any(|(key, _)| key.ends_with("-time"))),
        };
        [("r", given.r.is_some()), by_claim].into_iter().find(|(_, given)| *given).map(|(field, _)| field)
    }
}

/// A claim of the paper that is no bound of the protocol: as printed, where the protocol has the repaired one, or in another
/// reading.
struct PrintedClaim {
    quantity: Quantity,
    formula: &'static str,
    value: f64,
    source: &'static str,
}

impl Claim {
    /// The claims about the runs of a set-up that are no bounds of the protocol.
    fn printed(self, setup: &Setup) -> Vec<PrintedClaim> {
        let timing = &setup.scenario.timing;
        let [r_min, r_max, d_max] = [timing.r.min, timing.r.max, timing.d.max].map(|length| length as f64);
        let n = setup.scenario.n as f64;
        match self {
            Self::GrantingDelay => {
                let mindelay = setup.facts.figures.iter().find(|figure| figure.symbol == "mindelay");
                let (Some(mindelay), Some(load)) = (mindelay, &setup.scenario.workload) else { return Vec::new() };
                // Mindelay counts steps, and a step takes up to r_max.
                let waiting = float(mindelay.value) * r_max;
                let sites = load.compete as f64 * r_max / (2.0 * (r_min + r_max));
                let claim = |quantity, formula, waiting: f64| {
                    let source = "SpirakisTampakas1989 2.2.4, steps of r_max";
                    PrintedClaim { quantity, formula, value: 2.0 * d_max + waiting, source }
                };
                vec![
                    claim(Quantity::GrantingDelay, "2 d_max + s mindelay r_max/(2(1+γ))", sites * waiting),
                    claim(Quantity::LongestDelay, "2 d_max + 2(N-1) mindelay r_max", 2.0 * (n - 1.0) * waiting),
                ]
            }
            Self::Lemma2 => {
                let Some(load) = &setup.scenario.workload else { return Vec::new() };
                vec![PrintedClaim {
                    quantity: Quantity::MessagesPerEntry,
                    formula: "N-1 + s/(1+γ)",
                    value: n - 1.0 + load.compete as f64 * r_max / (r_min + r_max),
                    source: "SpirakisTampakas1989 lemma 2, with both replies",
                }]
            }
            Self::Theorem1 => {
                let k = setup.facts.parameters.iter().find(|(key, _)| *key == "k");
                let Some(k) = k.and_then(|(_, k)| k.parse::<f64>().ok()) else { return Vec::new() };
                vec![PrintedClaim {
                    quantity: Quantity::Time,
                    formula: "4 e N d_max k",
                    value: 4.0 * std::f64::consts::E * n * d_max * k,
                    source: "SpirakisTampakas1989 Theorem 1, as printed",
                }]
            }
            _ => Vec::new(),
        }
    }
}

/// A claim beside what was measured.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Verified {
    /// Which.
    pub claim: String,
    /// Of which protocol.
    pub protocol: &'static str,
    /// The heading of the second column.
    pub axis: &'static str,
    /// One quantity in one cell each.
    pub rows: Vec<ClaimRow>,
    /// The line that repeats it.
    pub rerun: String,
    /// Whether a property was violated in some run.
    #[serde(skip)]
    pub violated: bool,
    /// The run at which memory ran out, as a command line; the table ends before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out_of_memory: Option<String>,
}

impl Verified {
    /// A table without a line.
    fn new(claim: Claim, axis: &'static str, given: &Options, runs: u64) -> Self {
        Self {
            claim: claim.name().to_string(),
            protocol: claim.protocol(),
            axis,
            rows: Vec::new(),
            rerun: given.command_line(&format!("reproduce --table {} --runs {runs}", claim.name())),
            violated: false,
            out_of_memory: None,
        }
    }

    /// Measures the cells one after the other, until told to stop.
    fn fill<C>(
        mut self,
        cells: impl IntoIterator<Item = C>,
        watch: &dyn Watch,
        keep: &mut dyn FnMut(&Self),
        mut measure: impl FnMut(C) -> Result<CellLines, Error>,
    ) -> Result<Self, Error> {
        for cell in cells {
            let lines = measure(cell)?;
            self.violated |= lines.violated;
            self.out_of_memory = lines.out_of_memory;
            // The runs that fit into memory are no fair sample.
            if self.out_of_memory.is_some() {
                break;
            }
            self.rows.extend(lines.rows);
            keep(&self);
            if watch.stopped() {
                break;
            }
        }
        Ok(self)
    }

    /// Whether some interval lies above what is claimed.
    pub fn is_exceeded(&self) -> bool {
        self.rows.iter().any(|row| row.decided && row.relation == Relation::Above)
    }
}

/// One quantity in one cell.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ClaimRow {
    /// γ.
    pub gamma: Number,
    /// The same.
    #[serde(skip)]
    pub ratio: Gamma,
    /// The value of the second column.
    pub value: String,
    /// The measured value.
    pub quantity: String,
    /// The number of runs.
    pub runs: u64,
    /// Their mean.
    pub measured: Measured,
    /// The claim.
    pub claimed: Number,
    /// As people write it.
    pub formula: &'static str,
    /// The source.
    pub source: &'static str,
    /// The position of the interval: below the claimed value, around it, or above.
    pub relation: Relation,
    /// Whether the runs decide: not where some of them violated a property, and the claim is not about that, or never ended.
    pub decided: bool,
    /// Runs in which something was violated.
    pub violated: u64,
}

/// The minimum number of runs for an interval.
const FEWEST_RUNS: u64 = 10;

/// Puts a claim to the test; stopped, the table has the cells so far. `keep` is told the table so far.
pub fn verify(
    claim: Claim,
    given: &Options,
    runs: Option<u64>,
    watch: &dyn Watch,
    keep: &mut dyn FnMut(&Verified),
) -> Result<Verified, Error> {
    if let Some(field) = claim.varied(given) {
        return Err(BadSetting::new(field, "is given", "nothing: this table goes through its values").into());
    }
    if given.d.as_ref().is_some_and(ChangingRange::changes) {
        return Err(BadSetting::new("d", "changes with time", "one range: the claims of tables are about one").into());
    }
    let runs = runs.unwrap_or_else(|| claim.usual_runs());
    if runs < FEWEST_RUNS {
        let allowed = format!("at least {FEWEST_RUNS}: fewer say little about their spread");
        return Err(BadSetting::new("runs", format!("are {runs}"), allowed).into());
    }
    if claim.is_planned() {
        return planned::verify(claim, given, runs, watch, keep);
    }
    let grid = claim.grid();
    let values: Vec<Range> = grid.values.iter().copied().filter(|&value| claim.allows(given, value)).collect();
    let cells = grid.gammas.iter().flat_map(|&gamma| values.iter().map(move |&value| (gamma, value)));
    let mut done = RunsDone { done: 0, of: ((grid.gammas.len() * values.len()) as u64).saturating_mul(runs) };
    Verified::new(claim, grid.axis, given, runs).fill(cells, watch, keep, |(gamma, value)| {
        let mut cell = Cell::measure(claim, &claim.options(given, value, gamma), runs, &mut done, watch)?;
        let (violated, out_of_memory) = (cell.violated > 0, cell.out_of_memory.take());
        Ok(CellLines { rows: cell.rows(claim, gamma, value), violated, out_of_memory })
    })
}

/// The lines of one cell of a table.
struct CellLines {
    rows: Vec<ClaimRow>,
    /// Whether a property was violated in some run.
    violated: bool,
    /// The run at which memory ran out.
    out_of_memory: Option<String>,
}

/// The runs of a table that are done, out of how many.
struct RunsDone {
    done: u64,
    of: u64,
}

impl RunsDone {
    /// Makes the runs of one cell, until told to stop, and hands them on. The command of the run at which memory ran out, if
    /// one did.
    fn each_run(
        &mut self,
        protocol: &str,
        options: &Options,
        runs: u64,
        watch: &dyn Watch,
        take: &mut dyn FnMut(Setup, &Summary),
    ) -> Result<Option<String>, Error> {
        let base = options.seed.unwrap_or(1);
        let cell = SweepCell::new(String::new(), Vec::new(), find(protocol)?, options.clone());
        for run in 0..runs {
            // Cells have independent seeds: equal ones would make their lines err together.
            let setup = cell.setup(cell.seed(base, run))?;
            watch.measuring(&setup.command_line());
            let (summary, end) = setup.run_watched(watch)?;
            if end == RunEnd::OutOfMemory {
                return Ok(Some(setup.command_line()));
            }
            if end != RunEnd::Complete || watch.stopped() {
                break;
            }
            take(setup, &summary);
            self.done += 1;
            watch.measured(self.done, self.of);
        }
        Ok(None)
    }
}

/// The runs of one cell.
struct Cell {
    /// By quantity, what each run measured.
    samples: Vec<Vec<f64>>,
    bounds: Vec<EvaluatedBound>,
    work: &'static str,
    two_leaders: u64,
    /// Runs that did not finish, in which no second leader was seen, and might have been.
    undecided: u64,
    /// The claims of the paper that are no bounds of the protocol.
    printed: Vec<PrintedClaim>,
    /// (3/4)^k.
    figure: Option<(f64, &'static str)>,
    violated: u64,
    runs: u64,
    /// The run at which memory ran out.
    out_of_memory: Option<String>,
}

impl Cell {
    /// Stopped, it has the runs so far.
    fn measure(
        claim: Claim,
        options: &Options,
        runs: u64,
        tally: &mut RunsDone,
        watch: &dyn Watch,
    ) -> Result<Self, Error> {
        let quantities = claim.quantities();
        let mut cell = Self {
            samples: vec![Vec::new(); quantities.len()],
            bounds: Vec::new(),
            work: "",
            two_leaders: 0,
            undecided: 0,
            printed: Vec::new(),
            figure: None,
            violated: 0,
            runs: 0,
            out_of_memory: None,
        };
        cell.out_of_memory = tally.each_run(claim.protocol(), options, runs, watch, &mut |setup, summary| {
            cell.take(quantities, &setup, summary);
            cell.printed = claim.printed(&setup);
            cell.work = setup.facts.work;
            cell.bounds = setup.facts.bounds;
            cell.runs += 1;
        })?;
        Ok(cell)
    }

    fn take(&mut self, quantities: &[Quantity], setup: &Setup, summary: &Summary) {
        self.violated += u64::from(summary.verdict != Verdict::Held);
        for (samples, &quantity) in self.samples.iter_mut().zip(quantities) {
            samples.extend(summary.cost.of(quantity).map(float));
        }
        if let Outcome::Election { leaders, .. } = &summary.outcome {
            self.two_leaders += u64::from(leaders.len() > 1);
            self.undecided += u64::from(leaders.len() <= 1 && !summary.finished);
        }
        self.figure =
            setup.facts.figures.iter().find(|figure| figure.symbol == "(3/4)^k").map(|f| (float(f.value), f.symbol));
    }

    fn rows(self, claim: Claim, gamma: Gamma, value: Range) -> Vec<ClaimRow> {
        let row = |quantity, measured: Measured, claimed: f64, formula, source| ClaimRow {
            gamma: gamma.into(),
            ratio: gamma,
            value: value.to_string(),
            quantity,
            runs: self.runs,
            measured,
            claimed: Number::from_f64(claimed),
            formula,
            source,
            relation: measured.relation(claimed),
            decided: self.violated == 0,
            violated: self.violated,
        };
        if let (Claim::TwoLeaders, Some((claimed, symbol))) = (claim, self.figure.filter(|_| self.runs > 0)) {
            let rate = Measured::rate(self.two_leaders, self.runs);
            let mut row = row("two leaders".to_string(), rate, claimed, symbol, "SpirakisTampakas1989, Lemma 6");
            // Runs that never end may be errors or none: the verdict must not depend on it.
            let most = Measured::rate(self.two_leaders + self.undecided, self.runs);
            row.relation = match (rate.relation(claimed), most.relation(claimed)) {
                (Relation::Above, _) => Relation::Above,
                (_, Relation::Below) => Relation::Below,
                _ => Relation::Around,
            };
            row.decided = self.undecided == 0 || row.relation != Relation::Around;
            return vec![row];
        }
        let mut rows = Vec::new();
        for (samples, &quantity) in self.samples.iter().zip(claim.quantities()) {
            let about = |bound: &&EvaluatedBound| bound.quantity == quantity && bound.kind == BoundKind::Mean;
            // The theorem comes first. The sharper bound of its proof is attained: of samples half are above it.
            let most = if claim == Claim::Theorem1 { 1 } else { usize::MAX };
            for bound in self.bounds.iter().filter(about).take(most) {
                let Some(measured) = Measured::mean(samples) else { continue };
                let name = quantity_name(quantity, self.work);
                // A claim about a maximum is refuted by one run that exceeds it, whatever the mean.
                let measured = if quantity == Quantity::LongestDelay { measured.greatest() } else { measured };
                rows.push(row(name, measured, float(bound.value), bound.formula, bound.source));
            }
            for printed in self.printed.iter().filter(|printed| printed.quantity == quantity) {
                let Some(measured) = Measured::mean(samples) else { continue };
                let measured = if quantity == Quantity::LongestDelay { measured.greatest() } else { measured };
                rows.push(row(
                    quantity_name(quantity, self.work),
                    measured,
                    printed.value,
                    printed.formula,
                    printed.source,
                ));
            }
        }
        rows
    }
}
