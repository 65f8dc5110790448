//! A protocol whose type is erased: a task that follows an election, and a layer below it, are compiled once for each
//! kind of network, and not again for every election.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::Any;
use core::cmp::Ordering;
use core::fmt::{self, Debug, Display};
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;

use ringleader_model::{
    BadSetting, Description, Effects, Election, Event, Fact, Id, Inspect, Instance, Kind, Lemma, Message, Network,
    Operand, Place, Port, Problem, Processor, Profile, Promises, Protocol, Report, Scenario, Seat, Settings, Ticks,
    Time,
};
use serde::{Serialize, Serializer};

/// A protocol for a problem `Q` on a network `N`. Its processors, messages and timers are erased too; they are equal,
/// ordered, hashed, written and counted as those of the protocol.
pub struct AnyProtocol<Q, N>(Arc<dyn ErasedProtocol<Q, N>>);

/// An election on a network `N`.
pub type AnyElection<N> = AnyProtocol<Election, N>;

impl<Q, N> Clone for AnyProtocol<Q, N> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<Q: Problem, N: Network> AnyProtocol<Q, N> {
    /// This protocol.
    pub fn new<P: Protocol<Processor: Processor<Problem = Q>, Network = N>>(protocol: P) -> Self {
        Self(Arc::new(protocol))
    }

    /// The same, on a network whose type says less: it must have the shape that the [`Profile`] of the protocol names.
    pub fn new_on<P: Protocol<Processor: Processor<Problem = Q>>>(protocol: P) -> Self {
        Self(Arc::new(protocol))
    }

    fn rules(&self) -> &dyn Any {
        &*self.0
    }
}

impl<Q: Problem, N: Network> Protocol for AnyProtocol<Q, N> {
    type Processor = AnyProcessor<Q, N>;
    type Network = N;

    /// That of the protocol is in its entry of the catalogue.
    const DESCRIPTION: Description = Description::NEW;

    fn configure(_: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        Err(BadSetting::new("protocol", "has no parameters of its own", "a protocol that is configured"))
    }

    fn profile(&self) -> Profile {
        self.0.profile()
    }

    fn network(&self, scenario: &Scenario) -> N {
        N::of(self.0.profile().assumptions.topology, scenario)
    }

    fn processor(&self, seat: Seat) -> AnyProcessor<Q, N> {
        AnyProcessor(self.0.processor(seat), PhantomData)
    }

    fn role(&self, place: Place) -> u32 {
        self.0.role(place)
    }

    fn horizon(&self, instance: &Instance<'_>) -> Option<Time> {
        self.0.horizon(instance)
    }

    fn deadline(&self, instance: &Instance<'_>) -> Option<Time> {
        self.0.deadline(instance)
    }

    fn promises(&self, scenario: &Scenario) -> Promises {
        self.0.promises(scenario)
    }

    fn lemmas(&self, scenario: &Scenario) -> Vec<&'static Lemma> {
        self.0.lemmas(scenario)
    }

    fn sends(&self, kind: Kind) -> bool {
        self.0.sends(kind)
    }
}

/// A processor of an [`AnyProtocol`].
pub struct AnyProcessor<Q, N>(Box<dyn ErasedProcessor<Q>>, PhantomData<fn() -> N>);

impl<Q: Problem, N: Network> Processor for AnyProcessor<Q, N> {
    type Problem = Q;
    type Message = AnyMessage;
    type Timer = AnyValue;
    type Rules = AnyProtocol<Q, N>;

    fn step(&mut self, rules: &AnyProtocol<Q, N>, event: Event<Self>, fx: &mut impl Effects<Self>) {
        let event = match event {
            Event::Wake => ErasedEvent::Wake,
            Event::Receive(port, message) => ErasedEvent::Receive(port, message.message),
            Event::Timeout(timer) => ErasedEvent::Timeout(timer),
            Event::Call(request) => ErasedEvent::Call(request),
        };
        self.0.step(rules.rules(), event, &mut Erase(fx, PhantomData));
    }

