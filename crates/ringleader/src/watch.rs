//! Time and cancellation, handed in: the library reads no clock and catches no signal.

use ringleader_check::Progress;
use ringleader_sim::Run;

use crate::check::Checkpoints;

/// Told how far something is, and asked whether to go on. All of it may be called by several threads.
pub trait Watch: Sync {
    /// Whether to stop as soon as possible, with partial results.
    fn stopped(&self) -> bool {
        false
    }

    /// Seconds that have passed since some fixed moment; 0 where nobody keeps the time.
    fn seconds(&self) -> f64 {
        0.0
    }

    /// Whether a run may go on that holds `bytes` bytes, and held `initial` before its first step. It may soon need as
    /// many again as it has taken since, because what is full is enlarged to twice its size.
    fn has_room(&self, _bytes: usize, _initial: usize) -> bool {
        true
    }

    /// A run has come this far.
    fn running(&self, _run: &dyn Run) {}

    /// A run of a table begins, which this command line repeats.
    fn measuring(&self, _command_line: &str) {}

    /// This number of runs of a table is done, out of that many.
    fn measured(&self, _done: u64, _of: u64) {}

    /// A check begins, with these numbers of instances and threads.
    fn checking(&self, _instances: usize, _workers: usize) {}

    /// The search of a worker has come this far in its instance.
    fn searching(&self, _worker: usize, _progress: &Progress) {}

    /// A worker is done with an instance.
    fn searched(&self, _worker: usize, _progress: &Progress) {}

    /// The checkpoints that checks write and go on from.
    fn checkpoints(&self) -> Option<&Checkpoints> {
        None
    }
}

/// Nobody watches.
impl Watch for () {}
