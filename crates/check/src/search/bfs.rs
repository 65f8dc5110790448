//! Parallel breadth-first search of the state space.
//!
//! All states of a level are expanded before any of the next, so that the path by which a state is first reached is a
//! shortest one, whichever worker finds it. A worker takes a batch of states, computes all successors while the memory
//! of the visited set that they hash to is prefetched, and only then inserts them. Each worker caches recently visited
//! states, since neighbours in the frontier have many successors in common.
//!
//! Between two blocks of a level the search can be [saved](super::checkpoint) and resumed.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use ringleader_model::Promises;

use crate::answer::{Effort, Progress, Property, SearchLimit};
use crate::checkpoint::SearchWatch;
use crate::framing::FrameReader;
use crate::interner::{Interned, discoveries};
use crate::passes::{LinearCost, Passes};
use crate::transition_system::{Successors, Transition, TransitionSystem, fingerprint};

use super::bfs_state::{BfsState, LevelTally, least};
use super::checkpoint::{self, CreativeStates, SavedCounts, search_digest};
use super::extremes::EndTally;
use super::frontier::{BfsTree, FrontierBlock, FrontierWriter};
use super::liveness::LivelockStates;
use super::memory_budget::MemoryBudget;
use super::recent_cache::RecentCache;
use super::report_timer::ReportTimer;
use super::visited_set::{Insertion, VisitedSet};
use super::{PropertyViolation, StatePath, ample, follow};

/// The number of states that are expanded together.
const BATCH: usize = 32;
/// The bits of a mark that are a hash of message passes; the others are a depth.
const HASH_BITS: u32 = 20;
/// A depth that does not fit a mark.
const TOO_DEEP: u64 = (1 << (u32::BITS - HASH_BITS)) - 1;

/// The extent of a breadth-first search.
pub(crate) struct BfsGoal<'a> {
    /// Explore ample sets only.
    pub(crate) reduce: bool,
    /// The last level that is explored.
    pub(crate) deepest: u64,
    /// Stop at the level where one of these is reached.
    pub(crate) targets: Option<&'a LivelockStates>,
    /// Stop at the level of the first violation.
    pub(crate) first_violation: bool,
}

impl BfsGoal<'_> {
    /// True if all states are explored: such a search may take long.
    fn is_exhaustive(&self) -> bool {
        self.deepest == u64::MAX && self.targets.is_none()
    }
}

/// The position of a state: its level, and its number in the level.
pub(crate) type StatePosition = (u64, u64);

/// The result of a breadth-first search.
pub(crate) struct BfsResult {
    pub(crate) visited: VisitedSet,
    pub(crate) tree: BfsTree,
    pub(crate) progress: Progress,
    pub(crate) quiescent: u64,
    /// All paths to a state have the same length: then there is no cycle.
    pub(crate) leveled: bool,
    /// The state space is *graded*: all paths to a state have the same length and the same message passes by kind.
    pub(crate) graded: bool,
    /// The states in which runs end, with the costs of the first path to each.
    pub(crate) ends: EndTally,
    /// Some state had an ample set, so that perhaps not all transitions were explored.
    pub(crate) reduced: bool,
    pub(crate) ran_out: Option<SearchLimit>,
    /// By property: the nearest state that violates it.
    pub(crate) violated: Vec<(Property, StatePosition)>,
    /// The nearest state that is deadlocked: quiescent, with an outstanding request.
    pub(crate) deadlock: Option<StatePosition>,
    /// The nearest of the targets.
    pub(crate) target: Option<StatePosition>,
    /// The existential promises that some state fulfils.
    pub(crate) fulfilled: Promises,
}

impl BfsResult {
    /// The violated properties, each with a shortest path to a state that shows it.
    pub(crate) fn violations(&self, system: &mut dyn TransitionSystem) -> Vec<PropertyViolation> {
        let deadlock = self.deadlock.map(|position| (Property::Termination, position));
        self.violated
            .iter()
            .copied()
            .chain(deadlock)
            .map(|(property, position)| {
                let (states, transitions) = self.path(system, position);
                PropertyViolation { property, states, transitions, cycle_start: None, livelock: false }
            })
            .collect()
    }

    /// The states on the path to a position, and the transitions between them.
    pub(crate) fn path(&self, system: &mut dyn TransitionSystem, (level, number): StatePosition) -> StatePath {
        follow(system, self.tree.path(level, number))
    }
}

