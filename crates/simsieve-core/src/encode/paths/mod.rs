//! Search keys by chosen paths: what two similar texts meet in.
//!
//! A *path* is a list of features of a text. Each is selected by a hash: rare features more often than common ones, in
//! proportion to [`Rarity`]. Two texts draw the same number for a feature that they share. So a pair with a large
//! common part selects common features, and has a path in common. A path that many texts have is *split*: its texts
//! select further features. The split paths were found on a sample of the texts and are frozen ([`Verdicts`]). So the
//! keys of a text are a function of the text and of the frozen set. (Christiani and Pagh, STOC 2017; Mikkelsen and
//! others, PODS 2018.)
//!
//! docs/explanation/chosen-paths.md has the method and its measurements.

mod draw;
mod rarity;
mod verdicts;

pub use rarity::Rarity;
pub use verdicts::{Verdict, Verdicts};

use crate::base::hash::mix;
use crate::base::kernel::Kernel;

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
/// The lowest bit of a key marks the key of a family.
pub const FAMILY: u64 = 1;

/// Keeps the draws of the first levels and the estimate apart.
const RARE_DRAW: u64 = 0x52A7_E0D1_3C88_F691;
const EVEN_DRAW: u64 = 0xE7E2_06B5_9A41_7D23;
const ESTIMATE: u64 = 0x5EED_5A3B_1E0F_44C7;

/// The working memory of one thread.
#[derive(Debug, Default, Clone)]
pub struct PathScratch {
    /// Places of features that were drawn: those of each level of a walk follow those of the level above.
    places: Vec<u32>,
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
    kernel: Kernel,
    paths: &'a Paths,
    features: &'a [u64],
    /// Empty where every weight is 1.
    weights: &'a [u32],
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

fn squared(weight: u32) -> f64 {
    f64::from(weight) * f64::from(weight)
}

impl<'a> Selection<'a> {
    fn of(
        kernel: Kernel,
        paths: &'a Paths,
        features: &'a [u64],
        weights: &'a [u32],
        scratch: &mut PathScratch,
    ) -> Self {
        let mut selection = Self {
            kernel,
            paths,
            features,
            weights,
            total: 0.0,
            even_total: features.len() as f64,
            most_square: 1.0,
        };
        if !weights.is_empty() {
            selection.even_total = weights.iter().map(|&weight| squared(weight)).sum();
            selection.most_square = weights.iter().copied().max().map_or(0.0, squared);
        }
        selection.total = selection.sum(scratch);
        selection
    }

    /// The sum of the weights by rarity. If a text has many features of one weight, it is estimated from a part of
    /// them, chosen by their hashes. Near texts have nearly the same part.
    fn sum(&self, scratch: &mut PathScratch) -> f64 {
        let n = self.features.len();
        if !self.weights.is_empty() || n <= SUMMED {
            return (0..n).map(|at| self.rare(at)).sum();
        }
        let places = &mut scratch.places;
        draw::below(self.kernel, self.features, ESTIMATE, bound(summed_share(n)), places);
        let sum: f64 = places.iter().map(|&at| self.rare(at as usize)).sum();
        let mean = if places.is_empty() {
            self.paths.rarity.mean()
        } else {
            sum / places.len() as f64
        };
        places.clear();
        n as f64 * mean
    }

    #[inline]
    fn square(&self, at: usize) -> f64 {
        self.weights.get(at).map_or(1.0, |&weight| squared(weight))
    }

    #[inline]
    fn rare(&self, at: usize) -> f64 {
        f64::from(self.paths.rarity.weight(self.features[at])) * self.square(at)
    }

    /// Appends the places of the features that are selected at a rate, by draws under a seed.
    fn select(&self, rate: f64, even: bool, seed: u64, places: &mut Vec<u32>) {
        let start = places.len();
        let scale = rate / if even { self.even_total } else { self.total }.max(1.0);
        // Most features are left without a look at their weights: those whose draw no weight allows.
        let most_rare = if even { 1.0 } else { f64::from(self.paths.rarity.most()) };
        let most = bound(scale * most_rare * self.most_square);
        draw::below(self.kernel, self.features, seed, most, places);
        if even && self.weights.is_empty() {
            return;
        }
        let mut kept = start;
        for drawn in start..places.len() {
            let at = places[drawn] as usize;
            let weight = if even { self.square(at) } else { self.rare(at) };
            places[kept] = at as u32;
            kept += usize::from(draw::draw(self.features[at], seed) < bound(scale * weight));
        }
        places.truncate(kept);
    }

