//! Similarity of the features themselves: it decides under `similarity`, for all candidates.
//!
//! All sums are of integers. So a similarity does not depend on the order of features or texts, or on threads.

use crate::base::error::{Error, Result};
use crate::encode::scheme::{Scheme, Scratch};
use crate::encode::tokenize::windows::Features;

/// A text's features without the text: one side of a comparison.
#[derive(Debug, Default, Clone)]
pub struct FeatureList {
    hashes: Vec<u64>,
    /// Empty if every weight is 1.
    weights: Vec<u32>,
    norm: u128,
    /// As in [`Scratch`].
    shift: u32,
}

impl FeatureList {
    /// Copies the features of [`Scheme::extract`] from `scratch`.
    pub fn of(scratch: &Scratch) -> Self {
        Self {
            hashes: scratch.features.hashes().to_vec(),
            weights: scratch.weights.clone(),
            norm: norm(&scratch.features, &scratch.weights),
            shift: scratch.shift,
        }
    }

    /// The features, each with its weight.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u32)> + Clone {
        weighed(&self.hashes, &self.weights)
    }

    /// The features.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// Whether every weight is 1.
    pub(crate) fn counts_once(&self) -> bool {
        self.weights.is_empty()
    }

    /// The sum of squared weights.
    pub(crate) fn norm(&self) -> u128 {
        self.norm
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

/// The features of [`Scheme::extract`] in `scratch`, each with its weight.
pub(crate) fn features_of(scratch: &Scratch) -> impl Iterator<Item = (u64, u32)> + Clone {
    weighed(scratch.features.hashes(), &scratch.weights)
}

/// Hashes with their weights; without weights all are 1.
fn weighed(hashes: &[u64], weights: &[u32]) -> impl Iterator<Item = (u64, u32)> + Clone {
    let weight = |at: usize| weights.get(at).copied().unwrap_or(1);
    hashes.iter().enumerate().map(move |(at, &hash)| (hash, weight(at)))
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

/// The sum of squared weights of the features of [`Scheme::extract`] in `scratch`.
pub(crate) fn norm_of(scratch: &Scratch) -> u128 {
    norm(&scratch.features, &scratch.weights)
}

/// The dot product of two texts' weighted features, and that of each text with itself: its norm, squared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Products {
    pub(crate) dot: u128,
    pub(crate) a: u128,
    pub(crate) b: u128,
}

impl Products {
    /// As [`cosine_at_least`].
    pub(crate) fn cosine_at_least(self, threshold: f64) -> Option<f64> {
        if self.a == 0 || self.b == 0 {
            return None;
        }
        let cosine = (self.dot as f64 / self.scale()).min(1.0);
        (cosine >= threshold).then_some(cosine)
    }

    /// The product of both norms.
    fn scale(self) -> f64 {
        (self.a as f64 * self.b as f64).sqrt()
    }

    /// The overlap of texts whose features count once; `None` if either has none.
    pub(crate) fn overlap(self) -> Option<FeatureOverlap> {
        let Self { dot: shared, a, b } = self;
        (a > 0 && b > 0).then_some(FeatureOverlap { shared, a, b })
    }
}

/// The cosine of the weighted features of the text in `scratch` and of `other`; `None` if either has no features.
///
/// Complexity: one look-up a feature of `other`.
pub fn cosine(scratch: &Scratch, other: &FeatureList) -> Option<f64> {
    cosine_at_least(scratch, other, 0.0)
}

/// As [`cosine`] if that is at least `threshold`; else `None`, as early as that is certain.
pub fn cosine_at_least(scratch: &Scratch, other: &FeatureList, threshold: f64) -> Option<f64> {
    let mut products = Products {
        dot: 0,
        a: norm_of(scratch),
        b: other.norm,
    };
    if other.weights.is_empty() {
        let needed = threshold * products.scale();
        products.dot = u128::from(shared(&scratch.features, &other.hashes, needed)?);
    } else {
        for (&hash, &weight) in other.hashes.iter().zip(&other.weights) {
            if let Some(place) = scratch.features.place(hash) {
                products.dot += square(weight, scratch.weights[place]);
            }
        }
    }
    products.cosine_at_least(threshold)
}

/// The weighted Jaccard similarity of the text in `scratch` and of `other` if that is at least `threshold`; else
/// `None`, as early as that is certain. Otherwise as [`cosine`].
pub fn jaccard_at_least(scratch: &Scratch, other: &FeatureList, threshold: f64) -> Option<f64> {
    let found = if scratch.weights.is_empty() && other.weights.is_empty() {
        let (a, b) = (scratch.features.len(), other.len());
        if a == 0 || b == 0 {
            return None;
        }
        // Sets with a Jaccard similarity of s share s (a + b) / (1 + s) features.
        let needed = threshold * (a + b) as f64 / (1.0 + threshold);
        let shared = shared(&scratch.features, &other.hashes, needed)?;
        FeatureOverlap {
            shared: u128::from(shared),
            a: a as u128,
            b: b as u128,
        }
    } else {
        overlap(scratch, other)?
    };
    Some(found.jaccard()).filter(|&jaccard| jaccard >= threshold)
}

/// The share of the features in `scratch` that `other` has, if that is at least `threshold`; else `None`, as early as that is certain. Both
/// have features that count once.
pub fn contained_at_least(scratch: &Scratch, other: &FeatureList, threshold: f64) -> Option<f64> {
    let own = scratch.features.len() as f64;
    let shared = shared(&scratch.features, &other.hashes, threshold * own)?;
    let share = shared as f64 / own;
    (share >= threshold).then_some(share)
}

/// How many of `hashes` are among `features`; `None` once it is certain to be less than `needed`.
fn shared(features: &Features, hashes: &[u64], needed: f64) -> Option<u64> {
    const BLOCK: usize = 256;
    let mut shared = 0;
    let mut rest = hashes.len();
    for block in hashes.chunks(BLOCK) {
        shared += features.count_of(block);
        rest -= block.len();
        // One less allows for the rounding of `needed`.
        if ((shared + rest) as f64) < needed - 1.0 {
            return None;
        }
    }
    Some(shared as u64)
}

/// The similarity of two texts under a scheme; `None` if either has no features.
///
/// # Errors
/// [`Error::Text`] if the scheme cannot use one of them (`a` is text 0); [`Error::Config`] if the scheme has no
/// features.
///
/// ```
/// use simsieve_core::encode::{scheme::Scheme, similarity::similarity};
/// let scheme = Scheme::parse("chars64").unwrap();
/// assert_eq!(similarity(&scheme, "Hello, World", "hello world!").unwrap(), Some(1.0));
/// assert_eq!(similarity(&scheme, "Hello", "?!").unwrap(), None);
/// ```
pub fn similarity(scheme: &Scheme, a: &str, b: &str) -> Result<Option<f64>> {
    Measure::Cosine.between(scheme, a, b)
}

/// The overlap of two weighted sets of features: the sum of weights of each, and the sum of the lesser weight of each
/// feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeatureOverlap {
    /// The sum over all features of the lesser of the two weights.
    pub shared: u128,
    /// The sum of the first text's weights.
    pub a: u128,
    /// The sum of the second's.
    pub b: u128,
}