/// Data shared by all workers.
struct SharedSearch<'a> {
    visited: RwLock<VisitedSet>,
    memory: &'a MemoryBudget,
    effort: &'a Effort,
    goal: &'a BfsGoal<'a>,
    costs: Vec<LinearCost>,
    counts: Counts,
    /// A [`SearchLimit`] plus 1; 0: go on.
    stop: AtomicU8,
    /// A violation was found.
    violated: AtomicBool,
    /// The search is saved, so that creative states are recorded.
    saved: bool,
    /// The transitions of some state cannot be enumerated.
    truncated: AtomicBool,
    /// The workers shall stop after the block that each expands, for a checkpoint.
    pause: AtomicBool,
}

/// Counters that all workers write, in cache lines of their own (false sharing).
#[derive(Default)]
#[repr(align(128))]
struct Counts {
    states: AtomicU64,
    transitions: AtomicU64,
}

impl<'s> SharedSearch<'s> {
    fn new(
        effort: &'s Effort,
        goal: &'s BfsGoal<'s>,
        memory: &'s MemoryBudget,
        (costs, saved): (Vec<LinearCost>, bool),
    ) -> Self {
        Self {
            visited: RwLock::new(VisitedSet::new()),
            memory,
            effort,
            goal,
            costs,
            counts: Counts::default(),
            stop: AtomicU8::new(0),
            violated: AtomicBool::new(false),
            saved,
            truncated: AtomicBool::new(false),
            pause: AtomicBool::new(false),
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, VisitedSet> {
        self.visited.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Inserts a fingerprint into the visited set, which grows if necessary; full if there is no memory for that.
    #[inline]
    fn insert<'a>(
        &'a self,
        visited: &mut Option<RwLockReadGuard<'a, VisitedSet>>,
        fingerprint: u64,
        mark: u32,
    ) -> Insertion {
        loop {
            let inserted = visited.get_or_insert_with(|| self.read()).insert(fingerprint, mark);
            if inserted != Insertion::Full {
                return inserted;
            }
            *visited = None;
            let mut visited = self.visited.write().unwrap_or_else(PoisonError::into_inner);
            if !visited.grow(fingerprint, self.effort.threads, self.memory) {
                return inserted;
            }
        }
    }

    fn stop(&self, reason: SearchLimit) {
        // The first reason is kept.
        let _ = self.stop.compare_exchange(0, reason as u8 + 1, Ordering::Relaxed, Ordering::Relaxed);
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) != 0
    }

    fn is_paused(&self) -> bool {
        self.pause.load(Ordering::Relaxed)
    }

    /// Resumes the search that was saved, if it is this one.
    fn resume(&self, system: &mut dyn TransitionSystem, digest: u64, watch: &mut dyn SearchWatch) -> Option<BfsState> {
        let (record, file) = watch.checkpoints()?;
        let load = |input: &mut FrameReader<'_>, system: &mut dyn TransitionSystem| {
            checkpoint::load(input, system, digest, self.memory)
        };
        let loaded = record.resume(file, system, load);
        if record.is_refused() {
            self.stop(SearchLimit::Interrupted);
        }
        let (state, counts, visited) = loaded?;
        self.counts.states.store(counts.states, Ordering::Relaxed);
        self.counts.transitions.store(counts.transitions, Ordering::Relaxed);
        *self.visited.write().unwrap_or_else(PoisonError::into_inner) = visited;
        let violated = !state.violated.is_empty() || !state.level.violated.is_empty();
        let deadlock = state.deadlock.is_some() || state.level.deadlock.is_some();
        self.violated.store(violated || deadlock, Ordering::Relaxed);
        Some(state)
    }

    /// Saves the search. No worker may be at work.
    fn save(&self, system: &dyn TransitionSystem, state: &BfsState, watch: &mut dyn SearchWatch) {
        let Some((record, file)) = watch.checkpoints() else { return };
        // A state whose transitions cannot be enumerated is not expanded, though it is counted as such.
        if self.truncated.load(Ordering::Relaxed) {
            return;
        }
        let counts = SavedCounts {
            states: self.counts.states.load(Ordering::Relaxed),
            transitions: self.counts.transitions.load(Ordering::Relaxed),
            peak: self.memory.peak(),
        };
        record.save(file, system, &|out| checkpoint::save(out, system, (state, counts), &self.read()));
    }

    fn ran_out(&self) -> Option<SearchLimit> {
        [SearchLimit::States, SearchLimit::Memory, SearchLimit::Interrupted, SearchLimit::Branching]
            .into_iter()
            .find(|&reason| reason as u8 + 1 == self.stop.load(Ordering::Relaxed))
    }

