//! Everything that can be reached, nearest first, by several threads.
//!
//! All configurations of a level are gone on from before any of the next, so that the first way to a configuration is a
//! shortest one, whoever finds it. A thread takes some configurations at a time, works out all of their ways while the
//! memory where these lead is fetched, and only then looks at it.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

use crate::answer::{Effort, Progress, Property, RanOut};
use crate::interner::Number;
use crate::space::{Space, Way, Ways, fingerprint};

use super::Wrong;
use super::budget::Budget;
use super::cycles::Bad;
use super::frontier::{Ancestry, Block, Writer};
use super::table::{Met, Table, fetch};

/// How many configurations are gone on from at a time.
const BATCH: usize = 32;
/// How many of those that were met last are kept close by, at most: 8 MB.
const RECENT: usize = 1 << 20;
/// How often who watches is told.
pub(crate) const OFTEN: Duration = Duration::from_millis(200);
/// A depth or a number of message passes that is too large for a mark.
const TOO_LARGE: u64 = u16::MAX as u64;

/// Who is told how far it is, and says whether to go on.
pub(crate) type Watch<'a> = &'a mut dyn FnMut(&Progress) -> bool;

/// How to look.
pub(crate) struct Aim<'a> {
    /// Whether to leave out what cannot matter.
    pub(crate) reduce: bool,
    /// Nothing that is further away is looked at.
    pub(crate) deepest: u64,
    /// It is over on the level where one of these is met.
    pub(crate) wanted: Option<&'a Bad>,
}

/// Where a configuration is: on which level, and which of it.
pub(crate) type Spot = (u64, u64);

/// What was met.
pub(crate) struct Breadth {
    pub(crate) table: Table,
    pub(crate) ancestry: Ancestry,
    pub(crate) progress: Progress,
    pub(crate) quiet: u64,
    /// The most message passes to any configuration, if all ways to a configuration have as many steps and as many message
    /// passes: then nothing goes round.
    pub(crate) graded: Option<u64>,
    pub(crate) ran_out: Option<RanOut>,
    /// The nearest configuration in which something is violated.
    pub(crate) violated: Option<Spot>,
    /// The nearest one in which something is left to do and nothing happens by itself.
    pub(crate) stuck: Option<Spot>,
    /// The nearest one that was wanted.
    pub(crate) wanted: Option<Spot>,
}

impl Breadth {
    /// What does not hold, each with the way to the nearest configuration that shows it.
    pub(crate) fn wrong(&self, space: &mut dyn Space) -> Vec<Wrong> {
        [(Property::Safe, self.violated), (Property::Finishes, self.stuck)]
            .into_iter()
            .filter_map(|(property, spot)| Some((property, spot?)))
            .map(|(property, spot)| {
                let (path, ways) = self.path(space, spot);
                Wrong { property, path, ways, repeats_from: None }
            })
            .collect()
    }

    /// The rows on the way to a configuration, the first and the last included, and which way leads from each to the next.
    pub(crate) fn path(&self, space: &mut dyn Space, (level, number): Spot) -> (Vec<Vec<Number>>, Vec<usize>) {
        let (beginning, steps) = self.ancestry.path(level, number);
        let mut row = space.beginnings().swap_remove(beginning);
        let mut own = fingerprint(&row);
        let mut path = vec![row.clone()];
        let mut ways = Ways::default();
        for &way in &steps {
            space.ways(&row, own, &mut ways);
            ways.go(way, &mut row);
            own = ways.list[way].fingerprint;
            path.push(row.clone());
        }
        (path, steps)
    }
}

/// What the threads share.
struct Shared<'a> {
    table: RwLock<Table>,
    budget: &'a Budget,
    effort: &'a Effort,
    aim: &'a Aim<'a>,
    counts: Counts,
    /// Why to stop, as a [`RanOut`] plus 1; 0: go on.
    stop: AtomicU8,
    /// Whether something does not hold.
    violated: AtomicBool,
}

/// What all threads write over and over: whoever looks at what lies beside it would wait.
#[derive(Default)]
#[repr(align(128))]
struct Counts {
    states: AtomicU64,
    transitions: AtomicU64,
}

