//! A run as data: its processors, and the messages in flight.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use ringleader_model::{
    Inspect, Monitor, Network, Place, Port, ProcessorState, Protocol, Ticks, Time, TraceHash, Violation,
};

use crate::clock::ASLEEP;
use crate::engine_state::{Arrival, MessageOf, QueuedMessage, TimerOrCall, TimerOrCallOf};
use crate::fields::FieldValue;
use crate::half_duplex::WaitingSend;
use crate::inspect::{
    ClockView, EnabledAction, InspectableRun, MessageStage, MessageView, ProcessorStatus, ProcessorView, RunPosition,
    TimerView,
};
use crate::instrumentation::{Full, FullTag, MessageTag};
use crate::interventions::AppliedIntervention;
use crate::run::Run;
use crate::simulation::Simulation;
use crate::sorted_order::in_order;
use crate::step::{Cause, MessageContent};
use crate::timers::Expiry;

impl<P: Protocol> InspectableRun for Simulation<P, Full> {
    fn advance_move(&mut self) -> bool {
        self.make_move()
    }

    fn unlog(&mut self) {
        self.engine.log = None;
        self.engine.logged_faults.clear();
    }

    fn is_between_passes(&self) -> bool {
        // The first stage of a pass, but for the first pass, has nothing to do.
        self.untimed.is_some() || self.pass.is_none_or(|pass| pass > 0 && self.stage == 0)
    }

    fn fork(&self) -> Box<dyn InspectableRun> {
        Box::new(self.clone())
    }

    fn state_digest(&self) -> u64 {
        self.digest_state()
    }

    fn run_position(&self) -> RunPosition {
        let monitor = &self.engine.monitor;
        RunPosition {
            moves: self.moves.made,
            time: self.now(),
            messages_sent: self.engine.messages,
            deliveries: self.engine.cost.deliveries,
            phases: self.engine.cost.phases.unwrap_or(0),
            leaders: monitor.leaders() as u32,
            inside: monitor.inside() as u32,
            violations: (monitor.violations().len() + self.broken.len() + self.moves.lemmas) as u32,
            outages: self.engine.outages.0,
            place: self.moves.place,
        }
    }

    fn statuses(&self, into: &mut Vec<(ProcessorStatus, u32)>) {
        into.clear();
        into.extend((0..self.states.len() as Place).map(|place| (self.status(place), self.phase(place).unwrap_or(0))));
    }

    fn processor(&self, place: Place) -> ProcessorView {
        ProcessorView {
            place,
            status: self.status(place),
            phase: self.phase(place),
            fields: FieldValue::of(&self.states[place as usize]).leaves(),
            timers: self.timers(place),
            inbox: self.inbox(place),
            clock: self.clock(place),
            depth: self.engine.histories[place as usize].depth,
        }
    }

    fn in_flight(&self) -> Vec<MessageView> {
        let mut messages = self.on_links();
        for place in 0..self.states.len() as Place {
            messages.extend(self.queued(place));
        }
        messages
            .extend(self.engine.fault_state.held.iter().map(|arrival| self.arrival(arrival, None, MessageStage::Held)));
        by_number(&mut messages);
        messages
    }

    fn cut_links(&self) -> Vec<(Place, Place)> {
        let mut cut = self.engine.fault_state.cut().to_vec();
        cut.sort_unstable();
        cut.dedup();
        cut
    }

    fn last_outage(&self) -> Option<(Place, Cause)> {
        self.engine.outages.1.clone()
    }

    fn interventions(&self) -> Vec<AppliedIntervention> {
        let all = self.engine.interventions.as_ref();
        all.map_or_else(Vec::new, |all| all.applied(self.engine.messages))
    }

    fn violations(&self) -> Vec<Violation> {
        self.violations_so_far()
    }

    fn enabled(&self) -> Vec<EnabledAction> {
        self.enabled_actions()
    }

    fn take_enabled(&mut self, index: usize) -> bool {
        self.untimed.is_some() && self.make_imposed_move(index)
    }
}

impl<P: Protocol> Simulation<P, Full> {
    fn status(&self, place: Place) -> ProcessorStatus {
        ProcessorStatus {
            state: self.part(place),
            crashed: !self.engine.is_up(place),
            paused: self.engine.fault_state.is_paused(place, self.engine.now),
        }
    }

    /// The part of a processor: as its reports tell, and otherwise as its state does.
    fn part(&self, place: Place) -> ProcessorState {
        let asleep = self.engine.histories[place as usize].chain == TraceHash::new();
        match self.engine.monitor.state(place) {
            Some(ProcessorState::Cell) => ProcessorState::Cell,
            _ if asleep => ProcessorState::Asleep,
            Some(state) => state,
            None if self.engine.lost.get(place as usize) == Some(&true) => ProcessorState::Passive,
            None if self.states[place as usize].is_candidate() => ProcessorState::Active,
            None => ProcessorState::Passive,
        }
    }

    fn phase(&self, place: Place) -> Option<u32> {
        let phased = P::Processor::PHASED && self.engine.phased;
        phased.then(|| self.states[place as usize].phase())
    }

