//! What the protocols of tests have in common.

use ringleader_model::{Assumptions, Description, Kind, Links, Message, Preset, Reading, Starts, Topology};

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
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Word(pub(crate) u32);

impl Message for Word {
    const KINDS: &'static [Kind] = &[Kind::work("word")];

    fn kind(&self) -> usize {
        0
    }

    fn bits(&self) -> u64 {
        0
    }
}
