//! The contents of a link without clocks: a queue where links keep the order of messages, otherwise a multiset.

use crate::interner::{Interned, Interner, ValueTable};
use crate::memo::Memo;

/// A link without messages.
pub(crate) const EMPTY: Interned = 0;

/// Contents of links, interned. Where links do not keep the order, they are sorted.
pub(crate) struct LinkQueues {
    contents: Interner<Vec<Interned>>,
    /// By contents: the range of its messages in `heads`; [`UNKNOWN`] if it was not computed.
    ranges: Vec<(u32, u32)>,
    /// Messages that can be delivered next, each with the rest.
    heads: Vec<(Interned, Interned)>,
    /// By contents and message: the contents with this message added.
    pushed: Memo,
    in_order: bool,
}

const UNKNOWN: (u32, u32) = (u32::MAX, u32::MAX);

impl Clone for LinkQueues {
    /// For another worker.
    fn clone(&self) -> Self {
        let (ranges, heads, pushed) = (Vec::new(), Vec::new(), Memo::new());
        Self { contents: self.contents.clone(), ranges, heads, pushed, in_order: self.in_order }
    }
}

impl LinkQueues {
    pub(crate) fn new(in_order: bool) -> Self {
        let mut contents = Interner::new();
        assert_eq!(contents.intern(Vec::new()), EMPTY);
        Self { contents, ranges: Vec::new(), heads: Vec::new(), pushed: Memo::new(), in_order }
    }

    /// As a checkpoint keeps them.
    pub(crate) fn values(&self) -> &dyn ValueTable {
        &self.contents
    }

    /// The contents with a message added.
    #[inline]
    pub(crate) fn push(&mut self, contents: Interned, message: Interned) -> Interned {
        match self.pushed.get(contents, message) {
            Some(pushed) => pushed,
            None => self.compute_push(contents, message),
        }
    }

    #[cold]
    fn compute_push(&mut self, contents: Interned, message: Interned) -> Interned {
        let mut messages = self.contents.get(contents).clone();
        messages.push(message);
        let pushed = self.intern(messages);
        self.pushed.insert(contents, message, pushed);
        pushed
    }

    /// The messages that can be delivered next, as indices for [`head`](Self::head).
    #[inline]
    pub(crate) fn heads(&mut self, contents: Interned) -> core::ops::Range<usize> {
        match self.ranges.get(contents as usize) {
            Some(&(from, to)) if (from, to) != UNKNOWN => from as usize..to as usize,
            _ => self.compute_heads(contents),
        }
    }

    /// A message that can be delivered next, and the rest.
    #[inline]
    pub(crate) fn head(&self, index: usize) -> (Interned, Interned) {
        self.heads[index]
    }

    #[cold]
    fn compute_heads(&mut self, contents: Interned) -> core::ops::Range<usize> {
        if self.ranges.len() <= contents as usize {
            self.ranges.resize(contents as usize + 1, UNKNOWN);
        }
        let messages = self.contents.get(contents).clone();
        let from = self.heads.len();
        for index in 0..if self.in_order { messages.len().min(1) } else { messages.len() } {
            // Of equal messages one is enough.
            if index > 0 && messages[index] == messages[index - 1] {
                continue;
            }
            let mut rest = messages.clone();
            rest.remove(index);
            let rest = self.intern(rest);
            self.heads.push((messages[index], rest));
        }
        self.ranges[contents as usize] = (from as u32, self.heads.len() as u32);
        from..self.heads.len()
    }

    /// True if a message is among the contents.
    pub(crate) fn contains(&mut self, contents: Interned, message: Interned) -> bool {
        self.contents.get(contents).contains(&message)
    }

    /// The messages on a link.
    pub(crate) fn messages(&mut self, contents: Interned) -> Vec<Interned> {
        self.contents.get(contents).clone()
    }

    /// The contents in which a message that can be delivered next is there twice, one right behind the other.
    pub(crate) fn duplicate(&mut self, contents: Interned, message: Interned) -> Interned {
        let mut messages = self.contents.get(contents).clone();
        let index = messages.iter().position(|&other| other == message).expect("it can arrive");
        messages.insert(index, message);
        self.intern(messages)
    }

    /// The contents without the messages that are dropped, and how many these are.
    pub(crate) fn retain(&mut self, contents: Interned, stays: impl Fn(Interned) -> bool) -> (Interned, u32) {
        let mut messages = self.contents.get(contents).clone();
        let before = messages.len();
        messages.retain(|&message| stays(message));
        let lost = (before - messages.len()) as u32;
        (self.intern(messages), lost)
    }

    /// The contents with every message mapped.
    pub(crate) fn map(&mut self, contents: Interned, change: impl FnMut(Interned) -> Interned) -> Interned {
        let messages = self.contents.get(contents).clone().into_iter().map(change).collect();
        self.intern(messages)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.contents.bytes() + size_of_val(&*self.ranges) + size_of_val(&*self.heads) + self.pushed.bytes()
    }

    fn intern(&mut self, mut messages: Vec<Interned>) -> Interned {
        if !self.in_order {
            messages.sort_unstable();
        }
        self.contents.intern(messages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(queues: &mut LinkQueues, messages: &[Interned]) -> Interned {
        messages.iter().fold(EMPTY, |contents, &message| queues.push(contents, message))
    }

    fn heads(queues: &mut LinkQueues, contents: Interned) -> Vec<(Interned, Interned)> {
        queues.heads(contents).map(|index| queues.head(index)).collect()
    }

    #[test]
    fn in_order_only_the_first_message_is_delivered() {
        let mut queues = LinkQueues::new(true);
        let contents = of(&mut queues, &[7, 5, 7]);
        let rest = of(&mut queues, &[5, 7]);
        let last = of(&mut queues, &[7]);
        assert_eq!(heads(&mut queues, contents), [(7, rest)]);
        assert_eq!(heads(&mut queues, rest), [(5, last)]);
        assert_eq!(heads(&mut queues, last), [(7, EMPTY)]);
        assert_eq!(heads(&mut queues, EMPTY), []);
    }

    #[test]
    fn in_any_order_each_message_can_be_delivered_and_the_rest_has_no_order() {
        let mut queues = LinkQueues::new(false);
        let contents = of(&mut queues, &[7, 5, 7]);
        assert_eq!(contents, of(&mut queues, &[5, 7, 7]));
        let messages: Vec<_> = heads(&mut queues, contents).iter().map(|(message, _)| *message).collect();
        assert_eq!(messages, [5, 7]);
    }

    #[test]
    fn a_duplicate_is_right_behind_and_dropped_messages_are_counted() {
        let mut queues = LinkQueues::new(true);
        let contents = of(&mut queues, &[7, 5, 8]);
        let twice = of(&mut queues, &[7, 7, 5, 8]);
        assert_eq!(queues.duplicate(contents, 7), twice);
        let even = of(&mut queues, &[8]);
        assert_eq!(queues.retain(twice, |message| message % 2 == 0), (even, 3));
        assert_eq!(queues.retain(contents, |_| false), (EMPTY, 3));
    }
}
