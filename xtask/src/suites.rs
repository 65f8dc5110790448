//! The duration of each test suite.

use std::fmt;
use std::time::{Duration, Instant};

use crate::command::heading;

/// Suites in the order in which they ran.
#[derive(Default)]
pub(crate) struct Suites {
    finished: Vec<(String, Duration)>,
    running: Option<(String, Instant)>,
}

impl Suites {
    /// Runs a suite under a heading, and records its time whatever comes of it.
    pub(crate) fn time<T>(&mut self, name: &str, suite: impl FnOnce() -> T) -> T {
        heading(name);
        self.begin(name.to_string());
        let result = suite();
        self.end();
        result
    }

    /// Ends the suite that is running, if any, and begins another.
    pub(crate) fn begin(&mut self, name: String) {
        self.end();
        self.running = Some((name, Instant::now()));
    }

    /// Ends the suite that is running, if any.
    pub(crate) fn end(&mut self) {
        if let Some((name, since)) = self.running.take() {
            self.finished.push((name, since.elapsed()));
        }
    }
}

impl fmt::Display for Suites {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.finished.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        for (name, time) in &self.finished {
            writeln!(f, "    {name:width$}  {:>7.1} s", time.as_secs_f64())?;
        }
        let total: Duration = self.finished.iter().map(|(_, time)| *time).sum();
        writeln!(f, "    {:width$}  {:>7.1} s", "all", total.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_suite_has_its_line() {
        let mut suites = Suites::default();
        assert_eq!(suites.time("format", || 3), 3);
        suites.begin("a, unit tests".to_string());
        suites.begin("b, doctests".to_string());
        suites.end();
        suites.end();
        let shown = suites.to_string();
        let names: Vec<&str> =
            shown.lines().filter_map(|line| line.trim().split_once("  ")).map(|(name, _)| name).collect();
        assert_eq!(names, ["format", "a, unit tests", "b, doctests", "all"]);
        assert!(shown.lines().all(|line| line.ends_with(" s") && line.chars().count() == 4 + 13 + 2 + 9), "{shown}");
    }
}
