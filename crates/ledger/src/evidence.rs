//! What speaks for or against a claim.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The verdict on a claim.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LedgerVerdict {
    /// It is true of everything that was explored exhaustively, or by the proof that is named.
    Holds,
    /// It was true in every run that was made.
    Held,
    /// What was measured decides nothing.
    Undecided,
    /// There is a counterexample.
    Refuted,
    /// No experiment can decide it.
    NotTestable,
    /// There is nothing to decide: a definition, a question, a survey.
    #[default]
    NotApplicable,
}

impl LedgerVerdict {
    /// All of them, in the order in which they are counted.
    pub const ALL: [Self; 6] =
        [Self::Holds, Self::Held, Self::Refuted, Self::Undecided, Self::NotTestable, Self::NotApplicable];

    /// As it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Held => "held",
            Self::Undecided => "undecided",
            Self::Refuted => "refuted",
            Self::NotTestable => "not-testable",
            Self::NotApplicable => "not-applicable",
        }
    }

    /// What it means, in a sentence.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Holds => "true in everything that was explored exhaustively, as far as that reaches",
            Self::Held => "true in every run that was made",
            Self::Undecided => "the measurements decide nothing",
            Self::Refuted => "there is a counterexample",
            Self::NotTestable => "no experiment can decide it, or there is no description of what it speaks of",
            Self::NotApplicable => "a definition, a question or a survey: nothing to decide",
        }
    }
}

impl fmt::Display for LedgerVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What one or several experiments say about a claim.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Evidence {
    pub(crate) verdict: LedgerVerdict,
    /// How it was tested.
    pub(crate) method: Vec<String>,
    /// What was measured.
    pub(crate) measured: Vec<String>,
    /// The command that shows a counterexample.
    pub(crate) counterexample: Option<String>,
    /// The statement that does hold, and what speaks for it.
    pub(crate) repaired: Option<Repair>,
}

/// A statement that holds where the claim does not.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Repair {
    pub(crate) statement: &'static str,
    pub(crate) verdict: LedgerVerdict,
    pub(crate) method: String,
}

impl Evidence {
    pub(crate) fn new(verdict: LedgerVerdict, method: impl Into<String>, measured: impl Into<String>) -> Self {
        Self {
            verdict,
            method: vec![method.into()],
            measured: vec![measured.into()],
            counterexample: None,
            repaired: None,
        }
    }

    /// The evidence of a statement that was tested: a command shows where it is false.
    pub(crate) fn refuted(
        method: impl Into<String>,
        measured: impl Into<String>,
        counterexample: impl Into<String>,
    ) -> Self {
        Self { counterexample: Some(counterexample.into()), ..Self::new(LedgerVerdict::Refuted, method, measured) }
    }

    /// Both statements: the worse verdict counts.
    pub(crate) fn and(mut self, other: Self) -> Self {
        // Of two counterexamples, that of the worse verdict, else the first.
        self.counterexample = if other.verdict > self.verdict {
            other.counterexample.or(self.counterexample)
        } else {
            self.counterexample.or(other.counterexample)
        };
        self.verdict = self.verdict.max(other.verdict);
        for (own, theirs) in [(&mut self.method, other.method), (&mut self.measured, other.measured)] {
            for text in theirs {
                if !text.is_empty() && !own.contains(&text) {
                    own.push(text);
                }
            }
        }
        self.repaired = self.repaired.or(other.repaired);
        self
    }

    /// What holds instead, where the claim does not.
    pub(crate) fn repaired(mut self, statement: &'static str, evidence: Self) -> Self {
        if self.verdict == LedgerVerdict::Refuted {
            let method = [evidence.method, evidence.measured].concat();
            let method = method.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ");
            self.repaired = Some(Repair { statement, verdict: evidence.verdict, method });
        }
        self
    }

    /// What holds instead, where the claim does not, by an argument that a text gives.
    pub(crate) fn repaired_by_argument(self, statement: &'static str, argument: &str) -> Self {
        self.repaired(statement, Self::new(LedgerVerdict::Holds, argument, ""))
    }

    /// What a proof says, which the runs that were made agree with.
    pub(crate) fn proved(mut self, proof: &str) -> Self {
        if self.verdict == LedgerVerdict::Held {
            self.verdict = LedgerVerdict::Holds;
            self.method.insert(0, proof.to_string());
        }
        self
    }

    /// The command that shows the counterexample, where another one shows more than that of the first run that fails.
    pub(crate) fn shown_by(mut self, command: &str) -> Self {
        self.counterexample = self.counterexample.map(|_| command.to_string());
        self
    }

    /// What was measured beside a bound on all algorithms: no number of runs makes it hold.
    pub(crate) fn of_all_algorithms(mut self) -> Self {
        if matches!(self.verdict, LedgerVerdict::Holds | LedgerVerdict::Held) {
            self.verdict = LedgerVerdict::NotTestable;
        }
        self
    }

    /// A further remark on what was measured.
    pub(crate) fn note(mut self, text: impl Into<String>) -> Self {
        self.measured.push(text.into());
        self
    }
}

/// All of several pieces of evidence; there is at least one.
pub(crate) fn all(evidence: impl IntoIterator<Item = Evidence>) -> Evidence {
    let all = evidence.into_iter().reduce(Evidence::and);
    all.unwrap_or_else(|| Evidence::new(LedgerVerdict::Undecided, "nothing was tested", ""))
}

#[cfg(test)]
mod tests {
    use crate::*;

    #[test]
    fn the_worse_verdict_counts_and_brings_its_counterexample() {
        let holds = Evidence::new(LedgerVerdict::Holds, "all schedules", "18 messages");
        let refuted = Evidence::refuted("40 runs", "7 > 6", "ringleader run x");
        let both = holds.clone().and(refuted.clone());
        assert_eq!((both.verdict, both.counterexample.as_deref()), (LedgerVerdict::Refuted, Some("ringleader run x")));
        assert_eq!(both.method, ["all schedules", "40 runs"]);
        assert_eq!(refuted.clone().and(holds.clone()).verdict, LedgerVerdict::Refuted);
        // What holds needs no repair.
        assert_eq!(holds.clone().repaired("less", holds.clone()).repaired, None);
        // A proof makes what runs agree with hold, and nothing else.
        let held = Evidence::new(LedgerVerdict::Held, "40 runs", "7 ≤ 8").proved("a proof");
        assert_eq!(
            (held.verdict, held.method),
            (LedgerVerdict::Holds, vec!["a proof".to_string(), "40 runs".to_string()])
        );
        assert_eq!(refuted.clone().proved("a proof").verdict, LedgerVerdict::Refuted);
        assert_eq!(
            refuted.clone().shown_by("ringleader sweep x").counterexample.as_deref(),
            Some("ringleader sweep x")
        );
        assert_eq!(holds.clone().shown_by("ringleader sweep x").counterexample, None);
        // Runs may refute a bound on all algorithms, but not confirm it.
        assert_eq!(holds.clone().of_all_algorithms().verdict, LedgerVerdict::NotTestable);
        assert_eq!(refuted.clone().of_all_algorithms().verdict, LedgerVerdict::Refuted);
        let repaired = refuted.repaired("at most 7", holds).repaired.expect("it is refuted");
        assert_eq!((repaired.verdict, repaired.method.as_str()), (LedgerVerdict::Holds, "all schedules; 18 messages"));
    }
}
