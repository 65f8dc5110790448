//! What steps do to the engine.

use alloc::vec::Vec;

use ringleader_model::{
    Effects, Fact, Message, Network, Operand, Place, Port, Protocol, Report, StepComparison, Ticks, assert_rule,
};

use crate::engine_state::{EngineState, MessageOf, TimerOf, TimerOrCall};
use crate::instrumentation::{Instrumentation, MessageTag};
use crate::random_stream::RandomStream;
use crate::step::Effect;

/// The effects of a step.
pub(crate) struct EngineEffects<'a, P: Protocol, D: Instrumentation> {
    pub(crate) engine: &'a mut EngineState<P, D>,
    pub(crate) place: Place,
}

impl<P: Protocol, D: Instrumentation> Effects<P::Processor> for EngineEffects<'_, P, D> {
    #[inline]
    fn send(&mut self, port: Port, message: MessageOf<P>) {
        let engine = &mut *self.engine;
        if D::FULL {
            port.assert_below(engine.network.ports(self.place));
        }
        engine.passes[message.kind()] += 1;
        let mut tag = D::Tag::default();
        if D::FULL {
            let depth = engine.histories[self.place as usize].depth + 1;
            engine.cost.depth = engine.cost.depth.max(depth);
            engine.cost.bits += message.bits();
            tag = engine.new_tag(depth);
        }
        engine.log_effect(|| Effect::Send(port, message.clone()));
        if let Some(record) = engine.present_record() {
            record.sent.push(tag.number());
        }
        if engine.reliable {
            engine.transmit(self.place, port, message, tag);
        } else {
            engine.send_unreliably(self.place, port, &message, tag);
        }
    }

    fn set_timer(&mut self, timer: TimerOf<P>, after: Ticks) {
        self.engine.log_effect(|| Effect::SetTimer(timer.clone(), after));
        self.engine.set_timer(self.place, TimerOrCall::Timer(timer), after);
    }

    fn cancel_timer(&mut self, timer: TimerOf<P>) {
        self.engine.log_effect(|| Effect::CancelTimer(timer.clone()));
        self.engine.timers.cancel(self.place, &TimerOrCall::Timer(timer));
    }

    #[inline]
    fn choose(&mut self, bound: u32) -> u32 {
        let chosen = self.engine.choose(RandomStream::Coin, self.place, u64::from(bound)) as u32;
        self.engine.log_effect(|| Effect::Choose(bound, chosen));
        chosen
    }

    fn report(&mut self, report: Report<P::Processor>) {
        self.engine.report(self.place, report);
    }

    fn elapsed(&mut self) -> Option<Ticks> {
        self.engine.elapsed(self.place)
    }

    #[inline]
    fn rule(&mut self, number: u8) {
        if D::FULL {
            assert_rule(number, self.engine.rules);
            if self.engine.losing_rules.contains(number) {
                self.engine.lost[self.place as usize] = true;
            }
        }
        if let Some(record) = self.engine.present_record() {
            record.rules.push(number);
        }
    }

    #[inline]
    fn compare(&mut self, left: impl Into<Operand>, right: impl Into<Operand>) {
        if let Some(record) = self.engine.present_record() {
            let comparison = StepComparison::new(left, right);
            if !record.comparisons.contains(&comparison) {
                record.comparisons.push(comparison);
            }
        }
    }

    #[inline]
    fn note(&mut self, fact: Fact) {
        if D::FULL
            && let Some(lemmas) = &mut self.engine.lemmas
        {
            lemmas.note(self.place, fact);
        }
    }
}

/// The effects of a step that is tried and may be blocked: they are collected, and applied only if the step is taken.
/// Random choices are made once: when the step is retried it gets the same values, so that a recorded run replays.
pub(crate) struct TentativeEffects<'a, P: Protocol, D: Instrumentation> {
    pub(crate) engine: &'a mut EngineState<P, D>,
    pub(crate) place: Place,
    pub(crate) effects: Vec<Effect<P::Processor>>,
    /// The comparisons that decide it.
    pub(crate) comparisons: Vec<StepComparison>,
    /// The rules that it applies.
    pub(crate) rules: Vec<u8>,
    /// The facts that it notes.
    pub(crate) facts: Vec<Fact>,
    /// The random choices of the last attempt, in reverse order.
    pub(crate) before: Vec<(u32, u32)>,
}

impl<P: Protocol, D: Instrumentation> Effects<P::Processor> for TentativeEffects<'_, P, D> {
    fn send(&mut self, port: Port, message: MessageOf<P>) {
        port.assert_below(self.engine.network.ports(self.place));
        self.effects.push(Effect::Send(port, message));
    }

    fn set_timer(&mut self, timer: TimerOf<P>, after: Ticks) {
        self.effects.push(Effect::SetTimer(timer, after));
    }

    fn cancel_timer(&mut self, timer: TimerOf<P>) {
        self.effects.push(Effect::CancelTimer(timer));
    }

    fn choose(&mut self, bound: u32) -> u32 {
        let chosen = match self.before.pop() {
            Some((same, chosen)) if same == bound => chosen,
            _ => {
                self.before.clear();
                self.engine.choose(RandomStream::Coin, self.place, u64::from(bound)) as u32
            }
        };
        self.effects.push(Effect::Choose(bound, chosen));
        chosen
    }

    fn report(&mut self, report: Report<P::Processor>) {
        self.effects.push(Effect::Report(report));
    }

    fn elapsed(&mut self) -> Option<Ticks> {
        self.engine.elapsed(self.place)
    }

    fn rule(&mut self, number: u8) {
        self.rules.push(number);
    }

    fn compare(&mut self, left: impl Into<Operand>, right: impl Into<Operand>) {
        self.comparisons.push(StepComparison::new(left, right));
    }

    fn note(&mut self, fact: Fact) {
        self.facts.push(fact);
    }
}
