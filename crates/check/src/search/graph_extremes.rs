//! Extremes of costs over the paths of a [`RecordedGraph`].
//!
//! A cost is the sum of the weights of a path's edges. The least is that of a shortest path to a state in which a run is
//! complete, the greatest is minus the least of the negated weights. Components are relaxed in topological order, so that
//! edges between them may have any sign; inside a component of several states Dijkstra's algorithm is used, which needs
//! weights that are not negative. An edge of negative weight inside a component lies on a cycle: if weights have one sign
//! there is no least cost, otherwise it is not known. (Weights that differ in sign may cancel out on every cycle.)

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ringleader_model::Quantity;

use super::extremes::CompleteRuns;
use super::linear_extremes::linear_extremes;
use super::state_graph::{NO_EDGE, RecordedGraph};
use crate::extremes::{CostRange, ExtremeEnd, Extremes, Extremum};
use crate::graph::tarjan::Sccs;
use crate::interner::Map;
use crate::passes::LinearCost;
use crate::transition_system::{StateFeatures, TimedCosts, TransitionSystem};

/// Not reached.
pub(super) const FAR: i64 = i64::MAX;

/// A path: the index of its initial state, and its transitions.
pub(crate) type TransitionPath = (usize, Vec<usize>);

/// Extremes, with the path to one of them if that was wanted and there is one.
pub(crate) struct GraphExtremes {
    pub(crate) extremes: Extremes,
    pub(crate) path: Option<TransitionPath>,
}

/// A quantity and an end of its range.
pub(crate) type WantedPath = Option<(Quantity, ExtremeEnd)>;

/// Shortest paths from some states to others.
enum Shortest {
    /// There is an edge of negative weight on a cycle.
    Cycle,
    /// There is no path.
    Nowhere,
    /// The cost of a shortest path, its last state, and by state the edge by which a shortest path to it comes.
    Found(i64, u32, Vec<u32>),
}

/// A problem of shortest paths.
struct PathProblem<'a> {
    sources: &'a [u32],
    /// Of an edge of a state; `None` if it is not taken.
    weight: &'a dyn Fn(usize, usize) -> Option<i64>,
    /// The states in which a path may end.
    ends: &'a dyn Fn(usize) -> bool,
}

/// The user of a place.
struct UserOf<'a> {
    graph: &'a RecordedGraph,
    place: usize,
}

impl UserOf<'_> {
    const fn has(&self, bits: u64) -> bool {
        bits >> (self.place % 64) & 1 == 1
    }

    fn tries(&self, state: usize) -> bool {
        self.has(self.graph.states[state].trying)
    }

    fn is_inside(&self, state: usize) -> bool {
        self.has(self.graph.states[state].inside)
    }

    /// True if it makes a request in a transition.
    fn requests(&self, from: usize, to: usize) -> bool {
        self.has(self.graph.states[from].requests ^ self.graph.states[to].requests)
    }
}

/// The computation of all extremes.
struct Computation<'a> {
    graph: &'a RecordedGraph,
    wanted: WantedPath,
    ranges: Vec<CostRange>,
    path: Option<TransitionPath>,
}

