//! The links of a network: the entry of the state vector and the processors at the ends of each.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ringleader_model::{BadSetting, Network, Place, Port, Scenario};

use crate::interner::{Interned, note_discovery};

/// The link behind a port through which messages are sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutPort {
    /// The index of the link in the state vector.
    pub(crate) at: u32,
    /// The direction, 0 or 1, where links are half-duplex; otherwise 0.
    pub(crate) direction: u32,
    /// The receiver.
    pub(crate) to: Place,
}

/// The link behind a port through which messages arrive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InPort {
    /// The index of the link in the state vector.
    pub(crate) at: u32,
    /// The direction, 0 or 1, where links are half-duplex; otherwise 0.
    pub(crate) direction: u32,
    /// The port at the receiver.
    pub(crate) port: u32,
}

/// The links of a network as tables. The state vector has one entry for each direction of each link, or one for each
/// link where links are half-duplex; those of the links that leave a place are adjacent.
#[derive(Clone)]
pub(crate) struct LinkTable {
    /// The greatest number of ports of any place.
    pub(crate) ports: u32,
    /// The number of entries of the state vector that they take.
    pub(crate) count: usize,
    /// By place and port.
    out: Vec<Vec<OutPort>>,
    into: Vec<InPort>,
    /// By link: the receivers of its two directions.
    receivers: Vec<[Place; 2]>,
    half_duplex: bool,
    pub(crate) n: usize,
    /// By place: the end of its entries in `into`.
    in_ends: Vec<u32>,
    invalid_port: InvalidPort,
}

/// The last message that was sent on a port that its sender does not have, although other places have it: a step, which
/// does not know its place, panics only on ports that no place has. Such a message is dropped and recorded, and the check
/// ends with an error. All workers share the record.
#[derive(Clone, Default)]
pub(crate) struct InvalidPort {
    /// The port plus 1, and below it, in 32 bits, the number of ports of the sender; 0: none.
    record: Arc<AtomicU64>,
}

impl InvalidPort {
    fn record(&self, port: Port, ports: u32) {
        let record = u64::from(port.0.saturating_add(1)) << 32 | u64::from(ports);
        if self.record.swap(record, Ordering::Relaxed) == 0 {
            note_discovery();
        }
    }

    /// Refuses a protocol that has sent on a port that does not exist.
    pub(crate) fn check(&self) -> Result<(), BadSetting> {
        let record = self.record.load(Ordering::Relaxed);
        let Some(port) = (record >> 32).checked_sub(1) else { return Ok(()) };
        let allowed = match record as u32 {
            0 => "none: a processor of this network has no ports".into(),
            ports => format!("ports 0 to {} of this network", ports - 1),
        };
        Err(BadSetting::new("port", format!("is {port}, on which a processor sends"), allowed))
    }
}

impl LinkTable {
    /// The links of a scenario.
    pub(crate) fn new<N: Network>(scenario: &Scenario, network: &N) -> Result<Self, BadSetting> {
        let n = scenario.n;
        let places = || 0..n as Place;
        let ports = |place: Place| (0..network.ports(place)).map(Port);
        let half_duplex = scenario.links.is_half_duplex();
        let mut links = Self {
            ports: places().map(|place| network.ports(place)).max().unwrap_or(0),
            count: 0,
            out: vec![Vec::new(); n],
            into: Vec::new(),
            receivers: Vec::new(),
            half_duplex,
            n,
            in_ends: Vec::new(),
            invalid_port: InvalidPort::default(),
        };
        let mut known: Vec<u64> = Vec::new();
        if half_duplex && network.topology().is_ring() {
            known.extend(0..n as u64);
        }
        let mut into = vec![Vec::new(); n];
        for (place, port) in places().flat_map(|place| ports(place).map(move |port| (place, port))) {
            let too_large = || BadSetting::new("n", format!("is {n}"), "a network small enough to number its links");
            let arc = network.arc(place, port).ok_or_else(too_large)?;
            let link = network.link(place, port);
            let (index, direction) = if half_duplex {
                let index = known.iter().position(|&other| other == link).unwrap_or_else(|| {
                    known.push(link);
                    known.len() - 1
                });
                (index, u32::from(!network.is_clockwise(place, port)))
            } else {
                (arc, 0)
            };
            links.count = links.count.max(index + 1);
            let (to, entry) = network.route(place, port);
            let at = (n + index) as u32;
            links.out[place as usize].push(OutPort { at, direction, to });
            into[to as usize].push(InPort { at, direction, port: N::port(entry).0 });
        }
        for mut into in into {
            into.sort_by_key(|in_port| in_port.port);
            links.into.extend(into);
            links.in_ends.push(links.into.len() as u32);
        }
        links.receivers.resize(links.count, [0; 2]);
        for out in links.out.iter().flatten() {
            links.receivers[out.at as usize - n][out.direction as usize] = out.to;
        }
        Ok(links)
    }

    /// The link behind a port; `None` if the place does not have this port, which is recorded.
    pub(crate) fn out(&self, place: Place, port: Port) -> Option<OutPort> {
        let ports = &self.out[place as usize];
        let out = ports.get(port.0 as usize).copied();
        if out.is_none() {
            self.invalid_port.record(port, ports.len() as u32);
        }
        out
    }