impl Shared<'_> {
    fn read(&self) -> RwLockReadGuard<'_, Table> {
        self.table.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a fingerprint into the table, which grows if it must; it is full if there is no memory for that.
    #[inline]
    fn meet<'a>(&'a self, table: &mut Option<RwLockReadGuard<'a, Table>>, fingerprint: u64, mark: u32) -> Met {
        loop {
            let met = table.get_or_insert_with(|| self.read()).meet(fingerprint, mark);
            if met != Met::Full {
                return met;
            }
            *table = None;
            let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
            if !table.grow(fingerprint, self.effort.threads, self.budget) {
                return met;
            }
        }
    }

    fn stop(&self, why: RanOut) {
        // The first word counts.
        let _ = self.stop.compare_exchange(0, why as u8 + 1, Ordering::Relaxed, Ordering::Relaxed);
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) != 0
    }

    fn ran_out(&self) -> Option<RanOut> {
        [RanOut::States, RanOut::Memory, RanOut::Patience, RanOut::Decisions]
            .into_iter()
            .find(|&why| why as u8 + 1 == self.stop.load(Ordering::Relaxed))
    }
}

/// One level, whose configurations are gone on from.
struct Level {
    depth: u64,
    count: u64,
    blocks: Vec<Mutex<Option<Block>>>,
    shares: Vec<Share>,
    done: AtomicU64,
    /// How many configurations had been met when it began.
    before: u64,
}

/// The blocks of one thread: neighbours lead to the same configurations, and who has just met them finds them close by.
#[repr(align(128))]
struct Share {
    next: AtomicUsize,
    end: usize,
}

impl Level {
    /// The next block of a thread, or of another that has more than it can do.
    fn take(&self, thread: usize) -> Option<Block> {
        let (before, after) = self.shares.split_at(thread);
        after.iter().chain(before).find_map(|share| {
            let index = share.next.fetch_add(1, Ordering::Relaxed);
            let block = (index < share.end).then(|| self.blocks[index].lock().unwrap_or_else(PoisonError::into_inner));
            block?.take()
        })
    }
}

/// What a thread found on a level; configurations by their numbers.
#[derive(Default)]
struct Tally {
    quiet: u64,
    most: u64,
    uneven: bool,
    violated: Option<u64>,
    stuck: Option<u64>,
    wanted: Option<u64>,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.quiet += other.quiet;
        self.most = self.most.max(other.most);
        self.uneven |= other.uneven;
        for (own, other) in
            [(&mut self.violated, other.violated), (&mut self.stuck, other.stuck), (&mut self.wanted, other.wanted)]
        {
            *own = least(*own, other);
        }
    }
}

/// The lesser of two numbers, if there are any.
fn least(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    one.into_iter().chain(other).min()
}

/// Meets everything that can be reached, as far as `effort` and `aim` allow.
pub(crate) fn breadth(
    space: &mut dyn Space,
    effort: &Effort,
    aim: &Aim<'_>,
    budget: &Budget,
    watch: Watch<'_>,
) -> Breadth {
    let shared = Shared {
        table: RwLock::new(Table::new()),
        budget,
        effort,
        aim,
        counts: Counts::default(),
        stop: AtomicU8::new(0),
        violated: AtomicBool::new(false),
    };
    let mut ancestry = Ancestry::default();
    let mut all = Tally::default();
    let (mut violated, mut stuck, mut wanted) = (None, None, None);
    let mut depth = 0;
    let (width, mut blocks) = begin(space, &shared);
    let mut others: Vec<Box<dyn Space>> = (1..effort.threads.max(1)).map(|_| space.another()).collect();
    let mut hands: Vec<_> = std::iter::once(&mut *space)
        .chain(others.iter_mut().map(|other| &mut **other))
        .enumerate()
        .map(|(thread, space)| Hand::new(thread, space, width))
        .collect();
    let mut told = Instant::now();
    let mut tell = |progress: &Progress| {
        let due = told.elapsed() >= OFTEN;
        if due {
            told = Instant::now();
        }
        !due || watch(progress)
    };
    loop {
        let border = |thread| blocks.len() * thread / hands.len();
        let share = |thread| Share { next: AtomicUsize::new(border(thread)), end: border(thread + 1) };
        let level = Level {
            depth,
            shares: (0..hands.len()).map(share).collect(),
            count: ancestry.add(&mut blocks),
            blocks: std::mem::take(&mut blocks).into_iter().map(|block| Mutex::new(Some(block))).collect(),
            done: AtomicU64::new(0),
            before: shared.counts.states.load(Ordering::Relaxed),
        };
        let tally;
        (blocks, tally) = expand(&mut hands, &shared, &level, &mut tell);
        violated = violated.or(tally.violated.map(|number| (depth, number)));
        stuck = stuck.or(tally.stuck.map(|number| (depth, number)));
        wanted = wanted.or(tally.wanted.map(|number| (depth, number)));
        all.add(&tally);
        if blocks.is_empty() || shared.stopped() || wanted.is_some() || depth == aim.deepest {
            break;
        }
        depth += 1;
    }
    hands.into_iter().for_each(|hand| hand.recent.drop(budget));
    let progress = Progress {
        states: shared.counts.states.load(Ordering::Relaxed),
        transitions: shared.counts.transitions.load(Ordering::Relaxed),
        depth,
        frontier: blocks.iter().map(|block| block.len() as u64).sum(),
        bytes: budget.peak(),
        violated: violated.is_some() || stuck.is_some(),
    };
    Breadth {
        ran_out: shared.ran_out(),
        table: shared.table.into_inner().unwrap_or_else(PoisonError::into_inner),
        ancestry,
        progress,
        quiet: all.quiet,
        graded: (!all.uneven).then_some(all.most),
        violated,
        stuck,
        wanted,
    }
}

