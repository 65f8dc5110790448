//! Ricart and Agrawala's lock, as described in Spirakis and Tampakas 1989, 2.1.

use conformance::locks::{SiteEntry, any_scenario, completed_entries, entries, steps};
use conformance::{Draw, assert_bounds, configured, finished, passes, prepared_in, simulated};
use ringleader::model::{Outcome, Reading, Scenario, Value, Workload};
use ringleader::protocols::mutual_exclusion::ricart_agrawala::RicartAgrawala;
use ringleader::sim::{Lean, Verdict};

fn asking(ids: &[u64], workload: Workload) -> Scenario {
    Scenario { n: ids.len(), ids: ids.to_vec(), workload: Some(workload), ..Scenario::default() }
}

fn entry(asked: u64, entered: u64, left: u64) -> SiteEntry {
    SiteEntry { asked, entered, left, negatives: 0 }
}

#[test]
fn every_entry_costs_2_n_1_messages_under_mutual_exclusion() {
    let mut draw = Draw::new(1981);
    let mut total = 0;
    while total < 300_000 {
        let n = draw.size(40) as usize;
        let scenario = any_scenario(&mut draw, n, &Reading::ALL);
        let least = 2 * n as u64 - 1;
        let more = least + draw.below(5);
        let numbers = draw.one_of(&["unbounded".to_string(), least.to_string(), more.to_string()]);
        let mut run = prepared_in::<RicartAgrawala, Lean>(&[("numbers", &numbers)], &scenario).expect("it suits it");
        let summary = finished(&mut run);
        assert_eq!(summary.verdict, Verdict::Held, "numbers={numbers}, {:?} in {scenario:?}", summary.violations);
        let made = entries(&scenario);
        assert_eq!(summary.outcome, Outcome::Entries { entries: made, overlap_max: 1 });
        let each = made * (n as u64 - 1);
        assert_eq!(["request", "reply"].map(|kind| passes(&summary, kind)), [each, each], "{scenario:?}");
        assert_eq!(summary.cost.tally.whole_run.messages_per_entry, Some(Value::int(2 * (n as u128 - 1))));
        assert_bounds(&run, &scenario);
        total += made;
    }
}

#[test]
fn one_alone_enters_at_once() {
    let scenario = asking(&[7], Workload { entries: 2, ..Workload::new(1) });
    let mut run = simulated("ricart-agrawala", &[], &scenario);
    // Inside for 10 steps, and again.
    assert_eq!(completed_entries(&steps(&mut *run), 1), [[entry(0, 0, 10), entry(10, 10, 20)]]);
    assert_eq!(run.summary().cost.messages(), 0);
}

#[test]
fn of_two_with_the_same_number_the_smaller_identity_goes_first_and_they_take_turns() {
    let scenario = asking(&[2, 1], Workload { entries: 2, ..Workload::new(2) });
    let mut run = simulated("ricart-agrawala", &[], &scenario);
    // Both ask at 0 with number 1; 2 replies at 1, and 1 enters at 2. At 12 it leaves, replies, and asks with 2.
    // 2 enters at 13 and leaves at 23: 1 enters at 24. And so on.
    let expected = [vec![entry(0, 13, 23), entry(23, 35, 45)], vec![entry(0, 2, 12), entry(12, 24, 34)]];
    assert_eq!(completed_entries(&steps(&mut *run), 2), expected);
    assert_eq!(run.summary().cost.messages(), 8);
}

#[test]
fn a_number_takes_its_length_and_wraps_where_it_is_bounded() {
    let alone = Workload { entries: 7, compete: 1, ..Workload::new(2) };
    let bits = |numbers| {
        let scenario = asking(&[1, 2], alone.clone());
        finished(&mut *simulated("ricart-agrawala", &[("numbers", numbers)], &scenario)).cost.bits
    };
    // Seven requests of 1 tag bit, the number and an identity of 1 bit; seven replies of 1 bit.
    assert_eq!(bits("unbounded"), 7 * 3 + (1 + 2 + 2 + 3 + 3 + 3 + 3));
    // 1, 2, 0, 1, 2, 0, 1
    assert_eq!(bits("3"), 7 * 3 + (1 + 2 + 1 + 1 + 2 + 1 + 1));
}

#[test]
fn fewer_than_2n_1_numbers_are_refused() {
    let scenario = asking(&[1, 2, 3], Workload::new(3));
    let refused = |numbers| configured::<RicartAgrawala>(&[("numbers", numbers)], &scenario).err().map(|bad| bad.field);
    assert_eq!(["4", "0", "some"].map(refused), [Some("set"); 3]);
    assert_eq!(refused("5"), None);
}

fn shared(ids: &[u64], readers: usize, workload: Workload) -> Scenario {
    asking(ids, Workload { readers, writers: ids.len() - readers, ..workload })
}

