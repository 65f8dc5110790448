//! Hand-worked cases, and what is true of all interleavings.

use super::*;
use DigitOrder::{Least, Most};

const TWO: Question = Question { digits: 2, base: 2, words: 2, writes: 3, start: 0 };

fn safe(question: Question) -> Vec<Directions> {
    Directions::all().filter(|&directions| explore(question, directions).safe()).collect()
}

#[test]
fn one_of_the_sixteen_is_safe() {
    assert_eq!(safe(TWO), [Directions::SAFE]);
    assert_eq!(safe(Question { start: 2, writes: 1, ..TWO }).len(), 16);
    assert_eq!(safe(Question { writes: 2, ..TWO }).len(), 4);
    assert_eq!(safe(Question { words: 1, writes: 6, ..TWO }).len(), 16);
}

#[test]
fn nothing_is_stale() {
    for (directions, start) in Directions::all().flat_map(|directions| (0..4).map(move |start| (directions, start))) {
        assert_eq!(explore(Question { start, ..TWO }, directions).stale, None, "{directions:?}");
    }
}

#[test]
fn a_shortest_interleaving_by_hand() {
    // V1 is written the other way round. Version 00 is read from V2; write 1 makes V1 01 and the first word; the reader takes
    // one word of each, and the high digit of V1; write 1 ends, and write 2, version 10, clears the low digit of V1.
    let directions = Directions { v1_written: Least, v2_written: Least, v2_read: Most, v1_read: Most };
    let torn = explore(TWO, directions).torn.expect("it is not safe");
    assert_eq!(torn, Witness { moments: vec![0, 0, 3, 3, 3, 7], begun: 2 });
    let (writer, reader) = (true, false);
    let expected = [
        (reader, NaiveCell::V2(1), 0),
        (reader, NaiveCell::V2(0), 0),
        (writer, NaiveCell::V1(0), 1),
        (writer, NaiveCell::V1(1), 0),
        (writer, NaiveCell::Data(0), 1),
        (reader, NaiveCell::Data(0), 1),
        (reader, NaiveCell::Data(1), 0),
        (reader, NaiveCell::V1(1), 0),
        (writer, NaiveCell::Data(1), 1),
        (writer, NaiveCell::V2(0), 1),
        (writer, NaiveCell::V2(1), 0),
        (writer, NaiveCell::V1(0), 0),
        (reader, NaiveCell::V1(0), 0),
    ];
    assert_eq!(torn.accesses(TWO, directions), expected);
}

/// Tries every interleaving of three writes and one attempt, one after the other: the fewest accesses of the writer after which
/// an attempt was accepted torn. A cell holds what was last written to it.
fn tried(written: &[(NaiveCell, u64)], cells: &[NaiveCell], read: &mut Vec<u64>, from: usize) -> Option<usize> {
    let Some(cell) = cells.get(read.len()) else {
        let value = |of| cells.iter().position(|&cell| cell == of).map(|at| read[at]);
        let equal = (0..2).all(|digit| value(NaiveCell::V1(digit)) == value(NaiveCell::V2(digit)));
        return (equal && read[2] != read[3]).then_some(from);
    };
    let mut least = None;
    for moment in from..=18 {
        // Six accesses are what was there before.
        let value = written[..6 + moment].iter().rev().find(|(other, _)| other == cell).expect("all were written").1;
        read.push(value);
        least = least.into_iter().chain(tried(written, cells, read, moment)).min();
        read.pop();
    }
    least
}

#[test]
fn moments_and_interleavings_say_the_same() {
    for directions in Directions::all() {
        let shortest = explore(TWO, directions).torn.map(|torn| torn.moments[5]);
        let written: Vec<_> = (0..=3).flat_map(|write| TWO.write(directions, write)).collect();
        assert_eq!(shortest, tried(&written, &TWO.attempt(directions), &mut Vec::new(), 0), "{directions:?}");
    }
}

#[test]
fn without_wrapping_lamports_directions_are_safe() {
    for (digits, base) in [(1, 2u64), (1, 4), (2, 2), (3, 2), (2, 3)] {
        let writes = base.pow(digits as u32) - 1;
        assert!(explore(Question { digits, base, writes, ..TWO }, Directions::SAFE).safe(), "{digits} {base}");
    }
}

#[test]
fn how_many_writes_in_one_attempt_break_them() {
    let fewest = |digits, base: u64, start| {
        let writes = base.pow(digits as u32) + 1;
        explore(Question { digits, base, words: 2, writes, start }, Directions::SAFE).fewest
    };
    for start in 0..4 {
        assert_eq!((fewest(1, 2, start), fewest(1, 3, start), fewest(2, 2, start)), (Some(1), Some(2), Some(2)));
    }
    assert_eq!((fewest(3, 2, 0), fewest(2, 3, 0)), (Some(4), Some(6)));
    // V2 is read before the first write. V1's low digit is as it was again in write 2, its high one when the version comes
    // round: from 0 with the first access of write 4, from 1 with that of write 3.
    let shortest =
        |start, writes| explore(Question { start, writes, ..TWO }, Directions::SAFE).torn.map(|torn| torn.moments[5]);
    assert_eq!((shortest(0, 3), shortest(0, 4), shortest(1, 3)), (None, Some(19), Some(13)));
}
