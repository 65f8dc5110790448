//! The contract with other programs: exit codes, JSON, the schema, completions, the manual, and no colour in a pipe.

mod check;
#[path = "../common/mod.rs"]
mod common;
mod exits;
mod interventions;
#[cfg(unix)]
mod lab;
#[cfg(target_os = "linux")]
mod limits;
mod presentation;
mod reports;
mod reproduce;
mod resume;
mod sharing;
#[cfg(unix)]
mod signals;
mod sweep;

use common::{Workplace, words};
use serde_json::{Value, json};

fn call(line: &str) -> common::Ended {
    Workplace::new().call(&words(line))
}

#[track_caller]
fn object(line: &str, code: i32) -> Value {
    let ended = call(line);
    assert_eq!((ended.code, ended.stderr.as_str()), (code, ""), "ringleader {line}");
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("ringleader {line}: {error}\n{}", ended.stdout))
}

#[test]
fn settings_may_imply_links_and_the_option_has_the_last_word() {
    let links =
        |more: &str| object(&format!("run van-leeuwen-tan --ids 3,1,2 --json {more}"), 0)["scenario"]["links"].clone();
    assert_eq!(links(""), "fifo");
    assert_eq!(links("--set duplex=half"), "half");
    assert_eq!(links("--set duplex=half --links fifo"), "fifo");
    assert_eq!(links("--links half"), "half");
    assert_eq!(links("--set duplex=half --links half-phase"), "half-phase");
}

#[test]
fn a_report_shows_the_names_before_and_after_each_change() {
    let scenario = &object("run vitanyi --ids 3,1,4,2 --changes leave:1,join:7@0,drop:2 --json", 0)["scenario"];
    // 1 leaves with the name 4; 7 comes before 3; then 1 leaves with its own name.
    let changes = json!({ "before": [3, 1, 4, 2], "least_before": 1, "after": [
        { "change": "leave:1", "interchanged": [1, 4], "names": [3, 1, 2], "least": 1 },
        { "change": "join:7@0", "interchanged": null, "names": [7, 3, 1, 2], "least": 1 },
        { "change": "drop:2", "interchanged": null, "names": [7, 3, 2], "least": 2 },
    ] });
    assert_eq!((&scenario["changes"], &scenario["ids"]), (&changes, &json!([7, 3, 2])));
    assert!(object("run vitanyi --ids 3,1 --json", 0)["scenario"].get("changes").is_none());
}

#[test]
fn a_report_shows_when_phases_begin() {
    let cost = &object("run spirakis-tampakas-symmetry -n 4 --timing unit --set draw=2,3,4,1 --json", 0)["cost"];
    // All wake at 0, and the only candidate is elected in the first phase.
    assert_eq!(cost["phase_begins"], json!([{ "called": 0, "last": 0, "begun_by": 4 }]));
    assert_eq!(cost["phase_spread"], 0);
}

#[test]
fn the_leader_is_at_its_own_place_whoever_finds_out() {
    // 3 finds out at 2 that 4 leads; it hears of it at 4.
    let report = object("run van-leeuwen-tan --ids 3,1,4,2 --json", 0);
    assert_eq!(report["outcome"]["leaders"], json!([{ "place": 2, "id": 4 }]));
    assert_eq!(report["cost"]["time_elected"], 2);
}

#[test]
fn exit_1_when_a_property_is_violated() {
    let report = object("run vitanyi --ids 3,1,4,2 --set law=min-time --set rules=printed --json", 1);
    assert_eq!(report["rules"], "printed");
    assert_eq!(report["outcome"]["verdict"], "violated");
    assert_eq!(report["outcome"]["finished"], false);
    assert_eq!(report["outcome"]["violations"][0]["property"], "termination");
}

#[test]
fn exit_1_when_a_bound_is_exceeded() {
    let report = object("run vitanyi --ids 7,10,5 --json", 1);
    assert_eq!(report["outcome"]["verdict"], "held", "the properties hold: it is the paper's bound that does not");
    let exceeded = |bound: &&Value| bound["holds"] == false;
    let exceeded: Vec<_> = report["bounds"].as_array().unwrap().iter().filter(exceeded).collect();
    assert_eq!(exceeded[0]["source"], "Vitanyi1984 (2)");
    assert_eq!(exceeded[0]["measured"], 11);
}

