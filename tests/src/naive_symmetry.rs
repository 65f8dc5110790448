//! Symmetry breaking on an anonymous ring (P. Spirakis and B. Tampakas, "Efficient distributed algorithms by using the
//! Archimedean time assumption", 1989, section 4.3 and Appendix A), reduced to what its candidates do to each other when
//! all run in lock step: no ring, no messages and no clocks, only a table of periods that is filled in row by row.
//!
//! Everybody is awake at 0, a step takes r = 1, a link d = 1, reading is per step, and the candidates (those whose first
//! draw is 1) stand at equal distances. Why a table is enough:
//! - What is sent at one step arrives d = 1 later and is read at the step of that very instant, so a hop takes one step
//!   and a claim reaches the next of m candidates n/m steps after it was sent (n/2 for two).
//! - q = ⌈(d_max + r_max)/r_min⌉ = 2. Everybody becomes a candidate at step 2n (2.3), and every period lasts 2n steps. Claims
//!   leave candidates only when a period begins, hence arrive n/m ≤ n < 2n steps later, inside the same period: candidate
//!   i receives in a period exactly if candidate i - 1 sent at its beginning, and never more than one claim (4.5 is idle).
//! - Who detects, n/m steps after the beginning of a period, lets go a next-time, which has reached everybody by n/m + n ≤ 2n:
//!   before anybody is elected, so all candidates go on to the next phase or all are elected.
//! - Those elected are so at the same step. Their terminations meet processors that are elected or relays: what a termination
//!   does at a candidate never matters here, and neither does the quiet time at the end, because no claim is let go
//!   when the last period ends (there is no next period that forwards; otherwise a lone candidate would meet its own).
//!
//! Of the paper's silence the rules called printed make this: k stages are the periods 0 to k - 1, of which the first has no
//! coin; a claim that meets a full buffer is dropped, and the buffered one goes on as if none had come (4.6); a forwarding
//! period that brings nothing and finds nothing buffered means nothing; 2.6 counts from clock 0. Repaired, there are
//! periods 0 to k, hence k coins, and either of the two means that there is another candidate. The empty period never decides
//! here, and is left out of the table: each candidate has let its claim go or buffered it, so where one lets go and the next
//! does not, the next is holding or full and detects first.
//!
//! # What comes out for two candidates
//! Repaired, the chance of two leaders is (y + h)/4^k where (y, h) begins as (1, 0) and becomes (y + 3h, y + h) with every
//! coin: 1/2, 3/8, 1/4, 11/64, … It shrinks by (1 + √3)/4 = 0.683 a stage and is below (3/4)^k for every k. Printed, it is
//! 1, 1/2, 3/8, 9/32, 7/32, … for k = 1, 2, 3, 4, 5, …: above (3/4)^k for k = 1 and for every k from 7, since the claims that are
//! dropped leave a single one, under which it shrinks by (3 + √17)/8 = 0.890 a stage only.

use std::collections::BTreeMap;

/// The paper's rules, or those with its gaps closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// k - 1 coins; a full buffer and an empty period mean nothing.
    Printed,
    /// k coins; a full buffer and an empty period mean another candidate.
    Repaired,
}

/// What a candidate is during a period, and what a coin says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Coin {
    /// What comes in goes on when the period ends, if the next one is forwarding too.
    Forwarding,
    /// What comes in gives another candidate away.
    Holding,
}

/// How a phase ends for its candidates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Each of them is elected, at [`elected_at`].
    Elected,
    /// There is a new phase.
    Detected {
        /// The period, from 0, in which somebody detected; every candidate has flipped as many coins.
        period: usize,
        /// Who did, all at the same step, n/m steps after the period's beginning.
        by: Vec<usize>,
    },
}

/// The ending and what it cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NaiveOutcome {
    /// How the phase ended.
    pub ending: Ending,
    /// Claims that candidates let go, each of which crosses n/m links.
    pub claims: u64,
}

/// A number of favourable sequences of coins among 2^bits, all equally likely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chance {
    /// Sequences in which it happens.
    pub favourable: u128,
    /// Coins flipped by all candidates together.
    pub bits: u32,
}

impl Chance {
    /// Rounded.
    pub fn to_f64(self) -> f64 {
        self.favourable as f64 / 2f64.powi(self.bits as i32)
    }

    /// Whether it is at most (3/4)^k, exactly.
    pub fn within_three_quarters(self, k: u32) -> bool {
        self.favourable << (2 * k) <= 3u128.pow(k) << self.bits
    }
}

