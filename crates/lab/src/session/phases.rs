//! The messages of each phase, at any move of the run.

use ringleader::sweep::MessageBreakdown;
use ringleader::{EvaluatedPhaseBound, Setup};
use ringleader_model::BadSetting;
use ringleader_sim::Step;

/// Runs of more processors are not logged for their phases.
const MOST_PROCESSORS: usize = 20_000;
/// The number of entries kept, at most.
const MOST_ENTRIES: usize = 4 << 20;
/// Entries between two sums.
const SUMMED: usize = 1 << 10;

/// The messages sent in each phase so far, and what is proved about them.
pub(super) struct PhaseMessages {
    breakdown: Option<MessageBreakdown>,
    /// The passes of each phase, from 0, after the last move.
    now: Vec<u64>,
    /// By moves that send: the move, the phase and the passes.
    sent: Vec<(u64, u32, u32)>,
    /// The passes of each phase before every so many entries.
    sums: Vec<Vec<u64>>,
    /// The last move that was observed.
    last: u64,
    bound: Option<EvaluatedPhaseBound>,
}

impl PhaseMessages {
    /// Before the first move.
    pub(super) fn new(setup: &Setup) -> Result<Self, BadSetting> {
        let counted = setup.facts.phased && setup.scenario.n <= MOST_PROCESSORS;
        Ok(Self {
            breakdown: counted.then(|| MessageBreakdown::new(&setup.scenario.identities().list())),
            now: Vec::new(),
            sent: Vec::new(),
            sums: Vec::new(),
            last: 0,
            bound: if counted { setup.phase_bound()? } else { None },
        })
    }

    /// Whether steps are needed.
    pub(super) fn are_counted(&self) -> bool {
        self.breakdown.is_some()
    }

    /// Takes note of the steps of a move; false if no more of them are needed.
    pub(super) fn observe(&mut self, moves: u64, steps: &[Step]) -> bool {
        let Some(breakdown) = self.breakdown.as_mut().filter(|_| self.sent.len() < MOST_ENTRIES) else { return false };
        steps.iter().for_each(|step| breakdown.take(step));
        self.last = moves;
        for (phase, &passes) in breakdown.phases().iter().enumerate() {
            if phase == self.now.len() {
                self.now.push(0);
            }
            if passes > self.now[phase] {
                if self.sent.len().is_multiple_of(SUMMED) {
                    self.sums.push(self.now.clone());
                }
                self.sent.push((moves, phase as u32, (passes - self.now[phase]) as u32));
                self.now[phase] = passes;
            }
        }
        true
    }

    /// The passes of each phase, from 0, in the first moves; `None` where they are not known.
    pub(super) fn at(&self, moves: u64) -> Option<Vec<u64>> {
        self.breakdown.as_ref().filter(|_| moves <= self.last)?;
        let end = self.sent.partition_point(|&(at, ..)| at <= moves);
        let summed = end.saturating_sub(1) / SUMMED;
        let mut passes = self.sums.get(summed).cloned().unwrap_or_default();
        passes.resize(self.now.len(), 0);
        for &(_, phase, more) in &self.sent[summed * SUMMED..end] {
            passes[phase as usize] += u64::from(more);
        }
        Some(passes)
    }

    /// The first phase in which messages are sent.
    pub(super) fn first(&self) -> u32 {
        self.breakdown.as_ref().map_or(1, |breakdown| breakdown.first_phase() as u32)
    }

    /// What is proved about the passes of a phase.
    pub(super) fn bound(&self) -> Option<&EvaluatedPhaseBound> {
        self.bound.as_ref()
    }
}
