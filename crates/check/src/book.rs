//! What is particular to a protocol: its processors, messages, timers and monitors, each kept once and named by number.
//!
//! Everything else in a space without clocks deals in numbers, and is compiled once, not once for every protocol.

use std::sync::Arc;

use ringleader_model::{
    Event, Happening, Message, Monitor, Place, Port, Problem, Processor, Protocol, Report, Scenario,
};

use crate::answer::Wakers;
use crate::effects::Trigger;
use crate::interner::{Interner, Number};
use crate::probability::label;
use crate::space::Standing;
use crate::step::{After, Happens, Local, Stands, User, Wish};

type MessageOf<P> = <<P as Protocol>::Processor as Processor>::Message;
type TimerOf<P> = <<P as Protocol>::Processor as Processor>::Timer;
type MonitorOf<P> = <<<P as Protocol>::Processor as Processor>::Problem as Problem>::Monitor;

/// The number of whoever has crashed.
pub(crate) const CRASHED: Number = 0;

/// The number of no reports.
pub(crate) const SILENT: Number = 0;

/// What there is to ask about numbers.
pub(crate) trait Book: Send {
    /// Another hand on the same things.
    fn another(&self) -> Box<dyn Book>;
    /// What comes of a trigger, by how choices fall.
    fn outcomes(&mut self, local: Number, trigger: Trigger) -> Vec<Result>;
    /// What can happen to a processor by itself.
    fn facts(&mut self, local: Number) -> Facts;
    /// Whether rounds grow without end.
    fn has_rounds(&self) -> bool;
    /// Whether processors go through phases.
    fn is_phased(&self) -> bool;
    /// A processor whose rounds are so many less.
    fn rebased(&mut self, local: Number, by: u32) -> Number;
    /// A message whose rounds are so many less.
    fn rebased_message(&mut self, message: Number, by: u32) -> Number;
    /// What a monitor is told when somebody crashes.
    fn crash(&mut self) -> Number;
    /// What a monitor is told when a message is doubled.
    fn double(&mut self) -> Number;
    /// The monitor after it was told what came from a place, and that so many messages were lost.
    fn told(&mut self, monitor: Number, place: Place, said: Number, lost: u32) -> Number;
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

/// What comes of a trigger, if choices fall in a certain way.
pub(crate) struct Result {
    pub(crate) local: Number,
    pub(crate) sends: Vec<(Port, Number)>,
    /// The number of its reports; [`SILENT`] if there are none.
    pub(crate) reports: Number,
    /// The choices fall like this once in so many times.
    pub(crate) odds: u32,
    /// By how much the processor's phase grows.
    pub(crate) advance: u32,
}

/// What can happen to a processor by itself.
#[derive(Default)]
pub(crate) struct Facts {
    pub(crate) asleep: bool,
    /// What its user may ask for.
    pub(crate) wishes: Vec<Wish>,
    /// Those pending.
    pub(crate) timers: Vec<Number>,
    /// Its least live round.
    pub(crate) round: Option<u32>,
}

/// What happens, named by numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Deed {
    /// To a processor in this state.
    Step {
        place: Place,
        local: Number,
        trigger: Trigger,
        outcome: u32,
    },
    Crash(Place),
    /// A message that comes in by a port.
    Loss(Place, u32, Number),
    Double(Place, u32, Number),
}

/// What a monitor can be told.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Said<R> {
    Reports(Vec<R>),
    Crash,
    Double,
}

/// The book of a protocol.
pub(crate) struct Pages<P: Protocol> {
    protocol: Arc<P>,
    /// [`CRASHED`] is nobody.
    locals: Interner<Option<Local<P::Processor>>>,
    messages: Interner<MessageOf<P>>,
    timers: Interner<TimerOf<P>>,
    said: Interner<Said<Report<P::Processor>>>,
    monitors: Interner<MonitorOf<P>>,
}

impl<P: Protocol> Clone for Pages<P> {
    fn clone(&self) -> Self {
        Self {
            protocol: Arc::clone(&self.protocol),
            locals: self.locals.clone(),
            messages: self.messages.clone(),
            timers: self.timers.clone(),
            said: self.said.clone(),
            monitors: self.monitors.clone(),
        }
    }
}

impl<P: Protocol> Pages<P> {
    pub(crate) fn new(protocol: P) -> Self {
        let mut new = Self {
            protocol: Arc::new(protocol),
            locals: Interner::new(),
            messages: Interner::new(),
            timers: Interner::new(),
            said: Interner::new(),
            monitors: Interner::new(),
        };
        assert_eq!(new.locals.number(None), CRASHED);
        assert_eq!(new.said.number(Said::Reports(Vec::new())), SILENT);
        new
    }

    /// The processors of a scenario before anything has happened.
    pub(crate) fn newcomers(&mut self, scenario: &Scenario, wakers: &Wakers) -> Vec<Number> {
        let newcomers: Vec<_> = (0..scenario.n as Place).map(|place| self.newcomer(scenario, wakers, place)).collect();
        newcomers.into_iter().map(|local| self.locals.number(Some(local))).collect()
    }

    /// The monitor of a scenario before anything has happened.
    pub(crate) fn monitor(&mut self, scenario: &Scenario) -> Number {
        self.monitors.number(Monitor::new(scenario))
    }

