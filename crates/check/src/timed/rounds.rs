//! Instants of a complete network in which every message arrives at once (d = 0), as in synchronous rounds.
//!
//! An instant has stages: the scheduler decides, processors wake up, users make requests, and then pass after pass
//! messages arrive, clocks tick and timers of 0 ticks fire, until nothing more does. In one stage processors do not
//! affect each other: what is sent in it arrives in a later one. So the outcomes of a stage at a place depend on that
//! place and the messages that have come to it. They are computed once and then looked up; the outcomes of a stage are
//! the combinations of those of its places, and combinations that are equal are merged.
//!
//! No message is in flight between two instants. An instant with random choices is left to
//! [`zero_delay`](super::zero_delay).

use ringleader_model::{InstantStage, Place, Port};

use super::local::{ClockState, LocalInstant, MAX_PASSES, SchedulerDecision, TimingModel};
use super::numbering::PortChoices;
use super::{InstantActions, LocalActions, TimedSystem};
use crate::choices::{ChoiceLeaf, ChoicePath, ChoiceProbability, all_paths};
use crate::interner::{Interned, Interner, Map};
use crate::passes::Passes;
use crate::port_numbering::RunNumberings;
use crate::probability::PhaseAdvance;
use crate::program::{Observation, Program};
use crate::transition_system::{ProtocolSystem, Successors};

/// A place in the middle of an instant.
#[derive(Clone, PartialEq, Eq, Hash)]
struct PlaceInstant {
    decision: SchedulerDecision,
    local: LocalInstant,
    /// Its clock has started; it has ticked.
    started: bool,
    ticked: bool,
}

/// A stage of an instant at one place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum PlaceStage {
    Decide,
    Wake,
    Call,
    Arrivals,
    Ticks,
    ZeroTimers,
    /// The clock of a place that has not ticked advances.
    End,
}

/// An outcome of a stage at a place.
struct StageOutcome {
    after: Interned,
    /// To the neighbours of these ranks, with their message passes.
    sends: Vec<(u32, Interned, Passes)>,
    reports: Vec<Observation>,
}

/// All places in the middle of an instant.
#[derive(Clone, PartialEq, Eq, Hash)]
struct NetworkInstant {
    places: Vec<Interned>,
    /// By place: the messages that arrive in the next pass, with the ranks of their senders.
    due: Vec<Vec<(Port, Interned)>>,
    reports: Vec<(Place, Observation)>,
    sent: Passes,
}

/// Why the outcomes of an instant are not computed here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum NoRound {
    /// It makes a random choice.
    Random,
    /// It has more than [`MAX_PASSES`] passes, or a processor whose ports have been renamed tells the order of messages
    /// that arrive together.
    Endless,
}

/// A stage at a place, and the messages that arrive.
type StageKey = (PlaceStage, Interned, Vec<(Port, Interned)>);

/// The stages computed so far.
pub(super) struct StageCache {
    places: Interner<PlaceInstant>,
    outcomes: Vec<StageOutcome>,
    /// By stage, place and arriving messages: the range of its outcomes.
    known: Map<StageKey, Result<(u32, u32), NoRound>>,
    /// By place at the end of an instant: its local state.
    ends: Map<Interned, Interned>,
    /// By monitor and reports: the monitor afterwards.
    observed: Map<(Interned, Vec<(Place, Observation)>), Interned>,
    /// The places at the end of each transition that was computed last.
    last: Vec<Vec<Interned>>,
    /// By link: its receiver, and the rank of its sender there.
    receivers: Vec<(Place, u32)>,
}

