use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use serde::Serialize;

use crate::{
    Election, ElectionMonitor, ElectionReport, ElectionRequest, Id, Milestone, Monitor, Outcome, Place, Problem,
    Promises, Proposition, Scenario, Violation,
};

/// A task of an elected leader.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// It finds out the size of the ring.
    Size,
    /// It puts all identities in order around the ring.
    Sort,
}

impl Task {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Size, Self::Sort];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Size => "ring-size",
            Self::Sort => "ring-sort",
        }
    }
}

/// An election, and then a [`Task`] of its leader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tasked {}

/// A report about the election, and then about the task.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskReport {
    /// Of the election.
    Election(ElectionReport),
    /// The leader begins with its task.
    Begun(Task),
    /// The leader knows the size of the ring.
    Size(u64),
    /// The processor takes this value of the sorted ones.
    Sorted(Id),
}

impl fmt::Display for TaskReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Election(report) => fmt::Display::fmt(report, f),
            Self::Begun(task) => write!(f, "begins {}", task.name()),
            Self::Size(size) => write!(f, "ring size {size}"),
            Self::Sorted(id) => write!(f, "takes value {id}"),
        }
    }
}

impl Problem for Tasked {
    const NAME: &'static str = "election";
    const WORK: &'static str = "election";
    type Request = ElectionRequest;
    type Report = TaskReport;
    type Monitor = TaskMonitor;
    type Meter = ();

    fn milestone(report: &TaskReport) -> Option<Milestone> {
        match *report {
            TaskReport::Election(ref report) => Election::milestone(report),
            TaskReport::Begun(_) => Some(Milestone::TaskBegun),
            TaskReport::Size(size) => Some(Milestone::Size { size }),
            TaskReport::Sorted(value) => Some(Milestone::Sorted { value }),
        }
    }
}

/// The properties of the election; the size is right, the values are in order around the ring from the leader on;
/// termination.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TaskMonitor {
    election: ElectionMonitor,
    n: usize,
    task: Option<Task>,
    size: Option<u64>,
    /// The value of each place, in the order of reports.
    sorted: Vec<(Place, Id)>,
    violations: Vec<Violation>,
}

impl TaskMonitor {
    const SIZE: &'static str = "the ring's size is right";
    const ORDER: &'static str = "values are in order around the ring";

    fn violated(&mut self, property: &'static str, detail: String) {
        Violation { property, detail }.note(&mut self.violations);
    }

    fn take_value(&mut self, place: Place, value: Id) {
        let step = |from: Place, to: Place| (to as usize + self.n - from as usize) % self.n;
        let wrong = self.sorted.last().is_some_and(|&(last, before)| {
            // The second one determines the direction.
            let directions = match self.sorted[..] {
                [(first, _), (second, _), ..] => [step(first, second); 2],
                _ => [1 % self.n, self.n - 1],
            };
            before >= value || !directions.contains(&step(last, place))
        });
        if wrong {
            let before = self.sorted.last().map_or(0, |(place, _)| *place);
            self.violated(Self::ORDER, format!("place {place} got {value} after place {before}"));
        }
        self.sorted.push((place, value));
    }
}

impl Monitor for TaskMonitor {
    type Report = TaskReport;

    fn new(scenario: &Scenario) -> Self {
        let election = ElectionMonitor::new(scenario);
        Self { election, n: scenario.n, task: None, size: None, sorted: Vec::new(), violations: Vec::new() }
    }

    fn promise(&mut self, promises: Promises, scenario: &Scenario) {
        self.election.promise(promises, scenario);
    }

    fn satisfies(&self, proposition: Proposition) -> Option<bool> {
        self.election.satisfies(proposition)
    }

