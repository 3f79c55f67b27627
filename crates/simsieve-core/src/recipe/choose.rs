//! The numbers of a recipe: rates of paths, the bound of the filter, masks.

use super::Threshold;
use super::method::{PathOptions, SearchMethod};
use crate::base::stats::binomial_quantile;
use crate::encode::paths::Rates;
use crate::encode::sketch::{SKETCH_BITS, chance_to_differ};

/// Nanoseconds to make, sort and walk a key, for the choice of masks.
const KEY_COST: f64 = 10.0;

/// Features that a text selects at a further level, times the cosine at the threshold. Such a pair survives the level with a
/// probability of about 0.85. Docs: docs/explanation/chosen-paths.md.
const FURTHER_SHARED: f64 = 1.56;
/// Most features that a text selects, at the first level and at a further one: at lower thresholds than about 0.15 the recall asked
/// for is then not reached.
const MOST_FIRST: u32 = 40;
const MOST_FURTHER: f64 = 8.0;
/// A path of more texts than this is split. A test of a pair costs a few nanoseconds, a further level some of the recall.
const BUCKET: u32 = 128;
/// The sample has at least about this many texts, where the collection has.
const SAMPLE_LOG2: u32 = 13;
/// At most one text in 16 is left out of a sample for its size alone.
const MOST_SAMPLE_LOG2: u32 = 4;

/// Paths of two features that find a pair at the threshold with this probability, as far as the highest rates allow.
pub(super) fn paths(threshold: Threshold, recall: f64, log2_n: u32) -> PathOptions {
    let share = threshold.least_selected().unwrap_or(1.0);
    let further = (FURTHER_SHARED / share).min(MOST_FURTHER);
    let pair = threshold.pair_of_paths();
    let finds = |first: u32| {
        let rates = Rates {
            first,
            further,
            even: 0,
        };
        rates.found(pair, 2) >= recall
    };
    PathOptions {
        first: (1..MOST_FIRST).find(|&first| finds(first)).unwrap_or(MOST_FIRST),
        further,
        bucket: BUCKET,
        sample_log2: log2_n.saturating_sub(SAMPLE_LOG2).min(MOST_SAMPLE_LOG2),
    }
}

/// The most bits in which the sketches of a near pair differ, except with the given probability. The features of both count once:
/// then it holds for few features as for many. Above half of the bits unrelated texts pass too: then there is no filter.
pub(super) fn sketch_bits_within(threshold: Threshold, counted: bool, miss: f64) -> u32 {
    let Some(cosine) = threshold.least_cosine() else {
        return SKETCH_BITS;
    };
    let angle = libm::acos(cosine.min(1.0)) / std::f64::consts::PI;
    let chance = if counted {
        angle
    } else {
        angle.max(chance_of_few(threshold))
    };
    let bits = binomial_quantile(SKETCH_BITS, chance, miss);
    if bits >= SKETCH_BITS / 2 { SKETCH_BITS } else { bits }
}

/// The largest chance to differ of a bit of two near texts of which one has few features.
fn chance_of_few(threshold: Threshold) -> f64 {
    const FEW: u32 = 12;
    let Some(share) = threshold.least_share() else {
        return 0.0;
    };
    let mut most = 0.0_f64;
    for a in 1..=FEW {
        let largest = (f64::from(a) / share + 1e-9).min(4.0 * f64::from(FEW)) as u32;
        for b in a..=largest {
            let needed = match threshold {
                Threshold::Jaccard(jaccard) => jaccard / (1.0 + jaccard) * f64::from(a + b),
                Threshold::Containment { least, .. } => least * f64::from(a),
                _ => share.sqrt() * (f64::from(a) * f64::from(b)).sqrt(),
            };
            let shared = libm::ceil(needed - 1e-9) as u32;
            if shared <= a {
                most = most.max(chance_to_differ(shared, a - shared, b - shared));
            }
        }
    }
    most
}

/// Masks for every pair within `k` bits, by the pigeonhole principle (Manku, Jain and Das Sarma, WWW 2007, section 3).
/// The width is cut into `m` blocks, and a pair that differs in `k` bits agrees on some `m - k` of them.
pub(super) fn blocks(width: u32, k: u32, log2_n: u32) -> SearchMethod {
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
    let Some((m, agree)) = best.1 else {
        return SearchMethod::Brute;
    };
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
    SearchMethod::Blocks { masks }
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
            let SearchMethod::Blocks { masks } = blocks(width, k, 20) else {
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
