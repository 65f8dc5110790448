use core::fmt::{self, Debug, Display};
use core::hash::Hash;

use serde::{Serialize, Serializer};

use crate::{Fact, Id, Operand, Problem, Ticks};

/// A port of a processor: a link leads out of it. Processors know their links by port only.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize)]
pub struct Port(pub u32);

impl Port {
    /// Panics if a processor with this number of ports does not have this one. Engines call it before they send.
    #[inline]
    pub fn assert_below(self, ports: u32) {
        match ports {
            _ if self.0 < ports => {}
            0 => panic!("it sends on port {}; a processor of this network has no ports", self.0),
            1 => panic!("it sends on port {}; a processor of this network has port 0 only", self.0),
            _ => panic!("it sends on port {}; a processor of this network has ports 0 to {}", self.0, ports - 1),
        }
    }
}

/// Panics if a description with this number of rules has none of this number; one without rules may still lack them.
#[inline]
pub fn assert_rule(number: u8, rules: usize) {
    let known = 1..=rules;
    assert!(
        rules == 0 || known.contains(&usize::from(number)),
        "it applies rule {number}; the description has rules 1 to {rules}"
    );
}

/// A request to a processor of this protocol.
pub type Request<P> = <<P as Processor>::Problem as Problem>::Request;
/// A report of a processor of this protocol to its user.
pub type Report<P> = <<P as Processor>::Problem as Problem>::Report;

/// One processor of a protocol: a pure state machine.
///
/// The contract of [`step`](Processor::step): it is a function. The same state, rules, event and choices give the same
/// state and effects. All that differs between processors is in the state; all that is common to them (parameters, what
/// everybody knows) is in the rules, so that a state stays small enough for a hundred million of them.
///
/// A complete processor, and a step of it:
///
/// ```
/// use ringleader_model::{
///     Effects, Election, ElectionReport, Event, Id, Inspect, Message, NoTimer, Port, Processor, Report, Ticks,
/// };
/// use serde::Serialize;
///
/// /// Every identity makes a full turn; its owner has then seen all of them.
/// #[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
/// struct Collector {
///     id: Id,
///     greatest: Id,
/// }
///
/// #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
/// struct Identity(Id);
///
/// impl Processor for Collector {
///     type Problem = Election;
///     type Message = Identity;
///     type Timer = NoTimer;
///     type Rules = ();
///
///     fn step(&mut self, _: &(), event: Event<Self>, fx: &mut impl Effects<Self>) {
///         match event {
///             Event::Wake => fx.send(Port(0), Identity(self.id)),
///             Event::Receive(_, Identity(id)) if id == self.id && id == self.greatest => {
///                 fx.report(ElectionReport::Elected(Some(id)));
///             }
///             Event::Receive(_, Identity(id)) if id == self.id => {
///                 fx.report(ElectionReport::Follows(Some(self.greatest)));
///             }
///             Event::Receive(_, Identity(id)) => {
///                 self.greatest = self.greatest.max(id);
///                 fx.send(Port(0), Identity(id));
///             }
///             Event::Timeout(never) => match never {},
///             Event::Call(_) => {}
///         }
///     }
/// }
///
/// impl Inspect for Collector {}
///
/// /// An engine that writes down what is sent.
/// struct Sent(Vec<String>);
///
/// impl Effects<Collector> for Sent {
///     fn send(&mut self, port: Port, message: Identity) {
///         self.0.push(format!("{message} by port {}", port.0));
///     }
///     fn set_timer(&mut self, _: NoTimer, _: Ticks) {}
///     fn cancel_timer(&mut self, _: NoTimer) {}
///     fn choose(&mut self, _: u32) -> u32 {
///         0
///     }
///     fn report(&mut self, _: Report<Collector>) {}
///     fn elapsed(&mut self) -> Option<Ticks> {
///         None
///     }
/// }
///
/// let mut collector = Collector { id: Id::new(3), greatest: Id::new(3) };
/// let mut sent = Sent(Vec::new());
/// collector.step(&(), Event::Wake, &mut sent);
/// collector.step(&(), Event::Receive(Port(0), Identity(Id::new(7))), &mut sent);
/// assert_eq!(sent.0, ["identity 3 by port 0", "identity 7 by port 0"]);
/// assert_eq!(collector.greatest, Id::new(7));
/// ```
pub trait Processor: Inspect + Clone + Eq + Hash + Debug + Serialize + Send + Sync + Sized + 'static {
    /// The problem that the protocol solves.
    type Problem: Problem;
    /// The messages over its links.
    type Message: Message;
    /// The timers it may set, one pending per value; [`NoTimer`] if none.
    type Timer: Clone + Eq + Ord + Hash + Debug + Display + Serialize + Send + Sync + 'static;
    /// The data that all processors share and never change.
    type Rules;

    /// Whether it sends messages only when it wakes and when timers expire, never when it receives a message: then nothing that
    /// it receives leads to a message before its next tick, which lets an engine look ahead.
    const SENDS_BY_TIMERS: bool = false;

    /// Reacts to one event.
    fn step(&mut self, rules: &Self::Rules, event: Event<Self>, fx: &mut impl Effects<Self>);

    /// Whether a message is acted upon when it arrives rather than at the next tick or step, provided that nothing is
    /// queued before it. Asked only where the scenario's reading is per tick or per step.
    fn urgent(&self, _rules: &Self::Rules, _message: &Self::Message) -> bool {
        false
    }

    /// The state in which it restarts after a crash. `newborn` is the initial state at its seat; this one is that after its last
    /// step. By default nothing survives. A protocol that writes something to stable storage, within a step and before the
    /// step's messages leave, takes it over: `Self { promised: self.promised, ..newborn }`. Timers are lost in any case. The
    /// next event is [`Event::Wake`], at the same instant.
    fn restart(&self, _rules: &Self::Rules, newborn: Self) -> Self {
        newborn
    }

    /// The port by which a message is sent again when this timer expires, if nothing else happens then. An engine does not let
    /// it expire where the message cannot arrive any more, so that a run ends.
    fn resends(&self, _timer: &Self::Timer) -> Option<Port> {
        None
    }
}

