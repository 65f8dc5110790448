//! Where the cursor stands.

use ringleader_model::{Place, Time};
use ringleader_sim::RunPosition;
use serde::Serialize;

use super::Session;
use super::step_view::MoveView;

/// The digest of a state is computed unasked up to this number of processors.
const DIGESTED: usize = 100_000;

/// Where the cursor stands, in numbers, and the last move in words.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Position {
    /// The number of moves made.
    #[serde(rename = "move")]
    pub moves: u64,
    /// The present time.
    pub time: Time,
    /// The number of messages sent so far.
    pub messages: u64,
    /// The number of messages that arrived.
    pub deliveries: u64,
    /// The highest phase reached.
    pub phases: u32,
    /// The number of leaders.
    pub leaders: u32,
    /// The number of processors inside a critical section.
    pub inside: u32,
    /// The number of properties violated.
    pub violations: u32,
    /// The place of the last move.
    pub place: Place,
    /// Nothing can happen any more.
    pub over: bool,
    /// The digest of the state, in hexadecimal; null where there are too many processors.
    pub digest: Option<String>,
    /// The last move; null at the beginning.
    pub step: Option<MoveView>,
}

impl Session {
    /// Where the cursor stands.
    pub fn position(&self) -> Position {
        let cursor = self.timeline.cursor();
        let RunPosition { moves, time, messages_sent, deliveries, phases, leaders, inside, violations, place, .. } =
            self.timeline.position();
        let over = self.is_at_end();
        let violations = if over { self.summary().violations.len() as u32 } else { violations };
        let step = (moves > 0).then(|| MoveView::new(&self.setup, (moves, time, place), self.timeline.steps()));
        let digest = (self.setup.scenario.n <= DIGESTED).then(|| format!("{:016x}", cursor.state_digest()));
        let messages = messages_sent;
        Position { moves, time, messages, deliveries, phases, leaders, inside, violations, place, over, digest, step }
    }
}
