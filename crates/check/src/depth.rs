//! Causal depth: the longest chain of messages, each of which was sent after the one before it was received.
//!
//! Depth is no sum over transitions: it is kept in states, by a [`Program`] around that of the protocol. A processor is
//! numbered together with the longest chain that it has seen, a message with the length of the chain that ends with it,
//! and a monitor with the longest chain that led to the first election. Everything else is passed on.
//!
//! Both reductions preserve depth: it is the same in all orders of independent actions, and in all rotations of a ring.

use core::cmp::Ordering;
use core::sync::atomic::{AtomicU32, Ordering as MemoryOrdering};
use std::sync::Arc;

use ringleader_model::{AtMost, Leader, Place, Proposition, Scenario};

use crate::answer::Property;
use crate::choices::ChoicePath;
use crate::interner::{Interned, Interner, ValueTable};
use crate::passes::{LinearCost, Passes};
use crate::phases::HighestPhase;
use crate::probability::ResultLabel;
use crate::program::{
    InitialState, InternedAction, Observation, Program, ProgramEffect, StepResult, Trigger, UserRequest,
};
use crate::step_memo::StepMemo;
use crate::transition_system::MonitorStatus;

/// The longest causal chains of all runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CausalDepths {
    /// The longest of all.
    pub(crate) longest: u32,
    /// Messages may be lost, so that no processor sees them.
    pub(crate) lossy: bool,
    /// The least and the greatest that led to a first election, if there was one.
    pub(crate) elected: Option<(u32, u32)>,
}

/// The extremes so far, of a program and its copies.
struct DepthRecord {
    longest: AtomicU32,
    least_elected: AtomicU32,
    greatest_elected: AtomicU32,
    lossy: bool,
}

/// A number, and a depth.
type Deep = (Interned, u32);

/// A program that keeps causal depth.
struct DepthProgram {
    inner: Box<dyn Program>,
    processors: Interner<Deep>,
    messages: Interner<Deep>,
    reports: Interner<Deep>,
    monitors: Interner<(Interned, Option<u32>)>,
    record: Arc<DepthRecord>,
}

/// The numbers of messages with their depths.
pub(crate) struct DeepMessages(Interner<Deep>);

impl DeepMessages {
    /// Replaces the number of a message by that of the message without its depth.
    pub(crate) fn strip(&self, action: &mut InternedAction) {
        match action {
            InternedAction::Step(_, Trigger::Receive { message, .. }, _)
            | InternedAction::Loss(_, _, message)
            | InternedAction::Duplicate(_, _, message) => *message = self.0.clone().get(*message).0,
            InternedAction::Step(..)
            | InternedAction::Crash(_)
            | InternedAction::Restart(..)
            | InternedAction::Cut(..)
            | InternedAction::Heal(..) => {}
        }
    }
}

/// The same initial state with a program that keeps causal depth.
pub(crate) fn with_depth(initial: InitialState, scenario: &Scenario) -> (InitialState, Option<DeepMessages>) {
    let record = DepthRecord {
        longest: AtomicU32::new(0),
        least_elected: AtomicU32::new(u32::MAX),
        greatest_elected: AtomicU32::new(0),
        lossy: scenario.faults.at_most != AtMost::default(),
    };
    let mut program = DepthProgram {
        inner: initial.program,
        processors: Interner::new(),
        messages: Interner::new(),
        reports: Interner::new(),
        monitors: Interner::new(),
        record: Arc::new(record),
    };
    let processors = initial.processors.iter().map(|&processor| program.processors.intern((processor, 0))).collect();
    let monitor = program.monitors.intern((initial.monitor, None));
    let numbers = DeepMessages(program.messages.clone());
    (InitialState { program: Box::new(program), processors, monitor, ..initial }, Some(numbers))
}

impl DepthProgram {
    fn monitor(&mut self, monitor: Interned) -> (Interned, Option<u32>) {
        *self.monitors.get(monitor)
    }

    /// The depth of the first observation after which there is a leader.
    fn election(&mut self, monitor: Interned, observations: &[(Place, Observation)], depths: &[u32]) -> Option<u32> {
        let elects = |inner: &mut dyn Program, count: usize| {
            let after = inner.observe(monitor, &observations[..count]);
            inner.leaders(after).is_some_and(|leaders| !leaders.is_empty())
        };
        let all = observations.len();
        if elects(&mut *self.inner, 0) || !elects(&mut *self.inner, all) {
            return None;
        }
        let first = (1..=all).find(|&count| elects(&mut *self.inner, count))?;
        self.record.least_elected.fetch_min(depths[first - 1], MemoryOrdering::Relaxed);
        self.record.greatest_elected.fetch_max(depths[first - 1], MemoryOrdering::Relaxed);
        Some(depths[first - 1])
    }
}

