//! How often a feature is sketched: what its weight means for the search.

use super::scratch::Scratch;
use crate::base::hash::mix;
use crate::encode::model::Idf;
use crate::encode::weight::Weights;

/// A feature is sketched at most this often, whatever its weight.
const MOST_COPIES: f64 = 64.0;

/// Under a model a feature is sketched this often in the mean over the model's documents.
const MEAN_COPIES: f64 = 2.0;

/// Keeps the rounding of copies apart from the hash's other uses.
const ROUNDING: u64 = 0x5157_0C0D_E5A7_51EE;

/// What is sketched of the features in `scratch`: each as often as its squared weight says and at most [`MOST_COPIES`]
/// times, so that texts which agree in their heavy features have similar sketches as they have similar vectors.
///
/// Without a model the unit is the weight of a single occurrence. Under a model it is such that a feature is sketched
/// [`MEAN_COPIES`] times in the mean, and a fraction is rounded up or down by the feature's hash: the same way in
/// every text, and right in the mean. A text of which nothing would be left has every feature sketched once.
pub(super) fn sketched<'a>(weights: Weights, idf: Option<&Idf>, scratch: &'a mut Scratch) -> &'a [u64] {
    if !weights.counted() {
        return scratch.features.hashes();
    }
    let single = f64::from(weights.of(1));
    let (scale, by_hash) = match idf {
        // Shares of a text have no unit of their own: near texts have nearly the same mean square.
        _ if weights.own_unit() => {
            let squares: f64 = scratch.weights.iter().map(|&weight| f64::from(weight).powi(2)).sum();
            (MEAN_COPIES * scratch.weights.len() as f64 / squares.max(1.0), true)
        }
        Some(idf) => (MEAN_COPIES / idf.mean_square(), true),
        None => (1.0, false),
    };
    let (hashes, copies) = (scratch.features.hashes(), &mut scratch.copies);
    copies.clear();
    for (&hash, &weight) in hashes.iter().zip(&scratch.weights) {
        let ratio = f64::from(weight) / single;
        let times = ratio * ratio * scale;
        let times = if by_hash {
            // 53 bits of the hash, mixed, as a number from 0 to below 1.
            (times + (mix(hash ^ ROUNDING) >> 11) as f64 * (0.5 / (1_u64 << 52) as f64)).floor()
        } else {
            times.round().max(1.0)
        };
        let times = times.min(MOST_COPIES) as u64;
        // Copy 0 is the feature itself; `mix` makes the further ones unrelated.
        copies.extend((0..times).map(|copy| if copy == 0 { hash } else { mix(hash ^ mix(copy)) }));
    }
    if copies.is_empty() {
        copies.extend_from_slice(hashes);
    }
    copies
}
