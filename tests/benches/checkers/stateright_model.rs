//! The same model for stateright, packed as tightly as its users may do: flags as bits, a link's messages as digits.

use stateright::{Checker, Model, Property};

use crate::told;

/// A message is a digit of this number of bits: an identity, and whether it has won.
const BITS: u32 = 5;
const WON: u64 = 16;
/// More than fit on a link at once.
const MOST: usize = (u64::BITS / BITS) as usize;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Configuration {
    asleep: u16,
    sent: u16,
    done: u16,
    /// Who declared itself leader.
    elected: u16,
    /// By place: what is on its way to it, the first lowest.
    links: [u64; 12],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum RingAction {
    Wake(usize),
    Arrive(usize),
}

struct ChangRoberts {
    ids: Vec<u64>,
}

impl ChangRoberts {
    fn send(&self, configuration: &mut Configuration, from: usize, message: u64) {
        let link = &mut configuration.links[(from + 1) % self.ids.len()];
        let length = (u64::BITS - link.leading_zeros()).div_ceil(BITS);
        assert!((length as usize) < MOST, "it fits");
        *link |= message << (length * BITS);
    }

    fn start(&self, configuration: &mut Configuration, place: usize) {
        let bit = 1 << place;
        if (configuration.sent | configuration.done) & bit == 0 {
            configuration.sent |= bit;
            self.send(configuration, place, self.ids[place]);
        }
    }
}

impl Model for ChangRoberts {
    type State = Configuration;
    type Action = RingAction;

    fn init_states(&self) -> Vec<Configuration> {
        let asleep = (1 << self.ids.len()) - 1;
        vec![Configuration { asleep, sent: 0, done: 0, elected: 0, links: [0; 12] }]
    }

    fn actions(&self, configuration: &Configuration, actions: &mut Vec<RingAction>) {
        for place in 0..self.ids.len() {
            if configuration.asleep >> place & 1 == 1 {
                actions.push(RingAction::Wake(place));
            }
            if configuration.links[place] != 0 {
                actions.push(RingAction::Arrive(place));
            }
        }
    }

    fn next_state(&self, configuration: &Configuration, action: RingAction) -> Option<Configuration> {
        let mut next = configuration.clone();
        match action {
            RingAction::Wake(place) => {
                next.asleep &= !(1 << place);
                self.start(&mut next, place);
            }
            RingAction::Arrive(place) => {
                let message = next.links[place] & ((1 << BITS) - 1);
                next.links[place] >>= BITS;
                let (id, own) = (message & !WON, self.ids[place]);
                if message & WON != 0 {
                    if id != own {
                        next.done |= 1 << place;
                        self.send(&mut next, place, message);
                    }
                } else if id == own {
                    next.done |= 1 << place;
                    next.elected |= 1 << place;
                    self.send(&mut next, place, id | WON);
                } else if id < own {
                    self.start(&mut next, place);
                } else {
                    self.send(&mut next, place, id);
                }
            }
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("one leader", |_, configuration: &Configuration| configuration.elected.count_ones() <= 1)]
    }
}

pub(crate) fn search(ids: &[u64]) -> String {
    assert!(ids.len() <= 12, "more do not fit");
    let checker = ChangRoberts { ids: ids.to_vec() }.checker().threads(1).spawn_bfs().join();
    checker.assert_properties();
    told(checker.unique_state_count() as u64)
}
