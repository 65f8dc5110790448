//! `check --anonymous`: the lock-step run of a network that rotation maps to itself.
//!
//! \[Angluin1980\]: processors that start in the same state and see the same events take the same steps. If all of them wake
//! together and all messages take the same time, a deterministic protocol therefore keeps a ring symmetric forever whose
//! identities repeat with some period. The number of leaders is then a multiple of the number of periods, and never 1.
//!
//! The same run looks to each processor like that of the ring of one period, which the ring covers. Where processors do not
//! know how many they are, no deterministic protocol distinguishes the two: one least identity, or several.

use std::collections::BTreeMap;

use ringleader_check::{CheckVerdict, Effort, ExtremesQuery, NO_PANIC};
use ringleader_model::{
    BadSetting, Clocks, Delays, Election, Milestone, Numbering, Place, Port, Problem, Scenario, Ticks, Time, Topology,
};
use ringleader_sim::{Cause, Choices, MessageNumber, Step, StepEffect, StopReason};
use schemars::JsonSchema;
use serde::Serialize;

use super::setup::CheckOptions;
use crate::entry::Entry;
use crate::execution::Execution;
use crate::options::{CommandLine, Options, comma_separated};
use crate::report::rules_of;
use crate::setup::{Setup, scenario};
use crate::step_report::StepReport;
use crate::step_text::StepText;
use crate::watch::Watch;

/// The lock-step run of a network that rotation maps to itself.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LockStepReport {
    /// The protocol.
    pub protocol: String,
    /// Whether the printed or the repaired rules were followed.
    pub rules: String,
    /// The protocol's parameters.
    pub parameters: BTreeMap<String, String>,
    /// The number of processors.
    pub n: usize,
    /// The network.
    pub topology: String,
    /// The identities, clockwise; null where there are none.
    pub ids: Option<Vec<u64>>,
    /// The least rotation that maps the network to itself, in places.
    pub period: usize,
    /// holds: symmetric to the end of the run; violated: not; unknown: symmetric as long as the run was followed.
    pub verdict: String,
    /// The instants compared, at each of which something happens.
    pub instants: u64,
    /// The steps compared: their events, their effects and what they change.
    pub steps: u64,
    /// How the run ended: quiescent, repeats (a global state, and so forever), horizon, limit, never-timer, or the message of
    /// a step that panicked.
    pub ended: String,
    /// The first difference; null if there is none.
    pub broken: Option<BrokenSymmetry>,
    /// The places that declare themselves leader.
    pub elected: Vec<Place>,
    /// The ring of one period; null where processors know how many they are, or on a complete network.
    pub covered: Option<CoveredRing>,
    /// The steps of the first period; all others take the same, rotated.
    pub trace: Vec<StepReport>,
    /// The line that repeats it.
    pub rerun: String,
}

/// Two steps that differ, of places that rotation maps to each other.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BrokenSymmetry {
    /// The instant.
    pub time: Time,
    /// The two places.
    pub places: [Place; 2],
    /// Their steps at this instant, in words.
    pub steps: [String; 2],
    /// Whether the first difference is a random choice.
    pub random: bool,
}

/// The ring of one period, in lock step.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CoveredRing {
    /// Its number of processors.
    pub n: usize,
    /// Its identities.
    pub ids: Option<Vec<u64>>,
    /// Whether each of its processors takes the same steps at the same times as those that cover it.
    pub same: bool,
    /// The places that declare themselves leader.
    pub elected: Vec<Place>,
}

/// The default number of processors.
const DEFAULT_N: u64 = 4;
/// A run that goes on is followed for this many steps.
const MOST_STEPS: u64 = 200_000;

