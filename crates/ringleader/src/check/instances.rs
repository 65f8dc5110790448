//! The instances of a check up to symmetry: all orders of identities and all orientations, one of those that a symmetry of the
//! network makes the same.

use std::fmt;
use std::str::FromStr;

use ringleader_model::{BadSetting, BadText, PortUse, Ports, Topology, digits, exchanged};
use schemars::JsonSchema;
use serde::Serialize;

/// The order of identities, and the orientation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Arrangement {
    /// Identities by place; empty where there are none.
    pub ids: Vec<u64>,
    /// By place; empty where nobody's are exchanged.
    pub orientation: Vec<bool>,
}

/// The common properties of all instances.
#[derive(Clone, Debug)]
pub struct Family {
    /// The network.
    pub topology: Topology,
    /// The number of processors.
    pub n: usize,
    /// The identities, in one order: this one, or each.
    pub ids: Vec<u64>,
    /// Whether only in this order.
    pub ordered: bool,
    /// The orientations explored.
    pub orientations: Orientations,
    /// Whether the protocol treats its ports alike.
    pub ports_alike: bool,
    /// On a complete network, the numberings of ports that the answer is about; `None` elsewhere.
    pub numberings: Option<PortCoverage>,
    /// By place, what else tells it from others: what happens to it, and its role in the protocol.
    pub marks: Vec<(u64, u32)>,
}

/// The numberings of the ports of a complete network that an answer is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PortCoverage {
    /// All of them, each port resolved when it is used.
    All,
    /// All of them: one was explored, since the protocol treats its ports alike.
    Alike,
    /// The only one that the protocol has.
    Given,
    /// One of many: another may have other schedules and a worse worst case.
    One,
}

impl PortCoverage {
    /// Of a check of `n` processors that explores these ports.
    pub(crate) fn new(port_use: PortUse, ports: &Ports, n: usize) -> Self {
        match (ports, port_use) {
            (Ports::All, _) => Self::All,
            // A processor with one port has one numbering.
            (_, PortUse::Numbered) if n <= 2 => Self::All,
            (_, PortUse::Alike(_)) => Self::Alike,
            (_, PortUse::Given(_)) => Self::Given,
            (_, PortUse::Numbered) => Self::One,
        }
    }
}

/// The orientations of a bidirectional ring.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Orientations {
    /// All of them.
    All,
    /// Just this one.
    One(Vec<bool>),
}

impl FromStr for Orientations {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        match text.trim() {
            "all" => Ok(Self::All),
            "same" => Ok(Self::One(Vec::new())),
            text => exchanged(text)
                .map(Self::One)
                .ok_or_else(|| BadText::new(format!("is '{text}'"), "all, same or digits like 0110")),
        }
    }
}

impl fmt::Display for Orientations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::One(one) if one.is_empty() => f.write_str("same"),
            Self::One(one) => f.write_str(&digits(one)),
        }
    }
}

/// More instances than anybody waits for.
const MOST: u128 = 1_000_000;

/// A way to put every place in another's stead that keeps the network as it is.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Symmetry {
    /// By place: where what is there goes.
    to: Vec<usize>,
    /// Whether left becomes right.
    mirrors: bool,
}

impl Symmetry {
    fn image(&self, instance: &Arrangement) -> Arrangement {
        let moved = |list: &[u64]| {
            let mut moved = list.to_vec();
            for (from, &value) in list.iter().enumerate() {
                moved[self.to[from]] = value;
            }
            moved
        };
        let exchanged: Vec<u64> =
            instance.orientation.iter().map(|&exchanged| u64::from(exchanged != self.mirrors)).collect();
        Arrangement {
            ids: moved(&instance.ids),
            orientation: moved(&exchanged).into_iter().map(|exchanged| exchanged == 1).collect(),
        }
    }
}

impl Family {
    /// The instances, one of each that a symmetry makes the same.
    pub fn instances(&self) -> Result<Vec<Arrangement>, BadSetting> {
        let symmetries = self.symmetries();
        let orders = if self.ordered { 1 } else { (1..=self.ids.len() as u128).product::<u128>() };
        let orientations = match &self.orientations {
            Orientations::All => 1u128 << self.n.min(64),
            Orientations::One(_) => 1,
        };
        let same = if self.ordered { 1 } else { symmetries.len() as u128 * self.interchangeable() };
        let count = orders.saturating_mul(orientations) / same;
        if count > MOST {
            let wrong = format!("is {}, which has {count} orders and orientations to look at", self.n);
            return Err(BadSetting::new("n", wrong, format!("up to {MOST} of them; --ids for one order")));
        }
        let mut found = Vec::new();
        let mut order = Vec::new();
        self.arrange(&symmetries, &mut order, &mut found);
        Ok(found)
    }

