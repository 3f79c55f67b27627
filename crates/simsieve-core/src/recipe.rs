//! The recipe: what makes a pair of documents a candidate.
//!
//! A pure function of the scheme, the threshold, the recall asked for, the seed and floor(log2 n); the same two
//! documents are a candidate or not whatever the batch, the threads or the memory. What it costs is the plan's affair.
//!
//! Under `similarity` the keys are bands of a min-wise sketch (Broder 1997; banding as in Leskovec, Rajaraman and
//! Ullman, *Mining of Massive Datasets*, section 3.4). A cosine of at least `s` between sets means a Jaccard similarity
//! of at least `s^2` (reached where one set holds the other), so `b` bands of `r` bytes find a pair at the threshold
//! with probability at least `1 - (1 - s^(2r))^b`, and every nearer pair more surely. Two filters then drop strangers:
//! the Hamming distance of the fingerprints and the number of agreeing sketch bytes, both at bounds that a near pair
//! passes but for the odds written beside them.

use crate::error::{Error, Result};
use crate::hash::xxh3_128;
use crate::scheme::Scheme;
use crate::weights::Weights;

/// What the user calls near; bounds inclusive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Threshold {
    /// Cosine of the weighted features, above 0 and at most 1.
    Similarity(f64),
    /// Hamming distance of the fingerprints, in bits, below the width.
    Distance(u32),
}

/// How pairs become candidates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Every pair: for small collections.
    Brute,
    /// Pairs that agree in all `rows` bytes of one of `bands` bands of the sketch.
    Bands {
        /// How many bands.
        bands: usize,
        /// Bytes a band.
        rows: usize,
    },
    /// Pairs whose fingerprints agree in all bits of one of these masks (row-major, `words` a mask): by the pigeonhole,
    /// every pair within the distance does.
    Blocks {
        /// The masks, one a table.
        masks: Vec<Vec<u64>>,
    },
}

/// A recipe, complete: two documents and this decide whether they are a candidate pair.
#[derive(Debug, Clone, PartialEq)]
pub struct Recipe {
    /// What is near.
    pub threshold: Threshold,
    /// Where candidates come from.
    pub source: Source,
    /// Bytes of a sketch; 0 under a distance.
    pub sketch_bytes: usize,
    /// A candidate's sketches agree in at least this many bytes.
    pub min_agreement: u32,
    /// A candidate's fingerprints differ in at most this many bits, unless a text has few features.
    pub max_bits: u32,
    /// Chooses the family of sketches.
    pub seed: u64,
    /// Probability asked for that a pair at the threshold is found.
    pub recall: f64,
    /// The recipe serves collections of `2^log2_n` to twice as many records.
    pub log2_n: u32,
    scheme: String,
}

/// Below this many features a fingerprint says too little for its distance to rule a pair out.
pub const FEW_FEATURES: u32 = 12;
/// Up to `2^(BRUTE_LOG2 + 1) - 1` records every pair is looked at: 33 million, a fifth of a second.
const BRUTE_LOG2: u32 = 12;
/// The distance filter loses a near pair with at most this probability.
const DISTANCE_MISS: f64 = 1e-4;
/// The agreement filter, and the recall sampler's, lose a near pair with at most this probability.
pub const AGREEMENT_MISS: f64 = 1e-6;
/// Sketches are at least this long, so that the agreement filter is sharp, and at most [`MAX_SKETCH`].
const MIN_SKETCH: usize = 128;
/// The longest sketch, in bytes.
pub const MAX_SKETCH: usize = 1024;
/// Jaccard similarity assumed between unrelated texts when bands are chosen: English pages of 2 kB have about 0.03,
/// long articles 0.06.
const BACKGROUND: f64 = 0.04;
/// Costs that weigh bands against rows, in nanoseconds: a byte of a sketch made; a key made, sorted and walked; a
/// candidate looked at.
const BYTE_COST: f64 = 12.0;
const KEY_COST: f64 = 10.0;
const CANDIDATE_COST: f64 = 6.0;

