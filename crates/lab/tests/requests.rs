//! Requests as the page makes them, answered natively.

#![allow(clippy::needless_pass_by_value, reason = "requests are written where they are made")]

use ringleader::{Catalogue, RunReport, Setup, run_line};
use ringleader_lab::{Lab, PRESETS};
use serde_json::{Value, json};

/// Makes a request that must be granted.
#[track_caller]
fn ask(lab: &mut Lab, request: Value) -> Value {
    let mut answer: Value = serde_json::from_str(&lab.request(&request.to_string())).expect("an answer is JSON");
    assert!(answer.get("error").is_none(), "{request}: {answer}");
    answer["ok"].take()
}

/// Makes a request that must be refused, and returns why.
#[track_caller]
fn refused(lab: &mut Lab, request: Value) -> (String, String) {
    let answer: Value = serde_json::from_str(&lab.request(&request.to_string())).expect("an answer is JSON");
    let error = &answer["error"];
    let text = |field: &str| error[field].as_str().unwrap_or_default().to_string();
    assert!(!text("message").is_empty(), "{request}: {answer}");
    (text("message"), text("allowed"))
}

#[track_caller]
fn open(lab: &mut Lab, line: &str) -> Value {
    ask(lab, json!({ "op": "open", "line": line }))["session"].take()
}

fn go(lab: &mut Lab, session: &Value, to: Value) -> Value {
    ask(lab, json!({ "op": "go", "session": session, "to": to }))
}

fn by(lab: &mut Lab, session: &Value, unit: &str, count: i64) -> Value {
    ask(lab, json!({ "op": "go", "session": session, "by": { "unit": unit, "count": count } }))
}

/// Executes the whole run.
fn finish(lab: &mut Lab, session: &Value) -> Value {
    loop {
        let ahead = ask(lab, json!({ "op": "ahead", "session": session, "budget": 10_000 }));
        if ahead["over"] == true {
            return ahead;
        }
    }
}

/// A small run of every protocol, with clocks and without.
fn lines() -> Vec<String> {
    let one = |entry: &'static dyn ringleader::Entry| {
        let shared = entry.implied(&[]).expect("there are no settings").visited;
        let load = if shared { " --entries 2" } else { "" };
        let compulsory = entry.description().assumptions.compulsory;
        let line = format!("run {} -n 4 --seed 3{load}", entry.name());
        // Without clocks some never end.
        let untimed = (!compulsory).then(|| format!("{line} --timing untimed --max-steps 300"));
        [Some(line), untimed].into_iter().flatten()
    };
    ringleader::catalogue().iter().flat_map(|entry| one(*entry)).collect()
}

fn report_of(line: &str) -> Value {
    let (protocol, options) = run_line(line, &Catalogue::default()).expect("it is a line");
    let setup = Setup::new(ringleader::find(&protocol).expect("it is a protocol"), options).expect("it can be set up");
    let summary = setup.run().expect("it runs");
    serde_json::to_value(RunReport::new(&setup, &summary)).expect("a report is JSON")
}

#[test]
fn every_protocol_ends_as_its_run_does() {
    for line in lines() {
        let mut lab = Lab::default();
        let session = open(&mut lab, &line);
        let ahead = finish(&mut lab, &session);
        let end = go(&mut lab, &session, json!("end"));
        let report = ask(&mut lab, json!({ "op": "report", "session": session }));
        assert_eq!(report, report_of(&line), "{line}");
        assert_eq!(end["over"], true, "{line}");
        assert_eq!(end["time"], report["cost"]["time"], "{line}");
        assert_eq!(end["violations"], report["outcome"]["violations"].as_array().unwrap().len(), "{line}");
        let rail = ask(&mut lab, json!({ "op": "rail", "session": session }));
        assert_eq!(rail["verdict"], report["outcome"]["verdict"], "{line}");
        assert_eq!(rail["measured"][0]["value"], report["cost"]["messages"]["total"], "{line}");
        assert_eq!(ahead["verdict"], report["outcome"]["verdict"], "{line}");
        assert_eq!(ahead["digest"], end["digest"], "{line}");
    }
}

#[test]
fn steps_forward_and_back_lead_to_the_same_state() {
    for line in lines() {
        let mut lab = Lab::default();
        let session = open(&mut lab, &line);
        let moves = finish(&mut lab, &session)["moves"].as_i64().unwrap();
        for (start, count) in [(0, 7), (moves / 3, 1), (moves * 4 / 5, 2)] {
            let there = go(&mut lab, &session, json!({ "move": start }));
            for unit in ["move", "instant", "phase", "processor", "message"] {
                let onward = by(&mut lab, &session, unit, count);
                let mut fresh = Lab::default();
                let again = open(&mut fresh, &line);
                let mut direct = go(&mut fresh, &again, json!({ "move": onward["move"] }));
                // A run that is executed no further does not know that it is over.
                direct["over"] = onward["over"].clone();
                assert_eq!(onward, direct, "{line}: {unit} {count} from {start}");
                by(&mut lab, &session, unit, -count);
                let back = go(&mut lab, &session, json!({ "move": start }));
                assert_eq!(back, there, "{line}: {unit} {count} from {start}");
            }
        }
    }
}

