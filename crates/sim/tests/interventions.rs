//! Interventions: what each does to its message and to those behind it, and that nothing else changes.

use std::collections::BTreeMap;

use crate::common::Do::{Send, Set};
use crate::common::Took::Receive;
use crate::common::*;
use ringleader_model::{
    AtMost, Faults, Intervention, Interventions, Links, MessageAction, Place, Reading, Scenario, Share, Time,
};
use ringleader_sim::{Cause, Choices, Full, InterventionEffect, Random, Run, Simulation, Step};

use InterventionEffect::{NotSent, Outside, Void, Within};

pub fn with(interventions: &str, mut scenario: Scenario) -> Scenario {
    let Interventions(all) = interventions.parse().expect("they are interventions");
    scenario.interventions = all;
    scenario
}

fn on(links: Links, mut scenario: Scenario) -> Scenario {
    scenario.links = links;
    scenario
}

/// Three words at once, all with a delay of 3.
const WORDS: &[(Place, On, &[Do])] = &[(0, On::Wake, &[Send(0, 1), Send(0, 2), Send(0, 3)])];

/// What place 1 receives and when, and the effects.
fn received(scenario: &Scenario) -> (Vec<(Time, u64)>, Vec<InterventionEffect>) {
    let played = play(scenario, table::<OnRing>(WORDS));
    let words = played.steps.iter().filter_map(|(time, place, took)| match took {
        Receive(_, word) if *place == 1 => Some((*time, *word)),
        _ => None,
    });
    (words.collect(), played.summary.interventions.iter().map(|one| one.effect).collect())
}

fn on_ring(links: Links, interventions: &str) -> (Vec<(Time, u64)>, Vec<InterventionEffect>) {
    received(&with(interventions, on(links, scenario(2, 1, 3, Reading::Immediate))))
}

fn log(scenario: &Scenario) -> Vec<Step> {
    let mut run: Simulation<_, Full> =
        Simulation::new(table::<OnRing>(WORDS), scenario, Choices::Drawn).expect("it makes sense");
    run.log();
    to_the_end(&mut run);
    run.take_log()
}

// ---------------------------------------------------------------------------------------------------------------------
// With clocks.

#[test]
fn a_dropped_message_is_lost_when_it_is_sent() {
    assert_eq!(on_ring(Links::Fifo, "2:drop"), (vec![(3, 1), (3, 3)], vec![Outside]));
    let steps = log(&with("2:drop", scenario(2, 1, 3, Reading::Immediate)));
    let lost = steps.iter().find(|step| step.cause.is_fault()).expect("it is logged");
    assert!(matches!(lost.cause, Cause::Loss { message, from: 0, .. } if message.0 == 2));
    assert_eq!((lost.time, lost.place), (0, 1));
}

#[test]
fn a_delayed_message_holds_those_behind_it_on_a_fifo_link() {
    assert_eq!(on_ring(Links::Fifo, "2:delay:10"), (vec![(3, 1), (10, 2), (10, 3)], vec![Outside]));
    assert_eq!(on_ring(Links::Any, "2:delay:10"), (vec![(3, 1), (3, 3), (10, 2)], vec![Outside]));
    let steps = log(&with("2:delay:10", scenario(2, 1, 3, Reading::Immediate)));
    let delayed = steps.iter().find(|step| step.cause.is_fault()).expect("it is logged");
    assert!(matches!(delayed.cause, Cause::Delay { message, until: 10, .. } if message.0 == 2));
}

#[test]
fn a_hurried_message_does_not_overtake_on_a_fifo_link() {
    assert_eq!(on_ring(Links::Fifo, "2:delay:1"), (vec![(3, 1), (3, 2), (3, 3)], vec![Within]));
    assert_eq!(on_ring(Links::Any, "2:delay:1"), (vec![(1, 2), (3, 1), (3, 3)], vec![Outside]));
    assert_eq!(on_ring(Links::Fifo, "1:delay:0"), (vec![(0, 1), (3, 2), (3, 3)], vec![Outside]));
}

#[test]
fn a_message_is_held_until_a_time_or_arrives_later_by_itself() {
    assert_eq!(on_ring(Links::Fifo, "2:until:900"), (vec![(3, 1), (900, 2), (900, 3)], vec![Outside]));
    assert_eq!(on_ring(Links::Fifo, "2:until:3"), (vec![(3, 1), (3, 2), (3, 3)], vec![Void]));
    let slow = ranged(2, (1, 1), (2, 9), Reading::Immediate);
    for seed in 0..20 {
        let (words, effects) = received(&with("1:until:9", Scenario { seed, ..slow.clone() }));
        assert_eq!(words, [(9, 1), (9, 2), (9, 3)]);
        assert!(effects == [Within] || effects == [Void], "links may be as slow");
    }
}

