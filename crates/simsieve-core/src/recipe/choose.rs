//! The numbers of a recipe: rates of paths, the bound of the filter.

use super::Threshold;
use super::path_options::PathOptions;
use crate::base::stats::binomial_quantile;
use crate::encode::paths::Rates;
use crate::encode::sketch::chance_to_differ;

/// Features that a text selects at a further level, times the cosine at the threshold. Such a pair survives the level with a
/// probability of about 0.85. Docs: docs/explanation/chosen-paths.md.
const FURTHER_SHARED: f64 = 1.56;
/// Most features that a text selects, at the first level and at a further one: at lower thresholds than about 0.15 the recall asked
/// for is then not reached.
const MOST_FIRST: u32 = 40;
const MOST_FURTHER: f64 = 8.0;
/// A path of more texts than this is split. A test of a pair costs a few nanoseconds, a further level some of the recall.
pub(crate) const BUCKET: u32 = 128;
/// The same in an index, where the texts of a path are anywhere in memory: a test of a pair costs 60 to 140 nanoseconds.
pub(super) const LOOKED_UP_BUCKET: u32 = 64;
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

/// The most bits in which sketches of `width` bits of a near pair differ, except with the given probability. Unless it is bound `by_angle`, it
/// holds for few features that count once as for many. Above half of the bits unrelated texts pass too: then there is no filter.
pub(super) fn sketch_bits_within(width: u32, threshold: Threshold, by_angle: bool, miss: f64) -> u32 {
    let Some(cosine) = threshold.least_cosine() else {
        return width;
    };
    let angle = libm::acos(cosine.min(1.0)) / std::f64::consts::PI;
    let chance = if by_angle {
        angle
    } else {
        angle.max(chance_of_few(threshold))
    };
    let bits = binomial_quantile(width, chance, miss);
    if bits >= width / 2 { width } else { bits }
}

/// The largest chance that a bit of two near texts differs, if one text has few features.
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
