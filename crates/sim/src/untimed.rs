//! Untimed runs: one action at a time, chosen among all that are enabled.
//!
//! The enabled actions form a list, and the choice is an index into it. The longest enabled come first: at the
//! beginning the wakes by place, then the requests for a further election as the scenario lists them, then the first
//! requests of users by place; behind them, as they become enabled, the messages that a step sends, in its order, and
//! then the timers that it sets and the requests of its user. On FIFO links a message is enabled when all messages
//! before it have been received. At the end of the list come the faults, as far as the scenario allows them: crashes by
//! place, then the loss of each enabled message, then its duplication, in the order of the list, then restarts by place, cuts
//! by link, and the ends of cuts in the order in which these began. Messages on their way to a processor that crashes, or sent
//! to it later, are lost; where processors may restart, they are lost when they arrive at one that is down. A message sent
//! over a link that is cut is lost at once, one on its way when it arrives. Pauses change nothing, since any processor may be
//! slower than all others.
//!
//! A message that an intervention holds is not enabled before its number of actions, unless nothing else is: then the one that is
//! held for the shortest time is. On FIFO links those behind it wait for it.
//!
//! Where [`Scenario::merges_copies`], a timer that would send a message again over a link that is cut, or to a processor that is
//! down, is not enabled until that is over; a message that is sent while an equal one is in flight on its link is lost; and a
//! cut ends.
//!
//! Time is the number of actions so far. Every enabled action happens eventually, except for faults: a run is over when
//! only faults are left. A schedule may go on with one of them, after which there may be others. The choice is then one among
//! them and, as the first option, that the run is over; it is made in no run but that of recorded choices.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use ringleader_model::{
    Action, AtMost, ChoicePoint, Event, Monitor, Network, Place, Port, Problem, Processor, Protocol, Scenario,
    ScheduledChoices, Time,
};

use crate::choice_source::Choices;
use crate::compact::{IndexMap, take_if};
use crate::engine_state::{Arrival, EngineState, MessageOf, ProblemOf, TimerOrCall, TimerOrCallOf};
use crate::in_flight::MessagesInFlight;
use crate::instrumentation::{Instrumentation, MessageTag};
use crate::interventions::InterventionState;
use crate::random_stream::RandomStream;
use crate::run::Run;
use crate::simulation::Simulation;
use crate::workload::WorkloadDriver;

/// The enabled actions of an untimed run.
#[derive(Clone)]
pub(crate) struct UntimedState<P: Protocol, D: Instrumentation> {
    /// The longest enabled first.
    pub(crate) enabled: Vec<EnabledEvent<P, D>>,
    /// By receiver and port, the messages behind the enabled one.
    pub(crate) behind: IndexMap<VecDeque<Arrival<P, D>>>,
    fifo: bool,
    half_duplex: bool,
    /// The faults that are still allowed.
    pub(crate) faults_left: AtMost,
    /// The number of processors that are up.
    pub(crate) up: usize,
    /// Processors may restart: what is on its way to one that is down stays there.
    may_restart: bool,
    /// The pairs of neighbours, if links may be cut.
    neighbours: Vec<(Place, Place)>,
    /// Requests for further elections of processors that are down.
    pub(crate) suspended: Vec<EnabledEvent<P, D>>,
    /// The first messages of their links that interventions hold, and until when.
    pub(crate) held: Vec<(Time, Arrival<P, D>)>,
    /// Links hold no two equal messages.
    merges: bool,
    /// Timers that would send a message again in vain.
    pub(crate) vain: Vec<EnabledEvent<P, D>>,
}

/// An enabled event.
#[derive(Clone)]
pub(crate) enum EnabledEvent<P: Protocol, D: Instrumentation> {
    Wake(Place),
    /// A request for a further election.
    Again(Place),
    /// The expiry of a timer, or a request of a user.
    TimerOrCall(Place, TimerOrCallOf<P>),
    /// The receipt of a message.
    Message(Arrival<P, D>),
}

