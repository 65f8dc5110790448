//! The messages of a run: the step that sends each, the step that handles it, and its fate.

use std::collections::{BTreeMap, BTreeSet};

use ringleader_model::{Kind, Milestone, Place, Time};
use ringleader_sim::{Cause, MessageNumber, Step, StepEffect};

/// The legend has no room for more characters that messages of a kind have in common.
const MOST_IN_COMMON: usize = 32;

/// A message. Steps are named by their index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Line<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) from: Place,
    pub(super) to: Place,
    pub(super) sent: usize,
    pub(super) handled: Option<usize>,
    /// Whether it is lost.
    lost: bool,
    /// Whether it is the copy of another.
    pub(super) copy: bool,
    /// Whether an intervention decided when it arrives.
    pub(super) decided: bool,
    /// The number of messages before it between the same places and times.
    pub(super) parallel: u8,
}

/// The fate of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fate {
    /// It is lost.
    Lost,
    /// It is not handled in what is shown.
    Pending,
    /// It leads to a message or a report at once.
    Acted,
    /// It changes the state of its receiver.
    RecordedSteps,
    /// A timer is set for it. It waits until that step of its receiver, or to the end.
    Waits(Option<usize>),
    /// It is discarded: nothing comes of it.
    Discarded,
}

/// The steps of a run and the messages between them.
pub(super) struct Flow<'a> {
    pub(super) steps: &'a [Step],
    pub(super) lines: Vec<Line<'a>>,
    /// By step, the line that it handles.
    arrivals: Vec<Option<usize>>,
    /// By step, the next step of its place that has an effect.
    next: Vec<Option<usize>>,
}

impl<'a> Flow<'a> {
    /// Joins every message to the step that handles it, by its number. A message whose sending is not among the steps has
    /// no line.
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
                Cause::Loss { message, .. } => {
                    if let Some(&line) = by_number.get(message) {
                        lines[line].lost = true;
                    }
                }
                Cause::Duplicate { message, copy, .. } => {
                    if let Some(&line) = by_number.get(message) {
                        by_number.insert(*copy, lines.len());
                        lines.push(Line { handled: None, copy: true, decided: false, ..lines[line].clone() });
                    }
                }
                Cause::Delay { message, .. } | Cause::Hold { message, .. } => {
                    if let Some(&line) = by_number.get(message) {
                        lines[line].decided = true;
                    }
                }
                _ => {}
            }
            for (number, to, content) in step.sends() {
                by_number.insert(number, lines.len());
                let (kind, text, from) = (content.kind, content.text.as_str(), step.place);
                let (lost, copy, decided) = (false, false, false);
                lines.push(Line { kind, text, from, to, sent: index, handled: None, lost, copy, decided, parallel: 0 });
            }
        }
        number_parallel(&mut lines, steps);
        Self { steps, lines, arrivals, next: next_active(steps) }
    }

    /// The messages of a kind.
    pub(super) fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Line<'a>> {
        self.lines.iter().filter(move |line| line.kind == kind)
    }

    pub(super) fn fate(&self, line: &Line<'_>) -> Fate {
        let Some(handled) = line.handled else { return if line.lost { Fate::Lost } else { Fate::Pending } };
        let step = &self.steps[handled];
        if is_active(step) {
            let acts = step.sends().next().is_some() || step.reports();
            if acts { Fate::Acted } else { Fate::Waits(self.next[handled]) }
        } else if step.changed.is_empty() {
            Fate::Discarded
        } else {
            Fate::RecordedSteps
        }
    }

    /// The lines that led to a leader: back from the first election of each place, through the messages handled and the
    /// timers that expired.
    pub(super) fn paths_to_leaders(&self) -> BTreeSet<usize> {
        let (mut paths, mut leaders) = (BTreeSet::new(), BTreeSet::new());
        for (index, step) in self.steps.iter().enumerate().filter(|(_, step)| elects(step)) {
            let mut next = leaders.insert(step.place).then_some(index);
            while let Some(index) = next {
                let step = &self.steps[index];
                next = match self.arrivals[index] {
                    Some(line) => paths.insert(line).then_some(self.lines[line].sent),
                    None if matches!(step.cause, Cause::Timeout { .. }) => {
                        (0..index).rev().find(|&i| self.steps[i].place == step.place && is_active(&self.steps[i]))
                    }
                    None => None,
                };
            }
        }
        paths
    }

    /// By step, its level: the longest causal chain of messages that leads to it within its instant.
    pub(super) fn levels(&self) -> Vec<u64> {
        let mut levels: Vec<u64> = Vec::new();
        let mut latest: BTreeMap<Place, (Time, u64)> = BTreeMap::new();
        for (step, arrival) in self.steps.iter().zip(&self.arrivals) {
            let sent = arrival.map(|line| self.lines[line].sent).filter(|&sent| self.steps[sent].time == step.time);
            let before = latest.get(&step.place).filter(|(time, _)| *time == step.time);
            let level = sent.map_or(0, |sent| levels[sent] + 1).max(before.map_or(0, |&(_, level)| level));
            latest.insert(step.place, (step.time, level));
            levels.push(level);
        }
        levels
    }

    /// Whether a step handles a message.
    pub(super) fn receives(&self, step: usize) -> bool {
        self.arrivals[step].is_some()
    }

    /// The words with which all messages of a kind begin: its name, and the fields that are the same in all of them.
    /// Only the name where this is too long for the legend; none where texts do not begin with it.
    pub(super) fn common_words(&self, kind: Kind) -> Vec<&'a str> {
        let mut texts = self.of_kind(kind).map(|line| line.text);
        let mut common: Vec<&str> = texts.next().map_or_else(Vec::new, |text| text.split(' ').collect());
        for text in texts {
            let same = common.iter().zip(text.split(' ')).take_while(|(one, other)| **one == *other).count();
            common.truncate(same);
        }
        if common.join(" ").len() > MOST_IN_COMMON {
            common.truncate(1);
        }
        if common.first() != Some(&kind.name) {
            common.clear();
        }
        common
    }
}

