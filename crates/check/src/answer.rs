//! The input of the model checker beside protocol and scenario, and its answers.

use ringleader_model::{Action, Cut, Pause, Place, Ports, Processor, Promised, Restart, ScheduledChoices, Time};

use crate::coverage::RuleSet;
use crate::extremes::{ExtremeRun, Extremes};
use crate::reductions::Reductions;

/// Limits of a search, and how it is made.
///
/// ```
/// use ringleader_check::{Effort, Reductions};
///
/// let effort = Effort { threads: 2, reductions: Reductions::NONE, ..Effort::default() };
/// assert_eq!(effort.states, u64::MAX);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// The greatest number of states that may be visited.
    pub states: u64,
    /// The greatest number of bytes that may be held.
    pub bytes: u64,
    /// The number of worker threads.
    pub threads: usize,
    /// The reductions that are made.
    pub reductions: Reductions,
}

impl Default for Effort {
    /// Any number of states, 1 GiB, one thread, with reductions.
    fn default() -> Self {
        Self { states: u64::MAX, bytes: 1 << 30, threads: 1, reductions: Reductions::ALL }
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
    /// A violation was found.
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
    /// FG ¬waiting: there is neither a deadlock nor, but for probability 0, a weakly fair livelock.
    Termination,
    /// No reachable state violates the protocol's own invariant of this name.
    Invariant(&'static str),
    /// No reachable state violates this promise of the protocol's paper, or some state fulfils it if it is existential.
    Promise(Promised),
    /// The histories of no reachable state violate this lemma of the protocol's paper.
    Lemma(&'static str),
    /// Every fair run satisfies the formula of this number, in the order in which formulas are
    /// [given](crate::Specification).
    Formula(u16),
}

impl Property {
    /// Those of every protocol.
    pub const ALL: [Self; 2] = [Self::Safety, Self::Termination];

    /// As users read it; a formula is read in its own words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Safety => "safety",
            Self::Termination => "termination",
            Self::Invariant(name) | Self::Lemma(name) => name,
            Self::Promise(promised) => promised.name(),
            Self::Formula(_) => "formula",
        }
    }

    /// What it is, in one word.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Safety => "safety",
            Self::Termination => "termination",
            Self::Invariant(_) => "invariant",
            Self::Promise(_) => "promise",
            Self::Lemma(_) => "lemma",
            Self::Formula(_) => "formula",
        }
    }

    /// True if the successors of a state that violates it are not explored. Those of a state that violates a promise or a lemma are:
    /// the problem's properties are judged as if nothing had been promised.
    pub const fn cuts_off(self) -> bool {
        matches!(self, Self::Safety | Self::Invariant(_))
    }

    /// The order in which counterexamples to several properties are preferred, the least first: a violating state says
    /// more than a run that does not end, and the problem matters more than what is asked or promised beyond it.
    pub const fn preference(self) -> u8 {
        match self {
            Self::Safety | Self::Invariant(_) => 0,
            Self::Termination => 1,
            Self::Formula(_) => 2,
            Self::Promise(_) => 3,
            Self::Lemma(_) => 4,
        }
    }
}

/// A property and the verdict on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judgement {
    /// The property.
    pub property: Property,
    /// The verdict.
    pub verdict: CheckVerdict,
    /// Its violation in words; if it holds, a caveat about what is not counted as a violation. Often empty.
    pub detail: String,
}

/// The reason for which a search was not complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchLimit {
    /// It visited as many states as were allowed.
    States,
    /// It held as much memory as was allowed.
    Memory,
    /// It was interrupted.
    Interrupted,
    /// The successors of some state cannot be enumerated: there are too many, an instant does not end, random choices
    /// have too small a probability, or a half-duplex link blocks only some outcomes of a timer.
    Branching,
}

/// The most message passes of any run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MaxMessages {
    /// The maximum, which some run needs.
    Exactly(u64),
    /// The maximum up to the first violation of safety or of an invariant: runs are not explored beyond it.
    UpToViolation(u64),
    /// There is no bound: messages can be sent forever.
    Unbounded,
    /// Not known.
    Unknown,
}

/// The verdicts on all runs of a scenario.
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
    /// The size of the explored part.
    pub progress: Progress,
    /// The number of quiescent states: no event must happen there any more. With clocks there are none, since time
    /// passes in every state.
    pub quiescent: u64,
    /// The most message passes of any run.
    pub most_messages: MaxMessages,
    /// The least and the greatest costs of all runs, and the possible outcomes.
    pub extremes: Extremes,
    /// The limit that made the search incomplete; `None` if it was complete.
    pub ran_out: Option<SearchLimit>,
    /// The numbered rules of the protocol that fire in some explored run.
    pub fired: RuleSet,
    /// A shortest counterexample: to safety or an invariant if one is violated, otherwise to termination, otherwise to a
    /// formula, otherwise to a promise, unless that is existential, otherwise to a lemma. A lasso has a shortest prefix.
    pub counterexample: Option<Counterexample<P>>,
    /// The run whose cost is the extremum that was asked for; `None` if that is not known.
    pub extreme: Option<ExtremeRun<P>>,
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
    /// The number of its transitions: steps of processors, or units of time.
    pub steps: usize,
    /// Of a lasso: the step from which on its cycle repeats forever. The schedule contains the cycle once. With random
    /// choices it is one outcome of a scheduler that never terminates, whatever they are.
    pub repeats_from: Option<usize>,
    /// The numbering of ports under which it is possible, where [all](Ports::All) are explored.
    pub ports: Option<Ports>,
    /// The schedule by which a simulator makes the same run.
    pub schedule: Schedule<P>,
}

/// A schedule: all choices by which a simulator makes a certain run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Schedule<P: Processor> {
    /// Without clocks: one action after the other.
    Untimed(Vec<Action<P>>),
    /// With clocks.
    Timed(Box<TimedSchedule>),
}

/// A schedule with clocks. It is finite: messages in flight at its end arrive later.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimedSchedule {
    /// Places that crash, and when.
    pub crashes: Vec<(Place, Time)>,
    /// Places that restart, and when.
    pub restarts: Vec<Restart>,
    /// Places that pause, and when.
    pub pauses: Vec<Pause>,
    /// Links that are cut, and when.
    pub cuts: Vec<Cut>,
    /// By place: the time at which it wakes up.
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

/// The initiators: processors that wake up spontaneously, before a message reaches them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wakers {
    /// Any set of processors, at any time; where users make requests over and over, all of them, each at any time.
    Anybody,
    /// Exactly these, at any time.
    These(Vec<Place>),
    /// All of them; where there are clocks, at the first instant.
    Together,
}

impl Wakers {
    /// True if a processor may be an initiator.
    pub(crate) fn contains(&self, place: Place) -> bool {
        match self {
            Self::Anybody | Self::Together => true,
            Self::These(places) => places.contains(&place),
        }
    }
}
