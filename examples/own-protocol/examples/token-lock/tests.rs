//! A run, every schedule, and the planted bug.

use ringleader::check::{CheckVerdict, Fairness, Specification};
use ringleader::sim::Verdict;
use ringleader::{Effort, Options, Setup};

use super::*;

const OWN: &dyn Entry = &Of::<TokenLock>::NEW;

/// Every site asks once.
fn set_up(n: u64, settings: &[(&str, &str)]) -> Setup {
    let options = Options { entries: Some(1), ..processors(n) };
    OWN.set_up(options, settings).unwrap()
}

#[test]
fn a_run_ends_when_every_request_is_served() {
    let run = set_up(3, &[]).run().unwrap();
    assert_eq!(run.verdict, Verdict::Held, "{run:?}");
    // The token visits places 1, 2 and 0, and is passed on by the last.
    assert_eq!(run.cost.messages(), 4);
}

#[test]
fn every_schedule_of_three_is_safe_and_serves_every_request() {
    let answer = set_up(3, &[]).check(&Effort::default()).unwrap();
    assert_eq!(answer.verdict(), CheckVerdict::Holds, "{answer:?}");
}

#[test]
fn the_planted_bug_violates_the_invariant() {
    let found = set_up(2, &[("bug", "on")]).check(&Effort::default()).unwrap().counterexample.unwrap();
    assert_eq!(found.property.name(), "who is in the critical section holds the token");
    // Place 1 asks, place 0 wakes and passes the token on, place 1 receives it.
    assert_eq!(found.steps, 3);
    assert!(found.run.is_ok(), "the simulator shows it, too");
}

#[test]
fn who_tries_gets_in_but_nobody_must_try() {
    let formulas = ["G(trying(1) -> F critical(1))", "F critical(1)"].map(|text| text.parse().unwrap()).to_vec();
    let specification = Specification { formulas, fairness: Fairness::Weak };
    let answer = set_up(2, &[]).check_formulas(&specification, &Effort::default()).unwrap();
    let [.., granted, entered] = &answer.judgements[..] else { unreachable!("two formulas are judged") };
    assert_eq!([granted.verdict, entered.verdict], [CheckVerdict::Holds, CheckVerdict::Violated]);
    // Place 0 wakes and passes the token on; then the token circulates, and nobody asks.
    let found = answer.counterexample.unwrap();
    assert_eq!((found.steps, found.repeats_from), (1 + 2, Some(1)));
    assert!(found.run.is_ok(), "the simulator shows it, too");
}
