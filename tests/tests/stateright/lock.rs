//! Ricart and Agrawala's lock, from the description in Spirakis and Tampakas's paper, with users who make requests and leave at any time.

use std::collections::BTreeMap;

use stateright::{Checker, Model, Property};

/// `n` sites of identities 1, 2, …, with `entries` requests each, over links that keep no order.
pub struct RicartAgrawala {
    pub n: usize,
    pub entries: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum LockRegion {
    Remainder,
    Trying,
    Critical,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Site {
    region: LockRegion,
    /// Whose reply is missing, how many.
    missing: usize,
    own_number: u64,
    highest_number: u64,
    deferred: Vec<bool>,
    /// How often its user will still ask.
    left: u64,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Ask {
    Request(u64),
    Reply,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Configuration {
    sites: Vec<Site>,
    /// From, to: how many of each.
    links: BTreeMap<(usize, usize, Ask), usize>,
    /// In the order in which they entered.
    inside: Vec<usize>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum LockAction {
    Acquire(usize),
    Release(usize),
    Deliver(usize, usize, u64),
}

/// The number of a reply among those of requests.
const REPLY: u64 = u64::MAX;

impl RicartAgrawala {
    /// The number of states, and whether all properties hold.
    pub fn explore(self) -> (u64, bool) {
        let checker = self.checker().spawn_bfs().join();
        (checker.unique_state_count() as u64, checker.discoveries().is_empty())
    }

    fn send(state: &mut Configuration, from: usize, to: usize, ask: Ask) {
        *state.links.entry((from, to, ask)).or_default() += 1;
    }
}

impl Model for RicartAgrawala {
    type State = Configuration;
    type Action = LockAction;

    fn init_states(&self) -> Vec<Configuration> {
        let site = Site {
            region: LockRegion::Remainder,
            missing: 0,
            own_number: 0,
            highest_number: 0,
            deferred: vec![false; self.n],
            left: self.entries,
        };
        vec![Configuration { sites: vec![site; self.n], links: BTreeMap::new(), inside: Vec::new() }]
    }

    fn actions(&self, state: &Configuration, actions: &mut Vec<LockAction>) {
        for (place, site) in state.sites.iter().enumerate() {
            match site.region {
                LockRegion::Remainder if site.left > 0 => actions.push(LockAction::Acquire(place)),
                LockRegion::Critical => actions.push(LockAction::Release(place)),
                LockRegion::Remainder | LockRegion::Trying => {}
            }
        }
        actions.extend(state.links.keys().map(|(from, to, ask)| match ask {
            Ask::Request(number) => LockAction::Deliver(*from, *to, *number),
            Ask::Reply => LockAction::Deliver(*from, *to, REPLY),
        }));
    }

    fn next_state(&self, last: &Configuration, action: LockAction) -> Option<Configuration> {
        let mut next = last.clone();
        match action {
            LockAction::Acquire(place) => {
                let site = &mut next.sites[place];
                site.left -= 1;
                site.region = LockRegion::Trying;
                site.highest_number += 1;
                site.own_number = site.highest_number;
                site.missing = self.n - 1;
                let request = Ask::Request(site.own_number);
                for other in (0..self.n).filter(|&other| other != place) {
                    Self::send(&mut next, place, other, request.clone());
                }
            }
            LockAction::Release(place) => {
                next.sites[place].region = LockRegion::Remainder;
                next.inside.retain(|&other| other != place);
                let deferred = std::mem::replace(&mut next.sites[place].deferred, vec![false; self.n]);
                for other in (0..self.n).filter(|&other| deferred[other]) {
                    Self::send(&mut next, place, other, Ask::Reply);
                }
            }
            LockAction::Deliver(from, to, number) => {
                let ask = if number == REPLY { Ask::Reply } else { Ask::Request(number) };
                let count = next.links.get_mut(&(from, to, ask.clone())).expect("it was just seen");
                *count -= 1;
                next.links.retain(|_, count| *count > 0);
                let site = &mut next.sites[to];
                if ask == Ask::Reply {
                    site.missing -= 1;
                    if site.region == LockRegion::Trying && site.missing == 0 {
                        site.region = LockRegion::Critical;
                        next.inside.push(to);
                    }
                } else {
                    site.highest_number = site.highest_number.max(number);
                    // The smaller number goes first, of equal ones the smaller identity.
                    let first = (site.own_number, to) < (number, from);
                    if site.region != LockRegion::Remainder && first {
                        site.deferred[from] = true;
                    } else {
                        Self::send(&mut next, to, from, Ask::Reply);
                    }
                }
            }
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("one inside", |_, state: &Configuration| state.inside.len() <= 1),
            Property::always("who tries gets in", |_, state: &Configuration| {
                let silent = state.links.is_empty() && state.inside.is_empty();
                !silent || state.sites.iter().all(|site| site.region != LockRegion::Trying)
            }),
        ]
    }
}
