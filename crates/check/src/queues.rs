//! The contents of a link without clocks: a queue where links keep the order of messages, otherwise a multiset. Where links
//! are half-duplex, the messages of both directions in the order in which they were sent: one of them can be delivered, or
//! of each direction one, as far as only messages of one phase exclude each other.

use ringleader_model::Links;

use crate::interner::{Interned, Interner, ValueTable};
use crate::memo::Memo;

/// A link without messages.
pub(crate) const EMPTY: Interned = 0;

/// How a message is numbered in the contents of a link: the item tells its direction and its phase, where these matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ItemNumbering {
    /// The number of items of a message: the directions, or the pairs of a phase and a direction.
    items: u32,
}

impl ItemNumbering {
    /// Phases from this one on count as one: no ring has as many.
    const LAST_PHASE: u32 = 62;

    pub(crate) const fn new(links: Links) -> Self {
        let items = match links {
            Links::Fifo | Links::Any => 1,
            Links::Half => 2,
            Links::HalfPhase => 2 * (Self::LAST_PHASE + 2),
        };
        Self { items }
    }

    /// The item of a message that travels in this direction.
    pub(crate) fn item(self, message: Interned, direction: u32, phase: impl FnOnce() -> Option<u32>) -> Interned {
        match self.items {
            1 => message,
            2 => 2 * message + direction,
            items => message * items + 2 * phase().map_or(0, |phase| phase.min(Self::LAST_PHASE) + 1) + direction,
        }
    }

    /// The message of an item, if it travels in this direction.
    pub(crate) fn message_of(self, item: Interned, direction: u32) -> Option<Interned> {
        (self.items == 1 || item % 2 == direction).then_some(item / self.items)
    }

    /// The item of another message of the same phase and direction.
    pub(crate) fn map(self, item: Interned, message: impl FnOnce(Interned) -> Interned) -> Interned {
        message(item / self.items) * self.items + item % self.items
    }

    /// Whether two items of a link that is half-duplex for messages of one phase travel in opposite directions, in one
    /// phase.
    fn meet(self, one: Interned, other: Interned) -> bool {
        let (one, other) = (one % self.items, other % self.items);
        one % 2 != other % 2 && one / 2 == other / 2 && one / 2 > 0
    }
}

/// The order of what is on a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum QueueOrder {
    /// As they were sent; only the first can be delivered.
    Queue,
    /// None: they are sorted.
    Multiset,
    /// As they were sent, but items that do not exclude each other have no order: those of direction 0 come first.
    ByPhase(ItemNumbering),
}

/// Contents of links, interned.
pub(crate) struct LinkQueues {
    contents: Interner<Vec<Interned>>,
    /// By contents: the range of its messages in `heads`; [`UNKNOWN`] if it was not computed.
    ranges: Vec<(u32, u32)>,
    /// Messages that can be delivered next, each with the rest.
    heads: Vec<(Interned, Interned)>,
    /// By contents and message: the contents with this message added.
    pushed: Memo,
    /// By contents and message: whether this message would have to wait before it enters the link.
    waits: Memo,
    order: QueueOrder,
}

const UNKNOWN: (u32, u32) = (u32::MAX, u32::MAX);

impl Clone for LinkQueues {
    /// For another worker.
    fn clone(&self) -> Self {
        let (ranges, heads, [pushed, waits]) = (Vec::new(), Vec::new(), [Memo::new(), Memo::new()]);
        Self { contents: self.contents.clone(), ranges, heads, pushed, waits, order: self.order }
    }
}

