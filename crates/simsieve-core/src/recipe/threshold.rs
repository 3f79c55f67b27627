//! Thresholds, and the least similarity of near texts that follows.

use std::fmt;

use serde_json::{Value, json};

use super::json::{only_entry, whole};
use crate::base::error::{Error, Result};
use crate::base::message::Shown;
use crate::encode::paths::Overlap;
use crate::encode::similarity::Measure;

/// The largest ratio of sizes under a containment.
pub const MOST_RATIO: f64 = 100.0;

/// What a bound of sizes may lack by rounding.
const ROUNDING: f64 = 1e-9;

/// The user's threshold; bounds are inclusive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Threshold {
    /// Cosine of the weighted features, above 0 and at most 1.
    Similarity(f64),
    /// Jaccard similarity of the sets of features, above 0 and at most 1; for features that count once.
    Jaccard(f64),
    /// The share of a document's features that an earlier kept one has; for features that count once.
    Containment {
        /// The least share, above 0 and at most 1.
        least: f64,
        /// The kept document has at most this many times as many features; 1 to [`MOST_RATIO`].
        max_ratio: f64,
    },
    /// Hamming distance of the fingerprints, in bits, below the width.
    Distance(u32),
}

impl Threshold {
    /// The one given threshold; `measure` is the measure of a similarity, and `max_ratio` counts under a containment alone.
    ///
    /// # Errors
    /// [`Error::Config`] if both or none are given.
    ///
    /// ```
    /// use simsieve_core::{recipe::Threshold, encode::similarity::Measure};
    /// let threshold = Threshold::of(Some(0.5), None, Measure::Jaccard, 4.0).unwrap();
    /// assert_eq!(threshold.least_cosine(), Some(2.0 / 3.0));
    /// ```
    pub fn of(similarity: Option<f64>, max_distance: Option<u32>, measure: Measure, max_ratio: f64) -> Result<Self> {
        match (similarity, max_distance, measure) {
            (Some(similarity), None, Measure::Cosine) => Ok(Self::Similarity(similarity)),
            (Some(similarity), None, Measure::Jaccard) => Ok(Self::Jaccard(similarity)),
            (Some(least), None, Measure::Containment) => Ok(Self::Containment { least, max_ratio }),
            (None, Some(bits), _) => Ok(Self::Distance(bits)),
            _ => Err(Error::Config(msg!("give either similarity or {@max_distance}"))),
        }
    }

    /// The least similarity of near texts, by its own measure; `None` under a distance.
    pub fn similarity(self) -> Option<f64> {
        match self {
            Self::Similarity(similarity) | Self::Jaccard(similarity) | Self::Containment { least: similarity, .. } => {
                Some(similarity)
            }
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
            Self::Containment { max_ratio, .. } => Self::Containment {
                least: similarity,
                max_ratio,
            },
            Self::Distance(_) => self,
        }
    }

