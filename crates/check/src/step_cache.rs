//! Steps without clocks, computed once for a local state and an event and then looked up.

use ringleader_model::{Place, Port};

use crate::choices::ChoiceProbability;
use crate::interner::{Interned, Interner, ValueTable};
use crate::memo::Memo;
use crate::port_numbering::PartialNumbering;
use crate::program::{Observation, Program, Trigger, UserRequest};
use crate::step::LocalState;

/// The local state of a crashed processor.
pub(crate) const CRASHED: Interned = 0;

/// The number of no reports.
pub(crate) const NO_REPORTS: Interned = 0;

/// An outcome of a step: the next local state, what is sent and what is reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CachedStep {
    pub(crate) local: Interned,
    /// The range of its messages in `sends`.
    pub(crate) sends: (u32, u32),
    /// Its reports; [`NO_REPORTS`] if there are none.
    pub(crate) reports: Interned,
    /// Of its random choices.
    pub(crate) probability: ChoiceProbability,
    /// By how much the processor's phase grows.
    pub(crate) advance: u32,
    /// The last outcome of its event.
    pub(crate) last: bool,
}

/// The events of a local state that need no message.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LocalSummary {
    known: bool,
    /// It has crashed, and may restart.
    pub(crate) down: bool,
    pub(crate) asleep: bool,
    /// One bit for each [`UserRequest`] that its user may make.
    requests: u8,
    /// The number of timers that run.
    pub(crate) timers: u32,
    /// Its least live round; the greatest number if it has none.
    pub(crate) round: u32,
    /// Its processor's phase.
    pub(crate) phase: u32,
    /// The longest causal chain of messages that it has seen, if that is recorded.
    pub(crate) depth: u32,
    /// The index of its first timer in `timers`.
    first_timer: u32,
}

impl LocalSummary {
    /// True if its user may still ask for something.
    pub(crate) fn may_ask(self) -> bool {
        self.may(UserRequest::Acquire) || self.may(UserRequest::Again)
    }

    /// True if its user may make this request.
    pub(crate) fn may(self, request: UserRequest) -> bool {
        self.requests & 1 << request as u8 != 0
    }
}

/// Local states, and the steps between them.
pub(crate) struct StepCache {
    pub(crate) program: Box<dyn Program>,
    /// [`CRASHED`] is `None`.
    locals: Interner<Option<LocalState>>,
    observations: Interner<Vec<Observation>>,
    outcomes: Vec<CachedStep>,
    sends: Vec<(Port, Interned)>,
    /// By local state and event: its first outcome.
    first_of: Memo,
    /// By local state.
    summaries: Vec<LocalSummary>,
    timers: Vec<Interned>,
    ports: u32,
    /// Processors that do not tell their ports apart any more have them renamed.
    pub(crate) renames: bool,
}

impl StepCache {
    pub(crate) fn new(program: Box<dyn Program>, ports: u32) -> Self {
        let (mut locals, mut observations) = (Interner::new(), Interner::new());
        assert_eq!((locals.intern(None), observations.intern(Vec::new())), (CRASHED, NO_REPORTS));
        Self::with(program, locals, observations, ports)
    }

    /// For another worker.
    pub(crate) fn fork(&self) -> Self {
        let fork = Self::with(self.program.fork(), self.locals.clone(), self.observations.clone(), self.ports);
        Self { renames: self.renames, ..fork }
    }

    fn with(
        program: Box<dyn Program>,
        locals: Interner<Option<LocalState>>,
        observations: Interner<Vec<Observation>>,
        ports: u32,
    ) -> Self {
        Self {
            program,
            locals,
            observations,
            outcomes: Vec::new(),
            sends: Vec::new(),
            first_of: Memo::new(),
            summaries: Vec::new(),
            timers: Vec::new(),
            ports,
            renames: false,
        }
    }

    /// The number of a local state.
    pub(crate) fn intern(&mut self, local: LocalState) -> Interned {
        self.locals.intern(Some(local))
    }

    /// A local state; `None` if the processor has crashed.
    pub(crate) fn local(&mut self, local: Interned) -> Option<LocalState> {
        self.locals.get(local).clone()
    }

