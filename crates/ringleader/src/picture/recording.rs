//! The recording of a run for a picture, in memory that does not grow with the run.

use std::collections::VecDeque;

use ringleader_model::Scenario;
use ringleader_sim::Step;

use super::animation::Animation;
use super::conflicts::ConflictDetector;
use super::diagram::Diagram;
use super::overview::Overview;
use super::window::{RecordedSteps, Window, completes};
use super::{PlaceRole, RunInfo, Subject, Theme};

/// More lines than this cannot be told apart: an overview is drawn, or the first entries.
const MOST_MESSAGES: u64 = 5_000;
/// No more steps than this are kept from the beginning.
const MOST_STEPS: usize = 50_000;
/// The number of steps kept before and after a violation.
const KEPT: usize = 1_000;

/// Takes the steps of a run as it advances, and draws it when it is over.
///
/// The steps of a small run are all kept; of a large one, the first, those around the first violation (or else the last),
/// and what an overview needs: counts by place and time, and 16 bytes a message for the first 4 million. With 100,000
/// processors and 1.4 million messages that is 160 MB, the run itself included.
///
/// ```
/// use ringleader::picture::{Recording, Theme, run_info};
/// use ringleader::{Execution, find, ring, sim::Choices};
///
/// let setup = find("peterson")?.set_up(ring([3, 1, 4, 2]), &[])?;
/// let mut execution = Execution::new(&setup, Choices::Drawn)?;
/// execution.run.log();
/// let mut recording = Recording::new(&setup.scenario);
/// let mut over = false;
/// while !over {
///     over = execution.advance(1 << 12);
///     recording.extend(execution.run.take_log());
/// }
/// let summary = execution.run.summary();
/// let svg = recording.draw(&run_info(&setup, &summary, &setup.command_line()), Theme::Auto);
/// assert!(svg.contains("peterson on a ring of 4: id 4 is elected"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Recording {
    n: usize,
    readers: usize,
    head: Vec<Step>,
    /// Whether the head is as long as it may be.
    full: bool,
    tail: VecDeque<Step>,
    detector: ConflictDetector,
    /// The number of the step at which the first violation was seen, counted over head and tail.
    wrong: Option<usize>,
    /// The number of steps that the tail has let go.
    dropped: u64,
    messages: u64,
    entries: u64,
    overview: Overview,
}

impl Recording {
    /// More processors than this do not fit on a screen: an overview is drawn.
    pub const MOST_PLACES: usize = 64;
    /// More messages than this make a moving picture that browsers cannot show smoothly.
    pub const MOST_MOVING: u64 = 1_000;

    /// Of a run of this scenario.
    pub fn new(scenario: &Scenario) -> Self {
        let n = scenario.n;
        let readers = scenario.workload.as_ref().map_or(0, |load| load.readers);
        Self {
            n,
            readers,
            head: Vec::new(),
            full: n > Self::MOST_PLACES,
            tail: VecDeque::new(),
            detector: ConflictDetector::default(),
            wrong: None,
            dropped: 0,
            messages: 0,
            entries: 0,
            overview: Overview::new(n),
        }
    }

    /// Takes the next steps of the run.
    pub fn extend(&mut self, steps: impl IntoIterator<Item = Step>) {
        for step in steps {
            self.push(step);
        }
    }

    fn push(&mut self, step: Step) {
        self.messages += step.sends().count() as u64;
        self.entries += step.milestones().filter(|&milestone| completes(milestone)).count() as u64;
        self.overview.observe(&step);
        let readers = self.readers;
        let role = |place| if (place as usize) < readers { PlaceRole::Reader } else { PlaceRole::Site };
        let seen = self.detector.observe(&step, role) && self.wrong.is_none();
        if !self.full {
            if seen {
                self.wrong = Some(self.head.len());
            }
            self.head.push(step);
            self.full = self.messages > MOST_MESSAGES || self.head.len() >= MOST_STEPS;
        } else if self.n <= Self::MOST_PLACES {
            self.push_late(step, seen);
        }
    }

    /// Keeps a step after the head for a while.
    fn push_late(&mut self, step: Step, seen: bool) {
        if seen {
            self.wrong = Some(self.head.len() + self.tail.len());
        }
        match self.wrong {
            Some(wrong) if self.head.len() + self.tail.len() >= wrong + KEPT => return self.dropped += 1,
            None if self.tail.len() >= KEPT => {
                self.tail.pop_front();
                self.dropped += 1;
            }
            _ => {}
        }
        self.tail.push_back(step);
    }

    /// The picture of the run.
    pub fn draw(&mut self, info: &RunInfo<'_>, theme: Theme) -> String {
        let small = self.n <= Self::MOST_PLACES && self.messages <= MOST_MESSAGES;
        let windowed = self.n <= Self::MOST_PLACES && info.subject != Subject::Messages;
        if !small && !windowed {
            return self.overview.draw(info, theme, self.messages, self.entries);
        }
        Diagram::new(info, &self.window(info), theme).draw(theme)
    }

    /// The moving picture of the run; `None` if it has too many processors or messages.
    pub fn animate(&mut self, info: &RunInfo<'_>, theme: Theme) -> Option<String> {
        let windowed = info.subject != Subject::Messages;
        let small = self.n <= Self::MOST_PLACES && (windowed || self.messages <= Self::MOST_MOVING);
        small.then(|| Animation::new(info, &self.window(info), theme).draw())
    }

    /// The part of the run that a picture shows.
    fn window(&mut self, info: &RunInfo<'_>) -> Window {
        let last = (self.head.len() + self.tail.len()).saturating_sub(1);
        let more = self.dropped > 0 || !self.tail.is_empty();
        let recorded = RecordedSteps {
            head: &self.head,
            tail: self.tail.make_contiguous(),
            more,
            messages: self.messages,
            entries: self.entries,
            wrong: self.wrong.or(Some(last)).filter(|_| !info.violations.is_empty()),
        };
        Window::new(info, &recorded)
    }
}