#[test]
fn exit_3_when_only_a_timer_that_never_comes_could_go_on() {
    let report = object("run vitanyi --ids 70,90,80 --json", 3);
    let outcome = &report["outcome"];
    assert_eq!((&outcome["verdict"], &outcome["finished"]), (&json!("unknown"), &json!(false)));
    assert_eq!(outcome["reason"], "never-timer");
    assert!(
        report["bounds"].as_array().unwrap().iter().all(|bound| bound["holds"].is_null()),
        "it says nothing of bounds"
    );
}

/// The example of the design, field by field; others may be added, none renamed.
#[test]
fn the_object_of_a_run_is_as_promised() {
    let report = object("run chang-roberts --ids 3,1,4,2 --json", 0);
    let promised = json!({
        "protocol": "chang-roberts",
        "rules": "repaired",
        "scenario": { "n": 4, "ids": [3, 1, 4, 2], "topology": "ring", "seed": 1, "timing": {}, "wake_at": [0, 0, 0, 0] },
        "outcome": { "leaders": [{ "place": 2, "id": 4 }], "elected_id": 4, "agreed": 4, "finished": true, "verdict": "held" },
        "cost": {
            "messages": { "total": 12, "election": 8, "announcement": 4, "by_kind": { "candidate": 8, "elected": 4 } },
            "bits": 43, "time": 8, "time_elected": 4, "depth": 8, "depth_elected": 4, "phases": null
        },
        "rerun": "ringleader run chang-roberts --ids 3,1,4,2 --seed 1"
    });
    assert_eq!(missing(&promised, &report, "report"), [""; 0]);
    let bound = json!({ "quantity": "messages.election", "kind": "worst", "value": 10, "formula": "N(N+1)/2",
                        "source": "ChangRoberts1979", "measured": 8, "holds": true });
    let bounds = report["bounds"].as_array().unwrap();
    assert!(bounds.iter().any(|found| missing(&bound, found, "bound").is_empty()), "{bounds:#?}");
}

/// The parts of `promised` that are missing or different in `found`.
fn missing(promised: &Value, found: &Value, path: &str) -> Vec<String> {
    match (promised, found) {
        (Value::Object(promised), Value::Object(fields)) => promised
            .iter()
            .flat_map(|(key, value)| {
                let path = format!("{path}.{key}");
                fields.get(key).map_or(vec![format!("{path} is missing")], |found| missing(value, found, &path))
            })
            .collect(),
        _ if promised == found => Vec::new(),
        _ => vec![format!("{path} is {found}, not {promised}")],
    }
}

#[test]
fn what_was_promised_is_looked_for() {
    let promised = json!({ "a": { "b": 1, "c": 2 }, "d": [1] });
    let found = json!({ "a": { "b": 7 }, "d": [1], "e": 0 });
    assert_eq!(missing(&promised, &found, "x"), ["x.a.b is 7, not 1", "x.a.c is missing"]);
}

#[test]
fn the_line_that_repeats_a_run_repeats_it() {
    for line in [
        "run chang-roberts --ids 3,1,4,2",
        "run lelann -n 7 --order bit-reversal --seed 9 --timing uniform --phases random",
        "run peterson -n 9 --order computed --seed 5",
        "run chang-roberts -n 70000 --order computed --wake random:9 --d 1..5",
        "run chang-roberts -n 6 --wake random:2 --d 0..9 --links any --faults crash:1@3,loss:1/9",
        "run chang-roberts -n 3 --wake-at -,4,0 --clocks list:1,2,3 --delays list:0,1,2",
        "run vitanyi --ids 3,1,4,2 --again 0@40 --again 1@80 --set first=f --set law=u/m --timing archimedean",
    ] {
        let ended = call(&format!("{line} --json"));
        let report: Value = serde_json::from_str(&ended.stdout).unwrap();
        let rerun = report["rerun"].as_str().unwrap().strip_prefix("ringleader ").unwrap();
        let again = call(&format!("{rerun} --json"));
        assert_eq!(serde_json::from_str::<Value>(&again.stdout).unwrap()["trace"], report["trace"], "{line}\n{rerun}");
    }
}

