//! What came of the interventions of a run, in words.

use ringleader_model::MessageAction;
use ringleader_sim::{AppliedIntervention, InterventionEffect, StopReason, Summary};

/// Notes on interventions without effect, and on those that the protocol was not promised to survive.
pub(super) fn notes(summary: &Summary) -> Vec<String> {
    let interrupted = summary.reason == Some(StopReason::Interrupted);
    let mut notes: Vec<String> =
        summary.interventions.iter().filter_map(|one| without_effect(*one, interrupted)).collect();
    let outside = summary.interventions.iter().filter(|one| one.effect == InterventionEffect::Outside);
    let outside: Vec<_> = outside.map(|one| one.intervention.to_string()).collect();
    if !outside.is_empty() {
        let be = if outside.len() == 1 { "is" } else { "are" };
        notes.push(format!(
            "{} {be} outside of what the protocol was promised: bounds are not judged, properties are",
            outside.join(", ")
        ));
    }
    notes
}

fn without_effect(
    AppliedIntervention { intervention, effect }: AppliedIntervention,
    interrupted: bool,
) -> Option<String> {
    let message = intervention.message;
    match (effect, intervention.action) {
        (InterventionEffect::NotSent, _) if interrupted => {
            Some(format!("message {message} was not sent before the run was stopped: {intervention} has no effect"))
        }
        (InterventionEffect::NotSent, _) => {
            Some(format!("message {message} is never sent: {intervention} has no effect"))
        }
        (InterventionEffect::Void, MessageAction::Until(_)) => {
            Some(format!("{intervention} has no effect: message {message} is lost, or arrives no earlier by itself"))
        }
        (InterventionEffect::Void, _) => {
            Some(format!("{intervention} has no effect: message {message} is lost before"))
        }
        (InterventionEffect::Within | InterventionEffect::Outside, _) => None,
    }
}
