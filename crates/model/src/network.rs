use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Debug;

use serde::{Deserialize, Serialize};

use crate::{Place, Port, Scenario};

/// The shapes a network can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Topology {
    /// Messages go clockwise only.
    Ring,
    /// Messages go in both directions; processors may disagree about left and right.
    BidirectionalRing,
    /// A link between any two.
    Complete,
}

impl Topology {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Ring, Self::BidirectionalRing, Self::Complete];

    /// As users write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ring => "ring",
            Self::BidirectionalRing => "bidirectional-ring",
            Self::Complete => "complete",
        }
    }

    /// Whether every processor has one neighbour on either side.
    pub const fn is_ring(self) -> bool {
        match self {
            Self::Ring | Self::BidirectionalRing => true,
            Self::Complete => false,
        }
    }

    /// All pairs of places with a link between them, in whatever direction, each once.
    pub fn neighbours(self, n: usize) -> Vec<(Place, Place)> {
        let n = n as Place;
        match self {
            Self::Ring | Self::BidirectionalRing => {
                let turn = if n == 2 { None } else { Some((0, n - 1)) };
                (1..n).map(|place| (place - 1, place)).chain(turn).collect()
            }
            Self::Complete => (0..n).flat_map(|one| (one + 1..n).map(move |other| (one, other))).collect(),
        }
    }

    /// Whether there is a link between two of `n` places, in whatever direction. A ring of one has a link from it to itself.
    pub const fn has_link(self, one: Place, other: Place, n: usize) -> bool {
        let (one, other) = (one as usize, other as usize);
        match self {
            Self::Ring | Self::BidirectionalRing => (one + 1) % n == other || (other + 1) % n == one,
            Self::Complete => one != other,
        }
    }
}

/// The links between places, and the ports that they join.
pub trait Network: Send + Sync + Clone + Debug + 'static {
    /// Its shape.
    const TOPOLOGY: Topology;
    /// The part of a message in flight that determines the port it comes in by; nothing where there is only one.
    type Entry: Copy + Debug;
    /// What is left of it in runs of which only the results are asked for: nothing, if the network is [blind](PortBlind).
    type LeanEntry: Copy + Debug;
    /// Whether processors never look at the port by which a message comes in, and all messages are equal.
    const PORT_BLIND: bool = false;

    /// The network of a scenario.
    fn new(scenario: &Scenario) -> Self;
    /// The network of a scenario that has this shape, where the type leaves that open.
    fn of(_topology: Topology, scenario: &Scenario) -> Self {
        Self::new(scenario)
    }
    /// Its shape: [`TOPOLOGY`](Self::TOPOLOGY), unless the type leaves that open.
    fn topology(&self) -> Topology {
        Self::TOPOLOGY
    }
    /// The number of ports of the processor at a place.
    fn ports(&self, place: Place) -> u32;
    /// The place to which a port leads, and the entry there.
    fn route(&self, from: Place, port: Port) -> (Place, Self::Entry);
    /// The port that an entry stands for.
    fn port(entry: Self::Entry) -> Port;
    /// What is left of an entry.
    fn lean_entry(entry: Self::Entry) -> Self::LeanEntry;
    /// The port that it stands for; none that there is, if the network is [blind](PortBlind).
    fn lean_port(entry: Self::LeanEntry) -> Port;
    /// The place from which messages come in by a port.
    fn origin(&self, at: Place, port: Port) -> Place {
        self.route(at, port).0
    }
    /// The link that leads in by a port.
    fn inlink(&self, at: Place, port: Port) -> u64 {
        self.link(at, port)
    }
    /// The number of a link direction, from 0 without gaps, where there are few enough of them to keep data for each.
    fn arc(&self, from: Place, port: Port) -> Option<usize>;
    /// The link behind a port: the same number from both ends. On rings link i joins place i and i + 1.
    fn link(&self, from: Place, port: Port) -> u64;
    /// Whether a port leads clockwise; on a complete network, to a later place.
    fn is_clockwise(&self, from: Place, port: Port) -> bool;
    /// Whether messages that come in by a port travel clockwise; on a complete network, from an earlier place.
    fn arrives_clockwise(&self, at: Place, port: Port) -> bool {
        !self.is_clockwise(at, port)
    }
}

/// A unidirectional ring: port 0 sends clockwise, port 0 receives from the anticlockwise neighbour.
#[derive(Clone, Debug)]
pub struct Ring {
    n: Place,
}

