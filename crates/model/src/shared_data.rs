use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use serde::Serialize;

use crate::workload::{Contest, mean};
use crate::{
    Lengths, Meter, Milestone, Monitor, Outcome, Place, Problem, ProcessorState, Promised, Promises, Proposition,
    Scenario, Tally, Time, Violation, WholeRun, WorkloadEvent, WorkloadRequests,
};

/// Readers and writers of shared data that do not wait for each other: a reader that finds that a write came between
/// begins again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SharedData {}

/// A request to a reader or writer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DataRequest {
    /// Read, or write, once.
    Access,
}

impl fmt::Display for DataRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Access => f.write_str("access"),
        }
    }
}

/// A report of a reader or writer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DataReport {
    /// A read or write is requested.
    Requested,
    /// The reader begins an attempt. Until then it is shown as waiting, and if it never reports one, until it returns.
    Attempts,
    /// The reader returns.
    Returns {
        /// The number of the write that the first word comes from; 0 for the initial data.
        write: u64,
        /// The words come from different writes.
        torn: bool,
    },
    /// The reader's attempt has failed.
    Overlapped {
        /// It has found that two or more writes came between, not one.
        several: bool,
    },
    /// The writer begins the write of this number, counted from 1. Until then it is shown as waiting.
    Writes(u64),
    /// The writer has completed the write of this number.
    Written(u64),
}

impl fmt::Display for DataReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Requested => f.write_str("requested"),
            Self::Attempts => f.write_str("attempts to read"),
            Self::Returns { write, torn: false } => write!(f, "returns write {write}"),
            Self::Returns { write, torn: true } => write!(f, "returns a torn read of write {write}"),
            Self::Overlapped { several: false } => f.write_str("finds one overlapping write"),
            Self::Overlapped { several: true } => f.write_str("finds two or more overlapping writes"),
            Self::Writes(write) => write!(f, "begins write {write}"),
            Self::Written(write) => write!(f, "completes write {write}"),
        }
    }
}

impl Problem for SharedData {
    const NAME: &'static str = "readers-writers";
    const WORK: &'static str = "access";
    const WORKLOAD_REQUESTS: Option<WorkloadRequests<DataRequest>> =
        Some(WorkloadRequests { acquire: DataRequest::Access, release: None });
    const PROPERTIES: &'static [&'static str] = &[DataMonitor::WHOLE, DataMonitor::FRESH];
    type Request = DataRequest;
    type Report = DataReport;
    type Monitor = DataMonitor;
    type Meter = DataMeter;

    fn workload_event(report: &DataReport) -> Option<WorkloadEvent> {
        matches!(report, DataReport::Returns { .. } | DataReport::Written(_)).then_some(WorkloadEvent::Left)
    }

    fn milestone(report: &DataReport) -> Option<Milestone> {
        Some(match *report {
            DataReport::Requested => Milestone::Requested,
            DataReport::Attempts => Milestone::Attempt,
            DataReport::Returns { write, torn } => Milestone::Read { write, torn },
            DataReport::Overlapped { .. } | DataReport::Writes(_) => return None,
            DataReport::Written(write) => Milestone::Written { write },
        })
    }
}

/// Safety: a read returns the data of one write, no older than the last write completed before its attempt began.
/// Termination: every read and write ends.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DataMonitor {
    /// The last write completed.
    written: u64,
    /// By place: the last write completed when its attempt began.
    since: Vec<u64>,
    left: Vec<u64>,
    /// The places whose request is not answered yet.
    asking: Vec<bool>,
    /// Those of them that are in an attempt or a write, where that is reported: for people who look on.
    accessing: Vec<bool>,
    /// This and the next are the same in all states.
    readers: usize,
    writers: usize,
    reads: u64,
    writes: u64,
    attempts: u64,
    torn: u64,
    stale: u64,
    /// The last write begun, where readers are promised to find no more overlapping writes than there are.
    begun: Option<u64>,
    violations: Vec<Violation>,
}

impl DataMonitor {
    const WHOLE: &'static str = "no torn read is returned";
    const FRESH: &'static str = "no stale read is returned";

