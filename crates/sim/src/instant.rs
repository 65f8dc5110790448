//! One instant: its planned events, then passes of arrivals, ticks and timers of zero ticks.
//!
//! An instant in which much happens is divided into slices, so that whoever runs a simulation can look at it and stop it
//! there. Where a slice ends depends on the steps alone: with the same choices, slices are the same.

use alloc::vec::Vec;
use core::mem;

use ringleader_model::{Event, InstantStage, Monitor, Place, Problem, Processor, Protocol, Reading};

use crate::clock::ASLEEP;
use crate::compact;
use crate::engine_state::{AlarmKind, Arrival, ProblemOf, QueuedMessage};
use crate::fast_path::{AHEAD, prefetch};
use crate::input_queue::InputQueues;
use crate::instrumentation::Instrumentation;
use crate::random_stream::RandomStream;
use crate::simulation::{AgendaEntry, END_OF_TIME, Planned, Simulation};
use crate::timers::Expiry;

/// The work of a slice: items taken, and effects of their steps.
pub(crate) const SLICE: u64 = 1 << 16;

/// The items of a stage, taken one by one.
#[derive(Clone)]
pub(crate) struct StageList<T> {
    pub(crate) items: Vec<T>,
    taken: usize,
}

impl<T: Clone> StageList<T> {
    pub(crate) const fn new() -> Self {
        Self { items: Vec::new(), taken: 0 }
    }

    /// Takes the next item; after the last one the list is empty again.
    #[inline]
    fn take_next(&mut self) -> Option<T> {
        let item = self.items.get(self.taken).cloned();
        match item {
            Some(_) => self.taken += 1,
            None => {
                self.items.clear();
                self.taken = 0;
            }
        }
        item
    }

    /// The items that are not taken yet.
    pub(crate) fn left(&self) -> &[T] {
        &self.items[self.taken..]
    }

    /// The item that is taken after this number of others.
    #[inline]
    fn ahead(&self, others: usize) -> Option<&T> {
        self.items.get(self.taken + others)
    }
}

impl<P: Protocol, D: Instrumentation> Simulation<P, D> {
    /// Advances to the next instant that has events; false if there is none.
    pub(crate) fn next_instant(&mut self) -> bool {
        self.engine.ticks_ahead = true;
        if self.all_wake {
            return true;
        }
        let planned = self.agenda.last().map(|entry| entry.time);
        let next = [planned, self.engine.arrivals.next_time(), self.engine.alarms.next_time()];
        let last = self.horizon.unwrap_or(END_OF_TIME).min(self.limit);
        let next = next.into_iter().flatten().min().filter(|&next| next <= last);
        let Some(next) = next else { return !self.engine.zero.is_empty() };
        // Timers of zero ticks that were set on waking come before any later instant.
        let next = if self.engine.zero.is_empty() { next } else { self.engine.now };
        self.engine.now = next;
        if self.deadline.is_some_and(|deadline| deadline <= next) {
            self.deadline = None;
            self.engine.monitor.deadline();
        }
        self.engine.arrivals.advance(next);
        self.engine.alarms.advance(next);
        true
    }

    /// Continues a pass of the present instant for a slice; true when the pass is over. Messages sent with delay 0 arrive
    /// in the next pass.
    pub(crate) fn continue_pass(&mut self, pass: u32) -> bool {
        self.slice_end = self.work().saturating_add(SLICE);
        self.continue_slice(pass)
    }

    /// The same to the end of the slice.
    #[inline]
    pub(crate) fn continue_slice(&mut self, pass: u32) -> bool {
        while let Some(stage) = self.stages.get(self.stage) {
            let over = match stage {
                InstantStage::Planned => pass > 0 || self.take_all_planned(),
                InstantStage::Arrivals => self.take_arrivals(pass),
                InstantStage::Ticks => self.take_ticks(),
                InstantStage::LateArrivals => self.take_late(),
                InstantStage::ZeroTimers => self.take_zero_timers(),
            };
            if !over {
                return false;
            }
            self.stage += 1;
        }
        self.stage = 0;
        true
    }

    /// The work done so far: items taken, and effects of their steps.
    #[inline]
    pub(crate) fn work(&self) -> u64 {
        self.items + self.engine.acts
    }

    /// Counts an item of a stage; true at the end of a slice.
    #[inline]
    fn ends_slice(&mut self) -> bool {
        self.items += 1;
        self.work() >= self.slice_end
    }

    /// Executes the planned events of the present instant.
    fn take_all_planned(&mut self) -> bool {
        if self.all_wake {
            return self.wake_all();
        }
        while self.agenda.last().is_some_and(|entry| entry.time == self.engine.now) {
            self.take_planned();
            if self.ends_slice() {
                return false;
            }
        }
        true
    }

