use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;
use core::fmt::Debug;

use crate::{Event, Place, Port, Processor};

/// One action of an untimed schedule, in which only the order of actions matters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action<P: Processor> {
    /// A processor takes a step.
    Step {
        /// The processor's place.
        place: Place,
        /// The event that it reacts to.
        event: Event<P>,
        /// The values that it draws, in order.
        chosen: Vec<u32>,
    },
    /// A processor crashes.
    Crash(Place),
    /// A processor restarts and wakes; one that is up crashes first.
    Restart {
        /// The processor's place.
        place: Place,
        /// The values that it draws on waking, in order.
        chosen: Vec<u32>,
    },
    /// The link between two places is cut.
    Cut(Place, Place),
    /// The cut between two places ends.
    Heal(Place, Place),
    /// A message to this place, due at this port, is lost. It needs no fault where the receiver is down, or the link is cut.
    Loss(Place, Port, P::Message),
    /// A message to this place, due at this port, is duplicated.
    Duplicate(Place, Port, P::Message),
}

/// A nondeterministic choice of a timed run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ChoicePoint {
    /// A random choice of a processor.
    Coin,
    /// The length of a step, less the minimum.
    StepLength,
    /// The delay of a message, less the minimum, keyed by its sender.
    Delay,
    /// The number of own steps for which a user waits or stays, less the minimum.
    Workload,
    /// Whether a message that arrives at an instant at which its receiver steps comes before (0) or after (1) that
    /// step.
    Tie,
    /// Whether a message is lost (0) or not (1), if some may be; then, unless it is lost, whether it is duplicated (0) or not
    /// (1), if some may be. Keyed by its sender.
    Fault,
}

/// A schedule for a timed run: for each choice point of each place, the values to choose, in order.
///
/// ```
/// use ringleader_model::{ChoicePoint, ScheduledChoices};
///
/// let mut schedule = ScheduledChoices::default();
/// schedule.add(ChoicePoint::Delay, 2, 7);
/// assert_eq!(schedule.next(ChoicePoint::Delay, 2), Some(7));
/// assert_eq!(schedule.next(ChoicePoint::Delay, 2), None);
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ScheduledChoices {
    values: BTreeMap<(ChoicePoint, Place), VecDeque<u64>>,
    /// By place, the lengths of the steps of each clock that a restart starts.
    clocks: BTreeMap<Place, VecDeque<VecDeque<u64>>>,
}

impl ScheduledChoices {
    /// Appends a value for a choice point of a place.
    pub fn add(&mut self, point: ChoicePoint, place: Place, value: u64) {
        self.values.entry((point, place)).or_default().push_back(value);
    }

    /// Takes the next value for a choice point of a place, if one is left.
    pub fn next(&mut self, point: ChoicePoint, place: Place) -> Option<u64> {
        self.values.get_mut(&(point, place))?.pop_front()
    }

    /// Adds a clock that a restart of a place starts, with the lengths of its steps, less the minimum.
    pub fn add_clock(&mut self, place: Place, lengths: impl IntoIterator<Item = u64>) {
        self.clocks.entry(place).or_default().push_back(lengths.into_iter().collect());
    }

    /// A place restarts: what is left of the lengths of steps is replaced by those of its next clock, if there is one.
    pub fn restart(&mut self, place: Place) {
        let lengths = self.clocks.get_mut(&place).and_then(VecDeque::pop_front).unwrap_or_default();
        self.values.insert((ChoicePoint::StepLength, place), lengths);
    }

    /// Whether no value is left.
    pub fn is_empty(&self) -> bool {
        self.values.values().chain(self.clocks.values().flatten()).all(VecDeque::is_empty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_in_order_for_each_choice_point_of_each_place() {
        use ChoicePoint::{Coin, StepLength};
        let mut schedule = ScheduledChoices::default();
        for (point, place, value) in [(Coin, 0, 1), (StepLength, 0, 5), (Coin, 1, 7), (Coin, 0, 2)] {
            schedule.add(point, place, value);
        }
        assert_eq!([0, 1, 0, 0].map(|place| schedule.next(Coin, place)), [Some(1), Some(7), Some(2), None]);
        assert!(!schedule.is_empty());
        assert_eq!(schedule.next(StepLength, 0), Some(5));
        assert!(schedule.is_empty());
    }

    /// A clock that stops leaves out the lengths of steps that it has not taken.
    #[test]
    fn a_restart_begins_the_lengths_of_another_clock() {
        use ChoicePoint::{Coin, StepLength};
        let mut schedule = ScheduledChoices::default();
        for (point, value) in [(StepLength, 1), (Coin, 3), (StepLength, 2)] {
            schedule.add(point, 0, value);
        }
        schedule.add_clock(0, [7, 8]);
        assert_eq!(schedule.next(StepLength, 0), Some(1));
        schedule.restart(0);
        assert_eq!([StepLength, Coin, StepLength].map(|point| schedule.next(point, 0)), [Some(7), Some(3), Some(8)]);
        assert!(schedule.is_empty());
        schedule.restart(0);
        assert_eq!(schedule.next(StepLength, 0), None);
    }
}
