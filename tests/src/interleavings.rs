//! Every interleaving of a small election without timers: wakes and arrivals in any order. Plain breadth-first search over
//! whole configurations, for protocols that need no clock.

use std::collections::{BTreeMap, VecDeque};
use std::hash::Hash;

use ringleader::model::{
    Effects, Election, ElectionMonitor, ElectionReport, Event, Id, Links, Monitor, Network, NoTimer, Place, Port,
    Processor, Protocol, Scenario, Seat, Settings, Ticks, TraceHash, Violation,
};
use ringleader::sim::Resolved;

/// What was found in all interleavings of a scenario, whose own wake times do not matter.
#[derive(Debug, Default)]
pub struct Found {
    /// Configurations.
    pub states: usize,
    /// Those in which something is violated; it is not gone on from there.
    pub violated: Vec<Violation>,
    /// Those in which somebody has woken and nothing is in flight.
    pub silent: usize,
    /// Of these, those in which somebody knows no leader.
    pub unfinished: usize,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Configuration<P: Processor> {
    processors: Vec<P>,
    /// Who has not woken by itself.
    waiting: Vec<bool>,
    /// By receiver and port, in the order in which they were sent; sorted where messages may overtake each other.
    flights: BTreeMap<(Place, Port), VecDeque<P::Message>>,
    monitor: ElectionMonitor,
}

/// Takes every step that is possible, in every order.
pub fn explore<P>(settings: &[(&str, &str)], scenario: &Scenario) -> Found
where
    P: Protocol,
    P::Processor: Processor<Problem = Election, Timer = NoTimer>,
{
    let settings: Vec<_> = settings.iter().map(|(key, value)| ((*key).to_string(), (*value).to_string())).collect();
    let settings = Settings::new(P::DESCRIPTION.parameters, &settings).expect("the settings are allowed");
    let protocol =
        P::configure(&settings, &Resolved::new(scenario).instance(scenario)).expect("they suit the scenario");
    let network = P::Network::new(scenario);
    let seat = |&id: &u64| protocol.processor(Seat { id: Some(Id::new(id)), role: 0 });
    let first = Configuration {
        processors: scenario.ids.iter().map(seat).collect(),
        waiting: vec![true; scenario.n],
        flights: BTreeMap::new(),
        monitor: ElectionMonitor::new(scenario),
    };
    let taken = |mut next: Configuration<P::Processor>, place: Place, event| {
        let mut step = Step { sends: Vec::new(), reports: Vec::new() };
        next.processors[place as usize].step(&protocol, event, &mut step);
        for (port, message) in step.sends {
            let (to, entry) = network.route(place, port);
            let queue = next.flights.entry((to, P::Network::port(entry))).or_default();
            queue.push_back(message);
            if scenario.links == Links::Any {
                queue.make_contiguous().sort();
            }
        }
        for report in step.reports {
            next.monitor.observe(place, report);
        }
        next
    };
    let mut found = Found::default();
    let mut seen = Seen::default();
    seen.insert(&first);
    let mut open = VecDeque::from([first]);
    while let Some(now) = open.pop_front() {
        if !now.monitor.violations().is_empty() {
            found.violated.extend_from_slice(now.monitor.violations());
            continue;
        }
        if now.flights.is_empty() && now.waiting.contains(&false) {
            found.silent += 1;
            found.unfinished += usize::from(!now.monitor.finished());
        }
        let mut following = Vec::new();
        for place in (0..scenario.n).filter(|&place| now.waiting[place]) {
            let mut next = now.clone();
            next.waiting[place] = false;
            following.push(taken(next, place as Place, Event::Wake));
        }
        for (&(to, port), queue) in &now.flights {
            for index in 0..if scenario.links == Links::Any { queue.len() } else { 1 } {
                let mut next = now.clone();
                let queue = next.flights.get_mut(&(to, port)).expect("it was just seen");
                let message = queue.remove(index).expect("it was counted");
                if queue.is_empty() {
                    next.flights.remove(&(to, port));
                }
                following.push(taken(next, to, Event::Receive(port, message)));
            }
        }
        open.extend(following.into_iter().filter(|next| seen.insert(next)));
    }
    found.states = seen.count();
    found
}

/// What was seen, by its hash.
pub(crate) struct Seen<T>(BTreeMap<u64, Vec<T>>);

impl<T> Default for Seen<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T: Clone + Eq + Hash> Seen<T> {
    /// Whether it is new.
    pub(crate) fn insert(&mut self, one: &T) -> bool {
        let mut hash = TraceHash::new();
        hash.add(one);
        let alike = self.0.entry(hash.get()).or_default();
        let new = !alike.contains(one);
        if new {
            alike.push(one.clone());
        }
        new
    }

    pub(crate) fn count(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }
}

/// The effects of one step.
struct Step<M> {
    sends: Vec<(Port, M)>,
    reports: Vec<ElectionReport>,
}

impl<P: Processor<Problem = Election, Timer = NoTimer>> Effects<P> for Step<P::Message> {
    fn send(&mut self, port: Port, message: P::Message) {
        self.sends.push((port, message));
    }

    fn set_timer(&mut self, timer: NoTimer, _: Ticks) {
        match timer {}
    }

    fn cancel_timer(&mut self, timer: NoTimer) {
        match timer {}
    }

    fn choose(&mut self, _: u32) -> u32 {
        unreachable!("only protocols that leave nothing to chance are explored")
    }

    fn report(&mut self, report: ElectionReport) {
        self.reports.push(report);
    }

    fn elapsed(&mut self) -> Option<Ticks> {
        None
    }
}
