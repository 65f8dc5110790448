//! Lamport's readers and writer where R is not W, and the overlapping writes that a reader finds, against the moments at which
//! cells are read and written.

use conformance::{Played, assert_refused, prepared_in};
use ringleader::model::{DataReport, Event, Scenario, Workload};
use ringleader::protocols::readers_writers::lamport::{Access, Lamport};
use ringleader::sim::{Effect, Full, Run, Simulation, Verdict};

/// Attempts per read in the window, and how many standard errors of the mean of several runs.
fn attempts(line: &str, runs: u64) -> (f64, f64) {
    let sample: Vec<f64> = (0..runs)
        .map(|seed| {
            let played = Played::of(&format!("{line} --seed {seed}"));
            assert_eq!(played.summary.verdict, Verdict::Held, "{line}");
            let (whole, fraction) = played.summary.cost.tally.attempts.expect("there were reads").parts();
            whole as f64 + f64::from(fraction) / 2f64.powi(32)
        })
        .collect();
    let mean = sample.iter().sum::<f64>() / runs as f64;
    let variance = sample.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (runs - 1) as f64;
    (mean, (variance / runs as f64).sqrt())
}

/// In lock step an attempt that begins at t fails exactly if a write begins from t - (W-1) to t + R-2, and a write begins every
/// 3(R+W)/2 + W steps on average, whatever becomes of attempts: the share of these R+W-2 moments is that of the failures.
#[test]
fn in_lock_step_attempts_fail_as_often_as_a_write_begins_too_close() {
    for (read, write) in [(90, 10), (10, 90), (12, 5)] {
        let line = format!(
            "lamport-readers-writers -n 2 --entries 400 --r 1 --set digits=1 --set words=1 --set read-time={read} --set \
             write-time={write}"
        );
        let both = f64::from(read + write);
        let failing = (both - 2.0) / (1.5 * both + f64::from(write));
        let (mean, error) = attempts(&line, 30);
        let exact = 1.0 / (1.0 - failing);
        assert!((mean - exact).abs() < 4.0 * error + 0.02, "{read}, {write}: {mean} ± {error} against {exact}");
        let repaired = (3.0 * both + 2.0 * f64::from(write)) / f64::from(read + 3 * write);
        assert!(exact < repaired);
        // (2(R+W)/γ+W)/(R+W), which is too little where a read takes much longer than a write.
        let printed = (2.0 * both + f64::from(write)) / both;
        assert_eq!(exact > printed, read == 90, "{read}, {write}");
    }
}

#[test]
fn times_below_one_step_per_cell_are_refused() {
    for wrong in ["read-time=2", "write-time=2", "write-time=x", "read-time=1000001"] {
        assert_refused(&format!("lamport-readers-writers -n 2 --set digits=1 --set words=1 --set {wrong}"), "set");
    }
}

/// With versions of one digit: as many as have been begun when V1 is read, less those that are complete when V2 is read.
#[test]
fn a_reader_finds_the_writes_that_cells_have_seen() {
    let mut found = [0; 3];
    for seed in 0..40 {
        let workload = Workload { entries: 9, readers: 2, writers: 1, cells: 4, ..Workload::new(3) };
        let scenario = Scenario { n: 7, workload: Some(workload), untimed: true, seed, ..Scenario::default() };
        let settings = [("digits", "1"), ("base", "10"), ("words", "2"), ("waits", "none")];
        let mut run: Simulation<Lamport, Full> = prepared_in(&settings, &scenario).expect("it suits the protocol");
        run.log();
        while !run.advance(1000) {}
        assert_eq!(run.summary().verdict, Verdict::Held);
        // Places: two readers, the writer, V1, two words, V2. Of every cell the port of a site is its place.
        let (mut written, mut seen) = ([0u64; 7], [[0u64; 7]; 2]);
        for record in run.records() {
            match record.event {
                Event::Receive(_, Access::Write(_)) => written[record.place as usize] += 1,
                Event::Receive(port, Access::Read) => {
                    seen[port.0 as usize][record.place as usize] = written[record.place as usize];
                }
                _ => {}
            }
            for effect in &record.effects {
                let Effect::Report(report) = effect else { continue };
                let said = match report {
                    DataReport::Returns { .. } => 0,
                    DataReport::Overlapped { several } => 1 + usize::from(*several),
                    _ => continue,
                };
                let seen = seen[record.place as usize];
                assert_eq!(said as u64, (seen[3] - seen[6]).min(2), "seed {seed}, place {}", record.place);
                found[said] += 1;
            }
        }
    }
    assert!(found.iter().all(|&times| times > 10), "each of them occurs: {found:?}");
}
