//! `sweep`, `compare`, `test` and `run --distribution`, as other programs see them.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::common::{Workplace, words};
use crate::{call, object};

const FILES: [&str; 3] = ["runs.csv", "sweep.json", "table.csv"];

fn folder(place: &Workplace, name: &str) -> BTreeMap<String, String> {
    let names = place.path().join(name).read_dir().expect("it is a directory");
    let names = names.map(|entry| entry.expect("it can be read").file_name().into_string().expect("it is a name"));
    names.map(|file| (file.clone(), place.read(&format!("{name}/{file}")))).collect()
}

#[track_caller]
fn ok(place: &Workplace, line: &str) -> String {
    let ended = place.call(&words(line));
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "ringleader {line}");
    ended.stdout
}

#[test]
fn a_sweep_has_a_row_for_each_cell() {
    let report = object("sweep chang-roberts peterson -n 4,2^3..2^4 --runs 5 --json", 0);
    assert_eq!((&report["version"], &report["complete"]), (&1.into(), &true.into()));
    let rows = report["rows"].as_array().expect("a list");
    let cells: Vec<_> =
        rows.iter().map(|row| (row["protocol"].as_str().unwrap(), row["n"].as_u64().unwrap())).collect();
    let sizes = [4, 8, 16];
    let expected = ["chang-roberts", "peterson"].into_iter().flat_map(|protocol| sizes.map(|n| (protocol, n)));
    assert_eq!(cells, expected.collect::<Vec<_>>());
    for row in rows {
        assert_eq!((&row["runs"], &row["held"], &row["exceeded"]), (&5.into(), &5.into(), &0.into()));
        let messages = &row["messages"];
        let [min, mean, max] = ["min", "mean", "max"].map(|name| messages[name].as_f64().expect("a number"));
        assert!(min <= mean && mean <= max && messages["ci"]["level"] == 0.95 && messages["ci95"].is_number());
        assert_eq!(row["messages.announcement"]["mean"], row["n"].as_f64().unwrap());
        assert!(row["bounds"].as_array().is_some_and(|bounds| bounds.iter().any(|bound| bound["ratio"].is_number())));
    }
    let again = report["rerun"].as_str().expect("a line").trim_start_matches("ringleader ").to_string();
    assert_eq!(object(&format!("{again} --threads 1 --json"), 0), report);
}

/// Every row repeats its run, and says by which program it was made.
#[test]
fn the_data_folder_has_one_row_per_run_with_all_parameters() {
    let place = Workplace::new();
    ok(&place, "sweep spirakis-tampakas-mutex --vary compete=1 --vary r=20 -n 2,3 --runs 3 --entries 10 --data out");
    let files = folder(&place, "out");
    assert_eq!(files.keys().map(String::as_str).collect::<Vec<_>>(), FILES);
    let report: Value = serde_json::from_str(&files["sweep.json"]).expect("it is JSON");
    let columns: Vec<_> = report["columns"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    let mut lines = files["runs.csv"].lines();
    assert_eq!(lines.next().expect("there is a header").split(',').collect::<Vec<_>>(), columns);
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 6);
    let of = |row: &[&str], name: &str| row[columns.iter().position(|column| *column == name).expect(name)].to_string();
    for row in &rows {
        let [n, seed] = ["n", "seed"].map(|name| of(row, name));
        assert_eq!(
            ["r", "d", "compete", "set.rules", "version"].map(|name| of(row, name)),
            ["20", "20..100", "1", "repaired", env!("CARGO_PKG_VERSION")]
        );
        let line = format!("run spirakis-tampakas-mutex -n {n} --entries 10 --compete 1 --r 20 --seed {seed} --json");
        let run = object(&line, 0);
        assert_eq!(run["cost"]["messages"]["total"].to_string(), of(row, "messages"));
        assert_eq!(run["cost"]["granting_delay"]["p95"].to_string(), of(row, "granting_delay.p95"));
        assert_eq!(run["outcome"]["verdict"], of(row, "verdict").as_str());
    }
    assert!(report["command"].as_str().unwrap().starts_with("ringleader sweep ") && report["complete"] == true);
    assert!(files["table.csv"].starts_with("cell,protocol,n,compete,r,quantity,runs,mean,"));
}

