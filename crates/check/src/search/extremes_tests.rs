//! Extremes of costs in random transition systems, compared with all paths up to a length.

use ringleader_model::{Kind, Leader, Place, Promises, Quantity, mix};

use super::tests::effort;
use super::*;
use crate::choices::ChoiceProbability;
use crate::extremes::{CostRange, ExtremeEnd, Extremum};
use crate::passes::{KindGroups, LinearCost, Passes};
use crate::phases::{HighestPhase, PhaseGrowth};
use crate::transition_system::{MonitorStatus, Monitored, StateFeatures, TimedCosts};

const DIFFERENCE: Quantity = Quantity::Difference("a", "b");

/// A transition of one component: its target, its messages as kinds and bits, and whether it is optional.
type Edge = (u32, Vec<(usize, u64)>, bool);

/// The product of independent components, whose first one decides about violations, requests, leaders and users.
#[derive(Clone, Debug)]
struct WeightedProduct {
    components: Vec<Vec<Vec<Edge>>>,
    /// By state of the first component.
    violated: Vec<bool>,
    waiting: Vec<bool>,
    elected: Vec<bool>,
    trying: Vec<u64>,
    inside: Vec<u64>,
    requests: Vec<u64>,
    /// By state of the first component and by transition: whether a phase grows, and whether to the first.
    growth: Vec<Vec<Option<bool>>>,
    timed: TimedCosts,
}

impl WeightedProduct {
    fn random(seed: u64) -> Self {
        let mut counter = seed << 24;
        let mut roll = |sides: u32| {
            counter += 1;
            (mix(counter) >> 32) as u32 % sides
        };
        let cyclic = roll(3) == 0;
        let alike = roll(3) == 0;
        let count = 1 + roll(3);
        let mut components: Vec<Vec<Vec<Edge>>> = Vec::new();
        for _ in 0..count {
            let states = 1 + roll(4);
            let mut component = vec![Vec::new(); states as usize];
            for (from, edges) in (0..).zip(&mut component) {
                for _ in 0..1 + roll(2) {
                    let to = if cyclic { roll(states) } else { from + 1 + roll(2) };
                    let messages = if alike { 1 } else { roll(3) };
                    let messages = (0..messages).map(|_| (roll(2) as usize, 1 + u64::from(roll(9)))).collect();
                    let messages = if alike { vec![(0, 1)] } else { messages };
                    edges.push((to, messages, roll(4) == 0));
                }
                edges.retain(|(to, ..)| *to < states);
            }
            components.push(component);
        }
        let mut flags = |sides: u32| -> Vec<bool> { components[0].iter().map(|_| roll(sides) == 0).collect() };
        let (violated, waiting, elected) = (flags(9), flags(4), flags(3));
        let mut bits = || -> Vec<u64> { components[0].iter().map(|_| roll(4).into()).collect() };
        let (mut trying, mut inside, mut requests) = (bits(), bits(), bits());
        let in_turn = seed.is_multiple_of(2);
        for state in 0..components[0].len() {
            if in_turn {
                // The user of place 0 goes from region to region, that of place 1 does nothing.
                (trying[state], inside[state]) = (u64::from(state % 3 == 1), u64::from(state % 3 == 2));
                requests[state] = (state as u64).div_ceil(3) % 2;
            }
            inside[state] &= !trying[state];
        }
        let mut grows = |_: &Edge| (roll(3) == 0).then(|| roll(2) == 0);
        let growth = components[0].iter().map(|edges| edges.iter().map(&mut grows).collect()).collect();
        let timed = TimedCosts { elapsed: roll(2) == 0, response: roll(2) == 0 };
        Self { components, violated, waiting, elected, trying, inside, requests, growth, timed }
    }
}

impl TransitionSystem for WeightedProduct {
    fn fork(&self) -> Box<dyn TransitionSystem> {
        Box::new(self.clone())
    }

    fn initial_states(&self) -> Vec<Vec<u32>> {
        vec![vec![0; self.components.len()]]
    }

