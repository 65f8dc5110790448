use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use serde::Serialize;

use crate::{Place, Scenario};

/// The number that a request draws. Of numbers that are kept modulo M, those in use lie less than M/2 apart.
///
/// ```
/// use ringleader_model::SequenceNumber;
///
/// let [one, four] = [1, 4].map(|value| SequenceNumber { value, modulus: Some(5) });
/// assert!(four.precedes(one), "modulo 5 it is 4 and 6");
/// assert!(!one.precedes(four));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub struct SequenceNumber {
    /// The number, as the site keeps it.
    pub value: u64,
    /// The M modulo which numbers are kept, if they are bounded.
    pub modulus: Option<u64>,
}

impl SequenceNumber {
    /// Whether it is the smaller. Modulo M: whether the other lies ahead of it by less than M/2 (serial number arithmetic).
    pub const fn precedes(self, other: Self) -> bool {
        let Some(m) = self.modulus else { return self.value < other.value };
        let ahead = if other.value < self.value {
            m.saturating_sub(self.value - other.value)
        } else {
            other.value - self.value
        };
        0 < ahead && ahead < m.div_ceil(2)
    }
}

impl fmt::Display for SequenceNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.modulus {
            None => self.value.fmt(f),
            Some(m) => write!(f, "{} (mod {m})", self.value),
        }
    }
}

/// Whether sites that conflict enter in the order of the numbers of their requests, and of their identities where numbers are
/// the same.
///
/// It keeps the numbers of waiting sites, which those know too, so that it distinguishes no states.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ServiceOrder {
    /// By place, the same in all states.
    ids: Vec<u64>,
    /// By place: the number of the request, from when it is drawn to the entry.
    drawn: Vec<Option<SequenceNumber>>,
    /// The number of readers, which have the first places; the same in all states.
    readers: usize,
    /// The last in order of the sites that have entered at the present instant, and its number: of readers, and of others.
    entered: [Option<(Place, SequenceNumber)>; 2],
}

impl ServiceOrder {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let readers = scenario.workload.as_ref().map_or(0, |load| load.readers);
        Self {
            ids: scenario.identities().list().into_owned(),
            drawn: vec![None; scenario.n],
            readers,
            entered: [None; 2],
        }
    }

    pub(crate) fn draw(&mut self, place: Place, number: SequenceNumber) {
        self.drawn[place as usize] = Some(number);
    }

    /// A site enters. Returns what is wrong if it has drawn no number.
    pub(crate) fn enter(&mut self, place: Place) -> Option<String> {
        let Some(number) = self.drawn[place as usize].take() else {
            return Some(format!("place {place} enters without a number"));
        };
        let kind = usize::from(!self.reads(place));
        if self.entered[kind].is_none_or(|last| self.precedes(last, (place, number))) {
            self.entered[kind] = Some((place, number));
        }
        None
    }

    /// A site has crashed.
    pub(crate) fn crash(&mut self, place: Place) {
        self.drawn[place as usize] = None;
    }

    /// The present instant is over. Returns what is wrong if a site still waits that had to enter before one that has entered.
    pub(crate) fn settle(&mut self) -> Option<String> {
        let [reader, other] = core::mem::take(&mut self.entered);
        other.and_then(|last| self.overtaken(last)).or_else(|| reader.and_then(|last| self.overtaken(last)))
    }

    /// What is wrong if a site that conflicts with one that has entered still waits with a smaller number.
    fn overtaken(&self, (place, number): (Place, SequenceNumber)) -> Option<String> {
        let mut waiting = (0..).zip(&self.drawn).filter_map(|(other, &drawn)| Some((other, drawn?)));
        let conflicts = |other: Place| !(self.reads(place) && self.reads(other));
        let (first, smaller) =
            waiting.find(|&(other, its)| conflicts(other) && self.precedes((other, its), (place, number)))?;
        Some(format!("place {place} enters with {number} while place {first} waits with {smaller}"))
    }

    const fn reads(&self, place: Place) -> bool {
        (place as usize) < self.readers
    }

    fn precedes(&self, (one, number): (Place, SequenceNumber), (other, its): (Place, SequenceNumber)) -> bool {
        let id = |place: Place| self.ids.get(place as usize);
        number.precedes(its) || number == its && id(one) < id(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_modulo_m_compare_as_the_numbers_themselves_do_while_they_lie_less_than_half_of_m_apart() {
        for m in 1..=9 {
            let kept = |number: u64| SequenceNumber { value: number % m, modulus: Some(m) };
            for a in 0..4 * m {
                for b in (a..).take_while(|b| 2 * (b - a) < m) {
                    assert_eq!((kept(a).precedes(kept(b)), kept(b).precedes(kept(a))), (a < b, false), "{a}, {b}, {m}");
                }
            }
        }
    }

    const fn number(value: u64) -> SequenceNumber {
        SequenceNumber { value, modulus: None }
    }

    fn order(ids: &[u64]) -> ServiceOrder {
        ServiceOrder::new(&Scenario { n: ids.len(), ids: ids.to_vec(), ..Scenario::default() })
    }

    #[test]
    fn the_smaller_number_goes_first_and_then_the_smaller_identity() {
        let mut order = order(&[7, 5, 3]);
        for (place, value) in [(0, 1), (1, 2), (2, 2)] {
            order.draw(place, number(value));
        }
        for place in [0, 2, 1] {
            assert_eq!((order.enter(place), order.settle()), (None, None));
        }
        order.draw(0, number(3));
        order.draw(1, number(3));
        assert_eq!(order.enter(0), None);
        assert_eq!(order.settle().as_deref(), Some("place 0 enters with 3 while place 1 waits with 3"));
    }

    #[test]
    fn sites_that_enter_at_one_instant_are_told_in_any_order() {
        let mut order = order(&[1, 2, 3]);
        for (place, value) in [(0, 2), (1, 1), (2, 1)] {
            order.draw(place, number(value));
        }
        assert_eq!((order.enter(0), order.enter(1)), (None, None));
        assert_eq!(order.settle().as_deref(), Some("place 0 enters with 2 while place 2 waits with 1"));
        order.draw(0, number(2));
        assert_eq!((order.enter(0), order.enter(2), order.settle()), (None, None, None));
    }

    #[test]
    fn who_enters_without_a_number_breaks_the_promise_and_who_crashes_is_not_waited_for() {
        let mut order = order(&[1, 2]);
        order.draw(0, number(1));
        order.crash(0);
        order.draw(1, number(2));
        assert_eq!((order.enter(1), order.settle()), (None, None));
        assert_eq!(order.enter(1).as_deref(), Some("place 1 enters without a number"));
    }
}
