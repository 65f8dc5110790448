//! Every run of a small instance with clocks, instant by instant: plain breadth-first search over whole states. A
//! state is that at the end of an instant; all that happens at the next instant is one transition.
//!
//! For per-step reading with delays of at least 1 and steps of any length, with all faults, and for rounds (steps of 1, delays of
//! 0, read on arrival).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use ringleader::model::{
    AtMost, Effects, Event, Inspect, Links, Monitor, Network, Place, Port, Problem, Processor, Protocol, Range,
    Reading, Report, Scenario, Settings, Starts, Ticks, Ties, WorkloadEvent,
};
use ringleader::sim::Resolved;

use crate::interleavings::Seen;

/// What was found in all runs of a scenario.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Found {
    /// States, the initial one included.
    pub states: usize,
    /// Transitions.
    pub transitions: usize,
    /// The fewest instants after which something is violated; it is not gone on from there.
    pub violated_after: Option<usize>,
    /// The depth of the state space, in instants.
    pub depth: usize,
}

type ProcessorTimer<P> = <P as Processor>::Timer;
type ProcessorMessage<P> = <P as Processor>::Message;
type Configuration<P> =
    Whole<P, ProcessorMessage<P>, ProcessorTimer<P>, <<P as Processor>::Problem as Problem>::Monitor>;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Whole<P, M, T: Ord, W> {
    processors: Vec<P>,
    /// Who may still wake by itself.
    sleepers: Vec<bool>,
    clocks: Vec<Clock>,
    /// By place, the own ticks that are left; `None` for never.
    timers: Vec<BTreeMap<T, Option<u64>>>,
    /// By place, in the order of arrival.
    unread: Vec<VecDeque<(Port, M)>>,
    users: Vec<User>,
    /// By receiver and port: how long ago it was sent, and what, in the order of sending. What arrives at one instant does so
    /// in that order.
    links: BTreeMap<(Place, Port), Vec<(u64, M)>>,
    monitor: W,
    /// Who has crashed. One that may restart is as it will be then.
    down: Vec<bool>,
    /// Pairs of places whose link is cut, each with the smaller one first.
    cut: BTreeSet<(Place, Place)>,
    /// Faults that may still come.
    left: AtMost,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Clock {
    Stopped,
    /// The time since it started, without a tick so far.
    Started(u64),
    /// The time since its last tick.
    Ticked(u64),
    /// It pauses: a tick that was due has not come.
    Late,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct User {
    left: u64,
    stands: Stands,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Stands {
    Outside,
    Trying,
    Inside,
}

/// What is left open, answered in order: all answers of one run, then of the next.
#[derive(Default)]
struct Picks {
    answers: Vec<(usize, usize)>,
    asked: usize,
}

impl Picks {
    /// A choice from this number of alternatives.
    fn one_of(&mut self, bound: usize) -> usize {
        if self.asked == self.answers.len() {
            self.answers.push((0, bound));
        }
        let (answer, before) = self.answers[self.asked];
        assert_eq!(before, bound, "the same answers lead to the same questions");
        self.asked += 1;
        answer
    }

    fn maybe(&mut self) -> bool {
        self.one_of(2) == 1
    }

    /// From the least to the greatest.
    fn between(&mut self, least: usize, greatest: usize) -> usize {
        least + self.one_of(greatest - least + 1)
    }

    /// Goes on to the next answers; false if there are none.
    fn next(&mut self) -> bool {
        self.asked = 0;
        while let Some((answer, bound)) = self.answers.pop() {
            if answer + 1 < bound {
                self.answers.push((answer + 1, bound));
                return true;
            }
        }
        false
    }
}

/// Takes every run of a scenario. Everybody wakes at the first instant where there is a workload or the protocol demands it,
/// else anybody at any.
pub fn explore<P: Protocol>(settings: &[(&str, &str)], scenario: &Scenario) -> Found {
    let settings: Vec<_> = settings.iter().map(|(key, value)| ((*key).to_string(), (*value).to_string())).collect();
    let settings = Settings::new(P::DESCRIPTION.parameters, &settings).expect("the settings are allowed");
    let protocol =
        P::configure(&settings, &Resolved::new(scenario).instance(scenario)).expect("they suit the scenario");
    let timing = &scenario.timing;
    let rounds = timing.r.max == 1 && timing.d.max == 0 && timing.reading == Reading::Immediate;
    assert!(rounds || timing.d.min >= 1 && timing.reading == Reading::PerStep, "that is not looked at here");
    let together = scenario.workload.is_some() || P::DESCRIPTION.assumptions.starts == Starts::Together;
    let world = World { network: P::Network::new(scenario), protocol, scenario, together };
    let mut found = Found::default();
    let mut seen = Seen::default();
    let first = world.initial();
    seen.insert(&first);
    let mut open = VecDeque::from([(0, first)]);
    while let Some((depth, now)) = open.pop_front() {
        found.depth = depth;
        if !now.monitor.violations().is_empty() {
            found.violated_after.get_or_insert(depth);
            continue;
        }
        let mut following = Seen::default();
        let mut picks = Picks::default();
        loop {
            let next = world.after(now.clone(), &mut picks);
            // Nothing is looked at before somebody acts.
            let acts = depth > 0 || now != world.initial() || world.acts(&now, &next);
            if acts && following.insert(&next).1 {
                found.transitions += 1;
                if seen.insert(&next).1 {
                    open.push_back((depth + 1, next));
                }
            }
            if !picks.next() {
                break;
            }
        }
    }
    found.states = seen.count;
    found
}

struct World<'a, P: Protocol> {
    protocol: P,
    network: P::Network,
    scenario: &'a Scenario,
    together: bool,
}

/// A message that arrives now.
struct NaiveArrival<M> {
    place: usize,
    port: Port,
    message: M,
    /// Whether it comes before its receiver's tick of this instant.
    before: bool,
}

impl<P: Protocol> World<'_, P> {
    fn initial(&self) -> Configuration<P::Processor> {
        let n = self.scenario.n;
        let seat = |place| self.protocol.processor(self.protocol.seat(self.scenario, &self.network, place as Place));
        Whole {
            processors: (0..n).map(seat).collect(),
            sleepers: vec![true; n],
            clocks: vec![Clock::Stopped; n],
            timers: vec![BTreeMap::new(); n],
            unread: vec![VecDeque::new(); n],
            users: self.scenario.asks().iter().map(|&left| User { left, stands: Stands::Outside }).collect(),
            links: BTreeMap::new(),
            monitor: Monitor::new(self.scenario),
            down: vec![false; n],
            cut: BTreeSet::new(),
            left: self.scenario.faults.at_most,
        }
    }

    /// Whether some place does anything but go down.
    fn acts(&self, before: &Configuration<P::Processor>, after: &Configuration<P::Processor>) -> bool {
        (0..self.scenario.n).any(|place| {
            let same = before.processors[place] == after.processors[place]
                && before.sleepers[place] == after.sleepers[place]
                && before.clocks[place] == after.clocks[place]
                && before.timers[place] == after.timers[place]
                && before.unread[place] == after.unread[place]
                && before.users.get(place) == after.users.get(place);
            !same && !after.down[place]
        })
    }

    fn newborn(&self, place: usize) -> P::Processor {
        self.protocol.processor(self.protocol.seat(self.scenario, &self.network, place as Place))
    }

    /// What fails at the beginning of an instant: who crashes and restarts, which links are cut, and which no longer. Gives who
    /// restarts.
    fn pick_faults(&self, now: &mut Configuration<P::Processor>, picks: &mut Picks) -> Vec<bool> {
        let n = self.scenario.n;
        let mut restarts = vec![false; n];
        for (place, restarts) in restarts.iter_mut().enumerate() {
            if now.left.restarts > 0 && picks.maybe() {
                now.left.restarts -= 1;
                *restarts = true;
            } else if now.left.crashes > 0 && !now.down[place] && picks.maybe() {
                now.left.crashes -= 1;
                self.go_down(now, place);
            }
        }
        for one in 0..n as Place {
            for port in (0..self.network.ports(one)).map(Port) {
                let to = self.network.route(one, port).0;
                if one < to && now.cut.contains(&(one, to)) {
                    if picks.maybe() {
                        now.cut.remove(&(one, to));
                    }
                } else if one < to && now.left.cuts > 0 && picks.maybe() {
                    now.left.cuts -= 1;
                    now.cut.insert((one, to));
                }
            }
        }
        for place in (0..n).filter(|&place| restarts[place]) {
            if !now.down[place] {
                self.go_down(now, place);
            }
            now.down[place] = false;
            now.clocks[place] = Clock::Started(0);
            now.monitor.restart(place as Place, now.users.get(place).map_or(0, |user| user.left));
        }
        restarts
    }

    /// A place loses what it was doing; if nobody may restart, also what is on its way to it, and all that it was.
    fn go_down(&self, now: &mut Configuration<P::Processor>, place: usize) {
        now.monitor.crash(place as Place);
        now.down[place] = true;
        now.sleepers[place] = false;
        now.clocks[place] = Clock::Stopped;
        now.timers[place].clear();
        now.unread[place].clear();
        if let Some(user) = now.users.get_mut(place) {
            user.stands = Stands::Outside;
        }
        now.processors[place] = now.processors[place].restart(&self.protocol, self.newborn(place));
        if self.scenario.faults.at_most.restarts == 0 {
            now.processors[place] = self.newborn(place);
            now.users.get_mut(place).into_iter().for_each(|user| user.left = 0);
            now.links.retain(|&(to, _), _| to as usize != place);
        }
    }

    /// Whether two places cannot exchange messages.
    fn is_cut(&self, now: &Configuration<P::Processor>, one: Place, other: Place) -> bool {
        now.cut.contains(&(one.min(other), one.max(other)))
    }

    /// One instant, in which what is open is picked.
    fn after(&self, mut now: Configuration<P::Processor>, picks: &mut Picks) -> Configuration<P::Processor> {
        let n = self.scenario.n;
        for (age, _) in now.links.values_mut().flatten() {
            *age += 1;
        }
        for clock in &mut now.clocks {
            match clock {
                Clock::Stopped | Clock::Late => {}
                Clock::Started(units) | Clock::Ticked(units) => *units += 1,
            }
        }
        let restarts = self.pick_faults(&mut now, picks);
        let mut wakes: Vec<bool> =
            now.sleepers.iter().map(|&sleeps| sleeps && (self.together || picks.maybe())).collect();
        let mut arrivals = self.pick_arrivals(&mut now, picks);
        // Whoever pauses does not wake; it may go on, and wake, at this instant.
        let goes_on: Vec<bool> = now.clocks.iter().map(|&clock| clock == Clock::Late && picks.maybe()).collect();
        for place in 0..n {
            wakes[place] &= now.clocks[place] != Clock::Late || goes_on[place];
        }
        for place in (0..n).filter(|&place| wakes[place] || arrivals.iter().any(|arrival| arrival.place == place)) {
            if now.clocks[place] == Clock::Stopped {
                now.clocks[place] = Clock::Started(0);
            }
        }
        let mut ticks: Vec<bool> = now.clocks.iter().map(|&clock| self.pick_tick(clock, picks)).collect();
        for place in 0..n {
            let Range { max, .. } = self.scenario.timing.r;
            let due = matches!(now.clocks[place], Clock::Started(units) if units > 0 && units == max - 1)
                || now.clocks[place] == Clock::Ticked(max);
            if due && now.left.pauses > 0 && !wakes[place] && picks.maybe() {
                now.left.pauses -= 1;
                (now.clocks[place], ticks[place]) = (Clock::Late, false);
            }
            ticks[place] |= goes_on[place];
        }
        let waits: Vec<bool> = (0..n).map(|place| now.clocks[place] == Clock::Late && !ticks[place]).collect();
        self.pick_ties(&mut arrivals, &ticks, picks);

        let mut due: Vec<Vec<ProcessorTimer<P::Processor>>> = vec![Vec::new(); n];
        for place in (0..n).filter(|&place| ticks[place]) {
            now.clocks[place] = Clock::Ticked(0);
            for (timer, left) in &mut now.timers[place] {
                *left = left.map(|left| left - 1);
                if *left == Some(0) {
                    due[place].push(timer.clone());
                }
            }
        }
        let inside: Vec<bool> = now.users.iter().map(|user| user.stands == Stands::Inside).collect();
        for place in (0..n).filter(|&place| restarts[place]) {
            self.step(&mut now, place, Event::Wake, picks);
        }
        for place in (0..n).filter(|&place| wakes[place]) {
            now.sleepers[place] = false;
            self.step(&mut now, place, Event::Wake, picks);
        }
        for arrival in arrivals.iter().filter(|arrival| arrival.before) {
            self.arrive(&mut now, arrival, waits[arrival.place], picks);
        }
        for place in (0..n).filter(|&place| ticks[place]) {
            while let Some((port, message)) = now.unread[place].pop_front() {
                self.step(&mut now, place, Event::Receive(port, message), picks);
            }
            for timer in &due[place] {
                // Unless it was set again or forgotten meanwhile. What is set to 0 now waits for the end of the instant, but
                // nothing that is due here is set to 0 here.
                if now.timers[place].get(timer) == Some(&Some(0)) {
                    now.timers[place].remove(timer);
                    self.step(&mut now, place, Event::Timeout(timer.clone()), picks);
                }
            }
            self.let_user_ask(&mut now, place, inside[place], picks);
        }
        for arrival in arrivals.iter().filter(|arrival| !arrival.before) {
            self.arrive(&mut now, arrival, waits[arrival.place], picks);
        }
        self.fire_zero_timers(&mut now, picks);
        // What takes no time arrives now, and so does what is sent on that.
        while self.scenario.timing.d.max == 0 && !now.links.is_empty() {
            for ((place, port), queue) in std::mem::take(&mut now.links) {
                for (_, message) in queue {
                    // With steps of 1, who starts now ticks now for the first time, with nothing due.
                    now.clocks[place as usize] = Clock::Ticked(0);
                    self.step(&mut now, place as usize, Event::Receive(port, message), picks);
                }
            }
            self.fire_zero_timers(&mut now, picks);
        }
        now.monitor.settle();
        // Numbers of phases that no rule looks at are no part of it.
        now.monitor.forget();
        now.processors.iter_mut().for_each(|processor| processor.rebase(&self.protocol, 0));
        now
    }

    /// Takes what arrives off the links: by receiver, port, and order on the link. Some of it is lost.
    fn pick_arrivals(
        &self,
        now: &mut Configuration<P::Processor>,
        picks: &mut Picks,
    ) -> Vec<NaiveArrival<ProcessorMessage<P::Processor>>> {
        let Range { min, max } = self.scenario.timing.d;
        let mut arrivals = Vec::new();
        let Whole { links, cut, down, .. } = now;
        for (&(place, port), queue) in links {
            let from = self.network.origin(place, port);
            let lost = down[place as usize] || cut.contains(&(place.min(from), place.max(from)));
            let come: Vec<bool> = if self.scenario.links == Links::Any {
                queue.iter().map(|&(age, _)| age >= min && (age == max || picks.maybe())).collect()
            } else {
                let most = queue.iter().take_while(|(age, _)| *age >= min).count();
                let least = queue.iter().take_while(|(age, _)| *age == max).count();
                let count = picks.between(least, most);
                (0..queue.len()).map(|index| index < count).collect()
            };
            let mut come = come.into_iter();
            for (_, message) in queue.extract_if(.., |_| come.next() == Some(true)) {
                if !lost {
                    arrivals.push(NaiveArrival { place: place as usize, port, message, before: true });
                }
            }
        }
        now.links.retain(|_, queue| !queue.is_empty());
        arrivals
    }

    fn pick_tick(&self, clock: Clock, picks: &mut Picks) -> bool {
        let Range { min, max } = self.scenario.timing.r;
        match clock {
            Clock::Stopped | Clock::Late => false,
            Clock::Started(units) => units == max - 1 || picks.maybe(),
            Clock::Ticked(units) => units >= min && (units == max || picks.maybe()),
        }
    }

    /// What comes before its receiver's tick. First in, first out: not what follows something that comes after it.
    fn pick_ties(
        &self,
        arrivals: &mut [NaiveArrival<ProcessorMessage<P::Processor>>],
        ticks: &[bool],
        picks: &mut Picks,
    ) {
        if self.scenario.ties == Ties::Ruled {
            return;
        }
        let mut last = None;
        for arrival in arrivals.iter_mut().filter(|arrival| ticks[arrival.place]) {
            let link = (arrival.place, arrival.port);
            let overtakes = self.scenario.links == Links::Fifo && last == Some((link, false));
            arrival.before = !overtakes && picks.maybe();
            last = Some((link, arrival.before));
        }
    }

    fn arrive(
        &self,
        now: &mut Configuration<P::Processor>,
        arrival: &NaiveArrival<ProcessorMessage<P::Processor>>,
        waits: bool,
        picks: &mut Picks,
    ) {
        let NaiveArrival { place, port, ref message, .. } = *arrival;
        if !waits && now.unread[place].is_empty() && now.processors[place].urgent(&self.protocol, message) {
            self.step(now, place, Event::Receive(port, message.clone()), picks);
        } else {
            now.unread[place].push_back((port, message.clone()));
        }
    }

    /// At a tick a user that is outside may ask; one that was inside before may leave, and ask again.
    fn let_user_ask(&self, now: &mut Configuration<P::Processor>, place: usize, was_inside: bool, picks: &mut Picks) {
        let Some(requests) = <P::Processor as Processor>::Problem::WORKLOAD_REQUESTS else { return };
        if was_inside
            && now.users[place].stands == Stands::Inside
            && let Some(release) = requests.release
            && picks.maybe()
        {
            self.step(now, place, Event::Call(release), picks);
        }
        let user = now.users[place];
        if user.stands == Stands::Outside && user.left > 0 && picks.maybe() {
            now.users[place] = User { left: user.left - 1, stands: Stands::Trying };
            self.step(now, place, Event::Call(requests.acquire), picks);
        }
    }

    fn fire_zero_timers(&self, now: &mut Configuration<P::Processor>, picks: &mut Picks) {
        for place in 0..self.scenario.n {
            let zero = |timers: &BTreeMap<ProcessorTimer<P::Processor>, Option<u64>>| {
                timers.iter().find(|(_, left)| **left == Some(0)).map(|(timer, _)| timer.clone())
            };
            while let Some(timer) = zero(&now.timers[place]) {
                now.timers[place].remove(&timer);
                self.step(now, place, Event::Timeout(timer), picks);
            }
        }
    }

    fn step(&self, now: &mut Configuration<P::Processor>, place: usize, event: Event<P::Processor>, picks: &mut Picks) {
        let timers = &mut now.timers[place];
        let mut did = NaiveEffects { picks: &mut *picks, timers, sends: Vec::new(), reports: Vec::new() };
        now.processors[place].step(&self.protocol, event, &mut did);
        let NaiveEffects { sends, reports, .. } = did;
        for (port, message) in sends {
            let (to, entry) = self.network.route(place as Place, port);
            if self.is_cut(now, place as Place, to) {
                continue;
            }
            let mut copies = 1;
            if now.left.losses > 0 && picks.maybe() {
                (now.left.losses, copies) = (now.left.losses - 1, 0);
            } else if now.left.duplicates > 0 && picks.maybe() {
                (now.left.duplicates, copies) = (now.left.duplicates - 1, 2);
            }
            // What is sent to somebody who has crashed for good is lost at once.
            let gone = now.down[to as usize] && self.scenario.faults.at_most.restarts == 0;
            for _ in 0..if gone { 0 } else { copies } {
                now.links.entry((to, P::Network::port(entry))).or_default().push((0, message.clone()));
            }
        }
        for report in reports {
            match <P::Processor as Processor>::Problem::workload_event(&report) {
                Some(WorkloadEvent::Entered) => now.users[place].stands = Stands::Inside,
                Some(WorkloadEvent::Left) => now.users[place].stands = Stands::Outside,
                None => {}
            }
            now.monitor.observe(place as Place, report);
        }
    }
}

/// The effects of one step.
struct NaiveEffects<'a, P: Processor> {
    picks: &'a mut Picks,
    timers: &'a mut BTreeMap<P::Timer, Option<u64>>,
    sends: Vec<(Port, P::Message)>,
    reports: Vec<Report<P>>,
}

impl<P: Processor> Effects<P> for NaiveEffects<'_, P> {
    fn send(&mut self, port: Port, message: P::Message) {
        self.sends.push((port, message));
    }

    fn set_timer(&mut self, timer: P::Timer, after: Ticks) {
        self.timers.insert(timer, after.get());
    }

    fn cancel_timer(&mut self, timer: P::Timer) {
        self.timers.remove(&timer);
    }

    fn choose(&mut self, bound: u32) -> u32 {
        self.picks.one_of(bound as usize) as u32
    }

    fn report(&mut self, report: Report<P>) {
        self.reports.push(report);
    }

    fn elapsed(&mut self) -> Option<Ticks> {
        None
    }
}
