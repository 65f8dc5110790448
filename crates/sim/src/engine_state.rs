//! The state of the engine, all but the processors: what their effects act upon.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::mem;

use ringleader_model::{
    Event, Faults, Kind, LemmaMonitor, LocalUser, Message, Meter, Monitor, Network, Place, Port, Problem, Processor,
    Profile, Protocol, Reading, Report, Request, Scenario, Ticks, Time, TraceHash, run_digest,
};

use crate::choice_source::{ChoiceSource, Choices};
use crate::clock::{ASLEEP, Resolved, TickGrid};
use crate::delay_model::DelayModel;
use crate::effects::EngineEffects;
use crate::faults::{FaultState, disturbs_messages, may_restart};
use crate::half_duplex::{HalfDuplexLinks, Passage, WaitingSend};
use crate::in_flight::{FifoQueue, MessagesInFlight};
use crate::input_queue::InputQueues;
use crate::instrumentation::{Instrumentation, MessageTag};
use crate::interventions::{InterventionState, decide_arrivals};
use crate::losing_rules::LosingRules;
use crate::phase_begins::PhaseBegins;
use crate::random_stream::RandomStream;
use crate::run::Cost;
use crate::simulation::END_OF_TIME;
use crate::step::{Cause, Effect, MessageContent, MessageNumber, Record, Step};
use crate::timers::{Expiry, PendingTimers};
use crate::timing_wheel::TimingWheel;
use crate::workload::WorkloadDriver;

pub(crate) type MessageOf<P> = <<P as Protocol>::Processor as Processor>::Message;
pub(crate) type TimerOf<P> = <<P as Protocol>::Processor as Processor>::Timer;
pub(crate) type ProblemOf<P> = <<P as Protocol>::Processor as Processor>::Problem;
pub(crate) type MonitorOf<P> = <<<P as Protocol>::Processor as Processor>::Problem as Problem>::Monitor;
pub(crate) type MeterOf<P> = <<<P as Protocol>::Processor as Processor>::Problem as Problem>::Meter;
pub(crate) type TimerOrCallOf<P> = TimerOrCall<TimerOf<P>, Request<<P as Protocol>::Processor>>;
type EntryOf<P, D> = <D as Instrumentation>::Entry<<P as Protocol>::Network>;

/// After this many idle steps of variable length, the phase of the clock is drawn instead of every step.
const LONG_REST: u64 = 256;
/// A timer of at least this many steps of variable length draws one length for all of them.
const MANY_STEPS: u64 = 1 << 16;

