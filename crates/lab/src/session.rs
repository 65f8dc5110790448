//! A run in the lab: opened from a command line, a trace file or a link, moved about in, looked into, changed and shared.
//!
//! A session is pure: no clock, no file, no page. [`Lab`](crate::Lab) has one for each run that a page shows, and answers
//! requests with them.

mod catalogue;
mod changes;
mod checking;
mod frame;
mod inspection;
mod limit;
mod marks;
mod open;
mod phases;
mod position;
mod rail;
mod run_view;
mod share;
mod step_view;
mod timeline;
mod travel;
mod window;

use ringleader::{Error, Setup};
use ringleader_sim::Choices;

pub use catalogue::{LabPreset, PRESETS};
pub use marks::{Mark, MarkKind};
pub use position::Position;
pub use run_view::RunView;
pub use step_view::MoveView;

pub(crate) use catalogue::CatalogueView;
pub(crate) use changes::{Change, ProcessorAction};
pub(crate) use checking::CheckRun;
pub(crate) use open::RunSource;
pub(crate) use travel::Stride;

use self::frame::FrameFacts;
use self::marks::Marks;
use self::phases::PhaseMessages;
use self::timeline::Timeline;
use self::window::SessionWindow;

/// A run that holds more bytes does not go on: a page has 4 GB, and several copies of it.
const MOST_BYTES: usize = 900 << 20;
/// Messages are told apart by when they were sent, as long as there are not more instants than this.
const MOST_INSTANTS: usize = 4 << 20;

/// A run that one moves about in.
pub struct Session {
    setup: Setup,
    choices: Choices,
    timeline: Timeline,
    marks: Marks,
    phases: PhaseMessages,
    /// The first message sent at an instant, and its time, in order.
    sent: Vec<(u64, u64)>,
    /// The last window asked for.
    window: Option<SessionWindow>,
    /// What users should know about how it was opened.
    notes: Vec<String>,
}

impl Session {
    /// A run at its beginning.
    pub(crate) fn new(mut setup: Setup, choices: Choices) -> Result<Self, Error> {
        setup.list_identities();
        let run = setup.inspect(choices.clone())?;
        let mut timeline = Timeline::new(run, setup.max_messages);
        let phases = PhaseMessages::new(&setup)?;
        if phases.are_counted() {
            timeline.log_ahead();
        }
        let marks = Marks::new(&setup.scenario);
        Ok(Self { setup, choices, timeline, marks, phases, sent: Vec::new(), window: None, notes: Vec::new() })
    }

    /// Executes up to this number of moves ahead of the cursor; false when all is executed.
    pub(crate) fn go_ahead(&mut self, budget: u64) -> Result<bool, Error> {
        if self.timeline.is_over() {
            return Ok(false);
        }
        let (marks, sent, phases, ids) = (&mut self.marks, &mut self.sent, &mut self.phases, &self.setup.scenario.ids);
        let goes_on = self.timeline.go_ahead(budget, |before, after, run| {
            marks.observe(before, after, (run, ids));
            if phases.are_counted() && !phases.observe(after.moves, &run.take_log()) {
                run.unlog();
            }
            let is_new = after.messages_sent > before.messages_sent
                && sent.last().is_none_or(|&(_, time)| time < after.time)
                && sent.len() < MOST_INSTANTS;
            if is_new {
                sent.push((before.messages_sent + 1, after.time));
            }
        });
        if !goes_on {
            self.marks.end(self.timeline.ahead(), &self.timeline.last_position());
        }
        let bytes = self.timeline.ahead().bytes();
        if bytes > MOST_BYTES {
            return Err(Error::OutOfMemory {
                wrong: format!("the run holds {} MB, more than a page can keep several copies of", bytes >> 20),
            });
        }
        Ok(goes_on)
    }

    /// The time at which a message was sent.
    fn sent_at(&self, number: u64) -> Option<u64> {
        let after = self.sent.partition_point(|&(first, _)| first <= number);
        self.sent.get(after.checked_sub(1)?).map(|&(_, time)| time)
    }

    /// The stage at the cursor as packed bytes.
    pub fn frame(&self) -> Vec<u8> {
        let facts = FrameFacts {
            kinds: &self.setup.facts.kinds,
            sent: &|number| self.sent_at(number),
            intervened: &|number| self.is_intervened(number),
        };
        frame::frame(self.timeline.cursor(), &facts)
    }

    /// The digest of the state at the cursor.
    pub fn digest(&self) -> u64 {
        self.timeline.cursor().state_digest()
    }

    /// The set-up of the run.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }
}
