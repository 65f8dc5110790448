//! The requests that a workload still has to make.

use alloc::vec::Vec;

use ringleader_model::{Place, Range, Scenario};

#[derive(Clone)]
pub(crate) struct WorkloadDriver {
    /// By place, the requests left.
    left: Vec<u64>,
    pub(crate) first: Range,
    pub(crate) think: Range,
    pub(crate) hold: Range,
}

impl WorkloadDriver {
    /// `None` in a scenario without a workload.
    pub(crate) fn new(scenario: &Scenario) -> Option<Self> {
        let workload = scenario.workload.as_ref()?;
        Some(Self { left: scenario.asks(), first: workload.first, think: workload.think, hold: workload.hold })
    }

    /// Counts a request of a place; false if it has none left.
    pub(crate) fn take_request(&mut self, place: Place) -> bool {
        let left = &mut self.left[place as usize];
        let any = *left > 0;
        *left -= u64::from(any);
        any
    }
}
