//! Linear equations of a chain, solved exactly.

use std::collections::{BTreeMap, BTreeSet};

use num_rational::BigRational;
use num_traits::{One, Zero};

/// Equations of a chain: each unknown is a sum of parts of unknowns and a constant, and all parts together are less than
/// one somewhere on every way around.
pub(super) struct Equations {
    constants: Vec<BigRational>,
    /// By unknown, the parts of others in it.
    parts: Vec<BTreeMap<u32, BigRational>>,
    /// By unknown, in which others it has a part.
    users: Vec<BTreeSet<u32>>,
}

impl Equations {
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

    pub(super) fn lead(&mut self, at: usize, to: u32, weight: BigRational) {
        *self.parts[at].entry(to).or_default() += weight;
        self.users[to as usize].insert(at as u32);
    }

    /// How many parts come into being at most when an unknown is eliminated.
    fn effort(&self, unknown: u32) -> usize {
        self.parts[unknown as usize].len() * self.users[unknown as usize].len()
    }

    /// Eliminates one unknown after the other, the easiest first, and puts in what each comes to in the opposite order.
    pub(super) fn solved(mut self) -> Vec<BigRational> {
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
            for (&other, part) in &self.parts[unknown] {
                value += part * &self.constants[other as usize];
            }
            self.constants[unknown] = value;
        }
        self.constants
    }

    /// Puts what an unknown is in its place wherever it has a part; says whose parts and users that changes.
    fn eliminate(&mut self, unknown: u32) -> BTreeSet<u32> {
        let users = core::mem::take(&mut self.users[unknown as usize]);
        let mut parts = core::mem::take(&mut self.parts[unknown as usize]);
        if let Some(own) = parts.remove(&unknown) {
            let rest = BigRational::one() - own;
            for part in parts.values_mut() {
                *part /= &rest;
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
            for (&to, part) in &parts {
                *self.parts[user as usize].entry(to).or_default() += &weight * part;
                self.users[to as usize].insert(user);
            }
            let constant = weight * &self.constants[unknown as usize];
            self.constants[user as usize] += constant;
        }
        self.parts[unknown as usize] = parts;
        touched
    }
}