    /// Wakes all processors at 0, after the faults of that instant and before its requests.
    fn wake_all(&mut self) -> bool {
        while self.agenda.last().is_some_and(|entry| entry.time == 0 && entry.planned < Planned::Wake) {
            self.take_planned();
        }
        while self.woken < self.states.len() {
            let place = self.woken as Place;
            self.woken += 1;
            if self.engine.is_up(place)
                && !self.engine.fault_state.has_restarted(place)
                && !self.put_off(place, Planned::Wake)
            {
                self.start_clock(place);
                self.step(place, Event::Wake, D::Tag::default());
            }
            if self.ends_slice() {
                return false;
            }
        }
        self.all_wake = false;
        true
    }

    pub(crate) fn take_planned(&mut self) {
        let AgendaEntry { place, planned, .. } = self.agenda.pop().expect("an event is planned");
        if planned < Planned::Wake {
            return self.take_fault(place, planned);
        }
        let woken = planned == Planned::Wake && self.engine.fault_state.has_restarted(place);
        if woken || !self.engine.is_up(place) || self.put_off(place, planned) {
            return;
        }
        let event = match planned {
            Planned::Wake => Event::Wake,
            _ => match ProblemOf::<P>::AGAIN {
                Some(request) => Event::Call(request),
                None => return,
            },
        };
        self.start_clock(place);
        // A wake or a request without any effect is void: it is no step, and takes no time.
        let before = (self.states[place as usize].clone(), self.engine.checkpoint(place));
        self.step(place, event, D::Tag::default());
        if self.states[place as usize] == before.0 {
            self.engine.undo_if_void(&before.1);
        }
    }

    fn take_arrivals(&mut self, pass: u32) -> bool {
        if self.batch.items.is_empty() {
            if !self.engine.arrivals.is_due() {
                return true;
            }
            self.engine.arrivals.take_into(&mut self.batch.items);
            self.sorter.sort(&mut self.batch.items);
        }
        while let Some(arrival) = self.batch.take_next() {
            if let Some(ahead) = self.batch.ahead(AHEAD) {
                self.prefetch(ahead.to);
            }
            if self.open_ties {
                self.resolve_tie(arrival);
            } else {
                // Under per-step reading it may be read at this instant: in the first pass, or at the receiver's first tick.
                let tick_ahead = self.engine.reading == Reading::PerStep
                    && (pass == 0 || self.engine.grid.as_ref().is_some_and(|grid| grid.first(arrival.to) == ASLEEP));
                self.deliver(arrival, tick_ahead);
            }
            if self.ends_slice() {
                return false;
            }
        }
        true
    }

    /// Prefetches what a step of a place needs.
    #[inline]
    fn prefetch(&self, place: Place) {
        self.states.prefetch(place);
        if D::FULL {
            prefetch(self.engine.histories.as_ptr().wrapping_add(place as usize));
        }
    }

    /// Where ties are open: delivers a message, if it comes before its receiver's tick, or keeps it until after the ticks.
    #[cold]
    fn resolve_tie(&mut self, arrival: Arrival<P, D>) {
        // A message that is lost on its way starts no clock.
        if !self.engine.reliable && self.engine.arrives_over_cut(&arrival) {
            return self.deliver(arrival, false);
        }
        self.engine.before_tick = true;
        let late = self.ticks_now(arrival.to) && self.engine.choose(RandomStream::Tie, arrival.to, 2) == 1;
        let behind = self.fifo && self.late.items.last().is_some_and(|other| other.rank() == arrival.rank());
        if late || behind {
            self.late.items.push(arrival);
        } else {
            self.deliver(arrival, true);
        }
        self.engine.before_tick = false;
    }

    /// Delivers the messages that come after the ticks of this instant.
    fn take_late(&mut self) -> bool {
        while let Some(arrival) = self.late.take_next() {
            self.deliver(arrival, false);
            if self.ends_slice() {
                return false;
            }
        }
        true
    }

    /// Whether the receiver of a message has a tick at this instant.
    fn ticks_now(&mut self, place: Place) -> bool {
        let now = self.engine.now;
        if !self.engine.is_up(place) || self.engine.fault_state.is_paused(place, now) {
            return false;
        }
        self.start_clock(place);
        if self.engine.step_clocks.is_empty() {
            let grid = self.engine.grid.as_ref().filter(|grid| grid.varying().is_none());
            return grid.and_then(|grid| grid.at_or_after(place, now)) == Some(now);
        }
        self.engine.schedule_step(place, true);
        self.engine.step_clocks[place as usize].next == now
    }

