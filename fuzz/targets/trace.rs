//! Whatever a trace file says: it is replayed or refused, never a panic and never without an end.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ringleader::sim::Choices;
use ringleader::{Catalogue, Recorded, TraceFile};
use ringleader_fuzz::{MOST_PROCESSORS, take};

/// Enough for a few turns of a small ring.
const STEPS: u64 = 1024;

fuzz_target!(|text: &str| {
    let Ok(mut trace) = TraceFile::parse(text) else { return };
    if let Ok(written) = trace.to_text() {
        assert_eq!(TraceFile::parse(&written).as_ref(), Ok(&trace), "what is written is what is read");
    }
    if let Recorded::Options(options) = &mut trace.recorded {
        options.n = options.n.map(|n| n.min(MOST_PROCESSORS as u64));
    }
    if trace.size() > MOST_PROCESSORS as u64 {
        return;
    }
    if let Ok(setup) = trace.setup(&Catalogue::default()) {
        take(&setup, Choices::Recorded(trace.choices), STEPS);
    }
});
