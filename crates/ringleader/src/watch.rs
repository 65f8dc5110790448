//! Time and cancellation, handed in: the library reads no clock and catches no signal.

use ringleader_check::Progress;
use ringleader_sim::Run;

/// Told how far something is, and asked whether to go on. All of it may be called by several threads.
pub trait Watch: Sync {
    /// Whether to stop as soon as possible, with what there is.
    fn stopped(&self) -> bool {
        false
    }

    /// Seconds that have passed since some fixed moment; 0 where nobody keeps the time.
    fn seconds(&self) -> f64 {
        0.0
    }

    /// A run has come this far.
    fn running(&self, _run: &dyn Run) {}

    /// A check of so many instances begins, on so many threads.
    fn checking(&self, _instances: usize, _workers: usize) {}

    /// The search of a worker has come this far in its instance.
    fn searching(&self, _worker: usize, _progress: &Progress) {}

    /// A worker is done with an instance.
    fn searched(&self, _worker: usize, _progress: &Progress) {}
}

/// Nobody watches.
impl Watch for () {}
