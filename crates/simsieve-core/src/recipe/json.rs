//! The JSON form of a recipe, for its digest and for other machines.
//!
//! The text is canonical: keys in alphabetical order, no spaces, floats in the shortest form that reads back exactly.
//! No name of a Rust type is part of it, so a renamed variant changes no digest.

use serde_json::Value;

/// The version of the form.
pub(super) const VERSION: u64 = 5;

/// The key and value of an object with one entry.
pub(super) fn only_entry(value: &Value) -> Option<(&str, &Value)> {
    let object = value.as_object().filter(|object| object.len() == 1)?;
    object.iter().next().map(|(key, value)| (key.as_str(), value))
}

pub(super) fn whole<T: TryFrom<u64>>(value: &Value) -> Option<T> {
    T::try_from(value.as_u64()?).ok()
}

#[cfg(test)]
mod tests {
    use crate::encode::scheme::Scheme;
    use crate::recipe::{Recipe, Threshold};

    fn recipe(threshold: Threshold, n: u64) -> Recipe {
        Recipe::new(&Scheme::parse("chars128").unwrap(), threshold, 0.98, u64::MAX, n).unwrap()
    }

    #[test]
    fn the_canonical_text_is_pinned() {
        let text = recipe(Threshold::Similarity(0.65), 200_000).to_json();
        assert_eq!(
            text,
            "{\"log2_n\":17,\"max_bits\":185,\"recall\":0.98,\"scheme\":\"70dbd6a7783bb763c255a7cd5ddbd0d0\",\
             \"seed\":18446744073709551615,\"simsieve_recipe\":5,\"source\":{\"paths\":{\"bucket\":128,\
             \"first\":6,\"further\":2.4,\"sample_log2\":4}},\"threshold\":{\"similarity\":0.65}}"
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
            text.replace("recipe\":5", "recipe\":4"),
            text.replace("max_distance", "distance"),
            text.replace("\"log2_n\":13", "\"log2_n\":-1"),
            text.replace("all_pairs", "blocks"),
        ];
        for case in cases {
            assert_ne!(case, text);
            let message = Recipe::from_json(&case).unwrap_err().to_string();
            assert!(message.contains("is no recipe of version 5"), "{message}");
        }
    }
}
