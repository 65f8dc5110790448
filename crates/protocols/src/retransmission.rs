//! Acknowledge, time out and send again \[Vitanyi1984\], section 2: a layer between a protocol and links that lose and
//! duplicate messages.
//!
//! "If an acknowledgement of safe receipt by the proper addressee is not received by the sender before the timer goes off,
//! the sender sends out a new copy of the message and sets a corresponding timer."
//!
//! *Stop and wait*, with an alternating bit \[BartlettScantleburyWilkinson1969\]: on every link one message at a time is
//! under way, with a bit that changes from one message to the next; the next is sent when the acknowledgement with the
//! bit of this one has come. A message with another bit than expected is a copy of the last one; it is acknowledged again
//! and dropped. So a protocol gets every message once and in order, provided that links keep the order of what they do not
//! lose.
//!
//! *Where links do not keep the order* a copy of the message before the last one, with the bit of the next, can still
//! arrive, and a bit is not enough. Messages are numbered from 0 there, and acknowledged by their number. A message is sent
//! after the acknowledgement of the one before it. So one with a smaller number than expected is a copy, and there is none
//! with a greater one; and what acknowledges the message under way was sent by its receiver, whatever else arrives.
//!
//! *The way back*: an acknowledgement goes back by the link that its message came in by. Vitányi's rings have such links
//! below what he calls unidirectional; so a protocol for a unidirectional ring runs, with this layer, on a ring whose
//! links have two directions, and uses one of them.
//!
//! *Cost*: let every transmission be lost with probability p, and let the timer be longer than a message and its
//! acknowledgement take. A transmission of a message is followed by its acknowledgement with probability (1-p)². So a
//! message is transmitted 1/(1-p)² times on average, and 1/(1-p) of these transmissions arrive and are acknowledged. Of M
//! messages there are M (1/(1-p)² - 1) retransmissions and M/(1-p) acknowledgements on average. A shorter timer expires
//! too early; that costs messages, but nothing else. Only where a step reads one message (or a tick one bit of it) do copies
//! keep others waiting: there a timer that is much too short makes queues grow without bound.
//!
//! *A restart*. Numbers, and the messages that are not acknowledged, are on stable storage: they survive, just as messages in
//! flight do, and what is not acknowledged is sent again at once, for timers are lost. If numbers began anew, the first message
//! after a restart would be taken for a copy.
//!
//! *A processor that is down for good* acknowledges nothing. Its neighbours would send to it again and again, and a run would
//! have no end; engines let no timer expire whose message cannot arrive any more ([`Processor::resends`]).
//!
//! *Without clocks* a timer may expire at any moment, so that a link could fill with copies. With at most K losses, K + 1
//! transmissions of a message are enough: each that fails costs a loss. No further timer is set then, and the state space
//! is finite. Where processors may stop or links may be cut, a transmission can fail at no cost, and none is the last; there a
//! link holds no two equal frames ([`Scenario::merges_copies`]).
//!
//! *Longest delay*. A protocol that rests on bounds on delays needs one on those of the layer, which there is where messages are
//! handled on arrival or at the next step. Let a message take at most d =
//! d_max to arrive and r = r_max to be handled, and its acknowledgement as long: without losses a message is acknowledged within
//! R = 2(d + r) of being sent. Let losses begin at F and be over at T, B = T - F, and timers have k ticks. A message that is
//! sent before T is sent again by T + k r, and acknowledged by T + k r + R; if it was sent after F - R, that is within B + k r +
//! 2R, and one sent before is acknowledged by F. With at most m messages on a link that are not acknowledged, the last one waits
//! for m - 1 others, one of which meets the outage: it is acknowledged within D = (m + 1) R + B + k r of being handed over, and
//! within D = m R where nothing is lost. A protocol that is configured for d_max = D sees an Archimedean network.
//! [`MOST_WAITING`] is m.

use alloc::vec;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};
use core::{fmt, mem};

