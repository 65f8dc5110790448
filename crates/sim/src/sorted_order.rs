//! Sorting that is compiled once, for lists that are looked at and not for hot loops.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// The items of an iterator in order. Those that compare equal keep theirs.
pub(crate) fn in_order<T>(items: impl Iterator<Item = T>, compare: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    let mut items: Vec<Option<T>> = items.map(Some).collect();
    let item = |index: usize| items[index].as_ref().expect("it is taken below");
    let order = sorted_indices(items.len(), &|one, other| compare(item(one), item(other)));
    order.into_iter().filter_map(|index| items[index].take()).collect()
}

/// The indices from 0 to `count`, in order.
fn sorted_indices(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..count).collect();
    indices.sort_by(|&one, &other| compare(one, other));
    indices
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn equal_items_keep_their_order() {
        let items = vec![(3, 'a'), (1, 'b'), (3, 'c'), (2, 'd'), (1, 'e')];
        let sorted = in_order(items.into_iter(), |one, other| one.0.cmp(&other.0));
        assert_eq!(sorted, [(1, 'b'), (1, 'e'), (2, 'd'), (3, 'a'), (3, 'c')]);
        assert!(in_order(core::iter::empty::<u8>(), u8::cmp).is_empty());
    }
}