/// The extremes over all paths of a graph, and the path to the one that is wanted.
pub(crate) fn graph_extremes(
    graph: &RecordedGraph,
    costs: &[LinearCost],
    system: &mut dyn TransitionSystem,
    wanted: WantedPath,
) -> GraphExtremes {
    let mut complete = CompleteRuns::default();
    graph.states.iter().filter(|state| state.complete).for_each(|&state| complete.note(state));
    let mut computation = Computation { graph, wanted, ranges: Vec::new(), path: None };
    let all = Components::new(graph, &|_, _| true);
    let at_once = linear_extremes(graph, &all, costs);
    for (index, cost) in costs.iter().enumerate() {
        let is_wanted = wanted.is_some_and(|(quantity, _)| quantity == cost.quantity);
        match &at_once {
            Some(ranges) if !is_wanted => computation.ranges.push(ranges[index]),
            _ => computation.linear(cost, &all),
        }
    }
    if let Some(highest) = system.phases() {
        let range = complete.phases(highest);
        if highest.remembered {
            let phases: Vec<Option<u32>> = graph.states.iter().map(|state| Some(state.phase)).collect();
            computation.reached(range, &all, &phases);
        } else {
            computation.forgotten_phases(range, highest.grows, &all);
        }
    }
    for range in complete.depths(system.depths()) {
        let mut elected: Map<u32, Option<u32>> = Map::default();
        let mut depth = |state: &StateFeatures| match range.quantity {
            Quantity::Depth => Some(state.depth),
            _ => *elected.entry(state.monitor).or_insert_with(|| system.depth_elected(state.monitor)),
        };
        let depths: Vec<Option<u32>> = graph.states.iter().map(&mut depth).collect();
        computation.reached(range, &all, &depths);
    }
    let TimedCosts { elapsed, response } = system.timed_costs();
    if elapsed {
        let mut elected: Map<u32, bool> = Map::default();
        let mut is_elected = |state: &StateFeatures| {
            let monitor = state.monitor;
            *elected.entry(monitor).or_insert_with(|| system.leaders(monitor).is_some_and(|all| !all.is_empty()))
        };
        let elected: Vec<bool> = graph.states.iter().map(&mut is_elected).collect();
        let complete: Vec<bool> = graph.states.iter().map(|state| state.complete).collect();
        computation.time(Quantity::TimeElected, &all, &elected);
        computation.time(Quantity::Time, &all, &complete);
    }
    if response {
        computation.response(&all, system.places() as usize);
    }
    let Computation { ranges, path, .. } = computation;
    GraphExtremes { extremes: Extremes { ranges, leaders: complete.leaders(system) }, path }
}

