//! Every run of Itai and Rodeh's asynchronous election on a very small ring, written from its definition and not from our
//! protocol's file: all wake-ups, all draws and all orders of arrival. The announcement is left out.

use std::collections::BTreeMap;

/// What is explored.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// Processors.
    pub n: u8,
    /// Identities to draw from.
    pub ids: u8,
    /// Whether links are first in, first out.
    pub fifo: bool,
    /// Whether tokens carry their round, and then after which round to stop; otherwise there is an end by itself.
    pub rounds: Option<u8>,
}

/// What was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    /// States.
    pub states: usize,
    /// Those in which nothing more can happen although there is no leader.
    pub silent: usize,
    /// Those from which no leader can come, whatever happens; the silent ones are among them.
    pub doomed: usize,
    /// Those with two leaders or more.
    pub two_leaders: usize,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Configuration {
    processors: Vec<NaiveProcessor>,
    /// Link i leads from place i to the next; the first is the oldest.
    links: Vec<Vec<Token>>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NaiveProcessor {
    Asleep,
    Active { round: u8, id: u8 },
    Passive,
    Leader,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Token {
    round: u8,
    id: u8,
    hop: u8,
    unique: bool,
}

impl Question {
    /// Looks at everything that can happen.
    pub fn explore(self) -> Found {
        let n = usize::from(self.n);
        let first = Configuration { processors: vec![NaiveProcessor::Asleep; n], links: vec![Vec::new(); n] };
        let mut known = BTreeMap::from([(first.clone(), 0)]);
        let mut all = vec![first];
        let mut before: Vec<Vec<usize>> = vec![Vec::new()];
        let (mut good, mut silent, mut two_leaders) = (Vec::new(), 0, 0);
        let mut next = 0;
        while next < all.len() {
            let leaders = all[next].processors.iter().filter(|&&one| one == NaiveProcessor::Leader).count();
            let (after, beyond) = self.after(&all[next]);
            two_leaders += usize::from(leaders > 1);
            silent += usize::from(leaders == 0 && after.is_empty() && !beyond);
            if leaders > 0 || beyond {
                good.push(next);
            }
            for state in after {
                let index = *known.entry(state.clone()).or_insert(all.len());
                if index == all.len() {
                    all.push(state);
                    before.push(Vec::new());
                }
                before[index].push(next);
            }
            next += 1;
        }
        let mut hopeful = vec![false; all.len()];
        while let Some(index) = good.pop() {
            if !std::mem::replace(&mut hopeful[index], true) {
                good.extend(&before[index]);
            }
        }
        let doomed = hopeful.iter().filter(|&&hope| !hope).count();
        Found { states: all.len(), silent, doomed, two_leaders }
    }

    /// What can come next, and whether some of it is beyond the last round.
    fn after(self, now: &Configuration) -> (Vec<Configuration>, bool) {
        let (mut all, mut beyond) = (Vec::new(), false);
        for place in 0..now.processors.len() {
            if now.processors[place] == NaiveProcessor::Asleep {
                all.extend(self.drawn(now, place, self.first_round()));
            }
            let links = &now.links[place];
            for index in 0..if self.fifo { links.len().min(1) } else { links.len() } {
                if index > 0 && links[index] == links[index - 1] {
                    continue;
                }
                let mut rest = now.clone();
                let token = rest.links[place].remove(index);
                let to = (place + 1) % now.processors.len();
                let awake = if rest.processors[to] == NaiveProcessor::Asleep {
                    self.drawn(&rest, to, self.first_round())
                } else {
                    vec![rest]
                };
                for one in awake {
                    match self.received(&one, to, token) {
                        Some(more) => all.extend(more),
                        None => beyond = true,
                    }
                }
            }
        }
        (all, beyond)
    }

    /// Where tokens do not carry it there is but one.
    fn first_round(self) -> u8 {
        u8::from(self.rounds.is_some())
    }

    /// The successors in which a processor has drawn an identity and sent it: one for each identity.
    fn drawn(self, now: &Configuration, place: usize, round: u8) -> Vec<Configuration> {
        let with = |id| {
            let mut after = now.clone();
            after.processors[place] = NaiveProcessor::Active { round, id };
            self.send(&mut after, place, Token { round, id, hop: 1, unique: true });
            after
        };
        (1..=self.ids).map(with).collect()
    }

    fn send(self, now: &mut Configuration, place: usize, token: Token) {
        now.links[place].push(token);
        // On links without order all orders are one.
        if !self.fifo {
            now.links[place].sort_unstable();
        }
    }

    /// A token is received; `None` if a round would begin after the last.
    fn received(self, now: &Configuration, place: usize, token: Token) -> Option<Vec<Configuration>> {
        let mut after = now.clone();
        let passed = Token { hop: token.hop + 1, ..token };
        match now.processors[place] {
            NaiveProcessor::Active { round, id } => {
                if token.hop == self.n && token.unique {
                    after.processors[place] = NaiveProcessor::Leader;
                } else if token.hop == self.n {
                    return match self.rounds {
                        None => Some(self.drawn(now, place, 0)),
                        Some(last) if round == last => None,
                        Some(_) => Some(self.drawn(now, place, round + 1)),
                    };
                } else if (token.round, token.id) == (round, id) {
                    self.send(&mut after, place, Token { unique: false, ..passed });
                } else if (token.round, token.id) > (round, id) {
                    after.processors[place] = NaiveProcessor::Passive;
                    self.send(&mut after, place, passed);
                }
            }
            NaiveProcessor::Passive if token.hop < self.n => self.send(&mut after, place, passed),
            NaiveProcessor::Asleep | NaiveProcessor::Passive | NaiveProcessor::Leader => {}
        }
        Some(vec![after])
    }
}
