//! Similarity computed on the features themselves: what decides under `similarity` whatever the search proposed.
//!
//! All sums are of whole numbers, so a similarity does not depend on the order of features, on threads or on which of
//! the two texts comes first.

use crate::error::{Error, Result};
use crate::features::Features;
use crate::scheme::{Scheme, Scratch};

/// A text's features without the text: what one side of a comparison needs.
#[derive(Debug, Default, Clone)]
pub struct FeatureList {
    hashes: Vec<u64>,
    /// Empty where every weight is 1.
    weights: Vec<u32>,
    norm: u128,
}

impl FeatureList {
    /// Copies what [`Scheme::extract`] left in `scratch`.
    pub fn of(scratch: &Scratch) -> Self {
        Self {
            hashes: scratch.features.hashes().to_vec(),
            weights: scratch.weights.clone(),
            norm: norm(&scratch.features, &scratch.weights),
        }
    }

    /// The features, each with its weight.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u32)> {
        let weight = |at: usize| self.weights.get(at).copied().unwrap_or(1);
        self.hashes
            .iter()
            .enumerate()
            .map(move |(at, &hash)| (hash, weight(at)))
    }

    /// The features.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// How many features there are.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }
}

/// The sum of squared weights, which may be 2^95: a weight is below 2^32, and a text has fewer than 2^31 features.
fn norm(features: &Features, weights: &[u32]) -> u128 {
    if weights.is_empty() {
        features.len() as u128
    } else {
        weights.iter().map(|&weight| square(weight, weight)).sum()
    }
}

fn square(a: u32, b: u32) -> u128 {
    u128::from(u64::from(a) * u64::from(b))
}

/// The cosine of the weighted features of the text in `scratch` and of `other`; `None` where either has no features,
/// for then it is near to nothing.
///
/// Complexity: one look-up a feature of `other`.
pub fn cosine(scratch: &Scratch, other: &FeatureList) -> Option<f64> {
    cosine_at_least(scratch, other, 0.0)
}

/// As [`cosine`] where that is at least `threshold`; else `None`, as early as that is certain.
pub fn cosine_at_least(scratch: &Scratch, other: &FeatureList, threshold: f64) -> Option<f64> {
    let own = norm(&scratch.features, &scratch.weights);
    if own == 0 || other.norm == 0 {
        return None;
    }
    let scale = (own as f64 * other.norm as f64).sqrt();
    let dot = if other.weights.is_empty() {
        u128::from(shared(&scratch.features, &other.hashes, threshold * scale)?)
    } else {
        let mut dot = 0_u128;
        for (&hash, &weight) in other.hashes.iter().zip(&other.weights) {
            if let Some(place) = scratch.features.place(hash) {
                dot += square(weight, scratch.weights[place]);
            }
        }
        dot
    };
    let cosine = (dot as f64 / scale).min(1.0);
    (cosine >= threshold).then_some(cosine)
}

/// How many of `hashes` are among `features`; `None` once it is certain to be less than `needed`.
fn shared(features: &Features, hashes: &[u64], needed: f64) -> Option<u64> {
    const BLOCK: usize = 256;
    let mut shared = 0;
    let mut rest = hashes.len();
    for block in hashes.chunks(BLOCK) {
        shared += block.iter().filter(|&&hash| features.contains(hash)).count();
        rest -= block.len();
        // One less than needed leaves room for the rounding of `needed`.
        if ((shared + rest) as f64) < needed - 1.0 {
            return None;
        }
    }
    Some(shared as u64)
}

/// The largest cosine that two sets of these sizes can have, each feature of weight 1.
pub fn best_cosine_of_sizes(a: u32, b: u32) -> f64 {
    let (small, large) = (a.min(b), a.max(b));
    if large == 0 {
        0.0
    } else {
        (f64::from(small) / f64::from(large)).sqrt()
    }
}

