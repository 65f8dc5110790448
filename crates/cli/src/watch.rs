//! The clock, signals, memory, and how far long work is, shown to a terminal.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use ringleader::check::Checkpoints;
use ringleader::report::grouped;
use ringleader::{Setup, Watch};
use ringleader_check::Progress;
use ringleader_sim::Run;

use crate::error::{Error, Exit};
use crate::partial::{self, CommandStage, InterruptedReport};
use crate::presentation::Presentation;
use crate::{memory, signals};

mod expectation;

use expectation::Expectation;
pub(crate) use expectation::left;

/// The time before progress is shown.
const PATIENCE: Duration = Duration::from_millis(700);
/// The interval between updates of the progress.
const GLANCE: Duration = Duration::from_millis(100);
/// The time before a check prints its hint.
const LONG: Duration = Duration::from_secs(10);

/// Progress counters, for the message of a program that has to end without a result.
pub(crate) static DELIVERED: AtomicU64 = AtomicU64::new(0);
pub(crate) static STATES: AtomicU64 = AtomicU64::new(0);

/// Watches for signals, keeps the time and shows progress to a terminal.
pub struct Terminal {
    begun: Instant,
    visible: AtomicBool,
    deadline: OnceLock<Instant>,
    late: AtomicBool,
    /// Checkpoints, and why the last one could not be written.
    checkpoints: OnceLock<(Checkpoints, CheckpointTrouble)>,
    state: Mutex<State>,
}

/// The error of the last checkpoint, until one is written.
pub(crate) type CheckpointTrouble = Arc<Mutex<Option<Error>>>;

struct State {
    bar: Option<ProgressBar>,
    shown: Instant,
    /// The start of the present work.
    since: Instant,
    expectation: Expectation,
    hint: Option<&'static str>,
    instances: usize,
    done: usize,
    states: u64,
    now: Vec<Progress>,
    /// The report of a command that ends in an operation that cannot be interrupted, and whether it is JSON; none if there
    /// are other partial results.
    interrupted: Option<(InterruptedReport, bool)>,
    /// When the partial results were last brought up to date.
    kept: Instant,
}

impl State {
    /// The progress of the present work after this number of messages, in words.
    fn progress(&self, messages: u64) -> String {
        self.expectation.progress(messages, self.since.elapsed().as_secs_f64())
    }
}

impl Default for Terminal {
    fn default() -> Self {
        let begun = Instant::now();
        let state = State {
            bar: None,
            shown: begun,
            since: begun,
            expectation: Expectation::Unknown,
            hint: None,
            instances: 1,
            done: 0,
            states: 0,
            now: vec![Progress::default()],
            interrupted: None,
            kept: begun,
        };
        Self {
            begun,
            visible: AtomicBool::new(std::io::stderr().is_terminal() && !Presentation::settled().quiet),
            deadline: OnceLock::new(),
            late: AtomicBool::new(false),
            checkpoints: OnceLock::new(),
            state: Mutex::new(state),
        }
    }
}

impl Terminal {
    /// A run of this set-up begins.
    pub(crate) fn expect(&self, setup: &Setup) {
        self.begin(Expectation::of(setup));
    }

    /// A run begins that needs about this number of messages.
    pub(crate) fn expect_messages(&self, messages: u64) {
        self.begin(Expectation::OnAverage(messages));
    }

    /// Many short runs begin.
    pub(crate) fn begin_runs(&self) {
        self.begin(Expectation::Unknown);
    }

    fn begin(&self, expectation: Expectation) {
        signals::resume();
        let mut state = self.state();
        (state.expectation, state.since) = (expectation, Instant::now());
    }

    /// Until there is more: if the command has to end, this is what is printed.
    pub(crate) fn keep_interrupted(&self, report: InterruptedReport, json: bool) {
        partial::keep(report.to_text(json));
        self.state().interrupted = Some((report, json));
    }

    /// The partial results, if the command has to end, are these.
    pub(crate) fn keep(&self, text: String) {
        self.state().interrupted = None;
        partial::keep(text);
    }

    /// Brings the partial results up to date, unless that was done a moment ago.
    fn reach(&self, stage: CommandStage, messages: u64, states: u64) {
        let mut state = self.state();
        let State { interrupted: Some((report, json)), kept, .. } = &mut *state else { return };
        if report.stage == stage && kept.elapsed() < GLANCE {
            return;
        }
        (report.stage, report.messages, report.states) = (stage, messages, states);
        partial::keep(report.to_text(*json));
        *kept = Instant::now();
    }

    /// The first step follows.
    pub(crate) fn start(&self) {
        self.reach(CommandStage::Run, 0, 0);
    }

    /// The output itself shows how far the work is.
    pub(crate) fn hide(&self) {
        self.visible.store(false, Ordering::Relaxed);
    }

    /// Checks write these checkpoints and go on from them.
    pub(crate) fn keep_checkpoints(&self, checkpoints: Checkpoints, trouble: CheckpointTrouble) {
        self.checkpoints.get_or_init(|| (checkpoints, trouble));
    }

