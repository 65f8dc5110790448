//! The semantics of formulas on ultimately periodic words, by definition (Baier and Katoen, section 5.1.2), to verify
//! counterexamples and the translation.

use ringleader_model::Proposition;

use super::{BinaryOperator, Formula, FormulaNode};

/// Whether a word satisfies a formula: its letters one after the other, from `cycle` on again and again. A letter is a bit
/// for each of `propositions`.
pub(super) fn satisfies(formula: &Formula, propositions: &[Proposition], letters: &[u64], cycle: usize) -> bool {
    let next = |at: usize| if at + 1 < letters.len() { at + 1 } else { cycle };
    let mut values: Vec<Vec<bool>> = Vec::with_capacity(formula.nodes.len());
    for node in &formula.nodes {
        let each = |value: &dyn Fn(usize) -> bool| (0..letters.len()).map(value).collect::<Vec<bool>>();
        // x = b | (a & X x), from false: the least solution; from true: the greatest.
        let solve = |from: bool, holds: &dyn Fn(usize) -> bool, ends: &dyn Fn(usize) -> bool| {
            let mut value = vec![from; letters.len()];
            for _ in 0..2 {
                for at in (0..letters.len()).rev() {
                    value[at] = ends(at) || holds(at) && value[next(at)];
                }
            }
            value
        };
        let of = |index: u16| &values[index as usize];
        values.push(match *node {
            FormulaNode::Constant(value) => vec![value; letters.len()],
            FormulaNode::Proposition(proposition) => {
                let bit = propositions.iter().position(|other| *other == proposition).expect("it is one of them");
                each(&|at| letters[at] >> bit & 1 == 1)
            }
            FormulaNode::Not(a) => each(&|at| !of(a)[at]),
            FormulaNode::Eventually(a) => solve(false, &|_| true, &|at| of(a)[at]),
            FormulaNode::Always(a) => solve(true, &|at| of(a)[at], &|_| false),
            FormulaNode::Binary(operator, a, b) => {
                let (a, b) = (of(a), of(b));
                match operator {
                    BinaryOperator::And => each(&|at| a[at] && b[at]),
                    BinaryOperator::Or => each(&|at| a[at] || b[at]),
                    BinaryOperator::Implies => each(&|at| !a[at] || b[at]),
                    BinaryOperator::Iff => each(&|at| a[at] == b[at]),
                    BinaryOperator::Until => solve(false, &|at| a[at], &|at| b[at]),
                    BinaryOperator::WeakUntil => solve(true, &|at| a[at], &|at| b[at]),
                    BinaryOperator::Release => solve(true, &|at| b[at], &|at| a[at] && b[at]),
                }
            }
        });
    }
    values.last().is_some_and(|root| root[0])
}