use ringleader_model::{
    BadSetting, BidirectionalRing, Complete, Delays, Description, Effects, Event, Fact, Faults, Id, Inspect, Instance,
    Kind, Lemma, Links, Message, Network, Operand, Place, Port, Processor, Profile, Promises, Protocol, Report, Ring,
    Scenario, Seat, Settings, Ticks, int_bits,
};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// A network with the same places whose links have two directions: what comes in by a port is answered by it.
pub trait TwoWay: Network {
    /// The network.
    type Links: Network;
    /// The number of ports of a processor, of those that it has there.
    fn ports(there: u32) -> u32;
    /// The port there that leads where this one does.
    fn outward(port: Port) -> Port;
    /// The port that something comes in by that comes in by this one there.
    fn inward(there: Port) -> Port;
}

/// Out by the right, in by the left.
impl TwoWay for Ring {
    type Links = BidirectionalRing;

    fn ports(_: u32) -> u32 {
        1
    }

    fn outward(_: Port) -> Port {
        Port(1)
    }

    fn inward(_: Port) -> Port {
        Port(0)
    }
}

macro_rules! both_ways_already {
    ($network:ty) => {
        impl TwoWay for $network {
            type Links = Self;

            fn ports(there: u32) -> u32 {
                there
            }

            fn outward(port: Port) -> Port {
                port
            }

            fn inward(there: Port) -> Port {
                there
            }
        }
    };
}

both_ways_already!(BidirectionalRing);
both_ways_already!(Complete);

/// The rules of the layer, numbered behind those of the protocol above it.
pub const LINK_RULES: [&str; 5] = [
    "Link: a message is sent with the bit of the link (links any: its number), and a timer is set, when the one before it is \
     acknowledged.",
    "Link, on a message with the expected bit or number: acknowledge it and hand it on; expect the next.",
    "Link, on a message with another, a copy: acknowledge it again and drop it.",
    "Link, on an acknowledgement with the bit or number of the link: change the bit, or go on to the next number. With another: \
     ignore it.",
    "Link, when the timer expires, or after a restart: send the message again, and set the timer again.",
];

/// The most messages of a lock, or of readers and writers, that wait on one link for their acknowledgements.
///
/// *Ricart and Agrawala*: a site asks again after all have replied to it, and replies once to each request. So a request and a
/// reply wait at most that have not come in, and one that has, whose acknowledgement has not: 3. *Lamport*: a request is made
/// after the answer to the one before it: 2.
///
/// *Spirakis and Tampakas*, by induction over time: let no message so far have waited for longer than D. The window of a site
/// has a length of more than 2D, so that any two of its requests are more than 2D apart, and any two of its probes, and any two
/// of its entries. What the other site sends comes in within D + r_max, so that its requests come in more than D - r_max apart,
/// and no three of them in a time of D. In such a time a site sends at most one request, one probe, two negative replies, one
/// answer to a probe and one positive reply on a link: 6.
pub const MOST_WAITING: u64 = 6;

/// The kinds of messages of the layer.
pub const LINK_KINDS: [Kind; 2] = [Kind::link("acknowledgement"), Kind::link("retransmission")];

/// A protocol over links that lose and duplicate messages.
#[derive(Clone, Debug)]
pub struct Retransmitting<P> {
    protocol: P,
    /// The number of rules of the protocol: those of the layer follow.
    rules: u8,
    /// The own ticks after which a message is sent again.
    after: Ticks,
    /// How often a message is sent at most.
    most: u32,
    /// The number of the first message on a link.
    first: FrameNumber,
}

impl<P: Protocol> Retransmitting<P> {
    /// This protocol; a message is sent again after so many own ticks.
    pub fn new(protocol: P, after: u64, scenario: &Scenario) -> Self {
        let rules = protocol.profile().rules as u8;
        let limited = scenario.untimed && !scenario.merges_copies();
        let most = if limited { scenario.faults.at_most.losses.saturating_add(1) } else { u32::MAX };
        let first = if scenario.links == Links::Any { FrameNumber::Sequence(0) } else { FrameNumber::Bit(false) };
        Self { protocol, rules, after: Ticks::new(after), most, first }
    }

