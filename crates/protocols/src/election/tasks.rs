//! Tasks of an elected leader \[Vitanyi1984\], section 4: after any election on a ring.
//!
//! *Size*: a counter goes around once: N passes. *Sorting*: a table goes around and collects all values, here the
//! identities; when it is back, it goes around again, and everybody takes the least value that is left: 2N passes. The
//! processor at distance d from the leader, the way that the table goes, has then the (d+1)-th smallest.
//!
//! *Reading*: the leader begins in the step in which it learns that its own identity was elected, right behind the
//! announcement. On a bidirectional ring the table leaves by the leader's right, and goes on by the port opposite to
//! the one that it came in by.
//!
//! ```
//! use ringleader_model::{Outcome, Scenario, Task};
//! use ringleader_protocols::election::tasks::After;
//! use ringleader_protocols::election::chang_roberts::ChangRoberts;
//! use ringleader_sim::{Choices, Full, Run, Simulation};
//!
//! let scenario = Scenario { n: 4, ids: vec![3, 1, 4, 2], ..Scenario::default() };
//! let protocol = After::new(ChangRoberts, Task::Sort);
//! let mut run = Simulation::<_, Full>::new(protocol, &scenario, Choices::Drawn).unwrap();
//! while !run.advance(100) {}
//! let Outcome::Election { sorted, .. } = run.summary().outcome else { unreachable!() };
//! // The leader, 4, stands at place 2.
//! assert_eq!(sorted.iter().map(|value| value.unwrap().get()).collect::<Vec<_>>(), [3, 4, 1, 2]);
//! ```

mod erased;

use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use ringleader_model::{
    Assumptions, BadSetting, Bound, BoundKind, Description, Effects, Election, ElectionReport, Event, Id, Inspect,
    Instance, Kind, Message, Network, Operand, Parameter, Part, Port, Processor, Profile, Promises, Protocol, Quantity,
    Report, Scenario, Seat, Settings, Task, TaskReport, Tasked, Ticks, Topology, Value, Values, int_bits,
};
use serde::Serialize;

use super::vitanyi::dyadic_digits;
use super::{RING, onward};

pub use erased::AnyElection;

/// A protocol for elections.
pub trait Elects: Protocol<Processor: Processor<Problem = Election>> {}
impl<E: Protocol<Processor: Processor<Problem = Election>>> Elects for E {}

/// An election, and then a task of its leader.
#[derive(Clone, Copy, Debug)]
pub struct After<E> {
    election: E,
    /// The number of rules of the election: those of the task follow.
    election_rules: u8,
    task: Task,
}

impl<E: Elects> After<E> {
    /// This election, then this task.
    pub fn new(election: E, task: Task) -> Self {
        let election_rules = election.profile().rules as u8;
        Self { election, election_rules, task }
    }
}

/// A message of the election, or of the task.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Errand<M> {
    /// Of the election.
    Election(M),
    /// The number of processors counted so far.
    Count(u64),
    /// The values so far, in order.
    Collect(Vec<Id>),
    /// The values that nobody has taken yet, in order.
    Distribute(Vec<Id>),
}

/// The rules of both tasks, those of the size first. In [`After`] they follow those of the election.
const TASK_RULES: &[&str] = &[
    "Elected: send count(1), right behind the announcement.",
    "Not the leader, on count(k): send count(k+1) onward.",
    "Leader, on count(k): there are k.",
    "Elected: send collect with the own value, right behind the announcement.",
    "Not the leader, on collect: insert the own value into the table and relay it.",
    "Leader, on collect: take the least value out and send the rest as distribute.",
    "Not the leader, on distribute: take the least value out and relay the rest.",
    "Leader, on distribute: discard it, as it is empty.",
];
const SIZE_RULES: usize = 3;

/// The numbers of the rules of a task, counted from 1 behind those of the election.
pub const fn task_rules(task: Task) -> Range<usize> {
    match task {
        Task::Size => 1..SIZE_RULES + 1,
        Task::Sort => SIZE_RULES + 1..TASK_RULES.len() + 1,
    }
}

/// The words of a rule of a task, by its number behind those of the election.
pub fn task_rule(number: usize) -> Option<&'static str> {
    TASK_RULES.get(number.checked_sub(1)?).copied()
}

