//! Executing the runs of a sweep on several threads.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::plan::SweepPlan;
use super::quantity::RunRecord;
use crate::check::side_by_side;
use crate::error::Error;
use crate::watch::Watch;

/// How the execution of a sweep ended.
#[derive(Debug)]
pub struct SweepEnd {
    /// Runs that are done although an earlier one is not.
    pub pending: Vec<RunRecord>,
    /// Whether all runs are done.
    pub complete: bool,
    /// Why it could not go on, if it was not told to stop.
    pub error: Option<Error>,
}

/// A worker passes on whether to stop and the memory that there is; how far one run of many is does not matter.
struct WorkerWatch<'a> {
    watch: &'a dyn Watch,
    stop: &'a AtomicBool,
}

impl Watch for WorkerWatch<'_> {
    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.watch.stopped()
    }

    fn seconds(&self) -> f64 {
        self.watch.seconds()
    }

    fn has_room(&self, bytes: usize, initial: usize) -> bool {
        self.watch.has_room(bytes, initial)
    }
}

/// Records on their way into order.
struct Ordered<'a> {
    next: u64,
    waiting: BTreeMap<u64, RunRecord>,
    take: &'a mut (dyn FnMut(&RunRecord) -> bool + Send),
    /// Whether records were taken so far.
    taken: bool,
}

impl Ordered<'_> {
    /// Takes a record, and those that waited for it; false if no more are wanted.
    fn add(&mut self, record: RunRecord) -> bool {
        self.waiting.insert(record.index, record);
        while let Some(record) = self.waiting.remove(&self.next) {
            self.next += 1;
            self.taken &= (self.take)(&record);
            if !self.taken {
                return false;
            }
        }
        true
    }
}

impl SweepPlan {
    /// Executes all runs that are not `done` on this number of threads, and hands each record to `take`, in the order of their
    /// numbers and those that were done before as well; `take` says whether to go on. Runs that are stopped are left out.
    pub fn execute(
        &self,
        done: impl IntoIterator<Item = RunRecord>,
        threads: usize,
        watch: &dyn Watch,
        take: &mut (dyn FnMut(&RunRecord) -> bool + Send),
    ) -> SweepEnd {
        let mut ordered = Ordered { next: 0, waiting: BTreeMap::new(), take, taken: true };
        for record in done {
            if !ordered.add(record) {
                break;
            }
        }
        let known: Vec<u64> = ordered.waiting.keys().copied().collect();
        let (next, stop) = (AtomicU64::new(ordered.next), AtomicBool::new(!ordered.taken));
        let worker = WorkerWatch { watch, stop: &stop };
        let claim = || loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= self.total() || worker.stopped() {
                return None;
            }
            if known.binary_search(&index).is_err() {
                return Some(index);
            }
        };
        let finished = Mutex::new((ordered, None));
        side_by_side(threads.max(1), &|_| {
            while let Some(index) = claim() {
                let run = self.run(index, &worker);
                let mut finished = finished.lock().expect("no worker panics while it holds the records");
                let (ordered, error) = &mut *finished;
                match run {
                    Ok(Some(record)) => {
                        if !ordered.add(record) {
                            stop.store(true, Ordering::Relaxed);
                        }
                        watch.measured(ordered.next + ordered.waiting.len() as u64, self.total());
                    }
                    Ok(None) => {}
                    Err(refused) => {
                        stop.store(true, Ordering::Relaxed);
                        error.get_or_insert(refused);
                    }
                }
            }
        });
        let (ordered, error) = finished.into_inner().expect("no worker panics while it holds the records");
        SweepEnd {
            complete: ordered.next == self.total() && ordered.taken,
            pending: ordered.waiting.into_values().collect(),
            error,
        }
    }
}