/// A transition; events and messages by their index among the enabled events.
#[derive(Clone, Copy)]
pub(crate) enum UntimedTransition {
    Event(usize),
    Crash(Place),
    Loss(usize),
    Duplicate(usize),
    Restart(Place),
    Cut(Place, Place),
    Heal(Place, Place),
}

/// A schedule that cannot be followed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScheduleError {
    /// The number of the action that is not enabled, from 1.
    pub step: usize,
    /// The action.
    pub what: String,
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {} of the schedule cannot happen: {}", self.step, self.what)
    }
}

impl core::error::Error for ScheduleError {}

impl<P: Protocol, D: Instrumentation> Simulation<P, D> {
    pub(crate) fn begin_untimed(&mut self, scenario: &Scenario) {
        let places = 0..scenario.n as Place;
        let mut enabled: Vec<_> =
            places.clone().filter(|&place| scenario.wake_at(place).is_some()).map(EnabledEvent::Wake).collect();
        if ProblemOf::<P>::AGAIN.is_some() {
            enabled.extend(scenario.again.iter().map(|&(place, _)| EnabledEvent::Again(place)));
        }
        self.untimed = Some(UntimedState {
            enabled,
            behind: IndexMap::new(),
            fifo: scenario.links.is_fifo(),
            half_duplex: scenario.links.is_half_duplex(),
            faults_left: AtMost { pauses: 0, ..scenario.faults.at_most },
            up: scenario.n,
            may_restart: scenario.faults.at_most.restarts > 0,
            neighbours: match scenario.faults.at_most.cuts {
                0 => Vec::new(),
                _ => self.engine.network.topology().neighbours(scenario.n),
            },
            suspended: Vec::new(),
            held: Vec::new(),
            merges: scenario.merges_copies(),
            vain: Vec::new(),
        });
        if scenario.workload.is_some() {
            places.for_each(|place| self.engine.schedule_first_request(place));
            self.update_enabled();
        }
    }

    #[cold]
    pub(crate) fn advance_untimed(&mut self, budget: u64) -> bool {
        let enough = self.deliveries().saturating_add(budget);
        for _ in 0..budget.max(1) {
            let Some(chosen) = self.choose_transition() else { return true };
            self.take(chosen);
            if self.deliveries() >= enough {
                return false;
            }
        }
        false
    }

    /// Whether an untimed run goes on.
    pub(crate) fn goes_on_untimed(&self) -> bool {
        self.has_enabled() && !self.has_stopped_untimed()
    }

    fn has_stopped_untimed(&self) -> bool {
        self.engine.now >= self.limit || self.stops_served()
    }

    /// Chooses among all transitions; none where the run is over.
    pub(crate) fn choose_transition(&mut self) -> Option<UntimedTransition> {
        if self.has_stopped_untimed() {
            return None;
        }
        let transitions = self.untimed().transitions(&self.engine);
        let chosen = if self.has_enabled() {
            self.engine.choose(RandomStream::Scheduler, 0, transitions as u64) as usize
        } else {
            self.choose_fault(transitions)?
        };
        self.position += 1;
        Some(self.untimed().transition(chosen, &self.engine))
    }

    /// The fault with which recorded choices go on where nothing else is left.
    fn choose_fault(&mut self, faults: usize) -> Option<usize> {
        if self.engine.choices.unused() == 0 || faults == 0 {
            return None;
        }
        (self.engine.choose(RandomStream::Scheduler, 0, faults as u64 + 1) as usize).checked_sub(1)
    }

    /// Whether it is an untimed run with enabled events, not counting faults.
    pub(crate) fn has_enabled(&self) -> bool {
        self.untimed.as_ref().is_some_and(|untimed| !untimed.enabled.is_empty() || self.must_heal(untimed))
    }

    /// Whether a cut must end.
    fn must_heal(&self, untimed: &UntimedState<P, D>) -> bool {
        untimed.merges && !self.engine.fault_state.cut().is_empty()
    }

