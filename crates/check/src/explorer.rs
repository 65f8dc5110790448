//! Configurations as rows of numbers, and the steps between them.

use ringleader_model::{
    BadSetting, Event, Links, Monitor, Network, Place, Port, Problem, Processor, Protocol, Report, Scenario, mix,
};

use crate::interner::{Interner, Map, Number};
use crate::queues::{EMPTY, Queues};
use crate::step::Local;

type MessageOf<P> = <<P as Protocol>::Processor as Processor>::Message;
type MonitorOf<P> = <<<P as Protocol>::Processor as Processor>::Problem as Problem>::Monitor;

/// What can happen to a processor, its message or timer named by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Trigger {
    Wake,
    Receive {
        port: u32,
        message: Number,
    },
    /// The timer of this index among those pending.
    Timeout(u32),
}

/// A step as it is looked up: the processor's next state, what it sends, and what it reports, by number.
#[derive(Clone, Copy)]
struct Effect {
    local: Number,
    /// Where its sends lie among all of them.
    sends: (u32, u32),
    /// The number of its reports; [`SILENT`] if there are none.
    reports: Number,
}

/// The number of no reports.
const SILENT: Number = 0;

/// What a monitor says, looked up.
#[derive(Clone, Copy)]
struct Said {
    violated: bool,
    finished: bool,
}

/// A way to go on from a configuration.
pub(crate) struct Way {
    pub(crate) place: Place,
    pub(crate) trigger: Trigger,
    /// What changes: where, and to what.
    pub(crate) changes: Vec<(u32, Number)>,
    pub(crate) fingerprint: u64,
    pub(crate) sent: u32,
}

impl Way {
    /// Goes this way.
    pub(crate) fn take(&self, configuration: &mut [Number]) {
        for &(at, number) in &self.changes {
            configuration[at as usize] = number;
        }
    }
}

/// All configurations of a protocol in a scenario, reached or not. Of the scenario only who is there and what its links do
/// matters: everybody may wake at any moment, and so may everything else happen.
pub struct Explorer<P: Protocol> {
    protocol: P,
    network: P::Network,
    n: usize,
    arcs: usize,
    locals: Interner<Local<P::Processor>>,
    messages: Interner<MessageOf<P>>,
    queues: Queues,
    monitors: Interner<MonitorOf<P>>,
    said: Vec<Said>,
    reports: Interner<Vec<Report<P::Processor>>>,
    effects: Vec<Effect>,
    sends: Vec<(Port, Number)>,
    /// By processor and trigger: where its effects lie.
    steps: Map<(Number, Trigger), (u32, u32)>,
    /// By monitor, place and reports: the monitor after them.
    told: Map<(Number, Place, Number), Number>,
    first: Vec<Number>,
    /// Its fingerprint.
    pub(crate) beginning: u64,
}

impl<P: Protocol> Explorer<P> {
    /// The configurations of a protocol that was configured for this scenario.
    pub fn new(protocol: P, scenario: &Scenario) -> Result<Self, BadSetting> {
        if scenario.links == Links::Half {
            return Err(BadSetting::new("links", "are half", "fifo or any"));
        }
        if scenario.workload.is_some() {
            return Err(BadSetting::new("entries", "are asked for", "no workload: users that ask are not explored"));
        }
        let n = scenario.n;
        let network = P::Network::new(scenario);
        let ports = network.ports();
        let mut arcs = 0;
        for (place, port) in (0..n as Place).flat_map(|place| (0..ports).map(move |port| (place, Port(port)))) {
            let too_many = || BadSetting::new("n", format!("is {n}"), "a network small enough to number its links");
            arcs = arcs.max(network.arc(place, port).ok_or_else(too_many)? + 1);
        }
        let mut explorer = Self {
            network,
            n,
            arcs,
            locals: Interner::new(),
            messages: Interner::new(),
            queues: Queues::new(scenario.links != Links::Any),
            monitors: Interner::new(),
            said: Vec::new(),
            reports: Interner::new(),
            effects: Vec::new(),
            sends: Vec::new(),
            steps: Map::default(),
            told: Map::default(),
            first: Vec::new(),
            beginning: 0,
            protocol,
        };
        assert_eq!(explorer.reports.number(Vec::new()), SILENT);
        for place in 0..n as Place {
            let processor = explorer.protocol.processor(explorer.protocol.seat(scenario, place));
            let local = explorer.locals.number(Local { processor, asleep: true, timers: Vec::new() });
            explorer.first.push(local);
        }
        explorer.first.resize(n + arcs, EMPTY);
        let monitor = explorer.monitor(Monitor::new(scenario));
        explorer.first.push(monitor);
        explorer.beginning = Self::fingerprint(&explorer.first);
        Ok(explorer)
    }

    /// Where everybody is still asleep.
    pub(crate) fn first(&self) -> Vec<Number> {
        self.first.clone()
    }

    /// The fingerprint of a configuration: a sum over its numbers, so that few changes change it quickly.
    fn fingerprint(configuration: &[Number]) -> u64 {
        configuration.iter().enumerate().map(|(at, &number)| part(at as u32, number)).fold(0, u64::wrapping_add)
    }

    /// Whether something is violated in a configuration.
    pub(crate) fn is_violated(&self, configuration: &[Number]) -> bool {
        self.said[configuration[self.n + self.arcs] as usize].violated
    }

    /// Whether all that was asked for has been done.
    pub(crate) fn is_finished(&self, configuration: &[Number]) -> bool {
        self.said[configuration[self.n + self.arcs] as usize].finished
    }

    /// What is violated, in words.
    pub(crate) fn violations(&self, configuration: &[Number]) -> Vec<ringleader_model::Violation> {
        self.monitors.get(configuration[self.n + self.arcs]).violations().to_vec()
    }

