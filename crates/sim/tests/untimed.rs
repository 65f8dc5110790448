//! Runs without clocks: what can happen next, in which order it is listed, what fails, and that a schedule is followed.
//! The expected orders are worked out by hand from the definition: what has been possible for the longest comes first.

use crate::common::Do::{Cancel, Follow, Lead, Send, SendUnlessTold, Set, Toss};
use crate::common::Took::{Receive, Timeout, Wake};
use crate::common::*;
use ringleader_model::{Action, AtMost, Event, Links, Port, Reading, Scenario, Wakes};
use ringleader_sim::{Cause, Choices, Full, Lean, Run, Simulation, StopReason, Verdict};

fn untimed(n: usize) -> Scenario {
    // The lengths mean nothing; a message that took this long would not come in before any timer.
    Scenario { untimed: true, ..scenario(n, 3, 1000, Reading::PerStep) }
}

fn failing(scenario: Scenario, crashes: u32, losses: u32, duplicates: u32) -> Scenario {
    let mut scenario = scenario;
    scenario.faults.at_most = AtMost { crashes, losses, duplicates, ..AtMost::default() };
    scenario
}

fn chosen<S: Shape>(scenario: &Scenario, rules: RuleTable<S>, choices: &[u64]) -> Played {
    play_by(scenario, rules, Choices::Recorded(choices.to_vec()))
}

#[test]
fn what_has_been_possible_for_the_longest_comes_first() {
    let rules = || {
        table::<OnRing>(&[
            (0, On::Wake, &[Set('a', 7), Send(0, 5), Set('b', 0)]),
            (1, On::Receive(5), &[Send(0, 6)]),
            (0, On::Timeout('a'), &[Cancel('b')]),
        ])
    };
    // wake 0, wake 1 | wake 1, word 5, a, b | wake 1, b, word 6 ...
    let steps = [(1, 0, Wake), (2, 1, Receive(0, 5)), (3, 1, Wake), (4, 0, Timeout('a')), (5, 0, Receive(0, 6))];
    let played = chosen(&untimed(2), rules(), &[0, 1, 0]);
    assert_eq!(played.steps, steps);
    assert_eq!(played.choices, [0, 1, 0, 0], "where there is one way to go on nothing is chosen");
    // b expires before a cancels it.
    let steps =
        [(1, 0, Wake), (2, 0, Timeout('b')), (3, 0, Timeout('a')), (4, 1, Receive(0, 5)), (5, 0, Receive(0, 6))];
    let played = chosen(&untimed(2), rules(), &[0, 3, 2, 1, 1]);
    assert_eq!(played.steps, [&steps[..], &[(6, 1, Wake)]].concat());
    assert_eq!(played.summary.cost.time, 6);
}

#[test]
fn a_timer_that_is_set_again_goes_to_the_end_of_the_list_and_runs_off_once() {
    let rules = table::<OnRing>(&[(0, On::Wake, &[Set('a', 1), Set('b', 1), Set('a', 2)])]);
    let scenario = Scenario { wakes: Wakes::At(vec![Some(9)]), ..untimed(1) };
    assert_eq!(chosen(&scenario, rules, &[]).steps, [(1, 0, Wake), (2, 0, Timeout('b')), (3, 0, Timeout('a'))]);
}

#[test]
fn what_never_runs_off_does_not() {
    let played = chosen(&untimed(1), table::<OnRing>(&[(0, On::Wake, &[Set('a', NEVER)])]), &[]);
    assert_eq!(played.steps, [(1, 0, Wake)]);
    assert_eq!((played.summary.verdict, played.summary.reason), (Verdict::Unknown, Some(StopReason::NeverTimer)));
}

