//! The transition systems that every search explores: states as vectors of numbers, and the transitions between them.
//!
//! A state is a vector of interned values ([`interner`](crate::interner)): one entry for each processor, one for each
//! link, one for the monitor, and where faults are possible one for how many are left. Its 64-bit fingerprint is a sum
//! of one hash per entry, as in Zobrist hashing, so that a transition updates it for the few entries that it writes.

use ringleader_model::{Leader, Place, Ports, Promises, Proposition, mix};

use crate::answer::Property;
use crate::choices::ChoiceProbability;
use crate::depth::CausalDepths;
use crate::interner::{Interned, ValueTable};
use crate::links::LinkTable;
use crate::passes::{LinearCost, Passes};
use crate::phases::{HighestPhase, PhaseGrowth};
use crate::probability::ResultLabel;
use crate::program::Program;

/// A transition system, given implicitly: by its initial states and the successors of a state.
///
/// Searches use it through a pointer, so that they are compiled once, not once for every protocol.
pub(crate) trait TransitionSystem: Monitored + Send {
    /// A copy for another worker thread, in which the same numbers stand for the same values.
    fn fork(&self) -> Box<dyn TransitionSystem>;

    /// All of the same length.
    fn initial_states(&self) -> Vec<Vec<Interned>>;

    /// Replaces `successors` by the transitions of a state. Those of one action are adjacent.
    fn successors(&mut self, state: &[Interned], fingerprint: u64, successors: &mut Successors);

    /// Adds the transitions of a state in which phases grow, in order.
    fn phase_growth(&mut self, _state: &[Interned], _growth: &mut Vec<PhaseGrowth>) {}

    /// The obligations under weak fairness that are pending in a state, by number, the same in all states. Without
    /// clocks an obligation is pending if an action that discharges it is enabled; an optional action discharges none.
    /// With clocks actions are instants, and obligations are predicates of the state: a user is in the critical region,
    /// an initiator has not woken up.
    fn pending(&mut self, state: &[Interned], pending: &mut Vec<u32>);

    /// Memory held by this copy, about, so that a search stops before there is no more.
    fn bytes(&self) -> usize {
        0
    }

    /// All interned values whose numbers states depend on, directly or not, always in the same order: what a checkpoint
    /// keeps of them.
    fn value_tables(&self) -> Vec<&dyn ValueTable> {
        Vec::new()
    }

    /// A system may examine something in each state until it knows enough, and intern values meanwhile. `always`: it does not
    /// stop, so that it comes upon all values that it came upon in another run, in whatever order.
    fn reexamine(&mut self, _always: bool) {}

    /// What the extremes of costs need to know of a state. `quiescent`: only optional actions are enabled.
    fn features(&mut self, state: &[Interned], quiescent: bool) -> StateFeatures {
        let complete = quiescent && !self.monitor_status(state).waiting;
        StateFeatures { complete, ..StateFeatures::default() }
    }

    /// The costs of time that have a meaning.
    fn timed_costs(&self) -> TimedCosts {
        TimedCosts::default()
    }

    /// True if rotations of a state are represented by one of them.
    fn uses_rotation(&self) -> bool {
        false
    }

    /// True if a state, whose successors are given, is quiescent as [`Proposition::Quiescent`] means it.
    fn is_quiescent(&mut self, _state: &[Interned], successors: &Successors) -> bool {
        successors.is_quiescent()
    }

    /// True if runs must be strongly fair: an obligation that is pending infinitely often is discharged infinitely often.
    fn is_strongly_fair(&self) -> bool {
        false
    }

    /// Disables the reductions that a result may not be preserved by, since more runs count as fair with them; returns
    /// true if one was enabled, so that the search must be repeated. `livelock`: the result contains a livelock.
    fn disable_unfair(&mut self, _livelock: bool) -> bool {
        false
    }

    /// Disables the renaming of ports after a search that has found the order of messages to matter; returns true if it
    /// was enabled.
    fn disable_renaming(&mut self) -> bool {
        false
    }
}

/// A system whose states are judged by the problem's monitor.
pub(crate) trait Monitored {
    fn monitor_status(&mut self, state: &[Interned]) -> MonitorStatus;

    /// The violations of safety by a state, or else its outstanding requests, in words.
    fn diagnosis(&mut self, state: &[Interned]) -> String;

    /// The properties that are judged: those of every protocol, its invariants and its promises.
    fn properties(&self) -> Vec<Property> {
        Property::ALL.to_vec()
    }

    /// The properties that a violating state violates.
    fn violated_properties(&mut self, _state: &[Interned]) -> Vec<Property> {
        vec![Property::Safety]
    }

