//! Which texts of a sample are near, and whether they have keys in common.

use rayon::prelude::*;

use crate::base::kernel::Kernel;
use crate::encode::feature_bits;
use crate::encode::fingerprint::Sums;
use crate::encode::paths::{PathScratch, Paths};
use crate::encode::sketch::{self, SKETCH_BITS, SKETCH_WORDS};
use crate::hamming;
use crate::recipe::{Recipe, Threshold};
use crate::search::candidates::filter::FEW_COUNTED;
use crate::search::candidates::size_bound::SizeBound;
use crate::search::feature_bits::{words, words_of_all};
use crate::search::sample::texts::Sample;

/// The similarity of sampled texts.
#[derive(Debug)]
pub(crate) struct Similar {
    pub(crate) sample: Sample,
    /// Texts that a sampled one stands for.
    pub(crate) rate: f64,
    threshold: Threshold,
    /// The sum of the squared weights of each text.
    norms: Vec<f64>,
    /// The sketch of each text, and the bits in which near ones differ at most.
    sketches: Vec<u64>,
    max_bits: u32,
    sizes: Option<SizeBound>,
    /// Words of feature bits; `None` where there are none, as features are counted. And whether all rows have them for the search.
    words: Option<usize>,
    bits_come_first: bool,
    kernel: Kernel,
    /// Near texts of some of the sample, found without keys.
    near: Vec<(usize, Vec<usize>)>,
}

/// Sampled texts whose near ones are looked for.
const ASKED: usize = 1024;
/// Near texts of one asked text that are looked at, and texts that are compared by their features to find them.
const MOST_NEAR: usize = 16;
const MOST_COMPARED: usize = 64;
/// Below this many asked texts with near ones the sample says nothing about recall.
const LEAST_ASKED: usize = 24;

/// The cosine of two texts, about: the share of bits in which their sketches differ is the angle.
pub(super) fn rough_cosine(a: &[u64], b: &[u64]) -> f64 {
    let distance = hamming::distance(a, b);
    libm::cos(std::f64::consts::PI * f64::from(distance) / f64::from(SKETCH_BITS))
}

impl Similar {
    /// Bytes for each text: its sketch and the sum of its squared weights.
    pub(super) const TEXT_BYTES: usize = 8 * SKETCH_WORDS + 8;

    /// Those of a sample, of a collection of `scale` times as many records.
    pub(crate) fn new(sample: Sample, scale: f64, recipe: &Recipe, kernel: Kernel) -> Self {
        let norm = |at: usize| match sample.weights(at) {
            [] => sample.features(at).len() as f64,
            weights => weights.iter().map(|&weight| f64::from(weight).powi(2)).sum(),
        };
        let counted = sample.len() > 0 && !sample.weights(0).is_empty();
        let features = sample.mean_features();
        let of_all = words_of_all(recipe, counted, features);
        let mut sketches = vec![0; sample.len() * SKETCH_WORDS];
        let rows = sketches.par_chunks_mut(SKETCH_WORDS).enumerate();
        rows.for_each_init(Sums::default, |sums, (at, words)| {
            sketch::write(kernel, sample.features(at), sample.weights(at), sums, words);
        });
        let mut similar = Self {
            rate: sample.rate() * scale,
            threshold: recipe.threshold,
            norms: (0..sample.len()).map(norm).collect(),
            sketches,
            max_bits: recipe.max_bits,
            sizes: SizeBound::new(recipe),
            words: (!counted).then_some(if of_all > 0 { of_all } else { words(features) }),
            bits_come_first: of_all > 0,
            kernel,
            near: Vec::new(),
            sample,
        };
        similar.near = similar.near_pairs();
        similar
    }

    fn sketch(&self, at: usize) -> &[u64] {
        &self.sketches[at * SKETCH_WORDS..][..SKETCH_WORDS]
    }

    /// Whether two texts are near, as far as the search sees it.
    pub(crate) fn is_near(&self, a: usize, b: usize) -> bool {
        hamming::distance(self.sketch(a), self.sketch(b)) <= self.max_bits && self.are_near(a, b)
    }

