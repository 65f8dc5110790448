//! What is asked of a space, and what is answered.

use ringleader_model::{Happening, Place, Processor, Script, Time};

/// How much may be spent on an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Most configurations.
    pub states: u64,
    /// Most bytes.
    pub bytes: u64,
    /// Threads.
    pub threads: usize,
    /// Whether to leave out configurations that cannot matter.
    pub reduce: bool,
}

/// How far a search is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Distinct configurations met.
    pub states: u64,
    /// Steps between them.
    pub transitions: u64,
    /// How many steps from the beginning.
    pub depth: u64,
    /// Configurations that were met and not yet gone on from.
    pub frontier: u64,
    /// Memory held, at its peak.
    pub bytes: u64,
    /// Whether something was found that does not hold.
    pub violated: bool,
}

/// What can be said about a property of all schedules.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    /// It is true in all of them.
    Holds,
    /// Something ran out before all were seen, and in none that was seen was it false.
    Unknown,
    /// There is one in which it is not.
    Violated,
}

impl Verdict {
    /// As users read it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Unknown => "unknown",
            Self::Violated => "violated",
        }
    }
}

/// What must be true of every schedule.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Property {
    /// Nothing that the problem's monitor forbids ever happens.
    Safe,
    /// What was asked for gets done: nothing comes to a standstill before, and nothing goes on for ever without it; where there
    /// are coins, but with probability 0.
    Finishes,
}

impl Property {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Safe, Self::Finishes];

    /// As users read it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Safe => "safety",
            Self::Finishes => "termination",
        }
    }
}

/// A property, with what was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judgement {
    /// The property.
    pub property: Property,
    /// Whether it is true.
    pub verdict: Verdict,
    /// What contradicts it, in words; empty if nothing does.
    pub detail: String,
}

/// What ran out before an answer was there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RanOut {
    /// As many configurations as were allowed.
    States,
    /// As much memory as was allowed.
    Memory,
    /// The patience of whoever asked.
    Patience,
    /// What can be gone through: too much is left open in one instant.
    Decisions,
}

/// The most message passes of any schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Most {
    /// So many; some schedule needs them.
    Exactly(u64),
    /// There is no limit: messages can go on for ever.
    Unlimited,
    /// Not known.
    Unknown,
}

/// What was found in all schedules of a scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer<P: Processor> {
    /// By property.
    pub judgements: Vec<Judgement>,
    /// How far the search went.
    pub progress: Progress,
    /// Configurations in which nothing more happens by itself.
    pub quiet: u64,
    /// The most message passes of any schedule.
    pub most_messages: Most,
    /// Why not everything was seen; `None` if it was.
    pub ran_out: Option<RanOut>,
    /// A shortest schedule in which a property does not hold.
    pub counterexample: Option<Counterexample<P>>,
}

impl<P: Processor> Answer<P> {
    /// The worst that is said of any property.
    pub fn verdict(&self) -> Verdict {
        self.judgements.iter().map(|judgement| judgement.verdict).max().unwrap_or(Verdict::Unknown)
    }
}

/// A schedule in which a property does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counterexample<P: Processor> {
    /// The property.
    pub property: Property,
    /// How many steps it takes: of processors, or of time.
    pub steps: usize,
    /// From which step on it repeats itself for ever, if it does.
    pub repeats_from: Option<usize>,
    /// What happens.
    pub course: Course<P>,
}

/// What happens in a schedule: all that a simulator needs to take it again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Course<P: Processor> {
    /// One thing after the other.
    Untimed(Vec<Happening<P>>),
    /// With clocks.
    Timed(Timetable),
}

/// When who wakes, an answer to all that is left open, and when it is over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Timetable {
    /// Who crashes.
    pub crashes: Vec<(Place, Time)>,
    /// By place.
    pub wakes: Vec<Option<Time>>,
    /// By place: from waking to the first tick.
    pub phases: Vec<u64>,
    /// By place: its tick, where clocks do not vary.
    pub ticks: Option<Vec<u64>>,
    /// Requests for a further election.
    pub again: Vec<(Place, Time)>,
    /// Everything else.
    pub script: Script,
    /// The last instant.
    pub until: Time,
}

/// Who wakes by itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wakers {
    /// Anybody, or nobody, at any moment.
    Anybody,
    /// These and no others, each at some moment.
    These(Vec<Place>),
    /// Everybody, where there are clocks at the first instant.
    Together,
}

impl Wakers {
    /// Whether somebody may wake by itself.
    pub(crate) fn have(&self, place: Place) -> bool {
        match self {
            Self::Anybody | Self::Together => true,
            Self::These(places) => places.contains(&place),
        }
    }
}
