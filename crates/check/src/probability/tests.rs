//! Chains and schedules worked out by hand, and small random ones against every policy that there is.

use std::collections::BTreeMap;

use ringleader_model::mix;

use super::*;
use crate::space::Standing;

/// A space written down as a table: a configuration is its index. Each thing that goes on is an [`Act`].
#[derive(Clone, Default)]
struct Table {
    configurations: Vec<Configuration>,
    beginnings: Vec<u32>,
}

#[derive(Clone, Default)]
struct Configuration {
    label: &'static str,
    owed: Vec<u32>,
    acts: Vec<Act>,
}

#[derive(Clone, Default)]
struct Act {
    free: bool,
    takes: Vec<u32>,
    /// Where to, all equally likely.
    to: Vec<u32>,
    /// Message passes, whatever comes of it.
    sent: u32,
    /// Whose phase grows.
    phases: Vec<Place>,
}

fn act(to: &[u32]) -> Act {
    Act { to: to.to_vec(), sent: 1, ..Act::default() }
}

fn running(acts: &[Act]) -> Configuration {
    Configuration { label: "running", owed: Vec::new(), acts: acts.to_vec() }
}

fn ended(label: &'static str) -> Configuration {
    Configuration { label, ..Configuration::default() }
}

impl Table {
    fn new(configurations: Vec<Configuration>) -> Self {
        Self { configurations, beginnings: vec![0] }
    }

    fn chances(&self) -> Chances {
        let chances = chances(&mut self.clone(), None, &PLENTY, &mut |_| true).expect("it has phases");
        assert_eq!(chances.ran_out, None);
        chances
    }
}

const PLENTY: Effort = Effort { states: 1_000_000, bytes: 1 << 30, threads: 1, reduce: false };

impl Space for Table {
    fn another(&self) -> Box<dyn Space> {
        Box::new(self.clone())
    }

    fn beginnings(&self) -> Vec<Vec<Number>> {
        self.beginnings.iter().map(|&number| vec![number]).collect()
    }

    fn ways(&mut self, row: &[Number], fingerprint: u64, ways: &mut Ways) {
        ways.clear();
        for (event, act) in self.configurations[row[0] as usize].acts.iter().enumerate() {
            for &to in &act.to {
                ways.change(0, to);
                act.takes.iter().for_each(|&thing| ways.take(thing));
                ways.end(row, fingerprint, (event as u32, act.to.len() as u32), act.sent, act.free);
            }
        }
    }

    fn standing(&mut self, row: &[Number]) -> Standing {
        Standing { violated: false, waiting: self.label(row) == "running" }
    }

    fn owed(&mut self, row: &[Number], owed: &mut Vec<u32>) {
        owed.clone_from(&self.configurations[row[0] as usize].owed);
    }

    fn complaint(&mut self, _: &[Number]) -> String {
        String::new()
    }
}

impl Ended for Table {
    fn is_timed(&self) -> bool {
        true
    }

    fn is_phased(&self) -> bool {
        true
    }

    fn places(&self) -> Place {
        3
    }

    fn label(&mut self, row: &[Number]) -> String {
        self.configurations[row[0] as usize].label.into()
    }

    fn advances(&mut self, row: &[Number], advances: &mut Vec<Advance>) {
        advances.clear();
        let acts = &self.configurations[row[0] as usize].acts;
        let phases = acts.iter().flat_map(|act| vec![&act.phases; act.to.len()]);
        for (way, phases) in phases.enumerate() {
            advances.extend(phases.iter().map(|&place| Advance { way, place, by: 1 }));
        }
    }
}

fn ratio(over: i64, under: i64) -> BigRational {
    BigRational::new(over.into(), under.into())
}

fn chance(least: (i64, i64), greatest: (i64, i64)) -> Chance {
    Chance { least: ratio(least.0, least.1), greatest: ratio(greatest.0, greatest.1) }
}

fn certain(over: i64, under: i64) -> Chance {
    chance((over, under), (over, under))
}

/// Names and chances of all endings.
fn endings(chances: &Chances) -> Vec<(&str, Chance)> {
    chances.endings.iter().map(|ending| (ending.name.as_str(), ending.chance.clone())).collect()
}

fn mean(chances: &Chances, measure: Measure) -> (BigRational, Option<BigRational>) {
    let found = chances.means.iter().find(|mean| mean.measure == measure).expect("it has a mean");
    (found.least.clone(), found.greatest.clone())
}

