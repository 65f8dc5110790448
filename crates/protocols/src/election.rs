//! Leader election.

pub mod chang_roberts;
pub mod lelann;
pub mod vitanyi;

use ringleader_model::{Assumptions, Links, Preset, Starts, Topology};

/// What most elections on unidirectional rings take for granted.
pub(crate) const RING: Assumptions = Assumptions {
    topology: Topology::Ring,
    identities: true,
    known_size: false,
    starts: Starts::Any,
    again: false,
    preset: Preset::Unit,
    compulsory: false,
    links: Links::Fifo,
};
