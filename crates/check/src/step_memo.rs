//! Steps with clocks, computed once for a processor and an event, with equal outcomes of random choices merged: a draw
//! of one of eight values that only tells 0 from the others has two outcomes, of probability 1/8 and 7/8.

use std::sync::Arc;

use crate::choices::{ChoicePath, ChoiceProbability, all_paths};
use crate::interner::{Interned, Map};
use crate::program::{Program, ProgramEffect, StepResult, Trigger};

/// An outcome of a step.
pub(crate) struct RandomOutcome {
    pub(crate) result: StepResult,
    pub(crate) effects: Vec<ProgramEffect>,
    /// The random choices, in order: the first ones of several with the same outcome.
    pub(crate) chosen: Vec<u32>,
    probability: ChoiceProbability,
}

impl RandomOutcome {
    /// True if the step has no effect but on the processor's state.
    pub(crate) fn is_silent(&self) -> bool {
        self.effects.is_empty() && self.result.advance == 0 && self.chosen.is_empty()
    }

    /// True if another outcome has the same effects, after the same random choices.
    pub(crate) fn differs_in_state_only(&self, other: &Self) -> bool {
        let choices = self.chosen == other.chosen && self.probability == other.probability;
        choices && self.effects == other.effects && self.result.advance == other.result.advance
    }
}

/// By processor and event: the outcomes, in the lexicographic order of the random choices.
#[derive(Default)]
pub(crate) struct StepMemo {
    known: Map<(Interned, Trigger), Arc<[RandomOutcome]>>,
    outcomes: usize,
}

impl StepMemo {
    /// Memory held, about.
    pub(crate) fn bytes(&self) -> usize {
        self.known.capacity() * size_of::<(Interned, Trigger, usize)>() + self.outcomes * 2 * size_of::<RandomOutcome>()
    }
}

/// All outcomes of a step.
pub(crate) fn outcomes(program: &mut dyn Program, processor: Interned, trigger: Trigger) -> Arc<[RandomOutcome]> {
    if let Some(known) = program.step_memo().known.get(&(processor, trigger)) {
        return Arc::clone(known);
    }
    let leaves = all_paths(|choices| {
        let mut effects = Vec::new();
        (program.step(processor, trigger, choices, &mut effects), effects)
    });
    let mut found: Vec<RandomOutcome> = Vec::new();
    for leaf in leaves {
        let (probability, chosen) = (leaf.probability(), leaf.random_values().collect());
        let (result, effects) = leaf.result;
        match found.iter_mut().find(|other| other.result == result && other.effects == effects) {
            Some(other) => other.probability = other.probability.plus(probability),
            None => found.push(RandomOutcome { result, effects, chosen, probability }),
        }
    }
    let found: Arc<[RandomOutcome]> = found.into();
    let memo = program.step_memo();
    memo.outcomes += found.len();
    memo.known.insert((processor, trigger), Arc::clone(&found));
    found
}

/// One outcome of a step, by a random choice.
pub(crate) fn random_step<T>(
    program: &mut dyn Program,
    (processor, trigger): (Interned, Trigger),
    choices: &mut ChoicePath,
    apply: impl FnOnce(&mut dyn Program, &RandomOutcome) -> T,
) -> T {
    let outcomes = outcomes(program, processor, trigger);
    let index = choices.random_outcome(outcomes.len() as u32, |index| outcomes[index as usize].probability);
    apply(program, &outcomes[index as usize])
}

/// The processor after a step that has no effect but on its state; `None` if it has another.
pub(crate) fn silent_step(program: &mut dyn Program, processor: Interned, trigger: Trigger) -> Option<Interned> {
    match &*outcomes(program, processor, trigger) {
        [outcome] if outcome.is_silent() => Some(outcome.result.processor),
        _ => None,
    }
}
