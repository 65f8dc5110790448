//! In which order configurations follow each other, as far as they do: what goes round, and the most message passes.
//!
//! Tarjan's strongly connected components \[Tarjan1972\], deepest first: when a component is left, everything that follows
//! it is known. Rows are kept only of the configurations on the way and in components that are not left yet.

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::answer::{Effort, Most, Progress, RanOut};
use crate::interner::Number;
use crate::space::{Space, Way, Ways, fingerprint};

use super::breadth::{OFTEN, Watch, enough};
use super::budget::Budget;
use super::cycles::{Bad, Component};
use super::table::{Met, Table};

/// How many lists of ways are kept at hand; others are worked out again when they are needed.
const AT_HAND: usize = 1024;
/// In a mark: it was left, and the rest is the most message passes from there. Without: its number on the stack plus 1.
const LEFT: u32 = 1 << 31;
/// How many steps are taken before anybody is told.
const STRIDE: u64 = 1 << 12;

/// What is known about the order.
pub(crate) struct Order {
    pub(crate) most: Most,
    /// Whether something goes round.
    pub(crate) cyclic: bool,
    /// Where a schedule can go round for ever although something is left to do.
    pub(crate) bad: Bad,
}

/// What to look for.
#[derive(Clone, Copy)]
pub(crate) struct Question {
    /// Leave out what cannot matter, and stop when something goes round.
    pub(crate) reduce: bool,
    /// Look for where a schedule can go round for ever although something is left to do.
    pub(crate) judge: bool,
}

/// Goes every way once more. The table is used anew.
pub(crate) fn order(
    space: &mut dyn Space,
    table: &mut Table,
    question: Question,
    (effort, budget): (&Effort, &Budget),
    (progress, watch): (Progress, Watch<'_>),
) -> Result<Order, RanOut> {
    table.clear();
    let beginnings = space.beginnings();
    let mut walk = Walk {
        width: beginnings.first().map_or(0, Vec::len),
        space,
        table,
        question,
        budget,
        stack: Stack::default(),
        frames: Vec::new(),
        at_hand: Vec::new(),
        states: 0,
        order: Order { most: Most::Exactly(0), cyclic: false, bad: Bad::default() },
    };
    let mut most = 0;
    let (mut told, mut steps) = (Instant::now(), 0u64);
    for row in beginnings {
        let own = fingerprint(&row);
        if walk.meet(own)? != Met::New {
            continue;
        }
        walk.enter(own, 0, |rows| rows.extend_from_slice(&row))?;
        while !walk.frames.is_empty() {
            most = most.max(walk.step()?);
            if walk.order.cyclic && question.reduce {
                return Ok(walk.order);
            }
            steps += 1;
            if !steps.is_multiple_of(STRIDE) {
                continue;
            }
            if walk.states > effort.states {
                return Err(RanOut::States);
            }
            if told.elapsed() >= OFTEN {
                told = Instant::now();
                if !watch(&Progress { bytes: budget.peak(), ..progress }) {
                    return Err(RanOut::Patience);
                }
            }
        }
    }
    walk.end();
    walk.order.bad.sort();
    if walk.order.most != Most::Unlimited {
        walk.order.most = Most::Exactly(most.into());
    }
    Ok(walk.order)
}

/// Configurations that were met and whose components were not left.
#[derive(Default)]
struct Stack {
    rows: Vec<Number>,
    fingerprints: Vec<u64>,
}

/// A configuration on the way.
struct Frame {
    /// Its number on the stack.
    node: usize,
    /// The ways that are still to be gone.
    ways: Range<usize>,
    /// The least number on the stack that it leads back to.
    low: usize,
    /// The most message passes from here, as far as is known.
    best: u32,
    /// Message passes on the way here.
    sent: u32,
    /// A way of its own leads back, perhaps to itself.
    turns: bool,
}

/// Ways that are kept at hand, and of which number on the stack they are.
struct Kept {
    node: usize,
    ways: Ways,
}

struct Walk<'a> {
    space: &'a mut dyn Space,
    width: usize,
    table: &'a mut Table,
    question: Question,
    budget: &'a Budget,
    stack: Stack,
    frames: Vec<Frame>,
    at_hand: Vec<Kept>,
    states: u64,
    order: Order,
}

