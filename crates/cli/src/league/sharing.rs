//! The league tables of problems in which sites share something: over contention and γ.

use ringleader_model::{BoundKind, Quantity};
use ringleader_protocols::catalogue::{self, DESCRIPTIONS};
use ringleader_sim::{Choices, Verdict};
use serde::Serialize;

use super::{Proved, proved};
use crate::error::{Error, Exit};
use crate::execution::{Execution, interrupted};
use crate::gamma::Gamma;
use crate::options::Options;
use crate::plan::Plan;
use crate::report::{DelayReport, Number, Report, ResultReport};

/// How many sites there are.
pub(crate) const SITES: u64 = 16;
/// How often each enters.
const ENTRIES: u64 = 50;
/// How many of them compete.
const CONTENTION: [u64; 3] = [1, 4, SITES];

/// A line of the table: one protocol at one γ and contention.
#[derive(Serialize)]
pub(crate) struct SharingEntry {
    pub(crate) protocol: &'static str,
    pub(crate) gamma: Number,
    #[serde(skip)]
    pub(crate) ratio: Gamma,
    /// How many sites compete.
    pub(crate) contention: u64,
    pub(crate) messages_per_entry: Option<Number>,
    /// The sharpest bound on messages per entry that no run exceeds.
    pub(crate) proved: Option<Proved>,
    /// What is claimed of the mean.
    pub(crate) mean: Option<Proved>,
    pub(crate) granting_delay: Option<DelayReport>,
    pub(crate) attempts_per_read: Option<Number>,
    pub(crate) fairness: Option<Number>,
    pub(crate) verdict: String,
    pub(crate) rerun: String,
    #[serde(skip)]
    pub(crate) exit: Exit,
}

/// Every protocol for a problem, at every γ and contention.
pub(crate) fn table(problem: &str, seed: u64) -> Result<Vec<SharingEntry>, Error> {
    let shared = problem == "readers-writers";
    let mut entries = Vec::new();
    for gamma in Gamma::ALL {
        for contention in CONTENTION {
            // With readers and writers one of them writes.
            let sites = if shared { contention.max(2) } else { SITES };
            for description in DESCRIPTIONS.iter().filter(|d| catalogue::problem(d.name) == Some(problem)) {
                let options = Options {
                    n: Some(sites),
                    compete: Some(contention).filter(|_| !shared),
                    entries: Some(ENTRIES),
                    timing: Some("archimedean".to_string()),
                    r: Some(gamma.ticks().to_string()),
                    seed: Some(seed),
                    ..Options::default()
                };
                let Some(entry) = enter(description.name, gamma, if shared { sites } else { contention }, &options)?
                else {
                    return Ok(entries);
                };
                entries.push(entry);
            }
        }
    }
    Ok(entries)
}

/// `None` once Ctrl-C was pressed.
fn enter(
    protocol: &'static str,
    gamma: Gamma,
    contention: u64,
    options: &Options,
) -> Result<Option<SharingEntry>, Error> {
    let plan = Plan::new(protocol, options)?;
    let mut execution = Execution::new(&plan, Choices::Drawn)?;
    execution.finish();
    if interrupted() {
        return Ok(None);
    }
    let summary = execution.run.summary();
    let exit = if summary.verdict == Verdict::Held { execution.exit(&summary) } else { Exit::Violated };
    let of = |kinds| proved(&execution, &summary, &[Quantity::MessagesPerEntry], kinds);
    let (proved, mean) = (of(&[BoundKind::Worst, BoundKind::Exact]), of(&[BoundKind::Mean]));
    let Report { outcome, cost, rerun, .. } = Report::new(&plan, options, &execution, &summary);
    Ok(Some(SharingEntry {
        protocol,
        gamma: gamma.into(),
        ratio: gamma,
        contention,
        messages_per_entry: cost.messages_per_entry,
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
        exit,
    }))
}
