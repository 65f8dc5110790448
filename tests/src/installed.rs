//! Browsers and tools that tests use where they are installed.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// Held by whoever looks for a program, or installs one: several tests begin together, and packages are installed one at a
/// time.
static INSTALLING: Mutex<()> = Mutex::new(());

/// Whether this machine tests every change, so that nothing may be skipped.
pub fn tests_every_change() -> bool {
    std::env::var("CI").is_ok_and(|value| !["", "0", "false"].contains(&value.as_str()))
}

/// Says that a test is skipped.
///
/// # Panics
///
/// Where nothing may be skipped.
#[track_caller]
pub fn skip(why: &str) {
    assert!(!tests_every_change(), "{why}");
    // Not captured by the test harness; nobody can be told where stderr is closed.
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

/// The first of these names under which a program answers. Where `CI` is set and there is none, its packages are installed;
/// elsewhere that is printed, and the test that wanted it is skipped.
///
/// # Panics
///
/// If it must be there and is not.
pub fn installed_program(title: &str, names: &[&'static str], packages: &[&str]) -> Option<&'static str> {
    let _installing = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut found = first_that_works(names);
    if found.is_none() && tests_every_change() {
        install(packages);
        found = first_that_works(names);
    }
    if found.is_none() {
        skip(&format!("there is no {title}; `apt-get install {}` brings one", packages.join(" ")));
    }
    found
}

fn first_that_works(names: &[&'static str]) -> Option<&'static str> {
    let works = |name: &&&str| {
        let output = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        output.is_ok_and(|status| status.success())
    };
    names.iter().find(works).copied()
}

fn install(packages: &[&str]) {
    for words in [&["update", "-qq"][..], &[&["install", "--yes", "-qq"][..], packages].concat()] {
        let status = Command::new("apt-get").args(words).env("DEBIAN_FRONTEND", "noninteractive").status();
        assert!(status.is_ok_and(|status| status.success()), "apt-get {}: run it as root", words.join(" "));
    }
}

/// A directory for the profile of a browser, without what a browser that was killed may have left there: a lock.
pub fn fresh_profile() -> PathBuf {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let (process, number) = (std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
    let profile = std::env::temp_dir().join(format!("ringleader-browser-{process}-{number}"));
    let _ = std::fs::remove_dir_all(&profile);
    profile
}
