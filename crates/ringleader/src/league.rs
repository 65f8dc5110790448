//! The league table: every election on its network, measured against proved.

use ringleader_model::{BoundKind, Election, Outcome, Problem, Quantity};
use ringleader_sim::{Summary, Verdict};
use schemars::JsonSchema;
use serde::Serialize;

use crate::catalogue::Catalogue;
use crate::error::Error;
use crate::execution::{MESSAGES, RunEnd};
use crate::options::Options;
use crate::report::Number;
use crate::setup::Setup;
use crate::watch::Watch;

pub mod sharing;

/// The number of processors, unless one says so.
pub const SIZE: u64 = 1000;

/// A line of the table.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LeagueRow {
    /// The protocol.
    pub protocol: &'static str,
    /// One line about it.
    pub title: &'static str,
    /// The network.
    pub topology: &'static str,
    /// All message passes.
    pub messages: u64,
    /// Those that do the work.
    pub election: u64,
    /// Those that spread the result.
    pub announcement: u64,
    /// Bits passed.
    pub bits: u64,
    /// The clock at the end.
    pub time: u64,
    /// The identity of the leader, where there are identities.
    pub leader: Option<u64>,
    /// The place of the leader; null if there is not just one.
    pub leader_place: Option<u64>,
    /// Whether every property held.
    pub verdict: &'static str,
    /// The sharpest bound on messages that no run exceeds, or, where there is none, that every run reaches.
    pub proved: Option<Comparison>,
    /// The proved mean.
    pub mean: Option<Comparison>,
    /// The line that repeats it.
    pub rerun: String,
    /// Whether a property was violated or a bound exceeded.
    #[serde(skip)]
    pub failed: bool,
}

/// A bound on messages beside what was measured.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Comparison {
    /// The measured value.
    pub measured: Number,
    /// The same as text.
    #[serde(skip)]
    pub counted: String,
    /// Its value.
    pub value: Number,
    /// The same as text.
    #[serde(skip)]
    pub shown: String,
    /// In what sense.
    pub kind: &'static str,
    /// As people write it.
    pub formula: &'static str,
    /// The source.
    pub source: &'static str,
    /// Whether they agree.
    pub holds: Option<bool>,
}

/// The rows of a league table.
#[derive(Clone, Debug)]
pub struct League<R> {
    /// One for each run.
    pub rows: Vec<R>,
    /// The runs that are missing because memory ran out, as command lines.
    pub out_of_memory: Vec<String>,
}

impl<R> Default for League<R> {
    fn default() -> Self {
        Self { rows: Vec::new(), out_of_memory: Vec::new() }
    }
}

/// Every election in the catalogue among `n` processors, the cheapest first; stopped, those so far. `keep` is told the rows
/// so far.
pub fn table(
    catalogue: &Catalogue,
    n: u64,
    seed: u64,
    watch: &dyn Watch,
    keep: &mut dyn FnMut(&[LeagueRow]),
) -> Result<League<LeagueRow>, Error> {
    let mut league = League::default();
    let elections = || catalogue.iter().filter(|entry| entry.problem() == Election::NAME);
    for (done, entry) in elections().enumerate() {
        watch.measured(done as u64, elections().count() as u64);
        let description = entry.description();
        let setup = Setup::new(entry, Options { n: Some(n), seed: Some(seed), ..Options::default() })?;
        let rerun = setup.command_line();
        watch.measuring(&rerun);
        let (summary, end) = setup.run_watched(watch)?;
        match end {
            RunEnd::Complete => {}
            RunEnd::Stopped => break,
            RunEnd::OutOfMemory => {
                league.out_of_memory.push(rerun);
                continue;
            }
        }
        let Outcome::Election { agreed, ref leaders, .. } = summary.outcome else { continue };
        let leader_place = if let [one] = leaders.as_slice() { Some(one.place) } else { None };
        league.rows.push(LeagueRow {
            protocol: description.name,
            title: description.title,
            topology: description.assumptions.topology.name(),
            messages: summary.cost.messages(),
            election: summary.cost.split(false),
            announcement: summary.cost.split(true),
            bits: summary.cost.bits,
            time: summary.cost.time,
            leader: agreed.map(|id| id.get()),
            leader_place,
            verdict: summary.verdict.name(),
            // An exact figure may be one of this order of identities; what no order exceeds tells more.
            proved: proved(&setup, &summary, &MESSAGES, &[BoundKind::Worst])
                .or_else(|| proved(&setup, &summary, &MESSAGES, &[BoundKind::Exact])),
            mean: proved(&setup, &summary, &MESSAGES, &[BoundKind::Mean]),
            rerun,
            failed: summary.verdict != Verdict::Held || setup.is_exceeded(&summary),
        });
        league.rows.sort_by_key(|row| row.messages);
        keep(&league.rows);
    }
    Ok(league)
}

fn proved(setup: &Setup, summary: &Summary, quantities: &[Quantity], kinds: &[BoundKind]) -> Option<Comparison> {
    let bound = setup.sharpest(quantities, kinds)?;
    let (measured, holds) = bound.judge(summary);
    let measured = measured?;
    Some(Comparison {
        measured: measured.into(),
        counted: measured.to_string(),
        value: bound.value.into(),
        shown: bound.value.to_string(),
        kind: bound.kind.name(),
        formula: bound.formula,
        source: bound.source,
        holds,
    })
}
