//! How many features are selected, and how often a pair is found by it.

use crate::base::hash::mix;

/// How many features a text selects.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// At the first level, by rarity.
    pub first: u32,
    /// At each further level of a path that is split, in the mean over the paths.
    pub further: f64,
    /// At the first level, each feature with the same chance: for texts that are near by a template.
    pub even: u32,
}

/// What two texts have in common, as shares of the features of either.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overlap {
    common: f64,
    only_first: f64,
    only_second: f64,
}

impl Overlap {
    /// Of two texts of one size with a cosine.
    pub const fn of_equals(cosine: f64) -> Self {
        Self::of_contained(cosine, 1.0)
    }

    /// Of a text that is a part of the other: this share.
    pub const fn of_part(share: f64) -> Self {
        Self::of_contained(1.0, 1.0 / share)
    }

    /// Of a text and another one that has this share of its features, and this many times as many features.
    pub const fn of_contained(share: f64, ratio: f64) -> Self {
        let all = 1.0 + ratio - share;
        Self {
            common: share / all,
            only_first: (1.0 - share) / all,
            only_second: (ratio - share) / all,
        }
    }

    /// The probability that both texts select a common feature, of `most` each, whose path survives with a probability.
    ///
    /// The features of either text are met in the order of their priorities. A text has selected when it has met `most` of its own.
    fn selected(self, most: u32, survives: f64) -> f64 {
        let most = most as usize;
        // `lost[j]`: no common path survives, once the first text has met `i` features and the second `j`; from the end back.
        let mut lost = vec![1.0; most + 1];
        for _ in 0..most {
            let above = lost.clone();
            for j in (0..most).rev() {
                lost[j] = self.common * (1.0 - survives) * above[j + 1]
                    + self.only_first * above[j]
                    + self.only_second * lost[j + 1];
            }
        }
        1.0 - lost[0]
    }
}

impl Rates {
    /// The features that a text selects for a split path: the mean, rounded up or down by the hash of the path.
    pub fn further_of(&self, path: u64) -> usize {
        let part = (mix(!path) >> 32) as f64 / 4_294_967_296.0;
        (self.further + part) as usize
    }

    /// The probability that a pair shares a path of `depth` features.
    pub fn found(&self, pair: Overlap, depth: usize) -> f64 {
        let (fewer, rest) = (self.further as u32, self.further.fract());
        let below = (1..depth).fold(1.0, |below, _| {
            let more = if rest > 0.0 {
                rest * pair.selected(fewer + 1, below)
            } else {
                0.0
            };
            (1.0 - rest) * pair.selected(fewer, below) + more
        });
        pair.selected(self.first, below)
    }
}
