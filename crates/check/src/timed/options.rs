//! The options of a place in an instant: the decisions of the scheduler about it, with their outcomes.

use ringleader_model::{Place, Port};

use super::faults::{MessageFate, PlaceOrigin};
use super::local::{ClockState, LocalInstant, SchedulerDecision, position};
use super::{LocalCase, LocalOption, LocalOutcome, LocalRun, TimedSystem};
use crate::choices::{ChoicePath, ChoiceProbability, mdp_actions, paths_until};
use crate::interner::{Interned, Map};
use crate::passes::Passes;
use crate::program::Observation;

impl TimedSystem {
    /// All runs of one instant at a place where these messages arrive.
    pub(super) fn local_runs(&mut self, local: Interned, arriving: &[(Port, Interned)]) -> Vec<LocalRun> {
        let ports: Vec<Port> = arriving.iter().map(|&(port, _)| port).collect();
        let local = self.locals.get(local);
        let run = |choices: &mut ChoicePath| {
            let decision = SchedulerDecision::new(local, &ports, self.timing, choices);
            let mut instant = LocalInstant::new(local.clone());
            instant.run(&mut *self.program, self.timing, &decision, arriving, choices);
            (decision, instant)
        };
        paths_until(run, |(_, instant)| !instant.is_done())
    }

    /// The options of a place, computed when they are first needed. `None` if an instant has more passes than
    /// [`MAX_PASSES`](super::local::MAX_PASSES).
    pub(super) fn options_of(
        &mut self,
        state: &[Interned],
        place: usize,
        key: &mut Vec<Interned>,
    ) -> Option<(u32, u32)> {
        key.clear();
        key.push(state[place]);
        key.push(place as u32);
        let faults = self.note_faults(state, place);
        faults.add_to(key);
        let in_ports = self.links.in_ports(place as Place);
        key.extend(in_ports.map(|in_port| state[self.links.in_port(in_port).at as usize]));
        if let Some(&found) = self.known.get(&key[..]) {
            return Some(found);
        }
        let from = self.options.len() as u32;
        let mut seen: Map<Vec<Interned>, ()> = Map::default();
        for origin in self.origins(state, place, faults) {
            let cases = self.cases(state, place, origin.is_deaf);
            for case in &cases {
                self.add_case(state, place, (&origin, case), &mut seen)?;
            }
            self.examine_orders(state, place, (&origin, cases), &mut seen)?;
        }
        if faults.crash && !faults.may_come_back {
            self.add_crash(state, place);
        }
        let found = (from, self.options.len() as u32);
        self.known.insert(key.clone(), found);
        Some(found)
    }

    /// Adds the options of a case. `None` if an instant has too many passes.
    pub(super) fn add_case(
        &mut self,
        state: &[Interned],
        place: usize,
        (origin, case): (&PlaceOrigin, &LocalCase),
        seen: &mut Map<Vec<Interned>, ()>,
    ) -> Option<()> {
        let runs = match case.ticks {
            Some(ticks) => vec![self.deferred_runs(state, place, case, ticks)],
            None => self.numbered_runs(origin.local, &case.messages),
        };
        if runs.iter().flatten().any(|leaf| !leaf.result.1.is_done()) {
            return None;
        }
        for leaves in runs {
            for action in mdp_actions(&leaves).expect("no choice of the scheduler follows a random one") {
                let leaves: Vec<&LocalRun> = action.iter().map(|&leaf| &leaves[leaf]).collect();
                let number = self.options.len();
                let most = leaves.iter().map(|leaf| leaf.result.1.sends.len()).max().unwrap_or(0);
                for fates in origin.fates(most) {
                    self.add_option(place, (origin, case), (&leaves, &fates), seen);
                }
                if case.postponable && leaves.iter().all(|leaf| leaf.result.1.ends_silently) {
                    self.remove_options(number);
                }
            }
        }
        Some(())
    }

    /// Removes all options from a number on.
    pub(super) fn remove_options(&mut self, number: usize) {
        let Some(&LocalOption { rest, outcomes, .. }) = self.options.get(number) else { return };
        let sends = self.outcomes[outcomes.0 as usize].sends.0;
        self.options.truncate(number);
        self.outcomes.truncate(outcomes.0 as usize);
        self.rest.truncate(rest as usize);
        self.sends.truncate(sends as usize);
    }

