//! Leader election.

pub mod chang_roberts;
pub mod frederickson_lynch;
pub mod itai_rodeh;
pub mod itai_rodeh_sync;
pub mod lelann;
pub mod time_slice;
pub mod vitanyi;

use ringleader_model::{Assumptions, Links, Preset, Starts, Topology, Value};

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

/// What elections on synchronous rings take for granted: rounds, and everybody begins in the same one.
const SYNCHRONOUS_RING: Assumptions =
    Assumptions { starts: Starts::Together, preset: Preset::Rounds, compulsory: true, ..RING };

/// N·H_N, where H_N = 1 + 1/2 + … + 1/N.
fn n_times_harmonic(n: u64) -> Value {
    (1..=n).map(|k| Value::ratio(u128::from(n), u128::from(k))).fold(Value::ZERO, |sum, term| sum + term)
}
