//! What is particular to a protocol: its processors, messages, timers, reports and monitors, each kept once and named by
//! number.
//!
//! Everything else in a space deals in numbers, and is compiled once, not once for every protocol.

use core::cmp::Ordering;
use std::sync::Arc;

use ringleader_model::{
    BadSetting, Effects, Event, Happening, Inspect, Message, Moment, Monitor, Network, NoTimer, Outcome, Place, Port,
    Problem, Processor, Protocol, Report, Request, Scenario, Starts, Ticks,
};

use crate::dice::Dice;
use crate::interner::{Interner, Number};
use crate::probability::label;
use crate::roads::Roads;
use crate::space::Standing;

type MessageOf<P> = <<P as Protocol>::Processor as Processor>::Message;
type TimerOf<P> = <<P as Protocol>::Processor as Processor>::Timer;
type MonitorOf<P> = <<<P as Protocol>::Processor as Processor>::Problem as Problem>::Monitor;

/// What there is to ask about numbers.
pub(crate) trait Book: Send {
    /// Another hand on the same things.
    fn another(&self) -> Box<dyn Book>;
    /// A step of a processor, whose choices fall as the dice do. What it does is added to `did`, in order.
    fn step(&mut self, processor: Number, trigger: Trigger, dice: &mut Dice, did: &mut Vec<Did>) -> Stepped;
    /// Whether a processor handles a message as soon as it arrives.
    fn is_urgent(&mut self, processor: Number, message: Number) -> bool;
    /// Whether there is such a request.
    fn knows(&self, wish: Wish) -> bool;
    /// Whether there are timers.
    fn has_timers(&self) -> bool;
    /// Which of two timers that are due runs off first.
    fn order(&mut self, timer: Number, other: Number) -> Ordering;
    /// Whether rounds grow without end.
    fn has_rounds(&self) -> bool;
    /// Whether processors go through phases.
    fn is_phased(&self) -> bool;
    /// Whether messages end once all is done.
    fn falls_silent(&self) -> bool;
    /// What violates nothing although one might think so.
    fn caveat(&self) -> &'static str;
    /// The least live round of a processor.
    fn live_round(&mut self, processor: Number) -> Option<u32>;
    /// A processor whose rounds are so many less.
    fn rebased(&mut self, processor: Number, by: u32) -> Number;
    /// A message whose rounds are so many less.
    fn rebased_message(&mut self, message: Number, by: u32) -> Number;
    /// The monitor after it was told all this at once.
    fn told(&mut self, monitor: Number, said: &[(Place, Said)]) -> Number;
    /// The monitor of a ring that is turned, where it can be.
    fn turned(&mut self, monitor: Number, by: Place, n: Place) -> Option<Number>;
    /// What a monitor says.
    fn standing(&mut self, monitor: Number) -> Standing;
    /// What is wrong, in words.
    fn complaint(&mut self, monitor: Number) -> String;
    /// What a monitor says, in few words.
    fn label(&mut self, monitor: Number) -> String;
    /// The memory that this hand holds, about.
    fn bytes(&self) -> usize;
}

/// What can happen to a processor, its message or timer named by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Trigger {
    Wake,
    Call(Wish),
    Timeout(Number),
    Receive { port: u32, message: Number },
}

/// What a user can ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wish {
    Acquire,
    Release,
    Again,
}

impl Wish {
    pub(crate) const ALL: [Self; 3] = [Self::Acquire, Self::Release, Self::Again];

    /// The request, where there is such a thing.
    fn request<P: Processor>(self) -> Option<Request<P>> {
        match self {
            Self::Acquire => P::Problem::VISIT.map(|visit| visit.acquire),
            Self::Release => P::Problem::VISIT.and_then(|visit| visit.release),
            Self::Again => P::Problem::AGAIN,
        }
    }
}

/// Something that a processor does in a step.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Did {
    Send(Port, Number),
    Set(Number, Ticks),
    Cancel(Number),
    /// With what it means to a user.
    Report(Number, Option<Moment>),
}

/// A processor after a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stepped {
    pub(crate) processor: Number,
    /// By how much its phase has grown.
    pub(crate) advance: u32,
}

/// What a monitor can be told about a place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Said {
    Report(Number),
    Crash,
    Double,
    Loss,
}

/// What happens, named by numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Deed {
    /// With how choices fall.
    Step(Place, Trigger, Vec<u32>),
    Crash(Place),
    /// A message that comes in by a port.
    Loss(Place, u32, Number),
    Double(Place, u32, Number),
}

