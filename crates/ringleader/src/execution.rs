//! A run in the making, its protocol erased.

use ringleader_model::{BadSetting, BoundKind, Quantity, Time, Timing, Value};
use ringleader_sim::{Choices, Run, Step, Summary};

use crate::entry::lean_run;
use crate::report::quantity_name;
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
    /// The quantity that is bounded.
    pub quantity: Quantity,
    /// In what sense.
    pub kind: BoundKind,
    /// As people write it.
    pub formula: &'static str,
    /// Its value.
    pub value: Value,
    /// The source.
    pub source: &'static str,
    /// What is counted.
    pub counts: &'static str,
    /// Proved for runs that end before this time: then [timing](ringleader_model::TimingExceeded) is no longer what it assumes.
    pub before: Option<Time>,
}

/// A bound on the passes of each identity, for one scenario.
#[derive(Clone, PartialEq, Debug)]
pub struct EvaluatedIdentityBound {
    /// The formula, for people.
    pub formula: &'static str,
    /// Its values, in increasing order of identities.
    pub values: Vec<Value>,
    /// The source.
    pub source: &'static str,
    /// What is counted.
    pub counts: &'static str,
}

/// A bound on the passes of each phase, for one scenario.
#[derive(Clone, PartialEq, Debug)]
pub struct EvaluatedPhaseBound {
    /// The formula, for people.
    pub formula: &'static str,
    /// Its values by phase, from 0; none where it says nothing.
    pub values: Vec<Option<Value>>,
    /// The source.
    pub source: &'static str,
    /// What is counted.
    pub counts: &'static str,
}

impl EvaluatedBound {
    /// The measured value, and whether the bound holds; null for a run that did not finish, or went on for too long.
    pub fn judge(&self, summary: &Summary) -> (Option<Value>, Option<bool>) {
        let measured = self.measured(summary);
        let proved = summary.finished && self.is_proved_of(summary);
        let holds = measured.filter(|_| proved).and_then(|measured| self.kind.holds(measured, self.value));
        (measured, holds)
    }

    /// What is left of it where timing changes. `timeless`: it holds without clocks, too.
    pub(crate) fn under(self, timing: &Timing, timeless: bool) -> Option<Self> {
        match self.kind {
            _ if timing.changes.is_empty() || timeless => Some(self),
            // A mean is one over draws from one range.
            BoundKind::Mean => None,
            _ => Some(Self { before: timing.exceeded().map(|exceeded| exceeded.from), ..self }),
        }
    }

    /// Whether it says something about a run: not if timing was outside of what it assumes before the end, or an intervention had
    /// an effect that links cannot have.
    pub fn is_proved_of(&self, summary: &Summary) -> bool {
        !summary.is_tampered() && self.before.is_none_or(|before| summary.cost.time < before)
    }

    /// The measured value. A claim about a mean is about the window in which all sites compete, any other about every entry.
    pub fn measured(&self, summary: &Summary) -> Option<Value> {
        match self.kind {
            BoundKind::Mean => summary.cost.of(self.quantity),
            _ => summary.cost.over_whole_run(self.quantity),
        }
    }

    /// The measured quantity, as a path into `cost`.
    pub fn path(&self, work: &str) -> String {
        let path = quantity_name(self.quantity, work);
        let windowed = matches!(
            self.quantity,
            Quantity::MessagesPerEntry | Quantity::Negatives | Quantity::GrantingDelay | Quantity::Attempts
        );
        if windowed && self.kind != BoundKind::Mean { format!("whole_run.{path}") } else { path }
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
        Ok(Self::of(setup, setup.entry.simulate(setup, choices)?))
    }

    /// The same without bits, depth and digest, where the protocol is compiled for [lean](ringleader_sim::Lean)
    /// instrumentation.
    pub fn lean(setup: &Setup) -> Result<Self, BadSetting> {
        match lean_run(setup) {
            Some(lean) => Ok(Self::of(setup, lean(setup)?)),
            None => Self::new(setup, setup.choices()),
        }
    }