/// Whoever has i of N wins one or loses one, until all or nothing is left: rich with probability i/N, after i(N-i) games.
#[test]
fn a_fair_game_ruins_the_gambler_as_often_as_the_textbooks_say() {
    const ALL: u32 = 10;
    for has in 1..ALL {
        let mut table: Vec<_> = (0..=ALL).map(|i| running(&[act(&[i.wrapping_sub(1), i + 1])])).collect();
        table[0] = ended("poor");
        table[ALL as usize] = ended("rich");
        let chances = Table { configurations: table, beginnings: vec![has] }.chances();
        let (has, all) = (i64::from(has), i64::from(ALL));
        assert_eq!(endings(&chances), [("poor", certain(all - has, all)), ("rich", certain(has, all))]);
        assert_eq!((chances.scheduled, &chances.over), (false, &certain(1, 1)));
        let games = ratio(has * (all - has), 1);
        assert_eq!(mean(&chances, Measure::Messages), (games.clone(), Some(games)));
    }
}

/// With probability 1/3 to win: rich with probability (2^i - 1)/(2^N - 1). A thousand configurations, all in one component.
#[test]
fn an_unfair_game_of_a_thousand_is_exact() {
    let mut table: Vec<_> =
        (0..=1000u32).map(|i| running(&[act(&[i.wrapping_sub(1), i.wrapping_sub(1), i + 1])])).collect();
    table[0] = ended("poor");
    table[1000] = ended("rich");
    let chances = Table { configurations: table, beginnings: vec![990] }.chances();
    let power = |exponent: usize| num_traits::pow(ratio(2, 1), exponent) - BigRational::one();
    let rich = power(990) / power(1000);
    assert_eq!(chances.endings[1].chance, Chance { least: rich.clone(), greatest: rich });
}

/// \[KnuthYao1976\]: a die from coins, 11/3 in the mean.
#[test]
fn coins_make_a_die() {
    let mut table: Vec<_> =
        [[1, 2], [3, 4], [5, 6], [1, 7], [8, 9], [10, 11], [12, 2]].map(|to| running(&[act(&to)])).into();
    table.extend(["one", "two", "three", "four", "five", "six"].map(ended));
    let chances = Table::new(table).chances();
    assert_eq!(chances.endings.len(), 6);
    assert!(chances.endings.iter().all(|ending| ending.chance == certain(1, 6)));
    // The first flip takes the first instant, which is at time 0.
    assert_eq!(mean(&chances, Measure::Messages).0, ratio(11, 3));
    assert_eq!(mean(&chances, Measure::Time).0, ratio(8, 3));
}

#[test]
fn what_has_no_way_out_goes_on_for_ever_and_has_no_mean() {
    let table = vec![running(&[act(&[1, 3])]), running(&[act(&[2])]), running(&[act(&[1])]), ended("over")];
    let chances = Table::new(table).chances();
    assert_eq!(endings(&chances), [("over", certain(1, 2)), ("running: for ever", certain(1, 2))]);
    assert_eq!((chances.scheduled, &chances.over), (false, &certain(1, 2)));
    assert!(chances.means.is_empty());
    // What changes its label as it goes on has no label.
    let table = vec![running(&[act(&[1])]), Configuration { label: "walking", ..running(&[act(&[0])]) }];
    assert_eq!(endings(&Table::new(table).chances()), [("one thing after another: for ever", certain(1, 1))]);
}

/// Where a coin leaves a loop with any probability, it is left.
#[test]
fn a_loop_that_a_coin_leaves_is_left() {
    let table = vec![running(&[act(&[1])]), running(&[act(&[0, 0, 0, 2])]), ended("over")];
    let chances = Table::new(table).chances();
    assert_eq!(endings(&chances), [("over", certain(1, 1))]);
    assert_eq!(mean(&chances, Measure::Messages).0, ratio(8, 1));
}

/// A schedule may go back and forth between 0 and 1, or let a coin decide between winning and losing. Each of 0 and 1 can
/// get from the other whatever that has, so that iteration from above never leaves 1; right is 1/2.
fn trap(owed: &[u32], step: u32) -> Table {
    let step = Act { sent: step, ..act(&[1]) };
    let back = Act { to: vec![0], ..step.clone() };
    let decide = Act { takes: vec![7], ..act(&[2, 3]) };
    let with = |acts: &[Act]| Configuration { owed: owed.to_vec(), ..running(acts) };
    Table::new(vec![with(&[step, decide]), with(&[back]), ended("lost"), ended("won")])
}

