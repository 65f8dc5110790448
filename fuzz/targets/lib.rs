//! What both targets share: how a run is taken that a fuzzer has thought up.

use ringleader::sim::Choices;
use ringleader::{Execution, Plan, Report};

/// The largest network that is really built.
pub const MOST_PROCESSORS: usize = 16;

/// Starts the run of a plan, takes at most about `steps` of it, and asks for everything that can be asked about it.
pub fn take(plan: &Plan, choices: Choices, steps: u64) {
    if plan.scenario.n > MOST_PROCESSORS {
        return;
    }
    let Ok(mut execution) = Execution::new(plan, choices) else { return };
    execution.run.record();
    execution.run.log();
    execution.run.advance(steps);
    let summary = execution.run.summary();
    let report = Report::new(plan, &plan.to_options(), &execution, &summary);
    serde_json::to_string(&report).expect("a report has nothing that JSON lacks");
    let _ = execution.exit(&summary);
    let _ = execution.run.bad_choice();
    for step in execution.run.take_log() {
        let _ = step.to_string();
    }
}
