//! A protocol behind a type-erased interface: its processors, messages, timers, reports and monitors, each interned and
//! named by number.
//!
//! Everything else in this crate deals in numbers and is compiled once, not once for every protocol.

use core::cmp::Ordering;
use std::sync::Arc;

use ringleader_model::{
    Action, BadSetting, Effects, Event, Fact, Inspect, Invariant, Leader, Lemma, LemmaMonitor, Message, Monitor,
    Network, NoTimer, Outcome, Place, Port, Problem, Processor, Promises, Proposition, Protocol, Quantity, Report,
    Request, Scenario, Starts, Ticks, Violation, Workload, WorkloadEvent, assert_rule,
};

use crate::answer::Property;
use crate::choices::ChoicePath;
use crate::coverage::{FiredRules, RuleSet};
use crate::depth::CausalDepths;
use crate::extremes::leaders;
use crate::interner::{Interned, Interner, ValueTable};
use crate::invariants::{
    JudgedMonitor, JudgedProcessors, describe, safety_violations, violated_properties, violation_detail,
};
use crate::links::LinkTable;
use crate::panics::{NO_PANIC, StepPanics, catch_panic};
use crate::passes::{KindGroups, LinearCost, Passes};
use crate::phases::{HighestPhase, PhaseRecord};
use crate::probability::{ResultLabel, label};
use crate::step_memo::StepMemo;
use crate::transition_system::MonitorStatus;

type ProtocolMessage<P> = <<P as Protocol>::Processor as Processor>::Message;
type ProtocolTimer<P> = <<P as Protocol>::Processor as Processor>::Timer;
type ProtocolMonitor<P> = <<<P as Protocol>::Processor as Processor>::Problem as Problem>::Monitor;

