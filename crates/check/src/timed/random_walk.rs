//! One run of a timed transition system, to compare it with another engine.

use ringleader_model::{BadSetting, Outcome, Ports, Processor, Protocol, Scenario};

use super::{TimedSystem, timed_schedule};
use crate::answer::{TimedSchedule, Wakers};
use crate::interner::Interned;
use crate::program::TypedProgram;
use crate::reductions::Reductions;
use crate::sample::EndingSystem;
use crate::transition_system::{ProtocolSystem, Reconstruct, Successors, TransitionSystem, fingerprint};
use crate::validate;

/// A random walk: a schedule with clocks, and its result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RandomWalk<P: Processor> {
    /// The schedule by which a simulator makes the same run.
    pub schedule: TimedSchedule,
    /// The numbering of ports under which it is possible, where [all](Ports::All) are explored.
    pub ports: Option<Ports>,
    /// By place, the processor at the end; `None` if it is down.
    pub processors: Vec<Option<P>>,
    /// The result at the end.
    pub outcome: Outcome,
    /// Message passes.
    pub messages: u64,
}

/// Takes one run of this number of instants out of all runs with clocks that [`check`](crate::check) explores. `choose`
/// receives a number of successors and returns the index of one.
///
/// ```
/// use ringleader_check::{Wakers, random_walk};
/// use ringleader_model::Scenario;
/// use ringleader_protocols::election::lelann::LeLann;
///
/// let scenario = Scenario { n: 2, ids: vec![1, 2], ..Scenario::default() };
/// let walk = random_walk(LeLann, &scenario, &Wakers::Together, 5, &mut |count| count - 1)?;
/// assert_eq!((walk.schedule.until, walk.messages), (4, 4)); // each identity makes a round of two links
/// # Ok::<(), ringleader_model::BadSetting>(())
/// ```
///
/// # Errors
/// As [`check`](crate::check).
pub fn random_walk<P: Protocol>(
    protocol: P,
    scenario: &Scenario,
    wakers: &Wakers,
    instants: usize,
    choose: &mut dyn FnMut(usize) -> usize,
) -> Result<RandomWalk<P::Processor>, BadSetting> {
    validate(&P::DESCRIPTION.assumptions, scenario, wakers)?;
    let mut program = TypedProgram::new(protocol);
    let mut system = TimedSystem::new(program.initial_state(scenario)?, scenario, wakers, Reductions::NONE)?;
    let initial_states = system.initial_states();
    let initial_state = initial_states[choose(initial_states.len())].clone();
    let (mut state, mut successors) = (initial_state.clone(), Successors::default());
    let (mut states, mut transitions, mut messages) = (vec![initial_state.clone()], Vec::new(), 0);
    for _ in 0..instants {
        system.successors(&state, fingerprint(&state), &mut successors);
        let transition = choose(successors.transitions.len());
        transitions.push(transition);
        messages += u64::from(successors.transitions[transition].sent);
        successors.apply(transition, &mut state);
        states.push(state.clone());
    }
    let ports = system.fix_numbering(&states, &transitions);
    let actions: Vec<_> = states.iter().zip(transitions).map(|(state, taken)| system.action(state, taken)).collect();
    system.links.invalid_port().check()?;
    program.panics().refuse("protocol")?;
    let mut processor = |&local: &Interned| {
        let local = system.locals.get(local);
        (!local.is_down()).then(|| program.processor(local.processor).clone())
    };
    let processors = state[..system.n].iter().map(&mut processor).collect();
    let outcome = program.outcome(state[system.monitor_index()]);
    let schedule = timed_schedule(&mut system, &initial_state, actions);
    Ok(RandomWalk { schedule, ports, processors, outcome, messages })
}

impl EndingSystem for TimedSystem {
    fn has_requests(&mut self, state: &[Interned], _: &Successors) -> bool {
        let mut requests = |&local: &Interned| {
            let local = self.locals.get(local);
            !local.is_down() && (local.user.entries > 0 || local.user.again > 0)
        };
        state[..self.n].iter().any(&mut requests)
    }
}