#[test]
fn strides_lead_where_they_say() {
    let mut lab = Lab::default();
    // 3, 1, 4, 2: candidates 3, 1, 4 and 2 are sent at 0; 4 goes all around and is elected at 4.
    let session = open(&mut lab, "run chang-roberts --ids 3,1,4,2");
    let first = by(&mut lab, &session, "instant", 1);
    assert_eq!((&first["time"], &first["move"], &first["messages"]), (&json!(0), &json!(4), &json!(4)));
    let second = by(&mut lab, &session, "instant", 1);
    assert_eq!((&second["time"], &second["move"]), (&json!(1), &json!(8)));
    assert_eq!(by(&mut lab, &session, "instant", -1)["move"], 4);
    let received = by(&mut lab, &session, "message", 1);
    assert_eq!((&received["move"], &received["step"]["received"]), (&json!(5), &json!(4)));
    let own =
        ask(&mut lab, json!({ "op": "go", "session": session, "by": { "unit": "processor", "count": 1, "place": 2 } }));
    assert_eq!((&own["move"], &own["place"]), (&json!(7), &json!(2)));
    assert_eq!(go(&mut lab, &session, json!({ "time": 1 }))["move"], 8);
    finish(&mut lab, &session);
    let marks = ask(&mut lab, json!({ "op": "ahead", "session": session, "budget": 1 }))["marks"].take();
    let elected = marks.as_array().unwrap().iter().position(|mark| mark["kind"] == "elected").expect("it elects");
    let there = go(&mut lab, &session, json!({ "mark": elected }));
    assert_eq!((&there["leaders"], &there["place"], &there["time"]), (&json!(1), &json!(2), &json!(4)));
}

#[test]
fn what_is_played_is_what_a_jump_shows() {
    for line in lines() {
        let (mut played, mut jumping) = (Lab::new(|| 0.0), Lab::new(|| 0.0));
        let (one, other) = (open(&mut played, &line), open(&mut jumping, &line));
        let end = finish(&mut played, &one)["moves"].as_u64().unwrap();
        finish(&mut jumping, &other);
        let all = ask(&mut jumping, json!({ "op": "window", "session": other, "from": 1, "to": 300 }));
        let steps = all["steps"].as_array().unwrap();
        // The page reads a few moves at a time while time passes, and jumps back and forth between.
        let mut read = Vec::new();
        while read.len() < steps.len() {
            let from = read.len() as u64 + 1;
            let step = &steps[read.len()];
            let at = go(&mut played, &one, json!({ "time": step["time"] }));
            let last = steps.iter().filter(|other| other["time"].as_u64() <= step["time"].as_u64()).count() as u64;
            assert!(at["move"] == last || last == 300, "{line}: {at}");
            let request = json!({ "op": "window", "session": one, "from": from, "to": (from + 6).min(300) });
            read.extend(ask(&mut played, request)["steps"].as_array().unwrap().iter().cloned());
            if from.is_multiple_of(3) {
                let back =
                    ask(&mut played, json!({ "op": "window", "session": one, "from": from / 2 + 1, "to": from }));
                assert_eq!(back["steps"][0], steps[from as usize / 2], "{line}");
                go(&mut played, &one, json!({ "move": end / 2 }));
            }
        }
        assert_eq!(&read, steps, "{line}");
        let digest = |position: &Value| position["digest"].clone();
        let fresh = go(&mut jumping, &other, json!({ "move": end / 3 }));
        assert_eq!(digest(&go(&mut played, &one, json!({ "move": end / 3 }))), digest(&fresh), "{line}");
    }
}

#[test]
fn presets_show_what_they_promise() {
    let mut lab = Lab::default();
    for preset in PRESETS {
        let session = open(&mut lab, preset.line);
        let ahead = finish(&mut lab, &session);
        let verdict = match preset.name {
            "printed-lock" | "deadlock" => "violated",
            _ => "held",
        };
        assert_eq!(ahead["verdict"], verdict, "{}", preset.line);
        let end = go(&mut lab, &session, json!("end"));
        match preset.name {
            // N(N+1)/2 candidates and N announcements.
            "worst-order" => assert_eq!(end["messages"], 12 * 13 / 2 + 12),
            "printed-lock" => {
                let marks = ahead["marks"].as_array().unwrap();
                assert!(marks.iter().any(|mark| mark["text"].as_str().unwrap().contains("2 are inside")), "{marks:?}");
            }
            "deadlock" => assert_eq!((&end["time"], &end["violations"]), (&json!(4), &json!(1))),
            "clocks" => {
                let other = ask(&mut lab, json!({ "op": "rail", "session": session }));
                assert!(end["messages"].as_u64() < Some(16 * 15), "{other}");
            }
            "lost-token" => assert!(end["messages"].as_u64() > Some(0)),
            _ => assert_eq!(end["leaders"], 1),
        }
    }
}