#[test]
fn a_recorded_run_replays_as_the_same_object() {
    let place = Workplace::new();
    let run = place.call(&words("run chang-roberts -n 5 --timing archimedean --phases random --trace run.json --json"));
    let replay = place.call(&words("replay run.json --json"));
    assert_eq!((run.code, replay.code), (0, 0));
    let (mut run, mut replay): (Value, Value) =
        (serde_json::from_str(&run.stdout).unwrap(), serde_json::from_str(&replay.stdout).unwrap());
    // What was drawn is written down, so the policies are lists now.
    for policy in ["clocks", "phases"] {
        assert_eq!(replay["scenario"]["timing"][policy], "list");
        run["scenario"]["timing"][policy] = Value::Null;
        replay["scenario"]["timing"][policy] = Value::Null;
    }
    for field in ["protocol", "rules", "parameters", "scenario", "outcome", "cost", "figures", "bounds", "trace"] {
        assert_eq!(run[field], replay[field], "{field}");
    }
    assert!(replay["steps"].as_array().unwrap().len() > 10);
    assert_eq!(place.listing(), ["run.json"]);
}

/// "It replays exactly, whatever becomes of the random streams: all that was drawn is written down."
#[test]
fn a_recorded_run_does_not_need_its_seed() {
    for line in ["-n 5 --d 0..9", "-n 5 --timing archimedean", "-n 5 --phases random --reading per-tick --r 3..9"] {
        let place = Workplace::new();
        assert_eq!(place.call(&words(&format!("run chang-roberts {line} --trace run.json"))).code, 0);
        let text = place.read("run.json");
        assert!(text.contains("\"seed\":1"), "{text}");
        place.write("other.json", text.replace("\"seed\":1", "\"seed\":2"));
        let ended = place.call(&["replay", "other.json"]);
        assert_eq!(ended.code, 0, "{line}\n{}", ended.stderr);
    }
}

#[test]
fn a_failing_run_is_shortened_and_still_fails() {
    let place = Workplace::new();
    let run = place.call(&words("run vitanyi -n 9 --set law=min-time --set rules=printed --trace run.json"));
    assert_eq!(run.code, 1, "{}", run.stderr);
    let shrunk = place.call(&words("replay run.json --shrink --output short.json"));
    assert_eq!((shrunk.code, shrunk.stderr.as_str()), (1, ""));
    assert_eq!(place.listing(), ["run.json", "short.json"]);
    let replay = place.call(&words("replay short.json --json"));
    assert_eq!(replay.code, 1, "{}", replay.stderr);
    let report: Value = serde_json::from_str(&replay.stdout).unwrap();
    assert_eq!(report["outcome"]["verdict"], "violated");
    assert!(report["scenario"]["n"].as_u64().unwrap() <= 3);
}

#[test]
fn measurements_are_objects() {
    let all = object("bench -n 100 --json", 0);
    let names: Vec<_> = all.as_array().unwrap().iter().map(|one| one["workload"].as_str().unwrap()).collect();
    assert_eq!(names, ["ring-unit", "ring-random", "phold"]);
    for name in names {
        let one = object(&format!("bench -n 100 --workload {name} --json"), 0);
        assert_eq!((&one["workload"], &one["n"]), (&json!(name), &json!(100)));
        assert!(one["deliveries"].as_u64().unwrap() >= 100);
        for number in ["seconds", "rate", "bytes_per_processor"] {
            assert!(one[number].as_f64().unwrap() > 0.0, "{number} of {name}");
        }
    }
}

#[test]
fn lists_and_findings_are_objects() {
    let listed = object("list --json", 0);
    assert!(listed.as_array().unwrap().iter().any(|one| one["name"] == "chang-roberts" && one["topology"] == "ring"));
    let about = object("info vitanyi --json", 0);
    assert_eq!(about["problem"], "election");
    assert!(about["errata"].as_array().unwrap().len() > 1);
    assert!(object("doctor --json", 0).as_array().unwrap().iter().all(|finding| finding["good"] == true));
}

/// Whoever reads the league table sees why it ended as it did.
#[test]
fn the_league_ends_as_it_shows() {
    let ended = call("--json");
    let entries: Vec<Value> = serde_json::from_str(&ended.stdout).unwrap();
    assert!(entries.iter().any(|entry| entry["protocol"] == "lelann"));
    let wrong = entries.iter().any(|entry| entry["verdict"] != "held" || entry["proved"]["holds"] == false);
    assert_eq!((ended.code, ended.stderr.as_str()), (i32::from(wrong), ""));
    assert_eq!(call("").code, ended.code);
}