impl StageCache {
    pub(super) fn new() -> Self {
        Self {
            places: Interner::new(),
            outcomes: Vec::new(),
            known: Map::default(),
            ends: Map::default(),
            observed: Map::default(),
            last: Vec::new(),
            receivers: Vec::new(),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        const EACH: usize = 128;
        self.places.bytes() + (self.outcomes.len() + self.known.len() + self.observed.len()) * EACH
    }
}

impl TimedSystem {
    /// Adds all transitions of an instant; returns false if they are left to [`zero_delay`](super::zero_delay).
    pub(super) fn round_successors(
        &mut self,
        state: &[Interned],
        fingerprint: u64,
        successors: &mut Successors,
    ) -> bool {
        // An open clock is closed in the middle of an instant, which its stages do not know of.
        if !self.is_complete || self.delay.1 > 0 || self.closed_initial_states.is_some() {
            return false;
        }
        let ends = match self.network_instants(state) {
            Ok(ends) => ends,
            Err(why) => {
                successors.truncated = why == NoRound::Endless;
                return why == NoRound::Endless;
            }
        };
        let mut known: Map<(Vec<Interned>, Passes), ()> = Map::default();
        self.stages.last.clear();
        for end in ends {
            let mut after = Vec::with_capacity(state.len());
            for &place in &end.places {
                after.push(self.end_of(place));
            }
            after.extend_from_slice(&state[self.n..self.monitor_index()]);
            after.push(self.observe_reports(state[self.monitor_index()], &end.reports));
            // Before the first wake-up no time passes that can be observed.
            if after == state && self.initial_states.iter().any(|initial_state| initial_state == state) {
                continue;
            }
            for (at, &to) in after.iter().enumerate().filter(|&(at, &to)| to != state[at]) {
                successors.write(at as u32, to);
            }
            let (mut optional, mut key) = (false, after);
            for (place, &number) in end.places.iter().enumerate() {
                let instant = self.stages.places.get(number);
                let (wakes, released) = (instant.decision.wakes, instant.local.released());
                optional |=
                    instant.decision.again > 0 || wakes && !self.timing.together || instant.local.has_requested();
                key.push(u32::from(wakes) << 1 | u32::from(released));
                self.discharge(place, released, wakes, successors);
            }
            key.push(u32::from(optional));
            let action = successors.transitions.len() as u32;
            successors.finish(state, fingerprint, (action, ChoiceProbability::CERTAIN), end.sent, optional);
            if known.insert((key, end.sent), ()).is_some() {
                successors.take_back();
            } else {
                self.stages.last.push(end.places);
            }
        }
        true
    }

    /// The local state of a place at the end of an instant.
    fn end_of(&mut self, place: Interned) -> Interned {
        if let Some(&found) = self.stages.ends.get(&place) {
            return found;
        }
        let mut local = self.stages.places.get(place).local.state.clone();
        if self.renames && local.unread.is_empty() {
            let renamed = local.numbering.rename(&mut *self.program, local.processor);
            if let Some((processor, numbering)) = renamed {
                (local.processor, local.numbering) = (processor, numbering);
            }
        }
        let found = self.locals.intern(local);
        self.stages.ends.insert(place, found);
        found
    }

    /// Adds the numberings that a transition leaves, before ports are renamed.
    pub(super) fn add_round_numberings(&mut self, state: &[Interned], transition: usize, run: &mut RunNumberings) {
        if self.round_successors(state, 0, &mut Successors::default()) {
            for (place, number) in self.stages.last[transition].clone().into_iter().enumerate() {
                run.add(place, &self.stages.places.get(number).local.state.numbering);
            }
        }
    }

    /// Reconstructs the actions of a transition.
    pub(super) fn round_actions(&mut self, state: &[Interned], transition: usize) -> Option<InstantActions> {
        let mut successors = Successors::default();
        if !self.round_successors(state, 0, &mut successors) {
            return None;
        }
        let mut actions = InstantActions { arrived: vec![Vec::new(); self.links.count], ..InstantActions::default() };
        for (place, number) in (0..).zip(self.stages.last[transition].clone()) {
            let instant = self.stages.places.get(number).clone();
            let before = self.locals.get(state[place as usize]).clock;
            let own = instant.decision.wakes || instant.decision.again > 0;
            // Of the messages only those matter that start a clock.
            if before == ClockState::Stopped && instant.started && !own {
                let link = self.links.in_port(self.links.in_ports(place).start).at as usize - self.n;
                actions.sent.push((link, true));
            }
            actions.places.push(LocalActions {
                wakes: instant.decision.wakes,
                again: instant.decision.again,
                ticks: instant.ticked,
                user_events: instant.local.user_events.clone(),
                ..LocalActions::default()
            });
        }
        Some(actions)
    }

