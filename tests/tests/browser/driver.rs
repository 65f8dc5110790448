//! The driver itself: what the other tests rely on can be seen to fail.

use conformance::chromium::{Chromium, ColorScheme, Motion};
use conformance::page_server::{PageServer, ServedFile};

const PAGE: &str = "<!DOCTYPE html><meta charset=utf-8><link rel=icon href='data:,'><title>page</title>
<button id=one onclick=\"document.title = 'pressed'\">one</button><input id=two>
<script src=page.js></script>";

const SCRIPT: &str = "addEventListener('keydown', (event) => {
  (window.keys ??= []).push((event.shiftKey ? 'Shift+' : '') + event.key);
});";

fn served(path: &str, mime: &'static str, content: &str) -> ServedFile {
    ServedFile { path: path.to_string(), mime, content: content.as_bytes().to_vec() }
}

#[test]
fn keys_preferences_and_sizes_reach_the_page() {
    let Some(mut browser) = Chromium::start() else { return };
    let files = vec![served("index.html", "text/html", PAGE), served("page.js", "text/javascript", SCRIPT)];
    let server = PageServer::start(files, "default-src 'self'; img-src data:; script-src 'self' 'unsafe-inline'");
    browser.prefer(ColorScheme::Dark, Motion::Reduced);
    browser.resize(640, 400, 2.0);
    browser.visit(&server.url(""));
    for media in
        ["(prefers-color-scheme: dark)", "(prefers-reduced-motion: reduce)", "(width: 640px) and (resolution: 2dppx)"]
    {
        assert_eq!(browser.evaluate(&format!("matchMedia('{media}').matches")), true, "{media}");
    }
    browser.press("Tab");
    assert_eq!(browser.evaluate("document.activeElement.id"), "one");
    browser.press("Enter");
    browser.wait_for("document.title === 'pressed'");
    browser.press("Tab");
    browser.press("a");
    browser.write("bc");
    browser.press("Shift+ArrowLeft");
    assert_eq!(browser.evaluate("document.activeElement.value"), "abc");
    assert_eq!(browser.evaluate("keys.join(' ')"), "Tab Enter Tab a Shift+ArrowLeft");
    browser.press("Shift+Tab");
    assert_eq!(browser.evaluate("document.activeElement.id"), "one");
    assert_eq!(browser.outside_requests(), Vec::<&str>::new());
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Errors, exceptions, files that are missing and what a policy forbids.
#[test]
fn complaints_of_a_page_are_heard() {
    let Some(mut browser) = Chromium::start() else { return };
    // The browser tells of a missing file some time after the page knows.
    let script = "console.error('wrong'); document.body.append(Object.assign(new Image(),
        { src: 'http://localhost:9/outside.png' })); fetch('missing').then(() =>
        setTimeout(() => { setTimeout(() => { window.late = true; }); throw new Error('late'); }, 200));";
    let files = vec![
        served(
            "index.html",
            "text/html",
            "<!DOCTYPE html><link rel=icon href='data:,'><body><script src=bad.js></script>",
        ),
        served("bad.js", "text/javascript", script),
    ];
    let server = PageServer::start(files, "default-src 'self'; img-src data:");
    browser.visit(&server.url(""));
    browser.wait_for("window.late");
    let complaints = browser.complaints().join("\n");
    for part in ["wrong", "late", "404", "Content Security Policy"] {
        assert!(complaints.contains(part), "{part}: {complaints}");
    }
}

#[test]
fn what_a_page_posts_arrives() {
    let Some(mut browser) = Chromium::start() else { return };
    let page = "<!DOCTYPE html><meta charset=utf-8><link rel=icon href='data:,'><script>fetch('result', { method: 'POST', body: 'é 1' })</script>";
    let server =
        PageServer::start(vec![served("index.html", "text/html", page)], "default-src 'self' 'unsafe-inline' data:");
    browser.visit(&server.url(""));
    let patience = std::time::Duration::from_secs(20);
    assert_eq!(server.next_post(patience).as_deref(), Some("é 1"));
}
