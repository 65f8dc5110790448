//! Linear temporal logic without the next operator (LTL\X; Baier and Katoen, *Principles of Model Checking*, chapter 5):
//! formulas of one's own about all runs of a protocol.
//!
//! # Semantics
//! A run is an infinite sequence of states. One that ends, in a quiescent state, stays there forever (it *stutters*). A run
//! contains at least one step: that nothing ever happens is no run. Propositions are judged in the initial state and
//! after every step; with clocks, at the end of every instant. A formula holds if every fair run satisfies it, but for
//! probability 0. Fairness is chosen ([`Fairness`]); the obligations are those of termination
//! ([`TransitionSystem::pending`](crate::transition_system::TransitionSystem)).
//!
//! As after every violation of safety or of an invariant, runs are not explored beyond it: if a formula is not violated by
//! then, the verdict is unknown.
//!
//! # Method
//! The automata-theoretic approach of Vardi and Wolper: the negated formula is translated into a Büchi automaton
//! ([`automaton`]), whose product with the transition system ([`product`]) is again a transition system. The formula is
//! violated if the product reaches a state in which the automaton accepts whatever follows, which gives a finite
//! counterexample, or has a fair cycle through an accepting state. Both are found by the searches for safety and livelocks:
//! a state of the product is *waiting* if the automaton accepts in it.
//!
//! With random choices the automaton must not guess their outcomes. It is made *limit-deterministic*
//! \[CourcoubetisYannakakis1995\]: from its accepting states on, a breakpoint construction follows all of its runs together. Some
//! scheduler violates the formula with a positive probability if and only if the product has a reachable accepting fair
//! end component.
//!
//! # Reductions
//! Symmetry reduction is disabled. Partial-order reduction is enabled for G p if p is a state formula without
//! `quiescent`: the transitions of an ample set leave the monitor as it is, and so the value of p
//! ([`untimed::ample`](crate::untimed)). It is disabled for all other formulas, since it does not preserve fairness.
//!
//! # No next operator
//! X p depends on how many steps other processors take in between. Two runs that differ only in the order of independent steps
//! are the same run to every processor, but may differ in X p.

pub(crate) mod automaton;
pub(crate) mod judge;
mod limit_deterministic;
mod parser;
pub(crate) mod product;
mod semantics;
#[cfg(test)]
mod tests;

use core::fmt;
use core::str::FromStr;

use ringleader_model::{BadText, Proposition, word};

/// A formula of linear temporal logic without the next operator.
///
/// ```
/// use ringleader_check::Formula;
///
/// let formula: Formula = "G(trying(1) -> F critical(1))".parse()?;
/// assert_eq!(formula.to_string(), "G (trying(1) -> F critical(1))");
/// let invariant = "!(critical(0) & critical(1))".parse::<Formula>()?.always();
/// assert_eq!(invariant.to_string(), "G !(critical(0) & critical(1))");
///
/// let wrong = "G(tryng(1) -> F critical(1))".parse::<Formula>().unwrap_err();
/// assert!(wrong.wrong.starts_with("has no observation 'tryng' at column 3; did you mean 'trying'?"));
/// # Ok::<(), ringleader_model::BadText>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Formula {
    /// Sub-formulas before the formulas that they are part of; the last one is the formula itself.
    nodes: Vec<FormulaNode>,
}

/// The index of a sub-formula.
type NodeIndex = u16;

/// A formula whose sub-formulas are given by their indices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FormulaNode {
    Constant(bool),
    Proposition(Proposition),
    Not(NodeIndex),
    Always(NodeIndex),
    Eventually(NodeIndex),
    Binary(BinaryOperator, NodeIndex, NodeIndex),
}

/// An operator with two operands, from the one that binds most tightly.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum BinaryOperator {
    Until,
    Release,
    WeakUntil,
    And,
    Or,
    Implies,
    Iff,
}

impl BinaryOperator {
    const fn symbol(self) -> &'static str {
        match self {
            Self::Until => "U",
            Self::Release => "R",
            Self::WeakUntil => "W",
            Self::And => "&",
            Self::Or => "|",
            Self::Implies => "->",
            Self::Iff => "<->",
        }
    }

    /// The tightness with which it binds: the least binds most tightly.
    const fn precedence(self) -> u8 {
        match self {
            Self::Until | Self::Release | Self::WeakUntil => 0,
            Self::And => 1,
            Self::Or => 2,
            Self::Implies => 3,
            Self::Iff => 4,
        }
    }

    /// True if `a op b op c` is `a op (b op c)`.
    const fn is_right_associative(self) -> bool {
        matches!(self, Self::Until | Self::Release | Self::WeakUntil | Self::Implies)
    }
}