    /// How a state violates an invariant or a promise, in words.
    fn violation_detail(&mut self, _state: &[Interned], _property: &str) -> String {
        String::new()
    }

    /// The result so far.
    fn label(&mut self, _state: &[Interned]) -> ResultLabel {
        ResultLabel::default()
    }

    /// True if the problem demands quiescence: messages end once all requests are served.
    fn must_quiesce(&self) -> bool {
        false
    }

    /// A behaviour that looks like a violation and is none; empty if there is no such thing.
    fn caveat(&self) -> &'static str {
        ""
    }

    /// True if processors go through phases.
    fn is_phased(&self) -> bool {
        false
    }

    /// The costs that are linear in message passes.
    fn linear_costs(&self) -> Vec<LinearCost> {
        vec![LinearCost::messages()]
    }

    /// The highest phase that any step has reached; `None` if there are no phases.
    fn phases(&self) -> Option<HighestPhase> {
        None
    }

    /// The leaders that a monitor has observed; `None` where none is to be elected.
    fn leaders(&mut self, _monitor: Interned) -> Option<Vec<Leader>> {
        None
    }

    /// The longest causal chains of messages; `None` if they are not recorded.
    fn depths(&self) -> Option<CausalDepths> {
        None
    }

    /// The longest causal chain that led to the first election that a monitor has observed, if that is recorded.
    fn depth_elected(&mut self, _monitor: Interned) -> Option<u32> {
        None
    }

    /// The number of processors.
    fn places(&self) -> Place {
        0
    }

    /// The index of the monitor in a state vector.
    fn monitor_entry(&self) -> usize {
        0
    }

    /// The propositions that a monitor satisfies, as bits.
    fn satisfied(&mut self, _monitor: Interned, _propositions: &[Proposition]) -> u64 {
        0
    }
}

/// A transition system of a protocol, timed or untimed: its states have the same layout up to the monitor's entry.
pub(crate) trait ProtocolSystem {
    fn program(&self) -> &dyn Program;
    fn program_mut(&mut self) -> &mut dyn Program;
    fn links(&self) -> &LinkTable;
    /// By monitor: its status, once computed.
    fn statuses(&mut self) -> &mut Vec<Option<MonitorStatus>>;

    /// See [`Monitored::caveat`].
    fn system_caveat(&self) -> &'static str {
        self.program().caveat()
    }

    /// The index of the monitor in a state vector.
    #[inline]
    fn monitor_index(&self) -> usize {
        self.links().n + self.links().count
    }
}

impl<S: ProtocolSystem> Monitored for S {
    fn monitor_status(&mut self, state: &[Interned]) -> MonitorStatus {
        let monitor = state[self.monitor_index()];
        let index = monitor as usize;
        if let Some(&Some(status)) = self.statuses().get(index) {
            return status;
        }
        let status = self.program_mut().monitor_status(monitor);
        let statuses = self.statuses();
        if statuses.len() <= index {
            statuses.resize(index + 1, None);
        }
        statuses[index] = Some(status);
        status
    }

    fn diagnosis(&mut self, state: &[Interned]) -> String {
        let monitor = state[self.monitor_index()];
        self.program_mut().diagnosis(monitor)
    }

    fn properties(&self) -> Vec<Property> {
        self.program().properties()
    }

    fn violated_properties(&mut self, state: &[Interned]) -> Vec<Property> {
        let monitor = state[self.monitor_index()];
        self.program_mut().violated_properties(monitor)
    }

    fn violation_detail(&mut self, state: &[Interned], property: &str) -> String {
        let monitor = state[self.monitor_index()];
        self.program_mut().violation_detail(monitor, property)
    }

    fn label(&mut self, state: &[Interned]) -> ResultLabel {
        let monitor = state[self.monitor_index()];
        self.program_mut().label(monitor)
    }

    fn must_quiesce(&self) -> bool {
        self.program().must_quiesce()
    }

    fn caveat(&self) -> &'static str {
        self.system_caveat()
    }

    fn is_phased(&self) -> bool {
        self.program().is_phased()
    }

    fn linear_costs(&self) -> Vec<LinearCost> {
        self.program().linear_costs()
    }

    fn phases(&self) -> Option<HighestPhase> {
        self.program().phases()
    }

    fn leaders(&mut self, monitor: Interned) -> Option<Vec<Leader>> {
        self.program_mut().leaders(monitor)
    }

    fn depths(&self) -> Option<CausalDepths> {
        self.program().depths()
    }

    fn depth_elected(&mut self, monitor: Interned) -> Option<u32> {
        self.program_mut().depth_elected(monitor)
    }

    fn places(&self) -> Place {
        self.links().n as Place
    }

    fn monitor_entry(&self) -> usize {
        self.monitor_index()
    }

    fn satisfied(&mut self, monitor: Interned, propositions: &[Proposition]) -> u64 {
        let satisfied = |&one: &Proposition| self.program_mut().satisfies(monitor, one) == Some(true);
        let bits = propositions.iter().map(satisfied).enumerate();
        bits.fold(0, |letter, (bit, satisfied)| letter | u64::from(satisfied) << bit)
    }
}