#[derive(Clone)]
pub(crate) struct EngineState<P: Protocol, D: Instrumentation> {
    pub(crate) network: P::Network,
    pub(crate) now: Time,
    pub(crate) reading: Reading,
    /// Whether the ticks of this instant are still to come.
    pub(crate) ticks_ahead: bool,
    /// Where ties are open: whether the present step comes before the ticks of this instant, which then count for the
    /// timers that it sets.
    pub(crate) before_tick: bool,
    pub(crate) delay_model: DelayModel,
    pub(crate) arrivals: MessagesInFlight<Arrival<P, D>>,
    pub(crate) alarms: TimingWheel<Alarm<TimerOrCallOf<P>>>,
    /// Timers of zero ticks, and timers blocked by a half-duplex link: tried at the end of the pass.
    pub(crate) zero: Vec<(Place, TimerOrCallOf<P>)>,
    /// Messages that have arrived but not been read, unless reading is immediate.
    pub(crate) queues: Option<InputQueues<QueuedMessage<P, D>>>,
    /// The clocks, if anything depends on them.
    pub(crate) grid: Option<TickGrid>,
    pub(crate) timers: PendingTimers<TimerOrCallOf<P>>,
    /// The steps of each place, under per-step reading with varying clocks.
    pub(crate) step_clocks: Vec<StepClock>,
    pub(crate) half_duplex: Option<HalfDuplexLinks<MessageOf<P>, D::Tag, TimerOrCallOf<P>>>,
    pub(crate) faults: Faults,
    pub(crate) fault_state: FaultState<P, D>,
    pub(crate) interventions: Option<Box<InterventionState>>,
    /// Neither message faults, interventions, pauses and cuts nor half-duplex links: every message sent is transmitted at once, and handed
    /// over when it arrives.
    pub(crate) reliable: bool,
    /// Messages are handled on arrival, and none arrives in the instant in which it was sent.
    pub(crate) single_pass: bool,
    /// By place; empty if nobody ever crashes or restarts.
    pub(crate) crashed: Vec<bool>,
    pub(crate) choices: ChoiceSource,
    pub(crate) monitor: MonitorOf<P>,
    pub(crate) meter: MeterOf<P>,
    pub(crate) workload: Option<WorkloadDriver>,
    /// By place; empty under lean instrumentation.
    pub(crate) histories: Vec<History>,
    /// Of a full run whose protocol states lemmas.
    pub(crate) lemmas: Option<LemmaMonitor>,
    /// The place of the present or last step, of a full run.
    pub(crate) present: Place,
    pub(crate) cost: Cost,
    /// The number of the protocol's rules.
    pub(crate) rules: usize,
    /// The rules by which a processor loses, and by place whether one has been applied; empty under lean instrumentation.
    pub(crate) losing_rules: LosingRules,
    pub(crate) lost: Vec<bool>,
    /// When phases begin, where the protocol asks for it.
    pub(crate) phase_begins: PhaseBegins,
    /// Whether the processors go through phases.
    pub(crate) phased: bool,
    /// The kinds of messages.
    pub(crate) kinds: Vec<Kind>,
    /// The message passes by kind.
    pub(crate) passes: Vec<u64>,
    /// The number of effects so far.
    pub(crate) acts: u64,
    /// The number of messages sent so far, copies included.
    pub(crate) messages: u64,
    pub(crate) log: Option<Vec<Record<P::Processor>>>,
    /// The faults of a logged run, each with the number of records before it.
    pub(crate) logged_faults: Vec<(usize, Step)>,
    /// The number of faults so far, and the place of the last one.
    pub(crate) noted_faults: (u64, Place),
    /// The number of those of processors and links, and the last one with its place.
    pub(crate) outages: (u64, Option<(Place, Cause)>),
    /// The messages that are copies, in order.
    pub(crate) copies: Vec<MessageNumber>,
}

/// The history of one place in a full run. Both fields are adjacent in memory, since every step needs both.
#[derive(Clone, Copy)]
pub(crate) struct History {
    /// The longest causal chain of messages that leads to the place.
    pub(crate) depth: u64,
    /// The hash chain of its steps.
    pub(crate) chain: TraceHash,
}

impl History {
    /// Takes a step in. `depth`: of the message that it receives; the result is the depth of the place.
    #[inline]
    pub(crate) fn begin_step<P: Processor>(&mut self, now: Time, event: &Event<P>, depth: u64) -> u64 {
        let chain = &mut self.chain;
        chain.add(&now);
        match event {
            Event::Wake => chain.add(&0u8),
            Event::Receive(port, message) => chain.add(&(1u8, port, message)),
            Event::Timeout(timer) => chain.add(&(2u8, timer)),
            Event::Call(request) => chain.add(&(3u8, request)),
        }
        self.depth = self.depth.max(depth);
        self.depth
    }

    /// The digest of a run with these histories.
    pub(crate) fn digest(histories: &[Self]) -> u64 {
        run_digest(histories.iter().map(|history| history.chain))
    }
}

/// The state before a step that may turn out to be void.
pub(crate) struct Checkpoint {
    acts: u64,
    time: Time,
    steps: u64,
    place: Place,
    chain: Option<TraceHash>,
}

/// A message in flight.
pub(crate) struct Arrival<P: Protocol, D: Instrumentation> {
    pub(crate) to: Place,
    pub(crate) entry: EntryOf<P, D>,
    pub(crate) tag: D::Tag,
    pub(crate) message: MessageOf<P>,
}

impl<P: Protocol, D: Instrumentation> Clone for Arrival<P, D> {
    #[inline(always)]
    fn clone(&self) -> Self {
        Self { to: self.to, entry: self.entry, tag: self.tag, message: self.message.clone() }
    }
}

impl<P: Protocol, D: Instrumentation> Arrival<P, D> {
    /// Whether messages to one place are equal, whatever the port that they come in by: any order among them is right.
    pub(crate) const EQUAL: bool = !D::FULL && P::Network::PORT_BLIND;

