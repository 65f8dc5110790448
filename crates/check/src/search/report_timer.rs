//! When a search reports its progress, and is asked whether to go on.

#[cfg(not(target_family = "wasm"))]
use std::time::{Duration, Instant};

/// The time between two reports.
#[cfg(not(target_family = "wasm"))]
const INTERVAL: Duration = Duration::from_millis(200);

/// Says when a report is due. Where there is no clock, it always is: whoever watches has one.
pub(super) struct ReportTimer {
    #[cfg(not(target_family = "wasm"))]
    last: Instant,
}

impl ReportTimer {
    pub(super) fn new() -> Self {
        Self {
            #[cfg(not(target_family = "wasm"))]
            last: Instant::now(),
        }
    }

    /// Whether a report is due; the next one is due a while later.
    #[cfg(not(target_family = "wasm"))]
    pub(super) fn is_due(&mut self) -> bool {
        let due = self.last.elapsed() >= INTERVAL;
        if due {
            self.last = Instant::now();
        }
        due
    }

    /// Whether a report is due.
    #[cfg(target_family = "wasm")]
    pub(super) fn is_due(&mut self) -> bool {
        true
    }
}
