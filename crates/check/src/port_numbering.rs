//! All numberings of the ports of a complete network, resolved lazily.
//!
//! A numbering of the ports of a place is a bijection between its ports and its neighbours. A search that explores all
//! numberings does not choose one in the initial state, of which there would be ((n-1)!)ⁿ: a local state holds a
//! [`PartialNumbering`], a set of numberings of its own ports that cannot be told apart by what has happened. It is
//! made smaller, by a choice of the scheduler, only where a step depends on it:
//!
//! - *A message is received* from a neighbour that several ports may lead to. If the step has the same outcomes by all
//!   of these ports, nothing is learnt, and nothing is chosen. Otherwise one of them is chosen.
//! - *Messages are sent* by ports that may lead to several neighbours. The ports of a class by which the same messages
//!   are sent stay a class; the neighbours of the class are distributed among the new ones, in every way.
//!
//! A state stands for its runs under all numberings that it holds. By induction over a run: each of these numberings
//! has the run, up to which of its equal steps is taken, and every run under any numbering ends in a state that holds
//! that numbering. So a state is reachable if and only if it is under some numbering, with as many steps and messages;
//! enabled events, and so deadlocks and pending obligations, do not depend on the numbering. On a cycle nothing more is
//! learnt, so that a lasso is one of a single numbering. A choice of the numbering comes before the random choices of
//! its step, since a numbering is fixed before a run: each is an action of its own. It concerns only the acting place,
//! so that independence is as before.
//!
//! # Renaming
//! A protocol can say of a processor that it will not tell its ports apart any more
//! ([`Inspect::rename_ports`](ringleader_model::Inspect::rename_ports)). Its ports are then renamed after the ranks of
//! the neighbours, and the state holds all numberings again: the relation between a processor and one with its ports
//! renamed, the numbering with it, is a bisimulation. It is done only if the result is the same for all numberings that
//! the state holds, where reductions are enabled, and not if invariants are judged, which see ports. With clocks the order
//! of messages that arrive together is that of their ports; if it turns out to matter to a processor whose ports were
//! renamed (two leaders announce themselves at the same instant), the search is repeated without renaming.
//!
//! Messages are kept by link, that is by place and neighbour: only a step knows ports. A neighbour is named by its
//! *rank*, the port that leads to it in the plain numbering.

use ringleader_model::{Place, Port, Ports};

use crate::choices::ChoicePath;
use crate::interner::Interned;
use crate::program::Program;

/// A set of numberings of the ports of one place: classes of ports, and for each class the neighbours to which its
/// ports lead, in any order. A class is named by its least port.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct PartialNumbering {
    /// By port its class, then by rank of a neighbour its class; empty if the numbering is fixed: each port leads to the
    /// neighbour of its rank.
    classes: Box<[u8]>,
    /// The ports of the processor have been renamed after the ranks of its neighbours.
    renamed: bool,
}

/// The greatest number of ports whose numberings are explored.
pub(crate) const MAX_PORTS: u32 = 255;

impl PartialNumbering {
    /// All numberings of this number of ports.
    pub(crate) fn all(ports: u32) -> Self {
        debug_assert!(ports <= MAX_PORTS);
        Self { classes: vec![0; 2 * ports as usize].into(), renamed: false }
    }

    /// True if each port leads to the neighbour of its rank, and nothing is chosen.
    pub(crate) fn is_fixed(&self) -> bool {
        self.classes.is_empty()
    }

    /// True if the ports of the processor have been renamed after the ranks of its neighbours.
    pub(crate) fn is_renamed(&self) -> bool {
        self.renamed
    }

    /// The processor with its ports renamed, if it does not tell them apart any more.
    pub(crate) fn rename(&self, program: &mut dyn Program, processor: Interned) -> Option<(Interned, Self)> {
        if self.is_fixed() {
            return None;
        }
        let full = |numbering: &Self| -> Vec<u32> {
            (0..numbering.classes.len() as u32 / 2).map(|port| numbering.neighbour(Port(port)).0).collect()
        };
        let renamed = program.with_renamed_ports(processor, &full(self))?;
        let ports: Vec<u32> = (0..self.classes.len() as u32 / 2).collect();
        let all = self.split(&ports);
        let same = all.iter().all(|one| program.with_renamed_ports(processor, &full(one)) == Some(renamed));
        same.then(|| (renamed, Self { classes: Box::default(), renamed: true }))
    }

    fn halves(&self) -> (&[u8], &[u8]) {
        self.classes.split_at(self.classes.len() / 2)
    }

    /// The ports that may lead to a neighbour, in order.
    pub(crate) fn candidates(&self, rank: u32) -> Vec<u32> {
        if self.is_fixed() {
            return vec![rank];
        }
        let (ports, neighbours) = self.halves();
        (0..).zip(ports).filter(|&(_, class)| *class == neighbours[rank as usize]).map(|(port, _)| port).collect()
    }

