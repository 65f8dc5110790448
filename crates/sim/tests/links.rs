//! What links do to messages: the order they keep, and half-duplex links, which carry one at a time, or one of each phase.

use std::collections::BTreeMap;

use crate::common::Do::{BeTold, Cancel, Send, SendEither, SendUnlessTold, Set, Toss};
use crate::common::Took::{Receive, Timeout};
use crate::common::*;
use ringleader_model::{Delays, Event, Links, Network, Place, Port, Ports, Reading, Scenario, Time};
use ringleader_sim::{Choices, Full, Run, Simulation};

fn on(links: Links, mut scenario: Scenario) -> Scenario {
    scenario.links = links;
    scenario
}

// ---------------------------------------------------------------------------------------------------------------------
// Order.

const SIZES: [usize; 4] = [2, 3, 5, 17];
const COUNT: u32 = 6;

/// Everything sent on every link, in the order of sending, for delays within a wheel of buckets and beyond it.
fn fifo_never_reorders<S: Shape>() {
    let numbered: Vec<u64> = (0..2 * u64::from(COUNT)).collect();
    for seed in 0..15 {
        for n in SIZES {
            for d in [(0, 10), (3, 40), (0, 200_000)] {
                for reading in Reading::ALL {
                    let scenario = Scenario { seed, ..ranged(n, (1, 3), d, reading) };
                    let came = stream::<S>(&scenario, COUNT);
                    assert!(came.iter().all(|link| *link == numbered), "n = {n}, seed {seed}, d {d:?}, {reading:?}");
                }
            }
        }
    }
}

#[test]
fn fifo_links_never_reorder_on_a_ring() {
    fifo_never_reorders::<OnRing>();
}

#[test]
fn fifo_links_never_reorder_on_a_bidirectional_ring() {
    fifo_never_reorders::<OnBidirectional>();
}

#[test]
fn fifo_links_never_reorder_on_a_complete_network() {
    fifo_never_reorders::<OnComplete>();
}

#[test]
fn fifo_links_never_reorder_behind_shuffled_ports_and_exchanged_orientations() {
    let numbered: Vec<u64> = (0..2 * u64::from(COUNT)).collect();
    for seed in 0..30 {
        let scenario = Scenario { seed, ..ranged(5, (1, 3), (0, 10), Reading::Immediate) };
        let shuffled = Scenario { ports: Ports::Shuffled(seed), ..scenario.clone() };
        assert!(stream::<OnComplete>(&shuffled, COUNT).iter().all(|link| *link == numbered));
        let orientation = (0..5).map(|place| seed >> place & 1 == 1).collect();
        let exchanged = Scenario { orientation, ..scenario };
        assert!(stream::<OnBidirectional>(&exchanged, COUNT).iter().all(|link| *link == numbered));
    }
}

/// Some link reorders for some seed, and still everything arrives exactly once.
fn any_reorders<S: Shape>() {
    let mut reordered = false;
    let numbered: Vec<u64> = (0..2 * u64::from(COUNT)).collect();
    for seed in 0..10 {
        let scenario = Scenario { seed, ..on(Links::Any, ranged(4, (1, 3), (0, 10), Reading::Immediate)) };
        for mut link in stream::<S>(&scenario, COUNT) {
            reordered |= link != numbered;
            link.sort_unstable();
            assert_eq!(link, numbered);
        }
    }
    assert!(reordered);
}

#[test]
fn links_of_any_order_do_reorder_on_every_network() {
    any_reorders::<OnRing>();
    any_reorders::<OnBidirectional>();
    any_reorders::<OnComplete>();
}

#[test]
fn a_message_that_fifo_holds_back_still_keeps_to_d_where_it_can() {
    // It never arrives later than the slowest possible one before it: all sent at 0 arrive by d_max.
    for seed in 0..50 {
        let scenario = Scenario { seed, ..ranged(2, (1, 1), (2, 9), Reading::Immediate) };
        let rules = table::<OnRing>(&[(0, On::Wake, &[Send(0, 1), Send(0, 2), Send(0, 3)])]);
        let times = play(&scenario, rules).receipts(1);
        assert!(times.iter().all(|time| (2..=9).contains(time)), "{times:?}");
    }
}

