//! Seeds of the runs of a sweep.
//!
//! The seed of a run is a hash of the sweep's seed, of its cell (protocol and options, as text) and of its number in the cell.
//! So cells have independent random streams; a cell has the same runs whatever else a sweep measures, and its first runs are
//! the same however many follow.

use ringleader_model::mix;

/// A hash of a text; frozen, since the seeds of recorded sweeps depend on it.
pub(crate) fn hash(text: &str) -> u64 {
    text.bytes().fold(text.len() as u64, |hash, byte| mix(hash ^ u64::from(byte)))
}

/// The seed of a run of a cell, given as its hash. Below 2^53: every tool that reads numbers as floats reads it exactly.
pub(crate) const fn seed(base: u64, cell: u64, run: u64) -> u64 {
    mix(mix(base ^ cell).wrapping_add(run)) >> 11
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn seeds_differ_between_runs_cells_and_sweeps() {
        let mut all = BTreeSet::new();
        for base in [1, 2] {
            for cell in ["chang-roberts n=4", "chang-roberts n=5", "peterson n=4", ""] {
                all.extend((0..1000).map(|run| seed(base, hash(cell), run)));
            }
        }
        assert_eq!(all.len(), 8000);
        assert!(all.iter().all(|&seed| seed < 1 << 53));
    }
}
