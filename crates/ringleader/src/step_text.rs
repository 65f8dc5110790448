//! A step in words.

use std::fmt::{self, Display};

use ringleader_model::{Place, StepComparison};
use ringleader_sim::{Cause, FieldChange, Step, StepEffect};

/// A step in words: the processor, the cause, the effects, the changes of its state, and the comparisons and rules that
/// decided it.
///
/// ```
/// use ringleader::StepText;
/// use ringleader::sim::{Cause, Step};
///
/// let step = Step::new(7, 1, Cause::Wake);
/// assert_eq!(StepText::new(&step, &[3, 4]).to_string(), "at 7 place 1 (id 4) wakes");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct StepText<'a> {
    step: &'a Step,
    ids: &'a [u64],
    timed: bool,
}

impl<'a> StepText<'a> {
    /// A step among processors with these identities; none where they are anonymous.
    pub const fn new(step: &'a Step, ids: &'a [u64]) -> Self {
        Self { step, ids, timed: true }
    }

    /// The same without its time.
    #[must_use]
    pub const fn without_time(self) -> Self {
        Self { timed: false, ..self }
    }

    fn write_cause(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let who = Who { place: self.step.place, ids: self.ids };
        let place = self.step.place;
        match &self.step.cause {
            Cause::Wake => write!(f, "{who} wakes"),
            Cause::Receive { from, content, .. } => write!(f, "{who} receives {} from place {from}", content.text),
            Cause::Timeout { timer } => write!(f, "timer {timer} of {who} expires"),
            Cause::Call { request } => write!(f, "{who} is asked to {request}"),
            Cause::Crash => write!(f, "{who} crashes"),
            Cause::Restart => write!(f, "{who} restarts"),
            Cause::Pause { until } => write!(f, "{who} pauses until {until}"),
            Cause::Cut { other } => write!(f, "the link between place {place} and place {other} is cut"),
            Cause::Heal { other } => write!(f, "the link between place {place} and place {other} is cut no more"),
            Cause::Loss { from, content, .. } => {
                write!(f, "{} from place {from} to place {place} is lost", content.text)
            }
            Cause::Delay { from, content, until, .. } => {
                write!(f, "{} from place {from} to place {place} is made to arrive at {until}", content.text)
            }
            Cause::Hold { from, content, until, .. } => {
                write!(f, "{} from place {from} to place {place} is held until {until}", content.text)
            }
            Cause::Duplicate { from, content, .. } => {
                write!(f, "{} from place {from} to place {place} is duplicated", content.text)
            }
        }
    }
}

impl Display for StepText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Step { time, cause, effects, changed, comparisons, rules, .. } = self.step;
        if self.timed {
            write!(f, "at {time} ")?;
        }
        self.write_cause(f)?;
        for (index, effect) in effects.iter().enumerate() {
            write!(f, "{}{}", if index == 0 { ": " } else { ", " }, EffectText(effect))?;
        }
        for (index, change) in changed.iter().enumerate() {
            let before = match (index, effects.is_empty()) {
                (0, true) => ": ",
                (0, false) => "; ",
                _ => ", ",
            };
            write!(f, "{before}{}", ChangeText(change))?;
        }
        if effects.is_empty() && changed.is_empty() {
            match cause {
                Cause::Receive { .. } => f.write_str(": discards it")?,
                Cause::Timeout { .. } | Cause::Call { .. } => f.write_str(": does nothing")?,
                _ => {}
            }
        }
        write!(f, "{}", Reasons { comparisons, rules })
    }
}

/// The comparisons that decided a step and the rules that it applied, in parentheses.
struct Reasons<'a> {
    comparisons: &'a [StepComparison],
    rules: &'a [u8],
}

impl Display for Reasons<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { comparisons, rules } = self;
        if comparisons.is_empty() && rules.is_empty() {
            return Ok(());
        }
        f.write_str(" (")?;
        write_list(f, comparisons)?;
        if !rules.is_empty() {
            f.write_str(if comparisons.is_empty() { "" } else { "; " })?;
            f.write_str(if rules.len() == 1 { "rule " } else { "rules " })?;
            write_list(f, rules)?;
        }
        f.write_str(")")
    }
}

fn write_list(f: &mut fmt::Formatter<'_>, list: &[impl Display]) -> fmt::Result {
    for (index, element) in list.iter().enumerate() {
        write!(f, "{}{element}", if index == 0 { "" } else { ", " })?;
    }
    Ok(())
}

/// A place, with its identity if it has one.
struct Who<'a> {
    place: Place,
    ids: &'a [u64],
}

impl Display for Who<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "place {}", self.place)?;
        match self.ids.get(self.place as usize) {
            Some(id) => write!(f, " (id {id})"),
            None => Ok(()),
        }
    }
}

struct EffectText<'a>(&'a StepEffect);

impl Display for EffectText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            StepEffect::Send { to, content, .. } => write!(f, "sends {} to place {to}", content.text),
            StepEffect::SetTimer { timer, after } => match after.get() {
                Some(1) => write!(f, "sets timer {timer} to 1 tick"),
                Some(ticks) => write!(f, "sets timer {timer} to {ticks} ticks"),
                None => write!(f, "sets timer {timer} to never"),
            },
            StepEffect::CancelTimer { timer } => write!(f, "cancels timer {timer}"),
            StepEffect::Choose { bound, chosen } => write!(f, "draws {chosen} from 0 to {}", bound - 1),
            StepEffect::Report { report, .. } => write!(f, "reports {report}"),
        }
    }
}

struct ChangeText<'a>(&'a FieldChange);

impl Display for ChangeText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FieldChange { field, before, after } = self.0;
        write!(f, "{field} {before} → {after}")
    }
}

