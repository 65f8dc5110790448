//! Timers that are pending, by place.

use alloc::vec;
use alloc::vec::Vec;

use ringleader_model::{Place, Time};

/// When a timer runs off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum When {
    At(Time),
    /// After so many more steps of varying length, not counting one at the instant in which it was set.
    Steps {
        left: u64,
        set: Time,
    },
    EndOfPass,
    Never,
}

/// All pending timers. Few protocols have more than one at a time in a place.
pub(crate) struct Timers<T> {
    /// Made when the first is set.
    places: Vec<Vec<(T, When)>>,
    n: usize,
    never: u64,
}

impl<T: Ord + Clone> Timers<T> {
    pub(crate) fn new(n: usize) -> Self {
        Self { places: Vec::new(), n, never: 0 }
    }

    /// Sets a timer; a pending one of the same value is replaced.
    pub(crate) fn set(&mut self, place: Place, timer: T, when: When) {
        if self.places.is_empty() {
            self.places = vec![Vec::new(); self.n];
        }
        self.forget(place, &timer);
        self.never += u64::from(when == When::Never);
        self.places[place as usize].push((timer, when));
    }

    pub(crate) fn forget(&mut self, place: Place, timer: &T) {
        let found = self.of(place).iter().position(|(other, _)| other == timer);
        if let Some(index) = found {
            let (_, when) = self.places[place as usize].swap_remove(index);
            self.never -= u64::from(when == When::Never);
        }
    }

    pub(crate) fn forget_all(&mut self, place: Place) {
        self.never -= self.of(place).iter().filter(|(_, when)| *when == When::Never).count() as u64;
        if let Some(timers) = self.places.get_mut(place as usize) {
            timers.clear();
        }
    }

    /// Takes out a timer if it is due in this way; false if it was replaced or cancelled meanwhile.
    pub(crate) fn take(&mut self, place: Place, timer: &T, due: impl Fn(When) -> bool) -> bool {
        let found = self.of(place).iter().position(|(other, when)| other == timer && due(*when));
        if let Some(index) = found {
            self.places[place as usize].swap_remove(index);
        }
        found.is_some()
    }

    /// Whether a timer is pending that will run off.
    pub(crate) fn is_pending(&self, place: Place, timer: &T) -> bool {
        self.of(place).iter().any(|(other, when)| other == timer && *when != When::Never)
    }

    /// Whether none was ever set.
    pub(crate) fn are_unused(&self) -> bool {
        self.places.is_empty()
    }

    /// Counts the timers of a place down by one step that it takes now; adds those that are due.
    pub(crate) fn count_down(&mut self, place: Place, now: Time, due: &mut Vec<T>) {
        let Some(timers) = self.places.get_mut(place as usize) else { return };
        for (timer, when) in timers {
            if let When::Steps { left, set } = when
                && *set < now
            {
                *left -= 1;
                if *left == 0 {
                    due.push(timer.clone());
                }
            }
        }
        due.sort_unstable();
    }

    /// Whether some timer of a place waits for steps.
    pub(crate) fn counts(&self, place: Place) -> bool {
        self.of(place).iter().any(|(_, when)| matches!(when, When::Steps { .. }))
    }

    /// How many are pending that never run off.
    pub(crate) fn never(&self) -> u64 {
        self.never
    }

    pub(crate) fn bytes(&self) -> usize {
        let pending: usize = self.places.iter().map(Vec::capacity).sum();
        self.places.capacity() * size_of::<Vec<(T, When)>>() + pending * size_of::<(T, When)>()
    }

    fn of(&self, place: Place) -> &[(T, When)] {
        self.places.get(place as usize).map_or(&[], Vec::as_slice)
    }
}