    /// Delivers a message. `tick_ahead`: it may be read at a tick of this instant.
    #[inline]
    fn deliver(&mut self, arrival: Arrival<P, D>, tick_ahead: bool) {
        let arrival = if self.engine.reliable { Some(arrival) } else { self.engine.end_of_link(arrival) };
        if let Some(arrival) = arrival {
            self.hand_over(arrival, tick_ahead, !self.engine.reliable);
        }
    }

    /// Hands a message over to its receiver: it is handled on arrival, or queued, unless it is urgent and its queue empty.
    /// `leaves_link`: its link may have to be freed.
    #[inline]
    pub(crate) fn hand_over(&mut self, arrival: Arrival<P, D>, tick_ahead: bool, leaves_link: bool) {
        let (place, port) = (arrival.to, arrival.port());
        let (up, state) = (self.engine.is_up(place), &self.states[place as usize]);
        let waits = |queues: &InputQueues<_>| queues.len(place) > 0 || !state.urgent(&self.protocol, &arrival.message);
        let queued = up && self.engine.queues.as_ref().is_some_and(waits);
        if queued {
            self.start_clock(place);
        }
        self.engine.cost.deliveries += 1;
        if leaves_link {
            self.engine.delivered(place, port);
        }
        if queued {
            let message = QueuedMessage { port, tag: arrival.tag, message: arrival.message };
            self.engine.enqueue(place, message, tick_ahead);
        } else if up {
            self.start_clock(place);
            self.step(place, Event::Receive(port, arrival.message), arrival.tag);
        } else {
            self.engine.count_lost(1);
        }
    }

    /// The ticks of this instant: each place reads, then its expired timers fire.
    fn take_ticks(&mut self) -> bool {
        self.engine.ticks_ahead = false;
        if self.due.items.is_empty() {
            if !self.engine.alarms.is_due() {
                return true;
            }
            self.engine.alarms.take_into(&mut self.due.items);
            compact::sort(&mut self.due.items);
        }
        while let Some(alarm) = self.due.take_next() {
            match alarm.kind {
                _ if !self.engine.is_up(alarm.place) => {}
                AlarmKind::Read => self.read(alarm.place),
                AlarmKind::Step => self.variable_step(alarm.place),
                AlarmKind::Timer(timer) => {
                    if self.engine.timers.take(alarm.place, &timer, |when| when == Expiry::At(self.engine.now)) {
                        self.timeout(alarm.place, timer);
                    }
                }
            }
            if self.ends_slice() {
                return false;
            }
        }
        true
    }

    /// Reads one message, or all of them.
    fn read(&mut self, place: Place) {
        let all = self.engine.reading == Reading::PerStep;
        let waiting = self.engine.queues.as_ref().expect("messages are queued").len(place);
        for _ in 0..if all { waiting } else { waiting.min(1) } {
            let queued = self.engine.queues.as_mut().and_then(|queues| queues.pop(place)).expect("it was counted");
            self.step(place, Event::Receive(queued.port, queued.message), queued.tag);
        }
        if !all && waiting > 1 {
            self.engine.schedule_read(place, false);
        }
    }

    /// A step of variable length: reads all messages, then counts the timers down. A message may reset an expired
    /// timer.
    fn variable_step(&mut self, place: Place) {
        let clock = &mut self.engine.step_clocks[place as usize];
        (clock.last, clock.next) = (self.engine.now, ASLEEP);
        let mut due = mem::take(&mut self.due_timers);
        self.engine.timers.count_down(place, self.engine.now, &mut due);
        self.read(place);
        for timer in due.drain(..) {
            if self.engine.timers.take(place, &timer, |when| matches!(when, Expiry::Steps { left: 0, .. })) {
                self.timeout(place, timer);
            }
        }
        self.due_timers = due;
        if self.engine.timers.counts(place) {
            self.engine.schedule_step(place, false);
        }
    }

    fn take_zero_timers(&mut self) -> bool {
        if self.zero.items.is_empty() {
            if self.engine.zero.is_empty() {
                return true;
            }
            self.zero.items.append(&mut self.engine.zero);
            compact::sort(&mut self.zero.items);
            self.zero.items.dedup();
        }
        while let Some((place, timer)) = self.zero.take_next() {
            if self.engine.fault_state.is_paused(place, self.engine.now) {
                self.engine.fault_state.hold_timer(place, timer);
            } else if self.engine.is_up(place)
                && self.engine.timers.take(place, &timer, |when| when == Expiry::EndOfPass)
            {
                self.timeout(place, timer);
            }
            if self.ends_slice() {
                return false;
            }
        }
        true
    }
}
