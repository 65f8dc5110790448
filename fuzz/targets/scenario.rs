//! Whatever the options of a run say: a set-up comes of it or an error, never a panic.
//!
//! The input is text, an option a line as on the command line: `ids 3,1,4,2`, `set law=2^i`. `run vitanyi` begins the
//! run of that protocol, too. What is neither is left out.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ringleader::model::Scenario;
use ringleader::{Options, Setup, catalogue};
use ringleader_fuzz::take;

/// Enough for a turn or two of a small ring.
const STEPS: u64 = 64;

fuzz_target!(|text: &str| {
    let Some(options) = options(text) else { return };
    for &entry in catalogue() {
        let Ok(setup) = Setup::new(entry, options.clone()) else { continue };
        if text.lines().any(|line| line.strip_prefix("run ") == Some(entry.name())) {
            let written = setup.to_options();
            let again = Setup::new(entry, written.clone()).expect("what a set-up says of itself makes one");
            assert_eq!(written, again.to_options(), "and that says the same of itself");
            take(&setup, setup.choices(), STEPS);
        }
    }
});

/// The options of all lines that name one; `None` if one of them cannot be read.
fn options(text: &str) -> Option<Options> {
    let mut words = vec!["lelann".to_string()];
    for line in text.lines() {
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        match key {
            "n" => words.push(format!("-n={}", value.parse().ok().map(small)?)),
            "run" | "help" | "then" | "trace" | "picture" | "theme" | "steps" | "json" => {}
            key => words.push(format!("--{key}={value}")),
        }
    }
    ringleader_cli::run_of(words.iter().map(String::as_str)).ok().map(|(_, options)| options)
}

/// A size that takes no time and memory to set up, or one that is too large to be.
fn small(n: u64) -> u64 {
    if n <= Scenario::MOST as u64 { n % 256 } else { n }
}
