//! Reports of a small sweep that is made here.

use super::*;
use crate::sweep::{Provenance, RunRows, SweepAxis, SweepPlan, SweepSamples, SweepSpec};

/// The data of a sweep, through the text of its folder.
fn swept(spec: SweepSpec) -> SweepData {
    let plan = SweepPlan::new(&Catalogue::default(), spec).expect("it makes sense");
    let provenance = Provenance {
        program: "ringleader".to_string(),
        version: "0.1.0".to_string(),
        commit: Some("abc".to_string()),
        command: plan.spec.command_line(),
    };
    let rows = RunRows::new(&plan, &provenance);
    let mut samples = SweepSamples::new(&plan);
    let mut lines = vec![rows.header()];
    for index in 0..plan.total() {
        let record = plan.run(index, &()).expect("there is memory").expect("nobody stops it");
        samples.add(&plan, &record);
        lines.push(rows.row(&record));
    }
    let json = serde_json::to_string(&samples.report(&plan, &provenance)).expect("it is data");
    let mut data = SweepData::parse(&json).expect("it was just written");
    data.add_header(&lines[0]).expect("it is the header");
    for line in &lines[1..] {
        data.add_row(line).expect("it is a row");
    }
    data
}

fn axis(name: &str, values: &[&str]) -> SweepAxis {
    SweepAxis { name: name.to_string(), values: values.iter().map(ToString::to_string).collect() }
}

fn elections() -> SweepData {
    swept(SweepSpec {
        protocols: ["chang-roberts", "peterson"].map(String::from).to_vec(),
        vary: vec![axis("n", &["4", "8", "16", "32"])],
        runs: 5,
        ..SweepSpec::default()
    })
}

fn locks() -> SweepData {
    swept(SweepSpec {
        protocols: vec!["spirakis-tampakas-mutex".to_string()],
        options: vec![("n".to_string(), "4".to_string()), ("entries".to_string(), "3".to_string())],
        vary: vec![axis("r", &["10..10", "10..20", "10..40"]), axis("compete", &["1", "4"])],
        runs: 3,
        ..SweepSpec::default()
    })
}

#[test]
fn runs_are_read_back_as_they_were_measured() {
    let data = elections();
    for row in &data.report.rows {
        for quantity in quantities(&data.report) {
            let Some(measured) = row.quantity(&quantity) else { continue };
            let sample = data.sample(row.cell, &quantity).expect("it was kept");
            assert_eq!(sample.len() as u64, measured.runs);
            assert!((sample.iter().sum::<f64>() / sample.len() as f64 - measured.mean).abs() < 1e-9);
        }
    }
}

#[test]
fn elections_are_shown_over_n_with_their_bounds_and_growth() {
    let data = elections();
    assert_eq!(quantities(&data.report)[..2], ["messages.election", "messages"]);
    let chart = main_chart(&data.report).expect("there is one");
    let crate::plot::ChartBody::Lines(lines) = &chart.body else { panic!("n is a number") };
    assert_eq!(lines.series.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["chang-roberts", "peterson"]);
    // N(N+1)/2 and N·H_N of Chang and Roberts: by hand, 10 and 25/3 for four processors.
    let bound = |formula: &str| {
        let named = |curve: &&crate::plot::BoundCurve| curve.series == 0 && curve.name.starts_with(formula);
        lines.curves.iter().find(named).expect("it is proved").points[0]
    };
    assert_eq!(bound("N(N+1)/2"), (4.0, 10.0));
    assert!((bound("N H_N").1 - 25.0 / 3.0).abs() < 1e-6);
    assert_eq!(chart.notes.len(), 2, "the growth of each: {:?}", chart.notes);
    assert!(chart.origin.command.starts_with("ringleader sweep chang-roberts peterson -n 4,8,16,32 --runs 5"));
}

