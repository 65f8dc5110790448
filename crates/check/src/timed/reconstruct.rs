//! Reconstructs the actions of a counterexample with clocks from the option and the outcome of each place.

use ringleader_model::{Place, Port, Ports};

use super::faults::{MessageFate, PlaceOrigin};
use super::local::TimedLocalState;
use super::{CRASHED, InstantActions, LocalActions, LocalCase, LocalOption, LocalOutcome, LocalRun, TimedSystem};
use crate::interner::Interned;
use crate::port_numbering::{FullNumbering, RunNumberings};
use crate::transition_system::{ProtocolSystem, Reconstruct, Successors, TransitionSystem};

impl TimedSystem {
    /// Reconstructs the actions of a place from an option and an outcome.
    fn retrace(
        &mut self,
        state: &[Interned],
        place: usize,
        (option, outcome): (u32, u32),
        actions: &mut InstantActions,
    ) {
        let LocalOption { rest, outcomes, fault, .. } = self.options[option as usize];
        let in_ports = self.links.in_ports(place as Place);
        let rest = self.rest[rest as usize..][..in_ports.len()].to_vec();
        let target = self.outcomes[(outcomes.0 + outcome) as usize];
        if target.local == CRASHED && fault.is_some() {
            return actions.places.push(LocalActions { fault, ..LocalActions::default() });
        }
        let faults = self.note_faults(state, place);
        let origins = self.origins(state, place, faults);
        for origin in origins.iter().filter(|origin| origin.fault == fault) {
            for case in self.cases(state, place, origin.is_deaf) {
                if case.rest == rest && self.retrace_case(state, place, (origin, &case), target, actions) {
                    return;
                }
            }
        }
        unreachable!("a transition that was found is found again");
    }

    /// Reconstructs the actions of a place in a case; false if it has no such outcome.
    fn retrace_case(
        &mut self,
        state: &[Interned],
        place: usize,
        (origin, case): (&PlaceOrigin, &LocalCase),
        target: LocalOutcome,
        actions: &mut InstantActions,
    ) -> bool {
        let numbering = self.numbering.clone();
        let rank = |port| numbering.as_ref().map_or(port, |numbering| numbering.rank(place as Place, port));
        let port =
            |rank: Port| numbering.as_ref().map_or(rank, |numbering| Port(numbering.port(place as Place, rank.0)));
        // Messages that arrive together are handled in the order of their ports; those of one link keep their order.
        let mut arriving: Vec<_> = case.messages.iter().map(|&(rank, message)| (port(rank), message)).collect();
        arriving.sort_by_key(|&(port, _)| port);
        let leaves = match case.ticks {
            Some(ticks) => self.deferred_runs(state, place, case, ticks),
            None => self.local_runs(origin.local, &arriving),
        };
        for leaf in leaves {
            let (decision, instant) = &leaf.result;
            let sent: Vec<_> = instant.sends.iter().map(|&(port, message)| (rank(port), message)).collect();
            let fates = origin.fates(sent.len());
            let same =
                |fates: &&Vec<MessageFate>| self.is_outcome(place, (origin, case), (&leaf, &sent), fates, target);
            let Some(fates) = fates.iter().find(same) else { continue };
            let fates: &[MessageFate] = fates;
            actions.places.push(LocalActions {
                fault: origin.fault,
                wakes: decision.wakes,
                again: decision.again,
                closes: None,
                ticks: decision.ticks,
                ties: decision.late.clone(),
                user_events: instant.user_events.clone(),
                random_values: instant.random_values.clone(),
                fates: self.drawn_fates(place, &sent, fates),
            });
            for (link, which) in &case.arrived {
                actions.arrived[*link].clone_from(which);
            }
            actions.lossy.extend_from_slice(&case.lossy);
            actions.deferred.extend_from_slice(&case.deferred);
            let link = |(port, _): (Port, Interned)| {
                self.links.out(place as Place, port).map(|out| (out.at as usize - self.n, false))
            };
            actions.sent.extend(self.transmitted(place, &sent, fates).into_iter().filter_map(link));
            return true;
        }
        false
    }

    /// True if a run of an instant with these fates of messages is an outcome.
    fn is_outcome(
        &mut self,
        place: usize,
        (origin, case): (&PlaceOrigin, &LocalCase),
        (leaf, sent): (&LocalRun, &[(Port, Interned)]),
        fates: &[MessageFate],
        target: LocalOutcome,
    ) -> bool {
        let (decision, instant) = &leaf.result;
        let from = self.sends.len();
        let transmitted = self.transmitted(place, sent, fates);
        self.add_sends(place, &transmitted);
        let mut sends = self.sends.split_off(from);
        let mut expected = self.sends[target.sends.0 as usize..target.sends.1 as usize].to_vec();
        sends.sort_unstable();
        expected.sort_unstable();
        let numbering = self.locals.get(target.local).numbering.clone();
        let after = TimedLocalState { numbering, ..instant.state.clone() };
        let reports = self.reports_of((origin, case), (place, sent), instant, fates);
        self.locals.intern(after) == target.local
            && self.reports.intern(reports) == target.reports
            && sends == expected
            && leaf.probability() == target.probability
            && self.price((origin, decision.pauses), place, sent, fates) == target.price
    }
}

impl Reconstruct for TimedSystem {
    type Action = InstantActions;

    fn fix_numbering(&mut self, states: &[Vec<Interned>], transitions: &[usize]) -> Option<Ports> {
        let mut run = RunNumberings::new(self.n);
        for (index, state) in states.iter().enumerate() {
            for (place, &local) in state[..self.n].iter().enumerate() {
                run.add(place, &self.locals.get(local).numbering);
            }
            if let Some(&transition) = transitions.get(index).filter(|_| self.renames) {
                self.add_round_numberings(state, transition, &mut run);
            }
        }
        self.numbering = run.one();
        self.numbering.as_ref().map(FullNumbering::ports)
    }

    fn action(&mut self, state: &[Interned], transition: usize) -> InstantActions {
        if self.delay.0 == 0 {
            let round = self.round_actions(state, transition);
            return round.unwrap_or_else(|| self.zero_delay_actions(state, transition));
        }
        self.record = Some(Vec::new());
        let (mut successors, mut after) = (Successors::default(), state.to_vec());
        self.successors(state, 0, &mut successors);
        let chosen = self.record.take().expect("recording was enabled").swap_remove(transition);
        successors.apply(transition, &mut after);
        self.cut = self.cuts(after.get(self.monitor_index() + 1).copied());
        let mut actions = InstantActions { arrived: vec![Vec::new(); self.links.count], ..InstantActions::default() };
        let pairs = self.neighbours.pairs.iter().enumerate();
        actions.cut = pairs.filter(|(pair, _)| self.cut >> pair & 1 == 1).map(|(_, &ends)| ends).collect();
        let outcomes: Vec<u32> =
            chosen.iter().map(|&(option, outcome)| self.options[option as usize].outcomes.0 + outcome).collect();
        for (place, (option, outcome)) in chosen.into_iter().enumerate() {
            self.retrace(state, place, (option, outcome), &mut actions);
        }
        self.note_early(&outcomes, &mut actions);
        actions
    }
}
