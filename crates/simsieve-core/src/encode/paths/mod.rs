//! Search keys by chosen paths: what two similar texts meet in.
//!
//! A *path* is a list of features of a text. Each is selected by a hash: rare features more often than common ones, in proportion
//! to [`Rarity`]. Two texts draw the same number for a feature that they share. So a pair with a large common part selects common
//! features, and has a path in common. A path that many texts have is *split*: its texts select further features. Which paths are
//! split was found on a sample of the texts and is frozen ([`Verdicts`]), so the keys of a text are a function of the text and of
//! what is frozen. (Christiani and Pagh, STOC 2017; Mikkelsen and others, PODS 2018.)
//!
//! docs/explanation/chosen-paths.md has the method and its measurements.

mod rarity;
mod verdicts;

pub use rarity::Rarity;
pub use verdicts::{Verdict, Verdicts};

use crate::base::hash::mix;

/// How many features a text selects in the mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// At the first level, by rarity.
    pub first: f64,
    /// At each further level of a path that is split.
    pub further: f64,
    /// At the first level, each feature with the same chance: for texts that are near by a template.
    pub even: f64,
}

/// The paths of texts, under frequencies and verdicts that are frozen.
#[derive(Debug, Clone, PartialEq)]
pub struct Paths {
    /// How many features are selected.
    pub rates: Rates,
    /// The weights of the selection.
    pub rarity: Rarity,
    /// Which paths are no leaves.
    pub verdicts: Verdicts,
    /// Keys of a sampled text in the mean.
    pub mean_keys: f64,
}

/// The longest path.
pub const MOST_DEPTH: usize = 6;
/// A text with fewer features than this selects all of them at the first level.
pub const FEW_FEATURES: usize = 12;
/// Most keys of one text; what is beyond is left out.
const MOST_KEYS: usize = 1000;
/// The sum of weights of a text with more features than this is estimated from about half as many.
const SUMMED: usize = 64;
/// The lowest bit of a key tells the key of a family.
pub const FAMILY: u64 = 1;

/// Keeps the draws of the first levels and the estimate apart.
const RARE_DRAW: u64 = 0x52A7_E0D1_3C88_F691;
const EVEN_DRAW: u64 = 0xE7E2_06B5_9A41_7D23;
const ESTIMATE: u64 = 0x5EED_5A3B_1E0F_44C7;

/// The working memory of one thread.
#[derive(Debug, Default, Clone)]
pub struct PathScratch {
    /// The squared weight of each feature; empty where every weight is 1.
    squares: Vec<f64>,
}

/// A path while it grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Path {
    /// Its hash.
    pub hash: u64,
    /// Whether its features are selected evenly.
    even: bool,
    depth: u8,
    /// The places of its features in the text.
    taken: [u32; MOST_DEPTH],
}

impl Path {
    fn first(hash: u64, even: bool, at: usize) -> Self {
        let mut taken = [0; MOST_DEPTH];
        taken[0] = at as u32;
        Self {
            hash,
            even,
            depth: 1,
            taken,
        }
    }

    fn further(&self, hash: u64, at: usize) -> Self {
        let mut path = *self;
        path.hash = mix(self.hash.rotate_left(23) ^ hash);
        path.taken[usize::from(self.depth)] = at as u32;
        path.depth += 1;
        path
    }

    fn has(&self, at: usize) -> bool {
        self.taken[..usize::from(self.depth)].contains(&(at as u32))
    }
}

/// The chances of the features of one text.
struct Selection<'a> {
    paths: &'a Paths,
    features: &'a [u64],
    squares: &'a [f64],
    /// The sum over the features: of weights by rarity, and of squared weights alone.
    total: f64,
    even_total: f64,
    /// The largest squared weight.
    most_square: f64,
}

/// A chance as a bound on 32 drawn bits.
fn bound(chance: f64) -> u64 {
    (chance * 4_294_967_296.0) as u64
}

