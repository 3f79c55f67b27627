//! Search keys by chosen paths: what two similar texts meet in.
//!
//! A *path* is a list of features of a text. A text selects the features with the least [priorities](selection): a
//! number drawn by a hash, divided by the weight by [`Rarity`], so rare features come first more often. Two texts draw
//! the same number for a feature that they share. So a pair with a large common part selects common features, and has a
//! path in common. A path that many texts have is *split*: its texts select further features. Which paths are split was
//! found on a sample of the texts and is frozen ([`Fates`]). So the keys of a text depend on the text and on what is
//! frozen. (Christiani and Pagh, STOC 2017; Mikkelsen and others, PODS 2018. A fixed number of least priorities: Cohen
//! and Kaplan, PODC 2007.)
//!
//! docs/explanation/chosen-paths.md has the method and its measurements.

mod draw;
mod fates;
mod rarity;
mod rates;
mod selection;

pub use fates::{Fate, Fates};
pub use rarity::Rarity;
pub use rates::{Overlap, Rates};
pub use selection::PathScratch;

use selection::Selection;

use crate::base::hash::mix;
use crate::base::kernel::Kernel;

/// The paths of texts, under frequencies and fates that are frozen.
#[derive(Debug, Clone, PartialEq)]
pub struct Paths {
    /// How many features are selected.
    pub rates: Rates,
    /// The weights of the selection.
    pub rarity: Rarity,
    /// Which paths are no leaves.
    pub fates: Fates,
    /// Keys of a sampled text in the mean.
    pub mean_keys: f64,
}

/// The longest path.
pub const MOST_DEPTH: usize = 6;
/// A text with fewer features than this selects all of them at the first level.
pub const FEW_FEATURES: usize = 12;
/// Most keys of one text; what is beyond is left out.
const MOST_KEYS: usize = 1000;
/// The lowest bit of a key marks the key of a family.
pub const FAMILY: u64 = 1;

/// Keeps the draws of the first levels apart.
const RARE_DRAW: u64 = 0x52A7_E0D1_3C88_F691;
const EVEN_DRAW: u64 = 0xE7E2_06B5_9A41_7D23;

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

    /// Where a path of one feature starts: the place of the feature, and in the highest bit how it was selected.
    pub const fn start(&self) -> u32 {
        self.taken[0] | (self.even as u32) << 31
    }

    /// A path of one feature from its hash and its [`start`](Self::start).
    pub fn of_start(hash: u64, start: u32) -> Self {
        Self::first(hash, start >> 31 == 1, (start & !(1 << 31)) as usize)
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

/// The walk of one text.
struct Walk<'a> {
    paths: &'a Paths,
    selection: Selection<'a>,
}

impl<'a> Walk<'a> {
    fn of(kernel: Kernel, paths: &'a Paths, features: &'a [u64], weights: &'a [u32]) -> Self {
        let selection = Selection::of(kernel, &paths.rarity, features, weights);
        Self { paths, selection }
    }

    /// Calls `take` with each path of one feature.
    fn firsts(&self, scratch: &mut PathScratch, mut take: impl FnMut(Path, &mut PathScratch)) {
        let Rates { first, even, .. } = self.paths.rates;
        let start = scratch.places.len();
        let all = self.selection.features.len() < FEW_FEATURES;
        for (seed, is_even) in [(RARE_DRAW, false), (EVEN_DRAW, true)] {
            if !is_even && all {
                scratch.places.extend(0..self.selection.features.len() as u32);
            } else {
                let most = if is_even { even } else { first };
                self.selection.least(most as usize, is_even, seed, scratch);
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
        let most = self.paths.rates.further_of(path.hash);
        self.selection.least(most, path.even, seed, scratch);
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
            take(at, self.selection.features[at], scratch);
        }
        scratch.places.truncate(start);
    }

    fn descend(&self, path: &Path, scratch: &mut PathScratch, out: &mut Vec<u64>) {
        match self.paths.fates.get(path.hash) {
            Some(Fate::Family) => out.push(path.hash | FAMILY),
            Some(Fate::Split) if usize::from(path.depth) < MOST_DEPTH => {
                self.further(path, scratch, |path, scratch| self.descend(&path, scratch, out));
            }
            // The second freeze splits by keys, which do not say how long a path is.
            None | Some(Fate::Split) => out.push(path.hash & !FAMILY),
            Some(Fate::Dead) => {}
        }
    }
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
        let walk = Walk::of(kernel, self, features, weights);
        walk.firsts(scratch, |path, scratch| walk.descend(&path, scratch, out));
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
        Walk::of(kernel, self, features, weights).firsts(scratch, |path, _| take(path));
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
        Walk::of(kernel, self, features, weights).further(path, scratch, |path, _| take(path));
    }
}

#[cfg(test)]
pub(crate) mod tests;
