//! Choices that a computation leaves open, enumerated depth first: those of the scheduler, and the random choices of
//! processors.
//!
//! The computation is run once for every path through its choice tree. It asks a [`ChoicePath`] whenever it has a
//! choice; the path answers with what it has recorded, and with 0 beyond that.

/// The probability of random choices, in lowest terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ChoiceProbability {
    pub(crate) numerator: u32,
    pub(crate) denominator: u32,
}

impl ChoiceProbability {
    pub(crate) const CERTAIN: Self = Self { numerator: 1, denominator: 1 };
    /// Its terms do not fit 32 bits.
    pub(crate) const UNREPRESENTABLE: Self = Self { numerator: 0, denominator: 0 };

    /// One of so many values.
    pub(crate) fn one_of(bound: u32) -> Self {
        Self { numerator: 1, denominator: bound }
    }

    fn new(numerator: u64, denominator: u64) -> Self {
        let common = gcd(numerator, denominator).max(1);
        match (u32::try_from(numerator / common), u32::try_from(denominator / common)) {
            (Ok(numerator), Ok(denominator)) => Self { numerator, denominator },
            _ => Self::UNREPRESENTABLE,
        }
    }

    /// The probability that this and another, independent one happen.
    pub(crate) fn times(self, other: Self) -> Self {
        if other == Self::CERTAIN {
            return self;
        }
        let product = |one: u32, other: u32| u64::from(one) * u64::from(other);
        Self::new(product(self.numerator, other.numerator), product(self.denominator, other.denominator))
    }

    /// The probability that this or another happens, which exclude each other.
    pub(crate) fn plus(self, other: Self) -> Self {
        let (one, two) = (u64::from(self.denominator), u64::from(other.denominator));
        let Some(scale) = (one / gcd(one, two).max(1)).checked_mul(two).filter(|&scale| scale > 0) else {
            return Self::UNREPRESENTABLE;
        };
        let numerator = u128::from(self.numerator) * u128::from(scale / one)
            + u128::from(other.numerator) * u128::from(scale / two);
        u64::try_from(numerator).map_or(Self::UNREPRESENTABLE, |numerator| Self::new(numerator, scale))
    }
}

/// The greatest common divisor.
pub(crate) const fn gcd(mut one: u64, mut other: u64) -> u64 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// A choice, and its value on this path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ChoiceNode {
    /// A random choice of a processor; otherwise the scheduler chooses.
    pub(crate) random: bool,
    pub(crate) value: u32,
    bound: u32,
    /// Of this value; certain if the scheduler chooses.
    probability: ChoiceProbability,
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
        if bound <= 1 { 0 } else { self.next(bound, false, |_| ChoiceProbability::CERTAIN) }
    }

    /// The scheduler chooses between no and yes.
    pub(crate) fn scheduler_bool(&mut self) -> bool {
        self.scheduler_choice(2) == 1
    }

    /// A processor draws from `0..bound`. A draw of one value is recorded, since the simulator asks for it too.
    pub(crate) fn random_choice(&mut self, bound: u32) -> u32 {
        self.next(bound.max(1), true, |_| ChoiceProbability::one_of(bound.max(1)))
    }

    /// A random choice between so many outcomes with these probabilities. A single outcome is no choice.
    pub(crate) fn random_outcome(&mut self, count: u32, probability: impl FnOnce(u32) -> ChoiceProbability) -> u32 {
        if count <= 1 { 0 } else { self.next(count, true, probability) }
    }

    fn next(&mut self, bound: u32, random: bool, probability: impl FnOnce(u32) -> ChoiceProbability) -> u32 {
        if self.used == self.points.len() {
            self.points.push(ChoiceNode { random, value: 0, bound, probability: ChoiceProbability::CERTAIN });
        }
        let node = &mut self.points[self.used];
        node.probability = probability(node.value);
        self.used += 1;
        node.value
    }
}

/// A leaf of a choice tree: the choices on the path there, and the result.
pub(crate) struct ChoiceLeaf<T> {
    pub(crate) points: Vec<ChoiceNode>,
    pub(crate) result: T,
}

impl<T> ChoiceLeaf<T> {
    /// The probability of its random choices.
    pub(crate) fn probability(&self) -> ChoiceProbability {
        self.points.iter().fold(ChoiceProbability::CERTAIN, |product, point| product.times(point.probability))
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
        assert!(leaves.iter().all(|leaf| leaf.probability() == ChoiceProbability::one_of(2)));
    }

    #[test]
    fn probabilities_are_in_lowest_terms() {
        let of = |numerator, denominator| ChoiceProbability { numerator, denominator };
        assert_eq!(of(3, 4).times(of(2, 9)), of(1, 6));
        assert_eq!(of(1, 6).plus(of(3, 10)), of(7, 15));
        assert_eq!(of(1, 3).plus(of(2, 3)), ChoiceProbability::CERTAIN);
        // 2^-32 does not fit, and what is multiplied by it does not either.
        let small = of(1, 1 << 31).times(of(1, 2));
        assert_eq!(small, ChoiceProbability::UNREPRESENTABLE);
        assert_eq!(of(1, 2).times(small), ChoiceProbability::UNREPRESENTABLE);
        assert_eq!(small.times(of(1, 2)), ChoiceProbability::UNREPRESENTABLE);
        assert_eq!(of(1, 2).plus(small), ChoiceProbability::UNREPRESENTABLE);
        assert_eq!(small.plus(of(1, 2)), ChoiceProbability::UNREPRESENTABLE);
        // Products of terms that fit 32 bits cannot overflow 64 bits.
        let close = of(u32::MAX - 1, u32::MAX);
        assert_eq!(close.times(close), ChoiceProbability::UNREPRESENTABLE);
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