impl Network for Ring {
    const TOPOLOGY: Topology = Topology::Ring;
    type Entry = ();
    type LeanEntry = ();

    fn new(scenario: &Scenario) -> Self {
        Self { n: size(scenario) }
    }

    fn ports(&self, _: Place) -> u32 {
        1
    }

    #[inline]
    fn route(&self, from: Place, port: Port) -> (Place, ()) {
        debug_assert_eq!(port, Port(0), "a unidirectional ring has port 0 only");
        (clockwise(from, self.n), ())
    }

    #[inline]
    fn port((): ()) -> Port {
        Port(0)
    }

    #[inline]
    fn lean_entry((): ()) {}

    #[inline]
    fn lean_port((): ()) -> Port {
        Port(0)
    }

    #[inline]
    fn arc(&self, from: Place, _port: Port) -> Option<usize> {
        Some(from as usize)
    }

    fn link(&self, from: Place, _port: Port) -> u64 {
        u64::from(from)
    }

    fn is_clockwise(&self, _from: Place, _port: Port) -> bool {
        true
    }

    // Unidirectional: messages do not come in from the place to which port 0 leads.
    fn origin(&self, at: Place, _port: Port) -> Place {
        anticlockwise(at, self.n)
    }

    fn inlink(&self, at: Place, _port: Port) -> u64 {
        u64::from(anticlockwise(at, self.n))
    }

    fn arrives_clockwise(&self, _at: Place, _port: Port) -> bool {
        true
    }
}

/// A ring in which messages go in both directions. Port 0 is a processor's left, port 1 its right; right is clockwise,
/// except at those whose orientation is exchanged.
#[derive(Clone, Debug)]
pub struct BidirectionalRing {
    n: Place,
    exchanged: Vec<bool>,
}

impl Network for BidirectionalRing {
    const TOPOLOGY: Topology = Topology::BidirectionalRing;
    type Entry = u8;
    type LeanEntry = u8;

    fn new(scenario: &Scenario) -> Self {
        Self { n: size(scenario), exchanged: scenario.orientation.clone() }
    }

    fn ports(&self, _: Place) -> u32 {
        2
    }

    fn route(&self, from: Place, port: Port) -> (Place, u8) {
        let clock = self.is_clockwise(from, port);
        let to = if clock { clockwise(from, self.n) } else { anticlockwise(from, self.n) };
        // It comes in by the port that leads back.
        let entry = u8::from(self.is_clockwise(to, Port(1)) != clock);
        (to, entry)
    }

    fn port(entry: u8) -> Port {
        Port(u32::from(entry))
    }

    #[inline]
    fn lean_entry(entry: u8) -> u8 {
        entry
    }

    #[inline]
    fn lean_port(entry: u8) -> Port {
        Self::port(entry)
    }

    fn arc(&self, from: Place, port: Port) -> Option<usize> {
        Some(from as usize * 2 + port.0 as usize)
    }

    fn link(&self, from: Place, port: Port) -> u64 {
        u64::from(if self.is_clockwise(from, port) { from } else { anticlockwise(from, self.n) })
    }

    fn is_clockwise(&self, from: Place, port: Port) -> bool {
        assert!(port.0 < 2, "a bidirectional ring has ports 0 and 1, not {}", port.0);
        (port == Port(1)) != self.exchanged.get(from as usize).copied().unwrap_or(false)
    }
}

/// The choice of left and right on a bidirectional ring.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Orientation {
    /// The same for everybody.
    Same,
    /// Drawn for each place.
    Random,
    /// By place: whose are exchanged.
    Exchanged(Vec<bool>),
}

/// The numbering of the ports of a complete network.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ports {
    /// Port p of place i leads to the p-th other place.
    #[default]
    Plain,
    /// Every place has an order of its own, drawn from this seed.
    Shuffled(u64),
    /// By place and port: the place to which it leads.
    Listed(Vec<Vec<Place>>),
    /// Every numbering: a model checker explores all of them. A run has one.
    All,
}

impl Ports {
    /// Whether they are [`Ports::Plain`].
    pub fn is_plain(&self) -> bool {
        *self == Self::Plain
    }

