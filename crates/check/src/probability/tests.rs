//! Markov chains and decision processes computed by hand, and small random ones compared with all policies.

use std::collections::BTreeMap;

use ringleader_model::{Promises, mix};

use super::*;
use crate::choices::ChoiceProbability;
use crate::reductions::Reductions;
use crate::transition_system::{MonitorStatus, Monitored};

/// A Markov decision process as a table: a state is its index.
#[derive(Clone, Default)]
struct MdpTable {
    states: Vec<MdpState>,
    initial_states: Vec<u32>,
}

#[derive(Clone, Default)]
struct MdpState {
    label: &'static str,
    pending: Vec<u32>,
    actions: Vec<MdpAction>,
}

#[derive(Clone, Default)]
struct MdpAction {
    optional: bool,
    discharges: Vec<u32>,
    /// All equally likely.
    to: Vec<u32>,
    /// Message passes, whatever the branch.
    sent: u32,
    /// The places whose phase grows.
    phases: Vec<Place>,
}

fn action(to: &[u32]) -> MdpAction {
    MdpAction { to: to.to_vec(), sent: 1, ..MdpAction::default() }
}

fn running(actions: &[MdpAction]) -> MdpState {
    MdpState { label: "running", pending: Vec::new(), actions: actions.to_vec() }
}

fn ended(label: &'static str) -> MdpState {
    MdpState { label, ..MdpState::default() }
}

impl MdpTable {
    fn new(states: Vec<MdpState>) -> Self {
        Self { states, initial_states: vec![0] }
    }

    fn probabilities(&self) -> Probabilities {
        let probabilities = probabilities_of(&mut self.clone(), None, &PLENTY, &mut |_| true).expect("it has phases");
        assert_eq!(probabilities.ran_out, None);
        probabilities
    }
}

const PLENTY: Effort = Effort { states: 1_000_000, bytes: 1 << 30, threads: 1, reductions: Reductions::NONE };

impl TransitionSystem for MdpTable {
    fn fork(&self) -> Box<dyn TransitionSystem> {
        Box::new(self.clone())
    }

    fn initial_states(&self) -> Vec<Vec<Interned>> {
        self.initial_states.iter().map(|&number| vec![number]).collect()
    }

    fn successors(&mut self, state: &[Interned], fingerprint: u64, successors: &mut Successors) {
        successors.clear();
        for (number, action) in self.states[state[0] as usize].actions.iter().enumerate() {
            for &to in &action.to {
                successors.write(0, to);
                action.discharges.iter().for_each(|&thing| successors.discharge(thing));
                successors.finish(
                    state,
                    fingerprint,
                    (number as u32, ChoiceProbability::one_of(action.to.len() as u32)),
                    action.sent,
                    action.optional,
                );
            }
        }
    }

    fn pending(&mut self, state: &[Interned], pending: &mut Vec<u32>) {
        pending.clone_from(&self.states[state[0] as usize].pending);
    }
}

impl Monitored for MdpTable {
    fn monitor_status(&mut self, state: &[Interned]) -> MonitorStatus {
        MonitorStatus {
            violated: false,
            cut_off: false,
            waiting: self.states[state[0] as usize].label == "running",
            fulfilled: Promises::default(),
        }
    }

    fn diagnosis(&mut self, _: &[Interned]) -> String {
        String::new()
    }

    fn is_phased(&self) -> bool {
        true
    }

    fn places(&self) -> Place {
        3
    }

    fn label(&mut self, state: &[Interned]) -> ResultLabel {
        let name = self.states[state[0] as usize].label;
        ResultLabel { name: name.into(), error: name.ends_with("leaders") }
    }
}

impl ProbabilisticSystem for MdpTable {
    fn is_timed(&self) -> bool {
        true
    }

    fn advances(&mut self, state: &[Interned], advances: &mut Vec<PhaseAdvance>) {
        advances.clear();
        let actions = &self.states[state[0] as usize].actions;
        let phases = actions.iter().flat_map(|action| vec![&action.phases; action.to.len()]);
        for (transition, phases) in phases.enumerate() {
            advances.extend(phases.iter().map(|&place| PhaseAdvance { transition, place, by: 1 }));
        }
    }
}

