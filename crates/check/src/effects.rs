//! Steps as they are looked up: worked out once for each state of a processor.

use ringleader_model::Port;

use crate::book::Book;
use crate::interner::Number;
use crate::memo::Memo;
use crate::step::Wish;

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

/// All processors' states, what travels between them, and the steps between those.
pub(crate) struct Effects {
    pub(crate) book: Box<dyn Book>,
    effects: Vec<Effect>,
    sends: Vec<(Port, Number)>,
    /// By processor and trigger: its first effect.
    steps: Memo,
    /// By processor.
    looks: Vec<Look>,
    pending: Vec<Number>,
    ports: u32,
}

impl Effects {
    pub(crate) fn new(book: Box<dyn Book>, ports: u32) -> Self {
        Self {
            book,
            effects: Vec::new(),
            sends: Vec::new(),
            steps: Memo::new(),
            looks: Vec::new(),
            pending: Vec::new(),
            ports,
        }
    }

    /// Another hand on the same book.
    pub(crate) fn another(&self) -> Self {
        Self::new(self.book.another(), self.ports)
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

    pub(crate) fn bytes(&self) -> usize {
        let lists = size_of_val(&*self.effects) + size_of_val(&*self.sends) + size_of_val(&*self.looks);
        self.book.bytes() + self.steps.bytes() + lists
    }

    #[cold]
    fn look_first(&mut self, local: Number) -> Look {
        let index = local as usize;
        if self.looks.len() <= index {
            self.looks.resize(index + 1, Look::default());
        }
        let facts = self.book.facts(local);
        let look = Look {
            known: true,
            asleep: facts.asleep,
            wishes: facts.wishes.iter().map(|&wish| 1 << wish as u8).sum(),
            timers: facts.timers.len() as u32,
            round: facts.round.unwrap_or(u32::MAX),
            first_timer: self.pending.len() as u32,
        };
        self.pending.extend(facts.timers);
        self.looks[index] = look;
        look
    }

    fn work_out(&mut self, local: Number, trigger: Trigger) -> u32 {
        let outcomes = self.book.outcomes(local, trigger);
        let found = self.effects.len() as u32;
        let last = outcomes.len() - 1;
        for (index, outcome) in outcomes.into_iter().enumerate() {
            let first = self.sends.len() as u32;
            for (port, message) in outcome.sends {
                assert!(message < (Number::MAX / 2 - TRIGGERS) / self.ports.max(2), "memory ends before numbers do");
                self.sends.push((port, message));
            }
            let effect = Effect {
                local: outcome.local,
                sends: (first, self.sends.len() as u32),
                reports: outcome.reports,
                odds: outcome.odds,
                advance: outcome.advance,
                last: index == last,
            };
            self.effects.push(effect);
        }
        self.steps.insert(local, self.code(trigger), found);
        found
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
