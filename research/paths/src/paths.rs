//! Keys of chosen paths: each text follows the features that a hash of the path selects, rare ones more often; a path ends where
//! few texts are expected on it.

use std::collections::{HashMap, HashSet};

use simsieve_core::base::hash::mix;

use crate::Variant;
use crate::corpus::{Chance, Corpus};

/// Keys with their rows, and the keys of families: paths whose texts are near one another.
pub struct Keys {
    pub keys: Vec<(u64, u32)>,
    pub families: HashSet<u64>,
}

const SLOT_BITS: u32 = 24;

/// How often features occur in a sample, by slot of their hash.
struct Frequencies {
    sampled: f64,
    counts: Vec<u32>,
    weights: Vec<f32>,
}

impl Frequencies {
    fn new(corpus: &Corpus, sample: &[u32], variant: &Variant) -> Self {
        let mut counts = vec![0_u32; 1 << SLOT_BITS];
        for &row in sample {
            for &hash in corpus.of(row as usize) {
                counts[slot(hash)] += 1;
            }
        }
        let n = sample.len() as f64;
        let weight = |count: u32| libm_ln(n / f64::from(count.max(1)) + 1.0).powf(variant.w) as f32;
        let weights = (0..=255).map(|class| weight(class_floor(class))).collect();
        Self {
            sampled: n,
            counts,
            weights,
        }
    }

    /// The share of the sampled texts that have a feature; one of them where none has it.
    fn share(&self, hash: u64) -> f64 {
        f64::from(self.counts[slot(hash)].max(1)) / self.sampled
    }

    fn weight(&self, hash: u64, least_df: u32) -> f32 {
        let count = self.counts[slot(hash)];
        if count < least_df {
            0.0
        } else {
            self.weights[class(count)]
        }
    }
}

fn libm_ln(x: f64) -> f64 {
    x.ln()
}

/// Classes of counts: four a doubling.
fn class(count: u32) -> usize {
    if count == 0 {
        return 0;
    }
    let doublings = count.ilog2();
    (4 * doublings + (((u64::from(count) << 2) >> doublings) & 3) as u32) as usize
}

fn class_floor(class: u32) -> u32 {
    let (doublings, quarter) = (class / 4, class % 4);
    if doublings >= 30 {
        u32::MAX
    } else {
        (((4 + quarter) as u64) << doublings >> 2) as u32
    }
}

fn slot(hash: u64) -> usize {
    (hash & ((1 << SLOT_BITS) - 1)) as usize
}

/// What a path is, where it is not a leaf.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Verdict {
    Split,
    Family,
    Dead,
}

/// How the sum of a text's weights is found.
#[derive(Debug, Clone, Copy)]
pub enum Total {
    Exact,
    /// From the size and the mean weight of all features.
    Mean,
    /// From about this many features, those of the lowest hashes.
    Sampled(usize),
}

pub struct Walker<'a> {
    /// All texts of the collection.
    texts: f64,
    /// The mean weight of a feature of the sample.
    mean: f64,
    frequencies: &'a Frequencies,
    verdicts: &'a HashMap<u64, Verdict>,
    variant: &'a Variant,
}

/// Texts of fewer features select all of them at the first level.
const FEW: usize = 12;

impl Walker<'_> {
    /// Chances of all features of a text to be selected, as 32 bits; even or by rarity.
    fn chances(&self, features: &[u64], even: bool, chances: &mut Vec<u64>) {
        chances.clear();
        let a = self.variant.a;
        if even {
            let chance = bits(a / features.len() as f64);
            chances.resize(features.len(), chance);
            return;
        }
        let least_df = self.variant.least_df;
        let weights = features.iter().map(|&hash| self.frequencies.weight(hash, least_df));
        let total = match self.variant.total {
            Total::Exact => weights.clone().map(f64::from).sum(),
            Total::Mean => self.mean * features.len() as f64,
            // Near texts have nearly the same features in their samples, so their estimates are alike.
            Total::Sampled(cap) => {
                let bound = (cap as f64 / features.len() as f64 * u64::MAX as f64) as u64;
                let sampled = features
                    .iter()
                    .zip(weights.clone())
                    .filter(|(hash, _)| mix(**hash ^ 0x5EED) <= bound);
                let (count, sum) = sampled.fold((0, 0.0), |(count, sum), (_, weight)| {
                    (count + 1, sum + f64::from(weight))
                });
                if count == 0 {
                    self.mean * features.len() as f64
                } else {
                    sum / f64::from(count) * features.len() as f64
                }
            }
        };
        chances.extend(weights.map(|weight| bits(a * f64::from(weight) / total)));
    }

    /// The keys of a text under one repetition.
    fn keys(&self, features: &[u64], chances: &[u64], rep: u64, out: &mut Vec<(u64, usize)>) {
        let seed = mix((rep + 1) ^ self.variant.seed << 32);
        let few = features.len() < FEW;
        for (at, &hash) in features.iter().enumerate() {
            let drawn = mix(hash ^ seed);
            if few || drawn >> 32 < chances[at] {
                let mut path = [at; 8];
                let path_of_one = mix(drawn.wrapping_add(seed));
                if self.variant.product > 0.0 {
                    self.descend_by_product(path_of_one, 1, &mut path, features, chances, out);
                } else {
                    self.descend(path_of_one, 1, &mut path, features, chances, out);
                }
            }
        }
    }

    fn descend(
        &self,
        path: u64,
        depth: usize,
        taken: &mut [usize; 8],
        features: &[u64],
        chances: &[u64],
        out: &mut Vec<(u64, usize)>,
    ) {
        match self.verdicts.get(&path) {
            Some(Verdict::Split) => {
                let seed = mix(path);
                for (at, &hash) in features.iter().enumerate() {
                    let drawn = mix(hash ^ seed);
                    if drawn >> 32 < chances[at] && !taken[..depth].contains(&at) {
                        taken[depth] = at;
                        self.descend(
                            mix(path.rotate_left(23) ^ drawn),
                            depth + 1,
                            taken,
                            features,
                            chances,
                            out,
                        );
                    }
                }
            }
            Some(Verdict::Dead) => {}
            _ => out.push((path, depth)),
        }
    }
}

