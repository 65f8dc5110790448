//! Ctrl-C and SIGTERM: an answer within a second, with partial results.
#![allow(unsafe_code, reason = "the standard library sends no signals")]

use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::{Workplace, words};

/// A machine with other work to do may take longer than the second that is promised.
const SOON: Duration = Duration::from_secs(10);
const INTERRUPTED: i32 = 130;
const TERMINATED: i32 = 143;

fn start(place: &Workplace, line: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ringleader"));
    command.current_dir(place.path()).args(words(line)).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program can be started")
}

fn send(child: &Child, signal: i32) {
    // SAFETY: the child was not waited for, so that its number is its own.
    let sent = unsafe { libc::kill(child.id() as i32, signal) };
    assert_eq!(sent, 0, "the signal can be sent");
}

/// Starts something that would take long, sends a signal after a while, and insists on an answer.
#[track_caller]
fn stopped(place: &Workplace, line: &str, signal: i32, after: Duration) -> (Output, String) {
    let child = start(place, line);
    std::thread::sleep(after);
    let sent = Instant::now();
    send(&child, signal);
    let ended = child.wait_with_output().expect("it ends");
    assert!(sent.elapsed() < SOON, "ringleader {line} took {:?}", sent.elapsed());
    let code = if signal == libc::SIGTERM { TERMINATED } else { INTERRUPTED };
    let stderr = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(code), "ringleader {line}: {stderr}");
    assert!(stderr.contains("a second signal quits"), "{stderr}");
    (ended, stderr)
}

const HALF_A_SECOND: Duration = Duration::from_millis(500);

/// The partial result of something that was stopped after it had begun: on a busy machine that may take seconds.
#[track_caller]
fn partial_result(line: &str, signal: i32, has_begun: impl Fn(&Value) -> bool) -> Value {
    for after in [1, 4, 16, 64].map(|times| HALF_A_SECOND * times) {
        let (ended, _) = stopped(&Workplace::new(), line, signal, after);
        let report = serde_json::from_slice(&ended.stdout).expect("a partial result is an object");
        if has_begun(&report) {
            return report;
        }
    }
    panic!("ringleader {line} shows nothing of what it did")
}

#[test]
fn a_run_shows_what_it_did() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        let report = partial_result("run lelann -n 50000 --json", signal, |report| {
            report["cost"]["messages"]["total"].as_u64().is_some_and(|messages| messages > 0)
        });
        assert_eq!(
            (&report["outcome"]["verdict"], &report["outcome"]["reason"]),
            (&json!("unknown"), &json!("interrupted"))
        );
    }
}

/// One large instance, and many small ones.
#[test]
fn a_check_shows_what_was_covered() {
    for (line, instances) in
        [("check lelann --ids 1,2,3,4,5,6,7,8,9,10,11,12 --no-reduce", 1), ("check chang-roberts -n 9", 40320)]
    {
        let report = partial_result(&format!("{line} --json"), libc::SIGINT, |report| {
            report["states"].as_u64().is_some_and(|states| states > 0)
        });
        assert_eq!((&report["verdict"], &report["ran_out"]), (&json!("unknown"), &json!("interrupted")), "{line}");
        assert_eq!(report["instances"], instances, "{line}");
        assert!(report["explored"].as_u64().unwrap() < instances, "{line}");
    }
}

/// The distributions of the small rings are there, and which are not is said.
#[test]
fn distributions_so_far_are_shown() {
    let line = "exact hirschberg-sinclair -n 2..4,13 --json";
    let rows = |report: &Value| report["rows"].as_array().map_or(0, Vec::len);
    let report = partial_result(line, libc::SIGINT, |report| rows(report) == 3);
    assert_eq!(report["missing"], json!([13]));
}

/// The best so far is shown.
#[test]
fn a_search_shows_what_it_found() {
    let line = "worst hirschberg-sinclair -n 12 --search local --budget 1000000000 --json";
    let report = partial_result(line, libc::SIGTERM, |report| {
        report["evaluated"].as_u64().is_some_and(|evaluated| evaluated > 0)
    });
    assert_eq!((&report["interrupted"], &report["exhaustive"]), (&json!(true), &json!(false)));
    assert!(report["value"].as_u64().unwrap() > 0);
}

