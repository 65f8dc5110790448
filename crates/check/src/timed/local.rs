//! One processor from one instant to the next.

use ringleader_model::{Moment, Port, Reading};

use crate::book::{Book, Did, Said, Stepped, Trigger, Wish};
use crate::dice::Dice;
use crate::interner::Number;
use crate::step::{Stands, User};

/// What a configuration knows of a processor, at the end of an instant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Local {
    pub(crate) processor: Number,
    /// It may still wake by itself.
    pub(crate) asleep: bool,
    /// The shortest and the longest of its steps.
    pub(crate) step: (u64, u64),
    pub(crate) clock: Clock,
    /// Pending, in order, with the own ticks that are left.
    pub(crate) timers: Vec<(Number, u64)>,
    /// What has arrived, in order, and is still to be read.
    pub(crate) unread: Vec<(Port, Number)>,
    pub(crate) user: User,
}

/// A processor's clock, which its waking or the first message starts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Clock {
    Stopped,
    /// So many units after the start without a tick.
    First(u64),
    /// So many units after the last tick.
    Since(u64),
    /// It has crashed.
    Gone,
}

/// What is the same for all processors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    pub(crate) reading: Reading,
    /// A message and a tick of one instant may come in either order.
    pub(crate) either: bool,
    /// Links keep the order.
    pub(crate) in_order: bool,
    /// There are users who get in, and who leave when they like.
    pub(crate) visits: bool,
    pub(crate) releases: bool,
    /// Everybody wakes at the first instant.
    pub(crate) together: bool,
    /// Who has nothing to do at a tick takes it as soon as it can: see [`Plan::new`].
    pub(crate) eager: bool,
}

/// What happens to users in an instant, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Visit {
    Asked,
    Released,
    Entered,
    Left,
}

/// What the world decides about a processor before an instant begins.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Plan {
    pub(crate) wakes: bool,
    /// Requests for a further election.
    pub(crate) calls: u32,
    pub(crate) ticks: bool,
    /// By arrival: whether it comes before the tick.
    pub(crate) before: Vec<bool>,
    releases: bool,
    asks: bool,
}

impl Plan {
    /// Whether a processor wakes by itself, and what it is asked.
    pub(crate) fn woken(local: &Local, manner: Manner, dice: &mut Dice) -> Self {
        let wakes = local.asleep && (manner.together || dice.decides());
        Self { wakes, calls: dice.decide(local.user.again + 1), ..Self::default() }
    }

    /// One way that the world can decide. `ports`: of what arrives, in order.
    ///
    /// *Eager ticks.* Where steps may take one unit and have nothing to read, no timer to count and nothing arrives, a
    /// processor ticks whenever it can. Nothing is lost: take any schedule, and add ticks wherever such a processor has none.
    /// They do nothing, since a tick reads, counts timers down and lets users act, who need not. No step gets longer by it, and
    /// none shorter than one unit, so all other ticks can stay where they are: the schedule is one of those that are
    /// left, with the same events and reports at the same instants.
    pub(crate) fn new(local: &Local, ports: &[Port], manner: Manner, dice: &mut Dice) -> Self {
        let mut plan = Self::woken(local, manner, dice);
        let touched = plan.wakes || plan.calls > 0 || !ports.is_empty();
        let idle = manner.eager && local.step.0 == 1 && local.timers.is_empty() && local.unread.is_empty() && !touched;
        plan.ticks = local.ticks(touched, idle, dice);
        plan.order(ports, manner, dice);
        plan.visit(local, manner, dice);
        plan
    }

    /// Which arrivals come before the tick, if there is one.
    fn order(&mut self, ports: &[Port], manner: Manner, dice: &mut Dice) {
        let ruled = !self.ticks || manner.reading == Reading::PerStep;
        for (index, port) in ports.iter().enumerate() {
            // What follows a message on a link that keeps the order does not come before it.
            let overtakes = manner.in_order && index > 0 && ports[index - 1] == *port && !self.before[index - 1];
            self.before.push(match self.ticks && manner.either {
                false => ruled,
                true => !overtakes && !dice.decides(),
            });
        }
    }

    /// What the user does at the tick, if there is one and it can.
    pub(crate) fn visit(&mut self, local: &Local, manner: Manner, dice: &mut Dice) {
        if !self.ticks || !manner.visits {
            return;
        }
        let inside = local.user.stands == Stands::Inside;
        self.releases = inside && manner.releases && dice.decides();
        let may_ask = match local.user.stands {
            Stands::Outside => true,
            Stands::Waiting => !manner.releases,
            Stands::Inside => self.releases,
        };
        self.asks = may_ask && local.user.visits > 0 && dice.decides();
    }
}

impl Local {
    /// Whoever has crashed.
    pub(crate) const GONE: Self = Self {
        processor: 0,
        asleep: false,
        step: (1, 1),
        clock: Clock::Gone,
        timers: Vec::new(),
        unread: Vec::new(),
        user: User { visits: 0, again: 0, stands: Stands::Outside },
    };

