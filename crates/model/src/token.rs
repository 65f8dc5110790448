use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::Serialize;

use crate::{
    Meter, Milestone, Monitor, NoRequest, Outcome, Place, Problem, Promised, Promises, Proposition, Scenario, Tally,
    Time, Value, Violation,
};

/// Exactly one token on a ring, for any initial tokens, losses and duplications.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OneToken {}

/// A report of a change of the number of tokens.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TokenReport {
    /// The processor had a token at first, and passes it on.
    Begins,
    /// No token came for too long: the processor inserts one.
    Inserts,
    /// A token came too early: the processor removes it.
    Removes,
}

impl fmt::Display for TokenReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Begins => f.write_str("begins with a token"),
            Self::Inserts => f.write_str("inserts a token"),
            Self::Removes => f.write_str("removes a token"),
        }
    }
}

impl Problem for OneToken {
    const NAME: &'static str = "token-ring";
    const WORK: &'static str = "token";
    const QUIESCENT: bool = false;
    type Request = NoRequest;
    type Report = TokenReport;
    type Monitor = TokenMonitor;
    type Meter = TokenMeter;

    fn milestone(report: &TokenReport) -> Option<Milestone> {
        Some(match report {
            TokenReport::Begins => Milestone::TokenBegins,
            TokenReport::Inserts => Milestone::TokenInserted,
            TokenReport::Removes => Milestone::TokenRemoved,
        })
    }
}

/// The number of tokens; from the deadline on it must be one, always the same.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TokenMonitor {
    tokens: u64,
    due: bool,
    /// The number has changed since the deadline.
    moved: bool,
    /// That a lone token is kept is promised; the same in all states.
    kept: bool,
    violations: Vec<Violation>,
}

impl TokenMonitor {
    const fn set(&mut self, tokens: u64) {
        self.tokens = tokens;
        self.moved |= self.due;
    }
}

/// The number of tokens after a report.
const fn after(tokens: u64, report: TokenReport) -> u64 {
    match report {
        TokenReport::Begins | TokenReport::Inserts => tokens + 1,
        TokenReport::Removes => tokens - 1,
    }
}

impl Monitor for TokenMonitor {
    type Report = TokenReport;

    fn new(_: &Scenario) -> Self {
        Self { tokens: 0, due: false, moved: false, kept: false, violations: Vec::new() }
    }

    fn promise(&mut self, promises: Promises, _: &Scenario) {
        promises.assert_among(&[Promised::TokenKept]);
        self.kept = promises.contains(Promised::TokenKept);
    }

    fn satisfies(&self, proposition: Proposition) -> Option<bool> {
        match proposition {
            Proposition::Tokens(tokens) => Some(self.tokens == tokens),
            _ => None,
        }
    }

    fn observe(&mut self, _: Place, report: TokenReport) -> bool {
        if self.kept && self.tokens == 1 {
            Violation { property: Promised::TokenKept.name(), detail: format!("a place {report}") }
                .note(&mut self.violations);
        }
        self.set(after(self.tokens, report));
        false
    }

    fn deadline(&mut self) {
        self.due = true;
    }

    fn lost(&mut self) {
        self.set(self.tokens - 1);
    }

    fn duplicated(&mut self) {
        self.set(self.tokens + 1);
    }

    fn rotated(&self, _: Place, _: Place) -> Option<Self> {
        Some(self.clone())
    }

    fn crash(&mut self, _: Place) {}

    fn finished(&self) -> bool {
        self.tokens == 1 && !self.moved
    }

    fn missing(&self) -> String {
        match self.tokens {
            1 => String::from("there is 1 token, but their number still changes"),
            tokens => format!("there are {tokens} tokens"),
        }
    }

    fn violations(&self) -> &[Violation] {
        &self.violations
    }

    fn outcome(&self) -> Outcome {
        Outcome::Tokens { tokens: self.tokens }
    }
}

/// The time since which there is one token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TokenMeter {
    tokens: u64,
    /// The time of the last change of the number.
    changed: Time,
    /// n (d_max + r_max): no token takes longer for a turn.
    lap: u128,
}

impl TokenMeter {
    const fn set(&mut self, now: Time, tokens: u64) {
        self.tokens = tokens;
        self.changed = now;
    }
}

impl Meter<TokenReport> for TokenMeter {
    fn new(scenario: &Scenario) -> Self {
        let timing = &scenario.timing;
        Self { tokens: 0, changed: 0, lap: scenario.n as u128 * u128::from(timing.d.max + timing.r.max) }
    }

    fn observe(&mut self, now: Time, _: u64, _: Place, report: &TokenReport) {
        self.set(now, after(self.tokens, *report));
    }

    fn lost(&mut self, now: Time) {
        self.set(now, self.tokens - 1);
    }

    fn duplicated(&mut self, now: Time) {
        self.set(now, self.tokens + 1);
    }

    fn tally(&self, _: u64) -> Tally {
        let laps = Value::ratio(u128::from(self.changed), self.lap);
        Tally { laps: (self.tokens == 1).then_some(laps), ..Tally::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Preset, Reading};

    #[test]
    fn a_lone_token_is_kept_where_that_is_promised() {
        let scenario = Scenario { n: 3, ..Scenario::default() };
        let broken = |promises: Promises, reports: &[TokenReport]| {
            let mut monitor = TokenMonitor::new(&scenario);
            monitor.promise(promises, &scenario);
            for &report in reports {
                monitor.observe(0, report);
            }
            monitor.violations().iter().map(|violation| violation.detail.clone()).collect::<Vec<_>>()
        };
        let kept = Promises::default().with(Promised::TokenKept);
        let [doubled, removed] = [TokenReport::Inserts, TokenReport::Removes].map(|then| [TokenReport::Begins, then]);
        assert_eq!(broken(kept, &doubled), ["a place inserts a token"]);
        assert_eq!(broken(kept, &removed), ["a place removes a token"]);
        assert!(broken(kept, &doubled[..1]).is_empty() && broken(Promises::default(), &doubled).is_empty());
    }

    #[test]
    fn tokens_are_counted_over_all_processors_and_faults() {
        let timing = Preset::Archimedean.timing(Reading::PerStep);
        let scenario = Scenario { n: 10, timing, ..Scenario::default() };
        let (mut monitor, mut meter) = (TokenMonitor::new(&scenario), TokenMeter::new(&scenario));
        assert!(!monitor.finished());
        for (now, report) in [(0, TokenReport::Begins), (40, TokenReport::Inserts), (600, TokenReport::Removes)] {
            monitor.observe(3, report);
            meter.observe(now, 0, 3, &report);
        }
        assert!(monitor.finished());
        // A lap of ten processors takes at most 10 (100 + 20).
        assert_eq!(meter.tally(0).laps, Some(Value::ratio(1, 2)));
        monitor.duplicated();
        meter.duplicated(1200);
        assert_eq!((monitor.outcome(), meter.tally(0).laps), (Outcome::Tokens { tokens: 2 }, None));
        monitor.lost();
        meter.lost(2400);
        assert_eq!((monitor.finished(), meter.tally(0).laps), (true, Some(Value::int(2))));
        monitor.deadline();
        assert!(monitor.finished());
        monitor.observe(3, TokenReport::Inserts);
        monitor.observe(3, TokenReport::Removes);
        assert!(!monitor.finished(), "one again is not one for good");
    }
}
