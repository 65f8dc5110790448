//! Acknowledge, time out and send again: what a lossy link costs, and what is elected, locked and read above it.

use std::collections::BTreeSet;

use conformance::stop_and_wait::audit;
use conformance::{Draw, Played, assert_refused, configured, entry};
use ringleader::catalogue;
use ringleader::check::{CheckSetup, Total, survey};
use ringleader::model::{
    AtMost, Complete, Description, Faults, Links, MutualExclusion, Part, Scenario, Value, Workload,
};
use ringleader::protocols::election::tasks::AnyProtocol;
use ringleader::protocols::mutual_exclusion::ricart_agrawala::RicartAgrawala;
use ringleader::protocols::retransmission::Retransmitting;
use ringleader::sim::Verdict;
use ringleader_check::{CheckVerdict, Effort, Wakers};
use ringleader_cli::check_of;

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

/// Every frame of a run, one by one, against stop and wait written down a second time.
#[test]
fn every_frame_follows_stop_and_wait() {
    let mut draw = Draw::new(53);
    let worlds = [
        "chang-roberts -n 5",
        "franklin -n 4",
        "all-to-all -n 3 --links any",
        "vitanyi -n 3 --then token",
        "ricart-agrawala -n 3 --entries 3",
        "ricart-agrawala -n 3 --entries 3 --links fifo",
        "lamport-readers-writers -n 3 --entries 2 --set waits=none",
    ];
    for world in worlds {
        for faults in ["loss:1/4,duplicate:1/4", "loss:1/2", "duplicate:1/2", "cut:0-1@1..30"] {
            for _ in 0..5 {
                let (ticks, seed) = (draw.between(1, 9), draw.below(1 << 40));
                audit(&format!("{world} --d 0..5 --faults {faults} --retransmit {ticks} --seed {seed}"));
            }
        }
        audit(&format!("{world} --timing untimed --faults loss:3,duplicate:2,cut:2 --retransmit 1"));
    }
}

/// Locks, readers and writers, over links of either kind. Without the layer they stop, or somebody enters too early.
#[test]
fn sites_enter_over_links_that_lose_and_duplicate() {
    let mut draw = Draw::new(54);
    let worlds = [
        "ricart-agrawala -n 4 --entries 5",
        "ricart-agrawala -n 4 --entries 5 --links fifo",
        "lamport-readers-writers -n 3 --entries 3 --set waits=none --set digits=8",
    ];
    for world in worlds {
        let mut stopped = 0;
        for _ in 0..30 {
            let seed = draw.below(1 << 40);
            let line = format!("{world} --seed {seed} --d 0..9 --r 1..3 --faults loss:1/3,duplicate:1/4");
            let ticks = draw.between(1, 30);
            let played = Played::of(&format!("{line} --retransmit {ticks}"));
            assert_eq!(
                played.summary.verdict,
                Verdict::Held,
                "{line} --retransmit {ticks}: {:?}",
                played.summary.violations
            );
            stopped += u32::from(Played::of(&format!("{line} --max-messages 9000")).summary.verdict != Verdict::Held);
        }
        assert!(stopped > 25, "{world}: without the layer {stopped} of 30 fail");
    }
}

/// 2(N-1) messages an entry, each sent 1/(1-p)² times on average.
#[test]
fn an_entry_costs_what_its_messages_cost() {
    for (part, whole) in [(1u32, 10u32), (1, 4), (1, 2)] {
        let (n, entries, runs) = (4u64, 10u64, 10);
        let (mut copies, mut acknowledged) = (0, 0);
        for seed in 0..runs {
            let line = format!(
                "ricart-agrawala -n {n} --entries {entries} --faults loss:{part}/{whole} --retransmit 6 --seed {seed}"
            );
            let played = Played::of(&line);
            assert_eq!(played.summary.cost.part(Part::Work), 2 * (n - 1) * n * entries, "{line}");
            (copies, acknowledged) = (copies + played.passes(COPIES), acknowledged + played.passes(ACKNOWLEDGEMENTS));
        }
        let (messages, arrives) =
            ((2 * (n - 1) * n * entries * runs) as f64, f64::from(whole - part) / f64::from(whole));
        let fails = 1.0 - arrives * arrives;
        let deviation = (messages * fails).sqrt() / (1.0 - fails);
        let expected = messages * (1.0 / (arrives * arrives) - 1.0);
        assert!((copies as f64 - expected).abs() < 5.0 * deviation, "{part}/{whole}: {copies}, {expected} expected");
        let expected = messages / arrives;
        assert!((acknowledged as f64 - expected).abs() < 5.0 * deviation, "{acknowledged}, {expected} expected");
    }
}

