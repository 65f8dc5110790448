//! The untimed semantics: every enabled event may happen next, whatever clocks and delays do.
//!
//! Successors are put together from [`local_transitions`](crate::local_transitions), which hold for one place each.
//! [`ample`] has the partial-order reduction, [`canonical`] rounds and symmetry reduction.

mod ample;
mod canonical;
mod faults;
#[cfg(test)]
mod tests;

use ringleader_model::{AtMost, BadSetting, Faults, Links, Place, Ports, Scenario};

use self::ample::AmpleSet;
use self::canonical::Canonicalizer;
use crate::answer::Wakers;
use crate::faults::{FaultBudget, NeighbourPairs};
use crate::interner::{Interned, ValueTable};
use crate::links::LinkTable;
use crate::local_transitions::{FairnessIds, LocalCause, LocalTransitions, NOTHING, TransitionSources};
use crate::memo::Memo;
use crate::phases::PhaseGrowth;
use crate::port_numbering::{FullNumbering, MAX_PORTS, PartialNumbering, RunNumberings};
use crate::probability::{PhaseAdvance, ProbabilisticSystem};
use crate::program::{InitialState, InternedAction, Program, Trigger};
use crate::queues::{EMPTY, ItemNumbering, LinkQueues};
use crate::reductions::{Reduction, Reductions};
use crate::state_graph::{InternedPlace, InternedState};
use crate::step::{LocalState, PostState, UserState};
use crate::step_cache::{CRASHED, NO_REPORTS, StepCache};
use crate::transition_system::{
    MonitorStatus, Monitored, ProtocolSystem, Reconstruct, StateFeatures, Successors, TransitionSystem, entry_hash,
};

/// The untimed transition system of a protocol in a scenario. Of the scenario only processors, workload, links and
/// faults matter.
///
/// A state vector has an entry for each processor, then one for each direction of each link (for each link where links
/// are half-duplex), then one for the monitor, and, where faults are possible, one for the faults left.
///
/// *Half-duplex links*: the messages of both ends are in one queue, in the order in which they were sent; its head is
/// on the link. A timer whose step would send on a link that is not empty does not fire.
///
/// *Faults*: a crash removes a processor with its timers, its user and all messages in flight to it; a message that is
/// sent to it later is lost at once, since no processor can observe when. Only a message that can be delivered next can
/// be lost or duplicated. A run does not begin with a fault: the monitor's status does not depend on whether a crash, a restart
/// or a cut is observed before or after the first event of another processor, so that the two can be exchanged.
///
/// *Restarts*: where processors may restart, one that has crashed is down, and messages in flight to it are lost when they
/// arrive, which they must. A restart and the wake-up that follows are one transition. *Cuts*: while a link is cut, messages
/// sent over it are lost at once, and those in flight when they arrive, which they must, unless the cut ends before. It need
/// not end. A message that is lost anyway cannot be lost by a fault.
///
/// *Copies*: where [`Scenario::merges_copies`], what is sent while an equal message is in flight on its link is dropped, a timer
/// that would change nothing but send such messages, or ones that are lost at once, does not fire, and a cut must end. The order
/// of a copy and of the receipt of its original matters then, so that there are no ample sets.
pub(crate) struct UntimedSystem {
    steps: StepCache,
    local_transitions: LocalTransitions,
    queues: LinkQueues,
    links: LinkTable,
    fairness: FairnessIds,
    statuses: Vec<Option<MonitorStatus>>,
    /// By reports, place and losses: the number of all three.
    observation_keys: Memo,
    next_key: Interned,
    /// By monitor and that number: the monitor afterwards.
    observed: Memo,
    initial_state: Vec<Interned>,
    n: usize,
    fault_budget: Option<FaultBudget>,
    /// By place: its initial processor.
    newborn: Vec<Interned>,
    neighbours: NeighbourPairs,
    /// Links hold no two equal messages.
    merges: bool,
    canonicalizer: Canonicalizer,
    /// The number of the present action.
    action: u32,
    /// The labels of the successors, if they are recorded.
    record: Option<Vec<RecordedTransition>>,
    /// The numbering of ports of the run that is reconstructed, if several are explored.
    numbering: Option<FullNumbering>,
}

