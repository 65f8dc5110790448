//! The ledger: every claim of the sources, put to the test, with a verdict and the command that repeats it.
//!
//! Items keep their numbers: V for Vitányi's election in a ring, E for the lecture on election, S for Spirakis and Tampakas, L
//! for van Leeuwen and Tan. A claim is tested by ordinary commands ([`LedgerEntry::commands`]): all schedules, all orders, all
//! random choices, or many runs with an interval. What is computed exhaustively *holds*, what was sampled *held*.
//!
//! ```
//! use ringleader_ledger::{LedgerEffort, LedgerVerdict, item, reproduce};
//!
//! let claim = item("E13").expect("Chang and Roberts's worst case");
//! let entry = reproduce(claim, LedgerEffort { quick: true, ..LedgerEffort::default() }, &())?.expect("nobody stops it");
//! assert_eq!(entry.verdict, LedgerVerdict::Holds);
//! # Ok::<(), ringleader::Error>(())
//! ```

mod command;
mod document;
mod epema;
mod evidence;
mod explanations;
mod runs;
mod spirakis_tampakas;
mod trial;
mod van_leeuwen_tan;
mod vitanyi;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::document::{LedgerRecord, RECORD, errata, figures, ledger, page, records, whole_numbers};
pub use crate::evidence::LedgerVerdict;
pub use crate::trial::LedgerEffort;

use crate::evidence::{Evidence, Repair};
use crate::trial::{Interruption, Trial, TrialResult};
use ringleader::{Error, Watch};

/// A source and its items.
#[derive(Clone, Copy, Debug)]
pub struct LedgerPaper {
    /// The letter with which the numbers of its items begin.
    pub letter: char,
    /// Its key in the bibliography.
    pub source: &'static str,
    /// Its items, in order.
    pub items: &'static [LedgerItem],
}

/// A claim of a source, or something else that it says.
#[derive(Clone, Copy, Debug)]
pub struct LedgerItem {
    /// Its number, such as V28.
    pub number: &'static str,
    /// Where it stands in the source.
    pub section: &'static str,
    /// The claim in one line.
    pub claim: &'static str,
    test: ClaimTest,
}

/// How a claim is tested.
#[derive(Clone, Copy, Debug)]
enum ClaimTest {
    /// By experiments.
    Trial(fn(&mut Trial<'_>) -> TrialResult<Evidence>),
    /// Not at all: why no experiment decides it.
    NotTestable(&'static str),
    /// Not at all: there is nothing to decide.
    NotApplicable(&'static str),
}

/// An item that experiments decide.
const fn tested(
    number: &'static str,
    section: &'static str,
    claim: &'static str,
    trial: fn(&mut Trial<'_>) -> TrialResult<Evidence>,
) -> LedgerItem {
    LedgerItem { number, section, claim, test: ClaimTest::Trial(trial) }
}

/// An item with nothing to decide.
const fn stated(number: &'static str, section: &'static str, claim: &'static str, why: &'static str) -> LedgerItem {
    LedgerItem { number, section, claim, test: ClaimTest::NotApplicable(why) }
}

/// An item that no experiment decides.
const fn untestable(number: &'static str, section: &'static str, claim: &'static str, why: &'static str) -> LedgerItem {
    LedgerItem { number, section, claim, test: ClaimTest::NotTestable(why) }
}

/// The sources, in the order of the ledger.
pub const PAPERS: [LedgerPaper; 4] = [
    LedgerPaper { letter: 'V', source: "Vitanyi1984", items: &vitanyi::ITEMS },
    LedgerPaper { letter: 'E', source: "Epema2013", items: &epema::ITEMS },
    LedgerPaper { letter: 'S', source: "SpirakisTampakas1989", items: &spirakis_tampakas::ITEMS },
    LedgerPaper { letter: 'L', source: "VanLeeuwenTan1985", items: &van_leeuwen_tan::ITEMS },
];

/// All items.
pub fn items() -> impl Iterator<Item = (&'static LedgerPaper, &'static LedgerItem)> {
    PAPERS.iter().flat_map(|paper| paper.items.iter().map(move |item| (paper, item)))
}

/// The item of this number.
pub fn item(number: &str) -> Option<&'static LedgerItem> {
    items().map(|(_, item)| item).find(|item| item.number.eq_ignore_ascii_case(number))
}

/// The items that a text names: a number such as V28, a letter, or the key of a source or the beginning of it.
pub fn named(text: &str) -> Vec<&'static LedgerItem> {
    let lower = text.to_lowercase();
    let is_meant = |(paper, item): &(&LedgerPaper, &LedgerItem)| {
        item.number.to_lowercase() == lower
            || paper.letter.to_lowercase().to_string() == lower
            || lower.len() > 1 && paper.source.to_lowercase().starts_with(&lower)
    };
    items().filter(is_meant).map(|(_, item)| item).collect()
}

/// An item with its verdict.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct LedgerEntry {
    /// Its number.
    pub item: String,
    /// The key of its source.
    pub source: String,
    /// Where it stands in the source.
    #[serde(rename = "where")]
    pub section: String,
    /// The claim in one line.
    pub claim: String,
    /// How it was tested, or why it was not.
    pub method: String,
    /// What was measured; null where nothing was.
    pub measured: Option<String>,
    /// The verdict.
    pub verdict: LedgerVerdict,
    /// Why the claim fails, for readers of its source; null where it is not refuted.
    #[serde(default)]
    pub explanation: Option<String>,
    /// The command that shows the smallest counterexample; null where there is none.
    pub counterexample: Option<String>,
    /// The statement that does hold, and what speaks for it; null where the claim is not refuted.
    pub repaired: Option<String>,
    /// The verdict on that statement.
    pub repaired_verdict: Option<LedgerVerdict>,
    /// The first command that repeats it.
    pub command: String,
    /// All commands that repeat it.
    pub commands: Vec<String>,
}

/// The items that were tested.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LedgerReport {
    /// In the order of the ledger.
    pub items: Vec<LedgerEntry>,
    /// The numbers of items that were asked for and not tested, because it was stopped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// The line that repeats it.
    pub rerun: String,
}

impl LedgerReport {
    /// No items yet.
    pub const fn new(rerun: String) -> Self {
        Self { items: Vec::new(), missing: Vec::new(), rerun }
    }

