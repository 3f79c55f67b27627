//! Which units may be near another one: those that have least hashes of their features in common.
//!
//! A search of all different lines of a collection costs several times as much as all else, and most lines are near nothing. Two sets have
//! the same least element under a hash with the chance of their Jaccard similarity (Broder, "On the resemblance and containment of
//! documents", 1997), which is at least the square of the cosine.

use crate::base::hash::mix;

/// The share of near pairs that have no least hash in common, at most.
pub const MISSED: f64 = 0.002;

/// Fewer units than these are all searched.
pub(super) const FEW: usize = 8192;

/// Keys of a unit at most where each is made of two least hashes.
const MOST_PAIRED: u64 = 12;

/// The keys of a unit: each is the least features under some hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Keys {
    count: u64,
    hashes: u64,
}

impl Keys {
    /// Keys such that all but [`MISSED`] of the pairs at a similarity (a cosine) share one. Keys of two hashes leave far fewer other units
    /// to search, but a low similarity needs many keys.
    pub(super) fn of(similarity: f64) -> Self {
        let count = |hashes: u64| {
            let none_of_one = 1.0 - similarity.powi(2 * hashes as i32);
            let wanted = (MISSED.ln() / none_of_one.ln()).ceil();
            if wanted.is_finite() {
                wanted.clamp(1.0, 64.0) as u64
            } else {
                1
            }
        };
        let hashes = if count(2) <= MOST_PAIRED { 2 } else { 1 };
        Self {
            count: count(hashes),
            hashes,
        }
    }

    /// Adds the keys of a unit's features, which units of other scopes do not have; none without features.
    pub(super) fn extend(self, features: &[u64], scope: u64, out: &mut Vec<u64>) {
        if features.is_empty() {
            return;
        }
        let least = |nth: u64| {
            // Features are hashes: a product with an odd number is another hash of each, and the cheapest.
            let odd = mix(nth + 1) | 1;
            features
                .iter()
                .map(|&feature| feature.wrapping_mul(odd))
                .min()
                .unwrap_or(0)
        };
        out.extend((0..self.count).map(|nth| {
            let first = nth * self.hashes;
            let of_one = |key: u64, nth: u64| mix(key ^ least(nth));
            (first..first + self.hashes).fold(mix(scope ^ nth), of_one)
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Equal sets have all least hashes in common, and sets of a similarity as many as it says.
    #[test]
    fn least_hashes_of_sets() {
        let found = [1.0, 0.9, 0.8, 0.75, 0.5]
            .map(Keys::of)
            .map(|keys| (keys.count, keys.hashes));
        assert_eq!(found, [(1, 2), (6, 2), (12, 2), (8, 1), (22, 1)]);
        let keys = |features: &[u64], scope| {
            let mut out = Vec::new();
            Keys { count: 64, hashes: 1 }.extend(features, scope, &mut out);
            out
        };
        let own: Vec<u64> = (1..101).map(mix).collect();
        let near: Vec<u64> = (21..121).map(mix).collect();
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
