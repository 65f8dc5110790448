//! Tests to copy: one step, one run, every schedule.

use ringleader::Effort;
use ringleader::check::{CheckVerdict, Fairness, Specification};

use super::*;

const OWN: &dyn Entry = &Of::<SmallestStarter>::NEW;

#[test]
fn the_smallest_starter_wins_in_a_run() {
    let run = OWN.set_up(ring([3, 1, 4, 2]), &[]).unwrap().run().unwrap();
    assert!(run.violations.is_empty(), "{run:?}");
    // 1 makes a full turn, 4 is discarded by 2, 2 passes 3 and 3 reaches 1; then the announcement.
    assert_eq!(run.cost.messages(), 4 + 1 + 2 + 1 + 4);
}

#[test]
fn every_schedule_of_three_elects_the_smallest_starter() {
    for ids in [[1, 2, 3], [1, 3, 2]] {
        let answer = OWN.set_up(ring(ids), &[]).unwrap().check(&Effort::default()).unwrap();
        assert_eq!(answer.verdict(), CheckVerdict::Holds, "{answer:?}");
    }
}

#[test]
fn the_planted_bug_violates_the_invariant() {
    let answer = OWN.set_up(ring([1, 2]), &[("bug", "on")]).unwrap().check(&Effort::default()).unwrap();
    let found = answer.counterexample.unwrap();
    assert_eq!(found.property.name(), "nobody that started is smaller than the leader");
    // Both start, 2 discards 1, 1 relays 2, and 2 is back.
    assert_eq!(found.steps, 5);
    assert!(found.run.is_ok(), "the simulator shows it, too");
}

#[test]
fn somebody_is_elected_but_not_always_1() {
    let formulas = ["F elected", "F leader(1)"].map(|text| text.parse().unwrap()).to_vec();
    let specification = Specification { formulas, fairness: Fairness::Weak };
    let answer = OWN.set_up(ring([1, 2]), &[]).unwrap().check_formulas(&specification, &Effort::default()).unwrap();
    let [.., elected, first] = &answer.judgements[..] else { unreachable!("two formulas are judged") };
    assert_eq!([elected.verdict, first.verdict], [CheckVerdict::Holds, CheckVerdict::Violated]);
    // Only 2 starts: a step to wake, two for its identity and two for the announcement.
    assert_eq!(answer.counterexample.unwrap().steps, 5);
}