impl LockStepReport {
    /// Makes the run. Options other than those for the number of processors, identities, links and parameters are refused.
    pub fn new(entry: &'static dyn Entry, given: &CheckOptions, watch: &dyn Watch) -> Result<Self, BadSetting> {
        refuse_useless(given)?;
        let options = lock_step_options(entry, &given.options)?;
        let setup = set_up(entry, &options)?;
        let period = period(&setup)?;
        let run = LockStepRun::new(&setup, watch)?;
        let broken = run.broken(period, &setup.scenario.ids);
        let verdict = match (&broken, run.is_over) {
            (Some(_), _) => CheckVerdict::Violated,
            (None, true) => CheckVerdict::Holds,
            (None, false) => CheckVerdict::Unknown,
        };
        let ids = |ids: &[u64]| (!ids.is_empty()).then(|| ids.to_vec());
        let assumptions = &entry.description().assumptions;
        let covered = if assumptions.known_size || assumptions.topology == Topology::Complete {
            None
        } else {
            let one = Options { n: Some(period as u64), ids: period_of(&setup.scenario.ids, period), ..options };
            let one = set_up(entry, &one)?;
            let quotient = LockStepRun::new(&one, watch)?;
            let (n, elected) = (period, quotient.elected());
            Some(CoveredRing { n, ids: ids(&one.scenario.ids), same: run.covers(&quotient), elected })
        };
        let parameters = &setup.facts.parameters;
        Ok(Self {
            protocol: entry.name().to_string(),
            rules: rules_of(parameters.iter().map(|(key, value)| (*key, value.as_str()))).to_string(),
            parameters: parameters.iter().map(|(key, value)| ((*key).to_string(), value.clone())).collect(),
            n: setup.scenario.n,
            topology: assumptions.topology.name().to_string(),
            ids: ids(&setup.scenario.ids),
            period,
            verdict: verdict.name().to_string(),
            instants: run.instants.len() as u64,
            steps: run.instants.iter().map(|instant| instant.len() as u64).sum(),
            ended: run.ended.clone(),
            broken,
            elected: run.elected(),
            covered,
            trace: StepReport::all(&run.of_first(period), &setup.scenario.ids),
            rerun: command_line(entry.name(), given, setup.scenario.n),
        })
    }
}

/// The command line that repeats it.
fn command_line(protocol: &str, given: &CheckOptions, n: usize) -> String {
    let Options { ids, links, set, .. } = given.options.clone();
    let size = ids.is_none().then_some(n as u64);
    let mut line = CommandLine::new(&format!("check {protocol}"));
    line.value("-n", size);
    line.value("--ids", ids.as_deref().map(comma_separated));
    line.value("--links", links);
    line.repeated(&Options { set, ..Options::default() });
    line.flag("--anonymous", true);
    line.into_text()
}

/// What one run in lock step has no use for is refused. Threads and memory are the machine's, not the run's.
fn refuse_useless(given: &CheckOptions) -> Result<(), BadSetting> {
    let CheckOptions { options, timed, orientation, wake, specification, effort, extremes } = given;
    let used = ["n", "ids", "links", "set"];
    let named = options.named().into_iter().map(|(name, _)| name).find(|name| !used.contains(&name.as_str()));
    let of_checks = [
        ("seed", options.seed.is_some()),
        ("timed", *timed == Some(true)),
        ("untimed", *timed == Some(false)),
        ("orientation", orientation.is_some()),
        ("wake", wake.is_some()),
        ("ltl", !specification.formulas.is_empty()),
        ("max-states", effort.states != Effort::default().states),
        ("no-reduce", effort.reductions != Effort::default().reductions),
        ("extremes", *extremes != ExtremesQuery::default()),
    ];
    let of_checks = of_checks.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name.to_string());
    named.or(of_checks).map_or(Ok(()), |name| {
        let wrong = format!("is given with --{name}, which one run in lock step has no use for");
        Err(BadSetting::new("anonymous", wrong, "-n, --ids, --links and --set"))
    })
}

/// All wake at 0, all clocks and delays are the same, and ports are numbered alike.
fn lock_step_options(entry: &dyn Entry, given: &Options) -> Result<Options, BadSetting> {
    let description = entry.description();
    if entry.problem() != Election::NAME {
        let wrong = format!("is given for {}", description.name);
        return Err(BadSetting::new("anonymous", wrong, "elections"));
    }
    let assumptions = &description.assumptions;
    let size = given.n.or(given.ids.as_ref().map(|ids| ids.len() as u64)).unwrap_or(DEFAULT_N);
    if size < 2 {
        let wrong = format!("is {size}: one processor has nobody to be told from");
        return Err(BadSetting::new("n", wrong, "at least 2 processors"));
    }
    let equal = || usize::try_from(size).ok().filter(|_| assumptions.identities).map(|n| vec![1; n]);
    let ports = (assumptions.topology == Topology::Complete).then(|| Numbering::Listed(cyclic(size)));
    let timed = !assumptions.compulsory;
    Ok(Options {
        n: Some(size),
        ids: given.ids.clone().or_else(equal),
        links: given.links,
        set: given.set.clone(),
        clocks: timed.then_some(Clocks::Slowest),
        delays: timed.then_some(Delays::Max),
        ports,
        ..Options::default()
    })
}

/// Port p of every place leads p + 1 places on.
fn cyclic(n: u64) -> Vec<Vec<Place>> {
    let lead = |place| (1..n).map(|on| ((place + on) % n) as Place).collect();
    (0..n).map(lead).collect()
}

fn set_up(entry: &'static dyn Entry, options: &Options) -> Result<Setup, BadSetting> {
    let equal = Scenario { equal_ids: true, ..scenario(entry, options)? };
    Setup::of_scenario(entry, equal, options.set.clone(), None, [None, None])
}

