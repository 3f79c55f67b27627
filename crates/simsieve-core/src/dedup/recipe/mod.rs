//! The recipe: what makes a pair of documents a candidate.
//!
//! A pure function of the scheme, the threshold, the requested recall, the seed and floor(log2 n). Whether two
//! documents are a candidate does not depend on the batch, the threads or the memory. The forecast has its cost.
//!
//! Under `similarity` the keys are bands of a min-wise sketch (Broder 1997; banding as in Leskovec, Rajaraman and
//! Ullman, *Mining of Massive Datasets*, section 3.4). A cosine of `s` between sets of one size means a Jaccard
//! similarity of `J = s / (2 - s)`, and `b` bands of `r` bytes find such a pair with probability `1 - (1 - J^r)^b`: the
//! requested recall at the threshold, and more for every nearer pair. A text and a part of it have a lower `J`, down to
//! `s^2`. At the threshold they are found less often, and the sampler counts them. Two filters then drop unrelated
//! texts: the Hamming distance of the fingerprints and the number of agreeing sketch bytes. Near pairs of any sizes
//! pass both bounds, except with the probabilities given there.
//!
//! Under a Jaccard similarity of `s` the bands are made for `J = s` itself. It is the recipe of the cosine
//! `2s / (1 + s)`, the least cosine of texts at the threshold ([`Threshold::least_cosine`]). Texts of one size have
//! exactly this cosine and `J = s`. For different sizes it is better: a text and a part of it are found as often as texts of one
//! size. The agreement filter and the sizes use `s`, the bits and the rare features use that cosine.
//!
//! The constants come from the bake-off (docs/explanation/bakeoff.md).

pub(crate) mod choose;
mod json;
mod source;
mod threshold;

use choose::{bits_within, blocks, choose_bands, least_agreement, sharp_enough};
pub use source::{AGREEMENT_MISS, MAX_SKETCH, Source};
pub use threshold::Threshold;

use crate::base::error::{Error, Result};
use crate::encode::scheme::Scheme;
use crate::encode::weight::Weights;

/// A complete recipe: it decides whether two documents are a candidate pair.
#[derive(Debug, Clone, PartialEq)]
pub struct Recipe {
    /// The threshold of near documents.
    pub threshold: Threshold,
    /// The source of candidates.
    pub source: Source,
    /// Bytes of a sketch; 0 under a distance.
    pub sketch_bytes: usize,
    /// A candidate's sketches agree in at least this many bytes.
    pub min_agreement: u32,
    /// A candidate's fingerprints differ in at most this many bits.
    pub max_bits: u32,
    /// Every pair of a text with fewer features than this and one with fewer than [`Recipe::short_text_partner`] is a
    /// candidate; 0 under a distance.
    pub short_text_features: u32,
    /// With features of weight 1 a short text can only be near a text with fewer features than this: two sets of `a`
    /// and `b > a` features have a cosine of at most `sqrt(a / b)`, and a Jaccard similarity of at most `a / b`.
    pub short_text_partner: u32,
    /// Chooses the family of sketches.
    pub seed: u64,
    /// Requested probability that a pair at the threshold is found.
    pub recall: f64,
    /// The recipe serves collections of `2^log2_n` to twice as many records.
    pub log2_n: u32,
    scheme: String,
}

/// Below this many features sketch and fingerprint are too imprecise: all near pairs are found, by their rarest
/// features.
const SHORT_TEXT_FEATURES: u32 = 12;
/// Up to `2^(BRUTE_LOG2 + 1) - 1` records every pair is tested: 33 million, a fifth of a second.
const BRUTE_LOG2: u32 = 12;
/// The distance filter loses a near pair with at most this probability.
const DISTANCE_MISS: f64 = 1e-4;
impl Recipe {
    /// The recipe for about `n` records.
    ///
    /// # Errors
    /// [`Error::Config`] if a bound is not allowed.
    pub fn new(scheme: &Scheme, threshold: Threshold, recall: f64, seed: u64, n: u64) -> Result<Self> {
        let log2_n = n.max(1).ilog2();
        let mut recipe = Self {
            threshold,
            source: Source::Brute,
            sketch_bytes: 0,
            min_agreement: 0,
            max_bits: scheme.width(),
            short_text_features: 0,
            short_text_partner: 0,
            seed,
            recall,
            log2_n,
            scheme: scheme.digest(),
        };
        match threshold {
            Threshold::Similarity(similarity) | Threshold::Jaccard(similarity) => {
                if !(similarity > 0.0 && similarity <= 1.0) {
                    return Err(Error::Config(format!(
                        "similarity {similarity} is not allowed; it lies above 0 and at most 1"
                    )));
                }
                if !(0.5..1.0).contains(&recall) {
                    return Err(Error::Config(format!(
                        "recall {recall} is not allowed; it lies from 0.5 to below 1"
                    )));
                }
                scheme.check_similarity()?;
                if matches!(threshold, Threshold::Jaccard(_)) && scheme.weights().counted() {
                    return Err(Error::Config(format!(
                        "measure jaccard is for features that count once, and scheme {} weighs them ({}); take a scheme that \
                         does not, such as chars128, or measure cosine",
                        scheme.spec(),
                        scheme.weights().name()
                    )));
                }
                recipe.by_similarity(scheme);
            }
            Threshold::Distance(bits) => {
                if bits >= scheme.width() {
                    return Err(Error::Config(format!(
                        "max_distance {bits} is not allowed at {} bits; it lies from 0 to {}",
                        scheme.width(),
                        scheme.width() - 1
                    )));
                }
                recipe.max_bits = bits;
                if log2_n > BRUTE_LOG2 {
                    recipe.source = blocks(scheme.width(), bits, log2_n);
                }
            }
        }
        Ok(recipe)
    }

