//! What other programs rely on of `check`.

use serde_json::{Value, json};

use crate::common::{Workplace, words};
use crate::{missing, object, violations};

/// The object of the design, field by field; others may be added, none renamed.
#[test]
fn the_object_of_a_check_is_as_promised() {
    let report = object("check chang-roberts -n 4 --json", 0);
    let promised = json!({
        "protocol": "chang-roberts",
        "rules": "repaired",
        "scenario": { "n": 4, "ids": null, "topology": "ring", "links": "fifo", "wake": "anybody", "timing": null },
        "verdict": "holds",
        "properties": [
            { "name": "safety", "verdict": "holds", "detail": null },
            { "name": "termination", "verdict": "holds", "detail": null },
        ],
        "instances": 6,
        "explored": 6,
        "ran_out": null,
        "counterexample": null,
        "rerun": "ringleader check chang-roberts -n 4",
    });
    assert_eq!(missing(&promised, &report, "report"), [""; 0]);
    for count in ["states", "transitions", "depth", "quiet"] {
        assert!(report[count].as_u64().unwrap() > 0, "{count}");
    }
    for number in ["states_per_second", "bytes_per_state", "collisions", "seconds"] {
        assert!(report[number].as_f64().unwrap() > 0.0, "{number}");
    }
}

/// Chang and Roberts prove N(N+1)/2 for the election; the announcement has N. The greatest identities one after the other is
/// the only order that needs them.
#[test]
fn the_worst_case_stands_beside_what_is_proved() {
    let report = object("check chang-roberts -n 4 --json", 0);
    let expected = json!({
        "known": "exactly", "passes": 14, "ids": [1, 4, 3, 2],
        "proved": { "value": 14, "formula": "N(N+1)/2 + N", "source": "ChangRoberts1979, Epema2013", "holds": true }
    });
    assert_eq!(report["most_messages"], expected);
    // One that starts last can be reached by everybody before; one order has one worst case.
    let one = object("check chang-roberts --ids 1,2,3,4 --json", 0);
    assert_eq!(one["scenario"]["ids"], json!([1, 2, 3, 4]));
    assert_eq!((&one["instances"], &one["most_messages"]["passes"]), (&json!(1), &json!(7 + 4)));
}

#[test]
fn a_violated_property_comes_with_a_run_that_shows_it() {
    let place = Workplace::new();
    let ended = place.call(&words("check peterson -n 3 --links any --json"));
    assert_eq!((ended.code, ended.stderr.as_str()), (1, ""));
    let report: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(report["verdict"], "violated");
    let found = &report["counterexample"];
    assert_eq!(found["file"], "peterson.counterexample.json");
    assert!(found["steps"].as_u64().unwrap() > 3);
    assert_eq!(place.listing(), ["peterson.counterexample.json"]);
    let replay = place.call(&words("replay peterson.counterexample.json --json"));
    let replayed: Value = serde_json::from_str(&replay.stdout).unwrap();
    assert_eq!((replay.code, &replayed["outcome"]["verdict"]), (1, &json!("violated")), "{}", replay.stderr);
    // The same again writes over it; the text shows every step when asked to.
    let all = place.call(&words("check peterson -n 3 --links any --all"));
    assert_eq!((all.code, all.stderr.as_str()), (1, ""));
    let shown = all.stdout.lines().filter(|line| line.contains("  place ")).count() as u64;
    assert_eq!(Some(shown), found["steps"].as_u64());
    assert_eq!(place.listing(), ["peterson.counterexample.json"]);
}

#[test]
fn a_file_that_is_no_run_is_spared() {
    let place = Workplace::new();
    place.write("peterson.counterexample.json", "my notes");
    place.write("notes.json", "more");
    for line in ["check peterson -n 3 --links any", "check peterson -n 3 --links any --save notes.json"] {
        let ended = place.call(&words(line));
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{line}");
        for words in ["--save is ", ".json", "no recorded run", "\nallowed: "] {
            assert!(ended.stderr.contains(words), "{}", ended.stderr);
        }
    }
    assert_eq!(
        (place.read("peterson.counterexample.json").as_str(), place.read("notes.json").as_str()),
        ("my notes", "more")
    );
}

#[test]
fn exit_3_when_something_runs_out() {
    let report = object("check chang-roberts -n 5 --max-states 100 --json", 3);
    assert_eq!((&report["verdict"], &report["ran_out"]), (&json!("unknown"), &json!("states")));
    assert_eq!((&report["instances"], &report["explored"]), (&json!(24), &json!(0)));
    assert_eq!(report["most_messages"]["known"], "unknown");
    assert!(report["states"].as_u64().unwrap() >= 100);
}

