//! Everything that is left open, gone through in all ways: what the world decides, and how coins fall.

/// Something that was left open, and how it came out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Throw {
    /// A coin of a processor's; else the world decides.
    pub(crate) coin: bool,
    pub(crate) value: u32,
    bound: u32,
}

/// Answers from a script, and 0 beyond it.
#[derive(Default)]
pub(crate) struct Dice {
    throws: Vec<Throw>,
    made: usize,
}

impl Dice {
    /// The world decides between `0..bound`; what leaves no choice is not asked.
    pub(crate) fn decide(&mut self, bound: u32) -> u32 {
        if bound <= 1 { 0 } else { self.throw(bound, false) }
    }

    /// The world says yes or no.
    pub(crate) fn decides(&mut self) -> bool {
        self.decide(2) == 1
    }

    /// A processor draws from `0..bound`. This is kept even if it leaves no choice, since whoever takes the course again asks.
    pub(crate) fn toss(&mut self, bound: u32) -> u32 {
        self.throw(bound.max(1), true)
    }

    /// How many answers were given.
    pub(crate) fn tossed(&self) -> usize {
        self.made
    }

    /// How coins have fallen since so many answers were given.
    pub(crate) fn coins_since(&self, tossed: usize) -> impl Iterator<Item = u32> {
        self.throws[tossed..self.made].iter().filter(|throw| throw.coin).map(|throw| throw.value)
    }

    fn throw(&mut self, bound: u32, coin: bool) -> u32 {
        if self.made == self.throws.len() {
            self.throws.push(Throw { coin, value: 0, bound });
        }
        self.made += 1;
        self.throws[self.made - 1].value
    }
}

/// A course that things can take.
pub(crate) struct Leaf<T> {
    pub(crate) throws: Vec<Throw>,
    pub(crate) end: T,
}

impl<T> Leaf<T> {
    /// Coins fall like this once in so many times.
    pub(crate) fn odds(&self) -> u32 {
        self.throws.iter().filter(|throw| throw.coin).fold(1, |odds: u32, throw| odds.saturating_mul(throw.bound))
    }

    pub(crate) fn coins(&self) -> impl Iterator<Item = u32> {
        self.throws.iter().filter(|throw| throw.coin).map(|throw| throw.value)
    }
}

/// Every course, in the order of the answers.
pub(crate) fn every<T>(mut run: impl FnMut(&mut Dice) -> T) -> Vec<Leaf<T>> {
    let mut leaves = Vec::new();
    let mut dice = Dice::default();
    loop {
        let end = run(&mut dice);
        let mut throws = dice.throws;
        throws.truncate(dice.made);
        leaves.push(Leaf { throws: throws.clone(), end });
        // The last answer that can still grow does.
        while let Some(mut last) = throws.pop() {
            if last.value + 1 < last.bound {
                last.value += 1;
                throws.push(last);
                break;
            }
        }
        if throws.is_empty() {
            return leaves;
        }
        dice = Dice { throws, made: 0 };
    }
}

/// The events among all courses: each is what the world decides, with one course for every way in which coins may fall. Where
/// the world decides after a coin has fallen it may decide differently for each side of it. `None` if there are too many.
pub(crate) fn events<T>(leaves: &[Leaf<T>]) -> Option<Vec<Vec<usize>>> {
    below(leaves, 0..leaves.len(), 0)
}

/// The most events of an instant that are gone through.
const MOST: usize = 1 << 16;

fn below<T>(leaves: &[Leaf<T>], range: core::ops::Range<usize>, depth: usize) -> Option<Vec<Vec<usize>>> {
    let Some(&Throw { coin, .. }) = leaves[range.start].throws.get(depth) else { return Some(vec![range.collect()]) };
    let mut sides = Vec::new();
    let mut from = range.start;
    while from < range.end {
        let value = leaves[from].throws[depth].value;
        let same = leaves[from..range.end].iter().take_while(|leaf| leaf.throws[depth].value == value).count();
        sides.push(below(leaves, from..from + same, depth + 1)?);
        from += same;
    }
    if !coin {
        return Some(sides.concat());
    }
    sides.iter().try_fold(1, |product: usize, side| Some(product * side.len()).filter(|&product| product <= MOST))?;
    let one_of_each = |events: Vec<Vec<usize>>, side: Vec<Vec<usize>>| {
        events.iter().flat_map(|event| side.iter().map(|other| [&event[..], other].concat())).collect()
    };
    Some(sides.into_iter().reduce(one_of_each).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_world_may_decide_differently_for_each_side_of_a_coin() {
        let leaves = every(|dice| {
            let before = dice.decide(2);
            let coin = dice.toss(2);
            (before, coin, if coin == 1 { dice.decide(3) } else { 0 })
        });
        let ends: Vec<_> = leaves.iter().map(|leaf| leaf.end).collect();
        assert_eq!(ends[..4], [(0, 0, 0), (0, 1, 0), (0, 1, 1), (0, 1, 2)]);
        assert_eq!(events(&leaves).expect("they are few")[..4], [vec![0, 1], vec![0, 2], vec![0, 3], vec![4, 5]]);
        assert!(leaves.iter().all(|leaf| leaf.odds() == 2));
    }

    #[test]
    fn what_a_coin_of_many_sides_leaves_open_can_be_too_much() {
        let decided_after =
            |sides| events(&every(|dice| (dice.toss(sides), dice.decide(2)))).map(|events| events.len());
        assert_eq!(decided_after(16), Some(1 << 16));
        assert_eq!(decided_after(17), None);
    }
}