/// The label of a transition.
#[derive(Clone, Copy)]
enum RecordedTransition {
    Local(u32),
    Crash(Place),
    /// Of the message that would arrive next by a port.
    Loss(Place, u32, Interned),
    Duplicate(Place, u32, Interned),
    Cut(Place, Place),
    Heal(Place, Place),
}

/// A state and its fingerprint.
type StateRef<'a> = (&'a [Interned], u64);

impl UntimedSystem {
    /// The transition system of a protocol in a scenario. With symmetry reduction where the ring
    /// is symmetric, and renaming of ports.
    pub(crate) fn new(
        initial: InitialState,
        scenario: &Scenario,
        wakers: &Wakers,
        reductions: Reductions,
    ) -> Result<Self, BadSetting> {
        let InitialState { program, links, processors, monitor, is_ring, .. } = initial;
        let n = scenario.n;
        let at_most = scenario.faults.at_most;
        if scenario.faults != (Faults { at_most, ..Faults::default() }) {
            let allowed = format!("how many may fail at any moment: {}", Faults::COUNTED);
            return Err(BadSetting::new("faults", "say when or how often", allowed));
        }
        refuse_numberings(scenario, program.has_timers(), links.ports)?;
        if scenario.links == Links::HalfPhase && program.has_rounds() {
            let allowed = "links fifo, any or half, where rounds are numbered without bound";
            return Err(BadSetting::new("links", "are half-phase", allowed));
        }
        if at_most.restarts > 0 && program.has_rounds() {
            let allowed =
                "no restarts, where rounds are numbered without bound: a check counts them from the least one";
            return Err(BadSetting::new("faults", "may be restarts", allowed));
        }
        let neighbours = NeighbourPairs::new(&links);
        // Without clocks a pause is no transition: every schedule in which a processor pauses is explored anyway.
        let fault_budget = FaultBudget::new(AtMost { pauses: 0, ..at_most }, neighbours.pairs.len())?;
        let fairness = FairnessIds {
            n: n as u32,
            links: links.count as u32,
            width: (n + links.count) as u32 + 1 + u32::from(fault_budget.is_some()),
            // Sites with users all wake, as in the simulator.
            wakes_are_optional: *wakers == Wakers::Anybody && scenario.workload.is_none(),
            half_duplex: scenario.links.is_half_duplex(),
            numbering: ItemNumbering::new(scenario.links),
            unordered: scenario.links == Links::Any,
            both_directions: scenario.links == Links::HalfPhase,
            rotation: false,
        };
        let monitored_rounds = program.judges_invariants();
        let mut system = Self {
            steps: StepCache::new(program, links.ports),
            local_transitions: LocalTransitions::new(links.in_port_count()),
            queues: LinkQueues::new(scenario.links),
            links,
            fairness,
            statuses: Vec::new(),
            observation_keys: Memo::new(),
            next_key: 0,
            observed: Memo::new(),
            initial_state: Vec::new(),
            n,
            fault_budget,
            newborn: processors.clone(),
            neighbours,
            merges: scenario.merges_copies(),
            canonicalizer: Canonicalizer::new(false, monitored_rounds),
            action: 0,
            record: None,
            numbering: None,
        };
        // A processor that has restarted tells its ports apart again.
        system.steps.renames =
            reductions.contains(Reduction::PortRenaming) && !monitored_rounds && at_most.restarts == 0;
        for (place, processor) in (0..).zip(processors) {
            let initial_local = system.initial_local(scenario, wakers, place, processor);
            system.initial_state.push(initial_local);
        }
        system.initial_state.resize(n + system.links.count, EMPTY);
        system.initial_state.push(monitor);
        system.initial_state.extend(system.fault_budget.as_ref().map(FaultBudget::full));
        if reductions.contains(Reduction::Symmetry) && is_ring && at_most.cuts == 0 && system.is_symmetric(scenario) {
            system.set_rotation_symmetry(true);
        }
        Ok(system)
    }