/// The identities of one period; `None` where there are none.
fn period_of(ids: &[u64], period: usize) -> Option<Vec<u64>> {
    ids.get(..period).map(<[u64]>::to_vec)
}

/// The least rotation that maps identities and roles to themselves.
fn period(setup: &Setup) -> Result<usize, BadSetting> {
    let (n, ids) = (setup.scenario.n, &setup.scenario.ids);
    let roles = setup.entry.roles(&setup.case())?;
    let repeats = |by: usize| {
        (0..n).all(|place| ids.get(place) == ids.get((place + by) % n) && roles[place] == roles[(place + by) % n])
    };
    let found = (1..n).find(|&by| n.is_multiple_of(by) && repeats(by));
    found.ok_or_else(|| {
        let wrong = "tell every processor from every other: no rotation maps the ring to itself";
        BadSetting::new("ids", wrong, "identities that repeat, such as 1,1,1 or 1,2,1,2")
    })
}

/// A run in lock step: by instant, its steps.
struct LockStepRun {
    n: usize,
    instants: Vec<Vec<Step>>,
    /// The run was followed to its end.
    is_over: bool,
    ended: String,
}

/// A step without anything that its processor cannot see: places and the numbers of messages.
#[derive(PartialEq)]
struct SeenStep<'a> {
    time: Time,
    cause: SeenCause<'a>,
    effects: Vec<SeenEffect<'a>>,
    changed: Vec<[&'a str; 3]>,
}

