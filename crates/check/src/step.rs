//! One step of one processor without clocks, with every outcome that chance may give it.

use ringleader_model::{Moment, Place, Port, Scenario, Ticks};

use crate::book::{Book, Did, Said, Stepped, Trigger, Wish};
use crate::dice::every;
use crate::interner::{Map, Number};

/// What there is to know about a processor: its state, whether it has still to wake, what its timers are, and its user.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Local {
    pub(crate) processor: Number,
    /// It has not woken by itself.
    pub(crate) asleep: bool,
    /// Pending, in order.
    pub(crate) timers: Vec<Number>,
    pub(crate) user: User,
}

/// What the user of a processor will ask for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct User {
    /// How often it will still ask to get in.
    pub(crate) visits: u64,
    /// How often it will still ask for a further election.
    pub(crate) again: u32,
    pub(crate) stands: Stands,
}

/// Where a user stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Stands {
    /// It may ask.
    Outside,
    /// It has asked and waits.
    Waiting,
    /// It may ask to get out.
    Inside,
}

impl User {
    /// The user of a place, who has not asked yet.
    pub(crate) fn new(scenario: &Scenario, place: Place) -> Self {
        Self {
            visits: scenario.workload.as_ref().map_or(0, |load| load.asks(place)),
            again: scenario.again.iter().filter(|&&(other, _)| other == place).count() as u32,
            stands: Stands::Outside,
        }
    }

    /// Whether it may ask for this now.
    pub(crate) fn may(self, wish: Wish) -> bool {
        match wish {
            Wish::Acquire => self.stands == Stands::Outside && self.visits > 0,
            Wish::Release => self.stands == Stands::Inside,
            Wish::Again => self.again > 0,
        }
    }

    /// It asks.
    pub(crate) fn ask(&mut self, wish: Wish) {
        match wish {
            Wish::Acquire => self.visits -= 1,
            Wish::Again => return self.again -= 1,
            Wish::Release => {}
        }
        self.stands = Stands::Waiting;
    }

    /// It is told something.
    pub(crate) fn hear(&mut self, moment: Moment) {
        self.stands = match moment {
            Moment::Entered => Stands::Inside,
            Moment::Left => Stands::Outside,
        };
    }
}

/// What comes of a step.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) after: After,
    /// What it drew, in order: of several ways to come to the same, the first.
    pub(crate) chosen: Vec<u32>,
    /// It comes to this once in so many times.
    pub(crate) odds: u32,
}

impl Outcome {
    /// So many ways of these odds that come to the same: one way, where its odds are one in so many.
    fn together(self, ways: u32) -> Vec<Self> {
        if self.odds.is_multiple_of(ways) {
            return vec![Self { odds: self.odds / ways, ..self }];
        }
        (0..ways).map(|_| self.clone()).collect()
    }
}

/// How things are after a step.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct After {
    pub(crate) local: Local,
    pub(crate) sends: Vec<(Port, Number)>,
    pub(crate) reports: Vec<Said>,
    /// By how much its phase has grown.
    pub(crate) advance: u32,
}

impl Local {
    /// Every outcome of an event: one for each way the choices may fall, in order. Ways of the same chance that come to the
    /// same are one, where the chances of all of them together are one in so many again.
    pub(crate) fn outcomes(&self, book: &mut dyn Book, trigger: Trigger) -> Vec<Outcome> {
        let mut outcomes: Vec<Outcome> = Vec::new();
        // By what comes of it and at which odds: which outcome that is.
        let mut alike: Map<(After, u32), usize> = Map::default();
        let mut ways: Vec<u32> = Vec::new();
        let mut did = Vec::new();
        let leaves = every(|dice| {
            let Stepped { processor, advance } = book.step(self.processor, trigger, dice, &mut did);
            self.after(trigger, processor, advance, &mut did, book)
        });
        for leaf in leaves {
            let (odds, chosen) = (leaf.odds(), leaf.coins().collect());
            let index = *alike.entry((leaf.end.clone(), odds)).or_insert(outcomes.len());
            if index == outcomes.len() {
                outcomes.push(Outcome { after: leaf.end, chosen, odds });
                ways.push(0);
            }
            ways[index] += 1;
        }
        outcomes.into_iter().zip(ways).flat_map(|(outcome, ways)| outcome.together(ways)).collect()
    }

