//! Interning: every distinct value is stored once and named by a number, so that states are compared and hashed as
//! numbers.

use std::hash::{BuildHasher, Hash};
use std::sync::{Arc, Mutex, PoisonError};

use foldhash::fast::FixedState;

#[allow(clippy::disallowed_types, reason = "it is never iterated, so that its order does not matter")]
mod map {
    pub(crate) type Map<K, V> = std::collections::HashMap<K, V, super::FixedState>;
}

/// A hash map that is never iterated, with the same hash function in every run.
pub(crate) use map::Map;

/// The number of an interned value.
pub(crate) type Interned = u32;

/// Values by number, in the order of their first use. A clone is for another worker: the same numbers stand for the
/// same values. Each clone keeps its own references to the values that it has read, so that reading them again takes no
/// lock.
pub(crate) struct Interner<T> {
    shared: Arc<Mutex<InternTable<T>>>,
    local: Vec<Option<Arc<T>>>,
}

struct InternTable<T> {
    /// By the hash of a value, or the next free key if the hash is taken by another value.
    indices: Map<u64, Interned>,
    values: Vec<Arc<T>>,
}

impl<T> Clone for Interner<T> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), local: Vec::new() }
    }
}

impl<T: Eq + Hash> Interner<T> {
    pub(crate) fn new() -> Self {
        let shared = InternTable { indices: Map::default(), values: Vec::new() };
        Self { shared: Arc::new(Mutex::new(shared)), local: Vec::new() }
    }

    /// The number of a value.
    pub(crate) fn intern(&mut self, value: T) -> Interned {
        let mut key = FixedState::default().hash_one(&value);
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(&number) = shared.indices.get(&key) {
            if *shared.values[number as usize] == value {
                return number;
            }
            key = key.wrapping_add(1);
        }
        let number = Interned::try_from(shared.values.len()).expect("memory ends before numbers do");
        shared.values.push(Arc::new(value));
        shared.indices.insert(key, number);
        number
    }

    /// Whether no clone has interned anything.
    pub(crate) fn is_empty(&self) -> bool {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).values.is_empty()
    }

    /// Memory held for the values that this clone has read, about: value, references, hash table entry, and what the
    /// value owns.
    pub(crate) fn bytes(&self) -> usize {
        const EACH: usize = 64;
        self.local.capacity() * size_of::<Option<Arc<T>>>() + self.local.len() * (size_of::<T>() + EACH)
    }

    /// The value of a number.
    pub(crate) fn get(&mut self, number: Interned) -> &T {
        let index = number as usize;
        if self.local.len() <= index {
            self.local.resize(index + 1, None);
        }
        let shared = &self.shared;
        self.local[index]
            .get_or_insert_with(|| Arc::clone(&shared.lock().unwrap_or_else(PoisonError::into_inner).values[index]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_the_same_number_in_every_clone() {
        let mut interner = Interner::new();
        let mut other = interner.clone();
        assert_eq!(["a", "b", "a", "c"].map(|value| interner.intern(value)), [0, 1, 0, 2]);
        assert_eq!(["c", "d", "a"].map(|value| other.intern(value)), [2, 3, 0]);
        assert_eq!((*interner.get(3), *other.get(1)), ("d", "b"));
    }
}