/// All that a space needs to know of a protocol in a scenario.
pub(crate) struct Opening {
    pub(crate) book: Box<dyn Book>,
    pub(crate) roads: Roads,
    /// By place, before anything has happened.
    pub(crate) processors: Vec<Number>,
    pub(crate) monitor: Number,
    pub(crate) is_ring: bool,
    /// Everybody starts at one moment.
    pub(crate) together: bool,
}

/// The book of a protocol.
pub(crate) struct Pages<P: Protocol> {
    protocol: Arc<P>,
    processors: Interner<P::Processor>,
    messages: Interner<MessageOf<P>>,
    timers: Interner<TimerOf<P>>,
    reports: Interner<Report<P::Processor>>,
    monitors: Interner<MonitorOf<P>>,
}

impl<P: Protocol> Clone for Pages<P> {
    fn clone(&self) -> Self {
        Self {
            protocol: Arc::clone(&self.protocol),
            processors: self.processors.clone(),
            messages: self.messages.clone(),
            timers: self.timers.clone(),
            reports: self.reports.clone(),
            monitors: self.monitors.clone(),
        }
    }
}

impl<P: Protocol> Pages<P> {
    /// The book of a protocol that was configured for a scenario.
    pub(crate) fn new(protocol: P) -> Self {
        Self {
            protocol: Arc::new(protocol),
            processors: Interner::new(),
            messages: Interner::new(),
            timers: Interner::new(),
            reports: Interner::new(),
            monitors: Interner::new(),
        }
    }

    pub(crate) fn open(&mut self, scenario: &Scenario) -> Result<Opening, BadSetting> {
        let protocol = &*self.protocol;
        let network = P::Network::new(scenario);
        let place = |place| self.processors.number(protocol.processor(protocol.seat(scenario, &network, place)));
        Ok(Opening {
            roads: Roads::new::<P::Network>(scenario)?,
            processors: (0..scenario.n as Place).map(place).collect(),
            monitor: self.monitors.number(Monitor::new(scenario)),
            is_ring: P::Network::TOPOLOGY.is_ring(),
            together: P::DESCRIPTION.assumptions.starts == Starts::Together,
            book: self.another(),
        })
    }

    /// A deed as others can do it again.
    pub(crate) fn happening(&mut self, deed: Deed) -> Happening<P::Processor> {
        match deed {
            Deed::Step(place, trigger, chosen) => Happening::Step { place, event: self.event(trigger), chosen },
            Deed::Crash(place) => Happening::Crash(place),
            Deed::Loss(place, port, message) => Happening::Loss(place, Port(port), self.messages.get(message).clone()),
            Deed::Double(place, port, message) => {
                Happening::Double(place, Port(port), self.messages.get(message).clone())
            }
        }
    }

    pub(crate) fn processor(&mut self, number: Number) -> P::Processor {
        self.processors.get(number).clone()
    }

    #[cfg(test)]
    pub(crate) fn message(&mut self, number: Number) -> MessageOf<P> {
        self.messages.get(number).clone()
    }

    #[cfg(test)]
    pub(crate) fn timer(&mut self, number: Number) -> TimerOf<P> {
        self.timers.get(number).clone()
    }

    /// The result so far.
    pub(crate) fn outcome(&mut self, monitor: Number) -> Outcome {
        self.monitors.get(monitor).outcome()
    }

    fn event(&mut self, trigger: Trigger) -> Event<P::Processor> {
        match trigger {
            Trigger::Wake => Event::Wake,
            Trigger::Call(wish) => Event::Call(wish.request::<P::Processor>().expect("it may be asked")),
            Trigger::Timeout(timer) => Event::Timeout(self.timers.get(timer).clone()),
            Trigger::Receive { port, message } => Event::Receive(Port(port), self.messages.get(message).clone()),
        }
    }
}

impl<P: Protocol> Book for Pages<P> {
    fn another(&self) -> Box<dyn Book> {
        Box::new(self.clone())
    }

    fn step(&mut self, processor: Number, trigger: Trigger, dice: &mut Dice, did: &mut Vec<Did>) -> Stepped {
        let event = self.event(trigger);
        let mut after = self.processors.get(processor).clone();
        let before = after.phase();
        let Self { protocol, messages, timers, reports, .. } = self;
        let mut sink: Sink<'_, P::Processor> = Sink { messages, timers, reports, dice, did };
        after.step(protocol, event, &mut sink);
        let advance = after.phase().saturating_sub(before);
        after.rebase(protocol, 0);
        Stepped { processor: self.processors.number(after), advance }
    }

