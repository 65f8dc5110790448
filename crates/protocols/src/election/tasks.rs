//! Tasks of an elected leader \[Vitanyi1984\], sections 1 and 4, \[VanLeeuwenTan1985\], section 1: after any election on a
//! ring.
//!
//! *Size*: a counter goes around once: N passes. *Sorting*: a table goes around and collects all values; when it is
//! back, it goes around again, and everybody takes the least value that is left: 2N passes. The processor at distance d
//! from the leader, the way that the table goes, has then the (d+1)-th smallest. *Broadcast*: the leader's value goes
//! around once. *Transfer*: the greatest identity so far goes around, then the greatest: 2N passes. Values are given, or
//! the identities.
//!
//! *Token*: "where the token is lost or multiplied, a single new token has to be created". A token has no contents, so
//! that nobody can tell a new one from an old one. A processor that is awake knows that there is an election, and removes
//! every token. Tokens of a processor set off when it wakes up; those that are asleep pass them on, so that an old token
//! is back at the latest where it set off, after N passes. The leader sends `clear` around, on a bidirectional ring both
//! ways. Links keep the order, so that clear sweeps all old tokens ahead of it; when it is back by every way, none is
//! left, and the leader inserts one. A processor passes on a token that comes in by a way that clear has come in by: it is
//! the new one. The task is done when the token has made a turn: N passes of clear, or 2N, and N of the token.
//!
//! *Reading*: the leader begins in the step in which it learns that its own identity was elected, right behind the
//! announcement. On a bidirectional ring a message of a task leaves by the leader's right, and goes on by the port
//! opposite to the one that it came in by.
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
mod errand;

use alloc::vec::Vec;
use core::ops::Range;

use ringleader_model::{
    Assumptions, BadSetting, Bound, BoundKind, Description, Effects, Election, ElectionReport, Event, Fact, Id,
    Inspect, Instance, Kind, Lemma, Links, Network, Operand, Parameter, Part, Place, Port, Processor, Profile,
    Promises, Protocol, Quantity, Report, Scenario, Seat, Settings, Task, TaskReport, Tasked, Ticks, Topology, Value,
    Values,
};
use serde::Serialize;

use super::{RING, onward};
use crate::retransmission::{LINK_RULES, TwoWay};
use errand::all_kinds;

pub use erased::{AnyElection, AnyProtocol};
pub use errand::{Errand, task_kinds};

/// A protocol for elections.
pub trait Elects: Protocol<Processor: Processor<Problem = Election>, Network: TwoWay> {}
impl<E: Protocol<Processor: Processor<Problem = Election>, Network: TwoWay>> Elects for E {}

/// An election, and then a task of its leader.
#[derive(Clone, Debug)]
pub struct After<E> {
    election: E,
    /// The number of rules of the election: those of the task follow.
    election_rules: u8,
    task: Option<Task>,
    /// By place: [`Scenario::values`].
    values: Vec<u64>,
}

impl<E: Elects> After<E> {
    /// This election, then this task.
    pub fn new(election: E, task: Task) -> Self {
        let election_rules = election.profile().rules as u8;
        Self { election, election_rules, task: Some(task), values: Vec::new() }
    }

    /// This election, then nothing: the election itself, for what is compiled for elections with a task.
    pub fn alone(election: E) -> Self {
        Self { task: None, ..Self::new(election, Task::Size) }
    }

    /// The same with the values of a scenario.
    #[must_use]
    pub fn with_values(self, scenario: &Scenario) -> Self {
        Self { values: scenario.values.clone(), ..self }
    }
}

