//! Leader election.

pub mod chang_roberts;
pub mod franklin;
pub mod hirschberg_sinclair;
pub mod lelann;
pub mod van_leeuwen_tan;
pub mod vitanyi;

use ringleader_model::{Assumptions, Links, Port, Preset, Starts, Topology};

/// What most elections on unidirectional rings take for granted.
const RING: Assumptions = Assumptions {
    topology: Topology::Ring,
    identities: true,
    known_size: false,
    starts: Starts::Any,
    again: false,
    preset: Preset::Unit,
    compulsory: false,
    links: Links::Fifo,
};

/// What elections on bidirectional rings take for granted.
const BIDIRECTIONAL: Assumptions = Assumptions { topology: Topology::BidirectionalRing, ..RING };

/// The two ports of a bidirectional ring. Which of them is clockwise differs from processor to processor.
const BOTH: [Port; 2] = [Port(0), Port(1)];

/// On a bidirectional ring, the port by which goes on what came in by this one.
const fn onward(port: Port) -> Port {
    Port(port.0 ^ 1)
}