impl<'a> Selection<'a> {
    fn of(paths: &'a Paths, features: &'a [u64], weights: &[u32], squares: &'a mut Vec<f64>) -> Self {
        squares.clear();
        squares.extend(weights.iter().map(|&weight| f64::from(weight) * f64::from(weight)));
        let mut selection = Self {
            paths,
            features,
            squares,
            total: 0.0,
            even_total: if weights.is_empty() {
                features.len() as f64
            } else {
                squares.iter().sum()
            },
            most_square: squares
                .iter()
                .copied()
                .fold(if weights.is_empty() { 1.0 } else { 0.0 }, f64::max),
        };
        selection.total = selection.sum();
        selection
    }

    /// The sum of the weights by rarity. Of a text with many features that all weigh the same it is an estimate from a part of them,
    /// chosen by their hashes: near texts have nearly the same part.
    fn sum(&self) -> f64 {
        let rarity = &self.paths.rarity;
        if !self.squares.is_empty() || self.features.len() <= SUMMED {
            return (0..self.features.len()).map(|at| self.rare(at)).sum();
        }
        let n = self.features.len() as f64;
        let least = (SUMMED as f64 / 2.0 / n * 18_446_744_073_709_551_616.0) as u64;
        let (mut count, mut sum) = (0_u32, 0.0);
        for &hash in self.features {
            if (hash ^ ESTIMATE).wrapping_mul(0x9E37_79B9_7F4A_7C15) < least {
                count += 1;
                sum += f64::from(rarity.weight(hash));
            }
        }
        if count == 0 {
            n * rarity.mean()
        } else {
            n * sum / f64::from(count)
        }
    }

    #[inline]
    fn square(&self, at: usize) -> f64 {
        self.squares.get(at).copied().unwrap_or(1.0)
    }

    #[inline]
    fn rare(&self, at: usize) -> f64 {
        f64::from(self.paths.rarity.weight(self.features[at])) * self.square(at)
    }

    /// Calls `take` with each feature that is selected at a rate, by draws under a seed.
    #[inline]
    fn select(&self, rate: f64, even: bool, seed: u64, mut take: impl FnMut(usize, u64)) {
        if even {
            let scale = rate / self.even_total.max(1.0);
            for (at, &hash) in self.features.iter().enumerate() {
                if mix(hash ^ seed) >> 32 < bound(scale * self.square(at)) {
                    take(at, hash);
                }
            }
            return;
        }
        let scale = rate / self.total.max(1.0);
        // Most features are left without a look at their weights: those whose draw no weight allows.
        let most = bound(scale * f64::from(self.paths.rarity.most()) * self.most_square);
        for (at, &hash) in self.features.iter().enumerate() {
            let drawn = mix(hash ^ seed) >> 32;
            if drawn < most && drawn < bound(scale * self.rare(at)) {
                take(at, hash);
            }
        }
    }

    /// Calls `take` with each path of one feature.
    fn firsts(&self, mut take: impl FnMut(Path)) {
        let Rates { first, even, .. } = self.paths.rates;
        let few = self.features.len() < FEW_FEATURES;
        if few {
            for (at, &hash) in self.features.iter().enumerate() {
                take(Path::first(mix(hash ^ !RARE_DRAW), false, at));
            }
        } else {
            self.select(first, false, RARE_DRAW, |at, hash| {
                take(Path::first(mix(hash ^ !RARE_DRAW), false, at));
            });
        }
        if even > 0.0 {
            self.select(even, true, EVEN_DRAW, |at, hash| {
                take(Path::first(mix(hash ^ !EVEN_DRAW), true, at));
            });
        }
    }

    /// Calls `take` with each path that a split path becomes.
    fn further(&self, path: &Path, mut take: impl FnMut(Path)) {
        if usize::from(path.depth) == MOST_DEPTH {
            return;
        }
        let seed = mix(path.hash);
        self.select(self.paths.rates.further, path.even, seed, |at, hash| {
            if !path.has(at) {
                take(path.further(hash, at));
            }
        });
    }

    fn descend(&self, path: &Path, out: &mut Vec<u64>) {
        match self.paths.verdicts.get(path.hash) {
            None => out.push(path.hash & !FAMILY),
            Some(Verdict::Family) => out.push(path.hash | FAMILY),
            Some(Verdict::Split) => self.further(path, |path| self.descend(&path, out)),
            Some(Verdict::Dead) => {}
        }
    }
}