/// The rules of all tasks, one task after the other. In [`After`] they follow those of the election.
const TASK_RULES: &[&str] = &[
    "Elected: send count(1), right behind the announcement.",
    "Not the leader, on count(k): send count(k+1) onward.",
    "Leader, on count(k): there are k.",
    "Elected: send collect with the own value, right behind the announcement.",
    "Not the leader, on collect: insert the own value into the table and relay it.",
    "Leader, on collect: take the least value out and send the rest as distribute.",
    "Not the leader, on distribute: take the least value out and relay the rest.",
    "Leader, on distribute: discard it, as it is empty.",
    "Elected: send broadcast(v) with the own value v, right behind the announcement.",
    "Not the leader, on broadcast(v): v is the leader's; relay it.",
    "Leader, on broadcast: discard it, as everybody has it.",
    "Elected: send greatest with the own identity, right behind the announcement.",
    "Not the leader, on greatest(g): send greatest with the greater of g and the own identity onward.",
    "Leader, on greatest(g): g is the new leader; send successor(g).",
    "Not the leader, on successor(g): g is the new leader; relay it.",
    "Leader, on successor: discard it, as everybody knows.",
    "On waking for the election, or on clear, with old tokens: they set off.",
    "Asleep, on a token: pass it on.",
    "Awake, on a token by a way that clear has not come in by: remove it.",
    "Elected: send clear, right behind the announcement; on a bidirectional ring both ways.",
    "Not the leader, on clear: relay it.",
    "Leader, on clear: if it is back by every way, no token is left; insert one.",
    "Not the leader, on a token by a way that clear has come in by: it is the new one; pass it on.",
    "Leader, on a token after clear is back: the new one has made a turn; hold it.",
];

/// The numbers of the rules of a task, counted from 1 behind those of the election.
pub const fn task_rules(task: Task) -> Range<usize> {
    match task {
        Task::Size => 1..4,
        Task::Sort => 4..9,
        Task::Broadcast => 9..12,
        Task::Transfer => 12..17,
        Task::Token => 17..25,
    }
}

/// The numbers of the rules of the layer below that sends messages again, counted likewise.
pub const fn link_rules() -> Range<usize> {
    TASK_RULES.len() + 1..TASK_RULES.len() + LINK_RULES.len() + 1
}

/// The words of a rule of a task, or of the layer below, by its number behind those of the election.
pub fn task_rule(number: usize) -> Option<&'static str> {
    let index = number.checked_sub(1)?;
    TASK_RULES.get(index).or_else(|| LINK_RULES.get(index - TASK_RULES.len())).copied()
}

/// The words of all rules of a task.
const fn rules_of(task: Task) -> &'static [&'static str] {
    let Range { start, end } = task_rules(task);
    TASK_RULES.split_at(end - 1).0.split_at(start - 1).1
}

/// The description of each task; what it assumes is what the election before it assumes.
pub const TASKS: [(Task, Description); Task::ALL.len()] = [
    described(
        Task::Size,
        "after an election, the leader counts the ring",
        &["Vitanyi1984"],
        "A counter goes around the ring once. In a synchronous ring the leader needs no message at all: it reads the \
         size off its own clock, as vitanyi does in lockstep.",
    ),
    described(
        Task::Sort,
        "after an election, values are put in order around the ring",
        &["Vitanyi1984"],
        "A table goes around and collects all values, then it goes around again and everybody takes the least that is \
         left: at distance d from the leader the (d+1)-th smallest. The values are the identities, or those of \
         --values, of which some may be equal. A table is counted in bits as the dyadic digits of the differences of \
         its values, and one bit that tells collecting from distributing.",
    ),
    described(
        Task::Broadcast,
        "after an election, everybody gets the leader's value",
        &["Vitanyi1984"],
        "After a leader is agreed upon, any other agreement is cheap: the leader's value goes around the ring once. It \
         is its identity, or that of --values.",
    ),
    described(
        Task::Transfer,
        "after an election, leadership is transferred to the greatest identity",
        &["VanLeeuwenTan1985"],
        "The greatest identity so far goes around the ring; when it is back with the leader, that is the greatest of \
         all, and goes around once more as the new leader's.",
    ),
    described(
        Task::Token,
        "after an election, one token replaces a lost token, or too many of them",
        &["Vitanyi1984"],
        "Whoever is awake for the election removes old tokens. The leader sends a message around that sweeps the rest \
         ahead of it, on a bidirectional ring both ways; when it is back, no token is left, and the leader inserts one. \
         --values says how many old tokens each processor has; they set off when it wakes up.",
    ),
];