/// The first level, and the length of rows.
fn begin(space: &dyn Space, shared: &Shared<'_>) -> (usize, Vec<Block>) {
    let beginnings = space.beginnings();
    let width = beginnings.first().map_or(0, Vec::len);
    let mut writer = Writer::new(width, shared.budget);
    for (index, row) in beginnings.iter().enumerate() {
        let own = fingerprint(row);
        let room = match shared.meet(&mut Some(shared.read()), own, mark(0, 0)) {
            Met::New => writer.push(row, (&[], own), 0, (index as u64, 0)),
            Met::Before(_) => continue,
            Met::Full => false,
        };
        if !room {
            shared.stop(RanOut::Memory);
            break;
        }
        shared.counts.states.fetch_add(1, Ordering::Relaxed);
    }
    (width, writer.blocks())
}

/// The mark of a configuration: its depth plus 1, and the message passes on the first way to it.
fn mark(depth: u64, sent: u64) -> u32 {
    ((depth + 1).min(TOO_LARGE) << 16 | sent.min(TOO_LARGE)) as u32
}

/// Goes on from all configurations of a level, with as many threads as there are hands.
fn expand(
    hands: &mut [Hand<'_>],
    shared: &Shared<'_>,
    level: &Level,
    tell: &mut dyn FnMut(&Progress) -> bool,
) -> (Vec<Block>, Tally) {
    let (own, others) = hands.split_first_mut().expect("somebody asks");
    let (mut next, mut tally) = (Vec::new(), Tally::default());
    std::thread::scope(|scope| {
        let helpers: Vec<_> = others
            .iter_mut()
            .take(level.blocks.len().saturating_sub(1))
            .map(|hand| scope.spawn(|| hand.work(shared, level, &mut |_| true)))
            .collect();
        let mut results = vec![own.work(shared, level, tell)];
        results.extend(helpers.into_iter().map(|helper| match helper.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }));
        for (blocks, part) in results {
            next.extend(blocks);
            tally.add(&part);
        }
    });
    (next, tally)
}

/// Which ways are enough to go, where what cannot matter is left out.
pub(crate) fn enough(ways: &Ways) -> Range<usize> {
    let range = ways.enough.clone();
    // What need not happen must not hide that nothing else does: something among it must.
    let firm = ways.list[range.clone()].iter().any(|way| !way.free);
    if firm && !range.is_empty() { range } else { 0..ways.list.len() }
}

/// What a thread works with.
struct Hand<'a> {
    thread: usize,
    space: &'a mut dyn Space,
    width: usize,
    batch: Vec<Parent>,
    recent: Recent,
    /// What the space was last charged.
    bytes: usize,
}

/// A configuration that is gone on from.
#[derive(Default)]
struct Parent {
    row: Vec<Number>,
    sent: u16,
    number: u64,
    ways: Ways,
}

impl<'a> Hand<'a> {
    fn new(thread: usize, space: &'a mut dyn Space, width: usize) -> Self {
        let batch = (0..BATCH).map(|_| Parent { row: vec![0; width], ..Parent::default() }).collect();
        Self { thread, space, width, batch, recent: Recent::new(), bytes: 0 }
    }

