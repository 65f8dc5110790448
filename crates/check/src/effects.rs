//! Steps as they are looked up: worked out once for each state of a processor.

use std::sync::Arc;

use ringleader_model::{Event, Message, Monitor, Place, Port, Processor, Protocol, Report};

use crate::interner::{Interner, Number};
use crate::memo::Memo;
use crate::step::{Happens, Local, Wish};
use crate::untimed::MonitorOf;

type MessageOf<P> = <<P as Protocol>::Processor as Processor>::Message;
type TimerOf<P> = <<P as Protocol>::Processor as Processor>::Timer;

/// The number of whoever has crashed.
pub(crate) const CRASHED: Number = 0;

/// The number of no reports.
pub(crate) const SILENT: Number = 0;

/// What can happen to a processor, its message or timer named by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Trigger {
    Wake,
    Call(Wish),
    /// The timer of this index among those pending.
    Timeout(u32),
    Receive {
        port: u32,
        message: Number,
    },
}

/// A step as it is looked up: the processor's next state, what it sends, and what it reports, by number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effect {
    pub(crate) local: Number,
    /// Where its sends lie among all of them.
    pub(crate) sends: (u32, u32),
    /// The number of its reports; [`SILENT`] if there are none.
    pub(crate) reports: Number,
    /// The choices fall like this once in so many times.
    pub(crate) odds: u32,
    /// By how much the processor's phase grows.
    pub(crate) advance: u32,
    /// It is the last outcome of its event.
    pub(crate) last: bool,
}

/// What can happen to a processor by itself.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Look {
    known: bool,
    pub(crate) asleep: bool,
    /// One bit for each [`Wish`] that its user may have.
    wishes: u8,
    /// How many are pending.
    pub(crate) timers: u32,
    /// Its least live round; all bits set if it has none.
    pub(crate) round: u32,
    /// Where their numbers lie among all of them.
    first_timer: u32,
}

impl Look {
    /// Whether its user may ask for this.
    pub(crate) fn may(self, wish: Wish) -> bool {
        self.wishes & 1 << wish as u8 != 0
    }
}

/// What a monitor can be told.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Said<R> {
    Reports(Vec<R>),
    Crash,
    Double,
}

/// All processors' states, what travels between them, and the steps between those.
pub(crate) struct Effects<P: Protocol> {
    protocol: Arc<P>,
    /// [`CRASHED`] is nobody.
    locals: Interner<Option<Local<P::Processor>>>,
    messages: Interner<MessageOf<P>>,
    timers: Interner<TimerOf<P>>,
    said: Interner<Said<Report<P::Processor>>>,
    effects: Vec<Effect>,
    sends: Vec<(Port, Number)>,
    /// By processor and trigger: its first effect.
    steps: Memo,
    /// By processor.
    looks: Vec<Look>,
    pending: Vec<Number>,
    ports: u32,
}

impl<P: Protocol> Effects<P> {
    pub(crate) fn new(protocol: P, ports: u32) -> Self {
        let mut new = Self {
            protocol: Arc::new(protocol),
            locals: Interner::new(),
            messages: Interner::new(),
            timers: Interner::new(),
            said: Interner::new(),
            effects: Vec::new(),
            sends: Vec::new(),
            steps: Memo::new(),
            looks: Vec::new(),
            pending: Vec::new(),
            ports,
        };
        assert_eq!(new.locals.number(None), CRASHED);
        assert_eq!(new.said.number(Said::Reports(Vec::new())), SILENT);
        new
    }

    /// Another hand on the same states and messages.
    pub(crate) fn another(&self) -> Self {
        Self {
            protocol: Arc::clone(&self.protocol),
            locals: self.locals.clone(),
            messages: self.messages.clone(),
            timers: self.timers.clone(),
            said: self.said.clone(),
            effects: Vec::new(),
            sends: Vec::new(),
            steps: Memo::new(),
            looks: Vec::new(),
            pending: Vec::new(),
            ports: self.ports,
        }
    }

    pub(crate) fn protocol(&self) -> &P {
        &self.protocol
    }

    /// The number of a processor.
    pub(crate) fn number(&mut self, local: Local<P::Processor>) -> Number {
        self.locals.number(Some(local))
    }

    /// A processor whose rounds are so many less.
    pub(crate) fn rebased(&mut self, local: Number, by: u32) -> Number {
        let Some(local) = self.locals.get(local) else { return local };
        let mut local = local.clone();
        local.processor.rebase(&self.protocol, by);
        self.number(local)
    }

    /// A message whose rounds are so many less.
    pub(crate) fn rebased_message(&mut self, message: Number, by: u32) -> Number {
        let mut message = self.messages.get(message).clone();
        message.rebase(by);
        self.messages.number(message)
    }

    /// The message of a number.
    pub(crate) fn message(&mut self, message: Number) -> &MessageOf<P> {
        self.messages.get(message)
    }

