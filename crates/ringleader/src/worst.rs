//! Worst cases: the order of identities, wake set, orientation, port numbering, clocks, delays or schedule at which an election
//! costs most, or least.
//!
//! Where there are few of them all are evaluated; elsewhere local search climbs from random ones. Schedules are left to the
//! model checker, which explores all.

mod schedules;
mod search;
mod space;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use ringleader_check::Effort;
use ringleader_model::{BadSetting, BadText, BoundKind, Quantity, word};
use ringleader_sim::{Choices, Random, Summary};
use schemars::JsonSchema;
use serde::Serialize;

pub use self::space::Dimension;

use self::search::{Best, Goal};
use self::space::SearchSpace;
use crate::entry::Entry;
use crate::error::Error;
use crate::exact::{MOST_RUNS, concise, position_of, quantities};
use crate::execution::{EvaluatedBound, Execution};
use crate::options::{CommandLine, Options};
use crate::report::{BoundReport, RunReport, grouped, quantity_name, rules_of};
use crate::setup::Setup;
use crate::trace_file::TraceFile;
use crate::watch::Watch;

/// What is searched for, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorstOptions {
    /// All that a run has. Whatever is not searched for stays as it is; identities are those whose orders are searched.
    pub options: Options,
    /// The quantity: messages, election, announcement, bits, time, time_elected, phases or a kind of message.
    pub quantity: String,
    /// The least value, and not the greatest.
    pub least: bool,
    /// What is searched; nothing means orders, and clocks and delays where r and d are ranges.
    pub over: Vec<Dimension>,
    /// How it is searched.
    pub method: SearchMethod,
    /// The most evaluations.
    pub budget: u64,
    /// Threads, and the memory of the model checker.
    pub effort: Effort,
}

impl WorstOptions {
    /// The most evaluations unless told otherwise.
    pub const BUDGET: u64 = 1_000_000;
    /// The quantity unless told otherwise.
    pub const QUANTITY: &'static str = "messages";
}

/// How a search goes about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SearchMethod {
    /// Exhaustive where the budget allows it, else local.
    #[default]
    Auto,
    /// Everything is evaluated.
    Exhaustive,
    /// Local search with restarts.
    Local,
}

impl SearchMethod {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Exhaustive, Self::Local];

    /// As users write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Exhaustive => "exhaustive",
            Self::Local => "local",
        }
    }
}

impl FromStr for SearchMethod {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        word(text, &Self::ALL, Self::name)
    }
}

impl fmt::Display for SearchMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The worst case that was found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WorstReport {
    /// The protocol.
    pub protocol: String,
    /// Whether the printed or the repaired rules were followed.
    pub rules: String,
    /// The protocol's parameters.
    pub parameters: BTreeMap<String, String>,
    /// The number of processors.
    pub n: u64,
    /// The quantity.
    pub quantity: String,
    /// greatest or least.
    pub sense: String,
    /// Its value.
    pub value: u64,
    /// Whether it is proved to be the extreme of everything that was searched: all of it was evaluated.
    pub exhaustive: bool,
    /// exhaustive, local-search or model-checking.
    pub method: String,
    /// What was searched.
    pub over: Vec<String>,
    /// Runs evaluated; states explored by a model checker.
    pub evaluated: u64,
    /// How many runs there are to choose from, if that is less than 2^127; null for schedules.
    pub space: Option<String>,
    /// Whether the search was interrupted.
    pub interrupted: bool,
    /// The order of identities.
    pub order: Vec<u64>,
    /// The bounds on this quantity beside its value.
    pub bounds: Vec<BoundReport>,
    /// The line that makes the run; null for a schedule, which only a trace file says.
    pub run: Option<String>,
    /// The line that repeats the search.
    pub rerun: String,
}

impl WorstReport {
    /// Whether a bound is exceeded.
    pub fn is_exceeded(&self) -> bool {
        self.bounds.iter().any(|bound| bound.holds == Some(false))
    }