#[test]
fn a_link_leads_back() {
    let mut lab = Lab::default();
    let session = open(&mut lab, "run itai-rodeh -n 5 --timing untimed --seed 9");
    finish(&mut lab, &session);
    let here = go(&mut lab, &session, json!({ "move": 17 }));
    let selection = json!({ "processor": 3, "message": null });
    let link = ask(&mut lab, json!({ "op": "link", "session": session, "selection": selection }))["fragment"].take();
    let opened = ask(&mut lab, json!({ "op": "open", "link": link }));
    assert_eq!((&opened["position"], &opened["selection"], &opened["cursor"]), (&here, &selection, &json!(17)));
    let (why, _) = refused(&mut lab, json!({ "op": "open", "link": "l9.abc" }));
    assert!(why.contains("format 9"), "{why}");
}

#[test]
fn a_trace_leads_to_its_violation() {
    let mut lab = Lab::default();
    let session = open(&mut lab, "run spirakis-tampakas-mutex -n 4 --entries 3 --set printed=sleep --seed 2");
    let text = ask(&mut lab, json!({ "op": "trace", "session": session }))["text"].take();
    let opened = ask(&mut lab, json!({ "op": "open", "trace": text }));
    let position = &opened["position"];
    assert_eq!((&position["violations"], &position["inside"]), (&json!(1), &json!(2)), "{position}");
    // Its seed makes the same run: no choices are listed.
    let line = opened["run"]["line"].as_str().unwrap();
    assert!(!line.contains("--choices"), "{line}");
    assert_eq!(
        report_of(line)["trace"],
        report_of("run spirakis-tampakas-mutex -n 4 --entries 3 --set printed=sleep --seed 2")["trace"]
    );
    let damaged = text.as_str().unwrap().replace("\"choices\":[", "\"choices\":[9,9,9,");
    assert!(refused(&mut lab, json!({ "op": "open", "trace": damaged })).0.contains("recorded run"));
}

#[test]
fn an_event_picked_by_hand_is_repeated_by_the_command_line() {
    let mut lab = Lab::default();
    let session = open(&mut lab, "run chang-roberts --ids 3,1,4,2 --timing untimed");
    let mut taken = Vec::new();
    for step in 0.. {
        let enabled = ask(&mut lab, json!({ "op": "enabled", "session": session }))["enabled"].take();
        let Some(last) = enabled.as_array().unwrap().last() else { break };
        let answer = ask(&mut lab, json!({ "op": "take", "session": session, "index": last["index"] }));
        assert_eq!((&answer["position"]["move"], &answer["position"]["place"]), (&json!(step + 1), &last["place"]));
        taken.push(answer["position"]["step"].clone());
    }
    assert!(taken.len() > 10);
    let line = ask(&mut lab, json!({ "op": "command", "session": session }))["line"].take();
    let line = line.as_str().unwrap();
    assert!(line.contains("--choices"), "{line}");
    assert_eq!(ask(&mut lab, json!({ "op": "report", "session": session })), report_of(line));
    let again = open(&mut lab, line);
    for (number, step) in taken.iter().enumerate() {
        assert_eq!(&go(&mut lab, &again, json!({ "move": number + 1 }))["step"], step);
    }
}

#[test]
fn an_intervention_changes_the_run_and_its_command_line_repeats_it() {
    let mut lab = Lab::default();
    let line = "run chang-roberts --ids 3,1,4,2";
    let session = open(&mut lab, line);
    // Behind the first four wakes: message 3 is candidate 4 on its way to place 3.
    go(&mut lab, &session, json!({ "move": 4 }));
    let answer = ask(&mut lab, json!({ "op": "intervene", "session": session, "message": 3, "action": "drop" }));
    assert_eq!(answer["position"]["time"], 0);
    assert_eq!(answer["run"]["interventions"], json!(["3:drop"]));
    let report = ask(&mut lab, json!({ "op": "report", "session": session }));
    assert_eq!(report["outcome"]["finished"], false);
    let line = answer["run"]["line"].as_str().unwrap();
    assert!(line.contains("--intervene 3:drop"), "{line}");
    assert_eq!(report, report_of(line));
    // Held instead: the message arrives at 50, and the election comes later by as much as that.
    ask(&mut lab, json!({ "op": "intervene", "session": session, "message": 3, "action": "until:50" }));
    let held = ask(&mut lab, json!({ "op": "report", "session": session }));
    assert_eq!(held["cost"]["time_elected"], 53);
    let cleared = ask(&mut lab, json!({ "op": "intervene", "session": session, "clear": true }));
    assert_eq!(cleared["run"]["interventions"], json!([]));
    assert_eq!(cleared["position"]["move"], 4);
    // A message that has arrived cannot be dropped.
    go(&mut lab, &session, json!("end"));
    let (why, allowed) =
        refused(&mut lab, json!({ "op": "intervene", "session": session, "message": 1, "action": "drop" }));
    assert!(why.contains("has arrived") && allowed.contains("go back"), "{why}; {allowed}");
}

