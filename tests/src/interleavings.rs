//! Every interleaving of a small instance: wakes, arrivals, timers, requests and failures in any order, every outcome of every
//! choice. Plain breadth-first search over whole states.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::Hash;

use ringleader::model::{
    Action, AtMost, Effects, Event, Inspect, Links, Message, Monitor, Network, Place, Port, Problem, Processor,
    Promised, Promises, Protocol, Report, Scenario, Settings, Ticks, TraceHash, Violation, WorkloadEvent,
};
use ringleader::sim::Resolved;

/// What was found in all interleavings of a scenario, whose own times do not matter.
#[derive(Debug, Default)]
pub struct Found {
    /// States.
    pub states: usize,
    /// Violations; a state with one has no successors.
    pub violated: Vec<Violation>,
    /// Quiescent states but the initial one.
    pub quiescent: usize,
    /// Deadlocks: quiescent states in which a request is outstanding.
    pub deadlocks: usize,
    /// The maximum number of messages of a run, where every run ends.
    pub most_messages: Option<u64>,
    /// States after rebasing: states that differ only in dead rounds and in the number of rounds before are one.
    pub apart_from_rounds: usize,
}

type ProblemMonitor<P> = <<P as Processor>::Problem as Problem>::Monitor;

#[derive(Clone, PartialEq, Eq, Hash)]
struct Configuration<P: Processor> {
    /// `None` has crashed.
    sites: Vec<Option<Site<P>>>,
    /// Messages in flight, with receiver and port; sorted where messages may overtake each other.
    in_flight: BTreeMap<LinkKey, VecDeque<(Place, Port, P::Message)>>,
    monitor: ProblemMonitor<P>,
    /// Faults that may still come.
    faults: AtMostKey,
    /// Pairs of neighbours whose link is cut.
    cut: BTreeSet<(Place, Place)>,
}

/// Crashes, losses, duplicates, restarts and cuts.
type AtMostKey = [u32; 5];

/// A receiver and its port, or a half-duplex link.
type LinkKey = (u64, Option<u32>);

#[derive(Clone, PartialEq, Eq, Hash)]
struct Site<P: Processor> {
    processor: P,
    /// It has crashed, and its processor is as it will be when it restarts.
    down: bool,
    asleep: bool,
    timers: BTreeSet<P::Timer>,
    /// Requests that its user will still make, of a workload and for further elections.
    visits: u64,
    again: usize,
    user: User,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum User {
    Out,
    Trying,
    In,
}

/// A protocol and a scenario to explore.
struct World<'a, P: Protocol> {
    protocol: P,
    network: P::Network,
    scenario: &'a Scenario,
}

/// A transition: its target, the number of messages sent, and whether it is obligatory.
type NaiveTransition<P> = (Configuration<P>, u64, bool);

/// Explores all successors of all reachable states.
pub fn explore<P: Protocol>(settings: &[(&str, &str)], scenario: &Scenario) -> Found {
    explore_while::<P>(settings, scenario, |_| true)
}

/// The same; states with a processor for which `goes_on` is false are not expanded.
pub fn explore_while<P: Protocol>(
    settings: &[(&str, &str)],
    scenario: &Scenario,
    goes_on: impl Fn(&P::Processor) -> bool,
) -> Found {
    let world = World::<P>::new(settings, scenario);
    let mut found = Found::default();
    let mut seen = Seen::default();
    let mut apart_from_rounds = Seen::default();
    let first = world.first();
    seen.insert(&first);
    let mut transitions: Vec<Vec<(usize, u64)>> = Vec::new();
    let mut open = VecDeque::from([first]);
    while let Some(now) = open.pop_front() {
        transitions.push(Vec::new());
        apart_from_rounds.insert(&world.without_rounds(now.clone()));
        if !now.monitor.violations().is_empty() {
            found.violated.extend_from_slice(now.monitor.violations());
            continue;
        }
        if !now.sites.iter().flatten().all(|site| goes_on(&site.processor)) {
            continue;
        }
        let following = world.following(&now);
        if transitions.len() > 1 && following.iter().all(|(_, _, must)| !must) {
            found.quiescent += 1;
            found.deadlocks += usize::from(now.monitor.waiting());
        }
        for (next, sent, _) in following {
            let (index, new) = seen.insert(&next);
            transitions.last_mut().expect("it was just added").push((index, sent));
            if new {
                open.push_back(next);
            }
        }
    }
    found.states = transitions.len();
    found.apart_from_rounds = apart_from_rounds.count;
    found.most_messages = longest(&transitions);
    found
}

