use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use serde::Serialize;

use crate::{
    Election, ElectionMonitor, ElectionReport, ElectionRequest, Id, Milestone, Monitor, Outcome, Place, Problem,
    ProcessorState, Promises, Proposition, Scenario, Violation,
};

/// A task of an elected leader.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// It finds out the size of the ring.
    Size,
    /// It puts all values, its own among them, in order around the ring.
    Sort,
    /// It tells everybody its value.
    Broadcast,
    /// It transfers leadership to the greatest identity.
    Transfer,
    /// It replaces all tokens of the ring, none or many, by one.
    Token,
}

impl Task {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Size, Self::Sort, Self::Broadcast, Self::Transfer, Self::Token];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Size => "ring-size",
            Self::Sort => "ring-sort",
            Self::Broadcast => "broadcast",
            Self::Transfer => "transfer",
            Self::Token => "token",
        }
    }

    /// The meaning of [`Scenario::values`] for it, if it takes any.
    pub const fn input(self) -> Option<&'static str> {
        match self {
            Self::Size | Self::Transfer => None,
            Self::Sort | Self::Broadcast => Some("the value of each processor, its identity if not given"),
            Self::Token => Some("the number of old tokens of each processor, 0 if not given"),
        }
    }

    /// Whether it needs identities, if no values are given.
    pub const fn needs_identities(self, values: &[u64]) -> bool {
        match self {
            Self::Size | Self::Token => false,
            Self::Sort | Self::Broadcast => values.is_empty(),
            Self::Transfer => true,
        }
    }
}

/// The result of a task that neither counts nor sorts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TaskResult {
    /// The value that all have; `None` if they do not.
    Value(Option<u64>),
    /// The leader to which leadership is transferred; `None` if they do not agree.
    Successor(Option<Id>),
    /// Tokens.
    Tokens {
        /// The number of tokens before the election.
        old: u64,
        /// The number of tokens that were removed.
        removed: u64,
        /// The number of tokens that the leader inserted.
        inserted: u64,
    },
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
    /// The leader has none.
    NoTask,
    /// The leader knows the size of the ring.
    Size(u64),
    /// The processor takes this value of the sorted ones.
    Sorted(Id),
    /// The processor has the leader's value.
    Learned(u64),
    /// The processor knows the new leader.
    Succeeded(Id),
    /// The processor removes an old token.
    TokenRemoved,
    /// The leader inserts a token.
    TokenInserted,
    /// The token has made a turn.
    TokenReturned,
}

impl fmt::Display for TaskReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Election(report) => fmt::Display::fmt(report, f),
            Self::Begun(task) => write!(f, "begins {}", task.name()),
            Self::NoTask => f.write_str("has no task"),
            Self::Size(size) => write!(f, "ring size {size}"),
            Self::Sorted(id) => write!(f, "takes value {id}"),
            Self::Learned(value) => write!(f, "learns value {value}"),
            Self::Succeeded(id) => write!(f, "new leader {id}"),
            Self::TokenRemoved => f.write_str("removes a token"),
            Self::TokenInserted => f.write_str("inserts a token"),
            Self::TokenReturned => f.write_str("the token has made a turn"),
        }
    }
}

impl Problem for Tasked {
    const NAME: &'static str = "election";
    const WORK: &'static str = "election";
    const PROPERTIES: &'static [&'static str] = Election::PROPERTIES;
    type Request = ElectionRequest;
    type Report = TaskReport;
    type Monitor = TaskMonitor;
    type Meter = ();

    fn milestone(report: &TaskReport) -> Option<Milestone> {
        match *report {
            TaskReport::Election(ref report) => Election::milestone(report),
            TaskReport::Begun(_) => Some(Milestone::TaskBegun),
            TaskReport::NoTask => None,
            TaskReport::Size(size) => Some(Milestone::Size { size }),
            TaskReport::Sorted(value) => Some(Milestone::Sorted { value }),
            TaskReport::Learned(value) => Some(Milestone::Learned { value }),
            TaskReport::Succeeded(id) => Some(Milestone::Succeeded { id }),
            TaskReport::TokenRemoved => Some(Milestone::TokenRemoved),
            TaskReport::TokenInserted => Some(Milestone::TokenInserted),
            TaskReport::TokenReturned => Some(Milestone::TokenReturned),
        }
    }
}

