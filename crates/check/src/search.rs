//! Searches: through everything, and for the shortest way to what is wrong.

mod breadth;
mod budget;
mod frontier;
mod table;

use self::breadth::{Aim, breadth};
use self::budget::Budget;
use crate::answer::{Effort, Most, Progress, Property, RanOut};
use crate::interner::Number;
use crate::space::Space;

/// What was found in a space.
pub(crate) struct Found {
    pub(crate) progress: Progress,
    pub(crate) quiet: u64,
    pub(crate) most_messages: Most,
    pub(crate) ran_out: Option<RanOut>,
    /// By property that does not hold: the nearest configuration that shows it.
    pub(crate) wrong: Vec<Wrong>,
}

/// A property that does not hold.
pub(crate) struct Wrong {
    pub(crate) property: Property,
    /// The configurations on a shortest way to where it shows, the first and the last included.
    pub(crate) path: Vec<Vec<Number>>,
    /// From which of them on it goes round for ever, if it does: the last is the same as that one.
    pub(crate) repeats_from: Option<usize>,
}

/// Goes every way, nearest configurations first.
pub(crate) fn search<S: Space>(space: &mut S, effort: &Effort, watch: &mut dyn FnMut(&Progress) -> bool) -> Found {
    let budget = Budget::new(effort.bytes);
    let aim = Aim { reduce: effort.reduce, deepest: u64::MAX, wanted: &[] };
    let met = breadth(space, effort, &aim, &budget, watch);
    let mut wrong = Vec::new();
    for (property, spot) in [(Property::Safe, met.violated), (Property::Finishes, met.stuck)] {
        if let Some(spot) = spot {
            wrong.push(Wrong { property, path: met.path(space, spot), repeats_from: None });
        }
    }
    Found {
        progress: met.progress,
        quiet: met.quiet,
        most_messages: match met.graded {
            Some(most) if met.ran_out.is_none() => Most::Exactly(most),
            _ => Most::Unknown,
        },
        ran_out: met.ran_out,
        wrong,
    }
}