#[test]
fn reports_conform_to_the_schema() {
    let schema = object("schema", 0);
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    for (line, code) in [
        ("run chang-roberts --ids 3,1,4,2", 0),
        ("run lelann -n 3 --timing uniform --clocks varying --wake one", 0),
        ("run vitanyi --ids 3,1,4,2", 0),
        ("run vitanyi --ids 70,90,80", 3),
        ("run vitanyi --ids 3,1,4,2 --set law=min-time --set rules=printed", 1),
        ("run chang-roberts -n 4 --faults crash:1@0,crash:0@0", 1),
        ("run ricart-agrawala -n 3", 0),
        ("run spirakis-tampakas-mutex -n 3", 0),
        ("run spirakis-tampakas-readers-writers -n 3", 0),
        ("run lamport-readers-writers -n 3", 0),
        ("run spirakis-tampakas-symmetry -n 3", 0),
        ("run token-ring -n 3", 0),
        ("run chang-roberts -n 4 --timing untimed", 0),
        ("run ricart-agrawala -n 3 --timing untimed", 0),
        ("run spirakis-tampakas-mutex -n 3 --first 0..3 --ties both", 0),
    ] {
        let report = object(&format!("{line} --json"), code);
        assert_eq!(violations(&schema, &schema, &report, "report"), [""; 0], "ringleader {line}");
        for key in report.as_object().unwrap().keys() {
            assert!(schema["properties"][key]["description"].is_string(), "{key} is not described");
        }
        for key in schema["required"].as_array().unwrap() {
            let mut less = report.clone();
            less.as_object_mut().unwrap().remove(key.as_str().unwrap());
            assert_eq!(violations(&schema, &schema, &less, "report").len(), 1, "the schema does not miss {key}");
        }
        let mut other = report.clone();
        other["cost"]["bits"] = json!("many");
        assert_eq!(violations(&schema, &schema, &other, "report"), ["report.cost.bits: \"many\" is no \"integer\""]);
    }
}

/// The paths at which a value does not conform to a schema; an unknown keyword is an error.
fn violations(root: &Value, schema: &Value, value: &Value, path: &str) -> Vec<String> {
    let mut found = Vec::new();
    // True allows anything.
    if schema == true {
        return found;
    }
    for (keyword, wanted) in schema.as_object().expect("a schema is an object") {
        match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "format" | "default" => {}
            "$ref" => {
                let pointer = wanted.as_str().unwrap().strip_prefix('#').expect("our schema refers to itself");
                found.extend(violations(root, root.pointer(pointer).expect("a definition is there"), value, path));
            }
            "type" => {
                let types = wanted.as_array().map_or(std::slice::from_ref(wanted), Vec::as_slice);
                if !types.iter().any(|name| is_of(value, name.as_str().unwrap())) {
                    found.push(format!("{path}: {value} is no {wanted}"));
                }
            }
            "minimum" => {
                if value.as_f64().is_some_and(|value| value < wanted.as_f64().unwrap()) {
                    found.push(format!("{path}: {value} is below {wanted}"));
                }
            }
            "required" => {
                let missing = |key: &&Value| value.is_object() && value.get(key.as_str().unwrap()).is_none();
                found.extend(
                    wanted.as_array().unwrap().iter().filter(missing).map(|key| format!("{path}: {key} is missing")),
                );
            }
            "properties" => {
                for (key, inner) in wanted.as_object().unwrap() {
                    if let Some(value) = value.get(key) {
                        found.extend(violations(root, inner, value, &format!("{path}.{key}")));
                    }
                }
            }
            "additionalProperties" if wanted.is_boolean() => {
                let named = |key: &str| schema["properties"].get(key).is_some();
                let others = value.as_object().into_iter().flatten().filter(|(key, _)| !named(key));
                found.extend(
                    others.filter(|_| wanted == false).map(|(key, _)| format!("{path}: {key} is not described")),
                );
            }
            "additionalProperties" => {
                let named = schema.get("properties").and_then(Value::as_object);
                let others = value.as_object().into_iter().flatten();
                for (key, value) in others.filter(|(key, _)| !named.is_some_and(|named| named.contains_key(*key))) {
                    found.extend(violations(root, wanted, value, &format!("{path}.{key}")));
                }
            }
            "items" => {
                for (index, value) in value.as_array().into_iter().flatten().enumerate() {
                    found.extend(violations(root, wanted, value, &format!("{path}[{index}]")));
                }
            }
            "const" => {
                if value != wanted {
                    found.push(format!("{path}: {value} is not {wanted}"));
                }
            }
            "enum" => {
                if !wanted.as_array().unwrap().contains(value) {
                    found.push(format!("{path}: {value} is none of {wanted}"));
                }
            }
            "maximum" => {
                if value.as_f64().is_some_and(|value| value > wanted.as_f64().unwrap()) {
                    found.push(format!("{path}: {value} is above {wanted}"));
                }
            }
            "minItems" | "maxItems" => {
                let (count, limit) = (value.as_array().map_or(0, Vec::len) as u64, wanted.as_u64().unwrap());
                if if keyword == "minItems" { count < limit } else { count > limit } {
                    found.push(format!("{path}: {count} items, {keyword} is {wanted}"));
                }
            }
            "prefixItems" => {
                for (index, (inner, value)) in
                    wanted.as_array().unwrap().iter().zip(value.as_array().into_iter().flatten()).enumerate()
                {
                    found.extend(violations(root, inner, value, &format!("{path}[{index}]")));
                }
            }
            "oneOf" => {
                let fits = |one: &&Value| violations(root, one, value, path).is_empty();
                if wanted.as_array().unwrap().iter().filter(fits).count() != 1 {
                    found.push(format!("{path}: {value} is not one of {wanted}"));
                }
            }
            "anyOf" => {
                if wanted.as_array().unwrap().iter().all(|one| !violations(root, one, value, path).is_empty()) {
                    found.push(format!("{path}: {value} is none of {wanted}"));
                }
            }
            other => found.push(format!("{path}: this test does not know the keyword {other}")),
        }
    }
    found
}

fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("there is no type {other}"),
    }
}

#[test]
fn there_are_completions_for_every_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ended = call(&format!("completions {shell}"));
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{shell}");
        for word in ["ringleader", "replay", "wake-at", "orientation"] {
            assert!(ended.stdout.contains(word), "{word} is not in the completions for {shell}");
        }
    }
}

#[test]
fn there_is_a_manual_page() {
    let ended = call("man");
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    assert!(ended.stdout.contains(".TH ringleader 1"));
    for word in ["replay", "Exit codes"] {
        assert!(ended.stdout.contains(word), "{word} is not in the manual");
    }
}

#[test]
fn there_is_no_colour_in_a_pipe() {
    let place = Workplace::new();
    let lines = [
        "",
        "list",
        "info vitanyi",
        "run vitanyi",
        "run chang-roberts --steps",
        "doctor",
        "--help",
        "run nobody",
        "run",
    ];
    for line in lines {
        for variables in [&[][..], &[("NO_COLOR", "1")], &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]] {
            let ended = place.call_with(&words(line), variables);
            assert!(!ended.stdout.contains('\u{1b}'), "ringleader {line} with {variables:?}");
            assert!(!ended.stderr.contains('\u{1b}'), "ringleader {line} with {variables:?}");
        }
    }
    // There is colour to leave out.
    let coloured = place.call_with(&["list"], &[("CLICOLOR_FORCE", "1")]);
    assert!(coloured.stdout.contains('\u{1b}'));
}

/// `ringleader … | head -1` is no failure, and changes no exit code.
#[test]
fn a_reader_that_has_read_enough_is_no_failure() {
    use std::process::{Command, Stdio};
    for (line, code) in
        [("run chang-roberts -n 2000 --order descending --steps", 0), ("check peterson -n 3 --links any", 1)]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ringleader"));
        let mut child = command.args(words(line)).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let ended = child.wait_with_output().unwrap();
        assert_eq!((&*String::from_utf8_lossy(&ended.stderr), ended.status.code()), ("", Some(code)), "{line}");
    }
}

/// Time is 64 bits wide. What comes after its end is refused or never comes; it does not come first.
#[test]
fn time_does_not_begin_again_at_its_end() {
    for line in [
        "run chang-roberts -n 2 --wake-at 18446744073709551615,-",
        "run lelann -n 2 --wake-at 18446744073709551600,- --d 20..100",
        "run vitanyi -n 2 --wake-at 18446744073709551614,- --d 3",
        "run vitanyi -n 2 --again 0@18446744073709551615 --d 1",
        "run chang-roberts -n 2 --wake-at 18446744073709551615,18446744073709551615 --timing archimedean",
        "run chang-roberts -n 40000 --order ascending --d 281474976710656",
    ] {
        let ended = call(&format!("{line} --json"));
        assert!((0..=3).contains(&ended.code), "ringleader {line}\n{}", ended.stderr);
        let Ok(report) = serde_json::from_str::<Value>(&ended.stdout) else { continue };
        let elected = report["cost"]["time_elected"].as_u64().unwrap_or(0);
        assert!(report["cost"]["time"].as_u64().unwrap() >= elected, "ringleader {line}");
    }
}