    /// `route`: the place to which it goes, and the entry there.
    #[inline(always)]
    pub(crate) fn new(route: (Place, <P::Network as Network>::Entry), tag: D::Tag, message: MessageOf<P>) -> Self {
        const { assert!(!P::Network::PORT_BLIND || size_of::<MessageOf<P>>() == 0, "messages have to be equal") };
        Self { to: route.0, entry: D::entry::<P::Network>(route.1), tag, message }
    }

    /// The order of arrivals in one pass: by receiving place and port; those of one link keep their order.
    #[inline]
    pub(crate) fn rank(&self) -> (Place, Port) {
        (self.to, self.port())
    }

    /// The number of the receiving end of its link.
    pub(crate) fn link(&self) -> u64 {
        u64::from(self.to) << 32 | u64::from(self.port().0)
    }

    #[inline]
    pub(crate) fn port(&self) -> Port {
        D::port::<P::Network>(self.entry)
    }
}

/// A message that has arrived but not been read.
#[derive(Clone)]
pub(crate) struct QueuedMessage<P: Protocol, D: Instrumentation> {
    pub(crate) port: Port,
    pub(crate) tag: D::Tag,
    pub(crate) message: MessageOf<P>,
}

/// Something that is due at a tick of a place.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Alarm<T> {
    pub(crate) place: Place,
    pub(crate) kind: AlarmKind<T>,
}

/// A timer of a processor, or a request of its user. At one tick timers come first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum TimerOrCall<T, R> {
    Timer(T),
    Call(R),
    /// A request of one of several users, which queues at its site.
    Queue(LocalUser),
}

/// In the order of execution at one tick.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum AlarmKind<T> {
    Read,
    /// A step of variable length: reads all messages, then counts the timers down.
    Step,
    Timer(T),
}

/// The steps of a place whose step lengths vary.
#[derive(Clone, Copy, Hash)]
pub(crate) struct StepClock {
    /// The last step; [`ASLEEP`] before the first.
    pub(crate) last: Time,
    /// The next step; [`ASLEEP`] while there is nothing to do.
    pub(crate) next: Time,
}

impl StepClock {
    pub(crate) const NEW: Self = Self { last: ASLEEP, next: ASLEEP };

    /// Makes the next step come later. Of an idle clock, whose steps are drawn when they are needed, it is the last one.
    pub(crate) fn postpone(&mut self, by: u64) {
        for time in [&mut self.last, &mut self.next] {
            *time = if *time == ASLEEP { ASLEEP } else { time.saturating_add(by) };
        }
    }
}

/// The parts of a new engine that do not depend on the protocol's types: compiled once for all protocols.
struct Untyped {
    choices: ChoiceSource,
    faults: Faults,
    crashed: Vec<bool>,
    reading: Reading,
    grid: Option<TickGrid>,
    step_clocks: Vec<StepClock>,
    histories: Vec<History>,
    passes: Vec<u64>,
}

impl Untyped {
    fn new(scenario: &Scenario, profile: &Profile, resolved: Resolved, choices: Choices, full: bool) -> Self {
        let (n, timed) = (scenario.n, !scenario.untimed);
        let mut choice_source = ChoiceSource::new(scenario.seed, n);
        choice_source.follow(choices);
        let mut faults = scenario.faults.clone();
        let crashes = !mem::take(&mut faults.crashes).is_empty() || faults.at_most.crashes > 0 || may_restart(&faults);
        let ticks = profile.timers || scenario.workload.is_some();
        let reading = if timed { scenario.timing.reading } else { Reading::Immediate };
        let grid = (timed && (ticks || reading != Reading::Immediate)).then(|| TickGrid::new(resolved, n));
        let variable_steps = reading == Reading::PerStep && grid.as_ref().is_some_and(|grid| grid.varying().is_some());
        Self {
            choices: choice_source,
            faults,
            crashed: if crashes { vec![false; n] } else { Vec::new() },
            reading,
            grid,
            step_clocks: if variable_steps { vec![StepClock::NEW; n] } else { Vec::new() },
            histories: vec![History { depth: 0, chain: TraceHash::new() }; if full { n } else { 0 }],
            passes: vec![0; profile.kinds.len()],
        }
    }
}