/// The monitor after these actions, without requests and faults; `None` if one is not enabled.
pub fn follow<P: Protocol>(
    settings: &[(&str, &str)],
    scenario: &Scenario,
    actions: &[Action<P::Processor>],
) -> Option<ProblemMonitor<P::Processor>> {
    let world = World::<P>::new(settings, scenario);
    let last = actions.iter().try_fold(world.first(), |now, action| world.after(&now, action))?;
    Some(last.monitor)
}

/// The greatest sum on any path from the initial state; `None` if there is a cycle.
fn longest(transitions: &[Vec<(usize, u64)>]) -> Option<u64> {
    let mut entered = vec![0usize; transitions.len()];
    for &(to, _) in transitions.iter().flatten() {
        entered[to] += 1;
    }
    let (mut sums, mut order) = (vec![0; transitions.len()], vec![0]);
    if entered[0] > 0 {
        return None;
    }
    let mut done = 0;
    while let Some(from) = order.pop() {
        done += 1;
        for &(to, sent) in &transitions[from] {
            sums[to] = sums[to].max(sums[from] + sent);
            entered[to] -= 1;
            if entered[to] == 0 {
                order.push(to);
            }
        }
    }
    (done == transitions.len()).then(|| sums.into_iter().max().unwrap_or(0))
}

/// What comes of an event.
enum NaiveOutcome<P: Processor> {
    /// One more choice is to be made, from this number of alternatives.
    Open(u32),
    /// It cannot happen now.
    Blocked,
    /// The successor, and the number of messages sent.
    Is(Box<Configuration<P>>, u64),
}

impl<'a, P: Protocol> World<'a, P> {
    fn new(settings: &[(&str, &str)], scenario: &'a Scenario) -> Self {
        let settings: Vec<_> = settings.iter().map(|(key, value)| ((*key).to_string(), (*value).to_string())).collect();
        let settings = Settings::new(P::DESCRIPTION.parameters, &settings).expect("the settings are allowed");
        let protocol =
            P::configure(&settings, &Resolved::new(scenario).instance(scenario)).expect("they suit the scenario");
        Self { network: P::Network::new(scenario), protocol, scenario }
    }

    fn newborn(&self, place: Place) -> P::Processor {
        self.protocol.processor(self.protocol.seat(self.scenario, &self.network, place))
    }

    fn first(&self) -> Configuration<P::Processor> {
        let scenario = self.scenario;
        let site = |place: usize| Site {
            processor: self.newborn(place as Place),
            down: false,
            // Sites that users visit are there from the beginning; none of them does anything on waking.
            asleep: scenario.workload.is_none(),
            timers: BTreeSet::new(),
            visits: scenario.asks()[place],
            again: scenario.again.iter().filter(|(other, _)| *other as usize == place).count(),
            user: User::Out,
        };
        let AtMost { crashes, losses, duplicates, restarts, cuts, .. } = scenario.faults.at_most;
        // The one promise that needs a history, which is part of a state.
        let mut monitor: ProblemMonitor<P::Processor> = Monitor::new(scenario);
        if self.protocol.promises(scenario).contains(Promised::BoundedBypass) {
            monitor.promise(Promises::default().with(Promised::BoundedBypass), scenario);
        }
        Configuration {
            sites: (0..scenario.n).map(|place| Some(site(place))).collect(),
            in_flight: BTreeMap::new(),
            monitor,
            faults: [crashes, losses, duplicates, restarts, cuts],
            cut: BTreeSet::new(),
        }
    }