/// How many coins a candidate flips in a phase of k stages, k not 0.
pub fn coins(rules: Rules, k: usize) -> usize {
    match rules {
        Rules::Printed => k - 1,
        Rules::Repaired => k,
    }
}

/// The step, which is the time, at which period `period` begins on a ring of n.
pub fn period_at(n: u64, period: u64) -> u64 {
    2 * n * (1 + period)
}

/// The step at which undetected candidates are elected: after the last period and n·q, printed n·d_max, steps.
pub fn elected_at(rules: Rules, n: u64, k: usize) -> u64 {
    match rules {
        Rules::Printed => period_at(n, k as u64) + n,
        Rules::Repaired => period_at(n, k as u64 + 1) + 2 * n,
    }
}

/// The step at which candidates detect in a period.
pub fn detected_at(n: u64, candidates: u64, period: usize) -> u64 {
    period_at(n, period as u64) + n / candidates
}

/// A candidate when a period begins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    mode: Coin,
    /// It lets a claim go at this moment.
    sends: bool,
    /// It keeps one from before.
    buffered: bool,
}

/// The first period: everybody forwards and claims.
fn first(candidates: usize) -> Vec<Side> {
    vec![Side { mode: Coin::Forwarding, sends: true, buffered: false }; candidates]
}

fn receives(row: &[Side], of: usize) -> bool {
    row[(of + row.len() - 1) % row.len()].sends
}

/// Who detects in a period: 4.4 and, repaired, the full buffer.
fn detections(rules: Rules, row: &[Side]) -> Vec<usize> {
    let gives_away = |side: Side| side.mode == Coin::Holding || rules == Rules::Repaired && side.buffered;
    (0..row.len()).filter(|&of| receives(row, of) && gives_away(row[of])).collect()
}

/// The next period, undetected (4.6): only a forwarding period that ends moves a claim.
fn following(row: &[Side], flips: impl Fn(usize) -> Coin) -> Vec<Side> {
    let next = |of: usize| {
        let (now, mode) = (row[of], flips(of));
        let forwards = now.mode == Coin::Forwarding && (now.buffered || receives(row, of));
        let sends = forwards && mode == Coin::Forwarding;
        Side { mode, sends, buffered: (now.buffered || forwards) && !sends }
    };
    (0..row.len()).map(next).collect()
}

/// What these coins lead to: a row per candidate, clockwise, each with as many as [`coins`] says.
pub fn outcome(rules: Rules, flips: &[Vec<Coin>]) -> NaiveOutcome {
    let mut row = first(flips.len());
    let mut claims = 0;
    for period in 0..=flips[0].len() {
        if period > 0 {
            row = following(&row, |of| flips[of][period - 1]);
        }
        claims += row.iter().filter(|side| side.sends).count() as u64;
        let by = detections(rules, &row);
        if !by.is_empty() {
            return NaiveOutcome { ending: Ending::Detected { period, by }, claims };
        }
    }
    NaiveOutcome { ending: Ending::Elected, claims }
}

/// All outcomes of the coins of the candidates.
pub fn all_flips(candidates: usize, coins: usize) -> impl Iterator<Item = Vec<Vec<Coin>>> {
    let coin = move |all: u64, at: usize| if all >> at & 1 == 1 { Coin::Holding } else { Coin::Forwarding };
    let row = move |all, of: usize| (0..coins).map(|at| coin(all, of * coins + at)).collect();
    (0..1u64 << (candidates * coins)).map(move |all| (0..candidates).map(|of| row(all, of)).collect())
}

/// The probability that all of them are elected, and for each period the probability of detection in it.
pub fn chances(rules: Rules, candidates: usize, coins: usize) -> (Chance, Vec<Chance>) {
    let mut rows = BTreeMap::from([(first(candidates), 1u128)]);
    let mut detected = Vec::new();
    for period in 0..=coins {
        if period > 0 {
            let mut after = BTreeMap::new();
            for (row, count) in rows {
                for flips in 0..1u32 << candidates {
                    let coin = |of| if flips >> of & 1 == 1 { Coin::Holding } else { Coin::Forwarding };
                    *after.entry(following(&row, coin)).or_default() += count;
                }
            }
            rows = after;
        }
        let before: u128 = rows.values().sum();
        rows.retain(|row, _| detections(rules, row).is_empty());
        let rest: u128 = rows.values().sum();
        detected.push(Chance { favourable: before - rest, bits: (candidates * period) as u32 });
    }
    (Chance { favourable: rows.values().sum(), bits: (candidates * coins) as u32 }, detected)
}

#[cfg(test)]
mod tests;
