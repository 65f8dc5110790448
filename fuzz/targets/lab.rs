//! Whatever a page asks of the lab: an answer in JSON and a frame, never a panic.
//!
//! Each line of the input is a request. Numbers of more than three digits are left out, so that no run is large.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ringleader_lab::Lab;

/// Enough requests for one page.
const MOST_REQUESTS: usize = 16;
/// Longer numbers make runs that take too long for a fuzzer.
const MOST_DIGITS: usize = 3;

fuzz_target!(|text: &str| {
    let mut lab = Lab::default();
    for line in text.lines().filter(|line| is_small(line)).take(MOST_REQUESTS) {
        let answer = lab.request(line);
        let answer: serde_json::Value = serde_json::from_str(&answer).expect("an answer is JSON");
        assert!(answer.get("ok").is_some() != answer.get("error").is_some(), "{answer}");
        for session in 0..4 {
            let frame = lab.frame(session);
            assert!(frame.len().is_multiple_of(8), "a frame is padded");
        }
    }
});

/// Whether no number is large.
fn is_small(line: &str) -> bool {
    let longest = line.split(|c: char| !c.is_ascii_digit()).map(str::len).max();
    // 1e6 and 1_000 are numbers, too.
    let written_otherwise = line.as_bytes().windows(2).any(|pair| pair[0].is_ascii_digit() && b"eE_".contains(&pair[1]));
    longest.is_none_or(|digits| digits <= MOST_DIGITS) && !written_otherwise
}
