//! What is left of a workload: how often each place will ask.

use alloc::vec::Vec;

use ringleader_model::{Place, Range, Workload};

pub(crate) struct Visits {
    left: Vec<u64>,
    pub(crate) think: Range,
    pub(crate) hold: Range,
}

impl Visits {
    pub(crate) fn new(load: &Workload, n: usize) -> Self {
        Self { left: (0..n as Place).map(|place| load.asks(place)).collect(), think: load.think, hold: load.hold }
    }

    /// Whether a place asks once more.
    pub(crate) fn ask(&mut self, place: Place) -> bool {
        let left = &mut self.left[place as usize];
        let asks = *left > 0;
        *left -= u64::from(asks);
        asks
    }
}
