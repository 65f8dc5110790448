//! Counterexamples of the checker as ordinary runs: recorded, so that they replay, are drawn and shrink like any other.

use ringleader_check::{
    Counterexample, ExtremeEnd, ExtremeRun, Extremes, ExtremesQuery, Property, Schedule, TimedSchedule,
};
use ringleader_model::{
    Action, AtMost, BadSetting, Clocks, Event, Faults, Offsets, Place, Ports, Processor, Promised, Protocol, Quantity,
    Range, Scenario, Share, Starts, Time, Value, Wakes, Workload,
};
use ringleader_sim::{Choices, Full, Resolved, Run, Simulation, Summary, TERMINATION};

use crate::entry::Case;
use crate::error::Error;
use crate::execution::Execution;
use crate::guarded_run::GuardedRun;
use crate::setup::Setup;
use crate::trace_file::TraceFile;

/// A schedule in which a property does not hold, found in a scenario, as a recorded run. It ends where the property shows; one
/// that repeats forever ends where it has done so once.
pub fn recorded<P: Protocol>(
    case: &Case<'_>,
    found: &Counterexample<P::Processor>,
    configure: Configure<'_, P>,
) -> Result<TraceFile, Error> {
    let lemmas: Vec<&str> = case.entry.about().lemmas.iter().map(|lemma| lemma.name).collect();
    let shows = |summary: &Summary| shows(found.property, found.repeats_from, &lemmas, summary);
    let goal = RunGoal { repeats_from: found.repeats_from, shows: &shows };
    record_schedule::<P>(case, (&found.schedule, found.ports.as_ref()), configure, &goal)
}

/// A schedule whose cost is the extremum that was asked for, as a recorded run.
pub(crate) fn recorded_extreme<P: Protocol>(
    case: &Case<'_>,
    found: &ExtremeRun<P::Processor>,
    configure: Configure<'_, P>,
    query: &ExtremesQuery,
    extremes: &Extremes,
) -> Result<TraceFile, Error> {
    let expected = query.schedule.and_then(|(quantity, end)| {
        let range = extremes.of(quantity)?;
        let extremum = if end == ExtremeEnd::Least { range.least } else { range.greatest };
        Some((quantity, Value::int(extremum.value()?.unsigned_abs().into())))
    });
    // A response time is measured without the time that users spend inside.
    let shows = |summary: &Summary| match expected {
        Some((Quantity::LongestDelay, _)) => None,
        Some((quantity, value)) if summary.cost.of(quantity) != Some(value) => Some("has another cost".to_string()),
        _ => None,
    };
    let goal = RunGoal { repeats_from: None, shows: &shows };
    record_schedule::<P>(case, (&found.schedule, found.ports.as_ref()), configure, &goal)
}

/// What a recorded run must show, and where its cycle begins.
struct RunGoal<'a> {
    repeats_from: Option<usize>,
    /// What is wrong with a run, if it does not show it.
    shows: &'a dyn Fn(&Summary) -> Option<String>,
}

/// Records a schedule, under its numbering of ports if it is not the scenario's.
fn record_schedule<P: Protocol>(
    case: &Case<'_>,
    (schedule, ports): (&Schedule<P::Processor>, Option<&Ports>),
    configure: Configure<'_, P>,
    shown: &RunGoal<'_>,
) -> Result<TraceFile, Error> {
    let mut scenario = case.scenario.clone();
    if let Some(ports) = ports {
        scenario.ports.clone_from(ports);
    }
    let case = &Case { scenario: &scenario, ..*case };
    match schedule {
        Schedule::Untimed(actions) => {
            let follow = |setup: &Setup, again: Option<usize>| {
                let again = again.map(|from| &actions[from..]);
                followed::<P>(setup, configure, actions, again)
            };
            let course = Course::Untimed { actions: actions.len(), wakes: wakes(actions), follow: &follow };
            record(case, shown, &course)
        }
        Schedule::Timed(schedule) => record(case, shown, &Course::Timed(schedule)),
    }
}

/// Configures a protocol for a set-up.
pub type Configure<'a, P> = &'a dyn Fn(&Setup, &Resolved) -> Result<P, BadSetting>;

/// A schedule without the types of its protocol.
enum Course<'a> {
    /// Followed once, and again from an action on if one is given.
    Untimed {
        actions: usize,
        wakes: Vec<Place>,
        follow: Follow<'a>,
    },
    Timed(&'a TimedSchedule),
}

