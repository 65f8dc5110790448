//! One token on a ring.

pub mod token_ring;
