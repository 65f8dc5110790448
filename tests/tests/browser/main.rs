//! Pages in a browser: reports of sweeps, in both themes.

mod driver;
mod lab;
mod layout;

use std::path::{Path, PathBuf};

use conformance::chromium::{Chromium, ColorScheme};
use layout::{missing_glyphs, overlapping_texts, texts};
use ringleader::Catalogue;
use ringleader::document::{Document, DocumentFormat, SweepData};
use ringleader::sweep::{Provenance, RunRows, SweepAxis, SweepPlan, SweepSamples, SweepSpec};

/// The data of a sweep, as its folder has them.
fn swept(spec: SweepSpec) -> SweepData {
    let plan = SweepPlan::new(&Catalogue::default(), spec).expect("it makes sense");
    let command = plan.spec.command_line();
    let provenance =
        Provenance { program: "ringleader".to_string(), version: "0.1.0".to_string(), commit: None, command };
    let (rows, mut samples) = (RunRows::new(&plan, &provenance), SweepSamples::new(&plan));
    let mut lines = Vec::new();
    for index in 0..plan.total() {
        let record = plan.run(index, &()).expect("there is memory").expect("nobody stops it");
        samples.add(&plan, &record);
        lines.push(rows.row(&record));
    }
    let json = serde_json::to_string(&samples.report(&plan, &provenance)).expect("it is data");
    let mut data = SweepData::parse(&json).expect("it was just written");
    data.add_header(&rows.header()).expect("it is the header");
    for line in lines {
        data.add_row(&line).expect("it is a row");
    }
    data
}

fn axis(name: &str, values: &str) -> SweepAxis {
    SweepAxis { name: name.to_string(), values: values.split(' ').map(str::to_string).collect() }
}

fn spec(protocols: &str, vary: Vec<SweepAxis>, options: &[(&str, &str)]) -> SweepSpec {
    SweepSpec {
        protocols: protocols.split(' ').map(str::to_string).collect(),
        options: options.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect(),
        vary,
        runs: 4,
        ..SweepSpec::default()
    }
}

/// Few series and many, lines, heat maps and what has no numbers.
fn sweeps() -> Vec<(&'static str, SweepSpec)> {
    let elections =
        "lelann chang-roberts peterson franklin hirschberg-sinclair dolev-klawe-rodeh van-leeuwen-tan itai-rodeh";
    let lock = "spirakis-tampakas-mutex:crash=probe";
    vec![
        ("one", spec("chang-roberts", vec![axis("n", "2 4 8 16 32 64 128 256 512 1024")], &[])),
        ("many", spec(elections, vec![axis("n", "2 3 5 9 17 33")], &[])),
        ("locks", spec(lock, vec![axis("r", "10..10 10..20 10..100"), axis("compete", "1 4 8")], &[("n", "8")])),
        ("orders", spec("chang-roberts lelann", vec![axis("order", "random ascending descending")], &[("n", "12")])),
        ("cell", spec("peterson", Vec::new(), &[("n", "64")])),
    ]
}

fn written(directory: &Path, name: &str, text: &str) -> PathBuf {
    let path = directory.join(name);
    std::fs::write(&path, text).expect("it can be written");
    path
}

#[test]
fn reports_show_everything_and_ask_for_nothing_in_both_themes() {
    let Some(mut browser) = Chromium::start() else { return };
    let directory = std::env::temp_dir().join(format!("ringleader-reports-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("it can be written");
    for (name, spec) in sweeps() {
        let document = Document::new(&Catalogue::default(), &swept(spec));
        let page = written(&directory, &format!("{name}.html"), &document.text(DocumentFormat::Html));
        let figure = written(&directory, &format!("{name}.svg"), &document.text(DocumentFormat::Svg));
        for (path, least) in [(page, 100), (figure, 8)] {
            for scheme in [ColorScheme::Light, ColorScheme::Dark] {
                browser.open(&path, scheme);
                let shown = format!("{} in {scheme:?}", path.display());
                assert!(texts(&mut browser) >= least, "{shown}: it has text");
                assert_eq!(browser.outside_requests(), Vec::<&str>::new(), "{shown}");
                assert_eq!(overlapping_texts(&mut browser), Vec::<String>::new(), "{shown}");
                assert_eq!(missing_glyphs(&mut browser), Vec::<String>::new(), "{shown}");
                let dark = browser.evaluate(layout::BACKGROUND_IS_DARK);
                assert_eq!(dark, scheme == ColorScheme::Dark, "{shown}");
            }
        }
    }
    let _ = std::fs::remove_dir_all(&directory);
}

/// The tests above can fail.
#[test]
fn overlaps_missing_glyphs_and_requests_are_found() {
    let Some(mut browser) = Chromium::start() else { return };
    let directory = std::env::temp_dir().join(format!("ringleader-bad-page-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("it can be written");
    let page = "<!DOCTYPE html><meta charset=utf-8><title>bad</title><img src=\"beside.png\"><p>fine \u{10fffd}</p>\
                <svg width=200 height=50><text x=5 y=20>one label</text><text x=30 y=22>another</text></svg>";
    let path = written(&directory, "bad.html", page);
    browser.open(&path, ColorScheme::Light);
    assert!(browser.outside_requests().iter().any(|url| url.ends_with("beside.png")));
    assert_eq!(overlapping_texts(&mut browser), ["one label / another"]);
    assert_eq!(missing_glyphs(&mut browser), ["\u{10fffd}"]);
    assert_eq!(browser.evaluate(layout::BACKGROUND_IS_DARK), false);
    let _ = std::fs::remove_dir_all(&directory);
}