#[test]
fn a_ring_of_one_has_self_loops_and_they_count() {
    let rules = table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)])]);
    let played = play(&scenario(1, 1, 3, Reading::Immediate), rules);
    assert_eq!(played.after_waking(), [(3, 0, Receive(0, 1))]);
    assert_eq!(played.summary.cost.messages(), 1);
    // Right is clockwise: what leaves by the right comes in by the left, also at home.
    let rules = table::<OnBidirectional>(&[(0, On::Wake, &[Send(RIGHT, 1), Send(LEFT, 2)])]);
    let played = play(&scenario(1, 1, 3, Reading::Immediate), rules);
    assert_eq!(played.after_waking(), [(3, 0, Receive(LEFT, 1)), (3, 0, Receive(RIGHT, 2))]);
    assert_eq!(played.summary.cost.messages(), 2);
}

// ---------------------------------------------------------------------------------------------------------------------
// Half-duplex links. The ring has three places, d = 4 and ticks of 1; the link between 0 and 1 is right of 0, left of
// 1.

fn half(n: usize) -> Scenario {
    on(Links::Half, scenario(n, 1, 4, Reading::Immediate))
}

#[test]
fn a_half_duplex_link_carries_one_message_at_a_time() {
    // The second of two waits until the first is delivered at 4.
    let rules = table::<OnBidirectional>(&[(0, On::Wake, &[Send(RIGHT, 1), Send(RIGHT, 2), Send(LEFT, 3)])]);
    let steps = play(&half(3), rules).after_waking();
    assert_eq!(steps, [(4, 1, Receive(LEFT, 1)), (4, 2, Receive(RIGHT, 3)), (8, 1, Receive(LEFT, 2))]);
}

#[test]
fn a_half_duplex_link_carries_one_message_whichever_way() {
    // Place 1 wakes at 1, when place 0's message is on the link: its own leaves at 4 and arrives at 8.
    let scenario = waking(half(3), &[(0, 0), (1, 1)]);
    let rules = table::<OnBidirectional>(&[(0, On::Wake, &[Send(RIGHT, 1)]), (1, On::Wake, &[Send(LEFT, 2)])]);
    assert_eq!(play(&scenario, rules).after_waking(), [(4, 1, Receive(LEFT, 1)), (8, 0, Receive(RIGHT, 2))]);
}

#[test]
fn what_a_receive_step_sends_waits_too() {
    // Place 0 sends two; the first, at 4, is answered, and both the answer and the second want the link.
    let rules = table::<OnBidirectional>(&[
        (0, On::Wake, &[Send(RIGHT, 1), Send(RIGHT, 2)]),
        (1, On::Receive(1), &[Send(LEFT, 3)]),
    ]);
    let mut steps = play(&half(3), rules).after_waking();
    assert_eq!(steps.remove(0), (4, 1, Receive(LEFT, 1)));
    // Which of them goes first is not said.
    assert_eq!([steps[0].0, steps[1].0], [8, 12]);
    steps.sort_unstable_by_key(|(_, place, _)| *place);
    assert_eq!([steps[0].2, steps[1].2], [Receive(RIGHT, 3), Receive(LEFT, 2)]);
}

#[test]
fn both_ends_wait_and_all_get_through_one_by_one() {
    let scenario = waking(half(3), &[(0, 0), (1, 1)]);
    let rules = table::<OnBidirectional>(&[
        (0, On::Wake, &[Send(RIGHT, 1), Send(RIGHT, 2)]),
        (1, On::Wake, &[Send(LEFT, 11), Send(LEFT, 12)]),
    ]);
    let played = play(&scenario, rules);
    let times: Vec<_> = played.after_waking().iter().map(|(time, ..)| *time).collect();
    assert_eq!(times, [4, 8, 12, 16]);
    let words = |place| {
        let own = played.after_waking().into_iter().filter(move |(_, at, _)| *at == place);
        own.map(|(_, _, took)| if let Receive(_, word) = took { word } else { 0 }).collect::<Vec<_>>()
    };
    assert_eq!((words(1), words(0)), (vec![1, 2], vec![11, 12]), "each end keeps its order");
}

