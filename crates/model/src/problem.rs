use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{Debug, Display};
use core::hash::Hash;

use serde::Serialize;

use crate::{Id, Leader, Meter, Milestone, Moment, Place, Scenario, Visit};

/// What a protocol is for: the requests of its users, the reports to them, and what must be true of those.
///
/// ```
/// use ringleader_model::{Display, Monitor, NoRequest, Outcome, Place, Problem, Scenario, Violation};
/// use serde::Serialize;
///
/// /// Somebody rings the bell, once.
/// enum OneBell {}
///
/// #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Display, Serialize)]
/// enum Report {
///     Rings,
/// }
///
/// impl Problem for OneBell {
///     const NAME: &'static str = "bell";
///     const WORK: &'static str = "bell";
///     type Request = NoRequest;
///     type Report = Report;
///     type Monitor = Listener;
///     type Meter = ();
/// }
///
/// #[derive(Clone, PartialEq, Eq, Hash, Debug)]
/// struct Listener {
///     rung: u32,
///     violations: Vec<Violation>,
/// }
///
/// impl Monitor for Listener {
///     type Report = Report;
///
///     fn new(_: &Scenario) -> Self {
///         Self { rung: 0, violations: Vec::new() }
///     }
///
///     fn observe(&mut self, place: Place, _: Report) -> bool {
///         self.rung += 1;
///         if self.rung > 1 {
///             let detail = format!("place {place} rings it again");
///             Violation { property: "the bell rings once", detail }.note(&mut self.violations);
///         }
///         self.rung == 1
///     }
///
///     fn crash(&mut self, _: Place) {}
///
///     fn finished(&self) -> bool {
///         self.rung > 0
///     }
///
///     fn missing(&self) -> String {
///         "nobody has rung the bell".into()
///     }
///
///     fn violations(&self) -> &[Violation] {
///         &self.violations
///     }
///
///     fn outcome(&self) -> Outcome {
///         Outcome::Work
///     }
/// }
///
/// let mut listener = Listener::new(&Scenario::default());
/// assert!(!listener.finished() && listener.observe(0, Report::Rings) && listener.finished());
/// listener.observe(2, Report::Rings);
/// assert_eq!(listener.violations()[0].detail, "place 2 rings it again");
/// ```
pub trait Problem: 'static {
    /// As users write it.
    const NAME: &'static str;
    /// What the messages are for that are not announcements, as it appears in counts.
    const WORK: &'static str;
    /// The request for doing it all again, where there is such a thing.
    const AGAIN: Option<Self::Request> = None;
    /// Whether runs become quiescent: messages end once all is done. If not they may never end.
    const QUIESCENT: bool = true;
    /// What violates nothing although one might think so; empty if there is no such thing.
    const CAVEAT: &'static str = "";
    /// The requests of a workload, where users ask for something over and over.
    const VISIT: Option<Visit<Self::Request>> = None;
    /// What a user may ask.
    type Request: Clone + Eq + Ord + Hash + Debug + Display + Serialize + Send + Sync;
    /// What a processor may tell.
    type Report: Clone + Eq + Ord + Hash + Debug + Display + Serialize + Send + Sync;
    /// Who watches.
    type Monitor: Monitor<Report = Self::Report>;
    /// Who measures.
    type Meter: Meter<Self::Report>;
    /// What a report means to a workload.
    fn moment(_: &Self::Report) -> Option<Moment> {
        None
    }
    /// What a report means to people who look at a run.
    fn milestone(_: &Self::Report) -> Option<Milestone> {
        None
    }
}

/// Watches the reports of all processors and says whether they are right. [`Problem`] has an example.
pub trait Monitor: Clone + Eq + Hash + Debug + Send + Sync {
    /// What it watches.
    type Report;
    /// Nothing has been reported yet.
    fn new(scenario: &Scenario) -> Self;
    /// Takes note of a report; true if this is the moment that the problem is about (a leader declares itself, …).
    fn observe(&mut self, place: Place, report: Self::Report) -> bool;
    /// The present instant is over: what happened at it, in whatever order, is judged together.
    fn settle(&mut self) {}
    /// The protocol's deadline has come: what was asked for must be there, and stay.
    fn deadline(&mut self) {}
    /// A message was lost.
    fn lost(&mut self) {}
    /// A message arrives twice.
    fn doubled(&mut self) {}
    /// Forgets what only statistics need and may grow without end: for engines that ask whether they have seen this before.
    fn forget(&mut self) {}
    /// What it would be if all that came from a place had come from the place so many further on, in a ring of `n`; what went
    /// wrong is then said without its details, which name places. `None` where that means nothing, or is not known.
    fn turned(&self, _by: Place, _n: Place) -> Option<Self> {
        None
    }
    /// A processor has crashed: nothing is expected of it any more.
    fn crash(&mut self, place: Place);
    /// Whether all that was asked has been done.
    fn finished(&self) -> bool;
    /// Whether something that was asked for is still to be done. What has not been asked for yet need not be.
    fn waiting(&self) -> bool {
        !self.finished()
    }
    /// What is left to do, in words, for a run that stopped too early.
    fn missing(&self) -> String;
    /// What went wrong so far, in the order in which it did.
    fn violations(&self) -> &[Violation];
    /// The result as data.
    fn outcome(&self) -> Outcome;
}

/// A property that does not hold.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Violation {
    /// The property, in words.
    pub property: &'static str,
    /// What contradicts it.
    pub detail: String,
}

impl Violation {
    /// Adds it to a monitor's list, which keeps the first of each property: the rest follow from it.
    pub fn note(self, list: &mut Vec<Self>) {
        if list.iter().all(|earlier| earlier.property != self.property) {
            list.push(self);
        }
    }
}

/// The result of a run, by problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Of an election.
    Election {
        /// Who declared itself, in order.
        leaders: Vec<Leader>,
        /// The identity that everybody who knows a leader holds; `None` where they differ or nobody does.
        agreed: Option<Id>,
        /// How many processors know a leader.
        decided: u64,
        /// The size of the ring, where the leader derived it.
        ring_size: Option<u64>,
        /// By place, what each got when identities were put in order; empty where they were not.
        sorted: Vec<Option<Id>>,
    },
    /// Of sites that share something.
    Entries {
        /// How often somebody entered.
        entries: u64,
        /// The most conflicting sites that were ever inside together; readers together are one.
        overlap_max: u64,
    },
    /// Of readers and writers of shared data.
    Data {
        /// Reads returned.
        reads: u64,
        /// Writes completed.
        writes: u64,
        /// Attempts to read.
        attempts: u64,
        /// Reads returned whose words come from different writes.
        torn: u64,
        /// Reads returned that are older than the last write completed when the attempt began.
        stale: u64,
    },
    /// Of a token ring.
    Tokens {
        /// How many there are.
        tokens: u64,
    },
    /// Of a workload that has no result.
    Work,
}