    /// The processor of a place before anything has happened.
    fn newcomer(&self, scenario: &Scenario, wakers: &Wakers, place: Place) -> Local<P::Processor> {
        let protocol = &*self.protocol;
        let asleep = match wakers {
            Wakers::Anybody | Wakers::Together => true,
            Wakers::These(places) => places.contains(&place),
        };
        let user = User {
            visits: scenario.workload.as_ref().map_or(0, |load| load.asks(place)),
            again: scenario.again.iter().filter(|&&(other, _)| other == place).count() as u32,
            stands: Stands::Outside,
        };
        let processor = protocol.processor(protocol.seat(scenario, place));
        let mut local = Local { processor, asleep, timers: Vec::new(), user };
        // Where users ask over and over, sites are there for them: waking is no event unless it does something.
        if scenario.workload.is_some() {
            let awake = Local { asleep: false, ..local.clone() };
            let outcomes = local.outcomes(protocol, &(Event::Wake, None));
            let idle = |after: &After<_>| after.local == awake && after.sends.is_empty() && after.reports.is_empty();
            if outcomes.iter().all(|outcome| idle(&outcome.after)) {
                local = awake;
            }
        }
        local
    }

    /// A deed as others can do it again.
    pub(crate) fn happening(&mut self, deed: Deed) -> Happening<P::Processor> {
        match deed {
            Deed::Step { place, local, trigger, outcome } => {
                let happens = self.event(local, trigger);
                let local = self.locals.get(local).as_ref().expect("nothing happens to the crashed");
                let chosen = local.outcomes(&self.protocol, &happens).swap_remove(outcome as usize).chosen;
                Happening::Step { place, event: happens.0, chosen }
            }
            Deed::Crash(place) => Happening::Crash(place),
            Deed::Loss(place, port, message) => Happening::Loss(place, Port(port), self.messages.get(message).clone()),
            Deed::Double(place, port, message) => {
                Happening::Double(place, Port(port), self.messages.get(message).clone())
            }
        }
    }

    fn event(&mut self, local: Number, trigger: Trigger) -> Happens<P::Processor> {
        match trigger {
            Trigger::Wake => (Event::Wake, None),
            Trigger::Call(wish) => (Event::Call(wish.request::<P::Processor>().expect("it may be asked")), Some(wish)),
            Trigger::Timeout(index) => {
                let local = self.locals.get(local).as_ref().expect("nothing happens to the crashed");
                (Event::Timeout(local.timers[index as usize].clone()), None)
            }
            Trigger::Receive { port, message } => {
                (Event::Receive(Port(port), self.messages.get(message).clone()), None)
            }
        }
    }
}

impl<P: Protocol> Book for Pages<P> {
    fn another(&self) -> Box<dyn Book> {
        Box::new(self.clone())
    }

    fn outcomes(&mut self, local: Number, trigger: Trigger) -> Vec<Result> {
        let happens = self.event(local, trigger);
        let outcomes = {
            let local = self.locals.get(local).as_ref().expect("nothing happens to the crashed");
            local.outcomes(&self.protocol, &happens)
        };
        let number = |outcome: crate::step::Outcome<P::Processor>| {
            let After { local, sends, reports, advance } = outcome.after;
            Result {
                local: self.locals.number(Some(local)),
                sends: sends.into_iter().map(|(port, message)| (port, self.messages.number(message))).collect(),
                reports: self.said.number(Said::Reports(reports)),
                odds: outcome.odds,
                advance,
            }
        };
        outcomes.into_iter().map(number).collect()
    }

    fn facts(&mut self, local: Number) -> Facts {
        let Some(local) = self.locals.get(local) else { return Facts::default() };
        let may = |wish: &Wish| local.user.may(*wish) && wish.request::<P::Processor>().is_some();
        Facts {
            asleep: local.asleep,
            wishes: Wish::ALL.into_iter().filter(may).collect(),
            timers: local.timers.iter().map(|timer| self.timers.number(timer.clone())).collect(),
            round: local.processor.live_round(&self.protocol),
        }
    }

    fn has_rounds(&self) -> bool {
        P::Processor::ROUNDS
    }

    fn is_phased(&self) -> bool {
        P::Processor::PHASED
    }

    fn rebased(&mut self, local: Number, by: u32) -> Number {
        let Some(mut rebased) = self.locals.get(local).clone() else { return local };
        rebased.processor.rebase(&self.protocol, by);
        self.locals.number(Some(rebased))
    }

    fn rebased_message(&mut self, message: Number, by: u32) -> Number {
        let mut message = self.messages.get(message).clone();
        message.rebase(by);
        self.messages.number(message)
    }

    fn crash(&mut self) -> Number {
        self.said.number(Said::Crash)
    }

    fn double(&mut self) -> Number {
        self.said.number(Said::Double)
    }

    fn told(&mut self, monitor: Number, place: Place, said: Number, lost: u32) -> Number {
        let mut after = self.monitors.get(monitor).clone();
        match self.said.get(said) {
            Said::Reports(reports) => {
                for report in reports {
                    after.observe(place, report.clone());
                }
            }
            Said::Crash => after.crash(place),
            Said::Double => after.doubled(),
        }
        for _ in 0..lost {
            after.lost();
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
        complaint(self.monitors.get(monitor))
    }

    fn label(&mut self, monitor: Number) -> String {
        label(self.monitors.get(monitor))
    }

    fn bytes(&self) -> usize {
        self.locals.bytes() + self.messages.bytes() + self.timers.bytes() + self.said.bytes() + self.monitors.bytes()
    }
}

/// What is wrong, in words: what is violated, or what is left to do.
pub(crate) fn complaint<M: Monitor>(monitor: &M) -> String {
    match monitor.violations() {
        [] => monitor.missing(),
        violations => {
            let words = violations.iter().map(|violation| format!("{}: {}", violation.property, violation.detail));
            words.collect::<Vec<_>>().join("; ")
        }
    }
}