    /// Adds an option, unless there is an equal one. `fates`: of the messages that are sent, in order.
    fn add_option(
        &mut self,
        place: usize,
        (origin, case): (&PlaceOrigin, &LocalCase),
        (leaves, fates): (&[&LocalRun], &[MessageFate]),
        seen: &mut Map<Vec<Interned>, ()>,
    ) {
        let (mut optional, mut price) = (origin.fault.is_some(), 0);
        let first = (self.outcomes.len() as u32, self.sends.len());
        let mut same = case.rest.clone();
        for leaf in leaves {
            let (decision, instant) = &leaf.result;
            optional |= decision.pauses
                || decision.again > 0
                || decision.wakes && !self.timing.together
                || instant.has_requested();
            let from = self.sends.len() as u32;
            let reports = self.reports_of((origin, case), (place, &instant.sends), instant, fates);
            let sends = self.transmitted(place, &instant.sends, fates);
            self.add_sends(place, &sends);
            let outcome = LocalOutcome {
                local: self.locals.intern(instant.state.clone()),
                sends: (from, self.sends.len() as u32),
                reports: self.reports.intern(reports),
                probability: leaf.probability(),
                sent: self.passes(place, &instant.sends, fates),
                advance: instant.advance,
                releases: instant.released(),
                wakes: decision.wakes,
                resumes: decision.ticks && self.locals.get(origin.local).clock == ClockState::Late,
                price: self.price((origin, decision.pauses), place, &instant.sends, fates),
            };
            price = self.fault_budget.map_or(0, |budget| budget.dearer(price, outcome.price));
            self.outcomes.push(outcome);
            if let Some(limits) = self.deferred.as_ref().filter(|_| outcome.probability != ChoiceProbability::CERTAIN) {
                limits.note_random();
            }
            same.extend([outcome.local, outcome.reports, outcome.sends.1 - from, outcome.advance, outcome.price]);
            same.extend([outcome.probability.numerator, outcome.probability.denominator]);
            same.push(u32::from(outcome.resumes) << 2 | u32::from(outcome.releases) << 1 | u32::from(outcome.wakes));
            same.extend(self.sends[from as usize..].iter().flat_map(|&(at, batch)| [at, batch]));
        }
        optional |= price != 0;
        same.push(u32::from(optional));
        if seen.insert(same, ()).is_some() {
            self.outcomes.truncate(first.0 as usize);
            self.sends.truncate(first.1);
            return;
        }
        let (rest, outcomes) = (self.rest.len() as u32, (first.0, self.outcomes.len() as u32));
        self.options.push(LocalOption { rest, outcomes, optional, fault: origin.fault, price });
        self.rest.extend_from_slice(&case.rest);
    }

    /// The observations at a place, each with its position in the instant: those of its fault, then those of its steps, then the
    /// faults of messages.
    pub(super) fn reports_of(
        &self,
        (origin, case): (&PlaceOrigin, &LocalCase),
        (place, sends): (usize, &[(Port, Interned)]),
        instant: &LocalInstant,
        fates: &[MessageFate],
    ) -> Vec<(u32, Observation)> {
        let faults = self.message_faults(place, sends, fates);
        let lost = (0..case.lost).map(|_| Observation::Loss);
        let last = lost.chain(faults).map(|observation| (position::LAST, observation));
        origin.observed.iter().chain(&instant.reports).copied().chain(last).collect()
    }

    /// Messages as message passes; a duplicate is another one.
    fn passes(&mut self, place: usize, sends: &[(Port, Interned)], fates: &[MessageFate]) -> Passes {
        let mut messages: Vec<Interned> = sends.iter().map(|&(_, message)| message).collect();
        let doubled = self.fates_of(place, sends, fates).filter(|&(_, fate)| fate == MessageFate::Doubled);
        messages.extend(doubled.map(|((_, message), _)| message));
        messages.iter().fold(Passes::NONE, |sum, &message| sum + self.program.passes(message))
    }

    /// Adds the messages that a place sends, by link.
    pub(super) fn add_sends(&mut self, place: usize, sends: &[(Port, Interned)]) {
        let mut batches: Vec<(u32, Vec<Interned>)> = Vec::new();
        for &(port, message) in sends {
            let Some(out) = self.links.out(place as Place, port) else { continue };
            let at = out.at;
            match batches.iter_mut().find(|(other, _)| *other == at) {
                Some((_, batch)) => batch.push(message),
                None => batches.push((at, vec![message])),
            }
        }
        for (at, batch) in batches {
            let batch = self.in_flight.batch(batch);
            self.sends.push((at, batch));
        }
    }
}
