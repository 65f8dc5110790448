//! Searches: through everything, and for the shortest way to what is wrong.

mod breadth;
mod budget;
mod cycles;
mod frontier;
mod order;
mod table;

use self::breadth::{Aim, Breadth, Watch, breadth};
use self::budget::Budget;
use self::cycles::{Bad, round};
use self::order::{Question, order};
use crate::answer::{Effort, Most, Progress, Property, RanOut};
use crate::interner::Number;
use crate::space::Space;

/// What was found in a space.
pub(crate) struct Found {
    pub(crate) progress: Progress,
    pub(crate) quiet: u64,
    pub(crate) most_messages: Most,
    pub(crate) ran_out: Option<RanOut>,
    /// What was not seen enough of to say that it holds.
    pub(crate) unknown: Vec<Property>,
    /// By property that does not hold: the nearest configuration that shows it.
    pub(crate) wrong: Vec<Wrong>,
}

/// A property that does not hold.
pub(crate) struct Wrong {
    pub(crate) property: Property,
    /// The configurations on a shortest way to where it shows, the first and the last included. None: something ran out
    /// before it was found.
    pub(crate) path: Vec<Vec<Number>>,
    /// Which way is gone from each of them to the next.
    pub(crate) ways: Vec<usize>,
    /// From which of them on it goes round for ever, if it does: the last is the same as that one.
    pub(crate) repeats_from: Option<usize>,
}

/// Goes every way, nearest configurations first, but for what cannot matter if it may be left out.
pub(crate) fn search(space: &mut dyn Space, effort: &Effort, watch: Watch<'_>) -> Found {
    let budget = Budget::new(effort.bytes);
    if !effort.reduce {
        return explore(space, effort, false, &budget, watch).found;
    }
    let mut few = explore(space, effort, true, &budget, watch);
    if few.cyclic {
        // What goes round for ever may do so only in what was left out.
        let all = explore(space, effort, false, &budget, watch).found;
        return if all.ran_out.is_some() { few.found.with(all) } else { all };
    }
    // Without what was left out the way may have been longer than it must be.
    if let Some(deepest) = few.found.wrong.iter().map(|wrong| wrong.path.len() as u64 - 1).max() {
        let aim = Aim { reduce: false, deepest, wanted: None };
        let met = breadth(space, effort, &aim, &budget, watch);
        for shorter in met.wrong(space) {
            few.found.wrong.retain(|wrong| wrong.property != shorter.property);
            few.found.wrong.push(shorter);
        }
        few.found.progress.bytes = budget.peak();
    }
    few.found
}

impl Found {
    /// What is known when the search that leaves nothing out ran out, and the one that does did not.
    fn with(self, all: Self) -> Self {
        let mut wrong = all.wrong;
        for few in self.wrong {
            if wrong.iter().all(|all| all.property != few.property) {
                wrong.push(few);
            }
        }
        Self { unknown: vec![Property::Finishes], quiet: self.quiet, wrong, ..all }
    }
}

/// What came of going every way.
struct Explored {
    found: Found,
    /// Something goes round, and what was left out must be seen to say more.
    cyclic: bool,
}

fn explore(space: &mut dyn Space, effort: &Effort, reduce: bool, budget: &Budget, watch: Watch<'_>) -> Explored {
    let aim = Aim { reduce, deepest: u64::MAX, wanted: None };
    let met = breadth(space, effort, &aim, budget, watch);
    let wrong = met.wrong(space);
    let Breadth { mut table, ancestry, progress, quiet, graded, ran_out, stuck, .. } = met;
    budget.give(ancestry.bytes());
    drop(ancestry);
    let unknown = if ran_out.is_some() { Property::ALL.to_vec() } else { Vec::new() };
    let mut found = Found { progress, quiet, most_messages: Most::Unknown, ran_out, unknown, wrong };
    let mut cyclic = false;
    if let (Some(most), None) = (graded, ran_out) {
        found.most_messages = Most::Exactly(most);
    } else if ran_out.is_none() {
        let question = Question { reduce, judge: stuck.is_none() };
        match order(space, &mut table, question, (effort, budget), (progress, &mut *watch)) {
            Ok(order) => {
                drop(table);
                cyclic = reduce && order.cyclic;
                found.most_messages = order.most;
                if !order.bad.is_empty() {
                    found.wrong.push(goes_round(space, effort, &order.bad, budget, watch));
                }
            }
            Err(why) => {
                found.ran_out = Some(why);
                found.unknown = vec![Property::Finishes];
            }
        }
    }
    budget.keep(0);
    found.progress.bytes = budget.peak();
    found.progress.violated = !found.wrong.is_empty();
    Explored { found, cyclic }
}

/// A shortest way to where something goes round for ever, and once round.
fn goes_round(space: &mut dyn Space, effort: &Effort, bad: &Bad, budget: &Budget, watch: Watch<'_>) -> Wrong {
    budget.keep(bad.bytes());
    let aim = Aim { reduce: false, deepest: u64::MAX, wanted: Some(bad) };
    let met = breadth(space, effort, &aim, budget, watch);
    let stem = met.wanted.map(|spot| met.path(space, spot));
    drop(met);
    budget.keep(bad.bytes());
    let (mut path, mut ways) = stem.unwrap_or_default();
    let mut repeats_from = None;
    if let Some((rows, steps)) = path.last().and_then(|last| round(space, last, bad, budget)) {
        repeats_from = Some(path.len() - 1);
        path.extend(rows);
        ways.extend(steps);
    }
    Wrong { property: Property::Finishes, path, ways, repeats_from }
}

#[cfg(test)]
mod random_tests;
#[cfg(test)]
mod tests;
