//! Interventions: what the scenario says about single messages, by their numbers. A run without interventions knows nothing of
//! this: its messages are not looked up.
//!
//! A message is dropped when it is sent, after the faults of links had their chance. Its delay is decided, and its copy made, when
//! it is transmitted: on a half-duplex link, when it enters the link. Its own draws are still made, so that the
//! messages after it on its link have the delays that they would have had. Where links are FIFO a message whose arrival is
//! decided arrives after those before it, and before those behind it.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use ringleader_model::{AtMost, Intervention, MessageAction, Network, Place, Port, Protocol, Range, Scenario, Time};

use crate::engine_state::{Arrival, EngineState, MessageOf};
use crate::instrumentation::{Instrumentation, MessageTag};
use crate::step::{Cause, MessageContent, MessageNumber};

/// An intervention, and what came of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AppliedIntervention {
    /// The intervention.
    pub intervention: Intervention,
    /// Its effect.
    pub effect: InterventionEffect,
}

/// What came of an intervention.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InterventionEffect {
    /// Its message has not been sent.
    NotSent,
    /// None: the message was lost before, or arrives no earlier by itself.
    Void,
    /// One that links may have which keep what is promised of them.
    Within,
    /// One that they cannot have: a loss or a copy on a reliable link, or a delay that is too long or too short.
    Outside,
}

/// The interventions of a run.
#[derive(Clone)]
pub(crate) struct InterventionState {
    /// By number.
    all: Vec<AppliedIntervention>,
    /// The delays that links promise; `None` without clocks.
    delays: Option<Range>,
    /// Links may lose messages, or duplicate them, anyway.
    unreliable: [bool; 2],
    /// Links are FIFO, and the arrival of some message is decided.
    ordered: bool,
    /// Messages are indistinguishable: only those whose arrival is decided have an order.
    alike: bool,
    /// By sender and port, the last arrival.
    arrivals: BTreeMap<(Place, Port), Time>,
}

/// When a message arrives.
struct DecidedArrival {
    at: Time,
    /// It is the one that an intervention asks for, or the first one after it that the order of its link allows.
    decided: bool,
}

impl InterventionState {
    /// `None` if there are none.
    pub(crate) fn new(scenario: &Scenario, alike: bool) -> Option<Box<Self>> {
        if scenario.interventions.is_empty() {
            return None;
        }
        let mut planned = scenario.interventions.clone();
        planned.sort_unstable();
        let planned = planned.into_iter();
        let all = planned.map(|intervention| AppliedIntervention { intervention, effect: InterventionEffect::Void });
        let AtMost { losses, duplicates, .. } = scenario.faults.at_most;
        Some(Box::new(Self {
            all: all.collect(),
            delays: Some(scenario.timing.d).filter(|_| !scenario.untimed),
            unreliable: [
                scenario.faults.loss.is_some() || losses > 0,
                scenario.faults.duplicate.is_some() || duplicates > 0,
            ],
            ordered: scenario.links.is_fifo() && decide_arrivals(scenario),
            alike,
            arrivals: BTreeMap::new(),
        }))
    }

    /// What came of them in a run in which this number of messages were sent.
    pub(crate) fn applied(&self, messages: u64) -> Vec<AppliedIntervention> {
        let sent = |one: &AppliedIntervention| match one.intervention.message <= messages {
            true => *one,
            false => AppliedIntervention { effect: InterventionEffect::NotSent, ..*one },
        };
        self.all.iter().map(sent).collect()
    }

    /// By sender and port, the last arrivals that are still to come: later messages wait for them.
    pub(crate) fn last_arrivals(&self, now: Time) -> impl Iterator<Item = ((Place, Port), Time)> {
        self.arrivals.iter().map(|(&link, &at)| (link, at)).filter(move |&(_, at)| at > now)
    }

    /// The interventions in a message.
    fn of(&mut self, number: MessageNumber) -> &mut [AppliedIntervention] {
        let start = self.all.partition_point(|one| one.intervention.message < number.0);
        let length = self.all[start..].partition_point(|one| one.intervention.message == number.0);
        &mut self.all[start..start + length]
    }

    /// Applies an action to a message, if it is asked for.
    fn apply(&mut self, number: MessageNumber, action: MessageAction, effect: InterventionEffect) -> bool {
        let meant = self.of(number).iter_mut().find(|one| one.intervention.action == action);
        meant.map(|one| one.effect = effect).is_some()
    }

    fn drops(&mut self, number: MessageNumber) -> bool {
        let effect = if self.unreliable[0] { InterventionEffect::Within } else { InterventionEffect::Outside };
        self.apply(number, MessageAction::Drop, effect)
    }

