//! The protocol's own invariants, judged on all processors together.
//!
//! An invariant is a state predicate over the processors, while a monitor observes reports only. So where a protocol
//! has invariants, every step that changes a processor is observed like a report, and beside the monitor there is the
//! vector of processors as it has observed them: a function of the run's steps, which determines what was violated.
//! Without invariants that vector does not exist, and no step is observed that reports nothing.
//!
//! - *Granularity*: judged is what the simulator judges, the initial state and the state after each step. Where there
//!   are clocks, the steps of one instant are observed in the simulator's order. A crashed processor keeps its last
//!   state.
//! - *Partial-order reduction*: a step that changes a processor is visible, so that it is in no ample set (condition
//!   C2); the proof in `untimed::ample` applies as it stands.
//! - *Symmetry reduction* is disabled: an invariant is any closure, and need not be symmetric.
//! - *Abstraction*: [`Inspect::rebase`](ringleader_model::Inspect::rebase) forgets what no rule reads, but an invariant
//!   may read it. It is applied only where rounds are numbered without bound; an invariant then sees rebased
//!   processors.
//!
//! [`probabilities`](crate::probabilities()) and [`random_walk`](crate::random_walk()) do not judge invariants.

use ringleader_model::{Fact, Invariant, LemmaMonitor, Place, Promised, Protocol, Violation};

use crate::answer::Property;
use crate::interner::{Interned, Interner};

/// A monitor, and what invariants are judged on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct JudgedMonitor<M> {
    pub(crate) monitor: M,
    /// `None` if there are no invariants, unless a step has panicked.
    pub(crate) judged: Option<Box<JudgedProcessors>>,
}

/// The processors as they were observed, and the violations of invariants and of [`NO_PANIC`](crate::NO_PANIC).
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub(crate) struct JudgedProcessors {
    /// By place; empty if there are no invariants.
    pub(crate) processors: Vec<Interned>,
    pub(crate) violations: Vec<Violation>,
    /// By place, the facts that it has noted; empty if no lemmas are judged.
    pub(crate) facts: Vec<Vec<Interned>>,
    /// The violations of lemmas.
    pub(crate) refuted: Vec<Violation>,
}

impl<M> JudgedMonitor<M> {
    /// The violations of invariants.
    pub(crate) fn broken(&self) -> &[Violation] {
        match &self.judged {
            Some(judged) => &judged.violations,
            None => &[],
        }
    }

    /// The violations of lemmas.
    pub(crate) fn refuted(&self) -> &[Violation] {
        match &self.judged {
            Some(judged) => &judged.refuted,
            None => &[],
        }
    }
}

/// The properties that do not hold: safety and promises, which the monitor judges, and invariants that are broken.
pub(crate) fn violated_properties(observed: &[Violation], broken: &[Violation]) -> Vec<Property> {
    let safety = safety_violations(observed).next().map(|_| Property::Safety);
    let promises = observed.iter().filter_map(|violation| Promised::named(violation.property)).map(Property::Promise);
    let invariants = broken.iter().map(|violation| Property::Invariant(violation.property));
    safety.into_iter().chain(promises).chain(invariants).collect()
}

/// The violations that a monitor has found, but for those of promises.
pub(crate) fn safety_violations(observed: &[Violation]) -> impl Iterator<Item = &Violation> {
    observed.iter().filter(|violation| Promised::named(violation.property).is_none())
}

/// Violations in words.
pub(crate) fn describe<'a>(violations: impl Iterator<Item = &'a Violation>) -> String {
    let words = violations.map(|violation| format!("{}: {}", violation.property, violation.detail));
    words.collect::<Vec<_>>().join("; ")
}

/// How a property is violated, in words; empty if it is not.
pub(crate) fn violation_detail(violations: [&[Violation]; 3], property: &str) -> String {
    let found = violations.into_iter().flatten().find(|violation| violation.property == property);
    found.map(|violation| violation.detail.clone()).unwrap_or_default()
}

impl JudgedProcessors {
    /// Those of an initial state; `None` if there are no invariants.
    pub(crate) fn new<P: Protocol>(
        invariants: &[Invariant<P>],
        processors: &[Interned],
        values: &mut Interner<P::Processor>,
    ) -> Option<Box<Self>> {
        if invariants.is_empty() {
            return None;
        }
        let mut judged = Self { processors: processors.to_vec(), ..Self::default() };
        judged.judge(invariants, values);
        Some(Box::new(judged))
    }

    /// Keeps a fact and judges lemmas.
    pub(crate) fn note(&mut self, place: Place, fact: Interned, lemmas: &LemmaMonitor, values: &mut Interner<Fact>) {
        self.facts[place as usize].push(fact);
        let mut value = |&fact: &Interned| *values.get(fact);
        let facts: Vec<Vec<Fact>> = self.facts.iter().map(|own| own.iter().map(&mut value).collect()).collect();
        for violation in lemmas.judge(&facts) {
            violation.note(&mut self.refuted);
        }
    }

    /// Judges all invariants in the present state.
    pub(crate) fn judge<P: Protocol>(&mut self, invariants: &[Invariant<P>], values: &mut Interner<P::Processor>) {
        let mut processors = Vec::with_capacity(self.processors.len());
        for &processor in &self.processors {
            processors.push(values.get(processor).clone());
        }
        for invariant in invariants {
            if let Some(violation) = invariant.violation(&processors) {
                violation.note(&mut self.violations);
            }
        }
    }
}
