//! The same for runs that are looked into.

use ringleader_model::{Place, Violation};
use ringleader_sim::{
    AppliedIntervention, Cause, EnabledAction, InspectableRun, MessageView, ProcessorStatus, ProcessorView, RunPosition,
};

use super::GuardedRun;

impl InspectableRun for GuardedRun<dyn InspectableRun> {
    fn advance_move(&mut self) -> bool {
        !self.attempt(|run| !run.advance_move())
    }

    fn unlog(&mut self) {
        self.run.unlog();
    }

    fn is_between_passes(&self) -> bool {
        self.run.is_between_passes()
    }

    fn fork(&self) -> Box<dyn InspectableRun> {
        Box::new(Self { run: self.run.fork(), panic: self.panic.clone() })
    }

    fn state_digest(&self) -> u64 {
        self.run.state_digest()
    }

    fn run_position(&self) -> RunPosition {
        let position = self.run.run_position();
        RunPosition { violations: position.violations + u32::from(self.panic.is_some()), ..position }
    }

    fn statuses(&self, into: &mut Vec<(ProcessorStatus, u32)>) {
        self.run.statuses(into);
    }

    fn processor(&self, place: Place) -> ProcessorView {
        self.run.processor(place)
    }

    fn in_flight(&self) -> Vec<MessageView> {
        self.run.in_flight()
    }

    fn cut_links(&self) -> Vec<(Place, Place)> {
        self.run.cut_links()
    }

    fn last_outage(&self) -> Option<(Place, Cause)> {
        self.run.last_outage()
    }

    fn interventions(&self) -> Vec<AppliedIntervention> {
        self.run.interventions()
    }

    fn violations(&self) -> Vec<Violation> {
        let mut violations = self.run.violations();
        violations.extend(self.panic.clone());
        violations
    }

    fn enabled(&self) -> Vec<EnabledAction> {
        if self.panic.is_some() { Vec::new() } else { self.run.enabled() }
    }

    fn take_enabled(&mut self, index: usize) -> bool {
        !self.attempt(|run| !run.take_enabled(index))
    }
}
