use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{Debug, Display};
use core::hash::Hash;

use serde::{Deserialize, Deserializer, Serialize};

use crate::{
    Id, Leader, LocalUser, Meter, Milestone, Place, ProcessorState, Promises, Proposition, Scenario, TaskResult,
    WorkloadEvent, WorkloadRequests,
};

/// A problem that protocols solve: the requests of users, the reports to them, and the properties of those.
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
    /// Its name on the command line.
    const NAME: &'static str;
    /// The name, in counts, of the messages that are not announcements.
    const WORK: &'static str;
    /// The request for a repetition, where there is one.
    const AGAIN: Option<Self::Request> = None;
    /// Runs become quiescent: no message is sent once all is done. If not, messages may be sent forever.
    const QUIESCENT: bool = true;
    /// Reports of different places may be observed in any order, and by several monitors that are merged afterwards: whether
    /// something is violated, and the outcome, depend on the reports of each place alone. The meter measures nothing.
    const ANY_ORDER: bool = false;
    /// The properties that every run is judged by, by the names that its monitor gives them; besides, it must terminate.
    const PROPERTIES: &'static [&'static str] = &[];
    /// Behaviour that violates nothing although one might think so; empty if there is none.
    const CAVEAT: &'static str = "";
    /// The requests of a workload, where users make requests repeatedly.
    const WORKLOAD_REQUESTS: Option<WorkloadRequests<Self::Request>> = None;
    /// The requests of users.
    type Request: Clone + Eq + Ord + Hash + Debug + Display + Serialize + Send + Sync;
    /// The reports of processors.
    type Report: Clone + Eq + Ord + Hash + Debug + Display + Serialize + Send + Sync;
    /// The monitor.
    type Monitor: Monitor<Report = Self::Report>;
    /// The meter.
    type Meter: Meter<Self::Report>;
    /// The meaning of a report to a workload.
    fn workload_event(_: &Self::Report) -> Option<WorkloadEvent> {
        None
    }
    /// The meaning of a report in the terms of the problem.
    fn milestone(_: &Self::Report) -> Option<Milestone> {
        None
    }
}

/// Judges the reports of all processors. [`Problem`] has an example.
pub trait Monitor: Clone + Eq + Hash + Debug + Send + Sync {
    /// The reports that it judges.
    type Report;
    /// Nothing has been reported yet.
    fn new(scenario: &Scenario) -> Self;
    /// The same, to observe `length` consecutive places only, which count from 0 at the first of them. Only where reports may be
    /// observed in [any order](Problem::ANY_ORDER).
    fn of_segment(scenario: &Scenario, _length: usize) -> Self {
        Self::new(scenario)
    }
    /// From now on these promises of the protocol are judged too: a [violation](Violation) has the name of the promise.
    /// Called at most once, before anything is reported.
    ///
    /// # Panics
    /// If it cannot judge one of them.
    fn promise(&mut self, promises: Promises, _scenario: &Scenario) {
        promises.assert_among(&[]);
    }
    /// The [existential](crate::Promised::is_existential) promises that the present state fulfils.
    fn fulfilled(&self) -> Promises {
        Promises::default()
    }
    /// Whether the present state satisfies an atomic proposition; `None` if the problem has no such proposition, in every
    /// state.
    fn satisfies(&self, _proposition: Proposition) -> Option<bool> {
        None
    }
    /// The part of a processor in the protocol, where its reports tell: for pictures.
    fn state(&self, _place: Place) -> Option<ProcessorState> {
        None
    }
    /// The number of processors that have declared themselves leader.
    fn leaders(&self) -> usize {
        0
    }
    /// The number of processors that are inside a critical section, or read or write.
    fn inside(&self) -> usize {
        0
    }
    /// Takes note of a report; true if this is the moment that the problem is about (a leader declares itself, …).
    fn observe(&mut self, place: Place, report: Self::Report) -> bool;
    /// A user of a place, of several, makes a request, which queues there.
    fn queue(&mut self, _place: Place, _user: LocalUser) {}
    /// The request of a place that is granted now is that of this user, where there are several.
    fn serve(&mut self, _place: Place, _user: LocalUser) {}
    /// The present instant is over: what happened at it, in whatever order, is judged together.
    fn settle(&mut self) {}
    /// The protocol's deadline has come: what was asked for must be there, and stay.
    fn deadline(&mut self) {}
    /// A message was lost.
    fn lost(&mut self) {}
    /// A message was duplicated.
    fn duplicated(&mut self) {}
    /// Clears data for statistics, which may grow without bound: for engines that look states up.
    fn forget(&mut self) {}
    /// Its image under the rotation of a ring of `n` by `by` places. Violations lose their details, which name places.
    /// `None` where rotations are no symmetry, or not known to be one.
    fn rotated(&self, _by: Place, _n: Place) -> Option<Self> {
        None
    }
    /// Takes in what another one has observed in the [segment](Self::of_segment) that begins at place `first`. It observes no
    /// more itself. Only where reports may be observed in [any order](Problem::ANY_ORDER).
    fn merge(&mut self, _first: u64, _other: &Self) {
        unreachable!("the order of reports matters");
    }
    /// A processor has crashed: nothing is expected of it any more.
    fn crash(&mut self, place: Place);
    /// A processor that had crashed has restarted, and its user will make this number of requests. What it reported before the
    /// crash it may have forgotten.
    fn restart(&mut self, _place: Place, _requests: u64) {}
    /// Whether all requests are fulfilled.
    fn finished(&self) -> bool;
    /// Whether a request is outstanding.
    fn waiting(&self) -> bool {
        !self.finished()
    }
    /// The reason that the run is not finished, in words.
    fn missing(&self) -> String;
    /// The violations so far, in order.
    fn violations(&self) -> &[Violation];
    /// The result as data.
    fn outcome(&self) -> Outcome;
}

/// A property that does not hold.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub struct Violation {
    /// The property, in words.
    pub property: &'static str,
    /// The reports that contradict it, in words.
    pub detail: String,
}

/// From another process. The name of the property stays in memory: a run violates few.
impl<'de> Deserialize<'de> for Violation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename = "Violation")]
        struct Owned {
            property: String,
            detail: String,
        }
        let Owned { property, detail } = Owned::deserialize(deserializer)?;
        Ok(Self { property: property.leak(), detail })
    }
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
        /// The processors that declared themselves, in order.
        leaders: Vec<Leader>,
        /// The identity that all processors that know a leader hold; `None` where they differ or none does.
        agreed: Option<Id>,
        /// The number of processors that know a leader.
        decided: u64,
        /// The size of the ring, where the leader derived it.
        ring_size: Option<u64>,
        /// By place, what each got when values were put in order; empty where they were not.
        sorted: Vec<Option<Id>>,
        /// The result of any other task of the leader.
        task: Option<TaskResult>,
    },
    /// Of sites that share something.
    Entries {
        /// The number of entries.
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
        /// The number of tokens.
        tokens: u64,
    },
    /// Of a workload that has no result.
    Work,
}