#[test]
fn an_end_component_gains_nothing_by_going_round() {
    let chances = trap(&[], 1).chances();
    let expected = [
        ("lost", chance((0, 1), (1, 2))),
        ("running: for ever", chance((0, 1), (1, 1))),
        ("won", chance((0, 1), (1, 2))),
    ];
    assert_eq!(endings(&chances), expected);
    assert_eq!((chances.scheduled, &chances.over), (true, &chance((0, 1), (1, 1))));
    assert!(chances.means.is_empty());
}

/// If the coin is owed, it is thrown in the end; how long that takes is the schedule's business.
#[test]
fn what_is_owed_is_done_in_the_end() {
    let chances = trap(&[7], 1).chances();
    assert_eq!(endings(&chances), [("lost", certain(1, 2)), ("won", certain(1, 2))]);
    assert_eq!((chances.scheduled, &chances.over), (true, &certain(1, 1)));
    assert_eq!(mean(&chances, Measure::Messages), (ratio(1, 1), None));
    // If going round costs nothing there is nothing to gain by it.
    assert_eq!(mean(&trap(&[7], 0).chances(), Measure::Messages), (ratio(1, 1), Some(ratio(1, 1))));
    // What is owed in one of two places only does not have to be done: it can be had that it is not owed again and again.
    let mut now_and_then = trap(&[7], 1);
    now_and_then.configurations[1].owed.clear();
    assert_eq!(now_and_then.chances().over, chance((0, 1), (1, 1)));
    // Nor does what going round takes care of.
    let mut taken = trap(&[7], 1);
    taken.configurations[1].acts[0].takes.push(7);
    assert_eq!(taken.chances().over, chance((0, 1), (1, 1)));
}

/// Two coins one after the other; before the second, which has seen the first, a schedule may choose another game.
#[test]
fn a_schedule_sees_the_coins_that_fell_and_not_those_to_come() {
    let table = vec![
        running(&[act(&[1, 2])]),
        running(&[act(&[4, 3]), act(&[4, 4, 3])]),
        running(&[act(&[3]), act(&[4, 3, 3, 3])]),
        ended("lost"),
        ended("won"),
    ];
    let chances = Table::new(table).chances();
    // Won at most 1/2 of 2/3 and 1/2 of 1/4; at least 1/2 of 1/2 and nothing.
    assert_eq!(endings(&chances), [("lost", chance((13, 24), (3, 4))), ("won", chance((1, 4), (11, 24)))]);
    assert_eq!(mean(&chances, Measure::Messages), (ratio(2, 1), Some(ratio(2, 1))));
}

#[test]
fn what_is_free_need_not_happen_except_at_the_beginning() {
    let free = |to: &[u32]| Act { free: true, ..act(to) };
    let table = vec![running(&[free(&[1])]), running(&[free(&[2])]), ended("over")];
    let chances = Table::new(table).chances();
    assert_eq!(endings(&chances), [("over", chance((0, 1), (1, 1))), ("running: standstill", chance((0, 1), (1, 1)))]);
    assert_eq!(chances.over, certain(1, 1));
    assert_eq!(mean(&chances, Measure::Messages), (ratio(1, 1), Some(ratio(2, 1))));
    // To be idle is to be over, too.
    let table = vec![running(&[act(&[1])]), Configuration { label: "idle", ..running(&[free(&[1])]) }];
    assert_eq!(endings(&Table::new(table).chances()), [("idle", certain(1, 1))]);
}

#[test]
fn a_schedule_chooses_the_beginning() {
    let configurations = vec![running(&[act(&[2, 3])]), running(&[act(&[2, 2, 3])]), ended("lost"), ended("won")];
    let chances = Table { configurations, beginnings: vec![0, 1] }.chances();
    assert_eq!(endings(&chances), [("lost", chance((1, 2), (2, 3))), ("won", chance((1, 3), (1, 2)))]);
    assert_eq!(chances.progress.states, 4);
}

#[test]
fn phases_can_be_limited() {
    let again = Act { phases: vec![0], ..act(&[0, 0, 1, 1]) };
    let mut table = Table::new(vec![running(&[again]), ended("over")]);
    let chances = table.chances();
    assert_eq!((endings(&chances), mean(&chances, Measure::Phases).0), (vec![("over", certain(1, 1))], ratio(2, 1)));
    for last in 0..5 {
        let chances = super::chances(&mut table, Some(last), &PLENTY, &mut |_| true).expect("it has phases");
        let failed = certain(1, 1 << last);
        let over = certain((1 << last) - 1, 1 << last);
        let expected =
            if last == 0 { vec![("another phase", failed)] } else { vec![("another phase", failed), ("over", over)] };
        assert_eq!(endings(&chances), expected);
        assert_eq!(chances.over, certain((1 << last) - 1, 1 << last));
        assert!(chances.means.is_empty());
    }
}

