//! Spirakis and Tampakas's lock for readers and writers (1989, section 3.1). What it shares with the lock, and the comparison
//! with the reference, are in `spirakis_tampakas_mutex.rs`.

use conformance::locks::{SiteEntry, any_scenario, completed_entries, crashing, entries};
use conformance::{Draw, Played, assert_bounds, assert_refused, finished, passes, prepared_in, set_up};
use ringleader::model::{Outcome, Reading, Scenario};
use ringleader::protocols::mutual_exclusion::archimedean_lock::Ask;
use ringleader::protocols::readers_writers::spirakis_tampakas::SpirakisTampakasReadersWriters;
use ringleader::sim::{Effect, Full, Lean, Run, Simulation, Verdict};

const READINGS: [Reading; 2] = [Reading::Immediate, Reading::PerStep];

fn shared(draw: &mut Draw, n: usize) -> Scenario {
    let mut scenario = any_scenario(draw, n, &READINGS);
    let writers = draw.between(0, n as u64) as usize;
    if let Some(load) = &mut scenario.workload {
        (load.readers, load.writers) = (n - writers, writers);
    }
    scenario
}

fn run(set: &[(&str, &str)], scenario: &Scenario) -> Simulation<SpirakisTampakasReadersWriters, Lean> {
    prepared_in(set, scenario).expect("it suits it")
}

#[test]
fn writers_exclude_everybody_and_entries_cost_requests_and_pairs_of_replies() {
    let mut draw = Draw::new(31);
    let mut total = 0;
    while total < 300_000 {
        let n = draw.size(24) as usize;
        let scenario = shared(&mut draw, n);
        let predict = draw.one_of(&["previous", "n"]);
        let mut run = run(&[("predict", predict), ("c1", draw.one_of(&["0", "2", "round"]))], &scenario);
        let summary = finished(&mut run);
        assert_eq!(summary.verdict, Verdict::Held, "{:?} in {scenario:?}", summary.violations);
        let made = entries(&scenario);
        assert_eq!(summary.outcome, Outcome::Entries { entries: made, overlap_max: 1 }, "{scenario:?}");
        assert_eq!(passes(&summary, "request"), made * (n as u64 - 1), "{scenario:?}");
        assert_eq!(passes(&summary, "negative"), passes(&summary, "positive"), "{scenario:?}");
        assert_bounds(&run, &scenario);
        total += made;
    }
}

#[test]
fn readers_alone_never_answer() {
    let mut draw = Draw::new(5);
    for _ in 0..300 {
        let n = draw.size(12) as usize;
        let mut scenario = shared(&mut draw, n);
        if let Some(load) = &mut scenario.workload {
            (load.readers, load.writers) = (n, 0);
        }
        let summary = finished(&mut run(&[], &scenario));
        assert_eq!(summary.cost.messages(), entries(&scenario) * (n as u64 - 1));
    }
}

#[test]
fn probes_keep_progress_under_crashes() {
    let mut draw = Draw::new(6);
    for _ in 0..4000 {
        let n = draw.between(2, 6) as usize;
        let mut scenario = shared(&mut draw, n);
        if let Some(load) = &mut scenario.workload {
            load.entries = draw.between(1, 6);
        }
        let probe = [("crash", "probe")];
        let end = finished(&mut run(&probe, &scenario)).cost.time;
        let scenario = crashing(&mut draw, &scenario, end);
        let summary = finished(&mut run(&probe, &scenario));
        assert_eq!((&summary.violations, summary.finished), (&vec![], true), "{scenario:?}");
    }
}

fn logged(line: &str) -> Played {
    Played::logged(&format!("spirakis-tampakas-readers-writers {line}"))
}

#[test]
fn two_readers_are_inside_together_and_the_writer_after_them() {
    // All draw 1 at 10 and read the others' at 11. The readers, 1 and 2, refuse the writer, 3, and not each other.
    let mut run = logged("--ids 1,2,3 --r 1 --d 1 --entries 1");
    let reader = SiteEntry { asked: 0, entered: 14, left: 24, negatives: 0 };
    let writer = SiteEntry { asked: 0, entered: 25, left: 35, negatives: 2 };
    assert_eq!(completed_entries(&run.execution.run.take_log(), 3), [[reader], [reader], [writer]]);
    assert_eq!(run.summary.outcome, Outcome::Entries { entries: 3, overlap_max: 1 });
    assert_eq!(run.summary.cost.messages(), 3 * 2 + 2 * 2);
    // A request has a tag of 2 bits, a number and an identity, and 1 bit for the role; a reply a tag and a number.
    assert_eq!(run.summary.cost.bits, (2 + 1 + 1) * 6 + 2 * (1 + 2 + 2) + 4 * 3);
}

#[test]
fn as_printed_a_reader_and_a_writer_overlap() {
    // As two sites of the lock do: the reader takes number 1 in its sleep, unknown to the writer.
    let line = "--ids 1,2 --wake-at 2,0 --r 1 --d 1 --entries 1";
    let printed = logged(&format!("{line} --set rules=printed"));
    assert_eq!(printed.summary.outcome, Outcome::Entries { entries: 2, overlap_max: 2 });
    assert_eq!(logged(line).summary.verdict, Verdict::Held);
    // Two readers may.
    let readers = logged(&format!("{line} --readers 2 --writers 0 --set rules=printed"));
    assert_eq!(readers.summary.verdict, Verdict::Held);
}

#[test]
fn numbers_of_readers_cannot_be_bounded() {
    // With steps of 1 and 9, one reader is inside once while the other enters again and again.
    let setup = set_up(
        "spirakis-tampakas-readers-writers --ids 1,2 --readers 2 --writers 0 --clocks list:1,9 --d 0 --hold 1000 --entries 9",
    );
    let mut run = prepared_in::<SpirakisTampakasReadersWriters, Full>(&[], &setup.scenario).expect("it suits");
    run.log();
    finished(&mut run);
    let mut sent = [const { Vec::new() }; 2];
    for record in run.records() {
        for effect in &record.effects {
            if let Effect::Send(_, Ask::Request { osn, .. }) = effect {
                sent[record.place as usize].push((record.time, *osn));
            }
        }
    }
    let slow = completed_entries(&run.take_log(), 2)[1][0];
    let own = sent[1][0].1;
    let furthest = sent[0].iter().filter(|(time, _)| *time < slow.left).map(|(_, osn)| *osn).max().expect("some");
    assert!(furthest > own + 2, "2N-1 = 3 numbers would not tell {furthest} from {own}");
}

#[test]
fn bounded_numbers_and_bit_serial_reading_are_refused() {
    assert_refused("spirakis-tampakas-readers-writers -n 3 --set numbers=5", "set");
    assert_refused("spirakis-tampakas-readers-writers -n 3 --reading bit-serial", "reading");
}

#[test]
fn one_alone_reads_or_writes() {
    for sites in ["--readers 1 --writers 0", "--readers 0 --writers 1"] {
        let mut run = logged(&format!("-n 1 {sites} --r 1 --d 1 --entries 1"));
        let entry = SiteEntry { asked: 0, entered: 14, left: 24, negatives: 0 };
        assert_eq!(completed_entries(&run.execution.run.take_log(), 1), [[entry]]);
    }
}
