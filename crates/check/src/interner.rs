//! Things that are kept once each, and named by numbers.

use std::hash::Hash;

#[allow(clippy::disallowed_types, reason = "it is never gone through, so that its order does not matter")]
mod map {
    pub(crate) type Map<K, V> = std::collections::HashMap<K, V, foldhash::fast::FixedState>;
}

/// A map whose order is nobody's business and whose hash is the same in every run.
pub(crate) use map::Map;

/// The number of a thing that is kept once.
pub(crate) type Number = u32;

/// Things and their numbers, in the order in which they came.
pub(crate) struct Interner<T> {
    numbers: Map<T, Number>,
    things: Vec<T>,
}

impl<T: Clone + Eq + Hash> Interner<T> {
    pub(crate) fn new() -> Self {
        Self { numbers: Map::default(), things: Vec::new() }
    }

    /// The number of a thing.
    pub(crate) fn number(&mut self, thing: T) -> Number {
        if let Some(&number) = self.numbers.get(&thing) {
            return number;
        }
        let number = Number::try_from(self.things.len()).expect("memory ends before numbers do");
        self.things.push(thing.clone());
        self.numbers.insert(thing, number);
        number
    }

    pub(crate) fn get(&self, number: Number) -> &T {
        &self.things[number as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_thing_has_the_same_number() {
        let mut interner = Interner::new();
        assert_eq!(["a", "b", "a", "c", "b"].map(|thing| interner.number(thing)), [0, 1, 0, 2, 1]);
        assert_eq!(*interner.get(2), "c");
    }
}