    fn following(&self, now: &Configuration<P::Processor>) -> Vec<NaiveTransition<P::Processor>> {
        let mut transitions = Vec::new();
        for (place, site) in now.sites.iter().enumerate() {
            let Some(site) = site.as_ref().filter(|site| !site.down) else { continue };
            let place = place as Place;
            for timer in &site.timers {
                let before = changed(now, place, |site| assert!(site.timers.remove(timer)));
                let taken = self.taken(&before, place, &Event::Timeout(timer.clone()));
                transitions.extend(taken.into_iter().map(|(next, sent)| (next, sent, true)));
            }
            let mut may = |event, change: &dyn Fn(&mut Site<P::Processor>), must| {
                let taken = self.taken(&changed(now, place, change), place, &event);
                transitions.extend(taken.into_iter().map(|(next, sent)| (next, sent, must)));
            };
            if site.asleep {
                may(Event::Wake, &|site| site.asleep = false, false);
            }
            if let Some(request) = <P::Processor as Processor>::Problem::AGAIN.filter(|_| site.again > 0) {
                may(Event::Call(request), &|site| site.again -= 1, false);
            }
            let Some(requests) = <P::Processor as Processor>::Problem::WORKLOAD_REQUESTS else { continue };
            let asks = |site: &mut Site<_>| (site.visits, site.user) = (site.visits - 1, User::Trying);
            match (site.user, requests.release) {
                (User::Out, _) if site.visits > 0 => may(Event::Call(requests.acquire), &asks, false),
                (User::In, Some(release)) => may(Event::Call(release), &|site| site.user = User::Trying, true),
                _ => {}
            }
        }
        for (link, queue) in &now.in_flight {
            for index in deliverable(self.scenario.links, queue) {
                let (to, port, message) = queue[index].clone();
                let mut without = now.clone();
                self.remove(&mut without, *link, index);
                if self.is_dead_end(now, to, port) {
                    without.monitor.lost();
                    without.monitor.settle();
                    without.monitor.forget();
                    transitions.push((without, 0, true));
                    continue;
                }
                let taken = self.taken(&without, to, &Event::Receive(port, message));
                transitions.extend(taken.into_iter().map(|(next, sent)| (next, sent, true)));
            }
        }
        // What fails before anything has happened might as well fail just after that.
        if *now != self.first() {
            transitions.extend(self.failures(now).into_iter().map(|(next, sent)| (next, sent, false)));
        }
        transitions
    }

    /// Every outcome of an event that is possible now, and how much is sent.
    fn taken(
        &self,
        now: &Configuration<P::Processor>,
        place: Place,
        event: &Event<P::Processor>,
    ) -> Vec<(Configuration<P::Processor>, u64)> {
        let (mut outcomes, mut scripts) = (Vec::new(), vec![Vec::new()]);
        while let Some(script) = scripts.pop() {
            match self.outcome(now, place, event, &script) {
                NaiveOutcome::Open(bound) => {
                    scripts.extend((0..bound).map(|choice| [&script[..], &[choice]].concat()));
                }
                NaiveOutcome::Blocked => {}
                NaiveOutcome::Is(next, sent) => outcomes.push((*next, sent)),
            }
        }
        outcomes
    }

    /// The outcome of an event where these are the choices.
    fn outcome(
        &self,
        now: &Configuration<P::Processor>,
        place: Place,
        event: &Event<P::Processor>,
        script: &[u32],
    ) -> NaiveOutcome<P::Processor> {
        let mut next = now.clone();
        let site = next.sites[place as usize].as_mut().expect("it has not crashed");
        let timers = core::mem::take(&mut site.timers);
        let (sends, reports) = (Vec::new(), Vec::new());
        let mut step = NaiveEffects { sends, reports, timers, script: script.to_vec(), drawn: 0, open: None };
        site.processor.step(&self.protocol, event.clone(), &mut step);
        let NaiveEffects { sends, reports, timers, open, .. } = step;
        if let Some(bound) = open {
            return NaiveOutcome::Open(bound);
        }
        site.timers = timers;
        for report in &reports {
            match <P::Processor as Processor>::Problem::workload_event(report) {
                None => {}
                Some(WorkloadEvent::Entered) => site.user = User::In,
                Some(WorkloadEvent::Left) => site.user = User::Out,
            }
        }
        let busy = |(port, message): &(Port, <P::Processor as Processor>::Message)| {
            let (link, to, entry) = self.link(place, *port);
            let queue = now.in_flight.get(&link).cloned().unwrap_or_default();
            must_wait(self.scenario.links, queue, &(to, entry, message.clone()))
        };
        if matches!(event, Event::Timeout(_)) && sends.iter().any(busy) {
            return NaiveOutcome::Blocked;
        }
        for report in reports {
            next.monitor.observe(place, report);
        }
        let sent = sends.len() as u64;
        for (port, message) in sends {
            let (link, to, entry) = self.link(place, port);
            if next.sites[to as usize].is_none() || now.is_cut(place, to) {
                next.monitor.lost();
                continue;
            }
            let queue = next.in_flight.entry(link).or_default();
            queue.push_back((to, entry, message));
            put_in_order(self.scenario.links, queue);
        }
        next.monitor.settle();
        next.monitor.forget();
        NaiveOutcome::Is(Box::new(next), sent)
    }