impl Computation<'_> {
    /// A cost of messages.
    fn linear(&mut self, cost: &LinearCost, order: &Components) {
        let graph = self.graph;
        let values: Vec<i64> = graph.passes.iter().map(|&passes| cost.of(passes)).collect();
        let [least, greatest] = ExtremeEnd::ALL.map(|end| {
            let weight = |_: usize, edge: usize| Some(end.sign() * values[graph.weights[edge] as usize]);
            let any = end == ExtremeEnd::Greatest && cost.grows();
            let ends = |state: usize| any || graph.states[state].complete;
            let problem = PathProblem { sources: &graph.initial, weight: &weight, ends: &ends };
            let without = if cost.grows() { Extremum::Unbounded } else { Extremum::Unknown };
            self.solve((cost.quantity, end), &problem, order, (without, 0))
        });
        let range = CostRange { quantity: cost.quantity, least, greatest };
        let range = if cost.understated { self.understated(range, &values, order) } else { range };
        self.ranges.push(range);
    }

    /// What is certain of a range if passes cost more than their `values` once phases go beyond the first.
    fn understated(&mut self, range: CostRange, values: &[i64], order: &Components) -> CostRange {
        let graph = self.graph;
        let weight = |_: usize, edge: usize| {
            (graph.grows_to_first(edge) != Some(false)).then(|| values[graph.weights[edge] as usize])
        };
        let ends = |state: usize| graph.states[state].complete;
        let problem = PathProblem { sources: &graph.initial, weight: &weight, ends: &ends };
        let exact = self.solve((range.quantity, ExtremeEnd::Least), &problem, order, (Extremum::Unknown, 0));
        let unknown = |known: bool, extremum: Extremum| if known { extremum } else { Extremum::Unknown };
        let least = unknown(range.least == exact, range.least);
        CostRange { least, greatest: unknown(range.greatest == Extremum::Unbounded, range.greatest), ..range }
    }

    /// The range of phases that states forget, as far as their growth in transitions shows it ([`phases`](crate::phases)).
    fn forgotten_phases(&mut self, range: CostRange, grows: bool, order: &Components) {
        let (graph, wanted) = (self.graph, (Quantity::Phases, ExtremeEnd::Least));
        let on_cycle = |edge: u32| {
            let ends = [graph.origin(edge).0, graph.targets[edge as usize] as u32];
            let [from, to] = ends.map(|state| order.of[state as usize]);
            from == to
        };
        let greatest = if grows && graph.growing().any(on_cycle) { Extremum::Unbounded } else { Extremum::Unknown };
        let mut least = range.least;
        // No phase grows, or those that do become the first.
        for (highest, allowed) in [(0, None), (1, Some(true))] {
            let weight = |_: usize, edge: usize| {
                let growth = graph.grows_to_first(edge);
                (growth.is_none() || growth == allowed).then_some(0)
            };
            let ends = |state: usize| graph.states[state].complete;
            let problem = PathProblem { sources: &graph.initial, weight: &weight, ends: &ends };
            if self.solve(wanted, &problem, order, (Extremum::Unknown, 0)) == Extremum::Exactly(0) {
                least = Extremum::Exactly(highest);
                break;
            }
        }
        self.ranges.push(CostRange { least, greatest, ..range });
    }

    /// A quantity whose range is known, with its value in each state.
    fn reached(&mut self, range: CostRange, order: &Components, values: &[Option<u32>]) {
        self.ranges.push(range);
        let graph = self.graph;
        for (end, extremum) in [(ExtremeEnd::Least, range.least), (ExtremeEnd::Greatest, range.greatest)] {
            let there = |state: usize| {
                let value = values[state].map(i64::from);
                value.is_some()
                    && extremum.value() == value
                    && (end == ExtremeEnd::Greatest || graph.states[state].complete)
            };
            if self.wanted == Some((range.quantity, end)) {
                let problem = PathProblem { sources: &graph.initial, weight: &|_, _| Some(0), ends: &there };
                self.solve((range.quantity, end), &problem, order, (Extremum::Unknown, 0));
            }
        }
    }

    /// The instant in which a run first comes to one of these states; the first instant is 0.
    fn time(&mut self, quantity: Quantity, all: &Components, there: &[bool]) {
        let [least, greatest] = ExtremeEnd::ALL.map(|end| {
            let weight = |from: usize, _: usize| (!there[from]).then_some(end.sign());
            let problem = PathProblem { sources: &self.graph.initial, weight: &weight, ends: &|state| there[state] };
            self.solve_in_part((quantity, end), &problem, all, (Extremum::Unbounded, 1))
        });
        self.ranges.push(CostRange { quantity, least, greatest });
    }

    /// The time from a request to the entry.
    fn response(&mut self, all: &Components, places: usize) {
        let (least, greatest) = (self.shortest_response(all, places), self.longest_response(all, places));
        self.ranges.push(CostRange { quantity: Quantity::LongestDelay, least, greatest });
    }

    /// The least, of all entries. Unknown if requests do not show in states, since there are infinitely many, or entries do
    /// not, since nobody leaves.
    fn shortest_response(&mut self, all: &Components, places: usize) -> Extremum {
        let (graph, wanted) = (self.graph, (Quantity::LongestDelay, ExtremeEnd::Least));
        let mut least = Extremum::Unknown;
        for place in 0..places {
            let user = UserOf { graph, place };
            let mut sources = Vec::new();
            for (from, edge) in (0..graph.states.len()).flat_map(|from| graph.edges(from).map(move |edge| (from, edge)))
            {
                let to = graph.targets[edge] as usize;
                match user.requests(from, to) {
                    true if user.tries(to) => sources.push(to as u32),
                    // Granted in the instant of the request.
                    true if user.is_inside(to) => {
                        if self.wanted == Some(wanted) {
                            self.path = Some(self.path_over(edge as u32));
                        }
                        return Extremum::Exactly(0);
                    }
                    _ => {}
                }
            }
            let weight = |from: usize, _: usize| user.tries(from).then_some(1);
            let problem = PathProblem { sources: &sources, weight: &weight, ends: &|state| user.is_inside(state) };
            let before = self.path.take();
            let found = self.solve_in_part(wanted, &problem, all, (Extremum::Unknown, 0));
            let is_less = found.value().is_some_and(|value| least.value().is_none_or(|least| value < least));
            self.path = self.path.take().filter(|_| is_less).or(before);
            least = if is_less { found } else { least };
        }
        least
    }

    /// The greatest, not counting instants at whose beginning some user is inside.
    fn longest_response(&mut self, all: &Components, places: usize) -> Extremum {
        let (graph, wanted) = (self.graph, (Quantity::LongestDelay, ExtremeEnd::Greatest));
        // The instant that follows a state, if one does.
        let counts = |state: usize| i64::from(graph.states[state].inside == 0 && !graph.edges(state).is_empty());
        let mut greatest = Extremum::Exactly(0);
        for (place, first) in (0..places).flat_map(|place| [0, 1].map(|first| (place, first))) {
            let user = UserOf { graph, place };
            let waiting = (0..graph.states.len()).filter(|&state| user.tries(state) && counts(state) == first);
            let sources: Vec<u32> = waiting.map(|state| state as u32).collect();
            // A user that is served and requests again in one instant waits anew.
            let same = |from: usize, to: usize| user.tries(from) && user.tries(to) && !user.requests(from, to);
            let taken = |from: usize, edge: usize| same(from, graph.targets[edge] as usize);
            let weight = |from: usize, edge: usize| taken(from, edge).then(|| -counts(graph.targets[edge] as usize));
            let problem = PathProblem { sources: &sources, weight: &weight, ends: &|_| true };
            let before = self.path.take();
            let found = self.solve_in_part(wanted, &problem, all, (Extremum::Unbounded, -first));
            let is_more = match (greatest, found) {
                (Extremum::Unbounded, _) => false,
                (_, Extremum::Unbounded) => true,
                _ => found.value() > greatest.value(),
            };
            let own = self.path.take().filter(|_| is_more);
            self.path = own.map(|path| self.with_last_instant(path, &user)).or(before);
            greatest = if is_more { found } else { greatest };
        }
        greatest
    }

    /// The same as [`solve`](Self::solve) for a problem that takes a part of the edges. `all`: the components of the whole
    /// graph. They order the part, too; only if one of them has an edge of negative weight inside, that edge may still be
    /// on no cycle of the part.
    fn solve_in_part(
        &mut self,
        wanted: (Quantity, ExtremeEnd),
        problem: &PathProblem<'_>,
        all: &Components,
        (on_cycle, offset): (Extremum, i64),
    ) -> Extremum {
        let found = self.solve(wanted, problem, all, (on_cycle, offset));
        if found != on_cycle {
            return found;
        }
        let order = Components::new(self.graph, &|from, edge| (problem.weight)(from, edge).is_some());
        self.solve(wanted, problem, &order, (on_cycle, offset))
    }

    /// A path to a state in which a user waits, and the instant that follows: the one in which it is served, if there is one.
    fn with_last_instant(&self, (initial, mut transitions): TransitionPath, user: &UserOf<'_>) -> TransitionPath {
        let mut state = self.graph.initial[initial] as usize;
        for &transition in &transitions {
            state = self.graph.targets[self.graph.edge(state, transition)] as usize;
        }
        let edges = || self.graph.edges(state);
        let served = edges().find(|&edge| !user.tries(self.graph.targets[edge] as usize)).or_else(|| edges().next());
        transitions.extend(served.map(|edge| self.graph.origin(edge as u32).1));
        (initial, transitions)
    }

    /// The extremum of a quantity, less `offset`; `on_cycle` if a path can get shorter forever. Keeps the path if it is
    /// wanted.
    fn solve(
        &mut self,
        (quantity, end): (Quantity, ExtremeEnd),
        problem: &PathProblem<'_>,
        order: &Components,
        (on_cycle, offset): (Extremum, i64),
    ) -> Extremum {
        match problem.shortest(self.graph, order) {
            Shortest::Cycle => on_cycle,
            Shortest::Nowhere => Extremum::NoRun,
            Shortest::Found(cost, target, last) => {
                if self.wanted == Some((quantity, end)) {
                    self.path = Some(self.path_to(target, &last));
                }
                Extremum::Exactly(end.sign() * cost - offset)
            }
        }
    }

    /// A path from an initial state that ends with an edge.
    fn path_over(&self, edge: u32) -> TransitionPath {
        let (from, transition) = self.graph.origin(edge);
        let (initial, mut transitions) = self.path_to(from, &vec![NO_EDGE; self.graph.states.len()]);
        transitions.push(transition);
        (initial, transitions)
    }

    /// A shortest path to a state, preceded by a path from an initial state to its source.
    fn path_to(&self, target: u32, last: &[u32]) -> TransitionPath {
        let mut transitions = Vec::new();
        let mut state = target;
        while last[state as usize] != NO_EDGE {
            let (from, transition) = self.graph.origin(last[state as usize]);
            transitions.push(transition);
            state = from;
        }
        transitions.reverse();
        if let Some(initial) = self.graph.initial.iter().position(|&initial| initial == state) {
            return (initial, transitions);
        }
        let order = Components::new(self.graph, &|_, _| true);
        let there = |other: usize| other == state as usize;
        let prefix = PathProblem { sources: &self.graph.initial, weight: &|_, _| Some(1), ends: &there };
        let Shortest::Found(_, _, last) = prefix.shortest(self.graph, &order) else {
            unreachable!("every state of the graph is reached")
        };
        let (initial, mut whole) = self.path_to(state, &last);
        whole.extend(transitions);
        (initial, whole)
    }
}