#[test]
fn a_processor_is_changed_from_the_next_instant_on() {
    let mut lab = Lab::default();
    let session = open(&mut lab, "run chang-roberts --ids 3,1,4,2");
    let before = go(&mut lab, &session, json!({ "time": 1 }));
    let answer = ask(&mut lab, json!({ "op": "intervene", "session": session, "place": 0, "action": "crash" }));
    assert_eq!(answer["position"]["move"], before["move"]);
    assert!(answer["run"]["line"].as_str().unwrap().contains("--faults crash:0@2"), "{answer}");
    let after = by(&mut lab, &session, "move", 1);
    assert_eq!((&after["step"]["cause"], &after["place"]), (&json!("crash"), &json!(0)));
    // Four processors at 16 and behind, then the one that has crashed.
    let Some(session) = session.as_u64() else { panic!("a number") };
    let frame = lab.frame(session as u32);
    assert_eq!(frame[16 + 1] & 1, 1, "place 0 is crossed out");
    let (why, allowed) =
        refused(&mut lab, json!({ "op": "intervene", "session": session, "place": 0, "action": "explode" }));
    assert!(why.contains("explode") && allowed.contains("pause:LENGTH"), "{why}; {allowed}");
}

#[test]
fn a_frame_has_a_word_for_each_processor_and_the_messages_in_flight() {
    let mut lab = Lab::default();
    let session = open(&mut lab, "run chang-roberts --ids 3,1,4");
    go(&mut lab, &session, json!({ "move": 2 }));
    let frame = lab.frame(session.as_u64().unwrap() as u32);
    let word = |at: usize| u32::from_le_bytes(frame[at..at + 4].try_into().unwrap());
    let float = |at: usize| f64::from_le_bytes(frame[at..at + 8].try_into().unwrap());
    assert_eq!([word(0), word(4), word(8), word(12)], [3, 2, 0, 0]);
    // Two are active, the second by the last move; the third is asleep.
    assert_eq!(frame[16..28], [1, 0, 0, 0, 1, 4, 0, 0, 0, 0, 0, 0]);
    // 12 bytes of processors are padded to 16; a message has 40.
    assert_eq!(frame.len(), 32 + 2 * 40);
    assert_eq!([float(32), float(40), float(48)], [1.0, 0.0, 1.0]);
    assert_eq!([word(56), word(60)], [0, 1]);
    assert_eq!([float(72), float(80), float(88)], [2.0, 0.0, 1.0]);
    assert_eq!([word(96), word(100)], [1, 2]);
}

#[test]
fn a_cone_holds_what_a_move_follows_from_and_what_follows_from_it() {
    let mut lab = Lab::default();
    let session = open(&mut lab, "run chang-roberts --ids 1,2,3");
    finish(&mut lab, &session);
    // Moves 1 to 3 wake places 0 to 2. At 1 place 0 receives candidate 3 (move 4), place 1 receives 1 (move 5), and place 2
    // receives 2 (move 6); only 3 is sent on, and received by place 1 at 2 (move 7).
    let window = ask(&mut lab, json!({ "op": "window", "session": session, "from": 1, "to": 7 }));
    let places: Vec<_> =
        window["steps"].as_array().unwrap().iter().map(|step| step["place"].as_u64().unwrap()).collect();
    assert_eq!(places, [0, 1, 2, 0, 1, 2, 1]);
    let cone = ask(&mut lab, json!({ "op": "cone", "session": session, "move": 4 }));
    assert_eq!(cone, json!({ "past": [1, 3], "future": [7] }));
    let cone = ask(&mut lab, json!({ "op": "cone", "session": session, "move": 7 }));
    assert_eq!(cone, json!({ "past": [1, 2, 3, 4, 5], "future": [] }));
    assert!(refused(&mut lab, json!({ "op": "cone", "session": session, "move": 99 })).1.contains("1 to 7"));
}