    fn successors(&mut self, state: &[u32], own: u64, successors: &mut Successors) {
        successors.clear();
        let mut action = 0;
        for (at, component) in self.components.iter().enumerate() {
            let begin = successors.transitions.len();
            for (to, messages, optional) in &component[state[at] as usize] {
                successors.write(at as u32, *to);
                let passes = messages.iter().fold(Passes::NONE, |sum, &(kind, bits)| sum + Passes::one(kind, bits));
                successors.finish(state, own, (action, ChoiceProbability::CERTAIN), passes, *optional);
                action += 1;
            }
            if at > 0 && successors.ample.is_empty() && begin < successors.transitions.len() {
                successors.ample = begin..successors.transitions.len();
            }
        }
    }

    fn pending(&mut self, _: &[u32], pending: &mut Vec<u32>) {
        pending.clear();
    }

    fn features(&mut self, state: &[u32], quiescent: bool) -> StateFeatures {
        let first = state[0] as usize;
        StateFeatures {
            complete: quiescent && !self.waiting[first],
            phase: 0,
            depth: 0,
            monitor: state[0],
            trying: self.trying[first],
            inside: self.inside[first],
            requests: self.requests[first],
        }
    }

    fn phase_growth(&mut self, state: &[u32], growth: &mut Vec<PhaseGrowth>) {
        let edges = self.growth[state[0] as usize].iter().enumerate();
        growth.extend(edges.filter_map(|(transition, first)| Some(PhaseGrowth { transition, first: (*first)? })));
    }

    fn timed_costs(&self) -> TimedCosts {
        self.timed
    }
}

impl Monitored for WeightedProduct {
    fn monitor_status(&mut self, state: &[u32]) -> MonitorStatus {
        let first = state[0] as usize;
        let (violated, waiting) = (self.violated[first], self.waiting[first]);
        MonitorStatus { violated, cut_off: violated, waiting, fulfilled: Promises::default() }
    }

    fn diagnosis(&mut self, _: &[u32]) -> String {
        String::new()
    }

    fn linear_costs(&self) -> Vec<LinearCost> {
        KindGroups::new(vec![Kind::work("a"), Kind::announcement("b")]).costs(&[("a", "b")], false)
    }

    /// They are forgotten in all states.
    fn phases(&self) -> Option<HighestPhase> {
        Some(HighestPhase { phase: 0, grows: true, remembered: false, begun_remembered: false })
    }

    fn leaders(&mut self, monitor: u32) -> Option<Vec<Leader>> {
        Some(if self.elected[monitor as usize] { vec![Leader { place: 0, id: None }] } else { Vec::new() })
    }

    fn places(&self) -> Place {
        2
    }
}

/// An edge: its ends and its messages.
type PlainEdge = (usize, usize, Passes);

/// All states and all edges, without reduction.
struct Plain {
    states: Vec<Vec<u32>>,
    features: Vec<StateFeatures>,
    cut_off: bool,
    edges: Vec<PlainEdge>,
    /// By edge.
    growth: Vec<Option<bool>>,
}

impl Plain {
    fn new(system: &mut WeightedProduct) -> Self {
        let mut plain = Self {
            states: system.initial_states(),
            features: Vec::new(),
            cut_off: false,
            edges: Vec::new(),
            growth: Vec::new(),
        };
        while plain.features.len() < plain.states.len() {
            let from = plain.features.len();
            let state = plain.states[from].clone();
            let mut successors = Successors::default();
            let cut_off = system.monitor_status(&state).cut_off;
            plain.cut_off |= cut_off;
            if !cut_off {
                system.successors(&state, fingerprint(&state), &mut successors);
            }
            let mut features = system.features(&state, successors.is_quiescent());
            features.complete &= !cut_off && from > 0;
            plain.features.push(features);
            for (index, transition) in successors.transitions.iter().enumerate() {
                let mut after = state.clone();
                successors.apply(index, &mut after);
                let to = plain.states.iter().position(|other| *other == after).unwrap_or_else(|| {
                    plain.states.push(after);
                    plain.states.len() - 1
                });
                plain.edges.push((from, to, transition.passes));
                plain.growth.push(system.growth[state[0] as usize].get(index).copied().flatten());
            }
        }
        plain
    }

