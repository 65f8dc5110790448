//! All instances of a check, one after the other or side by side.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use ringleader_check::{CheckpointFile, Effort, Progress};
use ringleader_model::BadSetting;

use super::checked::Checked;
use super::setup::CheckSetup;
use crate::watch::Watch;

/// The results by instance: of the first ones, if not all were explored.
pub struct Survey {
    /// By instance.
    pub found: Vec<Checked>,
    /// Seconds.
    pub seconds: f64,
}

/// Explores every instance. The first for which something runs out is the last one: so the answer is the same for any number
/// of threads.
pub fn survey(check: &CheckSetup, watch: &dyn Watch) -> Result<Survey, BadSetting> {
    let begun = watch.seconds();
    let checkpoints = watch.checkpoints().map(|checkpoints| checkpoints.of_size(check.family.n, watch));
    let count = check.instances.len();
    // Many instances keep all threads busy without their having to share anything.
    let workers = if count >= check.effort.threads { check.effort.threads } else { 1 };
    let effort =
        Effort { threads: check.effort.threads / workers, bytes: check.effort.bytes / workers as u64, ..check.effort };
    watch.checking(count, workers);
    let next = AtomicUsize::new(0);
    let last = AtomicUsize::new(usize::MAX);
    let results: Mutex<Vec<Option<Result<Checked, BadSetting>>>> = Mutex::new((0..count).map(|_| None).collect());
    let work = |worker: usize| {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count || index > last.load(Ordering::Relaxed) || watch.stopped() {
                return;
            }
            let mut go_on = |progress: &Progress| {
                watch.searching(worker, progress);
                !watch.stopped() && index <= last.load(Ordering::Relaxed)
            };
            let mut file = checkpoints.as_ref().map(|checkpoints| checkpoints.instance(index));
            let file = file.as_mut().map(|file| file as &mut dyn CheckpointFile);
            let found = check.explore_for(&check.instances[index], (&effort, &check.extremes), file, &mut go_on);
            match &found {
                Ok(found) if found.ran_out.is_none() => watch.searched(worker, &found.progress),
                _ => {
                    last.fetch_min(index, Ordering::Relaxed);
                }
            }
            results.lock().expect("no thread panics while it holds the results")[index] = Some(found);
        }
    };
    side_by_side(workers, &work);
    let results = results.into_inner().expect("no thread panics while it holds the results");
    let seen = results.into_iter().take(last.into_inner().saturating_add(1));
    let found = seen.map_while(|result| result).collect::<Result<Vec<_>, _>>()?;
    let seconds = checkpoints.map_or(watch.seconds() - begun, |checkpoints| checkpoints.end());
    Ok(Survey { found, seconds })
}

/// The same work by several workers, on threads where there is more than one.
pub(crate) fn side_by_side(workers: usize, work: &(impl Fn(usize) + Sync)) {
    if workers == 1 {
        return work(0);
    }
    std::thread::scope(|scope| {
        for worker in 0..workers {
            scope.spawn(move || work(worker));
        }
    });
}
