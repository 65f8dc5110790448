//! The contract with other programs for locks and readers-writers: JSON of runs, leagues and tables, and errors.

use serde_json::{Value, json};

use crate::common::{Workplace, words};
use crate::{call, object};

/// Worked by hand, unit time: asked at 0, the request arrives at 1 and the reply at 2; three steps later it leaves.
#[test]
fn one_entry_of_ricart_and_agrawala_takes_a_round_trip() {
    let report = object("run ricart-agrawala --ids 1,2 --compete 1 --entries 1 --hold 3 --json", 0);
    let outcome = &report["outcome"];
    assert_eq!((&outcome["entries"], &outcome["overlap_max"]), (&json!(1), &json!(1)));
    assert_eq!((&outcome["fairness"], &outcome["starved"]), (&Value::Null, &json!(0)), "one entry says nothing");
    assert_eq!((&outcome["finished"], &outcome["verdict"]), (&json!(true), &json!("held")));
    let cost = &report["cost"];
    assert_eq!(cost["messages"]["by_kind"], json!({ "request": 1, "reply": 1 }));
    assert_eq!((&cost["messages_per_entry"], &cost["whole_run"]["messages_per_entry"]), (&Value::Null, &json!(2)));
    assert_eq!(cost["granting_delay"], json!({ "mean": 2, "p95": 2, "max": 2 }));
    assert_eq!(cost["time"], 5);
    assert!(outcome.get("leaders").is_none(), "there is nobody to elect");
}

/// By hand: it sleeps for mindelay = 10 steps, since it got no negative reply before, then waits for a window of 2·1 + 2·1.
#[test]
fn one_entry_of_spirakis_and_tampakas_takes_its_sleep_and_its_window() {
    let line = "run spirakis-tampakas-mutex --ids 1,2 --compete 1 --entries 1 --hold 3 --r 1 --d 1 --json";
    let report = object(line, 0);
    assert_eq!(report["cost"]["granting_delay"]["max"], 14);
    assert_eq!(report["cost"]["time"], 17);
    assert_eq!(report["cost"]["messages"]["by_kind"], json!({ "request": 1, "negative": 0, "positive": 0 }));
    assert_eq!(report["cost"]["negatives_per_entry"], 0);
}

#[test]
fn entries_are_per_site_and_the_workload_is_told() {
    let report = object("run ricart-agrawala -n 5 --compete 3 --entries 7 --think 0..4 --hold 2 --json", 0);
    assert_eq!(report["outcome"]["entries"], 21);
    assert_eq!(report["cost"]["whole_run"]["messages_per_entry"], 8);
    let load = json!({ "entries": 7, "compete": 3, "think": "0..4", "hold": "2" });
    assert_eq!(report["scenario"]["workload"], load);
    let rerun = report["rerun"].as_str().expect("it has one");
    let again = object(&format!("{} --json", rerun.trim_start_matches("ringleader ")), 0);
    assert_eq!(again["trace"], report["trace"]);
}

#[test]
fn readers_and_writers_with_a_lock_and_without() {
    let locked = object("run spirakis-tampakas-readers-writers -n 4 --entries 3 --json", 0);
    assert_eq!(locked["outcome"]["entries"], 12);
    assert_eq!(locked["outcome"]["overlap_max"], 1, "readers together are one");
    assert_eq!(locked["scenario"]["workload"]["readers"], 3);
    let free = object("run lamport-readers-writers --readers 2 --writers 1 --entries 3 --json", 0);
    let outcome = &free["outcome"];
    assert_eq!((&outcome["entries"], &outcome["reads"], &outcome["writes"]), (&json!(9), &json!(6), &json!(3)));
    assert_eq!((&outcome["torn"], &outcome["stale"]), (&json!(0), &json!(0)));
    assert!(outcome["attempts"].as_u64() >= Some(6));
    assert_eq!(free["scenario"]["n"], 3, "cells are no sites");
    assert!(free["scenario"]["workload"]["cells"].as_u64() > Some(0));
    assert!(free["cost"]["attempts_per_read"].as_f64() >= Some(1.0));
}

