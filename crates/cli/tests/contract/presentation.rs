//! Presentation: widths, prefixes, notes; versions and schemas of all JSON; completions and manual pages.

use serde_json::{Value, json};

use super::common::{Workplace, words};
use super::{call, object, violations};

/// The widest line of a command's output, in a terminal of this width.
fn widest(line: &str, columns: &str) -> usize {
    let ended = Workplace::new().call_with(&words(line), &[("COLUMNS", columns)]);
    assert_eq!(ended.stderr, "", "ringleader {line}");
    // A command to be copied stays in one line.
    let kept = |line: &&str| !line.contains("ringleader ") && !line.contains("http");
    ended.stdout.lines().filter(kept).map(|line| line.chars().count()).max().unwrap_or(0)
}

#[test]
fn output_fits_the_terminal() {
    for line in [
        "",
        "list",
        "info vitanyi",
        "league -n 10",
        "league mutual-exclusion -n 3",
        "reproduce --table lemma-1 --runs 10 -n 2",
        "run chang-roberts --ids 3,1,4,2 --steps",
        "check chang-roberts -n 3",
    ] {
        for columns in [80, 120, 200] {
            let found = widest(line, &columns.to_string());
            assert!(found <= columns, "ringleader {line}: {found} columns of {columns}");
        }
    }
}

#[test]
fn nothing_is_left_out_in_a_pipe_or_with_wide() {
    let piped = call("league -n 10").stdout;
    for title in ["counted", "formula", "bits", "leader"] {
        assert!(piped.contains(title), "{title}");
    }
    let place = Workplace::new();
    let narrow = |line: &str| place.call_with(&words(line), &[("COLUMNS", "80")]).stdout;
    assert!(narrow("league -n 10").contains("not shown: "));
    // What matters most is there at 80 columns.
    let league = narrow("league");
    let titles: Vec<_> = league.lines().nth(2).unwrap().split_whitespace().collect();
    assert_eq!(titles, ["protocol", "network", "messages", "counted", "bound"]);
    let wide = narrow("league -n 10 --wide");
    assert!(wide.contains("formula") && !wide.contains("not shown"));
    // A width that is none is no width.
    for columns in ["", "0", "wide"] {
        assert_eq!(place.call_with(&words("league -n 10"), &[("COLUMNS", columns)]).stdout, piped, "{columns:?}");
    }
}

#[test]
fn a_unique_prefix_names_a_protocol() {
    assert_eq!(object("run chang -n 3 --json", 0)["protocol"], "chang-roberts");
    assert_eq!(object("check chang -n 2 --json", 0)["protocol"], "chang-roberts");
    assert_eq!(object("info ring-si --json", 0)["name"], "ring-size");
    // A name that is a prefix of another is a name.
    assert_eq!(object("info peterson --json", 0)["name"], "peterson");
    let ambiguous = call("info peters");
    assert_eq!(
        (ambiguous.code, ambiguous.stderr.as_str()),
        (2, "error: ambiguous protocol 'peters'\nallowed: peterson, peterson-alternating\n")
    );
    assert_eq!(call("info nobody").code, 2);
    assert!(object("list mutual-exclusion --json", 0).as_array().unwrap().len() == 2);
    assert!(call("list nothing").stderr.contains("allowed: election, mutual-exclusion"));
}

#[test]
fn numbers_are_read_as_people_write_them() {
    let place = Workplace::new();
    for list in ["3,1,4,2", "3, 1, 4, 2", " 3 ,1,4 , 2 "] {
        let ended = place.call(&["run", "chang-roberts", "--ids", list, "--json"]);
        let report: Value = serde_json::from_str(&ended.stdout).unwrap();
        assert_eq!(report["scenario"]["ids"], json!([3, 1, 4, 2]), "{list}");
    }
    for n in ["1000", "1_000", "1e3"] {
        assert_eq!(object(&format!("run chang-roberts -n {n} --json"), 0)["scenario"]["n"], 1000, "{n}");
    }
    assert_eq!(call("league -n 1e1").code, 0);
    let refused = call("bench -n many");
    assert!(refused.stderr.contains("allowed: integers from 1 to "), "{}", refused.stderr);
    assert!(!refused.stderr.contains(&u64::MAX.to_string()), "the true limit: {}", refused.stderr);
}

