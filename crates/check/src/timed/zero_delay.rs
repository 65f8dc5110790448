//! Instants in which a message may arrive at once, so that processors affect each other: one pass after the other,
//! until nothing more arrives at this instant. The choices of all places form one choice tree.

use core::mem;

use ringleader_model::{InstantStage, Place, Port};

use super::in_flight::{AgedMessage, arrival_choices};
use super::local::{ClockState, LocalInstant, MAX_PASSES, SchedulerDecision, TimedLocalState, TimingModel};
use super::open_clocks::clock_phases;
use super::{InstantActions, LocalActions, TimedSystem};
use crate::choices::{ChoiceLeaf, ChoicePath, mdp_actions, paths_until};
use crate::interner::Interned;
use crate::links::{InPort, LinkTable};
use crate::passes::Passes;
use crate::probability::PhaseAdvance;
use crate::program::{Observation, Program};
use crate::transition_system::{ProtocolSystem, Successors};

/// All places in the middle of an instant.
struct GlobalInstant {
    locals: Vec<LocalInstant>,
    decisions: Vec<SchedulerDecision>,
    /// By place: its clock has started; it has ticked.
    started: Vec<bool>,
    ticked: Vec<bool>,
    /// By link: the messages that stay in flight.
    in_flight: Vec<Vec<AgedMessage>>,
    /// By link: the messages that arrive in the next pass.
    due: Vec<Vec<Interned>>,
    reports: Vec<(Place, Observation)>,
    actions: InstantActions,
    /// All messages sent.
    passes: Passes,
    /// The instant was cut off: it has more than [`MAX_PASSES`] passes, or the order of its messages is not known.
    endless: bool,
}

/// The parts of the system that the events of an instant use.
struct InstantContext<'a> {
    program: &'a mut dyn Program,
    links: &'a LinkTable,
    model: TimingModel,
    longest: u64,
}

impl TimedSystem {
    /// Adds all transitions of an instant.
    pub(super) fn zero_delay_successors(&mut self, state: &[Interned], fingerprint: u64, successors: &mut Successors) {
        let leaves = self.global_instants(state);
        let actions = if leaves.iter().any(|leaf| leaf.result.endless) { None } else { mdp_actions(&leaves) };
        let Some(actions) = actions else {
            successors.truncated = true;
            return;
        };
        for action in actions {
            let number = successors.transitions.last().map_or(0, |transition| transition.action + 1);
            for leaf in action {
                self.add_transition(state, fingerprint, number, &leaves[leaf], successors);
            }
        }
    }

    /// Reconstructs the actions of a transition.
    pub(super) fn zero_delay_actions(&mut self, state: &[Interned], transition: usize) -> InstantActions {
        let mut leaves = self.global_instants(state);
        let mut successors = Successors::default();
        let mut of = Vec::new();
        for leaf in mdp_actions(&leaves).unwrap_or_default().concat() {
            self.add_transition(state, 0, 0, &leaves[leaf], &mut successors);
            of.resize(successors.transitions.len(), leaf);
        }
        let leaf = &mut leaves[of[transition]];
        let mut actions = mem::take(&mut leaf.result.actions);
        for (place, local) in leaf.result.locals.iter().enumerate() {
            let decision = &leaf.result.decisions[place];
            let (user_events, ticks) = (local.user_events.clone(), leaf.result.ticked[place]);
            let random_values = local.random_values.clone();
            let closes = mem::take(&mut actions.places[place].closes);
            let action = LocalActions {
                wakes: decision.wakes,
                again: decision.again,
                closes,
                ticks,
                user_events,
                random_values,
                ..LocalActions::default()
            };
            actions.places[place] = action;
        }
        actions
    }

    /// The phases that grow, by transition.
    pub(super) fn zero_delay_advances(&mut self, state: &[Interned], advances: &mut Vec<PhaseAdvance>) {
        let leaves = self.global_instants(state);
        let mut successors = Successors::default();
        for leaf in mdp_actions(&leaves).unwrap_or_default().concat() {
            let transition = successors.transitions.len();
            self.add_transition(state, 0, 0, &leaves[leaf], &mut successors);
            if successors.transitions.len() > transition {
                let locals = leaves[leaf].result.locals.iter().map(|local| local.advance).zip(0..);
                advances.extend(locals.filter(|&(by, _)| by > 0).map(|(by, place)| PhaseAdvance {
                    transition,
                    place,
                    by,
                }));
            }
        }
    }

    /// All runs of an instant.
    fn global_instants(&mut self, state: &[Interned]) -> Vec<ChoiceLeaf<GlobalInstant>> {
        // The open clocks that must be closed are found by trying.
        let mut closes = vec![false; self.n];
        loop {
            let leaves = self.global_instants_of(state, &closes);
            let before = closes.clone();
            for (place, local) in leaves.iter().flat_map(|leaf| leaf.result.locals.iter().enumerate()) {
                closes[place] |= local.needs_clock;
            }
            if closes == before {
                return leaves;
            }
        }
    }