    /// The result of a search that is over or was stopped.
    fn result(self, mut state: BfsState) -> BfsResult {
        // Some of a level may have been explored.
        state.end_level();
        let progress = Progress {
            states: self.counts.states.load(Ordering::Relaxed),
            transitions: self.counts.transitions.load(Ordering::Relaxed),
            depth: state.depth(),
            frontier: state.next.iter().map(|block| block.len() as u64).sum(),
            bytes: self.memory.peak(),
            violated: !state.violated.is_empty() || state.deadlock.is_some(),
        };
        let BfsState { mut violated, tree, deadlock, target, all, .. } = state;
        violated.sort_unstable();
        BfsResult {
            ran_out: self.ran_out(),
            visited: self.visited.into_inner().unwrap_or_else(PoisonError::into_inner),
            tree,
            progress,
            quiescent: all.quiescent,
            leveled: !all.unleveled,
            graded: !all.unleveled && !all.ungraded,
            ends: all.ends,
            reduced: all.reduced,
            violated,
            deadlock,
            target,
            fulfilled: all.fulfilled,
        }
    }
}

/// A level that is being expanded.
struct Level {
    depth: u64,
    count: u64,
    blocks: Vec<Mutex<Option<FrontierBlock>>>,
    shares: Vec<WorkShare>,
    done: AtomicU64,
    /// The number of states that had been visited before it.
    before: u64,
}

/// The blocks of a level that one worker expands first. Neighbouring blocks have successors in common, which the
/// worker's cache then holds.
#[repr(align(128))]
struct WorkShare {
    next: AtomicUsize,
    end: usize,
}

impl Level {
    /// The blocks that are left of the present level.
    fn new(state: &mut BfsState, workers: usize) -> Self {
        let blocks = std::mem::take(&mut state.remaining);
        let border = |worker| blocks.len() * worker / workers;
        let share = |worker| WorkShare { next: AtomicUsize::new(border(worker)), end: border(worker + 1) };
        let left: usize = blocks.iter().map(|block| block.len() - block.expanded).sum();
        Self {
            depth: state.depth(),
            shares: (0..workers).map(share).collect(),
            count: state.count,
            blocks: blocks.into_iter().map(|block| Mutex::new(Some(block))).collect(),
            done: AtomicU64::new(state.count - left as u64),
            before: state.before,
        }
    }

    /// The next block of a worker, or one of another worker's share (work stealing), and its index.
    fn next_block(&self, thread: usize) -> Option<(usize, FrontierBlock)> {
        let (before, after) = self.shares.split_at(thread);
        after.iter().chain(before).find_map(|share| {
            let index = share.next.fetch_add(1, Ordering::Relaxed);
            let block = (index < share.end).then(|| self.block(index));
            Some((index, block?.take()?))
        })
    }

