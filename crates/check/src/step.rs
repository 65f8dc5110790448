//! One step of one processor, with every outcome that chance may give it.

use ringleader_model::{Effects, Event, Port, Processor, Report, Ticks};

/// What there is to know about a processor: its state, whether it has still to wake, and what its timers are.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Local<P: Processor> {
    pub(crate) processor: P,
    /// It has not woken by itself.
    pub(crate) asleep: bool,
    /// Pending, in order.
    pub(crate) timers: Vec<P::Timer>,
}

/// What comes of a step.
pub(crate) struct Outcome<P: Processor> {
    pub(crate) local: Local<P>,
    pub(crate) sends: Vec<(Port, P::Message)>,
    pub(crate) reports: Vec<Report<P>>,
    /// What it drew, and from how many.
    pub(crate) choices: Vec<(u32, u32)>,
}

impl<P: Processor> Local<P> {
    /// Every outcome of an event: one for each way the choices may fall, in order.
    pub(crate) fn outcomes(&self, rules: &P::Rules, event: &Event<P>) -> Vec<Outcome<P>> {
        let mut outcomes = Vec::new();
        // The choices made last time, with their bounds; the last one that can still grow does.
        let mut script: Vec<(u32, u32)> = Vec::new();
        loop {
            let mut next = self.clone();
            match event {
                Event::Wake => next.asleep = false,
                Event::Timeout(timer) => next.timers.retain(|other| other != timer),
                Event::Receive(..) | Event::Call(_) => {}
            }
            let mut sink = Sink { timers: next.timers, sends: Vec::new(), reports: Vec::new(), script, made: 0 };
            next.processor.step(rules, event.clone(), &mut sink);
            let Sink { timers, sends, reports, script: mut played, .. } = sink;
            next.timers = timers;
            outcomes.push(Outcome { local: next, sends, reports, choices: played.clone() });
            while let Some((choice, bound)) = played.pop() {
                if choice + 1 < bound {
                    played.push((choice + 1, bound));
                    break;
                }
            }
            if played.is_empty() {
                return outcomes;
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
        let local = Local { processor: Gambler, asleep: true, timers: vec![0, 5] };
        let outcomes = local.outcomes(&(), &Event::Wake);
        let sent: Vec<Vec<u32>> =
            outcomes.iter().map(|outcome| outcome.sends.iter().map(|(_, Drawn(word))| *word).collect()).collect();
        assert_eq!(sent, [vec![0], vec![1, 10], vec![1, 11], vec![1, 12]]);
        let timers: Vec<_> = outcomes.iter().map(|outcome| outcome.local.timers.clone()).collect();
        // In order, each once, and never is not pending.
        assert_eq!(timers, [vec![0, 5], vec![0, 1, 5, 10], vec![0, 1, 5, 11], vec![0, 1, 5, 12]]);
        assert!(outcomes.iter().all(|outcome| !outcome.local.asleep));
    }

    #[test]
    fn a_timer_that_runs_off_is_no_longer_pending() {
        let local = Local { processor: Gambler, asleep: false, timers: vec![3, 5] };
        let outcomes = local.outcomes(&(), &Event::Timeout(5));
        assert_eq!(outcomes[0].local.timers, [0, 3]);
    }
}