/// The description of each task; what it assumes is what the election before it assumes.
pub const TASKS: [(Task, Description); 2] = [
    (
        Task::Size,
        Description {
            name: Task::Size.name(),
            title: "after an election, the leader counts the ring",
            sources: &["Vitanyi1984"],
            idea: "A counter goes around the ring once. In a synchronous ring the leader needs no message at all: it \
                   reads the size off its own clock, as vitanyi does in lockstep.",
            rules: TASK_RULES.split_at(SIZE_RULES).0,
            assumptions: RING,
            parameters: &[ELECTION],
            ..Description::NEW
        },
    ),
    (
        Task::Sort,
        Description {
            name: Task::Sort.name(),
            title: "after an election, identities are put in order around the ring",
            sources: &["Vitanyi1984"],
            idea: "A table goes around and collects all values, then it goes around again and everybody takes the least \
                   that is left: at distance d from the leader the (d+1)-th smallest. The values are the identities. A table \
                   is counted in bits as the dyadic digits of the differences of its values, and one bit that tells collecting \
                   from distributing.",
            rules: TASK_RULES.split_at(SIZE_RULES).1,
            assumptions: RING,
            parameters: &[ELECTION],
            ..Description::NEW
        },
    ),
];

const ELECTION: Parameter = Parameter {
    name: "election",
    values: Values::Form("any election on a ring"),
    default: "vitanyi",
    doc: "which election comes first; the same as running that election with --then",
};

const TASK_KINDS: [Kind; 3] = [Kind::task("count"), Kind::task("collect"), Kind::task("distribute")];
/// The kinds of messages of a task.
pub const fn task_kinds(task: Task) -> &'static [Kind] {
    const KINDS: &[Kind] = &TASK_KINDS;
    match task {
        Task::Size => KINDS.split_at(1).0,
        Task::Sort => KINDS.split_at(1).1,
    }
}

/// More kinds than any election has.
const MOST_KINDS: usize = 16;
/// More rules than any election has.
const MOST_RULES: usize = 32;

impl<M: Message> Errand<M> {
    const COUNT: usize = M::KINDS.len() + TASK_KINDS.len();
    const ALL_KINDS: [Kind; MOST_KINDS] = {
        let mut kinds = [Kind::task(""); MOST_KINDS];
        let mut index = 0;
        while index < Self::COUNT {
            let tasks = TASK_KINDS.len();
            kinds[index] = if index < tasks { TASK_KINDS[index] } else { M::KINDS[index - tasks] };
            index += 1;
        }
        kinds
    };
}

impl<M: Message> fmt::Display for Errand<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, table) = match self {
            Self::Election(message) => return fmt::Display::fmt(message, f),
            Self::Count(count) => return write!(f, "count {count}"),
            Self::Collect(table) => ("collect", table),
            Self::Distribute(table) => ("distribute", table),
        };
        f.write_str(name)?;
        for (index, id) in table.iter().enumerate() {
            write!(f, "{} {id}", if index == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl<M: Message> Message for Errand<M> {
    const KINDS: &'static [Kind] = Self::ALL_KINDS.split_at(Self::COUNT).0;

    #[inline]
    fn kind(&self) -> usize {
        match self {
            Self::Count(_) => 0,
            Self::Collect(_) => 1,
            Self::Distribute(_) => 2,
            Self::Election(message) => TASK_KINDS.len() + message.kind(),
        }
    }

    fn named_kind(&self) -> Kind {
        match self {
            Self::Election(message) => message.named_kind(),
            _ => TASK_KINDS[self.kind()],
        }
    }

    /// Messages of the election cost what they cost without a task. "The table of N values can be stored in the form of
    /// N differences summing to L in dyadic encoding"; one bit says whether it collects or distributes.
    fn bits(&self) -> u64 {
        match self {
            Self::Election(message) => message.bits(),
            Self::Count(count) => int_bits(*count),
            Self::Collect(table) | Self::Distribute(table) => {
                let before = [0].into_iter().chain(table.iter().map(|id| id.get()));
                1 + before.zip(table).map(|(before, id)| dyadic_digits(id.get() - before)).sum::<u64>()
            }
        }
    }

    fn rebase(&mut self, by: u32) {
        if let Self::Election(message) = self {
            message.rebase(by);
        }
    }
}

/// One processor: that of the election, and whether it is the leader.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct AfterProcessor<E> {
    election: E,
    id: Option<Id>,
    leads: bool,
}

impl<E: Elects> Protocol for After<E> {
    type Processor = AfterProcessor<E::Processor>;
    type Network = E::Network;

    const DESCRIPTION: Description = Description {
        assumptions: Assumptions { again: false, ..E::DESCRIPTION.assumptions },
        rules: Self::ALL_RULES.split_at(E::DESCRIPTION.rules.len() + TASK_RULES.len()).0,
        ..E::DESCRIPTION
    };

    const BOUNDS: &'static [Bound<Self>] = &[
        Bound {
            quantity: Quantity::Task,
            kind: BoundKind::Exact,
            formula: "N",
            value: |rules, instance| rules.turns(Task::Size, 1, instance),
            source: "Vitanyi1984 section 4",
            counts: "the counter's turn",
        },
        Bound {
            quantity: Quantity::Task,
            kind: BoundKind::Exact,
            formula: "2N",
            value: |rules, instance| rules.turns(Task::Sort, 2, instance),
            source: "Vitanyi1984 section 4",
            counts: "the table's two turns; the paper says at most",
        },
    ];

    /// The size is what is asked for unless [`After::new`] says otherwise.
    fn configure(settings: &Settings, instance: &Instance<'_>) -> Result<Self, BadSetting> {
        Ok(Self::new(E::configure(settings, instance)?, Task::Size))
    }

    fn profile(&self) -> Profile {
        let mut profile = self.election.profile();
        profile.assumptions.again = false;
        profile.rules += TASK_RULES.len();
        profile.kinds.splice(0..0, TASK_KINDS);
        profile
    }

    fn processor(&self, seat: Seat) -> Self::Processor {
        AfterProcessor { election: self.election.processor(seat), id: seat.id, leads: false }
    }

    fn promises(&self, scenario: &Scenario) -> Promises {
        self.election.promises(scenario)
    }

    fn sends(&self, kind: Kind) -> bool {
        if kind.part == Part::Task { task_kinds(self.task).contains(&kind) } else { self.election.sends(kind) }
    }
}

