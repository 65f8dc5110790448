//! The result of one instance, its protocol erased.

use ringleader_check::{
    CheckVerdict, Extremes, Judgement, MaxMessages, Progress, Property, RuleSet, SearchLimit, Wakers,
};
use ringleader_model::{
    BoundKind, Description, Instance, Kind, Part, Ports, Quantity, Range, Scenario, Starts, Value, Wakes,
};
use ringleader_sim::Resolved;

use super::extremes::JudgedBound;
use crate::entry::left_open;
use crate::error::Error;
use crate::execution::EvaluatedBound;
use crate::trace_file::TraceFile;

/// The result over all schedules of an instance.
#[derive(Clone, Debug)]
pub struct Checked {
    /// By property.
    pub judgements: Vec<Judgement>,
    /// The progress of the search.
    pub progress: Progress,
    /// Quiescent states: no step of a processor is enabled.
    pub quiet: u64,
    /// The most message passes of any schedule.
    pub most: MaxMessages,
    /// Why not everything was explored; `None` if it was.
    pub ran_out: Option<SearchLimit>,
    /// The proved bound on them.
    pub proved: Option<Proved>,
    /// The numbered rules that fire in some explored schedule.
    pub fired: RuleSet,
    /// A shortest schedule in which a property does not hold.
    pub counterexample: Option<Violated>,
    /// The least and the greatest costs of all schedules, and the possible outcomes.
    pub extremes: Extremes,
    /// The bounds that are proved for all schedules, judged.
    pub bounds: Vec<JudgedBound>,
    /// The schedule whose cost is the extremum that was asked for, as a run; `None` if that is not known.
    pub extreme: Option<Result<TraceFile, Error>>,
}

/// A schedule in which a property does not hold.
#[derive(Clone, Debug)]
pub struct Violated {
    /// Which.
    pub property: Property,
    /// Its length in steps; in instants where there are clocks.
    pub steps: usize,
    /// The step at which its cycle begins, if it is a lasso.
    pub repeats_from: Option<usize>,
    /// The numbering of ports under which it is possible, where all are explored.
    pub ports: Option<Ports>,
    /// The schedule as a run.
    pub run: Result<TraceFile, Error>,
}

/// A proved upper bound.
#[derive(Clone, PartialEq, Debug)]
pub struct Proved {
    /// Its value.
    pub value: Value,
    /// As people write it.
    pub formula: String,
    /// The source.
    pub source: String,
}

impl Checked {
    /// The worst that is said of any property.
    pub fn verdict(&self) -> CheckVerdict {
        self.judgements.iter().map(|judgement| judgement.verdict).max().unwrap_or(CheckVerdict::Unknown)
    }

    /// Whether some schedule needs more messages than is proved; `None` if that is not known.
    pub fn exceeds(&self) -> Option<bool> {
        let proved = self.proved.as_ref()?;
        match self.most {
            MaxMessages::Exactly(passes) | MaxMessages::UpToViolation(passes) => {
                Some(Value::int(u128::from(passes)) > proved.value)
            }
            MaxMessages::Unbounded => Some(true),
            MaxMessages::Unknown => None,
        }
    }
}

/// Proved upper bounds on the figures of a Markov decision process.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MeanBounds {
    /// On the expected number of phases.
    pub phases: Option<Proved>,
    /// On the expected number of message passes.
    pub messages: Option<Proved>,
    /// On the expected time from the first waking.
    pub time: Option<Proved>,
    /// On the probability of more than one leader.
    pub error: Option<Proved>,
}

/// What is known about the costs of a protocol.
pub(crate) struct ProvedBounds<'a> {
    pub(crate) description: &'static Description,
    /// The kinds of messages that it sends.
    pub(crate) sent: &'a [Kind],
    /// Its bounds, for an instance.
    pub(crate) evaluate: &'a dyn Fn(&Instance<'_>) -> Vec<EvaluatedBound>,
}