    /// Goes on from configurations of a level as long as there are any that nobody else has taken.
    fn work(
        &mut self,
        shared: &Shared<'_>,
        level: &Level,
        tell: &mut dyn FnMut(&Progress) -> bool,
    ) -> (Vec<Block>, Tally) {
        self.recent.fit(level.count, shared.budget);
        let mut sink = Sink {
            shared,
            depth: level.depth,
            recent: std::mem::replace(&mut self.recent, Recent::new()),
            writer: Writer::new(self.width, shared.budget),
            tally: Tally::default(),
            states: 0,
            transitions: 0,
        };
        while let Some(block) = level.take(self.thread) {
            for begin in (0..block.len()).step_by(BATCH) {
                if shared.stopped() {
                    break;
                }
                let end = block.len().min(begin + BATCH);
                self.go_on(&block, begin..end, &mut sink);
                level.done.fetch_add((end - begin) as u64, Ordering::Relaxed);
                if !tell(&sink.published(level)) {
                    shared.stop(RanOut::Patience);
                }
            }
            block.drop(shared.budget);
            let bytes = self.space.bytes();
            shared.budget.correct(self.bytes, bytes);
            self.bytes = bytes;
            if shared.budget.is_exceeded() {
                shared.stop(RanOut::Memory);
            }
        }
        self.recent = sink.recent;
        (sink.writer.blocks(), sink.tally)
    }

    /// Goes on from some configurations of a block.
    fn go_on(&mut self, block: &Block, range: Range<usize>, sink: &mut Sink<'_>) {
        let shared = sink.shared;
        let mut table = Some(shared.read());
        let mut parents = 0;
        for index in range {
            let parent = &mut self.batch[parents];
            let own;
            (own, parent.sent) = block.get(index, &mut parent.row);
            parent.number = block.first + index as u64;
            let known = sink.look(self.space, parent, own);
            if known && sink.depth < shared.aim.deepest {
                for way in &parent.ways.list[sink.enough(&parent.ways)] {
                    sink.recent.prefetch(way.fingerprint);
                }
                parents += 1;
                if parents > 1 {
                    sink.ask(&self.batch[parents - 2], table.as_deref());
                }
            }
        }
        if parents > 0 {
            sink.ask(&self.batch[parents - 1], table.as_deref());
        }
        for parent in &self.batch[..parents] {
            let ways = &parent.ways;
            let (enough, all) = (sink.enough(ways), ways.list.len());
            // What is left out must not be left out for ever \[Peled1994, C3\]: what goes round comes back to a level, or
            // stays on it, and where a way does so all are gone.
            let room = match sink.take(parent, enough.clone(), &mut table) {
                Some(true) => true,
                Some(false) => [0..enough.start, enough.end..all]
                    .into_iter()
                    .all(|rest| sink.take(parent, rest, &mut table).is_some()),
                None => false,
            };
            if !room {
                shared.stop(RanOut::Memory);
                return;
            }
        }
    }
}

/// Where a thread puts what it finds on a level.
struct Sink<'a> {
    shared: &'a Shared<'a>,
    depth: u64,
    writer: Writer<'a>,
    recent: Recent,
    tally: Tally,
    states: u64,
    transitions: u64,
}

/// What a thread met not long ago on this level, with the mark it had: neighbours lead to the same configurations, and what lies
/// close by is found sooner than what lies somewhere in a large table.
struct Recent(Vec<u64>);

impl Recent {
    /// Room for one, for which nobody is charged.
    fn new() -> Self {
        Self(vec![0])
    }

    /// Makes room as is fit for a level of so many configurations, if there is memory for it. Nothing of the levels before is
    /// needed.
    fn fit(&mut self, configurations: u64, budget: &Budget) {
        let (held, wanted) = (self.0.len(), configurations.min(RECENT as u64).next_power_of_two() as usize);
        if wanted > held && budget.take((wanted - held) * size_of::<u64>()) {
            self.0 = vec![0; wanted];
        }
    }

    /// It is no longer needed.
    fn drop(self, budget: &Budget) {
        budget.give(size_of_val(&self.0[1..]));
    }

    #[inline]
    fn has(&self, fingerprint: u64, mark: u32) -> bool {
        self.0[self.slot(fingerprint)] == Self::key(fingerprint, mark)
    }

    #[inline]
    fn add(&mut self, fingerprint: u64, mark: u32) {
        let slot = self.slot(fingerprint);
        self.0[slot] = Self::key(fingerprint, mark);
    }

    /// Asks for the memory where a fingerprint would be.
    #[inline]
    fn prefetch(&self, fingerprint: u64) {
        fetch(&raw const self.0[self.slot(fingerprint)]);
    }

