//! Readers and writers of shared data.

pub mod lamport;
