use alloc::borrow::Cow;

use crate::{Permutation, Place};

/// The identities of processors, clockwise by place: listed, or computed one by one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Identities<'a> {
    listed: &'a [u64],
    /// The number and the seed of those that are computed.
    computed: Option<(u64, u64)>,
}

impl<'a> Identities<'a> {
    /// Those of a list; none, if it is empty.
    pub const fn listed(list: &'a [u64]) -> Self {
        Self { listed: list, computed: None }
    }

    /// 1 to `n`, in the order that a seed gives to them.
    pub const fn computed(n: u64, seed: u64) -> Self {
        Self { listed: &[], computed: Some((n, seed)) }
    }

    /// Whether processors have none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Whether there is a list of them, perhaps an empty one.
    pub const fn is_listed(self) -> bool {
        self.computed.is_none()
    }

    /// Their number.
    pub fn len(self) -> u64 {
        self.computed.map_or(self.listed.len() as u64, |(n, _)| n)
    }

    /// The identity at a place.
    pub fn get(self, place: Place) -> Option<u64> {
        match self.computed {
            Some((n, seed)) => (u64::from(place) < n).then(|| Permutation::new(n, seed).at(place.into()) + 1),
            None => self.listed.get(place as usize).copied(),
        }
    }

    /// All of them, without a list.
    pub fn iter(self) -> impl Iterator<Item = u64> + use<'a> {
        self.iter_from(0)
    }

    /// Those from a place on.
    pub fn iter_from(self, first: u64) -> impl Iterator<Item = u64> + use<'a> {
        let listed = self.listed.get(first as usize..).unwrap_or_default();
        let computed = self.computed.map(|(n, seed)| Permutation::new(n, seed).values_from(first));
        listed.iter().copied().chain(computed.into_iter().flatten().map(|rank| rank + 1))
    }

    /// The least one.
    pub fn least(self) -> Option<u64> {
        match self.computed {
            Some(_) => Some(1),
            None => self.listed.iter().copied().min(),
        }
    }

    /// The greatest one.
    pub fn greatest(self) -> Option<u64> {
        match self.computed {
            Some((n, _)) => Some(n),
            None => self.listed.iter().copied().max(),
        }
    }

    /// A list of them: a new one, if they are computed.
    pub fn list(self) -> Cow<'a, [u64]> {
        match self.computed {
            Some(_) => Cow::Owned(self.iter().collect()),
            None => Cow::Borrowed(self.listed),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn computed_identities_are_those_of_their_list() {
        for (n, seed) in (1..200).flat_map(|n| [(n, 1), (n, n)]) {
            let computed = Identities::computed(n, seed);
            let list = computed.list();
            let listed = Identities::listed(&list);
            let of = |all: Identities<'_>| (all.len(), all.least(), all.greatest(), all.is_empty());
            assert_eq!(of(computed), of(listed));
            for place in 0..n as Place + 3 {
                assert_eq!(computed.get(place), listed.get(place));
                let [ours, theirs] = [computed, listed].map(|all| all.iter_from(place.into()).collect::<Vec<_>>());
                assert_eq!(ours, theirs);
            }
        }
        assert!(Identities::listed(&[]).is_empty());
    }
}
