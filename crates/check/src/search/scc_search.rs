//! The second search, depth first, where the first one found that the state space is not graded: cycles, and the most
//! message passes of any run.
//!
//! [Tarjan's algorithm](crate::graph::tarjan) over the state space on the fly. A component is completed when
//! everything that can be reached from it is known, so that the most message passes of a run from there are known too:
//! the longest path in the graph of components. State vectors are kept only of states on the stack. A visited state is
//! marked with its position on the stack, and once its component is complete with that longest path.

use std::ops::Range;
use std::sync::atomic::Ordering;

use crate::answer::{Effort, MaxMessages, Progress, SearchLimit};
use crate::checkpoint::SearchWatch;
use crate::graph::tarjan::{self, DepthFirstSearch, EdgeTarget, LowLink};
use crate::interner::Interned;
use crate::transition_system::{Successors, TransitionSystem, fingerprint};

use super::ample;
use super::liveness::{LivelockStates, StronglyConnected};
use super::memory_budget::MemoryBudget;
use super::report_timer::ReportTimer;
use super::state_graph::RecordedGraph;
use super::visited_set::{Insertion, VisitedSet};

/// The number of states on the path whose successors are cached; those of the others are computed again.
const CACHED: usize = 1024;
/// Set in a mark: the component is complete, and the other bits are the most message passes from there. Not set: the
/// position on the stack plus 1.
const COMPLETE: u32 = 1 << 31;
/// The number of edges between two checks of the limits.
const STRIDE: u64 = 1 << 12;

/// The result of the depth-first search.
pub(crate) struct SccResult {
    pub(crate) most: MaxMessages,
    /// There is a cycle.
    pub(crate) cyclic: bool,
    pub(crate) livelocks: LivelockStates,
    /// All states and the transitions that were explored, if there was memory for them.
    pub(crate) graph: Option<RecordedGraph>,
}

/// The question that the depth-first search answers.
#[derive(Clone, Copy)]
pub(crate) struct SccQuery {
    /// Explore ample sets only, and stop at the first cycle.
    pub(crate) reduce: bool,
    /// Look for livelocks.
    pub(crate) livelocks: bool,
    /// Record in which transitions phases grow.
    pub(crate) growth: bool,
}

/// Explores all states once more. Clears the visited set first.
pub(crate) fn scc_search(
    system: &mut dyn TransitionSystem,
    visited: &mut VisitedSet,
    query: SccQuery,
    (effort, memory): (&Effort, &MemoryBudget),
    (progress, watch): (Progress, &mut dyn SearchWatch),
) -> Result<SccResult, SearchLimit> {
    visited.clear();
    let initial_states = system.initial_states();
    let mut search = SccSearch {
        width: initial_states.first().map_or(0, Vec::len),
        system,
        visited,
        query,
        limits: Limits { effort, memory, progress, watch, timer: ReportTimer::new(), edges: 0, states: 0 },
        stack: Stack::default(),
        path: Vec::new(),
        cached: Vec::new(),
        most: 0,
        result: SccResult {
            most: MaxMessages::Exactly(0),
            cyclic: false,
            livelocks: LivelockStates::default(),
            graph: Some(RecordedGraph::new(memory)),
        },
    };
    for state in initial_states {
        let fingerprint = fingerprint(&state);
        if search.insert(fingerprint)? != Insertion::New {
            continue;
        }
        search.visit(fingerprint, 0, |states| states.extend_from_slice(&state))?;
        match tarjan::run(&mut search) {
            Ok(()) => {}
            Err(Halt::Cycle) => {
                search.result.graph = None;
                return Ok(search.result);
            }
            Err(Halt::Limit(reason)) => return Err(reason),
        }
    }
    search.give_memory_back();
    search.result.livelocks.sort();
    if let Some(graph) = &mut search.result.graph {
        graph.resolve(search.visited);
    }
    if search.result.most != MaxMessages::Unbounded {
        search.result.most = MaxMessages::Exactly(search.most.into());
    }
    Ok(search.result)
}

/// The reason for which the search stops early.
enum Halt {
    /// There is a cycle, and the reduced state space is not enough to say more.
    Cycle,
    Limit(SearchLimit),
}

impl From<SearchLimit> for Halt {
    fn from(reason: SearchLimit) -> Self {
        Self::Limit(reason)
    }
}

/// The limits of the search, and what was used of them.
struct Limits<'a> {
    effort: &'a Effort,
    memory: &'a MemoryBudget,
    progress: Progress,
    watch: &'a mut dyn SearchWatch,
    timer: ReportTimer,
    edges: u64,
    states: u64,
}

