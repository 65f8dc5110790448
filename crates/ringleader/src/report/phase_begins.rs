//! When the phases of a run begin.

use ringleader_sim::PhaseBegin;
use schemars::JsonSchema;
use serde::Serialize;

/// When a phase begins.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PhaseBeginReport {
    /// The clock when the first processor begins it, or calls for it.
    pub called: u64,
    /// The clock when the last processor that begins it does so; null if none does.
    pub last: Option<u64>,
    /// How many processors begin it.
    pub begun_by: u64,
}

impl From<&PhaseBegin> for PhaseBeginReport {
    fn from(&PhaseBegin { called, last, begun_by }: &PhaseBegin) -> Self {
        Self { called, last, begun_by }
    }
}
