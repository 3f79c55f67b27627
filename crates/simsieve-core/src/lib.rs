//! The core of simsieve: from a document's bytes to a fingerprint, from fingerprints to candidate pairs, from
//! candidates to decisions. It knows no Python.

pub mod base;
pub mod dedup;
pub mod encode;
pub mod hamming;
pub mod runs;
pub mod sink;
pub mod source;
pub mod storage;
#[cfg(test)]
mod tests;
pub mod text;