    /// The initial local state of a place.
    fn initial_local(&mut self, scenario: &Scenario, wakers: &Wakers, place: Place, processor: Interned) -> Interned {
        let (asleep, user) = (wakers.contains(place), UserState::new(scenario, place));
        let numbering = match scenario.ports {
            Ports::All => PartialNumbering::all(self.links.ports),
            _ => PartialNumbering::default(),
        };
        let mut local = LocalState { processor, down: false, asleep, timers: Vec::new(), user, numbering };
        // If users make requests repeatedly, sites are active from the beginning: a wake-up without an effect is no
        // event.
        if scenario.workload.is_some() {
            let awake = LocalState { asleep: false, ..local.clone() };
            let outcomes = local.outcomes(&mut *self.steps.program, Trigger::Wake);
            let idle = |after: &PostState| after.local == awake && after.sends.is_empty() && after.reports.is_empty();
            if outcomes.iter().all(|outcome| idle(&outcome.after)) {
                local = awake;
            }
        }
        self.steps.intern(local)
    }

    /// True if rotations of the ring are automorphisms. Differences between places show in their initial states:
    /// identities, roles, initiators, requests of users.
    fn is_symmetric(&mut self, scenario: &Scenario) -> bool {
        let alike = self.initial_state[..self.n].windows(2).all(|pair| pair[0] == pair[1])
            && scenario.orientation.windows(2).all(|pair| pair[0] == pair[1]);
        let monitor = self.initial_state[self.monitor_index()];
        alike && self.n > 1 && self.steps.program.rotated(monitor, 1, self.n as Place).is_some()
    }

    /// Enables or disables symmetry reduction. Obligations are numbered differently afterwards.
    fn set_rotation_symmetry(&mut self, rotation: bool) {
        self.fairness.rotation = rotation;
        self.canonicalizer = Canonicalizer::new(rotation, self.canonicalizer.monitored_rounds);
        self.local_transitions = LocalTransitions::new(self.links.in_port_count());
    }

    /// Adds the transitions of a group of local transitions; returns true if all of them are invisible to the monitor.
    /// `at`: the index of the link that their messages are received from.
    #[inline]
    fn add_transitions(
        &mut self,
        here: StateRef<'_>,
        place: Place,
        at: u32,
        first: u32,
        successors: &mut Successors,
    ) -> bool {
        let mut invisible = true;
        for index in first.. {
            let next = self.local_transitions.get(index);
            let (reports, timeout, shares_link) = (next.reports, next.timeout, next.shares_link);
            let (ends_action, ends_group) = (next.ends_action, next.ends_group);
            let blocked = timeout
                && (self.fairness.half_duplex && self.is_blocked(here.0, index, successors)
                    || self.merges && self.is_vain(here.0, place, index));
            if !blocked {
                if shares_link || self.fault_budget.is_some() {
                    invisible &= self.apply_general(here, (place, at), index, None, successors);
                } else {
                    let monitor = here.0[self.monitor_index()];
                    let observed =
                        if reports == NO_REPORTS { monitor } else { self.observe(monitor, place, reports, 0) };
                    invisible &= reports == NO_REPORTS;
                    self.apply_fast(here, (place, at), index, observed, successors);
                }
                if self.record.is_some() {
                    self.note(RecordedTransition::Local(index));
                }
            }
            self.action += u32::from(ends_action);
            if ends_group {
                break;
            }
        }
        invisible
    }

    /// A local transition that changes each link once, all of whose receivers are alive, and after which the monitor is
    /// `observed`.
    #[inline]
    fn apply_fast(
        &mut self,
        (state, fingerprint): StateRef<'_>,
        (place, at): (Place, u32),
        index: u32,
        observed: Interned,
        successors: &mut Successors,
    ) {
        let monitor_index = self.monitor_index();
        let next = self.local_transitions.get(index);
        let mut after = fingerprint.wrapping_add(next.fingerprint_delta);
        if at != NOTHING {
            successors.write_new(at, next.rest);
        }
        if next.local != state[place as usize] {
            successors.write_new(place, next.local);
        }
        let sends = self.local_transitions.sends(next);
        for &(at, item) in sends {
            let before = state[at as usize];
            let longer = self.queues.push(before, item);
            successors.write_new(at, longer);
            after = after.wrapping_sub(entry_hash(at, before)).wrapping_add(entry_hash(at, longer));
        }
        let monitor = state[monitor_index];
        if observed != monitor {
            let at = monitor_index as u32;
            successors.write_new(at, observed);
            after = after.wrapping_sub(entry_hash(at, monitor)).wrapping_add(entry_hash(at, observed));
        }
        if next.obligation != NOTHING {
            successors.discharge(next.obligation);
        }
        successors.finish_at(after, (self.action, next.probability), next.passes, next.obligation == NOTHING);
    }

