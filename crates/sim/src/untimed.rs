//! Runs without clocks: one thing at a time, chosen among all that can happen next.
//!
//! What can happen next is a list, and the choice is an index into it. First comes what has been possible for the longest:
//! at the beginning the wakes by place, then requests for a further election as the scenario lists them, then the first
//! requests of users by place; behind them, as they become possible, the messages that a step sends, in its order, and then
//! the timers that it sets and the requests of its user. On links that keep the order a message is possible when all before
//! it have come in. Behind all of this comes what may fail, as far as the scenario allows: crashes by place, then the loss of
//! each message that can come in, then its doubling, in the order of the list. What is on its way to a processor that
//! crashes, or is sent to it later, is lost.
//!
//! Time is how many things have happened. What can happen does so in the end, but for failures, which end nothing: a run is
//! over when nothing else is left.

use alloc::collections::{BTreeMap, VecDeque};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use ringleader_model::{
    AtMost, Event, Happening, Links, Message, Meter, Monitor, Open, Place, Port, Problem, Processor, Protocol,
    Scenario, Script,
};

use crate::chance::Choices;
use crate::detail::Detail;
use crate::line::Flights;
use crate::random::Lane;
use crate::run::Run;
use crate::simulation::Simulation;
use crate::world::{Arrival, MessageOf, ProblemOf, Slot, SlotOf};

/// What can happen next, and what may fail.
pub(crate) struct Untimed<P: Protocol, D: Detail> {
    /// What has been possible for the longest comes first.
    possible: Vec<Possible<P, D>>,
    /// By receiver and port: what comes in after the message that can come in next.
    behind: BTreeMap<(Place, Port), VecDeque<Arrival<P, D>>>,
    /// Whether links keep the order.
    in_order: bool,
    /// Of half-duplex links a message to a crashed processor must leave as well.
    half: bool,
    /// What may still fail.
    left: AtMost,
    up: usize,
}

/// Something that can happen next.
enum Possible<P: Protocol, D: Detail> {
    Wake(Place),
    /// A further election is asked for.
    Again(Place),
    /// A timer runs off, or a user asks.
    Slot(Place, SlotOf<P>),
    /// A message comes in.
    Message(Arrival<P, D>),
}

/// What happens next; a message by its index among all that is possible.
#[derive(Clone, Copy)]
enum Next {
    Possible(usize),
    Crash(Place),
    Loss(usize),
    Double(usize),
}

/// A schedule that cannot be followed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Impossible {
    /// Which of the things that happen cannot, from 1.
    pub step: usize,
    /// What it is.
    pub what: String,
}

impl fmt::Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {} of the schedule cannot happen: {}", self.step, self.what)
    }
}

impl core::error::Error for Impossible {}

impl<P: Protocol, D: Detail> Simulation<P, D> {
    pub(crate) fn begin_untimed(&mut self, scenario: &Scenario) {
        let places = 0..scenario.n as Place;
        let mut possible: Vec<_> =
            places.clone().filter(|&place| scenario.wake_at(place).is_some()).map(Possible::Wake).collect();
        if ProblemOf::<P>::AGAIN.is_some() {
            possible.extend(scenario.again.iter().map(|&(place, _)| Possible::Again(place)));
        }
        self.untimed = Some(Untimed {
            possible,
            behind: BTreeMap::new(),
            in_order: scenario.links == Links::Fifo,
            half: scenario.links == Links::Half,
            left: scenario.faults.at_most,
            up: scenario.n,
        });
        if scenario.workload.is_some() {
            places.for_each(|place| self.world.begin_visits(place));
            self.collect();
        }
    }

    #[cold]
    pub(crate) fn advance_untimed(&mut self, budget: u64) -> bool {
        for _ in 0..budget.max(1) {
            if !self.can_go_on() || self.world.now >= self.limit {
                return true;
            }
            let chosen = self.world.choose(Lane::Next, 0, self.untimed().ways() as u64);
            self.happen(self.untimed().next(chosen as usize, |place| self.world.is_up(place)));
        }
        false
    }

