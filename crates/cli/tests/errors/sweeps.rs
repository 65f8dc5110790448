//! Sweeps, comparisons and scenario files that make no sense.

use super::*;

#[test]
fn impossible_sweeps_are_refused_with_the_number() {
    refused(&words("sweep lelann --runs 1e15"), USAGE, &["--runs", "1,000,000,000,000,000", "allowed: at most"]);
    refused(&words("sweep lelann peterson -n 2..9 --runs 1e9"), USAGE, &["16,000,000,000 in all"]);
    refused(&words("sweep lelann -n 1..1e9"), USAGE, &["-n has 1000000000 values", "allowed: at most"]);
    refused(&words("sweep lelann --runs 0 --data out"), USAGE, &["--runs are 0"]);
}

#[test]
fn all_that_is_wrong_with_a_sweep_is_told() {
    let line = ["sweep", "nobody", "--vary", "r=1 x", "--vary", "size=3", "--vary", "d=1 1"];
    refused(&line, USAGE, &["unknown protocol 'nobody'", "--r has 'x'", "--size is no option", "--d has 1 twice"]);
    refused(&words("sweep peterson --vary r"), USAGE, &["--vary is 'r'", "OPTION=VALUES"]);
    refused(&words("sweep peterson --quantity bats"), USAGE, &["--quantity is 'bats'", "allowed: messages, "]);
    refused(&words("sweep peterson --level 2"), USAGE, &["--level is '2'", "below 1"]);
    refused(&words("sweep peterson -n 4..2"), USAGE, &["-n has '4..2'", "2^4..2^20"]);
    refused(&words("sweep peterson --vary set.colour=red"), USAGE, &["colour"]);
    refused(&words("sweep peterson -n 3 --vary n=4,5"), USAGE, &["-n is given and varies"]);
    refused(&words("sweep peterson --threads 0"), USAGE, &["--threads"]);
    refused(&words("sweep"), USAGE, &["PROTOCOL|FILE.toml"]);
    refused(&words("compare peterson"), USAGE, &["2 values required"]);
    refused(&words("compare peterson missing.json"), ENVIRONMENT, &["missing.json", "cannot be read"]);
    refused(&words("test missing.toml"), ENVIRONMENT, &["missing.toml", "cannot be read"]);
    refused(&words("sweep missing.toml"), ENVIRONMENT, &["missing.toml", "cannot be read"]);
    refused(&words("sweep --resume nowhere"), USAGE, &["--resume is nowhere", "sweep.json", "allowed: "]);
}

#[test]
fn a_folder_that_is_not_ours_is_spared() {
    let place = Workplace::new();
    std::fs::create_dir(place.path().join("mine")).expect("it can be made");
    place.write("mine/notes.txt", "my notes");
    for line in ["sweep lelann -n 3 --runs 1 --data mine", "sweep lelann -n 3 --runs 1 --data mine --force"] {
        expect(&place.call(&words(line)), &words(line), USAGE, &["--data is mine", "no sweep of ringleader's"]);
    }
    assert_eq!(place.read("mine/notes.txt"), "my notes");
    let line = words("sweep lelann -n 3 --runs 1 --data ours");
    assert_eq!(place.call(&line).code, 0);
    expect(&place.call(&line), &line, USAGE, &["--data is ours, which holds a sweep", "--force", "--resume ours"]);
    // Edited rows, another program, another sweep.
    let rows = place.read("ours/runs.csv");
    place.write("ours/runs.csv", rows.replace("lelann", "lellan"));
    let resume = words("sweep --resume ours");
    expect(&place.call(&resume), &resume, USAGE, &["ours/runs.csv: line 2", "another sweep"]);
    place.write("ours/runs.csv", &rows);
    let other = words("sweep peterson --resume ours");
    expect(&place.call(&other), &other, USAGE, &["--resume is for another sweep", "ringleader sweep lelann"]);
    let report = place.read("ours/sweep.json");
    place.write("ours/sweep.json", report.replace("\"version\": \"", "\"version\": \"7."));
    expect(&place.call(&resume), &resume, USAGE, &["was made by ringleader 7.", "allowed: the same program"]);
    for (text, said) in [("{", "sweep.json: "), (&report.replace("\"format\": 1", "\"format\": 9"), "the format 9")] {
        place.write("ours/sweep.json", text);
        expect(&place.call(&resume), &resume, USAGE, &[said, "allowed: "]);
    }
    assert_eq!(place.read("ours/runs.csv"), rows);
}

#[test]
fn a_bad_scenario_file_is_shown_with_carets() {
    let place = Workplace::new();
    let text = "version = 1\nprotocol = [\"peterson\", \"petersen\"]\nn = 0\nr = [\"1\", \"one\"]\ncolour = 3\n[expect]\nverdict = 7\n";
    place.write("bad.toml", text);
    for line in ["sweep bad.toml", "test bad.toml"] {
        let said = [
            "bad.toml:2:25: unknown protocol 'petersen'; did you mean 'peterson'?",
            "2 | protocol = [\"peterson\", \"petersen\"]\n  |                         ^^^^^^^^^^\nallowed: ",
            "bad.toml:3:5: n has '0'",
            "bad.toml:4:11: r has 'one'",
            "bad.toml:5:1: colour is no key of a scenario file",
            "bad.toml:7:11: verdict is '7'\n",
        ];
        expect(&place.call(&words(line)), &words(line), USAGE, &said);
    }
    place.write("plain.toml", "version = 1\nprotocol = \"peterson\"\nn = 4\nruns = 1\n");
    let beside = words("sweep plain.toml --order random");
    expect(&place.call(&beside), &beside, USAGE, &["--order is given beside a scenario file", "allowed: "]);
    let two = words("sweep plain.toml peterson");
    expect(&place.call(&two), &two, USAGE, &["plain.toml is given beside others"]);
    let nothing = words("test plain.toml");
    expect(&place.call(&nothing), &nothing, USAGE, &["plain.toml expects nothing", "[expect]"]);
    place.write("unknown.toml", "version = 1\nprotocol = \"peterson\"\n[expect]\nmesages.mean = 3\n");
    let unknown = words("test unknown.toml");
    expect(&place.call(&unknown), &unknown, USAGE, &["unknown.toml:4:9: mesages.mean is no such thing", "messages"]);
    place.write("latin.toml", b"version = 1 # \xe9\n");
    let latin = words("sweep latin.toml");
    expect(&place.call(&latin), &latin, USAGE, &["latin.toml", "UTF-8"]);
}