    /// Any local transition: links may be the same or cut, and receivers may have crashed. `remaining`: the faults left, if it
    /// is one.
    fn apply_general(
        &mut self,
        (state, fingerprint): StateRef<'_>,
        (place, at): (Place, u32),
        index: u32,
        remaining: Option<Interned>,
        successors: &mut Successors,
    ) -> bool {
        let next = *self.local_transitions.get(index);
        if at != NOTHING {
            successors.write(at, next.rest);
        }
        successors.write(place, next.local);
        let mut lost = 0;
        for index in next.sends.0..next.sends.1 {
            let (at, item) = self.local_transitions.send(index);
            if state[self.links.receiver(at, item) as usize] == CRASHED || self.is_cut(state, at) {
                lost += 1;
                continue;
            }
            let before = successors.written(at).unwrap_or(state[at as usize]);
            if !self.merges || !self.queues.contains(before, item) {
                successors.write(at, self.queues.push(before, item));
            }
        }
        let invisible = next.reports == NO_REPORTS && lost == 0;
        if !invisible {
            let at = self.monitor_index();
            successors.write(at as u32, self.observe(state[at], place, next.reports, lost));
        }
        if let Some(remaining) = remaining {
            successors.write(self.monitor_index() as u32 + 1, remaining);
        }
        if next.obligation != NOTHING {
            successors.discharge(next.obligation);
        }
        successors.finish(state, fingerprint, (self.action, next.probability), next.passes, next.obligation == NOTHING);
        invisible
    }

    /// True if the step of a timer changes nothing but what is sent, and no message that it sends would be in flight, or be read.
    fn is_vain(&mut self, state: &[Interned], place: Place, index: u32) -> bool {
        let next = *self.local_transitions.get(index);
        let fails = |at: u32, item: Interned, system: &mut Self| {
            let to = system.links.receiver(at, item);
            state[to as usize] == CRASHED
                || system.is_dead_end(state, to, at)
                || system.queues.contains(state[at as usize], item)
        };
        let sends: Vec<_> = (next.sends.0..next.sends.1).map(|index| self.local_transitions.send(index)).collect();
        let alike = next.local == state[place as usize] && next.reports == NO_REPORTS && !sends.is_empty();
        alike && sends.into_iter().all(|(at, item)| fails(at, item, self))
    }

    /// True if the step of a timer would send on a half-duplex link that its message cannot enter at once. A timer that only
    /// some outcomes of its random choices block is no action of a Markov decision process: the successors are marked as
    /// incomplete.
    fn is_blocked(&mut self, state: &[Interned], index: u32, successors: &mut Successors) -> bool {
        let (transitions, queues) = (&self.local_transitions, &mut self.queues);
        let mut blocked = |index: u32| {
            let sends = transitions.sends(transitions.get(index));
            sends.iter().any(|&(at, item)| queues.must_wait(state[at as usize], item))
        };
        let own = blocked(index);
        successors.truncated |= !self.local_transitions.get(index).ends_action && blocked(index + 1) != own;
        own
    }

    /// The monitor after reports at a place, and the loss of `lost` messages.
    fn observe(&mut self, monitor: Interned, place: Place, reports: Interned, lost: u32) -> Interned {
        let origin = place + self.n as u32 * lost;
        let key = self.observation_keys.get(reports, origin).unwrap_or_else(|| {
            self.observation_keys.insert(reports, origin, self.next_key);
            self.next_key += 1;
            self.next_key - 1
        });
        if let Some(after) = self.observed.get(monitor, key) {
            return after;
        }
        let after = self.steps.observe(monitor, place, reports, lost);
        self.observed.insert(monitor, key, after);
        after
    }