impl Formula {
    /// G of this formula: it is true in every state.
    #[must_use]
    pub fn always(self) -> Self {
        self.under(FormulaNode::Always)
    }

    /// F of this formula: it is true in some state.
    #[must_use]
    pub fn eventually(self) -> Self {
        self.under(FormulaNode::Eventually)
    }

    /// G(p -> F q): whenever p is true, q is true then or later.
    pub fn implies_eventually(p: Proposition, q: Proposition) -> Self {
        let nodes = vec![
            FormulaNode::Proposition(p),
            FormulaNode::Proposition(q),
            FormulaNode::Eventually(1),
            FormulaNode::Binary(BinaryOperator::Implies, 0, 2),
            FormulaNode::Always(3),
        ];
        Self { nodes }
    }

    fn under(mut self, operator: fn(NodeIndex) -> FormulaNode) -> Self {
        self.nodes.push(operator(self.root()));
        self
    }

    fn root(&self) -> NodeIndex {
        (self.nodes.len() - 1) as NodeIndex
    }

    /// The propositions that occur in it, each once.
    pub fn propositions(&self) -> Vec<Proposition> {
        let mut found = Vec::new();
        for node in &self.nodes {
            if let FormulaNode::Proposition(proposition) = node
                && !found.contains(proposition)
            {
                found.push(*proposition);
            }
        }
        found
    }

    /// True if it is G p for a state formula p: a run violates it in one state.
    fn is_invariant(&self) -> bool {
        let temporal = |node: &FormulaNode| match node {
            FormulaNode::Always(_) | FormulaNode::Eventually(_) => true,
            FormulaNode::Binary(operator, ..) => operator.precedence() == 0,
            FormulaNode::Constant(_) | FormulaNode::Proposition(_) | FormulaNode::Not(_) => false,
        };
        let (last, parts) = self.nodes.split_last().expect("a formula has a root");
        matches!(last, FormulaNode::Always(_)) && !parts.iter().any(temporal)
    }

    /// Writes a sub-formula. `outer`: the precedence that it must be stronger than, to need no parentheses.
    fn write(&self, node: NodeIndex, outer: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Weaker than every operator, and as strong as the operators with one operand.
        const UNARY: u8 = 0;
        match self.nodes[node as usize] {
            FormulaNode::Constant(value) => write!(f, "{value}"),
            FormulaNode::Proposition(proposition) => write!(f, "{proposition}"),
            FormulaNode::Not(of) => {
                f.write_str("!")?;
                self.write(of, UNARY, f)
            }
            FormulaNode::Always(of) => {
                f.write_str("G ")?;
                self.write(of, UNARY, f)
            }
            FormulaNode::Eventually(of) => {
                f.write_str("F ")?;
                self.write(of, UNARY, f)
            }
            FormulaNode::Binary(operator, left, right) => {
                let own = operator.precedence() + 1;
                let [outside, inside] = if own > outer { ["(", ")"] } else { ["", ""] };
                let (looser, tighter) = (own, own - 1);
                let right_associative = operator.is_right_associative();
                f.write_str(outside)?;
                self.write(left, if right_associative { tighter } else { looser }, f)?;
                write!(f, " {} ", operator.symbol())?;
                self.write(right, if right_associative { looser } else { tighter }, f)?;
                f.write_str(inside)
            }
        }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(self.root(), u8::MAX, f)
    }
}

impl FromStr for Formula {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        parser::parse(text)
    }
}

/// The runs that a formula is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Fairness {
    /// Weakly fair runs (justice): no obligation is pending forever from some point on without being discharged. As
    /// for termination.
    #[default]
    Weak,
    /// Strongly fair runs (compassion): an obligation that is pending infinitely often is discharged infinitely often.
    Strong,
    /// All runs.
    None,
}

impl Fairness {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Weak, Self::Strong, Self::None];

    /// As users write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Weak => "weak",
            Self::Strong => "strong",
            Self::None => "none",
        }
    }
}

impl FromStr for Fairness {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        word(text, &Self::ALL, Self::name)
    }
}

impl fmt::Display for Fairness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Formulas of one's own, each a [`Property::Formula`](crate::Property::Formula), and the runs that they are about.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Specification {
    /// In the order of their numbers.
    pub formulas: Vec<Formula>,
    /// The runs that they are about.
    pub fairness: Fairness,
}
