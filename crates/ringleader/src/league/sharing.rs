//! The league tables of problems in which sites share something: over contention and γ.

use ringleader_model::{BoundKind, Preset, Problem, Quantity, ReadersWriters, SiteLoad};
use ringleader_sim::{Summary, Verdict};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Comparison, League, proved};
use crate::catalogue::Catalogue;
use crate::entry::Entry;
use crate::error::Error;
use crate::execution::RunEnd;
use crate::gamma::Gamma;
use crate::options::{Options, TimingName};
use crate::report::{DelayReport, Number, ResultReport, RunReport};
use crate::setup::Setup;
use crate::watch::Watch;

/// The number of sites, unless one says so.
pub const SITES: u64 = 16;
/// Entries per site.
const ENTRIES: u64 = 50;
/// Numbers of competing sites, besides all.
const CONTENTION: [u64; 2] = [1, 4];
/// A setting that costs messages; protocols that know it have a line with it, too.
const COSTLY: (&str, &str) = ("crash", "probe");

/// The settings with which a protocol is measured.
fn settings(entry: &'static dyn Entry) -> impl Iterator<Item = Vec<(String, String)>> {
    let (name, value) = COSTLY;
    let known = entry.description().parameters.iter().any(|parameter| parameter.name == name);
    [Some(Vec::new()), known.then(|| vec![(name.to_string(), value.to_string())])].into_iter().flatten()
}

/// A line of the table: one protocol at one γ and contention.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SharingRow {
    /// The protocol.
    pub protocol: &'static str,
    /// Settings that differ from the default.
    pub settings: Vec<String>,
    /// γ.
    pub gamma: Number,
    /// The same.
    #[serde(skip)]
    pub ratio: Gamma,
    /// The number of competing sites.
    pub contention: u64,
    /// Message passes per entry, while all competing sites have entries left.
    pub messages_per_entry: Option<Number>,
    /// The same over the whole run, which is compared with bounds that no run exceeds.
    pub messages_per_entry_whole_run: Option<Number>,
    /// The sharpest bound on messages per entry that no run exceeds.
    pub proved: Option<Comparison>,
    /// The claimed mean.
    pub mean: Option<Comparison>,
    /// The time from asking to entering.
    pub granting_delay: Option<DelayReport>,
    /// Attempts per read.
    pub attempts_per_read: Option<Number>,
    /// Jain's index of the sites' entries.
    pub fairness: Option<Number>,
    /// Whether every property held.
    pub verdict: String,
    /// The line that repeats it.
    pub rerun: String,
    /// Whether a property was violated or a bound exceeded.
    #[serde(skip)]
    pub failed: bool,
}

/// Every protocol for a problem among `n` sites, at every γ and contention; stopped, the lines so far. `keep` is told the rows
/// so far.
pub fn table(
    catalogue: &Catalogue,
    problem: &str,
    n: u64,
    seed: u64,
    watch: &dyn Watch,
    keep: &mut dyn FnMut(&[SharingRow]),
) -> Result<League<SharingRow>, Error> {
    let shared = problem == ReadersWriters::NAME;
    let mut league = League::default();
    let protocols = || {
        let solve = catalogue.iter().filter(|entry| entry.problems().contains(&problem));
        solve.flat_map(|entry| settings(entry).map(move |set| (entry, set)))
    };
    let contentions = || CONTENTION.into_iter().filter(|&contention| contention < n).chain([n]);
    let runs = (Gamma::ALL.len() * contentions().count() * protocols().count()) as u64;
    for gamma in Gamma::ALL {
        for contention in contentions() {
            // With readers and writers one of them writes.
            let sites = if shared { contention.max(2) } else { n };
            for (entry, set) in protocols() {
                let options = Options {
                    n: Some(sites),
                    set,
                    compete: Some(SiteLoad::constant(contention as usize)).filter(|_| !shared),
                    // A lock for mutual exclusion has readers and writers only where they are asked for.
                    writers: Some(1).filter(|_| shared && entry.problem() != problem),
                    entries: Some(ENTRIES),
                    timing: Some(TimingName::Preset(Preset::Archimedean)),
                    r: Some(gamma.ticks().into()),
                    seed: Some(seed),
                    ..Options::default()
                };
                let contention = if shared { sites } else { contention };
                let setup = Setup::new(entry, options)?;
                watch.measuring(&setup.command_line());
                let (summary, end) = setup.run_watched(watch)?;
                match end {
                    RunEnd::Complete => league.rows.push(row(&setup, &summary, gamma, contention)),
                    RunEnd::Stopped => return Ok(league),
                    RunEnd::OutOfMemory => league.out_of_memory.push(setup.command_line()),
                }
                keep(&league.rows);
                watch.measured((league.rows.len() + league.out_of_memory.len()) as u64, runs);
            }
        }
    }
    Ok(league)
}

fn row(setup: &Setup, summary: &Summary, gamma: Gamma, contention: u64) -> SharingRow {
    let failed = summary.verdict != Verdict::Held || setup.is_exceeded(summary);
    let of = |kinds| proved(setup, summary, &[Quantity::MessagesPerEntry], kinds);
    let (proved, mean) = (of(&[BoundKind::Worst, BoundKind::Exact]), of(&[BoundKind::Mean]));
    let RunReport { outcome, cost, rerun, .. } = RunReport::new(setup, summary);
    SharingRow {
        protocol: setup.entry.name(),
        settings: setup.given.set.iter().map(|(name, value)| format!("{name}={value}")).collect(),
        gamma: gamma.into(),
        ratio: gamma,
        contention,
        messages_per_entry: cost.messages_per_entry,
        messages_per_entry_whole_run: cost.whole_run.and_then(|whole| whole.messages_per_entry),
        proved,
        mean,
        granting_delay: cost.granting_delay,
        attempts_per_read: cost.attempts_per_read,
        fairness: match outcome.result {
            ResultReport::Entries { fairness, .. } | ResultReport::Data { fairness, .. } => fairness,
            _ => None,
        },
        verdict: outcome.verdict,
        rerun,
        failed,
    }
}
