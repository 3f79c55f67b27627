//! The numbers of a recipe: bands, bounds of the filters, masks.

use super::source::{AGREEMENT_MISS, MAX_SKETCH, Source};
use crate::base::stats::binomial_quantile;
use crate::encode::weight::Weights;

/// Sketches are long enough that the agreement filter passes one in a hundred pairs with a cosine of [`STRANGE`], but
/// for this reason not longer than this.
const LONG_ENOUGH: usize = 320;
const STRANGE: f64 = 0.3;
/// All sketches together take at most about this many bytes, if [`LONG_ENOUGH`] allows.
const ALL_SKETCHES: f64 = 16e9;
/// Costs, in nanoseconds, for the choice of bands and rows: to make a sketch byte; to make, sort and walk a key.
const BYTE_COST: f64 = 12.0;
const KEY_COST: f64 = 10.0;

/// The Jaccard similarity at which pairs meet in keys of 1 to 8 bytes as often as unrelated real texts do. Real
/// similarities scatter (bakeoff.md). By class of length: short, medium, long.
const BACKGROUND: [[f64; 8]; 3] = [
    [0.0008, 0.0065, 0.0153, 0.0250, 0.0345, 0.0434, 0.0515, 0.0587],
    [0.0066, 0.0116, 0.0155, 0.0197, 0.0251, 0.0315, 0.0382, 0.0449],
    [0.0215, 0.0255, 0.0297, 0.0350, 0.0416, 0.0489, 0.0562, 0.0629],
];
/// The class whose unrelated texts are most similar. A recipe assumes it, because it does not know its texts.
const MOST_ALIKE: usize = 2;

/// The effective similarity of unrelated texts of a class in keys of `rows` bytes; extrapolated above eight bytes.
pub(crate) fn background(class: usize, rows: usize) -> f64 {
    BACKGROUND[class][rows.clamp(1, 8) - 1] + 0.007 * rows.saturating_sub(8) as f64
}

/// Nanoseconds to test a candidate: in a larger collection both rows miss the caches more often.
pub(crate) fn candidate_cost(log2_n: u32) -> f64 {
    (6.0 + 9.0 * f64::from(log2_n.saturating_sub(17))).min(60.0)
}

/// The least Jaccard similarity of the sketched features of two texts with weighted cosine `similarity`.
///
/// Exact for weight 1. If a feature has the same weight in every text (`idf`), the cosine is that of sets measured by
/// the squared weight, so the bound holds for the measure; the copies of a feature
/// ([`sketched`](crate::encode::scheme::Scheme::sketched)) are integers with its measure as their mean; the factor 0.95
/// allows for that. For other counted weights the bound holds if two texts count their shared features alike; the
/// factor 0.85 allows for differences. No bound is certain there, so the recall sampler of such a run uses bits and
/// features alone.
pub(crate) fn jaccard_floor(weights: Weights, similarity: f64) -> f64 {
    let sets = match weights {
        Weights::Once => similarity,
        Weights::Idf => 0.95 * similarity,
        _ => 0.85 * similarity,
    };
    sets * sets
}

/// As [`jaccard_floor`], for two texts with equally many features.
pub(crate) fn jaccard_of_equals(weights: Weights, similarity: f64) -> f64 {
    if weights.counted() {
        jaccard_floor(weights, similarity)
    } else {
        similarity / (2.0 - similarity)
    }
}

/// The probability that two sets of this Jaccard similarity agree in a byte.
pub(crate) fn byte_chance(jaccard: f64) -> f64 {
    jaccard + (1.0 - jaccard) / 256.0
}

/// Bands that reach a recall within the longest sketch, and their expected cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Choice {
    /// Expected nanoseconds a document.
    pub cost: f64,
    /// The number of bands.
    pub bands: usize,
    /// Bytes a band.
    pub rows: usize,
}

