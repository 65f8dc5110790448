//! Configurations of a protocol without clocks: everything that can happen may happen next.

use ringleader_model::{
    BadSetting, Event, Faults, Happening, Links, Monitor, Place, Port, Problem, Processor, Protocol, Scenario,
};

use crate::answer::Wakers;
use crate::effects::{CRASHED, Effect, Effects, SILENT, Trigger};
use crate::faults::Budget;
use crate::interner::{Interner, Number};
use crate::memo::Memo;
use crate::queues::{EMPTY, Queues};
use crate::roads::{In, Roads};
use crate::space::{Space, Standing, Ways};
use crate::step::{After, Local, Stands, User, Wish};

pub(crate) type MonitorOf<P> = <<<P as Protocol>::Processor as Processor>::Problem as Problem>::Monitor;

/// All configurations of a protocol in a scenario, reached or not. Of the scenario only who is there, what users ask, what
/// links do and what may fail matters: everybody may wake at any moment, and so may everything else happen.
///
/// A row has a number for each processor, then one for each link direction (for each link where links are half-duplex), then
/// one for the monitor, and, where something may fail, one for how much still may.
///
/// *Half-duplex links*: what both ends send stands in one queue, in the order in which it was offered; its head is on the
/// link. A timer whose step would send on a link that is not free does not run off now.
///
/// *Faults*: who crashes is gone with its timers, its user and all that is on its way to it; what is sent to it later is lost
/// at once, since nobody can tell when it is. Only what could come in next can be lost or doubled.
pub(crate) struct Untimed<P: Protocol> {
    effects: Effects<P>,
    queues: Queues,
    roads: Roads,
    monitors: Interner<MonitorOf<P>>,
    standings: Vec<Option<Standing>>,
    /// By reports, and place and losses: the number of all three.
    sayings: Memo,
    said: Number,
    /// By monitor and what it is told: the monitor after that.
    told: Memo,
    beginning: Vec<Number>,
    n: usize,
    links: Links,
    /// Whoever wakes need not.
    wakes_are_free: bool,
    budget: Option<Budget>,
    /// What the ways are that are asked for, if somebody wants to know.
    record: Option<Vec<Recorded>>,
}

/// What a way is.
#[derive(Clone, Copy)]
enum Recorded {
    /// A step, and which of its outcomes.
    Step(Place, Trigger, u32),
    Crash(Place),
    /// A message that comes in by a port.
    Loss(Place, u32, Number),
    Double(Place, u32, Number),
}

/// A configuration and its fingerprint.
type Here<'a> = (&'a [Number], u64);

/// A message that leaves a link: the link, what is left on it, and what is owed until then.
type Taken = (u32, Number, u32);

impl<P: Protocol> Untimed<P> {
    /// The configurations of a protocol that was configured for this scenario.
    pub(crate) fn new(protocol: P, scenario: &Scenario, wakers: &Wakers) -> Result<Self, BadSetting> {
        let n = scenario.n;
        let at_most = scenario.faults.at_most;
        if scenario.faults != (Faults { at_most, ..Faults::default() }) {
            let allowed = "how many may fail at any moment: crash:K, loss:K, duplicate:K";
            return Err(BadSetting::new("faults", "say when or how often", allowed));
        }
        let roads = Roads::new::<P::Network>(scenario)?;
        let mut space = Self {
            effects: Effects::new(protocol, roads.ports),
            queues: Queues::new(scenario.links != Links::Any),
            roads,
            monitors: Interner::new(),
            standings: Vec::new(),
            sayings: Memo::new(),
            said: 0,
            told: Memo::new(),
            beginning: Vec::new(),
            n,
            links: scenario.links,
            wakes_are_free: *wakers == Wakers::Anybody,
            budget: Budget::new(at_most)?,
            record: None,
        };
        for place in 0..n as Place {
            let local = space.newcomer(scenario, wakers, place);
            space.beginning.push(space.effects.number(local));
        }
        space.beginning.resize(n + space.roads.links, EMPTY);
        let monitor = space.monitors.number(Monitor::new(scenario));
        space.beginning.push(monitor);
        space.beginning.extend(space.budget.as_ref().map(Budget::whole));
        Ok(space)
    }

