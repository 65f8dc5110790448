//! Sweeps: no number of threads and no interruption changes a byte, and every run is an ordinary one.

use std::sync::atomic::{AtomicU64, Ordering};

use ringleader::sweep::file::ScenarioDraft;
use ringleader::sweep::{
    MeasuredValue, Provenance, RunRecord, RunRows, SpecPlace, SweepAxis, SweepPlan, SweepSamples, SweepSpec, table_csv,
};
use ringleader::{Catalogue, Watch, find};

fn plan(protocols: &[&str], vary: &[(&str, &str)], runs: u64, quantities: &[&str]) -> SweepPlan {
    let axis = |(name, values): &(&str, &str)| SweepAxis {
        name: name.to_string(),
        values: values.split(' ').map(str::to_string).collect(),
    };
    let texts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
    let spec = SweepSpec {
        protocols: texts(protocols),
        vary: vary.iter().map(axis).collect(),
        runs,
        quantities: texts(quantities),
        ..SweepSpec::default()
    };
    SweepPlan::new(&Catalogue::default(), spec).expect("it makes sense")
}

fn provenance() -> Provenance {
    let [program, version, command] = ["ringleader", "0", "ringleader sweep"].map(str::to_string);
    Provenance { program, version, commit: None, command }
}

/// Asks to stop when it has been asked this often whether to.
struct Impatient(AtomicU64);