    /// Adds the transitions of a place: timers, wake-up, requests, deliveries. Returns two flags: they are all
    /// invisible; every in-link has a message.
    #[inline]
    fn successors_of(&mut self, here: StateRef<'_>, place: Place, successors: &mut Successors) -> (bool, bool) {
        let state = here.0;
        let local = state[place as usize];
        let (mut invisible, mut all_nonempty) = (true, true);
        let first = self.local_transitions.own(place, local);
        let first = first.unwrap_or_else(|| {
            let (local_transitions, mut sources) = self.sources();
            local_transitions.compute_own(&mut sources, place, local)
        });
        if first != NOTHING {
            invisible &= self.add_transitions(here, place, NOTHING, first, successors);
        }
        for in_port in self.links.in_ports(place) {
            let at = self.links.in_port(in_port).at;
            let queue = state[at as usize];
            if queue == EMPTY {
                all_nonempty = false;
                continue;
            }
            if self.fault_budget.is_some() && self.is_dead_end(state, place, at) {
                self.lose_arrivals(here, place, in_port, successors);
                invisible = false;
                continue;
            }
            let first = self.local_transitions.arrival(in_port, local, queue);
            let first = first.unwrap_or_else(|| {
                let (local_transitions, mut sources) = self.sources();
                local_transitions.compute_arrivals(&mut sources, place, in_port, (local, queue))
            });
            if first != NOTHING {
                invisible &= self.add_transitions(here, place, at, first, successors);
            }
        }
        (invisible, all_nonempty)
    }

    fn sources(&mut self) -> (&mut LocalTransitions, TransitionSources<'_>) {
        let Self { local_transitions, steps, queues, links, fairness, .. } = self;
        (local_transitions, TransitionSources { steps, queues, links, fairness: *fairness })
    }

    /// The concrete successors of a state: not canonical ones. With an [ample set](ample), if there is one.
    fn concrete_successors(&mut self, state: &[Interned], fingerprint: u64, successors: &mut Successors) {
        successors.clear();
        self.action = 0;
        let mut ample = AmpleSet::default();
        for place in 0..self.n as Place {
            let first = successors.transitions.len();
            let (invisible, all_nonempty) = self.successors_of((state, fingerprint), place, successors);
            if invisible && all_nonempty {
                ample.offer(first..successors.transitions.len());
            }
        }
        self.faults((state, fingerprint), successors);
        if self.has_ample_sets(state) {
            successors.ample = ample.range(successors.transitions.len());
        }
    }

    /// The parts of a state.
    pub(crate) fn interned_state(&mut self, state: &[Interned]) -> InternedState {
        let place = |&local: &Interned| {
            let local = self.steps.local(local);
            let (asleep, entries) = local.as_ref().map_or((false, 0), |local| (local.asleep, local.user.entries));
            let processor = local.as_ref().filter(|local| !local.down).map(|local| local.processor);
            InternedPlace { processor, asleep, timers: local.map_or_else(Vec::new, |local| local.timers), entries }
        };
        let places = state[..self.n].iter().map(place).collect();
        let mut links = Vec::new();
        for (from, out) in self.links.out_ports() {
            let items = self.queues.messages(state[out.at as usize]).into_iter();
            let messages: Vec<_> = items.filter_map(|item| self.fairness.message_of(item, out.direction)).collect();
            if !messages.is_empty() {
                links.push((from, out.to, messages));
            }
        }
        InternedState { places, links }
    }

    /// The port by which messages arrive from a neighbour, in the run that is reconstructed.
    fn port(&self, place: Place, rank: u32) -> u32 {
        self.numbering.as_ref().map_or(rank, |numbering| numbering.port(place, rank))
    }

    fn note(&mut self, transition: RecordedTransition) {
        if let Some(record) = &mut self.record {
            record.push(transition);
        }
    }
}

/// Refuses to explore all numberings where a timer can fire or not depending on the port by which its step sends: pending
/// obligations would depend on the numbering.
fn refuse_numberings(scenario: &Scenario, has_timers: bool, ports: u32) -> Result<(), BadSetting> {
    if scenario.ports == Ports::All && scenario.links.is_half_duplex() && has_timers {
        let allowed = "plain, shuffled or a list, where links are half-duplex and there are timers";
        return Err(BadSetting::new("ports", "is all", allowed));
    }
    if scenario.ports == Ports::All && ports > MAX_PORTS {
        return Err(BadSetting::new("ports", "is all", format!("up to {MAX_PORTS} ports")));
    }
    Ok(())
}