impl Program for DepthProgram {
    fn fork(&self) -> Box<dyn Program> {
        Box::new(Self {
            inner: self.inner.fork(),
            processors: self.processors.clone(),
            messages: self.messages.clone(),
            reports: self.reports.clone(),
            monitors: self.monitors.clone(),
            record: Arc::clone(&self.record),
        })
    }

    fn unrecorded(&self) -> Box<dyn Program> {
        // No reduction with depths examines steps.
        self.fork()
    }

    fn step(
        &mut self,
        processor: Interned,
        trigger: Trigger,
        choices: &mut ChoicePath,
        effects: &mut Vec<ProgramEffect>,
    ) -> StepResult {
        let (processor, mut depth) = *self.processors.get(processor);
        let trigger = match trigger {
            Trigger::Receive { port, message } => {
                let (message, length) = *self.messages.get(message);
                depth = depth.max(length);
                Trigger::Receive { port, message }
            }
            Trigger::Restart { newborn } => Trigger::Restart { newborn: self.processors.get(newborn).0 },
            other => other,
        };
        let kept = effects.len();
        let StepResult { processor, advance } = self.inner.step(processor, trigger, choices, effects);
        for effect in &mut effects[kept..] {
            match effect {
                ProgramEffect::Send(_, message) => {
                    *message = self.messages.intern((*message, depth + 1));
                    self.record.longest.fetch_max(depth + 1, MemoryOrdering::Relaxed);
                }
                ProgramEffect::Report(report, _) => *report = self.reports.intern((*report, depth)),
                ProgramEffect::Changed(processor) => *processor = self.processors.intern((*processor, depth)),
                ProgramEffect::SetTimer(..)
                | ProgramEffect::CancelTimer(_)
                | ProgramEffect::Noted(_)
                | ProgramEffect::Panicked(_) => {}
            }
        }
        StepResult { processor: self.processors.intern((processor, depth)), advance }
    }

    /// What it has seen has led to what it does, even if it has forgotten it: the simulator counts likewise.
    fn restarted(&mut self, processor: Interned, newborn: Interned) -> Interned {
        let (processor, depth) = *self.processors.get(processor);
        let newborn = self.processors.get(newborn).0;
        let restarted = self.inner.restarted(processor, newborn);
        self.processors.intern((restarted, depth))
    }

    fn step_memo(&mut self) -> &mut StepMemo {
        // Only the outermost program's steps are computed through it.
        self.inner.step_memo()
    }

    fn bits(&mut self, message: Interned) -> u64 {
        let message = self.messages.get(message).0;
        self.inner.bits(message)
    }

    fn is_urgent(&mut self, processor: Interned, message: Interned) -> bool {
        let (processor, message) = (self.processors.get(processor).0, self.messages.get(message).0);
        self.inner.is_urgent(processor, message)
    }

    fn accepts(&self, request: UserRequest) -> bool {
        self.inner.accepts(request)
    }

    fn has_timers(&self) -> bool {
        self.inner.has_timers()
    }

    fn timer_order(&mut self, timer: Interned, other: Interned) -> Ordering {
        self.inner.timer_order(timer, other)
    }

    fn has_rounds(&self) -> bool {
        self.inner.has_rounds()
    }

    fn is_phased(&self) -> bool {
        self.inner.is_phased()
    }

    fn must_quiesce(&self) -> bool {
        self.inner.must_quiesce()
    }

