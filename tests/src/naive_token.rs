//! The token ring of P.M.B. Vitányi ("Distributed elections in a ring of processors using Archimedean time", 1984, last section),
//! unit of time by unit of time, with the limits that make its timer consistent: E, before which a token comes too early
//! and is removed, and L, after which one is inserted.
//!
//! Lengths of steps, delays and jitter are given by functions. At each instant everything arrives that is due; then each
//! processor whose step it is, in the order of places, reads what has arrived, one token after the other, and then looks at
//! its timer. [`search`] looks at all small schedules instead.
//!
//! What the source leaves open:
//! - Everybody wakes at 0, arms its timer, and passes on the token it has been given, if any. Own steps are counted from there: a step at
//!   time 0 is number 0, the first one after it number 1.
//! - A processor that no token has passed since it woke accepts the first, however early: there is no gap to judge by.
//! - A token that is inserted passes its inserter: the next gap counts from there, and the timer is armed again.
//! - A token that is removed changes nothing.
//! - A token sent with delay 0 is read at a later instant.

pub mod search;
#[cfg(test)]
mod tests;

/// E = ⌈n·d_min/r_max⌉ own steps: fewer than a lap can take.
pub fn early(n: u64, r: (u64, u64), d: (u64, u64)) -> u64 {
    (n * d.0).div_ceil(r.1)
}

/// L = ⌊n(d_max + r_max)/r_min⌋ + 1 own steps: more than a lap can take.
pub fn late(n: u64, r: (u64, u64), d: (u64, u64)) -> u64 {
    n * (d.1 + r.1) / r.0 + 1
}

/// A function of a place and a count from 0.
pub type Given<'a> = &'a dyn Fn(usize, u64) -> u64;

/// A ring and everything that happens to it. Place p sends to place p + 1 over link p.
#[derive(Clone)]
pub struct NaiveRing<'a> {
    /// Which places are given a token at the beginning.
    pub given: Vec<bool>,
    /// The time of each place's first step.
    pub first: Vec<u64>,
    /// The time from a processor's step (from 0, its first) to the next.
    pub lengths: Given<'a>,
    /// The delay of the tokens on each link, by how many it has carried before; they arrive in the order of sending.
    pub delay: Given<'a>,
    /// How much later than L a processor inserts, by how often it has armed its timer before.
    pub jitter: Given<'a>,
    /// E.
    pub early: u64,
    /// L.
    pub late: u64,
    /// The last instant.
    pub limit: u64,
}

/// A run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NaiveRun {
    /// How many tokens there are after each instant.
    pub tokens: Vec<u64>,
    /// Places and times at which tokens were inserted.
    pub inserted: Vec<(usize, u64)>,
    /// Places and times at which tokens were removed.
    pub removed: Vec<(usize, u64)>,
    /// Messages sent.
    pub passes: u64,
}

impl NaiveRun {
    /// From when on there is exactly one token, if there is at the end.
    pub fn stable_from(&self) -> Option<u64> {
        let after = self.tokens.iter().rposition(|&tokens| tokens != 1).map_or(0, |last| last + 1);
        (after < self.tokens.len()).then_some(after as u64)
    }
}

struct NaiveProcessor {
    /// Steps taken, the number of the next one, and when it comes.
    taken: u64,
    number: u64,
    next: u64,
    /// The number of the step at which a token last passed.
    passed: Option<u64>,
    /// The number of the step at which one is inserted.
    deadline: u64,
    armed: u64,
    /// Tokens that have arrived.
    waiting: u64,
}

impl NaiveProcessor {
    /// A token passes at this step, and the timer is armed.
    fn pass(&mut self, ring: &NaiveRing, place: usize) {
        self.passed = Some(self.number);
        self.deadline = self.number + ring.late + (ring.jitter)(place, self.armed);
        self.armed += 1;
    }
}

impl NaiveRing<'_> {
    /// Lets the ring run to the limit.
    pub fn run(&self) -> NaiveRun {
        let n = self.given.len();
        let mut run = NaiveRun { tokens: Vec::new(), inserted: Vec::new(), removed: Vec::new(), passes: 0 };
        let mut links = vec![Vec::new(); n]; // when the tokens on each arrive
        let mut carried = vec![0; n];
        let mut send = |links: &mut Vec<Vec<u64>>, place: usize, time: u64| {
            let arrives = time + (self.delay)(place, carried[place]);
            let before = links[place].last().copied().unwrap_or(0);
            links[place].push(arrives.max(before));
            carried[place] += 1;
            run.passes += 1;
        };
        let processor = |place: usize| NaiveProcessor {
            taken: 0,
            number: self.first[place].min(1),
            next: self.first[place],
            passed: self.given[place].then_some(0),
            deadline: self.late + (self.jitter)(place, 0),
            armed: 1,
            waiting: 0,
        };
        let mut all: Vec<_> = (0..n).map(processor).collect();
        for place in (0..n).filter(|&place| self.given[place]) {
            send(&mut links, place, 0);
        }
        for time in 0..=self.limit {
            // What was given is on its way since 0, and is not read at 0.
            for from in (0..n).filter(|_| time > 0) {
                let before = links[from].len();
                links[from].retain(|&arrives| arrives > time);
                all[(from + 1) % n].waiting += (before - links[from].len()) as u64;
            }
            for (place, one) in all.iter_mut().enumerate().filter(|(_, one)| one.next == time) {
                let mut passes = 0;
                for _ in 0..std::mem::take(&mut one.waiting) {
                    if one.passed.is_some_and(|passed| one.number - passed < self.early) {
                        run.removed.push((place, time));
                    } else {
                        one.pass(self, place);
                        passes += 1;
                    }
                }
                if one.deadline == one.number {
                    run.inserted.push((place, time));
                    one.pass(self, place);
                    passes += 1;
                }
                for _ in 0..passes {
                    send(&mut links, place, time);
                }
                one.next += (self.lengths)(place, one.taken);
                one.taken += 1;
                one.number += 1;
            }
            let flying: usize = links.iter().map(Vec::len).sum();
            run.tokens.push(flying as u64 + all.iter().map(|one| one.waiting).sum::<u64>());
        }
        run
    }
}