    /// Why the last checkpoint could not be written, if it could not.
    pub(crate) fn checkpoint_trouble(&self) -> Option<Error> {
        let (_, trouble) = self.checkpoints.get()?;
        trouble.lock().expect("nothing panics while it is locked").take()
    }

    /// Work is stopped after this number of seconds.
    pub(crate) fn stop_after(&self, seconds: u64) {
        // A time that cannot be told never comes.
        if let Some(deadline) = self.begun.checked_add(Duration::from_secs(seconds)) {
            self.deadline.get_or_init(|| deadline);
        }
    }

    /// Once work has taken long, this is said.
    pub(crate) fn hint(&self, hint: &'static str) {
        self.state().hint = Some(hint);
    }

    /// The exit code of a command whose work was stopped, if it was.
    pub(crate) fn exit(&self) -> Option<Exit> {
        let late = || self.late.load(Ordering::Relaxed).then_some(Exit::Inconclusive);
        signals::received().or_else(late)
    }

    /// Whether the time is over that was allowed.
    pub(crate) fn is_late(&self) -> bool {
        self.late.load(Ordering::Relaxed)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("showing does not panic")
    }

    /// Shows something, unless it is early or something was shown a moment ago.
    fn show(&self, message: impl FnOnce(&mut State) -> String) {
        if !self.visible.load(Ordering::Relaxed) || self.begun.elapsed() < PATIENCE {
            return;
        }
        let mut state = self.state();
        let message = message(&mut state);
        if state.shown.elapsed() < GLANCE {
            return;
        }
        state.shown = Instant::now();
        let long = self.begun.elapsed() > LONG;
        let hint = state.hint.take_if(|_| long);
        let bar = state.bar.get_or_insert_with(|| {
            let style =
                ProgressStyle::with_template("{spinner} {wide_msg} [{elapsed}]").expect("the template is right");
            ProgressBar::new_spinner().with_style(style)
        });
        if let Some(hint) = hint {
            bar.println(format!("hint: {hint}"));
        }
        bar.set_message(message);
        bar.tick();
    }

    /// Takes away what is shown: there is a result.
    pub(crate) fn clear(&self) {
        signals::answer();
        if let Some(bar) = self.state().bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Watch for Terminal {
    fn stopped(&self) -> bool {
        if signals::received().is_some() {
            signals::answer();
            return true;
        }
        if self.deadline.get().is_some_and(|&deadline| Instant::now() >= deadline) {
            self.late.store(true, Ordering::Relaxed);
        }
        self.is_late()
    }

    fn seconds(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }

    fn has_room(&self, bytes: usize, initial: usize) -> bool {
        let growth = bytes.saturating_sub(initial) as u64;
        // Steps and choices that are kept are no part of what a run says it holds.
        memory::available().is_none_or(|available| growth <= available && memory::resident() / 16 <= available)
    }

    fn running(&self, run: &dyn Run) {
        let delivered = run.deliveries();
        DELIVERED.store(delivered, Ordering::Relaxed);
        self.reach(CommandStage::Run, delivered, 0);
        self.show(|state| state.progress(delivered));
    }

    fn measuring(&self, command_line: &str) {
        partial::keep_run(command_line);
    }

    fn measured(&self, done: u64, of: u64) {
        self.show(|state| {
            // The runs of a table are short; how far one of them is tells nothing.
            state.expectation = Expectation::Runs { done, of };
            state.progress(0)
        });
    }

    fn checking(&self, instances: usize, workers: usize) {
        let mut state = self.state();
        (state.instances, state.now) = (instances, vec![Progress::default(); workers]);
    }

    fn searching(&self, worker: usize, progress: &Progress) {
        let states = STATES.fetch_max(progress.states, Ordering::Relaxed).max(progress.states);
        self.reach(CommandStage::Search, 0, states);
        self.show(|state| {
            state.now[worker] = *progress;
            let states = state.states + state.now.iter().map(|now| now.states).sum::<u64>();
            let rate = (states as f64 / self.seconds()) as u64;
            let depth = state.now.iter().map(|now| now.depth).max().unwrap_or(0);
            let frontier: u64 = state.now.iter().map(|now| now.frontier).sum();
            let bytes: u64 = state.now.iter().map(|now| now.bytes).sum();
            let (done, of) = (state.done as u64, state.instances as u64);
            let instances = match (of, done) {
                (0 | 1, _) => String::new(),
                (of, 0) => format!("instance 1 of {}, ", grouped(of)),
                (of, done) => {
                    let left = left(done as f64 / of as f64, self.seconds());
                    format!("{} of {} instances, {left}, ", grouped(done), grouped(of))
                }
            };
            format!(
                "{instances}{} states, {} a second, depth {depth}, frontier {}, {} MB",
                grouped(states),
                grouped(rate),
                grouped(frontier),
                grouped(bytes >> 20)
            )
        });
    }

    fn checkpoints(&self) -> Option<&Checkpoints> {
        self.checkpoints.get().map(|(checkpoints, _)| checkpoints)
    }

    fn searched(&self, worker: usize, progress: &Progress) {
        let mut state = self.state();
        state.done += 1;
        state.states += progress.states;
        state.now[worker] = Progress::default();
        STATES.fetch_max(state.states, Ordering::Relaxed);
    }
}
