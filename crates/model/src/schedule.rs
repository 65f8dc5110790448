use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;
use core::fmt::Debug;

use crate::{Event, Place, Port, Processor};

/// One thing that happens in a run that keeps no time, in which only the order of things matters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Happening<P: Processor> {
    /// Something happens to a processor, and its choices fall like this.
    Step {
        /// Where.
        place: Place,
        /// What.
        event: Event<P>,
        /// What it draws, in order.
        chosen: Vec<u32>,
    },
    /// A processor stops for good.
    Crash(Place),
    /// A message that would have come in is lost.
    Loss(Place, Port, P::Message),
    /// A message that is about to come in will come in twice.
    Double(Place, Port, P::Message),
}

/// What a run with clocks leaves open.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Open {
    /// What a processor draws.
    Coin,
    /// The length of a step, less the shortest.
    Step,
    /// The delay of a message, less the shortest, at its sender.
    Delay,
    /// How many own steps a user waits or stays, less the fewest.
    Load,
    /// Whether a message that arrives at an instant comes in before (0) or after (1) the receiver's step of that instant.
    Tie,
}

/// An answer to everything that a run with clocks leaves open: by what is asked and where, the answers in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Script {
    answers: BTreeMap<(Open, Place), VecDeque<u64>>,
}

impl Script {
    /// Adds the next answer to a question of a place.
    pub fn add(&mut self, open: Open, place: Place, answer: u64) {
        self.answers.entry((open, place)).or_default().push_back(answer);
    }

    /// The next answer to a question of a place, if there is one left.
    pub fn next(&mut self, open: Open, place: Place) -> Option<u64> {
        self.answers.get_mut(&(open, place))?.pop_front()
    }

    /// Whether no answer is left.
    pub fn is_empty(&self) -> bool {
        self.answers.values().all(VecDeque::is_empty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_in_order_for_each_question_of_each_place() {
        let mut script = Script::default();
        for (open, place, answer) in [(Open::Coin, 0, 1), (Open::Step, 0, 5), (Open::Coin, 1, 7), (Open::Coin, 0, 2)] {
            script.add(open, place, answer);
        }
        assert_eq!([0, 1, 0, 0].map(|place| script.next(Open::Coin, place)), [Some(1), Some(7), Some(2), None]);
        assert!(!script.is_empty());
        assert_eq!(script.next(Open::Step, 0), Some(5));
        assert!(script.is_empty());
    }
}
