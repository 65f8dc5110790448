//! Configurations of a protocol without clocks: everything that can happen may happen next.

mod representative;
#[cfg(test)]
mod tests;

use ringleader_model::{BadSetting, Faults, Links, Place, Scenario};

use self::representative::Representatives;
use crate::answer::Wakers;
use crate::book::{Deed, Opening, Said, Trigger};
use crate::effects::{CRASHED, Effects, SILENT};
use crate::faults::Budget;
use crate::interner::Number;
use crate::memo::Memo;
use crate::moves::{Debts, Moves, NOTHING, Sources};
use crate::probability::{Advance, Ended};
use crate::queues::{EMPTY, Queues};
use crate::roads::{In, Roads};
use crate::space::{Space, Standing, Told, Ways, part};
use crate::step::{After, Local, User};

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
/// at once, since nobody can tell when it is. Only what could come in next can be lost or doubled. The first thing that
/// happens is no crash: it can be exchanged with what follows, and if nothing does nobody is the worse for it.
pub(crate) struct Untimed {
    effects: Effects,
    moves: Moves,
    queues: Queues,
    roads: Roads,
    debts: Debts,
    standings: Vec<Option<Standing>>,
    /// By reports, and place and losses: the number of all three.
    sayings: Memo,
    said: Number,
    /// By monitor and what it is told: the monitor after that.
    told: Memo,
    beginning: Vec<Number>,
    n: usize,
    budget: Option<Budget>,
    representatives: Representatives,
    /// How many events were gone through.
    event: u32,
    /// What the ways are that are asked for, if somebody wants to know.
    record: Option<Vec<Recorded>>,
}

/// What a way is.
#[derive(Clone, Copy)]
enum Recorded {
    Move(u32),
    Crash(Place),
    /// A message that comes in by a port.
    Loss(Place, u32, Number),
    Double(Place, u32, Number),
}

/// A configuration and its fingerprint.
type Here<'a> = (&'a [Number], u64);

impl Untimed {
    /// The configurations of a protocol in a scenario. `reduce`: rotations are not told apart where that cannot matter.
    pub(crate) fn new(
        opening: Opening,
        scenario: &Scenario,
        wakers: &Wakers,
        reduce: bool,
    ) -> Result<Self, BadSetting> {
        let Opening { book, roads, processors, monitor, is_ring, .. } = opening;
        let n = scenario.n;
        let at_most = scenario.faults.at_most;
        if scenario.faults != (Faults { at_most, ..Faults::default() }) {
            let allowed = "how many may fail at any moment: crash:K, loss:K, duplicate:K";
            return Err(BadSetting::new("faults", "say when or how often", allowed));
        }
        let budget = Budget::new(at_most)?;
        let debts = Debts {
            n: n as u32,
            links: roads.links as u32,
            width: (n + roads.links) as u32 + 1 + u32::from(budget.is_some()),
            wakes_are_free: *wakers == Wakers::Anybody,
            half: scenario.links == Links::Half,
            any: scenario.links == Links::Any,
            turns: false,
        };
        let mut space = Self {
            effects: Effects::new(book, roads.ports),
            moves: Moves::new(roads.all_ways_in()),
            queues: Queues::new(scenario.links != Links::Any),
            roads,
            debts,
            standings: Vec::new(),
            sayings: Memo::new(),
            said: 0,
            told: Memo::new(),
            beginning: Vec::new(),
            n,
            budget,
            representatives: Representatives::new(false),
            event: 0,
            record: None,
        };
        for (place, processor) in (0..).zip(processors) {
            let newcomer = space.newcomer(scenario, wakers, place, processor);
            space.beginning.push(newcomer);
        }
        space.beginning.resize(n + space.roads.links, EMPTY);
        space.beginning.push(monitor);
        space.beginning.extend(space.budget.as_ref().map(Budget::whole));
        if reduce && is_ring && space.is_symmetric(scenario) {
            space.tell_rotations_apart(false);
        }
        Ok(space)
    }

