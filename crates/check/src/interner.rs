//! Things that are kept once each, and named by numbers.

use std::hash::{BuildHasher, Hash};
use std::sync::{Arc, Mutex, PoisonError};

use foldhash::fast::FixedState;

#[allow(clippy::disallowed_types, reason = "it is never gone through, so that its order does not matter")]
mod map {
    pub(crate) type Map<K, V> = std::collections::HashMap<K, V, super::FixedState>;
}

/// A map whose order is nobody's business and whose hash is the same in every run.
pub(crate) use map::Map;

/// The number of a thing that is kept once.
pub(crate) type Number = u32;

/// Things and their numbers, in the order in which they came. A clone is another hand on the same things: numbers mean the
/// same to both. What a hand has once seen it finds again without asking the others.
pub(crate) struct Interner<T> {
    shared: Arc<Mutex<Shared<T>>>,
    seen: Vec<Option<Arc<T>>>,
}

struct Shared<T> {
    /// By a thing's hash, or if that is taken by another thing the next that is free.
    numbers: Map<u64, Number>,
    things: Vec<Arc<T>>,
}

impl<T> Clone for Interner<T> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), seen: Vec::new() }
    }
}

impl<T: Eq + Hash> Interner<T> {
    pub(crate) fn new() -> Self {
        let shared = Shared { numbers: Map::default(), things: Vec::new() };
        Self { shared: Arc::new(Mutex::new(shared)), seen: Vec::new() }
    }

    /// The number of a thing.
    pub(crate) fn number(&mut self, thing: T) -> Number {
        let mut key = FixedState::default().hash_one(&thing);
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(&number) = shared.numbers.get(&key) {
            if *shared.things[number as usize] == thing {
                return number;
            }
            key = key.wrapping_add(1);
        }
        let number = Number::try_from(shared.things.len()).expect("memory ends before numbers do");
        shared.things.push(Arc::new(thing));
        shared.numbers.insert(key, number);
        number
    }

    /// About what those cost that this hand has seen: each is kept, counted, found by its hash, and may hold something itself.
    pub(crate) fn bytes(&self) -> usize {
        const EACH: usize = 64;
        self.seen.capacity() * size_of::<Option<Arc<T>>>() + self.seen.len() * (size_of::<T>() + EACH)
    }

    /// The thing of a number.
    pub(crate) fn get(&mut self, number: Number) -> &T {
        let index = number as usize;
        if self.seen.len() <= index {
            self.seen.resize(index + 1, None);
        }
        let shared = &self.shared;
        self.seen[index]
            .get_or_insert_with(|| Arc::clone(&shared.lock().unwrap_or_else(PoisonError::into_inner).things[index]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_thing_has_the_same_number_in_every_hand() {
        let mut interner = Interner::new();
        let mut other = interner.clone();
        assert_eq!(["a", "b", "a", "c"].map(|thing| interner.number(thing)), [0, 1, 0, 2]);
        assert_eq!(["c", "d", "a"].map(|thing| other.number(thing)), [2, 3, 0]);
        assert_eq!((*interner.get(3), *other.get(1)), ("d", "b"));
    }
}