    /// The number of a single observation.
    pub(crate) fn observation(&mut self, observation: Observation) -> Interned {
        self.observations.intern(vec![observation])
    }

    /// The monitor after observations at a place, and the loss of `lost` messages.
    pub(crate) fn observe(&mut self, monitor: Interned, place: Place, observations: Interned, lost: u32) -> Interned {
        let lost = (0..lost).map(|_| Observation::Loss);
        let observations: Vec<_> = self
            .observations
            .get(observations)
            .iter()
            .copied()
            .chain(lost)
            .map(|observation| (place, observation))
            .collect();
        self.program.observe(monitor, &observations)
    }

    /// The local state of a processor that has crashed and may restart, from this initial state.
    pub(crate) fn down(&mut self, local: Interned, newborn: Interned) -> Interned {
        let mut down = self.locals.get(local).clone().expect(ALIVE);
        down.processor = self.program.restarted(down.processor, newborn);
        down.go_down();
        self.intern(down)
    }

    /// A local state with `by` subtracted from its rounds.
    pub(crate) fn rebased(&mut self, local: Interned, by: u32) -> Interned {
        let Some(mut rebased) = self.locals.get(local).clone() else { return local };
        rebased.processor = self.program.rebased(rebased.processor, by);
        self.locals.intern(Some(rebased))
    }

    /// The numberings of ports that a local state holds; `None` if it has crashed.
    pub(crate) fn numbering(&mut self, local: Interned) -> Option<PartialNumbering> {
        self.locals.get(local).as_ref().map(|local| local.numbering.clone())
    }

    /// A local state that holds these numberings.
    pub(crate) fn with_numbering(&mut self, local: Interned, numbering: PartialNumbering) -> Interned {
        let local = self.locals.get(local).clone().expect(ALIVE);
        self.locals.intern(Some(LocalState { numbering, ..local }))
    }

    /// A local state with its ports renamed, if its processor does not tell them apart any more.
    pub(crate) fn renamed(&mut self, local: Interned) -> Interned {
        let Some(before) = self.locals.get(local).clone().filter(|_| self.renames) else { return local };
        match before.numbering.rename(&mut *self.program, before.processor) {
            Some((processor, numbering)) => self.intern(LocalState { processor, numbering, ..before }),
            None => local,
        }
    }

    /// All ways to receive a message from a neighbour: the local state with the numberings by which it comes in by a
    /// port, and that port. One way if the step is the same by all ports.
    pub(crate) fn receipts(&mut self, local: Interned, rank: u32, message: Interned) -> Vec<(Interned, u32)> {
        let numbering = self.numbering(local).expect(ALIVE);
        let ports = numbering.candidates(rank);
        let first = self.first(local, Trigger::Receive { port: ports[0], message });
        let mut differs = |&port: &u32| {
            let other = self.first(local, Trigger::Receive { port, message });
            !self.same_outcomes(first, other)
        };
        if !ports[1..].iter().any(&mut differs) {
            return vec![(local, ports[0])];
        }
        ports.into_iter().map(|port| (self.with_numbering(local, numbering.assign(port, rank)), port)).collect()
    }

    /// True if two events, given by their first outcomes, have the same outcomes.
    fn same_outcomes(&self, first: u32, other: u32) -> bool {
        for index in 0.. {
            let [one, two] = [first, other].map(|first| self.get(first + index));
            let same = CachedStep { sends: one.sends, ..two } == one && self.sends(one) == self.sends(two);
            if !same || one.last {
                return same;
            }
        }
        unreachable!("an event has a last outcome")
    }

    /// The random choices of an outcome.
    pub(crate) fn chosen(&mut self, local: Interned, trigger: Trigger, outcome: u32) -> Vec<u32> {
        let local = self.locals.get(local).as_ref().expect(ALIVE);
        local.outcomes(&mut *self.program, trigger).swap_remove(outcome as usize).chosen
    }

    /// The index of the first outcome of an event; the others follow it.
    pub(crate) fn first(&mut self, local: Interned, trigger: Trigger) -> u32 {
        match self.first_of.get(local, self.code(trigger)) {
            Some(first) => first,
            None => self.compute(local, trigger),
        }
    }