    /// Whether a bound of the sense of the search is reached: no run has more, or less.
    pub fn is_tight(&self) -> bool {
        let sense = if self.sense == LEAST { BoundKind::Best } else { BoundKind::Worst };
        let reached = |bound: &BoundReport| bound.kind == sense.name() && bound.measured == Some(bound.value);
        self.bounds.iter().any(reached)
    }
}

const LEAST: &str = "least";
const GREATEST: &str = "greatest";

/// Searches; the run that was found comes along. `None` if it was stopped before anything was evaluated.
///
/// # Errors
/// If the options do not suit the protocol, or there is too much to evaluate.
pub fn worst(
    entry: &'static dyn Entry,
    asked: &WorstOptions,
    watch: &dyn Watch,
) -> Result<Option<(WorstReport, TraceFile)>, Error> {
    entry.require_ordered_election("worst")?;
    if asked.options.changes.is_some() {
        let allowed = "not in a search: it arranges the names of a ring itself; --ids with the names afterwards";
        return Err(BadSetting::new("changes", "are given", allowed).into());
    }
    let by_number = [("intervene", asked.options.intervene.is_some()), ("choices", asked.options.choices.is_some())];
    if let Some((field, _)) = by_number.into_iter().find(|(_, given)| *given) {
        let allowed = "only in a run: in each run of a search a number means something else";
        return Err(BadSetting::new(field, "is given for a search", allowed).into());
    }
    if asked.over == [Dimension::Schedules] {
        if asked.method == SearchMethod::Local {
            return Err(BadSetting::new("search", "is local", "exhaustive or auto with --over schedules").into());
        }
        return schedules::worst_schedule(entry, asked, watch);
    }
    if asked.budget == 0 {
        return Err(BadSetting::new("budget", "is 0", "at least 1 run").into());
    }
    let mut base = Setup::new(entry, asked.options.clone())?;
    base.list_identities();
    let measure = position_of(entry, &asked.quantity)?;
    let space = SearchSpace::new(&base, &asked.over)?;
    let count = space.count();
    let quantity = quantities(&entry.profile().kinds)[measure];
    let exhaustive = is_exhaustive(asked, count)?;
    let proved = if exhaustive { None } else { proved(&base, &space, quantity, asked)? };
    let goal = Goal { base: &base, space: &space, measure, least: asked.least, proved, threads: asked.effort.threads };
    let found = match (exhaustive, count) {
        (true, Some(count)) => goal.exhaust(u64::try_from(count).unwrap_or(u64::MAX), watch)?,
        _ => goal.climb(asked.budget, base.scenario.seed, watch)?,
    };
    let Some(best) = found else { return Ok(None) };
    let complete = exhaustive && count == Some(best.evaluated.into());
    let setup = concise(&base, &space.scenario(&best.point))?;
    let (summary, trace) = record(&setup)?;
    agrees(&setup, &summary, quantity, &best)?;
    let settings = &base.facts.parameters;
    let path = quantity_name(quantity, entry.work());
    let bounds = RunReport::new(&setup, &summary).bounds.into_iter().filter(|bound| bound.quantity == path).collect();
    let report = WorstReport {
        protocol: entry.name().to_string(),
        rules: rules_of(settings.iter().map(|(key, value)| (*key, value.as_str()))).to_string(),
        parameters: settings.iter().map(|(key, value)| ((*key).to_string(), value.clone())).collect(),
        n: base.scenario.n as u64,
        quantity: asked.quantity.clone(),
        sense: sense(asked).to_string(),
        value: best.value,
        exhaustive: complete,
        method: if exhaustive { "exhaustive" } else { "local-search" }.to_string(),
        over: space.dimensions().iter().map(ToString::to_string).collect(),
        evaluated: best.evaluated,
        space: count.map(|count| count.to_string()),
        interrupted: best.interrupted || exhaustive && !complete,
        order: setup.scenario.ids.clone(),
        bounds,
        run: Some(setup.command_line()),
        rerun: command_line(entry, asked),
    };
    Ok(Some((report, trace)))
}

