//! The recipe: what makes a pair of documents a candidate.
//!
//! A pure function of the scheme, the threshold, the requested recall, the seed and floor(log2 n). Whether two
//! documents are a candidate does not depend on the batch, the threads or the memory. The forecast has its cost.
//!
//! Under `similarity` the keys are chosen paths ([`crate::encode::paths`]): a text selects a number of features, rare
//! ones more often. [`Rates::found`](crate::encode::paths::Rates::found) is the probability that two texts meet. For
//! texts of one size it follows from their cosine. Texts of unequal sizes are found less often; the sampler counts
//! them. Which paths have one feature and which more is found on a sample of the texts ([`crate::search::sample`]). It
//! is frozen before the first key.
//!
//! Pairs that meet are filtered by the Hamming distance of their sketches, 512 bits of `SimHash`. Near pairs pass except with the
//! probability [`SKETCH_MISS`]. What passes is verified on the features.
//!
//! Under a Jaccard similarity of `s` the recipe is that of the cosine `2s / (1 + s)`, the least cosine of texts at the threshold
//! ([`Threshold::least_cosine`]). Texts of one size have exactly this cosine.
//!
//! Under a containment a document is dropped for an earlier kept one that has the share `s` of its features. The kept
//! one has at most `r` times as many. The larger text selects at least `s / r` of its selection in the smaller one, so
//! paths are made for that. The sizes of a pair say which cosine it must have, and the filter asks for it.
//!
//! The constants come from measurements (docs/explanation/chosen-paths.md).

pub(crate) mod choose;
mod json;
mod path_options;
pub mod search_keys;
mod threshold;

use choose::{paths, sketch_bits_within};
use json::{VERSION, only_entry, whole};
pub use path_options::PathOptions;
pub use threshold::{MOST_RATIO, Threshold};

use serde_json::{Value, json};

use crate::base::error::{Error, Result};
use crate::base::hash::xxh3_128;
use crate::encode::scheme::Scheme;
use crate::encode::sketch::SKETCH_BITS;

/// A complete recipe: it decides whether two documents are a candidate pair.
#[derive(Debug, Clone, PartialEq)]
pub struct Recipe {
    /// The threshold of near documents.
    pub threshold: Threshold,
    /// The paths; candidates have one in common. `None` if every pair that passes the filter is a candidate: in small
    /// collections, and within a distance.
    pub paths: Option<PathOptions>,
    /// A candidate's sketches differ in at most this many bits; under a distance its fingerprints do.
    pub max_bits: u32,
    /// The least similarity by which the sizes of a pair bound its bits, if they do: a stricter threshold tests the same pairs.
    least_by_sizes: Option<f64>,
    /// Chooses the sampled documents.
    pub seed: u64,
    /// Requested probability that a pair at the threshold is found.
    pub recall: f64,
    /// The recipe serves collections of `2^log2_n` to twice as many records.
    pub log2_n: u32,
    scheme: String,
}

/// Of fewer records every pair is tested: 33 million pairs take a tenth of a second. A power of two, as `log2_n` has no finer sizes.
pub const BRUTE_BELOW: u64 = 1 << 13;
/// The filter after the keys loses a near pair with at most this probability.
pub const SKETCH_MISS: f64 = 1e-4;
/// The same where every pair is tested, in the sampler of the recall, and under counted weights, where the angle is not the whole truth.
pub(crate) const STRICT_MISS: f64 = 1e-6;
/// From this size class on the sizes of a pair bound its bits under every measure. Texts of few features need a looser bound than others,
/// and the more texts there are, the more pairs of long ones that share a part pass it.
const BOUNDED_LOG2: u32 = 20;

/// Whether sizes bound the bits of a pair: under a containment, and in large collections where features count once.
fn is_bounded_by_sizes(scheme: &Scheme, threshold: Threshold, log2_n: u32) -> bool {
    threshold.is_directed() || log2_n >= BOUNDED_LOG2 && !scheme.weights().counted()
}

/// The name of the least similarity by which sizes bound bits.
fn key_of_least(threshold: Threshold) -> &'static str {
    if threshold.is_directed() {
        "least_containment"
    } else {
        "least_by_sizes"
    }
}

