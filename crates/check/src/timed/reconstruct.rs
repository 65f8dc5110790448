//! Reconstructs the actions of a counterexample with clocks from the option and the outcome of each place.

use ringleader_model::{Place, Port};

use super::{InstantActions, LocalActions, LocalOption, TimedSystem};
use crate::interner::Interned;
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
        let target = self.outcomes[(outcomes.0 + outcome) as usize];
        let in_ports = self.links.in_ports(place as Place);
        let rest = self.rest[rest as usize..][..in_ports.len()].to_vec();
        for case in self.cases(state, place) {
            if case.rest != rest {
                continue;
            }
            let leaves = self.local_runs(state, place, &case);
            for leaf in leaves {
                let (decision, instant) = &leaf.result;
                let from = self.sends.len();
                self.add_sends(place, &instant.sends);
                let sends = self.sends.split_off(from);
                let same = self.locals.intern(instant.state.clone()) == target.local
                    && self.reports.intern(instant.reports.clone()) == target.reports
                    && sends[..] == self.sends[target.sends.0 as usize..target.sends.1 as usize]
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
                actions.sent.extend(instant.sends.iter().filter_map(link));
                return;
            }
        }
        unreachable!("a transition that was found is found again");
    }
}

impl Reconstruct for TimedSystem {
    type Action = InstantActions;

    fn action(&mut self, state: &[Interned], transition: usize) -> InstantActions {
        if self.delay.0 == 0 {
            return self.zero_delay_actions(state, transition);
        }
        self.record = Some(Vec::new());
        self.successors(state, 0, &mut Successors::default());
        let chosen = self.record.take().expect("recording was enabled").swap_remove(transition);
        let mut actions = InstantActions { arrived: vec![Vec::new(); self.links.count], ..InstantActions::default() };
        for (place, (option, outcome)) in chosen.into_iter().enumerate() {
            self.retrace(state, place, (option, outcome), &mut actions);
        }
        actions
    }
}
