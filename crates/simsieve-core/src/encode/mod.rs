//! A text becomes features, weights, a fingerprint and a sketch, under a scheme.

pub mod encoder;
pub mod feature_bits;
pub mod fingerprint;
pub mod hash;
pub mod input;
pub mod lost;
pub mod model;
pub mod paths;
pub mod scheme;
pub mod similarity;
pub mod sketch;
pub mod tokenize;
pub mod unusable_text;
pub mod weight;
