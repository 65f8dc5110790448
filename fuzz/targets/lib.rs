//! Execution of a run made up by a fuzzer, for both targets.

use ringleader::sim::Choices;
use ringleader::{Execution, RunReport, Setup, StepText};

/// The largest network that is really built.
pub const MOST_PROCESSORS: usize = 16;

/// Starts a run, takes at most about `steps` of it, and asks for everything that can be asked about it.
pub fn take(setup: &Setup, choices: Choices, steps: u64) {
    if setup.scenario.n > MOST_PROCESSORS {
        return;
    }
    let Ok(mut execution) = Execution::new(setup, choices) else { return };
    execution.run.record();
    execution.run.log();
    execution.run.advance(steps);
    let summary = execution.run.summary();
    let report = RunReport::new(setup, &summary);
    serde_json::to_string(&report).expect("a report has nothing that JSON lacks");
    let _ = setup.is_exceeded(&summary);
    let _ = execution.run.bad_choice();
    for step in execution.run.take_log() {
        let _ = StepText::new(&step, &setup.scenario.ids).to_string();
    }
}
