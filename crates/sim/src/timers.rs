//! The pending timers of each place.

use alloc::vec;
use alloc::vec::Vec;

use ringleader_model::{Place, Time};

use crate::compact;

/// When a timer expires.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Expiry {
    At(Time),
    /// After `left` more steps of variable length, not counting one at the instant `set`.
    Steps {
        left: u64,
        set: Time,
    },
    EndOfPass,
    Never,
}

/// All pending timers. Most protocols have at most one per place.
#[derive(Clone)]
pub(crate) struct PendingTimers<T> {
    /// Allocated when the first timer is set.
    places: Vec<Vec<(T, Expiry)>>,
    n: usize,
    /// How many never expire.
    never: u64,
}

impl<T: Ord + Clone> PendingTimers<T> {
    pub(crate) fn new(n: usize) -> Self {
        Self { places: Vec::new(), n, never: 0 }
    }

    /// Sets a timer; a pending one of the same value is replaced.
    pub(crate) fn set(&mut self, place: Place, timer: T, when: Expiry) {
        if self.places.is_empty() {
            self.places = vec![Vec::new(); self.n];
        }
        self.cancel(place, &timer);
        self.never += u64::from(when == Expiry::Never);
        self.places[place as usize].push((timer, when));
    }

    pub(crate) fn cancel(&mut self, place: Place, timer: &T) {
        let found = self.of(place).iter().position(|(other, _)| other == timer);
        if let Some(index) = found {
            let (_, when) = self.places[place as usize].swap_remove(index);
            self.never -= u64::from(when == Expiry::Never);
        }
    }

    pub(crate) fn cancel_all(&mut self, place: Place) {
        self.never -= self.of(place).iter().filter(|(_, when)| *when == Expiry::Never).count() as u64;
        if let Some(timers) = self.places.get_mut(place as usize) {
            timers.clear();
        }
    }

    /// Moves the expiry of all timers of a place that have a time; one that `later` gives no time never expires.
    pub(crate) fn postpone(&mut self, place: Place, later: impl Fn(Time) -> Option<Time>) {
        let Some(timers) = self.places.get_mut(place as usize) else { return };
        for (_, when) in timers {
            if let Expiry::At(time) = *when {
                *when = later(time).map_or(Expiry::Never, Expiry::At);
                self.never += u64::from(*when == Expiry::Never);
            }
        }
    }

    /// Whether a timer is pending, even if it never expires.
    pub(crate) fn contains(&self, place: Place, timer: &T) -> bool {
        self.of(place).iter().any(|(other, _)| other == timer)
    }

    /// Removes a timer if its expiry satisfies `due`; false if it was replaced or cancelled meanwhile.
    pub(crate) fn take(&mut self, place: Place, timer: &T, due: impl Fn(Expiry) -> bool) -> bool {
        let found = self.of(place).iter().position(|(other, when)| other == timer && due(*when));
        if let Some(index) = found {
            self.places[place as usize].swap_remove(index);
        }
        found.is_some()
    }

    /// Whether a timer is pending that will expire.
    pub(crate) fn is_pending(&self, place: Place, timer: &T) -> bool {
        self.of(place).iter().any(|(other, when)| other == timer && *when != Expiry::Never)
    }

    /// Whether no timer was ever set.
    pub(crate) fn are_unused(&self) -> bool {
        self.places.is_empty()
    }

    /// Counts the timers of a place down by the step that it takes now; appends those that expire.
    pub(crate) fn count_down(&mut self, place: Place, now: Time, due: &mut Vec<T>) {
        let Some(timers) = self.places.get_mut(place as usize) else { return };
        for (timer, when) in timers {
            if let Expiry::Steps { left, set } = when
                && *set < now
            {
                *left -= 1;
                if *left == 0 {
                    due.push(timer.clone());
                }
            }
        }
        compact::sort(due);
    }

    /// Whether a timer of a place counts steps.
    pub(crate) fn counts(&self, place: Place) -> bool {
        self.of(place).iter().any(|(_, when)| matches!(when, Expiry::Steps { .. }))
    }

    /// How many pending timers never expire.
    pub(crate) fn never(&self) -> u64 {
        self.never
    }

    pub(crate) fn bytes(&self) -> usize {
        let pending: usize = self.places.iter().map(Vec::capacity).sum();
        self.places.capacity() * size_of::<Vec<(T, Expiry)>>() + pending * size_of::<(T, Expiry)>()
    }

    /// The pending timers of a place.
    pub(crate) fn of(&self, place: Place) -> &[(T, Expiry)] {
        self.places.get(place as usize).map_or(&[], Vec::as_slice)
    }
}