fn sense(asked: &WorstOptions) -> &'static str {
    if asked.least { LEAST } else { GREATEST }
}

/// Whether everything is evaluated.
fn is_exhaustive(asked: &WorstOptions, count: Option<u128>) -> Result<bool, BadSetting> {
    let few = |most: u64| count.is_some_and(|count| count <= most.into());
    match asked.method {
        SearchMethod::Local => Ok(false),
        SearchMethod::Auto => Ok(few(asked.budget)),
        SearchMethod::Exhaustive if few(MOST_RUNS) => Ok(true),
        SearchMethod::Exhaustive => {
            let runs = count.map_or("more than 2^127".to_string(), grouped);
            let allowed = format!("at most {} runs; local searches larger spaces", grouped(MOST_RUNS));
            Err(BadSetting::new("search", format!("is exhaustive: that takes {runs} runs"), allowed))
        }
    }
}

/// The value that is proved to be the extreme of the quantity, where that does not depend on what is searched.
fn proved(
    base: &Setup,
    space: &SearchSpace<'_>,
    quantity: Quantity,
    asked: &WorstOptions,
) -> Result<Option<u64>, BadSetting> {
    // Not those that are exact: they may depend on the order, and most orders may have the same value.
    let kind = if asked.least { BoundKind::Best } else { BoundKind::Worst };
    let meant = |bound: &EvaluatedBound| bound.quantity == quantity && bound.kind == kind && bound.before.is_none();
    let mut bounds: Vec<EvaluatedBound> = base.facts.bounds.iter().copied().filter(meant).collect();
    let mut random = Random::new(base.scenario.seed);
    for _ in 0..SAMPLES {
        let facts = concise(base, &space.scenario(&space.random(&mut random)))?.facts;
        bounds.retain(|bound| facts.bounds.contains(bound));
    }
    let whole = |bound: &EvaluatedBound| u64::try_from(bound.value.parts().0).ok();
    let values = bounds.iter().filter_map(whole);
    Ok(if asked.least { values.max() } else { values.min() })
}

/// A bound that is the same for this number of random points does not depend on what is searched.
const SAMPLES: usize = 32;

/// Makes a run again, and records it.
fn record(setup: &Setup) -> Result<(Summary, TraceFile), Error> {
    let mut execution = Execution::new(setup, Choices::Drawn)?;
    execution.run.record();
    execution.finish(&());
    let summary = execution.run.summary();
    let trace = TraceFile::new(setup, execution.run.as_ref(), &summary);
    Ok((summary, trace))
}

/// The run of the simulator must cost what the search says.
fn agrees(setup: &Setup, summary: &Summary, quantity: Quantity, best: &Best) -> Result<(), Error> {
    let simulated = summary.cost.of(quantity).map_or(0, |value| value.parts().0);
    if simulated == best.value.into() {
        return Ok(());
    }
    let wrong = format!("the search found {}, but {} costs {simulated}", best.value, setup.command_line());
    Err(Error::Refused { wrong, allowed: Some("nothing: this is a defect of ringleader, please report it") })
}

/// The line that repeats a search.
fn command_line(entry: &dyn Entry, asked: &WorstOptions) -> String {
    let mut line = CommandLine::new(&format!("worst {}", entry.name()));
    line.value("--quantity", Some(&asked.quantity).filter(|quantity| *quantity != WorstOptions::QUANTITY));
    line.flag("--least", asked.least);
    let over: Vec<&str> = asked.over.iter().copied().map(Dimension::name).collect();
    line.value("--over", (!over.is_empty()).then(|| over.join(",")));
    line.value("--search", Some(asked.method).filter(|method| *method != SearchMethod::Auto));
    line.value("--budget", Some(asked.budget).filter(|budget| *budget != WorstOptions::BUDGET));
    let command = line.into_text();
    let command = command.split_once(' ').map_or("", |(_, command)| command);
    asked.options.command_line(command)
}