    /// The processor of a place before anything has happened.
    fn newcomer(&mut self, scenario: &Scenario, wakers: &Wakers, place: Place, processor: Number) -> Number {
        let (asleep, user) = (wakers.have(place), User::new(scenario, place));
        let mut local = Local { processor, asleep, timers: Vec::new(), user };
        // Where users ask over and over, sites are there for them: waking is no event unless it does something.
        if scenario.workload.is_some() {
            let awake = Local { asleep: false, ..local.clone() };
            let outcomes = local.outcomes(&mut *self.effects.book, Trigger::Wake);
            let idle = |after: &After| after.local == awake && after.sends.is_empty() && after.reports.is_empty();
            if outcomes.iter().all(|outcome| idle(&outcome.after)) {
                local = awake;
            }
        }
        self.effects.number(local)
    }

    /// Whether all places of a ring are alike. What tells them apart is in their beginnings: identities, roles, who wakes, what
    /// users ask.
    fn is_symmetric(&mut self, scenario: &Scenario) -> bool {
        let alike = self.beginning[..self.n].windows(2).all(|pair| pair[0] == pair[1])
            && scenario.orientation.windows(2).all(|pair| pair[0] == pair[1]);
        let monitor = self.beginning[self.monitor_at()];
        alike && self.n > 1 && self.effects.book.turned(monitor, 1, self.n as Place).is_some()
    }

    /// What was worked out does not mean the same afterwards.
    fn tell_rotations_apart(&mut self, apart: bool) {
        self.debts.turns = !apart;
        self.representatives = Representatives::new(!apart);
        self.moves = Moves::new(self.roads.all_ways_in());
    }

    /// The monitor's place in a row; how much may still fail comes after it.
    fn monitor_at(&self) -> usize {
        self.n + self.roads.links
    }

    /// Adds the ways of all moves from one on; whether none of them can be noticed by the monitor. `at`: the link that their
    /// messages come from.
    #[inline]
    fn go(&mut self, here: Here<'_>, place: Place, at: u32, first: u32, ways: &mut Ways) -> bool {
        let mut silent = true;
        for index in first.. {
            let next = self.moves.get(index);
            let (reports, timeout, tangled) = (next.reports, next.timeout, next.tangled);
            let (ends_event, last) = (next.ends_event, next.last);
            if !(timeout && self.debts.half && self.is_held_up(here.0, index)) {
                if tangled || self.budget.is_some() {
                    silent &= self.go_with_care(here, place, at, index, ways);
                } else {
                    let monitor = here.0[self.monitor_at()];
                    let told = if reports == SILENT { monitor } else { self.tell(monitor, place, reports, 0) };
                    silent &= reports == SILENT;
                    self.go_quickly(here, (place, at), index, told, ways);
                }
                if self.record.is_some() {
                    self.note(Recorded::Move(index));
                }
            }
            self.event += u32::from(ends_event);
            if last {
                break;
            }
        }
        silent
    }

    /// A move that changes each link once, to processors that are there, after which the monitor is as `told`.
    #[inline]
    fn go_quickly(
        &mut self,
        (row, fingerprint): Here<'_>,
        (place, at): (Place, u32),
        index: u32,
        told: Number,
        ways: &mut Ways,
    ) {
        let monitor_at = self.monitor_at();
        let next = self.moves.get(index);
        let mut after = fingerprint.wrapping_add(next.more);
        if at != NOTHING {
            ways.put(at, next.left);
        }
        if next.local != row[place as usize] {
            ways.put(place, next.local);
        }
        let sends = self.moves.sends(next);
        for &(at, item) in sends {
            let before = row[at as usize];
            let longer = self.queues.push(before, item);
            ways.put(at, longer);
            after = after.wrapping_sub(part(at, before)).wrapping_add(part(at, longer));
        }
        let monitor = row[monitor_at];
        if told != monitor {
            let at = monitor_at as u32;
            ways.put(at, told);
            after = after.wrapping_sub(part(at, monitor)).wrapping_add(part(at, told));
        }
        if next.debt != NOTHING {
            ways.take(next.debt);
        }
        ways.end_at(after, (self.event, next.odds), sends.len() as u32, next.debt == NOTHING);
    }