#[test]
fn lists_are_shown_place_by_place() {
    let data = swept(SweepSpec {
        protocols: vec!["franklin".to_string()],
        vary: vec![axis("n", &["8", "16"])],
        runs: 3,
        quantities: vec!["candidates".to_string()],
        ..SweepSpec::default()
    });
    let chart = main_chart(&data.report).expect("there is one");
    let crate::plot::ChartBody::Lines(lines) = &chart.body else { panic!("phases are numbers") };
    assert_eq!((lines.x.label.as_str(), lines.series[1].name.as_str()), ("phase", "N\u{a0}=\u{a0}16"));
    // All are candidates in the first phase, and at most half of them in the next.
    let points = &lines.series[1].points;
    assert!(points[0].y == 16.0 && points[1].x == 2.0 && points[1].y <= 8.0, "{points:?}");
    let document = Document::new(&Catalogue::default(), &data);
    assert_eq!(document.tables[0].header[2], "phase");
    assert!(document.tables[0].rows.len() > 4);
}

#[test]
fn locks_are_shown_over_gamma_and_contention() {
    let data = locks();
    let figures = Document::new(&Catalogue::default(), &data).figures;
    let map = figures.iter().find_map(|(_, chart)| match &chart.body {
        crate::plot::ChartBody::Heat(map) => Some(map),
        _ => None,
    });
    let map = map.expect("two things vary");
    assert_eq!((map.down.as_str(), map.across.as_str(), map.label.as_str()), ("γ", "s", "messages per entry"));
    assert_eq!(map.rows, ["1 (r 10..10)", "1/2 (r 10..20)", "1/4 (r 10..40)"]);
    // One that nobody competes with sends a request to each of the three others.
    assert!(map.values.iter().all(|row| row[0] == Some(3.0) && row[1] > Some(3.0)), "{:?}", map.values);
}

#[test]
fn every_format_has_the_command_the_version_the_figures_and_the_sources() {
    for data in [elections(), locks()] {
        let document = Document::new(&Catalogue::default(), &data);
        assert!(document.figures.len() >= 3);
        for format in DocumentFormat::ALL {
            let text = document.text(format);
            assert!(is_document(&text), "{format:?}");
            assert!(
                text.contains(&document.origin.command) && text.contains("Ringleader 0.1.0, commit abc"),
                "{format:?}"
            );
            let cites = text.contains(document.sources[0].key) && text.contains("@software{");
            assert!(cites || format == DocumentFormat::Svg, "{format:?}");
        }
    }
}

#[test]
fn a_page_asks_for_nothing() {
    let text = Document::new(&Catalogue::default(), &elections()).text(DocumentFormat::Html);
    for word in ["<script", "<img", "@import", "url(", "https://"] {
        assert!(!text.contains(word), "{word}");
    }
    // The name of the language of figures is no address.
    assert_eq!(text.matches("http://").count(), text.matches("xmlns=\"http://www.w3.org/2000/svg\"").count());
}

#[test]
fn tables_hold_the_numbers_of_the_sweep() {
    let data = elections();
    let document = Document::new(&Catalogue::default(), &data);
    let table = &document.tables[0];
    assert_eq!(table.rows.len(), data.report.rows.len());
    assert!(table.rows.iter().all(|row| row.len() == table.header.len()));
    let latex = document.text(DocumentFormat::Latex);
    assert_eq!(latex.matches("\\toprule").count(), document.tables.len());
    assert!(latex.contains("\\cite{ChangRoberts1979"));
    let outside: Vec<char> = latex.chars().filter(|letter| !letter.is_ascii()).collect();
    assert!(outside.is_empty(), "{outside:?}");
}

#[test]
fn what_is_no_sweep_is_refused_by_field() {
    let bad = |text: &str| SweepData::parse(text).expect_err("it is none").wrong;
    assert!(bad("").contains("EOF"));
    assert!(bad("{\"format\": \"x\"}").starts_with("format: "));
    let json = serde_json::to_string(&elections().report).expect("it is data");
    let newer = json.replacen("\"format\":1", "\"format\":7", 1);
    assert_eq!(bad(&newer), "has the format 7, not 1");
    let mut data = SweepData::parse(&json).expect("it is one");
    assert!(data.add_header("run,cell").is_err());
    let header: Vec<_> = data.report.columns.iter().map(|column| column.name.clone()).collect();
    data.add_header(&header.join(",")).expect("it is the header");
    assert_eq!(data.add_row("1,2").expect_err("too short").wrong, format!("has 2 fields instead of {}", header.len()));
}
