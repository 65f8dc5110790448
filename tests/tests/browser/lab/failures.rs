//! What cannot work says so in a sentence that helps: a missing, corrupt or stale engine, a run that is too large.

use conformance::chromium::Chromium;
use conformance::page_server::{PageServer, ServedFile, lab_files};
use ringleader_lab::CONTENT_SECURITY_POLICY;

use super::LabPage;

/// What the page says when its engine has been changed in some way.
fn said(browser: &mut Chromium, change: impl Fn(&mut Vec<ServedFile>)) -> String {
    let mut files = lab_files();
    change(&mut files);
    let server = PageServer::start(files, CONTENT_SECURITY_POLICY);
    browser.visit(&server.url(""));
    browser.wait_for("document.documentElement.dataset.ready");
    assert_eq!(browser.evaluate("document.documentElement.dataset.ready"), "failed");
    browser.evaluate("document.querySelector('#failure').innerText").as_str().expect("it is text").to_string()
}

fn engine(files: &mut [ServedFile]) -> &mut ServedFile {
    files.iter_mut().find(|file| file.path == "lab.wasm.gz").expect("it is served")
}

#[test]
fn an_engine_that_is_missing_corrupt_or_stale_is_told() {
    let Some(mut browser) = Chromium::start() else { return };
    let missing = said(&mut browser, |files| files.retain(|file| file.path != "lab.wasm.gz"));
    assert!(missing.contains("is missing") && missing.contains("ringleader lab"), "{missing}");
    let halved = said(&mut browser, |files| {
        let content = &mut engine(files).content;
        content.truncate(content.len() / 2);
    });
    assert!(halved.contains("is corrupt") && halved.contains("cargo xtask lab"), "{halved}");
    let text = said(&mut browser, |files| engine(files).content = b"<html>not found</html>".to_vec());
    assert!(text.contains("neither WebAssembly nor gzip"), "{text}");
    // A module that is none of ours: the smallest there is.
    let other = said(&mut browser, |files| engine(files).content = b"\0asm\x01\0\0\0".to_vec());
    assert!(other.contains("different versions"), "{other}");
}

#[test]
fn what_is_refused_is_refused_in_words_and_the_run_stays() {
    let Some(mut page) = LabPage::start() else { return };
    page.open("run chang-roberts --ids 3,1,4,2");
    for (line, words) in [
        ("run chang-roberts -n 3000000", ["2000000", "terminal"]),
        ("run chang-robberts -n 3", ["chang-robberts", "chang-roberts"]),
        ("run chang-roberts -n 0", ["-n", "one processor"]),
        ("check chang-roberts -n 3", ["check", "run"]),
    ] {
        page.js(&format!("lab.attempt(() => lab.open({{ line: '{line}' }}))"));
        let alert = page.text("document.querySelector('#failure').innerText");
        for word in words {
            assert!(alert.contains(word), "{line}: {word}: {alert}");
        }
        assert_eq!(page.text("lab.run.ids.join()"), "3,1,4,2", "{line}");
        page.press(&["Escape"]);
        page.wait_for("document.querySelector('#failure').childElementCount === 0");
    }
    page.assert_clean();
}