    fn timers(&self, place: Place) -> Vec<TimerView> {
        let view = |(timer, when): &(TimerOrCallOf<P>, Expiry)| {
            let name = match timer {
                TimerOrCall::Timer(timer) => timer.to_string(),
                TimerOrCall::Call(request) => format!("the user asks to {request}"),
                TimerOrCall::Queue(user) => format!("user {user} makes a request"),
            };
            let (expires, note) = self.expiry(place, timer, *when);
            TimerView { timer: name, expires, note }
        };
        let pending = in_order(self.engine.timers.of(place).iter(), |(one, _), (other, _)| one.cmp(other));
        pending.into_iter().map(view).collect()
    }

    /// When a timer expires, and that in words.
    fn expiry(&self, place: Place, timer: &TimerOrCallOf<P>, when: Expiry) -> (Option<Time>, String) {
        let blocked = self.engine.half_duplex.as_ref().is_some_and(|links| links.is_blocked(place, timer));
        match when {
            Expiry::At(time) => (Some(time), format!("at {time}")),
            Expiry::Steps { left: 1, .. } => (None, "at the next step".to_string()),
            Expiry::Steps { left, .. } => (None, format!("after {left} more steps")),
            Expiry::Never => (None, "never".to_string()),
            Expiry::EndOfPass if blocked => (None, "when its link is free".to_string()),
            Expiry::EndOfPass if self.untimed.is_some() => (None, "at any time".to_string()),
            Expiry::EndOfPass => (Some(self.engine.now), "at the end of this instant".to_string()),
        }
    }

    fn clock(&self, place: Place) -> Option<ClockView> {
        let (grid, now) = (self.engine.grid.as_ref()?, self.engine.now);
        let first = grid.first(place);
        let next = match self.engine.step_clocks.get(place as usize) {
            Some(clock) => Some(clock.next).filter(|&next| next != ASLEEP),
            None if grid.varying().is_some() => None,
            None if self.engine.ticks_ahead => grid.at_or_after(place, now),
            None => grid.after(place, now, Ticks::ONE),
        };
        (first != ASLEEP).then(|| ClockView { tick: grid.fixed_length(place), first, next })
    }

    /// The messages that a processor has not read yet.
    fn inbox(&self, place: Place) -> Vec<MessageView> {
        let mut inbox = self.queued(place);
        let held = self.engine.fault_state.held.iter().filter(|arrival| arrival.to == place);
        inbox.extend(held.map(|arrival| self.arrival(arrival, None, MessageStage::Held)));
        inbox
    }

    /// The input queue of a processor.
    fn queued(&self, place: Place) -> Vec<MessageView> {
        let queued = self.engine.queues.iter().flat_map(|queues| queues.iter(place));
        let view = |QueuedMessage { port, tag, message }: &QueuedMessage<P, Full>| {
            self.message((place, *port), *tag, message, None, MessageStage::Queued)
        };
        queued.map(view).collect()
    }

    /// The messages on links, and before them.
    fn on_links(&self) -> Vec<MessageView> {
        let mut messages = Vec::new();
        let mut add = |arrival: &Arrival<P, Full>, arrives, stage| messages.push(self.arrival(arrival, arrives, stage));
        if let Some(untimed) = &self.untimed {
            untimed.first_on_links().for_each(|arrival| add(arrival, None, MessageStage::Travelling));
            untimed.held.iter().for_each(|(_, arrival)| add(arrival, None, MessageStage::Held));
            untimed.behind.values().flatten().for_each(|arrival| add(arrival, None, MessageStage::Behind));
        } else {
            let present = self.batch.left().iter().chain(self.late.left());
            present.for_each(|arrival| add(arrival, Some(self.engine.now), MessageStage::Travelling));
            self.engine.arrivals.for_each(|at, arrival| add(arrival, Some(at), MessageStage::Travelling));
        }
        for WaitingSend { from, port, tag, message, .. } in self.engine.half_duplex.iter().flat_map(|l| l.waiting()) {
            let (to, entry) = self.engine.network.route(*from, *port);
            let link = (to, P::Network::port(entry));
            messages.push(self.message(link, *tag, message, None, MessageStage::WaitingForLink));
        }
        messages
    }

    fn arrival(&self, arrival: &Arrival<P, Full>, arrives: Option<Time>, stage: MessageStage) -> MessageView {
        self.message(arrival.rank(), arrival.tag, &arrival.message, arrives, stage)
    }

    /// `link`: its receiving end.
    fn message(
        &self,
        (to, port): (Place, Port),
        tag: FullTag,
        message: &MessageOf<P>,
        arrives: Option<Time>,
        stage: MessageStage,
    ) -> MessageView {
        let (number, from) = (tag.number(), self.engine.network.origin(to, port));
        let copy = self.engine.copies.binary_search(&number).is_ok();
        MessageView { number, from, to, port: port.0, content: MessageContent::new(message), arrives, stage, copy }
    }
}

/// Puts messages in the order of their numbers.
fn by_number(messages: &mut [MessageView]) {
    messages.sort_by_key(|message| message.number);
}
