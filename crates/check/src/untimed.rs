//! Configurations of a protocol without clocks: everything that can happen may happen next.

use std::sync::Arc;

use ringleader_model::{
    BadSetting, Event, Happening, Links, Monitor, Network, Place, Port, Problem, Processor, Protocol, Report, Scenario,
};

use crate::answer::Wakers;
use crate::interner::{Interner, Map, Number};
use crate::probability::{Measure, label};
use crate::queues::{EMPTY, Queues};
use crate::space::{Space, Standing, Ways};
use crate::step::Local;

type MessageOf<P> = <<P as Protocol>::Processor as Processor>::Message;
type MonitorOf<P> = <<<P as Protocol>::Processor as Processor>::Problem as Problem>::Monitor;

/// What can happen to a processor, its message or timer named by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Trigger {
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
    /// The choices fall like this once in so many times.
    odds: u32,
}

/// The number of no reports.
const SILENT: Number = 0;

/// All configurations of a protocol in a scenario, reached or not. Of the scenario only who is there and what its links do
/// matters: everybody may wake at any moment, and so may everything else happen.
///
/// A row has a number for each processor, then one for each link direction, then one for the monitor.
pub(crate) struct Untimed<P: Protocol> {
    protocol: Arc<P>,
    network: Arc<P::Network>,
    n: usize,
    arcs: usize,
    locals: Interner<Local<P::Processor>>,
    messages: Interner<MessageOf<P>>,
    queues: Queues,
    monitors: Interner<MonitorOf<P>>,
    standings: Vec<Option<Standing>>,
    reports: Interner<Vec<Report<P::Processor>>>,
    effects: Vec<Effect>,
    sends: Vec<(Port, Number)>,
    /// By processor and trigger: where its effects lie.
    steps: Map<(Number, Trigger), (u32, u32)>,
    /// By monitor, place and reports: the monitor after them.
    told: Map<(Number, Place, Number), Number>,
    beginning: Vec<Number>,
    /// What the ways are that are asked for, if somebody wants to know: place, trigger and which outcome.
    record: Option<Vec<(Place, Trigger, u32)>>,
}

impl<P: Protocol> Untimed<P> {
    /// The configurations of a protocol that was configured for this scenario.
    pub(crate) fn new(protocol: P, scenario: &Scenario, wakers: &Wakers) -> Result<Self, BadSetting> {
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
        let mut space = Self {
            protocol: Arc::new(protocol),
            network: Arc::new(network),
            n,
            arcs,
            locals: Interner::new(),
            messages: Interner::new(),
            queues: Queues::new(scenario.links != Links::Any),
            monitors: Interner::new(),
            standings: Vec::new(),
            reports: Interner::new(),
            effects: Vec::new(),
            sends: Vec::new(),
            steps: Map::default(),
            told: Map::default(),
            beginning: Vec::new(),
            record: None,
        };
        assert_eq!(space.reports.number(Vec::new()), SILENT);
        for place in 0..n as Place {
            let processor = space.protocol.processor(space.protocol.seat(scenario, place));
            let asleep = match wakers {
                Wakers::Anybody => true,
                Wakers::These(places) => places.contains(&place),
            };
            let local = space.locals.number(Local { processor, asleep, timers: Vec::new() });
            space.beginning.push(local);
        }
        space.beginning.resize(n + arcs, EMPTY);
        let monitor = space.monitors.number(Monitor::new(scenario));
        space.beginning.push(monitor);
        Ok(space)
    }

    /// Adds the ways that begin with an event of a processor. `taken`: what it takes from a link.
    fn go(
        &mut self,
        (row, fingerprint): (&[Number], u64),
        place: Place,
        trigger: Trigger,
        taken: Option<(u32, Number)>,
        ways: &mut Ways,
    ) {
        let event = ways.list.last().map_or(0, |way| way.event + 1);
        let (from, to) = self.effects_of(row[place as usize], trigger);
        for index in from..to {
            let Effect { local, sends: (first, last), reports, odds } = self.effects[index as usize];
            if let Some((at, left)) = taken {
                ways.change(at, left);
            }
            if local != row[place as usize] {
                ways.change(place, local);
            }
            for send in first..last {
                let (port, message) = self.sends[send as usize];
                let arc = self.network.arc(place, port).expect("it was numbered");
                let at = (self.n + arc) as u32;
                let before = ways.changed(at).unwrap_or(row[at as usize]);
                ways.change(at, self.queues.push(before, message));
            }
            if reports != SILENT {
                let at = (self.n + self.arcs) as u32;
                ways.change(at, self.tell(row[at as usize], place, reports));
            }
            ways.end(row, fingerprint, (event, odds), last - first, trigger == Trigger::Wake);
            if let Some(record) = &mut self.record {
                record.push((place, trigger, index - from));
            }
        }
    }

    fn event(&mut self, local: Number, trigger: Trigger) -> Event<P::Processor> {
        match trigger {
            Trigger::Wake => Event::Wake,
            Trigger::Receive { port, message } => Event::Receive(Port(port), self.messages.get(message).clone()),
            Trigger::Timeout(index) => Event::Timeout(self.locals.get(local).timers[index as usize].clone()),
        }
    }