impl<E: Elects> After<E> {
    const ALL_RULES: [&'static str; MOST_RULES] = {
        let mut rules = [""; MOST_RULES];
        let (own, mut index) = (E::DESCRIPTION.rules, 0);
        while index < own.len() + TASK_RULES.len() {
            rules[index] = if index < own.len() { own[index] } else { TASK_RULES[index - own.len()] };
            index += 1;
        }
        rules
    };

    /// The number of a rule of [`TASK_RULES`], counted from 1 there.
    fn rule(&self, number: u8) -> u8 {
        self.election_rules + number
    }

    fn turns(&self, task: Task, turns: u128, instance: &Instance<'_>) -> Option<Value> {
        (instance.undisturbed && self.task == task).then(|| Value::int(turns * u128::from(instance.n)))
    }
}

/// A processor of an election.
pub trait Elector: Processor<Problem = Election, Rules: Protocol<Processor = Self>> {
    /// The port that a task goes on by, if it came in by this one; the leader's first if by none.
    fn onward(came_by: Option<Port>) -> Port {
        match (<<Self::Rules as Protocol>::Network as Network>::TOPOLOGY, came_by) {
            (Topology::BidirectionalRing, Some(port)) => onward(port),
            (Topology::BidirectionalRing, None) => Port(1),
            (Topology::Ring | Topology::Complete, _) => Port(0),
        }
    }
}
impl<E: Processor<Problem = Election, Rules: Protocol<Processor = E>>> Elector for E {}

impl<E: Elector> Processor for AfterProcessor<E> {
    type Problem = Tasked;
    type Message = Errand<E::Message>;
    type Timer = E::Timer;
    type Rules = After<E::Rules>;

    fn step(&mut self, rules: &Self::Rules, event: Event<Self>, fx: &mut impl Effects<Self>) {
        let event = match event {
            Event::Receive(port, errand) => match errand {
                Errand::Election(message) => Event::Receive(port, message),
                errand => return self.run_errand(rules, E::onward(Some(port)), errand, fx),
            },
            Event::Wake => Event::Wake,
            Event::Timeout(timer) => Event::Timeout(timer),
            Event::Call(request) => Event::Call(request),
        };
        let mut within = Within { fx, id: self.id, leads: false };
        self.election.step(&rules.election, event, &mut within);
        if within.leads && !self.leads {
            self.leads = true;
            self.begin(rules, fx);
        }
    }

    fn urgent(&self, rules: &Self::Rules, errand: &Self::Message) -> bool {
        match errand {
            Errand::Election(message) => self.election.urgent(&rules.election, message),
            _ => false,
        }
    }
}