#[test]
fn links_say_which_of_three_messages_may_come_in() {
    let receipts = |links, choices: &[u64]| {
        let rules = table::<OnRing>(&[(0, On::Wake, &[Send(0, 1), Send(0, 2), Send(0, 3)])]);
        let played = chosen(&Scenario { links, ..untimed(1) }, rules, choices);
        let words = played.steps.iter().filter_map(|(_, _, took)| match took {
            Receive(_, word) => Some(*word),
            _ => None,
        });
        (words.collect::<Vec<_>>(), played.choices.len())
    };
    assert_eq!(receipts(Links::Fifo, &[]), (vec![1, 2, 3], 0));
    assert_eq!(receipts(Links::Half, &[]), (vec![1, 2, 3], 0));
    assert_eq!(receipts(Links::HalfPhase, &[]), (vec![1, 2, 3], 0));
    assert_eq!(receipts(Links::Any, &[2, 1]), (vec![3, 2, 1], 2));
}

/// A timeout that would send on a link that is not free is tried, not taken, and tried again when the link is.
#[test]
fn a_timeout_waits_for_a_half_duplex_link() {
    let rules = table::<OnBidirectional>(&[
        (0, On::Wake, &[Send(RIGHT, 1), Set('a', 0)]),
        (0, On::Timeout('a'), &[Send(RIGHT, 2)]),
    ]);
    let scenario = Scenario { links: Links::Half, ..waking(untimed(3), &[(0, 0)]) };
    // word 1, a: a is tried, in vain, and takes no time.
    let played = chosen(&scenario, rules, &[1]);
    let steps = [(1, 0, Wake), (2, 1, Receive(LEFT, 1)), (3, 0, Timeout('a')), (4, 1, Receive(LEFT, 2))];
    assert_eq!((&played.steps[..], &played.choices[..]), (&steps[..], &[1][..]));
}

#[test]
fn failures_come_last_in_the_list_and_do_not_keep_a_run_going() {
    let rules = || {
        table::<OnRing>(&[
            (0, On::Wake, &[Send(0, 1), Lead]),
            (1, On::Receive(1), &[Follow(0)]),
            (1, On::Timeout('x'), &[]),
        ])
    };
    let two = waking(untimed(2), &[(0, 0)]);
    // wake 0; crash 0, crash 1.
    let played = chosen(&failing(two.clone(), 1, 0, 0), rules(), &[2]);
    assert_eq!((&played.steps[..], played.summary.verdict), (&[(2, 0, Wake)][..], Verdict::Held), "1 has crashed");
    // wake 0; crash 0, crash 1 | word 1; crash 0, crash 1; loss; doubling.
    let all = failing(two, 1, 1, 1);
    let lost = chosen(&all, rules(), &[0, 3]);
    assert_eq!((&lost.steps[..], lost.summary.verdict), (&[(1, 0, Wake)][..], Verdict::Violated));
    assert_eq!(lost.summary.reason, Some(StopReason::Silent));
    let doubled = chosen(&all, rules(), &[0, 4, 0, 0]);
    assert_eq!(doubled.steps, [(1, 0, Wake), (3, 1, Receive(0, 1)), (4, 1, Receive(0, 1))]);
    assert_eq!(doubled.summary.cost.messages(), 2, "the copy crosses the link too");
    let crashed = chosen(&all, rules(), &[0, 2]);
    assert_eq!(crashed.steps, [(1, 0, Wake)], "what is on its way to a crashed processor is gone");
    let traces = [lost, doubled, crashed].map(|played| played.summary.trace);
    assert!(traces[0] != traces[1] && traces[1] != traces[2] && traces[0] != traces[2]);
}

