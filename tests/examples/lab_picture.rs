//! The pictures of the lab in the README: `cargo run --release -p conformance --example lab_picture`.

use std::path::Path;

use conformance::chromium::{Chromium, ColorScheme, Motion};
use conformance::page_server::PageServer;

/// What is pictured.
const RUN: &str = "run vitanyi -n 8 --r 2..5 --d 4..12";
/// The moment, with all of the run so far in the space-time diagram: the leader is elected, and the news has reached two others.
const MOMENT: &str = "lab.go({ move: lab.ahead.marks.find(({ kind }) => kind === 'elected').move });
    lab.step('move', 2);
    for (let time = 0; time < 3; time++) document.querySelector('#spacetime [aria-label=\"Zoom out\"]').click();";
/// The views have drawn it.
const DRAWN: &str = "new Promise((done) => setTimeout(() => requestAnimationFrame(() => done(true)), 500))";

fn main() {
    let mut browser = Chromium::start().expect("there is Chromium");
    let server = PageServer::of_the_lab();
    let documents = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    browser.resize(1366, 768, 1.5);
    for (scheme, name) in [(ColorScheme::Light, "lab.webp"), (ColorScheme::Dark, "lab-dark.webp")] {
        browser.prefer(scheme, Motion::Reduced);
        browser.visit(&server.url(""));
        browser.wait_for("document.documentElement.dataset.ready === 'true'");
        browser.evaluate(&format!("lab.open({{ line: '{RUN}' }})"));
        browser.wait_for("lab.ahead.over");
        browser.evaluate(MOMENT);
        browser.evaluate(DRAWN);
        browser.screenshot(&documents.join(name));
    }
}