fn ratio(over: i64, under: i64) -> BigRational {
    BigRational::new(over.into(), under.into())
}

fn probability(least: (i64, i64), greatest: (i64, i64)) -> ProbabilityRange {
    ProbabilityRange { least: ratio(least.0, least.1), greatest: ratio(greatest.0, greatest.1) }
}

fn certain(over: i64, under: i64) -> ProbabilityRange {
    probability((over, under), (over, under))
}

/// Names and probabilities of all endings.
fn endings(probabilities: &Probabilities) -> Vec<(&str, ProbabilityRange)> {
    probabilities.endings.iter().map(|ending| (ending.name.as_str(), ending.probability.clone())).collect()
}

fn expected_cost(probabilities: &Probabilities, measure: Measure) -> (BigRational, Option<BigRational>) {
    let found = probabilities
        .expected_costs
        .iter()
        .find(|expected_cost| expected_cost.measure == measure)
        .expect("it has an expected cost");
    (found.least.clone(), found.greatest.clone())
}

fn variance(probabilities: &Probabilities, measure: Measure) -> Option<VarianceRange> {
    let found = probabilities.expected_costs.iter().find(|expected_cost| expected_cost.measure == measure);
    found.expect("it has an expected cost").variance.clone()
}

/// Gambler's ruin: a gambler with i of N coins wins or loses one per game, until none or all are left: rich with
/// probability i/N, after i(N-i) games on average, with variance i(N-i)(i^2 + (N-i)^2 - 2)/3.
#[test]
fn gamblers_ruin_has_the_figures_of_the_textbooks() {
    const ALL: u32 = 10;
    for has in 1..ALL {
        let mut table: Vec<_> = (0..=ALL).map(|i| running(&[action(&[i.wrapping_sub(1), i + 1])])).collect();
        table[0] = ended("poor");
        table[ALL as usize] = ended("rich");
        let probabilities = MdpTable { states: table, initial_states: vec![has] }.probabilities();
        let (has, all) = (i64::from(has), i64::from(ALL));
        assert_eq!(endings(&probabilities), [("poor", certain(all - has, all)), ("rich", certain(has, all))]);
        assert_eq!((probabilities.nondeterministic, &probabilities.termination), (false, &certain(1, 1)));
        let games = ratio(has * (all - has), 1);
        assert_eq!(expected_cost(&probabilities, Measure::Messages), (games.clone(), Some(games)));
        let spread = ratio(has * (all - has) * (has * has + (all - has) * (all - has) - 2), 3);
        let spread = VarianceRange { least: spread.clone(), greatest: spread };
        assert_eq!(variance(&probabilities, Measure::Messages), Some(spread));
    }
}

#[test]
fn a_variance_ranges_over_the_schedulers_that_share_the_mean() {
    // Two messages; or one and, with probability 1/2, two more.
    let sending = |sent: u32, to: &[u32]| MdpAction { sent, ..action(to) };
    let first = |sent: u32| running(&[sending(sent, &[2]), sending(1, &[1, 2])]);
    let table = |sent: u32| MdpTable::new(vec![first(sent), running(&[sending(2, &[2])]), ended("over")]);
    let found = table(2).probabilities();
    assert_eq!(expected_cost(&found, Measure::Messages), (ratio(2, 1), Some(ratio(2, 1))));
    let range = VarianceRange { least: ratio(0, 1), greatest: ratio(1, 1) };
    assert_eq!(variance(&found, Measure::Messages), Some(range));
    // If the means differ, there is none.
    let found = table(3).probabilities();
    assert_eq!(expected_cost(&found, Measure::Messages), (ratio(2, 1), Some(ratio(3, 1))));
    assert_eq!(variance(&found, Measure::Messages), None);
}

