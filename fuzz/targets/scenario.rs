//! Whatever the options of a run say: a plan comes of it or an error, never a panic.
//!
//! The input is text, an option a line as on the command line: `ids 3,1,4,2`, `set law=2^i`. `run vitanyi` begins the
//! run of that protocol's plan, too. What is neither is left out.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ringleader::model::Scenario;
use ringleader::protocols::catalogue::DESCRIPTIONS;
use ringleader::sim::Choices;
use ringleader::{Options, Plan};
use ringleader_fuzz::take;

/// Enough for a turn or two of a small ring.
const STEPS: u64 = 64;

fuzz_target!(|text: &str| {
    let options = options(text);
    for description in DESCRIPTIONS {
        let Ok(plan) = Plan::new(description.name, &options) else { continue };
        if text.lines().any(|line| line.strip_prefix("run ") == Some(description.name)) {
            let written = plan.to_options();
            let again = Plan::new(description.name, &written).expect("what a plan says of itself makes a plan");
            assert_eq!(written, again.to_options(), "and that plan says the same of itself");
            take(&plan, Choices::Drawn, STEPS);
        }
    }
});

fn options(text: &str) -> Options {
    let mut options = Options::default();
    for line in text.lines() {
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        let some = Some(value.to_string());
        match key {
            "n" => options.n = value.parse().ok().map(small),
            "ids" => options.ids = some,
            "order" => options.order = some,
            "topology" => options.topology = some,
            "orientation" => options.orientation = some,
            "ports" => options.ports = some,
            "wake" => options.wake = some,
            "wake-at" => options.wake_at = some,
            "again" => options.again.push(value.to_string()),
            "timing" => options.timing = some,
            "r" => options.r = some,
            "d" => options.d = some,
            "clocks" => options.clocks = some,
            "delays" => options.delays = some,
            "reading" => options.reading = some,
            "phases" => options.phases = some,
            "ties" => options.ties = some,
            "first" => options.first = some,
            "max-steps" => options.max_steps = value.parse().ok(),
            "max-time" => options.max_time = value.parse().ok(),
            "links" => options.links = some,
            "faults" => options.faults = some,
            "set" => options.set.push(value.to_string()),
            "seed" => options.seed = value.parse().ok(),
            _ => {}
        }
    }
    options
}

/// A size that takes no time and memory to plan, or one that is too large to be planned.
fn small(n: u64) -> u64 {
    if n <= Scenario::MOST as u64 { n % 256 } else { n }
}
