//! A Markov decision process as text, in the explicit format of the model checker Storm.
//!
//! `.tra` lists transitions as state, choice, target and probability, `.lab` the labels of states, `.rew` rewards of
//! transitions as state, choice, target and reward. An ending is an absorbing state.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::Measure;
use super::mdp::{BranchTarget, Mdp};
use super::solve::{scale_of, weight_of};
use crate::graph::ActionGraph;

/// The explored Markov decision process. End components in which nothing has a cost are merged: no fair scheduler can
/// stay in one, unless that is an ending. So the maximal probability of an ending is the same for all schedulers and
/// for fair ones, and the minimal probability is 1 less the maximal one of all other endings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExplicitModel {
    pub(super) mdp: Mdp,
    pub(super) initial: u32,
    pub(super) endings: Vec<ModelEnding>,
    pub(super) measures: Vec<Measure>,
}

/// An ending of an [`ExplicitModel`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ModelEnding {
    pub(super) name: String,
    pub(super) terminates: bool,
    pub(super) error: bool,
}

impl ExplicitModel {
    /// The costs that are rewards of transitions.
    pub fn measures(&self) -> &[Measure] {
        &self.measures
    }

    /// The transitions: a `.tra` file.
    pub fn transitions(&self) -> String {
        let mut text = "mdp\n".to_string();
        self.each_transition(&mut |from, choice, to, transition| {
            let probability = decimal(transition.weight.into(), transition.scale.into());
            line(&mut text, format_args!("{from} {choice} {to} {probability}"));
        });
        text
    }

    /// The rewards of transitions that are not 0: a `.rew` file.
    pub fn rewards(&self, measure: Measure) -> String {
        let mut text = String::new();
        self.each_transition(&mut |from, choice, to, transition| {
            let cost = transition.costs[measure as usize];
            if cost > 0 {
                // The mean, if branches with different costs have the same target.
                let reward = decimal(cost, transition.weight.into());
                line(&mut text, format_args!("{from} {choice} {to} {reward}"));
            }
        });
        text
    }

    /// The labels of states: a `.lab` file. An ending has its [`label_of`], `terminated` if nothing happens any more, and
    /// `error` if there is more than one leader.
    pub fn labels(&self) -> String {
        let names: Vec<String> = self.endings.iter().map(|ending| label_of(&ending.name)).collect();
        let mut text = format!("#DECLARATION\ninit terminated error {}\n#END\n", names.join(" "));
        line(&mut text, format_args!("{} init", self.initial));
        for (index, (ending, name)) in self.endings.iter().zip(&names).enumerate() {
            let terminated = if ending.terminates { " terminated" } else { "" };
            let error = if ending.error { " error" } else { "" };
            line(&mut text, format_args!("{} {name}{terminated}{error}", self.mdp.len() + index));
        }
        text
    }

    /// Calls `visit` with the state, the choice, the target and the data of every transition, in order; each target of
    /// a choice comes once.
    fn each_transition(&self, visit: &mut dyn FnMut(usize, usize, usize, &ModelTransition)) {
        for from in 0..self.mdp.len() {
            for (choice, action) in self.mdp.actions(from).enumerate() {
                let branches = self.mdp.branches(action);
                let scale = scale_of(branches);
                let mut targets: BTreeMap<usize, ModelTransition> = BTreeMap::new();
                for branch in branches {
                    let to = match branch.to {
                        BranchTarget::State(state) => state as usize,
                        BranchTarget::Ending(ending) => self.mdp.len() + ending as usize,
                    };
                    let weight = weight_of(branch, scale);
                    let transition = targets.entry(to).or_insert(ModelTransition { weight: 0, scale, costs: [0; 3] });
                    transition.weight += weight;
                    for (sum, cost) in transition.costs.iter_mut().zip(branch.costs) {
                        *sum += u128::from(cost) * u128::from(weight);
                    }
                }
                targets.iter().for_each(|(&to, transition)| visit(from, choice, to, transition));
            }
        }
        let certain = ModelTransition { weight: 1, scale: 1, costs: [0; 3] };
        (0..self.endings.len()).for_each(|ending| visit(self.mdp.len() + ending, 0, self.mdp.len() + ending, &certain));
    }
}

/// A transition to a target: its probability is weight/scale.
struct ModelTransition {
    weight: u64,
    scale: u64,
    /// By measure, the sum of cost times weight.
    costs: [u128; 3],
}

fn line(text: &mut String, line: core::fmt::Arguments<'_>) {
    writeln!(text, "{line}").expect("a string can be written to");
}

/// The label of an ending: its name after `ending`, signs and spaces replaced by `_`.
pub fn label_of(name: &str) -> String {
    let parts = name.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    parts.fold("ending".to_string(), |label, part| label + "_" + part)
}

/// A fraction with 18 decimal places, rounded down; exactly if it is a decimal fraction.
fn decimal(over: u128, under: u128) -> String {
    let mut text = (over / under).to_string();
    let mut rest = over % under;
    if rest > 0 {
        text.push('.');
    }
    for _ in 0..18 {
        if rest == 0 {
            break;
        }
        rest *= 10;
        text.push(char::from(b'0' + (rest / under) as u8));
        rest %= under;
    }
    text
}