    /// The successor by an action, if it is enabled.
    fn after(
        &self,
        now: &Configuration<P::Processor>,
        action: &Action<P::Processor>,
    ) -> Option<Configuration<P::Processor>> {
        let Action::Step { place, event, chosen } = action else { return None };
        let mut before = now.clone();
        let site = before.sites[*place as usize].as_mut()?;
        match event {
            Event::Wake if !core::mem::take(&mut site.asleep) => return None,
            Event::Timeout(timer) if !site.timers.remove(timer) => return None,
            Event::Call(_) => return None,
            Event::Receive(port, message) => {
                let wanted = |(to, by, what): &(Place, Port, _)| to == place && by == port && what == message;
                let found = now.in_flight.iter().find_map(|(link, queue)| {
                    let mut nexts = deliverable(self.scenario.links, queue).into_iter();
                    Some((*link, nexts.find(|&index| wanted(&queue[index]))?))
                });
                let (link, index) = found?;
                self.remove(&mut before, link, index);
            }
            Event::Wake | Event::Timeout(_) => {}
        }
        match self.outcome(&before, *place, event, chosen) {
            NaiveOutcome::Is(next, _) => Some(*next),
            NaiveOutcome::Open(_) | NaiveOutcome::Blocked => None,
        }
    }

    /// Whether what arrives at a place by a port is lost.
    fn is_dead_end(&self, now: &Configuration<P::Processor>, to: Place, port: Port) -> bool {
        now.sites[to as usize].as_ref().is_some_and(|site| site.down) || now.is_cut(self.network.origin(to, port), to)
    }

    /// A place is down, and may restart.
    fn go_down(&self, next: &mut Configuration<P::Processor>, place: Place) {
        next.monitor.crash(place);
        let newborn = self.newborn(place);
        let site = next.sites[place as usize].as_mut().expect("it may restart");
        site.processor = site.processor.restart(&self.protocol, newborn);
        (site.down, site.asleep, site.user) = (true, false, User::Out);
        site.timers.clear();
    }

    /// Restarts, cuts, and ends of cuts.
    fn outages(&self, now: &Configuration<P::Processor>) -> Vec<(Configuration<P::Processor>, u64)> {
        let mut transitions = Vec::new();
        for place in (0..self.scenario.n as Place).filter(|_| now.faults[3] > 0) {
            let mut before = now.clone();
            before.faults[3] -= 1;
            if before.sites[place as usize].as_ref().is_some_and(|site| !site.down) {
                self.go_down(&mut before, place);
            }
            let site = before.sites[place as usize].as_mut().expect("it may restart");
            site.down = false;
            before.monitor.restart(place, site.visits);
            transitions.extend(self.taken(&before, place, &Event::Wake));
        }
        for one in 0..self.scenario.n as Place {
            for to in (0..self.network.ports(one)).map(|port| self.network.route(one, Port(port)).0) {
                let (pair, mut next) = ((one.min(to), one.max(to)), now.clone());
                if now.cut.contains(&pair) {
                    next.cut.remove(&pair);
                } else if now.faults[4] > 0 {
                    next.faults[4] -= 1;
                    next.cut.insert(pair);
                } else {
                    continue;
                }
                transitions.push((next, 0));
            }
        }
        transitions
    }