    /// The same with an alternating bit, whatever order links keep.
    #[must_use]
    pub fn alternating(self) -> Self {
        Self { first: FrameNumber::Bit(false), ..self }
    }
}

/// The scenario as a protocol above the layer sees it: no message is lost or duplicated.
pub fn above_links(scenario: &Scenario) -> Scenario {
    let Faults { crashes, restarts, pauses, mut at_most, .. } = scenario.faults.clone();
    (at_most.losses, at_most.duplicates, at_most.cuts) = (0, 0, 0);
    let faults = Faults { crashes, restarts, pauses, at_most, ..Faults::default() };
    Scenario { faults, retransmit: None, ..scenario.clone() }
}

/// The scenario as a lock above the layer sees it, with the longest delay of the layer for d_max; `None` if a delay may have
/// any length.
pub fn archimedean_above_links(scenario: &Scenario) -> Option<Scenario> {
    let ticks = scenario.retransmit.filter(|_| !scenario.untimed)?;
    let outage = outage(&scenario.faults)?;
    let (r, d) = (scenario.timing.r.max, scenario.timing.d.max);
    let (exchange, resent) = (2 * (d + r), ticks.saturating_mul(r));
    let longest = match outage {
        0 => MOST_WAITING * exchange,
        _ => outage.saturating_add(resent).saturating_add((MOST_WAITING + 1) * exchange),
    };
    let mut above = above_links(scenario);
    (above.timing.d.max, above.timing.delays) = (longest, Delays::Uniform);
    Some(above)
}

/// The time from the first loss to the last one at most: 0 if nothing is lost, `None` if that never ends.
fn outage(faults: &Faults) -> Option<u64> {
    let losses = match (faults.loss, faults.until) {
        (Some(loss), until) if loss.part > 0 => Some((0, until?)),
        _ => None,
    };
    let all = || faults.cuts.iter().map(|cut| (cut.from, cut.to)).chain(losses);
    let (from, to) = (all().map(|(from, _)| from).min(), all().map(|(_, to)| to).max());
    Some(to.zip(from).map_or(0, |(to, from)| to - from))
}

impl<P: Protocol<Network: TwoWay>> Protocol for Retransmitting<P> {
    type Processor = Linked<P::Processor>;
    type Network = <P::Network as TwoWay>::Links;

    /// That of the protocol is in its entry of the catalogue.
    const DESCRIPTION: Description = Description::NEW;

    fn configure(_: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        Err(BadSetting::new("protocol", "has no parameters of its own", "a protocol that is configured"))
    }

    fn profile(&self) -> Profile {
        let mut profile = self.protocol.profile();
        profile.assumptions.topology = Self::Network::TOPOLOGY;
        profile.rules += LINK_RULES.len();
        profile.kinds.splice(0..0, LINK_KINDS);
        profile.timers = true;
        profile
    }

    fn processor(&self, seat: Seat) -> Self::Processor {
        let above = Seat { ports: <P::Network as TwoWay>::ports(seat.ports), ..seat };
        let link = LinkEnd { number: self.first, expected: self.first, sent: 0, queue: Vec::new() };
        LinkedProcessor {
            above: self.protocol.processor(above),
            links: vec![link; seat.ports as usize],
            resumes: false,
        }
    }

    fn role(&self, place: Place) -> u32 {
        self.protocol.role(place)
    }

    fn promises(&self, scenario: &Scenario) -> Promises {
        self.protocol.promises(&above_links(scenario))
    }

    fn lemmas(&self, scenario: &Scenario) -> Vec<&'static Lemma> {
        self.protocol.lemmas(&above_links(scenario))
    }

    fn sends(&self, kind: Kind) -> bool {
        LINK_KINDS.contains(&kind) || self.protocol.sends(kind)
    }
}

/// Tells a message from those before it on its link.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(untagged)]
pub enum FrameNumber {
    /// From the one before it, where links keep the order.
    Bit(bool),
    /// From all of them.
    Sequence(u64),
}

