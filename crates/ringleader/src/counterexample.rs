//! Counterexamples of the checker as ordinary runs: recorded, so that they replay, are drawn and shrink like any other.

use ringleader_check::{Counterexample, Property, Schedule, TimedSchedule};
use ringleader_model::{
    Action, Clocks, Event, Faults, Offsets, Place, Processor, Protocol, Range, Scenario, Settings, Starts, Time, Wakes,
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
pub fn recorded<P: Protocol>(case: &Case<'_>, found: &Counterexample<P::Processor>) -> Result<TraceFile, Error> {
    if let (Schedule::Untimed(schedule), Some(from)) = (&found.schedule, found.repeats_from) {
        // A cycle can be repeated.
        let again = [&schedule[..], &schedule[from..]].concat();
        followed::<P>(&taking(case, &Schedule::Untimed(again.clone()))?, &again)?;
    }
    let setup = taking(case, &found.schedule)?;
    let (mut trace, first) = match &found.schedule {
        Schedule::Untimed(schedule) => followed::<P>(&setup, schedule)?,
        Schedule::Timed(table) => answered(&setup, Choices::Scheduled(table.choices.clone()))?,
    };
    trace.repeats_from = found.repeats_from.map(|from| from as u64 + 1);
    // A schedule that does not replay, or shows something else, is no counterexample.
    let summary = replayed(&setup, &trace)?;
    let same = summary.trace == first.trace;
    let unfinished = summary.violations.iter().any(|violation| violation.property == TERMINATION);
    let shown = match found.property {
        Property::Safety => summary.violations.len() > usize::from(unfinished),
        Property::Termination => unfinished || found.repeats_from.is_some(),
        Property::Invariant(name) => summary.violations.iter().any(|violation| violation.property == name),
    };
    if !shown || !same {
        let wrong = format!("the simulator does not show the schedule that violated {}", found.property.name());
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

/// The set-up of the run that takes a schedule which was found in a scenario, to its end and no further.
fn taking<P: Processor>(case: &Case<'_>, course: &Schedule<P>) -> Result<Setup, Error> {
    let mut scenario = case.scenario.clone();
    let max_time = match course {
        Schedule::Untimed(schedule) => {
            scenario.wakes = wakes(case, schedule);
            schedule.len() as Time
        }
        Schedule::Timed(TimedSchedule { crashes, wakes, offsets: phases, ticks, again, until, .. }) => {
            scenario.faults = Faults { crashes: crashes.clone(), ..Faults::default() };
            // A processor that crashes before it wakes would have woken with the others.
            let late =
                |place: &(Place, Option<Time>)| place.1.is_none() && crashes.iter().any(|crash| crash.0 == place.0);
            let together = scenario.workload.is_some() && (0..).zip(wakes.iter().copied()).any(|place| late(&place));
            scenario.wakes = if together { Wakes::All } else { Wakes::At(wakes.clone()) };
            scenario.again.clone_from(again);
            take_clocks(&mut scenario, phases, ticks.as_deref(), *until);
            *until
        }
    };
    let (entry, settings) = (case.entry, case.settings.to_vec());
    Ok(Setup::of_scenario(entry, scenario, settings, None, [None, Some(max_time)])?)
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

/// The wakes of a schedule and no others, so that the run ends where the schedule ends, unless all processors must wake.
fn wakes<P: Processor>(case: &Case<'_>, schedule: &[Action<P>]) -> Wakes {
    let scenario = case.scenario;
    let woken = |place: Place| {
        schedule
            .iter()
            .any(|happening| matches!(happening, Action::Step { place: at, event: Event::Wake, .. } if *at == place))
    };
    let at: Vec<_> = (0..scenario.n as Place).map(|place| woken(place).then_some(0)).collect();
    let fixed = case.entry.description().assumptions.starts == Starts::Together || scenario.workload.is_some();
    if fixed || at.iter().all(Option::is_none) || at.iter().all(Option::is_some) {
        return scenario.wakes.clone();
    }
    Wakes::At(at)
}

/// The run in which what happens is what a schedule says.
fn followed<P: Protocol>(setup: &Setup, schedule: &[Action<P::Processor>]) -> Result<(TraceFile, Summary), Error> {
    let scenario = &setup.scenario;
    let resolved = Resolved::new(scenario);
    let settings = Settings::new(P::DESCRIPTION.parameters, &setup.settings)?;
    let protocol = P::configure(&settings, &resolved.instance(scenario))?;
    let run: Simulation<P, Full> = Simulation::prepare(protocol, scenario, resolved, Choices::Drawn)?;
    let mut run = GuardedRun::new(run);
    if let Some(Err(impossible)) = run.attempt(|run| run.follow(schedule)) {
        return Err(unfollowed(&impossible));
    }
    let summary = run.summary();
    Ok((TraceFile::new(setup, &run, &summary), summary))
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
