//! The paths of the sampled texts, level by level: those of one feature, then those that split ones become.

use rayon::prelude::*;

use crate::base::kernel::Kernel;
use crate::base::tuning::Tuning;
use crate::encode::paths::{Path, PathScratch, Paths};
use crate::search::sample::texts::Sample;

/// A path of a sampled text.
pub(crate) trait TextPath: Copy + Send + Sync {
    fn hash(&self) -> u64;
    fn text(&self) -> u32;
    fn path(&self) -> Path;
}

/// A path of one feature: its hash, its start and the text. A sample has more of these than of all others, so they are small.
#[derive(Clone, Copy)]
pub(crate) struct First {
    hash: u64,
    start: u32,
    text: u32,
}

impl TextPath for First {
    fn hash(&self) -> u64 {
        self.hash
    }

    fn text(&self) -> u32 {
        self.text
    }

    fn path(&self) -> Path {
        Path::of_start(self.hash, self.start)
    }
}

/// A path of any length.
#[derive(Clone, Copy)]
pub(crate) struct Further {
    path: Path,
    text: u32,
}

impl TextPath for Further {
    fn hash(&self) -> u64 {
        self.path.hash
    }

    fn text(&self) -> u32 {
        self.text
    }

    fn path(&self) -> Path {
        self.path
    }
}

/// Is called with each level of paths, in order of their hashes: those of one hash are a bucket, in order of their texts.
pub(crate) trait Visit {
    /// The buckets of the level whose paths are split.
    fn split<'l, P: TextPath>(&mut self, level: &'l [P], depth: usize) -> Vec<&'l [P]>;
}

/// The buckets of a level.
pub(crate) fn buckets<P: TextPath>(level: &[P]) -> impl Iterator<Item = &[P]> {
    level.chunk_by(|a, b| a.hash() == b.hash())
}

/// Shows `visit` the paths of all sampled texts.
pub(crate) fn walk(paths: &Paths, sample: &Sample, (kernel, tuning): (Kernel, Tuning), visit: &mut impl Visit) {
    let levels = Levels {
        paths,
        sample,
        kernel,
        tuning,
    };
    levels.descend(&levels.firsts(), 1, visit);
}

struct Levels<'a> {
    paths: &'a Paths,
    sample: &'a Sample,
    kernel: Kernel,
    tuning: Tuning,
}

impl Levels<'_> {
    /// The paths of one feature of all texts, in order.
    fn firsts(&self) -> Vec<First> {
        let of_text = |scratch: &mut PathScratch, text: u32| {
            let mut own = Vec::new();
            let (features, weights) = (self.sample.features(text as usize), self.sample.weights(text as usize));
            let take = |path: Path| {
                own.push(First {
                    hash: path.hash,
                    start: path.start(),
                    text,
                });
            };
            self.paths.firsts(self.kernel, features, weights, scratch, take);
            own
        };
        let (texts, at_once) = (self.sample.len() as u32, self.tuning.texts_at_once);
        let mut firsts = Vec::new();
        // Lists of the threads and the whole list are in memory together, so the lists are short.
        for start in (0..texts).step_by(at_once) {
            let some = (start..texts.min(start + at_once as u32)).into_par_iter();
            firsts.par_extend(some.map_init(PathScratch::default, of_text).flatten_iter());
        }
        in_order(firsts)
    }

    /// Visits a level, and those that follow from it.
    fn descend<P: TextPath>(&self, level: &[P], depth: usize, visit: &mut impl Visit) {
        let split = visit.split(level, depth);
        let mut rest = &split[..];
        while !rest.is_empty() {
            let mut paths = 0;
            let fits = |bucket: &&&[P]| {
                paths += bucket.len();
                paths <= self.tuning.split_at_once
            };
            let fitting = rest.iter().take_while(fits).count();
            let (now, behind) = rest.split_at(fitting.max(1));
            self.descend(&self.further(now), depth + 1, visit);
            rest = behind;
        }
    }

    /// The paths that those of some buckets become, in order.
    fn further<P: TextPath>(&self, buckets: &[&[P]]) -> Vec<Further> {
        let of_path = |scratch: &mut PathScratch, shorter: &P| {
            let mut own = Vec::new();
            let text = shorter.text();
            let (features, weights) = (self.sample.features(text as usize), self.sample.weights(text as usize));
            let take = |path| own.push(Further { path, text });
            self.paths
                .further(self.kernel, features, weights, &shorter.path(), scratch, take);
            own
        };
        let paths = buckets.par_iter().flat_map_iter(|bucket| bucket.iter());
        in_order(paths.map_init(PathScratch::default, of_path).flatten_iter().collect())
    }
}

/// Paths in order of their hashes, those of one hash in order of their texts.
fn in_order<P: TextPath>(mut paths: Vec<P>) -> Vec<P> {
    paths.par_sort_unstable_by_key(|path| (path.hash(), path.text()));
    paths
}