#[test]
fn a_timeout_that_would_send_on_a_busy_link_is_taken_when_the_link_falls_free() {
    // Due at 1, the link is busy until 4; then it fires, and its message arrives at 8.
    let rules = table::<OnBidirectional>(&[
        (0, On::Wake, &[Send(RIGHT, 1), Set('a', 1)]),
        (0, On::Timeout('a'), &[Send(RIGHT, 2), Set('b', 1)]),
    ]);
    let played = play(&half(3), rules);
    let expected = [(4, 1, Receive(LEFT, 1)), (4, 0, Timeout('a')), (5, 0, Timeout('b')), (8, 1, Receive(LEFT, 2))];
    assert_eq!(played.after_waking(), expected, "and what else it does, it does then");
    assert_eq!(played.summary.cost.messages(), 2);
    assert_eq!(played.summary.cost.steps, 3 + 4, "three wake, and a step that is not taken is no step");
}

#[test]
fn the_other_end_of_a_busy_link_waits_likewise() {
    // Place 1's timer is due at 1 and would send against the message that comes.
    let rules = table::<OnBidirectional>(&[
        (0, On::Wake, &[Send(RIGHT, 1)]),
        (1, On::Wake, &[Set('a', 1)]),
        (1, On::Timeout('a'), &[Send(LEFT, 2)]),
    ]);
    let expected = [(4, 1, Receive(LEFT, 1)), (4, 1, Timeout('a')), (8, 0, Receive(RIGHT, 2))];
    assert_eq!(play(&half(3), rules).after_waking(), expected);
}

#[test]
fn a_timeout_that_sends_nothing_or_elsewhere_is_taken_at_its_time() {
    let rules = table::<OnBidirectional>(&[
        (0, On::Wake, &[Send(RIGHT, 1), Set('a', 1), Set('b', 2)]),
        (0, On::Timeout('b'), &[Send(LEFT, 2)]),
    ]);
    let expected = [(1, 0, Timeout('a')), (2, 0, Timeout('b')), (4, 1, Receive(LEFT, 1)), (6, 2, Receive(RIGHT, 2))];
    assert_eq!(play(&half(3), rules).after_waking(), expected);
}

#[test]
fn a_timeout_is_taken_whole_or_not_at_all() {
    // It sends left, where the link is free, and right, where it is not until 4: both leave at 4.
    let rules = table::<OnBidirectional>(&[
        (0, On::Wake, &[Send(RIGHT, 1), Set('a', 1)]),
        (0, On::Timeout('a'), &[Send(LEFT, 2), Send(RIGHT, 3)]),
    ]);
    let expected =
        [(4, 1, Receive(LEFT, 1)), (4, 0, Timeout('a')), (8, 1, Receive(LEFT, 3)), (8, 2, Receive(RIGHT, 2))];
    assert_eq!(play(&half(3), rules).after_waking(), expected);
}

#[test]
fn what_waits_at_this_end_goes_before_a_timeout() {
    // Two messages of the waking occupy the link until 8: the timer due at 1 fires then.
    let rules = table::<OnBidirectional>(&[
        (0, On::Wake, &[Send(RIGHT, 1), Send(RIGHT, 2), Set('a', 1)]),
        (0, On::Timeout('a'), &[Send(RIGHT, 3)]),
    ]);
    let played = play(&half(3), rules);
    assert_eq!((played.timeouts(0), played.receipts(1)), (vec![8], vec![4, 8, 12]));
}

#[test]
fn an_untaken_timeout_is_tried_again_when_a_message_arrives() {
    // d = 4 on link 0 (between 0 and 1) and 2 on link 2 (between 2 and 0). At 2 place 0 learns something that makes
    // its timer, due at 1, send nothing: it is taken at 2, though link 0 is busy until 4.
    let mut scenario = on(Links::Half, ranged(3, (1, 1), (2, 4), Reading::Immediate));
    scenario.timing.delays = Delays::List(vec![4, 4, 2]);
    let rules = |reply: &'static [Do]| {
        table::<OnBidirectional>(&[
            (0, On::Wake, &[Send(RIGHT, 1), Set('a', 1)]),
            (2, On::Wake, &[Send(RIGHT, 5)]),
            (0, On::Receive(5), reply),
            (0, On::Timeout('a'), &[SendUnlessTold(RIGHT, 2)]),
        ])
    };
    assert_eq!(play(&scenario, rules(&[BeTold])).timeouts(0), [2]);
    assert_eq!(play(&scenario, rules(&[])).timeouts(0), [4], "tried at 2 in vain");
    // The arrival may replace or cancel a timer that waits: it is pending all the time. Ten ticks from 2 are at 12.
    assert_eq!(play(&scenario, rules(&[Set('a', 10)])).timeouts(0), [12]);
    assert_eq!(play(&scenario, rules(&[Cancel('a')])).timeouts(0), [0u64; 0]);
}

