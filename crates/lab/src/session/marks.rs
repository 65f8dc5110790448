//! The marks of a run: what is worth a jump.

use ringleader::StepText;
use ringleader_model::{Intervention, MessageAction, Place, Scenario, Time};
use ringleader_sim::{InspectableRun, InterventionEffect, RunPosition, Step};
use serde::Serialize;

/// Of one kind there are at most this many marks; beyond, every other one is left out.
const MOST: usize = 2_000;

/// The kind of a mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MarkKind {
    /// A processor declares itself leader.
    Elected,
    /// A phase is reached for the first time.
    Phase,
    /// An intervention takes effect.
    Intervention,
    /// A property is violated.
    Violation,
    /// A fault happens.
    Fault,
    /// A site enters its critical section.
    Entered,
    /// The run is over.
    End,
}

const KINDS: usize = 7;

/// A moment of a run that is worth a jump.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Mark {
    /// The move.
    #[serde(rename = "move")]
    pub moves: u64,
    /// Its time.
    pub time: Time,
    /// Its place.
    pub place: Place,
    /// The kind.
    pub kind: MarkKind,
    /// The phase that is reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<u32>,
    /// The mark in words.
    pub text: String,
}

/// The marks found so far, in the order of their moves.
#[derive(Default)]
pub(super) struct Marks {
    marks: Vec<Mark>,
    counts: [usize; KINDS],
    /// By kind, of how many marks one is kept.
    strides: [usize; KINDS],
    seen: [usize; KINDS],
    /// Marks were left out since the list was asked for.
    thinned_since: bool,
    /// The number of violations noted.
    violations: usize,
    /// The interventions that have had no effect so far, by message.
    interventions: Vec<Intervention>,
}

impl Marks {
    /// Of a run before its first move.
    pub(super) fn new(scenario: &Scenario) -> Self {
        let mut interventions = scenario.interventions.clone();
        interventions.sort_unstable();
        Self { interventions, ..Self::default() }
    }

    /// Takes note of a move ahead. `ids`: the identities by place.
    pub(super) fn observe(
        &mut self,
        before: &RunPosition,
        after: &RunPosition,
        (run, ids): (&dyn InspectableRun, &[u64]),
    ) {
        let place = after.place;
        if after.leaders > before.leaders {
            self.add(after, MarkKind::Elected, None, format!("place {place} declares itself leader"));
        }
        if after.phases > before.phases {
            for phase in before.phases + 1..=after.phases {
                self.add(after, MarkKind::Phase, Some(phase), format!("place {place} begins phase {phase}"));
            }
        }
        if after.inside > before.inside {
            let text = match after.inside {
                1 => format!("place {place} enters"),
                inside => format!("place {place} enters: {inside} are inside"),
            };
            self.add(after, MarkKind::Entered, None, text);
        }
        if after.outages > before.outages
            && let Some((place, cause)) = run.last_outage()
        {
            let step = Step::new(after.time, place, cause);
            self.add(after, MarkKind::Fault, None, StepText::new(&step, ids).without_time().to_string());
        }
        if self.interventions.first().is_some_and(|next| next.message <= after.messages_sent) {
            self.intervened(after, run);
        }
        if after.violations > before.violations {
            self.violated(run, after);
        }
    }

    /// Notes the interventions that have just had an effect.
    fn intervened(&mut self, at: &RunPosition, run: &dyn InspectableRun) {
        let had_effect = |effect| matches!(effect, InterventionEffect::Within | InterventionEffect::Outside);
        for applied in run.interventions().iter().filter(|one| had_effect(one.effect)) {
            let Some(index) = self.interventions.iter().position(|&one| one == applied.intervention) else { continue };
            let Intervention { message, action } = self.interventions.remove(index);
            let done = match action {
                MessageAction::Drop => "is dropped".to_string(),
                MessageAction::Duplicate => "is duplicated".to_string(),
                MessageAction::Delay(length) => format!("is made to take {length}"),
                MessageAction::Until(time) => format!("is held until {time}"),
            };
            self.add(at, MarkKind::Intervention, None, format!("intervention: message {message} {done}"));
        }
    }

    /// Notes the violations that are new.
    fn violated(&mut self, run: &dyn InspectableRun, at: &RunPosition) {
        let violations = run.violations();
        for violation in violations.iter().skip(self.violations) {
            let text = format!("violated: {} ({})", violation.property, violation.detail);
            self.add(at, MarkKind::Violation, None, text);
        }
        self.violations = violations.len().max(self.violations);
    }

    /// Notes the end of the run, with the violations that only the end shows.
    pub(super) fn end(&mut self, run: &dyn InspectableRun, at: &RunPosition) {
        self.violated(run, at);
        let summary = run.summary();
        let known = run.violations();
        for violation in summary.violations.iter().filter(|violation| !known.contains(violation)) {
            let text = format!("violated: {} ({})", violation.property, violation.detail);
            self.add(at, MarkKind::Violation, None, text);
        }
        self.add(at, MarkKind::End, None, "the run is over".to_string());
    }

    /// Adds a mark, as long as there are not too many of its kind.
    pub(super) fn add(&mut self, at: &RunPosition, kind: MarkKind, phase: Option<u32>, text: String) {
        let index = kind as usize;
        self.seen[index] += 1;
        if !(self.seen[index] - 1).is_multiple_of(1 << self.strides[index]) {
            return;
        }
        self.counts[index] += 1;
        self.marks.push(Mark { moves: at.moves, time: at.time, place: at.place, kind, phase, text });
        if self.counts[index] > MOST {
            let mut kept = false;
            self.marks.retain(|mark| {
                kept ^= mark.kind == kind;
                mark.kind != kind || kept
            });
            self.counts[index] /= 2;
            self.strides[index] += 1;
            self.thinned_since = true;
        }
    }

    /// The marks from an index on, and that index; from the first one if others were left out since the last time.
    pub(super) fn since(&mut self, index: usize) -> (usize, &[Mark]) {
        let again = std::mem::take(&mut self.thinned_since) || index > self.marks.len();
        let from = if again { 0 } else { index };
        (from, &self.marks[from..])
    }

    /// All marks kept.
    pub(super) fn all(&self) -> &[Mark] {
        &self.marks
    }

    /// Whether marks were left out.
    pub(super) fn is_thinned(&self) -> bool {
        self.strides.iter().any(|&stride| stride > 0)
    }
}