    /// Whether, in a run without clocks, something is left that can happen by itself.
    pub(crate) fn can_go_on(&self) -> bool {
        self.untimed.as_ref().is_some_and(|untimed| !untimed.possible.is_empty())
    }

    /// Whether, in a run without clocks that has begun, nothing is left that must happen: somebody may wake, users may ask.
    pub(crate) fn is_quiet(&self) -> bool {
        let must = |possible: &Possible<P, D>| match possible {
            Possible::Wake(_) | Possible::Again(_) => false,
            Possible::Slot(_, Slot::Timer(_)) => true,
            Possible::Slot(_, Slot::Call(request)) => {
                ProblemOf::<P>::VISIT.is_some_and(|visit| visit.release.as_ref() == Some(request))
            }
            Possible::Message(_) => true,
        };
        self.world.now > 0 && self.untimed.as_ref().is_some_and(|untimed| !untimed.possible.iter().any(must))
    }

    /// Lets happen what a schedule says, one thing after the other, in a run without clocks, and records the choices that
    /// this takes. What the schedule does not say does not happen.
    pub fn follow(&mut self, schedule: &[Happening<P::Processor>]) -> Result<(), Impossible> {
        assert!(self.untimed.is_some(), "only a run without clocks follows a schedule");
        self.record();
        for (index, happening) in schedule.iter().enumerate() {
            let impossible = |why| Err(Impossible { step: index + 1, what: format!("{happening:?}{why}") });
            let (ways, up) = (self.untimed().ways(), |place| self.world.is_up(place));
            let is_meant = |&way: &usize| self.untimed().means(self.untimed().next(way, up), happening);
            let Some(way) = (0..ways).find(is_meant) else { return impossible("") };
            let next = self.untimed().next(way, up);
            self.world.chance.force(way as u64, ways as u64);
            self.world.chance.follow(Choices::Scripted(coins(happening)));
            let unanswered = self.world.chance.unanswered();
            let happened = self.happen(next);
            if !happened {
                return impossible(": a link is not free");
            }
            let chance = &self.world.chance;
            if chance.has_answers() || chance.unanswered() > unanswered || chance.bad().is_some() {
                return impossible(": it does not draw like this");
            }
        }
        Ok(())
    }

    fn untimed(&self) -> &Untimed<P, D> {
        self.untimed.as_ref().expect("there are no clocks")
    }

    /// Lets something happen; false if it was tried and did not.
    fn happen(&mut self, next: Next) -> bool {
        let untimed = self.untimed.as_mut().expect("there are no clocks");
        self.world.now += 1;
        self.world.arrivals.advance(self.world.now);
        let mut happened = true;
        match next {
            Next::Possible(index) => match untimed.possible.remove(index) {
                Possible::Wake(place) => self.step(place, Event::Wake, D::Depth::default()),
                Possible::Again(place) => {
                    let request = ProblemOf::<P>::AGAIN.expect("it would not be possible otherwise");
                    self.step(place, Event::Call(request), D::Depth::default());
                }
                Possible::Slot(place, slot) => {
                    self.world.timers.forget(place, &slot);
                    happened = self.timeout(place, slot);
                }
                Possible::Message(arrival) => {
                    self.world.cost.deliveries += 1;
                    self.leave_link(&arrival);
                    self.step(arrival.to, Event::Receive(arrival.port(), arrival.message), arrival.depth);
                }
            },
            Next::Crash(place) => {
                untimed.left.crashes -= 1;
                untimed.up -= 1;
                self.world.crash(place);
                self.desert(place);
                self.fail(place, 4, None);
            }
            Next::Loss(index) => {
                untimed.left.losses -= 1;
                let Possible::Message(arrival) = untimed.possible.remove(index) else { unreachable!("only messages") };
                self.leave_link(&arrival);
                self.world.lose(1);
                self.fail(arrival.to, 5, Some((arrival.port(), &arrival.message)));
            }
            Next::Double(index) => {
                untimed.left.duplicates -= 1;
                let arrival = untimed.double(index);
                let message = &arrival.message;
                self.world.monitor.doubled();
                self.world.meter.doubled(self.world.now);
                self.world.passes[message.kind()] += 1;
                self.world.cost.bits += message.bits();
                self.fail(arrival.to, 6, Some((arrival.port(), message)));
            }
        }
        self.collect();
        if happened {
            self.world.monitor.settle();
        } else {
            self.world.now -= 1;
        }
        happened
    }