    /// Whether nothing happens to it by itself but its ticks.
    pub(crate) fn is_idle(&self) -> bool {
        self.timers.is_empty() && self.unread.is_empty() && self.user.stands != Stands::Inside
    }

    /// Whether a tick falls on the next instant. `touched`: something happens that starts a clock; `idle`: it ticks if it can.
    pub(crate) fn ticks(&self, touched: bool, idle: bool, dice: &mut Dice) -> bool {
        let (shortest, longest) = self.step;
        let (may, must) = match self.clock {
            Clock::Gone => return false,
            Clock::Stopped if !touched => return false,
            // The first tick falls less than a step after the start.
            Clock::Stopped => (true, longest == 1),
            Clock::First(units) => (true, units + 2 >= longest),
            Clock::Since(units) => (units + 1 >= shortest, units + 1 >= longest),
        };
        must || may && (idle || dice.decides())
    }
}

/// The phases of an instant in the order in which reports are told.
pub(crate) mod phase {
    pub(crate) const CRASH: u32 = 0;
    pub(crate) const WAKE: u32 = 1;
    pub(crate) const CALL: u32 = 2;
    pub(crate) const BEFORE: u32 = 3;
    pub(crate) const TICK: u32 = 4;
    pub(crate) const AFTER: u32 = 5;
    /// Timers of 0 ticks; those that these set come after, and so on.
    pub(crate) const ZERO: u32 = 6;
}

/// A processor in the middle of an instant.
#[derive(Clone)]
pub(crate) struct Body {
    pub(crate) local: Local,
    /// Timers of 0 ticks.
    pub(crate) zero: Vec<Number>,
    /// A tick of this instant is still to come that timers do not count.
    pub(crate) tick_ahead: bool,
    pub(crate) sends: Vec<(Port, Number)>,
    /// Each with its phase.
    pub(crate) reports: Vec<(u32, Said)>,
    pub(crate) visits: Vec<Visit>,
    pub(crate) phase: u32,
    /// By how much the phase that the processor has reached has grown.
    pub(crate) advance: u32,
    /// Its user asks at the end of the pass.
    asks: bool,
}

impl Body {
    pub(crate) fn new(local: Local) -> Self {
        let (zero, sends, reports, visits) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { local, zero, tick_ahead: false, sends, reports, visits, phase: 0, advance: 0, asks: false }
    }

    /// A whole instant of a processor that nothing reaches but `arrivals`.
    pub(crate) fn live(
        &mut self,
        book: &mut dyn Book,
        manner: Manner,
        plan: &Plan,
        arrivals: &[(Port, Number)],
        dice: &mut Dice,
    ) {
        self.tick_ahead = plan.ticks;
        self.wake(book, plan, dice);
        self.call(book, plan, dice);
        let arrive = |body: &mut Self, before: bool, book: &mut dyn Book, dice: &mut Dice| {
            body.phase = if before { phase::BEFORE } else { phase::AFTER };
            for (&(port, message), _) in arrivals.iter().zip(&plan.before).filter(|(_, own)| **own == before) {
                body.arrive(book, manner.reading, port, message, dice);
            }
        };
        // What is set before a tick counts it, where that is a choice; where it is not, what the instant brings is set at its tick.
        self.tick_ahead &= !manner.either;
        arrive(self, true, book, dice);
        self.pass_time(book, manner.reading, plan, plan.wakes || plan.calls > 0 || !arrivals.is_empty(), dice);
        arrive(self, false, book, dice);
        self.phase = phase::ZERO;
        while !self.is_done() {
            self.end_pass(book, dice);
            self.phase += 1;
        }
    }

    /// Wakes, if that is planned.
    pub(crate) fn wake(&mut self, book: &mut dyn Book, plan: &Plan, dice: &mut Dice) {
        self.phase = phase::WAKE;
        if plan.wakes {
            self.local.asleep = false;
            self.step(book, Trigger::Wake, dice);
        }
    }

    /// Is asked for further elections, if that is planned.
    pub(crate) fn call(&mut self, book: &mut dyn Book, plan: &Plan, dice: &mut Dice) {
        self.phase = phase::CALL;
        for _ in 0..plan.calls {
            self.local.user.ask(Wish::Again);
            self.step(book, Trigger::Call(Wish::Again), dice);
        }
    }

    /// A message comes in: it is handled, or waits to be read.
    pub(crate) fn arrive(
        &mut self,
        book: &mut dyn Book,
        reading: Reading,
        port: Port,
        message: Number,
        dice: &mut Dice,
    ) {
        let local = &self.local;
        let mut urgent = || local.unread.is_empty() && book.is_urgent(local.processor, message);
        if reading == Reading::Immediate || urgent() {
            self.step(book, Trigger::Receive { port: port.0, message }, dice);
        } else {
            self.local.unread.push((port, message));
        }
    }

