//! The Büchi automaton of a negated formula, by the tableau method of Gerth, Peled, Vardi and Wolper
//! \[GerthPeledVardiWolper1995\], with acceptance on transitions \[Couvreur1999\].
//!
//! The negation normal form has literals, ∧, ∨, U and R only. A state of the tableau is a set of formulas that the rest of the
//! word must satisfy. It is expanded by the laws a U b = b ∨ (a ∧ X(a U b)) and a R b = b ∧ (a ∨ X(a R b)) into
//! alternatives: literals of the first letter, and the set for the rest. An alternative *postpones* a U b if it does not
//! choose b. A run is accepting if every U is not postponed infinitely often. These conditions, one for each U, are met
//! one after the other (degeneralisation), so that one set of accepting states remains.
//!
//! In the state without formulas every word is accepted: who reaches it has seen a *bad prefix* of the original formula.

use ringleader_model::Proposition;

use super::{BinaryOperator, Formula, FormulaNode};
use crate::interner::Map;

/// A set of formulas in negation normal form, as bits.
type FormulaSet = u128;

/// The greatest number of formulas in negation normal form.
const MAX_FORMULAS: usize = 128;
/// The greatest number of states.
const MAX_STATES: usize = 1 << 12;
/// The greatest number of alternatives of a state, unfinished ones included.
const MAX_ALTERNATIVES: usize = 1 << 14;

/// The formula is too large to be translated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TooLarge;

/// A formula in negation normal form, by the indices of its parts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Nnf {
    True,
    False,
    Literal { proposition: u8, positive: bool },
    And(u8, u8),
    Or(u8, u8),
    Until(u8, u8),
    Release(u8, u8),
}

/// The state of an automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct AutomatonState {
    pub(crate) accepting: bool,
    /// It accepts whatever follows.
    pub(crate) is_universal: bool,
    pub(crate) edges: Vec<AutomatonEdge>,
}

/// A transition of an automaton: it reads all letters with certain literals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct AutomatonEdge {
    /// Propositions that must be true, and false, as bits.
    positive: u64,
    negative: u64,
    pub(crate) to: u32,
}

impl AutomatonEdge {
    /// Whether it reads a letter.
    #[inline]
    pub(crate) fn reads(&self, letter: u64) -> bool {
        letter & self.positive == self.positive && letter & self.negative == 0
    }
}

/// A Büchi automaton over letters with a bit for each proposition. State 0 is initial.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Automaton {
    pub(crate) states: Vec<AutomatonState>,
    pub(crate) propositions: Vec<Proposition>,
}

impl Automaton {
    /// Accepts the words that do not satisfy a formula.
    pub(crate) fn of_negation(formula: &Formula) -> Result<Self, TooLarge> {
        let propositions = formula.propositions();
        let mut tableau = Tableau { formulas: Vec::new(), numbers: Map::default() };
        let root = tableau.normal_form(formula, &propositions)?;
        let mut states = tableau.states(1 << root)?;
        while merge_equal(&mut states) {}
        Ok(Self { states, propositions })
    }
}

/// Merges states with the same edges; returns true if there are such.
fn merge_equal(states: &mut Vec<AutomatonState>) -> bool {
    let mut kept: Vec<AutomatonState> = Vec::new();
    let mut numbers = Vec::new();
    for state in states.iter() {
        let number = kept.iter().position(|other| other == state).unwrap_or_else(|| {
            kept.push(state.clone());
            kept.len() - 1
        });
        numbers.push(number as u32);
    }
    let merged = kept.len() < states.len();
    for state in &mut kept {
        for edge in &mut state.edges {
            edge.to = numbers[edge.to as usize];
        }
        state.edges.sort_unstable();
        state.edges.dedup();
    }
    *states = kept;
    merged
}

/// The formulas of a tableau.
struct Tableau {
    formulas: Vec<Nnf>,
    numbers: Map<Nnf, u8>,
}

/// An alternative in the expansion of a set of formulas.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Alternative {
    positive: u64,
    negative: u64,
    /// What the rest of the word must satisfy.
    next: FormulaSet,
    /// The formulas a U b that it postpones.
    postponed: FormulaSet,
    /// What the word must satisfy and was not expanded yet.
    open: FormulaSet,
}