/// A program whose types are erased.
pub(crate) trait Program: Send {
    /// A copy for another worker, in which the same numbers stand for the same values.
    fn fork(&self) -> Box<dyn Program>;
    /// Such a copy for steps that are examined and not explored: its fired rules, phases and panics are its own.
    fn unrecorded(&self) -> Box<dyn Program>;
    /// A step of a processor with these random choices. Its effects are appended to `effects`, in order.
    fn step(
        &mut self,
        processor: Interned,
        trigger: Trigger,
        choices: &mut ChoicePath,
        effects: &mut Vec<ProgramEffect>,
    ) -> StepResult;
    /// A processor after a restart, from this initial state, before it wakes.
    fn restarted(&mut self, processor: Interned, newborn: Interned) -> Interned;
    /// The steps with clocks that this copy has computed.
    fn step_memo(&mut self) -> &mut StepMemo;
    /// True if a processor handles a message as soon as it arrives.
    fn is_urgent(&mut self, processor: Interned, message: Interned) -> bool;
    /// The bits of a message.
    fn bits(&mut self, message: Interned) -> u64;
    /// True if the problem has such a request.
    fn accepts(&self, request: UserRequest) -> bool;
    /// True if the protocol has timers.
    fn has_timers(&self) -> bool;
    /// The order in which two timers fire that expire together.
    fn timer_order(&mut self, timer: Interned, other: Interned) -> Ordering;
    /// True if rounds are numbered without bound.
    fn has_rounds(&self) -> bool;
    /// True if processors go through phases.
    fn is_phased(&self) -> bool;
    /// True if the problem and the protocol demand quiescence.
    fn must_quiesce(&self) -> bool;
    /// A behaviour that looks like a violation and is none; empty if there is no such thing.
    fn caveat(&self) -> &'static str;
    /// The least round that a rule of a processor may still compare.
    fn live_round(&mut self, processor: Interned) -> Option<u32>;
    /// A processor with `by` subtracted from its rounds.
    fn rebased(&mut self, processor: Interned, by: u32) -> Interned;
    /// A message with `by` subtracted from its rounds.
    fn rebased_message(&mut self, message: Interned, by: u32) -> Interned;
    /// A processor with its ports renamed, if it does not tell them apart any more. `to`: by port.
    fn with_renamed_ports(&mut self, processor: Interned, to: &[u32]) -> Option<Interned>;
    /// True if the protocol's invariants are judged.
    fn judges_invariants(&self) -> bool;
    /// True if what is judged may depend on the ports of processors that do not tell them apart any more.
    fn tells_ports_apart(&self) -> bool {
        self.judges_invariants()
    }
    /// A monitor with `by` subtracted from the rounds of the processors that invariants are judged on.
    fn rebased_monitor(&mut self, monitor: Interned, by: u32) -> Interned;
    /// The properties that are judged.
    fn properties(&self) -> Vec<Property>;
    /// The lemmas of the protocol, which a search of their own judges.
    fn lemmas(&self) -> Vec<Property> {
        Vec::new()
    }
    /// The properties of states that were violated when a monitor was as it is.
    fn violated_properties(&mut self, monitor: Interned) -> Vec<Property>;
    /// How an invariant was violated, in words.
    fn violation_detail(&mut self, monitor: Interned, property: &str) -> String;
    /// The monitor after observations that are made at one instant.
    fn observe(&mut self, monitor: Interned, observations: &[(Place, Observation)]) -> Interned;
    /// The monitor of the rotated ring; `None` if it cannot be rotated.
    fn rotated(&mut self, monitor: Interned, by: Place, n: Place) -> Option<Interned>;
    /// The status of a monitor.
    fn monitor_status(&mut self, monitor: Interned) -> MonitorStatus;
    /// Whether a monitor satisfies a proposition; `None` if the problem does not have it.
    fn satisfies(&mut self, monitor: Interned, proposition: Proposition) -> Option<bool>;
    /// Its violations, or else its outstanding requests, in words.
    fn diagnosis(&mut self, monitor: Interned) -> String;
    /// The result so far, in few words.
    fn label(&mut self, monitor: Interned) -> ResultLabel;
    /// The phase number of a message.
    fn message_phase(&mut self, message: Interned) -> Option<u32>;
    /// One pass of a message.
    fn passes(&mut self, message: Interned) -> Passes;
    /// The costs that are linear in message passes.
    fn linear_costs(&self) -> Vec<LinearCost>;
    /// The phase of a processor.
    fn phase(&mut self, processor: Interned) -> u32;
    /// The highest phase that a step has reached, and whether states remember it.
    fn phases(&self) -> Option<HighestPhase>;
    /// The longest causal chain of messages that a processor has seen; `None` if that is not recorded.
    fn depth(&mut self, _processor: Interned) -> Option<u32> {
        None
    }
    /// The longest causal chain that led to the first election that a monitor has observed, if that is recorded.
    fn depth_elected(&mut self, _monitor: Interned) -> Option<u32> {
        None
    }
    /// The longest causal chains of all runs so far; `None` if they are not recorded.
    fn depths(&self) -> Option<CausalDepths> {
        None
    }
    /// The leaders so far; `None` where none is to be elected.
    fn leaders(&mut self, monitor: Interned) -> Option<Vec<Leader>>;
    /// Memory held by this copy, about.
    fn bytes(&self) -> usize;
    /// All interned values, always in the same order.
    fn value_tables(&self) -> Vec<&dyn ValueTable>;
}

/// An event of a processor, with its message or timer interned.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Trigger {
    Wake,
    Call(UserRequest),
    Timeout(Interned),
    Receive {
        port: u32,
        message: Interned,
    },
    /// It restarts, from this initial state, and wakes.
    Restart {
        newborn: Interned,
    },
}

/// A request of a user.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum UserRequest {
    Acquire,
    Release,
    Again,
}

impl UserRequest {
    pub(crate) const ALL: [Self; 3] = [Self::Acquire, Self::Release, Self::Again];