#[cfg(test)]
mod tests {
    use ringleader_model::{Id, Kind, Port, Ticks};
    use ringleader_sim::{MessageContent, MessageNumber};

    use super::*;

    fn candidate(id: u64) -> MessageContent {
        MessageContent { kind: Kind::work("candidate"), text: format!("candidate {id}"), identity: None, phase: None }
    }

    fn receive(id: u64) -> Cause {
        Cause::Receive { message: MessageNumber(1), from: 1, port: Port(0), content: candidate(id) }
    }

    fn change(field: &str, before: &str, after: &str) -> FieldChange {
        FieldChange { field: field.to_string(), before: before.to_string(), after: after.to_string() }
    }

    fn text(step: &Step) -> String {
        StepText::new(step, &[5, 3, 4]).to_string()
    }

    #[test]
    fn a_message_without_consequences_is_discarded() {
        let step = Step { rules: vec![2], ..Step::new(3, 2, receive(3)) };
        assert_eq!(text(&step), "at 3 place 2 (id 4) receives candidate 3 from place 1: discards it (rule 2)");
        assert_eq!(
            StepText::new(&step, &[]).without_time().to_string(),
            "place 2 receives candidate 3 from place 1: discards it (rule 2)"
        );
    }

    #[test]
    fn comparisons_come_before_rules() {
        let comparisons = vec![StepComparison::new(Id::new(3), Id::new(4))];
        let step = Step { comparisons, ..Step::new(3, 2, receive(3)) };
        let discards = "at 3 place 2 (id 4) receives candidate 3 from place 1: discards it";
        assert_eq!(text(&step), format!("{discards} (3 < 4)"));
        assert_eq!(text(&Step { rules: vec![3], ..step.clone() }), format!("{discards} (3 < 4; rule 3)"));
        let pair = StepComparison::new((2u32, Id::new(7)), (1u32, Id::new(9)));
        let step = Step { comparisons: vec![pair, StepComparison::new(1u32, 1u32)], rules: vec![5, 9], ..step };
        assert_eq!(text(&step), format!("{discards} ((2, 7) > (1, 9), 1 = 1; rules 5, 9)"));
    }

    #[test]
    fn effects_changes_and_rules_come_in_this_order() {
        let send = StepEffect::Send { message: MessageNumber(2), to: 0, port: Port(0), content: candidate(5) };
        let timer = |after| StepEffect::SetTimer { timer: "retry".to_string(), after };
        let effects = vec![
            StepEffect::Choose { bound: 6, chosen: 4 },
            send,
            timer(Ticks::ONE),
            timer(Ticks::NEVER),
            StepEffect::CancelTimer { timer: "wait".to_string() },
            StepEffect::Report { report: "follows 5".to_string(), milestone: None },
        ];
        let changed = vec![change("leader", "none", "5"), change("region.since", "2", "3")];
        let step = Step { effects, changed, rules: vec![3, 5], ..Step::new(3, 2, receive(5)) };
        assert_eq!(
            text(&step),
            "at 3 place 2 (id 4) receives candidate 5 from place 1: draws 4 from 0 to 5, sends candidate 5 to place 0, sets \
             timer retry to 1 tick, sets timer retry to never, cancels timer wait, reports follows 5; leader none → 5, region.since 2 → 3 (rules 3, 5)"
        );
    }

    #[test]
    fn a_change_alone_is_told() {
        let timeout = Cause::Timeout { timer: "sleep".to_string() };
        let changed = vec![change("stage", "waiting", "critical")];
        let step = Step { changed, ..Step::new(9, 0, timeout.clone()) };
        assert_eq!(text(&step), "at 9 timer sleep of place 0 (id 5) expires: stage waiting → critical");
        assert_eq!(text(&Step::new(9, 0, timeout)), "at 9 timer sleep of place 0 (id 5) expires: does nothing");
        assert_eq!(text(&Step::new(9, 0, Cause::Wake)), "at 9 place 0 (id 5) wakes");
    }

    #[test]
    fn a_fault_names_its_message() {
        let (message, from, port) = (MessageNumber(2), 1, Port(0));
        let lost = Cause::Loss { message, from, port, content: candidate(3) };
        assert_eq!(text(&Step::new(6, 2, lost)), "at 6 candidate 3 from place 1 to place 2 is lost");
        let twice = Cause::Duplicate { message, copy: MessageNumber(7), from, port, content: candidate(3) };
        assert_eq!(text(&Step::new(6, 2, twice)), "at 6 candidate 3 from place 1 to place 2 is duplicated");
        let held = Cause::Hold { message, from, port, content: candidate(3), until: 40 };
        assert_eq!(text(&Step::new(6, 2, held)), "at 6 candidate 3 from place 1 to place 2 is held until 40");
        let delayed = Cause::Delay { message, from, port, content: candidate(3), until: 40 };
        assert_eq!(text(&Step::new(6, 2, delayed)), "at 6 candidate 3 from place 1 to place 2 is made to arrive at 40");
        assert_eq!(text(&Step::new(7, 0, Cause::Crash)), "at 7 place 0 (id 5) crashes");
        let changed = vec![change("stage", "critical", "idle")];
        let restart = Step { changed, ..Step::new(7, 0, Cause::Restart) };
        assert_eq!(text(&restart), "at 7 place 0 (id 5) restarts: stage critical → idle");
        assert_eq!(text(&Step::new(7, 0, Cause::Pause { until: 9 })), "at 7 place 0 (id 5) pauses until 9");
        let cut = "at 7 the link between place 0 and place 1 is cut";
        assert_eq!(text(&Step::new(7, 0, Cause::Cut { other: 1 })), cut);
        assert_eq!(text(&Step::new(7, 0, Cause::Heal { other: 1 })), format!("{cut} no more"));
    }
}
