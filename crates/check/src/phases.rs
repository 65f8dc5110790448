//! The highest phase of any processor in any run.
//!
//! A run's number of phases is the greatest phase that any of its steps reaches. Over all runs it is the greatest phase
//! of any step that was computed: all of these can be reached. The least number over all complete runs is read off
//! their last states, which is possible if no step lowers a phase and no state forgets it
//! ([`rebase`](ringleader_model::Inspect::rebase) may).
//!
//! Where states forget phases, some extremes are found from the [growth](PhaseGrowth) of phases in transitions. There is
//! no greatest number if a phase grows in a transition that lies on a cycle, and no step lowers a phase. The least is 1 if
//! some run is complete in which every phase that grows becomes the first. That it is the first is certain of a processor
//! that was asleep, and of one whose phase is 0 if no state forgets that there was a phase.

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::Arc;

use crate::interner::note_discovery;

/// What was found of the phases of all steps computed so far, by a program and its copies.
#[derive(Clone)]
pub(crate) struct PhaseRecord(Option<Arc<Observed>>);

#[derive(Default)]
struct Observed {
    highest: AtomicU32,
    /// Some step lowers a phase.
    lowered: AtomicBool,
    /// Some state forgets a phase, or that there was one.
    forgotten: AtomicBool,
    begun_forgotten: AtomicBool,
}

/// The highest phase, and how much of it the states of processors remember.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct HighestPhase {
    pub(crate) phase: u32,
    /// No step lowers a phase.
    pub(crate) grows: bool,
    /// The highest phase of each processor is remembered.
    pub(crate) remembered: bool,
    /// At least it is remembered that there was a phase.
    pub(crate) begun_remembered: bool,
}

/// Some phase grows in a transition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PhaseGrowth {
    /// The index of the transition.
    pub(crate) transition: usize,
    /// It becomes 1, the first, for certain.
    pub(crate) first: bool,
}

impl PhaseRecord {
    /// `counted`: processors go through phases. `rebased`: from time to time these are made less in all states.
    pub(crate) fn new(counted: bool, rebased: bool) -> Self {
        Self(counted.then(|| Arc::new(Observed { forgotten: AtomicBool::new(rebased), ..Observed::default() })))
    }

    /// A step has changed a phase, of which the state after it keeps this much.
    pub(crate) fn note(&self, before: u32, phase: u32, kept: u32) {
        let Some(record) = &self.0 else { return };
        let mut is_new = record.highest.fetch_max(phase, Ordering::Relaxed) < phase;
        let found = [
            (&record.lowered, phase < before),
            (&record.forgotten, phase < before || kept != phase),
            (&record.begun_forgotten, before.max(phase) > 0 && kept == 0),
        ];
        for (flag, _) in found.into_iter().filter(|&(_, is_found)| is_found) {
            is_new |= !flag.swap(true, Ordering::Relaxed);
        }
        if is_new {
            note_discovery();
        }
    }

    /// `None` if processors do not go through phases.
    pub(crate) fn highest(&self) -> Option<HighestPhase> {
        let record = self.0.as_ref()?;
        let never = |flag: &AtomicBool| !flag.load(Ordering::Relaxed);
        Some(HighestPhase {
            phase: record.highest.load(Ordering::Relaxed),
            grows: never(&record.lowered),
            remembered: never(&record.forgotten),
            begun_remembered: never(&record.begun_forgotten),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_states_forget_is_noted() {
        let flags = |record: &PhaseRecord| {
            let HighestPhase { phase, grows, remembered, begun_remembered } = record.highest().expect("it is counted");
            (phase, [grows, remembered, begun_remembered])
        };
        assert_eq!(PhaseRecord::new(false, false).highest(), None);
        assert_eq!(flags(&PhaseRecord::new(true, true)), (0, [true, false, true]));
        let record = PhaseRecord::new(true, false);
        record.note(0, 1, 1);
        assert_eq!(flags(&record), (1, [true, true, true]));
        record.note(1, 2, 1);
        assert_eq!(flags(&record), (2, [true, false, true]));
        record.note(1, 1, 0);
        assert_eq!(flags(&record), (2, [true, false, false]));
        record.note(2, 1, 1);
        assert_eq!(flags(&record), (2, [false, false, false]));
    }
}
