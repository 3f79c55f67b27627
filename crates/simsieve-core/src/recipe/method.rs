//! Where candidate pairs come from.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::json::{only_entry, whole};
use crate::encode::paths::Rates;

/// How candidates are found.
#[derive(Debug, Clone, PartialEq)]
pub enum SearchMethod {
    /// Every pair: for small collections.
    Brute,
    /// Pairs that have a key in common: a path of chosen features ([`crate::encode::paths`]).
    Paths(PathOptions),
    /// Pairs whose fingerprints agree in all bits of one of these masks (row-major, `words` a mask): by the pigeonhole,
    /// every pair within the distance does.
    Blocks {
        /// The masks, one a table.
        masks: Vec<Vec<u64>>,
    },
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
    /// The source as JSON: one key, `all_pairs`, `paths` or `blocks`.
    pub(super) fn to_json(&self) -> Value {
        match self {
            Self::Brute => json!({ "all_pairs": {} }),
            Self::Paths(PathOptions {
                first,
                further,
                bucket,
                sample_log2,
            }) => json!({
                "paths": { "first": first, "further": further, "bucket": bucket, "sample_log2": sample_log2 }
            }),
            Self::Blocks { masks } => json!({ "blocks": masks.iter().map(|mask| hex(mask)).collect::<Vec<_>>() }),
        }
    }

    /// Reads [`SearchMethod::to_json`]; `None` for another form.
    pub(super) fn from_json(value: &Value) -> Option<Self> {
        let (key, value) = only_entry(value)?;
        match key {
            "all_pairs" => Some(Self::Brute),
            "paths" => Some(Self::Paths(PathOptions {
                first: whole(&value["first"])?,
                further: value["further"].as_f64()?,
                bucket: whole(&value["bucket"])?,
                sample_log2: whole(&value["sample_log2"])?,
            })),
            "blocks" => {
                let masks = value.as_array()?.iter().map(|mask| words(mask.as_str()?));
                Some(Self::Blocks {
                    masks: masks.collect::<Option<_>>()?,
                })
            }
            _ => None,
        }
    }
}

/// The words of a mask as hex digits, the most significant word first.
fn hex(mask: &[u64]) -> String {
    mask.iter().rev().fold(String::new(), |mut text, word| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{word:016x}");
        text
    })
}

fn words(hex: &str) -> Option<Vec<u64>> {
    if !hex.is_ascii() || !hex.len().is_multiple_of(16) {
        return None;
    }
    (0..hex.len() / 16)
        .rev()
        .map(|at| u64::from_str_radix(&hex[16 * at..16 * (at + 1)], 16).ok())
        .collect()
}