    /// The effects of a trigger, worked out when it is first asked for.
    fn effects_of(&mut self, local: Number, trigger: Trigger) -> (u32, u32) {
        if let Some(&found) = self.steps.get(&(local, trigger)) {
            return found;
        }
        let event = self.event(local, trigger);
        let outcomes = self.locals.get(local).outcomes(&self.protocol, &event);
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
                odds: outcome.choices.iter().map(|&(_, bound)| bound).product(),
            };
            self.effects.push(effect);
        }
        let found = (from, self.effects.len() as u32);
        self.steps.insert((local, trigger), found);
        found
    }

    /// The highest phase of any processor.
    fn phase(&mut self, row: &[Number]) -> u32 {
        row[..self.n].iter().map(|&local| self.locals.get(local).processor.phase()).max().unwrap_or(0)
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
        after.forget();
        let found = self.monitors.number(after);
        self.told.insert((monitor, place, reports), found);
        found
    }
}

impl<P: Protocol> Space for Untimed<P> {
    type Happening = Happening<P::Processor>;

    fn another(&self) -> Self {
        Self {
            protocol: Arc::clone(&self.protocol),
            network: Arc::clone(&self.network),
            n: self.n,
            arcs: self.arcs,
            locals: self.locals.clone(),
            messages: self.messages.clone(),
            queues: self.queues.clone(),
            monitors: self.monitors.clone(),
            standings: Vec::new(),
            reports: self.reports.clone(),
            effects: Vec::new(),
            sends: Vec::new(),
            steps: Map::default(),
            told: Map::default(),
            beginning: self.beginning.clone(),
            record: None,
        }
    }

    fn beginnings(&self) -> Vec<Vec<Number>> {
        vec![self.beginning.clone()]
    }

    fn ways(&mut self, row: &[Number], fingerprint: u64, ways: &mut Ways) {
        ways.clear();
        for place in 0..self.n as Place {
            let local = self.locals.get(row[place as usize]);
            let (asleep, timers) = (local.asleep, local.timers.len() as u32);
            for index in 0..timers {
                self.go((row, fingerprint), place, Trigger::Timeout(index), None, ways);
            }
            if asleep {
                self.go((row, fingerprint), place, Trigger::Wake, None, ways);
            }
            for port in (0..self.network.ports()).map(Port) {
                let Some(arc) = self.network.arc(place, port) else { continue };
                let at = (self.n + arc) as u32;
                let queue = row[at as usize];
                if queue == EMPTY {
                    continue;
                }
                let (to, entry) = self.network.route(place, port);
                let port = P::Network::port(entry).0;
                for index in 0..self.queues.next(queue).len() {
                    let (message, left) = self.queues.next(queue)[index];
                    self.go((row, fingerprint), to, Trigger::Receive { port, message }, Some((at, left)), ways);
                }
            }
        }
    }

    fn standing(&mut self, row: &[Number]) -> Standing {
        let monitor = row[self.n + self.arcs];
        let index = monitor as usize;
        if self.standings.len() <= index {
            self.standings.resize(index + 1, None);
        }
        *self.standings[index].get_or_insert_with(|| {
            let monitor = self.monitors.get(monitor);
            Standing { violated: !monitor.violations().is_empty(), waiting: monitor.waiting() }
        })
    }

    fn owed(&mut self, row: &[Number], owed: &mut Vec<u32>) {
        owed.clear();
        owed.extend((self.n..self.n + self.arcs).filter(|&at| row[at] != EMPTY).map(|at| at as u32));
    }

    fn happening(&mut self, row: &[Number], way: usize) -> Self::Happening {
        self.record = Some(Vec::new());
        self.ways(row, 0, &mut Ways::default());
        let (place, trigger, outcome) = self.record.take().expect("it was just asked for")[way];
        let local = row[place as usize];
        let event = self.event(local, trigger);
        let outcomes = self.locals.get(local).outcomes(&self.protocol, &event);
        let chosen = outcomes[outcome as usize].choices.iter().map(|&(choice, _)| choice).collect();
        Happening::Step { place, event, chosen }
    }

    fn complaint(&mut self, row: &[Number]) -> String {
        let monitor = self.monitors.get(row[self.n + self.arcs]);
        match monitor.violations() {
            [] => monitor.missing(),
            violations => {
                let words = violations.iter().map(|violation| format!("{}: {}", violation.property, violation.detail));
                words.collect::<Vec<_>>().join("; ")
            }
        }
    }

    fn label(&mut self, row: &[Number]) -> String {
        label(self.monitors.get(row[self.n + self.arcs]))
    }

    fn growth(&mut self, row: &[Number], ways: &Ways, growth: &mut Vec<u32>) {
        let before = self.phase(row);
        growth.clear();
        for way in 0..ways.list.len() {
            let mut row = row.to_vec();
            ways.go(way, &mut row);
            growth.push(self.phase(&row) - before);
        }
    }

    fn measures(&self) -> Vec<Measure> {
        if P::Processor::PHASED { vec![Measure::Phases, Measure::Messages] } else { vec![Measure::Messages] }
    }
}
