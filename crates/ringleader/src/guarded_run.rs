//! A run that ends where a step panics.

#[cfg(feature = "inspect")]
mod inspected;

use ringleader_check::{NO_PANIC, catch_panic};
use ringleader_model::{Place, Time, Violation};
use ringleader_sim::{BadChoice, Run, Step, Summary, TERMINATION, Verdict};

/// A run in which a step that panics violates [`NO_PANIC`] and is the last one.
pub(crate) struct GuardedRun<R: ?Sized = dyn Run> {
    run: Box<R>,
    panic: Option<Violation>,
}

impl GuardedRun {
    /// The same for a run that takes steps first.
    pub(crate) fn after<R: Run + 'static, E>(
        mut run: R,
        steps: impl FnOnce(&mut R) -> Result<(), E>,
    ) -> Result<Self, E> {
        let taken = catch_panic(|| steps(&mut run));
        let mut guarded = Self::new(Box::new(run) as Box<dyn Run>);
        match taken {
            Ok(done) => done?,
            Err(panic) => guarded.note(&panic),
        }
        Ok(guarded)
    }
}

impl<R: Run + ?Sized> GuardedRun<R> {
    pub(crate) fn new(run: Box<R>) -> Self {
        Self { run, panic: None }
    }

    fn note(&mut self, panic: &str) {
        let detail = format!("place {} at {}: {panic}", self.run.last_place(), self.run.now());
        self.panic = Some(Violation { property: NO_PANIC, detail });
    }

    /// Takes steps; true if nothing more can happen.
    fn attempt(&mut self, steps: impl FnOnce(&mut R) -> bool) -> bool {
        if self.panic.is_some() {
            return true;
        }
        match catch_panic(|| steps(self.run.as_mut())) {
            Ok(over) => over,
            Err(panic) => {
                self.note(&panic);
                true
            }
        }
    }
}

impl<R: Run + ?Sized> Run for GuardedRun<R> {
    fn advance(&mut self, budget: u64) -> bool {
        self.attempt(|run| run.advance(budget))
    }

    fn advance_to(&mut self, position: u64) -> bool {
        self.attempt(|run| run.advance_to(position))
    }

    fn summary(&self) -> Summary {
        let mut summary = self.run.summary();
        if let Some(panic) = &self.panic {
            // It would have gone on.
            summary.violations.retain(|violation| violation.property != TERMINATION);
            summary.violations.push(panic.clone());
            (summary.verdict, summary.reason) = (Verdict::Violated, None);
        }
        summary
    }

    fn record(&mut self) {
        self.run.record();
    }

    fn log(&mut self) {
        self.run.log();
    }

    fn stop_after(&mut self, last: Time) {
        self.run.stop_after(last);
    }

    fn now(&self) -> Time {
        self.run.now()
    }

    fn steps(&self) -> u64 {
        self.run.steps()
    }

    fn last_place(&self) -> Place {
        self.run.last_place()
    }

    fn position(&self) -> u64 {
        self.run.position()
    }

    fn deliveries(&self) -> u64 {
        self.run.deliveries()
    }

    fn choices(&self) -> Option<&[u64]> {
        self.run.choices()
    }

    fn take_log(&mut self) -> Vec<Step> {
        self.run.take_log()
    }

    fn bytes(&self) -> usize {
        self.run.bytes()
    }

    fn unused_choices(&self) -> usize {
        self.run.unused_choices()
    }

    fn unanswered(&self) -> usize {
        self.run.unanswered()
    }

    fn bad_choice(&self) -> Option<BadChoice> {
        self.run.bad_choice()
    }
}