    fn done(&mut self, place: Place) {
        let left = &mut self.left[place as usize];
        *left = left.saturating_sub(1);
        self.asking[place as usize] = false;
        self.accessing[place as usize] = false;
    }

    /// A reader has found this many overlapping writes, or more. Those that may overlap have begun and were not complete when the
    /// attempt began, as far as the writer knew.
    fn judge_overlap(&mut self, place: Place, found: u64) {
        let most = self.begun.map(|begun| begun.saturating_sub(self.since[place as usize]));
        if let Some(most) = most.filter(|&most| most < found) {
            let detail = format!("place {place} found {found}, of {most}");
            self.violated(Promised::OverlapsTold.name(), detail);
        }
    }

    fn violated(&mut self, property: &'static str, detail: String) {
        Violation { property, detail }.note(&mut self.violations);
    }
}

impl Monitor for DataMonitor {
    type Report = DataReport;

    fn new(scenario: &Scenario) -> Self {
        Self {
            written: 0,
            since: vec![0; scenario.n],
            left: scenario.asks(),
            asking: vec![false; scenario.n],
            accessing: vec![false; scenario.n],
            readers: scenario.workload.as_ref().map_or(0, |load| load.readers),
            writers: scenario.workload.as_ref().map_or(0, |load| load.writers),
            reads: 0,
            writes: 0,
            attempts: 0,
            torn: 0,
            stale: 0,
            begun: None,
            violations: Vec::new(),
        }
    }

    fn promise(&mut self, promises: Promises, _: &Scenario) {
        promises.assert_among(&[Promised::OverlapsTold]);
        self.begun = promises.contains(Promised::OverlapsTold).then_some(0);
    }

    fn satisfies(&self, proposition: Proposition) -> Option<bool> {
        let (readers, writers) = (0..self.readers, self.readers..self.readers + self.writers);
        match proposition {
            Proposition::Reading(place) if readers.contains(&(place as usize)) => {}
            Proposition::Writing(place) if writers.contains(&(place as usize)) => {}
            _ => return None,
        }
        self.asking.get(proposition.place()? as usize).copied()
    }

    fn state(&self, place: Place) -> Option<ProcessorState> {
        let site = place as usize;
        Some(match self.asking[site] {
            _ if site >= self.readers + self.writers => ProcessorState::Cell,
            false => ProcessorState::Remainder,
            true if !self.accessing[site] => ProcessorState::Trying,
            true if site < self.readers => ProcessorState::Reading,
            true => ProcessorState::Writing,
        })
    }

    fn inside(&self) -> usize {
        self.accessing.iter().filter(|&&accesses| accesses).count()
    }

    fn observe(&mut self, place: Place, report: DataReport) -> bool {
        match report {
            DataReport::Requested => self.asking[place as usize] = true,
            DataReport::Attempts => {
                self.attempts += 1;
                self.since[place as usize] = self.written;
                self.accessing[place as usize] = true;
            }
            DataReport::Overlapped { several } => {
                self.judge_overlap(place, 1 + u64::from(several));
                self.accessing[place as usize] = false;
            }
            DataReport::Writes(write) => {
                self.begun = self.begun.map(|_| write);
                self.accessing[place as usize] = true;
            }
            DataReport::Returns { write, torn } => {
                self.reads += 1;
                self.done(place);
                let since = self.since[place as usize];
                if torn {
                    self.torn += 1;
                    self.violated(Self::WHOLE, format!("place {place} returned words of write {write} and another"));
                } else if write < since {
                    self.stale += 1;
                    let detail = format!("place {place} returned write {write}; write {since} was complete before");
                    self.violated(Self::FRESH, detail);
                }
            }
            DataReport::Written(write) => {
                self.writes += 1;
                self.written = self.written.max(write);
                self.done(place);
            }
        }
        false
    }

    fn crash(&mut self, place: Place) {
        self.left[place as usize] = 0;
        self.asking[place as usize] = false;
        self.accessing[place as usize] = false;
    }