/// Restarts come after all other faults, then cuts, then the ends of cuts.
#[test]
fn restarts_and_cuts_come_last_in_the_list() {
    let rules = || table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)]), (1, On::Wake, &[Set('a', 1)])]);
    let mut two = failing(waking(untimed(2), &[(0, 0)]), 1, 0, 0);
    (two.faults.at_most.restarts, two.faults.at_most.cuts) = (1, 1);
    let steps = |choices: &[u64]| chosen(&two, rules(), choices).steps;
    // wake 0; crash 0, 1; restart 0, 1; cut | word 1; crash 0, 1; restart 0, 1; cut.
    assert_eq!(steps(&[0, 0]), [(1, 0, Wake), (2, 1, Receive(0, 1))]);
    // Place 1 restarts and wakes: word 1, timer a; crash 0, 1; cut. The message in flight is not lost.
    assert_eq!(steps(&[0, 4, 1, 0]), [(1, 0, Wake), (2, 1, Wake), (3, 1, Timeout('a')), (4, 1, Receive(0, 1))]);
    // While it is down the message stays in flight, until it arrives or the place restarts: word 1; restart 0, 1; cut.
    assert_eq!(steps(&[0, 2, 0]), [(1, 0, Wake)]);
    assert_eq!(steps(&[0, 2, 2, 0]), [(1, 0, Wake), (3, 1, Wake), (4, 1, Receive(0, 1)), (5, 1, Timeout('a'))]);
    // The link is cut, and is not any more: word 1; crash 0, 1; restart 0, 1; end of the cut.
    assert_eq!(steps(&[0, 5, 0]), [(1, 0, Wake)]);
    assert_eq!(steps(&[0, 5, 5, 0]), [(1, 0, Wake), (4, 1, Receive(0, 1))]);
    // A message that is sent over a cut link is lost at once: cut, wake 0, end of the cut is not worth a step.
    assert_eq!(steps(&[5, 0]), [(2, 0, Wake)]);
    let lost = chosen(&two, rules(), &[0, 5, 0]).summary;
    assert_eq!((lost.cost.messages(), lost.reason), (1, Some(StopReason::Silent)));
}

/// A run is over where only faults are left, unless its choices go on: 0 is the end, and behind it come the faults.
#[test]
fn recorded_choices_take_faults_behind_the_last_event() {
    let rules = || table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)]), (1, On::Wake, &[Send(0, 2)])]);
    let mut two = failing(waking(untimed(2), &[(0, 0)]), 0, 0, 0);
    two.faults.at_most.restarts = 1;
    // wake 0; restart 0, 1 | word 1; restart 0, 1 | the end; restart 0, 1 | word 2.
    let sent = [(1, 0, Wake), (2, 1, Receive(0, 1))];
    let restarted = [&sent[..], &[(3, 1, Wake), (4, 0, Receive(0, 2))]].concat();
    let cases = [(&[0, 0][..], &sent[..]), (&[0, 0, 0], &sent), (&[0, 0, 2], &restarted)];
    for (choices, steps) in cases {
        let played = chosen(&two, rules(), choices);
        assert_eq!((&played.steps[..], &played.choices[..]), (steps, choices));
    }
    // A drawn run ends there.
    let played = play(&two, rules());
    assert_eq!(chosen(&two, rules(), &played.choices).steps, played.steps);
    // Where there is one fault only it is a choice, too: place 0 wakes again.
    let mut one = failing(untimed(1), 0, 0, 0);
    one.faults.at_most.restarts = 1;
    let played = chosen(&one, table::<OnRing>(&[(0, On::Wake, &[])]), &[0, 1]);
    assert_eq!((&played.steps[..], &played.choices[..]), (&[(1, 0, Wake), (2, 0, Wake)][..], &[0, 1][..]));
}

/// A schedule that ends with a fault is recorded with it.
#[test]
fn a_schedule_that_ends_with_a_fault_is_followed_and_replayed() {
    let rules = || table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)])]);
    let mut two = failing(waking(untimed(2), &[(0, 0)]), 0, 0, 0);
    (two.faults.at_most.restarts, two.faults.at_most.cuts) = (1, 1);
    let schedule = [
        step(0, Event::Wake, &[]),
        step(1, Event::Receive(Port(0), Word(1)), &[]),
        Action::Cut(0, 1),
        Action::Restart { place: 0, chosen: Vec::new() },
    ];
    let mut run: Simulation<_, Full> = Simulation::new(rules(), &two, Choices::Drawn).expect("it makes sense");
    run.follow(&schedule).expect("every action is enabled");
    let choices = run.choices().expect("it is recorded").to_vec();
    // The end; restart 0, 1; cut | the end; restart 0, 1; end of the cut.
    assert_eq!(choices, [0, 0, 3, 1]);
    let again = chosen(&two, rules(), &choices);
    assert_eq!((again.summary.trace, again.summary.cost.time), (run.summary().trace, 4));
}

