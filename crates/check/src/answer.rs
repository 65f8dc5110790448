//! The questions that the model checker takes and the answers that it gives.

use ringleader_model::{Action, Place, Processor, ScheduledChoices, Time};

/// Limits of a search, and how it is made.
///
/// ```
/// use ringleader_check::Effort;
///
/// let effort = Effort { threads: 2, reduce: false, ..Effort::default() };
/// assert_eq!(effort.states, u64::MAX);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// How many states may be visited.
    pub states: u64,
    /// How many bytes may be held.
    pub bytes: u64,
    /// How many worker threads explore.
    pub threads: usize,
    /// Whether partial-order and symmetry reduction are enabled.
    pub reduce: bool,
}

impl Default for Effort {
    /// Any number of states, 1 GiB, one thread, with reductions.
    fn default() -> Self {
        Self { states: u64::MAX, bytes: 1 << 30, threads: 1, reduce: true }
    }
}

/// The progress of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Distinct states visited.
    pub states: u64,
    /// Transitions explored.
    pub transitions: u64,
    /// The present level of the breadth-first search.
    pub depth: u64,
    /// States visited and not yet expanded.
    pub frontier: u64,
    /// Memory held, at its peak.
    pub bytes: u64,
    /// Whether a violation was found.
    pub violated: bool,
}

/// The verdict on a property of all runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CheckVerdict {
    /// It holds in every run.
    Holds,
    /// The search was not complete, and found no violation.
    Unknown,
    /// There is a counterexample.
    Violated,
}

impl CheckVerdict {
    /// As users read it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Unknown => "unknown",
            Self::Violated => "violated",
        }
    }
}

/// A property of all runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Property {
    /// No reachable state violates what the problem's monitor forbids.
    Safety,
    /// Every request is served: there is neither a deadlock nor a weakly fair livelock, but with probability 0.
    Termination,
    /// No reachable state violates the protocol's own invariant of this name.
    Invariant(&'static str),
}

impl Property {
    /// Those of every protocol.
    pub const ALL: [Self; 2] = [Self::Safety, Self::Termination];

    /// As users read it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Safety => "safety",
            Self::Termination => "termination",
            Self::Invariant(name) => name,
        }
    }

    /// Whether a state can violate it. What follows such a state is not explored.
    pub const fn is_of_states(self) -> bool {
        !matches!(self, Self::Termination)
    }
}

/// A property and the verdict on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judgement {
    /// The property.
    pub property: Property,
    /// The verdict.
    pub verdict: CheckVerdict,
    /// What violates it, in words, or where it holds what is not counted as a violation; often empty.
    pub detail: String,
}

/// Why a search was not complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchLimit {
    /// It visited as many states as were allowed.
    States,
    /// It held as much memory as was allowed.
    Memory,
    /// It was told to stop.
    Interrupted,
    /// One state has too many successors to enumerate.
    Branching,
}

/// The most message passes of any run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MaxMessages {
    /// So many; some run needs them.
    Exactly(u64),
    /// So many before safety or an invariant is violated: what comes after a violation is not explored, and may need more.
    UpToViolation(u64),
    /// There is no bound: messages can be sent forever.
    Unbounded,
    /// Not known.
    Unknown,
}

/// What was found in all runs of a scenario.
///
/// ```
/// # use ringleader_check::{Effort, Property, Wakers, check};
/// # use ringleader_model::Scenario;
/// # use ringleader_protocols::election::lelann::LeLann;
/// # let scenario = Scenario { n: 2, ids: vec![1, 2], untimed: true, ..Scenario::default() };
/// let answer = check(LeLann, &scenario, &Wakers::Anybody, &Effort::default(), &mut |_| true)?;
/// assert_eq!(answer.judgements[0].property, Property::Safety);
/// assert!(answer.progress.states > 10 && answer.ran_out.is_none() && answer.counterexample.is_none());
/// # Ok::<(), ringleader_model::BadSetting>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer<P: Processor> {
    /// By property.
    pub judgements: Vec<Judgement>,
    /// How much was explored.
    pub progress: Progress,
    /// How many states are quiescent: nothing must happen there any more.
    pub quiescent: u64,
    /// The most message passes of any run.
    pub most_messages: MaxMessages,
    /// Why the search was not complete; `None` if it was.
    pub ran_out: Option<SearchLimit>,
    /// A shortest counterexample.
    pub counterexample: Option<Counterexample<P>>,
}

impl<P: Processor> Answer<P> {
    /// The worst verdict on any property.
    pub fn verdict(&self) -> CheckVerdict {
        self.judgements.iter().map(|judgement| judgement.verdict).max().unwrap_or(CheckVerdict::Unknown)
    }
}

/// A run that violates a property: a path to a state that shows it, or a lasso.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counterexample<P: Processor> {
    /// The property.
    pub property: Property,
    /// How many transitions it has: steps of processors, or units of time.
    pub steps: usize,
    /// Of a lasso: the step from which on its cycle repeats forever.
    pub repeats_from: Option<usize>,
    /// The schedule by which a simulator makes the same run.
    pub schedule: Schedule<P>,
}

/// A schedule: all that a simulator must be told to make a certain run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Schedule<P: Processor> {
    /// Without clocks: one action after the other.
    Untimed(Vec<Action<P>>),
    /// With clocks.
    Timed(TimedSchedule),
}

/// A schedule with clocks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimedSchedule {
    /// Who crashes when.
    pub crashes: Vec<(Place, Time)>,
    /// By place: when it wakes up.
    pub wakes: Vec<Option<Time>>,
    /// By place: from its start to its first tick.
    pub offsets: Vec<u64>,
    /// By place: the length of its ticks, where clocks do not vary.
    pub ticks: Option<Vec<u64>>,
    /// Requests for a further election.
    pub again: Vec<(Place, Time)>,
    /// All other choices.
    pub choices: ScheduledChoices,
    /// The last instant.
    pub until: Time,
}

/// The initiators: who wakes up without being reached by a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wakers {
    /// Any set of processors, at any time.
    Anybody,
    /// Exactly these, at any time.
    These(Vec<Place>),
    /// All of them; where there are clocks, at the first instant.
    Together,
}

impl Wakers {
    /// Whether a processor may be an initiator.
    pub(crate) fn contains(&self, place: Place) -> bool {
        match self {
            Self::Anybody | Self::Together => true,
            Self::These(places) => places.contains(&place),
        }
    }
}