/// Two take turns: one begins a phase, then the other the same one; it is over after any of the second's.
#[test]
fn phases_are_counted_once_however_many_begin_them() {
    let begins = |place, to: &[u32]| running(&[Act { phases: vec![place], ..act(to) }]);
    let chances = Table::new(vec![begins(0, &[1]), begins(1, &[0, 2]), ended("over")]).chances();
    assert_eq!((mean(&chances, Measure::Phases).0, mean(&chances, Measure::Messages).0), (ratio(2, 1), ratio(4, 1)));
    // One that stays behind for longer than is remembered does no harm, unless it goes on in the end.
    let long = |last| {
        let mut table: Vec<_> = (1..6).map(|next| begins(0, &[next])).collect();
        table.extend([begins(last, &[6]), ended("over")]);
        Table::new(table).chances()
    };
    assert_eq!(mean(&long(0), Measure::Phases).0, ratio(6, 1));
    assert_eq!(long(1).means.iter().map(|mean| mean.measure).collect::<Vec<_>>(), [Measure::Messages, Measure::Time]);
}

#[test]
fn what_is_too_large_says_what_ran_out() {
    let line = |count: u32| {
        let mut table: Vec<_> = (1..count).map(|next| running(&[act(&[next])])).collect();
        table.push(ended("over"));
        Table::new(table)
    };
    let ran_out = |effort: Effort, patience: u64| {
        let mut watch = |progress: &Progress| progress.states < patience;
        chances(&mut line(1000), None, &effort, &mut watch).expect("it has phases").ran_out
    };
    assert_eq!(ran_out(PLENTY, u64::MAX), None);
    assert_eq!(ran_out(Effort { states: 1000, ..PLENTY }, u64::MAX), None);
    assert_eq!(ran_out(Effort { states: 999, ..PLENTY }, u64::MAX), Some(RanOut::States));
    assert_eq!(ran_out(Effort { bytes: 1000, ..PLENTY }, u64::MAX), Some(RanOut::Memory));
    assert_eq!(ran_out(PLENTY, 500), Some(RanOut::Patience));
}

/// What one policy gets, by Gauss's elimination of a full matrix: the mean of what is gained before the end, where `gain`
/// is what each configuration gains; only those that `matter` gain anything in the end.
fn full_matrix(table: &Table, policy: &[usize], matters: &[bool], gain: &[BigRational]) -> Vec<BigRational> {
    let count = table.configurations.len();
    let mut rows = vec![vec![BigRational::zero(); count + 1]; count];
    for (at, row) in rows.iter_mut().enumerate() {
        row[at] = BigRational::one();
        if !matters[at] {
            continue;
        }
        row[count] = gain[at].clone();
        if let Some(act) = table.configurations[at].acts.get(policy[at]) {
            for &to in &act.to {
                row[to as usize] -= ratio(1, act.to.len() as i64);
            }
        }
    }
    for column in 0..count {
        let pivot = (column..count).find(|&row| !rows[row][column].is_zero()).expect("it has one solution");
        rows.swap(column, pivot);
        let pivot = rows[column].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(at, row)| *at != column && !row[column].is_zero()) {
            let factor = row[column].clone() / &pivot[column];
            row.iter_mut().zip(&pivot).for_each(|(cell, above)| *cell -= &factor * above);
        }
    }
    rows.iter().enumerate().map(|(at, row)| row[count].clone() / &row[at]).collect()
}

/// Which configurations can come to an end of this label under a policy.
fn reaching(table: &Table, policy: &[usize], label: &str) -> Vec<bool> {
    let is_end = |configuration: &Configuration| configuration.acts.is_empty() && configuration.label == label;
    let mut reaches: Vec<bool> = table.configurations.iter().map(is_end).collect();
    for _ in 0..reaches.len() {
        for (at, configuration) in table.configurations.iter().enumerate() {
            if let Some(act) = configuration.acts.get(policy[at]) {
                reaches[at] |= act.to.iter().any(|&to| reaches[to as usize]);
            }
        }
    }
    reaches
}