    /// All runs of an instant in which the [open clocks](super::open_clocks) of some places are closed.
    fn global_instants_of(&mut self, state: &[Interned], closes: &[bool]) -> Vec<ChoiceLeaf<GlobalInstant>> {
        let (n, delay, model) = (self.n, self.delay, self.timing);
        let before: Vec<_> = state[..n].iter().map(|&local| self.locals.get(local).clone()).collect();
        let older = |&(age, message): &AgedMessage| (age + 1, message);
        let in_flight: Vec<Vec<AgedMessage>> = state[n..self.monitor_index()]
            .iter()
            .map(|&link| self.in_flight.contents(link).iter().map(older).collect())
            .collect();
        let arrivals: Vec<_> = in_flight.iter().map(|link| arrival_choices(link, model.in_order, delay)).collect();
        let mut context = InstantContext { program: &mut *self.program, links: &self.links, model, longest: delay.1 };
        let run = |choices: &mut ChoicePath| {
            let mut before = before.clone();
            let closed: Vec<_> =
                before.iter_mut().zip(closes).map(|(local, &closes)| close_clock(local, closes, choices)).collect();
            let mut global = GlobalInstant {
                locals: before.iter().cloned().map(LocalInstant::new).collect(),
                decisions: before.iter().map(|local| SchedulerDecision::wake_ups(local, model, choices)).collect(),
                started: Vec::new(),
                ticked: vec![false; n],
                in_flight: Vec::new(),
                due: Vec::new(),
                reports: Vec::new(),
                actions: InstantActions { places: vec![LocalActions::default(); n], ..InstantActions::default() },
                passes: Passes::NONE,
                endless: false,
            };
            for (link, arrivals) in in_flight.iter().zip(&arrivals) {
                let which = &arrivals[choices.scheduler_choice(arrivals.len() as u32) as usize];
                let rest = (0..link.len()).filter(|index| !which.contains(index)).map(|index| link[index]);
                global.in_flight.push(rest.collect());
                global.due.push(which.iter().map(|&index| link[index].1).collect());
                global.actions.arrived.push(which.clone());
            }
            for (action, closed) in global.actions.places.iter_mut().zip(closed) {
                action.closes = closed;
            }
            for (place, local) in before.iter().enumerate() {
                let mut in_ports = context.links.in_ports(place as Place);
                let reached =
                    in_ports.any(|in_port| !global.due[context.links.in_port(in_port).at as usize - n].is_empty());
                let decision = &mut global.decisions[place];
                let touched = decision.wakes || decision.again > 0 || reached && model.arrivals_precede_ticks();
                let idle = local.timers.is_empty() && local.unread.is_empty() && !touched && !reached;
                decision.ticks = local.ticks(touched, model.eager && local.tick_length.0 == 1 && idle, choices);
                decision.choose_requests(local, model, choices);
                let stopped = matches!(local.clock, ClockState::Stopped | ClockState::Open(None));
                global.started.push(touched || !stopped);
                global.locals[place].tick_ahead = decision.ticks;
            }
            global.run(&mut context, choices);
            global
        };
        paths_until(run, |global| global.endless)
    }

    /// Adds the transition to the state at the end of an instant.
    fn add_transition(
        &mut self,
        state: &[Interned],
        fingerprint: u64,
        action: u32,
        leaf: &ChoiceLeaf<GlobalInstant>,
        successors: &mut Successors,
    ) {
        let global = &leaf.result;
        let mut after = Vec::new();
        after.extend(global.locals.iter().map(|local| self.locals.intern(local.state.clone())));
        after.extend(global.in_flight.iter().map(|link| self.in_flight.intern(link.clone())));
        after.push(self.program.observe(state[self.monitor_index()], &global.reports));
        // Before the first wake-up no time passes that can be observed.
        if after == state && self.initial_states.iter().any(|initial_state| initial_state == state) {
            return;
        }
        for (at, &to) in after.iter().enumerate().filter(|&(at, &to)| to != state[at]) {
            successors.write(at as u32, to);
        }
        let mut optional = false;
        for (place, (decision, local)) in global.decisions.iter().zip(&global.locals).enumerate() {
            optional |= decision.again > 0 || decision.wakes && !self.timing.together || local.has_requested();
            self.discharge(place, local.released(), decision.wakes, successors);
        }
        successors.finish(state, fingerprint, (action, leaf.probability()), global.passes, optional);
    }
}

/// Chooses the clock that an open one becomes; returns it with the length of its ticks.
fn close_clock(local: &mut TimedLocalState, closes: bool, choices: &mut ChoicePath) -> Option<(u64, ClockState)> {
    let ClockState::Open(elapsed) = local.clock else { return None };
    let phases = if closes { clock_phases(local.tick_length, elapsed) } else { Vec::new() };
    let (length, clock) = *phases.get(choices.scheduler_choice(phases.len() as u32) as usize)?;
    (local.tick_length, local.clock) = ((length, length), clock);
    Some((length, clock))
}