impl Recipe {
    /// The recipe for about `n` records.
    ///
    /// # Errors
    /// [`Error::Config`] if a bound is not allowed.
    pub fn new(scheme: &Scheme, threshold: Threshold, recall: f64, seed: u64, n: u64) -> Result<Self> {
        let log2_n = n.max(1).ilog2();
        let mut recipe = Self {
            threshold,
            paths: None,
            max_bits: scheme.width(),
            least_by_sizes: threshold
                .similarity()
                .filter(|_| is_bounded_by_sizes(scheme, threshold, log2_n)),
            seed,
            recall,
            log2_n,
            scheme: scheme.digest(),
        };
        match threshold {
            Threshold::Similarity(similarity)
            | Threshold::Jaccard(similarity)
            | Threshold::Containment { least: similarity, .. } => {
                if !(similarity > 0.0 && similarity <= 1.0) {
                    return Err(Error::Config(msg!(
                        "similarity {similarity} is not allowed; allowed: above 0, at most 1"
                    )));
                }
                if !(0.5..1.0).contains(&recall) {
                    return Err(Error::Config(msg!(
                        "recall {recall} is not allowed; allowed: 0.5 to below 1"
                    )));
                }
                scheme.check_similarity()?;
                if let Threshold::Containment { max_ratio, .. } = threshold
                    && !(1.0..=MOST_RATIO).contains(&max_ratio)
                {
                    return Err(Error::Config(msg!(
                        "{@max_ratio} {max_ratio} is not allowed; allowed: 1 to {most_ratio}",
                        most_ratio = MOST_RATIO
                    )));
                }
                if !matches!(threshold, Threshold::Similarity(_)) && scheme.weights().counted() {
                    return Err(Error::Config(msg!(
                        "measure {measure} is for features that count once, and scheme {spec} weighs them \
                         ({weights}); take a scheme that does not, such as chars128, or measure cosine",
                        measure = threshold.measure(),
                        spec = scheme.spec(),
                        weights = scheme.weights().name()
                    )));
                }
                recipe.by_similarity(scheme);
            }
            Threshold::Distance(bits) => {
                if bits >= scheme.width() {
                    return Err(Error::Config(msg!(
                        "{@max_distance} {bits} is not allowed at {width} bits; allowed: 0 to {value}",
                        width = scheme.width(),
                        value = scheme.width() - 1
                    )));
                }
                recipe.max_bits = bits;
            }
        }
        Ok(recipe)
    }

    /// The digest of the scheme that it was made for.
    pub fn scheme_digest(&self) -> &str {
        &self.scheme
    }

    /// The recipe as canonical JSON, without spaces or line ends.
    ///
    /// ```
    /// use simsieve_core::{recipe::{Recipe, Threshold}, encode::scheme::Scheme};
    /// let scheme = Scheme::parse("chars128").unwrap();
    /// let recipe = Recipe::new(&scheme, Threshold::Similarity(0.65), 0.98, 0, 200_000).unwrap();
    /// let read = Recipe::from_json(&recipe.to_json()).unwrap();
    /// assert_eq!((read.digest(), &read), (recipe.digest(), &recipe));
    /// ```
    pub fn to_json(&self) -> String {
        let Self {
            threshold,
            paths,
            max_bits,
            least_by_sizes,
            seed,
            recall,
            log2_n,
            scheme,
        } = self;
        let source = paths.map_or_else(
            || json!({ "all_pairs": {} }),
            |paths| json!({ "paths": paths.to_json() }),
        );
        let mut json = json!({
            "simsieve_recipe": VERSION,
            "scheme": scheme,
            "threshold": threshold.to_json(),
            "source": source,
            "max_bits": max_bits,
            "seed": seed,
            "recall": recall,
            "log2_n": log2_n,
        });
        if let Some(least) = least_by_sizes {
            json[key_of_least(*threshold)] = json!(least);
        }
        json.to_string()
    }