    fn block(&self, index: usize) -> MutexGuard<'_, Option<FrontierBlock>> {
        self.blocks[index].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The blocks that were not expanded completely.
    fn into_remaining(self) -> Vec<FrontierBlock> {
        self.blocks.into_iter().filter_map(|block| block.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
    }
}

/// Explores the state space as far as `effort` and `goal` allow.
pub(crate) fn bfs(
    system: &mut dyn TransitionSystem,
    effort: &Effort,
    goal: &BfsGoal<'_>,
    memory: &MemoryBudget,
    watch: &mut dyn SearchWatch,
) -> BfsResult {
    let saved = goal.is_exhaustive() && watch.checkpoints().is_some();
    let shared = SharedSearch::new(effort, goal, memory, (system.linear_costs(), saved));
    let digest = if saved { search_digest(system, (goal.reduce, goal.first_violation)) } else { 0 };
    let resumed = if saved { shared.resume(system, digest, watch) } else { None };
    let mut state = resumed.unwrap_or_else(|| BfsState { digest, ..initial_level(system, &shared) });
    let saved = saved && !shared.stopped() && watch.checkpoints().is_some_and(|(record, _)| !record.is_kept());
    let mut others: Vec<Box<dyn TransitionSystem>> = (1..effort.threads.max(1)).map(|_| system.fork()).collect();
    let mut workers: Vec<_> = std::iter::once(&mut *system)
        .chain(others.iter_mut().map(|other| &mut **other))
        .enumerate()
        .map(|(thread, system)| Worker::new(thread, system, state.width))
        .collect();
    let mut timer = ReportTimer::new();
    loop {
        let is_over = state.remaining.is_empty() && state.is_over(goal);
        if is_over || shared.stopped() {
            break;
        }
        if state.remaining.is_empty() {
            state.begin_level(shared.counts.states.load(Ordering::Relaxed));
        }
        let mut report = |progress: &Progress| {
            if saved && watch.is_checkpoint_due() {
                shared.pause.store(true, Ordering::Relaxed);
            }
            !timer.is_due() || watch.goes_on(progress)
        };
        let level = Level::new(&mut state, workers.len());
        expand_level(&mut workers, &shared, &level, &mut state, &mut report);
        state.remaining = level.into_remaining();
        if state.remaining.is_empty() {
            state.end_level();
        }
        let pauses = shared.pause.swap(false, Ordering::Relaxed);
        if saved && (pauses || shared.stopped()) {
            shared.save(&*workers[0].system, &state, watch);
        }
        // With random choices a formula is judged in another search.
        if shared.stopped() && shared.ran_out() != Some(SearchLimit::Branching) {
            watch.stop_checkpoints();
        }
    }
    // A depth-first search may follow, which is not saved.
    if saved && !shared.stopped() && watch.is_checkpoint_due() {
        shared.save(&*workers[0].system, &state, watch);
    }
    workers.into_iter().for_each(|worker| worker.recent.drop(memory));
    shared.result(state)
}

/// The search before its first level.
fn initial_level(system: &dyn TransitionSystem, shared: &SharedSearch<'_>) -> BfsState {
    let initial_states = system.initial_states();
    let width = initial_states.first().map_or(0, Vec::len);
    let mut writer = FrontierWriter::new(width, shared.memory);
    for (index, state) in initial_states.iter().enumerate() {
        let fingerprint = fingerprint(state);
        let room = match shared.insert(&mut Some(shared.read()), fingerprint, mark(0, Passes::NONE)) {
            Insertion::New => writer.push(state, (&[], fingerprint), Passes::NONE, (index as u64, 0)),
            Insertion::Visited(_) => continue,
            Insertion::Full => false,
        };
        if !room {
            shared.stop(SearchLimit::Memory);
            break;
        }
        shared.counts.states.fetch_add(1, Ordering::Relaxed);
    }
    BfsState { width, next: writer.blocks(), ..BfsState::default() }
}

/// The mark of a state in the visited set: its depth plus 1, and a hash of the message passes of the first path to it.
#[inline]
fn mark(depth: u64, sent: Passes) -> u32 {
    ((depth + 1).min(TOO_DEEP) as u32) << HASH_BITS | sent.hash(HASH_BITS)
}

/// Expands what is left of a level, with one thread for each worker, until it is complete or the workers shall stop.
fn expand_level(
    workers: &mut [Worker<'_>],
    shared: &SharedSearch<'_>,
    level: &Level,
    state: &mut BfsState,
    report: &mut dyn FnMut(&Progress) -> bool,
) {
    let (own, others) = workers.split_first_mut().expect("there is a worker");
    std::thread::scope(|scope| {
        let helpers: Vec<_> = others
            .iter_mut()
            .take(level.blocks.len().saturating_sub(1))
            .map(|worker| scope.spawn(|| worker.run(shared, level, &mut |_| true)))
            .collect();
        let mut results = vec![own.run(shared, level, report)];
        results.extend(helpers.into_iter().map(|helper| match helper.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }));
        for (blocks, found, creative) in results {
            state.next.extend(blocks);
            state.level.add(&found);
            let before = state.creative.bytes();
            state.creative.append(creative);
            shared.memory.correct(before, state.creative.bytes());
        }
    });
}

/// A worker thread's data.
struct Worker<'a> {
    thread: usize,
    system: &'a mut dyn TransitionSystem,
    width: usize,
    batch: Vec<Parent>,
    recent: RecentCache,
    /// The memory of the system that was last charged to the budget.
    bytes: usize,
}

/// A state being expanded.
#[derive(Default)]
struct Parent {
    state: Vec<Interned>,
    sent: Passes,
    number: u64,
    successors: Successors,
}

impl<'a> Worker<'a> {
    fn new(thread: usize, system: &'a mut dyn TransitionSystem, width: usize) -> Self {
        let batch = (0..BATCH).map(|_| Parent { state: vec![0; width], ..Parent::default() }).collect();
        Self { thread, system, width, batch, recent: RecentCache::new(), bytes: 0 }
    }

