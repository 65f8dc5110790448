//! Interventions: they change the run, and the command line shown repeats the run natively.

use super::LabPage;
use super::protocols::native_report;

/// The command line that is shown below the stage.
const LINE: &str = "document.querySelector('#breakit .line').textContent";

/// Presses the button with this name.
fn click(page: &mut LabPage, name: &str) {
    let button = format!(
        "[...document.querySelectorAll('#breakit .actions button')].find((button) => button.textContent === '{name}')"
    );
    page.wait_for(&button);
    page.js(&format!("{button}.click()"));
}

/// The report of the page's run, and that of its line, natively.
#[track_caller]
fn assert_repeated(page: &mut LabPage) -> serde_json::Value {
    let line = page.text(LINE);
    let native = native_report(line.strip_prefix("ringleader ").expect("it begins with the program"));
    let report = page.js("lab.request('report')");
    for part in ["scenario", "outcome", "cost", "bounds", "trace"] {
        assert_eq!(report[part], native[part], "{line}: {part}");
    }
    native
}

#[test]
fn an_intervention_changes_the_run_and_its_line_repeats_it() {
    let Some(mut page) = LabPage::start() else { return };
    page.open("run chang-roberts --ids 3,1,4,2");
    let before = assert_repeated(&mut page);
    page.js("lab.go({ move: 6 }); lab.select({ message: 3 })");
    click(&mut page, "Drop");
    page.wait_for("lab.ahead.over");
    assert!(page.text(LINE).contains("--intervene 3:drop"), "{}", page.text(LINE));
    assert_eq!(page.js("lab.position.move"), 6);
    let dropped = assert_repeated(&mut page);
    assert_ne!(dropped["trace"], before["trace"]);
    assert_ne!(dropped["outcome"], before["outcome"], "message 3 carries the greatest identity");
    // It can be undone.
    page.js("[...document.querySelectorAll('#breakit .undo')][0].click()");
    page.wait_for("lab.ahead.over");
    assert_eq!(assert_repeated(&mut page), before);
    // A copy, and a processor that crashes.
    page.js("lab.go({ move: 6 }); lab.select({ message: 3 })");
    click(&mut page, "Duplicate");
    page.wait_for("lab.ahead.over");
    assert_ne!(assert_repeated(&mut page)["trace"], before["trace"]);
    page.js("lab.intervene({ clear: true }); lab.select({ processor: 2 })");
    click(&mut page, "Crash");
    page.wait_for("lab.ahead.over");
    assert!(page.text(LINE).contains("--faults crash:2@"), "{}", page.text(LINE));
    assert_ne!(assert_repeated(&mut page)["outcome"], before["outcome"]);
    page.assert_clean();
}

#[test]
fn events_picked_by_hand_are_on_the_line() {
    let Some(mut page) = LabPage::start() else { return };
    page.open("run chang-roberts --ids 3,1,4,2 --timing untimed --seed 5");
    let before = assert_repeated(&mut page);
    for _ in 0..3 {
        page.wait_for("document.querySelectorAll('#breakit .event').length > 1");
        page.js("[...document.querySelectorAll('#breakit .event')].at(-1).click()");
        page.wait_for("lab.ahead.over");
    }
    assert_eq!(page.js("lab.position.move"), 3);
    assert!(page.text(LINE).contains("--choices "), "{}", page.text(LINE));
    assert_ne!(assert_repeated(&mut page)["trace"], before["trace"]);
    page.assert_clean();
}

#[test]
fn without_clocks_a_processor_crashes_next() {
    let Some(mut page) = LabPage::start() else { return };
    page.open("run chang-roberts --ids 3,1,4,2 --timing untimed --seed 5");
    page.js("lab.go({ move: 4 }); lab.select({ processor: 2 })");
    click(&mut page, "Crash");
    page.wait_for("lab.ahead.over && lab.position.move === 5");
    assert_eq!(page.js("lab.position.step.cause"), "crash");
    let line = page.text(LINE);
    assert!(line.contains("--faults crash:1") && line.contains("--choices "), "{line}");
    assert_repeated(&mut page);
    page.assert_clean();
}

#[test]
fn cut_links_copies_and_faults_are_shown_and_explained() {
    let Some(mut page) = LabPage::start() else { return };
    page.open("run chang-roberts --ids 3,1,4,2 --faults cut:2-3@1..3,crash:1@4 --intervene 1:duplicate");
    let cut = "document.querySelector('.stage-svg .cuts .left') !== null";
    for (time, shown) in [(0, "false"), (1, "true"), (3, "false")] {
        page.js(&format!("lab.go({{ time: {time} }})"));
        // Each moment is drawn before the next one.
        page.js("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))");
        page.wait_for(&format!("({cut}) === {shown}"));
    }
    let legend = "document.querySelector('.stage-legend').textContent";
    page.wait_for(&format!("{legend}.includes('link that is cut') && {legend}.includes('copy of a message')"));
    // The legend of the markers leads to each kind.
    let marker = |kind: &str| {
        format!(
            "[...document.querySelectorAll('.marks-legend button')].find((button) => button.textContent === '{kind}')"
        )
    };
    page.js("lab.go('start')");
    page.js(&format!("{}.click()", marker("fault")));
    page.wait_for("lab.position.step?.cause === 'cut'");
    page.js(&format!("{}.click()", marker("intervention")));
    page.wait_for("lab.position.time === 0");
    page.assert_clean();
}