const fn described(
    task: Task,
    title: &'static str,
    sources: &'static [&'static str],
    idea: &'static str,
) -> (Task, Description) {
    let (name, rules) = (task.name(), rules_of(task));
    (
        task,
        Description {
            name,
            title,
            sources,
            idea,
            rules,
            assumptions: RING,
            parameters: &[ELECTION],
            ..Description::NEW
        },
    )
}

const ELECTION: Parameter = Parameter {
    name: "election",
    values: Values::Form("any election on a ring"),
    default: "vitanyi",
    doc: "which election comes first; the same as running that election with --then",
};

/// More rules than any election has with all tasks.
const MOST_RULES: usize = 64;

/// One processor: that of the election, and whether it is the leader.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct AfterProcessor<E> {
    election: E,
    id: Option<Id>,
    leads: bool,
    /// Its value, if one is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<u64>,
    /// What it knows about tokens, if that is its task.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<TokenState>,
}

/// What a processor knows about tokens.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
struct TokenState {
    /// The old tokens that it has not sent off yet.
    old: u64,
    /// It knows that there is an election.
    awake: bool,
    /// By port: clear has come in.
    cleared: [bool; 2],
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
        Bound {
            quantity: Quantity::Task,
            kind: BoundKind::Exact,
            formula: "N",
            value: |rules, instance| rules.turns(Task::Broadcast, 1, instance),
            source: "Vitanyi1984 section 1",
            counts: "the turn of the leader's value; the paper says that what remains after an election is not too costly",
        },
        Bound {
            quantity: Quantity::Task,
            kind: BoundKind::Exact,
            formula: "2N",
            value: |rules, instance| rules.turns(Task::Transfer, 2, instance),
            source: "VanLeeuwenTan1985 section 1",
            counts: "the turns of the greatest identity; the paper says O(N)",
        },
        Bound {
            quantity: Quantity::Task,
            kind: BoundKind::Worst,
            formula: "(K + 2) N",
            value: |rules, instance| rules.token_turns(1, instance),
            source: "Vitanyi1984 section 1, derived here",
            counts: "at most a turn of each of K old tokens, one of clear and one of the new token",
        },
        Bound {
            quantity: Quantity::Task,
            kind: BoundKind::Worst,
            formula: "(K + 3) N",
            value: |rules, instance| rules.token_turns(2, instance),
            source: "Vitanyi1984 section 1, derived here",
            counts: "at most a turn of each of K old tokens, one of clear each way and one of the new token",
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
        profile.kinds = all_kinds(self.task, profile.kinds);
        profile
    }

    fn processor(&self, seat: Seat) -> Self::Processor {
        let value = self.values.get(seat.role as usize).copied();
        let circulates = self.task == Some(Task::Token);
        let token = TokenState { old: value.unwrap_or(0), awake: false, cleared: [false; 2] };
        AfterProcessor {
            election: self.election.processor(seat),
            id: seat.id,
            leads: false,
            value: value.filter(|_| !circulates),
            tokens: circulates.then_some(token),
        }
    }

    /// The first place with the same value: so that a place is known by its value only.
    fn role(&self, place: Place) -> u32 {
        let first = |value| self.values.iter().position(|other| other == value);
        self.values.get(place as usize).and_then(first).map_or(0, |first| first as u32)
    }

    fn promises(&self, scenario: &Scenario) -> Promises {
        self.election.promises(scenario)
    }

