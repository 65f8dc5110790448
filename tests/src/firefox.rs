//! A page in headless Firefox, which is told an address and nothing else: what comes of it the page itself posts to the server
//! that it comes from ([`crate::page_server`]).

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::installed::{fresh_profile, installed_program};

/// The names under which Firefox is installed.
const NAMES: [&str; 2] = ["firefox-esr", "firefox"];

/// What a new profile is told, so that Firefox asks for nothing but the page.
const PREFERENCES: &str = r#"user_pref("app.update.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.homepage_override.mstone", "ignore");
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("toolkit.telemetry.reportingpolicy.firstRun", false);
user_pref("browser.aboutwelcome.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
"#;

/// A browser that shows one page.
#[derive(Debug)]
pub struct Firefox {
    child: Child,
    profile: PathBuf,
}

impl Firefox {
    /// Shows a page; none where there is no Firefox (see [`installed_program`]).
    pub fn show(url: &str) -> Option<Self> {
        let program = installed_program("Firefox", &NAMES, &["firefox-esr"])?;
        let profile = fresh_profile();
        std::fs::create_dir_all(&profile).expect("it can be written");
        std::fs::write(profile.join("user.js"), PREFERENCES).expect("it can be written");
        let child = Command::new(program)
            .args(["--headless", "--no-remote", "--profile"])
            .arg(&profile)
            .arg(url)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it was there a moment ago");
        Some(Self { child, profile })
    }
}

impl Drop for Firefox {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}
