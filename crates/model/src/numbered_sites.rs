use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::{Place, Scenario, SequenceNumber};

impl SequenceNumber {
    /// How far two numbers in use lie apart. Modulo M: the shorter way round.
    pub const fn distance(self, other: Self) -> u64 {
        let apart = self.value.abs_diff(other.value);
        match self.modulus {
            Some(m) if m - apart < apart => m - apart,
            _ => apart,
        }
    }
}

/// The numbers in use: those of sites that wait or are inside. Sites know them too, so that they distinguish no states.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct NumbersInUse {
    /// By place, from when it is drawn to when the site leaves.
    numbers: Vec<Option<SequenceNumber>>,
}

impl NumbersInUse {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        Self { numbers: vec![None; scenario.n] }
    }

    /// A site draws a number. Returns how far the farthest of the others is.
    pub(crate) fn draw(&mut self, place: Place, number: SequenceNumber) -> u64 {
        self.numbers[place as usize] = None;
        let farthest = self.numbers.iter().flatten().map(|&other| number.distance(other)).max();
        self.numbers[place as usize] = Some(number);
        farthest.unwrap_or(0)
    }

    /// The same; what is wrong if one is farther than N-1.
    pub(crate) fn draw_close(&mut self, place: Place, number: SequenceNumber) -> Option<String> {
        let (apart, most) = (self.draw(place, number), self.numbers.len() as u64 - 1);
        (apart > most).then(|| format!("place {place} draws {number}, {apart} away from another"))
    }

    /// How many sites have a number in use.
    pub(crate) fn in_use(&self) -> u64 {
        self.numbers.iter().flatten().count() as u64
    }

    /// A site has left, or crashed.
    pub(crate) fn leave(&mut self, place: Place) {
        self.numbers[place as usize] = None;
    }
}

/// The entries of each site while another waits with its number.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Overtaking {
    /// Whether a place waits.
    waits: Vec<bool>,
    /// By waiting place and entering place.
    entries: Vec<u32>,
}

impl Overtaking {
    /// The promised maximum.
    const MOST: u32 = 2;

    pub(crate) fn new(scenario: &Scenario) -> Self {
        Self { waits: vec![false; scenario.n], entries: vec![0; scenario.n * scenario.n] }
    }

    /// A site begins to wait.
    pub(crate) fn wait(&mut self, place: Place) {
        self.waits[place as usize] = true;
    }

    /// A site enters, or has crashed: it waits no more.
    fn stop(&mut self, place: Place) {
        let n = self.waits.len();
        self.waits[place as usize] = false;
        self.entries[place as usize * n..][..n].fill(0);
    }

    pub(crate) fn crash(&mut self, place: Place) {
        self.stop(place);
    }

    /// A site enters. Returns the greatest number of its entries while one and the same site has been waiting.
    pub(crate) fn enter(&mut self, place: Place) -> u32 {
        self.stop(place);
        let n = self.waits.len();
        let counts = self.entries.iter_mut().skip(place as usize).step_by(n);
        let mut greatest = 0;
        for (count, _) in counts.zip(&self.waits).filter(|(_, waits)| **waits) {
            *count += 1;
            greatest = greatest.max(*count);
        }
        greatest
    }

    /// The same; what is wrong if that is more than twice. `left`: the requests that each site has left, without this one. Counters
    /// that cannot exceed the promise any more are 0, so that a small workload has no more states.
    pub(crate) fn enter_at_most_twice(&mut self, place: Place, left: &[u64]) -> Option<String> {
        let times = self.enter(place);
        let n = self.waits.len();
        for count in self.entries.iter_mut().skip(place as usize).step_by(n) {
            if u64::from(*count).saturating_add(left[place as usize]) <= u64::from(Self::MOST) {
                *count = 0;
            }
        }
        (times > Self::MOST).then(|| format!("place {place} enters {times} times while another waits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_modulo_m_lie_apart_the_shorter_way_round() {
        let number = |value, modulus| SequenceNumber { value, modulus };
        assert_eq!(number(1, None).distance(number(9, None)), 8);
        assert_eq!(number(1, Some(10)).distance(number(9, Some(10))), 2);
        assert_eq!(number(9, Some(10)).distance(number(5, Some(10))), 4);
    }

    fn scenario(n: usize) -> Scenario {
        Scenario { n, ..Scenario::default() }
    }

    #[test]
    fn numbers_are_in_use_from_the_draw_to_the_exit() {
        let mut numbers = NumbersInUse::new(&scenario(3));
        let number = |value| SequenceNumber { value, modulus: None };
        assert_eq!([(0, 1), (1, 3), (2, 2)].map(|(place, value)| numbers.draw(place, number(value))), [0, 2, 1]);
        assert_eq!(numbers.in_use(), 3);
        assert!(numbers.draw_close(2, number(4)).is_some(), "1 is still in use");
        numbers.leave(0);
        assert_eq!((numbers.draw_close(2, number(4)), numbers.in_use()), (None, 2));
    }

    #[test]
    fn a_third_entry_while_another_waits_is_one_too_many() {
        let mut overtaking = Overtaking::new(&scenario(3));
        let many = [9, 9, 9];
        assert_eq!(overtaking.enter_at_most_twice(0, &many), None);
        overtaking.wait(1);
        for _ in 0..2 {
            assert_eq!(overtaking.enter_at_most_twice(0, &many), None);
            assert_eq!(overtaking.enter_at_most_twice(2, &many), None, "another site has its own two");
        }
        assert!(overtaking.clone().enter_at_most_twice(0, &many).is_some());
        assert_eq!(overtaking.enter_at_most_twice(1, &many), None);
        overtaking.wait(1);
        assert_eq!(overtaking.enter_at_most_twice(0, &many), None, "it has begun to wait again");
        let before = Overtaking { waits: vec![false, true, false], ..Overtaking::new(&scenario(3)) };
        let mut last = before.clone();
        assert_eq!((last.enter_at_most_twice(0, &[1, 9, 9]), last), (None, before), "it cannot enter three times");
    }
}
