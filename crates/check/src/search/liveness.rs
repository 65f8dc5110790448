//! Liveness: livelocks, and the lassos that show them.
//!
//! Termination is FG ¬waiting, and FG ¬send if the problem demands quiescence, in every weakly fair run. An infinite
//! run violates it if it visits a waiting state, or sends, infinitely often.
//!
//! Without random choices the states that a run visits infinitely often form a strongly connected set. With them a
//! counterexample is a scheduler under which termination has a probability below 1. The states and actions that a run
//! visits infinitely often form an end component with probability 1 \[DeAlfaro1997\]
//! ([`graph::end_components`](crate::graph::end_components)), and a scheduler can visit all of an end component
//! forever, whatever the random choices are. So there is a counterexample if and only if there is an end component that
//! is weakly fair ([`graph::fairness`](crate::graph::fairness)) and contains a waiting state, or a transition that
//! sends. Both conditions hold for a maximal end component if they hold for a part of it, so that only maximal ones are
//! examined.
//!
//! [`StronglyConnected::find_livelocks`] decides this for one strongly connected component of the state space, and
//! [`fair_cycle`] makes the cycle of a lasso out of an end component that was found.

use core::ops::Range;

use crate::answer::SearchLimit;
use crate::graph::{ActionGraph, EndComponents, NO_COMPONENT, StrongFairness, WeakFairness};
use crate::interner::{Interned, Map};
use crate::transition_system::{Successors, TransitionSystem, fingerprint};

use super::memory_budget::MemoryBudget;

/// The states of all livelocks, by fingerprint, each with the number of its end component; sorted.
#[derive(Default)]
pub(crate) struct LivelockStates {
    states: Vec<(u64, u32)>,
    components: u32,
}

impl LivelockStates {
    /// The end component of a state.
    pub(crate) fn component(&self, fingerprint: u64) -> Option<u32> {
        let index = self.states.binary_search_by_key(&fingerprint, |state| state.0).ok()?;
        Some(self.states[index].1)
    }

    /// Makes [`component`](Self::component) possible, when all livelocks have been found.
    pub(crate) fn sort(&mut self) {
        self.states.sort_unstable();
    }

    pub(crate) fn bytes(&self) -> usize {
        self.states.capacity() * size_of::<(u64, u32)>()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.states.is_empty()
    }
}

/// A strongly connected component of the state space.
pub(crate) struct StronglyConnected<'a> {
    /// The length of a state vector.
    pub(crate) width: usize,
    /// State vectors one after the other.
    pub(crate) states: &'a [Interned],
    pub(crate) fingerprints: &'a [u64],
}

/// The sub-graph of a strongly connected component in which an action is an event, with all outcomes of its random
/// choices; events that may leave the component are left out.
#[derive(Default)]
struct InnerGraph {
    /// By state: its first action; one entry more than there are states.
    states: Vec<u32>,
    /// By action: its first target, and the index of its first transition among those of the state; one entry more than
    /// there are actions.
    actions: Vec<(u32, u32)>,
    targets: Vec<u32>,
}

impl ActionGraph for InnerGraph {
    fn vertices(&self) -> usize {
        self.states.len() - 1
    }

    fn actions(&self, state: usize) -> Range<usize> {
        self.states[state] as usize..self.states[state + 1] as usize
    }

    fn targets(&self, action: usize) -> impl Iterator<Item = Option<u32>> {
        self.targets[self.target_range(action)].iter().copied().map(Some)
    }
}

impl InnerGraph {
    fn target_range(&self, action: usize) -> Range<usize> {
        self.actions[action].0 as usize..self.actions[action + 1].0 as usize
    }

    /// The indices of the transitions of a state that stay in its end component.
    fn inside(&self, state: usize, mecs: &EndComponents) -> impl Iterator<Item = usize> {
        let actions = self.actions(state).filter(|&action| mecs.inside[action]);
        actions.flat_map(|action| (self.actions[action].1 as usize..).take(self.target_range(action).len()))
    }

    fn drop(&mut self, memory: &MemoryBudget) {
        memory.drop(&mut self.states);
        memory.drop(&mut self.actions);
        memory.drop(&mut self.targets);
    }
}

