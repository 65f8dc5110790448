//! When the phases of a run begin, at the first processor and at the last.

use alloc::vec;
use alloc::vec::Vec;

use ringleader_model::{Inspect, Place, Time};

/// When a phase begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PhaseBegin {
    /// The first processor has begun it, or [called](Inspect::called_phase) for it.
    pub called: Time,
    /// The last processor that begins it has begun it; `None` if none has.
    pub last: Option<Time>,
    /// How many processors have begun it.
    pub begun_by: u64,
}

impl PhaseBegin {
    /// The time until everybody who begins it has begun it.
    pub fn spread(&self) -> Option<Time> {
        Some(self.last? - self.called)
    }
}

/// When the phases have begun so far.
#[derive(Clone)]
pub(crate) struct PhaseBegins {
    /// By place, the phase that the processor has reached; empty where nobody asks.
    reached: Vec<u32>,
    /// By place, the phase that it has called for, where steps are noted in any order.
    called: Vec<u32>,
    /// By phase, from 1.
    pub(crate) phases: Vec<PhaseBegin>,
}

impl PhaseBegins {
    /// Of `n` processors; of none where nobody asks.
    pub(crate) fn new(n: usize) -> Self {
        Self { reached: vec![0; n], called: Vec::new(), phases: Vec::new() }
    }

    /// Whether somebody asks.
    #[inline]
    pub(crate) const fn are_asked_for(&self) -> bool {
        !self.reached.is_empty()
    }

    /// A processor has taken a step.
    #[inline]
    pub(crate) fn note(&mut self, place: Place, state: &impl Inspect, now: Time) {
        let (phase, called) = (state.phase(), state.called_phase());
        let reached = &mut self.reached[place as usize];
        while self.phases.len() < called.max(phase) as usize {
            self.phases.push(PhaseBegin { called: now, last: None, begun_by: 0 });
        }
        for begin in self.phases.iter_mut().take(phase as usize).skip(*reached as usize) {
            (begin.last, begin.begun_by) = (Some(now), begin.begun_by + 1);
        }
        *reached = phase.max(*reached);
    }

    /// A processor has taken a step, perhaps before one of another processor that was noted already.
    pub(crate) fn note_in_any_order(&mut self, place: Place, state: &impl Inspect, now: Time) {
        let (phase, called) = (state.phase(), state.called_phase().max(state.phase()));
        self.called.resize(self.reached.len(), 0);
        let (reached, before) = (&mut self.reached[place as usize], &mut self.called[place as usize]);
        while self.phases.len() < called as usize {
            self.phases.push(PhaseBegin { called: now, last: None, begun_by: 0 });
        }
        for begin in self.phases.iter_mut().take(called as usize).skip(*before as usize) {
            begin.called = begin.called.min(now);
        }
        for begin in self.phases.iter_mut().take(phase as usize).skip(*reached as usize) {
            (begin.last, begin.begun_by) = (begin.last.max(Some(now)), begin.begun_by + 1);
        }
        (*reached, *before) = (phase.max(*reached), called.max(*before));
    }

    /// Takes in what was noted of other processors.
    pub(crate) fn merge(&mut self, other: &Self) {
        let common = self.phases.len().min(other.phases.len());
        for (begin, more) in self.phases.iter_mut().zip(&other.phases) {
            begin.called = begin.called.min(more.called);
            begin.last = begin.last.max(more.last);
            begin.begun_by += more.begun_by;
        }
        self.phases.extend_from_slice(&other.phases[common..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The phase that it is in, and the one that it calls for.
    struct Phases(u32, u32);

    impl Inspect for Phases {
        const TIMES_PHASES: bool = true;

        fn phase(&self) -> u32 {
            self.0
        }

        fn called_phase(&self) -> u32 {
            self.1
        }
    }

    #[test]
    fn a_phase_lasts_from_the_first_call_to_the_last_begin() {
        let mut begins = PhaseBegins::new(2);
        for (place, state, now) in [
            (0, Phases(1, 1), 3),
            (1, Phases(1, 1), 5),
            (0, Phases(1, 2), 8),
            (1, Phases(2, 2), 9),
            (1, Phases(2, 2), 10),
            (0, Phases(2, 2), 14),
            (1, Phases(2, 3), 20),
        ] {
            begins.note(place, &state, now);
        }
        let begin = |called, last, begun_by| PhaseBegin { called, last, begun_by };
        assert_eq!(begins.phases, [begin(3, Some(5), 2), begin(8, Some(14), 2), begin(20, None, 0)]);
        assert_eq!(begins.phases[1].spread(), Some(6));
    }
}
