//! Everything works without a mouse.

use serde_json::Value;

use super::LabPage;

/// The element that has the focus, as people would name it.
const FOCUSED: &str = "(() => {
  const one = document.activeElement;
  return `${one.tagName.toLowerCase()} ${one.id} ${(one.getAttribute('aria-label') ?? one.textContent).trim()}`;
})()";

/// Presses tab until the element with the focus satisfies an expression about `one`.
#[track_caller]
fn tab_to(page: &mut LabPage, condition: &str) {
    for _ in 0..150 {
        page.press(&["Tab"]);
        if page.js(&format!("((one) => Boolean({condition}))(document.activeElement)")) == true {
            return;
        }
    }
    panic!("tab never comes to {condition}; the focus is at {}", page.text(FOCUSED));
}

/// Every control that is shown gets the focus within one cycle of the tab key, and shows it.
fn assert_all_reached(page: &mut LabPage, scope: &str) {
    page.js("window.reached = new Set(); window.unseen = new Set(); document.activeElement.blur(); true");
    for _ in 0..200 {
        page.press(&["Tab"]);
        let round = page.js(
            "(() => {
              const one = document.activeElement;
              if (reached.has(one)) return true;
              reached.add(one);
              const style = getComputedStyle(one);
              const seen = (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== 'none';
              if (one !== document.body && !seen) unseen.add(one.outerHTML.slice(0, 120));
              return false;
            })()",
        );
        if round == true {
            break;
        }
    }
    let missed = page.js(&format!(
        "[...document.querySelector('{scope}').querySelectorAll('button, a[href], input, select, textarea, summary, [tabindex=\"0\"]')]
          .filter((one) => one.checkVisibility({{ visibilityProperty: true }}) && !one.disabled && one.tabIndex >= 0 && !reached.has(one)
            && !(one.type === 'radio' && [...reached].some((other) => other.name === one.name)))
          .map((one) => one.outerHTML.slice(0, 120))"
    ));
    assert_eq!(missed, Value::Array(Vec::new()), "{scope}: not reached");
    assert_eq!(page.js("[...unseen]"), Value::Array(Vec::new()), "{scope}: the focus is not seen");
}

#[test]
fn a_run_is_played_stepped_and_scrubbed_by_keys() {
    let Some(mut page) = LabPage::start() else { return };
    page.open("run peterson --ids 3,1,4,2");
    let at = |page: &mut LabPage| page.js("lab.position.move").as_u64().expect("it is a count");
    page.press(&["ArrowRight", "ArrowRight", "ArrowRight"]);
    assert_eq!(at(&mut page), 3);
    page.press(&["ArrowLeft"]);
    assert_eq!(at(&mut page), 2);
    page.press(&["Shift+ArrowRight"]);
    assert_eq!(at(&mut page), 4, "the end of the instant in which all wake");
    page.press(&["Shift+ArrowLeft"]);
    assert_eq!(at(&mut page), 0);
    page.press(&["]"]);
    let first = page.js("lab.position.phases");
    page.press(&["]"]);
    assert_ne!(page.js("lab.position.phases"), first);
    page.press(&["["]);
    assert_eq!(page.js("lab.position.phases"), first);
    page.press(&["End"]);
    assert_eq!(page.js("lab.position.over"), true);
    page.press(&["Home"]);
    assert_eq!(at(&mut page), 0);
    page.press(&[" "]);
    page.wait_for("lab.playing && lab.position.move > 0");
    page.press(&[" "]);
    assert_eq!(page.js("lab.playing"), false);
    // The slider has keys of its own.
    tab_to(&mut page, "one.getAttribute('role') === 'slider'");
    page.press(&["End"]);
    assert_eq!(page.js("lab.position.over"), true);
    page.press(&["Home", "ArrowRight"]);
    page.wait_for("lab.position.move > 0");
    page.assert_clean();
}