/// Pauses change nothing where there are no clocks: the run has the same choices.
#[test]
fn a_pause_is_not_seen_without_clocks() {
    let rules = || table::<OnRing>(&[(EVERYWHERE, On::Wake, &[Send(0, 1), Set('a', 3)])]);
    let run = |pauses, seed| {
        let mut scenario = Scenario { seed, ..untimed(3) };
        scenario.faults.at_most.pauses = pauses;
        let played = play(&scenario, rules());
        (played.steps, played.choices)
    };
    assert!((0..20).all(|seed| run(0, seed) == run(3, seed)));
}

#[test]
fn a_doubled_message_comes_next_on_every_kind_of_link() {
    for links in Links::ALL {
        let rules = table::<OnRing>(&[(0, On::Wake, &[Send(0, 1), Send(0, 2)])]);
        let scenario = failing(Scenario { links, ..waking(untimed(2), &[(0, 0)]) }, 0, 0, 1);
        // The first word is doubled as soon as it is there; under any order two can come in, each of which may double.
        let double = if links == Links::Any { 2 } else { 1 };
        let played = chosen(&scenario, rules, &[double]);
        let words: Vec<_> = played.steps[1..].iter().map(|(_, _, took)| *took).collect();
        assert_eq!(words, [Receive(0, 1), Receive(0, 1), Receive(0, 2)], "{links:?}");
    }
}

fn recorded<S: Shape>(scenario: &Scenario, choices: Choices) -> Simulation<Chatter<S>, Full> {
    let mut run = Simulation::new(Chatter::new(scenario).hops(8), scenario, choices).expect("the scenario makes sense");
    run.record();
    to_the_end(&mut run);
    run
}

fn replays<S: Shape>() {
    for seed in 0..100 {
        let mut scenario = Scenario { untimed: true, ..any_scenario::<S>(seed) };
        scenario.faults = ringleader_model::Faults::default();
        if seed % 3 == 0 {
            scenario = failing(scenario, 1, 2, 2);
        }
        if seed % 2 == 0 {
            let at_most = &mut scenario.faults.at_most;
            (at_most.restarts, at_most.cuts, at_most.pauses) = (2, 1, 1);
        }
        let run = recorded::<S>(&scenario, Choices::Drawn);
        let choices = run.choices().expect("it is recorded").to_vec();
        let again = recorded::<S>(&scenario, Choices::Recorded(choices.clone()));
        assert_eq!(run.summary(), again.summary(), "{scenario:?}");
        assert_eq!((again.unused_choices(), again.unanswered(), again.bad_choice()), (0, 0, None));
        // Behind a prefix choices are drawn as if all had been.
        let half = recorded::<S>(&scenario, Choices::Prefix(choices[..choices.len() / 2].to_vec()));
        assert_eq!((half.summary(), half.choices()), (run.summary(), Some(&choices[..])), "{scenario:?}");
        assert_eq!((half.unused_choices(), half.unanswered(), half.bad_choice()), (0, 0, None));
        let rules = || Chatter::<S>::new(&scenario).hops(8);
        let sliced: Simulation<_, Full> = {
            let mut run = Simulation::new(rules(), &scenario, Choices::Drawn).expect("it makes sense");
            while !run.advance(1) {}
            run
        };
        assert_eq!(run.summary(), sliced.summary());
        let lean = chatter::<S, Lean>(&scenario, rules()).summary();
        assert_eq!((lean.outcome, lean.cost.kinds), (run.summary().outcome, run.summary().cost.kinds));
        let other = recorded::<S>(&Scenario { seed: scenario.seed ^ 1, ..scenario.clone() }, Choices::Drawn);
        assert!(run.summary().trace != other.summary().trace || run.steps() < 4, "{scenario:?}");
    }
}

