//! Logged steps: their numbers, causes, changes and rules; and runs that are forked, or stopped and followed again.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::Do::{BeTold, Lead, Send, Set};
use crate::common::*;
use ringleader_model::{Faults, Id, Milestone, Place, Reading, Scenario, Share};
use ringleader_sim::{Cause, Choices, Full, MessageNumber, Run, Simulation, Step, StepEffect};

fn logged<S: Shape>(scenario: &Scenario) -> Vec<Step> {
    let rules = Chatter::<S>::new(scenario);
    let mut run: Simulation<_, Full> = Simulation::new(rules, scenario, Choices::Drawn).expect("it makes sense");
    run.log();
    let mut steps = Vec::new();
    while !run.advance(50) {
        steps.extend(run.take_log());
    }
    steps.extend(run.take_log());
    steps
}

/// A message that was sent: its sender, its receiver and its text.
type Sent = (Place, Place, String);

/// Follows every message of a run by its number; how many were received, lost and duplicated.
fn follow_messages(steps: &[Step]) -> [usize; 3] {
    let (mut sent, mut done) = (BTreeMap::<MessageNumber, Sent>::new(), BTreeSet::new());
    let mut counts = [0; 3];
    for (index, step) in steps.iter().enumerate() {
        assert_eq!(step.number, index as u64 + 1);
        match &step.cause {
            Cause::Receive { message, from, content, .. } => {
                assert_eq!(sent[message], (*from, step.place, content.text.clone()));
                assert!(done.insert(*message), "a message is received once");
                counts[0] += 1;
            }
            Cause::Loss { message, from, content, .. } => {
                assert_eq!(sent[message], (*from, step.place, content.text.clone()));
                assert!(done.insert(*message), "a lost message is not received");
                counts[1] += 1;
            }
            Cause::Duplicate { message, copy, .. } => {
                assert!(!done.contains(message) && sent.insert(*copy, sent[message].clone()).is_none());
                counts[2] += 1;
            }
            _ => {}
        }
        for (number, to, content) in step.sends() {
            assert!(sent.insert(number, (step.place, to, content.text.clone())).is_none(), "a number is given once");
        }
    }
    assert_eq!(sent.keys().map(|number| number.0).collect::<Vec<_>>(), (1..=sent.len() as u64).collect::<Vec<_>>());
    counts
}

fn every_message_has_a_number<S: Shape>() {
    let mut counts = [0; 3];
    for seed in 0..200 {
        let mut scenario = any_scenario::<S>(seed);
        if seed % 2 == 0 && !scenario.links.is_half_duplex() {
            let share = Share::new(1, 5).ok();
            scenario.faults = Faults { loss: share, duplicate: share, ..Faults::default() };
        }
        for (sum, more) in counts.iter_mut().zip(follow_messages(&logged::<S>(&scenario))) {
            *sum += more;
        }
    }
    assert!(counts[0] > 1000 && counts[1] > 100 && counts[2] > 100, "the scenarios test little: {counts:?}");
}

#[test]
fn every_message_of_a_ring_has_a_number() {
    every_message_has_a_number::<OnRing>();
}

#[test]
fn every_message_of_a_bidirectional_ring_has_a_number() {
    every_message_has_a_number::<OnBidirectional>();
}

#[test]
fn every_message_of_a_complete_network_has_a_number() {
    every_message_has_a_number::<OnComplete>();
}

/// 0 sends 7 to 1 on waking, which is told, and sets a timer; 1 leads when its timer expires.
#[test]
fn a_step_says_what_changed_which_rules_fired_and_what_was_reported() {
    let rules = table::<OnRing>(&[
        (0, On::Wake, &[Send(0, 7)]),
        (1, On::Receive(7), &[BeTold, Set('a', 2)]),
        (1, On::Timeout('a'), &[Lead]),
    ]);
    let scenario = waking(scenario(2, 1, 5, Reading::Immediate), &[(0, 0)]);
    let mut run: Simulation<_, Full> = Simulation::new(rules, &scenario, Choices::Drawn).expect("it makes sense");
    run.log();
    to_the_end(&mut run);
    let steps = run.take_log();
    let [wake, receive, timeout] = steps.as_slice() else { panic!("three steps, not {steps:?}") };
    assert_eq!((wake.time, wake.place, &wake.cause, wake.rules.as_slice()), (0, 0, &Cause::Wake, [1].as_slice()));
    assert!(wake.changed.is_empty());
    assert_eq!((receive.time, receive.place, receive.rules.as_slice()), (5, 1, [2].as_slice()));
    let [told] = receive.changed.as_slice() else { panic!("one change, not {:?}", receive.changed) };
    assert_eq!((told.field.as_str(), told.before.as_str(), told.after.as_str()), ("told", "no", "yes"));
    assert!(matches!(&receive.effects[..], [StepEffect::SetTimer { after, .. }] if after.get() == Some(2)));
    assert_eq!((timeout.time, timeout.rules.as_slice()), (7, [3].as_slice()));
    assert_eq!(timeout.milestones().collect::<Vec<_>>(), [Milestone::Elected { id: Some(Id::new(2)) }]);
}

/// Where a run was stopped, its recorded choices lead again, and no further.
#[test]
fn a_run_that_was_stopped_is_followed_to_the_same_position() {
    let mut stopped = 0;
    for seed in 0..150 {
        let mut scenario = any_scenario::<OnBidirectional>(seed);
        scenario.untimed = seed % 5 == 0 && scenario.faults.is_empty();
        let rules = Chatter::<OnBidirectional>::new(&scenario);
        let start = |choices| -> Simulation<_, Full> {
            Simulation::new(rules.clone(), &scenario, choices).expect("it makes sense")
        };
        let mut run = start(Choices::Drawn);
        run.record();
        for _ in 0..3 {
            stopped += usize::from(!run.advance(5));
            let recorded = run.choices().expect("it is recorded").to_vec();
            let mut again = start(Choices::Recorded(recorded));
            again.advance_to(run.position());
            assert_eq!((again.summary(), again.now(), again.position()), (run.summary(), run.now(), run.position()));
            assert_eq!(again.unused_choices(), 0, "{scenario:?}");
        }
    }
    assert!(stopped > 150, "only {stopped} runs were not over");
}

#[test]
fn a_fork_goes_on_like_the_run_it_was_made_of() {
    for seed in 0..100 {
        let mut scenario = any_scenario::<OnComplete>(seed);
        scenario.untimed = seed % 5 == 0 && scenario.faults.is_empty();
        let rules = Chatter::<OnComplete>::new(&scenario);
        let mut run: Simulation<_, Full> = Simulation::new(rules, &scenario, Choices::Drawn).expect("it makes sense");
        run.advance(7);
        let mut fork = run.clone();
        to_the_end(&mut run);
        to_the_end(&mut fork);
        assert_eq!(fork.summary(), run.summary(), "{scenario:?}");
    }
}