    /// The greatest weight of a path of at most this length from a source to an end; `None` if there is no path.
    fn greatest(
        &self,
        length: usize,
        is_source: &dyn Fn(usize) -> bool,
        weight: &dyn Fn(&PlainEdge) -> Option<i64>,
        is_end: &dyn Fn(usize) -> bool,
    ) -> Option<i64> {
        let mut best: Vec<Option<i64>> = (0..self.states.len()).map(|state| is_source(state).then_some(0)).collect();
        for _ in 0..length {
            let mut longer = best.clone();
            for edge in &self.edges {
                if let (Some(before), Some(weight)) = (best[edge.0], weight(edge)) {
                    longer[edge.1] = longer[edge.1].max(Some(before + weight));
                }
            }
            best = longer;
        }
        (0..best.len()).filter(|&state| is_end(state)).filter_map(|state| best[state]).max()
    }

    /// The same for paths of any length: those that are longer than there are states contain a cycle. `Err` if there is
    /// no greatest weight.
    fn greatest_of_all(
        &self,
        is_source: &dyn Fn(usize) -> bool,
        weight: &dyn Fn(&PlainEdge) -> Option<i64>,
        is_end: &dyn Fn(usize) -> bool,
    ) -> Result<Option<i64>, ()> {
        let count = self.states.len();
        let [short, long] = [count, 2 * count + 1].map(|length| self.greatest(length, is_source, weight, is_end));
        if short == long { Ok(short) } else { Err(()) }
    }

    fn extremum(&self, value: Result<Option<i64>, ()>) -> Extremum {
        match value {
            Err(()) => Extremum::Unbounded,
            Ok(None) => Extremum::NoRun,
            Ok(Some(value)) if self.cut_off => Extremum::UpToViolation(value),
            Ok(Some(value)) => Extremum::Exactly(value),
        }
    }

    fn linear(&self, cost: &LinearCost) -> CostRange {
        let complete = |state: usize| self.features[state].complete;
        let any = |state: usize| cost.grows() || complete(state);
        let least = self.greatest_of_all(&|s| s == 0, &|edge| Some(-cost.of(edge.2)), &complete);
        let greatest = self.greatest_of_all(&|s| s == 0, &|edge| Some(cost.of(edge.2)), &any);
        CostRange {
            quantity: cost.quantity,
            least: self.extremum(least.map(|value| value.map(|value| -value))),
            greatest: self.extremum(greatest),
        }
    }

    /// The time at which a run first comes to a state.
    fn time(&self, quantity: Quantity, there: &dyn Fn(usize) -> bool) -> CostRange {
        let [least, greatest] = [-1, 1].map(|sign| {
            let weight = |edge: &PlainEdge| (!there(edge.0)).then_some(sign);
            let value = self.greatest_of_all(&|s| s == 0, &weight, &|state| there(state));
            self.extremum(value.map(|value| value.map(|value| sign * value - 1)))
        });
        // A cycle that cannot be left is a run that never comes there.
        let cycle = self.greatest_of_all(&|s| s == 0, &|edge| (!there(edge.0)).then_some(1), &|_| true).is_err();
        CostRange { quantity, least, greatest: if cycle { Extremum::Unbounded } else { greatest } }
    }

    fn phases(&self) -> CostRange {
        let complete = |state: usize| self.features[state].complete;
        // Whether a run is complete in which phases grow only as they may.
        let completes = |may: &dyn Fn(Option<bool>) -> bool| {
            let edges = self.edges.iter().zip(&self.growth).filter(|(_, growth)| may(**growth));
            let edges: Vec<(usize, usize)> = edges.map(|(edge, _)| (edge.0, edge.1)).collect();
            let weight = |edge: &PlainEdge| edges.contains(&(edge.0, edge.1)).then_some(0);
            self.greatest(self.states.len(), &|s| s == 0, &weight, &complete).is_some()
        };
        let least = if completes(&|growth| growth.is_none()) {
            self.extremum(Ok(Some(0)))
        } else if completes(&|growth| growth != Some(false)) {
            self.extremum(Ok(Some(1)))
        } else if completes(&|_| true) {
            Extremum::Unknown
        } else {
            Extremum::NoRun
        };
        let returns = |&(from, to, _): &PlainEdge| {
            self.greatest(self.states.len(), &|s| s == to, &|_| Some(0), &|s| s == from).is_some()
        };
        let unbounded = self.edges.iter().zip(&self.growth).any(|(edge, growth)| growth.is_some() && returns(edge));
        let greatest = if unbounded { Extremum::Unbounded } else { Extremum::Unknown };
        CostRange { quantity: Quantity::Phases, least, greatest }
    }

    fn waits(&self, state: usize, place: usize) -> bool {
        self.features[state].trying >> place & 1 == 1
    }