impl ProtocolSystem for UntimedSystem {
    fn program(&self) -> &dyn Program {
        &*self.steps.program
    }

    fn program_mut(&mut self) -> &mut dyn Program {
        &mut *self.steps.program
    }

    #[inline]
    fn links(&self) -> &LinkTable {
        &self.links
    }

    fn statuses(&mut self) -> &mut Vec<Option<MonitorStatus>> {
        &mut self.statuses
    }
}

impl TransitionSystem for UntimedSystem {
    fn fork(&self) -> Box<dyn TransitionSystem> {
        Box::new(Self {
            steps: self.steps.fork(),
            local_transitions: LocalTransitions::new(self.links.in_port_count()),
            queues: self.queues.clone(),
            links: self.links.clone(),
            fairness: self.fairness,
            statuses: Vec::new(),
            observation_keys: Memo::new(),
            next_key: 0,
            observed: Memo::new(),
            initial_state: self.initial_state.clone(),
            n: self.n,
            fault_budget: self.fault_budget,
            newborn: self.newborn.clone(),
            neighbours: self.neighbours.clone(),
            merges: self.merges,
            canonicalizer: Canonicalizer::new(self.canonicalizer.rotation, self.canonicalizer.monitored_rounds),
            action: 0,
            record: None,
            numbering: None,
        })
    }

    fn initial_states(&self) -> Vec<Vec<Interned>> {
        vec![self.initial_state.clone()]
    }

    fn successors(&mut self, state: &[Interned], fingerprint: u64, successors: &mut Successors) {
        if self.is_canonicalized() {
            self.canonical_successors(state, fingerprint, successors);
        } else {
            self.concrete_successors(state, fingerprint, successors);
        }
    }

    fn pending(&mut self, state: &[Interned], pending: &mut Vec<u32>) {
        let mut successors = Successors::default();
        self.concrete_successors(state, 0, &mut successors);
        pending.clear();
        for transition in 0..successors.transitions.len() {
            // Once for each event, whatever its random choices.
            if transition == 0
                || successors.transitions[transition].action != successors.transitions[transition - 1].action
            {
                pending.extend_from_slice(successors.discharged(transition));
            }
        }
        pending.sort_unstable();
        // Up to rotation, an obligation is pending if it is pending at all places.
        let all = if self.fairness.rotation { self.n } else { 1 };
        let alike = pending.chunk_by(|one, other| one == other);
        *pending = alike.filter(|alike| alike.len() >= all).map(|alike| alike[0]).collect();
    }

    fn bytes(&self) -> usize {
        let observed = self.observation_keys.bytes() + self.observed.bytes() + size_of_val(&*self.statuses);
        self.steps.bytes()
            + self.local_transitions.bytes()
            + self.queues.bytes()
            + self.canonicalizer.bytes()
            + observed
    }

    fn features(&mut self, state: &[Interned], quiescent: bool) -> StateFeatures {
        let mut features = StateFeatures { monitor: state[self.monitor_index()], ..StateFeatures::default() };
        let mut asks = false;
        for &local in &state[..self.n] {
            let summary = self.steps.summary(local);
            features.phase = features.phase.max(summary.phase);
            features.depth = features.depth.max(summary.depth);
            asks |= summary.may_ask();
        }
        features.complete = quiescent && !asks && !self.monitor_status(state).waiting;
        features
    }

    fn phase_growth(&mut self, state: &[Interned], growth: &mut Vec<PhaseGrowth>) {
        let begun = self.phases().is_some_and(|highest| highest.begun_remembered);
        let mut advances = Vec::new();
        self.advances(state, &mut advances);
        for PhaseAdvance { transition, place, by } in advances {
            let summary = self.steps.summary(state[place as usize]);
            let first = by == 1 && summary.phase == 0 && (summary.asleep || begun);
            growth.push(PhaseGrowth { transition, first });
        }
    }

    fn uses_rotation(&self) -> bool {
        self.fairness.rotation
    }

    fn value_tables(&self) -> Vec<&dyn ValueTable> {
        let mut tables = self.steps.value_tables();
        tables.push(self.queues.values());
        tables
    }