impl ProvedBounds<'_> {
    /// The proved bound on the number of message passes of a scenario, for all schedules.
    pub(crate) fn most_messages(&self, scenario: &Scenario) -> Option<Proved> {
        self.for_all_schedules(scenario, &|bounds, instance| self.all_messages(bounds, instance, &[]))
    }

    /// The bounds that hold for all schedules of a scenario.
    pub(crate) fn of_all_schedules(&self, scenario: &Scenario, wakers: &Wakers) -> Vec<EvaluatedBound> {
        let of_every_run =
            |bound: &EvaluatedBound| matches!(bound.kind, BoundKind::Worst | BoundKind::Exact | BoundKind::Best);
        let together = *wakers == Wakers::Together && !scenario.untimed;
        let open = if together { scenario.clone() } else { self.waking_at_any_time(scenario) };
        let evaluated = |r: Range, d: Range| {
            let open = left_open(&open, r, d);
            let mut bounds = (self.evaluate)(&Resolved::new(&open).instance(&open));
            bounds.retain(of_every_run);
            bounds
        };
        if !scenario.untimed {
            return evaluated(scenario.timing.r, scenario.timing.d);
        }
        if self.description.assumptions.timed {
            return Vec::new();
        }
        let [mut once, again] = WIDE.map(|size| evaluated(Range::new(1, size), Range::new(0, size)));
        once.retain(|bound| again.contains(bound));
        once
    }

    /// A scenario in which no two processors are known to wake together.
    fn waking_at_any_time(&self, scenario: &Scenario) -> Scenario {
        let mut scenario = scenario.clone();
        if self.description.assumptions.starts == Starts::Any && scenario.workload.is_none() {
            scenario.wakes = Wakes::At((0..scenario.n as u64).map(Some).collect());
        }
        scenario
    }

    /// The proved bounds on means over all random choices, whatever the schedule. Where there are identities, a mean is
    /// one over their orders, and says nothing about a single order.
    pub(crate) fn means(&self, scenario: &Scenario) -> MeanBounds {
        let kinds: &[_] = if self.description.assumptions.identities { &[] } else { &[BoundKind::Mean] };
        let of = |quantity| self.for_all_schedules(scenario, &|bounds, _| sharpest(bounds, quantity, kinds));
        MeanBounds {
            phases: of(Quantity::Phases),
            messages: self.for_all_schedules(scenario, &|bounds, instance| self.all_messages(bounds, instance, kinds)),
            time: of(Quantity::Time),
            error: of(Quantity::Error),
        }
    }

    /// A bound that holds for all schedules of a scenario. Where there are no clocks, only what does not depend on how
    /// fast they go counts.
    fn for_all_schedules(
        &self,
        scenario: &Scenario,
        choose: &dyn Fn(&[EvaluatedBound], &Instance<'_>) -> Option<Proved>,
    ) -> Option<Proved> {
        let chosen = |open: &Scenario| {
            let resolved = Resolved::new(open);
            let instance = resolved.instance(open);
            choose(&(self.evaluate)(&instance), &instance)
        };
        let scenario = self.waking_at_any_time(scenario);
        if !scenario.untimed {
            return chosen(&left_open(&scenario, scenario.timing.r, scenario.timing.d));
        }
        if self.description.assumptions.timed {
            return None;
        }
        let [once, again] = WIDE.map(|size| chosen(&left_open(&scenario, Range::new(1, size), Range::new(0, size))));
        once.filter(|once| again.is_some_and(|again| again.value == once.value))
    }

    /// The sharpest sum of bounds that covers all messages: of those that hold for every run, and of further kinds.
    fn all_messages(
        &self,
        bounds: &[EvaluatedBound],
        instance: &Instance<'_>,
        further: &[BoundKind],
    ) -> Option<Proved> {
        let sharpest = |quantity: Quantity| sharpest(bounds, quantity, further);
        let parts = || {
            let sent = |part: Part| self.sent.iter().any(|kind| kind.part == part);
            let further = [(Part::Announcement, Quantity::Announcement), (Part::Task, Quantity::Task)];
            let further = further.into_iter().filter(|(part, _)| sent(*part)).map(|(_, quantity)| quantity);
            together([Quantity::Work].into_iter().chain(further).map(sharpest))
        };
        let kinds = || together(self.sent.iter().map(|kind| sharpest(Quantity::Kind(kind.name))));
        let entries = || {
            let each = sharpest(Quantity::MessagesPerEntry)?;
            let load = instance.workload.filter(|load| !load.is_unbounded())?;
            let entries: u64 = (0..instance.n as u32).map(|place| load.asks(place)).sum();
            let value = (0..entries).fold(Value::ZERO, |sum, _| sum + each.value);
            Some(Proved { value, formula: format!("{entries} ({})", each.formula), ..each })
        };
        let all = [sharpest(Quantity::Messages), parts(), kinds(), entries()];
        all.into_iter().flatten().min_by_key(|proved| (proved.value, proved.formula.len()))
    }
}

/// Two greatest lengths of steps and delays: a bound that is the same for both does not depend on them.
const WIDE: [u64; 2] = [1 << 20, 1 << 30];

/// The sharpest upper bound on a quantity, of those that hold for every run and of further kinds.
fn sharpest(bounds: &[EvaluatedBound], quantity: Quantity, further: &[BoundKind]) -> Option<Proved> {
    let of = |bound: &&EvaluatedBound| {
        let wanted = matches!(bound.kind, BoundKind::Worst | BoundKind::Exact) || further.contains(&bound.kind);
        bound.quantity == quantity && wanted
    };
    let sharpest = bounds.iter().filter(of).min_by_key(|bound| (bound.value, bound.formula.len()))?;
    let EvaluatedBound { value, formula, source, .. } = sharpest;
    Some(Proved { value: *value, formula: (*formula).to_string(), source: (*source).to_string() })
}

/// The sum of bounds; `None` if one is missing.
fn together(parts: impl IntoIterator<Item = Option<Proved>>) -> Option<Proved> {
    let sum = |one: Proved, other: Option<Proved>| {
        let other = other?;
        let source = if one.source == other.source { one.source } else { format!("{}, {}", one.source, other.source) };
        let formula = [one.formula, other.formula].map(|formula| match formula.contains(',') {
            true => format!("({formula})"),
            false => formula,
        });
        Some(Proved { value: one.value + other.value, formula: formula.join(" + "), source })
    };
    let mut parts = parts.into_iter();
    let first = parts.next()??;
    parts.try_fold(first, sum)
}