impl LinkQueues {
    pub(crate) fn new(links: Links) -> Self {
        let mut contents = Interner::new();
        assert_eq!(contents.intern(Vec::new()), EMPTY);
        let order = match links {
            Links::Fifo | Links::Half => QueueOrder::Queue,
            Links::Any => QueueOrder::Multiset,
            Links::HalfPhase => QueueOrder::ByPhase(ItemNumbering::new(links)),
        };
        let [pushed, waits] = [Memo::new(), Memo::new()];
        Self { contents, ranges: Vec::new(), heads: Vec::new(), pushed, waits, order }
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
        for index in self.deliverable(&messages) {
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

    /// The indices of the messages that can be delivered next.
    fn deliverable(&self, messages: &[Interned]) -> Vec<usize> {
        match self.order {
            QueueOrder::Queue => (0..messages.len().min(1)).collect(),
            // Of equal messages one is enough.
            QueueOrder::Multiset => {
                (0..messages.len()).filter(|&index| index == 0 || messages[index] != messages[index - 1]).collect()
            }
            QueueOrder::ByPhase(numbering) => {
                let first = |direction| messages.iter().position(|item| item % 2 == direction);
                let enters =
                    |index: &usize| !messages[..*index].iter().any(|&item| numbering.meet(item, messages[*index]));
                [first(0), first(1)].into_iter().flatten().filter(enters).collect()
            }
        }
    }

    /// Whether a message would have to wait before it enters a half-duplex link.
    #[inline]
    pub(crate) fn must_wait(&mut self, contents: Interned, item: Interned) -> bool {
        let QueueOrder::ByPhase(numbering) = self.order else { return contents != EMPTY };
        let known = self.waits.get(contents, item);
        known.unwrap_or_else(|| {
            let messages = self.contents.get(contents);
            let mut waiting = [false; 2];
            for (index, &other) in messages.iter().chain([&item]).enumerate() {
                waiting[other as usize % 2] |= messages[..index].iter().any(|&before| numbering.meet(before, other));
            }
            let waits = u32::from(waiting[item as usize % 2]);
            self.waits.insert(contents, item, waits);
            waits
        }) == 1
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
        let memos = self.pushed.bytes() + self.waits.bytes();
        self.contents.bytes() + size_of_val(&*self.ranges) + size_of_val(&*self.heads) + memos
    }

    fn intern(&mut self, mut messages: Vec<Interned>) -> Interned {
        match self.order {
            QueueOrder::Queue => {}
            QueueOrder::Multiset => messages.sort_unstable(),
            QueueOrder::ByPhase(numbering) => put_in_normal_form(&mut messages, numbering),
        }
        self.contents.intern(messages)
    }
}

/// Moves items of direction 0 before those of direction 1 that they need not wait for.
fn put_in_normal_form(messages: &mut [Interned], numbering: ItemNumbering) {
    for end in 1..messages.len() {
        let mut at = end;
        while at > 0 && messages[at] % 2 < messages[at - 1] % 2 && !numbering.meet(messages[at - 1], messages[at]) {
            messages.swap(at - 1, at);
            at -= 1;
        }
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
        let mut queues = LinkQueues::new(Links::Fifo);
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
        let mut queues = LinkQueues::new(Links::Any);
        let contents = of(&mut queues, &[7, 5, 7]);
        assert_eq!(contents, of(&mut queues, &[5, 7, 7]));
        let messages: Vec<_> = heads(&mut queues, contents).iter().map(|(message, _)| *message).collect();
        assert_eq!(messages, [5, 7]);
    }

    const PHASES: ItemNumbering = ItemNumbering::new(Links::HalfPhase);

    /// A message of a phase in a direction.
    fn item(message: Interned, direction: u32, phase: u32) -> Interned {
        PHASES.item(message, direction, || Some(phase))
    }

    #[test]
    fn items_tell_message_direction_and_phase() {
        for (message, direction, phase) in [(0, 0, 0), (3, 1, 0), (7, 0, 61), (9, 1, 62)] {
            let item = item(message, direction, phase);
            assert_eq!(PHASES.message_of(item, direction), Some(message));
            assert_eq!(PHASES.message_of(item, 1 - direction), None);
            assert_eq!(PHASES.map(item, |message| message + 1), self::item(message + 1, direction, phase));
        }
        assert!(PHASES.meet(item(1, 0, 4), item(2, 1, 4)) && !PHASES.meet(item(1, 0, 4), item(1, 1, 5)));
        assert!(!PHASES.meet(item(1, 0, 4), item(2, 0, 4)), "they go in the same direction");
        let without = |direction| PHASES.item(1, direction, || None);
        assert!(!PHASES.meet(without(0), without(1)) && !PHASES.meet(without(0), item(1, 1, 0)));
    }

    #[test]
    fn messages_of_one_phase_leave_in_the_order_in_which_they_were_sent() {
        let mut queues = LinkQueues::new(Links::HalfPhase);
        let [right, left, later] = [item(1, 0, 3), item(2, 1, 3), item(3, 1, 4)];
        let both = of(&mut queues, &[right, left]);
        let rest = of(&mut queues, &[left]);
        assert_eq!(heads(&mut queues, both), [(right, rest)]);
        assert_ne!(both, of(&mut queues, &[left, right]), "the first is another");
        // Phase 4 waits behind phase 3 of its sender; alone it does not.
        let all = of(&mut queues, &[right, left, later]);
        assert_eq!(heads(&mut queues, all).len(), 1);
        let pass = of(&mut queues, &[right, later]);
        assert_eq!((heads(&mut queues, pass).len(), of(&mut queues, &[later, right])), (2, pass));
        let link = of(&mut queues, &[right]);
        let waits = [left, later, item(4, 0, 3)].map(|item| queues.must_wait(link, item));
        assert_eq!(waits, [true, false, false]);
        assert!(queues.must_wait(both, later) && !queues.must_wait(EMPTY, left));
    }

    #[test]
    fn a_duplicate_is_right_behind_and_dropped_messages_are_counted() {
        let mut queues = LinkQueues::new(Links::Fifo);
        let contents = of(&mut queues, &[7, 5, 8]);
        let twice = of(&mut queues, &[7, 7, 5, 8]);
        assert_eq!(queues.duplicate(contents, 7), twice);
        let even = of(&mut queues, &[8]);
        assert_eq!(queues.retain(twice, |message| message % 2 == 0), (even, 3));
        assert_eq!(queues.retain(contents, |_| false), (EMPTY, 3));
    }
}