    /// The problem's request, if it knows this one.
    pub(crate) fn request<P: Processor>(self) -> Option<Request<P>> {
        match self {
            Self::Acquire => P::Problem::WORKLOAD_REQUESTS.map(|requests| requests.acquire),
            Self::Release => P::Problem::WORKLOAD_REQUESTS.and_then(|requests| requests.release),
            Self::Again => P::Problem::AGAIN,
        }
    }
}

/// An effect of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProgramEffect {
    Send(Port, Interned),
    SetTimer(Interned, Ticks),
    CancelTimer(Interned),
    /// With its meaning to a user.
    Report(Interned, Option<WorkloadEvent>),
    /// The processor has changed to this; only where invariants are judged.
    Changed(Interned),
    /// A fact that lemmas speak of; only where they are judged.
    Noted(Interned),
    /// The step has panicked, and had no effect but this.
    Panicked(Interned),
}

/// A processor after a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct StepResult {
    pub(crate) processor: Interned,
    /// By how much its phase has grown.
    pub(crate) advance: u32,
}

/// An observation of the monitor at a place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Observation {
    Report(Interned),
    /// Its processor has changed to this.
    Changed(Interned),
    /// It has noted a fact.
    Noted(Interned),
    /// A step of it has panicked.
    Panicked(Interned),
    Crash,
    /// Its user will make this number of requests.
    Restart(u64),
    Duplicate,
    Loss,
}

/// An action of a run without clocks, with its messages and timers interned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum InternedAction {
    /// A step with its random choices.
    Step(Place, Trigger, Vec<u32>),
    Crash(Place),
    /// With its random choices on waking.
    Restart(Place, Vec<u32>),
    Cut(Place, Place),
    Heal(Place, Place),
    /// Of the message that would arrive next by a port.
    Loss(Place, u32, Interned),
    Duplicate(Place, u32, Interned),
}

/// A protocol in a scenario before anything has happened.
pub(crate) struct InitialState {
    pub(crate) program: Box<dyn Program>,
    pub(crate) links: LinkTable,
    /// By place.
    pub(crate) processors: Vec<Interned>,
    pub(crate) monitor: Interned,
    pub(crate) is_ring: bool,
    /// All processors start at the same time.
    pub(crate) together: bool,
}

/// The program of a protocol.
pub(crate) struct TypedProgram<P: Protocol> {
    protocol: Arc<P>,
    processors: Interner<P::Processor>,
    messages: Interner<ProtocolMessage<P>>,
    timers: Interner<ProtocolTimer<P>>,
    reports: Interner<Report<P::Processor>>,
    monitors: Interner<JudgedMonitor<ProtocolMonitor<P>>>,
    invariants: &'static [Invariant<P>],
    promises: Promises,
    /// The lemmas that are stated for its scenario.
    stated: Vec<&'static Lemma>,
    /// The lemmas, where they are judged.
    lemmas: Option<Arc<LemmaMonitor>>,
    facts: Interner<Fact>,
    /// The number of the protocol's rules.
    rules: usize,
    /// All processors must start together.
    together: bool,
    /// Processors number rounds without bound.
    rounds: bool,
    ports: u32,
    /// Users make requests forever, so that no run need terminate.
    unbounded: bool,
    panics: StepPanics,
    fired: FiredRules,
    groups: KindGroups,
    phases: PhaseRecord,
    step_memo: StepMemo,
}

impl<P: Protocol> Clone for TypedProgram<P> {
    fn clone(&self) -> Self {
        Self {
            protocol: Arc::clone(&self.protocol),
            processors: self.processors.clone(),
            messages: self.messages.clone(),
            timers: self.timers.clone(),
            reports: self.reports.clone(),
            monitors: self.monitors.clone(),
            invariants: self.invariants,
            promises: self.promises,
            stated: self.stated.clone(),
            lemmas: self.lemmas.clone(),
            facts: self.facts.clone(),
            rules: self.rules,
            together: self.together,
            rounds: self.rounds,
            ports: self.ports,
            unbounded: self.unbounded,
            panics: self.panics.clone(),
            fired: self.fired.clone(),
            groups: self.groups.clone(),
            phases: self.phases.clone(),
            step_memo: StepMemo::default(),
        }
    }
}