    /// Whether it is an untimed run that has begun and is quiescent: no enabled event has to happen. Processors may
    /// wake, and users may make requests.
    pub(crate) fn is_quiescent(&self) -> bool {
        let queues = self.engine.workload.as_ref().is_some_and(WorkloadDriver::queues);
        let must = |event: &EnabledEvent<P, D>| match event {
            EnabledEvent::Wake(_) | EnabledEvent::Again(_) => false,
            EnabledEvent::TimerOrCall(_, TimerOrCall::Timer(_)) => true,
            EnabledEvent::TimerOrCall(_, TimerOrCall::Queue(_)) => false,
            // A site asks for the users that wait.
            EnabledEvent::TimerOrCall(_, TimerOrCall::Call(_)) if queues => true,
            EnabledEvent::TimerOrCall(_, TimerOrCall::Call(request)) => {
                ProblemOf::<P>::WORKLOAD_REQUESTS.is_some_and(|requests| requests.release.as_ref() == Some(request))
            }
            EnabledEvent::Message(_) => true,
        };
        let quiet = |untimed: &UntimedState<P, D>| {
            !untimed.enabled.iter().any(must) && untimed.held.is_empty() && !self.must_heal(untimed)
        };
        self.engine.now > 0 && self.untimed.as_ref().is_some_and(quiet)
    }

    /// Follows a schedule in an untimed run, to its end and no further, and records the choices that this takes.
    pub fn follow(&mut self, schedule: &[Action<P::Processor>]) -> Result<(), ScheduleError> {
        assert!(self.untimed.is_some(), "only an untimed run follows a schedule");
        self.record();
        for (index, action) in schedule.iter().enumerate() {
            let impossible = |why| Err(ScheduleError { step: index + 1, what: format!("{action:?}{why}") });
            let (untimed, engine) = (self.untimed(), &self.engine);
            let transitions = untimed.transitions(engine);
            let is_meant = |&index: &usize| untimed.means(untimed.transition(index, engine), action, engine);
            let Some(index) = (0..transitions).find(is_meant) else { return impossible("") };
            let transition = untimed.transition(index, engine);
            // Where only faults are left the first option is that the run is over.
            let over = usize::from(!self.has_enabled());
            self.engine.choices.record_made((index + over) as u64, (transitions + over) as u64);
            self.engine.choices.follow(Choices::Scheduled(coins(action)));
            let unanswered = self.engine.choices.unanswered();
            self.position += 1;
            if !self.take(transition) {
                return impossible(": a link is not free");
            }
            let choices = &self.engine.choices;
            if choices.has_prescribed() || choices.unanswered() > unanswered || choices.bad().is_some() {
                return impossible(": it does not draw like this");
            }
        }
        Ok(())
    }

    pub(crate) fn untimed(&self) -> &UntimedState<P, D> {
        self.untimed.as_ref().expect("there are no clocks")
    }

    /// Takes a transition; false if it was blocked.
    pub(crate) fn take(&mut self, transition: UntimedTransition) -> bool {
        let untimed = self.untimed.as_mut().expect("there are no clocks");
        self.engine.now += 1;
        self.engine.arrivals.advance(self.engine.now);
        let mut taken = true;
        match transition {
            UntimedTransition::Event(index) => match untimed.enabled.remove(index) {
                EnabledEvent::Wake(place) => self.step(place, Event::Wake, D::Tag::default()),
                EnabledEvent::Again(place) => {
                    let request = ProblemOf::<P>::AGAIN.expect("it is enabled only where there is such a request");
                    self.step(place, Event::Call(request), D::Tag::default());
                }
                EnabledEvent::TimerOrCall(place, due) => {
                    self.engine.timers.cancel(place, &due);
                    taken = self.timeout(place, due);
                }
                EnabledEvent::Message(arrival) if is_dead_end(&self.engine, &arrival) => self.lose(&arrival),
                EnabledEvent::Message(arrival) => {
                    self.engine.cost.deliveries += 1;
                    self.leave_link(&arrival);
                    self.step(arrival.to, Event::Receive(arrival.port(), arrival.message), arrival.tag);
                }
            },
            UntimedTransition::Crash(place) => {
                untimed.faults_left.crashes -= 1;
                self.engine.crash(place);
                self.go_down_untimed(place);
                self.digest_fault(place, 4, None);
            }
            UntimedTransition::Loss(index) => {
                untimed.faults_left.losses -= 1;
                let EnabledEvent::Message(arrival) = untimed.enabled.remove(index) else {
                    unreachable!("only messages")
                };
                self.lose(&arrival);
            }
            UntimedTransition::Duplicate(index) => {
                untimed.faults_left.duplicates -= 1;
                let arrival = untimed.message(index).clone();
                let copy = self.engine.duplicate(&arrival.message, arrival.tag);
                self.engine.duplicated(arrival.to, arrival.port());
                untimed.insert_copy(index, Arrival { tag: copy, ..arrival.clone() });
                self.engine.log_duplicate(&arrival, copy);
                self.digest_fault(arrival.to, 6, Some((arrival.port(), &arrival.message)));
            }
            UntimedTransition::Restart(place) => {
                untimed.faults_left.restarts -= 1;
                self.restart_untimed(place);
            }
            UntimedTransition::Cut(one, other) => {
                untimed.faults_left.cuts -= 1;
                self.engine.cut(one, other);
                self.digest_fault(one, 8, None);
                self.digest_fault(other, 8, None);
            }
            UntimedTransition::Heal(one, other) => {
                self.engine.heal(one, other);
                self.digest_fault(one, 9, None);
                self.digest_fault(other, 9, None);
            }
        }
        self.update_enabled();
        if taken {
            self.engine.monitor.settle();
        } else {
            self.engine.now -= 1;
        }
        taken
    }