/// A sweep that was killed, in the middle of a row, goes on and ends as if nothing had happened.
#[test]
fn a_resumed_sweep_is_the_same_byte_by_byte() {
    let place = Workplace::new();
    let whole = ok(&place, "sweep peterson itai-rodeh -n 3,5 --runs 6 --data whole --threads 2");
    let expected = folder(&place, "whole");
    let rows = &expected["runs.csv"];
    for cut in [0, 10, rows.find('\n').unwrap() + 1, rows.len() / 2, rows.len() - 1] {
        std::fs::create_dir_all(place.path().join("part")).expect("it can be made");
        place.write("part/runs.csv", &rows[..cut]);
        place.write("part/sweep.json", expected["sweep.json"].replace("\"complete\": true", "\"complete\": false"));
        let resumed = ok(&place, "sweep --resume part --threads 1");
        assert_eq!(folder(&place, "part"), expected, "cut at {cut}");
        assert_eq!(resumed.replace("part", "whole"), whole);
    }
    // A complete one is only shown.
    assert_eq!(ok(&place, "sweep --resume whole"), whole);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_loses_nothing() {
    let place = Workplace::new();
    let line = "sweep chang-roberts -n 3 --runs 400 --data out";
    let shell = format!("trap '' XFSZ; ulimit -f 40; exec {} {line}", env!("CARGO_BIN_EXE_ringleader"));
    let limited = std::process::Command::new("sh").args(["-c", &shell]).current_dir(place.path()).output();
    let limited = limited.expect("there is a shell");
    let stderr = String::from_utf8_lossy(&limited.stderr);
    assert_eq!(limited.status.code(), Some(4), "{stderr}");
    assert!(stderr.contains("cannot write out/runs.csv") && stderr.contains("allowed: "), "{stderr}");
    assert!(String::from_utf8_lossy(&limited.stdout).contains("Go on: ringleader sweep --resume out"));
    let kept = place.read("out/runs.csv").lines().count();
    assert!(kept > 50 && kept < 400, "{kept}");
    ok(&place, "sweep --resume out");
    ok(&place, &line.replace("out", "whole"));
    assert_eq!(folder(&place, "out"), folder(&place, "whole"));
}

#[test]
fn quantities_are_chosen_by_name() {
    let of = |asked: &str| {
        let report = object(&format!("sweep peterson -n 8 --runs 2 --quantity {asked} --json"), 0);
        let row = report["rows"][0].as_object().expect("an object").clone();
        row.into_iter().filter(|(_, value)| value["mean"].is_number()).map(|(name, _)| name).collect::<Vec<_>>()
    };
    assert_eq!(of("bits,time"), ["bits", "time"]);
    let parts = ["announcement", "by_kind.announcement", "by_kind.first", "by_kind.second", "election"];
    let all: Vec<_> =
        ["messages".to_string()].into_iter().chain(parts.map(|part| format!("messages.{part}"))).collect();
    assert_eq!(of("messages"), all);
    // Every round but the last is 2N.
    let phases = of("messages.by_phase");
    assert!(phases.len() >= 2 && phases[0] == "messages.by_phase.1", "{phases:?}");
}

#[test]
fn intervals_have_the_level_asked_for() {
    let width = |level: &str| {
        let report = object(&format!("sweep itai-rodeh -n 4 --runs 10 --level {level} --json"), 0);
        let ci = report["rows"][0]["messages"]["ci"].clone();
        ci["high"].as_f64().unwrap() - ci["low"].as_f64().unwrap()
    };
    // Student's quantiles with 9 degrees: 1.833 for 90 %, 3.250 for 99 %.
    assert!((width("0.99") / width("0.9") - 3.250 / 1.833).abs() < 0.002);
}

#[test]
fn a_violation_in_a_sweep_is_exit_code_1() {
    let report = object("sweep vitanyi --ids 3,1,4,2 --set law=min-time --vary set.rules=printed --runs 2 --json", 1);
    assert_eq!((&report["rows"][0]["violated"], &report["rows"][0]["set.rules"]), (&2.into(), &"printed".into()));
}

const SCENARIO: &str = "version = 1\nprotocol = [\"chang-roberts\", \"lelann\"]\nn = [4, \"2^3..2^4\"]\nruns = 3\n";

#[test]
fn a_scenario_file_says_what_flags_say() {
    let place = Workplace::new();
    place.write("s.toml", SCENARIO);
    let from_file = ok(&place, "sweep s.toml --json");
    assert_eq!(from_file, ok(&place, "sweep chang-roberts lelann -n 4,8,16 --runs 3 --json"));
    assert_ne!(from_file, ok(&place, "sweep s.toml --runs 4 --json"));
}

/// LeLann's N² messages, and N for nothing: everybody knows.
#[test]
fn a_test_fails_when_an_expectation_does() {
    let place = Workplace::new();
    place.write("good.toml", format!("{SCENARIO}[expect]\nleaders = 1\nmessages.min = \">= 11\"\n"));
    place.write("bad.toml", format!("{SCENARIO}[expect]\nmessages.max = \"<= 255\"\n"));
    let good = place.call(&["test", "good.toml"]);
    assert_eq!((good.code, good.stderr.as_str()), (0, ""), "{}", good.stdout);
    assert!(good.stdout.contains("passed") && good.stdout.contains("18 runs"), "{}", good.stdout);
    let bad = place.call(&["test", "good.toml", "bad.toml"]);
    assert_eq!(bad.code, 1, "{}", bad.stdout);
    for words in ["failed", "lelann, n 16", "messages.max", "<= 255", "256", "1 of 2 files passed"] {
        assert!(bad.stdout.contains(words), "'{words}' is missing: {}", bad.stdout);
    }
    let json: Value = serde_json::from_str(&place.call(&["test", "bad.toml", "--json"]).stdout).expect("it is JSON");
    let failed: Vec<_> =
        json["files"][0]["expectations"].as_array().unwrap().iter().filter(|e| e["holds"] == false).collect();
    assert_eq!((failed.len(), &failed[0]["measured"], &json["passed"]), (1, &"256".into(), &false.into()));
}

#[test]
fn the_examples_are_as_expected() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/scenarios");
    let paths =
        std::fs::read_dir(directory).expect("there are examples").map(|entry| entry.expect("it can be read").path());
    let paths: Vec<String> = paths.map(|path| path.display().to_string()).collect();
    let arguments: Vec<&str> = std::iter::once("test").chain(paths.iter().map(String::as_str)).collect();
    let tested = Workplace::new().call(&arguments);
    assert_eq!(tested.code, 0, "{}{}", tested.stdout, tested.stderr);
    assert!(tested.stdout.contains("3 of 3 files passed"), "{}", tested.stdout);
}

