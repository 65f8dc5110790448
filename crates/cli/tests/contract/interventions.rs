//! Interventions on single messages, and first choices: what they do to a run, and what repeats it.

use super::*;

/// Worked by hand on the ring 3, 1, 2 with delays of 1: at 0 place 0 sends candidate 3, place 1 candidate 1 and place 2 candidate
/// 2, messages 1 to 3. At 1 place 0 discards 2, place 1 passes 3 on, message 4, and place 2 discards 1.
const RING: &str = "run chang-roberts --ids 3,1,2";

fn notes(report: &Value) -> Vec<&str> {
    report["notes"].as_array().unwrap().iter().map(|note| note.as_str().unwrap()).collect()
}

fn judged(report: &Value) -> bool {
    report["bounds"].as_array().unwrap().iter().any(|bound| !bound["holds"].is_null())
}

#[test]
fn where_the_winning_candidate_is_dropped_nobody_is_elected() {
    let report = object(&format!("{RING} --intervene 4:drop --json"), 1);
    assert_eq!(report["scenario"]["interventions"], json!(["4:drop"]));
    assert_eq!(report["outcome"]["leaders"], json!([]));
    assert_eq!(report["outcome"]["violations"][0]["property"], "termination");
    // It was sent, as were the three others.
    assert_eq!((&report["cost"]["messages"]["total"], &report["cost"]["time"]), (&json!(4), &json!(1)));
    assert_eq!(
        notes(&report),
        ["4:drop is outside of what the protocol was promised: bounds are not judged, properties are"]
    );
    assert!(!judged(&report));
    let rerun = report["rerun"].as_str().unwrap();
    assert_eq!(rerun, "ringleader run chang-roberts --ids 3,1,2 --intervene 4:drop --seed 1");
    let again = object(&format!("{} --json", rerun.strip_prefix("ringleader ").unwrap()), 1);
    assert_eq!(again, report);
    assert!(object(&format!("{RING} --json"), 0)["scenario"].get("interventions").is_none());
}

#[test]
fn a_delayed_candidate_comes_after_others() {
    // Candidate 1 arrives after candidate 3, which waits behind it on the link from 1 to 2; and all else 8 later than by itself.
    let report = object(&format!("{RING} --intervene 2:delay:10 --steps --json"), 0);
    let received = |step: &Value| {
        let cause = &step["cause"];
        (cause["cause"] == "receive").then(|| (step["time"].as_u64().unwrap(), cause["message"].as_u64().unwrap()))
    };
    let receipts: Vec<_> = report["steps"].as_array().unwrap().iter().filter_map(received).collect();
    assert_eq!(receipts, [(1, 3), (1, 1), (10, 2), (10, 4), (11, 5), (12, 6), (13, 7), (14, 8)]);
    let decided = report["steps"].as_array().unwrap().iter().find(|step| step["cause"]["cause"] == "delay").unwrap();
    assert_eq!((&decided["time"], &decided["place"], &decided["cause"]["until"]), (&json!(0), &json!(2), &json!(10)));
    assert_eq!(decided["text"], "at 0 candidate 1 from place 1 to place 2 is made to arrive at 10");
    assert_eq!((&report["cost"]["time"], judged(&report)), (&json!(14), false));
}

#[test]
fn what_is_within_what_was_promised_is_judged() {
    let report = object(&format!("{RING} --d 1..9 --delays min --intervene 1:delay:9,44:drop --json"), 0);
    assert!(judged(&report));
    assert_eq!(notes(&report), ["message 44 is never sent: 44:drop has no effect"]);
    let report = object(&format!("{RING} --intervene 1:until:1 --json"), 0);
    assert_eq!(notes(&report), ["1:until:1 has no effect: message 1 is lost, or arrives no earlier by itself"]);
    let report = object(&format!("{RING} --intervene 8:drop --max-messages 2 --json"), 3);
    assert_eq!(notes(&report), ["message 8 was not sent before the run was stopped: 8:drop has no effect"]);
    let report = object(&format!("{RING} --faults loss:1/1 --intervene 2:drop --json"), 1);
    assert_eq!(notes(&report), ["2:drop has no effect: message 2 is lost before"]);
}

#[test]
fn a_duplicated_token_is_found_by_the_property_of_one_token() {
    let report = object("run vitanyi --ids 3,1,4,2 --then token --intervene 20:duplicate --json", 1);
    assert_eq!(report["outcome"]["violations"][0]["property"], "one token");
    assert_eq!(report["cost"]["messages"]["total"], 29);
    assert_eq!(report["outcome"]["tokens"]["inserted"], 2, "a copy counts as inserted");
}