    pub(crate) fn get(&self, index: u32) -> CachedStep {
        self.outcomes[index as usize]
    }

    /// The messages of an outcome.
    pub(crate) fn sends(&self, step: CachedStep) -> &[(Port, Interned)] {
        &self.sends[step.sends.0 as usize..step.sends.1 as usize]
    }

    /// The events of a local state that need no message.
    #[inline]
    pub(crate) fn summary(&mut self, local: Interned) -> LocalSummary {
        match self.summaries.get(local as usize) {
            Some(&summary) if summary.known => summary,
            _ => self.summarize(local),
        }
    }

    /// A timer that runs.
    pub(crate) fn timer(&self, summary: LocalSummary, index: u32) -> Interned {
        self.timers[(summary.first_timer + index) as usize]
    }

    pub(crate) fn bytes(&self) -> usize {
        let lists = size_of_val(&*self.outcomes) + size_of_val(&*self.sends) + size_of_val(&*self.summaries);
        self.program.bytes() + self.locals.bytes() + self.observations.bytes() + self.first_of.bytes() + lists
    }

    /// All interned values.
    pub(crate) fn value_tables(&self) -> Vec<&dyn ValueTable> {
        let mut tables = self.program.value_tables();
        tables.extend([&self.locals as &dyn ValueTable, &self.observations]);
        tables
    }

    #[cold]
    fn summarize(&mut self, local: Interned) -> LocalSummary {
        let index = local as usize;
        if self.summaries.len() <= index {
            self.summaries.resize(index + 1, LocalSummary::default());
        }
        let mut summary = LocalSummary { known: true, round: u32::MAX, ..LocalSummary::default() };
        if let Some(local) = self.locals.get(local) {
            let may = |request: &UserRequest| !local.down && local.user.may(*request) && self.program.accepts(*request);
            (summary.down, summary.asleep) = (local.down, local.asleep);
            summary.requests = UserRequest::ALL.into_iter().filter(may).map(|request| 1 << request as u8).sum();
            summary.timers = local.timers.len() as u32;
            summary.round = self.program.live_round(local.processor).unwrap_or(u32::MAX);
            summary.phase = self.program.phase(local.processor);
            summary.depth = self.program.depth(local.processor).unwrap_or(0);
            summary.first_timer = self.timers.len() as u32;
            self.timers.extend_from_slice(&local.timers);
        }
        self.summaries[index] = summary;
        summary
    }

    fn compute(&mut self, local: Interned, trigger: Trigger) -> u32 {
        let before = self.locals.get(local).as_ref().expect(ALIVE);
        let outcomes = before.outcomes(&mut *self.program, trigger);
        let found = self.outcomes.len() as u32;
        let last = outcomes.len() - 1;
        for (index, outcome) in outcomes.into_iter().enumerate() {
            let first = self.sends.len() as u32;
            for (port, message) in outcome.after.sends {
                assert!(message < Interned::MAX / 2 / self.ports.max(2), "memory ends before numbers do");
                self.sends.push((port, message));
            }
            let effect = CachedStep {
                local: self.locals.intern(Some(outcome.after.local)),
                sends: (first, self.sends.len() as u32),
                reports: self.observations.intern(outcome.after.reports),
                probability: outcome.probability,
                advance: outcome.after.advance,
                last: index == last,
            };
            self.outcomes.push(effect);
        }
        self.first_of.insert(local, self.code(trigger), found);
        found
    }

    /// Events as numbers: messages from below, all others from above.
    fn code(&self, trigger: Trigger) -> u32 {
        match trigger {
            Trigger::Receive { port, message } => message * self.ports + port,
            Trigger::Wake => u32::MAX,
            Trigger::Call(request) => u32::MAX - 1 - request as u32,
            Trigger::Timeout(timer) => u32::MAX - 4 - 2 * timer,
            Trigger::Restart { newborn } => u32::MAX - 5 - 2 * newborn,
        }
    }
}

const ALIVE: &str = "a crashed processor takes no steps";
