//! A run in the making, its protocol erased.

use ringleader_model::{BadSetting, BoundKind, Quantity, Value};
use ringleader_sim::{Choices, Run, Summary};

use crate::setup::Setup;
use crate::watch::Watch;

/// A run of a [`Setup`].
pub struct Execution {
    /// The run itself.
    pub run: Box<dyn Run>,
    /// After how many messages to stop.
    max_messages: u64,
    /// The memory held before the first step, in bytes.
    initial_bytes: usize,
}

/// Why [`Execution::finish`] returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunEnd {
    /// The run came to its end, or to a limit that was asked for.
    Complete,
    /// It was told to stop.
    Stopped,
    /// There is no more memory for it.
    OutOfMemory,
}

/// A bound with its value for an instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EvaluatedBound {
    /// What is bounded.
    pub quantity: Quantity,
    /// In what sense.
    pub kind: BoundKind,
    /// As people write it.
    pub formula: &'static str,
    /// Its value.
    pub value: Value,
    /// Where it stands.
    pub source: &'static str,
    /// What is counted.
    pub counts: &'static str,
}

impl EvaluatedBound {
    /// What a run measured of it, and whether that agrees; one that did not finish says nothing.
    pub fn judge(&self, summary: &Summary) -> (Option<Value>, Option<bool>) {
        let measured = summary.cost.of(self.quantity);
        let holds = measured.filter(|_| summary.finished).and_then(|measured| self.kind.holds(measured, self.value));
        (measured, holds)
    }

    /// A value to the tenth, as it is shown, and the length of the formula: of two that look the same, the simpler one.
    pub(crate) fn sharpness(&self) -> (u128, usize) {
        let (whole, fraction) = self.value.parts();
        (whole * 10 + u128::from((u64::from(fraction) * 10 + (1 << 31)) >> 32), self.formula.len())
    }
}

impl Execution {
    /// A run at its very beginning.
    pub fn new(setup: &Setup, choices: Choices) -> Result<Self, BadSetting> {
        let mut run = setup.entry.simulate(setup, choices)?;
        if let Some(last) = setup.max_time {
            run.stop_after(last);
        }
        let initial_bytes = run.bytes();
        Ok(Self { run, max_messages: setup.max_messages.unwrap_or(u64::MAX), initial_bytes })
    }

    /// Goes on for a while; true when it came to its end, or to the limit of messages.
    pub fn advance(&mut self, budget: u64) -> bool {
        let left = self.max_messages.saturating_sub(self.run.deliveries());
        left == 0 || self.run.advance(budget.min(left)) || self.run.deliveries() >= self.max_messages
    }

    /// Runs to the end, until it is stopped, or as long as there is memory.
    pub fn finish(&mut self, watch: &dyn Watch) -> RunEnd {
        let (mut slice, mut before) = (FIRST_SLICE, watch.seconds());
        let mut weighed = before;
        while !self.advance(slice) {
            if watch.stopped() {
                return RunEnd::Stopped;
            }
            watch.running(self.run.as_ref());
            let now = watch.seconds();
            // Adding up what a run holds takes a while where there are many processors.
            if now - weighed > WEIGHING_SECONDS {
                if !self.has_room(watch) {
                    return RunEnd::OutOfMemory;
                }
                weighed = now;
            }
            // Short slices where steps are slow, so that whoever waits for an answer gets it soon.
            let factor = if now - before < SLICE_SECONDS { 2 } else { 1 };
            (slice, before) = ((slice * factor).min(SLICE), now);
        }
        RunEnd::Complete
    }

    /// Whether there is memory to go on.
    pub fn has_room(&self, watch: &dyn Watch) -> bool {
        watch.has_room(self.run.bytes(), self.initial_bytes)
    }

    /// Runs to the [position](Run::position) at which a run with the same choices was stopped.
    pub(crate) fn advance_to(&mut self, position: u64, watch: &dyn Watch) {
        while self.run.position() < position && !watch.stopped() {
            let next = self.run.position().saturating_add(SLICE).min(position);
            if self.run.advance_to(next) {
                return;
            }
            watch.running(self.run.as_ref());
        }
    }
}

/// All messages, or those that do the work.
pub const MESSAGES: [Quantity; 2] = [Quantity::Messages, Quantity::Work];
/// Steps between looks at who watches, at most and to begin with.
const SLICE: u64 = 1 << 18;
const FIRST_SLICE: u64 = 1 << 12;
/// Between looks at the memory.
const WEIGHING_SECONDS: f64 = 0.1;
/// A slice that takes longer is not made longer.
const SLICE_SECONDS: f64 = 0.05;
