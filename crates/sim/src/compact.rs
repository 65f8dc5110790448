//! Collections that compile to little code. They hold types of a protocol and are instantiated for every one of them, and
//! none of them is on a hot path.

use alloc::collections::{BTreeMap, BinaryHeap};
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};
use core::mem;

/// A map from numbers to values. The tree holds indices only, so that it is compiled once.
#[derive(Clone)]
pub(crate) struct IndexMap<V> {
    indices: BTreeMap<u64, usize>,
    values: Vec<V>,
    free: Vec<usize>,
}

impl<V: Default> IndexMap<V> {
    pub(crate) const fn new() -> Self {
        Self { indices: BTreeMap::new(), values: Vec::new(), free: Vec::new() }
    }

    pub(crate) fn get(&self, key: u64) -> Option<&V> {
        self.indices.get(&key).map(|&index| &self.values[index])
    }

    pub(crate) fn get_mut(&mut self, key: u64) -> Option<&mut V> {
        self.indices.get(&key).map(|&index| &mut self.values[index])
    }

    pub(crate) fn get_or_default(&mut self, key: u64) -> &mut V {
        let Self { indices, values, free } = self;
        let index = *indices.entry(key).or_insert_with(|| {
            free.pop().unwrap_or_else(|| {
                values.push(V::default());
                values.len() - 1
            })
        });
        &mut values[index]
    }

    /// In the order of the keys.
    pub(crate) fn values(&self) -> impl Iterator<Item = &V> {
        self.indices.values().map(|&index| &self.values[index])
    }

    pub(crate) fn remove(&mut self, key: u64) -> Option<V> {
        let index = self.indices.remove(&key)?;
        self.free.push(index);
        Some(mem::take(&mut self.values[index]))
    }
}

/// Whatever room there is for other values.
impl<V: Hash> Hash for IndexMap<V> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        for (key, &index) in &self.indices {
            (key, &self.values[index]).hash(hasher);
        }
    }
}

/// Takes out those that are meant, in their order.
pub(crate) fn take_if<T>(items: &mut Vec<T>, mut is_meant: impl FnMut(&T) -> bool) -> Vec<T> {
    take_each(items, &mut is_meant)
}

fn take_each<T>(items: &mut Vec<T>, is_meant: &mut dyn FnMut(&T) -> bool) -> Vec<T> {
    let mut taken = Vec::new();
    for item in mem::replace(items, Vec::with_capacity(items.len())) {
        if is_meant(&item) { &mut taken } else { &mut *items }.push(item);
    }
    taken
}

/// Sorts what is nearly always in order already.
pub(crate) fn sort<T: Ord>(items: &mut Vec<T>) {
    if !items.is_sorted() {
        *items = BinaryHeap::from(mem::take(items)).into_sorted_vec();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_removed_value_is_gone_and_its_room_is_used_again() {
        let mut map = IndexMap::<u32>::new();
        *map.get_or_default(1 << 40) = 7;
        *map.get_or_default(3) = 8;
        assert_eq!((map.get(1 << 40), map.get(3), map.get(4)), (Some(&7), Some(&8), None));
        assert_eq!((map.remove(3), map.remove(3)), (Some(8), None));
        assert_eq!((*map.get_or_default(5), map.values.len()), (0, 2), "a new value is the default");
        *map.get_mut(5).expect("it is there") = 9;
        assert_eq!((map.get(1 << 40), map.get(5)), (Some(&7), Some(&9)));
    }

    #[test]
    fn what_is_taken_and_what_stays_keep_their_order() {
        let mut list = alloc::vec![5, 2, 8, 3, 4];
        assert_eq!(take_if(&mut list, |item| item % 2 == 0), [2, 8, 4]);
        assert_eq!(list, [5, 3]);
    }

    #[test]
    fn a_list_is_sorted_whatever_its_order() {
        for mut list in [alloc::vec![], alloc::vec![1, 2, 3], alloc::vec![3, 1, 2, 1]] {
            let mut expected = list.clone();
            expected.sort_unstable();
            sort(&mut list);
            assert_eq!(list, expected);
        }
    }
}