impl PathProblem<'_> {
    /// Of equally short paths, one that makes a run complete. `order`: the components of the edges that are taken.
    fn shortest(&self, graph: &RecordedGraph, order: &Components) -> Shortest {
        let mut far = vec![FAR; graph.states.len()];
        let mut last = vec![NO_EDGE; graph.states.len()];
        self.sources.iter().for_each(|&source| far[source as usize] = 0);
        let mut heap = BinaryHeap::new();
        for members in order.iter() {
            let component = order.of[members[0] as usize];
            let reached = members.iter().filter(|&&state| far[state as usize] < FAR);
            heap.extend(reached.map(|&state| Reverse((far[state as usize], state))));
            while let Some(Reverse((cost, state))) = heap.pop() {
                let state = state as usize;
                if far[state] < cost {
                    continue;
                }
                for edge in graph.edges(state) {
                    let Some(weight) = (self.weight)(state, edge) else { continue };
                    let to = graph.targets[edge] as usize;
                    let inside = order.of[to] == component;
                    if inside && weight < 0 {
                        return Shortest::Cycle;
                    }
                    if cost + weight < far[to] {
                        (far[to], last[to]) = (cost + weight, edge as u32);
                        if inside {
                            heap.push(Reverse((far[to], to as u32)));
                        }
                    }
                }
            }
        }
        let found = (0..far.len()).filter(|&state| far[state] < FAR && (self.ends)(state));
        match found.min_by_key(|&state| (far[state], !graph.states[state].complete)) {
            Some(state) => Shortest::Found(far[state], state as u32, last),
            None => Shortest::Nowhere,
        }
    }
}

/// The strongly connected components in topological order.
pub(super) struct Components {
    /// By state: its component, numbered in reverse topological order.
    pub(super) of: Vec<u32>,
    /// All states, by component in topological order.
    states: Vec<u32>,
}

impl Components {
    /// Those of the graph with some of its edges.
    fn new(graph: &RecordedGraph, taken: &dyn Fn(usize, usize) -> bool) -> Self {
        let successors = |state: u32, found: &mut Vec<u32>| {
            let edges = graph.edges(state as usize).filter(|&edge| taken(state as usize, edge));
            found.extend(edges.map(|edge| graph.targets[edge] as u32));
        };
        let Sccs { of, .. } = Sccs::new(graph.states.len(), successors);
        let mut states: Vec<u32> = (0..of.len() as u32).collect();
        states.sort_unstable_by_key(|&state| Reverse(of[state as usize]));
        Self { of, states }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.states.chunk_by(|&one, &other| self.of[one as usize] == self.of[other as usize])
    }
}
