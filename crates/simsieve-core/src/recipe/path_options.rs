//! How paths are made of a collection.

use serde_json::{Value, json};

use super::json::whole;
use crate::encode::paths::Rates;

/// How many features a text selects for its paths ([`crate::encode::paths`]), and the sample that freezes them.
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
    /// The rates of these paths, with `even` features selected evenly.
    pub const fn rates(&self, even: u32) -> Rates {
        Rates {
            first: self.first,
            further: self.further,
            even,
        }
    }

    /// The numbers as JSON.
    pub(super) fn to_json(self) -> Value {
        let Self {
            first,
            further,
            bucket,
            sample_log2,
        } = self;
        json!({ "first": first, "further": further, "bucket": bucket, "sample_log2": sample_log2 })
    }

    /// Reads [`PathOptions::to_json`]; `None` for another form.
    pub(super) fn from_json(value: &Value) -> Option<Self> {
        Some(Self {
            first: whole(&value["first"])?,
            further: value["further"].as_f64()?,
            bucket: whole(&value["bucket"])?,
            sample_log2: whole(&value["sample_log2"])?,
        })
    }
}
