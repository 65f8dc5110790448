//! Concurrent reading and writing without exclusion (L. Lamport, CACM 20, 1977; Spirakis and Tampakas 1989, section 3.2): every
//! interleaving of one attempt to read with a writer, and a plain simulation in which each takes one access a step.
//!
//! Cells are atomic one by one: the digits of two version numbers, V1 and V2, and the words of the data. The writer's accesses are
//! one fixed list: for each write V1 := V1 + 1, the words in order, V2 := V1. An attempt of a reader is V2, the words, V1, and
//! is accepted if the versions are equal; attempts have no memory of each other, so one that may begin at any time
//! stands for all. An interleaving is then no more than one moment for each of the attempt's accesses: how many accesses
//! the writer has made before it. Every word holds the number of the write it comes from, so an accepted attempt
//! with words of different writes is torn, and one with words of a write older than the last one completed before
//! its first access is stale.
//!
//! # What comes out
//! With two digits of base 2, two words, and three writes after version 0, one of the 16 combinations of directions is safe,
//! [`Directions::SAFE`], and each of the others accepts a torn attempt. Two writes are too few to see it (four are safe), and
//! so is one word (all are). No attempt is ever stale, whatever the directions: its words are read after it began, and each of
//! them was last written by the latest completed write or a later one.
//!
//! That safety ends where versions wrap: with M = base^digits versions, an attempt during which M - M/base writes begin can be torn
//! under the safe directions too (2 for two digits of base 2, 4 for three, 6 for two of base 3), and one with fewer
//! cannot; with just that many, one more must be under way when the attempt begins. Between the waits of Spirakis and Tampakas an attempt
//! meets one write at most, so one digit of base 2 is enough; without waits a reader three times as slow as the writer
//! returns torn data.

use std::collections::BTreeMap;

pub mod lockstep;

/// Which digit of a version number goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DigitOrder {
    /// The most significant.
    Most,
    /// The least significant.
    Least,
}

/// The orders in which digits are written and read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Directions {
    /// The writer's of V1.
    pub v1_written: DigitOrder,
    /// The writer's of V2.
    pub v2_written: DigitOrder,
    /// The reader's of V2.
    pub v2_read: DigitOrder,
    /// The reader's of V1.
    pub v1_read: DigitOrder,
}

impl Directions {
    /// Lamport's own.
    pub const SAFE: Self = Self {
        v1_written: DigitOrder::Most,
        v2_written: DigitOrder::Least,
        v2_read: DigitOrder::Most,
        v1_read: DigitOrder::Least,
    };

    /// All 16.
    pub fn all() -> impl Iterator<Item = Self> {
        let order = |bits: u8, at: u8| if bits >> at & 1 == 0 { DigitOrder::Most } else { DigitOrder::Least };
        (0..16).map(move |bits| Self {
            v1_written: order(bits, 3),
            v2_written: order(bits, 2),
            v2_read: order(bits, 1),
            v1_read: order(bits, 0),
        })
    }
}

/// The cells and what is written to them.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// Of each version number.
    pub digits: usize,
    /// What a digit is below; versions are counted modulo base^digits.
    pub base: u64,
    /// Of the data.
    pub words: usize,
    /// How many there are.
    pub writes: u64,
    /// The version before the first write.
    pub start: u64,
}

/// One atomic cell; digit 0 is the least significant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NaiveCell {
    /// A digit of the first version number.
    V1(usize),
    /// A word.
    Data(usize),
    /// A digit of the second version number.
    V2(usize),
}

impl Question {
    fn digits(self, order: DigitOrder) -> Vec<usize> {
        match order {
            DigitOrder::Most => (0..self.digits).rev().collect(),
            DigitOrder::Least => (0..self.digits).collect(),
        }
    }

    fn digit(self, version: u64, digit: usize) -> u64 {
        version / self.base.pow(digit as u32) % self.base
    }

    /// What a write writes, in order; write 0 is what was there before.
    pub fn write(self, directions: Directions, write: u64) -> Vec<(NaiveCell, u64)> {
        let of = |cell: fn(usize) -> NaiveCell, order| {
            self.digits(order).into_iter().map(move |digit| (cell(digit), self.digit(self.start + write, digit)))
        };
        of(NaiveCell::V1, directions.v1_written)
            .chain((0..self.words).map(|word| (NaiveCell::Data(word), write)))
            .chain(of(NaiveCell::V2, directions.v2_written))
            .collect()
    }