    /// Expands blocks of a level until there are no more.
    fn run(
        &mut self,
        shared: &SharedSearch<'_>,
        level: &Level,
        report: &mut dyn FnMut(&Progress) -> bool,
    ) -> (Vec<FrontierBlock>, LevelTally, CreativeStates) {
        self.recent.resize(level.count, shared.memory);
        let mut output = WorkerOutput {
            shared,
            depth: level.depth,
            recent: std::mem::replace(&mut self.recent, RecentCache::new()),
            writer: FrontierWriter::new(self.width, shared.memory),
            tally: LevelTally::default(),
            creative: CreativeStates::default(),
            states: 0,
            transitions: 0,
        };
        while let Some((index, mut block)) = level.next_block(self.thread) {
            while block.expanded < block.len() && !shared.stopped() {
                let (begin, end) = (block.expanded, block.len().min(block.expanded + BATCH));
                if self.expand_batch(&block, begin..end, &mut output) {
                    block.expanded = end;
                    level.done.fetch_add((end - begin) as u64, Ordering::Relaxed);
                }
                if !report(&output.published(level)) {
                    shared.stop(SearchLimit::Interrupted);
                }
            }
            if block.expanded < block.len() {
                *level.block(index) = Some(block);
                break;
            }
            block.drop(shared.memory);
            let bytes = self.system.bytes();
            shared.memory.correct(self.bytes, bytes);
            self.bytes = bytes;
            if shared.memory.is_exceeded() {
                shared.stop(SearchLimit::Memory);
            }
            if shared.is_paused() {
                break;
            }
        }
        self.recent = output.recent;
        (output.writer.blocks(), output.tally, output.creative)
    }

    /// Expands some states of a block. If there is no memory for all of their successors, the search stops, and it is as
    /// if none had been expanded: inserting the same successors again changes nothing, and what is counted is not counted.
    fn expand_batch(&mut self, block: &FrontierBlock, range: Range<usize>, output: &mut WorkerOutput<'_>) -> bool {
        let shared = output.shared;
        let counted = (output.tally.quiescent, output.transitions);
        let mut visited = Some(shared.read());
        let mut parents = 0;
        for index in range {
            let parent = &mut self.batch[parents];
            let fingerprint;
            (fingerprint, parent.sent) = block.get(index, &mut parent.state);
            parent.number = block.first + index as u64;
            let known = output.inspect(self.system, parent, fingerprint);
            if known && output.depth < shared.goal.deepest {
                for transition in &parent.successors.transitions[output.ample(&parent.successors)] {
                    output.recent.prefetch(transition.fingerprint);
                }
                parents += 1;
                if parents > 1 {
                    output.prefetch(&self.batch[parents - 2], visited.as_deref());
                }
            }
        }
        if parents > 0 {
            output.prefetch(&self.batch[parents - 1], visited.as_deref());
        }
        for parent in &self.batch[..parents] {
            let successors = &parent.successors;
            let (ample, all) = (output.ample(successors), successors.transitions.len());
            output.tally.reduced |= ample.len() < all;
            // The cycle condition, as a level proviso: every cycle has a transition that does not lead to the next
            // level; if an ample set has one, all transitions are explored.
            let room = match output.insert_successors(parent, ample.clone(), &mut visited) {
                Some(true) => true,
                Some(false) => [0..ample.start, ample.end..all]
                    .into_iter()
                    .all(|rest| output.insert_successors(parent, rest, &mut visited).is_some()),
                None => false,
            };
            if !room {
                shared.stop(SearchLimit::Memory);
                (output.tally.quiescent, output.transitions) = counted;
                return false;
            }
        }
        true
    }
}

/// The output of a worker on a level.
struct WorkerOutput<'a> {
    shared: &'a SharedSearch<'a>,
    depth: u64,
    writer: FrontierWriter<'a>,
    recent: RecentCache,
    tally: LevelTally,
    creative: CreativeStates,
    states: u64,
    transitions: u64,
}

