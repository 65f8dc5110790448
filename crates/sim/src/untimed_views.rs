//! The events that an untimed run can take next, as data.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use ringleader_model::{Network, Place, Protocol};

use crate::engine_state::{Arrival, TimerOrCall};
use crate::inspect::EnabledAction;
use crate::instrumentation::{Full, Instrumentation, MessageTag};
use crate::simulation::Simulation;
use crate::step::MessageNumber;
use crate::untimed::{EnabledEvent, UntimedState, UntimedTransition};

impl<P: Protocol, D: Instrumentation> UntimedState<P, D> {
    /// The messages that are the first ones of their links.
    pub(crate) fn first_on_links(&self) -> impl Iterator<Item = &Arrival<P, D>> {
        self.enabled.iter().filter_map(|event| match event {
            EnabledEvent::Message(arrival) => Some(arrival),
            EnabledEvent::Wake(_) | EnabledEvent::Again(_) | EnabledEvent::TimerOrCall(..) => None,
        })
    }

    /// The place at which a transition happens.
    pub(crate) fn place_of(&self, transition: UntimedTransition) -> Place {
        match transition {
            UntimedTransition::Event(index) => self.enabled[index].place(),
            UntimedTransition::Loss(index) | UntimedTransition::Duplicate(index) => self.message(index).to,
            UntimedTransition::Crash(place) | UntimedTransition::Restart(place) => place,
            UntimedTransition::Cut(place, _) | UntimedTransition::Heal(place, _) => place,
        }
    }
}

impl<P: Protocol> Simulation<P, Full> {
    /// The events of which one is taken next; those that would be blocked are left out.
    pub(crate) fn enabled_actions(&self) -> Vec<EnabledAction> {
        let mut actions = Vec::new();
        if self.untimed.is_some() && self.goes_on_untimed() {
            let all = 0..self.untimed().transitions(&self.engine);
            actions.extend(all.filter(|&index| !self.would_block(index)).map(|index| self.action(index)));
        }
        actions
    }

    /// Whether the step of a timer would have to wait for a half-duplex link: it is tried on a copy.
    pub(crate) fn would_block(&self, index: usize) -> bool {
        if self.engine.half_duplex.is_none() {
            return false;
        }
        let transition = self.untimed().transition(index, &self.engine);
        let UntimedTransition::Event(event) = transition else { return false };
        let timer = matches!(self.untimed().enabled[event], EnabledEvent::TimerOrCall(_, TimerOrCall::Timer(_)));
        timer && !self.clone().take(transition)
    }

    fn action(&self, index: usize) -> EnabledAction {
        let untimed = self.untimed();
        let transition = untimed.transition(index, &self.engine);
        let place = untimed.place_of(transition);
        let (kind, message, text) = match transition {
            UntimedTransition::Event(event) => self.event(&untimed.enabled[event]),
            UntimedTransition::Crash(place) => ("crash", None, format!("place {place} crashes")),
            UntimedTransition::Restart(place) => ("restart", None, format!("place {place} restarts")),
            UntimedTransition::Loss(event) => self.of_message("loss", "is lost", untimed.message(event)),
            UntimedTransition::Duplicate(event) => {
                self.of_message("duplicate", "is duplicated", untimed.message(event))
            }
            UntimedTransition::Cut(one, other) => {
                ("cut", None, format!("the link between place {one} and place {other} is cut"))
            }
            UntimedTransition::Heal(one, other) => {
                ("heal", None, format!("the link between place {one} and place {other} is cut no more"))
            }
        };
        EnabledAction { index, place, kind, message, text }
    }

    fn event(&self, event: &EnabledEvent<P, Full>) -> (&'static str, Option<MessageNumber>, String) {
        match event {
            EnabledEvent::Wake(place) => ("wake", None, format!("place {place} wakes")),
            EnabledEvent::Again(place) => ("call", None, format!("place {place} is asked for another election")),
            EnabledEvent::TimerOrCall(place, TimerOrCall::Timer(timer)) => {
                ("timeout", None, format!("timer {timer} of place {place} expires"))
            }
            EnabledEvent::TimerOrCall(place, TimerOrCall::Call(request)) => {
                ("call", None, format!("place {place} is asked to {request}"))
            }
            EnabledEvent::TimerOrCall(place, TimerOrCall::Queue(user)) => {
                ("call", None, format!("user {user} of place {place} makes a request"))
            }
            EnabledEvent::Message(arrival) if self.is_dead_end(arrival) => {
                self.of_message("loss", "is lost on arrival", arrival)
            }
            EnabledEvent::Message(arrival) => {
                let (to, port) = arrival.rank();
                let from = self.engine.network.origin(to, port);
                let text = format!("place {to} receives {} from place {from}", arrival.message);
                ("receive", Some(arrival.tag.number()), text)
            }
        }
    }

    fn of_message(
        &self,
        kind: &'static str,
        what: &str,
        arrival: &Arrival<P, Full>,
    ) -> (&'static str, Option<MessageNumber>, String) {
        let (to, port) = arrival.rank();
        let (from, message) = (self.engine.network.origin(to, port), arrival.message.to_string());
        (kind, Some(arrival.tag.number()), format!("{message} from place {from} to place {to} {what}"))
    }
}
