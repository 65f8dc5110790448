//! What comes first of a message and a step of its receiver at one instant, where that is left open; and scripts, which
//! answer all that is left open. Expected times are worked out by hand.

use crate::common::Do::{Send, Set, Toss};
use crate::common::Took::{Receive, Timeout};
use crate::common::*;
use ringleader_model::{ChoicePoint, Clocks, Links, Offsets, Range, Reading, Scenario, ScheduledChoices, Ties};
use ringleader_sim::Choices;

/// A message from 0 arrives at 5, where 1 has a tick: they fall at 0, 5, 10.
fn tied(reading: Reading) -> Scenario {
    Scenario { ties: Ties::Either, ..scenario(2, 5, 5, reading) }
}

fn took(scenario: &Scenario, rules: &[(u32, On, &[Do])], choices: &[u64]) -> Vec<(u64, Took)> {
    let played = play_by(scenario, table::<OnRing>(rules), Choices::Recorded(choices.to_vec()));
    assert_eq!(played.choices.len(), choices.len(), "one for each message that arrives at a tick");
    let own = played.after_waking().into_iter().filter(|(_, place, _)| *place == 1);
    own.map(|(time, _, took)| (time, took)).collect()
}

#[test]
fn a_message_is_read_at_the_step_that_it_comes_before() {
    let rules: &[(_, _, &[_])] = &[(0, On::Wake, &[Send(0, 1)])];
    for reading in [Reading::PerTick, Reading::PerStep] {
        assert_eq!(took(&tied(reading), rules, &[0]), [(5, Receive(0, 1))], "{reading:?}");
        assert_eq!(took(&tied(reading), rules, &[1]), [(10, Receive(0, 1))], "{reading:?}");
    }
    // As the readings rule, nothing is asked.
    let between = |reading| Scenario { ties: Ties::Either, ..scenario(2, 5, 7, reading) };
    assert_eq!(took(&between(Reading::PerTick), rules, &[]), [(10, Receive(0, 1))], "there is no tie at 7");
    let ruled = |reading| Scenario { ties: Ties::Ruled, ..tied(reading) };
    assert_eq!(took(&ruled(Reading::PerTick), rules, &[]), [(10, Receive(0, 1))]);
    assert_eq!(took(&ruled(Reading::PerStep), rules, &[]), [(5, Receive(0, 1))]);
}

#[test]
fn a_message_is_handled_before_or_after_the_timers_of_its_instant() {
    let rules: &[(_, _, &[_])] = &[(0, On::Wake, &[Send(0, 1)]), (1, On::Wake, &[Set('a', 1)])];
    let immediate = tied(Reading::Immediate);
    assert_eq!(took(&immediate, rules, &[0]), [(5, Receive(0, 1)), (5, Timeout('a'))]);
    assert_eq!(took(&immediate, rules, &[1]), [(5, Timeout('a')), (5, Receive(0, 1))]);
}

#[test]
fn the_step_that_a_message_comes_before_counts_for_the_timers_it_sets() {
    let rules: &[(_, _, &[_])] = &[(0, On::Wake, &[Send(0, 1)]), (1, On::Receive(1), &[Set('a', 1), Set('b', 2)])];
    let immediate = tied(Reading::Immediate);
    assert_eq!(took(&immediate, rules, &[0]), [(5, Receive(0, 1)), (5, Timeout('a')), (10, Timeout('b'))]);
    assert_eq!(took(&immediate, rules, &[1]), [(5, Receive(0, 1)), (10, Timeout('a')), (15, Timeout('b'))]);
}

#[test]
fn no_message_overtakes_another_of_its_link_in_a_tie() {
    let rules: &[(_, _, &[_])] = &[(0, On::Wake, &[Send(0, 1), Send(0, 2)])];
    let fifo = tied(Reading::PerStep);
    assert_eq!(took(&fifo, rules, &[0, 1]), [(5, Receive(0, 1)), (10, Receive(0, 2))]);
    assert_eq!(took(&fifo, rules, &[1, 0]), [(10, Receive(0, 1)), (10, Receive(0, 2))]);
    let any = Scenario { links: Links::Any, ..fifo };
    assert_eq!(took(&any, rules, &[1, 0]), [(5, Receive(0, 2)), (10, Receive(0, 1))]);
}

/// ScheduledChoices by what is asked and where, whatever the order in which it is asked.
#[test]
fn a_schedule_prescribes_every_choice_point() {
    let mut scenario = ranged(2, (2, 4), (1, 9), Reading::PerStep);
    scenario.timing.clocks = Clocks::Varying;
    scenario.timing.offsets = Offsets::List(vec![0, 1]);
    scenario.ties = Ties::Either;
    let rules: &[(_, _, &[_])] = &[(0, On::Wake, &[Toss(0, 6), Toss(0, 1), Toss(0, 6)])];
    let mut answers = ScheduledChoices::default();
    for (open, place, answer) in [
        (ChoicePoint::Coin, 0, 3),
        (ChoicePoint::Coin, 0, 0),
        (ChoicePoint::Coin, 0, 5),
        // Sent at 0, they arrive at 1 + 0, 1 + 4 and 1 + 4.
        (ChoicePoint::Delay, 0, 0),
        (ChoicePoint::Delay, 0, 4),
        (ChoicePoint::Delay, 0, 4),
        // The steps of place 1 fall at 1, 1 + 2 + 2 = 5, 5 + 2 + 0 = 7.
        (ChoicePoint::StepLength, 1, 2),
        (ChoicePoint::StepLength, 1, 0),
        (ChoicePoint::Tie, 1, 0),
        (ChoicePoint::Tie, 1, 0),
        (ChoicePoint::Tie, 1, 1),
    ] {
        answers.add(open, place, answer);
    }
    let played = play_by(&scenario, table::<OnRing>(rules), Choices::Scheduled(answers));
    let read = [(1, 1, Receive(0, 3)), (5, 1, Receive(0, 0)), (7, 1, Receive(0, 5))];
    assert_eq!(played.after_waking(), read);
    // What was answered is an ordinary record.
    let again = play_by(&scenario, table::<OnRing>(rules), Choices::Recorded(played.choices.clone()));
    assert_eq!((again.steps, again.choices), (played.steps, played.choices));
}

#[test]
fn ties_are_not_left_open_where_a_message_may_arrive_at_once() {
    let mut scenario = tied(Reading::PerStep);
    scenario.timing.d = Range::new(0, 5);
    let refused = scenario.check(&toy(ringleader_model::Topology::Ring, true).assumptions).expect_err("it is refused");
    assert_eq!(refused.field, "ties");
}