    /// How things are after a step that did all this.
    fn after(
        &self,
        trigger: Trigger,
        processor: Number,
        advance: u32,
        did: &mut Vec<Did>,
        book: &mut dyn Book,
    ) -> After {
        let mut local = Self { processor, ..self.clone() };
        match trigger {
            Trigger::Wake => local.asleep = false,
            Trigger::Timeout(timer) => local.timers.retain(|&other| other != timer),
            Trigger::Receive { .. } => {}
            Trigger::Call(wish) => local.user.ask(wish),
        }
        let mut after = After { local, sends: Vec::new(), reports: Vec::new(), advance };
        let After { local, sends, reports, .. } = &mut after;
        for did in did.drain(..) {
            match did {
                Did::Send(port, message) => sends.push((port, message)),
                Did::Cancel(timer) => local.timers.retain(|&other| other != timer),
                Did::Set(timer, ticks) => {
                    local.timers.retain(|&other| other != timer);
                    // What never runs off does not, whatever clocks do.
                    if ticks != Ticks::NEVER {
                        let at = local.timers.partition_point(|&other| book.order(other, timer).is_lt());
                        local.timers.insert(at, timer);
                    }
                }
                Did::Report(report, moment) => {
                    reports.push(Said::Report(report));
                    if let Some(moment) = moment {
                        local.user.hear(moment);
                    }
                }
            }
        }
        after
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Pages;
    use crate::toys::{DESCRIPTION, Word};
    use ringleader_model::{
        BadSetting, Bound, Description, Effects, Election, Event, Instance, Processor, Protocol, Ring, Seat, Settings,
    };
    use serde::Serialize;

    /// Draws one of two, and if that is 1 one of three; sends what it drew and sets a timer for each.
    #[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
    struct Gambler;

    impl Processor for Gambler {
        type Problem = Election;
        type Message = Word;
        type Timer = u32;
        type Rules = Self;

        fn step(&mut self, _: &Self, event: Event<Self>, fx: &mut impl Effects<Self>) {
            if event == Event::Receive(Port(0), Word(0)) {
                // In another order than that in which they run off.
                for timer in [5, 0, 3] {
                    fx.set_timer(timer, Ticks::ONE);
                }
                return;
            }
            let coin = fx.choose(2);
            fx.set_timer(coin, Ticks::ONE);
            fx.send(Port(0), Word(coin));
            if coin == 1 {
                let die = fx.choose(3);
                fx.set_timer(10 + die, Ticks::new(die.into()));
                fx.set_timer(99, Ticks::NEVER);
                fx.send(Port(0), Word(10 + die));
            }
        }
    }

    impl Inspect for Gambler {}

    impl Protocol for Gambler {
        type Processor = Self;
        type Network = Ring;
        const DESCRIPTION: Description = DESCRIPTION;
        const BOUNDS: &'static [Bound<Self>] = &[];

        fn configure(_: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
            Ok(Self)
        }

        fn processor(&self, _: Seat) -> Self {
            Self
        }
    }

    /// A gambler with timers 0, 3 and 5, and who knows what its numbers mean.
    fn gambler() -> (Pages<Gambler>, Local) {
        let mut pages = Pages::new(Gambler);
        let scenario = Scenario { n: 1, ..Scenario::default() };
        let processor = pages.open(&scenario).expect("it is small").processors[0];
        let local = Local { processor, asleep: true, timers: Vec::new(), user: User::new(&scenario, 0) };
        let drawn = local.outcomes(&mut pages, Trigger::Wake)[0].after.sends[0].1;
        let received = local.outcomes(&mut pages, Trigger::Receive { port: 0, message: drawn });
        (pages, received[0].after.local.clone())
    }

    fn timers(pages: &mut Pages<Gambler>, local: &Local) -> Vec<u32> {
        local.timers.iter().map(|&timer| pages.timer(timer)).collect()
    }

    #[test]
    fn every_way_that_choices_may_fall_is_an_outcome() {
        let (mut pages, local) = gambler();
        assert_eq!(timers(&mut pages, &local), [0, 3, 5], "in the order in which they run off");
        let outcomes = local.outcomes(&mut pages, Trigger::Wake);
        let mut sent = |outcome: &Outcome| -> Vec<u32> {
            outcome.after.sends.iter().map(|&(_, message)| pages.message(message).0).collect()
        };
        let sent: Vec<_> = outcomes.iter().map(&mut sent).collect();
        assert_eq!(sent, [vec![0], vec![1, 10], vec![1, 11], vec![1, 12]]);
        let chosen: Vec<_> = outcomes.iter().map(|outcome| outcome.chosen.clone()).collect();
        assert_eq!(chosen, [vec![0], vec![1, 0], vec![1, 1], vec![1, 2]]);
        assert_eq!(outcomes.iter().map(|outcome| outcome.odds).collect::<Vec<_>>(), [2, 6, 6, 6]);
        let pending: Vec<_> = outcomes.iter().map(|outcome| timers(&mut pages, &outcome.after.local)).collect();
        // In order, each once, and never is not pending.
        assert_eq!(pending, [vec![0, 3, 5], vec![0, 1, 3, 5, 10], vec![0, 1, 3, 5, 11], vec![0, 1, 3, 5, 12]]);
        assert!(outcomes.iter().all(|outcome| !outcome.after.local.asleep));
    }

    #[test]
    fn a_timer_that_runs_off_is_no_longer_pending() {
        let (mut pages, local) = gambler();
        let outcomes = local.outcomes(&mut pages, Trigger::Timeout(local.timers[2]));
        assert_eq!(timers(&mut pages, &outcomes[0].after.local), [0, 3]);
    }
}
