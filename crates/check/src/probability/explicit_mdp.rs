//! The state space of a probabilistic system as an explicit Markov decision process, and the figures that follow from
//! it.
//!
//! [`ExplicitMdp::explore`] enumerates the reachable states breadth first, without reductions, since these preserve
//! neither which schedulers are fair nor expected costs. [`ExplicitMdp::solve`] turns fair end components into endings,
//! merges the others, and optimises.

use std::collections::BTreeMap;

use num_rational::BigRational;
use num_traits::{One, Zero};
use ringleader_model::Place;

use super::explicit_model::{ExplicitModel, ModelEnding};
use super::mdp::{BranchTarget, Mdp, MdpBranch};
use super::rationals::InternedRationals;
use super::solve::{CostMoment, Objective, Optimum, optimize};
use super::{
    ExpectedCost, Measure, PhaseAdvance, ProbabilisticSystem, Probabilities, ProbabilityRange, ResultLabel, RunEnding,
    VarianceRange,
};
use crate::answer::{Effort, Progress, SearchLimit};
use crate::choices::ChoiceProbability;
use crate::graph::{ActionGraph, EndComponents, NO_COMPONENT, WeakFairness};
use crate::interner::{Interned, Map};
use crate::transition_system::{Successors, fingerprint};

/// An explicit Markov decision process with the state vectors of its states, which are numbered in the order of their
/// discovery.
pub(super) struct ExplicitMdp {
    mdp: Mdp,
    /// State vectors one after the other, each followed by its [`PhaseCounters`].
    vectors: Vec<Interned>,
    width: usize,
    /// By state: a run may end there, since nothing more must happen.
    terminal: Vec<bool>,
    endings: EndingTable,
    /// Some state leaves a choice to the scheduler.
    pub(super) nondeterministic: bool,
    pub(super) progress: Progress,
    /// The last phase that is explored.
    phases: Option<u32>,
    /// Some processor advanced that lagged [`MAX_LAG`] phases or more behind the highest, so that the highest is not
    /// known.
    pub(super) lag_unknown: bool,
    /// By fingerprint and phases, or by the next free key if that belongs to another state.
    indices: Map<(u64, PhaseCounters), u32>,
}

/// Phases that a state vector does not hold, since protocols that number them without bound subtract a common part: the
/// number of phases that have passed, if it is bounded, and by how many each processor lags behind the highest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct PhaseCounters {
    passed: u32,
    /// Two bits for each place: 0 to [`MAX_LAG`], which stands for that or more.
    lag: u32,
}

/// From here on the lag of a processor is not known.
pub(super) const MAX_LAG: u32 = 3;

impl PhaseCounters {
    fn lag(self, place: Place) -> u32 {
        self.lag.checked_shr(2 * place).unwrap_or(0) & MAX_LAG
    }

    /// By how much the highest phase grows when some places advance, and the counters then; `None` if it is not known.
    fn after(self, places: Place, advances: &[PhaseAdvance]) -> Option<(u32, Self)> {
        if advances.is_empty() {
            return Some((0, self));
        }
        let unknown = |advance: &PhaseAdvance| advance.place >= 16 || self.lag(advance.place) == MAX_LAG;
        if advances.iter().any(unknown) {
            return None;
        }
        let growth = advances.iter().map(|advance| advance.by.saturating_sub(self.lag(advance.place))).max()?;
        let mut after = Self { lag: 0, ..self };
        for place in 0..places.min(16) {
            let by: u32 = advances.iter().filter(|advance| advance.place == place).map(|advance| advance.by).sum();
            let lag = (self.lag(place) + growth).saturating_sub(by).min(MAX_LAG);
            after.lag |= lag << (2 * place);
        }
        Some((growth, after))
    }
}

/// Endings, numbered in the order of their discovery.
#[derive(Default)]
struct EndingTable {
    names: Vec<String>,
    /// By ending: the run terminates.
    terminates: Vec<bool>,
    /// By ending: there is more than one leader.
    errors: Vec<bool>,
    indices: BTreeMap<String, u32>,
}