    /// Whether this is one numbering of the ports of `n` processors: each place's list has every other place once.
    pub(crate) fn is_for(&self, n: usize) -> bool {
        let permutes = |(place, list): (usize, &Vec<Place>)| {
            let mut reached = vec![false; n];
            reached[place] = true;
            let new = |&to: &Place| reached.get_mut(to as usize).is_some_and(|seen| !core::mem::replace(seen, true));
            list.len() + 1 == n && list.iter().all(new)
        };
        match self {
            Self::Plain | Self::Shuffled(_) => true,
            Self::Listed(lists) => lists.len() == n && lists.iter().enumerate().all(permutes),
            Self::All => false,
        }
    }
}

/// The choice of the numbering of ports.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Numbering {
    /// [`Ports::Plain`].
    Plain,
    /// [`Ports::Shuffled`], from this seed or else from the scenario's.
    Shuffled(Option<u64>),
    /// [`Ports::Listed`].
    Listed(Vec<Vec<Place>>),
    /// [`Ports::All`].
    All,
}

impl Numbering {
    /// The ports of a scenario with this seed.
    pub fn ports(self, seed: u64) -> Ports {
        match self {
            Self::Plain => Ports::Plain,
            Self::Shuffled(own) => Ports::Shuffled(own.unwrap_or(seed)),
            Self::Listed(lists) => Ports::Listed(lists),
            Self::All => Ports::All,
        }
    }
}

impl From<Ports> for Numbering {
    fn from(ports: Ports) -> Self {
        match ports {
            Ports::Plain => Self::Plain,
            Ports::Shuffled(seed) => Self::Shuffled(Some(seed)),
            Ports::Listed(lists) => Self::Listed(lists),
            Ports::All => Self::All,
        }
    }
}

/// A link between any two processors.
#[derive(Clone, Debug)]
pub struct Complete {
    n: Place,
    ports: Ports,
    /// Where ports are [listed](Ports::Listed), by place and other place: the port that leads there.
    towards: Vec<Vec<u32>>,
}

impl Complete {
    /// With more link directions than this, those of some four thousand processors, data for each is too much.
    const FEW_ARCS: u64 = 1 << 24;

    /// The p-th other place, seen from `from`.
    #[inline]
    fn other(from: Place, rank: u32) -> Place {
        if rank < from { rank } else { rank + 1 }
    }

    #[inline]
    fn rank(at: Place, other: Place) -> u32 {
        if other < at { other } else { other - 1 }
    }

    /// The [route](Network::route) where ports are not numbered by place. Not inlined: the other case is short.
    #[inline(never)]
    fn renumbered(&self, from: Place, port: Port) -> (Place, u32) {
        match &self.ports {
            Ports::Plain | Ports::All => unreachable!("ports are numbered by place"),
            Ports::Listed(lists) => {
                let to = lists[from as usize][port.0 as usize];
                (to, self.towards[to as usize][from as usize])
            }
            &Ports::Shuffled(seed) => {
                let to = Self::other(from, Shuffle::new(seed, from, self.n - 1).apply(port.0));
                (to, Shuffle::new(seed, to, self.n - 1).invert(Self::rank(to, from)))
            }
        }
    }
}

impl Network for Complete {
    const TOPOLOGY: Topology = Topology::Complete;
    type Entry = u32;
    type LeanEntry = u32;

    fn new(scenario: &Scenario) -> Self {
        let (n, ports) = (size(scenario), scenario.ports.clone());
        let lists: &[Vec<Place>] = if let Ports::Listed(lists) = &ports { lists } else { &[] };
        let towards = |list: &Vec<Place>| {
            let mut towards = vec![0; n as usize];
            for (port, &to) in (0..).zip(list) {
                towards[to as usize] = port;
            }
            towards
        };
        let towards = lists.iter().map(towards).collect();
        Self { n, ports, towards }
    }

    fn ports(&self, _: Place) -> u32 {
        self.n - 1
    }

    #[inline]
    fn route(&self, from: Place, port: Port) -> (Place, u32) {
        assert!(port.0 < self.n - 1, "a complete network of {} has no port {}", self.n, port.0);
        match &self.ports {
            // A search that explores all numberings permutes these ports itself.
            Ports::Plain | Ports::All => {
                let to = Self::other(from, port.0);
                (to, Self::rank(to, from))
            }
            Ports::Listed(_) | Ports::Shuffled(_) => self.renumbered(from, port),
        }
    }

    #[inline]
    fn port(entry: u32) -> Port {
        Port(entry)
    }

    #[inline]
    fn lean_entry(entry: u32) -> u32 {
        entry
    }

    #[inline]
    fn lean_port(entry: u32) -> Port {
        Self::port(entry)
    }

