//! A run in the making: the plan's protocol, erased, with its bounds.

use std::any::TypeId;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use ringleader_model::{
    BadSetting, Bound, BoundKind, Figure, Instance, Problem, Processor, Protocol, Quantity, Settings, Task, Value,
};
use ringleader_protocols::after::{After, Elects};
use ringleader_protocols::catalogue::{self, ElectionVisitor, Visitor};
use ringleader_sim::{Choices, Full, Resolved, Run, Simulation, Summary, Verdict};

use crate::error::Exit;
use crate::plan::Plan;

/// A run of a plan.
pub struct Execution {
    /// The run itself.
    pub run: Box<dyn Run>,
    /// The protocol's parameters, defaults included.
    pub settings: Vec<(&'static str, String)>,
    /// What users should know about this instance.
    pub notes: Vec<&'static str>,
    /// What its paper calls numbers of this instance.
    pub figures: Vec<Figure>,
    /// What is proved or claimed, for this instance.
    pub bounds: Vec<EvaluatedBound>,
    /// What messages are for that are neither announcements nor part of a task.
    pub work: &'static str,
    /// After how many messages to stop.
    max_messages: u64,
}

/// A bound with its value for an instance.
#[derive(Clone, Copy, Debug)]
pub struct EvaluatedBound {
    /// What is bounded.
    pub quantity: Quantity,
    /// In what sense.
    pub kind: BoundKind,
    /// As people write it.
    pub formula: &'static str,
    /// Its value.
    pub value: Value,
    /// Where it stands.
    pub source: &'static str,
    /// What is counted.
    pub counts: &'static str,
}

impl EvaluatedBound {
    /// What a run measured of it, and whether that agrees; one that did not finish says nothing.
    pub fn judge(&self, summary: &Summary) -> (Option<Value>, Option<bool>) {
        let measured = summary.cost.of(self.quantity);
        let holds = measured.filter(|_| summary.finished).and_then(|measured| self.kind.holds(measured, self.value));
        (measured, holds)
    }
}

impl Execution {
    /// The run of a plan, at its very beginning.
    pub fn new(plan: &Plan, choices: Choices) -> Result<Self, BadSetting> {
        let (name, launch) = (plan.description.name, Launch { plan, choices });
        let launched = match plan.task {
            None => catalogue::visit(name, launch),
            Some(task) => catalogue::visit_election(name, LaunchTask { launch, task }),
        };
        launched.expect("a plan's protocol is in the catalogue")
    }

    /// Goes on for a while; true when it came to its end, or to the limit of messages.
    pub fn advance(&mut self, budget: u64) -> bool {
        let left = self.max_messages.saturating_sub(self.run.deliveries());
        left == 0 || self.run.advance(budget.min(left)) || self.run.deliveries() >= self.max_messages
    }

    /// Runs to the end, or until Ctrl-C; true if it came to its end. Shows where it is if it takes long.
    pub fn finish(&mut self) -> bool {
        let begun = Instant::now();
        let mut progress: Option<ProgressBar> = None;
        while !self.advance(SLICE) {
            if interrupted() {
                return false;
            }
            if progress.is_none() && begun.elapsed() > PATIENCE && std::io::stderr().is_terminal() {
                let style = ProgressStyle::with_template("{spinner} {msg} [{elapsed}]").expect("the template is right");
                progress = Some(ProgressBar::new_spinner().with_style(style));
            }
            if let Some(bar) = &progress {
                bar.set_message(format!("time {}, {} steps", self.run.now(), self.run.steps()));
                bar.tick();
            }
        }
        if let Some(bar) = progress {
            bar.finish_and_clear();
        }
        true
    }

    /// The sharpest bound of one of these kinds on one of these quantities; of two that look the same, the simpler one.
    pub fn sharpest(&self, quantities: &[Quantity], kinds: &[BoundKind]) -> Option<&EvaluatedBound> {
        let meant = |bound: &&EvaluatedBound| quantities.contains(&bound.quantity) && kinds.contains(&bound.kind);
        self.bounds.iter().filter(meant).min_by_key(|bound| (tenths(bound.value), bound.formula.len()))
    }

