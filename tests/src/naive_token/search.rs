//! All schedules of a small ring with one or two tokens: every phase, every length of a step, every delay.
//!
//! Tokens are neither removed nor inserted here: the search finds the shortest and the longest gap between two of them in
//! own steps, which the limits E and L must lie outside of. For two tokens it finds whether both can circulate forever
//! with no gap shorter than a given one.

use std::collections::{BTreeMap, BTreeSet};

/// What may happen.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// Processors.
    pub n: usize,
    /// The shortest and longest step.
    pub r: (u64, u64),
    /// The shortest and longest delay.
    pub d: (u64, u64),
    /// Whether a processor's steps may differ in length; otherwise each processor has its own length.
    pub varying: bool,
    /// Whether a token that arrives at the very instant of a step may also miss it.
    pub ties: bool,
}

/// Gaps between a processor's passages, and up to the first, in own steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gaps {
    /// The shortest between two passages.
    pub shortest: u64,
    /// The longest, that from waking to the first among them.
    pub longest: u64,
    /// States.
    pub states: usize,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Configuration {
    processors: Vec<NaiveProcessor>,
    /// Sorted.
    tokens: Vec<Token>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct NaiveProcessor {
    /// Its own length of a step; 0 where they vary.
    length: u64,
    /// Until its next step.
    until: u64,
    /// Own steps since a token passed, or since it woke.
    gap: u64,
    passed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Token {
    /// On its way to a place, so much longer.
    Flies(usize, u64),
    Waits(usize),
}

impl Question {
    /// The gaps of a token alone.
    pub fn lone(self) -> Gaps {
        let mut seen = self.starts(&[0]);
        let mut gaps = Gaps { shortest: u64::MAX, longest: 0, states: 0 };
        let mut open: Vec<_> = seen.iter().cloned().collect();
        while let Some(now) = open.pop() {
            for (next, read) in self.after(&now) {
                for (gap, passed) in read {
                    gaps.longest = gaps.longest.max(gap);
                    if passed {
                        gaps.shortest = gaps.shortest.min(gap);
                    }
                }
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        gaps.states = seen.len();
        gaps
    }

    /// Whether a token given to place 0 and one given to place n/2 can both circulate forever, no gap being below `early`.
    pub fn two_live(self, early: u64) -> bool {
        let starts = self.starts(&[0, self.n / 2]);
        let mut after = BTreeMap::new();
        let mut open: Vec<_> = starts.into_iter().collect();
        while let Some(now) = open.pop() {
            if after.contains_key(&now) {
                continue;
            }
            let kept = |read: &[(u64, bool)]| read.iter().all(|&(gap, passed)| !passed || gap >= early);
            let all: BTreeSet<_> =
                self.after(&now).into_iter().filter(|(_, read)| kept(read)).map(|(next, _)| next).collect();
            open.extend(all.iter().cloned());
            after.insert(now, all);
        }
        // States without successors are removed until nothing changes: what is left lies on or leads to a cycle.
        loop {
            let live: BTreeSet<_> =
                after.iter().filter(|(_, all)| !all.is_empty()).map(|(now, _)| now.clone()).collect();
            if live.len() == after.len() {
                return !live.is_empty();
            }
            after.retain(|now, _| live.contains(now));
            for all in after.values_mut() {
                all.retain(|next| live.contains(next));
            }
        }
    }

    /// Just after time 0, when these places have passed on a token.
    fn starts(self, given: &[usize]) -> BTreeSet<Configuration> {
        let mut starts = vec![Configuration { processors: Vec::new(), tokens: Vec::new() }];
        for place in 0..self.n {
            let passed = given.contains(&place);
            let own =
                if self.varying { vec![(0, self.r.1)] } else { (self.r.0..=self.r.1).map(|own| (own, own)).collect() };
            let phases =
                |(length, longest)| (1..=longest).map(move |until| NaiveProcessor { length, until, gap: 0, passed });
            let choices: Vec<_> = own.into_iter().flat_map(phases).collect();
            starts = choices
                .iter()
                .flat_map(|&processor| {
                    starts.iter().map(move |start| {
                        let mut longer = start.clone();
                        longer.processors.push(processor);
                        longer
                    })
                })
                .collect();
        }
        for &place in given {
            starts = starts.iter().flat_map(|start| self.sent(start, place)).collect();
        }
        starts.into_iter().collect()
    }

    /// A place sends a token.
    fn sent(self, now: &Configuration, place: usize) -> Vec<Configuration> {
        let with = |delay| {
            let mut next = now.clone();
            next.tokens.push(Token::Flies((place + 1) % self.n, delay));
            next.tokens.sort_unstable();
            next
        };
        (self.d.0..=self.d.1).map(with).collect()
    }

    /// The next instant: what it may lead to, each with the gaps at which tokens were read and whether one had passed before.
    fn after(self, now: &Configuration) -> Vec<(Configuration, Vec<(u64, bool)>)> {
        let mut moved = now.clone();
        moved.processors.iter_mut().for_each(|one| one.until -= 1);
        moved.tokens.clear();
        let mut all = vec![Branch { now: moved, missed: Vec::new(), read: Vec::new() }];
        for &token in &now.tokens {
            let (token, arrives) = match token {
                Token::Flies(to, left) if left > 1 => (Token::Flies(to, left - 1), false),
                Token::Flies(to, left) => (Token::Waits(to), left == 1),
                Token::Waits(_) => (token, false),
            };
            if self.ties && arrives {
                let missing = all.iter().cloned().map(|mut branch| {
                    branch.missed.push(token);
                    branch
                });
                let missing: Vec<_> = missing.collect();
                all.iter_mut().for_each(|branch| branch.now.tokens.push(token));
                all.extend(missing);
            } else {
                all.iter_mut().for_each(|branch| branch.now.tokens.push(token));
            }
        }
        for place in (0..self.n).filter(|&place| now.processors[place].until == 1) {
            all = all.into_iter().flat_map(|branch| self.stepped(branch, place)).collect();
        }
        let settled = |mut branch: Branch| {
            branch.now.tokens.append(&mut branch.missed);
            branch.now.tokens.sort_unstable();
            (branch.now, branch.read)
        };
        all.into_iter().map(settled).collect()
    }

    /// A place takes its step.
    fn stepped(self, mut branch: Branch, place: usize) -> Vec<Branch> {
        let before = branch.now.tokens.len();
        branch.now.tokens.retain(|&token| token != Token::Waits(place));
        branch.now.processors[place].gap += 1;
        let tokens = before - branch.now.tokens.len();
        for _ in 0..tokens {
            let one = &mut branch.now.processors[place];
            branch.read.push((one.gap, one.passed));
            (one.gap, one.passed) = (0, true);
        }
        let own = branch.now.processors[place].length;
        let lengths = if self.varying { self.r.0..=self.r.1 } else { own..=own };
        let mut all: Vec<_> = lengths
            .map(|length| {
                let mut now = branch.now.clone();
                now.processors[place].until = length;
                now
            })
            .collect();
        for _ in 0..tokens {
            all = all.iter().flat_map(|now| self.sent(now, place)).collect();
        }
        all.into_iter().map(|now| Branch { now, ..branch.clone() }).collect()
    }
}

/// One of the things that may happen at an instant, as far as it has been followed.
#[derive(Clone)]
struct Branch {
    now: Configuration,
    /// Tokens that arrive and are not read any more.
    missed: Vec<Token>,
    read: Vec<(u64, bool)>,
}