    fn lemmas(&self, scenario: &Scenario) -> Vec<&'static Lemma> {
        self.election.lemmas(scenario)
    }

    fn sends(&self, kind: Kind) -> bool {
        match kind.part {
            Part::Task => self.task.is_some_and(|task| task_kinds(task).contains(&kind)),
            Part::Link => false,
            Part::Work | Part::Announcement => self.election.sends(kind),
        }
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
        (instance.undisturbed && self.task == Some(task)).then(|| Value::int(turns * u128::from(instance.n)))
    }
}

impl<E: Elects> After<E> {
    /// The turns of old tokens, of clear and of the new token, on a ring with these ways around. Links must keep the order
    /// of messages.
    fn token_turns(&self, around: usize, instance: &Instance<'_>) -> Option<Value> {
        let old = self.values.iter().map(|&tokens| u128::from(tokens)).sum::<u128>();
        let turns = || self.turns(Task::Token, old + around as u128 + 1, instance);
        if ways::<E>() == around && instance.links == Links::Fifo { turns() } else { None }
    }
}

/// The number of ways around the ring of an election.
const fn ways<E: Elects>() -> usize {
    match <E::Network as Network>::TOPOLOGY {
        Topology::BidirectionalRing => 2,
        Topology::Ring | Topology::Complete => 1,
    }
}

/// A processor of an election.
pub trait Elector: Processor<Problem = Election, Rules: Protocol<Processor = Self, Network: TwoWay>> {
    /// The port that a task goes on by, if it came in by this one; the leader's first if by none.
    fn onward(came_by: Option<Port>) -> Port {
        match (<<Self::Rules as Protocol>::Network as Network>::TOPOLOGY, came_by) {
            (Topology::BidirectionalRing, Some(port)) => onward(port),
            (Topology::BidirectionalRing, None) => Port(1),
            (Topology::Ring | Topology::Complete, _) => Port(0),
        }
    }
}
impl<E: Processor<Problem = Election, Rules: Protocol<Processor = E, Network: TwoWay>>> Elector for E {}

impl<E: Elector> Processor for AfterProcessor<E> {
    type Problem = Tasked;
    type Message = Errand<E::Message>;
    type Timer = E::Timer;
    type Rules = After<E::Rules>;

    fn step(&mut self, rules: &Self::Rules, event: Event<Self>, fx: &mut impl Effects<Self>) {
        let event = match event {
            Event::Receive(port, errand) => match errand {
                Errand::Election(message) => Event::Receive(port, message),
                Errand::Clear => return self.clear(rules, port, fx),
                Errand::Token => return self.meet_token(rules, port, fx),
                errand => return self.run_errand(rules, E::onward(Some(port)), errand, fx),
            },
            Event::Wake => Event::Wake,
            Event::Timeout(timer) => Event::Timeout(timer),
            Event::Call(request) => Event::Call(request),
        };
        self.awake(rules, fx);
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

    fn restart(&self, rules: &Self::Rules, newborn: Self) -> Self {
        let election = self.election.restart(&rules.election, newborn.election);
        Self { election, id: newborn.id, leads: newborn.leads, value: newborn.value, tokens: newborn.tokens }
    }
}

impl<E: Elector> Inspect for AfterProcessor<E> {
    const PHASED: bool = E::PHASED;
    const ROUNDS: bool = E::ROUNDS;

    fn is_candidate(&self) -> bool {
        self.election.is_candidate()
    }

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
    /// The value that is given, or its identity.
    fn value(&self) -> u64 {
        self.value.or(self.id.map(Id::get)).expect("a task that needs values has them, or identities")
    }