    /// The phases that grow, by transition; returns false if they are left to [`zero_delay`](super::zero_delay).
    pub(super) fn round_advances(&mut self, state: &[Interned], advances: &mut Vec<PhaseAdvance>) -> bool {
        if !self.round_successors(state, 0, &mut Successors::default()) {
            return false;
        }
        for (transition, places) in self.stages.last.clone().into_iter().enumerate() {
            for (place, number) in (0..).zip(places) {
                let by = self.stages.places.get(number).local.advance;
                if by > 0 {
                    advances.push(PhaseAdvance { transition, place, by });
                }
            }
        }
        true
    }

    /// All ends of an instant.
    fn network_instants(&mut self, state: &[Interned]) -> Result<Vec<NetworkInstant>, NoRound> {
        if self.stages.receivers.is_empty() {
            self.stages.receivers = self.receivers();
        }
        let mut places = Vec::with_capacity(self.n);
        for &local in &state[..self.n] {
            let local = LocalInstant::new(self.locals.get(local).clone());
            let (decision, started, ticked) = (SchedulerDecision::default(), false, false);
            places.push(self.stages.places.intern(PlaceInstant { decision, local, started, ticked }));
        }
        let due = vec![Vec::new(); self.n];
        let mut open = vec![NetworkInstant { places, due, reports: Vec::new(), sent: Passes::NONE }];
        for stage in [PlaceStage::Decide, PlaceStage::Wake, PlaceStage::Call] {
            open = self.run_stage(stage, open)?;
        }
        let mut ends = Vec::new();
        for _ in 0..=MAX_PASSES {
            for stage in self.timing.stages {
                let stage = match stage {
                    InstantStage::Planned => continue,
                    InstantStage::Arrivals => PlaceStage::Arrivals,
                    InstantStage::Ticks => PlaceStage::Ticks,
                    InstantStage::LateArrivals => unreachable!("ties are not open where delays may be 0"),
                    InstantStage::ZeroTimers => PlaceStage::ZeroTimers,
                };
                open = self.run_stage(stage, open)?;
            }
            let (done, rest): (Vec<_>, Vec<_>) = open.into_iter().partition(|instant| self.is_done(instant));
            ends.extend(done);
            open = rest;
            if open.is_empty() {
                return self.run_stage(PlaceStage::End, ends);
            }
        }
        Err(NoRound::Endless)
    }

    /// By link: its receiver, and the rank of its sender there.
    fn receivers(&self) -> Vec<(Place, u32)> {
        let mut receivers = vec![(0, 0); self.links.count];
        for place in 0..self.n as Place {
            for in_port in self.links.in_ports(place) {
                let in_port = self.links.in_port(in_port);
                receivers[in_port.at as usize - self.n] = (place, in_port.port);
            }
        }
        receivers
    }

    fn is_done(&mut self, instant: &NetworkInstant) -> bool {
        let stages = &mut self.stages;
        instant.due.iter().all(Vec::is_empty)
            && instant.places.iter().all(|&place| stages.places.get(place).local.is_done())
    }

    /// All combinations of the outcomes of a stage at all places.
    fn run_stage(&mut self, stage: PlaceStage, open: Vec<NetworkInstant>) -> Result<Vec<NetworkInstant>, NoRound> {
        let mut found = Vec::with_capacity(open.len());
        let mut merged: Map<NetworkInstant, ()> = Map::default();
        let mut branches = false;
        for mut instant in open {
            let mut due = vec![Vec::new(); self.n];
            if stage == PlaceStage::Arrivals {
                core::mem::swap(&mut due, &mut instant.due);
            }
            let mut ranges = Vec::with_capacity(self.n);
            for (place, mut arriving) in due.into_iter().enumerate() {
                arriving.sort_by_key(|&(rank, _)| rank);
                let range = self.outcomes_of(stage, instant.places[place], arriving)?;
                branches |= range.1 - range.0 > 1;
                ranges.push(range);
            }
            self.combine(0, &ranges, instant, &mut found);
        }
        if branches {
            found.retain(|instant| merged.insert(instant.clone(), ()).is_none());
        }
        Ok(found)
    }

