//! Readers and a writer that make one access at each of their own steps, unit of time by unit of time.
//!
//! The paper's model: no delay, so an access happens at the step at which it is made. At one instant accessors act in the
//! order of their places. A wait of x steps is x steps without an access: after a last access at step s the next
//! attempt or write begins at step s + 1 + x, and the first of all at step x. The writer goes on forever.

use std::collections::BTreeMap;

use super::{Directions, NaiveCell, Question};

/// Who accesses the cells, and how fast.
pub struct Lockstep<'a> {
    /// The cells; the number of writes in it is ignored.
    pub question: Question,
    /// How digits are written and read.
    pub directions: Directions,
    /// First step and length of a step of each accessor, by place.
    pub clocks: Vec<(u64, u64)>,
    /// The place of the writer; all others read.
    pub writer: usize,
    /// How many steps an accessor at a place waits before an attempt or a write; called once for each, in order.
    pub wait: &'a mut dyn FnMut(usize) -> u64,
    /// Reads of each reader.
    pub reads: usize,
    /// Attempts after which a reader gives a read up.
    pub patience: u64,
}

/// One read, over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    /// Who read.
    pub place: usize,
    /// How often it tried.
    pub attempts: u64,
    /// Whether the last attempt was accepted.
    pub accepted: bool,
    /// When the last attempt made its first access, and its last.
    pub from: u64,
    /// When it made its last.
    pub until: u64,
    /// Whether words of different writes were accepted.
    pub torn: bool,
    /// Whether words were accepted that are older than the last write completed at `from`.
    pub stale: bool,
}

/// An accessor between two steps.
#[derive(Clone, Default)]
struct Accessor {
    idle: u64,
    /// What the present attempt has read.
    values: Vec<u64>,
    attempts: u64,
    from: u64,
    /// Writes completed before the attempt.
    completed: u64,
    reads: usize,
}