/// With probability 1/3 to win: rich with probability (2^i - 1)/(2^N - 1). A thousand states, all in one component.
#[test]
fn an_unfair_game_of_a_thousand_states_is_exact() {
    let mut table: Vec<_> =
        (0..=1000u32).map(|i| running(&[action(&[i.wrapping_sub(1), i.wrapping_sub(1), i + 1])])).collect();
    table[0] = ended("poor");
    table[1000] = ended("rich");
    let probabilities = MdpTable { states: table, initial_states: vec![990] }.probabilities();
    let power = |exponent: usize| num_traits::pow(ratio(2, 1), exponent) - BigRational::one();
    let rich = power(990) / power(1000);
    assert_eq!(probabilities.endings[1].probability, ProbabilityRange { least: rich.clone(), greatest: rich });
}

/// \[KnuthYao1976\]: a die from coins, 11/3 flips on average.
#[test]
fn an_error_is_any_number_of_leaders_beyond_one() {
    // One action errs with probability 1/2, always with two leaders; the other with 2/3, with two or three.
    let first = running(&[action(&[1, 2]), action(&[1, 2, 3])]);
    let found = MdpTable::new(vec![first, ended("1 leader"), ended("2 leaders"), ended("3 leaders")]).probabilities();
    assert_eq!(found.error, probability((1, 2), (2, 3)));
    assert_eq!(endings(&found)[1], ("2 leaders", probability((1, 3), (1, 2))));
}

#[test]
fn coins_make_a_die() {
    let mut table: Vec<_> =
        [[1, 2], [3, 4], [5, 6], [1, 7], [8, 9], [10, 11], [12, 2]].map(|to| running(&[action(&to)])).into();
    table.extend(["one", "two", "three", "four", "five", "six"].map(ended));
    let probabilities = MdpTable::new(table).probabilities();
    assert_eq!(probabilities.endings.len(), 6);
    assert!(probabilities.endings.iter().all(|ending| ending.probability == certain(1, 6)));
    // The first flip takes the first instant, which is at time 0.
    assert_eq!(expected_cost(&probabilities, Measure::Messages).0, ratio(11, 3));
    assert_eq!(expected_cost(&probabilities, Measure::Time).0, ratio(8, 3));
}

#[test]
fn a_component_that_is_never_left_is_an_ending_without_expected_costs() {
    let table = vec![running(&[action(&[1, 3])]), running(&[action(&[2])]), running(&[action(&[1])]), ended("over")];
    let probabilities = MdpTable::new(table).probabilities();
    assert_eq!(endings(&probabilities), [("over", certain(1, 2)), ("running: forever", certain(1, 2))]);
    assert_eq!((probabilities.nondeterministic, &probabilities.termination), (false, &certain(1, 2)));
    assert!(probabilities.expected_costs.is_empty());
    // A component whose label changes has no stable result.
    let table = vec![running(&[action(&[1])]), MdpState { label: "walking", ..running(&[action(&[0])]) }];
    assert_eq!(endings(&MdpTable::new(table).probabilities()), [("no stable result: forever", certain(1, 1))]);
}

/// A loop that a random choice leaves with positive probability is left with probability 1.
#[test]
fn a_loop_that_a_random_choice_may_leave_is_left() {
    let table = vec![running(&[action(&[1])]), running(&[action(&[0, 0, 0, 2])]), ended("over")];
    let probabilities = MdpTable::new(table).probabilities();
    assert_eq!(endings(&probabilities), [("over", certain(1, 1))]);
    assert_eq!(expected_cost(&probabilities, Measure::Messages).0, ratio(8, 1));
}

/// A scheduler may go back and forth between 0 and 1, or let a coin decide between winning and losing. Each of 0 and 1
/// can have whatever value the other has, so that value iteration from above never leaves 1; the right value is 1/2.
fn trap(pending: &[u32], step: u32) -> MdpTable {
    let step = MdpAction { sent: step, ..action(&[1]) };
    let back = MdpAction { to: vec![0], ..step.clone() };
    let scheduler_choice = MdpAction { discharges: vec![7], ..action(&[2, 3]) };
    let with = |actions: &[MdpAction]| MdpState { pending: pending.to_vec(), ..running(actions) };
    MdpTable::new(vec![with(&[step, scheduler_choice]), with(&[back]), ended("lost"), ended("won")])
}

