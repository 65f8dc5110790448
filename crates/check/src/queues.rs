//! What is on its way over a link: in order, or in any.

use crate::interner::{Interner, Map, Number};

/// Nothing is on its way.
pub(crate) const EMPTY: Number = 0;

/// Rows of messages, each kept once. Where messages may overtake each other a row is sorted: only what is in it counts.
pub(crate) struct Queues {
    rows: Interner<Vec<Number>>,
    /// By row: what can arrive next, each with the row that is left.
    next: Vec<Option<Vec<(Number, Number)>>>,
    /// By row and message: the row with that message added.
    longer: Map<(Number, Number), Number>,
    in_order: bool,
}

impl Clone for Queues {
    /// Another hand on the same rows.
    fn clone(&self) -> Self {
        Self { rows: self.rows.clone(), next: Vec::new(), longer: Map::default(), in_order: self.in_order }
    }
}

impl Queues {
    pub(crate) fn new(in_order: bool) -> Self {
        let mut rows = Interner::new();
        assert_eq!(rows.number(Vec::new()), EMPTY);
        Self { rows, next: Vec::new(), longer: Map::default(), in_order }
    }

    /// The row with a message more.
    pub(crate) fn push(&mut self, row: Number, message: Number) -> Number {
        if let Some(&longer) = self.longer.get(&(row, message)) {
            return longer;
        }
        let mut messages = self.rows.get(row).clone();
        messages.push(message);
        if !self.in_order {
            messages.sort_unstable();
        }
        let longer = self.rows.number(messages);
        self.longer.insert((row, message), longer);
        longer
    }

    /// What can arrive next, each with the row that is left.
    pub(crate) fn next(&mut self, row: Number) -> &[(Number, Number)] {
        if self.next.len() <= row as usize {
            self.next.resize(row as usize + 1, None);
        }
        if self.next[row as usize].is_none() {
            let messages = self.rows.get(row).clone();
            let mut next = Vec::new();
            for index in 0..if self.in_order { messages.len().min(1) } else { messages.len() } {
                // Of several that are alike it does not matter which one comes.
                if index > 0 && messages[index] == messages[index - 1] {
                    continue;
                }
                let mut left = messages.clone();
                left.remove(index);
                next.push((messages[index], self.rows.number(left)));
            }
            self.next[row as usize] = Some(next);
        }
        self.next[row as usize].as_deref().expect("it was just worked out")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_order_only_the_first_can_come() {
        let mut queues = Queues::new(true);
        let row = [7, 5, 7].into_iter().fold(EMPTY, |row, message| queues.push(row, message));
        let [(7, left)] = *queues.next(row) else { panic!("the first one comes") };
        let [(5, left)] = *queues.next(left) else { panic!("then the second") };
        assert_eq!(queues.next(left), [(7, EMPTY)]);
        assert_eq!(queues.next(EMPTY), []);
    }

    #[test]
    fn in_any_order_each_kind_can_come_and_what_is_left_has_no_order() {
        let mut queues = Queues::new(false);
        let row = [7, 5, 7].into_iter().fold(EMPTY, |row, message| queues.push(row, message));
        let other = [5, 7, 7].into_iter().fold(EMPTY, |row, message| queues.push(row, message));
        assert_eq!(row, other);
        let next: Vec<_> = queues.next(row).iter().map(|(message, _)| *message).collect();
        assert_eq!(next, [5, 7]);
    }
}