impl<P: Protocol> TypedProgram<P> {
    /// Of a protocol that was configured for a scenario. Neither invariants nor promises are judged.
    pub(crate) fn new(protocol: P) -> Self {
        let profile = protocol.profile();
        Self {
            groups: KindGroups::new(profile.kinds),
            phases: PhaseRecord::new(profile.phased, P::Processor::ROUNDS),
            protocol: Arc::new(protocol),
            processors: Interner::new(),
            messages: Interner::new(),
            timers: Interner::new(),
            reports: Interner::new(),
            monitors: Interner::new(),
            invariants: &[],
            promises: Promises::default(),
            stated: Vec::new(),
            lemmas: None,
            facts: Interner::new(),
            rules: profile.rules,
            together: profile.assumptions.starts == Starts::Together,
            rounds: profile.rounds,
            ports: 0,
            unbounded: false,
            panics: StepPanics::new(),
            fired: FiredRules::default(),
            step_memo: StepMemo::default(),
        }
    }

    /// The same, with these invariants and promises judged.
    pub(crate) fn judging(self, invariants: &'static [Invariant<P>], promises: Promises) -> Self {
        Self { invariants, promises, ..self }
    }

    /// The same, with the lemmas that are stated for a scenario, which are judged by a search of their own.
    pub(crate) fn stating(self, scenario: &Scenario) -> Self {
        Self { stated: self.protocol.lemmas(scenario), ..self }
    }

    /// The same, with nothing judged but safety and the lemmas that are stated for its scenario; `None` if there are none.
    pub(crate) fn judging_lemmas(&self, scenario: &Scenario) -> Option<Self> {
        let lemmas = LemmaMonitor::new(self.stated.clone(), scenario)?;
        let (fired, phases) = (FiredRules::default(), PhaseRecord::new(false, false));
        let unrecorded = Self { panics: StepPanics::new(), fired, phases, ..self.clone() };
        Some(Self { lemmas: Some(Arc::new(lemmas)), ..unrecorded.judging(&[], Promises::default()) })
    }

    /// The protocol in a scenario before anything has happened.
    pub(crate) fn initial_state(&mut self, scenario: &Scenario) -> Result<InitialState, BadSetting> {
        let protocol = &*self.protocol;
        let network = protocol.network(scenario);
        let links = LinkTable::new(scenario, &network)?;
        self.ports = links.ports;
        self.unbounded = scenario.workload.as_ref().is_some_and(Workload::is_unbounded);
        let place = |place| self.processors.intern(protocol.processor(protocol.seat(scenario, &network, place)));
        let processors: Vec<Interned> = (0..scenario.n as Place).map(place).collect();
        let mut judged = JudgedProcessors::new(self.invariants, &processors, &mut self.processors);
        if self.lemmas.is_some() {
            judged.get_or_insert_default().facts = vec![Vec::new(); scenario.n];
        }
        let mut monitor = ProtocolMonitor::<P>::new(scenario);
        monitor.promise(self.promises, scenario);
        Ok(InitialState {
            links,
            processors,
            monitor: self.monitors.intern(JudgedMonitor { monitor, judged }),
            is_ring: network.topology().is_ring(),
            together: self.together,
            program: self.fork(),
        })
    }

    /// The panics of this program and its copies.
    pub(crate) fn panics(&self) -> StepPanics {
        self.panics.clone()
    }

    /// The rules that have fired in this program and its copies.
    pub(crate) fn fired(&self) -> RuleSet {
        self.fired.so_far()
    }