    /// The processor of a place before anything has happened.
    fn newcomer(&self, scenario: &Scenario, wakers: &Wakers, place: Place) -> Local<P::Processor> {
        let protocol = self.effects.protocol();
        let asleep = match wakers {
            Wakers::Anybody => true,
            Wakers::These(places) => places.contains(&place),
        };
        let user = User {
            visits: scenario.workload.as_ref().map_or(0, |load| load.asks(place)),
            again: scenario.again.iter().filter(|&&(other, _)| other == place).count() as u32,
            stands: Stands::Outside,
        };
        let processor = protocol.processor(protocol.seat(scenario, place));
        let mut local = Local { processor, asleep, timers: Vec::new(), user };
        // Where users ask over and over, sites are there for them: waking is no event unless it does something.
        if scenario.workload.is_some() {
            let awake = Local { asleep: false, ..local.clone() };
            let outcomes = local.outcomes(protocol, &(Event::Wake, None));
            let idle = |after: &After<_>| {
                after.local == awake && after.sends.is_empty() && after.reports.is_empty()
            };
            if outcomes.iter().all(|outcome| idle(&outcome.after)) {
                local = awake;
            }
        }
        local
    }

    /// The monitor's place in a row; how much may still fail comes after it.
    fn monitor_at(&self) -> usize {
        self.n + self.roads.links
    }

    /// Adds the ways that begin with an event of a processor; whether all of them are silent. `taken`: what it takes from a
    /// link.
    #[inline]
    fn go(
        &mut self,
        (row, fingerprint): Here<'_>,
        (place, trigger): (Place, Trigger),
        taken: Option<Taken>,
        (debt, free): (Option<u32>, bool),
        ways: &mut Ways,
    ) -> bool {
        let event = next_event(ways);
        let local = row[place as usize];
        let first = self.effects.of(local, trigger);
        let mut silent = true;
        let mut index = first;
        loop {
            let effect @ Effect { odds, .. } = self.effects.get(index);
            if self.links != Links::Half || !self.is_held_up(row, place, trigger, effect) {
                if let Some((at, left, owed)) = taken {
                    ways.change(at, left);
                    ways.take(owed);
                }
                if let Some(debt) = debt {
                    ways.take(debt);
                }
                silent &= self.apply(row, place, effect, ways);
                ways.end(row, fingerprint, (event, odds), effect.sent(), free);
                if let Some(record) = &mut self.record {
                    record.push(Recorded::Step(place, trigger, index - first));
                }
            }
            if effect.last {
                return silent;
            }
            index += 1;
        }
    }

    /// Whether a timer's step would send on a half-duplex link that is not free.
    fn is_held_up(&self, row: &[Number], place: Place, trigger: Trigger, effect: Effect) -> bool {
        let busy = |&(port, _): &(Port, Number)| row[self.roads.out(place, port).at as usize] != EMPTY;
        matches!(trigger, Trigger::Timeout(_)) && self.effects.sends(effect).iter().any(busy)
    }

    /// The changes of a step; whether it is silent.
    #[inline]
    fn apply(&mut self, row: &[Number], place: Place, effect: Effect, ways: &mut Ways) -> bool {
        if effect.local != row[place as usize] {
            ways.change(place, effect.local);
        }
        let mut lost = 0;
        for index in effect.sends.0..effect.sends.1 {
            let (port, message) = self.effects.send(index);
            let out = self.roads.out(place, port);
            if self.budget.is_some() && row[out.to as usize] == CRASHED {
                lost += 1;
                continue;
            }
            let item = if self.links == Links::Half { 2 * message + out.direction } else { message };
            let before = ways.changed(out.at).unwrap_or(row[out.at as usize]);
            ways.change(out.at, self.queues.push(before, item));
        }
        if effect.reports == SILENT && lost == 0 {
            return true;
        }
        let at = self.monitor_at();
        ways.change(at as u32, self.tell(row[at], place, effect.reports, lost));
        false
    }

    /// The monitor after it was told something from a place, and that so many messages were lost.
    fn tell(&mut self, monitor: Number, place: Place, reports: Number, lost: u32) -> Number {
        let whence = place + self.n as u32 * lost;
        let saying = self.sayings.get(reports, whence).unwrap_or_else(|| {
            self.sayings.insert(reports, whence, self.said);
            self.said += 1;
            self.said - 1
        });
        if let Some(after) = self.told.get(monitor, saying) {
            return after;
        }
        let mut after = self.monitors.get(monitor).clone();
        self.effects.tell(&mut after, place, reports);
        for _ in 0..lost {
            after.lost();
        }
        after.settle();
        after.forget();
        let after = self.monitors.number(after);
        self.told.insert(monitor, saying, after);
        after
    }