#[test]
fn two_timeouts_that_wait_for_one_link_take_it_one_after_the_other() {
    // Both ends want link 0, which is busy until 4. One gets it at 4, the other at 8; the messages arrive at 8 and 12.
    let rules = table::<OnBidirectional>(&[
        (0, On::Wake, &[Send(RIGHT, 1), Set('a', 1)]),
        (1, On::Wake, &[Set('b', 1)]),
        (0, On::Timeout('a'), &[Send(RIGHT, 2)]),
        (1, On::Timeout('b'), &[Send(LEFT, 3)]),
    ]);
    let played = play(&half(3), rules);
    let times = |wanted: fn(Took) -> bool| {
        played
            .after_waking()
            .into_iter()
            .filter(|(_, _, took)| wanted(*took))
            .map(|(time, ..)| time)
            .collect::<Vec<_>>()
    };
    assert_eq!(times(|took| matches!(took, Timeout(_))), [4, 8]);
    assert_eq!(times(|took| matches!(took, Receive(..))), [4, 8, 12]);
}

#[test]
fn two_timeouts_of_one_place_take_the_link_one_after_the_other() {
    let rules = table::<OnBidirectional>(&[
        (0, On::Wake, &[Set('a', 1), Set('b', 1)]),
        (0, On::Timeout('a'), &[Send(RIGHT, 1)]),
        (0, On::Timeout('b'), &[Send(RIGHT, 2)]),
    ]);
    let played = play(&half(3), rules);
    assert_eq!((played.timeouts(0), played.receipts(1)), (vec![1, 5], vec![5, 9]));
}

/// Place 0 draws a word at its timer and sends it, and another one twenty ticks later. With `messages` before it on the
/// link, the first timer, due at 1, has to wait for it.
fn tossing(messages: usize) -> RuleTable<OnBidirectional> {
    let mut sends = vec![Send(RIGHT, 7); messages];
    sends.push(Set('a', 1));
    table(&[
        (0, On::Wake, &sends),
        (0, On::Timeout('a'), &[Toss(RIGHT, 1_000_000), Set('b', 20)]),
        (0, On::Timeout('b'), &[Toss(RIGHT, 1_000_000)]),
    ])
}

/// The words that came to place 1, without those that were not drawn.
fn drawn(played: &Played) -> Vec<u64> {
    let words = played.after_waking().into_iter().filter_map(|(_, place, took)| match took {
        Receive(_, word) if place == 1 && word != 7 => Some(word),
        _ => None,
    });
    words.collect()
}

#[test]
fn the_coin_of_an_untaken_timeout_is_the_same_when_it_is_taken() {
    // With the link free at 1 the step is taken at once; with it busy until 8 (two messages) it is tried in vain at 1
    // and 4. The word that is drawn and sent is the same, and so is the next one.
    for seed in 0..50 {
        let scenario = Scenario { seed, ..half(3) };
        let (free, busy) = (play(&scenario, tossing(0)), play(&scenario, tossing(2)));
        assert_eq!((free.timeouts(0), busy.timeouts(0)), (vec![1, 21], vec![8, 28]));
        assert_eq!(drawn(&free), drawn(&busy));
    }
}

#[test]
fn a_timeout_that_is_not_taken_uses_up_no_recorded_choice() {
    // Nothing changes by trying: the first word is the first of the list, however often it was tried.
    for messages in 0..4 {
        let played = play_by(&half(3), tossing(messages), Choices::Recorded(vec![417, 23]));
        assert_eq!(drawn(&played), [417, 23]);
    }
}

#[test]
fn a_run_with_untaken_timeouts_replays() {
    // The coin of place 0 at 1 says whether its step has to wait for the link or not. Before it is tried again, others
    // toss theirs.
    let rules = || {
        table::<OnBidirectional>(&[
            (0, On::Wake, &[Send(RIGHT, 7), Set('a', 1)]),
            (0, On::Timeout('a'), &[SendEither(8)]),
            (2, On::Wake, &[Set('b', 2)]),
            (2, On::Timeout('b'), &[SendEither(9)]),
        ])
    };
    let mut waited = 0;
    for seed in 0..50 {
        let scenario = Scenario { seed, ..half(4) };
        let played = play(&scenario, rules());
        waited += usize::from(played.timeouts(0) == [4]);
        let again = play_by(&scenario, rules(), Choices::Recorded(played.choices.clone()));
        assert_eq!(again.steps, played.steps, "seed {seed}");
        assert_eq!(again.summary, played.summary);
        assert_eq!(again.choices, played.choices);
    }
    assert!((5..=45).contains(&waited), "both happen: the step waits with {waited} of 50 seeds");
}