    /// Actions with their messages and timers.
    pub(crate) fn concrete_actions(&mut self, actions: Vec<InternedAction>) -> Vec<Action<P::Processor>> {
        let mut concrete = Vec::with_capacity(actions.len());
        for action in actions {
            concrete.push(match action {
                InternedAction::Step(place, trigger, chosen) => {
                    Action::Step { place, event: self.event(trigger), chosen }
                }
                InternedAction::Crash(place) => Action::Crash(place),
                InternedAction::Restart(place, chosen) => Action::Restart { place, chosen },
                InternedAction::Cut(one, other) => Action::Cut(one, other),
                InternedAction::Heal(one, other) => Action::Heal(one, other),
                InternedAction::Loss(place, port, message) => {
                    Action::Loss(place, Port(port), self.messages.get(message).clone())
                }
                InternedAction::Duplicate(place, port, message) => {
                    Action::Duplicate(place, Port(port), self.messages.get(message).clone())
                }
            });
        }
        concrete
    }

    pub(crate) fn processor(&mut self, number: Interned) -> &P::Processor {
        self.processors.get(number)
    }

    pub(crate) fn message(&mut self, number: Interned) -> &ProtocolMessage<P> {
        self.messages.get(number)
    }

    pub(crate) fn timer(&mut self, number: Interned) -> &ProtocolTimer<P> {
        self.timers.get(number)
    }

    /// The result so far, as data.
    pub(crate) fn outcome(&mut self, monitor: Interned) -> Outcome {
        self.monitors.get(monitor).monitor.outcome()
    }

    fn event(&mut self, trigger: Trigger) -> Event<P::Processor> {
        match trigger {
            Trigger::Wake | Trigger::Restart { .. } => Event::Wake,
            Trigger::Call(request) => {
                Event::Call(request.request::<P::Processor>().expect("users make only requests that the problem has"))
            }
            Trigger::Timeout(timer) => Event::Timeout(self.timers.get(timer).clone()),
            Trigger::Receive { port, message } => Event::Receive(Port(port), self.messages.get(message).clone()),
        }
    }

    /// What happens to a processor, in words.
    fn words(&mut self, trigger: Trigger) -> String {
        match self.event(trigger) {
            Event::Wake => "wakes".into(),
            Event::Receive(_, message) => format!("receives {message}"),
            Event::Timeout(timer) => format!("has timer {timer} expire"),
            Event::Call(request) => format!("is asked to {request}"),
        }
    }
}

impl<P: Protocol> Program for TypedProgram<P> {
    fn fork(&self) -> Box<dyn Program> {
        Box::new(self.clone())
    }

    fn unrecorded(&self) -> Box<dyn Program> {
        let (fired, phases) = (FiredRules::default(), PhaseRecord::new(false, false));
        Box::new(Self { panics: StepPanics::new(), fired, phases, ..self.clone() })
    }

    fn step(
        &mut self,
        processor: Interned,
        trigger: Trigger,
        choices: &mut ChoicePath,
        effects: &mut Vec<ProgramEffect>,
    ) -> StepResult {
        let event = self.event(trigger);
        let mut after = self.processors.get(processor).clone();
        if let Trigger::Restart { newborn } = trigger {
            after = after.restart(&self.protocol, self.processors.get(newborn).clone());
        }
        let before = after.phase();
        let Self { protocol, messages, timers, reports, rules, ports, fired, lemmas, facts, .. } = self;
        let (ports, kept, rules) = (*ports, effects.len(), *rules);
        let facts = lemmas.is_some().then_some(facts);
        let mut recorder: EffectRecorder<'_, P::Processor> =
            EffectRecorder { messages, timers, reports, facts, ports, rules, fired, choices, effects };
        if let Err(panic) = catch_panic(|| after.step(protocol, event, &mut recorder)) {
            effects.truncate(kept);
            let words = self.words(trigger);
            effects.push(ProgramEffect::Panicked(self.panics.note(format!("{words}: {panic}"))));
            return StepResult { processor, advance: 0 };
        }
        let phase = after.phase();
        let advance = phase.saturating_sub(before);
        // Rebasing by 0 clears fields that no rule reads any more. Without rounds this only makes the state space
        // smaller, and is left out for invariants, which may read such fields.
        if P::Processor::ROUNDS || self.invariants.is_empty() {
            after.rebase(protocol, 0);
        }
        self.phases.note(before, phase, after.phase());
        let after = self.processors.intern(after);
        if after != processor && !self.invariants.is_empty() {
            effects.push(ProgramEffect::Changed(after));
        }
        StepResult { processor: after, advance }
    }