/// Of three wakes the first choice takes one; the second is out of range, and the third is not asked for.
#[test]
fn a_prefix_decides_the_first_choices_only() {
    let scenario = untimed(3);
    let of = |prefix: &[u64]| recorded::<OnRing>(&scenario, Choices::Prefix(prefix.to_vec()));
    let [one, other] = [1, 2].map(|first| of(&[first]));
    assert_eq!([&one, &other].map(|run| run.choices().map(|choices| choices[0])), [Some(1), Some(2)]);
    assert_ne!(one.summary().trace, other.summary().trace);
    let bad = of(&[1, 99]).bad_choice().expect("there are not so many");
    assert_eq!((bad.index, bad.choice), (1, 99));
    let all = one.choices().expect("it is recorded").to_vec();
    let longer: Vec<u64> = all.iter().copied().chain([0, 0]).collect();
    assert_eq!((of(&longer).summary(), of(&longer).unused_choices()), (one.summary(), 2));
}

#[test]
fn a_run_is_repeated_by_its_seed_and_by_its_record_on_every_network() {
    replays::<OnRing>();
    replays::<OnBidirectional>();
    replays::<OnComplete>();
}

/// Every order of three things is about equally likely, whatever they are.
#[test]
fn any_order_may_be_drawn() {
    let mut seen = std::collections::BTreeMap::new();
    for seed in 0..6000 {
        let scenario = Scenario { seed, ..untimed(3) };
        let order: Vec<_> = play(&scenario, table::<OnRing>(&[])).steps.iter().map(|(_, place, _)| *place).collect();
        *seen.entry(order).or_insert(0) += 1;
    }
    // 1000 expected, standard deviation 29.
    assert!(seen.len() == 6 && seen.values().all(|count| (880..1120).contains(count)), "{seen:?}");
}

fn drawing() -> RuleTable<OnRing> {
    table::<OnRing>(&[
        (0, On::Wake, &[Toss(0, 6), Toss(0, 1), Set('a', 3)]),
        (0, On::Timeout('a'), &[SendUnlessTold(0, 9)]),
        (1, On::Receive(4), &[Lead]),
    ])
}

fn step(place: u32, event: Event<Actor<OnRing>>, chosen: &[u32]) -> Action<Actor<OnRing>> {
    Action::Step { place, event, chosen: chosen.to_vec() }
}

#[test]
fn a_schedule_is_followed_and_its_record_is_an_ordinary_one() {
    let scenario = failing(untimed(2), 1, 1, 1);
    let word = |word| Word(word);
    let schedule = [
        step(0, Event::Wake, &[4, 0]),
        step(0, Event::Timeout('a'), &[]),
        Action::Duplicate(1, Port(0), word(4)),
        step(1, Event::Receive(Port(0), word(4)), &[]),
        step(1, Event::Receive(Port(0), word(4)), &[]),
        Action::Loss(1, Port(0), word(0)),
        Action::Crash(0),
        step(1, Event::Receive(Port(0), word(9)), &[]),
    ];
    let mut run: Simulation<_, Full> = Simulation::new(drawing(), &scenario, Choices::Drawn).expect("it makes sense");
    run.log();
    run.follow(&schedule).expect("it can happen");
    let summary = run.summary();
    assert_eq!(
        (run.now(), summary.cost.steps, summary.reason),
        (8, 5, Some(StopReason::Interrupted)),
        "1 may still wake"
    );
    let steps = run.take_log();
    assert_eq!(steps.iter().map(|step| step.number).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7, 8]);
    // 4, 0 and 9 are the messages 1, 2 and 3, in the order of sending, and the copy of the first is message 4.
    let sent: Vec<_> = steps.iter().flat_map(|step| step.sends()).map(|(number, to, _)| (number.0, to)).collect();
    assert_eq!(sent, [(1, 1), (2, 1), (3, 1)]);
    let received = steps.iter().filter_map(|step| match step.cause {
        Cause::Receive { message, from, .. } => Some((step.time, message.0, from)),
        _ => None,
    });
    assert_eq!(received.collect::<Vec<_>>(), [(4, 1, 0), (5, 4, 0), (8, 3, 0)]);
    assert!(matches!(steps[2].cause, Cause::Duplicate { message, copy, .. } if (message.0, copy.0) == (1, 4)));
    assert!(matches!(steps[5].cause, Cause::Loss { message, from: 0, .. } if message.0 == 2));
    assert_eq!((steps[6].time, steps[6].place, &steps[6].cause), (7, 0, &Cause::Crash));
    let choices = Choices::Recorded(run.choices().expect("it is recorded").to_vec());
    let mut again: Simulation<_, Full> = Simulation::new(drawing(), &scenario, choices).expect("it makes sense");
    again.stop_after(8);
    to_the_end(&mut again);
    assert_eq!(again.summary(), summary);
    assert_eq!(again.unused_choices(), 0);
}

