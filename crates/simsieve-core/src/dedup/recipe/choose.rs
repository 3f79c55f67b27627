//! The numbers of a recipe: bands, bounds of the filters, masks.

use super::source::{AGREEMENT_MISS, MAX_SKETCH, Source};
use crate::base::stats::binomial_quantile;
use crate::encode::weight::Weights;

/// Sketches are at least so long that of pairs with a cosine of [`STRANGE`] the agreement filter passes one in a hundred,
/// but not longer than this for that end.
const LONG_ENOUGH: usize = 320;
const STRANGE: f64 = 0.3;
/// All sketches together take about this many bytes at most, as long as [`LONG_ENOUGH`] allows.
const ALL_SKETCHES: f64 = 16e9;
/// Costs that weigh bands against rows, in nanoseconds: a byte of a sketch made; a key made, sorted and walked.
const BYTE_COST: f64 = 12.0;
const KEY_COST: f64 = 10.0;

/// The Jaccard similarity of strangers that meets as often in keys of 1 to 8 bytes as the strangers of real texts do, whose
/// similarities scatter (bakeoff.md), by class of length: short, medium, long.
const BACKGROUND: [[f64; 8]; 3] = [
    [0.0008, 0.0065, 0.0153, 0.0250, 0.0345, 0.0434, 0.0515, 0.0587],
    [0.0066, 0.0116, 0.0155, 0.0197, 0.0251, 0.0315, 0.0382, 0.0449],
    [0.0215, 0.0255, 0.0297, 0.0350, 0.0416, 0.0489, 0.0562, 0.0629],
];
/// The class whose strangers are most alike: what a recipe reckons with, which does not know its texts.
const MOST_ALIKE: usize = 2;

/// What keys of `rows` bytes see of strangers of a class of length; beyond eight bytes it goes on as it grew.
pub(crate) fn background(class: usize, rows: usize) -> f64 {
    BACKGROUND[class][rows.clamp(1, 8) - 1] + 0.007 * rows.saturating_sub(8) as f64
}

/// Nanoseconds to look at a candidate: the larger the collection, the likelier both miss the caches.
pub(crate) fn candidate_cost(log2_n: u32) -> f64 {
    (6.0 + 9.0 * f64::from(log2_n.saturating_sub(17))).min(60.0)
}

/// The least Jaccard similarity of what is sketched of two texts whose weighted cosine is `similarity`.
///
/// Exact for weight 1. Where a feature weighs the same in every text (`idf`) the cosine is that of sets measured by the
/// squared weight, so the bound holds for the measure; the copies of a feature ([`sketched`](crate::encode::scheme::Scheme::sketched)) are whole numbers
/// that have its measure in the mean, and 0.95 leaves room for that. Of other counted weights the bound holds where two
/// texts count their shared features alike, and 0.85 leaves room where they do not. No bound is certain there, so the
/// recall sampler of such a run relies on bits and features alone.
pub(crate) fn jaccard_floor(weights: Weights, similarity: f64) -> f64 {
    let sets = match weights {
        Weights::Once => similarity,
        Weights::Idf => 0.95 * similarity,
        _ => 0.85 * similarity,
    };
    sets * sets
}

/// As [`jaccard_floor`], of two texts with equally many features.
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

/// Bands that reach a recall within the longest sketch, and what they are expected to cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Choice {
    /// Expected nanoseconds a document.
    pub cost: f64,
    /// How many bands.
    pub bands: usize,
    /// Bytes a band.
    pub rows: usize,
}

/// The longest sketch that a collection of `2^log2_n` records gets for its bands.
pub(crate) fn longest_sketch(log2_n: u32) -> usize {
    (ALL_SKETCHES / (2.0 * libm::exp2(f64::from(log2_n)))).clamp(LONG_ENOUGH as f64, MAX_SKETCH as f64) as usize
}

/// Every number of rows that reaches the recall and fits; empty where none does.
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

/// The fewest expected nanoseconds a document among the bands that reach the recall and fit. Where none does, as many
/// single bytes as fit: the recall asked for is then not reached, which [`crate::dedup::forecast`] tells.
pub(super) fn choose_bands(jaccard: f64, recall: f64, log2_n: u32) -> (usize, usize) {
    let choices = band_choices(jaccard, recall, log2_n);
    let best = choices.iter().min_by(|a, b| a.cost.total_cmp(&b.cost));
    best.map_or((longest_sketch(log2_n), 1), |best| (best.bands, best.rows))
}

/// The shortest sketch, in bytes, whose agreement tells near pairs from pairs with a cosine of [`STRANGE`].
pub(super) fn sharp_enough(jaccard: f64) -> usize {
    let strange = byte_chance(STRANGE / (2.0 - STRANGE));
    (64..LONG_ENOUGH)
        .step_by(64)
        .find(|&bytes| binomial_quantile(bytes as u32, strange, 0.01) < least_agreement(bytes, jaccard))
        .unwrap_or(LONG_ENOUGH)
}

/// Bits that a near pair differs in at most, but for the odds given. Past half of the bits strangers pass as well: then
/// there is nothing to filter by.
pub(super) fn bits_within(width: u32, similarity: f64, miss: f64) -> u32 {
    let share = libm::acos(similarity.min(1.0)) / std::f64::consts::PI;
    let bits = binomial_quantile(width, share, miss);
    if bits >= width / 2 { width } else { bits }
}

/// The largest number that a near pair's agreement over `bytes` is below only with probability [`AGREEMENT_MISS`].
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