    /// By brute force: every request is followed, instant by instant, for as long as there are states.
    fn shortest_response(&self) -> Extremum {
        let mut shortest = None;
        for (place, request) in (0..2).flat_map(|place| self.edges.iter().map(move |edge| (place, edge))) {
            let [before, after] = [request.0, request.1].map(|state| self.features[state].requests >> place & 1);
            let enters = |state: usize| self.features[state].inside >> place & 1 == 1;
            if before == after {
                continue;
            }
            let mut times = vec![None; self.states.len()];
            times[request.1] = Some(0);
            for _ in 0..self.states.len() {
                for edge in &self.edges {
                    if let Some(time) = times[edge.0].filter(|_| self.waits(edge.0, place)) {
                        times[edge.1] = Some(times[edge.1].map_or(time + 1, |other: i64| other.min(time + 1)));
                    }
                }
            }
            let entries = (0..times.len()).filter(|&state| enters(state)).filter_map(|state| times[state]);
            shortest = shortest.into_iter().chain(entries).min();
        }
        shortest.map_or(Extremum::Unknown, |shortest| self.extremum(Ok(Some(shortest))))
    }

    /// By brute force: requests are followed, instant by instant, twice as long as there are states.
    fn longest_response(&self) -> Extremum {
        let longest = [self.states.len(), 2 * self.states.len() + 1].map(|length| {
            let mut longest = 0;
            for place in 0..2 {
                let mut times: Vec<Option<i64>> =
                    (0..self.states.len()).map(|state| self.waits(state, place).then_some(0)).collect();
                for _ in 0..length {
                    let before = times.clone();
                    for &(from, to, _) in &self.edges {
                        let Some(time) = before[from] else { continue };
                        let time = time + i64::from(self.features[from].inside == 0);
                        longest = longest.max(time);
                        let requests = self.features[from].requests ^ self.features[to].requests;
                        if self.waits(to, place) && requests >> place & 1 == 0 {
                            times[to] = times[to].max(Some(time));
                        }
                    }
                }
            }
            longest
        });
        self.extremum(if longest[0] == longest[1] { Ok(Some(longest[0])) } else { Err(()) })
    }
}

#[test]
fn extremes_are_those_of_all_paths_with_and_without_reduction() {
    let mut kinds = [0; 10];
    for seed in 0..6000u64 {
        let mut system = WeightedProduct::random(seed);
        let plain = Plain::new(&mut system);
        let threads = 1 + seed as usize % 2;
        // Time is not preserved by partial-order reduction: with clocks there is none.
        let reduce = seed % 4 < 2 && system.timed == TimedCosts::default();
        let found = search(&mut system, &effort(threads, reduce), &mut |_| true);
        for cost in system.linear_costs() {
            let (expected, range) = (plain.linear(&cost), *found.extremes.of(cost.quantity).expect("it is a cost"));
            if cost.quantity == DIFFERENCE && range != expected {
                let cycle = |extremum| extremum == Extremum::Unknown;
                assert!(cycle(range.least) || cycle(range.greatest), "{seed} {range:?} {expected:?}");
                assert_ne!(
                    plain.time(Quantity::Time, &|_| false).greatest,
                    Extremum::NoRun,
                    "{seed}: there is no cycle"
                );
                kinds[0] += 1;
                continue;
            }
            assert_eq!(range, expected, "{seed}");
            kinds[1] +=
                usize::from(matches!(range.least, Extremum::Exactly(least) if Some(least) < range.greatest.value()));
            kinds[2] += usize::from(range.greatest == Extremum::Unbounded);
            kinds[3] += usize::from(matches!(range.greatest, Extremum::UpToViolation(1..)));
        }
        // Without a graph they are not known.
        let graph = found.extremes.of(Quantity::Phases).filter(|range| range.greatest == Extremum::Unbounded);
        if system.timed != TimedCosts::default() || graph.is_some() {
            let expected = plain.phases();
            assert_eq!(found.extremes.of(Quantity::Phases), Some(&expected), "{seed}");
            kinds[7] += usize::from(expected.greatest == Extremum::Unbounded);
            kinds[8] += usize::from(expected.least.value() == Some(1));
            kinds[9] += usize::from(expected.least == Extremum::Unknown);
        }
        if system.timed.elapsed {
            let elected = |state: usize| system.elected[plain.states[state][0] as usize];
            let timed = [
                plain.time(Quantity::TimeElected, &elected),
                plain.time(Quantity::Time, &|state| plain.features[state].complete),
            ];
            for expected in timed {
                assert_eq!(found.extremes.of(expected.quantity), Some(&expected), "{seed}");
                kinds[4] += usize::from(expected.least.value().is_some() && expected.least != expected.greatest);
            }
        }
        if system.timed.response {
            let range = found.extremes.of(Quantity::LongestDelay).expect("it is computed");
            assert_eq!(range.greatest, plain.longest_response(), "{seed}");
            assert_eq!(range.least, plain.shortest_response(), "{seed}");
            kinds[5] += usize::from(range.greatest.value() > Some(0));
            kinds[6] += usize::from(range.least.value() > Some(0));
        }
    }
    assert!(kinds.iter().all(|&count| count > 100), "{kinds:?}");
}