#[test]
fn some_readers_and_writers_may_compete_and_nobody_while_all_do() {
    let told = |line: &str, text: &str| {
        let ended = call(line);
        assert!(ended.stdout.lines().any(|line| line.trim() == text), "{text} in {}", ended.stdout);
    };
    let some = "workload   20 times each, 3 read and 1 write, 1@0,3@500 of 4 compete, 8 cells; think 0 steps";
    told("run lamport-readers-writers --readers 3 --compete 1@0,3@500", some);
    let two = "workload   20 times each, 3 read and 1 write, 2 of 5 compete; hold 10, think 0 steps";
    told("run ricart-agrawala -n 5 --readers 3 --compete 2", two);
    // Place 0 has made its entries before place 1 competes.
    let none = "per entry  while all compete (0 entries)";
    told("run ricart-agrawala --ids 1,2 --compete 1@0,2@8 --entries 2 --r 1 --d 1 --hold 3", none);
    told(
        "run chang-roberts --ids 1,2 --retransmit 4 --timing untimed",
        "links      acknowledged; a message is sent again at any time",
    );
}

#[test]
fn a_token_ring_tells_its_tokens_and_laps() {
    let report = object("run token-ring -n 5 --d 20 --set tokens=1 --json", 0);
    assert_eq!(report["outcome"]["tokens"], 1);
    assert_eq!(report["cost"]["laps"], 0, "a lone token is never disturbed");
}

#[test]
fn an_anonymous_ring_may_elect_without_names() {
    let report = object("run spirakis-tampakas-symmetry -n 4 --json", 0);
    assert!(!report["outcome"]["leaders"].as_array().expect("a list").is_empty());
    assert_eq!(report["outcome"]["leaders"][0]["id"], Value::Null);
}

#[test]
fn users_of_a_site_wait_in_its_queue() {
    let line = "run ricart-agrawala --ids 1,2 --users 2 --entries 1 --r 1 --d 1 --hold 10 --json";
    let report = object(line, 0);
    assert_eq!((&report["scenario"]["workload"]["users"], &report["outcome"]["entries"]), (&json!(2), &json!(4)));
    // All ask at 0; the sites ask at 0, 0, 12 and 23, and the last is inside at 35.
    assert_eq!(report["cost"]["local_wait"], json!({ "mean": 8.75, "p95": 23, "max": 23 }));
    assert_eq!(report["cost"]["whole_run"]["granting_delay"]["max"], 35);
    let swept = object(&format!("{}  --runs 1 --quantity local_wait", line.replacen("run", "sweep", 1)), 0);
    let row = &swept["rows"][0];
    assert_eq!((&row["local_wait"]["mean"], &row["local_wait.max"]["mean"]), (&json!(8.75), &json!(23.0)));
    let one = object("run ricart-agrawala --ids 1,2 --entries 1 --json", 0);
    assert_eq!((&one["scenario"]["workload"]["users"], &one["cost"]["local_wait"]), (&Value::Null, &Value::Null));
}

#[test]
fn a_lock_for_mutual_exclusion_may_have_readers() {
    let report = object("run ricart-agrawala --readers 3 --writers 1 --entries 3 --json", 0);
    assert_eq!((&report["outcome"]["entries"], &report["outcome"]["overlap_max"]), (&json!(12), &json!(1)));
    assert_eq!(report["scenario"]["workload"]["readers"], 3);
    let listed = object("list readers-writers --json", 0);
    let names: Vec<_> = listed.as_array().expect("a list").iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["ricart-agrawala", "spirakis-tampakas-readers-writers", "lamport-readers-writers"]);
}