    /// A message is lost.
    fn lose(&mut self, arrival: &Arrival<P, D>) {
        self.leave_link(arrival);
        self.engine.count_lost_underway(1);
        self.engine.log_loss(arrival);
        self.digest_fault(arrival.to, 5, Some((arrival.port(), &arrival.message)));
    }

    /// Disables all events of a processor that is down, except for the arrival of messages if it may restart.
    fn go_down_untimed(&mut self, place: Place) {
        let untimed = self.untimed.as_mut().expect("there are no clocks");
        untimed.up -= 1;
        if !untimed.may_restart {
            return self.lose_all_to(place);
        }
        let own = |event: &EnabledEvent<P, D>| event.place() == place && !matches!(event, EnabledEvent::Message(_));
        for event in take_if(&mut untimed.enabled, own) {
            if matches!(event, EnabledEvent::Again(_)) {
                untimed.suspended.push(event);
            }
        }
    }

    fn restart_untimed(&mut self, place: Place) {
        if self.engine.is_up(place) {
            self.engine.go_down(place);
            self.go_down_untimed(place);
        }
        self.digest_fault(place, 7, None);
        self.restart(place, None);
        let untimed = self.untimed.as_mut().expect("there are no clocks");
        untimed.up += 1;
        let mut again = take_if(&mut untimed.suspended, |event| event.place() == place);
        untimed.enabled.append(&mut again);
    }

    /// Disables all events of a crashed processor; the messages on their way to it are lost.
    fn lose_all_to(&mut self, place: Place) {
        let untimed = self.untimed.as_mut().expect("there are no clocks");
        let mut events = take_if(&mut untimed.enabled, |event| event.place() == place);
        let held = take_if(&mut untimed.held, |(_, arrival)| arrival.to == place);
        events.extend(held.into_iter().map(|(_, arrival)| EnabledEvent::Message(arrival)));
        for event in events {
            let EnabledEvent::Message(arrival) = event else { continue };
            let untimed = self.untimed.as_mut().expect("there are no clocks");
            let behind = untimed.behind.remove(arrival.link()).map_or(0, |behind| behind.len());
            self.engine.count_lost_underway(1 + behind as u64);
            (0..=behind).for_each(|_| self.engine.delivered(arrival.to, arrival.port()));
        }
    }

    /// Removes a message from its link and enables the one behind it.
    fn leave_link(&mut self, arrival: &Arrival<P, D>) {
        let untimed = self.untimed.as_mut().expect("there are no clocks");
        let link = arrival.link();
        match untimed.behind.get_mut(link).map(VecDeque::pop_front) {
            Some(Some(next)) => untimed.enable(next, &mut self.engine),
            Some(None) => drop(untimed.behind.remove(link)),
            None => {}
        }
        self.engine.delivered(arrival.to, arrival.port());
    }