    /// The first effect of a trigger; the others follow it.
    pub(crate) fn of(&mut self, local: Number, trigger: Trigger) -> u32 {
        match self.steps.get(local, self.code(trigger)) {
            Some(first) => first,
            None => self.work_out(local, trigger),
        }
    }

    pub(crate) fn get(&self, index: u32) -> Effect {
        self.effects[index as usize]
    }

    /// What an effect sends.
    pub(crate) fn sends(&self, effect: Effect) -> &[(Port, Number)] {
        &self.sends[effect.sends.0 as usize..effect.sends.1 as usize]
    }

    /// What can happen to a processor by itself.
    #[inline]
    pub(crate) fn look(&mut self, local: Number) -> Look {
        match self.looks.get(local as usize) {
            Some(&look) if look.known => look,
            _ => self.look_first(local),
        }
    }

    /// The number of a pending timer.
    pub(crate) fn timer(&self, look: Look, index: u32) -> Number {
        self.pending[(look.first_timer + index) as usize]
    }

    /// The number of what a monitor is told when somebody crashes.
    pub(crate) fn crash(&mut self) -> Number {
        self.said.number(Said::Crash)
    }

    /// The number of what a monitor is told when a message is doubled.
    pub(crate) fn double(&mut self) -> Number {
        self.said.number(Said::Double)
    }

    /// Tells a monitor what came from a place.
    pub(crate) fn tell(&mut self, monitor: &mut MonitorOf<P>, place: Place, said: Number) {
        match self.said.get(said) {
            Said::Reports(reports) => {
                for report in reports {
                    monitor.observe(place, report.clone());
                }
            }
            Said::Crash => monitor.crash(place),
            Said::Double => monitor.doubled(),
        }
    }

    /// What happens to a processor when a trigger has this outcome, and what it draws then.
    pub(crate) fn happens(
        &mut self,
        local: Number,
        trigger: Trigger,
        outcome: usize,
    ) -> (Event<P::Processor>, Vec<u32>) {
        let happens = self.event(local, trigger);
        let local = self.locals.get(local).as_ref().expect("nothing happens to the crashed");
        let chosen = local.outcomes(&self.protocol, &happens).swap_remove(outcome).chosen;
        (happens.0, chosen)
    }

    pub(crate) fn bytes(&self) -> usize {
        let lists = size_of_val(&*self.effects) + size_of_val(&*self.sends) + size_of_val(&*self.looks);
        self.locals.bytes()
            + self.messages.bytes()
            + self.timers.bytes()
            + self.said.bytes()
            + self.steps.bytes()
            + lists
    }

    #[cold]
    fn look_first(&mut self, local: Number) -> Look {
        let index = local as usize;
        if self.looks.len() <= index {
            self.looks.resize(index + 1, Look::default());
        }
        let mut look = Look { known: true, first_timer: self.pending.len() as u32, round: u32::MAX, ..Look::default() };
        if let Some(local) = self.locals.get(local) {
            look.asleep = local.asleep;
            look.timers = local.timers.len() as u32;
            look.round = local.processor.live_round(&self.protocol).unwrap_or(u32::MAX);
            for wish in Wish::ALL {
                let may = local.user.may(wish) && wish.request::<P::Processor>().is_some();
                look.wishes |= u8::from(may) << wish as u8;
            }
            for timer in &local.timers {
                self.pending.push(self.timers.number(timer.clone()));
            }
        }
        self.looks[index] = look;
        look
    }

    fn work_out(&mut self, local: Number, trigger: Trigger) -> u32 {
        let happens = self.event(local, trigger);
        let outcomes = {
            let local = self.locals.get(local).as_ref().expect("nothing happens to the crashed");
            local.outcomes(&self.protocol, &happens)
        };
        let found = self.effects.len() as u32;
        let last = outcomes.len() - 1;
        for (index, outcome) in outcomes.into_iter().enumerate() {
            let first = self.sends.len() as u32;
            for (port, message) in outcome.after.sends {
                let message = self.messages.number(message);
                assert!(message < (Number::MAX / 2 - TRIGGERS) / self.ports.max(2), "memory ends before numbers do");
                self.sends.push((port, message));
            }
            let effect = Effect {
                local: self.number(outcome.after.local),
                sends: (first, self.sends.len() as u32),
                reports: self.said.number(Said::Reports(outcome.after.reports)),
                odds: outcome.odds,
                advance: outcome.after.advance,
                last: index == last,
            };
            self.effects.push(effect);
        }
        self.steps.insert(local, self.code(trigger), found);
        found
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

    /// A number for each trigger: messages from below, everything else from above.
    fn code(&self, trigger: Trigger) -> u32 {
        match trigger {
            Trigger::Receive { port, message } => message * self.ports + port,
            Trigger::Wake => u32::MAX,
            Trigger::Call(wish) => u32::MAX - 1 - wish as u32,
            Trigger::Timeout(index) => u32::MAX - 4 - index,
        }
    }
}

/// More than there are triggers besides messages.
const TRIGGERS: u32 = 1 << 20;
