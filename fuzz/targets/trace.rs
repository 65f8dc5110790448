//! Whatever a trace file says: it is replayed or refused, never a panic and never without an end.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ringleader::TraceFile;
use ringleader::sim::Choices;
use ringleader_fuzz::{MOST_PROCESSORS, take};

/// Enough for a few turns of a small ring.
const STEPS: u64 = 1024;

fuzz_target!(|text: &str| {
    let Ok(mut trace) = TraceFile::parse(text) else { return };
    let written = serde_json::to_string(&trace).expect("a trace has nothing that JSON lacks");
    assert_eq!(TraceFile::parse(&written).as_ref(), Ok(&trace), "what is written is what is read");
    trace.scenario.n = trace.scenario.n.map(|n| n.min(MOST_PROCESSORS as u64));
    if let Ok(plan) = trace.plan() {
        take(&plan, Choices::Recorded(trace.choices), STEPS);
    }
});
