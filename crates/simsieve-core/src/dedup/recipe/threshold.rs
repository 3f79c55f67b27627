//! Thresholds, and the least similarity of near texts that follows.

use std::fmt;

use serde_json::{Value, json};

use super::json::{only_entry, whole};
use crate::base::error::{Error, Result};
use crate::encode::similarity::Measure;

/// The user's threshold; bounds are inclusive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Threshold {
    /// Cosine of the weighted features, above 0 and at most 1.
    Similarity(f64),
    /// Jaccard similarity of the sets of features, above 0 and at most 1; for features that count once.
    Jaccard(f64),
    /// Hamming distance of the fingerprints, in bits, below the width.
    Distance(u32),
}

impl Threshold {
    /// The one given threshold; `measure` is the measure of a similarity.
    ///
    /// # Errors
    /// [`Error::Config`] if both or none are given, or for [`Measure::Containment`], which is no similarity.
    ///
    /// ```
    /// use simsieve_core::{dedup::recipe::Threshold, encode::similarity::Measure};
    /// let threshold = Threshold::of(Some(0.5), None, Measure::Jaccard).unwrap();
    /// assert_eq!(threshold.least_cosine(), Some(2.0 / 3.0));
    /// ```
    pub fn of(similarity: Option<f64>, max_distance: Option<u32>, measure: Measure) -> Result<Self> {
        match (similarity, max_distance, measure) {
            (Some(similarity), None, Measure::Cosine) => Ok(Self::Similarity(similarity)),
            (Some(similarity), None, Measure::Jaccard) => Ok(Self::Jaccard(similarity)),
            (Some(_), None, Measure::Containment) => Err(Error::Config(
                "measure containment is no similarity, for the order of two texts matters; give cosine or jaccard"
                    .to_owned(),
            )),
            (None, Some(bits), _) => Ok(Self::Distance(bits)),
            _ => Err(Error::Config("give either similarity or max_distance".to_owned())),
        }
    }

    /// The least similarity of near texts, by its own measure; `None` under a distance.
    pub fn similarity(self) -> Option<f64> {
        match self {
            Self::Similarity(similarity) | Self::Jaccard(similarity) => Some(similarity),
            Self::Distance(_) => None,
        }
    }

    /// Whether features decide, not bits.
    pub fn by_similarity(self) -> bool {
        self.similarity().is_some()
    }

    /// The same threshold at another similarity; a distance stays as it is.
    #[must_use]
    pub fn at(self, similarity: f64) -> Self {
        match self {
            Self::Similarity(_) => Self::Similarity(similarity),
            Self::Jaccard(_) => Self::Jaccard(similarity),
            Self::Distance(_) => self,
        }
    }

    /// The name of the measure in decisions.
    pub fn measure(self) -> &'static str {
        match self {
            Self::Similarity(_) => "cosine",
            Self::Jaccard(_) => "jaccard",
            Self::Distance(_) => "hamming",
        }
    }

    /// The least cosine of near texts; `None` under a distance.
    ///
    /// Sets of `a` and `b` features with a Jaccard similarity of `s` share `s (a + b) / (1 + s)` of them. Their cosine
    /// is this number divided by the root of `ab`, which is at most `(a + b) / 2`. So it is at least `2s / (1 + s)`,
    /// with equality for `a = b`.
    pub fn least_cosine(self) -> Option<f64> {
        match self {
            Self::Similarity(similarity) => Some(similarity),
            Self::Jaccard(jaccard) => Some(2.0 * jaccard / (1.0 + jaccard)),
            Self::Distance(_) => None,
        }
    }

    /// The least ratio of the sizes of two near sets, smaller to larger: `sqrt(a / b)` bounds the cosine of sets of
    /// `a < b` features, `a / b` their Jaccard similarity. `None` under a distance.
    pub(crate) fn least_share(self) -> Option<f64> {
        match self {
            Self::Similarity(similarity) => Some(similarity * similarity),
            Self::Jaccard(jaccard) => Some(jaccard),
            Self::Distance(_) => None,
        }
    }

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

    /// Its name in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Similarity(_) => "similarity",
            Self::Jaccard(_) => "Jaccard similarity",
            Self::Distance(_) => "max_distance",
        }
    }
}

impl fmt::Display for Threshold {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name();
        match self {
            Self::Similarity(similarity) | Self::Jaccard(similarity) => write!(out, "{name} {similarity}"),
            Self::Distance(bits) => write!(out, "{name} {bits}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// For all sets: near by Jaccard implies the least cosine and the least ratio of sizes.
        #[test]
        fn near_by_jaccard_implies_what_the_search_asks(shared in 0..500_u32, more in 0..500_u32, other in 0..500_u32) {
            let (a, b) = (shared + more, shared + other);
            prop_assume!(shared > 0);
            let jaccard = f64::from(shared) / f64::from(a + b - shared);
            let threshold = Threshold::Jaccard(jaccard);
            let cosine = f64::from(shared) / (f64::from(a) * f64::from(b)).sqrt();
            prop_assert!(cosine >= threshold.least_cosine().unwrap() - 1e-12);
            prop_assert!(f64::from(a.min(b)) / f64::from(a.max(b)) >= threshold.least_share().unwrap() - 1e-12);
            if a == b {
                prop_assert!((cosine - threshold.least_cosine().unwrap()).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn one_threshold_is_given_and_containment_is_none() {
        let of =
            |similarity, bits, measure| Threshold::of(similarity, bits, measure).map_err(|error| error.to_string());
        assert_eq!(of(Some(0.5), None, Measure::Cosine), Ok(Threshold::Similarity(0.5)));
        assert_eq!(of(None, Some(3), Measure::Jaccard), Ok(Threshold::Distance(3)));
        assert!(
            of(None, None, Measure::Cosine)
                .unwrap_err()
                .contains("either similarity or max_distance")
        );
        assert!(of(Some(0.5), Some(3), Measure::Cosine).is_err());
        assert!(
            of(Some(0.5), None, Measure::Containment)
                .unwrap_err()
                .contains("give cosine or jaccard")
        );
    }
}