    #[inline]
    fn arc(&self, from: Place, port: Port) -> Option<usize> {
        let ports = u64::from(self.ports(from));
        (u64::from(self.n) * ports <= Self::FEW_ARCS).then(|| from as usize * ports as usize + port.0 as usize)
    }

    fn link(&self, from: Place, port: Port) -> u64 {
        let (to, _) = self.route(from, port);
        u64::from(from.min(to)) * u64::from(self.n) + u64::from(from.max(to))
    }

    fn is_clockwise(&self, from: Place, port: Port) -> bool {
        self.route(from, port).0 > from
    }
}

/// A network whose processors never look at the port by which a message comes in, and whose messages are all equal: it does not
/// matter which one is handled first. Runs of which only the results are asked for do not carry the port then. A processor that
/// breaks its promise and answers by that port fails there, since there is no such port.
#[derive(Clone, Debug)]
pub struct PortBlind<N>(N);

impl<N: Network> Network for PortBlind<N> {
    const TOPOLOGY: Topology = N::TOPOLOGY;
    const PORT_BLIND: bool = true;
    type Entry = N::Entry;
    type LeanEntry = ();

    fn new(scenario: &Scenario) -> Self {
        Self(N::new(scenario))
    }

    fn of(topology: Topology, scenario: &Scenario) -> Self {
        Self(N::of(topology, scenario))
    }

    fn topology(&self) -> Topology {
        self.0.topology()
    }

    #[inline]
    fn ports(&self, place: Place) -> u32 {
        self.0.ports(place)
    }

    #[inline]
    fn route(&self, from: Place, port: Port) -> (Place, N::Entry) {
        self.0.route(from, port)
    }

    #[inline]
    fn port(entry: N::Entry) -> Port {
        N::port(entry)
    }

    #[inline]
    fn lean_entry(_: N::Entry) {}

    #[inline]
    fn lean_port((): ()) -> Port {
        Port(u32::MAX)
    }

    fn origin(&self, at: Place, port: Port) -> Place {
        self.0.origin(at, port)
    }

    fn inlink(&self, at: Place, port: Port) -> u64 {
        self.0.inlink(at, port)
    }

    #[inline]
    fn arc(&self, from: Place, port: Port) -> Option<usize> {
        self.0.arc(from, port)
    }

    fn link(&self, from: Place, port: Port) -> u64 {
        self.0.link(from, port)
    }

    fn is_clockwise(&self, from: Place, port: Port) -> bool {
        self.0.is_clockwise(from, port)
    }

    fn arrives_clockwise(&self, at: Place, port: Port) -> bool {
        self.0.arrives_clockwise(at, port)
    }
}

/// A permutation of `0..size` computed from a key, with its inverse, without a table: a Feistel network over the next
/// even number of bits, walked until it falls inside. n² ports need no memory.
struct Shuffle {
    key: u64,
    half: u32,
    size: u32,
}

impl Shuffle {
    const ROUNDS: u64 = 6;

    fn new(seed: u64, place: Place, size: u32) -> Self {
        let bits = u32::BITS - size.saturating_sub(1).leading_zeros();
        Self { key: mix(seed ^ mix(u64::from(place) + 1)), half: bits.div_ceil(2).max(1), size }
    }

    fn apply(&self, mut x: u32) -> u32 {
        loop {
            x = self.pass(x, 0..Self::ROUNDS);
            if x < self.size {
                return x;
            }
        }
    }

    fn invert(&self, mut x: u32) -> u32 {
        // Run backwards the halves change roles, so they are exchanged before and after.
        loop {
            x = self.exchange(self.pass(self.exchange(x), (0..Self::ROUNDS).rev()));
            if x < self.size {
                return x;
            }
        }
    }

    fn pass(&self, x: u32, rounds: impl Iterator<Item = u64>) -> u32 {
        let mask = (1u32 << self.half) - 1;
        let (mut left, mut right) = (x >> self.half, x & mask);
        for round in rounds {
            let scrambled = mix(self.key ^ (round << 40) ^ u64::from(right)) as u32 & mask;
            (left, right) = (right, left ^ scrambled);
        }
        left << self.half | right
    }

    fn exchange(&self, x: u32) -> u32 {
        let mask = (1u32 << self.half) - 1;
        (x & mask) << self.half | x >> self.half
    }
}

/// The finaliser of SplitMix64: a frozen bijection that scrambles 64 bits.
#[inline]
pub const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

