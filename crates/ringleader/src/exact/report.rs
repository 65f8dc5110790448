//! The object that `exact --json` prints and `ringleader schema exact` describes.

use std::collections::BTreeMap;

use ringleader_check::BigRational;
use ringleader_exact::{ExactDistribution, KINDS, Rotations};
use ringleader_model::{BoundKind, Preset, Quantity, Topology, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ExactSetup, Sums};
use crate::check::decimal;
use crate::error::Error;
use crate::execution::EvaluatedBound;
use crate::report::{BoundReport, Number, quantity_name, rules_of};

/// Exact distributions, by number of processors.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExactReport {
    /// By number of processors.
    pub rows: Vec<ExactRow>,
    /// Numbers of processors that were asked for and not computed, because it was stopped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<u64>,
    /// The line that repeats it.
    pub rerun: String,
}

impl ExactReport {
    /// Whether a run was not right, or a bound is exceeded.
    pub fn is_violated(&self) -> bool {
        let exceeded = |bound: &BoundReport| bound.holds == Some(false);
        self.rows.iter().any(|row| row.unsound.is_some() || row.bounds.iter().any(exceeded))
    }
}

/// The distribution of what an election costs, over all orders of its identities.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ExactRow {
    /// The protocol.
    pub protocol: String,
    /// Whether the printed or the repaired rules were followed.
    pub rules: String,
    /// The protocol's parameters.
    pub parameters: BTreeMap<String, String>,
    /// The number of processors.
    pub n: u64,
    /// The number of orders of identities.
    pub orders: u64,
    /// Whether these are the orders up to rotation, the greatest identity at place 0: on rings they are.
    pub up_to_rotation: bool,
    /// The number of runs: orders, times wake sets, times orientations.
    pub runs: u64,
    /// The number of wake sets: 1 if all wake, or all non-empty sets.
    pub wake_sets: u64,
    /// The number of orientations: 1 if left and right are the same everywhere, or all.
    pub orientations: u64,
    /// The device that computed it: cpu or gpu.
    pub device: String,
    /// kernel (of small rings with unit delays) or simulator.
    pub engine: String,
    /// The schedule of all runs, and whether messages depend on it.
    pub schedule: String,
    /// All message passes.
    pub messages: DistributionReport,
    /// Message passes without the announcement.
    pub election: DistributionReport,
    /// Message passes of the announcement.
    pub announcement: DistributionReport,
    /// Bits passed.
    pub bits: DistributionReport,
    /// The clock at the end.
    pub time: DistributionReport,
    /// The clock at the election.
    pub time_elected: DistributionReport,
    /// The highest phase; null where there are none.
    pub phases: Option<DistributionReport>,
    /// Message passes by kind.
    pub by_kind: BTreeMap<String, DistributionReport>,
    /// Runs that did not elect one leader on whom all agree; null if there are none.
    pub unsound: Option<UnsoundReport>,
    /// Bounds beside the means and extremes. Those that depend on the order are judged by `run`.
    pub bounds: Vec<BoundReport>,
}

/// Runs that were not right.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UnsoundReport {
    /// How many.
    pub runs: u64,
    /// The line that makes the first.
    pub first: String,
}

/// A distribution.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DistributionReport {
    /// The mean.
    pub mean: RationalReport,
    /// The variance.
    pub variance: RationalReport,
    /// The least value.
    pub min: u64,
    /// The greatest value.
    pub max: u64,
    /// Each value, and how many runs have it.
    #[schemars(with = "Vec<Vec<u64>>")]
    pub histogram: Vec<(u64, u64)>,
    /// The first order that has the least value.
    pub min_order: Vec<u64>,
    /// The first order that has the greatest value.
    pub max_order: Vec<u64>,
    /// The line that makes the run with the least value.
    pub min_run: String,
    /// The line that makes the run with the greatest value.
    pub max_run: String,
}

/// A fraction in lowest terms.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RationalReport {
    /// Over.
    pub numerator: String,
    /// Under; 1 for an integer.
    pub denominator: String,
    /// Its decimal approximation.
    pub value: f64,
}