    /// How a command ends that shows this run.
    pub fn exit(&self, summary: &Summary) -> Exit {
        let exceeded = self.bounds.iter().any(|bound| bound.judge(summary).1 == Some(false));
        match summary.verdict {
            Verdict::Violated => Exit::Violated,
            _ if exceeded => Exit::Violated,
            _ if interrupted() => Exit::Interrupted,
            Verdict::Unknown => Exit::Inconclusive,
            Verdict::Held => Exit::Held,
        }
    }
}

/// All messages, or those that do the work.
pub(crate) const MESSAGES: [Quantity; 2] = [Quantity::Messages, Quantity::Work];
/// Steps between looks at the clock.
const SLICE: u64 = 1 << 18;
/// How long a run may take before it shows where it is.
const PATIENCE: Duration = Duration::from_millis(700);

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Whether Ctrl-C was pressed.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// From now on Ctrl-C ends a run early, and what there is so far is shown. A second one ends the program.
pub(crate) fn catch_interrupts() {
    // Without a handler Ctrl-C just ends the program.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(Exit::Interrupted as i32);
        }
    });
}

struct Launch<'a> {
    plan: &'a Plan,
    choices: Choices,
}

impl Visitor for Launch<'_> {
    type Output = Result<Execution, BadSetting>;

    fn visit<P: Protocol>(self) -> Self::Output {
        self.launch::<P, P>(|protocol| protocol)
    }
}

/// The same, with a task of the leader.
struct LaunchTask<'a> {
    launch: Launch<'a>,
    task: Task,
}

impl ElectionVisitor for LaunchTask<'_> {
    type Output = Result<Execution, BadSetting>;

    fn visit<E: Elects>(self) -> Self::Output {
        let task = self.task;
        let mut execution = self.launch.launch::<E, After<E>>(|election| After::new(election, task))?;
        // What is proved about the whole of an election says nothing about what comes after it.
        execution.bounds.retain(|bound| {
            !matches!(bound.quantity, Quantity::Messages | Quantity::Bits | Quantity::Time | Quantity::Depth)
        });
        Ok(execution)
    }
}

impl Launch<'_> {
    /// Prepares a run of `P`, which may be more than the protocol `E` that it begins with.
    fn launch<E: Protocol, P: Protocol>(self, extend: impl FnOnce(E) -> P) -> Result<Execution, BadSetting> {
        let scenario = &self.plan.scenario;
        let resolved = Resolved::new(scenario);
        let instance = resolved.instance(scenario);
        let settings = Settings::new(E::DESCRIPTION.parameters, &self.plan.settings)?;
        let protocol = E::configure(&settings, &instance)?;
        let (mut figures, mut notes) = (protocol.figures(&instance), protocol.notes(&instance));
        if scenario.untimed {
            figures.clear();
            if E::DESCRIPTION.assumptions.timed {
                notes.push(
                    "this protocol rests on how long steps and messages take: without clocks it promises nothing",
                );
            }
        }
        let mut bounds = evaluated(&protocol, &instance);
        let protocol = extend(protocol);
        if TypeId::of::<E>() != TypeId::of::<P>() {
            bounds.extend(evaluated(&protocol, &instance));
        }
        let settings = settings.iter().map(|(key, value)| (key, value.to_string())).collect();
        let mut run = Simulation::<P, Full>::prepare(protocol, scenario, resolved, self.choices)?;
        if let Some(last) = self.plan.max_time {
            run.stop_after(last);
        }
        Ok(Execution {
            run: Box::new(run),
            settings,
            notes,
            figures,
            bounds,
            work: <P::Processor as Processor>::Problem::WORK,
            max_messages: self.plan.max_messages.unwrap_or(u64::MAX),
        })
    }
}

/// The bounds of a protocol that say something about an instance.
fn evaluated<P: Protocol>(protocol: &P, instance: &Instance<'_>) -> Vec<EvaluatedBound> {
    let evaluate = |bound: &Bound<P>| {
        // Without clocks nothing takes any time, and what rests on it is not proved.
        if instance.untimed && (bound.quantity.is_time() || P::DESCRIPTION.assumptions.timed) {
            return None;
        }
        Some(EvaluatedBound {
            quantity: bound.quantity,
            kind: bound.kind,
            formula: bound.formula,
            value: (bound.value)(protocol, instance)?,
            source: bound.source,
            counts: bound.counts,
        })
    };
    P::BOUNDS.iter().filter_map(evaluate).collect()
}

/// A value to the tenth, as it is shown.
fn tenths(value: Value) -> u128 {
    let (whole, fraction) = value.parts();
    whole * 10 + u128::from((u64::from(fraction) * 10 + (1 << 31)) >> 32)
}
