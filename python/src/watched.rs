//! Long work: without the interpreter's lock, interruptible, with progress.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use ringleader::Watch;
use ringleader::checker::Progress;

/// The time between two looks at signals.
const LOOK: Duration = Duration::from_millis(50);
/// The time between two reports of progress.
const REPORT: Duration = Duration::from_millis(250);

/// How far the work is, for the thread that waits for it.
#[derive(Default)]
pub(crate) struct SharedProgress {
    stop: AtomicBool,
    done: AtomicU64,
    of: AtomicU64,
}

impl Watch for SharedProgress {
    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn measured(&self, done: u64, of: u64) {
        self.done.store(done, Ordering::Relaxed);
        self.of.store(of, Ordering::Relaxed);
    }

    fn searching(&self, _: usize, progress: &Progress) {
        self.done.store(progress.states, Ordering::Relaxed);
    }
}

/// Does work on a thread of its own. Meanwhile this one runs Python's handlers of signals and calls `progress` with what is done
/// and, where it is known, out of how much. What a handler or `progress` raises stops the work, and is returned beside the partial
/// result.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&dyn Watch) -> T + Send,
) -> PyResult<(T, Option<PyErr>)> {
    let shared = SharedProgress::default();
    py.detach(|| {
        std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            let shared = &shared;
            scope.spawn(move || {
                // The receiver waits until this thread is done.
                let _ = sender.send(work(shared));
            });
            let (mut raised, mut reported) = (None, Instant::now());
            loop {
                match receiver.recv_timeout(LOOK) {
                    Ok(done) => return Ok((done, raised)),
                    // The scope raises what the work has panicked with.
                    Err(RecvTimeoutError::Disconnected) => return Err(PyRuntimeError::new_err("the work has failed")),
                    Err(RecvTimeoutError::Timeout) => {}
                }
                let is_due = reported.elapsed() >= REPORT;
                if is_due {
                    reported = Instant::now();
                }
                let seen = Python::attach(|py| look(py, progress.as_ref().filter(|_| is_due), shared));
                if let Err(error) = seen {
                    shared.stop.store(true, Ordering::Relaxed);
                    raised.get_or_insert(error);
                }
            }
        })
    })
}

fn look(py: Python<'_>, progress: Option<&Py<PyAny>>, shared: &SharedProgress) -> PyResult<()> {
    py.check_signals()?;
    let Some(progress) = progress else { return Ok(()) };
    let (done, of) = (shared.done.load(Ordering::Relaxed), shared.of.load(Ordering::Relaxed));
    progress.call1(py, (done, (of > 0).then_some(of))).map(drop)
}