impl Recipe {
    /// The recipe for about `n` records.
    ///
    /// # Errors
    /// [`Error::Config`] where a bound lies outside what is allowed.
    pub fn new(scheme: &Scheme, threshold: Threshold, recall: f64, seed: u64, n: u64) -> Result<Self> {
        scheme.ready()?;
        let log2_n = n.max(1).ilog2();
        let mut recipe = Self {
            threshold,
            source: Source::Brute,
            sketch_bytes: 0,
            min_agreement: 0,
            max_bits: scheme.width(),
            seed,
            recall,
            log2_n,
            scheme: scheme.digest(),
        };
        match threshold {
            Threshold::Similarity(similarity) => {
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
                recipe.by_similarity(scheme, similarity);
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

    fn by_similarity(&mut self, scheme: &Scheme, similarity: f64) {
        let jaccard = jaccard_floor(scheme.weights(), similarity);
        if self.log2_n > BRUTE_LOG2 {
            let (bands, rows) = choose_bands(jaccard, self.recall, self.log2_n);
            self.source = Source::Bands { bands, rows };
            self.sketch_bytes = bands * rows;
        }
        // Whole registers of 64 bytes.
        self.sketch_bytes = self.sketch_bytes.max(MIN_SKETCH).next_multiple_of(64);
        // For counted weights no agreement is certain: then the bits alone filter, at the stricter odds.
        let counted = !scheme.weights().by_feature();
        self.min_agreement = if counted {
            0
        } else {
            least_agreement(self.sketch_bytes, jaccard)
        };
        self.max_bits = bits_within(
            scheme.width(),
            similarity,
            if counted { AGREEMENT_MISS } else { DISTANCE_MISS },
        );
    }

    /// Agreement that a near pair reaches over the first `bytes` of its sketches but for [`AGREEMENT_MISS`].
    pub fn agreement_over(&self, weights: Weights, bytes: usize) -> u32 {
        match self.threshold {
            Threshold::Similarity(similarity) if weights.by_feature() => {
                least_agreement(bytes, jaccard_floor(weights, similarity))
            }
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

    /// 32 hex digits that stand for the whole recipe.
    pub fn digest(&self) -> String {
        let Self {
            threshold,
            source,
            sketch_bytes,
            min_agreement,
            max_bits,
            seed,
            recall,
            log2_n,
            scheme,
        } = self;
        let text = format!(
            "simsieve recipe 1\n{scheme}\n{threshold:?}\n{source:?}\n{sketch_bytes} {min_agreement} {max_bits} {seed} {recall:?} {log2_n}\n"
        );
        format!("{:032x}", xxh3_128(text.as_bytes()))
    }
}

/// The least Jaccard similarity of what is sketched of two texts whose weighted cosine is `similarity`.
///
/// Exact for weight 1. Where a feature weighs the same in every text (`idf`) the cosine is that of sets measured by the
/// squared weight, so the bound holds for the measure; the copies of a feature ([`Scheme::sketched`]) are whole numbers
/// that have its measure in the mean, and 0.95 leaves room for that. Of other counted weights the bound holds where two
/// texts count their shared features alike, and 0.85 leaves room where they do not. No bound is certain there, so the
/// recall sampler of such a run relies on bits and features alone.
fn jaccard_floor(weights: Weights, similarity: f64) -> f64 {
    let sets = match weights {
        Weights::Once => similarity,
        Weights::Idf => 0.95 * similarity,
        Weights::Tf | Weights::Log | Weights::LogIdf => 0.85 * similarity,
    };
    sets * sets
}

/// The fewest expected nanoseconds a document among the bands that reach the recall.
fn choose_bands(jaccard: f64, recall: f64, log2_n: u32) -> (usize, usize) {
    let n = libm::exp2(f64::from(log2_n));
    let chance = |jaccard: f64| jaccard + (1.0 - jaccard) / 256.0;
    let mut best = (f64::INFINITY, (MAX_SKETCH, 1));
    for rows in 1..=16_usize {
        let meet = libm::pow(jaccard, rows as f64);
        let bands = if meet >= 1.0 {
            1.0
        } else {
            libm::ceil(libm::log(1.0 - recall) / libm::log1p(-meet))
        };
        let bands = bands.max(1.0) as usize;
        if bands * rows > MAX_SKETCH {
            break;
        }
        let strangers = n * bands as f64 * libm::pow(chance(BACKGROUND), rows as f64);
        let cost = (BYTE_COST * rows as f64 + KEY_COST) * bands as f64 + CANDIDATE_COST * strangers;
        if cost < best.0 {
            best = (cost, (bands, rows));
        }
    }
    best.1
}

/// Bits that a near pair differs in at most, but for the odds given. Past half of the bits strangers pass as well: then
/// there is nothing to filter by.
fn bits_within(width: u32, similarity: f64, miss: f64) -> u32 {
    let share = libm::acos(similarity.min(1.0)) / std::f64::consts::PI;
    let bits = quantile_above(width, share, miss);
    if bits >= width / 2 { width } else { bits }
}

/// The largest number that a near pair's agreement over `bytes` is below only with probability [`AGREEMENT_MISS`].
fn least_agreement(bytes: usize, jaccard: f64) -> u32 {
    // P(agreement < x) is the tail of the disagreeing bytes above bytes - x.
    bytes as u32 - quantile_above(bytes as u32, 1.0 - jaccard, AGREEMENT_MISS)
}

/// The least `x` for which a binomial(n, p) variable exceeds `x` with probability at most `miss`.
fn quantile_above(n: u32, p: f64, miss: f64) -> u32 {
    if p <= 0.0 {
        return 0;
    }
    if p >= 1.0 {
        return n;
    }
    let odds = libm::log(p) - libm::log1p(-p);
    // Walk down from n, adding probabilities in the order in which they grow.
    let mut log_mass = f64::from(n) * libm::log(p);
    let mut above = 0.0;
    for x in (1..=n).rev() {
        above += libm::exp(log_mass);
        if above > miss {
            return x;
        }
        log_mass += libm::log(f64::from(x)) - libm::log(f64::from(n - x + 1)) - odds;
    }
    0
}

/// Masks for every pair within `k` bits (pigeonhole as in Manku, Jain and Das Sarma, WWW 2007, section 3): the width is
/// cut into `m` blocks, and a pair that differs in `k` bits agrees on some `m - k` of them.
fn blocks(width: u32, k: u32, log2_n: u32) -> Source {
    let n = libm::exp2(f64::from(log2_n));
    let mut best = (n / 2.0, None);
    for m in k + 1..=(k + 4).min(width) {
        let agree = m - k;
        let tables = combinations(m, agree);
        let bits = f64::from(agree * (width / m));
        let cost = tables * (KEY_COST + n / 2.0 / libm::exp2(bits.min(32.0)));
        if tables <= 4096.0 && cost < best.0 {
            best = (cost, Some((m, agree)));
        }
    }
    let Some((m, agree)) = best.1 else { return Source::Brute };
    let words = width.div_ceil(64) as usize;
    let masks = choose(m, agree)
        .into_iter()
        .map(|chosen| {
            let mut mask = vec![0_u64; words];
            for block in chosen {
                for bit in block * width / m..(block + 1) * width / m {
                    mask[bit as usize / 64] |= 1 << (bit % 64);
                }
            }
            mask
        })
        .collect();
    Source::Blocks { masks }
}

fn combinations(n: u32, k: u32) -> f64 {
    (0..k).map(|i| f64::from(n - i) / f64::from(i + 1)).product()
}

/// Every choice of `k` of the numbers below `n`, in ascending order.
fn choose(n: u32, k: u32) -> Vec<Vec<u32>> {
    if k == 0 {
        return vec![Vec::new()];
    }
    (k - 1..n)
        .flat_map(|last| {
            choose(last, k - 1).into_iter().map(move |mut rest| {
                rest.push(last);
                rest
            })
        })
        .collect()
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
                let found = 1.0 - (1.0 - similarity.powi(2 * rows as i32)).powi(bands as i32);
                assert!(found >= 0.98, "{similarity}: {bands} x {rows} finds {found}");
                assert!(bands * rows <= recipe.sketch_bytes && recipe.sketch_bytes <= MAX_SKETCH);
            }
        }
    }

    #[test]
    fn quantiles_are_those_of_the_binomial() {
        // Binomial(10, 0.5): P(X > 8) = 11/1024, P(X > 9) = 1/1024.
        assert_eq!(
            (
                quantile_above(10, 0.5, 11.5 / 1024.0),
                quantile_above(10, 0.5, 10.5 / 1024.0)
            ),
            (8, 9)
        );
        assert_eq!((quantile_above(64, 0.0, 1e-6), quantile_above(64, 1.0, 1e-6)), (0, 64));
    }

    #[test]
    fn masks_cover_every_pair_within_the_distance() {
        for (width, k) in [(64, 3), (128, 6), (256, 10)] {
            let Source::Blocks { masks } = blocks(width, k, 20) else {
                panic!("{width} {k}")
            };
            let mut state = 1_u64;
            for _ in 0..2000 {
                let mut differing = vec![0_u64; width as usize / 64];
                for _ in 0..k {
                    state = crate::hash::mix(state);
                    let bit = (state % u64::from(width)) as usize;
                    differing[bit / 64] |= 1 << (bit % 64);
                }
                assert!(
                    masks
                        .iter()
                        .any(|mask| mask.iter().zip(&differing).all(|(m, d)| m & d == 0))
                );
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