impl StronglyConnected<'_> {
    fn state(&self, index: usize) -> &[Interned] {
        &self.states[index * self.width..(index + 1) * self.width]
    }

    /// Adds the livelocks of this component. `inside`: the index of a fingerprint in here.
    pub(crate) fn find_livelocks(
        &self,
        system: &mut dyn TransitionSystem,
        inside: &dyn Fn(u64) -> Option<u32>,
        memory: &MemoryBudget,
        livelocks: &mut LivelockStates,
    ) -> Result<(), SearchLimit> {
        let mut states = 0..self.fingerprints.len();
        if !system.must_quiesce() && !states.any(|index| system.monitor_status(self.state(index)).waiting) {
            return Ok(());
        }
        let mut graph = InnerGraph::default();
        let built = self.build(system, inside, memory, &mut graph);
        let result = built.and_then(|()| self.add_livelocks(system, &graph, memory, livelocks));
        graph.drop(memory);
        result
    }

    /// Builds the graph of the events none of whose outcomes leaves the component.
    fn build(
        &self,
        system: &mut dyn TransitionSystem,
        inside: &dyn Fn(u64) -> Option<u32>,
        memory: &MemoryBudget,
        graph: &mut InnerGraph,
    ) -> Result<(), SearchLimit> {
        if !memory.reserve(&mut graph.states, self.fingerprints.len() + 1) {
            return Err(SearchLimit::Memory);
        }
        let mut successors = Successors::default();
        for (index, &fingerprint) in self.fingerprints.iter().enumerate() {
            graph.states.push(graph.actions.len() as u32);
            system.successors(self.state(index), fingerprint, &mut successors);
            let count = successors.transitions.len();
            if !memory.reserve(&mut graph.targets, count) || !memory.reserve(&mut graph.actions, count + 1) {
                return Err(SearchLimit::Memory);
            }
            let mut first = 0;
            for action in successors.transitions.chunk_by(|one, other| one.action == other.action) {
                let begin = graph.targets.len();
                graph.targets.extend(action.iter().map_while(|transition| inside(transition.fingerprint)));
                if graph.targets.len() - begin == action.len() {
                    graph.actions.push((begin as u32, first as u32));
                } else {
                    graph.targets.truncate(begin);
                }
                first += action.len();
            }
        }
        graph.states.push(graph.actions.len() as u32);
        if !memory.reserve(&mut graph.actions, 1) {
            return Err(SearchLimit::Memory);
        }
        graph.actions.push((graph.targets.len() as u32, 0));
        Ok(())
    }

    /// The maximal end components that are strongly fair. They are weakly fair, too.
    fn strongly_fair_components(&self, system: &mut dyn TransitionSystem, graph: &InnerGraph) -> EndComponents {
        let mut removed = vec![false; graph.vertices()];
        loop {
            let stays = |target: Option<u32>| target.is_some_and(|target| !removed[target as usize]);
            let allowed = |state: usize, action: usize| !removed[state] && graph.targets(action).all(stays);
            let mecs = EndComponents::maximal(graph, allowed);
            let mut fairness = StrongFairness::new(mecs.count);
            let members = || mecs.of.iter().enumerate().filter(|(_, component)| **component != NO_COMPONENT);
            for (index, &component) in members() {
                let state = (self.state(index), self.fingerprints[index]);
                fairness.visit(system, component, state, graph.inside(index, &mecs));
            }
            let unfair: Vec<usize> = members()
                .filter(|&(index, &component)| fairness.is_unfair(system, component, self.state(index)))
                .map(|(index, _)| index)
                .collect();
            if unfair.is_empty() {
                return mecs;
            }
            unfair.into_iter().for_each(|index| removed[index] = true);
        }
    }

    /// Adds the fair end components in which a request stays outstanding, or messages are sent although they
    /// must end.
    fn add_livelocks(
        &self,
        system: &mut dyn TransitionSystem,
        graph: &InnerGraph,
        memory: &MemoryBudget,
        livelocks: &mut LivelockStates,
    ) -> Result<(), SearchLimit> {
        let bytes = EndComponents::search_bytes(graph.vertices(), graph.actions.len(), graph.targets.len());
        if !memory.take(bytes) {
            return Err(SearchLimit::Memory);
        }
        let mecs = if system.is_strongly_fair() {
            self.strongly_fair_components(system, graph)
        } else {
            EndComponents::maximal(graph, |_, _| true)
        };
        let mut fairness = WeakFairness::new(mecs.count);
        let mut without_progress = vec![false; mecs.count];
        let must_quiesce = system.must_quiesce();
        let mut successors = Successors::default();
        let states = |&(_, component): &(usize, &u32)| *component != NO_COMPONENT;
        for (index, &component) in mecs.of.iter().enumerate().filter(states) {
            let (state, fingerprint) = (self.state(index), self.fingerprints[index]);
            fairness.visit(system, component, (state, fingerprint), graph.inside(index, &mecs));
            let without_progress = &mut without_progress[component as usize];
            *without_progress |= system.monitor_status(state).waiting;
            if must_quiesce && !*without_progress {
                system.successors(state, fingerprint, &mut successors);
                let sends = |transition: usize| successors.transitions[transition].sent > 0;
                *without_progress = graph.inside(index, &mecs).any(sends);
            }
        }
        let mut room = true;
        for (&component, &fingerprint) in mecs.of.iter().zip(self.fingerprints) {
            if component != NO_COMPONENT && without_progress[component as usize] && fairness.is_fair(component) {
                room = room && memory.reserve(&mut livelocks.states, 1);
                if room {
                    livelocks.states.push((fingerprint, livelocks.components + component));
                }
            }
        }
        livelocks.components += mecs.count as u32;
        memory.give(bytes);
        if room { Ok(()) } else { Err(SearchLimit::Memory) }
    }
}

