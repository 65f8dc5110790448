//! Searches: through everything, and for the shortest way to what is wrong.

use std::collections::hash_map::Entry;

use crate::answer::{Effort, Most, Progress, Property, RanOut};
use crate::interner::{Map, Number};
use crate::space::{Space, Ways, fingerprint};

/// What was found in a space.
pub(crate) struct Found {
    pub(crate) progress: Progress,
    pub(crate) quiet: u64,
    pub(crate) most_messages: Most,
    pub(crate) ran_out: Option<RanOut>,
    /// By property that does not hold: the nearest configuration that shows it.
    pub(crate) wrong: Vec<Wrong>,
}

/// A property that does not hold.
pub(crate) struct Wrong {
    pub(crate) property: Property,
    /// The configurations on a shortest way to where it shows, the first and the last included.
    pub(crate) path: Vec<Vec<Number>>,
    /// From which of them on it goes round for ever, if it does: the last is the same as that one.
    pub(crate) repeats_from: Option<usize>,
}

/// Goes every way, nearest configurations first.
pub(crate) fn search<S: Space>(space: &mut S, effort: &Effort, watch: &mut dyn FnMut(&Progress) -> bool) -> Found {
    let mut found = Found {
        progress: Progress::default(),
        quiet: 0,
        most_messages: Most::Unknown,
        ran_out: None,
        wrong: Vec::new(),
    };
    // By fingerprint: where it was first reached from.
    let mut from: Map<u64, u64> = Map::default();
    let mut level: Vec<(u64, Vec<Number>)> = Vec::new();
    for row in space.beginnings() {
        let own = fingerprint(&row);
        if from.insert(own, own).is_none() {
            level.push((own, row));
        }
    }
    let mut ways = Ways::default();
    while !level.is_empty() {
        let mut next = Vec::new();
        for (own, row) in &level {
            space.ways(row, *own, &mut ways);
            let standing = space.standing(row);
            let quiet = ways.quiet() && from[own] != *own;
            found.quiet += u64::from(quiet);
            let property = if standing.violated {
                Some(Property::Safe)
            } else if quiet && standing.waiting {
                Some(Property::Finishes)
            } else {
                None
            };
            if let Some(property) = property
                && found.wrong.iter().all(|wrong| wrong.property != property)
            {
                let path = retraced(space, &from, *own);
                found.wrong.push(Wrong { property, path, repeats_from: None });
            }
            if standing.violated {
                continue;
            }
            found.progress.transitions += ways.list.len() as u64;
            for (index, way) in ways.list.iter().enumerate() {
                if let Entry::Vacant(new) = from.entry(way.fingerprint) {
                    new.insert(*own);
                    let mut row = row.clone();
                    ways.go(index, &mut row);
                    next.push((way.fingerprint, row));
                }
            }
            found.progress.states = from.len() as u64;
            if found.progress.states > effort.states {
                found.ran_out = Some(RanOut::States);
                return found;
            }
        }
        found.progress.states = from.len() as u64;
        found.progress.frontier = next.len() as u64;
        found.progress.depth += u64::from(!next.is_empty());
        if !watch(&found.progress) {
            found.ran_out = Some(RanOut::Patience);
            return found;
        }
        level = next;
    }
    found
}

/// The configurations on the way to one, found again by their fingerprints.
fn retraced<S: Space>(space: &mut S, from: &Map<u64, u64>, to: u64) -> Vec<Vec<Number>> {
    let mut way_back = vec![to];
    while let Some(&last) = way_back.last()
        && from[&last] != last
    {
        way_back.push(from[&last]);
    }
    let first = way_back.pop().expect("it has an end");
    let row = space.beginnings().into_iter().find(|row| fingerprint(row) == first).expect("it began somewhere");
    let (mut here, mut path) = (first, vec![row]);
    let mut ways = Ways::default();
    while let Some(next) = way_back.pop() {
        let mut row = path.last().expect("it has a beginning").clone();
        space.ways(&row, here, &mut ways);
        let way = ways.list.iter().position(|way| way.fingerprint == next).expect("it was gone before");
        ways.go(way, &mut row);
        path.push(row);
        here = next;
    }
    path
}
