//! From a sample to frozen paths: rarity, then the fates level by level, then whether even selection is needed.

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::mix;
use crate::base::kernel::Kernel;
use crate::base::tuning::Tuning;
use crate::encode::paths::{Fate, Fates, MOST_DEPTH, PathScratch, Paths, Rarity, Rates};
use crate::recipe::{PathOptions, Recipe};
use crate::search::sample::levels::{First, Further, TextPath, Visit, buckets, walk};
use crate::search::sample::similar::Similar;
use crate::search::sample::texts::Sample;

/// Pairs of a path's texts that are compared before the path is split.
const TRIED: u64 = 64;
/// A path is a family if one in this many of these pairs is near.
pub(super) const NEAR_OF: u64 = 4;
/// The same for paths that are as long as allowed.
const NEAR_OF_LONGEST: u64 = 16;
/// Where even selection is needed, near texts share common features. Then a path whose pairs are this similar in the mean is a family
/// too, because a split would not even halve it: the walk rules out the others by the index of features.
pub(super) const SIMILAR: f64 = 0.5;
/// Sampled texts on a path at least, before it is split: fewer say nothing.
pub(super) const LEAST_SAMPLED: f64 = 3.0;
/// Numbers of evenly selected features, tried in this order until the near pairs of the sample are found.
const EVEN_RATES: [u32; 3] = [0, 4, 8];

/// The paths of the texts that were sampled.
pub(super) fn paths(similar: &Similar, recipe: &Recipe, options: PathOptions, ctx: &Context<'_>) -> Result<Paths> {
    let (pool, kernel, sample) = (ctx.pool()?, ctx.kernel(), &similar.sample);
    let tuning = ctx.tuning;
    let texts = (0..sample.len()).map(|at| sample.features(at));
    let mut paths = Paths {
        rates: options.rates(0),
        rarity: Rarity::count(&texts, sample.total())?,
        fates: Fates::default(),
        mean_keys: 0.0,
    };
    let mut best: Option<(f64, Rates, Fates, f64)> = None;
    for (at, &even) in EVEN_RATES.iter().enumerate() {
        ctx.tick("freeze", at as u64, EVEN_RATES.len() as u64)?;
        paths.rates = options.rates(even);
        paths.fates = Fates::default();
        let mut judge = Judge {
            similar,
            least_mean: (even > 0).then_some(SIMILAR),
            most: most_unsplit(similar, options),
            fates: Vec::new(),
        };
        pool.install(|| walk(&paths, sample, (kernel, tuning), &mut judge));
        paths.fates.extend(&judge.fates);
        let mean_keys = pool.install(|| mean_keys(&paths, sample, kernel));
        let found = similar.found_by(&paths);
        if best.as_ref().is_none_or(|(most, ..)| found > *most) {
            best = Some((found, paths.rates, std::mem::take(&mut paths.fates), mean_keys));
        }
        if similar.finds_enough(found, recipe.recall) {
            break;
        }
    }
    let (_, rates, fates, mean_keys) = best.expect("one rate at least was tried");
    Ok(Paths {
        rates,
        fates,
        mean_keys,
        ..paths
    })
}

/// The most sampled texts of a path that is not split: one of more has a fate.
pub(crate) fn most_unsplit(similar: &Similar, options: PathOptions) -> f64 {
    (f64::from(options.bucket) / similar.rate).max(LEAST_SAMPLED)
}

/// The most bytes that [`paths`] holds of this many texts, in addition to the sample: of `features` in all.
pub(super) fn held_bytes(texts: f64, features: f64, options: PathOptions) -> f64 {
    let first = f64::from(options.first + EVEN_RATES[EVEN_RATES.len() - 1]);
    let of_text = Similar::TEXT_BYTES as f64 + first * size_of::<First>() as f64;
    // The lists of the threads, and the whole list.
    let of_split = 2.0 * options.further * size_of::<Further>() as f64;
    Rarity::held_bytes(features)
        + texts * of_text
        + (texts * first).min(Tuning::DEFAULT.split_at_once as f64) * of_split
}