    fn duplicates(&mut self, number: MessageNumber) -> bool {
        let effect = if self.unreliable[1] { InterventionEffect::Within } else { InterventionEffect::Outside };
        self.apply(number, MessageAction::Duplicate, effect)
    }

    /// The arrival of a message that is transmitted now, and would arrive at `own`.
    fn arrival(&mut self, number: MessageNumber, now: Time, link: (Place, Port), own: Time) -> DecidedArrival {
        let (ordered, delays) = (self.ordered, self.delays);
        let before = self.arrivals.get(&link).copied().filter(|_| ordered).unwrap_or(0);
        let mut arrival = DecidedArrival { at: own.max(before), decided: false };
        for one in self.of(number) {
            let at = match (one.intervention.action, delays) {
                (MessageAction::Delay(length), _) => now.saturating_add(length).max(before),
                (MessageAction::Until(time), Some(_)) if time > arrival.at => time,
                _ => continue,
            };
            let within = delays.is_none_or(|d| d.contains(at - now));
            one.effect = if within { InterventionEffect::Within } else { InterventionEffect::Outside };
            arrival = DecidedArrival { at, decided: true };
        }
        if ordered && (arrival.decided || !self.alike || before > 0) {
            self.arrivals.insert(link, arrival.at);
        }
        arrival
    }

    /// In a run without clocks, until when a message is held, if it is.
    fn held_until(&mut self, number: MessageNumber) -> Option<Time> {
        self.of(number).iter().find_map(|one| match one.intervention.action {
            MessageAction::Until(time) => Some(time),
            _ => None,
        })
    }

    /// The same for one that would be enabled now.
    pub(crate) fn hold(&mut self, number: MessageNumber, now: Time) -> Option<Time> {
        let until = self.held_until(number).filter(|&until| until > now)?;
        self.apply(number, MessageAction::Until(until), InterventionEffect::Within);
        Some(until)
    }
}

/// Whether the arrival of some message of a run with clocks is decided.
pub(crate) fn decide_arrivals(scenario: &Scenario) -> bool {
    !scenario.untimed && scenario.interventions.iter().any(|one| one.action.decides_arrival())
}

impl<P: Protocol, D: Instrumentation> EngineState<P, D> {
    /// Whether an intervention loses a message that is sent now.
    #[cold]
    pub(crate) fn is_dropped(&mut self, from: Place, port: Port, message: &MessageOf<P>, tag: D::Tag) -> bool {
        let dropped = self.interventions.as_mut().is_some_and(|interventions| interventions.drops(tag.number()));
        if dropped {
            let route = self.network.route(from, port);
            self.count_lost_underway(1);
            self.log_loss(&Arrival::new(route, tag, message.clone()));
        }
        dropped
    }

    /// Transmits a message whose delay may be decided, and which may be duplicated.
    #[cold]
    pub(crate) fn transmit_intervened(&mut self, from: Place, port: Port, message: MessageOf<P>, tag: D::Tag) {
        let (now, link) = (self.now, (from, port));
        let mut at = self.delay_model.arrival::<true>(now, &self.network, link, &mut self.choices);
        let mut arrival = Arrival::<P, D>::new(self.network.route(from, port), tag, message);
        loop {
            let number = arrival.tag.number();
            let interventions = self.interventions.as_mut().expect("there are interventions");
            let DecidedArrival { at: decided_at, decided } = interventions.arrival(number, now, link, at);
            let held = interventions.held_until(number).filter(|&until| interventions.delays.is_none() && until > now);
            let duplicated = interventions.duplicates(number);
            if decided && decided_at < at {
                self.delay_model.hurry(&self.network, link, decided_at);
            }
            at = decided_at;
            self.log_decision(&arrival, decided.then_some(at), held);
            self.arrivals.push(at, arrival.clone());
            if !duplicated {
                return;
            }
            let copy = self.duplicate(&arrival.message, arrival.tag);
            self.log_duplicate(&arrival, copy);
            if self.is_dropped(from, port, &arrival.message, copy) {
                return;
            }
            self.duplicated(arrival.to, arrival.port());
            arrival.tag = copy;
        }
    }

    /// Logs that a message is delayed until a time, or held for a number of actions, if it is.
    fn log_decision(&mut self, arrival: &Arrival<P, D>, delayed: Option<Time>, held: Option<Time>) {
        let Some(until) = held.or(delayed) else { return };
        let (to, port) = arrival.rank();
        self.log_fault(to, |network| {
            let (message, from) = (arrival.tag.number(), network.origin(to, port));
            let content = MessageContent::new(&arrival.message);
            match held {
                Some(_) => Cause::Hold { message, from, port, content, until },
                None => Cause::Delay { message, from, port, content, until },
            }
        });
    }
}
