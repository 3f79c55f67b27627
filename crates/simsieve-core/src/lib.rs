//! The core of simsieve: from a document's bytes to a fingerprint, from fingerprints to candidate pairs, from
//! candidates to decisions. It knows no Python.
//!
//! The way of the data, a module each:
//! [`read`] (sources, records) -> [`text`] (normalise) -> [`features`] -> [`weights`] -> [`fingerprint`] and [`sketch`]
//! -> [`search`] (candidates by a [`recipe`]) -> [`verify`] -> [`decide`] -> [`write`](mod@write) (sinks).

pub mod error;
pub mod hamming;
pub mod monitor;