    fn urgent(&self, rules: &AnyProtocol<Q, N>, message: &AnyMessage) -> bool {
        self.0.urgent(rules.rules(), &message.message)
    }

    fn restart(&self, rules: &AnyProtocol<Q, N>, newborn: Self) -> Self {
        Self(self.0.restart(rules.rules(), newborn.0), PhantomData)
    }

    fn resends(&self, timer: &AnyValue) -> Option<Port> {
        self.0.resends(timer)
    }
}

impl<Q: Problem, N: Network> Inspect for AnyProcessor<Q, N> {
    /// [`Profile::phased`] says whether they do.
    const PHASED: bool = true;
    /// A protocol without rounds has no live round, and nothing to rebase.
    const ROUNDS: bool = true;
    /// [`Profile::times_phases`] says whether they are.
    const TIMES_PHASES: bool = true;

    fn is_candidate(&self) -> bool {
        self.0.is_candidate()
    }

    fn phase(&self) -> u32 {
        self.0.phase()
    }

    fn called_phase(&self) -> u32 {
        self.0.called_phase()
    }

    fn live_round(&self, rules: &<Self as Processor>::Rules) -> Option<u32> {
        self.0.live_round(rules.rules())
    }

    fn rebase(&mut self, rules: &<Self as Processor>::Rules, by: u32) {
        self.0.rebase(rules.rules(), by);
    }

    fn stuck(&self, rules: &<Self as Processor>::Rules) -> Option<&'static str> {
        self.0.stuck(rules.rules())
    }
}

impl<Q: 'static, N> Clone for AnyProcessor<Q, N> {
    fn clone(&self) -> Self {
        Self(self.0.cloned(), PhantomData)
    }
}

impl<Q: 'static, N> PartialEq for AnyProcessor<Q, N> {
    fn eq(&self, other: &Self) -> bool {
        self.0.equals(&*other.0)
    }
}

impl<Q: 'static, N> Eq for AnyProcessor<Q, N> {}

impl<Q: 'static, N> Hash for AnyProcessor<Q, N> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.hash_into(hasher);
    }
}

impl<Q: 'static, N> Debug for AnyProcessor<Q, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<Q: 'static, N> Serialize for AnyProcessor<Q, N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        erased_serde::serialize(&*self.0, serializer)
    }
}

/// A message of an [`AnyProtocol`].
#[derive(Clone)]
pub struct AnyMessage {
    message: AnyValue,
    index: usize,
    kind: Kind,
    bits: u64,
    methods: &'static ErasedMethods,
}

/// What of a message is not known until somebody asks.
struct ErasedMethods {
    rebase: fn(&mut AnyValue, u32),
    phase: fn(&AnyValue) -> Option<u32>,
    identity: fn(&AnyValue) -> Option<Id>,
}

impl AnyMessage {
    fn new<M: Message>(message: M) -> Self {
        let (index, kind, bits) = (message.kind(), message.named_kind(), message.bits());
        let methods = &const { ErasedMethods { rebase: rebase::<M>, phase: phase::<M>, identity: identity::<M> } };
        Self { message: AnyValue::new(message), index, kind, bits, methods }
    }
}

/// Subtracts from the rounds of a message of this type.
fn rebase<M: Message>(value: &mut AnyValue, by: u32) {
    let mut message: M = value.get();
    message.rebase(by);
    *value = AnyValue::new(message);
}

/// The phase of a message of this type.
fn phase<M: Message>(value: &AnyValue) -> Option<u32> {
    value.get::<M>().phase()
}

/// The identity in a message of this type.
fn identity<M: Message>(value: &AnyValue) -> Option<Id> {
    value.get::<M>().identity()
}

impl Message for AnyMessage {
    /// Those of the protocol are in its [`Profile`].
    const KINDS: &'static [Kind] = &[];