#[derive(PartialEq)]
enum SeenCause<'a> {
    Receive(Port, &'a str),
    /// Nothing in it names a place.
    Other(&'a Cause),
}

#[derive(PartialEq)]
enum SeenEffect<'a> {
    Send(Port, &'a str),
    Other(&'a StepEffect),
}

impl<'a> SeenStep<'a> {
    fn new(step: &'a Step) -> Self {
        let cause = match &step.cause {
            Cause::Receive { port, content, .. } => SeenCause::Receive(*port, &content.text),
            other => SeenCause::Other(other),
        };
        Self {
            time: step.time,
            cause,
            effects: step.effects.iter().map(local).collect(),
            changed: step.changed.iter().map(|change| [&*change.field, &*change.before, &*change.after]).collect(),
        }
    }
}

fn local(effect: &StepEffect) -> SeenEffect<'_> {
    match effect {
        StepEffect::Send { port, content, .. } => SeenEffect::Send(*port, &content.text),
        other => SeenEffect::Other(other),
    }
}

impl LockStepRun {
    fn new(setup: &Setup, watch: &dyn Watch) -> Result<Self, BadSetting> {
        let mut execution = Execution::new(setup, Choices::Drawn)?;
        execution.run.log();
        let mut over = false;
        while !over && execution.run.steps() < MOST_STEPS && !watch.stopped() {
            over = execution.advance(1 << 12);
        }
        let mut instants: Vec<Vec<Step>> = Vec::new();
        for step in execution.run.take_log() {
            match instants.last_mut().filter(|instant| instant[0].time == step.time) {
                Some(instant) => instant.push(step),
                None => instants.push(vec![step]),
            }
        }
        let repeats = if over { None } else { repeated_state(&instants) };
        let summary = execution.run.summary();
        let panic = summary.violations.iter().find(|violation| violation.property == NO_PANIC);
        let (is_over, ended) = match (panic, over, summary.reason) {
            (Some(panic), ..) => (false, format!("a step panics: {}", panic.detail)),
            (None, false, _) if repeats.is_some() => (true, "repeats".to_string()),
            (None, false, _) => (false, "limit".to_string()),
            (None, true, None | Some(StopReason::Silent)) => (true, "quiescent".to_string()),
            (None, true, Some(reason)) => (reason == StopReason::Horizon, reason.name().to_string()),
        };
        match repeats {
            Some(instant) => instants.truncate(instant + 1),
            // The last one is not complete.
            None if panic.is_some() || !over => instants.truncate(instants.len().saturating_sub(1)),
            None => {}
        }
        Ok(Self { n: setup.scenario.n, instants, is_over, ended })
    }

    /// The first instant at which rotation does not map the steps to themselves.
    fn broken(&self, period: usize, ids: &[u64]) -> Option<BrokenSymmetry> {
        self.instants.iter().find_map(|instant| {
            let steps = by_place(instant, self.n);
            let other = (period..self.n).find(|&place| !are_same(&steps[place], &steps[place % period]))?;
            let pair = [other % period, other];
            let text = |place: usize| {
                let texts = steps[place].iter().map(|step| StepText::new(step, ids).without_time().to_string());
                texts.collect::<Vec<_>>().join("; then ")
            };
            let places = pair.map(|place| place as Place);
            let random = differ_by_choice(&steps[pair[0]], &steps[pair[1]]);
            Some(BrokenSymmetry { time: instant[0].time, places, steps: pair.map(text), random })
        })
    }

    /// Whether every processor takes the same steps as that of a smaller ring which it covers.
    fn covers(&self, quotient: &Self) -> bool {
        self.instants.len() == quotient.instants.len()
            && self.instants.iter().zip(&quotient.instants).all(|(large, small)| {
                let (large, small) = (by_place(large, self.n), by_place(small, quotient.n));
                (0..self.n).all(|place| are_same(&large[place], &small[place % quotient.n]))
            })
    }

    fn elected(&self) -> Vec<Place> {
        let declares = |step: &&Step| step.milestones().any(|it| matches!(it, Milestone::Elected { .. }));
        let mut places: Vec<Place> = self.instants.iter().flatten().filter(declares).map(|step| step.place).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// The steps of the first places.
    fn of_first(&self, period: usize) -> Vec<Step> {
        self.instants.iter().flatten().filter(|step| (step.place as usize) < period).cloned().collect()
    }
}

/// The steps of an instant, by place.
fn by_place(instant: &[Step], n: usize) -> Vec<Vec<&Step>> {
    let mut places = vec![Vec::new(); n];
    for step in instant {
        places[step.place as usize].push(step);
    }
    places
}

/// Whether two processors see and do the same.
fn are_same(one: &[&Step], other: &[&Step]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| SeenStep::new(one) == SeenStep::new(other))
}

/// Whether the first difference of two processors is a random choice.
fn differ_by_choice(one: &[&Step], other: &[&Step]) -> bool {
    let effects = one.iter().flat_map(|step| &step.effects).zip(other.iter().flat_map(|step| &step.effects));
    let first = effects.map(|(one, other)| [one, other]).find(|[one, other]| local(one) != local(other));
    first.is_some_and(|pair| pair.iter().all(|effect| matches!(effect, StepEffect::Choose { .. })))
}

/// A global state, by what has led to it: the fields that have changed, the messages in flight with their ages, and the timers
/// that are running with the ticks since they were set. All processors have the same clock, so that time may stand for ticks.
#[derive(Clone, Default)]
struct GlobalState<'a> {
    fields: BTreeMap<(Place, &'a str), &'a str>,
    in_flight: BTreeMap<MessageNumber, (Place, Port, &'a str, Time)>,
    timers: BTreeMap<(Place, &'a str), (Ticks, Time)>,
}

impl<'a> GlobalState<'a> {
    fn follow(&mut self, step: &'a Step) {
        match &step.cause {
            Cause::Receive { message, .. } => drop(self.in_flight.remove(message)),
            Cause::Timeout { timer } => drop(self.timers.remove(&(step.place, timer.as_str()))),
            _ => {}
        }
        for change in &step.changed {
            self.fields.insert((step.place, &change.field), &change.after);
        }
        for effect in &step.effects {
            match effect {
                StepEffect::Send { message, to, port, content } => {
                    self.in_flight.insert(*message, (*to, *port, &content.text, step.time));
                }
                StepEffect::SetTimer { timer, after } => {
                    self.timers.insert((step.place, timer), (*after, step.time));
                }
                StepEffect::CancelTimer { timer } => drop(self.timers.remove(&(step.place, timer.as_str()))),
                StepEffect::Choose { .. } | StepEffect::Report { .. } => {}
            }
        }
    }

    /// Whether it is the same as another, some time later.
    fn is_same(&self, now: Time, other: &Self, then: Time) -> bool {
        let in_flight = |state: &Self, now: Time| {
            let message = |&(to, port, text, sent): &(Place, Port, &'a str, Time)| (to, port, text, now - sent);
            state.in_flight.values().map(message).collect::<Vec<_>>()
        };
        let timers = |state: &Self, now: Time| {
            let timer = |(&timer, &(after, set)): (&(Place, &'a str), &(Ticks, Time))| (timer, after, now - set);
            state.timers.iter().map(timer).collect::<Vec<_>>()
        };
        self.fields == other.fields
            && in_flight(self, now) == in_flight(other, then)
            && timers(self, now) == timers(other, then)
    }
}

/// The first instant found at whose end the global state is one that there was before (Brent's cycle detection).
fn repeated_state(instants: &[Vec<Step>]) -> Option<usize> {
    let (mut state, mut saved) = (GlobalState::default(), None);
    // The last instant may not be complete.
    for (index, instant) in instants[..instants.len().saturating_sub(1)].iter().enumerate() {
        instant.iter().for_each(|step| state.follow(step));
        let now = instant[0].time;
        if saved.as_ref().is_some_and(|(then, saved)| state.is_same(now, saved, *then)) {
            return Some(index);
        }
        if index.is_power_of_two() {
            saved = Some((now, state.clone()));
        }
    }
    None
}
