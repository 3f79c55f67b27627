//! Which units may be near another one: those that have a least hash of their features in common.
//!
//! A search of all different lines of a collection costs several times as much as all else, and most lines are near nothing. Two sets have
//! the same least element under a hash with the chance of their Jaccard similarity (Broder, "On the resemblance and containment of
//! documents", 1997), which is at least the square of the cosine.

use crate::base::hash::mix;

/// The share of near pairs that have no least hash in common, at most.
pub const MISSED: f64 = 0.002;

/// Fewer units than these are all searched.
pub(super) const FEW: usize = 8192;

/// How many hashes find all but [`MISSED`] of the pairs of a similarity, a cosine.
pub(super) fn hashes(similarity: f64) -> u64 {
    let none_of_one = 1.0 - similarity * similarity;
    let wanted = (MISSED.ln() / none_of_one.ln()).ceil();
    if wanted.is_finite() {
        wanted.clamp(1.0, 64.0) as u64
    } else {
        1
    }
}

/// The least hashes of some features, each a number of its own; none without features.
pub(super) fn least(features: &[u64], hashes: u64, scope: u64, out: &mut Vec<u64>) {
    if features.is_empty() {
        return;
    }
    out.extend((0..hashes).map(|nth| {
        let seed = mix(nth + 1);
        let least = features.iter().map(|&feature| mix(feature ^ seed)).min();
        mix(least.unwrap_or(0) ^ mix(scope ^ nth))
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Equal sets have all least hashes in common, and sets of a similarity as many as it says.
    #[test]
    fn least_hashes_of_sets() {
        assert_eq!([1.0, 0.9, 0.8, 0.5].map(hashes), [1, 4, 7, 22]);
        let keys = |features: &[u64], scope| {
            let mut out = Vec::new();
            least(features, 64, scope, &mut out);
            out
        };
        let own: Vec<u64> = (0..100).map(mix).collect();
        let near: Vec<u64> = (20..120).map(mix).collect();
        assert_eq!(keys(&own, 0), keys(&own.iter().rev().copied().collect::<Vec<_>>(), 0));
        let equal = keys(&own, 0)
            .iter()
            .zip(keys(&near, 0))
            .filter(|(one, other)| **one == *other)
            .count();
        assert!(
            (30..55).contains(&equal),
            "{equal} of 64 at a Jaccard similarity of 2/3"
        );
        assert!(
            keys(&own, 0)
                .iter()
                .zip(keys(&own, 1))
                .all(|(one, other)| *one != other)
        );
        assert!(keys(&[], 0).is_empty());
    }
}