#[test]
fn a_copy_arrives_with_its_message_and_has_a_number_of_its_own() {
    let twice = vec![(3, 1), (3, 1), (3, 2), (3, 3)];
    assert_eq!(on_ring(Links::Fifo, "1:duplicate"), (twice.clone(), vec![Outside]));
    assert_eq!(on_ring(Links::Fifo, "1:duplicate,1:delay:3"), (twice, vec![Within, Outside]));
    // The copy is made while the first word is sent: it is message 2.
    let (words, effects) = on_ring(Links::Fifo, "1:duplicate,2:drop,3:drop");
    assert_eq!((words, effects), (vec![(3, 1), (3, 3)], vec![Outside; 3]));
    let (words, _) = on_ring(Links::Any, "1:duplicate,2:delay:20,2:duplicate");
    assert_eq!(words, [(3, 1), (3, 2), (3, 3), (20, 1), (20, 1)]);
    let steps = log(&with("1:duplicate", scenario(2, 1, 3, Reading::Immediate)));
    let doubled = steps.iter().find(|step| step.cause.is_fault()).expect("it is logged");
    assert!(matches!(doubled.cause, Cause::Duplicate { message, copy, .. } if (message.0, copy.0) == (1, 2)));
}

#[test]
fn what_is_never_sent_or_lost_before_is_not_intervened_in() {
    assert_eq!(on_ring(Links::Fifo, "4:drop,9:delay:3").1, [NotSent, NotSent]);
    let cut = Faults { cuts: "cut:0-1@0..9".parse::<Faults>().expect("it is one").cuts, ..Faults::default() };
    let cut = Scenario { faults: cut, ..scenario(2, 1, 3, Reading::Immediate) };
    let (words, effects) = received(&with("1:drop,2:delay:4,3:duplicate", cut));
    assert_eq!((words, effects), (vec![], vec![Void; 3]));
}

#[test]
fn links_that_may_lose_and_duplicate_promise_nothing_else() {
    let never = Some(Share { part: 0, whole: 1 });
    let faults = Faults { loss: never, duplicate: never, ..Faults::default() };
    let unreliable = Scenario { faults, ..scenario(2, 1, 3, Reading::Immediate) };
    let (words, effects) = received(&with("1:drop,2:duplicate,4:delay:4", unreliable));
    assert_eq!((words, effects), (vec![(3, 2), (3, 2), (4, 3)], vec![Within, Within, Outside]));
}

#[test]
fn on_a_half_duplex_link_a_delay_begins_when_the_message_enters_it() {
    // The second word enters the link when the first has arrived.
    let half = |interventions| with(interventions, on(Links::Half, scenario(3, 1, 4, Reading::Immediate)));
    let rules = table::<OnBidirectional>(&[(0, On::Wake, &[Send(RIGHT, 1), Send(RIGHT, 2), Send(RIGHT, 3)])]);
    let receipts = |interventions| play(&half(interventions), rules.clone()).receipts(1);
    assert_eq!(receipts("2:delay:10"), [4, 14, 18]);
    assert_eq!(receipts("2:until:9"), [4, 9, 13]);
    assert_eq!(receipts("2:drop"), [4, 8]);
    // Message and copy leave the link together.
    assert_eq!(receipts("1:duplicate"), [4, 4, 8, 12]);
}

#[test]
fn a_paused_receiver_reads_a_held_message_when_it_goes_on() {
    let faults = "pause:1@2+20".parse().expect("it is one");
    let paused = Scenario { faults, ..scenario(2, 1, 3, Reading::Immediate) };
    assert_eq!(received(&with("2:delay:10,3:delay:30", paused)).0, [(22, 1), (22, 2), (30, 3)]);
}

/// By the definition: in the order of sending, each message arrives at the time that is decided, or at its own, and not before
/// those that were sent before it on its link.
fn arrivals_by_definition(own: &BTreeMap<u64, (Place, u32, Time)>, all: &[Intervention]) -> BTreeMap<u64, Time> {
    let mut last: BTreeMap<(Place, u32), Time> = BTreeMap::new();
    let decided = |number: u64, at: Time| {
        let one = all.iter().find(|one| one.message == number);
        one.map_or(at, |one| match one.action {
            MessageAction::Delay(length) => length,
            MessageAction::Until(time) => at.max(time),
            MessageAction::Drop | MessageAction::Duplicate => at,
        })
    };
    own.iter().fold(BTreeMap::new(), |mut arrivals, (&number, &(from, port, at))| {
        let last = last.entry((from, port)).or_default();
        *last = match all.iter().find(|one| one.message == number).map(|one| one.action) {
            // Held beyond the arrival that the order of the link gives it.
            Some(MessageAction::Until(time)) => at.max(*last).max(time),
            _ => decided(number, at).max(*last),
        };
        arrivals.insert(number, *last);
        arrivals
    })
}

