//! Which pairs are candidates: documents and their recipes, the frozen set of a sample, and the search by keys.
//!
//! In: records and options. Out: candidate pairs, and the members of large buckets.

pub mod candidates;
pub mod documents;
pub(crate) mod feature_bits;
pub mod features;
pub mod found;
pub mod sample;
pub mod stream;
pub mod tables;