#[test]
fn an_end_component_gains_nothing_by_its_cycles() {
    let probabilities = trap(&[], 1).probabilities();
    let expected = [
        ("lost", probability((0, 1), (1, 2))),
        ("running: forever", probability((0, 1), (1, 1))),
        ("won", probability((0, 1), (1, 2))),
    ];
    assert_eq!(endings(&probabilities), expected);
    assert_eq!((probabilities.nondeterministic, &probabilities.termination), (true, &probability((0, 1), (1, 1))));
    assert!(probabilities.expected_costs.is_empty());
}

/// If the coin is pending under weak fairness it is tossed in the end, whenever the scheduler likes.
#[test]
fn a_pending_obligation_is_discharged_eventually() {
    let probabilities = trap(&[7], 1).probabilities();
    assert_eq!(endings(&probabilities), [("lost", certain(1, 2)), ("won", certain(1, 2))]);
    assert_eq!((probabilities.nondeterministic, &probabilities.termination), (true, &certain(1, 1)));
    assert_eq!(expected_cost(&probabilities, Measure::Messages), (ratio(1, 1), None));
    // If the cycle costs nothing, there is nothing to gain by it.
    assert_eq!(expected_cost(&trap(&[7], 0).probabilities(), Measure::Messages), (ratio(1, 1), Some(ratio(1, 1))));
    // An obligation that is not pending in one of the states need not be discharged.
    let mut now_and_then = trap(&[7], 1);
    now_and_then.states[1].pending.clear();
    assert_eq!(now_and_then.probabilities().termination, probability((0, 1), (1, 1)));
    // Nor does one that the cycle discharges.
    let mut taken = trap(&[7], 1);
    taken.states[1].actions[0].discharges.push(7);
    assert_eq!(taken.probabilities().termination, probability((0, 1), (1, 1)));
}

/// Two coins, one after the other; before the second, a scheduler that has seen the first may choose another game.
#[test]
fn a_scheduler_sees_past_random_choices_and_not_future_ones() {
    let table = vec![
        running(&[action(&[1, 2])]),
        running(&[action(&[4, 3]), action(&[4, 4, 3])]),
        running(&[action(&[3]), action(&[4, 3, 3, 3])]),
        ended("lost"),
        ended("won"),
    ];
    let probabilities = MdpTable::new(table).probabilities();
    // Won at most 1/2 of 2/3 and 1/2 of 1/4; at least 1/2 of 1/2 and nothing.
    assert_eq!(
        endings(&probabilities),
        [("lost", probability((13, 24), (3, 4))), ("won", probability((1, 4), (11, 24)))]
    );
    assert_eq!(expected_cost(&probabilities, Measure::Messages), (ratio(2, 1), Some(ratio(2, 1))));
}

#[test]
fn optional_transitions_need_not_happen_except_initially() {
    let optional = |to: &[u32]| MdpAction { optional: true, ..action(to) };
    let table = vec![running(&[optional(&[1])]), running(&[optional(&[2])]), ended("over")];
    let probabilities = MdpTable::new(table).probabilities();
    assert_eq!(
        endings(&probabilities),
        [("over", probability((0, 1), (1, 1))), ("running: deadlock", probability((0, 1), (1, 1)))]
    );
    assert_eq!(probabilities.termination, certain(1, 1));
    assert_eq!(expected_cost(&probabilities, Measure::Messages), (ratio(1, 1), Some(ratio(2, 1))));
    // A run also ends where it idles.
    let table = vec![running(&[action(&[1])]), MdpState { label: "idle", ..running(&[optional(&[1])]) }];
    assert_eq!(endings(&MdpTable::new(table).probabilities()), [("idle", certain(1, 1))]);
}

