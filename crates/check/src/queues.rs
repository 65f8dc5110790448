//! What is on its way over a link: in order, or in any.

use crate::interner::{Interner, Number};
use crate::memo::Memo;

/// Nothing is on its way.
pub(crate) const EMPTY: Number = 0;

/// Rows of messages, each kept once. Where messages may overtake each other a row is sorted: only what is in it counts.
pub(crate) struct Queues {
    rows: Interner<Vec<Number>>,
    /// By row: where what can arrive next lies among all of them; [`UNKNOWN`] if that was not looked at.
    next: Vec<(u32, u32)>,
    /// What can arrive next, each with the row that is left.
    first: Vec<(Number, Number)>,
    /// By row and message: the row with that message added.
    longer: Memo,
    in_order: bool,
}

const UNKNOWN: (u32, u32) = (u32::MAX, u32::MAX);

impl Clone for Queues {
    /// Another hand on the same rows.
    fn clone(&self) -> Self {
        let (next, first, longer) = (Vec::new(), Vec::new(), Memo::new());
        Self { rows: self.rows.clone(), next, first, longer, in_order: self.in_order }
    }
}

impl Queues {
    pub(crate) fn new(in_order: bool) -> Self {
        let mut rows = Interner::new();
        assert_eq!(rows.number(Vec::new()), EMPTY);
        Self { rows, next: Vec::new(), first: Vec::new(), longer: Memo::new(), in_order }
    }

    /// The row with a message more.
    #[inline]
    pub(crate) fn push(&mut self, row: Number, message: Number) -> Number {
        match self.longer.get(row, message) {
            Some(longer) => longer,
            None => self.work_out_longer(row, message),
        }
    }

    #[cold]
    fn work_out_longer(&mut self, row: Number, message: Number) -> Number {
        let mut messages = self.rows.get(row).clone();
        messages.push(message);
        let longer = self.number(messages);
        self.longer.insert(row, message, longer);
        longer
    }

    /// What can arrive next, each with the row that is left: where they lie, for [`first`](Queues::first).
    #[inline]
    pub(crate) fn next(&mut self, row: Number) -> core::ops::Range<usize> {
        match self.next.get(row as usize) {
            Some(&(from, to)) if (from, to) != UNKNOWN => from as usize..to as usize,
            _ => self.work_out_next(row),
        }
    }

    /// One of those that can arrive next, and the row that is left.
    #[inline]
    pub(crate) fn first(&self, index: usize) -> (Number, Number) {
        self.first[index]
    }

    #[cold]
    fn work_out_next(&mut self, row: Number) -> core::ops::Range<usize> {
        if self.next.len() <= row as usize {
            self.next.resize(row as usize + 1, UNKNOWN);
        }
        let messages = self.rows.get(row).clone();
        let from = self.first.len();
        for index in 0..if self.in_order { messages.len().min(1) } else { messages.len() } {
            // Of several that are alike it does not matter which one comes.
            if index > 0 && messages[index] == messages[index - 1] {
                continue;
            }
            let mut left = messages.clone();
            left.remove(index);
            let left = self.number(left);
            self.first.push((messages[index], left));
        }
        self.next[row as usize] = (from as u32, self.first.len() as u32);
        from..self.first.len()
    }

    /// The row in which one that can arrive next is there twice, one right behind the other.
    pub(crate) fn doubled(&mut self, row: Number, message: Number) -> Number {
        let mut messages = self.rows.get(row).clone();
        let index = messages.iter().position(|&other| other == message).expect("it can arrive");
        messages.insert(index, message);
        self.number(messages)
    }

    /// The row of those messages only that are to stay, and how many are not.
    pub(crate) fn kept(&mut self, row: Number, stays: impl Fn(Number) -> bool) -> (Number, u32) {
        let mut messages = self.rows.get(row).clone();
        let before = messages.len();
        messages.retain(|&message| stays(message));
        let lost = (before - messages.len()) as u32;
        (self.number(messages), lost)
    }

    /// The row with every message changed.
    pub(crate) fn changed(&mut self, row: Number, change: impl FnMut(Number) -> Number) -> Number {
        let messages = self.rows.get(row).clone().into_iter().map(change).collect();
        self.number(messages)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.rows.bytes() + size_of_val(&*self.next) + size_of_val(&*self.first) + self.longer.bytes()
    }

    fn number(&mut self, mut messages: Vec<Number>) -> Number {
        if !self.in_order {
            messages.sort_unstable();
        }
        self.rows.number(messages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(queues: &mut Queues, messages: &[Number]) -> Number {
        messages.iter().fold(EMPTY, |row, &message| queues.push(row, message))
    }

    fn next(queues: &mut Queues, row: Number) -> Vec<(Number, Number)> {
        queues.next(row).map(|index| queues.first(index)).collect()
    }

    #[test]
    fn in_order_only_the_first_can_come() {
        let mut queues = Queues::new(true);
        let row = of(&mut queues, &[7, 5, 7]);
        let left = of(&mut queues, &[5, 7]);
        let last = of(&mut queues, &[7]);
        assert_eq!(next(&mut queues, row), [(7, left)]);
        assert_eq!(next(&mut queues, left), [(5, last)]);
        assert_eq!(next(&mut queues, last), [(7, EMPTY)]);
        assert_eq!(next(&mut queues, EMPTY), []);
    }

    #[test]
    fn in_any_order_each_kind_can_come_and_what_is_left_has_no_order() {
        let mut queues = Queues::new(false);
        let row = of(&mut queues, &[7, 5, 7]);
        assert_eq!(row, of(&mut queues, &[5, 7, 7]));
        let messages: Vec<_> = next(&mut queues, row).iter().map(|(message, _)| *message).collect();
        assert_eq!(messages, [5, 7]);
    }

    #[test]
    fn a_double_is_right_behind_and_what_does_not_stay_is_counted() {
        let mut queues = Queues::new(true);
        let row = of(&mut queues, &[7, 5, 8]);
        let twice = of(&mut queues, &[7, 7, 5, 8]);
        assert_eq!(queues.doubled(row, 7), twice);
        let even = of(&mut queues, &[8]);
        assert_eq!(queues.kept(twice, |message| message % 2 == 0), (even, 3));
        assert_eq!(queues.kept(row, |_| false), (EMPTY, 3));
    }
}