    /// Reads [`Recipe::to_json`], on this machine or another.
    ///
    /// # Errors
    /// [`Error::Config`] if the text is no recipe of this version.
    pub fn from_json(text: &str) -> Result<Self> {
        let wrong = || Error::Config(msg!("{text:?} is no recipe of version {version}", version = VERSION));
        let value: Value = serde_json::from_str(text).map_err(|_| wrong())?;
        let read = || {
            if whole::<u64>(&value["simsieve_recipe"]) != Some(VERSION) {
                return None;
            }
            let threshold = Threshold::from_json(&value["threshold"])?;
            Some(Self {
                threshold,
                paths: match only_entry(&value["source"])? {
                    ("all_pairs", _) => None,
                    ("paths", paths) => Some(PathOptions::from_json(paths)?),
                    _ => return None,
                },
                max_bits: whole(&value["max_bits"])?,
                least_by_sizes: value[key_of_least(threshold)].as_f64(),
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

    /// The recipe for decisions at an equal or stricter threshold of the same kind: it tests the same pairs, and the
    /// new threshold decides. A pair at a stricter threshold meets in a key and passes the filter at least as often.
    ///
    /// # Errors
    /// [`Error::Config`] if the threshold is looser or of the other kind: its near pairs were not searched.
    pub fn rethreshold(&self, threshold: Threshold) -> Result<Self> {
        let (made, asked) = (self.threshold, threshold);
        let same = match (made, asked) {
            (Threshold::Containment { max_ratio: made, .. }, Threshold::Containment { max_ratio: asked, .. }) => {
                made.to_bits() == asked.to_bits()
            }
            _ => made.measure() == asked.measure(),
        };
        let least = made.similarity().unwrap_or(0.0);
        let answered = same
            && match (made, asked) {
                (Threshold::Distance(made), Threshold::Distance(asked)) => asked <= made,
                _ => asked.similarity().is_some_and(|asked| (least..=1.0).contains(&asked)),
            };
        if !answered {
            let range = match made {
                Threshold::Distance(bits) => msg!("0 to {bits}"),
                _ => msg!("{least} to 1"),
            };
            let allowed = match made {
                _ if same => range,
                Threshold::Containment { max_ratio, .. } => {
                    msg!("a {name} from {range} at {@max_ratio} {max_ratio}", name = made.name())
                }
                _ => msg!("a {name} from {range}", name = made.name()),
            };
            return Err(Error::Config(msg!(
                "{asked} cannot be answered by a run at {made}, which has not looked for all that is near by \
                 it: give {allowed}, or run on the sources again"
            )));
        }
        let mut stricter = Self {
            threshold,
            ..self.clone()
        };
        if let Threshold::Distance(bits) = asked {
            stricter.max_bits = bits;
        }
        Ok(stricter)
    }

    /// The recipe of an index, in which texts are looked up one by one: paths are split sooner.
    #[must_use]
    pub fn looked_up(mut self) -> Self {
        if let Some(paths) = &mut self.paths {
            paths.bucket = choose::LOOKED_UP_BUCKET;
        }
        self
    }

    fn by_similarity(&mut self, scheme: &Scheme) {
        if self.log2_n >= BRUTE_BELOW.ilog2() {
            self.paths = Some(paths(self.threshold, self.recall, self.log2_n));
        }
        let counted = scheme.weights().counted();
        self.max_bits = sketch_bits_within(SKETCH_BITS, self.threshold, counted, self.filter_miss(counted));
    }

    /// The threshold that bounds the bits by the sizes of a pair; `None` where one bound holds for all pairs.
    pub(crate) fn bounding_threshold(&self) -> Option<Threshold> {
        self.least_by_sizes.map(|least| self.threshold.at(least))
    }

    /// The probability that the filter loses a near pair.
    pub(crate) fn filter_miss(&self, counted: bool) -> f64 {
        if counted || self.paths.is_none() {
            STRICT_MISS
        } else {
            SKETCH_MISS
        }
    }

    /// Whether no pair within the threshold is missed: the search is exact, and there is nothing to sample.
    pub fn is_exact(&self) -> bool {
        self.paths.is_none()
    }

    /// The bound of the filter at another probability to lose a near pair, for sketches of `width` bits; `by_angle` where the angle says
    /// how often bits differ: features have weights, or all texts many features.
    pub(crate) fn bits_within(&self, width: u32, by_angle: bool, miss: f64) -> u32 {
        sketch_bits_within(width, self.threshold, by_angle, miss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::paths::{Overlap, Rates};

    fn recipe(spec: &str, threshold: Threshold, n: u64) -> Recipe {
        Recipe::new(&Scheme::parse(spec).unwrap(), threshold, 0.98, 0, n).unwrap()
    }

    #[test]
    fn paths_of_two_features_reach_the_recall_at_the_threshold() {
        for similarity in [0.3, 0.5, 0.65, 0.8, 0.9, 1.0] {
            let recipe = recipe("chars128", Threshold::Similarity(similarity), 200_000);
            let Some(options) = recipe.paths else {
                panic!("{recipe:?}")
            };
            let rates = options.rates(0);
            let found = |depth| rates.found(Overlap::of_equals(similarity), depth);
            assert!(found(2) >= 0.98, "{similarity}: {rates:?}");
            let fewer = Rates {
                first: rates.first - 1,
                ..rates
            };
            assert!(
                fewer.found(Overlap::of_equals(similarity), 2) < 0.98,
                "{similarity}: {rates:?}"
            );
            assert!(found(1) > 0.99 && found(3) > 0.96);
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
                "similarity 1.5 is not allowed; allowed: above 0, at most 1",
            ),
            (Threshold::Similarity(f64::NAN), 0.98, "similarity NaN"),
            (
                Threshold::Distance(200),
                0.98,
                "max_distance 200 is not allowed at 128 bits; allowed: 0 to 127",
            ),
            (Threshold::Similarity(0.8), 1.0, "recall 1 is not allowed"),
        ] {
            let message = Recipe::new(&scheme, threshold, recall, 0, 9).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