#[test]
fn a_scheduler_chooses_the_initial_state() {
    let states = vec![running(&[action(&[2, 3])]), running(&[action(&[2, 2, 3])]), ended("lost"), ended("won")];
    let probabilities = MdpTable { states, initial_states: vec![0, 1] }.probabilities();
    assert_eq!(endings(&probabilities), [("lost", probability((1, 2), (2, 3))), ("won", probability((1, 3), (1, 2)))]);
    assert_eq!(probabilities.progress.states, 4);
}

#[test]
fn phases_can_be_limited() {
    let again = MdpAction { phases: vec![0], ..action(&[0, 0, 1, 1]) };
    let mut table = MdpTable::new(vec![running(&[again]), ended("over")]);
    let probabilities = table.probabilities();
    assert_eq!(
        (endings(&probabilities), expected_cost(&probabilities, Measure::Phases).0),
        (vec![("over", certain(1, 1))], ratio(2, 1))
    );
    for last in 0..5 {
        let probabilities = probabilities_of(&mut table, Some(last), &PLENTY, &mut |_| true).expect("it has phases");
        let failed = certain(1, 1 << last);
        let over = certain((1 << last) - 1, 1 << last);
        let expected =
            if last == 0 { vec![("another phase", failed)] } else { vec![("another phase", failed), ("over", over)] };
        assert_eq!(endings(&probabilities), expected);
        assert_eq!(probabilities.termination, certain((1 << last) - 1, 1 << last));
        assert!(probabilities.expected_costs.is_empty());
    }
}

/// Two places take turns: one begins a phase, then the other the same one; the run ends after any of the second's.
#[test]
fn phases_are_counted_once_however_many_begin_them() {
    let begins = |place, to: &[u32]| running(&[MdpAction { phases: vec![place], ..action(to) }]);
    let probabilities = MdpTable::new(vec![begins(0, &[1]), begins(1, &[0, 2]), ended("over")]).probabilities();
    assert_eq!(
        (expected_cost(&probabilities, Measure::Phases).0, expected_cost(&probabilities, Measure::Messages).0),
        (ratio(2, 1), ratio(4, 1))
    );
    // A place that lags behind farther than is counted does no harm, unless it advances in the end.
    let long = |last| {
        let mut table: Vec<_> = (1..6).map(|next| begins(0, &[next])).collect();
        table.extend([begins(last, &[6]), ended("over")]);
        MdpTable::new(table).probabilities()
    };
    assert_eq!(expected_cost(&long(0), Measure::Phases).0, ratio(6, 1));
    assert_eq!(
        long(1).expected_costs.iter().map(|expected_cost| expected_cost.measure).collect::<Vec<_>>(),
        [Measure::Messages, Measure::Time]
    );
}

#[test]
fn a_state_space_that_is_too_large_names_its_limit() {
    let line = |count: u32| {
        let mut table: Vec<_> = (1..count).map(|next| running(&[action(&[next])])).collect();
        table.push(ended("over"));
        MdpTable::new(table)
    };
    let ran_out = |effort: Effort, patience: u64| {
        let mut watch = |progress: &Progress| progress.states < patience;
        probabilities_of(&mut line(1000), None, &effort, &mut watch).expect("it has phases").ran_out
    };
    assert_eq!(ran_out(PLENTY, u64::MAX), None);
    assert_eq!(ran_out(Effort { states: 1000, ..PLENTY }, u64::MAX), None);
    assert_eq!(ran_out(Effort { states: 999, ..PLENTY }, u64::MAX), Some(SearchLimit::States));
    assert_eq!(ran_out(Effort { bytes: 1000, ..PLENTY }, u64::MAX), Some(SearchLimit::Memory));
    assert_eq!(ran_out(PLENTY, 500), Some(SearchLimit::Interrupted));
}