    /// Adds a fault to the digest.
    fn digest_fault(&mut self, place: Place, tag: u8, message: Option<(Port, &MessageOf<P>)>) {
        let (time, engine) = (self.engine.now, &mut self.engine);
        if D::FULL {
            engine.histories[place as usize].chain.add(&(time, tag, message));
        }
        engine.cost.time = time;
    }

    /// Adds the events that have become enabled, and removes those that no longer are.
    fn update_enabled(&mut self) {
        let untimed = self.untimed.as_mut().expect("there are no clocks");
        untimed.enabled.append(&mut untimed.vain);
        // The next message of a half-duplex link may be lost as well.
        while let MessagesInFlight::Fifo(queue) = &mut self.engine.arrivals
            && queue.is_due()
        {
            let (now, mut sent) = queue.take_instant().expect("delays are 0");
            for arrival in sent.drain(..) {
                let merged = untimed.merges && untimed.is_on_link(&arrival);
                if merged {
                    self.engine.log_loss(&arrival);
                }
                if !merged && (untimed.may_restart || self.engine.is_up(arrival.to)) {
                    untimed.add_message(arrival, &mut self.engine);
                } else {
                    self.engine.count_lost_underway(1);
                    self.engine.delivered(arrival.to, arrival.port());
                }
            }
            if let MessagesInFlight::Fifo(queue) = &mut self.engine.arrivals {
                queue.put_instant(now, sent);
            }
        }
        if !self.engine.timers.are_unused() {
            self.update_timers();
        }
        self.untimed.as_mut().expect("there are no clocks").release_held(self.engine.now);
    }

    /// Enables the timers that were set and the requests of users, and disables those that are no longer pending.
    fn update_timers(&mut self) {
        let untimed = self.untimed.as_mut().expect("there are no clocks");
        let (timers, zero) = (&self.engine.timers, &mut self.engine.zero);
        // A timer that was set again is a new one.
        untimed.enabled.retain(|event| match event {
            EnabledEvent::TimerOrCall(place, due) => {
                timers.is_pending(*place, due) && !zero.iter().any(|(at, other)| at == place && other == due)
            }
            _ => true,
        });
        for (index, (place, due)) in zero.iter().enumerate() {
            let again = zero[index + 1..].iter().any(|(at, other)| at == place && other == due);
            if timers.is_pending(*place, due) && !again {
                untimed.enabled.push(EnabledEvent::TimerOrCall(*place, due.clone()));
            }
        }
        zero.clear();
        self.suspend_vain();
    }

    /// Disables the timers that would send a message again in vain.
    fn suspend_vain(&mut self) {
        let untimed = self.untimed();
        if !untimed.merges {
            return;
        }
        let fails = |event: &EnabledEvent<P, D>| match event {
            EnabledEvent::TimerOrCall(place, due) => self
                .resends_to(*place, due)
                .is_some_and(|to| !self.engine.is_up(to) || self.engine.fault_state.is_cut(*place, to)),
            _ => false,
        };
        let vain: Vec<_> = untimed.enabled.iter().map(fails).collect();
        let untimed = self.untimed.as_mut().expect("there are no clocks");
        let mut vain = vain.into_iter();
        untimed.vain.append(&mut take_if(&mut untimed.enabled, |_| vain.next().unwrap_or(false)));
    }
}

impl<P: Protocol, D: Instrumentation> Simulation<P, D> {
    /// Whether a message would be lost if it arrived now.
    pub(crate) fn is_dead_end(&self, arrival: &Arrival<P, D>) -> bool {
        is_dead_end(&self.engine, arrival)
    }
}

/// Whether a message would be lost if it arrived now: its receiver is down, or its link is cut.
fn is_dead_end<P: Protocol, D: Instrumentation>(engine: &EngineState<P, D>, arrival: &Arrival<P, D>) -> bool {
    !engine.is_up(arrival.to) || engine.arrives_over_cut(arrival)
}

