//! The league table: every election on its network, measured against proved.

use ringleader_model::{BoundKind, Election, Outcome, Problem, Quantity};
use ringleader_protocols::catalogue::{self, DESCRIPTIONS};
use ringleader_sim::{Choices, Summary, Verdict};
use serde::Serialize;

use crate::error::{Error, Exit};
use crate::execution::{Execution, MESSAGES, interrupted};
use crate::options::Options;
use crate::plan::Plan;
use crate::report::Number;

pub(crate) mod sharing;

/// The size of the ring.
pub(crate) const SIZE: u64 = 1000;

/// A line of the table.
#[derive(Serialize)]
pub(crate) struct Entry {
    pub(crate) protocol: &'static str,
    pub(crate) title: &'static str,
    pub(crate) topology: &'static str,
    pub(crate) messages: u64,
    pub(crate) election: u64,
    pub(crate) announcement: u64,
    pub(crate) bits: u64,
    pub(crate) time: u64,
    pub(crate) leader: Option<u64>,
    pub(crate) verdict: &'static str,
    /// The sharpest bound on messages that no run exceeds, or, where there is none, that every run reaches.
    pub(crate) proved: Option<Proved>,
    /// What is proved in the mean.
    pub(crate) mean: Option<Proved>,
    pub(crate) rerun: String,
    #[serde(skip)]
    pub(crate) exit: Exit,
}

/// A bound on messages beside what was measured.
#[derive(Serialize)]
pub(crate) struct Proved {
    pub(crate) measured: Number,
    #[serde(skip)]
    pub(crate) counted: String,
    pub(crate) value: Number,
    #[serde(skip)]
    pub(crate) shown: String,
    pub(crate) kind: &'static str,
    pub(crate) formula: &'static str,
    pub(crate) source: &'static str,
    pub(crate) holds: Option<bool>,
}

/// Every election in the catalogue among [`SIZE`] processors, the cheapest first.
pub(crate) fn table(seed: u64) -> Result<Vec<Entry>, Error> {
    let mut entries = Vec::new();
    for description in DESCRIPTIONS.iter().filter(|d| catalogue::problem(d.name) == Some(Election::NAME)) {
        let options = Options { n: Some(SIZE), seed: Some(seed), ..Options::default() };
        let plan = Plan::new(description.name, &options)?;
        let mut execution = Execution::new(&plan, Choices::Drawn)?;
        execution.finish();
        if interrupted() {
            break;
        }
        let summary = execution.run.summary();
        let Outcome::Election { agreed, .. } = summary.outcome else { continue };
        entries.push(Entry {
            protocol: description.name,
            title: description.title,
            topology: description.assumptions.topology.name(),
            messages: summary.cost.messages(),
            election: summary.cost.split(false),
            announcement: summary.cost.split(true),
            bits: summary.cost.bits,
            time: summary.cost.time,
            leader: agreed.map(|id| id.get()),
            verdict: summary.verdict.name(),
            // An exact figure may be one of this order of identities; what no order exceeds tells more.
            proved: proved(&execution, &summary, &MESSAGES, &[BoundKind::Worst])
                .or_else(|| proved(&execution, &summary, &MESSAGES, &[BoundKind::Exact])),
            mean: proved(&execution, &summary, &MESSAGES, &[BoundKind::Mean]),
            rerun: options.rerun(description.name),
            exit: if summary.verdict == Verdict::Held { execution.exit(&summary) } else { Exit::Violated },
        });
    }
    entries.sort_by_key(|entry| entry.messages);
    Ok(entries)
}

fn proved(execution: &Execution, summary: &Summary, quantities: &[Quantity], kinds: &[BoundKind]) -> Option<Proved> {
    let bound = execution.sharpest(quantities, kinds)?;
    let (measured, holds) = bound.judge(summary);
    let measured = measured?;
    Some(Proved {
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