impl<P: Protocol, D: Instrumentation> EngineState<P, D> {
    /// The state before the first step.
    pub(crate) fn new(scenario: &Scenario, protocol: &P, resolved: Resolved, choices: Choices) -> Self {
        let (profile, network) = (protocol.profile(), protocol.network(scenario));
        let n = scenario.n;
        let Untyped { choices, faults, crashed, reading, grid, step_clocks, histories, passes } =
            Untyped::new(scenario, &profile, resolved, choices, D::FULL);
        let numbered_links = if network.topology().is_ring() { n } else { 0 };
        let half_duplex = HalfDuplexLinks::new(scenario.links, numbered_links);
        let alike = size_of::<MessageOf<P>>() == 0;
        // In an untimed run messages wait at the present until they are chosen.
        let delay_model =
            if scenario.untimed { DelayModel::Constant(0) } else { DelayModel::new(scenario, &network, alike) };
        Self {
            network,
            now: 0,
            reading,
            ticks_ahead: true,
            before_tick: false,
            single_pass: reading == Reading::Immediate && delay_model.shortest() > 0,
            arrivals: match delay_model {
                DelayModel::Constant(_) if !decide_arrivals(scenario) => MessagesInFlight::Fifo(FifoQueue::new(n)),
                _ => MessagesInFlight::Wheel(TimingWheel::new(delay_model.longest(), n)),
            },
            delay_model,
            alarms: TimingWheel::new(if grid.is_some() { 255 } else { 1 }, 0),
            zero: Vec::new(),
            queues: (reading != Reading::Immediate).then(|| InputQueues::new(n)),
            grid,
            timers: PendingTimers::new(n),
            step_clocks,
            reliable: half_duplex.is_none() && !disturbs_messages(&faults) && scenario.interventions.is_empty(),
            half_duplex,
            fault_state: FaultState::new(&faults, n),
            interventions: InterventionState::new(scenario, alike),
            faults,
            crashed,
            choices,
            monitor: MonitorOf::<P>::new(scenario),
            meter: MeterOf::<P>::new(scenario),
            workload: WorkloadDriver::new(scenario),
            present: 0,
            histories,
            lemmas: None,
            cost: Cost::default(),
            passes,
            kinds: profile.kinds,
            rules: profile.rules,
            losing_rules: LosingRules::new(if D::FULL { profile.losing_rules } else { &[] }),
            lost: vec![false; if D::FULL && !profile.losing_rules.is_empty() { n } else { 0 }],
            phased: profile.phased,
            phase_begins: PhaseBegins::new(if profile.times_phases { n } else { 0 }),
            acts: 0,
            messages: 0,
            log: None,
            logged_faults: Vec::new(),
            noted_faults: (0, 0),
            outages: (0, None),
            copies: Vec::new(),
        }
    }

