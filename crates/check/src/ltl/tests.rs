//! The translation against the semantics on random words, and the product search against brute force on random graphs.

use std::sync::Arc;

use ringleader_model::Proposition;

use super::automaton::Automaton;
use super::judge::{FormulaResult, TranslatedFormula, judge};
use super::limit_deterministic::DeterministicPart;
use super::{BinaryOperator, Fairness, Formula, FormulaNode, NodeIndex, semantics};
use crate::answer::{CheckVerdict, Property};
use crate::checkpoint::WatchedSearch;
use crate::interner::Interned;
use crate::search::random_tests::{TestRng, random};
use crate::search::tests::{Graph, TestAction, effort};
use crate::transition_system::{MonitorStatus, Monitored, Successors, TransitionSystem};

/// The propositions of the tests: bits 0 to 2 of a node's letter.
const PROPOSITIONS: [Proposition; 3] = [Proposition::Elected, Proposition::Decided(0), Proposition::Decided(1)];

const OPERATORS: [BinaryOperator; 7] = [
    BinaryOperator::Until,
    BinaryOperator::Release,
    BinaryOperator::WeakUntil,
    BinaryOperator::And,
    BinaryOperator::Or,
    BinaryOperator::Implies,
    BinaryOperator::Iff,
];

fn formula(text: &str) -> Formula {
    text.parse().expect("it is a formula")
}

/// A random formula, at most so deep.
fn random_formula(rng: &mut TestRng, quiescence: bool) -> Formula {
    let mut nodes = Vec::new();
    grow(rng, 3, quiescence, &mut nodes);
    Formula { nodes }
}

fn grow(rng: &mut TestRng, depth: u32, quiescence: bool, nodes: &mut Vec<FormulaNode>) -> NodeIndex {
    let node = match rng.roll(8) {
        _ if depth == 0 && quiescence && rng.one_in(3) => FormulaNode::Proposition(Proposition::Quiescent),
        0 if rng.one_in(8) => FormulaNode::Constant(rng.one_in(2)),
        kind if depth == 0 || kind == 0 => FormulaNode::Proposition(PROPOSITIONS[rng.roll(3) as usize]),
        1 => FormulaNode::Not(grow(rng, depth - 1, quiescence, nodes)),
        2 => FormulaNode::Always(grow(rng, depth - 1, quiescence, nodes)),
        3 => FormulaNode::Eventually(grow(rng, depth - 1, quiescence, nodes)),
        _ => {
            let left = grow(rng, depth - 1, quiescence, nodes);
            let right = grow(rng, depth - 1, quiescence, nodes);
            FormulaNode::Binary(OPERATORS[rng.roll(7) as usize], left, right)
        }
    };
    nodes.push(node);
    (nodes.len() - 1) as NodeIndex
}

/// A word: letters, of which those from an index on repeat.
fn random_word(rng: &mut TestRng) -> (Vec<u64>, usize) {
    let letters: Vec<u64> = (0..1 + rng.roll(6)).map(|_| rng.roll(8).into()).collect();
    let cycle = rng.roll(letters.len() as u32) as usize;
    (letters, cycle)
}

/// The letters for the propositions of a formula, of letters with a bit for each of [`PROPOSITIONS`].
fn projected(letters: &[u64], propositions: &[Proposition]) -> Vec<u64> {
    let bit = |letter: u64, one: &Proposition| {
        PROPOSITIONS.iter().position(|other| other == one).map_or(0, |index| letter >> index & 1)
    };
    let project = |&letter: &u64| (0..).zip(propositions).map(|(to, one)| bit(letter, one) << to).sum();
    letters.iter().map(project).collect()
}