type Follow<'a> = &'a dyn Fn(&Setup, Option<usize>) -> Result<GuardedRun, Error>;

/// What is wrong with a run that does not show the violation of a property.
fn shows(property: Property, repeats_from: Option<usize>, lemmas: &[&str], summary: &Summary) -> Option<String> {
    let beyond_safety = |name: &str| name == TERMINATION || Promised::named(name).is_some() || lemmas.contains(&name);
    let unfinished = summary.violations.iter().any(|violation| violation.property == TERMINATION);
    let shown = match property {
        Property::Safety => summary.violations.iter().any(|violation| !beyond_safety(violation.property)),
        Property::Termination => unfinished || repeats_from.is_some(),
        // Simulators judge no formulas: that they make the same run is enough.
        Property::Formula(_) => true,
        Property::Invariant(_) | Property::Promise(_) | Property::Lemma(_) => {
            summary.violations.iter().any(|violation| violation.property == property.name())
        }
    };
    (!shown).then(|| format!("does not violate {}", property.name()))
}

fn record(case: &Case<'_>, shown: &RunGoal<'_>, course: &Course<'_>) -> Result<TraceFile, Error> {
    let repeats_from = shown.repeats_from;
    if let (Course::Untimed { actions, follow, .. }, Some(from)) = (course, repeats_from) {
        // A cycle can be repeated.
        follow(&taking(case, course, actions - from)?, Some(from))?;
    }
    let setup = taking(case, course, 0)?;
    let (mut trace, first) = match course {
        Course::Untimed { follow, .. } => {
            let run = follow(&setup, None)?;
            let summary = run.summary();
            (TraceFile::new(&setup, &run, &summary), summary)
        }
        Course::Timed(table) => answered(&setup, Choices::Scheduled(table.choices.clone()))?,
    };
    trace.repeats_from = repeats_from.map(|from| from as u64 + 1);
    // A schedule that does not replay, or shows something else, is not recorded.
    let summary = replayed(&setup, &trace)?;
    let different = (summary.trace != first.trace).then(|| "is not replayed as it was".to_string());
    if let Some(wrong) = different.or_else(|| (shown.shows)(&summary)) {
        let wrong = format!("the simulator does not show the schedule that was found: its run {wrong}");
        return Err(Error::Refused { wrong, allowed: None });
    }
    Ok(trace)
}

/// The same run from its recorded choices.
fn replayed(setup: &Setup, trace: &TraceFile) -> Result<Summary, Error> {
    let mut execution = Execution::new(setup, Choices::Recorded(trace.choices.clone()))?;
    execution.finish(&());
    match execution.run.bad_choice() {
        Some(bad) => Err(unfollowed(&bad)),
        None => Ok(execution.run.summary()),
    }
}

fn unfollowed(why: &impl std::fmt::Display) -> Error {
    Error::Refused { wrong: format!("the simulator does not follow the schedule: {why}"), allowed: None }
}

/// The set-up of the run that takes a schedule which was found in a scenario, to its end and the given number of actions
/// further.
fn taking(case: &Case<'_>, course: &Course<'_>, further: usize) -> Result<Setup, Error> {
    let mut scenario = case.scenario.clone();
    // A run that ends has no more than so many.
    if let Some(load) = scenario.workload.as_mut().filter(|load| load.is_unbounded()) {
        load.entries = Workload::MOST;
    }
    let max_time = match course {
        Course::Untimed { actions, wakes, .. } => {
            scenario.wakes = waking(case, wakes);
            (actions + further) as Time
        }
        Course::Timed(schedule) => {
            let TimedSchedule { wakes, offsets: phases, ticks, again, until, .. } = schedule;
            scenario.faults = planned_faults(schedule, case.scenario.faults.at_most);
            let Faults { crashes, restarts, .. } = &scenario.faults;
            let down = crashes.iter().map(|crash| crash.0).chain(restarts.iter().map(|restart| restart.place));
            let down: Vec<Place> = down.collect();
            // A processor that goes down before it wakes would have woken with the others.
            let late = |place: &(Place, Option<Time>)| place.1.is_none() && down.contains(&place.0);
            let together = scenario.workload.is_some() && (0..).zip(wakes.iter().copied()).any(|place| late(&place));
            let nobody = wakes.iter().all(Option::is_none);
            scenario.wakes = if together || nobody && wakes_are_fixed(case) {
                Wakes::All
            } else if nobody {
                // An initial state, before anybody wakes.
                Wakes::At(wakes.iter().map(|_| Some(until + 1)).collect())
            } else {
                Wakes::At(wakes.clone())
            };
            scenario.again.clone_from(again);
            take_clocks(&mut scenario, phases, ticks.as_deref(), *until);
            *until
        }
    };
    let (entry, settings) = (case.entry, case.settings.to_vec());
    Ok(Setup::of_scenario(entry, scenario, settings, case.task, [None, Some(max_time)])?)
}

