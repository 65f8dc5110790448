//! Everything that is left to chance in a run, or to an adversary.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use ringleader_model::Place;

use crate::race::prefetch;
use crate::random::{Lane, below, draw, key};

/// Who decides what is left open: keyed random streams, or a recorded list of choices.
///
/// An adversary is such a list. Choices are consumed in the order in which the run asks for them; when the list is used
/// up, every further choice is the least one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Choices {
    /// Drawn from the scenario's seed.
    #[default]
    Drawn,
    /// Taken from a list.
    Recorded(Vec<u64>),
}

/// A recorded choice that is not one of those there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BadChoice {
    /// Which one, from 0.
    pub index: usize,
    /// What it says.
    pub choice: u64,
    /// It must be below this.
    pub bound: u64,
}

impl fmt::Display for BadChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "choice {} is {}, but there are {} to choose from", self.index, self.choice, self.bound)
    }
}

impl core::error::Error for BadChoice {}

pub(crate) struct Chance {
    /// By lane, where its streams start.
    keys: [u64; 8],
    /// How many draws each place has made during the run, in all lanes together; made when first needed.
    counts: Vec<u32>,
    n: usize,
    list: Option<Vec<u64>>,
    next: usize,
    record: Option<Vec<u64>>,
    bad: Option<BadChoice>,
}

impl Chance {
    pub(crate) fn new(seed: u64, n: usize) -> Self {
        let mut keys = [0; 8];
        for lane in [Lane::Coin, Lane::Fault, Lane::Step, Lane::Load] {
            keys[lane as usize] = key(seed, lane);
        }
        Self { keys, counts: Vec::new(), n, list: None, next: 0, record: None, bad: None }
    }

    pub(crate) fn follow(&mut self, choices: Choices) {
        if let Choices::Recorded(list) = choices {
            self.list = Some(list);
        }
    }

    pub(crate) fn record(&mut self) {
        self.record = Some(Vec::new());
    }

    /// The choices made so far, if they are recorded.
    pub(crate) fn recorded(&self) -> Option<&[u64]> {
        self.record.as_deref()
    }

    /// How many choices of the list were not asked for.
    pub(crate) fn unused(&self) -> usize {
        self.list.as_ref().map_or(0, |list| list.len().saturating_sub(self.next))
    }

    pub(crate) fn bad(&self) -> Option<BadChoice> {
        self.bad
    }

    /// Chooses from `0..bound` for a place. `LISTED` is false only where no list can be in force.
    #[inline(always)]
    pub(crate) fn choose<const LISTED: bool>(&mut self, lane: Lane, place: Place, bound: u64) -> u64 {
        if bound <= 1 {
            return 0;
        }
        let drawn = self.draw(self.keys[lane as usize], place, bound);
        if LISTED { self.settle(drawn, bound) } else { drawn }
    }

    /// Draws from `0..bound` for a place, whatever the list says. `key`: of the lane.
    #[inline(always)]
    pub(crate) fn draw(&mut self, key: u64, place: Place, bound: u64) -> u64 {
        let place_count = match self.counts.get_mut(place as usize) {
            Some(count) => count,
            None => self.make_counts(place),
        };
        let count = *place_count;
        *place_count = count.wrapping_add(1);
        below(draw(key, place, count), bound)
    }

    #[cold]
    fn make_counts(&mut self, place: Place) -> &mut u32 {
        self.counts = vec![0; self.n];
        &mut self.counts[place as usize]
    }

    /// What was drawn, or what the list says instead; recorded.
    pub(crate) fn settle(&mut self, drawn: u64, bound: u64) -> u64 {
        if self.list.is_some() {
            return self.follow_list(bound);
        }
        if let Some(record) = &mut self.record {
            record.push(drawn);
        }
        drawn
    }

    fn follow_list(&mut self, bound: u64) -> u64 {
        let list = self.list.as_ref().expect("it is followed");
        let choice = list.get(self.next).copied().unwrap_or(0);
        let index = self.next;
        self.next += 1;
        let chosen = if choice < bound {
            choice
        } else {
            self.bad = self.bad.or(Some(BadChoice { index, choice, bound }));
            bound - 1
        };
        if let Some(record) = &mut self.record {
            record.push(chosen);
        }
        chosen
    }

    /// Asks for the memory that a draw of a place will need.
    #[inline(always)]
    pub(crate) fn fetch(&self, place: Place) {
        if !self.counts.is_empty() {
            prefetch(self.counts.as_ptr().wrapping_add(place as usize));
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.counts.capacity() * 4
    }
}