#[test]
fn without_clocks_a_message_is_held_for_a_number_of_steps() {
    let line = format!("{RING} --timing untimed --intervene 1:until:7,2:duplicate");
    let ended = call(&format!("{line} --steps"));
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.stdout.contains("from place 2 to place 0 is held until 7"), "{}", ended.stdout);
    assert!(ended.stdout.contains("  intervene  1:until:7, 2:duplicate\n"), "{}", ended.stdout);
    let report = object(&format!("{line} --json"), 0);
    let outside = "2:duplicate is outside of what the protocol was promised: bounds are not judged, properties are";
    assert_eq!(notes(&report), [outside]);
}

#[test]
fn a_trace_holds_the_interventions_and_a_shorter_run_only_those_that_matter() {
    let place = Workplace::new();
    let line = "run chang-roberts --ids 3,1,2 --intervene 2:delay:10,4:drop,1:delay:2 --trace run.trace --json";
    let ended = place.call(&words(line));
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    let report: Value = serde_json::from_str(&ended.stdout).unwrap();
    let trace: Value = serde_json::from_str(&place.read("run.trace")).unwrap();
    assert_eq!(trace["ringleader_trace"], 2);
    assert_eq!(trace["scenario"]["interventions"], json!(["2:delay:10", "4:drop", "1:delay:2"]));
    let replayed = place.call(&words("replay run.trace --json"));
    assert_eq!(replayed.code, 1, "{}", replayed.stderr);
    let replayed: Value = serde_json::from_str(&replayed.stdout).unwrap();
    assert_eq!((&replayed["trace"], &replayed["notes"]), (&report["trace"], &report["notes"]));
    let shrunk = place.call(&words("replay run.trace --shrink --output shorter.trace"));
    assert_eq!((shrunk.code, shrunk.stderr.as_str()), (1, ""), "{}", shrunk.stdout);
    let shorter: Value = serde_json::from_str(&place.read("shorter.trace")).unwrap();
    let left = shorter["scenario"]["interventions"].as_array().unwrap();
    assert_eq!(left.len(), 1, "{left:?}");
    assert!(left[0].as_str().unwrap().ends_with(":drop"), "{left:?}");
}

#[test]
fn a_trace_with_an_unknown_intervention_is_refused_by_its_field() {
    let place = Workplace::new();
    place.call(&words("run chang-roberts --ids 3,1,2 --intervene 4:drop --trace run.trace"));
    place.write("other.trace", place.read("run.trace").replace("4:drop", "4:lose"));
    let ended = place.call(&words("replay other.trace"));
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("scenario.interventions[0]: has '4:lose'"), "{}", ended.stderr);
}

#[test]
fn first_choices_are_made_and_all_others_are_drawn() {
    // Without clocks the first choice is one of three wakes.
    let wakes = |choices: &str| {
        let report = object(&format!("{RING} --timing untimed --choices {choices} --steps --json"), 0);
        let steps = report["steps"].as_array().unwrap();
        (steps[0]["place"].as_u64().unwrap(), report["trace"].clone(), report["rerun"].clone())
    };
    assert_eq!(["0", "1", "2"].map(|first| wakes(first).0), [0, 1, 2]);
    let (_, digest, rerun) = wakes("2,0,1");
    assert_eq!(rerun, "ringleader run chang-roberts --ids 3,1,2 --timing untimed --choices 2,0,1 --seed 1");
    assert_eq!(wakes("2,0,1").1, digest);
    // What is drawn anyway changes nothing.
    let place = Workplace::new();
    let drawn = place.call(&words(&format!("{RING} --timing untimed --trace run.trace --json")));
    let drawn: Value = serde_json::from_str(&drawn.stdout).unwrap();
    let trace: Value = serde_json::from_str(&place.read("run.trace")).unwrap();
    let made: Vec<_> = trace["choices"].as_array().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(wakes(&made.join(",")).1, drawn["trace"]);
    assert_eq!(wakes(&made[..2].join(",")).1, drawn["trace"]);
}

#[test]
fn a_sweep_takes_interventions_and_choices_as_any_other_option() {
    let report = object("sweep chang-roberts -n 3 --order ascending --runs 3 --intervene 4:drop --json", 1);
    assert!(report.to_string().contains("4:drop"));
    let ended = call("sweep chang-roberts -n 3 --timing untimed --runs 3 --choices 1");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let ended = call("sweep chang-roberts -n 3 --timing untimed --runs 3 --choices 7");
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    assert!(ended.stderr.contains("--choices has 7 as choice 1 of the run"), "{}", ended.stderr);
}
