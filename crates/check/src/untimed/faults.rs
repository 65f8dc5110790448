//! Faults without clocks: crashes, restarts, cuts, losses and duplicates, as far as the budget allows.

use ringleader_model::Place;

use super::{RecordedTransition, StateRef, UntimedSystem};
use crate::choices::ChoiceProbability;
use crate::interner::Interned;
use crate::links::InPort;
use crate::local_transitions::NOTHING;
use crate::passes::Passes;
use crate::program::Observation;
use crate::step_cache::{CRASHED, NO_REPORTS};
use crate::transition_system::{ProtocolSystem, Successors};

impl UntimedSystem {
    /// Adds the faults, which are optional, but for the ends of cuts where links merge copies.
    pub(super) fn faults(&mut self, here: StateRef<'_>, successors: &mut Successors) {
        let Some(fault_budget) = self.fault_budget else { return };
        let state = here.0;
        // A crash before anything has happened can as well happen after it.
        if state == self.initial_state {
            return;
        }
        let left = state[self.monitor_index() + 1];
        for place in (0..self.n as Place).filter(|&place| state[place as usize] != CRASHED) {
            let down = self.steps.summary(state[place as usize]).down;
            if let Some(remaining) = fault_budget.crash(left).filter(|_| !down) {
                let mut lost = 0;
                if fault_budget.may_restart() {
                    successors.write(place, self.steps.down(state[place as usize], self.newborn[place as usize]));
                } else {
                    successors.write(place, CRASHED);
                    lost = self.clear(state, place, successors);
                }
                let crash = self.steps.observation(Observation::Crash);
                self.finish_fault(here, place, (crash, lost, remaining), Passes::NONE, successors);
                self.note(RecordedTransition::Crash(place));
            }
            for in_port in self.links.in_ports(place) {
                let InPort { at, direction, port } = self.links.in_port(in_port);
                let lost_anyway = self.is_dead_end(state, place, at);
                for next in self.queues.heads(state[at as usize]) {
                    let (item, shorter) = self.queues.head(next);
                    let Some(message) = self.fairness.message_of(item, direction) else { continue };
                    if let Some(remaining) = fault_budget.loss(left).filter(|_| !lost_anyway) {
                        successors.write(at, shorter);
                        self.finish_fault(here, place, (NO_REPORTS, 1, remaining), Passes::NONE, successors);
                        self.note(RecordedTransition::Loss(place, port, message));
                    }
                    if let Some(remaining) = fault_budget.duplicate(left) {
                        successors.write(at, self.queues.duplicate(state[at as usize], item));
                        let duplicate = self.steps.observation(Observation::Duplicate);
                        let again = self.steps.program.passes(message);
                        self.finish_fault(here, place, (duplicate, 0, remaining), again, successors);
                        self.note(RecordedTransition::Duplicate(place, port, message));
                    }
                }
            }
        }
        self.outages(here, successors);
    }

    /// Adds the restarts, the cuts and the ends of cuts.
    fn outages(&mut self, here: StateRef<'_>, successors: &mut Successors) {
        let Some(fault_budget) = self.fault_budget else { return };
        let left = here.0[self.monitor_index() + 1];
        let remaining = fault_budget.restart(left);
        for place in (0..self.n as Place).filter(|_| remaining.is_some()) {
            let (local, newborn) = (here.0[place as usize], self.newborn[place as usize]);
            let (local_transitions, mut sources) = self.sources();
            for index in local_transitions.restarts(&mut sources, place, local, newborn).. {
                let next = self.local_transitions.get(index);
                let (ends_action, ends_group) = (next.ends_action, next.ends_group);
                self.apply_general(here, (place, NOTHING), index, remaining, successors);
                self.note(RecordedTransition::Local(index));
                self.action += u32::from(ends_action);
                if ends_group {
                    break;
                }
            }
        }
        let pairs = if fault_budget.may_cut() { self.neighbours.pairs.len() } else { 0 };
        for pair in 0..pairs {
            let (one, other) = self.neighbours.pairs[pair];
            if let Some(remaining) = fault_budget.cut(left, pair as u32) {
                self.finish_fault(here, one, (NO_REPORTS, 0, remaining), Passes::NONE, successors);
                self.note(RecordedTransition::Cut(one, other));
            }
            if let Some(remaining) = fault_budget.heal(left, pair as u32) {
                self.finish_fault(here, one, (NO_REPORTS, 0, remaining), Passes::NONE, successors);
                if self.merges {
                    successors.require();
                }
                self.note(RecordedTransition::Heal(one, other));
            }
        }
    }

    /// True if a link is cut.
    pub(super) fn is_cut(&self, state: &[Interned], at: u32) -> bool {
        let pair = self.neighbours.of_link(at);
        self.fault_budget.is_some_and(|budget| budget.is_cut(state[self.monitor_index() + 1], pair))
    }

    /// True if a message that arrives at a place over a link is lost: the place is down, or the link is cut.
    pub(super) fn is_dead_end(&mut self, state: &[Interned], place: Place, at: u32) -> bool {
        self.steps.summary(state[place as usize]).down || self.is_cut(state, at)
    }

    /// Adds the arrivals at a place over a link where messages are lost.
    pub(super) fn lose_arrivals(
        &mut self,
        (state, fingerprint): StateRef<'_>,
        place: Place,
        in_port: usize,
        successors: &mut Successors,
    ) {
        let InPort { at, direction, port } = self.links.in_port(in_port);
        for next in self.queues.heads(state[at as usize]) {
            let (item, shorter) = self.queues.head(next);
            let Some(message) = self.fairness.message_of(item, direction) else { continue };
            let monitor = self.monitor_index();
            successors.write(at, shorter);
            successors.write(monitor as u32, self.observe(state[monitor], place, NO_REPORTS, 1));
            successors.discharge(self.fairness.message(at, item));
            successors.finish(state, fingerprint, (self.action, ChoiceProbability::CERTAIN), Passes::NONE, false);
            self.action += 1;
            self.note(RecordedTransition::Loss(place, port, message));
        }
    }

    /// Removes all messages in flight to a place; returns their number.
    fn clear(&mut self, state: &[Interned], place: Place, successors: &mut Successors) -> u32 {
        let (mut lost, half_duplex) = (0, self.fairness.half_duplex);
        for in_port in self.links.in_ports(place) {
            let InPort { at, direction, .. } = self.links.in_port(in_port);
            let before = successors.written(at).unwrap_or(state[at as usize]);
            let (kept, gone) = self.queues.retain(before, |item| half_duplex && item % 2 != direction);
            successors.write(at, kept);
            lost += gone;
        }
        lost
    }

    /// Completes a fault. `observed`: by the monitor; `lost`: the number of messages lost; `remaining`: the faults
    /// left.
    fn finish_fault(
        &mut self,
        (state, fingerprint): StateRef<'_>,
        place: Place,
        (observed, lost, remaining): (Interned, u32, Interned),
        sent: Passes,
        successors: &mut Successors,
    ) {
        let at = self.monitor_index();
        successors.write(at as u32, self.observe(state[at], place, observed, lost));
        successors.write(at as u32 + 1, remaining);
        successors.finish(state, fingerprint, (self.action, ChoiceProbability::CERTAIN), sent, true);
        self.action += 1;
    }
}