/// By definition: states and positions that are reached, and an accepting one that reaches itself.
fn accepts(automaton: &Automaton, letters: &[u64], cycle: usize) -> bool {
    let next = |at: usize| if at + 1 < letters.len() { at + 1 } else { cycle };
    let after = |(state, at): (u32, usize)| {
        let edges = automaton.states[state as usize].edges.iter().filter(move |edge| edge.reads(letters[at]));
        edges.map(|edge| (edge.to, next(at))).collect::<Vec<_>>()
    };
    let reached = |from: (u32, usize)| {
        let mut reached: Vec<(u32, usize)> = Vec::new();
        let mut open = after(from);
        while let Some(one) = open.pop() {
            if !reached.contains(&one) {
                reached.push(one);
                open.extend(after(one));
            }
        }
        reached
    };
    reached((0, 0)).into_iter().any(|one| automaton.states[one.0 as usize].accepting && reached(one).contains(&one))
}

/// The same by the limit-deterministic automaton.
fn accepts_in_the_limit(automaton: &Automaton, letters: &[u64], cycle: usize) -> bool {
    let next = |at: usize| if at + 1 < letters.len() { at + 1 } else { cycle };
    let mut part = DeterministicPart::new(Arc::new(automaton.clone()));
    let (mut open, mut reached) = (vec![(0, 0)], Vec::new());
    while let Some((state, at)) = open.pop() {
        if reached.contains(&(state, at)) {
            continue;
        }
        reached.push((state, at));
        let own = &automaton.states[state as usize];
        open.extend(own.edges.iter().filter(|edge| edge.reads(letters[at])).map(|edge| (edge.to, next(at))));
        if !own.accepting {
            continue;
        }
        let (mut followed, mut here): (Vec<(Interned, usize)>, _) = (Vec::new(), Some((part.entry(state), at)));
        while let Some(one) = here {
            if let Some(begin) = followed.iter().position(|other| *other == one) {
                if followed[begin..].iter().any(|(state, _)| part.is_accepting(*state)) {
                    return true;
                }
                break;
            }
            followed.push(one);
            here = part.successor(one.0, letters[one.1]).map(|state| (state, next(one.1)));
        }
    }
    false
}

#[test]
fn hand_worked_words() {
    let word = |letters: &[u64], cycle: usize, text: &str| {
        let formula = formula(text);
        semantics::satisfies(&formula, &formula.propositions(), &projected(letters, &formula.propositions()), cycle)
    };
    // a, b, nothing, nothing, …
    let once = (&[1, 2, 0][..], 2);
    assert!(word(once.0, once.1, "elected") && word(once.0, once.1, "elected U decided(0)"));
    assert!(word(once.0, once.1, "F decided(0)") && !word(once.0, once.1, "GF decided(0)"));
    assert!(word(once.0, once.1, "FG !elected") && !word(once.0, once.1, "G(decided(0) -> F elected)"));
    // a and b in turn, forever.
    let turns = (&[1, 2][..], 0);
    assert!(word(turns.0, turns.1, "GF elected & GF decided(0) & !FG elected"));
    assert!(word(turns.0, turns.1, "G(elected <-> !decided(0))"));
    assert!(word(turns.0, turns.1, "(elected | decided(0)) W decided(1)"));
    assert!(!word(turns.0, turns.1, "(elected | decided(0)) U decided(1)"));
    assert!(word(turns.0, turns.1, "decided(1) R (elected | decided(0))"));
    assert!(!word(turns.0, turns.1, "decided(0) R elected"), "b releases a only together with it");
}

#[test]
fn automata_accept_the_words_that_violate_their_formulas() {
    let rng = &mut TestRng(7 << 32);
    let (mut both, mut universal) = ([0; 2], 0);
    for _ in 0..3_000 {
        let formula = random_formula(rng, false);
        let automaton = Automaton::of_negation(&formula).expect("it is small");
        universal += usize::from(automaton.states.iter().any(|state| state.is_universal));
        let again: Formula = formula.to_string().parse().expect("what is written is read");
        for _ in 0..12 {
            let (letters, cycle) = random_word(rng);
            let satisfied = |formula: &Formula| {
                let propositions = formula.propositions();
                semantics::satisfies(formula, &propositions, &projected(&letters, &propositions), cycle)
            };
            let expected = satisfied(&formula);
            assert_eq!(satisfied(&again), expected, "{formula}");
            let letters = projected(&letters, &automaton.propositions);
            assert_eq!(accepts(&automaton, &letters, cycle), !expected, "{formula} {letters:?} {cycle}");
            assert_eq!(accepts_in_the_limit(&automaton, &letters, cycle), !expected, "{formula} {letters:?} {cycle}");
            both[usize::from(expected)] += 1;
        }
    }
    assert!(both.iter().all(|&count| count > 5_000) && universal > 500, "{both:?} {universal}");
}

