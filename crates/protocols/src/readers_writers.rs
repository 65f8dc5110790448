//! Readers and writers.

pub mod spirakis_tampakas;
