//! Every protocol plays to its end in the page, and the page shows what `run --json` prints.

use conformance::set_up;
use ringleader::Execution;
use ringleader::report::RunReport;
use serde_json::Value;

use super::LabPage;

/// What `run --json` prints.
pub(crate) fn native_report(line: &str) -> Value {
    let setup = set_up(line.strip_prefix("run ").expect("it is a line of a run"));
    let mut execution = Execution::new(&setup, setup.choices()).expect("it was validated");
    execution.finish(&());
    serde_json::to_value(RunReport::new(&setup, &execution.run.summary())).expect("it is data")
}

/// A run of each protocol and of each task of a leader.
fn lines() -> Vec<String> {
    let entries = |problem: &str| match problem {
        "mutual-exclusion" | "readers-writers" => " --entries 2",
        _ => "",
    };
    let line = |entry: &&dyn ringleader::Entry| format!("run {} -n 4{}", entry.name(), entries(entry.problem()));
    let protocols = ringleader::catalogue().iter().map(line);
    let tasks = ["ring-size", "ring-sort", "broadcast", "transfer", "token"];
    protocols.chain(tasks.iter().map(|task| format!("run peterson -n 5 --then {task}"))).collect()
}

#[test]
fn every_protocol_plays_to_its_end_and_shows_its_counts() {
    let Some(mut page) = LabPage::start() else { return };
    let known: Vec<String> =
        serde_json::from_value(page.js("lab.engine.catalogue().protocols.map((entry) => entry.name)")).expect("names");
    let names: Vec<&str> = ringleader::catalogue().iter().map(|entry| entry.name()).collect();
    assert_eq!(known, names);
    // Sixty frames a second would take a minute.
    page.js("window.requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), 0); \
             window.cancelAnimationFrame = clearTimeout; true");
    for line in lines() {
        let native = native_report(&line);
        page.open(&line);
        page.js("lab.setSpeed(Infinity); lab.play()");
        page.wait_for("document.querySelector('#stage').dataset.state === 'over' && !lab.playing");
        let report = page.js("lab.request('report')");
        for part in ["protocol", "scenario", "outcome", "cost", "bounds", "trace"] {
            assert_eq!(report[part], native[part], "{line}: {part}");
        }
        let total = native["cost"]["messages"]["total"].as_u64().expect("it is a count");
        assert_eq!(page.js("lab.position.messages"), total, "{line}");
        assert_eq!(page.js("lab.ahead.digest"), page.js("lab.position.digest"), "{line}");
        wait_until_shown(&mut page, &native);
    }
    page.assert_clean();
}

/// The rail shows the number of messages, and every bound with what was measured.
#[track_caller]
fn wait_until_shown(page: &mut LabPage, native: &Value) {
    let written = |value: &Value| {
        let number = value.as_f64().expect("it is a number");
        let digits = if number.abs() >= 100.0 { 1 } else { 3 };
        format!("(({number}).toLocaleString('en', {{ maximumFractionDigits: {digits} }}))")
    };
    let total = written(&native["cost"]["messages"]["total"]);
    page.wait_for(&format!("document.querySelector('#rail .counters').textContent.includes({total})"));
    let bounds = native["bounds"].as_array().expect("there is a list of bounds");
    for bound in bounds.iter().filter(|bound| bound["measured"].is_number()) {
        let (measured, formula) = (written(&bound["measured"]), &bound["formula"]);
        let found = format!(
            "[...document.querySelectorAll('#rail .bound')].some((bound) => bound.querySelector('.formula').textContent \
             === {formula} && bound.querySelector('.measured').textContent === {measured})"
        );
        page.wait_for(&found);
    }
}