    /// The neighbour to which a port leads: one for each port, in one of the numberings. A port that does not exist
    /// leads to itself.
    pub(crate) fn neighbour(&self, port: Port) -> Port {
        let (ports, neighbours) = self.halves();
        let Some(&class) = ports.get(port.0 as usize) else { return port };
        let index = ports[..port.0 as usize].iter().filter(|&&other| other == class).count();
        let mut alike = (0..).zip(neighbours).filter(|&(_, &other)| other == class);
        Port(alike.nth(index).expect("a class has as many neighbours as ports").0)
    }

    /// The neighbours to which a port may lead, in order.
    fn targets(&self, port: Port) -> Vec<u32> {
        let (ports, neighbours) = self.halves();
        let class = ports.get(port.0 as usize);
        (0..).zip(neighbours).filter(|&(_, other)| Some(other) == class).map(|(rank, _)| rank).collect()
    }

    /// The scheduler chooses the neighbour to which a port leads.
    pub(crate) fn choose_neighbour(&mut self, port: Port, choices: &mut ChoicePath) -> Port {
        let targets = self.targets(port);
        if targets.is_empty() {
            return port;
        }
        let rank = targets[choices.scheduler_choice(targets.len() as u32) as usize];
        *self = self.assign(port.0, rank);
        Port(rank)
    }

    /// The scheduler chooses the port that leads to a neighbour.
    pub(crate) fn choose_port(&mut self, rank: u32, choices: &mut ChoicePath) -> u32 {
        let candidates = self.candidates(rank);
        let port = candidates[choices.scheduler_choice(candidates.len() as u32) as usize];
        if !self.is_fixed() {
            *self = self.assign(port, rank);
        }
        port
    }

    /// Those in which a port leads to a neighbour: a candidate.
    pub(crate) fn assign(&self, port: u32, rank: u32) -> Self {
        let chosen: Vec<bool> = (0..self.classes.len() as u32 / 2).map(|other| other == port).collect();
        let own = |split: &Self| split.halves().1[rank as usize] == split.halves().0[port as usize];
        self.split(&chosen).into_iter().find(own).expect("the port is a candidate")
    }

    /// Partitions the set: ports with different keys are in different classes, in every way.
    pub(crate) fn split<K: PartialEq>(&self, keys: &[K]) -> Vec<Self> {
        let (ports, neighbours) = self.halves();
        let same = |port: usize, other: usize| ports[other] == ports[port] && keys[other] == keys[port];
        let least = |port: usize| (0..port).find(|&other| same(port, other)).unwrap_or(port) as u8;
        let finer: Vec<u8> = (0..ports.len()).map(least).collect();
        if finer == ports {
            return vec![self.clone()];
        }
        // Neighbours one after the other go to each of the classes that their class is split into and that has room.
        let mut found = vec![Vec::new()];
        for &class in neighbours {
            let mut longer: Vec<Vec<u8>> = Vec::new();
            for before in &found {
                for new in (0..ports.len()).filter(|&port| finer[port] as usize == port && ports[port] == class) {
                    let [size, taken] =
                        [&finer, before].map(|list| list.iter().filter(|&&to| to as usize == new).count());
                    if taken < size {
                        longer.push([&before[..], &[new as u8]].concat());
                    }
                }
            }
            found = longer;
        }
        let numbering =
            |neighbours: &Vec<u8>| Self { classes: [&finer[..], neighbours].concat().into(), renamed: false };
        found.iter().map(numbering).collect()
    }

    /// Partitions the set by the messages that are sent through each port, one list for each outcome of the random
    /// choices.
    pub(crate) fn split_by_sends<M: PartialEq + Copy>(&self, outcomes: &[&[(Port, M)]]) -> Vec<Self> {
        if self.is_fixed() {
            return vec![self.clone()];
        }
        let sent = |port: u32| -> Vec<(usize, M)> {
            let of = |(index, sends): (usize, &&[(Port, M)])| {
                let own = sends.iter().filter(|(by, _)| by.0 == port).map(|&(_, message)| (index, message));
                own.collect::<Vec<_>>()
            };
            outcomes.iter().enumerate().flat_map(of).collect()
        };
        let keys: Vec<_> = (0..self.classes.len() as u32 / 2).map(sent).collect();
        self.split(&keys)
    }
}

/// The numberings under which a run is possible, by place.
#[derive(Debug)]
pub(crate) struct RunNumberings {
    places: Vec<PartialNumbering>,
}

impl RunNumberings {
    /// Before anything has happened.
    pub(crate) fn new(n: usize) -> Self {
        Self { places: vec![PartialNumbering::default(); n] }
    }

    /// The run goes on to a local state of a place that holds these numberings, fewer and fewer. A place that has
    /// crashed, or whose ports have been renamed, keeps those that it had.
    pub(crate) fn add(&mut self, place: usize, numbering: &PartialNumbering) {
        if !numbering.is_fixed() {
            self.places[place].clone_from(numbering);
        }
    }

    /// One of them; `None` if it is fixed.
    pub(crate) fn one(&self) -> Option<FullNumbering> {
        FullNumbering::one_of(&self.places)
    }
}

