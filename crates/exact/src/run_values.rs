//! The quantities that are measured of every run.

use ringleader_model::{Kind, Part};

use crate::{KINDS, RunCounts};

/// The quantities that do not depend on the kinds of messages.
pub const COMMON: usize = 7;
/// The most quantities: those of kinds of messages follow the common ones.
pub const QUANTITIES: usize = COMMON + KINDS;

/// What a run measured, and whether it was right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunValues {
    /// All messages, those of the work, those of the announcement, bits, the time of the end and of the election, and the
    /// highest phase; then messages by kind.
    pub values: [u64; QUANTITIES],
    /// One leader was elected, on whom all agree.
    pub sound: bool,
}

impl RunValues {
    /// Of a run with these kinds of messages.
    #[inline]
    pub fn new(counts: &RunCounts, kinds: &[Kind]) -> Self {
        let mut values = [0; QUANTITIES];
        values[..COMMON].copy_from_slice(&[
            counts.messages(),
            counts.part(kinds, Part::Work),
            counts.part(kinds, Part::Announcement),
            counts.bits,
            counts.time,
            counts.time_elected.unwrap_or(counts.time),
            counts.phases.unwrap_or(0).into(),
        ]);
        for (value, passes) in values[COMMON..].iter_mut().zip(counts.by_kind) {
            *value = passes.into();
        }
        Self { values, sound: counts.agreed && counts.leader.is_some() }
    }
}