    #[inline]
    fn slot(&self, fingerprint: u64) -> usize {
        fingerprint as usize & (self.0.len() - 1)
    }

    /// Fingerprint and mark in one: those of one fingerprint differ.
    fn key(fingerprint: u64, mark: u32) -> u64 {
        fingerprint ^ u64::from(mark) << 32
    }
}

impl<'a> Sink<'a> {
    /// Looks at a configuration, and works out its ways; `false` if it is not gone on from there.
    fn look(&mut self, space: &mut dyn Space, parent: &mut Parent, own: u64) -> bool {
        let number = Some(parent.number);
        self.tally.most = self.tally.most.max(parent.sent.into());
        if self.shared.aim.wanted.is_some_and(|bad| bad.component(own).is_some()) {
            self.tally.wanted = least(self.tally.wanted, number);
        }
        let standing = space.standing(&parent.row);
        if standing.violated {
            self.tally.violated = least(self.tally.violated, number);
            self.shared.violated.store(true, Ordering::Relaxed);
            return false;
        }
        space.ways(&parent.row, own, &mut parent.ways);
        if parent.ways.too_many {
            self.shared.stop(RanOut::Decisions);
            return false;
        }
        // As long as nothing has happened nothing was asked for.
        if self.depth > 0 && parent.ways.quiet() {
            self.tally.quiet += 1;
            if standing.waiting {
                self.tally.stuck = least(self.tally.stuck, number);
                self.shared.violated.store(true, Ordering::Relaxed);
            }
        }
        true
    }

    /// Which ways are enough to go here.
    fn enough(&self, ways: &Ways) -> Range<usize> {
        let reduce = self.shared.aim.reduce && self.depth + 2 < TOO_LARGE;
        if reduce { enough(ways) } else { 0..ways.list.len() }
    }

    /// Asks for the memory where what the ways of a configuration lead to is or would be, unless that lies close by.
    fn ask(&self, parent: &Parent, table: Option<&Table>) {
        let Some(table) = table else { return };
        for way in &parent.ways.list[self.enough(&parent.ways)] {
            if !self.recent.has(way.fingerprint, self.mark(parent, way)) {
                table.prefetch(way.fingerprint);
            }
        }
    }

    /// The mark of what a way leads to, if it was not met before.
    #[inline]
    fn mark(&self, parent: &Parent, way: &Way) -> u32 {
        mark(self.depth + 1, u64::from(parent.sent) + u64::from(way.sent))
    }

    /// Goes some ways. Says whether each of them leads on to the next level; `None` if there is no memory for that.
    fn take(
        &mut self,
        parent: &Parent,
        range: Range<usize>,
        table: &mut Option<RwLockReadGuard<'a, Table>>,
    ) -> Option<bool> {
        let shared = self.shared;
        let mut on = true;
        self.transitions += range.len() as u64;
        for index in range {
            let way = &parent.ways.list[index];
            let mark = self.mark(parent, way);
            if self.recent.has(way.fingerprint, mark) {
                continue;
            }
            match shared.meet(table, way.fingerprint, mark) {
                Met::New => {
                    let (to, from) = ((parent.ways.changes(index), way.fingerprint), (parent.number, index));
                    if !self.writer.push(&parent.row, to, mark as u16, from) {
                        return None;
                    }
                    self.tally.uneven |= mark >> 16 == u32::from(u16::MAX) || mark as u16 == u16::MAX;
                    self.states += 1;
                }
                Met::Before(before) => {
                    self.tally.uneven |= before != mark;
                    on &= before >> 16 == mark >> 16;
                    if before != mark {
                        continue;
                    }
                }
                Met::Full => return None,
            }
            self.recent.add(way.fingerprint, mark);
        }
        Some(on)
    }

    /// Tells the others how much was done here, and says how far they all are.
    fn published(&mut self, level: &Level) -> Progress {
        let shared = self.shared;
        let new = std::mem::take(&mut self.states);
        let states = shared.counts.states.fetch_add(new, Ordering::Relaxed) + new;
        if states > shared.effort.states {
            shared.stop(RanOut::States);
        }
        let new = std::mem::take(&mut self.transitions);
        let transitions = shared.counts.transitions.fetch_add(new, Ordering::Relaxed) + new;
        Progress {
            states,
            transitions,
            depth: self.depth,
            frontier: level.count - level.done.load(Ordering::Relaxed) + states - level.before,
            bytes: shared.budget.peak(),
            violated: shared.violated.load(Ordering::Relaxed),
        }
    }
}