/// The value of a policy, by Gaussian elimination of the full matrix: the expected sum of `gain`; states that do not
/// `matter` have the value 0.
fn full_matrix(table: &MdpTable, policy: &[usize], matters: &[bool], gain: &[BigRational]) -> Vec<BigRational> {
    let count = table.states.len();
    let mut rows = vec![vec![BigRational::zero(); count + 1]; count];
    for (at, state) in rows.iter_mut().enumerate() {
        state[at] = BigRational::one();
        if !matters[at] {
            continue;
        }
        state[count] = gain[at].clone();
        if let Some(action) = table.states[at].actions.get(policy[at]) {
            for &to in &action.to {
                state[to as usize] -= ratio(1, action.to.len() as i64);
            }
        }
    }
    for column in 0..count {
        let pivot = (column..count).find(|&state| !rows[state][column].is_zero()).expect("it has one solution");
        rows.swap(column, pivot);
        let pivot = rows[column].clone();
        for (_, state) in rows.iter_mut().enumerate().filter(|(at, state)| *at != column && !state[column].is_zero()) {
            let factor = state[column].clone() / &pivot[column];
            state.iter_mut().zip(&pivot).for_each(|(cell, above)| *cell -= &factor * above);
        }
    }
    rows.iter().enumerate().map(|(at, state)| state[count].clone() / &state[at]).collect()
}

/// The states that reach an end of this label under a policy.
fn reaching(table: &MdpTable, policy: &[usize], label: &str) -> Vec<bool> {
    let is_end = |configuration: &MdpState| configuration.actions.is_empty() && configuration.label == label;
    let mut reaches: Vec<bool> = table.states.iter().map(is_end).collect();
    for _ in 0..reaches.len() {
        for (at, configuration) in table.states.iter().enumerate() {
            if let Some(action) = configuration.actions.get(policy[at]) {
                reaches[at] |= action.to.iter().any(|&to| reaches[to as usize]);
            }
        }
    }
    reaches
}

/// All memoryless policies.
fn policies(table: &MdpTable) -> Vec<Vec<usize>> {
    table.states.iter().fold(vec![Vec::new()], |all, configuration| {
        let choices = 0..configuration.actions.len().max(1);
        let longer = |policy: &Vec<usize>, choice| policy.iter().copied().chain([choice]).collect();
        all.iter().flat_map(|policy| choices.clone().map(move |choice| longer(policy, choice))).collect()
    })
}

fn widen(bounds: &mut BTreeMap<String, (BigRational, BigRational)>, name: &str, value: &BigRational) {
    let (least, greatest) = bounds.entry(name.into()).or_insert_with(|| (value.clone(), value.clone()));
    *least = value.clone().min(least.clone());
    *greatest = value.clone().max(greatest.clone());
}

/// Minimum and maximum of everything over all memoryless policies, of which one is optimal.
fn brute_force(table: &MdpTable) -> BTreeMap<String, (BigRational, BigRational)> {
    let mut bounds = BTreeMap::new();
    for policy in policies(table) {
        let mut over = BigRational::zero();
        for label in ["one", "two"] {
            let wins = |configuration: &MdpState| {
                if configuration.actions.is_empty() && configuration.label == label { ratio(1, 1) } else { ratio(0, 1) }
            };
            let gain: Vec<_> = table.states.iter().map(wins).collect();
            let found = full_matrix(table, &policy, &reaching(table, &policy, label), &gain).swap_remove(0);
            widen(&mut bounds, label, &found);
            over += found;
        }
        widen(&mut bounds, "running: forever", &(BigRational::one() - &over));
        if over.is_one() {
            let from_0 = |label| reaching(table, &policy, label);
            let matters: Vec<_> = from_0("one").into_iter().zip(from_0("two")).map(|(one, two)| one || two).collect();
            let cost = |(configuration, &chosen): (&MdpState, &usize)| {
                configuration.actions.get(chosen).map_or(ratio(0, 1), |action| ratio(action.sent.into(), 1))
            };
            let gain: Vec<_> = table.states.iter().zip(&policy).map(cost).collect();
            let means = full_matrix(table, &policy, &matters, &gain);
            widen(&mut bounds, "messages", &means[0]);
            // Of (c + X)^2, where c messages are sent now and X later: c^2 + 2cX, besides the square of X.
            let squares = gain.iter().enumerate().map(|(at, cost)| {
                let Some(action) = table.states[at].actions.get(policy[at]) else { return ratio(0, 1) };
                let later: BigRational = action.to.iter().map(|&to| &means[to as usize]).sum();
                cost * cost + ratio(2, action.to.len() as i64) * cost * later
            });
            let squares = full_matrix(table, &policy, &matters, &squares.collect::<Vec<_>>());
            widen(&mut bounds, "variance", &(&squares[0] - &means[0] * &means[0]));
        }
    }
    bounds
}

