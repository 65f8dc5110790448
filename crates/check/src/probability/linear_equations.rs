//! Linear equations of a Markov chain, solved exactly by sparse Gaussian elimination.

use std::collections::{BTreeMap, BTreeSet};

use num_rational::BigRational;
use num_traits::{One, Zero};

/// Equations x = Ax + b of a Markov chain: A has no negative entries, its rows sum to at most 1, and from every unknown
/// one is reachable whose row sums to less. So A is substochastic with spectral radius below 1, I - A is invertible,
/// and so is each of its principal submatrices: no pivot is 0.
pub(super) struct LinearEquations {
    constants: Vec<BigRational>,
    /// By unknown: its row of A.
    parts: Vec<BTreeMap<u32, BigRational>>,
    /// By unknown: the rows in which it occurs.
    users: Vec<BTreeSet<u32>>,
}

impl LinearEquations {
    pub(super) fn new(count: usize) -> Self {
        Self {
            constants: vec![BigRational::zero(); count],
            parts: vec![BTreeMap::new(); count],
            users: vec![BTreeSet::new(); count],
        }
    }

    pub(super) fn add(&mut self, at: usize, constant: BigRational) {
        self.constants[at] += constant;
    }

    pub(super) fn add_term(&mut self, at: usize, to: u32, weight: BigRational) {
        *self.parts[at].entry(to).or_default() += weight;
        self.users[to as usize].insert(at as u32);
    }

    /// An upper bound on the number of entries that eliminating an unknown creates: the Markowitz count.
    fn effort(&self, unknown: u32) -> usize {
        self.parts[unknown as usize].len() * self.users[unknown as usize].len()
    }

    /// Eliminates the unknowns, those with the lowest Markowitz count first, then substitutes back.
    pub(super) fn solve(mut self) -> Vec<BigRational> {
        let count = self.parts.len() as u32;
        let mut efforts: Vec<usize> = (0..count).map(|unknown| self.effort(unknown)).collect();
        let mut queue: BTreeSet<_> = efforts.iter().copied().zip(0..).collect();
        let mut order = Vec::with_capacity(efforts.len());
        while let Some((_, unknown)) = queue.pop_first() {
            order.push(unknown as usize);
            for other in self.eliminate(unknown) {
                let effort = self.effort(other);
                queue.remove(&(efforts[other as usize], other));
                queue.insert((effort, other));
                efforts[other as usize] = effort;
            }
        }
        for &unknown in order.iter().rev() {
            let mut value = core::mem::take(&mut self.constants[unknown]);
            for (&other, coefficient) in &self.parts[unknown] {
                value += coefficient * &self.constants[other as usize];
            }
            self.constants[unknown] = value;
        }
        self.constants
    }

    /// Substitutes an unknown everywhere; returns the unknowns whose Markowitz count may have changed.
    fn eliminate(&mut self, unknown: u32) -> BTreeSet<u32> {
        let users = core::mem::take(&mut self.users[unknown as usize]);
        let mut parts = core::mem::take(&mut self.parts[unknown as usize]);
        if let Some(own) = parts.remove(&unknown) {
            let rest = BigRational::one() - own;
            for coefficient in parts.values_mut() {
                *coefficient /= &rest;
            }
            self.constants[unknown as usize] /= rest;
        }
        for &to in parts.keys() {
            self.users[to as usize].remove(&unknown);
        }
        let mut touched: BTreeSet<u32> = parts.keys().copied().collect();
        for user in users.into_iter().filter(|&user| user != unknown) {
            touched.insert(user);
            let weight = self.parts[user as usize].remove(&unknown).expect("it uses it");
            for (&to, coefficient) in &parts {
                *self.parts[user as usize].entry(to).or_default() += &weight * coefficient;
                self.users[to as usize].insert(user);
            }
            let constant = weight * &self.constants[unknown as usize];
            self.constants[user as usize] += constant;
        }
        self.parts[unknown as usize] = parts;
        touched
    }
}