/// The cycle of a lasso from a state of a livelock: the states that follow it, the last of which is the same state
/// again, and the transitions that lead from each to the next. The cycle visits a state with an outstanding request, or
/// sends a message if there is none; and every obligation that is pending at its start is discharged by it, or not
/// pending in one of its states. Under strong fairness it discharges every obligation of the livelock. `None`: there is
/// not enough memory.
pub(crate) fn fair_cycle(
    system: &mut dyn TransitionSystem,
    from: &[Interned],
    livelocks: &LivelockStates,
    memory: &MemoryBudget,
) -> Option<Cycle> {
    let home = fingerprint(from);
    let component = livelocks.component(home)?;
    let mut pending = Vec::new();
    system.pending(from, &mut pending);
    let strong = system.is_strongly_fair();
    if strong {
        pending = all_pending(system, from, (livelocks, component), memory);
    }
    let mut cycle = Cycle::default();
    let mut here = from.to_vec();
    if !system.monitor_status(from).waiting {
        let waiting: SegmentGoal<'_> = &mut |system, _, state, _| system.monitor_status(state).waiting;
        let sends: SegmentGoal<'_> = &mut |_, transition, _, _| transition.sent > 0;
        let found = segment(system, &here, (livelocks, component), memory, waiting);
        let found = found.or_else(|| segment(system, &here, (livelocks, component), memory, sends))?;
        here.clone_from(found.states.last()?);
        cycle.append(found);
    }
    while !pending.is_empty() {
        let mut there = Vec::new();
        let found = segment(system, &here, (livelocks, component), memory, &mut |system, transition, state, _| {
            system.pending(state, &mut there);
            let is_met =
                |obligation| transition.discharged.contains(obligation) || !strong && !there.contains(obligation);
            pending.iter().any(is_met)
        })?;
        here.clone_from(found.states.last()?);
        system.pending(&here, &mut there);
        pending.retain(|obligation| (strong || there.contains(obligation)) && !found.discharged.contains(obligation));
        cycle.append(found);
    }
    if cycle.transitions.is_empty() || here != from {
        cycle.append(segment(system, &here, (livelocks, component), memory, &mut |_, _, _, fingerprint| {
            fingerprint == home
        })?);
    }
    Some(cycle)
}