#[test]
fn automata_of_common_formulas_are_small() {
    // Hand-drawn: the initial state, and one for each promise that is kept open or met.
    for (text, most) in [
        ("G elected", 3),
        ("F elected", 2),
        ("GF elected", 3),
        ("FG elected", 3),
        ("G(elected -> F decided(0))", 3),
        ("GF elected -> GF decided(0)", 5),
    ] {
        let automaton = Automaton::of_negation(&formula(text)).expect("it is small");
        assert!(automaton.states.len() <= most, "{text}: {automaton:?}");
    }
    let large = (0..40).map(|place| format!("GF decided({place})")).collect::<Vec<_>>().join(" | ");
    assert!(Automaton::of_negation(&formula(&large)).is_err());
}

/// A graph whose nodes satisfy propositions.
#[derive(Clone, Debug)]
struct Labelled {
    graph: Graph,
    /// By node.
    letters: Vec<u64>,
}

impl Labelled {
    fn random(rng: &mut TestRng, coins: bool) -> Self {
        let mut graph = random(rng);
        graph.nodes.truncate(5);
        let count = graph.nodes.len() as u32;
        graph.initial_states.iter_mut().for_each(|node| *node %= count);
        for node in &mut graph.nodes {
            node.violated = false;
            for action in &mut node.actions {
                if !coins {
                    action.outcomes.truncate(1);
                }
                action.outcomes.iter_mut().for_each(|outcome| outcome.0 %= count);
            }
            // What is pending could happen.
            if node.actions.iter().all(|action| action.optional) {
                node.pending.clear();
            }
        }
        let letters = graph.nodes.iter().map(|_| rng.roll(8).into()).collect();
        Self { graph, letters }
    }

    fn is_quiescent(&self, node: u32) -> bool {
        self.graph.nodes[node as usize].actions.iter().all(|action| action.optional)
    }

    /// The letter of a node for a formula, in the beginning or later.
    fn letter(&self, node: u32, first: bool, propositions: &[Proposition]) -> u64 {
        let nothing = self.graph.nodes[node as usize].actions.is_empty();
        let quiescent = self.is_quiescent(node) && (!first || nothing);
        let bit = propositions.iter().position(|&one| one == Proposition::Quiescent);
        let own = projected(&[self.letters[node as usize]], propositions)[0];
        own | bit.map_or(0, |bit| u64::from(quiescent) << bit)
    }

    /// The actions of a node, with that of staying where a run may end.
    fn actions(&self, node: u32, first: bool) -> Vec<TestAction> {
        let mut actions = self.graph.nodes[node as usize].actions.clone();
        if self.is_quiescent(node) && (!first || actions.is_empty()) {
            actions.push(TestAction { optional: true, outcomes: vec![(node, 0, Vec::new())] });
        }
        actions
    }
}

impl TransitionSystem for Labelled {
    fn fork(&self) -> Box<dyn TransitionSystem> {
        Box::new(self.clone())
    }

    fn initial_states(&self) -> Vec<Vec<u32>> {
        self.graph.initial_states()
    }

    fn successors(&mut self, state: &[u32], own: u64, successors: &mut Successors) {
        self.graph.successors(state, own, successors);
    }

    fn pending(&mut self, state: &[u32], pending: &mut Vec<u32>) {
        self.graph.pending(state, pending);
    }
}

