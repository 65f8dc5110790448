//! Leader election.

pub mod chang_roberts;
pub mod lelann;
pub mod vitanyi;
