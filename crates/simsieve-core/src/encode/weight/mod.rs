//! How much a feature weighs: by its count, by a model, by its place in a page, by parts of speech, or as a user says.

pub mod custom;
pub(crate) mod depth;
pub mod entropy;
mod idf;
pub(crate) mod lines;
pub mod pos;
mod rule;
mod weighting;

pub use idf::idf;
pub use rule::Weights;
pub(crate) use weighting::Rule;
pub use weighting::Weighting;