    /// The recipe for decisions at an equal or stricter threshold of the same kind: it tests the same pairs, and the
    /// new threshold decides. A pair at a stricter threshold meets in a band and passes the filters at least as often.
    ///
    /// # Errors
    /// [`Error::Config`] if the threshold is looser or of the other kind: its near pairs were not searched.
    pub fn again(&self, threshold: Threshold) -> Result<Self> {
        let (made, asked) = (self.threshold, threshold);
        let same = made.measure() == asked.measure();
        let least = made.similarity().unwrap_or(0.0);
        let answered = same
            && match (made, asked) {
                (Threshold::Distance(made), Threshold::Distance(asked)) => asked <= made,
                _ => asked.similarity().is_some_and(|asked| (least..=1.0).contains(&asked)),
            };
        if !answered {
            let range = match made {
                Threshold::Distance(bits) => format!("0 to {bits}"),
                _ => format!("{least} to 1"),
            };
            let allowed = if same {
                range
            } else {
                format!("a {} from {range}", made.name())
            };
            return Err(Error::Config(format!(
                "{asked} cannot be answered by a run at {made}, which has not looked for all that is near by it: give \
                 {allowed}, or run on the sources again"
            )));
        }
        let mut again = Self {
            threshold,
            ..self.clone()
        };
        if let Threshold::Distance(bits) = asked {
            again.max_bits = bits;
        }
        Ok(again)
    }

    fn by_similarity(&mut self, scheme: &Scheme) {
        let threshold = self.threshold;
        let (Some((equals, jaccard)), Some(share), Some(cosine)) = (
            threshold.jaccards(scheme.weights()),
            threshold.least_share(),
            threshold.least_cosine(),
        ) else {
            return;
        };
        self.short_text_features = SHORT_TEXT_FEATURES;
        let most = libm::ceil(f64::from(SHORT_TEXT_FEATURES) / share);
        self.short_text_partner = most.min(f64::from(u32::MAX - 1)) as u32 + 1;
        if self.log2_n > BRUTE_LOG2 {
            let (bands, rows) = choose_bands(equals, self.recall, self.log2_n);
            self.source = Source::Bands { bands, rows };
            self.sketch_bytes = bands * rows;
        }
        // A multiple of 64 bytes, the size of a register.
        self.sketch_bytes = self.sketch_bytes.max(sharp_enough(jaccard)).next_multiple_of(64);
        // Counted weights guarantee no agreement: then bits alone filter, at the stricter probability.
        let counted = !scheme.weights().by_feature();
        self.min_agreement = if counted {
            0
        } else {
            least_agreement(self.sketch_bytes, jaccard)
        };
        self.max_bits = bits_within(
            scheme.width(),
            cosine,
            if counted { AGREEMENT_MISS } else { DISTANCE_MISS },
        );
    }

    /// Agreement that a near pair reaches over the first `bytes` of its sketches, except with probability
    /// [`AGREEMENT_MISS`].
    pub fn agreement_over(&self, weights: Weights, bytes: usize) -> u32 {
        match self.threshold.jaccards(weights) {
            Some((_, jaccard)) if weights.by_feature() => least_agreement(bytes, jaccard),
            _ => 0,
        }
    }

    /// The source in words.
    pub fn describe(&self) -> String {
        match &self.source {
            Source::Brute => "every pair".to_owned(),
            Source::Bands { bands, rows } => format!("{bands} bands of {rows} sketch bytes"),
            Source::Blocks { masks } => format!("{} tables of agreeing bits", masks.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe(spec: &str, threshold: Threshold, n: u64) -> Recipe {
        Recipe::new(&Scheme::parse(spec).unwrap(), threshold, 0.98, 0, n).unwrap()
    }

    #[test]
    fn bands_reach_the_recall_at_the_threshold() {
        for similarity in [0.5, 0.65, 0.8, 0.9, 1.0] {
            for n in [1 << 13, 200_000, 10_000_000] {
                let recipe = recipe("chars128", Threshold::Similarity(similarity), n);
                let Source::Bands { bands, rows } = recipe.source else {
                    panic!("{recipe:?}")
                };
                let found = 1.0 - (1.0 - (similarity / (2.0 - similarity)).powi(rows as i32)).powi(bands as i32);
                assert!(found >= 0.98, "{similarity}: {bands} x {rows} finds {found}");
                assert!(bands * rows <= recipe.sketch_bytes && recipe.sketch_bytes <= MAX_SKETCH);
            }
        }
    }

    #[test]
    fn a_recipe_depends_on_n_by_its_logarithm_only() {
        let digest = |n| recipe("chars128", Threshold::Similarity(0.8), n).digest();
        assert_eq!(digest(1 << 17), digest((1 << 18) - 1));
        assert_ne!(digest(1 << 17), digest(1 << 18));
    }

    #[test]
    fn bounds_outside_are_refused_with_what_is_allowed() {
        let scheme = Scheme::parse("chars128").unwrap();
        for (threshold, recall, part) in [
            (
                Threshold::Similarity(1.5),
                0.98,
                "similarity 1.5 is not allowed; it lies above 0 and at most 1",
            ),
            (Threshold::Similarity(f64::NAN), 0.98, "similarity NaN"),
            (
                Threshold::Distance(200),
                0.98,
                "max_distance 200 is not allowed at 128 bits; it lies from 0 to 127",
            ),
            (Threshold::Similarity(0.8), 1.0, "recall 1 is not allowed"),
        ] {
            let message = Recipe::new(&scheme, threshold, recall, 0, 9).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