impl FrameNumber {
    /// That of the next message.
    fn next(self) -> Self {
        match self {
            Self::Bit(bit) => Self::Bit(!bit),
            Self::Sequence(number) => Self::Sequence(number + 1),
        }
    }

    /// Its name.
    fn name(self) -> &'static str {
        match self {
            Self::Bit(_) => "bit",
            Self::Sequence(_) => "number",
        }
    }

    fn bits(self) -> u64 {
        match self {
            Self::Bit(_) => 1,
            Self::Sequence(number) => int_bits(number),
        }
    }
}

impl fmt::Display for FrameNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Bit(bit) => u8::from(bit).fmt(f),
            Self::Sequence(number) => number.fmt(f),
        }
    }
}

/// Of a link all numbers are of one kind, which needs no hash.
impl Hash for FrameNumber {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        match self {
            Self::Bit(bit) => bit.hash(hasher),
            Self::Sequence(number) => number.hash(hasher),
        }
    }
}

/// A message on a link.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkFrame<M> {
    /// A message of the protocol, for the first time.
    Message(FrameNumber, M),
    /// A copy of it.
    Retransmission(FrameNumber, M),
    /// It has come in.
    Acknowledgement(FrameNumber),
}

impl<M: Message> fmt::Display for LinkFrame<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message(number, message) => write!(f, "{message} {} {number}", number.name()),
            Self::Retransmission(number, message) => write!(f, "{message} {} {number} again", number.name()),
            Self::Acknowledgement(number) => write!(f, "acknowledgement {number}"),
        }
    }
}

impl<M: Message> Message for LinkFrame<M> {
    /// They are in the profile of [`Retransmitting`]: those of the layer, then those of the protocol.
    const KINDS: &'static [Kind] = &[];

    fn kind(&self) -> usize {
        match self {
            Self::Acknowledgement(_) => 0,
            Self::Retransmission(..) => 1,
            Self::Message(_, message) => LINK_KINDS.len() + message.kind(),
        }
    }

    fn named_kind(&self) -> Kind {
        match self {
            Self::Message(_, message) => message.named_kind(),
            Self::Retransmission(..) | Self::Acknowledgement(_) => LINK_KINDS[self.kind()],
        }
    }

    /// The number is more than a message has without the layer.
    fn bits(&self) -> u64 {
        match self {
            Self::Message(number, message) | Self::Retransmission(number, message) => number.bits() + message.bits(),
            Self::Acknowledgement(number) => number.bits(),
        }
    }

    fn rebase(&mut self, by: u32) {
        if let Self::Message(_, message) | Self::Retransmission(_, message) = self {
            message.rebase(by);
        }
    }

    /// Of what the protocol sends: what is sent again belongs to the layer.
    fn identity(&self) -> Option<Id> {
        match self {
            Self::Message(_, message) => message.identity(),
            Self::Retransmission(..) | Self::Acknowledgement(_) => None,
        }
    }

    const PHASED: bool = M::PHASED;

    fn phase(&self) -> Option<u32> {
        match self {
            Self::Message(_, message) | Self::Retransmission(_, message) => message.phase(),
            Self::Acknowledgement(_) => None,
        }
    }
}

/// A timer of the protocol, or of a link.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkTimer<T> {
    /// Of the protocol.
    Above(T),
    /// No acknowledgement has come in by this port.
    Resend(Port),
}

impl<T: fmt::Display> fmt::Display for LinkTimer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Above(timer) => fmt::Display::fmt(timer, f),
            Self::Resend(port) => write!(f, "resend {}", port.0),
        }
    }
}

/// One end of a link, with a message on its way out, and those that wait.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct LinkEnd<M> {
    /// The number of the message on its way, or of the next.
    number: FrameNumber,
    /// The number of the next message to come in.
    expected: FrameNumber,
    /// How often the message on its way was sent, where that is limited.
    sent: u32,
    /// The message on its way, and then those that wait for it.
    queue: Vec<M>,
}

