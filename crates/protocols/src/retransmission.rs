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
//! *The way back*: an acknowledgement goes back by the link that its message came in by. Vitányi's rings have such links
//! below what he calls unidirectional; so a protocol for a unidirectional ring runs, with this layer, on a ring whose
//! links have two directions, and uses one of them.
//!
//! *Cost*: let every transmission be lost with probability p, and let the timer be longer than a message and its
//! acknowledgement take. A transmission of a message is followed by its acknowledgement with probability (1-p)². So a
//! message is transmitted 1/(1-p)² times on average, and 1/(1-p) of these transmissions arrive and are acknowledged. Of M
//! messages there are M (1/(1-p)² - 1) retransmissions and M/(1-p) acknowledgements on average. A shorter timer expires
//! too early; that costs messages, but nothing else.
//!
//! *Without clocks* a timer may expire at any moment, so that a link could fill with copies. With at most K losses, K + 1
//! transmissions of a message are enough: each that fails costs a loss. No further timer is set then, and the state space
//! is finite.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use ringleader_model::{
    BadSetting, BidirectionalRing, Complete, Description, Effects, Event, Faults, Inspect, Instance, Kind, Message,
    Network, Operand, Place, Port, Processor, Profile, Promises, Protocol, Report, Ring, Scenario, Seat, Settings,
    Ticks,
};
use serde::Serialize;

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
    "Link: a message is sent with the bit of the link, and a timer is set, when the one before it is acknowledged.",
    "Link, on a message with the expected bit: acknowledge it and hand it on; expect the other bit.",
    "Link, on a message with the other bit, a copy: acknowledge it again and drop it.",
    "Link, on an acknowledgement with the bit of the link: change the bit. With the other bit: ignore it.",
    "Link, when the timer expires: send the message again, and set the timer again.",
];

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
}

impl<P: Protocol> Retransmitting<P> {
    /// This protocol; a message is sent again after so many own ticks.
    pub fn new(protocol: P, after: u64, scenario: &Scenario) -> Self {
        let rules = protocol.profile().rules as u8;
        let most = if scenario.untimed { scenario.faults.at_most.losses.saturating_add(1) } else { u32::MAX };
        Self { protocol, rules, after: Ticks::new(after), most }
    }
}

/// The scenario as a protocol above the layer sees it: no message is lost or duplicated.
pub fn above_links(scenario: &Scenario) -> Scenario {
    let Faults { crashes, mut at_most, .. } = scenario.faults.clone();
    (at_most.losses, at_most.duplicates) = (0, 0);
    Scenario { faults: Faults { crashes, at_most, ..Faults::default() }, retransmit: None, ..scenario.clone() }
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
        LinkedProcessor { above: self.protocol.processor(above), links: vec![LinkEnd::NEW; seat.ports as usize] }
    }

    fn role(&self, place: Place) -> u32 {
        self.protocol.role(place)
    }

    fn promises(&self, scenario: &Scenario) -> Promises {
        self.protocol.promises(&above_links(scenario))
    }

    fn sends(&self, kind: Kind) -> bool {
        LINK_KINDS.contains(&kind) || self.protocol.sends(kind)
    }
}

/// A message on a link.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkFrame<M> {
    /// A message of the protocol, for the first time.
    Message(bool, M),
    /// A copy of it.
    Retransmission(bool, M),
    /// It has come in.
    Acknowledgement(bool),
}

impl<M: Message> fmt::Display for LinkFrame<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message(bit, message) => write!(f, "{message} bit {}", u8::from(*bit)),
            Self::Retransmission(bit, message) => write!(f, "{message} bit {} again", u8::from(*bit)),
            Self::Acknowledgement(bit) => write!(f, "acknowledgement {}", u8::from(*bit)),
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

    /// The bit is one more than a message has without the layer.
    fn bits(&self) -> u64 {
        match self {
            Self::Message(_, message) | Self::Retransmission(_, message) => 1 + message.bits(),
            Self::Acknowledgement(_) => 1,
        }
    }

    fn rebase(&mut self, by: u32) {
        if let Self::Message(_, message) | Self::Retransmission(_, message) = self {
            message.rebase(by);
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
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
struct LinkEnd<M> {
    /// The bit of the message on its way, or of the next.
    bit: bool,
    /// The bit of the next message to come in.
    expected: bool,
    /// How often the message on its way was sent, where that is limited.
    sent: u32,
    /// The message on its way, and then those that wait for it.
    queue: Vec<M>,
}

impl<M: Message> LinkEnd<M> {
    const NEW: Self = Self { bit: false, expected: false, sent: 0, queue: Vec::new() };
}

/// A processor of the protocol, and its ends of links, by port.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct LinkedProcessor<A, M> {
    above: A,
    links: Vec<LinkEnd<M>>,
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
            Event::Receive(port, LinkFrame::Acknowledgement(bit)) => return self.acknowledged(rules, port, bit, fx),
            Event::Receive(port, LinkFrame::Message(bit, message) | LinkFrame::Retransmission(bit, message)) => {
                let link = &mut self.links[port.0 as usize];
                let copy = bit != link.expected;
                fx.rule(rules.rule(if copy { 3 } else { 2 }));
                fx.send(port, LinkFrame::Acknowledgement(bit));
                if copy {
                    return;
                }
                link.expected = !bit;
                Event::Receive(A::inward(port), message)
            }
            Event::Timeout(LinkTimer::Resend(port)) => return self.resend(rules, port, fx),
            Event::Timeout(LinkTimer::Above(timer)) => Event::Timeout(timer),
            Event::Wake => Event::Wake,
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
        Self { above: self.above.restart(&rules.protocol, newborn.above), links: newborn.links }
    }
}

impl<P: Protocol> Retransmitting<P> {
    /// The number of a rule of [`LINK_RULES`], counted from 1 there.
    fn rule(&self, number: u8) -> u8 {
        self.rules + number
    }
}

impl<A: AboveLinks> Linked<A> {
    fn acknowledged(&mut self, rules: &Retransmitting<A::Rules>, port: Port, bit: bool, fx: &mut impl Effects<Self>) {
        fx.rule(rules.rule(4));
        let link = &mut self.links[port.0 as usize];
        if link.queue.is_empty() || bit != link.bit {
            return;
        }
        (link.bit, link.sent) = (!bit, 0);
        link.queue.remove(0);
        fx.cancel_timer(LinkTimer::Resend(port));
        if let Some(next) = link.queue.first().cloned() {
            fx.rule(rules.rule(1));
            fx.send(port, LinkFrame::Message(link.bit, next));
            link.wait::<A>(rules, port, fx);
        }
    }

    fn resend(&mut self, rules: &Retransmitting<A::Rules>, port: Port, fx: &mut impl Effects<Self>) {
        let link = &mut self.links[port.0 as usize];
        let Some(message) = link.queue.first().cloned() else { return };
        fx.rule(rules.rule(5));
        fx.send(port, LinkFrame::Retransmission(link.bit, message));
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
            self.fx.send(port, LinkFrame::Message(link.bit, message));
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
}
