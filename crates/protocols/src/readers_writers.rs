//! Readers and writers: kept apart by a lock, or free to read again.

pub mod lamport;
pub mod spirakis_tampakas;