impl<M: Serialize> Serialize for LinkEnd<M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("LinkEnd", 4)?;
        fields.serialize_field(self.number.name(), &self.number)?;
        fields.serialize_field("expected", &self.expected)?;
        fields.serialize_field("sent", &self.sent)?;
        fields.serialize_field("queue", &self.queue)?;
        fields.end()
    }
}

/// A processor of the protocol, and its ends of links, by port.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct LinkedProcessor<A, M> {
    above: A,
    links: Vec<LinkEnd<M>>,
    /// It has restarted: what was not acknowledged is sent again when it wakes.
    #[serde(skip)]
    resumes: bool,
}

/// A processor above its links.
pub type Linked<A> = LinkedProcessor<A, <A as Processor>::Message>;

/// A processor of a protocol that can run above links that lose messages.
pub trait AboveLinks: Processor<Rules: Protocol<Processor = Self, Network: TwoWay>> {
    /// The port there that leads where this one does.
    fn outward(port: Port) -> Port {
        <<Self::Rules as Protocol>::Network as TwoWay>::outward(port)
    }

    /// The port that something comes in by that comes in by this one there.
    fn inward(there: Port) -> Port {
        <<Self::Rules as Protocol>::Network as TwoWay>::inward(there)
    }
}
impl<A: Processor<Rules: Protocol<Processor = A, Network: TwoWay>>> AboveLinks for A {}

impl<A: AboveLinks> Processor for Linked<A> {
    type Problem = A::Problem;
    type Message = LinkFrame<A::Message>;
    type Timer = LinkTimer<A::Timer>;
    type Rules = Retransmitting<A::Rules>;

    fn step(&mut self, rules: &Self::Rules, event: Event<Self>, fx: &mut impl Effects<Self>) {
        let event = match event {
            Event::Receive(port, LinkFrame::Acknowledgement(number)) => {
                return self.acknowledged(rules, port, number, fx);
            }
            Event::Receive(port, LinkFrame::Message(number, message) | LinkFrame::Retransmission(number, message)) => {
                let link = &mut self.links[port.0 as usize];
                let copy = number != link.expected;
                fx.rule(rules.rule(if copy { 3 } else { 2 }));
                fx.send(port, LinkFrame::Acknowledgement(number));
                if copy {
                    return;
                }
                link.expected = number.next();
                Event::Receive(A::inward(port), message)
            }
            Event::Timeout(LinkTimer::Resend(port)) => return self.resend(rules, port, fx),
            Event::Timeout(LinkTimer::Above(timer)) => Event::Timeout(timer),
            Event::Wake => {
                if mem::take(&mut self.resumes) {
                    (0..self.links.len() as u32).for_each(|port| self.resend(rules, Port(port), fx));
                }
                Event::Wake
            }
            Event::Call(request) => Event::Call(request),
        };
        let mut below = Below::<A, _> { fx, links: &mut self.links, rules };
        self.above.step(&rules.protocol, event, &mut below);
    }

    /// An acknowledgement is no message to the protocol, and a link needs no step of it.
    fn urgent(&self, rules: &Self::Rules, frame: &Self::Message) -> bool {
        match frame {
            LinkFrame::Acknowledgement(_) => true,
            LinkFrame::Message(_, message) | LinkFrame::Retransmission(_, message) => {
                self.above.urgent(&rules.protocol, message)
            }
        }
    }

    fn restart(&self, rules: &Self::Rules, newborn: Self) -> Self {
        let above = self.above.restart(&rules.protocol, newborn.above);
        Self { above, links: self.links.clone(), resumes: true }
    }

    fn resends(&self, timer: &Self::Timer) -> Option<Port> {
        match timer {
            LinkTimer::Resend(port) => Some(*port),
            LinkTimer::Above(_) => None,
        }
    }
}

impl<P: Protocol> Retransmitting<P> {
    /// The number of a rule of [`LINK_RULES`], counted from 1 there.
    fn rule(&self, number: u8) -> u8 {
        self.rules + number
    }
}