/// A transition system that reconstructs the actions of a counterexample from its states and transitions.
pub(crate) trait Reconstruct: TransitionSystem {
    /// The label of a transition.
    type Action;

    /// Fixes the numbering of ports of the run through these states, from its initial state on, by these transitions, for
    /// the actions that are reconstructed next. `None`: it is the scenario's.
    fn fix_numbering(&mut self, states: &[Vec<Interned>], transitions: &[usize]) -> Option<Ports>;

    /// The action of a transition, by its index among the successors of a state.
    fn action(&mut self, state: &[Interned], transition: usize) -> Self::Action;

    /// The action of a transition between canonical states. `state` is a concrete state; the transition leads from its
    /// canonical form to `next`. Afterwards `state` is the concrete state that the action leads to.
    fn replay(&mut self, state: &mut Vec<Interned>, transition: usize, next: &[Interned]) -> Self::Action {
        let action = self.action(state, transition);
        state.copy_from_slice(next);
        action
    }
}

/// The status of the problem's monitor in a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MonitorStatus {
    /// Safety, an invariant or a promise is violated.
    pub(crate) violated: bool,
    /// Safety or an invariant is: successors are not explored.
    pub(crate) cut_off: bool,
    /// A request is outstanding.
    pub(crate) waiting: bool,
    /// The existential promises that it fulfils.
    pub(crate) fulfilled: Promises,
}

/// What the extremes of costs need to know of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct StateFeatures {
    /// A run that has come here is complete: nothing must happen any more, every request was served, and no user will
    /// make another.
    pub(crate) complete: bool,
    /// The highest phase of any processor.
    pub(crate) phase: u32,
    /// The longest causal chain of messages that any processor has seen, if that is recorded.
    pub(crate) depth: u32,
    pub(crate) monitor: Interned,
    /// One bit for each place whose user has asked to enter and waits; only with clocks.
    pub(crate) trying: u64,
    /// One bit for each place whose user is in the critical region; only with clocks.
    pub(crate) inside: u64,
    /// One bit for each place that changes with each request to enter, if there are finitely many; only with clocks.
    pub(crate) requests: u64,
}

/// The costs of time that have a meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct TimedCosts {
    /// The time from the first instant on: all processors wake up then.
    pub(crate) elapsed: bool,
    /// The time from a request to the entry.
    pub(crate) response: bool,
}

/// The transitions of a state, in one allocation that is used again for the next state.
#[derive(Default)]
pub(crate) struct Successors {
    pub(crate) transitions: Vec<Transition>,
    /// An ample set, if the system knows one: exploring these transitions only is enough where partial-order reduction
    /// is enabled. Empty: it knows none.
    pub(crate) ample: core::ops::Range<usize>,
    /// They cannot be enumerated: those listed are not all.
    pub(crate) truncated: bool,
    writes: Vec<(u32, Interned)>,
    discharges: Vec<u32>,
    probabilities: Vec<ChoiceProbability>,
}

/// A transition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transition {
    /// Of the state that it leads to.
    pub(crate) fingerprint: u64,
    /// Its action, numbered from 0; the transitions of one action differ in their random choices.
    pub(crate) action: u32,
    /// The number of the probability of these random choices, counted from 1; 0: they are certain.
    probability: u32,
    /// Message passes.
    pub(crate) sent: u32,
    /// They by kind.
    pub(crate) passes: Passes,
    /// No run need contain it: a wake-up of an arbitrary initiator, a request, a fault. Deadlocks are defined by this:
    /// in a quiescent state only optional transitions are enabled.
    pub(crate) optional: bool,
    /// The end of its writes.
    writes: u32,
    /// The end of its discharges.
    discharges: u32,
}

impl Successors {
    pub(crate) fn clear(&mut self) {
        self.transitions.clear();
        self.ample = 0..0;
        self.truncated = false;
        self.writes.clear();
        self.discharges.clear();
        self.probabilities.clear();
    }

    /// The transition being built writes an entry that it has not written before. For systems that cannot afford the
    /// search of [`write`](Self::write); such a transition [ends with its fingerprint](Self::finish_at).
    #[inline]
    pub(crate) fn write_new(&mut self, index: u32, value: Interned) {
        self.writes.push((index, value));
    }

