//! A run that one moves about in: forks of it as checkpoints, a cursor, and an execution ahead of the cursor.
//!
//! A jump forks the nearest checkpoint before its target and executes the rest again. The distance between checkpoints
//! doubles whenever there are too many of them, so that a run of any length has a bounded number. Steps back leave further
//! forks close to the cursor, so that one step back after the other costs little.

use ringleader_model::Time;
use ringleader_sim::{InspectableRun, RunPosition, Step};

/// A run that can be looked into.
pub(super) type AnyRun = Box<dyn InspectableRun>;

/// The number of checkpoints kept, at most, and how many bytes they may hold together.
const MOST_FORKS: usize = 64;
const MOST_BYTES: usize = 256 << 20;
/// Moves between two checkpoints, to begin with.
const SHORTEST: u64 = 64;
/// A fork copies this number of bytes in about the time of a move.
const BYTES_PER_MOVE: usize = 256;
/// Distances before the target of a step back at which forks are left.
const NEAR: [u64; 5] = [4096, 512, 64, 8, 1];
/// The number of such forks, at most.
const MOST_NEAR: usize = 16;
/// A run that holds more is not forked for steps back.
const MOST_NEAR_BYTES: usize = 4 << 20;
/// A run that goes forward leaves such a fork after this number of moves.
const TRAIL: u64 = 256;
/// The number of instants of which the last move is known, at most.
const MOST_INSTANTS: usize = 1 << 16;

/// A run at some moment.
struct Fork {
    moves: u64,
    time: Time,
    bytes: usize,
    run: AnyRun,
}

impl Fork {
    fn of(run: &dyn InspectableRun) -> Self {
        let RunPosition { moves, time, .. } = run.run_position();
        let run = run.fork();
        Self { moves, time, bytes: run.bytes(), run }
    }
}

/// A move with the steps that it logged.
pub(super) struct LoggedMove {
    pub(super) position: RunPosition,
    pub(super) steps: Vec<Step>,
}

/// A run with a cursor in it.
pub(super) struct Timeline {
    /// By moves; the first is the beginning.
    forks: Vec<Fork>,
    /// The moves between two of them.
    interval: u64,
    /// Forks close before the cursor.
    near: Vec<Fork>,
    cursor: AnyRun,
    /// The steps of the last move at the cursor.
    steps: Vec<Step>,
    /// The run behind the moves that were read last.
    reader: Option<AnyRun>,
    ahead: AnyRun,
    /// The position after the last move executed ahead.
    last: RunPosition,
    /// Nothing can happen any more ahead.
    over: bool,
    /// The cursor stands behind the end of the run: what comes after the last move has happened as well.
    settled: bool,
    /// The time and the last move of each instant executed, up to a number of them.
    instants: Vec<(Time, u64)>,
    /// After how many deliveries to stop.
    max_messages: u64,
}

impl Timeline {
    /// A run at its beginning.
    pub(super) fn new(run: AnyRun, max_messages: Option<u64>) -> Self {
        let bytes = run.bytes().max(1);
        let interval = (bytes / BYTES_PER_MOVE).next_power_of_two() as u64;
        Self {
            forks: vec![Fork::of(run.as_ref())],
            interval: interval.max(SHORTEST),
            near: Vec::new(),
            cursor: run.fork(),
            steps: Vec::new(),
            reader: None,
            last: run.run_position(),
            ahead: run,
            over: false,
            settled: false,
            instants: Vec::new(),
            max_messages: max_messages.unwrap_or(u64::MAX),
        }
    }

    /// The run at the cursor.
    pub(super) fn cursor(&self) -> &dyn InspectableRun {
        self.cursor.as_ref()
    }

    /// The steps of the last move before the cursor.
    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The run as far as it has been executed.
    pub(super) fn ahead(&self) -> &dyn InspectableRun {
        self.ahead.as_ref()
    }

    /// Where the run stands as far as it has been executed.
    pub(super) fn last_position(&self) -> RunPosition {
        // An attempt to go on beyond the end has moved the run ahead to a time that no move has.
        RunPosition { time: self.last.time, ..self.ahead.run_position() }
    }

    /// Where the cursor stands.
    pub(super) fn position(&self) -> RunPosition {
        if self.settled { self.last_position() } else { self.cursor.run_position() }
    }

