//! Everything that is left to chance in a run, or to an adversary.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use ringleader_model::{Open, Place, Script};

use crate::race::prefetch;
use crate::random::{Lane, below, draw, key};

/// Who decides what is left open: keyed random streams, a recorded list of choices, or a script.
///
/// An adversary is such a list. Choices are consumed in the order in which the run asks for them; when the list is used
/// up, every further choice is the least one. A script answers by what is asked and where, whatever the order in which the
/// run asks; what it has no answer for is the least choice too.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Choices {
    /// Drawn from the scenario's seed.
    #[default]
    Drawn,
    /// Taken from a list.
    Recorded(Vec<u64>),
    /// Taken from a script.
    Scripted(Script),
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
    keys: [u64; 10],
    /// How many draws each place has made during the run, in all lanes together; made when first needed.
    counts: Vec<u32>,
    n: usize,
    guide: Option<Guide>,
    /// How many choices the guide was asked for.
    next: usize,
    /// How many of them it had no answer to.
    unanswered: usize,
    record: Option<Vec<u64>>,
    bad: Option<BadChoice>,
}

/// What decides in the place of chance.
enum Guide {
    List(Vec<u64>),
    Script(Script),
}

impl Chance {
    pub(crate) fn new(seed: u64, n: usize) -> Self {
        let mut keys = [0; 10];
        for lane in [Lane::Coin, Lane::Fault, Lane::Step, Lane::Load, Lane::Next, Lane::Tie] {
            keys[lane as usize] = key(seed, lane);
        }
        Self { keys, counts: Vec::new(), n, guide: None, next: 0, unanswered: 0, record: None, bad: None }
    }

    pub(crate) fn follow(&mut self, choices: Choices) {
        self.guide = match choices {
            Choices::Drawn => None,
            Choices::Recorded(list) => Some(Guide::List(list)),
            Choices::Scripted(script) => Some(Guide::Script(script)),
        };
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
        match &self.guide {
            Some(Guide::List(list)) => list.len().saturating_sub(self.next),
            Some(Guide::Script(_)) | None => 0,
        }
    }

    /// How many choices were asked of the list or script that it does not have.
    pub(crate) fn unanswered(&self) -> usize {
        self.unanswered
    }

    /// Whether a script has answers left.
    pub(crate) fn has_answers(&self) -> bool {
        matches!(&self.guide, Some(Guide::Script(script)) if !script.is_empty())
    }

    pub(crate) fn bad(&self) -> Option<BadChoice> {
        self.bad
    }

    /// Chooses from `0..bound` for a place. `LISTED` is false only where no list can be in force.
    #[inline(always)]
    pub(crate) fn choose<const LISTED: bool>(&mut self, lane: Lane, place: Place, bound: u64) -> u64 {
        if bound <= 1 {
            if LISTED && lane as u8 == Lane::Coin as u8 {
                self.toss_alike(place);
            }
            return 0;
        }
        let drawn = self.draw(self.keys[lane as usize], place, bound);
        if LISTED { self.settle((lane, place), drawn, bound) } else { drawn }
    }

    /// Takes a choice that was made elsewhere; recorded.
    pub(crate) fn force(&mut self, choice: u64, bound: u64) {
        if bound > 1
            && let Some(record) = &mut self.record
        {
            record.push(choice);
        }
    }

    /// Whoever wrote a script wrote down every coin, one with a single side as well.
    #[cold]
    fn toss_alike(&mut self, place: Place) {
        if let Some(Guide::Script(script)) = &mut self.guide {
            self.unanswered += usize::from(script.next(Open::Coin, place).is_none());
        }
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

    /// What was drawn, or what the list or script says instead; recorded. `asked`: for what, and where.
    pub(crate) fn settle(&mut self, asked: (Lane, Place), drawn: u64, bound: u64) -> u64 {
        if self.guide.is_some() {
            return self.follow_guide(asked, bound);
        }
        if let Some(record) = &mut self.record {
            record.push(drawn);
        }
        drawn
    }

    #[cold]
    fn follow_guide(&mut self, (lane, place): (Lane, Place), bound: u64) -> u64 {
        let answer = match self.guide.as_mut().expect("it is followed") {
            Guide::List(list) => list.get(self.next).copied(),
            Guide::Script(script) => lane.open().and_then(|open| script.next(open, place)),
        };
        self.unanswered += usize::from(answer.is_none());
        let (index, choice) = (self.next, answer.unwrap_or(0));
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
