//! Where candidate pairs come from.

use serde_json::{Value, json};

use super::json::{only_entry, whole};
use crate::encode::paths::Rates;

/// How candidates are found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SearchMethod {
    /// Every pair that passes the filter: in small collections, and within a distance.
    EveryPair,
    /// Pairs that have a key in common: a path of chosen features ([`crate::encode::paths`]).
    Paths(PathOptions),
}

/// How paths are made of a collection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathOptions {
    /// Features that a text selects at the first level.
    pub first: u32,
    /// Features that a text selects for each path that is split, in the mean.
    pub further: f64,
    /// A path of more texts than this is split.
    pub bucket: u32,
    /// One text of `2^sample_log2` is in the sample; of fewer where the sample would have too many features.
    pub sample_log2: u32,
}

impl PathOptions {
    /// The rates of these paths, with so many features selected evenly.
    pub const fn rates(&self, even: u32) -> Rates {
        Rates {
            first: self.first,
            further: self.further,
            even,
        }
    }
}

impl SearchMethod {
    /// The source as JSON: one key, `all_pairs` or `paths`.
    pub(super) fn to_json(&self) -> Value {
        match self {
            Self::EveryPair => json!({ "all_pairs": {} }),
            Self::Paths(PathOptions {
                first,
                further,
                bucket,
                sample_log2,
            }) => json!({
                "paths": { "first": first, "further": further, "bucket": bucket, "sample_log2": sample_log2 }
            }),
        }
    }

    /// Reads [`SearchMethod::to_json`]; `None` for another form.
    pub(super) fn from_json(value: &Value) -> Option<Self> {
        let (key, value) = only_entry(value)?;
        match key {
            "all_pairs" => Some(Self::EveryPair),
            "paths" => Some(Self::Paths(PathOptions {
                first: whole(&value["first"])?,
                further: value["further"].as_f64()?,
                bucket: whole(&value["bucket"])?,
                sample_log2: whole(&value["sample_log2"])?,
            })),
            _ => None,
        }
    }
}