/// One numbering of all places: those of a counterexample.
#[derive(Clone, Debug)]
pub(crate) struct FullNumbering {
    /// By place and port: the rank of the neighbour.
    ranks: Vec<Vec<u32>>,
}

impl FullNumbering {
    /// One of the numberings that places hold; `None` if they are fixed.
    fn one_of(places: &[PartialNumbering]) -> Option<Self> {
        if places.iter().all(PartialNumbering::is_fixed) {
            return None;
        }
        let ranks = |place: &PartialNumbering| {
            (0..place.classes.len() as u32 / 2).map(|port| place.neighbour(Port(port)).0).collect()
        };
        Some(Self { ranks: places.iter().map(ranks).collect() })
    }

    /// The port of a place that leads to a neighbour.
    pub(crate) fn port(&self, place: Place, rank: u32) -> u32 {
        let ranks = &self.ranks[place as usize];
        ranks.iter().position(|&other| other == rank).map_or(rank, |port| port as u32)
    }

    /// The neighbour of a place to which a port leads.
    pub(crate) fn rank(&self, place: Place, port: Port) -> Port {
        Port(self.ranks[place as usize].get(port.0 as usize).copied().unwrap_or(port.0))
    }

    /// The numbering as part of a scenario.
    pub(crate) fn ports(&self) -> Ports {
        let list =
            |(place, ranks): (Place, &Vec<u32>)| ranks.iter().map(|&rank| rank + u32::from(rank >= place)).collect();
        Ports::Listed((0..).zip(&self.ranks).map(list).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factorial(n: usize) -> usize {
        (1..=n).product()
    }

    /// The bijections that a set holds, by definition: every port leads to a neighbour of its class.
    fn members(numbering: &PartialNumbering, ports: usize) -> Vec<Vec<u32>> {
        let mut found: Vec<Vec<u32>> = vec![Vec::new()];
        for port in 0..ports as u32 {
            let extend = |before: &Vec<u32>| {
                let free = (0..ports as u32).filter(|rank| !before.contains(rank));
                let fits = free.filter(|&rank| numbering.candidates(rank).contains(&port));
                fits.map(|rank| [&before[..], &[rank]].concat()).collect::<Vec<_>>()
            };
            found = found.iter().flat_map(extend).collect();
        }
        found
    }

    #[test]
    fn splitting_partitions_the_numberings() {
        let all = PartialNumbering::all(4);
        assert_eq!(members(&all, 4).len(), factorial(4));
        // One port, then two of the other three: 4 · 3 sets of 2 numberings each.
        let mut held = Vec::new();
        for first in all.split(&[1, 0, 0, 0]) {
            for second in first.split(&[0, 1, 1, 0]) {
                assert_eq!(members(&second, 4).len(), 2);
                held.extend(members(&second, 4));
            }
        }
        assert_eq!(held.len(), factorial(4));
        held.sort();
        held.dedup();
        assert_eq!(held.len(), factorial(4), "each numbering is in one set");
        assert_eq!(all.split(&[7; 4]), std::slice::from_ref(&all), "nothing is told apart");
    }

    #[test]
    fn what_is_sent_tells_ports_apart() {
        let all = PartialNumbering::all(3);
        let to_all = [(Port(0), 'a'), (Port(1), 'a'), (Port(2), 'a')];
        assert_eq!(all.split_by_sends(&[&to_all]).len(), 1, "an announcement tells nothing");
        assert_eq!(all.split_by_sends(&[&to_all[..1]]).len(), 3);
        assert_eq!(all.split_by_sends(&[&to_all[..2]]).len(), 3, "two of three, in no order");
        assert_eq!(all.split_by_sends(&[&to_all[..1], &to_all[1..2]]).len(), 6, "two outcomes, two ports");
        assert_eq!(all.split_by_sends(&[&[(Port(0), 'a'), (Port(1), 'b')]]).len(), 6);
    }

    #[test]
    fn a_port_that_is_assigned_leads_where_it_was() {
        let all = PartialNumbering::all(3);
        let assigned = all.assign(0, 2);
        assert_eq!((assigned.candidates(2), assigned.candidates(0)), (vec![0], vec![1, 2]));
        assert_eq!([0, 1, 2].map(|port| assigned.neighbour(Port(port)).0), [2, 0, 1]);
        assert_eq!(assigned.neighbour(Port(9)), Port(9), "the engine refuses it");
        assert_eq!(assigned.assign(0, 2), assigned);
        // Port 0 of place 0 leads to place 3; place 3 has crashed, after its port 2 led to place 0.
        let mut run = RunNumberings::new(4);
        assert!(run.one().is_none());
        (0..4).for_each(|place| run.add(place, &all));
        run.add(0, &assigned);
        run.add(3, &all.assign(2, 0));
        run.add(3, &PartialNumbering::default());
        let full = run.one().expect("they are not fixed");
        assert_eq!((full.port(0, 2), full.rank(0, Port(0))), (0, Port(2)));
        let lists = vec![vec![3, 1, 2], vec![0, 2, 3], vec![0, 1, 3], vec![1, 2, 0]];
        assert_eq!(full.ports(), Ports::Listed(lists));
    }
}
