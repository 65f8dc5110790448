//! The reachable states of a small instance without clocks as an explicit graph, to be drawn.

use ringleader_model::{Action, BadSetting, Place, Processor, Protocol, Scenario};

use crate::answer::Wakers;
use crate::interner::{Interned, Map};
use crate::judged_program;
use crate::program::InternedAction;
use crate::reductions::Reductions;
use crate::transition_system::{Monitored, ProtocolSystem, Reconstruct, Successors, TransitionSystem, fingerprint};
use crate::untimed::UntimedSystem;

/// The reachable states of an instance, and the transitions between them. The first state is the initial one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateGraph<P: Processor> {
    /// In breadth-first order.
    pub states: Vec<GraphState<P>>,
    /// By state and action.
    pub transitions: Vec<GraphTransition<P>>,
}

/// A state of a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GraphState<P: Processor> {
    /// By place.
    pub places: Vec<GraphPlace<P>>,
    /// By link that carries messages: sender, receiver and messages.
    pub links: Vec<(Place, Place, Vec<P::Message>)>,
    /// A property of states is violated. If it is safety or an invariant, successors are not explored.
    pub violating: bool,
    /// No action must happen any more.
    pub quiescent: bool,
    /// It is quiescent though a request is outstanding.
    pub deadlocked: bool,
}

/// A processor in a state of a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GraphPlace<P: Processor> {
    /// `None` if it has crashed.
    pub processor: Option<P>,
    /// It may still wake up.
    pub asleep: bool,
    /// The timers that run.
    pub timers: Vec<P::Timer>,
    /// The number of entries that its user will still request.
    pub entries: u64,
}

/// A transition of a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GraphTransition<P: Processor> {
    /// The index of the state that it leaves.
    pub from: usize,
    /// The index of the state that it leads to.
    pub to: usize,
    /// Its action.
    pub action: Action<P>,
}

/// A state without the types of its protocol.
pub(crate) struct InternedState {
    pub(crate) places: Vec<InternedPlace>,
    pub(crate) links: Vec<(Place, Place, Vec<Interned>)>,
}

/// A processor without its type.
pub(crate) struct InternedPlace {
    pub(crate) processor: Option<Interned>,
    pub(crate) asleep: bool,
    pub(crate) timers: Vec<Interned>,
    pub(crate) entries: u64,
}

/// The graph of all states that [`check`](crate::check) explores without reductions, if there are at most `limit`.
///
/// ```
/// use ringleader_check::{Wakers, state_graph};
/// use ringleader_model::Scenario;
/// use ringleader_protocols::election::chang_roberts::ChangRoberts;
///
/// let scenario = Scenario { n: 1, ids: vec![1], untimed: true, ..Scenario::default() };
/// let graph = state_graph(ChangRoberts, &scenario, &Wakers::Anybody, 10)?;
/// // It wakes, is elected, and discards its announcement.
/// assert_eq!((graph.states.len(), graph.transitions.len()), (4, 3));
/// assert!(graph.states[3].quiescent && !graph.states[3].deadlocked);
/// # Ok::<(), ringleader_model::BadSetting>(())
/// ```
///
/// # Errors
/// As [`check`](crate::check); if there are clocks, or more states.
pub fn state_graph<P: Protocol>(
    protocol: P,
    scenario: &Scenario,
    wakers: &Wakers,
    limit: usize,
) -> Result<StateGraph<P::Processor>, BadSetting> {
    if !scenario.untimed {
        let allowed = "only without clocks (--untimed): with them a transition is all that happens at one instant";
        return Err(BadSetting::new("dot", "is given for a check with clocks", allowed));
    }
    let (mut program, initial) = judged_program(protocol, scenario, wakers)?;
    let mut system = UntimedSystem::new(initial, scenario, wakers, Reductions::NONE)?;
    let invalid_port = system.links().invalid_port();
    let explored = ExploredGraph::new(&mut system, limit)?;
    invalid_port.check()?;
    let (froms_and_tos, actions): (Vec<_>, Vec<_>) =
        explored.transitions.into_iter().map(|(from, to, action)| ((from, to), action)).unzip();
    let actions = program.concrete_actions(actions);
    let transition = |((from, to), action)| GraphTransition { from, to, action };
    let mut states = Vec::with_capacity(explored.states.len());
    for (state, [violating, quiescent, deadlocked]) in explored.states.iter().zip(explored.marks) {
        let InternedState { places, links } = system.interned_state(state);
        let place = |place: InternedPlace| GraphPlace {
            processor: place.processor.map(|number| program.processor(number)),
            asleep: place.asleep,
            timers: place.timers.into_iter().map(|timer| program.timer(timer)).collect(),
            entries: place.entries,
        };
        let places = places.into_iter().map(place).collect();
        let mut messages =
            |messages: Vec<Interned>| messages.into_iter().map(|message| program.message(message)).collect();
        let links = links.into_iter().map(|(from, to, list)| (from, to, messages(list))).collect();
        states.push(GraphState { places, links, violating, quiescent, deadlocked });
    }
    Ok(StateGraph { states, transitions: froms_and_tos.into_iter().zip(actions).map(transition).collect() })
}

/// The graph without the types of its protocol.
struct ExploredGraph {
    states: Vec<Vec<Interned>>,
    /// By state: it is violating, quiescent, deadlocked.
    marks: Vec<[bool; 3]>,
    transitions: Vec<(usize, usize, InternedAction)>,
}

impl ExploredGraph {
    fn new(system: &mut UntimedSystem, limit: usize) -> Result<Self, BadSetting> {
        let mut graph = Self { states: system.initial_states(), marks: Vec::new(), transitions: Vec::new() };
        let mut indices: Map<Vec<Interned>, usize> = graph.states.iter().cloned().zip(0..).collect();
        let mut successors = Successors::default();
        while graph.marks.len() < graph.states.len() {
            let from = graph.marks.len();
            let state = graph.states[from].clone();
            let status = system.monitor_status(&state);
            system.successors(&state, fingerprint(&state), &mut successors);
            let quiescent = from > 0 && successors.is_quiescent();
            graph.marks.push([status.violated, quiescent, quiescent && status.waiting]);
            for transition in 0..if status.cut_off { 0 } else { successors.transitions.len() } {
                let mut after = state.clone();
                successors.apply(transition, &mut after);
                let to = *indices.entry(after.clone()).or_insert(graph.states.len());
                if to == graph.states.len() {
                    graph.states.push(after);
                }
                graph.transitions.push((from, to, system.action(&state, transition)));
            }
            if graph.states.len() > limit {
                let wrong = format!("is given for an instance with more than {limit} states");
                return Err(BadSetting::new("dot", wrong, "a smaller instance: fewer processors, entries or faults"));
            }
        }
        Ok(graph)
    }
}
