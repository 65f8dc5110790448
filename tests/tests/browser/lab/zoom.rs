//! The stage is magnified by wheel, fingers, keys and buttons, however it is drawn.

use conformance::chromium::{ColorScheme, Motion};
use serde_json::json;

use super::LabPage;

/// Runs that are drawn in each of the ways: SVG, SVG without names, canvases, an overview.
const RUNS: [&str; 4] = [
    "run vitanyi -n 8 --r 2..5 --d 4..12",
    "run peterson -n 400",
    "run chang-roberts -n 2000 --d 20..40",
    "run chang-roberts -n 20000",
];

/// How often larger than the whole network the stage is shown.
fn scale(page: &mut LabPage) -> f64 {
    page.text("document.querySelector('.stage-view').dataset.scale").parse().expect("it is a number")
}

/// A point of the stage's view, in shares of its size, as a point of the window.
fn point(page: &mut LabPage, across: f64, down: f64) -> (f64, f64) {
    let side = |page: &mut LabPage, side: &str| {
        page.js(&format!("document.querySelector('.stage-view').getBoundingClientRect().{side}"))
            .as_f64()
            .expect("it is a length")
    };
    let (left, top) = (side(page, "left"), side(page, "top"));
    (left + across * side(page, "width"), top + down * side(page, "height"))
}

fn mouse(page: &mut LabPage, kind: &str, (x, y): (f64, f64)) {
    let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1 });
    page.browser.call("Input.dispatchMouseEvent", &event);
}

/// Clicks a point: what is selected there, a processor or a message.
fn clicked(page: &mut LabPage, at: (f64, f64)) -> serde_json::Value {
    mouse(page, "mousePressed", at);
    mouse(page, "mouseReleased", at);
    page.js("lab.selection")
}

/// A click selects what is within a few pixels of it: of the points around one that select the same, the middle is on it.
fn middle_of_what_is_selected(page: &mut LabPage, (x, y): (f64, f64), selected: &serde_json::Value) -> (f64, f64) {
    let offsets = || (-7..=7).map(|step| f64::from(2 * step));
    let around = offsets().flat_map(|down| offsets().map(move |across| (x + across, y + down)));
    let same: Vec<_> = around.filter(|&at| clicked(page, at) == *selected).collect();
    let count = same.len() as f64;
    let sum = same.iter().fold((0.0, 0.0), |sum, at| (sum.0 + at.0, sum.1 + at.1));
    (sum.0 / count, sum.1 / count)
}

fn wheel(page: &mut LabPage, (x, y): (f64, f64), by: f64) {
    let event = json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": by });
    page.browser.call("Input.dispatchMouseEvent", &event);
}

/// Opens a run somewhere within it, with little movement.
fn open(page: &mut LabPage, line: &str) {
    page.open(line);
    page.js("lab.go({ move: Math.floor(lab.ahead.moves / 3) })");
    page.js("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))");
}

#[test]
fn what_the_pointer_is_on_stays_there() {
    let Some(mut page) = LabPage::start() else { return };
    page.browser.prefer(ColorScheme::Light, Motion::Reduced);
    page.js("document.querySelector('[data-view=\"network\"]').click()");
    for line in RUNS {
        open(&mut page, line);
        // Points are tried until there is something at one.
        let shares = (1..30).flat_map(|down| (1..30).map(move |across| (across, down)));
        let found = shares.map(|(across, down)| (f64::from(across) / 30.0, f64::from(down) / 30.0)).find_map(|share| {
            let at = point(&mut page, share.0, share.1);
            let there = clicked(&mut page, at);
            (there["processor"].is_u64()).then_some((at, there))
        });
        let (near_it, before) = found.expect("a processor is drawn somewhere");
        let at = middle_of_what_is_selected(&mut page, near_it, &before);
        assert_eq!(scale(&mut page), 1.0, "{line}");
        for _ in 0..8 {
            wheel(&mut page, at, -100.0);
        }
        page.wait_for("Number(document.querySelector('.stage-view').dataset.scale) > 2");
        page.js("lab.select({})");
        let after = clicked(&mut page, at)["processor"].as_f64();
        let n = page.js("lab.run.n").as_f64().expect("it is a count");
        // A point of an overview is an arc of processors.
        let near = if n > 10_000.0 { n / 100.0 } else { 0.0 };
        let apart = after.zip(before["processor"].as_f64()).map(|(one, other)| (one - other).abs());
        assert!(apart.is_some_and(|apart| apart <= near), "{line}: {before} became {after:?}");
        page.press(&["0"]);
        assert_eq!(scale(&mut page), 1.0, "{line}");
    }
    page.assert_clean();
}