    /// Puts the remaining identities after those that have their places.
    fn arrange(&self, symmetries: &[Symmetry], order: &mut Vec<u64>, found: &mut Vec<Arrangement>) {
        let place = order.len();
        if place == self.ids.len() {
            let least = |instance: &Arrangement| symmetries.iter().all(|symmetry| self.precedes(instance, symmetry));
            found.extend(self.oriented(order).filter(|instance| self.ordered || least(instance)));
            return;
        }
        if self.ordered {
            order.clone_from(&self.ids);
            return self.arrange(symmetries, order, found);
        }
        let mut free: Vec<u64> = self.ids.iter().copied().filter(|id| !order.contains(id)).collect();
        free.sort_unstable();
        // If the ring may be turned at will, the least identity comes first.
        if place == 0 && symmetries.iter().filter(|symmetry| !symmetry.mirrors).count() == self.n {
            free.truncate(1);
        }
        // Places that cannot be told apart have their identities in order.
        let least = if self.exchangeable() {
            (0..place).rev().find(|&before| self.marks[before] == self.marks[place]).map(|before| order[before])
        } else {
            None
        };
        for id in free.into_iter().filter(|&id| least.is_none_or(|least| id > least)) {
            order.push(id);
            self.arrange(symmetries, order, found);
            order.truncate(place);
        }
    }

    /// Whether an instance does not come after the one that a symmetry makes of it.
    fn precedes(&self, instance: &Arrangement, symmetry: &Symmetry) -> bool {
        let image = symmetry.image(instance);
        match self.orientations {
            Orientations::All => *instance <= image,
            Orientations::One(_) => instance.ids <= image.ids,
        }
    }

    fn oriented(&self, order: &[u64]) -> impl Iterator<Item = Arrangement> {
        let orientations = match &self.orientations {
            Orientations::One(one) => vec![one.clone()],
            Orientations::All => {
                (0..1u64 << self.n).map(|bits| (0..self.n).map(|place| bits >> place & 1 == 1).collect()).collect()
            }
        };
        let ids = order.to_vec();
        orientations.into_iter().map(move |orientation| Arrangement { ids: ids.clone(), orientation })
    }

    /// Whether places with the same marks can be exchanged at will.
    fn exchangeable(&self) -> bool {
        matches!(self.numberings, Some(PortCoverage::All | PortCoverage::Alike))
    }

    /// The number of permutations of interchangeable places.
    fn interchangeable(&self) -> u128 {
        if !self.exchangeable() {
            return 1;
        }
        let alike = |place: usize| self.marks[..=place].iter().filter(|mark| **mark == self.marks[place]).count();
        (0..self.n).map(|place| alike(place) as u128).product()
    }

    /// The symmetries of the network that keep all that is fixed. On a complete network whose ports are numbered in the
    /// order of places there are none but that of two places; [`exchangeable`](Self::exchangeable) ones are counted apart.
    fn symmetries(&self) -> Vec<Symmetry> {
        let n = self.n;
        let turned = |by: usize| Symmetry { to: (0..n).map(|place| (place + by) % n).collect(), mirrors: false };
        let mirrored = |by: usize| Symmetry { to: (0..n).map(|place| (n - place + by) % n).collect(), mirrors: true };
        let all: Vec<Symmetry> = match self.topology {
            Topology::Ring => (0..n).map(turned).collect(),
            Topology::BidirectionalRing => (0..n).map(turned).chain((0..n).map(mirrored)).collect(),
            Topology::Complete if n == 2 && !self.exchangeable() => (0..n).map(turned).collect(),
            Topology::Complete => vec![turned(0)],
        };
        let mut kept: Vec<Symmetry> = Vec::new();
        for symmetry in all {
            let marks = (0..n).all(|place| self.marks[symmetry.to[place]] == self.marks[place]);
            let oriented = match &self.orientations {
                Orientations::One(one) => {
                    // Nobody's exchanged is the same as an empty list.
                    let orientation = if one.is_empty() { vec![false; n] } else { one.clone() };
                    let instance = Arrangement { ids: Vec::new(), orientation };
                    symmetry.image(&instance) == instance
                }
                Orientations::All => true,
            };
            // If orientation is no part of an instance, a reflection may equal a rotation.
            let part = self.orientations == Orientations::All;
            let new = kept.iter().all(|other| other.to != symmetry.to || part && other.mirrors != symmetry.mirrors);
            if marks && oriented && new {
                kept.push(symmetry);
            }
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn family(topology: Topology, n: usize) -> Family {
        Family {
            topology,
            n,
            ids: (1..=n as u64).collect(),
            ordered: false,
            orientations: Orientations::One(Vec::new()),
            ports_alike: true,
            numberings: (topology == Topology::Complete).then_some(PortCoverage::Alike),
            marks: vec![(0, 0); n],
        }
    }

    fn count(family: &Family) -> usize {
        family.instances().expect("there are not too many").len()
    }

    /// The instances that the symmetries make of the chosen ones are all there are, each made once.
    fn covers(family: &Family) {
        let symmetries = family.symmetries();
        let mut all = Vec::new();
        for instance in family.instances().expect("there are not too many") {
            all.extend(symmetries.iter().map(|symmetry| symmetry.image(&instance)));
        }
        let made = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), made, "some are made twice: {family:?}");
        let numberings = Some(PortCoverage::One);
        let every = Family { topology: Topology::Complete, numberings, ordered: false, ..family.clone() };
        let every: usize = if family.n == 2 { 2 * count(&every) } else { count(&every) };
        assert_eq!(made, every, "{family:?}");
    }

