//! One step of one processor, with every outcome that chance may give it.

use ringleader_model::{Effects, Event, Moment, Port, Problem, Processor, Report, Request, Ticks};

use crate::interner::Map;

/// What there is to know about a processor: its state, whether it has still to wake, what its timers are, and its user.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Local<P: Processor> {
    pub(crate) processor: P,
    /// It has not woken by itself.
    pub(crate) asleep: bool,
    /// Pending, in order.
    pub(crate) timers: Vec<P::Timer>,
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
    /// It has asked, to get in or to get out, and waits.
    Waiting,
    /// It may ask to get out.
    Inside,
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
    pub(crate) fn request<P: Processor>(self) -> Option<Request<P>> {
        match self {
            Self::Acquire => P::Problem::VISIT.map(|visit| visit.acquire),
            Self::Release => P::Problem::VISIT.and_then(|visit| visit.release),
            Self::Again => P::Problem::AGAIN,
        }
    }
}

impl User {
    /// Nobody asks for anything.
    #[cfg(test)]
    pub(crate) const NONE: Self = Self { visits: 0, again: 0, stands: Stands::Outside };

    /// Whether it may ask for this now.
    pub(crate) fn may(self, wish: Wish) -> bool {
        match wish {
            Wish::Acquire => self.stands == Stands::Outside && self.visits > 0,
            Wish::Release => self.stands == Stands::Inside,
            Wish::Again => self.again > 0,
        }
    }

    /// It asks.
    fn ask(&mut self, wish: Wish) {
        match wish {
            Wish::Acquire => self.visits -= 1,
            Wish::Again => return self.again -= 1,
            Wish::Release => {}
        }
        self.stands = Stands::Waiting;
    }

    /// It is told something.
    fn hear(&mut self, moment: Option<Moment>) {
        match moment {
            None => {}
            Some(Moment::Entered) => self.stands = Stands::Inside,
            Some(Moment::Left) => self.stands = Stands::Outside,
        }
    }
}

/// Something that happens to a processor, and the wish of its user that it is, if it is one.
pub(crate) type Happens<P> = (Event<P>, Option<Wish>);

/// What comes of a step.
#[derive(Clone, Debug)]
pub(crate) struct Outcome<P: Processor> {
    pub(crate) after: After<P>,
    /// What it drew, in order: of several ways to come to the same, the first.
    pub(crate) chosen: Vec<u32>,
    /// It comes to this once in so many times.
    pub(crate) odds: u32,
}

impl<P: Processor> Outcome<P> {
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
pub(crate) struct After<P: Processor> {
    pub(crate) local: Local<P>,
    pub(crate) sends: Vec<(Port, P::Message)>,
    pub(crate) reports: Vec<Report<P>>,
    /// By how much its phase has grown.
    pub(crate) advance: u32,
}

impl<P: Processor> Local<P> {
    /// Every outcome of an event: one for each way the choices may fall, in order. Ways of the same chance that come to the
    /// same are one, where the chances of all of them together are one in so many again.
    pub(crate) fn outcomes(&self, rules: &P::Rules, (event, wish): &Happens<P>) -> Vec<Outcome<P>> {
        let mut outcomes: Vec<Outcome<P>> = Vec::new();
        // By what comes of it and at which odds: which outcome that is.
        let mut alike: Map<(After<P>, u32), usize> = Map::default();
        let mut ways: Vec<u32> = Vec::new();
        // The choices made last time, with their bounds; the last one that can still grow does.
        let mut script: Vec<(u32, u32)> = Vec::new();
        loop {
            let mut local = self.clone();
            match event {
                Event::Wake => local.asleep = false,
                Event::Timeout(timer) => local.timers.retain(|other| other != timer),
                Event::Receive(..) | Event::Call(_) => {}
            }
            if let Some(wish) = wish {
                local.user.ask(*wish);
            }
            let mut sink = Sink { timers: local.timers, sends: Vec::new(), reports: Vec::new(), script, made: 0 };
            local.processor.step(rules, event.clone(), &mut sink);
            let Sink { timers, sends, reports, script: mut played, .. } = sink;
            local.timers = timers;
            let advance = local.processor.phase().saturating_sub(self.processor.phase());
            local.processor.rebase(rules, 0);
            for report in &reports {
                local.user.hear(P::Problem::moment(report));
            }
            let after = After { local, sends, reports, advance };
            let odds = played.iter().fold(1, |odds: u32, &(_, bound)| odds.saturating_mul(bound));
            let index = *alike.entry((after.clone(), odds)).or_insert(outcomes.len());
            if index == outcomes.len() {
                let chosen = played.iter().map(|&(choice, _)| choice).collect();
                outcomes.push(Outcome { after, chosen, odds });
                ways.push(0);
            }
            ways[index] += 1;
            while let Some((choice, bound)) = played.pop() {
                if choice + 1 < bound {
                    played.push((choice + 1, bound));
                    break;
                }
            }
            if played.is_empty() {
                return outcomes.into_iter().zip(ways).flat_map(|(outcome, ways)| outcome.together(ways)).collect();
            }
            script = played;
        }
    }
}

/// Takes down what a step does; its choices come from a script and are 0 beyond it.
struct Sink<P: Processor> {
    timers: Vec<P::Timer>,
    sends: Vec<(Port, P::Message)>,
    reports: Vec<Report<P>>,
    script: Vec<(u32, u32)>,
    made: usize,
}

impl<P: Processor> Effects<P> for Sink<P> {
    fn send(&mut self, port: Port, message: P::Message) {
        self.sends.push((port, message));
    }