    /// Adds the ways that begin at a place: its timers, its waking, its user, then what comes in to it. Whether they are
    /// silent, and whether something comes in by every port.
    fn ways_of(&mut self, here: Here<'_>, place: Place, ways: &mut Ways) -> (bool, bool) {
        let row = here.0;
        let local = row[place as usize];
        let seen = self.effects.look(local);
        let (mut silent, mut full) = (true, true);
        for index in 0..seen.timers {
            let debt = self.timer_debt(place, self.effects.timer(seen, index));
            silent &= self.go(here, (place, Trigger::Timeout(index)), None, (Some(debt), false), ways);
        }
        if seen.asleep {
            let debt = (!self.wakes_are_free).then(|| self.wake_debt(place));
            silent &= self.go(here, (place, Trigger::Wake), None, (debt, self.wakes_are_free), ways);
        }
        if seen.wishes != 0 {
            for wish in Wish::ALL.into_iter().filter(|&wish| seen.wishes & 1 << wish as u8 != 0) {
                let leaves = wish == Wish::Release;
                silent &= self.go(here, (place, Trigger::Call(wish)), None, (leaves.then_some(place), !leaves), ways);
            }
        }
        for index in 0..self.roads.ins(place).len() {
            let In { at, direction, port } = self.roads.ins(place)[index];
            let queue = row[at as usize];
            if queue == EMPTY {
                full = false;
                continue;
            }
            for next in self.queues.next(queue) {
                let (item, left) = self.queues.first(next);
                let Some(message) = self.message(item, direction) else { continue };
                let taken = (at, left, self.message_debt(at, item));
                silent &= self.go(here, (place, Trigger::Receive { port, message }), Some(taken), (None, false), ways);
            }
        }
        (silent, full)
    }

    /// Adds the ways on which something fails: none of them need be gone.
    fn faults(&mut self, here: Here<'_>, ways: &mut Ways) {
        let Some(budget) = self.budget else { return };
        let row = here.0;
        let left = row[self.monitor_at() + 1];
        for place in (0..self.n as Place).filter(|&place| row[place as usize] != CRASHED) {
            if let Some(less) = budget.crash(left) {
                ways.change(place, CRASHED);
                let lost = self.clear(row, place, ways);
                let crash = self.effects.crash();
                self.fail(here, place, (crash, lost, less), 0, ways);
                self.note(Recorded::Crash(place));
            }
            for index in 0..self.roads.ins(place).len() {
                let In { at, direction, port } = self.roads.ins(place)[index];
                for next in self.queues.next(row[at as usize]) {
                    let (item, shorter) = self.queues.first(next);
                    let Some(message) = self.message(item, direction) else { continue };
                    if let Some(less) = budget.loss(left) {
                        ways.change(at, shorter);
                        self.fail(here, place, (SILENT, 1, less), 0, ways);
                        self.note(Recorded::Loss(place, port, message));
                    }
                    if let Some(less) = budget.duplicate(left) {
                        ways.change(at, self.queues.doubled(row[at as usize], item));
                        let double = self.effects.double();
                        self.fail(here, place, (double, 0, less), 1, ways);
                        self.note(Recorded::Double(place, port, message));
                    }
                }
            }
        }
    }

    /// All that is on its way to a place is gone; how much that is.
    fn clear(&mut self, row: &[Number], place: Place, ways: &mut Ways) -> u32 {
        let (mut lost, half) = (0, self.links == Links::Half);
        for index in 0..self.roads.ins(place).len() {
            let In { at, direction, .. } = self.roads.ins(place)[index];
            let before = ways.changed(at).unwrap_or(row[at as usize]);
            let (kept, gone) = self.queues.kept(before, |item| half && item % 2 != direction);
            ways.change(at, kept);
            lost += gone;
        }
        lost
    }

    /// Ends a way on which something fails: what the monitor is told, how many messages are lost, what may still fail.
    fn fail(
        &mut self,
        (row, fingerprint): Here<'_>,
        place: Place,
        (told, lost, less): (Number, u32, Number),
        sent: u32,
        ways: &mut Ways,
    ) {
        let at = self.monitor_at();
        ways.change(at as u32, self.tell(row[at], place, told, lost));
        ways.change(at as u32 + 1, less);
        let event = next_event(ways);
        ways.end(row, fingerprint, (event, 1), sent, true);
    }

    /// The message of an item on a link, if it goes this way.
    #[inline]
    fn message(&self, item: Number, direction: u32) -> Option<Number> {
        match self.links {
            Links::Half => (item % 2 == direction).then_some(item / 2),
            Links::Fifo | Links::Any => Some(item),
        }
    }

    fn note(&mut self, way: Recorded) {
        if let Some(record) = &mut self.record {
            record.push(way);
        }
    }