    fn kind(&self) -> usize {
        self.index
    }

    fn named_kind(&self) -> Kind {
        self.kind
    }

    fn bits(&self) -> u64 {
        self.bits
    }

    fn rebase(&mut self, by: u32) {
        (self.methods.rebase)(&mut self.message, by);
    }

    /// Whether its protocol's messages have phases is known where its type is.
    const PHASED: bool = true;

    fn phase(&self) -> Option<u32> {
        (self.methods.phase)(&self.message)
    }

    fn identity(&self) -> Option<Id> {
        (self.methods.identity)(&self.message)
    }
}

/// A message or a timer.
pub struct AnyValue(Box<dyn ErasedValue>);

impl AnyValue {
    fn new(value: impl Value) -> Self {
        Self(Box::new(value))
    }

    fn get<T: Clone + 'static>(&self) -> T {
        let value: &dyn Any = &*self.0;
        value.downcast_ref::<T>().expect("a protocol has one type of messages and one of timers").clone()
    }
}

impl Clone for AnyValue {
    fn clone(&self) -> Self {
        Self(self.0.cloned())
    }
}

macro_rules! as_the_value_within {
    ($type:ty, $field:tt $(. $inner:tt)*) => {
        impl PartialEq for $type {
            fn eq(&self, other: &Self) -> bool {
                self.cmp(other).is_eq()
            }
        }

        impl Eq for $type {}

        impl PartialOrd for $type {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $type {
            fn cmp(&self, other: &Self) -> Ordering {
                self.$field$(.$inner)*.compare(&*other.$field$(.$inner)*)
            }
        }

        impl Hash for $type {
            fn hash<H: Hasher>(&self, hasher: &mut H) {
                self.$field$(.$inner)*.hash_into(hasher);
            }
        }

        impl Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                Debug::fmt(&self.$field$(.$inner)*, f)
            }
        }

        impl Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                Display::fmt(&self.$field$(.$inner)*, f)
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                erased_serde::serialize(&*self.$field$(.$inner)*, serializer)
            }
        }
    };
}

as_the_value_within!(AnyValue, 0);
as_the_value_within!(AnyMessage, message.0);

/// A message or a timer of a known type.
trait Value: Clone + Ord + Hash + Debug + Display + Serialize + Send + Sync + 'static {}
impl<T: Clone + Ord + Hash + Debug + Display + Serialize + Send + Sync + 'static> Value for T {}

trait ErasedValue: Debug + Display + erased_serde::Serialize + Send + Sync + Any {
    fn cloned(&self) -> Box<dyn ErasedValue>;
    fn compare(&self, other: &dyn Any) -> Ordering;
    fn hash_into(&self, hasher: &mut dyn Hasher);
}

impl<T: Value> ErasedValue for T {
    fn cloned(&self) -> Box<dyn ErasedValue> {
        Box::new(self.clone())
    }

    fn compare(&self, other: &dyn Any) -> Ordering {
        self.cmp(other.downcast_ref().expect("a protocol has one type of messages and one of timers"))
    }

    fn hash_into(&self, mut hasher: &mut dyn Hasher) {
        self.hash(&mut hasher);
    }
}

