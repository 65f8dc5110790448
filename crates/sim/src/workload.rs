//! The requests that a workload still has to make.

use alloc::vec::Vec;

use ringleader_model::{Place, Range, Scenario, Ticks, Time, Workload};

#[derive(Clone)]
pub(crate) struct WorkloadDriver {
    /// By place, the requests left.
    left: Vec<u64>,
    pub(crate) first: Range,
    pub(crate) think: Range,
    pub(crate) hold: Range,
    /// Where the load changes: the workload, and the longest tick.
    changing: Option<(Workload, u64)>,
}

impl WorkloadDriver {
    /// `None` in a scenario without a workload.
    pub(crate) fn new(scenario: &Scenario) -> Option<Self> {
        let workload = scenario.workload.as_ref()?;
        let changing =
            (!workload.changes.is_empty()).then(|| (workload.clone(), scenario.timing.tick_ranges().hull().max));
        Some(Self {
            left: scenario.asks(),
            first: workload.first,
            think: workload.think,
            hold: workload.hold,
            changing,
        })
    }

    /// The number of ticks for which a place that does not compete at present puts its request off: of these all but the last
    /// come before it competes, however long they are.
    pub(crate) fn deferred(&self, place: Place, now: Time) -> Option<Ticks> {
        let (workload, longest) = self.changing.as_ref()?;
        let wait = workload.asks_from(place, now) - now;
        (wait > 0).then(|| Ticks::new(wait.div_ceil(*longest)))
    }

    /// The number of requests that a place has left.
    pub(crate) fn left(&self, place: Place) -> u64 {
        self.left[place as usize]
    }

    /// A request of a place that was counted is not made.
    pub(crate) fn give_back(&mut self, place: Place) {
        self.left[place as usize] += 1;
    }

    /// Counts a request of a place; false if it has none left.
    pub(crate) fn take_request(&mut self, place: Place) -> bool {
        let left = &mut self.left[place as usize];
        let any = *left > 0;
        *left -= u64::from(any);
        any
    }
}