    /// The effects of a step of a place.
    pub(crate) fn effects(&mut self, place: Place) -> EngineEffects<'_, P, D> {
        EngineEffects { engine: self, place }
    }

    #[inline]
    pub(crate) fn is_up(&self, place: Place) -> bool {
        self.crashed.is_empty() || !self.crashed[place as usize]
    }

    pub(crate) fn checkpoint(&self, place: Place) -> Checkpoint {
        let chain = self.histories.get(place as usize).map(|history| history.chain);
        Checkpoint { acts: self.acts, time: self.cost.time, steps: self.cost.steps, place, chain }
    }

    /// Undoes the bookkeeping of a step that had no effects.
    pub(crate) fn undo_if_void(&mut self, before: &Checkpoint) {
        if self.acts == before.acts {
            (self.cost.time, self.cost.steps) = (before.time, before.steps);
            if let Some(chain) = before.chain {
                self.histories[before.place as usize].chain = chain;
            }
            if let Some(log) = &mut self.log {
                log.pop();
            }
        }
    }

    /// The bookkeeping before a step. `tag`: of the message that it receives.
    #[inline]
    pub(crate) fn begin_step(&mut self, place: Place, event: &Event<P::Processor>, tag: D::Tag) {
        self.cost.time = self.now;
        if !D::FULL {
            return;
        }
        self.cost.steps += 1;
        self.present = place;
        self.histories[place as usize].begin_step(self.now, event, tag.depth());
        if self.log.is_some() {
            self.log_step(place, event, tag);
        }
    }

    #[cold]
    fn log_step(&mut self, place: Place, event: &Event<P::Processor>, tag: D::Tag) {
        let record = Record {
            time: self.now,
            place,
            event: event.clone(),
            received: matches!(event, Event::Receive(..)).then(|| tag.number()),
            effects: Vec::new(),
            sent: Vec::new(),
            changed: Vec::new(),
            comparisons: Vec::new(),
            rules: Vec::new(),
            phase: None,
        };
        if let Some(log) = &mut self.log {
            log.push(record);
        }
    }

    /// The record of the present step, if steps are logged.
    #[inline]
    pub(crate) fn present_record(&mut self) -> Option<&mut Record<P::Processor>> {
        if D::FULL { self.log.as_mut()?.last_mut() } else { None }
    }

    /// Counts an effect and logs it, if steps are logged.
    #[inline]
    pub(crate) fn log_effect(&mut self, effect: impl FnOnce() -> Effect<P::Processor>) {
        self.acts += 1;
        if let Some(record) = self.present_record() {
            record.effects.push(effect());
        }
    }

    /// Logs a fault, if steps are logged.
    pub(crate) fn log_fault(&mut self, place: Place, cause: impl FnOnce(&P::Network) -> Cause) {
        self.noted_faults = (self.noted_faults.0 + 1, place);
        if let Some(log) = &self.log {
            let step = Step::new(self.now, place, cause(&self.network));
            self.logged_faults.push((log.len(), step));
        }
    }

    /// Notes a fault of a processor or a link, where runs are looked into.
    #[cold]
    pub(crate) fn note_outage(&mut self, place: Place, cause: Cause) {
        if D::FULL {
            self.outages = (self.outages.0 + 1, Some((place, cause)));
        }
    }

    #[cold]
    pub(crate) fn log_loss(&mut self, arrival: &Arrival<P, D>) {
        let (to, port) = arrival.rank();
        self.log_fault(to, |network| Cause::Loss {
            message: arrival.tag.number(),
            from: network.origin(to, port),
            port,
            content: MessageContent::new(&arrival.message),
        });
    }

    pub(crate) fn log_duplicate(&mut self, arrival: &Arrival<P, D>, copy: D::Tag) {
        let (to, port) = arrival.rank();
        self.log_fault(to, |network| Cause::Duplicate {
            message: arrival.tag.number(),
            copy: copy.number(),
            from: network.origin(to, port),
            port,
            content: MessageContent::new(&arrival.message),
        });
    }

    /// The tag of a new message.
    #[inline]
    pub(crate) fn new_tag(&mut self, depth: u64) -> D::Tag {
        self.messages += 1;
        D::Tag::new(depth, MessageNumber(self.messages))
    }

    /// Counts the duplication of a message; the tag of the copy.
    pub(crate) fn duplicate(&mut self, message: &MessageOf<P>, tag: D::Tag) -> D::Tag {
        self.monitor.duplicated();
        self.meter.duplicated(self.now);
        self.passes[message.kind()] += 1;
        self.cost.bits += message.bits();
        let copy = self.new_tag(tag.depth());
        if D::FULL {
            self.copies.push(copy.number());
        }
        copy
    }

    pub(crate) fn report(&mut self, place: Place, report: Report<P::Processor>) {
        self.log_effect(|| Effect::Report(report.clone()));
        self.meter.observe(self.now, self.passes.iter().sum(), place, &report);
        if self.workload.is_some()
            && let Some(event) = ProblemOf::<P>::workload_event(&report)
        {
            self.schedule_request(place, event);
        }
        if self.monitor.observe(place, report) && self.cost.time_elected.is_none() {
            self.cost.time_elected = Some(self.now);
            self.cost.depth_elected = self.histories.get(place as usize).map(|history| history.depth);
        }
    }

    /// Adds to the passes by kind.
    pub(crate) fn add_passes(&mut self, passes: &[u64]) {
        for (total, more) in self.passes.iter_mut().zip(passes) {
            *total += more;
        }
    }

    /// Counts messages that will never be read.
    pub(crate) fn count_lost(&mut self, messages: u64) {
        for _ in 0..messages {
            self.monitor.lost();
            self.meter.lost(self.now);
        }
    }

    /// Counts messages that do not arrive.
    pub(crate) fn count_lost_underway(&mut self, messages: u64) {
        self.cost.lost += messages;
        self.count_lost(messages);
    }

    #[inline]
    pub(crate) fn choose(&mut self, stream: RandomStream, place: Place, bound: u64) -> u64 {
        if D::FULL {
            self.choices.choose::<true>(stream, place, bound)
        } else {
            self.choices.choose::<false>(stream, place, bound)
        }
    }

    /// Sends a message where messages may be lost or duplicated, links may be cut or are half-duplex.
    #[cold]
    pub(crate) fn send_unreliably(&mut self, from: Place, port: Port, message: &MessageOf<P>, tag: D::Tag) {
        let arrival = Arrival::<P, D>::new(self.network.route(from, port), tag, message.clone());
        if self.fault_state.is_cut(from, arrival.to) {
            self.count_lost_underway(1);
            return self.log_loss(&arrival);
        }
        let failing = self.faults.until.is_none_or(|until| self.now < until);
        if let Some(loss) = self.faults.loss
            && failing
            && self.choose(RandomStream::Fault, from, u64::from(loss.whole)) < u64::from(loss.part)
        {
            self.count_lost_underway(1);
            return self.log_loss(&arrival);
        }
        let mut copy = None;
        if let Some(duplicate) = self.faults.duplicate
            && failing
            && self.choose(RandomStream::Fault, from, u64::from(duplicate.whole)) < u64::from(duplicate.part)
        {
            let tag = self.duplicate(message, tag);
            self.log_duplicate(&arrival, tag);
            copy = Some(tag);
        }
        self.offer(from, port, arrival.message, tag);
        if let Some(tag) = copy {
            self.offer(from, port, message.clone(), tag);
        }
    }

    /// How a message uses its link.
    fn passage(&self, from: Place, port: Port, message: &MessageOf<P>) -> Passage {
        Passage { clockwise: self.network.is_clockwise(from, port), phase: message.phase() }
    }

    /// Whether the step of a timer may send a message: it does not have to wait for its half-duplex link.
    pub(crate) fn is_free(&self, from: Place, port: Port, message: &MessageOf<P>) -> bool {
        let passage = self.passage(from, port, message);
        self.half_duplex.as_ref().is_none_or(|links| links.is_free(self.network.link(from, port), passage))
    }

    /// Transmits a message, or queues it until it may enter its half-duplex link.
    fn offer(&mut self, from: Place, port: Port, message: MessageOf<P>, tag: D::Tag) {
        if self.interventions.is_some() && self.is_dropped(from, port, &message, tag) {
            return;
        }
        if self.half_duplex.is_none() {
            return self.enter_link(from, port, message, tag);
        }
        let (link, passage) = (self.network.link(from, port), self.passage(from, port, &message));
        let item = WaitingSend { from, port, passage, message, tag };
        if let Some(item) = self.half_duplex.as_mut().and_then(|links| links.offer(link, item)) {
            self.enter_link(item.from, item.port, item.message, item.tag);
        }
    }

    /// Transmits a message of a run in which links are half-duplex, or something may happen to messages.
    fn enter_link(&mut self, from: Place, port: Port, message: MessageOf<P>, tag: D::Tag) {
        if self.interventions.is_some() {
            self.transmit_intervened(from, port, message, tag);
        } else {
            self.transmit(from, port, message, tag);
        }
    }

    #[inline]
    pub(crate) fn transmit(&mut self, from: Place, port: Port, message: MessageOf<P>, tag: D::Tag) {
        let route = self.network.route(from, port);
        let at = if D::FULL {
            self.delay_model.arrival::<true>(self.now, &self.network, (from, port), &mut self.choices)
        } else {
            self.delay_model.arrival::<false>(self.now, &self.network, (from, port), &mut self.choices)
        };
        self.arrivals.push(at, Arrival::new(route, tag, message));
    }

    /// A message has arrived. Its half-duplex link may be free now: the next message enters it, and blocked steps are
    /// retried.
    pub(crate) fn delivered(&mut self, to: Place, port: Port) {
        let Some(links) = &mut self.half_duplex else { return };
        let link = self.network.inlink(to, port);
        if !links.delivered(link, self.network.arrives_clockwise(to, port)) {
            return;
        }
        links.unblock(to, self.network.origin(to, port), &mut self.zero);
        while let Some(next) = self.half_duplex.as_mut().and_then(|links| links.next_to_enter(link)) {
            self.enter_link(next.from, next.port, next.message, next.tag);
        }
    }

    /// The first message that travels to a place by a port is on its link twice.
    pub(crate) fn duplicated(&mut self, to: Place, port: Port) {
        if let Some(links) = &mut self.half_duplex {
            links.duplicated(self.network.inlink(to, port), self.network.arrives_clockwise(to, port));
        }
    }

    /// Queues a message to be read. `tick_ahead`: a tick at this instant is still to come.
    pub(crate) fn enqueue(&mut self, place: Place, message: QueuedMessage<P, D>, tick_ahead: bool) {
        let queues = self.queues.as_mut().expect("reading is not immediate");
        let length = queues.push(place, message);
        self.cost.longest_queue = self.cost.longest_queue.max(length);
        if length == 1 {
            self.schedule_read(place, tick_ahead);
        }
    }

    pub(crate) fn schedule_read(&mut self, place: Place, tick_ahead: bool) {
        if !self.step_clocks.is_empty() {
            return self.schedule_step(place, tick_ahead);
        }
        let first = self.queues.as_ref().and_then(|queues| queues.first(place));
        let ticks = self.reading.ticks(|| first.map_or(1, |queued| queued.message.bits()));
        let grid = self.grid.as_ref().expect("reading is not immediate");
        let at = match grid.varying() {
            Some(range) => self.end_of_drawn(place, self.now, ticks, range),
            None if tick_ahead => grid.from(place, self.now, ticks),
            None => grid.after(place, self.now, ticks),
        };
        // A clock beyond the end of time reads no more.
        if let Some(at) = at {
            self.alarms.push(at, Alarm { place, kind: AlarmKind::Read });
        }
    }

    /// Schedules the next step of a place with variable step lengths, if it is not scheduled yet.
    pub(crate) fn schedule_step(&mut self, place: Place, tick_ahead: bool) {
        let grid = self.grid.as_ref().expect("reading is per step");
        let (least, span) = grid.varying().expect("steps vary");
        let changing = grid.changing().is_some();
        let mut clock = self.step_clocks[place as usize];
        if clock.next != ASLEEP {
            return;
        }
        let now = self.now;
        // After a long rest the present is uniformly distributed within a step, and earlier steps do not matter.
        let from = if clock.last == ASLEEP { grid.first(place) } else { clock.last };
        if changing {
            return self.schedule_changing_step(place, from, tick_ahead);
        }
        if now.saturating_sub(from) / LONG_REST > least + span {
            let length = least + self.choose(RandomStream::StepLength, place, span);
            clock.last = now - 1;
            clock.next = now + u64::from(!tick_ahead) + self.choose(RandomStream::StepLength, place, length);
            self.step_clocks[place as usize] = clock;
            return self.alarms.push(clock.next, Alarm { place, kind: AlarmKind::Step });
        }
        let mut next = from;
        // Idle steps were not simulated; draw their lengths now.
        while next == clock.last || next < now || next == now && !tick_ahead {
            clock.last = next;
            next = next.saturating_add(least + self.choose(RandomStream::StepLength, place, span));
        }
        clock.next = next;
        self.step_clocks[place as usize] = clock;
        self.alarms.push(next, Alarm { place, kind: AlarmKind::Step });
    }

    /// The same where the range of lengths changes: each step has a length of the range in force when it begins.
    #[cold]
    fn schedule_changing_step(&mut self, place: Place, from: Time, tick_ahead: bool) {
        let mut clock = self.step_clocks[place as usize];
        let (now, mut next) = (self.now, from);
        while next == clock.last || next < now || next == now && !tick_ahead {
            let ((least, span), change) = self.lengths_at(next);
            // A long rest in one range, as above; the last step before its end is known then.
            let target = change.map_or(now, |change| change.min(now));
            if target.saturating_sub(next) / LONG_REST > least + span {
                let length = least + self.choose(RandomStream::StepLength, place, span);
                let over = u64::from(target == now && !tick_ahead);
                clock.last = target - 1;
                next = target + over + self.choose(RandomStream::StepLength, place, length);
                continue;
            }
            clock.last = next;
            next = next.saturating_add(least + self.choose(RandomStream::StepLength, place, span));
        }
        clock.next = next;
        self.step_clocks[place as usize] = clock;
        self.alarms.push(next, Alarm { place, kind: AlarmKind::Step });
    }

    /// Where clocks vary, the minimum and the number of lengths of steps that begin at a time, and when others follow.
    fn lengths_at(&self, time: Time) -> ((u64, u64), Option<Time>) {
        let changing = self.grid.as_ref().and_then(TickGrid::changing);
        changing.expect("tick lengths change").varying_at(time)
    }

    /// The end of ticks of varying length that begin one after the other: one length is drawn for all of them, and another
    /// one for those that begin when another range is in force. `range`: the minimum and the number of lengths.
    pub(crate) fn end_of_drawn(&mut self, place: Place, from: Time, ticks: Ticks, range: (u64, u64)) -> Option<Time> {
        if self.grid.as_ref().is_some_and(|grid| grid.changing().is_some()) {
            return self.end_of_changing(place, from, ticks.get()?);
        }
        let length = range.0 + self.choose(RandomStream::StepLength, place, range.1);
        ticks.times(length)?.checked_add(from)
    }

    #[cold]
    fn end_of_changing(&mut self, place: Place, mut from: Time, mut ticks: u64) -> Option<Time> {
        loop {
            let ((least, span), change) = self.lengths_at(from);
            let length = least + self.choose(RandomStream::StepLength, place, span);
            let fit = change.map_or(u64::MAX, |change| (change - from).div_ceil(length));
            if ticks <= fit {
                return ticks.checked_mul(length)?.checked_add(from);
            }
            from = fit.checked_mul(length)?.checked_add(from)?;
            ticks -= fit;
        }
    }

    pub(crate) fn set_timer(&mut self, place: Place, timer: TimerOrCallOf<P>, after: Ticks) {
        let Some(grid) = &self.grid else { return self.set_untimed(place, timer, after) };
        // Requests of users are counted from the next instant on.
        let before_tick = self.before_tick && matches!(timer, TimerOrCall::Timer(_));
        let when = match (after, grid.varying()) {
            (Ticks::ZERO, _) => Expiry::EndOfPass,
            // Beyond the end of time even if every step has the minimum length.
            (_, Some((least, _))) if self.until(after, least).is_none() => Expiry::Never,
            (_, Some(_)) if !self.step_clocks.is_empty() && after < Ticks::new(MANY_STEPS) => {
                let set = if before_tick { self.now.saturating_sub(1) } else { self.now };
                Expiry::Steps { left: after.get().expect("it is not never"), set }
            }
            (_, Some(range)) => {
                let at = self.end_of_drawn(place, self.now, after, range);
                at.filter(|&at| at <= END_OF_TIME).map_or(Expiry::Never, Expiry::At)
            }
            (_, None) => {
                let at =
                    if before_tick { grid.from(place, self.now, after) } else { grid.after(place, self.now, after) };
                at.filter(|&at| at <= END_OF_TIME).map_or(Expiry::Never, Expiry::At)
            }
        };
        match when {
            Expiry::At(at) => self.alarms.push(at, Alarm { place, kind: AlarmKind::Timer(timer.clone()) }),
            Expiry::Steps { .. } => self.schedule_step(place, self.ticks_ahead),
            Expiry::EndOfPass => self.zero.push((place, timer.clone())),
            Expiry::Never => {}
        }
        self.timers.set(place, timer, when);
    }

    /// Sets a timer in an untimed run: it may expire at any time, unless its length is never.
    #[cold]
    fn set_untimed(&mut self, place: Place, timer: TimerOrCallOf<P>, after: Ticks) {
        let when = if after == Ticks::NEVER { Expiry::Never } else { Expiry::EndOfPass };
        if when != Expiry::Never {
            self.zero.push((place, timer.clone()));
        }
        self.timers.set(place, timer, when);
    }

    fn until(&self, ticks: Ticks, length: u64) -> Option<Time> {
        ticks.times(length)?.checked_add(self.now).filter(|&at| at <= END_OF_TIME)
    }

    pub(crate) fn elapsed(&self, place: Place) -> Option<Ticks> {
        self.grid.as_ref()?.elapsed(place, self.now)
    }
}
