//! Sampled texts with their features.

/// Sampled texts: the distinct ones, in order of their digests.
#[derive(Debug, Default)]
pub(super) struct Sample {
    /// The digest of each text.
    pub(super) digests: Vec<u128>,
    /// The distinct features of all texts, those of each in ascending order.
    pub(super) features: Vec<u64>,
    /// Their weights; empty where every weight is 1.
    weights: Vec<u32>,
    /// Where the features of each text end.
    ends: Vec<usize>,
    /// One text of `2^log2` is sampled.
    pub(super) log2: u32,
}

impl Sample {
    /// The number of texts.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    fn range(&self, at: usize) -> std::ops::Range<usize> {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        start..self.ends[at]
    }

    /// The features of a text.
    pub(super) fn features(&self, at: usize) -> &[u64] {
        &self.features[self.range(at)]
    }

    /// The weights of a text's features; empty where every weight is 1.
    pub(super) fn weights(&self, at: usize) -> &[u32] {
        if self.weights.is_empty() {
            &[]
        } else {
            &self.weights[self.range(at)]
        }
    }

    pub(super) fn push(&mut self, digest: u128, features: &[u64], weights: &[u32]) {
        self.digests.push(digest);
        self.features.extend_from_slice(features);
        self.weights.extend_from_slice(weights);
        self.ends.push(self.features.len());
    }

    /// The texts in order of their digests.
    pub(super) fn sorted(self) -> Self {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_unstable_by_key(|&at| self.digests[at]);
        let mut sorted = Self {
            log2: self.log2,
            ..Self::default()
        };
        let mut pairs = Vec::new();
        for at in order {
            let weights = self.weights(at);
            pairs.clear();
            let weight = |place: usize| weights.get(place).copied().unwrap_or(1);
            pairs.extend(
                self.features(at)
                    .iter()
                    .enumerate()
                    .map(|(place, &hash)| (hash, weight(place))),
            );
            pairs.sort_unstable();
            sorted.digests.push(self.digests[at]);
            sorted.features.extend(pairs.iter().map(|(hash, _)| hash));
            if !weights.is_empty() {
                sorted.weights.extend(pairs.iter().map(|(_, weight)| weight));
            }
            sorted.ends.push(sorted.features.len());
        }
        sorted
    }
}