/// Queries of tools about a processor beyond its steps: statistics, diagnosis, and the abstraction of a model checker.
///
/// Nothing of it changes what a protocol does, and everything has a default: `impl Inspect for MyProcessor {}` is enough.
#[diagnostic::on_unimplemented(note = "every method has a default: `impl Inspect for {Self} {{}}` is enough")]
pub trait Inspect {
    /// Whether [`phase`](Inspect::phase) means anything.
    const PHASED: bool = false;
    /// Whether this processor takes part and may still win, as far as its state tells: pictures show one that has lost, or only
    /// forwards messages, as passive. Asked only of processors that have had an event and have not decided.
    fn is_candidate(&self) -> bool {
        true
    }

    /// The numbers of the rules by which a processor loses, where its state keeps no note of that.
    const LOSING_RULES: &'static [u8] = &[];

    /// Whether its state has rounds (or phases, or epochs) that grow without bound, of which only differences matter.
    const ROUNDS: bool = false;

    /// The phase (or round, or epoch, as its paper calls it) that this processor has reached.
    fn phase(&self) -> u32 {
        0
    }

    /// Whether engines record when phases begin: see [`Quantity::PhaseSpread`](crate::Quantity::PhaseSpread).
    const TIMES_PHASES: bool = false;

    /// The phase that this processor has begun, or has told others to begin.
    fn called_phase(&self) -> u32 {
        self.phase()
    }

    /// Why this processor does nothing more by itself, where the reason is in the rules: shown when a run is quiescent
    /// without a result.
    fn stuck(&self, _rules: &<Self as Processor>::Rules) -> Option<&'static str>
    where
        Self: Processor,
    {
        None
    }

    /// The least round that a rule may still compare with those of messages or of other processors; `None` if no rule
    /// will ever read a round here again. Asked only where there are [rounds](Inspect::ROUNDS).
    fn live_round(&self, _rules: &<Self as Processor>::Rules) -> Option<u32>
    where
        Self: Processor,
    {
        None
    }

    /// Clears what no rule will ever read again, and subtracts `by`, which is less than any live round of any
    /// processor, from every round; an older round becomes 0. A model checker compares states after this.
    fn rebase(&mut self, _rules: &<Self as Processor>::Rules, _by: u32)
    where
        Self: Processor,
    {
    }

    /// Renames its ports, if from now on no rule depends on their numbers, nor on the order of messages that arrive together;
    /// otherwise it changes nothing and returns false. A model checker that explores all numberings of ports takes such
    /// processors for the same that only a renaming tells apart.
    fn rename_ports(&mut self, _rules: &<Self as Processor>::Rules, _to: &dyn Fn(Port) -> Port) -> bool
    where
        Self: Processor,
    {
        false
    }
}

/// An event at a processor.
///
/// The representation keeps the kind of event apart from the tag of a message: where an engine hands on a message, the
/// compiler then knows which arm of `step` is taken.
#[derive(Clone, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Event<P: Processor> {
    /// It wakes by itself, or after a [restart](Processor::restart). It may have been reached by a message before. Sites with users (locks, readers and writers) all
    /// wake; elsewhere any non-empty set of processors does, unless [`Starts`](crate::Starts) says otherwise.
    Wake,
    /// A message comes in through a port. This may be its first event.
    Receive(Port, P::Message),
    /// A timer that it set expires.
    Timeout(P::Timer),
    /// Its user asks for something.
    Call(Request<P>),
}

