//! A breadth-first search between two blocks of a level: what a checkpoint keeps of it besides the visited set.

use ringleader_model::Promises;

use super::bfs::{BfsGoal, StatePosition};
use super::checkpoint::CreativeStates;
use super::extremes::EndTally;
use super::frontier::{BfsTree, FrontierBlock};
use crate::answer::Property;

/// A breadth-first search, besides its visited set and its counters, between two blocks of a level.
#[derive(Default)]
pub(super) struct BfsState {
    /// The length of state vectors.
    pub(super) width: usize,
    /// A digest of what is searched, if the search is saved.
    pub(super) digest: u64,
    /// The number of levels that were begun.
    pub(super) levels: u64,
    /// The number of states of the present level.
    pub(super) count: u64,
    /// The number of states that had been visited before it.
    pub(super) before: u64,
    /// The blocks of the present level that are left, and those of the next level.
    pub(super) remaining: Vec<FrontierBlock>,
    pub(super) next: Vec<FrontierBlock>,
    /// The findings on the present level, and on all before it.
    pub(super) level: LevelTally,
    pub(super) all: LevelTally,
    pub(super) violated: Vec<(Property, StatePosition)>,
    pub(super) deadlock: Option<StatePosition>,
    pub(super) target: Option<StatePosition>,
    pub(super) tree: BfsTree,
    pub(super) creative: CreativeStates,
}

impl BfsState {
    pub(super) fn depth(&self) -> u64 {
        self.levels.saturating_sub(1)
    }

    /// True if the level that was completed is the last one.
    pub(super) fn is_over(&self, goal: &BfsGoal<'_>) -> bool {
        let found = self.target.is_some() || goal.first_violation && !self.violated.is_empty();
        self.next.is_empty() || found || self.levels > 0 && self.depth() == goal.deepest
    }

    /// Begins the next level.
    pub(super) fn begin_level(&mut self, visited: u64) {
        self.levels += 1;
        self.before = visited;
        self.remaining = std::mem::take(&mut self.next);
        self.count = self.tree.add(&mut self.remaining);
    }

    /// Evaluates the findings on the present level.
    pub(super) fn end_level(&mut self) {
        let (depth, tally) = (self.depth(), std::mem::take(&mut self.level));
        for &(property, number) in &tally.violated {
            if self.violated.iter().all(|(other, _)| *other != property) {
                self.violated.push((property, (depth, number)));
            }
        }
        self.deadlock = self.deadlock.or(tally.deadlock.map(|number| (depth, number)));
        self.target = self.target.or(tally.target.map(|number| (depth, number)));
        self.all.add(&tally);
    }
}

/// The findings of a worker on a level; states by their numbers.
#[derive(Default)]
pub(super) struct LevelTally {
    pub(super) quiescent: u64,
    pub(super) ends: EndTally,
    pub(super) unleveled: bool,
    pub(super) ungraded: bool,
    pub(super) reduced: bool,
    /// By property.
    pub(super) violated: Vec<(Property, u64)>,
    pub(super) deadlock: Option<u64>,
    pub(super) target: Option<u64>,
    pub(super) fulfilled: Promises,
}

impl LevelTally {
    pub(super) fn add(&mut self, other: &Self) {
        self.quiescent += other.quiescent;
        self.ends.add(&other.ends);
        self.unleveled |= other.unleveled;
        self.ungraded |= other.ungraded;
        self.reduced |= other.reduced;
        self.fulfilled = self.fulfilled.union(other.fulfilled);
        for (own, other) in [(&mut self.deadlock, other.deadlock), (&mut self.target, other.target)] {
            *own = least(*own, other);
        }
        for &(property, number) in &other.violated {
            self.violate(property, number);
        }
    }

    /// A state violates a property.
    pub(super) fn violate(&mut self, property: Property, number: u64) {
        match self.violated.iter_mut().find(|(other, _)| *other == property) {
            Some((_, least)) => *least = number.min(*least),
            None => self.violated.push((property, number)),
        }
    }
}

/// The lesser of two numbers, if there are any.
pub(super) fn least(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    one.into_iter().chain(other).min()
}
