//! How many attempts the first read takes, exactly, where a reader and the writer begin together and step together, each with one
//! digit per version: worked out from the moments at which they act, without cells.
//!
//! An attempt that begins at t reads V2 at t and V1 at t + R - 1; a write that begins at w writes V1 at w and V2 at
//! w + R - 1, and at one moment the reader comes first. So an attempt fails exactly if there is a write with
//! t - (R - 1) <= w <= t + R - 2. Both wait from 2R to 4R steps, all equally likely, before each of them. What counts is w - t
//! for the first write that is not over before t.

use std::collections::BTreeMap;

/// A probability for each difference.
type LagDistribution = BTreeMap<i64, f64>;

/// R = W, in accesses of one attempt and one write.
pub struct FirstRead {
    accesses: i64,
}

impl FirstRead {
    /// For data of this number of words.
    pub const fn new(words: u32) -> Self {
        Self { accesses: words as i64 + 2 }
    }

    /// The mean number of attempts.
    pub fn mean(&self) -> f64 {
        let together = LagDistribution::from([(0, 1.0)]);
        let (mut mean, mut state) = (0.0, self.begun(self.waited(&self.waited(&together, 1, 0), -1, 0)));
        loop {
            let left: f64 = state.values().sum();
            if left < 1e-12 {
                return mean;
            }
            mean += left;
            let failed = state.into_iter().filter(|&(difference, _)| difference <= self.accesses - 2).collect();
            state = self.begun(self.waited(&failed, -1, self.accesses));
        }
    }

    /// Somebody waits, after this number of steps: the writer (1) or the reader (-1).
    fn waited(&self, state: &LagDistribution, sign: i64, steps: i64) -> LagDistribution {
        let waits = 2 * self.accesses..=4 * self.accesses;
        let each = 1.0 / (2 * self.accesses + 1) as f64;
        let mut after = LagDistribution::new();
        for (difference, chance) in state {
            for wait in waits.clone() {
                *after.entry(difference + sign * (steps + wait)).or_default() += chance * each;
            }
        }
        after
    }

    /// Goes on to the first write that is not over before the attempt begins.
    fn begun(&self, mut state: LagDistribution) -> LagDistribution {
        let mut after = LagDistribution::new();
        while !state.is_empty() {
            let not_over = state.split_off(&(1 - self.accesses));
            for (difference, chance) in not_over {
                *after.entry(difference).or_default() += chance;
            }
            state = self.waited(&state, 1, self.accesses);
        }
        after
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_attempt_by_hand() {
        // Three accesses: waits of 6 to 12 steps, 49 pairs. The attempt fails if the write begins -2, -1, 0 or 1 later: 5 + 6 +
        // 7 + 6 pairs.
        let first = FirstRead::new(1);
        let together = LagDistribution::from([(0, 1.0)]);
        let state = first.waited(&first.waited(&together, 1, 0), -1, 0);
        let fails: f64 = state.range(-2..=1).map(|(_, chance)| chance).sum();
        assert!((fails - 24.0 / 49.0).abs() < 1e-12, "{fails}");
    }
}