/// By hand, with unit delays, a timer of 4 ticks, and losses of what is sent at 0: the requests of 1 and 2. Both ask at 0; 1 goes
/// first and stays for 1.
///
/// *None is lost*: 2 replies at 1, but its request is acknowledged at 2, and the reply is sent then. 1 is inside from 3 to 4, 2
/// from 5 to 6. *That of 1*: it comes in at 5; the request of 2 is acknowledged, so that 1 is inside from 6 to 7, 2 from 8 to 9.
/// *That of 2*: its reply to 1 waits for the request, sent again at 4 and acknowledged at 6. 1 is inside from 7 to 8, 2 from 9 to
/// 10. *Both*: the request of 1 comes in at 5, and again the reply waits until 6.
#[test]
fn a_reply_waits_for_a_request_that_was_lost() {
    let mut seen = BTreeSet::new();
    for seed in 0..200 {
        let line = format!(
            "ricart-agrawala --ids 1,2 --entries 1 --hold 1 --links fifo --faults loss:1/2,until:1 --retransmit 4 --seed {seed}"
        );
        let played = Played::of(&line);
        assert_eq!((played.passes("request"), played.passes("reply")), (2, 2), "{line}");
        seen.insert((played.passes(COPIES), played.summary.cost.time));
    }
    assert_eq!(seen, BTreeSet::from([(0, 6), (1, 9), (1, 10), (2, 10)]));
}

/// By hand: r = d = 1, so that a message is acknowledged within R = 4. 6 R = 24 without losses; with a cut of 20 and a timer of 10
/// it is 7 R + 20 + 10 = 58. The window is 2 d_max + 2 r_max.
#[test]
fn a_lock_is_configured_for_the_longest_delay_of_the_links() {
    let figures = |faults: &str| {
        let line = format!("spirakis-tampakas-mutex -n 2 --r 1 --d 1 --retransmit 10{faults}");
        let facts = Played::of(&line).setup.facts;
        ["d_max", "window"].map(|symbol| facts.figures.iter().find(|figure| figure.symbol == symbol).unwrap().value)
    };
    assert_eq!(figures(""), [24, 50].map(Value::int));
    assert_eq!(figures(" --faults cut:0-1@5..25"), [58, 118].map(Value::int));
    assert_eq!(figures(" --faults loss:1/2,until:20"), [58, 118].map(Value::int));
}

/// Silence means consent: where messages are lost two sites are inside together. With the layer no delay exceeds the one that
/// the window is made for, whatever the outage.
#[test]
fn silence_means_consent_only_where_no_message_is_late() {
    let mut draw = Draw::new(55);
    for world in
        ["spirakis-tampakas-mutex -n 3 --entries 8", "spirakis-tampakas-readers-writers -n 3 --entries 8 --writers 2"]
    {
        let mut overlaps = 0;
        for _ in 0..30 {
            let (from, length) = (draw.below(900), draw.between(1, 3000));
            let outage = draw.one_of(&["cut:0-1@FROM..TO", "cut:0-1@FROM..TO,cut:2-1@FROM..TO", "loss:2/3,until:TO"]);
            let outage = outage.replace("FROM", &from.to_string()).replace("TO", &(from + length).to_string());
            let (seed, ticks) = (draw.below(1 << 40), draw.between(1, 40));
            let line = format!("{world} --set c1=1 --seed {seed} --faults {outage}");
            let played = Played::of(&format!("{line} --retransmit {ticks}"));
            assert_eq!(
                played.summary.verdict,
                Verdict::Held,
                "{line} --retransmit {ticks}: {:?}",
                played.summary.violations
            );
            let exceeded = played.setup.is_exceeded(&played.summary);
            assert!(!exceeded, "{line} --retransmit {ticks}");
            overlaps += u32::from(Played::of(&line).summary.verdict == Verdict::Violated);
        }
        assert!(overlaps > 10, "{world}: without the layer {overlaps} of 30 fail");
    }
}

/// What is explored for a line behind `ringleader check`: the verdict, and the number of states.
fn explored(line: &str) -> (CheckVerdict, u64) {
    let (protocol, options) = check_of(line.split(' ')).unwrap_or_else(|error| panic!("{line}: {error}"));
    let setup = CheckSetup::new(entry(&protocol), &options).unwrap_or_else(|bad| panic!("{line}: {bad}"));
    let survey = survey(&setup, &()).unwrap_or_else(|error| panic!("{line}: {error}"));
    (Total::new(&setup, &survey).verdict(), survey.found.iter().map(|found| found.progress.states).sum())
}

/// A cut ends sometime, and what was lost is sent again. Without the layer it is lost.
#[test]
fn what_a_cut_loses_is_sent_again() {
    for line in ["chang-roberts -n 2 --faults cut:1", "ricart-agrawala -n 2 --links fifo --faults cut:1"] {
        assert_eq!(explored(line).0, CheckVerdict::Violated, "{line}");
        assert_eq!(explored(&format!("{line} --retransmit 3")).0, CheckVerdict::Holds, "{line}");
    }
    let held = Played::replayed("ricart-agrawala -n 3 --entries 5 --faults cut:0-1@1..40 --retransmit 4").summary;
    assert_eq!(held.verdict, Verdict::Held);
}