impl Limits<'_> {
    /// Counts an edge, and checks the limits after every [`STRIDE`] edges.
    #[inline]
    fn count_edge(&mut self) -> Result<(), SearchLimit> {
        self.edges += 1;
        if self.edges.is_multiple_of(STRIDE) { self.check() } else { Ok(()) }
    }

    fn check(&mut self) -> Result<(), SearchLimit> {
        if self.states > self.effort.states {
            return Err(SearchLimit::States);
        }
        if self.timer.is_due() && !self.watch.goes_on(&Progress { bytes: self.memory.peak(), ..self.progress }) {
            return Err(SearchLimit::Interrupted);
        }
        Ok(())
    }
}

/// Tarjan's stack: the states whose components are not complete.
#[derive(Default)]
struct Stack {
    states: Vec<Interned>,
    fingerprints: Vec<u64>,
}

/// A state on the path.
struct Frame {
    low_link: LowLink,
    /// The transitions that have not been followed.
    transitions: Range<usize>,
    /// The most message passes of a run from here, as far as is known.
    most: u32,
    /// The message passes of the transition by which the path leads here.
    sent: u32,
    /// One of its transitions leads to a state on the stack, perhaps to itself.
    has_back_edge: bool,
}

/// The successors of a state on the path, by its position on the stack.
struct CachedSuccessors {
    position: usize,
    successors: Successors,
}

struct SccSearch<'a> {
    system: &'a mut dyn TransitionSystem,
    width: usize,
    visited: &'a mut VisitedSet,
    query: SccQuery,
    limits: Limits<'a>,
    stack: Stack,
    path: Vec<Frame>,
    cached: Vec<CachedSuccessors>,
    /// The most message passes of a run from an initial state.
    most: u32,
    result: SccResult,
}

impl SccSearch<'_> {
    /// Inserts a fingerprint into the visited set, marked with the next position on the stack.
    fn insert(&mut self, fingerprint: u64) -> Result<Insertion, SearchLimit> {
        let mark = self.stack.fingerprints.len() as u32 + 1;
        if mark >= COMPLETE {
            return Err(SearchLimit::Memory);
        }
        loop {
            let inserted = self.visited.insert(fingerprint, mark);
            if inserted != Insertion::Full {
                return Ok(inserted);
            }
            if !self.visited.grow(fingerprint, 1, self.limits.memory) {
                return Err(SearchLimit::Memory);
            }
        }
    }

    /// Puts a new state on stack and path; `write` appends its vector.
    fn visit(
        &mut self,
        fingerprint: u64,
        sent: u32,
        write: impl FnOnce(&mut Vec<Interned>),
    ) -> Result<(), SearchLimit> {
        let Stack { states, fingerprints } = &mut self.stack;
        let position = fingerprints.len();
        let memory = self.limits.memory;
        let room =
            memory.reserve(states, self.width) && memory.reserve(fingerprints, 1) && memory.reserve(&mut self.path, 1);
        if !room {
            return Err(SearchLimit::Memory);
        }
        write(states);
        fingerprints.push(fingerprint);
        self.limits.states += 1;
        let slot = self.path.len() % CACHED;
        if self.cached.len() == slot {
            self.cached.push(CachedSuccessors { position, successors: Successors::default() });
        }
        self.compute_successors(position, slot);
        let successors = &self.cached[slot].successors;
        // No cycle proviso: with an ample set the search stops at the first cycle.
        let transitions = if self.query.reduce { ample(successors) } else { 0..successors.transitions.len() };
        for transition in &successors.transitions[transitions.clone()] {
            self.visited.prefetch(transition.fingerprint);
        }
        self.record(position, slot, transitions.clone());
        let low_link = LowLink::new(position);
        self.path.push(Frame { low_link, transitions, most: 0, sent, has_back_edge: false });
        Ok(())
    }

    /// Computes the successors of a state on the stack. A state that violates safety or an invariant has none.
    fn compute_successors(&mut self, position: usize, slot: usize) {
        let cached = &mut self.cached[slot];
        cached.position = position;
        let state = &self.stack.states[position * self.width..(position + 1) * self.width];
        if self.system.monitor_status(state).cut_off {
            cached.successors.clear();
        } else {
            self.system.successors(state, self.stack.fingerprints[position], &mut cached.successors);
        }
    }

    /// Records a state, as long as there is memory for the graph.
    fn record(&mut self, position: usize, slot: usize, explored: Range<usize>) {
        let Some(graph) = &mut self.result.graph else { return };
        let state = &self.stack.states[position * self.width..(position + 1) * self.width];
        let successors = &self.cached[slot].successors;
        let mut features = self.system.features(state, successors.is_quiescent());
        features.complete &= !self.system.monitor_status(state).cut_off;
        let node = (features, self.stack.fingerprints[position], self.path.is_empty());
        let mut growth = Vec::new();
        if self.query.growth && !successors.transitions.is_empty() {
            self.system.phase_growth(state, &mut growth);
        }
        if graph.add(node, successors, explored.clone(), self.limits.memory) {
            graph.add_growth(explored, &growth);
        } else {
            graph.free(self.limits.memory);
            self.result.graph = None;
        }
    }

    /// Records a cycle through a transition with `sent` message passes.
    fn note_cycle(&mut self, sent: u32) -> Result<(), Halt> {
        self.result.cyclic = true;
        if sent > 0 {
            self.result.most = MaxMessages::Unbounded;
        }
        if self.query.reduce { Err(Halt::Cycle) } else { Ok(()) }
    }

    fn give_memory_back(&mut self) {
        let memory = self.limits.memory;
        memory.drop(&mut self.stack.states);
        memory.drop(&mut self.stack.fingerprints);
        memory.drop(&mut self.path);
    }
}

