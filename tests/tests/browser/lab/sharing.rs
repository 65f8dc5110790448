//! Links: the address holds the run, the moment and the selection.

use super::LabPage;

/// What a link has to bring back.
const MOMENT: &str = "JSON.stringify([lab.run.line, lab.position.move, lab.position.digest, lab.selection])";

#[test]
fn a_link_brings_back_the_moment_and_the_selection() {
    let Some(mut page) = LabPage::start() else { return };
    for (line, change) in [
        ("run vitanyi -n 7 --r 2..5 --d 4..12 --seed 8", ""),
        ("run chang-roberts --ids 3,1,4,2", "lab.intervene({ message: 2, action: 'drop' })"),
        ("run peterson -n 4 --timing untimed --seed 6", "lab.take(lab.request('enabled').enabled.length - 1)"),
    ] {
        page.open(line);
        page.js("lab.go({ move: 5 })");
        page.js(change);
        page.js("lab.step('move', 3); lab.select({ processor: 2 })");
        let moment = page.text(MOMENT);
        let fragment = page.text("lab.request('link', { selection: lab.selection }).fragment");
        page.wait_for(&format!("location.hash === '#{fragment}'"));
        page.visit(&format!("#{fragment}"));
        assert_eq!(page.text(MOMENT), moment, "{line}");
        page.assert_clean();
    }
}

#[test]
fn an_address_can_be_the_line_of_a_run() {
    let Some(mut page) = LabPage::start() else { return };
    page.visit("#run%20chang-roberts%20--ids%203,1,4,2");
    assert_eq!(page.text("lab.run.protocol"), "chang-roberts");
    assert_eq!(page.text("lab.run.ids.join()"), "3,1,4,2");
    page.assert_clean();
}

/// A link of another version of its format, and one that is damaged.
#[test]
fn a_link_that_cannot_be_followed_says_why() {
    let Some(mut page) = LabPage::start() else { return };
    for (fragment, word) in [("l9.abcdef", "version"), ("l1.!!!!", "link"), ("l1.AAAA", "link")] {
        page.visit(&format!("#{fragment}"));
        let alert = page.text("document.querySelector('#failure').innerText");
        assert!(alert.to_lowercase().contains(word), "{fragment}: {alert}");
        // Another run is shown, and can be used.
        assert_eq!(page.js("lab.session !== null"), true, "{fragment}");
        page.assert_clean();
    }
}
