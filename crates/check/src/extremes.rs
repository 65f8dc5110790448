//! The least and the greatest costs of all runs, and the possible outcomes.
//!
//! - *Greatest*: over all runs, complete or not. A cost of message passes never shrinks while a run goes on. The
//!   difference of two kinds does, and is taken over complete runs.
//! - *Least*: over complete runs: those that have come to a state in which nothing must happen any more, every request
//!   was served, and no user will make another.
//! - *Phases*: the highest that any processor reaches ([`phases`](crate::phases)). *Bits*: where rounds are numbered
//!   without bound, those of messages in states are fewer than those that a run sends once phases go beyond the first.
//!   There is no greatest number if there is none even so; the least is exact if a run has it whose phases do not.
//! - *Time*, with clocks and where all wake together: from the first instant to the one in which the first leader is
//!   elected, and to the last one in which anything happens. *Response time*: from a request to the entry. The least is that
//!   of all entries in all runs. The greatest does not count instants in which some user is inside, since users may stay
//!   as long as they like.
//!
//! The searches compute them on the way (`search::extremes`, `search::state_graph`).

use ringleader_model::{Leader, Outcome, Ports, Processor, Quantity};

use crate::answer::{MaxMessages, Schedule};

/// The least or the greatest value of a quantity over all runs.
///
/// ```
/// use ringleader_check::Extremum;
///
/// assert_eq!(Extremum::UpToViolation(7).value(), Some(7));
/// assert_eq!(Extremum::Unbounded.value(), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extremum {
    /// This value, which some run has.
    Exactly(i64),
    /// This value, of runs up to the first violation of safety or of an invariant: they are not explored beyond it.
    UpToViolation(i64),
    /// There is no bound.
    Unbounded,
    /// No run is complete.
    NoRun,
    /// Not known.
    Unknown,
}

impl Extremum {
    /// The value, if there is one.
    pub const fn value(self) -> Option<i64> {
        match self {
            Self::Exactly(value) | Self::UpToViolation(value) => Some(value),
            Self::Unbounded | Self::NoRun | Self::Unknown => None,
        }
    }

    /// The same if runs are explored up to a violation only.
    pub(crate) const fn up_to_violation(self) -> Self {
        match self {
            Self::Exactly(value) => Self::UpToViolation(value),
            other => other,
        }
    }
}

/// An end of the range of a quantity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExtremeEnd {
    /// The least value.
    Least,
    /// The greatest value.
    Greatest,
}

impl ExtremeEnd {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Least, Self::Greatest];

    /// The factor by which it becomes a least value.
    pub(crate) const fn sign(self) -> i64 {
        match self {
            Self::Least => 1,
            Self::Greatest => -1,
        }
    }
}

/// What is computed of the extremes beyond what a search finds on its way.
///
/// ```
/// use ringleader_check::{CheckQuery, Effort, ExtremeEnd, ExtremesQuery, Extremum, Wakers, check_for};
/// use ringleader_model::{Quantity, Scenario};
/// use ringleader_protocols::election::chang_roberts::ChangRoberts;
///
/// let scenario = Scenario { n: 3, ids: vec![3, 2, 1], untimed: true, ..Scenario::default() };
/// let query = ExtremesQuery { schedule: Some((Quantity::Work, ExtremeEnd::Least)), ..ExtremesQuery::default() };
/// let query = CheckQuery { extremes: &query, ..CheckQuery::default() };
/// let answer = check_for(ChangRoberts, &scenario, &Wakers::Anybody, &Effort::default(), query, &mut |_| true)?;
/// // Only the greatest identity wakes up, and its candidate travels around the ring.
/// assert_eq!(answer.extremes.of(Quantity::Work).map(|range| range.least), Some(Extremum::Exactly(3)));
/// // It is announced to all. Others may wake up at no cost.
/// assert!(answer.extreme.is_some_and(|run| run.steps >= 1 + 3 + 3));
/// # Ok::<(), ringleader_model::BadSetting>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ExtremesQuery {
    /// A quantity, and the end of its range whose run is wanted.
    pub schedule: Option<(Quantity, ExtremeEnd)>,
    /// The length of causal chains of messages, too. They are part of states then, of which there are more, and without
    /// bound where messages are sent forever.
    pub depth: bool,
}

/// A run whose cost is an extremum.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExtremeRun<P: Processor> {
    /// The number of its transitions: steps of processors, or units of time.
    pub steps: usize,
    /// The numbering of ports under which it is possible, where [all](Ports::All) are explored.
    pub ports: Option<Ports>,
    /// The schedule by which a simulator makes the same run.
    pub schedule: Schedule<P>,
}

/// The least and the greatest value of a quantity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CostRange {
    /// The quantity. A [difference](Quantity::Difference) has a sign here: the first kind less the second.
    pub quantity: Quantity,
    /// Over all complete runs; of a response time, over all entries.
    pub least: Extremum,
    /// Over all runs; of a difference, over all complete runs.
    pub greatest: Extremum,
}

/// The least and the greatest costs of all runs, and the possible outcomes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Extremes {
    /// By quantity.
    pub ranges: Vec<CostRange>,
    /// By outcome of a complete run: the leaders, in the order of their places. `None` if that is not known, or none is to
    /// be elected.
    pub leaders: Option<Vec<Vec<Leader>>>,
}

impl Extremes {
    /// The range of a quantity, if it has one.
    pub fn of(&self, quantity: Quantity) -> Option<&CostRange> {
        self.ranges.iter().find(|range| range.quantity == quantity)
    }

    /// Nothing is known of these quantities.
    pub(crate) fn unknown(quantities: impl IntoIterator<Item = Quantity>) -> Self {
        let (least, greatest) = (Extremum::Unknown, Extremum::Unknown);
        let ranges = quantities.into_iter().map(|quantity| CostRange { quantity, least, greatest }).collect();
        Self { ranges, leaders: None }
    }

    /// The most message passes.
    pub(crate) fn most_messages(&self) -> MaxMessages {
        match self.of(Quantity::Messages).map(|range| range.greatest) {
            Some(Extremum::Exactly(most)) => MaxMessages::Exactly(most.unsigned_abs()),
            _ => MaxMessages::Unknown,
        }
    }

    /// The same if runs are explored up to a violation only.
    pub(crate) fn up_to_violation(&mut self) {
        for range in &mut self.ranges {
            range.least = range.least.up_to_violation();
            range.greatest = range.greatest.up_to_violation();
        }
    }
}

/// The leaders in the order of their places; `None` where none is to be elected.
pub(crate) fn leaders(outcome: Outcome) -> Option<Vec<Leader>> {
    let Outcome::Election { mut leaders, .. } = outcome else { return None };
    leaders.sort_unstable();
    Some(leaders)
}