    /// The event of a way, in words.
    pub(crate) fn words(&self, configuration: &[Number], way: &Way) -> String {
        match way.trigger {
            Trigger::Wake => "wakes".to_string(),
            Trigger::Receive { port, message } => {
                format!("receives {:?} by port {port}", self.messages.get(message))
            }
            Trigger::Timeout(index) => {
                let local = self.locals.get(configuration[way.place as usize]);
                format!("timer {:?} runs off", local.timers[index as usize])
            }
        }
    }

    /// Every way to go on from a configuration. `quiet`: nothing can happen but that somebody wakes.
    pub(crate) fn ways(&mut self, configuration: &[Number], fingerprint: u64, ways: &mut Vec<Way>) -> bool {
        ways.clear();
        for place in 0..self.n as Place {
            let local = self.locals.get(configuration[place as usize]);
            let (asleep, timers) = (local.asleep, local.timers.len() as u32);
            for index in 0..timers {
                self.go(configuration, fingerprint, place, Trigger::Timeout(index), None, ways);
            }
            if asleep {
                self.go(configuration, fingerprint, place, Trigger::Wake, None, ways);
            }
            for port in (0..self.network.ports()).map(Port) {
                let Some(arc) = self.network.arc(place, port) else { continue };
                let at = (self.n + arc) as u32;
                let row = configuration[at as usize];
                if row == EMPTY {
                    continue;
                }
                let (to, entry) = self.network.route(place, port);
                let port = P::Network::port(entry).0;
                for index in 0..self.queues.next(row).len() {
                    let (message, left) = self.queues.next(row)[index];
                    self.go(configuration, fingerprint, to, Trigger::Receive { port, message }, Some((at, left)), ways);
                }
            }
        }
        ways.iter().all(|way| way.trigger == Trigger::Wake)
    }

    /// Adds the ways that begin with an event of a processor.
    fn go(
        &mut self,
        configuration: &[Number],
        fingerprint: u64,
        place: Place,
        trigger: Trigger,
        taken: Option<(u32, Number)>,
        ways: &mut Vec<Way>,
    ) {
        let (from, to) = self.effects_of(configuration[place as usize], trigger);
        for index in from..to {
            let Effect { local, sends: (first, last), reports } = self.effects[index as usize];
            let mut changes: Vec<(u32, Number)> = Vec::with_capacity(3);
            changes.extend(taken);
            if local != configuration[place as usize] {
                changes.push((place, local));
            }
            for send in first..last {
                let (port, message) = self.sends[send as usize];
                let arc = self.network.arc(place, port).expect("it was numbered");
                let at = (self.n + arc) as u32;
                let before = changes.iter().position(|(other, _)| *other == at);
                let row = before.map_or(configuration[at as usize], |index| changes[index].1);
                let row = self.queues.push(row, message);
                match before {
                    Some(index) => changes[index].1 = row,
                    None => changes.push((at, row)),
                }
            }
            if reports != SILENT {
                let at = (self.n + self.arcs) as u32;
                let monitor = self.tell(configuration[at as usize], place, reports);
                changes.push((at, monitor));
            }
            let mut after = fingerprint;
            for &(at, number) in &changes {
                after = after.wrapping_sub(part(at, configuration[at as usize])).wrapping_add(part(at, number));
            }
            ways.push(Way { place, trigger, changes, fingerprint: after, sent: last - first });
        }
    }

    /// The effects of a trigger, worked out when it is first asked for.
    fn effects_of(&mut self, local: Number, trigger: Trigger) -> (u32, u32) {
        if let Some(&found) = self.steps.get(&(local, trigger)) {
            return found;
        }
        let before = self.locals.get(local);
        let event = match trigger {
            Trigger::Wake => Event::Wake,
            Trigger::Receive { port, message } => Event::Receive(Port(port), self.messages.get(message).clone()),
            Trigger::Timeout(index) => Event::Timeout(before.timers[index as usize].clone()),
        };
        let outcomes = before.outcomes(&self.protocol, &event);
        let from = self.effects.len() as u32;
        for outcome in outcomes {
            let first = self.sends.len() as u32;
            for (port, message) in outcome.sends {
                let message = self.messages.number(message);
                self.sends.push((port, message));
            }
            let effect = Effect {
                local: self.locals.number(outcome.local),
                sends: (first, self.sends.len() as u32),
                reports: self.reports.number(outcome.reports),
            };
            self.effects.push(effect);
        }
        let found = (from, self.effects.len() as u32);
        self.steps.insert((local, trigger), found);
        found
    }

    fn tell(&mut self, monitor: Number, place: Place, reports: Number) -> Number {
        if let Some(&found) = self.told.get(&(monitor, place, reports)) {
            return found;
        }
        let mut after = self.monitors.get(monitor).clone();
        for report in self.reports.get(reports) {
            after.observe(place, report.clone());
        }
        after.settle();
        let found = self.monitor(after);
        self.told.insert((monitor, place, reports), found);
        found
    }

    fn monitor(&mut self, monitor: MonitorOf<P>) -> Number {
        let said = Said { violated: !monitor.violations().is_empty(), finished: monitor.finished() };
        let number = self.monitors.number(monitor);
        if number as usize == self.said.len() {
            self.said.push(said);
        }
        number
    }
}

/// What a number at a place of the row adds to the fingerprint: a bijection of the two that scrambles all bits.
fn part(at: u32, number: Number) -> u64 {
    mix((u64::from(at) << 32 | u64::from(number)).wrapping_add(0x9E37_79B9_7F4A_7C15))
}