    /// What an attempt reads, in order.
    pub fn attempt(self, directions: Directions) -> Vec<NaiveCell> {
        let v2 = self.digits(directions.v2_read).into_iter().map(NaiveCell::V2);
        let v1 = self.digits(directions.v1_read).into_iter().map(NaiveCell::V1);
        v2.chain((0..self.words).map(NaiveCell::Data)).chain(v1).collect()
    }
}

/// What an attempt has read so far, and since when.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct NaiveReading {
    /// The moment of the first access and that of the latest.
    first: usize,
    latest: usize,
    v1: u64,
    v2: u64,
    oldest: u64,
    newest: u64,
}

/// An attempt that should not have been accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// For each of its accesses, how many accesses the writer had made.
    pub moments: Vec<usize>,
    /// Writes that began between its first access and its last.
    pub begun: usize,
}

impl Witness {
    /// The interleaving: all accesses in order, the writer's with true.
    pub fn accesses(&self, question: Question, directions: Directions) -> Vec<(bool, NaiveCell, u64)> {
        let all: Vec<_> = (1..=question.writes).flat_map(|write| question.write(directions, write)).collect();
        let mut cells: BTreeMap<_, _> = question.write(directions, 0).into_iter().collect();
        let (mut story, mut done) = (Vec::new(), 0);
        for (&moment, cell) in self.moments.iter().zip(question.attempt(directions)) {
            for &(written, value) in &all[done..moment] {
                cells.insert(written, value);
                story.push((true, written, value));
            }
            story.push((false, cell, cells[&cell]));
            done = moment;
        }
        story
    }
}

/// What is wrong with attempts that are accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The shortest that is torn.
    pub torn: Option<Witness>,
    /// The shortest that is whole and stale.
    pub stale: Option<Witness>,
    /// The fewest writes that must begin during an attempt to make it either.
    pub fewest: Option<usize>,
}

impl Found {
    /// Whether nothing is.
    pub fn safe(&self) -> bool {
        self.fewest.is_none()
    }
}

/// Looks at every interleaving.
pub fn explore(question: Question, directions: Directions) -> Found {
    let length = question.write(directions, 0).len();
    let total = length * question.writes as usize;
    // The history of each cell: its value after each access of the writer.
    let mut cells: BTreeMap<_, _> = question.write(directions, 0).into_iter().collect();
    let mut history = vec![cells.clone()];
    for (cell, value) in (1..=question.writes).flat_map(|write| question.write(directions, write)) {
        cells.insert(cell, value);
        history.push(cells.clone());
    }
    let start = |first| NaiveReading { first, latest: first, v1: 0, v2: 0, oldest: u64::MAX, newest: 0 };
    let mut readings: BTreeMap<_, _> = (0..=total).map(|first| (start(first), Vec::new())).collect();
    for (index, cell) in question.attempt(directions).into_iter().enumerate() {
        let mut after = BTreeMap::new();
        for (reading, moments) in readings {
            let last = if index == 0 { reading.first } else { total };
            for (moment, cells) in history.iter().enumerate().take(last + 1).skip(reading.latest) {
                let mut next = NaiveReading { latest: moment, ..reading };
                let value = cells[&cell];
                match cell {
                    NaiveCell::V1(digit) => next.v1 += value * question.base.pow(digit as u32),
                    NaiveCell::V2(digit) => next.v2 += value * question.base.pow(digit as u32),
                    NaiveCell::Data(_) => {
                        (next.oldest, next.newest) = (next.oldest.min(value), next.newest.max(value));
                    }
                }
                let extended = || moments.iter().copied().chain([moment]).collect::<Vec<_>>();
                after.entry(next).or_insert_with(extended);
            }
        }
        readings = after;
    }
    let mut found = Found::default();
    for (reading, moments) in readings {
        let completed = (reading.first / length) as u64;
        let torn = reading.oldest < reading.newest;
        if reading.v1 != reading.v2 || !torn && reading.oldest >= completed {
            continue;
        }
        let begun = reading.latest.div_ceil(length) - reading.first.div_ceil(length);
        let shortest = if torn { &mut found.torn } else { &mut found.stale };
        if shortest.as_ref().is_none_or(|known| moments.last() < known.moments.last()) {
            *shortest = Some(Witness { moments, begun });
        }
        found.fewest = Some(found.fewest.map_or(begun, |fewest| fewest.min(begun)));
    }
    found
}

#[cfg(test)]
mod tests;