#[test]
fn what_cannot_be_done_is_answered_with_why() {
    let mut lab = Lab::default();
    let session = open(&mut lab, "run peterson -n 3");
    for (request, why) in [
        (json!("nonsense"), "cannot be read"),
        (json!({ "op": "dance", "session": session }), "no operation 'dance'"),
        (json!({ "op": "dance" }), "no session"),
        (json!({ "op": "rail", "session": session, "steps": 3 }), "unknown field"),
        (json!({ "op": "go", "session": session, "to": "moon" }), "to cannot be read"),
        (json!({ "op": "open" }), "no source"),
        (json!({ "op": "open", "line": "run petersen" }), "did you mean 'peterson'?"),
        (json!({ "op": "open", "line": "run peterson -n 2000001" }), "-n is 2000001"),
        (json!({ "op": "open", "options": { "protocol": "peterson", "n": {} } }), "-n is {}"),
        (json!({ "op": "open", "options": { "n": 3 } }), "--protocol is not given"),
        (json!({ "op": "open", "trace": "{}" }), "no trace"),
        (json!({ "op": "rail", "session": 77 }), "no session 77"),
        (json!({ "op": "inspect", "session": session, "place": 3 }), "the place is 3"),
        (json!({ "op": "go", "session": session }), "neither to nor by"),
        (json!({ "op": "go", "session": session, "to": { "mark": 5 } }), "the mark is 5"),
        (json!({ "op": "take", "session": session, "index": 0 }), "the index is 0"),
        (json!({ "op": "intervene", "session": session }), "no object"),
        (json!({ "op": "check", "line": "check peterson" }), "-n is not given"),
        (json!({ "op": "check-step", "check": 1, "seconds": 1 }), "no check 1"),
    ] {
        let (message, _) = refused(&mut lab, request.clone());
        assert!(message.contains(why), "{request}: {message}");
    }
    let (_, allowed) = refused(&mut lab, json!({ "op": "open", "line": "run peterson -n 2000001" }));
    assert!(allowed.contains("ringleader run peterson -n 2000001"), "{allowed}");
    ask(&mut lab, json!({ "op": "close", "session": session }));
    assert!(refused(&mut lab, json!({ "op": "rail", "session": session })).0.contains("no session"));
}

#[test]
fn a_check_goes_on_in_slices_and_its_counterexample_opens() {
    // A clock that goes on by a millisecond whenever it is looked at.
    fn now() -> f64 {
        use std::sync::atomic::{AtomicU64, Ordering};
        static LOOKED: AtomicU64 = AtomicU64::new(0);
        LOOKED.fetch_add(1, Ordering::Relaxed) as f64 / 1000.0
    }
    let mut lab = Lab::new(now);
    for (line, verdict) in [
        ("check chang-roberts -n 5", "holds"),
        ("check van-leeuwen-tan -n 4 --set duplex=half --set printed=id", "violated"),
        ("check spirakis-tampakas-mutex -n 2 --r 1 --d 1 --set c1=1 --set printed=sleep", "violated"),
    ] {
        let check = ask(&mut lab, json!({ "op": "check", "line": line }))["check"].take();
        let mut slices = 0;
        let done = loop {
            let step = ask(&mut lab, json!({ "op": "check-step", "check": check, "seconds": 0.01 }));
            slices += 1;
            if step["done"] == true {
                break step;
            }
        };
        assert_eq!(done["verdict"], verdict, "{line}: {done}");
        assert!(done["states"].as_u64() > Some(100), "{line}: {done}");
        if verdict == "holds" {
            assert!(slices > 1, "{line}: it was made in one slice");
            continue;
        }
        let opened = ask(&mut lab, json!({ "op": "open", "trace": done["counterexample"] }));
        assert_eq!(opened["position"]["violations"], 1, "{line}: {opened}");
    }
}

/// The marks of a run of some kinds.
fn marks_of(lab: &mut Lab, session: &Value, kinds: &[&str]) -> Vec<(u64, String)> {
    let marks = ask(lab, json!({ "op": "ahead", "session": session, "budget": 1 }))["marks"].take();
    let of_kind = |mark: &&Value| kinds.contains(&mark["kind"].as_str().unwrap());
    let found = marks.as_array().unwrap().iter().filter(of_kind);
    found.map(|mark| (mark["time"].as_u64().unwrap(), mark["text"].as_str().unwrap().to_string())).collect()
}

/// A number of four bytes in the frame of a session.
fn word(frame: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(frame[at..at + 4].try_into().unwrap())
}