    fn observe(&mut self, place: Place, report: TaskReport) -> bool {
        match report {
            TaskReport::Election(report) => {
                let elected = self.election.observe(place, report);
                for violation in self.election.violations() {
                    violation.clone().note(&mut self.violations);
                }
                return elected;
            }
            TaskReport::Begun(task) => self.task = Some(task),
            TaskReport::Size(size) => {
                if size != self.n as u64 {
                    self.violated(Self::SIZE, format!("place {place} counted {size}, there are {}", self.n));
                }
                self.size = Some(size);
            }
            TaskReport::Sorted(value) => self.take_value(place, value),
        }
        false
    }

    fn crash(&mut self, place: Place) {
        self.election.crash(place);
    }

    fn finished(&self) -> bool {
        self.election.finished()
            && match self.task {
                None => false,
                Some(Task::Size) => self.size.is_some(),
                Some(Task::Sort) => self.sorted.len() >= self.n,
            }
    }

    fn missing(&self) -> String {
        match self.task {
            _ if !self.election.finished() => self.election.missing(),
            None => "the leader has not begun with its task".into(),
            Some(Task::Size) => "the leader does not know the size".into(),
            Some(Task::Sort) => format!("{} of {} processors have their value", self.sorted.len(), self.n),
        }
    }

    fn violations(&self) -> &[Violation] {
        &self.violations
    }

    fn outcome(&self) -> Outcome {
        let Outcome::Election { leaders, agreed, decided, ring_size, .. } = self.election.outcome() else {
            unreachable!("an election comes to an election's outcome")
        };
        let mut sorted = vec![None; if self.sorted.is_empty() { 0 } else { self.n }];
        for &(place, value) in &self.sorted {
            sorted[place as usize] = Some(value);
        }
        Outcome::Election { leaders, agreed, decided, ring_size: self.size.or(ring_size), sorted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn monitor(n: usize) -> TaskMonitor {
        TaskMonitor::new(&Scenario { n, ..Scenario::default() })
    }

    fn sorted(values: &[(Place, u64)]) -> TaskMonitor {
        let mut monitor = monitor(4);
        for place in 0..4 {
            let id = Some(Id::new(9));
            let report = if place == 2 { ElectionReport::Elected(id) } else { ElectionReport::Follows(id) };
            monitor.observe(place, TaskReport::Election(report));
        }
        monitor.observe(2, TaskReport::Begun(Task::Sort));
        assert!(!monitor.finished());
        for &(place, value) in values {
            monitor.observe(place, TaskReport::Sorted(Id::new(value)));
        }
        monitor
    }

    #[test]
    fn values_may_ascend_in_either_direction_but_not_in_both() {
        for right in [[(2, 1), (3, 5), (0, 7), (1, 9)], [(2, 1), (1, 5), (0, 7), (3, 9)]] {
            let monitor = sorted(&right);
            assert!(monitor.finished() && monitor.violations().is_empty());
        }
        let wrong = [
            [(2, 1), (3, 5), (1, 7), (0, 9)],
            [(2, 1), (0, 5), (3, 7), (1, 9)],
            [(2, 1), (3, 7), (0, 5), (1, 9)],
            [(2, 1), (3, 1), (0, 5), (1, 9)],
        ];
        for values in wrong {
            assert_eq!(sorted(&values).violations()[0].property, TaskMonitor::ORDER, "{values:?}");
        }
        assert!(!sorted(&[(2, 1), (3, 5), (0, 7)]).finished());
    }

    #[test]
    fn a_violation_of_the_election_is_one_of_the_task() {
        let mut monitor = monitor(2);
        assert!(monitor.observe(0, TaskReport::Election(ElectionReport::Elected(Some(Id::new(1))))));
        monitor.observe(1, TaskReport::Election(ElectionReport::Elected(Some(Id::new(2)))));
        monitor.observe(1, TaskReport::Begun(Task::Size));
        monitor.observe(1, TaskReport::Size(3));
        let caught: Vec<_> = monitor.violations().iter().map(|v| v.property).collect();
        assert_eq!(caught, ["at most one leader", "everybody agrees", TaskMonitor::SIZE]);
    }
}
