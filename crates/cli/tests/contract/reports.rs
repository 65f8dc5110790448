//! `report`, `cite` and `sweep --plot`: what is written, and what is refused.

use super::common::{Ended, Workplace, words};

const SWEEP: &str = "sweep chang-roberts peterson -n 4,8,16 --runs 3";

/// A place with the data of a sweep in `data`.
fn swept() -> Workplace {
    let place = Workplace::new();
    let ended = place.call(&words(&format!("{SWEEP} --data data")));
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    place
}

#[track_caller]
fn refused(ended: &Ended, code: i32, texts: &[&str]) {
    assert_eq!((ended.code, ended.stdout.as_str()), (code, ""), "{}", ended.stderr);
    for text in texts.iter().chain(&["allowed: "]) {
        assert!(ended.stderr.contains(text), "{text} in {}", ended.stderr);
    }
}

#[test]
fn every_format_is_written_and_overwritten_by_ourselves_only() {
    let place = swept();
    for (name, begins) in [("r.html", "<!DOCTYPE html>"), ("r.md", "# Sweep: "), ("r.tex", "% "), ("r.svg", "<svg ")] {
        for _ in 0..2 {
            let ended = place.call(&["report", "data", "-o", name]);
            assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{name}");
        }
        assert!(place.read(name).starts_with(begins), "{name}");
        assert!(place.read(name).contains("ringleader sweep chang-roberts peterson -n 4,8,16 --runs 3"), "{name}");
        place.write(name, "my thesis");
        refused(&place.call(&["report", "data", "-o", name]), 2, &["--output", name]);
        assert_eq!(place.read(name), "my thesis");
        assert_eq!(place.call(&["report", "data", "--force", "-o", name]).code, 0);
    }
    let printed = place.call(&words("report data --format md"));
    assert_eq!((printed.code, printed.stdout), (0, place.read("r.md")));
    assert_eq!(place.call(&words("report data --format svg -o figures")).code, 0);
    let figures = place.path().join("figures").read_dir().expect("it was made").count();
    assert_eq!(figures, place.read("r.html").matches("<figure>").count());
}

#[test]
fn what_is_no_data_folder_is_refused() {
    let place = swept();
    refused(&place.call(&words("report nowhere")), 4, &["nowhere"]);
    std::fs::create_dir(place.path().join("other")).expect("there is room");
    place.write("other/notes.txt", "mine");
    refused(&place.call(&words("report other")), 2, &["other", "there is no sweep.json"]);
    let (json, rows) = (place.read("data/sweep.json"), place.read("data/runs.csv"));
    for (broken, text) in [
        (json.replacen("\"complete\": true", "\"complete\": 7", 1), "complete"),
        (json.replacen("\"format\": 1", "\"format\": 99", 1), "format 99"),
        (String::new(), "sweep.json"),
        ("[]".to_string(), "sweep.json"),
    ] {
        place.write("data/sweep.json", broken);
        refused(&place.call(&words("report data -o r.html")), 2, &["sweep.json", text]);
    }
    place.write("data/sweep.json", &json);
    for (broken, text) in [
        (rows.replacen("run,", "walk,", 1), "line 1 "),
        (rows.replacen("\n1,", "\n", 1), "line 3 has "),
        (rows.clone() + "\"open\n", "a quote that is not closed"),
    ] {
        place.write("data/runs.csv", broken);
        refused(&place.call(&words("report data -o r.html")), 2, &["runs.csv", text]);
    }
    // A row that was cut off is none.
    place.write("data/runs.csv", rows + "18,5,chang");
    assert_eq!(place.call(&words("report data -o r.html")).code, 0);
    assert_eq!(place.call(&words("report data -o /nowhere/r.html")).code, 4);
}

#[test]
fn a_sweep_is_drawn_in_a_file_and_in_the_terminal() {
    let place = Workplace::new();
    let ended = place.call(&words(&format!("{SWEEP} --plot growth.svg")));
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    let svg = place.read("growth.svg");
    assert!(
        svg.starts_with("<svg ")
            && svg.contains("N(N+1)/2, worst (ChangRoberts1979)")
            && svg.contains("prefers-color-scheme")
    );
    let drawn = place.call_with(&words(&format!("{SWEEP} --plot -")), &[("COLUMNS", "80")]);
    assert!(drawn.code == 0 && drawn.stdout.contains('⠒') && drawn.stdout.contains("Made by: ringleader sweep"));
    let chart = drawn.stdout.split_once("Messages (election) of").expect("there is a figure").1;
    assert!(chart.lines().all(|line| line.chars().count() <= 80), "{chart}");
    place.write("mine.svg", "<svg/>");
    refused(&place.call(&words(&format!("{SWEEP} --plot mine.svg"))), 2, &["--plot", "mine.svg"]);
    refused(&place.call(&words(&format!("{SWEEP} --plot a.png"))), 2, &["--plot", ".svg"]);
    refused(&place.call(&words(&format!("{SWEEP} --json --plot -"))), 2, &["--plot", "--json"]);
    assert_eq!(place.listing(), ["growth.svg", "mine.svg"]);
}

#[test]
fn citations_are_bibtex() {
    let place = Workplace::new();
    let of = |line: &str| place.call(&words(line));
    let lock = of("cite spirakis-tampakas-mutex").stdout;
    assert!(lock.starts_with("@software{Ringleader-") && lock.contains("\n@article{SpirakisTampakas1989,"));
    assert_eq!(of("cite").stdout.matches('@').count(), 1);
    assert!(of("cite --all").stdout.matches("\n@").count() > 20);
    assert_eq!(of("cite nobody").code, 2);
}
