//! Which texts of a sample are near, and whether they have keys in common.

use std::collections::HashMap;

use rayon::prelude::*;

use super::Sample;
use crate::dedup::recipe::Threshold;
use crate::encode::paths::{PathScratch, Paths};

/// The similarity of sampled texts.
pub(super) struct Similar<'a> {
    sample: &'a Sample,
    threshold: Threshold,
    /// The sum of the squared weights of each text.
    norms: Vec<f64>,
}

/// Sampled texts whose near ones are looked for.
const ASKED: usize = 1024;
/// Near texts of one asked text that are looked at.
const MOST_NEAR: usize = 32;
/// Below so many asked texts with near ones the sample says nothing about recall.
const LEAST_ASKED: usize = 24;

/// Near pairs of the sample, by the text that was asked.
pub(super) struct NearPairs {
    pairs: Vec<(usize, Vec<usize>)>,
}

impl<'a> Similar<'a> {
    pub(super) fn new(sample: &'a Sample, threshold: Threshold) -> Self {
        let norm = |at: usize| match sample.weights(at) {
            [] => sample.features(at).len() as f64,
            weights => weights.iter().map(|&weight| f64::from(weight).powi(2)).sum(),
        };
        Self {
            sample,
            threshold,
            norms: (0..sample.len()).map(norm).collect(),
        }
    }

    /// Whether two texts are near.
    pub(super) fn is_near(&self, a: usize, b: usize) -> bool {
        let (x, y) = (self.sample.features(a), self.sample.features(b));
        let (v, w) = (self.sample.weights(a), self.sample.weights(b));
        let mut dot = 0.0;
        let (mut i, mut j) = (0, 0);
        while i < x.len() && j < y.len() {
            if x[i] == y[j] {
                dot += if v.is_empty() {
                    1.0
                } else {
                    f64::from(v[i]) * f64::from(w[j])
                };
            }
            let (p, q) = (x[i], y[j]);
            i += usize::from(p <= q);
            j += usize::from(q <= p);
        }
        self.is_enough(a, b, dot)
    }

    /// Whether two texts with this sum of products are near.
    fn is_enough(&self, a: usize, b: usize, dot: f64) -> bool {
        let (p, q) = (self.norms[a], self.norms[b]);
        match self.threshold {
            Threshold::Jaccard(jaccard) => dot >= jaccard * (p + q - dot) - 1e-9,
            Threshold::Similarity(cosine) => dot >= cosine * (p * q).sqrt() - 1e-9,
            Threshold::Distance(_) => false,
        }
    }

    /// The near texts of some of the sample, found without keys: by all features that they share.
    pub(super) fn near_pairs(&self) -> NearPairs {
        // The order is that of digests, so the first ones are a random part.
        let asked = self.sample.len().min(ASKED);
        let mut of_feature: HashMap<u64, Vec<(u16, u32)>> = HashMap::new();
        for at in 0..asked {
            let weights = self.sample.weights(at);
            for (place, &hash) in self.sample.features(at).iter().enumerate() {
                let weight = weights.get(place).copied().unwrap_or(1);
                of_feature.entry(hash).or_default().push((at as u16, weight));
            }
        }
        let near: Vec<(u16, u32)> = (0..self.sample.len())
            .into_par_iter()
            .map_init(
                || vec![0.0; asked],
                |dots: &mut Vec<f64>, other| {
                    let weights = self.sample.weights(other);
                    for (place, hash) in self.sample.features(other).iter().enumerate() {
                        let own = weights.get(place).copied().unwrap_or(1);
                        for &(at, weight) in of_feature.get(hash).map_or(&[][..], Vec::as_slice) {
                            dots[usize::from(at)] += f64::from(weight) * f64::from(own);
                        }
                    }
                    let mut near = Vec::new();
                    for (at, dot) in dots.iter_mut().enumerate() {
                        if *dot > 0.0 && at != other && self.is_enough(at, other, *dot) {
                            near.push((at as u16, other as u32));
                        }
                        *dot = 0.0;
                    }
                    near
                },
            )
            .flatten_iter()
            .collect();
        let mut pairs: Vec<(usize, Vec<usize>)> = (0..asked).map(|at| (at, Vec::new())).collect();
        for (at, other) in near {
            let others = &mut pairs[usize::from(at)].1;
            if others.len() < MOST_NEAR {
                others.push(other as usize);
            }
        }
        pairs.retain(|(_, others)| !others.is_empty());
        NearPairs { pairs }
    }
}

impl NearPairs {
    /// The share of the near pairs that have a key in common; each asked text counts once.
    pub(super) fn found_by(&self, paths: &Paths, sample: &Sample) -> f64 {
        let mut scratch = PathScratch::default();
        let mut keys_of = |at: usize| {
            let mut keys = Vec::new();
            paths.keys(sample.features(at), sample.weights(at), &mut scratch, &mut keys);
            keys.sort_unstable();
            keys
        };
        let mut sum = 0.0;
        for (at, others) in &self.pairs {
            let own = keys_of(*at);
            let met = others
                .iter()
                .filter(|&&other| keys_of(other).iter().any(|key| own.binary_search(key).is_ok()));
            sum += met.count() as f64 / others.len() as f64;
        }
        if self.pairs.is_empty() {
            1.0
        } else {
            sum / self.pairs.len() as f64
        }
    }

    /// Whether a share is as good as the recall asked for, as far as these pairs can tell.
    pub(super) fn is_enough(&self, found: f64, recall: f64) -> bool {
        let n = self.pairs.len() as f64;
        let error = (recall * (1.0 - recall) / n.max(1.0)).sqrt();
        self.pairs.len() < LEAST_ASKED || found >= recall - 2.0 * error
    }
}
