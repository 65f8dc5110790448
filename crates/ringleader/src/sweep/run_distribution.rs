//! The distributions within one run: `run --distribution`.

use ringleader_sim::Summary;
use schemars::JsonSchema;
use serde::Serialize;

use super::breakdown::MessageBreakdown;
use crate::statistics::{Distribution, HistogramBucket, USUAL_LEVEL, histogram};

/// The most buckets of a histogram.
const BUCKETS: usize = 12;

/// What one run cost, by phase, by identity and by entry.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct RunDistribution {
    /// Messages and candidates of each phase; empty where there are no phases.
    pub phases: Vec<PhaseCount>,
    /// Message passes of each identity, in increasing order of identities; empty where messages carry none.
    pub identities: Vec<IdentityCount>,
    /// The time from asking to entering, of the entries made while all sites compete; null where nobody enters.
    pub waiting_times: Option<WaitingTimes>,
}

/// A phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct PhaseCount {
    /// Its number.
    pub phase: u64,
    /// Message passes, without announcements.
    pub messages: u64,
    /// The processors that reach it.
    pub candidates: u64,
}

/// An identity.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct IdentityCount {
    /// The identity.
    pub id: u64,
    /// Passes of messages that carry it.
    pub messages: u64,
}

/// Waiting times.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct WaitingTimes {
    /// Their number.
    pub entries: u64,
    /// Their mean.
    pub mean: f64,
    /// Their median.
    pub median: f64,
    /// Their 95th percentile.
    pub p95: f64,
    /// The least.
    pub min: f64,
    /// The greatest.
    pub max: f64,
    /// How many there are of each length.
    pub histogram: Vec<HistogramBucket>,
}

impl RunDistribution {
    /// Of a run whose steps were counted.
    pub fn new(summary: &Summary, breakdown: &MessageBreakdown) -> Self {
        let phases = breakdown.by_phase().iter().zip(breakdown.candidates()).zip(breakdown.first_phase() as u64..);
        let identities = breakdown.ids().iter().zip(breakdown.by_identity());
        let identities: Vec<_> = identities.map(|(&id, &messages)| IdentityCount { id, messages }).collect();
        let carried = identities.iter().any(|count| count.messages > 0);
        Self {
            phases: phases.map(|((&messages, candidates), phase)| PhaseCount { phase, messages, candidates }).collect(),
            identities: if carried { identities } else { Vec::new() },
            waiting_times: WaitingTimes::new(&summary.cost.tally.waits),
        }
    }

    /// How many identities have so many passes.
    pub fn identity_histogram(&self) -> Vec<HistogramBucket> {
        histogram(&self.identities.iter().map(|count| count.messages).collect::<Vec<_>>(), BUCKETS)
    }
}

impl WaitingTimes {
    fn new(waits: &[u64]) -> Option<Self> {
        let sample: Vec<f64> = waits.iter().map(|&wait| wait as f64).collect();
        let Distribution { runs, mean, median, p95, min, max, .. } = Distribution::of(&sample, USUAL_LEVEL)?;
        Some(Self { entries: runs, mean, median, p95, min, max, histogram: histogram(waits, BUCKETS) })
    }
}
