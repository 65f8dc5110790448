//! The links of a network: the entry of the state vector and the processors at the ends of each.

use ringleader_model::{BadSetting, Links, Network, Place, Port, Scenario};

use crate::interner::Interned;

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
    pub(crate) ports: u32,
    /// The number of entries of the state vector that they take.
    pub(crate) count: usize,
    out: Vec<OutPort>,
    into: Vec<InPort>,
    /// By link: the receivers of its two directions.
    receivers: Vec<[Place; 2]>,
    half_duplex: bool,
    pub(crate) n: usize,
    /// By place: where its entries in `into` end.
    in_ends: Vec<u32>,
}

impl LinkTable {
    /// The links of a scenario.
    pub(crate) fn new<N: Network>(scenario: &Scenario) -> Result<Self, BadSetting> {
        let network = N::new(scenario);
        let (n, ports) = (scenario.n, network.ports(0));
        let half_duplex = scenario.links == Links::Half;
        let mut links = Self {
            ports,
            count: 0,
            out: Vec::new(),
            into: Vec::new(),
            receivers: Vec::new(),
            half_duplex,
            n,
            in_ends: Vec::new(),
        };
        let mut known: Vec<u64> = Vec::new();
        if half_duplex && N::TOPOLOGY.is_ring() {
            known.extend(0..n as u64);
        }
        for (place, port) in (0..n as Place).flat_map(|place| (0..ports).map(move |port| (place, Port(port)))) {
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
            links.out.push(OutPort { at: (n + index) as u32, direction, to: network.route(place, port).0 });
        }
        for to in 0..n as Place {
            for (place, port) in (0..n as Place).flat_map(|place| (0..ports).map(move |port| (place, Port(port)))) {
                let (reached, entry) = network.route(place, port);
                if reached == to {
                    let OutPort { at, direction, .. } = links.out(place, port);
                    links.into.push(InPort { at, direction, port: N::port(entry).0 });
                }
            }
            let from = links.in_ends.last().map_or(0, |&end| end as usize);
            links.into[from..].sort_by_key(|in_port| in_port.port);
            links.in_ends.push(links.into.len() as u32);
        }
        links.receivers.resize(links.count, [0; 2]);
        for out in &links.out {
            links.receivers[out.at as usize - n][out.direction as usize] = out.to;
        }
        Ok(links)
    }

    /// The link behind a port.
    pub(crate) fn out(&self, place: Place, port: Port) -> OutPort {
        self.out[(place * self.ports + port.0) as usize]
    }

    /// The links behind all ports, with the place of each port.
    pub(crate) fn out_ports(&self) -> impl Iterator<Item = (Place, OutPort)> {
        self.out.iter().enumerate().map(|(index, &out)| (index as Place / self.ports, out))
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
    use ringleader_model::{BidirectionalRing, Complete, Ring};

    #[test]
    fn every_out_port_leads_to_an_in_port_and_half_duplex_links_have_two_ends() {
        for links in Links::ALL {
            for n in 1..=4 {
                let orientation = (0..n).map(|place| place % 2 == 1).collect();
                let scenario = Scenario { n, links, ..Scenario::default() };
                same_ends(&LinkTable::new::<Ring>(&scenario).expect("it is small"), n, n);
                let number = if links == Links::Half { n } else { 2 * n };
                let ring = Scenario { orientation, ..scenario.clone() };
                same_ends(&LinkTable::new::<BidirectionalRing>(&ring).expect("it is small"), n, number);
                let arcs = n * (n - 1);
                let number = if links == Links::Half { arcs / 2 } else { arcs };
                same_ends(&LinkTable::new::<Complete>(&scenario).expect("it is small"), n, number);
            }
        }
    }

    fn same_ends(links: &LinkTable, n: usize, count: usize) {
        assert_eq!(links.count, count);
        let mut out: Vec<_> = links.out.iter().map(|out| (out.to, out.at, out.direction)).collect();
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
