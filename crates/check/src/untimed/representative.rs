//! Configurations that need not be told apart: one of them stands for all.
//!
//! *Rounds that grow without end*: only their differences matter, so what is less than every live round is taken off, and
//! what is older than all of them is as old as can be ([`Processor::rebase`](ringleader_model::Processor::rebase)).
//!
//! *Rotation*: on a ring of processors that are all alike a configuration and its rotations go on alike. Of all of them the
//! least row stands for all: a function of the configuration and the same for each of its rotations, so that one is met if and
//! only if one of them is met. What must not stay undone for ever is numbered as if all places were one ([`Debts::turns`]).

use ringleader_model::Place;

use super::Untimed;
use crate::interner::Number;
use crate::memo::Memo;
use crate::moves::NOTHING;
use crate::space::Ways;

/// What was worked out about representatives.
pub(crate) struct Representatives {
    /// Whether rotations are not told apart.
    pub(crate) turns: bool,
    /// By processor, and by queue, and how much their rounds are less.
    locals: Memo,
    queues: Memo,
    /// By monitor, and how far it is turned.
    monitors: Memo,
    /// Room to work in.
    ways: Ways,
    rows: [Vec<Number>; 2],
}

impl Representatives {
    pub(crate) fn new(turns: bool) -> Self {
        let [locals, queues, monitors] = [(); 3].map(|()| Memo::new());
        Self { turns, locals, queues, monitors, ways: Ways::default(), rows: Default::default() }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.locals.bytes() + self.queues.bytes() + self.monitors.bytes()
    }
}

impl Untimed {
    /// Whether a configuration may be represented by another one.
    pub(super) fn has_representatives(&self) -> bool {
        self.effects.book.has_rounds() || self.representatives.turns
    }

    /// All ways, each to what represents the configuration that it leads to.
    pub(super) fn ways_to_representatives(&mut self, row: &[Number], fingerprint: u64, ways: &mut Ways) {
        let mut plain = core::mem::take(&mut self.representatives.ways);
        let [mut after, room] = core::mem::take(&mut self.representatives.rows);
        self.representatives.rows[1] = room;
        self.plain_ways(row, fingerprint, &mut plain);
        ways.clear();
        for (index, way) in plain.list.iter().enumerate() {
            after.clear();
            after.extend_from_slice(row);
            plain.go(index, &mut after);
            self.represent(&mut after);
            for at in (0..row.len()).filter(|&at| after[at] != row[at]) {
                ways.put(at as u32, after[at]);
            }
            for &debt in plain.takes(index) {
                ways.take(debt);
            }
            ways.end(row, fingerprint, (way.event, way.odds), way.sent, way.free);
        }
        ways.enough = plain.enough.clone();
        self.representatives.ways = plain;
        self.representatives.rows[0] = after;
    }

    /// Turns a configuration into the one that represents it.
    pub(super) fn represent(&mut self, row: &mut [Number]) {
        if self.effects.book.has_rounds() {
            self.rebase(row);
        }
        if self.representatives.turns {
            self.turn(row);
        }
    }

    /// Takes off what is less than every live round.
    fn rebase(&mut self, row: &mut [Number]) {
        let rounds = row[..self.n].iter().map(|&local| self.effects.look(local).round).min();
        // Round 0 stays older than every live one; where none is live, all are as old as can be.
        let by = rounds.map_or(0, |least| if least == NOTHING { NOTHING } else { least.saturating_sub(1) });
        if by == 0 {
            return;
        }
        for local in &mut row[..self.n] {
            let found = self.representatives.locals.get(*local, by);
            *local = found.unwrap_or_else(|| {
                let rebased = self.effects.rebased(*local, by);
                self.representatives.locals.insert(*local, by, rebased);
                rebased
            });
        }
        let links = self.n..self.monitor_at();
        for queue in &mut row[links] {
            let found = self.representatives.queues.get(*queue, by);
            *queue = found.unwrap_or_else(|| {
                let (directions, effects) = (if self.debts.half { 2 } else { 1 }, &mut self.effects);
                let rebased = self.queues.changed(*queue, |item| {
                    effects.book.rebased_message(item / directions, by) * directions + item % directions
                });
                self.representatives.queues.insert(*queue, by, rebased);
                rebased
            });
        }
    }

    /// Turns the ring until its row is the least; of two turns that lead to the same ring, the one that leads to the lesser
    /// monitor.
    fn turn(&mut self, row: &mut [Number]) {
        let (n, ports) = (self.n, self.roads.links / self.n);
        let at = |turn: usize, index: usize| (turn + index) % n;
        let monitor = row[self.monitor_at()];
        let mut least = (0, self.turned_monitor(monitor, 0));
        for turn in 1..n {
            let places = (0..n).map(|index| row[at(turn, index)].cmp(&row[at(least.0, index)]));
            let links = (0..n * ports).map(|index| {
                let link = |turn| row[n + at(turn, index / ports) * ports + index % ports];
                link(turn).cmp(&link(least.0))
            });
            let order = places.chain(links).find(|order| order.is_ne());
            let order = order.unwrap_or(core::cmp::Ordering::Equal);
            if order.is_gt() {
                continue;
            }
            let turned = self.turned_monitor(monitor, turn);
            if order.is_lt() || turned < least.1 {
                least = (turn, turned);
            }
        }
        row[..n].rotate_left(least.0);
        row[n..n + n * ports].rotate_left(least.0 * ports);
        let at = self.monitor_at();
        row[at] = least.1;
    }

    /// The monitor after what is at a place has come to the place so many before it.
    fn turned_monitor(&mut self, monitor: Number, back: usize) -> Number {
        if let Some(turned) = self.representatives.monitors.get(monitor, back as u32) {
            return turned;
        }
        let turned = self.effects.book.turned(monitor, (self.n - back) as Place, self.n as Place);
        let turned = turned.expect("it can be turned, or rotations were told apart");
        self.representatives.monitors.insert(monitor, back as u32, turned);
        turned
    }
}