/// A few states, of which the last two are ends.
fn random_table(seed: u64) -> MdpTable {
    let mut state = seed;
    let mut below = |bound: u64| {
        state = mix(state.wrapping_add(0x9E37_79B9_7F4A_7C15));
        ((state >> 32) * bound) >> 32
    };
    let count = 2 + below(4);
    let configuration = |_| {
        let action = |_| MdpAction {
            to: (0..1 + below(3)).map(|_| below(count + 2) as u32).collect(),
            sent: below(3) as u32,
            ..MdpAction::default()
        };
        let actions = 1 + seed % 3;
        running(&(0..actions).map(action).collect::<Vec<_>>())
    };
    let mut states: Vec<_> = (0..count).map(configuration).collect();
    states.extend(["one", "two"].map(ended));
    MdpTable::new(states)
}

#[test]
fn small_random_processes_have_the_figures_of_the_best_and_worst_policies() {
    let (mut with_means, mut with_schedules, mut for_ever, mut with_variance) = (0, 0, 0, 0);
    for seed in 0..600 {
        let table = random_table(seed);
        let bounds = brute_force(&table);
        let probabilities = table.probabilities();
        for name in ["one", "two", "running: forever"] {
            let right = &bounds[name];
            match probabilities.endings.iter().find(|ending| ending.name == name) {
                Some(RunEnding { probability, .. }) => {
                    assert_eq!(
                        (&probability.least, &probability.greatest),
                        (&right.0, &right.1),
                        "{name} of table {seed}"
                    );
                    with_schedules += u64::from(probability.least != probability.greatest);
                }
                None => assert!(right.1.is_zero(), "{name} of table {seed}"),
            }
        }
        let right = &bounds["running: forever"];
        assert_eq!(probabilities.termination.least, BigRational::one() - &right.1, "table {seed}");
        assert_eq!(probabilities.termination.greatest, BigRational::one() - &right.0, "table {seed}");
        for_ever += u64::from(right.1.is_one());
        assert_eq!(probabilities.expected_costs.is_empty(), !right.1.is_zero(), "table {seed}");
        if right.1.is_zero() {
            let right = bounds["messages"].clone();
            assert_eq!(expected_cost(&probabilities, Measure::Messages), (right.0, Some(right.1)), "table {seed}");
            with_means += 1;
            if let Some(found) = variance(&probabilities, Measure::Messages) {
                let (least, greatest) = bounds["variance"].clone();
                assert_eq!(found, VarianceRange { least, greatest }, "table {seed}");
                with_variance += 1;
            }
        }
    }
    assert!(with_means > 100 && with_schedules > 100 && for_ever > 100, "{with_means} {with_schedules} {for_ever}");
    assert!(with_variance > 50, "{with_variance}");
}