    /// Adds all combinations of the outcomes of the places from this one on.
    fn combine(&self, place: usize, ranges: &[(u32, u32)], instant: NetworkInstant, found: &mut Vec<NetworkInstant>) {
        let Some(&(from, to)) = ranges.get(place) else { return found.push(instant) };
        for outcome in from..to - 1 {
            let mut next = instant.clone();
            self.apply_outcome(place, outcome, &mut next);
            self.combine(place + 1, ranges, next, found);
        }
        let mut next = instant;
        self.apply_outcome(place, to - 1, &mut next);
        self.combine(place + 1, ranges, next, found);
    }

    fn apply_outcome(&self, place: usize, outcome: u32, instant: &mut NetworkInstant) {
        let StageOutcome { after, sends, reports } = &self.stages.outcomes[outcome as usize];
        instant.places[place] = *after;
        for &(rank, message, passes) in sends {
            let Some(out) = self.links.out(place as Place, Port(rank)) else { continue };
            let (to, rank) = self.stages.receivers[out.at as usize - self.n];
            instant.due[to as usize].push((Port(rank), message));
            instant.sent += passes;
        }
        instant.reports.extend(reports.iter().map(|&observation| (place as Place, observation)));
    }

    /// The outcomes of a stage at a place, computed when they are first needed.
    fn outcomes_of(
        &mut self,
        stage: PlaceStage,
        place: Interned,
        arriving: Vec<(Port, Interned)>,
    ) -> Result<(u32, u32), NoRound> {
        let key = (stage, place, arriving);
        if let Some(&found) = self.stages.known.get(&key) {
            return found;
        }
        let before = self.stages.places.get(place).clone();
        let numbering = before.local.state.numbering.clone();
        let Self { stages, program, timing, .. } = self;
        let mut run = |arriving: &[(Port, Interned)]| {
            let runs = all_paths(|choices| {
                let mut instant = before.clone();
                instant.run(&mut **program, *timing, stage, arriving, choices);
                instant
            });
            let results = runs.iter().map(|run| vec![stages.places.intern(run.result.clone())]).collect();
            (runs, results)
        };
        let mut found = Ok((0, 0));
        let explored = if numbering.is_fixed() {
            let runs = run(&key.2).0;
            if numbering.is_renamed() && orders(&key.2).iter().any(|order| !same_results(&run(order).0, &runs)) {
                found = Err(NoRound::Endless);
            }
            vec![(numbering, runs)]
        } else {
            let choices = PortChoices::new(numbering, &key.2).explore(run);
            choices.into_iter().map(|(numbering, choice)| (numbering, choice.runs)).collect()
        };
        let from = self.stages.outcomes.len() as u32;
        for (numbering, runs) in explored {
            for ChoiceLeaf { points, result } in runs {
                if points.iter().any(|point| point.random) {
                    found = Err(NoRound::Random);
                }
                for numbering in numbering.split_by_sends(&[&result.local.sends[..]]) {
                    let mut after = result.clone();
                    let program = &mut *self.program;
                    let send = |(port, message)| (numbering.neighbour(port).0, message, program.passes(message));
                    let sends = after.local.sends.drain(..).map(send).collect();
                    let reports = after.local.reports.drain(..).map(|(_, observation)| observation).collect();
                    after.local.state.numbering = numbering;
                    let after = self.stages.places.intern(after);
                    self.stages.outcomes.push(StageOutcome { after, sends, reports });
                }
            }
        }
        let found = found.map(|_| (from, self.stages.outcomes.len() as u32));
        self.stages.known.insert(key, found);
        found
    }

