//! A run, without the types of its protocol.

use alloc::vec::Vec;

use ringleader_model::{Kind, Outcome, Part, Place, Quantity, Tally, Time, Value, Violation};

use crate::choice_source::BadChoice;
use crate::interventions::{AppliedIntervention, InterventionEffect};
use crate::phase_begins::PhaseBegin;
use crate::step::Step;

/// A run, without the types of its protocol: only the run is erased, its steps are compiled for the protocol.
///
/// ```
/// use ringleader_sim::Run;
///
/// /// Runs to the end in slices, and counts the messages.
/// fn messages(run: &mut dyn Run) -> u64 {
///     while !run.advance(1 << 16) {}
///     run.summary().cost.messages()
/// }
/// ```
pub trait Run {
    /// Continues for about `budget` steps; true when nothing more can happen.
    fn advance(&mut self, budget: u64) -> bool;
    /// Records the choices made from now on.
    fn record(&mut self);
    /// Logs the steps taken from now on.
    fn log(&mut self);
    /// Stops the run after this time; an untimed run, after this many actions.
    fn stop_after(&mut self, last: Time);
    /// The present time; in an untimed run, the number of actions so far.
    fn now(&self) -> Time;
    /// The number of steps taken.
    fn steps(&self) -> u64;
    /// The place of the present or last step; 0 before the first one. Known under full instrumentation only.
    fn last_place(&self) -> Place;
    /// The number of slices executed: passes of an instant, or actions of an untimed run. With the same choices, a run
    /// at the same position is in the same state. Counted under full instrumentation only.
    fn position(&self) -> u64;
    /// Continues to a position that was taken from a run with the same choices; true when nothing more can happen
    /// before.
    fn advance_to(&mut self, position: u64) -> bool;
    /// The number of messages that arrived or were lost on their way.
    fn deliveries(&self) -> u64;
    /// The choices made, if they are recorded.
    fn choices(&self) -> Option<&[u64]>;
    /// Takes the steps logged so far.
    fn take_log(&mut self) -> Vec<Step>;
    /// The result so far.
    fn summary(&self) -> Summary;
    /// The memory held, in bytes.
    fn bytes(&self) -> usize;
    /// The number of prescribed choices that were not asked for.
    fn unused_choices(&self) -> usize;
    /// The number of choices asked for beyond those prescribed; each was 0.
    fn unanswered(&self) -> usize;
    /// The first recorded choice that was out of range.
    fn bad_choice(&self) -> Option<BadChoice>;
}

/// The verdict on all properties of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Every property held.
    Held,
    /// A property was violated.
    Violated,
    /// The run ended without an answer.
    Unknown,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Held, Self::Violated, Self::Unknown];

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.name() == name)
    }

    /// The name in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Violated => "violated",
            Self::Unknown => "unknown",
        }
    }
}

/// The property that is violated by a run that stops, or reaches its horizon, before all is done.
pub const TERMINATION: &str = "termination";

/// The reason why a run stopped without finishing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// Only timers that never expire are left.
    NeverTimer,
    /// The next event lies beyond 2^63 units of time.
    EndOfTime,
    /// The run is quiescent: no event is left.
    Silent,
    /// The protocol never terminates, and had not done its work at its horizon.
    Horizon,
    /// The run was interrupted.
    Interrupted,
}

impl StopReason {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::NeverTimer, Self::EndOfTime, Self::Silent, Self::Horizon, Self::Interrupted];

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }

    /// The name in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NeverTimer => "never-timer",
            Self::EndOfTime => "end-of-time",
            Self::Silent => "silent",
            Self::Horizon => "horizon",
            Self::Interrupted => "interrupted",
        }
    }
}

/// The order in which a run was executed. What comes of a run that is over is the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ExecutionOrder {
    /// One instant after another.
    #[default]
    Time,
    /// One message after another, from place to place.
    Causal {
        /// It is not over. What has been executed is a consistent cut: no message is received before it is sent, but places
        /// have come to different times.
        cut: bool,
    },
}

impl ExecutionOrder {
    /// Its name in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Causal { .. } => "causal",
        }
    }
}

/// The result of a run.
///
/// ```
/// use ringleader_sim::{StopReason, Summary, Verdict};
///
/// fn describe(summary: &Summary) -> String {
///     match (summary.verdict, summary.reason) {
///         (Verdict::Violated, _) => format!("violates: {}", summary.violations[0].property),
///         (_, Some(StopReason::Interrupted)) => "not over yet".to_string(),
///         _ => format!("{} messages", summary.cost.messages()),
///     }
/// }
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// The outcome, by problem.
    pub outcome: Outcome,
    /// Whether all requests have been served.
    pub finished: bool,
    /// The verdict.
    pub verdict: Verdict,
    /// Why the run stopped without finishing.
    pub reason: Option<StopReason>,
    /// The violated properties.
    pub violations: Vec<Violation>,
    /// The cost.
    pub cost: Cost,
    /// The digest of all steps; zero under lean instrumentation.
    pub trace: u64,
    /// The interventions, by message, and what came of them.
    pub interventions: Vec<AppliedIntervention>,
    /// The order in which it was executed.
    pub order: ExecutionOrder,
}

impl Summary {
    pub(crate) fn new(
        outcome: Outcome,
        finished: bool,
        reason: Option<StopReason>,
        violations: Vec<Violation>,
        mut cost: Cost,
        trace: u64,
        interventions: Vec<AppliedIntervention>,
    ) -> Self {
        if let Outcome::Election { leaders, .. } = &outcome {
            cost.error = Some(leaders.len() > 1);
        }
        let verdict = match reason {
            _ if !violations.is_empty() => Verdict::Violated,
            None => Verdict::Held,
            _ => Verdict::Unknown,
        };
        let order = ExecutionOrder::Time;
        Self { outcome, finished, verdict, reason, violations, cost, trace, interventions, order }
    }

