//! Extremes of costs in a graded state space, from the breadth-first search alone.
//!
//! If all paths to a state have the same length and the same message passes by kind, then the costs of a run are a
//! function of its last state. In such a space, which has no cycle, every run can be extended to a state that is
//! quiescent or violates safety, and costs do not shrink on the way: the extremes are those of these states.

use ringleader_model::{Leader, Quantity};

use crate::depth::CausalDepths;
use crate::extremes::{CostRange, Extremes, Extremum};
use crate::interner::Interned;
use crate::passes::{LinearCost, Passes};
use crate::phases::HighestPhase;
use crate::transition_system::{StateFeatures, TimedCosts, TransitionSystem};

/// The quantities whose extremes are found if the search is complete.
pub(crate) fn quantities(costs: &[LinearCost], system: &mut dyn TransitionSystem) -> Vec<Quantity> {
    let mut quantities: Vec<Quantity> = costs.iter().map(|cost| cost.quantity).collect();
    quantities.extend(system.phases().map(|_| Quantity::Phases));
    if system.depths().is_some() {
        quantities.push(Quantity::Depth);
        let first = system.initial_states().first().map(|state| system.features(state, false).monitor);
        let elects = first.is_some_and(|monitor| system.leaders(monitor).is_some());
        quantities.extend(elects.then_some(Quantity::DepthElected));
    }
    let TimedCosts { elapsed, response } = system.timed_costs();
    if elapsed {
        quantities.extend([Quantity::TimeElected, Quantity::Time]);
    }
    quantities.extend(response.then_some(Quantity::LongestDelay));
    quantities
}

/// The extremes over the states seen so far in which runs end.
#[derive(Clone, Default)]
pub(crate) struct EndTally {
    /// By cost: the least over complete runs, and the greatest.
    pub(super) ranges: Vec<[Option<i64>; 2]>,
    pub(crate) complete: CompleteRuns,
}

/// What is known of complete runs besides the costs of their messages.
#[derive(Clone, Default)]
pub(crate) struct CompleteRuns {
    /// The least of their highest phases.
    pub(super) phase: Option<u32>,
    /// The least of their longest causal chains.
    pub(super) depth: Option<u32>,
    /// The monitors of their last states, each once, in order.
    pub(super) monitors: Vec<Interned>,
}

impl EndTally {
    /// A run may end here. `complete`: the features of the state, if the run is complete.
    pub(crate) fn note(&mut self, costs: &[LinearCost], passes: Passes, complete: Option<StateFeatures>) {
        self.ranges.resize(costs.len(), [None; 2]);
        for (cost, [least, greatest]) in costs.iter().zip(&mut self.ranges) {
            let value = Some(cost.of(passes));
            if complete.is_some() {
                *least = least.map_or(value, |least| Some(least).min(value));
            }
            if complete.is_some() || cost.grows() {
                *greatest = (*greatest).max(value);
            }
        }
        if let Some(features) = complete {
            self.complete.note(features);
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.ranges.resize(self.ranges.len().max(other.ranges.len()), [None; 2]);
        for ([least, greatest], [other_least, other_greatest]) in self.ranges.iter_mut().zip(&other.ranges) {
            *least = least.iter().chain(other_least).min().copied();
            *greatest = (*greatest).max(*other_greatest);
        }
        self.complete.add(&other.complete);
    }

    /// The extremes, if these are all states in which runs end.
    pub(crate) fn extremes(&self, costs: &[LinearCost], system: &mut dyn TransitionSystem) -> Extremes {
        let none = [None; 2];
        let range = |(index, cost): (usize, &LinearCost)| {
            let [least, greatest] = self.ranges.get(index).unwrap_or(&none);
            if cost.understated {
                return CostRange { quantity: cost.quantity, least: Extremum::Unknown, greatest: Extremum::Unknown };
            }
            let least = least.map_or(Extremum::NoRun, Extremum::Exactly);
            let greatest = greatest.or(cost.grows().then_some(0)).map_or(Extremum::NoRun, Extremum::Exactly);
            CostRange { quantity: cost.quantity, least, greatest }
        };
        let mut ranges: Vec<CostRange> = costs.iter().enumerate().map(range).collect();
        ranges.extend(system.phases().map(|highest| self.complete.phases(highest)));
        ranges.extend(self.complete.depths(system.depths()));
        Extremes { ranges, leaders: self.complete.leaders(system) }
    }
}

impl CompleteRuns {
    /// The last state of a complete run.
    pub(crate) fn note(&mut self, StateFeatures { phase, depth, monitor, .. }: StateFeatures) {
        self.phase = Some(self.phase.map_or(phase, |least| least.min(phase)));
        self.depth = Some(self.depth.map_or(depth, |least| least.min(depth)));
        if let Err(at) = self.monitors.binary_search(&monitor) {
            self.monitors.insert(at, monitor);
        }
    }

    fn add(&mut self, other: &Self) {
        self.phase = self.phase.iter().chain(&other.phase).min().copied();
        self.depth = self.depth.iter().chain(&other.depth).min().copied();
        self.monitors.extend(&other.monitors);
        self.monitors.sort_unstable();
        self.monitors.dedup();
    }

    /// The range of phases, if states remember them.
    pub(crate) fn phases(&self, HighestPhase { phase, remembered, .. }: HighestPhase) -> CostRange {
        let least = match self.phase {
            None => Extremum::NoRun,
            Some(least) if remembered => Extremum::Exactly(least.into()),
            Some(_) => Extremum::Unknown,
        };
        // A state space that is finite only because phases are forgotten may have runs with more.
        let greatest = if remembered { Extremum::Exactly(phase.into()) } else { Extremum::Unknown };
        CostRange { quantity: Quantity::Phases, least, greatest }
    }

    /// The ranges of causal chains, if these are recorded.
    pub(crate) fn depths(&self, depths: Option<CausalDepths>) -> Vec<CostRange> {
        let Some(CausalDepths { longest, lossy, elected }) = depths else { return Vec::new() };
        let value = |value: Option<u32>| value.map_or(Extremum::NoRun, |value| Extremum::Exactly(value.into()));
        // A message that is lost is part of a chain, but nobody has seen it.
        let least = if lossy && self.depth.is_some() { Extremum::Unknown } else { value(self.depth) };
        let mut ranges = vec![CostRange { quantity: Quantity::Depth, least, greatest: value(Some(longest)) }];
        ranges.extend(elected.map(|(least, greatest)| CostRange {
            quantity: Quantity::DepthElected,
            least: value(Some(least)),
            greatest: value(Some(greatest)),
        }));
        ranges
    }

    /// The possible sets of leaders; `None` where none is to be elected.
    pub(crate) fn leaders(&self, system: &mut dyn TransitionSystem) -> Option<Vec<Vec<Leader>>> {
        let (n, symmetric) = (system.places(), system.uses_rotation());
        let mut all = Vec::new();
        for &monitor in &self.monitors {
            let leaders = system.leaders(monitor)?;
            // Up to rotation, each outcome stands for its rotations.
            for by in 0..if symmetric { n } else { 1 } {
                let rotate =
                    |leader: &Leader| Leader { place: (leader.place + u64::from(by)) % u64::from(n), ..*leader };
                let mut rotated: Vec<Leader> = leaders.iter().map(rotate).collect();
                rotated.sort_unstable();
                all.push(rotated);
            }
        }
        all.sort_unstable();
        all.dedup();
        Some(all)
    }
}