/// A model in Storm's format as a table. Probabilities must be 1 or 0.5.
fn read_back(model: &ExplicitModel) -> MdpTable {
    let words = |line: &str| line.split(' ').map(str::to_string).collect::<Vec<_>>();
    let number = |word: &str| word.parse::<u32>().expect("a number");
    let text = model.transitions();
    let (first, transitions) = text.split_once('\n').expect("it has lines");
    assert_eq!(first, "mdp");
    let rewards: BTreeMap<Vec<u32>, u32> = model
        .rewards(Measure::Messages)
        .lines()
        .map(|line| line.split(' ').map(number).collect::<Vec<_>>())
        .map(|mut line| (line.drain(..3).collect(), line[0]))
        .collect();
    let labels = model.labels();
    let labels: BTreeMap<u32, Vec<String>> =
        labels.lines().skip(3).map(words).map(|line| (number(&line[0]), line[1..].to_vec())).collect();
    let initial = *labels.iter().find(|(_, names)| names.contains(&"init".to_string())).expect("there is one").0;
    // Brute force begins in state 0.
    let renamed = |state: u32| {
        if state == 0 {
            initial
        } else if state == initial {
            0
        } else {
            state
        }
    };
    let mut states: BTreeMap<u32, MdpState> = BTreeMap::new();
    for line in transitions.lines() {
        let [from, choice, to, probability] = words(line).try_into().expect("four words");
        let (from, choice, to) = (number(&from), number(&choice), number(&to));
        let is_ending = from == to && labels.get(&from).is_some_and(|names| !names.contains(&"init".to_string()));
        let label = |name: &str| labels.get(&from).is_some_and(|names| names.contains(&label_of(name)));
        let label = ["one", "two", "running: forever"].into_iter().find(|name| label(name)).unwrap_or("running");
        let state = states.entry(renamed(from)).or_insert_with(|| ended(label));
        if is_ending {
            continue;
        }
        state.actions.resize(state.actions.len().max(choice as usize + 1), MdpAction::default());
        let action = &mut state.actions[choice as usize];
        let weight = if probability == "1" { 2 } else { 1 };
        assert!(weight == 2 || probability == "0.5", "{probability}");
        action.to.extend([renamed(to)].repeat(weight));
        action.sent = rewards.get(&vec![from, choice, to]).copied().unwrap_or(0);
    }
    MdpTable::new(states.into_values().collect())
}

#[test]
fn an_exported_model_has_the_figures_of_its_best_and_worst_policies() {
    let (mut compared, mut with_means) = (0, 0);
    let of_halves =
        |table: &MdpTable| table.states.iter().flat_map(|state| &state.actions).all(|action| action.to.len() < 3);
    for table in (0..2000).map(random_table).filter(of_halves) {
        let found = table.probabilities();
        let right = brute_force(&read_back(found.model.as_ref().expect("it was explored")));
        for ending in found.endings.iter().filter(|ending| ["one", "two"].contains(&ending.name.as_str())) {
            assert_eq!(ending.probability.greatest, right[&ending.name].1);
            compared += 1;
        }
        if !found.expected_costs.is_empty() {
            let (least, greatest) = right["messages"].clone();
            assert_eq!(expected_cost(&found, Measure::Messages), (least, Some(greatest)));
            with_means += 1;
        }
    }
    assert!(compared > 100 && with_means > 30, "{compared} {with_means}");
}

#[test]
fn a_model_is_written_as_storm_reads_it() {
    // One action errs with probability 1/3, the other needs a message more and does not; two branches have one target.
    let actions = [action(&[1, 1, 2]), MdpAction { sent: 2, ..action(&[1]) }];
    let table = MdpTable::new(vec![running(&actions), ended("1 leader"), ended("2 leaders")]);
    let model = table.probabilities().model.expect("it was explored");
    let transitions = "mdp\n0 0 1 0.666666666666666666\n0 0 2 0.333333333333333333\n0 1 1 1\n1 0 3 1\n2 0 4 1\n\
                       3 0 3 1\n4 0 4 1\n";
    assert_eq!(model.transitions(), transitions);
    let labels = "#DECLARATION\ninit terminated error ending_1_leader ending_2_leaders\n#END\n0 init\n3 ending_1_leader terminated\n\
                  4 ending_2_leaders terminated error\n";
    assert_eq!(model.labels(), labels);
    assert_eq!(model.rewards(Measure::Messages), "0 0 1 1\n0 0 2 1\n0 1 1 2\n");
    assert_eq!(label_of("no stable result: forever"), "ending_no_stable_result_forever");
}