/// The random choices of an action, as a schedule.
fn coins<P: Processor>(action: &Action<P>) -> ScheduledChoices {
    let mut schedule = ScheduledChoices::default();
    if let Action::Step { place, chosen, .. } | Action::Restart { place, chosen } = action {
        for &coin in chosen {
            schedule.add(ChoicePoint::Coin, *place, u64::from(coin));
        }
    }
    schedule
}

impl<P: Protocol, D: Instrumentation> EnabledEvent<P, D> {
    /// The place at which it happens.
    pub(crate) fn place(&self) -> Place {
        match self {
            Self::Wake(place) | Self::Again(place) | Self::TimerOrCall(place, _) => *place,
            Self::Message(arrival) => arrival.to,
        }
    }
}

impl<P: Protocol, D: Instrumentation> UntimedState<P, D> {
    fn add_message(&mut self, arrival: Arrival<P, D>, engine: &mut EngineState<P, D>) {
        // Two messages of one direction are on a half-duplex link only if one is a copy of the other.
        if self.fifo || self.half_duplex {
            if let Some(behind) = self.behind.get_mut(arrival.link()) {
                return behind.push_back(arrival);
            }
            self.behind.get_or_default(arrival.link());
        }
        self.enable(arrival, engine);
    }

    /// Enables the receipt of a message, unless an intervention holds it.
    fn enable(&mut self, arrival: Arrival<P, D>, engine: &mut EngineState<P, D>) {
        let held = |interventions: &mut Box<InterventionState>| interventions.hold(arrival.tag.number(), engine.now);
        match engine.interventions.as_mut().and_then(held) {
            Some(until) => self.held.push((until, arrival)),
            None => self.enabled.push(EnabledEvent::Message(arrival)),
        }
    }

    /// Enables the messages that have been held for long enough, and one more if nothing is enabled.
    fn release_held(&mut self, now: Time) {
        if self.held.is_empty() {
            return;
        }
        let least = self.held.iter().map(|(until, _)| *until).min().filter(|_| self.enabled.is_empty());
        let mut one_more = least;
        let released =
            take_if(&mut self.held, |(until, _)| *until <= now || one_more.take_if(|one| one == until).is_some());
        self.enabled.extend(released.into_iter().map(|(_, arrival)| EnabledEvent::Message(arrival)));
    }

    /// Whether an equal message is in flight on the link of this one.
    fn is_on_link(&self, sent: &Arrival<P, D>) -> bool {
        let equal = |other: &Arrival<P, D>| other.link() == sent.link() && other.message == sent.message;
        let first = self.messages().any(|index| equal(self.message(index)));
        let held = self.held.iter().any(|(_, held)| equal(held));
        first || held || self.behind.get(sent.link()).is_some_and(|behind| behind.iter().any(equal))
    }

    /// The message of an enabled receipt.
    pub(crate) fn message(&self, index: usize) -> &Arrival<P, D> {
        let EnabledEvent::Message(arrival) = &self.enabled[index] else { unreachable!("it is a message") };
        arrival
    }

    /// Inserts the copy of an enabled message: the next one on the same link.
    fn insert_copy(&mut self, index: usize, copy: Arrival<P, D>) {
        if self.fifo || self.half_duplex {
            self.behind.get_or_default(copy.link()).push_front(copy);
        } else {
            self.enabled.insert(index + 1, EnabledEvent::Message(copy));
        }
    }

    fn messages(&self) -> impl Iterator<Item = usize> {
        let is_message = |index: &usize| matches!(self.enabled[*index], EnabledEvent::Message(_));
        (0..self.enabled.len()).filter(is_message)
    }

    /// The enabled messages that would not be lost anyway.
    fn losable(&self, engine: &EngineState<P, D>) -> impl Iterator<Item = usize> {
        self.messages().filter(|&index| !is_dead_end(engine, self.message(index)))
    }

    /// The pairs of neighbours whose link is not cut.
    fn uncut(&self, engine: &EngineState<P, D>) -> impl Iterator<Item = (Place, Place)> {
        self.neighbours.iter().copied().filter(|&(one, other)| !engine.fault_state.is_cut(one, other))
    }