/// Every choice of an act for each configuration.
fn policies(table: &Table) -> Vec<Vec<usize>> {
    table.configurations.iter().fold(vec![Vec::new()], |all, configuration| {
        let choices = 0..configuration.acts.len().max(1);
        let longer = |policy: &Vec<usize>, choice| policy.iter().copied().chain([choice]).collect();
        all.iter().flat_map(|policy| choices.clone().map(move |choice| longer(policy, choice))).collect()
    })
}

fn widen(bounds: &mut BTreeMap<String, (BigRational, BigRational)>, name: &str, value: &BigRational) {
    let (least, greatest) = bounds.entry(name.into()).or_insert_with(|| (value.clone(), value.clone()));
    *least = value.clone().min(least.clone());
    *greatest = value.clone().max(greatest.clone());
}

/// Least and greatest of everything over every policy that remembers nothing, of which one is as good as any that does.
fn brute_force(table: &Table) -> BTreeMap<String, (BigRational, BigRational)> {
    let mut bounds = BTreeMap::new();
    for policy in policies(table) {
        let mut over = BigRational::zero();
        for label in ["one", "two"] {
            let wins = |configuration: &Configuration| {
                if configuration.acts.is_empty() && configuration.label == label { ratio(1, 1) } else { ratio(0, 1) }
            };
            let gain: Vec<_> = table.configurations.iter().map(wins).collect();
            let found = full_matrix(table, &policy, &reaching(table, &policy, label), &gain).swap_remove(0);
            widen(&mut bounds, label, &found);
            over += found;
        }
        widen(&mut bounds, "running: for ever", &(BigRational::one() - &over));
        if over.is_one() {
            let from_0 = |label| reaching(table, &policy, label);
            let matters: Vec<_> = from_0("one").into_iter().zip(from_0("two")).map(|(one, two)| one || two).collect();
            let cost = |(configuration, &chosen): (&Configuration, &usize)| {
                configuration.acts.get(chosen).map_or(ratio(0, 1), |act| ratio(act.sent.into(), 1))
            };
            let gain: Vec<_> = table.configurations.iter().zip(&policy).map(cost).collect();
            widen(&mut bounds, "messages", &full_matrix(table, &policy, &matters, &gain)[0]);
        }
    }
    bounds
}

/// A few configurations, of which the last two are ends.
fn random_table(seed: u64) -> Table {
    let mut state = seed;
    let mut below = |bound: u64| {
        state = mix(state.wrapping_add(0x9E37_79B9_7F4A_7C15));
        ((state >> 32) * bound) >> 32
    };
    let count = 2 + below(4);
    let configuration = |_| {
        let act = |_| Act {
            to: (0..1 + below(3)).map(|_| below(count + 2) as u32).collect(),
            sent: below(3) as u32,
            ..Act::default()
        };
        let acts = 1 + seed % 3;
        running(&(0..acts).map(act).collect::<Vec<_>>())
    };
    let mut configurations: Vec<_> = (0..count).map(configuration).collect();
    configurations.extend(["one", "two"].map(ended));
    Table::new(configurations)
}

#[test]
fn small_random_tables_have_the_figures_of_the_best_and_worst_policies() {
    let (mut with_means, mut with_schedules, mut for_ever) = (0, 0, 0);
    for seed in 0..600 {
        let table = random_table(seed);
        let bounds = brute_force(&table);
        let chances = table.chances();
        for name in ["one", "two", "running: for ever"] {
            let right = &bounds[name];
            match chances.endings.iter().find(|ending| ending.name == name) {
                Some(Ending { chance, .. }) => {
                    assert_eq!((&chance.least, &chance.greatest), (&right.0, &right.1), "{name} of table {seed}");
                    with_schedules += u64::from(chance.least != chance.greatest);
                }
                None => assert!(right.1.is_zero(), "{name} of table {seed}"),
            }
        }
        let right = &bounds["running: for ever"];
        assert_eq!(chances.over.least, BigRational::one() - &right.1, "table {seed}");
        assert_eq!(chances.over.greatest, BigRational::one() - &right.0, "table {seed}");
        for_ever += u64::from(right.1.is_one());
        assert_eq!(chances.means.is_empty(), !right.1.is_zero(), "table {seed}");
        if right.1.is_zero() {
            let right = bounds["messages"].clone();
            assert_eq!(mean(&chances, Measure::Messages), (right.0, Some(right.1)), "table {seed}");
            with_means += 1;
        }
    }
    assert!(with_means > 100 && with_schedules > 100 && for_ever > 100, "{with_means} {with_schedules} {for_ever}");
}
