//! Interning: every distinct value is stored once and named by a number, so that states are compared and hashed as
//! numbers.

use std::cell::Cell;
use std::hash::{BuildHasher, Hash};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    /// By number.
    keys: Vec<u64>,
    /// By number. After a [resumption](ValueTable::expect) values are missing until they are computed again.
    values: Vec<Option<Arc<T>>>,
}

thread_local! {
    static DISCOVERIES: Cell<u64> = const { Cell::new(0) };
}

/// The number of values, rules and phases that were new when this thread came upon them. A state whose expansion
/// increases it must be expanded again before a search is resumed.
#[inline]
pub(crate) fn discoveries() -> u64 {
    DISCOVERIES.get()
}

/// Counts a discovery of this thread.
#[cold]
pub(crate) fn note_discovery() {
    DISCOVERIES.set(DISCOVERIES.get() + 1);
}

/// The numbering of an [`Interner`], without the type of its values: what a checkpoint keeps of it.
pub(crate) trait ValueTable {
    /// By number: the key of the value.
    fn keys(&self) -> Vec<u64>;

    /// Gives a value that will be interned the number that its key has here. Returns false, and changes nothing, if the
    /// values that are there have other numbers.
    #[must_use]
    fn expect(&self, keys: &[u64]) -> bool;

    /// True if every number has its value.
    fn is_complete(&self) -> bool;
}

impl<T> Clone for Interner<T> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), local: Vec::new() }
    }
}

impl<T: Eq + Hash> Interner<T> {
    pub(crate) fn new() -> Self {
        let shared = InternTable { indices: Map::default(), keys: Vec::new(), values: Vec::new() };
        Self { shared: Arc::new(Mutex::new(shared)), local: Vec::new() }
    }

    fn lock(&self) -> MutexGuard<'_, InternTable<T>> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a value.
    pub(crate) fn intern(&mut self, value: T) -> Interned {
        let mut key = FixedState::default().hash_one(&value);
        let mut shared = self.lock();
        while let Some(&number) = shared.indices.get(&key) {
            match &mut shared.values[number as usize] {
                Some(there) if **there == value => return number,
                Some(_) => key = key.wrapping_add(1),
                missing => {
                    *missing = Some(Arc::new(value));
                    note_discovery();
                    return number;
                }
            }
        }
        let number = Interned::try_from(shared.values.len()).expect("memory ends before numbers do");
        shared.values.push(Some(Arc::new(value)));
        shared.keys.push(key);
        shared.indices.insert(key, number);
        note_discovery();
        number
    }

    /// Whether no clone has interned anything.
    pub(crate) fn is_empty(&self) -> bool {
        self.lock().values.is_empty()
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
        self.local[index].get_or_insert_with(|| {
            let value = &shared.lock().unwrap_or_else(PoisonError::into_inner).values[index];
            Arc::clone(value.as_ref().expect("it was interned before its number was used"))
        })
    }
}

impl<T: Eq + Hash> ValueTable for Interner<T> {
    fn keys(&self) -> Vec<u64> {
        self.lock().keys.clone()
    }

    fn expect(&self, keys: &[u64]) -> bool {
        let mut shared = self.lock();
        if !keys.starts_with(&shared.keys) {
            return false;
        }
        shared.keys = keys.to_vec();
        shared.indices = (0..).zip(keys).map(|(number, &key)| (key, number)).collect();
        shared.values.resize(keys.len(), None);
        true
    }

    fn is_complete(&self) -> bool {
        self.lock().values.iter().all(Option::is_some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::FiredRules;
    use crate::phases::PhaseRecord;

    #[test]
    fn a_value_has_the_same_number_in_every_clone() {
        let mut interner = Interner::new();
        let mut other = interner.clone();
        assert_eq!(["a", "b", "a", "c"].map(|value| interner.intern(value)), [0, 1, 0, 2]);
        assert_eq!(["c", "d", "a"].map(|value| other.intern(value)), [2, 3, 0]);
        assert_eq!((*interner.get(3), *other.get(1)), ("d", "b"));
    }

    #[test]
    fn expected_values_get_their_numbers_back_in_any_order() {
        let mut first = Interner::new();
        assert_eq!(["a", "b", "c", "d"].map(|value| first.intern(value)), [0, 1, 2, 3]);
        let mut again = Interner::new();
        again.intern("a");
        assert!(again.expect(&first.keys()) && !again.is_complete());
        let before = discoveries();
        assert_eq!(["d", "e", "b", "a", "c"].map(|value| again.intern(value)), [3, 4, 1, 0, 2]);
        assert_eq!(discoveries() - before, 4);
        assert!(again.is_complete());
        let mut other = Interner::new();
        other.intern("z");
        assert!(!other.expect(&first.keys()));
        assert_eq!(other.intern("a"), 1);
    }

    /// What a search collects outside of states.
    #[test]
    fn a_rule_or_a_phase_is_a_discovery_once() {
        let made = |note: &dyn Fn()| {
            let before = discoveries();
            note();
            discoveries() - before
        };
        let (rules, phases) = (FiredRules::default(), PhaseRecord::new(true, false));
        assert_eq!([3, 3, 200].map(|rule| made(&|| rules.note(rule))), [1, 0, 1]);
        // The first phase; the same, forgotten; the second, remembered; back to the first.
        let phase = |before, phase, kept| made(&|| phases.note(before, phase, kept));
        assert_eq!([phase(0, 1, 1), phase(0, 1, 1)], [1, 0]);
        assert_eq!([phase(1, 1, 0), phase(1, 1, 0), phase(1, 2, 2), phase(2, 1, 1), phase(2, 1, 1)], [1, 0, 1, 1, 0]);
    }
}