impl Monitored for Labelled {
    fn monitor_status(&mut self, state: &[u32]) -> MonitorStatus {
        self.graph.monitor_status(state)
    }

    fn diagnosis(&mut self, state: &[u32]) -> String {
        self.graph.diagnosis(state)
    }

    fn monitor_entry(&self) -> usize {
        1
    }

    fn satisfied(&mut self, node: Interned, propositions: &[Proposition]) -> u64 {
        projected(&[self.letters[node as usize]], propositions)[0]
    }
}

fn judged(graph: &Labelled, formula: &Formula, fairness: Fairness, threads: usize) -> FormulaResult {
    let automaton = Arc::new(Automaton::of_negation(formula).expect("it is small"));
    let translated = TranslatedFormula { formula: formula.clone(), automaton, fairness };
    let result = judge((3, &translated), graph, false, &effort(threads, true), &mut WatchedSearch::new(&mut |_| true));
    assert!(result.ran_out.is_none() && result.judgement.property == Property::Formula(3));
    assert_eq!(result.judgement.verdict == CheckVerdict::Violated, result.violation.is_some());
    result
}

/// A lasso of a graph without random choices: its nodes, each with the discharges of the step from there; the last node is
/// that at which the cycle begins.
struct PeriodicRun<'a> {
    graph: &'a Labelled,
    nodes: Vec<u32>,
    discharges: Vec<Vec<u32>>,
    cycle: usize,
}

impl PeriodicRun<'_> {
    fn is_fair(&self, fairness: Fairness) -> bool {
        let steps = self.nodes[self.cycle..self.nodes.len() - 1].iter().zip(&self.discharges[self.cycle..]);
        (0..2).all(|obligation: u32| {
            let pending = |node: u32| self.graph.graph.nodes[node as usize].pending.contains(&obligation);
            let discharged = steps.clone().any(|(_, discharges)| discharges.contains(&obligation));
            match fairness {
                Fairness::None => true,
                Fairness::Weak => discharged || steps.clone().any(|(&node, _)| !pending(node)),
                Fairness::Strong => discharged || !steps.clone().any(|(&node, _)| pending(node)),
            }
        })
    }

    /// The last node, as it is visited again, takes part in the word: the first one of a run is special.
    fn satisfies(&self, formula: &Formula) -> bool {
        let propositions = formula.propositions();
        let letter = |(index, &node): (usize, &u32)| self.graph.letter(node, index == 0, &propositions);
        let letters: Vec<u64> = self.nodes.iter().enumerate().map(letter).collect();
        semantics::satisfies(formula, &propositions, &letters, self.cycle + 1)
    }
}

/// Calls `visit` with every lasso of at most so many steps that begins with some nodes; returns true if one call does.
fn any_lasso<'a>(
    graph: &'a Labelled,
    (nodes, discharges): (Vec<u32>, Vec<Vec<u32>>),
    steps: usize,
    visit: &mut dyn FnMut(&PeriodicRun<'a>) -> bool,
) -> bool {
    let Some(&last) = nodes.last() else { return false };
    for (cycle, _) in nodes[..nodes.len() - 1].iter().enumerate().filter(|(_, node)| **node == last) {
        let lasso = PeriodicRun { graph, nodes: nodes.clone(), discharges: discharges.clone(), cycle };
        if visit(&lasso) {
            return true;
        }
    }
    steps > 0
        && graph.actions(last, nodes.len() == 1).into_iter().any(|action| {
            let (to, _, own) = action.outcomes[0].clone();
            let longer = ([&nodes[..], &[to]].concat(), [&discharges[..], &[own]].concat());
            any_lasso(graph, longer, steps - 1, visit)
        })
}

