//! A step as JSON: its data beside its text.

use ringleader_sim::Step;
use schemars::JsonSchema;
use serde::Serialize;

use crate::step_text::StepText;

/// A step: its data, and its text for people.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StepReport {
    /// The data.
    #[serde(flatten)]
    pub step: Step,
    /// The step in words.
    pub text: String,
}

impl StepReport {
    /// Steps among processors with these identities; none where they are anonymous.
    pub fn all(steps: &[Step], ids: &[u64]) -> Vec<Self> {
        steps.iter().map(|step| Self { step: step.clone(), text: StepText::new(step, ids).to_string() }).collect()
    }
}

#[cfg(test)]
mod tests {
    use ringleader_model::{Kind, Milestone, Port, StepComparison, Ticks};
    use ringleader_sim::{Cause, FieldChange, MessageContent, MessageNumber, StepEffect};
    use serde_json::Value;

    use super::*;

    fn steps() -> Vec<Step> {
        let (message, from, port) = (MessageNumber(1), 1, Port(0));
        let content = MessageContent {
            kind: Kind::work("candidate"),
            text: "candidate 3".to_string(),
            identity: None,
            phase: None,
        };
        let name = || "name".to_string();
        let causes = [
            Cause::Wake,
            Cause::Receive { message, from, port, content: content.clone() },
            Cause::Timeout { timer: name() },
            Cause::Call { request: name() },
            Cause::Crash,
            Cause::Restart,
            Cause::Pause { until: 9 },
            Cause::Cut { other: 1 },
            Cause::Heal { other: 1 },
            Cause::Loss { message, from, port, content: content.clone() },
            Cause::Delay { message, from, port, content: content.clone(), until: 9 },
            Cause::Hold { message, from, port, content: content.clone(), until: 9 },
            Cause::Duplicate { message, copy: MessageNumber(2), from, port, content: content.clone() },
        ];
        let effects = vec![
            StepEffect::Send { message, to: 0, port, content },
            StepEffect::SetTimer { timer: name(), after: Ticks::ONE },
            StepEffect::CancelTimer { timer: name() },
            StepEffect::Choose { bound: 2, chosen: 1 },
            StepEffect::Report { report: name(), milestone: Some(Milestone::Requested) },
        ];
        let changed = vec![FieldChange { field: name(), before: name(), after: name() }];
        let comparisons = vec![StepComparison::new(3u64, 4u64), StepComparison::new((2u64, 7u64), (1u64, 9u64))];
        let step = |cause| Step {
            effects: effects.clone(),
            changed: changed.clone(),
            comparisons: comparisons.clone(),
            ..Step::new(7, 0, cause)
        };
        causes.map(step).into()
    }

    /// The properties that a schema gives an object, or the variant of it with this value of this tag.
    fn described(definition: &Value, tag: Option<(&str, &Value)>) -> Vec<String> {
        let variants = definition["oneOf"].as_array().cloned().unwrap_or_else(|| vec![definition.clone()]);
        let meant = |variant: &Value| tag.is_none_or(|(tag, value)| variant["properties"][tag]["const"] == *value);
        let variant = variants.into_iter().find(meant).unwrap_or_else(|| panic!("{tag:?} is described"));
        let mut names: Vec<_> = variant["properties"].as_object().expect("an object").keys().cloned().collect();
        names.sort();
        names
    }

    fn keys(value: &Value) -> Vec<String> {
        let mut keys: Vec<_> = value.as_object().expect("an object").keys().cloned().collect();
        keys.sort();
        keys
    }

    #[test]
    fn every_cause_and_effect_is_as_its_schema_says() {
        let schema = schemars::schema_for!(Step).to_value();
        for report in StepReport::all(&steps(), &[]) {
            let mut value = serde_json::to_value(report).expect("a step is JSON");
            assert!(value.as_object_mut().expect("an object").remove("text").is_some());
            assert_eq!(keys(&value), described(&schema, None));
            let cause = &value["cause"];
            assert_eq!(keys(cause), described(&schema["$defs"]["Cause"], Some(("cause", &cause["cause"]))));
            for effect in value["effects"].as_array().expect("a list") {
                let tag = Some(("effect", &effect["effect"]));
                assert_eq!(keys(effect), described(&schema["$defs"]["Effect"], tag));
            }
            for comparison in value["comparisons"].as_array().expect("a list") {
                assert_eq!(keys(comparison), described(&schema["$defs"]["Comparison"], None));
            }
            assert_eq!(keys(&value["changed"][0]), described(&schema["$defs"]["FieldChange"], None));
        }
    }
}