/// A run that violates a property fails a test, unless that is expected.
#[test]
fn a_test_expects_that_properties_hold() {
    let place = Workplace::new();
    let scenario = "version = 1\nprotocol = \"vitanyi\"\nids = [3, 1, 4, 2]\nset = { law = \"min-time\", rules = \"printed\" }\nruns = 1\n";
    place.write("silent.toml", format!("{scenario}[expect]\nleaders = 0\n"));
    place.write("open.toml", format!("{scenario}[expect]\nleaders = 0\nverdict = \"violated\"\n"));
    assert_eq!(place.call(&["test", "silent.toml"]).code, 1);
    let open = place.call(&["test", "open.toml"]);
    assert_eq!(open.code, 0, "{}", open.stdout);
}

/// On the ring 3, 1, 4, 2: 12 messages of Chang and Roberts, worked by hand, beside 16 + 0 of LeLann.
#[test]
fn a_comparison_is_relative_to_the_first() {
    let place = Workplace::new();
    ok(&place, "run lelann --ids 3,1,4,2 --trace run.json");
    let line = "compare chang-roberts run.json --ids 3,1,4,2 --runs 2 --quantity messages --json";
    let report: Value = serde_json::from_str(&ok(&place, line)).expect("it is JSON");
    let names: Vec<_> =
        report["compared"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["chang-roberts", "run.json"]);
    let messages = &report["quantities"][0];
    assert_eq!((&messages["quantity"], &messages["values"][0]["mean"]), (&"messages".into(), &12.0.into()));
    let run: Value = serde_json::from_str(&ok(&place, "run lelann --ids 3,1,4,2 --json")).expect("it is JSON");
    let total = run["cost"]["messages"]["total"].as_f64().expect("a number");
    assert_eq!(messages["values"][1]["relative"], total / 12.0);
    let text = ok(&place, "compare peterson peterson:elected=holder -n 16 --runs 20");
    assert!(text.contains("relative") && text.contains("no difference seen") | text.contains("more"), "{text}");
}

