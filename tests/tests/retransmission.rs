//! Acknowledge, time out and send again: what a lossy link costs, and what is elected above it.

use std::collections::BTreeSet;

use conformance::{Draw, Played};
use ringleader::catalogue;
use ringleader::model::{Description, Part};
use ringleader::sim::Verdict;

const COPIES: &str = "retransmission";
const ACKNOWLEDGEMENTS: &str = "acknowledgement";

/// The elections that need no rounds.
fn elections() -> impl Iterator<Item = &'static Description> {
    let elections = catalogue().iter().filter(|entry| entry.has_tasks());
    elections.map(|entry| entry.description()).filter(|description| !description.assumptions.compulsory)
}

/// Some processors, and a seed.
fn world(description: &Description, draw: &mut Draw) -> String {
    let n = draw.between(1, 9);
    let line = format!("{} -n {n} --seed {}", description.name, draw.below(1 << 40));
    if draw.once_in(2) { format!("{line} --r 1..2 --d 0..7") } else { line }
}

/// Messages that are lost or duplicated are sent again and dropped, whatever the election and its timer, which may be
/// far too short.
#[test]
fn every_election_succeeds_over_links_that_lose_and_duplicate() {
    let mut draw = Draw::new(51);
    for description in elections() {
        let mut died = 0;
        for _ in 0..40 {
            let world = world(description, &mut draw);
            let ticks = draw.between(1, 30);
            let faults = "--faults loss:1/3,duplicate:1/4";
            let played = Played::of(&format!("{world} {faults} --retransmit {ticks}"));
            assert_eq!(played.summary.verdict, Verdict::Held, "{world} --retransmit {ticks}");
            died += u32::from(
                Played::of(&format!("{world} {faults} --max-messages 5000")).summary.verdict != Verdict::Held,
            );
        }
        assert!(died > 10, "{}: without the layer {died} of 40 fail", description.name);
    }
}

/// On links that lose nothing, with a timer that is long enough, an election sends what it sends without the layer, and as
/// many acknowledgements.
#[test]
fn nothing_is_sent_again_over_reliable_links() {
    for description in elections() {
        for n in [1, 2, 5] {
            let alone = Played::of(&format!("{} -n {n}", description.name));
            let linked = Played::of(&format!("{} -n {n} --retransmit 20", description.name));
            // One message at a time on each link: where order matters, other messages may be sent.
            let messages = linked.summary.cost.part(Part::Work) + linked.summary.cost.part(Part::Announcement);
            assert_eq!((linked.passes(COPIES), linked.passes(ACKNOWLEDGEMENTS)), (0, messages), "{}", description.name);
            assert_eq!(linked.summary.verdict, alone.summary.verdict, "{}", description.name);
        }
    }
    // Chang and Roberts', where the order on a link is the order of sending.
    let [alone, linked] =
        ["", " --retransmit 20"].map(|more| Played::of(&format!("chang-roberts --ids 3,1,4,2{more}")));
    assert_eq!(alone.summary.cost.split(false), linked.summary.cost.split(false));
}

/// Le Lann's N² messages, each lost with probability p, and its acknowledgement likewise: 1/(1-p)² transmissions of each on
/// average, of which 1 - p arrive. The number of copies of a message is geometric, with variance q/(1-q)², q = 1 - (1-p)²:
/// the sum over all is within five standard deviations.
#[test]
fn a_message_is_sent_once_over_one_minus_p_squared_times() {
    for (part, whole) in [(1u32, 10u32), (1, 4), (1, 2)] {
        let (n, runs) = (12u64, 40);
        let (mut copies, mut acknowledged) = (0, 0);
        for seed in 0..runs {
            let line = format!("lelann -n {n} --faults loss:{part}/{whole} --retransmit 6 --seed {seed}");
            let played = Played::of(&line);
            copies += played.passes(COPIES);
            acknowledged += played.passes(ACKNOWLEDGEMENTS);
        }
        let (messages, arrives) = ((n * n * runs) as f64, f64::from(whole - part) / f64::from(whole));
        let fails = 1.0 - arrives * arrives;
        let expected = messages * (1.0 / (arrives * arrives) - 1.0);
        let deviation = (messages * fails).sqrt() / (1.0 - fails);
        assert!((copies as f64 - expected).abs() < 5.0 * deviation, "{part}/{whole}: {copies}, {expected} expected");
        // Of all transmissions 1 - p arrive, with a variance of p (1-p) each, beside that of their number.
        let expected = messages / arrives;
        assert!((acknowledged as f64 - expected).abs() < 5.0 * deviation, "{acknowledged}, {expected} expected");
    }
}

/// By hand, with unit delays and a timer of 4 ticks. Losses end at 1: of the candidates 2 and 1, sent at 0, either may be
/// lost. Place 1 sends 2 on when its own candidate is acknowledged: at 2, or at 6 if it was sent again at 4. If 2 alone was
/// lost, it comes in at 5 and is sent on at once. It is back, and elected, one later.
#[test]
fn a_timer_of_four_ticks_sends_again_at_four() {
    let mut seen = BTreeSet::new();
    for seed in 0..200 {
        let line = format!("chang-roberts --ids 2,1 --faults loss:1/2,until:1 --retransmit 4 --seed {seed}");
        let played = Played::of(&line);
        let cost = &played.summary.cost;
        // 2 goes around in two passes, 1 is discarded; the announcement takes two passes.
        assert_eq!(cost.split(false) + cost.split(true), 5, "{line}");
        seen.insert((played.passes(COPIES), cost.time_elected));
    }
    let expected = [(0, Some(3)), (1, Some(6)), (1, Some(7)), (2, Some(7))];
    assert_eq!(seen, BTreeSet::from(expected), "neither, 2, 1, or both are lost");
}

#[test]
fn tasks_succeed_over_links_that_lose() {
    let mut draw = Draw::new(52);
    for task in ["ring-size", "ring-sort", "broadcast", "transfer", "token"] {
        for election in ["chang-roberts", "franklin"] {
            for _ in 0..20 {
                let (n, seed) = (draw.between(1, 8), draw.below(1 << 40));
                let line = format!("{election} -n {n} --seed {seed} --then {task} --faults loss:1/3 --retransmit 9");
                assert_eq!(Played::of(&line).summary.verdict, Verdict::Held, "{line}");
            }
        }
    }
}
