//! Checkpoints: a check that was killed, interrupted or limited goes on and ends as if nothing had happened.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::{Workplace, words};

/// All figures of a report but for time, memory and threads.
fn figures(report: &Value) -> Vec<Value> {
    let names = [
        "protocol",
        "verdict",
        "properties",
        "instances",
        "explored",
        "states",
        "transitions",
        "depth",
        "quiet",
        "most_messages",
        "extremes",
        "leaders",
        "coverage",
        "ran_out",
    ];
    let mut figures: Vec<Value> = names.iter().map(|name| report[name].clone()).collect();
    assert!(figures[..10].iter().all(|figure| !figure.is_null()), "{report}");
    // Of several counterexamples of the same length any may be found.
    for property in figures[2].as_array_mut().expect("there are properties") {
        if property["verdict"] == "violated" {
            property["detail"].take();
        }
    }
    let counterexample = ["property", "steps"].map(|name| report["counterexample"][name].clone());
    figures.into_iter().chain(counterexample).collect()
}

#[track_caller]
fn checked(place: &Workplace, line: &str, code: i32) -> Value {
    let ended = place.call(&words(line));
    assert_eq!(ended.code, code, "ringleader {line}: {}", ended.stderr);
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("ringleader {line}: {error}\n{}", ended.stdout))
}

