//! One processor, and the messages on their way.

use ringleader::Error;
use ringleader_model::Place;
use ringleader_sim::{MessageView, ProcessorView};
use serde::Serialize;

use super::marks::Mark;
use super::step_view::MoveView;
use super::{Position, RunView, Session};

/// The most messages of an answer.
const MOST_MESSAGES: usize = 5_000;
/// The last move of a processor is looked for among this number of moves before the cursor.
const LOOKED_BACK: u64 = 1_000;
/// What a learner guesses that a processor does with an event.
const CHOICES: [&str; 4] = ["send", "forward", "discard", "decide"];

/// A processor at the cursor.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct InspectedProcessor {
    #[serde(flatten)]
    view: ProcessorView,
    /// Its identity, where it has one.
    id: Option<u64>,
    /// What it is: `processor`, `site`, `reader`, `writer` or `cell`.
    role: &'static str,
    /// Its last move, if it was not long ago.
    last: Option<MoveView>,
    choices: [&'static str; 4],
}

/// The messages on their way at the cursor.
#[derive(Debug, Serialize)]
pub(crate) struct MessagesView {
    messages: Vec<SentView>,
    /// There are more.
    more: bool,
}

/// A message with the time at which it was sent.
#[derive(Debug, Serialize)]
struct SentView {
    #[serde(flatten)]
    message: MessageView,
    sent: Option<u64>,
    /// Something was done to it.
    intervened: bool,
}

/// How far a run has been executed.
#[derive(Debug, Serialize)]
pub(crate) struct AheadView<'a> {
    over: bool,
    moves: u64,
    time: u64,
    /// The index of the first of these marks: those before it are known.
    from: usize,
    marks: &'a [Mark],
    /// Marks were left out, because there are too many of a kind.
    thinned: bool,
    /// When the run is over: the digest of its state.
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    /// The verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'static str>,
    /// The outcome in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<String>,
}

/// A session that was opened.
#[derive(Debug, Serialize)]
pub(crate) struct OpenedView {
    pub(super) session: u32,
    pub(super) run: RunView,
    pub(super) position: Position,
    /// The move at which the cursor stands, if that is not the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cursor: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) selection: Option<serde_json::Value>,
    pub(super) notes: Vec<String>,
}

impl Session {
    /// A processor at the cursor.
    pub(crate) fn inspect(&self, place: Place) -> Result<InspectedProcessor, Error> {
        let n = self.setup.scenario.n;
        if place as usize >= n {
            let (wrong, allowed) = (format!("is {place}"), format!("0 to {}", n - 1));
            return Err(Error::Named { name: "place".to_string(), wrong, allowed });
        }
        Ok(InspectedProcessor {
            view: self.timeline.cursor().processor(place),
            id: self.setup.scenario.ids.get(place as usize).copied(),
            role: self.role(place),
            last: self.last_move_of(place),
            choices: CHOICES,
        })
    }

    fn role(&self, place: Place) -> &'static str {
        let place = place as usize;
        match &self.setup.scenario.workload {
            None => "processor",
            Some(load) if place >= self.setup.scenario.n - load.cells => "cell",
            Some(load) if load.readers + load.writers == 0 => "site",
            Some(load) if place < load.readers => "reader",
            Some(load) if place < load.readers + load.writers => "writer",
            Some(_) => "site",
        }
    }

    /// The last move of a processor before the cursor.
    fn last_move_of(&self, place: Place) -> Option<MoveView> {
        let position = self.timeline.position();
        if position.moves == 0 {
            return None;
        }
        if position.place == place {
            let at = (position.moves, position.time, place);
            return Some(MoveView::new(&self.setup, at, self.timeline.steps()));
        }
        let logged = self.timeline.logged(position.moves.saturating_sub(LOOKED_BACK), position.moves);
        let last = logged.iter().rev().find(|one| one.position.place == place)?;
        Some(MoveView::new(&self.setup, (last.position.moves, last.position.time, place), &last.steps))
    }

    /// The messages on their way at the cursor.
    pub(crate) fn messages(&self) -> MessagesView {
        let mut messages = self.timeline.cursor().in_flight();
        let more = messages.len() > MOST_MESSAGES;
        messages.truncate(MOST_MESSAGES);
        let view = |message: MessageView| {
            let number = message.number.0;
            SentView { message, sent: self.sent_at(number), intervened: self.is_intervened(number) }
        };
        MessagesView { messages: messages.into_iter().map(view).collect(), more }
    }

    /// How far the run has been executed, with the marks from an index on.
    pub(crate) fn ahead_view(&mut self, since: usize) -> AheadView<'_> {
        let over = self.timeline.is_over();
        let summary = over.then(|| self.timeline.ahead().summary());
        let outcome = summary.as_ref().map(|summary| self.outcome(summary));
        let position = self.timeline.last_position();
        let digest = over.then(|| format!("{:016x}", self.timeline.ahead().state_digest()));
        let thinned = self.marks.is_thinned();
        let (from, marks) = self.marks.since(since);
        AheadView {
            over,
            moves: position.moves,
            time: position.time,
            from,
            marks,
            thinned,
            digest,
            verdict: summary.map(|summary| summary.verdict.name()),
            outcome,
        }
    }

    /// What a page is told of a session that was opened.
    pub(crate) fn opened_view(&self, number: u32, selection: Option<serde_json::Value>) -> OpenedView {
        let (run, position) = (self.run_view(), self.position());
        let cursor = Some(position.moves).filter(|&moves| moves > 0);
        OpenedView { session: number, run, position, cursor, selection, notes: self.notes.clone() }
    }
}