    fn failures(&self, now: &Configuration<P::Processor>) -> Vec<(Configuration<P::Processor>, u64)> {
        let mut transitions = Vec::new();
        let [crashes, losses, duplicates, ..] = now.faults;
        let may_restart = self.scenario.faults.at_most.restarts > 0;
        if crashes > 0 {
            let up = |place: &Place| now.sites[*place as usize].as_ref().is_some_and(|site| !site.down);
            for place in (0..self.scenario.n as Place).filter(up) {
                let mut next = now.clone();
                next.faults[0] -= 1;
                if may_restart {
                    self.go_down(&mut next, place);
                    transitions.push((next, 0));
                    continue;
                }
                next.sites[place as usize] = None;
                next.monitor.crash(place);
                for queue in next.in_flight.values_mut() {
                    let before = queue.len();
                    queue.retain(|(to, _, _)| *to != place);
                    for _ in queue.len()..before {
                        next.monitor.lost();
                    }
                }
                next.in_flight.retain(|_, queue| !queue.is_empty());
                next.in_flight.values_mut().for_each(|queue| put_in_order(self.scenario.links, queue));
                transitions.push((next, 0));
            }
        }
        for (link, queue) in &now.in_flight {
            for index in deliverable(self.scenario.links, queue) {
                let (to, port, _) = queue[index];
                if losses > 0 && !self.is_dead_end(now, to, port) {
                    let mut next = now.clone();
                    next.faults[1] -= 1;
                    self.remove(&mut next, *link, index);
                    next.monitor.lost();
                    transitions.push((next, 0));
                }
                if duplicates > 0 {
                    let mut next = now.clone();
                    next.faults[2] -= 1;
                    let queue = next.in_flight.get_mut(link).expect("it was just seen");
                    queue.insert(index, queue[index].clone());
                    put_in_order(self.scenario.links, queue);
                    next.monitor.duplicated();
                    transitions.push((next, 1));
                }
            }
        }
        for (next, _) in &mut transitions {
            next.monitor.settle();
            next.monitor.forget();
        }
        transitions.extend(self.outages(now));
        transitions
    }

    /// The least live round becomes the first, and earlier ones become round 0.
    fn without_rounds(&self, mut now: Configuration<P::Processor>) -> Configuration<P::Processor> {
        let rounds = now.sites.iter().flatten().filter_map(|site| site.processor.live_round(&self.protocol));
        let before = rounds.min().map_or(u32::MAX, |first| first.saturating_sub(1));
        for site in now.sites.iter_mut().flatten() {
            site.processor.rebase(&self.protocol, before);
        }
        for (_, _, message) in now.in_flight.values_mut().flatten() {
            message.rebase(before);
        }
        now.in_flight.values_mut().for_each(|queue| put_in_order(self.scenario.links, queue));
        now
    }

    /// A message is no longer in flight.
    fn remove(&self, now: &mut Configuration<P::Processor>, link: LinkKey, index: usize) {
        let queue = now.in_flight.get_mut(&link).expect("something is on its way");
        queue.remove(index).expect("it was counted");
        put_in_order(self.scenario.links, queue);
        if queue.is_empty() {
            now.in_flight.remove(&link);
        }
    }

    /// The link of a port: its key, its receiver, and the receiver's port.
    fn link(&self, place: Place, port: Port) -> (LinkKey, Place, Port) {
        let (to, entry) = self.network.route(place, port);
        let entry = P::Network::port(entry);
        let link = match self.scenario.links {
            Links::Half | Links::HalfPhase => (self.network.link(place, port), None),
            Links::Fifo | Links::Any => (to.into(), Some(entry.0)),
        };
        (link, to, entry)
    }
}

impl<P: Processor> Configuration<P> {
    fn is_cut(&self, one: Place, other: Place) -> bool {
        self.cut.contains(&(one.min(other), one.max(other)))
    }
}

/// Where a message goes, by which port, and what it is.
type Sent<M> = (Place, Port, M);

/// Whether two messages that are half-duplex in their phase only cannot be on a link together.
fn meet<M: Message>(one: &Sent<M>, other: &Sent<M>) -> bool {
    (one.0, one.1) != (other.0, other.1) && one.2.phase().is_some() && one.2.phase() == other.2.phase()
}

/// How many messages have to be delivered one after the other before each, by the definition.
fn levels<M: Message>(queue: &VecDeque<Sent<M>>) -> Vec<usize> {
    let mut levels: Vec<usize> = Vec::new();
    for (index, sent) in queue.iter().enumerate() {
        let before = (0..index).filter(|&other| {
            let other = &queue[other];
            (other.0, other.1) == (sent.0, sent.1) || meet(other, sent)
        });
        levels.push(before.map(|other| levels[other] + 1).max().unwrap_or(0));
    }
    levels
}