    /// The links behind all ports, with the place of each port.
    pub(crate) fn out_ports(&self) -> impl Iterator<Item = (Place, OutPort)> {
        (0..).zip(&self.out).flat_map(|(place, ports)| ports.iter().map(move |&out| (place, out)))
    }

    /// The record of messages on ports that do not exist.
    pub(crate) fn invalid_port(&self) -> InvalidPort {
        self.invalid_port.clone()
    }

    /// The receiver of an item in the queue of a link.
    pub(crate) fn receiver(&self, at: u32, item: Interned) -> Place {
        self.receivers[at as usize - self.n][if self.half_duplex { item as usize % 2 } else { 0 }]
    }

    /// The numbers of the ports by which messages arrive at a place.
    #[inline]
    pub(crate) fn in_ports(&self, place: Place) -> core::ops::Range<usize> {
        let from = if place == 0 { 0 } else { self.in_ends[place as usize - 1] };
        from as usize..self.in_ends[place as usize] as usize
    }

    /// The link behind such a port.
    #[inline]
    pub(crate) fn in_port(&self, number: usize) -> InPort {
        self.into[number]
    }

    /// The number of all in-ports.
    pub(crate) fn in_port_count(&self) -> usize {
        self.into.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader_model::{BidirectionalRing, Complete, Links, Ring, Topology};

    /// Places in a line: the ends have one port, all others two.
    #[derive(Clone, Debug)]
    struct LineNetwork {
        n: Place,
    }

    impl Network for LineNetwork {
        const TOPOLOGY: Topology = Topology::Complete;
        type Entry = u32;
        type LeanEntry = u32;

        fn new(scenario: &Scenario) -> Self {
            Self { n: scenario.n as Place }
        }

        fn ports(&self, place: Place) -> u32 {
            u32::from(place > 0) + u32::from(place + 1 < self.n)
        }

        fn route(&self, from: Place, port: Port) -> (Place, u32) {
            let to = if self.is_clockwise(from, port) { from + 1 } else { from - 1 };
            (to, u32::from(to < from && to > 0))
        }

        fn port(entry: u32) -> Port {
            Port(entry)
        }

        fn lean_entry(entry: u32) -> u32 {
            entry
        }

        fn lean_port(entry: u32) -> Port {
            Port(entry)
        }

        fn arc(&self, from: Place, port: Port) -> Option<usize> {
            Some((2 * self.link(from, port)) as usize + usize::from(self.is_clockwise(from, port)))
        }

        fn link(&self, from: Place, port: Port) -> u64 {
            u64::from(if self.is_clockwise(from, port) { from } else { from - 1 })
        }

        fn is_clockwise(&self, from: Place, port: Port) -> bool {
            from == 0 || port == Port(1)
        }
    }

    fn links_of<N: Network>(scenario: &Scenario) -> LinkTable {
        LinkTable::new(scenario, &N::new(scenario)).expect("it is small")
    }

    #[test]
    fn places_may_have_different_numbers_of_ports() {
        for (links, count) in [(Links::Fifo, 4), (Links::Half, 2)] {
            let links = links_of::<LineNetwork>(&Scenario { n: 3, links, ..Scenario::default() });
            same_ends(&links, 3, count);
            assert_eq!([0, 1, 2].map(|place| links.in_ports(place).len()), [1, 2, 1]);
            assert_eq!(links.out(1, Port(1)).map(|out| out.to), Some(2));
            assert!(links.invalid_port().check().is_ok());
            assert!(links.out(2, Port(1)).is_none() && links.invalid_port().check().is_err());
        }
    }

    #[test]
    fn every_out_port_leads_to_an_in_port_and_half_duplex_links_have_two_ends() {
        for links in Links::ALL {
            for n in 1..=4 {
                let orientation = (0..n).map(|place| place % 2 == 1).collect();
                let scenario = Scenario { n, links, ..Scenario::default() };
                same_ends(&links_of::<Ring>(&scenario), n, n);
                let number = if links.is_half_duplex() { n } else { 2 * n };
                let ring = Scenario { orientation, ..scenario.clone() };
                same_ends(&links_of::<BidirectionalRing>(&ring), n, number);
                let arcs = n * (n - 1);
                let number = if links.is_half_duplex() { arcs / 2 } else { arcs };
                same_ends(&links_of::<Complete>(&scenario), n, number);
            }
        }
    }

    fn same_ends(links: &LinkTable, n: usize, count: usize) {
        assert_eq!(links.count, count);
        let mut out: Vec<_> = links.out.iter().flatten().map(|out| (out.to, out.at, out.direction)).collect();
        let into = |to| {
            links.in_ports(to).map(move |in_port| (to, links.in_port(in_port).at, links.in_port(in_port).direction))
        };
        let mut into: Vec<_> = (0..n as Place).flat_map(into).collect();
        out.sort_unstable();
        into.sort_unstable();
        assert_eq!(out, into);
        // No two ports share a link and a direction.
        let mut directions: Vec<_> = out.iter().map(|&(_, at, direction)| (at, direction)).collect();
        directions.sort_unstable();
        directions.dedup();
        assert_eq!(directions.len(), out.len());
    }
}
