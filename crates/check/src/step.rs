//! Steps of a processor without clocks: all outcomes of an event, over all random choices.

use ringleader_model::{Place, Port, Scenario, Ticks, Workload, WorkloadEvent};

use crate::choices::{ChoiceProbability, all_paths};
use crate::interner::{Interned, Map};
use crate::port_numbering::PartialNumbering;
use crate::program::{Observation, Program, ProgramEffect, StepResult, Trigger, UserRequest};

/// The local state of a place: its processor, whether it may still wake up, its timers and its user.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct LocalState {
    pub(crate) processor: Interned,
    /// It has crashed, and `processor` is what it is after a restart, before it wakes.
    pub(crate) down: bool,
    /// It has not woken up.
    pub(crate) asleep: bool,
    /// The timers that run, in the order in which they would fire.
    pub(crate) timers: Vec<Interned>,
    pub(crate) user: UserState,
    /// The numberings of its ports under which it is as it is.
    pub(crate) numbering: PartialNumbering,
}

/// The state of a user.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct UserState {
    /// The number of entries that it will still request; [`Workload::FOREVER`]: it may always request one more.
    pub(crate) entries: u64,
    /// The number of further elections that it will still request.
    pub(crate) again: u32,
    pub(crate) region: UserRegion,
}

/// The region of a user.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum UserRegion {
    /// It may request to enter.
    Remainder,
    /// It waits: in the trying region or in the exit region.
    Waiting,
    /// It may request to leave.
    Critical,
}

impl UserState {
    /// The user of a place before its first request.
    pub(crate) fn new(scenario: &Scenario, place: Place) -> Self {
        Self {
            entries: scenario.workload.as_ref().map_or(0, |load| load.asks(place)),
            again: scenario.again.iter().filter(|&&(other, _)| other == place).count() as u32,
            region: UserRegion::Remainder,
        }
    }

    /// True if it may make a request now.
    pub(crate) fn may(self, request: UserRequest) -> bool {
        match request {
            UserRequest::Acquire => self.region == UserRegion::Remainder && self.entries > 0,
            UserRequest::Release => self.region == UserRegion::Critical,
            UserRequest::Again => self.again > 0,
        }
    }

    /// It makes a request.
    pub(crate) fn request(&mut self, request: UserRequest) {
        match request {
            UserRequest::Acquire if self.entries == Workload::FOREVER => {}
            UserRequest::Acquire => self.entries -= 1,
            UserRequest::Again => return self.again -= 1,
            UserRequest::Release => {}
        }
        self.region = UserRegion::Waiting;
    }

    /// It enters or leaves the critical region.
    pub(crate) fn notify(&mut self, event: WorkloadEvent) {
        self.region = match event {
            WorkloadEvent::Entered => UserRegion::Critical,
            WorkloadEvent::Left => UserRegion::Remainder,
        };
    }
}

/// An outcome of a step.
#[derive(Clone, Debug)]
pub(crate) struct StepOutcome {
    pub(crate) after: PostState,
    /// The random choices, in order: the first ones of several with the same outcome.
    pub(crate) chosen: Vec<u32>,
    pub(crate) probability: ChoiceProbability,
}

/// The result of a step.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct PostState {
    pub(crate) local: LocalState,
    pub(crate) sends: Vec<(Port, Interned)>,
    pub(crate) reports: Vec<Observation>,
    /// By how much the processor's phase has grown.
    pub(crate) advance: u32,
}

impl LocalState {
    /// All outcomes of an event, in the lexicographic order of the random choices. Equal outcomes are merged.
    pub(crate) fn outcomes(&self, program: &mut dyn Program, trigger: Trigger) -> Vec<StepOutcome> {
        let mut outcomes: Vec<StepOutcome> = Vec::new();
        let mut indices: Map<PostState, usize> = Map::default();
        let mut effects = Vec::new();
        // What a crash leaves has been restarted, but has not woken up.
        let event = if self.down { Trigger::Wake } else { trigger };
        let leaves = all_paths(|choices| {
            let StepResult { processor, advance } = program.step(self.processor, event, choices, &mut effects);
            self.after(trigger, processor, advance, &mut effects, program)
        });
        for leaf in leaves {
            let (probability, chosen) = (leaf.probability(), leaf.random_values().collect());
            let index = *indices.entry(leaf.result.clone()).or_insert(outcomes.len());
            match outcomes.get_mut(index) {
                Some(outcome) => outcome.probability = outcome.probability.plus(probability),
                None => outcomes.push(StepOutcome { after: leaf.result, chosen, probability }),
            }
        }
        outcomes
    }

    /// The processor crashes: its timers are lost, and its user gives up a request that is not answered.
    pub(crate) fn go_down(&mut self) {
        (self.down, self.asleep) = (true, false);
        self.timers.clear();
        self.user.region = UserRegion::Remainder;
    }