impl GlobalInstant {
    /// Wake-ups and requests, then pass after pass until nothing more arrives and no timer fires at this instant.
    fn run(&mut self, context: &mut InstantContext<'_>, choices: &mut ChoicePath) {
        let decisions = self.decisions.clone();
        for (place, decision) in decisions.iter().enumerate() {
            self.act(context, place, choices, |local, context, choices| {
                local.wake(&mut *context.program, decision, choices);
            });
        }
        for (place, decision) in decisions.iter().enumerate() {
            self.act(context, place, choices, |local, context, choices| {
                local.call(&mut *context.program, decision, choices);
            });
        }
        for pass in 0.. {
            for stage in context.model.stages {
                match stage {
                    InstantStage::Planned => {}
                    InstantStage::Arrivals => self.arrive(context, choices),
                    InstantStage::Ticks => self.tick(context, choices),
                    InstantStage::LateArrivals => unreachable!("ties are not open where delays may be 0"),
                    InstantStage::ZeroTimers => self.end_pass(context, choices),
                }
            }
            let done = self.due.iter().all(Vec::is_empty) && self.locals.iter().all(LocalInstant::is_done);
            self.endless |= !done && pass == MAX_PASSES;
            if done || self.endless {
                break;
            }
        }
        let still = SchedulerDecision::default();
        for (place, local) in self.locals.iter_mut().enumerate().filter(|&(place, _)| !self.ticked[place]) {
            local.pass_time(&mut *context.program, context.model.reading, &still, self.started[place], choices);
        }
    }

    /// Messages arrive, by place, port and order on the link.
    fn arrive(&mut self, context: &mut InstantContext<'_>, choices: &mut ChoicePath) {
        let nothing = vec![Vec::new(); self.due.len()];
        let mut due = mem::replace(&mut self.due, nothing);
        for place in 0..self.locals.len() {
            let mut in_ports = Vec::new();
            for in_port in context.links.in_ports(place as Place) {
                let InPort { at, port: rank, .. } = context.links.in_port(in_port);
                if !due[at as usize - self.locals.len()].is_empty() {
                    in_ports.push((self.locals[place].state.numbering.choose_port(rank, choices), at));
                }
            }
            in_ports.sort_unstable();
            // The order of these messages is that of the ports, which have been renamed.
            self.endless |= in_ports.len() > 1 && self.locals[place].state.numbering.is_renamed();
            for (port, at) in in_ports {
                for message in mem::take(&mut due[at as usize - self.locals.len()]) {
                    self.start(context.model, place, choices);
                    self.act(context, place, choices, |local, context, choices| {
                        local.arrive(&mut *context.program, context.model.reading, Port(port), message, choices);
                    });
                }
            }
        }
    }

    /// A message reaches a place and starts its clock. If arrivals come after ticks, the first tick may be at this
    /// instant, but its stage is over: it reads nothing and no timer expires.
    fn start(&mut self, model: TimingModel, place: usize, choices: &mut ChoicePath) {
        if mem::replace(&mut self.started[place], true) {
            return;
        }
        let local = &mut self.locals[place];
        let ticks = local.state.ticks(true, false, choices);
        self.decisions[place].ticks = ticks;
        if model.arrivals_precede_ticks() {
            local.tick_ahead = ticks;
        } else if ticks {
            local.state.clock = ClockState::Since(0);
            self.ticked[place] = true;
        }
    }

    fn tick(&mut self, context: &mut InstantContext<'_>, choices: &mut ChoicePath) {
        for place in 0..self.locals.len() {
            if self.decisions[place].ticks && !mem::replace(&mut self.ticked[place], true) {
                let decision = self.decisions[place].clone();
                self.act(context, place, choices, |local, context, choices| {
                    local.tick(&mut *context.program, context.model.reading, &decision, choices);
                });
            }
        }
    }

    fn end_pass(&mut self, context: &mut InstantContext<'_>, choices: &mut ChoicePath) {
        for place in 0..self.locals.len() {
            self.act(context, place, choices, |local, context, choices| {
                local.end_pass(&mut *context.program, choices);
            });
        }
    }

    /// Lets a processor act, and takes what it sends and reports.
    fn act(
        &mut self,
        context: &mut InstantContext<'_>,
        place: usize,
        choices: &mut ChoicePath,
        action: impl FnOnce(&mut LocalInstant, &mut InstantContext<'_>, &mut ChoicePath),
    ) {
        let local = &mut self.locals[place];
        action(local, context, choices);
        self.reports.extend(local.reports.drain(..).map(|(_, observation)| (place as Place, observation)));
        for (port, message) in mem::take(&mut local.sends) {
            let rank = self.locals[place].state.numbering.choose_neighbour(port, choices);
            let Some(out) = context.links.out(place as Place, rank) else { continue };
            let link = out.at as usize - self.locals.len();
            // If links keep the order, no message that was sent before may stay in flight.
            let may = !context.model.in_order || self.in_flight[link].is_empty();
            let at_once = may && (context.longest == 0 || choices.scheduler_bool());
            self.passes += context.program.passes(message);
            self.actions.sent.push((link, at_once));
            if at_once {
                self.due[link].push(message);
            } else {
                self.in_flight[link].push((0, message));
            }
        }
    }
}