    /// Any move: its links may be the same, and who it sends to may have crashed.
    fn go_with_care(
        &mut self,
        (row, fingerprint): Here<'_>,
        place: Place,
        at: u32,
        index: u32,
        ways: &mut Ways,
    ) -> bool {
        let next = *self.moves.get(index);
        if at != NOTHING {
            ways.change(at, next.left);
        }
        ways.change(place, next.local);
        let mut lost = 0;
        for index in next.sends.0..next.sends.1 {
            let (at, item) = self.moves.send(index);
            if row[self.roads.receiver(at, item) as usize] == CRASHED {
                lost += 1;
                continue;
            }
            let before = ways.changed(at).unwrap_or(row[at as usize]);
            ways.change(at, self.queues.push(before, item));
        }
        let silent = next.reports == SILENT && lost == 0;
        if !silent {
            let at = self.monitor_at();
            ways.change(at as u32, self.tell(row[at], place, next.reports, lost));
        }
        if next.debt != NOTHING {
            ways.take(next.debt);
        }
        let sent = next.sends.1 - next.sends.0;
        ways.end(row, fingerprint, (self.event, next.odds), sent, next.debt == NOTHING);
        silent
    }

    /// Whether a timer's step would send on a half-duplex link that is not free.
    fn is_held_up(&self, row: &[Number], index: u32) -> bool {
        self.moves.sends(self.moves.get(index)).iter().any(|&(at, _)| row[at as usize] != EMPTY)
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
        let after = self.effects.told(monitor, place, reports, lost);
        self.told.insert(monitor, saying, after);
        after
    }

    /// Adds the ways that begin at a place: its timers, its waking, its user, then what comes in to it. Whether they are
    /// silent, and whether something comes in by every way.
    #[inline]
    fn ways_of(&mut self, here: Here<'_>, place: Place, ways: &mut Ways) -> (bool, bool) {
        let row = here.0;
        let local = row[place as usize];
        let (mut silent, mut full) = (true, true);
        let first = self.moves.own(place, local);
        let first = first.unwrap_or_else(|| {
            let (moves, mut sources) = self.sources();
            moves.work_out_own(&mut sources, place, local)
        });
        if first != NOTHING {
            silent &= self.go(here, place, NOTHING, first, ways);
        }
        for way_in in self.roads.ways_in(place) {
            let at = self.roads.way_in(way_in).at;
            let queue = row[at as usize];
            if queue == EMPTY {
                full = false;
                continue;
            }
            let first = self.moves.arrival(way_in, local, queue);
            let first = first.unwrap_or_else(|| {
                let (moves, mut sources) = self.sources();
                moves.work_out_arrival(&mut sources, place, way_in, (local, queue))
            });
            if first != NOTHING {
                silent &= self.go(here, place, at, first, ways);
            }
        }
        (silent, full)
    }

    fn sources(&mut self) -> (&mut Moves, Sources<'_>) {
        let Self { moves, effects, queues, roads, debts, .. } = self;
        (moves, Sources { effects, queues, roads, debts: *debts })
    }

    /// All ways, each to the very configuration that it leads to.
    ///
    /// *Which of them are enough.* Say that all links keep the order of their messages, are not half-duplex, and nothing can
    /// fail (any more). Take a place p to which something is on its way by every way in, and none of whose ways is noticed
    /// by the monitor: it reports nothing, and sends nothing to who has crashed. Then the ways T of p alone are enough.
    ///
    /// 1. *What others do does not change what p can do.* A way of p depends on p's own state, timers and user included, and on
    ///    the first message of each of its links. Others change neither: they only add behind something that is there.
    /// 2. *Ways of p and of others can be exchanged.* Of what both touch there are only links: one end adds at the back, the
    ///    other takes from a front that is there before and after (p's links by 1; a link away from p because its receiver
    ///    can take something without p). The monitor hears of one of the two at most. So t w leads to where w t leads, and on
    ///    both as much is sent.
    ///
    /// Let w be a schedule from here. If a way of p is part of it, its first one t is in T by 1, and by 2 it can come first: w
    /// becomes t w', through the same reports in the same order, to the same configuration, with as many messages. If none is,
    /// t w for any t in T hears the same reports and sends no less. From this, by induction on the length of schedules:
    /// - *Safety.* What the monitor says after w it also says on a way that begins in T; what is violated stays violated.
    ///   Only the second case does not make the rest shorter: it must not happen for ever, which is the search's proviso.
    /// - *Dead ends.* At the end of w nothing can happen but what need not. Something is on its way to p and can come in as long
    ///   as p does nothing, so w has a way of p, and the same end is reached. No dead end is lost, and none is added.
    /// - *The most messages*: in neither case do they become fewer.
    /// - *Whether it ends.* The two cases turn a schedule without end into another one that begins in T: where all are enough
    ///   somewhere and something goes round without the reduction, something goes round with it. Which schedules that go
    ///   round are fair is not preserved.
    ///
    /// That p's ways may include some that need not happen (it wakes, its user asks) changes nothing: all of them are in T.
    /// Half-duplex links are left out because both ends add to one queue; links that reorder because what others send can come
    /// in at once; faults because they are everybody's.
    fn plain_ways(&mut self, row: &[Number], fingerprint: u64, ways: &mut Ways) {
        ways.clear();
        self.event = 0;
        let orderly = !self.debts.half && !self.debts.any && (self.budget.is_none() || row[self.monitor_at() + 1] == 0);
        let mut enough = 0..usize::MAX;
        for place in 0..self.n as Place {
            let first = ways.list.len();
            let (silent, full) = self.ways_of((row, fingerprint), place, ways);
            let own = first..ways.list.len();
            if silent && full && orderly && !own.is_empty() && own.len() < enough.len() {
                enough = own;
            }
        }
        self.faults((row, fingerprint), ways);
        if enough.len() < ways.list.len() {
            ways.enough = enough;
        }
    }

