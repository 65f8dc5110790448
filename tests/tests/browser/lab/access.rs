//! What the page owes everybody: both themes, little movement, a magnified window.

use conformance::chromium::{ColorScheme, Motion};
use serde_json::Value;

use super::LabPage;
use super::axe;

/// The page in the states in which people meet it: a name, and what leads there.
const STATES: [(&str, &str); 11] = [
    ("at the beginning", "lab.open({ line: 'run vitanyi -n 8 --r 2..5 --d 4..12' })"),
    ("in the middle, a processor selected", "lab.go({ move: 20 }); lab.select({ processor: 2 })"),
    ("a message selected", "lab.select({ message: lab.frame.messages[0].number })"),
    ("at the end", "lab.select({}); lab.go('end')"),
    (
        "at a violation, with printed rules",
        "lab.open({ line: 'run spirakis-tampakas-mutex -n 2 --r 1 --d 1 --entries 1 --ids 1,2 --wake-at 1,0 --set \
         rules=printed' }); lab.go({ move: 8 })",
    ),
    ("events by hand", "lab.open({ line: 'run chang-roberts -n 4 --timing untimed' }); lab.go({ move: 2 })"),
    ("choosing a run", "press('/')"),
    ("sharing", "document.querySelector('dialog[open]').close(); press('s')"),
    ("the list of keys", "document.querySelector('dialog[open]').close(); press('?')"),
    ("comparing", "document.querySelector('dialog[open]').close(); press('c')"),
    ("after comparing", "press('Escape')"),
];

/// States of the tour and the quiz.
const TAUGHT: [(&str, &str); 4] = [
    ("a stop of the tour", "named('Tour').click()"),
    (
        "an answer of the tour",
        "document.querySelector('.teach-answer input').click(); \
         document.querySelector('.teach-question [type=submit]').click(); named('To the end').click()",
    ),
    ("a question of the quiz", "named('Quiz').click()"),
    ("an answer of the quiz", "document.querySelector('.quiz-pick').click()"),
];

const HELPERS: &str =
    "press = (key) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    named = (name) => [...document.querySelectorAll('button')].find((button) => button.textContent === name); true";

/// Leads through all states, and calls a function in each.
fn walk(page: &mut LabPage, mut look: impl FnMut(&mut LabPage, &str)) {
    page.js(&format!("var press, named; {HELPERS}"));
    for (name, steps) in STATES.into_iter().chain(TAUGHT) {
        page.js(&format!("{{ {steps}; }} true"));
        // Views draw in the frame after.
        page.js(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30))))",
        );
        page.wait_for("lab.ahead.over");
        look(page, name);
    }
}

#[test]
fn axe_finds_nothing_in_either_theme() {
    let Some(mut page) = LabPage::unopened() else { return };
    let mut found = Vec::new();
    for scheme in [ColorScheme::Light, ColorScheme::Dark] {
        page.browser.prefer(scheme, Motion::Reduced);
        page.browser.resize(1440, 900, 1.0);
        page.visit("");
        if !axe::bring(&mut page) {
            return;
        }
        walk(&mut page, |page, name| {
            found.extend(axe::findings(page).iter().map(|finding| format!("{scheme:?}, {name}: {finding}")));
        });
        page.browser.resize(390, 844, 1.0);
        page.js("document.querySelector('.teach-close:not([hidden] *)')?.click()");
        found.extend(axe::findings(&mut page).iter().map(|finding| format!("{scheme:?}, on a phone: {finding}")));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    page.assert_clean();
}

/// The test above can fail.
#[test]
fn axe_finds_pale_text_and_unnamed_buttons() {
    let Some(mut page) = LabPage::start() else { return };
    if !axe::bring(&mut page) {
        return;
    }
    page.js("document.querySelector('main').insertAdjacentHTML('beforeend', '<p style=\"color: #ccc; background: #fff\">pale</p>\
             <button type=button></button>'); true");
    let found = axe::findings(&mut page).join("\n");
    assert!(found.contains("color-contrast") && found.contains("button-name"), "{found}");
}

/// Half of a window of 1280 pixels: everything fits, nothing has to be scrolled sideways.
#[test]
fn a_magnified_page_needs_no_sideways_scrolling() {
    let Some(mut page) = LabPage::unopened() else { return };
    for (width, height, scale) in [(640, 450, 2.0), (390, 844, 1.0)] {
        page.browser.resize(width, height, scale);
        page.visit("");
        walk(&mut page, |page, name| {
            let wide = page.js(
                "(() => {
                  const width = document.documentElement.clientWidth;
                  const scrolls = (element) => { for (let one = element; one; one = one.parentElement)
                    if (/auto|scroll|hidden|clip/.test(getComputedStyle(one).overflowX) && one !== document.body) return true; return false; };
                  const beyond = [...document.querySelectorAll('body *')].filter((one) => {
                    const box = one.getBoundingClientRect();
                    return box.width > 0 && box.height > 0 && box.right > width + 1 && !one.closest('svg') && !scrolls(one);
                  });
                  return [document.documentElement.scrollWidth > width, document.body.scrollWidth > width,
                    beyond.slice(0, 3).map((one) => `${one.tagName} ${one.className} ${one.textContent.slice(0, 30)}`)];
                })()",
            );
            assert_eq!(wide, serde_json::json!([false, false, []]), "{width} pixels, {name}");
        });
        page.assert_clean();
    }
}

/// How often something on the stage moved while the run stood still, and how many moves were played.
fn movement(page: &mut LabPage, motion: Motion, speed: f64) -> (u64, u64) {
    page.browser.prefer(ColorScheme::Light, motion);
    page.visit("");
    page.open("run chang-roberts -n 8 --d 20..40 --seed 1");
    page.js(&format!("lab.setSpeed({speed})"));
    let counted: Value = page.js(
        "new Promise((done) => {
          let [glides, moves, last, frames, running, rest] = [0, 0, null, 0, 0, 0];
          const places = () => [...document.querySelectorAll('#stage .messages *')].map((one) => one.getAttribute('transform')).join();
          const look = () => {
            const now = { move: lab.position.move, places: places() };
            // A move is drawn in the frame after it.
            rest = last && now.move === last.move ? rest + 1 : 0;
            if (last) moves += now.move - last.move;
            if (rest > 1 && now.places !== last.places) glides += 1;
            running += document.getAnimations().filter((one) => one.playState === 'running').length;
            last = now;
            if (++frames < 150) requestAnimationFrame(look); else { lab.pause(); done([glides, moves, running]); }
          };
          lab.play();
          requestAnimationFrame(() => requestAnimationFrame(look));
        })",
    );
    let count = |index: usize| counted[index].as_u64().expect("it is a count");
    if motion == Motion::Reduced {
        assert_eq!(count(2), 0, "animations");
    }
    (count(0), count(1))
}

#[test]
fn messages_jump_where_little_movement_is_preferred() {
    let Some(mut page) = LabPage::unopened() else { return };
    let (glides, moves) = movement(&mut page, Motion::Any, 0.5);
    assert!(glides > 10 && moves > 0, "{glides} frames of gliding, {moves} moves");
    let (glides, moves) = movement(&mut page, Motion::Reduced, 4.0);
    assert!(glides <= 2 && moves > 4, "{glides} frames of gliding, {moves} moves");
    page.assert_clean();
}