#[test]
fn what_comes_after_the_last_move_belongs_to_the_end() {
    // 4 is elected at 4, and known to all at 8; place 1 pauses at 8, and goes on at 108, when nothing is left to do.
    let mut lab = Lab::default();
    let session = open(&mut lab, "run chang-roberts --ids 3,1,4,2 --faults pause:1@8+100");
    let ahead = finish(&mut lab, &session);
    assert_eq!(ahead["time"], 8);
    let number = session.as_u64().unwrap() as u32;
    let moves = ahead["moves"].as_u64().unwrap();
    let paused = |lab: &Lab| lab.frame(number)[16 + 4 + 1] & 2;
    let before = go(&mut lab, &session, json!({ "move": moves - 1 }));
    assert_eq!((&before["over"], &before["step"]["cause"], paused(&lab)), (&json!(false), &json!("pause"), 2));
    let stepped = by(&mut lab, &session, "move", 1);
    assert_eq!((&stepped["over"], &stepped["time"], paused(&lab)), (&json!(true), &json!(8), 0));
    assert_eq!(stepped["digest"], ahead["digest"]);
    assert_eq!(go(&mut lab, &session, json!("end")), stepped);
    assert_eq!(by(&mut lab, &session, "move", -1), before);
    assert_eq!(by(&mut lab, &session, "move", 1), stepped);
    assert_eq!(by(&mut lab, &session, "move", 1), stepped, "nothing is left");
}

#[test]
fn a_violation_that_only_the_end_shows_is_marked_there() {
    let mut lab = Lab::default();
    let session = open(&mut lab, "run lelann -n 4 --faults crash:3@2");
    let ahead = finish(&mut lab, &session);
    let end = go(&mut lab, &session, json!("end"));
    let marks: Vec<_> = ahead["marks"].as_array().unwrap().iter().filter(|mark| mark["kind"] == "violation").collect();
    assert_eq!(marks.len(), 1, "{ahead}");
    assert_eq!((&marks[0]["move"], &marks[0]["time"]), (&end["move"], &end["time"]));
    let rail = ask(&mut lab, json!({ "op": "rail", "session": session }));
    assert_eq!((&rail["verdict"], &rail["outcome"]), (&json!("violated"), &json!("nobody is elected")));
    assert_eq!((&end["violations"], &ahead["outcome"]), (&json!(1), &json!("nobody is elected")));
    // As long as it goes on, somebody may still be elected.
    by(&mut lab, &session, "move", -1);
    let rail = ask(&mut lab, json!({ "op": "rail", "session": session }));
    assert_eq!((&rail["verdict"], &rail["outcome"]), (&json!("open"), &json!("nobody is elected yet")));
}

#[test]
fn faults_and_interventions_are_marked() {
    let mut lab = Lab::default();
    let line = "run chang-roberts --ids 3,1,4,2 --faults cut:2-3@0..2,pause:0@2+5,crash:1@3,restart:1@5 \
                --intervene 2:delay:4,4:drop,900:drop";
    let session = open(&mut lab, line);
    let ahead = finish(&mut lab, &session);
    let fault = |time: u64, text: &str| (time, text.to_string());
    assert_eq!(
        marks_of(&mut lab, &session, &["fault"]),
        [
            fault(0, "the link between place 2 and place 3 is cut"),
            fault(2, "the link between place 2 and place 3 is cut no more"),
            fault(2, "place 0 (id 3) pauses until 7"),
            fault(3, "place 1 (id 1) crashes"),
            fault(5, "place 1 (id 1) restarts"),
        ]
    );
    // Messages 2 and 4 are sent when places 1 and 3 wake; message 900 never is.
    assert_eq!(
        marks_of(&mut lab, &session, &["intervention"]),
        [fault(0, "intervention: message 2 is made to take 4"), fault(0, "intervention: message 4 is dropped")]
    );
    let crash = ahead["marks"].as_array().unwrap().iter().position(|mark| mark["text"] == "place 1 (id 1) crashes");
    let there = go(&mut lab, &session, json!({ "mark": crash }));
    assert_eq!((&there["step"]["cause"], &there["time"], &there["place"]), (&json!("crash"), &json!(3), &json!(1)));
    // The link is cut in the frames from 0 on, and before 2.
    let frame = |lab: &Lab| lab.frame(session.as_u64().unwrap() as u32);
    for (time, cut) in [(0, 1), (1, 1), (2, 0), (3, 0)] {
        go(&mut lab, &session, json!({ "time": time }));
        let frame = frame(&lab);
        assert_eq!(word(&frame, 12), cut, "at {time}");
        if cut == 1 {
            let ends = frame.len() - 8;
            assert_eq!([word(&frame, ends), word(&frame, ends + 4)], [2, 3]);
        }
    }
}

