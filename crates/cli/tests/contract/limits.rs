//! Memory that runs out ends the work with a clear message, never with an abort.

use std::process::{Command, Output};

use crate::common::Workplace;

const INCONCLUSIVE: i32 = 3;
const ENVIRONMENT: i32 = 4;

/// Calls the program with an address space of this size.
fn limited(kilobytes: u64, line: &str) -> (Output, String) {
    let place = Workplace::new();
    let script = format!("ulimit -v {kilobytes} && exec {} {line}", env!("CARGO_BIN_EXE_ringleader"));
    let mut command = Command::new("sh");
    let ended = command.current_dir(place.path()).args(["-c", &script]).output().expect("there is a shell");
    let stderr = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(place.listing(), [""; 0], "{line}");
    for bad in ["panicked", "allocation of", "Aborted"] {
        assert!(!stderr.contains(bad), "{line}: {stderr}");
    }
    (ended, stderr)
}

/// Refused before anything is done: what is needed, what is free, what is allowed.
#[test]
fn a_set_up_that_does_not_fit_is_refused() {
    let lines = [
        "run chang-roberts -n 100000000 --order computed",
        "run vitanyi -n 10000000",
        "league -n 10000000",
        "bench -n 100000000",
    ];
    for line in lines {
        let (ended, stderr) = limited(1_000_000, line);
        assert_eq!(ended.status.code(), Some(ENVIRONMENT), "{line}: {stderr}");
        assert!(ended.stdout.is_empty());
        for words in ["error: -n is", "MB may be needed", "MB are free (address space, ulimit -v)", "\nallowed: about"]
        {
            assert!(stderr.contains(words), "{line}: {stderr}");
        }
    }
}

/// What takes too much may be the list of identities.
#[test]
fn a_list_that_does_not_fit_need_not_be_made() {
    let (ended, stderr) = limited(500_000, "run chang-roberts -n 12000000");
    assert_eq!(ended.status.code(), Some(ENVIRONMENT), "{stderr}");
    assert!(stderr.contains("\nallowed: about") && stderr.contains("--order computed"), "{stderr}");
    let (ended, stderr) = limited(500_000, "run chang-roberts -n 12000000 --order computed");
    assert_eq!(ended.status.code(), Some(0), "{stderr}");
}

/// Messages count, too: the run ends with partial results.
#[test]
fn a_run_whose_messages_do_not_fit_ends_with_what_there_is() {
    let (ended, stderr) = limited(200_000, "run chang-roberts -n 10000 --faults duplicate:1/1");
    assert_eq!(ended.status.code(), Some(ENVIRONMENT), "{stderr}");
    let shown = String::from_utf8_lossy(&ended.stdout);
    assert!(["unknown", "results so far", "repeat"].iter().all(|words| shown.contains(words)), "{shown}");
    for words in ["error: out of memory", "messages", " MB", "\nallowed: "] {
        assert!(stderr.contains(words), "{stderr}");
    }
}

/// All send at one instant: what they send does not fit.
#[test]
fn an_instant_that_does_not_fit_is_no_abort() {
    let (ended, stderr) = limited(200_000, "run all-to-all -n 10000");
    assert_eq!(ended.status.code(), Some(ENVIRONMENT), "{stderr}");
    assert!(stderr.contains("error: out of memory") && stderr.contains("\nallowed: "), "{stderr}");
}

#[test]
fn a_check_that_does_not_fit_is_inconclusive() {
    let (ended, stderr) = limited(300_000, "check all-to-all -n 6");
    assert_eq!(ended.status.code(), Some(INCONCLUSIVE), "{stderr}");
    let shown = String::from_utf8_lossy(&ended.stdout);
    assert!(shown.contains("the memory limit") && shown.contains(" states, "), "{shown}");
    let (ended, stderr) = limited(300_000, "check itai-rodeh -n 6 --probability");
    let shown = String::from_utf8_lossy(&ended.stdout);
    assert_eq!(ended.status.code(), Some(INCONCLUSIVE), "{stderr}");
    let told = shown.contains("memory") || stderr.contains("error: out of memory");
    assert!(told && (shown + &*stderr).contains("states"), "{stderr}");
}

/// A league leaves out the run that does not fit, and says which: one that grows, and one that fails at its first instant.
#[test]
fn a_league_names_the_run_that_does_not_fit() {
    let (ended, stderr) = limited(250_000, "league -n 2500");
    assert_eq!(ended.status.code(), Some(ENVIRONMENT), "{stderr}");
    for words in ["error: out of memory", "ringleader run all-to-all -n 2500 --seed 1", " MB", "\nallowed: "] {
        assert!(stderr.contains(words), "{stderr}");
    }
    let shown = String::from_utf8_lossy(&ended.stdout);
    assert!(shown.contains("chang-roberts") && !shown.contains("all-to-all"), "{shown}");
}

/// Steps are not kept for the text: 360,000 of them would take 200 MB.
#[test]
fn a_replay_takes_no_more_memory_than_a_run() {
    let place = Workplace::new();
    let program = env!("CARGO_BIN_EXE_ringleader");
    let script =
        format!("{program} run lelann -n 600 --trace t.json -q && ulimit -v 200000 && {program} replay t.json");
    let ended = Command::new("sh").current_dir(place.path()).args(["-c", &script]).output().expect("there is a shell");
    let shown = String::from_utf8_lossy(&ended.stdout);
    assert_eq!(ended.status.code(), Some(0), "{}", String::from_utf8_lossy(&ended.stderr));
    assert!(shown.contains("steps not shown; --all shows them") && shown.contains("rules applied"), "{shown}");
}