/// Starts a check, and kills it once `ready` says so; false if it has ended before.
#[cfg(unix)]
fn kill(place: &Workplace, line: &str, ready: impl Fn() -> bool) -> bool {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ringleader"));
    command.current_dir(place.path()).args(words(line)).stdin(Stdio::null());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program can be started");
    while !ready() {
        if child.try_wait().expect("it is there").is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    // On Unix this is SIGKILL.
    child.kill().expect("it can be killed");
    child.wait().expect("it ends").code().is_none()
}

#[cfg(unix)]
#[test]
fn a_check_that_is_killed_goes_on_with_any_number_of_threads() {
    const CHECK: &str = "check peterson --ids 1,7,3,5,2,6,4,8 --no-reduce";
    let place = Workplace::new();
    let file = place.path().join("kept/n8-instance-0");
    kill(&place, &format!("{CHECK} --checkpoint kept --checkpoint-every 0"), || file.exists());
    let first = file.metadata().expect("a checkpoint was written").len();
    for threads in [2, 1] {
        let begun = Instant::now();
        let line = format!("check --resume kept --checkpoint-every 0 --threads {threads}");
        kill(&place, &line, || begun.elapsed() > Duration::from_millis(150));
    }
    assert!(!file.exists() || file.metadata().expect("it is there").len() >= first);
    let resumed = checked(&place, "check --resume kept --json", 0);
    assert_eq!(figures(&resumed), figures(&checked(&place, &format!("{CHECK} --json"), 0)));
    assert!(!file.exists(), "its answer is kept instead");
}

/// Starts a check, or goes on with it, and kills it after some time; does so again until it ends by itself.
#[cfg(unix)]
fn kill_until_it_ends(place: &Workplace, check: &str, moments: impl Iterator<Item = Duration>) -> usize {
    let answers = place.path().join("kept/answers");
    let mut kills = 0;
    for moment in moments {
        let line = match answers.exists() {
            true => "check --resume kept --checkpoint-every 0".to_string(),
            false => format!("{check} --checkpoint kept --checkpoint-every 0 --force"),
        };
        let begun = Instant::now();
        if !kill(place, &line, || begun.elapsed() > moment) {
            break;
        }
        kills += 1;
    }
    kills
}

#[cfg(unix)]
#[test]
fn a_check_that_is_killed_again_and_again_ends_with_the_same_answer() {
    for (check, code) in [
        ("check peterson --ids 1,5,3,2,4 --links any", 1),
        ("check ricart-agrawala -n 3 --entries 2", 0),
        ("check spirakis-tampakas-mutex -n 2 --r 1 --d 1..2 --set c1=1 --entries 2", 0),
        ("check chang-roberts --ids 5,4,3,2,1 --ltl F(leader(5)) --eventually leader(3)", 1),
        ("check chang-roberts --ids 6,5,4,3,2,1 --extremes depth", 0),
        ("check franklin -n 4", 0),
        ("check peterson -n 5 --then ring-size", 0),
    ] {
        let place = Workplace::new();
        let begun = Instant::now();
        let expected = checked(&place, &format!("{check} --json"), code);
        let took = begun.elapsed();
        // Moments that are spread over the check as it would be without checkpoints.
        let kills = kill_until_it_ends(&place, check, (1..8).map(|number| took * (number * 37 % 100) / 100));
        assert!(kills > 0, "{check}");
        let line = if place.path().join("kept/answers").exists() { "check --resume kept" } else { check };
        assert_eq!(figures(&checked(&place, &format!("{line} --json"), code)), figures(&expected), "{check}");
    }
}

/// Sizes that were completed are not explored again, and the next one goes on.
#[test]
fn a_check_of_growing_sizes_goes_on_at_the_size_where_it_was() {
    let place = Workplace::new();
    let sizes = |report: &Value| -> Vec<(u64, u64)> {
        let sizes = report["sizes"].as_array().expect("there are sizes");
        let size = |size: &Value| (size["n"].as_u64().expect("a number"), size["states"].as_u64().expect("a number"));
        sizes.iter().map(size).collect()
    };
    let check = "check peterson --max-states";
    let first = checked(&place, &format!("{check} 300 --checkpoint kept --json"), 0);
    let reached = sizes(&first).last().expect("there is one").0;
    assert_eq!(first["resume"], "ringleader check --resume kept");
    let file = place.path().join(format!("kept/n{reached}-instance-0"));
    assert!(file.exists(), "the last size was limited");
    let resumed = checked(&place, "check --resume kept --max-states 3000 --json", 0);
    assert_eq!(sizes(&resumed), sizes(&checked(&place, &format!("{check} 3000 --json"), 0)));
    assert!(sizes(&resumed).last().expect("there is one").0 > reached);
}

#[cfg(unix)]
#[test]
fn a_directory_belongs_to_one_check_at_a_time() {
    let place = Workplace::new();
    let answers = place.path().join("kept/answers");
    let line = "check peterson --ids 1,9,3,5,2,6,4,8,7 --no-reduce --max-memory 200M --checkpoint kept";
    kill(&place, line, || {
        if !answers.exists() {
            return false;
        }
        for line in ["check --resume kept", "check peterson -n 3 --checkpoint kept --force"] {
            let ended = place.call(&words(line));
            assert_eq!(ended.code, 2, "ringleader {line}: {}", ended.stderr);
            assert!(ended.stderr.contains("kept is in use by a check that is running"), "{}", ended.stderr);
        }
        true
    });
    // The lock ends with the process.
    checked(&place, "check --resume kept --max-states 1000 --json", 3);
}

#[test]
fn a_limit_leaves_a_checkpoint_and_the_line_that_goes_on() {
    // The exit codes with the limit and without. A violation that was found before the limit is one.
    for (check, states, [limit, code]) in [
        ("check peterson -n 4", 200, [3, 0]),
        ("check chang-roberts -n 3 --faults crash:1", 40, [1, 1]),
        ("check spirakis-tampakas-mutex -n 2 --r 1 --d 1..2 --set c1=1", 100, [3, 0]),
        ("check chang-roberts -n 3 --extremes depth", 20, [3, 0]),
        ("check chang-roberts --ids 4,3,2,1 --ltl F(leader(4)) --always !leader(3)", 30, [3, 0]),
        ("check ricart-agrawala -n 2 --entries forever --set numbers=3", 10, [3, 0]),
        ("check chang-roberts -n 3 --then ring-sort", 20, [3, 0]),
    ] {
        let place = Workplace::new();
        let expected = checked(&place, &format!("{check} --json"), code);
        let limited =
            checked(&place, &format!("{check} --max-states {states} --checkpoint kept --json --threads 2"), limit);
        assert_eq!(
            (&limited["ran_out"], &limited["resume"]),
            (&"states".into(), &"ringleader check --resume kept".into())
        );
        // Again, by the whole command.
        let more = checked(&place, &format!("{check} --max-states {} --resume kept --json", states + 1), limit);
        assert_eq!(more["ran_out"], "states");
        let resumed = checked(&place, "check --resume kept --json", code);
        assert_eq!(figures(&resumed), figures(&expected), "{check}");
        assert_eq!(resumed["resume"], Value::Null);
        let again = checked(&place, "check --resume kept --json", code);
        assert_eq!(figures(&again), figures(&expected), "{check}");
    }
    let place = Workplace::new();
    let text = place.call(&words("check peterson -n 4 --max-states 200 --checkpoint kept")).stdout;
    assert!(text.contains("\n  resume     ringleader check --resume kept\n"), "{text}");
}

#[test]
fn other_checkpoints_and_damaged_ones_are_refused() {
    let place = Workplace::new();
    checked(&place, "check peterson --ids 1,3,2,4 --max-states 200 --checkpoint kept --json", 3);
    let refused = |line: &str, why: &str| {
        let ended = place.call(&words(line));
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "ringleader {line}");
        assert!(
            ended.stderr.starts_with("error: ") && ended.stderr.contains(why),
            "ringleader {line}: {}",
            ended.stderr
        );
        assert!(ended.stderr.contains("\nallowed: "), "{}", ended.stderr);
    };
    refused("check peterson -n 4 --checkpoint kept", "holds the checkpoints of a check");
    refused(
        "check peterson --ids 1,3,4,2 --resume kept",
        "is for another check: ringleader check peterson --ids 1,3,2,4",
    );
    for other in [
        "-n 4",
        "peterson --ids 1,3,2,4 --ltl F(elected)",
        "peterson --ids 1,3,2,4 --then ring-size",
        "peterson --ids 1,3,2,4 --extremes depth",
        "peterson --ids 1,3,2,4 --no-reduce",
    ] {
        refused(&format!("check --resume kept {other}"), "is for another check");
    }
    refused("check --resume nothing", "which is none");
    refused("check --resume .", "has no checkpoints");
    let other = "check peterson --checkpoint . --checkpoint-every 1 -n 3";
    refused(other, "which holds other files");
    /// The bytes by which a file is recognised.
    const MAGIC: usize = 8;
    for name in ["kept/n4-instance-0", "kept/answers"] {
        let bytes = std::fs::read(place.path().join(name)).expect("it was written");
        for at in [0].into_iter().chain((1..24).map(|part| part * (bytes.len() - 1) / 23)) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            place.write(name, &damaged);
            refused("check --resume kept", if at < MAGIC { "is no checkpoint" } else { "is damaged" });
            place.write(name, &bytes[..at]);
            refused("check --resume kept", if at < MAGIC { "is no checkpoint" } else { "is damaged" });
        }
        place.write(name, &bytes);
    }
    checked(&place, "check --resume kept --json", 0);
}
