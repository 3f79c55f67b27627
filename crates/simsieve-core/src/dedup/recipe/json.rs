//! The JSON form of a recipe, for its digest and for other machines.
//!
//! The text is canonical: keys in alphabetical order, no spaces, floats in the shortest form that reads back exactly.
//! No name of a Rust type is part of it, so a renamed variant changes no digest.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{PathOptions, Recipe, Source, Threshold};
use crate::base::error::{Error, Result};
use crate::base::hash::xxh3_128;

/// The version of the form.
const VERSION: u64 = 4;

impl Threshold {
    /// The threshold as JSON: one key, `similarity`, `jaccard` or `max_distance`.
    pub fn to_json(self) -> Value {
        match self {
            Self::Similarity(similarity) => json!({ "similarity": similarity }),
            Self::Jaccard(similarity) => json!({ "jaccard": similarity }),
            Self::Distance(bits) => json!({ "max_distance": bits }),
        }
    }

    /// Reads [`Threshold::to_json`]; `None` for another form.
    pub fn from_json(value: &Value) -> Option<Self> {
        let (key, value) = only_entry(value)?;
        match key {
            "similarity" => value.as_f64().map(Self::Similarity),
            "jaccard" => value.as_f64().map(Self::Jaccard),
            "max_distance" => Some(Self::Distance(whole(value)?)),
            _ => None,
        }
    }
}

impl Source {
    fn to_json(&self) -> Value {
        match self {
            Self::Brute => json!({ "all_pairs": {} }),
            Self::Paths(PathOptions { first, further, bucket, sample_log2 }) => json!({
                "paths": { "first": first, "further": further, "bucket": bucket, "sample_log2": sample_log2 }
            }),
            Self::Blocks { masks } => json!({ "blocks": masks.iter().map(|mask| hex(mask)).collect::<Vec<_>>() }),
        }
    }

    fn from_json(value: &Value) -> Option<Self> {
        let (key, value) = only_entry(value)?;
        match key {
            "all_pairs" => Some(Self::Brute),
            "paths" => Some(Self::Paths(PathOptions {
                first: value["first"].as_f64()?,
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

impl Recipe {
    /// The recipe as canonical JSON, without spaces or line ends.
    ///
    /// ```
    /// use simsieve_core::{dedup::recipe::{Recipe, Threshold}, encode::scheme::Scheme};
    /// let scheme = Scheme::parse("chars128").unwrap();
    /// let recipe = Recipe::new(&scheme, Threshold::Similarity(0.65), 0.98, 0, 200_000).unwrap();
    /// let read = Recipe::from_json(&recipe.to_json()).unwrap();
    /// assert_eq!((read.digest(), &read), (recipe.digest(), &recipe));
    /// ```
    pub fn to_json(&self) -> String {
        let Self {
            threshold,
            source,
            max_bits,
            seed,
            recall,
            log2_n,
            scheme,
        } = self;
        json!({
            "simsieve_recipe": VERSION,
            "scheme": scheme,
            "threshold": threshold.to_json(),
            "source": source.to_json(),
            "max_bits": max_bits,
            "seed": seed,
            "recall": recall,
            "log2_n": log2_n,
        })
        .to_string()
    }

    /// Reads [`Recipe::to_json`], on this machine or another.
    ///
    /// # Errors
    /// [`Error::Config`] if the text is no recipe of this version.
    pub fn from_json(text: &str) -> Result<Self> {
        let wrong = || Error::Config(format!("{text:?} is no recipe of version {VERSION}"));
        let value: Value = serde_json::from_str(text).map_err(|_| wrong())?;
        let read = || {
            if whole::<u64>(&value["simsieve_recipe"]) != Some(VERSION) {
                return None;
            }
            Some(Self {
                threshold: Threshold::from_json(&value["threshold"])?,
                source: Source::from_json(&value["source"])?,
                max_bits: whole(&value["max_bits"])?,
                seed: whole(&value["seed"])?,
                recall: value["recall"].as_f64()?,
                log2_n: whole(&value["log2_n"])?,
                scheme: value["scheme"].as_str()?.to_owned(),
            })
        };
        read().ok_or_else(wrong)
    }

    /// 32 hex digits of the whole recipe: the XXH3-128 of [`Recipe::to_json`].
    pub fn digest(&self) -> String {
        format!("{:032x}", xxh3_128(self.to_json().as_bytes()))
    }
}

/// The key and value of an object with one entry.
fn only_entry(value: &Value) -> Option<(&str, &Value)> {
    let object = value.as_object().filter(|object| object.len() == 1)?;
    object.iter().next().map(|(key, value)| (key.as_str(), value))
}

fn whole<T: TryFrom<u64>>(value: &Value) -> Option<T> {
    T::try_from(value.as_u64()?).ok()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::scheme::Scheme;

    fn recipe(threshold: Threshold, n: u64) -> Recipe {
        Recipe::new(&Scheme::parse("chars128").unwrap(), threshold, 0.98, u64::MAX, n).unwrap()
    }

    #[test]
    fn the_canonical_text_is_pinned() {
        let text = recipe(Threshold::Similarity(0.65), 200_000).to_json();
        assert_eq!(
            text,
            "{\"log2_n\":17,\"max_bits\":55,\"min_agreement\":49,\"recall\":0.98,\"scheme\":\"d010164f333d19fc19b8ab5e37cdeae1\",\
             \"seed\":18446744073709551615,\"short_text_features\":12,\"short_text_partner_features\":30,\
             \"simsieve_recipe\":3,\"sketch_bytes\":192,\"source\":{\"bands\":{\"count\":34,\"rows\":3}},\
             \"threshold\":{\"similarity\":0.65}}"
        );
    }

    #[test]
    fn a_recipe_reads_back_to_the_bit() {
        for threshold in [
            Threshold::Similarity(0.1 + 0.2),
            Threshold::Jaccard(0.48),
            Threshold::Distance(6),
        ] {
            for n in [1, 8192, 50_000_000] {
                let recipe = recipe(threshold, n);
                assert_eq!(Recipe::from_json(&recipe.to_json()).unwrap(), recipe);
            }
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let text = recipe(Threshold::Distance(6), 8192).to_json();
        let cases = [
            String::new(),
            "[]".to_owned(),
            text.replace("recipe\":4", "recipe\":3"),
            text.replace("max_distance", "distance"),
            text.replace("\"log2_n\":13", "\"log2_n\":-1"),
            text.replacen("ffff", "fff", 1),
        ];
        for case in cases {
            assert_ne!(case, text);
            let message = Recipe::from_json(&case).unwrap_err().to_string();
            assert!(message.contains("is no recipe of version 4"), "{message}");
        }
    }
}
