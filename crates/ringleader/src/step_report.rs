//! A step as JSON: its data beside its text. The simulator knows nothing of schemas, so they are written down here; a test
//! compares them with steps of runs.

use ringleader_sim::Step;
use schemars::JsonSchema;
use serde::Serialize;

use crate::step_text::StepText;

/// A step: its data, and its text for people.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StepReport {
    /// The data.
    #[serde(flatten)]
    #[schemars(with = "StepSchema")]
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

/// One step of one processor, or a fault.
#[allow(dead_code, reason = "a schema, never a value")]
#[derive(JsonSchema)]
#[schemars(rename = "Step")]
struct StepSchema {
    /// Its number, from 1.
    number: u64,
    /// The time; in an untimed run, the number of steps so far.
    time: u64,
    /// The place at which it happens: for a lost or duplicated message, that of the receiver.
    place: u32,
    /// The event that the processor reacts to, or the fault.
    cause: CauseSchema,
    /// What it did, in order.
    effects: Vec<EffectSchema>,
    /// The fields of its state that changed.
    changed: Vec<ChangeSchema>,
    /// The comparisons that decided it, in order.
    comparisons: Vec<ComparisonSchema>,
    /// The numbers of the rules that it applied, as `ringleader info` numbers them.
    rules: Vec<u8>,
}

/// Why a step happened.
#[allow(dead_code, reason = "a schema, never a value")]
#[derive(JsonSchema)]
#[schemars(rename = "Cause", rename_all = "kebab-case", tag = "cause")]
enum CauseSchema {
    /// The processor wakes spontaneously.
    Wake,
    /// It receives a message.
    Receive {
        /// The number of the message.
        message: u64,
        /// The place of the sender.
        from: u32,
        /// The port of the receiver.
        port: u32,
        /// The message.
        content: ContentSchema,
    },
    /// A timer expires.
    Timeout {
        /// Which.
        timer: String,
    },
    /// The user makes a request.
    Call {
        /// Which.
        request: String,
    },
    /// The processor crashes.
    Crash,
    /// A message to it is lost.
    Loss {
        /// The number of the message.
        message: u64,
        /// The place of the sender.
        from: u32,
        /// The port at which it would have arrived.
        port: u32,
        /// The message.
        content: ContentSchema,
    },
    /// A message to it is duplicated.
    Duplicate {
        /// The number of the message.
        message: u64,
        /// The number of the copy.
        copy: u64,
        /// The place of the sender.
        from: u32,
        /// The port at which both arrive.
        port: u32,
        /// The message.
        content: ContentSchema,
    },
}

/// A message.
#[allow(dead_code, reason = "a schema, never a value")]
#[derive(JsonSchema)]
#[schemars(rename = "Message")]
struct ContentSchema {
    /// Its kind.
    kind: String,
    /// Its text.
    text: String,
}

/// What a step did.
#[allow(dead_code, reason = "a schema, never a value")]
#[derive(JsonSchema)]
#[schemars(rename = "Effect", rename_all = "kebab-case", tag = "effect")]
enum EffectSchema {
    /// Sends a message.
    Send {
        /// The number of the message.
        message: u64,
        /// The place of the receiver.
        to: u32,
        /// The port of the sender.
        port: u32,
        /// The message.
        content: ContentSchema,
    },
    /// Sets a timer.
    SetTimer {
        /// Which.
        timer: String,
        /// Own ticks until it expires; null if never.
        after: Option<u64>,
    },
    /// Cancels a timer.
    CancelTimer {
        /// Which.
        timer: String,
    },
    /// Makes a random choice.
    Choose {
        /// The exclusive upper bound.
        bound: u32,
        /// The value chosen.
        chosen: u32,
    },
    /// Reports to the user.
    Report {
        /// The report, in words.
        report: String,
        /// Its meaning, such as elected, follows, requested, entered or left, where it has one; its figures (id, negatives, write)
        /// stand beside it.
        milestone: Option<String>,
    },
}

/// A field of a processor's state that a step changed.
#[allow(dead_code, reason = "a schema, never a value")]
#[derive(JsonSchema)]
#[schemars(rename = "FieldChange")]
struct ChangeSchema {
    /// Its name; of a nested one, with dots.
    field: String,
    /// Its value before, for people.
    before: String,
    /// Its value after.
    after: String,
}

/// A comparison that decided a step.
#[allow(dead_code, reason = "a schema, never a value")]
#[derive(JsonSchema)]
#[schemars(rename = "Comparison")]
struct ComparisonSchema {
    /// The left operand.
    left: OperandSchema,
    /// How the left operand compares with the right one.
    ordering: OrderingSchema,
    /// The right operand.
    right: OperandSchema,
}

/// A number, or a pair of numbers, ordered lexicographically.
#[allow(dead_code, reason = "a schema, never a value")]
#[derive(JsonSchema)]
#[schemars(rename = "Operand", untagged)]
enum OperandSchema {
    Number(u64),
    Pair(u64, u64),
}

#[allow(dead_code, reason = "a schema, never a value")]
#[derive(JsonSchema)]
#[schemars(rename = "Ordering", rename_all = "kebab-case")]
enum OrderingSchema {
    Less,
    Equal,
    Greater,
}

#[cfg(test)]
mod tests {
    use ringleader_model::{Comparison, Kind, Milestone, Port, Ticks};
    use ringleader_sim::{Cause, FieldChange, MessageContent, MessageNumber, StepEffect};
    use serde_json::Value;

    use super::*;

    fn steps() -> Vec<Step> {
        let (message, from, port) = (MessageNumber(1), 1, Port(0));
        let content = MessageContent { kind: Kind::work("candidate"), text: "candidate 3".to_string() };
        let name = || "name".to_string();
        let causes = [
            Cause::Wake,
            Cause::Receive { message, from, port, content: content.clone() },
            Cause::Timeout { timer: name() },
            Cause::Call { request: name() },
            Cause::Crash,
            Cause::Loss { message, from, port, content: content.clone() },
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
        let comparisons = vec![Comparison::new(3u64, 4u64), Comparison::new((2u64, 7u64), (1u64, 9u64))];
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
        let schema = schemars::schema_for!(StepSchema).to_value();
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