    /// All that could happen to a processor cannot any more, and what is on its way to it is lost.
    fn desert(&mut self, place: Place) {
        let untimed = self.untimed.as_mut().expect("there are no clocks");
        let gone: Vec<_> = untimed.possible.extract_if(.., |possible| possible.place() == place).collect();
        for possible in gone {
            let Possible::Message(arrival) = possible else { continue };
            let untimed = self.untimed.as_mut().expect("there are no clocks");
            let behind = untimed.behind.remove(&arrival.rank()).map_or(0, |behind| behind.len());
            self.world.lose(1 + behind as u64);
            self.world.delivered(arrival.to, arrival.port());
        }
    }

    /// A message leaves its link, for the one behind it.
    fn leave_link(&mut self, arrival: &Arrival<P, D>) {
        let untimed = self.untimed.as_mut().expect("there are no clocks");
        let link = arrival.rank();
        match untimed.behind.get_mut(&link).map(VecDeque::pop_front) {
            Some(Some(next)) => untimed.possible.push(Possible::Message(next)),
            behind => {
                if behind.is_some() {
                    untimed.behind.remove(&link);
                }
                self.world.delivered(link.0, link.1);
            }
        }
    }

    /// Takes note of a failure.
    fn fail(&mut self, place: Place, tag: u8, message: Option<(Port, &MessageOf<P>)>) {
        let (time, world) = (self.world.now, &mut self.world);
        if D::FULL {
            world.histories[place as usize].chain.add(&(time, tag, message));
        }
        world.cost.time = time;
        if world.log.is_none() {
            return;
        }
        let event = match message {
            None => String::from("crashes"),
            Some((port, message)) if tag == 5 => format!("does not get {message:?} by port {}: it is lost", port.0),
            Some((port, message)) => format!("will get {message:?} by port {} twice", port.0),
        };
        world.note_failure(place, event);
    }

    /// Adds what has become possible, and forgets what no longer is.
    fn collect(&mut self) {
        let untimed = self.untimed.as_mut().expect("there are no clocks");
        // What a half-duplex link carries next may be lost as well.
        while let Flights::Line(line) = &mut self.world.arrivals
            && line.is_due()
        {
            let (_, sent) = line.take_instant().expect("nothing takes any time");
            for arrival in sent {
                if self.world.is_up(arrival.to) {
                    untimed.arrive(arrival);
                } else {
                    self.world.lose(1);
                    self.world.delivered(arrival.to, arrival.port());
                }
            }
        }
        let (timers, zero) = (&self.world.timers, &mut self.world.zero);
        if timers.are_unused() {
            return;
        }
        // One that was set again is a new one.
        untimed.possible.retain(|possible| match possible {
            Possible::Slot(place, slot) => {
                timers.is_pending(*place, slot) && !zero.iter().any(|(at, other)| at == place && other == slot)
            }
            _ => true,
        });
        for (index, (place, slot)) in zero.iter().enumerate() {
            let again = zero[index + 1..].iter().any(|(at, other)| at == place && other == slot);
            if timers.is_pending(*place, slot) && !again {
                untimed.possible.push(Possible::Slot(*place, slot.clone()));
            }
        }
        zero.clear();
    }
}

/// What a step draws, as a script.
fn coins<P: Processor>(happening: &Happening<P>) -> Script {
    let mut script = Script::default();
    if let Happening::Step { place, chosen, .. } = happening {
        for &coin in chosen {
            script.add(Open::Coin, *place, u64::from(coin));
        }
    }
    script
}