#[test]
fn a_one_way_ring_may_have_half_duplex_links() {
    // Place 0's two messages to place 1 arrive at 4 and 8; the timer due at 1 waits for the link until then.
    let rules =
        table::<OnRing>(&[(0, On::Wake, &[Send(0, 1), Send(0, 2), Set('a', 1)]), (0, On::Timeout('a'), &[Send(0, 3)])]);
    let played = play(&half(3), rules);
    assert_eq!((played.receipts(1), played.timeouts(0)), (vec![4, 8, 12], vec![8]));
}

#[test]
fn a_complete_network_may_have_half_duplex_links() {
    // Place 0's port 0 leads to place 1 and place 1's port 0 to place 0; that is one link, of which one message takes
    // possession at 0 and the other at 4. Place 0's port 1 is another.
    let rules = table::<OnComplete>(&[(0, On::Wake, &[Send(0, 1), Send(1, 2)]), (1, On::Wake, &[Send(0, 3)])]);
    let played = play(&half(3), rules);
    let mut times = [played.receipts(0), played.receipts(1)].concat();
    times.sort_unstable();
    assert_eq!((times, played.receipts(2)), (vec![4, 8], vec![4]));
}

#[test]
fn the_two_links_of_a_bidirectional_ring_of_two_are_two() {
    let rules =
        table::<OnBidirectional>(&[(0, On::Wake, &[Send(LEFT, 1), Send(RIGHT, 2)]), (1, On::Wake, &[Send(LEFT, 3)])]);
    // Right of 0 is left of 1: words 2 and 3 share a link, word 1 has the other for itself.
    let mut times: Vec<Time> = play(&half(2), rules).after_waking().iter().map(|(time, ..)| *time).collect();
    times.sort_unstable();
    assert_eq!(times, [4, 4, 8]);
}

/// With all delays equal to d, two messages that a link never carried together arrive at least d apart.
fn arrivals_on_a_link_are_apart<S: Shape>() {
    let mut arrivals = 0;
    for seed in 0..150 {
        let scenario = Scenario { seed, ..on(Links::Half, scenario(4, 2, 5, Reading::Immediate)) };
        let network = S::Network::new(&scenario);
        let rules = Chatter::<S>::new(&scenario).hops(5);
        let mut run: Simulation<_, Full> = Simulation::new(rules, &scenario, Choices::Drawn).expect("it makes sense");
        run.log();
        to_the_end(&mut run);
        let mut last: BTreeMap<u64, (Time, Place, Port)> = BTreeMap::new();
        for record in run.records() {
            let Event::Receive(port, _) = record.event else { continue };
            // Ports are numbered by the receiver; on a one-way ring the link behind it is that of its neighbour.
            let link = if network.ports(record.place) == 1 {
                (u64::from(record.place) + scenario.n as u64 - 1) % scenario.n as u64
            } else {
                network.link(record.place, port)
            };
            if let Some((before, ..)) = last.insert(link, (record.time, record.place, port)) {
                assert!(record.time >= before + 5, "seed {seed}: link {link} delivers at {before} and {}", record.time);
            }
            arrivals += 1;
        }
        assert_eq!(run.summary().cost.messages(), run.summary().cost.deliveries, "nothing is left waiting");
    }
    assert!(arrivals > 1000, "only {arrivals} arrivals were looked at");
}

#[test]
fn a_half_duplex_link_never_carries_two_messages_on_a_ring() {
    arrivals_on_a_link_are_apart::<OnRing>();
}

#[test]
fn a_half_duplex_link_never_carries_two_messages_on_a_bidirectional_ring() {
    arrivals_on_a_link_are_apart::<OnBidirectional>();
}

#[test]
fn a_half_duplex_link_never_carries_two_messages_on_a_complete_network() {
    arrivals_on_a_link_are_apart::<OnComplete>();
}

// ---------------------------------------------------------------------------------------------------------------------
// Half-duplex links for messages of one phase, on the same ring; the tens of a word are its phase.

fn by_phase(n: usize) -> Scenario {
    on(Links::HalfPhase, scenario(n, 1, 4, Reading::Immediate))
}

