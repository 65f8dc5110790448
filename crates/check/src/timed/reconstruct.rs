//! Reconstructs the actions of a counterexample with clocks from the option and the outcome of each place.

use ringleader_model::{Place, Port, Ports};

use super::local::TimedLocalState;
use super::{InstantActions, LocalActions, LocalOption, TimedSystem};
use crate::interner::Interned;
use crate::port_numbering::{FullNumbering, RunNumberings};
use crate::transition_system::{Reconstruct, Successors, TransitionSystem};

impl TimedSystem {
    /// Reconstructs the actions of a place from an option and an outcome.
    fn retrace(
        &mut self,
        state: &[Interned],
        place: usize,
        (option, outcome): (u32, u32),
        actions: &mut InstantActions,
    ) {
        let LocalOption { rest, outcomes, crashes, .. } = self.options[option as usize];
        if crashes {
            return actions.places.push(LocalActions { crashes, ..LocalActions::default() });
        }
        self.note_pauses(state);
        let numbering = self.numbering.clone();
        let rank = |port| numbering.as_ref().map_or(port, |numbering| numbering.rank(place as Place, port));
        let port =
            |rank: Port| numbering.as_ref().map_or(rank, |numbering| Port(numbering.port(place as Place, rank.0)));
        // Messages that arrive together are handled in the order of their ports; those of one link keep their order.
        let arriving = |messages: &[(Port, Interned)]| {
            let mut arriving: Vec<_> = messages.iter().map(|&(rank, message)| (port(rank), message)).collect();
            arriving.sort_by_key(|&(port, _)| port);
            arriving
        };
        let target = self.outcomes[(outcomes.0 + outcome) as usize];
        let in_ports = self.links.in_ports(place as Place);
        let rest = self.rest[rest as usize..][..in_ports.len()].to_vec();
        for case in self.cases(state, place) {
            if case.rest != rest {
                continue;
            }
            let leaves = match case.ticks {
                Some(ticks) => self.deferred_runs(state, place, &case, ticks),
                None => self.local_runs(state[place], &arriving(&case.messages)),
            };
            for leaf in leaves {
                let (decision, instant) = &leaf.result;
                let sent: Vec<_> = instant.sends.iter().map(|&(port, message)| (rank(port), message)).collect();
                let from = self.sends.len();
                self.add_sends(place, &sent);
                let mut sends = self.sends.split_off(from);
                let mut expected = self.sends[target.sends.0 as usize..target.sends.1 as usize].to_vec();
                sends.sort_unstable();
                expected.sort_unstable();
                let numbering = self.locals.get(target.local).numbering.clone();
                let after = TimedLocalState { numbering, ..instant.state.clone() };
                let same = self.locals.intern(after) == target.local
                    && self.reports.intern(instant.reports.clone()) == target.reports
                    && sends == expected
                    && leaf.probability() == target.probability;
                if !same {
                    continue;
                }
                actions.places.push(LocalActions {
                    crashes: false,
                    wakes: decision.wakes,
                    again: decision.again,
                    closes: None,
                    ticks: decision.ticks,
                    ties: decision.late.clone(),
                    user_events: instant.user_events.clone(),
                    random_values: instant.random_values.clone(),
                });
                for (link, which) in case.arrived {
                    actions.arrived[link] = which;
                }
                actions.deferred.extend(case.deferred);
                let link = |&(port, _): &(Port, Interned)| {
                    self.links.out(place as Place, port).map(|out| (out.at as usize - self.n, false))
                };
                actions.sent.extend(sent.iter().filter_map(link));
                return;
            }
        }
        unreachable!("a transition that was found is found again");
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
        self.successors(state, 0, &mut Successors::default());
        let chosen = self.record.take().expect("recording was enabled").swap_remove(transition);
        let mut actions = InstantActions { arrived: vec![Vec::new(); self.links.count], ..InstantActions::default() };
        let outcomes: Vec<u32> =
            chosen.iter().map(|&(option, outcome)| self.options[option as usize].outcomes.0 + outcome).collect();
        for (place, (option, outcome)) in chosen.into_iter().enumerate() {
            self.retrace(state, place, (option, outcome), &mut actions);
        }
        self.note_early(&outcomes, &mut actions);
        actions
    }
}
