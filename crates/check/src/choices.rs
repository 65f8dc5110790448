//! Choices that a computation leaves open, enumerated depth first: those of the scheduler, and the random choices of
//! processors.
//!
//! The computation is run once for every path through its choice tree. It asks a [`ChoicePath`] whenever it has a
//! choice; the path answers with what it has recorded, and with 0 beyond that.

/// A choice, and its value on this path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ChoiceNode {
    /// A random choice of a processor; otherwise the scheduler chooses.
    pub(crate) random: bool,
    pub(crate) value: u32,
    bound: u32,
}

/// One path through a choice tree: recorded values, and 0 beyond them.
#[derive(Default)]
pub(crate) struct ChoicePath {
    points: Vec<ChoiceNode>,
    used: usize,
}

impl ChoicePath {
    /// The scheduler chooses from `0..bound`. A choice of one value is not recorded.
    pub(crate) fn scheduler_choice(&mut self, bound: u32) -> u32 {
        if bound <= 1 { 0 } else { self.next(bound, false) }
    }

    /// The scheduler chooses between no and yes.
    pub(crate) fn scheduler_bool(&mut self) -> bool {
        self.scheduler_choice(2) == 1
    }

    /// A processor draws from `0..bound`. A draw of one value is recorded, since the simulator asks for it too.
    pub(crate) fn random_choice(&mut self, bound: u32) -> u32 {
        self.next(bound.max(1), true)
    }

    /// The number of choices made.
    pub(crate) fn position(&self) -> usize {
        self.used
    }

    /// The random choices made since a position.
    pub(crate) fn random_since(&self, position: usize) -> impl Iterator<Item = u32> {
        self.points[position..self.used].iter().filter(|point| point.random).map(|point| point.value)
    }

    fn next(&mut self, bound: u32, random: bool) -> u32 {
        if self.used == self.points.len() {
            self.points.push(ChoiceNode { random, value: 0, bound });
        }
        self.used += 1;
        self.points[self.used - 1].value
    }
}

/// A leaf of a choice tree: the choices on the path there, and the result.
pub(crate) struct ChoiceLeaf<T> {
    pub(crate) points: Vec<ChoiceNode>,
    pub(crate) result: T,
}

impl<T> ChoiceLeaf<T> {
    /// The probability of its random choices is 1/denominator.
    pub(crate) fn denominator(&self) -> u32 {
        self.points
            .iter()
            .filter(|point| point.random)
            .fold(1, |denominator: u32, point| denominator.saturating_mul(point.bound))
    }

    pub(crate) fn random_values(&self) -> impl Iterator<Item = u32> {
        self.points.iter().filter(|point| point.random).map(|point| point.value)
    }
}

/// All leaves, in the lexicographic order of their choices.
pub(crate) fn all_paths<T>(run: impl FnMut(&mut ChoicePath) -> T) -> Vec<ChoiceLeaf<T>> {
    paths_until(run, |_| false)
}

/// The leaves up to the first one that satisfies `is_last`.
pub(crate) fn paths_until<T>(
    mut run: impl FnMut(&mut ChoicePath) -> T,
    is_last: impl Fn(&T) -> bool,
) -> Vec<ChoiceLeaf<T>> {
    let mut leaves = Vec::new();
    let mut choices = ChoicePath::default();
    loop {
        let result = run(&mut choices);
        let last = is_last(&result);
        let mut points = choices.points;
        points.truncate(choices.used);
        leaves.push(ChoiceLeaf { points: points.clone(), result });
        if last {
            return leaves;
        }
        // The next path: the last choice that can be increased is.
        while let Some(mut last) = points.pop() {
            if last.value + 1 < last.bound {
                last.value += 1;
                points.push(last);
                break;
            }
        }
        if points.is_empty() {
            return leaves;
        }
        choices = ChoicePath { points, used: 0 };
    }
}

/// The actions of a Markov decision process whose choices are these leaves: each is a strategy of the scheduler, as the
/// set of the leaves that the random choices may lead to. A scheduler that chooses after a random choice may choose
/// differently for each of its values. `None` if there are too many.
pub(crate) fn mdp_actions<T>(leaves: &[ChoiceLeaf<T>]) -> Option<Vec<Vec<usize>>> {
    actions_below(leaves, 0..leaves.len(), 0)
}

/// The greatest number of actions that is enumerated.
const MAX_ACTIONS: usize = 1 << 16;

fn actions_below<T>(leaves: &[ChoiceLeaf<T>], range: core::ops::Range<usize>, depth: usize) -> Option<Vec<Vec<usize>>> {
    let Some(&ChoiceNode { random, .. }) = leaves[range.start].points.get(depth) else {
        return Some(vec![range.collect()]);
    };
    let mut sides = Vec::new();
    let mut from = range.start;
    while from < range.end {
        let value = leaves[from].points[depth].value;
        let same = leaves[from..range.end].iter().take_while(|leaf| leaf.points[depth].value == value).count();
        sides.push(actions_below(leaves, from..from + same, depth + 1)?);
        from += same;
    }
    if !random {
        return Some(sides.concat());
    }
    sides
        .iter()
        .try_fold(1, |product: usize, side| Some(product * side.len()).filter(|&product| product <= MAX_ACTIONS))?;
    let one_of_each = |actions: Vec<Vec<usize>>, side: Vec<Vec<usize>>| {
        actions.iter().flat_map(|action| side.iter().map(|other| [&action[..], other].concat())).collect()
    };
    Some(sides.into_iter().reduce(one_of_each).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheduler_may_choose_differently_for_each_random_choice() {
        let leaves = all_paths(|choices| {
            let before = choices.scheduler_choice(2);
            let random = choices.random_choice(2);
            (before, random, if random == 1 { choices.scheduler_choice(3) } else { 0 })
        });
        let ends: Vec<_> = leaves.iter().map(|leaf| leaf.result).collect();
        assert_eq!(ends[..4], [(0, 0, 0), (0, 1, 0), (0, 1, 1), (0, 1, 2)]);
        assert_eq!(mdp_actions(&leaves).expect("they are few")[..4], [vec![0, 1], vec![0, 2], vec![0, 3], vec![4, 5]]);
        assert!(leaves.iter().all(|leaf| leaf.denominator() == 2));
    }

    #[test]
    fn too_many_strategies_are_refused() {
        let count = |sides| {
            mdp_actions(&all_paths(|choices| (choices.random_choice(sides), choices.scheduler_choice(2))))
                .map(|actions| actions.len())
        };
        assert_eq!(count(16), Some(1 << 16));
        assert_eq!(count(17), None);
    }
}