    fn restarted(&mut self, processor: Interned, newborn: Interned) -> Interned {
        let newborn = self.processors.get(newborn).clone();
        let restarted = self.processors.get(processor).restart(&self.protocol, newborn);
        self.processors.intern(restarted)
    }

    fn step_memo(&mut self) -> &mut StepMemo {
        &mut self.step_memo
    }

    fn is_urgent(&mut self, processor: Interned, message: Interned) -> bool {
        self.processors.get(processor).urgent(&self.protocol, self.messages.get(message))
    }

    fn bits(&mut self, message: Interned) -> u64 {
        self.messages.get(message).bits()
    }

    fn accepts(&self, request: UserRequest) -> bool {
        request.request::<P::Processor>().is_some()
    }

    fn has_timers(&self) -> bool {
        core::any::TypeId::of::<ProtocolTimer<P>>() != core::any::TypeId::of::<NoTimer>()
    }

    fn timer_order(&mut self, timer: Interned, other: Interned) -> Ordering {
        let timer = self.timers.get(timer).clone();
        timer.cmp(self.timers.get(other))
    }

    fn has_rounds(&self) -> bool {
        self.rounds
    }

    fn is_phased(&self) -> bool {
        P::Processor::PHASED
    }

    fn must_quiesce(&self) -> bool {
        P::QUIESCENT && <P::Processor as Processor>::Problem::QUIESCENT && !self.unbounded
    }