/// The same answer, whatever the number of threads; with more instances than threads and with fewer.
#[test]
fn threads_change_nothing() {
    for line in ["check chang-roberts -n 4", "check chang-roberts --ids 5,3,1,4,2", "check peterson -n 4 --links any"] {
        let [one, more] = [1, 3].map(|threads| {
            let place = Workplace::new();
            let ended = place.call(&words(&format!("{line} --threads {threads} --json")));
            let mut report: Value = serde_json::from_str(&ended.stdout).unwrap();
            for machine in ["seconds", "states_per_second", "bytes_per_state", "threads"] {
                report.as_object_mut().unwrap().remove(machine);
            }
            report
        });
        assert_eq!(one, more, "{line}");
    }
}

#[test]
fn the_line_that_repeats_a_check_repeats_it() {
    for line in [
        "check chang-roberts --ids 3,1,2 --wake 0,2 --links any --untimed",
        "check franklin -n 3 --orientation 010 --max-states 100000 --no-reduce",
        "check peterson -n 3 --set elected=holder --timed --r 1 --d 1..2",
    ] {
        let report = object(&format!("{line} --json"), 0);
        let rerun = report["rerun"].as_str().unwrap().strip_prefix("ringleader ").unwrap();
        let again = object(&format!("{rerun} --json"), 0);
        for field in ["scenario", "parameters", "states", "transitions", "verdict", "rerun"] {
            assert_eq!(again[field], report[field], "{line}\n{rerun}");
        }
    }
}

#[test]
fn reports_of_checks_conform_to_their_schema() {
    let schema = object("schema check", 0);
    assert_eq!(schema["title"], "CheckReport");
    for (line, code) in
        [("chang-roberts -n 3", 0), ("peterson -n 3 --links any", 1), ("lelann --ids 1,2 --max-states 2", 3)]
    {
        let report = object(&format!("check {line} --json"), code);
        assert_eq!(violations(&schema, &schema, &report, "report"), [""; 0], "ringleader check {line}");
        for key in report.as_object().unwrap().keys() {
            assert!(schema["properties"][key]["description"].is_string(), "{key} is not described");
        }
        let mut other = report.clone();
        other["states"] = json!("many");
        assert_eq!(violations(&schema, &schema, &other, "report").len(), 1);
    }
}

/// Who is there: all orders and orientations, one of those that a symmetry makes the same.
#[test]
fn instances_are_counted_up_to_symmetry() {
    for (line, instances) in [
        ("lelann -n 4", 6),
        ("lelann -n 4 --wake all", 6),
        // Turning the ring would move who wakes.
        ("lelann -n 4 --wake one", 24),
        ("lelann --ids 3,1,4,2", 1),
        ("franklin -n 3", 8),
        ("franklin -n 3 --orientation same", 2),
        ("franklin --ids 3,1,2", 8),
        ("all-to-all -n 3", 1),
        ("afek-gafni-async -n 2", 1),
        ("itai-rodeh -n 2 --max-states 1000", 1),
    ] {
        let ended = Workplace::new().call(&words(&format!("check {line} --json")));
        let report: Value = serde_json::from_str(&ended.stdout).unwrap();
        assert_eq!(report["instances"], instances, "{line}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_shows_what_was_covered() {
    use std::process::{Command, Stdio};
    // Far more states than are found in the time that it is given.
    let mut command = Command::new(env!("CARGO_BIN_EXE_ringleader"));
    command.args(words("check lelann --ids 1,2,3,4,5,6,7,8,9,10 --json")).stdout(Stdio::piped());
    let child = command.spawn().expect("the program can be started");
    std::thread::sleep(std::time::Duration::from_millis(500));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("there is a kill");
    assert!(sent.success());
    let ended = child.wait_with_output().expect("it ends");
    let report: Value = serde_json::from_slice(&ended.stdout).expect("what there is so far is an object");
    assert_eq!(ended.status.code(), Some(130));
    assert_eq!((&report["verdict"], &report["ran_out"]), (&json!("unknown"), &json!("patience")));
    assert_eq!((&report["explored"], &report["instances"]), (&json!(0), &json!(1)));
    assert!(report["states"].as_u64().unwrap() > 0);
}