    /// Completes a transition whose fingerprint is known.
    #[inline]
    pub(crate) fn finish_at(
        &mut self,
        fingerprint: u64,
        (action, probability): (u32, ChoiceProbability),
        passes: impl Into<Passes>,
        optional: bool,
    ) {
        let (writes, discharges) = (self.writes.len() as u32, self.discharges.len() as u32);
        let probability = if probability == ChoiceProbability::CERTAIN {
            0
        } else {
            self.probabilities.push(probability);
            self.probabilities.len() as u32
        };
        let passes = passes.into();
        let sent = passes.total();
        self.transitions.push(Transition {
            fingerprint,
            action,
            probability,
            sent,
            passes,
            optional,
            writes,
            discharges,
        });
    }

    /// True if they are all, and their probabilities are known.
    pub(crate) fn have_probabilities(&self) -> bool {
        !self.truncated && !self.probabilities.contains(&ChoiceProbability::UNREPRESENTABLE)
    }

    /// The probability of the random choices of a transition.
    pub(crate) fn probability(&self, transition: usize) -> ChoiceProbability {
        match self.transitions[transition].probability {
            0 => ChoiceProbability::CERTAIN,
            number => self.probabilities[number as usize - 1],
        }
    }

    /// The transition being built writes an entry of the state vector, perhaps again.
    pub(crate) fn write(&mut self, index: u32, value: Interned) {
        let from = self.open_start().0;
        match self.writes[from..].iter_mut().find(|(other, _)| *other == index) {
            Some(write) => write.1 = value,
            None => self.writes.push((index, value)),
        }
    }

    /// The value that the transition being built has written to an entry.
    pub(crate) fn written(&self, index: u32) -> Option<Interned> {
        self.writes[self.open_start().0..].iter().find(|(other, _)| *other == index).map(|&(_, value)| value)
    }

    /// The transition being built discharges an obligation.
    pub(crate) fn discharge(&mut self, obligation: u32) {
        self.discharges.push(obligation);
    }

    /// Completes a transition from a state with this fingerprint.
    pub(crate) fn finish(
        &mut self,
        state: &[Interned],
        fingerprint: u64,
        (action, probability): (u32, ChoiceProbability),
        passes: impl Into<Passes>,
        optional: bool,
    ) {
        let mut after = fingerprint;
        for &(index, value) in &self.writes[self.open_start().0..] {
            after = after.wrapping_sub(entry_hash(index, state[index as usize])).wrapping_add(entry_hash(index, value));
        }
        self.finish_at(after, (action, probability), passes, optional);
    }

    /// The last transition is not optional.
    pub(crate) fn require(&mut self) {
        if let Some(last) = self.transitions.last_mut() {
            last.optional = false;
        }
    }

    /// Takes back the last transition.
    pub(crate) fn take_back(&mut self) {
        self.transitions.pop();
        let (writes, discharges) = self.open_start();
        self.writes.truncate(writes);
        self.discharges.truncate(discharges);
    }

    /// The writes of a transition: indices of the state vector, each at most once, and values.
    pub(crate) fn writes(&self, transition: usize) -> &[(u32, Interned)] {
        let from = if transition == 0 { 0 } else { self.transitions[transition - 1].writes };
        &self.writes[from as usize..self.transitions[transition].writes as usize]
    }

    /// The obligations that a transition discharges.
    pub(crate) fn discharged(&self, transition: usize) -> &[u32] {
        let from = if transition == 0 { 0 } else { self.transitions[transition - 1].discharges };
        &self.discharges[from as usize..self.transitions[transition].discharges as usize]
    }

    /// True if the state is quiescent: all enabled transitions are optional.
    pub(crate) fn is_quiescent(&self) -> bool {
        self.transitions.iter().all(|transition| transition.optional)
    }

    /// Turns a state into the one that a transition leads to.
    pub(crate) fn apply(&self, transition: usize, state: &mut [Interned]) {
        for &(index, value) in self.writes(transition) {
            state[index as usize] = value;
        }
    }

    /// The start of the writes and discharges of the transition being built.
    fn open_start(&self) -> (usize, usize) {
        self.transitions
            .last()
            .map_or((0, 0), |transition| (transition.writes as usize, transition.discharges as usize))
    }
}

/// The fingerprint of a state.
pub(crate) fn fingerprint(state: &[Interned]) -> u64 {
    state.iter().enumerate().map(|(index, &value)| entry_hash(index as u32, value)).fold(0, u64::wrapping_add)
}

/// The hash of one entry of the state vector: a bijection of index and value that mixes all bits.
#[inline]
pub(crate) fn entry_hash(index: u32, value: Interned) -> u64 {
    mix((u64::from(index) << 32 | u64::from(value)).wrapping_add(0x9E37_79B9_7F4A_7C15))
}