/// By number, sender, port and arrival of all that is sent at 0.
fn sent_at_once<S: Shape>(scenario: &Scenario) -> BTreeMap<u64, (Place, u32, Time)> {
    let bursts: Vec<_> = (0..ports::<S>(scenario))
        .flat_map(|port| (0..4).map(move |word| Send(port, 10 * u64::from(port) + word)))
        .collect();
    let rules = table::<S>(&[(EVERYWHERE, On::Wake, &bursts)]);
    let mut run: Simulation<_, Full> = Simulation::new(rules, scenario, Choices::Drawn).expect("it makes sense");
    run.log();
    to_the_end(&mut run);
    let steps = run.take_log();
    let mut sent = BTreeMap::new();
    for step in &steps {
        for effect in &step.effects {
            if let ringleader_sim::StepEffect::Send { message, port, .. } = effect {
                sent.insert(message.0, (step.place, port.0, 0));
            }
        }
        if let Cause::Receive { message, .. } = &step.cause {
            sent.entry(message.0).and_modify(|line| line.2 = step.time);
        }
    }
    sent
}

/// What is drawn is drawn as without interventions, on every network, whatever keeps the order of its links.
fn keeps_draws_and_order<S: Shape>() {
    for seed in 0..60 {
        let n = 2 + seed as usize % 4;
        let fifo = Scenario { seed, ..ranged(n, (1, 1), (2, 30), Reading::Immediate) };
        let own = sent_at_once::<S>(&on(Links::Any, fifo.clone()));
        let mut random = Random::new(seed);
        let mut interventions: Vec<Intervention> = own
            .keys()
            .filter_map(|&message| {
                let number = random.below(60);
                let action = match random.below(6) {
                    0 => MessageAction::Delay(number),
                    1 => MessageAction::Until(number),
                    _ => return None,
                };
                Some(Intervention { message, action })
            })
            .collect();
        interventions.reverse();
        let expected = arrivals_by_definition(&own, &interventions);
        let intervened = sent_at_once::<S>(&Scenario { interventions, ..fifo });
        let found: BTreeMap<_, _> = intervened.iter().map(|(&number, &(.., at))| (number, at)).collect();
        assert_eq!(found, expected, "seed {seed}");
    }
}

#[test]
fn other_messages_keep_their_delays_and_all_keep_their_order() {
    keeps_draws_and_order::<OnRing>();
    keeps_draws_and_order::<OnBidirectional>();
    keeps_draws_and_order::<OnComplete>();
}

// ---------------------------------------------------------------------------------------------------------------------
// Without clocks.

fn untimed(scenario: Scenario) -> Scenario {
    Scenario { untimed: true, ..scenario }
}

#[test]
fn without_clocks_a_message_is_held_for_so_many_actions() {
    // Place 1 has nine timers to wait for.
    let busy: Vec<Do> = ('a'..='i').map(|timer| Set(timer, 1)).collect();
    let rules = table::<OnRing>(&[(0, On::Wake, &[Send(0, 1), Send(0, 2)]), (1, On::Wake, &busy)]);
    for seed in 0..50 {
        for links in [Links::Fifo, Links::Any] {
            let scenario = untimed(Scenario { seed, ..on(links, scenario(2, 1, 1, Reading::Immediate)) });
            let played = play(&with("1:until:8", scenario), rules.clone());
            let at = |word| played.steps.iter().position(|(.., took)| *took == Receive(0, word)).expect("it arrives");
            assert!(played.steps[at(1)].0 > 8, "seed {seed}");
            assert!(links == Links::Any || at(1) < at(2), "the second waits for the first");
        }
    }
}