    /// Whether two texts pass the filter of the search.
    pub(crate) fn passes(&self, a: usize, b: usize) -> bool {
        let (x, y) = (self.sample.features(a), self.sample.features(b));
        if !self.sample.weights(a).is_empty() && x.len().min(y.len()) < FEW_COUNTED as usize {
            return true;
        }
        let sizes = |sizes: SizeBound| {
            let (a, b) = (x.len() as u32, y.len() as u32);
            sizes
                .max_bits(a, b, self.max_bits)
                .max(sizes.max_bits(b, a, self.max_bits))
        };
        let most = self.sizes.map_or(Some(self.max_bits), sizes);
        most.is_some_and(|most| hamming::distance(self.sketch(a), self.sketch(b)) <= most)
            && !(self.bits_come_first && self.bits_rule_out(a, b))
    }

    /// Whether the bits of the features of two texts say that they are not near.
    pub(crate) fn bits_rule_out(&self, a: usize, b: usize) -> bool {
        let Some(words) = self.words else { return false };
        let [own, other] = [a, b].map(|text| {
            let mut bits = vec![0; words];
            feature_bits::write(self.sample.features(text), &mut bits);
            bits
        });
        let cosine = self.threshold.least_cosine().unwrap_or(0.0);
        !feature_bits::may_be_near(self.kernel, &own, &other, cosine)
    }

    /// The [`rough_cosine`] of two texts.
    pub(crate) fn rough_cosine(&self, a: usize, b: usize) -> f64 {
        rough_cosine(self.sketch(a), self.sketch(b))
    }

    /// Whether two texts are near by their features.
    pub(crate) fn are_near(&self, a: usize, b: usize) -> bool {
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
            Threshold::Containment { least, .. } => {
                let near = |later: f64, earlier: f64| {
                    let sizes = self.threshold.least_cosine_of_sizes(later as u32, earlier as u32);
                    sizes.is_some() && dot >= least * later - 1e-9
                };
                near(p, q) || near(q, p)
            }
            Threshold::Distance(_) => false,
        }
    }

    fn near_pairs(&self) -> Vec<(usize, Vec<usize>)> {
        // The order is that of digests, so the first ones are a random part.
        let asked = (0..self.sample.len().min(ASKED)).into_par_iter();
        let near = |found: &mut Vec<u32>, at: usize| {
            found.clear();
            hamming::within(self.kernel, self.sketch(at), &self.sketches, self.max_bits, found);
            let others = found.iter().map(|&other| other as usize).filter(|&other| other != at);
            let near = others.take(MOST_COMPARED).filter(|&other| self.are_near(at, other));
            (at, near.take(MOST_NEAR).collect::<Vec<usize>>())
        };
        let pairs = asked.map_init(Vec::new, near);
        pairs.filter(|(_, others)| !others.is_empty()).collect()
    }

    /// The share of the near pairs that have a key in common; each asked text counts once.
    pub(crate) fn found_by(&self, paths: &Paths) -> f64 {
        let mut scratch = PathScratch::default();
        let mut keys_of = |at: usize| {
            let (features, weights) = (self.sample.features(at), self.sample.weights(at));
            let mut keys = Vec::new();
            paths.keys(self.kernel, features, weights, &mut scratch, &mut keys);
            keys.sort_unstable();
            keys
        };
        let mut sum = 0.0;
        for (at, others) in &self.near {
            let own = keys_of(*at);
            let met = others
                .iter()
                .filter(|&&other| keys_of(other).iter().any(|key| own.binary_search(key).is_ok()));
            sum += met.count() as f64 / others.len() as f64;
        }
        if self.near.is_empty() {
            1.0
        } else {
            sum / self.near.len() as f64
        }
    }

    /// Whether there are enough near pairs to estimate the recall.
    pub(crate) fn says_something(&self) -> bool {
        self.near.len() >= LEAST_ASKED
    }

    /// Whether the keys alone find enough of the near pairs: they lose at most a tenth of the loss that the requested recall allows. Then
    /// even selection is needless. Most pairs are far above the threshold, and of a family each lost text is one kept too many.
    pub(crate) fn finds_enough(&self, found: f64, recall: f64) -> bool {
        !self.says_something() || 1.0 - found <= (1.0 - recall) / 10.0
    }
}
