//! Coverage: the numbered rules of a protocol that fire in the explored schedules.
//!
//! A rule that never fires was not tested: the instance is too small for it, or its settings exclude it.

use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use crate::interner::note_discovery;

/// A set of numbered rules.
///
/// ```
/// use ringleader_check::RuleSet;
///
/// let fired: RuleSet = [1, 4].into_iter().collect();
/// assert!(fired.contains(4) && !fired.contains(2));
/// assert_eq!(fired.union(&[2].into_iter().collect()).iter().collect::<Vec<_>>(), [1, 2, 4]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RuleSet([u64; 4]);

impl RuleSet {
    /// True if a rule is one of these.
    pub const fn contains(&self, rule: u8) -> bool {
        self.0[rule as usize / 64] >> (rule % 64) & 1 == 1
    }

    /// In order.
    pub fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        (0..=u8::MAX).filter(|&rule| self.contains(rule))
    }

    /// The rules of both sets.
    #[must_use]
    pub const fn union(&self, other: &Self) -> Self {
        let [a, b, c, d] = self.0;
        let [e, f, g, h] = other.0;
        Self([a | e, b | f, c | g, d | h])
    }
}

impl FromIterator<u8> for RuleSet {
    fn from_iter<I: IntoIterator<Item = u8>>(rules: I) -> Self {
        let mut set = Self::default();
        for rule in rules {
            set.0[rule as usize / 64] |= 1 << (rule % 64);
        }
        set
    }
}

/// The rules that have fired in a program and its copies.
#[derive(Clone, Default)]
pub(crate) struct FiredRules(Arc<[AtomicU64; 4]>);

impl FiredRules {
    /// A rule fires.
    pub(crate) fn note(&self, rule: u8) {
        let (word, bit) = (&self.0[rule as usize / 64], 1 << (rule % 64));
        // Reading first: most rules have fired before, and the workers would wait for each other.
        if word.load(Ordering::Relaxed) & bit == 0 && word.fetch_or(bit, Ordering::Relaxed) & bit == 0 {
            note_discovery();
        }
    }

    /// Those that have fired by now.
    pub(crate) fn so_far(&self) -> RuleSet {
        RuleSet([0, 1, 2, 3].map(|word: usize| self.0[word].load(Ordering::Relaxed)))
    }
}
