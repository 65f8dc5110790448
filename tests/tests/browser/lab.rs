//! The page of the lab: every protocol, every part, without a mouse, in both themes, at every width.

mod access;
mod axe;
mod breaking;
mod exported;
mod failures;
mod firefox;
mod keyboard;
mod protocols;
mod sharing;
mod teaching;
mod travel;
mod zoom;

use conformance::chromium::Chromium;
use conformance::page_server::PageServer;
use serde_json::Value;

/// The page in a browser, and the server that it comes from.
pub(crate) struct LabPage {
    browser: Chromium,
    server: PageServer,
}

impl LabPage {
    /// The page, opened; nothing where there is no browser, which is printed.
    pub(crate) fn start() -> Option<Self> {
        let mut page = Self::unopened()?;
        page.visit("");
        Some(page)
    }

    /// The same, not yet opened.
    pub(crate) fn unopened() -> Option<Self> {
        let browser = Chromium::start()?;
        Some(Self { browser, server: PageServer::of_the_lab() })
    }

    /// Opens the page at an address, and waits until it can be used.
    #[track_caller]
    pub(crate) fn visit(&mut self, address: &str) {
        self.browser.visit(&self.server.url(address));
        let complained = self.browser.complaints().join("\n");
        assert!(complained.is_empty(), "{complained}");
        self.browser.wait_for("document.documentElement.dataset.ready");
        assert_eq!(self.js("document.documentElement.dataset.ready"), "true", "{}", self.js("document.body.innerText"));
    }

    /// Opens a run in the page, and waits until its end is known.
    #[track_caller]
    pub(crate) fn open(&mut self, line: &str) {
        self.js(&format!("lab.open({{ line: {} }})", Value::from(line)));
        self.wait_for("lab.ahead.over");
    }

    /// The value of an expression in the page.
    #[track_caller]
    pub(crate) fn js(&mut self, expression: &str) -> Value {
        self.browser.evaluate(expression)
    }

    /// A text of the page.
    #[track_caller]
    pub(crate) fn text(&mut self, expression: &str) -> String {
        self.js(expression).as_str().unwrap_or_else(|| panic!("{expression} is no text")).to_string()
    }

    #[track_caller]
    pub(crate) fn wait_for(&mut self, expression: &str) {
        self.browser.wait_for(expression);
    }

    /// Presses keys, one after the other.
    #[track_caller]
    pub(crate) fn press(&mut self, keys: &[&str]) {
        for key in keys {
            self.browser.press(key);
        }
    }

    /// The digest of the moment at which the run stands.
    #[track_caller]
    pub(crate) fn digest(&mut self) -> String {
        self.text("lab.position.digest")
    }

    /// Demands that the page has asked for nothing from elsewhere, and that nothing went wrong in it.
    #[track_caller]
    pub(crate) fn assert_clean(&mut self) {
        assert_eq!(self.browser.outside_requests(), Vec::<&str>::new());
        assert_eq!(self.browser.complaints(), Vec::<String>::new());
    }
}