/// Numbers the messages between the same places and times.
fn number_parallel(lines: &mut [Line<'_>], steps: &[Step]) {
    let mut counts: BTreeMap<(Place, Place, Time, Option<Time>), u8> = BTreeMap::new();
    for line in lines {
        let handled = line.handled.map(|handled| steps[handled].time);
        let count = counts.entry((line.from, line.to, steps[line.sent].time, handled)).or_default();
        line.parallel = *count;
        *count = count.saturating_add(1);
    }
}

/// By step, the next step of its place that has an effect.
fn next_active(steps: &[Step]) -> Vec<Option<usize>> {
    let mut latest: BTreeMap<Place, usize> = BTreeMap::new();
    let mut next = vec![None; steps.len()];
    for (index, step) in steps.iter().enumerate().rev() {
        next[index] = latest.get(&step.place).copied();
        if is_active(step) {
            latest.insert(step.place, index);
        }
    }
    next
}

/// Whether a processor is elected in a step.
pub(super) fn elects(step: &Step) -> bool {
    step.milestones().any(|milestone| matches!(milestone, Milestone::Elected { .. }))
}

/// Whether a step sends, reports or sets a timer.
fn is_active(step: &Step) -> bool {
    let acts = |effect: &StepEffect| {
        matches!(effect, StepEffect::Send { .. } | StepEffect::Report { .. } | StepEffect::SetTimer { .. })
    };
    step.effects.iter().any(acts)
}

#[cfg(test)]
mod tests {
    use ringleader_model::Port;

    use super::super::samples::{KIND, content, receive, report, send, set_timer, step, timeout};
    use super::*;

    fn joined(steps: &[Step]) -> Vec<(&str, usize, Option<usize>)> {
        Flow::new(steps).lines.into_iter().map(|line| (line.text, line.sent, line.handled)).collect()
    }

    #[test]
    fn a_message_may_overtake_another_and_stay_in_flight() {
        let steps = [
            step(0, 0, Cause::Wake, &[send(1, 1), send(2, 1), send(3, 1)]),
            step(1, 1, receive(2, 0), &[]),
            step(2, 1, receive(1, 0), &[]),
        ];
        assert_eq!(joined(&steps), [("token 1", 0, Some(2)), ("token 2", 0, Some(1)), ("token 3", 0, None)]);
        let flow = Flow::new(&steps);
        assert_eq!(
            flow.lines.iter().map(|line| flow.fate(line)).collect::<Vec<_>>(),
            [Fate::Discarded, Fate::Discarded, Fate::Pending]
        );
        assert_eq!(flow.common_words(KIND), ["token"]);
    }

    #[test]
    fn a_copy_is_a_message_of_its_own_and_a_loss_is_no_delay() {
        let (message, copy) = (MessageNumber(1), MessageNumber(2));
        let steps = [
            step(0, 0, Cause::Wake, &[send(1, 1)]),
            step(0, 1, Cause::Duplicate { message, copy, from: 0, port: Port(0), content: content(1) }, &[]),
            step(1, 1, receive(2, 0), &[]),
            step(2, 1, Cause::Loss { message, from: 0, port: Port(0), content: content(1) }, &[]),
        ];
        assert_eq!(joined(&steps), [("token 1", 0, None), ("token 1", 0, Some(2))]);
        let flow = Flow::new(&steps);
        assert_eq!(flow.fate(&flow.lines[0]), Fate::Lost);
        assert_eq!(flow.common_words(KIND), ["token", "1"], "nothing tells them apart");
        assert_eq!(flow.lines.iter().map(|line| line.copy).collect::<Vec<_>>(), [false, true]);
    }

    #[test]
    fn a_message_whose_arrival_is_decided_is_told_from_others() {
        let (message, from, port) = (MessageNumber(1), 0, Port(0));
        let steps = [
            step(0, 0, Cause::Wake, &[send(1, 1), send(2, 1), send(3, 1)]),
            step(0, 1, Cause::Delay { message, from, port, content: content(1), until: 9 }, &[]),
            step(0, 1, Cause::Hold { message: MessageNumber(3), from, port, content: content(3), until: 9 }, &[]),
            step(9, 1, receive(1, 0), &[]),
        ];
        assert_eq!(Flow::new(&steps).lines.iter().map(|line| line.decided).collect::<Vec<_>>(), [true, false, true]);
    }

    #[test]
    fn the_path_to_the_leader_leads_through_timers_and_not_through_discarded_messages() {
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
        assert_eq!(fates, [Fate::Waits(Some(4)), Fate::Discarded, Fate::Acted]);
        assert_eq!(flow.paths_to_leaders().into_iter().collect::<Vec<_>>(), [0, 2]);
    }

    #[test]
    fn what_follows_in_the_same_instant_is_a_level_later() {
        let steps = [
            step(3, 0, Cause::Wake, &[send(1, 1)]),
            step(3, 1, Cause::Wake, &[]),
            step(3, 1, receive(1, 0), &[send(2, 2)]),
            step(3, 2, receive(2, 1), &[send(3, 0)]),
            step(3, 2, timeout(), &[]),
            step(4, 0, receive(3, 2), &[]),
        ];
        assert_eq!(Flow::new(&steps).levels(), [0, 0, 1, 2, 2, 0]);
    }
}
