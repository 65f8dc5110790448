//! Whatever a formula says: it is read, and read again from what it writes, or refused, and so is a check of it; never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ringleader::check::{Fairness, Formula, Specification};
use ringleader::{Effort, find, ring};

/// Enough for a small ring.
const STATES: u64 = 1024;

fuzz_target!(|text: &str| {
    let Ok(formula) = text.parse::<Formula>() else { return };
    let written = formula.to_string();
    let again: Formula = written.parse().expect("what is written is read");
    assert_eq!(again.to_string(), written);
    let setup = find("chang-roberts").expect("it is there").set_up(ring([2, 1]), &[]).expect("it is a small ring");
    let specification = Specification { formulas: vec![formula], fairness: Fairness::Weak };
    let _ = setup.check_formulas(&specification, &Effort { states: STATES, ..Effort::default() });
});
