//! All instances of a question, one after the other or side by side.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use ringleader_check::{Effort, Progress};

use super::engine::{Found, explore};
use super::question::Question;
use crate::error::Error;
use crate::execution::interrupted;
use crate::text::grouped;

/// What was found, by instance: of the first ones, if not everything was looked at.
pub(crate) struct Survey {
    pub(crate) found: Vec<Found>,
    pub(crate) seconds: f64,
}

/// Looks at every instance. The first for which something runs out is the last one: so the answer is the same for any
/// number of threads.
pub(crate) fn survey(question: &Question) -> Result<Survey, Error> {
    let begun = Instant::now();
    let count = question.instances.len();
    // Many instances keep all threads busy without their having to share anything.
    let hands = if count >= question.effort.threads { question.effort.threads } else { 1 };
    let effort = Effort {
        threads: question.effort.threads / hands,
        bytes: question.effort.bytes / hands as u64,
        ..question.effort
    };
    let board = Board::new(begun, count, hands);
    let next = AtomicUsize::new(0);
    let last = AtomicUsize::new(usize::MAX);
    let results: Mutex<Vec<Option<Result<Found, Error>>>> = Mutex::new((0..count).map(|_| None).collect());
    let work = |hand: usize| {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count || index > last.load(Ordering::Relaxed) || interrupted() {
                return;
            }
            let mut watch = |progress: &Progress| {
                board.show(hand, progress);
                !interrupted() && index <= last.load(Ordering::Relaxed)
            };
            let found = question
                .plan_of(&question.instances[index])
                .and_then(|plan| explore(question, &plan, &effort, &mut watch));
            match &found {
                Ok(found) if found.ran_out.is_none() => board.done(hand, &found.progress),
                _ => {
                    last.fetch_min(index, Ordering::Relaxed);
                }
            }
            results.lock().expect("no thread panics while it holds the results")[index] = Some(found);
        }
    };
    if hands == 1 {
        work(0);
    } else {
        std::thread::scope(|scope| {
            for hand in 0..hands {
                let work = &work;
                scope.spawn(move || work(hand));
            }
        });
    }
    board.clear();
    let results = results.into_inner().expect("no thread panics while it holds the results");
    let seen = results.into_iter().take(last.into_inner().saturating_add(1));
    let found = seen.map_while(|result| result).collect::<Result<Vec<_>, _>>()?;
    Ok(Survey { found, seconds: begun.elapsed().as_secs_f64() })
}

/// How long it may take before it shows where it is.
const PATIENCE: Duration = Duration::from_millis(700);
/// How long what is shown stays.
const GLANCE: Duration = Duration::from_millis(100);

/// Shows how far the search is, to a terminal.
struct Board {
    begun: Instant,
    count: usize,
    visible: bool,
    state: Mutex<State>,
}

struct State {
    bar: Option<ProgressBar>,
    shown: Instant,
    done: usize,
    states: u64,
    now: Vec<Progress>,
}

impl Board {
    fn new(begun: Instant, count: usize, hands: usize) -> Self {
        let state = State { bar: None, shown: begun, done: 0, states: 0, now: vec![Progress::default(); hands] };
        Self { begun, count, visible: std::io::stderr().is_terminal(), state: Mutex::new(state) }
    }

    fn done(&self, hand: usize, progress: &Progress) {
        let mut state = self.state.lock().expect("showing does not panic");
        state.done += 1;
        state.states += progress.states;
        state.now[hand] = Progress::default();
    }

    fn show(&self, hand: usize, progress: &Progress) {
        if !self.visible || self.begun.elapsed() < PATIENCE {
            return;
        }
        let mut state = self.state.lock().expect("showing does not panic");
        state.now[hand] = *progress;
        if state.shown.elapsed() < GLANCE {
            return;
        }
        state.shown = Instant::now();
        let states = state.states + state.now.iter().map(|now| now.states).sum::<u64>();
        let rate = (states as f64 / self.begun.elapsed().as_secs_f64()) as u64;
        let depth = state.now.iter().map(|now| now.depth).max().unwrap_or(0);
        let frontier: u64 = state.now.iter().map(|now| now.frontier).sum();
        let bytes: u64 = state.now.iter().map(|now| now.bytes).sum();
        let instances =
            if self.count > 1 { format!("instance {} of {}, ", state.done + 1, self.count) } else { String::new() };
        let message = format!(
            "{instances}{} states, {} a second, depth {depth}, frontier {}, {} MB",
            grouped(states),
            grouped(rate),
            grouped(frontier),
            grouped(bytes >> 20)
        );
        let bar = state.bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{spinner} {msg} [{elapsed}]").expect("the template is right");
            ProgressBar::new_spinner().with_style(style)
        });
        bar.set_message(message);
        bar.tick();
    }

    fn clear(&self) {
        if let Some(bar) = self.state.lock().expect("showing does not panic").bar.take() {
            bar.finish_and_clear();
        }
    }
}