    /// Adds the ways on which something fails: none of them need be gone.
    fn faults(&mut self, here: Here<'_>, ways: &mut Ways) {
        let Some(budget) = self.budget else { return };
        let row = here.0;
        // Who crashes before anything has happened can as well do so just after it.
        if row == self.beginning {
            return;
        }
        let left = row[self.monitor_at() + 1];
        for place in (0..self.n as Place).filter(|&place| row[place as usize] != CRASHED) {
            if let Some(less) = budget.crash(left) {
                ways.change(place, CRASHED);
                let lost = self.clear(row, place, ways);
                let crash = self.effects.say(Said::Crash);
                self.fail(here, place, (crash, lost, less), 0, ways);
                self.note(Recorded::Crash(place));
            }
            for way_in in self.roads.ways_in(place) {
                let In { at, direction, port } = self.roads.way_in(way_in);
                for next in self.queues.next(row[at as usize]) {
                    let (item, shorter) = self.queues.first(next);
                    let Some(message) = self.debts.message_of(item, direction) else { continue };
                    if let Some(less) = budget.loss(left) {
                        ways.change(at, shorter);
                        self.fail(here, place, (SILENT, 1, less), 0, ways);
                        self.note(Recorded::Loss(place, port, message));
                    }
                    if let Some(less) = budget.duplicate(left) {
                        ways.change(at, self.queues.doubled(row[at as usize], item));
                        let double = self.effects.say(Said::Double);
                        self.fail(here, place, (double, 0, less), 1, ways);
                        self.note(Recorded::Double(place, port, message));
                    }
                }
            }
        }
    }

    /// All that is on its way to a place is gone; how much that is.
    fn clear(&mut self, row: &[Number], place: Place, ways: &mut Ways) -> u32 {
        let (mut lost, half) = (0, self.debts.half);
        for way_in in self.roads.ways_in(place) {
            let In { at, direction, .. } = self.roads.way_in(way_in);
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
        ways.end(row, fingerprint, (self.event, 1), sent, true);
        self.event += 1;
    }

    fn note(&mut self, way: Recorded) {
        if let Some(record) = &mut self.record {
            record.push(way);
        }
    }
}

impl Space for Untimed {
    fn another(&self) -> Box<dyn Space> {
        Box::new(Self {
            effects: self.effects.another(),
            moves: Moves::new(self.roads.all_ways_in()),
            queues: self.queues.clone(),
            roads: self.roads.clone(),
            debts: self.debts,
            standings: Vec::new(),
            sayings: Memo::new(),
            said: 0,
            told: Memo::new(),
            beginning: self.beginning.clone(),
            n: self.n,
            budget: self.budget,
            representatives: Representatives::new(self.representatives.turns),
            event: 0,
            record: None,
        })
    }

    fn beginnings(&self) -> Vec<Vec<Number>> {
        vec![self.beginning.clone()]
    }