impl<P: Protocol, D: Detail> Possible<P, D> {
    /// To whom it happens.
    fn place(&self) -> Place {
        match self {
            Self::Wake(place) | Self::Again(place) | Self::Slot(place, _) => *place,
            Self::Message(arrival) => arrival.to,
        }
    }
}

impl<P: Protocol, D: Detail> Untimed<P, D> {
    fn arrive(&mut self, arrival: Arrival<P, D>) {
        if self.in_order {
            if let Some(behind) = self.behind.get_mut(&arrival.rank()) {
                return behind.push_back(arrival);
            }
            self.behind.insert(arrival.rank(), VecDeque::new());
        }
        self.possible.push(Possible::Message(arrival));
    }

    /// Doubles a message that can come in: its copy is the next to come in by the same link.
    fn double(&mut self, index: usize) -> Arrival<P, D> {
        let Possible::Message(arrival) = &self.possible[index] else { unreachable!("only messages are doubled") };
        let arrival = arrival.clone();
        if self.in_order || self.half {
            self.behind.entry(arrival.rank()).or_default().push_front(arrival.clone());
        } else {
            self.possible.insert(index + 1, Possible::Message(arrival.clone()));
        }
        arrival
    }

    fn messages(&self) -> impl Iterator<Item = usize> {
        let is_message = |index: &usize| matches!(self.possible[*index], Possible::Message(_));
        (0..self.possible.len()).filter(is_message)
    }

    /// How many ways there are to go on.
    fn ways(&self) -> usize {
        let mut ways = self.possible.len();
        if self.left != AtMost::default() {
            let messages = self.messages().count();
            ways += if self.left.crashes > 0 { self.up } else { 0 };
            ways += if self.left.losses > 0 { messages } else { 0 };
            ways += if self.left.duplicates > 0 { messages } else { 0 };
        }
        ways
    }

    /// The way of this index. `is_up`: who has not crashed.
    fn next(&self, index: usize, is_up: impl Fn(Place) -> bool) -> Next {
        let Some(mut rest) = index.checked_sub(self.possible.len()) else { return Next::Possible(index) };
        if self.left.crashes > 0 {
            let Some(behind) = rest.checked_sub(self.up) else {
                let place = (0..).filter(|&place| is_up(place)).nth(rest);
                return Next::Crash(place.expect("so many are up"));
            };
            rest = behind;
        }
        let messages: Vec<usize> = self.messages().collect();
        match rest.checked_sub(messages.len()) {
            None if self.left.losses > 0 => Next::Loss(messages[rest]),
            None => Next::Double(messages[rest]),
            Some(rest) => Next::Double(messages[rest]),
        }
    }

    /// Whether a way is what happens in a schedule.
    fn means(&self, next: Next, happening: &Happening<P::Processor>) -> bool {
        let is_message = |index: usize, to: Place, port: Port, message: &MessageOf<P>| {
            matches!(&self.possible[index], Possible::Message(arrival)
                if arrival.rank() == (to, port) && arrival.message == *message)
        };
        match (next, happening) {
            (Next::Possible(index), Happening::Step { place, event, .. }) => match (&self.possible[index], event) {
                (Possible::Wake(at), Event::Wake) => at == place,
                (Possible::Again(at), Event::Call(request)) => {
                    at == place && ProblemOf::<P>::AGAIN.as_ref() == Some(request)
                }
                (Possible::Slot(at, Slot::Timer(timer)), Event::Timeout(other)) => at == place && timer == other,
                (Possible::Slot(at, Slot::Call(request)), Event::Call(other)) => at == place && request == other,
                (Possible::Message(_), Event::Receive(port, message)) => is_message(index, *place, *port, message),
                _ => false,
            },
            (Next::Crash(at), Happening::Crash(place)) => at == *place,
            (Next::Loss(index), Happening::Loss(to, port, message))
            | (Next::Double(index), Happening::Double(to, port, message)) => is_message(index, *to, *port, message),
            _ => false,
        }
    }
}
