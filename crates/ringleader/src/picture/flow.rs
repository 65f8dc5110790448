//! What became of the messages of a run, as far as its steps tell.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use ringleader_model::{Kind, Milestone, Place, Time};
use ringleader_sim::{Cause, MessageNumber, Step, StepEffect};

/// A message on its way. Steps are named by their index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Line<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
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
    /// Joins every message to the step that handles it, by its number.
    pub(super) fn new(steps: &'a [Step]) -> Self {
        let mut lines: Vec<Line<'a>> = Vec::new();
        let mut by_number: BTreeMap<MessageNumber, usize> = BTreeMap::new();
        let mut arrivals = vec![None; steps.len()];
        for (index, step) in steps.iter().enumerate() {
            match &step.cause {
                Cause::Receive { message, .. } => {
                    arrivals[index] = by_number.get(message).copied();
                    if let Some(line) = arrivals[index] {
                        lines[line].handled = Some(index);
                    }
                }
                Cause::Duplicate { message, copy, .. } => {
                    if let Some(&line) = by_number.get(message) {
                        by_number.insert(*copy, lines.len());
                        lines.push(Line { handled: None, ..lines[line].clone() });
                    }
                }
                _ => {}
            }
            for (number, to, content) in step.sends() {
                by_number.insert(number, lines.len());
                let (kind, text, from) = (content.kind, content.text.as_str(), step.place);
                lines.push(Line { kind, text, from, to, sent: index, handled: None });
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
        } else if step.sends().next().is_none() && !step.reports() {
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
                    None if matches!(step.cause, Cause::Timeout { .. }) => {
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
        let leaves = |place| move |&index: &usize| self.steps[index].place == place && leaves(&self.steps[index]);
        let entered = self.steps.iter().enumerate().filter(|(_, step)| enters(step));
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
    step.milestones().any(|milestone| matches!(milestone, Milestone::Elected { .. }))
}

/// Whether the processor learned who leads.
pub(super) fn follows(step: &Step) -> bool {
    step.milestones().any(|milestone| matches!(milestone, Milestone::Follows { .. }))
}

/// Whether the processor went in or out, which is drawn as a stay.
pub(super) fn moves(step: &Step) -> bool {
    enters(step) || leaves(step)
}

/// Whether the processor asks to be let in, or to read or write.
pub(super) fn asks(step: &Step) -> bool {
    step.milestones().any(|milestone| milestone == Milestone::Requested)
}

fn enters(step: &Step) -> bool {
    step.milestones().any(|milestone| matches!(milestone, Milestone::Entered { .. }))
}

fn leaves(step: &Step) -> bool {
    step.milestones().any(|milestone| milestone == Milestone::Left)
}

/// Whether nothing came of a step: no message, no report, no timer.
fn is_idle(step: &Step) -> bool {
    let acts = |effect: &StepEffect| {
        matches!(effect, StepEffect::Send { .. } | StepEffect::Report { .. } | StepEffect::SetTimer { .. })
    };
    !step.effects.iter().any(acts)
}

#[cfg(test)]
pub(super) mod tests {
    use ringleader_model::{Port, Ticks};
    use ringleader_sim::MessageContent;

    use super::*;

    pub(crate) const KIND: Kind = Kind::work("token");

    pub(crate) fn step(time: Time, place: Place, cause: Cause, effects: &[StepEffect]) -> Step {
        Step { effects: effects.to_vec(), ..Step::new(time, place, cause) }
    }

    fn content(number: u64) -> MessageContent {
        MessageContent { kind: KIND, text: format!("token {number}") }
    }

    /// The receipt of the message of this number.
    pub(crate) fn receive(number: u64, from: Place) -> Cause {
        Cause::Receive { message: MessageNumber(number), from, port: Port(0), content: content(number) }
    }

    /// The sending of the message of this number.
    pub(crate) fn send(number: u64, to: Place) -> StepEffect {
        StepEffect::Send { message: MessageNumber(number), to, port: Port(0), content: content(number) }
    }

    pub(crate) fn timeout() -> Cause {
        Cause::Timeout { timer: "T".to_string() }
    }

    pub(crate) fn set_timer(ticks: u64) -> StepEffect {
        StepEffect::SetTimer { timer: "T".to_string(), after: Ticks::new(ticks) }
    }

    pub(crate) fn report(milestone: Option<Milestone>) -> StepEffect {
        StepEffect::Report { report: "a report".to_string(), milestone }
    }

    fn joined(steps: &[Step]) -> Vec<(&str, usize, Option<usize>)> {
        Flow::new(steps).lines.into_iter().map(|line| (line.text, line.sent, line.handled)).collect()
    }

    #[test]
    fn a_message_may_overtake_another_and_get_lost() {
        let steps = [
            step(0, 0, Cause::Wake, &[send(1, 1), send(2, 1), send(3, 1)]),
            step(1, 1, receive(2, 0), &[]),
            step(2, 1, receive(1, 0), &[]),
        ];
        assert_eq!(joined(&steps), [("token 1", 0, Some(2)), ("token 2", 0, Some(1)), ("token 3", 0, None)]);
        assert_eq!(Flow::new(&steps).fate(&Flow::new(&steps).lines[2]), Fate::Lost);
    }

    #[test]
    fn a_copy_is_a_message_of_its_own() {
        let (message, copy) = (MessageNumber(1), MessageNumber(2));
        let steps = [
            step(0, 0, Cause::Wake, &[send(1, 1)]),
            step(0, 1, Cause::Duplicate { message, copy, from: 0, port: Port(0), content: content(1) }, &[]),
            step(1, 1, receive(2, 0), &[]),
            step(2, 1, receive(1, 0), &[]),
        ];
        assert_eq!(joined(&steps), [("token 1", 0, Some(3)), ("token 1", 0, Some(2))]);
    }

    #[test]
    fn the_way_to_the_leader_leads_through_timers_and_not_through_what_was_swallowed() {
        let steps = [
            step(0, 0, Cause::Wake, &[send(1, 1)]),
            step(0, 1, Cause::Wake, &[send(2, 0)]),
            step(2, 0, receive(2, 1), &[]),
            step(2, 1, receive(1, 0), &[set_timer(3)]),
            step(5, 1, timeout(), &[send(3, 0)]),
            step(6, 0, receive(3, 1), &[report(Some(Milestone::Elected { id: None }))]),
        ];
        let flow = Flow::new(&steps);
        let fates: Vec<_> = flow.lines.iter().map(|line| flow.fate(line)).collect();
        assert_eq!(fates, [Fate::Waits(Some(4)), Fate::Swallowed, Fate::Acted]);
        assert_eq!(flow.ways().into_iter().collect::<Vec<_>>(), [0, 2]);
    }

    #[test]
    fn a_stay_lasts_from_entering_to_leaving() {
        let entered = [report(Some(Milestone::Entered { negatives: None }))];
        let steps = [
            step(0, 0, Cause::Call { request: "acquire".to_string() }, &[report(Some(Milestone::Requested))]),
            step(2, 0, timeout(), &entered),
            step(3, 1, timeout(), &entered),
            step(4, 0, Cause::Call { request: "release".to_string() }, &[report(Some(Milestone::Left))]),
        ];
        assert_eq!(Flow::new(&steps).stays(), [(0, 1, Some(3)), (1, 2, None)]);
    }

    #[test]
    fn what_follows_in_the_same_instant_is_a_pass_later() {
        let steps = [
            step(3, 0, Cause::Wake, &[send(1, 1)]),
            step(3, 1, Cause::Wake, &[]),
            step(3, 1, receive(1, 0), &[send(2, 2)]),
            step(3, 2, receive(2, 1), &[send(3, 0)]),
            step(3, 2, timeout(), &[]),
            step(4, 0, receive(3, 2), &[]),
        ];
        assert_eq!(Flow::new(&steps).passes(), [0, 0, 1, 2, 2, 0]);
    }
}
