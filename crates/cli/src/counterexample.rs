//! Counterexamples of the checker as ordinary runs: recorded, so that they replay, are drawn and shrink like any other.

use ringleader_check::{Counterexample, Property, Schedule, TimedSchedule};
use ringleader_model::{
    Clocks, Event, Faults, Happening, Phases, Place, Processor, Protocol, Range, Settings, Starts, Time, Wakes,
};
use ringleader_sim::{Choices, FINISHES, Full, Resolved, Run, Simulation};

use crate::error::Error;
use crate::execution::Execution;
use crate::plan::Plan;
use crate::trace_file::TraceFile;

/// A schedule in which a property does not hold, found in the scenario of a plan, as a recorded run. It ends where the
/// property shows; one that repeats itself for ever ends where it has done so once.
pub fn recorded<P: Protocol>(plan: &Plan, found: &Counterexample<P::Processor>) -> Result<TraceFile, Error> {
    if let (Schedule::Untimed(schedule), Some(from)) = (&found.schedule, found.repeats_from) {
        // What goes round once can go round again.
        let again = [&schedule[..], &schedule[from..]].concat();
        followed::<P>(&taking(plan, &Schedule::Untimed(again.clone()))?, &again)?;
    }
    let plan = taking(plan, &found.schedule)?;
    let mut trace = match &found.schedule {
        Schedule::Untimed(schedule) => followed::<P>(&plan, schedule)?,
        Schedule::Timed(table) => answered(&plan, Choices::Scripted(table.choices.clone()))?,
    };
    trace.repeats_from = found.repeats_from.map(|from| from as u64 + 1);
    // What does not replay, or shows something else, is no counterexample.
    let (_, _, summary) = trace.replay(|_| {})?;
    let unfinished = summary.violations.iter().any(|violation| violation.property == FINISHES);
    let shown = match found.property {
        Property::Safety => summary.violations.len() > usize::from(unfinished),
        Property::Termination => unfinished || found.repeats_from.is_some(),
    };
    if !shown {
        let found = format!("violated {}", found.property.name());
        return Err(Error::Usage(format!("the simulator does not show the schedule that {found}")));
    }
    Ok(trace)
}

/// The plan of the run that takes a schedule which was found in the scenario of a plan, to its end and no further.
fn taking<P: Processor>(plan: &Plan, course: &Schedule<P>) -> Result<Plan, Error> {
    let mut plan = plan.clone();
    match course {
        Schedule::Untimed(schedule) => {
            plan.scenario.wakes = wakes(&plan, schedule);
            plan.max_time = Some(schedule.len() as Time);
        }
        Schedule::Timed(TimedSchedule { crashes, wakes, offsets: phases, ticks, again, until, .. }) => {
            let scenario = &mut plan.scenario;
            scenario.faults = Faults { crashes: crashes.clone(), ..Faults::default() };
            // Who crashes before it wakes would have woken with the others.
            let late =
                |place: &(Place, Option<Time>)| place.1.is_none() && crashes.iter().any(|crash| crash.0 == place.0);
            let together = scenario.workload.is_some() && (0..).zip(wakes.iter().copied()).any(|place| late(&place));
            scenario.wakes = if together { Wakes::All } else { Wakes::At(wakes.clone()) };
            scenario.again.clone_from(again);
            // What is as it must be needs no words: there are protocols that run under one timing only.
            if phases.iter().any(|&phase| phase > 0) {
                scenario.timing.phases = Phases::List(phases.clone());
            }
            if scenario.timing.r.min < scenario.timing.r.max {
                let lengths = ticks.as_ref().map(|lengths| Clocks::List(lengths.clone()));
                scenario.timing.clocks = lengths.unwrap_or(Clocks::Varying);
            }
            if let Some(load) = &mut scenario.workload {
                // The script says how long; whoever it lets wait longer than the run waits to its end.
                let longest = until + 2;
                (load.first, load.think) = (Range::new(0, longest), Range::new(0, longest));
                load.hold = Range::new(1, longest + 1);
            }
            plan.max_time = Some(*until);
        }
    }
    // As a trace file says it.
    Plan::new(plan.description.name, &plan.to_options())
}

/// Who wakes in a schedule and nobody else, so that it is over where it ends, unless everybody must.
fn wakes<P: Processor>(plan: &Plan, schedule: &[Happening<P>]) -> Wakes {
    let scenario = &plan.scenario;
    let woken = |place: Place| {
        schedule
            .iter()
            .any(|happening| matches!(happening, Happening::Step { place: at, event: Event::Wake, .. } if *at == place))
    };
    let at: Vec<_> = (0..scenario.n as Place).map(|place| woken(place).then_some(0)).collect();
    let fixed = plan.description.assumptions.starts == Starts::Together || scenario.workload.is_some();
    if fixed || at.iter().all(Option::is_none) || at.iter().all(Option::is_some) {
        return scenario.wakes.clone();
    }
    Wakes::At(at)
}

/// The run of a plan in which what happens is what a schedule says.
fn followed<P: Protocol>(plan: &Plan, schedule: &[Happening<P::Processor>]) -> Result<TraceFile, Error> {
    let scenario = &plan.scenario;
    let resolved = Resolved::new(scenario);
    let settings = Settings::new(P::DESCRIPTION.parameters, &plan.settings)?;
    let protocol = P::configure(&settings, &resolved.instance(scenario))?;
    let mut run: Simulation<P, Full> = Simulation::prepare(protocol, scenario, resolved, Choices::Drawn)?;
    run.follow(schedule).map_err(|impossible| Error::Usage(format!("the simulator does not follow: {impossible}")))?;
    Ok(TraceFile::of(plan, &run, &run.summary()))
}

/// The run of a plan in which these choices are made.
fn answered(plan: &Plan, choices: Choices) -> Result<TraceFile, Error> {
    let mut execution = Execution::new(plan, choices)?;
    execution.run.record();
    execution.finish();
    if let Some(bad) = execution.run.bad_choice() {
        return Err(Error::Usage(format!("the simulator does not follow the schedule: {bad}")));
    }
    let summary = execution.run.summary();
    Ok(TraceFile::new(plan, &execution, &summary))
}