impl<E: Elector> Inspect for AfterProcessor<E> {
    const PHASED: bool = E::PHASED;
    const ROUNDS: bool = E::ROUNDS;

    fn phase(&self) -> u32 {
        self.election.phase()
    }

    fn live_round(&self, rules: &<Self as Processor>::Rules) -> Option<u32> {
        self.election.live_round(&rules.election)
    }

    fn rebase(&mut self, rules: &<Self as Processor>::Rules, by: u32) {
        self.election.rebase(&rules.election, by);
    }

    fn stuck(&self, rules: &<Self as Processor>::Rules) -> Option<&'static str> {
        self.election.stuck(&rules.election)
    }
}

impl<E: Elector> AfterProcessor<E> {
    fn begin(&self, rules: &After<E::Rules>, fx: &mut impl Effects<Self>) {
        let (rule, errand) = match rules.task {
            Task::Size => (1, Errand::Count(1)),
            Task::Sort => (4, Errand::Collect(self.id.into_iter().collect())),
        };
        fx.rule(rules.rule(rule));
        fx.report(TaskReport::Begun(rules.task));
        fx.send(E::onward(None), errand);
    }

    fn run_errand(
        &self,
        rules: &After<E::Rules>,
        onward: Port,
        errand: Errand<E::Message>,
        fx: &mut impl Effects<Self>,
    ) {
        let rule = |number| rules.rule(number);
        match errand {
            Errand::Count(count) if self.leads => {
                fx.rule(rule(3));
                fx.report(TaskReport::Size(count));
            }
            Errand::Count(count) => {
                fx.rule(rule(2));
                fx.send(onward, Errand::Count(count + 1));
            }
            Errand::Collect(mut table) => {
                if self.leads {
                    fx.rule(rule(6));
                    take_least(&mut table, fx);
                    fx.send(onward, Errand::Distribute(table));
                } else {
                    fx.rule(rule(5));
                    let id = self.id.expect("only where there are identities is anything sorted");
                    table.insert(table.partition_point(|&other| other < id), id);
                    fx.send(onward, Errand::Collect(table));
                }
            }
            Errand::Distribute(mut table) => {
                if self.leads {
                    fx.rule(rule(8));
                } else {
                    fx.rule(rule(7));
                    take_least(&mut table, fx);
                    fx.send(onward, Errand::Distribute(table));
                }
            }
            Errand::Election(_) => unreachable!("the election's messages are the election's"),
        }
    }
}

/// Takes the least value of what is left; nothing is, if a lost or duplicated message has spoilt the table.
fn take_least<P: Processor<Problem = Tasked>>(table: &mut Vec<Id>, fx: &mut impl Effects<P>) {
    if !table.is_empty() {
        fx.report(TaskReport::Sorted(table.remove(0)));
    }
}

/// The effects of a step of the election, within a step of all.
struct Within<'a, F> {
    fx: &'a mut F,
    id: Option<Id>,
    /// This processor has learnt that it is the leader.
    leads: bool,
}

impl<E: Elector, F: Effects<AfterProcessor<E>>> Effects<E> for Within<'_, F> {
    fn send(&mut self, port: Port, message: E::Message) {
        self.fx.send(port, Errand::Election(message));
    }

    fn set_timer(&mut self, timer: E::Timer, after: Ticks) {
        self.fx.set_timer(timer, after);
    }

    fn cancel_timer(&mut self, timer: E::Timer) {
        self.fx.cancel_timer(timer);
    }

    fn choose(&mut self, bound: u32) -> u32 {
        self.fx.choose(bound)
    }

    fn report(&mut self, report: Report<E>) {
        // The processor that finds out that somebody is elected is not always the leader.
        self.leads |= match report {
            ElectionReport::Elected(id) => id == self.id,
            ElectionReport::Follows(id) => id.is_some() && id == self.id,
            ElectionReport::Inaugurates { .. } | ElectionReport::Reopened | ElectionReport::Size(_) => false,
        };
        self.fx.report(TaskReport::Election(report));
    }

    fn elapsed(&mut self) -> Option<Ticks> {
        self.fx.elapsed()
    }

    #[inline(always)]
    fn rule(&mut self, number: u8) {
        self.fx.rule(number);
    }

    #[inline(always)]
    fn compare(&mut self, left: impl Into<Operand>, right: impl Into<Operand>) {
        self.fx.compare(left, right);
    }
}