    fn caveat(&self) -> &'static str {
        <P::Processor as Processor>::Problem::CAVEAT
    }

    fn live_round(&mut self, processor: Interned) -> Option<u32> {
        self.processors.get(processor).live_round(&self.protocol)
    }

    fn rebased(&mut self, processor: Interned, by: u32) -> Interned {
        let mut rebased = self.processors.get(processor).clone();
        rebased.rebase(&self.protocol, by);
        self.processors.intern(rebased)
    }

    fn rebased_message(&mut self, message: Interned, by: u32) -> Interned {
        let mut message = self.messages.get(message).clone();
        message.rebase(by);
        self.messages.intern(message)
    }

    fn with_renamed_ports(&mut self, processor: Interned, to: &[u32]) -> Option<Interned> {
        let mut renamed = self.processors.get(processor).clone();
        let to = |port: Port| to.get(port.0 as usize).map_or(port, |&rank| Port(rank));
        renamed.rename_ports(&self.protocol, &to).then(|| self.processors.intern(renamed))
    }

    fn judges_invariants(&self) -> bool {
        !self.invariants.is_empty() || self.lemmas.is_some()
    }

    fn tells_ports_apart(&self) -> bool {
        // The facts of protocols on complete networks name no ports.
        !self.invariants.is_empty()
    }

    fn rebased_monitor(&mut self, monitor: Interned, by: u32) -> Interned {
        let mut rebased = self.monitors.get(monitor).clone();
        if let Some(judged) = &mut rebased.judged {
            for processor in &mut judged.processors {
                *processor = self.rebased(*processor, by);
            }
        }
        self.monitors.intern(rebased)
    }

    fn properties(&self) -> Vec<Property> {
        if let Some(lemmas) = &self.lemmas {
            return lemmas.lemmas().iter().map(|lemma| Property::Lemma(lemma.name)).collect();
        }
        let mut properties = Property::ALL.to_vec();
        if self.unbounded {
            properties.retain(|&property| property != Property::Termination);
        }
        for invariant in self.invariants {
            properties.push(Property::Invariant(invariant.name));
        }
        properties.extend(self.promises.iter().map(Property::Promise));
        if !self.panics.is_empty() {
            properties.push(Property::Invariant(NO_PANIC));
        }
        properties
    }

    fn lemmas(&self) -> Vec<Property> {
        self.stated.iter().map(|lemma| Property::Lemma(lemma.name)).collect()
    }

    fn violated_properties(&mut self, monitor: Interned) -> Vec<Property> {
        let judged = self.monitors.get(monitor);
        let mut violated = violated_properties(judged.monitor.violations(), judged.broken());
        violated.extend(judged.refuted().iter().map(|violation| Property::Lemma(violation.property)));
        violated
    }

    fn violation_detail(&mut self, monitor: Interned, property: &str) -> String {
        let judged = self.monitors.get(monitor);
        violation_detail([judged.monitor.violations(), judged.broken(), judged.refuted()], property)
    }

    fn observe(&mut self, monitor: Interned, observations: &[(Place, Observation)]) -> Interned {
        let JudgedMonitor { monitor: mut after, mut judged } = self.monitors.get(monitor).clone();
        for &(place, observation) in observations {
            match observation {
                Observation::Report(report) => {
                    after.observe(place, self.reports.get(report).clone());
                }
                Observation::Changed(processor) => {
                    if let Some(judged) = &mut judged {
                        judged.processors[place as usize] = processor;
                        judged.judge(self.invariants, &mut self.processors);
                    }
                }
                Observation::Noted(fact) => {
                    if let (Some(judged), Some(lemmas)) = (&mut judged, &self.lemmas) {
                        judged.note(place, fact, lemmas, &mut self.facts);
                    }
                }
                Observation::Panicked(panic) => {
                    let detail = format!("place {place} {}", self.panics.text(panic));
                    let judged = judged.get_or_insert_default();
                    Violation { property: NO_PANIC, detail }.note(&mut judged.violations);
                }
                Observation::Crash => after.crash(place),
                Observation::Restart(requests) => after.restart(place, requests),
                Observation::Duplicate => after.duplicated(),
                Observation::Loss => after.lost(),
            }
        }
        after.settle();
        after.forget();
        self.monitors.intern(JudgedMonitor { monitor: after, judged })
    }

    fn rotated(&mut self, monitor: Interned, by: Place, n: Place) -> Option<Interned> {
        // An invariant need not be symmetric; that no step panics is. Facts are kept by place.
        if self.judges_invariants() {
            return None;
        }
        let JudgedMonitor { monitor, judged } = self.monitors.get(monitor);
        let rotated = JudgedMonitor { monitor: monitor.rotated(by, n)?, judged: judged.clone() };
        Some(self.monitors.intern(rotated))
    }

    fn monitor_status(&mut self, monitor: Interned) -> MonitorStatus {
        let with_lemmas = self.lemmas.is_some();
        let judged = self.monitors.get(monitor);
        let monitor = &judged.monitor;
        let broken = !judged.broken().is_empty();
        let violated = broken || !judged.refuted().is_empty() || !monitor.violations().is_empty();
        // A lemma is judged in all runs, whatever else they violate.
        let unsafe_state = !with_lemmas && safety_violations(monitor.violations()).next().is_some();
        let cut_off = broken || unsafe_state;
        MonitorStatus { violated, cut_off, waiting: monitor.waiting(), fulfilled: monitor.fulfilled() }
    }

    fn satisfies(&mut self, monitor: Interned, proposition: Proposition) -> Option<bool> {
        self.monitors.get(monitor).monitor.satisfies(proposition)
    }

    fn diagnosis(&mut self, monitor: Interned) -> String {
        let monitor = &self.monitors.get(monitor).monitor;
        let violations = describe(safety_violations(monitor.violations()));
        if violations.is_empty() { monitor.missing() } else { violations }
    }

    fn label(&mut self, monitor: Interned) -> ResultLabel {
        label(&self.monitors.get(monitor).monitor)
    }

    fn message_phase(&mut self, message: Interned) -> Option<u32> {
        self.messages.get(message).phase()
    }

    fn passes(&mut self, message: Interned) -> Passes {
        let message = self.messages.get(message);
        Passes::one(self.groups.group(message.kind()), message.bits())
    }

    fn linear_costs(&self) -> Vec<LinearCost> {
        let mut differences = Vec::new();
        for bound in P::BOUNDS {
            if let Quantity::Difference(one, other) = bound.quantity
                && !differences.contains(&(one, other))
            {
                differences.push((one, other));
            }
        }
        // Rounds that are rebased have fewer bits than those that a run sends.
        self.groups.costs(&differences, P::Processor::ROUNDS)
    }

    fn phase(&mut self, processor: Interned) -> u32 {
        self.processors.get(processor).phase()
    }

    fn phases(&self) -> Option<HighestPhase> {
        self.phases.highest()
    }

    fn leaders(&mut self, monitor: Interned) -> Option<Vec<Leader>> {
        leaders(self.monitors.get(monitor).monitor.outcome())
    }

    fn bytes(&self) -> usize {
        let small = self.messages.bytes() + self.timers.bytes() + self.reports.bytes();
        self.processors.bytes() + small + self.monitors.bytes() + self.step_memo.bytes()
    }

    fn value_tables(&self) -> Vec<&dyn ValueTable> {
        let Self { processors, messages, timers, reports, monitors, panics, .. } = self;
        vec![processors, messages, timers, reports, monitors, panics.values()]
    }
}