/// The effects of a step, implemented once per engine. [`Processor`] has an example.
pub trait Effects<P: Processor> {
    /// Sends a message through a port.
    fn send(&mut self, port: Port, message: P::Message);
    /// Sets a timer, in own ticks; a pending one of the same value is replaced.
    fn set_timer(&mut self, timer: P::Timer, after: Ticks);
    /// Forgets a timer if it is pending.
    fn cancel_timer(&mut self, timer: P::Timer);
    /// Chooses from `0..bound` at random: the only randomness.
    fn choose(&mut self, bound: u32) -> u32;
    /// Reports to the user.
    fn report(&mut self, report: Report<P>);
    /// Own ticks since this processor's first event; `None` in an engine that keeps no time. For results that are
    /// read off one's own clock (the size of a synchronous ring), never for a decision.
    fn elapsed(&mut self) -> Option<Ticks>;
    /// Names a rule that this step applies, by its number in [`Description::rules`](crate::Description::rules), from 1.
    /// Engines that only run the protocol ignore it.
    #[inline(always)]
    fn rule(&mut self, _number: u8) {}
    /// Names a [comparison](crate::StepComparison) that decides this step. Engines that only run the protocol ignore it.
    #[inline(always)]
    fn compare(&mut self, _left: impl Into<Operand>, _right: impl Into<Operand>) {}
    /// Notes a fact of which a [lemma](crate::Lemma) speaks. Engines that judge no lemmas ignore it.
    #[inline(always)]
    fn note(&mut self, _fact: Fact) {}
}

/// A message. Usually derived with `#[derive(Message)]`:
///
/// ```
/// use ringleader_model::{Id, Kind, Message};
/// use serde::Serialize;
///
/// #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
/// enum Ballot {
///     Candidate { id: Id, hops: u32 },
///     #[message(announcement)]
///     Elected(Id),
/// }
///
/// assert_eq!(Ballot::KINDS, [Kind::work("candidate"), Kind::announcement("elected")]);
/// let candidate = Ballot::Candidate { id: Id::new(5), hops: 2 };
/// assert_eq!(candidate.to_string(), "candidate id 5 hops 2");
/// // One bit tells two kinds apart, 101 has three, 10 has two.
/// assert_eq!((candidate.kind(), candidate.bits()), (0, 1 + 3 + 2));
/// assert_eq!(Ballot::Elected(Id::new(5)).to_string(), "elected 5");
/// ```
pub trait Message: Clone + Eq + Ord + Hash + Debug + Display + Serialize + Send + Sync + 'static {
    /// The kinds there are, in the order of [`kind`](Message::kind).
    const KINDS: &'static [Kind];
    /// Which of [`KINDS`](Message::KINDS) this is.
    fn kind(&self) -> usize;
    /// The kind itself.
    fn named_kind(&self) -> Kind {
        Self::KINDS[self.kind()]
    }
    /// Its length: by the counting rule the [tag](tag_bits) plus [each integer](int_bits) plus one per boolean.
    fn bits(&self) -> u64;
    /// Makes its rounds `by` less, but not less than 0: see [`Inspect::rebase`].
    fn rebase(&mut self, _by: u32) {}
    /// Whether messages have phase numbers: links that are half-duplex for messages of one phase need them.
    const PHASED: bool = false;
    /// Its phase number, if it has one.
    fn phase(&self) -> Option<u32> {
        None
    }
    /// The first identity that it carries: messages are counted by it.
    fn identity(&self) -> Option<Id> {
        None
    }
}

/// A kind of message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kind {
    /// As it appears in counts.
    pub name: &'static str,
    /// The part of the run that it belongs to.
    pub part: Part,
}

/// The parts of a run, which are counted apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Part {
    /// The work itself.
    Work,
    /// The announcement of the result.
    Announcement,
    /// The task of an elected leader.
    Task,
    /// Acknowledgements and copies of messages below the protocol.
    Link,
}

impl Kind {
    /// A kind that does the work.
    pub const fn work(name: &'static str) -> Self {
        Self { name, part: Part::Work }
    }

    /// A kind that spreads the result.
    pub const fn announcement(name: &'static str) -> Self {
        Self { name, part: Part::Announcement }
    }

    /// A kind that belongs to a leader's task.
    pub const fn task(name: &'static str) -> Self {
        Self { name, part: Part::Task }
    }

    /// A kind that a layer below the protocol sends.
    pub const fn link(name: &'static str) -> Self {
        Self { name, part: Part::Link }
    }
}