    /// The name of the measure in decisions.
    pub fn measure(self) -> &'static str {
        match self {
            Self::Similarity(_) => "cosine",
            Self::Jaccard(_) => "jaccard",
            Self::Containment { .. } => "containment",
            Self::Distance(_) => "hamming",
        }
    }

    /// The least cosine of near texts; `None` under a distance.
    ///
    /// Sets of `a` and `b` features with a Jaccard similarity of `s` share `s (a + b) / (1 + s)` of them. Their cosine
    /// is this number divided by the root of `ab`, which is at most `(a + b) / 2`. So it is at least `2s / (1 + s)`,
    /// with equality for `a = b`.
    ///
    /// If a set of `b` features has the share `s` of a set of `a` features, their cosine is `s sqrt(a / b)`.
    pub fn least_cosine(self) -> Option<f64> {
        match self {
            Self::Similarity(similarity) => Some(similarity),
            Self::Jaccard(jaccard) => Some(2.0 * jaccard / (1.0 + jaccard)),
            Self::Containment { least, max_ratio } => Some(least / max_ratio.sqrt()),
            Self::Distance(_) => None,
        }
    }

    /// The least ratio of the sizes of two near sets, smaller to larger: `sqrt(a / b)` bounds the cosine of sets of
    /// `a < b` features, `a / b` their Jaccard similarity. `None` under a distance.
    pub(crate) fn least_share(self) -> Option<f64> {
        match self {
            Self::Similarity(similarity) => Some(similarity * similarity),
            Self::Jaccard(jaccard) => Some(jaccard),
            Self::Containment { least, max_ratio } => Some(least.min(1.0 / max_ratio)),
            Self::Distance(_) => None,
        }
    }

    /// The least part of the larger selection that near texts share: the cosine of texts of one size, and under a containment
    /// that of the largest kept text. `None` under a distance.
    pub(crate) fn least_selected(self) -> Option<f64> {
        match self {
            Self::Containment { least, max_ratio } => Some(least / max_ratio),
            _ => self.least_cosine(),
        }
    }

    /// The near pair that paths are made for: texts of one size, and under a containment the largest kept text.
    pub(crate) fn pair_of_paths(self) -> Overlap {
        match self {
            Self::Containment { least, max_ratio } => Overlap::of_contained(least, max_ratio),
            _ => Overlap::of_equals(self.least_cosine().unwrap_or(1.0)),
        }
    }

    /// A pair at the threshold with this ratio of sizes: smaller to larger, and under a containment the kept text to the dropped one.
    /// `None` under a distance.
    pub(crate) fn pair_of_sizes(self, ratio: f64) -> Option<Overlap> {
        let of_smaller = |share: f64| Some(Overlap::of_contained(share.min(1.0), 1.0 / ratio));
        match self {
            Self::Similarity(similarity) => of_smaller(similarity / ratio.sqrt()),
            Self::Jaccard(jaccard) => of_smaller(jaccard * (1.0 + 1.0 / ratio) / (1.0 + jaccard)),
            Self::Containment { least, .. } => Some(Overlap::of_contained(least, ratio)),
            Self::Distance(_) => None,
        }
    }

    /// Whether near texts depend on their order.
    pub(crate) fn is_directed(self) -> bool {
        matches!(self, Self::Containment { .. })
    }

    /// The least cosine of two near sets of these sizes, the later one in the keep order first; `None` where no such sets are
    /// near. Every feature has the weight 1.
    pub(crate) fn least_cosine_of_sizes(self, later: u32, earlier: u32) -> Option<f64> {
        let (a, b) = (f64::from(later), f64::from(earlier));
        let best = a.min(b) / a.max(b).max(1.0);
        match self {
            Self::Similarity(similarity) => (best.sqrt() >= similarity - ROUNDING).then_some(similarity),
            Self::Jaccard(jaccard) => {
                (best >= jaccard - ROUNDING).then(|| jaccard * (a + b) / (1.0 + jaccard) / (a * b).sqrt())
            }
            Self::Containment { least, max_ratio } => {
                (a > 0.0 && b <= max_ratio * a && b >= (least - ROUNDING) * a).then(|| least * (a / b).sqrt())
            }
            Self::Distance(_) => Some(0.0),
        }
    }

    /// The threshold as JSON: one key, `similarity`, `jaccard`, `containment` or `max_distance`.
    pub fn to_json(self) -> Value {
        match self {
            Self::Similarity(similarity) => json!({ "similarity": similarity }),
            Self::Jaccard(similarity) => json!({ "jaccard": similarity }),
            Self::Containment { least, max_ratio } => json!({ "containment": [least, max_ratio] }),
            Self::Distance(bits) => json!({ "max_distance": bits }),
        }
    }

    /// Reads [`Threshold::to_json`]; `None` for another form.
    pub fn from_json(value: &Value) -> Option<Self> {
        let (key, value) = only_entry(value)?;
        match key {
            "similarity" => value.as_f64().map(Self::Similarity),
            "jaccard" => value.as_f64().map(Self::Jaccard),
            "containment" => match value.as_array()?.as_slice() {
                [least, max_ratio] => Some(Self::Containment {
                    least: least.as_f64()?,
                    max_ratio: max_ratio.as_f64()?,
                }),
                _ => None,
            },
            "max_distance" => Some(Self::Distance(whole(value)?)),
            _ => None,
        }
    }

    /// Its name in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Similarity(_) => "similarity",
            Self::Jaccard(_) => "Jaccard similarity",
            Self::Containment { .. } => "containment",
            Self::Distance(_) => "max_distance",
        }
    }
}

impl Shown for Threshold {
    fn value(&self) -> crate::base::message::Value {
        match self {
            Self::Distance(bits) => msg!("{@max_distance} {bits}").value(),
            Self::Containment { least, max_ratio } => msg!("containment {least} at {@max_ratio} {max_ratio}").value(),
            _ => self.to_string().value(),
        }
    }
}

impl fmt::Display for Threshold {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name();
        match self {
            Self::Similarity(similarity) | Self::Jaccard(similarity) => write!(out, "{name} {similarity}"),
            Self::Containment { least, max_ratio } => write!(out, "{name} {least} at max_ratio {max_ratio}"),
            Self::Distance(bits) => write!(out, "{name} {bits}"),
        }
    }
}

#[cfg(test)]
#[path = "threshold_tests.rs"]
mod tests;