/// Every command that prints JSON, the shape of its schema, and whether it prints a list.
const PRINTED: [(&str, &str, bool); 22] = [
    ("run chang-roberts -n 3 --json", "run", false),
    ("run itai-rodeh -n 3 --steps --json", "run", false),
    ("run chang-roberts -n 3 --faults crash:0@1 --max-time 9 --steps --json", "run", false),
    ("check chang-roberts -n 2 --json", "check", false),
    ("check peterson -n 3 --links any --save run.json --json", "check", false),
    ("check itai-rodeh -n 2 --probability --json", "probability", false),
    ("check lelann --ids 1,2,1,2 --anonymous --json", "anonymous", false),
    ("check itai-rodeh -n 2 --anonymous --json", "anonymous", false),
    ("exact chang-roberts -n 2..4 --json", "exact", false),
    ("exact van-leeuwen-tan -n 1 --set printed=one --json", "exact", false),
    ("worst franklin -n 4 --json", "worst", false),
    ("worst vitanyi -n 3 --r 1..2 --quantity time --json", "worst", false),
    ("worst franklin -n 2 --over schedules --json", "worst", false),
    ("list --json", "list", true),
    ("info vitanyi --json", "info", false),
    ("league -n 5 --json", "league", true),
    ("league readers-writers -n 2 --json", "league-sharing", true),
    ("reproduce E11 E13 L33 --quick --json", "reproduce", false),
    ("reproduce --table lemma-1 --runs 10 -n 1 --json", "table", false),
    ("bench -n 100 --json", "bench", true),
    ("doctor --json", "doctor", true),
    ("replay run.json --json", "replay", false),
];

#[test]
fn all_json_has_a_version_and_a_schema() {
    let place = Workplace::new();
    for (line, shape, list) in PRINTED {
        let ended = place.call(&words(line));
        let value: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{line}: {error}"));
        let rows = if list { value.as_array().unwrap().clone() } else { vec![value.clone()] };
        assert!(!rows.is_empty() && rows.iter().all(|row| row["version"] == 1), "{line}");
        let schema = object(&format!("schema {shape}"), 0);
        assert_eq!(violations(&schema, &schema, &value, shape), [""; 0], "ringleader {line}");
    }
    let trace: Value = serde_json::from_str(&place.read("run.json")).unwrap();
    let schema = object("schema trace", 0);
    assert_eq!(violations(&schema, &schema, &trace, "trace"), [""; 0]);
    let described = schema["properties"].as_object().unwrap();
    assert!(trace.as_object().unwrap().keys().all(|key| described.contains_key(key)));
}

#[test]
fn steps_are_data() {
    let report = object("run chang-roberts --ids 3,1,4,2 --steps --json", 0);
    let steps = report["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 16);
    let fifth = &steps[4];
    assert_eq!((&fifth["number"], &fifth["time"], &fifth["place"]), (&json!(5), &json!(1), &json!(0)));
    assert_eq!((&fifth["cause"]["cause"], &fifth["cause"]["from"]), (&json!("receive"), &json!(3)));
    assert_eq!(fifth["comparisons"], json!([{"left": 2, "ordering": "less", "right": 3}]));
    assert_eq!(fifth["rules"], json!([3]));
    assert_eq!(fifth["text"], "at 1 place 0 (id 3) receives candidate 2 from place 3: discards it (2 < 3; rule 3)");
    assert!(object("run chang-roberts --ids 3,1,4,2 --json", 0).get("steps").is_none());
    let place = Workplace::new();
    let check = place.call(&words("check peterson -n 3 --links any --save run.json --json"));
    let report: Value = serde_json::from_str(&check.stdout).unwrap();
    let counterexample = &report["counterexample"];
    assert_eq!(counterexample["trace"].as_array().unwrap().len() as u64, counterexample["steps"].as_u64().unwrap());
}

#[test]
fn integers_beyond_a_float_are_strings_on_request() {
    let line = "run chang-roberts --ids 9007199254740993,1 --json";
    assert_eq!(object(line, 0)["outcome"]["elected_id"], 9_007_199_254_740_993u64);
    let report = object(&format!("{line} --big-integers-as-strings"), 0);
    assert_eq!(report["scenario"]["ids"], json!(["9007199254740993", 1]));
    assert_eq!(report["outcome"]["elected_id"], "9007199254740993");
}

/// Different runs never carry equal scenarios.
#[test]
fn a_scenario_says_everything() {
    let alike = [
        vec![
            "afek-gafni-async -n 4",
            "afek-gafni-async -n 4 --ports shuffled",
            "afek-gafni-async -n 4 --faults duplicate:1/9",
            "afek-gafni-async -n 4 --faults duplicate:1/9,until:7",
            "afek-gafni-async -n 4 --wake one",
            "afek-gafni-async -n 4 --max-time 900",
            "afek-gafni-async -n 4 --max-messages 900",
        ],
        vec![
            "franklin --ids 3,1,2",
            "franklin --ids 3,1,2 --orientation 010",
            "franklin --ids 3,1,2 --orientation 110",
            "franklin --ids 3,1,2 --delays list:1,2,3",
            "franklin --ids 3,1,2 --delays list:1,3,2",
            "franklin --ids 3,1,2 --offsets list:0,1,0 --r 2",
            "franklin --ids 3,1,2 --offsets list:1,0,0 --r 2",
            "franklin --ids 3,1,2 --offsets list:1,0,0 --r 2 --ties both",
        ],
        vec!["vitanyi --ids 3,1,2", "vitanyi --ids 3,1,2 --again 0@90", "vitanyi --ids 3,1,2 --again 1@90"],
    ];
    for lines in alike {
        let place = Workplace::new();
        let run = |line: &str, more: &str| place.call(&words(&format!("run {line} {more}"))).stdout;
        let json = |line: &str| serde_json::from_str::<Value>(&run(line, "--json")).unwrap()["scenario"].clone();
        // What is printed before the result, without the command that repeats it.
        let text = |line: &str| run(line, "").split("\n\n").next().unwrap().to_string();
        for (index, line) in lines.iter().enumerate() {
            for other in &lines[..index] {
                assert_ne!(json(line), json(other), "{line}; {other}");
                assert_ne!(text(line), text(other), "{line}; {other}");
            }
        }
    }
}

#[test]
fn settings_without_effect_are_noted() {
    for (line, note) in [
        ("chang-roberts -n 4 --faults until:5", "until:5 has no effect without loss or duplicate"),
        ("chang-roberts -n 16 --faults crash:99 --timing untimed", "crash:99 is the same as crash:16"),
        ("chang-roberts -n 4 --wake 0,0", "--wake names place 0 more than once"),
        ("van-leeuwen-tan -n 4 --set duplex=full --set duplex=full", "--set duplex=full is given more than once"),
    ] {
        let ended = call(&format!("run {line}"));
        assert!(ended.stdout.contains(note), "ringleader run {line}\n{}{}", ended.stdout, ended.stderr);
    }
    assert!(!call("run chang-roberts -n 4").stdout.contains("note "));
}

/// Without clocks nothing is together.
#[test]
fn waking_together_needs_clocks() {
    let refused = call("check lelann --ids 1,2 --wake together");
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("--wake is 'together' for a check without clocks"), "{}", refused.stderr);
    assert_eq!(call("check lelann --ids 1,2 --wake together --timed").code, 0);
}

