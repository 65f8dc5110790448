//! The requests of users: when the engine makes them.

use ringleader_model::{LocalUser, Meter, Monitor, Place, Problem, Protocol, Request, Ticks, WorkloadEvent};

use crate::engine_state::{Alarm, AlarmKind, EngineState, ProblemOf, TimerOrCall, TimerOrCallOf};
use crate::instrumentation::Instrumentation;
use crate::random_stream::RandomStream;
use crate::simulation::END_OF_TIME;
use crate::timers::Expiry;

impl<P: Protocol, D: Instrumentation> EngineState<P, D> {
    /// Schedules the first request of a place's user: some own steps after its first tick; at any time in an untimed
    /// run.
    pub(crate) fn schedule_first_request(&mut self, place: Place) {
        let (Some(requests), Some(workload)) = (ProblemOf::<P>::WORKLOAD_REQUESTS, &self.workload) else { return };
        if workload.queues() {
            for user in workload.users() {
                if self.take_request_of(place, user) {
                    self.schedule_first(place, TimerOrCall::Queue(user));
                }
            }
        } else if self.take_request(place) {
            self.schedule_first(place, TimerOrCall::Call(requests.acquire));
        }
    }

    fn schedule_first(&mut self, place: Place, call: TimerOrCallOf<P>) {
        let (Some(grid), Some(workload)) = (&self.grid, &self.workload) else {
            return self.set_timer(place, call, Ticks::ZERO);
        };
        let (first, range, varying) = (grid.first(place), workload.first, grid.varying());
        let steps = range.min + self.choose(RandomStream::Workload, place, range.max - range.min + 1);
        if first == self.now {
            return self.set_timer(place, call, Ticks::new(steps));
        }
        let at = match varying {
            _ if steps == 0 => Some(first),
            // The step at the first tick counts as well.
            Some(_) if !self.step_clocks.is_empty() => return self.set_timer(place, call, Ticks::new(steps + 1)),
            Some(range) => self.end_of_drawn(place, first, Ticks::new(steps), range),
            None => self.grid.as_ref().and_then(|grid| grid.after(place, first, Ticks::new(steps))),
        };
        let at = at.filter(|&at| at <= END_OF_TIME);
        if let Some(at) = at {
            self.alarms.push(at, Alarm { place, kind: AlarmKind::Timer(call.clone()) });
        }
        self.timers.set(place, call, at.map_or(Expiry::Never, Expiry::At));
    }

    /// For how many ticks a user's request is put off: where the load changes, until its place competes. A site that has several
    /// users asks for those who wait, whether it still competes or not.
    pub(crate) fn deferred(&self, place: Place, due: &TimerOrCallOf<P>) -> Option<Ticks> {
        let workload = self.workload.as_ref()?;
        let acquires = |request: &Request<P::Processor>| {
            ProblemOf::<P>::WORKLOAD_REQUESTS.is_some_and(|requests| requests.acquire == *request)
        };
        let of_user = match due {
            TimerOrCall::Timer(_) => false,
            TimerOrCall::Queue(_) => true,
            TimerOrCall::Call(request) => !workload.queues() && acquires(request),
        };
        if of_user { workload.deferred(place, self.now) } else { None }
    }

    fn take_request(&mut self, place: Place) -> bool {
        self.workload.as_mut().is_some_and(|workload| workload.take_request(place))
    }

    fn take_request_of(&mut self, place: Place, user: LocalUser) -> bool {
        self.workload.as_mut().is_some_and(|workload| workload.take_request_of(place, user))
    }

    /// Schedules the next request of a place's user: to release after entering, to acquire again after leaving.
    pub(crate) fn schedule_request(&mut self, place: Place, event: WorkloadEvent) {
        let (Some(requests), Some(workload)) = (ProblemOf::<P>::WORKLOAD_REQUESTS, &self.workload) else { return };
        let several = workload.queues();
        let (range, request) = match event {
            WorkloadEvent::Entered => (workload.hold, requests.release.map(TimerOrCall::Call)),
            WorkloadEvent::Left if several => (workload.think, self.leave_queue(place)),
            WorkloadEvent::Left => {
                let again = requests.acquire;
                (workload.think, Some(TimerOrCall::Call(again)).filter(|_| self.take_request(place)))
            }
        };
        if several && event == WorkloadEvent::Entered {
            self.serve_user(place);
        }
        let Some(request) = request else { return };
        let mut steps = Ticks::ZERO;
        // In an untimed run a request comes at any time.
        if self.grid.is_some() {
            steps = Ticks::new(range.min + self.choose(RandomStream::Workload, place, range.max - range.min + 1));
        }
        self.set_timer(place, request, steps);
    }

    /// One of several users makes a request: the site asks for it, or it waits until the site does.
    #[cold]
    pub(crate) fn queue_user(&mut self, place: Place, user: LocalUser) {
        self.meter.queue(self.now, place);
        self.monitor.queue(place, user);
        if self.workload.as_mut().is_some_and(|workload| workload.queue(place, user)) {
            self.ask_for_user(place);
        }
    }

    /// The request of a site is granted to the user for whom it was made.
    #[cold]
    fn serve_user(&mut self, place: Place) {
        if let Some(user) = self.workload.as_mut().and_then(|workload| workload.enter(place)) {
            self.monitor.serve(place, user);
        }
    }

    /// One of several users has left: its next request, and the site asks for who waits.
    #[cold]
    fn leave_queue(&mut self, place: Place) -> Option<TimerOrCallOf<P>> {
        let (user, next) = self.workload.as_mut()?.leave(place);
        if next {
            self.ask_for_user(place);
        }
        user.filter(|&user| self.take_request_of(place, user)).map(TimerOrCall::Queue)
    }

    fn ask_for_user(&mut self, place: Place) {
        if let Some(requests) = ProblemOf::<P>::WORKLOAD_REQUESTS {
            self.set_timer(place, TimerOrCall::Call(requests.acquire), Ticks::ZERO);
        }
    }
}