/// Asserts that a counterexample is a fair run that violates the formula.
#[track_caller]
fn must_violate(graph: &Labelled, formula: &Formula, fairness: Fairness, result: &FormulaResult) {
    let Some(violation) = &result.violation else { return };
    let nodes: Vec<u32> = violation.states.iter().map(|state| state[1]).collect();
    assert!(graph.graph.initial_states.contains(&nodes[0]));
    let mut discharges = Vec::new();
    for (pair, &transition) in nodes.windows(2).zip(&violation.transitions) {
        let outcomes = graph.graph.nodes[pair[0] as usize].actions.iter().flat_map(|action| &action.outcomes);
        let (to, _, own) = outcomes.clone().nth(transition).expect("it is a transition");
        assert_eq!(*to, pair[1]);
        discharges.push(own.clone());
    }
    let fails = |lasso: &PeriodicRun<'_>| !lasso.satisfies(formula);
    match (violation.cycle_start, violation.livelock) {
        (Some(cycle), _) => {
            let lasso = PeriodicRun { graph, nodes, discharges, cycle };
            assert!(lasso.is_fair(fairness) && fails(&lasso), "{formula} {graph:?} {:?}", violation.states);
        }
        (None, true) => {
            let last = *nodes.last().expect("it has an initial state");
            assert!(graph.is_quiescent(last));
            let cycle = nodes.len() - 1;
            let (nodes, discharges) = ([&nodes[..], &[last]].concat(), [&discharges[..], &[Vec::new()]].concat());
            assert!(fails(&PeriodicRun { graph, nodes, discharges, cycle }), "{formula} {graph:?}");
        }
        // Whatever follows.
        (None, false) => {
            let mut other = None;
            any_lasso(graph, (nodes, discharges), 4, &mut |lasso| {
                let satisfied = lasso.satisfies(formula);
                other = other.take().or(satisfied.then(|| lasso.nodes.clone()));
                satisfied
            });
            assert_eq!(other, None, "{formula} {graph:?}");
        }
    }
}

#[test]
fn product_search_agrees_with_all_short_lassos() {
    let rng = &mut TestRng(8 << 32);
    let mut counts = [[0; 2]; Fairness::ALL.len()];
    for round in 0..1_500 {
        let graph = Labelled::random(rng, false);
        let formula = random_formula(rng, round % 3 == 0);
        for fairness in Fairness::ALL {
            let result = judged(&graph, &formula, fairness, 1 + round % 2);
            must_violate(&graph, &formula, fairness, &result);
            let violated = graph.graph.initial_states.iter().any(|&first| {
                any_lasso(&graph, (vec![first], Vec::new()), 6, &mut |lasso| {
                    lasso.is_fair(fairness) && !lasso.satisfies(&formula)
                })
            });
            assert!(!violated || result.violation.is_some(), "{formula} {fairness} {graph:?}");
            counts[fairness as usize][usize::from(result.violation.is_some())] += 1;
        }
    }
    assert!(counts.iter().flatten().all(|&count| count > 250), "{counts:?}");
}

/// Verdicts by the definition of end components, over all sets of nodes.
struct BruteForce<'a> {
    graph: &'a Labelled,
    fairness: Fairness,
}

