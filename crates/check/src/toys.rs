//! What the protocols of tests have in common.

use ringleader_model::{Assumptions, Description, Links, Message, Preset, Reading, Starts, Topology};
use serde::Serialize;

pub(crate) const ASSUMPTIONS: Assumptions = Assumptions {
    topology: Topology::Ring,
    identities: false,
    known_size: false,
    starts: Starts::Any,
    again: false,
    preset: Preset::Unit,
    compulsory: false,
    readings: &Reading::ALL,
    timed: true,
    ports_alike: false,
    links: Links::Fifo,
};

pub(crate) const DESCRIPTION: Description = Description {
    name: "toy",
    title: "",
    sources: &[],
    idea: "",
    rules: &[],
    assumptions: ASSUMPTIONS,
    parameters: &[],
    errata: &[],
};

/// A message.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
pub(crate) struct Word(pub(crate) u32);
