//! The contract with other programs for `check`.

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
            { "name": "safety", "kind": "safety", "source": null, "verdict": "holds", "detail": null },
            { "name": "termination", "kind": "termination", "source": null, "verdict": "holds", "detail": null },
            { "name": "the greatest identity wins", "kind": "promise", "source": "ChangRoberts1979", "verdict": "holds", "detail": null },
            { "name": "everybody ends up holding the winner's identity", "kind": "promise", "source": "ChangRoberts1979", "verdict": "holds", "detail": null },
            { "name": "every processor reports its decision once", "kind": "promise", "source": "ChangRoberts1979", "verdict": "holds", "detail": null },
            { "name": "one processor is elected", "kind": "promise", "source": "ChangRoberts1979", "verdict": "holds", "detail": null },
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

/// Lamport's waits keep writes apart only where time passes: one binary digit is enough with them, and not without.
#[test]
fn settings_that_rest_on_clocks_are_checked_with_clocks() {
    let command = "check lamport-readers-writers -n 2 --entries 2 --readers 1 --writers 1 --set digits=1";
    let report = object(&format!("{command} --r 1 --json"), 0);
    assert_eq!((&report["verdict"], &report["scenario"]["timing"]["r_max"]), (&json!("holds"), &json!(1)));
    for untimed in ["--untimed", "--set waits=none"] {
        let report = object(&format!("{command} {untimed} --json"), 1);
        assert_eq!((&report["verdict"], &report["scenario"]["timing"]), (&json!("violated"), &Value::Null));
    }
    // Two writes deceive a reader of one digit, three are needed for two.
    assert_eq!(object(&command.replace("digits=1", "digits=2 --json"), 0)["scenario"]["timing"], Value::Null);
}

/// Random schedules say how many there were, and never that a property holds.
#[test]
fn random_schedules_are_reported_with_a_bound() {
    let command = "check chang-roberts -n 40 --simulate 30 --seed 2";
    let report = object(&format!("{command} --json"), 3);
    let promised = json!({
        "verdict": "unknown",
        "ran_out": null,
        "counterexample": null,
        "random_schedules": { "schedules": 30, "complete": 30, "cut_off": 0, "seed": 2 },
        "rerun": format!("ringleader {command}"),
    });
    assert_eq!(missing(&promised, &report, "report"), [""; 0]);
    // 1 - 0.05^(1/30)
    assert!((report["random_schedules"]["bound"].as_f64().unwrap() - 0.0950).abs() < 0.0001);
    let violated = object("check lelann -n 5 --links any --simulate 1000 --json", 1);
    assert_eq!((&violated["verdict"], &violated["random_schedules"]["bound"]), (&json!("violated"), &Value::Null));
    assert_eq!(violated["counterexample"]["property"], "safety");
    assert!(!violated["counterexample"]["trace"].as_array().unwrap().is_empty());
}

/// The graph goes to a file, or to standard output while the report goes to standard error.
#[test]
fn the_graph_of_a_small_instance_is_written_for_graphviz() {
    let place = Workplace::new();
    let ended = place.call(&words("check chang-roberts --ids 3,1,2 --no-reduce --dot ring.dot --json"));
    let report: Value = serde_json::from_str(&ended.stdout).unwrap();
    let text = place.read("ring.dot");
    let states = text.lines().filter(|line| line.starts_with("  s") && line.contains(" [label=\"place 0 (")).count();
    assert_eq!((ended.code, json!(states)), (0, report["states"].clone()));
    let shown = place.call(&words("check chang-roberts --ids 3,1,2 --dot -"));
    assert_eq!((shown.code, &shown.stdout), (0, &text));
    assert!(shown.stderr.starts_with("holds: "));
    for (line, wrong) in [
        ("check chang-roberts -n 3 --dot a.dot", "--dot is given for 2 orders and orientations"),
        (
            "check chang-roberts --ids 1,2,3,4,5,6 --dot a.dot",
            "--dot is given for an instance with more than 2000 states",
        ),
        ("check vitanyi --ids 1,2 --timed --dot a.dot", "--dot is given for a check with clocks"),
        ("check chang-roberts --ids 1,2 --dot a.dot --save a.dot", "--dot and --save name the same file, a.dot"),
    ] {
        let refused = place.call(&words(line));
        assert_eq!(refused.code, 2, "{line}");
        assert!(refused.stderr.contains(wrong), "{line}: {}", refused.stderr);
    }
}