    fn is_urgent(&mut self, processor: Number, message: Number) -> bool {
        self.processors.get(processor).urgent(&self.protocol, self.messages.get(message))
    }

    fn knows(&self, wish: Wish) -> bool {
        wish.request::<P::Processor>().is_some()
    }

    fn has_timers(&self) -> bool {
        core::any::TypeId::of::<TimerOf<P>>() != core::any::TypeId::of::<NoTimer>()
    }

    fn order(&mut self, timer: Number, other: Number) -> Ordering {
        let timer = self.timers.get(timer).clone();
        timer.cmp(self.timers.get(other))
    }

    fn has_rounds(&self) -> bool {
        P::Processor::ROUNDS
    }

    fn is_phased(&self) -> bool {
        P::Processor::PHASED
    }

    fn falls_silent(&self) -> bool {
        <P::Processor as Processor>::Problem::FALLS_SILENT
    }

    fn caveat(&self) -> &'static str {
        <P::Processor as Processor>::Problem::CAVEAT
    }

    fn live_round(&mut self, processor: Number) -> Option<u32> {
        self.processors.get(processor).live_round(&self.protocol)
    }

    fn rebased(&mut self, processor: Number, by: u32) -> Number {
        let mut rebased = self.processors.get(processor).clone();
        rebased.rebase(&self.protocol, by);
        self.processors.number(rebased)
    }

    fn rebased_message(&mut self, message: Number, by: u32) -> Number {
        let mut message = self.messages.get(message).clone();
        message.rebase(by);
        self.messages.number(message)
    }

    fn told(&mut self, monitor: Number, said: &[(Place, Said)]) -> Number {
        let mut after = self.monitors.get(monitor).clone();
        for &(place, said) in said {
            match said {
                Said::Report(report) => {
                    after.observe(place, self.reports.get(report).clone());
                }
                Said::Crash => after.crash(place),
                Said::Double => after.doubled(),
                Said::Loss => after.lost(),
            }
        }
        after.settle();
        after.forget();
        self.monitors.number(after)
    }

    fn turned(&mut self, monitor: Number, by: Place, n: Place) -> Option<Number> {
        let turned = self.monitors.get(monitor).turned(by, n)?;
        Some(self.monitors.number(turned))
    }

    fn standing(&mut self, monitor: Number) -> Standing {
        let monitor = self.monitors.get(monitor);
        Standing { violated: !monitor.violations().is_empty(), waiting: monitor.waiting() }
    }

    fn complaint(&mut self, monitor: Number) -> String {
        let monitor = self.monitors.get(monitor);
        match monitor.violations() {
            [] => monitor.missing(),
            violations => {
                let words = violations.iter().map(|violation| format!("{}: {}", violation.property, violation.detail));
                words.collect::<Vec<_>>().join("; ")
            }
        }
    }

    fn label(&mut self, monitor: Number) -> String {
        label(self.monitors.get(monitor))
    }

    fn bytes(&self) -> usize {
        let small = self.messages.bytes() + self.timers.bytes() + self.reports.bytes();
        self.processors.bytes() + small + self.monitors.bytes()
    }
}

/// Writes down what a step does.
struct Sink<'a, P: Processor> {
    messages: &'a mut Interner<P::Message>,
    timers: &'a mut Interner<P::Timer>,
    reports: &'a mut Interner<Report<P>>,
    dice: &'a mut Dice,
    did: &'a mut Vec<Did>,
}

impl<P: Processor> Effects<P> for Sink<'_, P> {
    fn send(&mut self, port: Port, message: P::Message) {
        let message = self.messages.number(message);
        self.did.push(Did::Send(port, message));
    }

    fn set_timer(&mut self, timer: P::Timer, after: Ticks) {
        let timer = self.timers.number(timer);
        self.did.push(Did::Set(timer, after));
    }

    fn cancel_timer(&mut self, timer: P::Timer) {
        let timer = self.timers.number(timer);
        self.did.push(Did::Cancel(timer));
    }

    fn choose(&mut self, bound: u32) -> u32 {
        self.dice.toss(bound)
    }

    fn report(&mut self, report: Report<P>) {
        let moment = P::Problem::moment(&report);
        self.did.push(Did::Report(self.reports.number(report), moment));
    }

    fn elapsed(&mut self) -> Option<Ticks> {
        None
    }
}
