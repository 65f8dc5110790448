//! What both targets share: how a run is taken that a fuzzer has thought up.

use ringleader::model::{Clocks, Reading, Wakes};
use ringleader::sim::Choices;
use ringleader::{Execution, Plan, Report};

/// The largest network that is really built.
pub const MOST_PROCESSORS: usize = 16;

/// Whether the run of a plan ends a slice soon after its budget. Where every step's length is drawn afresh, those in which
/// nothing happens are drawn too, all at once: a long wait is long work.
fn is_brisk(plan: &Plan) -> bool {
    const LONGEST_WAIT: u64 = 1 << 12;
    let (scenario, timing) = (&plan.scenario, &plan.scenario.timing);
    let wakes: &[_] = if let Wakes::At(at) = &scenario.wakes { at } else { &[] };
    let mut moments =
        wakes.iter().flatten().chain(scenario.again.iter().map(|(_, time)| time)).chain([&timing.r.max, &timing.d.max]);
    // Timers of vitanyi: 2^i unless a law is set.
    let timers = plan.settings.is_empty() && scenario.ids.iter().all(|&id| 1 << id.min(63) <= LONGEST_WAIT);
    let stepwise = timing.clocks == Clocks::Varying && timing.reading == Reading::PerStep;
    !stepwise || timers && moments.all(|&moment| moment <= LONGEST_WAIT)
}

/// Starts the run of a plan, takes at most about `steps` of it, and asks for everything that can be asked about it.
pub fn take(plan: &Plan, choices: Choices, steps: u64) {
    if plan.scenario.n > MOST_PROCESSORS || !is_brisk(plan) {
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
