use crate::{BidirectionalRing, Complete, Network, Place, Port, Ring, Scenario, Topology};

/// A network whose shape is known when it is made, so that engines are compiled once for all shapes.
#[derive(Clone, Debug)]
pub enum AnyNetwork {
    /// A unidirectional ring.
    Ring(Ring),
    /// A bidirectional ring.
    BidirectionalRing(BidirectionalRing),
    /// A complete network.
    Complete(Complete),
}

/// Evaluates an expression for the network within.
macro_rules! within {
    ($any:expr, $network:ident => $value:expr) => {
        match $any {
            AnyNetwork::Ring($network) => $value,
            AnyNetwork::BidirectionalRing($network) => $value,
            AnyNetwork::Complete($network) => $value,
        }
    };
}

/// The place to which a port leads, and the port there.
fn route<N: Network>(network: &N, from: Place, port: Port) -> (Place, Port) {
    let (to, entry) = network.route(from, port);
    (to, N::port(entry))
}

impl Network for AnyNetwork {
    /// The most general one; [`Network::topology`] says which it is.
    const TOPOLOGY: Topology = Topology::Complete;
    type Entry = Port;
    type LeanEntry = Port;

    fn new(scenario: &Scenario) -> Self {
        Self::Complete(Complete::new(scenario))
    }

    fn of(topology: Topology, scenario: &Scenario) -> Self {
        match topology {
            Topology::Ring => Self::Ring(Ring::new(scenario)),
            Topology::BidirectionalRing => Self::BidirectionalRing(BidirectionalRing::new(scenario)),
            Topology::Complete => Self::Complete(Complete::new(scenario)),
        }
    }

    fn topology(&self) -> Topology {
        within!(self, network => network.topology())
    }

    fn ports(&self, place: Place) -> u32 {
        within!(self, network => network.ports(place))
    }

    fn route(&self, from: Place, port: Port) -> (Place, Port) {
        within!(self, network => route(network, from, port))
    }

    fn port(entry: Port) -> Port {
        entry
    }

    #[inline]
    fn lean_entry(entry: Port) -> Port {
        entry
    }

    #[inline]
    fn lean_port(entry: Port) -> Port {
        Self::port(entry)
    }

    fn origin(&self, at: Place, port: Port) -> Place {
        within!(self, network => network.origin(at, port))
    }

    fn inlink(&self, at: Place, port: Port) -> u64 {
        within!(self, network => network.inlink(at, port))
    }

    fn arc(&self, from: Place, port: Port) -> Option<usize> {
        within!(self, network => network.arc(from, port))
    }

    fn link(&self, from: Place, port: Port) -> u64 {
        within!(self, network => network.link(from, port))
    }

    fn is_clockwise(&self, from: Place, port: Port) -> bool {
        within!(self, network => network.is_clockwise(from, port))
    }

    fn arrives_clockwise(&self, at: Place, port: Port) -> bool {
        within!(self, network => network.arrives_clockwise(at, port))
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::Ports;

    /// Everything that a network says of its ports.
    fn same<N: Network>(scenario: &Scenario) {
        let (known, any) = (N::new(scenario), AnyNetwork::of(N::TOPOLOGY, scenario));
        assert_eq!(any.topology(), N::TOPOLOGY);
        for place in 0..scenario.n as Place {
            assert_eq!(any.ports(place), known.ports(place));
            for port in (0..known.ports(place)).map(Port) {
                assert_eq!(any.route(place, port), route(&known, place, port));
                assert_eq!(
                    (any.origin(place, port), any.arc(place, port)),
                    (known.origin(place, port), known.arc(place, port))
                );
                assert_eq!(
                    (any.link(place, port), any.inlink(place, port)),
                    (known.link(place, port), known.inlink(place, port))
                );
                assert_eq!(any.is_clockwise(place, port), known.is_clockwise(place, port));
                assert_eq!(any.arrives_clockwise(place, port), known.arrives_clockwise(place, port));
            }
        }
    }

    #[test]
    fn any_network_is_like_the_one_within() {
        let scenario = Scenario { n: 5, ..Scenario::default() };
        same::<Ring>(&scenario);
        same::<BidirectionalRing>(&Scenario { orientation: vec![true, false, false, true, true], ..scenario.clone() });
        same::<Complete>(&Scenario { ports: Ports::Shuffled(7), ..scenario });
    }
}