/// The messages of a link that can be delivered next.
fn deliverable<M: Message>(links: Links, queue: &VecDeque<Sent<M>>) -> Vec<usize> {
    match links {
        Links::Fifo | Links::Half => (0..queue.len().min(1)).collect(),
        Links::Any => (0..queue.len()).collect(),
        Links::HalfPhase => {
            let levels = levels(queue);
            (0..queue.len()).filter(|&index| levels[index] == 0).collect()
        }
    }
}

/// Contents of a link that behave alike are equal.
fn put_in_order<M: Message>(links: Links, queue: &mut VecDeque<Sent<M>>) {
    match links {
        Links::Fifo | Links::Half => {}
        Links::Any => queue.make_contiguous().sort(),
        Links::HalfPhase => {
            let mut ranked: Vec<_> = levels(queue).into_iter().zip(queue.drain(..)).collect();
            ranked.sort_by_key(|(level, (to, port, _))| (*level, *to, *port));
            queue.extend(ranked.into_iter().map(|(_, sent)| sent));
        }
    }
}

/// Whether a message would wait at its sender.
fn must_wait<M: Message>(links: Links, mut queue: VecDeque<Sent<M>>, sent: &Sent<M>) -> bool {
    queue.push_back(sent.clone());
    let last = queue.len() - 1;
    match links {
        Links::Fifo | Links::Any => false,
        Links::Half => last > 0,
        Links::HalfPhase => {
            let own = (0..=last).filter(|&index| (queue[index].0, queue[index].1) == (sent.0, sent.1));
            own.into_iter().any(|index| (0..index).any(|other| meet(&queue[other], &queue[index])))
        }
    }
}

fn changed<P: Processor>(now: &Configuration<P>, place: Place, change: impl Fn(&mut Site<P>)) -> Configuration<P> {
    let mut before = now.clone();
    change(before.sites[place as usize].as_mut().expect("it has not crashed"));
    before
}

/// The visited set, by hash.
pub(crate) struct Seen<T> {
    by_hash: BTreeMap<u64, Vec<(T, usize)>>,
    pub(crate) count: usize,
}

impl<T> Default for Seen<T> {
    fn default() -> Self {
        Self { by_hash: BTreeMap::new(), count: 0 }
    }
}

impl<T: Clone + Eq + Hash> Seen<T> {
    /// Its index, and whether it is new.
    pub(crate) fn insert(&mut self, one: &T) -> (usize, bool) {
        let mut hash = TraceHash::new();
        hash.add(one);
        let alike = self.by_hash.entry(hash.get()).or_default();
        if let Some((_, index)) = alike.iter().find(|(other, _)| other == one) {
            return (*index, false);
        }
        alike.push((one.clone(), self.count));
        self.count += 1;
        (self.count - 1, true)
    }
}

/// The effects of one step whose choices are given; the first that is not stays open.
struct NaiveEffects<P: Processor> {
    sends: Vec<(Port, P::Message)>,
    reports: Vec<Report<P>>,
    timers: BTreeSet<P::Timer>,
    script: Vec<u32>,
    drawn: usize,
    open: Option<u32>,
}

impl<P: Processor> Effects<P> for NaiveEffects<P> {
    fn send(&mut self, port: Port, message: P::Message) {
        self.sends.push((port, message));
    }

    fn set_timer(&mut self, timer: P::Timer, after: Ticks) {
        if after == Ticks::NEVER {
            self.timers.remove(&timer);
        } else {
            self.timers.insert(timer);
        }
    }

    fn cancel_timer(&mut self, timer: P::Timer) {
        self.timers.remove(&timer);
    }

    fn choose(&mut self, bound: u32) -> u32 {
        self.drawn += 1;
        match self.script.get(self.drawn - 1) {
            Some(&choice) => choice,
            None => {
                self.open.get_or_insert(bound);
                0
            }
        }
    }

    fn report(&mut self, report: Report<P>) {
        self.reports.push(report);
    }

    fn elapsed(&mut self) -> Option<Ticks> {
        None
    }
}
