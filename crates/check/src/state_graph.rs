//! The reachable states of a small instance without clocks as an explicit graph, to be drawn.

use ringleader_model::{BadSetting, Place, Protocol, Scenario};

use crate::answer::Wakers;
use crate::interner::{Interned, Map};
use crate::judged_program;
use crate::program::{InitialState, InternedAction, Trigger, TypedProgram, UserRequest};
use crate::reductions::Reductions;
use crate::transition_system::{Monitored, ProtocolSystem, Reconstruct, Successors, TransitionSystem, fingerprint};
use crate::untimed::UntimedSystem;

/// The reachable states of an instance, and the transitions between them. The first state is the initial one. Processors,
/// messages, timers and requests are texts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateGraph {
    /// In breadth-first order.
    pub states: Vec<GraphState>,
    /// By state and action.
    pub transitions: Vec<GraphTransition>,
}

/// A state of a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GraphState {
    /// By place.
    pub places: Vec<GraphPlace>,
    /// By link that carries messages: sender, receiver and messages.
    pub links: Vec<(Place, Place, Vec<String>)>,
    /// A property of states is violated. If it is safety or an invariant, successors are not explored.
    pub violating: bool,
    /// No action must happen any more.
    pub quiescent: bool,
    /// It is quiescent though a request is outstanding.
    pub deadlocked: bool,
}

/// A processor in a state of a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GraphPlace {
    /// `None` if it has crashed.
    pub processor: Option<String>,
    /// It may still wake up.
    pub asleep: bool,
    /// The timers that run.
    pub timers: Vec<String>,
    /// The number of entries that its user will still request.
    pub entries: u64,
}

/// A transition of a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GraphTransition {
    /// The index of the state that it leaves.
    pub from: usize,
    /// The index of the state that it leads to.
    pub to: usize,
    /// Its action.
    pub action: GraphAction,
}

/// The action of a transition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GraphAction {
    /// A processor wakes up.
    Wake(Place, DrawnNumbers),
    /// A processor receives a message.
    Receive(Place, String, DrawnNumbers),
    /// A timer of a processor expires.
    Timeout(Place, String, DrawnNumbers),
    /// The user of a processor makes a request.
    Call(Place, String, DrawnNumbers),
    /// A processor crashes.
    Crash(Place),
    /// A processor restarts and wakes up.
    Restart(Place, DrawnNumbers),
    /// The link between two places is cut.
    Cut(Place, Place),
    /// It is cut no more.
    Heal(Place, Place),
    /// A message to a processor is lost.
    Loss(Place, String),
    /// A message to a processor is duplicated.
    Duplicate(Place, String),
}

/// The random choices of a step.
pub type DrawnNumbers = Vec<u32>;

/// The values of a protocol as texts.
pub(crate) trait ValueTexts {
    fn processor(&mut self, processor: Interned) -> String;
    fn message(&mut self, message: Interned) -> String;
    fn timer(&mut self, timer: Interned) -> String;
    fn request(&mut self, request: UserRequest) -> String;
}

/// A program, and its processors in words.
struct DescribedProgram<P: Protocol>(TypedProgram<P>, fn(&P::Processor) -> String);

impl<P: Protocol> ValueTexts for DescribedProgram<P> {
    fn processor(&mut self, processor: Interned) -> String {
        (self.1)(self.0.processor(processor))
    }

    fn message(&mut self, message: Interned) -> String {
        self.0.message(message).to_string()
    }

    fn timer(&mut self, timer: Interned) -> String {
        self.0.timer(timer).to_string()
    }

    fn request(&mut self, request: UserRequest) -> String {
        request.request::<P::Processor>().map_or_else(String::new, |request| request.to_string())
    }
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

/// The graph of all states that [`check`](crate::check) explores without reductions, if there are at most `limit`. `describe`
/// puts the state of a processor into words.
///
/// ```
/// use ringleader_check::{Wakers, state_graph};
/// use ringleader_model::Scenario;
/// use ringleader_protocols::election::chang_roberts::ChangRoberts;
///
/// let scenario = Scenario { n: 1, ids: vec![1], untimed: true, ..Scenario::default() };
/// let graph = state_graph(ChangRoberts, &scenario, &Wakers::Anybody, 10, |processor| format!("{processor:?}"))?;
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
    describe: fn(&P::Processor) -> String,
) -> Result<StateGraph, BadSetting> {
    let (program, initial) = judged_program(protocol, scenario, wakers)?;
    graph(initial, (scenario, wakers), limit, &mut DescribedProgram(program, describe))
}

fn graph(
    initial: InitialState,
    (scenario, wakers): (&Scenario, &Wakers),
    limit: usize,
    texts: &mut dyn ValueTexts,
) -> Result<StateGraph, BadSetting> {
    if !scenario.untimed {
        let allowed = "only without clocks (--untimed): with them a transition is all that happens at one instant";
        return Err(BadSetting::new("dot", "is given for a check with clocks", allowed));
    }
    let mut system = UntimedSystem::new(initial, scenario, wakers, Reductions::NONE)?;
    let invalid_port = system.links().invalid_port();
    let explored = ExploredGraph::new(&mut system, limit)?;
    invalid_port.check()?;
    let mut states = Vec::with_capacity(explored.states.len());
    for (state, [violating, quiescent, deadlocked]) in explored.states.iter().zip(explored.marks) {
        let InternedState { places, links } = system.interned_state(state);
        let place = |place: InternedPlace| GraphPlace {
            processor: place.processor.map(|number| texts.processor(number)),
            asleep: place.asleep,
            timers: place.timers.into_iter().map(|timer| texts.timer(timer)).collect(),
            entries: place.entries,
        };
        let places = places.into_iter().map(place).collect();
        let mut messages =
            |messages: Vec<Interned>| messages.into_iter().map(|message| texts.message(message)).collect();
        let links = links.into_iter().map(|(from, to, list)| (from, to, messages(list))).collect();
        states.push(GraphState { places, links, violating, quiescent, deadlocked });
    }
    let transition = |(from, to, action)| GraphTransition { from, to, action: action_text(action, texts) };
    Ok(StateGraph { states, transitions: explored.transitions.into_iter().map(transition).collect() })
}

fn action_text(action: InternedAction, texts: &mut dyn ValueTexts) -> GraphAction {
    match action {
        InternedAction::Step(place, trigger, chosen) => match trigger {
            Trigger::Wake | Trigger::Restart { .. } => GraphAction::Wake(place, chosen),
            Trigger::Receive { message, .. } => GraphAction::Receive(place, texts.message(message), chosen),
            Trigger::Timeout(timer) => GraphAction::Timeout(place, texts.timer(timer), chosen),
            Trigger::Call(request) => GraphAction::Call(place, texts.request(request), chosen),
        },
        InternedAction::Crash(place) => GraphAction::Crash(place),
        InternedAction::Restart(place, chosen) => GraphAction::Restart(place, chosen),
        InternedAction::Cut(one, other) => GraphAction::Cut(one, other),
        InternedAction::Heal(one, other) => GraphAction::Heal(one, other),
        InternedAction::Loss(place, _, message) => GraphAction::Loss(place, texts.message(message)),
        InternedAction::Duplicate(place, _, message) => GraphAction::Duplicate(place, texts.message(message)),
    }
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
