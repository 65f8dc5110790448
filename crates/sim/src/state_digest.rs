//! The digest of the state of a run: of all that its future depends on, and of nothing that only tells its past.

use core::hash::{Hash, Hasher};

use ringleader_model::{LemmaMonitor, Place, Protocol, TraceHash};

use crate::engine_state::{Arrival, EngineState, QueuedMessage};
use crate::faults::FaultState;
use crate::instrumentation::Full;
use crate::simulation::Simulation;
use crate::sorted_order::in_order;
use crate::untimed::{EnabledEvent, UntimedState};

impl<P: Protocol> Simulation<P, Full> {
    /// The digest of the present state.
    pub(crate) fn digest_state(&self) -> u64 {
        let mut digest = TraceHash::new();
        digest.add(&self.states.as_slice());
        digest.add(&(&self.agenda, self.all_wake, self.woken, self.horizon, self.limit, self.deadline));
        digest.add(&(self.pass, self.stage));
        digest.add(&(self.batch.left(), self.due.left(), self.zero.left(), self.late.left()));
        digest.add(&self.broken);
        digest.add(&self.untimed);
        self.engine.digest_into(&mut digest);
        digest.get()
    }
}

impl<P: Protocol> EngineState<P, Full> {
    fn digest_into(&self, digest: &mut TraceHash) {
        digest.add(&(self.now, self.ticks_ahead, self.before_tick, self.messages));
        digest.add(&(&self.monitor, self.lemmas.as_ref().map(LemmaMonitor::facts)));
        digest.add(&(&self.choices, &self.delay_model, &self.grid, &self.step_clocks));
        digest.add(&(&self.half_duplex, &self.fault_state, &self.crashed, &self.workload));
        self.arrivals.for_each(|at, arrival| digest.add(&(at, arrival)));
        self.alarms.for_each(|at, alarm| digest.add(&(at, alarm)));
        digest.add(&self.zero);
        for arrival in self.interventions.iter().flat_map(|interventions| interventions.last_arrivals(self.now)) {
            digest.add(&arrival);
        }
        for place in 0..self.histories.len() as Place {
            let pending = in_order(self.timers.of(place).iter(), |(one, _), (other, _)| one.cmp(other));
            digest.add(&pending);
            for queued in self.queues.iter().flat_map(|queues| queues.iter(place)) {
                digest.add(queued);
            }
        }
    }
}

impl<P: Protocol> Hash for Arrival<P, Full> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (self.to, self.port(), self.tag, &self.message).hash(hasher);
    }
}

impl<P: Protocol> Hash for QueuedMessage<P, Full> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (self.port, self.tag, &self.message).hash(hasher);
    }
}

impl<P: Protocol> Hash for FaultState<P, Full> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Self { paused, held, held_timers, cut, restarted } = self;
        (paused, held, held_timers, cut, restarted).hash(hasher);
    }
}

impl<P: Protocol> Hash for UntimedState<P, Full> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Self { enabled, behind, faults_left, up, suspended, held, vain, .. } = self;
        (enabled, behind, faults_left, up, suspended, held, vain).hash(hasher);
    }
}

impl<P: Protocol> Hash for EnabledEvent<P, Full> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        match self {
            Self::Wake(place) => (0u8, place).hash(hasher),
            Self::Again(place) => (1u8, place).hash(hasher),
            Self::TimerOrCall(place, due) => (2u8, place, due).hash(hasher),
            Self::Message(arrival) => (3u8, arrival).hash(hasher),
        }
    }
}