impl Paths {
    /// Appends the keys of a text: its distinct features, and their weights where they are not all 1. The order is that of the
    /// features.
    pub fn keys(&self, features: &[u64], weights: &[u32], scratch: &mut PathScratch, out: &mut Vec<u64>) {
        let start = out.len();
        let selection = Selection::of(self, features, weights, &mut scratch.squares);
        selection.firsts(|path| selection.descend(&path, out));
        out.truncate(start + MOST_KEYS);
    }

    /// Calls `take` with each path of one feature.
    pub fn firsts(&self, features: &[u64], weights: &[u32], scratch: &mut PathScratch, take: impl FnMut(Path)) {
        Selection::of(self, features, weights, &mut scratch.squares).firsts(take);
    }

    /// Calls `take` with each path that a split path of the text becomes.
    pub fn further(
        &self,
        features: &[u64],
        weights: &[u32],
        path: &Path,
        scratch: &mut PathScratch,
        take: impl FnMut(Path),
    ) {
        Selection::of(self, features, weights, &mut scratch.squares).further(path, take);
    }
}

impl Rates {
    /// The probability that a pair shares a path of `depth` features, given the share of its selection that it has in common:
    /// the cosine, of texts of one size.
    pub fn found(&self, share: f64, depth: usize) -> f64 {
        let below = (1..depth).fold(1.0, |below, _| -libm::expm1(-self.further * share * below));
        -libm::expm1(-self.first * share * below)
    }
}

/// The keys of a text by the definition, in few lines: each feature with its chance, path by path.
#[cfg(test)]
pub(crate) fn plain_keys(paths: &Paths, features: &[u64], weights: &[u32]) -> Vec<u64> {
    let square = |at: usize| {
        weights
            .get(at)
            .map_or(1.0, |&weight| f64::from(weight) * f64::from(weight))
    };
    let weight = |at: usize, even: bool| {
        let rarity = if even {
            1.0
        } else {
            f64::from(paths.rarity.weight(features[at]))
        };
        rarity * square(at)
    };
    let mean = |even: bool| {
        let least = (SUMMED as f64 / 2.0 / features.len() as f64 * 18_446_744_073_709_551_616.0) as u64;
        let all = even || !weights.is_empty() || features.len() <= SUMMED;
        let counted = |at: &usize| all || (features[*at] ^ ESTIMATE).wrapping_mul(0x9E37_79B9_7F4A_7C15) < least;
        let summed: Vec<f64> = (0..features.len()).filter(counted).map(|at| weight(at, even)).collect();
        if summed.is_empty() {
            paths.rarity.mean()
        } else {
            summed.iter().sum::<f64>() / summed.len() as f64
        }
    };
    let means = [false, true].map(mean);
    let chance =
        |at: usize, rate: f64, even: bool| rate * weight(at, even) / (means[usize::from(even)] * features.len() as f64);
    let drawn = |at: usize, seed: u64| (mix(features[at] ^ seed) >> 32) as f64 / 4_294_967_296.0;
    let mut open: Vec<(u64, bool, Vec<usize>)> = Vec::new();
    for at in 0..features.len() {
        if features.len() < FEW_FEATURES || drawn(at, RARE_DRAW) < chance(at, paths.rates.first, false) {
            open.push((mix(features[at] ^ !RARE_DRAW), false, vec![at]));
        }
        if drawn(at, EVEN_DRAW) < chance(at, paths.rates.even, true) {
            open.push((mix(features[at] ^ !EVEN_DRAW), true, vec![at]));
        }
    }
    let mut keys = Vec::new();
    while let Some((path, even, taken)) = open.pop() {
        match paths.verdicts.get(path) {
            None => keys.push(path & !FAMILY),
            Some(Verdict::Family) => keys.push(path | FAMILY),
            Some(Verdict::Dead) => {}
            Some(Verdict::Split) => {
                for at in (0..features.len()).filter(|at| !taken.contains(at) && taken.len() < MOST_DEPTH) {
                    if drawn(at, mix(path)) < chance(at, paths.rates.further, even) {
                        let mut longer = taken.clone();
                        longer.push(at);
                        open.push((mix(path.rotate_left(23) ^ features[at]), even, longer));
                    }
                }
            }
        }
    }
    keys
}

#[cfg(test)]
mod tests;