/// The faults of a schedule, fixed in time. Losses and duplicates are among its choices; their shares only make them possible.
fn planned_faults(schedule: &TimedSchedule, at_most: AtMost) -> Faults {
    let half = |most: u32| (most > 0).then_some(Share { part: 1, whole: 2 });
    Faults {
        crashes: schedule.crashes.clone(),
        restarts: schedule.restarts.clone(),
        pauses: schedule.pauses.clone(),
        cuts: schedule.cuts.clone(),
        loss: half(at_most.losses),
        duplicate: half(at_most.duplicates),
        ..Faults::default()
    }
}

/// Clocks, offsets and the pace of users as a schedule has them.
fn take_clocks(scenario: &mut Scenario, offsets: &[u64], ticks: Option<&[u64]>, until: Time) {
    // Compulsory values are left out: some protocols run under one timing only.
    if offsets.iter().any(|&offset| offset > 0) {
        scenario.timing.offsets = Offsets::List(offsets.to_vec());
    }
    if scenario.timing.r.min < scenario.timing.r.max {
        scenario.timing.clocks = ticks.map_or(Clocks::Varying, |lengths| Clocks::List(lengths.to_vec()));
    }
    if let Some(load) = &mut scenario.workload {
        // The script says how long; whoever it lets wait longer than the run waits to its end.
        let longest = until + 2;
        (load.first, load.think) = (Range::new(0, longest), Range::new(0, longest));
        load.hold = Range::new(1, longest + 1);
    }
}

/// The places that a schedule wakes.
fn wakes<P: Processor>(schedule: &[Action<P>]) -> Vec<Place> {
    let mut woken = Vec::new();
    for action in schedule {
        if let Action::Step { place, event: Event::Wake, .. } = action {
            woken.push(*place);
        }
    }
    woken
}

/// The wakes of a schedule and no others, so that the run ends where the schedule ends, unless all processors must wake.
fn waking(case: &Case<'_>, woken: &[Place]) -> Wakes {
    let scenario = case.scenario;
    let at: Vec<_> = (0..scenario.n as Place).map(|place| woken.contains(&place).then_some(0)).collect();
    if wakes_are_fixed(case) || at.iter().all(Option::is_none) || at.iter().all(Option::is_some) {
        return scenario.wakes.clone();
    }
    Wakes::At(at)
}

/// Whether all processors wake at the beginning.
fn wakes_are_fixed(case: &Case<'_>) -> bool {
    case.entry.description().assumptions.starts == Starts::Together || case.scenario.workload.is_some()
}

/// The run in which what happens is what a schedule says, and what it says again.
fn followed<P: Protocol>(
    setup: &Setup,
    configure: Configure<'_, P>,
    schedule: &[Action<P::Processor>],
    again: Option<&[Action<P::Processor>]>,
) -> Result<GuardedRun, Error> {
    let scenario = &setup.scenario;
    let resolved = Resolved::new(scenario);
    let protocol = configure(setup, &resolved)?;
    let run: Simulation<P, Full> = Simulation::prepare(protocol, scenario, resolved, Choices::Drawn)?;
    let follow = |run: &mut Simulation<P, Full>| {
        run.follow(schedule)?;
        again.map_or(Ok(()), |again| run.follow(again))
    };
    GuardedRun::after(run, follow).map_err(|impossible| unfollowed(&impossible))
}

/// The run in which these choices are made.
fn answered(setup: &Setup, choices: Choices) -> Result<(TraceFile, Summary), Error> {
    let mut execution = Execution::new(setup, choices)?;
    execution.run.record();
    execution.finish(&());
    if let Some(bad) = execution.run.bad_choice() {
        return Err(unfollowed(&bad));
    }
    let summary = execution.run.summary();
    Ok((TraceFile::new(setup, execution.run.as_ref(), &summary), summary))
}
