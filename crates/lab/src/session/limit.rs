//! A limit on runs without end: no request blocks the page forever.

use std::sync::atomic::{AtomicU64, Ordering};

use ringleader::{Error, Watch};
use ringleader_sim::Run;

/// A run that is executed as a whole makes at most this number of deliveries.
const MOST_DELIVERIES: u64 = 50_000_000;
/// It is looked at no more often than this: clocks may tick without messages.
const MOST_LOOKS: u64 = 1_000;

/// Stops a run that goes on for too long.
#[derive(Default)]
pub(super) struct Patience {
    deliveries: AtomicU64,
    looks: AtomicU64,
}

impl Patience {
    /// An error if the run was stopped.
    pub(super) fn check(&self) -> Result<(), Error> {
        let deliveries = self.deliveries.load(Ordering::Relaxed);
        match self.stopped() {
            true => Err(Error::Refused {
                wrong: format!("the run has not ended after {deliveries} messages"),
                allowed: Some("a run that ends, or --max-messages, --max-steps or --max-time"),
            }),
            false => Ok(()),
        }
    }
}

impl Watch for Patience {
    fn stopped(&self) -> bool {
        self.deliveries.load(Ordering::Relaxed) > MOST_DELIVERIES || self.looks.load(Ordering::Relaxed) > MOST_LOOKS
    }

    fn running(&self, run: &dyn Run) {
        self.deliveries.store(run.deliveries(), Ordering::Relaxed);
        self.looks.fetch_add(1, Ordering::Relaxed);
    }
}