    /// Calls `take` with each path of one feature.
    fn firsts(&self, scratch: &mut PathScratch, mut take: impl FnMut(Path, &mut PathScratch)) {
        let Rates { first, even, .. } = self.paths.rates;
        let start = scratch.places.len();
        for (seed, is_even) in [(RARE_DRAW, false), (EVEN_DRAW, true)] {
            if !is_even && self.features.len() < FEW_FEATURES {
                scratch.places.extend(0..self.features.len() as u32);
            } else if !is_even || even > 0.0 {
                let rate = if is_even { even } else { first };
                self.select(rate, is_even, seed, &mut scratch.places);
            }
            self.each_place(start, scratch, |at, hash, scratch| {
                take(Path::first(mix(hash ^ !seed), is_even, at), scratch);
            });
        }
    }

    /// Calls `take` with each path that a split path becomes.
    fn further(&self, path: &Path, scratch: &mut PathScratch, mut take: impl FnMut(Path, &mut PathScratch)) {
        if usize::from(path.depth) == MOST_DEPTH {
            return;
        }
        let start = scratch.places.len();
        let seed = mix(path.hash);
        self.select(self.paths.rates.further, path.even, seed, &mut scratch.places);
        self.each_place(start, scratch, |at, hash, scratch| {
            if !path.has(at) {
                take(path.further(hash, at), scratch);
            }
        });
    }

    /// Calls `take` with each feature that was appended from `start` on, and removes them.
    fn each_place(&self, start: usize, scratch: &mut PathScratch, mut take: impl FnMut(usize, u64, &mut PathScratch)) {
        for drawn in start..scratch.places.len() {
            let at = scratch.places[drawn] as usize;
            take(at, self.features[at], scratch);
        }
        scratch.places.truncate(start);
    }

    fn descend(&self, path: &Path, scratch: &mut PathScratch, out: &mut Vec<u64>) {
        match self.paths.verdicts.get(path.hash) {
            None => out.push(path.hash & !FAMILY),
            Some(Verdict::Family) => out.push(path.hash | FAMILY),
            Some(Verdict::Split) => self.further(path, scratch, |path, scratch| self.descend(&path, scratch, out)),
            Some(Verdict::Dead) => {}
        }
    }
}

/// The share of `n` features that the sum of weights is estimated from.
fn summed_share(n: usize) -> f64 {
    SUMMED as f64 / 2.0 / n as f64
}

impl Paths {
    /// Appends the keys of a text: its distinct features, and their weights where they are not all 1. The order is that of the
    /// features.
    pub fn keys(
        &self,
        kernel: Kernel,
        features: &[u64],
        weights: &[u32],
        scratch: &mut PathScratch,
        out: &mut Vec<u64>,
    ) {
        let start = out.len();
        let selection = Selection::of(kernel, self, features, weights, scratch);
        selection.firsts(scratch, |path, scratch| selection.descend(&path, scratch, out));
        out.truncate(start + MOST_KEYS);
    }

    /// Calls `take` with each path of one feature.
    pub fn firsts(
        &self,
        kernel: Kernel,
        features: &[u64],
        weights: &[u32],
        scratch: &mut PathScratch,
        mut take: impl FnMut(Path),
    ) {
        let selection = Selection::of(kernel, self, features, weights, scratch);
        selection.firsts(scratch, |path, _| take(path));
    }

    /// Calls `take` with each path that a split path of the text becomes.
    pub fn further(
        &self,
        kernel: Kernel,
        features: &[u64],
        weights: &[u32],
        path: &Path,
        scratch: &mut PathScratch,
        mut take: impl FnMut(Path),
    ) {
        let selection = Selection::of(kernel, self, features, weights, scratch);
        selection.further(path, scratch, |path, _| take(path));
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
        let all = even || !weights.is_empty() || features.len() <= SUMMED;
        let counted = |at: &usize| all || draw::draw(features[*at], ESTIMATE) < bound(summed_share(features.len()));
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