#[test]
fn a_copy_is_told_apart() {
    let mut lab = Lab::default();
    let session = open(&mut lab, "run chang-roberts --ids 3,1,4 --intervene 1:duplicate");
    go(&mut lab, &session, json!({ "move": 1 }));
    let frame = lab.frame(session.as_u64().unwrap() as u32);
    assert_eq!(word(&frame, 4), 2, "the message and its copy");
    // Three processors take 12 bytes, padded to 16; the flags of a message are its 36th byte.
    assert_eq!([frame[32 + 35], frame[72 + 35]], [2, 1], "interfered with; a copy");
    let messages = ask(&mut lab, json!({ "op": "messages", "session": session }))["messages"].take();
    let told: Vec<_> = messages.as_array().unwrap().iter().map(|one| (&one["number"], &one["copy"])).collect();
    assert_eq!(told, [(&json!(1), &json!(false)), (&json!(2), &json!(true))]);
}

/// The rows of the table by phase: phase, messages and bound.
fn phases_of(rail: &Value) -> Vec<[Option<u64>; 3]> {
    let row = |row: &Value| ["phase", "messages", "bound"].map(|field| row[field].as_u64());
    rail["phases"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn the_table_by_phase_has_messages_and_bounds() {
    let row = |phase: u64, messages: u64, bound: u64| [phase, messages, bound].map(Some);
    for (line, rows) in [
        // As the heads of the protocols count them. 2N in phase 0; 1 sends 3 round by way of 2.
        ("run van-leeuwen-tan --ids 3,2,1", vec![row(0, 6, 6), row(1, 3, 3)]),
        // Round 1 takes 6; 9, held by place 2, has two hops home.
        ("run peterson --ids 2,9,4", vec![row(1, 6, 6), row(2, 2, 6)]),
        // 6 tokens and 3 OKs; 2 tokens over 2 links and 2 OKs back; 2 tokens over 3 links.
        ("run hirschberg-sinclair --ids 3,2,1", vec![row(1, 9, 12), row(2, 8, 8), row(3, 6, 6)]),
        // 4 and 3 survive round 1 of 3, 1, 4, 2, 4 survives round 2, and finds out in round 3.
        ("run franklin --ids 3,1,4,2", vec![row(1, 8, 8), row(2, 8, 8), row(3, 8, 8)]),
        // 3 and 2 survive phase 1, 3 survives phase 2 and finds out in phase 3.
        ("run peterson-alternating --ids 3,1,2", vec![row(1, 3, 3), row(2, 3, 3), row(3, 3, 3)]),
    ] {
        let mut lab = Lab::default();
        let session = open(&mut lab, line);
        finish(&mut lab, &session);
        go(&mut lab, &session, json!("end"));
        let rail = ask(&mut lab, json!({ "op": "rail", "session": session }));
        assert_eq!(phases_of(&rail), rows, "{line}: {rail}");
        assert!(
            rail["phase-bound"]["source"].as_str().is_some_and(|source| source.contains("19") || source.contains("20"))
        );
    }
}

#[test]
fn no_phase_exceeds_its_bound_and_every_message_has_one() {
    let elections = [
        "van-leeuwen-tan",
        "van-leeuwen-tan --set duplex=half",
        "peterson",
        "peterson --set elected=holder",
        "peterson-alternating",
        "franklin",
        "hirschberg-sinclair",
        "hirschberg-sinclair --set blocked=echo",
        "dolev-klawe-rodeh",
        "dolev-klawe-rodeh --set variant=b",
    ];
    for (election, seed) in elections.iter().flat_map(|election| (0..12).map(move |seed| (election, seed))) {
        let more = ["--d 1..9", "--wake random:2 --d 1..9", "--timing untimed"][seed % 3];
        let line = format!("run {election} -n {} --seed {seed} {more}", 1 + 3 * seed);
        let mut lab = Lab::default();
        let session = open(&mut lab, &line);
        finish(&mut lab, &session);
        go(&mut lab, &session, json!("end"));
        let rail = ask(&mut lab, json!({ "op": "rail", "session": session }));
        let rows = phases_of(&rail);
        for [_, messages, bound] in &rows {
            assert!(bound.is_some() && messages <= bound, "{line}: {rows:?}");
        }
        let report = ask(&mut lab, json!({ "op": "report", "session": session }));
        let sent: u64 = rows.iter().filter_map(|[_, messages, _]| *messages).sum();
        assert_eq!(report["cost"]["messages"]["election"], sent, "{line}: {rows:?}");
        // Half-way there are as many as a run sends that is stopped there.
        let end = ask(&mut lab, json!({ "op": "position", "session": session }))["move"].as_u64().unwrap();
        let half = go(&mut lab, &session, json!({ "move": end / 2 }));
        let rail = ask(&mut lab, json!({ "op": "rail", "session": session }));
        let sent: u64 = phases_of(&rail).iter().filter_map(|[_, messages, _]| *messages).sum();
        assert!(sent <= half["messages"].as_u64().unwrap(), "{line}");
    }
}

#[test]
fn an_intervention_beyond_what_links_do_leaves_no_bound_by_phase() {
    let mut lab = Lab::default();
    let session = open(&mut lab, "run peterson --ids 2,9,4 --intervene 1:duplicate");
    finish(&mut lab, &session);
    go(&mut lab, &session, json!("end"));
    let rail = ask(&mut lab, json!({ "op": "rail", "session": session }));
    assert!(rail.get("phase-bound").is_none(), "{rail}");
    assert!(phases_of(&rail).iter().all(|[_, _, bound]| bound.is_none()), "{rail}");
}

#[test]
fn a_reader_that_waits_is_not_reading() {
    let mut lab = Lab::default();
    let session = open(&mut lab, "run lamport-readers-writers -n 3 --readers 2 --writers 1 --entries 2");
    let moves = finish(&mut lab, &session)["moves"].as_u64().unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for to in 0..=moves {
        let position = go(&mut lab, &session, json!({ "move": to }));
        let mut inside = 0;
        for place in 0..3 {
            let view = ask(&mut lab, json!({ "op": "inspect", "session": session, "place": place }));
            // What the processor itself is about: it waits before an attempt, asks a cell, or has its answer.
            let stage = view["fields"].as_array().unwrap().iter().find(|field| field[0] == "stage").unwrap()[1].clone();
            let state = match stage.as_str().unwrap() {
                "waiting" => "trying",
                "asking" | "answered" if place < 2 => "reading",
                "asking" | "answered" => "writing",
                "idle" if view["state"] == "asleep" => "asleep",
                "idle" => "remainder",
                other => panic!("{other}"),
            };
            assert_eq!(view["state"], state, "place {place} after move {to}");
            inside += u64::from(["reading", "writing"].contains(&state));
            seen.insert(state);
        }
        assert_eq!(position["inside"], inside, "after move {to}");
    }
    assert!(["trying", "reading", "writing", "remainder"].iter().all(|state| seen.contains(state)), "{seen:?}");
}

#[test]
fn without_clocks_a_processor_crashes_and_restarts_by_hand() {
    for line in ["run chang-roberts --ids 3,1,4,2 --timing untimed", "run itai-rodeh -n 4 --timing untimed --seed 5"] {
        let mut lab = Lab::default();
        let session = open(&mut lab, line);
        let before = go(&mut lab, &session, json!({ "move": 5 }));
        let crashed = ask(&mut lab, json!({ "op": "intervene", "session": session, "place": 2, "action": "crash" }));
        assert_eq!(crashed["position"]["move"], 6);
        assert_eq!(
            (&crashed["position"]["step"]["cause"], &crashed["position"]["place"]),
            (&json!("crash"), &json!(2))
        );
        assert_eq!(by(&mut lab, &session, "move", -1)["step"], before["step"], "{line}: the moves before are the same");
        go(&mut lab, &session, json!({ "move": 8 }));
        let restarted =
            ask(&mut lab, json!({ "op": "intervene", "session": session, "place": 2, "action": "restart" }));
        let step = &restarted["position"]["step"];
        assert_eq!(
            (&step["cause"], &step["place"], &step["move"]),
            (&json!("restart"), &json!(2), &json!(9)),
            "{line}"
        );
        let repeated = restarted["run"]["line"].as_str().unwrap();
        assert!(repeated.contains("--faults crash:1,restart:1") && repeated.contains("--choices"), "{repeated}");
        // The command line makes the same run, its digest included.
        let ahead = finish(&mut lab, &session);
        let report = ask(&mut lab, json!({ "op": "report", "session": session }));
        assert_eq!(report, report_of(repeated), "{line}");
        let again = open(&mut lab, repeated);
        assert_eq!(finish(&mut lab, &again)["digest"], ahead["digest"]);
        // A second crash of another place raises what is allowed.
        let second = ask(&mut lab, json!({ "op": "intervene", "session": session, "place": 0, "action": "crash" }));
        assert!(second["run"]["line"].as_str().unwrap().contains("crash:2,restart:1"), "{second}");
        assert_eq!(
            ask(&mut lab, json!({ "op": "report", "session": session })),
            report_of(second["run"]["line"].as_str().unwrap())
        );
        let (why, _) =
            refused(&mut lab, json!({ "op": "intervene", "session": session, "place": 0, "action": "crash" }));
        assert!(why.contains("not enabled for place 0"), "{why}");
        let (why, _) =
            refused(&mut lab, json!({ "op": "intervene", "session": session, "place": 1, "action": "pause:3" }));
        assert!(why.contains("is a pause"), "{why}");
    }
}