    fn disable_unfair(&mut self, livelock: bool) -> bool {
        let disable = livelock && self.fairness.rotation;
        if disable {
            self.set_rotation_symmetry(false);
        }
        disable
    }
}

impl ProbabilisticSystem for UntimedSystem {
    fn is_timed(&self) -> bool {
        false
    }

    fn advances(&mut self, state: &[Interned], advances: &mut Vec<PhaseAdvance>) {
        self.record = Some(Vec::new());
        self.concrete_successors(state, 0, &mut Successors::default());
        advances.clear();
        for (transition, recorded) in self.record.take().expect("recording was enabled").into_iter().enumerate() {
            let RecordedTransition::Local(index) = recorded else { continue };
            let LocalCause { place, trigger, outcome, .. } = self.local_transitions.cause(index);
            let first = self.steps.first(state[place as usize], trigger);
            let by = self.steps.get(first + outcome).advance;
            if by > 0 {
                advances.push(PhaseAdvance { transition, place, by });
            }
        }
    }
}

impl Reconstruct for UntimedSystem {
    type Action = InternedAction;

    fn action(&mut self, state: &[Interned], transition: usize) -> InternedAction {
        self.record = Some(Vec::new());
        self.concrete_successors(state, 0, &mut Successors::default());
        match self.record.take().expect("recording was enabled")[transition] {
            RecordedTransition::Local(index) => {
                let LocalCause { place, mut trigger, outcome, rank, .. } = self.local_transitions.cause(index);
                let chosen = self.steps.chosen(state[place as usize], trigger, outcome);
                if let Trigger::Receive { port, .. } = &mut trigger {
                    *port = self.port(place, rank);
                }
                match trigger {
                    Trigger::Restart { .. } => InternedAction::Restart(place, chosen),
                    trigger => InternedAction::Step(place, trigger, chosen),
                }
            }
            RecordedTransition::Crash(place) => InternedAction::Crash(place),
            RecordedTransition::Cut(one, other) => InternedAction::Cut(one, other),
            RecordedTransition::Heal(one, other) => InternedAction::Heal(one, other),
            RecordedTransition::Loss(place, rank, message) => {
                InternedAction::Loss(place, self.port(place, rank), message)
            }
            RecordedTransition::Duplicate(place, rank, message) => {
                InternedAction::Duplicate(place, self.port(place, rank), message)
            }
        }
    }

    fn fix_numbering(&mut self, states: &[Vec<Interned>], transitions: &[usize]) -> Option<Ports> {
        let mut run = RunNumberings::new(self.n);
        for (place, &local) in states.first()?[..self.n].iter().enumerate() {
            run.add(place, &self.steps.numbering(local).unwrap_or_default());
        }
        for (state, &transition) in states.iter().zip(transitions) {
            self.record = Some(Vec::new());
            self.concrete_successors(state, 0, &mut Successors::default());
            let recorded = self.record.take().expect("recording was enabled")[transition];
            if let RecordedTransition::Local(index) = recorded {
                let LocalCause { place, learnt, .. } = self.local_transitions.cause(index);
                run.add(place as usize, &self.steps.numbering(learnt).unwrap_or_default());
            }
        }
        self.numbering = run.one();
        self.numbering.as_ref().map(FullNumbering::ports)
    }

    /// Prefers the transition of the same index: transitions to one state may discharge different obligations, and the
    /// cycle of a lasso must stay fair. The index means another transition if the ring is rotated.
    fn replay(&mut self, state: &mut Vec<Interned>, transition: usize, next: &[Interned]) -> InternedAction {
        let (mut successors, mut after) = (Successors::default(), Vec::new());
        self.concrete_successors(state, 0, &mut successors);
        let leads = |transition: &usize| {
            after.clone_from(state);
            successors.apply(*transition, &mut after);
            let mut canonical = after.clone();
            self.canonicalize(&mut canonical);
            canonical == next
        };
        let all = 0..successors.transitions.len();
        let transition = all.clone().filter(|&own| own == transition).chain(all).find(leads);
        let transition = transition.expect("a transition leads to the next state");
        let action = self.action(state, transition);
        *state = after;
        action
    }
}
