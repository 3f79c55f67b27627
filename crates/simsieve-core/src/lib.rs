//! The core of simsieve: from a document's bytes to a fingerprint, from fingerprints to candidate pairs, from
//! candidates to decisions. It knows no Python.
//!
//! The way of the data, a module each:
//! `read` (sources, records) -> [`text`] (normalise) -> `features` -> `weights` -> `fingerprint` and `sketch`
//! -> `search` (candidates by a `recipe`) -> `verify` -> `decide` -> `write` (sinks).

pub mod again;
#[cfg(test)]
mod again_tests;
#[cfg(test)]
mod against_tests;
pub mod combine;
pub mod decide;
#[cfg(test)]
mod decide_tests;
pub mod documents;
pub mod error;
pub mod exact;
pub mod features;
pub mod fetch;
pub mod fingerprint;
pub mod hamming;
pub mod hash;
#[cfg(test)]
mod jaccard_tests;
pub mod kernel;
pub mod model;
pub mod monitor;
mod offers;
pub mod order;
pub mod output;
pub mod page;
pub mod pairs;
pub mod plan;
pub mod read;
pub mod recall;
pub mod recipe;
pub mod rule;
pub mod run;
pub mod scheme;
pub mod search;
pub mod segment;
#[cfg(target_arch = "x86_64")]
mod simd;
pub mod sketch;
#[cfg(test)]
mod testing;
pub mod text;
pub mod transform;
pub mod verify;
pub mod weights;
pub mod work;
pub mod write;

/// Texts longer than this are refused: offsets inside a text are 31 bits.
pub const MAX_TEXT_BYTES: usize = 1 << 30;