impl Watch for Impatient {
    fn stopped(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

/// The rows, the table and the report of a sweep that is interrupted again and again.
fn swept(plan: &SweepPlan, threads: usize, patience: u64) -> (String, String, String) {
    let rows = RunRows::new(plan, &provenance());
    let (mut written, mut pending) = (Vec::<String>::new(), Vec::<RunRecord>::new());
    for round in 1.. {
        let mut samples = SweepSamples::new(plan);
        let done: Vec<_> = written.iter().map(|row| rows.parse(row).expect("it was written")).chain(pending).collect();
        let watch = Impatient(AtomicU64::new(patience.saturating_mul(round)));
        let before = written.len() as u64;
        let end = plan.execute(done, threads, &watch, &mut |record| {
            samples.add(plan, record);
            if record.index >= before {
                assert_eq!(record.index, written.len() as u64, "in order");
                written.push(rows.row(record));
            }
            true
        });
        assert!(end.error.is_none());
        if end.complete {
            let report = samples.report(plan, &provenance());
            let json = serde_json::to_string(&report).expect("it can be written");
            return (written.join("\n"), table_csv(&report), json);
        }
        pending = end.pending;
    }
    unreachable!("patience grows")
}

#[test]
fn neither_threads_nor_interruptions_change_a_byte() {
    let plans = [
        plan(&["chang-roberts", "peterson"], &[("n", "5 16"), ("order", "random ascending")], 13, &[]),
        plan(&["franklin"], &[("n", "4 9")], 10, &["messages.by_phase", "candidates"]),
        plan(&["chang-roberts"], &[("d", "1 1..5")], 20, &["messages", "time"]),
        plan(&["spirakis-tampakas-mutex:c=3", "ricart-agrawala"], &[("compete", "1 2"), ("n", "3")], 5, &[]),
        plan(&["itai-rodeh", "spirakis-tampakas-symmetry"], &[("n", "3 4")], 8, &[]),
    ];
    for plan in &plans {
        let expected = swept(plan, 1, u64::MAX);
        assert_eq!(expected.0.lines().count() as u64, plan.total());
        for (threads, patience) in [(2, u64::MAX), (3, u64::MAX), (1, 3), (2, 1), (2, 7), (4, 10)] {
            assert_eq!(swept(plan, threads, patience), expected, "{threads} threads, interrupted after {patience}");
        }
    }
}

/// A run of a sweep is what `run` does with the same seed; lean instrumentation counts the same.
#[test]
fn every_run_is_an_ordinary_run() {
    for quantities in [vec!["messages", "time"], vec!["messages", "time", "bits"]] {
        let plan = plan(&["chang-roberts", "peterson", "lelann"], &[("n", "1 2 7 30")], 4, &quantities);
        let names: Vec<String> = plan.quantity_names().map(str::to_string).collect();
        for index in 0..plan.total() {
            let record = plan.run(index, &()).expect("it makes sense").expect("nobody stops it");
            let (cell, run) = plan.cell_of(index);
            let cell = &plan.cells[cell];
            assert_eq!(record.seed, cell.seed(1, run));
            let setup = find(&cell.label).expect("it is there");
            let options = ringleader::Options { seed: Some(record.seed), ..cell.options.clone() };
            let summary = setup.set_up(options, &[]).expect("it makes sense").run().expect("it makes sense");
            let value = |name: &str| {
                let position = names.iter().position(|known| known == name).expect("it is measured");
                match &record.values[position] {
                    MeasuredValue::Number(number) => number.to_f64() as u64,
                    other => panic!("{other:?}"),
                }
            };
            assert_eq!((value("messages"), value("time")), (summary.cost.messages(), summary.cost.time));
            assert_eq!(record.verdict, summary.verdict);
        }
    }
}

/// Chang and Roberts: N·H_N on average, and N for the announcement. 16·H_16 = 54.09…
#[test]
fn means_are_near_what_is_proved() {
    let plan = plan(&["chang-roberts"], &[("n", "16")], 2000, &["messages"]);
    let mut samples = SweepSamples::new(&plan);
    plan.execute([], 2, &(), &mut |record| {
        samples.add(&plan, record);
        true
    });
    let report = samples.report(&plan, &provenance());
    let row = &report.rows[0];
    let found = row.quantity("messages.election").expect("it is measured");
    let proved: f64 = (1..=16).map(|k| 16.0 / f64::from(k)).sum();
    // Five times the half width: one in a million.
    assert!((found.mean - proved).abs() < 2.6 * found.ci95.expect("there are many"), "{found:?}");
    let bound = row.bounds.iter().find(|bound| bound.kind == "mean").expect("it is proved");
    assert!(
        (bound.value - proved).abs() < 1e-6 && (bound.ratio.expect("it is not 0") - found.mean / proved).abs() < 1e-9
    );
    assert!(row.bounds.iter().all(|bound| bound.exceeded.is_none_or(|runs| runs == 0)));
    assert_eq!((row.leader, row.leaders), (Some(16), Some([1, 1])));
}

#[test]
fn a_cell_has_the_same_runs_whatever_else_is_measured() {
    let seeds = |plan: &SweepPlan, cell: usize| (0..5).map(|run| plan.cells[cell].seed(1, run)).collect::<Vec<_>>();
    let one = plan(&["peterson"], &[("n", "8")], 5, &[]);
    let many = plan(&["chang-roberts", "peterson"], &[("n", "4 8")], 50, &[]);
    assert_eq!(seeds(&one, 0), seeds(&many, 3));
    assert_ne!(seeds(&many, 2), seeds(&many, 3));
}

#[test]
fn all_errors_are_told_with_their_places() {
    let spec = SweepSpec {
        protocols: vec!["nobody".to_string(), "peterson".to_string()],
        options: vec![("wake".to_string(), "some".to_string())],
        vary: vec![
            SweepAxis { name: "r".to_string(), values: ["1", "x", "1"].map(str::to_string).to_vec() },
            SweepAxis { name: "size".to_string(), values: vec!["3".to_string()] },
        ],
        runs: 0,
        level: 1.0,
        ..SweepSpec::default()
    };
    let errors = SweepPlan::new(&Catalogue::default(), spec).expect_err("much is wrong");
    let mut places: Vec<_> = errors.iter().map(|error| error.place).collect();
    places.sort();
    let expected = [
        SpecPlace::Protocol(0),
        SpecPlace::Option(0),
        SpecPlace::Axis(1),
        SpecPlace::AxisValue(0, 1),
        SpecPlace::AxisValue(0, 2),
        SpecPlace::Runs,
        SpecPlace::Level,
    ];
    assert_eq!(places, expected);
}

const SCENARIO: &str = r#"version = 1
protocol = "chang-roberts"
ids = [3, 1, 4, 2]
runs = 2

[expect]
leader = 4
messages.mean = "= 12"
"messages.by_kind.elected" = 4
time.max = "<= 8"
"#;

/// The ring 3, 1, 4, 2, worked by hand: 8 candidates and 4 announcements, elected at 4, known to all at 8.
#[test]
fn a_scenario_file_is_a_test() {
    let file = ScenarioDraft::read(SCENARIO).plan(&Catalogue::default()).expect("it makes sense");
    let mut samples = SweepSamples::new(&file.plan);
    file.plan.execute([], 1, &(), &mut |record| {
        samples.add(&file.plan, record);
        true
    });
    let report = samples.report(&file.plan, &provenance());
    let judged: Vec<_> = file.expectations.iter().flat_map(|expected| expected.judge(&report)).collect();
    assert!(judged.len() == 4 && judged.iter().all(|judged| judged.holds), "{judged:?}");
    let other = SCENARIO.replace("= 12", "< 12").replace("leader = 4", "leader = 3");
    let file = ScenarioDraft::read(&other).plan(&Catalogue::default()).expect("it makes sense");
    let judged: Vec<_> = file.expectations.iter().flat_map(|expected| expected.judge(&report)).collect();
    let failed: Vec<_> = judged.iter().filter(|judged| !judged.holds).map(|judged| judged.name.as_str()).collect();
    assert_eq!(failed, ["leader", "messages.mean"]);
    assert_eq!(judged[1].measured.as_deref(), Some("12"));
}

#[test]
fn a_bad_scenario_file_is_told_line_by_line() {
    let text = "version = 2\nprotocol = \"petersen\"\nn = [4, 0]\nfoo = 1\nset.x = []\n[expect]\nverdict = \"fine\"\n";
    let errors = ScenarioDraft::read(text).plan(&Catalogue::default()).expect_err("much is wrong");
    let lines: Vec<_> = errors.iter().map(|error| text[..error.span.start].matches('\n').count() + 1).collect();
    assert_eq!(lines, [1, 2, 3, 4, 5, 7], "{errors:?}");
    let shown = errors[2].render("bad.toml", text);
    assert_eq!(
        shown,
        "bad.toml:3:9: n has '0'\n  |\n3 | n = [4, 0]\n  |         ^\nallowed: numbers from 1 to 2147483648"
    );
    // What is no TOML at all, a span at the end of the file, tabs and letters of several bytes.
    for text in ["version = ", "=", "a = \"", "\t\u{e9} = 1", "version = 1\n\u{fc}", "", "[expect]\nx.y = []"] {
        let errors = ScenarioDraft::read(text).plan(&Catalogue::default()).expect_err(text);
        assert!(errors.iter().all(|error| error.render("x", text).contains("allowed: ")), "{text}");
    }
}