#[test]
fn a_run_is_chosen_broken_and_shared_by_keys() {
    let Some(mut page) = LabPage::start() else { return };
    // A protocol is searched for, chosen and opened.
    page.press(&["/"]);
    page.wait_for("document.querySelector('#start').open");
    tab_to(&mut page, "one.type === 'search'");
    page.browser.write("franklin");
    tab_to(&mut page, "one.type === 'radio' && one.value === 'franklin'");
    page.press(&[" "]);
    tab_to(&mut page, "one.tagName === 'BUTTON' && /^(Open|Run|Start)/.test(one.textContent)");
    page.press(&["Enter"]);
    page.wait_for("!document.querySelector('#start').open");
    assert_eq!(page.text("lab.run.protocol"), "franklin");
    // A processor is selected on the stage, and crashed.
    page.press(&["ArrowRight"]);
    tab_to(&mut page, "one.id === 'stage'");
    page.press(&["ArrowDown", "ArrowDown", "Enter"]);
    page.wait_for("lab.selection.processor !== null");
    tab_to(&mut page, "one.textContent === 'Crash' && one.closest('#breakit')");
    page.press(&["Enter"]);
    page.wait_for("lab.run.line.includes('--faults crash:')");
    // Dialogs open and close.
    for (key, dialog) in [("s", "share"), ("?", "help"), ("/", "start")] {
        page.press(&[key]);
        page.wait_for(&format!("document.querySelector('#{dialog}').open"));
        page.press(&["Escape"]);
        page.wait_for(&format!("!document.querySelector('#{dialog}').open"));
    }
    page.press(&["c"]);
    page.wait_for("!document.querySelector('#compare').hidden");
    page.press(&["Escape"]);
    page.wait_for("document.querySelector('#compare').hidden");
    page.press(&["f"]);
    page.wait_for("document.documentElement.dataset.presenter === 'true'");
    page.press(&["Escape"]);
    page.wait_for("!document.documentElement.dataset.presenter");
    page.assert_clean();
}

#[test]
fn the_tour_and_the_quiz_are_taken_by_keys() {
    let Some(mut page) = LabPage::start() else { return };
    tab_to(&mut page, "one.textContent === 'Tour'");
    page.press(&["Enter"]);
    page.wait_for("!document.querySelector('#tour').hidden");
    tab_to(&mut page, "one.type === 'radio' && one.closest('#tour')");
    page.press(&["ArrowDown", "ArrowDown"]);
    assert_eq!(page.js("document.querySelectorAll('.teach-answer input')[2].checked"), true);
    page.press(&["Enter"]);
    page.wait_for("lab.playing");
    tab_to(&mut page, "one.textContent === 'To the end'");
    page.press(&["Enter"]);
    page.wait_for("document.querySelector('.teach-verdict')?.dataset.right === 'true'");
    tab_to(&mut page, "one.classList.contains('teach-next')");
    page.press(&["Enter"]);
    page.wait_for("document.querySelector('#tour h2').textContent === 'Why N²'");
    page.press(&["Escape"]);
    page.wait_for("document.querySelector('#tour').hidden");
    assert_eq!(page.text("document.activeElement.textContent"), "Tour", "the focus goes back to where it was");
    tab_to(&mut page, "one.textContent === 'Quiz'");
    page.press(&["Enter"]);
    page.wait_for("!document.querySelector('#quiz').hidden");
    tab_to(&mut page, "one.dataset.pick === 'send'");
    page.press(&["Enter"]);
    page.wait_for("document.querySelector('.quiz-score').textContent === '1 of 1 answer right.'");
    page.press(&["Enter"]);
    page.wait_for("document.querySelector('.quiz-pick:not(:disabled)')");
    page.press(&["Escape"]);
    page.wait_for("document.querySelector('#quiz').hidden");
    page.assert_clean();
}

#[test]
fn tab_reaches_every_control_and_shows_where_it_is() {
    let Some(mut page) = LabPage::start() else { return };
    page.open("run vitanyi -n 6 --r 2..5 --d 4..12");
    page.js("lab.go({ move: 12 }); lab.select({ processor: 2 })");
    assert_all_reached(&mut page, "body");
    page.js("lab.open({ line: 'run chang-roberts -n 4 --timing untimed' })");
    assert_all_reached(&mut page, "#breakit");
    for key in ["s", "?", "/"] {
        page.press(&[key]);
        assert_all_reached(&mut page, "dialog[open]");
        page.press(&["Escape"]);
    }
    page.press(&["c"]);
    assert_all_reached(&mut page, "#compare");
    page.assert_clean();
}
