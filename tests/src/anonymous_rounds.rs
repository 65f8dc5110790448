//! The exact mean cost of Itai and Rodeh's elections: every draw that there is, written from the papers and not from
//! our protocols' files.
//!
//! How many candidates a round leaves depends on nothing but how many there were. So an election is a walk over numbers of
//! candidates, down to 1, and its mean cost is a matter of adding fractions.

use crate::vitanyi_bounds::Fraction;

/// For every number of candidates, what a round makes of them.
pub struct Rounds {
    /// By the number of candidates; those below 2 are never used.
    outcomes: Vec<Outcomes>,
}

/// The equally likely draws of some candidates, counted by the number of candidates they leave.
struct Outcomes {
    draws: u128,
    left: Vec<u128>,
}

impl Rounds {
    /// The asynchronous election: all draw from `ids` identities, and those with the greatest are left.
    pub fn of_the_greatest(n: usize, ids: usize) -> Self {
        Self::counted(
            n,
            |_| ids,
            |draw| {
                let greatest = draw.iter().max();
                draw.iter().filter(|&id| Some(id) == greatest).count()
            },
        )
    }

    /// The synchronous one: each of a candidates marks itself with probability 1/a, and the marked are left, or all if none
    /// is marked.
    pub fn of_the_marked(n: usize) -> Self {
        Self::counted(
            n,
            |a| a,
            |draw| match draw.iter().filter(|&&drawn| drawn == 0).count() {
                0 => draw.len(),
                marked => marked,
            },
        )
    }

    fn counted(n: usize, values: impl Fn(usize) -> usize, left: impl Fn(&[usize]) -> usize) -> Self {
        let count = |a: usize| {
            let mut outcomes = Outcomes { draws: 0, left: vec![0; a + 1] };
            for draw in draws(a, values(a)) {
                outcomes.draws += 1;
                outcomes.left[left(&draw)] += 1;
            }
            outcomes
        };
        Self {
            outcomes: (0..=n).map(|a| if a < 2 { Outcomes { draws: 1, left: Vec::new() } } else { count(a) }).collect(),
        }
    }

    /// The probability that `left` of `a` candidates are left.
    pub fn chance(&self, a: usize, left: usize) -> Fraction {
        Fraction::new(self.outcomes[a].left[left], self.outcomes[a].draws)
    }

    /// The mean cost of an election among n, where `cost` is the mean cost of a round of `a` candidates.
    pub fn mean(&self, cost: impl Fn(usize) -> Fraction) -> Fraction {
        let n = self.outcomes.len() - 1;
        let mut means = vec![Fraction::new(0, 1); n + 1];
        if n == 1 {
            return cost(1);
        }
        // mean(a) = cost(a) + sum over m from 2 to a of chance(a, m) mean(m), solved for mean(a).
        for a in 2..=n {
            let Outcomes { draws, left } = &self.outcomes[a];
            let fewer = (2..a).fold(cost(a).times(*draws), |sum, m| sum.plus(means[m].times(left[m])));
            means[a] = fewer.over(draws - left[a]);
        }
        means[n]
    }

    /// The mean number of rounds.
    pub fn mean_rounds(&self) -> Fraction {
        self.mean(|_| Fraction::new(1, 1))
    }

    /// The mean of the square of the number of rounds.
    pub fn mean_square(&self) -> Fraction {
        // (1 + T)² = 1 + 2T + T², where T is what is still to come after this round: mean T is mean(a) - 1.
        self.mean(|a| {
            let mean = self.starting_with(a).mean_rounds();
            Fraction::new(2 * mean.numerator - mean.denominator, mean.denominator)
        })
    }

    fn starting_with(&self, a: usize) -> Self {
        let copy = |outcomes: &Outcomes| Outcomes { draws: outcomes.draws, left: outcomes.left.clone() };
        Self { outcomes: self.outcomes[..=a].iter().map(copy).collect() }
    }
}