impl Walker<'_> {
    /// As `descend`, where a path ends as soon as few texts are expected on it by the product of its features' frequencies.
    fn descend_by_product(
        &self,
        path: u64,
        depth: usize,
        taken: &mut [usize; 8],
        features: &[u64],
        chances: &[u64],
        out: &mut Vec<(u64, usize)>,
    ) {
        let shares = taken[..depth].iter().map(|&at| self.frequencies.share(features[at]));
        let expected = self.texts * shares.product::<f64>();
        if expected <= self.variant.product || depth == self.variant.depth {
            out.push((path, depth));
            return;
        }
        let seed = mix(path);
        for (at, &hash) in features.iter().enumerate() {
            let drawn = mix(hash ^ seed);
            if drawn >> 32 < chances[at] && !taken[..depth].contains(&at) {
                taken[depth] = at;
                let longer = mix(path.rotate_left(23) ^ drawn);
                self.descend_by_product(longer, depth + 1, taken, features, chances, out);
            }
        }
    }
}

fn bits(chance: f64) -> u64 {
    (chance.min(1.0) * 4_294_967_296.0) as u64
}

/// All keys of a corpus, and what the making said.
pub fn keys(corpus: &Corpus, variant: &Variant) -> (Keys, String) {
    let start = std::time::Instant::now();
    let bound = (variant.rate * u64::MAX as f64) as u64;
    let mut seen = HashSet::new();
    let sample: Vec<u32> = (0..corpus.len() as u32)
        .filter(|&row| mix(corpus.digests[row as usize]) <= bound && seen.insert(corpus.digests[row as usize]))
        .collect();
    let frequencies = Frequencies::new(corpus, &sample, variant);
    let sampled = sample.iter().flat_map(|&row| corpus.of(row as usize));
    let (count, sum) = sampled.fold((0_u64, 0.0), |(count, sum), &hash| {
        (count + 1, sum + f64::from(frequencies.weight(hash, variant.least_df)))
    });
    let mean = sum / count as f64;
    let mut verdicts = HashMap::new();
    let most = (variant.bucket * variant.rate).max(1.0);
    let (mut split, mut families, mut dead) = (0, 0, 0);
    let levels = if variant.product > 0.0 { 0 } else { variant.depth };
    for depth in 1..=levels {
        let walker = Walker {
            texts: corpus.len() as f64,
            mean,
            frequencies: &frequencies,
            verdicts: &verdicts,
            variant,
        };
        let keys = walker.all(corpus, &sample, Some(depth));
        let mut found = Vec::new();
        for bucket in keys
            .chunk_by(|a, b| a.0 == b.0)
            .filter(|bucket| bucket.len() as f64 > most)
        {
            let mut chance = Chance::new(bucket[0].0);
            let (mut near, tries) = (0, 64);
            for _ in 0..tries {
                let (a, b) = (
                    bucket[chance.below(bucket.len())].1,
                    bucket[chance.below(bucket.len())].1,
                );
                near += usize::from(a != b && corpus.cosine(a, b) >= variant.similarity);
            }
            let least = if depth < variant.depth { tries / 4 } else { tries / 16 };
            let verdict = if near >= least {
                families += 1;
                Verdict::Family
            } else if depth < variant.depth {
                split += 1;
                Verdict::Split
            } else {
                dead += 1;
                Verdict::Dead
            };
            found.push((bucket[0].0, verdict));
        }
        if found.is_empty() {
            break;
        }
        verdicts.extend(found);
    }
    let sampled = start.elapsed().as_secs_f64();
    let walker = Walker {
        texts: corpus.len() as f64,
        mean,
        frequencies: &frequencies,
        verdicts: &verdicts,
        variant,
    };
    let rows: Vec<u32> = (0..corpus.len() as u32).collect();
    let keys = walker.all(corpus, &rows, None);
    let told = format!(
        "sampled {} in {:.2} s, {split} split, {families} families, {dead} dead; ",
        sample.len(),
        sampled
    );
    let families = verdicts
        .iter()
        .filter(|(_, verdict)| **verdict == Verdict::Family)
        .map(|(key, _)| *key)
        .collect();
    (Keys { keys, families }, told)
}

impl Walker<'_> {
    /// The sorted keys of some rows; only those of paths of `depth` features, where it is given.
    fn all(&self, corpus: &Corpus, rows: &[u32], depth: Option<usize>) -> Vec<(u64, u32)> {
        let (mut keys, mut own, mut chances) = (Vec::new(), Vec::new(), Vec::new());
        for &row in rows {
            let features = corpus.of(row as usize);
            own.clear();
            self.chances(features, false, &mut chances);
            for rep in 0..self.variant.reps {
                self.keys(features, &chances, rep as u64, &mut own);
            }
            if self.variant.even > 0 {
                self.chances(features, true, &mut chances);
                for rep in 0..self.variant.even {
                    self.keys(features, &chances, 1000 + rep as u64, &mut own);
                }
            }
            let wanted = own.iter().filter(|(_, at)| depth.is_none_or(|depth| depth == *at));
            keys.extend(wanted.map(|&(key, _)| (key, row)));
        }
        if depth.is_some() {
            keys.sort_unstable();
        }
        keys
    }
}