fn size(scenario: &Scenario) -> Place {
    Place::try_from(scenario.n).expect("a scenario is checked before a network is made of it")
}

#[inline]
fn clockwise(place: Place, n: Place) -> Place {
    if place + 1 == n { 0 } else { place + 1 }
}

#[inline]
fn anticlockwise(place: Place, n: Place) -> Place {
    if place == 0 { n - 1 } else { place - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario(n: usize) -> Scenario {
        Scenario { n, ..Scenario::default() }
    }

    /// The answer through the entry of a message comes back to the port that it left by: for every place and port.
    fn every_port_leads_back<N: Network>(network: &N, n: Place) {
        for from in 0..n {
            let mut reached = Vec::new();
            for port in (0..network.ports(from)).map(Port) {
                let (to, entry) = network.route(from, port);
                let (back, home) = network.route(to, N::port(entry));
                assert_eq!((back, N::port(home)), (from, port));
                assert_eq!(network.link(from, port), network.link(to, N::port(entry)));
                reached.push(to);
            }
            reached.sort_unstable();
            reached.dedup();
            if N::TOPOLOGY == Topology::Complete {
                assert_eq!(reached.len(), n as usize - 1, "every other place is reached");
            }
        }
    }

    #[test]
    fn a_ring_goes_round() {
        let ring = Ring::new(&scenario(3));
        let tour: Vec<_> = (0..3).map(|place| ring.route(place, Port(0)).0).collect();
        assert_eq!(tour, [1, 2, 0]);
        assert_eq!(Ring::new(&scenario(1)).route(0, Port(0)).0, 0, "a ring of one is a self-loop");
    }

    #[test]
    fn both_directions_lead_back_whatever_is_left_and_right() {
        for n in 1..=5 {
            for exchanged in 0..1u32 << n {
                let orientation = (0..n).map(|place| exchanged >> place & 1 == 1).collect();
                let ring = BidirectionalRing::new(&Scenario { n, orientation, ..Scenario::default() });
                every_port_leads_back(&ring, n as Place);
            }
        }
    }

    #[test]
    fn right_is_clockwise_unless_exchanged() {
        let ring =
            BidirectionalRing::new(&Scenario { n: 3, orientation: vec![false, true, false], ..Scenario::default() });
        assert_eq!(
            ring.route(0, Port(1)),
            (1, 1),
            "it comes in by the right of a processor with the opposite orientation"
        );
        assert_eq!(ring.route(1, Port(1)), (0, 1));
        assert_eq!(ring.route(2, Port(1)), (0, 0));
    }

    #[test]
    fn plain_ports_follow_the_index() {
        let network = Complete::new(&scenario(4));
        let reached: Vec<_> = (0..3).map(|port| network.route(1, Port(port)).0).collect();
        assert_eq!(reached, [0, 2, 3]);
        every_port_leads_back(&network, 4);
    }

    #[test]
    fn listed_ports_lead_where_the_lists_say() {
        let listed = Ports::Listed(vec![vec![3, 1, 2], vec![0, 2, 3], vec![3, 0, 1], vec![2, 1, 0]]);
        assert!(listed.is_for(4) && !listed.is_for(3));
        let network = Complete::new(&Scenario { ports: listed, ..scenario(4) });
        assert_eq!(network.route(0, Port(0)), (3, 2), "port 2 of place 3 leads back to place 0");
        every_port_leads_back(&network, 4);
        for wrong in [vec![vec![1]], vec![vec![1], vec![1]], vec![vec![1], vec![2]], vec![vec![1, 0], vec![0]]] {
            assert!(!Ports::Listed(wrong).is_for(2));
        }
        assert!(!Ports::Listed(vec![vec![1, 1], vec![0, 2], vec![0, 1]]).is_for(3));
    }

    #[test]
    fn shuffled_ports_lead_back_and_differ_by_seed() {
        for n in 2..=40 {
            for seed in 0..10 {
                let shuffled = Scenario { ports: Ports::Shuffled(seed), ..scenario(n) };
                every_port_leads_back(&Complete::new(&shuffled), n as Place);
            }
        }
        let first = |seed| {
            let network = Complete::new(&Scenario { ports: Ports::Shuffled(seed), ..scenario(3) });
            network.route(0, Port(0)).0
        };
        let ones = (0..1000).filter(|&seed| first(seed) == 1).count();
        assert!((400..600).contains(&ones), "both orders of two ports are about equally likely, not {ones} in 1000");
    }
}