/// The obligations that are pending in some state of a livelock.
fn all_pending(
    system: &mut dyn TransitionSystem,
    from: &[Interned],
    livelock: (&LivelockStates, u32),
    memory: &MemoryBudget,
) -> Vec<u32> {
    let (mut all, mut there) = (Vec::new(), Vec::new());
    // No path is wanted: every state is visited.
    segment(system, from, livelock, memory, &mut |system, _, state, _| {
        system.pending(state, &mut there);
        all.extend_from_slice(&there);
        false
    });
    all.sort_unstable();
    all.dedup();
    all
}

/// The states on a cycle, and the transitions that lead to them.
#[derive(Default)]
pub(crate) struct Cycle {
    pub(crate) states: Vec<Vec<Interned>>,
    pub(crate) transitions: Vec<usize>,
}

impl Cycle {
    fn append(&mut self, segment: CycleSegment) {
        self.states.extend(segment.states);
        self.transitions.extend(segment.transitions);
    }
}

/// A part of a cycle.
struct CycleSegment {
    /// The states on it, but for the first.
    states: Vec<Vec<Interned>>,
    /// The transitions that lead to them.
    transitions: Vec<usize>,
    /// The obligations that the last transition discharges.
    discharged: Vec<u32>,
}

/// A state that the search for a segment has reached.
struct SegmentNode {
    state: Vec<Interned>,
    fingerprint: u64,
    /// The index of its predecessor, and the transition from there.
    parent: (usize, usize),
}

/// The last transition of a segment.
struct LastTransition<'a> {
    discharged: &'a [u32],
    sent: u32,
}

/// Returns true if a segment may end with this transition to this state, which has this fingerprint.
type SegmentGoal<'a> = &'a mut dyn FnMut(&mut dyn TransitionSystem, LastTransition<'_>, &[Interned], u64) -> bool;

/// A shortest path inside an end component whose last transition satisfies `is_goal`.
fn segment(
    system: &mut dyn TransitionSystem,
    from: &[Interned],
    (livelocks, component): (&LivelockStates, u32),
    memory: &MemoryBudget,
    is_goal: SegmentGoal<'_>,
) -> Option<CycleSegment> {
    let charge = size_of_val(from) + 2 * size_of::<SegmentNode>();
    let mut nodes = vec![SegmentNode { state: from.to_vec(), fingerprint: fingerprint(from), parent: (0, 0) }];
    let mut visited: Map<u64, ()> = Map::default();
    let mut successors = Successors::default();
    let mut index = 0;
    let discharged = 'search: loop {
        let Some(node) = nodes.get(index) else { break None };
        let state = node.state.clone();
        system.successors(&state, node.fingerprint, &mut successors);
        let mut first = 0;
        for action in successors.transitions.chunk_by(|one, other| one.action == other.action) {
            let usable = action.iter().all(|transition| livelocks.component(transition.fingerprint) == Some(component));
            for (number, transition) in (first..).zip(action).filter(|_| usable) {
                let mut next = state.clone();
                successors.apply(number, &mut next);
                let last = LastTransition { discharged: successors.discharged(number), sent: transition.sent };
                let found = is_goal(system, last, &next, transition.fingerprint);
                if found || visited.insert(transition.fingerprint, ()).is_none() {
                    if !memory.take(charge) {
                        break 'search None;
                    }
                    nodes.push(SegmentNode {
                        state: next,
                        fingerprint: transition.fingerprint,
                        parent: (index, number),
                    });
                }
                if found {
                    break 'search Some(successors.discharged(number).to_vec());
                }
            }
            first += action.len();
        }
        index += 1;
    };
    memory.give(charge * (nodes.len() - 1));
    let discharged = discharged?;
    let (mut states, mut transitions) = (Vec::new(), Vec::new());
    let mut index = nodes.len() - 1;
    while index != 0 {
        states.push(nodes[index].state.clone());
        transitions.push(nodes[index].parent.1);
        index = nodes[index].parent.0;
    }
    states.reverse();
    transitions.reverse();
    Some(CycleSegment { states, transitions, discharged })
}
