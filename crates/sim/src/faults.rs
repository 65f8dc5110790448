//! Processors that are down, paused or have restarted, and links that are cut. All of it is empty where nothing of the kind can
//! happen, and no part of a hot path.

use alloc::vec;
use alloc::vec::Vec;
use core::mem;

use ringleader_model::{Event, Faults, Meter, Monitor, Network, Place, Problem, Processor, Protocol, Restart, Time};

use crate::compact::take_if;
use crate::engine_state::{Alarm, Arrival, EngineState, ProblemOf, StepClock, TimerOrCall, TimerOrCallOf};
use crate::fields::FieldValue;
use crate::instrumentation::Instrumentation;
use crate::simulation::{AgendaEntry, END_OF_TIME, Planned, Simulation};
use crate::step::{Cause, Step};

/// The faults in force, but for crashes.
#[derive(Clone)]
pub(crate) struct FaultState<P: Protocol, D: Instrumentation> {
    /// By place: the time at which its pause ends; empty if nobody ever pauses.
    pub(crate) paused: Vec<Time>,
    /// Messages that have arrived at a processor that is paused, in order.
    pub(crate) held: Vec<Arrival<P, D>>,
    /// Timers of zero ticks of processors that are paused.
    pub(crate) held_timers: Vec<(Place, TimerOrCallOf<P>)>,
    /// The pairs of places whose link is cut, each as often as it is.
    pub(crate) cut: Vec<(Place, Place)>,
    /// By place: it has restarted, and so has been woken; empty if nobody ever restarts.
    pub(crate) restarted: Vec<bool>,
}

impl<P: Protocol, D: Instrumentation> FaultState<P, D> {
    pub(crate) fn new(faults: &Faults, n: usize) -> Self {
        Self {
            paused: vec![0; if faults.pauses.is_empty() { 0 } else { n }],
            held: Vec::new(),
            held_timers: Vec::new(),
            cut: Vec::new(),
            restarted: vec![false; if may_restart(faults) { n } else { 0 }],
        }
    }

    pub(crate) fn is_paused(&self, place: Place, now: Time) -> bool {
        self.paused.get(place as usize).is_some_and(|&until| now < until)
    }

    /// Whether it was woken by a restart, so that it does not wake by itself any more.
    pub(crate) fn has_restarted(&self, place: Place) -> bool {
        self.restarted.get(place as usize).is_some_and(|&restarted| restarted)
    }

    pub(crate) fn is_cut(&self, one: Place, other: Place) -> bool {
        self.cut.iter().any(|&ends| ends == (one, other) || ends == (other, one))
    }

    /// The pairs of places whose link is cut.
    pub(crate) fn cut(&self) -> &[(Place, Place)] {
        &self.cut
    }

    /// Keeps a timer of zero ticks until its processor goes on.
    pub(crate) fn hold_timer(&mut self, place: Place, timer: TimerOrCallOf<P>) {
        self.held_timers.push((place, timer));
    }
}

/// Whether a processor may restart.
pub(crate) fn may_restart(faults: &Faults) -> bool {
    !faults.restarts.is_empty() || faults.at_most.restarts > 0
}

/// Whether messages may be lost, duplicated or held up between sender and receiver.
pub(crate) fn disturbs_messages(faults: &Faults) -> bool {
    let Faults { loss, duplicate, pauses, cuts, at_most, .. } = faults;
    loss.is_some() || duplicate.is_some() || !pauses.is_empty() || !cuts.is_empty() || at_most.cuts > 0
}

impl<P: Protocol, D: Instrumentation> EngineState<P, D> {
    pub(crate) fn crash(&mut self, place: Place) {
        self.note_outage(place, Cause::Crash);
        self.log_fault(place, |_| Cause::Crash);
        self.go_down(place);
    }

    /// A processor is down: its timers and the messages that it has not read are lost, and its user stops.
    pub(crate) fn go_down(&mut self, place: Place) {
        self.crashed[place as usize] = true;
        // A request that is not made yet is one that is left.
        if let Some(workload) = self.workload.as_mut().filter(|workload| workload.queues()) {
            for user in workload.users() {
                if self.timers.contains(place, &TimerOrCall::Queue(user)) {
                    workload.give_back_of(place, user);
                }
            }
            workload.go_down(place);
        } else if let (Some(workload), Some(requests)) = (&mut self.workload, ProblemOf::<P>::WORKLOAD_REQUESTS)
            && self.timers.contains(place, &TimerOrCall::Call(requests.acquire))
        {
            workload.give_back(place);
        }
        self.timers.cancel_all(place);
        if let Some(links) = &mut self.half_duplex {
            links.forget(place);
        }
        self.monitor.crash(place);
        self.meter.crash(self.now, place);
        let mut unread = 0;
        while self.queues.as_mut().is_some_and(|queues| queues.pop(place).is_some()) {
            unread += 1;
        }
        if let Some(until) = self.fault_state.paused.get_mut(place as usize) {
            *until = 0;
            let held = take_if(&mut self.fault_state.held, |arrival| arrival.to == place).len();
            self.count_lost_underway(held as u64);
            self.fault_state.held_timers.retain(|(other, _)| *other != place);
        }
        self.count_lost(unread);
    }