    #[test]
    fn rings_are_turned_and_mirrored() {
        // (n-1)! up to rotation; a mirror would exchange everybody's left and right.
        for topology in [Topology::Ring, Topology::BidirectionalRing] {
            assert_eq!([1, 2, 3, 4, 5].map(|n| count(&family(topology, n))), [1, 1, 2, 6, 24]);
        }
        // (n-1)! 2^n orders and orientations, half as many up to reflection.
        let all = |n| Family {
            orientations: Orientations::All,
            ports_alike: false,
            ..family(Topology::BidirectionalRing, n)
        };
        assert_eq!([1, 2, 3, 4].map(|n| count(&all(n))), [1, 2, 8, 48]);
        for n in 2..=5 {
            covers(&family(Topology::Ring, n));
            covers(&all(n));
        }
    }

    #[test]
    fn what_tells_places_apart_is_kept() {
        let one = Family { marks: [1, 0, 0, 0].map(|role| (0, role)).to_vec(), ..family(Topology::Ring, 4) };
        assert_eq!(count(&one), 24, "who wakes is fixed: no turn is left");
        let opposite = Family { marks: [1, 0, 1, 0].map(|role| (0, role)).to_vec(), ..family(Topology::Ring, 4) };
        assert_eq!(count(&opposite), 12);
        covers(&one);
        covers(&opposite);
        let same = Family { ports_alike: false, ..family(Topology::BidirectionalRing, 4) };
        assert_eq!(count(&same), 6);
        let digits = vec![false, true, true, false];
        let fixed = Family { orientations: Orientations::One(digits), ..same };
        assert_eq!(count(&fixed), 12, "only the mirror that exchanges both pairs is left");
        let given = Family { ordered: true, orientations: Orientations::All, ..fixed };
        assert_eq!(count(&given), 16);
    }

    #[test]
    fn sites_that_ask_all_others_alike_can_be_exchanged() {
        assert_eq!(count(&family(Topology::Complete, 5)), 1);
        let two_of_four =
            Family { marks: [1, 1, 0, 0].map(|mark| (mark, 0)).to_vec(), ..family(Topology::Complete, 4) };
        assert_eq!(count(&two_of_four), 6);
        let by_port = |n| Family { numberings: Some(PortCoverage::One), ..family(Topology::Complete, n) };
        assert_eq!([1, 2, 3, 4].map(|n| count(&by_port(n))), [1, 1, 6, 24]);
        // With all numberings every permutation of places leads from one order to another.
        let all = |n| Family { numberings: Some(PortCoverage::All), ..family(Topology::Complete, n) };
        assert_eq!([1, 2, 3, 4].map(|n| count(&all(n))), [1; 4]);
        let marked = Family { marks: [1, 1, 0, 0].map(|mark| (mark, 0)).to_vec(), ..all(4) };
        assert_eq!(count(&marked), 6);
    }

    #[test]
    fn nobody_has_identities() {
        let anonymous = Family { ids: Vec::new(), ..family(Topology::Ring, 6) };
        assert_eq!(anonymous.instances(), Ok(vec![Arrangement { ids: Vec::new(), orientation: Vec::new() }]));
    }

    #[test]
    fn too_many_are_refused() {
        let bad = family(Topology::Ring, 12).instances().expect_err("11! are too many");
        assert_eq!(bad.field, "n");
        assert!(bad.wrong.contains("39916800"), "{}", bad.wrong);
        assert!(family(Topology::Complete, 20).instances().is_ok(), "they are all the same");
    }
}
