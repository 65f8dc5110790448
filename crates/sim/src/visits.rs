//! What is left of a workload: how often each place will ask.

use alloc::vec::Vec;

use ringleader_model::{Place, Range, Scenario};

pub(crate) struct Visits {
    left: Vec<u64>,
    pub(crate) first: Range,
    pub(crate) think: Range,
    pub(crate) hold: Range,
}

impl Visits {
    /// `None` where nobody asks.
    pub(crate) fn new(scenario: &Scenario) -> Option<Self> {
        let load = scenario.workload.as_ref()?;
        Some(Self { left: scenario.asks(), first: load.first, think: load.think, hold: load.hold })
    }

    /// Whether a place asks once more.
    pub(crate) fn ask(&mut self, place: Place) -> bool {
        let left = &mut self.left[place as usize];
        let asks = *left > 0;
        *left -= u64::from(asks);
        asks
    }
}
