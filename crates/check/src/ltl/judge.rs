//! The verdicts on formulas, and their counterexamples.

use std::sync::Arc;

use ringleader_model::{BadSetting, Place, Proposition, Scenario};

use super::automaton::Automaton;
use super::product::{ProductQuestion, ProductSystem};
use super::{Fairness, Formula, Specification, semantics};
use crate::answer::{CheckVerdict, Effort, Judgement, Property, SearchLimit};
use crate::checkpoint::SearchWatch;
use crate::interner::Interned;
use crate::program::{InitialState, Program};
use crate::search::{PropertyViolation, search_formula};
use crate::transition_system::TransitionSystem;

/// A formula that was validated and translated.
pub(crate) struct TranslatedFormula {
    pub(super) formula: Formula,
    /// Of its negation.
    pub(super) automaton: Arc<Automaton>,
    pub(super) fairness: Fairness,
}

/// The result of the search for a run that violates a formula.
pub(crate) struct FormulaResult {
    pub(crate) judgement: Judgement,
    /// A run of the transition system itself.
    pub(crate) violation: Option<PropertyViolation>,
    pub(crate) ran_out: Option<SearchLimit>,
}

/// Translates formulas, and refuses those that do not suit a scenario.
pub(crate) fn translate(
    specification: &Specification,
    initial: &mut InitialState,
    scenario: &Scenario,
) -> Result<Vec<TranslatedFormula>, BadSetting> {
    let mut translated = Vec::new();
    for formula in &specification.formulas {
        for proposition in formula.propositions() {
            validate(proposition, &mut *initial.program, initial.monitor, scenario)
                .map_err(|(wrong, allowed)| BadSetting::new(FIELD, format!("'{formula}' {wrong}"), allowed))?;
        }
        let too_large = |_| BadSetting::new(FIELD, format!("'{formula}' is too large"), "several smaller formulas");
        let automaton = Arc::new(Automaton::of_negation(formula).map_err(too_large)?);
        translated.push(TranslatedFormula { formula: formula.clone(), automaton, fairness: specification.fairness });
    }
    Ok(translated)
}

/// The setting that errors in formulas are about.
const FIELD: &str = "formula";

/// What is wrong with a proposition in a scenario, and what is allowed.
fn validate(
    proposition: Proposition,
    program: &mut dyn Program,
    monitor: Interned,
    scenario: &Scenario,
) -> Result<(), (String, String)> {
    let sites = scenario.n - scenario.workload.as_ref().map_or(0, |load| load.cells);
    let mut knows = |proposition| program.satisfies(monitor, proposition).is_some();
    match proposition {
        Proposition::Quiescent => return Ok(()),
        Proposition::Leader(id)
            if knows(proposition) && !scenario.identities().iter().any(|other| other == id.get()) =>
        {
            let ids: Vec<_> = scenario.identities().iter().map(|id| id.to_string()).collect();
            let allowed = if ids.is_empty() { "no identity: there are none".into() } else { ids.join(", ") };
            return Err((format!("names identity {id}, which nobody has"), allowed));
        }
        _ if proposition.place().is_none_or(|place| (place as usize) < sites) && knows(proposition) => return Ok(()),
        _ => {}
    }
    let places: Vec<_> = (0..sites as Place).filter(|&place| knows(proposition.at(place))).collect();
    if let (Some(place), [first, .., last] | [first @ last]) = (proposition.place(), &places[..]) {
        let which = if first == last { format!("place {first}") } else { format!("places {first} to {last}") };
        return Err((format!("names place {place}"), format!("{} for {which}", proposition.form())));
    }
    let mut has = |form: &&str| {
        let name = form.split('(').next().unwrap_or(form);
        let argument = form.contains('(').then_some(0);
        let own = Proposition::new(name, argument).expect("every form has such a proposition");
        own == Proposition::Quiescent || (0..sites as Place).any(|place| knows(own.at(place)))
    };
    let known: Vec<_> = Proposition::NAMES.into_iter().filter(|form| has(form)).collect();
    Err((format!("names {proposition}, which this problem does not have"), known.join(", ")))
}