#[test]
fn a_schedule_with_restarts_and_cuts_is_followed() {
    let mut scenario = failing(untimed(2), 1, 0, 0);
    (scenario.faults.at_most.restarts, scenario.faults.at_most.cuts) = (1, 1);
    let schedule = [
        step(0, Event::Wake, &[4, 0]),
        Action::Crash(1),
        Action::Loss(1, Port(0), Word(4)),
        Action::Restart { place: 1, chosen: vec![] },
        Action::Cut(1, 0),
        step(0, Event::Timeout('a'), &[]),
        Action::Heal(0, 1),
        step(1, Event::Receive(Port(0), Word(0)), &[]),
    ];
    let mut run: Simulation<_, Full> = Simulation::new(drawing(), &scenario, Choices::Drawn).expect("it makes sense");
    run.log();
    run.follow(&schedule).expect("it can happen");
    let causes: Vec<_> = run.take_log().into_iter().map(|step| step.cause).collect();
    assert_eq!((&causes[1], &causes[3], &causes[4]), (&Cause::Crash, &Cause::Restart, &Cause::Wake));
    assert_eq!((&causes[5], &causes[8]), (&Cause::Cut { other: 1 }, &Cause::Heal { other: 1 }));
    // The message that the timeout sends is lost on the cut link, which is told before the step is over.
    assert!(causes[6..8].iter().any(|cause| matches!(cause, Cause::Loss { message, .. } if message.0 == 3)));
    let choices = Choices::Recorded(run.choices().expect("it is recorded").to_vec());
    let mut again: Simulation<_, Full> = Simulation::new(drawing(), &scenario, choices).expect("it makes sense");
    again.stop_after(8);
    to_the_end(&mut again);
    assert_eq!((again.summary(), again.unused_choices()), (run.summary(), 0));
}

#[test]
fn what_cannot_happen_is_named() {
    let refused = |schedule: &[Action<_>]| {
        let mut run: Simulation<_, Full> =
            Simulation::new(drawing(), &untimed(2), Choices::Drawn).expect("it makes sense");
        run.follow(schedule).expect_err("it cannot happen").to_string()
    };
    let wake = || step(0, Event::Wake, &[4, 0]);
    assert!(
        refused(&[wake(), wake()]).starts_with("step 2 of the schedule cannot happen: Step { place: 0, event: Wake")
    );
    // The second word only comes in after the first.
    let early = step(1, Event::Receive(Port(0), Word(0)), &[]);
    assert!(refused(&[wake(), early]).contains("step 2"));
    for coins in [&[4][..], &[], &[4, 0, 0], &[6, 0]] {
        assert!(refused(&[step(0, Event::Wake, coins)]).ends_with(": it does not draw like this"), "{coins:?}");
    }
    assert!(refused(&[Action::Crash(0)]).contains("step 1"), "nothing may fail");
}

/// Somebody asked for something, and all that is left is what need not happen: that somebody wakes.
#[test]
fn what_need_not_happen_does_not_end_a_wait() {
    let mut run: Simulation<_, Full> = Simulation::new(drawing(), &untimed(2), Choices::Drawn).expect("it makes sense");
    assert_eq!(run.summary().reason, Some(StopReason::Interrupted), "nothing was asked for yet");
    run.follow(&[step(1, Event::Wake, &[])]).expect("it can happen");
    let summary = run.summary();
    assert_eq!((summary.reason, summary.verdict), (Some(StopReason::Silent), Verdict::Violated));
    run.follow(&[step(0, Event::Wake, &[1, 0])]).expect("it can happen");
    assert_eq!(run.summary().reason, Some(StopReason::Interrupted));
}