impl<'a> WorkerOutput<'a> {
    /// Evaluates the properties in a state and computes its successors; `false` if it is not expanded.
    fn inspect(&mut self, system: &mut dyn TransitionSystem, parent: &mut Parent, fingerprint: u64) -> bool {
        let number = Some(parent.number);
        if self.shared.goal.targets.is_some_and(|livelocks| livelocks.component(fingerprint).is_some()) {
            self.tally.target = least(self.tally.target, number);
        }
        let monitor_status = system.monitor_status(&parent.state);
        self.tally.fulfilled = self.tally.fulfilled.union(monitor_status.fulfilled);
        if monitor_status.violated {
            for property in system.violated_properties(&parent.state) {
                self.tally.violate(property, parent.number);
            }
            self.shared.violated.store(true, Ordering::Relaxed);
        }
        if monitor_status.cut_off {
            self.tally.ends.note(&self.shared.costs, parent.sent, None);
            return false;
        }
        let before = discoveries();
        system.successors(&parent.state, fingerprint, &mut parent.successors);
        if self.shared.saved && discoveries() != before {
            self.creative.push(&parent.state, &parent.successors);
        }
        if parent.successors.truncated {
            self.shared.truncated.store(true, Ordering::Relaxed);
            self.shared.stop(SearchLimit::Branching);
            return false;
        }
        // In an initial state nothing has been requested.
        if self.depth > 0 && parent.successors.is_quiescent() {
            self.tally.quiescent += 1;
            let complete = Some(system.features(&parent.state, true)).filter(|features| features.complete);
            self.tally.ends.note(&self.shared.costs, parent.sent, complete);
            if monitor_status.waiting {
                self.tally.deadlock = least(self.tally.deadlock, number);
                self.shared.violated.store(true, Ordering::Relaxed);
            }
        }
        true
    }

    /// The transitions to explore from this level.
    fn ample(&self, successors: &Successors) -> Range<usize> {
        let reduce = self.shared.goal.reduce && self.depth + 2 < TOO_DEEP;
        if reduce { ample(successors) } else { 0..successors.transitions.len() }
    }

    /// Prefetches the entries of a state's successors in the visited set, unless they are cached.
    fn prefetch(&self, parent: &Parent, visited: Option<&VisitedSet>) {
        let Some(visited) = visited else { return };
        for transition in &parent.successors.transitions[self.ample(&parent.successors)] {
            if !self.recent.contains(transition.fingerprint, self.mark(parent, transition)) {
                visited.prefetch(transition.fingerprint);
            }
        }
    }

    /// The mark of a successor that has not been visited.
    #[inline]
    fn mark(&self, parent: &Parent, transition: &Transition) -> u32 {
        mark(self.depth + 1, parent.sent + transition.passes)
    }

    /// Inserts some successors. Returns whether all of them belong to the next level; `None` if there is no memory.
    fn insert_successors(
        &mut self,
        parent: &Parent,
        range: Range<usize>,
        visited: &mut Option<RwLockReadGuard<'a, VisitedSet>>,
    ) -> Option<bool> {
        let shared = self.shared;
        let mut next_level = true;
        self.transitions += range.len() as u64;
        for index in range {
            let transition = &parent.successors.transitions[index];
            let mark = self.mark(parent, transition);
            if self.recent.contains(transition.fingerprint, mark) {
                continue;
            }
            match shared.insert(visited, transition.fingerprint, mark) {
                Insertion::New => {
                    let (to, from) =
                        ((parent.successors.writes(index), transition.fingerprint), (parent.number, index));
                    let sent = parent.sent + transition.passes;
                    if !self.writer.push(&parent.state, to, sent, from) {
                        shared.stop(SearchLimit::Memory);
                    }
                    self.tally.ungraded |= sent.overflows();
                    self.tally.unleveled |= u64::from(mark >> HASH_BITS) == TOO_DEEP;
                    self.states += 1;
                }
                Insertion::Visited(before) => {
                    self.tally.ungraded |= before != mark;
                    next_level &= before >> HASH_BITS == mark >> HASH_BITS;
                    if before != mark {
                        continue;
                    }
                }
                Insertion::Full => return None,
            }
            self.recent.add(transition.fingerprint, mark);
        }
        self.tally.unleveled |= !next_level;
        Some(next_level)
    }

    /// Adds this worker's counts to the shared ones, and returns the progress of all.
    fn published(&mut self, level: &Level) -> Progress {
        let shared = self.shared;
        let new = std::mem::take(&mut self.states);
        let states = shared.counts.states.fetch_add(new, Ordering::Relaxed) + new;
        if states > shared.effort.states {
            shared.stop(SearchLimit::States);
        }
        let new = std::mem::take(&mut self.transitions);
        let transitions = shared.counts.transitions.fetch_add(new, Ordering::Relaxed) + new;
        Progress {
            states,
            transitions,
            depth: self.depth,
            frontier: level.count - level.done.load(Ordering::Relaxed) + states - level.before,
            bytes: shared.memory.peak(),
            violated: shared.violated.load(Ordering::Relaxed),
        }
    }
}