    // What is owed, by number: a user who is to leave by its place, what a link carries by the link's place in the row; from
    // the row's end on, whoever must wake, then timers and, where messages overtake each other, messages in turn.

    fn wake_debt(&self, place: Place) -> u32 {
        self.beginning.len() as u32 + place
    }

    fn timer_debt(&self, place: Place, timer: Number) -> u32 {
        (self.beginning.len() + self.n) as u32 + 2 * (timer * self.n as u32 + place)
    }

    /// Where messages keep their order the first must come; where they overtake each other each of them must.
    #[inline]
    fn message_debt(&self, at: u32, item: Number) -> u32 {
        if self.links != Links::Any {
            return at;
        }
        (self.beginning.len() + self.n) as u32 + 2 * (item * self.roads.links as u32 + at - self.n as u32) + 1
    }
}

/// The number of an event whose first way is the next one.
fn next_event(ways: &Ways) -> u32 {
    ways.list.last().map_or(0, |way| way.event + 1)
}

impl<P: Protocol> Space for Untimed<P> {
    type Happening = Happening<P::Processor>;

    fn another(&self) -> Self {
        Self {
            effects: self.effects.another(),
            queues: self.queues.clone(),
            roads: self.roads.clone(),
            monitors: self.monitors.clone(),
            standings: Vec::new(),
            sayings: Memo::new(),
            said: 0,
            told: Memo::new(),
            beginning: self.beginning.clone(),
            n: self.n,
            links: self.links,
            wakes_are_free: self.wakes_are_free,
            budget: self.budget,
            record: None,
        }
    }

    fn beginnings(&self) -> Vec<Vec<Number>> {
        vec![self.beginning.clone()]
    }

    fn ways(&mut self, row: &[Number], fingerprint: u64, ways: &mut Ways) {
        ways.clear();
        for place in 0..self.n as Place {
            self.ways_of((row, fingerprint), place, ways);
        }
        self.faults((row, fingerprint), ways);
    }

    fn standing(&mut self, row: &[Number]) -> Standing {
        let monitor = row[self.monitor_at()];
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
        for place in 0..self.n as Place {
            let seen = self.effects.look(row[place as usize]);
            for index in 0..seen.timers {
                if self.may_run_off(row, place, index) {
                    owed.push(self.timer_debt(place, self.effects.timer(seen, index)));
                }
            }
            if seen.asleep && !self.wakes_are_free {
                owed.push(self.wake_debt(place));
            }
            if seen.wishes & 1 << Wish::Release as u8 != 0 {
                owed.push(place);
            }
        }
        for at in (self.n..self.monitor_at()).filter(|&at| row[at] != EMPTY) {
            for next in self.queues.next(row[at]) {
                let item = self.queues.first(next).0;
                owed.push(self.message_debt(at as u32, item));
            }
        }
    }

    fn happening(&mut self, row: &[Number], way: usize) -> Self::Happening {
        self.record = Some(Vec::new());
        self.ways(row, 0, &mut Ways::default());
        match self.record.take().expect("it was just asked for")[way] {
            Recorded::Step(place, trigger, outcome) => {
                let (event, chosen) = self.effects.happens(row[place as usize], trigger, outcome as usize);
                Happening::Step { place, event, chosen }
            }
            Recorded::Crash(place) => Happening::Crash(place),
            Recorded::Loss(place, port, message) => {
                Happening::Loss(place, Port(port), self.effects.message(message).clone())
            }
            Recorded::Double(place, port, message) => {
                Happening::Double(place, Port(port), self.effects.message(message).clone())
            }
        }
    }

    fn complaint(&mut self, row: &[Number]) -> String {
        let monitor = self.monitors.get(row[self.monitor_at()]);
        match monitor.violations() {
            [] => monitor.missing(),
            violations => {
                let words = violations.iter().map(|violation| format!("{}: {}", violation.property, violation.detail));
                words.collect::<Vec<_>>().join("; ")
            }
        }
    }
}

impl<P: Protocol> Untimed<P> {
    /// Whether a pending timer can run off, however the choices of its step fall.
    fn may_run_off(&mut self, row: &[Number], place: Place, index: u32) -> bool {
        let trigger = Trigger::Timeout(index);
        let mut index = self.effects.of(row[place as usize], trigger);
        loop {
            let effect = self.effects.get(index);
            if self.links != Links::Half || !self.is_held_up(row, place, trigger, effect) {
                return true;
            }
            if effect.last {
                return false;
            }
            index += 1;
        }
    }
}