/// All sequences of `count` draws from `values` values.
pub fn draws(count: usize, values: usize) -> Vec<Vec<usize>> {
    let longer = |all: Vec<Vec<usize>>, _| {
        let with = |draw: &Vec<usize>, value| draw.iter().copied().chain([value]).collect();
        all.iter().flat_map(|draw| (0..values).map(move |value| with(draw, value))).collect()
    };
    (0..count).fold(vec![Vec::new()], longer)
}

/// The passes of one asynchronous round: who takes part has drawn something, and its token goes as far as the next who has
/// drawn more, or traverses the ring.
pub fn passes(ring: &[Option<u64>]) -> u64 {
    let n = ring.len();
    let distance = |from: usize| {
        let greater = |far: &usize| ring[(from + far) % n].is_some_and(|other| Some(other) > ring[from]);
        (1..n).find(greater).unwrap_or(n) as u64
    };
    (0..n).filter(|&place| ring[place].is_some()).map(distance).sum()
}

/// The mean of [`passes`] over all places that `a` candidates of a ring can have and all that they can draw.
pub fn mean_passes(n: usize, a: usize, ids: usize) -> Fraction {
    let mut sum = 0;
    let mut count = 0;
    for places in (0u32..1 << n).filter(|places| places.count_ones() as usize == a) {
        for draw in draws(a, ids) {
            let mut drawn = draw.iter().map(|&id| id as u64);
            let ring: Vec<_> = (0..n).map(|place| (places >> place & 1 == 1).then(|| drawn.next()).flatten()).collect();
            sum += u128::from(passes(&ring));
            count += 1;
        }
    }
    Fraction::new(sum, count)
}

/// A fraction as a number, for statistics.
pub fn real(fraction: Fraction) -> f64 {
    fraction.numerator as f64 / fraction.denominator as f64
}

/// What was counted in many elections among n.
pub struct Sample {
    runs: usize,
    rounds: u64,
    passes: u64,
    squares: u64,
    /// The number of rounds, by the candidates before and after.
    left: Vec<Vec<usize>>,
}

impl Sample {
    /// Nothing was counted yet.
    pub fn new(n: usize) -> Self {
        Self { runs: 0, rounds: 0, passes: 0, squares: 0, left: vec![vec![0; n + 1]; n + 1] }
    }

    /// One election more: how many candidates there were in each round, the leader last, and what it cost.
    pub fn add(&mut self, candidates: &[usize], passes: u64) {
        self.runs += 1;
        self.rounds += candidates.len() as u64 - 1;
        self.passes += passes;
        self.squares += passes * passes;
        for pair in candidates.windows(2) {
            self.left[pair[0]][pair[1]] += 1;
        }
    }

    /// Demands that success of a round, number of rounds and passes are what they must be.
    #[track_caller]
    pub fn demand(&self, right: &Rounds, mean_passes: f64) {
        let runs = self.runs as f64;
        let mean = real(right.mean_rounds());
        demand_mean("rounds", self.rounds as f64 / runs, mean, real(right.mean_square()) - mean * mean, self.runs);
        let passes = self.passes as f64 / runs;
        demand_mean("passes", passes, mean_passes, self.squares as f64 / runs - passes * passes, self.runs);
        for (a, left) in self.left.iter().enumerate().skip(2) {
            let tried: usize = left.iter().sum();
            for (m, &count) in left.iter().enumerate().take(a + 1).skip(1) {
                let chance = real(right.chance(a, m));
                let measured = count as f64 / tried as f64;
                demand_mean(&format!("{m} left of {a}"), measured, chance, chance * (1.0 - chance), tried);
            }
        }
    }
}

/// A mean over many runs must lie within four standard errors of what is right, which chance alone leaves once in sixteen
/// thousand times.
#[track_caller]
fn demand_mean(what: &str, measured: f64, mean: f64, variance: f64, runs: usize) {
    let error = (variance / runs as f64).sqrt();
    let off = (measured - mean) / error;
    assert!(off.abs() <= 4.0, "{what}: {measured} where {mean} is right, {off:.1} standard errors of {error} off");
}
