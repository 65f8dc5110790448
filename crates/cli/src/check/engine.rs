//! One instance put to the explorer, its protocol erased.

use ringleader_check::{Answer, Counterexample, Effort, Judgement, MaxMessages, Progress, Property, StopReason};
use ringleader_model::{
    Bound, BoundKind, Clocks, Delays, Instance, Kind, Message, Part, Processor, Protocol, Quantity, Range, Scenario,
    Settings, Starts, Value, Wakes,
};
use ringleader_protocols::catalogue::{self, Visitor};
use ringleader_sim::Resolved;

use super::question::Question;
use crate::counterexample::recorded;
use crate::error::Error;
use crate::plan::Plan;
use crate::trace_file::TraceFile;

/// What was found in all schedules of an instance.
pub(crate) struct Found {
    pub(crate) judgements: Vec<Judgement>,
    pub(crate) progress: Progress,
    pub(crate) quiet: u64,
    pub(crate) most: MaxMessages,
    pub(crate) ran_out: Option<StopReason>,
    pub(crate) proved: Option<Proved>,
    pub(crate) counterexample: Option<Wrong>,
}

/// A schedule in which a property does not hold.
pub(crate) struct Wrong {
    pub(crate) property: Property,
    pub(crate) steps: usize,
    pub(crate) repeats_from: Option<usize>,
    /// The schedule as a run.
    pub(crate) run: Result<TraceFile, Error>,
}

/// The most message passes that any run can need, by what is proved about a protocol.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Proved {
    pub(crate) value: Value,
    pub(crate) formula: String,
    pub(crate) source: String,
}

/// Looks at every schedule of one instance. `watch` is told how far it is and says whether to go on.
pub(crate) fn explore(
    question: &Question,
    plan: &Plan,
    effort: &Effort,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Found, Error> {
    let name = plan.description.name;
    catalogue::visit(name, Explore { question, plan, effort, watch }).expect("a plan's protocol is in the catalogue")
}

struct Explore<'a> {
    question: &'a Question,
    plan: &'a Plan,
    effort: &'a Effort,
    watch: &'a mut dyn FnMut(&Progress) -> bool,
}

impl Visitor for Explore<'_> {
    type Output = Result<Found, Error>;

    fn visit<P: Protocol>(self) -> Self::Output {
        let scenario = &self.plan.scenario;
        let settings = Settings::new(P::DESCRIPTION.parameters, &self.plan.settings)?;
        let open = left_open(scenario, scenario.timing.r, scenario.timing.d);
        let protocol = P::configure(&settings, &Resolved::new(&open).instance(&open))?;
        let proved = most_proved(&protocol, scenario);
        let answer = ringleader_check::check(protocol, scenario, &self.question.wakers, self.effort, &mut *self.watch)?;
        let Answer { judgements, progress, quiescent: quiet, most_messages: most, ran_out, counterexample } = answer;
        let wrong = |found: Counterexample<P::Processor>| Wrong {
            property: found.property,
            steps: found.steps,
            repeats_from: found.repeats_from,
            run: recorded::<P>(self.plan, &found),
        };
        Ok(Found { judgements, progress, quiet, most, ran_out, proved, counterexample: counterexample.map(wrong) })
    }
}

/// A scenario in which nothing is decided before it begins: who wakes when, which clock goes how fast.
pub(crate) fn left_open(scenario: &Scenario, r: Range, d: Range) -> Scenario {
    let mut open = scenario.clone();
    (open.timing.r, open.timing.d) = (r, d);
    (open.timing.clocks, open.timing.delays) = (Clocks::Varying, Delays::Uniform);
    open
}

/// What is proved about the number of message passes of a scenario, whatever its schedule. Where there are no clocks, only
/// what does not depend on how fast they go counts.
fn most_proved<P: Protocol>(protocol: &P, scenario: &Scenario) -> Option<Proved> {
    let assumptions = &P::DESCRIPTION.assumptions;
    let mut scenario = scenario.clone();
    if assumptions.starts == Starts::Any && scenario.workload.is_none() {
        scenario.wakes = Wakes::At((0..scenario.n as u64).map(Some).collect());
    }
    if !scenario.untimed {
        let open = left_open(&scenario, scenario.timing.r, scenario.timing.d);
        return most_of(protocol, &Resolved::new(&open).instance(&open));
    }
    if assumptions.timed {
        return None;
    }
    let [once, again] = [20, 30].map(|size| {
        let open = left_open(&scenario, Range::new(1, 1 << size), Range::new(0, 1 << size));
        most_of(protocol, &Resolved::new(&open).instance(&open))
    });
    once.filter(|once| again.is_some_and(|again| again.value == once.value))
}

/// The sharpest sum of bounds that covers all messages.
fn most_of<P: Protocol>(protocol: &P, instance: &Instance<'_>) -> Option<Proved> {
    let sharpest = |quantity: Quantity| {
        let of =
            |bound: &&Bound<P>| bound.quantity == quantity && matches!(bound.kind, BoundKind::Worst | BoundKind::Exact);
        let evaluate = |bound: &Bound<P>| {
            let value = (bound.value)(protocol, instance)?;
            Some(Proved { value, formula: bound.formula.to_string(), source: bound.source.to_string() })
        };
        let known = P::BOUNDS.iter().filter(of).filter_map(evaluate);
        known.min_by_key(|proved| (proved.value, proved.formula.len()))
    };
    let sent = || {
        let kinds = <<P::Processor as Processor>::Message as Message>::KINDS.iter().copied();
        kinds.filter(|&kind| protocol.sends(kind))
    };
    let announced = sent().any(|kind: Kind| kind.part == Part::Announcement);
    let parts = || {
        let work = sharpest(Quantity::Work)?;
        if announced { together([Some(work), sharpest(Quantity::Announcement)]) } else { Some(work) }
    };
    let kinds = || together(sent().map(|kind| sharpest(Quantity::Kind(kind.name))));
    let entries = || {
        let each = sharpest(Quantity::MessagesPerEntry)?;
        let load = instance.workload?;
        let entries: u64 = (0..instance.n as u32).map(|place| load.asks(place)).sum();
        let value = (0..entries).fold(Value::ZERO, |sum, _| sum + each.value);
        Some(Proved { value, formula: format!("{entries} ({})", each.formula), ..each })
    };
    let all = [sharpest(Quantity::Messages), parts(), kinds(), entries()];
    all.into_iter().flatten().min_by_key(|proved| (proved.value, proved.formula.len()))
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