#[test]
fn completions_know_protocols_parameters_and_values() {
    for shell in ["bash", "zsh", "fish"] {
        let script = call(&format!("completions {shell}")).stdout;
        for word in ["chang-roberts", "ring-sort", "rules=printed", "duplex=half", "bit-reversal", "per-step"] {
            assert!(script.contains(word), "{word} is not in the completions for {shell}");
        }
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let place = Workplace::new();
    assert_eq!(place.call(&["man", "--dir", "pages"]).code, 0);
    let pages = std::fs::read_dir(place.path().join("pages")).unwrap();
    let mut names: Vec<_> = pages.map(|page| page.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    for command in ["run", "check", "exact", "worst", "replay", "list", "info", "league", "reproduce", "schema"] {
        assert!(names.contains(&format!("ringleader-{command}.1")), "{command}: {names:?}");
        assert!(call(&format!("man {command}")).stdout.contains(&format!(".TH ringleader-{command} 1")), "{command}");
    }
    assert_eq!(call("man nothing").code, 2);
}

#[test]
fn colour_and_detail_are_the_readers_choice() {
    assert!(call("list --color always").stdout.contains('\u{1b}'));
    assert!(call("--color always list").stdout.contains('\u{1b}'));
    let never = Workplace::new().call_with(&words("list --color never"), &[("CLICOLOR_FORCE", "1")]);
    assert!(!never.stdout.contains('\u{1b}'));
    assert_eq!(call("run chang-roberts --ids 3,1,4,2 -q").stdout, "  leader     id 4 at place 2; all 4 agree  held\n");
    assert!(call("run chang-roberts --ids 3,1,4,2 -v").stdout.contains("the announcement's full turn"));
    assert!(call("check lelann -n 2 -q").stdout.lines().count() == 7);
    let (short, long) = (call("check -h").stdout, call("check --help").stdout);
    assert!(short.lines().count() < long.lines().count() && long.contains("Partial-order and symmetry reduction"));
    // An option of the league does not silently apply to a command.
    assert_eq!(call("--seed 3 list").code, 2);
}

#[test]
fn a_small_run_moves_and_a_large_one_is_refused() {
    let place = Workplace::new();
    let made = place.call(&words("run vitanyi -n 8 --picture moving.svg --animate --trace run.json"));
    let again = place.call(&words("replay run.json --picture - --animate"));
    assert_eq!((made.code, again.code), (0, 0), "{} {}", made.stderr, again.stderr);
    for svg in [place.read("moving.svg"), again.stdout] {
        assert!(svg.contains("<svg") && svg.contains("@keyframes "), "{svg}");
    }
    let files = place.listing();
    for (line, what) in [
        // Refused before it is run, and when the run has sent too much.
        ("run chang-roberts -n 65 --picture large.svg --animate", "65 processors"),
        ("run lelann -n 40 --picture large.svg --animate", "1,600 messages"),
        ("run lelann -n 4 --animate", "--picture"),
    ] {
        let ended = place.call(&words(line));
        assert_eq!(ended.code, 2, "{line}: {}", ended.stderr);
        assert!(ended.stderr.contains(what), "{line}: {}", ended.stderr);
        assert_eq!(place.listing(), files, "{line}");
    }
}
