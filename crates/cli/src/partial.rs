//! Partial results that are ready to be printed, should the program have to end in the middle of something: nobody answers a
//! signal in time (a large set-up, one large instant), or an allocation fails.

use std::sync::Mutex;

use ringleader::report::grouped;
use schemars::JsonSchema;
use serde::Serialize;

use crate::json;

/// Nothing may be allocated when it is printed.
struct PartialResult {
    text: String,
    /// Whether it goes to standard error, because standard output is a file's.
    aside: bool,
    /// The run of a table or of a league that is executed now, as a command line.
    run: String,
}

static KEPT: Mutex<PartialResult> = Mutex::new(PartialResult { text: String::new(), aside: false, run: String::new() });

fn with_kept<T>(change: impl FnOnce(&mut PartialResult) -> T) -> T {
    change(&mut KEPT.lock().expect("nothing panics while it is locked"))
}

/// From now on this is the result so far.
pub(crate) fn keep(text: String) {
    // The old text is dropped after the lock.
    let _old = with_kept(|kept| std::mem::replace(&mut kept.text, text));
}

/// From now on this run of a table is executed.
pub(crate) fn keep_run(command_line: &str) {
    let run = command_line.to_string();
    let _old = with_kept(|kept| std::mem::replace(&mut kept.run, run));
}

/// Standard output is a file's: the result goes to standard error.
pub(crate) fn set_aside() {
    with_kept(|kept| kept.aside = true);
}

/// Hands on the result so far, where it goes to (1 or 2), and the run that is executed. Allocates nothing.
pub(crate) fn take(print: impl FnOnce(&str, i32, &str)) {
    // The lock may be held by whoever fails to allocate.
    match KEPT.try_lock() {
        Ok(kept) => print(&kept.text, if kept.aside { 2 } else { 1 }, &kept.run),
        Err(_) => print("", 1, ""),
    }
}

/// The stage of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CommandStage {
    /// Before the first step or state.
    #[default]
    SetUp,
    /// In a run.
    Run,
    /// In the exploration of a state space.
    Search,
}

/// A command that was ended in an operation that cannot be interrupted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct InterruptedReport {
    /// The stage that was interrupted.
    pub(crate) stage: CommandStage,
    /// unknown.
    verdict: &'static str,
    /// The same, as a run has it.
    outcome: InterruptedOutcome,
    /// Messages delivered so far.
    pub(crate) messages: u64,
    /// States explored so far.
    pub(crate) states: u64,
    /// The line that repeats it.
    pub(crate) rerun: String,
}

/// The outcome of a run that was interrupted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct InterruptedOutcome {
    /// false.
    finished: bool,
    /// unknown.
    verdict: &'static str,
    /// interrupted.
    reason: &'static str,
}

impl InterruptedReport {
    pub(crate) const fn new(rerun: String) -> Self {
        let outcome = InterruptedOutcome { finished: false, verdict: "unknown", reason: "interrupted" };
        Self { stage: CommandStage::SetUp, verdict: "unknown", outcome, messages: 0, states: 0, rerun }
    }

    /// As it is printed.
    pub(crate) fn to_text(&self, json: bool) -> String {
        if json {
            let mut text = Vec::new();
            // Writing to memory does not fail.
            let _ = json::print_json(self, &mut text);
            return String::from_utf8_lossy(&text).into_owned();
        }
        let how_far = match self.stage {
            CommandStage::SetUp => "during set-up, before the first step".to_string(),
            CommandStage::Run => format!("within an instant, after {} messages", grouped(self.messages)),
            CommandStage::Search => format!("within the search, after {} states", grouped(self.states)),
        };
        format!("unknown\n  reason     interrupted {how_far}\n  repeat     {}\n", self.rerun)
    }
}
