//! One file that works offline: it is opened from a folder, and asks for nothing.

use conformance::Played;
use conformance::chromium::{Chromium, ColorScheme};
use ringleader_lab::{Embedded, Opened, single_page};
use serde_json::json;

use super::protocols::native_report;

#[test]
fn an_exported_page_plays_offline() {
    let Some(mut browser) = Chromium::start() else { return };
    let line = "run spirakis-tampakas-mutex -n 2 --r 1 --d 1 --entries 1 --ids 1,2 --wake-at 1,0 --set rules=printed";
    let trace = Played::replayed(line.trim_start_matches("run ")).trace().to_text().expect("it was recorded");
    let text = single_page(&Embedded { opened: Opened::Trace(trace), at_violation: true });
    assert!(text.len() < 1_500_000, "{} bytes", text.len());
    let directory = std::env::temp_dir().join(format!("ringleader-exported-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("it can be written");
    let path = directory.join("run.html");
    std::fs::write(&path, text).expect("it can be written");
    browser.call(
        "Network.emulateNetworkConditions",
        &json!({
        "offline": true, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 }),
    );
    browser.open(&path, ColorScheme::Light);
    browser.wait_for("document.documentElement.dataset.ready");
    assert_eq!(browser.evaluate("document.documentElement.dataset.ready"), "true");
    // It stands at the violation, paused: two are inside.
    assert_eq!(browser.evaluate("[lab.playing, lab.position.inside, lab.position.violations].join()"), "false,2,1");
    browser.evaluate("lab.setSpeed(Infinity); lab.play()");
    browser.wait_for("document.querySelector('#stage').dataset.state === 'over' && !lab.playing");
    let (report, native) = (browser.evaluate("lab.request('report')"), native_report(line));
    for part in ["outcome", "cost", "trace"] {
        assert_eq!(report[part], native[part], "{part}");
    }
    assert_eq!(browser.outside_requests(), Vec::<&str>::new());
    assert_eq!(browser.complaints(), Vec::<String>::new());
    let _ = std::fs::remove_dir_all(&directory);
}