impl<A: AboveLinks> Linked<A> {
    fn acknowledged(
        &mut self,
        rules: &Retransmitting<A::Rules>,
        port: Port,
        number: FrameNumber,
        fx: &mut impl Effects<Self>,
    ) {
        fx.rule(rules.rule(4));
        let link = &mut self.links[port.0 as usize];
        if link.queue.is_empty() || number != link.number {
            return;
        }
        (link.number, link.sent) = (number.next(), 0);
        link.queue.remove(0);
        fx.cancel_timer(LinkTimer::Resend(port));
        if let Some(next) = link.queue.first().cloned() {
            fx.rule(rules.rule(1));
            fx.send(port, LinkFrame::Message(link.number, next));
            link.wait::<A>(rules, port, fx);
        }
    }

    fn resend(&mut self, rules: &Retransmitting<A::Rules>, port: Port, fx: &mut impl Effects<Self>) {
        let link = &mut self.links[port.0 as usize];
        let Some(message) = link.queue.first().cloned() else { return };
        fx.rule(rules.rule(5));
        fx.send(port, LinkFrame::Retransmission(link.number, message));
        link.wait::<A>(rules, port, fx);
    }
}

impl<M> LinkEnd<M> {
    /// Waits for an acknowledgement of what was sent.
    fn wait<A: AboveLinks>(&mut self, rules: &Retransmitting<A::Rules>, port: Port, fx: &mut impl Effects<Linked<A>>) {
        if rules.most < u32::MAX {
            self.sent += 1;
        }
        if self.sent < rules.most {
            fx.set_timer(LinkTimer::Resend(port), rules.after);
        }
    }
}

impl<A: AboveLinks> Inspect for Linked<A> {
    const PHASED: bool = A::PHASED;
    const ROUNDS: bool = A::ROUNDS;

    fn is_candidate(&self) -> bool {
        self.above.is_candidate()
    }

    fn phase(&self) -> u32 {
        self.above.phase()
    }

    fn live_round(&self, rules: &<Self as Processor>::Rules) -> Option<u32> {
        self.above.live_round(&rules.protocol)
    }

    fn rebase(&mut self, rules: &<Self as Processor>::Rules, by: u32) {
        self.above.rebase(&rules.protocol, by);
        self.links.iter_mut().flat_map(|link| &mut link.queue).for_each(|message| message.rebase(by));
    }

    fn stuck(&self, rules: &<Self as Processor>::Rules) -> Option<&'static str> {
        self.above.stuck(&rules.protocol)
    }
}

/// The effects of a step of the protocol, above its links.
struct Below<'a, A: Processor, F> {
    fx: &'a mut F,
    links: &'a mut [LinkEnd<A::Message>],
    rules: &'a Retransmitting<A::Rules>,
}

impl<A: AboveLinks, F: Effects<Linked<A>>> Effects<A> for Below<'_, A, F> {
    fn send(&mut self, port: Port, message: A::Message) {
        let port = A::outward(port);
        let link = &mut self.links[port.0 as usize];
        link.queue.push(message.clone());
        if link.queue.len() == 1 {
            self.fx.rule(self.rules.rule(1));
            self.fx.send(port, LinkFrame::Message(link.number, message));
            link.wait::<A>(self.rules, port, self.fx);
        }
    }

    fn set_timer(&mut self, timer: A::Timer, after: Ticks) {
        self.fx.set_timer(LinkTimer::Above(timer), after);
    }

    fn cancel_timer(&mut self, timer: A::Timer) {
        self.fx.cancel_timer(LinkTimer::Above(timer));
    }

    fn choose(&mut self, bound: u32) -> u32 {
        self.fx.choose(bound)
    }

    fn report(&mut self, report: Report<A>) {
        self.fx.report(report);
    }

    /// How long a message takes above the layer, no clock tells.
    fn elapsed(&mut self) -> Option<Ticks> {
        None
    }

    fn rule(&mut self, number: u8) {
        self.fx.rule(number);
    }

    fn compare(&mut self, left: impl Into<Operand>, right: impl Into<Operand>) {
        self.fx.compare(left, right);
    }

    fn note(&mut self, fact: Fact) {
        self.fx.note(fact);
    }
}