    /// A processor that is down is up again; its clock has not started yet.
    fn come_up(&mut self, place: Place) {
        self.crashed[place as usize] = false;
        if let Some(lost) = self.lost.get_mut(place as usize) {
            *lost = false;
        }
        self.fault_state.restarted[place as usize] = true;
        self.reschedule(place, |_| None);
        self.choices.restart(place);
        if let Some(clock) = self.step_clocks.get_mut(place as usize) {
            *clock = StepClock::NEW;
        }
        let requests = self.workload.as_ref().map_or(0, |workload| workload.left(place));
        self.monitor.restart(place, requests);
    }

    /// Moves what is due at the ticks of a place to other times; `None` removes it.
    fn reschedule(&mut self, place: Place, to: impl Fn(Time) -> Option<Time>) {
        let (now, mut all) = (self.alarms.now(), Vec::new());
        while let Some(time) = self.alarms.next_time() {
            self.alarms.advance(time);
            self.alarms.take_each(|alarm: Alarm<_>| all.push((time, alarm)));
        }
        self.alarms.rewind(now);
        for (time, alarm) in all {
            let time = if alarm.place == place { to(time) } else { Some(time) };
            if let Some(time) = time {
                self.alarms.push(time, alarm);
            }
        }
    }

    /// Pauses a processor; returns when it goes on. All its ticks from now on come later, by what the pause adds to one that
    /// is in force.
    pub(crate) fn pause(&mut self, place: Place, length: u64) -> Time {
        let until = &mut self.fault_state.paused[place as usize];
        let before = (*until).max(self.now);
        *until = before.max(self.now.saturating_add(length));
        let (until, by) = (*until, *until - before);
        self.note_outage(place, Cause::Pause { until });
        self.log_fault(place, |_| Cause::Pause { until });
        let (now, mut grid) = (self.now, self.grid.take());
        let later = |time: Time| {
            let postponed = grid.as_ref().and_then(|grid| grid.postponed(place, now, by, time));
            postponed.filter(|&time| time <= END_OF_TIME)
        };
        self.reschedule(place, later);
        self.timers.postpone(place, later);
        if let Some(grid) = &mut grid {
            grid.postpone(place, now, by);
        }
        self.grid = grid;
        if let Some(clock) = self.step_clocks.get_mut(place as usize) {
            clock.postpone(by);
        }
        until
    }

    /// Cuts the link between two places.
    pub(crate) fn cut(&mut self, one: Place, other: Place) {
        self.fault_state.cut.push((one, other));
        self.note_outage(one, Cause::Cut { other });
        self.log_fault(one, |_| Cause::Cut { other });
    }

    /// Ends a cut between two places.
    pub(crate) fn heal(&mut self, one: Place, other: Place) {
        let cut = &mut self.fault_state.cut;
        if let Some(index) = cut.iter().position(|&ends| ends == (one, other)) {
            cut.remove(index);
        }
        self.note_outage(one, Cause::Heal { other });
        self.log_fault(one, |_| Cause::Heal { other });
    }

    /// Whether a message would arrive over a link that is cut.
    pub(crate) fn arrives_over_cut(&self, arrival: &Arrival<P, D>) -> bool {
        let (to, port) = arrival.rank();
        !self.fault_state.cut.is_empty() && self.fault_state.is_cut(self.network.origin(to, port), to)
    }

    /// A message reaches the end of its link, where links or receivers may fail: it is returned, to be handed over to its
    /// receiver, unless it is lost on a link that is cut, or held for a receiver that is paused.
    #[cold]
    pub(crate) fn end_of_link(&mut self, arrival: Arrival<P, D>) -> Option<Arrival<P, D>> {
        let (to, port) = arrival.rank();
        let cut = self.arrives_over_cut(&arrival);
        let paused = self.is_up(to) && self.fault_state.is_paused(to, self.now);
        if !cut && !paused {
            return Some(arrival);
        }
        self.delivered(to, port);
        if cut {
            self.count_lost_underway(1);
            self.log_loss(&arrival);
        } else {
            self.fault_state.held.push(arrival);
        }
        None
    }
}