impl BruteForce<'_> {
    fn is(&self, node: u32, bit: u32) -> bool {
        self.graph.letters[node as usize] >> bit & 1 == 1
    }

    /// The nodes that a run can be in after a path from these nodes, through nodes that satisfy `through`, all of them
    /// included; each with whether the run only begins.
    fn reached(&self, from: &[(u32, bool)], through: &dyn Fn(u32) -> bool) -> Vec<(u32, bool)> {
        let mut reached: Vec<(u32, bool)> = Vec::new();
        let mut open = from.to_vec();
        while let Some((node, first)) = open.pop() {
            if !through(node) || reached.contains(&(node, first)) {
                continue;
            }
            reached.push((node, first));
            let actions = self.graph.actions(node, first);
            open.extend(actions.iter().flat_map(|action| &action.outcomes).map(|(to, ..)| (*to, false)));
        }
        reached
    }

    /// True if one of these nodes is in a fair end component all of whose nodes satisfy `all`, and for each of `some` a
    /// node satisfies it.
    fn stays(&self, from: &[(u32, bool)], all: &dyn Fn(u32) -> bool, some: &[&dyn Fn(u32) -> bool]) -> bool {
        let count = self.graph.letters.len() as u32;
        (1u32..1 << count).any(|set| {
            let members: Vec<u32> = (0..count).filter(|node| set >> node & 1 == 1).collect();
            members.iter().any(|&node| from.contains(&(node, false)))
                && members.iter().all(|&node| all(node))
                && some.iter().all(|one| members.iter().any(|&node| one(node)))
                && self.is_fair_end_component(set, &members)
        })
    }

    fn is_fair_end_component(&self, set: u32, members: &[u32]) -> bool {
        let is_in = |node: u32| set >> node & 1 == 1;
        let usable = |node: u32| {
            let mut actions = self.graph.actions(node, false);
            actions.retain(|action| action.outcomes.iter().all(|(to, ..)| is_in(*to)));
            actions.into_iter().flat_map(|action| action.outcomes).collect::<Vec<_>>()
        };
        let connected = members.iter().all(|&from| {
            let (mut reached, mut open) = (0u32, vec![from]);
            while let Some(node) = open.pop() {
                for (to, ..) in usable(node) {
                    if reached >> to & 1 == 0 {
                        reached |= 1 << to;
                        open.push(to);
                    }
                }
            }
            reached == set
        });
        connected
            && (0..2).all(|obligation| {
                let pending = |node: &u32| self.graph.graph.nodes[*node as usize].pending.contains(&obligation);
                let discharged =
                    members.iter().any(|&node| usable(node).iter().any(|(.., own)| own.contains(&obligation)));
                match self.fairness {
                    Fairness::None => true,
                    Fairness::Weak => discharged || !members.iter().all(pending),
                    Fairness::Strong => discharged || !members.iter().any(pending),
                }
            })
    }

    /// Whether some scheduler violates a formula with a positive probability, worked out by hand for each formula. a, b and c
    /// are the propositions.
    fn violates(&self, number: usize) -> bool {
        let [a, b, c] = [0, 1, 2].map(|bit| move |node: u32| self.is(node, bit));
        let anything = |_: u32| true;
        let begin: Vec<_> = self.graph.graph.initial_states.iter().map(|&node| (node, true)).collect();
        let reachable = self.reached(&begin, &anything);
        match number {
            // G a, by F ¬a
            0 => reachable.iter().any(|&(node, _)| !a(node)),
            // F a, by G ¬a
            1 => self.stays(&self.reached(&begin, &|node| !a(node)), &|node| !a(node), &[]),
            // GF a, by FG ¬a
            2 => self.stays(&reachable, &|node| !a(node), &[]),
            // FG a, by GF ¬a
            3 => self.stays(&reachable, &anything, &[&|node| !a(node)]),
            // G(a -> F b), by F(a & G ¬b)
            4 => {
                let asking: Vec<_> = reachable.into_iter().filter(|&(node, _)| a(node)).collect();
                self.stays(&self.reached(&asking, &|node| !b(node)), &|node| !b(node), &[])
            }
            // GF a -> GF b, by GF a & FG ¬b
            5 => self.stays(&reachable, &|node| !b(node), &[&a]),
            // GF a | FG b, by FG ¬a & GF ¬b
            6 => self.stays(&reachable, &|node| !a(node), &[&|node| !b(node)]),
            // FG a | FG b, by GF ¬a & GF ¬b
            7 => self.stays(&reachable, &anything, &[&|node| !a(node), &|node| !b(node)]),
            // (GF a & GF b) -> GF c, by GF a & GF b & FG ¬c
            _ => self.stays(&reachable, &|node| !c(node), &[&a, &b]),
        }
    }
}

const HAND_WORKED: [&str; 9] = [
    "G elected",
    "F elected",
    "GF elected",
    "FG elected",
    "G(elected -> F decided(0))",
    "GF elected -> GF decided(0)",
    "GF elected | FG decided(0)",
    "FG elected | FG decided(0)",
    "GF elected & GF decided(0) -> GF decided(1)",
];