impl FeatureOverlap {
    /// The weighted Jaccard similarity: the sum of the lesser weights divided by the sum of the greater ones. For
    /// features counted once it is the Jaccard similarity of the sets.
    ///
    /// ```
    /// use simsieve_core::encode::similarity::FeatureOverlap;
    /// let overlap = FeatureOverlap { shared: 2, a: 4, b: 3 };
    /// assert_eq!((overlap.jaccard(), overlap.containment()), (0.4, 0.5));
    /// ```
    pub fn jaccard(self) -> f64 {
        self.shared as f64 / (self.a + self.b - self.shared) as f64
    }

    /// The share of the first text's weight that the second has.
    pub fn containment(self) -> f64 {
        self.shared as f64 / self.a as f64
    }
}

/// The overlap of the text in `scratch` and `other`; `None` if all weights of either are zero.
///
/// Complexity: one look-up a feature of `other`.
pub fn overlap(scratch: &Scratch, other: &FeatureList) -> Option<FeatureOverlap> {
    let weight = |weights: &[u32], at: usize, shift: u32| u128::from(weights.get(at).copied().unwrap_or(1)) << shift;
    let own = |at: usize| weight(&scratch.weights, at, scratch.shift);
    let others = |at: usize| weight(&other.weights, at, other.shift);
    // Features of weight 1 have no places, and need none.
    let shared = |(at, &hash): (usize, &u64)| {
        if scratch.weights.is_empty() {
            return u128::from(scratch.features.contains(hash));
        }
        let place = scratch.features.place(hash);
        place.map_or(0, |place| own(place).min(others(at)))
    };
    let found = FeatureOverlap {
        shared: other.hashes.iter().enumerate().map(shared).sum(),
        a: (0..scratch.features.len()).map(own).sum(),
        b: (0..other.len()).map(others).sum(),
    };
    (found.a > 0 && found.b > 0).then_some(found)
}

/// How similarity is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The cosine of the angle between the weighted feature vectors.
    Cosine,
    /// The weighted Jaccard similarity: [`FeatureOverlap::jaccard`].
    Jaccard,
    /// The share of the first text's weight that the second has: [`FeatureOverlap::containment`]. It is no similarity, because
    /// the order matters.
    Containment,
}

impl Measure {
    /// Reads a measure's name.
    ///
    /// # Errors
    /// [`Error::Config`] that lists the measures.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "cosine" => Ok(Self::Cosine),
            "jaccard" => Ok(Self::Jaccard),
            "containment" => Ok(Self::Containment),
            _ => Err(Error::Config(msg!(
                "measure {name:?} is unknown; there are cosine, jaccard and containment"
            ))),
        }
    }

    /// The similarity of two texts by this measure; `None` if either has no features.
    ///
    /// # Errors
    /// As [`similarity`].
    pub fn between(self, scheme: &Scheme, a: &str, b: &str) -> Result<Option<f64>> {
        scheme.check_similarity()?;
        let mut scratches = [Scratch::default(), Scratch::default()];
        for (index, (text, scratch)) in [a, b].iter().zip(&mut scratches).enumerate() {
            scheme
                .extract(text, scratch)
                .map_err(|refusal| refusal.of_text(index))?;
        }
        let (first, second) = (&scratches[0], FeatureList::of(&scratches[1]));
        Ok(match self {
            Self::Cosine => cosine(first, &second),
            Self::Jaccard => overlap(first, &second).map(FeatureOverlap::jaccard),
            Self::Containment => overlap(first, &second).map(FeatureOverlap::containment),
        })
    }
}

#[cfg(test)]
#[path = "similarity_tests.rs"]
mod tests;
