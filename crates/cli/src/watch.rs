//! The clock, Ctrl-C, and how far long work is, shown to a terminal.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use ringleader::Watch;
use ringleader::report::grouped;
use ringleader_check::Progress;
use ringleader_sim::Run;

use crate::error::Exit;
use crate::presentation::Presentation;

/// How long something may take before it shows where it is.
const PATIENCE: Duration = Duration::from_millis(700);
/// How long what is shown stays.
const GLANCE: Duration = Duration::from_millis(100);

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C ends a run early, and what there is so far is shown. A second one ends the program.
pub(crate) fn catch_interrupts() {
    // Without a handler Ctrl-C just ends the program.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(Exit::Interrupted as i32);
        }
    });
}

/// Watches for Ctrl-C and shows progress to a terminal.
pub struct Terminal {
    begun: Instant,
    visible: bool,
    state: Mutex<State>,
}

struct State {
    bar: Option<ProgressBar>,
    shown: Instant,
    instances: usize,
    done: usize,
    states: u64,
    now: Vec<Progress>,
}

impl Default for Terminal {
    fn default() -> Self {
        let begun = Instant::now();
        let state = State { bar: None, shown: begun, instances: 1, done: 0, states: 0, now: vec![Progress::default()] };
        Self {
            begun,
            visible: std::io::stderr().is_terminal() && !Presentation::settled().quiet,
            state: Mutex::new(state),
        }
    }
}

impl Terminal {
    /// Shows something, unless it is early or something was shown a moment ago.
    fn show(&self, message: impl FnOnce(&mut State) -> String) {
        if !self.visible || self.begun.elapsed() < PATIENCE {
            return;
        }
        let mut state = self.state.lock().expect("showing does not panic");
        let message = message(&mut state);
        if state.shown.elapsed() < GLANCE {
            return;
        }
        state.shown = Instant::now();
        let bar = state.bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{spinner} {msg} [{elapsed}]").expect("the template is right");
            ProgressBar::new_spinner().with_style(style)
        });
        bar.set_message(message);
        bar.tick();
    }

    /// Takes away what is shown.
    pub(crate) fn clear(&self) {
        if let Some(bar) = self.state.lock().expect("showing does not panic").bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Watch for Terminal {
    fn stopped(&self) -> bool {
        INTERRUPTED.load(Ordering::Relaxed)
    }

    fn seconds(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }

    fn running(&self, run: &dyn Run) {
        self.show(|_| format!("time {}, {} steps", run.now(), run.steps()));
    }

    fn checking(&self, instances: usize, workers: usize) {
        let mut state = self.state.lock().expect("showing does not panic");
        (state.instances, state.now) = (instances, vec![Progress::default(); workers]);
    }

    fn searching(&self, worker: usize, progress: &Progress) {
        self.show(|state| {
            state.now[worker] = *progress;
            let states = state.states + state.now.iter().map(|now| now.states).sum::<u64>();
            let rate = (states as f64 / self.begun.elapsed().as_secs_f64()) as u64;
            let depth = state.now.iter().map(|now| now.depth).max().unwrap_or(0);
            let frontier: u64 = state.now.iter().map(|now| now.frontier).sum();
            let bytes: u64 = state.now.iter().map(|now| now.bytes).sum();
            let of = state.instances;
            let instances = if of > 1 { format!("instance {} of {of}, ", state.done + 1) } else { String::new() };
            format!(
                "{instances}{} states, {} a second, depth {depth}, frontier {}, {} MB",
                grouped(states),
                grouped(rate),
                grouped(frontier),
                grouped(bytes >> 20)
            )
        });
    }

    fn searched(&self, worker: usize, progress: &Progress) {
        let mut state = self.state.lock().expect("showing does not panic");
        state.done += 1;
        state.states += progress.states;
        state.now[worker] = Progress::default();
    }
}