#[test]
fn a_run_shows_its_distributions() {
    let report = object("run chang-roberts --ids 3,1,4,2 --distribution --json", 0);
    let counts = report["distribution"]["identities"].as_array().expect("a list");
    let counts: Vec<_> = counts.iter().map(|c| (c["id"].as_u64().unwrap(), c["messages"].as_u64().unwrap())).collect();
    assert_eq!(counts, [(1, 1), (2, 1), (3, 2), (4, 8)]);
    let lock = object("run ricart-agrawala -n 3 --entries 20 --distribution --json", 0);
    let waits = &lock["distribution"]["waiting_times"];
    let histogram = waits["histogram"].as_array().expect("a list");
    assert_eq!(
        histogram.iter().map(|bucket| bucket["count"].as_u64().unwrap()).sum::<u64>(),
        waits["entries"].as_u64().unwrap()
    );
    let [mean, delay] = [&waits["mean"], &lock["cost"]["granting_delay"]["mean"]].map(|mean| mean.as_f64().unwrap());
    assert!((mean - delay).abs() < 1e-8, "{mean} {delay}");
    assert!(call("run peterson -n 8 --distribution").stdout.contains("messages by phase"));
}

/// W3: three waits of 2, 13 and 24; the first is all that is made while all three compete.
#[test]
fn a_short_run_says_nothing_about_fairness() {
    let report = object("run ricart-agrawala -n 3 --entries 1 --json", 0);
    assert_eq!(report["outcome"]["fairness"], Value::Null);
    assert_eq!((&report["cost"]["window_entries"], &report["cost"]["granting_delay"]["mean"]), (&1.into(), &2.into()));
    assert_eq!(report["cost"]["whole_run"]["granting_delay"]["mean"], 13);
    assert!(call("run ricart-agrawala -n 3 --entries 1").stdout.contains("not from fewer than 10 entries a site"));
    assert!(object("run ricart-agrawala -n 3 --entries 10 --json", 0)["outcome"]["fairness"].is_number());
}

/// W2: an entry costs n-1 requests and two replies for every negative one, so that the two figures go together.
#[test]
fn figures_that_are_compared_are_of_one_window() {
    let report = object("run spirakis-tampakas-mutex -n 8 --r 2..20 --entries 50 --json", 0);
    let cost = &report["cost"];
    let [messages, negatives] = ["messages_per_entry", "negatives_per_entry"].map(|name| cost[name].as_f64().unwrap());
    let [all_messages, all_negatives] =
        ["messages_per_entry", "negatives_per_entry"].map(|name| cost["whole_run"][name].as_f64().unwrap());
    assert!((all_messages - 7.0 - 2.0 * all_negatives).abs() < 1e-6, "exactly so over the whole run");
    assert!((messages - 7.0 - 2.0 * negatives).abs() < 0.02 * messages, "{messages} {negatives}");
    assert!(messages > 1.05 * all_messages, "fast sites finish early: {messages} {all_messages}");
}