    /// Whether the cursor stands at the end of the run.
    pub(super) fn is_at_end(&self) -> bool {
        self.settled
    }

    /// Logs the steps of the moves ahead, for those to whom they are handed.
    pub(super) fn log_ahead(&mut self) {
        self.ahead.log();
    }

    /// Whether all of the run has been executed.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// The moves executed so far.
    pub(super) fn end(&self) -> u64 {
        self.last.moves
    }

    fn advance(run: &mut dyn InspectableRun, max_messages: u64) -> bool {
        // A run stops between two passes, not within one.
        if run.deliveries() >= max_messages && run.is_between_passes() {
            return false;
        }
        run.advance_move()
    }

    /// Executes up to this number of moves ahead, and hands each on with the position before it; false when all is executed.
    pub(super) fn go_ahead(
        &mut self,
        budget: u64,
        mut each: impl FnMut(&RunPosition, &RunPosition, &mut dyn InspectableRun),
    ) -> bool {
        for _ in 0..budget {
            if self.over || !Self::advance(self.ahead.as_mut(), self.max_messages) {
                self.over = true;
                self.settle();
                return false;
            }
            let after = self.ahead.run_position();
            self.note_instant(after.time, after.moves);
            each(&self.last, &after, self.ahead.as_mut());
            if after.moves.is_multiple_of(self.interval) {
                self.keep();
            }
            self.last = after;
        }
        !self.over
    }

    /// At the end of the run, lets happen what comes after the last move: an attempt to go on, which ends the run.
    fn settle(&mut self) {
        if self.over && !self.settled && self.cursor.run_position().moves == self.end() {
            Self::advance(self.cursor.as_mut(), self.max_messages);
            self.settled = true;
        }
    }

    /// Notes the last move executed.
    fn note_instant(&mut self, time: Time, moves: u64) {
        let count = self.instants.len();
        match self.instants.last_mut() {
            Some(last) if last.0 == time => last.1 = moves,
            _ if count < MOST_INSTANTS => self.instants.push((time, moves)),
            _ => {}
        }
    }

    /// Keeps a checkpoint of the run ahead. Runs grow, and so do their forks.
    fn keep(&mut self) {
        let mut fork = Fork::of(self.ahead.as_ref());
        fork.run.unlog();
        self.forks.push(fork);
        let too_many = |forks: &[Fork]| {
            forks.len() > MOST_FORKS || forks.iter().map(|fork| fork.bytes).sum::<usize>() > MOST_BYTES
        };
        while self.forks.len() > 1 && too_many(&self.forks) {
            self.interval *= 2;
            self.forks.retain(|fork| fork.moves.is_multiple_of(self.interval));
        }
    }

    /// The last fork that has made at most this number of moves.
    fn fork_before(&self, moves: u64) -> &Fork {
        let forks = self.forks.iter().chain(&self.near).filter(|fork| fork.moves <= moves);
        forks.max_by_key(|fork| fork.moves).expect("the first fork is the beginning")
    }

    /// The run that has made most of this number of moves, and no more: a fork, or the cursor.
    fn run_before(&self, moves: u64) -> &dyn InspectableRun {
        let fork = self.fork_before(moves);
        let here = self.cursor.run_position().moves;
        if fork.moves < here && here <= moves { self.cursor.as_ref() } else { fork.run.as_ref() }
    }

    /// Moves the cursor behind this number of moves, which must have been executed.
    pub(super) fn go(&mut self, target: u64) {
        let target = target.min(self.end());
        let now = self.cursor.run_position().moves;
        if target == now {
            return;
        }
        self.settled = false;
        // The last move is made with a log of it.
        let before = target.saturating_sub(1);
        let fork = self.fork_before(before);
        let (fork_moves, back) = (fork.moves, target < now);
        if back || fork_moves > now.saturating_add(SHORTEST) {
            let leaves = back && fork.run.bytes() <= MOST_NEAR_BYTES;
            self.cursor = fork.run.fork();
            self.near.retain(|fork| !back || fork.moves <= before);
            for moves in fork_moves..before {
                if leaves && NEAR.contains(&(before - moves)) {
                    self.leave();
                }
                Self::advance(self.cursor.as_mut(), self.max_messages);
            }
        } else {
            let newest = self.near.iter().map(|fork| fork.moves).max().unwrap_or(0).max(fork_moves);
            if now > newest + TRAIL && self.cursor.bytes() <= MOST_NEAR_BYTES {
                self.leave();
            }
            for _ in now..before {
                Self::advance(self.cursor.as_mut(), self.max_messages);
            }
        }
        self.steps.clear();
        if target > 0 {
            self.cursor.log();
            Self::advance(self.cursor.as_mut(), self.max_messages);
            self.steps = self.cursor.take_log();
            self.cursor.unlog();
        }
        self.settle();
    }