trait ErasedProtocol<Q, N>: Any + Send + Sync {
    fn profile(&self) -> Profile;
    fn processor(&self, seat: Seat) -> Box<dyn ErasedProcessor<Q>>;
    fn role(&self, place: Place) -> u32;
    fn horizon(&self, instance: &Instance<'_>) -> Option<Time>;
    fn deadline(&self, instance: &Instance<'_>) -> Option<Time>;
    fn promises(&self, scenario: &Scenario) -> Promises;
    fn lemmas(&self, scenario: &Scenario) -> Vec<&'static Lemma>;
    fn sends(&self, kind: Kind) -> bool;
}

impl<Q: Problem, N, P: Protocol<Processor: Processor<Problem = Q>>> ErasedProtocol<Q, N> for P {
    fn profile(&self) -> Profile {
        Protocol::profile(self)
    }

    fn processor(&self, seat: Seat) -> Box<dyn ErasedProcessor<Q>> {
        Box::new(Protocol::processor(self, seat))
    }

    fn role(&self, place: Place) -> u32 {
        Protocol::role(self, place)
    }

    fn horizon(&self, instance: &Instance<'_>) -> Option<Time> {
        Protocol::horizon(self, instance)
    }

    fn deadline(&self, instance: &Instance<'_>) -> Option<Time> {
        Protocol::deadline(self, instance)
    }

    fn promises(&self, scenario: &Scenario) -> Promises {
        Protocol::promises(self, scenario)
    }

    fn lemmas(&self, scenario: &Scenario) -> Vec<&'static Lemma> {
        Protocol::lemmas(self, scenario)
    }

    fn sends(&self, kind: Kind) -> bool {
        Protocol::sends(self, kind)
    }
}

trait ErasedProcessor<Q>: Debug + erased_serde::Serialize + Send + Sync + Any {
    fn cloned(&self) -> Box<dyn ErasedProcessor<Q>>;
    fn equals(&self, other: &dyn Any) -> bool;
    fn hash_into(&self, hasher: &mut dyn Hasher);
    fn step(&mut self, rules: &dyn Any, event: ErasedEvent<Q>, fx: &mut dyn ErasedEffects<Q>)
    where
        Q: Problem;
    fn urgent(&self, rules: &dyn Any, message: &AnyValue) -> bool;
    fn restart(&self, rules: &dyn Any, newborn: Box<dyn ErasedProcessor<Q>>) -> Box<dyn ErasedProcessor<Q>>;
    fn resends(&self, timer: &AnyValue) -> Option<Port>;
    fn is_candidate(&self) -> bool;
    fn phase(&self) -> u32;
    fn called_phase(&self) -> u32;
    fn live_round(&self, rules: &dyn Any) -> Option<u32>;
    fn rebase(&mut self, rules: &dyn Any, by: u32);
    fn stuck(&self, rules: &dyn Any) -> Option<&'static str>;
}

impl<Q: Problem, P: Processor<Problem = Q, Rules: 'static>> ErasedProcessor<Q> for P {
    fn cloned(&self) -> Box<dyn ErasedProcessor<Q>> {
        Box::new(self.clone())
    }

    fn equals(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }

    fn hash_into(&self, mut hasher: &mut dyn Hasher) {
        self.hash(&mut hasher);
    }

    fn step(&mut self, rules: &dyn Any, event: ErasedEvent<Q>, fx: &mut dyn ErasedEffects<Q>) {
        let event = match event {
            ErasedEvent::Wake => Event::Wake,
            ErasedEvent::Receive(port, message) => Event::Receive(port, message.get()),
            ErasedEvent::Timeout(timer) => Event::Timeout(timer.get()),
            ErasedEvent::Call(request) => Event::Call(request),
        };
        Processor::step(self, typed::<P>(rules), event, &mut Restore(fx));
    }

    fn urgent(&self, rules: &dyn Any, message: &AnyValue) -> bool {
        Processor::urgent(self, typed::<P>(rules), &message.get())
    }

    fn restart(&self, rules: &dyn Any, newborn: Box<dyn ErasedProcessor<Q>>) -> Box<dyn ErasedProcessor<Q>> {
        let newborn: Box<dyn Any> = newborn;
        let newborn = *newborn.downcast::<P>().expect("all processors are of one protocol");
        Box::new(Processor::restart(self, typed::<P>(rules), newborn))
    }

    fn resends(&self, timer: &AnyValue) -> Option<Port> {
        Processor::resends(self, &timer.get())
    }

    fn is_candidate(&self) -> bool {
        Inspect::is_candidate(self)
    }

    fn phase(&self) -> u32 {
        Inspect::phase(self)
    }