#[test]
fn leagues_go_over_contention_and_clocks() {
    let shared = ["ricart-agrawala", "spirakis-tampakas-readers-writers", "lamport-readers-writers"];
    for (problem, protocols) in
        [("mutual-exclusion", &["ricart-agrawala", "spirakis-tampakas-mutex"][..]), ("readers-writers", &shared)]
    {
        let league = object(&format!("league {problem} --json"), 0);
        let rows = league.as_array().expect("a list");
        // One of them has a line of its own with probes, whose cost is bounded, too.
        assert_eq!(rows.len(), 4 * 3 * (protocols.len() + 1), "{problem}");
        let probing: Vec<_> = rows.iter().filter(|row| row["settings"] == json!(["crash=probe"])).collect();
        assert_eq!(probing.len(), 4 * 3, "{problem}");
        assert!(probing.iter().all(|row| row["proved"]["holds"] == true), "{problem}");
        for protocol in protocols {
            assert!(rows.iter().any(|row| row["protocol"] == *protocol), "{problem}: {protocol}");
        }
        assert!(rows.iter().all(|row| row["verdict"] == "held" && row["messages_per_entry"].is_number()));
        let again = rows[1]["rerun"].as_str().expect("a line").trim_start_matches("ringleader ").to_string();
        let report = object(&format!("{again} --json"), 0);
        assert_eq!(report["cost"]["messages_per_entry"], rows[1]["messages_per_entry"]);
    }
}

#[test]
fn a_table_puts_intervals_beside_a_claim() {
    let table = object("reproduce --table lemma-1 -n 4 --entries 5 --runs 10 --json", 1);
    assert_eq!(table["claim"], "lemma-1");
    let rows = table["rows"].as_array().expect("a list");
    assert!(rows.iter().any(|row| row["relation"] == "above"), "that is why it exits with 1");
    // One competitor gets no negative reply, whatever γ is.
    let alone = rows.iter().filter(|row| row["value"] == "1").collect::<Vec<_>>();
    assert_eq!(alone.len(), 4);
    assert!(alone.iter().all(|row| row["measured"]["mean"] == 0.0 && row["relation"] == "below"));
    assert!(rows.iter().all(|row| row["formula"] == "s/(2(1+γ))" && row["runs"] == 10));
}

/// All get in, one after the other: nobody has starved, and the longest delay is that of the last.
#[test]
fn one_entry_each_starves_nobody_and_the_last_waits_longest() {
    let report = object("run ricart-agrawala -n 2 --entries 1 --json", 0);
    assert_eq!(report["outcome"]["starved"], 0);
    // The first is in from 2 to 12; its reply arrives at 13, when it competes no more.
    assert_eq!(report["cost"]["granting_delay"], json!({ "mean": 2, "p95": 2, "max": 2 }));
    assert_eq!(report["cost"]["whole_run"]["granting_delay"], json!({ "mean": 7.5, "p95": 13, "max": 13 }));
}

#[test]
fn a_table_without_anything_measured_says_so() {
    let ended = Workplace::new().call(&words("reproduce --table attempts --set waits=none --runs 10"));
    assert_eq!((ended.code, ended.stderr.as_str()), (3, ""), "{}", ended.stdout);
    assert!(ended.stdout.contains("Nothing was measured"), "{}", ended.stdout);
}

#[test]
fn a_run_that_lets_two_in_is_shortened_to_few_sites_and_one_entry() {
    let place = Workplace::new();
    let run =
        place.call(&words("run spirakis-tampakas-mutex -n 4 --set rules=printed --set predict=n --trace run.json"));
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert_eq!(place.call(&words("replay run.json --shrink --output short.json")).code, 1);
    let replay = place.call(&words("replay short.json --json"));
    let report: Value = serde_json::from_str(&replay.stdout).expect("it replays");
    assert_eq!(report["outcome"]["overlap_max"], 2);
    assert!(report["scenario"]["n"].as_u64() <= Some(3));
    assert_eq!(report["scenario"]["workload"]["entries"], 1);
}

#[test]
fn a_livelock_ends_at_its_horizon() {
    let report = object("run spirakis-tampakas-symmetry -n 4 --set rules=printed --set k=1 --json", 1);
    assert_eq!(report["outcome"]["violations"][0]["property"], "termination");
    assert_eq!(report["outcome"]["reason"], "horizon");
}