impl Walk<'_> {
    /// Goes one way from the last configuration on the way, or leaves it. Says how many message passes there can be from
    /// one that was left with nothing before it.
    fn step(&mut self) -> Result<u32, RanOut> {
        let slot = (self.frames.len() - 1) % AT_HAND;
        let (node, next) = {
            let frame = self.frames.last_mut().expect("there is a way");
            (frame.node, frame.ways.next())
        };
        let Some(index) = next else { return self.leave() };
        if self.at_hand[slot].node != node {
            self.work_out(node, slot);
        }
        let way = self.at_hand[slot].ways.list[index];
        let met = self.meet(way.fingerprint)?;
        let frame = self.frames.last_mut().expect("there is a way");
        match met {
            Met::Before(mark) if mark & LEFT != 0 => frame.best = frame.best.max(plus(mark & !LEFT, way.sent)),
            Met::Before(mark) => {
                // Whatever is on the stack leads here.
                let to = mark as usize - 1;
                frame.low = frame.low.min(to);
                frame.turns = true;
                self.turn(way.sent);
            }
            Met::New | Met::Full => {
                let ways = std::mem::take(&mut self.at_hand[slot].ways);
                let row = node * self.width..(node + 1) * self.width;
                let entered = self.enter(way.fingerprint, way.sent, |rows| {
                    let begin = rows.len();
                    rows.extend_from_within(row);
                    ways.go(index, &mut rows[begin..]);
                });
                self.at_hand[slot].ways = ways;
                entered?;
            }
        }
        Ok(0)
    }

    /// Puts a fingerprint into the table, with the number that it will have on the stack.
    fn meet(&mut self, fingerprint: u64) -> Result<Met, RanOut> {
        let mark = self.stack.fingerprints.len() as u32 + 1;
        if mark >= LEFT {
            return Err(RanOut::Memory);
        }
        loop {
            let met = self.table.meet(fingerprint, mark);
            if met != Met::Full {
                return Ok(met);
            }
            if !self.table.grow(fingerprint, 1, self.budget) {
                return Err(RanOut::Memory);
            }
        }
    }

    /// Goes on from a configuration that is met for the first time; `write` adds its row.
    fn enter(&mut self, own: u64, sent: u32, write: impl FnOnce(&mut Vec<Number>)) -> Result<(), RanOut> {
        let Stack { rows, fingerprints } = &mut self.stack;
        let node = fingerprints.len();
        let room = self.budget.reserve(rows, self.width)
            && self.budget.reserve(fingerprints, 1)
            && self.budget.reserve(&mut self.frames, 1);
        if !room {
            return Err(RanOut::Memory);
        }
        write(rows);
        fingerprints.push(own);
        self.states += 1;
        let slot = self.frames.len() % AT_HAND;
        if self.at_hand.len() == slot {
            self.at_hand.push(Kept { node, ways: Ways::default() });
        }
        self.work_out(node, slot);
        let ways = &self.at_hand[slot].ways;
        let mut range = 0..ways.list.len();
        if self.question.reduce {
            let few = enough(ways);
            // What is left out must not be left out for ever: where a way leads back, all are gone.
            let back = |way: &Way| {
                let mark = self.table.mark(way.fingerprint).map_or(LEFT, |mark| mark.load(Ordering::Relaxed));
                mark & LEFT == 0
            };
            if !ways.list[few.clone()].iter().any(back) {
                range = few;
            }
        }
        for way in &ways.list[range.clone()] {
            self.table.prefetch(way.fingerprint);
        }
        self.frames.push(Frame { node, ways: range, low: node, best: 0, sent, turns: false });
        Ok(())
    }

    /// Works out the ways of a configuration on the stack; from what is violated there are none.
    fn work_out(&mut self, node: usize, slot: usize) {
        let Kept { node: whose, ways } = &mut self.at_hand[slot];
        *whose = node;
        let row = &self.stack.rows[node * self.width..(node + 1) * self.width];
        if self.space.standing(row).violated {
            ways.clear();
        } else {
            self.space.ways(row, self.stack.fingerprints[node], ways);
        }
    }

    /// Leaves the last configuration on the way, and its component with it if it was the first one of it that was met.
    fn leave(&mut self) -> Result<u32, RanOut> {
        let frame = self.frames.pop().expect("there is a way");
        let before = self.frames.last_mut();
        if frame.low < frame.node {
            let before = before.expect("what leads back has something before it");
            before.low = before.low.min(frame.low);
            before.best = before.best.max(frame.best);
            self.turn(frame.sent);
            return Ok(0);
        }
        let most = if let Some(before) = before {
            before.best = before.best.max(plus(frame.best, frame.sent));
            0
        } else {
            frame.best
        };
        let members = frame.node..self.stack.fingerprints.len();
        if self.question.judge && !self.question.reduce && (frame.turns || members.len() > 1) {
            let component = Component {
                rows: &self.stack.rows[frame.node * self.width..],
                fingerprints: &self.stack.fingerprints[members.clone()],
                width: self.width,
            };
            let inside = |fingerprint| match self.table.mark(fingerprint)?.load(Ordering::Relaxed) {
                mark if mark & LEFT != 0 => None,
                mark => Some(mark - 1 - frame.node as u32),
            };
            component.judge(self.space, &inside, self.budget, &mut self.order.bad)?;
        }
        for &fingerprint in &self.stack.fingerprints[members] {
            let mark = self.table.mark(fingerprint).expect("it was met");
            mark.store(LEFT | frame.best, Ordering::Relaxed);
        }
        self.stack.fingerprints.truncate(frame.node);
        self.stack.rows.truncate(frame.node * self.width);
        Ok(most)
    }

    /// Something goes round, and sends so much.
    fn turn(&mut self, sent: u32) {
        self.order.cyclic = true;
        if sent > 0 {
            self.order.most = Most::Unlimited;
        }
    }

    /// Gives its memory back.
    fn end(&mut self) {
        self.budget.drop(&mut self.stack.rows);
        self.budget.drop(&mut self.stack.fingerprints);
        self.budget.drop(&mut self.frames);
    }
}

/// A sum of message passes that fits a mark.
fn plus(one: u32, other: u32) -> u32 {
    one.saturating_add(other).min(!LEFT)
}