    /// The number of items with this verdict.
    pub fn count(&self, verdict: LedgerVerdict) -> usize {
        self.items.iter().filter(|entry| entry.verdict == verdict).count()
    }
}

/// Tests an item; `None` if it was stopped.
///
/// # Errors
/// If an experiment cannot be made.
pub fn reproduce(item: &LedgerItem, effort: LedgerEffort, watch: &dyn Watch) -> Result<Option<LedgerEntry>, Error> {
    let paper = items().find(|(_, other)| other.number == item.number).map(|(paper, _)| paper.source);
    let mut entry = LedgerEntry {
        item: item.number.to_string(),
        source: paper.unwrap_or_default().to_string(),
        section: item.section.to_string(),
        claim: item.claim.to_string(),
        ..LedgerEntry::default()
    };
    let trial = match item.test {
        ClaimTest::Trial(trial) => trial,
        ClaimTest::NotTestable(why) => {
            return Ok(Some(LedgerEntry { method: why.to_string(), verdict: LedgerVerdict::NotTestable, ..entry }));
        }
        ClaimTest::NotApplicable(why) => return Ok(Some(LedgerEntry { method: why.to_string(), ..entry })),
    };
    let mut experiments = Trial::new(effort, watch);
    let evidence = match trial(&mut experiments) {
        Ok(evidence) => evidence,
        Err(Interruption::Stopped) => return Ok(None),
        Err(Interruption::Failed(error)) => return Err(error),
    };
    let text = |texts: Vec<String>| texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ");
    (entry.verdict, entry.counterexample) = (evidence.verdict, evidence.counterexample);
    (entry.method, entry.measured) =
        (text(evidence.method), Some(text(evidence.measured)).filter(|text| !text.is_empty()));
    if let Some(Repair { statement, verdict, method }) = evidence.repaired {
        (entry.repaired, entry.repaired_verdict) = (Some(format!("{statement} ({verdict}: {method})")), Some(verdict));
    }
    if entry.verdict == LedgerVerdict::Refuted {
        entry.explanation = explanations::of(item.number);
    }
    entry.commands = experiments.commands;
    entry.command = entry.commands.first().cloned().unwrap_or_default();
    Ok(Some(entry))
}

#[cfg(test)]
mod tests {
    use crate::*;

    #[test]
    fn items_are_found_by_number_letter_and_source() {
        assert_eq!(item("e13").map(|item| item.number), Some("E13"));
        assert!(item("E99").is_none());
        assert_eq!(named("E").len(), 38);
        assert_eq!(named("V").len(), 66);
        assert_eq!(named("epema").len(), 38);
        assert_eq!(named("E1").len(), 1);
        assert!(named("").is_empty() && named("nobody").is_empty());
    }

    #[test]
    fn the_items_of_a_paper_are_numbered_from_1() {
        for paper in &PAPERS {
            let expected: Vec<String> = (1..=paper.items.len()).map(|k| format!("{}{k}", paper.letter)).collect();
            let numbers: Vec<&str> = paper.items.iter().map(|item| item.number).collect();
            assert_eq!(numbers, expected);
        }
    }
}