    fn restart(&mut self, place: Place, requests: u64) {
        self.left[place as usize] = requests;
    }

    fn forget(&mut self) {
        self.attempts = 0;
        self.accessing.fill(false);
    }

    fn waiting(&self) -> bool {
        self.asking.contains(&true)
    }

    fn finished(&self) -> bool {
        self.left.iter().all(|&left| left == 0)
    }

    fn missing(&self) -> String {
        format!("reads and writes not made: {}", self.left.iter().sum::<u64>())
    }

    fn violations(&self) -> &[Violation] {
        &self.violations
    }

    fn outcome(&self) -> Outcome {
        let Self { reads, writes, attempts, torn, stale, .. } = *self;
        Outcome::Data { reads, writes, attempts, torn, stale }
    }
}

/// Attempts per read, and fairness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataMeter {
    contest: Contest,
    asked: Vec<Time>,
    /// Attempts of the present read of each place.
    tried: Vec<u64>,
    attempts: u64,
    /// The lengths of reads in the window.
    delays: Vec<Time>,
    later_attempts: u64,
    /// Those after it.
    later: Vec<Time>,
    /// Attempts that failed: found one overlapping write, or more.
    failed: [u64; 2],
}

impl Meter<DataReport> for DataMeter {
    fn new(scenario: &Scenario) -> Self {
        Self {
            contest: Contest::new(scenario),
            asked: vec![0; scenario.n],
            tried: vec![0; scenario.n],
            attempts: 0,
            delays: Vec::new(),
            later_attempts: 0,
            later: Vec::new(),
            failed: [0, 0],
        }
    }

    fn observe(&mut self, now: Time, messages: u64, place: Place, report: &DataReport) {
        let index = place as usize;
        match report {
            DataReport::Requested => {
                self.contest.ask(place);
                (self.asked[index], self.tried[index]) = (now, 0);
            }
            DataReport::Attempts => self.tried[index] += 1,
            DataReport::Overlapped { several } => self.failed[usize::from(*several)] += 1,
            DataReport::Writes(_) => {}
            DataReport::Returns { .. } | DataReport::Written(_) => {
                let counts = self.contest.have(now, place, messages);
                if matches!(report, DataReport::Returns { .. }) {
                    let (delays, attempts) = match counts {
                        true => (&mut self.delays, &mut self.attempts),
                        false => (&mut self.later, &mut self.later_attempts),
                    };
                    delays.push(now - self.asked[index]);
                    *attempts += self.tried[index];
                }
            }
        }
    }

