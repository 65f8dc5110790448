//! Stop and wait, written down a second time, from the log of a run alone.

use std::collections::BTreeMap;

use ringleader::model::{Part, Place, Time};
use ringleader::sim::{Cause, MessageContent, StepEffect, Verdict};

use crate::Played;

/// What one place knows of its link to another.
#[derive(Default)]
struct Sender {
    /// The number of the message that is not acknowledged, its text, and when it was sent last.
    under_way: Option<(u64, String, Time)>,
    /// The number of messages that are acknowledged.
    acknowledged: u64,
    /// Messages that are not copies, in the order of sending.
    sent: Vec<String>,
}

/// A frame, as it is written: text and number, whether it is a copy; an acknowledgement has no text.
fn frame(content: &MessageContent) -> (String, u64, bool) {
    let (text, copy) = match content.text.strip_suffix(" again") {
        Some(text) => (text, true),
        None => (content.text.as_str(), false),
    };
    let (text, number) = text.rsplit_once(' ').expect("a frame has a number");
    let text = text.trim_end_matches(" bit").trim_end_matches(" number");
    (text.to_string(), number.parse().expect("it is a number"), copy)
}

/// Runs it, and follows every frame: a message is sent when the one before it is acknowledged, sent again after the ticks of the
/// timer and not otherwise, acknowledged at each receipt, and handed on once, in the order of sending.
#[track_caller]
pub fn audit(line: &str) {
    let mut played = Played::logged(line);
    assert_eq!(played.summary.verdict, Verdict::Held, "{line}: {:?}", played.summary.violations);
    let scenario = &played.setup.scenario;
    let (ticks, untimed) = (scenario.retransmit.expect("there is a layer"), scenario.untimed);
    let alternates = scenario.links != ringleader::model::Links::Any;
    let number = |count: u64| if alternates { count % 2 } else { count };
    let mut senders: BTreeMap<(Place, Place), Sender> = BTreeMap::new();
    let mut handed_on: BTreeMap<(Place, Place), Vec<String>> = BTreeMap::new();
    for step in played.execution.run.take_log() {
        let mut owed = None;
        match &step.cause {
            Cause::Receive { from, content, .. } if content.kind.name == "acknowledgement" => {
                let sender = senders.entry((step.place, *from)).or_default();
                if sender.under_way.as_ref().is_some_and(|(number, ..)| *number == frame(content).1) {
                    sender.under_way = None;
                    sender.acknowledged += 1;
                }
            }
            Cause::Receive { from, content, .. } => {
                let (text, count, _) = frame(content);
                owed = Some((*from, count));
                let seen = handed_on.entry((*from, step.place)).or_default();
                if number(seen.len() as u64) == count {
                    seen.push(text);
                }
            }
            _ => {}
        }
        for effect in &step.effects {
            let StepEffect::Send { to, content, .. } = effect else { continue };
            let (text, count, copy) = frame(content);
            if content.kind.name == "acknowledgement" {
                assert_eq!(owed.take(), Some((*to, count)), "{line}: {step:?}");
                continue;
            }
            let sender = senders.entry((step.place, *to)).or_default();
            assert_eq!(count, number(sender.acknowledged), "{line}: {step:?}");
            assert_eq!(copy, content.kind.part == Part::Link);
            match &sender.under_way {
                Some((_, first, at)) => {
                    assert!(copy && *first == text, "{line}: {step:?}");
                    // On arrival the first of the ticks may be nearly over.
                    let (after, tick) = (step.time - at, scenario.timing.r);
                    let in_time = (ticks - 1) * tick.min < after && after <= ticks * tick.max;
                    assert!(untimed || in_time, "{line}: {step:?}");
                }
                None => {
                    assert!(!copy, "{line}: {step:?}");
                    sender.sent.push(text.clone());
                }
            }
            sender.under_way = Some((count, text, step.time));
        }
        assert_eq!(owed, None, "{line}: a message is not acknowledged in {step:?}");
    }
    for (link, sender) in senders {
        assert!(sender.under_way.is_none(), "{line}: {link:?}");
        assert_eq!(Some(&sender.sent).filter(|sent| !sent.is_empty()), handed_on.get(&link), "{line}: {link:?}");
    }
}