    fn begin(&self, rules: &After<E::Rules>, fx: &mut impl Effects<Self>) {
        let Some(task) = rules.task else { return fx.report(TaskReport::NoTask) };
        let right = E::onward(None);
        let mut begin = |rule: u8| {
            fx.rule(rules.rule(rule));
            fx.report(TaskReport::Begun(task));
        };
        match task {
            Task::Size => {
                begin(1);
                fx.send(right, Errand::Count(1));
            }
            Task::Sort => {
                begin(4);
                fx.send(right, Errand::Collect(Vec::from([Id::new(self.value())])));
            }
            Task::Broadcast => {
                begin(9);
                fx.report(TaskReport::Learned(self.value()));
                fx.send(right, Errand::Broadcast(self.value()));
            }
            Task::Transfer => {
                begin(12);
                fx.send(right, Errand::Greatest(self.identity()));
            }
            Task::Token => {
                begin(20);
                fx.send(right, Errand::Clear);
                if ways::<E::Rules>() == 2 {
                    fx.send(onward(right), Errand::Clear);
                }
            }
        }
    }

    fn identity(&self) -> Id {
        self.id.expect("only where there are identities is leadership transferred")
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
                    let value = Id::new(self.value());
                    table.insert(table.partition_point(|&other| other < value), value);
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
            Errand::Broadcast(_) if self.leads => fx.rule(rule(11)),
            Errand::Broadcast(value) => {
                fx.rule(rule(10));
                fx.report(TaskReport::Learned(value));
                fx.send(onward, Errand::Broadcast(value));
            }
            Errand::Greatest(greatest) if self.leads => {
                fx.rule(rule(14));
                fx.report(TaskReport::Succeeded(greatest));
                fx.send(onward, Errand::Successor(greatest));
            }
            Errand::Greatest(greatest) => {
                fx.rule(rule(13));
                fx.compare(greatest, self.identity());
                fx.send(onward, Errand::Greatest(greatest.max(self.identity())));
            }
            Errand::Successor(_) if self.leads => fx.rule(rule(16)),
            Errand::Successor(successor) => {
                fx.rule(rule(15));
                fx.report(TaskReport::Succeeded(successor));
                fx.send(onward, Errand::Successor(successor));
            }
            Errand::Election(_) | Errand::Clear | Errand::Token => {
                unreachable!("the election's messages are the election's, and tokens are told apart before")
            }
        }
    }

    /// Old tokens set off.
    fn awake(&mut self, rules: &After<E::Rules>, fx: &mut impl Effects<Self>) {
        let Some(tokens) = &mut self.tokens else { return };
        tokens.awake = true;
        if tokens.old > 0 {
            fx.rule(rules.rule(17));
        }
        for _ in 0..core::mem::take(&mut tokens.old) {
            fx.send(E::onward(None), Errand::Token);
        }
    }

    fn clear(&mut self, rules: &After<E::Rules>, port: Port, fx: &mut impl Effects<Self>) {
        self.awake(rules, fx);
        let Some(tokens) = &mut self.tokens else { return };
        tokens.cleared[port.0 as usize] = true;
        if !self.leads {
            fx.rule(rules.rule(21));
            fx.send(E::onward(Some(port)), Errand::Clear);
            return;
        }
        fx.rule(rules.rule(22));
        if tokens.cleared.iter().filter(|cleared| **cleared).count() == ways::<E::Rules>() {
            fx.report(TaskReport::TokenInserted);
            fx.send(E::onward(None), Errand::Token);
        }
    }

    fn meet_token(&self, rules: &After<E::Rules>, port: Port, fx: &mut impl Effects<Self>) {
        let Some(tokens) = &self.tokens else { return };
        let cleared = tokens.cleared[port.0 as usize];
        if !tokens.awake || cleared && !self.leads {
            fx.rule(rules.rule(if tokens.awake { 23 } else { 18 }));
            fx.send(E::onward(Some(port)), Errand::Token);
        } else if cleared {
            fx.rule(rules.rule(24));
            fx.report(TaskReport::TokenReturned);
        } else {
            fx.rule(rules.rule(19));
            fx.report(TaskReport::TokenRemoved);
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

    #[inline(always)]
    fn note(&mut self, fact: Fact) {
        self.fx.note(fact);
    }
}