impl RationalReport {
    fn new(fraction: &BigRational) -> Self {
        let (numerator, denominator) = (fraction.numer().to_string(), fraction.denom().to_string());
        Self { numerator, denominator, value: decimal(fraction) }
    }

    /// As people write it: 25/3, or 7.
    pub fn text(&self) -> String {
        match self.denominator.as_str() {
            "1" => self.numerator.clone(),
            denominator => format!("{}/{denominator}", self.numerator),
        }
    }
}

/// The mean.
fn mean(of: &ExactDistribution) -> BigRational {
    BigRational::new(of.sum.into(), of.count.into())
}

/// The mean of the squared distances from the mean.
fn variance(of: &ExactDistribution) -> BigRational {
    let mean = mean(of);
    BigRational::new(of.squares.into(), of.count.into()) - &mean * &mean
}

impl DistributionReport {
    fn new(exact: &ExactSetup, of: &ExactDistribution) -> Result<Self, Error> {
        let [min, max] = [of.min, of.max].map(|attained| attained.expect("there is at least one order"));
        let [least, greatest] = [exact.run_of(min.index)?, exact.run_of(max.index)?];
        Ok(Self {
            mean: RationalReport::new(&mean(of)),
            variance: RationalReport::new(&variance(of)),
            min: min.value,
            max: max.value,
            histogram: of.histogram().collect(),
            min_order: least.scenario.ids.clone(),
            max_order: greatest.scenario.ids.clone(),
            min_run: least.command_line(),
            max_run: greatest.command_line(),
        })
    }
}

impl ExactRow {
    pub(super) fn new(exact: &ExactSetup, sums: &Sums) -> Result<Self, Error> {
        let ExactSetup { setup, instances, .. } = exact;
        let settings = &setup.facts.parameters;
        let profile = setup.entry.profile();
        let of = |quantity| DistributionReport::new(exact, sums.of(quantity).expect("it is measured"));
        let kinds = profile.kinds.iter().take(KINDS).map(|kind| kind.name);
        let by_kind =
            kinds.map(|kind| Ok((kind.to_string(), of(Quantity::Kind(kind))?))).collect::<Result<_, Error>>()?;
        let (unsound, first) = sums.unsound;
        let unsound = first
            .map(|first| Ok::<_, Error>(UnsoundReport { runs: unsound, first: exact.run_of(first)?.command_line() }))
            .transpose()?;
        Ok(Self {
            protocol: setup.entry.name().to_string(),
            rules: rules_of(settings.iter().map(|(key, value)| (*key, value.as_str()))).to_string(),
            parameters: settings.iter().map(|(key, value)| ((*key).to_string(), value.clone())).collect(),
            n: instances.n as u64,
            orders: instances.orders,
            up_to_rotation: instances.rotations == Rotations::Equal,
            runs: sums.runs(),
            wake_sets: instances.wake_sets,
            orientations: instances.orientations,
            device: exact.options.device.name().to_string(),
            engine: if sums.by_kernel { "kernel" } else { "simulator" }.to_string(),
            schedule: schedule(exact, profile.timers),
            messages: of(Quantity::Messages)?,
            election: of(Quantity::Work)?,
            announcement: of(Quantity::Announcement)?,
            bits: of(Quantity::Bits)?,
            time: of(Quantity::Time)?,
            time_elected: of(Quantity::TimeElected)?,
            phases: if profile.phased { Some(of(Quantity::Phases)?) } else { None },
            by_kind,
            unsound,
            bounds: judged(exact, sums)?,
        })
    }

    /// The distribution of a quantity, by the name that it has in this object.
    pub fn of(&self, name: &str) -> Option<&DistributionReport> {
        match name {
            "messages" => Some(&self.messages),
            "election" => Some(&self.election),
            "announcement" => Some(&self.announcement),
            "bits" => Some(&self.bits),
            "time" => Some(&self.time),
            "time_elected" => Some(&self.time_elected),
            "phases" => self.phases.as_ref(),
            kind => self.by_kind.get(kind),
        }
    }

