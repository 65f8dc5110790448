//! Memory, estimated before it is allocated: all ranks go on, or none does.

use ringleader_cli::{DividedRun, Exit, memory_limits};

use crate::ranks::{Ranks, say};

/// A list of identities, and what is needed to validate it.
const BYTES_PER_LISTED: u64 = 10;
/// Runs that need less are not refused: what the program itself takes is not estimated that well.
const FEW: u64 = 64 << 20;

/// Refuses a run whose lists do not fit on one of the machines.
pub(crate) fn refuse_lists(ranks: &Ranks, run: &DividedRun) -> Option<Exit> {
    let needed = run.listed().saturating_mul(BYTES_PER_LISTED);
    refuse(ranks, needed, "for the list of identities: --order computed needs none")
}

/// Refuses a run of which some rank cannot hold its part. `what`: what the memory is for, and what helps.
pub(crate) fn refuse(ranks: &Ranks, needed: u64, what: &str) -> Option<Exit> {
    let on_machine = ranks.sum_here(needed);
    let short = memory_limits().into_iter().find_map(|(name, free, shared)| {
        let needed = if shared { on_machine } else { needed };
        (needed > free.max(FEW)).then(|| (name, free, needed, shared))
    });
    let trouble = short.map_or_else(String::new, |(name, free, needed, shared)| {
        let who = if shared { "the ranks of its machine need" } else { "it needs" };
        let (needed, free) = (needed >> 20, free >> 20);
        format!("{} ({}): {who} {needed} MB {what}, and {free} MB are free ({name})", ranks.name(), ranks.host())
    });
    // The first one that is short of memory, counted from behind: 0 if none is.
    let first = ranks.greatest(if trouble.is_empty() { 0 } else { (ranks.size() - ranks.rank()) as u64 });
    if first == 0 {
        return None;
    }
    let told = ranks.text_of(ranks.size() - first as usize, &trouble);
    let allowed = "fewer processors, more machines, or fewer ranks a machine";
    say(&format!("error: too little memory, so that {} does not begin: {told}\nallowed: {allowed}", ranks.name()));
    Some(Exit::Environment)
}
