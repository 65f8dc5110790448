//! What became of the messages of a run, as far as its steps tell.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use ringleader_model::{Kind, Place, Time};
use ringleader_sim::Step;

/// A message on its way. Steps are named by their index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Line<'a> {
    pub(super) kind: Kind,
    pub(super) words: &'a str,
    pub(super) from: Place,
    pub(super) to: Place,
    pub(super) sent: usize,
    pub(super) handled: Option<usize>,
}

/// What became of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fate {
    /// It was never handled.
    Lost,
    /// It led to something at once.
    Acted,
    /// A timer was set for it. It waits until that step of its place, or to the end.
    Waits(Option<usize>),
    /// Nothing came of it.
    Swallowed,
}

/// The steps of a run and the messages between them.
pub(super) struct Flow<'a> {
    pub(super) steps: &'a [Step],
    pub(super) lines: Vec<Line<'a>>,
    /// By step, the line that it handled.
    arrivals: Vec<Option<usize>>,
}

impl<'a> Flow<'a> {
    /// Joins sendings to handlings: first in, first out among the same words from one place to another. Something
    /// handled that nobody has sent is a copy of what was sent last.
    pub(super) fn new(steps: &'a [Step]) -> Self {
        let mut lines: Vec<Line<'a>> = Vec::new();
        let mut arrivals = vec![None; steps.len()];
        for (index, step) in steps.iter().enumerate() {
            if let Some((from, _)) = step.received {
                let words = message(&step.event, "receives ");
                let same = |line: &Line<'_>| (line.from, line.to, line.words) == (from, step.place, words);
                if let Some(line) = lines.iter().position(|line| line.handled.is_none() && same(line)) {
                    lines[line].handled = Some(index);
                    arrivals[index] = Some(line);
                } else if let Some(line) = lines.iter().rev().find(|line| same(line)).cloned() {
                    arrivals[index] = Some(lines.len());
                    lines.push(Line { handled: Some(index), ..line });
                }
            }
            let spoken = step.effects.iter().filter(|effect| effect.starts_with("sends "));
            for (&(to, kind), effect) in step.sent.iter().zip(spoken) {
                let words = message(effect, "sends ");
                lines.push(Line { kind, words, from: step.place, to, sent: index, handled: None });
            }
        }
        Self { steps, lines, arrivals }
    }

    /// The kinds of messages, with how many there are: work before announcements, the commonest first.
    pub(super) fn kinds(&self) -> Vec<(Kind, usize)> {
        let mut kinds: Vec<(Kind, usize)> = Vec::new();
        // Backwards: of two equally common kinds, the one that came later is what the others prepare.
        for line in self.lines.iter().rev() {
            match kinds.iter_mut().find(|(kind, _)| *kind == line.kind) {
                Some((_, count)) => *count += 1,
                None => kinds.push((line.kind, 1)),
            }
        }
        kinds.sort_by_key(|&(kind, count)| (kind.part, Reverse(count)));
        kinds
    }

    pub(super) fn fate(&self, line: &Line<'_>) -> Fate {
        let Some(handled) = line.handled else { return Fate::Lost };
        let step = &self.steps[handled];
        if is_idle(step) {
            Fate::Swallowed
        } else if step.sent.is_empty() && !step.reported {
            let later = |&index: &usize| self.steps[index].place == step.place && !is_idle(&self.steps[index]);
            Fate::Waits((handled + 1..self.steps.len()).find(later))
        } else {
            Fate::Acted
        }
    }

    /// The lines that led to a leader: back from each declaration, through what was handled and the timers that ran.
    pub(super) fn ways(&self) -> BTreeSet<usize> {
        let mut ways = BTreeSet::new();
        for (index, _) in self.steps.iter().enumerate().filter(|(_, step)| declares(step)) {
            let mut next = Some(index);
            while let Some(index) = next {
                let step = &self.steps[index];
                next = match self.arrivals[index] {
                    Some(line) => ways.insert(line).then_some(self.lines[line].sent),
                    None if step.event.starts_with("timer ") => {
                        (0..index).rev().find(|&i| self.steps[i].place == step.place && !is_idle(&self.steps[i]))
                    }
                    None => None,
                };
            }
        }
        ways
    }

    /// Who is inside a critical section, from which step to which, or to the end.
    pub(super) fn stays(&self) -> Vec<(Place, usize, Option<usize>)> {
        let leaves =
            |place| move |&index: &usize| self.steps[index].place == place && reports(&self.steps[index], "Left");
        let entered = self.steps.iter().enumerate().filter(|(_, step)| reports(step, "Entered"));
        let stays = entered.map(|(index, step)| {
            let left = (index + 1..self.steps.len()).find(leaves(step.place));
            (step.place, index, left)
        });
        stays.collect()
    }

    /// By step, how many messages follow from each other in its instant before it.
    pub(super) fn passes(&self) -> Vec<u64> {
        let mut passes: Vec<u64> = Vec::new();
        let mut latest: BTreeMap<Place, (Time, u64)> = BTreeMap::new();
        for (step, arrival) in self.steps.iter().zip(&self.arrivals) {
            let sent = arrival.map(|line| self.lines[line].sent).filter(|&sent| self.steps[sent].time == step.time);
            let before = latest.get(&step.place).filter(|(time, _)| *time == step.time);
            let pass = sent.map_or(0, |sent| passes[sent] + 1).max(before.map_or(0, |&(_, pass)| pass));
            latest.insert(step.place, (step.time, pass));
            passes.push(pass);
        }
        passes
    }
}

