//! Steps as they are looked up: worked out once for each state of a processor.

use ringleader_model::{Place, Port};

use crate::book::{Book, Said, Trigger, Wish};
use crate::interner::{Interner, Number};
use crate::memo::Memo;
use crate::step::Local;

/// The number of whoever has crashed.
pub(crate) const CRASHED: Number = 0;

/// The number of no reports.
pub(crate) const SILENT: Number = 0;

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
    /// [`CRASHED`] is nobody.
    locals: Interner<Option<Local>>,
    said: Interner<Vec<Said>>,
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
        let (mut locals, mut said) = (Interner::new(), Interner::new());
        assert_eq!((locals.number(None), said.number(Vec::new())), (CRASHED, SILENT));
        Self::with(book, locals, said, ports)
    }

    /// Another hand on the same book.
    pub(crate) fn another(&self) -> Self {
        Self::with(self.book.another(), self.locals.clone(), self.said.clone(), self.ports)
    }

    fn with(book: Box<dyn Book>, locals: Interner<Option<Local>>, said: Interner<Vec<Said>>, ports: u32) -> Self {
        Self {
            book,
            locals,
            said,
            effects: Vec::new(),
            sends: Vec::new(),
            steps: Memo::new(),
            looks: Vec::new(),
            pending: Vec::new(),
            ports,
        }
    }

    /// The number of a processor.
    pub(crate) fn number(&mut self, local: Local) -> Number {
        self.locals.number(Some(local))
    }

    /// The number of what a monitor is told.
    pub(crate) fn say(&mut self, said: Said) -> Number {
        self.said.number(vec![said])
    }

    /// The monitor after it was told what came from a place, and that so many messages were lost.
    pub(crate) fn told(&mut self, monitor: Number, place: Place, said: Number, lost: u32) -> Number {
        let lost = (0..lost).map(|_| Said::Loss);
        let said: Vec<_> = self.said.get(said).iter().copied().chain(lost).map(|said| (place, said)).collect();
        self.book.told(monitor, &said)
    }

    /// A processor whose rounds are so many less.
    pub(crate) fn rebased(&mut self, local: Number, by: u32) -> Number {
        let Some(mut rebased) = self.locals.get(local).clone() else { return local };
        rebased.processor = self.book.rebased(rebased.processor, by);
        self.locals.number(Some(rebased))
    }

    /// How the choices of an outcome of a trigger fall.
    pub(crate) fn chosen(&mut self, local: Number, trigger: Trigger, outcome: u32) -> Vec<u32> {
        let local = self.locals.get(local).as_ref().expect(ALIVE);
        local.outcomes(&mut *self.book, trigger).swap_remove(outcome as usize).chosen
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
        self.book.bytes() + self.locals.bytes() + self.said.bytes() + self.steps.bytes() + lists
    }

    #[cold]
    fn look_first(&mut self, local: Number) -> Look {
        let index = local as usize;
        if self.looks.len() <= index {
            self.looks.resize(index + 1, Look::default());
        }
        let mut look = Look { known: true, round: u32::MAX, ..Look::default() };
        if let Some(local) = self.locals.get(local) {
            let may = |wish: &Wish| local.user.may(*wish) && self.book.knows(*wish);
            look.asleep = local.asleep;
            look.wishes = Wish::ALL.into_iter().filter(may).map(|wish| 1 << wish as u8).sum();
            look.timers = local.timers.len() as u32;
            look.round = self.book.live_round(local.processor).unwrap_or(u32::MAX);
            look.first_timer = self.pending.len() as u32;
            self.pending.extend_from_slice(&local.timers);
        }
        self.looks[index] = look;
        look
    }

    fn work_out(&mut self, local: Number, trigger: Trigger) -> u32 {
        let before = self.locals.get(local).as_ref().expect(ALIVE);
        let outcomes = before.outcomes(&mut *self.book, trigger);
        let found = self.effects.len() as u32;
        let last = outcomes.len() - 1;
        for (index, outcome) in outcomes.into_iter().enumerate() {
            let first = self.sends.len() as u32;
            for (port, message) in outcome.after.sends {
                assert!(message < Number::MAX / 2 / self.ports.max(2), "memory ends before numbers do");
                self.sends.push((port, message));
            }
            let effect = Effect {
                local: self.locals.number(Some(outcome.after.local)),
                sends: (first, self.sends.len() as u32),
                reports: self.said.number(outcome.after.reports),
                odds: outcome.odds,
                advance: outcome.after.advance,
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
            Trigger::Timeout(timer) => u32::MAX - 4 - timer,
        }
    }
}

const ALIVE: &str = "nothing happens to the crashed";