/// The longest sketch that a collection of `2^log2_n` records gets for its bands.
pub(crate) fn longest_sketch(log2_n: u32) -> usize {
    (ALL_SKETCHES / (2.0 * libm::exp2(f64::from(log2_n)))).clamp(LONG_ENOUGH as f64, MAX_SKETCH as f64) as usize
}

/// Every number of rows that reaches the recall and fits; may be empty.
pub(crate) fn band_choices(jaccard: f64, recall: f64, log2_n: u32) -> Vec<Choice> {
    let n = libm::exp2(f64::from(log2_n));
    let most = longest_sketch(log2_n);
    let mut choices = Vec::new();
    for rows in 1..=16_usize {
        let meet = libm::pow(jaccard, rows as f64);
        let bands = if meet >= 1.0 {
            1.0
        } else {
            libm::ceil(libm::log(1.0 - recall) / libm::log1p(-meet))
        };
        let bands = bands.max(1.0) as usize;
        if bands.saturating_mul(rows) > most {
            break;
        }
        let strangers = n / 2.0 * bands as f64 * libm::pow(byte_chance(background(MOST_ALIKE, rows)), rows as f64);
        let cost = (BYTE_COST * rows as f64 + KEY_COST) * bands as f64 + candidate_cost(log2_n) * strangers;
        choices.push(Choice { cost, bands, rows });
    }
    choices
}

/// The bands of least expected cost that reach the recall and fit. If none does, as many single bytes as fit: the
/// requested recall is then not reached, and [`crate::dedup::forecast`] reports it.
pub(super) fn choose_bands(jaccard: f64, recall: f64, log2_n: u32) -> (usize, usize) {
    let choices = band_choices(jaccard, recall, log2_n);
    let best = choices.iter().min_by(|a, b| a.cost.total_cmp(&b.cost));
    best.map_or((longest_sketch(log2_n), 1), |best| (best.bands, best.rows))
}

/// The shortest sketch, in bytes, whose agreement separates near pairs from pairs with a cosine of [`STRANGE`].
pub(super) fn sharp_enough(jaccard: f64) -> usize {
    let strange = byte_chance(STRANGE / (2.0 - STRANGE));
    (64..LONG_ENOUGH)
        .step_by(64)
        .find(|&bytes| binomial_quantile(bytes as u32, strange, 0.01) < least_agreement(bytes, jaccard))
        .unwrap_or(LONG_ENOUGH)
}

/// The most bits in which a near pair differs, except with the given probability. Above half of the bits unrelated
/// texts pass too: then there is no filter.
pub(super) fn bits_within(width: u32, similarity: f64, miss: f64) -> u32 {
    let share = libm::acos(similarity.min(1.0)) / std::f64::consts::PI;
    let bits = binomial_quantile(width, share, miss);
    if bits >= width / 2 { width } else { bits }
}

/// The largest bound that a near pair's agreement over `bytes` misses only with probability [`AGREEMENT_MISS`].
pub(super) fn least_agreement(bytes: usize, jaccard: f64) -> u32 {
    // P(agreement < x) is the tail of the disagreeing bytes above bytes - x.
    bytes as u32 - binomial_quantile(bytes as u32, 1.0 - jaccard, AGREEMENT_MISS)
}

/// Masks for every pair within `k` bits (pigeonhole as in Manku, Jain and Das Sarma, WWW 2007, section 3): the width is
/// cut into `m` blocks, and a pair that differs in `k` bits agrees on some `m - k` of them.
pub(super) fn blocks(width: u32, k: u32, log2_n: u32) -> Source {
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

pub(super) fn combinations(n: u32, k: u32) -> f64 {
    (0..k).map(|i| f64::from(n - i) / f64::from(i + 1)).product()
}

/// Every choice of `k` of the numbers below `n`, in ascending order.
pub(super) fn choose(n: u32, k: u32) -> Vec<Vec<u32>> {
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
                    state = crate::base::hash::mix(state);
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
}