/// Whether the processor declared itself leader.
pub(super) fn declares(step: &Step) -> bool {
    reports(step, "Elected")
}

/// Whether the processor learned who leads.
pub(super) fn follows(step: &Step) -> bool {
    reports(step, "Follows")
}

/// Whether the processor went in or out, which is drawn as a stay.
pub(super) fn moves(step: &Step) -> bool {
    reports(step, "Entered") || reports(step, "Left")
}

/// Whether the processor asks to be let in, or to read or write.
pub(super) fn asks(step: &Step) -> bool {
    reports(step, "Requested")
}

fn reports(step: &Step, what: &str) -> bool {
    let said = |effect: &String| effect.strip_prefix("reports ").is_some_and(|report| report.starts_with(what));
    step.effects.iter().any(said)
}

/// Whether nothing came of a step: no message, no report, no timer.
fn is_idle(step: &Step) -> bool {
    let sets_timer = step.effects.iter().any(|effect| effect.starts_with("sets timer"));
    step.sent.is_empty() && !step.reported && !sets_timer
}

/// The message in "receives M by port 0" or "sends M by port 0".
fn message<'a>(text: &'a str, verb: &str) -> &'a str {
    let rest = text.strip_prefix(verb).unwrap_or(text);
    rest.rsplit_once(" by port ").map_or(rest, |(words, _)| words)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) const KIND: Kind = Kind::work("token");

    /// A step: what happened, and what was done about it. `5>1` is the message 5 to or from place 1.
    pub(crate) fn step(time: Time, place: Place, event: &str, effects: &[&str]) -> Step {
        let pass = |text: &str| text.split_once('>').map(|(m, other)| (m.to_string(), other.parse().expect("a place")));
        let received = pass(event);
        let mut sent = Vec::new();
        let effects: Vec<String> = effects
            .iter()
            .map(|effect| match pass(effect) {
                Some((message, to)) => {
                    sent.push((to, KIND));
                    format!("sends {message} by port 0")
                }
                None => (*effect).to_string(),
            })
            .collect();
        let reported = effects.iter().any(|effect| effect.starts_with("reports"));
        let (event, received) = match received {
            Some((message, from)) => (format!("receives {message} by port 0"), Some((from, KIND))),
            None => (event.to_string(), None),
        };
        Step { time, place, event, effects, received, sent, reported, failed: false }
    }

    fn joined(steps: &[Step]) -> Vec<(&str, usize, Option<usize>)> {
        Flow::new(steps).lines.into_iter().map(|line| (line.words, line.sent, line.handled)).collect()
    }

    #[test]
    fn the_first_that_was_sent_is_the_first_that_is_handled() {
        let steps = [
            step(0, 0, "wakes", &["5>1", "5>2"]),
            step(1, 0, "timer T runs off", &["5>1"]),
            step(4, 2, "5>0", &[]),
            step(5, 1, "5>0", &[]),
            step(6, 1, "5>0", &[]),
        ];
        assert_eq!(joined(&steps), [("5", 0, Some(3)), ("5", 0, Some(2)), ("5", 1, Some(4))]);
    }

    #[test]
    fn one_may_overtake_another_get_lost_or_come_twice() {
        let steps = [
            step(0, 0, "wakes", &["5>1", "6>1", "7>1"]),
            step(1, 1, "6>0", &[]),
            step(2, 1, "5>0", &[]),
            step(3, 1, "6>0", &[]),
        ];
        assert_eq!(joined(&steps), [("5", 0, Some(2)), ("6", 0, Some(1)), ("7", 0, None), ("6", 0, Some(3))]);
        assert_eq!(Flow::new(&steps).fate(&Flow::new(&steps).lines[2]), Fate::Lost);
    }

    #[test]
    fn the_way_to_the_leader_leads_through_timers_and_not_through_what_was_swallowed() {
        let steps = [
            step(0, 0, "wakes", &["1>1"]),
            step(0, 1, "wakes", &["9>0"]),
            step(2, 0, "9>1", &[]),
            step(2, 1, "1>0", &["sets timer T to 3"]),
            step(5, 1, "timer T runs off", &["1>0"]),
            step(6, 0, "1>1", &["reports Elected(1)"]),
        ];
        let flow = Flow::new(&steps);
        let fates: Vec<_> = flow.lines.iter().map(|line| flow.fate(line)).collect();
        assert_eq!(fates, [Fate::Waits(Some(4)), Fate::Swallowed, Fate::Acted]);
        assert_eq!(flow.ways().into_iter().collect::<Vec<_>>(), [0, 2]);
    }

    #[test]
    fn a_stay_lasts_from_entering_to_leaving() {
        let steps = [
            step(0, 0, "is asked to Acquire", &["reports Requested"]),
            step(2, 0, "timer T runs off", &["reports Entered { negatives: None }"]),
            step(3, 1, "timer T runs off", &["reports Entered { negatives: None }"]),
            step(4, 0, "is asked to Release", &["reports Left"]),
        ];
        assert_eq!(Flow::new(&steps).stays(), [(0, 1, Some(3)), (1, 2, None)]);
    }

    #[test]
    fn what_follows_in_the_same_instant_is_a_pass_later() {
        let steps = [
            step(3, 0, "wakes", &["1>1"]),
            step(3, 1, "wakes", &[]),
            step(3, 1, "1>0", &["1>2"]),
            step(3, 2, "1>1", &["1>0"]),
            step(3, 2, "timer T runs off", &[]),
            step(4, 0, "1>2", &[]),
        ];
        assert_eq!(Flow::new(&steps).passes(), [0, 0, 1, 2, 2, 0]);
    }
}