/// The similarity of two texts under a scheme; `None` where either has no features.
///
/// # Errors
/// [`Error::Text`] where the scheme cannot use one of them, `a` being text 0; [`Error::Config`] where it has no features.
///
/// ```
/// use simsieve_core::{scheme::Scheme, verify::similarity};
/// let scheme = Scheme::parse("chars64").unwrap();
/// assert_eq!(similarity(&scheme, "Hello, World", "hello world!").unwrap(), Some(1.0));
/// assert_eq!(similarity(&scheme, "Hello", "?!").unwrap(), None);
/// ```
pub fn similarity(scheme: &Scheme, a: &str, b: &str) -> Result<Option<f64>> {
    scheme.check_similarity()?;
    let mut scratches = [Scratch::default(), Scratch::default()];
    for (index, (text, scratch)) in [a, b].iter().zip(&mut scratches).enumerate() {
        scheme
            .extract(text, scratch)
            .map_err(|refusal| refusal.of_text(index))?;
    }
    Ok(cosine(&scratches[0], &FeatureList::of(&scratches[1])))
}

/// How similarity is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The cosine of the angle between the weighted feature vectors.
    Cosine,
}

impl Measure {
    /// Reads a measure's name.
    ///
    /// # Errors
    /// [`Error::Config`] that says which there are.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "cosine" => Ok(Self::Cosine),
            _ => Err(Error::Config(format!("measure {name:?} is unknown; there is cosine"))),
        }
    }

    /// The similarity of two texts; `None` where either has no features.
    ///
    /// # Errors
    /// As [`similarity`].
    pub fn between(self, scheme: &Scheme, a: &str, b: &str) -> Result<Option<f64>> {
        match self {
            Self::Cosine => similarity(scheme, a, b),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    fn plain_cosine(scheme: &Scheme, a: &str, b: &str) -> Option<f64> {
        let weighted = |text: &str| -> HashMap<u64, u64> {
            let mut scratch = Scratch::default();
            scheme.extract(text, &mut scratch).unwrap();
            let weight = |at: usize| scratch.weights.get(at).map_or(1, |&w| u64::from(w));
            scratch
                .features
                .hashes()
                .iter()
                .enumerate()
                .map(|(at, &hash)| (hash, weight(at)))
                .collect()
        };
        let (x, y) = (weighted(a), weighted(b));
        let norm = |side: &HashMap<u64, u64>| side.values().map(|w| w * w).sum::<u64>() as f64;
        let dot: u64 = x.iter().map(|(hash, w)| w * y.get(hash).unwrap_or(&0)).sum();
        (!x.is_empty() && !y.is_empty()).then(|| (dot as f64 / (norm(&x) * norm(&y)).sqrt()).min(1.0))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn similarity_is_the_plain_cosine_and_symmetric(a in "[ab中文 ]{0,60}", b in "[ab中文 ]{0,60}") {
            for spec in ["chars64", "chars64:n=2,weights=tf", "chars64:n=2,weights=log"] {
                let scheme = Scheme::parse(spec).unwrap();
                prop_assert_eq!(similarity(&scheme, &a, &b).unwrap(), plain_cosine(&scheme, &a, &b));
                prop_assert_eq!(similarity(&scheme, &a, &b).unwrap(), similarity(&scheme, &b, &a).unwrap());
            }
        }

        #[test]
        fn leaving_early_changes_no_answer(a in "[a-d]{0,800}", b in "[a-d]{0,800}", threshold in 0.0..1.0_f64) {
            let scheme = Scheme::parse("chars64:n=3").unwrap();
            let mut scratch = Scratch::default();
            scheme.extract(&b, &mut scratch).unwrap();
            let other = FeatureList::of(&scratch);
            scheme.extract(&a, &mut scratch).unwrap();
            let whole = cosine(&scratch, &other).filter(|&c| c >= threshold);
            prop_assert_eq!(cosine_at_least(&scratch, &other, threshold), whole);
        }
    }

    #[test]
    fn sizes_bound_the_cosine() {
        assert!((best_cosine_of_sizes(4, 9) - 2.0 / 3.0).abs() < 1e-12);
        assert!(best_cosine_of_sizes(0, 0).abs() < 1e-12);
    }
}