/// Says what becomes of the paths that many sampled texts have.
struct Judge<'a> {
    similar: &'a Similar,
    /// A path whose pairs have this cosine in the mean is a family; `None` where only near pairs count.
    least_mean: Option<f64>,
    most: f64,
    fates: Vec<(u64, Fate)>,
}

impl Visit for Judge<'_> {
    fn split<'l, P: TextPath>(&mut self, level: &'l [P], depth: usize) -> Vec<&'l [P]> {
        let large: Vec<&[P]> = buckets(level)
            .filter(|bucket| bucket.len() as f64 > self.most)
            .collect();
        let judge = |bucket: &&[P]| (bucket[0].hash(), self.fate(bucket, depth));
        let found: Vec<(u64, Fate)> = large.par_iter().map(judge).collect();
        let split = large.iter().zip(&found).filter(|(_, (_, fate))| *fate == Fate::Split);
        let split = split.map(|(bucket, _)| *bucket).collect();
        self.fates.extend(found);
        split
    }
}

impl Judge<'_> {
    fn fate<P: TextPath>(&self, bucket: &[P], depth: usize) -> Fate {
        let is_longest = depth == MOST_DEPTH;
        let texts = PathTexts {
            path: bucket[0].hash(),
            count: bucket.len(),
            text: |at: usize| bucket[at].text() as usize,
        };
        let near_of = if is_longest { NEAR_OF_LONGEST } else { NEAR_OF };
        if texts.are_family(near_of, |a, b| self.similar.is_near(a, b))
            || self
                .least_mean
                .is_some_and(|least| texts.mean(|a, b| self.similar.rough_cosine(a, b)) >= least)
        {
            Fate::Family
        } else if is_longest {
            Fate::Dead
        } else {
            Fate::Split
        }
    }
}

/// The texts of a path, by their places among them.
pub(super) struct PathTexts<T> {
    pub(super) path: u64,
    pub(super) count: usize,
    pub(super) text: T,
}

impl<T: Fn(usize) -> usize> PathTexts<T> {
    /// Whether one in `near_of` of some pairs is near.
    pub(super) fn are_family(&self, near_of: u64, is_near: impl Fn(usize, usize) -> bool) -> bool {
        // Pairs are compared only until the answer is certain.
        let mut missing = TRIED.div_ceil(near_of);
        for tried in 0..TRIED {
            if missing == 0 || tried + missing > TRIED {
                break;
            }
            missing -= u64::from(self.pair(tried).is_some_and(|(a, b)| is_near(a, b)));
        }
        missing == 0
    }

    /// The mean cosine of some pairs.
    pub(super) fn mean(&self, cosine: impl Fn(usize, usize) -> f64) -> f64 {
        let pairs: Vec<_> = (0..TRIED).filter_map(|at| self.pair(at)).collect();
        let sum: f64 = pairs.iter().map(|&(a, b)| cosine(a, b)).sum();
        sum / pairs.len().max(1) as f64
    }

    /// A random pair; `None` where it is one text twice.
    fn pair(&self, number: u64) -> Option<(usize, usize)> {
        let seed = mix(self.path);
        let draw = |at: u64| (self.text)((mix(seed ^ at) % self.count as u64) as usize);
        let (a, b) = (draw(2 * number), draw(2 * number + 1));
        (a != b).then_some((a, b))
    }
}

/// Keys of a text in the mean, over part of the sample.
fn mean_keys(paths: &Paths, sample: &Sample, kernel: Kernel) -> f64 {
    const COUNTED: usize = 1 << 14;
    let texts = sample.len().min(COUNTED);
    let keys: usize = (0..texts)
        .into_par_iter()
        .map_init(<(PathScratch, Vec<u64>)>::default, |(scratch, keys), at| {
            keys.clear();
            paths.keys(kernel, sample.features(at), sample.weights(at), scratch, keys);
            keys.len()
        })
        .sum();
    keys as f64 / texts.max(1) as f64
}