#[test]
fn keys_magnify_and_the_view_follows_what_is_selected() {
    let Some(mut page) = LabPage::start() else { return };
    page.browser.prefer(ColorScheme::Light, Motion::Reduced);
    open(&mut page, "run vitanyi -n 8 --r 2..5 --d 4..12");
    let width = |page: &mut LabPage| {
        page.js("document.querySelector('.stage .node .body').getBoundingClientRect().width")
            .as_f64()
            .expect("a length")
    };
    let small = width(&mut page);
    page.press(&["+", "="]);
    assert_eq!(scale(&mut page), 2.25);
    assert!((width(&mut page) / small - 2.25).abs() < 0.2, "processors are drawn as much larger");
    page.press(&["-"]);
    assert_eq!(scale(&mut page), 1.5);
    let left = |page: &mut LabPage| {
        page.js("document.querySelector('.stage .node').getBoundingClientRect().left").as_f64().expect("a length")
    };
    page.press(&["l", "l", "l", "l", "l", "l", "l", "l"]);
    let before = left(&mut page);
    page.press(&["h"]);
    assert!(left(&mut page) > before, "the network moves to the right, where one looks to the left");
    page.js("document.querySelector('#stage').focus()");
    page.press(&["+", "+", "ArrowDown", "ArrowDown", "ArrowDown"]);
    for _ in 0..8 {
        page.press(&["ArrowDown"]);
        let seen = page.js(
            "(() => {
              const view = document.querySelector('.stage-view').getBoundingClientRect();
              const node = document.querySelectorAll('.stage .node .id');
              const name = String(lab.run.ids[lab.selection.processor]);
              const { left, right, top, bottom } = [...node].find((one) => one.textContent === name).getBoundingClientRect();
              return left >= view.left && right <= view.right && top >= view.top && bottom <= view.bottom;
            })()",
        );
        assert_eq!(seen, true, "place {}", page.js("lab.selection.processor"));
    }
    // The run stays where it is, and so does the scale when it is interfered with.
    let magnified = scale(&mut page);
    page.js("lab.intervene({ place: 2, action: 'crash' })");
    assert_eq!(scale(&mut page), magnified);
    page.js("document.querySelector('.stage-zoom button[aria-label^=\"Show all\"]').click()");
    assert_eq!(scale(&mut page), 1.0);
    page.assert_clean();
}

#[test]
fn names_appear_where_there_is_room_for_them() {
    let Some(mut page) = LabPage::start() else { return };
    open(&mut page, "run peterson -n 400");
    let named = "[...document.querySelectorAll('.stage .id')].filter((one) => one.checkVisibility()).length";
    assert_eq!(page.js(named), 0);
    page.press(&["+", "+", "+", "+", "+", "+"]);
    assert_eq!(page.js(named), 400);
    page.press(&["0"]);
    assert_eq!(page.js(named), 0);
}

#[test]
fn dragging_moves_and_selects_nothing() {
    let Some(mut page) = LabPage::start() else { return };
    open(&mut page, "run vitanyi -n 8 --r 2..5 --d 4..12");
    page.press(&["+", "+", "+"]);
    let left = "document.querySelector('.stage .node').getBoundingClientRect().left";
    let before = page.js(left).as_f64().expect("a length");
    let (start, end) = (point(&mut page, 0.5, 0.5), point(&mut page, 0.4, 0.5));
    mouse(&mut page, "mousePressed", start);
    mouse(&mut page, "mouseMoved", ((start.0 + end.0) / 2.0, end.1));
    mouse(&mut page, "mouseMoved", end);
    mouse(&mut page, "mouseReleased", end);
    let moved = page.js(left).as_f64().expect("a length") - before;
    assert!((moved - (end.0 - start.0)).abs() < 2.0, "{moved}");
    assert_eq!(page.js("lab.selection.processor ?? lab.selection.message"), serde_json::Value::Null);
    page.assert_clean();
}

#[test]
fn two_fingers_magnify() {
    let Some(mut page) = LabPage::start() else { return };
    open(&mut page, "run vitanyi -n 8 --r 2..5 --d 4..12");
    let (middle, right) = (point(&mut page, 0.5, 0.5), point(&mut page, 0.7, 0.5));
    let fingers = |kind: &str, far: f64| {
        let place = |id: u32, x: f64| json!({ "id": id, "x": x, "y": middle.1 });
        let places = if kind == "touchEnd" { vec![] } else { vec![place(0, middle.0), place(1, middle.0 + far)] };
        json!({ "type": kind, "touchPoints": places })
    };
    let apart = right.0 - middle.0;
    for (kind, far) in
        [("touchStart", apart / 2.0), ("touchMove", apart * 0.75), ("touchMove", apart), ("touchEnd", 0.0)]
    {
        page.browser.call("Input.dispatchTouchEvent", &fingers(kind, far));
    }
    let magnified = scale(&mut page);
    assert!((1.8..=2.2).contains(&magnified), "{magnified}");
}