    /// The number of transitions.
    pub(crate) fn transitions(&self, engine: &EngineState<P, D>) -> usize {
        let left = self.faults_left;
        let mut transitions = self.enabled.len();
        if left != AtMost::default() || !engine.fault_state.cut().is_empty() {
            transitions += if left.crashes > 0 { self.up } else { 0 };
            transitions += if left.losses > 0 { self.losable(engine).count() } else { 0 };
            transitions += if left.duplicates > 0 { self.messages().count() } else { 0 };
            transitions += if left.restarts > 0 { engine.crashed.len() } else { 0 };
            transitions += if left.cuts > 0 { self.uncut(engine).count() } else { 0 };
            transitions += engine.fault_state.cut().len();
        }
        transitions
    }

    /// The transition of this index.
    pub(crate) fn transition(&self, index: usize, engine: &EngineState<P, D>) -> UntimedTransition {
        let Some(mut rest) = index.checked_sub(self.enabled.len()) else { return UntimedTransition::Event(index) };
        let left = self.faults_left;
        if left.crashes > 0 {
            let Some(behind) = rest.checked_sub(self.up) else {
                let place = (0..).filter(|&place| engine.is_up(place)).nth(rest);
                return UntimedTransition::Crash(place.expect("so many are up"));
            };
            rest = behind;
        }
        let mut later: Vec<UntimedTransition> = Vec::new();
        if left.losses > 0 {
            later.extend(self.losable(engine).map(UntimedTransition::Loss));
        }
        if left.duplicates > 0 {
            later.extend(self.messages().map(UntimedTransition::Duplicate));
        }
        if left.restarts > 0 {
            later.extend((0..engine.crashed.len() as Place).map(UntimedTransition::Restart));
        }
        if left.cuts > 0 {
            later.extend(self.uncut(engine).map(|(one, other)| UntimedTransition::Cut(one, other)));
        }
        later.extend(engine.fault_state.cut().iter().map(|&(one, other)| UntimedTransition::Heal(one, other)));
        later[rest]
    }

    /// Whether a transition is an action of a schedule.
    fn means(&self, transition: UntimedTransition, action: &Action<P::Processor>, engine: &EngineState<P, D>) -> bool {
        let is_message = |index: usize, to: Place, port: Port, message: &MessageOf<P>| {
            matches!(&self.enabled[index], EnabledEvent::Message(arrival)
                if arrival.rank() == (to, port) && arrival.message == *message)
        };
        match (transition, action) {
            (UntimedTransition::Event(index), Action::Step { place, event, .. }) => match (&self.enabled[index], event)
            {
                (EnabledEvent::Wake(at), Event::Wake) => at == place,
                (EnabledEvent::Again(at), Event::Call(request)) => {
                    at == place && ProblemOf::<P>::AGAIN.as_ref() == Some(request)
                }
                (EnabledEvent::TimerOrCall(at, TimerOrCall::Timer(timer)), Event::Timeout(other)) => {
                    at == place && timer == other
                }
                (EnabledEvent::TimerOrCall(at, TimerOrCall::Call(request)), Event::Call(other)) => {
                    at == place && request == other
                }
                (EnabledEvent::Message(arrival), Event::Receive(port, message)) => {
                    !is_dead_end(engine, arrival) && is_message(index, *place, *port, message)
                }
                _ => false,
            },
            (UntimedTransition::Event(index), Action::Loss(to, port, message)) => {
                is_message(index, *to, *port, message) && is_dead_end(engine, self.message(index))
            }
            (UntimedTransition::Restart(at), Action::Restart { place, .. }) => at == *place,
            (UntimedTransition::Cut(one, other), Action::Cut(end, far))
            | (UntimedTransition::Heal(one, other), Action::Heal(end, far)) => {
                (one, other) == (*end, *far) || (other, one) == (*end, *far)
            }
            (UntimedTransition::Crash(at), Action::Crash(place)) => at == *place,
            (UntimedTransition::Loss(index), Action::Loss(to, port, message))
            | (UntimedTransition::Duplicate(index), Action::Duplicate(to, port, message)) => {
                is_message(index, *to, *port, message)
            }
            _ => false,
        }
    }
}
