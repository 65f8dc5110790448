//! Searches: through everything, and for the shortest way to what is wrong.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use ringleader_model::{Place, Protocol, Violation};

use crate::explorer::{Explorer, Way};
use crate::interner::{Map, Number};

/// What must be true of every schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Property {
    /// Nothing that the problem's monitor forbids ever happens.
    Safe,
    /// Where nothing more happens by itself and somebody has begun, all is done.
    Finishes,
    /// Nothing can go on for ever.
    Ends,
}

/// One step of a counterexample.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    /// Where.
    pub place: Place,
    /// What happened to it, in words.
    pub event: String,
}

/// What was found in all schedules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explored {
    /// Whether all of them were looked at; if not, what was not found says nothing.
    pub complete: bool,
    /// Distinct configurations.
    pub states: u64,
    /// Steps between them.
    pub transitions: u64,
    /// Configurations in which nothing more happens by itself.
    pub quiet: u64,
    /// The longest way without meeting a configuration again.
    pub depth: u64,
    /// The properties that do not hold, with how.
    pub violated: Vec<(Property, Vec<Violation>)>,
    /// The most message passes of any schedule; `None` where some go on for ever.
    pub most_messages: Option<u32>,
}

/// What is known of a configuration: it is on the way that is being gone, or all ways from it have been.
#[derive(Clone, Copy)]
enum Known {
    OnTheWay,
    /// The most messages from there on.
    Done(u32),
}

/// A configuration on the way, with what is left to try from it.
struct Frame {
    fingerprint: u64,
    ways: Vec<Way>,
    /// What the last way tried from here changed, and what was there before.
    undo: Vec<(u32, Number)>,
    /// The most messages found so far from here on.
    most: u32,
    /// The messages of the way being tried.
    sent: u32,
}

impl<P: Protocol> Explorer<P> {
    /// Goes every way to its end, depth first: one configuration is kept, changed and changed back. Stops once so many
    /// configurations were met.
    pub fn explore(&mut self, limit: u64) -> Explored {
        let mut found = Explored {
            complete: true,
            states: 0,
            transitions: 0,
            quiet: 0,
            depth: 0,
            violated: Vec::new(),
            most_messages: Some(0),
        };
        let mut known: Map<u64, Known> = Map::default();
        let mut configuration = self.first();
        let mut frames: Vec<Frame> = Vec::new();
        let mut spare: Vec<Vec<Way>> = Vec::new();
        frames.push(self.enter(&configuration, self.beginning, &mut spare, &mut found));
        known.insert(self.beginning, Known::OnTheWay);
        while let Some(frame) = frames.last_mut() {
            if known.len() as u64 >= limit {
                (found.complete, found.most_messages) = (false, None);
                break;
            }
            for (at, number) in frame.undo.drain(..) {
                configuration[at as usize] = number;
            }
            let Some(way) = frame.ways.pop() else {
                let done = frames.pop().expect("it is the last one");
                known.insert(done.fingerprint, Known::Done(done.most));
                spare.push(done.ways);
                match frames.last_mut() {
                    Some(before) => before.most = before.most.max(before.sent + done.most),
                    None => found.most_messages = found.most_messages.map(|_| done.most),
                }
                continue;
            };
            found.transitions += 1;
            match known.get(&way.fingerprint) {
                Some(Known::Done(most)) => frame.most = frame.most.max(way.sent + most),
                Some(Known::OnTheWay) => {
                    found.most_messages = None;
                    found.note(Property::Ends, Vec::new());
                }
                None => {
                    frame.sent = way.sent;
                    frame.undo.extend(way.changes.iter().map(|&(at, _)| (at, configuration[at as usize])));
                    way.take(&mut configuration);
                    known.insert(way.fingerprint, Known::OnTheWay);
                    let next = self.enter(&configuration, way.fingerprint, &mut spare, &mut found);
                    frames.push(next);
                    found.depth = found.depth.max(frames.len() as u64 - 1);
                }
            }
        }
        found.states = known.len() as u64;
        found
    }

    /// Looks at a configuration that was not met before. From where something is violated it is not gone on.
    fn enter(
        &mut self,
        configuration: &[Number],
        fingerprint: u64,
        spare: &mut Vec<Vec<Way>>,
        found: &mut Explored,
    ) -> Frame {
        let mut ways = spare.pop().unwrap_or_default();
        let quiet = self.ways(configuration, fingerprint, &mut ways);
        if self.is_violated(configuration) {
            found.note(Property::Safe, self.violations(configuration));
            ways.clear();
        } else if quiet && fingerprint != self.beginning {
            found.quiet += 1;
            if !self.is_finished(configuration) {
                found.note(Property::Finishes, Vec::new());
            }
        }
        Frame { fingerprint, ways, undo: Vec::new(), most: 0, sent: 0 }
    }

    /// A shortest schedule after which a property does not hold; `None` if there is none. That something can go on for ever
    /// is not found in one configuration, and not looked for here.
    pub fn shortest(&mut self, property: &Property) -> Option<Vec<Move>> {
        let beginning = self.beginning;
        // By fingerprint: where it was first reached from.
        let mut from: Map<u64, u64> = Map::default();
        from.insert(beginning, beginning);
        let mut open = VecDeque::from([(beginning, self.first())]);
        let mut ways = Vec::new();
        while let Some((fingerprint, configuration)) = open.pop_front() {
            let quiet = self.ways(&configuration, fingerprint, &mut ways);
            let violated = self.is_violated(&configuration);
            let unfinished = quiet && fingerprint != beginning && !self.is_finished(&configuration);
            let here = match property {
                Property::Safe => violated,
                Property::Finishes => unfinished && !violated,
                Property::Ends => false,
            };
            if here {
                return Some(self.retraced(&from, fingerprint));
            }
            if violated {
                continue;
            }
            for way in &ways {
                if let Entry::Vacant(new) = from.entry(way.fingerprint) {
                    new.insert(fingerprint);
                    let mut next = configuration.clone();
                    way.take(&mut next);
                    open.push_back((way.fingerprint, next));
                }
            }
        }
        None
    }

    /// The steps from the beginning to a configuration, found again by their fingerprints.
    fn retraced(&mut self, from: &Map<u64, u64>, to: u64) -> Vec<Move> {
        let mut configuration = self.first();
        let mut here = self.beginning;
        let mut way_back = vec![to];
        while let Some(&last) = way_back.last()
            && last != here
        {
            way_back.push(from[&last]);
        }
        way_back.pop();
        let mut moves = Vec::new();
        let mut ways = Vec::new();
        while let Some(next) = way_back.pop() {
            self.ways(&configuration, here, &mut ways);
            let way = ways.iter().find(|way| way.fingerprint == next).expect("it was gone before");
            moves.push(Move { place: way.place, event: self.words(&configuration, way) });
            way.take(&mut configuration);
            here = next;
        }
        moves
    }
}

impl Explored {
    /// Whether every property holds in all schedules.
    pub fn holds(&self) -> bool {
        self.complete && self.violated.is_empty()
    }

    /// Takes note of a property that does not hold, once, and of all that contradicts it.
    fn note(&mut self, property: Property, violations: Vec<Violation>) {
        let index = self.violated.iter().position(|(other, _)| *other == property).unwrap_or_else(|| {
            self.violated.push((property, Vec::new()));
            self.violated.len() - 1
        });
        for violation in violations {
            violation.note(&mut self.violated[index].1);
        }
    }
}