#[test]
fn messages_of_different_phases_pass_each_other() {
    let scenario = waking(by_phase(3), &[(0, 0), (1, 1)]);
    let receipts = |answer: &'static [Do]| {
        let rules = table::<OnBidirectional>(&[(0, On::Wake, &[Send(RIGHT, 10)]), (1, On::Wake, answer)]);
        play(&scenario, rules).after_waking()
    };
    // Phase 1 at 0 from place 0; phase 2 at 1 from place 1: both are on the link from 1 to 4.
    let passed = |word| [(4, 1, Receive(LEFT, 10)), (5, 0, Receive(RIGHT, word))];
    assert_eq!(receipts(&[Send(LEFT, 20)]), passed(20));
    // Without a phase likewise; of the same phase, the second waits until 4.
    assert_eq!(receipts(&[Send(LEFT, 3)]), passed(3));
    assert_eq!(receipts(&[Send(LEFT, 11)]), [(4, 1, Receive(LEFT, 10)), (8, 0, Receive(RIGHT, 11))]);
}

#[test]
fn messages_in_one_direction_follow_each_other_in_order() {
    let rules = table::<OnBidirectional>(&[(0, On::Wake, &[Send(RIGHT, 11), Send(RIGHT, 12), Send(RIGHT, 20)])]);
    assert_eq!(play(&by_phase(3), rules).receipts(1), [4, 4, 4]);
    let words: Vec<u64> = (10..16).collect();
    for seed in 0..50 {
        let rules = table::<OnBidirectional>(&[(
            0,
            On::Wake,
            &[Send(RIGHT, 10), Send(RIGHT, 11), Send(RIGHT, 12), Send(RIGHT, 13), Send(RIGHT, 14), Send(RIGHT, 15)],
        )]);
        let scenario = Scenario { seed, ..on(Links::HalfPhase, ranged(3, (1, 1), (1, 9), Reading::Immediate)) };
        let came = play(&scenario, rules).after_waking();
        let came: Vec<u64> = came.iter().map(|step| if let Receive(_, word) = step.2 { word } else { 0 }).collect();
        assert_eq!(came, words, "seed {seed}");
    }
}

#[test]
fn what_follows_a_message_that_waits_waits_behind_it() {
    // At 1 place 1 sends phase 1, which waits until 4, then phase 2, which nothing on the link excludes.
    let scenario = waking(by_phase(3), &[(0, 0), (1, 1)]);
    let rules = table::<OnBidirectional>(&[
        (0, On::Wake, &[Send(RIGHT, 10)]),
        (1, On::Wake, &[Send(LEFT, 11), Send(LEFT, 20)]),
    ]);
    let expected = [(4, 1, Receive(LEFT, 10)), (8, 0, Receive(RIGHT, 11)), (8, 0, Receive(RIGHT, 20))];
    assert_eq!(play(&scenario, rules).after_waking(), expected);
}

#[test]
fn a_timeout_is_taken_unless_its_message_would_wait() {
    // Place 1's timer is due at 1, when a message of phase 1 comes: it sends phase 2 at once, phase 1 only at 4.
    let taken = |sends: &'static [Do]| {
        let rules = table::<OnBidirectional>(&[
            (0, On::Wake, &[Send(RIGHT, 10)]),
            (1, On::Wake, &[Set('a', 1)]),
            (1, On::Timeout('a'), sends),
        ]);
        let played = play(&by_phase(3), rules);
        (played.timeouts(1), played.receipts(0))
    };
    assert_eq!(taken(&[Send(LEFT, 20)]), (vec![1], vec![5]));
    assert_eq!(taken(&[Send(LEFT, 11)]), (vec![4], vec![8]));
}

#[test]
fn a_one_way_ring_may_be_half_duplex_for_messages_of_one_phase() {
    let rules = table::<OnRing>(&[(0, On::Wake, &[Send(0, 11), Send(0, 12)])]);
    assert_eq!(play(&by_phase(3), rules).receipts(1), [4, 4]);
    let rules = table::<OnComplete>(&[(0, On::Wake, &[Send(0, 11), Send(1, 12)]), (1, On::Wake, &[Send(0, 13)])]);
    let played = play(&by_phase(3), rules);
    let mut times = [played.receipts(0), played.receipts(1)].concat();
    times.sort_unstable();
    assert_eq!((times, played.receipts(2)), (vec![4, 8], vec![4]));
}