    fn tally(&self, messages: u64) -> Tally {
        let sample = self.delays.len() as u64;
        let all = [self.delays.as_slice(), &self.later].concat();
        let [messages_per_entry, over_all] = self.contest.messages_per_entry(messages);
        Tally {
            messages_per_entry,
            granting_delay: Lengths::of(&self.delays),
            attempts: mean(self.attempts, sample),
            failed_attempts: Some(self.failed),
            fairness: self.contest.fairness(),
            starved: Some(self.contest.starved()),
            sample,
            whole_run: WholeRun {
                messages_per_entry: over_all,
                granting_delay: Lengths::of(&all),
                attempts: mean(self.attempts + self.later_attempts, all.len() as u64),
                negatives: None,
            },
            waits: self.delays.clone(),
            ..Tally::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Value, Workload};

    fn scenario(entries: u64) -> Scenario {
        let workload = Workload { entries, readers: 1, writers: 1, ..Workload::new(2) };
        Scenario { n: 2, workload: Some(workload), ..Scenario::default() }
    }

    #[test]
    fn torn_and_stale_reads_are_caught_and_a_write_that_came_between_is_neither() {
        let mut monitor = DataMonitor::new(&scenario(3));
        monitor.observe(0, DataReport::Attempts);
        monitor.observe(1, DataReport::Written(1));
        monitor.observe(0, DataReport::Returns { write: 0, torn: false });
        assert!(monitor.violations().is_empty(), "the write was completed after the attempt began");
        monitor.observe(0, DataReport::Attempts);
        monitor.observe(0, DataReport::Returns { write: 0, torn: false });
        monitor.observe(0, DataReport::Attempts);
        monitor.observe(0, DataReport::Returns { write: 1, torn: true });
        let caught: Vec<_> = monitor.violations().iter().map(|violation| violation.property).collect();
        assert_eq!(caught, [DataMonitor::FRESH, DataMonitor::WHOLE]);
        assert!(!monitor.finished(), "two writes are missing");
        let outcome = Outcome::Data { reads: 3, writes: 1, attempts: 3, torn: 1, stale: 1 };
        assert_eq!(monitor.outcome(), outcome);
    }

    #[test]
    fn who_asks_is_trying_until_its_attempt_or_write_begins() {
        use ProcessorState::{Reading, Remainder, Trying, Writing};
        let mut monitor = DataMonitor::new(&scenario(3));
        for (place, report, states, inside) in [
            (0, DataReport::Requested, [Trying, Remainder], 0),
            (0, DataReport::Attempts, [Reading, Remainder], 1),
            (1, DataReport::Requested, [Reading, Trying], 1),
            (1, DataReport::Writes(1), [Reading, Writing], 2),
            (0, DataReport::Overlapped { several: false }, [Trying, Writing], 1),
            (1, DataReport::Written(1), [Trying, Remainder], 0),
            (0, DataReport::Attempts, [Reading, Remainder], 1),
            (0, DataReport::Returns { write: 1, torn: false }, [Remainder, Remainder], 0),
        ] {
            monitor.observe(place, report);
            assert_eq!([0, 1].map(|place| monitor.state(place)), states.map(Some), "{report}");
            assert_eq!(monitor.inside(), inside, "{report}");
        }
        monitor.observe(0, DataReport::Requested);
        monitor.observe(0, DataReport::Attempts);
        monitor.crash(0);
        assert_eq!((monitor.state(0), monitor.inside()), (Some(Remainder), 0));
    }

    #[test]
    fn a_reader_finds_no_more_overlapping_writes_than_there_are() {
        let broken = |reports: &[(Place, DataReport)]| {
            let scenario = scenario(9);
            let mut monitor = DataMonitor::new(&scenario);
            monitor.promise(Promises::default().with(Promised::OverlapsTold), &scenario);
            for &(place, report) in reports {
                monitor.observe(place, report);
            }
            !monitor.violations().is_empty()
        };
        let (one, more) = (DataReport::Overlapped { several: false }, DataReport::Overlapped { several: true });
        let (writes, written) = (DataReport::Writes, DataReport::Written);
        // A write that is under way when the attempt begins, and is complete before it ends.
        let begun = [(1, writes(1)), (0, DataReport::Attempts), (1, written(1))];
        assert!(!broken(&[&begun[..], &[(0, one)]].concat()));
        assert!(broken(&[&begun[..], &[(0, more)]].concat()), "there is no second one");
        // Another begins: whether the reader saw it, the monitor does not know.
        let second = [&begun[..], &[(1, writes(2))]].concat();
        assert!(!broken(&[&second[..], &[(0, one)]].concat()));
        assert!(!broken(&[&second[..], &[(0, more)]].concat()));
        assert!(broken(&[(0, DataReport::Attempts), (0, one)]), "nobody writes");
    }

    #[test]
    fn a_reader_that_gets_nothing_while_the_writer_writes_has_starved() {
        let mut meter = DataMeter::new(&scenario(3));
        for place in [0, 1] {
            meter.observe(0, 0, place, &DataReport::Requested);
        }
        meter.observe(5, 0, 1, &DataReport::Written(1));
        meter.observe(9, 0, 1, &DataReport::Written(2));
        meter.observe(11, 0, 1, &DataReport::Written(3));
        meter.observe(12, 0, 0, &DataReport::Returns { write: 3, torn: false });
        let tally = meter.tally(0);
        assert_eq!((tally.starved, tally.attempts, tally.sample), (Some(1), None, 0));
        assert_eq!(tally.whole_run.attempts, Some(Value::ZERO), "one read, which reported no attempt");
    }
}