impl EndingTable {
    /// `suffix` distinguishes endings with the same result.
    fn index(&mut self, result: ResultLabel, suffix: &str, terminates: bool) -> u32 {
        *self.indices.entry(result.name + suffix).or_insert_with_key(|name| {
            self.names.push(name.clone());
            self.terminates.push(terminates);
            self.errors.push(result.error);
            self.names.len() as u32 - 1
        })
    }
}

/// States expanded between two reports of progress.
const STATES_BETWEEN_REPORTS: usize = 1 << 8;

/// Bytes that solving takes for each state, about.
const SOLVER_BYTES: usize = 300;

impl ExplicitMdp {
    pub(super) fn new(phases: Option<u32>) -> Self {
        Self {
            mdp: Mdp::new(),
            vectors: Vec::new(),
            width: 0,
            terminal: Vec::new(),
            endings: EndingTable::default(),
            nondeterministic: false,
            progress: Progress::default(),
            phases,
            lag_unknown: false,
            indices: Map::default(),
        }
    }

    /// Enumerates the reachable states. `watch` receives the progress and returns false to interrupt.
    pub(super) fn explore(
        &mut self,
        system: &mut dyn ProbabilisticSystem,
        effort: &Effort,
        watch: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<(), SearchLimit> {
        let initial_states = system.initial_states();
        self.width = initial_states[0].len() + 2;
        // In an additional state 0 the scheduler chooses one of several initial states.
        let first = u32::from(initial_states.len() > 1);
        if first == 1 {
            self.nondeterministic = true;
            self.terminal.push(false);
            self.vectors.resize(self.width, 0);
            for index in 1..=initial_states.len() as u32 {
                self.mdp.branch(MdpBranch {
                    to: BranchTarget::State(index),
                    probability: ChoiceProbability::CERTAIN,
                    costs: [0; 3],
                });
                self.mdp.end_action();
            }
            self.mdp.end_state();
        }
        for state in &initial_states {
            self.index(fingerprint(state), PhaseCounters::default(), |vectors| vectors.extend(state));
        }
        let last_initial = self.vectors.len() / self.width;
        let mut level_ends = last_initial;
        let (mut successors, mut advances) = (Successors::default(), Vec::new());
        let mut state = first as usize;
        while state * self.width < self.vectors.len() {
            if state == level_ends {
                level_ends = self.vectors.len() / self.width;
                self.progress.frontier = (level_ends - state) as u64;
                self.progress.depth += 1;
            }
            if state.is_multiple_of(STATES_BETWEEN_REPORTS) && !watch(&self.progress) {
                return Err(SearchLimit::Interrupted);
            }
            self.expand(system, state, state < last_initial, &mut successors, &mut advances);
            if !successors.have_probabilities() {
                return Err(SearchLimit::Branching);
            }
            self.progress.states = (self.vectors.len() / self.width) as u64 - u64::from(first);
            self.progress.bytes = (self.bytes() + system.bytes()) as u64;
            if self.progress.states > effort.states {
                return Err(SearchLimit::States);
            }
            if self.progress.bytes > effort.bytes {
                return Err(SearchLimit::Memory);
            }
            state += 1;
        }
        self.progress.frontier = 0;
        Ok(())
    }

    /// Adds the actions of a state, one for each event that can happen next.
    fn expand(
        &mut self,
        system: &mut dyn ProbabilisticSystem,
        state: usize,
        initial: bool,
        successors: &mut Successors,
        advances: &mut Vec<PhaseAdvance>,
    ) {
        let vector = self.vector(state).to_vec();
        let [passed, lag] = self.vectors[(state + 1) * self.width - 2..][..2] else {
            unreachable!("it has two counters")
        };
        let phases = PhaseCounters { passed, lag };
        system.successors(&vector, fingerprint(&vector), successors);
        let terminal = (!initial || successors.transitions.is_empty()) && system.may_end(&vector, successors);
        self.terminal.push(terminal);
        if terminal {
            let unfinished = if system.monitor_status(&vector).waiting { ": deadlock" } else { "" };
            let ending = self.endings.index(system.label(&vector), unfinished, true);
            self.mdp.end_with(ending);
            // If no transition is optional, only time passes.
            if successors.transitions.iter().all(|transition| !transition.optional) {
                successors.clear();
            }
        }
        if system.is_phased() {
            system.advances(&vector, advances);
        }
        self.progress.transitions += successors.transitions.len() as u64;
        for (index, transition) in successors.transitions.iter().enumerate() {
            let own = advances.partition_point(|advance| advance.transition < index);
            let own = &advances[own..advances.partition_point(|advance| advance.transition <= index)];
            let (growth, mut after) = phases.after(system.places(), own).unwrap_or_else(|| {
                self.lag_unknown = true;
                (0, phases)
            });
            after.passed += if self.phases.is_some() { growth } else { 0 };
            let to = if self.phases.is_some_and(|last| after.passed > last) {
                let unfinished = ResultLabel { name: "another phase".into(), error: false };
                BranchTarget::Ending(self.endings.index(unfinished, "", false))
            } else {
                BranchTarget::State(self.index(transition.fingerprint, after, |vectors| {
                    let from = vectors.len();
                    vectors.extend(&vector);
                    successors.apply(index, &mut vectors[from..]);
                }))
            };
            // The first instant is at time 0: the first transition takes no time.
            let costs = [growth, transition.sent, u32::from(!initial)];
            self.mdp.branch(MdpBranch { to, probability: successors.probability(index), costs });
            if successors.transitions.get(index + 1).is_none_or(|next| next.action != transition.action) {
                self.mdp.end_action();
            }
        }
        self.mdp.end_state();
        self.nondeterministic |= self.mdp.actions(state).len() > 1;
    }

    /// The number of a state; `write` appends its vector. States are the same if their vectors are: results are exact.
    fn index(&mut self, fingerprint: u64, phases: PhaseCounters, write: impl FnOnce(&mut Vec<Interned>)) -> u32 {
        let end = self.vectors.len();
        let next = (end / self.width) as u32;
        write(&mut self.vectors);
        self.vectors.extend([phases.passed, phases.lag]);
        let mut key = fingerprint;
        loop {
            let index = *self.indices.entry((key, phases)).or_insert(next);
            if index == next {
                return index;
            }
            let (visited, new) = self.vectors.split_at(end);
            if visited[index as usize * self.width..][..self.width] == *new {
                self.vectors.truncate(end);
                return index;
            }
            // Another state has the same fingerprint.
            key = key.wrapping_add(1);
        }
    }

    fn bytes(&self) -> usize {
        let entry = size_of::<((u64, PhaseCounters), u32)>() + 1;
        self.mdp.bytes()
            + self.vectors.capacity() * size_of::<Interned>()
            + self.indices.capacity() * entry
            + self.terminal.len() * SOLVER_BYTES
    }

    /// Computes all figures; `None` if it was interrupted.
    pub(super) fn solve(
        &mut self,
        system: &mut dyn ProbabilisticSystem,
        probabilities: &mut Probabilities,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<()> {
        let mecs = EndComponents::maximal(&self.mdp, |_, _| true);
        let infinite_endings = self.infinite_endings(system, &mecs);
        let (quotient, indices) = self.mdp.quotient(&mecs, &infinite_endings);
        let mut probability = |wanted: &[bool]| {
            let others: Vec<bool> = wanted.iter().map(|&wanted| !wanted).collect();
            if !wanted.contains(&true) || !others.contains(&true) {
                let certain = if wanted.contains(&true) { BigRational::one() } else { BigRational::zero() };
                return Some(ProbabilityRange { least: certain.clone(), greatest: certain });
            }
            let greatest = optimize(&quotient, &Objective::End(wanted), InternedRationals::default(), go_on)?;
            let value = greatest.value(indices[0]);
            let least = if greatest.scheduler_independent {
                value.clone()
            } else {
                let others = optimize(&quotient, &Objective::End(&others), InternedRationals::default(), go_on)?;
                BigRational::one() - others.value(indices[0])
            };
            Some(ProbabilityRange { least, greatest: value.clone() })
        };
        for (index, name) in self.endings.names.iter().enumerate() {
            let wanted: Vec<bool> = (0..self.endings.names.len()).map(|other| other == index).collect();
            probabilities.endings.push(RunEnding { name: name.clone(), probability: probability(&wanted)? });
        }
        probabilities.endings.sort_by(|one, other| one.name.cmp(&other.name));
        probabilities.error = probability(&self.endings.errors)?;
        probabilities.termination = probability(&self.endings.terminates)?;
        let mut measures = vec![Measure::Phases, Measure::Messages, Measure::Time];
        measures.retain(|measure| match measure {
            Measure::Phases => system.is_phased() && !self.lag_unknown,
            Measure::Messages => true,
            Measure::Time => system.is_timed(),
        });
        if probabilities.termination.least.is_one() && self.phases.is_none() {
            for &measure in &measures {
                probabilities.expected_costs.push(self.expected_cost(measure, go_on)?);
            }
        }
        probabilities.model = Some(self.model(measures, &infinite_endings));
        Some(())
    }

    /// The process without the end components in which nothing has a cost.
    fn model(&self, measures: Vec<Measure>, infinite_endings: &BTreeMap<u32, Vec<u32>>) -> ExplicitModel {
        let free = |branch: &MdpBranch| measures.iter().all(|&measure| branch.costs[measure as usize] == 0);
        let without_cost = |_, action| self.mdp.branches(action).iter().all(free);
        let (mdp, indices) = self.mdp.quotient(&EndComponents::maximal(&self.mdp, without_cost), infinite_endings);
        let EndingTable { names, terminates, errors, .. } = &self.endings;
        let ending = |index: usize| ModelEnding {
            name: names[index].clone(),
            terminates: terminates[index],
            error: errors[index],
        };
        let endings = (0..names.len()).map(ending).collect();
        ExplicitModel { mdp, initial: indices[0], endings, measures }
    }

    /// The endings of runs that do not terminate, by state: a weakly fair scheduler can stay forever in an end
    /// component of that state. Such an ending has the label that the monitor has in all states of the component, if
    /// there is one.
    fn infinite_endings(
        &mut self,
        system: &mut dyn ProbabilisticSystem,
        mecs: &EndComponents,
    ) -> BTreeMap<u32, Vec<u32>> {
        let mut labels: BTreeMap<String, u32> = BTreeMap::new();
        let mut label_of = vec![NO_COMPONENT; self.mdp.len()];
        for state in (0..mecs.of.len()).filter(|&state| mecs.of[state] != NO_COMPONENT) {
            let next = labels.len() as u32;
            label_of[state] = *labels.entry(system.label(self.vector(state)).name).or_insert(next);
        }
        let keeps_label = |state: usize, action: usize| {
            let same = |to: Option<u32>| to.is_some_and(|to| label_of[to as usize] == label_of[state]);
            mecs.inside[action] && self.mdp.targets(action).all(same)
        };
        let constant = EndComponents::maximal(&self.mdp, keeps_label);
        let mut endings: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut stay = |mdp: &mut Self, states: Vec<usize>, result: ResultLabel| {
            let ending = mdp.endings.index(result, ": forever", false);
            for state in states {
                endings.entry(state as u32).or_default().push(ending);
            }
        };
        for states in self.fair_components(system, &constant, |_| true) {
            let result = system.label(self.vector(states[0]));
            stay(self, states, result);
        }
        let changes_label = |states: &[usize]| states.iter().any(|&state| label_of[state] != label_of[states[0]]);
        for states in self.fair_components(system, mecs, changes_label) {
            stay(self, states, ResultLabel { name: "no stable result".into(), error: false });
        }
        endings
    }

    /// The wanted end components, each as its states, in which a weakly fair scheduler can stay and not all states are
    /// terminal.
    fn fair_components(
        &self,
        system: &mut dyn ProbabilisticSystem,
        mecs: &EndComponents,
        wanted: impl Fn(&[usize]) -> bool,
    ) -> Vec<Vec<usize>> {
        let mut fairness = WeakFairness::new(mecs.count);
        let mut components = mecs.members();
        components.retain(|states| wanted(states) && states.iter().any(|&state| !self.terminal[state]));
        components.retain(|states| {
            for &state in states {
                let vector = self.vector(state);
                let inside = self.inside(state, mecs);
                fairness.visit(system, mecs.of[state], (vector, fingerprint(vector)), inside.into_iter());
            }
            fairness.is_fair(mecs.of[states[0]])
        });
        components
    }

    /// The transitions of a state that belong to actions inside its end component.
    fn inside(&self, state: usize, mecs: &EndComponents) -> Vec<usize> {
        let mut inside = Vec::new();
        let mut first = 0;
        // An action that ends a run comes before those of the system.
        for action in self.mdp.actions(state).skip(usize::from(self.terminal[state])) {
            let transitions = first..first + self.mdp.branches(action).len();
            first = transitions.end;
            if mecs.inside[action] {
                inside.extend(transitions);
            }
        }
        inside
    }

    fn vector(&self, state: usize) -> &[Interned] {
        &self.vectors[state * self.width..(state + 1) * self.width - 2]
    }

    /// The expected cost of a run, where every weakly fair scheduler terminates with probability 1. End components
    /// without cost are merged: how long a run stays in one makes no difference. If one with cost is left, the maximum
    /// is unbounded.
    fn expected_cost(&self, measure: Measure, go_on: &mut dyn FnMut() -> bool) -> Option<ExpectedCost> {
        let index = measure as usize;
        let moment = CostMoment::First(index);
        let without_cost = |_, action| self.mdp.branches(action).iter().all(|branch| branch.costs[index] == 0);
        let (quotient, indices) = self.mdp.quotient(&EndComponents::maximal(&self.mdp, without_cost), &BTreeMap::new());
        let initial = indices[0];
        let optimum = optimize(&quotient, &Objective::Least(moment), InternedRationals::default(), go_on)?;
        let least = optimum.value(initial).clone();
        if optimum.scheduler_independent {
            let variance = Some(variance(&quotient, initial, index, optimum, go_on)?);
            return Some(ExpectedCost { measure, greatest: Some(least.clone()), least, variance });
        }
        let greatest = if EndComponents::maximal(&quotient, |_, _| true).count > 0 {
            None
        } else {
            let optimum = optimize(&quotient, &Objective::Greatest(moment), InternedRationals::default(), go_on)?;
            Some(optimum.value(initial).clone())
        };
        Some(ExpectedCost { measure, least, greatest, variance: None })
    }
}

/// The variance of a cost with these expectations, which all schedulers have: then there is no end component, since
/// staying in one has a cost.
fn variance(
    mdp: &Mdp,
    initial: u32,
    measure: usize,
    means: Optimum,
    go_on: &mut dyn FnMut() -> bool,
) -> Option<VarianceRange> {
    let square = means.value(initial) * means.value(initial);
    let moment = CostMoment::Second(measure, &means.values);
    let least = optimize(mdp, &Objective::Least(moment), means.rationals, go_on)?;
    let smallest = least.value(initial) - &square;
    let largest = if least.scheduler_independent {
        smallest.clone()
    } else {
        let greatest = optimize(mdp, &Objective::Greatest(moment), least.rationals, go_on)?;
        greatest.value(initial) - square
    };
    Some(VarianceRange { least: smallest, greatest: largest })
}
