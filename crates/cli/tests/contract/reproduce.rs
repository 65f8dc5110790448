//! `reproduce`: verdicts, exit codes, and findings that are kept.

use ringleader_ledger::{RECORD, records};

use super::common::{Ended, Workplace, words};
use super::{call, object};

#[track_caller]
fn refused(ended: &Ended, texts: &[&str]) {
    assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{}", ended.stderr);
    for text in texts.iter().chain(&["allowed: "]) {
        assert!(ended.stderr.contains(text), "{text} in {}", ended.stderr);
    }
}

#[test]
fn a_refuted_claim_shows_its_counterexample_and_what_holds_instead() {
    let ended = call("reproduce E11 --quick");
    assert_eq!(ended.code, 1);
    for text in ["E11 refuted", "ringleader run franklin --ids 2,1", "2N(1 + ⌊log2 N⌋)", "ringleader exact franklin"]
    {
        assert!(ended.stdout.contains(text), "{text} in {}", ended.stdout);
    }
    // Worked by hand: two processors send two messages each in each of two rounds, 8 in all, and 2N log2 N = 4.
    let entry = object("reproduce e11 --quick --json", 1)["items"][0].clone();
    assert_eq!((&entry["item"], &entry["verdict"]), (&"E11".into(), &"refuted".into()));
    assert_eq!(entry["measured"], "n = 2: election 8 against 2N log2 N = 4; the leading term is right");
    // The counterexample is an ordinary run.
    let command = entry["counterexample"].as_str().expect("there is one").replacen("ringleader ", "", 1);
    assert_eq!(object(&format!("{command} --json"), 0)["cost"]["messages"]["election"], 8);
}

/// Runs whose output has the figure, and no bound that fails: a claim about means, about two protocols, about growth, or in words.
const NO_BOUND: [&str; 18] = [
    "V33", "V40", "V42", "V43", "V47", "V48", "V49", "E5", "E11", "E17", "E18", "E25", "S22", "S23", "S24", "S26",
    "S61", "S62",
];

/// The words of a line of which some are quoted as a whole.
fn unquoted(line: &str) -> Vec<&str> {
    let parts = line.split('\'').enumerate();
    parts.flat_map(|(index, part)| if index % 2 == 1 { vec![part] } else { words(part) }).collect()
}

#[test]
fn a_run_that_refutes_a_bound_shows_where_it_fails() {
    for record in records(RECORD).expect("`cargo xtask ledger` wrote it") {
        let entry = record.quick;
        let Some(command) = entry.counterexample else { continue };
        let line = command.trim_start_matches("ringleader ");
        if !line.starts_with("run ") && !line.starts_with("sweep ") {
            continue;
        }
        let ended = Workplace::new().call(&unquoted(line));
        let shown = ended.stdout.contains('✗') || ended.stdout.contains("violated");
        assert_eq!(shown, !NO_BOUND.contains(&entry.item.as_str()), "{}: {command}\n{}", entry.item, ended.stderr);
        assert!(ended.code == 1 || ended.code == 0 && !shown, "{}: {command}\n{}", entry.item, ended.stderr);
    }
}

#[test]
fn what_holds_is_no_failure_and_sources_are_named_by_a_part_of_their_key() {
    assert_eq!(call("reproduce E13 E15 --quick").code, 0);
    let of = |line: &str| object(line, 1)["items"].as_array().expect("a list").len();
    assert_eq!(of("reproduce epema --quick --json"), 38);
    assert_eq!(of("reproduce E --quick --json"), 38);
    let both = object("reproduce L33 E8 --quick --json", 0);
    let numbers: Vec<_> = both["items"].as_array().expect("a list").iter().map(|entry| entry["item"].clone()).collect();
    assert_eq!(numbers, ["E8", "L33"], "in the order of the ledger");
}

#[test]
fn bad_items_and_misplaced_options_are_refused() {
    refused(&call("reproduce X1"), &["'X1'", "V1 to V66", "L1 to L33"]);
    refused(&call("reproduce V67"), &["'V67'"]);
    refused(&call("reproduce E1 -n 3"), &["-n", "--table"]);
    for line in ["reproduce E1 --runs 3", "reproduce --quick --runs 3", "reproduce --table lemma-1 --threads 2"] {
        let ended = call(line);
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{line}: {}", ended.stderr);
    }
    let table = call("reproduce --table E1");
    assert_eq!(table.code, 2);
    assert!(table.stderr.contains("lemma-1 (S16)"), "{}", table.stderr);
    refused(&call("table lemma-1 --runs 20"), &["reproduce --table lemma-1 --runs 20"]);
}

#[test]
fn findings_are_kept_and_gone_on_from() {
    let place = Workplace::new();
    let line = "reproduce E8 E11 E13 E15 --quick --resume kept.jsonl";
    let first = place.call(&words(line));
    assert_eq!(first.code, 1);
    let kept = place.read("kept.jsonl");
    assert_eq!(kept.lines().count(), 1 + 4);
    // What is kept is taken as it is: a claim that was never tested again shows it.
    let changed = kept.replace("the worst case is of order n²", "kept as it is");
    place.write("kept.jsonl", &changed);
    assert!(place.call(&words(line)).stdout.contains("kept as it is"));
    // A line that was cut off is tested again.
    place.write("kept.jsonl", &kept[..kept.len() - 30]);
    let again = place.call(&words(line));
    assert_eq!((again.code, again.stdout), (first.code, first.stdout));
    assert_eq!(place.read("kept.jsonl"), kept);
}

#[test]
fn a_file_of_other_settings_or_of_somebody_else_is_refused_and_not_touched() {
    let place = Workplace::new();
    assert_eq!(place.call(&words("reproduce E13 --quick --resume kept.jsonl")).code, 0);
    let kept = place.read("kept.jsonl");
    refused(&place.call(&words("reproduce E13 --quick --seed 2 --resume kept.jsonl")), &["kept.jsonl", "seed 1"]);
    refused(&place.call(&words("reproduce E13 --resume kept.jsonl")), &["--quick"]);
    assert_eq!(place.read("kept.jsonl"), kept);
    for text in ["my thesis", "my thesis\n", "{\"ringleader_ledger\":1}\n", "\u{fffd}\n"] {
        place.write("notes.txt", text);
        refused(&place.call(&words("reproduce E13 --quick --resume notes.txt")), &["--resume", "notes.txt"]);
        assert_eq!(place.read("notes.txt"), text);
    }
    place.write("binary", [0xff, 0xfe, 0x00]);
    refused(&place.call(&words("reproduce E13 --quick --resume binary")), &["--resume"]);
    let missing = place.call(&words("reproduce E13 --quick --resume nowhere/kept.jsonl"));
    assert_eq!(missing.code, 4, "{}", missing.stderr);
}