/// The properties of the election; the size is right, the values are in order around the ring from the leader on,
/// everybody has the leader's value, the greatest identity leads in the end, a token is inserted once and when no other
/// is left; termination.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TaskMonitor {
    election: ElectionMonitor,
    n: usize,
    task: Option<Task>,
    /// The leader has no task.
    idle: bool,
    size: Option<u64>,
    /// The value of each place, in the order of reports.
    sorted: Vec<(Place, Id)>,
    /// What the task must bring: by place the value of each until it has begun; then all in order, the leader's, or the
    /// greatest identity.
    expected: Vec<u64>,
    /// The places that have the leader's value, or know the new leader.
    informed: BTreeSet<Place>,
    tokens: Tokens,
    violations: Vec<Violation>,
}

/// The tokens so far.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Tokens {
    old: u64,
    removed: u64,
    inserted: u64,
    returned: u64,
    /// Whether each old token must be removed: messages are neither lost nor duplicated, and nobody stops.
    kept: bool,
}

impl TaskMonitor {
    const SIZE: &'static str = "the ring's size is right";
    const ORDER: &'static str = "values are in order around the ring";
    const VALUE: &'static str = "everybody has the leader's value";
    const SUCCESSOR: &'static str = "the greatest identity succeeds";
    const ONE_TOKEN: &'static str = "one token";

    fn violated(&mut self, property: &'static str, detail: String) {
        Violation { property, detail }.note(&mut self.violations);
    }

    fn begin(&mut self, leader: Place, task: Task) {
        self.task = Some(task);
        match task {
            Task::Size | Task::Token => self.expected.clear(),
            Task::Sort => self.expected.sort_unstable(),
            Task::Broadcast => self.expected = self.expected.get(leader as usize).copied().into_iter().collect(),
            Task::Transfer => self.expected = self.expected.iter().copied().max().into_iter().collect(),
        }
    }

    /// The values of places so far are the least ones, in order, one place after the other.
    fn take_value(&mut self, place: Place, value: Id) {
        let step = |from: Place, to: Place| (to as usize + self.n - from as usize) % self.n;
        let apart = self.sorted.last().is_some_and(|&(last, _)| {
            // The second one determines the direction.
            let directions = match self.sorted[..] {
                [(first, _), (second, _), ..] => [step(first, second); 2],
                _ => [1 % self.n, self.n - 1],
            };
            !directions.contains(&step(last, place))
        });
        if apart {
            let before = self.sorted.last().map_or(0, |(place, _)| *place);
            self.violated(Self::ORDER, format!("place {place} got {value} after place {before}"));
        }
        let expected = self.expected.get(self.sorted.len()).copied();
        if expected != Some(value.get()) {
            let number = self.sorted.len() + 1;
            let expected = expected.map_or("there is none".into(), |expected| format!("that is {expected}"));
            self.violated(Self::ORDER, format!("place {place} got {value} as number {number}: {expected}"));
        }
        self.sorted.push((place, value));
    }

    /// A place has learnt what all shall know.
    fn inform(&mut self, property: &'static str, place: Place, value: u64) {
        if self.expected.first() != Some(&value) {
            let right = self.expected.first().copied().unwrap_or(0);
            self.violated(property, format!("place {place} has {value}, not {right}"));
        }
        self.informed.insert(place);
    }

    fn count_token(&mut self, place: Place, report: TaskReport) {
        match report {
            TaskReport::TokenRemoved => self.tokens.removed += 1,
            TaskReport::TokenInserted => self.tokens.inserted += 1,
            _ => self.tokens.returned += 1,
        }
        let Tokens { old, removed, inserted, returned, kept } = self.tokens;
        if report == TaskReport::TokenInserted && kept && removed != old {
            self.violated(Self::ONE_TOKEN, format!("place {place} inserts one when {removed} of {old} are removed"));
        }
        if inserted > 1 || returned > 1 {
            self.violated(Self::ONE_TOKEN, format!("{inserted} are inserted, {returned} have made a turn"));
        }
        if kept && removed > old {
            self.violated(Self::ONE_TOKEN, format!("{removed} are removed, there were {old}"));
        }
    }
}