    fn of(setup: &Setup, mut run: Box<dyn Run>) -> Self {
        if let Some(last) = setup.max_time {
            run.stop_after(last);
        }
        let initial_bytes = run.bytes();
        Self { run, max_messages: setup.max_messages.unwrap_or(u64::MAX), initial_bytes }
    }

    /// Goes on for a while; true when it came to its end, or to the limit of messages.
    pub fn advance(&mut self, budget: u64) -> bool {
        let left = self.max_messages.saturating_sub(self.run.deliveries());
        left == 0 || self.run.advance(budget.min(left)) || self.run.deliveries() >= self.max_messages
    }

    /// Runs to the end, until it is stopped, or as long as there is memory.
    pub fn finish(&mut self, watch: &dyn Watch) -> RunEnd {
        self.finish_at(None, watch, None)
    }

    /// The same, and hands on each logged step: those of a long run do not fit into memory.
    pub fn finish_logged(&mut self, watch: &dyn Watch, take: &mut dyn FnMut(Step)) -> RunEnd {
        self.finish_at(None, watch, Some(take))
    }

    /// The same, to the [position](Run::position) at which a run with the same choices was stopped, if there is one.
    pub(crate) fn finish_at(
        &mut self,
        position: Option<u64>,
        watch: &dyn Watch,
        mut take: Option<&mut dyn FnMut(Step)>,
    ) -> RunEnd {
        // Logged steps take memory until they are handed on.
        let longest = if take.is_some() { FIRST_SLICE } else { SLICE };
        let (mut slice, mut before) = (FIRST_SLICE, watch.seconds());
        let (mut weighed, mut delivered) = (before, self.run.deliveries());
        let mut bytes = self.initial_bytes.max(FEW_BYTES);
        loop {
            let over = match position {
                Some(position) => self.advance_to(position, slice),
                None => self.advance(slice),
            };
            if let Some(take) = &mut take {
                self.run.take_log().into_iter().for_each(take);
            }
            if over {
                return RunEnd::Complete;
            }
            if watch.stopped() {
                return RunEnd::Stopped;
            }
            watch.running(self.run.as_ref());
            let now = watch.seconds();
            // Adding up what a run holds takes a while where there are many processors, and so does asking the system: both
            // are done now and then, and where messages have multiplied, which takes them a short time.
            // A run that is repeated in time order begins again.
            let deliveries = self.run.deliveries().saturating_sub(delivered) as usize;
            let many = deliveries.saturating_mul(DELIVERY_BYTES) > self.initial_bytes;
            if many {
                delivered = self.run.deliveries();
            }
            if now - weighed > WEIGHING_SECONDS || many && self.run.bytes() > bytes + bytes / 4 {
                if !watch.has_room(self.run.bytes(), self.initial_bytes) {
                    return RunEnd::OutOfMemory;
                }
                (weighed, bytes) = (now, self.run.bytes().max(FEW_BYTES));
            }
            // Short slices where steps are slow, so that whoever waits for an answer gets it soon.
            let factor = if now - before < SLICE_SECONDS { 2 } else { 1 };
            (slice, before) = ((slice * factor).min(longest), now);
        }
    }

    /// Goes on for about `budget` messages or passes; true at the position, or when nothing more can happen before it.
    fn advance_to(&mut self, position: u64, budget: u64) -> bool {
        let enough = self.run.deliveries().saturating_add(budget);
        for _ in 0..budget {
            let now = self.run.position();
            if now >= position || self.run.advance_to(now + 1) {
                return true;
            }
            if self.run.deliveries() >= enough {
                break;
            }
        }
        false
    }
}

/// All messages, or those that do the work.
pub const MESSAGES: [Quantity; 2] = [Quantity::Messages, Quantity::Work];
/// Steps between looks at who watches, at most and to begin with.
const SLICE: u64 = 1 << 18;
const FIRST_SLICE: u64 = 1 << 12;
/// Between looks at the memory.
const WEIGHING_SECONDS: f64 = 0.1;
/// About as much as a message in flight takes.
const DELIVERY_BYTES: usize = 64;
/// A run that holds less is not weighed for having grown.
const FEW_BYTES: usize = 1 << 20;
/// A slice that takes longer is not made longer.
const SLICE_SECONDS: f64 = 0.05;
