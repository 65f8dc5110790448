//! Lemmas of a protocol's paper ([`Protocol::LEMMAS`]), judged by a search of their own.
//!
//! A lemma speaks of what processors have done so far. So the monitor is joined by a *history*, as of a history variable
//! (Abadi and Lamport, *The existence of refinement mappings*, 1991): the facts that steps
//! [note](ringleader_model::Effects::note), by place. Histories are kept in a search of its own, after the search for the
//! other properties, whose states, verdicts and costs stay as they are without lemmas.
//!
//! - *Granularity*: judged are the states after each step, or of each step of an instant where there are clocks. Facts are
//!   only added and a violation stays one, so that the simulator, which judges its last state, finds the same.
//! - *Partial-order reduction*: a step that notes a fact is visible (condition C2), like one that reports something.
//! - *Symmetry reduction* is disabled, since facts are kept by place.
//! - *Safety*: states that violate it are explored beyond, so that lemmas are judged in all runs.
//!
//! There are no checkpoints of this search: a check that is resumed repeats it.

use ringleader_model::{BadSetting, Protocol, Scenario};

use crate::answer::{CheckVerdict, Effort, Judgement, Progress, Property, SearchLimit};
use crate::checkpoint::{CheckpointFile, CheckpointRecord, SearchWatch, WatchedSearch};
use crate::panics::NO_PANIC;
use crate::program::{InitialState, TypedProgram};
use crate::search::{self, PropertyViolation};
use crate::timed::{self, TimedSystem};
use crate::transition_system::Reconstruct;
use crate::untimed::UntimedSystem;
use crate::{
    SystemRun, UntypedCounterexample, UntypedRun, UntypedSchedule, ViolatingRun, Wakers, detail, reconstruct, woken,
};

/// The verdicts on lemmas, and a shortest counterexample to one of them.
pub(crate) type JudgedLemmas = (Vec<Judgement>, Option<UntypedCounterexample>);

/// Judges the lemmas that a program's protocol states for a scenario.
pub(crate) fn judge<P: Protocol>(
    program: &TypedProgram<P>,
    scenario: &Scenario,
    wakers: &Wakers,
    effort: &Effort,
    watch: &mut WatchedSearch<'_>,
) -> Result<JudgedLemmas, BadSetting> {
    match program.judging_lemmas(&woken(scenario, wakers)) {
        Some(mut program) => find(program.initial_state(scenario)?, scenario, wakers, effort, watch),
        None => Ok(JudgedLemmas::default()),
    }
}

fn find(
    initial: InitialState,
    scenario: &Scenario,
    wakers: &Wakers,
    effort: &Effort,
    watch: &mut WatchedSearch<'_>,
) -> Result<JudgedLemmas, BadSetting> {
    let mut watch = WithoutCheckpoints(watch);
    if scenario.untimed {
        let mut system = UntimedSystem::new(initial, scenario, wakers, effort.reductions)?;
        let (judgements, shortest) = explore(&mut system, effort, &mut watch);
        Ok((judgements, shortest.map(|run| untyped(run, |_, actions| UntypedSchedule::Untimed(actions)))))
    } else {
        let mut system = TimedSystem::new(initial, scenario, wakers, effort.reductions)?;
        let (judgements, shortest) = explore(&mut system, effort, &mut watch);
        let mut schedule = |initial_state: Vec<u32>, instants| {
            UntypedSchedule::Timed(Box::new(timed::timed_schedule(&mut system, &initial_state, instants)))
        };
        Ok((judgements, shortest.map(|run| untyped(run, &mut schedule))))
    }
}

fn untyped<A>(
    violating: ViolatingRun<A>,
    schedule: impl FnOnce(Vec<u32>, Vec<A>) -> UntypedSchedule,
) -> UntypedCounterexample {
    let SystemRun { initial_state, actions, ports } = violating.run;
    let run = UntypedRun { steps: actions.len(), ports, schedule: schedule(initial_state, actions) };
    UntypedCounterexample { property: violating.property, repeats_from: None, run }
}

/// Explores a transition system with histories, and judges its lemmas.
fn explore<S: Reconstruct>(
    system: &mut S,
    effort: &Effort,
    watch: &mut dyn SearchWatch,
) -> (Vec<Judgement>, Option<ViolatingRun<S::Action>>) {
    let (mut violations, mut ran_out) = search::search_states(system, effort, watch);
    if ran_out == Some(SearchLimit::Branching) && system.disable_renaming() {
        (violations, ran_out) = search::search_states(system, effort, watch);
    }
    let panicked = violations.iter().any(|violation| violation.property == Property::Invariant(NO_PANIC));
    violations.retain(|violation| matches!(violation.property, Property::Lemma(_)));
    violations.sort_by_key(|violation| violation.states.len());
    let shortest = violations.first_mut().and_then(|PropertyViolation { property, states, transitions, .. }| {
        let run = reconstruct(system, states, transitions)?;
        Some(ViolatingRun { property: *property, cycle_start: None, run })
    });
    let lemmas = system.properties();
    let judge = |property: Property| {
        let (verdict, detail) = match violations.iter().find(|violation| violation.property == property) {
            Some(violation) => (CheckVerdict::Violated, detail(system, violation)),
            None if ran_out.is_some() => (CheckVerdict::Unknown, "the search with histories was not complete".into()),
            // Nothing follows a step that panics.
            None if panicked => (CheckVerdict::Unknown, "not looked for after a panic".into()),
            None => (CheckVerdict::Holds, String::new()),
        };
        Judgement { property, verdict, detail }
    };
    (lemmas.into_iter().map(judge).collect(), shortest)
}

/// The same watch, without checkpoints.
struct WithoutCheckpoints<'a, 'b>(&'a mut WatchedSearch<'b>);

impl SearchWatch for WithoutCheckpoints<'_, '_> {
    fn goes_on(&mut self, progress: &Progress) -> bool {
        self.0.goes_on(progress)
    }

    fn checkpoints(&mut self) -> Option<(&mut CheckpointRecord, &mut dyn CheckpointFile)> {
        None
    }
}
