//! The messages in flight on a link with clocks, and their ages.

use crate::interner::{Interned, Interner, ValueTable};
use crate::memo::Memo;

/// No message.
pub(crate) const EMPTY: Interned = 0;

/// The age of a message, in units since it was sent, and its number.
pub(crate) type AgedMessage = (u64, Interned);

/// A set of messages that may arrive on a link in an instant: their indices, the messages, and the rest, one unit
/// older.
#[derive(Clone)]
pub(crate) struct Arrivals {
    pub(crate) which: Vec<usize>,
    pub(crate) messages: Vec<Interned>,
    pub(crate) rest: Interned,
}

/// Contents of links, interned, in the order of sending. Messages that arrive at one instant do so in that order, even
/// where links do not keep the order.
pub(crate) struct InFlight {
    contents: Interner<Vec<AgedMessage>>,
    batches: Interner<Vec<Interned>>,
    /// By contents: what may arrive.
    arrivals: Vec<Option<Vec<Arrivals>>>,
    /// By contents and batch: the contents with the batch added.
    pushed: Memo,
    in_order: bool,
    /// The shortest and the longest delay.
    delay: (u64, u64),
}

impl Clone for InFlight {
    /// For another worker.
    fn clone(&self) -> Self {
        let (arrivals, pushed) = (Vec::new(), Memo::new());
        let (contents, batches) = (self.contents.clone(), self.batches.clone());
        Self { contents, batches, arrivals, pushed, in_order: self.in_order, delay: self.delay }
    }
}

impl InFlight {
    pub(crate) fn new(in_order: bool, delay: (u64, u64)) -> Self {
        let (mut contents, mut batches) = (Interner::new(), Interner::new());
        assert_eq!((contents.intern(Vec::new()), batches.intern(Vec::new())), (EMPTY, EMPTY));
        Self { contents, batches, arrivals: Vec::new(), pushed: Memo::new(), in_order, delay }
    }

    /// As a checkpoint keeps them.
    pub(crate) fn values(&self) -> [&dyn ValueTable; 2] {
        [&self.contents, &self.batches]
    }

    pub(crate) fn contents(&mut self, contents: Interned) -> &[AgedMessage] {
        self.contents.get(contents)
    }

    /// The number of some contents.
    pub(crate) fn intern(&mut self, contents: Vec<AgedMessage>) -> Interned {
        self.contents.intern(contents)
    }

    /// The number of the messages that are sent on a link in one instant.
    pub(crate) fn batch(&mut self, messages: Vec<Interned>) -> Interned {
        self.batches.intern(messages)
    }

    /// The messages of a batch.
    pub(crate) fn messages(&mut self, batch: Interned) -> &[Interned] {
        self.batches.get(batch)
    }

    /// The number of messages of a batch.
    pub(crate) fn size(&mut self, batch: Interned) -> u32 {
        self.batches.get(batch).len() as u32
    }

    /// Memory held by this copy, about.
    pub(crate) fn bytes(&self) -> usize {
        let arrivals = self.arrivals.iter().flatten().map(|arrivals| size_of_val(&**arrivals)).sum::<usize>();
        self.contents.bytes() + self.batches.bytes() + arrivals + self.pushed.bytes()
    }

    /// The contents with a batch added.
    pub(crate) fn push(&mut self, contents: Interned, batch: Interned) -> Interned {
        if batch == EMPTY {
            return contents;
        }
        if let Some(pushed) = self.pushed.get(contents, batch) {
            return pushed;
        }
        let mut messages = self.contents.get(contents).clone();
        messages.extend(self.batches.get(batch).iter().map(|&message| (0, message)));
        let pushed = self.contents.intern(messages);
        self.pushed.insert(contents, batch, pushed);
        pushed
    }

    /// All possible arrivals of the next instant.
    pub(crate) fn arrivals(&mut self, contents: Interned) -> &[Arrivals] {
        let index = contents as usize;
        if self.arrivals.len() <= index {
            self.arrivals.resize(index + 1, None);
        }
        if self.arrivals[index].is_none() {
            let aged: Vec<AgedMessage> =
                self.contents.get(contents).iter().map(|&(age, message)| (age + 1, message)).collect();
            let arrivals = arrival_choices(&aged, self.in_order, self.delay).into_iter().map(|which| {
                let messages = which.iter().map(|&index| aged[index].1).collect();
                let rest = (0..aged.len()).filter(|index| !which.contains(index)).map(|index| aged[index]);
                Arrivals { messages, rest: self.contents.intern(rest.collect()), which }
            });
            self.arrivals[index] = Some(arrivals.collect());
        }
        self.arrivals[index].as_deref().expect("it was just worked out")
    }
}

/// All sets of messages that may arrive together, by index. Of equal messages of one age, those sent first
/// arrive first: the other sets lead to the same states.
pub(crate) fn arrival_choices(
    messages: &[AgedMessage],
    in_order: bool,
    (shortest, longest): (u64, u64),
) -> Vec<Vec<usize>> {
    let mut sets = vec![Vec::new()];
    for (index, &(age, _)) in messages.iter().enumerate() {
        let alike = index > 0 && messages[index] == messages[index - 1];
        // If links keep the order, or if it is equal, the message before it must arrive too.
        let may = |which: &Vec<usize>| {
            let follows = index > 0 && (in_order || alike);
            age >= shortest && (!follows || which.last() == Some(&(index - 1)))
        };
        let mut next = Vec::new();
        for which in sets {
            if may(&which) {
                next.push([&which[..], &[index]].concat());
            }
            if age < longest {
                next.push(which);
            }
        }
        sets = next;
    }
    sets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_order_a_prefix_arrives_and_after_the_longest_delay_a_message_must() {
        let arrive = |messages: &[AgedMessage]| {
            let mut found = arrival_choices(messages, true, (1, 3));
            found.sort();
            found
        };
        assert_eq!(arrive(&[]), [[0usize; 0]; 1]);
        assert_eq!(arrive(&[(2, 7), (1, 8)]), [vec![], vec![0], vec![0, 1]]);
        assert_eq!(arrive(&[(3, 7), (1, 8), (1, 9)]), [vec![0], vec![0, 1], vec![0, 1, 2]]);
        assert_eq!(arrival_choices(&[(1, 7), (0, 8)], true, (1, 3)).len(), 2, "the second is too young");
    }

    #[test]
    fn in_any_order_anything_may_arrive_and_equal_messages_are_one() {
        assert_eq!(arrival_choices(&[(2, 7), (1, 8)], false, (1, 3)).len(), 4);
        // None, one or both of two equal messages, with or without the third.
        assert_eq!(arrival_choices(&[(2, 7), (2, 7), (1, 7)], false, (1, 3)).len(), 6);
        assert_eq!(arrival_choices(&[(3, 7), (1, 8)], false, (2, 3)), [vec![0]]);
    }
}