    /// Whether an intervention had an effect that links cannot have which keep what is promised of them. Then what is proved
    /// says nothing about this run.
    pub fn is_tampered(&self) -> bool {
        self.interventions.iter().any(|one| one.effect == InterventionEffect::Outside)
    }
}

/// The cost of a run.
///
/// ```
/// use ringleader_model::{Kind, Quantity, Value};
/// use ringleader_sim::Cost;
///
/// let kinds = vec![(Kind::work("candidate"), 7), (Kind::announcement("elected"), 4)];
/// let cost = Cost { kinds, ..Cost::default() };
/// assert_eq!((cost.messages(), cost.split(true)), (11, 4));
/// assert_eq!(cost.of(Quantity::Work), Some(Value::int(7)));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cost {
    /// Message passes by kind.
    pub kinds: Vec<(Kind, u64)>,
    /// Bits passed.
    pub bits: u64,
    /// The time of the last step.
    pub time: Time,
    /// The time of the first election: a leader declares itself, or is found by another processor.
    pub time_elected: Option<Time>,
    /// The time at which the last processor had its first event; `None` where there are no clocks, or not all have woken.
    pub time_awake: Option<Time>,
    /// The longest causal chain of messages.
    pub depth: u64,
    /// The longest causal chain that leads to the first election.
    pub depth_elected: Option<u64>,
    /// The highest phase reached by any processor.
    pub phases: Option<u32>,
    /// By phase from 1, when it begins, where the protocol [asks](ringleader_model::Inspect::TIMES_PHASES) for it.
    pub phase_begins: Vec<PhaseBegin>,
    /// More than one leader was elected; `None` where none is to be elected.
    pub error: Option<bool>,
    /// The maximum length of an input queue.
    pub longest_queue: u32,
    /// Steps taken.
    pub steps: u64,
    /// Messages that arrived.
    pub deliveries: u64,
    /// Messages that did not arrive.
    pub lost: u64,
    /// Statistics of particular problems: entries, attempts, laps.
    pub tally: Tally,
}

impl Cost {
    /// All message passes.
    pub fn messages(&self) -> u64 {
        self.kinds.iter().map(|(_, passes)| passes).sum()
    }

    /// Message passes of the announcement, or of the work.
    pub fn split(&self, announcement: bool) -> u64 {
        self.part(if announcement { Part::Announcement } else { Part::Work })
    }

    /// Message passes of a part of the run.
    pub fn part(&self, part: Part) -> u64 {
        self.kinds.iter().filter(|(kind, _)| kind.part == part).map(|(_, passes)| passes).sum()
    }

    /// The measured value of a quantity over the whole run, where [`of`](Self::of) is about the window in which all sites
    /// compete. What no run exceeds is compared with this one.
    pub fn over_whole_run(&self, quantity: Quantity) -> Option<Value> {
        let whole = &self.tally.whole_run;
        match quantity {
            Quantity::MessagesPerEntry => whole.messages_per_entry,
            Quantity::Negatives => whole.negatives,
            Quantity::GrantingDelay => whole.granting_delay.map(|delay| delay.mean),
            Quantity::Attempts => whole.attempts,
            other => self.of(other),
        }
    }

    /// The measured value of a quantity that bounds are stated for.
    pub fn of(&self, quantity: Quantity) -> Option<Value> {
        let tally = &self.tally;
        let count = match quantity {
            Quantity::MessagesPerEntry => return tally.messages_per_entry,
            Quantity::Negatives => return tally.negatives,
            Quantity::PredictionError => return tally.prediction_error,
            Quantity::FoundActive => return tally.found_active,
            Quantity::GrantingDelay => return tally.granting_delay.map(|delay| delay.mean),
            Quantity::Attempts => return tally.attempts,
            Quantity::Laps => return tally.laps,
            Quantity::Messages => self.messages(),
            Quantity::Work => self.split(false),
            Quantity::Announcement => self.split(true),
            Quantity::Task => self.part(Part::Task),
            Quantity::Kind(name) => self.passes_of(name)?,
            Quantity::Difference(one, other) => self.passes_of(one)?.abs_diff(self.passes_of(other)?),
            Quantity::LongestDelay => tally.whole_run.granting_delay?.max,
            Quantity::NumberSpread => tally.number_spread?,
            Quantity::OvertakenSinceRequest => u64::from(tally.overtaken?[0]),
            Quantity::Overtaken => u64::from(tally.overtaken?[1]),
            Quantity::Bits => self.bits,
            Quantity::Time => self.time,
            Quantity::TimeElected => self.time_elected?,
            Quantity::TimeAwake => self.time_awake?,
            Quantity::Campaign => self.time_elected?.saturating_sub(self.time_awake?),
            Quantity::AnnouncementTime => self.time.saturating_sub(self.time_elected?),
            Quantity::Depth => self.depth,
            Quantity::DepthElected => self.depth_elected?,
            Quantity::Phases => u64::from(self.phases?),
            Quantity::PhaseSpread => self.phase_begins.iter().filter_map(PhaseBegin::spread).max()?,
            Quantity::Error => u64::from(self.error?),
        };
        Some(Value::int(u128::from(count)))
    }

    /// Message passes of a kind, if there are messages of that kind.
    pub fn passes_of(&self, name: &str) -> Option<u64> {
        self.kinds.iter().find(|(kind, _)| kind.name == name).map(|(_, passes)| *passes)
    }
}
