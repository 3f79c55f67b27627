//! The core of simsieve: from a document's bytes to a fingerprint, from fingerprints to candidate pairs, from
//! candidates to decisions. It knows no Python.
//!
//! The way of the data, a module each:
//! `read` (sources, records) -> [`text`] (normalise) -> `features` -> `weights` -> `fingerprint` and `sketch`
//! -> `search` (candidates by a `recipe`) -> `verify` -> `decide` -> `write` (sinks).

pub mod error;
pub mod features;
pub mod fingerprint;
pub mod hash;
pub mod kernel;
pub mod monitor;
pub mod scheme;
pub mod sketch;
pub mod text;
pub mod weights;

/// Texts longer than this are refused: offsets inside a text are 31 bits.
pub const MAX_TEXT_BYTES: usize = 1 << 30;
