//! The part of a run that a diagram shows.

use ringleader_model::{Milestone, Time};
use ringleader_sim::Step;

use super::axis::Break;
use super::{RunInfo, Subject, grouped};

/// A diagram of a workload shows no more messages than this, unless a few entries take more.
const MESSAGES: usize = 360;
const FEW: usize = 6;
/// And no more entries than this, or than two of each site.
const ENTRIES: usize = 12;
/// The number of laps that a diagram of a token ring shows after the number of tokens has changed.
const LAPS: usize = 3;
/// So many messages at most.
const TOKEN_MESSAGES: usize = 600;
/// So many messages are shown before a violation, and after it.
const BEFORE: usize = 30;
const AFTER: usize = 15;

/// The steps that a diagram shows.
pub(super) struct Window {
    pub(super) steps: Vec<Step>,
    /// The time that is left out between them.
    pub(super) left_out: Option<Break>,
    /// The index of the first step after what is left out.
    pub(super) resumed: Option<usize>,
    /// Whether the run goes on after them.
    pub(super) cut: bool,
    /// A description of the part that is shown, if it is not the whole run.
    pub(super) note: Option<String>,
}

/// The recorded steps of a run, and its totals.
pub(super) struct RecordedSteps<'a> {
    /// From the beginning on.
    pub(super) head: &'a [Step],
    /// Around the first violation, or before the end; later than `head`.
    pub(super) tail: &'a [Step],
    /// Whether the run went on after `head`.
    pub(super) more: bool,
    /// All messages, and all entries, reads and writes, of the run.
    pub(super) messages: u64,
    pub(super) entries: u64,
    /// The index in `head`, or after it in `tail`, of the step that shows the first violation.
    pub(super) wrong: Option<usize>,
}

impl Window {
    /// The window of a recorded run.
    pub(super) fn new(info: &RunInfo<'_>, recorded: &RecordedSteps<'_>) -> Self {
        let head = recorded.head;
        let end = match info.subject {
            Subject::Messages => head.len(),
            Subject::Sharing | Subject::Data => first_entries(info, head),
            Subject::Tokens => first_laps(info, head),
        };
        let around = recorded.wrong.filter(|&wrong| wrong >= end).map(|wrong| around(recorded, end, wrong));
        let mut steps = head[..end].to_vec();
        let Some((from, to)) = around else {
            let cut = end < head.len() || recorded.more;
            let note = cut.then(|| note(info, recorded, &steps, None));
            return Self { steps, left_out: None, resumed: None, cut, note };
        };
        let all = || recorded.head.iter().chain(recorded.tail);
        let later: Vec<Step> = all().skip(from).take(to - from).cloned().collect();
        let before = steps.last().map_or(0, |step| step.time);
        let left_out = later.first().map(|step| Break { from: before, to: step.time });
        let note = note(info, recorded, &steps, Some(&later));
        steps.extend(later);
        let cut = to < recorded.head.len() + recorded.tail.len();
        let left_out = left_out.filter(|gap| gap.from < gap.to);
        Self { steps, left_out, resumed: (from > end).then_some(end), cut, note: Some(note) }
    }
}

/// The number of steps up to the end of the first entries.
fn first_entries(info: &RunInfo<'_>, steps: &[Step]) -> usize {
    let most = ENTRIES.max(2 * (info.n - info.cells));
    let (mut messages, mut entries, mut end) = (0, 0, 0);
    for (index, step) in steps.iter().enumerate() {
        messages += step.sends().count();
        let over = entries >= most || messages > MESSAGES && entries >= FEW;
        if over && end > 0 {
            return whole_instant(steps, end);
        }
        if step.milestones().any(completes) {
            entries += 1;
            end = index + 1;
        }
    }
    steps.len()
}

/// The number of steps up to some laps after the last change in the number of tokens.
fn first_laps(info: &RunInfo<'_>, steps: &[Step]) -> usize {
    let (mut messages, mut since, mut end) = (0, 0, steps.len());
    for (index, step) in steps.iter().enumerate() {
        messages += step.sends().count();
        since += step.sends().count();
        if step.reports() || step.cause.is_fault() {
            (since, end) = (0, steps.len());
        }
        if since >= LAPS * info.n && end == steps.len() {
            end = index + 1;
        }
        if messages > TOKEN_MESSAGES && end < steps.len() {
            break;
        }
    }
    whole_instant(steps, end)
}

/// The steps around a violation, from the end of the window on.
fn around(recorded: &RecordedSteps<'_>, end: usize, wrong: usize) -> (usize, usize) {
    let step = |index: usize| recorded.head.get(index).unwrap_or_else(|| &recorded.tail[index - recorded.head.len()]);
    let all = recorded.head.len() + recorded.tail.len();
    let within = |most: usize, indices: &mut dyn Iterator<Item = usize>| {
        let (mut messages, mut last) = (0, wrong);
        for index in indices {
            messages += step(index).sends().count();
            if messages > most {
                break;
            }
            last = index;
        }
        last
    };
    let from = within(BEFORE, &mut (end..wrong).rev());
    let to = within(AFTER, &mut (wrong..all)) + 1;
    (from, to)
}

/// The end of the instant in which a step is the last.
fn whole_instant(steps: &[Step], end: usize) -> usize {
    let Some(time) = end.checked_sub(1).and_then(|last| steps.get(last)).map(|step| step.time) else { return end };
    end + steps[end..].iter().take_while(|step| step.time == time).count()
}

/// Whether an entry, a read or a write is complete.
pub(super) fn completes(milestone: Milestone) -> bool {
    matches!(milestone, Milestone::Left | Milestone::Read { .. } | Milestone::Written { .. })
}

/// The part of the run that is shown.
fn note(info: &RunInfo<'_>, recorded: &RecordedSteps<'_>, first: &[Step], later: Option<&[Step]>) -> String {
    let span = |steps: &[Step]| (steps.first().map_or(0, |step| step.time), steps.last().map_or(0, |step| step.time));
    let unit = if info.untimed { "step" } else { "time" };
    let time = |(from, to): (Time, Time)| format!("{unit} {} to {}", grouped(from), grouped(to));
    let messages: usize = first.iter().chain(later.unwrap_or_default()).map(|step| step.sends().count()).sum();
    let entries = first.iter().flat_map(Step::milestones).filter(|&milestone| completes(milestone)).count();
    let what = match info.subject {
        Subject::Sharing if recorded.entries > 0 => {
            format!("First {} of {} entries, {}", grouped(entries), grouped(recorded.entries), time(span(first)))
        }
        Subject::Data if recorded.entries > 0 => {
            let all = grouped(recorded.entries);
            format!("First {} of {all} reads and writes, {}", grouped(entries), time(span(first)))
        }
        _ => format!("The beginning, {}", time(span(first))),
    };
    let later =
        later.map_or(String::new(), |later| format!("; then {}, around the first violation", time(span(later))));
    format!("{what}{later}; {} of {} messages.", grouped(messages), grouped(recorded.messages))
}