impl Alternative {
    /// Whether every word that another one accepts is accepted by this one, too.
    fn covers(&self, other: &Self) -> bool {
        let within = |one: FormulaSet, other: FormulaSet| one & !other == 0;
        self.positive & !other.positive == 0
            && self.negative & !other.negative == 0
            && within(self.next, other.next)
            && within(self.postponed, other.postponed)
    }
}

impl Tableau {
    fn number(&mut self, formula: Nnf) -> Result<u8, TooLarge> {
        let formula = match formula {
            Nnf::And(a, b) | Nnf::Or(a, b) if a == b => return Ok(a),
            Nnf::And(a, b) => match (self.formulas[a as usize], self.formulas[b as usize]) {
                (Nnf::True, _) | (_, Nnf::False) => return Ok(b),
                (_, Nnf::True) | (Nnf::False, _) => return Ok(a),
                _ => formula,
            },
            Nnf::Or(a, b) => match (self.formulas[a as usize], self.formulas[b as usize]) {
                (Nnf::False, _) | (_, Nnf::True) => return Ok(b),
                (_, Nnf::False) | (Nnf::True, _) => return Ok(a),
                _ => formula,
            },
            Nnf::Until(_, b) | Nnf::Release(_, b) => match self.formulas[b as usize] {
                Nnf::True | Nnf::False => return Ok(b),
                _ => formula,
            },
            Nnf::True | Nnf::False | Nnf::Literal { .. } => formula,
        };
        if let Some(&number) = self.numbers.get(&formula) {
            return Ok(number);
        }
        if self.formulas.len() == MAX_FORMULAS {
            return Err(TooLarge);
        }
        let number = self.formulas.len() as u8;
        self.formulas.push(formula);
        self.numbers.insert(formula, number);
        Ok(number)
    }

    /// The negation of a formula in negation normal form.
    fn normal_form(&mut self, formula: &Formula, propositions: &[Proposition]) -> Result<u8, TooLarge> {
        let (yes, no) = (self.number(Nnf::True)?, self.number(Nnf::False)?);
        // By node: itself and its negation.
        let mut forms: Vec<[u8; 2]> = Vec::with_capacity(formula.nodes.len());
        for node in &formula.nodes {
            let form = match *node {
                FormulaNode::Constant(true) => [yes, no],
                FormulaNode::Constant(false) => [no, yes],
                FormulaNode::Proposition(of) => {
                    let index = propositions.iter().position(|other| *other == of).filter(|&index| index < 64);
                    let proposition = index.ok_or(TooLarge)? as u8;
                    let literal = |positive| Nnf::Literal { proposition, positive };
                    [self.number(literal(true))?, self.number(literal(false))?]
                }
                FormulaNode::Not(a) => {
                    let [a, not_a] = forms[a as usize];
                    [not_a, a]
                }
                FormulaNode::Eventually(a) => {
                    let [a, not_a] = forms[a as usize];
                    [self.number(Nnf::Until(yes, a))?, self.number(Nnf::Release(no, not_a))?]
                }
                FormulaNode::Always(a) => {
                    let [a, not_a] = forms[a as usize];
                    [self.number(Nnf::Release(no, a))?, self.number(Nnf::Until(yes, not_a))?]
                }
                FormulaNode::Binary(operator, a, b) => self.binary(operator, forms[a as usize], forms[b as usize])?,
            };
            forms.push(form);
        }
        Ok(forms[formula.root() as usize][1])
    }

    /// A formula with two operands, and its negation.
    fn binary(
        &mut self,
        operator: BinaryOperator,
        [a, not_a]: [u8; 2],
        [b, not_b]: [u8; 2],
    ) -> Result<[u8; 2], TooLarge> {
        Ok(match operator {
            BinaryOperator::And => [self.number(Nnf::And(a, b))?, self.number(Nnf::Or(not_a, not_b))?],
            BinaryOperator::Or => [self.number(Nnf::Or(a, b))?, self.number(Nnf::And(not_a, not_b))?],
            BinaryOperator::Implies => [self.number(Nnf::Or(not_a, b))?, self.number(Nnf::And(a, not_b))?],
            BinaryOperator::Iff => {
                let [both, neither] = [self.number(Nnf::And(a, b))?, self.number(Nnf::And(not_a, not_b))?];
                let [first, second] = [self.number(Nnf::And(a, not_b))?, self.number(Nnf::And(not_a, b))?];
                [self.number(Nnf::Or(both, neither))?, self.number(Nnf::Or(first, second))?]
            }
            BinaryOperator::Until => [self.number(Nnf::Until(a, b))?, self.number(Nnf::Release(not_a, not_b))?],
            BinaryOperator::Release => [self.number(Nnf::Release(a, b))?, self.number(Nnf::Until(not_a, not_b))?],
            // a W b = b R (a ∨ b)
            BinaryOperator::WeakUntil => {
                let [either, neither] = [self.number(Nnf::Or(a, b))?, self.number(Nnf::And(not_a, not_b))?];
                [self.number(Nnf::Release(b, either))?, self.number(Nnf::Until(not_b, neither))?]
            }
        })
    }

