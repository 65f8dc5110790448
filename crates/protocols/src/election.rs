//! Leader election.

pub mod chang_roberts;
pub mod dolev_klawe_rodeh;
pub mod lelann;
pub mod peterson;
pub mod peterson_alternating;
pub mod vitanyi;

use ringleader_model::{Assumptions, Instance, Links, Preset, Starts, Topology};

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

/// Whether a run is one of which something is proved by protocols that need links that are first in, first out.
fn orderly(instance: &Instance<'_>) -> bool {
    instance.undisturbed && instance.links != Links::Any
}