#[test]
fn readers_reply_to_readers_at_once_and_a_writer_waits_for_both() {
    let scenario = shared(&[1, 2, 3], 2, Workload { entries: 1, ..Workload::new(3) });
    let mut run = simulated("ricart-agrawala", &[], &scenario);
    // All ask at 0 with number 1, and have all requests at 1. The readers 1 and 2 reply to each other, though 1 has priority, and
    // defer the reply to 3, which replies to both: they enter at 2, leave at 12 and reply; 3 enters at 13.
    let expected = [vec![entry(0, 2, 12)], vec![entry(0, 2, 12)], vec![entry(0, 13, 23)]];
    assert_eq!(completed_entries(&steps(&mut *run), 3), expected);
    let summary = run.summary();
    assert_eq!(summary.outcome, Outcome::Entries { entries: 3, overlap_max: 1 });
    // Requests: tag, number, identity of 1, 2 and 2 bits, role: 1 + 1 + 2 + … as a number takes; replies take the tag.
    assert_eq!(["request", "reply"].map(|kind| passes(&summary, kind)), [6, 6]);
    let without = finished(&mut *simulated("ricart-agrawala", &[], &asking(&[1, 2, 3], Workload::new(3)))).cost;
    let with = finished(&mut *simulated("ricart-agrawala", &[], &shared(&[1, 2, 3], 0, Workload::new(3)))).cost;
    assert_eq!(
        (with.messages(), with.bits),
        (without.messages(), without.bits + 20 * 6),
        "a role is one bit of a request"
    );
}

#[test]
fn readers_and_writers_cost_2_n_1_messages_an_entry_and_keep_what_is_promised() {
    let mut draw = Draw::new(1971);
    let mut total = 0;
    while total < 200_000 {
        let n = draw.size(24) as usize;
        let readers = draw.below(n as u64 + 1) as usize;
        let mut scenario = any_scenario(&mut draw, n, &Reading::ALL);
        if let Some(load) = &mut scenario.workload {
            (load.readers, load.writers) = (readers, n - readers);
        }
        let numbers = if readers < 2 { (2 * n - 1).to_string() } else { "unbounded".to_string() };
        let mut run = prepared_in::<RicartAgrawala, Lean>(&[("numbers", &numbers)], &scenario).expect("it suits it");
        let summary = finished(&mut run);
        assert_eq!(summary.verdict, Verdict::Held, "{readers} readers, {:?} in {scenario:?}", summary.violations);
        let made = entries(&scenario);
        assert_eq!(summary.outcome, Outcome::Entries { entries: made, overlap_max: 1 });
        assert_eq!(["request", "reply"].map(|kind| passes(&summary, kind)), [made * (n as u64 - 1); 2]);
        assert_bounds(&run, &scenario);
        total += made;
    }
}

/// A writer is not starved by readers: each of them goes before it once at most after it has asked.
#[test]
fn later_readers_do_not_overtake_a_writer() {
    // Delays of 1: the writer at place 9 asks at 500, when readers enter all the time, and is inside when those have left that had
    // asked before 501 (3d + (N-1)(hold + d), where N-1 are at the same time inside: 3 + 10 + 1).
    let load = Workload { entries: 200, ..Workload::new(10) };
    let mut scenario = shared(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 9, load);
    scenario.wakes =
        ringleader::model::Wakes::At((0..10).map(|place| Some(if place == 9 { 500 } else { place })).collect());
    let mut run = simulated("ricart-agrawala", &[], &scenario);
    let completed = completed_entries(&steps(&mut *run), 10);
    let longest = completed[9].iter().map(|entry| entry.entered - entry.asked).max();
    assert!(longest <= Some(3 + 2 * (10 + 1)), "{longest:?}");
    assert_eq!(completed[9].len(), 200);
}

#[test]
fn numbers_of_readers_run_apart_and_are_not_kept_modulo_m() {
    // One reader is inside for long, while the other enters again and again.
    let spread = |seed| {
        let line = format!("ricart-agrawala --readers 2 --writers 1 --hold 1..1000 --entries 30 --seed {seed}");
        conformance::Played::of(&line).summary.cost.tally.number_spread
    };
    assert!((0..20).filter_map(spread).max() > Some(2), "N-1 is 2");
    let refused = |readers, numbers| {
        let scenario = shared(&[1, 2, 3], readers, Workload::new(3));
        configured::<RicartAgrawala>(&[("numbers", numbers)], &scenario).err().map(|bad| bad.wrong)
    };
    assert_eq!(refused(1, "5"), None);
    assert_eq!(refused(2, "5").as_deref(), Some("numbers=5 with 2 readers: theirs run apart"));
}
