//! Which number of a row stands for which link, and who is at its ends.

use ringleader_model::{BadSetting, Links, Network, Place, Port, Scenario};

use crate::interner::Number;

/// Where what leaves by a port goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Out {
    /// The link's place in the row.
    pub(crate) at: u32,
    /// Which way: only links that carry messages both ways, one at a time, tell them apart.
    pub(crate) direction: u32,
    /// Whom it leads to.
    pub(crate) to: Place,
}

/// Where what comes in by a port comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct In {
    /// The link's place in the row.
    pub(crate) at: u32,
    /// Which way.
    pub(crate) direction: u32,
    /// The port.
    pub(crate) port: u32,
}

/// The links of a network, looked up. A row has a number for each direction of each link, or, where links are half-duplex,
/// one for each link; those that lead away from a place follow each other.
#[derive(Clone)]
pub(crate) struct Roads {
    pub(crate) ports: u32,
    /// How many numbers of the row they take.
    pub(crate) links: usize,
    out: Vec<Out>,
    into: Vec<In>,
    /// By link: whom its two directions lead to.
    receivers: Vec<[Place; 2]>,
    half: bool,
    n: usize,
    /// By place, where its ways in end.
    ends: Vec<u32>,
}

impl Roads {
    /// The links of a scenario.
    pub(crate) fn new<N: Network>(scenario: &Scenario) -> Result<Self, BadSetting> {
        let network = N::new(scenario);
        let (n, ports) = (scenario.n, network.ports(0));
        let half = scenario.links == Links::Half;
        let mut roads = Self {
            ports,
            links: 0,
            out: Vec::new(),
            into: Vec::new(),
            receivers: Vec::new(),
            half,
            n,
            ends: Vec::new(),
        };
        let mut known: Vec<u64> = Vec::new();
        if half && N::TOPOLOGY.is_ring() {
            known.extend(0..n as u64);
        }
        for (place, port) in (0..n as Place).flat_map(|place| (0..ports).map(move |port| (place, Port(port)))) {
            let too_many = || BadSetting::new("n", format!("is {n}"), "a network small enough to number its links");
            let arc = network.arc(place, port).ok_or_else(too_many)?;
            let link = network.link(place, port);
            let (index, direction) = if half {
                let index = known.iter().position(|&other| other == link).unwrap_or_else(|| {
                    known.push(link);
                    known.len() - 1
                });
                (index, u32::from(!network.is_clockwise(place, port)))
            } else {
                (arc, 0)
            };
            roads.links = roads.links.max(index + 1);
            roads.out.push(Out { at: (n + index) as u32, direction, to: network.route(place, port).0 });
        }
        for to in 0..n as Place {
            for (place, port) in (0..n as Place).flat_map(|place| (0..ports).map(move |port| (place, Port(port)))) {
                let (reached, entry) = network.route(place, port);
                if reached == to {
                    let Out { at, direction, .. } = roads.out(place, port);
                    roads.into.push(In { at, direction, port: N::port(entry).0 });
                }
            }
            let from = roads.ends.last().map_or(0, |&end| end as usize);
            roads.into[from..].sort_by_key(|way| way.port);
            roads.ends.push(roads.into.len() as u32);
        }
        roads.receivers.resize(roads.links, [0; 2]);
        for out in &roads.out {
            roads.receivers[out.at as usize - n][out.direction as usize] = out.to;
        }
        Ok(roads)
    }

    /// Where what leaves a place by a port goes.
    pub(crate) fn out(&self, place: Place, port: Port) -> Out {
        self.out[(place * self.ports + port.0) as usize]
    }

    /// All of that, with the place that it leaves.
    pub(crate) fn ways_out(&self) -> impl Iterator<Item = (Place, Out)> {
        self.out.iter().enumerate().map(|(index, &out)| (index as Place / self.ports, out))
    }

    /// Whom an item on a link goes to.
    pub(crate) fn receiver(&self, at: u32, item: Number) -> Place {
        self.receivers[at as usize - self.n][if self.half { item as usize % 2 } else { 0 }]
    }

    /// The ways in to a place, by number.
    #[inline]
    pub(crate) fn ways_in(&self, place: Place) -> core::ops::Range<usize> {
        let from = if place == 0 { 0 } else { self.ends[place as usize - 1] };
        from as usize..self.ends[place as usize] as usize
    }

    /// Where what comes in by a way comes from.
    #[inline]
    pub(crate) fn way_in(&self, number: usize) -> In {
        self.into[number]
    }

    /// How many ways in there are.
    pub(crate) fn all_ways_in(&self) -> usize {
        self.into.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader_model::{BidirectionalRing, Complete, Ring};

    #[test]
    fn every_way_out_is_a_way_in_and_half_duplex_links_have_two_ends() {
        for links in Links::ALL {
            for n in 1..=4 {
                let orientation = (0..n).map(|place| place % 2 == 1).collect();
                let scenario = Scenario { n, links, ..Scenario::default() };
                same_ends(&Roads::new::<Ring>(&scenario).expect("it is small"), n, n);
                let number = if links == Links::Half { n } else { 2 * n };
                let ring = Scenario { orientation, ..scenario.clone() };
                same_ends(&Roads::new::<BidirectionalRing>(&ring).expect("it is small"), n, number);
                let arcs = n * (n - 1);
                let number = if links == Links::Half { arcs / 2 } else { arcs };
                same_ends(&Roads::new::<Complete>(&scenario).expect("it is small"), n, number);
            }
        }
    }

    fn same_ends(roads: &Roads, n: usize, links: usize) {
        assert_eq!(roads.links, links);
        let mut out: Vec<_> = roads.out.iter().map(|out| (out.to, out.at, out.direction)).collect();
        let into = |to| roads.ways_in(to).map(move |way| (to, roads.way_in(way).at, roads.way_in(way).direction));
        let mut into: Vec<_> = (0..n as Place).flat_map(into).collect();
        out.sort_unstable();
        into.sort_unstable();
        assert_eq!(out, into);
        // No two ways share a link and a direction.
        let mut ways: Vec<_> = out.iter().map(|&(_, at, direction)| (at, direction)).collect();
        ways.sort_unstable();
        ways.dedup();
        assert_eq!(ways.len(), out.len());
    }
}