/// By its name.
impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

/// The bits of a tag that tells `kinds` kinds apart: ⌈log2 kinds⌉.
pub const fn tag_bits(kinds: usize) -> u64 {
    if kinds <= 1 { 0 } else { (usize::BITS - (kinds - 1).leading_zeros()) as u64 }
}

/// The bits of an integer field: its length in binary, at least 1.
pub const fn int_bits(value: u64) -> u64 {
    if value == 0 { 1 } else { (u64::BITS - value.leading_zeros()) as u64 }
}

/// A type without values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub enum Never {}

impl Display for Never {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

/// The timer of a protocol that has none.
pub type NoTimer = Never;
/// The request of a problem that has none.
pub type NoRequest = Never;
/// The report of a problem that has none.
pub type NoReport = Never;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Id, Message};
    use alloc::string::ToString;

    #[test]
    fn bits_follow_the_counting_rule() {
        assert_eq!([1, 2, 3, 4, 5, 8, 9].map(tag_bits), [0, 1, 2, 2, 3, 3, 4]);
        assert_eq!([0, 1, 2, 3, 4, 255, 256, u64::MAX].map(int_bits), [1, 1, 2, 2, 3, 8, 9, 64]);
    }

    /// Every attribute of the derive.
    #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
    enum Mail {
        Plain,
        Candidate(Id),
        #[message(name = "Q")]
        Query {
            #[message(round, optional)]
            round: u32,
            hop_count: u8,
            last: bool,
        },
        #[message(announcement)]
        Over(Option<u64>, bool),
        #[message(name = "plain", task)]
        AlsoPlain,
    }

    /// No tag, and a rule of its own.
    #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
    #[message(task, name = "pebble", bits = "Stone::weight")]
    struct Stone(#[message(name = "weight")] u64);

    impl Stone {
        fn weight(&self) -> u64 {
            self.0
        }
    }

    fn query(round: u32) -> Mail {
        Mail::Query { round, hop_count: 5, last: false }
    }

    #[test]
    fn the_derive_numbers_the_kinds_and_a_name_given_twice_is_one_kind() {
        let kinds = [Kind::work("plain"), Kind::work("candidate"), Kind::work("Q"), Kind::announcement("over")];
        assert_eq!(Mail::KINDS, kinds);
        let mails = [Mail::Plain, Mail::Candidate(Id::new(3)), query(0), Mail::Over(None, true), Mail::AlsoPlain];
        assert_eq!(mails.map(|mail| mail.kind()), [0, 1, 2, 3, 0]);
        assert_eq!((Stone::KINDS, Stone(9).kind()), (&[Kind::task("pebble")][..], 0));
    }

    #[test]
    fn the_derive_sums_up_tag_and_fields() {
        // Two bits tell four kinds apart; 3 has two, 5 three, 9 four.
        assert_eq!((Mail::Plain.bits(), Mail::Candidate(Id::new(3)).bits()), (2, 2 + 2));
        assert_eq!((query(0).bits(), query(9).bits()), (2 + 3 + 1, 2 + 4 + 3 + 1));
        assert_eq!((Mail::Over(None, true).bits(), Mail::Over(Some(9), true).bits()), (2 + 1, 2 + 4 + 1));
        assert_eq!(Stone(9).bits(), 9);
    }

    #[test]
    fn the_derive_decreases_rounds_only() {
        let (mut newer, mut older, mut other) = (query(9), query(2), Mail::Candidate(Id::new(3)));
        for mail in [&mut newer, &mut older, &mut other] {
            mail.rebase(7);
        }
        assert_eq!((newer, older, other), (query(2), query(0), Mail::Candidate(Id::new(3))));
    }

    fn json(thing: &impl Serialize) -> alloc::string::String {
        serde_json::to_string(thing).expect("it is plain data")
    }

    #[test]
    fn messages_and_reports_are_serialised_by_name() {
        assert_eq!(json(&query(9)), r#"{"Query":{"round":9,"hop_count":5,"last":false}}"#);
        assert_eq!(json(&crate::ElectionReport::Elected(Some(Id::new(4)))), r#"{"elected":4}"#);
        assert_eq!(json(&(Port(3), Id::new(7))), "[3,7]");
    }

    #[test]
    fn the_derive_writes_for_people() {
        let texts = [Mail::Plain, Mail::Candidate(Id::new(3)), query(0), query(9), Mail::Over(Some(4), true)];
        let expected =
            ["plain", "candidate 3", "Q hop count 5 not last", "Q round 9 hop count 5 not last", "over 4 true"];
        assert_eq!(texts.map(|mail| mail.to_string()), expected);
        assert_eq!(Stone(9).to_string(), "pebble weight 9");
    }
}