    /// The monitor after an instant with these reports.
    fn observe_reports(&mut self, monitor: Interned, reports: &[(Place, Observation)]) -> Interned {
        let key = (monitor, reports.to_vec());
        if let Some(&found) = self.stages.observed.get(&key) {
            return found;
        }
        let found = self.program.observe(monitor, reports);
        self.stages.observed.insert(key, found);
        found
    }
}

/// The orders of messages that arrive together, of which those of one link keep their order.
fn orders(arriving: &[(Port, Interned)]) -> Vec<Vec<(Port, Interned)>> {
    let mut links: Vec<Vec<(Port, Interned)>> =
        arriving.chunk_by(|one, two| one.0 == two.0).map(<[_]>::to_vec).collect();
    let mut found = Vec::new();
    // All permutations, by exchanges.
    permute(links.len(), &mut links, &mut found);
    found
}

fn permute(count: usize, links: &mut [Vec<(Port, Interned)>], found: &mut Vec<Vec<(Port, Interned)>>) {
    if count <= 1 {
        return found.push(links.concat());
    }
    for index in 0..count {
        permute(count - 1, links, found);
        let other = if count.is_multiple_of(2) { index } else { 0 };
        links.swap(other, count - 1);
    }
}

/// True if a stage leaves the place the same, and sends the same by each port.
fn same_results(runs: &[ChoiceLeaf<PlaceInstant>], others: &[ChoiceLeaf<PlaceInstant>]) -> bool {
    let same = |(one, other): (&ChoiceLeaf<PlaceInstant>, &ChoiceLeaf<PlaceInstant>)| {
        let sorted = |leaf: &ChoiceLeaf<PlaceInstant>| {
            let mut instant = leaf.result.clone();
            instant.local.sends.sort_by_key(|&(port, _)| port);
            instant
        };
        sorted(one) == sorted(other)
    };
    runs.len() == others.len() && runs.iter().zip(others).all(same)
}

impl PlaceInstant {
    /// Takes a stage.
    fn run(
        &mut self,
        program: &mut dyn Program,
        model: TimingModel,
        stage: PlaceStage,
        arriving: &[(Port, Interned)],
        choices: &mut ChoicePath,
    ) {
        let local = &mut self.local;
        match stage {
            PlaceStage::Decide => {
                let state = &local.state;
                self.decision = SchedulerDecision::wake_ups(state, model, choices);
                let touched = self.decision.wakes || self.decision.again > 0;
                let idle = state.timers.is_empty() && state.unread.is_empty() && !touched;
                let eager = model.eager && state.tick_length.0 == 1 && idle;
                self.decision.ticks = state.ticks(touched, eager, choices);
                self.decision.choose_requests(state, model, choices);
                self.started = touched || state.clock != ClockState::Stopped;
                local.tick_ahead = self.decision.ticks;
            }
            PlaceStage::Wake => local.wake(program, &self.decision, choices),
            PlaceStage::Call => local.call(program, &self.decision, choices),
            PlaceStage::Arrivals => {
                for &(port, message) in arriving {
                    self.start(model, choices);
                    self.local.arrive(program, model.reading, port, message, choices);
                }
            }
            PlaceStage::Ticks => {
                if self.decision.ticks && !core::mem::replace(&mut self.ticked, true) {
                    local.tick(program, model.reading, &self.decision, choices);
                }
            }
            PlaceStage::ZeroTimers => local.end_pass(program, choices),
            PlaceStage::End => {
                if !self.ticked {
                    let still = SchedulerDecision::default();
                    local.pass_time(program, model.reading, &still, self.started, choices);
                }
            }
        }
    }

    /// A message starts the clock. If arrivals come after ticks, the first tick may be at this instant, but its stage is
    /// over: it reads nothing and no timer expires.
    fn start(&mut self, model: TimingModel, choices: &mut ChoicePath) {
        if core::mem::replace(&mut self.started, true) {
            return;
        }
        let ticks = self.local.state.ticks(true, false, choices);
        self.decision.ticks = ticks;
        if model.arrivals_precede_ticks() {
            self.local.tick_ahead = ticks;
        } else if ticks {
            self.local.state.clock = ClockState::Since(0);
            self.ticked = true;
        }
    }
}
