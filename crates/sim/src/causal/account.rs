//! What the steps of a ring add up to.

use alloc::vec::Vec;

use ringleader_model::{Kind, Monitor, Protocol, Time, Violation};
use serde::{Deserialize, Serialize};

use super::segment::{FirstElection, KINDS};
use crate::run::{Cost, ExecutionOrder, StopReason, Summary, TERMINATION};
use crate::simulation::{END_OF_TIME, tasks_last, why_unfinished};

/// What the steps of a part of a ring add up to. Parts are merged, also those that other processes have executed.
///
/// In causal order, who has reported first is known by time alone, and a monitor observes one place after the other. A run that
/// [depends](Self::is_disputed) on more has to be repeated in time order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RingAccount<M> {
    sums: SegmentSums,
    monitor: M,
}

/// All of it but the monitor.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct SegmentSums {
    pub(super) passes: [u64; KINDS],
    pub(super) deliveries: u64,
    pub(super) steps: u64,
    pub(super) bits: u64,
    /// The time of the last step.
    pub(super) time: Time,
    pub(super) depth: u64,
    pub(super) phases: Option<u32>,
    /// The first election.
    pub(super) elected: Option<FirstElection>,
    /// The first arrival beyond the limit.
    pub(super) beyond: Option<Time>,
    pub(super) own: OwnSums,
    pub(super) digest: u64,
}

/// What the events of places add up to that no message brings.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct OwnSums {
    /// When the last clock started.
    pub(super) last_start: Option<Time>,
    /// Whether a clock has not started, or there are none.
    pub(super) unstarted: bool,
    pub(super) longest_queue: u32,
    /// Whether wakes lie beyond the limit of time.
    pub(super) wakes_beyond: bool,
    /// The number of pending timers that never expire.
    pub(super) never: u64,
}

impl OwnSums {
    fn merge(&mut self, other: &Self) {
        self.last_start = self.last_start.max(other.last_start);
        self.unstarted |= other.unstarted;
        self.longest_queue = self.longest_queue.max(other.longest_queue);
        self.wakes_beyond |= other.wakes_beyond;
        self.never += other.never;
    }
}

impl SegmentSums {
    fn merge(&mut self, other: &Self) {
        self.passes.iter_mut().zip(&other.passes).for_each(|(passes, more)| *passes += more);
        self.deliveries += other.deliveries;
        self.steps += other.steps;
        self.bits += other.bits;
        self.time = self.time.max(other.time);
        self.depth = self.depth.max(other.depth);
        self.phases = self.phases.max(other.phases);
        self.elected = self.elected.into_iter().chain(other.elected).reduce(FirstElection::first);
        self.beyond = self.beyond.into_iter().chain(other.beyond).min();
        self.own.merge(&other.own);
        self.digest = self.digest.wrapping_add(other.digest);
    }
}

impl<M: Monitor> RingAccount<M> {
    /// That of no place. The monitor has observed nothing.
    pub(super) fn new(monitor: M) -> Self {
        Self { sums: SegmentSums::default(), monitor }
    }

    /// Takes in a segment that begins at place `first`.
    pub(super) fn add(&mut self, first: u64, sums: &SegmentSums, monitor: &M) {
        self.sums.merge(sums);
        self.monitor.merge(first, monitor);
    }

    /// Takes in another part of the ring.
    pub fn merge(&mut self, other: &Self) {
        self.add(0, &other.sums, &other.monitor);
    }

    /// Whether the run has to be repeated in time order: something was violated, the first election depends on the order inside
    /// an instant, or several were elected.
    pub fn is_disputed(&self) -> bool {
        let tied = self.sums.elected.is_some_and(|election| election.tied);
        tied || self.monitor.leaders() > 1 || !self.monitor.violations().is_empty()
    }

    /// Whether everything was done.
    pub(super) fn is_finished(&self) -> bool {
        self.monitor.finished()
    }

    /// Whether a run that is over is quiescent although not all has been done.
    pub fn is_silent(&self) -> bool {
        self.reason() == Some(StopReason::Silent)
    }

    /// Why a run that is over has stopped before everything was done.
    fn reason(&self) -> Option<StopReason> {
        let finished = self.monitor.finished();
        match self.sums.beyond {
            None if finished => None,
            _ if self.sums.own.wakes_beyond => Some(StopReason::Interrupted),
            None if self.sums.own.never > 0 => Some(StopReason::NeverTimer),
            None => Some(StopReason::Silent),
            Some(next) if next > END_OF_TIME => Some(StopReason::EndOfTime).filter(|_| !finished),
            Some(_) => Some(StopReason::Interrupted),
        }
    }

    /// The result. `over`: nothing is in transit any more. `stuck`: where it is [silent](Self::is_silent), the first place at
    /// which nothing more will happen by itself, and why.
    pub fn summary<P: Protocol>(&self, protocol: &P, over: bool, stuck: Option<(u64, &str)>) -> Summary {
        let finished = self.monitor.finished();
        let reason = if over { self.reason() } else { Some(StopReason::Interrupted) };
        let mut violations = self.monitor.violations().to_vec();
        if reason == Some(StopReason::Silent) {
            let detail = why_unfinished(None, self.sums.time, &self.monitor.missing(), stuck);
            violations.push(Violation { property: TERMINATION, detail });
        }
        let (order, outcome) = (ExecutionOrder::Causal { cut: !over }, self.monitor.outcome());
        let cost = self.cost(protocol);
        Summary { order, ..Summary::new(outcome, finished, reason, violations, cost, self.sums.digest, Vec::new()) }
    }

    fn cost<P: Protocol>(&self, protocol: &P) -> Cost {
        let sums = &self.sums;
        let kinds = protocol.profile().kinds.into_iter().zip(sums.passes);
        let mut kinds: Vec<(Kind, u64)> = kinds.filter(|(kind, _)| protocol.sends(*kind)).collect();
        tasks_last(&mut kinds);
        Cost {
            kinds,
            bits: sums.bits,
            time: sums.time,
            time_elected: sums.elected.map(|election| election.time),
            depth: sums.depth,
            depth_elected: sums.elected.and_then(|election| election.depth),
            phases: sums.phases,
            steps: sums.steps,
            deliveries: sums.deliveries,
            time_awake: sums.own.last_start.filter(|_| !sums.own.unstarted),
            longest_queue: sums.own.longest_queue,
            ..Cost::default()
        }
    }
}