    fn set_timer(&mut self, timer: P::Timer, after: Ticks) {
        self.cancel_timer(timer.clone());
        // What never runs off does not, whatever clocks do.
        if after != Ticks::NEVER {
            let at = self.timers.partition_point(|other| *other < timer);
            self.timers.insert(at, timer);
        }
    }

    fn cancel_timer(&mut self, timer: P::Timer) {
        self.timers.retain(|other| *other != timer);
    }

    fn choose(&mut self, bound: u32) -> u32 {
        if self.made == self.script.len() {
            self.script.push((0, bound.max(1)));
        }
        let (choice, _) = self.script[self.made];
        self.made += 1;
        choice
    }

    fn report(&mut self, report: Report<P>) {
        self.reports.push(report);
    }

    fn elapsed(&mut self) -> Option<Ticks> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader_model::{Election, Kind, Message};

    /// Draws one of two, and if that is 1 one of three; sends what it drew and sets a timer for each.
    #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    struct Gambler;

    #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    struct Drawn(u32);

    impl Message for Drawn {
        const KINDS: &'static [Kind] = &[Kind::work("drawn")];
        fn kind(&self) -> usize {
            0
        }
        fn bits(&self) -> u64 {
            0
        }
    }

    impl Processor for Gambler {
        type Problem = Election;
        type Message = Drawn;
        type Timer = u32;
        type Rules = ();

        fn step(&mut self, (): &(), _: Event<Self>, fx: &mut impl Effects<Self>) {
            let coin = fx.choose(2);
            fx.set_timer(coin, Ticks::ONE);
            fx.send(Port(0), Drawn(coin));
            if coin == 1 {
                let die = fx.choose(3);
                fx.set_timer(10 + die, Ticks::new(die.into()));
                fx.set_timer(99, Ticks::NEVER);
                fx.send(Port(0), Drawn(10 + die));
            }
        }
    }

    #[test]
    fn every_way_that_choices_may_fall_is_an_outcome() {
        let local = Local { processor: Gambler, asleep: true, timers: vec![0, 5], user: User::NONE };
        let outcomes = local.outcomes(&(), &(Event::Wake, None));
        let sent: Vec<Vec<u32>> =
            outcomes.iter().map(|outcome| outcome.after.sends.iter().map(|(_, Drawn(word))| *word).collect()).collect();
        assert_eq!(sent, [vec![0], vec![1, 10], vec![1, 11], vec![1, 12]]);
        let timers: Vec<_> = outcomes.iter().map(|outcome| outcome.after.local.timers.clone()).collect();
        // In order, each once, and never is not pending.
        assert_eq!(timers, [vec![0, 5], vec![0, 1, 5, 10], vec![0, 1, 5, 11], vec![0, 1, 5, 12]]);
        assert!(outcomes.iter().all(|outcome| !outcome.after.local.asleep));
    }

    #[test]
    fn a_timer_that_runs_off_is_no_longer_pending() {
        let local = Local { processor: Gambler, asleep: false, timers: vec![3, 5], user: User::NONE };
        let outcomes = local.outcomes(&(), &(Event::Timeout(5), None));
        assert_eq!(outcomes[0].after.local.timers, [0, 3]);
    }
}