/// What is promised only where all start together is judged only there.
#[test]
fn a_promise_with_a_condition_is_judged_where_it_is_met() {
    for (command, promise) in [
        ("check afek-gafni-sync -n 2 --json", "the greatest identity wins"),
        ("check token-ring -n 2 --r 1 --d 2 --json", "a lone token is neither doubled nor removed"),
    ] {
        let judged = |command: &str| {
            let report = object(command, 0);
            let properties = report["properties"].as_array().unwrap().clone();
            properties.iter().any(|property| property["name"] == promise && property["verdict"] == "holds")
        };
        assert!(!judged(command), "{command}");
        assert!(judged(&format!("{command} --wake together")), "{command}");
    }
}

/// Chang and Roberts prove N(N+1)/2 for the election; the announcement has N. The greatest identities one after the other is
/// the only order that needs them.
#[test]
fn the_worst_case_stands_beside_what_is_proved() {
    let report = object("check chang-roberts -n 4 --json", 0);
    let expected = json!({
        "known": "exactly", "passes": 14, "ids": [1, 4, 3, 2], "numberings": null,
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
    let line = "check peterson -n 3 --links any --save found.json";
    let ended = place.call(&words(&format!("{line} --json")));
    assert_eq!((ended.code, ended.stderr.as_str()), (1, ""));
    let report: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(report["verdict"], "violated");
    let found = &report["counterexample"];
    assert_eq!(found["file"], "found.json");
    assert!(found["steps"].as_u64().unwrap() > 3);
    assert_eq!(place.listing(), ["found.json"]);
    let replay = place.call(&words("replay found.json --json"));
    let replayed: Value = serde_json::from_str(&replay.stdout).unwrap();
    assert_eq!((replay.code, &replayed["outcome"]["verdict"]), (1, &json!("violated")), "{}", replay.stderr);
    // The same again writes over it; the text shows every step when asked to.
    let all = place.call(&words(&format!("{line} --all")));
    assert_eq!((all.code, all.stderr.as_str()), (1, ""));
    let shown = all.stdout.lines().filter(|line| line.contains("  place ")).count() as u64;
    assert_eq!(Some(shown), found["steps"].as_u64());
    assert_eq!(place.listing(), ["found.json"]);
}

/// Unless it is asked for, no file is written or looked at; the output says how to ask.
#[test]
fn a_counterexample_is_written_only_when_asked_for() {
    let place = Workplace::new();
    place.write("peterson.counterexample.json", "my notes");
    let ended = place.call(&words("check peterson -n 3 --links any"));
    assert_eq!((ended.code, ended.stderr.as_str()), (1, ""));
    assert_eq!(place.listing(), ["peterson.counterexample.json"]);
    assert_eq!(place.read("peterson.counterexample.json"), "my notes");
    let save = ended.stdout.lines().find_map(|line| line.trim().strip_prefix("save it")).expect("it says how to save");
    let line = save.trim().strip_prefix("ringleader ").unwrap();
    let elsewhere = Workplace::new();
    assert_eq!(elsewhere.call(&words(line)).code, 1);
    assert_eq!(elsewhere.listing(), ["peterson.counterexample.json"]);
    assert_eq!(elsewhere.call(&words("replay peterson.counterexample.json")).code, 1);
    let report = object("check peterson -n 3 --links any --json", 1);
    assert!(report["counterexample"]["file"].is_null());
}

/// `-` is standard output, and nothing else goes there; `replay -` reads it.
#[cfg(unix)]
#[test]
fn a_dash_is_standard_output_and_input() {
    use std::process::{Command, Stdio};
    let place = Workplace::new();
    for (line, code) in [("run lelann -n 4 --trace -", 0), ("check peterson -n 3 --links any --save -", 1)] {
        let ended = place.call(&words(line));
        assert_eq!(ended.code, code, "{line}");
        let trace: Value = serde_json::from_str(&ended.stdout).expect("only the recorded run is on stdout");
        assert!(trace.is_object() && ended.stderr.contains("repeat"), "{line}");
        let kept = std::fs::File::open(place.write("kept.json", &ended.stdout)).unwrap();
        let mut replay = Command::new(env!("CARGO_BIN_EXE_ringleader"));
        let status = replay.args(["replay", "-"]).stdin(kept).stdout(Stdio::null()).status().unwrap();
        assert_eq!(status.code(), Some(code), "{line}");
    }
    let drawn = place.call(&words("run lelann -n 4 --picture -"));
    assert!(drawn.stdout.contains("<svg") && drawn.stdout.trim_end().ends_with("</svg>"), "{}", drawn.stdout);
    assert_eq!(place.listing(), ["kept.json"]);
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

/// Instances: all orders and orientations, up to symmetry.
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

/// Rule 7 of Peterson's election is that of elected=holder, rule 10 is about messages that arrive out of turn.
#[test]
fn rules_that_never_fire_are_named() {
    let coverage = |line: &str, code| object(line, code)["coverage"].clone();
    let fifo = json!({ "fired": [1, 2, 3, 4, 5, 6, 8, 9], "never": [7, 10] });
    assert_eq!(coverage("check peterson -n 3 --json", 0), fifo);
    assert_eq!(coverage("check peterson -n 3 --links any --json", 1)["never"], json!([7]));
    assert_eq!(coverage("check lelann -n 2 --json", 0), json!({ "fired": [1, 2, 3], "never": [] }));
    let shown = Workplace::new().call(&words("check peterson -n 3")).stdout;
    assert!(shown.contains("rules      8 of 10 fired") && shown.contains("              7  elected=holder"), "{shown}");
}

/// Without a number of processors, all numbers from 2 on that the time allows.
#[test]
fn sizes_grow_until_the_time_is_over() {
    let report = object("check lelann --timeout 2 --json", 0);
    let sizes = report["sizes"].as_array().unwrap();
    let of = |field: &str| sizes.iter().map(|size| size[field].clone()).collect::<Vec<_>>();
    assert_eq!(of("n"), (2..2 + sizes.len()).map(|n| json!(n)).collect::<Vec<_>>());
    let (last, decided) = sizes.split_last().unwrap();
    assert!(decided.iter().all(|size| size["verdict"] == "holds" && size["ran_out"].is_null()), "{sizes:?}");
    assert_eq!((&last["verdict"], &last["ran_out"]), (&json!("unknown"), &json!("time")));
    // N^2 messages, whatever the schedule.
    let squares: Vec<_> = (2..2 + decided.len() as u64).map(|n| json!(n * n)).collect();
    assert_eq!(of("most_messages")[..decided.len()], squares);
    let largest = 1 + decided.len();
    assert_eq!((&report["verdict"], &report["scenario"]["n"]), (&json!("holds"), &json!(largest)));
    assert_eq!(report["rerun"], format!("ringleader check lelann -n {largest}"));
}

#[test]
fn sizes_grow_until_a_property_is_violated() {
    let report = object("check peterson --links any --json", 1);
    let verdicts = |report: &Value| {
        let sizes = report["sizes"].as_array().unwrap();
        sizes.iter().map(|size| (size["n"].clone(), size["verdict"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(&report), [(json!(2), json!("holds")), (json!(3), json!("violated"))]);
    assert_eq!(report["scenario"]["n"], 3);
    // Options that suit one size only.
    let one = object("check franklin --orientation 010 --json", 0);
    assert_eq!(verdicts(&one), [(json!(3), json!("holds"))]);
    assert!(object("check lelann -n 3 --json", 0).get("sizes").is_none());
}
