//! Moves in words and numbers.

use ringleader::{Setup, StepText};
use ringleader_model::{Milestone, Place, Time};
use ringleader_sim::{Cause, Step};
use serde::Serialize;

use super::timeline::LoggedMove;

/// What one move did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct MoveView {
    /// Its number.
    #[serde(rename = "move")]
    pub moves: u64,
    /// Its time.
    pub time: Time,
    /// Its place.
    pub place: Place,
    /// The cause of its first step.
    pub cause: &'static str,
    /// Its steps in words, a line each.
    pub text: String,
    /// What it does in a word, for a learner to guess: `send`, `forward`, `discard`, `decide` or `wait`.
    pub does: &'static str,
    /// The rules that it applies.
    pub rules: Vec<RuleView>,
    /// The numbers of the messages that it sends.
    pub sent: Vec<u64>,
    /// The number of the first message that it receives or that is lost.
    pub received: Option<u64>,
    /// The fields that it changes.
    pub changed: Vec<ChangedField>,
}

/// A rule that was applied.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RuleView {
    /// Its number.
    pub number: u8,
    /// The rule in the words of the paper.
    pub text: &'static str,
}

/// A field that a move changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ChangedField {
    /// Its name.
    pub field: String,
    /// The value before the move.
    pub from: String,
    /// The value after it.
    pub to: String,
}

/// A move with its messages, as a space-time diagram shows it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct DetailedMove {
    /// The move.
    #[serde(flatten)]
    pub step: MoveView,
    /// The messages that it sends.
    pub sends: Vec<SentInMove>,
    /// The messages that it receives.
    pub receives: Vec<ReceivedInMove>,
    /// The messages that something is done to in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<FaultInMove>,
    /// The phase of the processor after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<u32>,
    /// What it reports that matters to the problem, the last of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milestone: Option<Milestone>,
    /// Until when the processor pauses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Time>,
    /// The other end of a link that is cut or healed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<Place>,
}

/// A message that is sent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SentInMove {
    /// Its number.
    pub number: u64,
    /// Its receiver.
    pub to: Place,
    /// Its kind.
    pub kind: &'static str,
    /// Its text.
    pub text: String,
}

/// A message that is received.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ReceivedInMove {
    /// Its number.
    pub number: u64,
    /// Its sender.
    pub from: Place,
    /// Its kind.
    pub kind: &'static str,
    /// Its text.
    pub text: String,
}

/// A message that is lost, duplicated, delayed or held.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FaultInMove {
    /// Its number.
    pub number: u64,
    /// Its sender.
    pub from: Place,
    /// The number of its copy, if it is duplicated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy: Option<u64>,
    /// When it arrives, if that is decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Time>,
}

impl MoveView {
    /// A move that logged these steps; a move without a step changes nothing that can be seen.
    pub(super) fn new(setup: &Setup, (moves, time, place): (u64, Time, Place), steps: &[Step]) -> Self {
        let ids = &setup.scenario.ids;
        let texts: Vec<_> = steps.iter().map(|step| StepText::new(step, ids).to_string()).collect();
        let mut rules: Vec<u8> = Vec::new();
        for rule in steps.iter().flat_map(|step| &step.rules) {
            if !rules.contains(rule) {
                rules.push(*rule);
            }
        }
        let rule = |number: u8| setup.entry.rule(number).map(|text| RuleView { number, text });
        let mut changed: Vec<ChangedField> = Vec::new();
        for change in steps.iter().flat_map(|step| &step.changed) {
            match changed.iter_mut().find(|earlier| earlier.field == change.field) {
                Some(earlier) => earlier.to.clone_from(&change.after),
                None => changed.push(ChangedField {
                    field: change.field.clone(),
                    from: change.before.clone(),
                    to: change.after.clone(),
                }),
            }
        }
        Self {
            moves,
            time,
            place,
            cause: steps.first().map_or("none", |step| step.cause.name()),
            text: texts.join("\n"),
            does: does(steps),
            rules: rules.into_iter().filter_map(rule).collect(),
            sent: steps.iter().flat_map(Step::sends).map(|(number, ..)| number.0).collect(),
            received: steps.iter().find_map(|step| step.cause.message()).map(|number| number.0),
            changed,
        }
    }
}

impl DetailedMove {
    /// A logged move.
    pub(super) fn new(setup: &Setup, logged: &LoggedMove) -> Self {
        let steps = &logged.steps;
        let position = &logged.position;
        let mut detailed = Self {
            step: MoveView::new(setup, (position.moves, position.time, position.place), steps),
            sends: Vec::new(),
            receives: Vec::new(),
            faults: Vec::new(),
            phase: steps.iter().rev().find_map(|step| step.phase),
            milestone: steps.iter().flat_map(Step::milestones).last(),
            until: None,
            other: None,
        };
        for step in steps {
            let sends = step.sends().map(|(number, to, content)| SentInMove {
                number: number.0,
                to,
                kind: content.kind.name,
                text: content.text.clone(),
            });
            detailed.sends.extend(sends);
            detailed.add_cause(&step.cause);
        }
        detailed
    }

    fn add_cause(&mut self, cause: &Cause) {
        match cause {
            Cause::Receive { message, from, content, .. } => self.receives.push(ReceivedInMove {
                number: message.0,
                from: *from,
                kind: content.kind.name,
                text: content.text.clone(),
            }),
            Cause::Loss { message, from, .. } => self.add_fault(message.0, *from, (None, None)),
            Cause::Duplicate { message, copy, from, .. } => self.add_fault(message.0, *from, (Some(copy.0), None)),
            Cause::Delay { message, from, until, .. } | Cause::Hold { message, from, until, .. } => {
                self.add_fault(message.0, *from, (None, Some(*until)));
            }
            Cause::Pause { until } => self.until = Some(*until),
            Cause::Cut { other } | Cause::Heal { other } => self.other = Some(*other),
            Cause::Wake | Cause::Timeout { .. } | Cause::Call { .. } | Cause::Crash | Cause::Restart => {}
        }
    }
}

impl DetailedMove {
    fn add_fault(&mut self, number: u64, from: Place, (copy, until): (Option<u64>, Option<Time>)) {
        self.faults.push(FaultInMove { number, from, copy, until });
    }
}

/// What steps do, in a word. A message is forwarded if one of the same text is sent on.
fn does(steps: &[Step]) -> &'static str {
    let texts = steps.iter().filter_map(|step| match &step.cause {
        Cause::Receive { content, .. } => Some(content.text.as_str()),
        _ => None,
    });
    let received: Vec<&str> = texts.collect();
    let sent = || steps.iter().flat_map(Step::sends).map(|(_, _, content)| content.text.as_str());
    if steps.iter().flat_map(Step::milestones).next().is_some() {
        "decide"
    } else if sent().any(|text| received.contains(&text)) {
        "forward"
    } else if sent().next().is_some() {
        "send"
    } else if !received.is_empty() {
        "discard"
    } else {
        "wait"
    }
}