/// Judges a formula on all runs of a system whose symmetry reduction is disabled. `cut_off`: runs are not explored beyond a
/// violation of another property.
pub(crate) fn judge(
    (number, translated): (u16, &TranslatedFormula),
    system: &dyn TransitionSystem,
    cut_off: bool,
    effort: &Effort,
    watch: &mut dyn SearchWatch,
) -> FormulaResult {
    let TranslatedFormula { formula, automaton, fairness } = translated;
    let is_invariant = formula.is_invariant();
    let question = ProductQuestion { fairness: *fairness, is_invariant, formula: number };
    let product = |random: bool| ProductSystem::new(system.fork(), Arc::clone(automaton), random, question);
    let mut searched = product(false);
    let (mut found, mut ran_out) = search_formula(&mut searched, is_invariant, effort, watch);
    if found.is_none() && searched.met_random_choices() {
        searched = product(true);
        (found, ran_out) = search_formula(&mut searched, is_invariant, effort, watch);
    }
    let violation = found.map(|found| searched.run(found));
    let (verdict, detail) = match (&violation, ran_out) {
        (Some(violation), _) => (CheckVerdict::Violated, searched.detail(formula, violation)),
        (None, Some(_)) => (CheckVerdict::Unknown, String::new()),
        (None, None) if cut_off => (CheckVerdict::Unknown, "not looked for after a violation".into()),
        (None, None) => (CheckVerdict::Holds, String::new()),
    };
    let judgement = Judgement { property: Property::Formula(number), verdict, detail };
    FormulaResult { judgement, violation, ran_out }
}

impl ProductSystem {
    /// A run of the system itself: without the states of the automaton, and without stuttering.
    fn run(&mut self, found: PropertyViolation) -> PropertyViolation {
        let PropertyViolation { property: _, states, transitions, cycle_start, livelock } = found;
        let property = Property::Formula(self.formula());
        let (mut own_states, mut own_transitions, mut own_start) = (Vec::new(), Vec::new(), None);
        for (index, state) in states.iter().enumerate() {
            if cycle_start == Some(index) {
                own_start = Some(own_transitions.len());
            }
            let own = &state[..state.len() - 1];
            let stutters = index > 0 && own_transitions.len() < own_states.len();
            if !stutters {
                own_states.push(own.to_vec());
            }
            if let Some(&transition) = transitions.get(index) {
                own_transitions.extend(self.origin(state, transition));
            }
        }
        // A cycle of nothing but stuttering is the end of the run.
        let own_start = own_start.filter(|&start| start < own_transitions.len());
        PropertyViolation {
            property,
            states: own_states,
            transitions: own_transitions,
            cycle_start: own_start,
            livelock,
        }
    }

    /// How a run violates the formula, in words.
    fn detail(&mut self, formula: &Formula, run: &PropertyViolation) -> String {
        let propositions = formula.propositions();
        let letters: Vec<u64> =
            run.states.iter().enumerate().map(|(index, state)| self.letter(state, index == 0)).collect();
        let Some(last) = letters.last() else { return "too little memory to reconstruct a run".into() };
        if run.livelock {
            // The last state of a cycle is the one at which it begins.
            let (word, cycle) = match run.cycle_start {
                Some(start) => (&letters[..letters.len() - 1], start),
                None => (&letters[..], letters.len() - 1),
            };
            let satisfied = semantics::satisfies(formula, &propositions, word, cycle);
            debug_assert!(!satisfied, "a counterexample to {formula} satisfies it");
        }
        let satisfied = propositions.iter().enumerate().filter(|(bit, _)| last >> bit & 1 == 1);
        let names: Vec<_> = satisfied.map(|(_, proposition)| proposition.to_string()).collect();
        let last = if names.is_empty() { "none of its observations".into() } else { names.join(", ") };
        match (run.cycle_start, run.livelock) {
            (Some(_), _) => "in a run that goes on forever".into(),
            (None, true) => format!("in a run that ends in a state with {last}"),
            (None, false) => format!("in a run to a state with {last}"),
        }
    }
}