    fn called_phase(&self) -> u32 {
        Inspect::called_phase(self)
    }

    fn live_round(&self, rules: &dyn Any) -> Option<u32> {
        Inspect::live_round(self, typed::<P>(rules))
    }

    fn rebase(&mut self, rules: &dyn Any, by: u32) {
        Inspect::rebase(self, typed::<P>(rules), by);
    }

    fn stuck(&self, rules: &dyn Any) -> Option<&'static str> {
        Inspect::stuck(self, typed::<P>(rules))
    }
}

fn typed<P: Processor<Rules: 'static>>(rules: &dyn Any) -> &P::Rules {
    rules.downcast_ref().expect("a processor has the rules of its protocol")
}

/// An event of any protocol for a problem.
enum ErasedEvent<Q: Problem> {
    Wake,
    Receive(Port, AnyValue),
    Timeout(AnyValue),
    Call(Q::Request),
}

/// The effects of a step of any protocol for a problem.
trait ErasedEffects<Q: Problem> {
    fn send(&mut self, port: Port, message: AnyMessage);
    fn set_timer(&mut self, timer: AnyValue, after: Ticks);
    fn cancel_timer(&mut self, timer: AnyValue);
    fn choose(&mut self, bound: u32) -> u32;
    fn report(&mut self, report: Q::Report);
    fn elapsed(&mut self) -> Option<Ticks>;
    fn rule(&mut self, number: u8);
    fn compare(&mut self, left: Operand, right: Operand);
    fn note(&mut self, fact: Fact);
}

/// The effects of an engine, for a protocol of any type.
struct Erase<'a, F, N>(&'a mut F, PhantomData<N>);

impl<Q: Problem, N: Network, F: Effects<AnyProcessor<Q, N>>> ErasedEffects<Q> for Erase<'_, F, N> {
    fn send(&mut self, port: Port, message: AnyMessage) {
        self.0.send(port, message);
    }

    fn set_timer(&mut self, timer: AnyValue, after: Ticks) {
        self.0.set_timer(timer, after);
    }

    fn cancel_timer(&mut self, timer: AnyValue) {
        self.0.cancel_timer(timer);
    }

    fn choose(&mut self, bound: u32) -> u32 {
        self.0.choose(bound)
    }

    fn report(&mut self, report: Q::Report) {
        self.0.report(report);
    }

    fn elapsed(&mut self) -> Option<Ticks> {
        self.0.elapsed()
    }

    fn rule(&mut self, number: u8) {
        self.0.rule(number);
    }

    fn compare(&mut self, left: Operand, right: Operand) {
        self.0.compare(left, right);
    }

    fn note(&mut self, fact: Fact) {
        self.0.note(fact);
    }
}

/// The same, for a protocol of a known type.
struct Restore<'a, Q>(&'a mut dyn ErasedEffects<Q>);

impl<Q: Problem, P: Processor<Problem = Q>> Effects<P> for Restore<'_, Q> {
    fn send(&mut self, port: Port, message: P::Message) {
        self.0.send(port, AnyMessage::new(message));
    }

    fn set_timer(&mut self, timer: P::Timer, after: Ticks) {
        self.0.set_timer(AnyValue::new(timer), after);
    }

    fn cancel_timer(&mut self, timer: P::Timer) {
        self.0.cancel_timer(AnyValue::new(timer));
    }

    fn choose(&mut self, bound: u32) -> u32 {
        self.0.choose(bound)
    }

    fn report(&mut self, report: Report<P>) {
        self.0.report(report);
    }

    fn elapsed(&mut self) -> Option<Ticks> {
        self.0.elapsed()
    }

    fn rule(&mut self, number: u8) {
        self.0.rule(number);
    }

    fn compare(&mut self, left: impl Into<Operand>, right: impl Into<Operand>) {
        self.0.compare(left.into(), right.into());
    }

    fn note(&mut self, fact: Fact) {
        self.0.note(fact);
    }
}