/// A restart loses what the protocol forgets, and nothing on links: the verdict is that over links without faults.
#[test]
fn a_restart_loses_no_message() {
    for (line, verdict) in [
        ("chang-roberts -n 2 --faults restart:1", CheckVerdict::Violated),
        ("ricart-agrawala -n 2 --links fifo --faults restart:1", CheckVerdict::Violated),
    ] {
        assert_eq!(explored(line).0, verdict, "{line}");
        assert_eq!(explored(&format!("{line} --retransmit 3")).0, verdict, "{line} --retransmit 3");
    }
    // The greatest identity is at place 3: it is elected whenever it restarts, and no message after that is taken for a copy.
    for time in 1..=7 {
        let line = format!("lelann --ids 1,2,3,4 --faults restart:3@{time} --retransmit 4");
        assert_eq!(Played::replayed(&line).summary.verdict, Verdict::Held, "{line}");
    }
    // Place 1 is down from 1 to 9: the candidate 2 comes in at 1, and is sent again.
    let line = "chang-roberts --ids 2,1 --wake-at 0,- --faults crash:1@1,restart:1@9";
    assert_ne!(Played::of(line).summary.verdict, Verdict::Held, "it is lost");
    assert_eq!(Played::replayed(&format!("{line} --retransmit 4")).summary.verdict, Verdict::Held);
}

/// Messages to a processor that is down for good are not sent without end.
#[test]
fn a_run_ends_where_nobody_acknowledges() {
    for line in [
        "lelann -n 4 --faults crash:1@1",
        "ricart-agrawala -n 3 --faults crash:1@5",
        "ricart-agrawala -n 3 --timing untimed --faults crash:1,cut:1",
        "chang-roberts -n 3 --timing untimed --faults crash:2,loss:1",
    ] {
        for seed in 0..20 {
            let played = Played::replayed(&format!("{line} --retransmit 4 --seed {seed} --max-messages 100000"));
            assert!(played.summary.cost.messages() < 10_000, "{line} --seed {seed}");
        }
    }
    let (verdict, _) = explored("chang-roberts -n 2 --faults crash:1 --retransmit 3");
    assert_eq!(verdict, CheckVerdict::Violated, "who is left waits in a deadlock");
}

/// An alternating bit on links that do not keep the order: a copy of a request, with the bit of the next one, makes the other
/// site reply twice. Numbers tell it apart.
#[test]
fn a_bit_is_not_enough_where_messages_overtake_each_other() {
    let faults = Faults { at_most: AtMost { losses: 1, ..AtMost::default() }, ..Faults::default() };
    let workload = Some(Workload { entries: 2, ..Workload::new(2) });
    let scenario = Scenario {
        n: 2,
        ids: vec![1, 2],
        workload,
        links: Links::Any,
        faults,
        retransmit: Some(3),
        untimed: true,
        ..Scenario::default()
    };
    type Erased = AnyProtocol<MutualExclusion, Complete>;
    let lock = || Erased::new(configured::<RicartAgrawala>(&[], &scenario).expect("it suits it"));
    let effort = Effort { states: 3_000_000, ..Effort::default() };
    let check = |linked: Retransmitting<Erased>| {
        ringleader_check::check(linked, &scenario, &Wakers::Anybody, &effort, &mut |_| true)
            .expect("it can be explored")
    };
    let bit = check(Retransmitting::new(lock(), 3, &scenario).alternating());
    let violated = bit.judgements.iter().find(|judgement| judgement.verdict == CheckVerdict::Violated);
    assert!(violated.is_some(), "{:?}", bit.judgements);
    let numbers = check(Retransmitting::new(lock(), 3, &scenario));
    assert!(numbers.judgements.iter().all(|judgement| judgement.verdict != CheckVerdict::Violated));
}

#[test]
fn what_the_layer_does_not_suit_is_refused() {
    for line in [
        "token-ring -n 3 --retransmit 4",
        "spirakis-tampakas-symmetry -n 3 --retransmit 4",
        "time-slice -n 3 --retransmit 4",
        "ricart-agrawala -n 3 --links half --retransmit 4",
        "spirakis-tampakas-mutex -n 3 --faults loss:1/4 --retransmit 4",
        "spirakis-tampakas-mutex -n 3 --faults restart:1@9 --retransmit 4",
        "spirakis-tampakas-mutex -n 3 --faults cut:0-1@1..999999999999999999 --retransmit 4",
    ] {
        assert_refused(line, "retransmit");
    }
}

/// A link that stays cut loses all that is sent over it, again and again: --max-messages counts what is lost, too.
#[test]
fn a_run_that_loses_everything_stops_at_the_limit() {
    let line = "lelann -n 4 --faults cut:0-1@0..999999999 --retransmit 3 --max-messages 1000";
    let cost = Played::replayed(line).summary.cost;
    assert_eq!(cost.deliveries + cost.lost, 1000);
    assert!(cost.lost > 900 && cost.messages() >= 1000, "{cost:?}");
}