impl DepthFirstSearch for SccSearch<'_> {
    type Error = Halt;

    #[inline]
    fn last(&mut self) -> Option<&mut LowLink> {
        self.path.last_mut().map(|frame| &mut frame.low_link)
    }

    fn advance(&mut self) -> Result<Option<EdgeTarget>, Halt> {
        self.limits.count_edge()?;
        let slot = (self.path.len() - 1) % CACHED;
        let frame = self.path.last_mut().expect("the path is not empty");
        let position = frame.low_link.position;
        let Some(index) = frame.transitions.next() else { return Ok(None) };
        if self.cached[slot].position != position {
            self.compute_successors(position, slot);
        }
        let transition = self.cached[slot].successors.transitions[index];
        let inserted = self.insert(transition.fingerprint)?;
        let frame = self.path.last_mut().expect("the path is not empty");
        Ok(Some(match inserted {
            Insertion::Visited(mark) if mark & COMPLETE != 0 => {
                frame.most = frame.most.max(plus(mark & !COMPLETE, transition.sent));
                EdgeTarget::Complete
            }
            Insertion::Visited(mark) => {
                // Every state on the stack reaches the last one on the path.
                frame.has_back_edge = true;
                self.note_cycle(transition.sent)?;
                EdgeTarget::OnStack(mark as usize - 1)
            }
            Insertion::New | Insertion::Full => {
                let successors = std::mem::take(&mut self.cached[slot].successors);
                let state = position * self.width..(position + 1) * self.width;
                let visited = self.visit(transition.fingerprint, transition.sent, |states| {
                    let begin = states.len();
                    states.extend_from_within(state);
                    successors.apply(index, &mut states[begin..]);
                });
                self.cached[slot].successors = successors;
                visited?;
                EdgeTarget::New
            }
        }))
    }

    fn backtrack(&mut self) -> Result<(), Halt> {
        let frame = self.path.pop().expect("the path is not empty");
        let parent = self.path.last_mut().expect("a root has no state below it on the stack");
        parent.most = parent.most.max(frame.most);
        self.note_cycle(frame.sent)
    }

    fn complete(&mut self) -> Result<(), Halt> {
        let frame = self.path.pop().expect("the path is not empty");
        match self.path.last_mut() {
            Some(parent) => parent.most = parent.most.max(plus(frame.most, frame.sent)),
            None => self.most = self.most.max(frame.most),
        }
        let root = frame.low_link.position;
        let members = root..self.stack.fingerprints.len();
        if self.query.livelocks && !self.query.reduce && (frame.has_back_edge || members.len() > 1) {
            let component = StronglyConnected {
                states: &self.stack.states[root * self.width..],
                fingerprints: &self.stack.fingerprints[members.clone()],
                width: self.width,
            };
            let inside = |fingerprint| match self.visited.mark(fingerprint)?.load(Ordering::Relaxed) {
                mark if mark & COMPLETE != 0 => None,
                mark => Some(mark - 1 - root as u32),
            };
            component.find_livelocks(self.system, &inside, self.limits.memory, &mut self.result.livelocks)?;
        }
        for &fingerprint in &self.stack.fingerprints[members] {
            let mark = self.visited.mark(fingerprint).expect("it was visited");
            mark.store(COMPLETE | frame.most, Ordering::Relaxed);
        }
        self.stack.fingerprints.truncate(root);
        self.stack.states.truncate(root * self.width);
        Ok(())
    }
}

/// A sum of message passes that fits a mark.
fn plus(one: u32, other: u32) -> u32 {
    one.saturating_add(other).min(!COMPLETE)
}