#[test]
fn without_clocks_a_held_message_is_enabled_where_nothing_else_is() {
    for seed in 0..50 {
        let scenario = untimed(Scenario { seed, ..on(Links::Any, scenario(2, 1, 1, Reading::Immediate)) });
        let played = play(&with("1:until:900,2:until:800,3:until:0", scenario), table::<OnRing>(WORDS));
        // Two wakes, and then the third word, the second and the first.
        let words = played.steps.iter().filter(|(.., took)| matches!(took, Receive(..))).copied();
        let last: Vec<_> = words.collect();
        assert_eq!((last[1], last[2]), ((4, 1, Receive(0, 2)), (5, 1, Receive(0, 1))), "seed {seed}");
        let effects: Vec<_> = played.summary.interventions.iter().map(|one| one.effect).collect();
        assert_eq!(effects, [Within, Within, Void]);
    }
}

#[test]
fn without_clocks_messages_are_dropped_and_duplicated() {
    for seed in 0..50 {
        for links in [Links::Fifo, Links::Any, Links::Half] {
            let scenario = untimed(Scenario { seed, ..on(links, scenario(2, 1, 1, Reading::Immediate)) });
            let (words, effects) = received(&with("1:drop,2:duplicate", scenario));
            let mut words: Vec<_> = words.into_iter().map(|(_, word)| word).collect();
            assert!(links == Links::Any || words.is_sorted());
            words.sort_unstable();
            assert_eq!((words, effects), (vec![2, 2, 3], vec![Outside, Outside]));
        }
    }
}

#[test]
fn a_held_message_is_lost_with_its_receiver() {
    let at_most = AtMost { crashes: 2, ..AtMost::default() };
    let crashing =
        Scenario { faults: Faults { at_most, ..Faults::default() }, ..untimed(scenario(2, 1, 1, Reading::Immediate)) };
    let mut crashed = 0;
    for seed in 0..100 {
        let scenario = with("1:until:900", Scenario { seed, ..crashing.clone() });
        let mut run: Simulation<_, Full> =
            Simulation::new(table::<OnRing>(WORDS), &scenario, Choices::Drawn).expect("it makes sense");
        run.log();
        to_the_end(&mut run);
        let steps = run.take_log();
        let crash = steps.iter().position(|step| step.cause == Cause::Crash && step.place == 1);
        let receipt = steps.iter().rposition(|step| matches!(step.cause, Cause::Receive { .. }));
        if let Some(crash) = crash {
            assert!(receipt.is_none_or(|receipt| receipt < crash));
            crashed += 1;
        }
    }
    assert!(crashed > 10, "{crashed}");
}

// ---------------------------------------------------------------------------------------------------------------------
// All else.

fn chatters<S: Shape>(scenario: &Scenario, choices: Choices) -> Simulation<Chatter<S>, Full> {
    let mut run = Simulation::new(Chatter::new(scenario).hops(8), scenario, choices).expect("the scenario makes sense");
    run.record();
    to_the_end(&mut run);
    run
}

/// The same scenario with interventions of every kind.
pub fn intervened(scenario: Scenario) -> Scenario {
    if scenario.untimed {
        with("1:drop,2:until:9,3:duplicate,5:until:30,7:until:12", scenario)
    } else {
        with("1:drop,2:until:9,3:duplicate,5:delay:40,6:delay:1,8:duplicate,8:delay:2", scenario)
    }
}

/// A run whose interventions are about messages that are never sent is the same run; one with others is repeated by its record.
fn nothing_else_changes<S: Shape>() {
    for seed in 0..150 {
        let mut scenario = any_scenario::<S>(seed);
        scenario.untimed = seed % 3 == 0 && scenario.faults.is_empty();
        let plain = chatters::<S>(&scenario, Choices::Drawn);
        let none = if scenario.untimed { "1000000:drop,1000001:until:3" } else { "1000000:drop,1000001:delay:3" };
        let touched = chatters::<S>(&with(none, scenario.clone()), Choices::Drawn);
        let mut summary = touched.summary();
        assert_eq!(summary.interventions.iter().map(|one| one.effect).collect::<Vec<_>>(), [NotSent; 2]);
        summary.interventions.clear();
        assert_eq!((summary, touched.choices()), (plain.summary(), plain.choices()), "{scenario:?}");
        let scenario = intervened(scenario);
        let run = chatters::<S>(&scenario, Choices::Drawn);
        let choices = run.choices().expect("it is recorded").to_vec();
        let again = chatters::<S>(&scenario, Choices::Recorded(choices));
        assert_eq!(run.summary(), again.summary(), "{scenario:?}");
        assert_eq!((again.unused_choices(), again.unanswered(), again.bad_choice()), (0, 0, None));
    }
}

#[test]
fn nothing_else_changes_and_records_are_followed_on_every_network() {
    nothing_else_changes::<OnRing>();
    nothing_else_changes::<OnBidirectional>();
    nothing_else_changes::<OnComplete>();
}
