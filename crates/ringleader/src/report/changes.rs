//! How processors joined and left a ring before its election.

use ringleader_model::ChangedRing;
use schemars::JsonSchema;
use serde::Serialize;

use crate::setup::{RingHistory, Setup};

/// The ring before processors joined and left, and after each change.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChangesReport {
    /// The names before, clockwise.
    pub before: Vec<u64>,
    /// The least of them.
    pub least_before: u64,
    /// The ring after each change.
    pub after: Vec<ChangeReport>,
}

/// A ring after a change.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChangeReport {
    /// The change.
    pub change: String,
    /// The names that who left and a neighbour interchanged: the one that stays, and the other; null if none.
    pub interchanged: Option<[u64; 2]>,
    /// The names, clockwise.
    pub names: Vec<u64>,
    /// The least of them.
    pub least: u64,
}

impl ChangesReport {
    pub(super) fn new(setup: &Setup) -> Option<Self> {
        let RingHistory { before, after } = setup.ring_history().ok()??;
        let least_before = before.iter().copied().min()?;
        Some(Self { before, least_before, after: after.into_iter().map(ChangeReport::from).collect() })
    }
}

impl From<ChangedRing> for ChangeReport {
    fn from(ring: ChangedRing) -> Self {
        let (change, least) = (ring.change.to_string(), ring.least());
        Self { change, interchanged: ring.interchanged.map(|(stays, goes)| [stays, goes]), names: ring.names, least }
    }
}