impl<P: Protocol, D: Instrumentation> Simulation<P, D> {
    /// A fault that the scenario fixes for this instant.
    #[cold]
    pub(crate) fn take_fault(&mut self, place: Place, planned: Planned) {
        let engine = &mut self.engine;
        match planned {
            Planned::Crash if engine.is_up(place) => engine.crash(place),
            Planned::Heal(other) => engine.heal(place, other),
            Planned::Cut(other) => engine.cut(place, other),
            Planned::Restart => {
                let planned = |restart: &&Restart| (restart.place, restart.time) == (place, engine.now);
                let offset = engine.faults.restarts.iter().find(planned).and_then(|restart| restart.offset);
                self.restart(place, offset);
            }
            Planned::Pause(length) if engine.is_up(place) => {
                let time = engine.pause(place, length);
                self.plan(AgendaEntry { time, place, planned: Planned::Resume });
            }
            Planned::Resume => self.resume(place),
            Planned::Crash | Planned::Pause(_) | Planned::Wake | Planned::Again => {}
        }
    }

    /// Whether all that a timer does is to send a message again to a processor that is down for good.
    #[inline]
    pub(crate) fn resends_in_vain(&self, place: Place, due: &TimerOrCallOf<P>) -> bool {
        !self.engine.crashed.is_empty()
            && self.resends_to(place, due).is_some_and(|to| !self.engine.is_up(to) && !self.will_restart(to))
    }

    /// The processor to which all that a timer does is to send a message again.
    pub(crate) fn resends_to(&self, place: Place, due: &TimerOrCallOf<P>) -> Option<Place> {
        let TimerOrCall::Timer(timer) = due else { return None };
        let port = self.states[place as usize].resends(timer)?;
        Some(self.engine.network.route(place, port).0)
    }

    /// Whether the restart of a processor is planned.
    fn will_restart(&self, place: Place) -> bool {
        self.agenda.iter().any(|entry| entry.place == place && matches!(entry.planned, Planned::Restart))
    }

    /// Adds an event to the agenda.
    pub(crate) fn plan(&mut self, entry: AgendaEntry) {
        let at = self.agenda.partition_point(|other| other.order() > entry.order());
        self.agenda.insert(at, entry);
    }

    /// Plans an event of a processor that is paused for the end of its pause; false if it is not paused.
    pub(crate) fn put_off(&mut self, place: Place, planned: Planned) -> bool {
        let paused = self.engine.fault_state.is_paused(place, self.engine.now);
        if paused {
            let time = self.engine.fault_state.paused[place as usize];
            self.plan(AgendaEntry { time, place, planned });
        }
        paused
    }

    /// A processor restarts and wakes; one that is up crashes first. `offset`: of its clock, if it is not the usual one.
    pub(crate) fn restart(&mut self, place: Place, offset: Option<u64>) {
        if self.engine.is_up(place) {
            self.engine.go_down(place);
        }
        let before = self.logged_fields(place);
        let state = &mut self.states[place as usize];
        *state = state.restart(&self.protocol, self.newborn[place as usize].clone());
        self.engine.come_up(place);
        if let (Some(before), Some(log)) = (before, &self.engine.log) {
            let changed = before.changes(&FieldValue::of(&self.states[place as usize]));
            let step = Step { changed, ..Step::new(self.engine.now, place, Cause::Restart) };
            self.engine.logged_faults.push((log.len(), step));
        }
        let engine = &mut self.engine;
        engine.note_outage(place, Cause::Restart);
        if let Some(grid) = &mut engine.grid {
            grid.restart(place, engine.now, offset);
        }
        if engine.workload.is_some() {
            engine.schedule_first_request(place);
        }
        self.step(place, Event::Wake, D::Tag::default());
    }

    /// The pause of a processor is over, unless it was made longer, or a crash has ended it: what arrived is handed over.
    fn resume(&mut self, place: Place) {
        let FaultState { paused, held, held_timers, .. } = &mut self.engine.fault_state;
        if paused[place as usize] != self.engine.now {
            return;
        }
        self.engine.zero.append(&mut take_if(held_timers, |(other, _)| *other == place));
        let arrived = take_if(held, |arrival| arrival.to == place);
        let before_tick = mem::replace(&mut self.engine.before_tick, self.open_ties);
        for arrival in arrived {
            self.hand_over(arrival, true, false);
        }
        self.engine.before_tick = before_tick;
    }
}