    /// Leaves a fork at the cursor.
    fn leave(&mut self) {
        let moves = self.cursor.run_position().moves;
        if self.near.iter().any(|fork| fork.moves == moves) {
            return;
        }
        if self.near.len() >= MOST_NEAR {
            self.near.remove(0);
        }
        self.near.push(Fork::of(self.cursor.as_ref()));
    }

    /// The number of the last move before `moves` that satisfies a condition on the positions before and after it.
    pub(super) fn last_before(
        &self,
        moves: u64,
        mut is_meant: impl FnMut(&RunPosition, &RunPosition) -> bool,
    ) -> Option<u64> {
        let mut end = moves;
        while end > 0 {
            let fork = self.fork_before(end - 1);
            let (mut run, mut found) = (fork.run.fork(), None);
            let mut before = run.run_position();
            while before.moves < end && Self::advance(run.as_mut(), self.max_messages) {
                let after = run.run_position();
                if after.moves < moves && is_meant(&before, &after) {
                    found = Some(after.moves);
                }
                before = after;
            }
            if found.is_some() {
                return found;
            }
            end = fork.moves;
        }
        None
    }

    /// The number of the first move after the cursor that satisfies such a condition, or else of the last move, within `most`
    /// moves.
    pub(super) fn first_after(
        &self,
        most: u64,
        mut is_meant: impl FnMut(&RunPosition, &RunPosition) -> bool,
    ) -> (u64, bool) {
        let mut run = self.cursor.fork();
        let mut before = run.run_position();
        for _ in 0..most {
            if !Self::advance(run.as_mut(), self.max_messages) {
                break;
            }
            let after = run.run_position();
            if is_meant(&before, &after) {
                return (after.moves, true);
            }
            before = after;
        }
        (before.moves, false)
    }

    /// The number of moves made up to a time, that included, as far as the run has been executed.
    pub(super) fn moves_until(&self, time: Time) -> u64 {
        let known = self.instants.partition_point(|&(instant, _)| instant <= time);
        if known < self.instants.len() || known < MOST_INSTANTS {
            return known.checked_sub(1).map_or(0, |last| self.instants[last].1);
        }
        let earlier = self.forks.iter().rev().find(|fork| fork.time <= time && fork.moves > 0);
        let fork = earlier.unwrap_or(&self.forks[0]);
        let mut run = fork.run.fork();
        let mut moves = fork.moves;
        while moves < self.end() && Self::advance(run.as_mut(), self.max_messages) && run.run_position().time <= time {
            moves = run.run_position().moves;
        }
        moves
    }

    /// The moves after the first number up to the second one, with their logs.
    pub(super) fn logged(&self, from: u64, to: u64) -> Vec<LoggedMove> {
        self.read(self.run_before(from).fork().as_mut(), from, to)
    }

    /// The same; those that come next are then read without executing anything again.
    pub(super) fn read_on(&mut self, from: u64, to: u64) -> Vec<LoggedMove> {
        let nearest = self.run_before(from).run_position().moves;
        let is_nearer = |run: &mut AnyRun| (nearest..=from).contains(&run.run_position().moves);
        let mut reader = match self.reader.take_if(is_nearer) {
            Some(run) => run,
            None => self.run_before(from).fork(),
        };
        let moves = self.read(reader.as_mut(), from, to);
        self.reader = Some(reader);
        moves
    }

    /// Executes a run up to a number of moves, and up to another one with logs.
    fn read(&self, run: &mut dyn InspectableRun, from: u64, to: u64) -> Vec<LoggedMove> {
        run.unlog();
        while run.run_position().moves < from && Self::advance(run, self.max_messages) {}
        run.log();
        let mut moves = Vec::new();
        while run.run_position().moves < to && Self::advance(run, self.max_messages) {
            moves.push(LoggedMove { position: run.run_position(), steps: run.take_log() });
        }
        moves
    }
}