#[test]
fn random_choices_are_neither_guessed_nor_chosen_by_the_scheduler() {
    let rng = &mut TestRng(9 << 32);
    let mut counts = [[0; 2]; HAND_WORKED.len()];
    for round in 0..1_000 {
        let graph = Labelled::random(rng, true);
        for (number, text) in HAND_WORKED.iter().enumerate() {
            for fairness in Fairness::ALL {
                let result = judged(&graph, &formula(text), fairness, 1 + round % 2);
                let expected = BruteForce { graph: &graph, fairness }.violates(number);
                assert_eq!(result.violation.is_some(), expected, "{text} {fairness} {graph:?}");
                counts[number][usize::from(expected)] += 1;
            }
        }
    }
    assert!(counts.iter().flatten().all(|&count| count > 50), "{counts:?}");
}

#[test]
fn what_is_wrong_with_a_text_is_said_with_its_column() {
    let wrong = |text: &str| {
        let bad = text.parse::<Formula>().expect_err("it is no formula");
        (bad.wrong, bad.allowed)
    };
    let (told, allowed) = wrong("G(tryng(1))");
    assert_eq!(told, "has no observation 'tryng' at column 3; did you mean 'trying'?\n  G(tryng(1))\n    ^");
    assert!(allowed.contains("trying(PLACE)") && allowed.contains("->"), "{allowed}");
    let (told, allowed) = wrong("F critical");
    assert_eq!(
        (told.lines().next(), allowed.as_str()),
        (Some("has 'critical' in another form at column 3"), "critical(PLACE)")
    );
    assert!(wrong("X elected").0.starts_with("has the next operator X at column 1; it depends on the order of"));
    assert!(wrong("elected U").0.starts_with("ends too early at column 10"));
    assert!(wrong("").0.starts_with("ends too early at column 1"));
    assert!(wrong("(elected").0.starts_with("ends too early at column 9"));
    assert!(wrong("elected)").0.starts_with("has a ')' that nothing opens at column 8"));
    assert!(wrong("elected elected").0.starts_with("has something else at column 9"));
    assert!(wrong("elected # elected").0.starts_with("has '#' at column 9"));
    assert!(wrong("leader(99999999999999999999)").0.starts_with("has a number that is too large at column 8"));
    assert!(wrong("decided(4294967296)").0.starts_with("has 'decided' in another form"));
    assert!(wrong(&"!".repeat(1_000)).0.starts_with("is nested too deeply at column 51"));
    assert!(wrong(&"(".repeat(100_000)).0.starts_with("is nested too deeply"));
    assert!(wrong(&vec!["elected"; 1_000].join(" & ")).0.starts_with("is too long"));
    assert!(wrong(&vec!["elected"; 1_000].join(" -> ")).0.starts_with("is nested too deeply"));
}

#[test]
fn operators_bind_as_in_the_textbooks() {
    for (text, meant) in [
        ("!elected U decided(0) & decided(1)", "(!elected U decided(0)) & decided(1)"),
        ("elected -> decided(0) -> decided(1)", "elected -> (decided(0) -> decided(1))"),
        ("elected & decided(0) | decided(1) <-> elected", "((elected & decided(0)) | decided(1)) <-> elected"),
        ("[]<>elected", "G F elected"),
        ("GFelected", ""),
        ("FG elected && true || false", "((F G elected) & true) | false"),
        ("elected U decided(0) U decided(1)", "elected U (decided(0) U decided(1))"),
        ("G elected -> F decided(0)", "(G elected) -> (F decided(0))"),
    ] {
        if meant.is_empty() {
            assert!(text.parse::<Formula>().is_err(), "{text}");
        } else {
            assert_eq!(formula(text), formula(meant), "{text}");
            assert_eq!(formula(&formula(text).to_string()), formula(text));
        }
    }
}