impl Lockstep<'_> {
    /// Lets them run until every reader is done, and returns their reads in the order in which they ended.
    pub fn run(self) -> Vec<Read> {
        let cells = self.question.attempt(self.directions);
        let mut memory: BTreeMap<_, _> = self.question.write(self.directions, 0).into_iter().collect();
        let mut all = vec![Accessor::default(); self.clocks.len()];
        for (place, accessor) in all.iter_mut().enumerate() {
            accessor.idle = (self.wait)(place);
        }
        let (mut write, mut written, mut reads) = (1, 0, Vec::new());
        let expected = self.reads * (all.len() - 1);
        for time in 0.. {
            if reads.len() == expected {
                break;
            }
            for (place, accessor) in all.iter_mut().enumerate() {
                let (first, length) = self.clocks[place];
                if time < first || (time - first) % length > 0 || accessor.reads == self.reads && place != self.writer {
                    continue;
                }
                if accessor.idle > 0 {
                    accessor.idle -= 1;
                    continue;
                }
                if place == self.writer {
                    let list = self.question.write(self.directions, write);
                    let (cell, value) = list[written];
                    memory.insert(cell, value);
                    written += 1;
                    if written == list.len() {
                        (write, written) = (write + 1, 0);
                        accessor.idle = (self.wait)(place);
                    }
                    continue;
                }
                if accessor.values.is_empty() {
                    (accessor.from, accessor.completed) = (time, write - 1);
                }
                accessor.values.push(memory[&cells[accessor.values.len()]]);
                if accessor.values.len() < cells.len() {
                    continue;
                }
                accessor.attempts += 1;
                let read = self.judge(&cells, accessor, place, time);
                accessor.values.clear();
                if read.accepted || accessor.attempts == self.patience {
                    reads.push(read);
                    (accessor.attempts, accessor.reads) = (0, accessor.reads + 1);
                }
                if accessor.reads < self.reads {
                    accessor.idle = (self.wait)(place);
                }
            }
        }
        reads
    }

    fn judge(&self, cells: &[NaiveCell], accessor: &Accessor, place: usize, until: u64) -> Read {
        let (mut v1, mut v2, mut words) = (0, 0, Vec::new());
        for (cell, &value) in cells.iter().zip(&accessor.values) {
            match *cell {
                NaiveCell::V1(digit) => v1 += value * self.question.base.pow(digit as u32),
                NaiveCell::V2(digit) => v2 += value * self.question.base.pow(digit as u32),
                NaiveCell::Data(_) => words.push(value),
            }
        }
        let accepted = v1 == v2;
        Read {
            place,
            attempts: accessor.attempts,
            accepted,
            from: accessor.from,
            until,
            torn: accepted && words.iter().any(|&word| word != words[0]),
            stale: accepted && words.iter().any(|&word| word < accessor.completed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: Question = Question { digits: 2, base: 2, words: 2, writes: 0, start: 0 };

    fn one_reader(
        clocks: [(u64, u64); 2],
        writer: usize,
        reads: usize,
        wait: &mut dyn FnMut(usize) -> u64,
    ) -> Vec<Read> {
        let (directions, clocks) = (Directions::SAFE, clocks.to_vec());
        Lockstep { question: TWO, directions, clocks, writer, wait, reads, patience: 50 }.run()
    }

    #[test]
    fn an_attempt_that_ends_in_time_by_hand() {
        // The reader reads V1 at 4 and 5, low digit first. The writer, from time t on, writes the high digit of 01 and then the
        // low one: at t + 1. At one instant the lower place acts first.
        for (start, writer, in_time) in [(3, 0, false), (4, 0, true), (2, 1, false), (3, 1, true)] {
            let clocks = if writer == 0 { [(start, 1), (0, 1)] } else { [(0, 1), (start, 1)] };
            let read = one_reader(clocks, writer, 1, &mut |_| 0)[0];
            assert_eq!(read.accepted, in_time, "{start} {writer}");
            if in_time {
                let place = 1 - writer;
                let (attempts, from, until) = (1, 0, 5);
                let expected = Read { place, attempts, accepted: true, from, until, torn: false, stale: false };
                assert_eq!(read, expected);
            }
        }
    }

    #[test]
    fn without_waits_a_reader_in_lock_step_starves() {
        for (writer, start) in [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2)] {
            let clocks = if writer == 0 { [(start, 1), (0, 1)] } else { [(0, 1), (start, 1)] };
            let reads = one_reader(clocks, writer, 3, &mut |_| 0);
            assert!(reads.iter().all(|read| !read.accepted && read.attempts == 50), "{writer} {start}");
        }
    }

    #[test]
    fn without_waits_a_slow_reader_is_given_torn_data_when_versions_wrap() {
        // Three writes to an attempt, four versions.
        let reads = one_reader([(0, 1), (0, 3)], 0, 10, &mut |_| 0);
        assert!(reads.iter().all(|read| read.torn));
        let more_digits = Question { digits: 3, ..TWO };
        let clocks = vec![(0, 1), (0, 3)];
        let (question, directions, writer) = (more_digits, Directions::SAFE, 0);
        let reads = Lockstep { question, directions, clocks, writer, wait: &mut |_| 0, reads: 10, patience: 50 }.run();
        assert!(reads.iter().all(|read| !read.torn));
    }

    #[test]
    fn with_waits_attempts_are_few() {
        // R + W = 12, so waits are from 12/γ to 24/γ steps.
        let mut state = 1u64;
        for (reader, writer, ratio) in [(1, 1, 1), (1, 2, 2), (2, 1, 2), (4, 1, 4), (1, 4, 4)] {
            let mut wait = |_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                12 * ratio + (state >> 33) % (12 * ratio + 1)
            };
            let reads = one_reader([(0, writer), (0, reader)], 0, 4000, &mut wait);
            let attempts: u64 = reads.iter().map(|read| read.attempts).sum();
            let mean = attempts as f64 / reads.len() as f64;
            assert!(mean < 2.0 * ratio as f64 + 1.0, "{reader} {writer}: {mean}");
            assert!(reads.iter().all(|read| read.accepted && !read.torn && !read.stale));
            // The proof's ratio of the writer's sleep to sleep and activity is no bound: an attempt also takes time.
            let asleep = (18 * ratio) as f64 / (18 * ratio + 6) as f64;
            assert!(writer > reader || mean > 1.0 / asleep, "{reader} {writer}: {mean}");
        }
    }
}
