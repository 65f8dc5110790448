//! The distributions within one run: `run --distribution`.

use ringleader_model::{BoundKind, Value};
use ringleader_sim::Summary;
use schemars::JsonSchema;
use serde::Serialize;

use super::breakdown::MessageBreakdown;
use crate::execution::EvaluatedIdentityBound;
use crate::report::Number;
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
    /// What is known about the passes of each identity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity_bound: Option<IdentityBoundReport>,
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
#[derive(Clone, Copy, PartialEq, Debug, Serialize, JsonSchema)]
pub struct IdentityCount {
    /// The identity.
    pub id: u64,
    /// Passes of messages that carry it.
    pub messages: u64,
    /// The bound on them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<Number>,
    /// Whether it holds; left out where there is none, or the run did not finish.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holds: Option<bool>,
}

/// A bound on the passes of each identity.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct IdentityBoundReport {
    /// As people write it.
    pub formula: String,
    /// The source.
    pub source: String,
    /// What is counted.
    pub counts: String,
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
    /// Of a run whose steps were counted, with what is [known](crate::Setup::identity_bound) about each identity.
    pub fn new(summary: &Summary, breakdown: &MessageBreakdown, bound: Option<&EvaluatedIdentityBound>) -> Self {
        let phases = breakdown.by_phase().iter().zip(breakdown.candidates()).zip(breakdown.first_phase() as u64..);
        let value = |rank: usize| bound.map(|bound| bound.values[rank]);
        let held = |passes: u64, value: Value| BoundKind::Worst.holds(Value::int(passes.into()), value);
        let count = |(rank, (&id, &messages))| IdentityCount {
            id,
            messages,
            bound: value(rank).map(Number::from),
            holds: value(rank).filter(|_| summary.finished).and_then(|value| held(messages, value)),
        };
        let identities: Vec<_> = breakdown.ids().iter().zip(breakdown.by_identity()).enumerate().map(count).collect();
        let carried = identities.iter().any(|count| count.messages > 0);
        Self {
            phases: phases.map(|((&messages, candidates), phase)| PhaseCount { phase, messages, candidates }).collect(),
            identities: if carried { identities } else { Vec::new() },
            identity_bound: bound.map(|bound| IdentityBoundReport {
                formula: bound.formula.to_string(),
                source: bound.source.to_string(),
                counts: bound.counts.to_string(),
            }),
            waiting_times: WaitingTimes::new(&summary.cost.tally.waits),
        }
    }

    /// Whether an identity has more passes than its bound allows.
    pub fn is_exceeded(&self) -> bool {
        self.identities.iter().any(|count| count.holds == Some(false))
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

#[cfg(test)]
mod tests {
    use ringleader_sim::Choices;

    use super::*;
    use crate::{Execution, find, ring};

    fn identities(ids: &[u64], settings: &[(&str, &str)]) -> RunDistribution {
        let setup = find("vitanyi").expect("it is there").set_up(ring(ids), settings).expect("it makes sense");
        let mut execution = Execution::new(&setup, Choices::Drawn).expect("it makes sense");
        execution.run.log();
        let mut breakdown = MessageBreakdown::new(&setup.scenario.identities().list());
        execution.finish_logged(&(), &mut |step| breakdown.take(&step));
        let bound = setup.identity_bound().expect("it was set up");
        RunDistribution::new(&execution.run.summary(), &breakdown, bound.as_ref())
    }

    /// Two processors in lockstep, f(i) = 2^i: M_1 makes 2 passes and M_5 one, where (1) allows 2·3/2 = 3 and 2·3/32 < 1.
    #[test]
    fn each_identity_is_judged_by_its_own_bound() {
        let printed = identities(&[1, 5], &[("claims", "printed")]);
        let judged: Vec<_> =
            printed.identities.iter().map(|count| (count.messages, count.bound, count.holds)).collect();
        let fraction = Number::from(Value::ratio(6, 32));
        assert_eq!(judged, [(2, Some(Number::Integer(3)), Some(true)), (1, Some(fraction), Some(false))]);
        assert!(printed.is_exceeded());
        // Repaired, it is 1 + 2·4/2 and 1 + 2·4/32; with first=f M_5 does not move.
        let repaired = identities(&[1, 5], &[]);
        assert_eq!(repaired.identities[0].bound, Some(Number::Integer(5)));
        assert!(!repaired.is_exceeded() && !identities(&[1, 5], &[("first", "f")]).is_exceeded());
    }
}