/// The sink for the effects of a step.
struct EffectRecorder<'a, P: Processor> {
    messages: &'a mut Interner<P::Message>,
    timers: &'a mut Interner<P::Timer>,
    reports: &'a mut Interner<Report<P>>,
    /// `None` if no lemmas are judged.
    facts: Option<&'a mut Interner<Fact>>,
    /// How many ports a processor has.
    ports: u32,
    /// How many rules the description has.
    rules: usize,
    fired: &'a FiredRules,
    choices: &'a mut ChoicePath,
    effects: &'a mut Vec<ProgramEffect>,
}

impl<P: Processor> Effects<P> for EffectRecorder<'_, P> {
    fn send(&mut self, port: Port, message: P::Message) {
        port.assert_below(self.ports);
        let message = self.messages.intern(message);
        self.effects.push(ProgramEffect::Send(port, message));
    }

    fn set_timer(&mut self, timer: P::Timer, after: Ticks) {
        let timer = self.timers.intern(timer);
        self.effects.push(ProgramEffect::SetTimer(timer, after));
    }

    fn cancel_timer(&mut self, timer: P::Timer) {
        let timer = self.timers.intern(timer);
        self.effects.push(ProgramEffect::CancelTimer(timer));
    }

    fn choose(&mut self, bound: u32) -> u32 {
        self.choices.random_choice(bound)
    }

    fn report(&mut self, report: Report<P>) {
        let event = P::Problem::workload_event(&report);
        self.effects.push(ProgramEffect::Report(self.reports.intern(report), event));
    }

    fn elapsed(&mut self) -> Option<Ticks> {
        None
    }

    fn rule(&mut self, number: u8) {
        assert_rule(number, self.rules);
        self.fired.note(number);
    }

    fn note(&mut self, fact: Fact) {
        if let Some(facts) = &mut self.facts {
            self.effects.push(ProgramEffect::Noted(facts.intern(fact)));
        }
    }
}