/// The costs of a run, and whether it is complete.
fn cost_of(system: &mut WeightedProduct, (states, transitions): &StatePath, cost: &LinearCost) -> (i64, bool) {
    let mut passes = Passes::NONE;
    let mut successors = Successors::default();
    assert_eq!(states[0], system.initial_states()[0]);
    for (pair, &transition) in states.windows(2).zip(transitions) {
        system.successors(&pair[0], fingerprint(&pair[0]), &mut successors);
        passes += successors.transitions[transition].passes;
        let mut after = pair[0].clone();
        successors.apply(transition, &mut after);
        assert_eq!(after, pair[1]);
    }
    let last = states.last().expect("it begins");
    system.successors(last, fingerprint(last), &mut successors);
    (cost.of(passes), system.features(last, successors.is_quiescent()).complete && states.len() > 1)
}

#[test]
fn the_run_to_an_extremum_has_its_cost() {
    let mut runs = 0;
    for seed in 0..1500u64 {
        let mut system = WeightedProduct { timed: TimedCosts::default(), ..WeightedProduct::random(seed) };
        for cost in system.linear_costs() {
            for end in ExtremeEnd::ALL {
                let wanted = Some((cost.quantity, end));
                let found =
                    search_for(&mut system, &effort(1, seed % 2 == 0), wanted, &mut WatchedSearch::new(&mut |_| true));
                let range = *found.extremes.of(cost.quantity).expect("it is a cost");
                let value = if end == ExtremeEnd::Least { range.least } else { range.greatest }.value();
                assert_eq!(found.extreme.is_some(), value.is_some(), "{seed}");
                if let Some(run) = found.extreme {
                    let (own, complete) = cost_of(&mut system, &run, &cost);
                    assert_eq!(Some(own), value, "{seed}");
                    assert!(complete || end == ExtremeEnd::Greatest && cost.grows(), "{seed}");
                    runs += 1;
                }
            }
        }
    }
    assert!(runs > 5000, "{runs}");
}

#[test]
fn a_graph_without_memory_leaves_extremes_unknown_and_nothing_else() {
    let edge = |to: u32, sent: usize| (to, vec![(0, 1); sent], false);
    // Two paths to each state that differ in their messages.
    let chain = (0..2000).map(|state| vec![edge(state + 1, 1), edge(state + 1, 2)]).chain([Vec::new()]).collect();
    let mut system = WeightedProduct::random(0);
    (system.components, system.timed) = (vec![chain], TimedCosts::default());
    let count = 2001;
    for list in [&mut system.violated, &mut system.waiting, &mut system.elected] {
        *list = vec![false; count];
    }
    for list in [&mut system.trying, &mut system.inside, &mut system.requests] {
        *list = vec![0; count];
    }
    system.growth = vec![Vec::new(); count];
    let messages = |bytes: u64| {
        let found = search(&mut system.clone(), &Effort { bytes, ..effort(1, false) }, &mut |_| true);
        let range = *found.extremes.of(Quantity::Messages).expect("it is a cost");
        (range.least, range.greatest, found.most_messages, found.ran_out)
    };
    let most = MaxMessages::Exactly(4000);
    assert_eq!(messages(1 << 30), (Extremum::Exactly(2000), Extremum::Exactly(4000), most, None));
    assert_eq!(messages(400_000), (Extremum::Unknown, Extremum::Unknown, most, None));
}
