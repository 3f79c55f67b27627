//! Sampled texts with their features.

use std::ops::Range;

use crate::base::hash::{mix, xxh3_64};

/// Keeps the sampled texts apart from the hash's other uses.
const SAMPLED: u64 = 0xA5A5_17E0_93C1_44D7;

/// The hash of a text as it was read, by which it is sampled.
pub(crate) fn sample_hash(text: &str) -> u64 {
    mix(xxh3_64(text.as_bytes()) ^ SAMPLED)
}

/// Whether a text is in a sample of one of `2^log2`, by its hash.
pub(crate) const fn is_sampled(hash: u64, log2: u32) -> bool {
    hash & ((1 << log2) - 1) == 0
}

/// Sampled texts: the distinct ones, in order of their digests once they are [sorted](Sample::sorted).
///
/// The features of all texts are one column, the largest part of a sample. So the texts are put in order by their places,
/// and a part of them is taken away within the column: there is never a second one.
#[derive(Debug, Default)]
pub(crate) struct Sample {
    /// The digest of each text.
    pub(crate) digests: Vec<u128>,
    /// The distinct features of all texts, those of each in ascending order.
    features: Vec<u64>,
    /// Their weights; empty where every weight is 1.
    weights: Vec<u32>,
    /// Where the features of each text are.
    places: Vec<Range<usize>>,
    /// One text of `2^log2` is sampled.
    pub(crate) log2: u32,
}

impl Sample {
    /// Bytes for each text: its digest and its place.
    pub(crate) const TEXT_BYTES: usize = 16 + size_of::<Range<usize>>();

    /// The number of texts.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Texts that each one stands for.
    pub(crate) fn rate(&self) -> f64 {
        libm::exp2(f64::from(self.log2))
    }

    /// The number of features of all texts.
    pub(crate) fn total(&self) -> usize {
        self.features.len()
    }

    /// The number of features of a text in the mean.
    pub(crate) fn mean_features(&self) -> f64 {
        self.total() as f64 / self.len().max(1) as f64
    }

    /// The features of a text.
    pub(crate) fn features(&self, at: usize) -> &[u64] {
        &self.features[self.places[at].clone()]
    }

    /// The weights of a text's features; empty where every weight is 1.
    pub(crate) fn weights(&self, at: usize) -> &[u32] {
        if self.weights.is_empty() {
            &[]
        } else {
            &self.weights[self.places[at].clone()]
        }
    }

    pub(crate) fn push(&mut self, digest: u128, features: &[u64], weights: &[u32]) {
        let start = self.features.len();
        self.digests.push(digest);
        self.features.extend_from_slice(features);
        self.weights.extend_from_slice(weights);
        self.places.push(start..self.features.len());
    }

    /// Leaves the texts that `stays` picks by their numbers. The texts must be in the order in which they were added.
    pub(crate) fn retain(&mut self, mut stays: impl FnMut(usize) -> bool) {
        let (mut texts, mut end) = (0, 0);
        for at in 0..self.len() {
            if !stays(at) {
                continue;
            }
            let place = self.places[at].clone();
            let moved = end..end + place.len();
            if !self.weights.is_empty() {
                self.weights.copy_within(place.clone(), end);
            }
            self.features.copy_within(place, end);
            self.digests[texts] = self.digests[at];
            end = moved.end;
            self.places[texts] = moved;
            texts += 1;
        }
        self.digests.truncate(texts);
        self.places.truncate(texts);
        self.features.truncate(end);
        self.weights.truncate(end);
    }

    /// The texts in order of their digests, and the features of each in ascending order.
    pub(crate) fn sorted(mut self) -> Self {
        let mut pairs = Vec::new();
        for place in &self.places {
            let features = &mut self.features[place.clone()];
            if self.weights.is_empty() {
                features.sort_unstable();
                continue;
            }
            let weights = &mut self.weights[place.clone()];
            pairs.clear();
            pairs.extend(features.iter().copied().zip(weights.iter().copied()));
            pairs.sort_unstable();
            for ((feature, weight), pair) in features.iter_mut().zip(weights).zip(&pairs) {
                (*feature, *weight) = *pair;
            }
        }
        let mut order: Vec<(u128, Range<usize>)> = self.digests.drain(..).zip(self.places.drain(..)).collect();
        order.sort_unstable_by_key(|(digest, _)| *digest);
        (self.digests, self.places) = order.into_iter().unzip();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts of one to three features, with weights or without.
    fn sample(weighted: bool) -> Sample {
        let mut sample = Sample::default();
        for at in 0..40_u64 {
            let features: Vec<u64> = (0..=at % 3).map(|feature| 1000 - 10 * at - feature).collect();
            let weights: Vec<u32> = features.iter().map(|&feature| 2 * feature as u32).collect();
            let digest = u128::from(at * 17 % 40);
            sample.push(digest, &features, if weighted { &weights } else { &[] });
        }
        sample
    }

    /// Digest, features and weights of each text.
    fn texts(sample: &Sample) -> Vec<(u128, Vec<u64>, Vec<u32>)> {
        let text = |at| {
            (
                sample.digests[at],
                sample.features(at).to_vec(),
                sample.weights(at).to_vec(),
            )
        };
        (0..sample.len()).map(text).collect()
    }

    #[test]
    fn a_sample_in_order_has_the_same_texts() {
        for weighted in [false, true] {
            let mut expected = texts(&sample(weighted));
            expected.sort_unstable();
            for (_, features, weights) in &mut expected {
                features.sort_unstable();
                weights.sort_unstable();
            }
            assert_eq!(texts(&sample(weighted).sorted()), expected);
        }
    }

    #[test]
    fn what_stays_of_a_sample_is_as_it_was() {
        for weighted in [false, true] {
            for stays in [|_| true, |_| false, |at: usize| at % 2 == 1, |at: usize| at > 30] {
                let whole = texts(&sample(weighted));
                let expected: Vec<_> = whole.into_iter().enumerate().filter(|(at, _)| stays(*at)).collect();
                let mut part = sample(weighted);
                part.retain(stays);
                let total: usize = expected.iter().map(|(_, (_, features, _))| features.len()).sum();
                assert_eq!(part.total(), total);
                assert_eq!(
                    texts(&part),
                    expected.into_iter().map(|(_, text)| text).collect::<Vec<_>>()
                );
            }
        }
    }
}