    /// The clock goes on by a unit, and ticks if it is planned. `touched`: if it stands it starts.
    pub(crate) fn pass_time(
        &mut self,
        book: &mut dyn Book,
        reading: Reading,
        plan: &Plan,
        touched: bool,
        dice: &mut Dice,
    ) {
        if plan.ticks {
            return self.tick(book, reading, plan, dice);
        }
        self.local.clock = match self.local.clock {
            Clock::Stopped if touched => Clock::First(0),
            still @ (Clock::Stopped | Clock::Gone) => still,
            Clock::First(units) => Clock::First(units + 1),
            Clock::Since(units) => Clock::Since(units + 1),
        };
    }

    /// Reads, then the timers that are due, then the user. What was read or has run off may replace what is due.
    pub(crate) fn tick(&mut self, book: &mut dyn Book, reading: Reading, plan: &Plan, dice: &mut Dice) {
        self.phase = phase::TICK;
        self.tick_ahead = false;
        let starts = self.local.clock == Clock::Stopped;
        self.local.clock = Clock::Since(0);
        for (_, left) in &mut self.local.timers {
            *left -= 1;
        }
        let due: Vec<Number> =
            self.local.timers.iter().filter(|&&(_, left)| left == 0).map(|&(timer, _)| timer).collect();
        let read = match reading {
            Reading::Immediate => 0,
            Reading::PerTick => self.local.unread.len().min(1),
            Reading::PerStep => self.local.unread.len(),
        };
        let read: Vec<_> = self.local.unread.drain(..read).collect();
        for (port, message) in read {
            self.step(book, Trigger::Receive { port: port.0, message }, dice);
        }
        for timer in due {
            if self.local.timers.contains(&(timer, 0)) {
                self.local.timers.retain(|&(own, _)| own != timer);
                self.step(book, Trigger::Timeout(timer), dice);
            }
        }
        if plan.releases && self.local.user.stands == Stands::Inside {
            self.visits.push(Visit::Released);
            self.step(book, Trigger::Call(Wish::Release), dice);
        }
        if plan.asks && self.local.user.stands == Stands::Outside {
            // In the step in which a site has left, or in its very first, the request is the last thing.
            self.asks = starts || self.visits.contains(&Visit::Left);
            if !self.asks {
                self.ask(book, dice);
            }
        }
    }

    fn ask(&mut self, book: &mut dyn Book, dice: &mut Dice) {
        self.visits.push(Visit::Asked);
        self.local.user.ask(Wish::Acquire);
        self.step(book, Trigger::Call(Wish::Acquire), dice);
    }

    /// The timers of 0 ticks run off, in order; those set meanwhile are for the next time. Then the user asks, if it is time.
    pub(crate) fn end_pass(&mut self, book: &mut dyn Book, dice: &mut Dice) {
        let mut due = self.zero.clone();
        due.sort_unstable_by(|&timer, &other| book.order(timer, other));
        for timer in due {
            if let Some(index) = self.zero.iter().position(|own| *own == timer) {
                self.zero.swap_remove(index);
                self.step(book, Trigger::Timeout(timer), dice);
            }
        }
        if core::mem::take(&mut self.asks) {
            self.ask(book, dice);
        }
    }

    /// Whether nothing is left for the end of a pass.
    pub(crate) fn is_done(&self) -> bool {
        self.zero.is_empty() && !self.asks
    }

    /// Whether the user did what it need not do.
    pub(crate) fn asked(&self) -> bool {
        self.visits.contains(&Visit::Asked)
    }

    pub(crate) fn released(&self) -> bool {
        self.visits.contains(&Visit::Released)
    }

    fn step(&mut self, book: &mut dyn Book, trigger: Trigger, dice: &mut Dice) {
        let mut did = Vec::new();
        let Stepped { processor, advance } = book.step(self.local.processor, trigger, dice, &mut did);
        self.local.processor = processor;
        self.advance += advance;
        for did in did {
            match did {
                Did::Send(port, message) => self.sends.push((port, message)),
                Did::Cancel(timer) => self.cancel(timer),
                Did::Set(timer, after) => {
                    self.cancel(timer);
                    match after.get() {
                        None => {}
                        Some(0) => self.zero.push(timer),
                        Some(ticks) => {
                            let timers = &mut self.local.timers;
                            let at = timers.partition_point(|&(own, _)| book.order(own, timer).is_lt());
                            timers.insert(at, (timer, ticks + u64::from(self.tick_ahead)));
                        }
                    }
                }
                Did::Report(report, moment) => {
                    self.reports.push((self.phase, Said::Report(report)));
                    if let Some(moment) = moment {
                        self.local.user.hear(moment);
                        self.visits.push(match moment {
                            Moment::Entered => Visit::Entered,
                            Moment::Left => Visit::Left,
                        });
                    }
                }
            }
        }
    }

    fn cancel(&mut self, timer: Number) {
        self.local.timers.retain(|&(own, _)| own != timer);
        self.zero.retain(|&own| own != timer);
    }
}