    fn caveat(&self) -> &'static str {
        self.inner.caveat()
    }

    fn live_round(&mut self, processor: Interned) -> Option<u32> {
        let processor = self.processors.get(processor).0;
        self.inner.live_round(processor)
    }

    fn rebased(&mut self, processor: Interned, by: u32) -> Interned {
        let (processor, depth) = *self.processors.get(processor);
        let rebased = self.inner.rebased(processor, by);
        self.processors.intern((rebased, depth))
    }

    fn rebased_message(&mut self, message: Interned, by: u32) -> Interned {
        let (message, depth) = *self.messages.get(message);
        let rebased = self.inner.rebased_message(message, by);
        self.messages.intern((rebased, depth))
    }

    fn with_renamed_ports(&mut self, processor: Interned, to: &[u32]) -> Option<Interned> {
        let (processor, depth) = *self.processors.get(processor);
        let renamed = self.inner.with_renamed_ports(processor, to)?;
        Some(self.processors.intern((renamed, depth)))
    }

    fn judges_invariants(&self) -> bool {
        self.inner.judges_invariants()
    }

    fn tells_ports_apart(&self) -> bool {
        self.inner.tells_ports_apart()
    }

    fn rebased_monitor(&mut self, monitor: Interned, by: u32) -> Interned {
        let (monitor, elected) = self.monitor(monitor);
        let rebased = self.inner.rebased_monitor(monitor, by);
        self.monitors.intern((rebased, elected))
    }

    fn properties(&self) -> Vec<Property> {
        self.inner.properties()
    }

    fn violated_properties(&mut self, monitor: Interned) -> Vec<Property> {
        let monitor = self.monitor(monitor).0;
        self.inner.violated_properties(monitor)
    }

    fn violation_detail(&mut self, monitor: Interned, property: &str) -> String {
        let monitor = self.monitor(monitor).0;
        self.inner.violation_detail(monitor, property)
    }

    fn observe(&mut self, monitor: Interned, observations: &[(Place, Observation)]) -> Interned {
        let (monitor, elected) = self.monitor(monitor);
        let mut depths = Vec::with_capacity(observations.len());
        let mut inner = observations.to_vec();
        for (_, observation) in &mut inner {
            let mut depth = 0;
            match observation {
                Observation::Report(report) => (*report, depth) = *self.reports.get(*report),
                Observation::Changed(processor) => *processor = self.processors.get(*processor).0,
                Observation::Noted(_)
                | Observation::Panicked(_)
                | Observation::Crash
                | Observation::Restart(_)
                | Observation::Duplicate
                | Observation::Loss => {}
            }
            depths.push(depth);
        }
        let elected = elected.or_else(|| self.election(monitor, &inner, &depths));
        let after = self.inner.observe(monitor, &inner);
        self.monitors.intern((after, elected))
    }

    fn rotated(&mut self, monitor: Interned, by: Place, n: Place) -> Option<Interned> {
        let (monitor, elected) = self.monitor(monitor);
        let rotated = self.inner.rotated(monitor, by, n)?;
        Some(self.monitors.intern((rotated, elected)))
    }

    fn monitor_status(&mut self, monitor: Interned) -> MonitorStatus {
        let monitor = self.monitor(monitor).0;
        self.inner.monitor_status(monitor)
    }

    fn satisfies(&mut self, monitor: Interned, proposition: Proposition) -> Option<bool> {
        let monitor = self.monitor(monitor).0;
        self.inner.satisfies(monitor, proposition)
    }

    fn diagnosis(&mut self, monitor: Interned) -> String {
        let monitor = self.monitor(monitor).0;
        self.inner.diagnosis(monitor)
    }

    fn label(&mut self, monitor: Interned) -> ResultLabel {
        let monitor = self.monitor(monitor).0;
        self.inner.label(monitor)
    }

    fn message_phase(&mut self, message: Interned) -> Option<u32> {
        let message = self.messages.get(message).0;
        self.inner.message_phase(message)
    }

    fn passes(&mut self, message: Interned) -> Passes {
        let message = self.messages.get(message).0;
        self.inner.passes(message)
    }

    fn linear_costs(&self) -> Vec<LinearCost> {
        self.inner.linear_costs()
    }

    fn phase(&mut self, processor: Interned) -> u32 {
        let processor = self.processors.get(processor).0;
        self.inner.phase(processor)
    }

    fn phases(&self) -> Option<HighestPhase> {
        self.inner.phases()
    }

    fn depth(&mut self, processor: Interned) -> Option<u32> {
        Some(self.processors.get(processor).1)
    }

    fn depth_elected(&mut self, monitor: Interned) -> Option<u32> {
        self.monitor(monitor).1
    }

    fn depths(&self) -> Option<CausalDepths> {
        let DepthRecord { longest, least_elected, greatest_elected, lossy } = &*self.record;
        let [longest, least, greatest] =
            [longest, least_elected, greatest_elected].map(|value| value.load(MemoryOrdering::Relaxed));
        Some(CausalDepths { longest, lossy: *lossy, elected: (least <= greatest).then_some((least, greatest)) })
    }

    fn leaders(&mut self, monitor: Interned) -> Option<Vec<Leader>> {
        let monitor = self.monitor(monitor).0;
        self.inner.leaders(monitor)
    }

    fn bytes(&self) -> usize {
        let deep = self.processors.bytes() + self.messages.bytes() + self.reports.bytes() + self.monitors.bytes();
        self.inner.bytes() + deep
    }

    // The record needs no more: a value of it is new only together with a message or a monitor.
    fn value_tables(&self) -> Vec<&dyn ValueTable> {
        let mut tables = self.inner.value_tables();
        tables.extend([&self.processors as &dyn ValueTable, &self.messages, &self.reports, &self.monitors]);
        tables
    }
}