#[test]
fn probabilities_are_stopped_while_states_are_explored() {
    let line = "check itai-rodeh -n 6 --probability --json";
    let report =
        partial_result(line, libc::SIGTERM, |report| report["states"].as_u64().is_some_and(|states| states > 0));
    assert_eq!(report["ran_out"], "interrupted");
}

#[test]
fn a_table_shows_the_runs_that_were_measured() {
    let line = "reproduce --table lemma-1 --runs 99999999 --entries 1 --json";
    let (ended, _) = stopped(&Workplace::new(), line, libc::SIGINT, Duration::from_secs(2));
    let table: Value = serde_json::from_slice(&ended.stdout).expect("a partial result is an object");
    let rows = table["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "the first line");
    let runs = rows[0]["runs"].as_u64().unwrap();
    assert!((2..99_999_999).contains(&runs), "{runs}");
}

/// One instant with a hundred million messages.
#[test]
fn a_long_instant_shows_what_was_sent() {
    let line = "run all-to-all -n 10000 --json";
    let messages = |report: &Value| report["cost"]["messages"]["total"].as_u64().unwrap_or(0);
    let report = partial_result(line, libc::SIGINT, |report| messages(report) > 0);
    assert_eq!((&report["outcome"]["reason"], &report["cost"]["time"]), (&json!("interrupted"), &json!(0)));
    assert!(messages(&report) < 99_990_000, "{}", report["cost"]);
}

/// A set-up is not divided: the program says how far it came, and ends.
#[test]
fn a_set_up_that_takes_long_is_ended() {
    for line in ["bench -n 20000000", "run chang-roberts -n 20000000"] {
        let (ended, stderr) = stopped(&Workplace::new(), line, libc::SIGINT, HALF_A_SECOND);
        assert!(stderr.contains("cannot be divided"), "{line}: {stderr}");
        let shown = String::from_utf8_lossy(&ended.stdout).into_owned();
        let report = format!(
            "unknown\n  reason     interrupted during set-up, before the first step\n  repeat     ringleader {line}\n"
        );
        assert_eq!(shown, report);
    }
    let line = "run chang-roberts -n 20000000 --json";
    let (ended, _) = stopped(&Workplace::new(), line, libc::SIGTERM, HALF_A_SECOND);
    let report: Value = serde_json::from_slice(&ended.stdout).expect("a partial result is an object");
    let outcome = json!({ "finished": false, "verdict": "unknown", "reason": "interrupted" });
    let expected = json!({ "version": 1, "stage": "set-up", "verdict": "unknown", "outcome": outcome, "messages": 0,
                           "states": 0, "rerun": format!("ringleader {line}") });
    assert_eq!(report, expected);
}

#[test]
fn an_interrupted_run_is_recorded_as_far_as_it_came() {
    let place = Workplace::new();
    let (ended, _) = stopped(&place, "run lelann -n 20000 --trace part.json --json", libc::SIGTERM, HALF_A_SECOND);
    let report: Value = serde_json::from_slice(&ended.stdout).unwrap();
    let recorded: Value = serde_json::from_str(&place.read("part.json")).unwrap();
    assert_eq!(recorded["trace"], report["trace"], "the digest of what was run");
    assert!(recorded["position"].as_u64().is_some_and(|position| position > 0), "where it was stopped");
    // That a stopped run replays to just there is tested in the library: here it would take a minute.
}

/// The work is held up by a pipe that nobody empties.
#[test]
fn a_second_signal_quits_at_once() {
    let place = Workplace::new();
    let mut child = start(&place, "run lelann -n 2000 --steps");
    std::thread::sleep(Duration::from_secs(1));
    send(&child, libc::SIGINT);
    std::thread::sleep(Duration::from_millis(200));
    send(&child, libc::SIGINT);
    let begun = Instant::now();
    let status = loop {
        match child.try_wait().expect("it can be waited for") {
            Some(status) => break status,
            None if begun.elapsed() > SOON => {
                child.kill().expect("it can be ended");
                panic!("it goes on after a second signal");
            }
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    };
    assert_eq!(status.code(), Some(INTERRUPTED));
}