    fn ways(&mut self, row: &[Number], fingerprint: u64, ways: &mut Ways) {
        if self.has_representatives() {
            self.ways_to_representatives(row, fingerprint, ways);
        } else {
            self.plain_ways(row, fingerprint, ways);
        }
    }

    fn standing(&mut self, row: &[Number]) -> Standing {
        let monitor = row[self.monitor_at()];
        let index = monitor as usize;
        if self.standings.len() <= index {
            self.standings.resize(index + 1, None);
        }
        *self.standings[index].get_or_insert_with(|| self.effects.book.standing(monitor))
    }

    fn owed(&mut self, row: &[Number], owed: &mut Vec<u32>) {
        let mut ways = Ways::default();
        self.plain_ways(row, 0, &mut ways);
        owed.clear();
        for way in 0..ways.list.len() {
            // Once for each event, however its choices fall.
            if way == 0 || ways.list[way].event != ways.list[way - 1].event {
                owed.extend_from_slice(ways.takes(way));
            }
        }
        owed.sort_unstable();
        // Where all places count as one, only what is owed at all of them is owed.
        let all = if self.debts.turns { self.n } else { 1 };
        let alike = owed.chunk_by(|one, other| one == other);
        *owed = alike.filter(|alike| alike.len() >= all).map(|alike| alike[0]).collect();
    }

    fn bytes(&self) -> usize {
        let told = self.sayings.bytes() + self.told.bytes() + size_of_val(&*self.standings);
        self.effects.bytes() + self.moves.bytes() + self.queues.bytes() + self.representatives.bytes() + told
    }

    fn separate(&mut self) -> bool {
        let joined = self.debts.turns;
        self.tell_rotations_apart(true);
        joined
    }

    fn falls_silent(&self) -> bool {
        self.effects.book.falls_silent()
    }

    fn caveat(&self) -> &'static str {
        self.effects.book.caveat()
    }

    fn complaint(&mut self, row: &[Number]) -> String {
        self.effects.book.complaint(row[self.monitor_at()])
    }
}

impl Ended for Untimed {
    fn is_timed(&self) -> bool {
        false
    }

    fn is_phased(&self) -> bool {
        self.effects.book.is_phased()
    }

    fn places(&self) -> Place {
        self.n as Place
    }

    fn label(&mut self, row: &[Number]) -> String {
        self.effects.book.label(row[self.monitor_at()])
    }

    fn advances(&mut self, row: &[Number], advances: &mut Vec<Advance>) {
        self.record = Some(Vec::new());
        self.plain_ways(row, 0, &mut Ways::default());
        advances.clear();
        for (way, recorded) in self.record.take().expect("it was just asked for").into_iter().enumerate() {
            let Recorded::Move(index) = recorded else { continue };
            let (place, trigger, outcome) = self.moves.cause(index);
            let first = self.effects.of(row[place as usize], trigger);
            let by = self.effects.get(first + outcome).advance;
            if by > 0 {
                advances.push(Advance { way, place, by });
            }
        }
    }
}

impl Told for Untimed {
    type Happening = Deed;

    fn happening(&mut self, row: &[Number], way: usize) -> Deed {
        self.record = Some(Vec::new());
        self.plain_ways(row, 0, &mut Ways::default());
        match self.record.take().expect("it was just asked for")[way] {
            Recorded::Move(index) => {
                let (place, trigger, outcome) = self.moves.cause(index);
                Deed::Step(place, trigger, self.effects.chosen(row[place as usize], trigger, outcome))
            }
            Recorded::Crash(place) => Deed::Crash(place),
            Recorded::Loss(place, port, message) => Deed::Loss(place, port, message),
            Recorded::Double(place, port, message) => Deed::Double(place, port, message),
        }
    }

    fn follow(&mut self, row: &mut Vec<Number>, _: usize, next: &[Number]) -> Deed {
        let (mut ways, mut after) = (Ways::default(), Vec::new());
        self.plain_ways(row, 0, &mut ways);
        let leads = |way: &usize| {
            after.clone_from(row);
            ways.go(*way, &mut after);
            let mut representative = after.clone();
            self.represent(&mut representative);
            representative == next
        };
        let way = (0..ways.list.len()).find(leads).expect("one of them leads there");
        let happening = self.happening(row, way);
        *row = after;
        happening
    }
}