impl Monitor for TaskMonitor {
    type Report = TaskReport;

    fn new(scenario: &Scenario) -> Self {
        let ids = scenario.identities().list();
        let values = if scenario.values.is_empty() { ids.into_owned() } else { scenario.values.clone() };
        let old = scenario.values.iter().fold(0u64, |sum, &tokens| sum.saturating_add(tokens));
        Self {
            election: ElectionMonitor::new(scenario),
            n: scenario.n,
            task: None,
            idle: false,
            size: None,
            sorted: Vec::new(),
            expected: values,
            informed: BTreeSet::new(),
            tokens: Tokens {
                old,
                removed: 0,
                inserted: 0,
                returned: 0,
                kept: scenario.nothing_fails() || scenario.retransmit.is_some(),
            },
            violations: Vec::new(),
        }
    }

    fn promise(&mut self, promises: Promises, scenario: &Scenario) {
        self.election.promise(promises, scenario);
    }

    fn satisfies(&self, proposition: Proposition) -> Option<bool> {
        self.election.satisfies(proposition)
    }

    fn state(&self, place: Place) -> Option<ProcessorState> {
        self.election.state(place)
    }

    fn leaders(&self) -> usize {
        self.election.leaders()
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
            TaskReport::Begun(task) => self.begin(place, task),
            TaskReport::NoTask => self.idle = true,
            TaskReport::Size(size) => {
                if size != self.n as u64 {
                    self.violated(Self::SIZE, format!("place {place} counted {size}, there are {}", self.n));
                }
                self.size = Some(size);
            }
            TaskReport::Sorted(value) => self.take_value(place, value),
            TaskReport::Learned(value) => self.inform(Self::VALUE, place, value),
            TaskReport::Succeeded(id) => self.inform(Self::SUCCESSOR, place, id.get()),
            TaskReport::TokenRemoved | TaskReport::TokenInserted | TaskReport::TokenReturned => {
                self.count_token(place, report);
            }
        }
        false
    }

    fn crash(&mut self, place: Place) {
        self.election.crash(place);
    }

    fn restart(&mut self, place: Place, requests: u64) {
        self.election.restart(place, requests);
        self.sorted.retain(|&(other, _)| other != place);
    }

    fn finished(&self) -> bool {
        let Tokens { old, removed, returned, kept, .. } = self.tokens;
        self.election.finished()
            && match self.task {
                None => self.idle,
                Some(Task::Size) => self.size.is_some(),
                Some(Task::Sort) => self.sorted.len() >= self.n,
                Some(Task::Broadcast | Task::Transfer) => self.informed.len() >= self.n,
                Some(Task::Token) => returned > 0 && (removed == old || !kept),
            }
    }

    fn missing(&self) -> String {
        match self.task {
            _ if !self.election.finished() => self.election.missing(),
            None => "the leader has not begun with its task".into(),
            Some(Task::Size) => "the leader does not know the size".into(),
            Some(Task::Sort) => format!("{} of {} processors have their value", self.sorted.len(), self.n),
            Some(Task::Broadcast) => format!("{} of {} processors have the value", self.informed.len(), self.n),
            Some(Task::Transfer) => format!("{} of {} processors know the new leader", self.informed.len(), self.n),
            Some(Task::Token) => "the new token has made no turn, or an old one is left".into(),
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
        // Places that were told something else are a violation.
        let right = || self.expected.first().copied().filter(|_| self.finished() && self.violations.is_empty());
        let task = match self.task {
            None | Some(Task::Size | Task::Sort) => None,
            Some(Task::Broadcast) => Some(TaskResult::Value(right())),
            Some(Task::Transfer) => Some(TaskResult::Successor(right().map(Id::new))),
            Some(Task::Token) => {
                let Tokens { old, removed, inserted, .. } = self.tokens;
                Some(TaskResult::Tokens { old, removed, inserted })
            }
        };
        Outcome::Election { leaders, agreed, decided, ring_size: self.size.or(ring_size), sorted, task }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn monitor(n: usize) -> TaskMonitor {
        TaskMonitor::new(&Scenario { n, ..Scenario::default() })
    }

    /// Place 2 of four, of identity 9, is elected.
    fn elected(task: Task, values: &[u64]) -> TaskMonitor {
        let ids = vec![5, 7, 9, 1];
        let mut monitor = TaskMonitor::new(&Scenario { n: 4, ids, values: values.to_vec(), ..Scenario::default() });
        for place in 0..4 {
            let id = Some(Id::new(9));
            let report = if place == 2 { ElectionReport::Elected(id) } else { ElectionReport::Follows(id) };
            monitor.observe(place, TaskReport::Election(report));
        }
        monitor.observe(2, TaskReport::Begun(task));
        assert!(!monitor.finished());
        monitor
    }

    fn sorted(values: &[(Place, u64)]) -> TaskMonitor {
        let mut monitor = elected(Task::Sort, &[]);
        for &(place, value) in values {
            monitor.observe(place, TaskReport::Sorted(Id::new(value)));
        }
        monitor
    }

    #[test]
    fn equal_values_are_in_order_but_each_is_taken_as_often_as_it_is_given() {
        let take = |values: [u64; 4]| {
            let mut monitor = elected(Task::Sort, &[3, 1, 3, 3]);
            for (place, value) in [2, 1, 0, 3].into_iter().zip(values) {
                monitor.observe(place, TaskReport::Sorted(Id::new(value)));
            }
            monitor.violations().len()
        };
        assert_eq!([take([1, 3, 3, 3]), take([1, 1, 3, 3])], [0, 1]);
    }

    #[test]
    fn everybody_has_the_value_of_the_leader_or_the_greatest_identity() {
        for (task, report, right) in [
            (Task::Broadcast, TaskReport::Learned as fn(u64) -> TaskReport, 30),
            (Task::Transfer, |value| TaskReport::Succeeded(Id::new(value)), 9),
        ] {
            let values: &[u64] = if task == Task::Broadcast { &[10, 20, 30, 40] } else { &[] };
            let mut monitor = elected(task, values);
            for place in [2, 3, 0] {
                monitor.observe(place, report(right));
                // Twice is not one more.
                monitor.observe(place, report(right));
            }
            assert!(!monitor.finished() && monitor.missing().starts_with("3 of 4"));
            let mut wrong = monitor.clone();
            monitor.observe(1, report(right));
            assert!(monitor.finished() && monitor.violations().is_empty());
            wrong.observe(1, report(right + 1));
            assert_eq!(wrong.violations().len(), 1);
        }
    }

    #[test]
    fn a_token_is_inserted_once_when_no_other_is_left() {
        let reports = |reports: &[TaskReport]| {
            let mut monitor = elected(Task::Token, &[0, 2, 0, 0]);
            for &report in reports {
                monitor.observe(2, report);
            }
            (monitor.finished(), monitor.violations().len())
        };
        let [removed, inserted, returned] =
            [TaskReport::TokenRemoved, TaskReport::TokenInserted, TaskReport::TokenReturned];
        assert_eq!(reports(&[removed, removed, inserted]), (false, 0));
        assert_eq!(reports(&[removed, removed, inserted, returned]), (true, 0));
        assert_eq!(reports(&[removed, inserted, removed, returned]), (true, 1), "one was left");
        assert_eq!(reports(&[removed, removed, inserted, inserted]), (false, 1), "two are inserted");
        assert_eq!(reports(&[removed, removed, inserted, returned, returned]), (true, 1), "it is there twice");
        assert_eq!(reports(&[removed, removed, removed]), (false, 1), "there was no third");
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