    /// The sharpest bound of one of these kinds on a quantity, by its name.
    pub fn bound(&self, name: &str, kinds: &[BoundKind]) -> Option<&BoundReport> {
        let path = match name {
            "messages" => "messages.total".to_string(),
            "election" | "announcement" => format!("messages.{name}"),
            "bits" | "time" | "time_elected" | "phases" => name.to_string(),
            kind => format!("messages.by_kind.{kind}"),
        };
        let meant = |bound: &&BoundReport| bound.quantity == path && kinds.iter().any(|kind| kind.name() == bound.kind);
        let value = |bound: &BoundReport| match bound.value {
            Number::Integer(whole) => whole as f64,
            Number::Fraction(number) => number,
        };
        self.bounds.iter().filter(meant).min_by(|one, other| value(one).total_cmp(&value(other)))
    }
}

/// The schedule of all runs in words, and what depends on it.
fn schedule(exact: &ExactSetup, timers: bool) -> String {
    let assumptions = &exact.setup.description().assumptions;
    let rest = match assumptions.topology {
        _ if assumptions.compulsory => "in which nothing is left to a schedule",
        // A processor with one input that is first in, first out, and without timers, is one of a Kahn network.
        Topology::Ring if !timers => "messages and bits are the same in every schedule with the same initiators",
        Topology::Complete => "plain ports: other schedules and port numberings may have other costs",
        Topology::Ring | Topology::BidirectionalRing => "other schedules may have other costs",
    };
    match assumptions.preset {
        Preset::Unit => format!("unit delays; {rest}"),
        preset => format!("timing {}; {rest}", preset.name()),
    }
}

/// The bounds that are the same for all instances, beside what was measured.
fn judged(exact: &ExactSetup, sums: &Sums) -> Result<Vec<BoundReport>, Error> {
    let work = exact.setup.facts.work;
    let mut bounds = exact.setup.facts.bounds.clone();
    bounds.retain(|bound| bound.before.is_none());
    let runs = sums.runs();
    let extremes = sums.distributions.iter().flat_map(|of| [of.min, of.max]).flatten().map(|attained| attained.index);
    let spread = (0..SAMPLES.min(runs))
        .map(|sample| (u128::from(sample) * u128::from(runs) / u128::from(SAMPLES.min(runs))) as u64);
    let mut sample: Vec<u64> = extremes.chain(spread).collect();
    sample.sort_unstable();
    sample.dedup();
    for index in sample {
        let facts = exact.run_of(index)?.facts;
        bounds.retain(|bound| facts.bounds.contains(bound));
    }
    let judge = |bound: &EvaluatedBound| {
        let of = sums.of(bound.quantity)?;
        let (measured, holds) = judge(bound, of);
        Some(BoundReport::new(bound, quantity_name(bound.quantity, work), Some(measured), Some(holds)))
    };
    Ok(bounds.iter().filter_map(judge).collect())
}

/// A bound that has the same value for this number of instances, spread over all, and for the extreme ones, does not depend on the
/// order.
const SAMPLES: u64 = 64;

/// The measured value that a bound speaks of, and whether it holds.
fn judge(bound: &EvaluatedBound, of: &ExactDistribution) -> (Number, bool) {
    let [min, max] = [of.min, of.max].map(|attained| attained.map_or(0, |attained| attained.value));
    let whole = |value: u64| Value::int(value.into());
    match bound.kind {
        BoundKind::Worst => (Number::Integer(max), whole(max) <= bound.value),
        BoundKind::Best => (Number::Integer(min), whole(min) >= bound.value),
        BoundKind::Exact => (Number::Integer(max), whole(min) == bound.value && whole(max) == bound.value),
        BoundKind::Mean => {
            let mean = mean(of);
            let (whole, rest) = bound.value.parts();
            let value = BigRational::new((whole << 32 | u128::from(rest)).into(), (1u128 << 32).into());
            let measured = match of.sum % u128::from(of.count) {
                0 => Number::Integer((of.sum / u128::from(of.count)) as u64),
                _ => Number::Fraction(decimal(&mean)),
            };
            (measured, mean <= value)
        }
    }
}
