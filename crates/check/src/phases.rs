//! The highest phase of any processor in any run.
//!
//! A run's number of phases is the greatest phase that any of its steps reaches. Over all runs it is the greatest phase
//! of any step that was computed: all of these can be reached. The least number over all complete runs is read off
//! their last states, which is possible if no step lowers a phase and no state forgets it
//! ([`rebase`](ringleader_model::Inspect::rebase) may).

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::Arc;

use crate::interner::note_discovery;

/// The highest phase of all steps computed so far, by a program and its copies.
#[derive(Clone)]
pub(crate) struct PhaseRecord(Option<Arc<(AtomicU32, AtomicBool)>>);

/// The highest phase, and whether the states of processors remember their highest phases.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct HighestPhase {
    pub(crate) phase: u32,
    pub(crate) remembered: bool,
}

impl PhaseRecord {
    /// `counted`: processors go through phases, which are not rebased.
    pub(crate) fn new(counted: bool) -> Self {
        Self(counted.then(|| Arc::new((AtomicU32::new(0), AtomicBool::new(false)))))
    }

    /// A step has reached a phase, and the state after it remembers the highest.
    pub(crate) fn note(&self, phase: u32, remembered: bool) {
        if let Some(record) = &self.0 {
            let higher = record.0.fetch_max(phase, Ordering::Relaxed) < phase;
            let forgets = !remembered && !record.1.swap(true, Ordering::Relaxed);
            if higher || forgets {
                note_discovery();
            }
        }
    }

    /// `None` if processors do not go through phases, or if these are rebased.
    pub(crate) fn highest(&self) -> Option<HighestPhase> {
        let (highest, forgotten) = &**self.0.as_ref()?;
        Some(HighestPhase { phase: highest.load(Ordering::Relaxed), remembered: !forgotten.load(Ordering::Relaxed) })
    }
}