    /// The alternatives of a set of formulas, without those that others cover.
    fn alternatives(&self, open: FormulaSet) -> Result<Vec<Alternative>, TooLarge> {
        let mut done: Vec<Alternative> = Vec::new();
        let mut unfinished = vec![Alternative { open, ..Alternative::default() }];
        let mut count = 0;
        while let Some(mut one) = unfinished.pop() {
            count += 1;
            if count > MAX_ALTERNATIVES {
                return Err(TooLarge);
            }
            if one.open == 0 {
                if done.iter().any(|other| other.covers(&one)) {
                    continue;
                }
                done.retain(|other| !one.covers(other));
                done.push(one);
                continue;
            }
            let index = one.open.trailing_zeros() as u8;
            one.open &= !(1 << index);
            let with = |one: &Alternative, formula: u8| Alternative { open: one.open | 1 << formula, ..*one };
            match self.formulas[index as usize] {
                Nnf::True => unfinished.push(one),
                Nnf::False => {}
                Nnf::Literal { proposition, positive } => {
                    let literals = if positive { &mut one.positive } else { &mut one.negative };
                    *literals |= 1 << proposition;
                    if one.positive & one.negative == 0 {
                        unfinished.push(one);
                    }
                }
                Nnf::And(a, b) => unfinished.push(with(&with(&one, a), b)),
                Nnf::Or(a, b) => unfinished.extend([with(&one, a), with(&one, b)]),
                Nnf::Until(a, b) => {
                    let (next, postponed) = (one.next | 1 << index, one.postponed | 1 << index);
                    unfinished.push(Alternative { next, postponed, ..with(&one, a) });
                    unfinished.push(with(&one, b));
                }
                Nnf::Release(a, b) => {
                    let next = one.next | 1 << index;
                    unfinished.push(Alternative { next, ..with(&one, b) });
                    unfinished.push(with(&with(&one, a), b));
                }
            }
        }
        Ok(done)
    }

    /// The states of the automaton, from a set of formulas on. A state is such a set, the number of conditions met since
    /// the last accepting transition, and whether it was entered by one.
    fn states(&self, root: FormulaSet) -> Result<Vec<AutomatonState>, TooLarge> {
        let is_until = |&formula: &u8| matches!(self.formulas[formula as usize], Nnf::Until(..));
        let untils: Vec<u8> = (0..self.formulas.len() as u8).filter(is_until).collect();
        let mut keys = vec![(root, 0, false)];
        let mut numbers: Map<(FormulaSet, usize, bool), u32> = Map::default();
        numbers.insert(keys[0], 0);
        let mut states = Vec::new();
        while let Some(&(set, level, accepting)) = keys.get(states.len()) {
            let mut edges: Vec<AutomatonEdge> = Vec::new();
            for Alternative { positive, negative, next, postponed, .. } in self.alternatives(set)? {
                let met = untils[level..].iter().take_while(|&&until| postponed >> until & 1 == 0).count();
                let accepts = level + met == untils.len();
                // Where every word is accepted, nothing else matters.
                let key = if next == 0 { (0, 0, true) } else { (next, if accepts { 0 } else { level + met }, accepts) };
                let to = *numbers.entry(key).or_insert_with(|| {
                    keys.push(key);
                    keys.len() as u32 - 1
                });
                let edge = AutomatonEdge { positive, negative, to };
                if !edges.contains(&edge) {
                    edges.push(edge);
                }
            }
            if keys.len() > MAX_STATES {
                return Err(TooLarge);
            }
            states.push(AutomatonState { accepting, is_universal: set == 0, edges });
        }
        Ok(states)
    }
}