    /// Applies the effects of a step.
    fn after(
        &self,
        trigger: Trigger,
        processor: Interned,
        advance: u32,
        effects: &mut Vec<ProgramEffect>,
        program: &mut dyn Program,
    ) -> PostState {
        let mut local = Self { processor, ..self.clone() };
        match trigger {
            Trigger::Wake => local.asleep = false,
            Trigger::Timeout(timer) => local.timers.retain(|&other| other != timer),
            Trigger::Receive { .. } => {}
            Trigger::Call(request) => local.user.request(request),
            Trigger::Restart { .. } => {
                local.go_down();
                local.down = false;
            }
        }
        let mut after = PostState { local, sends: Vec::new(), reports: Vec::new(), advance };
        let PostState { local, sends, reports, .. } = &mut after;
        if let Trigger::Restart { .. } = trigger {
            reports.extend((!self.down).then_some(Observation::Crash));
            reports.push(Observation::Restart(local.user.entries));
            reports.extend(program.judges_invariants().then_some(Observation::Changed(processor)));
        }
        for effect in effects.drain(..) {
            match effect {
                ProgramEffect::Send(port, message) => sends.push((port, message)),
                ProgramEffect::CancelTimer(timer) => local.timers.retain(|&other| other != timer),
                ProgramEffect::SetTimer(timer, ticks) => {
                    local.timers.retain(|&other| other != timer);
                    // A timer that never fires does not, whatever clocks do.
                    if ticks != Ticks::NEVER {
                        let at = local.timers.partition_point(|&other| program.timer_order(other, timer).is_lt());
                        local.timers.insert(at, timer);
                    }
                }
                ProgramEffect::Report(report, event) => {
                    reports.push(Observation::Report(report));
                    if let Some(event) = event {
                        local.user.notify(event);
                    }
                }
                ProgramEffect::Changed(processor) => reports.push(Observation::Changed(processor)),
                ProgramEffect::Noted(fact) => reports.push(Observation::Noted(fact)),
                ProgramEffect::Panicked(panic) => reports.push(Observation::Panicked(panic)),
            }
        }
        after
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::TypedProgram;
    use crate::test_protocols::{DESCRIPTION, ToyMessage, toy_protocol};
    use ringleader_model::{Effects, Election, Event, Processor, Ring};
    use serde::Serialize;

    /// Draws one of two, and if that is 1 one of three; sends what it drew and sets a timer for each.
    #[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
    struct Gambler;

    impl Processor for Gambler {
        type Problem = Election;
        type Message = ToyMessage;
        type Timer = u32;
        type Rules = Self;

        fn step(&mut self, _: &Self, event: Event<Self>, fx: &mut impl Effects<Self>) {
            if event == Event::Receive(Port(0), ToyMessage(0)) {
                // In another order than that in which they fire.
                for timer in [5, 0, 3] {
                    fx.set_timer(timer, Ticks::ONE);
                }
                return;
            }
            let random = fx.choose(2);
            fx.set_timer(random, Ticks::ONE);
            fx.send(Port(0), ToyMessage(random));
            if random == 1 {
                let die = fx.choose(3);
                fx.set_timer(10 + die, Ticks::new(die.into()));
                fx.set_timer(99, Ticks::NEVER);
                fx.send(Port(0), ToyMessage(10 + die));
            }
        }
    }

    toy_protocol!(Gambler: Gambler, Ring, DESCRIPTION, |self| Self);

    /// A gambler with timers 0, 3 and 5.
    fn gambler() -> (TypedProgram<Gambler>, LocalState) {
        let mut program = TypedProgram::new(Gambler);
        let scenario = Scenario { n: 1, ..Scenario::default() };
        let processor = program.initial_state(&scenario).expect("it is small").processors[0];
        let (user, numbering) = (UserState::new(&scenario, 0), PartialNumbering::default());
        let local = LocalState { processor, down: false, asleep: true, timers: Vec::new(), user, numbering };
        let drawn = local.outcomes(&mut program, Trigger::Wake)[0].after.sends[0].1;
        let received = local.outcomes(&mut program, Trigger::Receive { port: 0, message: drawn });
        (program, received[0].after.local.clone())
    }

    fn timers(program: &mut TypedProgram<Gambler>, local: &LocalState) -> Vec<u32> {
        local.timers.iter().map(|&timer| *program.timer(timer)).collect()
    }

    #[test]
    fn every_combination_of_random_choices_is_an_outcome() {
        let (mut program, local) = gambler();
        assert_eq!(timers(&mut program, &local), [0, 3, 5], "in the order in which they fire");
        let outcomes = local.outcomes(&mut program, Trigger::Wake);
        let mut sent = |outcome: &StepOutcome| -> Vec<u32> {
            outcome.after.sends.iter().map(|&(_, message)| program.message(message).0).collect()
        };
        let sent: Vec<_> = outcomes.iter().map(&mut sent).collect();
        assert_eq!(sent, [vec![0], vec![1, 10], vec![1, 11], vec![1, 12]]);
        let chosen: Vec<_> = outcomes.iter().map(|outcome| outcome.chosen.clone()).collect();
        assert_eq!(chosen, [vec![0], vec![1, 0], vec![1, 1], vec![1, 2]]);
        assert_eq!(
            outcomes.iter().map(|outcome| outcome.probability).collect::<Vec<_>>(),
            [2, 6, 6, 6].map(ChoiceProbability::one_of)
        );
        let pending: Vec<_> = outcomes.iter().map(|outcome| timers(&mut program, &outcome.after.local)).collect();
        // In order, each once; a timer that never fires is not set.
        assert_eq!(pending, [vec![0, 3, 5], vec![0, 1, 3, 5, 10], vec![0, 1, 3, 5, 11], vec![0, 1, 3, 5, 12]]);
        assert!(outcomes.iter().all(|outcome| !outcome.after.local.asleep));
    }

    #[test]
    fn a_timer_that_fires_does_not_run_any_more() {
        let (mut program, local) = gambler();
        let outcomes = local.outcomes(&mut program, Trigger::Timeout(local.timers[2]));
        assert_eq!(timers(&mut program, &outcomes[0].after.local), [0, 3]);
    }
}
